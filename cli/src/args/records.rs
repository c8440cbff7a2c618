//! The options of `convert` for mainframe records, and `--records auto`.

use crate::args::choice::choice;
use crate::args::headings::RECORDS;
use charpipe::records::{BadColumns, BadShape, Carriage, Columns, Shape, TapeFile};
use charpipe::{Gaps, OnNewlineInRecord, OnOverlong, Padding};
use clap::Args;

#[derive(Args, Clone, Debug, Default)]
#[allow(dead_code, reason = "clap checks the values, and `named` has them")]
pub(crate) struct RecordArgs {
    /// Read mainframe records as lines: fb:80, rdw, vb ..., or auto
    ///
    ///   fb:N: every record has N bytes
    ///   rdw: a 4-byte record descriptor word before each record: length including itself, big-endian
    ///   rdw:exclusive: the length does not include the word
    ///   rdw:le: little-endian; rdw:le:exclusive: both
    ///   vb: blocks of records, with a descriptor word before each block and each record
    ///   vbs: the same with records that may be split into segments
    ///   u32, u16: a length of 4 or 2 bytes before each record, not including itself (z/OSMF and Zowe; CMS)
    ///   mode-b: FTP's block mode
    ///   awstape,SHAPE: a tape image with records of SHAPE in its blocks
    ///   awstape:sl,SHAPE: a tape image with standard labels
    ///   auto: the format that `charpipe detect --records` reports, if it is the only one
    #[arg(help_heading = RECORDS, long, value_name = "SHAPE", value_parser = shape_or_auto, verbatim_doc_comment)]
    records: Option<ShapeArg>,

    /// File of a tape image to read, by number (from 1) or data set name
    ///
    /// By default all files of the tape are read, one after the other. `--records auto` needs this option if there are
    /// several data sets; `charpipe detect --records` lists them.
    #[arg(hide_short_help = true, help_heading = RECORDS, long, requires = "records", value_name = "N|NAME", value_parser = tape_file)]
    tape_file: Option<TapeFile>,

    /// Write mainframe records: fb:80, rdw, vb:27998 ...
    ///
    /// Each line or each record of the input becomes a record. All shapes of --records can be written, except tapes
    /// with standard labels (awstape:sl). vb, vbs and tapes have a block size: vb:27998, awstape,fb:80,blksize=3200.
    #[arg(help_heading = RECORDS, long, required_if_eq("gaps", Gaps::Keep.name()), value_name = "SHAPE",
          value_parser = shape)]
    to_records: Option<Shape>,

    /// Trim the end of each record
    ///
    /// The default is `blanks`. With `--to-records`, `blanks` trims nothing.
    #[arg(help_heading = RECORDS, long, requires = "records", value_name = "WHAT", value_parser = choice(trim_help))]
    trim: Option<Padding>,

    /// Read column 1 as carriage control
    #[arg(help_heading = RECORDS, long, requires = "records", value_name = "CODE",
          value_parser = choice(carriage_help))]
    carriage_control: Option<Carriage>,

    /// Bytes of a record that are text, counted from 1: 1-40,57-
    ///
    /// With `--gaps keep`, a range may name its code page: 1-27=IBM1047,28-40=IBM300. Other ranges are in the page of `-f`.
    #[arg(help_heading = RECORDS, long, requires = "records", value_name = "LIST", value_parser = columns)]
    columns: Option<Columns>,

    /// Bytes outside --columns
    #[arg(hide_short_help = true, help_heading = RECORDS, long, requires = "columns", value_name = "WHAT", default_value = "drop",
          value_parser = choice(gaps_help))]
    gaps: Gaps,

    /// Replace shift codes with spaces, so that columns stay aligned
    #[arg(hide_short_help = true, help_heading = RECORDS, long, requires = "records")]
    shift_blanks: bool,

    /// Newlines inside a record
    ///
    /// A newline inside a record would split it into two lines, so the default is `error`. With `--to-records` the
    /// default is `keep`.
    #[arg(hide_short_help = true, help_heading = RECORDS, long, requires = "records", value_name = "POLICY",
          value_parser = choice(record_newlines_help))]
    record_newlines: Option<OnNewlineInRecord>,

    /// Text too long for its record
    #[arg(hide_short_help = true, help_heading = RECORDS, long, requires = "to_records", value_name = "POLICY", default_value = "fail",
          value_parser = choice(overlong_help))]
    overlong: OnOverlong,
}

pub(super) fn trim_help(padding: Padding) -> &'static str {
    match padding {
        Padding::Trim => "Spaces",
        Padding::Nuls => "NULs (low-values), but not spaces",
        Padding::TrimNuls => "Both, in any order",
        _ => "Nothing",
    }
}

fn carriage_help(codes: Carriage) -> &'static str {
    match codes {
        Carriage::Asa => "ASA characters (RECFM FBA, VBA): the paper moves before the line is printed",
        _ => "Machine codes (RECFM FBM, VBM): the paper moves after it",
    }
}

fn gaps_help(policy: Gaps) -> &'static str {
    match policy {
        Gaps::Drop => "Drop them",
        Gaps::Keep => "Copy them unchanged from records to records, and convert the columns in place",
        _ => "Write each as two hex digits",
    }
}

pub(super) fn record_newlines_help(policy: OnNewlineInRecord) -> &'static str {
    match policy {
        OnNewlineInRecord::Keep => "Keep it",
        OnNewlineInRecord::Space => "Replace it with a space",
        _ => "Stop with an error that says where it is",
    }
}

fn overlong_help(policy: OnOverlong) -> &'static str {
    match policy {
        OnOverlong::Fail => "Stop with an error that names the record",
        _ => "Cut it between two characters",
    }
}

/// The value of `--records`.
#[derive(Clone, Debug)]
pub(crate) enum ShapeArg {
    Auto,
    Named,
}

pub(super) fn shape(text: &str) -> Result<Shape, BadShape> {
    text.parse()
}

pub(super) fn shape_or_auto(text: &str) -> Result<ShapeArg, BadShape> {
    if text.eq_ignore_ascii_case("auto") { Ok(ShapeArg::Auto) } else { text.parse().map(|_: Shape| ShapeArg::Named) }
}

pub(super) fn tape_file(text: &str) -> Result<TapeFile, &'static str> {
    let is_zero = text.parse().is_ok_and(|number: u32| number == 0);
    if is_zero || text.trim().is_empty() {
        return Err("expected a number from 1, or the name of a data set");
    }
    text.parse().map_err(|never: std::convert::Infallible| match never {})
}

fn columns(text: &str) -> Result<Columns, BadColumns> {
    text.parse()
}

impl RecordArgs {
    /// Whether the input is records.
    pub(crate) fn is_given(&self) -> bool {
        self.records.is_some()
    }

    /// Returns the file of a tape image that was asked for.
    pub(crate) fn file(&self) -> Option<&TapeFile> {
        self.tape_file.as_ref()
    }

    /// Whether the bytes outside the columns are kept.
    pub(crate) fn carries_gaps(&self) -> bool {
        self.gaps == Gaps::Keep
    }

    /// Returns which of these options cannot be combined with others, for the message about that.
    pub(crate) fn not_combined(&self) -> &'static str {
        match &self.columns {
            _ if self.carries_gaps() => "--gaps keep",
            Some(columns) if columns.to_string().contains('=') => "--columns without --gaps keep",
            _ => "options",
        }
    }

    /// Whether the format has to be found out from the input.
    pub(crate) fn is_auto(&self) -> bool {
        matches!(self.records, Some(ShapeArg::Auto))
    }
}
