//! Errors of layouts and of fields: [`BadLayout`] and [`FieldError`].

use super::Value;
use crate::error::Count;
use crate::hex::Hex;
use std::fmt;

/// The error for an invalid layout: a copybook or a field list with a mistake, or items that contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BadLayout {
    /// The file that the line is in, if it is one that the layout copies (`COPY`), and not the layout itself.
    pub file: Option<String>,
    /// The line in the source text, from 1; 0 if the items did not come from a text.
    pub line: usize,
    /// The column in characters, from 1; 0 if only the line is known.
    pub column: usize,
    /// The index of the item, if the mistake is in an item as a whole.
    pub item: Option<usize>,
    /// A description of the problem, and what was expected.
    pub what: String,
}

impl BadLayout {
    /// Makes the error for a place in a text: line and column, both from 1.
    #[must_use]
    pub fn at(line: usize, column: usize, what: impl Into<String>) -> Self {
        BadLayout { file: None, line, column, item: None, what: what.into() }
    }

    /// Makes the error for the item with this index. The reader of a text adds [its line](Self::on_line).
    #[must_use]
    pub fn in_item(item: usize, what: impl Into<String>) -> Self {
        BadLayout { file: None, line: 0, column: 0, item: Some(item), what: what.into() }
    }

    /// Returns the same error with a place in the text.
    #[must_use]
    pub fn on_line(self, line: usize, column: usize) -> Self {
        BadLayout { line, column, ..self }
    }

    /// Returns the same error, in a file that the layout copies.
    #[must_use]
    pub(crate) fn in_file(self, file: String) -> Self {
        BadLayout { file: Some(file), ..self }
    }
}

impl fmt::Display for BadLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}, ")?;
        }
        match (self.line, self.column) {
            (0, _) => {}
            (line, 0) => write!(f, "line {line}: ")?,
            (line, column) => write!(f, "line {line}, column {column}: ")?,
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for BadLayout {}

/// The error for a field that cannot be read or written: its position, its bytes, and the problem.
///
/// ```text
/// record 17, field ACCOUNT.BALANCE, bytes 12-16: 00 12 3X …
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct FieldError(Box<Details>);

#[derive(Clone, PartialEq, Debug)]
struct Details {
    record: u64,
    path: String,
    /// In bytes from 0.
    offset: usize,
    bytes: Vec<u8>,
    problem: Problem,
}

/// The problem with a field.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The bytes are not a number of the field's kind.
    NotANumber {
        /// The expected content, for example "a digit in each half byte".
        expected: &'static str,
    },
    /// The bytes are not valid in the code page of the field.
    Malformed {
        /// The name of the code page.
        codec: String,
    },
    /// The record ends before the field does.
    RecordTooShort {
        /// The length of the record, in bytes.
        len: usize,
        /// The number of bytes that the field needs the record to have.
        needed: usize,
    },
    /// The record continues after its last field. The error has no path.
    RecordTooLong {
        /// The length of the record, in bytes.
        len: usize,
        /// The number of bytes that the layout describes.
        described: usize,
    },
    /// The count of an array is outside of the bounds that the layout gives.
    CountOutOfBounds {
        /// The count in the record.
        count: String,
        /// The path of the array.
        array: String,
        /// The smallest and the largest count allowed.
        bounds: (usize, usize),
    },
    /// The value of a field is not in the [map of counts](super::Item::count_map).
    UnknownCount,
    /// The length before [varying](super::Text::varying) text is negative or larger than the field.
    BadLength {
        /// The length in the record.
        length: i16,
        /// The largest length that the field can have.
        most: usize,
    },
    /// No condition of the record types holds.
    UnknownType {
        /// The values that select a type, for display: `SEGMENT-ID=C, SEGMENT-ID=P`.
        known: String,
    },
    /// The record has a type whose rows go nowhere: an alternative inside of another one, for example.
    OtherType {
        /// The path of the type; `None` if the record has none.
        path: Option<String>,
    },
    /// No record precedes the record that could be its [parent](crate::rows::RowsJob::parent).
    NoParent {
        /// The path of the record's type.
        record_type: String,
        /// The path of the parent's type.
        parent: String,
    },
    /// The field does not contain a date.
    NotADate {
        /// The value of the field.
        value: String,
        /// The pattern of its dates.
        pattern: String,
    },
    /// The text has a control character or a newline that the rows job does not allow.
    Character {
        /// The character.
        ch: char,
        /// Whether it is a newline: LF, CR or NEL.
        is_newline: bool,
    },
    /// If the value were written back, it would become other bytes.
    NotCanonical {
        /// The bytes that the value would become. Empty if it cannot be written at all.
        canonical: Vec<u8>,
    },
    /// The value does not fit the field.
    DoesNotFit {
        /// The value.
        value: String,
        /// The range or size of the field.
        expected: String,
    },
    /// The code page of the field lacks a character.
    Unmappable {
        /// The character.
        ch: char,
        /// The name of the code page.
        codec: String,
    },
    /// The value cannot be deserialized into the type that the caller wants (feature `serde`).
    NotOfType {
        /// A description of the error.
        why: String,
    },
    /// A row to be written does not fit the layout. For example, it has a name that the layout lacks.
    NotInLayout {
        /// A description of the error.
        why: String,
    },
    /// There is a value for a field whose [null indicator](super::Layout::null_indicator) says that it has none.
    NotNull {
        /// The value.
        value: String,
        /// The path of the indicator.
        indicator: String,
    },
    /// There is no value for a field that needs one.
    Missing,
    /// Two fields that share bytes have values that contradict each other.
    Conflict {
        /// The bytes that an earlier field wrote.
        written: Vec<u8>,
    },
}

