//! Looks up every name that other converters have for a charset: `spec/peer-labels.tsv` says which codec it means, or
//! why it is refused. `CHARPIPE_WRITE_LABELS=1` writes these columns anew.

use crate::common::vectors::{is_typed, rows};
use charpipe::detect::{Policy, Source};
use charpipe::{Bom, ErrorKind, Registry, Transcode};
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
        // A user may.
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

/// Every built-in codec has a description.
#[test]
fn every_codec_has_a_description() {
    let registry = Registry::builtin();
    for codec in registry.codecs() {
        let about = registry.description(codec.name());
        assert!(!about.is_empty() && !about.contains('\t'), "{}", codec.name());
    }
}

/// The names of databases, editors and shells mean the charset that `labels.tsv` says, or are refused with a reason. A
/// document may not use them.
#[test]
fn names_that_people_type_are_not_for_documents() {
    let registry = Registry::builtin();
    let mut count = 0;
    for row in rows("labels.tsv").iter().filter(|row| is_typed(row)) {
        let (name, expected) = (&row["label"], &row["codec"]);
        let (codec, reason) = meaning(&registry, name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(codec, *expected, "{name}");
        assert_eq!(codec == "-", reason != "-", "{name}");
        let document = format!("<?xml version='1.0' encoding='{name}'?><a/>");
        for policy in [Policy::Rfc7303, Policy::Whatwg] {
            let report = Transcode::new().policy(policy).run(document.as_bytes(), std::io::sink());
            let verdict = report.ok().and_then(|report| report.verdict);
            let is_believed = verdict.is_some_and(|verdict| verdict.source == Some(Source::Declaration));
            assert!(!is_believed, "{name} {policy:?}");
        }
        count += 1;
    }
    assert!(count > 200, "{count}");
}

/// PostgreSQL's names that are labels anyway.
#[test]
fn names_of_databases_that_are_labels() {
    let registry = Registry::builtin();
    for (name, codec) in [
        ("LATIN1", "ISO-8859-1"),
        ("LATIN10", "ISO-8859-16"),
        ("EUC_JP", "EUC-JP"),
        ("EUC_JIS_2004", "EUC-JIS-2004"),
        ("SJIS", "Shift_JIS"),
        ("UHC", "EUC-KR"),
        ("JOHAB", "JOHAB"),
        ("KOI8", "KOI8-R"),
        ("UTF8", "UTF-8"),
        ("eucjpms", "eucJP-ms"),
        ("28591", "ISO-8859-1"),
        ("65001", "UTF-8"),
        ("1200", "UTF-16BE"),
        ("windows-1200", "UTF-16LE"),
    ] {
        assert_eq!(registry.codec(name).unwrap().name(), codec, "{name}");
    }
    // A number alone is IBM's, so SAP's 1160 (windows-1252) is Thai.
    assert_eq!(registry.codec("1160").unwrap().name(), "IBM1160");
}

/// A name that asks for a byte order mark writes one, unless an option says otherwise; as a source it takes one away.
#[test]
fn names_with_a_byte_order_mark() {
    let convert = |from: &str, to: &str, bom: Option<Bom>, input: &[u8]| {
        let mut job = Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap();
        if let Some(bom) = bom {
            job = job.bom(bom);
        }
        let mut output = Vec::new();
        let report = job.run(input, &mut output).unwrap();
        assert!(!report.from.unwrap().contains("bom"), "{from}");
        output
    };
    for name in ["utf8-bom", "utf-8-sig", "UTF8BOM", "utf_8_sig", "UTF-8 with BOM", "utf-8-with-signature-unix"] {
        assert_eq!(convert("latin1", name, None, b"\xE9"), "\u{FEFF}é".as_bytes(), "{name}");
        assert_eq!(convert("latin1", name, Some(Bom::Strip), b"\xE9"), "é".as_bytes(), "{name}");
        assert_eq!(convert(name, "latin1", None, "\u{FEFF}é".as_bytes()), b"\xE9", "{name}");
        assert_eq!(convert(name, "latin1", None, "é".as_bytes()), b"\xE9", "{name}");
        assert_eq!(convert(name, name, None, "é".as_bytes()), "\u{FEFF}é".as_bytes(), "{name}");
        let job = Transcode::new().target_encoding(name).unwrap();
        assert_eq!(job.encode("é").unwrap(), "\u{FEFF}é".as_bytes(), "{name}");
        assert_eq!(job.decode("é".as_bytes()).unwrap(), "\u{FEFF}é", "{name}");
    }
    assert_eq!(convert("latin1", "utf-16le-bom", None, b"a"), b"\xFF\xFEa\0");
    assert_eq!(convert("utf-16be-with-signature", "UTF-8", None, b"\xFE\xFF\0a"), b"a");
    let document = b"<?xml version='1.0' encoding='UTF-8'?><a/>";
    let marked = convert("UTF-8", "UCS-2 LE BOM", None, b"a");
    assert_eq!(marked, b"\xFF\xFEa\0");
    let text = convert("UTF-8", "UTF-16LE-BOM", None, document);
    assert!(
        String::from_utf16_lossy(
            &text.chunks(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect::<Vec<_>>()
        )
        .contains("encoding='UTF-16'")
    );
}

/// Similar names are suggested for every kind of mistake.
#[test]
fn mistakes_in_names_are_understood() {
    let registry = Registry::builtin();
    for (label, near) in [
        ("cp1O47", "IBM1047"),
        ("cpl047", "IBM1047"),
        ("ibm-l047", "IBM1047"),
        ("cpIO47", "IBM1047"),
        ("windows-l252", "windows-1252"),
        ("1atin1", "latin1"),
        ("WE8MSWIN125", "WE8MSWIN1252"),
        ("utf8mb", "utf8mb3"),
        ("iso8859l5", "ISO-8859-15"),
    ] {
        let error = registry.codec(label).unwrap_err();
        let ErrorKind::UnknownLabel { near: found, .. } = error.kind() else { panic!("{error}") };
        assert_eq!(found.first().map_or("", String::as_str), near, "{label}: {found:?}");
    }
}
