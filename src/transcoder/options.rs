//! The builder for a conversion: its source, its target and its policies.

use super::choices::{Bom, Gaps, OnMalformed, OnUnknown, OnUnmappable, Padding, Relabel};
use crate::codec::{Codec, EbcdicNl, is_utf8};
use crate::detect::{Hints, Kind, Policy};
use crate::error::{Error, ErrorKind};
use crate::records::overlong::OnOverlong;
use crate::records::{Carriage, Columns, Deframer, Framer, Shape, TapeFile};
use crate::registry::{Encoding, Registry};
use crate::text::controls::OnControl;
use crate::text::eol::{Eol, OnNewlineInRecord};
#[cfg(feature = "mojibake")]
use crate::text::mojibake::OnMojibake;
#[cfg(feature = "normalize")]
use crate::text::normalize::Normalization;
use crate::transcoder::byte_page::BytePage;
use crate::transcoder::charset::has_bom;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Configures a conversion: source, target and error policies.
///
/// Make one, and use it any number of times, from any number of threads. Each method replaces the value from an earlier
/// call of the same method.
///
/// ```
/// use charpipe::{OnMalformed, Transcode};
///
/// let mut output = Vec::new();
/// let report = Transcode::new()
///     .source_encoding("UTF-8")?
///     .target_encoding("IBM1047")?
///     .on_malformed(OnMalformed::Replace)
///     .run(&b"a\xFFb"[..], &mut output)?;
/// assert_eq!(output, b"\x81\x3F\x82");
/// assert_eq!(report.malformed.first[0].offset, 1);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it runs"]
pub struct Transcode {
    pub(super) settings: Settings,
}

/// The options, as plain data.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) registry: Registry,
    pub(super) hints: Hints,
    /// The target as it was named.
    named_to: Arc<dyn Codec>,
    /// Its meaning under the policy.
    pub(super) to: Arc<dyn Codec>,
    /// The target is UTF-8. Asking the codec takes longer than decoding a short value.
    pub(super) to_utf8: bool,
    pub(super) malformed: OnMalformed,
    /// The page that malformed bytes are read as, instead of that policy.
    pub(super) read_as: Option<Arc<BytePage>>,
    /// `None`: a character reference in XML, otherwise an error.
    pub(super) unmappable: Option<OnUnmappable>,
    pub(super) best_fit: bool,
    pub(super) approximate: bool,
    pub(super) unknown: OnUnknown,
    pub(super) relabel: Relabel,
    pub(super) bom: Bom,
    pub(super) eol: Eol,
    pub(super) ebcdic_nl: EbcdicNl,
    pub(super) controls: OnControl,
    #[cfg(feature = "mojibake")]
    pub(super) mojibake: OnMojibake,
    #[cfg(feature = "normalize")]
    pub(super) normalize: Option<Normalization>,
    pub(super) input: Input,
    pub(super) to_records: Option<Shape>,
    pub(super) overlong: OnOverlong,
    pub(super) counts_lines: bool,
    pub(super) jobs: NonZeroUsize,
    /// The size of the blocks that are converted in parallel, in bytes.
    pub(super) block: usize,
}

/// The options about the records of the input.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    /// `None`: the input has no records.
    pub(super) shape: Option<Shape>,
    pub(super) blanks: Padding,
    /// The file of a tape image. `None`: all files.
    pub(super) file: Option<TapeFile>,
    pub(super) columns: Option<Columns>,
    pub(super) gaps: Gaps,
    pub(super) carriage: Option<Carriage>,
    pub(super) shifts_as_blanks: bool,
    /// `None`: depends on the output, see [`Settings::newlines_in_records`].
    pub(super) newlines: Option<OnNewlineInRecord>,
}

impl Settings {
    /// Returns whether the text is normalised.
    #[cfg(feature = "normalize")]
    pub(super) fn normalizes(&self) -> bool {
        self.normalize.is_some()
    }

    /// Returns whether the text is normalised.
    #[cfg(not(feature = "normalize"))]
    pub(super) fn normalizes(&self) -> bool {
        false
    }

    /// Returns whether damaged text is repaired.
    #[cfg(feature = "mojibake")]
    pub(super) fn repairs(&self) -> bool {
        self.mojibake == OnMojibake::Repair
    }

    /// Returns whether damaged text is repaired.
    #[cfg(not(feature = "mojibake"))]
    pub(super) fn repairs(&self) -> bool {
        false
    }

    /// Returns the same settings for an input that is text: it is UTF-8, regardless of its own label or its transport.
    ///
    /// # Errors
    /// [`ErrorKind::Options`] if the input has records.
    pub(super) fn of_text(&self) -> Result<Settings, Error> {
        if self.input.shape.is_some() {
            return Err(ErrorKind::Options { what: "text has no records; set how they are written instead" }.into());
        }
        let hints = Hints { from: Some(Arc::new(crate::codec::Utf8)), ..self.hints.clone() };
        Ok(Settings { hints, ..self.clone() })
    }

