//! Turns encoded bytes into records: each record is collected, measured, cut or padded, and framed.

use crate::arch::bytes::{padding_len, translate};
use crate::arch::isa;
use crate::arch::types::Translation;
use crate::codec::{ByteSink, Codec, MIN_ROOM, PageBuffer, Step, Stop, Unmappable, Utf8Sink};
use crate::codec::{blank, has_shift_codes};
use crate::error::{Error, ErrorKind};
use crate::records::overlong::OnOverlong;
use crate::records::{Framer, Shape};
use crate::transcoder::report::{CutRecord, Place};
use std::sync::Arc;

/// The records of an output.
pub(in crate::transcoder) struct RecordsOut {
    framer: Framer,
    to: Arc<dyn Codec>,
    overlong: OnOverlong,
    is_fixed: bool,
    /// The longest record, in bytes.
    limit: usize,
    /// The target's blank, if records are padded with spaces.
    blank: Option<Vec<u8>>,
    /// A buffer for what is encoded at a time.
    buffer: PageBuffer,
    /// A buffer for a record that is translated.
    translated: Vec<u8>,
    /// The record that is being written, up to the limit and a little over; and how long it would be.
    record: Vec<u8>,
    len: usize,
    /// Everything beyond the limit so far is spaces.
    only_blanks: bool,
    /// How much text the encoder had been fed when the record began.
    began: Option<u64>,
    /// Where in the input that was, once it was looked up.
    start: Option<Place>,
    records: u64,
    /// The end of the last file is written, if the shape has ends of files.
    file_ended: bool,
}

/// How much is encoded at a time, in bytes.
const BUFFER_BYTES: usize = 16 * 1024;

impl RecordsOut {
    pub(in crate::transcoder) fn new(shape: &Shape, overlong: OnOverlong, to: &Arc<dyn Codec>) -> Result<Self, Error> {
        let is_fixed = shape.lrecl().is_some();
        let blank = if is_fixed { blank(&**to) } else { None };
        Ok(RecordsOut {
            framer: Framer::new(shape, blank.as_deref().unwrap_or_default())?,
            to: to.clone(),
            overlong,
            is_fixed,
            limit: shape.longest(),
            blank,
            buffer: PageBuffer::for_output(BUFFER_BYTES),
            translated: Vec::new(),
            record: Vec::new(),
            len: 0,
            only_blanks: true,
            began: None,
            start: None,
            records: 0,
            file_ended: false,
        })
    }

    /// Whether the shape has ends of files. If so, those of the input are written.
    pub(in crate::transcoder) fn has_files(shape: &Shape) -> bool {
        matches!(shape, Shape::AwsTape { .. } | Shape::ModeB)
    }

    /// A copy for the middle of an output, after `records` records. `None` if the shape keeps something between two
    /// records: a block that is not full, or the position on a tape.
    pub(in crate::transcoder) fn after(&self, records: u64) -> Option<Self> {
        let shape = self.framer.shape()?;
        let mut copy = RecordsOut::new(shape, self.overlong, &self.to).ok()?;
        copy.framer = copy.framer.at_record(records + 1);
        copy.records = records;
        Some(copy)
    }

    /// How many records were written.
    pub(in crate::transcoder) fn records(&self) -> u64 {
        self.records
    }

    /// Whether a record has begun.
    pub(in crate::transcoder) fn is_open(&self) -> bool {
        self.began.is_some()
    }

    /// Begins a record, if none has begun. `fed`: how much text the encoder was fed before.
    pub(in crate::transcoder) fn begin(&mut self, fed: u64) {
        self.began.get_or_insert(fed);
    }

    /// How much the encoder had been fed when the record began, if its place in the input is not known yet.
    fn unlocated_start(&self) -> Option<u64> {
        self.began.filter(|_| self.start.is_none())
    }

