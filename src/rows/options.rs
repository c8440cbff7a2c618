//! Sets the options of a rows job by name and value, as the command line, Python, C and JavaScript do.
//!
//! One table has all options, with the names and the values of the command line.

use super::date::DatePattern;
use super::job::{LayoutFormat, RowsJob};
use super::shape::StoredAs;
use crate::error::Error;
use crate::fields::{ByteOrder, FloatFormat, OnBad, Rule, Trim};
use crate::records::overlong::OnOverlong;
use crate::text::controls::OnControl;
use crate::text::eol::OnNewlineInRecord;
use crate::transcoder::named_options::{bad_value, flag, jobs, parse, tape_file, unknown_option};
use crate::transcoder::{NamedOption, OptionValue, RenamedOption};
use crate::words::Word;

type Set = fn(RowsJob, &str) -> Result<RowsJob, Error>;

/// Makes an option whose value is a word of the choice `$type`.
macro_rules! word {
    ($name:literal, $type:ty, $method:ident) => {
        (NamedOption { name: $name, value: OptionValue::Word(<$type as Word>::NAMES) }, |job, text| {
            Ok(job.$method(parse::<$type>($name, text)?))
        })
    };
}

/// Makes an option that is on or off.
macro_rules! flag {
    ($name:literal, $method:ident) => {
        (NamedOption { name: $name, value: OptionValue::Flag }, |job, text| Ok(job.$method(flag($name, text)?)))
    };
}

/// Makes an option with another value, which `$set` reads.
macro_rules! text {
    ($name:literal, $value:expr, |$job:ident, $text:ident| $set:expr) => {
        (NamedOption { name: $name, value: $value }, |$job, $text| $set)
    };
}

const ORDERS: &[&str] = &["big", "little"];
const TRIMMED: &[&str] = &["blanks", "nuls", "blanks,nuls", "none"];
const ON_BAD: &[&str] = &["error", "null"];

/// All options, in the order of the command's help.
const TABLE: &[(NamedOption, Set)] = &[
    word!("layout-format", LayoutFormat, layout_format),
    word!("float", FloatFormat, float),
    text!("byte-order", OptionValue::Word(ORDERS), |job, word| byte_order(job, word)),
    text!("when", OptionValue::Text, |job, rule| Ok(job.when(parse::<Rule>("when", rule)?))),
    text!("from", OptionValue::WordOrLabel(&[]), |job, label| job.encoding(label)),
    text!("records", OptionValue::Text, |job, shape| Ok(job.records(parse::<StoredAs>("records", shape)?))),
    text!("tape-file", OptionValue::Text, |job, file| Ok(job.tape_file(tape_file(file)?))),
    text!("to-records", OptionValue::Text, |job, shape| Ok(job.to_records(parse("to-records", shape)?))),
    text!("select", OptionValue::Text, |job, list| Ok(select(job, list))),
    text!("trim", OptionValue::Word(TRIMMED), |job, list| Ok(job.trim(trim(list)?))),
    text!("on-bad", OptionValue::Word(ON_BAD), |job, word| on_bad(job, word)),
    flag!("empty-is-null", empty_is_null),
    text!("short-records", OptionValue::Word(ON_BAD), |job, word| {
        Ok(job.short_records(is_null("short-records", word)?))
    }),
    word!("overlong", OnOverlong, on_overlong),
    flag!("filler", fillers),
    flag!("exact", exact),
    word!("controls", OnControl, on_control),
    word!("record-newlines", OnNewlineInRecord, on_newline_in_record),
    text!("add-columns", OptionValue::Text, |job, list| add_columns(job, list)),
    text!("dates", OptionValue::Text, |job, date| dates(job, date)),
    flag!("integers", integers),
    flag!("underscores", underscores),
    text!("jobs", OptionValue::Text, |job, number| Ok(job.jobs(jobs(number)?))),
];

/// Splits a list at its commas.
fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

fn not_one_of(option: &str, word: &str, expected: &[&str]) -> Error {
    bad_value(option, format_args!("{word:?} is not one of {}", expected.join(", ")))
}

fn byte_order(job: RowsJob, word: &str) -> Result<RowsJob, Error> {
    match word {
        "big" => Ok(job.byte_order(ByteOrder::Big)),
        "little" => Ok(job.byte_order(ByteOrder::Little)),
        _ => Err(not_one_of("byte-order", word, ORDERS)),
    }
}

