//! Layouts in either of their two forms: [`Layout::read`] tells field lists and copybooks apart.

use super::{BadLayout, Copybook, Layout};

impl Layout {
    /// Reads a field list or a copybook, whichever `file` is. `copybook` says how a copybook is read.
    ///
    /// In a field list, the first line that is neither empty nor a comment begins with `when`, or with a name and two
    /// numbers. Everything else is a copybook.
    ///
    /// ```
    /// use charpipe::fields::{Copybook, Layout};
    ///
    /// let list = Layout::read(b"# Clients\nID 1 4 binary\n", &Copybook::new())?;
    /// let copybook = Layout::read(b"       01  CLIENT.\n           05  ID  PIC S9(9) COMP.\n", &Copybook::new())?;
    /// assert_eq!((list.max_len(), copybook.max_len()), (4, 4));
    /// # Ok::<(), charpipe::fields::BadLayout>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`from_field_list`](Self::from_field_list) and of [`Copybook::read`].
    pub fn read(file: &[u8], copybook: &Copybook) -> Result<Layout, BadLayout> {
        if !is_field_list(file) {
            return copybook.read(file);
        }
        Layout::read_field_list(file)
    }

    /// Reads a field list from a file.
    pub(crate) fn read_field_list(file: &[u8]) -> Result<Layout, BadLayout> {
        let text = std::str::from_utf8(file).map_err(|error| {
            let line = 1 + file[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            BadLayout::at(line, 0, "a field list is text in UTF-8")
        })?;
        Layout::from_field_list(text)
    }
}

/// Returns whether a layout that is not in JSON is a field list, and not a copybook.
pub(crate) fn is_field_list(file: &[u8]) -> bool {
    let text = String::from_utf8_lossy(file);
    let is_comment = |line: &&str| line.is_empty() || line.starts_with(['#', '*']);
    let mut lines = text.trim_start_matches('\u{FEFF}').lines().map(str::trim);
    let first = lines.find(|line| !is_comment(line)).unwrap_or_default();
    let mut words = first.split_whitespace();
    let mut word = || words.next().unwrap_or_default();
    let (name, from, len, kind) = (word(), word(), word(), word());
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    // An array has `5*12` for its length. A line of a copybook can begin with a mark and a level: `RF06   01  FILLER.`
    let is_length = len.split('*').all(is_number);
    // With its kind, a field whose length is misspelt is still a field.
    let (kind, rest) = kind.split_at(kind.find(['.', ',']).unwrap_or(kind.len()));
    let is_kind = KINDS.contains(&kind) && rest != ".";
    name.eq_ignore_ascii_case("when") || !is_number(name) && is_number(from) && (is_length || is_kind)
}

/// The kinds of fields in a field list.
const KINDS: [&str; 8] = ["text", "graphic", "zoned", "edited", "packed", "binary", "float", "raw"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (text, expected) in [
            ("       01  A.\n", false),
            ("000100 01  A.\n", false),
            ("      * comment\n       01  A.\n", false),
            ("01 A.", false),
            ("", false),
            ("# list\nname 1 5 text\n", true),
            ("\u{FEFF}ID 1 6 text\n", true),
            ("TABLE 1 5*12 text\n", true),
            ("ID 1 x packed.2\n", true),
            ("rf06   05  n  binary.\n", false),
            ("RF06   01  FILLER.\n", false),
            ("CH1234 05  4TH-FIELD PIC X.\n", false),
            ("ALTF  *  text\n       01  A.\n", false),
            ("when 1-1=C1: A\nX 1 1 text\n", true),
        ] {
            assert_eq!(is_field_list(text.as_bytes()), expected, "{text:?}");
        }
        let error = Layout::read(b"ID 1 6 text\nX\xFF 7 1 text\n", &Copybook::new()).unwrap_err();
        assert_eq!(error.line, 2);
    }
}
