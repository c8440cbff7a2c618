//! How large a table may be. `docs/limits.md` lists these limits with their tests.

/// The longest file, in bytes.
pub const MAX_FILE: usize = 32 << 20;
/// The longest line, in bytes.
pub const MAX_LINE: usize = 4096;
/// The most mappings in a table: more than there are code points.
pub const MAX_MAPPINGS: usize = 1_200_000;
/// The most states that describe the byte sequences of a charset.
pub const MAX_STATES: usize = 256;
/// The most bytes in a mapping.
pub const MAX_BYTES: usize = 31;
/// The most aliases of a table.
pub const MAX_ALIASES: usize = 1024;
/// The most pages that a page may name with `like`.
pub const MAX_BASES: usize = 16;
/// The most text in a mapping, in UTF-16 code units; 57 bytes of UTF-8.
pub const MAX_TEXT: usize = 19;

/// Returns what is expected after the last alias that a table may have.
pub(super) fn no_more_aliases() -> String {
    format!("the end of the aliases: a table may have at most {MAX_ALIASES}")
}
