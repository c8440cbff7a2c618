//! Runs codecs that break the contract, each in one way. Each run fails with an error of the kind `Codec`. Nothing
//! hangs or panics.

use crate::common;

use crate::common::whole;
use charpipe::codec::{ByteSink, CodecInfo, MIN_ROOM, Malformed, Replacement, Step, Stop, Unmappable, Utf8Sink, drive};
use charpipe::{Codec, Decoder, Encoder, Error, ErrorKind, Kind, OnMalformed, Registry, Status, Transcode};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Violation {
    Correct,
    ReadsTooMuch,
    StopsWithoutReason,
    OutputFullTooEarly,
    EndlessFaults,
    EndlessFaultsAtTheEnd,
    FaultOfNoBytes,
    FaultBeforeTheInput,
    FaultTooLong,
    EndlessOutput,
    ReplacesTheSink,
    /// Once there is a `!` in the text.
    ReplacesTheSinkAtAMark,
    StopsInsideACharacter,
    HostileXmlName,
    PendingEverything,
    HasAForkThatHangs,
    Panics,
    ForkThatHangs,
}

use Violation::*;

struct Violator(Violation);

struct ViolatingDecoder(Violation);

struct ViolatingEncoder(Violation);

impl Codec for Violator {
    fn name(&self) -> &str {
        "X-BROKEN"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ViolatingDecoder(self.0))
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(ViolatingEncoder(self.0)))
    }

    fn info(&self) -> CodecInfo<'_> {
        let mut info = CodecInfo::new("X-BROKEN");
        if self.0 == HostileXmlName {
            info.xml_name = Some("X'?><evil/>");
        }
        info
    }
}

/// Returns the wrong step of this violation, if it is the same in both directions.
fn violate<F>(
    violation: Violation,
    len: usize,
    fault: impl Fn(u8, u8) -> F,
    write: impl FnOnce() -> bool,
) -> Option<Step<F>> {
    let step = |read, stop| Some(Step { read, stop });
    match violation {
        ReadsTooMuch => step(len + 1, Stop::InputEmpty),
        StopsWithoutReason => step(len.saturating_sub(1), Stop::InputEmpty),
        OutputFullTooEarly => step(0, Stop::OutputFull),
        EndlessFaults => step(0, Stop::Fault(fault(1, 0))),
        FaultOfNoBytes => step(len, Stop::Fault(fault(0, 0))),
        FaultBeforeTheInput => step(len, Stop::Fault(fault(9, 9))),
        FaultTooLong => step(len, Stop::Fault(fault(200, 0))),
        EndlessOutput if write() => step(0, Stop::OutputFull),
        EndlessOutput => step(0, Stop::OutputFull),
        _ => None,
    }
}

impl Decoder for ViolatingDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        if src.is_empty() {
            return Step { read: 0, stop: Stop::InputEmpty };
        }
        assert!(self.0 != Panics, "this violation panics");
        if self.0 == ForkThatHangs {
            return Step { read: 1, stop: Stop::OutputFull };
        }
        if self.0 == HasAForkThatHangs {
            // The target lacks this character.
            dst.push('漢');
            return Step { read: src.len(), stop: Stop::InputEmpty };
        }
        if self.0 == ReplacesTheSink || self.0 == ReplacesTheSinkAtAMark && src.contains(&b'!') {
            let buffer: &'static mut [u8] = Box::leak(vec![b'x'; 90_000].into_boxed_slice());
            let mut other = Utf8Sink::new(buffer);
            for _ in 0..5000 {
                other.push_str("text elsewhere  ");
            }
            *dst = other;
            return Step { read: src.len(), stop: Stop::InputEmpty };
        }
        violate(self.0, src.len(), |len, after| Malformed { len, after }, || dst.push('x')).unwrap_or_else(|| {
            let read = dst.push_ascii(src);
            Step { read, stop: if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull } }
        })
    }

    fn finish(&mut self, _: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        match self.0 {
            EndlessFaultsAtTheEnd => Stop::Fault(Malformed { len: 1, after: 0 }),
            _ => Stop::InputEmpty,
        }
    }

    fn reset(&mut self) {}

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(ViolatingDecoder(if self.0 == HasAForkThatHangs { ForkThatHangs } else { self.0 }))
    }

    fn pending(&self) -> usize {
        if self.0 == PendingEverything { usize::MAX } else { 0 }
    }
}

