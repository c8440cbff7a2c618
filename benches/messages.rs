//! Measures how long a message of some twenty characters takes: to guess its charset, to decode it and to encode it.
//!
//! `cargo bench --bench messages`; `README.md` explains its output. Run without `--bench`, as by `cargo test --benches`,
//! it does everything once, and fails if a result is wrong.

mod clock;

use charpipe::detect::statistics::guess;
use charpipe::{Registry, Transcode};
use clock::fastest;
use encoding_rs::Encoding;
use std::hint::black_box;

/// Charset and text of 20 to 25 bytes.
const MESSAGES: [(&str, &str); 4] = [
    ("UTF-8", "Größe über 40 für M"),
    ("windows-1252", "Größe über 40 für Müller"),
    ("windows-1251", "Привет, это наше письмо!"),
    ("Shift_JIS", "これは日本語の文です"),
];
/// How many lines the text has of which the time is given for one.
const LINES: usize = 1000;

fn main() {
    let rounds = if std::env::args().any(|arg| arg == "--bench") { 31 } else { 1 };
    println!("One message: nanoseconds, fastest of {rounds}\n");
    println!(
        "| {:12} | {:>6} | {:>6} | {:>11} | {:>6} | {:>11} | {:>8} |",
        "charset", "guess", "decode", "encoding_rs", "encode", "encoding_rs", "per line"
    );
    println!("|{:-<14}|{:->7}:|{:->7}:|{:->12}:|{:->7}:|{:->12}:|{:->9}:|", "", "", "", "", "", "", "");
    for (name, text) in MESSAGES {
        let row = Message::new(name, text);
        let [guess, decode, web_decode, encode, web_encode, line] = [
            fastest(rounds, 200, || row.guess()),
            row.decode(rounds),
            fastest(rounds, 2000, || _ = black_box(row.web.decode_without_bom_handling(black_box(&row.bytes)))),
            fastest(rounds, 2000, || _ = black_box(row.job.encode(black_box(text)))),
            fastest(rounds, 2000, || _ = black_box(row.web.encode(black_box(text)))),
            fastest(rounds, 2, || row.lines()) / LINES as f64,
        ];
        println!(
            "| {name:12} | {guess:6.0} | {decode:6.0} | {web_decode:11.0} | {encode:6.0} | {web_encode:11.0} | {line:8.0} |"
        );
    }
}

struct Message {
    text: &'static str,
    bytes: Vec<u8>,
    /// `LINES` times the message, as lines.
    lines: Vec<u8>,
    web: &'static Encoding,
    registry: Registry,
    /// Reads the charset.
    source: Transcode,
    /// Writes the charset.
    job: Transcode,
}

impl Message {
    fn new(name: &str, text: &'static str) -> Message {
        let web = Encoding::for_label(name.as_bytes()).expect("a charset of the web");
        let bytes = web.encode(text).0.into_owned();
        let job = Transcode::new().source_encoding("UTF-8").and_then(|job| job.target_encoding(name));
        let job = job.expect("a built-in codec");
        assert_eq!(*job.encode(text).expect("text in the charset"), *bytes);
        Message {
            text,
            lines: [&bytes[..], b"\n"].concat().repeat(LINES),
            bytes,
            web,
            registry: Registry::builtin(),
            source: Transcode::new().source_encoding(name).expect("a built-in codec"),
            job,
        }
    }

    fn guess(&self) {
        black_box(guess(black_box(&self.bytes), true, &self.registry));
    }

    /// Returns the time to decode the message with a transcoder that is kept.
    fn decode(&self, rounds: usize) -> f64 {
        let mut transcoder = self.source.transcoder().expect("options that agree");
        let mut room = [0; 256];
        fastest(rounds, 2000, || {
            transcoder.reset();
            let step = transcoder.step(black_box(&self.bytes), &mut room, true).expect("bytes of the charset");
            assert_eq!(&room[..step.written], self.text.as_bytes());
        })
    }

    fn lines(&self) {
        let mut lines = self.source.lines(&self.lines[..]).expect("options that agree");
        let mut count = 0;
        while let Some(line) = lines.next_line().expect("bytes of the charset") {
            count += usize::from(line.text == self.text);
        }
        assert_eq!(count, LINES);
    }
}
