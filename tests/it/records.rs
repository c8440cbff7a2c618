//! Tests the reader and the writer of records: every vector of `spec/records.tsv`, and properties of every format,
//! compared with a reader that gets its input in one piece.

use crate::common::vectors::{rows, unhex};
use crate::common::{Stutter, sample};
use charpipe::ErrorKind;
use charpipe::records::{Deframer, Framer, MAX_BLKSIZE, Part, RECORD_LIMIT, RecordWriter, Records, Shape};
use proptest::prelude::*;
use std::io::{self, BufRead, BufReader, Read, Write};

// --- Reading in pieces ---------------------------------------------------------------------------

/// Something that a deframer returned. Adjacent pieces of data are joined, so that a list of events does not depend on
/// how the input was cut.
#[derive(Clone, PartialEq, Debug)]
enum Event {
    Data { at: u64, bytes: Vec<u8> },
    End { begun: u64, at: u64 },
    FileEnd { at: u64 },
    Done,
    Error { code: &'static str, offset: u64, text: String },
}

/// Returns the events of `input`, given to a deframer in pieces of these sizes. With `late_eof`, the deframer learns
/// that the input has ended only when it asks for more after the last piece.
fn events(shape: &Shape, input: &[u8], pieces: &[usize], late_eof: bool) -> Vec<Event> {
    assert!(pieces.iter().any(|len| *len > 0));
    let mut pieces = pieces.iter().cycle();
    let mut deframer = Deframer::new(shape);
    let (mut at, mut given, mut eof, mut results) = (0, 0, input.is_empty() && !late_eof, 0);
    let mut all: Vec<Event> = Vec::new();
    loop {
        let part = deframer.next(&input[at..given], eof);
        if let Ok(Part::Framing(len) | Part::Data(len)) = part {
            assert!(len > 0 && len <= given - at, "{part:?} of {}", given - at);
        }
        results += usize::from(!matches!(part, Ok(Part::NeedInput)));
        assert!(results <= 3 * (input.len() + 1), "the deframer makes no progress");
        match part {
            Ok(Part::Framing(len)) => at += len,
            Ok(Part::Data(len)) => {
                let new = &input[at..at + len];
                match all.last_mut() {
                    Some(Event::Data { at: begin, bytes }) if *begin as usize + bytes.len() == at => bytes.extend(new),
                    _ => all.push(Event::Data { at: at as u64, bytes: new.to_vec() }),
                }
                at += len;
            }
            Ok(Part::End) => all.push(Event::End { begun: deframer.begun(), at: at as u64 }),
            Ok(Part::FileEnd) => all.push(Event::FileEnd { at: at as u64 }),
            Ok(Part::NeedInput) => {
                assert!(at == given && !eof, "NeedInput after {at} of {given} bytes, eof {eof}");
                let is_whole = given == input.len();
                given = input.len().min(given + pieces.next().unwrap());
                eof = given == input.len() && (is_whole || !late_eof);
            }
            Ok(Part::Done) => {
                assert_eq!((deframer.next(&[], true).unwrap(), at), (Part::Done, input.len()));
                all.push(Event::Done);
                return all;
            }
            Err(error) => {
                let again = deframer.next(&input[at..given], eof).unwrap_err();
                assert_eq!(again.to_string(), error.to_string());
                let offset = error.offset().unwrap();
                all.push(Event::Error { code: error.code(), offset, text: error.to_string() });
                return all;
            }
        }
        assert_eq!(deframer.offset(), at as u64);
    }
}

/// Returns the events of `input` given in one piece, and checks that any of `pieces` gives the same events.
fn events_of_any_pieces(shape: &Shape, input: &[u8], pieces: &[&[usize]]) -> Vec<Event> {
    let whole = events(shape, input, &[input.len().max(1)], false);
    for pieces in pieces {
        for late_eof in [false, true] {
            assert_eq!(events(shape, input, pieces, late_eof), whole, "{shape} in {pieces:?} {late_eof}: {input:02X?}");
        }
    }
    whole
}

/// Returns the complete records, and the data of a last record that does not end.
fn records(all: &[Event]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let (mut records, mut open) = (Vec::new(), Vec::new());
    for one in all {
        match one {
            Event::Data { bytes, .. } => open.extend(bytes),
            Event::End { .. } => records.push(std::mem::take(&mut open)),
            _ => {}
        }
    }
    (records, open)
}

/// Returns the records framed in this shape. Short fixed records are padded with EBCDIC spaces.
fn framed(shape: &Shape, records: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut framer = Framer::new(shape, b"\x40").unwrap();
    for (index, record) in records.iter().enumerate() {
        assert_eq!(framer.number(), index as u64 + 1);
        framer.record(record, 0, &mut out).unwrap();
    }
    framer.finish(&mut out);
    out
}

// --- A reader that has the whole input -----------------------------------------------------------

/// Removes `len` bytes from the front of `input` and returns them. Returns `None` if there are fewer.
fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    input.split_off(..len)
}

