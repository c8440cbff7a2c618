//! The encodings of the web, as the Encoding Standard defines them, through encoding_rs. No other module uses that crate.
//!
//! The tables of single-byte encodings are read from encoding_rs's decoders when they are first needed, and run by our own
//! engine. Multi-byte encodings are run by encoding_rs; their encoders write fewer characters than the decoders read.
//! UTF-8 and UTF-16 are ours, and encoding_rs is never asked for them: its encoder for UTF-16 writes UTF-8.
//!
//! In Shift_JIS, EUC-JP and ISO-2022-JP the standard encodes some characters as others, so that they decode as those: `¥`
//! becomes `\`. Here these are one-way mappings: the characters are unmappable unless an approximation is asked for. If
//! it is, the output is what browsers write.
//!
//! The standard decodes the three bytes of JIS X 0212 in EUC-JP, and never encodes them. The codec of a registry does, as
//! other converters do; a job with the web's policy takes the one that does not ([`as_browsers_encode`]).
//!
//! Some labels name one charset for IANA and a superset of it on the web (`ISO-8859-1`, `US-ASCII`, `ISO-8859-9`,
//! `TIS-620` and their aliases). They have IANA's meaning: they are aliases of pages in `codecs/`, not of codecs here.

mod decode;
mod encode;
mod jis;
mod labels;
mod multi_byte;
mod one_way;
mod plain;
mod replacement;
#[cfg(test)]
mod tests;
mod triples;

use crate::codec::table::Table;
use crate::codec::{Codec, CodecInfo, Decoder, Encoder, TableCodec, Utf8, Utf16};
use encoding_rs::{EUC_JP, Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use labels::{ENCODINGS, SOURCE, SOURCE_WITH_TRIPLES};
use multi_byte::MultiByte;
use replacement::ReplacementEncoding;
use std::sync::Arc;
use triples::jis_x_0212;

/// The encodings of encoding_rs except UTF-8, UTF-16 and `replacement`.
pub(crate) const COUNT: usize = ENCODINGS.len();

/// Returns the name, the other labels and the description of one of them by its place.
pub(crate) fn names(index: usize) -> Option<[&'static str; 3]> {
    ENCODINGS.get(index).map(|&(encoding, aliases, about)| [encoding.name(), aliases, about])
}

/// Returns the codec of one of these [`names`].
pub(crate) fn codec(name: &'static str) -> Arc<dyn Codec> {
    let found = ENCODINGS.iter().find(|(encoding, ..)| encoding.name() == name);
    match found.map_or(REPLACEMENT, |(encoding, ..)| encoding) {
        encoding if encoding == EUC_JP => Arc::new(MultiByte { triples: Some(jis_x_0212), ..MultiByte::new(EUC_JP) }),
        encoding => codec_of(encoding),
    }
}

/// Returns the codec that encodes as browsers do, if `codec` is one of these that does not.
pub(crate) fn as_browsers_encode(codec: &dyn Codec) -> Option<Arc<dyn Codec>> {
    (codec.info().source == SOURCE_WITH_TRIPLES).then(|| codec_of(EUC_JP))
}

fn codec_of(encoding: &'static Encoding) -> Arc<dyn Codec> {
    match encoding {
        _ if encoding == UTF_8 => Arc::new(Utf8),
        _ if encoding == UTF_16BE => Arc::new(Utf16::BE),
        _ if encoding == UTF_16LE => Arc::new(Utf16::LE),
        _ if encoding == REPLACEMENT => Arc::new(ReplacementEncoding),
        _ if encoding.is_single_byte() => Arc::new(TableCodec::made(encoding.name(), SOURCE, page)),
        _ => Arc::new(MultiByte::new(encoding)),
    }
}

/// An encoding of encoding_rs, as a codec with the same name and the same meaning.
///
/// It decodes and encodes as encoding_rs does, except for three things: it does not look at byte order marks, UTF-16 is
/// encoded as UTF-16, and a character that would decode as another one (`¥` in Shift_JIS, which encoding_rs writes as
/// `\`) is unmappable, with the bytes of encoding_rs as its [best fit](crate::codec::Replacement::BestFit). A
/// [`Registry`](crate::Registry) gives labels IANA's meaning instead.
///
/// Our own code runs UTF-8, UTF-16 and, with tables from encoding_rs, the single-byte encodings; encoding_rs runs the
/// others. The tables are built when they are first needed, so keep the codec if you use it again.
///
/// This type ties this crate's version to encoding_rs 0.8.
///
/// ```
/// use charpipe::codec::{Codec, WebCodec, decode_strictly};
/// use encoding_rs::Encoding;
///
/// // The web's ISO-8859-1.
/// let encoding = Encoding::for_label(b"ISO-8859-1").expect("a label of the web");
/// let codec = WebCodec::from(encoding);
/// assert_eq!((codec.name(), decode_strictly(&codec, b"\x80").as_deref()), ("windows-1252", Some("€")));
/// assert_eq!(<&Encoding>::from(codec), encoding);
///
/// // From a codec, by its name, if encoding_rs has that charset.
/// let registry = charpipe::Registry::builtin();
/// let encoding = |label| Ok::<_, charpipe::Error>(WebCodec::of(&*registry.codec(label)?).map(<&Encoding>::from));
/// assert_eq!(encoding("CP949")?, Some(encoding_rs::EUC_KR));
/// assert_eq!(encoding("IBM1047")?, None);
/// // IANA's ISO-8859-1, which encoding_rs does not have.
/// assert_eq!(encoding("ISO-8859-1")?, None);
///
/// // For a registry in which the label has the web's meaning.
/// let mut registry = charpipe::Registry::builtin();
/// registry.register(WebCodec::from(encoding_rs::WINDOWS_1252).into(), &["ISO-8859-1"])?;
/// assert_eq!(registry.codec("iso-8859-1")?.name(), "windows-1252");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WebCodec {
    encoding: &'static Encoding,
    codec: Arc<dyn Codec>,
}

