//! The error type, with the kind of the error and its position in the input.
//!
//! Every offset in charpipe counts bytes of the original input from 0 and includes the byte order mark. It does not
//! depend on how the input was cut into pieces or on the stages it went through. Lines and columns of text are known
//! only where someone has counted them.

use crate::hex::Hex;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// An error. It is one word wide; [`kind`](Error::kind) returns the details.
///
/// ```
/// use charpipe::ErrorKind;
///
/// let error = charpipe::decode(b"12\x80").unwrap_err();
/// assert_eq!((error.code(), error.offset()), ("malformed", Some(2)));
/// assert!(matches!(error.kind(), ErrorKind::Malformed { bytes, .. } if bytes == b"\x80"));
/// assert_eq!(error.to_string(), "line 1, column 3 (byte 2): 80 is not valid UTF-8");
/// ```
#[derive(Clone)]
pub struct Error(Arc<Located>);

/// The kind and the position of the error, apart from the offset.
#[derive(Clone)]
struct Located {
    kind: Arc<ErrorKind>,
    record: Option<RecordPosition>,
    position: Option<TextPosition>,
}

/// A position in an input of records.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct RecordPosition {
    /// The number of the record, from 1.
    pub number: u64,
    /// The number of the byte within the record's data, from 1.
    pub column: u64,
}

/// A position in a text. It prints as `line 3, column 15`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct TextPosition {
    /// The number of the line, from 1. A line ends with LF, CRLF, CR, NEL or CR NEL, in any encoding.
    pub line: u64,
    /// The number of the character within the line, from 1. Characters are code points of the decoded text.
    pub column: u64,
    /// Without the feature `lines` there are no positions, and their code takes no space.
    #[cfg(not(feature = "lines"))]
    none: std::convert::Infallible,
}

