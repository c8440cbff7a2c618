//! Tables out of files that a user brings, whatever their format.

use super::lines::{Line, Lines};
use super::{Table, chart, ucm};
use crate::error::Error;

/// The longest file, in bytes.
pub const MAX_FILE: usize = 32 << 20;
/// The longest line, in bytes.
pub const MAX_LINE: usize = 4096;
/// The most mappings in a table: more than there are code points.
pub const MAX_MAPPINGS: usize = 1_200_000;
/// The most states that say what byte sequences a charset has.
pub const MAX_STATES: usize = 256;
/// The most bytes that one mapping has.
pub const MAX_BYTES: usize = 31;
/// The most text that one mapping has, in UTF-16 code units; 57 bytes of UTF-8.
pub const MAX_TEXT: usize = 19;

/// The formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Chart,
    Ucm,
}

impl Table {
    /// Reads a table file: one of ours, as in `codecs/`, or an ICU `.ucm`. What it is, the content tells.
    ///
    /// `stem` is the file's name without folder and extension: the table's name where the file says none. `resolve`
    /// answers the tables that the file builds on, by name.
    ///
    /// ```
    /// use charpipe::codec::table::Table;
    /// use charpipe::codec::{TableCodec, decode_strictly};
    ///
    /// let file = br#"<code_set_name> "X-SITE"
    /// <uconv_class> "SBCS"
    /// <subchar> \x3F
    /// CHARMAP
    /// <U0041> \xC1 |0
    /// <U0042> \xC2 |0
    /// <U001A> \x3F |0
    /// END CHARMAP
    /// "#;
    /// let table = Table::read(file, "site", &|_| None)?;
    /// assert_eq!(table.name, "X-SITE");
    /// assert_eq!(decode_strictly(&TableCodec::new(table), b"\xC1\xC2").as_deref(), Some("AB"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Table`](crate::ErrorKind::Table) with the line and column (from 1) and what was expected there; also
    /// for a file beyond [`MAX_FILE`], and a table that contradicts itself.
    pub fn read(file: &[u8], stem: &str, resolve: &dyn Fn(&str) -> Option<Table>) -> Result<Table, Error> {
        let start = Line { number: 1, bytes: b"" };
        if file.len() > MAX_FILE {
            return start.error(b"", format!("a table of {MAX_FILE} bytes at the most"));
        }
        if file.starts_with(b"\x1F\x8B") {
            return start.error(b"", "a table that is not compressed (gunzip it first)");
        }
        match format(file) {
            Some(Format::Ucm) => ucm::parse(file, stem, resolve),
            Some(Format::Chart) => match std::str::from_utf8(file) {
                Ok(text) => chart::parse(text.trim_start_matches('\u{FEFF}'), resolve),
                Err(error) => not_utf8(file, error.valid_up_to()),
            },
            None => start.error(b"", "a table: an ICU .ucm, or a chart that begins with its name"),
        }
    }
}

/// The format of a file, by its first lines that are no comment.
fn format(file: &[u8]) -> Option<Format> {
    for line in Lines::new(file).map_while(Result::ok) {
        return match line.trimmed() {
            [] | [b'#' | b'%', ..] => continue,
            [b'<', ..] => Some(Format::Ucm),
            rest if rest.starts_with(b"CHARMAP") => Some(Format::Ucm),
            [b'a'..=b'z', ..] => Some(Format::Chart),
            _ => None,
        };
    }
    None
}

/// An error where a file stops being UTF-8.
fn not_utf8<T>(file: &[u8], at: usize) -> Result<T, Error> {
    let mut lines = Lines::new(file);
    let before = |line: &Line<'_>| (line.bytes.as_ptr() as usize - file.as_ptr() as usize) + line.bytes.len() < at;
    let line = lines.by_ref().map_while(Result::ok).find(|line| !before(line)).unwrap_or_else(|| lines.end());
    line.error(&file[at..], "text in UTF-8")
}
