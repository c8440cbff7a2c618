//! Converts input that was crafted to deceive: the vectors of `spec/security.tsv`, and properties of every charset.

use crate::common::vectors::rows;
use crate::common::{encode, invariant, sample, whole};
use charpipe::codec::decode_strictly;
use charpipe::registry::Registry;
use charpipe::{OnMalformed, Transcode};

fn policy(name: &str) -> OnMalformed {
    match name {
        "fail" => OnMalformed::Fail,
        "replace" => OnMalformed::Replace,
        "drop" => OnMalformed::Drop,
        other => panic!("{other}"),
    }
}

#[test]
fn vectors() {
    let rows = rows("security.tsv");
    assert!(rows.len() > 70);
    let registry = Registry::builtin();
    for row in rows {
        let what = &row["id"];
        if ["from", "to"].iter().any(|column| &row[column] != "-" && registry.codec(&row[column]).is_err()) {
            assert_ne!((cfg!(feature = "whatwg"), cfg!(feature = "dos")), (true, true), "{what}");
            continue;
        }
        let mut job = Transcode::new().target_encoding(&row["to"]).unwrap().on_malformed(policy(&row["malformed"]));
        if &row["from"] != "-" {
            job = job.source_encoding(&row["from"]).unwrap();
        }
        let input = row.bytes("input");
        let to = registry.codec(&row["to"]).unwrap();
        let expected = encode(&*to, &row.text("output").unwrap_or_default());
        let code = |job: &Transcode| job.run(&input[..], std::io::sink()).map_or_else(|error| error.code(), |_| "-");
        let outcome = invariant(&job, &input, what);
        assert_eq!((outcome.output == expected, code(&job)), (true, &row["error"]), "{what}: {outcome:?}");
        if what.starts_with("hidden-") || what.starts_with("declared-") {
            // Guessing makes no difference.
            let guessing = job.guess(true);
            let outcome = whole(&guessing, &input);
            assert_eq!((outcome.output == expected, code(&guessing)), (true, &row["error"]), "{what}: {outcome:?}");
        }
    }
}

/// The same inside long valid text, at every position in a vector register: the kernels are as strict as the slow code.
#[test]
fn vectors_inside_long_text() {
    let registry = Registry::builtin();
    let mut seen = 0;
    for row in rows("security.tsv").iter().filter(|row| &row["malformed"] == "replace" && &row["error"] == "-") {
        let Ok(from) = registry.codec(&row["from"]) else { continue };
        let job = Transcode::new().source_encoding(&row["from"]).unwrap().on_malformed(OnMalformed::Replace);
        for before in (0..130).chain([1000, 4095, 4096]) {
            let (head, tail) = ("<p>".repeat(before), "</p>".repeat(70));
            let input = [encode(&*from, &head), row.bytes("input"), encode(&*from, &tail)].concat();
            assert_eq!(
                converted(&job, &input),
                head + &row.text("output").unwrap_or_default() + &tail,
                "{} {before}",
                &row["id"]
            );
        }
        seen += 1;
    }
    assert!(seen > 15);
}

/// Converts `input`, with errors replaced. Panics if the result is not text.
fn converted(job: &Transcode, input: &[u8]) -> String {
    let mut output = Vec::new();
    job.run(input, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// In every charset that contains ASCII, no one or two bytes before a markup character can swallow it.
#[test]
fn no_error_swallows_markup() {
    let markup = b"\"'<>&/=; \n";
    let mut seen = 0;
    for codec in sample::codecs("markup") {
        let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(OnMalformed::Replace);
        let is_ascii = |job: &Transcode| converted(job, markup).as_bytes() == markup;
        if !is_ascii(&job) {
            continue;
        }
        seen += 1;
        for first in 0x80..=0xFF {
            for second in std::iter::once(None).chain((0x30..=0xFF).step_by(13).map(Some)) {
                let lead: Vec<u8> = std::iter::once(first).chain(second).collect();
                // All markup characters after the same bytes, with valid text between.
                let mut input = Vec::new();
                for sign in markup {
                    input.extend_from_slice(&lead);
                    input.extend_from_slice(&[*sign, b'\n', b'\n', b'\n', b'\n']);
                }
                let (text, own) = (converted(&job, &input), converted(&job, &lead));
                for sign in &markup[..9] {
                    let sign = char::from(*sign);
                    let count = text.matches(sign).count();
                    if count == 1 + own.matches(sign).count() * markup.len() {
                        continue;
                    }
                    // In ISO 6937, C2 20 is an acute accent by itself.
                    // In windows-20932, which has pairs such as B2 22, the character may begin at the second byte.
                    let is_char = (0..lead.len()).any(|at| {
                        decode_strictly(&*codec, &[&lead[at..], &[sign as u8]].concat())
                            .is_some_and(|text| !text.contains(sign))
                    });
                    assert!(is_char, "{}: {lead:02X?} {sign:?}: {text:?}", codec.name());
                }
            }
        }
    }
    // Most charsets that contain ASCII are those of the web.
    let least = if cfg!(feature = "whatwg") { 5 } else { 2 };
    assert!(seen > least, "{seen}");
}

/// The same for EBCDIC: an unassigned byte and half a pair swallow nothing.
#[test]
fn no_error_swallows_markup_in_ebcdic() {
    let mut seen = 0;
    for codec in sample::codecs("markup in EBCDIC") {
        let [open, close] = ["<", ">"].map(|sign| encode(&*codec, sign));
        if open != [0x4C] || close != [0x6E] {
            continue;
        }
        seen += 1;
        let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(OnMalformed::Replace);
        for byte in 0x40..=0xFF {
            // Between shift codes it is half a pair.
            for damage in [&[byte][..], &[0x0E, byte, 0x0F]] {
                let text = converted(&job, &[&[0x4C][..], damage, &[0x6E]].concat());
                assert!(text.starts_with('<') && text.ends_with('>'), "{}: {damage:02X?}: {text}", codec.name());
            }
        }
    }
    assert!(seen > if sample::is_full() { 50 } else { 10 }, "{seen}");
}

/// No codec decodes any input to a surrogate.
#[test]
fn decoded_output_is_valid_text() {
    for codec in sample::codecs("surrogates") {
        let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(OnMalformed::Replace);
        for first in 0..=0xFFu8 {
            let input: Vec<u8> = (0..=0xFFu8).flat_map(|second| [first, second, 0xD8, 0xDC, second]).collect();
            assert!(!converted(&job, &input).is_empty(), "{} {first:02X}", codec.name());
        }
    }
}
