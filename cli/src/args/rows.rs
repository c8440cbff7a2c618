//! The options of `charpipe rows`.
//!
//! Those of a rows job are defined in [`JobArgs`], for the help and for clap's checks; [`JobOptions`] collects their
//! words, and [`Rows::job`] hands them to the library by name.

use crate::args::choice::{WordOr, choice, described, word_or};
use crate::args::convert::{controls_help, jobs};
use crate::args::headings::{ENCODING, ERRORS, FILES, LAYOUT, MESSAGES, RECORDS, ROWS};
use crate::args::messages::MessageArgs;
use crate::args::named::given;
use crate::args::operands::Operands;
use crate::args::records::{record_newlines_help, tape_file};
use crate::args::tables::Tables;
use crate::args::usage;
use crate::messages::say;
use crate::status::Status;
use charpipe::fields::{BinaryRange, FloatFormat};
use charpipe::records::TapeFile;
use charpipe::rows::{Formulas, LayoutFormat, RowFormat, RowsJob, SchemaFormat};
use charpipe::{ErrorKind, OnControl, OnMalformed, OnNewlineInRecord, OnOverlong, Registry};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueHint};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

/// Convert the fields of mainframe records to CSV, JSON lines or Arrow, and back
///
/// The fields come from a COBOL copybook or a field list. Each record becomes a row: a line of CSV, a JSON object, or a
/// row in a batch of Arrow. Numbers are exact. With --from-rows, rows of CSV or JSON become records again.
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe rows --layout FILE [FILE]...")]
pub(crate) struct Rows {
    /// Fields of a record and their positions: a copybook or a field list
    ///
    /// The format of FILE is recognised by its content; see --layout-format. A field list has a line for each field,
    /// such as `NAME 5 20 text` or `SUM 25 4 packed.2`: the field's name, first byte, length and kind.
    /// docs/field-list.md describes it.
    #[arg(help_heading = LAYOUT, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) layout: PathBuf,

    #[command(flatten)]
    options: JobOptions,

    /// Print the layout as a table, with the first record of FILE beside it
    ///
    /// The table shows each field's position, kind and picture, and its bytes and value in that record. Look at it
    /// before you trust a layout.
    #[arg(help_heading = LAYOUT, long)]
    pub(crate) show_layout: bool,

    /// With --show-layout: print an HTML page for a browser
    #[arg(help_heading = LAYOUT, long, requires = "show_layout")]
    pub(crate) html: bool,

    #[command(flatten)]
    pub(crate) tables: Tables,

