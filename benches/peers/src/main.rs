//! Compares charpipe's codecs with the fastest implementations of the same conversions: simdutf, encoding_rs and
//! `memcpy`, in one process.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml [-- PART]`, in charpipe's root, prints one table;
//! `benches/README.md` explains it. It exits with 1 if any output is wrong, of charpipe or of the others. A goal that
//! is not met is only reported.

mod measure;
mod peers;
#[path = "../../text/mod.rs"]
mod text;

use charpipe::codec::{ByteSink, Codec, Stop, Utf8Sink, decode_strictly};
use charpipe::{Error, Registry};
use measure::{Goal, Race};
use std::collections::HashMap;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use text::Kind;

/// Size limit of input and output: both fit into the second-level cache.
const ROOM: usize = 256 * 1024;

/// EBCDIC pages with the repertoire of Latin-1, or of Latin-1 except the euro sign.
const LATIN_PAGES: &[&str] = &["IBM037", "IBM1047", "IBM273", "IBM500", "IBM1140"];

/// Code pages of other scripts with characters of two bytes in UTF-8.
const OTHER_PAGES: &[(&str, Kind)] = &[
    ("IBM1025", Kind::Russian),
    ("IBM875", Kind::Greek),
    ("IBM424", Kind::Hebrew),
    ("windows-1251", Kind::Russian),
    ("IBM866", Kind::Russian),
];

/// Code pages with characters of three bytes in UTF-8, which the kernels for AVX2, SSE4.1 and NEON leave to the scalar
/// loop.
const LONG_PAGES: &[(&str, Kind)] =
    &[("IBM420", Kind::ArabicShapes), ("IBM290", Kind::Katakana), ("windows-874", Kind::Thai)];

const UCS4: &[&str] = &["UTF-32LE", "UTF-32BE", "X-ISO-10646-UCS-4-2143", "X-ISO-10646-UCS-4-3412"];

/// The texts for the Unicode encodings.
const TEXTS: &[Kind] = &[Kind::English, Kind::French, Kind::Russian, Kind::Greek, Kind::Japanese, Kind::Emoji];

/// The kernels of a smaller instruction set are measured in a separate process.
const SCALAR: &str = "--scalar";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let is_scalar = args.iter().any(|arg| arg == SCALAR);
    let part = args.iter().find(|arg| !arg.starts_with('-')).map_or("", String::as_str);
    let races = if is_scalar { scalar_races() } else { races() };
    let races = match races {
        Ok(races) => races.into_iter().filter(|race| race.name().contains(part)),
        Err(error) => {
            eprintln!("peers: {error}");
            return ExitCode::FAILURE;
        }
    };
    if !is_scalar {
        measure::print_head();
    }
    let mut is_right = true;
    for race in races {
        is_right &= race.run();
    }
    if !is_scalar {
        is_right &= scalar(part);
    }
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Continues the table in a process that uses only the scalar kernels; returns whether all output was correct there.
fn scalar(part: &str) -> bool {
    let status = std::env::current_exe()
        .and_then(|program| Command::new(program).env("CHARPIPE_ISA", "scalar").args([SCALAR, part]).status());
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("peers: the scalar kernels are not measured: {error}");
            false
        }
    }
}

/// What a direction should reach, as a ratio to simdutf on Latin-1.
struct Goals {
    decoding: [Goal; 2],
    encoding: [Goal; 2],
}

/// Returns the goals for the instruction set of this machine: for English, and for text outside ASCII.
fn goals() -> Goals {
    let ratios = |[english, other]: [f64; 2]| [Goal::ratio(english), Goal::ratio(other)];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512vbmi2") {
        return Goals { decoding: ratios([0.8, 0.8]), encoding: ratios([0.8, 0.8]) };
    }
    // simdutf copies ASCII as it is, which a table cannot do.
    Goals { decoding: ratios([0.5, 0.75]), encoding: ratios([0.35, 2.0]) }
}

/// With the kernels that this machine supports.
fn races() -> Result<Vec<Race>, Error> {
    let registry = Registry::builtin();
    let goals = goals();
    let mut races = Vec::new();
    let latin = LATIN_PAGES.iter().map(|page| (page, Kind::French));
    let other = OTHER_PAGES.iter().map(|(page, kind)| (page, *kind));
    let without_goal = LONG_PAGES.iter().map(|(page, kind)| (page, *kind));
    for (name, kind) in latin.chain(other).chain(without_goal) {
        let page = Page::new(registry.codec(name)?);
        let has_goal = !LONG_PAGES.iter().any(|(long, _)| long == name);
        for (at, kind) in [Kind::English, kind].into_iter().enumerate() {
            let (text, bytes) = page.text(kind);
            let [decoding, encoding] = [goals.decoding[at], goals.encoding[at]]
                .map(|goal| if has_goal || at == 0 { goal } else { Goal::default() });
            let race = page.decoding(bytes.clone());
            let race = Race::new(format!("{} → UTF-8", page.name()), kind, text.clone().into(), race);
            races.push(against_latin1_to_utf8(race, at == 0).goal(decoding));
            let race = Race::new(format!("UTF-8 → {}", page.name()), kind, bytes, page.encoding(text));
            races.push(against_utf8_to_latin1(race, at == 0).goal(encoding));
        }
    }
    for &kind in TEXTS {
        races.extend(unicode_races(&registry, kind)?);
    }
    Ok(races)
}

