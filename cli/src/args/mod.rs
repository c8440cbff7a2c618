//! The options, their names in values, and what the library is told.

pub(crate) mod color;
pub(crate) mod compat;
#[cfg(feature = "generate")]
pub(crate) mod generate;
pub(crate) mod many;
pub(crate) mod records;

use crate::args::color::ColorArgs;
use crate::args::compat::{Side, Suffixes};
use crate::args::many::ManyArgs;
use crate::args::records::{RecordArgs, tape_file};
use crate::messages::{self, printable, say};
use crate::status::Status;
use charpipe::ErrorKind;
use charpipe::detect::{Hints, PRESCAN, PRESCAN_LIMIT, Policy};
use charpipe::records::TapeFile;
use charpipe::{Bom, EbcdicNl, Eol, Error, Kind, OnControl, OnMalformed, OnUnmappable, Registry, Relabel, Transcode};
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueHint};
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroU16;
use std::path::PathBuf;

/// Headings of the help.
pub(crate) const ENCODING: &str = "Encoding";
const FAULTS: &str = "Faults";
const DOCUMENT: &str = "Document";
const CONTROLS: &str = "Newlines and controls";
pub(crate) const RECORDS: &str = "Records";
pub(crate) const FILES: &str = "Files";
pub(crate) const WORDS: &str = "Words";

/// What stands above all help.
const USAGE: &str = "charpipe [convert] [OPTIONS] [FILE]...\n       charpipe detect [OPTIONS] [FILE]...\n       \
                     charpipe list [OPTIONS] [PATTERN]\n       charpipe chart [OPTIONS] CODEC [OTHER]";

/// What stands below the help of the whole.
const EXAMPLES: &str = "\
Examples:
  charpipe < mainframe.xml > clean.xml           detect; write UTF-8; correct the declaration
  charpipe -f IBM1047 FILE                       name the encoding yourself
  charpipe detect FILE                           what is it, and how do you know
  charpipe -t windows-1252 --unmappable replace -o new.txt old.txt
  charpipe --in-place FILE...                    replace each, once it is whole
  charpipe -r --output-dir NEW OLD               all files of a directory
  charpipe -f IBM037 --records fb:80 DUMP        records of 80 bytes become lines
  charpipe -t IBM1047 --to-records fb:80 FILE    and lines records
  charpipe -t ASCII//TRANSLIT FILE               as iconv has it
  charpipe list 1047                             what is that page called
  charpipe chart IBM037 IBM1047                  where do two pages differ

Exit status:
  0  done; what a policy let pass is counted on standard error
  1  the data could not be converted under the policies given
  2  wrong usage, unknown labels on the command line included
  3  opening, reading or writing failed";

/// Says what a byte stream is encoded in, and streams it out in UTF-8 or any other charset with its own label made
/// true.
#[derive(Parser)]
#[command(name = "charpipe", version, args_override_self = true, override_usage = USAGE)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command as its users see it: the word `convert` may be left out, so that its options are options of the whole.
pub(crate) fn shown() -> clap::Command {
    Convert::augment_args(Cli::command())
        .about("Says what a byte stream is encoded in, and writes it in UTF-8 or any other charset")
        .long_about(
            "Says what a byte stream is encoded in, and streams it out in UTF-8 or any other charset with its own label \
             made true.\n\n\
             These are the options of `convert`, a word that may be left out unless the first FILE is named like a \
             command. For those of the others see `charpipe detect --help` and so on. Several FILEs go to one output, \
             one after the other, each detected and converted by itself, unless --output-dir or --in-place gives each an \
             output of its own.",
        )
        .override_usage(USAGE)
        .subcommand_required(false)
        .subcommand_help_heading("Commands")
        .after_help("More, with examples: charpipe --help; the options of a command: charpipe detect -h")
        .after_long_help(EXAMPLES)
}

/// The commands, none of which may be left out.
#[cfg(feature = "generate")]
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// The options of this run. What asks for the help of the whole gets that of [`shown`].
pub(crate) fn parse(argv: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let argv = with_command(argv);
    let is_help = argv.get(1).is_some_and(|first| ["-h", "--help", "help"].iter().any(|help| first == help));
    if is_help && let Err(help) = shown().try_get_matches_from(&argv) {
        return Err(help);
    }
    Cli::try_parse_from(argv)
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Convert(Convert),
    Detect(Detect),
    List(List),
    Chart(Chart),
}

