//! From encoded bytes to records: each is collected, measured, cut or filled up, and framed.

use crate::arch::bytes::{Translation, padding_len, translate};
use crate::arch::isa;
use crate::codec::{ByteSink, Codec, MIN_ROOM, Step, Stop, Unmappable, Utf8Sink, blank, has_shift_codes};
use crate::error::{Error, ErrorKind};
use crate::records::{Framer, Shape};
use crate::transcoder::choices::OnOverlong;
use crate::transcoder::report::{CutRecord, Place};
use std::sync::Arc;

/// The records of an output.
pub(in crate::transcoder) struct RecordsOut {
    framer: Framer,
    to: Arc<dyn Codec>,
    overlong: OnOverlong,
    is_fixed: bool,
    /// How long a record may be.
    limit: usize,
    /// The target's blank, where blanks fill a record up.
    blank: Option<Vec<u8>>,
    room: Box<[u8]>,
    /// Room for a record that passes.
    passed: Vec<u8>,
    /// The record that is under way, up to the limit and a little over; and how long it would be.
    record: Vec<u8>,
    len: usize,
    /// What is behind the limit so far is blanks.
    only_blanks: bool,
    /// Where it began: how much text the encoder had been fed.
    began: Option<u64>,
    /// Where in the input that was, once that was asked.
    start: Option<Place>,
    records: u64,
    /// It writes the ends of files, and that of the file so far is written.
    file_ended: bool,
}

