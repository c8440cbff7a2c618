//! Cuts a file of records into parts that can be read in parallel: [`splits`].
//!
//! Nothing here reads all of a file unless it must. Records of a fixed length are cut by arithmetic; blocks, by their
//! descriptor words; records with a header, by finding a chain of headers in the middle. The last of these is not a
//! proof, so [`Records::part`](super::Records::part) checks that each part ends where the next one begins.

use super::buffered::buffered;
use super::deframe::{NULL_SEGMENT, length_of_block};
use super::{Deframer, Part, Shape, resync};
use crate::error::{Error, ErrorKind};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// A part of a file of records. [`Records::part`](super::Records::part) reads it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct Split {
    /// Where it begins, in bytes from 0.
    pub begin: u64,
    /// Where it ends: the first byte after it.
    pub end: u64,
    /// The number of its first record, from 1; `None` if it is not known.
    pub number: Option<u64>,
}

impl Split {
    /// Returns a part of the file from byte `begin` to byte `end`, whose first record has this number.
    #[must_use]
    pub fn new(begin: u64, end: u64, number: Option<u64>) -> Self {
        Split { begin, end, number }
    }
}

/// How many headers must follow one another in the middle of a file. With 8, none of 12,000 tries was wrong; with 4,
/// seven in 10,000 were.
const CHAIN: usize = 8;
/// How many bytes are searched for a chain, at first and at most.
const WINDOW: u64 = 1 << 20;
const MAX_WINDOW: u64 = 16 << 20;
/// How much of a file is read at once if all of it is.
const BUFFER: usize = 256 * 1024;

/// Cuts a file into parts of about `bytes` bytes, in order. Together they are the whole file. Each is at least as long
/// as `bytes`, except the last one, and longer where no place to cut is found. An empty file has no parts.
///
/// | shape | how the places are found | [`Split::number`] |
/// |---|---|---|
/// | `fb` | by arithmetic | known |
/// | `vb`, `vbs` | by the block descriptor words, 4 or 8 bytes of each block | of the first part only |
/// | `rdw`, `u32` | near each place, by eight valid headers that follow one another | of the first part only |
/// | `u16`, `mode-b` | by all headers, because theirs are too short to recognise | known |
/// | `awstape` | not at all: there is one part | known |
///
/// A place that was found by eight headers may be wrong, though that is unlikely.
/// [`Records::part`](super::Records::part) finds out, and then fails, so that no record is lost or read twice.
///
/// ```
/// use charpipe::records::{Records, Shape, splits};
/// use std::io::{Cursor, Seek, SeekFrom};
///
/// let mut file = Cursor::new(b"\x00\x06\x00\x00\xC1\xC2".repeat(1000));
/// let (mut count, parts) = (0, splits(&mut file, &Shape::RDW, 2000)?);
/// assert_eq!(parts.len(), 3);
/// for part in parts {
///     file.seek(SeekFrom::Start(part.begin))?;
///     let mut records = Records::new(&mut file, &Shape::RDW).part(&part);
///     while records.next_record()?.is_some() {
///         count += 1;
///     }
/// }
/// assert_eq!(count, 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Read`]; [`ErrorKind::RecordCut`] if the length of the file is not a multiple of the record length; what
/// [`Deframer::next`] returns for an invalid block descriptor word, and if all headers are read, for any header.
pub fn splits<R: Read + Seek>(input: R, shape: &Shape, bytes: u64) -> Result<Vec<Split>, Error> {
    let (mut input, bytes) = (input, bytes.max(1));
    let len = input.seek(SeekFrom::End(0)).map_err(|source| Error::read(0, source))?;
    let begins = match shape {
        Shape::Fixed { lrecl } | Shape::FixedBlocks { lrecl, .. } => return by_length(len, (*lrecl).into(), bytes),
        Shape::Vb { .. } | Shape::Vbs { .. } => by_blocks(&mut input, shape, len, bytes)?,
        Shape::Rdw { .. } | Shape::U32 => Some(by_chains(&mut input, shape, len, bytes)?),
        // Only from its beginning on is it known where records begin.
        Shape::AwsTape { .. } | Shape::Unframed => Some(vec![0]),
        Shape::U16 | Shape::ModeB => None,
    };
    match begins {
        Some(begins) if len > 0 => {
            let ends = begins.iter().skip(1).copied().chain([len]);
            let number = |begin| (begin == 0).then_some(1);
            Ok(begins.iter().zip(ends).map(|(&begin, end)| Split::new(begin, end, number(begin))).collect())
        }
        Some(_) => Ok(Vec::new()),
        None => {
            seek(&mut input, 0)?;
            numbered_splits(BufReader::with_capacity(BUFFER, input), shape, bytes)
        }
    }
}

