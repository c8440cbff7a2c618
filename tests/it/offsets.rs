//! Tests that an error has the offset of its first byte in the original input, regardless of the stages before the
//! error.

use crate::common;

use crate::common::{invariant, whole};
use charpipe::{Eol, ErrorKind, Kind, OnMalformed, OnUnmappable, Transcode};

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Returns the offset of the first unmappable character, and the character.
#[track_caller]
fn unmappable(job: &Transcode, input: &[u8]) -> (u64, char) {
    invariant(job, input, "unmappable");
    match job.run(input, std::io::sink()).unwrap_err().kind() {
        ErrorKind::Unmappable { offset, ch, .. } => (*offset, *ch),
        kind => panic!("{kind:?}"),
    }
}

#[test]
fn unmappable_characters() {
    let job = Transcode::new().target_encoding("IBM037").unwrap();
    assert_eq!(unmappable(&job, "ab€".as_bytes()), (2, '€'));
    assert_eq!(unmappable(&job, "\u{FEFF}é😀".as_bytes()), (5, '😀'));
    let latin1 = Transcode::new().target_encoding("ISO-8859-1").unwrap();
    assert_eq!(unmappable(&latin1, &[b"\xFF\xFE", &utf16le("aé漢")[..]].concat()), (6, '漢'));
    let ascii = Transcode::new().source_encoding("IBM1047").unwrap().target_encoding("US-ASCII").unwrap();
    assert_eq!(unmappable(&ascii, b"\x81\x82\x51"), (2, 'é'));
    let ucs2 = Transcode::new().source_encoding("UTF-16LE").unwrap().target_encoding("ISO-10646-UCS-2").unwrap();
    assert_eq!(unmappable(&ucs2, &utf16le("漢😀x")), (2, '😀'));
}

#[test]
fn offsets_after_stages_and_inserted_text() {
    for eol in [Eol::Lf, Eol::Crlf, Eol::Nel] {
        let job = Transcode::new().target_encoding("ISO-8859-1").unwrap().eol(eol);
        assert_eq!(unmappable(&job, "a\r\nb\rc\r\n\u{85}€".as_bytes()), (10, '€'), "{eol:?}");
    }
    let job = Transcode::new().target_encoding("ISO-8859-1").unwrap().on_malformed(OnMalformed::Escape);
    assert_eq!(unmappable(&job, b"a\xFF\xFE\xE2\x82b\xE2\x82\xAC"), (6, '€'));
    // Corrected or inserted declarations do not change the offset, which counts bytes of the input.
    let declared = "<?xml version='1.0'?><a>€</a>";
    let job = Transcode::new().target_encoding("IBM037").unwrap().on_unmappable(OnUnmappable::Fail);
    assert_eq!(unmappable(&job, declared.as_bytes()), (declared.find('€').unwrap() as u64, '€'));
    assert_eq!(unmappable(&job.kind(Kind::Xml), "<a>€</a>".as_bytes()), (3, '€'));
    // US-ASCII lacks EBCDIC's NEL, except in XML, where NEL is white space and becomes LF.
    let job = Transcode::new().source_encoding("IBM1047").unwrap().target_encoding("US-ASCII").unwrap();
    assert_eq!(unmappable(&job, b"\x81\x15"), (1, '\u{85}'));
    assert_eq!(whole(&job.kind(Kind::Xml), b"\x81\x15").text(), "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>a\n");
}

#[test]
fn offsets_far_into_an_input() {
    for from in ["UTF-8", "UTF-16LE"] {
        let text = "añb".repeat(100_000) + "€";
        let input = if from == "UTF-8" { text.into_bytes() } else { utf16le(&text) };
        let job = Transcode::new().source_encoding(from).unwrap().target_encoding("IBM037").unwrap();
        let euro = if from == "UTF-8" { 3 } else { 2 };
        for chunk in [1, 1000, 65_537] {
            let mut cuts = std::iter::repeat(chunk);
            let outcome = common::drive(&job, &input, &mut cuts, &mut std::iter::repeat(5000), false);
            assert_eq!(outcome.offset, Some(input.len() as u64 - euro));
            assert_eq!(outcome.output.len(), 300_000);
        }
    }
}