/// Returns a big-endian number.
fn big(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |sum, byte| sum << 8 | *byte as usize)
}

/// Returns the records of a valid input, reading it in one go; `None` if the input is invalid.
fn read_whole(shape: &Shape, mut input: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut records = Vec::new();
    if let Shape::Vb { .. } | Shape::Vbs { .. } = shape {
        let mut segments = Segments::default();
        while !input.is_empty() {
            input = &input[segments.block(shape, input)?..];
        }
        return segments.records();
    }
    if *shape == Shape::ModeB {
        let mut open: Option<Vec<u8>> = None;
        while !input.is_empty() {
            let flags = take(&mut input, 1)?[0];
            let count = big(take(&mut input, 2)?);
            let data = take(&mut input, count)?;
            match flags & !0x20 {
                0x10 => {}
                0x40 if data.is_empty() && open.is_none() => {}
                0x00 => open.get_or_insert_default().extend(data),
                0x40 | 0x80 | 0xC0 => records.push([open.take().unwrap_or_default(), data.to_vec()].concat()),
                _ => return None,
            }
        }
        return if open.is_none() { Some(records) } else { None };
    }
    if let Shape::AwsTape { labels, shape } = shape {
        for (index, blocks) in files(input)?.iter().enumerate() {
            match **shape {
                _ if *labels && index % 3 != 1 => {}
                Shape::Vb { .. } | Shape::Vbs { .. } => {
                    let mut segments = Segments::default();
                    for block in blocks.iter().filter(|block| !block.is_empty()) {
                        segments.block(shape, block)?;
                    }
                    records.extend(segments.records()?);
                }
                _ => {
                    for block in blocks {
                        records.extend(read_whole(shape, block)?);
                    }
                }
            }
        }
        return Some(records);
    }
    while !input.is_empty() {
        let len = match shape {
            Shape::Fixed { lrecl } => *lrecl as usize,
            Shape::U32 => big(take(&mut input, 4)?),
            Shape::U16 => big(take(&mut input, 2)?),
            Shape::Rdw { little, inclusive } => {
                let mut word = take(&mut input, 4)?.to_vec();
                if *little {
                    word.reverse();
                }
                let own = if *inclusive { 4 } else { 0 };
                big(&word[..2]).checked_sub(own).filter(|_| word[2..] == [0, 0])?
            }
            _ => unreachable!(),
        };
        records.push(take(&mut input, len)?.to_vec());
    }
    Some(records)
}

/// Puts records together from the segments in blocks.
#[derive(Default)]
struct Segments {
    records: Vec<Vec<u8>>,
    open: bool,
}

impl Segments {
    /// Reads the block at the front of the input and returns its length.
    fn block(&mut self, shape: &Shape, input: &[u8]) -> Option<usize> {
        let word = input.get(..4)?;
        let len = match word[0] < 0x80 {
            true if word[2..] == [0, 0] => big(&word[..2]),
            true => return None,
            false => big(word) - (1 << 31),
        };
        if len < 8 {
            return None;
        }
        let mut block = input.get(4..len)?;
        while !block.is_empty() {
            let word = take(&mut block, 4)?;
            if word == [0x80, 0, 0, 0] {
                break;
            }
            let data = take(&mut block, big(&word[..2]).checked_sub(4)?)?;
            match (word[2], self.open) {
                (1..=3, _) if matches!(shape, Shape::Vb { .. }) => return None,
                (0, false) | (1, false) => self.records.push(data.to_vec()),
                (2, true) | (3, true) => self.records.last_mut()?.extend(data),
                _ => return None,
            }
            self.open = matches!(word[2], 1 | 3);
            if word[3] != 0 {
                return None;
            }
        }
        Some(len)
    }

