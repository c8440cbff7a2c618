//! Tests record framings. However the input is cut, the records, the ends of files and the errors are the same, and the
//! iterator returns the same as the state machine. Records that were read without an error can be written, read again,
//! and written as the same bytes.

#![no_main]

use charpipe::records::{Deframer, Framer, Part, Records, Shape};
use charpipe_fuzz::{Choices, Cuts};
use libfuzzer_sys::fuzz_target;
use std::io::BufReader;

/// The result of the deframer: in order, the bytes and offset of each record and each end of a file; and the error.
#[derive(PartialEq, Debug)]
struct Outcome {
    items: Vec<Option<(Vec<u8>, u64)>>,
    open: Vec<u8>,
    error: Option<String>,
}

fn shape(choices: &mut Choices<'_>) -> Shape {
    let (which, size, on_tape) = (choices.byte() % 10, u32::from(choices.byte()), choices.byte() % 4);
    let shape = match which {
        0 => Shape::Fixed { lrecl: size + 1 },
        1..5 => Shape::Rdw { little: which % 2 == 0, inclusive: which < 3 },
        5 => Shape::Vb { blksize: size + 9 },
        6 => Shape::Vbs { blksize: size + 9 },
        7 => Shape::U32,
        8 => Shape::U16,
        _ => Shape::ModeB,
    };
    match (on_tape, shape) {
        (0 | 1, shape) => shape,
        // In blocks of a few records.
        (2, Shape::Fixed { lrecl }) if lrecl.is_multiple_of(2) => {
            let blocks = Shape::FixedBlocks { lrecl, blksize: lrecl * (1 + lrecl % 5) };
            Shape::AwsTape { labels: false, shape: Box::new(blocks) }
        }
        (_, shape) => Shape::AwsTape { labels: on_tape == 3, shape: Box::new(shape) },
    }
}

/// Reads the records in `input`, given in pieces of these sizes.
fn read_records(shape: &Shape, input: &[u8], mut pieces: impl Iterator<Item = usize>, late_eof: bool) -> Outcome {
    let mut deframer = Deframer::new(shape);
    let mut outcome = Outcome { items: Vec::new(), open: Vec::new(), error: None };
    let (mut at, mut given, mut eof, mut results) = (0, 0, false, 0);
    loop {
        let part = deframer.next(&input[at..given], eof);
        results += usize::from(!matches!(part, Ok(Part::NeedInput)));
        assert!(results <= 3 * (input.len() + 1), "the deframer makes no progress");
        match part {
            Ok(Part::Framing(len)) => {
                assert!(len > 0 && len <= given - at);
                at += len;
            }
            Ok(Part::Data(len)) => {
                assert!(len > 0 && len <= given - at);
                outcome.open.extend(&input[at..at + len]);
                at += len;
            }
            Ok(Part::End) => outcome.items.push(Some((std::mem::take(&mut outcome.open), deframer.begun()))),
            Ok(Part::FileEnd) => {
                assert!(outcome.open.is_empty());
                outcome.items.push(None);
            }
            Ok(Part::NeedInput) => {
                assert!(at == given && !eof);
                let was_whole = given == input.len();
                given = input.len().min(given + pieces.next().unwrap());
                eof = given == input.len() && (was_whole || !late_eof);
            }
            Ok(Part::Done) => {
                assert!(at == input.len() && outcome.open.is_empty());
                return outcome;
            }
            Err(error) => {
                assert!(error.offset().unwrap() <= at as u64);
                outcome.error = Some(error.to_string());
                return outcome;
            }
        }
        assert_eq!(deframer.offset(), at as u64);
    }
}

fn framed<'a>(shape: &Shape, records: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut framer = Framer::new(shape, b"").unwrap();
    for record in records {
        framer.record(record, 0, &mut out).unwrap();
    }
    framer.finish(&mut out);
    out
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let cuts = Cuts::new(&mut choices);
    let shape = shape(&mut choices);
    let input = choices.payload();

    let whole = read_records(&shape, input, std::iter::repeat(input.len()), false);
    assert_eq!(read_records(&shape, input, cuts.pieces.into_iter().cycle(), cuts.late_eof), whole, "{shape}");

    let mut records = Records::new(BufReader::with_capacity(cuts.pieces[3], input), &shape);
    let mut items = whole.items.iter().flatten();
    let error = loop {
        match records.next_record() {
            Ok(Some(record)) => {
                let (bytes, begun) = items.next().unwrap();
                assert_eq!((record.data, record.offset), (&bytes[..], *begun));
            }
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    assert!(items.next().is_none());
    assert_eq!(error, whole.error);

    // The input may have larger blocks than are ever written, and labels are not written at all.
    let is_writable = !matches!(shape, Shape::AwsTape { labels: true, .. });
    let records: Vec<&[u8]> = whole.items.iter().flatten().map(|(bytes, _)| &bytes[..]).collect();
    if whole.error.is_none() && is_writable && records.iter().all(|record| record.len() <= shape.longest()) {
        let output = framed(&shape, records.iter().copied());
        let again = read_records(&shape, &output, std::iter::repeat(output.len()), false);
        assert_eq!(again.error, None, "{shape}: {output:02X?}");
        let read: Vec<&[u8]> = again.items.iter().flatten().map(|(bytes, _)| &bytes[..]).collect();
        assert_eq!(read, records, "{shape}: {output:02X?}");
        assert_eq!(framed(&shape, read.into_iter()), output);
    }
});