    /// Returns whether readable approximations are wanted.
    fn wants_approximations(&self) -> bool {
        self.approximate || self.unmappable == Some(OnUnmappable::Translit)
    }

    /// Returns what to do with newlines inside records.
    pub(super) fn newlines_in_records(&self) -> OnNewlineInRecord {
        // If records become lines, there must be as many lines as records.
        let by_output = if self.to_records.is_some() { OnNewlineInRecord::Keep } else { OnNewlineInRecord::Error };
        self.input.newlines.unwrap_or(by_output)
    }

    /// If nothing names the encoding of the input, and every column names its own, makes that of the first the encoding
    /// of the input: nothing else is decoded.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`].
    pub(super) fn name_source_by_columns(&mut self) -> Result<(), Error> {
        if let (None, Some(columns)) = (&self.hints.from, &self.input.columns)
            && columns.ranges().iter().all(|range| range.page.is_some())
            && let Some(page) = columns.pages().next()
        {
            self.hints.from = Some(self.registry.codec(page)?);
        }
        Ok(())
    }

    /// Returns why the columns of records cannot be converted in their places with these options.
    fn why_not_in_place(&self) -> Option<&'static str> {
        let Input { columns, gaps, carriage, blanks, shifts_as_blanks, newlines, .. } = &self.input;
        let changes_newlines = !matches!(self.eol, Eol::Auto | Eol::Keep)
            || newlines.is_some_and(|policy| policy != OnNewlineInRecord::Keep);
        if *gaps != Gaps::Keep {
            let has_pages = columns.as_ref().is_some_and(|columns| columns.pages().next().is_some());
            return has_pages
                .then_some("a column can have a code page of its own only if the bytes outside the columns are kept");
        }
        if columns.is_none() {
            Some("the bytes outside the columns can be kept only if there are columns")
        } else if self.to_records.is_none() {
            Some("the bytes outside the columns can be kept only if the output consists of records")
        } else if changes_newlines || self.controls != OnControl::Keep {
            Some("newlines and control characters cannot be changed if the bytes outside the columns are kept")
        } else if self.read_as.is_some() {
            Some("malformed bytes cannot be read as another charset if the bytes outside the columns are kept")
        } else if self.normalizes() {
            Some("text cannot be normalised if the bytes outside the columns are kept")
        } else if self.repairs() {
            Some("damaged text cannot be repaired if the bytes outside the columns are kept")
        } else if carriage.is_some() || *shifts_as_blanks || matches!(blanks, Padding::Nuls | Padding::TrimNuls) {
            Some(
                "printer control codes, shift codes and NULs cannot be changed if the bytes outside the columns are kept",
            )
        } else {
            (self.bom == Bom::Add)
                .then_some("there can be no byte order mark if the bytes outside the columns are kept")
        }
    }
}

impl Input {
    /// Returns a deframer for the beginning of the input, if it has records.
    pub(super) fn deframer(&self) -> Option<Deframer> {
        self.shape.as_ref().map(|shape| Deframer::new(shape).file(self.file.clone()))
    }
}

impl Settings {
    fn update_target(&mut self) {
        let policy = self.hints.policy.traits();
        self.to = policy.target(&*self.named_to).unwrap_or_else(|| self.named_to.clone());
    }
}

/// The default size of the blocks that are converted in parallel: as fast as larger ones, and all of them together fit
/// into a processor's cache.
const BLOCK_BYTES: usize = 256 << 10;

impl Transcode {
    /// Returns a conversion that detects the encoding of its input and writes UTF-8, with the built-in codecs.
    pub fn new() -> Self {
        Transcode {
            settings: Settings {
                registry: Registry::builtin(),
                hints: Hints::default(),
                named_to: Arc::new(crate::codec::Utf8),
                to: Arc::new(crate::codec::Utf8),
                to_utf8: true,
                malformed: OnMalformed::default(),
                read_as: None,
                unmappable: None,
                best_fit: false,
                approximate: false,
                unknown: OnUnknown::default(),
                relabel: Relabel::default(),
                bom: Bom::default(),
                eol: Eol::default(),
                ebcdic_nl: EbcdicNl::default(),
                controls: OnControl::default(),
                #[cfg(feature = "mojibake")]
                mojibake: OnMojibake::default(),
                #[cfg(feature = "normalize")]
                normalize: None,
                input: Input::default(),
                to_records: None,
                overlong: OnOverlong::default(),
                counts_lines: false,
                jobs: NonZeroUsize::MIN,
                block: BLOCK_BYTES,
            },
        }
    }