#[cfg(feature = "lines")]
impl TextPosition {
    /// A position that the caller has counted.
    #[must_use]
    pub fn new(line: u64, column: u64) -> Self {
        TextPosition { line, column }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The kind of an error. Variants and fields may be added.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ErrorKind {
    /// The input could not be read. The transcoder's state is unchanged, so [`Transcoder::run`](crate::Transcoder::run)
    /// can be called again.
    #[error("cannot read: {source}")]
    #[non_exhaustive]
    Read {
        /// The number of bytes read before the error.
        offset: u64,
        /// The cause.
        source: io::Error,
    },
    /// The output could not be written.
    #[error("cannot write: {source}")]
    #[non_exhaustive]
    Write {
        /// The number of bytes written before the error.
        written: u64,
        /// The cause.
        source: io::Error,
    },
    /// The input is malformed, under [`OnMalformed::Fail`](crate::OnMalformed::Fail).
    #[error("{} is not valid {codec}", Hex(bytes))]
    #[non_exhaustive]
    Malformed {
        /// The decoder's charset.
        codec: String,
        /// The position of the first malformed byte.
        offset: u64,
        /// The malformed bytes.
        bytes: Vec<u8>,
    },
    /// The target charset lacks a character, under [`OnUnmappable::Fail`](crate::OnUnmappable::Fail).
    #[error("U+{:04X} {} is not in {codec}", *ch as u32, Shown(*ch))]
    #[non_exhaustive]
    Unmappable {
        /// The target charset.
        codec: String,
        /// The character.
        ch: char,
        /// The first of the input bytes that the character came from.
        offset: u64,
    },
    /// No codec has this label.
    #[error("{label:?} is not known{}", DidYouMean(near))]
    #[non_exhaustive]
    UnknownLabel {
        /// The label.
        label: String,
        /// The position of the label in the document; 0 for a label from the transport, which has no place in it;
        /// `None` for one that the caller gave.
        offset: Option<u64>,
        /// Labels with a similar spelling, nearest first.
        near: Vec<String>,
    },
    /// The label is known, but its charset is not supported (`SCSU`), or not in a document (`HZ-GB-2312`).
    #[error("{label:?} is not supported: {reason}")]
    #[non_exhaustive]
    UnsupportedLabel {
        /// The label.
        label: String,
        /// The reason, and what to use instead.
        reason: &'static str,
        /// The position of the label in the document; 0 for a label from the transport, which has no place in it;
        /// `None` for one that the caller gave.
        offset: Option<u64>,
    },
    /// The codec can only decode.
    #[error("{codec} can be read but not written")]
    #[non_exhaustive]
    NoEncoder {
        /// The charset.
        codec: String,
    },
    /// The result should be a string, but the target is not UTF-8.
    #[error("the target is {codec}, but a string has to be UTF-8")]
    #[non_exhaustive]
    NotUtf8 {
        /// The charset.
        codec: String,
    },
    /// The XML declaration does not end within the limit.
    #[error("the XML declaration is longer than {limit} characters")]
    #[non_exhaustive]
    DeclarationTooLong {
        /// The beginning of the declaration.
        offset: u64,
        /// The limit, in characters.
        limit: usize,
    },
    /// The policy rejects the document: it contradicts itself or the transport, or has an unsuitable media type.
    #[error("rejected by the policy: {why}")]
    #[non_exhaustive]
    PolicyRejects {
        /// The position of the contradiction.
        offset: u64,
        /// The reason. The verdict has the id of the rule.
        why: &'static str,
    },
    /// Nothing identifies the encoding, and the input is not valid UTF-8, or begins like a format that is not text.
    ///
    /// Detection fails with this error, and so does a conversion of binary input. For other bytes that are not UTF-8, a
    /// conversion fails with [`Malformed`](Self::Malformed) when it reaches them, or follows its policy.
    #[error("unknown encoding: nothing names it{}; it looks like {looks}", not_utf8(*.is_utf8))]
    #[non_exhaustive]
    UnknownEncoding {
        /// The position of the first bytes that are not UTF-8; 0 if there are none.
        offset: u64,
        /// What the input looks like, as text for users. The verdict contains it as [`Looks`](crate::detect::Looks).
        looks: &'static str,
        /// Whether the bytes so far are valid UTF-8, so that only the file format shows that the input is not text.
        is_utf8: bool,
    },
    /// A warning that [`strict`](crate::Transcode::strict) turned into an error.
    #[error("{message} ({code})")]
    #[non_exhaustive]
    Strict {
        /// The diagnostic's code.
        code: &'static str,
        /// The diagnostic's message.
        message: String,
        /// The diagnostic's offset.
        offset: u64,
    },
    /// The target has no name that is allowed in an XML declaration.
    #[error("{codec} has no name that is allowed in an XML declaration")]
    #[non_exhaustive]
    NoXmlName {
        /// The charset.
        codec: String,
    },
    /// The output should begin with a byte order mark, but the target has none.
    #[error("{codec} has no byte order mark")]
    #[non_exhaustive]
    NoBom {
        /// The charset.
        codec: String,
    },
    /// A codec broke its [contract](crate::codec#the-contract). This is a bug in the codec, not a problem of the input.
    #[error("the codec {codec} is broken: it {what}")]
    #[non_exhaustive]
    Codec {
        /// The charset.
        codec: String,
        /// The number of input bytes read before the error.
        offset: u64,
        /// How the codec broke the contract; completes the sentence "it …".
        what: &'static str,
    },
    /// A record's header is invalid.
    #[error("record {record}: the header {} is wrong: {what}", Hex(header))]
    #[non_exhaustive]
    BadHeader {
        /// The position of the header.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// The bytes of the header.
        header: Vec<u8>,
        /// A description of the problem with the header.
        what: &'static str,
    },
    /// The input, or a block of a tape, ends within a record. The data before the end was delivered.
    #[error("record {record}, which begins at byte {begun}, is incomplete: it lacks at least {}{}", Count(*missing, "byte"), LengthFrom(length_from))]
    #[non_exhaustive]
    RecordCut {
        /// The end of the data.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// The beginning of the record, including its header.
        begun: u64,
        /// The minimum number of bytes that are missing.
        missing: u64,
        /// If nothing frames the records: the path of the field that says how long this one is; empty if the layout as
        /// a whole does.
        length_from: Option<String>,
    },
    /// A record that nothing frames has no length: the field or the layout that should say it does not.
    #[error("record {record} has no valid length: {}{why}", InField(field))]
    #[non_exhaustive]
    BadRecordLength {
        /// The place of the field.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// The beginning of the record.
        begun: u64,
        /// The path of the field; empty if it is the layout as a whole.
        field: String,
        /// A description of the problem.
        why: String,
    },
    /// The input has less than the bytes or records to be skipped at its beginning or end, or their size is too large.
    #[error("{why}")]
    #[non_exhaustive]
    CannotSkip {
        /// The place where this was found.
        offset: u64,
        /// A description of the error.
        why: String,
    },
    /// A [part](crate::records::Split) of a file does not end where the next one begins: the file has changed or is
    /// damaged, or a part begins in the middle of a record.
    #[error(
        "the records from byte {begin} on do not end at byte {end}, where the next part begins, but at this byte: the \
             file has changed or is damaged, or a part begins within a record; read the file as one part"
    )]
    #[non_exhaustive]
    SplitMismatch {
        /// Where the last record of the part ends, or the input.
        offset: u64,
        /// Where the part begins.
        begin: u64,
        /// Where it should end.
        end: u64,
    },
    /// The tape image lacks the chosen file.
    #[error("the tape has no file {file}")]
    #[non_exhaustive]
    NoTapeFile {
        /// Always 0, because no more precise position is known.
        offset: u64,
        /// The number or the name of the file.
        file: String,
    },
    /// A record is longer than its shape or the reader's limit allows.
    #[error("record {record} is longer than {limit} bytes")]
    #[non_exhaustive]
    RecordTooLong {
        /// The beginning of the record in the input, or of the text that it is made from.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// The maximum length, in bytes.
        limit: usize,
    },
    /// The text of a column does not fit into the column in the target charset, under
    /// [`Gaps::Keep`](crate::Gaps::Keep). [`Error::record`] has the record and the first column.
    #[error("the text takes {len} bytes in {codec}, but its columns have {limit}")]
    #[non_exhaustive]
    ColumnTooLong {
        /// The target charset.
        codec: String,
        /// The first byte of the column in the input.
        offset: u64,
        /// How many bytes the text takes, without the spaces at its end.
        len: usize,
        /// The width of the column, in bytes.
        limit: usize,
    },
    /// The text has a control character, under [`OnControl::Error`](crate::OnControl::Error).
    #[error("U+{:04X} is a control character", *ch as u32)]
    #[non_exhaustive]
    Control {
        /// The first of the input bytes that the character came from.
        offset: u64,
        /// The character.
        ch: char,
    },
    /// A character is followed by too many characters that combine with it to be normalised
    /// (`Transcode::normalize`).
    #[error("more than {limit} characters in a row combine with each other, and cannot be normalised")]
    #[non_exhaustive]
    SequenceTooLong {
        /// The first of the input bytes that the first character came from.
        offset: u64,
        /// The limit, in characters.
        limit: usize,
    },
    /// Malformed input can be read only as a single-byte charset that contains ASCII.
    #[error("{codec} is not a single-byte charset that contains ASCII")]
    #[non_exhaustive]
    NotAnAsciiPage {
        /// The charset.
        codec: String,
    },
    /// A record has a newline in its text, under [`OnNewlineInRecord::Error`](crate::OnNewlineInRecord::Error).
    #[error("U+{:04X}, a newline, is inside a record", *ch as u32)]
    #[non_exhaustive]
    NewlineInRecord {
        /// The first of the input bytes that the character came from.
        offset: u64,
        /// The character.
        ch: char,
    },
    /// The options cannot be combined.
    #[error("{what}")]
    #[non_exhaustive]
    Options {
        /// Which options, and why.
        what: &'static str,
    },
    /// A record is shorter than its fixed length, and whole spaces cannot fill the gap.
    #[error(
        "record {record} is {} too short, and blanks of {} cannot fill the gap",
        Count(*missing, "byte"),
        Count(*blank, "byte")
    )]
    #[non_exhaustive]
    CannotPad {
        /// The beginning of the record in the input, or of the text that it is made from.
        offset: u64,
        /// The number of the record, from 1.
        record: u64,
        /// The number of missing bytes.
        missing: usize,
        /// The length of a space in bytes; 0 if the charset has no space.
        blank: usize,
    },
    /// Records of this shape cannot be written.
    #[error("cannot write records as {shape}: {why}")]
    #[non_exhaustive]
    CannotFrame {
        /// The shape.
        shape: String,
        /// The reason.
        why: String,
    },
    /// There is no option with this name, or it cannot have this value ([`Transcode::set`](crate::Transcode::set)).
    #[error("option {option}: {why}")]
    #[non_exhaustive]
    BadOption {
        /// The name of the option.
        option: String,
        /// The reason.
        why: String,
    },
    /// The label has neither a letter nor a digit.
    #[error("{label:?} is not a valid label: it has neither letters nor digits")]
    #[non_exhaustive]
    BadLabel {
        /// The label.
        label: String,
    },
    /// The codec is not a code page, but a code page is needed.
    #[error("{codec} is not a code page")]
    #[non_exhaustive]
    NotATable {
        /// The charset.
        codec: String,
    },
    /// A table file cannot be opened or read.
    #[error("{}: cannot read: {source}", path.display())]
    #[non_exhaustive]
    TableFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A table file has an error in its contents.
    #[error("line {line}, column {column}: expected {expected}")]
    #[non_exhaustive]
    Table {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// A description of what was expected there.
        expected: String,
    },
}

