//! Splits bytes into records: a single state machine for all framings.
//!
//! It holds at most a partial header of six bytes, and no data, except the first bytes of a record without a header,
//! until they show its length. Nothing is allocated because of what a header says. Every result takes bytes, ends a
//! record or file, or ends the input, so no input can make it loop.

use super::edges::check_found;
use super::measure::{Measure, Measured, Measuring, NoLength};
use super::{Shape, TapeFile, tape_label};
use crate::error::{Error, ErrorKind};

/// The next part of the input.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// This many bytes that are not data, never 0: descriptor words, padding, tape labels.
    Framing(usize),
    /// This many bytes of the record, never 0.
    Data(usize),
    /// The record ends here.
    End,
    /// A file ends here, between records: a tape mark, or FTP's end of file. Tape marks around labels are not reported.
    FileEnd,
    /// All the bytes given were taken.
    NeedInput,
    /// The input ends here, after a whole record.
    Done,
}

/// Splits a stream into records, however the stream itself is split into chunks.
///
/// ```
/// use charpipe::records::{Deframer, Part, Shape};
///
/// let input = b"\x00\x06\x00\x00\xC1\xC2";
/// let mut deframer = Deframer::new(&Shape::RDW);
/// assert_eq!(deframer.next(input, true)?, Part::Framing(4));
/// assert_eq!(deframer.next(&input[4..], true)?, Part::Data(2));
/// assert_eq!(deframer.next(b"", true)?, Part::End);
/// assert_eq!(deframer.next(b"", true)?, Part::Done);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deframer {
    records: Records,
    tape: Option<Tape>,
    /// How many bytes before the first record are still to be skipped, and how many there are.
    skip: usize,
    head: usize,
}

impl Deframer {
    /// Creates a deframer at the beginning of a stream of this shape.
    #[must_use]
    pub fn new(shape: &Shape) -> Self {
        match shape {
            Shape::AwsTape { labels, shape } => {
                Deframer { records: Records::new(shape), tape: Some(Tape::new(*labels)), skip: 0, head: 0 }
            }
            shape => Deframer { records: Records::new(shape), tape: None, skip: 0, head: 0 },
        }
    }

    /// Takes the first bytes of the stream for framing, regardless of their contents.
    pub(crate) fn skip(self, bytes: usize) -> Self {
        Deframer { skip: bytes, head: bytes, ..self }
    }

    /// Creates a deframer of [unframed](Shape::Unframed) records, whose length `measure` finds out. They have `around`
    /// bytes before and after what is measured.
    pub(crate) fn unframed(measure: Box<dyn Measure>, around: (usize, usize)) -> Self {
        let mut deframer = Deframer::new(&Shape::Unframed);
        deframer.records.measuring = Some(Box::new(Measuring::new(measure, around)));
        deframer
    }

    /// Returns the records of a single file of a tape image only; all other files are treated as framing. Has no effect
    /// on other shapes, which have no files.
    ///
    /// ```
    /// use charpipe::records::{Deframer, Part, TapeFile};
    ///
    /// // Two files of one block each, with a tape mark after each.
    /// let tape = b"\x01\0\0\0\xA0\0\xC1\0\0\x01\0\x40\0\x01\0\0\0\xA0\0\xC2\0\0\x01\0\x40\0";
    /// let mut deframer = Deframer::new(&"awstape,fb:1".parse()?).file(Some(TapeFile::Number(2)));
    /// let (mut at, mut data) = (0, Vec::new());
    /// loop {
    ///     match deframer.next(&tape[at..], true)? {
    ///         Part::Framing(len) => at += len,
    ///         Part::Data(len) => {
    ///             data.extend_from_slice(&tape[at..at + len]);
    ///             at += len;
    ///         }
    ///         Part::Done => break,
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(data, b"\xC2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn file(mut self, file: Option<TapeFile>) -> Self {
        if let Some(tape) = &mut self.tape {
            tape.choice =
                file.map(|file| Box::new(Choice { file, label: Held::NONE, is_named: false, is_found: false }));
        }
        self
    }

    /// Makes the deframer read a part of a stream, from a place where a record begins (in VB and VBS, a block): the
    /// part begins at `offset` of the input, in bytes from 0, with the record `number`, from 1. Numbers and offsets,
    /// including those in errors, count from there.
    ///
    /// ```
    /// use charpipe::records::{Deframer, Shape};
    ///
    /// let mut deframer = Deframer::new(&Shape::RDW).at(1000, 51);
    /// let error = deframer.next(b"\x00\x00\x00\x00", true).unwrap_err();
    /// assert!(error.to_string().starts_with("byte 1000: record 51: the header 00 00 00 00 is wrong"));
    /// ```
    #[must_use]
    pub fn at(mut self, offset: u64, number: u64) -> Self {
        (self.records.at, self.records.begun, self.records.record) = (offset, offset, number);
        self
    }

