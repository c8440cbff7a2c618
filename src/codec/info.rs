//! Information about a charset besides its name, decoder and encoder: [`CodecInfo`].

use super::table::Table;
use super::{Codec, Decoder, Encoder};
use crate::words::words;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Information about a charset, as [`Codec::info`] returns it.
///
/// [`new`](Self::new) fills in the fields that follow from the name. Set the other fields that you know; a field that
/// is not set means that nothing is known. A codec that wraps another one starts with the other's information:
///
/// ```
/// use charpipe::{Codec, Decoder, Encoder};
/// use charpipe::codec::CodecInfo;
/// use std::sync::Arc;
///
/// struct Renamed(Arc<dyn Codec>);
///
/// impl Codec for Renamed {
///     fn name(&self) -> &str {
///         "X-RENAMED"
///     }
///     fn decoder(&self) -> Box<dyn Decoder> {
///         self.0.decoder()
///     }
///     fn encoder(&self) -> Option<Box<dyn Encoder>> {
///         self.0.encoder()
///     }
///     fn info(&self) -> CodecInfo<'_> {
///         let mut info = self.0.info();
///         info.xml_name = Some("X-RENAMED");
///         info
///     }
/// }
///
/// let page = charpipe::Registry::builtin().codec("IBM1047")?;
/// let renamed = Renamed(page);
/// assert_eq!(renamed.info().source, "ibm-1047_P100-1995.ucm");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CodecInfo<'a> {
    /// The name to write into an XML declaration; `None` if there is none. It must be an EncName (XML 1.0 production
    /// 81), which the transcoder checks.
    pub xml_name: Option<&'a str>,
    /// Where the table or the rules come from, in a few words: a standard, a file or a crate. Empty if unknown.
    pub source: &'a str,
    /// For a label without a byte order (`UTF-16`), the charsets that it may mean. The codec decodes and encodes as the
    /// first one.
    pub byte_orders: Option<ByteOrders>,
    /// Labels of the codec that name a smaller charset. [`Registry::codec`](crate::Registry::codec) sets
    /// [`read_as_superset`](Self::read_as_superset) of the codecs that it finds by one of them.
    pub superset: Option<Superset<'a>>,
    /// If the label that led to the codec names a smaller charset: the name of the superset that is read in its place.
    /// Detection reports it as `superset-used`.
    ///
    /// ```
    /// # #[cfg(feature = "whatwg")] {
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.codec("EUC-KR")?.info().read_as_superset, Some("windows-949"));
    /// assert_eq!(registry.codec("windows-949")?.info().read_as_superset, None);
    /// # }
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub read_as_superset: Option<&'a str>,
    /// The newline convention that the label selects. An option does not override it.
    pub newline: Option<EbcdicNl>,
    /// The table that the codec runs; `None` if the codec is code. A codec with a table both decodes and encodes.
    /// [`table`](Self::table) returns it; to have it here costs nothing.
    pub table: Option<&'a dyn TableSource>,
}

impl<'a> CodecInfo<'a> {
    /// Returns the information that follows from the name of a codec: if it is an EncName, it is the XML name too.
    #[must_use]
    pub fn new(name: &'a str) -> Self {
        CodecInfo { xml_name: Some(name).filter(|name| is_enc_name(name)), ..CodecInfo::default() }
    }

    /// Returns the table that the codec runs; `None` if the codec is code. For a built-in code page every call builds
    /// the table again.
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.codec("IBM037")?.info().table().unwrap().substitute, [0x3F]);
    /// assert!(registry.codec("UTF-8")?.info().table().is_none());
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn table(&self) -> Option<Cow<'a, Table>> {
        Some(self.table?.table())
    }
}

impl fmt::Debug for CodecInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodecInfo")
            .field("xml_name", &self.xml_name)
            .field("source", &self.source)
            .field("byte_orders", &self.byte_orders)
            .field("superset", &self.superset)
            .field("read_as_superset", &self.read_as_superset)
            .field("newline", &self.newline)
            .field("has_table", &self.table.is_some())
            .finish()
    }
}

/// A charset whose label leaves the byte order to the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteOrders {
    /// The names of the codecs that it may mean. The first one is used if the bytes do not show the order.
    pub names: &'static [&'static str],
    /// Whether output begins with a byte order mark.
    pub bom: bool,
}