impl Error {
    /// Makes the error for input that could not be read after `offset` bytes, for callers that read it themselves.
    #[must_use]
    pub fn read(offset: u64, source: io::Error) -> Self {
        ErrorKind::Read { offset, source }.into()
    }

    /// Makes the error for output that could not be written after `written` bytes, for callers that write it
    /// themselves.
    #[must_use]
    pub fn write(written: u64, source: io::Error) -> Self {
        ErrorKind::Write { written, source }.into()
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the record and column of [`offset`](Self::offset), or `None` if the input has no records.
    ///
    /// ```
    /// let job = charpipe::Transcode::new().source_encoding("US-ASCII")?.records("fb:4".parse()?);
    /// let error = job.run(&b"abcdef\xFFh"[..], Vec::new()).unwrap_err();
    /// let at = error.record().expect("there are records");
    /// assert_eq!((error.offset(), at.number, at.column), (Some(6), 2, 3));
    /// assert_eq!(error.to_string(), "byte 6: record 2, column 3: FF is not valid US-ASCII");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn record(&self) -> Option<RecordPosition> {
        self.0.record
    }

    /// Returns the line and column of [`offset`](Self::offset). `None` if they are not known, or if there are no
    /// lines: the input consists of records or is not text.
    ///
    /// Functions that have the whole input know them. After a run over a stream, [`Transcoder::locate`] finds them.
    ///
    /// [`Transcoder::locate`]: crate::Transcoder::locate
    ///
    /// ```
    /// let error = charpipe::decode(b"1;a\r\n2;\xE9").unwrap_err();
    /// let at = error.position().expect("it is text");
    /// assert_eq!((at.line, at.column), (2, 3));
    /// ```
    #[must_use]
    pub fn position(&self) -> Option<TextPosition> {
        self.0.position
    }

