//! The way by columns: from records to records, each column of text is converted in place, and all other bytes are
//! copied unchanged.
//!
//! A record is collected and converted whole. Each charset of a column has a decoder, which is made once; there is one
//! encoder, for the target. A column in which a policy has to be applied is converted again, byte by byte
//! (`column_text.rs`).

use super::column_page::{Page, newline_of};
use super::column_text::{ColumnText, RecordPlaces, encode, encode_whole};
use crate::codec::{Codec, EbcdicNl, apply_newline, blank, is_ebcdic};
use crate::error::{Error, ErrorKind};
use crate::records::overlong::OnOverlong;
use crate::records::{Columns, RECORD_LIMIT};
use crate::registry::Registry;
use crate::transcoder::records::read::RecordBytes;
use crate::transcoder::report::{CutRecord, Place};
use crate::transcoder::run::{Decoded, Run, Work};
use crate::transcoder::source::Source;
use crate::transcoder::target::Target;
use std::sync::Arc;

/// Converts the columns of records.
pub(in crate::transcoder) struct ColumnWay {
    columns: Vec<Column>,
    pages: Vec<Page>,
    /// The target's blank.
    blank: Vec<u8>,
    /// The bytes of the record so far.
    record: Vec<u8>,
    /// Where in `record` each stretch of data begins that follows framing, and where in the input.
    stretches: Vec<(usize, u64)>,
    /// The record as it is written.
    made: Vec<u8>,
    /// The text of a column.
    text: String,
}

/// A range of columns.
#[derive(Clone, Copy)]
struct Column {
    /// The first byte, from 0, and the byte after the last.
    start: usize,
    end: usize,
    /// The index of its page; `None` if that is the target.
    page: Option<usize>,
}

/// How much output is made at a time, in bytes; the last record may exceed it.
const BATCH_BYTES: usize = 64 * 1024;

impl ColumnWay {
    /// `from` and `to`: the charsets of input and target, with their newlines.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`] for the charset of a column.
    pub(in crate::transcoder) fn new(
        columns: &Columns,
        registry: &Registry,
        newline: EbcdicNl,
        from: &Arc<dyn Codec>,
        to: &Arc<dyn Codec>,
    ) -> Result<Self, Error> {
        let mut pages: Vec<Page> = Vec::new();
        let mut ranges = Vec::new();
        for range in columns.ranges() {
            let codec = match &range.page {
                None => from.clone(),
                Some(label) => with_newline(registry.codec(label)?, newline),
            };
            let known = pages.iter().position(|page| page.is_of(&*codec));
            let is_target = codec.name() == to.name() && newline_of(&*codec) == newline_of(&**to);
            let page = (!is_target).then(|| {
                known.unwrap_or_else(|| {
                    pages.push(Page::new(&*codec));
                    pages.len() - 1
                })
            });
            let index = |column: u64| usize::try_from(column).unwrap_or(usize::MAX);
            ranges.push(Column { start: index(range.first - 1), end: index(range.last), page });
        }
        Ok(ColumnWay::of(ranges, pages, blank(&**to).unwrap_or_default()))
    }

    fn of(columns: Vec<Column>, pages: Vec<Page>, blank: Vec<u8>) -> Self {
        let (record, stretches, made, text) = Default::default();
        ColumnWay { columns, pages, blank, record, stretches, made, text }
    }

    /// A copy that starts afresh, between two records.
    pub(in crate::transcoder) fn fresh(&self) -> Self {
        let pages = self.pages.iter().map(Page::fresh).collect();
        ColumnWay::of(self.columns.clone(), pages, self.blank.clone())
    }

    /// Converts records from the front of `src`. `eof`: nothing follows `src`.
    pub(in crate::transcoder) fn decode(
        &mut self,
        run: &mut Run,
        source: &mut Source,
        target: &mut Target,
        src: &[u8],
        eof: bool,
    ) -> Decoded {
        let begin = run.spill.bytes.len();
        let (mut read, mut is_over) = (0, false);
        while run.spill.bytes.len() - begin < BATCH_BYTES {
            let result = match source.next_bytes(&src[read..], eof) {
                RecordBytes::Framing(len) => {
                    read += len;
                    Ok(())
                }
                RecordBytes::Data(len) => {
                    let data = &src[read..read + len];
                    read += len;
                    self.collect(source, target, data)
                }
                RecordBytes::End => self.end_record(run, source, target),
                RecordBytes::FileEnd => {
                    if let Some(records) = &mut target.records {
                        records.end_file(&mut run.spill.bytes);
                    }
                    Ok(())
                }
                RecordBytes::NeedInput => break,
                RecordBytes::Done => {
                    is_over = true;
                    break;
                }
                RecordBytes::Failed(error) => Err(error),
            };
            if let Err(error) = result {
                // After the records before it.
                run.queue.push_back(Work::Failed(error));
                break;
            }
        }
        Decoded { read, is_over }
    }

