//! Searches for the slowest input of each codec: how much longer one byte takes in the worst case than in ordinary
//! text.
//!
//! `cargo bench --bench slowest [-- PART]`; `README.md` explains its output. Whole jobs are measured: to UTF-8 with
//! malformed bytes replaced, and from UTF-8 under each policy for characters that the target lacks. *Ordinary* text is
//! text in the languages that the codec can encode, with lines of English and of the other languages in turn. It is
//! pure ASCII only if the codec has no other characters.
//!
//! The search begins with patterns known to be slow (only errors, lead bytes without a trail byte, alternating shift
//! codes, alternating characters of every length). It continues at random from the worst one found, changing the
//! pattern that is repeated. Run without `--bench`, it runs a few codecs once, and fails if a job fails.

mod text;

use charpipe::codec::{ByteSink, MIN_ROOM, Stop, Utf8Sink};
use charpipe::records::Shape;
use charpipe::{Codec, OnMalformed, OnNewlineInRecord, OnUnmappable, Registry, Transcode};
use std::sync::Arc;
use std::time::Instant;
use text::{Dice, Kind};

/// Size of a job's input when it is measured, in bytes.
const LEN: usize = 24 * 1024;
/// Number of measurements; the fastest counts, because other programs share the machine.
const ROUNDS: usize = 4;
/// The same for the results that are printed.
const LAST_ROUNDS: usize = 15;
/// Number of changes that are tried.
const STEPS: usize = 20;
/// The longest pattern, in bytes or characters.
const LONGEST: usize = 16;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let measure = args.iter().any(|arg| arg == "--bench");
    let part = args.iter().find(|arg| !arg.starts_with('-')).map_or("", String::as_str);
    let registry = Registry::builtin();
    let mut rows = Vec::new();
    for codec in registry.codecs() {
        if !codec.name().contains(part) || (!measure && !["UTF-8", "IBM037"].contains(&codec.name())) {
            continue;
        }
        let steps = if measure { STEPS } else { 1 };
        rows.push(to_text(&registry, codec, steps, false));
        // Typical EBCDIC: one long record, whose shift codes become spaces and whose columns are examined.
        if encoded(&**codec, "A").is_some_and(|bytes| bytes == [0xC1]) {
            rows.push(to_text(&registry, codec, steps, true));
        }
        rows.extend(from_text(&registry, codec, steps));
    }
    rows.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    println!("{:32} {:>9} {:>9} {:>7}  pattern", "job", "ordinary", "worst", "ratio");
    println!("{:32} {:>9} {:>9}", "", "ns/byte", "ns/byte");
    for row in &rows {
        println!("{:32} {:9.2} {:9.2} {:7.1}  {}", row.job, row.ordinary, row.worst, row.ratio(), row.pattern);
    }
}

struct Row {
    job: String,
    /// Nanoseconds per byte.
    ordinary: f64,
    worst: f64,
    pattern: String,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.worst / self.ordinary
    }
}

/// Returns the nanoseconds per byte of input.
fn time(job: &Transcode, input: &[u8], rounds: usize) -> f64 {
    let times = (0..rounds).map(|_| {
        let begun = Instant::now();
        job.run(input, std::io::sink()).expect("a policy for everything");
        begun.elapsed()
    });
    times.min().unwrap_or_default().as_secs_f64() * 1e9 / input.len() as f64
}

/// Returns the worst of `seeds` and of their variants after `steps` changes.
fn climb<T: Clone>(
    seeds: Vec<Vec<T>>,
    steps: usize,
    dice: &mut Dice,
    any: &dyn Fn(&mut Dice) -> T,
    time: &dyn Fn(&[T], usize) -> f64,
) -> (f64, Vec<T>) {
    let seeds = seeds.into_iter().filter(|seed| !seed.is_empty()).map(|seed| (time(&seed, ROUNDS), seed));
    let mut worst = seeds.max_by(|a, b| a.0.total_cmp(&b.0)).expect("a seed");
    for _ in 0..steps {
        let mut pattern = worst.1.clone();
        let at = dice.below(pattern.len());
        match dice.below(4) {
            0 => pattern[at] = any(dice),
            1 => pattern.insert(at, any(dice)),
            2 if pattern.len() > 1 => drop(pattern.remove(at)),
            _ => pattern.extend_from_within(at..),
        }
        pattern.truncate(LONGEST);
        let found = time(&pattern, ROUNDS);
        if found > worst.0 {
            worst = (found, pattern);
        }
    }
    (time(&worst.1, LAST_ROUNDS), worst.1)
}

