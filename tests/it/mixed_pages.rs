//! Tests the mixed pages, built-in and made by hand. Whole buffers go through batches and kernels, and a byte or a
//! character at a time goes through neither. Both must give the same result, error for error.

use charpipe::Registry;
use charpipe::codec::table::{Mapping, Sequence, Shape, Table, Way};
use charpipe::codec::{ByteSink, Codec, Stop, TableCodec, Utf8Sink};
use proptest::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

/// A page, and what its texts are made of.
struct Page {
    codec: TableCodec,
    singles: Vec<String>,
    pairs: Vec<String>,
    /// Several characters to one code, the first of those alone, what goes one way only, what is beyond the Basic
    /// Multilingual Plane, what the page lacks.
    odd: Vec<String>,
}

impl Page {
    fn new(table: Table) -> Self {
        let is_plain = |mapping: &&Mapping| mapping.way == Way::RoundTrip && (mapping.ch as u32) < 0x1_0000;
        let of_len = |len| {
            let these = table.mappings.iter().filter(is_plain).filter(|mapping| mapping.code.len() == len);
            these.map(|mapping| mapping.ch.to_string()).collect()
        };
        let mut odd: Vec<String> = ["😀", "\u{378}", "\u{FFFF}", "\u{E000}"].map(String::from).into();
        odd.extend(table.mappings.iter().filter(|mapping| !is_plain(mapping)).map(|mapping| mapping.ch.to_string()));
        for sequence in &table.sequences {
            let end = sequence.text.char_indices().last().map_or(0, |(at, _)| at);
            odd.extend([sequence.text[..end].to_owned(), sequence.text[end..].to_owned(), sequence.text.to_string()]);
        }
        Page { singles: of_len(1), pairs: of_len(2), odd, codec: TableCodec::new(table) }
    }

    /// A text of runs: of single bytes, of pairs, of pairs and more, of anything.
    fn text(&self, runs: &[(u8, u32, usize)]) -> String {
        let mut text = String::new();
        for (kind, seed, len) in runs {
            let mut seed = *seed;
            for _ in 0..*len {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let index = (seed >> 8) as usize;
                let from = match (kind, index % 8) {
                    (0, _) | (3, 0..4) => &self.singles,
                    (2, 0) | (3, 4) => &self.odd,
                    _ => &self.pairs,
                };
                text.push_str(&from[index / 8 % from.len()]);
            }
        }
        text
    }
}

/// It does not read all that it writes.
const STRANGE: &str = "strange";

/// Every mixed page, and one with what no page has: longer sequences both ways where they may come anywhere.
fn pages() -> &'static [Page] {
    static ALL: OnceLock<Vec<Page>> = OnceLock::new();
    ALL.get_or_init(|| {
        let registry = Registry::builtin();
        let tables = registry.codecs().filter_map(|codec| codec.info().table());
        let mut tables: Vec<Table> = tables.map(|table| table.into_owned()).collect();
        tables.retain(|table| table.shape == Shape::Shifted);
        assert!(tables.len() > 8);
        let mut strange = tables[0].clone();
        strange.name = STRANGE.into();
        for (bytes, text) in [(&b"\xC1\xC2"[..], "AB\u{301}"), (b"\x42\xC1", "\u{3042}A"), (b"\xC3", "CA")] {
            strange.sequences.push(Sequence { bytes: bytes.into(), text: text.into(), way: Way::RoundTrip });
        }
        tables.push(strange);
        tables.into_iter().map(Page::new).collect()
    })
}

/// What came of bytes: the text, and which of them were bad; the same of text, and which characters the page lacks.
#[derive(PartialEq, Eq, Debug)]
struct Outcome<T, F> {
    made: T,
    faults: Vec<(usize, F)>,
}

/// Decodes `src` in parts, each in rooms of `room` bytes.
fn decode(
    codec: &dyn Codec,
    src: &[u8],
    parts: impl Iterator<Item = Range<usize>>,
    room: usize,
) -> Outcome<String, u8> {
    let mut decoder = codec.decoder();
    let mut outcome = Outcome { made: String::new(), faults: Vec::new() };
    let mut room = vec![0; room];
    let mut total = 0;
    for part in parts {
        let mut rest = &src[part];
        loop {
            let mut sink = Utf8Sink::new(&mut room);
            let step = decoder.feed(rest, &mut sink);
            outcome.made.push_str(sink.as_str());
            (rest, total) = (&rest[step.read..], total + step.read);
            match step.stop {
                Stop::InputEmpty => break,
                Stop::OutputFull => {}
                Stop::Fault(bad) => {
                    outcome.faults.push((total - usize::from(bad.after) - usize::from(bad.len), bad.len));
                    outcome.made.push('\u{FFFD}');
                }
            }
        }
    }
    loop {
        let mut sink = Utf8Sink::new(&mut room);
        let stop = decoder.finish(&mut sink);
        outcome.made.push_str(sink.as_str());
        match stop {
            Stop::InputEmpty => return outcome,
            Stop::OutputFull => {}
            Stop::Fault(bad) => {
                outcome.faults.push((total - usize::from(bad.after) - usize::from(bad.len), bad.len));
                outcome.made.push('\u{FFFD}');
            }
        }
    }
}

