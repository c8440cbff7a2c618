//! Looks up every name that other converters have for a charset: `spec/peer-labels.tsv` says which codec it means, or why
//! it is refused. `CHARPIPE_WRITE_LABELS=1` writes these columns anew.

use crate::common::vectors::rows;
use charpipe::{ErrorKind, Registry};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Returns the codec that a label means, or why it is refused; `Err` if it is neither.
fn meaning(registry: &Registry, label: &str) -> Result<(String, String), String> {
    match registry.codec(label) {
        Ok(codec) => Ok((codec.name().to_owned(), "-".to_owned())),
        Err(error) => match error.kind() {
            ErrorKind::UnsupportedLabel { reason, .. } => Ok(("-".to_owned(), (*reason).to_owned())),
            _ => Err(error.to_string()),
        },
    }
}

#[test]
fn every_name_of_the_peers_resolves_or_is_refused_with_a_reason() {
    let registry = Registry::builtin();
    let (mut text, mut wrong) = (String::new(), String::new());
    let mut counts = (0, 0);
    for row in rows("peer-labels.tsv") {
        let (label, peers) = (&row["label"], &row["peers"]);
        let (codec, reason) = meaning(&registry, label).unwrap_or_else(|error| {
            _ = writeln!(wrong, "{error}");
            ("-".into(), "-".into())
        });
        _ = writeln!(text, "{label}\t{peers}\t{codec}\t{reason}");
        if std::env::var_os("CHARPIPE_WRITE_LABELS").is_none() && (codec != row["codec"] || reason != row["reason"]) {
            _ = writeln!(wrong, "{label}: {codec} {reason}, not {} {}", &row["codec"], &row["reason"]);
        }
        counts.0 += usize::from(codec != "-");
        counts.1 += usize::from(reason != "-");
    }
    if std::env::var_os("CHARPIPE_WRITE_LABELS").is_some() {
        let head = "# Written by spec/labels-of-peers.py and the test `labels`.\nlabel\tpeers\tcodec\treason\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec/peer-labels.tsv");
        fs::write(path, head.to_owned() + &text).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(counts.0 > 3000 && counts.1 > 50, "{counts:?}");
}

/// A document may name neither UTF-7 nor its form for mailboxes, under any policy and in any spelling.
#[test]
fn no_document_is_read_as_utf_7() {
    use charpipe::Transcode;
    use charpipe::detect::Policy;
    let attack = "+ADw-script+AD4-";
    for label in ["UTF-7", "utf7", "unicode-1-1-utf-7", "CP65000", "csUTF7", "UTF-7-IMAP", "IMAP-mailbox-name"] {
        for policy in Policy::ALL.iter().copied() {
            let xml = format!("<?xml version=\"1.0\" encoding=\"{label}\"?><a>{attack}</a>");
            let html = format!("<html><meta charset=\"{label}\">{attack}");
            let type_of = |media: &str| format!("{media}; charset=\"{label}\"");
            for (text, content_type) in [
                (&xml, None),
                (&xml, Some(type_of("application/xml"))),
                (&html, None),
                (&html, Some(type_of("text/html"))),
                (&html, Some("text/html".to_owned())),
                (&attack.to_owned(), Some(type_of("text/plain"))),
            ] {
                let mut job = Transcode::new().policy(policy);
                if let Some(content_type) = &content_type {
                    job = job.content_type(content_type);
                }
                let mut output = Vec::new();
                let _ = job.run(text.as_bytes(), &mut output);
                let output = String::from_utf8(output).unwrap();
                assert!(!output.contains("<script"), "{label} {policy:?} {content_type:?}: {output}");
            }
        }
        // A person may.
        let mut output = Vec::new();
        Transcode::new().source_encoding(label).unwrap().run(attack.as_bytes(), &mut output).unwrap();
        let is_imap = label.to_lowercase().contains("imap");
        assert_eq!(String::from_utf8(output).unwrap(), if is_imap { attack } else { "<script>" });
    }
}

/// A near miss has the width that the label asks for.
#[test]
fn near_misses_have_the_same_width() {
    let registry = Registry::builtin();
    let near = |label: &str| match registry.codec(label).map_err(|error| error.to_string()) {
        Ok(codec) => panic!("{label} is {}", codec.name()),
        Err(error) => error,
    };
    for (label, never) in
        [("UTF-18", "UTF-8"), ("UCS-3", "UCS-2"), ("EUC-UR", "EUC-KR-"), ("Big-8", "GB"), ("ISO-8859-99", "ISO-2022")]
    {
        assert!(!near(label).contains(never), "{}", near(label));
    }
    assert!(near("EUC-KP").contains("EUC-KR"), "{}", near("EUC-KP"));
    assert!(near("ISO-8559-1").contains("ISO-8859-1"));
}

/// Every built-in codec says what it is for.
#[test]
fn every_codec_has_a_description() {
    let registry = Registry::builtin();
    for codec in registry.codecs() {
        let about = registry.description(codec.name());
        assert!(!about.is_empty() && !about.contains('\t'), "{}", codec.name());
    }
}
