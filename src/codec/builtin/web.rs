//! The encodings of the web, as the Encoding Standard defines them, through encoding_rs. No other file uses that crate.
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
//!
//! # Supersets
//!
//! Most multi-byte encodings of the web have more characters than the charset that IANA registers under the label. The
//! superset is decoded, and detection reports `superset-used` if the label names the smaller charset. That depends on the
//! label only: whether a character belongs to the smaller charset cannot be told without that charset's table. Output is
//! named in XML by the name of the superset, since the name of the smaller charset would be untrue.
//!
//! | codec | labels of a smaller charset | decoded as | in XML |
//! |---|---|---|---|
//! | GBK | `GB2312`, `GB_2312-80` and their aliases | GBK | `GBK` |
//! | EUC-KR | `EUC-KR`, `KS_C_5601-1987` and their aliases | windows-949 (UHC) | `windows-949` |
//! | Shift_JIS | `Shift_JIS` and its aliases | Windows-31J: ASCII at 5C and 7E, the rows of NEC and IBM | `Windows-31J` |
//! | Big5 | `Big5` and its aliases, but not `windows-950`, which is a page of its own | Big5-HKSCS | `Big5-HKSCS` |
//! | EUC-JP | `EUC-JP` and its aliases | CP51932 (the rows of NEC) with JIS X 0212 | `EUC-JP` |
//! | ISO-2022-JP | `ISO-2022-JP` and its alias | CP50220 (the rows of NEC, half-width katakana) | `ISO-2022-JP` |
//!
//! No other label names a smaller charset: `GBK`, `windows-949`, `Windows-31J`, `Big5-HKSCS`, `CP51932`, `CP50220`,
//! `gb18030` and their aliases mean what is decoded, or so nearly that there is no better name. (GBK is decoded with the
//! four-byte sequences of gb18030, and has € at 80, as Microsoft's 936 does. CP51932 as registered lacks JIS X 0212.)
//!
//! These are the names with which other decoders read most of the output. Of all characters that EUC-KR writes, Java and
//! ICU read every one as `windows-949` and half of them as `EUC-KR`; `CP949` is another charset for Java and ICU. All of
//! them read `Windows-31J` in full. As `Big5-HKSCS` they read 45 to 59 of 14653 characters differently, as `Big5` more
//! than a thousand. Hardly any software knows `CP51932` and `CP50220`, so EUC-JP and ISO-2022-JP keep their names; most
//! software reads these without the 454 characters in the rows of NEC.
//!
//! # How a decoder is copied
//!
//! A decoder of encoding_rs cannot be cloned, and does not tell how many bytes it holds. It is fed here in a way that
//! makes both unnecessary: whole runs in the middle of the input, single bytes near its end. A character has at most four
//! bytes, so one of the last four positions is between two characters, and there the decoder is *neutral*: it holds
//! nothing. The bytes after that position are kept, and a copy is a new decoder that is fed these bytes. The decoder of
//! ISO-2022-JP is neutral in each of its sets; a copy is first fed the escape sequence of the set.
//!
//! Bytes that a fault gives back to be decoded again (the digit in 81 30 FF) are kept too, but not fed yet.
//!
//! # Plain characters
//!
//! In a long text our own loops go first. They know the *plain* characters, which encoding_rs converts by themselves, each to
//! one or two bytes, from tables that are read out of encoding_rs; see [`Plain`]. At anything else they stop between two
//! characters, and encoding_rs goes on. So no rule of the standard is written down twice, and a character that is missing in
//! a table costs speed, but is converted correctly. In ISO-2022-JP they also read and write the escape sequences between
//! ASCII and JIS X 0208.

use crate::arch::{self, lanes};
use crate::codec::Utf8;
use crate::codec::Utf16;
use crate::codec::batches::{Codes, Pace, PlainPairs, Switched, WORTH};
use crate::codec::pairs::{PlainCodes, Switch};
use crate::codec::table::Table;
use crate::codec::{
    ByteSink, Codec, CodecInfo, Decoder, Encoder, Malformed, Replacement, Step, Stop, Superset, TableCodec, Unmappable,
    Utf8Char, Utf8Sink, Utf8Units, Utf8Word,
};
use encoding_rs::{
    BIG5, DecoderResult, EUC_JP, EUC_KR, EncoderResult, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2,
    ISO_8859_3, ISO_8859_4, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_8_I, ISO_8859_10, ISO_8859_13,
    ISO_8859_14, ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE,
    UTF_16LE, WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255,
    WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC, X_USER_DEFINED,
};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Returns the name, the other labels and the description of every encoding of encoding_rs except UTF-8, UTF-16 and
/// `replacement`.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    ENCODINGS.iter().map(|&(encoding, aliases, about)| (encoding.name(), aliases, about))
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
/// `\`) is unmappable, with the bytes of encoding_rs as its [best fit](Replacement::BestFit). A
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

/// The encoding `replacement`: any input is one fault, at its first byte. No label leads to it.
#[derive(Clone, Debug)]
struct ReplacementEncoding;

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

const SOURCE: &str = "encoding_rs, Encoding Standard";

/// The source of EUC-JP in a registry.
const SOURCE_WITH_TRIPLES: &str = "encoding_rs, Encoding Standard; writes JIS X 0212";

/// Returns what the Encoding Standard means by a label; `replacement` for encodings that must not be decoded.
pub(crate) fn for_web_label(label: &str) -> Option<Arc<dyn Codec>> {
    Some(WebCodec::from(Encoding::for_label(label.as_bytes())?).into())
}

/// Builds the table of a single-byte encoding from its decoder.
fn page(name: &'static str) -> Table {
    Table::from_fn(name, SOURCE, |byte| {
        let encoding = Encoding::for_label(name.as_bytes())?;
        let text = encoding.decode_without_bom_handling_and_without_replacement(std::slice::from_ref(&byte))?;
        text.chars().next()
    })
}

