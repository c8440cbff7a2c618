//! What is wanted of a run: the builder, and the policies as values.

use crate::codec::Codec;
use crate::codec::newline::EbcdicNl;
use crate::detect::{Hints, Kind, Policy};
use crate::error::{Error, ErrorKind};
use crate::records::{Carriage, Columns, Deframer, Framer, Shape, TapeFile};
use crate::registry::Registry;
use crate::text::controls::OnControl;
use crate::text::eol::{Eol, OnNewlineInRecord};
use crate::transcoder::probe::has_bom;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// What becomes of ill-formed input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum OnMalformed {
    /// It is an error.
    #[default]
    Fail,
    /// One U+FFFD for each maximal subpart (Unicode L2/08-150), or the target's substitute where it lacks U+FFFD.
    Replace,
    /// Nothing.
    Drop,
    /// `\xNN` for each byte; an error where the target cannot write that.
    Escape,
}

/// What becomes of a character that the target lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OnUnmappable {
    /// It is an error.
    Fail,
    /// The target's substitution character.
    Replace,
    /// Nothing.
    Drop,
    /// A character reference, `&#xHEX;`, or decimal where the target has no `x`. In XML only where a reference may
    /// stand (text and attribute values) and for what is an XML Char; else it is an error.
    Xml,
    /// `\u{HEX}`.
    Escape,
}

/// Whether the document's own label is made true.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Relabel {
    /// In XML: a declared name is replaced; a declaration without one, or a document without a declaration, gets one
    /// where the target needs it. In HTML, and in XML whose root element is `html`: the labels of `meta` elements within
    /// the [prescan](Transcode::prescan) are replaced, and in HTML that of an XML declaration; nothing is put in.
    #[default]
    Auto,
    /// The text is left as it is.
    Never,
}

/// Whether the output begins with a byte order mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Bom {
    /// On `UTF-16`, `UTF-32` and `ISO-10646-UCS-4`; not on UTF-8, nor where the label says the order.
    #[default]
    Auto,
    /// If the input does, and the target can.
    Keep,
    /// Yes.
    Add,
    /// No.
    Strip,
}

/// What becomes of blanks at the end of a record, as decoded text: U+0020, or U+3000 where the charset has no other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Padding {
    /// They are trimmed where records become lines, and kept where they become records.
    #[default]
    Trim,
    /// They are trimmed, and so are NULs among them, where they do not take turns more than eight times.
    TrimNuls,
    /// They are kept.
    Keep,
}

/// What becomes of the columns of a record that are no text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Gaps {
    /// They are dropped.
    #[default]
    Drop,
    /// Two hex digits a byte, upper-case.
    Hex,
}

/// What becomes of text that is longer than the record it is to be written to, as encoded bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum OnOverlong {
    /// It is an error. (Blanks at the end of a fixed record are none of its length; nor is a last shift in, where the
    /// input is records too: one that was cut within pairs has none.)
    #[default]
    Fail,
    /// It is cut between two characters, so that the record ends in the initial shift state.
    Cut,
}

/// A run to be: what it is from, to, and which policies it follows.
///
/// ```
/// use charpipe::{OnMalformed, Transcode};
///
/// let mut output = Vec::new();
/// let report = Transcode::new()
///     .from("UTF-8")?
///     .to("IBM1047")?
///     .malformed(OnMalformed::Replace)
///     .run(&b"a\xFFb"[..], &mut output)?;
/// assert_eq!(output, b"\x81\x3F\x82");
/// assert_eq!(report.malformed.first[0].offset, 1);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Transcode {
    pub(super) settings: Settings,
}

/// The options as plain data.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) registry: Registry,
    pub(super) hints: Hints,
    pub(super) to: Arc<dyn Codec>,
    pub(super) malformed: OnMalformed,
    /// `None`: references in XML, else an error.
    pub(super) unmappable: Option<OnUnmappable>,
    pub(super) best_fit: bool,
    pub(super) relabel: Relabel,
    pub(super) bom: Bom,
    pub(super) eol: Eol,
    pub(super) ebcdic_nl: EbcdicNl,
    pub(super) controls: OnControl,
    pub(super) input: Input,
    pub(super) to_records: Option<Shape>,
    pub(super) overlong: OnOverlong,
    pub(super) jobs: NonZeroUsize,
    /// How much of the input is converted at a time where there are several jobs, in bytes.
    pub(super) block: usize,
}