impl Command {
    /// What is read, where anything is.
    pub(crate) fn reading(&self) -> Option<&Reading> {
        match self {
            #[cfg(feature = "generate")]
            Command::Convert(Convert { generate: Some(_), .. }) => None,
            Command::Convert(convert) if !convert.list => Some(&convert.reading),
            Command::Detect(detect) => Some(&detect.reading),
            _ => None,
        }
    }

    pub(crate) fn color(&self) -> ColorArgs {
        match self {
            Command::Convert(convert) => convert.reading.color,
            Command::Detect(detect) => detect.reading.color,
            Command::List(list) => list.color,
            Command::Chart(chart) => chart.color,
        }
    }
}

/// What stands first on a command line that does not leave `convert` out.
const COMMANDS: [&str; 9] = ["convert", "detect", "list", "chart", "help", "-h", "--help", "-V", "--version"];

/// The arguments with the word `convert` where it was left out.
pub(crate) fn with_command(argv: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
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
#[command(
    args_override_self = true,
    override_usage = "charpipe [convert] [OPTIONS] [FILE]...",
    after_long_help = EXAMPLES
)]
pub(crate) struct Convert {
    /// Encoding of the output [default: UTF-8]
    ///
    /// Any name or alias that `charpipe list` knows. The suffixes of iconv are heard: `ASCII//TRANSLIT` uses one-way
    /// mappings and then the target's substitute (`--best-fit --unmappable replace`), `ASCII//IGNORE` drops what is
    /// malformed or unmappable (`-c`), `ASCII//TRANSLIT//IGNORE` drops what has no one-way mapping, and
    /// `ASCII//NON_IDENTICAL_DISCARD` drops what is unmappable. `--malformed` and `--unmappable` win over them.
    #[arg(short, long, value_name = "LABEL", default_value = "UTF-8", hide_default_value = true, display_order = 0,
          alias = "to-code", help_heading = ENCODING)]
    to: String,

    /// Ill-formed input: fail, replace, drop or escape [default: fail]
    ///
    ///   fail     stop, and say where
    ///   replace  U+FFFD for each maximal sequence, or the target's substitute where it has none
    ///   drop     leave it out
    ///   escape   \xNN for each byte
    ///
    /// What is let pass is counted on standard error, and with `-v` shown.
    #[arg(long, value_name = "POLICY", hide_possible_values = true, verbatim_doc_comment, help_heading = FAULTS,
          value_parser = one_of(&[
        ("fail", OnMalformed::Fail),
        ("replace", OnMalformed::Replace),
        ("drop", OnMalformed::Drop),
        ("escape", OnMalformed::Escape),
    ]))]
    malformed: Option<OnMalformed>,

    /// What the target lacks: fail, replace, drop, xml or escape
    ///
    ///   fail     stop, and say where
    ///   replace  the target's substitute
    ///   drop     leave it out
    ///   xml      a character reference, as &#x20AC;
    ///   escape   \u{20AC}
    ///
    /// Without it `xml` in XML, else `fail`.
    #[arg(long, value_name = "POLICY", hide_possible_values = true, verbatim_doc_comment, help_heading = FAULTS,
          value_parser = one_of(&[
        ("fail", OnUnmappable::Fail),
        ("replace", OnUnmappable::Replace),
        ("drop", OnUnmappable::Drop),
        ("xml", OnUnmappable::Xml),
        ("escape", OnUnmappable::Escape),
    ]))]
    unmappable: Option<OnUnmappable>,

    /// Use one-way mappings to the target, where its table has any
    #[arg(long, help_heading = FAULTS)]
    pub(crate) best_fit: bool,

    /// Drop both, as iconv does: --malformed drop --unmappable drop
    #[arg(short = 'c', conflicts_with_all = ["malformed", "unmappable"], help_heading = FAULTS)]
    pub(crate) drop: bool,

    /// Make the document's own label true: auto or never [default: auto]
    ///
    ///   auto   the name in an XML declaration, or in a `meta` of HTML, becomes that of the target; a declaration is put
    ///          in where XML needs one
    ///   never  the text stays as it is
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true,
          verbatim_doc_comment, help_heading = DOCUMENT, value_parser = one_of(&[
        ("auto", Relabel::Auto),
        ("never", Relabel::Never),
    ]))]
    pub(crate) relabel: Relabel,

    /// Byte order mark of the output: auto, keep, add or strip [default: auto]
    ///
    ///   auto   one on UTF-16, UTF-32 and ISO-10646-UCS-4, none on UTF-8 and where the byte order is named
    ///   keep   one where the input has one
    ///   add    one
    ///   strip  none
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true,
          verbatim_doc_comment, help_heading = DOCUMENT, value_parser = one_of(&[
        ("auto", Bom::Auto),
        ("keep", Bom::Keep),
        ("add", Bom::Add),
        ("strip", Bom::Strip),
    ]))]
    pub(crate) bom: Bom,

    /// Ends of line: auto, keep, lf, crlf or nel [default: auto]
    ///
    ///   auto  those of EBCDIC become LF in XML; all else stays
    ///   keep  all stay
    ///   lf    CRLF, CR NEL, NEL, CR and LF become LF; crlf and nel alike
    #[arg(long, value_name = "EOL", default_value = "auto", hide_default_value = true, hide_possible_values = true,
          verbatim_doc_comment, help_heading = CONTROLS, value_parser = one_of(&[
        ("auto", Eol::Auto),
        ("keep", Eol::Keep),
        ("lf", Eol::Lf),
        ("crlf", Eol::Crlf),
        ("nel", Eol::Nel),
    ]))]
    pub(crate) eol: Eol,

    /// Newlines of EBCDIC, in and out: table, zos or fold [default: table]
    ///
    ///   table  15 is U+0085 and 25 is U+000A, as IBM's tables have it
    ///   zos    15 is U+000A and 25 is U+0085, as z/OS UNIX has it
    ///   fold   both are U+000A, which is written as 15
    #[arg(long, value_name = "NL", default_value = "table", hide_default_value = true, hide_possible_values = true,
          verbatim_doc_comment, help_heading = CONTROLS, value_parser = one_of(&[
        ("table", EbcdicNl::Table),
        ("zos", EbcdicNl::Zos),
        ("fold", EbcdicNl::Fold),
    ]))]
    pub(crate) ebcdic_nl: EbcdicNl,

    /// Control characters: keep, space, drop, error or xml [default: keep]
    ///
    /// C0, C1 and DEL are meant, not TAB and newlines.
    ///
    ///   keep   they stay
    ///   space  blanks
    ///   drop   leave them out
    ///   error  stop, and say where
    ///   xml    blanks for those alone that XML does not allow
    #[arg(long, value_name = "POLICY", default_value = "keep", hide_default_value = true, hide_possible_values = true,
          verbatim_doc_comment, help_heading = CONTROLS, value_parser = one_of(&[
        ("keep", OnControl::Keep),
        ("space", OnControl::Space),
        ("drop", OnControl::Drop),
        ("error", OnControl::Error),
        ("xml", OnControl::Xml),
    ]))]
    pub(crate) controls: OnControl,

    /// Write to PATH, which may be the input
    ///
    /// A file is replaced when all is well, and else left as it was. A FIFO or a device is written to.
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) many: ManyArgs,

    /// Convert parts of a file, or many files, in so many threads
    ///
    /// The outcome is the same as of one. Each takes a MiB at a time, cut between characters or records; four more than
    /// N are held in memory at the most, with what they became. What is not a regular file is converted by one, and so
    /// is what cannot be cut: text in shifting charsets without records, carriage control, XML to charsets that lack
    /// characters.
    ///
    /// Of many files that each have an output, N are converted at once; without N as many as there are cores.
    #[arg(long, value_name = "N", value_parser = jobs, help_heading = FILES)]
    pub(crate) jobs: Option<NonZeroU16>,

    /// Write an account of the run to PATH, a line of JSON for each input
    ///
    /// `-` is standard error.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub(crate) report: Option<PathBuf>,

    /// List the encodings, as `charpipe list` does, and do nothing else
    #[arg(short, long, conflicts_with = "files", help_heading = ENCODING)]
    pub(crate) list: bool,

    /// Print a man page, or the completions of a shell, and do nothing else
    ///
    /// `charpipe --generate man > charpipe.1`, `charpipe --generate complete-bash > charpipe.bash`
    #[cfg(feature = "generate")]
    #[arg(long, value_name = "WHAT", hide_short_help = true, exclusive = true, help_heading = WORDS)]
    pub(crate) generate: Option<crate::args::generate::What>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    // Last, as their heading stands below all others.
    #[command(flatten)]
    pub(crate) records: RecordArgs,
}