/// The name is IANA's, which is also that of the Encoding Standard; the aliases are from both, and from other
/// converters; then the description.
#[rustfmt::skip]
static ENCODINGS: &[(&Encoding, &str, &str)] = &[
    // Single-byte.
    (IBM866, "866 cp866 csibm866 OSF10020362 windows-866", "Cyrillic, DOS"),
    (ISO_8859_10, "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6 ISO_8859-10:1992 ISO_8859-10 OSF0001000A iso-8859_10-1998", "Nordic languages"),
    (ISO_8859_13, "iso8859-13 iso885913 csISO885913 latin7 8859_13 ISO-IR-179 BALTIC l7 IBM921 ibm-921_P100-1995 CSIBM921 windows-28603 CP28603 ISO_8859-13", "Baltic"),
    (ISO_8859_14, "iso8859-14 iso885914 csISO885914 iso-ir-199 ISO_8859-14:1998 ISO_8859-14 latin8 iso-celtic l8 iso-8859_14-1998 8859_14", "Celtic languages"),
    (ISO_8859_15, "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9 csISO885915 Latin-9 ISO-IR-203 ISO_8859-15:1998 8859_15 IBM923 ibm-923_P100-1998 LATIN0 csisolatin0 ISO8859_15_FDIS windows-28605 CP28605", "Western European with the euro sign"),
    (ISO_8859_16, "csISO885916 iso-ir-226 ISO_8859-16:2001 ISO_8859-16 latin10 l10 8859_16", "Romanian and other languages of south-eastern Europe"),
    (ISO_8859_2, "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2 8859_2 IBM912 ibm-912_P100-1995 OSF00010002 windows-28592 CP28592", "Central European"),
    (ISO_8859_3, "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 8859_3 IBM913 ibm-913_P100-2000 OSF00010003 windows-28593 CP28593", "South European (Maltese, Esperanto)"),
    (ISO_8859_4, "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4 8859_4 IBM914 ibm-914_P100-1995 OSF00010004 windows-28594 CP28594", "North European (Baltic)"),
    (ISO_8859_5, "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 8859_5 IBM915 ibm-915_P100-1995 OSF00010005 windows-28595 CP28595", "Cyrillic"),
    (ISO_8859_6, "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 8859_6 IBM1089 ibm-1089_P100-1995 OSF00010006 windows-28596 CP28596 x-ISO-8859-6S", "Arabic"),
    (ISO_8859_7, "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek 8859_7 ISO_8859-7:2003 OSF00010007 ibm-9005 ibm-9005_X110-2007 windows-28597 CP28597", "Greek"),
    (ISO_8859_8, "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual 8859_8 hebrew8 OSF00010008 ibm-5012 ibm-5012_P100-1999 windows-28598 CP28598", "Hebrew, visual order"),
    (ISO_8859_8_I, "csiso88598i logical windows-38598 CP38598", "Hebrew, logical order"),
    (KOI8_R, "cskoi8r koi koi8 koi8_r IBM878 ibm-878_P100-1996 windows-20866 CP20866", "Russian (Cyrillic)"),
    (KOI8_U, "koi8-ru csKOI8U windows-21866 CP21866", "Ukrainian (Cyrillic)"),
    (MACINTOSH, "csmacintosh mac x-mac-roman macroman macos-0_2-10.2", "Western European, Macintosh"),
    (WINDOWS_1250, "cp1250 x-cp1250 cswindows1250 MS-EE IBM5346 ibm-5346_P100-1998", "Central European, Windows"),
    (WINDOWS_1251, "cp1251 x-cp1251 cswindows1251 MS-CYRL IBM5347 ibm-5347_P100-1998 CSIBM5347 ANSI-1251", "Cyrillic, Windows"),
    (WINDOWS_1252, "cp1252 x-cp1252 cswindows1252 MS-ANSI IBM5348 ibm-5348_P100-1997", "Western European, Windows"),
    (WINDOWS_1253, "cp1253 x-cp1253 cswindows1253 MS-GREEK", "Greek, Windows"),
    (WINDOWS_1254, "cp1254 x-cp1254 cswindows1254 MS-TURK IBM5350 ibm-5350_P100-1998", "Turkish, Windows"),
    (WINDOWS_1255, "cp1255 x-cp1255 cswindows1255 MS-HEBR", "Hebrew, Windows"),
    (WINDOWS_1256, "cp1256 x-cp1256 cswindows1256 MS-ARAB IBM9448 ibm-9448_X100-2005 CSIBM9448 x-windows-1256S", "Arabic, Windows"),
    (WINDOWS_1257, "cp1257 x-cp1257 cswindows1257 WINBALTRIM IBM9449 ibm-9449_P100-2002", "Baltic, Windows"),
    (WINDOWS_1258, "cp1258 x-cp1258 cswindows1258 IBM5354 ibm-5354_P100-1998", "Vietnamese, Windows"),
    (WINDOWS_874, "dos-874 cswindows874 MS874 ms-874 x-windows-874", "Thai, Windows"),
    (X_MAC_CYRILLIC, "x-mac-ukrainian mac-cyrillic macos-7_3-10.2 maccy", "Cyrillic, Macintosh"),
    (X_USER_DEFINED, "", "private use"),
    // Multi-byte.
    (SHIFT_JIS, "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis csWindows31J CP932 windows-932 CSIBM932 SJIS-OPEN SJIS-WIN PCK x-PCK x-ms-cp932", "Japanese, Windows"),
    (EUC_JP, "cseucpkdfmtjapanese x-euc-jp Extended_UNIX_Code_Packed_Format_for_Japanese CP51932 csCP51932 UJIS u_jis OSF00030010 windows-51932", "Japanese, Unix"),
    (ISO_2022_JP, "csiso2022jp CP50220 csCP50220 windows-50220 x-windows-50220 ms50220 CP50221 windows-50221 x-windows-50221 ms50221 CP50222 windows-50222 windows-iso2022jp x-windows-iso2022jp ISO_2022,locale=ja,version=0", "Japanese, mail"),
    (GBK, "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk CP936 MS936 windows-936 csGBK EUC-CN x-EUC-CN eucgb2312_cn CN-GB gb2312-80 x-mswin-936 GB13000 windows-51936 CP51936", "Chinese (simplified)"),
    (GB18030, "csGB18030 ibm-1392 windows-54936 CP54936 gb18030-2000 gb18030-2022", "Chinese (simplified), all of Unicode"),
    (BIG5, "big5-hkscs cn-big5 csbig5 x-x-big5 BIGFIVE hkscs big5hk HKSCS-BIG5 big5_tw x-big5 Big5-HKSCS-2001 x-Big5-HKSCS-2001 big5hk-2001", "Chinese (traditional), with Hong Kong"),
    (EUC_KR, "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 CP949 UHC 5601 ksc ks_x_1001 ksx1001 MSCP949 ms949 x-KSC5601 x-windows-949 windows-51949 CP51949 OSF0004000A OSF0005000A", "Korean"),
];

/// Labels for which we decode a superset.
struct Larger {
    of: &'static Encoding,
    /// The labels that name a smaller charset, and the name of what is decoded, for messages.
    superset: Superset<'static>,
    /// A name for an XML declaration that is correct and that other software knows.
    xml_name: &'static str,
}

impl Larger {
    const fn new(
        of: &'static Encoding,
        name: &'static str,
        xml_name: &'static str,
        smaller: &'static [&'static str],
    ) -> Self {
        Larger { of, superset: Superset { name, smaller }, xml_name }
    }
}

#[rustfmt::skip]
static LARGER: &[Larger] = &[
    Larger::new(GBK, "GBK", "GBK",
        &["gb2312", "csgb2312", "gb_2312", "gb_2312-80", "chinese", "csiso58gb231280", "iso-ir-58"]),
    Larger::new(EUC_KR, "windows-949", "windows-949",
        &["euc-kr", "cseuckr", "ks_c_5601-1987", "ks_c_5601-1989",
          "ksc_5601", "ksc5601", "korean", "csksc56011987", "iso-ir-149"]),
    Larger::new(SHIFT_JIS, "Windows-31J", "Windows-31J",
        &["shift_jis", "shift-jis", "csshiftjis", "ms_kanji", "sjis", "x-sjis"]),
    Larger::new(BIG5, "Big5-HKSCS", "Big5-HKSCS",
        &["big5", "csbig5", "cn-big5", "x-x-big5"]),
    Larger::new(EUC_JP, "CP51932 with JIS X 0212", "EUC-JP",
        &["euc-jp", "x-euc-jp", "cseucpkdfmtjapanese", "extended_unix_code_packed_format_for_japanese"]),
    Larger::new(ISO_2022_JP, "CP50220", "ISO-2022-JP",
        &["iso-2022-jp", "csiso2022jp"]),
];

/// A multi-byte encoding.
#[derive(Debug)]
struct MultiByte {
    encoding: &'static Encoding,
    plain: Arc<Plain>,
    triples: Option<fn() -> &'static Triples>,
}

impl MultiByte {
    fn new(encoding: &'static Encoding) -> Self {
        MultiByte { encoding, plain: Arc::new(Plain::new(encoding, Plain::ENOUGH)), triples: None }
    }

    /// Asked for an encoder of UTF-16, encoding_rs would return one of UTF-8.
    fn new_encoder(&self) -> Option<MultiByteEncoder> {
        (self.encoding.output_encoding() == self.encoding)
            .then(|| MultiByteEncoder::new(self.encoding, self.plain.clone(), self.triples))
    }
}

/// Characters that encoding_rs decodes from three bytes and does not encode, with these bytes, in the order of characters.
struct Triples(Vec<(char, [u8; 3])>);

