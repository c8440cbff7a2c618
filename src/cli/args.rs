//! The options, their names in values, and what the library is told.

use super::Status;
use super::plan::ManyArgs;
use super::records::RecordArgs;
use super::words::{printable, say};
use crate::detect::{Hints, PRESCAN, Policy};
use crate::error::ErrorKind;
use crate::{Bom, Controls, EbcdicNl, Eol, Error, Kind, OnMalformed, OnUnmappable, Registry, Relabel, Transcode};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

/// Says what a byte stream is encoded in, and streams it out in UTF-8 or any other charset with its own label made
/// true.
#[derive(Parser)]
#[command(
    name = "charpipe",
    version,
    args_override_self = true,
    override_usage = "charpipe [convert] [OPTIONS] [FILE]...\n       charpipe detect [OPTIONS] [FILE]...\n       \
                      charpipe list [PATTERN]\n       charpipe chart [OPTIONS] CODEC [OTHER]",
    after_help = "The word `convert` may be left out: `charpipe < old.xml > new.xml`. \
                  For the options see `charpipe convert --help` and so on.",
    after_long_help = "The word `convert` may be left out, unless the first FILE is named like a command: \
                       `charpipe < old.xml > new.xml`.\n\
                       For the options see `charpipe convert --help` and so on.\n\n\
                       Exit status:\n  \
                       0  done; what a policy let pass is counted on standard error\n  \
                       1  the data could not be converted under the policies given\n  \
                       2  wrong usage, unknown labels on the command line included\n  \
                       3  opening, reading or writing failed"
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    Convert(Convert),
    Detect(Detect),
    List(List),
    Chart(Chart),
}

/// What stands first on a command line that does not leave `convert` out.
const COMMANDS: [&str; 9] = ["convert", "detect", "list", "chart", "help", "-h", "--help", "-V", "--version"];

/// The arguments with the word `convert` where it was left out.
pub(super) fn with_command(argv: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut argv: Vec<OsString> = argv.into_iter().collect();
    if argv.is_empty() {
        argv.push("charpipe".into());
    }
    if !argv.get(1).is_some_and(|first| COMMANDS.iter().any(|command| first == command)) {
        argv.insert(1, "convert".into());
    }
    argv
}

/// Converts to UTF-8, or to another charset
///
/// Several FILEs go to one output, one after the other, each detected and converted by itself, unless `--output-dir` or
/// `--in-place` gives each an output of its own.
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe [convert] [OPTIONS] [FILE]...")]
pub(super) struct Convert {
    #[command(flatten)]
    pub(super) reading: Reading,

    /// Target encoding
    #[arg(short, long, value_name = "LABEL", default_value = "UTF-8")]
    pub(super) to: String,

    /// Write to PATH, which may be the input: it is replaced when all is well, and else left as it was
    #[arg(short, long, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,