    /// Returns the same error with a line and a column, for callers that have counted them.
    #[must_use]
    pub fn with_position(&self, position: Option<TextPosition>) -> Self {
        Error(Arc::new(Located { position, ..(*self.0).clone() }))
    }

    /// Makes an error with its position in the records.
    pub(crate) fn in_record(kind: ErrorKind, record: Option<RecordPosition>) -> Self {
        Error::at(kind, record, None)
    }

    /// Makes an error with its position in the records or in the text.
    pub(crate) fn at(kind: ErrorKind, record: Option<RecordPosition>, position: Option<TextPosition>) -> Self {
        Error(Arc::new(Located { kind: Arc::new(kind), record, position }))
    }

    /// Returns the offset of the error in the text of the input. `None` if it is about something else: records,
    /// binary data, input and output themselves, a codec.
    pub(crate) fn offset_in_text(&self) -> Option<u64> {
        let is_about_text = match self.kind() {
            ErrorKind::Malformed { .. }
            | ErrorKind::Unmappable { .. }
            | ErrorKind::UnknownLabel { .. }
            | ErrorKind::UnsupportedLabel { .. }
            | ErrorKind::DeclarationTooLong { .. }
            | ErrorKind::PolicyRejects { .. }
            | ErrorKind::UnknownEncoding { .. }
            | ErrorKind::Strict { .. }
            | ErrorKind::Control { .. }
            | ErrorKind::SequenceTooLong { .. }
            // Of lines that become records.
            | ErrorKind::RecordTooLong { .. }
            | ErrorKind::CannotPad { .. } => self.record().is_none(),
            _ => false,
        };
        self.offset().filter(|_| is_about_text)
    }