    /// Print the schema of the rows for another program, and read no records
    ///
    /// The columns depend on the other options: --select, --dates, --add-columns, --when. With --output-dir, SQL
    /// schemas have a table for each record type.
    #[arg(help_heading = LAYOUT, long, value_name = "PROGRAM", value_parser = schema(),
          conflicts_with_all = ["show_layout", "from_rows", "rejects", "report", "format", "formulas", "quote_empty", "files", "files0_from"])]
    pub(crate) schema: Option<Schema>,

    /// Format of the rows
    #[arg(help_heading = ROWS, long, value_name = "FORMAT", default_value = "csv", value_parser = format())]
    pub(crate) format: Format,

    /// Write records inside the row of their parent, in lists named after their types
    ///
    /// The parents are those of --parent. Each line of JSON holds a record without a parent type, and all records up to
    /// the next such record: `{"ID":1, "ACCOUNT":[{"NO":2}, {"NO":3}]}`. With --from-rows, such lines become records
    /// again, in the order of `_number`.
    #[arg(help_heading = ROWS, long, conflicts_with_all = ["output_dir", "schema", "show_layout", "merge"])]
    pub(crate) nest: bool,

    /// How to write text in CSV that a spreadsheet would run as a formula
    ///
    /// Such text begins with `=`, `+`, `-`, `@` (or their full-width forms), a tab or a carriage return. Numbers are
    /// not changed. Rows that were written with `quote` do not give the same text when they are read back.
    #[arg(help_heading = ROWS, long, value_name = "POLICY", default_value = "keep", value_parser = choice(formulas_help))]
    pub(crate) formulas: Formulas,

    /// Write empty text in CSV as `""`, so that it differs from a missing value
    ///
    /// Without this option, both are empty. `COPY` of PostgreSQL reads `""` as empty text, and nothing as NULL.
    #[arg(help_heading = ROWS, long)]
    pub(crate) quote_empty: bool,

    /// Write records from rows in this format
    ///
    /// The rows are those that `charpipe rows` writes for the same layout. A value that does not fit its field is an
    /// error. So is a missing value, except in a text field, which is filled with spaces.
    #[arg(help_heading = ROWS, long, value_name = "FORMAT", value_parser = choice(format_help),
          conflicts_with_all = ["format", "records", "tape_file", "parent", "skip_head", "skip_tail", "record_prefix", "record_suffix", "select", "add_columns", "rejects", "on_bad", "empty_is_null",
                                "loose_numbers", "formulas", "quote_empty", "short_records", "overlong", "trim", "malformed", "controls", "record_newlines", "show_layout",
                                "output_dir"])]
    pub(crate) from_rows: Option<RowFormat>,

    /// With --from-rows: write the records of all FILEs in the order of their column _number
    ///
    /// This merges the files that --output-dir has written, for example, if they have the column _number. Without it,
    /// the records are in the order of the FILEs.
    #[arg(help_heading = ROWS, long, requires = "from_rows")]
    pub(crate) merge: bool,

    /// Write records with errors to PATH, as lines of JSON, and continue
    ///
    /// These are records of unknown type, and records with a field that cannot be read. Each line has the keys `input`,
    /// `record` (its number), `offset`, `code`, `field`, `message` and `bytes` (the record in hex).
    #[arg(help_heading = ERRORS, long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) rejects: Option<PathBuf>,

    /// Write to PATH
    ///
    /// A regular file is replaced only once the output is complete; after an error it is unchanged.
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub(crate) output: Option<PathBuf>,

    /// Write the rows of each record type to a separate file in DIR
    ///
    /// The files are named after the types: COMPANY.csv. A file has only the columns of its type.
    #[arg(help_heading = FILES, long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "output")]
    pub(crate) output_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,

    /// Write a line of JSON for each input to PATH; `-` is standard error
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = MESSAGES)]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) operands: Operands,
}

/// The options of a rows job, with the names and the values of [`RowsJob::OPTIONS`].
#[derive(Args)]
struct JobArgs {
    /// Format of the layout
    #[arg(help_heading = LAYOUT, long, value_name = "FORMAT", default_value = "auto", value_parser = choice(layout_help))]
    layout_format: LayoutFormat,

    /// Directory with the copybooks that a copybook includes (COPY); may be repeated
    ///
    /// The file has the name of the member, in upper or lower case, with the extension .cpy, .cbl, .cob or .copy, or
    /// none.
    #[arg(help_heading = LAYOUT, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    copy_path: Vec<String>,

    /// Words of a copybook to replace, such as `==:TAG:== BY ==CUST==`; may be repeated
    #[arg(help_heading = LAYOUT, long, value_name = "PAIRS", value_parser = checked("replacing"))]
    replacing: Vec<String>,

    /// Read the comma as decimal point in the pictures of a copybook: DECIMAL-POINT IS COMMA
    #[arg(help_heading = LAYOUT, long)]
    decimal_comma: bool,

    /// Record to use from a copybook or a program, by the name of its level 01
    ///
    /// Without this option, the records of a copybook are alternative layouts of the same bytes, and a program may have
    /// only one.
    #[arg(help_heading = LAYOUT, long, value_name = "NAME")]
    record_name: Option<String>,

    /// Number of elements of a table for each value of the field that it depends on; may be repeated
    ///
    /// For example, SIZE:A=1,B=2 for OCCURS DEPENDING ON SIZE. With this option, SIZE may be text. Any other value is
    /// an error.
    #[arg(help_heading = LAYOUT, long, value_name = "FIELD:VALUE=N,...", value_parser = checked("count-map"))]
    count_map: Vec<String>,

