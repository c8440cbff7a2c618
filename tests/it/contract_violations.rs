//! Runs codecs that break the contract, each in one way. Each gets an error of the kind `Codec`; nothing hangs or
//! panics.

use crate::common;

use crate::common::whole;
use charpipe::codec::{ByteSink, CodecInfo, Malformed, Replacement, Step, Stop, Unmappable, Utf8Sink};
use charpipe::{Codec, Decoder, Encoder, ErrorKind, Kind, OnMalformed, Registry, Transcode};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lie {
    Honest,
    ReadsTooMuch,
    StopsWithoutReason,
    WantsRoomThatItHas,
    FaultsForEver,
    FaultsForEverAtTheEnd,
    FaultOfNothing,
    FaultBeforeTheInput,
    FaultTooLong,
    WritesForEver,
    ExchangesTheSink,
    StopsWithinACharacter,
    NamesAnEscape,
    PendingEverything,
    ForkHangs,
    Panics,
    ForkThatHangs,
}

use Lie::*;

struct Liar(Lie);

struct LyingDecoder(Lie);

struct LyingEncoder(Lie);

impl Codec for Liar {
    fn name(&self) -> &str {
        "X-LIAR"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(LyingDecoder(self.0))
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(LyingEncoder(self.0)))
    }

    fn info(&self) -> CodecInfo<'_> {
        let mut info = CodecInfo::new("X-LIAR");
        if self.0 == NamesAnEscape {
            info.xml_name = Some("X'?><evil/>");
        }
        info
    }
}

/// What the lie answers, whatever the direction.
fn answer<F>(lie: Lie, len: usize, fault: impl Fn(u8, u8) -> F, write: impl FnOnce() -> bool) -> Option<Step<F>> {
    let step = |read, stop| Some(Step { read, stop });
    match lie {
        ReadsTooMuch => step(len + 1, Stop::InputEmpty),
        StopsWithoutReason => step(len.saturating_sub(1), Stop::InputEmpty),
        WantsRoomThatItHas => step(0, Stop::OutputFull),
        FaultsForEver => step(0, Stop::Fault(fault(1, 0))),
        FaultOfNothing => step(len, Stop::Fault(fault(0, 0))),
        FaultBeforeTheInput => step(len, Stop::Fault(fault(9, 9))),
        FaultTooLong => step(len, Stop::Fault(fault(200, 0))),
        WritesForEver if write() => step(0, Stop::OutputFull),
        WritesForEver => step(0, Stop::OutputFull),
        _ => None,
    }
}

impl Decoder for LyingDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        if src.is_empty() {
            return Step { read: 0, stop: Stop::InputEmpty };
        }
        assert!(self.0 != Panics, "as asked");
        if self.0 == ForkThatHangs {
            return Step { read: 1, stop: Stop::OutputFull };
        }
        if self.0 == ForkHangs {
            // Its text is not what it was given, so that something is unmappable.
            dst.push('漢');
            return Step { read: src.len(), stop: Stop::InputEmpty };
        }
        if self.0 == ExchangesTheSink {
            let room: &'static mut [u8] = Box::leak(vec![b'x'; 90_000].into_boxed_slice());
            let mut other = Utf8Sink::new(room);
            for _ in 0..5000 {
                other.push_str("nothing of yours");
            }
            *dst = other;
            return Step { read: src.len(), stop: Stop::InputEmpty };
        }
        answer(self.0, src.len(), |len, after| Malformed { len, after }, || dst.push('x')).unwrap_or_else(|| {
            let read = dst.push_ascii(src);
            Step { read, stop: if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull } }
        })
    }

    fn finish(&mut self, _: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        match self.0 {
            FaultsForEverAtTheEnd => Stop::Fault(Malformed { len: 1, after: 0 }),
            _ => Stop::InputEmpty,
        }
    }

    fn reset(&mut self) {}

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(LyingDecoder(if self.0 == ForkHangs { ForkThatHangs } else { self.0 }))
    }

    fn pending(&self) -> usize {
        if self.0 == PendingEverything { usize::MAX } else { 0 }
    }
}

