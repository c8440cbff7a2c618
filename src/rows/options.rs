//! The options of a rows job by name, as the command line, Python, C and JavaScript set them: [`RowsJob::set`].

use super::date::DatePattern;
use super::job::{LayoutFormat, RowsJob};
use crate::error::{Error, ErrorKind};
use crate::fields::{BinaryRange, ByteOrder, FloatFormat, OnBad, Trim, ZonedSigns};
use crate::named_options::{Given, NamedOption, OptionValue, RenamedOption, Row, listing, set};
use crate::records::Shape;
use crate::records::overlong::OnOverlong;
use crate::text::controls::OnControl;
use crate::text::eol::OnNewlineInRecord;
use crate::transcoder::named_options::{jobs, tape_file};
use crate::transcoder::{OnMalformed, Padding};
use crate::words::Word;
use std::path::Path;

const ORDERS: &[&str] = &["big", "little"];
const SIGNS: &[&str] = &["auto", "ebcdic", "ascii", "ascii-p"];
const GROUPS: &[&str] = &["fields", "text"];
const ON_BAD: &[&str] = &["error", "null"];

/// All options, in the order of the command's help.
const TABLE: &[Row<RowsJob>] = &[
    Row::word::<LayoutFormat>("layout-format", |job, given| Ok(job.layout_format(given.parse()?))),
    Row::text("copy-path", copy_path),
    Row::text("replacing", |job, given| job.replacing(given.text)),
    Row::flag("decimal-comma", |job, given| Ok(job.decimal_comma(given.flag()?))),
    Row::text("record-name", |job, given| Ok(job.record_name(given.text))),
    Row::text("count-map", count_map),
    Row::word::<FloatFormat>("float", |job, given| Ok(job.float(given.parse()?))),
    Row::new("byte-order", OptionValue::Word(ORDERS), |job, given| {
        Ok(job.byte_order([ByteOrder::Big, ByteOrder::Little][given.place(ORDERS)?]))
    }),
    Row::new("zoned-signs", OptionValue::Word(SIGNS), zoned_signs),
    Row::text("when", |job, given| Ok(job.when(given.parse()?))),
    Row::text("parent", parents),
    Row::flag("varchar", |job, given| Ok(job.varchar(given.flag()?))),
    Row::text("null-indicator", null_indicators),
    Row::new("groups", OptionValue::Word(GROUPS), |job, given| Ok(job.group_texts(given.place(GROUPS)? == 1))),
    Row::new("from", OptionValue::WordOrLabel(&[]), |job, given| job.encoding(given.text)),
    Row::text("records", |job, given| Ok(job.records(given.parse()?))),
    Row::text("length-field", length_field),
    Row::text("length-map", length_map),
    Row::text("tape-file", |job, given| Ok(job.tape_file(tape_file(given)?))),
    Row::text("skip-head", |job, given| Ok(job.skip_head(given.parse()?))),
    Row::text("skip-tail", |job, given| Ok(job.skip_tail(given.parse()?))),
    Row::text("record-prefix", |job, given| Ok(job.record_prefix(bytes(given)?))),
    Row::text("record-suffix", |job, given| Ok(job.record_suffix(bytes(given)?))),
    Row::text("to-records", |job, given| Ok(job.to_records(target(given)?))),
    Row::word::<BinaryRange>("binary-range", |job, given| Ok(job.binary_range(given.parse()?))),
    Row::text("select", |job, given| Ok(select(job, given.text))),
    Row::word::<Padding>("trim", |job, given| Ok(job.trim(trim(given)?))),
    Row::new("on-bad", OptionValue::Word(ON_BAD), |job, given| {
        Ok(job.on_bad([OnBad::Error, OnBad::Null][given.place(ON_BAD)?]))
    }),
    Row::flag("empty-is-null", |job, given| Ok(job.empty_is_null(given.flag()?))),
    Row::flag("loose-numbers", |job, given| Ok(job.loose_numbers(given.flag()?))),
    Row::new("malformed", OptionValue::WordOrLabel(OnMalformed::NAMES), malformed),
    Row::new("short-records", OptionValue::Word(ON_BAD), |job, given| {
        Ok(job.short_records([false, true][given.place(ON_BAD)?]))
    }),
    Row::word::<OnOverlong>("overlong", |job, given| Ok(job.on_overlong(given.parse()?))),
    Row::flag("filler", |job, given| Ok(job.fillers(given.flag()?))),
    Row::flag("exact", |job, given| Ok(job.exact(given.flag()?))),
    Row::word::<OnControl>("controls", |job, given| Ok(job.on_control(given.parse()?))),
    Row::word::<OnNewlineInRecord>("record-newlines", |job, given| Ok(job.on_newline_in_record(given.parse()?))),
    Row::text("add-columns", add_columns),
    Row::text("dates", dates),
    Row::flag("integers", |job, given| Ok(job.integers(given.flag()?))),
    Row::flag("underscores", |job, given| Ok(job.underscores(given.flag()?))),
    Row::text("jobs", |job, given| Ok(job.jobs(jobs(given)?))),
];

