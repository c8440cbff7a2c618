//! Reads tables from files that a user supplies, in any supported format.

use super::limits::MAX_FILE;
use super::lines::{Line, Lines};
use super::{Table, charmap, chart, raw, text, ucm};
use crate::error::Error;

/// The formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Chart,
    Ucm,
    Charmap,
    Text,
}

impl Table {
    /// Reads a table file. The format is detected from the content:
    ///
    /// | format | recognised by |
    /// |---|---|
    /// | a page as in `codecs/` | it begins with a word such as `name` |
    /// | ICU's `.ucm` | `<uconv_class>`, `<icu:…>`, `<subchar>`, or flags such as <code>&#124;0</code> |
    /// | a charmap of POSIX or glibc | `<escape_char>`, `<comment_char>`, or nothing specific to ICU |
    /// | the columns of unicode.org's `MAPPINGS`, an index of the Encoding Standard | it begins with a number |
    /// | 256 bytes: the character of each byte in ISO-8859-1, or in [another page](Table::read_to) | its length |
    /// | 512 bytes: the code point of each byte; 514 with a byte order mark | its length |
    ///
    /// Comments and empty lines may precede any of these except the last two. `codecs/README.md` describes each format.
    ///
    /// `stem` is the file's name without folder and extension. It becomes the table's name if the file contains none.
    /// `resolve` returns a table that the file builds on, by its name.
    ///
    /// ```
    /// use charpipe::codec::decode_strictly;
    /// use charpipe::codec::table::Table;
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
    /// assert_eq!(decode_strictly(&table.into_codec(), b"\xC1\xC2").as_deref(), Some("AB"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Table`](crate::ErrorKind::Table) with the line and column (from 1) and what was expected there;
    /// also for a file larger than [`MAX_FILE`], and for a table that contradicts itself.
    pub fn read(file: &[u8], stem: &str, resolve: &dyn Fn(&str) -> Option<Table>) -> Result<Table, Error> {
        let start = Line { number: 1, bytes: b"" };
        if file.len() > MAX_FILE {
            return start.error(b"", format!("a table of at most {MAX_FILE} bytes"));
        }
        if file.starts_with(b"\x1F\x8B") {
            return start.error(b"", "an uncompressed table (gunzip it first)");
        }
        match (format(file), file.len()) {
            (Some(Format::Ucm), _) => ucm::parse(file, stem, resolve),
            (Some(Format::Charmap), _) => charmap::parse(file, stem),
            (Some(Format::Text), _) => text::parse(file, stem),
            (Some(Format::Chart), _) => match std::str::from_utf8(file) {
                Ok(text) => chart::parse(text.trim_start_matches('\u{FEFF}'), resolve),
                Err(error) => not_utf8(file, error.valid_up_to()),
            },
            (None, 256) => {
                let latin1 = Table::from_fn("ISO-8859-1", "", |byte| Some(byte.into()));
                Table::read_to(file, stem, &latin1, resolve)
            }
            (None, 512 | 514) => raw::ucs2(file, stem),
            (None, _) => {
                // If a line is too long, report that rather than an unknown format.
                if !file.contains(&0) {
                    Lines::new(file).try_for_each(|line| line.map(drop))?;
                }
                let formats =
                    "a charpipe page, an ICU .ucm, a charmap, columns such as 0x41 0x0041, or 256 or 512 raw bytes";
                start.error(b"", format!("a table: {formats}"))
            }
        }
    }

    /// Reads a table of 256 bytes, which maps each byte to a byte of the single-byte page `to`.
    ///
    /// ```
    /// use charpipe::codec::table::Table;
    ///
    /// let latin9 = Table::from_fn("X-EURO", "", |byte| Some(if byte == 0xA4 { '€' } else { byte.into() }));
    /// let mut file: Vec<u8> = (0..=255).collect();
    /// file[0x9F] = 0xA4;
    /// let table = Table::read_to(&file, "site", &latin9, &|_| None)?;
    /// assert!(table.mappings.iter().any(|mapping| mapping.code.number() == 0x9F && mapping.ch == '€'));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Table`](crate::ErrorKind::Table) for a file of another length, or if none of its bytes becomes a
    /// character. `resolve` is asked for IBM037 and may return `None`; see `src/codec/table/raw.rs`.
    pub fn read_to(
        file: &[u8],
        stem: &str,
        to: &Table,
        resolve: &dyn Fn(&str) -> Option<Table>,
    ) -> Result<Table, Error> {
        match file.try_into() {
            Ok(entries) => raw::translation(entries, stem, to, resolve),
            Err(_) => Line { number: 1, bytes: b"" }.error(b"", "256 bytes, one for each byte value"),
        }
    }
}

/// Returns the format of a file, judged by its first lines that are not comments.
fn format(file: &[u8]) -> Option<Format> {
    let lines = || Lines::new(file).map_while(Result::ok).map(|line| line.trimmed());
    let first = lines().find(|line| !matches!(line, [] | [b'#' | b'%', ..]))?;
    match first {
        _ if first.contains(&0) => None,
        [b'a'..=b'z', ..] => Some(Format::Chart),
        [b'0'..=b'9', ..] => Some(Format::Text),
        [b'<', ..] | [b'C', b'H', b'A', b'R', b'M', b'A', b'P', ..] => {
            let begins = |line: &[u8], words: &[&[u8]]| words.iter().any(|word| line.starts_with(word));
            for line in lines() {
                if begins(line, &[b"<uconv_class>", b"<icu:", b"<subchar", b"<char_name_mask>"]) {
                    return Some(Format::Ucm);
                }
                if begins(line, &[b"<escape_char>", b"<comment_char>"]) {
                    return Some(Format::Charmap);
                }
                // If the head does not show the format, the first mapping does: only ICU has flags.
                if line.starts_with(b"<U") {
                    let is_flag = |pair: &[u8]| pair[0] == b'|' && pair[1].is_ascii_digit();
                    return Some(if line.windows(2).any(is_flag) { Format::Ucm } else { Format::Charmap });
                }
            }
            Some(Format::Charmap)
        }
        _ => None,
    }
}

/// Returns an error at the position where a file stops being UTF-8.
fn not_utf8<T>(file: &[u8], at: usize) -> Result<T, Error> {
    let mut lines = Lines::new(file);
    let before = |line: &Line<'_>| (line.bytes.as_ptr() as usize - file.as_ptr() as usize) + line.bytes.len() < at;
    let line = lines.by_ref().map_while(Result::ok).find(|line| !before(line)).unwrap_or_else(|| lines.end());
    line.error(&file[at..], "text in UTF-8")
}
