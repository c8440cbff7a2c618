//! Splits CSV into rows and fields (RFC 4180 §2), from pieces of any size. Memory is bounded by the longest row and by
//! the largest number of fields.
//!
//! A row ends with LF, CR, or CR LF; the last one may end with the input. Empty lines are not rows, unless rows have
//! one field: then an empty line is a row whose field is empty. Quotes may be only where the RFC allows them: around a
//! whole field, and doubled inside such a field. Any other quote is an error, because it could mean several things.

use std::fmt::{self, Display};
use std::ops::Range;

/// The longest row, in bytes, without quotes.
const MAX_ROW: usize = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Where the splitter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Before a row.
    Row,
    /// Before the first byte of a field.
    Field,
    /// In a field without quotes.
    Plain,
    /// In a field with quotes.
    Quoted,
    /// After a quote in such a field: the field has ended, unless another quote follows.
    Quote,
}

/// The error in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Malformed {
    TooLong,
    /// There are more fields than allowed.
    TooManyFields,
    /// The quote of this field is not closed before the input ends. Fields count from 1.
    NotClosed(usize),
    /// Text follows the closing quote of this field.
    AfterQuote(usize),
    /// A quote is in this field, which does not begin with one.
    StrayQuote(usize),
}

impl Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::TooLong => write!(f, "it is longer than {MAX_ROW} bytes; is a quote not closed?"),
            Malformed::TooManyFields => f.write_str("it has too many fields"),
            Malformed::NotClosed(field) => write!(f, "the quote of field {field} is not closed"),
            Malformed::AfterQuote(field) => {
                write!(f, "text follows the closing quote of field {field}; expected a comma or the end of the line")
            }
            Malformed::StrayQuote(field) => {
                write!(f, "a quote is inside field {field}; expected quotes around the whole field, and \"\" in it")
            }
        }
    }
}

/// The place of a byte in the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At {
    /// The line, from 1.
    pub(super) line: u64,
    /// The offset, in bytes from 0.
    pub(super) offset: u64,
}

/// Splits rows. It is fed pieces of the input, and has the fields of the last row.
pub(super) struct Splitter {
    state: State,
    /// The text of the row, without quotes.
    text: Vec<u8>,
    /// Where each field ends in `text`.
    ends: Vec<usize>,
    /// Where the next byte is.
    at: At,
    /// Whether the last byte was CR: then LF ends no other line.
    after_cr: bool,
    /// Where the row begins.
    begin: At,
    /// Whether an empty line is a row.
    has_empty_rows: bool,
}

impl Splitter {
    pub(super) fn new() -> Self {
        let at = At { line: 1, offset: 0 };
        Splitter {
            state: State::Row,
            text: Vec::new(),
            ends: Vec::new(),
            at,
            after_cr: false,
            begin: at,
            has_empty_rows: false,
        }
    }

    /// From now on, an empty line is a row with one empty field.
    pub(super) fn take_empty_rows(&mut self) {
        self.has_empty_rows = true;
    }

    /// Reads until a row of at most `max_fields` fields ends. Returns how many bytes were read, and whether the row has
    /// ended. Otherwise the next piece continues it.
    pub(super) fn feed(&mut self, src: &[u8], max_fields: usize) -> Result<(usize, bool), Malformed> {
        let mut read = 0;
        while let Some(byte) = src.get(read) {
            let rest = &src[read..];
            let from = self.state;
            read += match from {
                State::Row if is_line_end(*byte) => {
                    let is_row = self.has_empty_rows && !(self.after_cr && *byte == b'\n');
                    if is_row {
                        self.begin = self.at;
                        self.text.clear();
                        self.ends = vec![0];
                    }
                    let len = self.pass(&rest[..1]);
                    if is_row {
                        return Ok((read + len, true));
                    }
                    len
                }
                State::Row => {
                    (self.state, self.begin) = (State::Field, self.at);
                    self.text.clear();
                    self.ends.clear();
                    0
                }
                State::Field if *byte == b'"' => self.enter_quotes(rest),
                State::Field => {
                    self.state = State::Plain;
                    0
                }
                State::Plain if ends_plain(*byte) => match byte {
                    b'"' if self.has_only_mark() => {
                        self.text.clear();
                        self.enter_quotes(rest)
                    }
                    b'"' => return Err(Malformed::StrayQuote(self.ends.len() + 1)),
                    _ => self.end_field(rest, max_fields)?,
                },
                State::Plain => self.append(rest, ends_plain)?,
                State::Quoted if *byte == b'"' => {
                    self.state = State::Quote;
                    self.pass(&rest[..1])
                }
                State::Quoted => self.append(rest, |byte| byte == b'"')?,
                State::Quote if *byte == b'"' => {
                    self.text.push(b'"');
                    self.enter_quotes(rest)
                }
                State::Quote if ends_plain(*byte) => self.end_field(rest, max_fields)?,
                State::Quote => return Err(Malformed::AfterQuote(self.ends.len() + 1)),
            };
            if from != State::Row && self.state == State::Row {
                return Ok((read, true));
            }
        }
        Ok((read, false))
    }