/// Returns JIS X 0212 in EUC-JP. It is read out of encoding_rs's decoder when it is first needed.
fn jis_x_0212() -> &'static Triples {
    static TRIPLES: OnceLock<Triples> = OnceLock::new();
    TRIPLES.get_or_init(|| {
        let codes = || (0xA1..=0xFE).flat_map(|row| (0xA1..=0xFE).map(move |cell| [0x8F, row, cell]));
        let lines: Vec<u8> = codes().flat_map(|[lead, row, cell]| [lead, row, cell, b'\n']).collect();
        let (text, _) = EUC_JP.decode_without_bom_handling(&lines);
        let chars = codes().zip(text.split('\n')).filter_map(|(code, line)| Some((plain_char(line)?, code)));
        let mut triples: Vec<_> = chars.collect();
        triples.sort_unstable();
        Triples(triples)
    })
}

impl Triples {
    fn get(&self, ch: char) -> Option<[u8; 3]> {
        let found = self.0.binary_search_by_key(&ch, |(ch, _)| *ch);
        found.ok().map(|at| self.0[at].1)
    }
}

/// The plain characters of an encoding, for all of its decoders and encoders.
///
/// To build a table takes as long as encoding_rs takes for some 300 KB of text. So a table is built when so much was
/// converted, by one encoder or by many.
#[derive(Debug)]
struct Plain {
    encoding: &'static Encoding,
    /// How much is converted before a table is built, in bytes.
    enough: usize,
    pairs: Later<PlainPairs>,
    codes: Later<PlainCodes>,
    /// ASCII and the pairs of ISO-2022-JP.
    jis: Later<Switched>,
}

/// A table that is built when it is worth its time.
#[derive(Debug)]
struct Later<T> {
    /// How much was converted without it, in bytes.
    count: AtomicUsize,
    table: OnceLock<T>,
}

impl<T> Later<T> {
    fn new() -> Self {
        Later { count: AtomicUsize::new(0), table: OnceLock::new() }
    }

    /// Returns the table for `len` bytes, if it is there or `enough` bytes were converted, or will be.
    fn get(&self, len: usize, enough: usize, make: impl FnOnce() -> T) -> Option<&T> {
        let is_enough = || self.count.load(Ordering::Relaxed) >= enough || len / 4 >= enough;
        self.table.get().or_else(|| is_enough().then(|| self.table.get_or_init(make)))
    }

    fn add(&self, len: usize) {
        self.count.fetch_add(len, Ordering::Relaxed);
    }
}

impl Plain {
    const ENOUGH: usize = 256 * 1024;

    /// Whether there are tables at all. They take 128 and 256 KiB, which is a lot for a machine with a small memory.
    const IS_WANTED: bool = cfg!(all(target_pointer_width = "64", not(target_family = "wasm")));

    fn new(encoding: &'static Encoding, enough: usize) -> Self {
        Plain { encoding, enough, pairs: Later::new(), codes: Later::new(), jis: Later::new() }
    }

    fn add_decoded(&self, len: usize) {
        self.pairs.add(len);
        self.jis.add(len);
    }

    /// Returns the table for decoding `len` bytes, if there is one now.
    fn pairs(&self, len: usize) -> Option<&PlainPairs> {
        let is_wanted = Self::IS_WANTED && self.encoding != ISO_2022_JP && lanes::are_worth_it(arch::isa());
        is_wanted.then(|| self.pairs.get(len, self.enough, || self.make_pairs()))?
    }

    /// Returns the tables for decoding `len` bytes of ISO-2022-JP, if they are there now.
    fn jis(&self, len: usize) -> Option<&Switched> {
        let is_wanted = Self::IS_WANTED && self.encoding == ISO_2022_JP && lanes::are_worth_it(arch::isa());
        is_wanted.then(|| self.jis.get(len, self.enough, || self.make_jis()))?
    }

    fn make_jis(&self) -> Switched {
        let mut units = Utf8Units::new();
        for (pair, ch) in self.jis_chars() {
            units.put(u16::from_be_bytes(pair), &[Utf8Word::new(ch).expect("of the plane")]);
        }
        Switched::new(units, Codes::JIS_X_0208, &JIS_OTHERS)
    }

    /// Returns the pairs that ISO-2022-JP decodes to one character.
    fn jis_chars(&self) -> Vec<([u8; 2], char)> {
        let pairs = || (0x21..=0x7E).flat_map(|lead| (0x21..=0x7E).map(move |trail| [lead, trail]));
        let lines: Vec<u8> =
            pairs().flat_map(|[lead, trail]| [ESC, b'$', b'B', lead, trail, ESC, b'(', b'B', b'\n']).collect();
        let (text, _) = self.encoding.decode_without_bom_handling(&lines);
        pairs().zip(text.split('\n')).filter_map(|(pair, line)| Some((pair, plain_char(line)?))).collect()
    }

    /// Returns the table for encoding `len` bytes, if there is one now.
    fn codes(&self, len: usize) -> Option<&PlainCodes> {
        Self::IS_WANTED.then(|| self.codes.get(len, self.enough, || self.make_codes()))?
    }

    /// Returns what encoding_rs decodes to one character by itself: single bytes, with 0 before them, and pairs. One row after
    /// another, so that it needs little memory.
    fn chars(&self) -> impl Iterator<Item = ([u8; 2], char)> {
        let rows = [0].into_iter().chain(0x80..=0xFF);
        rows.flat_map(|lead| self.row(lead)).chain([([0, b'\n'], '\n')])
    }

    /// Returns those of the pairs with `lead`, or of the single bytes.
    fn row(&self, lead: u8) -> Vec<([u8; 2], char)> {
        let lasts = if lead == 0 { 0..=0xFF } else { 0x30..=0xFE };
        // A line for each code, so that nothing depends on what is before and after it.
        let codes = || lasts.clone().filter(|last| *last != b'\n').map(|last| [lead, last]);
        let lines: Vec<u8> =
            codes().flat_map(|[lead, last]| [lead, last, b'\n'].into_iter().skip((lead == 0).into())).collect();
        let (text, _) = self.encoding.decode_without_bom_handling(&lines);
        codes().zip(text.split('\n')).filter_map(|(code, line)| Some((code, plain_char(line)?))).collect()
    }

    fn make_pairs(&self) -> PlainPairs {
        let (mut units, mut singles, mut leads) = (Utf8Units::new(), [Utf8Char::NONE; 256], [false; 256]);
        for ([lead, last], ch) in self.chars() {
            units.put(u16::from_be_bytes([lead, last]), &[Utf8Word::new(ch).expect("of the plane")]);
            match lead {
                0 => singles[usize::from(last)] = Utf8Char::new(ch),
                lead => leads[usize::from(lead)] = true,
            }
        }
        PlainPairs::new(units, |byte| singles[usize::from(byte)], |byte| leads[usize::from(byte)])
    }

    fn make_codes(&self) -> PlainCodes {
        let one_way = OneWay::of(self.encoding);
        let is_plain = |ch: &char| *ch != '\n' && !one_way.is_some_and(|one_way| one_way.has(*ch));
        let chars: Vec<char> = match self.encoding == ISO_2022_JP {
            true => self.jis_chars().into_iter().map(|(_, ch)| ch).chain(ascii_of_jis()).filter(is_plain).collect(),
            false => self.chars().map(|(_, ch)| ch).filter(is_plain).collect(),
        };
        let lines = self.encoded_lines(&chars);
        let codes = lines.split(|byte| *byte == b'\n').map(|code| match code {
            // The escape sequences around a pair; other characters with one are in other sets, and not plain.
            [ESC, b'$', b'B', pair @ .., ESC, b'(', b'B'] => pair,
            code => code,
        });
        PlainCodes::new(chars.iter().copied().zip(codes).chain([('\n', &b"\n"[..])]))
    }

    /// Encodes each of the characters and a line end. What is unmappable is an empty line.
    fn encoded_lines(&self, chars: &[char]) -> Vec<u8> {
        let text: String = chars.iter().flat_map(|ch| [*ch, '\n']).collect();
        let (mut encoder, mut lines) = (self.encoding.new_encoder(), vec![0; 8 * chars.len() + text.len() + STEP_ROOM]);
        let (mut read, mut written) = (0, 0);
        loop {
            let (result, more, put) =
                encoder.encode_from_utf8_without_replacement(&text[read..], &mut lines[written..], false);
            (read, written) = (read + more, written + put);
            if !matches!(result, EncoderResult::Unmappable(_)) {
                break;
            }
        }
        lines.truncate(written);
        lines
    }
}

