//! Reads the records of a part of a stream: without copying them, and from a place in the middle.

use super::places::Places;
use super::record::{Pieces, Record};
use super::{Deframer, Part, Shape};
use crate::error::Error;
use std::ops::Range;

/// Iterates over the records in a slice, without copying them.
///
/// Only a record that is in several pieces (segments of VBS, chunks of a tape) is put together in a buffer.
///
/// ```
/// use charpipe::records::{Deframer, RecordSlices, Shape};
///
/// // The second part of a file: it begins at byte 1000, with record 51.
/// let part = b"\x00\x06\x00\x00\xC1\xC2\x00\x04\x00\x00";
/// let mut records = RecordSlices::new(part, Deframer::new(&Shape::RDW).at(1000, 51));
/// let record = records.next_record()?.expect("there are two");
/// assert_eq!((record.data, record.number, record.offset), (&b"\xC1\xC2"[..], 51, 1000));
/// let record = records.next_record()?.expect("there are two");
/// assert_eq!((record.data, record.number, record.offset), (&b""[..], 52, 1006));
/// assert_eq!(records.next_record()?, None);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug)]
pub struct RecordSlices<'a> {
    input: &'a [u8],
    at: usize,
    deframer: Deframer,
    /// The record, if it is in several pieces.
    joined: Vec<u8>,
    /// Where its pieces are.
    places: Places,
    file: u64,
}

impl<'a> RecordSlices<'a> {
    /// Creates an iterator over the records in `input`, which ends there.
    #[must_use]
    pub fn new(input: &'a [u8], deframer: Deframer) -> Self {
        RecordSlices { input, at: 0, deframer, joined: Vec::new(), places: Places::default(), file: 1 }
    }

    /// Returns the next record, or `None` at the end of the input.
    ///
    /// # Errors
    /// Those of [`Deframer::next`], after all valid records, and again from every later call.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        let Some(piece) = self.find()? else { return Ok(None) };
        let base = self.deframer.offset() - self.at as u64;
        let (data, pieces) = match self.joined.is_empty() {
            true => (&self.input[piece.clone()], Pieces::One(base + piece.start as u64)),
            false => (&self.joined[..], Pieces::of(&self.places, self.deframer.offset())),
        };
        let (number, offset) = (self.deframer.record() - 1, self.deframer.begun());
        Ok(Some(Record { data, number, offset, file: self.file, pieces }))
    }

    /// Returns how many bytes of the input were read.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Finds the next record. Its data is in the range, or in `joined` if that is not empty.
    fn find(&mut self) -> Result<Option<Range<usize>>, Error> {
        self.joined.clear();
        self.places.clear();
        if let Some((framing, len)) = self.deframer.whole(&self.input[self.at..]) {
            self.at += framing + len;
            return Ok(Some(self.at - len..self.at));
        }
        let mut piece: Option<Range<usize>> = None;
        loop {
            match self.deframer.next(&self.input[self.at..], true)? {
                Part::Framing(len) => self.at += len,
                Part::Data(len) => {
                    let next = self.at..self.at + len;
                    let before =
                        if self.joined.is_empty() { piece.as_ref().map_or(0, Range::len) } else { self.joined.len() };
                    self.places.push(before, self.deframer.offset() - len as u64);
                    self.at = next.end;
                    match piece.take() {
                        None => piece = Some(next),
                        Some(first) => {
                            if self.joined.is_empty() {
                                self.joined.extend_from_slice(&self.input[first.clone()]);
                            }
                            self.joined.extend_from_slice(&self.input[next]);
                            piece = Some(first);
                        }
                    }
                }
                Part::End => return Ok(Some(piece.unwrap_or(self.at..self.at))),
                Part::FileEnd => self.file += 1,
                Part::NeedInput | Part::Done => return Ok(None),
            }
        }
    }
}