    /// What becomes of ill-formed input
    #[arg(long, value_name = "POLICY", default_value = "fail", value_parser = one_of(&[
        ("fail", OnMalformed::Fail),
        ("replace", OnMalformed::Replace),
        ("drop", OnMalformed::Drop),
        ("escape", OnMalformed::Escape),
    ]))]
    pub(super) malformed: OnMalformed,

    /// What becomes of a character that the target lacks; without it `xml` in XML, else `fail`
    #[arg(long, value_name = "POLICY", value_parser = one_of(&[
        ("fail", OnUnmappable::Fail),
        ("replace", OnUnmappable::Replace),
        ("drop", OnUnmappable::Drop),
        ("xml", OnUnmappable::Xml),
        ("escape", OnUnmappable::Escape),
    ]))]
    pub(super) unmappable: Option<OnUnmappable>,

    /// Use one-way mappings to the target
    #[arg(long)]
    pub(super) best_fit: bool,

    /// Drop both, as iconv does: `--malformed drop --unmappable drop`
    #[arg(short = 'c', conflicts_with_all = ["malformed", "unmappable"])]
    pub(super) drop: bool,

    /// Whether the document's own label is made true
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = one_of(&[
        ("auto", Relabel::Auto),
        ("never", Relabel::Never),
    ]))]
    pub(super) relabel: Relabel,

    /// Byte order mark of the output; `auto`: on UTF-16, UTF-32 and ISO-10646-UCS-4
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = one_of(&[
        ("auto", Bom::Auto),
        ("keep", Bom::Keep),
        ("add", Bom::Add),
        ("strip", Bom::Strip),
    ]))]
    pub(super) bom: Bom,

    /// What ends of line become
    #[arg(long, value_name = "EOL", default_value = "auto", value_parser = one_of(&[
        ("auto", Eol::Auto),
        ("keep", Eol::Keep),
        ("lf", Eol::Lf),
        ("crlf", Eol::Crlf),
        ("nel", Eol::Nel),
    ]))]
    pub(super) eol: Eol,

    /// Newlines of EBCDIC, in and out: 15 is U+0085 (`table`) or U+000A (`zos`), or both 15 and 25 are (`fold`)
    #[arg(long, value_name = "NL", default_value = "table", value_parser = one_of(&[
        ("table", EbcdicNl::Table),
        ("zos", EbcdicNl::Zos),
        ("fold", EbcdicNl::Fold),
    ]))]
    pub(super) ebcdic_nl: EbcdicNl,

    /// What becomes of control characters (C0, C1, DEL; not TAB and newlines); `xml`: only what XML does not allow
    #[arg(long, value_name = "POLICY", default_value = "keep", value_parser = one_of(&[
        ("keep", Controls::Keep),
        ("space", Controls::Space),
        ("drop", Controls::Drop),
        ("error", Controls::Error),
        ("xml", Controls::Xml),
    ]))]
    pub(super) controls: Controls,

    /// Convert parts of a file side by side, or many files, in so many threads
    ///
    /// The outcome is the same as of one. Each takes a MiB at a time, cut between characters or records; four more than
    /// N are held in memory at the most, with what they became. What is not a regular file is converted by one, and so
    /// is what cannot be cut: text in shifting charsets without records, carriage control, XML to charsets that lack
    /// characters.
    ///
    /// Of many files that each have an output, N are converted at once; without N as many as there are cores.
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub(super) jobs: Option<NonZeroU16>,

    /// List the encodings, as `charpipe list` does, and do nothing else
    #[arg(short, conflicts_with = "files")]
    pub(super) list: bool,

    /// Write an account of the run to PATH, a line of JSON for each input; `-` is standard error
    #[arg(long, value_name = "PATH")]
    pub(super) report: Option<PathBuf>,

    #[command(flatten)]
    pub(super) many: ManyArgs,

    // Last, as what follows would stand under its heading.
    #[command(flatten)]
    pub(super) records: RecordArgs,
}

/// Says what files are encoded in, and how it knows
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe detect [OPTIONS] [FILE]...")]
pub(super) struct Detect {
    #[command(flatten)]
    pub(super) reading: Reading,

    /// Print a line of JSON for each input
    #[arg(long)]
    pub(super) json: bool,

    /// Show the first bytes with what they were taken for, and what each policy says
    ///
    /// With `--json`, the object has the verdict of each policy under `policies`.
    #[arg(long)]
    pub(super) explain: bool,

    /// Say in which shape records are in the files, instead of their encoding: what `convert --records` takes
    ///
    /// Each shape is followed through the first MiB: the first line has the one that fits, the lines below how far
    /// others do and why no further; with `-v` all others. Exit status: 1 where none fits, or more than one.
    #[arg(long, conflicts_with = "explain")]
    pub(super) records: bool,
}

/// Lists the encodings: name, directions, where the table or the rules come from, and below that the aliases
///
/// Exit status: 0; 1 where nothing matches PATTERN.
#[derive(Args, Default)]
#[command(args_override_self = true, override_usage = "charpipe list [OPTIONS] [PATTERN]")]
pub(super) struct List {
    /// Print a line of JSON for each encoding
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) tables: Tables,

    /// What a name or an alias has in it, in any case; with `*` or `?` in it, all of what a name or an alias is
    ///
    /// Whatever the label PATTERN itself would mean to `--from` is listed too: `037` lists IBM037.
    #[arg(value_name = "PATTERN")]
    pub(super) pattern: Option<String>,
}

/// Prints the chart of a code page, or where two code pages differ
///
/// As IBM prints them: the columns are the high half of a byte, the rows its low half.
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe chart [OPTIONS] CODEC [OTHER]")]
pub(super) struct Chart {
    /// The code page
    #[arg(value_name = "CODEC")]
    pub(super) codec: String,

    /// Another, to be compared with it
    #[arg(value_name = "OTHER")]
    pub(super) other: Option<String>,

    /// Only what begins with the lead byte HEX, or with several: `42`
    #[arg(long, value_name = "HEX", value_parser = hex_bytes)]
    pub(super) lead: Option<HexBytes>,

    /// Print a line of JSON
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) tables: Tables,
}

fn jobs(text: &str) -> Result<NonZeroU16, &'static str> {
    text.parse().map_err(|_| "a number from 1 to 65535 is wanted")
}