    /// Returns whether the stream can be split here: a new deframer that [begins here](Self::at) would read the same
    /// records from here on. That is so between two records; in VB and VBS, between two blocks outside a spanned
    /// record. On tapes it is never so.
    #[must_use]
    pub fn is_at_split(&self) -> bool {
        self.tape.is_none() && self.skip == 0 && !self.records.open && self.records.is_at_boundary()
    }

    /// Returns the number of the current record, from 1. Between records, returns the number of the next one.
    #[must_use]
    pub fn record(&self) -> u64 {
        self.records.record
    }

    /// Returns where the record of the last [`Part::Data`] or [`Part::End`] begins, in bytes from 0: the position of
    /// its first header, not the block's.
    #[must_use]
    pub fn begun(&self) -> u64 {
        self.records.begun
    }

    /// Returns the current position in the input, in bytes from 0.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.records.at
    }

    /// Returns the part at the front of `src`. The caller then removes the given number of bytes from `src`. `eof`:
    /// nothing follows `src`.
    ///
    /// # Errors
    /// [`ErrorKind::BadHeader`]; [`ErrorKind::BadRecordLength`] for a record without a header;
    /// [`ErrorKind::RecordCut`] if the input or a tape block ends within a record;
    /// [`ErrorKind::NoTapeFile`] at the end of a tape without the chosen file. The state does not change, so that
    /// another call returns the same error.
    #[inline]
    pub fn next(&mut self, src: &[u8], eof: bool) -> Result<Part, Error> {
        if self.skip > 0 {
            return self.next_to_skip(src, eof);
        }
        match &mut self.tape {
            None => self.records.next(src, eof),
            Some(tape) => tape.next(&mut self.records, src, eof),
        }
    }

    #[cold]
    fn next_to_skip(&mut self, src: &[u8], eof: bool) -> Result<Part, Error> {
        if src.is_empty() {
            let (found, offset) = (self.head - self.skip, self.records.at);
            let wanted = if eof { self.head } else { 0 };
            return check_found(found as u64, wanted as u64, "bytes", "beginning", offset).map(|()| Part::NeedInput);
        }
        let len = src.len().min(self.skip);
        self.skip -= len;
        self.records.at += len as u64;
        Ok(Part::Framing(len))
    }

    /// Takes the record at the front of `src`, if the whole record is there in one piece. Returns the lengths of its
    /// framing and of its data. The effect is the same as with [`next`](Self::next). `None`: only `next` can tell.
    #[inline]
    pub(crate) fn whole(&mut self, src: &[u8]) -> Option<(usize, usize)> {
        match &mut self.tape {
            _ if self.skip > 0 => None,
            None => self.records.whole(src),
            Some(tape) => tape.whole(&mut self.records, src),
        }
    }

    /// Returns the length of all records, if they have the same and nothing frames them.
    pub(crate) fn equal_len(&self) -> Option<usize> {
        match self.records.layout {
            Layout::Fixed(lrecl) if self.tape.is_none() => Some(lrecl as usize),
            _ => None,
        }
    }

    /// Takes records of `len` bytes at the front of `src`, at most `most`, if all records have this length and nothing
    /// frames them. Returns how many it took. The effect is the same as with [`next`](Self::next).
    pub(crate) fn run(&mut self, src: &[u8], len: usize, most: usize) -> usize {
        if self.skip > 0 || self.tape.is_some() { 0 } else { self.records.run(src, len, most) }
    }

    /// Goes back to before a [run](Self::run) of `count` records of `len` bytes, the last that was taken.
    pub(crate) fn before_run(&mut self, len: usize, count: usize) {
        self.records.at -= (count * len) as u64;
        self.records.record -= count as u64;
    }
}

/// All framings other than tapes.
#[derive(Clone, Debug)]
struct Records {
    layout: Layout,
    state: State,
    held: Held<4>,
    /// The bytes left of the block, including headers.
    block: u64,
    /// Whether segments of a record were seen, but not its end.
    open: bool,
    at: u64,
    record: u64,
    /// Where the record began, including its header.
    begun: u64,
    /// Finds the length of records without headers.
    measuring: Option<Box<Measuring>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    Fixed(u32),
    Rdw { little: bool, inclusive: bool },
    Vb,
    Vbs,
    U32,
    U16,
    ModeB,
    Unframed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Before a header or the end of the input.
    Between,
    /// `left` more bytes of data follow, never 0. Then `end` says what ends.
    Data { left: u32, end: EndOf },
    /// This many bytes follow that are not data, never 0.
    Skip(u64),
    /// The end of a record, or of a record and a file, is still to be reported.
    EndPending(EndOf),
    /// The end of a file is still to be reported.
    FileEndPending,
}