    /// Finds the place in the input where the record began, if it is not known yet. `place` returns the place of the
    /// text that the encoder was fed at that point.
    pub(in crate::transcoder) fn locate_start(&mut self, place: impl FnOnce(u64) -> Place) {
        if let Some(fed) = self.unlocated_start() {
            self.start = Some(place(fed));
        }
    }

    /// Lets `encode` write a part of the record.
    ///
    /// # Errors
    /// Those of `encode`.
    pub(in crate::transcoder) fn encode(
        &mut self,
        encode: impl FnOnce(&mut ByteSink<'_>) -> Result<Step<Unmappable>, Error>,
    ) -> Result<Step<Unmappable>, Error> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut sink = ByteSink::new(&mut buffer);
        let step = encode(&mut sink);
        let written = sink.written();
        self.push(&buffer[..written]);
        self.buffer = buffer;
        step
    }

    /// Appends bytes to the record.
    pub(in crate::transcoder) fn push(&mut self, bytes: &[u8]) {
        let fits = bytes.len().min((self.limit + MIN_ROOM).saturating_sub(self.record.len()));
        self.record.extend_from_slice(&bytes[..fits]);
        let beyond = (self.len + bytes.len()).saturating_sub(self.limit);
        if beyond > 0 && self.only_blanks {
            let begin = self.len.max(self.limit) - self.limit;
            let beyond = &bytes[bytes.len() - beyond.min(bytes.len())..];
            self.only_blanks = self.blank.as_ref().is_some_and(|blank| {
                self.limit.is_multiple_of(blank.len())
                    && beyond.iter().zip(begin..).all(|(byte, at)| *byte == blank[at % blank.len()])
            });
        }
        self.len += bytes.len();
    }

    /// Writes a record whose bytes only have to be translated by `table`. Returns `false`, with nothing changed, if
    /// something in it has to be decided.
    #[inline]
    pub(in crate::transcoder) fn translate(&mut self, data: &[u8], table: &Translation, out: &mut Vec<u8>) -> bool {
        if self.translated.len() < data.len() {
            self.translated.resize(data.len(), 0);
        }
        let buffer = &mut self.translated[..data.len()];
        if translate(isa(), table, data, buffer) < data.len() {
            return false;
        }
        let mut record = &*buffer;
        if record.len() > self.limit {
            match self.blank.as_deref() {
                Some(&[blank]) if record.len() - padding_len(isa(), record, blank) <= self.limit => {
                    record = &record[..self.limit];
                }
                _ => return false,
            }
        }
        // If anything is wrong with it, the staged way reports that, with its place.
        if self.framer.record(record, 0, out).is_err() {
            return false;
        }
        self.records += 1;
        self.file_ended = false;
        true
    }

    /// Writes a whole record of bytes, whose data begins at `offset` of the input. Nothing of it is cut.
    ///
    /// # Errors
    /// Those of [`Framer::record`].
    pub(in crate::transcoder) fn write_whole(
        &mut self,
        record: &[u8],
        offset: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.framer.record(record, offset, out)?;
        self.records += 1;
        self.file_ended = false;
        Ok(())
    }

    /// The length of the longest record, in bytes.
    pub(in crate::transcoder) fn limit(&self) -> usize {
        self.limit
    }

    /// How long the record would be so far, in bytes.
    pub(in crate::transcoder) fn len(&self) -> usize {
        self.len
    }

    /// Removes what was written after the first `len` bytes of a fixed-length record, if that, and only that, does not
    /// fit.
    pub(in crate::transcoder) fn drop_end_without_room(&mut self, len: usize) {
        if self.is_fixed && len <= self.limit && self.len > self.limit {
            self.record.truncate(len);
            self.len = len;
            self.only_blanks = true;
        }
    }

    /// Whether the record is too long already, and that is an error.
    pub(in crate::transcoder) fn overflows(&self) -> bool {
        self.len > self.limit && self.overlong == OnOverlong::Fail && !self.only_blanks
    }

    pub(in crate::transcoder) fn too_long(&self) -> Error {
        let Place { offset, position, .. } = self.start.unwrap_or_default();
        let kind = ErrorKind::RecordTooLong { offset, record: self.records + 1, limit: self.limit };
        Error::at(kind, None, position)
    }

