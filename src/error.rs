//! What can go wrong, with the place in the input where it did.
//!
//! Every offset in charpipe counts bytes of the original input from 0, byte order mark included, whatever the size of
//! the pieces it came in and whatever the stages between.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// An error: one word wide; what it is, is its [`kind`](Error::kind).
///
/// ```
/// use charpipe::ErrorKind;
///
/// let error = charpipe::decode(b"12\x80").unwrap_err();
/// assert_eq!((error.code(), error.offset()), ("malformed", Some(2)));
/// assert!(matches!(error.kind(), ErrorKind::Malformed { bytes, .. } if bytes == b"\x80"));
/// assert_eq!(error.to_string(), "byte 2: 80 is not valid UTF-8");
/// ```
#[derive(Clone)]
pub struct Error(Arc<(ErrorKind, Option<RecordPosition>)>);

/// A place in a file of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordPosition {
    /// The number of the record, from 1.
    pub number: u64,
    /// The byte of its data, from 1.
    pub column: u64,
}

/// What went wrong.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ErrorKind {
    /// The input could not be read. The transcoder is as it was: [`Transcoder::run`](crate::Transcoder::run) goes on.
    #[error("cannot read: {source}")]
    Read {
        /// Bytes read before.
        offset: u64,
        /// Why.
        source: io::Error,
    },
    /// The output could not be written.
    #[error("cannot write: {source}")]
    Write {
        /// Bytes written before.
        written: u64,
        /// Why.
        source: io::Error,
    },
    /// Ill-formed input, under [`OnMalformed::Fail`](crate::OnMalformed::Fail).
    #[error("{} is not valid {codec}", Hex(bytes))]
    Malformed {
        /// The decoder's charset.
        codec: String,
        /// The first bad byte.
        offset: u64,
        /// The bad bytes.
        bytes: Vec<u8>,
    },
    /// A character that the target lacks.
    #[error("U+{:04X} {} is not in {codec}", *ch as u32, Shown(*ch))]
    Unmappable {
        /// The target charset.
        codec: String,
        /// The character.
        ch: char,
        /// The first byte of the input that it came from.
        offset: u64,
    },
    /// A label that no codec answers to.
    #[error("{label:?} is not known{}", DidYouMean(near))]
    UnknownLabel {
        /// The label.
        label: String,
        /// Where the document names it; `None` for a label given by the caller.
        offset: Option<u64>,
        /// Labels that are spelt alike, the nearest first.
        near: Vec<String>,
    },
    /// A label that is known, of a charset that charpipe does not read: `HZ-GB-2312`, `ISO-2022-KR` …
    #[error("{label:?} is not supported")]
    UnsupportedLabel {
        /// The label.
        label: String,
        /// Where the document names it; `None` for a label given by the caller.
        offset: Option<u64>,
    },
    /// The codec of that name can only decode.
    #[error("{codec} can be read but not written")]
    NoEncoder {
        /// The charset.
        codec: String,
    },
    /// A string was asked for, and the target is another charset than UTF-8.
    #[error("a string is UTF-8, and {codec} is asked for")]
    NotUtf8 {
        /// The charset.
        codec: String,
    },
    /// The declaration does not end within the bound.
    #[error("the XML declaration is longer than {limit} characters")]
    DeclarationTooLong {
        /// Where it starts.
        offset: u64,
        /// The bound, in characters.
        limit: usize,
    },
    /// The policy says that the document contradicts itself, or the transport, or is none of its business.
    #[error("the policy rejects this: {why}")]
    PolicyRejects {
        /// Where.
        offset: u64,
        /// What the rule found; which rule it was, the verdict says.
        why: &'static str,
    },
    /// A warning, where [`strict`](crate::Transcode::strict) makes it an error.
    #[error("{message} ({code})")]
    Strict {
        /// The diagnostic's code.
        code: &'static str,
        /// The diagnostic's words.
        message: String,
        /// The diagnostic's place.
        offset: u64,
    },
    /// The target has no name that an XML declaration can carry.
    #[error("{codec} has no name that an XML declaration can carry")]
    NoXmlName {
        /// The charset.
        codec: String,
    },
    /// A byte order mark was asked for in a charset that has none.
    #[error("{codec} has no byte order mark")]
    NoBom {
        /// The charset.
        codec: String,
    },
    /// A codec broke its [contract](crate::codec#the-contract). The fault is the codec's, not the input's.
    #[error("the codec {codec} is broken: it {what}")]
    Codec {
        /// The charset.
        codec: String,
        /// Bytes of the input read before.
        offset: u64,
        /// What it did.
        what: &'static str,
    },
    /// What frames a record says something impossible.
    #[error("record {record}: the header {} is wrong: {what}", Hex(header))]
    BadHeader {
        /// Where the header is.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// The header.
        header: Vec<u8>,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The input, or a block of a tape, ends within a record. What there is of it was delivered.
    #[error("record {record}, which begins at byte {begun}, is cut: at least {missing} more bytes belong to it")]
    RecordCut {
        /// Where it is cut.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// Where it begins, its header included.
        begun: u64,
        /// How many bytes are missing at least.
        missing: u64,
    },
    /// A tape image does not have the file that was chosen.
    #[error("the tape has no file {file}")]
    NoTapeFile {
        /// Where in the input; 0, as no nearer place is known.
        offset: u64,
        /// The number or the name of the file.
        file: String,
    },
    /// A record that is longer than its shape, or whoever holds it, allows.
    #[error("record {record} is longer than {limit} bytes")]
    RecordTooLong {
        /// Where in the input it begins, or the text that it is made of.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// How long it may be.
        limit: usize,
    },
    /// A control character, under [`OnControl::Error`](crate::OnControl::Error).
    #[error("U+{:04X} is a control character", *ch as u32)]
    Control {
        /// The first byte of the input that it came from.
        offset: u64,
        /// The character.
        ch: char,
    },
    /// A newline in a record, under [`OnNewlineInRecord::Error`](crate::OnNewlineInRecord::Error).
    #[error("U+{:04X} within a record: a newline", *ch as u32)]
    NewlineInRecord {
        /// The first byte of the input that it came from.
        offset: u64,
        /// The character.
        ch: char,
    },
    /// Options that do not go together.
    #[error("{what}")]
    Options {
        /// Which, and why.
        what: &'static str,
    },
    /// A record of fixed length that is shorter, and cannot be filled up with whole blanks.
    #[error("record {record} is {missing} bytes too short, which blanks of {blank} bytes cannot fill")]
    CannotPad {
        /// Where in the input it begins, or the text that it is made of.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// How many bytes are missing.
        missing: usize,
        /// How many bytes a blank has; 0 where there is none.
        blank: usize,
    },
    /// Records of that shape cannot be written.
    #[error("no records are written as {shape}: {why}")]
    CannotFrame {
        /// The shape.
        shape: String,
        /// Why.
        why: String,
    },
    /// A label without letter or digit.
    #[error("{label:?} is no label: it has neither letter nor digit")]
    BadLabel {
        /// The label.
        label: String,
    },
    /// A code page was asked for, and the codec is none.
    #[error("{codec} is no code page")]
    NotATable {
        /// The charset.
        codec: String,
    },
    /// A table file that cannot be opened or read.
    #[error("{}: cannot read: {source}", path.display())]
    TableFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A table whose content is wrong.
    #[error("line {line}, column {column}: expected {expected}")]
    Table {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// What should stand there.
        expected: String,
    },
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.0
    }

    /// Which record and column [`offset`](Self::offset) is in; `None` where the input has no records.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().from("US-ASCII")?.records("fb:4".parse()?);
    /// let error = job.run(&b"abcdef\xFFh"[..], Vec::new()).unwrap_err();
    /// let at = error.record().expect("there are records");
    /// assert_eq!((error.offset(), at.number, at.column), (Some(6), 2, 3));
    /// assert_eq!(error.to_string(), "byte 6: record 2, column 3: FF is not valid US-ASCII");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record(&self) -> Option<RecordPosition> {
        self.0.1
    }

    /// The same, with its place among the records.
    pub(crate) fn in_record(kind: ErrorKind, record: Option<RecordPosition>) -> Self {
        Error(Arc::new((kind, record)))
    }

    /// Where in the input, in bytes from 0; `None` where no place in the input is to blame.
    pub fn offset(&self) -> Option<u64> {
        match *self.kind() {
            ErrorKind::Read { offset, .. }
            | ErrorKind::Malformed { offset, .. }
            | ErrorKind::Unmappable { offset, .. }
            | ErrorKind::DeclarationTooLong { offset, .. }
            | ErrorKind::PolicyRejects { offset, .. }
            | ErrorKind::Strict { offset, .. }
            | ErrorKind::BadHeader { offset, .. }
            | ErrorKind::RecordCut { offset, .. }
            | ErrorKind::RecordTooLong { offset, .. }
            | ErrorKind::NoTapeFile { offset, .. }
            | ErrorKind::Control { offset, .. }
            | ErrorKind::NewlineInRecord { offset, .. }
            | ErrorKind::CannotPad { offset, .. }
            | ErrorKind::Codec { offset, .. } => Some(offset),
            ErrorKind::UnknownLabel { offset, .. } | ErrorKind::UnsupportedLabel { offset, .. } => offset,
            ErrorKind::Write { .. }
            | ErrorKind::NoEncoder { .. }
            | ErrorKind::NotUtf8 { .. }
            | ErrorKind::NoXmlName { .. }
            | ErrorKind::NoBom { .. }
            | ErrorKind::Options { .. }
            | ErrorKind::CannotFrame { .. }
            | ErrorKind::BadLabel { .. }
            | ErrorKind::NotATable { .. }
            | ErrorKind::TableFile { .. }
            | ErrorKind::Table { .. } => None,
        }
    }

    /// A short name that does not change, for programs: `malformed`, `unknown-label` …; for a warning made an error
    /// its own code.
    pub fn code(&self) -> &'static str {
        match *self.kind() {
            ErrorKind::Read { .. } => "read",
            ErrorKind::Write { .. } => "write",
            ErrorKind::Malformed { .. } => "malformed",
            ErrorKind::Unmappable { .. } => "unmappable",
            ErrorKind::UnknownLabel { .. } => "unknown-label",
            ErrorKind::UnsupportedLabel { .. } => "unsupported-label",
            ErrorKind::NoEncoder { .. } => "no-encoder",
            ErrorKind::NotUtf8 { .. } => "not-utf-8",
            ErrorKind::DeclarationTooLong { .. } => "declaration-too-long",
            ErrorKind::PolicyRejects { .. } => "policy-rejects",
            ErrorKind::Strict { code, .. } => code,
            ErrorKind::NoXmlName { .. } => "no-xml-name",
            ErrorKind::NoBom { .. } => "no-bom",
            ErrorKind::Codec { .. } => "codec",
            ErrorKind::Control { .. } => "control",
            ErrorKind::NewlineInRecord { .. } => "newline-in-record",
            ErrorKind::Options { .. } => "options",
            ErrorKind::BadHeader { .. } => "bad-header",
            ErrorKind::RecordCut { .. } => "record-cut",
            ErrorKind::RecordTooLong { .. } => "record-too-long",
            ErrorKind::NoTapeFile { .. } => "no-tape-file",
            ErrorKind::CannotPad { .. } => "cannot-pad",
            ErrorKind::CannotFrame { .. } => "cannot-frame",
            ErrorKind::BadLabel { .. } => "bad-label",
            ErrorKind::NotATable { .. } => "not-a-table",
            ErrorKind::TableFile { .. } => "table-file",
            ErrorKind::Table { .. } => "table",
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error::in_record(kind, None)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

/// `byte 12: 83 FF is not valid UTF-8`: the place first, where there is one; `byte 92: record 2, column 13: …`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(offset) = self.offset() {
            write!(f, "byte {offset}: ")?;
        }
        if let Some(RecordPosition { number, column }) = self.record() {
            write!(f, "record {number}, column {column}: ")?;
        }
        self.kind().fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.kind().source()
    }
}

/// Keeps the kind of an I/O error; any other becomes [`io::ErrorKind::InvalidData`].
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Read { source, .. } | ErrorKind::Write { source, .. } | ErrorKind::TableFile { source, .. } => {
                source.kind()
            }
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

/// Bytes as upper-case hex with blanks between.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            write!(f, "{}{byte:02X}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// A character in quotes, escaped where a terminal had better not see it.
struct Shown(char);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// What goes behind a label that is not known.
pub(crate) struct DidYouMean<'a>(pub(crate) &'a [String]);

impl fmt::Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => Ok(()),
            near => write!(f, "; did you mean {}?", near.join(" or ")),
        }
    }
}
