//! The options of `charpipe convert`, and the [`Transcode`] that they configure.

use crate::args::choice::{WordOr, choice, word_or};
use crate::args::compat::{self, Side, Suffixes};
use crate::args::headings::{DOCUMENT, ENCODING, ERRORS, FILES, MESSAGES, NEWLINES};
use crate::args::manual;
use crate::args::many::ManyArgs;
use crate::args::messages::MessageArgs;
use crate::args::named::NamedOptions;
use crate::args::plain::Plain;
use crate::args::reading::Reading;
use crate::args::records::RecordArgs;
use crate::args::usage;
use crate::messages::Progress;
use crate::status::Status;
#[cfg(feature = "normalize")]
use charpipe::Normalization;
#[cfg(feature = "mojibake")]
use charpipe::OnMojibake;
use charpipe::{Bom, EbcdicNl, Eol, ErrorKind, OnControl, OnMalformed, OnUnknown, OnUnmappable, Relabel, Transcode};
use clap::Args;
use clap::builder::ValueHint;
use std::num::NonZeroU16;
use std::path::PathBuf;

/// Convert to UTF-8, or to another charset
///
/// Several FILEs are detected and converted separately and written to one output, in order, unless --output-dir or
/// --in-place gives each its own output.
#[derive(Args, Default, Debug)]
#[allow(dead_code, reason = "clap checks the values, and `named` has them")]
#[command(
    args_override_self = true,
    override_usage = "charpipe [convert] [OPTIONS] [FILE]...",
    after_long_help = manual::after_help()
)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) named: NamedOptions,

    // Help has the headings in the order in which they first occur here.
    /// Encoding of the output
    ///
    /// LABEL is any name or alias that `charpipe list` shows. iconv's suffixes work: `ASCII//TRANSLIT` writes
    /// approximations (`--unmappable translit`), `ASCII//IGNORE` drops invalid input and unmappable characters (`-c`),
    /// `ASCII//TRANSLIT//IGNORE` drops only characters without an approximation, and `ASCII//NON_IDENTICAL_DISCARD`
    /// drops unmappable characters. `--malformed` and `--unmappable` take precedence over suffixes.
    #[arg(short, long, value_name = "LABEL", default_value = "UTF-8", display_order = 0, alias = "to-code",
          help_heading = ENCODING)]
    to: String,

    /// List the encodings, as `charpipe list` does, and exit
    #[arg(short, long, conflicts_with = "files", help_heading = ENCODING)]
    pub(crate) list: bool,

    /// Write to PATH, which may be the input itself
    ///
    /// A regular file is replaced only once the output is complete; after an error it is unchanged. A FIFO or a device is
    /// written to directly.
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) many: ManyArgs,

    /// Convert N files, or N parts of one file, at the same time
    ///
    /// The output is the same as with `--jobs 1`. If each file has its own output, N files are converted at the same time,
    /// by default as many as there are cores.
    ///
    /// Otherwise each file is converted by N threads, by default one. Each thread takes a block of 256 KiB, cut between
    /// characters, lines or records. At most N + 4 blocks and their output are in memory. Only one thread is used for
    /// input that is not a regular file, for input that one thread already converts at the speed of memory, and for
    /// input that cannot be cut: text without lines or records in charsets with shift codes, carriage control, and XML
    /// to charsets that lack characters.
    #[arg(long, value_name = "N", value_parser = jobs, help_heading = FILES)]
    pub(crate) jobs: Option<NonZeroU16>,

    /// Input that is not recognised as text
    ///
    /// This means input without a label that begins like a known binary format such as gzip, or whose first 64 KiB are
    /// not UTF-8. Use `pass` before another program: `rg --pre`, `less`, `git diff`. With `--guess` or `--fallback`,
    /// charpipe also recognises text in legacy encodings.
    #[arg(long, value_name = "POLICY", default_value = "fail", help_heading = ERRORS,
          value_parser = choice(unknown_help))]
    pub(crate) unknown: OnUnknown,

    /// Invalid input
    ///
    /// The default is `fail`. LABEL is a single-byte charset that contains ASCII, such as windows-1252: each invalid
    /// byte is read as a byte of that charset. charpipe counts the invalid sequences that it replaced, dropped, escaped
    /// or read as LABEL on standard error, and lists them with `-v`.
    #[arg(long, value_name = "POLICY", help_heading = ERRORS, value_parser = word_or(malformed_help))]
    malformed: Option<WordOr<OnMalformed>>,

    /// Unmappable characters
    ///
    /// These are the characters that the target lacks. The default is `xml` for XML, otherwise `fail`. charpipe counts
    /// the characters that it replaced, dropped or escaped on standard error, and lists them with `-v`.
    #[arg(long, value_name = "POLICY", help_heading = ERRORS, value_parser = choice(unmappable_help))]
    unmappable: Option<OnUnmappable>,

    /// Drop invalid input and unmappable characters, as iconv does
    ///
    /// Short for `--malformed drop --unmappable drop`.
    #[arg(short = 'c', conflicts_with_all = ["malformed", "unmappable"], help_heading = ERRORS)]
    drop: bool,

    /// Write similar characters, using the target's one-way mappings
    ///
    /// This applies to characters that the target lacks and its table maps to another one. `--unmappable` applies to
    /// the rest.
    #[arg(hide_short_help = true, long, help_heading = ERRORS)]
    best_fit: bool,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Correct the document's encoding declaration
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = DOCUMENT,
          value_parser = choice(relabel_help))]
    relabel: Relabel,

    /// Byte order mark of the output
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = DOCUMENT, value_parser = choice(bom_help))]
    bom: Bom,

    /// Line endings of the output
    #[arg(long, value_name = "EOL", default_value = "auto", help_heading = NEWLINES, value_parser = choice(eol_help))]
    eol: Eol,

    /// EBCDIC newlines, in input and output
    #[arg(long, value_name = "NL", default_value = "table", help_heading = NEWLINES,
          value_parser = choice(ebcdic_nl_help))]
    ebcdic_nl: EbcdicNl,

    /// Control characters
    ///
    /// These are C0, C1 and DEL, except TAB and the newlines.
    #[arg(long, value_name = "POLICY", default_value = "keep", help_heading = NEWLINES,
          value_parser = choice(controls_help))]
    pub(crate) controls: OnControl,

    /// Text that was once decoded with the wrong charset: `Ã©` for `é`
    ///
    /// `repair` corrects text that is almost certainly damaged, even if it was damaged several times. The report lists
    /// the repairs.
    #[cfg(feature = "mojibake")]
    #[arg(hide_short_help = true, long, value_name = "POLICY", default_value = "keep", help_heading = NEWLINES,
          value_parser = choice(mojibake_help))]
    mojibake: OnMojibake,

    /// Unicode normalization form of the text
    ///
    /// Without this option, the text is not normalised. More than 1,024 characters in a row that combine with each
    /// other are an error.
    #[cfg(feature = "normalize")]
    #[arg(hide_short_help = true, long, value_name = "FORM", help_heading = NEWLINES, value_parser = choice(normalization_help))]
    normalize: Option<Normalization>,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,

    /// Progress bar on standard error
    ///
    /// `auto` shows it on a terminal if the run takes longer than a second.
    #[arg(hide_short_help = true, long, value_name = "WHEN", default_value = "auto", help_heading = MESSAGES)]
    pub(crate) progress: Progress,

    /// Write a line of JSON for each input to PATH; `-` is standard error
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = MESSAGES)]
    pub(crate) report: Option<PathBuf>,

    /// Print a man page, the reference, or completions for a shell, and exit
    ///
    /// `charpipe --generate man > charpipe.1`, `charpipe --generate complete-bash > charpipe.bash`
    #[cfg(feature = "generate")]
    #[arg(long, value_name = "WHAT", hide_short_help = true, exclusive = true, help_heading = MESSAGES)]
    pub(crate) generate: Option<crate::args::generate::What>,

    #[command(flatten)]
    pub(crate) records: RecordArgs,
}

