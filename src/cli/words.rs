//! What goes to standard error, and names made fit to be shown: whatever a file name holds, a terminal gets no control
//! character of it.

use super::Status;
use super::color::{self, paint};
use crate::detect::statistics::{Looks, looks_like};
use crate::detect::{Diagnostic, Severity, Verdict};
use crate::error::{Error, ErrorKind, Hex, RecordPosition};
use anstyle::Style;
use std::ffi::OsStr;
use std::fmt::{self, Display, Write as _};
use std::io::{self, Write as _};

/// What a file is called in lines for people and in objects for programs.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// For a terminal.
    pub(super) shown: String,
    /// For JSON, which does its own escaping.
    pub(super) json: String,
}

impl Name {
    /// The name of a file.
    pub(super) fn of_path(path: &OsStr) -> Self {
        let shown = legible(path, printable);
        // The backslash is doubled in names that are escaped and in no others.
        let json = path.to_str().map_or_else(|| legible(path, |valid| valid.replace('\\', "\\\\")), str::to_owned);
        Name { shown, json }
    }

    /// The name of a standard stream.
    pub(super) fn of_stream(name: &str) -> Self {
        Name { shown: name.to_owned(), json: name.to_owned() }
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// `path` with `\xNN` for every byte that is not UTF-8.
fn legible(path: &OsStr, escape: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for chunk in path.as_encoded_bytes().utf8_chunks() {
        text.push_str(&escape(chunk.valid()));
        for byte in chunk.invalid() {
            _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// `text` with all escaped that a terminal might obey or not show, direction marks included; quotes and backslashes
/// stay as they are.
pub(super) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for part in text.split_inclusive(['\\', '"', '\'']) {
        let rest = part.trim_end_matches(['\\', '"', '\'']);
        shown.extend(rest.escape_debug());
        shown.push_str(&part[rest.len()..]);
    }
    shown
}

/// Lines with nothing in them that a terminal obeys: the names of a caller's tables and codecs may hold anything, and
/// stand in many a sentence. What is printable already stays as it is; so does U+200E, which charts have behind letters
/// that run from right to left and which reorders nothing.
pub(super) fn harmless(lines: &str) -> String {
    let obeyed = |ch: char| {
        (ch.is_control() && ch != '\n')
            || matches!(ch, '\u{61C}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(lines.len());
    for ch in lines.chars() {
        if obeyed(ch) { shown.extend(ch.escape_debug()) } else { shown.push(ch) }
    }
    shown
}

/// A line on standard error, in one write so that the lines of two processes don't mix. That it cannot be written is
/// no reason to stop, and there is nobody to tell.
pub(super) fn say(line: impl Display) {
    say_parts(&[(color::PLAIN, &line)]);
}

/// The same of parts, each in a colour of its own where there is any. A part has no escape sequences of its own: what
/// it quotes may have them.
pub(super) fn say_parts(parts: &[(Style, &dyn Display)]) {
    let colored = color::on_stderr();
    let mut line = paint(colored, color::NAME, "charpipe:").to_string();
    line.push(' ');
    for (style, part) in parts {
        let part = harmless(&part.to_string());
        if !part.is_empty() {
            _ = write!(line, "{}", paint(colored, *style, part));
        }
    }
    line.push('\n');
    _ = io::stderr().write_all(line.as_bytes());
}

/// The offset that goes with `error`: whatever blames the data names a place in it, the beginning where none is nearer.
pub(super) fn offset(error: &Error) -> Option<u64> {
    error.offset().or((Status::of(error) == Status::Data).then_some(0))
}

/// The line of an error in the data, or in reading it, with what can be done about it.
pub(super) fn say_error(name: &Name, error: &Error) {
    let place = offset(error).map_or_else(String::new, |offset| format!("{}: ", Place(offset, error.record())));
    say_parts(&[
        (color::PLAIN, &format_args!("{name}: {place}")),
        (color::ERROR, error.kind()),
        (color::HINT, &hint(error)),
    ]);
}

/// A place in the input: `byte 92`, or `byte 92: record 2, column 13`.
pub(super) struct Place(pub(super) u64, pub(super) Option<RecordPosition>);

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}", self.0)?;
        match self.1 {
            Some(RecordPosition { number, column }) => write!(f, ": record {number}, column {column}"),
            None => Ok(()),
        }
    }
}

fn hint(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::BadHeader { .. } => " (see `charpipe detect --records` for what fits)",
        ErrorKind::RecordCut { .. } => " (cut short, or of another shape: see `charpipe detect --records`)",
        ErrorKind::RecordTooLong { .. } => " (use --overlong cut to cut what is too long)",
        ErrorKind::Control { .. } => " (use --controls space to go on)",
        ErrorKind::NewlineInRecord { .. } => " (use --record-newlines space to go on)",
        ErrorKind::Malformed { .. } => " (use --malformed replace to go on)",
        ErrorKind::Unmappable { .. } => " (use --unmappable replace to go on, or a target that has it, as -t UTF-8)",
        ErrorKind::UnknownLabel { .. } => " (name the encoding with -f)",
        ErrorKind::UnsupportedLabel { .. } => {
            " (convert it with another program first, or name another encoding with -f)"
        }
        ErrorKind::Strict { .. } => " (leave out --strict to go on)",
        _ => "",
    }
}

/// A hint at what the first bytes of an input look like that was taken for something else.
pub(super) fn looks(sample: &[u8]) -> Option<Diagnostic> {
    let (code, what) = match looks_like(sample)? {
        Looks::Ebcdic => ("looks-like-ebcdic", "looks like EBCDIC: try -f IBM1047 or --guess"),
        Looks::Utf16Le => ("looks-like-utf16", "looks like UTF-16: try -f UTF-16LE or --guess"),
        Looks::Utf16Be => ("looks-like-utf16", "looks like UTF-16: try -f UTF-16BE or --guess"),
    };
    Some(Diagnostic::hint(code, 0, what))
}

/// What was seen on the way, a line each; not what `error` says already.
pub(super) fn say_diagnostics(name: &Name, diagnostics: &[Diagnostic], error: Option<&Error>) {
    for Diagnostic { code, severity, message, offset } in diagnostics {
        let said = error.is_some_and(|error| error.code() == *code && error.offset() == Some(*offset));
        if !said {
            let style = if *severity == Severity::Warning { color::WARNING } else { color::HINT };
            say_parts(&[
                (color::PLAIN, &format_args!("{name}: byte {offset}: ")),
                (style, &format_args!("{}: {} ({code})", severity.name(), printable(message))),
            ]);
        }
    }
}

/// The verdict on one line: the encoding, and what led to it.
pub(super) struct InWords<'a> {
    pub(super) verdict: &'a Verdict,
    /// Say everything that is known.
    pub(super) verbose: bool,
}

impl Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict;
        let encoding = verdict.encoding.as_deref().unwrap_or("unknown");
        write!(f, "{encoding} ({}", verdict.kind.name())?;
        if let Some(codec) = verdict.codec.as_ref().filter(|codec| codec.name() != encoding) {
            write!(f, "; decoded as {}", codec.name())?;
        }
        if let Some(rule) = verdict.rule {
            write!(f, "; rule {rule}")?;
        }
        if self.verbose {
            write!(f, "; family {}", verdict.family.name())?;
            if let Some(source) = verdict.source {
                write!(f, "; source {}", source.name())?;
            }
        }
        if let Some(row) = verdict.signature {
            let what = if row.bom { "byte order mark" } else { "begins with" };
            write!(f, "; {what} {}", Hex(row.bytes))?;
        }
        if let Some(declared) = &verdict.declared {
            write!(f, "; declared {declared:?}")?;
            if let Some(span) = &verdict.declared_span {
                write!(f, " at bytes {}..{}", span.start, span.end)?;
            }
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_without_control_characters() {
        assert_eq!(printable("a \"b\" c:\\d\u{1B}[31m\n\u{202E}é"), "a \"b\" c:\\d\\u{1b}[31m\\n\\u{202e}é");
        let name = Name::of_path(OsStr::new("a\u{7}\\"));
        assert_eq!((&*name.shown, &*name.json), ("a\\u{7}\\", "a\u{7}\\"));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_utf8_is_escaped() {
        use std::os::unix::ffi::OsStrExt;

        let name = Name::of_path(OsStr::from_bytes(b"\\\xFF\x1B"));
        assert_eq!((&*name.shown, &*name.json), ("\\\\xFF\\u{1b}", "\\\\\\xFF\u{1B}"));
    }
}