/// The labels of a codec that name a smaller charset than the one that it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Superset<'a> {
    /// The name of the superset, for messages.
    pub name: &'a str,
    /// The labels of the smaller charset. Only their letters and digits are compared, in any case.
    pub smaller: &'a [&'a str],
}

/// Which newline convention an EBCDIC codec follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum EbcdicNl {
    /// As the table says. In IBM's tables 15 is U+0085 and 25 is U+000A (CDRA, ICU, glibc).
    #[default]
    Table,
    /// 15 is U+000A and 25 is U+0085 (z/OS UNIX).
    Zos,
    /// Both are decoded as U+000A; U+000A and U+0085 are encoded as 15. Not reversible (the JDK).
    Fold,
}

words! { EbcdicNl { Table: "table", Zos: "zos", Fold: "fold" } }

/// Makes the table of a codec when it is asked for.
pub trait TableSource {
    /// Returns the table.
    fn table(&self) -> Cow<'_, Table>;

    /// Returns what character each of the 256 bytes is at the beginning of a text; `None` for a byte that is not a whole
    /// character. The result as a whole is `None` if it takes less work to ask a decoder. That is the default.
    fn single_bytes(&self) -> Option<[Option<char>; 256]> {
        None
    }
}

impl TableSource for Table {
    fn table(&self) -> Cow<'_, Table> {
        Cow::Borrowed(self)
    }
}

/// Returns whether `name` is an EncName: `[A-Za-z] ([A-Za-z0-9._] | '-')*` (XML 1.0 production 81).
///
/// ```
/// assert!(charpipe::codec::is_enc_name("ISO-8859-1"));
/// assert!(!charpipe::codec::is_enc_name("1047"));
/// ```
#[must_use]
pub fn is_enc_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

/// Returns the codec as `label`, one of its own labels, means it: if the label names a smaller charset, a codec that
/// says so in [`CodecInfo::read_as_superset`].
pub(crate) fn for_label(codec: &Arc<dyn Codec>, label: &str) -> Arc<dyn Codec> {
    fn key(label: &str) -> impl Iterator<Item = u8> {
        label.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
    }
    let superset = codec.info().superset;
    match superset.is_some_and(|superset| superset.smaller.iter().any(|smaller| key(smaller).eq(key(label)))) {
        true => Arc::new(ReadAsSuperset(codec.clone())),
        false => codec.clone(),
    }
}

/// A codec that was found by a label of a smaller charset.
struct ReadAsSuperset(Arc<dyn Codec>);

impl Codec for ReadAsSuperset {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        self.0.decoder()
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        self.0.encoder()
    }

    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        self.0.with_decoder(work);
    }

    fn with_encoder(&self, work: &mut dyn FnMut(&mut dyn Encoder)) -> bool {
        self.0.with_encoder(work)
    }

    fn info(&self) -> CodecInfo<'_> {
        let info = self.0.info();
        CodecInfo { read_as_superset: info.superset.map(|superset| superset.name), ..info }
    }
}

/// Returns the codec, a form of Unicode in one byte order, as a target whose output begins with a byte order mark.
pub(crate) fn with_mark(codec: &Arc<dyn Codec>) -> Arc<dyn Codec> {
    const NAMES: [&[&str]; 7] =
        [&["UTF-8"], &["UTF-16LE"], &["UTF-16BE"], &["UTF-32LE"], &["UTF-32BE"], &["UCS-2LE"], &["UCS-2BE"]];
    let names = NAMES.into_iter().find(|names| names[0] == codec.name()).unwrap_or_default();
    Arc::new(WithMark { codec: codec.clone(), orders: ByteOrders { names, bom: true } })
}

/// A codec whose output begins with a byte order mark.
struct WithMark {
    codec: Arc<dyn Codec>,
    /// Only its own.
    orders: ByteOrders,
}

impl Codec for WithMark {
    fn name(&self) -> &str {
        self.codec.name()
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        self.codec.decoder()
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        self.codec.encoder()
    }

    fn info(&self) -> CodecInfo<'_> {
        CodecInfo { byte_orders: Some(self.orders), ..self.codec.info() }
    }
}
