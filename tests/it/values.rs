//! Tests that a decoder of values decodes each value exactly as a separate run would, regardless of the values before
//! it: for every codec, policy and newline convention, and for any bytes. `Transcode::decode` takes the same fast path
//! and is tested too.

use crate::common::{codecs, encode, sample};
use charpipe::detect::Policy;
use charpipe::records::Shape;
use charpipe::{
    Bom, EbcdicNl, Eol, Error, ErrorKind, Kind, OnControl, OnMalformed, Registry, Relabel, Transcode, ValueDecoder,
};
use proptest::prelude::*;
use std::borrow::Cow;

/// Decodes the value with a whole run, which does not take the fast path.
fn decode_with_a_run(job: &Transcode, value: &[u8]) -> Result<String, Error> {
    let mut output = Vec::new();
    // The lines of a value are known, and those of a stream are if they are counted.
    job.clone().count_lines(true).run(value, &mut output)?;
    Ok(String::from_utf8(output).unwrap())
}

/// Returns everything that is visible of an error.
fn visible(error: &Error) -> String {
    format!("{:?} {error}", error.kind())
}

fn check_value(values: &mut ValueDecoder, job: &Transcode, value: &[u8]) {
    let expected = decode_with_a_run(job, value).map_err(|error| visible(&error));
    let decoded = values.decode(value).map(str::to_owned).map_err(|error| visible(&error));
    assert_eq!(decoded, expected, "{job:?}: {value:02X?}");
    let mut text = "before".to_owned();
    let into = values.decode_into(value, &mut text).map_err(|error| visible(&error));
    let appended = expected.as_ref().map_or("before".to_owned(), |text| format!("before{text}"));
    assert_eq!((into.err(), text), (expected.clone().err(), appended), "{job:?}: {value:02X?}");
    let one = job.decode(value);
    if let Ok(text) = &one {
        let is_same = text.as_bytes() == value;
        assert_eq!(matches!(text, Cow::Borrowed(_)), is_same, "{job:?}: {value:02X?}");
    }
    assert_eq!(one.map(Cow::into_owned).map_err(|error| visible(&error)), expected, "{job:?}: {value:02X?}");
}

const MALFORMED: [OnMalformed; 4] = [OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape];

/// Texts that have a special meaning at the beginning of a document, and some that almost have one.
const BEGINNINGS: [&str; 10] = [
    "\u{FEFF}a",
    "\u{FEFF}",
    "<?xml version='1.0' encoding='x'?><a/>",
    "<?xml version='1.0'?>\u{85}<a/>\u{85}",
    "<?xml?>",
    "<?xml",
    "<?xmlish?>",
    "<meta charset=x>",
    "a\r\nb\u{85}c\0\u{1A}\u{7F}\u{9F}",
    " <?xml version='1.0' encoding='x'?>",
];

/// Returns difficult values for `codec`.
fn hard_values(codec: &dyn charpipe::Codec) -> Vec<Vec<u8>> {
    let mut values: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\x0E".to_vec(),
        b"\x0F".to_vec(),
        b"\x0E\x45".to_vec(),
        b"\x0E\x45\x66\x45".to_vec(),
        b"\xC1\x0E\x45\x66\x0F\xC2".to_vec(),
        b"\x1B$B".to_vec(),
        b"\xFF".to_vec(),
        b"\xFE\xFF\x00a".to_vec(),
        b"\xFF\xFE\x00\x00a\x00\x00\x00".to_vec(),
        b"\xEF\xBB\xBFa".to_vec(),
        b"\x84\x31\x95\x33a".to_vec(),
        b"\xD8\x00".to_vec(),
        b"\x00\x00\x00\x00\x00".to_vec(),
        (0..=255).collect(),
        (0..=255).rev().collect(),
    ];
    for text in BEGINNINGS {
        values.push(encode(codec, text));
    }
    for len in [1008, 1009, 4096, 4097] {
        values.push(vec![0x61; len]);
        values.push(vec![0xE2; len]);
    }
    values
}

#[test]
fn every_codec_and_every_policy() {
    for codec in sample::codecs("values of every codec") {
        let values = hard_values(&*codec);
        for malformed in MALFORMED {
            let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(malformed);
            let mut decoder = job.values().unwrap();
            for value in &values {
                check_value(&mut decoder, &job, value);
            }
        }
    }
}

