//! The bytes that were read but are not yet part of a line.

/// How many bytes are read at a time, at first.
const READ_BYTES: usize = 64 * 1024;

/// A part of the input. All positions are offsets in the input.
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// The offset of the first byte.
    base: u64,
    /// How many bytes are filled.
    len: usize,
}

impl Buffer {
    pub(super) fn new(base: u64) -> Self {
        Buffer { bytes: Vec::new(), base, len: 0 }
    }

    /// The offset after the last byte that was read.
    pub(super) fn end(&self) -> u64 {
        self.base + self.len as u64
    }

    /// The bytes from one offset to another. Both are in the buffer.
    pub(super) fn slice(&self, from: u64, to: u64) -> &[u8] {
        &self.bytes[(from - self.base) as usize..(to - self.base) as usize]
    }

    /// Free space, at least a quarter of the buffer. The bytes before the offset `keep` are no longer needed.
    pub(super) fn spare(&mut self, keep: u64) -> &mut [u8] {
        let done = (keep - self.base) as usize;
        let is_short = self.bytes.len() - self.len < self.bytes.len().div_ceil(4);
        // What is moved is no more than what went by since the last time.
        if done == self.len || (is_short && done >= self.bytes.len() / 2) {
            self.bytes.copy_within(done..self.len, 0);
            (self.base, self.len) = (keep, self.len - done);
        }
        if self.bytes.len() - self.len < self.bytes.len().div_ceil(4).max(1) {
            let size = (2 * self.bytes.len()).max(READ_BYTES);
            self.bytes.resize(size, 0);
        }
        &mut self.bytes[self.len..]
    }

    /// Adds the first `len` bytes of the [`spare`](Self::spare) space.
    pub(super) fn fill(&mut self, len: usize) {
        self.len += len;
    }
}
