//! From records to bytes: the opposite of `deframe.rs`.
//!
//! It holds one block at the most, where the shape has blocks.

use super::{MAX_BLKSIZE, Shape};
use crate::error::{Error, ErrorKind};

/// Frames records.
///
/// What it writes, a [`Deframer`](super::Deframer) of the same shape reads; and framed once more, that is the same
/// bytes again.
///
/// ```
/// use charpipe::records::{Framer, Shape};
///
/// let mut output = Vec::new();
/// let mut framer = Framer::new(&"vb".parse().unwrap(), b"")?;
/// framer.record(b"\xC1\xC2", 0, &mut output)?;
/// framer.record(b"", 3, &mut output)?;
/// framer.finish(&mut output);
/// assert_eq!(output, b"\x00\x0E\x00\x00\x00\x06\x00\x00\xC1\xC2\x00\x04\x00\x00");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Framer {
    /// What is in the blocks, where it is a tape.
    shape: Shape,
    limit: usize,
    pad: Vec<u8>,
    tape: Option<Tape>,
    /// The block that is not full yet, its descriptor word included; empty where none was begun.
    block: Vec<u8>,
    record: u64,
}

impl Framer {
    /// Frames in that shape. `pad` is a blank, which fills up records of fixed length; where it is empty none may be
    /// shorter. Other shapes do without.
    ///
    /// # Errors
    /// [`ErrorKind::CannotFrame`]: a tape with standard labels, as these name a data set, a volume and a date, which
    /// nobody gave; a shape that cannot be written down either.
    pub fn new(shape: &Shape, pad: &[u8]) -> Result<Self, Error> {
        Framer::check(shape)?;
        let (inner, tape) = match shape {
            Shape::AwsTape { shape, .. } => (&**shape, Some(Tape { previous: 0 })),
            shape => (shape, None),
        };
        Ok(Framer {
            shape: inner.clone(),
            limit: shape.longest(),
            pad: pad.to_vec(),
            tape,
            block: Vec::new(),
            record: 1,
        })
    }

    /// Whether records can be written in that shape.
    pub(crate) fn check(shape: &Shape) -> Result<(), Error> {
        let cannot = |why: String| Err(ErrorKind::CannotFrame { shape: shape.to_string(), why }.into());
        match (shape.to_string().parse::<Shape>(), shape) {
            (Err(bad), _) => cannot(bad.to_string()),
            (Ok(_), Shape::AwsTape { labels: true, shape }) => cannot(format!(
                "labels name a volume, a data set and a date, which are not known here; without labels it is \
                 awstape,{shape}"
            )),
            (Ok(_), _) => Ok(()),
        }
    }

    /// The same for a part of an output, of which `record` is the first record. Only for shapes that hold nothing.
    pub(crate) fn at_record(mut self, record: u64) -> Self {
        self.record = record;
        self
    }

    /// The shape, where each record is written by itself: where nothing is held, and nothing follows the last.
    pub(crate) fn shape(&self) -> Option<&Shape> {
        let alone = matches!(self.shape, Shape::Fixed { .. } | Shape::Rdw { .. } | Shape::U32 | Shape::U16);
        (alone && self.tape.is_none()).then_some(&self.shape)
    }

    /// The number of the next record, from 1.
    pub fn number(&self) -> u64 {
        self.record
    }

    /// A record, whole. Appends to `out` what can be written now. `offset` is where in the input the record comes from,
    /// for errors.
    ///
    /// # Errors
    /// [`ErrorKind::RecordTooLong`] for a record of more than [`Shape::longest`] bytes; [`ErrorKind::CannotPad`] for one
    /// that no number of blanks makes as long as it has to be. It is as if the record had not been given, then.
    pub fn record(&mut self, data: &[u8], offset: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        if data.len() > self.limit {
            return Err(ErrorKind::RecordTooLong { offset, record: self.record, limit: self.limit }.into());
        }
        match self.shape {
            Shape::Fixed { lrecl } | Shape::FixedBlocks { lrecl, .. } => {
                self.fixed(data, lrecl as usize, offset, out)?
            }
            Shape::Vb { blksize } => self.variable(data, blksize as usize, out),
            Shape::Vbs { blksize } => self.spanned(data, blksize as usize, out),
            _ => self.headed(data, out),
        }
        self.record += 1;
        Ok(())
    }

