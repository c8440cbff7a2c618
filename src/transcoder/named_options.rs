//! Sets options by name and value, such as `malformed` to `replace`, for configuration files, C programs and web pages.
//!
//! One table has all options, with the names and the values of the command line. The bindings use it too, so an option
//! has the same name everywhere.

use super::Transcode;
use super::choices::{OnMalformed, Padding};
use crate::detect::PRESCAN_LIMIT;
use crate::error::{Error, ErrorKind};
use crate::records::TapeFile;
use crate::registry::{label, split_labels};
use crate::words::Word;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// An option that [`Transcode::set`] can set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NamedOption {
    /// The name: `malformed`, `ebcdic-nl` …
    pub name: &'static str,
    /// What its value is.
    pub value: OptionValue,
}

/// An option that had another name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RenamedOption {
    /// The old name.
    pub old: &'static str,
    /// The name of the option that took its place.
    pub name: &'static str,
    /// The value of that option which has the old meaning; `None` if the value is the same as before.
    pub value: Option<&'static str>,
}

impl RenamedOption {
    /// Makes the row of a table: the old name, the new one, and the new value if the old option had none.
    pub(crate) const fn new(old: &'static str, name: &'static str, value: Option<&'static str>) -> Self {
        RenamedOption { old, name, value }
    }
}

/// What the value of a [`NamedOption`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OptionValue {
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or the label of an encoding.
    WordOrLabel(&'static [&'static str]),
    /// The labels of encodings, separated by commas.
    Labels,
    /// `true` or `false`.
    Flag,
    /// Text with a form of its own: a number, a record format, columns.
    Text,
}

type Set = fn(Transcode, &str) -> Result<Transcode, Error>;

/// The value of `option` cannot be `value`, because of `why`.
pub(crate) fn bad_value(option: &str, why: impl Display) -> Error {
    ErrorKind::BadOption { option: option.to_owned(), why: why.to_string() }.into()
}

/// Makes an option whose value is a word of the choice `$type`.
macro_rules! word {
    ($name:literal, $type:ty, $method:ident) => {
        word!($name, $type, |job, value| job.$method(value))
    };
    ($name:literal, $type:ty, |$job:ident, $value:ident| $set:expr) => {
        (NamedOption { name: $name, value: OptionValue::Word(<$type as Word>::NAMES) }, |$job, text| {
            let $value: $type = parse($name, text)?;
            Ok($set)
        })
    };
}

/// Makes an option that is on or off.
macro_rules! flag {
    ($name:literal, |$job:ident, $value:ident| $set:expr) => {
        (NamedOption { name: $name, value: OptionValue::Flag }, |$job, text| {
            let $value = flag($name, text)?;
            Ok($set)
        })
    };
}

/// Makes an option with another value, which `$set` reads.
macro_rules! text {
    ($name:literal, $value:expr, |$job:ident, $text:ident| $set:expr) => {
        (NamedOption { name: $name, value: $value }, |$job, $text| $set)
    };
}

const AUTO: OptionValue = OptionValue::WordOrLabel(&["auto"]);
const LABEL: OptionValue = OptionValue::WordOrLabel(&[]);

/// All options, in the order of the command's help.
const TABLE: &[(NamedOption, Set)] = &[
    text!("from", AUTO, |job, label| source(job, label)),
    text!("to", LABEL, |job, label| job.target_encoding(label)),
    text!("fallback", OptionValue::Labels, |job, list| job.fallbacks(split_labels(list))),
    text!("ebcdic-fallback", LABEL, |job, label| job.ebcdic_fallback(label)),
    flag!("guess", |job, guess| job.guess(guess)),
    text!("as", OptionValue::Word(KINDS), |job, word| kind(job, word)),
    text!("content-type", OptionValue::Text, |job, value| Ok(job.content_type(value))),
    word!("policy", crate::detect::Policy, policy),
    text!("prescan", OptionValue::Text, |job, text| prescan(job, text)),
    flag!("strict", |job, strict| job.strict(strict)),
    word!("unknown", super::OnUnknown, on_unknown),
    text!("malformed", OptionValue::WordOrLabel(OnMalformed::NAMES), |job, text| malformed(job, text)),
    word!("unmappable", super::OnUnmappable, on_unmappable),
    flag!("best-fit", |job, yes| job.best_fit(yes)),
    word!("relabel", super::Relabel, relabel),
    word!("bom", super::Bom, bom),
    word!("eol", crate::text::eol::Eol, eol),
    word!("ebcdic-nl", crate::codec::EbcdicNl, ebcdic_nl),
    word!("controls", crate::text::controls::OnControl, on_control),
    #[cfg(feature = "normalize")]
    word!("normalize", crate::text::normalize::Normalization, normalize),
    text!("records", OptionValue::Text, |job, shape| Ok(job.records(parse("records", shape)?))),
    text!("tape-file", OptionValue::Text, |job, file| Ok(job.tape_file(tape_file(file)?))),
    text!("to-records", OptionValue::Text, |job, shape| Ok(job.to_records(parse("to-records", shape)?))),
    text!("trim", OptionValue::Word(Padding::NAMES), |job, list| Ok(job.padding(padding(list)?))),
    word!("carriage-control", crate::records::Carriage, carriage),
    text!("columns", OptionValue::Text, |job, list| Ok(job.columns(parse("columns", list)?))),
    word!("gaps", super::Gaps, gaps),
    flag!("shift-blanks", |job, yes| job.shifts_as_blanks(yes)),
    word!("record-newlines", crate::text::eol::OnNewlineInRecord, on_newline_in_record),
    word!("overlong", crate::records::overlong::OnOverlong, on_overlong),
    text!("jobs", OptionValue::Text, |job, number| Ok(job.jobs(jobs(number)?))),
];

