//! Measures the speed of each codec in this process: GB of input per second in both directions, compared with a
//! `memcpy` of the same input; and the single-byte charsets of the web compared with encoding_rs.
//!
//! `cargo bench --bench codecs [-- PART]`; `README.md` explains its output. It exits with 1 if a codec gives wrong
//! output. Run without `--bench`, as by `cargo test --benches`, it only checks the output.

mod text;

use charpipe::codec::{ByteSink, Decoder, Encoder, Stop, Utf8Sink};
use charpipe::{Codec, Registry};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use text::Kind;

/// Size of the codecs' output buffer, in bytes.
const ROOM: usize = 256 * 1024;
/// Approximate size of each text in UTF-8, in bytes; encoded it may be larger. It is small enough that even the slowest
/// codec is seldom interrupted while it runs.
const TEXT: usize = 512 * 1024;
/// Number of measurements; the shortest counts, which other work on the machine disturbed least.
const ROUNDS: usize = 31;

const CODECS: &[&str] = &[
    "UTF-8",
    "UTF-16LE",
    "UTF-16BE",
    "UTF-32BE",
    "UTF-32LE",
    "X-ISO-10646-UCS-4-2143",
    "IBM037",
    "IBM1140",
    "IBM290",
    "IBM1025",
    "IBM875",
    "IBM424",
    "IBM420",
    "IBM939",
    "IBM933",
    "IBM1388",
    "ISO-8859-1",
    "US-ASCII",
    #[cfg(feature = "dos")]
    "IBM866",
    #[cfg(feature = "whatwg")]
    "windows-1251",
    #[cfg(feature = "whatwg")]
    "windows-874",
    #[cfg(feature = "whatwg")]
    "Shift_JIS",
    #[cfg(feature = "whatwg")]
    "EUC-KR",
    #[cfg(feature = "whatwg")]
    "gb18030",
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let measure = args.iter().any(|arg| arg == "--bench");
    let part = args.iter().find(|arg| !arg.starts_with('-')).map_or("", String::as_str);
    let (len, rounds) = if measure { (TEXT, ROUNDS) } else { (64 * 1024, 0) };

    let (cases, wrong) = cases(len, part);
    #[cfg(feature = "whatwg")]
    let wrong = [wrong, web::wrong(len, part)].concat();
    for what in &wrong {
        eprintln!("codecs: wrong output: {what}");
    }
    if !wrong.is_empty() {
        return ExitCode::FAILURE;
    }
    println!("{} pairs of codec and text: all output is correct", cases.len());
    if measure {
        throughput(&cases, rounds);
        #[cfg(feature = "whatwg")]
        web::against_encoding_rs(len, part, rounds);
        price_of_checking(&cases, rounds);
    }
    ExitCode::SUCCESS
}

/// A codec and a text that it can encode.
struct Case {
    codec: Arc<dyn Codec>,
    kind: Kind,
    text: String,
    /// The encoded text.
    bytes: Vec<u8>,
}

/// Returns every pair whose name contains `part`, and the names of those with wrong output.
fn cases(len: usize, part: &str) -> (Vec<Case>, Vec<String>) {
    let registry = Registry::builtin();
    let (mut cases, mut wrong) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let text = kind.text(len);
        for name in CODECS {
            let pair = format!("{name}/{}", kind.name());
            if !pair.contains(part) {
                continue;
            }
            let codec = registry.codec(name).expect("a built-in codec");
            let Some(bytes) = encode_all(&*codec, &text) else { continue };
            if reference(name, &text).is_some_and(|right| right != bytes) {
                wrong.push(format!("{pair}, encoded"));
            }
            if decode_all(&*codec, &bytes).as_deref() != Some(&text) {
                wrong.push(format!("{pair}, decoded"));
            }
            cases.push(Case { codec, kind, text: text.clone(), bytes });
        }
    }
    (cases, wrong)
}

