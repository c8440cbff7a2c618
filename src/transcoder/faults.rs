//! The policies for malformed input and for characters that the target lacks. They are applied only here; the callers
//! find the faults and count them.

use crate::codec::{ByteSink, Replacement};
use crate::error::Error;
use crate::text::xml::is_xml_char;
use crate::transcoder::byte_page::BytePage;
use crate::transcoder::choices::{OnMalformed, OnUnmappable};
use crate::transcoder::guard::{CheckedEncoder, Passing};
#[cfg(feature = "translit")]
use crate::transcoder::translit::Translit;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

/// How malformed bytes are handled during decoding, without stopping for them.
#[derive(Clone)]
pub(super) enum InPlace {
    /// This text.
    Text(&'static str),
    /// The characters that they are in this page. If it lacks one of them, decoding stops.
    Page(Arc<BytePage>),
}

/// Returns the text that replaces malformed bytes, if it is the same for all of them.
pub(super) fn constant_replacement(policy: OnMalformed) -> Option<&'static str> {
    match policy {
        OnMalformed::Replace => Some("\u{FFFD}"),
        OnMalformed::Drop => Some(""),
        OnMalformed::Fail | OnMalformed::Escape => None,
    }
}

/// Returns what happens to malformed bytes that are counted only, if it is the same for all of them.
pub(super) fn passing(policy: OnMalformed) -> Option<Passing> {
    match policy {
        OnMalformed::Replace => Some(Passing::Replace(char::REPLACEMENT_CHARACTER)),
        OnMalformed::Drop => Some(Passing::Drop),
        OnMalformed::Fail | OnMalformed::Escape => None,
    }
}

/// Returns the text that replaces the malformed `bytes`; `None` if they are an error.
pub(crate) fn replacement(policy: OnMalformed, bytes: &[u8]) -> Option<Cow<'static, str>> {
    if policy != OnMalformed::Escape {
        return constant_replacement(policy).map(Cow::Borrowed);
    }
    let text = bytes.iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "\\x{byte:02X}");
        text
    });
    Some(Cow::Owned(text))
}

/// Returns how many U+FFFD, which stand for malformed bytes, are in the text.
pub(super) fn count_marks(text: &str) -> u64 {
    // A loop over bytes, which the compiler vectorizes. No other character has these three in a row.
    let bytes = text.as_bytes();
    let (second, third) = (bytes.get(1..).unwrap_or_default(), bytes.get(2..).unwrap_or_default());
    let triples = bytes.iter().zip(second).zip(third);
    triples.map(|((first, second), third)| u64::from((*first == 0xEF) & (*second == 0xBF) & (*third == 0xBD))).sum()
}

/// The policy for characters that the target lacks.
#[derive(Clone)]
pub(super) struct UnmappablePolicy {
    pub(super) choice: OnUnmappable,
    /// The target's one-way mappings are tried first.
    pub(super) best_fit: bool,
    /// Writes approximations. They are tried before anything else.
    #[cfg(feature = "translit")]
    pub(super) translit: Option<Translit>,
}

impl UnmappablePolicy {
    /// Returns what happens to characters that are counted only, a replacement or nothing, if it is the same for all of
    /// them.
    pub(super) fn passing(&self) -> Option<Option<Replacement<'static>>> {
        match self.choice {
            _ if self.best_fit || self.is_approximating() => None,
            OnUnmappable::Replace => Some(Some(Replacement::Substitute)),
            OnUnmappable::Drop => Some(None),
            OnUnmappable::Fail | OnUnmappable::Escape | OnUnmappable::Xml | OnUnmappable::Translit => None,
        }
    }

    /// Whether every character that the target lacks is an error.
    pub(super) fn always_fails(&self) -> bool {
        self.choice == OnUnmappable::Fail && !self.best_fit && !self.is_approximating()
    }

    #[cfg(feature = "translit")]
    fn is_approximating(&self) -> bool {
        self.translit.is_some()
    }

    #[cfg(not(feature = "translit"))]
    fn is_approximating(&self) -> bool {
        false
    }

    /// Writes to `sink` what replaces `ch`, which `encoder` cannot write. Returns `false` if that is an error.
    /// `takes_reference`: a character reference is allowed here. `offset`: how far the input was read, for an encoder
    /// that breaks its contract.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`](crate::error::ErrorKind::Codec) from an encoder that breaks its contract.
    pub(super) fn write(
        &self,
        ch: char,
        takes_reference: bool,
        encoder: &mut CheckedEncoder,
        sink: &mut ByteSink<'_>,
        offset: u64,
    ) -> Result<bool, Error> {
        #[cfg(feature = "translit")]
        if let Some(translit) = &self.translit {
            if translit.write(ch, takes_reference, encoder, sink, offset)? {
                return Ok(true);
            }
            if self.choice == OnUnmappable::Translit {
                return translit.write_substitute(ch, encoder, sink, offset);
            }
        }
        let mut write = |which: Replacement<'_>| encoder.encode_replacement(ch, which, sink, offset);
        if self.best_fit && write(Replacement::BestFit)? {
            return Ok(true);
        }
        let code = ch as u32;
        match self.choice {
            OnUnmappable::Fail => Ok(false),
            OnUnmappable::Replace | OnUnmappable::Translit => write(Replacement::Substitute),
            OnUnmappable::Drop => Ok(true),
            OnUnmappable::Escape => write(Replacement::Text(&format!("\\u{{{code:X}}}"))),
            OnUnmappable::Xml if takes_reference && is_xml_char(ch) => {
                Ok(write(Replacement::Text(&format!("&#x{code:X};")))?
                    || write(Replacement::Text(&format!("&#{code};")))?)
            }
            OnUnmappable::Xml => Ok(false),
        }
    }
}
