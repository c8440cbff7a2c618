//! The options of `charpipe rows`.

use crate::args::choice::choice;
use crate::args::convert::{controls_help, jobs};
use crate::args::headings::{ENCODING, ERRORS, FILES, LAYOUT, MESSAGES, RECORDS, ROWS};
use crate::args::messages::MessageArgs;
use crate::args::records::{ShapeArg, record_newlines_help, shape, shape_or_auto, tape_file};
use crate::args::tables::Tables;
use charpipe::fields::{BadRule, FloatFormat, Rule};
use charpipe::records::{Shape, TapeFile};
use charpipe::{OnControl, OnNewlineInRecord, OnOverlong};
use clap::builder::ValueHint;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroU16;
use std::path::PathBuf;

/// Converts the fields of mainframe records to CSV or JSON lines, and back
///
/// The fields come from a COBOL copybook or a field list. Each record becomes a row: a line of CSV, or a JSON object.
/// Numbers are exact. With --from-rows, rows become records again.
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe rows --layout FILE [FILE]...")]
pub(crate) struct Rows {
    /// Fields of a record and their positions: a copybook, or a field list
    ///
    /// The format of FILE is recognised by its content; see --layout-format.
    #[arg(help_heading = LAYOUT, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) layout: PathBuf,

    /// Format of the layout
    #[arg(help_heading = LAYOUT, long, value_name = "FORMAT", default_value = "auto")]
    pub(crate) layout_format: LayoutFormat,

    /// Format of COMP-1 and COMP-2 in a copybook
    #[arg(help_heading = LAYOUT, long, value_name = "FORMAT", default_value = "ibm", value_parser = choice(float_help))]
    pub(crate) float: FloatFormat,

    /// Which record type applies to a record; may be repeated
    ///
    /// RULE is a condition and the name of a group or field: `SEGMENT-ID=C: COMPANY`. COMPANY applies to the records
    /// whose field SEGMENT-ID is C. Several values are separated by commas, and several tests by ` and `. A test can
    /// name bytes instead of a field: `5-6=0002`. `otherwise: OTHER` applies if no other rule does. A record to which no
    /// rule applies is an error.
    #[arg(help_heading = LAYOUT, long, value_name = "RULE", value_parser = rule)]
    pub(crate) when: Vec<Rule>,

    /// Print the layout as a table, with the first record of FILE beside it
    ///
    /// For each field, it shows the position, the kind and the picture, and the bytes and the value in that record. Look at
    /// this before you trust a layout.
    #[arg(help_heading = LAYOUT, long)]
    pub(crate) show_layout: bool,

    /// With --show-layout: print an HTML page for a browser
    #[arg(help_heading = LAYOUT, long, requires = "show_layout")]
    pub(crate) html: bool,

    /// Code page of the records [default: IBM037]
    ///
    /// Text fields are in this page unless the layout names another one. With --from-rows, it is the page of the output.
    #[arg(short, long, value_name = "LABEL", help_heading = ENCODING)]
    pub(crate) from: Option<String>,

    #[command(flatten)]
    pub(crate) tables: Tables,

    /// How the records are stored: fb:80, rdw, vb ..., or auto
    ///
    /// The formats are those of `charpipe convert --records`. If all records of the layout have the same length N, the
    /// default is `fb:N`.
    #[arg(help_heading = RECORDS, long, value_name = "SHAPE", value_parser = shape_or_auto)]
    pub(crate) records: Option<ShapeArg>,

    /// File of a tape image to read, by number (from 1) or data set name
    #[arg(help_heading = RECORDS, long, requires = "records", value_name = "N|NAME", value_parser = tape_file)]
    pub(crate) file: Option<TapeFile>,

    /// With --from-rows: how the records are stored
    ///
    /// If all records of the layout have the same length N, the default is `fb:N`.
    #[arg(help_heading = RECORDS, long, requires = "from_rows", value_name = "SHAPE", value_parser = shape)]
    pub(crate) to_records: Option<Shape>,

    /// Records that are longer than the layout
    #[arg(help_heading = RECORDS, long, value_name = "POLICY", default_value = "fail", value_parser = choice(overlong_help))]
    pub(crate) overlong: OnOverlong,

    /// Format of the rows
    #[arg(help_heading = ROWS, long, value_name = "FORMAT", default_value = "csv")]
    pub(crate) format: RowFormat,