/// Encodes the text with the standard library; `None` if the library does not support the charset.
fn reference(codec: &str, text: &str) -> Option<Vec<u8>> {
    let units = text.encode_utf16();
    Some(match codec {
        "UTF-8" => text.as_bytes().to_vec(),
        "UTF-16LE" => units.flat_map(u16::to_le_bytes).collect(),
        "UTF-16BE" => units.flat_map(u16::to_be_bytes).collect(),
        "UTF-32LE" => text.chars().flat_map(|ch| u32::to_le_bytes(ch.into())).collect(),
        "UTF-32BE" => text.chars().flat_map(|ch| u32::to_be_bytes(ch.into())).collect(),
        "ISO-8859-1" => text.chars().filter_map(|ch| u8::try_from(ch).ok()).collect(),
        _ => return None,
    })
}

fn encode_all(codec: &dyn Codec, text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = codec.encoder()?;
    let clean = encode(&mut *encoder, text, &mut vec![0; ROOM], &mut |part| bytes.extend_from_slice(part));
    clean.then_some(bytes)
}

fn decode_all(codec: &dyn Codec, bytes: &[u8]) -> Option<String> {
    let mut text = String::new();
    let mut decoder = codec.decoder();
    let clean = decode(&mut *decoder, bytes, &mut vec![0; ROOM], &mut |sink| text.push_str(sink.as_str()));
    (clean && decoder.pending() == 0).then_some(text)
}

/// Decodes all of `src`, one output buffer at a time; returns whether there was no error.
#[inline(never)]
fn decode(decoder: &mut dyn Decoder, mut src: &[u8], room: &mut [u8], then: &mut dyn FnMut(&mut Utf8Sink<'_>)) -> bool {
    loop {
        let mut sink = Utf8Sink::new(room);
        let step = decoder.feed(src, &mut sink);
        then(&mut sink);
        src = &src[step.read..];
        match step.stop {
            Stop::InputEmpty => return true,
            Stop::OutputFull => {}
            Stop::Fault(_) => return false,
        }
    }
}

/// Encodes all of `src`, one output buffer at a time; returns whether there was no error.
#[inline(never)]
fn encode(encoder: &mut dyn Encoder, mut src: &str, room: &mut [u8], then: &mut dyn FnMut(&[u8])) -> bool {
    loop {
        let mut sink = ByteSink::new(room);
        let step = encoder.feed(src, &mut sink);
        then(sink.as_bytes());
        src = &src[step.read..];
        match step.stop {
            Stop::InputEmpty => return true,
            Stop::OutputFull => {}
            Stop::Fault(_) => return false,
        }
    }
}

#[inline(never)]
fn copy(src: &[u8], room: &mut [u8]) {
    for part in src.chunks(ROOM) {
        room[..part.len()].copy_from_slice(part);
        black_box(&mut *room);
    }
}

/// Measured times of one operation, in seconds.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn measure(&mut self, run: impl FnOnce()) {
        let start = Instant::now();
        run();
        self.0.push(start.elapsed().as_secs_f64());
    }

    fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns GB per second for `bytes` bytes.
    fn rate(&self, bytes: usize) -> f64 {
        bytes as f64 / self.least() / 1e9
    }

    /// Returns how many times as long as `other` it takes.
    fn over(&self, other: &Times) -> f64 {
        self.least() / other.least()
    }
}

fn throughput(cases: &[Case], rounds: usize) {
    println!(
        "\nGB of input per second, fastest of {rounds}; in parentheses as a percentage of a memcpy of the same input\n"
    );
    println!("| {:22} | {:8} | {:>14} | {:>14} |", "codec", "text", "decode", "encode");
    println!("|{:-<24}|{:-<10}|{:->15}:|{:->15}:|", "", "", "", "");
    let mut room = vec![0; ROOM];
    copies(&mut room, rounds);
    let mut results: Vec<[Times; 4]> = cases.iter().map(|_| Default::default()).collect();
    for _ in 0..rounds {
        for (case, [decoding, copying, encoding, copying_text]) in cases.iter().zip(&mut results) {
            let mut decoder = case.codec.decoder();
            let mut encoder = case.codec.encoder().expect("it encoded before");
            // Runs once unmeasured, so that the input is in the cache for all of them.
            copy(&case.bytes, &mut room);
            copying.measure(|| copy(black_box(&case.bytes), &mut room));
            decoding.measure(|| {
                decode(&mut *decoder, black_box(&case.bytes), &mut room, &mut |sink| _ = black_box(sink.as_str()));
            });
            copy(case.text.as_bytes(), &mut room);
            copying_text.measure(|| copy(black_box(case.text.as_bytes()), &mut room));
            encoding.measure(|| {
                encode(&mut *encoder, black_box(&case.text), &mut room, &mut |part| _ = black_box(part));
            });
        }
    }
    for (case, [decoding, copying, encoding, copying_text]) in cases.iter().zip(&results) {
        let cell = |times: &Times, copying: &Times, bytes: usize| {
            format!("{:5.2} ({:4.0} %)", times.rate(bytes), 100.0 * copying.over(times))
        };
        println!(
            "| {:22} | {:8} | {:>14} | {:>14} |",
            case.codec.name(),
            case.kind.name(),
            cell(decoding, copying, case.bytes.len()),
            cell(encoding, copying_text, case.text.len()),
        );
    }
}

