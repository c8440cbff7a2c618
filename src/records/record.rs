//! One record of an input, and the position of its bytes: [`Record`].

use super::places::{Places, offset_of};
use std::ops::Range;

/// A record of [`Records`](super::Records).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// Its bytes, unchanged from the input.
    pub data: &'a [u8],
    /// Its number, from 1. The count continues across files.
    pub number: u64,
    /// The position of the record (of its first header) in the input, in bytes from 0.
    pub offset: u64,
    /// The number of its file, from 1. A tape mark or FTP's end of file starts the next file.
    pub file: u64,
    /// The places of its pieces, between which there are headers.
    pub(super) pieces: Pieces<'a>,
}

/// Where the data of a record is in the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pieces<'a> {
    One(u64),
    /// From the byte with this index on.
    Several(&'a [(usize, u64)], usize),
}

impl<'a> Pieces<'a> {
    /// Returns the pieces at these places. A record without data has its place where its header ends: at `end`.
    pub(super) fn of(places: &'a Places, end: u64) -> Self {
        match places.as_slice() {
            [] => Pieces::One(end),
            [(_, begin)] => Pieces::One(*begin),
            pieces => Pieces::Several(pieces, 0),
        }
    }
}

impl Pieces<'_> {
    /// Returns where the bytes from this index on are.
    #[inline]
    pub(super) fn from(self, start: usize) -> Self {
        match self {
            Pieces::One(begin) => Pieces::One(begin + start as u64),
            Pieces::Several(pieces, from) => Pieces::Several(pieces, from + start),
        }
    }
}

impl Record<'_> {
    /// Returns the record with a part of its data.
    pub(super) fn part(self, place: Range<usize>) -> Self {
        Record { pieces: self.pieces.from(place.start), data: &self.data[place], ..self }
    }

    /// Returns the position in the input of the byte with this index in [`data`](Self::data), in bytes from 0. If the
    /// record has segments, their headers are between its bytes. Any index after the last byte is the position after
    /// it.
    ///
    /// ```
    /// use charpipe::records::{Records, Shape};
    ///
    /// let mut records = Records::new(&b"\x00\x06\x00\x00\xC1\xC2"[..], &Shape::RDW);
    /// assert_eq!(records.next_record()?.unwrap().offset_of(1), 5);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn offset_of(&self, index: usize) -> u64 {
        let index = index.min(self.data.len());
        match self.pieces {
            Pieces::One(begin) => begin + index as u64,
            Pieces::Several(pieces, from) => offset_of(pieces, from + index),
        }
    }
}
