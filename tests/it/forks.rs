//! Tests copies of transcoders: a copy continues as the original does, and neither notices the other.

use crate::common::{Outcome, TEXT, encode, sample, samples, whole};
use charpipe::{Eol, Error, Kind, OnMalformed, OnUnknown, OnUnmappable, Status, Transcode, Transcoder};

/// Gives `input` to the transcoder and appends what comes out to `output`.
fn give(transcoder: &mut Transcoder, mut input: &[u8], is_last: bool, output: &mut Vec<u8>) -> Result<(), Error> {
    let mut room = [0; 512];
    loop {
        let step = transcoder.step(input, &mut room, is_last)?;
        output.extend_from_slice(&room[..step.written]);
        input = &input[step.read..];
        if step.state != Status::NeedRoom {
            return Ok(());
        }
    }
}

/// Returns the outcome of a transcoder that has written `output` so far and gets the rest of the input.
fn finished(mut transcoder: Transcoder, rest: &[u8], mut output: Vec<u8>) -> Outcome {
    let error = give(&mut transcoder, rest, true, &mut output).err();
    assert!(transcoder.fork().is_none(), "there is a copy after the end");
    assert_eq!(transcoder.report().bytes_out, output.len() as u64);
    Outcome::of(&transcoder, output, error)
}

/// Makes a copy after every byte of the input. Every copy gives the same as the original, and so does every copy of a
/// copy: every second time, the copy continues and the original is finished first.
fn check(job: &Transcode, input: &[u8], what: &str) {
    let expected = whole(job, input);
    let (mut transcoder, mut output) = (job.transcoder().unwrap(), Vec::new());
    for at in 0..input.len() {
        let mut copy = transcoder.fork().unwrap_or_else(|| panic!("{what}: no copy at {at}"));
        assert_eq!(copy.pending(), transcoder.pending(), "{what}, at {at}");
        if at % 2 == 0 {
            std::mem::swap(&mut copy, &mut transcoder);
        }
        assert_eq!(finished(copy, &input[at..], output.clone()), expected, "{what}, at {at}");
        if give(&mut transcoder, &input[at..=at], false, &mut output).is_err() {
            assert!(transcoder.fork().is_none(), "{what}: a copy after an error");
            return;
        }
    }
    assert_eq!(finished(transcoder, &[], output), expected, "{what}");
}

fn named(from: &str, to: &str) -> Transcode {
    Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap()
}

#[test]
fn decoding() {
    for codec in sample::codecs("forks: decoding") {
        for input in samples(&*codec) {
            for policy in [OnMalformed::Fail, OnMalformed::Replace] {
                check(&named(codec.name(), "UTF-8").on_malformed(policy), &input, codec.name());
            }
        }
    }
}

#[test]
fn encoding() {
    for codec in sample::codecs("forks: encoding") {
        let job = named("UTF-8", codec.name()).on_unmappable(OnUnmappable::Replace);
        check(&job, TEXT.as_bytes(), codec.name());
        check(&job.eol(Eol::Crlf), TEXT.as_bytes(), codec.name());
    }
}

/// In every phase of detection, and with a label that is corrected.
#[test]
fn detection() {
    let document = "<?xml version='1.0' encoding='IBM939'?>\r\n<a>日本 €</a>";
    let in_pairs = encode(&*charpipe::Registry::builtin().codec("IBM939").unwrap(), document);
    let html = b"<!DOCTYPE html><meta charset=iso-8859-1><meta charset=iso-8859-1><p>caf\xE9\r\n";
    for target in ["UTF-8", "UTF-16", "IBM1399", "US-ASCII"] {
        let job = Transcode::new().target_encoding(target).unwrap();
        check(&job, &in_pairs, "XML in IBM939");
        check(&job, html, "HTML");
        check(&job.clone().kind(Kind::Xml), document.as_bytes(), "XML in UTF-8");
        check(&job.on_unknown(OnUnknown::Pass), b"GIF89a\0\x01\xFF\xFE\x80", "an image");
    }
    // The whole input is held back until it ends.
    let job = Transcode::new().fallbacks(["UTF-16LE", "IBM037"]).unwrap();
    check(&job, b"\xC8\x85\x93\x93\x96", "fallbacks that are not ASCII");
}

/// What is pending is what the output does not stand for.
#[test]
fn pending_bytes() {
    for codec in sample::codecs("forks: pending") {
        let job = named(codec.name(), "UTF-8").kind(Kind::Text);
        let input = encode(&*codec, TEXT);
        let (mut transcoder, mut output) = (job.transcoder().unwrap(), Vec::new());
        for (at, byte) in input.iter().enumerate() {
            give(&mut transcoder, &[*byte], false, &mut output).unwrap();
            let before = &input[..at + 1 - transcoder.pending()];
            assert_eq!(whole(&job, before).output, output, "{} at {at}", codec.name());
        }
    }
}

/// Where there is no copy, there is no wrong one.
#[test]
fn no_copies() {
    let mut room = [0; 4];
    let mut transcoder = named("UTF-8", "UTF-16BE").transcoder().unwrap();
    let _ = transcoder.step(b"12345", &mut room, false).unwrap();
    assert!(transcoder.fork().is_none(), "output is waiting");

    let shape = || "fb:2".parse::<charpipe::records::Shape>().unwrap();
    for job in [named("IBM037", "UTF-8").records(shape()), named("UTF-8", "IBM037").to_records(shape())] {
        let mut transcoder = job.transcoder().unwrap();
        let _ = transcoder.step(b"abcd", &mut [0; 64], false).unwrap();
        assert!(transcoder.fork().is_none(), "records");
    }
    let job = Transcode::new().fallbacks(["US-ASCII", "UTF-8"]).unwrap();
    let mut transcoder = job.transcoder().unwrap();
    let _ = transcoder.step(b"some text", &mut [0; 64], false).unwrap();
    assert!(transcoder.fork().is_none(), "several fallbacks");
}