/// The unit that ends after a stretch of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EndOf {
    Nothing,
    Record,
    /// Both the record and the file.
    File,
}

/// The first bytes of a header whose rest is in the next input.
#[derive(Clone, Copy, Debug)]
struct Held<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Held<N> {
    const NONE: Self = Held { bytes: [0; N], len: 0 };

    /// Takes the missing bytes of a header of `want` bytes from the front of `src`. Returns how many it took, and the
    /// header if it is now complete.
    fn take(&mut self, src: &[u8], want: usize) -> (usize, Option<[u8; N]>) {
        let taken = src.len().min(want - self.len);
        self.bytes[self.len..self.len + taken].copy_from_slice(&src[..taken]);
        self.len += taken;
        (taken, (self.len == want).then_some(self.bytes))
    }
}

/// A null segment (z/OS): the rest of the block is unused.
pub(super) const NULL_SEGMENT: [u8; 4] = [0x80, 0, 0, 0];

impl Records {
    fn new(shape: &Shape) -> Self {
        let layout = match shape {
            Shape::Fixed { lrecl } | Shape::FixedBlocks { lrecl, .. } => Layout::Fixed((*lrecl).max(1)),
            Shape::Rdw { little, inclusive } => Layout::Rdw { little: *little, inclusive: *inclusive },
            Shape::Vb { .. } => Layout::Vb,
            Shape::Vbs { .. } => Layout::Vbs,
            Shape::U32 => Layout::U32,
            Shape::U16 => Layout::U16,
            Shape::ModeB => Layout::ModeB,
            Shape::Unframed => Layout::Unframed,
            // A tape cannot contain a tape, so the inner shape applies.
            Shape::AwsTape { shape, .. } => return Records::new(shape),
        };
        Records {
            layout,
            state: State::Between,
            held: Held::NONE,
            block: 0,
            open: false,
            at: 0,
            record: 1,
            begun: 0,
            measuring: None,
        }
    }

    #[inline]
    fn next(&mut self, src: &[u8], eof: bool) -> Result<Part, Error> {
        match (self.state, self.layout) {
            (State::EndPending(end), _) => {
                self.state = if end == EndOf::File { State::FileEndPending } else { State::Between };
                self.record += 1;
                Ok(Part::End)
            }
            (State::Data { left, end }, _) if !src.is_empty() => Ok(self.data(left, end, src.len())),
            (State::Between, Layout::Fixed(lrecl)) if !src.is_empty() => {
                self.begun = self.at;
                Ok(self.data(lrecl, EndOf::Record, src.len()))
            }
            (State::Between, Layout::Unframed) if !src.is_empty() => self.unframed(src),
            _ => self.next_slow(src, eof),
        }
    }

    #[inline]
    fn whole(&mut self, src: &[u8]) -> Option<(usize, usize)> {
        if self.state != State::Between || self.held.len > 0 || self.open {
            return None;
        }
        let big = |at: usize| Some(usize::from(*src.get(at)?) << 8 | usize::from(*src.get(at + 1)?));
        let (header, len) = match self.layout {
            Layout::Fixed(lrecl) => (0, lrecl as usize),
            Layout::Rdw { little: false, inclusive } if big(2)? == 0 => {
                (4, big(0)?.checked_sub(if inclusive { 4 } else { 0 })?)
            }
            Layout::Vb if self.block > 0 && big(2)? == 0 && !src.starts_with(&NULL_SEGMENT) => {
                let length = big(0)?;
                self.block = self.block.checked_sub(length as u64).filter(|_| length >= 4 && length <= src.len())?;
                (4, length - 4)
            }
            Layout::U32 => (4, big(0)? << 16 | big(2)?),
            Layout::U16 => (2, big(0)?),
            Layout::Unframed => (0, self.measured(src)?),
            _ => return None,
        };
        if src.len() - header < len {
            return None;
        }
        self.begun = self.at;
        self.at += (header + len) as u64;
        self.record += 1;
        Some((header, len))
    }

    fn run(&mut self, src: &[u8], len: usize, most: usize) -> usize {
        let is_between = self.state == State::Between && self.held.len == 0 && !self.open;
        let count = match self.layout {
            Layout::Fixed(lrecl) if is_between && lrecl as usize == len => most.min(src.len() / len),
            _ => return 0,
        };
        if count > 0 {
            self.at += (count * len) as u64;
            self.begun = self.at - len as u64;
            self.record += count as u64;
        }
        count
    }