/// Room for what is encoded at a time.
const ROOM: usize = 16 * 1024;

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
            room: vec![0; ROOM].into(),
            passed: Vec::new(),
            record: Vec::new(),
            len: 0,
            only_blanks: true,
            began: None,
            start: None,
            records: 0,
            file_ended: false,
        })
    }

    /// Whether the shape has ends of files: those of the input are to be written then.
    pub(in crate::transcoder) fn has_files(shape: &Shape) -> bool {
        matches!(shape, Shape::AwsTape { .. } | Shape::ModeB)
    }

    /// The same for the middle of an output, behind `records` records; `None` where the shape keeps something between two
    /// records, a block that is not full or a place on a tape.
    pub(in crate::transcoder) fn part(&self, records: u64) -> Option<Self> {
        let shape = self.framer.shape()?;
        let mut part = RecordsOut::new(shape, self.overlong, &self.to).ok()?;
        part.framer = part.framer.at_record(records + 1);
        part.records = records;
        Some(part)
    }

    /// Records written.
    pub(in crate::transcoder) fn records(&self) -> u64 {
        self.records
    }

    /// Whether a record is under way.
    pub(in crate::transcoder) fn is_open(&self) -> bool {
        self.began.is_some()
    }

    /// Text is about to be encoded; `fed` is how much the encoder was fed before.
    pub(in crate::transcoder) fn begin(&mut self, fed: u64) {
        self.began.get_or_insert(fed);
    }

    /// How much the encoder had been fed when the record began, if nobody knows yet where in the input that was.
    pub(in crate::transcoder) fn wants_start(&self) -> Option<u64> {
        self.began.filter(|_| self.start.is_none())
    }

    pub(in crate::transcoder) fn set_start(&mut self, start: Place) {
        self.start = Some(start);
    }

    /// Lets `encode` write a part of the record.
    pub(in crate::transcoder) fn encode(
        &mut self,
        encode: impl FnOnce(&mut ByteSink<'_>) -> Result<Step<Unmappable>, Error>,
    ) -> Result<Step<Unmappable>, Error> {
        let mut room = std::mem::take(&mut self.room);
        let mut sink = ByteSink::new(&mut room);
        let step = encode(&mut sink);
        let written = sink.written();
        self.push(&room[..written]);
        self.room = room;
        step
    }

    /// Bytes of the record.
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

    /// A record whose bytes need no more than this table, all at once. `false`, and nothing happened, if it is to go the
    /// long way.
    #[inline]
    pub(in crate::transcoder) fn pass(&mut self, data: &[u8], table: &Translation, out: &mut Vec<u8>) -> bool {
        if self.passed.len() < data.len() {
            self.passed.resize(data.len(), 0);
        }
        let room = &mut self.passed[..data.len()];
        if translate(isa(), table, data, room) < data.len() {
            return false;
        }
        let mut record = &*room;
        if record.len() > self.limit {
            match self.blank.as_deref() {
                Some(&[blank]) if record.len() - padding_len(isa(), record, blank) <= self.limit => {
                    record = &record[..self.limit];
                }
                _ => return false,
            }
        }
        // What is wrong with it, if anything, is said the long way, with its place.
        if self.framer.record(record, 0, out).is_err() {
            return false;
        }
        self.records += 1;
        self.file_ended = false;
        true
    }

    /// How long the record is so far.
    pub(in crate::transcoder) fn len(&self) -> usize {
        self.len
    }

    /// Takes off what was written behind `len` bytes of a record of fixed length, if that, and only that, does not fit.
    pub(in crate::transcoder) fn drop_end_without_room(&mut self, len: usize) {
        if self.is_fixed && len <= self.limit && self.len > self.limit {
            self.record.truncate(len);
            self.len = len;
            self.only_blanks = true;
        }
    }

    /// Whether the record is too long already.
    pub(in crate::transcoder) fn overflows(&self) -> bool {
        self.len > self.limit && self.overlong == OnOverlong::Fail && !self.only_blanks
    }

    pub(in crate::transcoder) fn too_long(&self) -> Error {
        let offset = self.start.unwrap_or_default().offset;
        ErrorKind::RecordTooLong { offset, record: self.records + 1, limit: self.limit }.into()
    }

    /// The record ends; what can be written of it and of those before goes to `out`. `place` is where in the input what
    /// the encoder was fed comes from: asked for an error and, with `tells`, for a record that is cut, as it takes its time.
    pub(in crate::transcoder) fn end(
        &mut self,
        out: &mut Vec<u8>,
        place: impl FnOnce(u64) -> Place,
        tells: bool,
    ) -> Result<Option<CutRecord>, Error> {
        let is_cut = self.len > self.limit && !self.only_blanks && self.overlong == OnOverlong::Cut;
        let lost = match (self.write(out), self.wants_start()) {
            (Err(_), Some(fed)) => {
                self.start = Some(place(fed));
                // It is as if it had not been given: the same again, with its place.
                self.write(out)?
            }
            (Ok(lost), Some(fed)) if is_cut && tells => {
                self.start = Some(place(fed));
                lost
            }
            (result, _) => result?,
        };
        self.records += 1;
        self.file_ended = false;
        let offset = self.start.unwrap_or_default().offset;
        let cut = is_cut.then_some(CutRecord { offset, record: self.records, bytes: lost });
        self.record.clear();
        self.len = 0;
        self.only_blanks = true;
        self.began = None;
        self.start = None;
        Ok(cut)
    }

    /// Writes the record, and answers how many bytes it loses. It stays as it is where that cannot be.
    fn write(&mut self, out: &mut Vec<u8>) -> Result<u64, Error> {
        if self.len > self.limit {
            if self.only_blanks {
                self.record.truncate(self.limit);
            } else if self.overlong == OnOverlong::Fail || !self.cut() {
                return Err(self.too_long());
            }
        }
        self.framer.record(&self.record, self.start.unwrap_or_default().offset, out)?;
        Ok((self.len - self.record.len()) as u64)
    }

    /// Cuts the record behind a character, so that it ends in the initial shift state. `false` where nobody knows how:
    /// the charset shifts by other means than SO and SI.
    fn cut(&mut self) -> bool {
        let mut decoder = self.to.decoder();
        let shifts = has_shift_codes(&*decoder);
        let (mut len, mut shifted, mut cut) = (0, false, Some((0, false)));
        let mut room = [0; 4 * MIN_ROOM];
        for &byte in &self.record {
            let mut sink = Utf8Sink::new(&mut room);
            let is_substitute = match decoder.feed(&[byte], &mut sink).stop {
                Stop::InputEmpty => false,
                // What stands for a character that the charset lacks is none of its characters.
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
            // Behind a shift out there is no character yet.
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

    /// A file of the input ends: so does one of the output.
    pub(in crate::transcoder) fn end_file(&mut self, out: &mut Vec<u8>) {
        self.framer.finish(out);
        self.file_ended = true;
    }

    /// Nothing follows: writes what is held of whole records, and ends the last file if that is not done.
    pub(in crate::transcoder) fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.file_ended {
            self.framer.finish(out);
        }
    }
}