/// The error message names the byte offset and the bytes.
#[test]
fn malformed_bytes() {
    for (from, input, good, message) in [
        ("UTF-8", &b"ab\xE2\x82c"[..], "ab", "byte 2: E2 82 is not valid UTF-8"),
        ("UTF-8", b"a\xC0\xAF", "a", "byte 1: C0 is not valid UTF-8"),
        ("UTF-8", b"a\xED\xA0\x80", "a", "byte 1: ED is not valid UTF-8"),
        ("UTF-16LE", b"a\0\x00\xD8b\0", "a", "byte 2: 00 D8 is not valid UTF-16LE"),
        ("UTF-16BE", b"\0a\0", "a", "byte 2: 00 is not valid UTF-16BE"),
        ("UTF-32BE", b"\0\0\0a\0\x11\0\0", "a", "byte 4: 00 11 00 00 is not valid UTF-32BE"),
        ("UCS-4-3412", b"\0a\0\0\0\0\0", "a", "byte 4: 00 00 00 is not valid X-ISO-10646-UCS-4-3412"),
        ("IBM290", b"\x62\xE1", "a", "byte 1: E1 is not valid IBM290"),
        ("US-ASCII", b"a\x80", "a", "byte 1: 80 is not valid US-ASCII"),
    ] {
        let outcome = invariant(&Transcode::new().source_encoding(from).unwrap(), input, from);
        assert_eq!(outcome.text(), good);
        assert_eq!(outcome.error.as_deref(), Some(message));
    }
}

/// The replacement of malformed bytes is encoded in the target: as U+FFFD or, if the target lacks it, as its
/// substitute.
#[test]
fn replacements_are_encoded_in_the_target() {
    let input = b"a\xFFb";
    for (to, expected) in [
        ("UTF-8", "a\u{FFFD}b".as_bytes()),
        ("UTF-16BE", b"\0a\xFF\xFD\0b"),
        ("IBM037", b"\x81\x3F\x82"),
        ("US-ASCII", b"a\x1Ab"),
    ] {
        let job = Transcode::new()
            .source_encoding("UTF-8")
            .unwrap()
            .target_encoding(to)
            .unwrap()
            .on_malformed(OnMalformed::Replace);
        assert_eq!(invariant(&job, input, to).output, expected);
    }
    let escape = Transcode::new()
        .source_encoding("UTF-8")
        .unwrap()
        .target_encoding("IBM037")
        .unwrap()
        .on_malformed(OnMalformed::Escape);
    // `\` is E0 in page 37.
    assert_eq!(invariant(&escape, input, "escape").output, b"\x81\xE0\xA7\xC6\xC6\x82");
    // U+FFFD in the input itself is an ordinary character, and page 37 lacks it.
    let job = Transcode::new().target_encoding("IBM037").unwrap().on_malformed(OnMalformed::Replace);
    assert_eq!(unmappable(&job, "a\u{FFFD}".as_bytes()), (1, '\u{FFFD}'));
}

#[test]
fn ucs2_with_surrogates() {
    let input = [utf16le("<?xml version='1.0' encoding='ISO-10646-UCS-2'?><a>é"), utf16le("😀</a>")].concat();
    let outcome = invariant(&Transcode::new(), &input, "ucs2");
    assert!(outcome.error.is_none() && outcome.text().ends_with("é😀</a>"));
    assert!(outcome.faults.contains("ucs2-surrogates"), "{}", outcome.faults);
    let strict = invariant(&Transcode::new().strict(true), &input, "ucs2 strict");
    assert_eq!(strict.offset, Some(utf16le("<?xml version='1.0' encoding='ISO-10646-UCS-2'?><a>é").len() as u64));
    assert!(strict.text().ends_with("<a>é"));
}

