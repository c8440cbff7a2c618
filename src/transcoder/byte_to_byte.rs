//! A whole route as one table, from one charset of single bytes to another: most bytes never become text.

use crate::arch::{bytes::Translation, bytes::translate, isa};
use crate::codec::{ByteSink, Codec, MIN_ROOM, Stop, is_utf8};
use crate::transcoder::guard::CheckedDecoder;
use crate::transcoder::records::read::Front;
use crate::transcoder::records::write::RecordsOut;
use std::sync::Arc;

/// A byte of the target for each of the source.
pub(super) struct Fused {
    /// Both ends, for the table to be made of when an input is worth it.
    decoder: CheckedDecoder,
    to: Arc<dyn Codec>,
    /// Made; `None` in it where the target is no such charset.
    table: Option<Option<Translation>>,
}

/// From how many bytes on an input is.
const WORTH_A_TABLE: usize = 1024;

impl Fused {
    /// `None` where the source is no charset of single bytes. `decoder` is a new one of it.
    pub(super) fn new(decoder: &CheckedDecoder, to: &Arc<dyn Codec>) -> Option<Self> {
        if is_utf8(&**to) || !decoder.is_bytewise() {
            return None;
        }
        Some(Fused { decoder: decoder.fork(), to: to.clone(), table: None })
    }

    /// Another like it.
    pub(super) fn fork(&self) -> Self {
        Fused { decoder: self.decoder.fork(), to: self.to.clone(), table: self.table.clone() }
    }

    /// Translates from the front of `src` to that of `dst`, up to a byte that is malformed or whose character the target
    /// lacks; answers how many. `None`: not this way.
    pub(super) fn translate(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        if self.table.is_none() && src.len() < WORTH_A_TABLE {
            return None;
        }
        self.table().map(|table| translate(isa(), table, src, dst))
    }

    fn table(&mut self) -> Option<&Translation> {
        self.table.get_or_insert_with(|| table(&*self.to, &self.decoder)).as_ref()
    }
}

/// The same from records to records: whole ones go from one framing to the other and never become text. A record in which
/// anything is to be decided goes the long way, which decides it.
pub(super) struct Passage {
    fused: Fused,
    /// How many records go the long way next, before this is tried again.
    long: u64,
}

/// How much is framed at a time, in bytes, and a record more.
const FRAMED: usize = 64 * 1024;

/// If fewer records than these pass at a time, more of them go the long way at a time. It is dear to begin.
const FEW: u64 = 16;

/// How many do so at most.
const MOST: u64 = 4096;

impl Passage {
    pub(super) fn new(fused: Fused) -> Self {
        Passage { fused, long: 1 }
    }

    /// Another like it.
    pub(super) fn fork(&self) -> Self {
        Passage::new(self.fused.fork())
    }

    /// Passes whole records from the front of `src` through `front` and `back` to the end of `out`. Returns how many bytes
    /// they take. If that is 0, so many records are to go the long way as [`long`](Self::long) says.
    pub(super) fn pass(&mut self, front: &mut Front, back: &mut RecordsOut, src: &[u8], out: &mut Vec<u8>) -> usize {
        if back.is_open() || (self.fused.table.is_none() && src.len() < WORTH_A_TABLE) {
            return 0;
        }
        let Some(table) = self.fused.table() else { return 0 };
        let begin = out.len();
        let mut passed = 0;
        let read = front.whole_records(src, |record| {
            let passes = out.len() - begin < FRAMED && back.pass(record, table, out);
            passed += u64::from(passes);
            passes
        });
        if out.len() - begin < FRAMED {
            self.long = if passed < FEW { (2 * self.long).min(MOST) } else { 1 };
        }
        read
    }

    pub(super) fn long(&self) -> u64 {
        self.long
    }
}

fn table(to: &dyn Codec, decoder: &CheckedDecoder) -> Option<Translation> {
    let mut encoder = to.encoder().filter(|encoder| encoder.is_stateless())?;
    let byte_of: [Option<u8>; 256] = std::array::from_fn(|byte| {
        let ch = decoder.alone(byte as u8)?;
        let mut room = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut room);
        let stop = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink).stop;
        match sink.as_bytes() {
            &[made] if stop == Stop::InputEmpty => Some(made),
            _ => None,
        }
    });
    // Where it is no charset of single bytes nothing is left, or as good as nothing.
    let is_worth = byte_of.iter().flatten().count() >= 64;
    is_worth.then(|| Translation::new(|byte| byte_of[usize::from(byte)]))
}
