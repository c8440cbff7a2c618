//! Tape images: whether it is one, which data sets its labels name, and the shape of what is in the blocks.

use super::fixed::{self, gcd};
use super::walk::Walk;
use crate::error::Error;
use crate::records::{DataSet, Deframer, MAX_BLKSIZE, Part, Shape, TapeFile};

/// So much of the data is looked at for the length of its records.
const SAMPLE: usize = 1 << 17;
/// The length of a label.
const LABEL: usize = 80;

/// A tape image, and the data sets that its labels name.
pub(super) struct Tape {
    pub(super) walk: Walk,
    pub(super) data_sets: Vec<DataSet>,
}

/// The tape image that `prefix` begins, if any. `file`: the one of its files that is meant.
pub(super) fn walk(prefix: &[u8], eof: bool, file: Option<&TapeFile>) -> Option<Tape> {
    let blocks = blocks(prefix);
    let first = blocks.first()?;
    let labels = first.len() == LABEL && (first.starts_with(&[0xE5, 0xD6, 0xD3, 0xF1]) || first.starts_with(b"VOL1"));
    let data_sets = if labels { data_sets(&blocks) } else { Vec::new() };
    let chosen = data_sets.iter().find(|set| {
        data_sets.len() == 1 && file.is_none()
            || file.is_some_and(|file| *file == TapeFile::Number(set.file) || file.is(&set.name))
    });
    // Its number as the headers count, tape mark by tape mark.
    let number = match (chosen, file) {
        (Some(set), Some(_)) => Some(3 * (set.file as usize - 1) + 1),
        (None, Some(TapeFile::Number(number))) if !labels => Some(*number as usize - 1),
        (None, Some(_)) => Some(usize::MAX),
        (_, None) => None,
    };
    let is_data =
        |block: &&Block<'_>| number.is_none_or(|number| number == block.file) && (!labels || block.file % 3 == 1);
    let data = Data { prefix, eof, labels, file, blocks: &blocks, wanted: blocks.iter().filter(is_data).collect() };
    let walk = match file {
        None if data_sets.len() > 1 => data.of_several(&data_sets),
        _ => data.walk(chosen),
    };
    Some(Tape { walk, data_sets })
}

/// What the labels say, data set by data set.
fn data_sets(blocks: &[Block<'_>]) -> Vec<DataSet> {
    let mut sets: Vec<DataSet> = Vec::new();
    for block in blocks {
        let number = block.file as u32 / 3 + 1;
        if sets.last().is_none_or(|set| set.file != number) {
            sets.push(DataSet::new(number));
        }
        if let Some(set) = sets.last_mut() {
            match block.file % 3 {
                1 => set.blocks += 1,
                _ => set.read(&block.bytes),
            }
        }
    }
    sets
}

/// The data on a tape whose shape is asked for.
struct Data<'a> {
    prefix: &'a [u8],
    eof: bool,
    labels: bool,
    /// The file that is meant; `None`: all.
    file: Option<&'a TapeFile>,
    blocks: &'a [Block<'a>],
    /// The blocks of data in it.
    wanted: Vec<&'a Block<'a>>,
}