    /// Ends the record, and appends to `out` what can be written of it and of earlier ones. `place` returns where in
    /// the input the text that the encoder was fed comes from. That takes time, so it is called for errors alone and,
    /// if `wants_place`, for a record that is cut.
    ///
    /// # Errors
    /// [`ErrorKind::RecordTooLong`], and those of [`Framer::record`].
    pub(in crate::transcoder) fn end(
        &mut self,
        out: &mut Vec<u8>,
        place: impl FnOnce(u64) -> Place,
        wants_place: bool,
    ) -> Result<Option<CutRecord>, Error> {
        let is_cut = self.len > self.limit && !self.only_blanks && self.overlong == OnOverlong::Cut;
        let lost = match (self.write(out), self.unlocated_start()) {
            (Err(_), Some(fed)) => {
                self.start = Some(place(fed));
                // The error changed nothing: the same again, with the place.
                self.write(out)?
            }
            (Ok(lost), Some(fed)) if is_cut && wants_place => {
                self.start = Some(place(fed));
                lost
            }
            (result, _) => result?,
        };
        self.records += 1;
        self.file_ended = false;
        let Place { offset, position, .. } = self.start.unwrap_or_default();
        let cut = is_cut.then_some(CutRecord { offset, record: self.records, bytes: lost, position });
        self.record.clear();
        self.len = 0;
        self.only_blanks = true;
        self.began = None;
        self.start = None;
        Ok(cut)
    }

    /// Writes the record. Returns how many bytes it loses. On an error it stays as it is.
    fn write(&mut self, out: &mut Vec<u8>) -> Result<u64, Error> {
        if self.len > self.limit {
            if self.only_blanks {
                self.record.truncate(self.limit);
            } else if self.overlong == OnOverlong::Fail || !self.cut() {
                return Err(self.too_long());
            }
        }
        let Place { offset, position, .. } = self.start.unwrap_or_default();
        self.framer.record(&self.record, offset, out).map_err(|error| error.with_position(position))?;
        Ok((self.len - self.record.len()) as u64)
    }

    /// Cuts the record between two characters, so that it ends in the initial shift state. Returns `false` if that is
    /// not possible because the charset shifts by other means than SO and SI.
    fn cut(&mut self) -> bool {
        let mut decoder = self.to.decoder();
        let shifts = has_shift_codes(&*decoder);
        let (mut len, mut shifted, mut cut) = (0, false, Some((0, false)));
        let mut buffer = [0; 4 * MIN_ROOM];
        for &byte in &self.record {
            let mut sink = Utf8Sink::new(&mut buffer);
            let is_substitute = match decoder.feed(&[byte], &mut sink).stop {
                Stop::InputEmpty => false,
                // The substitute for a character that the charset lacks may not be one of its characters.
                Stop::Fault(fault) if fault.after == 0 => true,
                _ => return false,
            };
            len += 1;
            match byte {
                0x0E if shifts => shifted = true,
                0x0F if shifts => shifted = false,
                _ => {}
            }
            if len + usize::from(shifted) > self.limit {
                break;
            }
            // After a shift out there is no character yet.
            let is_whole = sink.written() > 0 || is_substitute || (shifts && byte == 0x0F);
            if decoder.pending() == 0 && is_whole {
                cut = Some((len, shifted));
            }
        }
        let Some((len, shifted)) = cut else { return false };
        self.record.truncate(len);
        if shifted {
            self.record.push(0x0F);
        }
        true
    }

    /// Ends a file, because one of the input ends.
    pub(in crate::transcoder) fn end_file(&mut self, out: &mut Vec<u8>) {
        self.framer.finish(out);
        self.file_ended = true;
    }

    /// Ends the output: appends what is held of whole records to `out`, and ends the last file if that is not done.
    pub(in crate::transcoder) fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.file_ended {
            self.framer.finish(out);
        }
    }
}