/// The reference speed for all others: a plain copy into the same buffer.
fn copies(room: &mut [u8], rounds: usize) {
    let source = vec![b'x'; TEXT];
    let mut times = Times::default();
    for _ in 0..rounds {
        times.measure(|| copy(black_box(&source), room));
    }
    println!("| {:22} | {:8} | {:14.2} | {:14.2} |", "memcpy", "", times.rate(TEXT), times.rate(TEXT));
}

/// Measures what `sink.rs` saves by claiming that its text is UTF-8 instead of checking it again: after a decoder
/// (`Utf8Sink::as_str`), and between a decoder and an encoder (`Utf8Buf::as_str`).
fn price_of_checking(cases: &[Case], rounds: usize) {
    let chosen = [
        ("IBM037", Kind::English),
        ("IBM037", Kind::French),
        ("IBM290", Kind::Katakana),
        ("UTF-16LE", Kind::French),
        ("UTF-16LE", Kind::Cjk),
        ("UTF-32BE", Kind::Cjk),
        ("UTF-16LE", Kind::Emoji),
    ];
    println!(
        "\nThe unsafe claims of sink.rs: GB of input per second without a check, and with the text checked by from_utf8\n"
    );
    println!("| {:8} | {:8} | {:>22} | {:>26} |", "codec", "text", "decode", "decode, encode to the same");
    println!("|{:-<10}|{:-<10}|{:->23}:|{:->27}:|", "", "", "", "");
    let mut room = vec![0; ROOM];
    let mut out = vec![0; 2 * ROOM];
    for case in cases.iter().filter(|case| chosen.contains(&(case.codec.name(), case.kind))) {
        // Claimed and checked after a decoder; claimed and checked between decoder and encoder.
        let mut times: [Times; 4] = Default::default();
        for _ in 0..rounds {
            for (index, times) in times.iter_mut().enumerate() {
                let (checked, both) = (index % 2 == 1, index > 1);
                let mut decoder = case.codec.decoder();
                let mut encoder = case.codec.encoder().expect("it encoded before");
                times.measure(|| {
                    decode(&mut *decoder, black_box(&case.bytes), &mut room, &mut |sink| {
                        let claimed = sink.as_str();
                        let text = if checked {
                            std::str::from_utf8(black_box(claimed.as_bytes())).expect("a decoder writes UTF-8")
                        } else {
                            claimed
                        };
                        if both {
                            encode(&mut *encoder, text, &mut out, &mut |part| _ = black_box(part));
                        } else {
                            black_box(text);
                        }
                    });
                });
            }
        }
        let cell = |claimed: &Times, checked: &Times| {
            let bytes = case.bytes.len();
            let change = 100.0 * (claimed.over(checked) - 1.0);
            format!("{:5.2} → {:5.2} ({change:+3.0} %)", claimed.rate(bytes), checked.rate(bytes))
        };
        println!(
            "| {:8} | {:8} | {:>22} | {:>26} |",
            case.codec.name(),
            case.kind.name(),
            cell(&times[0], &times[1]),
            cell(&times[2], &times[3]),
        );
    }
}

/// Single-byte decoding compared with encoding_rs.
#[cfg(feature = "whatwg")]
mod web {
    use super::*;
    use encoding_rs::{DecoderResult, Encoding};