impl Encoder for ViolatingEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        if src.is_empty() {
            return Step { read: 0, stop: Stop::InputEmpty };
        }
        match self.0 {
            ReplacesTheSinkAtAMark if !src.contains('!') => {}
            ReplacesTheSink | ReplacesTheSinkAtAMark => {
                *dst = ByteSink::new(Box::leak(vec![b'x'; 90_000].into_boxed_slice()));
                dst.push(&[b'y'; 80_000]);
                return Step { read: src.len(), stop: Stop::InputEmpty };
            }
            StopsInsideACharacter => return Step { read: 1, stop: Stop::OutputFull },
            _ => {}
        }
        let fault = |len: u8, after| Unmappable { ch: 'x', after: if len > 100 { 200 } else { after } };
        violate(self.0, src.len(), fault, || dst.push(b"x")).unwrap_or_else(|| {
            let read = src.len().min(dst.room());
            dst.push(&src.as_bytes()[..read]);
            Step { read, stop: if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull } }
        })
    }

    fn finish(&mut self, _: &mut ByteSink<'_>) -> Stop<Unmappable> {
        match self.0 {
            EndlessFaultsAtTheEnd => Stop::Fault(Unmappable { ch: '\u{10FFFF}', after: 255 }),
            _ => Stop::InputEmpty,
        }
    }

    fn reset(&mut self) {}

    fn encode_replacement(&mut self, _: char, _: Replacement<'_>, _: &mut ByteSink<'_>) -> bool {
        false
    }

    fn pending(&self) -> usize {
        if self.0 == PendingEverything { usize::MAX } else { 0 }
    }
}

fn registry(violation: Violation) -> Registry {
    let mut registry = Registry::builtin();
    registry.register(Arc::new(Violator(violation)), &[]).unwrap();
    registry
}

fn is_codec_error(job: &Transcode, input: &[u8]) -> bool {
    match job.run(input, std::io::sink()) {
        Err(error) => matches!(error.kind(), ErrorKind::Codec { codec, .. } if codec == "X-BROKEN"),
        Ok(_) => false,
    }
}

#[test]
fn decoders_that_break_the_contract() {
    for violation in [
        ReadsTooMuch,
        StopsWithoutReason,
        OutputFullTooEarly,
        EndlessFaults,
        EndlessFaultsAtTheEnd,
        FaultOfNoBytes,
        FaultBeforeTheInput,
        FaultTooLong,
        EndlessOutput,
        ReplacesTheSink,
        PendingEverything,
    ] {
        for target in ["UTF-8", "IBM037"] {
            for policy in [OnMalformed::Replace, OnMalformed::Drop] {
                let job = Transcode::new()
                    .registry(registry(violation))
                    .source_encoding("X-BROKEN")
                    .unwrap()
                    .target_encoding(target)
                    .unwrap();
                assert!(is_codec_error(&job.on_malformed(policy), b"abc"), "{violation:?} to {target}");
            }
        }
    }
}

#[test]
fn encoders_that_break_the_contract() {
    for violation in [
        ReadsTooMuch,
        StopsWithoutReason,
        OutputFullTooEarly,
        FaultTooLong,
        EndlessOutput,
        ReplacesTheSink,
        StopsInsideACharacter,
        EndlessFaultsAtTheEnd,
        PendingEverything,
    ] {
        let job = Transcode::new().registry(registry(violation)).target_encoding("X-BROKEN").unwrap();
        assert!(is_codec_error(&job, "éé".as_bytes()), "{violation:?}");
    }
}