/// Splits a list at its commas.
fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// Parses a list of what is trimmed. Its order does not matter.
fn trim(given: Given<'_>) -> Result<Trim, Error> {
    match &*split(given.text).collect::<Vec<_>>().join(",") {
        "nuls,blanks" => Ok(Trim::BlanksAndNuls),
        words => words
            .parse()
            .map_err(|_| given.bad(format_args!("{:?} is not one of {}", given.text, Padding::NAMES.join(", ")))),
    }
}

fn malformed(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    match given.text.parse::<OnMalformed>() {
        Ok(policy) => Ok(job.on_malformed(policy)),
        Err(word) => job.malformed_as(given.text).map_err(|error| match error.kind() {
            ErrorKind::UnknownLabel { .. } => given.bad(format_args!("{word}, and it is not an encoding")),
            _ => error,
        }),
    }
}

/// The word `auto` is that of none of them.
fn zoned_signs(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    given.place(SIGNS)?;
    Ok(job.zoned_signs(given.text.parse::<ZonedSigns>().ok()))
}

fn copy_path(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    match Path::new(given.text).is_dir() {
        true => Ok(job.copy_path(given.text)),
        false => Err(given.bad(format_args!("{:?} is not a directory", given.text))),
    }
}

fn select(job: RowsJob, list: &str) -> RowsJob {
    let before = job.read.select.clone().unwrap_or_default();
    job.select(before.into_iter().chain(split(list).map(str::to_owned)))
}

/// Parses the shape of records that are written. One is not the notation of a shape.
fn target(given: Given<'_>) -> Result<Shape, Error> {
    if given.text == "layout" { Ok(Shape::Unframed) } else { given.parse() }
}

fn bytes(given: Given<'_>) -> Result<u16, Error> {
    given.text.parse().map_err(|_| given.bad(format_args!("{:?} is not a number of bytes from 0 to 65535", given.text)))
}

fn length_field(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    let job = without_length(job, given, "length-field")?;
    match given.text.trim() {
        field if field.is_empty() || field.contains(char::is_whitespace) => {
            Err(given.bad(format_args!("{field:?} is not FIELD, FIELD+N or FIELD-N, such as REC-LEN+4")))
        }
        field => Ok(job.length_field(field)),
    }
}

/// Parses `TYPE:A=120,B=300`.
fn length_map(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    let job = without_length(job, given, "length-map")?;
    let (field, lengths) = numbers(given, "LENGTH,..., such as TYPE:A=120,B=300", "lengths")?;
    Ok(job.length_map(field, lengths))
}

/// Parses `SIZE:A=1,B=2`.
fn count_map(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    let (field, counts) = numbers(given, "COUNT,..., such as SIZE:A=1,B=2", "counts")?;
    Ok(job.count_map(field, counts))
}

/// Values of a field, and a number for each.
type Numbers<'a> = Vec<(&'a str, usize)>;

