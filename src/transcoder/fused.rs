//! A whole route as one table, from one charset of single bytes to another: most bytes never become text.

use super::guard::CheckedDecoder;
use crate::arch::{bytes::Translation, bytes::translate, isa};
use crate::codec::{ByteSink, Codec, MIN_ROOM, Stop};

/// A byte of the target for each of the source.
pub(super) struct Fused {
    table: Translation,
}

impl Fused {
    /// `None` where the charsets are not such. `decoder` is a new one.
    pub(super) fn new(decoder: &CheckedDecoder, to: &dyn Codec) -> Option<Self> {
        let mut encoder = to.encoder().filter(|encoder| encoder.is_charwise() && decoder.is_bytewise())?;
        let mut byte_of = [None; 256];
        for (byte, place) in (0..=255).zip(&mut byte_of) {
            let Some(ch) = decoder.alone(byte) else { continue };
            let mut room = [0; MIN_ROOM];
            let mut sink = ByteSink::new(&mut room);
            let step = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink);
            if let (Stop::InputEmpty, &[made]) = (step.stop, sink.as_bytes()) {
                *place = Some(made);
            }
        }
        Some(Fused { table: Translation::new(|byte| byte_of[usize::from(byte)]) })
    }

    /// Translates from the front of `src` to that of `dst`, up to a byte that is malformed or whose character the target
    /// lacks; answers how many.
    pub(super) fn translate(&self, src: &[u8], dst: &mut [u8]) -> usize {
        translate(isa(), &self.table, src, dst)
    }
}