    /// Returns the position of the error in the input, in bytes from 0, or `None` if the error has no position.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match *self.kind() {
            ErrorKind::Read { offset, .. }
            | ErrorKind::Malformed { offset, .. }
            | ErrorKind::Unmappable { offset, .. }
            | ErrorKind::DeclarationTooLong { offset, .. }
            | ErrorKind::PolicyRejects { offset, .. }
            | ErrorKind::UnknownEncoding { offset, .. }
            | ErrorKind::Strict { offset, .. }
            | ErrorKind::BadHeader { offset, .. }
            | ErrorKind::RecordCut { offset, .. }
            | ErrorKind::BadRecordLength { offset, .. }
            | ErrorKind::CannotSkip { offset, .. }
            | ErrorKind::RecordTooLong { offset, .. }
            | ErrorKind::SplitMismatch { offset, .. }
            | ErrorKind::ColumnTooLong { offset, .. }
            | ErrorKind::NoTapeFile { offset, .. }
            | ErrorKind::Control { offset, .. }
            | ErrorKind::SequenceTooLong { offset, .. }
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
            | ErrorKind::BadOption { .. }
            | ErrorKind::CannotFrame { .. }
            | ErrorKind::BadLabel { .. }
            | ErrorKind::NotATable { .. }
            | ErrorKind::NotAnAsciiPage { .. }
            | ErrorKind::TableFile { .. }
            | ErrorKind::Table { .. } => None,
        }
    }

    /// Returns the error of this crate in `error`: itself, the error inside of an [`io::Error`] from a reader or a
    /// writer, or the error in one of its [sources](std::error::Error::source). For errors in a box, and for `anyhow`:
    /// `Error::find(&*error)`.
    ///
    /// ```
    /// use charpipe::{Error, Transcode};
    /// use std::io::Read;
    ///
    /// fn read() -> Result<String, Box<dyn std::error::Error>> {
    ///     let mut text = String::new();
    ///     Transcode::new().reader(&b"good\xFF"[..])?.read_to_string(&mut text)?;
    ///     Ok(text)
    /// }
    ///
    /// let error = read().unwrap_err();
    /// assert_eq!(Error::find(&*error).and_then(Error::offset), Some(4));
    /// ```
    #[must_use]
    pub fn find<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Error> {
        let inside = |error: &'a (dyn std::error::Error + 'static)| {
            let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            let inner = inner.and_then(|inner| Error::find(inner));
            error.downcast_ref::<Error>().or(inner)
        };
        std::iter::successors(Some(error), |error| error.source()).find_map(inside)
    }

    /// Returns a short name for programs, which never changes: `malformed`, `unknown-label` … A warning that became an
    /// error keeps its own code.
    #[must_use]
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
            ErrorKind::UnknownEncoding { .. } => "unknown-encoding",
            ErrorKind::Strict { code, .. } => code,
            ErrorKind::NoXmlName { .. } => "no-xml-name",
            ErrorKind::NoBom { .. } => "no-bom",
            ErrorKind::Codec { .. } => "codec",
            ErrorKind::Control { .. } => "control",
            ErrorKind::SequenceTooLong { .. } => "sequence-too-long",
            ErrorKind::NewlineInRecord { .. } => "newline-in-record",
            ErrorKind::Options { .. } => "options",
            ErrorKind::BadOption { .. } => "bad-option",
            ErrorKind::BadHeader { .. } => "bad-header",
            ErrorKind::RecordCut { .. } => "record-cut",
            ErrorKind::BadRecordLength { .. } => "bad-record-length",
            ErrorKind::CannotSkip { .. } => "cannot-skip",
            ErrorKind::RecordTooLong { .. } => "record-too-long",
            ErrorKind::SplitMismatch { .. } => "split-mismatch",
            ErrorKind::ColumnTooLong { .. } => "column-too-long",
            ErrorKind::NoTapeFile { .. } => "no-tape-file",
            ErrorKind::CannotPad { .. } => "cannot-pad",
            ErrorKind::CannotFrame { .. } => "cannot-frame",
            ErrorKind::BadLabel { .. } => "bad-label",
            ErrorKind::NotATable { .. } => "not-a-table",
            ErrorKind::NotAnAsciiPage { .. } => "not-an-ascii-page",
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

