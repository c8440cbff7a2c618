//! Messages on standard error, and the names of files in them: whatever a file name contains, no control character of it
//! gets to a terminal.

pub(crate) mod color;
pub(crate) mod hexdump;
pub(crate) mod hints;
pub(crate) mod html_page;
pub(crate) mod json;
mod operands;
pub(crate) mod progress;

use crate::messages::color::paint;
use crate::messages::hexdump::Hex;
use crate::messages::hexdump::Piece;
use crate::messages::hints::HintContext;
use crate::status::Status;
use anstyle::Style;
use charpipe::Report;
use charpipe::codec::Codec;
use charpipe::detect::{Diagnostic, Severity, Verdict};
use charpipe::{Error, ErrorKind, RecordPosition};
use std::ffi::OsStr;
use std::fmt::{self, Display, Write as _};
use std::io::{self, IsTerminal, Write as _};

/// What a file is called in lines for people and in objects for programs.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// For a terminal.
    pub(crate) shown: String,
    /// For JSON, which does its own escaping.
    pub(crate) json: String,
}

impl Name {
    /// The name of a file.
    ///
    /// It stands as it is where it can. Elsewhere `\xNN` is a byte that is no UTF-8, and for a terminal `\u{N}` a
    /// character that is not to be shown; there a backslash is doubled, and also where the name itself looks like that.
    /// So no two names are the same, and the usual ones with a backslash stay as they are.
    pub(crate) fn of_path(path: &OsStr) -> Self {
        let text = path.to_str();
        let json = match text.filter(|text| !has_escaped_byte(text)) {
            Some(text) => text.to_owned(),
            None => legible(path, doubled),
        };
        let is_plain =
            |text: &&str| !has_escaped_byte(text) && !text.contains("\\u{") && unseen_escaped(text) == **text;
        let shown = match text.filter(is_plain) {
            Some(text) => text.to_owned(),
            None => legible(path, |valid| unseen_escaped(&doubled(valid))),
        };
        Name { shown, json }
    }

    /// The name of a standard stream.
    pub(crate) fn of_stream(name: &str) -> Self {
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

fn doubled(text: &str) -> String {
    text.replace('\\', "\\\\")
}

/// Whether something in `text` looks like a byte that was escaped.
fn has_escaped_byte(text: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    text.as_bytes().windows(4).any(|bytes| bytes.starts_with(b"\\x") && bytes[2..].iter().all(is_digit))
}

/// `text` with all escaped that a terminal might obey or not show, as `\u{N}`.
fn unseen_escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    // These have escapes of their own, which would be taken for a backslash and a letter.
    for part in text.split_inclusive(['\0', '\t', '\n', '\r']) {
        let rest = part.trim_end_matches(['\0', '\t', '\n', '\r']);
        shown.push_str(&printable(rest));
        shown.extend(part[rest.len()..].chars().flat_map(char::escape_unicode));
    }
    shown
}

/// Returns `text` with everything escaped that a terminal might interpret or not show, direction marks included. Quotes
/// and backslashes stay as they are.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for part in text.split_inclusive(['\\', '"', '\'']) {
        let rest = part.trim_end_matches(['\\', '"', '\'']);
        shown.extend(rest.escape_debug());
        shown.push_str(&part[rest.len()..]);
    }
    shown
}