/// Measures conversions from the codec to UTF-8, as a stream or as a single record.
fn to_text(registry: &Registry, codec: &Arc<dyn Codec>, steps: usize, is_record: bool) -> Row {
    let mut job = job(registry, codec.name(), "UTF-8").on_malformed(OnMalformed::Replace);
    if is_record {
        let shape = Shape::Fixed { lrecl: LEN as u32 };
        job = job.records(shape).shifts_as_blanks(true).on_newline_in_record(OnNewlineInRecord::Space);
    }
    let input = |pattern: &[u8]| pattern.iter().copied().cycle().take(LEN).collect::<Vec<u8>>();
    // Arbitrary bytes if the charset cannot encode the text.
    let text = ordinary(&**codec);
    let text = if is_record { text.replace('\n', " ") } else { text };
    let ordinary = encoded(&**codec, &text).unwrap_or_else(|| (0..=255).collect());
    let one = |ch: char| encoded(&**codec, ch.encode_utf8(&mut [0; 4])).unwrap_or_default();
    let chars = ['a', 'é', 'я', '€', '漢', '😀'].map(one);
    let mut seeds: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    // Lead bytes, alone and before bytes that end them.
    for lead in (0..=255).filter(|byte| is_lead(&**codec, *byte)).step_by(7) {
        seeds.extend([vec![lead, b' '], vec![lead, lead, 0xFF], vec![lead, 0x0E, 0x0F]]);
    }
    seeds.extend([vec![0x0E, 0x0F], vec![0x0E, 0x41, 0x0F], vec![0x0E, 0x45, 0x41, 0x0F], b"\x1B$B\x1B(B".to_vec()]);
    seeds.extend([chars.concat(), [&chars[0][..], &chars[4], &[0xFF]].concat()]);
    seeds.extend(chars);
    let any = |dice: &mut Dice| dice.below(256) as u8;
    let (worst, pattern) =
        climb(seeds, steps, &mut Dice::new(), &any, &|pattern, rounds| time(&job, &input(pattern), rounds));
    let pattern = pattern.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
    Row {
        job: format!("{} {}to UTF-8", codec.name(), if is_record { "record " } else { "" }),
        ordinary: time(&job, &input(&ordinary), LAST_ROUNDS),
        worst,
        pattern,
    }
}

