//! Tests the decoder of each codec: for any bytes, pieces and buffer sizes it gives the same text, and the same error
//! at the same offset.

#![no_main]

use charpipe::{Eol, OnMalformed, Relabel, Transcode};
use charpipe_fuzz::{Choices, Cuts, whole};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let cuts = Cuts::new(&mut choices);
    let codec = choices.codec();
    let malformed = *choices.one(&[OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape]);
    // With a text stage, the text takes the general path through the encoder.
    let eol = *choices.one(&[Eol::Keep, Eol::Lf]);
    let input = choices.payload();
    let job = Transcode::new()
        .source_encoding(codec.name())
        .unwrap()
        .on_malformed(malformed)
        .eol(eol)
        .relabel(Relabel::Never);
    let expected = whole(&job, input);
    // Decodes a value twice: the first must leave nothing behind.
    let mut values = job.values().unwrap();
    for _ in 0..2 {
        match values.decode(input) {
            Ok(text) => assert_eq!((text, &expected.error), (expected.text(), &None)),
            Err(error) => assert_eq!(Some(error.to_string()), expected.error),
        }
    }
    assert!(std::str::from_utf8(&expected.output).is_ok(), "{}", codec.name());
    assert!(malformed == OnMalformed::Fail || expected.error.is_none(), "{expected:?}");
    assert!(expected.offset.is_none_or(|offset| offset < input.len() as u64), "{expected:?}");
    assert_eq!(cuts.run(&job, input), expected, "{}", codec.name());
});