#[test]
fn a_correct_codec_passes() {
    let job = Transcode::new().registry(registry(Correct));
    assert_eq!(whole(&job.clone().source_encoding("X-BROKEN").unwrap(), b"abc").output, b"abc");
    assert_eq!(whole(&job.target_encoding("X-BROKEN").unwrap(), b"abc").output, b"abc");
}

/// The loop for decoders ends with any of them, without the checks of the transcoder.
#[test]
fn a_driven_decoder_that_breaks_the_contract() {
    let read = |violation, is_end, goes_on: bool| {
        let (mut text, mut steps, mut faults) = (String::new(), 0, 0);
        let mut decoder = ViolatingDecoder(violation);
        let is_decoded = drive(&mut decoder, b"abc", is_end, &mut [0; MIN_ROOM], |step| {
            text.push_str(step.text);
            steps += 1;
            faults += usize::from(step.fault.is_some());
            goes_on
        });
        assert!(steps <= 2000, "{violation:?}");
        (is_decoded, text, faults)
    };
    for violation in [ReadsTooMuch, StopsWithoutReason, OutputFullTooEarly, EndlessFaults, EndlessOutput] {
        assert!(!read(violation, false, true).0, "{violation:?}");
    }
    assert_eq!(read(Correct, true, true), (true, "abc".to_owned(), 0));
    assert_eq!(read(Correct, true, false), (false, "abc".to_owned(), 0));
    // The end is reached only with `is_end`.
    assert_eq!(read(EndlessFaultsAtTheEnd, false, true), (true, "abc".to_owned(), 0));
    assert_eq!(read(EndlessFaultsAtTheEnd, true, true), (false, "abc".to_owned(), 1024));
}

/// The steps add up to the input, with any room, and an unfinished character stays pending.
#[test]
fn driven_in_pieces() {
    let codec = Registry::builtin().codec("UTF-8").unwrap();
    let input = "aé€😀".repeat(100);
    let mut decoder = codec.decoder();
    let (mut text, mut read, mut pending) = (String::new(), 0, 0);
    for (piece, is_end) in [(&input.as_bytes()[..509], false), (&input.as_bytes()[509..], false), (&[][..], true)] {
        assert!(drive(&mut *decoder, piece, is_end, &mut [0; MIN_ROOM], |step| {
            (text, read, pending) = (text.clone() + step.text, read + step.read, step.pending);
            step.fault.is_none()
        }));
        assert!(piece.len() != 509 || pending == 3, "{pending}");
    }
    assert_eq!((&text, read), (&input, input.len()));
    // Two bytes of three are malformed at the end, and only there.
    let cut = |is_end| drive(&mut *codec.decoder(), b"a\xE2\x82", is_end, &mut [0; 64], |step| step.fault.is_none());
    assert_eq!((cut(false), cut(true)), (true, false));
}

/// Tests buffers of several sizes: the byte count of a replaced sink is never trusted.
#[test]
fn replaced_sinks_and_small_buffers() {
    let job = Transcode::new().registry(registry(ReplacesTheSink)).target_encoding("X-BROKEN").unwrap();
    for size in [1, 16, 63, 64, 200, 5000] {
        let mut cuts = std::iter::repeat(usize::MAX);
        let outcome = common::drive(&job, b"abc", &mut cuts, &mut std::iter::repeat(size), false);
        assert!(outcome.error.is_some() && outcome.output.is_empty());
    }
}