#[test]
fn every_option_that_changes_a_value() {
    let base = || Transcode::new().on_malformed(OnMalformed::Replace);
    let jobs = [
        base().ebcdic_nl(EbcdicNl::Zos),
        base().ebcdic_nl(EbcdicNl::Fold),
        base().eol(Eol::Lf),
        base().eol(Eol::Nel).on_control(OnControl::Space),
        base().on_control(OnControl::Drop),
        base().on_control(OnControl::Error),
        base().on_control(OnControl::Xml),
        base().bom(Bom::Add),
        base().bom(Bom::Keep),
        base().relabel(Relabel::Never),
        base().strict(true),
        base().kind(Kind::Xml),
        base().kind(Kind::Html),
        base().kind(Kind::Text),
        base().policy(Policy::Whatwg),
        base().policy(Policy::Feedparser),
        base().content_type("text/html"),
        base().content_type("text/xml; charset=utf-8"),
        base().guess(true),
    ];
    let labels =
        ["UTF-8", "UTF-16", "UTF-16LE", "ISO-10646-UCS-2", "UTF-32", "IBM037", "IBM1047", "IBM939", "US-ASCII"];
    for label in sample::one_in(3, "options", labels) {
        let codec = Registry::builtin().codec(label).unwrap();
        let values = hard_values(&*codec);
        for job in &jobs {
            let job = job.clone().source_encoding(label).unwrap();
            let mut decoder = job.values().unwrap();
            for value in &values {
                check_value(&mut decoder, &job, value);
            }
        }
    }
}

#[test]
fn options_that_values_do_not_support() {
    let job = || Transcode::new().source_encoding("IBM037").unwrap();
    let code = |job: Transcode| job.values().map(|_| ()).unwrap_err().code();
    assert_eq!(code(Transcode::new()), "options");
    assert_eq!(code(Transcode::new().fallback("IBM037").unwrap()), "options");
    assert_eq!(code(job().records(Shape::Fixed { lrecl: 80 })), "options");
    assert_eq!(code(job().to_records(Shape::RDW)), "options");
    assert_eq!(code(job().columns("1-3".parse().unwrap())), "options");
    assert_eq!(code(job().target_encoding("IBM037").unwrap()), "not-utf-8");
    let error = job().target_encoding("US-ASCII").unwrap().values().map(|_| ()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotUtf8 { codec, .. } if codec == "US-ASCII"), "{error}");
}

/// A decoder of values can be sent to another thread.
#[test]
fn a_decoder_of_values_can_be_sent() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&Transcode::new().source_encoding("IBM939").unwrap().values().unwrap());
}

fn values() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let byte = || prop_oneof![4 => any::<u8>(), 2 => 0x40u8..0x80, 1 => Just(0x0E), 1 => Just(0x0F), 1 => Just(0x1B), 1 => Just(0)];
    prop::collection::vec(prop::collection::vec(byte(), 0..40), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sample::cases(600)) })]

    #[test]
    fn any_bytes(
        codec in any::<prop::sample::Index>(),
        malformed in prop::sample::select(MALFORMED.to_vec()),
        nl in prop::sample::select(vec![EbcdicNl::Table, EbcdicNl::Zos, EbcdicNl::Fold]),
        eol in prop::sample::select(vec![Eol::Auto, Eol::Auto, Eol::Keep, Eol::Lf, Eol::Crlf]),
        controls in prop::sample::select(vec![OnControl::Keep, OnControl::Keep, OnControl::Space, OnControl::Xml, OnControl::Error]),
        values in values(),
        beginning in prop::sample::select(BEGINNINGS.to_vec()),
    ) {
        let codecs = codecs();
        let codec = &codecs[codec.index(codecs.len())];
        let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(malformed);
        let job = job.ebcdic_nl(nl).eol(eol).on_control(controls);
        let mut decoder = job.values().unwrap();
        let document = encode(&**codec, beginning);
        for value in &values {
            check_value(&mut decoder, &job, value);
            check_value(&mut decoder, &job, &[&document[..], value].concat());
        }
    }

    /// Shift codes, single bytes, pairs and halves of them in any order, in short values and in longer ones.
    #[test]
    fn shift_codes(
        codec in prop::sample::select(vec!["IBM930", "IBM939", "IBM1364", "IBM1388"]),
        malformed in prop::sample::select(MALFORMED.to_vec()),
        value in prop::collection::vec(prop::sample::select(b"\x0E\x0E\x0F\x0F\x40\x41\x45\x66\x81\xC1\xFE\xFF\0".to_vec()), 0..80),
    ) {
        let job = Transcode::new().source_encoding(codec).unwrap().on_malformed(malformed);
        let mut decoder = job.values().unwrap();
        for value in [value.clone(), [b"\x0E\x45\x66\x0F\xC1\x40", &value[..]].concat()] {
            check_value(&mut decoder, &job, &value);
        }
    }
}