/// Begins with the position, if there is one: `line 1, column 13 (byte 12): 83 FF is not valid UTF-8`, `byte 12: …`
/// if the line is not known, `byte 92: record 2, column 13: …`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.position(), self.offset()) {
            (Some(position), Some(offset)) => write!(f, "{position} (byte {offset}): ")?,
            (None, Some(offset)) => write!(f, "byte {offset}: ")?,
            (_, None) => {}
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

/// Keeps the kind of an I/O error. Any other error becomes [`io::ErrorKind::InvalidData`].
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

/// A character in quotes, escaped if it could upset a terminal.
struct Shown(char);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// A number of things, with their name in the singular or in the plural: `1 byte`, `2 bytes`.
pub(crate) struct Count<N>(pub(crate) N, pub(crate) &'static str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Count<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(number, name) = self;
        write!(f, "{number} {name}{}", if *number == N::from(1) { "" } else { "s" })
    }
}

/// The source of the length of a record.
struct LengthFrom<'a>(&'a Option<String>);

impl fmt::Display for LengthFrom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(field) if field.is_empty() => f.write_str(", by the length that its layout gives it"),
            Some(field) => write!(f, ", by the length that its field {field} gives it"),
            None => Ok(()),
        }
    }
}

/// The field that a message is about, if it is about one.
struct InField<'a>(&'a str);

impl fmt::Display for InField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "field {}: ", self.0) }
    }
}

/// The suggestion after an unknown label.
pub(crate) struct DidYouMean<'a>(pub(crate) &'a [String]);

impl fmt::Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => Ok(()),
            near => write!(f, "; did you mean {}?", near.join(" or ")),
        }
    }
}

/// Returns what the message about an unknown encoding says of UTF-8.
fn not_utf8(is_utf8: bool) -> &'static str {
    if is_utf8 { "" } else { ", and the input is not valid UTF-8" }
}