    /// Format of COMP-1 and COMP-2 in a copybook
    #[arg(help_heading = LAYOUT, long, value_name = "FORMAT", default_value = "ibm", value_parser = choice(float_help))]
    float: FloatFormat,

    /// Byte order of COMP-5 and other native binary numbers in a copybook
    #[arg(help_heading = LAYOUT, long, value_name = "ORDER", default_value = "big", value_parser = described(&[
        ("big", "Mainframes and AIX"),
        ("little", "COBOL on PCs: Micro Focus, GnuCOBOL"),
    ]))]
    byte_order: String,

    /// How zoned numbers in a copybook are stored
    ///
    /// In ASCII, both forms of signs are read; this option chooses the form that --from-rows writes.
    #[arg(help_heading = LAYOUT, long, value_name = "SIGNS", default_value = "auto", value_parser = described(&[
        ("auto", "ebcdic or ascii, depending on the code page"),
        ("ebcdic", "EBCDIC"),
        ("ascii", "ASCII, converted from EBCDIC: { and A to I are positive, } and J to R negative"),
        ("ascii-p", "ASCII of Micro Focus and GnuCOBOL: 0 to 9 are positive, p to y negative"),
    ]))]
    zoned_signs: String,

    /// Rule that assigns a type to a record; may be repeated
    ///
    /// RULE is a condition and the name of a group or field: `SEGMENT-ID=C: COMPANY`. COMPANY applies to the records
    /// whose field SEGMENT-ID is C. Several values are separated by commas, and several tests by ` and `. A test can
    /// name bytes instead of a field: `5-6=0002`. `otherwise: OTHER` applies if no other rule does. A record to which
    /// no rule applies is an error. Within a table, the rule tests the field in the same element.
    #[arg(help_heading = LAYOUT, long, value_name = "RULE", value_parser = checked("when"))]
    when: Vec<String>,

    /// Record type and its parent type, as in `ACCOUNT < CUSTOMER`; may be repeated
    ///
    /// An ACCOUNT belongs to the last CUSTOMER before it. Its row has the record number of that CUSTOMER in the column
    /// `_parent`, and its own in `_number`. A record without a parent is an error. `ACCOUNT < CUSTOMER: ID,NAME` adds
    /// fields of the parent, as the columns `_parent.ID` and `_parent.NAME`.
    #[arg(help_heading = ROWS, long, value_name = "CHILD<PARENT", value_parser = checked("parent"))]
    parent: Vec<String>,

    /// Read a length and a text at level 49 as one text field of that length
    ///
    /// Db2 (DCLGEN) declares a VARCHAR in this way. COBOL itself ignores the length.
    #[arg(help_heading = LAYOUT, long)]
    varchar: bool,

    /// Field that shows whether another field is null, as FIELD=INDICATOR; may be repeated
    ///
    /// FIELD is null if INDICATOR is a negative number, or a single byte that is FF or a question mark, as Db2 and its
    /// utilities write it.
    #[arg(help_heading = LAYOUT, long, value_name = "PAIR", value_parser = checked("null-indicator"))]
    null_indicator: Vec<String>,

    /// How to write groups
    #[arg(help_heading = LAYOUT, long, value_name = "WHAT", default_value = "fields", value_parser = described(&[
        ("fields", "Their fields are columns"),
        ("text", "A group of characters also has a column _text with the text of the whole group"),
    ]))]
    groups: String,

    /// Code page of the records [default: IBM037]
    ///
    /// Text fields are in this page unless the layout names another one. With --from-rows, it is the page of the
    /// output.
    #[arg(short, long, value_name = "LABEL", help_heading = ENCODING)]
    from: Option<String>,

    /// How the records are stored: fb:80, rdw, vb ..., auto, or layout
    ///
    /// The formats are those of `charpipe convert --records`. If all records of the layout have the same length N, the
    /// default is `fb:N`. `layout` is for records without headers: each has the length of the layout, or that of its
    /// record type and its arrays (OCCURS DEPENDING ON) if the length varies.
    #[arg(help_heading = RECORDS, long, value_name = "SHAPE", value_parser = checked("records"))]
    records: Option<String>,

    /// Field with the length of its record, for records without headers
    ///
    /// FIELD+N and FIELD-N add N bytes to its value, or subtract them. FIELD must be a number at the same position in
    /// all records.
    #[arg(help_heading = RECORDS, long, value_name = "FIELD[+N]", value_parser = checked("length-field"))]
    length_field: Option<String>,

    /// Length of a record for each value of a field, for records without headers
    ///
    /// For example, TYPE:A=120,B=300. A record with any other value is an error.
    #[arg(help_heading = RECORDS, long, value_name = "FIELD:VALUE=N,...", conflicts_with = "length_field",
          value_parser = checked("length-map"))]
    length_map: Option<String>,

    /// File of a tape image to read, by number (from 1) or data set name
    #[arg(help_heading = RECORDS, long, requires = "records", value_name = "N|NAME", value_parser = tape_file)]
    tape_file: Option<TapeFile>,

    /// Bytes or records to skip at the beginning of each file, such as 80 or 1r
    ///
    /// N bytes are skipped before the first record, in any format. Nr skips the first N records. Record numbers and
    /// offsets still count what was skipped.
    #[arg(help_heading = RECORDS, long, value_name = "N|Nr", default_value = "0", value_parser = checked("skip-head"))]
    skip_head: String,

    /// Bytes or records to skip at the end of each file, such as 80 or 1r
    #[arg(help_heading = RECORDS, long, value_name = "N|Nr", default_value = "0", value_parser = checked("skip-tail"))]
    skip_tail: String,

    /// Bytes before the data of each record that the layout does not describe
    ///
    /// These bytes follow the header of the record, if there is one. The lengths in --length-field and --length-map do
    /// not include them.
    #[arg(help_heading = RECORDS, long, value_name = "N", default_value = "0", value_parser = checked("record-prefix"))]
    record_prefix: String,

    /// Bytes after the data of each record that the layout does not describe
    #[arg(help_heading = RECORDS, long, value_name = "N", default_value = "0", value_parser = checked("record-suffix"))]
    record_suffix: String,

    /// With --from-rows: how the records are stored
    ///
    /// If all records of the layout have the same length N, the default is `fb:N`. `layout` writes them one after the
    /// other, with nothing between them.
    #[arg(help_heading = RECORDS, long, requires = "from_rows", value_name = "SHAPE", value_parser = checked("to-records"))]
    to_records: Option<String>,

    /// Range of numbers that --from-rows writes to binary fields
    #[arg(help_heading = RECORDS, long, requires = "from_rows", value_name = "RANGE", default_value = "full",
          value_parser = choice(binary_range_help))]
    binary_range: BinaryRange,

    /// Records that are longer than the layout
    #[arg(help_heading = RECORDS, long, value_name = "POLICY", default_value = "fail", value_parser = choice(overlong_help))]
    overlong: OnOverlong,

    /// Records that end before the layout does
    #[arg(help_heading = RECORDS, long, value_name = "POLICY", default_value = "error", value_parser = described(&[
        ("error", "Stop with an error that names the field"),
        ("null", "Leave the fields after the end of the record empty"),
    ]))]
    short_records: String,

    /// Write only these fields, separated by commas
    ///
    /// The name of a group selects all of its fields. The order is that of the layout.
    #[arg(help_heading = ROWS, long, value_name = "FIELD,...")]
    select: Vec<String>,

    /// Add columns that are not fields: file, number, offset, type, parent, record, errors
    ///
    /// The columns _file, _number (of the record, from 1), _offset (of the record in the file, from 0) and _type
    /// precede the fields; _record (its bytes in hex) and _errors follow them. `_type` is always there if the layout
    /// has record types and all rows go to one output. With `--on-bad null`, `_errors` lists the fields that could not
    /// be read, as an array of objects with the keys `field`, `code`, `message` and `bytes`; a record that cannot be
    /// read at all becomes a row without values, unless --rejects is given.
    #[arg(help_heading = ROWS, long, value_name = "LIST", value_parser = checked("add-columns"))]
    add_columns: Vec<String>,

    /// Field with dates, as FIELD=PATTERN; may be repeated
    ///
    /// Rows have dates in the form 2024-02-29. PATTERN is the form in the field: YYYYMMDD, DD.MM.YYYY, YYMMDD (1950 to
    /// 2049), YYYYDDD (day of the year), or with a time YYYY-MM-DD-HH.MI.SS.FFFFFF, as in Db2. A field of zeros or
    /// spaces has no date. With --from-rows, the dates become text or numbers again.
    #[arg(help_heading = ROWS, long, value_name = "FIELD=PATTERN", value_parser = checked("dates"))]
    dates: Vec<String>,

    /// Write underscores for the hyphens in names
    #[arg(help_heading = ROWS, long)]
    underscores: bool,

    /// With --schema or --format arrow: all numbers of up to 18 digits without decimal places are integers
    #[arg(help_heading = ROWS, long)]
    integers: bool,

    /// Write FILLER as well, which is left out by default
    #[arg(help_heading = ROWS, long)]
    filler: bool,

    /// Refuse fields that --from-rows would write back as different bytes
    ///
    /// Some values can be written in several ways: a packed number can end with C or F, for example. With this option,
    /// a field is an error if `--from-rows` would write its value as different bytes. Bytes that no field covers are
    /// also an error. Together with --filler, every record can then be written back byte for byte. It cannot be used
    /// with --overlong cut, --on-bad null, --dates, or policies that change characters.
    #[arg(help_heading = ROWS, long)]
    exact: bool,

    /// What to remove from the end of text
    #[arg(help_heading = ROWS, long, value_name = "WHAT", default_value = "blanks", value_parser = described(&[
        ("blanks", "Spaces"),
        ("nuls", "NULs (low-values)"),
        ("blanks,nuls", "Spaces and NULs"),
        ("none", "Nothing"),
    ]))]
    trim: String,

    /// Control characters in text
    #[arg(help_heading = ROWS, long, value_name = "POLICY", default_value = "keep", value_parser = choice(controls_help))]
    controls: OnControl,

    /// Newlines in text
    #[arg(help_heading = ROWS, long, value_name = "POLICY", default_value = "keep",
          value_parser = choice(record_newlines_help))]
    record_newlines: OnNewlineInRecord,

    /// Fields that cannot be read
    #[arg(help_heading = ERRORS, long, value_name = "POLICY", default_value = "error", value_parser = described(&[
        ("error", "Stop with an error that names the record and the field"),
        ("null", "Leave the field empty, in JSON null, and count it"),
    ]))]
    on_bad: String,

    /// Bytes in text that are not valid in its code page
    ///
    /// By default, such a field cannot be read. LABEL is a single-byte charset that contains ASCII: such bytes are read
    /// as bytes of it, if the code page also contains ASCII. charpipe counts the sequences that it replaced.
    #[arg(help_heading = ERRORS, long, value_name = "POLICY|LABEL", value_parser = word_or(malformed_help))]
    malformed: Option<WordOr<OnMalformed>>,

    /// Leave fields empty if they consist of spaces or low-values
    ///
    /// This applies to zoned and packed numbers, and to text that consists of low-values (NULs). charpipe counts these
    /// fields together with those that cannot be read.
    #[arg(help_heading = ERRORS, long)]
    empty_is_null: bool,

    /// Read zoned numbers with spaces or low-values after their digits
    ///
    /// Without this option, a number such as `12  ` cannot be read. charpipe counts these numbers.
    #[arg(help_heading = ERRORS, long)]
    loose_numbers: bool,

    /// Convert with N threads
    ///
    /// The output is the same as with `--jobs 1`. One thread converts input that is not a regular file.
    #[arg(long, value_name = "N", value_parser = jobs, help_heading = FILES)]
    jobs: Option<NonZeroU16>,
}

