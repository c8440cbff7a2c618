//! The options about records, and `--records auto`.

use crate::args::{RECORDS, one_of};
use charpipe::records::{BadColumns, BadShape, Carriage, Columns, Shape, TapeFile};
use charpipe::{Gaps, OnNewlineInRecord, OnOverlong, Padding, Transcode};
use clap::Args;

/// Records, as mainframes have them.
#[derive(Args, Clone)]
pub(crate) struct RecordArgs {
    /// Records become lines: fb:80, rdw, vb, vbs, u32 …, or auto
    ///
    ///   fb:N          every record has N bytes
    ///   rdw           a record descriptor word before each, big-endian, its length included
    ///   rdw:exclusive, rdw:le, rdw:le:exclusive   the length not included; little-endian; both
    ///   vb, vbs       blocks of records, or of segments of them, each behind a descriptor word
    ///   u32, u16      a length of four or two bytes, not included (z/OSMF and Zowe; CMS)
    ///   mode-b        FTP's block mode
    ///   awstape,SHAPE a tape image with SHAPE in its blocks; awstape:sl,SHAPE with standard labels
    ///   auto          what `charpipe detect --records` says, if that is one shape alone
    #[arg(help_heading = RECORDS, long, value_name = "SHAPE", value_parser = shape_or_auto, verbatim_doc_comment)]
    pub(crate) records: Option<ShapeArg>,

    /// The file of a tape image: its number, from 1, or the name of a data set
    ///
    /// Without it all files of the tape are read, one after the other. `--records auto` needs it where there are
    /// several data sets; `charpipe detect --records` lists them.
    #[arg(help_heading = RECORDS, long, requires = "records", value_name = "N|NAME", value_parser = tape_file)]
    file: Option<TapeFile>,

    /// Write records, or make them of lines: fb:80, rdw, vb:27998 …
    ///
    /// The shapes of --records. vb, vbs and a tape have a block size: vb:27998, awstape,fb:80,blksize=3200. Labels of
    /// tapes (awstape:sl) are not written.
    #[arg(help_heading = RECORDS, long, value_name = "SHAPE", value_parser = shape)]
    to_records: Option<Shape>,

    /// Keep blanks at the end of a record
    #[arg(help_heading = RECORDS, long, requires = "records")]
    keep_blanks: bool,

    /// Trim NULs too
    #[arg(help_heading = RECORDS, long, requires = "records", conflicts_with = "keep_blanks")]
    trim_nuls: bool,

    /// Column 1 is an ASA carriage control: lines, pages, overstrikes
    #[arg(help_heading = RECORDS, long, requires = "records", conflicts_with = "machine")]
    asa: bool,

    /// Column 1 is a machine carriage control
    #[arg(help_heading = RECORDS, long, requires = "records")]
    machine: bool,

    /// Only these bytes of a record are text, from 1: 1-40,57-
    #[arg(help_heading = RECORDS, long, requires = "records", value_name = "LIST", value_parser = columns)]
    columns: Option<Columns>,

    /// The other bytes: drop or hex [default: drop]
    #[arg(help_heading = RECORDS, long, requires = "columns", value_name = "WHAT", default_value = "drop", hide_default_value = true, hide_possible_values = true, value_parser = one_of(&[
        ("drop", Gaps::Drop),
        ("hex", Gaps::Hex),
    ]))]
    gaps: Gaps,

    /// Make blanks of shift codes, so that columns stay in place
    #[arg(help_heading = RECORDS, long, requires = "records")]
    shift_blanks: bool,

    /// Newlines inside a record: error, space or keep [default: error]
    ///
    /// A newline inside a record would make two lines of it. With --to-records it is kept by default.
    #[arg(help_heading = RECORDS, long, requires = "records", value_name = "POLICY", hide_possible_values = true, value_parser = one_of(&[
        ("keep", OnNewlineInRecord::Keep),
        ("space", OnNewlineInRecord::Space),
        ("error", OnNewlineInRecord::Error),
    ]))]
    record_newlines: Option<OnNewlineInRecord>,

    /// Text too long for its record: fail or cut [default: fail]
    ///
    /// It is cut between characters.
    #[arg(help_heading = RECORDS, long, requires = "to_records", value_name = "POLICY", default_value = "fail", hide_default_value = true, hide_possible_values = true, value_parser = one_of(&[
        ("fail", OnOverlong::Fail),
        ("cut", OnOverlong::Cut),
    ]))]
    overlong: OnOverlong,
}

/// The value of `--records`.
#[derive(Clone)]
pub(crate) enum ShapeArg {
    Auto,
    Shape(Shape),
}

fn shape(text: &str) -> Result<Shape, BadShape> {
    text.parse()
}

fn shape_or_auto(text: &str) -> Result<ShapeArg, BadShape> {
    if text.eq_ignore_ascii_case("auto") { Ok(ShapeArg::Auto) } else { text.parse().map(ShapeArg::Shape) }
}

pub(crate) fn tape_file(text: &str) -> Result<TapeFile, &'static str> {
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
    /// The run with what these options ask for.
    pub(crate) fn add(&self, mut transcode: Transcode) -> Transcode {
        match &self.records {
            Some(ShapeArg::Shape(shape)) => transcode = transcode.records(shape.clone()),
            // Something has to stand there, for what goes together to be checked.
            Some(ShapeArg::Auto) => {
                transcode = transcode.records(Shape::AwsTape { labels: false, shape: Box::new(Shape::RDW) })
            }
            None => {}
        }
        if let Some(file) = &self.file {
            transcode = transcode.tape_file(file.clone());
        }
        if let Some(shape) = &self.to_records {
            transcode = transcode.to_records(shape.clone());
        }
        if let Some(columns) = &self.columns {
            transcode = transcode.columns(columns.clone());
        }
        if self.asa || self.machine {
            transcode = transcode.carriage(if self.asa { Carriage::Asa } else { Carriage::Machine });
        }
        let blanks = match (self.keep_blanks, self.trim_nuls) {
            (true, _) => Padding::Keep,
            (false, true) => Padding::TrimNuls,
            (false, false) => Padding::Trim,
        };
        if let Some(policy) = self.record_newlines {
            transcode = transcode.newlines_in_records(policy);
        }
        transcode.blanks(blanks).gaps(self.gaps).shifts_as_blanks(self.shift_blanks).overlong(self.overlong)
    }

    /// The file of a tape that is asked for.
    pub(crate) fn file(&self) -> Option<&TapeFile> {
        self.file.as_ref()
    }

    pub(crate) fn is_auto(&self) -> bool {
        matches!(self.records, Some(ShapeArg::Auto))
    }
}
