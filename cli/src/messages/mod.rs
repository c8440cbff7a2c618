//! What goes to standard error, and names made fit to be shown: whatever a file name holds, a terminal gets no control
//! character of it.

pub(crate) mod color;
pub(crate) mod hexdump;
pub(crate) mod html_page;
pub(crate) mod json;
pub(crate) mod progress;

pub(crate) use crate::escape::{harmless, printable};
pub(crate) use crate::files::name::Name;
use crate::messages::color::paint;
use crate::messages::hexdump::Hex;
use crate::messages::hexdump::Piece;
use crate::status::Status;
use anstyle::Style;
use charpipe::Report;
use charpipe::codec::Codec;
use charpipe::detect::statistics::{Guess, Looks, guess, looks_like};
use charpipe::detect::{Diagnostic, Severity, Verdict};
use charpipe::records::NoShape;
use charpipe::{Error, ErrorKind, RecordPosition};
use charpipe::{Kind, Registry, Transcode};
use std::borrow::Cow;
use std::fmt::{self, Display, Write as _};
use std::io::{self, IsTerminal, Write as _};

/// A line on standard error, in one write so that the lines of two processes don't mix. That it cannot be written is
/// no reason to stop, and there is nobody to tell.
pub(crate) fn say(line: impl Display) {
    say_parts(&[(color::PLAIN, &line)]);
}

/// The same of parts, each in a colour of its own where there is any. A part has no escape sequences of its own: what
/// it quotes may have them.
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

/// The offset that goes with `error`: whatever blames the data names a place in it, the beginning where none is nearer.
pub(crate) fn offset(error: &Error) -> Option<u64> {
    error.offset().or((Status::of(error) == Status::Data).then_some(0))
}

/// The line of an error in the data, or in reading it, with what can be done about it.
pub(crate) fn say_error(name: &Name, error: &Error) {
    let place = offset(error).map_or_else(String::new, |offset| format!("{}: ", Place(offset, error.record())));
    say_parts(&[
        (color::PLAIN, &format_args!("{name}: {place}")),
        (color::ERROR, error.kind()),
        (color::HINT, &hint(error)),
    ]);
}

/// What is known of a run that tells what can be done about its error.
pub(crate) struct Advice {
    /// What is unmappable would be a reference, had one been allowed in its place.
    pub(crate) as_references: bool,
    /// The encoding that the input seems to be in.
    pub(crate) seems: Option<String>,
    /// How long the input is, where its end was seen.
    pub(crate) len: Option<u64>,
}

/// The same of a run, which says more about what can be done.
pub(crate) fn say_fault(name: &Name, error: &Error, report: &Report, advice: &Advice) {
    let place = offset(error).map_or_else(String::new, |offset| format!("{}: ", Place(offset, error.record())));
    say_parts(&[
        (color::PLAIN, &format_args!("{name}: {place}")),
        (color::ERROR, error.kind()),
        (color::HINT, &fault_hint(error, report, advice)),
    ]);
}

fn fault_hint(error: &Error, report: &Report, advice: &Advice) -> Cow<'static, str> {
    if let (ErrorKind::Malformed { .. }, Some(label)) = (error.kind(), &advice.seems) {
        return format!(" (try -f {label}, or --malformed replace to go on)").into();
    }
    match error.kind() {
        // The hint that was said before is the better advice.
        ErrorKind::Malformed { .. } if report.diagnostics.iter().any(|known| known.code.starts_with("looks-like")) => {
            "".into()
        }
        ErrorKind::Malformed { codec, offset, bytes }
            if codec == "UTF-8"
                && matches!(bytes[..], [0xC2..=0xF4, ..])
                && Some(offset + bytes.len() as u64) == advice.len =>
        {
            " (the input ends within a character; use --malformed replace to go on)".into()
        }
        ErrorKind::NewlineInRecord { .. } if report.diagnostics.iter().any(|known| known.code == "looks-packed") => {
            " (not all of the record is text: say with --columns what is)".into()
        }
        ErrorKind::Unmappable { codec, .. } if advice.as_references => match sibling(error) {
            Some(other) => format!(" (no reference can stand there; use -t {other} or -t UTF-8, which have it)").into(),
            None if codec == "UTF-8" => "".into(),
            None => " (no reference can stand there; use a target that has it, as -t UTF-8)".into(),
        },
        ErrorKind::Unmappable { .. } => match sibling(error) {
            Some(other) => {
                format!(" (use --unmappable replace to go on, or a target that has it, as -t {other} or -t UTF-8)")
                    .into()
            }
            None => hint(error),
        },
        _ => hint(error),
    }
}