    /// Returns the length of the record that nothing frames at the front of `src`. `None`: only `next` can tell.
    fn measured(&mut self, src: &[u8]) -> Option<usize> {
        let measuring = self.measuring.as_mut().filter(|measuring| measuring.held.is_empty())?;
        match measuring.measure(src) {
            Ok(Measured::Length(len)) => Some(len),
            _ => None,
        }
    }

    /// Takes bytes of a record without a header whose length is not known yet. Their number is never 0.
    fn unframed(&mut self, src: &[u8]) -> Result<Part, Error> {
        let Some(measuring) = &mut self.measuring else {
            let what = "only a layout tells where records end that nothing frames";
            let (offset, record) = (self.at, self.record);
            return Err(ErrorKind::BadHeader { offset, record, header: Vec::new(), what }.into());
        };
        let held = measuring.held.len();
        if held == 0 {
            self.begun = self.at;
        }
        let wrong = |error: NoLength, record, begun| Err(Error::from(error.in_record(record, begun)));
        let (taken, measured) = match held {
            // Mostly the whole record is there, and nothing has to be held.
            0 => (src.len(), measuring.measure(src)),
            _ => {
                let taken = src.len().min(measuring.needed - held);
                measuring.held.extend_from_slice(&src[..taken]);
                match held + taken < measuring.needed {
                    true => (taken, Ok(Measured::Needs(measuring.needed))),
                    false => (taken, measuring.measure_held()),
                }
            }
        };
        match measured {
            Ok(Measured::Needs(needed)) => {
                if held == 0 {
                    measuring.held.extend_from_slice(src);
                }
                measuring.needed = needed;
                self.at += taken as u64;
                Ok(Part::Data(taken))
            }
            Ok(Measured::Length(len)) => {
                measuring.held.clear();
                let left = u32::try_from(len - held).unwrap_or(u32::MAX);
                Ok(self.data(left, EndOf::Record, taken))
            }
            Err(error) => {
                measuring.held.truncate(held);
                wrong(error, self.record, self.begun)
            }
        }
    }

    /// Takes as much of the data as is there.
    #[inline]
    fn data(&mut self, left: u32, end: EndOf, given: usize) -> Part {
        let len = given.min(left as usize);
        self.at += len as u64;
        self.segment(left - len as u32, end);
        Part::Data(len)
    }

    /// Sets the state for `left` more bytes of data.
    #[inline]
    fn segment(&mut self, left: u32, end: EndOf) {
        self.state = match (left, end) {
            (0, EndOf::Nothing) => State::Between,
            (0, end) => State::EndPending(end),
            _ => State::Data { left, end },
        };
    }

    /// Handles everything except data and ends of records.
    fn next_slow(&mut self, src: &[u8], eof: bool) -> Result<Part, Error> {
        if self.state == State::FileEndPending {
            self.state = State::Between;
            return Ok(Part::FileEnd);
        }
        if src.is_empty() {
            return if eof { self.end() } else { Ok(Part::NeedInput) };
        }
        if let State::Skip(left) = self.state {
            let len = left.min(src.len() as u64);
            self.at += len;
            self.state = if left == len { State::Between } else { State::Skip(left - len) };
            return Ok(Part::Framing(len as usize));
        }
        if self.held.len == 0 && !self.open {
            self.begun = self.at;
        }
        let want = self.header_len();
        let held = self.held;
        let (taken, header) = self.held.take(src, want);
        if let Some(header) = header {
            if let Err(what) = self.header(header) {
                self.held = held;
                let (offset, record, header) = (self.at - held.len as u64, self.record, header[..want].to_vec());
                return Err(ErrorKind::BadHeader { offset, record, header, what }.into());
            }
            self.held = Held::NONE;
        }
        self.at += taken as u64;
        Ok(Part::Framing(taken))
    }

    /// Returns the length of the next header.
    fn header_len(&self) -> usize {
        match self.layout {
            Layout::U16 => 2,
            Layout::ModeB => 3,
            // Too short for a header: the error shows the rest of the block instead.
            Layout::Vb | Layout::Vbs if (1..4).contains(&self.block) => self.block as usize,
            _ => 4,
        }
    }

    /// Handles the end of the input.
    fn end(&self) -> Result<Part, Error> {
        match self.state {
            State::Data { left, .. } => Err(self.cut(left.into())),
            State::Skip(left) => Err(self.cut(left)),
            _ if self.held_to_measure() > 0 => {
                let needed = self.measuring.as_ref().map_or(0, |measuring| measuring.needed);
                Err(self.cut((needed - self.held_to_measure()) as u64))
            }
            _ if self.held.len > 0 || self.open => Err(self.cut((self.header_len() - self.held.len) as u64)),
            _ if self.block > 0 => Err(self.cut(self.block)),
            _ => Ok(Part::Done),
        }
    }

