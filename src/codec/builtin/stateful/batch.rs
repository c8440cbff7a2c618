//! Batches of a charset that switches between ASCII and one set of pairs: most of any text in HZ and ISO-2022.

use super::sets::Set;
use crate::arch::{self, lanes};
use crate::codec::Utf8Sink;
use crate::codec::batches::{Codes, Switched};
use std::sync::OnceLock;

/// The shortest text for which tables are built, in bytes.
pub(super) const LONG: usize = 16 * 1024;

/// When to try a batch.
pub(super) struct Pace {
    reach: usize,
    pause: usize,
}

impl Pace {
    /// A batch that got so far, in bytes, is worth another try at once.
    const FAR: usize = 24;
    /// How many codes until the next try, after another batch.
    const PAUSE: usize = 8;

    pub(super) fn new() -> Self {
        Pace { reach: usize::MAX, pause: 0 }
    }

    /// Lets `read` read a batch, if it is time and there can be one; returns how many bytes that was.
    pub(super) fn turn(&mut self, read: impl FnOnce(&mut usize) -> Option<usize>) -> usize {
        if self.pause > 0 {
            self.pause -= 1;
            return 0;
        }
        let Some(len) = read(&mut self.reach) else { return 0 };
        self.pause = if len < Self::FAR { Self::PAUSE } else { 0 };
        len
    }
}

/// What is switched between, and the tables for it.
pub(super) struct Batch {
    set: Set,
    codes: Codes,
    /// The bytes of ASCII at which a batch stops: codes, and what changes the state.
    others: &'static [u8],
    tables: OnceLock<Switched>,
}

impl Batch {
    pub(super) const fn new(set: Set, codes: Codes, others: &'static [u8]) -> Self {
        Batch { set, codes, others, tables: OnceLock::new() }
    }

    /// Reads characters and codes from the front of `src`, up to anything else or near its end; returns how many bytes.
    /// Reads nothing if there are no tables, and `src` is too short for them. `reach` is for the next call.
    pub(super) fn read(&self, is_double: &mut bool, src: &[u8], reach: &mut usize, dst: &mut Utf8Sink<'_>) -> usize {
        // Where the kernels are not worth it, the compiler leaves out all of this.
        if !lanes::are_worth_it(arch::isa()) {
            return 0;
        }
        let make = || Switched::new(self.set.units(), self.codes, self.others);
        let tables = if src.len() >= LONG { Some(self.tables.get_or_init(make)) } else { self.tables.get() };
        tables.map_or(0, |tables| tables.decode(arch::isa(), reach, is_double, src, dst))
    }
}