    /// Write records from rows of this format
    ///
    /// The rows are those that `charpipe rows` writes for the same layout. A value that does not fit its field is an
    /// error, and so is a field without a value, unless it is blank text.
    #[arg(help_heading = ROWS, long, value_name = "FORMAT",
          conflicts_with_all = ["records", "file", "select", "number", "rejects", "null_on_bad", "show_layout", "output_dir"])]
    pub(crate) from_rows: Option<RowFormat>,

    /// Write only these fields, separated by commas
    ///
    /// The name of a group selects all of its fields. The order is that of the layout.
    #[arg(help_heading = ROWS, long, value_name = "FIELD,...", value_delimiter = ',')]
    pub(crate) select: Vec<String>,

    /// Add the number of the record as the column _number
    #[arg(help_heading = ROWS, long)]
    pub(crate) number: bool,

    /// Write FILLER as well, which is left out by default
    #[arg(help_heading = ROWS, long)]
    pub(crate) filler: bool,

    /// Refuse fields that --from-rows would write as other bytes
    ///
    /// Some values can be written in several ways: a packed number can end with C or F, for example. With this option
    /// such a field is an error if its bytes are not those that `--from-rows` writes; so are bytes that no field covers.
    /// Together with --filler, every record can then be written back byte for byte. It cannot be used with --overlong cut,
    /// --null-on-bad, or policies that change characters.
    #[arg(help_heading = ROWS, long)]
    pub(crate) exact: bool,

    /// Keep blanks at the end of text
    #[arg(help_heading = ROWS, long, conflicts_with = "trim_nuls")]
    pub(crate) keep_blanks: bool,

    /// Trim NULs (low-values) as well as blanks at the end of text
    #[arg(help_heading = ROWS, long)]
    pub(crate) trim_nuls: bool,

    /// Control characters in text
    #[arg(help_heading = ROWS, long, value_name = "POLICY", default_value = "keep", value_parser = choice(controls_help))]
    pub(crate) controls: OnControl,

    /// Newlines in text
    #[arg(help_heading = ROWS, long, value_name = "POLICY", default_value = "keep",
          value_parser = choice(record_newlines_help))]
    pub(crate) record_newlines: OnNewlineInRecord,

    /// Write records with errors to PATH, as lines of JSON, and go on
    ///
    /// An error is a record of no known type, or one with a field that cannot be read. Each line has the keys `input`,
    /// `record` (its number), `offset`, `code`, `field`, `message` and `bytes` (the record in hex).
    #[arg(help_heading = ERRORS, long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) rejects: Option<PathBuf>,

    /// Write fields that cannot be read as empty, and go on
    ///
    /// They are counted on standard error and in the report. In JSON they are `null`.
    #[arg(help_heading = ERRORS, long)]
    pub(crate) null_on_bad: bool,

    /// Write to PATH
    ///
    /// A regular file is replaced only once the output is complete; after an error it is unchanged.
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub(crate) output: Option<PathBuf>,

    /// Write the rows of each record type to a file of its own in DIR
    ///
    /// The files are named after the types: COMPANY.csv. A file has only the columns of its type.
    #[arg(help_heading = FILES, long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "output")]
    pub(crate) output_dir: Option<PathBuf>,

    /// Convert with N threads
    ///
    /// The output is the same as with `--jobs 1`. One thread converts input that is not a regular file.
    #[arg(long, value_name = "N", value_parser = jobs, help_heading = FILES)]
    pub(crate) jobs: Option<NonZeroU16>,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,

    /// Write a line of JSON for each input to PATH; `-` is standard error
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = MESSAGES)]
    pub(crate) report: Option<PathBuf>,

    /// Files to read; standard input if there is none, or for `-`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
}

/// The value of `--layout-format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum LayoutFormat {
    /// Recognise it by the content
    Auto,
    /// A COBOL copybook
    Copybook,
    /// A field list of charpipe
    Fields,
    /// JSON of ebcdic-parser, docling or AWS mainframe-data-utilities
    Json,
}

/// The value of `--format` and `--from-rows`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum RowFormat {
    /// CSV as in RFC 4180: a header, then a line for each record, with a column for each elementary field
    Csv,
    /// A JSON object on a line for each record; groups are objects, and OCCURS are arrays
    Jsonl,
}

impl RowFormat {
    /// Returns the extension of files in this format.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            RowFormat::Csv => "csv",
            RowFormat::Jsonl => "jsonl",
        }
    }
}

fn float_help(format: FloatFormat) -> &'static str {
    match format {
        FloatFormat::Ieee => "IEEE 754: Micro Focus, GnuCOBOL, z/OS with FLOAT(BINARY)",
        FloatFormat::Ibm => "Hexadecimal floating point of IBM's mainframes",
    }
}

fn overlong_help(policy: OnOverlong) -> &'static str {
    match policy {
        OnOverlong::Fail => "Stop with an error that names the record",
        _ => "Leave out the bytes after the layout",
    }
}

fn rule(text: &str) -> Result<Rule, BadRule> {
    text.parse()
}

impl Rows {
    /// Returns the options of a command line.
    #[cfg(test)]
    pub(crate) fn for_tests(args: &[&str]) -> Self {
        use clap::{Args as _, FromArgMatches as _};

        let command = Rows::augment_args(clap::Command::new("rows").no_binary_name(true));
        Rows::from_arg_matches(&command.get_matches_from(args)).unwrap()
    }

    /// Returns the inputs in order; `-` alone if no FILE was given.
    pub(crate) fn files(&self) -> Vec<OsString> {
        if self.files.is_empty() { vec!["-".into()] } else { self.files.clone() }
    }

    /// Whether FILEs were given.
    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether no FILE was given and standard input is a terminal, which may be an oversight.
    pub(super) fn is_from_terminal(&self) -> bool {
        self.files.is_empty() && !self.show_layout && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Whether the report goes to standard error.
    pub(crate) fn report_is_said(&self) -> bool {
        self.report.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }
}