fn unknown_help(policy: OnUnknown) -> &'static str {
    match policy {
        OnUnknown::Fail => "Stop with an error that says where it is not UTF-8",
        _ => "Copy it byte for byte; the exit status is 0",
    }
}

fn malformed_help(policy: OnMalformed) -> &'static str {
    match policy {
        OnMalformed::Fail => "Stop with an error that says where it is",
        OnMalformed::Replace => {
            "Write U+FFFD for each invalid sequence, or the target's substitute if the target lacks U+FFFD"
        }
        OnMalformed::Drop => "Drop it",
        _ => "Write each byte as \\xNN",
    }
}

fn unmappable_help(policy: OnUnmappable) -> &'static str {
    match policy {
        OnUnmappable::Fail => "Stop with an error that says where it is",
        OnUnmappable::Replace => "Write the target's substitute",
        OnUnmappable::Drop => "Drop it",
        OnUnmappable::Xml => "Write a character reference such as &#x20AC; if XML allows one there; otherwise stop",
        OnUnmappable::Escape => "Write its code point as \\u{20AC}",
        _ => "Write an approximation that the target has, such as `e` for `é` or `EUR` for `€`",
    }
}

fn relabel_help(policy: Relabel) -> &'static str {
    match policy {
        Relabel::Auto => {
            "Write the target's name into an existing XML declaration or HTML `meta`; add a declaration if XML needs one"
        }
        _ => "Leave the text unchanged",
    }
}