/// Says what files are encoded in, and how it knows
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe detect [OPTIONS] [FILE]...")]
pub(crate) struct Detect {
    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Print a line of JSON for each input
    #[arg(long)]
    pub(crate) json: bool,

    /// Show the first bytes with what they were taken for, and what each policy says
    ///
    /// With `--json`, the object has the verdict of each policy under `policies`.
    #[arg(long)]
    pub(crate) explain: bool,

    /// With `--explain`: as a page of HTML, to be looked at in a browser
    #[arg(long, requires = "explain", conflicts_with = "json")]
    pub(crate) html: bool,

    /// Say in which shape records are in the files, instead of their encoding: what `convert --records` takes
    ///
    /// Each shape is followed through the first MiB: the first line has the one that fits, the lines below how far
    /// others do and why no further; with `-v` all others. Exit status: 1 where none fits, or more than one.
    #[arg(long, conflicts_with = "explain")]
    pub(crate) records: bool,

    /// With `--records`: the file of a tape image, by its number, from 1, or by the name of its data set
    #[arg(long, requires = "records", value_name = "N|NAME", value_parser = tape_file)]
    pub(crate) file: Option<TapeFile>,
}

/// Lists the encodings, their aliases and where they come from
///
/// Name, directions, and where the table or the rules come from; below that the aliases. Exit status: 0; 1 where nothing matches PATTERN.
#[derive(Args, Default)]
#[command(args_override_self = true, override_usage = "charpipe list [OPTIONS] [PATTERN]")]
pub(crate) struct List {
    /// Print a line of JSON for each encoding
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) tables: Tables,

    /// What a name or an alias has in it, in any case; with `*` or `?` in it, all of what a name or an alias is
    ///
    /// Whatever the label PATTERN itself would mean to `--from` is listed too: `037` lists IBM037.
    #[arg(value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// Prints the chart of a code page, or where two code pages differ