    fn records(self) -> Option<Vec<Vec<u8>>> {
        if self.open { None } else { Some(self.records) }
    }
}

/// Returns the blocks of each file of a tape image; `None` if the image is invalid.
fn files(mut input: &[u8]) -> Option<Vec<Vec<Vec<u8>>>> {
    let (mut files, mut open, mut last) = (vec![Vec::<Vec<u8>>::new()], false, 0);
    while !input.is_empty() {
        let header = take(&mut input, 6)?;
        let (len, before) = (big(&[header[1], header[0]]), big(&[header[3], header[2]]));
        let flags = if header[4] & 0x80 != 0 { header[4] & !0x10 } else { header[4] };
        if before != last && before != 0 || header[5] != 0 || flags & 0x1F != 0 {
            return None;
        }
        last = len;
        if flags & 0x40 != 0 {
            if len > 0 || open {
                return None;
            }
            files.push(Vec::new());
            continue;
        }
        let data = take(&mut input, len)?;
        let blocks = files.last_mut()?;
        if (flags & 0x80 != 0) == open {
            return None;
        }
        if !open {
            blocks.push(Vec::new());
        }
        blocks.last_mut()?.extend(data);
        open = flags & 0x20 == 0;
    }
    if open { None } else { Some(files) }
}

// --- The every_vector ----------------------------------------------------------------------------

/// Formats events as in the column `records` of `spec/records.tsv`.
fn formatted(all: &[Event]) -> String {
    let (mut items, mut open) = (Vec::new(), Vec::new());
    let mut show = |end: &str, open: &mut Vec<u8>| {
        let bytes: Vec<String> = std::mem::take(open).iter().map(|byte| format!("{byte:02X}")).collect();
        items.push(format!("[{}{end}", bytes.join(" ")));
    };
    for one in all {
        match one {
            Event::Data { bytes, .. } => open.extend(bytes),
            Event::End { .. } => show("]", &mut open),
            Event::FileEnd { .. } => {
                assert!(open.is_empty());
                show("|", &mut open);
            }
            Event::Done => assert!(open.is_empty()),
            Event::Error { .. } if open.is_empty() => {}
            Event::Error { .. } => show("", &mut open),
        }
    }
    if items.is_empty() { "-".to_owned() } else { items.join(",").replace("[|", "|") }
}

#[test]
fn every_vector() {
    let rows = rows("records.tsv");
    assert!(rows.len() > 100);
    for row in rows {
        let id = &row["id"];
        let shape: Shape = row["shape"].parse().unwrap();
        let input = row.bytes("input");
        let cuts: Vec<[usize; 2]> = (1..input.len()).map(|at| [at, input.len()]).collect();
        let mut pieces: Vec<&[usize]> = vec![&[1], &[0, 1, 0, 0], &[2], &[3]];
        pieces.extend(cuts.iter().map(|cut| &cut[..]));
        let all = events_of_any_pieces(&shape, &input, &pieces);
        assert_eq!(formatted(&all), row["records"], "{id}");
        let found = match all.last().unwrap() {
            Event::Error { code, offset, .. } => format!("{code}@{offset}"),
            _ => "-".to_owned(),
        };
        assert_eq!(found, row["error"], "{id}: {all:?}");
        let can_be_framed = found == "-" && !matches!(shape, Shape::AwsTape { labels: true, .. });
        let same = can_be_framed && framed(&shape, &records(&all).0) == input;
        assert_eq!(if same { "same" } else { "-" }, &row["again"], "{id}");
        let expected = if found == "-" { Some(records(&all).0) } else { None };
        assert_eq!(read_whole(&shape, &input), expected, "{id}");
    }
}

