//! The beginning of a sequence that the end of an input cut.

use crate::codec::{Malformed, Stop};

/// At most `N` bytes that a decoder keeps until the next input.
#[derive(Clone, Debug)]
pub(super) struct Held<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

impl<const N: usize> Default for Held<N> {
    fn default() -> Self {
        Held { bytes: [0; N], len: 0 }
    }
}

impl<const N: usize> Held<N> {
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len.into()
    }

    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len()]
    }

    /// Adds `bytes`, which must fit.
    #[inline(always)]
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        let len = self.len();
        self.bytes[len..][..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len() as u8;
    }

    /// Removes the first `len` bytes.
    #[inline(always)]
    pub(super) fn remove(&mut self, len: usize) {
        let end = self.len();
        self.bytes.copy_within(len..end, 0);
        self.len -= len as u8;
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes all bytes at the end of the input: if there are any, they are malformed.
    pub(super) fn finish(&mut self) -> Stop<Malformed> {
        match std::mem::take(&mut self.len) {
            0 => Stop::InputEmpty,
            len => Stop::Fault(Malformed { len, after: 0 }),
        }
    }
}