/// The bytes of ASCII that ISO-2022-JP does not have, or that change the set, as a [`Switch`] takes them.
const JIS_OTHERS: [u8; 5] = [ESC, ESC, ESC, 0x0E, 0x0F];

/// Returns the other characters of ASCII.
fn ascii_of_jis() -> impl Iterator<Item = char> {
    (0..0x80).filter(|byte| !JIS_OTHERS.contains(byte)).map(char::from)
}

/// Returns the character of a line that has just one, if a table can have it.
fn plain_char(line: &str) -> Option<char> {
    let mut chars = line.chars();
    chars.next().filter(|ch| chars.next().is_none() && *ch != '\u{FFFD}' && *ch <= '\u{FFFF}')
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

const ESC: u8 = 0x1B;

/// The shift state of ISO-2022-JP between characters; always the initial one for other encodings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shift {
    /// The escape sequence that was decoded last.
    set: [u8; 3],
    /// Nothing has followed it. Another escape sequence now would be a fault, because this one was useless.
    fresh: bool,
}

impl Shift {
    const INITIAL: Shift = Shift { set: *b"\x1B(B", fresh: false };

    /// What follows [`ESC`], for each set.
    const SETS: [&[u8; 2]; 5] = [b"(B", b"(J", b"(I", b"$B", b"$@"];

    fn is_double(self) -> bool {
        self.set[1] == b'$'
    }

    /// Brings a new decoder into this state.
    fn lead(self, inner: &mut encoding_rs::Decoder) {
        if self == Shift::INITIAL {
            return;
        }
        // After any character it is no longer fresh.
        let way = [self.set[0], self.set[1], self.set[2], b'!', b'!'];
        let len = if self.fresh { 3 } else { 4 + usize::from(self.is_double()) };
        let _ = inner.decode_to_utf8_without_replacement(&way[..len], &mut [0; 32], false);
    }
}

/// The room that encoding_rs needs to decode a single byte, whatever it holds, and the end of a run after the run.
const STEP_ROOM: usize = 32;

/// The length of the longest character, in bytes.
const LONGEST: usize = 4;

/// The length of the shortest run. Shorter input is fed byte by byte.
const RUN: usize = 4 * LONGEST;

/// The room for the shortest run and for completing its last character.
const RUN_ROOM: usize = 3 * RUN + RUN_RESERVE;
const RUN_RESERVE: usize = 2 * LONGEST * STEP_ROOM;

/// The length of a run after a fault; the next is twice as long. The room for a run is zeroed first, which is wasted if
/// there is a fault at its beginning.
const CAREFUL_RUN: usize = 2 * RUN;

/// How far encoding_rs goes where the tables stopped, in bytes. If they do not get [`FAR`] from there, it goes twice as far.
const SHORT: usize = LONGEST;
const FAR: usize = 24;

/// Decodes a multi-byte encoding.
struct MultiByteDecoder {
    encoding: &'static Encoding,
    inner: encoding_rs::Decoder,
    shift: Shift,
    /// Bytes that were read and not decided. The first `fed` of them were fed to `inner` since it was neutral.
    held: [u8; 2 * LONGEST],
    len: usize,
    fed: usize,
    /// The length limit for the next run, in bytes.
    run_limit: usize,
    plain: Arc<Plain>,
    /// When to try the tables.
    pace: Pace,
}

impl MultiByteDecoder {
    fn new(encoding: &'static Encoding, plain: Arc<Plain>, shift: Shift) -> Self {
        let mut inner = encoding.new_decoder_without_bom_handling();
        shift.lead(&mut inner);
        let (held, run_limit, pace) = ([0; 2 * LONGEST], usize::MAX, Pace::new());
        MultiByteDecoder { encoding, inner, shift, held, len: 0, fed: 0, run_limit, plain, pace }
    }

    /// Makes it afresh, in this state.
    fn restart(&mut self, shift: Shift) {
        *self = Self::new(self.encoding, self.plain.clone(), shift);
    }

    /// Decodes plain characters from the front of `src` while nothing is held, if there are tables; returns how many bytes.
    fn feed_plain(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        if !self.pace.is_due() {
            return 0;
        }
        let plain = self.plain.clone();
        let read = if let Some(pairs) = plain.pairs(src.len()) {
            pairs.decode(arch::isa(), &mut self.pace.reach, src, dst)
        } else if let Some(pairs) = plain.jis(src.len()) {
            self.feed_jis(pairs, src, dst)
        } else {
            return 0;
        };
        self.pace.tried(read);
        if read >= FAR || self.run_limit == usize::MAX {
            self.run_limit = SHORT;
        }
        read
    }

    fn is_shifted(&self) -> bool {
        self.encoding == ISO_2022_JP
    }

    /// Returns whether `inner`, which was fed `bytes` since it was neutral, is neutral again.
    fn is_neutral(&self, bytes: &[u8]) -> bool {
        if self.is_shifted() {
            match bytes {
                [ESC, ..] => bytes.len() >= 3,
                _ => !self.shift.is_double() || bytes.len().is_multiple_of(2),
            }
        } else {
            self.inner.latin1_byte_compatible_up_to(b"").is_some()
        }
    }

    /// Feeds `inner`; returns how many bytes it read, and its fault.
    fn run(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>, last: bool) -> (usize, Option<(u8, u8)>) {
        let most = 3 * src.len() + STEP_ROOM;
        let inner = &mut self.inner;
        let (result, read) = dst.fill_str(most, |text| {
            let (result, read, written) = inner.decode_to_str_without_replacement(src, text, last);
            ((result, read), written)
        });
        match result {
            DecoderResult::Malformed(len, after) => (read, Some((len, after))),
            // There is always room for the worst case.
            DecoderResult::InputEmpty | DecoderResult::OutputFull => (read, None),
        }
    }

    /// Updates the shift state after `bytes`, which brought `inner` from neutral to neutral.
    fn update_shift(&mut self, bytes: &[u8]) {
        match *bytes {
            [ESC, x, y, ..] if self.is_shifted() => self.shift = Shift { set: [ESC, x, y], fresh: true },
            [] => {}
            _ => self.shift.fresh = false,
        }
    }

    /// Feeds `inner` the next held byte; returns whether it was read, and the fault.
    fn feed_held(&mut self, dst: &mut Utf8Sink<'_>) -> (bool, Option<Malformed>) {
        let byte = self.held[self.fed];
        let (read, fault) = self.run(&[byte], dst, false);
        self.fed += read;
        let fed = self.fed;
        if let Some((len, after)) = fault {
            return (read > 0, Some(self.fault(len, fed - after as usize)));
        }
        let held = self.held;
        if self.is_neutral(&held[..fed]) {
            self.update_shift(&held[..fed]);
            self.held.copy_within(fed..self.len, 0);
            self.len -= fed;
            self.fed = 0;
        }
        (true, None)
    }