    /// Returns the error for a record or framing that is cut off here.
    fn cut(&self, missing: u64) -> Error {
        let has_begun =
            self.open || self.held.len > 0 || self.held_to_measure() > 0 || matches!(self.state, State::Data { .. });
        let begun = if has_begun { self.begun } else { self.at };
        let length_from = self.measuring.as_ref().map(|measuring| measuring.field());
        ErrorKind::RecordCut { offset: self.at, record: self.record, begun, missing, length_from }.into()
    }

    /// Returns how many bytes are held of a record whose length is not known yet.
    fn held_to_measure(&self) -> usize {
        self.measuring.as_ref().map_or(0, |measuring| measuring.held.len())
    }

    /// Returns whether there is an end to report, which takes no input.
    fn has_pending_end(&self) -> bool {
        matches!(self.state, State::EndPending(_) | State::FileEndPending)
    }

    /// Returns whether a tape block may end here. It may end within a spanned record, but not within a header or a
    /// segment.
    fn is_at_boundary(&self) -> bool {
        self.state == State::Between && self.held.len == 0 && self.block == 0 && self.held_to_measure() == 0
    }

    /// Applies the descriptor of a segment of `length` bytes, header included.
    fn descriptor(&mut self, header: [u8; 4], length: u32) -> Result<(), &'static str> {
        let (first, last) = match header[2] {
            0 => (true, true),
            1 => (true, false),
            2 => (false, true),
            3 => (false, false),
            _ => return Err("the third byte of a segment descriptor must be 0, 1, 2 or 3"),
        };
        if header[3] != 0 {
            return Err("the last byte of a segment descriptor must be zero");
        }
        if first && self.open {
            return Err("a record begins, but the last segment of the previous record is missing");
        }
        if !first && !self.open {
            return Err("a segment continues a record that has not begun");
        }
        let left = self.in_block(length)?;
        self.open = !last;
        self.segment(left, if last { EndOf::Record } else { EndOf::Nothing });
        Ok(())
    }

    /// Applies a header. On error the state is unchanged.
    fn header(&mut self, header: [u8; 4]) -> Result<(), &'static str> {
        let big = |at: usize| u32::from(header[at]) << 8 | u32::from(header[at + 1]);
        match self.layout {
            Layout::Fixed(_) | Layout::Unframed => {}
            Layout::U16 => self.segment(big(0), EndOf::Record),
            Layout::U32 => self.segment(big(0) << 16 | big(2), EndOf::Record),
            Layout::Rdw { little, inclusive } => {
                let left = length_of_rdw(header, little, inclusive)?;
                self.segment(left, EndOf::Record);
            }
            Layout::ModeB => return self.block_mode(header[0], big(1)),
            Layout::Vb | Layout::Vbs if self.block == 0 => {
                self.block = u64::from(length_of_block(header)?) - 4;
            }
            _ if self.block < 4 => return Err("the rest of the block is too short for a header"),
            Layout::Vb | Layout::Vbs if header == NULL_SEGMENT => {
                let rest = std::mem::take(&mut self.block) - 4;
                self.state = if rest > 0 { State::Skip(rest) } else { State::Between };
            }
            Layout::Vb => {
                if big(2) != 0 {
                    return Err("the last two bytes of an RDW must be zero (except in the segments of vbs)");
                }
                let left = self.in_block(big(0))?;
                self.segment(left, EndOf::Record);
            }
            Layout::Vbs => {
                self.descriptor(header, big(0))?;
            }
        }
        Ok(())
    }

    /// Subtracts a record or segment of `length` bytes from the block. Returns the length of its data.
    fn in_block(&mut self, length: u32) -> Result<u32, &'static str> {
        let data = length.checked_sub(4).ok_or("the length is smaller than the header itself")?;
        self.block = self.block.checked_sub(length.into()).ok_or("the length is larger than the rest of the block")?;
        Ok(data)
    }

    /// Applies a header of FTP's block mode. The end of a file also ends its last record, so a file without record
    /// structure is a single record.
    fn block_mode(&mut self, flags: u8, count: u32) -> Result<(), &'static str> {
        let (record_ends, file_ends, is_marker) = (flags & 0x80 != 0, flags & 0x40 != 0, flags & 0x10 != 0);
        if flags & 0x0F != 0 {
            return Err("the last four bits of a descriptor must be zero");
        }
        if is_marker {
            if record_ends || file_ends {
                return Err("a restart marker cannot end a record or a file");
            }
            // It would be used to restart a transfer.
            self.state = if count > 0 { State::Skip(count.into()) } else { State::Between };
        } else if file_ends && !record_ends && count == 0 && !self.open {
            self.state = State::FileEndPending;
        } else {
            self.open = !(record_ends || file_ends);
            self.segment(
                count,
                match (file_ends, record_ends) {
                    (true, _) => EndOf::File,
                    (false, true) => EndOf::Record,
                    (false, false) => EndOf::Nothing,
                },
            );
        }
        Ok(())
    }
}

