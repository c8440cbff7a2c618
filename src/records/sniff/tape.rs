//! Tape images: whether it is one, and the shape of what is in the blocks.

use super::fixed::{self, gcd};
use super::walk::Walk;
use crate::error::Error;
use crate::records::{Deframer, MAX_BLKSIZE, Part, Shape};

/// So much of the data is looked at for the length of its records.
const SAMPLE: usize = 1 << 17;
/// The length of a label.
const LABEL: usize = 80;

/// The tape image that `prefix` begins, if any.
pub(super) fn walk(prefix: &[u8], eof: bool) -> Option<Walk> {
    let blocks = blocks(prefix);
    let first = blocks.first()?;
    let labels = first.len() == LABEL && (first.starts_with(&[0xE5, 0xD6, 0xD3, 0xF1]) || first.starts_with(b"VOL1"));
    let of = |shape| Shape::AwsTape { labels, shape: Box::new(shape) };
    let found = |shape: Shape, why: Vec<String>, fits: bool| {
        let shape = of(shape);
        let (records, failed) = follow(prefix, eof, &shape);
        let bytes = failed.as_ref().and_then(Error::offset).unwrap_or(prefix.len() as u64);
        let fits = fits && failed.is_none() && records > 0;
        // Each header of the tape says how long the one before is: nothing else looks like that.
        let evidence = 24.0 * blocks.len() as f64;
        let tape = format!("{} tape blocks, {records} records", blocks.len());
        let why = std::iter::once(tape).chain(why).collect();
        Walk { shape, fits, why, evidence, records, bytes, failed }
    };
    let data: Vec<&Block<'_>> = blocks.iter().filter(|block| !labels || block.file % 3 == 1).collect();
    let whole: Vec<&Block<'_>> = data.iter().filter(|block| block.is_whole).copied().collect();
    let Some(first) = data.first() else {
        return Some(found(Shape::Fixed { lrecl: LABEL as u32 }, vec!["there is no block of data".to_owned()], false));
    };
    // Blocks that say their own length, all of them, hold records that do.
    let says_length = |block: &&Block<'_>| {
        let word: Option<[u8; 4]> = block.bytes.first_chunk().copied();
        word.is_some_and(|[high, low, zero, more]| {
            let length = usize::from(high) << 8 | usize::from(low);
            (8..=block.len()).contains(&length) && (zero, more) == (0, 0)
        })
    };
    if first.is_whole && whole.iter().all(says_length) {
        let says = |shape| found(shape, vec!["each block begins with its length".to_owned()], true);
        let blksize = MAX_BLKSIZE;
        let vb = says(Shape::Vb { blksize });
        let vbs = Some(says(Shape::Vbs { blksize })).filter(|vbs| vbs.fits && !vb.fits);
        return Some(vbs.unwrap_or(vb));
    }
    for shape in [Shape::RDW, Shape::Rdw { little: false, inclusive: false }] {
        let walk = found(shape, Vec::new(), true);
        if walk.fits {
            return Some(walk);
        }
    }
    // Records of one length: what the labels say, or what fits into every block.
    if let Some(lrecl) = blocks.iter().filter(|_| labels).find_map(lrecl_of) {
        return Some(found(Shape::Fixed { lrecl }, vec![format!("the label HDR2 says LRECL {lrecl}")], true));
    }
    let common = whole.iter().fold(0, |common, block| gcd(block.len(), common));
    let mut sample = Vec::new();
    for block in &data {
        sample.extend_from_slice(&block.bytes[..block.bytes.len().min(SAMPLE - sample.len())]);
    }
    let multiple = format!("the blocks are multiples of {common} bytes");
    match fixed::periods(&sample, Some(common).filter(|common| *common > 0)) {
        Ok(period) if common.is_multiple_of(period.lrecl) => {
            let why = std::iter::once(multiple).chain(period.why).collect();
            Some(found(Shape::Fixed { lrecl: period.lrecl as u32 }, why, true))
        }
        // Cards and lines of a listing may be told by nothing else.
        _ if [80, 121, 132, 133].contains(&common) => {
            let why = vec![multiple, "a usual length".to_owned()];
            Some(found(Shape::Fixed { lrecl: common as u32 }, why, true))
        }
        _ => {
            let lrecl = common.clamp(1, 65535) as u32;
            let why = vec![multiple, "nothing tells the length of a record".to_owned()];
            Some(found(Shape::Fixed { lrecl }, why, false))
        }
    }
}

/// A block of a tape, its chunks put together.
struct Block<'a> {
    /// The number of its file, from 0.
    file: usize,
    bytes: std::borrow::Cow<'a, [u8]>,
    /// Its end is there.
    is_whole: bool,
}

impl Block<'_> {
    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn starts_with(&self, what: &[u8]) -> bool {
        self.bytes.starts_with(what)
    }
}

/// The LRECL of fixed records, from a label.
fn lrecl_of(block: &Block<'_>) -> Option<u32> {
    let ebcdic = block.starts_with(&[0xC8, 0xC4, 0xD9, 0xF2, 0xC6]);
    let number = block.bytes.get(10..15).filter(|_| ebcdic || block.starts_with(b"HDR2F"))?;
    let zero = if ebcdic { 0xF0 } else { b'0' };
    let digit = |byte: &u8| byte.checked_sub(zero).filter(|digit| *digit < 10).map(u32::from);
    let number = number.iter().try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))?;
    (1..=MAX_BLKSIZE).contains(&number).then_some(number)
}

/// The blocks as far as headers fit; none where it is no tape image.
fn blocks(prefix: &[u8]) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let (mut at, mut file, mut previous, mut headers) = (0, 0, 0, 0);
    while let Some(header) = prefix.get(at..at + 6) {
        let length = usize::from(header[1]) << 8 | usize::from(header[0]);
        let before = usize::from(header[3]) << 8 | usize::from(header[2]);
        let (is_mark, is_new, is_last) = (header[4] & 0x40 != 0, header[4] & 0x80 != 0, header[4] & 0x20 != 0);
        let is_open = blocks.last().is_some_and(|block| !block.is_whole);
        let fits = header[4] & 0x1F == 0 && header[5] == 0 && (before == previous || before == 0);
        if !fits || is_mark && length > 0 || !is_mark && (is_new == is_open || length == 0) {
            break;
        }
        headers += 1;
        at += 6;
        previous = length;
        if is_mark {
            file += 1;
            continue;
        }
        let data = &prefix[at..prefix.len().min(at + length)];
        at += length;
        let is_whole = is_last && at <= prefix.len();
        match blocks.last_mut().filter(|_| is_open) {
            Some(block) => {
                block.bytes.to_mut().extend_from_slice(data);
                block.is_whole = is_whole;
            }
            None => blocks.push(Block { file, bytes: data.into(), is_whole }),
        }
    }
    // One header alone may be anything.
    if headers < 2 { Vec::new() } else { blocks }
}

/// How many records there are, and what stands against it.
fn follow(prefix: &[u8], eof: bool, shape: &Shape) -> (u64, Option<Error>) {
    let mut deframer = Deframer::new(shape);
    let mut at = 0;
    loop {
        match deframer.next(&prefix[at..], eof) {
            Ok(Part::Framing(len) | Part::Data(len)) => at += len,
            Ok(Part::End | Part::FileEnd) => {}
            Ok(Part::Done | Part::NeedInput) => return (deframer.record() - 1, None),
            Err(error) => return (deframer.record() - 1, Some(error)),
        }
    }
}
