//! Recognises the first bytes by the table of XML 1.0 Appendix F, row by row, with nom.
//!
//! The table in the first edition has eleven rows: four UCS-4 orders, UTF-16 with a byte order mark (two rows) and
//! without (two rows), the ASCII family, EBCDIC, and "other". Later editions list the byte order marks separately:
//! seven rows with one, eight without, and "other". `spec/appendix-f.md` has all of them. The katakana row is our
//! addition: the EBCDIC pages of that family have their lower-case letters at other bytes.

use crate::words::words;
use nom::branch::alt;
use nom::bytes::tag;
use nom::combinator::value;
use nom::{Err, Parser};

/// How the characters of a declaration are laid out in bytes, as far as Appendix F can tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Family {
    /// UTF-8, shown by its byte order mark.
    Utf8,
    /// Two bytes per code unit, most significant byte first.
    Utf16Be,
    /// Two bytes per code unit, least significant byte first.
    Utf16Le,
    /// Four bytes per code unit in the order 1234.
    Ucs4_1234,
    /// Four bytes per code unit in the order 4321.
    Ucs4_4321,
    /// Four bytes per code unit in the order 2143.
    Ucs4_2143,
    /// Four bytes per code unit in the order 3412.
    Ucs4_3412,
    /// UTF-8, ISO 646, ISO 8859, Shift_JIS and others in which ASCII has its usual bytes.
    Ascii,
    /// EBCDIC with the letters where most pages have them.
    Ebcdic,
    /// EBCDIC with the lower-case letters where page 290 has them.
    EbcdicKatakana,
    /// No row of the table matches.
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
    /// Returns the label of the codec that reads a declaration of this family. For the wide families, that codec also
    /// decodes the document. For the others, the declaration has to name the encoding.
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

    /// Returns whether the family alone determines the encoding: code units of more than one byte, in a known byte
    /// order.
    pub(super) fn is_wide(self) -> bool {
        use Family::*;
        matches!(self, Utf16Be | Utf16Le | Ucs4_1234 | Ucs4_4321 | Ucs4_2143 | Ucs4_3412)
    }

    /// Returns whether this is EBCDIC of either kind.
    pub(super) fn is_ebcdic(self) -> bool {
        matches!(self, Family::Ebcdic | Family::EbcdicKatakana)
    }
}

/// A row of the table: the bytes and the family that they show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Signature {
    /// The bytes that the input must begin with.
    pub bytes: &'static [u8],
    /// The family that they show.
    pub family: Family,
    /// Whether the bytes are a byte order mark, which is not part of the text.
    pub bom: bool,
}

const fn bom(bytes: &'static [u8], family: Family) -> Signature {
    Signature { bytes, family, bom: true }
}

const fn text(bytes: &'static [u8], family: Family) -> Signature {
    Signature { bytes, family, bom: false }
}

/// The rows. A longer row comes before any row that is a prefix of it, since `alt` takes the first match.
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

/// The length in bytes of the longest row that is not a byte order mark.
pub(super) const LONGEST_TEXT: usize = 5;

/// Returns whether these bytes are a byte order mark in the table. If a codec wrote a mark that is not (GB18030 has
/// one), nothing would recognise the resulting document.
pub(crate) fn is_byte_order_mark(bytes: &[u8]) -> bool {
    ROWS.iter().any(|row| row.bom && row.bytes == bytes)
}

/// Returns the row that the web would match instead. The web knows only the byte order marks of UTF-8 and UTF-16, so it
/// takes some longer marks for shorter ones. Without a mark it recognises UTF-16 and ASCII. It knows neither UCS-4 nor
/// EBCDIC.
pub(super) fn of_the_web(row: Signature) -> Option<Signature> {
    let is_known =
        |row: &&Signature| matches!(row.family, Family::Utf8 | Family::Utf16Be | Family::Utf16Le | Family::Ascii);
    ROWS.iter().filter(is_known).find(|shorter| shorter.bom == row.bom && row.bytes.starts_with(shorter.bytes)).copied()
}

/// The findings from the first bytes so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recognised {
    /// More bytes are needed to decide.
    NeedMore,
    /// This row matches.
    Row(Signature),
    /// No row matches, regardless of what follows.
    Other,
}

/// Matches `prefix` against the table. With `eof`, no more bytes will follow.
pub(super) fn recognise(prefix: &[u8], eof: bool) -> Recognised {
    // This is the mode-generic `tag`: `parse` streams and returns Incomplete, `parse_complete` does not. `alt` stops at
    // the first Incomplete. That is right only because a longer row comes before any row that is a prefix of it.
    let mut table = alt(ROWS.map(|row| value(row, tag::<_, _, nom::error::Error<&[u8]>>(row.bytes))));
    let result = if eof { table.parse_complete(prefix) } else { table.parse(prefix) };
    match result {
        Ok((_, row)) => Recognised::Row(row),
        Err(Err::Incomplete(_)) => Recognised::NeedMore,
        Err(_) => Recognised::Other,
    }
}

/// Returns whether a row of the table begins with this byte.
pub(super) fn may_begin(byte: u8) -> bool {
    ROWS.iter().any(|row| row.bytes[0] == byte)
}

/// Returns whether `byte` is white space in EBCDIC.
pub(super) fn is_ebcdic_white_space(byte: u8) -> bool {
    matches!(byte, 0x05 | 0x0D | 0x15 | 0x25 | 0x40)
}

/// Returns the row whose family has white space at the beginning of `prefix`. Whether a declaration follows is not
/// known yet, and no row means that none can.
pub(super) fn white_space(prefix: &[u8], eof: bool) -> Recognised {
    let is_space = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' ');
    let family = match *prefix {
        [first, second, ..] if is_space(first) && second != 0 => Family::Ascii,
        [first] if is_space(first) && eof => Family::Ascii,
        [first, 0, 0, 0, ..] if is_space(first) => Family::Ucs4_4321,
        [0, 0, 0, last, ..] if is_space(last) => Family::Ucs4_1234,
        [0, 0, third, 0, ..] if is_space(third) => Family::Ucs4_2143,
        [0, second, 0, 0, ..] if is_space(second) => Family::Ucs4_3412,
        [first, 0, _, _, ..] if is_space(first) => Family::Utf16Le,
        [0, second, _, _, ..] if is_space(second) => Family::Utf16Be,
        [0, ..] | [_, 0, ..] if prefix.len() < 4 && !eof => return Recognised::NeedMore,
        _ => return Recognised::Other,
    };
    let row = ROWS.iter().find(|row| !row.bom && row.family == family);
    row.map_or(Recognised::Other, |row| Recognised::Row(*row))
}
