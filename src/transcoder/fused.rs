//! A whole route as one table, from one charset of single bytes to another: most bytes never become text.

use super::guard::CheckedDecoder;
use crate::arch::{bytes::Translation, bytes::translate, isa};
use crate::codec::{ByteSink, Codec, MIN_ROOM, Stop};
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
        if to.is_utf8() || !decoder.is_bytewise() {
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
        let table = self.table.get_or_insert_with(|| table(&*self.to, &self.decoder));
        table.as_ref().map(|table| translate(isa(), table, src, dst))
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
