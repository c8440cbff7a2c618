//! Batches of a charset that switches between ASCII and one set of pairs: most of any text in HZ and ISO-2022.

use super::sets::Set;
use crate::arch::types::{Escapes, Shifts};
use crate::arch::{self, lanes};
use crate::codec::batches::Batches;
use crate::codec::{Utf8Char, Utf8Sink, Utf8Table, Utf8Units, Utf8Word};
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

/// The codes that switch.
pub(super) enum Codes {
    Shifts(Shifts),
    Escapes(Escapes),
}

/// What is switched between, and the tables for it.
pub(super) struct Batch {
    set: Set,
    codes: Codes,
    /// The bytes of ASCII at which a batch stops: codes, and what changes the state.
    others: &'static [u8],
    tables: OnceLock<Box<Tables>>,
}

struct Tables {
    /// The pairs of the set, and ASCII.
    units: Utf8Units,
    /// ASCII.
    singles: Utf8Table,
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
        let tables = if src.len() >= LONG { Some(self.tables.get_or_init(|| self.make())) } else { self.tables.get() };
        let Some(tables) = tables else { return 0 };
        let (by_unit, singles) = (&tables.units, Some(&tables.singles));
        let mut batches = Batches { by_unit, singles, reach, is_double };
        match self.codes {
            Codes::Shifts(shifts) => batches.decode_shifted(arch::isa(), shifts, src, dst),
            Codes::Escapes(escapes) => batches.decode_escapes(arch::isa(), escapes, src, dst),
        }
    }

    fn make(&self) -> Box<Tables> {
        let mut units = self.set.units();
        let mut singles = [Utf8Char::NONE; 256];
        for byte in (0..0x80).filter(|byte| !self.others.contains(byte)) {
            units.put(byte.into(), &[Utf8Word::of_ascii(byte)]);
            singles[usize::from(byte)] = Utf8Char::new(char::from(byte));
        }
        Box::new(Tables { units, singles: Utf8Table::new(singles) })
    }
}
