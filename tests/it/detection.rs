//! Tests hints from the caller, and what detection does if the bytes contradict them. The rules themselves have
//! vectors; see `conformance.rs`.

use crate::common::{Outcome, invariant};
use charpipe::detect::{Detector, Hints, Policy};
use charpipe::{Kind, Transcode};

fn ebcdic(page: &str, text: &str) -> Vec<u8> {
    let job = Transcode::new()
        .source_encoding("UTF-8")
        .unwrap()
        .target_encoding(page)
        .unwrap()
        .relabel(charpipe::Relabel::Never);
    let mut bytes = Vec::new();
    job.run(text.as_bytes(), &mut bytes).unwrap();
    bytes
}

fn run(job: &Transcode, input: &[u8]) -> Outcome {
    let outcome = invariant(job, input, "detection");
    assert_eq!(outcome.error, None);
    outcome
}

#[test]
fn a_fallback_is_used_if_nothing_else_decides_and_the_bytes_allow_it() {
    let job = Transcode::new().fallback("ISO-8859-1").unwrap();
    assert_eq!(run(&job, b"\xE9").text(), "é");
    assert_eq!(run(&job, b"<?xml version='1.0'?><a>\xE9</a>").text(), "<?xml version='1.0'?><a>é</a>");
    let declared = "<?xml version='1.0' encoding='UTF-8'?><a>é</a>";
    assert_eq!(run(&job, declared.as_bytes()).text(), declared);
    // ASCII bytes cannot be EBCDIC.
    let job = Transcode::new().fallback("IBM037").unwrap();
    let outcome = run(&job, b"<?xml version='1.0'?><a/>");
    assert_eq!(outcome.text(), "<?xml version='1.0'?><a/>");
    assert!(outcome.faults.contains("fallback-family-conflict"));
    assert_eq!(run(&job, b"\xC1\xC2").text(), "AB");
}

#[test]
fn an_ebcdic_fallback_is_used_if_the_family_allows_it() {
    let document = "<?xml version='1.0'?><a>[é]</a>";
    let job = Transcode::new().ebcdic_fallback("IBM1047").unwrap();
    assert_eq!(run(&job, &ebcdic("IBM1047", document)).text(), document);
    // The katakana family has its letters at other bytes.
    let document = "<?xml version='1.0'?><a>ﾊ</a>";
    assert_eq!(run(&job, &ebcdic("IBM290", document)).text(), document);
}

#[test]
fn a_label_is_corrected_only_if_the_codec_reads_a_declaration() {
    // The encoding that the caller names is used, although it cannot be right, and no label is put into the result.
    let document = b"<?xml version='1.0' encoding='ISO-8859-1'?>?";
    let job = Transcode::new().source_encoding("UTF-16LE").unwrap();
    let outcome = run(&job, document);
    let units: Vec<u16> = document.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    assert_eq!(outcome.text(), String::from_utf16(&units).unwrap());
}

/// In XML, EBCDIC's NEL becomes LF if the target is not EBCDIC, whichever byte the page has for it.
#[test]
fn the_newline_of_ebcdic_xml() {
    let document = ebcdic("IBM1047", "<?xml version='1.0' encoding='IBM1047'?>\u{85}<a>\u{85}</a>\n");
    let text = |job: Transcode| {
        let outcome = run(&job, &document);
        String::from_utf8(outcome.output).unwrap()
    };
    let new = Transcode::new;
    assert_eq!(text(new()), "<?xml version='1.0' encoding='UTF-8'?>\n<a>\n</a>\n");
    let kept = "<?xml version='1.0' encoding='UTF-8'?>\u{85}<a>\u{85}</a>\n";
    assert_eq!(text(new().eol(charpipe::Eol::Keep)), kept);
    assert_eq!(text(new().eol(charpipe::Eol::Crlf)).matches("\r\n").count(), 3);
    assert_eq!(text(new().kind(Kind::Text)), kept.replace("UTF-8", "IBM1047"));
    // Not from EBCDIC to EBCDIC.
    let there = run(&new().target_encoding("IBM037").unwrap(), &document).output;
    assert_eq!(there, ebcdic("IBM037", "<?xml version='1.0' encoding='IBM037'?>\u{85}<a>\u{85}</a>\n"));
}