#[test]
fn error_messages() {
    for (shape, input, expected) in [
        (
            "rdw",
            "00 05 00 00 C1 00 03 00 00",
            "byte 5: record 2: the header 00 03 00 00 is wrong: the length is smaller than the RDW itself",
        ),
        (
            "rdw",
            "00 05 00 00 C1 00 09 00 00 C1",
            "byte 10: record 2, which begins at byte 5, is incomplete: it lacks at least 4 bytes",
        ),
        ("fb:80", "C1", "byte 1: record 1, which begins at byte 0, is incomplete: it lacks at least 79 bytes"),
        (
            "u32",
            "FF FF FF FF",
            "byte 4: record 1, which begins at byte 0, is incomplete: it lacks at least 4294967295 bytes",
        ),
        ("u32", "00 00 00 00 FF", "byte 5: record 2, which begins at byte 4, is incomplete: it lacks at least 3 bytes"),
        // The header of a large block has a length of 31 bits.
        (
            "vb",
            "FF FF FF FF",
            "byte 4: record 1, which begins at byte 4, is incomplete: it lacks at least 2147483643 bytes",
        ),
        // The input ends between two records of a block.
        (
            "vb",
            "00 0F 00 00 00 06 00 00 C1 C2",
            "byte 10: record 2, which begins at byte 10, is incomplete: it lacks at least 5 bytes",
        ),
        (
            "vbs",
            "00 09 00 00 00 05 01 00 C1",
            "byte 9: record 1, which begins at byte 4, is incomplete: it lacks at least 4 bytes",
        ),
        (
            "vb",
            "00 0B 00 00 00 05 00 00 C1 12 34",
            "byte 9: record 2: the header 12 34 is wrong: the rest of the block is too short for a header",
        ),
        (
            "mode-b",
            "88 00 00",
            "byte 0: record 1: the header 88 00 00 is wrong: the last four bits of a descriptor must be zero",
        ),
        (
            "awstape,fb:1",
            "01 00 00 00 A0 01",
            "byte 0: record 1: the header 01 00 00 00 A0 01 is wrong: the flags of a tape chunk must be 80, 40 and 20; \
             compressed chunks are not supported",
        ),
        // A tape block that ends inside a record.
        (
            "awstape,fb:3",
            "02 00 00 00 A0 00 C1 C2 01 00 02 00 A0 00 C3",
            "byte 8: record 1, which begins at byte 6, is incomplete: it lacks at least 1 byte",
        ),
    ] {
        let all = events_of_any_pieces(&shape.parse().unwrap(), &unhex(input), &[&[1], &[2], &[5]]);
        let Some(Event::Error { text, .. }) = all.last() else { panic!("{all:?}") };
        assert_eq!(text, expected);
    }
}

// --- Properties ----------------------------------------------------------------------------------

fn shapes() -> impl Strategy<Value = Shape> {
    let blksize = || prop_oneof![3 => 9u32..80, 1 => Just(MAX_BLKSIZE)];
    let shape = prop_oneof![
        2 => prop_oneof![1u32..100, Just(80), Just(20_000), Just(65535)].prop_map(|lrecl| Shape::Fixed { lrecl }),
        2 => any::<(bool, bool)>().prop_map(|(little, inclusive)| Shape::Rdw { little, inclusive }),
        2 => blksize().prop_map(|blksize| Shape::Vb { blksize }),
        3 => blksize().prop_map(|blksize| Shape::Vbs { blksize }),
        1 => Just(Shape::U32),
        1 => Just(Shape::U16),
        2 => Just(Shape::ModeB),
    ];
    (shape, 0..3).prop_map(|(shape, tape)| match tape {
        0 => Shape::AwsTape { labels: false, shape: Box::new(shape) },
        _ => shape,
    })
}

/// Generates a shape and records that fit into it: short ones, empty ones and the longest possible ones.
fn shapes_with_records() -> impl Strategy<Value = (Shape, Vec<Vec<u8>>)> {
    (shapes(), prop::collection::vec((0u8..20, 0usize..100, any::<u8>()), 0..12)).prop_map(|(shape, lengths)| {
        let longest = shape.longest();
        let records = lengths.into_iter().map(|(kind, len, seed)| {
            let len = match kind {
                0 => longest - len.min(longest) % 3,
                1 => 65530 + len % 12,
                2..6 => 0,
                _ => len,
            };
            // Another test uses longer records.
            let len = len.min(longest).min(70_000);
            (0..len).map(|at| seed.wrapping_add((at as u64 * at as u64 / 7) as u8)).collect()
        });
        let records = records.collect();
        (shape, records)
    })
}