/// The headers of a tape image: six bytes before each chunk of a block, little-endian.
#[derive(Clone, Debug)]
struct Tape {
    /// The bytes left of the chunk.
    left: u32,
    /// Whether this is the last chunk of its block.
    last: bool,
    /// The length of the preceding chunk.
    previous: u32,
    held: Held<6>,
    /// The number of tape marks so far.
    marks: u64,
    /// Whether there are files of labels before and after each file of data.
    labels: bool,
    /// Whether a tape mark is still to be reported.
    mark_pending: bool,
    /// Whether nothing of the block was taken yet.
    untouched: bool,
    /// The chosen file; `None`: all files.
    choice: Option<Box<Choice>>,
}

/// The chosen file of a tape, and whether it was found.
#[derive(Clone, Debug)]
struct Choice {
    file: TapeFile,
    /// The beginning of the current label.
    label: Held<{ Tape::NAME_PREFIX_LEN }>,
    /// Whether the last labels name the file.
    is_named: bool,
    is_found: bool,
}

/// The flags of a chunk.
const NEW_BLOCK: u8 = 0x80;
const TAPE_MARK: u8 = 0x40;
const END_OF_BLOCK: u8 = 0x20;
/// Set together with [`NEW_BLOCK`] for a block of several chunks, though not by all software (Bus-Tech).
const SEGMENTED: u8 = 0x10;

impl Tape {
    fn new(labels: bool) -> Self {
        Tape {
            left: 0,
            last: true,
            previous: 0,
            held: Held::NONE,
            marks: 0,
            labels,
            mark_pending: false,
            untouched: true,
            choice: None,
        }
    }

    /// How many bytes of a label are read to get the name of the file: HDR1 and 17 characters.
    const NAME_PREFIX_LEN: usize = 21;

    /// Returns whether the contents of this file are skipped: labels, and all files but the chosen one.
    fn is_skipped(&self) -> bool {
        self.is_labels() || !self.is_chosen()
    }

    /// Returns the number of the file, from 1: of this data file, or of the data file that these labels belong to.
    fn number(&self) -> u64 {
        1 + if self.labels { self.marks / 3 } else { self.marks }
    }

    fn is_chosen(&self) -> bool {
        self.choice.as_ref().is_none_or(|choice| match choice.file {
            TapeFile::Number(number) => u64::from(number) == self.number(),
            TapeFile::Name(_) => choice.is_named,
        })
    }

    /// Handles the beginning of a block.
    fn begin_block(&mut self) {
        let is_label = self.is_labels();
        let number = self.number();
        if let Some(choice) = &mut self.choice {
            choice.label = Held::NONE;
            // The labels show that the file exists even if it has no blocks.
            choice.is_found |=
                choice.file == TapeFile::Number(number.min(u64::from(u32::MAX)) as u32) || choice.is_named && !is_label;
        }
    }

    /// Reads bytes of a label.
    fn read_label(&mut self, src: &[u8]) {
        let Some(choice) = &mut self.choice else { return };
        if choice.label.len == Self::NAME_PREFIX_LEN {
            return;
        }
        if let (_, Some(label)) = choice.label.take(src, Self::NAME_PREFIX_LEN)
            && let Some(name) = tape_label::file_name(&label)
        {
            choice.is_named = choice.file.is(&name);
            choice.is_found |= choice.is_named;
        }
    }

    /// Returns the error to report at the end of the tape if the chosen file was not found.
    fn missing(&self) -> Option<Error> {
        let choice = self.choice.as_ref().filter(|choice| !choice.is_found)?;
        Some(ErrorKind::NoTapeFile { offset: 0, file: choice.file.to_string() }.into())
    }

    /// Returns whether this is a file of labels: the first and the last of every three.
    fn is_labels(&self) -> bool {
        self.labels && self.marks % 3 != 1
    }

    fn next(&mut self, records: &mut Records, src: &[u8], eof: bool) -> Result<Part, Error> {
        if records.has_pending_end() {
            return records.next(&[], false);
        }
        if std::mem::take(&mut self.mark_pending) {
            return Ok(Part::FileEnd);
        }
        if self.left == 0 {
            return self.header(records, src, eof);
        }
        let src = &src[..src.len().min(self.left as usize)];
        if src.is_empty() {
            return if eof { Err(records.cut(self.left.into())) } else { Ok(Part::NeedInput) };
        }
        // A block that contains its own length may be shorter than the tape's block. The rest is padding.
        let is_padding =
            matches!(records.layout, Layout::Vb | Layout::Vbs) && records.is_at_boundary() && !self.untouched;
        let part = if self.is_skipped() || is_padding {
            if self.is_labels() {
                self.read_label(src);
            }
            records.at += src.len() as u64;
            Part::Framing(src.len())
        } else {
            records.next(src, false)?
        };
        if let Part::Framing(len) | Part::Data(len) = part {
            self.left -= len as u32;
            self.untouched = false;
        }
        Ok(part)
    }

