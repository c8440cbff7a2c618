//! Recognises tape images, the data sets that their labels name, and the shape of the records in their blocks.

use super::fixed;
use super::gcd::gcd;
use super::walk::Walk;
use crate::error::Error;
use crate::records::{DataSet, Deframer, MAX_BLKSIZE, Part, Shape, TapeFile};

/// How many bytes of the data are examined for the length of the records.
const SAMPLE_BYTES: usize = 1 << 17;
/// The length of a label in bytes.
const LABEL_BYTES: usize = 80;

/// A tape image, and the data sets that its labels name.
pub(super) struct Tape {
    pub(super) walk: Walk,
    pub(super) data_sets: Vec<DataSet>,
}

/// Returns the tape image that `prefix` begins, if it is one. `file`: the chosen file.
pub(super) fn walk(prefix: &[u8], eof: bool, file: Option<&TapeFile>) -> Option<Tape> {
    let blocks = blocks(prefix);
    let first = blocks.first()?;
    let labels =
        first.len() == LABEL_BYTES && (first.starts_with(&[0xE5, 0xD6, 0xD3, 0xF1]) || first.starts_with(b"VOL1"));
    let data_sets = if labels { data_sets(&blocks) } else { Vec::new() };
    let chosen = data_sets.iter().find(|set| {
        data_sets.len() == 1 && file.is_none()
            || file.is_some_and(|file| *file == TapeFile::Number(set.file) || file.is(&set.name))
    });
    // The number of the file as the headers count: tape mark by tape mark.
    let number = match (chosen, file) {
        (Some(set), Some(_)) => Some(3 * (set.file as usize - 1) + 1),
        (None, Some(TapeFile::Number(number))) if !labels => Some(*number as usize - 1),
        (None, Some(_)) => Some(usize::MAX),
        (_, None) => None,
    };
    let is_data =
        |block: &&Block<'_>| number.is_none_or(|number| number == block.file) && (!labels || block.file % 3 == 1);
    let data =
        Data { prefix, eof, labels, file, blocks: &blocks, data_blocks: blocks.iter().filter(is_data).collect() };
    let walk = match file {
        None if data_sets.len() > 1 => data.without_shape(&data_sets),
        _ => data.walk(chosen),
    };
    Some(Tape { walk, data_sets })
}

/// Reads the labels, one data set after another.
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

/// The data on a tape whose record shape is to be determined.
struct Data<'a> {
    prefix: &'a [u8],
    eof: bool,
    labels: bool,
    /// The chosen file; `None`: all files.
    file: Option<&'a TapeFile>,
    blocks: &'a [Block<'a>],
    /// The blocks that contain the data.
    data_blocks: Vec<&'a Block<'a>>,
}