impl Encoder for LyingEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        if src.is_empty() {
            return Step { read: 0, stop: Stop::InputEmpty };
        }
        match self.0 {
            ExchangesTheSink => {
                *dst = ByteSink::new(Box::leak(vec![b'x'; 90_000].into_boxed_slice()));
                dst.push(&[b'y'; 80_000]);
                return Step { read: src.len(), stop: Stop::InputEmpty };
            }
            StopsWithinACharacter => return Step { read: 1, stop: Stop::OutputFull },
            _ => {}
        }
        let fault = |len: u8, after| Unmappable { ch: 'x', after: if len > 100 { 200 } else { after } };
        answer(self.0, src.len(), fault, || dst.push(b"x")).unwrap_or_else(|| {
            let read = src.len().min(dst.room());
            dst.push(&src.as_bytes()[..read]);
            Step { read, stop: if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull } }
        })
    }

    fn finish(&mut self, _: &mut ByteSink<'_>) -> Stop<Unmappable> {
        match self.0 {
            FaultsForEverAtTheEnd => Stop::Fault(Unmappable { ch: '\u{10FFFF}', after: 255 }),
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

fn registry(lie: Lie) -> Registry {
    let mut registry = Registry::builtin();
    registry.register(Arc::new(Liar(lie)), &[]).unwrap();
    registry
}

fn is_codec_error(job: &Transcode, input: &[u8]) -> bool {
    match job.run(input, std::io::sink()) {
        Err(error) => matches!(error.kind(), ErrorKind::Codec { codec, .. } if codec == "X-LIAR"),
        Ok(_) => false,
    }
}

#[test]
fn decoders_that_lie() {
    for lie in [
        ReadsTooMuch,
        StopsWithoutReason,
        WantsRoomThatItHas,
        FaultsForEver,
        FaultsForEverAtTheEnd,
        FaultOfNothing,
        FaultBeforeTheInput,
        FaultTooLong,
        WritesForEver,
        ExchangesTheSink,
        PendingEverything,
    ] {
        for target in ["UTF-8", "IBM037"] {
            for policy in [OnMalformed::Replace, OnMalformed::Drop] {
                let job = Transcode::new()
                    .registry(registry(lie))
                    .source_encoding("X-LIAR")
                    .unwrap()
                    .target_encoding(target)
                    .unwrap();
                assert!(is_codec_error(&job.on_malformed(policy), b"abc"), "{lie:?} to {target}");
            }
        }
    }
}

#[test]
fn encoders_that_lie() {
    for lie in [
        ReadsTooMuch,
        StopsWithoutReason,
        WantsRoomThatItHas,
        FaultTooLong,
        WritesForEver,
        ExchangesTheSink,
        StopsWithinACharacter,
        FaultsForEverAtTheEnd,
        PendingEverything,
    ] {
        let job = Transcode::new().registry(registry(lie)).target_encoding("X-LIAR").unwrap();
        assert!(is_codec_error(&job, "éé".as_bytes()), "{lie:?}");
    }
}

#[test]
fn an_honest_one_passes() {
    let job = Transcode::new().registry(registry(Honest));
    assert_eq!(whole(&job.clone().source_encoding("X-LIAR").unwrap(), b"abc").output, b"abc");
    assert_eq!(whole(&job.target_encoding("X-LIAR").unwrap(), b"abc").output, b"abc");
}

/// Under rooms of every size: what a sink that was exchanged counts is believed nowhere.
#[test]
fn exchanged_sinks_and_small_rooms() {
    let job = Transcode::new().registry(registry(ExchangesTheSink)).target_encoding("X-LIAR").unwrap();
    for room in [1, 16, 63, 64, 200, 5000] {
        let mut cuts = std::iter::repeat(usize::MAX);
        let outcome = common::drive(&job, b"abc", &mut cuts, &mut std::iter::repeat(room), false);
        assert!(outcome.error.is_some() && outcome.output.is_empty());
    }
}

/// A fork that takes a byte again and again: the search for an offset ends all the same.
#[test]
fn a_fork_that_lies() {
    let job = Transcode::new()
        .registry(registry(ForkHangs))
        .source_encoding("X-LIAR")
        .unwrap()
        .target_encoding("IBM037")
        .unwrap();
    let error = job.run("ab\u{7F}é".as_bytes(), std::io::sink()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Codec { .. } | ErrorKind::Unmappable { .. }), "{error}");
}

/// A codec that panics, in a program that catches it: nothing is claimed of what it left behind.
#[test]
fn a_codec_that_panics() {
    let job = Transcode::new()
        .registry(registry(Panics))
        .source_encoding("X-LIAR")
        .unwrap()
        .target_encoding("IBM037")
        .unwrap();
    let mut transcoder = job.on_malformed(OnMalformed::Replace).transcoder().unwrap();
    let mut room = [0; 100];
    let step = std::panic::AssertUnwindSafe(|| transcoder.step(b"abcd", &mut room, true));
    assert!(std::panic::catch_unwind(step).is_err());
    let error = transcoder.step(b"abcd", &mut room, true).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Codec { what: "panicked", .. }));
}

#[test]
fn a_name_cannot_break_out_of_the_declaration() {
    let job = Transcode::new().registry(registry(NamesAnEscape)).kind(Kind::Xml).target_encoding("X-LIAR").unwrap();
    for input in ["<?xml version='1.0' encoding='UTF-8'?><a/>", "<?xml version='1.0'?><a/>", "<a/>"] {
        let error = job.run(input.as_bytes(), std::io::sink()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoXmlName { .. }), "{error}");
    }
    // Detection with a lying codec as the declared one: no more than an error.
    for lie in [ReadsTooMuch, WantsRoomThatItHas, FaultsForEver, WritesForEver, ExchangesTheSink, PendingEverything] {
        let job = Transcode::new().registry(registry(lie));
        let _ = whole(&job, b"<?xml version='1.0' encoding='X-LIAR'?><a/>");
        let _ = whole(&job.source_encoding("X-LIAR").unwrap(), b"<?xml version='1.0' encoding='X-LIAR'?><a/>");
    }
}