    /// Takes a record that lies entirely in the rest of the chunk.
    #[inline]
    fn whole(&mut self, records: &mut Records, src: &[u8]) -> Option<(usize, usize)> {
        if self.left == 0 || self.mark_pending || self.is_skipped() {
            return None;
        }
        let (header, len) = records.whole(&src[..src.len().min(self.left as usize)])?;
        self.left -= (header + len) as u32;
        self.untouched = false;
        Some((header, len))
    }

    fn header(&mut self, records: &mut Records, src: &[u8], eof: bool) -> Result<Part, Error> {
        if self.last && !self.is_skipped() && !records.is_at_boundary() {
            return records.end();
        }
        if src.is_empty() {
            return match eof {
                false => Ok(Part::NeedInput),
                true if self.held.len > 0 || !self.last => Err(records.cut((6 - self.held.len) as u64)),
                true => match self.missing() {
                    Some(error) => Err(error),
                    None => records.end(),
                },
            };
        }
        let held = self.held;
        let (taken, header) = self.held.take(src, 6);
        if let Some(header) = header {
            if let Err(what) = self.apply(header, records) {
                self.held = held;
                let (offset, record, header) = (records.at - held.len as u64, records.record, header.to_vec());
                return Err(ErrorKind::BadHeader { offset, record, header, what }.into());
            }
            self.held = Held::NONE;
        }
        records.at += taken as u64;
        Ok(Part::Framing(taken))
    }

    fn apply(&mut self, header: [u8; 6], records: &Records) -> Result<(), &'static str> {
        let [low, high, previous_low, previous_high, flags, more] = header;
        let length = u32::from(u16::from_le_bytes([low, high]));
        let previous = u32::from(u16::from_le_bytes([previous_low, previous_high]));
        let segmented = if flags & NEW_BLOCK != 0 { SEGMENTED } else { 0 };
        if flags & !(NEW_BLOCK | TAPE_MARK | END_OF_BLOCK | segmented) != 0 || more != 0 {
            return Err("the flags of a tape chunk must be 80, 40 and 20; compressed chunks are not supported");
        }
        // The first chunk of an image has no predecessor. In images that were concatenated, there are several first
        // chunks.
        if previous != self.previous && previous != 0 {
            return Err("the length of the previous tape chunk does not match");
        }
        let is_mark = flags & TAPE_MARK != 0;
        if is_mark && (length > 0 || !self.last) {
            return Err("a tape mark must come between blocks and have no data");
        }
        if is_mark && records.open {
            return Err("the file ends before the record does");
        }
        if !is_mark && (flags & NEW_BLOCK != 0) != self.last {
            return Err("a tape block must begin where the previous one ends");
        }
        if is_mark {
            self.mark_pending = !self.is_skipped();
            self.marks += 1;
        } else {
            if self.last {
                self.begin_block();
            }
            self.untouched |= self.last;
            self.last = flags & END_OF_BLOCK != 0;
        }
        self.left = length;
        self.previous = length;
        Ok(())
    }
}

/// Returns the length of a block, at least 8, including its descriptor word.
pub(super) fn length_of_block(bdw: [u8; 4]) -> Result<u32, &'static str> {
    let length = u32::from_be_bytes(bdw);
    let length = match bdw {
        // A large block: the length has 31 bits.
        [0x80..=0xFF, ..] => length & 0x7FFF_FFFF,
        [_, _, 0, 0] => length >> 16,
        _ => return Err("the last two bytes of a BDW must be zero"),
    };
    if length < 8 { Err("the length is smaller than a BDW and an RDW") } else { Ok(length) }
}