impl FieldError {
    /// Makes the error for the field with this path, which begins at `offset` of the record's data and has these bytes.
    /// A [`Visitor`](super::Visitor) makes one for a value that it cannot take.
    #[must_use]
    pub fn new(path: String, offset: usize, bytes: &[u8], problem: Problem) -> Self {
        FieldError(Box::new(Details { record: 0, path, offset, bytes: bytes.to_vec(), problem }))
    }

    /// Returns the same error with the number of the record, from 1.
    #[must_use]
    pub fn in_record(mut self, number: u64) -> Self {
        self.0.record = number;
        self
    }

    /// Returns the number of the record, from 1; 0 if it was not given.
    #[must_use]
    pub fn record(&self) -> u64 {
        self.0.record
    }

    /// Returns the path of the field, as [`Layout::path`](super::Layout::path) does, with the numbers of occurrences.
    /// Empty if the error is in bytes that no field covers.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns where the field begins in the record's data, in bytes from 0.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Returns the bytes of the field. When writing, it has none.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// Returns a value for a message, or the bytes of a field without one. Of long ones, it shows only the beginning.
    pub(crate) fn shown(value: Option<Value<'_>>, bytes: &[u8]) -> String {
        match value {
            Some(Value::Text(text)) => Quoted(text).to_string(),
            Some(value @ Value::Number(_)) => value.to_string(),
            _ => Begin(bytes).to_string(),
        }
    }

    /// Returns the problem.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// Returns the message without the place: `00 12 3E is not a number; expected …`.
    #[must_use]
    pub fn message(&self) -> String {
        let Details { bytes, problem, .. } = &*self.0;
        match problem.is_said_of_the_bytes() && !bytes.is_empty() {
            true => format!("{} {problem}", Begin(bytes)),
            false => problem.to_string(),
        }
    }

    /// Returns a short name for programs, which never changes: `bad-number`, `record-too-short` …
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.0.problem {
            Problem::NotANumber { .. } => "bad-number",
            Problem::Malformed { .. } => "malformed",
            Problem::RecordTooShort { .. } => "record-too-short",
            Problem::RecordTooLong { .. } => "longer-than-layout",
            Problem::CountOutOfBounds { .. } => "bad-count",
            Problem::UnknownCount => "bad-count",
            Problem::BadLength { .. } => "bad-length",
            Problem::UnknownType { .. } => "unknown-type",
            Problem::OtherType { .. } => "unknown-type",
            Problem::NoParent { .. } => "no-parent",
            Problem::NotADate { .. } => "bad-date",
            Problem::Character { is_newline: true, .. } => "newline-in-record",
            Problem::Character { is_newline: false, .. } => "control",
            Problem::NotCanonical { .. } => "not-canonical",
            Problem::DoesNotFit { .. } => "does-not-fit",
            Problem::Unmappable { .. } => "unmappable",
            Problem::NotOfType { .. } => "deserialize",
            Problem::NotInLayout { .. } => "bad-row",
            Problem::NotNull { .. } => "not-null",
            Problem::Missing => "missing-value",
            Problem::Conflict { .. } => "conflict",
        }
    }
}

