//! Converts damaged documents: each gives text, or an error with a position. Nothing panics, and the output before an
//! error is what other decoders read there.
//!
//! The documents declare their encoding, one in each encoding that can be declared. Each is cut after every byte, has
//! bits flipped, and bytes lost, doubled and swapped. `CHARPIPE_BENT=1000` flips every bit instead of one in five, and
//! damages each document a thousand times.

use crate::common::broken::{documents, each_damaged};
use crate::common::{sample, whole};
use charpipe::{Eol, ErrorKind, OnMalformed, Relabel, Transcode};
use std::collections::BTreeMap;

/// Decodes with the standard library or encoding_rs: the text before the first error, and the position of the error.
/// Returns `None` for an encoding that neither has.
fn reference(codec: &str, bytes: &[u8]) -> Option<(String, Option<u64>)> {
    let units = |size: usize| bytes.chunks(size).map(move |unit| (unit.len() == size).then_some(unit));
    let utf16 = |read: fn([u8; 2]) -> u16| {
        let mut text = String::new();
        let whole = bytes.chunks_exact(2).map(|unit| read([unit[0], unit[1]]));
        for ch in char::decode_utf16(whole) {
            let Ok(ch) = ch else { return (text.clone(), Some(2 * text.encode_utf16().count() as u64)) };
            text.push(ch);
        }
        let end = 2 * text.encode_utf16().count();
        let is_cut = end < bytes.len();
        (text, is_cut.then_some(end as u64))
    };
    let utf32 = |order: [usize; 4]| {
        let mut text = String::new();
        for (index, unit) in units(4).enumerate() {
            let code = unit.map(|unit| order.iter().fold(0, |code, at| code << 8 | u32::from(unit[*at])));
            let Some(ch) = code.and_then(char::from_u32) else { return (text, Some(4 * index as u64)) };
            text.push(ch);
        }
        (text, None)
    };
    Some(match codec {
        "UTF-8" => {
            let chunk = bytes.utf8_chunks().next();
            let (valid, is_all) = chunk.map_or(("", true), |chunk| (chunk.valid(), chunk.invalid().is_empty()));
            (valid.to_owned(), (!is_all).then_some(valid.len() as u64))
        }
        "UTF-16BE" | "UTF-16" | "ISO-10646-UCS-2" => utf16(u16::from_be_bytes),
        "UTF-16LE" => utf16(u16::from_le_bytes),
        "UTF-32BE" | "UTF-32" | "ISO-10646-UCS-4" => utf32([0, 1, 2, 3]),
        "UTF-32LE" => utf32([3, 2, 1, 0]),
        "X-ISO-10646-UCS-4-2143" => utf32([1, 0, 3, 2]),
        "X-ISO-10646-UCS-4-3412" => utf32([2, 3, 0, 1]),
        _ => return by_encoding_rs(codec, bytes),
    })
}

#[cfg(not(feature = "whatwg"))]
fn by_encoding_rs(_codec: &str, _bytes: &[u8]) -> Option<(String, Option<u64>)> {
    None
}

#[cfg(feature = "whatwg")]
fn by_encoding_rs(codec: &str, bytes: &[u8]) -> Option<(String, Option<u64>)> {
    use encoding_rs::{DecoderResult, Encoding};

    // Some names mean different encodings to IANA and to the web. encoding_rs has another name for such an encoding, so
    // it is not compared.
    let encoding = Encoding::for_label(codec.as_bytes()).filter(|encoding| encoding.name() == codec)?;
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(4 * bytes.len() + 64);
    Some(match decoder.decode_to_string_without_replacement(bytes, &mut text, true) {
        (DecoderResult::Malformed(len, after), read) => {
            let at = read - usize::from(len) - usize::from(after);
            (text, Some(at as u64))
        }
        _ => (text, None),
    })
}

#[test]
fn every_run_ends_in_text_or_in_an_error_with_an_offset() {
    let mut ends: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut compared = 0;
    let job = Transcode::new().relabel(Relabel::Never).eol(Eol::Keep);
    for document in sample::one_in(6, "broken documents", documents()) {
        each_damaged(&document, |what, bytes| {
            let mut output = Vec::new();
            let result = job.run(bytes, &mut output);
            let text = String::from_utf8(output).unwrap_or_else(|_| panic!("{what}: the output is not UTF-8"));
            let mut transcoder = job.transcoder().unwrap();
            let ran = transcoder.run(&mut &*bytes, &mut Vec::new());
            assert_eq!(ran.is_ok(), result.is_ok(), "{what}");
            let report = transcoder.report();
            let (code, offset) = match &result {
                Ok(_) => ("none", None),
                Err(error) => {
                    let offset = error.offset().unwrap_or_else(|| panic!("{what}: no offset in {error}"));
                    assert!(offset <= bytes.len() as u64, "{what}: {error}");
                    assert!(!matches!(error.kind(), ErrorKind::Codec { .. }), "{what}: {error}");
                    (error.code(), Some(offset))
                }
            };
            *ends.entry(code).or_default() += 1;
            // Only decoding is compared here; detection has its own vectors.
            let codec = report.from.as_deref().filter(|_| matches!(code, "none" | "malformed"));
            let bom = report.verdict.as_ref().map_or(0, |verdict| verdict.bom().map_or(0, |bom| bom.len()));
            if let Some((expected, at)) = codec.and_then(|codec| reference(codec, &bytes[bom..])) {
                assert_eq!(text, expected, "{what}");
                assert_eq!(offset, at.map(|at| at + bom as u64), "{what}");
                compared += 1;
            }
        });
    }
    eprintln!("{ends:?}, {compared} compared");
    // There must be enough outcomes of each kind, or the test would prove nothing.
    let part = if sample::is_full() { 1 } else { 10 };
    let least = [("none", 10_000), ("malformed", 5_000), ("unknown-label", 1_000)];
    assert!(least.iter().all(|(end, count)| ends[end] > count / part), "{ends:?}");
    assert!(compared > 10_000 / part, "{compared} compared");
}

/// The output before the error is the same as the beginning of the output with malformed bytes replaced.
#[test]
fn output_before_an_error_equals_output_with_replacement() {
    for document in sample::one_in(4, "replacing", documents().into_iter().step_by(7)) {
        let job = Transcode::new().relabel(Relabel::Never);
        let mut count = 0;
        each_damaged(&document, |what, bytes| {
            count += 1;
            if count % 2 != 0 {
                return;
            }
            let failing = whole(&job, bytes);
            let replacing = whole(&job.clone().on_malformed(OnMalformed::Replace), bytes);
            assert!(replacing.output.starts_with(&failing.output), "{what}");
            assert_eq!(failing.verdict, replacing.verdict, "{what}");
            if replacing.faults == failing.faults {
                assert_eq!(failing.output, replacing.output, "{what}");
            }
        });
    }
}