/// If the caller names the encoding, only that encoding's own BOM is removed, even if the first bytes look like another
/// one.
#[test]
fn a_bom_with_a_given_source_encoding() {
    for (from, input, text) in [
        ("UTF-16", &b"\xFF\xFE\0\0a\0"[..], "\0a"),
        ("UTF-16LE", b"\xFF\xFE\0\0a\0", "\0a"),
        ("UTF-32", b"\xFF\xFE\0\0a\0\0\0", "a"),
        ("ISO-10646-UCS-4", b"\0\0\xFF\xFE\0\0a\0", "a"),
        ("UTF-16", b"\xFE\xFF\0\0", "\0"),
        ("UTF-16", b"\0a", "a"),
        ("UTF-16", b"<\0?\0", "<?"),
        ("UTF-8", b"\xEF\xBB\xBFa", "a"),
        ("ISO-8859-1", b"\xEF\xBB\xBFa", "ï»¿a"),
        ("ISO-8859-1", b"\xFF", "ÿ"),
    ] {
        let outcome = invariant(&Transcode::new().source_encoding(from).unwrap(), input, from);
        let foreign = text.starts_with('ï');
        assert_eq!(outcome.faults.contains("charset-bom-conflict"), foreign, "{}", outcome.faults);
        assert_eq!(outcome.text(), text, "{from}");
    }
}

/// The replacement of malformed bytes separates a CR from an LF. If the bytes are dropped, CR and LF are one newline.
#[test]
fn line_endings_around_malformed_bytes() {
    for (policy, text) in
        [(OnMalformed::Replace, "a\n\u{FFFD}\nb"), (OnMalformed::Escape, "a\n\\xFF\nb"), (OnMalformed::Drop, "a\nb")]
    {
        let job = Transcode::new().eol(Eol::Lf).on_malformed(policy);
        assert_eq!(invariant(&job, b"a\r\xFF\nb", "eol").text(), text);
    }
}

/// If a record ends with malformed bytes, an error at the beginning of the next record belongs to the next record.
#[test]
fn a_record_that_ends_with_malformed_bytes() {
    let job = Transcode::new()
        .source_encoding("UTF-8")
        .unwrap()
        .records("fb:3".parse().unwrap())
        .on_malformed(OnMalformed::Replace);
    let job = job.on_control(charpipe::OnControl::Drop);
    invariant(&job, b"ab\xE6\0cd", "control");
    let controls = job.run(&b"ab\xE6\0cd"[..], std::io::sink()).unwrap().controls.unwrap();
    let place = controls.first[0].record.unwrap();
    assert_eq!((controls.first[0].offset, place.number, place.column), (3, 2, 1));
}

/// The offset is also right after malformed bytes, regardless of their policy.
#[test]
fn the_hint_about_nel_has_its_offset() {
    for policy in [OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape] {
        let job = Transcode::new().source_encoding("IBM281").unwrap().on_malformed(policy);
        let input = [&b"\xC1\x8E\x8E\xC2"[..], &[0x8E; 40], b"\xC3\x15\x8E\x15\xC4\x8E"].concat();
        invariant(&job, &input, "NEL");
        let report = job.run(&input[..], std::io::sink()).unwrap();
        let found: Vec<_> = report.diagnostics.iter().map(|note| (note.code, note.offset)).collect();
        assert_eq!((found, report.malformed.count), (vec![("nel-kept", 45)], 44), "{policy:?}");
        // With an ordinary newline there is no hint.
        let input = [&input[..], b"\x25\x8E\xC1"].concat();
        let outcome = invariant(&job, &input, "LF");
        assert!(outcome.error.is_none() && !outcome.faults.contains("nel-kept"));
    }
}