impl Data<'_> {
    /// The shape of what is in the blocks: what the labels say, or else what fits.
    fn walk(&self, set: Option<&DataSet>) -> Walk {
        let Some(first) = self.wanted.first() else {
            return self.found(
                Shape::Fixed { lrecl: LABEL as u32 },
                vec!["there is no block of data".to_owned()],
                false,
            );
        };
        let whole: Vec<&Block<'_>> = self.wanted.iter().filter(|block| block.is_whole).copied().collect();
        if let Some((set, shape)) = set.and_then(|set| Some((set, set.shape.clone()?))) {
            let walk = self.found(shape, vec![format!("the label HDR2 says {}", said(set))], true);
            if walk.fits {
                return walk;
            }
        }
        if first.is_whole && whole.iter().all(|block| says_length(block)) {
            return self.of_blocks();
        }
        for shape in [Shape::RDW, Shape::Rdw { little: false, inclusive: false }] {
            let walk = self.found(shape, Vec::new(), true);
            if walk.fits {
                return walk;
            }
        }
        self.of_one_length(&whole)
    }

    /// None of them is chosen, so that the tape has no shape.
    fn of_several(&self, sets: &[DataSet]) -> Walk {
        let first = sets.iter().find_map(|set| set.shape.clone()).unwrap_or(Shape::RDW);
        let why = vec![format!("{} tape blocks", self.blocks.len()), format!("{} data sets", sets.len())];
        Walk {
            shape: Shape::AwsTape { labels: true, shape: Box::new(first) },
            fits: false,
            why,
            evidence: 24.0 * self.blocks.len() as f64,
            records: 0,
            bytes: self.prefix.len() as u64,
            failed: None,
        }
    }

    fn found(&self, shape: Shape, why: Vec<String>, fits: bool) -> Walk {
        let shape = Shape::AwsTape { labels: self.labels, shape: Box::new(shape) };
        let (records, failed) = follow(self.prefix, self.eof, &shape, self.file);
        let bytes = failed.as_ref().and_then(Error::offset).unwrap_or(self.prefix.len() as u64);
        let fits = fits && failed.is_none() && records > 0;
        // Each header of the tape says how long the one before is: nothing else looks like that.
        let evidence = 24.0 * self.blocks.len() as f64;
        let count = if self.file.is_some() { self.wanted.len() } else { self.blocks.len() };
        let tape = format!("{count} tape blocks, {records} records");
        let why = std::iter::once(tape).chain(why).collect();
        Walk { shape, fits, why, evidence, records, bytes, failed }
    }

    /// Blocks that say their own length, all of them, hold records that do.
    fn of_blocks(&self) -> Walk {
        let says = |shape| self.found(shape, vec!["each block begins with its length".to_owned()], true);
        let blksize = MAX_BLKSIZE;
        let vb = says(Shape::Vb { blksize });
        let vbs = Some(says(Shape::Vbs { blksize })).filter(|vbs| vbs.fits && !vb.fits);
        vbs.unwrap_or(vb)
    }

    /// Records of one length: what fits into every block.
    fn of_one_length(&self, whole: &[&Block<'_>]) -> Walk {
        let common = whole.iter().fold(0, |common, block| gcd(block.len(), common));
        let mut sample = Vec::new();
        for block in &self.wanted {
            sample.extend_from_slice(&block.bytes[..block.bytes.len().min(SAMPLE - sample.len())]);
        }
        let multiple = format!("the blocks are multiples of {common} bytes");
        match fixed::periods(&sample, Some(common).filter(|common| *common > 0)) {
            Ok(period) if common.is_multiple_of(period.lrecl) => {
                let why = std::iter::once(multiple).chain(period.why).collect();
                self.found(Shape::Fixed { lrecl: period.lrecl as u32 }, why, true)
            }
            // Cards and lines of a listing may be told by nothing else.
            _ if [80, 121, 132, 133].contains(&common) => {
                let why = vec![multiple, "a usual length".to_owned()];
                self.found(Shape::Fixed { lrecl: common as u32 }, why, true)
            }
            _ => {
                let lrecl = common.clamp(1, 65535) as u32;
                let why = vec![multiple, "nothing tells the length of a record".to_owned()];
                self.found(Shape::Fixed { lrecl }, why, false)
            }
        }
    }
}

/// What HDR2 says of the records.
fn said(set: &DataSet) -> String {
    let lrecl = set.lrecl.map_or_else(String::new, |lrecl| format!(", LRECL {lrecl}"));
    format!("RECFM {}{lrecl}", set.recfm)
}

fn says_length(block: &Block<'_>) -> bool {
    let word: Option<[u8; 4]> = block.bytes.first_chunk().copied();
    word.is_some_and(|[high, low, zero, more]| {
        let length = usize::from(high) << 8 | usize::from(low);
        (8..=block.len()).contains(&length) && (zero, more) == (0, 0)
    })
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
fn follow(prefix: &[u8], eof: bool, shape: &Shape, file: Option<&TapeFile>) -> (u64, Option<Error>) {
    let mut deframer = Deframer::new(shape).file(file.cloned());
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