/// The value of `--lead`. A name of its own, as clap makes of a `Vec` an option that may be given more than once.
type HexBytes = std::sync::Arc<[u8]>;

fn hex_bytes(text: &str) -> Result<HexBytes, &'static str> {
    let digits = text.len().is_multiple_of(2) && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !digits || !(2..=6).contains(&text.len()) {
        return Err("one to three bytes of two hex digits each are wanted");
    }
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| "no hex digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

/// What the first two commands take: what is read, what is known of it, and how much is said.
#[derive(Args)]
pub(super) struct Reading {
    /// Encoding of the input, whatever it says itself; `auto` detects
    #[arg(short, long, value_name = "LABEL", default_value = "auto")]
    pub(super) from: String,

    /// Kind of document; `auto`: XML where it begins with `<?xml`, else text
    #[arg(long = "as", value_name = "KIND", default_value = "auto", value_parser = one_of(&[
        ("auto", AsKind(None)),
        ("xml", AsKind(Some(Kind::Xml))),
        ("html", AsKind(Some(Kind::Html))),
        ("text", AsKind(Some(Kind::Text))),
    ]))]
    pub(super) kind: AsKind,

    /// Who is believed about the encoding
    #[arg(long, value_name = "NAME", default_value = "rfc7303", value_parser = one_of(&[
        ("rfc7303", Policy::Rfc7303),
        ("rfc3023", Policy::Rfc3023),
        ("rome-strict", Policy::RomeStrict),
        ("rome-lenient", Policy::RomeLenient),
        ("feedparser", Policy::Feedparser),
        ("whatwg", Policy::Whatwg),
    ]))]
    pub(super) policy: Policy,

    /// What the transport said: media type and parameters, as in `text/xml; charset=utf-8`
    #[arg(long, value_name = "VALUE")]
    pub(super) content_type: Option<String>,

    /// Search so many bytes of an HTML document for a `meta`
    #[arg(long, value_name = "BYTES", default_value_t = PRESCAN)]
    pub(super) prescan: usize,

    /// Let statistics speak when nothing else does
    #[arg(long)]
    pub(super) guess: bool,

    /// Make every warning an error
    #[arg(long)]
    pub(super) strict: bool,

    /// Encoding to take when nothing tells, instead of UTF-8
    #[arg(long, value_name = "LABEL")]
    pub(super) fallback: Option<String>,

    /// Page to take for EBCDIC that names none, instead of IBM037
    #[arg(long, value_name = "LABEL")]
    pub(super) ebcdic_fallback: Option<String>,

    #[command(flatten)]
    pub(super) tables: Tables,

    /// Say nothing but errors
    #[arg(short, long, visible_short_alias = 's', overrides_with = "verbose")]
    pub(super) quiet: bool,

    /// Say more
    #[arg(short, long, overrides_with = "quiet")]
    pub(super) verbose: bool,

    /// Files to read; none, or `-`, is standard input
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
}

/// The tables that the caller brings.
#[derive(Args, Default)]
pub(super) struct Tables {
    /// Add the table in PATH to the encodings: an ICU .ucm, a charmap, a Unicode .TXT or a chart; may repeat
    ///
    /// It answers to the name and the aliases that it has in it, else to the name of the file. A file of 256 bytes
    /// says what each byte becomes in ISO-8859-1, or in the code page LABEL: `--codec-file PATH,to=LABEL`.
    #[arg(long = "codec-file", value_name = "PATH")]
    codec_files: Vec<PathBuf>,
}

impl Tables {
    /// The encodings that there are with them.
    pub(super) fn registry(&self) -> Result<Registry, Status> {
        let mut registry = Registry::builtin();
        for path in &self.codec_files {
            let with_target = path.to_str().and_then(|path| path.rsplit_once(",to="));
            let loaded = match with_target {
                Some((path, to)) => registry.load_to(path, to),
                None => registry.load(path),
            };
            if let Err(error) = loaded {
                let place = match error.kind() {
                    // It names the file by itself.
                    ErrorKind::TableFile { .. } => String::new(),
                    _ => format!("{}: ", path.display()),
                };
                say(format_args!("--codec-file: {}", printable(&format!("{place}{error}"))));
                return Err(match error.kind() {
                    ErrorKind::TableFile { .. } => Status::Io,
                    _ => Status::Usage,
                });
            }
        }
        Ok(registry)
    }
}

/// The value of `--as`.
#[derive(Clone, Copy)]
pub(super) struct AsKind(pub(super) Option<Kind>);

