//! A charset of columns: [`Page`].

use crate::codec::{Codec, EbcdicNl, Stop, Utf8Sink, can_encode, can_write};
use crate::error::Error;
use crate::transcoder::guard::CheckedDecoder;

/// How much text is decoded at a time, in bytes.
const TEXT_BYTES: usize = 1024;

/// A charset of columns.
pub(super) struct Page {
    name: String,
    newline: EbcdicNl,
    pub(super) decoder: CheckedDecoder,
    /// The character that fills its columns.
    blank: char,
}

impl Page {
    pub(super) fn new(codec: &dyn Codec) -> Self {
        let has_blank = !can_encode(codec) || can_write(codec, " ");
        Page {
            name: codec.name().to_owned(),
            newline: newline_of(codec),
            decoder: CheckedDecoder::new(codec.name(), codec.decoder(), 0),
            blank: if has_blank { ' ' } else { '\u{3000}' },
        }
    }

    pub(super) fn fresh(&self) -> Self {
        Page { name: self.name.clone(), decoder: self.decoder.fresh_at(0), ..*self }
    }

    /// Whether this is the charset of `codec`, with the same newlines.
    pub(super) fn is_of(&self, codec: &dyn Codec) -> bool {
        self.newline == newline_of(codec) && self.name == codec.name()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn blank(&self) -> char {
        self.blank
    }

    /// Decodes a whole column. Returns `false` if something in it is malformed. Not by `codec::drive`: a checked decoder
    /// has the same bound, and its error says how the codec broke the contract.
    pub(super) fn decode(&mut self, mut bytes: &[u8], text: &mut String) -> Result<bool, Error> {
        text.clear();
        self.decoder.reset();
        loop {
            let mut buffer = [0; TEXT_BYTES];
            let mut sink = Utf8Sink::new(&mut buffer);
            let is_end = bytes.is_empty();
            let stop = if is_end {
                self.decoder.finish(&mut sink)?
            } else {
                let step = self.decoder.feed(bytes, &mut sink)?;
                bytes = &bytes[step.read..];
                step.stop
            };
            text.push_str(sink.as_str());
            match stop {
                Stop::Fault(_) => return Ok(false),
                Stop::InputEmpty if is_end => return Ok(true),
                Stop::InputEmpty | Stop::OutputFull => {}
            }
        }
    }
}

pub(super) fn newline_of(codec: &dyn Codec) -> EbcdicNl {
    codec.info().newline.unwrap_or(EbcdicNl::Table)
}