/// The Unicode encodings, in both directions.
fn unicode_races(registry: &Registry, kind: Kind) -> Result<Vec<Race>, Error> {
    let text = fitting(kind, |text| (4 * text.chars().count()).max(text.len()));
    let utf8 = text.as_bytes();
    let utf16: Vec<u16> = text.encode_utf16().collect();
    let utf32: Vec<u32> = text.chars().map(u32::from).collect();
    let utf16be: Vec<u16> = utf16.iter().map(|unit| unit.to_be()).collect();
    let mut races = Vec::new();

    for name in UCS4 {
        let page = registry.codec(name)?;
        let bytes: Vec<u8> = text.chars().flat_map(|ch| in_order(name, ch)).collect();
        races.push(
            Race::new(format!("{} → UTF-8", short(name)), kind, utf8.into(), decoding(&*page, bytes.clone()))
                .against("simdutf", peers::utf32_to_utf8(utf32.clone()), utf8.into())
                .goal(Goal::ratio(1.0)),
        );
        races.push(
            Race::new(format!("UTF-8 → {}", short(name)), kind, bytes, encoding(&*page, text.clone()))
                .against("simdutf", peers::utf8_to_utf32(utf8.into()), ne_bytes(&utf32, |unit| unit.to_ne_bytes()))
                .goal(Goal::ratio(0.8)),
        );
    }
    for (name, units, is_big) in [("UTF-16LE", &utf16, false), ("UTF-16BE", &utf16be, true)] {
        let page = registry.codec(name)?;
        let bytes = ne_bytes(units, |unit| unit.to_ne_bytes());
        races.push(
            Race::new(format!("{name} → UTF-8"), kind, utf8.into(), decoding(&*page, bytes.clone()))
                .against("simdutf", peers::utf16_to_utf8(units.clone(), is_big), utf8.into())
                .goal(Goal::ratio(0.9)),
        );
        races.push(
            Race::new(format!("UTF-8 → {name}"), kind, bytes.clone(), encoding(&*page, text.clone()))
                .against("simdutf", peers::utf8_to_utf16(utf8.into(), is_big), bytes.clone())
                .goal(Goal::ratio(0.8)),
        );
    }
    // The encoder's input is known to be valid, so it is compared with simdutf's function for valid input; this row has
    // no goal.
    let le = ne_bytes(&utf16, |unit| unit.to_ne_bytes());
    races.push(
        Race::new("UTF-8 → UTF-16LE".into(), kind, le.clone(), encoding(&*registry.codec("UTF-16LE")?, text.clone()))
            .against("simdutf, unchecked", peers::valid_utf8_to_utf16le(text.clone()), le),
    );
    races.push(
        Race::new("UTF-8 → UTF-8".into(), kind, utf8.into(), decoding(&*registry.codec("UTF-8")?, utf8.into()))
            .against("simdutf, then memcpy", peers::validate_then_copy(utf8.into()), utf8.into())
            .goal(Goal::ratio(0.8)),
    );
    Ok(races)
}

/// A single-byte charset is compared with simdutf on Latin-1: of the same English text, or of French text for any other.
fn against_latin1_to_utf8(race: Race, is_english: bool) -> Race {
    let text = fitting(if is_english { Kind::English } else { Kind::French }, str::len);
    race.against(peer_name(is_english), peers::latin1_to_utf8(latin1(&text)), text.into())
}

/// The same in the other direction.
fn against_utf8_to_latin1(race: Race, is_english: bool) -> Race {
    let text = fitting(if is_english { Kind::English } else { Kind::French }, str::len);
    race.against(peer_name(is_english), peers::utf8_to_latin1(text.clone().into()), latin1(&text))
}

fn peer_name(is_english: bool) -> &'static str {
    if is_english { "simdutf, English" } else { "simdutf, French" }
}

