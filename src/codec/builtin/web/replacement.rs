//! The encoding `replacement`.

use super::labels::SOURCE;
use crate::codec::{Codec, CodecInfo, Decoder, Encoder, Malformed, Step, Stop, Utf8Sink};
use encoding_rs::REPLACEMENT;

/// The encoding `replacement`: any input is one fault, at its first byte. No label leads to it.
#[derive(Clone, Debug)]
pub(super) struct ReplacementEncoding;

impl Codec for ReplacementEncoding {
    fn name(&self) -> &str {
        REPLACEMENT.name()
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ReplacementDecoder { begun: false })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        None
    }

    fn info(&self) -> CodecInfo<'_> {
        CodecInfo { source: SOURCE, ..CodecInfo::default() }
    }
}

#[derive(Clone)]
struct ReplacementDecoder {
    begun: bool,
}

impl Decoder for ReplacementDecoder {
    fn feed(&mut self, src: &[u8], _dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        if src.is_empty() || std::mem::replace(&mut self.begun, true) {
            return Step { read: src.len(), stop: Stop::InputEmpty };
        }
        Step { read: 1, stop: Stop::Fault(Malformed { len: 1, after: 0 }) }
    }

    fn finish(&mut self, _dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        Stop::InputEmpty
    }

    fn reset(&mut self) {
        self.begun = false;
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    fn pending(&self) -> usize {
        0
    }
}