/// A parser for names that stand for values.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    table: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(table.iter().map(|(name, _)| *name))
        .try_map(|given| table.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or("no such value"))
}

impl Reading {
    /// What is read, in order; `-` alone where no FILE is given.
    pub(super) fn files(&self) -> Vec<OsString> {
        if self.files.is_empty() { vec!["-".into()] } else { self.files.clone() }
    }

    fn from(&self) -> Option<&str> {
        Some(&*self.from).filter(|label| !label.eq_ignore_ascii_case("auto"))
    }

    /// What detection is told.
    pub(super) fn hints(&self, registry: &Registry) -> Result<Hints, Status> {
        let look_up = |option, label: Option<&str>| {
            label.map(|label| registry.codec(label)).transpose().map_err(|error| usage(option, &error))
        };
        Ok(Hints {
            from: look_up("--from", self.from())?,
            kind: self.kind.0,
            fallback: look_up("--fallback", self.fallback.as_deref())?,
            ebcdic_fallback: look_up("--ebcdic-fallback", self.ebcdic_fallback.as_deref())?,
            policy: self.policy,
            content_type: self.content_type.clone(),
            prescan: Some(self.prescan),
            guess: self.guess,
            strict: self.strict,
            ..Hints::default()
        })
    }
}

impl Convert {
    /// What becomes of ill-formed input.
    pub(super) fn on_malformed(&self) -> OnMalformed {
        if self.drop { OnMalformed::Drop } else { self.malformed }
    }

    /// Whether the report goes to standard error.
    pub(super) fn report_is_said(&self) -> bool {
        self.report.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// What becomes of unmappable characters, where the options say.
    fn on_unmappable(&self) -> Option<OnUnmappable> {
        if self.drop { Some(OnUnmappable::Drop) } else { self.unmappable }
    }

    /// The run that the options ask for. It can be made: what is wrong with the options has been said here.
    pub(super) fn transcode(&self) -> Result<Transcode, Status> {
        let reading = &self.reading;
        let mut transcode = Transcode::new()
            .registry(reading.tables.registry()?)
            .policy(reading.policy)
            .prescan(reading.prescan)
            .guess(reading.guess)
            .strict(reading.strict)
            .malformed(self.on_malformed())
            .best_fit(self.best_fit)
            .relabel(self.relabel)
            .bom(self.bom)
            .eol(self.eol)
            .ebcdic_nl(self.ebcdic_nl)
            .controls(self.controls);
        transcode = self.records.add(transcode);
        if let Some(policy) = self.on_unmappable() {
            transcode = transcode.unmappable(policy);
        }
        if let Some(value) = &reading.content_type {
            transcode = transcode.content_type(value);
        }
        if let Some(label) = reading.from() {
            transcode = transcode.from(label).map_err(|error| usage("--from", &error))?;
        }
        if let Some(kind) = reading.kind.0 {
            transcode = transcode.kind(kind);
        }
        if let Some(label) = &reading.fallback {
            transcode = transcode.fallback(label).map_err(|error| usage("--fallback", &error))?;
        }
        if let Some(label) = &reading.ebcdic_fallback {
            transcode = transcode.ebcdic_fallback(label).map_err(|error| usage("--ebcdic-fallback", &error))?;
        }
        transcode = transcode.to(&self.to).map_err(|error| usage("--to", &error))?;
        transcode.check().map_err(|error| {
            let option = if matches!(error.kind(), ErrorKind::NoBom { .. }) { "--bom" } else { "options" };
            usage(option, &error)
        })?;
        Ok(transcode)
    }
}

/// Says what is wrong with the value of an option.
fn usage(option: &str, error: &Error) -> Status {
    say(format_args!("{option}: {error}"));
    Status::Usage
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn convert_is_put_in_where_it_was_left_out() {
        let whole = |line: &str| {
            let argv = with_command(line.split(' ').map(OsString::from));
            argv.into_iter().map(|arg| arg.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        for (given, meant) in [
            ("charpipe", "charpipe convert"),
            ("charpipe a detect", "charpipe convert a detect"),
            ("charpipe -- detect", "charpipe convert -- detect"),
            ("charpipe -f auto", "charpipe convert -f auto"),
            ("charpipe detect a", "charpipe detect a"),
            ("charpipe list a", "charpipe list a"),
            ("charpipe -l", "charpipe convert -l"),
            ("charpipe chart a", "charpipe chart a"),
            ("charpipe -V", "charpipe -V"),
        ] {
            assert_eq!(whole(given), meant);
        }
        assert_eq!(with_command([]), ["charpipe", "convert"]);
    }
}