fn bom_help(policy: Bom) -> &'static str {
    match policy {
        Bom::Auto => "One for UTF-16, UTF-32 and ISO-10646-UCS-4; none for UTF-8 or a named byte order",
        Bom::Keep => "One if the input has one",
        Bom::Add => "Always one",
        _ => "Never one",
    }
}

fn eol_help(policy: Eol) -> &'static str {
    match policy {
        Eol::Auto => "Those of EBCDIC XML become LF; all others stay unchanged",
        Eol::Keep => "All stay unchanged",
        Eol::Lf => "CRLF, CR NEL, NEL, CR and LF become LF",
        Eol::Crlf => "All of these become CRLF",
        _ => "All of these become NEL (U+0085)",
    }
}

pub(super) fn ebcdic_nl_help(policy: EbcdicNl) -> &'static str {
    match policy {
        EbcdicNl::Table => "15 is U+0085 and 25 is U+000A, as in IBM's tables",
        EbcdicNl::Zos => "15 is U+000A and 25 is U+0085, as in z/OS UNIX",
        _ => "Both are read as U+000A, which is written as 15",
    }
}

pub(super) fn controls_help(policy: OnControl) -> &'static str {
    match policy {
        OnControl::Keep => "Keep them",
        OnControl::Space => "Replace each with a space",
        OnControl::Drop => "Drop them",
        OnControl::Error => "Stop with an error that says where the first one is",
        _ => "Replace with a space only those that XML does not allow",
    }
}

#[cfg(feature = "mojibake")]
fn mojibake_help(policy: OnMojibake) -> &'static str {
    match policy {
        OnMojibake::Keep => "Keep it",
        _ => "Repair it: `Ã©` becomes `é`",
    }
}

#[cfg(feature = "normalize")]
fn normalization_help(form: Normalization) -> &'static str {
    match form {
        Normalization::Nfc => "Composed: `é` is one character; the usual form",
        Normalization::Nfd => "Decomposed: `é` is `e` and an accent",
        Normalization::Nfkc => "Composed, without compatibility characters: the ligature `ﬁ` is `fi`",
        _ => "Decomposed, without compatibility characters",
    }
}

pub(super) fn jobs(text: &str) -> Result<NonZeroU16, &'static str> {
    text.parse().map_err(|_| "expected a number from 1 to 65535")
}

impl Convert {
    /// The options of the plain form.
    pub(super) const PLAIN: [&str; 9] =
        ["--from", "--to", "--output", "--output-dir", "--in-place", "--jobs", "-c", "--recursive", "--quiet"];

