//! Tests input that is not recognised as text, and is copied.

use crate::common::shapes::Dice;
use crate::common::{invariant, whole};
use charpipe::detect::statistics::may_be_binary;
use charpipe::detect::{Hints, Looks};
use charpipe::records::Shape;
use charpipe::{Detector, OnMalformed, OnUnknown, Registry, Transcode};
use std::num::NonZeroUsize;

fn pass() -> Transcode {
    Transcode::new().on_unknown(OnUnknown::Pass)
}

const WINDOW: usize = 64 * 1024;

#[test]
fn what_is_not_text_is_copied() {
    for input in [
        &b"\x1F\x8B\x08\0\0\0\0\0\0\x03abc\xFF"[..],
        b"\x7FELF\x02\x01\x01\0\0\0",
        b"caf\xE9 na\xEFve",
        b"\xC8\x85\x93\x93\x96",
        b"\xFF",
    ] {
        let outcome = invariant(&pass(), input, &format!("{input:X?}"));
        assert_eq!((&outcome.output[..], &outcome.error), (input, &None));
        let report = pass().run(input, std::io::sink()).unwrap();
        assert!(report.passed && report.from.is_none(), "{input:X?}");
        assert_eq!((report.bytes_in, report.bytes_out), (input.len() as u64, input.len() as u64));
    }
}

#[test]
fn what_is_text_is_converted() {
    let to = pass().target_encoding("UTF-16BE").unwrap();
    for (input, expected) in [
        (&b""[..], ""),
        (b"plain", "plain"),
        ("é".as_bytes(), "é"),
        // Control characters do not make it binary.
        (b"a\x01\x02\0b", "a\x01\x02\0b"),
        (b"\xFE\xFF\0a", "a"),
        (
            b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>",
            "<?xml version='1.0' encoding='UTF-16BE'?><a>é</a>",
        ),
    ] {
        let outcome = invariant(&to, input, &format!("{input:X?}"));
        let expected: Vec<u8> = expected.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((outcome.output, outcome.error), (expected, None), "{input:X?}");
    }
    // A user names it, or a fallback does.
    let named = pass().source_encoding("ISO-8859-1").unwrap();
    assert_eq!(invariant(&named, b"caf\xE9", "named").text(), "café");
    let fallback = pass().fallback("ISO-8859-1").unwrap();
    assert_eq!(invariant(&fallback, b"caf\xE9", "fallback").text(), "café");
    let fallbacks = pass().fallbacks(["UTF-8", "ISO-8859-1"]).unwrap();
    assert_eq!(invariant(&fallbacks, b"caf\xE9", "fallbacks").text(), "café");
    // But what begins like a format that is not text is none.
    let gzip = b"\x1F\x8B\x08\0\0\0\0\0\0\x03abc\xFF";
    for job in [fallback, fallbacks] {
        assert_eq!(invariant(&job, gzip, "gzip").output, gzip);
    }
}

/// The choice is made in the window; a bad byte after it is malformed.
#[test]
fn the_choice_is_made_in_the_window() {
    let input = |len: usize| [vec![b'a'; len], b"\xFFb".to_vec()].concat();
    let inside = input(WINDOW - 2);
    assert!(whole(&pass(), &inside).output == inside);
    let outcome = whole(&pass(), &input(WINDOW));
    assert_eq!((outcome.offset, outcome.output.len()), (Some(WINDOW as u64), WINDOW));
    let outcome = whole(&pass().on_malformed(OnMalformed::Drop), &input(WINDOW));
    assert_eq!((outcome.offset, outcome.output.len()), (None, WINDOW + 1));
    let long = [b"\x1F\x8B\x08\0\xFF".to_vec(), vec![0xFE; 3 * WINDOW]].concat();
    for jobs in [1, 3] {
        let mut output = Vec::new();
        pass().jobs(NonZeroUsize::new(jobs).unwrap()).block_bytes(10_000).run(&long[..], &mut output).unwrap();
        assert!(output == long);
    }
    // XML has an encoding without a label.
    let outcome = invariant(&pass(), b"<?xml version='1.0'?><a>\xE9</a>", "XML");
    assert_eq!(outcome.offset, Some(24));
    // Records are copied as they are.
    let records = pass().records(Shape::Fixed { lrecl: 4 });
    let outcome = invariant(&records, b"ab\xFF\xFEcdef", "records");
    assert_eq!(outcome.output, b"ab\xFF\xFEcdef");
}

/// Everything that a detector reports as binary also passes the quick check for binary bytes; most text does not.
#[test]
fn what_may_be_binary_is_seen_at_once() {
    let mut dice = Dice::new(5);
    let starts: [&[u8]; 6] = [b"", b"%PDF-1.4", b"GIF89a", b"\xEF\xBB\xBF", b"\xFF\xD8\xFF", b"caf\xE9 "];
    let (mut binary, mut plain) = (0, 0);
    for round in 0..3000 {
        let bytes = [b'e', b' ', b'\n', 0xE9, 0x81, 0x40, 0x1B, 0, 0x1A, 7];
        let kinds = 3 + dice.below(bytes.len() - 2);
        let len = dice.below(400);
        let rest = (0..len).map(|_| bytes[dice.below(kinds)]);
        let input: Vec<u8> = starts[round % starts.len()].iter().copied().chain(rest).collect();
        let mut detector = Detector::new(Registry::builtin(), Hints::default());
        detector.feed(&input);
        let is_binary = detector.finish().looks == Some(Looks::Binary);
        assert!(may_be_binary(&input) || !is_binary, "{input:X?}");
        binary += usize::from(is_binary);
        plain += usize::from(!may_be_binary(&input));
    }
    assert!(binary > 100 && plain > 100, "{binary} are binary, {plain} cannot be");
}