/// Measures conversions from UTF-8 to the codec, under each policy.
fn from_text(registry: &Registry, codec: &Arc<dyn Codec>, steps: usize) -> Vec<Row> {
    if codec.encoder().is_none() || codec.name() == "UTF-8" {
        return Vec::new();
    }
    let ordinary = ordinary(&**codec);
    let mut rows = Vec::new();
    for (name, policy) in
        [("replace", OnUnmappable::Replace), ("escape", OnUnmappable::Escape), ("xml", OnUnmappable::Xml)]
    {
        let job = job(registry, "UTF-8", codec.name()).on_unmappable(policy).on_malformed(OnMalformed::Replace);
        // The policy does not work for a charset without a substitute, or without ASCII.
        if job.run("€漢😀\u{E000}\u{530}".as_bytes(), std::io::sink()).is_err() {
            continue;
        }
        let text = |pattern: &[char]| pattern.iter().cycle().take(LEN / 3).collect::<String>();
        let mut seeds: Vec<Vec<char>> =
            "aéя€漢😀か\u{309A}\u{3099}\u{E000}\u{530}\u{FFFD}\u{1}\n\u{85}　".chars().map(|ch| vec![ch]).collect();
        seeds.extend(
            ["aéя漢😀", "a漢", "か\u{309A}", "a\u{E000}", "漢\u{E000}", "Ê\u{304}"].map(|seed| seed.chars().collect()),
        );
        let any = |dice: &mut Dice| {
            let (first, count) =
                [(0x20, 0x60), (0x80, 0x780), (0x3000, 0x100), (0x4E00, 0x5000), (0x1_F600, 64)][dice.below(5)];
            char::from_u32(first + dice.below(count) as u32).unwrap_or('a')
        };
        let time_of = |pattern: &[char], rounds: usize| match job.run(text(&pattern[..1]).as_bytes(), std::io::sink()) {
            Ok(_) => time(&job, text(pattern).as_bytes(), rounds),
            Err(_) => 0.0,
        };
        let (worst, pattern) = climb(seeds, steps, &mut Dice::new(), &any, &time_of);
        let pattern = pattern.iter().map(|ch| format!("{:04X}", u32::from(*ch))).collect::<Vec<_>>().join(" ");
        let long: String = ordinary.chars().cycle().take(LEN / 2).collect();
        let ordinary = time(&job, long.as_bytes(), LAST_ROUNDS);
        rows.push(Row { job: format!("UTF-8 to {}, {name}", codec.name()), ordinary, worst, pattern });
    }
    rows
}

fn job(registry: &Registry, from: &str, to: &str) -> Transcode {
    Transcode::new()
        .registry(registry.clone())
        .source_encoding(from)
        .and_then(|job| job.target_encoding(to))
        .expect("a codec")
        .kind(charpipe::Kind::Text)
}

/// Returns lines in the languages of which the codec can encode nearly everything, in turn; characters that it lacks
/// are left out.
fn ordinary(codec: &dyn Codec) -> String {
    let texts: Vec<Vec<String>> = Kind::ALL
        .iter()
        .filter_map(|kind| {
            let text = kind.text(4096);
            let known: String =
                text.chars().filter(|ch| encoded(codec, ch.encode_utf8(&mut [0; 4])).is_some()).collect();
            let enough = known.chars().count() * 20 >= text.chars().count() * 19;
            enough.then(|| known.lines().map(|line| format!("{line}\n")).collect())
        })
        .collect();
    let lines = texts.iter().map(Vec::len).min().unwrap_or(0);
    let text: String = (0..lines).flat_map(|line| texts.iter().map(move |text| &*text[line])).collect();
    let text: String = text.chars().filter(|ch| encoded(codec, ch.encode_utf8(&mut [0; 4])).is_some()).collect();
    if !text.is_empty() {
        return text;
    }
    // None of these languages: use all characters of the codec equally often.
    (0x20..0x1_0000)
        .filter_map(char::from_u32)
        .filter(|ch| encoded(codec, ch.encode_utf8(&mut [0; 4])).is_some())
        .collect()
}

/// Encodes the text; `None` if the codec lacks some of it.
fn encoded(codec: &dyn Codec, text: &str) -> Option<Vec<u8>> {
    let mut encoder = codec.encoder()?;
    let mut buffer = vec![0; 4 * text.len() + 2 * MIN_ROOM];
    let mut sink = ByteSink::new(&mut buffer);
    let whole = encoder.feed(text, &mut sink);
    (whole.stop == Stop::InputEmpty && encoder.finish(&mut sink) == Stop::InputEmpty).then(|| sink.as_bytes().to_vec())
}

/// Returns whether `byte` needs a following byte.
fn is_lead(codec: &dyn Codec, byte: u8) -> bool {
    let mut decoder = codec.decoder();
    let mut buffer = [0; MIN_ROOM];
    decoder.feed(&[byte], &mut Utf8Sink::new(&mut buffer)).stop == Stop::InputEmpty && decoder.pending() > 0
}
