//! The multi-byte encodings as codecs.

use super::decode::MultiByteDecoder;
use super::encode::MultiByteEncoder;
use super::jis::Shift;
use super::labels::{LARGER, SOURCE, SOURCE_WITH_TRIPLES};
use super::plain::Plain;
use super::triples::Triples;
use crate::codec::{Codec, CodecInfo, Decoder, Encoder};
use encoding_rs::Encoding;
use std::sync::Arc;

/// A multi-byte encoding.
#[derive(Debug)]
pub(super) struct MultiByte {
    pub(super) encoding: &'static Encoding,
    pub(super) plain: Arc<Plain>,
    pub(super) triples: Option<fn() -> &'static Triples>,
}

impl MultiByte {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        MultiByte { encoding, plain: Arc::new(Plain::new(encoding, Plain::ENOUGH)), triples: None }
    }

    /// Asked for an encoder of UTF-16, encoding_rs would return one of UTF-8.
    fn new_encoder(&self) -> Option<MultiByteEncoder> {
        (self.encoding.output_encoding() == self.encoding)
            .then(|| MultiByteEncoder::new(self.encoding, self.plain.clone(), self.triples))
    }
}

impl Codec for MultiByte {
    fn name(&self) -> &str {
        self.encoding.name()
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(MultiByteDecoder::new(self.encoding, self.plain.clone(), Shift::INITIAL))
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        self.new_encoder().map(|encoder| Box::new(encoder) as Box<dyn Encoder>)
    }

    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        work(&mut MultiByteDecoder::new(self.encoding, self.plain.clone(), Shift::INITIAL));
    }

    fn with_encoder(&self, work: &mut dyn FnMut(&mut dyn Encoder)) -> bool {
        self.new_encoder().map(|mut encoder| work(&mut encoder)).is_some()
    }

    fn info(&self) -> CodecInfo<'_> {
        let larger = LARGER.iter().find(|larger| larger.of == self.encoding);
        let xml_name = Some(larger.map_or(self.encoding.name(), |larger| larger.xml_name));
        let source = if self.triples.is_some() { SOURCE_WITH_TRIPLES } else { SOURCE };
        CodecInfo { xml_name, source, superset: larger.map(|larger| larger.superset), ..CodecInfo::default() }
    }
}