    /// Takes `data`, which `source` has just passed.
    fn collect(&mut self, source: &Source, target: &Target, data: &[u8]) -> Result<(), Error> {
        let at = source.reached().offset - data.len() as u64;
        let is_next =
            self.stretches.last().is_some_and(|(index, from)| from + (self.record.len() - index) as u64 == at);
        if !is_next {
            self.stretches.push((self.record.len(), at));
        }
        // A column never becomes shorter, so a record that is too long here is too long for the output as well.
        let limit = target.records.as_ref().map_or(RECORD_LIMIT, |records| records.limit());
        if self.record.len() + data.len() > limit {
            return Err(self.too_long(source, limit));
        }
        self.record.extend_from_slice(data);
        Ok(())
    }

    fn too_long(&self, source: &Source, limit: usize) -> Error {
        let record = source.records().unwrap_or_default() + 1;
        ErrorKind::RecordTooLong { offset: places(&self.stretches, source, 0).at(0).offset, record, limit }.into()
    }

    /// Converts the record and writes it.
    fn end_record(&mut self, run: &mut Run, source: &mut Source, target: &mut Target) -> Result<(), Error> {
        let mut made = std::mem::take(&mut self.made);
        made.clear();
        let (mut at, mut cut) = (0, CutRecord { offset: 0, record: 0, bytes: 0, position: None });
        for index in 0..self.columns.len() {
            let column = self.columns[index];
            if column.start >= self.record.len() {
                break;
            }
            made.extend_from_slice(&self.record[at..column.start]);
            at = column.end.min(self.record.len());
            match column.page {
                None => made.extend_from_slice(&self.record[column.start..at]),
                Some(page) => {
                    let lost = self.column(run, source, target, (column, page), &mut made)?;
                    if cut.bytes == 0 && lost > 0 {
                        cut.offset = places(&self.stretches, source, column.start).at(0).offset;
                    }
                    cut.bytes += lost;
                }
            }
        }
        made.extend_from_slice(&self.record[at..]);
        let place = places(&self.stretches, source, 0).at(0);
        if let Some(records) = &mut target.records {
            records.write_whole(&made, place.offset, &mut run.spill.bytes)?;
            cut.record = records.records();
        }
        if let Some(cuts) = run.report.records_cut.as_mut().filter(|_| cut.bytes > 0) {
            cuts.add(cut);
        }
        self.record.clear();
        self.stretches.clear();
        self.made = made;
        source.end_record();
        Ok(())
    }

    /// Appends a converted column to `made`. Returns how many bytes were cut off.
    fn column(
        &mut self,
        run: &mut Run,
        source: &Source,
        target: &mut Target,
        (column, page): (Column, usize),
        made: &mut Vec<u8>,
    ) -> Result<u64, Error> {
        let bytes = &self.record[column.start..column.end.min(self.record.len())];
        let begin = made.len();
        // The last column of a record may grow up to its end, if the record ended within it.
        let most = target.records.as_ref().map_or(usize::MAX, |records| records.limit());
        let room = (column.end - column.start).min(most.saturating_sub(begin).max(bytes.len()));
        let page = &mut self.pages[page];
        let mut lost = 0;
        let is_plain = page.decode(bytes, &mut self.text)? && {
            let text = self.text.trim_end_matches(page.blank());
            encode_whole(text, target, run.bytes_in, made)? && made.len() - begin <= room
        };
        if !is_plain {
            made.truncate(begin);
            let place = places(&self.stretches, source, column.start);
            let text = ColumnText::decode(page, bytes, place, run)?;
            let mut encoded = encode(&text, target, run)?;
            if encoded.len() > room {
                if run.settings.overlong == OnOverlong::Fail {
                    let is_of_record = room < column.end - column.start;
                    let too_long = || column_too_long(place, target, encoded.len(), room);
                    return Err(if is_of_record { self.too_long(source, most) } else { too_long() });
                }
                let kept = text.cut(room, target, run)?;
                lost = (encoded.len() - kept.len()) as u64;
                encoded = kept;
            }
            made.extend_from_slice(&encoded);
        }
        let missing = bytes.len().saturating_sub(made.len() - begin);
        let blank = self.blank.len();
        if missing > 0 && (blank == 0 || !missing.is_multiple_of(blank)) {
            let at = places(&self.stretches, source, column.start).at(0);
            let record = source.records().unwrap_or_default() + 1;
            return Err(Error::in_record(
                ErrorKind::CannotPad { offset: at.offset, record, missing, blank },
                at.record,
            ));
        }
        made.extend(self.blank.iter().cycle().take(missing));
        Ok(lost)
    }
}

fn column_too_long(place: RecordPlaces<'_>, target: &Target, len: usize, limit: usize) -> Error {
    let (codec, Place { offset, record, .. }) = (target.codec.name().to_owned(), place.at(0));
    Error::in_record(ErrorKind::ColumnTooLong { codec, offset, len, limit }, record)
}

/// The codec of a column's charset, with the newlines that were chosen.
fn with_newline(codec: Arc<dyn Codec>, newline: EbcdicNl) -> Arc<dyn Codec> {
    if is_ebcdic(&*codec) { apply_newline(codec, newline) } else { codec }
}

/// Where the bytes of a column are in the input: the column begins at `column` of a record with these stretches, which
/// `source` is reading.
fn places<'a>(stretches: &'a [(usize, u64)], source: &Source, column: usize) -> RecordPlaces<'a> {
    let record = source.records().unwrap_or_default() + 1;
    RecordPlaces { record, stretches, column, end: source.reached().offset }
}