    /// Ends the input. Returns whether that has ended a row.
    pub(super) fn finish(&mut self, max_fields: usize) -> Result<bool, Malformed> {
        match self.state {
            State::Row => Ok(false),
            State::Quoted => Err(Malformed::NotClosed(self.ends.len() + 1)),
            State::Field | State::Plain | State::Quote => {
                self.state = State::Row;
                self.push_end(max_fields).map(|()| true)
            }
        }
    }

    /// Returns where the row begins: its first byte, not the empty lines before it.
    pub(super) fn begin(&self) -> At {
        self.begin
    }

    /// Returns how many bytes were read.
    pub(super) fn offset(&self) -> u64 {
        self.at.offset
    }

    /// Returns how many fields the row has.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the fields of the row. An error if they are not UTF-8.
    pub(super) fn fields(&self) -> impl Iterator<Item = Result<&str, std::str::Utf8Error>> {
        let range = |index: usize| -> Range<usize> {
            let begin = if index == 0 { 0 } else { self.ends[index - 1] };
            begin..self.ends[index]
        };
        (0..self.ends.len()).map(move |index| std::str::from_utf8(&self.text[range(index)]))
    }

    /// Passes over the quote at the beginning of `rest`, after which the field continues.
    fn enter_quotes(&mut self, rest: &[u8]) -> usize {
        self.state = State::Quoted;
        self.pass(&rest[..1])
    }