/// The options of a rows job: their names and values, as they were given.
struct JobOptions(Vec<(&'static str, String)>);

impl Args for JobOptions {
    fn augment_args(command: Command) -> Command {
        JobArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        JobArgs::augment_args_for_update(command)
    }
}

impl FromArgMatches for JobOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(JobOptions(given(matches, RowsJob::OPTIONS)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Checks the value of an option as the library does.
fn checked(name: &'static str) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |text| match RowsJob::new().set(name, text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(match error.kind() {
            ErrorKind::BadOption { why, .. } => why.clone(),
            other => other.to_string(),
        }),
    }
}

/// The format of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text(RowFormat),
    Arrow,
}

impl Format {
    /// Returns its word, which is also the extension of files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Text(format) => format.name(),
            Format::Arrow => "arrow",
        }
    }
}

/// Parses the words of `--format`: those of the library's text, and Arrow.
fn format() -> impl TypedValueParser<Value = Format> {
    let text = |format: &RowFormat| PossibleValue::new(format.name()).help(format_help(*format));
    let help =
        "An Arrow IPC stream; groups are structs, and OCCURS are lists. One thread writes it, in batches of 65536 rows";
    let words = RowFormat::ALL.iter().map(text).chain([PossibleValue::new("arrow").help(help)]);
    PossibleValuesParser::new(words).map(|word| word.parse().map_or(Format::Arrow, Format::Text))
}

