//! Tests conversions from one single-byte charset to another, in which most bytes never become text. The result must be
//! the same as through UTF-8, including errors.

use crate::common;

use crate::common::{codecs, invariant, whole};
use charpipe::{OnMalformed, OnUnmappable, Registry, Transcode};

#[test]
fn every_pair_of_single_byte_charsets() {
    // Every byte, and enough bytes that most of them are converted in blocks.
    let input: Vec<u8> = (0..=255u8).chain((0..=255).rev()).chain((0..900u16).map(|n| (n * 7) as u8)).collect();
    let single: Vec<_> = codecs().into_iter().filter(|codec| codec.decoder().is_bytewise()).collect();
    assert!(single.len() > 100, "{}", single.len());
    let targets = ["IBM037", "IBM1025", "ISO-8859-1", "windows-1251", "IBM01140", "US-ASCII", "IBM424"];
    // The web charsets need their feature.
    let targets = targets.into_iter().filter(|to| Registry::builtin().codec(to).is_ok());
    for from in &single {
        let text = Transcode::new().source_encoding(from.name()).unwrap().on_malformed(OnMalformed::Drop);
        let utf8 = whole(&text, &input);
        for to in targets.clone() {
            let both = |job: Transcode| {
                job.target_encoding(to).unwrap().on_malformed(OnMalformed::Drop).on_unmappable(OnUnmappable::Replace)
            };
            let direct = whole(&both(Transcode::new().source_encoding(from.name()).unwrap()), &input);
            let second = whole(&both(Transcode::new().source_encoding("UTF-8").unwrap()), &utf8.output);
            assert_eq!(direct.output, second.output, "{} to {to}", from.name());
            assert_eq!(direct.error, None);
        }
    }
}

#[test]
fn an_error_far_into_the_input_has_its_offset() {
    for (from, to, at) in [("windows-1252", "IBM037", 3), ("IBM1025", "ISO-8859-1", 1170), ("TIS-620", "IBM037", 1300)]
    {
        // Spaces around one character that the target lacks: € , Б and ก.
        let Ok(codec) = Registry::builtin().codec(from) else { continue };
        let odd = ["€", "Б", "ก"].map(|ch| common::encode(&*codec, ch)).into_iter().find(|bytes| !bytes.is_empty());
        let blank = common::encode(&*codec, " ");
        let mut input = blank.repeat(at);
        input.extend(odd.unwrap());
        input.extend(blank.repeat(40));
        let outcome =
            invariant(&Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap(), &input, from);
        assert_eq!((outcome.offset, outcome.output.len()), (Some(at as u64), at), "{from} to {to}");
    }
}