fn trim(list: &str) -> Result<Trim, Error> {
    let words: Vec<&str> = split(list).collect();
    match words[..] {
        ["none"] => Ok(Trim::Nothing),
        ["blanks"] => Ok(Trim::Blanks),
        ["nuls"] => Ok(Trim::Nuls),
        ["blanks", "nuls"] | ["nuls", "blanks"] => Ok(Trim::BlanksAndNuls),
        _ => Err(not_one_of("trim", list, TRIMMED)),
    }
}

fn is_null(option: &str, word: &str) -> Result<bool, Error> {
    match word {
        "null" => Ok(true),
        "error" => Ok(false),
        _ => Err(not_one_of(option, word, ON_BAD)),
    }
}

fn on_bad(job: RowsJob, word: &str) -> Result<RowsJob, Error> {
    Ok(job.on_bad(if is_null("on-bad", word)? { OnBad::Null } else { OnBad::Error }))
}

fn select(job: RowsJob, list: &str) -> RowsJob {
    let before = job.read.select.clone().unwrap_or_default();
    job.select(before.into_iter().chain(split(list).map(str::to_owned)))
}

fn add_columns(job: RowsJob, list: &str) -> Result<RowsJob, Error> {
    let mut columns = job.added.clone();
    for word in split(list) {
        columns.push(parse("add-columns", word)?);
    }
    Ok(job.add_columns(columns))
}

fn dates(job: RowsJob, list: &str) -> Result<RowsJob, Error> {
    split(list).try_fold(job, |job, date| {
        let (field, pattern) = date
            .rsplit_once('=')
            .ok_or_else(|| bad_value("dates", format_args!("{date:?} is not FIELD=PATTERN, such as BORN=YYYYMMDD")))?;
        Ok(job.date(field.trim(), parse::<DatePattern>("dates", pattern.trim())?))
    })
}

impl RowsJob {
    /// All options that [`set`](Self::set) can set.
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

    /// The options that [`set`](Self::set) does not take any more, or that have another name elsewhere, and what to set
    /// instead.
    ///
    /// ```
    /// use charpipe::rows::RowsJob;
    ///
    /// let number = RowsJob::RENAMED.iter().find(|option| option.old == "number").unwrap();
    /// assert_eq!((number.name, number.value), ("add-columns", Some("number")));
    /// ```
    pub const RENAMED: &'static [RenamedOption] = &[
        RenamedOption::new("null-on-bad", "on-bad", Some("null")),
        RenamedOption::new("number", "add-columns", Some("number")),
        RenamedOption::new("keep-blanks", "trim", Some("none")),
        RenamedOption::new("trim-nuls", "trim", Some("blanks,nuls")),
        RenamedOption::new("file", "tape-file", None),
        RenamedOption::new("floats", "float", None),
        RenamedOption::new("byteorder", "byte-order", None),
        RenamedOption::new("encoding", "from", None),
        RenamedOption::new("columns", "select", None),
    ];

    /// Sets an option by its name, which is that of the long option of `charpipe rows`. The values are those of the command
    /// line too; options without a value there have the values `true` and `false`. A name may have `_` in place of `-`.
    /// [`OPTIONS`](Self::OPTIONS) lists the options. `when` and the options with lists of names (`select`, `add-columns`,
    /// `dates`) add to what was set before; for the others, the last call counts.
    ///
    /// # Errors
    /// [`ErrorKind::BadOption`](crate::ErrorKind::BadOption) if there is no option `name`, or if it cannot have this value, and
    /// [`ErrorKind::UnknownLabel`](crate::ErrorKind::UnknownLabel) and the like for `from`.
    ///
    /// ```
    /// use charpipe::rows::RowsJob;
    ///
    /// let mut job = RowsJob::new();
    /// for (name, value) in [("from", "IBM1047"), ("on_bad", "null"), ("add-columns", "number,errors")] {
    ///     job = job.set(name, value)?;
    /// }
    /// let error = job.set("short-records", "skip").err().unwrap();
    /// assert_eq!(error.to_string(), r#"option short-records: "skip" is not one of error, null"#);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn set(self, name: &str, value: &str) -> Result<Self, Error> {
        let name = name.replace('_', "-");
        match TABLE.iter().find(|(option, _)| option.name == name) {
            Some((_, set)) => set(self, value),
            None => Err(unknown_option(name, RowsJob::RENAMED, TABLE.iter().map(|(option, _)| option.name))),
        }
    }
}