/// The words of `as`.
const KINDS: &[&str] = &["auto", "xml", "html", "text"];

/// Parses the value of `option`.
pub(crate) fn parse<T: FromStr<Err: Display>>(option: &str, text: &str) -> Result<T, Error> {
    text.parse().map_err(|why| bad_value(option, why))
}

pub(crate) fn flag(option: &str, text: &str) -> Result<bool, Error> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(bad_value(option, format_args!("{text:?} is not true or false"))),
    }
}

fn source(mut job: Transcode, label: &str) -> Result<Transcode, Error> {
    if label.eq_ignore_ascii_case("auto") {
        job.settings.hints.from = None;
        return Ok(job);
    }
    job.source_encoding(label)
}

fn kind(mut job: Transcode, word: &str) -> Result<Transcode, Error> {
    if !KINDS.contains(&word) {
        return Err(bad_value("as", format_args!("{word:?} is not one of {}", KINDS.join(", "))));
    }
    job.settings.hints.kind = word.parse().ok();
    Ok(job)
}

fn prescan(job: Transcode, text: &str) -> Result<Transcode, Error> {
    let bytes = text.parse().ok().filter(|bytes| *bytes <= PRESCAN_LIMIT);
    let bytes = bytes
        .ok_or_else(|| bad_value("prescan", format_args!("{text:?} is not a number from 0 to {PRESCAN_LIMIT}")))?;
    Ok(job.prescan(bytes))
}

fn malformed(job: Transcode, text: &str) -> Result<Transcode, Error> {
    match text.parse::<OnMalformed>() {
        Ok(policy) => Ok(job.on_malformed(policy)),
        Err(word) => job.malformed_as(text).map_err(|error| match error.kind() {
            ErrorKind::UnknownLabel { .. } => bad_value("malformed", format_args!("{word}, and it is not an encoding")),
            _ => error,
        }),
    }
}

pub(crate) fn tape_file(text: &str) -> Result<TapeFile, Error> {
    if text.trim().is_empty() || text.parse() == Ok(0_u32) {
        return Err(bad_value(
            "tape-file",
            format_args!("{text:?} is not a number from 1, nor the name of a data set"),
        ));
    }
    parse("tape-file", text)
}

/// Parses a list of what is trimmed. Its order does not matter.
fn padding(list: &str) -> Result<Padding, Error> {
    parse("trim", if list == "nuls,blanks" { Padding::TrimNuls.name() } else { list })
}

pub(crate) fn jobs(text: &str) -> Result<NonZeroUsize, Error> {
    let number = text.parse::<std::num::NonZeroU16>();
    let number = number.map_err(|_| bad_value("jobs", format_args!("{text:?} is not a number from 1 to 65535")))?;
    Ok(number.into())
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
    pub const OPTIONS: &'static [NamedOption] = {
        const ALL: [NamedOption; TABLE.len()] = {
            let mut all = [TABLE[0].0; TABLE.len()];
            let mut at = 0;
            while at < TABLE.len() {
                all[at] = TABLE[at].0;
                at += 1;
            }
            all
        };
        &ALL
    };

    /// The options that [`set`](Self::set) does not take any more, and what to set instead.
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

    /// Sets an option by its name, which is that of the command's long option. The values are those of the command line
    /// too; options without a value there have the values `true` and `false`. A name may have `_` in place of `-`.
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
        let name = name.replace('_', "-");
        match TABLE.iter().find(|(option, _)| option.name == name) {
            Some((_, set)) => set(self, value),
            None => Err(unknown_option(name, Transcode::RENAMED, TABLE.iter().map(|(option, _)| option.name))),
        }
    }
}

/// The options that only builds with some feature have: option, what it is for, feature.
const OF_FEATURES: [(&str, &str, &str); 1] = [("normalize", "normalisation", "normalize")];

/// Makes the error for an option that is not in the table: it has another name now, there is none, or this build lacks its
/// feature. `names` are those of all options.
pub(crate) fn unknown_option(
    name: String,
    renamed: &[RenamedOption],
    names: impl Iterator<Item = &'static str>,
) -> Error {
    if let Some(renamed) = renamed.iter().find(|renamed| renamed.old == name) {
        let RenamedOption { name: new, value, .. } = renamed;
        let why = value.map_or_else(|| format!("it is now {new}"), |value| format!("it is now {new}={value}"));
        return ErrorKind::BadOption { option: name, why }.into();
    }
    let near = label::near_misses(&name, names, |_| true);
    let feature = OF_FEATURES.iter().find(|(option, ..)| *option == name);
    let why = match (feature, &*near) {
        (Some((_, what, feature)), _) => format!("this build has no {what}: it lacks the feature `{feature}`"),
        (None, []) => "there is no such option".to_owned(),
        (None, near) => format!("there is no such option; did you mean {}?", near.join(" or ")),
    };
    ErrorKind::BadOption { option: name, why }.into()
}