///
/// As IBM prints them: the columns are the high half of a byte, the rows its low half.
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe chart [OPTIONS] CODEC [OTHER]")]
pub(crate) struct Chart {
    /// The code page
    #[arg(value_name = "CODEC")]
    pub(crate) codec: String,

    /// Another, to be compared with it
    #[arg(value_name = "OTHER")]
    pub(crate) other: Option<String>,

    /// Only what begins with the lead byte HEX, or with several: `42`
    #[arg(long, value_name = "HEX", value_parser = hex_bytes)]
    pub(crate) lead: Option<HexBytes>,

    /// Print a line of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Draw it: a page of HTML, to be looked at in a browser and printed on A4
    #[arg(long, conflicts_with = "json")]
    pub(crate) html: bool,

    /// Draw it: a picture, in SVG
    #[arg(long, conflicts_with_all = ["json", "html"])]
    pub(crate) svg: bool,

    /// Write to PATH, which is replaced when all is well
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: Tables,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

fn jobs(text: &str) -> Result<NonZeroU16, &'static str> {
    text.parse().map_err(|_| "a number from 1 to 65535 is wanted")
}

fn prescan(text: &str) -> Result<usize, String> {
    let wanted = text.parse().ok().filter(|bytes| *bytes <= PRESCAN_LIMIT);
    wanted.ok_or_else(|| format!("a number of bytes from 0 to {PRESCAN_LIMIT} is wanted"))
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
pub(crate) struct Reading {
    /// Encoding of the input; `auto` detects [default: auto]
    ///
    /// Whatever the input says itself. Any name or alias that `charpipe list` knows; with `//IGNORE` behind it ill-formed
    /// input is dropped, as with iconv.
    #[arg(short, long, value_name = "LABEL", default_value = "auto", hide_default_value = true, display_order = 0,
          alias = "from-code", help_heading = ENCODING)]
    from: String,

    /// Kind of document: auto, xml, html or text [default: auto]
    ///
    /// `auto`: XML where it begins with `<?xml` in any encoding, or the Content-Type says so; HTML where the policy is
    /// `whatwg`, or the Content-Type says so; else text.
    #[arg(long = "as", value_name = "KIND", default_value = "auto", hide_default_value = true,
          hide_possible_values = true, help_heading = ENCODING, value_parser = one_of(&[
        ("auto", AsKind(None)),
        ("xml", AsKind(Some(Kind::Xml))),
        ("html", AsKind(Some(Kind::Html))),
        ("text", AsKind(Some(Kind::Text))),
    ]))]
    pub(crate) kind: AsKind,

    /// Who is believed about the encoding [default: rfc7303]
    ///
    ///   rfc7303       byte order mark, Content-Type, family and declaration, UTF-8
    ///   rfc3023       its elder, with US-ASCII for text/xml
    ///   rome-strict, rome-lenient, feedparser   as these readers of feeds have it
    ///   whatwg        as browsers have it
    #[arg(long, value_name = "NAME", default_value = "rfc7303", hide_default_value = true,
          hide_possible_values = true, verbatim_doc_comment, help_heading = ENCODING, value_parser = one_of(&[
        ("rfc7303", Policy::Rfc7303),
        ("rfc3023", Policy::Rfc3023),
        ("rome-strict", Policy::RomeStrict),
        ("rome-lenient", Policy::RomeLenient),
        ("feedparser", Policy::Feedparser),
        ("whatwg", Policy::Whatwg),
    ]))]
    pub(crate) policy: Policy,

    /// What the transport said, as in `text/xml; charset=utf-8`
    #[arg(long, value_name = "VALUE", help_heading = ENCODING)]
    pub(crate) content_type: Option<String>,

    /// Search so many bytes of HTML for a `meta` [default: 1024]
    #[arg(long, value_name = "BYTES", default_value_t = PRESCAN, hide_default_value = true, value_parser = prescan,
          help_heading = ENCODING)]
    pub(crate) prescan: usize,

    /// Let statistics speak when nothing else does
    #[arg(long, help_heading = ENCODING)]
    pub(crate) guess: bool,

    /// Make every warning an error
    #[arg(long, help_heading = FAULTS)]
    pub(crate) strict: bool,

    /// Encoding to take when nothing tells, instead of UTF-8
    #[arg(long, value_name = "LABEL", help_heading = ENCODING)]
    pub(crate) fallback: Option<String>,

    /// Page to take for EBCDIC that names none, instead of IBM037
    #[arg(long, value_name = "LABEL", help_heading = ENCODING)]
    pub(crate) ebcdic_fallback: Option<String>,

    #[command(flatten)]
    pub(crate) tables: Tables,

    /// Say nothing but errors
    #[arg(short, long, visible_short_alias = 's', alias = "silent", overrides_with = "verbose", help_heading = WORDS)]
    pub(crate) quiet: bool,

    /// Say more
    ///
    /// What was detected and done; on a terminal also the bytes around an error.
    #[arg(short, long, overrides_with = "quiet", help_heading = WORDS)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) color: ColorArgs,

    /// Files to read; none, or `-`, is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
}