/// The output of `--schema`.
#[derive(Clone, Copy)]
pub(crate) enum Schema {
    Text(SchemaFormat),
    Arrow,
}

/// Parses the words of `--schema`: those of the library's text, and Arrow.
fn schema() -> impl TypedValueParser<Value = Schema> {
    let text = |format: &SchemaFormat| PossibleValue::new(format.name()).help(schema_help(*format));
    let arrow = PossibleValue::new("arrow").help("An Arrow IPC stream without batches, which is not text");
    let words = SchemaFormat::ALL.iter().map(text).chain([arrow]);
    PossibleValuesParser::new(words).map(|word| word.parse().map_or(Schema::Arrow, Schema::Text))
}

fn layout_help(format: LayoutFormat) -> &'static str {
    match format {
        LayoutFormat::Auto => "Recognise it by the content",
        LayoutFormat::Copybook => "A COBOL copybook; its lines show whether it has fixed or free form",
        LayoutFormat::CopybookFixed => "A COBOL copybook in fixed form: columns 7 to 72",
        LayoutFormat::CopybookFree => "A COBOL copybook in free form",
        LayoutFormat::Fields => "A charpipe field list",
        _ => "JSON of ebcdic-parser, docling or AWS mainframe-data-utilities",
    }
}

fn format_help(format: RowFormat) -> &'static str {
    match format {
        RowFormat::Csv => {
            "CSV as in RFC 4180: a header, then a line for each record, with a column for each elementary field"
        }
        _ => "A JSON object on a line for each record; groups are objects, and OCCURS are arrays",
    }
}