fn pieces() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![Just(0), Just(1), 1usize..9, 1usize..200, Just(30_000)], 1..6).prop_map(
        |mut pieces| {
            pieces.push(1);
            pieces
        },
    )
}

/// Returns these records as they will be read back: fixed records are padded.
fn padded(shape: &Shape, mut records: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let inner = if let Shape::AwsTape { shape, .. } = shape { shape } else { shape };
    if let Shape::Fixed { lrecl } = inner {
        records.iter_mut().for_each(|record| record.resize(*lrecl as usize, 0x40));
    }
    records
}

/// A record, the offset at which it begins, and the number of its file.
type Listed = (Vec<u8>, u64, u64);

/// Returns what an iterator over records should return for these events: the records and, if there is one, the error.
fn listed(all: &[Event]) -> (Vec<Listed>, Option<String>) {
    let (mut list, mut open, mut file) = (Vec::new(), Vec::new(), 1);
    for one in all {
        match one {
            Event::Data { bytes, .. } => open.extend(bytes),
            Event::End { begun, .. } => list.push((std::mem::take(&mut open), *begun, file)),
            Event::FileEnd { .. } => file += 1,
            Event::Done => {}
            Event::Error { text, .. } => return (list, Some(text.clone())),
        }
    }
    (list, None)
}

/// Returns the records that an iterator returns and, if there is one, its error.
fn iterated(input: impl BufRead, shape: &Shape) -> (Vec<Listed>, Option<String>) {
    let mut records = Records::new(input, shape);
    let mut list = Vec::new();
    loop {
        match records.next_record() {
            Ok(Some(record)) => {
                list.push((record.data.to_vec(), record.offset, record.file));
                assert_eq!(record.number, list.len() as u64);
            }
            Ok(None) => {
                assert!(records.next_record().unwrap().is_none());
                return (list, None);
            }
            Err(error) => {
                assert_eq!(records.next_record().unwrap_err().to_string(), error.to_string());
                return (list, Some(error.to_string()));
            }
        }
    }
}