/// Cuts a file into parts like [`splits`], but reads all headers, so that the [number](Split::number) of the first
/// record of every part is known and all places are correct.
///
/// This reads the whole input once, from its beginning, at a speed near that of memory.
///
/// ```
/// use charpipe::records::{Shape, Split, numbered_splits};
///
/// let file = b"\x00\x06\x00\x00\xC1\xC2".repeat(10);
/// let parts = numbered_splits(&file[..], &Shape::RDW, 30)?;
/// assert_eq!(parts, [Split::new(0, 30, Some(1)), Split::new(30, 60, Some(6))]);
/// # Ok::<(), charpipe::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Read`], and those of [`Deframer::next`].
pub fn numbered_splits<R: BufRead>(input: R, shape: &Shape, bytes: u64) -> Result<Vec<Split>, Error> {
    let (mut input, mut deframer, bytes) = (input, Deframer::new(shape), bytes.max(1));
    let (mut parts, mut begin, mut number) = (Vec::new(), 0, 1);
    loop {
        let Some(src) = buffered(&mut input, deframer.offset())? else { continue };
        let (mut at, eof) = (0, src.is_empty());
        let is_done = loop {
            let here = deframer.offset();
            if here - begin >= bytes && deframer.is_at_split() {
                parts.push(Split::new(begin, here, Some(number)));
                (begin, number) = (here, deframer.record());
            }
            if let Some((framing, len)) = deframer.whole(&src[at..]) {
                at += framing + len;
                continue;
            }
            match deframer.next(&src[at..], eof)? {
                Part::Framing(len) | Part::Data(len) => at += len,
                Part::End | Part::FileEnd => {}
                Part::NeedInput => break false,
                Part::Done => break true,
            }
        };
        input.consume(at);
        if is_done {
            let end = deframer.offset();
            parts.extend((end > begin).then(|| Split::new(begin, end, Some(number))));
            return Ok(parts);
        }
    }
}

/// Cuts records of a fixed length.
fn by_length(len: u64, lrecl: u64, bytes: u64) -> Result<Vec<Split>, Error> {
    let lrecl = lrecl.max(1);
    let (records, rest) = (len / lrecl, len % lrecl);
    if rest > 0 {
        let (record, begun, missing) = (records + 1, records * lrecl, lrecl - rest);
        return Err(ErrorKind::RecordCut { offset: len, record, begun, missing, length_from: None }.into());
    }
    // On machines with 32 bits, the iterator's step and the length of a part must be limited alike.
    let count = usize::try_from(bytes.div_ceil(lrecl)).unwrap_or(usize::MAX);
    let (firsts, step) = ((0..records).step_by(count), count as u64);
    Ok(firsts
        .map(|first| Split::new(first * lrecl, records.min(first.saturating_add(step)) * lrecl, Some(first + 1)))
        .collect())
}

/// Returns where parts of whole blocks begin; `None` if a descriptor word is invalid, which reading it all explains.
fn by_blocks<R: Read + Seek>(input: &mut R, shape: &Shape, len: u64, bytes: u64) -> Result<Option<Vec<u64>>, Error> {
    let (mut begins, mut at) = (vec![0], 0);
    while at < len {
        seek(input, at)?;
        let mut head = [0; 8];
        let Some(_) = fill(input, at, &mut head)? else { return Ok(None) };
        let [b0, b1, b2, b3, segment @ ..] = head;
        // A part cannot begin with a later segment of a record, nor with a null segment, which tells nothing.
        let begins_record = matches!(shape, Shape::Vb { .. }) || matches!(segment, [_, _, 0 | 1, _]);
        if begins[begins.len() - 1] + bytes <= at && begins_record && segment != NULL_SEGMENT {
            begins.push(at);
        }
        match length_of_block([b0, b1, b2, b3]) {
            Ok(length) if u64::from(length) <= len - at => at += u64::from(length),
            _ => return Ok(None),
        }
    }
    Ok(Some(begins))
}

/// Returns where parts begin whose first record was found after a chain of headers.
fn by_chains<R: Read + Seek>(input: &mut R, shape: &Shape, len: u64, bytes: u64) -> Result<Vec<u64>, Error> {
    let (mut begins, mut target, mut room) = (vec![0], bytes, Vec::new());
    while target < len {
        let found = find_chain(input, shape, target, len, &mut room)?;
        begins.extend(found);
        target = found.unwrap_or(target).saturating_add(bytes);
    }
    Ok(begins)
}