/// Parses a field and numbers for its values. `form` continues `FIELD:VALUE=`, and `what` are the numbers.
fn numbers<'a>(given: Given<'a>, form: &str, what: &str) -> Result<(&'a str, Numbers<'a>), Error> {
    let bad = |part: &str| given.bad(format_args!("{part:?} is not FIELD:VALUE={form}"));
    let (field, list) = given.text.split_once(':').ok_or_else(|| bad(given.text))?;
    let mut numbers = Numbers::new();
    for pair in list.split(',') {
        let (value, number) = pair.split_once('=').ok_or_else(|| bad(pair))?;
        let number = number.trim().parse().map_err(|_| bad(pair))?;
        if numbers.iter().any(|(other, _)| *other == value.trim()) {
            return Err(given.bad(format_args!("the value {:?} has two {what}", value.trim())));
        }
        numbers.push((value.trim(), number));
    }
    Ok((field.trim(), numbers))
}

/// Checks that only one option says where lengths come from.
fn without_length(job: RowsJob, given: Given<'_>, option: &str) -> Result<RowsJob, Error> {
    match &job.length_from {
        Some(other) if other.name() != option => {
            Err(given.bad(format_args!("cannot be used with {}: only one of them can say the length", other.name())))
        }
        _ => Ok(job),
    }
}

fn add_columns(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    let mut columns = job.added.clone();
    for word in split(given.text) {
        columns.push(given.part(word)?);
    }
    Ok(job.add_columns(columns))
}

/// Parses `ACCOUNT < CUSTOMER: ID,NAME`, several of which can follow each other. What has no `<` is one more key.
fn parents(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    let bad = |part: &str| match part.contains(':') {
        true => given.bad(format_args!("{part:?} is not CHILD < PARENT: KEY,..., such as ACCOUNT < CUSTOMER: ID")),
        false => given.bad(format_args!("{part:?} is not CHILD < PARENT, such as ACCOUNT < CUSTOMER")),
    };
    let is_name = |name: &str| !name.is_empty() && !name.contains(['<', ':']);
    let mut child = None;
    split(given.text).try_fold(job, |job, part| {
        let (job, key) = match (part.split_once('<'), child) {
            (Some((own, rest)), _) => {
                let (parent, key) = rest.split_once(':').map_or((rest, None), |(parent, key)| (parent, Some(key)));
                let (own, parent) = (own.trim(), parent.trim());
                if !is_name(own) || !is_name(parent) {
                    return Err(bad(part));
                }
                child = key.map(|_| own);
                (job.parent(own, parent), key.map(str::trim))
            }
            (None, Some(_)) => (job, Some(part)),
            (None, None) => return Err(bad(part)),
        };
        match (key, child) {
            (Some(key), Some(child)) if is_name(key) => Ok(job.parent_keys(child, [key])),
            (None, _) => Ok(job),
            _ => Err(bad(part)),
        }
    })
}

fn null_indicators(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    split(given.text).try_fold(job, |job, pair| {
        let (field, indicator) = pair
            .split_once('=')
            .ok_or_else(|| given.bad(format_args!("{pair:?} is not FIELD=INDICATOR, such as NAME=NAME-NULL")))?;
        Ok(job.null_indicator(field.trim(), indicator.trim()))
    })
}

fn dates(job: RowsJob, given: Given<'_>) -> Result<RowsJob, Error> {
    split(given.text).try_fold(job, |job, date| {
        let (field, pattern) = date
            .rsplit_once('=')
            .ok_or_else(|| given.bad(format_args!("{date:?} is not FIELD=PATTERN, such as BORN=YYYYMMDD")))?;
        Ok(job.date(field.trim(), given.part::<DatePattern>(pattern.trim())?))
    })
}

impl RowsJob {
    /// All options that [`set`](Self::set) can set.
    pub const OPTIONS: &'static [NamedOption] = &listing::<RowsJob, { TABLE.len() }>(TABLE);

    /// The options that [`set`](Self::set) no longer accepts, or that have another name elsewhere, and the options to
    /// set instead.
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

    /// Sets an option by the name of the long option of `charpipe rows`. The values are also those of the command line;
    /// options that have no value there have the values `true` and `false`. A name may have `_` in place of `-`.
    /// [`OPTIONS`](Self::OPTIONS) lists the options. `when`, `copy-path`, `replacing`, `count-map` and the options with
    /// lists of names (`select`, `add-columns`, `dates`, `null-indicator`, `parent`) add to what was set before; for
    /// the others, the last call counts.
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
        set(self, TABLE, RowsJob::RENAMED, name, value)
    }
}
