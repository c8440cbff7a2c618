//! Tests the mixed pages, built-in and made by hand. A whole buffer is converted in batches by kernels; a single byte
//! or character is not. Both must give the same result, error for error.

use charpipe::Registry;
use charpipe::codec::table::{Mapping, Sequence, Table, TableShape, Way};
use charpipe::codec::{ByteSink, Codec, Stop, Utf8Sink};
use proptest::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

/// A page, and the characters that its texts are made of.
struct Page {
    codec: Box<dyn Codec>,
    singles: Vec<String>,
    pairs: Vec<String>,
    /// Unusual texts: sequences of several characters with one code, parts of such sequences, characters with one-way
    /// mappings, characters beyond the Basic Multilingual Plane, and characters that the page lacks.
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
        Page { singles: of_len(1), pairs: of_len(2), odd, codec: Box::new(table.into_codec()) }
    }

    /// Returns a text made of runs of four kinds: single bytes, pairs, pairs with unusual texts, and everything.
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

/// The name of a page that cannot decode everything that it encodes.
const STRANGE: &str = "strange";

/// Returns every mixed page, and one that is stranger than any of them: it has longer sequences in both directions and
/// in both shift states.
fn pages() -> &'static [Page] {
    static ALL: OnceLock<Vec<Page>> = OnceLock::new();
    ALL.get_or_init(|| {
        let registry = Registry::builtin();
        let tables = registry.codecs().filter_map(|codec| codec.info().table());
        let mut tables: Vec<Table> = tables.map(|table| table.into_owned()).collect();
        tables.retain(|table| table.shape == TableShape::Shifted);
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

/// The result of decoding or encoding: the output, and the errors with their offsets. An error is the number of
/// malformed bytes, or a character that the page lacks.
#[derive(PartialEq, Eq, Debug)]
struct Outcome<T, F> {
    output: T,
    faults: Vec<(usize, F)>,
}

/// Decodes `src` in parts, into buffers of `buffer_size` bytes.
fn decode(
    codec: &dyn Codec,
    src: &[u8],
    parts: impl Iterator<Item = Range<usize>>,
    buffer_size: usize,
) -> Outcome<String, u8> {
    let mut decoder = codec.decoder();
    let mut outcome = Outcome { output: String::new(), faults: Vec::new() };
    let mut buffer = vec![0; buffer_size];
    let mut total = 0;
    for part in parts {
        let mut rest = &src[part];
        loop {
            let mut sink = Utf8Sink::new(&mut buffer);
            let step = decoder.feed(rest, &mut sink);
            outcome.output.push_str(sink.as_str());
            (rest, total) = (&rest[step.read..], total + step.read);
            match step.stop {
                Stop::InputEmpty => break,
                Stop::OutputFull => {}
                Stop::Fault(bad) => {
                    outcome.faults.push((total - usize::from(bad.after) - usize::from(bad.len), bad.len));
                    outcome.output.push('\u{FFFD}');
                }
            }
        }
    }
    loop {
        let mut sink = Utf8Sink::new(&mut buffer);
        let stop = decoder.finish(&mut sink);
        outcome.output.push_str(sink.as_str());
        match stop {
            Stop::InputEmpty => return outcome,
            Stop::OutputFull => {}
            Stop::Fault(bad) => {
                outcome.faults.push((total - usize::from(bad.after) - usize::from(bad.len), bad.len));
                outcome.output.push('\u{FFFD}');
            }
        }
    }
}

/// Encodes `src` in parts, into buffers of `buffer_size` bytes. Characters that the page lacks are dropped.
fn encode(
    codec: &dyn Codec,
    src: &str,
    parts: impl Iterator<Item = Range<usize>>,
    buffer_size: usize,
) -> Outcome<Vec<u8>, char> {
    let mut encoder = codec.encoder().expect("a table encodes");
    let mut outcome = Outcome { output: Vec::new(), faults: Vec::new() };
    let mut buffer = vec![0; buffer_size];
    let mut total = 0;
    for part in parts {
        let mut rest = &src[part];
        loop {
            let mut sink = ByteSink::new(&mut buffer);
            let step = encoder.feed(rest, &mut sink);
            outcome.output.extend_from_slice(sink.as_bytes());
            (rest, total) = (&rest[step.read..], total + step.read);
            match step.stop {
                Stop::InputEmpty => break,
                Stop::OutputFull => {}
                Stop::Fault(bad) => outcome.faults.push((total - usize::from(bad.after) - bad.ch.len_utf8(), bad.ch)),
            }
        }
    }
    loop {
        let mut sink = ByteSink::new(&mut buffer);
        let stop = encoder.finish(&mut sink);
        outcome.output.extend_from_slice(sink.as_bytes());
        match stop {
            Stop::InputEmpty => return outcome,
            Stop::OutputFull => {}
            Stop::Fault(bad) => outcome.faults.push((total - usize::from(bad.after) - bad.ch.len_utf8(), bad.ch)),
        }
    }
}

/// Returns one part, which is everything.
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
    fn encoding_in_one_piece_or_by_characters(
        page in any::<prop::sample::Index>(),
        runs in prop::collection::vec((0u8..4, any::<u32>(), 1usize..90), 0..20),
        buffer_size in prop_oneof![64usize..400, Just(100_000)],
    ) {
        let page = &pages()[page.index(pages().len())];
        let text = page.text(&runs);
        let expected = encode(&*page.codec, &text, chars(&text), 100);
        prop_assert_eq!(encode(&*page.codec, &text, whole(text.len()), buffer_size), expected, "{}", page.codec.name());
    }

    /// The input is text that the page encoded, damaged in some places.
    #[test]
    fn decoding_in_one_piece_or_by_bytes(
        page in any::<prop::sample::Index>(),
        runs in prop::collection::vec((0u8..4, any::<u32>(), 1usize..90), 0..20),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, prop::collection::vec(any::<u8>(), 0..3)), 0..5),
        shifts in prop::collection::vec((any::<prop::sample::Index>(), 0x0Eu8..0x10), 0..5),
        buffer_size in prop_oneof![64usize..400, Just(100_000)],
    ) {
        let page = &pages()[page.index(pages().len())];
        let text = page.text(&runs);
        let mut src = encode(&*page.codec, &text, whole(text.len()), 100_000).output;
        for (at, len, with) in damage {
            let at = at.index(src.len() + 1);
            let end = (at + len).min(src.len());
            src.splice(at..end, with);
        }
        for (at, code) in shifts {
            src.insert(at.index(src.len() + 1), code);
        }
        let expected = decode(&*page.codec, &src, bytes(src.len()), 100);
        prop_assert_eq!(decode(&*page.codec, &src, whole(src.len()), buffer_size), expected, "{}", page.codec.name());
    }
}

/// Tests each mapping of each page between other mappings.
#[test]
fn every_character_of_every_page() {
    for page in pages() {
        for text in [page.singles.concat(), page.pairs.concat(), page.odd.concat()] {
            let encoded = encode(&*page.codec, &text, chars(&text), 100);
            assert_eq!(encode(&*page.codec, &text, whole(text.len()), 100_000), encoded, "{}", page.codec.name());
            let decoded = decode(&*page.codec, &encoded.output, bytes(encoded.output.len()), 100);
            assert_eq!(decode(&*page.codec, &encoded.output, whole(encoded.output.len()), 100_000), decoded);
        }
        let text: String = page.singles.iter().zip(&page.pairs).flat_map(|(one, two)| [&**one, &**two]).collect();
        let encoded = encode(&*page.codec, &text, whole(text.len()), 100_000);
        let decoded = decode(&*page.codec, &encoded.output, whole(encoded.output.len()), 100_000);
        assert_eq!(decode(&*page.codec, &encoded.output, bytes(encoded.output.len()), 100), decoded);
        assert!(decoded.output == text || page.codec.name() == STRANGE, "{}", page.codec.name());
    }
}