impl WebCodec {
    /// Returns the encoding of encoding_rs that has the name of `codec`; `None` if there is none.
    pub fn of(codec: &dyn Codec) -> Option<Self> {
        // A label of that name is not enough: for encoding_rs, `ISO-8859-1` is a label of windows-1252.
        let encoding = Encoding::for_label(codec.name().as_bytes())?;
        (encoding.name() == codec.name()).then(|| WebCodec::from(encoding))
    }
}

impl From<&'static Encoding> for WebCodec {
    fn from(encoding: &'static Encoding) -> Self {
        WebCodec { encoding, codec: codec_of(encoding) }
    }
}

impl From<WebCodec> for &'static Encoding {
    fn from(codec: WebCodec) -> Self {
        codec.encoding
    }
}

impl From<WebCodec> for Arc<dyn Codec> {
    fn from(codec: WebCodec) -> Self {
        codec.codec
    }
}

impl Codec for WebCodec {
    fn name(&self) -> &str {
        self.codec.name()
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        self.codec.decoder()
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        self.codec.encoder()
    }

    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        self.codec.with_decoder(work);
    }

    fn with_encoder(&self, work: &mut dyn FnMut(&mut dyn Encoder)) -> bool {
        self.codec.with_encoder(work)
    }

    fn info(&self) -> CodecInfo<'_> {
        self.codec.info()
    }
}

/// Returns what the Encoding Standard means by a label; `replacement` for encodings that must not be decoded.
pub(crate) fn for_web_label(label: &str) -> Option<Arc<dyn Codec>> {
    Some(WebCodec::from(Encoding::for_label(label.as_bytes())?).into())
}

/// Builds the table of a single-byte encoding from its decoder.
fn page(name: &'static str) -> Table {
    let bytes: [u8; 256] = std::array::from_fn(|byte| byte as u8);
    let encoding = Encoding::for_label(name.as_bytes());
    // Every byte is one character, and U+FFFD if it has no other.
    let text = encoding.map(|encoding| encoding.decode_without_bom_handling(&bytes).0).unwrap_or_default();
    let chars: Vec<char> = text.chars().collect();
    let char_of = |byte| chars.get(usize::from(byte)).copied().filter(|ch| *ch != char::REPLACEMENT_CHARACTER);
    Table::from_fn(name, SOURCE, char_of)
}