/// What is kept of earlier messages and values does not hide what a codec does in a later one.
#[test]
fn a_sink_that_is_replaced_later() {
    let job = |from, to| {
        let job = Transcode::new().registry(registry(ReplacesTheSinkAtAMark));
        job.source_encoding(from).unwrap().target_encoding(to).unwrap()
    };
    let is_broken = |result: Result<(), Error>| {
        result.is_err_and(|error| matches!(error.kind(), ErrorKind::Codec { codec, .. } if codec == "X-BROKEN"))
    };
    for (from, to) in [("X-BROKEN", "UTF-8"), ("UTF-8", "X-BROKEN"), ("X-BROKEN", "IBM037"), ("IBM037", "X-BROKEN")] {
        let mut transcoder = job(from, to).transcoder().unwrap();
        for (message, is_good) in [("abc", true), ("abd", true), ("ab!", false), ("abc", true)] {
            let bytes =
                if from == "IBM037" { job("UTF-8", "IBM037").encode_to_vec(message).unwrap() } else { message.into() };
            let (mut read, mut room) = (0, [0; 200]);
            let result = loop {
                // Good output comes before the error.
                match transcoder.step(&bytes[read..], &mut room, true) {
                    Ok(step) if step.state == Status::NeedRoom => read += step.read,
                    result => break result,
                }
            };
            assert_eq!(is_broken(result.map(|_| ())), !is_good, "{from} to {to}: {message}");
            transcoder.reset();
        }
    }
    let (mut decoder, mut encoder) =
        (job("X-BROKEN", "UTF-8").values().unwrap(), job("UTF-8", "X-BROKEN").value_encoder().unwrap());
    for (value, is_good) in [("abc", true), ("ab!", false), ("abc", true)] {
        assert_eq!(is_broken(decoder.decode(value.as_bytes()).map(|_| ())), !is_good, "{value}");
        assert_eq!(is_broken(encoder.encode(value).map(|_| ())), !is_good, "{value}");
        assert_eq!(is_broken(job("X-BROKEN", "UTF-8").decode(value.as_bytes()).map(|_| ())), !is_good, "{value}");
        assert_eq!(is_broken(job("UTF-8", "X-BROKEN").encode(value).map(|_| ())), !is_good, "{value}");
    }
}

/// A fork of the decoder never makes progress. The search for an offset, which uses it, ends all the same.
#[test]
fn a_fork_that_hangs() {
    let job = Transcode::new()
        .registry(registry(HasAForkThatHangs))
        .source_encoding("X-BROKEN")
        .unwrap()
        .target_encoding("IBM037")
        .unwrap();
    let error = job.run("ab\u{7F}é".as_bytes(), std::io::sink()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Codec { .. } | ErrorKind::Unmappable { .. }), "{error}");
}

/// If a program catches the panic of a codec and continues, the transcoder returns an error.
#[test]
fn a_codec_that_panics() {
    let job = Transcode::new()
        .registry(registry(Panics))
        .source_encoding("X-BROKEN")
        .unwrap()
        .target_encoding("IBM037")
        .unwrap();
    let mut transcoder = job.on_malformed(OnMalformed::Replace).transcoder().unwrap();
    let mut buffer = [0; 100];
    let step = std::panic::AssertUnwindSafe(|| transcoder.step(b"abcd", &mut buffer, true));
    assert!(std::panic::catch_unwind(step).is_err());
    let error = transcoder.step(b"abcd", &mut buffer, true).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Codec { what: "panicked", .. }));
}

#[test]
fn a_name_cannot_break_out_of_the_declaration() {
    let job = Transcode::new().registry(registry(HostileXmlName)).kind(Kind::Xml).target_encoding("X-BROKEN").unwrap();
    for input in ["<?xml version='1.0' encoding='UTF-8'?><a/>", "<?xml version='1.0'?><a/>", "<a/>"] {
        let error = job.run(input.as_bytes(), std::io::sink()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoXmlName { .. }), "{error}");
    }
    // If the declared codec breaks the contract, detection gives an error at worst.
    for violation in
        [ReadsTooMuch, OutputFullTooEarly, EndlessFaults, EndlessOutput, ReplacesTheSink, PendingEverything]
    {
        let job = Transcode::new().registry(registry(violation));
        let _ = whole(&job, b"<?xml version='1.0' encoding='X-BROKEN'?><a/>");
        let _ = whole(&job.source_encoding("X-BROKEN").unwrap(), b"<?xml version='1.0' encoding='X-BROKEN'?><a/>");
    }
}
