//! Converts whole records at once.
//!
//! For single-byte charsets the records are put together, without the spaces at their ends and with the bytes of a
//! newline in place of their ends, and decoded in one call. A record that contains anything that needs a decision goes
//! through the reader on its own instead.

use super::position::Position;
use crate::arch::{bytes::padding_len, isa};
use crate::codec::{Stop, Utf8Sink};
use crate::error::Error;
use crate::records::{Deframer, Part};
use crate::transcoder::guard::CheckedDecoder;

/// Puts records together and decodes them.
pub(super) struct Quick {
    /// The only byte that decodes to U+0020.
    blank: u8,
    /// The bytes that decode to a newline.
    eol: Vec<u8>,
    buffer: Vec<u8>,
    /// The first record for which it is tried again.
    from: u64,
}

/// How many bytes are put together.
const BATCH_BYTES: usize = 32 * 1024;

impl Quick {
    /// Returns `None` if the charset, which a new `decoder` decodes, is not a single-byte charset, has several spaces,
    /// or lacks the newline `eol`.
    pub(super) fn new(decoder: &CheckedDecoder, eol: &str) -> Option<Self> {
        if !decoder.is_bytewise() {
            return None;
        }
        let byte_of = |ch: char| {
            let mut bytes = (0..=255).filter(|byte| decoder.alone(*byte) == Some(ch));
            bytes.next().map(|byte| (byte, bytes.next().is_none()))
        };
        let (blank, is_only) = byte_of(' ')?;
        let eol: Vec<u8> = eol.chars().map(|ch| byte_of(ch).map(|(byte, _)| byte)).collect::<Option<_>>()?;
        is_only.then(|| Quick { blank, eol, buffer: Vec::with_capacity(BATCH_BYTES), from: 0 })
    }

    /// Whether it should be tried for this record.
    pub(super) fn is_due(&self, record: u64) -> bool {
        self.from <= record
    }

    /// Decodes whole records from the front of `src` into `sink`. Returns how many bytes they take; `None`, with
    /// nothing changed, if there is no whole record, or something in them has to be decided.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`](crate::error::ErrorKind::Codec) from a decoder that breaks its contract.
    pub(super) fn decode(
        &mut self,
        decoder: &mut CheckedDecoder,
        deframer: &mut Deframer,
        position: &mut Position,
        trims: bool,
        src: &[u8],
        sink: &mut Utf8Sink<'_>,
    ) -> Result<Option<usize>, Error> {
        // No character of a single-byte charset has more than four bytes.
        let limit = BATCH_BYTES.min(sink.room() / 4);
        let (before, begin) = (deframer.clone(), sink.written());
        let (mut read, mut data, mut records) = (0, 0, 0);
        self.buffer.clear();
        while let left = limit.saturating_sub(self.buffer.len() + self.eol.len())
            && left > 0
            && let Some((header, len)) = deframer.whole(&src[read..(read + left).min(src.len())])
        {
            let record = &src[read + header..][..len];
            let blanks = if trims { padding_len(isa(), record, self.blank) } else { 0 };
            self.buffer.extend_from_slice(&record[..len - blanks]);
            self.buffer.extend_from_slice(&self.eol);
            read += header + len;
            data += len;
            records += 1;
        }
        if records == 0 {
            return Ok(None);
        }
        let replaced = *decoder.replaced();
        let step = decoder.feed(&self.buffer, sink)?;
        if step.read == self.buffer.len() && step.stop == Stop::InputEmpty {
            position.take_records(records, data, read - data);
            return Ok(Some(read));
        }
        // There is a fault in them: they go one by one.
        self.from = position.record + records;
        sink.truncate(begin);
        *decoder.replaced() = replaced;
        *deframer = before;
        Ok(None)
    }
}

impl Clone for Quick {
    fn clone(&self) -> Self {
        // The contents of the buffer are of no use to a copy.
        Quick { blank: self.blank, eol: self.eol.clone(), buffer: Vec::new(), from: self.from }
    }
}

/// Hands whole records from the front of `src` to `each`, for as long as it takes one. Returns how many bytes they
/// take, framing included.
#[inline]
pub(super) fn take_while(
    deframer: &mut Deframer,
    position: &mut Position,
    src: &[u8],
    mut each: impl FnMut(&[u8]) -> bool,
) -> usize {
    let mut read = 0;
    loop {
        let before = deframer.clone();
        let rest = &src[read..];
        if let Some((header, len)) = deframer.whole(rest) {
            if each(&rest[header..][..len]) {
                position.take_records(1, len, header);
                read += header + len;
                continue;
            }
        } else if let Ok(Part::Framing(len)) = deframer.next(rest, false) {
            // The header of a block.
            position.take_framing(len as u64);
            read += len;
            continue;
        }
        *deframer = before;
        return read;
    }
}