/// Code pages, and those that have all of them or nearly, and the euro or more besides.
const SIBLINGS: &[(&str, &str)] = &[
    ("US-ASCII", "ISO-8859-1"),
    ("US-ASCII", "windows-1252"),
    ("ISO-8859-1", "windows-1252"),
    ("ISO-8859-7", "windows-1253"),
    ("ISO-8859-9", "windows-1254"),
    ("IBM850", "IBM858"),
    ("IBM037", "IBM1140"),
    ("IBM273", "IBM1141"),
    ("IBM277", "IBM1142"),
    ("IBM278", "IBM1143"),
    ("IBM280", "IBM1144"),
    ("IBM284", "IBM1145"),
    ("IBM285", "IBM1146"),
    ("IBM297", "IBM1147"),
    ("IBM500", "IBM1148"),
    ("IBM871", "IBM1149"),
    ("IBM1047", "IBM924"),
];

/// A sibling of the target that has the character which the target lacks.
fn sibling(error: &Error) -> Option<String> {
    let ErrorKind::Unmappable { codec, ch, .. } = error.kind() else { return None };
    let registry = Registry::builtin();
    let target = registry.codec(codec).ok()?;
    let has = |label: &str| {
        let to = Transcode::new().from("UTF-8").and_then(|run| run.to(label)).ok()?;
        to.kind(Kind::Text).run(ch.to_string().as_bytes(), io::sink()).ok()
    };
    let mut siblings =
        SIBLINGS.iter().filter(|(one, _)| registry.codec(one).is_ok_and(|one| one.name() == target.name()));
    let (_, other) = siblings.find(|(_, other)| has(other).is_some())?;
    Some(registry.codec(other).ok()?.name().to_owned())
}

/// What is wrong with the value of an option, and what to try instead.
pub(crate) fn say_usage_of(option: &str, error: &Error) {
    let hint = match error.kind() {
        ErrorKind::UnknownLabel { label, near, .. } if near.is_empty() => label_hint(label),
        ErrorKind::UnsupportedLabel { .. } => " (convert it with another program first)",
        ErrorKind::NoEncoder { .. } => " (`charpipe list` says which can be written)",
        _ => "",
    };
    say_parts(&[(color::PLAIN, &format_args!("{option}: ")), (color::ERROR, error), (color::HINT, &hint)]);
}

/// What goes with a label that is like none.
fn label_hint(label: &str) -> &'static str {
    match &*label.trim().to_ascii_lowercase() {
        "" => " (name an encoding: see `charpipe list`)",
        "auto" => " (a target has to be named, as UTF-8)",
        "ebcdic" => {
            " (that is a family: name a page of it, as IBM037, IBM273, IBM500 or IBM1047; see `charpipe list ebcdic`)"
        }
        "ansi" => " (Windows has many pages by that name; that of Western Europe is windows-1252)",
        "oem" | "dos" => " (there are many: that of the United States is IBM437, that of Western Europe IBM850)",
        lower if lower.contains(",nl=") => " (behind a page of EBCDIC: ,nl=zos or ,nl=fold)",
        _ => " (see `charpipe list`)",
    }
}

/// What clap has found wrong with the command line, and what to type instead of an unknown option. Arguments are quoted
/// in it, and they may hold anything.
pub(crate) fn say_usage(error: &clap::Error, instead: Option<&str>) {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    if let Some(instead) = instead {
        let tip = format!("  tip: {instead}");
        return say_parts(&[
            (color::ERROR, &lines[0]),
            (color::PLAIN, &"\n\n"),
            (color::HINT, &tip),
            (color::PLAIN, &"\n\nFor more information, try '--help'."),
        ]);
    }
    let rest: Vec<(Style, String)> = lines[1..]
        .iter()
        .map(|line| (if line.starts_with("  tip:") { color::HINT } else { color::PLAIN }, format!("\n{line}")))
        .collect();
    let mut parts: Vec<(Style, &dyn Display)> = vec![(color::ERROR, &lines[0])];
    parts.extend(rest.iter().map(|(style, line)| (*style, line as &dyn Display)));
    say_parts(&parts);
}

/// A file that cannot be opened, and what may have been meant by its name.
pub(crate) fn say_not_opened(name: &Name, hint: Option<&str>, error: &io::Error) {
    let hint = hint.map_or_else(String::new, |hint| format!(" ({})", printable(hint)));
    say_parts(&[
        (color::PLAIN, &format_args!("{name}: ")),
        (color::ERROR, &format_args!("cannot open: {error}")),
        (color::HINT, &hint),
    ]);
}

/// The bytes around an error, where somebody looks on who asked for more than a line.
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

/// Whether [`show_bytes`] has anybody to show them to.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// A place in the input: `byte 92`, or `byte 92: record 2, column 13`.
pub(crate) struct Place(pub(crate) u64, pub(crate) Option<RecordPosition>);

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}", self.0)?;
        match self.1 {
            Some(RecordPosition { number, column }) => write!(f, ": record {number}, column {column}"),
            None => Ok(()),
        }
    }
}