/// Checks, for any input, that the pieces make no difference, that the iterator returns the same records, and that
/// `read_whole` agrees. Returns the events.
fn check_all_readers(shape: &Shape, input: &[u8], pieces: &[usize]) -> Vec<Event> {
    let all = events_of_any_pieces(shape, input, &[pieces, &[1]]);
    let list = listed(&all);
    assert_eq!(iterated(input, shape), list);
    assert_eq!(iterated(BufReader::with_capacity(pieces[0].max(1), input), shape), list);
    assert_eq!(iterated(Stutter::new(input), shape), list);
    // `read_whole` cannot read records in block mode that span several blocks of a tape.
    if !matches!(shape, Shape::AwsTape { shape, .. } if **shape == Shape::ModeB) {
        let expected = if list.1.is_none() { Some(records(&all).0) } else { None };
        assert_eq!(read_whole(shape, input), expected, "{shape}: {list:?}");
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sample::cases(400)) })]

    #[test]
    fn framing_and_reading_round_trip((shape, given) in shapes_with_records(), pieces in pieces()) {
        let input = framed(&shape, &given);
        let all = check_all_readers(&shape, &input, &pieces);
        prop_assert_eq!(all.last(), Some(&Event::Done));
        let (read, _) = records(&all);
        prop_assert_eq!(&read, &padded(&shape, given));
        prop_assert!(framed(&shape, &read) == input, "{}: framing the records again gives different bytes", shape);
        let mut writer = RecordWriter::new(Vec::new(), &shape, b"").unwrap();
        read.iter().for_each(|record| writer.write_record(record).unwrap());
        prop_assert!(writer.finish().unwrap() == input, "{}: RecordWriter gives different bytes", shape);
    }

    #[test]
    fn blocks_are_full((shape, given) in shapes_with_records()) {
        let (Shape::Vb { blksize } | Shape::Vbs { blksize }) = shape else { return Ok(()) };
        let input = framed(&shape, &given);
        let (mut at, mut blocks) = (0, Vec::new());
        while at < input.len() {
            let len = big(&input[at..at + 2]);
            blocks.push(&input[at..at + len]);
            at += len;
        }
        for (index, block) in blocks.iter().enumerate() {
            prop_assert!(block.len() <= blksize as usize);
            let Some(next) = blocks.get(index + 1) else { break };
            let needed = if matches!(shape, Shape::Vbs { .. }) { 5 } else { big(&next[4..6]) };
            prop_assert!(block.len() + needed > blksize as usize);
        }
    }

    #[test]
    fn a_truncated_input_gives_the_records_before_the_end((shape, given) in shapes_with_records(), cut in any::<prop::sample::Index>(), pieces in pieces()) {
        let input = framed(&shape, &given);
        let whole = listed(&events(&shape, &input, &[input.len().max(1)], false)).0;
        let cut = cut.index(input.len() + 1);
        let all = check_all_readers(&shape, &input[..cut], &pieces);
        let (list, error) = listed(&all);
        prop_assert_eq!(&list[..], &whole[..list.len()]);
        let (_, open) = records(&all);
        match error {
            None => prop_assert!(open.is_empty()),
            Some(_) => {
                let mut records = Records::new(&input[..cut], &shape);
                let error = loop {
                    match records.next_record() {
                        Ok(record) => prop_assert!(record.is_some()),
                        Err(error) => break error,
                    }
                };
                let ErrorKind::RecordCut { offset, record, begun, missing, .. } = *error.kind() else {
                    panic!("{error}");
                };
                prop_assert_eq!((offset, record), (cut as u64, list.len() as u64 + 1));
                prop_assert!(missing > 0 && cut as u64 + missing <= input.len() as u64);
                if !open.is_empty() {
                    prop_assert_eq!(begun, whole[list.len()].1);
                    prop_assert_eq!(&open[..], &whole[list.len()].0[..open.len()]);
                }
                prop_assert!(begun <= offset && list.last().is_none_or(|last| begun >= last.1 + last.0.len() as u64));
            }
        }
    }

    #[test]
    fn arbitrary_bytes(
        shape in shapes(),
        labels in any::<bool>(),
        input in prop::collection::vec(prop_oneof![Just(0), Just(4), Just(0x80), Just(0xA0), 0u8..9, any::<u8>()], 0..120),
        pieces in pieces(),
    ) {
        let shape = match shape {
            Shape::AwsTape { shape, .. } => Shape::AwsTape { labels, shape },
            shape => shape,
        };
        check_all_readers(&shape, &input, &pieces);
    }

    #[test]
    fn slightly_damaged_input(
        (shape, given) in shapes_with_records(),
        labels in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        pieces in pieces(),
    ) {
        let mut input = framed(&shape, &given);
        let shape = match shape {
            Shape::AwsTape { shape, .. } => Shape::AwsTape { labels, shape },
            shape => shape,
        };
        input.truncate(2000);
        for (place, byte) in changes {
            if !input.is_empty() {
                let place = place.index(input.len());
                input[place] = byte;
            }
        }
        check_all_readers(&shape, &input, &pieces);
    }
}

#[test]
fn records_up_to_the_longest_length_are_accepted() {
    for shape in [
        "fb:1",
        "fb:65535",
        "rdw",
        "rdw:exclusive",
        "rdw:le",
        "rdw:le:exclusive",
        "vb",
        "vb:9",
        "vbs",
        "vbs:9",
        "u32",
        "u16",
        "mode-b",
        "awstape,fb:65535",
        "awstape,fb:16381",
        "awstape,rdw",
        "awstape,rdw:exclusive",
        "awstape,vb",
        "awstape,vbs",
        "awstape,u32",
        "awstape,u16",
        "awstape,mode-b",
    ] {
        let shape: Shape = shape.parse().unwrap();
        let longest = shape.longest();
        let mut framer = Framer::new(&shape, b" ").unwrap();
        let mut out = Vec::new();
        framer.record(&vec![0xC1; longest], 0, &mut out).unwrap();
        let error = framer.record(&vec![0xC2; longest + 1], 77, &mut out).unwrap_err();
        let ErrorKind::RecordTooLong { offset: 77, record: 2, limit, .. } = *error.kind() else { panic!("{error}") };
        assert_eq!(limit, longest);
        // The record that was refused has no effect.
        framer.record(&vec![0xC3; longest], 0, &mut out).unwrap();
        framer.finish(&mut out);
        let all = events_of_any_pieces(&shape, &out, &[&[7], &[4096, 1]]);
        assert!(records(&all).0 == [vec![0xC1; longest], vec![0xC3; longest]], "{shape}");
    }
}

