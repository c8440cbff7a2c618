//! Converts records to rows, piece by piece.

use crate::failure::{Failure, wrong};
use crate::format::{self, RowWriter};
use crate::options::{option, parse_for_rows};
use charpipe::records::{SNIFFED, Shape};
use charpipe::rows::{AddedColumn, Batch, BatchRecord, Batches, Counts, RowReader, Rows, RowsError, StoredAs};
use charpipe::{ErrorKind, Status};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// How much text is collected before it is given: a short record can become a long row.
const MOST_TEXT: usize = 1 << 20;

/// A conversion of records to rows.
pub(crate) struct RowsStream {
    rows: Rows,
    writer: RowWriter,
    /// How many bytes at the beginning are no records, as far as the record format depends on it.
    head_len: usize,
    source: Arc<Mutex<Source>>,
    /// The records, once their format is known.
    records: Option<Records>,
    batch: Batch,
    /// The next record of the batch; `None` if there is none.
    next: Option<usize>,
    /// What comes after the rows of the batch.
    after: After,
    /// Whether the text has its end.
    is_ended: bool,
    /// The text that was not given yet begins at `given`. There is one.
    text: [Vec<u8>; 1],
    given: usize,
    counts: Counts,
    count: u64,
    bytes_out: u64,
}

struct Records {
    shape: Shape,
    batches: Batches<Feed>,
    reader: RowReader,
}

enum After {
    More,
    Done,
    Error(RowsError),
}

impl RowsStream {
    /// Opens a conversion by a layout.
    pub(crate) fn open(options: &str, layout: &[u8]) -> Result<Self, Failure> {
        let job = parse_for_rows(options, &format::OPTIONS)?;
        job.validate()?;
        let rows = job.layout(layout).and_then(|layout| job.rows(&layout)).map_err(Failure::Rows)?;
        if rows.added().contains(&AddedColumn::File) {
            return Err(Failure::Usage("option add-columns: the input has no file name".to_owned()));
        }
        let mut writer = RowWriter::new(options, &rows)?;
        let head_len = option(options, "skip-head").and_then(|text| text.parse().ok()).unwrap_or(0);
        let text = [writer.begin()];
        let source = Arc::default();
        let (batch, counts) = Default::default();
        let (next, after) = (None, After::More);
        Ok(RowsStream {
            rows,
            writer,
            head_len,
            source,
            records: None,
            batch,
            next,
            after,
            is_ended: false,
            text,
            given: 0,
            counts,
            count: 0,
            bytes_out: 0,
        })
    }

    /// Begins anew.
    pub(crate) fn reset(&mut self) {
        self.source = Arc::default();
        (self.records, self.next, self.after) = (None, None, After::More);
        (self.text, self.given, self.is_ended) = ([self.writer.begin()], 0, false);
        (self.counts, self.count, self.bytes_out) = (Counts::default(), 0, 0);
    }