    /// Makes a fault of `len` bytes. Drops the first `done` held bytes; those after them will be fed again.
    fn fault(&mut self, len: u8, done: usize) -> Malformed {
        self.shift.fresh = false;
        let held = self.held;
        let (rest, pace) = (&held[done..self.len], self.pace);
        self.restart(self.shift);
        self.pace = pace;
        self.run_limit = CAREFUL_RUN;
        self.held[..rest.len()].copy_from_slice(rest);
        self.len = rest.len();
        Malformed { len, after: rest.len() as u8 }
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.held[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Decodes a run from the front of `src` while nothing is held; ends neutral, or with a fault. It leaves at least
    /// [`LONGEST`] bytes of `src`, so that the last character of the run can be completed.
    fn feed_run(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let most = (src.len() - LONGEST).min((dst.room() - RUN_RESERVE) / 3).min(self.run_limit);
        let mut len = most;
        if self.is_shifted() {
            len = src[..most].iter().position(|byte| *byte == ESC).unwrap_or(most);
            if self.shift.is_double() {
                len &= !1;
            }
        }
        let (mut read, mut fault) = self.run(&src[..len], dst, false);
        while fault.is_none() && read < src.len() && !self.is_neutral(&src[..read]) {
            let (more, found) = self.run(&src[read..read + 1], dst, false);
            read += more;
            fault = found;
        }
        if let Some((len, after)) = fault {
            self.hold(&src[read - after as usize..read]);
            return Step { read, stop: Stop::Fault(self.fault(len, 0)) };
        }
        self.run_limit = self.run_limit.saturating_mul(2);
        // There is no escape sequence in the run.
        self.shift.fresh &= read == 0;
        Step { read, stop: Stop::InputEmpty }
    }
}

impl MultiByteDecoder {
    /// Decodes ASCII, pairs and escape sequences of ISO-2022-JP from the front of `src` while nothing is held, up to another
    /// set or anything that may be a fault; returns how many bytes.
    fn feed_jis(&mut self, jis: &Switched, src: &[u8], dst: &mut Utf8Sink<'_>) -> usize {
        let Shift { set, fresh } = self.shift;
        let mut is_double = self.shift.is_double();
        // An escape sequence right after another one is a fault.
        if !(is_double || set == Shift::INITIAL.set) || (fresh && src.first() == Some(&ESC)) {
            return 0;
        }
        let read = jis.decode(arch::isa(), &mut self.pace.reach, &mut is_double, src, dst);
        if read > 0 {
            let set = if is_double { *b"\x1B$B" } else { Shift::INITIAL.set };
            let fresh = matches!(src[..read], [.., ESC, b'$' | b'(', _]);
            self.inner = self.encoding.new_decoder_without_bom_handling();
            self.shift = Shift { set, fresh };
            self.shift.lead(&mut self.inner);
        }
        read
    }

    fn feed_all(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let mut read = 0;
        let mut ran = false;
        // Also without input: text of held bytes must not wait for the bytes after them.
        while read < src.len() || self.fed < self.len {
            if dst.room() < STEP_ROOM {
                return Step { read, stop: Stop::OutputFull };
            }
            if self.fed < self.len {
                let before = dst.written();
                if let Some(fault) = self.feed_held(dst).1 {
                    return Step { read, stop: Stop::Fault(fault) };
                }
                if dst.written() > before {
                    // Stop, so that it is clear which bytes the next character comes from.
                    return Step { read, stop: Stop::OutputFull };
                }
                continue;
            }
            if self.len == 0 && src.len() - read >= WORTH {
                let plain = self.feed_plain(&src[read..], dst);
                read += plain;
                ran |= plain > 0;
                if read == src.len() {
                    break;
                }
                if dst.room() < STEP_ROOM {
                    return Step { read, stop: Stop::OutputFull };
                }
            }
            let rest = &src[read..];
            if self.len == 0 && rest.len() >= RUN {
                if dst.room() >= RUN_ROOM {
                    let step = self.feed_run(rest, dst);
                    read += step.read;
                    ran = true;
                    match step.stop {
                        Stop::InputEmpty if step.read == 0 => {}
                        Stop::InputEmpty => continue,
                        stop => return Step { read, stop },
                    }
                } else if ran && read > 0 {
                    return Step { read, stop: Stop::OutputFull };
                }
            }
            self.hold(&rest[..1]);
            match self.feed_held(dst) {
                (_, None) => read += 1,
                (true, Some(fault)) => return Step { read: read + 1, stop: Stop::Fault(fault) },
                (false, Some(Malformed { len, after })) => {
                    // The byte is the last held one, and stays unread.
                    self.len -= 1;
                    return Step { read, stop: Stop::Fault(Malformed { len, after: after - 1 }) };
                }
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }
}

impl Decoder for MultiByteDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let step = self.feed_all(src, dst);
        if src.len() >= WORTH {
            self.plain.add_decoded(step.read);
        }
        step
    }

    /// In one run: a short text would otherwise be fed byte by byte.
    fn decode_whole(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> bool {
        self.run(src, dst, true) == (src.len(), None)
    }

    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        while self.fed < self.len {
            if dst.room() < STEP_ROOM {
                return Stop::OutputFull;
            }
            if let Some(fault) = self.feed_held(dst).1 {
                return Stop::Fault(fault);
            }
        }
        if self.len == 0 {
            return Stop::InputEmpty;
        }
        match self.run(&[], dst, true).1 {
            // `inner` is finished; `fault` replaces it.
            Some((len, after)) => Stop::Fault(self.fault(len, self.len - after as usize)),
            None => {
                self.reset();
                Stop::InputEmpty
            }
        }
    }

    fn reset(&mut self) {
        self.restart(Shift::INITIAL);
    }

    fn fork(&self) -> Box<dyn Decoder> {
        let mut fork = Self::new(self.encoding, self.plain.clone(), self.shift);
        fork.hold(&self.held[..self.len]);
        Box::new(fork)
    }

    fn pending(&self) -> usize {
        self.len
    }

    /// The last two bytes of the escape sequence of the set, and whether nothing has followed it.
    fn state(&self) -> Option<u64> {
        let [_, second, third] = self.shift.set.map(u64::from);
        let is_initial = self.shift == Shift::INITIAL;
        Some(if is_initial { 0 } else { second << 16 | third << 8 | u64::from(self.shift.fresh) })
    }

    fn set_state(&mut self, state: u64) -> bool {
        let set = [(state >> 16) as u8, (state >> 8) as u8];
        let shift = Shift { set: [ESC, set[0], set[1]], fresh: state & 1 == 1 };
        self.restart(Shift::INITIAL);
        if self.is_shifted() && Shift::SETS.contains(&&set) {
            self.restart(shift);
        }
        self.state() == Some(state)
    }
}

/// The characters of an encoding that encoding_rs encodes as others. `spec/one-way.md` lists them with the reasons.
struct OneWay {
    of: &'static Encoding,
    chars: &'static [RangeInclusive<char>],
    /// The bytes that their UTF-8 begins with. In text for these encodings, few other characters begin with them.
    leads: [u8; 2],
}

static ONE_WAY: &[OneWay] = &[
    OneWay { of: SHIFT_JIS, chars: &SIGNS, leads: [0xC2, 0xE2] },
    OneWay { of: EUC_JP, chars: &SIGNS, leads: [0xC2, 0xE2] },
    OneWay { of: ISO_2022_JP, chars: &['\u{2212}'..='\u{2212}', '\u{FF61}'..='\u{FF9F}'], leads: [0xE2, 0xEF] },
];

/// The yen sign and the overline, which are encoded as ASCII, and the minus sign, which is encoded as the full-width one.
const SIGNS: [RangeInclusive<char>; 3] = ['\u{A5}'..='\u{A5}', '\u{203E}'..='\u{203E}', '\u{2212}'..='\u{2212}'];

impl OneWay {
    fn of(encoding: &'static Encoding) -> Option<&'static OneWay> {
        ONE_WAY.iter().find(|one_way| one_way.of == encoding)
    }

    fn has(&self, ch: char) -> bool {
        self.chars.iter().any(|range| range.contains(&ch))
    }

    /// Returns the place of the first of them in `text`, and the character.
    fn first_in(&self, text: &str) -> Option<(usize, char)> {
        const BLOCK: usize = 64;
        let [a, b] = self.leads;
        for (index, block) in text.as_bytes().chunks(BLOCK).enumerate() {
            // No branch per byte, so that the compiler vectorizes it. Most blocks have none of them.
            if !block.iter().fold(false, |any, byte| any | (*byte == a) | (*byte == b)) {
                continue;
            }
            for at in (0..block.len()).filter(|at| block[*at] == a || block[*at] == b) {
                let at = index * BLOCK + at;
                if let Some(ch) = text[at..].chars().next().filter(|ch| self.has(*ch)) {
                    return Some((at, ch));
                }
            }
        }
        None
    }
}

/// The escape sequence that leads back to ASCII in ISO-2022-JP, and those to its other sets.
const TO_ASCII: &[u8; 3] = b"\x1B(B";
const TO_ROMAN: &[u8; 3] = b"\x1B(J";
const TO_JIS_X_0208: &[u8; 3] = b"\x1B$B";

/// Returns where the last [`ESC`] is.
fn last_escape(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    for block in bytes.rchunks(64) {
        // No branch per byte, so that the compiler vectorizes it: a long line has none of them.
        if block.iter().fold(false, |any, byte| any | (*byte == ESC)) {
            break;
        }
        end -= block.len();
    }
    bytes[..end].iter().rposition(|byte| *byte == ESC)
}

/// Encodes a multi-byte encoding.
struct MultiByteEncoder {
    inner: encoding_rs::Encoder,
    triples: Option<fn() -> &'static Triples>,
    one_way: Option<&'static OneWay>,
    plain: Arc<Plain>,
    /// How many characters to look up at once: few if the last one that is not plain was near.
    reach: usize,
    /// `inner` wrote [`TO_ASCII`] before something unmappable. It is kept back until ASCII follows: before another escape
    /// sequence it would be a fault. Neither is written if the other one leads back to the same set.
    has_pending_escape: bool,
    /// The escape sequence that was written last, for ISO-2022-JP.
    set: [u8; 3],
}

impl MultiByteEncoder {
    fn new(encoding: &'static Encoding, plain: Arc<Plain>, triples: Option<fn() -> &'static Triples>) -> Self {
        MultiByteEncoder {
            inner: encoding.new_encoder(),
            triples,
            one_way: OneWay::of(encoding),
            plain,
            reach: 0,
            has_pending_escape: false,
            set: Shift::INITIAL.set,
        }
    }

    /// Encodes the front of `src`: plain characters by the table, and the others through encoding_rs.
    fn feed_plain(&mut self, src: &str, dst: &mut ByteSink<'_>, codes: &PlainCodes) -> Step<Unmappable> {
        let (mut read, mut stretch) = (0, SHORT);
        while read < src.len() {
            let before = read;
            dst.fill(|spare| {
                let (more, written) = self.encode_plain(&src[read..], spare, codes);
                read += more;
                written
            });
            stretch = if read - before >= FAR { SHORT } else { stretch.saturating_mul(2) };
            let rest = &src[read..];
            let stretch = if rest.len() < WORTH { rest.len() } else { stretch };
            let len = (stretch..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
            let step = self.feed_others(&rest[..len], dst);
            read += step.read;
            if step.stop != Stop::InputEmpty {
                return Step { read, stop: step.stop };
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    /// Encodes plain characters from the front of `src` by the table; returns how many bytes were read and written.
    fn encode_plain(&mut self, src: &str, spare: &mut [u8], codes: &PlainCodes) -> (usize, usize) {
        if self.inner.encoding() != ISO_2022_JP {
            return codes.encode(src, spare, &mut self.reach);
        }
        static SWITCH: Switch = Switch::new(TO_ASCII, TO_JIS_X_0208, JIS_OTHERS);
        let was_double = self.set == *TO_JIS_X_0208;
        if self.has_pending_escape || !(was_double || self.set == *TO_ASCII) {
            return (0, 0);
        }
        let mut is_double = was_double;
        let done = codes.encode_switched(&SWITCH, &mut is_double, src, spare, &mut self.reach);
        if is_double != was_double {
            self.enter(if is_double { *TO_JIS_X_0208 } else { *TO_ASCII });
        }
        done
    }

    /// Makes `inner` afresh, in a set of ISO-2022-JP.
    fn enter(&mut self, set: [u8; 3]) {
        self.inner = ISO_2022_JP.new_encoder();
        self.set = set;
        // A character of the set leads there.
        let way = match &set {
            TO_JIS_X_0208 => "あ",
            TO_ROMAN => "¥",
            _ => "",
        };
        let _ = self.inner.encode_from_utf8_without_replacement(way, &mut [0; 32], false);
    }

    /// Encodes the front of `src` through encoding_rs.
    fn feed_others(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        match self.one_way {
            _ if src.is_empty() => Step { read: 0, stop: Stop::InputEmpty },
            Some(one_way) => self.feed_watching(src, dst, one_way),
            None => self.run(src, dst, false),
        }
    }

    /// Encodes the front of `src`. The characters of `one_way` are faults.
    fn feed_watching(&mut self, src: &str, dst: &mut ByteSink<'_>, one_way: &OneWay) -> Step<Unmappable> {
        /// How much is searched before it is encoded. Not much, because what does not fit is searched again.
        const STRETCH: usize = 2048;
        let mut read = 0;
        while read < src.len() {
            let rest = &src[read..];
            let end = (STRETCH..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
            let stretch = &rest[..end];
            let found = one_way.first_in(stretch);
            let sound = found.map_or(stretch.len(), |(at, _)| at);
            if sound > 0 {
                let step = self.run(&stretch[..sound], dst, false);
                read += step.read;
                if step.stop != Stop::InputEmpty {
                    return Step { read, stop: step.stop };
                }
            }
            if let Some((_, ch)) = found {
                return Step { read: read + ch.len_utf8(), stop: Stop::Fault(Unmappable { ch, after: 0 }) };
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    /// Encodes the front of `src`, also what takes three bytes.
    fn run(&mut self, src: &str, dst: &mut ByteSink<'_>, last: bool) -> Step<Unmappable> {
        let mut read = 0;
        loop {
            let step = self.run_inner(&src[read..], dst, last);
            read += step.read;
            let Stop::Fault(Unmappable { ch, .. }) = step.stop else { return Step { read, stop: step.stop } };
            match self.triples.and_then(|triples| triples().get(ch)) {
                None => return Step { read, stop: step.stop },
                // The encoder has no state, so the character can be given to it again.
                Some(code) if !dst.push(&code) => return Step { read: read - ch.len_utf8(), stop: Stop::OutputFull },
                Some(_) if read == src.len() => return Step { read, stop: Stop::InputEmpty },
                Some(_) => {}
            }
        }
    }

    /// Encodes the front of `src` by encoding_rs.
    fn run_inner(&mut self, src: &str, dst: &mut ByteSink<'_>, last: bool) -> Step<Unmappable> {
        let pending = if self.has_pending_escape { &TO_ASCII[..] } else { b"" };
        let mut outcome = (EncoderResult::OutputFull, 0);
        dst.fill(|room| {
            let Some((front, rest)) = room.split_at_mut_checked(pending.len()) else { return 0 };
            let (result, read, mut written) = self.inner.encode_from_utf8_without_replacement(src, rest, last);
            // Also where the room ends after it: what follows may be unmappable.
            let may_be_useless = !matches!(result, EncoderResult::InputEmpty);
            outcome = (result, read);
            if self.inner.encoding() != ISO_2022_JP || written == 0 {
                return written;
            }
            if rest[0] == ESC {
                // Back in the set that the text is still in, the escape sequence says nothing new.
                let is_known = !pending.is_empty() && rest[..written].starts_with(&self.set);
                let known = if is_known { self.set.len() } else { 0 };
                room.copy_within(pending.len() + known..pending.len() + written, 0);
                written -= known;
            } else {
                front.copy_from_slice(pending);
                written += pending.len();
            }
            self.has_pending_escape = may_be_useless && room[..written].ends_with(TO_ASCII);
            if self.has_pending_escape {
                written -= TO_ASCII.len();
            }
            if let Some(at) = last_escape(&room[..written])
                && let Some(set) = room[at..].first_chunk()
            {
                self.set = *set;
            }
            written
        });
        let stop = match outcome.0 {
            EncoderResult::InputEmpty => Stop::InputEmpty,
            EncoderResult::OutputFull => Stop::OutputFull,
            // For SO, SI and ESC in ISO-2022-JP encoding_rs reports U+FFFD. Report the character that it stopped at.
            EncoderResult::Unmappable(ch) => {
                let ch = src[..outcome.1].chars().next_back().unwrap_or(ch);
                Stop::Fault(Unmappable { ch, after: 0 })
            }
        };
        Step { read: outcome.1, stop }
    }
}

impl Encoder for MultiByteEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        // Too short for tables, and to count it would take a while.
        if src.len() < WORTH {
            return self.feed_others(src, dst);
        }
        let plain = self.plain.clone();
        if let Some(codes) = plain.codes(src.len()) {
            return self.feed_plain(src, dst, codes);
        }
        let step = self.feed_others(src, dst);
        plain.codes.add(step.read);
        step
    }

    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        if self.has_pending_escape {
            if !dst.push(TO_ASCII) {
                return Stop::OutputFull;
            }
            self.has_pending_escape = false;
            self.set = Shift::INITIAL.set;
        }
        if !self.inner.has_pending_state() {
            return Stop::InputEmpty;
        }
        let stop = self.run("", dst, true).stop;
        if stop == Stop::InputEmpty {
            // `inner` would panic if it were used again.
            self.reset();
        }
        stop
    }

    fn reset(&mut self) {
        *self = Self::new(self.inner.encoding(), self.plain.clone(), self.triples);
    }

    fn fork(&self) -> Option<Box<dyn Encoder>> {
        let mut fork = Self::new(self.inner.encoding(), self.plain.clone(), self.triples);
        fork.set_state(self.state()?).then_some(Box::new(fork))
    }

    /// The last byte of the escape sequence that was written last, and whether the one to ASCII is kept back.
    fn state(&self) -> Option<u64> {
        let is_initial = self.set == Shift::INITIAL.set;
        Some(if is_initial { 0 } else { u64::from(self.set[2]) << 1 | u64::from(self.has_pending_escape) })
    }

    fn set_state(&mut self, state: u64) -> bool {
        self.reset();
        let set = match state >> 1 {
            _ if self.inner.encoding() != ISO_2022_JP => return state == 0,
            0x4A => *TO_ROMAN,
            0x42 => *TO_JIS_X_0208,
            _ => return state == 0,
        };
        // `inner` has written the escape sequence that is kept back.
        self.has_pending_escape = state & 1 == 1;
        self.enter(if self.has_pending_escape { *TO_ASCII } else { set });
        self.set = set;
        true
    }

    /// The substitution character is SUB, as in the single-byte pages.
    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        let text = match which {
            Replacement::Substitute => "\u{1A}",
            Replacement::BestFit => {
                let has_one = self.one_way.is_some_and(|one_way| one_way.has(ch));
                return has_one && self.run(ch.encode_utf8(&mut [0; 4]), dst, false).stop == Stop::InputEmpty;
            }
            Replacement::Text(text) => text,
        };
        // All of these charsets have ASCII, so all of it is written.
        text.is_ascii() && self.run(text, dst, false).stop == Stop::InputEmpty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The encodings with plain characters.
    const PLAIN: [&Encoding; 6] = [SHIFT_JIS, EUC_JP, EUC_KR, GBK, GB18030, BIG5];

    /// Those that are also encoded with tables.
    const ENCODED: [&Encoding; 7] = [SHIFT_JIS, EUC_JP, EUC_KR, GBK, GB18030, BIG5, ISO_2022_JP];

    /// The codec, with tables after so many bytes.
    fn with_tables_after(encoding: &'static Encoding, enough: usize) -> MultiByte {
        MultiByte { encoding, plain: Arc::new(Plain::new(encoding, enough)), triples: None }
    }

    /// The codec that never has tables: encoding_rs itself.
    fn without_tables(encoding: &'static Encoding) -> MultiByte {
        with_tables_after(encoding, usize::MAX)
    }

    /// The steps of Marsaglia's xorshift generator.
    struct Dice(u64);

    impl Dice {
        fn new() -> Self {
            Dice(0x9E37_79B9_7F4A_7C15)
        }

        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 33) as usize % end
        }
    }

    /// Encodes pieces of at most so many bytes, with this much room; returns the bytes, and the place of each fault in the
    /// text and in the bytes.
    fn encoded(codec: &MultiByte, text: &str, piece: usize, room: usize) -> (Vec<u8>, Vec<(usize, usize, char)>) {
        let (mut encoder, mut room) = (codec.encoder().unwrap(), vec![0; room]);
        let (mut bytes, mut faults, mut read) = (Vec::new(), Vec::new(), 0);
        while read < text.len() {
            let end = (read + piece..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
            while read < end {
                let mut sink = ByteSink::new(&mut room);
                let step = encoder.feed(&text[read..end], &mut sink);
                bytes.extend(sink.as_bytes());
                read += step.read;
                if let Stop::Fault(fault) = step.stop {
                    faults.push((read, bytes.len(), fault.ch));
                }
            }
        }
        (bytes, faults)
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_character_is_encoded_as_without_tables() {
        let all = || (0..0x11_0000).filter_map(char::from_u32);
        let sampled = all().filter(|ch| crate::arch::is_full() || (*ch as u32).is_multiple_of(5) || *ch < '\u{3100}');
        // In a row, where all that has no code of two bytes ends a batch; and between plain characters. Of what is above
        // the second supplementary plane, an encoding has everything, by arithmetic, or nothing.
        let row: String =
            all().filter(|ch| crate::arch::is_full() || (*ch as u32).is_multiple_of(61) || *ch < '\u{30000}').collect();
        let among: String = sampled.flat_map(|ch| ['あ', 'a', ch]).collect();
        for encoding in ENCODED {
            for text in [&row, &among] {
                // It has nothing of what is above the first plane, and each fault takes it a while.
                let end = text.find(|ch| encoding == ISO_2022_JP && ch > '\u{FFFF}').unwrap_or(text.len());
                let text = &text[..end];
                let expected = encoded(&without_tables(encoding), text, 1 << 16, 1 << 16);
                let made = encoded(&with_tables_after(encoding, 0), text, 1 << 16, 1 << 16);
                assert!(made == expected, "{encoding:?}");
            }
        }
    }

    /// A text with words of ASCII, plain characters of all lengths, and others among them.
    fn random_text(dice: &mut Dice, len: usize) -> String {
        let mut text = String::new();
        while text.len() < len {
            let (from, range) = match dice.below(12) {
                0..3 => (0x4E00, 0x5200),
                3 => (0x3041, 0xB0),
                4 => (0xAC00, 0x2BA4),
                5 => (0xFF01, 0xA0),
                6 => (0x391, 0xC0),
                7 => (0xA0, 0x60),
                8 => (0x2000, 0x300),
                9 if dice.below(4) == 0 => (0x1F300, 0x400),
                10 if dice.below(4) == 0 => (0, 0x2_FFFF),
                // What ISO-2022-JP has in another set, and what it lacks.
                11 if dice.below(4) == 0 => (0xA5, 1),
                11 if dice.below(4) == 0 => (0xE, 2),
                _ => (0x20, 0x5F),
            };
            text.extend((0..dice.below(30)).filter_map(|_| char::from_u32(from + dice.below(range) as u32)));
        }
        text
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn random_text_is_encoded_as_without_tables() {
        let mut dice = Dice::new();
        for encoding in ENCODED {
            let (plain, codec) = (without_tables(encoding), with_tables_after(encoding, 0));
            let count = if encoding == ISO_2022_JP { 5_000 } else { 20_000 };
            for _ in 0..if crate::arch::is_full() { count } else { 300 } {
                let len = dice.below(1500);
                let text = random_text(&mut dice, len);
                let (piece, room) = (1 + dice.below(700), 16 + dice.below(900));
                let expected = encoded(&plain, &text, usize::MAX / 2, 1 << 16);
                assert_eq!(encoded(&codec, &text, usize::MAX / 2, 1 << 16), expected, "{encoding:?} {text:?}");
                assert_eq!(encoded(&codec, &text, piece, room), expected, "{encoding:?} {piece} {room} {text:?}");
            }
        }
    }

    /// Text of ISO-2022-JP with escape sequences put in anywhere, and other damage.
    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn damaged_iso_2022_jp_is_decoded_as_without_tables() {
        const PARTS: [&[u8]; 16] = [
            b"\x1B(B",
            b"\x1B(J",
            b"\x1B(I",
            b"\x1B$B",
            b"\x1B$@",
            b"\x1B",
            b"\x1B$",
            b"\x0E",
            b"\x0F",
            b"\x80",
            b"\n",
            b"\x7F",
            b"\0",
            b"\0!",
            b"$\"",
            b"plain text of some length, longer than a block of sixty-four bytes, and then more of it",
        ];
        let mut dice = Dice::new();
        let plain = without_tables(ISO_2022_JP);
        for _ in 0..if crate::arch::is_full() { 100_000 } else { 1000 } {
            let (mut bytes, len) = (Vec::new(), dice.below(700));
            while bytes.len() < len {
                match dice.below(3) {
                    0 => bytes.extend((0..2 * dice.below(30)).map(|_| 0x21 + dice.below(0x54) as u8)),
                    1 => bytes.extend(b"\x1B$B$\"$$\x1B(B a "),
                    _ => bytes.extend(PARTS[dice.below(PARTS.len())]),
                }
            }
            let (piece, room, enough) = (1 + dice.below(700), 64 + dice.below(900), dice.below(2) * dice.below(700));
            let expected = decoded(&plain, &bytes, usize::MAX, 1 << 16);
            let codec = with_tables_after(ISO_2022_JP, enough);
            assert_eq!(decoded(&codec, &bytes, usize::MAX, 1 << 16), expected, "{bytes:?}");
            assert_eq!(decoded(&codec, &bytes, piece, room), expected, "{piece} {room} {enough} {bytes:?}");
        }
    }

    /// The tables come in between at any place, whatever the pieces are.
    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn tables_for_decoding_come_in_at_any_place() {
        let mut dice = Dice::new();
        for (encoding, piece) in PLAIN.into_iter().flat_map(|encoding| [1, 70, 200].map(|piece| (encoding, piece))) {
            let bytes = damaged(&mut dice, encoding, 1000);
            let expected = decoded(&without_tables(encoding), &bytes, 1 << 16, 1 << 16);
            for enough in (0..1000).step_by(if crate::arch::is_full() { 1 } else { 37 }) {
                let made = decoded(&with_tables_after(encoding, enough), &bytes, piece, 300);
                assert_eq!(made, expected, "{encoding:?} {enough} {piece}");
            }
        }
    }

    /// The tables come in between at any place, whatever the pieces are.
    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn tables_for_encoding_come_in_at_any_place() {
        let text = random_text(&mut Dice::new(), 1000);
        for (encoding, piece) in ENCODED.into_iter().flat_map(|encoding| [1, 70, 200].map(|piece| (encoding, piece))) {
            let expected = encoded(&without_tables(encoding), &text, 1 << 16, 1 << 16);
            for enough in (0..1000).step_by(if crate::arch::is_full() { 1 } else { 37 }) {
                let made = encoded(&with_tables_after(encoding, enough), &text, piece, 300);
                assert_eq!(made, expected, "{encoding:?} {enough} {piece}");
            }
        }
    }

    /// Decodes pieces of so many bytes, with this much room; returns the text, and the place of each fault in the bytes and in
    /// the text, and its length.
    fn decoded(codec: &MultiByte, bytes: &[u8], piece: usize, room: usize) -> (String, Vec<(usize, usize, u8)>) {
        let (mut decoder, mut room) = (codec.decoder(), vec![0; room]);
        let (mut text, mut faults, mut read) = (String::new(), Vec::new(), 0);
        for piece in bytes.chunks(piece) {
            let is_last = read + piece.len() == bytes.len();
            let is_done = crate::codec::drive(&mut *decoder, piece, is_last, &mut room, |step| {
                text.push_str(step.text);
                read += step.read;
                if let Some(fault) = step.fault {
                    faults.push((read - usize::from(fault.after), text.len(), fault.len));
                }
                true
            });
            assert!(is_done);
        }
        (text, faults)
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn every_pair_is_decoded_as_without_tables() {
        // Before ASCII and before the end of a line, at both parities; back to back; and alone amid plain text.
        let pairs = || (0..=u16::MAX).map(u16::to_be_bytes);
        let spaced: Vec<u8> = pairs().flat_map(|[a, b]| [a, b, b'x', b'y', a, b, b'\n']).collect();
        let row: Vec<u8> = pairs().flatten().collect();
        let step = if crate::arch::is_full() { 1 } else { 7 };
        for encoding in PLAIN {
            let (plain, codec) = (without_tables(encoding), with_tables_after(encoding, 0));
            for bytes in [&spaced, &row, &row[1..].to_vec()] {
                assert!(
                    decoded(&codec, bytes, 1 << 16, 1 << 18) == decoded(&plain, bytes, 1 << 16, 1 << 18),
                    "{encoding:?}"
                );
            }
            let (amid, _, _) = encoding.encode("平平a平平平b平平平平c平平平平d平平平平e平平平平f平");
            let amid: Vec<u8> =
                pairs().skip(0x8000).step_by(step).flat_map(|[a, b]| [&[a, b], &*amid].concat()).collect();
            assert!(
                decoded(&codec, &amid, 1 << 16, 1 << 18) == decoded(&plain, &amid, 1 << 16, 1 << 18),
                "{encoding:?}"
            );
        }
    }

    /// Damages some bytes of a text in the encoding: replaced, removed and added ones, and sequences that are not plain.
    fn damaged(dice: &mut Dice, encoding: &'static Encoding, len: usize) -> Vec<u8> {
        const OTHERS: [&[u8]; 12] = [
            b"\x81\x30\x81\x30",
            b"\x8F\xA2\xAF",
            b"\x88\x62",
            b"\x88\xA3",
            b"\x8B\xA2",
            b"\x80",
            b"\xFF",
            b"\x90\x30\x81\x30",
            b"\x84\x31\xA4\x37",
            b"\x8E\xB1",
            b"\xA1",
            b"\x1A",
        ];
        let text = random_text(dice, len);
        let mut bytes = encoding.encode(&text).0.into_owned();
        for _ in 0..dice.below(12) {
            let at = dice.below(bytes.len() + 1);
            match dice.below(5) {
                0 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                2 => bytes.insert(at, dice.below(256) as u8),
                3 => drop(bytes.splice(at..at, (0..dice.below(40)).map(|_| dice.below(256) as u8).collect::<Vec<_>>())),
                _ => drop(bytes.splice(at..at, OTHERS[dice.below(OTHERS.len())].iter().copied())),
            }
        }
        bytes
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn damaged_text_is_decoded_as_without_tables() {
        let mut dice = Dice::new();
        for encoding in PLAIN {
            let (plain, codec) = (without_tables(encoding), with_tables_after(encoding, 0));
            for _ in 0..if crate::arch::is_full() { 20_000 } else { 300 } {
                let len = dice.below(1500);
                let bytes = damaged(&mut dice, encoding, len);
                let (piece, room) = (1 + dice.below(700), 64 + dice.below(900));
                let expected = decoded(&plain, &bytes, usize::MAX, 1 << 16);
                assert_eq!(decoded(&codec, &bytes, usize::MAX, 1 << 16), expected, "{encoding:?} {bytes:?}");
                assert_eq!(decoded(&codec, &bytes, piece, room), expected, "{encoding:?} {piece} {room} {bytes:?}");
            }
        }
    }

    #[test]
    fn the_last_escape_is_found_anywhere() {
        assert_eq!(last_escape(b""), None);
        for len in [1, 63, 64, 65, 200] {
            assert_eq!(last_escape(&vec![b'x'; len]), None);
            for at in 0..len {
                let mut bytes = vec![b'x'; len];
                (bytes[0], bytes[at]) = (ESC, ESC);
                assert_eq!(last_escape(&bytes), Some(at));
            }
        }
    }
}
