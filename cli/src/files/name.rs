//! The name of a file in messages and in JSON. A file name may contain any bytes, but its control characters never
//! reach a terminal, and no two names look the same.

use crate::files::file_path::FilePath;
use crate::files::name_text::Texts;
use std::ffi::OsStr;
use std::fmt::{self, Debug, Display};
use std::sync::{Arc, OnceLock};

/// The name of standard input in messages.
const STDIN: &str = "<stdin>";
/// The name of standard output in messages.
const STDOUT: &str = "<stdout>";
/// The name of standard error in messages.
const STDERR: &str = "<stderr>";

/// The name of a file in messages, and in objects for programs. A path that shares its directories with others is made
/// into text only if someone reads the name.
#[derive(Clone)]
pub(crate) struct Name(Arc<Parts>);

struct Parts {
    texts: OnceLock<Texts>,
    path: Option<FilePath>,
}

impl Name {
    /// Returns the name of the file at `path`.
    ///
    /// A name is shown unchanged if that is unambiguous. Otherwise `\xNN` stands for a byte that is not UTF-8 and, for
    /// a terminal, `\u{N}` for a character that must not be shown; then every backslash is doubled. A name that itself
    /// looks like such an escape gets its backslashes doubled too, so two different names never look the same, and
    /// ordinary names with a backslash do not change.
    pub(crate) fn of_path(path: &OsStr) -> Self {
        Name::of_texts(Texts::of(path))
    }

    /// Returns the same for a path that is not text yet.
    pub(crate) fn of_file_path(path: FilePath) -> Self {
        Name(Arc::new(Parts { texts: OnceLock::new(), path: Some(path) }))
    }

    /// Returns the name for a terminal.
    pub(crate) fn shown(&self) -> &str {
        &self.texts().shown
    }

    /// Returns the name for JSON, which does its own escaping.
    pub(crate) fn json(&self) -> &str {
        &self.texts().json
    }

    fn texts(&self) -> &Texts {
        let Parts { texts, path } = &*self.0;
        texts.get_or_init(|| Texts::of(&path.as_ref().map(FilePath::text).unwrap_or_default()))
    }

    /// Returns the name of an operand, of which `-` is standard input.
    pub(crate) fn of_operand(path: &OsStr) -> Self {
        if path == "-" { Self::of_stream(STDIN) } else { Self::of_path(path) }
    }

    /// Returns the name of standard output.
    pub(crate) fn stdout() -> Self {
        Self::of_stream(STDOUT)
    }

    /// Returns the name of standard error.
    pub(crate) fn stderr() -> Self {
        Self::of_stream(STDERR)
    }

    fn of_stream(name: &str) -> Self {
        Name::of_texts(Texts { shown: name.to_owned(), json: name.to_owned() })
    }

    fn of_texts(texts: Texts) -> Self {
        Name(Arc::new(Parts { texts: texts.into(), path: None }))
    }
}

impl FilePath {
    /// Returns what it is called in messages.
    pub(crate) fn name(&self) -> Name {
        match self {
            FilePath::Text(text) => Name::of_path(text),
            FilePath::Below(..) => Name::of_file_path(self.clone()),
        }
    }
}

impl Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.shown(), f)
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_without_control_characters() {
        let name = Name::of_path(OsStr::new("a\u{7}\\"));
        assert_eq!((name.shown(), name.json()), ("a\\u{7}\\\\", "a\u{7}\\"));
        let name = Name::of_path(OsStr::new("dir\\new"));
        assert_eq!((name.shown(), name.json()), ("dir\\new", "dir\\new"));
        // These do not look like escaped bytes, which have two digits in upper case.
        for name in ["\\x", "\\xF", "\\xFg", "\\xfF.txt", "dir\\xF\\xF"] {
            let found = Name::of_path(OsStr::new(name));
            assert_eq!((found.shown(), found.json()), (name, name));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_utf8_is_escaped() {
        use std::os::unix::ffi::OsStrExt;

        let name = Name::of_path(OsStr::from_bytes(b"\\\xFF\x1B"));
        assert_eq!((name.shown(), name.json()), ("\\\\\\xFF\\u{1b}", "\\\\\\xFF\u{1B}"));
        // Differs from the name that consists of these four characters.
        let name = Name::of_path(OsStr::new("\\xFF"));
        assert_eq!((name.shown(), name.json()), ("\\\\xFF", "\\\\xFF"));
    }
}