/// Single bytes to UTF-8 without SIMD.
fn scalar_races() -> Result<Vec<Race>, Error> {
    let registry = Registry::builtin();
    let mut races = Vec::new();
    let latin = LATIN_PAGES.iter().take(2).map(|page| (page, Kind::French));
    for (page, kind) in latin.chain(OTHER_PAGES.iter().chain(LONG_PAGES).map(|(page, kind)| (page, *kind))) {
        let page = Page::new(registry.codec(page)?);
        for kind in [Kind::English, kind] {
            let (text, bytes) = page.text(kind);
            let name = format!("{} → UTF-8, scalar", page.name());
            let race = Race::new(name, kind, text.into(), page.decoding(bytes));
            races.push(against_windows_1251(race).goal(Goal::rate(2.5)));
        }
    }
    Ok(races)
}

/// Without SIMD, single-byte charsets are compared with encoding_rs on Russian, for any text.
fn against_windows_1251(race: Race) -> Race {
    let text = fitting(Kind::Russian, str::len);
    let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(&text);
    race.against("encoding_rs, 1251", peers::encoding_rs(encoding_rs::WINDOWS_1251, bytes.to_vec()), text.into())
}

/// A single-byte charset.
struct Page {
    codec: Arc<dyn Codec>,
    /// The byte of each character, found by decoding each byte alone: the oracle for decoding many at once.
    bytes: HashMap<char, u8>,
}

impl Page {
    fn new(codec: Arc<dyn Codec>) -> Page {
        let char_of = |byte| decode_strictly(&*codec, &[byte])?.chars().next();
        let bytes = (0..=u8::MAX).filter_map(|byte| Some((char_of(byte)?, byte))).collect();
        Page { codec, bytes }
    }

    fn name(&self) -> &str {
        self.codec.name()
    }

    /// Returns the part of a text that the page contains, as text and encoded.
    fn text(&self, kind: Kind) -> (String, Vec<u8>) {
        let text: String = fitting(kind, str::len).chars().filter(|ch| self.bytes.contains_key(ch)).collect();
        assert!(text.len() > ROOM / 2, "{} has too little of {}", self.name(), kind.name());
        let bytes = text.chars().map(|ch| self.bytes[&ch]).collect();
        (text, bytes)
    }

    fn decoding(&self, bytes: Vec<u8>) -> measure::Run {
        decoding(&*self.codec, bytes)
    }

    fn encoding(&self, text: String) -> measure::Run {
        encoding(&*self.codec, text)
    }
}

/// Returns the longest text for which `len` of it, the length of its longest form, fits into the buffer.
fn fitting(kind: Kind, len: impl Fn(&str) -> usize) -> String {
    let mut text = kind.text(ROOM);
    // Some space is left: a kernel stops before the end of the buffer, and that end is not to be measured.
    while len(&text) > ROOM - 256 {
        let half = text.trim_end().rfind('\n').expect("a text of lines");
        text.truncate(half + 1);
    }
    text
}

/// Decodes `bytes` in one call.
fn decoding(codec: &dyn Codec, bytes: Vec<u8>) -> measure::Run {
    let mut decoder = codec.decoder();
    let input = bytes.len();
    measure::Run::new(input, move |room| {
        let mut sink = Utf8Sink::new(&mut room.as_bytes()[..ROOM]);
        let step = decoder.feed(std::hint::black_box(&bytes), &mut sink);
        std::hint::black_box(sink.as_str());
        if step.stop == Stop::InputEmpty { sink.written() } else { 0 }
    })
}

/// Encodes `text` in one call.
fn encoding(codec: &dyn Codec, text: String) -> measure::Run {
    let mut encoder = codec.encoder().expect("one that encodes");
    let input = text.len();
    measure::Run::new(input, move |room| {
        let mut sink = ByteSink::new(&mut room.as_bytes()[..ROOM]);
        let step = encoder.feed(std::hint::black_box(&text), &mut sink);
        std::hint::black_box(sink.as_bytes());
        if step.stop == Stop::InputEmpty { sink.written() } else { 0 }
    })
}

/// Encodes the text in Latin-1, as far as possible.
fn latin1(text: &str) -> Vec<u8> {
    let bytes: Vec<u8> = text.chars().filter_map(|ch| u8::try_from(ch).ok()).collect();
    assert_eq!(bytes.len(), text.chars().count(), "Western text is Latin-1");
    bytes
}

/// Returns the four octets of `ch` in the byte order that the charset's name says.
fn in_order(name: &str, ch: char) -> [u8; 4] {
    let [a, b, c, d] = u32::to_be_bytes(ch.into());
    match name {
        "UTF-32BE" => [a, b, c, d],
        "UTF-32LE" => [d, c, b, a],
        "X-ISO-10646-UCS-4-2143" => [b, a, d, c],
        "X-ISO-10646-UCS-4-3412" => [c, d, a, b],
        other => unreachable!("{other} is no order of UCS-4"),
    }
}

fn short(name: &str) -> &str {
    name.trim_start_matches("X-ISO-10646-")
}

fn ne_bytes<T: Copy, const N: usize>(units: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    units.iter().flat_map(|unit| bytes(*unit)).collect()
}