/// Returns the length of the data after an RDW.
fn length_of_rdw(header: [u8; 4], little: bool, inclusive: bool) -> Result<u32, &'static str> {
    let big = |at: usize| u32::from(header[at]) << 8 | u32::from(header[at + 1]);
    let (length, zero) = match little {
        false => (big(0), big(2)),
        true => (u32::from(header[3]) << 8 | u32::from(header[2]), big(0)),
    };
    if zero != 0 {
        return Err(match little {
            false => "the last two bytes of an RDW must be zero",
            true => "the first two bytes of a little-endian RDW must be zero",
        });
    }
    let own = if inclusive { 4 } else { 0 };
    length.checked_sub(own).ok_or("the length is smaller than the RDW itself")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::MAX_BLKSIZE;
    use proptest::prelude::*;

    /// Returns the contents of a stream: the position and bytes of each stretch of data, the ends of files, the number
    /// of records, and how it ends.
    fn parts(mut deframer: Deframer, src: &[u8], quickly: bool) -> (Vec<(usize, Vec<u8>)>, u64, String) {
        let (mut at, mut found, mut open) = (0, Vec::new(), None);
        loop {
            if open.is_none()
                && quickly
                && let Some((header, len)) = deframer.whole(&src[at..])
            {
                found.push((at + header, src[at + header..][..len].to_vec()));
                at += header + len;
                continue;
            }
            match deframer.next(&src[at..], true) {
                Ok(Part::Framing(len)) => at += len,
                Ok(Part::Data(len)) => {
                    open.get_or_insert((at, Vec::new())).1.extend_from_slice(&src[at..at + len]);
                    at += len;
                }
                Ok(Part::End) => found.push(open.take().unwrap_or((at, Vec::new()))),
                Ok(Part::FileEnd) => found.push((at, b"a file ends".into())),
                Ok(Part::NeedInput) => unreachable!("nothing follows"),
                Ok(Part::Done) => return (found, deframer.record(), "done".into()),
                Err(error) => return (found, deframer.record(), error.to_string()),
            }
        }
    }

    fn tape(files: &[Vec<Vec<u8>>]) -> Vec<u8> {
        let (mut tape, mut previous) = (Vec::new(), 0);
        let mut chunk = |data: &[u8], flags| {
            let len = data.len() as u16;
            let header = [len.to_le_bytes(), std::mem::replace(&mut previous, len).to_le_bytes(), [flags, 0]];
            tape.extend(header.concat());
            tape.extend_from_slice(data);
        };
        for blocks in files {
            blocks.iter().for_each(|block| chunk(block, NEW_BLOCK | END_OF_BLOCK));
            chunk(&[], TAPE_MARK);
        }
        tape
    }

    /// Parts of headers of these shapes, and other bytes.
    const UNITS: [&[u8]; 8] = [
        b"\0",
        b"\x01",
        b"\x04",
        b"\0\x05\0\0\xC1",
        b"\0\x0D\0\0\0\x09\0\0",
        b"\x80\0\0\0",
        b"\0\0\0\x02\xC1\xC2",
        b"\xC1",
    ];

    const SHAPES: [&str; 9] = ["fb:3", "fb:8", "rdw", "rdw:exclusive", "rdw:le", "vb", "vbs", "u32", "u16"];

    proptest! {
        /// For any bytes, `whole` takes exactly the records that reading byte by byte finds.
        #[test]
        fn whole_takes_the_same_records_as_next(
            shape in proptest::sample::select(&SHAPES[..]),
            units in proptest::collection::vec(
                proptest::sample::select(&UNITS[..]),
                0..40,
            ),
        ) {
            let src = units.concat();
            let deframer = || Deframer::new(&shape.parse().unwrap());
            prop_assert_eq!(parts(deframer(), &src, true), parts(deframer(), &src, false));
        }

        /// The same for a tape of which only one file is chosen.
        #[test]
        fn whole_takes_the_same_records_of_a_chosen_file_as_next(
            labels: bool,
            file in proptest::option::of(1_u32..4),
            files in proptest::collection::vec(proptest::collection::vec(0_usize..6, 0..4), 0..8),
        ) {
            let block = |file: usize, records: &usize| vec![0xC1 + file as u8; 3 * records];
            let files: Vec<Vec<Vec<u8>>> = files.iter().enumerate()
                .map(|(file, blocks)| blocks.iter().map(|records| block(file, records)).collect()).collect();
            let src = tape(&files);
            let shape = Shape::AwsTape { labels, shape: Box::new(Shape::Fixed { lrecl: 3 }) };
            let deframer = || Deframer::new(&shape).file(file.map(TapeFile::Number));
            prop_assert_eq!(parts(deframer(), &src, true), parts(deframer(), &src, false));
        }
    }

    /// A large block in which a null segment marks the end. The first two bytes of that segment are not a length.
    #[test]
    fn a_null_segment_in_a_large_block_is_not_a_record() {
        let mut src = (0x8000_0000_u32 | 0x9000).to_be_bytes().to_vec();
        src.extend(b"\0\x05\0\0\xC1\x80\0\0\0");
        src.resize(0x9000, 0x40);
        let deframer = || Deframer::new(&Shape::Vb { blksize: MAX_BLKSIZE });
        let found = parts(deframer(), &src, true);
        assert_eq!(found, (vec![(8, vec![0xC1])], 2, "done".into()));
        assert_eq!(parts(deframer(), &src, false), found);
    }
}