    /// Takes input and gives rows. Returns how many bytes it read and wrote, and what it needs next. `is_last`: nothing
    /// follows `input`.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        is_last: bool,
    ) -> Result<(usize, usize, Status), Failure> {
        let (mut read, mut written) = (0, 0);
        loop {
            let waiting = &self.text[0][self.given..];
            let len = waiting.len().min(output.len() - written);
            output[written..written + len].copy_from_slice(&waiting[..len]);
            written += len;
            self.given += len;
            self.bytes_out += len as u64;
            if self.given < self.text[0].len() {
                return Ok((read, written, Status::NeedRoom));
            }
            self.text[0].clear();
            self.given = 0;
            if let Some(next) = self.next.take() {
                self.write_rows(next);
                continue;
            }
            if !self.is_ended && !matches!(self.after, After::More) {
                self.is_ended = true;
                self.writer.end(matches!(self.after, After::Done), &mut self.text[0]);
                continue;
            }
            match &self.after {
                After::More => {}
                After::Done => return Ok((read, written, Status::Done)),
                // What was written comes first.
                After::Error(_) if written > 0 => return Ok((read, written, Status::NeedRoom)),
                After::Error(error) => return Err(Failure::Rows(error.clone())),
            }
            self.lock(|source| {
                source.bytes.extend_from_slice(&input[read..]);
                source.is_ended = is_last;
            });
            read = input.len();
            match self.read_batch() {
                Ok(true) => {}
                Ok(false) => return Ok((read, written, Status::NeedInput)),
                Err(error) => self.after = After::Error(error),
            }
        }
    }

    fn lock<T>(&self, act: impl FnOnce(&mut Source) -> T) -> T {
        act(&mut self.source.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the next records. Returns `false` if there is not enough input for that.
    fn read_batch(&mut self) -> Result<bool, RowsError> {
        let records = match &mut self.records {
            Some(records) => records,
            None => match self.find_records()? {
                Some(found) => self.records.insert(found),
                None => return Ok(false),
            },
        };
        let result = records.batches.read(&mut self.batch);
        self.next = Some(0);
        match result {
            Ok(true) => {}
            Ok(false) => (self.next, self.after) = (None, After::Done),
            Err(error) if is_waiting(error.kind()) => {
                // The records before are complete.
                if self.batch.records(0).next().is_none() {
                    self.next = None;
                    return Ok(false);
                }
            }
            Err(error) => self.after = After::Error(error.into()),
        }
        Ok(true)
    }

    /// Finds out the format of the records. Returns `None` if there is not enough input for that.
    fn find_records(&self) -> Result<Option<Records>, RowsError> {
        let (rows, most) = (&self.rows, self.head_len + SNIFFED + 1);
        let shape = self.lock(|source| match rows.stored_as() {
            StoredAs::Auto if source.bytes.len() < most && !source.is_ended => None,
            _ => Some(rows.shape(&source.bytes[..most.min(source.bytes.len())])),
        });
        let Some(shape) = shape.transpose()? else { return Ok(None) };
        let feed = Feed { source: self.source.clone(), piece: Vec::new(), at: 0 };
        Ok(Some(Records { batches: rows.batches(feed, &shape), reader: rows.reader(&shape), shape }))
    }

    /// Writes the rows of the batch from this record on, as many as are given at a time.
    fn write_rows(&mut self, first: usize) {
        let RowsStream { writer, records: Some(records), batch, text, .. } = self else { return };
        for (index, record) in (first..).zip(batch.records(first)) {
            if text[0].len() >= MOST_TEXT {
                self.next = Some(index);
                break;
            }
            if let Err(error) = writer.write(&mut records.reader, record, text) {
                self.after = After::Error(RowsError::Record { offset: record.offset_of(error.offset()), error });
                break;
            }
            self.count += 1;
        }
        self.counts.add(&records.reader.take_counts());
    }

    /// Returns what was done, with the keys of the command's report.
    pub(crate) fn report(&self) -> Value {
        let Counts { records, nulls, loose_numbers, malformed, cut, controls, newlines, .. } = self.counts;
        json!({
            "from": self.rows.codec().name(),
            "shape": self.records.as_ref().map(|records| records.shape.to_string()),
            "bytes_in": self.records.as_ref().map_or(0, |records| records.batches.offset()),
            "bytes_out": self.bytes_out,
            "records": records,
            "rows": self.count,
            "nulls": nulls,
            "loose_numbers": loose_numbers,
            "malformed": malformed,
            "controls": controls,
            "record_newlines": newlines,
            "records_cut": cut,
        })
    }
}

/// Returns where the records of a whole input are: `{"shape", "records", "read", "error"}`, or only `{"error"}` if an
/// option or the layout is invalid. A record is a list of pieces `[offset, length]`. Without a layout, the option
/// `records` says how the records are stored.
pub(crate) fn places(options: &str, layout: &[u8], input: &[u8]) -> Value {
    let open = || {
        let job = parse_for_rows(options, &[])?;
        job.validate()?;
        // Any layout: it is not asked for anything.
        let layout = if layout.is_empty() { &b"RECORD 1 1 raw"[..] } else { layout };
        let rows = job.layout(layout).and_then(|layout| job.rows(&layout)).map_err(Failure::Rows)?;
        let (shape, input) = rows.open(input).map_err(Failure::Rows)?;
        Ok::<_, Failure>((rows.batches(input, &shape), shape))
    };
    let (mut batches, shape) = match open() {
        Ok(found) => found,
        Err(failure) => return json!({ "error": Failure::json(&failure) }),
    };
    let (mut batch, mut found, mut error) = (Batch::default(), Vec::new(), Value::Null);
    loop {
        let result = batches.read(&mut batch);
        found.extend(batch.records(0).map(|record| pieces(&record)));
        match result {
            Ok(true) => {}
            Ok(false) => break,
            Err(failed) => {
                error = wrong(failed.into());
                break;
            }
        }
    }
    json!({ "shape": shape.to_string(), "records": found, "read": batches.offset(), "error": error })
}

/// Returns the pieces of a record: runs of bytes that are next to each other in the input.
fn pieces(record: &BatchRecord<'_>) -> Vec<[u64; 2]> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < record.data.len() {
        let begin = record.offset_of(at);
        let (mut len, mut longest) = (1, record.data.len() - at);
        // What is between two pieces only makes offsets larger.
        while len < longest {
            let middle = len + (longest - len).div_ceil(2);
            match record.offset_of(at + middle - 1) == begin + middle as u64 - 1 {
                true => len = middle,
                false => longest = middle - 1,
            }
        }
        pieces.push([begin, len as u64]);
        at += len;
    }
    pieces
}

/// The input that was not read yet.
#[derive(Default)]
struct Source {
    bytes: Vec<u8>,
    is_ended: bool,
}

/// Reads the input as far as it is there.
struct Feed {
    source: Arc<Mutex<Source>>,
    /// Bytes that were taken from the source; those before `at` were read.
    piece: Vec<u8>,
    at: usize,
}

fn is_waiting(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::Read { source, .. } if source.kind() == io::ErrorKind::WouldBlock)
}

impl Read for Feed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(into)?;
        self.consume(len);
        Ok(len)
    }
}

impl BufRead for Feed {
    /// Fails with [`WouldBlock`](io::ErrorKind::WouldBlock) if more input has to come first.
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.piece.len() {
            let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
            self.piece.clear();
            self.at = 0;
            std::mem::swap(&mut self.piece, &mut source.bytes);
            if self.piece.is_empty() && !source.is_ended {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
        Ok(&self.piece[self.at..])
    }

    fn consume(&mut self, len: usize) {
        self.at += len;
    }
}