/// The tables that the caller brings.
#[derive(Args, Default)]
pub(crate) struct Tables {
    /// Add the table in PATH to the encodings; may repeat
    ///
    /// An ICU .ucm, a charmap, a Unicode .TXT or a chart. It answers to the name and the aliases that it has in it, else
    /// to the name of the file. A file of 256 bytes says what each byte becomes in ISO-8859-1, or in the code page
    /// LABEL: `--codec-file PATH,to=LABEL`.
    #[arg(long = "codec-file", value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = ENCODING)]
    codec_files: Vec<PathBuf>,
}

impl Tables {
    /// The encodings that there are with them.
    pub(crate) fn registry(&self) -> Result<Registry, Status> {
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
pub(crate) struct AsKind(pub(crate) Option<Kind>);

/// A parser for names that stand for values.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    table: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(table.iter().map(|(name, _)| *name))
        .try_map(|given| table.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or("no such value"))
}

impl Reading {
    /// What is read, in order; `-` alone where no FILE is given.
    pub(crate) fn files(&self) -> Vec<OsString> {
        if self.files.is_empty() { vec!["-".into()] } else { self.files.clone() }
    }

    /// Whether somebody who typed no FILE may wait for what will not come.
    pub(crate) fn is_from_terminal(&self) -> bool {
        self.files.is_empty() && !self.quiet && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    fn from(&self) -> Option<&str> {
        let label = compat::split(&self.from, Side::From).map_or(&*self.from, |(label, _)| label);
        Some(label).filter(|label| !label.eq_ignore_ascii_case("auto"))
    }

    /// What detection is told.
    pub(crate) fn hints(&self, registry: &Registry) -> Result<Hints, Status> {
        let look_up = |option, label: Option<&str>| {
            label.map(|label| registry.codec(label)).transpose().map_err(|error| usage(option, &error))
        };
        suffixes("--from", &self.from, Side::From)?;
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
    /// What stands behind the labels of `--from` and `--to`; nothing where that is wrong, which [`Self::transcode`] says.
    fn suffixes(&self) -> (Suffixes, Suffixes) {
        let behind = |label, side| compat::split(label, side).map_or(Suffixes::default(), |(_, suffixes)| suffixes);
        (behind(&self.reading.from, Side::From), behind(&self.to, Side::To))
    }

    /// What becomes of ill-formed input.
    pub(crate) fn on_malformed(&self) -> OnMalformed {
        let (from, to) = self.suffixes();
        let by_label = if from.ignore || to.ignore { OnMalformed::Drop } else { OnMalformed::Fail };
        if self.drop { OnMalformed::Drop } else { self.malformed.unwrap_or(by_label) }
    }

    /// Whether the report goes to standard error.
    pub(crate) fn report_is_said(&self) -> bool {
        self.report.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// What becomes of unmappable characters, where the options say.
    pub(crate) fn on_unmappable(&self) -> Option<OnUnmappable> {
        let (_, to) = self.suffixes();
        let by_label = if to.ignore || to.discard {
            Some(OnUnmappable::Drop)
        } else {
            to.translit.then_some(OnUnmappable::Replace)
        };
        if self.drop { Some(OnUnmappable::Drop) } else { self.unmappable.or(by_label) }
    }

    /// The run that the options ask for. It can be made: what is wrong with the options has been said here.
    pub(crate) fn transcode(&self) -> Result<Transcode, Status> {
        let reading = &self.reading;
        suffixes("--from", &reading.from, Side::From)?;
        let (to, behind) = suffixes("--to", &self.to, Side::To)?;
        let mut transcode = Transcode::new()
            .registry(reading.tables.registry()?)
            .policy(reading.policy)
            .prescan(reading.prescan)
            .guess(reading.guess)
            .strict(reading.strict)
            .malformed(self.on_malformed())
            .best_fit(self.best_fit || behind.translit)
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
        transcode = transcode.to(to).map_err(|error| usage("--to", &error))?;
        transcode.validate().map_err(|error| {
            let option = match error.kind() {
                ErrorKind::NoBom { .. } => "--bom",
                ErrorKind::CannotFrame { .. } => "--to-records",
                _ => "options",
            };
            usage(option, &error)
        })?;
        Ok(transcode)
    }
}

/// Says what is wrong with the value of an option.
fn usage(option: &str, error: &Error) -> Status {
    messages::say_usage_of(option, error);
    Status::Usage
}

/// A label and what stands behind it, as iconv has it.
fn suffixes<'a>(option: &str, label: &'a str, side: Side) -> Result<(&'a str, Suffixes), Status> {
    compat::split(label, side).map_err(|why| {
        say(format_args!("{option}: {}", printable(&why)));
        Status::Usage
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
        shown().debug_assert();
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
