//! What the first bytes show: a byte order mark, or the family of the text that follows.

use super::declaration::DECLARATION_LIMIT;
use super::known::Known;
use super::rules::in_order;
use super::signature::{self, Family, Recognised, Signature};
use crate::codec::{Codec, FirstChar, byte_order_mark, first_char};
use crate::error::Error;
use std::sync::Arc;

/// The findings from the first bytes.
pub(super) struct Start {
    pub(super) signature: Option<Signature>,
    /// The row of the family that white space at the beginning suggests. It counts only if a declaration follows.
    pub(super) after_space: Option<Signature>,
    /// The length in bytes of the byte order mark, if it belongs to the encoding that is read.
    pub(super) bom_len: usize,
    /// The caller's codec, in the byte order that the input shows.
    pub(super) from: Option<Arc<dyn Codec>>,
}

/// A codec, and the length in bytes of its byte order mark at the beginning of the input; 0 if there is none.
type CodecAndBom = (Arc<dyn Codec>, usize);

/// The longest byte order mark that a codec may have: 4 bytes for UCS-4, UTF-EBCDIC and GB18030.
const LONGEST_BOM: usize = 4;

/// The codec that reads the declaration, or why there is none.
type Reader = Result<Arc<dyn Codec>, Error>;

impl Start {
    /// Returns the family that the bytes show.
    pub(super) fn family(&self) -> Family {
        self.signature.map_or(Family::Unknown, |row| row.family)
    }

    /// Returns whether the bytes are a byte order mark of the table.
    pub(super) fn has_bom(&self) -> bool {
        self.signature.is_some_and(|row| row.bom)
    }
}

/// Recognises the first bytes, and finds the codec that reads the declaration. Returns `None` if more bytes are needed:
/// call it with each byte that `prefix` grows by. `white_space` counts the EBCDIC white space at the beginning. With
/// `eof`, no more bytes will follow.
pub(super) fn recognise(known: &Known, prefix: &[u8], white_space: &mut usize, eof: bool) -> Option<(Start, Reader)> {
    let (signature, after_space) = signature_of(known, prefix, white_space, eof)?;
    let mut start = Start { signature, after_space, bom_len: 0, from: None };
    let family = signature.or(after_space).map_or(Family::Unknown, |row| row.family);
    let reader = match &known.hints.from {
        Some(from) => of_user(known, from, family, prefix, eof).transpose()?,
        None => known.registry.codec(family.reading_label()).map(|codec| {
            let bom_len = signature.filter(|row| row.bom).map_or(0, |row| row.bytes.len());
            (codec, bom_len)
        }),
    };
    let reader = reader.map(|(codec, bom_len)| {
        start.bom_len = bom_len;
        start.from = known.hints.from.as_ref().map(|_| codec.clone());
        codec
    });
    Some((start, reader))
}

/// Returns the row of the signature, and the row that white space at the beginning suggests. `None`: more bytes are
/// needed.
fn signature_of(
    known: &Known,
    prefix: &[u8],
    white_space: &mut usize,
    eof: bool,
) -> Option<(Option<Signature>, Option<Signature>)> {
    let skips_space = known.skips_space();
    if skips_space && skip_ebcdic_white_space(prefix, white_space) && !eof {
        return None;
    }
    let (signature, after_space) = match signature::recognise(&prefix[*white_space..], eof) {
        Recognised::NeedMore => return None,
        Recognised::Row(row) if known.traits.web_signatures => (signature::of_the_web(row), None),
        Recognised::Row(row) if *white_space == 0 => (Some(row), None),
        Recognised::Row(row) => (None, Some(row).filter(|row| row.family.is_ebcdic())),
        Recognised::Other => (None, None),
    };
    if skips_space && prefix.len() < 2 && !eof {
        return None;
    }
    if skips_space && signature.is_none() && after_space.is_none() {
        return match signature::white_space(prefix, eof) {
            Recognised::NeedMore => None,
            Recognised::Row(row) => Some((None, Some(row))),
            Recognised::Other => Some((None, None)),
        };
    }
    Some((signature, after_space))
}

/// Counts the last byte of the prefix as white space if all of the prefix is white space in EBCDIC. Returns whether it
/// is.
fn skip_ebcdic_white_space(prefix: &[u8], white_space: &mut usize) -> bool {
    let is_space =
        prefix.len() == *white_space + 1 && prefix.last().is_some_and(|byte| signature::is_ebcdic_white_space(*byte));
    let skips = is_space && *white_space < DECLARATION_LIMIT;
    *white_space += usize::from(skips);
    skips
}

/// Returns the caller's codec, in the byte order shown by its own byte order mark or else by the byte pattern, and
/// the length of that mark. The codec itself says what the bytes of the mark are. Returns `None` if these bytes may
/// still become a mark; what cannot is not waited for, because the peer that sends it may wait for an answer.
fn of_user(
    known: &Known,
    from: &Arc<dyn Codec>,
    family: Family,
    prefix: &[u8],
    eof: bool,
) -> Result<Option<CodecAndBom>, Error> {
    let several: Vec<Arc<dyn Codec>> = match from.info().byte_orders {
        Some(orders) => orders.names.iter().map(|name| known.registry.codec(name)).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let candidates = if several.is_empty() { std::slice::from_ref(from) } else { &several };
    let may_grow = !eof && prefix.len() < LONGEST_BOM;
    for codec in candidates {
        // Ask the decoder first: for most pages that avoids building an encoder.
        match first_char(&**codec, prefix) {
            FirstChar::Is('\u{FEFF}') => {
                let bom = byte_order_mark(&**codec).filter(|bom| prefix.starts_with(bom));
                match bom {
                    Some(bom) => return Ok(Some((codec.clone(), bom.len()))),
                    None if may_grow => return Ok(None),
                    None => {}
                }
            }
            FirstChar::Open if may_grow => return Ok(None),
            FirstChar::Is(_) | FirstChar::Malformed | FirstChar::Open => {}
        }
    }
    Ok(Some((in_order(&known.registry, family, from)?, 0)))
}