impl Data<'_> {
    /// Determines the shape of the records in the blocks: from the labels if that fits, otherwise by trying.
    fn walk(&self, set: Option<&DataSet>) -> Walk {
        let Some(first) = self.data_blocks.first() else {
            return self.walk_as(
                Shape::Fixed { lrecl: LABEL_BYTES as u32 },
                vec!["there are no data blocks".to_owned()],
                false,
            );
        };
        let whole: Vec<&Block<'_>> = self.data_blocks.iter().filter(|block| block.is_whole).copied().collect();
        if let Some((set, shape)) = set.and_then(|set| Some((set, set.shape.clone()?))) {
            let walk = self.walk_as(shape, vec![format!("the label HDR2 says {}", hdr2_text(set))], true);
            if walk.fits {
                return walk;
            }
        }
        if first.is_whole && whole.iter().all(|block| begins_with_its_length(block)) {
            return self.length_prefixed();
        }
        for shape in [Shape::RDW, Shape::Rdw { little: false, inclusive: false }] {
            let walk = self.walk_as(shape, Vec::new(), true);
            if walk.fits {
                return walk;
            }
        }
        self.fixed_length(&whole)
    }

    /// Returns a tape without a shape, because none of its data sets was chosen.
    fn without_shape(&self, sets: &[DataSet]) -> Walk {
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

    fn walk_as(&self, shape: Shape, why: Vec<String>, fits: bool) -> Walk {
        let shape = Shape::AwsTape { labels: self.labels, shape: Box::new(shape) };
        let (records, failed) = follow(self.prefix, self.eof, &shape, self.file);
        let bytes = failed.as_ref().and_then(Error::offset).unwrap_or(self.prefix.len() as u64);
        let fits = fits && failed.is_none() && records > 0;
        // Each tape header repeats the length of the preceding chunk. Nothing else looks like that.
        let evidence = 24.0 * self.blocks.len() as f64;
        let count = if self.file.is_some() { self.data_blocks.len() } else { self.blocks.len() };
        let tape = format!("{count} tape blocks, {records} records");
        let why = std::iter::once(tape).chain(why).collect();
        Walk { shape, fits, why, evidence, records, bytes, failed }
    }

    /// Handles blocks that all begin with their own length: so do the records in them.
    fn length_prefixed(&self) -> Walk {
        let says = |shape| self.walk_as(shape, vec!["each block begins with its length".to_owned()], true);
        let blksize = MAX_BLKSIZE;
        let vb = says(Shape::Vb { blksize });
        let vbs = Some(says(Shape::Vbs { blksize })).filter(|vbs| vbs.fits && !vb.fits);
        vbs.unwrap_or(vb)
    }

    /// Handles records of one length, which divides the length of every block.
    fn fixed_length(&self, whole: &[&Block<'_>]) -> Walk {
        let common = whole.iter().fold(0, |common, block| gcd(block.len(), common));
        let mut sample = Vec::new();
        for block in &self.data_blocks {
            sample.extend_from_slice(&block.bytes[..block.bytes.len().min(SAMPLE_BYTES - sample.len())]);
        }
        let multiple = format!("block lengths are multiples of {common} bytes");
        match fixed::periods(&sample, Some(common).filter(|common| *common > 0)) {
            Ok(period) if common.is_multiple_of(period.lrecl) => {
                let why = std::iter::once(multiple).chain(period.why).collect();
                self.walk_as(Shape::Fixed { lrecl: period.lrecl as u32 }, why, true)
            }
            // For cards and lines of a listing, there may be no other evidence.
            _ if [80, 121, 132, 133].contains(&common) => {
                let why = vec![multiple, "a common record length".to_owned()];
                self.walk_as(Shape::Fixed { lrecl: common as u32 }, why, true)
            }
            _ => {
                let lrecl = common.clamp(1, 65535) as u32;
                let why = vec![multiple, "the record length cannot be determined".to_owned()];
                self.walk_as(Shape::Fixed { lrecl }, why, false)
            }
        }
    }
}

/// Returns what HDR2 says about the records.
fn hdr2_text(set: &DataSet) -> String {
    let lrecl = set.lrecl.map_or_else(String::new, |lrecl| format!(", LRECL {lrecl}"));
    format!("RECFM {}{lrecl}", set.recfm)
}

fn begins_with_its_length(block: &Block<'_>) -> bool {
    let word: Option<[u8; 4]> = block.bytes.first_chunk().copied();
    word.is_some_and(|[high, low, zero, more]| {
        let length = usize::from(high) << 8 | usize::from(low);
        (8..=block.len()).contains(&length) && (zero, more) == (0, 0)
    })
}

/// A block of a tape, assembled from its chunks.
struct Block<'a> {
    /// The number of its file, from 0.
    file: usize,
    bytes: std::borrow::Cow<'a, [u8]>,
    /// Whether its end was seen.
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

/// Returns the blocks up to the first invalid header, or none if this is not a tape image.
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
    // A single header may be anything.
    if headers < 2 { Vec::new() } else { blocks }
}

/// Returns the number of records, and the error that ends them, if there is one.
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