/// Finds a place in the middle of a stream where a record begins, or a block if the shape has blocks. Returns its index
/// in `bytes`, or `None` if no place is found.
///
/// It looks for `count` valid records, none of them empty, that follow one another, and returns the place after them.
/// That is more reliable than the place before them, because a false beginning soon leads to a true one. Eight records
/// are enough in practice, but no number of them is a proof. Whoever reads a file in parts checks that each part ends
/// where the next one begins.
///
/// Records of fixed length have no headers: their places follow from the length. For them, and for tapes, the result is
/// `None`.
///
/// ```
/// use charpipe::records::{Shape, resync};
///
/// let records = b"\x00\x06\x00\x00\xC1\xC2".repeat(20);
/// assert_eq!(resync(&Shape::RDW, &records[3..], 8), Some(6 * 9 - 3));
/// assert_eq!(resync(&Shape::RDW, &records[3..30], 8), None);
/// ```
#[must_use]
pub fn resync(shape: &Shape, bytes: &[u8], count: usize) -> Option<usize> {
    if matches!(shape, Shape::Fixed { .. } | Shape::FixedBlocks { .. } | Shape::AwsTape { .. }) {
        return None;
    }
    (0..bytes.len()).find_map(|from| after(Deframer::new(shape), &bytes[from..], count).map(|len| from + len))
}

/// Returns where the first place after `count` records is at which a stream can be split.
fn after(mut deframer: Deframer, bytes: &[u8], count: usize) -> Option<usize> {
    let (mut at, mut found, mut len) = (0, 0, 0);
    loop {
        match deframer.next(&bytes[at..], false).ok()? {
            Part::Framing(framing) => at += framing,
            Part::Data(data) => (at, len) = (at + data, len + data),
            Part::End if len == 0 => return None,
            Part::End => {
                (found, len) = (found + 1, 0);
                if found >= count && deframer.is_at_split() {
                    return Some(at);
                }
            }
            Part::FileEnd | Part::NeedInput | Part::Done => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Framer, Records};

    fn framed(shape: &Shape, count: usize) -> (Vec<u8>, Vec<u64>) {
        let (mut framer, mut bytes) = (Framer::new(shape, b"").unwrap(), Vec::new());
        let record =
            |number: usize| (0..10 + number * 7 % 60).map(|byte| (byte * 31 + number * 17) as u8).collect::<Vec<_>>();
        (0..count).for_each(|number| framer.record(&record(number), 0, &mut bytes).unwrap());
        framer.finish(&mut bytes);
        let mut records = Records::new(&bytes[..], shape);
        let mut begins = Vec::new();
        while let Some(record) = records.next_record().unwrap() {
            begins.push(record.offset);
        }
        (bytes, begins)
    }

    #[test]
    fn slices_are_the_records() {
        for shape in ["rdw", "rdw:le:exclusive", "vb:200", "vbs:30", "u32", "u16", "mode-b", "awstape,vbs:40"] {
            let shape: Shape = shape.parse().unwrap();
            let (bytes, _) = framed(&shape, 100);
            let mut slices = RecordSlices::new(&bytes, Deframer::new(&shape));
            let mut records = Records::new(&bytes[..], &shape);
            while let Some(record) = records.next_record().unwrap() {
                assert_eq!(slices.next_record().unwrap(), Some(record), "{shape}");
            }
            assert_eq!(slices.next_record().unwrap(), None);
            // An error is the same, too.
            let cut = &bytes[..bytes.len() / 2 + 1];
            let (mut slices, mut records) = (RecordSlices::new(cut, Deframer::new(&shape)), Records::new(cut, &shape));
            loop {
                let (one, other) = (slices.next_record(), records.next_record());
                match (one, other) {
                    (Ok(Some(one)), Ok(Some(other))) => assert_eq!(one, other),
                    (Ok(None), Ok(None)) => break,
                    (one, other) => {
                        assert_eq!(one.unwrap_err().to_string(), other.unwrap_err().to_string(), "{shape}");
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn places_in_the_middle() {
        for shape in ["rdw", "rdw:le", "vb:300", "u32"] {
            let shape: Shape = shape.parse().unwrap();
            let (bytes, begins) = framed(&shape, 300);
            for from in (1..bytes.len() / 2).step_by(97) {
                let found = resync(&shape, &bytes[from..], 8).unwrap() + from;
                // In VB, the block begins four bytes before its first record.
                let header = if matches!(shape, Shape::Vb { .. }) { 4 } else { 0 };
                assert!(begins.contains(&((found + header) as u64)), "{shape} from {from}: {found}");
            }
        }
        assert_eq!(resync(&Shape::Fixed { lrecl: 80 }, &[0x40; 1000], 2), None);
        assert_eq!(resync(&Shape::RDW, &[0; 1000], 2), None);
    }
}
