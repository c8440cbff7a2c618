//! Writes readable approximations of characters that the target lacks, as far as the target and the document allow.

use crate::codec::{ByteSink, Codec, MIN_ROOM, Replacement, Stop, decode_strictly};
use crate::detect::Kind;
use crate::error::Error;
use crate::text::translit::approximation;
use crate::transcoder::guard::CheckedEncoder;
use std::sync::Arc;

/// How many characters an encoder takes as one replacement.
const PIECE_CHARS: usize = 16;

/// The policy [`Translit`](crate::OnUnmappable::Translit) for one target and one kind of document.
#[derive(Clone)]
pub(super) struct Translit {
    to: Arc<dyn Codec>,
    kind: Kind,
}

impl Translit {
    pub(super) fn new(to: &Arc<dyn Codec>, kind: Kind) -> Self {
        Translit { to: to.clone(), kind }
    }

    /// Writes to `sink` what stands for `ch`: its one-way mapping, or its approximation. Returns `false` if the target
    /// cannot write either. For the parameters see
    /// [`UnmappablePolicy::write`](crate::transcoder::faults::UnmappablePolicy::write).
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
        let mut write = |which| encoder.encode_replacement(ch, which, sink, offset);
        if self.is_visible(ch, Replacement::BestFit) && write(Replacement::BestFit)? {
            return Ok(true);
        }
        if let Some(text) = approximation(ch).and_then(|text| self.in_document(&text, takes_reference)) {
            if text.is_empty() {
                return Ok(true);
            }
            if text.chars().count() <= PIECE_CHARS {
                if write(Replacement::Text(&text))? {
                    return Ok(true);
                }
            } else if self.fits(&text, sink.room()) {
                for piece in text.as_bytes().chunks(PIECE_CHARS) {
                    let piece = str::from_utf8(piece).unwrap_or_default();
                    encoder.encode_replacement(ch, Replacement::Text(piece), sink, offset)?;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes the substitution character, or `?` if that is a control character. Returns `false` if the target has
    /// neither.
    ///
    /// # Errors
    /// As of [`write`](Self::write).
    pub(super) fn write_substitute(
        &self,
        ch: char,
        encoder: &mut CheckedEncoder,
        sink: &mut ByteSink<'_>,
        offset: u64,
    ) -> Result<bool, Error> {
        let mut write = |which| encoder.encode_replacement(ch, which, sink, offset);
        if self.is_visible(ch, Replacement::Substitute) && write(Replacement::Substitute)? {
            return Ok(true);
        }
        write(Replacement::Text("?"))
    }

    /// Returns the approximation as the document can have it: it must not look like markup. `None` if it cannot have
    /// it.
    fn in_document(&self, text: &str, takes_reference: bool) -> Option<String> {
        let is_markup = |ch| matches!(ch, '<' | '>' | '&' | '"' | '\'');
        match self.kind {
            Kind::Xml if !takes_reference => {
                text.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| text.to_owned())
            }
            Kind::Xml | Kind::Html if text.contains(is_markup) => Some(text.chars().map(entity).collect()),
            _ => Some(text.to_owned()),
        }
    }

    /// Returns whether a new encoder writes this replacement for `ch`, and it can be seen: it is not a control
    /// character.
    fn is_visible(&self, ch: char, which: Replacement<'_>) -> bool {
        let Some(mut encoder) = self.to.encoder() else { return false };
        let mut buffer = [0; 4 * MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        let is_fault = matches!(encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink).stop, Stop::Fault(_));
        let is_written = is_fault && encoder.encode_replacement(ch, which, &mut sink);
        is_written
            && encoder.finish(&mut sink) == Stop::InputEmpty
            && decode_strictly(&*self.to, sink.as_bytes()).is_none_or(|text| !text.contains(char::is_control))
    }

    /// Returns whether the target has every character of `text`, in at most `room` bytes, regardless of the text before
    /// it.
    fn fits(&self, text: &str, room: usize) -> bool {
        let mut buffer = [0; 2 * MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        self.to.encoder().is_some_and(|mut encoder| {
            encoder.is_stateless() && encoder.feed(text, &mut sink).stop == Stop::InputEmpty && sink.written() <= room
        })
    }
}

/// Returns the character, or the reference that stands for it in XML and HTML.
fn entity(ch: char) -> String {
    match ch {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '&' => "&amp;".to_owned(),
        '"' => "&quot;".to_owned(),
        // HTML 4 has no `&apos;`.
        '\'' => "&#39;".to_owned(),
        ch => ch.to_string(),
    }
}
