//! The words of copybooks: those that begin a clause, and those for usages.

/// How an item is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Usage {
    /// `DISPLAY`.
    Display,
    /// `DISPLAY-1`: double-byte characters.
    Graphic,
    /// `NATIONAL`: UTF-16.
    National,
    /// `BINARY`, `COMP`, `COMP-4`: as many bytes as the picture needs.
    Binary,
    /// `COMP-5`: the same, and every value that fits into the bytes.
    Native,
    /// `COMP-9`: little-endian.
    Little,
    /// `COMP-X`: as few bytes as the digits of the picture need.
    Fewest,
    /// `COMP-1`.
    Float,
    /// `COMP-2`.
    Double,
    /// `COMP-3`, `PACKED-DECIMAL`.
    Packed,
    /// `COMP-6`, `COMP-3U`: packed, without a place for the sign.
    Unsigned,
    /// `BINARY-CHAR`, `BINARY-SHORT`, `BINARY-LONG`, `BINARY-DOUBLE`: the length in bytes, and whether it is signed.
    Integer(u8, bool),
    /// `INDEX`.
    Index,
    /// `POINTER`, `PROCEDURE-POINTER` …: an address of this many bytes.
    Address(u8),
}

/// The statements of source libraries that include a member: of Librarian, of Panvalet, and of others.
pub(super) const INCLUDES: &[&str] = &["-INC", "++INCLUDE", "%INCLUDE"];

/// The words that begin a clause, besides those of [`USAGES`]. None of them can be the name of an item.
const STARTS: &[&str] = &[
    "REDEFINES",
    "PIC",
    "PICTURE",
    "USAGE",
    "SIGN",
    "LEADING",
    "TRAILING",
    "OCCURS",
    "SYNC",
    "SYNCHRONIZED",
    "VALUE",
    "VALUES",
    "JUST",
    "JUSTIFIED",
    "BLANK",
    "IS",
    "GLOBAL",
    "EXTERNAL",
    "GROUP-USAGE",
    "VOLATILE",
    "BASED",
    "TIMES",
    "DEPENDING",
    "ASCENDING",
    "DESCENDING",
    "INDEXED",
    "RENAMES",
    "THRU",
    "THROUGH",
    "TO",
    "BY",
    "WHEN",
    "FILLER",
];

/// The words for usages.
pub(super) const USAGES: &[(&[&str], Usage)] = &[
    (&["DISPLAY"], Usage::Display),
    (&["DISPLAY-1"], Usage::Graphic),
    (&["NATIONAL"], Usage::National),
    (&["BINARY", "COMP", "COMPUTATIONAL", "COMP-0", "COMPUTATIONAL-0", "COMP-4", "COMPUTATIONAL-4"], Usage::Binary),
    (&["COMP-5", "COMPUTATIONAL-5"], Usage::Native),
    (&["COMP-9", "COMPUTATIONAL-9"], Usage::Little),
    (&["COMP-X", "COMPUTATIONAL-X"], Usage::Fewest),
    (&["COMP-1", "COMPUTATIONAL-1", "FLOAT-SHORT"], Usage::Float),
    (&["COMP-2", "COMPUTATIONAL-2", "FLOAT-LONG"], Usage::Double),
    (&["COMP-3", "COMPUTATIONAL-3", "PACKED-DECIMAL"], Usage::Packed),
    (&["COMP-6", "COMPUTATIONAL-6", "COMP-3U", "COMPUTATIONAL-3U"], Usage::Unsigned),
    (&["BINARY-CHAR"], Usage::Integer(1, true)),
    (&["BINARY-SHORT"], Usage::Integer(2, true)),
    (&["BINARY-LONG"], Usage::Integer(4, true)),
    (&["BINARY-DOUBLE"], Usage::Integer(8, true)),
    (&["INDEX"], Usage::Index),
    (&["POINTER", "POINTER-32", "FUNCTION-POINTER"], Usage::Address(4)),
    (&["PROCEDURE-POINTER", "PROGRAM-POINTER"], Usage::Address(8)),
];

/// Returns whether a word begins a clause, so that it cannot be a name.
pub(super) fn begins_clause(word: &str) -> bool {
    is_one_of(word, STARTS) || USAGES.iter().any(|(words, _)| is_one_of(word, words))
}

/// Returns whether `found` is one of `words`, in any case.
pub(super) fn is_one_of(found: &str, words: &[&str]) -> bool {
    words.iter().any(|word| found.eq_ignore_ascii_case(word))
}

/// Returns whether a line begins with a statement of a source library, in column 1: `-INC MEMBER`.
pub(super) fn begins_include(line: &str) -> bool {
    line.split(is_blank).next().is_some_and(|word| is_one_of(word, INCLUDES))
}

/// Returns whether a character is white space. Old files contain form feeds and DOS's end-of-file character.
pub(super) fn is_blank(ch: char) -> bool {
    matches!(ch, ' ' | '\t' | '\n' | '\x0B' | '\x0C' | '\x1A' | '\u{A0}' | '\u{FEFF}')
}
