//! Batches of a charset that switches between ASCII and one set of pairs: most of any text in HZ and ISO-2022.

use super::sets::Set;
use crate::arch::{self, lanes};
use crate::codec::batches::{Codes, Others, Switched};
use crate::codec::pairs::{PlainCodes, Switch};
use crate::codec::{ByteSink, Utf8Sink};
use std::sync::OnceLock;

/// The shortest text for which tables are built, in bytes.
pub(super) const LONG: usize = 16 * 1024;

/// The sets to switch between, and their tables.
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

    /// Reads characters and codes from the front of `src`, and what `others` reads, up to anything else or near its
    /// end; returns how many bytes. Reads nothing if there are no tables, and `src` is too short for them. `reach` is
    /// for the next call.
    pub(super) fn read(
        &self,
        is_double: &mut bool,
        src: &[u8],
        reach: &mut usize,
        others: Others<'_>,
        dst: &mut Utf8Sink<'_>,
    ) -> usize {
        // Where the kernels are not worth it, the compiler leaves out all of this.
        if !lanes::are_worth_it(arch::isa()) {
            return 0;
        }
        let make = || Switched::new(self.set.units(), self.codes, self.others);
        let tables = if src.len() >= LONG { Some(self.tables.get_or_init(make)) } else { self.tables.get() };
        let Some(tables) = tables else { return 0 };
        tables.decode(arch::isa(), reach, is_double, src, dst, others)
    }
}

/// The sets to switch between when writing, and the table for them.
pub(super) struct WriteBatch {
    set: Set,
    /// Characters of the set that are not written.
    but: &'static [char],
    switch: Switch,
    codes: OnceLock<PlainCodes>,
}

impl WriteBatch {
    pub(super) const fn new(set: Set, switch: Switch) -> Self {
        WriteBatch::without(&[], set, switch)
    }

    /// Does not write the characters `but`.
    pub(super) const fn without(but: &'static [char], set: Set, switch: Switch) -> Self {
        WriteBatch { set, but, switch, codes: OnceLock::new() }
    }

    /// Writes characters and codes from the front of `src`, up to anything else or near the end of the room; returns
    /// how many bytes were read. Writes nothing if there is no table, and `src` is too short for one. `reach` is for the
    /// next call.
    pub(super) fn write(&self, is_double: &mut bool, src: &str, reach: &mut usize, out: &mut ByteSink<'_>) -> usize {
        // Where the kernels are not worth it, the compiler leaves out all of this.
        if !lanes::are_worth_it(arch::isa()) {
            return 0;
        }
        let make = || {
            let ascii = (0..0x80).filter(|byte| !self.switch.others().contains(byte));
            let ascii = ascii.map(|byte| (char::from(byte), vec![byte]));
            let pairs = self.set.codes().filter(|(ch, _)| !self.but.contains(ch));
            PlainCodes::new(pairs.map(|(ch, code)| (ch, code.to_vec())).chain(ascii))
        };
        let codes = if src.len() >= LONG { Some(self.codes.get_or_init(make)) } else { self.codes.get() };
        let mut read = 0;
        if let Some(codes) = codes {
            out.fill(|spare| {
                let written;
                (read, written) = codes.encode_switched(&self.switch, is_double, src, spare, reach);
                written
            });
        }
        read
    }
}
