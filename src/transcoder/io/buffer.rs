//! The output that an adapter buffers.

use crate::codec::PageBuffer;

/// The size of the buffer, in bytes. The docs of `EncodeWriter` name it.
const ADAPTER_BUFFER_BYTES: usize = 64 * 1024;

/// Output of the transcoder that the other side did not take yet.
pub(super) struct OutputBuffer {
    buffer: PageBuffer,
    /// The part of it that is filled and not taken yet. Both are 0 if there is none.
    start: usize,
    end: usize,
}

impl OutputBuffer {
    pub(super) fn new() -> Self {
        OutputBuffer { buffer: PageBuffer::for_output(ADAPTER_BUFFER_BYTES), start: 0, end: 0 }
    }

    /// The bytes that are not taken yet.
    pub(super) fn ready(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Whether nothing can be added before everything is taken.
    pub(super) fn is_full(&self) -> bool {
        self.end == self.buffer.len()
    }

    /// The free space at the end.
    pub(super) fn spare(&mut self) -> &mut [u8] {
        &mut self.buffer[self.end..]
    }

    /// Adds the first `len` bytes of the [`spare`](Self::spare) space.
    pub(super) fn fill(&mut self, len: usize) {
        self.end += len;
    }

    /// Takes `len` bytes, or all if there are fewer.
    pub(super) fn consume(&mut self, len: usize) {
        self.start = self.start.saturating_add(len).min(self.end);
        if self.is_empty() {
            self.clear();
        }
    }

    pub(super) fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }
}
