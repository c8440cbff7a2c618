//! Tests the mixed pages of EBCDIC: shift codes, damaged pairs, and pairs that stand for several characters. Every case
//! is run whole and at every cut, and every error is at the position that the case names.

use crate::common::{invariant, whole};
use charpipe::{Bom, OnMalformed, OnUnmappable, Relabel, Transcode};

/// Returns a job that converts text without correcting labels.
fn plain(from: &str, to: &str) -> Transcode {
    Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap().relabel(Relabel::Never).bom(Bom::Strip)
}

/// The input, the text, and the malformed bytes with their offsets.
type Case = (&'static [u8], &'static str, &'static [(u64, &'static [u8])]);

#[test]
fn decoding_ibm939() {
    let cases: &[Case] = &[
        (b"\xC1\x0E\x42\xC1\x0F\xC2", "AＡB", &[]),
        // Redundant shift codes.
        (b"\x0F\xC1\x0E\x0E\x42\xC1\x0F\x0F\xC2", "AＡB", &[]),
        (b"\x0E\x0F\x0E\x0F", "", &[]),
        // The input may end in either state.
        (b"\x0E\x42\xC1", "Ａ", &[]),
        (b"\x0E", "", &[]),
        // The input ends inside a pair.
        (b"\x0E\x42\xC1\x42", "Ａ\u{FFFD}", &[(3, b"\x42")]),
        // A shift code interrupts a pair, and still takes effect.
        (b"\x0E\x42\x0F\xC1", "\u{FFFD}A", &[(1, b"\x42")]),
        (b"\x0E\x42\x0E\x42\xC1\x0F\xC1", "\u{FFFD}ＡA", &[(1, b"\x42")]),
        // A byte that is neither a valid trail byte nor a lead byte is a separate error.
        (b"\x0E\x42\x3F\x42\xC1\x0F", "\u{FFFD}\u{FFFD}Ａ", &[(1, b"\x42"), (2, b"\x3F")]),
        (b"\x0E\x42\xFF\x42\xC1\x0F", "\u{FFFD}\u{FFFD}Ａ", &[(1, b"\x42"), (2, b"\xFF")]),
        // A byte that is not a valid trail byte but begins a pair.
        (b"\x0E\x42\x40\x40\x42\xC1", "\u{FFFD}\u{3000}Ａ", &[(1, b"\x42")]),
        (b"\x0E\x40\x42\xC1", "\u{FFFD}Ａ", &[(1, b"\x40")]),
        // An unassigned pair.
        (b"\x0E\x41\x59\x42\xC1", "\u{FFFD}Ａ", &[(1, b"\x41\x59")]),
        // Control characters are malformed inside double-byte text, and do not end it.
        (b"\x0E\x42\xC1\x25\x42\xC1\x0F\x25", "Ａ\u{FFFD}Ａ\n", &[(3, b"\x25")]),
        (b"\x0E\x25\x15\x00", "\u{FFFD}\u{FFFD}\u{FFFD}", &[(1, b"\x25"), (2, b"\x15"), (3, b"\x00")]),
        // An unassigned single byte.
        (b"\xC1\xE1\xC2", "A\u{FFFD}B", &[(1, b"\xE1")]),
    ];
    for (input, expected, bad) in cases {
        let job = plain("IBM939", "UTF-8").on_malformed(OnMalformed::Replace);
        let outcome = invariant(&job, input, &format!("{input:02X?}"));
        assert_eq!(outcome.text(), *expected, "{input:02X?}");
        let mut output = Vec::new();
        let report = job.run(*input, &mut output).unwrap();
        let found: Vec<(u64, Vec<u8>)> =
            report.malformed.first.iter().map(|fault| (fault.offset, fault.bytes.to_vec())).collect();
        let bad: Vec<(u64, Vec<u8>)> = bad.iter().map(|(offset, bytes)| (*offset, bytes.to_vec())).collect();
        assert_eq!(found, bad, "{input:02X?}");
        // Without replacement, the run fails at the first of them.
        let outcome = invariant(&plain("IBM939", "UTF-8"), input, &format!("{input:02X?} fails"));
        assert_eq!(outcome.offset, bad.first().map(|(offset, _)| *offset), "{input:02X?}");
    }
}

