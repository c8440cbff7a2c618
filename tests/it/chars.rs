//! Tests [`Transcoder::step_chars`]: it reads only whole characters, and the result is the same as with other steps.

use crate::common::work::work_in;
use crate::common::{Outcome, TEXT, encode, sample, samples, whole};
use charpipe::{CharStop, Eol, Kind, OnMalformed, OnUnmappable, Registry, Status, Transcode, Transcoder};

fn named(from: &str, to: &str) -> Transcode {
    Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap().kind(Kind::Text)
}

/// Gives the rest of the input to the transcoder, which has written `output` so far. Returns the outcome of it all.
fn finished(mut transcoder: Transcoder, mut rest: &[u8], mut output: Vec<u8>) -> Outcome {
    let mut room = [0; 512];
    let error = loop {
        match transcoder.step(rest, &mut room, true) {
            Ok(step) => {
                output.extend_from_slice(&room[..step.written]);
                rest = &rest[step.read..];
                if step.state == Status::Done {
                    break None;
                }
            }
            Err(error) => break Some(error),
        }
    };
    assert_eq!(transcoder.report().bytes_out, output.len() as u64);
    Outcome::of(&transcoder, output, error)
}

/// Converts `input` in pieces of `piece` bytes, with `room` bytes of output at a time; more if a character needs more.
/// What `step_chars` leaves goes to the other steps. Returns the outcome.
fn run(job: &Transcode, input: &[u8], (piece, room): (usize, usize), what: &str) -> Outcome {
    let (mut transcoder, mut output) = (job.transcoder().unwrap(), Vec::new());
    let (mut at, mut end, mut space) = (0, piece.min(input.len()), room);
    while at < input.len() {
        let mut bytes = vec![0x55; space];
        let step = transcoder.step_chars(&input[at..end], &mut bytes);
        output.extend_from_slice(&bytes[..step.written]);
        at += step.read;
        space = room;
        match step.stop {
            CharStop::End => {
                assert_eq!(at, end, "{what}");
                end = input.len().min(at + piece);
            }
            CharStop::NoRoom if step.read > 0 => {}
            CharStop::NoRoom => space = bytes.len() + 1,
            CharStop::Unfinished if end < input.len() => end += 1,
            CharStop::Unfinished | CharStop::Fault => break,
            other => panic!("{what}: {other:?}"),
        }
        assert!(space <= room + 256, "{what}: a character has no end");
    }
    finished(transcoder, &input[at..], output)
}

fn check(job: &Transcode, input: &[u8], cuts: &[(usize, usize)], what: &str) {
    let expected = whole(job, input);
    for cut in cuts {
        assert_eq!(run(job, input, *cut, what), expected, "{what}: pieces of bytes and of room: {cut:?}");
    }
}

/// Pieces of the input, and space for this much output.
const CUTS: &[(usize, usize)] = &[(1, 1), (3, 64), (64, 400), (1 << 12, 5)];

#[test]
fn decoding() {
    for codec in sample::codecs("chars: decoding") {
        for input in samples(&*codec) {
            let job = named(codec.name(), "UTF-8");
            check(&job, &input, CUTS, codec.name());
            // Copies convert what is malformed, which takes longer.
            check(&job.on_malformed(OnMalformed::Replace), &input, &CUTS[2..3], codec.name());
        }
    }
}

#[test]
fn encoding() {
    for codec in sample::codecs("chars: encoding") {
        for policy in [OnUnmappable::Fail, OnUnmappable::Drop] {
            let job = named("UTF-8", codec.name()).on_unmappable(policy);
            check(&job, TEXT.as_bytes(), CUTS, codec.name());
            check(&job.eol(Eol::Crlf), TEXT.as_bytes(), CUTS, codec.name());
        }
    }
}

/// Longer than one attempt, with an error at the end; from one single-byte charset to another by a table.
#[test]
fn long_inputs() {
    let text = "The quick brown fox, \u{E9}t\u{E9} \u{AB}1\u{BB}. ".repeat(2000);
    for (from, to) in [("UTF-8", "UTF-8"), ("UTF-8", "IBM037"), ("IBM037", "UTF-8"), ("IBM037", "IBM500")] {
        let mut input = encode(&*Registry::builtin().codec(from).unwrap(), &text);
        let cuts = [(1 << 20, 1 << 20), (1 << 20, 5000)];
        check(&named(from, to), &input, &cuts, from);
        input.extend_from_slice(b"\xFF\xFE");
        check(&named(from, to), &input, &cuts, from);
    }
}

/// Newlines that only EBCDIC has are reported with their place.
#[test]
fn newlines_are_watched() {
    let input = b"\xC1\xC2\x15\xC3\x15";
    let job = named("IBM1047", "UTF-8").eol(Eol::Keep);
    let mut transcoder = job.transcoder().unwrap();
    let steps = input.map(|byte| transcoder.step_chars(&[byte], &mut [0; 8]));
    assert_eq!(steps.map(|step| step.written), [1, 1, 2, 1, 2]);
    let _ = transcoder.step(b"", &mut [0; 8], true).unwrap();
    let noted = |report: &charpipe::Report| format!("{:?}", report.diagnostics);
    assert_eq!(noted(transcoder.report()), noted(&job.run(&input[..], std::io::sink()).unwrap()));
}

