//! The options of a conversion by name: [`Transcode::set`].

use super::choices::{Bom, Gaps, OnMalformed, OnUnknown, OnUnmappable, Padding, Relabel};
use super::options::Transcode;
use crate::codec::EbcdicNl;
use crate::detect::{PRESCAN_LIMIT, Policy};
use crate::error::{Error, ErrorKind};
use crate::named_options::{Given, Row, listing, set};
pub use crate::named_options::{NamedOption, OptionValue, RenamedOption};
use crate::records::overlong::OnOverlong;
use crate::records::{Carriage, TapeFile};
use crate::registry::split_labels;
use crate::text::controls::OnControl;
use crate::text::eol::{Eol, OnNewlineInRecord};
#[cfg(feature = "mojibake")]
use crate::text::mojibake::OnMojibake;
#[cfg(feature = "normalize")]
use crate::text::normalize::Normalization;
use crate::words::Word;
use std::num::{NonZeroU16, NonZeroUsize};

const AUTO: OptionValue = OptionValue::WordOrLabel(&["auto"]);
const LABEL: OptionValue = OptionValue::WordOrLabel(&[]);

/// The words of `as`.
const KINDS: &[&str] = &["auto", "xml", "html", "text"];

/// All options, in the order of the command's help.
const TABLE: &[Row<Transcode>] = &[
    Row::new("from", AUTO, |job, given| source(job, given.text)),
    Row::new("to", LABEL, |job, given| job.target_encoding(given.text)),
    Row::new("fallback", OptionValue::Labels, |job, given| job.fallbacks(split_labels(given.text))),
    Row::new("ebcdic-fallback", LABEL, |job, given| job.ebcdic_fallback(given.text)),
    Row::flag("guess", |job, given| Ok(job.guess(given.flag()?))),
    Row::new("as", OptionValue::Word(KINDS), kind),
    Row::text("content-type", |job, given| Ok(job.content_type(given.text))),
    Row::word::<Policy>("policy", |job, given| Ok(job.policy(given.parse()?))),
    Row::text("prescan", |job, given| Ok(job.prescan(prescan(given)?))),
    Row::flag("strict", |job, given| Ok(job.strict(given.flag()?))),
    Row::word::<OnUnknown>("unknown", |job, given| Ok(job.on_unknown(given.parse()?))),
    Row::new("malformed", OptionValue::WordOrLabel(OnMalformed::NAMES), malformed),
    Row::word::<OnUnmappable>("unmappable", |job, given| Ok(job.on_unmappable(given.parse()?))),
    Row::flag("best-fit", |job, given| Ok(job.best_fit(given.flag()?))),
    Row::word::<Relabel>("relabel", |job, given| Ok(job.relabel(given.parse()?))),
    Row::word::<Bom>("bom", |job, given| Ok(job.bom(given.parse()?))),
    Row::word::<Eol>("eol", |job, given| Ok(job.eol(given.parse()?))),
    Row::word::<EbcdicNl>("ebcdic-nl", |job, given| Ok(job.ebcdic_nl(given.parse()?))),
    Row::word::<OnControl>("controls", |job, given| Ok(job.on_control(given.parse()?))),
    #[cfg(feature = "mojibake")]
    Row::word::<OnMojibake>("mojibake", |job, given| Ok(job.on_mojibake(given.parse()?))),
    #[cfg(feature = "normalize")]
    Row::word::<Normalization>("normalize", |job, given| Ok(job.normalize(given.parse()?))),
    Row::text("records", |job, given| Ok(job.records(given.parse()?))),
    Row::text("tape-file", |job, given| Ok(job.tape_file(tape_file(given)?))),
    Row::text("to-records", |job, given| Ok(job.to_records(given.parse()?))),
    // The order of what is trimmed does not matter.
    Row::word::<Padding>("trim", |job, given| match given.text {
        "nuls,blanks" => Ok(job.padding(Padding::TrimNuls)),
        _ => Ok(job.padding(given.parse()?)),
    }),
    Row::word::<Carriage>("carriage-control", |job, given| Ok(job.carriage(given.parse()?))),
    Row::text("columns", |job, given| Ok(job.columns(given.parse()?))),
    Row::word::<Gaps>("gaps", |job, given| Ok(job.gaps(given.parse()?))),
    Row::flag("shift-blanks", |job, given| Ok(job.shifts_as_blanks(given.flag()?))),
    Row::word::<OnNewlineInRecord>("record-newlines", |job, given| Ok(job.on_newline_in_record(given.parse()?))),
    Row::word::<OnOverlong>("overlong", |job, given| Ok(job.on_overlong(given.parse()?))),
    Row::text("jobs", |job, given| Ok(job.jobs(jobs(given)?))),
];