fn hint(error: &Error) -> Cow<'static, str> {
    let hint = match error.kind() {
        ErrorKind::BadHeader { .. } => " (see `charpipe detect --records` for what fits)",
        ErrorKind::NoTapeFile { .. } => " (`charpipe detect --records` lists the data sets)",
        ErrorKind::RecordCut { .. } => " (cut short, or of another shape: see `charpipe detect --records`)",
        ErrorKind::RecordTooLong { .. } => " (use --overlong cut to cut what is too long)",
        ErrorKind::Control { .. } => " (use --controls space to go on)",
        ErrorKind::NewlineInRecord { .. } => " (use --record-newlines space to make it a blank)",
        ErrorKind::Malformed { .. } => " (use --malformed replace to go on)",
        ErrorKind::Unmappable { .. } => " (use --unmappable replace to go on, or a target that has it, as -t UTF-8)",
        ErrorKind::UnknownLabel { near, .. } if near.len() == 1 => {
            return format!(" (if so, use -f {})", near[0]).into();
        }
        ErrorKind::UnknownLabel { .. } => " (name the encoding with -f)",
        ErrorKind::UnsupportedLabel { .. } => {
            " (convert it with another program first, or name another encoding with -f)"
        }
        ErrorKind::Strict { .. } => " (leave out --strict to go on)",
        ErrorKind::PolicyRejects { .. } => " (--policy rfc7303, the usual one, rejects nothing; -f names the encoding)",
        ErrorKind::DeclarationTooLong { .. } => " (is its `?>` missing? name the encoding with -f)",
        ErrorKind::NoEncoder { .. } => " (`charpipe list` says which can be written)",
        _ => "",
    };
    hint.into()
}

/// What to do where the shape of records is not sure.
pub(crate) fn hint_of_shape(why: &NoShape) -> &'static str {
    match why {
        NoShape::DataSets(_) => " (choose one with --file N or --file NAME)",
        NoShape::NoFile(_) => {
            " (`charpipe detect --records` lists the data sets; one after the first MiB needs its shape: --records awstape:sl,SHAPE)"
        }
        NoShape::NoTape => " (leave out --file)",
        _ => " (see `charpipe detect --records`, and name one with --records)",
    }
}

/// A hint at what the first bytes of an input look like that was taken for something else.
pub(crate) fn looks(sample: &[u8]) -> Option<Diagnostic> {
    let (code, what) = match looks_like(sample)? {
        Looks::Ebcdic => ("looks-like-ebcdic", "looks like EBCDIC: try -f IBM1047 or --guess"),
        Looks::Utf16Le => ("looks-like-utf16", "looks like UTF-16: try -f UTF-16LE or --guess"),
        Looks::Utf16Be => ("looks-like-utf16", "looks like UTF-16: try -f UTF-16BE or --guess"),
    };
    Some(Diagnostic::hint(code, 0, what))
}

/// The encoding that a sample seems to be in which was taken for UTF-8: it has bytes outside ASCII, none of which make
/// UTF-8.
pub(crate) fn seems(sample: &[u8]) -> Option<String> {
    let has_utf8 = sample.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    if has_utf8 || sample.is_ascii() {
        return None;
    }
    let registry = Registry::builtin();
    match guess(sample, false, &registry) {
        Guess::Certain(found) => Some(found.first()?.codec.clone()),
        // Too few for statistics, which must not gainsay it all the same.
        guess if guess.candidates().first().is_none_or(|best| best.codec == "windows-1252") && is_western(sample) => {
            // Not in every build.
            registry.codec("windows-1252").ok().map(|codec| codec.name().to_owned())
        }
        _ => None,
    }
}

/// Whether every byte outside ASCII is, in windows-1252, a letter beside letters of ASCII, or a sign that stands in text.
fn is_western(sample: &[u8]) -> bool {
    let is_letter = |byte: u8| matches!(byte, 0xC0..=0xD6 | 0xD8..=0xF6 | 0xF8..=0xFF);
    // The euro, quotation marks, dashes, the ellipsis, and the signs of Latin-1 that are met in text.
    let is_sign = |byte: u8| {
        matches!(byte, 0x80 | 0x85 | 0x91..=0x97 | 0xA0 | 0xA3 | 0xA7 | 0xA9 | 0xAB | 0xAE | 0xB0 | 0xB4 | 0xB7 | 0xBB)
    };
    let is_plain = |at: Option<usize>| at.and_then(|at| sample.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let fits = |(at, byte): (usize, &u8)| match *byte {
        0..=8 | 0x0B | 0x0E..=0x1F | 0x7F => false,
        byte if byte.is_ascii() => true,
        byte if is_letter(byte) => is_plain(at.checked_sub(1)) || is_plain(Some(at + 1)),
        byte => is_sign(byte),
    };
    sample.iter().enumerate().all(fits) && sample.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 3
}

/// What was seen on the way, a line each; not what `error` says already.
pub(crate) fn say_diagnostics(name: &Name, diagnostics: &[Diagnostic], error: Option<&Error>) {
    for Diagnostic { code, severity, message, offset, .. } in diagnostics {
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
pub(crate) struct InWords<'a> {
    pub(crate) verdict: &'a Verdict,
    /// Say everything that is known.
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
