//! Temporary memory for text, kept for the next call: allocating memory takes longer than writing to it.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

/// The most memory that a thread keeps, in bytes.
const KEPT: usize = 4 << 20;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Bytes with any contents.
pub(crate) struct Scratch(Vec<u8>);

impl Scratch {
    /// Returns this many bytes.
    pub(crate) fn new(len: usize) -> Self {
        let mut bytes = SPARE.take();
        if bytes.capacity() < len {
            // Memory from the system is zero: it is not written before it is used.
            bytes = vec![0; len];
        }
        bytes.resize(len, 0);
        Scratch(bytes)
    }

    /// Makes sure that there are this many bytes.
    pub(crate) fn reach(&mut self, len: usize) {
        if self.0.len() < len {
            self.0.resize(len, 0);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.0.capacity() <= KEPT {
            SPARE.set(std::mem::take(&mut self.0));
        }
    }
}

impl Deref for Scratch {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
