//! The bytes of a part, at an address where copying and converting them is fast.

use crate::codec::PageBuffer;
use std::ops::Deref;

/// How many bytes are copied at a time. For more than 4096, the C library takes the instruction that copies bytes one by one
/// ("rep movsb"), which on AMD's Zen 3 takes three times as long if the target is a few bytes further in its page than the
/// source.
const COPY_BYTES: usize = 2048;

/// Bytes of the input in a [`PageBuffer`] that grows. A `Vec` of this size begins 16 bytes after the start of a page, where
/// copying takes four times as long on some processors.
#[derive(Default)]
pub(super) struct Block {
    buffer: PageBuffer,
    len: usize,
}

impl Block {
    /// Makes sure that `len` bytes fit without growing.
    pub(super) fn reserve(&mut self, len: usize) {
        if self.buffer.len() < len {
            let mut larger = PageBuffer::for_input(len);
            larger[..self.len].copy_from_slice(self);
            self.buffer = larger;
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let len = self.len + bytes.len();
        if self.buffer.len() < len {
            self.reserve(len.max(2 * self.buffer.len()));
        }
        for (to, from) in self.buffer[self.len..len].chunks_mut(COPY_BYTES).zip(bytes.chunks(COPY_BYTES)) {
            to.copy_from_slice(from);
        }
        self.len = len;
    }

    /// Drops the bytes from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}

/// Makes `output` at least `len` bytes long. The first `written` bytes stay.
pub(super) fn enlarge(output: &mut PageBuffer, written: usize, len: usize) {
    if output.len() < len {
        let mut larger = PageBuffer::for_output(len);
        larger[..written].copy_from_slice(&output[..written]);
        *output = larger;
    }
}