/// After a character that cannot be converted, the text continues in the same shift state.
#[test]
fn faults_change_nothing() {
    let (mut transcoder, mut room) = (named("UTF-8", "IBM939").transcoder().unwrap(), [0; 64]);
    let mut give = |text: &[u8]| {
        let step = transcoder.step_chars(text, &mut room);
        (room[..step.written].to_vec(), step.read, step.stop)
    };
    assert_eq!(give("1234日".as_bytes()), (b"\xF1\xF2\xF3\xF4\x0E\x45\x62".to_vec(), 7, CharStop::End));
    for _ in 0..2 {
        assert_eq!(give("本א".as_bytes()), (b"\x45\x66".to_vec(), 3, CharStop::Fault));
        assert_eq!(give(b"\xFF"), (vec![], 0, CharStop::Fault));
        assert_eq!(give(b"\xE6\x97"), (vec![], 0, CharStop::Unfinished));
    }
    assert_eq!(give("日".as_bytes()), (b"\x45\x62".to_vec(), 3, CharStop::End));
}

/// Texts that are ended one after the other are what they are alone, in charsets with shift codes too.
#[test]
fn texts_end() {
    let mut room = [0; 512];
    for codec in sample::codecs("chars: ends") {
        let job = named("UTF-8", codec.name()).on_unmappable(OnUnmappable::Drop).bom(charpipe::Bom::Strip);
        let expected = whole(&job, TEXT.as_bytes()).output;
        let mut transcoder = job.transcoder().unwrap();
        // A charset may have neither digits nor a pending character at their end.
        let _ = transcoder.step_chars(b"0000", &mut room);
        for _ in 0..3 {
            let end = transcoder.end_chars(&mut room);
            assert!(matches!(end.stop, CharStop::End | CharStop::Unable), "{}", codec.name());
            if end.stop == CharStop::End {
                let step = transcoder.step_chars(TEXT.as_bytes(), &mut room);
                assert_eq!(step.stop, CharStop::End, "{}", codec.name());
                let output = room[..step.written].to_vec();
                let end = transcoder.end_chars(&mut room);
                assert_eq!(
                    ([output, room[..end.written].to_vec()].concat(), end.stop),
                    (expected.clone(), CharStop::End)
                );
            }
        }
    }
}

/// Without space for the shift back, the text does not end.
#[test]
fn an_end_that_does_not_fit() {
    let (mut transcoder, mut room) = (named("UTF-8", "IBM939").transcoder().unwrap(), [0; 64]);
    assert_eq!(transcoder.end_chars(&mut room).stop, CharStop::Unable, "the head is not decoded");
    let _ = transcoder.step_chars("1234日".as_bytes(), &mut room);
    assert_eq!(transcoder.end_chars(&mut []).stop, CharStop::NoRoom);
    let step = transcoder.step_chars("本".as_bytes(), &mut room);
    assert_eq!(room[..step.written], *b"\x45\x66");
    let end = transcoder.end_chars(&mut room);
    assert_eq!((end.written, end.stop, room[0]), (1, CharStop::End, 0x0F));
    assert_eq!((transcoder.report().bytes_in, transcoder.report().bytes_out), (10, 10));
}

/// Where it cannot go back, it takes nothing.
#[test]
fn records_are_not_characters() {
    let shape = "fb:2".parse::<charpipe::records::Shape>().unwrap();
    let mut transcoder = named("IBM037", "UTF-8").records(shape).transcoder().unwrap();
    let step = transcoder.step_chars(b"\xC1\xC2", &mut [0; 64]);
    assert_eq!((step.read, step.stop), (0, CharStop::Unable));
}

/// A call for a few characters allocates nothing, with any charsets. This does not depend on the machine.
#[test]
fn a_call_allocates_nothing() {
    let pairs = [
        ("ISO-8859-1", "UTF-8"),
        ("UTF-8", "ISO-8859-1"),
        ("IBM1047", "UTF-8"),
        ("UTF-8", "IBM1047"),
        ("IBM037", "IBM500"),
        ("UTF-8", "UTF-16LE"),
        ("UTF-16LE", "UTF-8"),
        ("IBM939", "UTF-8"),
        ("UTF-8", "IBM939"),
    ];
    for (from, to) in pairs {
        let input = encode(&*Registry::builtin().codec(from).unwrap(), "some text");
        let (mut transcoder, mut room) = (named(from, to).transcoder().unwrap(), [0; 64]);
        // The beginning of the input, which detection looks at.
        let _ = transcoder.step_chars(&input, &mut room);
        for room in [&mut room[..], &mut [0; 40]] {
            let work = work_in(|| {
                let step = transcoder.step_chars(&input, room);
                assert_eq!((step.read, step.stop), (input.len(), CharStop::End), "{from} to {to}");
                assert_eq!(transcoder.end_chars(room).stop, CharStop::End, "{from} to {to}");
            });
            assert_eq!(work.allocations, 0, "{from} to {to}");
        }
    }
}
