//! Messages on standard error. No control character in text that they quote reaches a terminal.

pub(crate) mod color;
pub(crate) mod hexdump;
pub(crate) mod hints;
pub(crate) mod html_page;
pub(crate) mod json;
mod operands;
#[cfg(not(target_os = "wasi"))]
pub(crate) mod progress;
#[cfg(target_os = "wasi")]
#[path = "progress_elsewhere.rs"]
pub(crate) mod progress;

use crate::escape::{harmless, printable};
use crate::files::name::Name;
use crate::messages::color::paint;
use crate::messages::hexdump::Piece;
use crate::messages::hints::HintContext;
use crate::status::Status;
use anstyle::Style;
use charpipe::Hex;
use charpipe::Report;
use charpipe::codec::Codec;
use charpipe::detect::{Diagnostic, Severity, Verdict};
use charpipe::{Error, ErrorKind, RecordPosition, TextPosition};
use clap::ValueEnum;
use std::ffi::OsStr;
use std::fmt::{self, Display, Write as _};
use std::io::{self, IsTerminal};

/// When progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum Progress {
    // On a terminal, if the work takes long. (A doc comment would be in the help.)
    #[default]
    Auto,
    Always,
    Never,
}

/// A number of things, with their name in the singular or in the plural: `1 byte`, `2 bytes`.
pub(crate) struct Count(pub(crate) u64, pub(crate) &'static str);

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(number, name) = self;
        write!(f, "{number} {name}{}", if *number == 1 { "" } else { "s" })
    }
}

/// Prints a line on standard error, in one write so that the lines of two processes don't mix. Failure is ignored: it
/// is no reason to stop, and there is no other place to report it.
pub(crate) fn say(line: impl Display) {
    say_parts(&[(color::PLAIN, &line)]);
}

/// Prints a line made of parts, each in its own style if standard error has colour. A part has no escape sequences of
/// its own; those in text that it quotes are escaped.
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
    write(&line);
}

/// Writes text to standard error, all of it even if another process has made that non-blocking and it is full.
fn write(text: &str) {
    _ = charpipe::files::write_all(io::stderr().lock(), text.as_bytes());
}

/// Prints how many of something there were, if any.
pub(crate) fn say_count(name: &Name, count: u64, one: &str, many: &str, became: &str) {
    if count > 0 {
        let gap = if became.is_empty() { "" } else { " " };
        say(format_args!("{name}: {count} {}{gap}{became}", if count == 1 { one } else { many }));
    }
}

/// Returns the offset to print with `error`. An error in the data always has one: 0 if no nearer place is known.
pub(crate) fn offset(error: &Error) -> Option<u64> {
    error.offset().or((Status::of(error) == Status::Data).then_some(0))
}

/// Prints an error in the data, or in reading it, and what to do about it.
pub(crate) fn say_error(name: &Name, error: &Error) {
    say_error_with(name, error, &hints::for_error(error));
}

/// Prints the error of a verdict, and what to do about it, for which `sample`, the beginning of the input, tells more.
pub(crate) fn say_verdict_error(name: &Name, error: &Error, sample: &[u8], with_hint: bool) {
    let hint = if with_hint { hints::for_verdict(error, sample) } else { "".into() };
    say_error_with(name, error, &hint);
}

/// Prints the error that ended a conversion, and what to do about it, for which more is known of a conversion.
pub(crate) fn say_fault(name: &Name, error: &Error, report: &Report, context: &HintContext) {
    say_error_with(name, error, &hints::for_conversion(error, report, context));
}

fn say_error_with(name: &Name, error: &Error, hint: &str) {
    say_problem(name, Place::of_error(error), error.kind(), hint);
}

/// Prints the errors in `subject`, an input or an option, its place there, and what to do about it.
pub(crate) fn say_problem(subject: &dyn Display, place: Option<Place>, error: &dyn Display, hint: &str) {
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    say_parts(&[(color::PLAIN, &format_args!("{subject}: {place}")), (color::ERROR, error), (color::HINT, &hint)]);
}

/// Prints a file that cannot be opened, and what was probably meant if it does not exist.
pub(crate) fn say_not_opened(name: &Name, path: &OsStr, error: &io::Error) {
    let hint = (error.kind() == io::ErrorKind::NotFound).then(|| operands::hint(path)).flatten();
    let hint = hint.map_or_else(String::new, |hint| format!(" ({})", printable(&hint)));
    say_problem(name, None, &format_args!("cannot open: {error}"), &hint);
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
    write(&dump);
}

/// Whether standard error is a terminal, so that [`show_bytes`] is worth its lines.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Prints a place in the input: `line 3, column 15 (byte 24)`, or where there are no lines `byte 92`, or
/// `byte 92: record 2, column 13`.
pub(crate) struct Place {
    offset: u64,
    record: Option<RecordPosition>,
    position: Option<TextPosition>,
}

impl Place {
    pub(crate) fn new(offset: u64, record: Option<RecordPosition>, position: Option<TextPosition>) -> Self {
        Place { offset, record, position }
    }

    /// A place of which only the offset is known.
    pub(crate) fn byte(offset: u64) -> Self {
        Place::new(offset, None, None)
    }

    /// Returns the place of an error, if it has one.
    pub(crate) fn of_error(error: &Error) -> Option<Self> {
        Some(Place::new(offset(error)?, error.record(), error.position()))
    }

    /// Returns the place of a warning or a hint.
    pub(crate) fn of_note(note: &Diagnostic) -> Self {
        Place::new(note.offset, None, note.position)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.position, self.record) {
            (Some(position), _) => write!(f, "{position} (byte {})", self.offset),
            (None, Some(RecordPosition { number, column, .. })) => {
                write!(f, "byte {}: record {number}, column {column}", self.offset)
            }
            (None, None) => write!(f, "byte {}", self.offset),
        }
    }
}

/// Prints warnings and hints, a line each, but not one that `error` repeats. `advice`: what the bytes of the input
/// suggest.
pub(crate) fn say_diagnostics(name: &Name, diagnostics: &[Diagnostic], error: Option<&Error>, advice: Option<&str>) {
    for note @ Diagnostic { code, severity, message, offset, .. } in diagnostics {
        let said = error.is_some_and(|error| error.code() == *code && error.offset() == Some(*offset));
        if !said {
            let style = if *severity == Severity::Warning { color::WARNING } else { color::HINT };
            say_parts(&[
                (color::PLAIN, &format_args!("{name}: {}: ", Place::of_note(note))),
                (style, &format_args!("{}: {}", severity.name(), printable(message))),
                (style, &format_args!("{} ({code})", hints::for_diagnostic(code, advice))),
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
        if let Some(looks) = verdict.looks.filter(|_| verdict.encoding.is_none() && !self.verbose) {
            return write!(f, "unknown ({looks})");
        }
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