#[test]
fn a_tape_block_holds_as_many_records_as_fit() {
    for (lrecl, len, expected) in
        [(16380, 3, &[32760, 16380, 0][..]), (16381, 2, &[16381, 16381, 0]), (32761, 1, &[32761, 0])]
    {
        let shape: Shape = format!("awstape,fb:{lrecl}").parse().unwrap();
        let (mut at, mut blocks) = (0, Vec::new());
        let out = framed(&shape, &vec![vec![]; len]);
        while at < out.len() {
            let len = usize::from(u16::from_le_bytes([out[at], out[at + 1]]));
            blocks.push(len);
            at += 6 + len;
        }
        assert_eq!(blocks, expected, "{shape}");
    }
}

#[test]
fn fixed_records_are_padded_with_blanks() {
    let shape: Shape = "fb:6".parse().unwrap();
    let mut out = Vec::new();
    let mut utf16 = Framer::new(&shape, b"\0 ").unwrap();
    utf16.record(b"\0a", 0, &mut out).unwrap();
    utf16.record(b"", 0, &mut out).unwrap();
    let error = utf16.record(b"\0ab", 4, &mut out).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::CannotPad { offset: 4, record: 3, missing: 3, blank: 2, .. }), "{error}");
    utf16.record(b"abcdef", 0, &mut out).unwrap();
    utf16.finish(&mut out);
    assert_eq!(out, b"\0a\0 \0 \0 \0 \0 abcdef");
    let mut none = Framer::new(&shape, b"").unwrap();
    none.record(b"abcdef", 0, &mut out).unwrap();
    assert_eq!(none.record(b"abcde", 0, &mut out).unwrap_err().code(), "cannot-pad");
}

#[test]
fn shapes_that_cannot_be_framed() {
    let tape = |labels, shape| Shape::AwsTape { labels, shape: Box::new(shape) };
    for shape in [
        tape(true, Shape::RDW),
        tape(false, tape(false, Shape::RDW)),
        Shape::Fixed { lrecl: 0 },
        Shape::Fixed { lrecl: 65536 },
        Shape::Vb { blksize: 8 },
        Shape::Vbs { blksize: 0 },
        tape(false, Shape::Vbs { blksize: MAX_BLKSIZE + 1 }),
    ] {
        _ = shape.longest();
        let error = Framer::new(&shape, b" ").unwrap_err();
        assert_eq!((error.code(), error.offset()), ("cannot-frame", None), "{error}");
        assert!(error.to_string().contains(&format!("as {shape}: ")), "{error}");
    }
}

#[test]
fn one_framer_writes_several_files() {
    for (shape, expected) in [
        ("mode-b", "80 00 01 C1 40 00 00 80 00 01 C2 40 00 00"),
        ("awstape,fb:1", "01 00 00 00 A0 00 C1 00 00 01 00 40 00 01 00 00 00 A0 00 C2 00 00 01 00 40 00"),
    ] {
        let shape: Shape = shape.parse().unwrap();
        let (mut framer, mut out) = (Framer::new(&shape, b"").unwrap(), Vec::new());
        for data in [b"\xC1", b"\xC2"] {
            framer.record(data, 0, &mut out).unwrap();
            framer.finish(&mut out);
        }
        assert_eq!(out, unhex(expected));
        let list = iterated(&out[..], &shape).0;
        assert_eq!(list.iter().map(|record| record.2).collect::<Vec<_>>(), [1, 2]);
    }
}