fn formulas_help(formulas: Formulas) -> &'static str {
    match formulas {
        Formulas::Keep => "Write it as it is",
        _ => "Put an apostrophe before it, so that a spreadsheet shows it as text",
    }
}

fn float_help(format: FloatFormat) -> &'static str {
    match format {
        FloatFormat::Ieee => "IEEE 754: Micro Focus, GnuCOBOL, z/OS with FLOAT(BINARY)",
        _ => "IBM's hexadecimal floating point, as on mainframes",
    }
}

fn binary_range_help(range: BinaryRange) -> &'static str {
    match range {
        BinaryRange::Picture => "Numbers with as many digits as the picture, as with TRUNC(STD)",
        _ => "All numbers that fit into the bytes, as with TRUNC(BIN)",
    }
}

fn malformed_help(policy: OnMalformed) -> &'static str {
    match policy {
        OnMalformed::Fail => "The field cannot be read",
        OnMalformed::Replace => "Write U+FFFD for each invalid sequence",
        OnMalformed::Drop => "Drop it",
        _ => "Write each byte as \\xNN",
    }
}

fn schema_help(format: SchemaFormat) -> &'static str {
    match format {
        SchemaFormat::DuckDb => "CREATE TABLE of DuckDB, for rows of CSV",
        SchemaFormat::PostgreSql => "CREATE TABLE of PostgreSQL, for rows of CSV",
        SchemaFormat::Db2 => "CREATE TABLE of Db2, for rows of CSV",
        SchemaFormat::Sqlite => "CREATE TABLE of SQLite, for rows of CSV; decimal numbers are text",
        SchemaFormat::Avro => "An Avro record schema, as JSON",
        SchemaFormat::Spark => "A Spark StructType, as JSON",
        _ => "JSON Schema for one line of JSON",
    }
}

