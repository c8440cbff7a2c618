//! Tests detection: however the input is cut, the verdict is the same, and the bytes that were read are returned.

#![no_main]

use charpipe::detect::statistics::WINDOW;
use charpipe::detect::{Hints, Policy};
use charpipe::{Detector, Kind, Registry};
use charpipe_fuzz::{Choices, Cuts};
use libfuzzer_sys::fuzz_target;

/// The latest possible end of a complete declaration: 4096 characters of four bytes, after a byte order mark.
const DECLARATION: usize = 4 * 4096 + 4;

/// The same, also counting the window of statistics and of the search for a `meta`.
const BOUND: usize = if WINDOW + 4 > DECLARATION { WINDOW + 4 } else { DECLARATION };

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let cuts = Cuts::new(&mut choices);
    let charsets = [None, Some("utf-8"), Some("UTF-16"), Some("IBM037"), Some("nothing"), Some("")];
    let content_types =
        [None, Some("text/xml"), Some("application/xml"), Some("text/html"), Some("text/plain; charset=koi8-r")];
    let mut hints = Hints::default();
    hints.policy = *choices.one(Policy::ALL);
    hints.content_type = choices.one(&content_types).map(str::to_owned);
    hints.prescan = *choices.one(&[None, Some(0), Some(40)]);
    hints.guess = choices.byte() % 2 == 1;
    hints.from = choices.codec_or_none().cloned();
    hints.charset = choices.one(&charsets).map(str::to_owned);
    hints.kind = *choices.one(&[None, Some(Kind::Xml), Some(Kind::Html), Some(Kind::Text)]);
    hints.fallback = choices.codec_or_none().cloned();
    hints.ebcdic_fallback = choices.codec_or_none().cloned();
    hints.strict = choices.byte() % 2 == 1;
    let detector = || Detector::new(Registry::builtin(), hints.clone());
    let input = choices.payload();

    let mut whole = detector();
    let taken = whole.feed(input);
    assert!(taken == input.len() || whole.is_done());
    let expected = whole.finish();
    assert_eq!(whole.prefix(), &input[..taken]);
    assert!(taken <= BOUND, "{taken} bytes taken");
    assert!(expected.codec.is_some() || expected.error.is_some());
    if let Some(span) = &expected.declared_span {
        assert!(span.start <= span.end && span.end <= taken as u64);
    }
    let offsets = expected.diagnostics.iter().map(|note| note.offset);
    for offset in offsets.chain(expected.error.as_ref().and_then(|error| error.offset())) {
        assert!(offset <= taken as u64);
    }

    let mut cut = detector();
    let mut rest = input;
    for len in cuts.pieces.iter().cycle() {
        let piece = &rest[..rest.len().min(*len)];
        let read = cut.feed(piece);
        rest = &rest[read..];
        if rest.is_empty() || cut.is_done() {
            break;
        }
        assert_eq!(read, piece.len());
    }
    let verdict = cut.finish();
    assert_eq!(format!("{verdict:?} {:?}", verdict.bom()), format!("{expected:?} {:?}", expected.bom()));
    assert_eq!(cut.prefix(), whole.prefix());
});
