//! Small tasks that programs do most often: a field, a value, a message, a line, a label. `small_things` tests how
//! often each of them allocates, and `benches/small.rs` measures its time and its instructions.
#![allow(dead_code)] // The benchmark and the tests use different parts.

use charpipe::{Detector, Registry, Transcode, Transcoder};
use std::hint::black_box;

/// One small thing.
pub struct Small {
    /// What is done.
    pub what: &'static str,
    /// The charset, or the label.
    pub name: &'static str,
    /// How often it allocates at most, after it was done a few times.
    pub allocations: u64,
    /// Does it once.
    pub act: Box<dyn FnMut()>,
}

const GERMAN: &str = "Größe über 40 für M";

/// Charsets, and a value of 18 to 24 bytes for each. Those of the web come with the feature `whatwg`.
const VALUES: &[(&str, &str)] = &[
    ("UTF-8", GERMAN),
    ("IBM1047", GERMAN),
    ("IBM939", "東京都千代田 Nr. 7"),
    ("ISO-8859-1", GERMAN),
    ("UTF-16LE", GERMAN),
    #[cfg(feature = "whatwg")]
    ("windows-1252", GERMAN),
    #[cfg(feature = "whatwg")]
    ("Shift_JIS", "日本語の文です。"),
    #[cfg(feature = "whatwg")]
    ("GB18030", "中文文本的编码"),
];

/// Returns all of them.
pub fn all() -> Vec<Small> {
    let mut all = labels();
    for (name, text) in VALUES {
        all.extend(values(name, text));
    }
    all
}

/// Returns the value of a charset.
pub fn text(name: &str) -> Option<&'static str> {
    VALUES.iter().find(|(charset, _)| *charset == name).map(|(_, text)| *text)
}

fn labels() -> Vec<Small> {
    let names = ["UTF-8", "ibm-1047", "cp037", "latin1", "IBM939"];
    let look_up = |name| {
        let registry = Registry::builtin();
        let act = move || _ = black_box(registry.codec(black_box(name)).expect("a built-in codec"));
        small("look-up of a label", name, 0, act)
    };
    names.map(look_up).into()
}

fn small(what: &'static str, name: &'static str, allocations: u64, act: impl FnMut() + 'static) -> Small {
    Small { what, name, allocations, act: Box::new(act) }
}

/// What is done with a value of a charset.
fn values(name: &'static str, text: &'static str) -> Vec<Small> {
    let write = Transcode::new().source_encoding("UTF-8").and_then(|job| job.target_encoding(name)).expect("built in");
    let read = Transcode::new().source_encoding(name).expect("built in");
    let bytes: &'static [u8] = write.encode(text).expect("text of the charset").into_owned().leak();
    let (mut decoder, mut encoder) =
        (read.values().expect("a decoder of values"), write.value_encoder().expect("an encoder of values"));
    let (decoding, encoding) = (read.clone(), write.clone());
    // Of UTF-8 nothing has to be made.
    let made = u64::from(name != "UTF-8");
    vec![
        small("ValueDecoder", name, 0, move || assert_eq!(decoder.decode(black_box(bytes)).unwrap(), text)),
        small("ValueEncoder", name, 0, move || assert_eq!(encoder.encode(black_box(text)).unwrap(), bytes)),
        small("decode", name, made, move || _ = black_box(decoding.decode(black_box(bytes)).unwrap())),
        small("encode", name, made, move || _ = black_box(encoding.encode(black_box(text)).unwrap())),
        message("a message", name, read.transcoder().expect("options that agree"), bytes),
        message("a message, written", name, write.transcoder().expect("options that agree"), text.as_bytes()),
        char("one character", name, read.transcoder().expect("options that agree"), bytes),
        detection(name, &read, bytes),
    ]
}

/// A message that a transcoder converts which is kept.
fn message(what: &'static str, name: &'static str, mut transcoder: Transcoder, src: &'static [u8]) -> Small {
    let mut room = [0; 256];
    small(what, name, 0, move || {
        transcoder.reset();
        assert!(transcoder.step(black_box(src), &mut room, true).is_ok());
    })
}

/// A character after others, as `iconv` converts it.
fn char(what: &'static str, name: &'static str, mut transcoder: Transcoder, src: &'static [u8]) -> Small {
    let mut room = [0; 256];
    assert!(transcoder.step(src, &mut room, false).is_ok());
    // The first character of the texts in two bytes is one of two.
    let unit = if matches!(name, "UTF-16LE" | "Shift_JIS" | "GB18030") { 2 } else { 1 };
    small(what, name, 0, move || assert_eq!(transcoder.step_chars(black_box(&src[..unit]), &mut room).read, unit))
}

/// Detection with a name that is known.
fn detection(name: &'static str, job: &Transcode, bytes: &'static [u8]) -> Small {
    let job = job.clone();
    // Most of them are for the names in the verdict, and for what it says of other charsets.
    let most = if name == "UTF-8" { 13 } else { 18 };
    small("detection", name, most, move || {
        let mut detector: Detector = job.detector();
        detector.feed(black_box(bytes));
        _ = black_box(detector.finish());
    })
}