    fn with(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        set(&mut self.settings);
        self
    }

    /// Sets the registry for the labels given after this call. Labels given before keep their codec.
    pub fn registry(self, registry: Registry) -> Self {
        self.with(|settings| settings.registry = registry)
    }

    /// Sets all hints for detection at once. [`source_encoding`](Self::source_encoding), [`policy`](Self::policy),
    /// [`content_type`](Self::content_type), [`charset`](Self::charset), [`kind`](Self::kind),
    /// [`fallback`](Self::fallback), [`ebcdic_fallback`](Self::ebcdic_fallback), [`prescan`](Self::prescan),
    /// [`guess`](Self::guess) and [`strict`](Self::strict) set one field each.
    ///
    /// ```
    /// use charpipe::detect::Hints;
    /// use charpipe::{Detector, Registry, Transcode};
    ///
    /// // The same hints for a detector and for a transcoder.
    /// let mut hints = Hints::default();
    /// hints.from = Some(Registry::builtin().codec("IBM037")?);
    /// let mut detector = Detector::new(Registry::builtin(), hints.clone());
    /// assert_eq!(detector.finish().encoding.as_deref(), Some("IBM037"));
    /// assert_eq!(Transcode::new().hints(hints).decode(b"\xC1")?, "A");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn hints(self, hints: Hints) -> Self {
        self.with(|settings| settings.hints = hints)
    }

    /// Returns the hints for detection: all options of this job that a [`Detector`](crate::Detector) also has.
    ///
    /// ```
    /// use charpipe::{Detector, Registry, Transcode};
    ///
    /// let job = Transcode::new().set("from", "IBM037")?;
    /// let mut detector = Detector::new(Registry::builtin(), job.detection_hints().clone());
    /// assert_eq!(detector.finish().encoding.as_deref(), Some("IBM037"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn detection_hints(&self) -> &Hints {
        &self.settings.hints
    }

    /// Sets the encoding of the input, which takes precedence over all evidence in the input. Detection still removes a
    /// byte order mark of this encoding, finds the byte order if the encoding has several, and reads the declaration.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`] if no codec has this label.
    pub fn source_encoding(mut self, label: &str) -> Result<Self, Error> {
        self.settings.hints.from = Some(self.settings.registry.codec(label)?);
        Ok(self)
    }

    /// Sets the encoding of the input, as [`source_encoding`](Self::source_encoding) does with a label.
    pub fn source(mut self, encoding: &Encoding) -> Self {
        self.settings.hints.from = Some(encoding.codec());
        self
    }

    /// Sets the encoding of the output, as [`target_encoding`](Self::target_encoding) does with a label.
    ///
    /// # Errors
    /// [`ErrorKind::NoEncoder`] if the codec can only decode.
    pub fn target(self, encoding: &Encoding) -> Result<Self, Error> {
        self.with_target(encoding.codec())
    }

    /// Sets the encoding of the output. The default is UTF-8.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`] if no codec has this label, and [`ErrorKind::NoEncoder`] if its codec can only
    /// decode.
    pub fn target_encoding(self, label: &str) -> Result<Self, Error> {
        let codec = self.settings.registry.codec(label)?;
        self.with_target(codec)
    }

    fn with_target(mut self, codec: Arc<dyn Codec>) -> Result<Self, Error> {
        if codec.encoder().is_none() {
            return Err(ErrorKind::NoEncoder { codec: codec.name().to_owned() }.into());
        }
        // With a byte order mark, the output is more than the text.
        self.settings.to_utf8 = is_utf8(&*codec) && codec.info().byte_orders.is_none();
        self.settings.named_to = codec;
        self.settings.update_target();
        Ok(self)
    }

    /// Sets the rules that decide the encoding when the sources disagree.
    ///
    /// With the web's rules, EUC-JP is also written as browsers write it: without JIS X 0212.
    ///
    /// ```
    /// use charpipe::{Transcode, detect::Policy};
    ///
    /// let job = Transcode::new().policy(Policy::Whatwg).content_type("text/html");
    /// let mut output = Vec::new();
    /// let report = job.run(&b"<meta charset=iso-8859-1><p>\x80"[..], &mut output)?;
    /// assert_eq!(String::from_utf8(output).as_deref(), Ok("<meta charset=UTF-8><p>€"));
    /// assert_eq!(report.from.as_deref(), Some("windows-1252"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn policy(self, policy: Policy) -> Self {
        self.with(|settings| {
            settings.hints.policy = policy;
            settings.update_target();
        })
    }

    /// Sets the Content-Type from the transport: the media type and its parameters, unchanged.
    pub fn content_type(self, value: &str) -> Self {
        self.with(|settings| settings.hints.content_type = Some(value.to_owned()))
    }

    /// Sets how many bytes of an HTML document are searched for a `meta`: at most
    /// [`PRESCAN_LIMIT`](crate::detect::PRESCAN_LIMIT).
    pub fn prescan(self, bytes: usize) -> Self {
        self.with(|settings| settings.hints.prescan = Some(bytes))
    }

    /// Sets whether to guess from byte statistics if nothing else identifies the encoding.
    pub fn guess(self, guess: bool) -> Self {
        self.with(|settings| settings.hints.guess = guess)
    }

    /// Sets the charset from the transport: the parameter of a Content-Type.
    pub fn charset(self, label: &str) -> Self {
        self.with(|settings| settings.hints.charset = Some(label.to_owned()))
    }

    /// Sets the kind of document, for input whose first bytes do not show it.
    ///
    /// ```
    /// use charpipe::{Kind, Transcode};
    ///
    /// // There is no declaration, and none is needed. But in XML, a reference can replace the euro sign.
    /// let job = Transcode::new().target_encoding("IBM037")?.kind(Kind::Xml);
    /// let mut output = Vec::new();
    /// job.run("<a>5 €</a>".as_bytes(), &mut output)?;
    /// assert!(Transcode::new().source_encoding("IBM037")?.decode(&output)?.ends_with("<a>5 &#x20AC;</a>"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn kind(self, kind: Kind) -> Self {
        self.with(|settings| settings.hints.kind = Some(kind))
    }

    /// Sets the encoding to use if nothing identifies it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`] if no codec has this label.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().fallback("ISO-8859-1")?;
    /// assert_eq!(job.decode(b"caf\xE9")?, "café");
    /// // A byte order mark identifies it.
    /// assert_eq!(job.decode(b"\xEF\xBB\xBFcaf\xC3\xA9")?, "café");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn fallback(mut self, label: &str) -> Result<Self, Error> {
        self.settings.hints.fallback = Some(self.settings.registry.codec(label)?);
        self.settings.hints.further_fallbacks.clear();
        Ok(self)
    }

    /// Sets several encodings to use if nothing identifies the encoding: the first one that decodes the input without
    /// error is used. Replaces the value of [`fallback`](Self::fallback).
    ///
    /// They are tried on 64 KiB of the input (or of the text of records), starting at the first byte that they read
    /// differently. A character cut off by the end of the 64 KiB is not an error. If none fits, the last one is used.
    /// The text before that byte is the same in all of them, and is written at once. An empty list sets nothing.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`] if no codec has one of the labels.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().fallbacks(["UTF-8", "ISO-8859-1"])?;
    /// assert_eq!(job.decode("café".as_bytes())?, "café");
    /// assert_eq!(job.decode(b"caf\xE9")?, "café");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn fallbacks<'a>(mut self, labels: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        let codecs = labels.into_iter().map(|label| self.settings.registry.codec(label));
        let mut codecs = codecs.collect::<Result<Vec<_>, _>>()?.into_iter();
        self.settings.hints.fallback = codecs.next();
        self.settings.hints.further_fallbacks = codecs.collect();
        Ok(self)
    }

    /// Sets the code page for EBCDIC input that names none. The default is IBM037.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`] if no codec has this label.
    pub fn ebcdic_fallback(mut self, label: &str) -> Result<Self, Error> {
        self.settings.hints.ebcdic_fallback = Some(self.settings.registry.codec(label)?);
        Ok(self)
    }

    /// Sets whether every warning is an error.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().strict(true);
    /// // EBCDIC that does not name its code page.
    /// let error = job.decode(b"\x4C\x6F\xA7\x94\x93\x6F\x6E").unwrap_err();
    /// assert_eq!(error.code(), "ebcdic-page-assumed");
    /// ```
    pub fn strict(self, strict: bool) -> Self {
        self.with(|settings| settings.hints.strict = strict)
    }

    /// Sets what to do with malformed input. The default is to fail.
    pub fn on_malformed(mut self, policy: OnMalformed) -> Self {
        self.settings.malformed = policy;
        self.settings.read_as = None;
        self
    }

    /// Reads malformed bytes, and only those, as bytes of another charset: a single-byte page that contains ASCII. It
    /// replaces the policy of [`on_malformed`](Self::on_malformed), and is replaced by that.
    ///
    /// Each byte of a malformed sequence is read separately. A byte that has no character in the page is an error,
    /// [`ErrorKind::Malformed`]. Input in a charset that does not contain ASCII, such as UTF-16, UTF-32 and EBCDIC, is
    /// not read like this: there, malformed bytes are an error, with the hint `not-read-as`.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`] if no codec has this label, and [`ErrorKind::NotAnAsciiPage`] if its charset is not
    /// such a page.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().source_encoding("UTF-8")?.malformed_as("ISO-8859-1")?;
    /// let mut output = Vec::new();
    /// let report = job.run(&b"caf\xC3\xA9, caf\xE9"[..], &mut output)?;
    /// assert_eq!(String::from_utf8(output).as_deref(), Ok("café, café"));
    /// assert_eq!((report.malformed.count, report.read_as.as_deref()), (1, Some("ISO-8859-1")));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn malformed_as(mut self, label: &str) -> Result<Self, Error> {
        let codec = self.settings.registry.codec(label)?;
        self.settings.read_as = Some(BytePage::new(&*codec)?);
        self.settings.malformed = OnMalformed::Fail;
        Ok(self)
    }

    /// Sets what to do with a character that the target lacks. The default is a character reference in XML, and an
    /// error elsewhere.
    ///
    /// ```
    /// let mut output = Vec::new();
    /// charpipe::Transcode::new().target_encoding("US-ASCII")?.run("<?xml version='1.0'?><a b='é'/>".as_bytes(), &mut output)?;
    /// assert_eq!(output, b"<?xml version='1.0' encoding='US-ASCII'?><a b='&#xE9;'/>");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn on_unmappable(self, policy: OnUnmappable) -> Self {
        self.with(|settings| settings.unmappable = Some(policy))
    }

    /// Sets whether to try the target's one-way mappings first: `Ａ` becomes `A` if the target's table says so.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().target_encoding("IBM037")?;
    /// assert!(job.run("Ａ".as_bytes(), Vec::new()).is_err());
    /// let mut output = Vec::new();
    /// job.best_fit(true).run("Ａ".as_bytes(), &mut output)?;
    /// assert_eq!(output, b"\xC1");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn best_fit(self, best_fit: bool) -> Self {
        self.with(|settings| settings.best_fit = best_fit)
    }

    /// Sets whether to try readable approximations first: `é` becomes `e` if the target lacks it. The policy of
    /// [`on_unmappable`](Self::on_unmappable) applies to characters without one; with
    /// [`OnUnmappable::Translit`](crate::OnUnmappable::Translit), approximations are tried anyway. Needs the feature
    /// `translit`.
    ///
    /// ```
    /// # #[cfg(feature = "translit")] {
    /// use charpipe::{OnUnmappable, Transcode};
    ///
    /// let job = Transcode::new().target_encoding("US-ASCII")?.approximate(true);
    /// let mut output = Vec::new();
    /// job.run("5 €".as_bytes(), &mut output)?;
    /// assert_eq!(output, b"5 EUR");
    /// // A character for private use has no approximation.
    /// assert!(job.run("\u{E000}".as_bytes(), Vec::new()).is_err());
    /// # }
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn approximate(self, approximate: bool) -> Self {
        self.with(|settings| settings.approximate = approximate)
    }

    /// Sets what to do with input that is not recognised as text. The default is to convert it.
    ///
    /// This is input without a label that begins like a known binary format, or whose first 64 KiB are not UTF-8. These
    /// bytes are read before anything is written. A [`fallback`](Self::fallback) is used for what is not such a format.
    /// Later bytes that are not valid are malformed, as in any other input.
    ///
    /// ```
    /// use charpipe::{OnUnknown, Transcode};
    ///
    /// let mut output = Vec::new();
    /// let job = Transcode::new().on_unknown(OnUnknown::Pass);
    /// let report = job.run(&b"\x1F\x8B\x08\0\xFF"[..], &mut output)?;
    /// assert_eq!((&output[..], report.passed, report.from), (&b"\x1F\x8B\x08\0\xFF"[..], true, None));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn on_unknown(self, policy: OnUnknown) -> Self {
        self.with(|settings| settings.unknown = policy)
    }

    /// Sets whether to correct the document's own label. The default is to correct it.
    ///
    /// ```
    /// use charpipe::{Relabel, Transcode};
    ///
    /// let latin1 = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>";
    /// assert_eq!(Transcode::new().decode(latin1)?, "<?xml version='1.0' encoding='UTF-8'?><a>é</a>");
    /// let never = Transcode::new().relabel(Relabel::Never);
    /// assert_eq!(never.decode(latin1)?, "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn relabel(self, policy: Relabel) -> Self {
        self.with(|settings| settings.relabel = policy)
    }

    /// Sets whether the output begins with a byte order mark.
    ///
    /// ```
    /// let mut output = Vec::new();
    /// charpipe::Transcode::new().bom(charpipe::Bom::Add).run(&b"a"[..], &mut output)?;
    /// assert_eq!(output, b"\xEF\xBB\xBFa");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn bom(self, policy: Bom) -> Self {
        self.with(|settings| settings.bom = policy)
    }

    /// Sets the line endings of the output.
    ///
    /// ```
    /// use charpipe::{Eol, Transcode};
    ///
    /// assert_eq!(Transcode::new().eol(Eol::Lf).decode("a\r\nb\u{85}c\r".as_bytes())?, "a\nb\nc\n");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn eol(self, policy: Eol) -> Self {
        self.with(|settings| settings.eol = policy)
    }

    /// Sets the newline convention of EBCDIC, for input and output.
    ///
    /// ```
    /// use charpipe::{EbcdicNl, Transcode};
    ///
    /// let job = Transcode::new().source_encoding("IBM1047")?;
    /// assert_eq!(job.decode(b"\xC1\x15")?, "A\u{85}");
    /// assert_eq!(job.ebcdic_nl(EbcdicNl::Zos).decode(b"\xC1\x15")?, "A\n");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn ebcdic_nl(self, nl: EbcdicNl) -> Self {
        self.with(|settings| settings.ebcdic_nl = nl)
    }

    /// Sets what to do with control characters. The default is to keep them.
    ///
    /// ```
    /// use charpipe::{OnControl, Transcode};
    ///
    /// let mut output = Vec::new();
    /// let report = Transcode::new().on_control(OnControl::Space).run(&b"a\0b\x1A"[..], &mut output)?;
    /// assert_eq!((&output[..], report.controls.unwrap().count), (&b"a b "[..], 2));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn on_control(self, policy: OnControl) -> Self {
        self.with(|settings| settings.controls = policy)
    }

    /// Sets what to do with text that was once decoded with the wrong charset, such as `Ã©` for `é`. By default, it is
    /// kept. [`Report::mojibake`](crate::Report::mojibake) lists what was repaired. Needs the feature `mojibake`.
    ///
    /// ```
    /// use charpipe::{OnMojibake, Transcode};
    ///
    /// let job = Transcode::new().on_mojibake(OnMojibake::Repair);
    /// assert_eq!(job.decode("cafÃ© 5 â‚¬, cafÃƒÂ©, café".as_bytes())?, "café 5 €, café, café");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[cfg(feature = "mojibake")]
    pub fn on_mojibake(self, policy: OnMojibake) -> Self {
        self.with(|settings| settings.mojibake = policy)
    }

    /// Sets the normalization form of the output; by default, the text is not normalised. Needs the feature
    /// `normalize`.
    ///
    /// The text is normalised after its line endings and control characters were converted, and before it is encoded.
    /// Labels and character references that are written are not. Each record, and the text on each side of malformed
    /// bytes that are replaced, is normalised on its own.
    ///
    /// In errors and reports every character has an offset in the input. A composed character has that of the first
    /// character that it is made from; all parts of a character that is decomposed have that of the character; and a
    /// character that stays as it is keeps its own, even if marks change places.
    ///
    /// At most 1,024 characters that combine with each other are normalised together. What is longer is an error,
    /// [`ErrorKind::SequenceTooLong`].
    ///
    /// ```
    /// use charpipe::{Normalization, Transcode};
    ///
    /// assert_eq!(Transcode::new().normalize(Normalization::Nfc).decode("e\u{301} ﬁ".as_bytes())?, "é ﬁ");
    /// assert_eq!(Transcode::new().normalize(Normalization::Nfkc).decode("e\u{301} ﬁ".as_bytes())?, "é fi");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[cfg(feature = "normalize")]
    pub fn normalize(self, form: Normalization) -> Self {
        self.with(|settings| settings.normalize = Some(form))
    }

    /// Sets the record format of the input. Each record is decoded separately and becomes a line.
    ///
    /// ```
    /// use charpipe::{Transcode, records::Shape};
    ///
    /// let job = Transcode::new().source_encoding("IBM037")?.records(Shape::Fixed { lrecl: 4 });
    /// let mut output = Vec::new();
    /// let report = job.run(&b"\xC1\xC2\x40\x40\xC3\x40\xC4\x40"[..], &mut output)?;
    /// assert_eq!((&output[..], report.records), (&b"AB\nC D\n"[..], Some(2)));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn records(self, shape: Shape) -> Self {
        self.with(|settings| settings.input.shape = Some(shape))
    }

    /// Sets what to do with spaces at the end of an input record. The default is to trim them if records become lines.
    ///
    /// ```
    /// use charpipe::{Padding, Transcode};
    ///
    /// let job = Transcode::new().source_encoding("IBM037")?.records("fb:3".parse()?);
    /// assert_eq!(job.decode(b"\xC1\x40\x40")?, "A\n");
    /// assert_eq!(job.padding(Padding::Keep).decode(b"\xC1\x40\x40")?, "A  \n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn padding(self, policy: Padding) -> Self {
        self.with(|settings| settings.input.blanks = policy)
    }

    /// Chooses a file of a tape image. By default, all files are read in turn.
    ///
    /// ```
    /// use charpipe::{Transcode, records::TapeFile};
    ///
    /// let tape = b"\x01\0\0\0\xA0\0\xC1\0\0\x01\0\x40\0\x01\0\0\0\xA0\0\xC2\0\0\x01\0\x40\0";
    /// let job = Transcode::new().source_encoding("IBM037")?.records("awstape,fb:1".parse()?);
    /// let mut output = Vec::new();
    /// job.tape_file(TapeFile::Number(2)).run(&tape[..], &mut output)?;
    /// assert_eq!(output, b"B\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tape_file(self, file: TapeFile) -> Self {
        self.with(|settings| settings.input.file = Some(file))
    }

    /// Sets which bytes of an input record are text. Each range of columns is decoded separately.
    ///
    /// ```
    /// use charpipe::{Gaps, Transcode, records::Shape};
    ///
    /// let job = Transcode::new().source_encoding("IBM037")?.records(Shape::Fixed { lrecl: 5 });
    /// let job = job.columns("1-2,5-".parse().unwrap()).gaps(Gaps::Hex);
    /// let mut output = Vec::new();
    /// job.run(&b"\xC1\xC2\x12\x3C\xC3"[..], &mut output)?;
    /// assert_eq!(output, b"AB123CC\n");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn columns(self, columns: Columns) -> Self {
        self.with(|settings| settings.input.columns = Some(columns))
    }

    /// Sets what to do with the bytes outside [`columns`](Self::columns). The default is to drop them.
    ///
    /// With [`Gaps::Keep`], records become records in which only the columns change. A column may name its own code
    /// page; the others are in that of the input. If every column has one, [`source_encoding`](Self::source_encoding)
    /// is not needed.
    ///
    /// ```
    /// use charpipe::{Gaps, Transcode, records::Shape};
    ///
    /// // Two columns with text, and a packed decimal between them.
    /// let job = Transcode::new().records(Shape::Fixed { lrecl: 5 }).to_records(Shape::Fixed { lrecl: 5 });
    /// let job = job.columns("1-2=IBM037,5=IBM273".parse().unwrap()).gaps(Gaps::Keep).target_encoding("IBM1047")?;
    /// let mut output = Vec::new();
    /// job.run(&b"\xBA\xC2\x12\x3C\xB5"[..], &mut output)?;
    /// assert_eq!(output, b"\xAD\xC2\x12\x3C\x7C");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn gaps(self, policy: Gaps) -> Self {
        self.with(|settings| settings.input.gaps = policy)
    }

    /// Sets that the first byte of an input record is a printer control code, which becomes line and page breaks.
    ///
    /// ```
    /// use charpipe::{Transcode, records::Carriage};
    ///
    /// // `1` begins a new page, `0` skips a line.
    /// let job = Transcode::new().source_encoding("IBM037")?.records("fb:2".parse()?).carriage(Carriage::Asa);
    /// assert_eq!(job.decode(b"\xF1\xC1\xF0\xC2")?, "\x0CA\n\nB\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn carriage(self, carriage: Carriage) -> Self {
        self.with(|settings| settings.input.carriage = Some(carriage))
    }

    /// Sets whether the shift codes of a mixed page become spaces in records, so that columns keep their positions.
    pub fn shifts_as_blanks(self, yes: bool) -> Self {
        self.with(|settings| settings.input.shifts_as_blanks = yes)
    }

    /// Sets what to do with newlines inside an input record: U+000A, U+000D and U+0085 in its text. By default they are
    /// an error if the output consists of lines, because one record would become two lines, and are kept if it consists
    /// of records.
    ///
    /// ```
    /// use charpipe::{OnNewlineInRecord, Transcode};
    ///
    /// let job = Transcode::new().source_encoding("IBM037")?.records("fb:3".parse()?);
    /// assert_eq!(job.decode(b"\xC1\x15\xC2").unwrap_err().code(), "newline-in-record");
    /// assert_eq!(job.on_newline_in_record(OnNewlineInRecord::Space).decode(b"\xC1\x15\xC2")?, "A B\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_newline_in_record(self, policy: OnNewlineInRecord) -> Self {
        self.with(|settings| settings.input.newlines = Some(policy))
    }

    /// Sets the record format of the output: one record for each input record, or for each line if the input has no
    /// records. Fixed-length records are padded with the target's blank.
    ///
    /// ```
    /// use charpipe::{Transcode, records::Shape};
    ///
    /// let mut output = Vec::new();
    /// Transcode::new().target_encoding("IBM037")?.to_records(Shape::Fixed { lrecl: 4 }).run(&b"AB\nC D\n"[..], &mut output)?;
    /// assert_eq!(output, b"\xC1\xC2\x40\x40\xC3\x40\xC4\x40");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn to_records(self, shape: Shape) -> Self {
        self.with(|settings| settings.to_records = Some(shape))
    }

    /// Sets what to do with text that is too long for its output record. The default is to fail.
    ///
    /// ```
    /// use charpipe::{OnOverlong, Transcode};
    ///
    /// let job = Transcode::new().target_encoding("IBM037")?.to_records("fb:2".parse()?);
    /// assert_eq!(job.run(&b"ABC\n"[..], Vec::new()).unwrap_err().code(), "record-too-long");
    /// let mut output = Vec::new();
    /// job.on_overlong(OnOverlong::Cut).run(&b"ABC\n"[..], &mut output)?;
    /// assert_eq!(output, b"\xC1\xC2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_overlong(self, policy: OnOverlong) -> Self {
        self.with(|settings| settings.overlong = policy)
    }

    /// Sets whether lines and characters are counted during the conversion, so that errors and the report have lines
    /// and columns even if the input is read only once: [`Error::position`]. By default they are not counted, because
    /// that takes time: [`Transcoder::locate`](crate::Transcoder::locate) finds them afterwards, if the input can be
    /// read again. One thread converts then, whatever the number of [`jobs`](Self::jobs).
    ///
    /// ```
    /// let job = charpipe::Transcode::new().source_encoding("UTF-8")?.count_lines(true);
    /// let error = job.run(&b"id;name\n1;caf\xE9\n"[..], Vec::new()).unwrap_err();
    /// assert_eq!(error.to_string(), "line 2, column 6 (byte 13): E9 is not valid UTF-8");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn count_lines(self, counts: bool) -> Self {
        self.with(|settings| settings.counts_lines = counts)
    }

    /// Sets how many threads convert, in [`run`](Self::run) and [`Transcoder::run`](crate::Transcoder::run), besides
    /// the calling thread, which reads and writes. With one job, the default, the calling thread does everything.
    ///
    /// With several jobs, the input is read in blocks of 256 KiB, cut between characters, lines or records, and the
    /// results are written in order. Output, report and error are the same as with one job. At most `jobs` + 4 blocks
    /// and their output are in memory.
    ///
    /// One job converts everything if it proves to be about as fast as memory, and input that cannot be cut, because
    /// the conversion depends on what came before: printer control codes; XML in which a reference may be needed; a
    /// charset with a state, such as shift states, if the text has no lines or the codec does not tell its
    /// [state](crate::Decoder::state).
    ///
    /// Do not use several jobs for interactive input: nothing is written before a whole block has been read. The reader
    /// may be read beyond the place of an error.
    ///
    /// ```
    /// use charpipe::Transcode;
    /// use std::num::NonZeroUsize;
    ///
    /// let input = vec![0xC1; 3 << 20];
    /// let mut output = Vec::new();
    /// Transcode::new().source_encoding("IBM037")?.jobs(NonZeroUsize::new(2).unwrap()).run(&input[..], &mut output)?;
    /// assert!(output.len() == input.len() && output.iter().all(|byte| *byte == b'A'));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn jobs(self, jobs: NonZeroUsize) -> Self {
        self.with(|settings| settings.jobs = jobs)
    }

    /// Sets the size of the blocks that several [`jobs`](Self::jobs) convert, in bytes: 256 KiB by default, at least
    /// one byte.
    pub fn block_bytes(self, bytes: usize) -> Self {
        self.with(|settings| settings.block = bytes.max(1))
    }

    /// Checks that the options can be combined, without making a transcoder.
    ///
    /// # Errors
    /// The errors of [`transcoder`](Self::transcoder).
    pub fn validate(&self) -> Result<(), Error> {
        let to = &self.settings.to;
        if self.settings.bom == Bom::Add && !has_bom(&**to) {
            return Err(ErrorKind::NoBom { codec: to.name().to_owned() }.into());
        }
        let Settings { input, to_records, .. } = &self.settings;
        if let Some(shape) = to_records {
            Framer::check(shape)?;
        }
        let what = if input.carriage.is_some() && to_records.is_some() {
            "printer control codes become lines and pages, so the output cannot consist of records"
        } else if input.shape.is_none() && (input.carriage.is_some() || input.columns.is_some()) {
            "columns and printer control codes need records, and the input has none"
        } else if input.file.is_some() && !matches!(input.shape, Some(Shape::AwsTape { .. })) {
            "only a tape image has files to choose from"
        } else if let Some(why) = self.settings.why_not_in_place() {
            why
        } else if !cfg!(feature = "translit") && self.settings.wants_approximations() {
            "this build has no approximations of characters: it lacks the feature `translit`"
        } else {
            let mut pages = input.columns.iter().flat_map(Columns::pages);
            return pages.try_for_each(|page| self.settings.registry.codec(page).map(|_| ()));
        };
        Err(ErrorKind::Options { what }.into())
    }
}

impl Default for Transcode {
    fn default() -> Self {
        Transcode::new()
    }
}