/// The newline that a label asks for is not changed by an option.
#[test]
fn newline_surfaces() {
    use charpipe::EbcdicNl::{Fold, Table, Zos};
    for (label, option, expected) in [
        ("IBM1047", Table, "\u{85}\n"),
        ("IBM1047", Zos, "\n\u{85}"),
        ("IBM1047", Fold, "\n\n"),
        ("IBM1047,nl=zos", Table, "\n\u{85}"),
        ("IBM1047,nl=zos", Fold, "\n\u{85}"),
        ("IBM1047,nl=fold", Zos, "\n\n"),
        ("IBM1047,nl=table", Zos, "\u{85}\n"),
        ("ibm-1047_LF", Table, "\n\u{85}"),
        ("IBM-1047/ZOS_UNIX", Table, "\n\u{85}"),
        ("ibm-1047,swaplfnl", Table, "\n\u{85}"),
        ("ibm-1047-s390", Table, "\n\u{85}"),
    ] {
        let job = Transcode::new().ebcdic_nl(option);
        assert_eq!(
            run(&job.clone().source_encoding(label).unwrap(), b"\x15\x25").text(),
            expected,
            "{label} {option:?}"
        );
        let back =
            run(&job.source_encoding("UTF-8").unwrap().target_encoding(label).unwrap(), "\n\u{85}".as_bytes()).output;
        let folds = label.ends_with("fold") || (option == Fold && !label.contains("nl="));
        let expected: &[u8] = match expected {
            _ if folds => b"\x15\x15",
            "\n\u{85}" => b"\x15\x25",
            _ => b"\x25\x15",
        };
        assert_eq!(back, expected, "{label} {option:?}");
    }
    let registry = charpipe::Registry::builtin();
    assert!(registry.codec("UTF-8,nl=zos").is_err());
    assert!(registry.codec("日本utf-8").is_err());
}

/// An error of a policy is at the name that it objects to, or at the beginning.
#[test]
fn where_rome_objects() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let utf32 = |text: &str| text.chars().flat_map(|ch| u32::from(ch).to_be_bytes()).collect::<Vec<u8>>();
    let xml = |name: &str| format!("<?xml version='1.0' encoding='{name}'?><r/>");
    let marked = |mark: &[u8], rest: &[u8]| [mark, rest].concat();
    let (utf8_mark, utf16_mark, utf32_mark) = (b"\xEF\xBB\xBF", b"\xFE\xFF", b"\0\0\xFE\xFF");
    let bom = "the byte order mark is that of";
    let (family, name) =
        ("but the declaration is written in another family", "but the declaration names another encoding");
    let forbidden = "RFC 3023 forbids a byte order mark with UTF-16BE and UTF-16LE".to_owned();
    let missing = "the transport says UTF-16, but there is no UTF-16 byte order mark".to_owned();
    for (charset, input, at, why) in [
        ("UTF-16BE", marked(utf16_mark, &utf16("<r/>")), 0, forbidden),
        ("UTF-16", utf16("<r/>"), 0, missing),
        ("", marked(utf8_mark, &utf16(&xml("UTF-8"))), 0, format!("{bom} UTF-8, {family}")),
        ("", marked(utf8_mark, xml("US-ASCII").as_bytes()), 33, format!("{bom} UTF-8, {name}")),
        ("", marked(utf16_mark, xml("UTF-16").as_bytes()), 0, format!("{bom} UTF-16, {family}")),
        ("", marked(utf16_mark, &utf16(&xml("UTF-8"))), 62, format!("{bom} UTF-16, {name}")),
        ("", marked(utf32_mark, xml("UTF-8").as_bytes()), 0, format!("{bom} UCS-4, {family}")),
        ("", marked(utf32_mark, &utf32(&xml("UTF-8"))), 124, format!("{bom} UCS-4, {name}")),
    ] {
        let mut hints = Hints::default();
        hints.policy = Policy::RomeStrict;
        hints.content_type = (!charset.is_empty()).then(|| format!("application/xml; charset={charset}"));
        let mut detector = Detector::new(charpipe::Registry::builtin(), hints);
        detector.feed(&input);
        let error = detector.finish().error.unwrap();
        assert_eq!((error.offset(), error.kind().to_string()), (Some(at), format!("rejected by the policy: {why}")));
    }
}
