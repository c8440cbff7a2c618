//! What the tables of both directions have in common: they can be made for a part of a page.

use crate::codec::Packed;
use std::fmt::Debug;

/// Tables that can be made for a part of a page.
pub(in crate::codec::engine) trait Tables: Sized {
    /// Tables to which more can be added.
    type Draft: Clone + Debug;

    /// Begins with what every text may need.
    fn draft(page: Packed) -> Self::Draft;

    /// Adds what these keys need.
    #[cfg_attr(target_family = "wasm", allow(dead_code))] // Web pages add all.
    fn add(draft: &mut Self::Draft, keys: &Keys);

    /// Adds all that is not there yet.
    fn add_all(draft: &mut Self::Draft);

    fn finish(draft: Self::Draft) -> Self;

    /// Makes all tables of a page.
    #[cfg(test)]
    fn of_page(page: Packed) -> Self {
        let mut draft = Self::draft(page);
        Self::add_all(&mut draft);
        Self::finish(draft)
    }
}

/// What a text looks up: lead bytes when it is decoded, blocks of 64 code points when it is encoded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::codec::engine) struct Keys(pub(super) [u64; Self::COUNT / 64]);

impl Keys {
    /// Enough for the blocks of the Basic Multilingual Plane.
    pub(super) const COUNT: usize = 1024;

    pub(super) fn insert(&mut self, key: usize) {
        self.0[key / 64] |= 1 << (key % 64);
    }

    pub(super) fn contains(&self, key: usize) -> bool {
        self.0[key / 64] >> (key % 64) & 1 == 1
    }

    /// Returns them in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u16> {
        (0..Self::COUNT).filter(|key| self.contains(*key)).map(|key| key as u16)
    }
}