/// What is known of the records of the input.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    /// `None`: there are none.
    pub(super) shape: Option<Shape>,
    pub(super) blanks: Padding,
    /// The file of a tape image; `None`: all.
    pub(super) file: Option<TapeFile>,
    pub(super) columns: Option<Columns>,
    pub(super) gaps: Gaps,
    pub(super) carriage: Option<Carriage>,
    pub(super) shifts_as_blanks: bool,
    /// `None`: what goes with the output.
    pub(super) newlines: Option<OnNewlineInRecord>,
}

impl Settings {
    /// What becomes of newlines within records.
    pub(super) fn newlines_in_records(&self) -> OnNewlineInRecord {
        // If records become lines, there are to be as many of these as of those.
        let by_output = if self.to_records.is_some() { OnNewlineInRecord::Keep } else { OnNewlineInRecord::Error };
        self.input.newlines.unwrap_or(by_output)
    }
}

impl Input {
    /// A deframer at the beginning of the input, if it has records.
    pub(super) fn deframer(&self) -> Option<Deframer> {
        self.shape.as_ref().map(|shape| Deframer::new(shape).file(self.file.clone()))
    }
}

/// How much of the input is converted at a time where there are several jobs.
const BLOCK: usize = 1 << 20;

impl Transcode {
    /// Detects, and writes UTF-8, with the built-in codecs.
    pub fn new() -> Self {
        Transcode {
            settings: Settings {
                registry: Registry::builtin(),
                hints: Hints::default(),
                to: Arc::new(crate::codec::Utf8),
                malformed: OnMalformed::default(),
                unmappable: None,
                best_fit: false,
                relabel: Relabel::default(),
                bom: Bom::default(),
                eol: Eol::default(),
                ebcdic_nl: EbcdicNl::default(),
                controls: OnControl::default(),
                input: Input::default(),
                to_records: None,
                overlong: OnOverlong::default(),
                jobs: NonZeroUsize::MIN,
                block: BLOCK,
            },
        }
    }