#[test]
fn a_length_in_a_header_is_not_trusted() {
    // The headers announce records of 4 GiB and blocks of 2 GiB, but only the first bytes of them exist.
    for (shape, header) in [("u32", "FF FF FF FF"), ("vb", "FF FF FF FF FF FF 00 00")] {
        let shape: Shape = shape.parse().unwrap();
        let mut input = unhex(header);
        input.resize(50_000, 0xC1);
        for input in [&input[..], &input[..9]] {
            let mut records = Records::new(BufReader::with_capacity(16, input), &shape);
            assert_eq!(records.next_record().unwrap_err().code(), "record-cut");
        }
    }
}

#[test]
fn records_longer_than_the_limit_are_an_error() {
    let record = vec![0xC1; RECORD_LIMIT + 1];
    let input = [b"\0\0\0\x02ab".to_vec(), (record.len() as u32).to_be_bytes().to_vec(), record].concat();
    for capacity in [100, 10_000_000] {
        let reader = || BufReader::with_capacity(capacity, &input[..]);
        let mut records = Records::new(reader(), &Shape::U32);
        assert_eq!(records.next_record().unwrap().unwrap().data, b"ab");
        for _ in 0..2 {
            let error = records.next_record().unwrap_err();
            let ErrorKind::RecordTooLong { offset: 6, record: 2, limit: RECORD_LIMIT, .. } = *error.kind() else {
                panic!("{error}");
            };
        }
        let mut records = Records::new(reader(), &Shape::U32).limit(RECORD_LIMIT + 1);
        records.next_record().unwrap();
        assert_eq!(records.next_record().unwrap().unwrap().data.len(), RECORD_LIMIT + 1);
        assert!(records.next_record().unwrap().is_none());
    }
}

/// A reader that returns one byte at a time, or a writer that takes at most 30,000 bytes at a time. Every other call
/// fails.
struct Flaky<T>(T, bool);

impl<T> Flaky<T> {
    fn fail(&mut self) -> io::Result<()> {
        self.1 = !self.1;
        if self.1 { Err(io::Error::other("not now")) } else { Ok(()) }
    }
}

impl Read for Flaky<&[u8]> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.fail()?;
        self.0.read(&mut buf[..1])
    }
}

impl Write for Flaky<&mut Vec<u8>> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.fail()?;
        self.0.write(&buf[..buf.len().min(30_000)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn reading_continues_after_an_error_of_the_reader() {
    let input = unhex("00 0E 00 00 00 05 01 00 C1 00 05 02 00 C2 00 08 00 00 00 04 00 00");
    let mut records = Records::new(BufReader::with_capacity(4, Flaky(&input[..], false)), &"vbs".parse().unwrap());
    let (mut list, mut failures) = (Vec::new(), 0);
    loop {
        match records.next_record() {
            Ok(Some(record)) => list.push((record.data.to_vec(), record.offset)),
            Ok(None) => break,
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Read { .. }), "{error}");
                assert_eq!(error.offset(), Some(failures));
                failures += 1;
            }
        }
    }
    assert_eq!(list, [(b"\xC1\xC2".to_vec(), 4), (vec![], 18)]);
    assert_eq!(failures, input.len() as u64 + 1);
}

#[test]
fn writing_continues_after_an_error_of_the_writer() {
    let mut output = Vec::new();
    let mut writer = RecordWriter::new(Flaky(&mut output, false), &Shape::U16, b"").unwrap();
    let (mut expected, mut failures) = (Vec::new(), 0);
    for index in 0..10u8 {
        let record = vec![index; 20_000];
        expected.extend(20_000u16.to_be_bytes());
        expected.extend(&record);
        if let Err(error) = writer.write_record(&record) {
            assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
            failures += 1;
        }
    }
    assert!(failures > 1);
    let error = writer.finish().err().unwrap();
    let ErrorKind::Write { written, .. } = *error.kind() else { panic!("{error}") };
    assert!(written >= 30_000 && written == output.len() as u64 && expected.starts_with(&output), "{written}");

    let mut writer = RecordWriter::new(Vec::new(), &Shape::U16, b"").unwrap();
    for record in expected.chunks(20_002) {
        writer.write_record(&record[2..]).unwrap();
    }
    let error = writer.write_record(&vec![0; 65536]).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("record-too-long", Some(200_000)));
    assert_eq!(writer.finish().unwrap(), expected);
}
