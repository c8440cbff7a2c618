//! Turns records into bytes: the opposite of `deframe.rs`.
//!
//! If the shape has blocks, at most one block is held.

use super::measure::{Measure, Measured, Measuring, NoLength};
use super::{MAX_BLKSIZE, Shape};
use crate::error::{Error, ErrorKind};

/// Frames records.
///
/// A [`Deframer`](super::Deframer) of the same shape reads the output, and framing the result again gives the same
/// bytes.
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
    /// On a tape, the shape of the records in the blocks.
    shape: Shape,
    limit: usize,
    pad: Vec<u8>,
    tape: Option<Tape>,
    /// The block that is not full yet, including its descriptor word. Empty if no block has begun.
    block: Vec<u8>,
    record: u64,
    /// Finds the length of records without headers.
    measuring: Option<Box<Measuring>>,
}

impl Framer {
    /// Creates a framer for this shape. `pad` is the space that fills up fixed-length records. If it is empty, no
    /// record may be shorter. Other shapes do not use it.
    ///
    /// # Errors
    /// [`ErrorKind::CannotFrame`] for a tape with standard labels, because they contain a data set name, a volume and a
    /// date that are not known here; and for a shape that has no notation.
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
            measuring: None,
        })
    }

    /// Refuses records without headers if they do not have the length that `measure` finds out.
    pub(crate) fn unframed(mut self, measure: Box<dyn Measure>) -> Self {
        self.measuring = Some(Box::new(Measuring::new(measure, (0, 0))));
        self
    }

    /// Checks that records can be written in this shape.
    pub(crate) fn check(shape: &Shape) -> Result<(), Error> {
        let cannot = |why: String| Err(ErrorKind::CannotFrame { shape: shape.to_string(), why }.into());
        match (shape.to_string().parse::<Shape>(), shape) {
            (_, Shape::Unframed) => Ok(()),
            (Err(bad), _) => cannot(bad.to_string()),
            (Ok(_), Shape::AwsTape { labels: true, shape }) => cannot(format!(
                "labels contain a volume, a data set name and a date, which are not known here; without labels, use \
                 awstape,{shape}"
            )),
            (Ok(_), _) => Ok(()),
        }
    }

    /// Creates a framer for a part of the output whose first record has the number `record`. Only for shapes that hold
    /// nothing.
    pub(crate) fn at_record(mut self, record: u64) -> Self {
        self.record = record;
        self
    }

    /// Returns the shape if each record is written independently, that is, if nothing is held and nothing follows the
    /// last record.
    pub(crate) fn shape(&self) -> Option<&Shape> {
        let alone = matches!(self.shape, Shape::Fixed { .. } | Shape::Rdw { .. } | Shape::U32 | Shape::U16);
        (alone && self.tape.is_none()).then_some(&self.shape)
    }

    /// Returns the number of the next record, from 1.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.record
    }

    /// Frames a whole record, and appends all bytes that can be written now to `out`. `offset` is the record's position
    /// in the input, for errors.
    ///
    /// # Errors
    /// [`ErrorKind::RecordTooLong`] for a record of more than [`Shape::longest`] bytes; [`ErrorKind::CannotPad`] for a
    /// record that no number of spaces fills up to its required length; [`ErrorKind::BadRecordLength`] for a record
    /// that nothing frames and that says it has another length. In all cases the state does not change.
    pub fn record(&mut self, data: &[u8], offset: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        if data.len() > self.limit {
            return Err(ErrorKind::RecordTooLong { offset, record: self.record, limit: self.limit }.into());
        }
        self.check_length(data, offset)?;
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

    /// Checks that a record without a header has the length that it says.
    fn check_length(&mut self, data: &[u8], offset: u64) -> Result<(), Error> {
        let Some(measuring) = &mut self.measuring else { return Ok(()) };
        let other = match measuring.measure(data) {
            Ok(Measured::Length(len) | Measured::Needs(len)) if len == data.len() => return Ok(()),
            Ok(Measured::Length(len) | Measured::Needs(len)) => {
                let why = format!("it makes a length of {len} bytes, but the record is written with {}", data.len());
                NoLength { field: measuring.field(), offset: 0, why }
            }
            Err(error) => NoLength { offset: 0, ..error },
        };
        Err(other.in_record(self.record, offset).into())
    }

    /// Appends everything that is held, and then the end of the file: FTP's end of file, or a tape mark. Any later
    /// records belong to another file.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.flush(out);
        match &mut self.tape {
            Some(tape) => tape.header(0, TAPE_MARK, out),
            None if self.shape == Shape::ModeB => out.extend(mode_b(0, END_OF_FILE)),
            None => {}
        }
    }

    /// Frames a fixed-length record, on a tape in blocks.
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

    /// Puts as many records into a block as fit.
    fn variable(&mut self, data: &[u8], blksize: usize, out: &mut Vec<u8>) {
        if self.block.len() + 4 + data.len() > blksize {
            self.flush(out);
        }
        self.begin_block();
        self.block.extend(rdw(data.len() + 4));
        self.block.extend_from_slice(data);
    }

    /// Splits a record into segments. A block ends if not even one more byte of data fits.
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

    /// Frames a record with a header, independently of the others. On a tape, each record is a block.
    fn headed(&mut self, data: &[u8], out: &mut Vec<u8>) {
        let len = data.len();
        let own = match self.shape {
            Shape::U16 => 2,
            Shape::ModeB => 3,
            _ => 4,
        };
        if let Some(tape) = &mut self.tape {
            tape.header(own + len, WHOLE_BLOCK, out);
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
            Shape::Unframed => {}
            _ => out.extend((len as u32).to_be_bytes()),
        }
        out.extend_from_slice(data);
    }

    /// Reserves space for a block descriptor word, if the block begins with this record.
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
            tape.header(len, WHOLE_BLOCK, out);
        }
        if matches!(self.shape, Shape::Vb { .. } | Shape::Vbs { .. }) {
            self.block[..4].copy_from_slice(&rdw(len));
        }
        out.append(&mut self.block);
    }
}

/// Returns a descriptor word for a record or a block.
fn rdw(length: usize) -> [u8; 4] {
    let [high, low] = (length as u16).to_be_bytes();
    [high, low, 0, 0]
}

const END_OF_RECORD: u8 = 0x80;
const END_OF_FILE: u8 = 0x40;

/// Returns a header of FTP's block mode.
fn mode_b(count: usize, flags: u8) -> [u8; 3] {
    let [high, low] = (count as u16).to_be_bytes();
    [flags, high, low]
}

/// Writes a record as blocks of FTP's block mode.
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
    /// The length of the preceding block.
    previous: u16,
}

/// The flags of a whole block in a single chunk.
const WHOLE_BLOCK: u8 = 0xA0;
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