    /// Appends the bytes up to one that `ends` the run.
    fn append(&mut self, rest: &[u8], ends: impl Fn(u8) -> bool) -> Result<usize, Malformed> {
        let len = rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len());
        if self.text.len() + len > MAX_ROW {
            return Err(Malformed::TooLong);
        }
        self.text.extend_from_slice(&rest[..len]);
        Ok(self.pass(&rest[..len]))
    }

    /// Ends a field at the comma or line end at the beginning of `rest`.
    fn end_field(&mut self, rest: &[u8], max_fields: usize) -> Result<usize, Malformed> {
        self.push_end(max_fields)?;
        self.state = if rest[0] == b',' { State::Field } else { State::Row };
        Ok(self.pass(&rest[..1]))
    }

    fn push_end(&mut self, max_fields: usize) -> Result<(), Malformed> {
        if self.ends.len() == max_fields {
            return Err(Malformed::TooManyFields);
        }
        self.ends.push(self.text.len());
        Ok(())
    }

    /// Whether the input so far is a byte order mark.
    fn has_only_mark(&self) -> bool {
        self.at.offset == BYTE_ORDER_MARK.len() as u64 && self.text == BYTE_ORDER_MARK
    }

    /// Counts bytes and lines. Returns the number of bytes.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        for byte in bytes {
            self.at.line += u64::from(*byte == b'\r' || *byte == b'\n' && !self.after_cr);
            self.after_cr = *byte == b'\r';
        }
        self.at.offset += bytes.len() as u64;
        bytes.len()
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Whether this byte is not text in a field without quotes.
fn ends_plain(byte: u8) -> bool {
    is_line_end(byte) || matches!(byte, b',' | b'"')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row: its line, its offset, its fields.
    type Row = (u64, u64, Vec<String>);

    /// Returns the rows, and the error that ended them.
    fn rows(text: &str, size: usize, has_empty_rows: bool) -> (Vec<Row>, Option<Malformed>) {
        let (mut splitter, mut rows) = (Splitter { has_empty_rows, ..Splitter::new() }, Vec::new());
        let put = |splitter: &Splitter, rows: &mut Vec<_>| {
            let fields = splitter.fields().map(|field| field.unwrap().to_owned()).collect();
            rows.push((splitter.begin().line, splitter.begin().offset, fields));
        };
        for mut piece in text.as_bytes().chunks(size) {
            while !piece.is_empty() {
                match splitter.feed(piece, 3) {
                    Ok((read, has_ended)) => {
                        piece = &piece[read..];
                        if has_ended {
                            put(&splitter, &mut rows);
                        }
                    }
                    Err(error) => return (rows, Some(error)),
                }
            }
        }
        match splitter.finish(3) {
            Ok(true) => put(&splitter, &mut rows),
            Ok(false) => {}
            Err(error) => return (rows, Some(error)),
        }
        assert_eq!(splitter.offset(), text.len() as u64);
        (rows, None)
    }

    #[track_caller]
    fn check(text: &str, expected: &[(u64, u64, &[&str])], error: Option<Malformed>) {
        check_with(text, expected, error, false);
    }

    #[track_caller]
    fn check_with(text: &str, expected: &[(u64, u64, &[&str])], error: Option<Malformed>, has_empty_rows: bool) {
        for size in 1..=text.len().max(1) {
            let (rows, found) = rows(text, size, has_empty_rows);
            let rows: Vec<_> =
                rows.iter().map(|row| (row.0, row.1, row.2.iter().map(|field| &**field).collect())).collect();
            let expected: Vec<(u64, u64, Vec<&str>)> =
                expected.iter().map(|row| (row.0, row.1, row.2.to_vec())).collect();
            assert_eq!((rows, found), (expected, error), "{text:?} in pieces of {size} bytes");
        }
    }

    #[test]
    fn rows_and_fields() {
        check("", &[], None);
        check("\n\r\n", &[], None);
        check("a,b\nc", &[(1, 0, &["a", "b"]), (2, 4, &["c"])], None);
        check("a,\r\n\r\n,\"\"\r", &[(1, 0, &["a", ""]), (3, 6, &["", ""])], None);
        check("a\rb\n\rc", &[(1, 0, &["a"]), (2, 2, &["b"]), (4, 5, &["c"])], None);
        check("\"a,\"\"\r\n\n\",é\r\nb", &[(1, 0, &["a,\"\r\n\n", "é"]), (4, 14, &["b"])], None);
        check("\u{FEFF}\"a\",b", &[(1, 0, &["a", "b"])], None);
    }

    #[test]
    fn empty_rows() {
        check_with("a\n\nb\n\n", &[(1, 0, &["a"]), (2, 2, &[""]), (3, 3, &["b"]), (4, 5, &[""])], None, true);
        check_with("a\r\n\r\nb", &[(1, 0, &["a"]), (2, 3, &[""]), (3, 5, &["b"])], None, true);
        check_with("\r\r\n\"\"\n\r", &[(1, 0, &[""]), (2, 1, &[""]), (3, 3, &[""]), (4, 6, &[""])], None, true);
        check_with("a\n", &[(1, 0, &["a"])], None, true);
    }

    #[test]
    fn malformed_rows() {
        check("a\n\"b", &[(1, 0, &["a"])], Some(Malformed::NotClosed(1)));
        check("a,\"b\"c", &[], Some(Malformed::AfterQuote(2)));
        check("a, \"b\"", &[], Some(Malformed::StrayQuote(2)));
        check("a\u{FEFF}\"b\"", &[], Some(Malformed::StrayQuote(1)));
        check("a,b,c\n,,,", &[(1, 0, &["a", "b", "c"])], Some(Malformed::TooManyFields));
    }
}