    /// Where labels are looked up, from here on: those given before keep their codec.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.settings.registry = registry;
        self
    }

    /// The encoding of the input. Authoritative: detection only takes off a byte order mark of this encoding, finds the
    /// order of one that has several, and reads the declaration.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`].
    pub fn from(mut self, label: &str) -> Result<Self, Error> {
        self.settings.hints.from = Some(self.settings.registry.codec(label)?);
        Ok(self)
    }

    /// The encoding of the output.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`]; [`ErrorKind::NoEncoder`] where the codec can only decode.
    pub fn to(mut self, label: &str) -> Result<Self, Error> {
        let codec = self.settings.registry.codec(label)?;
        if codec.encoder().is_none() {
            return Err(ErrorKind::NoEncoder { codec: codec.name().to_owned() }.into());
        }
        self.settings.to = codec;
        Ok(self)
    }

    /// Who is believed about the encoding.
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
    pub fn policy(mut self, policy: Policy) -> Self {
        self.settings.hints.policy = policy;
        self
    }

    /// The Content-Type that the transport gave: media type and parameters, as they came.
    pub fn content_type(mut self, value: &str) -> Self {
        self.settings.hints.content_type = Some(value.to_owned());
        self
    }

    /// How many bytes of an HTML document are searched for a `meta`;
    /// [`PRESCAN_LIMIT`](crate::detect::PRESCAN_LIMIT) at the most.
    pub fn prescan(mut self, bytes: usize) -> Self {
        self.settings.hints.prescan = Some(bytes);
        self
    }

    /// Lets statistics speak when nothing else does.
    pub fn guess(mut self, guess: bool) -> Self {
        self.settings.hints.guess = guess;
        self
    }

    /// The charset that the transport gave: the parameter of a Content-Type.
    pub fn charset(mut self, label: &str) -> Self {
        self.settings.hints.charset = Some(label.to_owned());
        self
    }

    /// What kind of document it is, where the first bytes don't tell.
    ///
    /// ```
    /// use charpipe::{Kind, Transcode};
    ///
    /// // No declaration, and none that has to be put in: but in XML a reference may stand for the euro sign.
    /// let job = Transcode::new().to("IBM037")?.kind(Kind::Xml);
    /// let mut output = Vec::new();
    /// job.run("<a>5 €</a>".as_bytes(), &mut output)?;
    /// assert!(Transcode::new().from("IBM037")?.decode(&output)?.ends_with("<a>5 &#x20AC;</a>"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn kind(mut self, kind: Kind) -> Self {
        self.settings.hints.kind = Some(kind);
        self
    }

    /// The encoding to take when nothing tells.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`].
    ///
    /// ```
    /// let job = charpipe::Transcode::new().fallback("ISO-8859-1")?;
    /// assert_eq!(job.decode(b"caf\xE9")?, "café");
    /// // What has a byte order mark tells.
    /// assert_eq!(job.decode(b"\xEF\xBB\xBFcaf\xC3\xA9")?, "café");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn fallback(mut self, label: &str) -> Result<Self, Error> {
        self.settings.hints.fallback = Some(self.settings.registry.codec(label)?);
        Ok(self)
    }

    /// The page to take for EBCDIC that names none. IBM037 by default.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`].
    pub fn ebcdic_fallback(mut self, label: &str) -> Result<Self, Error> {
        self.settings.hints.ebcdic_fallback = Some(self.settings.registry.codec(label)?);
        Ok(self)
    }

    /// Every warning is an error.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().strict(true);
    /// // EBCDIC whose page nothing names.
    /// let error = job.decode(b"\x4C\x6F\xA7\x94\x93\x6F\x6E").unwrap_err();
    /// assert_eq!(error.code(), "ebcdic-page-assumed");
    /// ```
    pub fn strict(mut self, strict: bool) -> Self {
        self.settings.hints.strict = strict;
        self
    }

    /// What becomes of ill-formed input.
    pub fn malformed(mut self, policy: OnMalformed) -> Self {
        self.settings.malformed = policy;
        self
    }

    /// What becomes of a character that the target lacks. Without this call: a character reference in XML, else it is
    /// an error.
    ///
    /// ```
    /// let mut output = Vec::new();
    /// charpipe::Transcode::new().to("US-ASCII")?.run("<?xml version='1.0'?><a b='é'/>".as_bytes(), &mut output)?;
    /// assert_eq!(output, b"<?xml version='1.0' encoding='US-ASCII'?><a b='&#xE9;'/>");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn unmappable(mut self, policy: OnUnmappable) -> Self {
        self.settings.unmappable = Some(policy);
        self
    }

    /// Whether the target's one-way mappings are used before that: `Ａ` becomes `A` where the target has it so.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().to("IBM037")?;
    /// assert!(job.run("Ａ".as_bytes(), Vec::new()).is_err());
    /// let mut output = Vec::new();
    /// job.best_fit(true).run("Ａ".as_bytes(), &mut output)?;
    /// assert_eq!(output, b"\xC1");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn best_fit(mut self, best_fit: bool) -> Self {
        self.settings.best_fit = best_fit;
        self
    }

    /// Whether the document's own label is made true.
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
    pub fn relabel(mut self, policy: Relabel) -> Self {
        self.settings.relabel = policy;
        self
    }

    /// Whether the output begins with a byte order mark.
    ///
    /// ```
    /// let mut output = Vec::new();
    /// charpipe::Transcode::new().bom(charpipe::Bom::Add).run(&b"a"[..], &mut output)?;
    /// assert_eq!(output, b"\xEF\xBB\xBFa");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn bom(mut self, policy: Bom) -> Self {
        self.settings.bom = policy;
        self
    }

    /// What ends of line become.
    ///
    /// ```
    /// use charpipe::{Eol, Transcode};
    ///
    /// assert_eq!(Transcode::new().eol(Eol::Lf).decode("a\r\nb\u{85}c\r".as_bytes())?, "a\nb\nc\n");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn eol(mut self, policy: Eol) -> Self {
        self.settings.eol = policy;
        self
    }

    /// Which newline convention EBCDIC follows, on either side.
    ///
    /// ```
    /// use charpipe::{EbcdicNl, Transcode};
    ///
    /// let job = Transcode::new().from("IBM1047")?;
    /// assert_eq!(job.decode(b"\xC1\x15")?, "A\u{85}");
    /// assert_eq!(job.ebcdic_nl(EbcdicNl::Zos).decode(b"\xC1\x15")?, "A\n");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn ebcdic_nl(mut self, nl: EbcdicNl) -> Self {
        self.settings.ebcdic_nl = nl;
        self
    }

    /// What becomes of control characters.
    ///
    /// ```
    /// use charpipe::{OnControl, Transcode};
    ///
    /// let mut output = Vec::new();
    /// let report = Transcode::new().controls(OnControl::Space).run(&b"a\0b\x1A"[..], &mut output)?;
    /// assert_eq!((&output[..], report.controls.unwrap().count), (&b"a b "[..], 2));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn controls(mut self, policy: OnControl) -> Self {
        self.settings.controls = policy;
        self
    }

    /// The input is records of that shape. Each is decoded by itself, and becomes a line.
    ///
    /// ```
    /// use charpipe::{Transcode, records::Shape};
    ///
    /// let job = Transcode::new().from("IBM037")?.records(Shape::Fixed { lrecl: 4 });
    /// let mut output = Vec::new();
    /// let report = job.run(&b"\xC1\xC2\x40\x40\xC3\x40\xC4\x40"[..], &mut output)?;
    /// assert_eq!((&output[..], report.records), (&b"AB\nC D\n"[..], Some(2)));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn records(mut self, shape: Shape) -> Self {
        self.settings.input.shape = Some(shape);
        self
    }

    /// What becomes of blanks at the end of a record of the input.
    ///
    /// ```
    /// use charpipe::{Padding, Transcode};
    ///
    /// let job = Transcode::new().from("IBM037")?.records("fb:3".parse()?);
    /// assert_eq!(job.decode(b"\xC1\x40\x40")?, "A\n");
    /// assert_eq!(job.blanks(Padding::Keep).decode(b"\xC1\x40\x40")?, "A  \n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn blanks(mut self, policy: Padding) -> Self {
        self.settings.input.blanks = policy;
        self
    }

    /// Which file of a tape image is the input; all of them, one after the other, if none is chosen.
    ///
    /// ```
    /// use charpipe::{Transcode, records::TapeFile};
    ///
    /// let tape = b"\x01\0\0\0\xA0\0\xC1\0\0\x01\0\x40\0\x01\0\0\0\xA0\0\xC2\0\0\x01\0\x40\0";
    /// let job = Transcode::new().from("IBM037")?.records("awstape,fb:1".parse()?);
    /// let mut output = Vec::new();
    /// job.tape_file(TapeFile::Number(2)).run(&tape[..], &mut output)?;
    /// assert_eq!(output, b"B\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tape_file(mut self, file: TapeFile) -> Self {
        self.settings.input.file = Some(file);
        self
    }

    /// Which bytes of a record of the input are text. Each stretch of them is decoded by itself.
    ///
    /// ```
    /// use charpipe::{Gaps, Transcode, records::Shape};
    ///
    /// let job = Transcode::new().from("IBM037")?.records(Shape::Fixed { lrecl: 5 });
    /// let job = job.columns("1-2,5-".parse().unwrap()).gaps(Gaps::Hex);
    /// let mut output = Vec::new();
    /// job.run(&b"\xC1\xC2\x12\x3C\xC3"[..], &mut output)?;
    /// assert_eq!(output, b"AB123CC\n");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn columns(mut self, columns: Columns) -> Self {
        self.settings.input.columns = Some(columns);
        self
    }

    /// What becomes of the other bytes.
    pub fn gaps(mut self, policy: Gaps) -> Self {
        self.settings.input.gaps = policy;
        self
    }

    /// The first byte of a record of the input tells a printer how to move: lines and pages come of it.
    ///
    /// ```
    /// use charpipe::{Transcode, records::Carriage};
    ///
    /// // `1` is a new page, `0` leaves a line out.
    /// let job = Transcode::new().from("IBM037")?.records("fb:2".parse()?).carriage(Carriage::Asa);
    /// assert_eq!(job.decode(b"\xF1\xC1\xF0\xC2")?, "\x0CA\n\nB\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn carriage(mut self, carriage: Carriage) -> Self {
        self.settings.input.carriage = Some(carriage);
        self
    }

    /// Whether the shift codes of a mixed page, in records, become blanks, so that columns stay where they are.
    pub fn shifts_as_blanks(mut self, yes: bool) -> Self {
        self.settings.input.shifts_as_blanks = yes;
        self
    }

    /// What becomes of newlines inside a record of the input: U+000A, U+000D and U+0085 in its text. Without this call
    /// they are an error if the output is lines, one of which would become two, and kept if it is records.
    ///
    /// ```
    /// use charpipe::{OnNewlineInRecord, Transcode};
    ///
    /// let job = Transcode::new().from("IBM037")?.records("fb:3".parse()?);
    /// assert_eq!(job.decode(b"\xC1\x15\xC2").unwrap_err().code(), "newline-in-record");
    /// assert_eq!(job.newlines_in_records(OnNewlineInRecord::Space).decode(b"\xC1\x15\xC2")?, "A B\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn newlines_in_records(mut self, policy: OnNewlineInRecord) -> Self {
        self.settings.input.newlines = Some(policy);
        self
    }

    /// The output is records of that shape: one for each record of the input, or for each line where it has none. A
    /// fixed record is filled up with the target's blank.
    ///
    /// ```
    /// use charpipe::{Transcode, records::Shape};
    ///
    /// let mut output = Vec::new();
    /// Transcode::new().to("IBM037")?.to_records(Shape::Fixed { lrecl: 4 }).run(&b"AB\nC D\n"[..], &mut output)?;
    /// assert_eq!(output, b"\xC1\xC2\x40\x40\xC3\x40\xC4\x40");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn to_records(mut self, shape: Shape) -> Self {
        self.settings.to_records = Some(shape);
        self
    }

    /// What becomes of text that is too long for its record.
    ///
    /// ```
    /// use charpipe::{OnOverlong, Transcode};
    ///
    /// let job = Transcode::new().to("IBM037")?.to_records("fb:2".parse()?);
    /// assert_eq!(job.run(&b"ABC\n"[..], Vec::new()).unwrap_err().code(), "record-too-long");
    /// let mut output = Vec::new();
    /// job.overlong(OnOverlong::Cut).run(&b"ABC\n"[..], &mut output)?;
    /// assert_eq!(output, b"\xC1\xC2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlong(mut self, policy: OnOverlong) -> Self {
        self.settings.overlong = policy;
        self
    }

    /// How many threads [`run`](Self::run) and [`Transcoder::run`](crate::Transcoder::run) let convert, beside the one that reads and writes. One
    /// by default, which does all.
    ///
    /// With more, the input is read a MiB at a time and cut between characters or records, and what comes of the parts is
    /// written in order: the same output, report and error as of one job. Four more parts than jobs are held at the most,
    /// with what they became. Input that cannot be cut, as it may look back (a charset or a target that shifts, without
    /// records; printer's carriage controls; XML whose place for references counts), is converted by one job.
    ///
    /// Not for a conversation: nothing is written before a part is there. The reader is read ahead of an error.
    ///
    /// ```
    /// use charpipe::Transcode;
    /// use std::num::NonZeroUsize;
    ///
    /// let input = vec![0xC1; 3 << 20];
    /// let mut output = Vec::new();
    /// Transcode::new().from("IBM037")?.jobs(NonZeroUsize::new(2).unwrap()).run(&input[..], &mut output)?;
    /// assert!(output.len() == input.len() && output.iter().all(|byte| *byte == b'A'));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.settings.jobs = jobs;
        self
    }

    /// How much of the input is a part, for tests.
    #[doc(hidden)]
    pub fn block(mut self, bytes: usize) -> Self {
        self.settings.block = bytes.max(1);
        self
    }

    /// Checks that the choices go together.
    ///
    /// # Errors
    /// Those of [`transcoder`](Self::transcoder), without making one.
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
            "carriage control makes lines and pages, and records are asked for"
        } else if input.shape.is_none() && (input.carriage.is_some() || input.columns.is_some()) {
            "columns and carriage control are of records, and there are none"
        } else if input.file.is_some() && !matches!(input.shape, Some(Shape::AwsTape { .. })) {
            "only a tape image has files to choose from"
        } else {
            return Ok(());
        };
        Err(ErrorKind::Options { what }.into())
    }
}

impl Default for Transcode {
    fn default() -> Self {
        Transcode::new()
    }
}