#[test]
fn damage_does_not_affect_the_text_after_it() {
    // Tests every pair of bytes after SO, between valid pairs. No valid text after it is lost.
    let job = plain("IBM933", "UTF-8").on_malformed(OnMalformed::Replace);
    for (first, second) in (0..=255).flat_map(|first| (0..=255).map(move |second| (first, second))) {
        let input = [0x0E, 0x42, 0xC1, first, second, 0x0F, 0xC1, 0x0E, 0x42, 0xC2, 0x0F, 0xC2];
        let outcome = whole(&job, &input);
        assert!(outcome.error.is_none());
        let text = outcome.text();
        assert!(text.starts_with('Ａ') && text.ends_with("AＢB"), "{first:02X} {second:02X}: {text}");
    }
}

#[test]
fn encoding_shifts_back_before_controls_and_at_the_end() {
    for (text, expected) in [
        ("AＡB", &b"\xC1\x0E\x42\xC1\x0F\xC2"[..]),
        ("ＡＢ", b"\x0E\x42\xC1\x42\xC2\x0F"),
        ("Ａ\nＡ", b"\x0E\x42\xC1\x0F\x25\x0E\x42\xC1\x0F"),
        ("Ａ\tB", b"\x0E\x42\xC1\x0F\x05\xC2"),
        ("", b""),
    ] {
        let outcome = invariant(&plain("UTF-8", "IBM939"), text.as_bytes(), text);
        assert_eq!(outcome.output, expected, "{text:?}");
    }
}

#[test]
fn replacements_are_written_in_the_shift_state_that_they_need() {
    // A character that the page lists for its single-byte substitute, and one that it doesn't.
    let replace = plain("UTF-8", "IBM939").on_unmappable(OnUnmappable::Replace);
    let outcome = invariant(&replace, "Ａ¹Ａ😀A".as_bytes(), "substitutes");
    assert_eq!(outcome.output, b"\x0E\x42\xC1\x0F\x3F\x0E\x42\xC1\xFE\xFE\x0F\xC1");
    let escape = plain("UTF-8", "IBM939").on_unmappable(OnUnmappable::Escape);
    let outcome = invariant(&escape, "Ａ😀Ａ".as_bytes(), "escapes");
    let back = whole(&plain("IBM939", "UTF-8"), &outcome.output);
    assert_eq!(back.text(), "Ａ\\u{1F600}Ａ");
}

#[test]
fn several_characters_to_one_pair() {
    // IBM 1390: ka with a semi-voiced mark, characters beyond the BMP.
    for (text, expected) in [
        ("か\u{309A}", &b"\x0E\xEC\xB5\x0F"[..]),
        ("か", b"\x0E\x44\x86\x0F"),
        ("かか\u{309A}か", b"\x0E\x44\x86\xEC\xB5\x44\x86\x0F"),
        ("か\u{30}", b"\x0E\x44\x86\x0F\xF0"),
        ("𠀋", b"\x0E\xB3\x42\x0F"),
    ] {
        let outcome = invariant(&plain("UTF-8", "IBM1390"), text.as_bytes(), text);
        assert_eq!(outcome.output, expected, "{text:?}: {:02X?}", outcome.output);
        let back = invariant(&plain("IBM1390", "UTF-8"), expected, text);
        assert_eq!(back.text(), text);
    }
    // The offset of a character that the page lacks is correct, even if earlier characters had to be held back.
    for (text, offset) in [("か😀", 3), ("か\u{309A}😀", 6), ("ab😀か", 2), ("かか😀", 6)] {
        let outcome = invariant(&plain("UTF-8", "IBM1390"), text.as_bytes(), text);
        assert_eq!(outcome.offset, Some(offset), "{text}");
        let replaced = plain("UTF-8", "IBM1390").on_unmappable(OnUnmappable::Escape);
        let outcome = invariant(&replaced, text.as_bytes(), text);
        let back = whole(&plain("IBM1390", "UTF-8"), &outcome.output);
        assert_eq!(back.text(), text.replace('😀', "\\u{1F600}"));
    }
}

#[test]
fn one_way_mappings() {
    // As in ICU, one-way mappings of private-use characters are always used; other ones only with best fit.
    let strict = plain("UTF-8", "IBM930");
    let best_fit = strict.clone().best_fit(true);
    let text = "\u{FF5E}";
    assert_eq!(whole(&strict, text.as_bytes()).offset, Some(0));
    assert_eq!(whole(&best_fit, text.as_bytes()).output, b"\x0E\x43\xA1\x0F");
    // A mapping with `|4` is always used for encoding and never for decoding.
    let newer = plain("UTF-8", "ibm-1388_P100-2024");
    assert_eq!(whole(&newer, "\u{E78D}".as_bytes()).output, b"\x0E\xFC\x90\x0F");
    assert_eq!(whole(&plain("ibm-1388_P100-2024", "UTF-8"), b"\x0E\xFC\x90\x0F").text(), "\u{FE10}");
}