fn source(mut job: Transcode, label: &str) -> Result<Transcode, Error> {
    if label.eq_ignore_ascii_case("auto") {
        job.settings.hints.from = None;
        return Ok(job);
    }
    job.source_encoding(label)
}

fn kind(mut job: Transcode, given: Given<'_>) -> Result<Transcode, Error> {
    given.place(KINDS)?;
    job.settings.hints.kind = given.text.parse().ok();
    Ok(job)
}

fn prescan(given: Given<'_>) -> Result<usize, Error> {
    let bytes = given.text.parse().ok().filter(|bytes| *bytes <= PRESCAN_LIMIT);
    bytes.ok_or_else(|| given.bad(format_args!("{:?} is not a number from 0 to {PRESCAN_LIMIT}", given.text)))
}

fn malformed(job: Transcode, given: Given<'_>) -> Result<Transcode, Error> {
    match given.text.parse::<OnMalformed>() {
        Ok(policy) => Ok(job.on_malformed(policy)),
        Err(word) => job.malformed_as(given.text).map_err(|error| match error.kind() {
            ErrorKind::UnknownLabel { .. } => given.bad(format_args!("{word}, and it is not an encoding")),
            _ => error,
        }),
    }
}

pub(crate) fn tape_file(given: Given<'_>) -> Result<TapeFile, Error> {
    let text = given.text;
    if text.trim().is_empty() || text.parse() == Ok(0_u32) {
        return Err(given.bad(format_args!("{text:?} is not a number from 1, nor the name of a data set")));
    }
    given.parse()
}

pub(crate) fn jobs(given: Given<'_>) -> Result<NonZeroUsize, Error> {
    let number = given.text.parse::<NonZeroU16>().map(NonZeroUsize::from);
    number.map_err(|_| given.bad(format_args!("{:?} is not a number from 1 to 65535", given.text)))
}

impl Transcode {
    /// All options that [`set`](Self::set) can set.
    ///
    /// ```
    /// use charpipe::{OptionValue, Transcode};
    ///
    /// let bom = Transcode::OPTIONS.iter().find(|option| option.name == "bom").unwrap();
    /// assert_eq!(bom.value, OptionValue::Word(&["auto", "keep", "add", "strip"]));
    /// ```
    pub const OPTIONS: &'static [NamedOption] = &listing::<Transcode, { TABLE.len() }>(TABLE);

    /// The options that [`set`](Self::set) no longer accepts, and the options to set instead.
    ///
    /// ```
    /// use charpipe::Transcode;
    ///
    /// let asa = Transcode::RENAMED.iter().find(|option| option.old == "asa").unwrap();
    /// assert_eq!((asa.name, asa.value), ("carriage-control", Some("asa")));
    /// ```
    pub const RENAMED: &'static [RenamedOption] = &[
        RenamedOption::new("keep-blanks", "trim", Some("none")),
        RenamedOption::new("trim-nuls", "trim", Some("blanks,nuls")),
        RenamedOption::new("asa", "carriage-control", Some("asa")),
        RenamedOption::new("machine", "carriage-control", Some("machine")),
        RenamedOption::new("file", "tape-file", None),
    ];

    /// Sets an option by the name of the command's long option. The values are also those of the command line; options
    /// that have no value there have the values `true` and `false`. A name may have `_` in place of `-`.
    /// [`OPTIONS`](Self::OPTIONS) lists the options. For options that exclude each other, the last call counts.
    ///
    /// # Errors
    /// [`ErrorKind::BadOption`] if there is no option `name`, or if it cannot have this value;
    /// [`ErrorKind::UnknownLabel`] and the other errors of the method that sets the same option.
    ///
    /// ```
    /// use charpipe::Transcode;
    ///
    /// let mut job = Transcode::new();
    /// for (name, value) in [("from", "IBM1047"), ("ebcdic-nl", "zos"), ("records", "fb:3"), ("trim", "none")] {
    ///     job = job.set(name, value)?;
    /// }
    /// assert_eq!(job.decode(b"\xC1\x40\x40")?, "A  \n");
    ///
    /// let error = Transcode::new().set("eol", "unix").unwrap_err();
    /// assert_eq!(error.to_string(), r#"option eol: "unix" is not one of auto, keep, lf, crlf, nel"#);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn set(self, name: &str, value: &str) -> Result<Self, Error> {
        set(self, TABLE, Transcode::RENAMED, name, value)
    }
}