    /// Appends what was held back, and what ends a file: FTP's end of file, a tape mark. Records that come later are
    /// those of another file.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.flush(out);
        match &mut self.tape {
            Some(tape) => tape.header(0, TAPE_MARK, out),
            None if self.shape == Shape::ModeB => out.extend(mode_b(0, END_OF_FILE)),
            None => {}
        }
    }

    /// Records of one length; on a tape in blocks.
    fn fixed(&mut self, data: &[u8], lrecl: usize, offset: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        let missing = lrecl - data.len();
        if !missing.is_multiple_of(self.pad.len()) {
            let (record, blank) = (self.record, self.pad.len());
            return Err(ErrorKind::CannotPad { offset, record, missing, blank }.into());
        }
        let blksize = match self.shape {
            Shape::FixedBlocks { blksize, .. } => blksize,
            _ => MAX_BLKSIZE,
        };
        if self.tape.is_some() && self.block.len() + lrecl > blksize as usize {
            self.flush(out);
        }
        let to = if self.tape.is_some() { &mut self.block } else { out };
        to.extend_from_slice(data);
        match self.pad[..] {
            [byte] => to.resize(to.len() + missing, byte),
            _ => to.extend(self.pad.iter().cycle().take(missing)),
        }
        Ok(())
    }

    /// As many records in a block as fit.
    fn variable(&mut self, data: &[u8], blksize: usize, out: &mut Vec<u8>) {
        if self.block.len() + 4 + data.len() > blksize {
            self.flush(out);
        }
        self.begin_block();
        self.block.extend(rdw(data.len() + 4));
        self.block.extend_from_slice(data);
    }

    /// Records in segments: a block ends where another byte of data does not fit.
    fn spanned(&mut self, mut data: &[u8], blksize: usize, out: &mut Vec<u8>) {
        let mut is_first = true;
        loop {
            if self.block.len() + 5 > blksize {
                self.flush(out);
            }
            self.begin_block();
            let (segment, rest) = data.split_at(data.len().min(blksize - self.block.len() - 4));
            let control = match (is_first, rest.is_empty()) {
                (true, true) => 0,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            let [high, low, _, _] = rdw(segment.len() + 4);
            self.block.extend([high, low, control, 0]);
            self.block.extend_from_slice(segment);
            if rest.is_empty() {
                return;
            }
            (data, is_first) = (rest, false);
        }
    }

    /// Everything that stands in its own right: a header, the record; on a tape a block each.
    fn headed(&mut self, data: &[u8], out: &mut Vec<u8>) {
        let len = data.len();
        let own = match self.shape {
            Shape::U16 => 2,
            Shape::ModeB => 3,
            _ => 4,
        };
        if let Some(tape) = &mut self.tape {
            tape.header(own + len, BLOCK, out);
        }
        match self.shape {
            Shape::Rdw { little, inclusive } => {
                let mut word = rdw(if inclusive { len + 4 } else { len });
                if little {
                    word.reverse();
                }
                out.extend(word);
            }
            Shape::U16 => out.extend((len as u16).to_be_bytes()),
            Shape::ModeB => return blocks(data, out),
            _ => out.extend((len as u32).to_be_bytes()),
        }
        out.extend_from_slice(data);
    }

    /// Room for a block descriptor word, where the block has begun with this record.
    fn begin_block(&mut self) {
        if self.block.is_empty() {
            self.block.extend([0; 4]);
        }
    }

    /// Writes the block that is held.
    fn flush(&mut self, out: &mut Vec<u8>) {
        if self.block.is_empty() {
            return;
        }
        let len = self.block.len();
        if let Some(tape) = &mut self.tape {
            tape.header(len, BLOCK, out);
        }
        if matches!(self.shape, Shape::Vb { .. } | Shape::Vbs { .. }) {
            self.block[..4].copy_from_slice(&rdw(len));
        }
        out.append(&mut self.block);
    }
}

/// A descriptor word, of a record or a block.
fn rdw(length: usize) -> [u8; 4] {
    let [high, low] = (length as u16).to_be_bytes();
    [high, low, 0, 0]
}

const END_OF_RECORD: u8 = 0x80;
const END_OF_FILE: u8 = 0x40;

/// A header of FTP's block mode.
fn mode_b(count: usize, flags: u8) -> [u8; 3] {
    let [high, low] = (count as u16).to_be_bytes();
    [flags, high, low]
}

/// A record in blocks of FTP's block mode.
fn blocks(mut data: &[u8], out: &mut Vec<u8>) {
    loop {
        let (block, rest) = data.split_at(data.len().min(usize::from(u16::MAX)));
        out.extend(mode_b(block.len(), if rest.is_empty() { END_OF_RECORD } else { 0 }));
        out.extend_from_slice(block);
        if rest.is_empty() {
            return;
        }
        data = rest;
    }
}

/// The headers of a tape image.
#[derive(Clone, Debug)]
struct Tape {
    /// The length of the block before.
    previous: u16,
}

/// A whole block in one chunk.
const BLOCK: u8 = 0xA0;
const TAPE_MARK: u8 = 0x40;

impl Tape {
    fn header(&mut self, len: usize, flags: u8, out: &mut Vec<u8>) {
        let len = len as u16;
        out.extend(len.to_le_bytes());
        out.extend(self.previous.to_le_bytes());
        out.extend([flags, 0]);
        self.previous = len;
    }
}
