//! The way by a table: from one single-byte charset to another, most bytes never become text.
//!
//! A byte that is malformed, or whose character the target lacks, is left to the other ways, which apply the policies.

use crate::arch::{bytes::translate, isa, types::Translation};
use crate::codec::is_utf8;
use crate::codec::{ByteSink, Codec, MIN_ROOM, Stop};
use crate::transcoder::fill::Chunk;
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::records::write::RecordsOut;
use crate::transcoder::run::Out;
use crate::transcoder::source::Source;
use std::sync::Arc;

/// Inputs of fewer bytes are not worth making the table for.
const MIN_INPUT_BYTES: usize = 1024;

/// The target of a table that covers fewer bytes of the source is not a single-byte charset.
const MIN_MAPPED_BYTES: usize = 64;

/// A table from the bytes of one charset to those of another, made when it is first needed.
pub(in crate::transcoder) struct ByteTable {
    decoder: CheckedDecoder,
    to: Arc<dyn Codec>,
    /// `None`: not made yet. `Some(None)`: there is none, because the target is not a single-byte charset.
    table: Option<Option<Translation>>,
    /// How many bytes go the staged way at the next byte that the table lacks.
    detour: usize,
    /// How many bytes it has translated since the last one.
    passed: usize,
}

/// The longest detour, in bytes.
const MAX_DETOUR_BYTES: usize = 16 * 1024;

/// The result of [`ByteTable::decode`].
pub(in crate::transcoder) enum ByTable {
    /// Translated this many bytes, at least one.
    Bytes(usize),
    /// Stopped at the first byte, because the table lacks it or the output is full. This many bytes should go the
    /// staged way; more and more if the table lacks many.
    Stopped(usize),
    /// There is no table.
    None,
}

impl ByteTable {
    /// Returns `None` if the source, which a new `decoder` decodes, is not a single-byte charset.
    pub(in crate::transcoder) fn new(decoder: &CheckedDecoder, to: &Arc<dyn Codec>) -> Option<Self> {
        if is_utf8(&**to) || !decoder.is_bytewise() {
            return None;
        }
        Some(ByteTable { decoder: decoder.fork(), to: to.clone(), table: None, detour: MIN_ROOM, passed: 0 })
    }

    /// A copy that starts afresh.
    pub(in crate::transcoder) fn fresh(&self) -> Self {
        ByteTable {
            decoder: self.decoder.fork(),
            to: self.to.clone(),
            table: self.table.clone(),
            detour: MIN_ROOM,
            passed: 0,
        }
    }

    /// Goes back to the beginning, for another input. The table stays.
    pub(in crate::transcoder) fn restart(&mut self) {
        (self.detour, self.passed) = (MIN_ROOM, 0);
    }

    /// Translates from the front of `chunk` to `out`, up to a byte that the table lacks.
    pub(in crate::transcoder) fn decode(
        &mut self,
        source: &mut Source,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
    ) -> ByTable {
        let src = chunk.up_to_limit(source.read());
        if !self.is_worth(src) {
            return ByTable::None;
        }
        let Some(table) = self.table() else { return ByTable::None };
        match translate(isa(), table, src, out.spare()) {
            0 => ByTable::Stopped(self.next_detour()),
            len => {
                self.passed += len;
                source.skip_translated(&src[..len]);
                out.written += len;
                ByTable::Bytes(len)
            }
        }
    }

    /// Returns how many bytes should go the staged way.
    fn next_detour(&mut self) -> usize {
        let is_longer = std::mem::take(&mut self.passed) < self.detour;
        self.detour = if is_longer { (2 * self.detour).min(MAX_DETOUR_BYTES) } else { MIN_ROOM };
        self.detour
    }

    /// Whether the table is there already, or `src` is long enough to make it for.
    fn is_worth(&self, src: &[u8]) -> bool {
        self.table.is_some() || src.len() >= MIN_INPUT_BYTES
    }

    fn table(&mut self) -> Option<&Translation> {
        self.table.get_or_insert_with(|| make_table(&*self.to, &self.decoder)).as_ref()
    }
}

fn make_table(to: &dyn Codec, decoder: &CheckedDecoder) -> Option<Translation> {
    let mut encoder = to.encoder().filter(|encoder| encoder.is_stateless())?;
    let byte_of: [Option<u8>; 256] = std::array::from_fn(|byte| {
        let ch = decoder.alone(byte as u8)?;
        let mut buffer = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        let stop = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink).stop;
        match sink.as_bytes() {
            &[made] if stop == Stop::InputEmpty => Some(made),
            _ => None,
        }
    });
    let is_single_byte = byte_of.iter().flatten().count() >= MIN_MAPPED_BYTES;
    is_single_byte.then(|| Translation::new(|byte| byte_of[usize::from(byte)]))
}

/// The same from records to records: whole records go from one framing to the other without becoming text. A record
/// with anything in it for a policy to decide goes the staged way.
///
/// The staged way needs a copy of the source for each text. Where the table keeps failing, trying it before each record
/// would double the work, so more and more records in a row go the staged way.
pub(in crate::transcoder) struct RecordTable {
    table: ByteTable,
    /// How many records go the staged way before the table is tried again.
    detour: u64,
}

/// How much output is made at a time, in bytes; the last record may exceed it.
const BATCH_BYTES: usize = 64 * 1024;

/// If the table takes fewer records than this in a row, the next detour is twice as long.
const MIN_RECORDS: u64 = 16;

/// The longest detour, in records.
const MAX_DETOUR: u64 = 4096;

impl RecordTable {
    pub(in crate::transcoder) fn new(table: ByteTable) -> Self {
        RecordTable { table, detour: 1 }
    }

    /// A copy that starts afresh.
    pub(in crate::transcoder) fn fresh(&self) -> Self {
        RecordTable::new(self.table.fresh())
    }

    /// Translates whole records from the front of `src`, and appends them to `out` in the framing of `records`. Returns
    /// how many bytes of `src` they take. If it returns 0, the next [`detour`](Self::detour) records have to go the
    /// staged way.
    pub(in crate::transcoder) fn decode(
        &mut self,
        source: &mut Source,
        records: &mut RecordsOut,
        src: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        if records.is_open() || !self.table.is_worth(src) {
            return 0;
        }
        let Some(table) = self.table.table() else { return 0 };
        let begin = out.len();
        let mut passed = 0;
        let read = source.whole_records(src, |record| {
            let passes = out.len() - begin < BATCH_BYTES && records.translate(record, table, out);
            passed += u64::from(passes);
            passes
        });
        if out.len() - begin < BATCH_BYTES {
            self.detour = if passed < MIN_RECORDS { (2 * self.detour).min(MAX_DETOUR) } else { 1 };
        }
        read
    }

    pub(in crate::transcoder) fn detour(&self) -> u64 {
        self.detour
    }
}