/// Encodes `src` in parts, each in rooms of `room` bytes; what the page lacks leaves nothing.
fn encode(
    codec: &dyn Codec,
    src: &str,
    parts: impl Iterator<Item = Range<usize>>,
    room: usize,
) -> Outcome<Vec<u8>, char> {
    let mut encoder = codec.encoder().expect("a table encodes");
    let mut outcome = Outcome { made: Vec::new(), faults: Vec::new() };
    let mut room = vec![0; room];
    let mut total = 0;
    for part in parts {
        let mut rest = &src[part];
        loop {
            let mut sink = ByteSink::new(&mut room);
            let step = encoder.feed(rest, &mut sink);
            outcome.made.extend_from_slice(sink.as_bytes());
            (rest, total) = (&rest[step.read..], total + step.read);
            match step.stop {
                Stop::InputEmpty => break,
                Stop::OutputFull => {}
                Stop::Fault(bad) => outcome.faults.push((total - usize::from(bad.after) - bad.ch.len_utf8(), bad.ch)),
            }
        }
    }
    loop {
        let mut sink = ByteSink::new(&mut room);
        let stop = encoder.finish(&mut sink);
        outcome.made.extend_from_slice(sink.as_bytes());
        match stop {
            Stop::InputEmpty => return outcome,
            Stop::OutputFull => {}
            Stop::Fault(bad) => outcome.faults.push((total - usize::from(bad.after) - bad.ch.len_utf8(), bad.ch)),
        }
    }
}

/// All at once.
fn whole(len: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::once(0..len)
}

fn chars(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.char_indices().map(|(at, ch)| at..at + ch.len_utf8())
}

fn bytes(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).map(|at| at..at + 1)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: crate::common::sample::cases(600), ..ProptestConfig::default() })]

    #[test]
    fn encoding(
        page in any::<prop::sample::Index>(),
        runs in prop::collection::vec((0u8..4, any::<u32>(), 1usize..90), 0..20),
        room in prop_oneof![64usize..400, Just(100_000)],
    ) {
        let page = &pages()[page.index(pages().len())];
        let text = page.text(&runs);
        let expected = encode(&page.codec, &text, chars(&text), 100);
        prop_assert_eq!(encode(&page.codec, &text, whole(text.len()), room), expected, "{}", page.codec.name());
    }

    /// What the page writes, and damage.
    #[test]
    fn decoding(
        page in any::<prop::sample::Index>(),
        runs in prop::collection::vec((0u8..4, any::<u32>(), 1usize..90), 0..20),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, prop::collection::vec(any::<u8>(), 0..3)), 0..5),
        shifts in prop::collection::vec((any::<prop::sample::Index>(), 0x0Eu8..0x10), 0..5),
        room in prop_oneof![64usize..400, Just(100_000)],
    ) {
        let page = &pages()[page.index(pages().len())];
        let text = page.text(&runs);
        let mut src = encode(&page.codec, &text, whole(text.len()), 100_000).made;
        for (at, len, with) in damage {
            let at = at.index(src.len() + 1);
            let end = (at + len).min(src.len());
            src.splice(at..end, with);
        }
        for (at, code) in shifts {
            src.insert(at.index(src.len() + 1), code);
        }
        let expected = decode(&page.codec, &src, bytes(src.len()), 100);
        prop_assert_eq!(decode(&page.codec, &src, whole(src.len()), room), expected, "{}", page.codec.name());
    }
}

/// Each mapping of each page, among others on both sides.
#[test]
fn every_character_of_every_page() {
    for page in pages() {
        for text in [page.singles.concat(), page.pairs.concat(), page.odd.concat()] {
            let encoded = encode(&page.codec, &text, chars(&text), 100);
            assert_eq!(encode(&page.codec, &text, whole(text.len()), 100_000), encoded, "{}", page.codec.name());
            let decoded = decode(&page.codec, &encoded.made, bytes(encoded.made.len()), 100);
            assert_eq!(decode(&page.codec, &encoded.made, whole(encoded.made.len()), 100_000), decoded);
        }
        let text: String = page.singles.iter().zip(&page.pairs).flat_map(|(one, two)| [&**one, &**two]).collect();
        let encoded = encode(&page.codec, &text, whole(text.len()), 100_000);
        let decoded = decode(&page.codec, &encoded.made, whole(encoded.made.len()), 100_000);
        assert_eq!(decode(&page.codec, &encoded.made, bytes(encoded.made.len()), 100), decoded);
        assert!(decoded.made == text || page.codec.name() == STRANGE, "{}", page.codec.name());
    }
}