/// Returns a place after byte `from` where a record begins, before the end of the file.
fn find_chain<R: Read + Seek>(
    input: &mut R,
    shape: &Shape,
    from: u64,
    len: u64,
    room: &mut Vec<u8>,
) -> Result<Option<u64>, Error> {
    let mut window = WINDOW;
    loop {
        seek(input, from)?;
        room.clear();
        let read = input.by_ref().take(window).read_to_end(room);
        read.map_err(|source| Error::read(from, source))?;
        let found = resync(shape, room, CHAIN).map(|after| from + after as u64);
        if found.is_some() || window >= MAX_WINDOW || (room.len() as u64) < window {
            return Ok(found.filter(|begin| *begin < len));
        }
        window *= 4;
    }
}

fn seek<R: Seek>(input: &mut R, at: u64) -> Result<(), Error> {
    input.seek(SeekFrom::Start(at)).map(drop).map_err(|source| Error::read(at, source))
}

/// Reads as many bytes as `room` has, from byte `at` on; `None` if the input has fewer.
fn fill<R: Read>(input: &mut R, at: u64, room: &mut [u8]) -> Result<Option<()>, Error> {
    match input.read_exact(room) {
        Ok(()) => Ok(Some(())),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(source) => Err(Error::read(at, source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Framer, Records};
    use proptest::prelude::*;
    use std::io::Cursor;

    const SHAPES: [&str; 12] = [
        "fb:7",
        "fb:80",
        "rdw",
        "rdw:exclusive",
        "rdw:le",
        "rdw:le:exclusive",
        "vb:120",
        "vb",
        "vbs:60",
        "u32",
        "u16",
        "mode-b",
    ];

    /// Frames records of these lengths; their bytes are from a small set, so that data looks like headers too.
    fn framed(shape: &Shape, lens: &[usize], seed: u64) -> Vec<u8> {
        let (mut framer, mut bytes, mut random) = (Framer::new(shape, b"\x40").unwrap(), Vec::new(), seed | 1);
        for len in lens {
            let mut byte = || {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                [0, 0, 4, 8, 0x40, 0xC1, 12, 0x81][(random >> 60) as usize % 8]
            };
            let record: Vec<u8> = (0..*len.min(&shape.longest())).map(|_| byte()).collect();
            framer.record(&record, 0, &mut bytes).unwrap();
        }
        framer.finish(&mut bytes);
        bytes
    }

    type Found = Vec<(u64, Vec<u8>)>;

    /// Reads records into `found`: their offsets and data.
    fn read<R: BufRead>(mut records: Records<R>, found: &mut Found) -> Result<(), Error> {
        while let Some(record) = records.next_record()? {
            found.push((record.offset, record.data.to_vec()));
        }
        Ok(())
    }

    /// Reads the parts one after another, up to the first error.
    fn in_parts(file: &[u8], shape: &Shape, parts: &[Split]) -> (Found, Result<(), Error>) {
        let mut found = Vec::new();
        for part in parts {
            // A small buffer, so that records lie across its end.
            let input = BufReader::with_capacity(61, &file[part.begin as usize..]);
            let before = found.len();
            let result = read(Records::new(input, shape).part(part), &mut found);
            if let Some(number) = part.number {
                assert_eq!(number, before as u64 + 1, "{shape} {part:?}");
            }
            if result.is_err() {
                return (found, result);
            }
        }
        (found, Ok(()))
    }

    fn is_partition(parts: &[Split], len: usize) -> bool {
        let ends = parts.iter().map(|part| part.end);
        let begins = parts.iter().skip(1).map(|part| part.begin).chain([len as u64]);
        parts.first().is_none_or(|part| part.begin == 0)
            && parts.iter().all(|part| part.begin < part.end)
            && (parts.is_empty() == (len == 0))
            && ends.zip(begins).all(|(end, begin)| end == begin)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// However a file is cut, every record is read exactly once.
        #[test]
        fn every_record_is_in_one_part(
            shape in proptest::sample::select(&SHAPES[..]),
            lens in proptest::collection::vec(0_usize..150, 0..300),
            parts in 1_u64..=40,
            seed: u64,
        ) {
            let shape: Shape = shape.parse().unwrap();
            let file = framed(&shape, &lens, seed);
            let mut whole = Vec::new();
            read(Records::new(&file[..], &shape), &mut whole).unwrap();
            let bytes = (file.len() as u64).div_ceil(parts);
            for found in [
                splits(Cursor::new(&file), &shape, bytes).unwrap(),
                numbered_splits(BufReader::with_capacity(50, &file[..]), &shape, bytes).unwrap(),
            ] {
                prop_assert!(is_partition(&found, file.len()), "{found:?}");
                prop_assert!(found.len() as u64 <= parts);
                let (records, result) = in_parts(&file, &shape, &found);
                prop_assert!(result.is_ok(), "{result:?} in {found:?}");
                prop_assert_eq!(&records, &whole);
            }
        }

        /// If a file is damaged or cut off, its parts either have the same records as the whole, or there is an error,
        /// and nothing before the error is wrong.
        #[test]
        fn damage_is_found(
            shape in proptest::sample::select(&SHAPES[..]),
            lens in proptest::collection::vec(0_usize..150, 1..200),
            parts in 1_u64..=40,
            damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
            cut in proptest::option::of(any::<proptest::sample::Index>()),
            seed: u64,
        ) {
            let shape: Shape = shape.parse().unwrap();
            let mut file = framed(&shape, &lens, seed);
            prop_assume!(!file.is_empty());
            for (at, byte) in damage {
                let at = at.index(file.len());
                file[at] = byte;
            }
            if let Some(cut) = cut {
                file.truncate(cut.index(file.len()));
            }
            let mut whole = Vec::new();
            let expected = read(Records::new(&file[..], &shape), &mut whole);
            let Ok(found) = splits(Cursor::new(&file), &shape, (file.len() as u64).div_ceil(parts)) else {
                prop_assert!(expected.is_err());
                return Ok(());
            };
            prop_assert!(is_partition(&found, file.len()), "{found:?}");
            let (records, result) = in_parts(&file, &shape, &found);
            prop_assert!(whole.starts_with(&records));
            match expected {
                Ok(()) if result.is_ok() => prop_assert_eq!(&records, &whole),
                Ok(()) => {}
                Err(_) => prop_assert!(result.is_err()),
            }
        }

        /// A part that begins at a wrong place is always an error.
        #[test]
        fn wrong_places_are_found(
            shape in proptest::sample::select(&SHAPES[..]),
            lens in proptest::collection::vec(0_usize..150, 2..60),
            at: proptest::sample::Index,
            seed: u64,
        ) {
            let shape: Shape = shape.parse().unwrap();
            let file = framed(&shape, &lens, seed);
            prop_assume!(file.len() > 1);
            let (at, len) = (1 + at.index(file.len() - 1) as u64, file.len() as u64);
            let good = numbered_splits(&file[..], &shape, 1).unwrap();
            let is_right = good.iter().any(|part| part.begin == at);
            let mut whole = Vec::new();
            read(Records::new(&file[..], &shape), &mut whole).unwrap();
            let mut found = Vec::new();
            let first = read(Records::new(&file[..], &shape).part(&Split::new(0, at, Some(1))), &mut found);
            prop_assert_eq!(first.is_ok(), is_right, "{:?}", first);
            prop_assert!(whole.starts_with(&found));
            prop_assert!(found.iter().all(|(offset, _)| *offset < at));
            if let Err(error) = first {
                prop_assert_eq!(error.code(), "split-mismatch");
                let ErrorKind::SplitMismatch { offset, begin: 0, end } = *error.kind() else { panic!("{error}") };
                prop_assert!(end == at && offset > at && offset <= len);
            }
        }
    }

    #[test]
    fn a_shorter_file_than_planned() {
        let file = b"\x00\x06\x00\x00\xC1\xC2".repeat(4);
        let mut found = Vec::new();
        let error = read(Records::new(&file[..], &Shape::RDW).part(&Split::new(0, 30, None)), &mut found).unwrap_err();
        assert_eq!((error.code(), error.offset(), found.len()), ("split-mismatch", Some(24), 4));
        assert!(error.to_string().contains("do not end at byte 30"), "{error}");
    }

    #[test]
    fn errors_before_any_part() {
        let code = |file: &[u8], shape: &str| {
            let error = splits(Cursor::new(file), &shape.parse().unwrap(), 10).unwrap_err();
            (error.code(), error.offset())
        };
        assert_eq!(code(&[0x40; 25], "fb:10"), ("record-cut", Some(25)));
        assert_eq!(code(b"\0\x0C\0\0\0\x08\0\0abcd\0\x0C\0\x01\0\x08\0\0abcd", "vb"), ("bad-header", Some(12)));
        assert_eq!(code(b"\0\x0C\0\0\0\x08\0\0abcd\0\x0C\0\0\0\x08\0\0ab", "vb"), ("record-cut", Some(22)));
        assert_eq!(code(b"\0\x0C\0\0\0\x08\0\0abcd\0\x0C", "vbs"), ("record-cut", Some(14)));
    }
}
