//! How large a copybook and its records may be. `docs/limits.md` lists these limits with their tests.

/// The longest copybook, in bytes, with the files that it copies.
pub(super) const MAX_FILE: usize = 16 << 20;
/// The most files that copy one another, one inside the other.
pub(super) const MAX_COPY_DEPTH: usize = 32;
/// The most files that are copied, with each time that one is copied counted.
pub(super) const MAX_COPIES: usize = 10_000;
/// The most places of the text that are replaced at a time.
pub(super) const MAX_EDITS: usize = 500_000;
/// The most entries that describe storage.
pub(super) const MAX_ENTRIES: usize = 20_000;
/// The most tables whose number of elements varies.
pub(super) const MAX_VARYING: usize = 1000;
/// The longest record, in bytes: the limit of IBM's compilers.
pub(super) const MAX_RECORD: usize = 134_217_727;
/// The most fields in a record, with each occurrence of a table counted.
pub(super) const MAX_FIELDS: usize = 1 << 20;