    /// Returns the defaults, with these values; `None` if clap has to say what is wrong with them.
    pub(super) fn plain(plain: Plain) -> Option<Self> {
        let outputs = [plain.output.is_some(), plain.output_dir.is_some(), plain.in_place.is_some()];
        if outputs.iter().filter(|is_given| **is_given).count() > 1 {
            return None;
        }
        let jobs = plain.jobs.as_deref().map(jobs).transpose().ok()?;
        Some(Convert {
            named: plain.named(),
            to: plain.to.unwrap_or_else(|| "UTF-8".to_owned()),
            output: plain.output,
            many: ManyArgs {
                output_dir: plain.output_dir,
                in_place: plain.in_place,
                recursive: plain.recursive,
                ..ManyArgs::default()
            },
            jobs,
            drop: plain.drop,
            reading: Reading::plain(plain.from, plain.files),
            messages: MessageArgs { quiet: plain.quiet, ..MessageArgs::default() },
            ..Convert::default()
        })
    }

    /// Returns the suffixes of `--from` and `--to`; none if they are wrong, which [`Self::transcode`] reports.
    fn suffixes(&self) -> (Suffixes, Suffixes) {
        let of = |label, side| compat::split(label, side).map_or(Suffixes::default(), |(_, suffixes)| suffixes);
        (of(&self.reading.from, Side::From), of(&self.to, Side::To))
    }

    /// Whether to say that text was decoded with the wrong charset before: if it is not repaired.
    pub(crate) fn hints_at_damage(&self) -> bool {
        #[cfg(feature = "mojibake")]
        return self.mojibake == OnMojibake::Keep;
        #[cfg(not(feature = "mojibake"))]
        return false;
    }

    /// Returns the policy for invalid input: that of the options, or else that of the suffixes.
    pub(crate) fn on_malformed(&self) -> OnMalformed {
        let (from, to) = self.suffixes();
        let by_suffix = if from.ignore || to.ignore { OnMalformed::Drop } else { OnMalformed::Fail };
        match &self.malformed {
            _ if self.drop => OnMalformed::Drop,
            Some(WordOr::Word(policy)) => *policy,
            // The label decides.
            Some(WordOr::Other(_)) => OnMalformed::Fail,
            None => by_suffix,
        }
    }

    /// Whether one-way mappings of the target are used.
    pub(crate) fn uses_best_fit(&self) -> bool {
        self.best_fit
    }

    /// Whether approximations are tried before that policy: `//TRANSLIT`.
    pub(crate) fn approximates(&self) -> bool {
        self.suffixes().1.translit
    }

    /// Returns the policy for unmappable characters: that of the options, or else that of the suffixes. `None` leaves it
    /// to the library, where it depends on the document.
    pub(crate) fn on_unmappable(&self) -> Option<OnUnmappable> {
        let (_, to) = self.suffixes();
        let by_suffix = if to.ignore || to.discard {
            Some(OnUnmappable::Drop)
        } else {
            to.translit.then_some(OnUnmappable::Translit)
        };
        if self.drop { Some(OnUnmappable::Drop) } else { self.unmappable.or(by_suffix) }
    }

    /// Whether the report goes to standard error.
    pub(crate) fn report_is_said(&self) -> bool {
        self.report.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Maps the options to a job of the library. An error has been printed; a job that is returned is
    /// [valid](Transcode::validate).
    #[inline(never)]
    pub(crate) fn transcode(&self) -> Result<Transcode, Status> {
        let mut transcode = self.named.job(self.reading.tables.registry()?)?.approximate(self.approximates());
        if self.malformed.is_none() {
            transcode = transcode.on_malformed(self.on_malformed());
        }
        if let Some(policy) = self.on_unmappable() {
            transcode = transcode.on_unmappable(policy);
        }
        transcode.validate().map_err(|error| {
            let option = match error.kind() {
                ErrorKind::NoBom { .. } => "--bom",
                ErrorKind::CannotFrame { .. } => "--to-records",
                ErrorKind::Options { .. } => self.records.not_combined(),
                // The target is checked above.
                ErrorKind::UnknownLabel { .. } | ErrorKind::UnsupportedLabel { .. } => "--columns",
                _ => "options",
            };
            usage::wrong_value(option, &error)
        })?;
        Ok(transcode)
    }
}
