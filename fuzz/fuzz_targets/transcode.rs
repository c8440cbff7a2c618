//! Tests whole jobs: however the input is cut, the result is the same as in one piece, and converting from a charset to
//! UTF-8 and back reproduces the bytes.

#![no_main]

use charpipe::{Bom, EbcdicNl, Eol, Kind, OnMalformed, Relabel, Transcode};
use charpipe_fuzz::{Choices, Cuts, REVERSIBLE, whole};
use libfuzzer_sys::fuzz_target;

/// More than the transcoder decodes at a time. Used only if the first error ends the job, because 70,000 errors take
/// too long.
const LARGE: usize = 70_000;

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let mut cuts = Cuts::new(&mut choices);
    let back_and_forth = choices.byte() % 4 == 3;
    let malformed = *choices.one(&[OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape]);
    let eol = *choices.one(&[Eol::Auto, Eol::Keep, Eol::Lf, Eol::Crlf, Eol::Nel]);
    let nl = *choices.one(&[EbcdicNl::Table, EbcdicNl::Zos, EbcdicNl::Fold]);
    let bom = *choices.one(&[Bom::Auto, Bom::Keep, Bom::Strip, Bom::Add]);
    let relabel = *choices.one(&[Relabel::Auto, Relabel::Never]);
    let kind = *choices.one(&[None, Some(Kind::Xml), Some(Kind::Text)]);
    let strict = choices.byte() % 2 == 1;
    let large = choices.byte() == 0xFF && malformed == OnMalformed::Fail;
    let (from, to) = (choices.codec_or_none(), choices.codec());
    let reversible = choices.one(&REVERSIBLE);
    let mut input = choices.payload().to_vec();
    if large && !input.is_empty() {
        input = input.iter().copied().cycle().take(LARGE).collect();
        cuts = cuts.times(1021);
    }

    if back_and_forth {
        let nl = if nl == EbcdicNl::Fold { EbcdicNl::Table } else { nl };
        let exact = Transcode::new().relabel(Relabel::Never).bom(Bom::Keep).eol(Eol::Keep).ebcdic_nl(nl);
        let there = exact.clone().source_encoding(reversible.name()).unwrap();
        let text = whole(&there, &input);
        if text.error.is_none() {
            let back = exact.source_encoding("UTF-8").unwrap().target_encoding(reversible.name()).unwrap();
            let bytes = cuts.run(&back, &text.output);
            assert_eq!((bytes.error, &bytes.output), (None, &input), "{}", reversible.name());
        }
        return;
    }

    let mut job =
        Transcode::new().on_malformed(malformed).eol(eol).ebcdic_nl(nl).bom(bom).relabel(relabel).strict(strict);
    let Ok(target) = job.clone().target_encoding(to.name()) else { return };
    job = target;
    if let Some(from) = from {
        job = job.source_encoding(from.name()).unwrap();
    }
    if let Some(kind) = kind {
        job = job.kind(kind);
    }
    if job.transcoder().is_err() {
        return;
    }
    let expected = whole(&job, &input);
    assert!(expected.offset.is_none_or(|offset| offset <= input.len() as u64), "{expected:?}");
    if to.name() == "UTF-8" {
        assert!(std::str::from_utf8(&expected.output).is_ok());
    }
    assert!(!expected.error.as_ref().is_some_and(|error| error.contains("is broken")), "{:?}", expected.error);
    assert_eq!(cuts.run(&job, &input), expected, "{job:?}");
});