/// Returns `lines` with everything escaped that a terminal interprets: messages quote the names of the user's tables and
/// codecs, which may contain anything. Text that is [`printable`] stays as it is. So does U+200E, which reorders nothing
/// and which charts have after right-to-left letters.
pub(crate) fn harmless(lines: &str) -> String {
    let is_interpreted = |ch: char| {
        (ch.is_control() && ch != '\n')
            || matches!(ch, '\u{61C}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(lines.len());
    for ch in lines.chars() {
        if is_interpreted(ch) { shown.extend(ch.escape_debug()) } else { shown.push(ch) }
    }
    shown
}

/// Prints a line on standard error, in one write so that the lines of two processes don't mix. Failure is ignored: it is
/// no reason to stop, and there is no other place to report it.
pub(crate) fn say(line: impl Display) {
    say_parts(&[(color::PLAIN, &line)]);
}

/// Prints a line made of parts, each in its own style if standard error has colour. A part has no escape sequences of its
/// own; those in text that it quotes are escaped.
pub(crate) fn say_parts(parts: &[(Style, &dyn Display)]) {
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

/// Returns the offset to print with `error`. An error in the data always has one: 0 if no nearer place is known.
pub(crate) fn offset(error: &Error) -> Option<u64> {
    error.offset().or((Status::of(error) == Status::Data).then_some(0))
}

/// Prints an error in the data, or in reading it, and what to do about it.
pub(crate) fn say_error(name: &Name, error: &Error) {
    say_error_with(name, error, &hints::for_error(error));
}

/// Prints the error that ended a conversion, and what to do about it, for which more is known of a conversion.
pub(crate) fn say_fault(name: &Name, error: &Error, report: &Report, context: &HintContext) {
    say_error_with(name, error, &hints::for_conversion(error, report, context));
}

fn say_error_with(name: &Name, error: &Error, hint: &str) {
    let place = offset(error).map_or_else(String::new, |offset| format!("{}: ", Place(offset, error.record())));
    say_parts(&[(color::PLAIN, &format_args!("{name}: {place}")), (color::ERROR, error.kind()), (color::HINT, &hint)]);
}

/// Prints a file that cannot be opened, and what was probably meant if it does not exist.
pub(crate) fn say_not_opened(name: &Name, path: &OsStr, error: &io::Error) {
    let hint = (error.kind() == io::ErrorKind::NotFound).then(|| operands::hint(path)).flatten();
    let hint = hint.map_or_else(String::new, |hint| format!(" ({})", printable(&hint)));
    say_parts(&[
        (color::PLAIN, &format_args!("{name}: ")),
        (color::ERROR, &format_args!("cannot open: {error}")),
        (color::HINT, &hint),
    ]);
}

/// Prints the bytes around an error.
pub(crate) fn show_bytes(error: &Error, piece: Option<&Piece>, codec: Option<&dyn Codec>) {
    let (Some(piece), Some(offset)) = (piece, error.offset()) else { return };
    let len = match error.kind() {
        ErrorKind::Malformed { bytes, .. } => Some(bytes.len()),
        ErrorKind::BadHeader { header, .. } => Some(header.len()),
        ErrorKind::Unmappable { .. } | ErrorKind::Control { .. } | ErrorKind::NewlineInRecord { .. } => None,
        ErrorKind::UnknownLabel { label, .. } | ErrorKind::UnsupportedLabel { label, .. } => Some(label.len()),
        _ => Some(1),
    };
    let dump = hexdump::dump(piece, offset, len, codec, color::on_stderr());
    _ = io::stderr().write_all(dump.as_bytes());
}

/// Whether standard error is a terminal, so that [`show_bytes`] is worth its lines.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Prints a place in the input: `byte 92`, or `byte 92: record 2, column 13`.
pub(crate) struct Place(pub(crate) u64, pub(crate) Option<RecordPosition>);

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}", self.0)?;
        match self.1 {
            Some(RecordPosition { number, column, .. }) => write!(f, ": record {number}, column {column}"),
            None => Ok(()),
        }
    }
}

/// Prints warnings and hints, a line each, but not one that `error` repeats.
pub(crate) fn say_diagnostics(name: &Name, diagnostics: &[Diagnostic], error: Option<&Error>) {
    for Diagnostic { code, severity, message, offset, .. } in diagnostics {
        let said = error.is_some_and(|error| error.code() == *code && error.offset() == Some(*offset));
        if !said {
            let style = if *severity == Severity::Warning { color::WARNING } else { color::HINT };
            say_parts(&[
                (color::PLAIN, &format_args!("{name}: byte {offset}: ")),
                (style, &format_args!("{}: {}", severity.name(), printable(message))),
                (style, &format_args!("{} ({code})", hints::for_diagnostic(code))),
            ]);
        }
    }
}

/// Prints a verdict on one line: the encoding, and the evidence for it.
pub(crate) struct InWords<'a> {
    pub(crate) verdict: &'a Verdict,
    /// Print the family and the source of the encoding too.
    pub(crate) verbose: bool,
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
        assert_eq!((&*name.shown, &*name.json), ("a\\u{7}\\\\", "a\u{7}\\"));
        let name = Name::of_path(OsStr::new("dir\\new"));
        assert_eq!((&*name.shown, &*name.json), ("dir\\new", "dir\\new"));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_utf8_is_escaped() {
        use std::os::unix::ffi::OsStrExt;

        let name = Name::of_path(OsStr::from_bytes(b"\\\xFF\x1B"));
        assert_eq!((&*name.shown, &*name.json), ("\\\\\\xFF\\u{1b}", "\\\\\\xFF\u{1B}"));
        // Not the name of four characters.
        let name = Name::of_path(OsStr::new("\\xFF"));
        assert_eq!((&*name.shown, &*name.json), ("\\\\xFF", "\\\\xFF"));
    }
}
