//! The first bytes: XML 1.0 Appendix F, row by row, recognised by nom.
//!
//! The first edition's table has eleven rows: four UCS-4 orders, UTF-16 with a byte order mark twice and without one
//! twice, the ASCII family, EBCDIC, and "other". Later editions have the byte order marks apart: seven rows with one,
//! eight without, and "other". `spec/appendix-f.md` has them all. The katakana row is ours: the EBCDIC pages of that
//! family have their lower-case letters elsewhere.

use crate::words::words;
use nom::branch::alt;
use nom::bytes::tag;
use nom::combinator::value;
use nom::{Err, Parser};

/// How the characters of a declaration are laid out in bytes: what Appendix F can tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Family {
    /// UTF-8, by its byte order mark.
    Utf8,
    /// Two bytes a code unit, the most significant first.
    Utf16Be,
    /// Two bytes a code unit, the least significant first.
    Utf16Le,
    /// Four bytes a code unit in the order 1234.
    Ucs4_1234,
    /// Four bytes a code unit in the order 4321.
    Ucs4_4321,
    /// Four bytes a code unit in the order 2143.
    Ucs4_2143,
    /// Four bytes a code unit in the order 3412.
    Ucs4_3412,
    /// UTF-8, ISO 646, ISO 8859, Shift_JIS …: ASCII at its usual places.
    Ascii,
    /// EBCDIC as most pages have it.
    Ebcdic,
    /// EBCDIC with the lower-case letters where page 290 has them.
    EbcdicKatakana,
    /// No row fits.
    Unknown,
}

words! {
    Family {
        Utf8: "utf-8", Utf16Be: "utf-16be", Utf16Le: "utf-16le", Ucs4_1234: "ucs4-1234", Ucs4_4321: "ucs4-4321",
        Ucs4_2143: "ucs4-2143", Ucs4_3412: "ucs4-3412", Ascii: "ascii", Ebcdic: "ebcdic",
        EbcdicKatakana: "ebcdic-katakana", Unknown: "unknown",
    }
}

impl Family {
    /// The label of the codec that reads a declaration of this family. For the wide families it is also the one that
    /// decodes the document; for the others the declaration has to say.
    pub(super) fn reading_label(self) -> &'static str {
        match self {
            Family::Utf8 | Family::Ascii | Family::Unknown => "ISO-8859-1",
            Family::Utf16Be => "UTF-16BE",
            Family::Utf16Le => "UTF-16LE",
            Family::Ucs4_1234 => "UTF-32BE",
            Family::Ucs4_4321 => "UTF-32LE",
            Family::Ucs4_2143 => "X-ISO-10646-UCS-4-2143",
            Family::Ucs4_3412 => "X-ISO-10646-UCS-4-3412",
            Family::Ebcdic => "IBM037",
            Family::EbcdicKatakana => "IBM290",
        }
    }

    /// Whether the family alone names the encoding: more than one byte a code unit, in a known order.
    pub(super) fn is_wide(self) -> bool {
        use Family::*;
        matches!(self, Utf16Be | Utf16Le | Ucs4_1234 | Ucs4_4321 | Ucs4_2143 | Ucs4_3412)
    }

    /// Whether this is EBCDIC of either kind.
    pub(super) fn is_ebcdic(self) -> bool {
        matches!(self, Family::Ebcdic | Family::EbcdicKatakana)
    }
}

/// A row of the table: the bytes and what they tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Signature {
    /// The bytes that have to be there.
    pub bytes: &'static [u8],
    /// What they tell.
    pub family: Family,
    /// The bytes are a byte order mark, which is no part of the text.
    pub bom: bool,
}

const fn bom(bytes: &'static [u8], family: Family) -> Signature {
    Signature { bytes, family, bom: true }
}

const fn text(bytes: &'static [u8], family: Family) -> Signature {
    Signature { bytes, family, bom: false }
}

/// The rows, longer ones before those that they begin with: `alt` takes the first that fits.
const ROWS: [Signature; 16] = [
    bom(b"\x00\x00\xFE\xFF", Family::Ucs4_1234),
    bom(b"\xFF\xFE\x00\x00", Family::Ucs4_4321),
    bom(b"\x00\x00\xFF\xFE", Family::Ucs4_2143),
    bom(b"\xFE\xFF\x00\x00", Family::Ucs4_3412),
    bom(b"\xFE\xFF", Family::Utf16Be),
    bom(b"\xFF\xFE", Family::Utf16Le),
    bom(b"\xEF\xBB\xBF", Family::Utf8),
    text(b"\x00\x00\x00\x3C", Family::Ucs4_1234),
    text(b"\x3C\x00\x00\x00", Family::Ucs4_4321),
    text(b"\x00\x00\x3C\x00", Family::Ucs4_2143),
    text(b"\x00\x3C\x00\x00", Family::Ucs4_3412),
    text(b"\x00\x3C\x00\x3F", Family::Utf16Be),
    text(b"\x3C\x00\x3F\x00", Family::Utf16Le),
    text(b"\x3C\x3F\x78\x6D", Family::Ascii),
    text(b"\x4C\x6F\xA7\x94", Family::Ebcdic),
    text(b"\x4C\x6F\xB7\x75\x74", Family::EbcdicKatakana),
];

/// How many bytes tell every row that is no byte order mark.
pub(super) const LONGEST_TEXT: usize = 5;

/// Whether these bytes are a byte order mark that the table knows. One that it does not know (GB18030 has one) would
/// make a document that nobody recognises.
pub(crate) fn is_byte_order_mark(bytes: &[u8]) -> bool {
    ROWS.iter().any(|row| row.bom && row.bytes == bytes)
}

/// What the web makes of a row: it knows the byte order marks of UTF-8 and UTF-16, and no others, so that some longer
/// marks are shorter ones; UTF-16 and ASCII without one; and nothing of UCS-4 and EBCDIC.
pub(super) fn of_the_web(row: Signature) -> Option<Signature> {
    let is_known =
        |row: &&Signature| matches!(row.family, Family::Utf8 | Family::Utf16Be | Family::Utf16Le | Family::Ascii);
    ROWS.iter().filter(is_known).find(|shorter| shorter.bom == row.bom && row.bytes.starts_with(shorter.bytes)).copied()
}

/// What the first bytes say so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recognised {
    /// More bytes may decide.
    NeedMore,
    /// This row.
    Row(Signature),
    /// No row, whatever follows.
    Other,
}

/// Holds `prefix` against the table. With `eof`, what is there is all there is.
pub(super) fn recognise(prefix: &[u8], eof: bool) -> Recognised {
    // The mode-generic `tag`: `parse` streams and answers Incomplete, `parse_complete` does not. `alt` stops at the
    // first Incomplete, which is right only because a row stands before every row that it is longer than.
    let mut table = alt(ROWS.map(|row| value(row, tag::<_, _, nom::error::Error<&[u8]>>(row.bytes))));
    let answer = if eof { table.parse_complete(prefix) } else { table.parse(prefix) };
    match answer {
        Ok((_, row)) => Recognised::Row(row),
        Err(Err::Incomplete(_)) => Recognised::NeedMore,
        Err(_) => Recognised::Other,
    }
}