    /// Charset and text, and whether the text is ASCII, which has a different goal.
    const PAIRS: &[(&str, Kind, bool)] = &[
        ("windows-1252", Kind::French, false),
        ("ISO-8859-15", Kind::French, false),
        ("windows-1251", Kind::Russian, false),
        ("KOI8-R", Kind::Russian, false),
        ("windows-874", Kind::Thai, false),
        ("windows-1252", Kind::English, true),
        ("KOI8-R", Kind::English, true),
        ("windows-874", Kind::English, true),
    ];

    struct Pair {
        name: String,
        encoding: &'static Encoding,
        ascii: bool,
        text: String,
        bytes: Vec<u8>,
    }

    fn pairs(len: usize, part: &str) -> Vec<Pair> {
        let pair = |&(label, kind, ascii): &(&str, Kind, bool)| {
            let encoding = Encoding::for_label(label.as_bytes()).expect("a label of the web");
            let text: String =
                kind.text(len).chars().filter(|ch| !encoding.encode(ch.encode_utf8(&mut [0; 4])).2).collect();
            let bytes = encoding.encode(&text).0.into_owned();
            Pair { name: format!("{label}/{}", kind.name()), encoding, ascii, text, bytes }
        };
        PAIRS.iter().map(pair).filter(|pair| pair.name.contains(part)).collect()
    }

    fn codec(pair: &Pair) -> Arc<dyn Codec> {
        Registry::builtin().codec(pair.encoding.name()).expect("a built-in codec")
    }

    /// Returns the pairs that do not decode to the text that encoding_rs encoded.
    pub(super) fn wrong(len: usize, part: &str) -> Vec<String> {
        let pairs = pairs(len, part).into_iter();
        pairs
            .filter(|pair| decode_all(&*codec(pair), &pair.bytes).as_deref() != Some(&pair.text))
            .map(|pair| format!("{}, decoded", pair.name))
            .collect()
    }

    /// The same loop as [`decode`], with encoding_rs's decoder.
    #[inline(never)]
    fn theirs(encoding: &'static Encoding, mut src: &[u8], room: &mut str) {
        let mut decoder = encoding.new_decoder_without_bom_handling();
        loop {
            let (result, read, written) = decoder.decode_to_str_without_replacement(src, room, false);
            black_box(&room[..written]);
            src = &src[read..];
            match result {
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => unreachable!("encoding_rs encoded it"),
            }
        }
    }

    pub(super) fn against_encoding_rs(len: usize, part: &str, rounds: usize) {
        let pairs = pairs(len, part);
        println!("\nSingle-byte decoding: GB of input per second, fastest of {rounds}\n");
        println!(
            "| {:22} | {:>8} | {:>11} | {:>5} | {:>4} |",
            "charset/text", "charpipe", "encoding_rs", "ratio", "goal"
        );
        println!("|{:-<24}|{:->9}:|{:->12}:|{:->6}:|{:->5}:|", "", "", "", "", "");
        let mut room = vec![0; ROOM];
        let mut their_room = "\0".repeat(ROOM);
        let mut ratios = Vec::new();
        for pair in &pairs {
            let (mut ours, mut others) = (Times::default(), Times::default());
            let mut decoder = codec(pair).decoder();
            copy(&pair.bytes, &mut room);
            for _ in 0..rounds {
                ours.measure(|| {
                    decode(&mut *decoder, black_box(&pair.bytes), &mut room, &mut |sink| _ = black_box(sink.as_str()));
                });
                others.measure(|| theirs(pair.encoding, black_box(&pair.bytes), &mut their_room));
            }
            let ratio = others.over(&ours);
            ratios.push((pair.ascii, ratio));
            println!(
                "| {:22} | {:8.2} | {:11.2} | {:5.2} | {:>4} |",
                pair.name,
                ours.rate(pair.bytes.len()),
                others.rate(pair.bytes.len()),
                ratio,
                if pair.ascii { "1" } else { "3" },
            );
        }
        for (ascii, what, goal) in [(false, "outside ASCII", 3), (true, "in ASCII", 1)] {
            let mut these: Vec<f64> = ratios.iter().filter(|pair| pair.0 == ascii).map(|pair| pair.1).collect();
            these.sort_unstable_by(f64::total_cmp);
            if let (Some(least), Some(median)) = (these.first(), these.get(these.len() / 2)) {
                println!(
                    "Text {what}: {median:.2} times as fast as encoding_rs, at least {least:.2}; the goal is {goal}."
                );
            }
        }
    }
}