/// Begins with the place: `record 17, field ACCOUNT.BALANCE, columns 12-16: `. Columns count bytes from 1.
impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { record, path, offset, bytes, problem } = &*self.0;
        match (record, path.is_empty()) {
            (0, true) => f.write_str("the record")?,
            (0, false) => write!(f, "field {path}")?,
            (record, true) => write!(f, "record {record}")?,
            (record, false) => write!(f, "record {record}, field {path}")?,
        }
        match bytes.len() {
            0 if path.is_empty() => {}
            0 => write!(f, ", column {}", offset + 1)?,
            1 => write!(f, ", column {}: {}", offset + 1, Begin(bytes))?,
            len => write!(f, ", columns {}-{}: {}", offset + 1, offset + len, Begin(bytes))?,
        }
        f.write_str(if bytes.is_empty() || !problem.is_said_of_the_bytes() { ": " } else { " " })?;
        problem.fmt(f)
    }
}

/// How many bytes of a field, or characters of a value, a message shows.
const MOST_SHOWN: usize = 40;

/// The bytes of a field in hex; if there are many, only the first of them.
struct Begin<'a>(&'a [u8]);

impl fmt::Display for Begin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get(..MOST_SHOWN).filter(|_| self.0.len() > MOST_SHOWN) {
            Some(begin) => write!(f, "{}…", Hex(begin)),
            None => Hex(self.0).fmt(f),
        }
    }
}

/// A value in quotes; if it is long, only its beginning.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(MOST_SHOWN) {
            Some((end, _)) => write!(f, "{:?}…", &self.0[..end]),
            None => write!(f, "{:?}", self.0),
        }
    }
}

impl Problem {
    /// Whether the message is about the bytes of the field and continues after them: "C5 is not a number". The others
    /// are separate sentences.
    fn is_said_of_the_bytes(&self) -> bool {
        matches!(
            self,
            Problem::NotANumber { .. }
                | Problem::Malformed { .. }
                | Problem::CountOutOfBounds { .. }
                | Problem::UnknownCount
                | Problem::BadLength { .. }
                | Problem::Character { .. }
                | Problem::NotCanonical { .. }
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NotANumber { expected } => write!(f, "is not a number; expected {expected}"),
            Problem::Malformed { codec } => write!(f, "is not valid {codec}"),
            Problem::RecordTooShort { len, needed } => {
                write!(f, "the record has {}, but this field ends at byte {needed}", Count(*len, "byte"))
            }
            Problem::RecordTooLong { len, described } => {
                write!(f, "it has {}, but the layout describes only {described} of them", Count(*len, "byte"))
            }
            Problem::CountOutOfBounds { count, array, bounds: (min, max) } => {
                write!(f, "is the count {count}, but {array} occurs {min} to {max} times")
            }
            Problem::UnknownCount => f.write_str("is not in the map of counts"),
            Problem::BadLength { length, most } => {
                write!(f, "begins with the length {length}, but the text has at most {most}")
            }
            Problem::UnknownType { known } => write!(f, "no record type matches; expected {known}"),
            Problem::OtherType { path: Some(path) } => write!(f, "its type is {path}, for which there are no rows"),
            Problem::NoParent { record_type, parent } => {
                write!(f, "there is no {parent} before it that this {record_type} belongs to")
            }
            Problem::OtherType { path: None } => f.write_str("it has no record type"),
            Problem::NotADate { value, pattern } => write!(f, "{} is not a date like {pattern}", Quoted(value)),
            Problem::Character { ch, is_newline } => {
                let what = if *is_newline { "newline" } else { "control character" };
                write!(f, "has the {what} U+{:04X}", *ch as u32)
            }
            Problem::NotCanonical { canonical } if canonical.is_empty() => {
                f.write_str("cannot be written back as it is")
            }
            Problem::NotCanonical { canonical } => write!(f, "would be written back as {}", Begin(canonical)),
            Problem::DoesNotFit { value, expected } => write!(f, "{} does not fit; expected {expected}", Quoted(value)),
            Problem::Unmappable { ch, codec } => write!(f, "U+{:04X} {ch:?} is not in {codec}", *ch as u32),
            Problem::NotOfType { why } | Problem::NotInLayout { why } => f.write_str(why),
            Problem::NotNull { value, indicator } => {
                write!(f, "has the value {}, but {indicator} says that it is null", Quoted(value))
            }
            Problem::Missing => f.write_str("there is no value"),
            Problem::Conflict { written } => {
                write!(f, "the value contradicts {}, which another field wrote in the same place", Begin(written))
            }
        }
    }
}

impl std::error::Error for FieldError {}