fn overlong_help(policy: OnOverlong) -> &'static str {
    match policy {
        OnOverlong::Fail => "Stop with an error that names the record",
        _ => "Leave out the bytes after the layout",
    }
}

impl Rows {
    /// Returns the job that the options describe. An error has been printed.
    pub(crate) fn job(&self, registry: Registry) -> Result<RowsJob, Status> {
        // Only rows of several types in one output need to say which one they have.
        let is_one_output = self.output_dir.is_none() && self.from_rows.is_none() && !self.show_layout;
        let job = RowsJob::new()
            .registry(registry)
            .separate_types(!is_one_output)
            .nest(self.nest && self.from_rows.is_none());
        self.check_format()?;
        self.options.0.iter().try_fold(job, |job, (name, value)| {
            job.set(name, value).map_err(|error| usage::wrong_value(&format!("--{name}"), &error))
        })
    }

    /// Refuses options that have no meaning for the format of the rows.
    fn check_format(&self) -> Result<(), Status> {
        let refuse = |message: std::fmt::Arguments<'_>| {
            say(message);
            Err(Status::Usage)
        };
        let format = self.from_rows.map_or(self.format, Format::Text);
        let is_arrow = format == Format::Arrow;
        let other = match self.format {
            Format::Text(RowFormat::Csv) => None,
            Format::Arrow => Some("Arrow"),
            Format::Text(_) => Some("JSON"),
        };
        match other {
            Some(other) if self.formulas == Formulas::Quote => refuse(format_args!(
                "--formulas quote: no program runs the text of {other}; leave the option out, or add --format csv"
            )),
            Some(other) if self.quote_empty => refuse(format_args!(
                "--quote-empty: {other} has null for a missing value; leave the option out, or add --format csv"
            )),
            _ if self.nest && format != Format::Text(RowFormat::Jsonl) => refuse(format_args!(
                "--nest: only JSON has rows in other rows; add --format jsonl, or --from-rows jsonl"
            )),
            _ if is_arrow && self.output_dir.is_some() => refuse(format_args!(
                "--output-dir: the rows of Arrow are in one stream, and _type says which type a record has; \
                 leave the option out, or add --format csv or --format jsonl"
            )),
            _ if self.is_given("integers") && self.schema.is_none() && !is_arrow => refuse(format_args!(
                "--integers: numbers of CSV and JSON have no types; only --schema and --format arrow have some"
            )),
            _ => Ok(()),
        }
    }

    /// Whether an option of the job was given.
    pub(crate) fn is_given(&self, option: &str) -> bool {
        self.options.0.iter().any(|(name, _)| *name == option)
    }

    /// Returns the value of an option of the job, if it was given.
    pub(crate) fn value(&self, option: &str) -> Option<&str> {
        self.options.0.iter().rfind(|(name, _)| *name == option).map(|(_, value)| &**value)
    }

    /// Returns the inputs in order; `-` alone if no FILE was given.
    pub(crate) fn files(&self) -> Vec<OsString> {
        self.operands.files()
    }

    /// Whether no FILE was given and standard input is a terminal, which may be an oversight.
    pub(super) fn is_from_terminal(&self) -> bool {
        !self.show_layout && self.schema.is_none() && self.operands.is_from_terminal()
    }
}
