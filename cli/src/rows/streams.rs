//! The outputs of a run: the rows, in one stream or in a file for each record type; the rejected records; the report.

use crate::args::Rows;
use crate::ending::Ending;
use crate::files::input;
use crate::files::make_dir::open_or_make;
use crate::files::name::Name;
use crate::files::output::Output;
use crate::messages::say;
use crate::print::{self, Report};
use crate::rows::account::Account;
use crate::rows::work::{Done, Job};
use crate::rows::writer::RowWriter;
use crate::status::Status;
use charpipe::files::Place;
use charpipe::rows::RowsError;
use std::collections::HashSet;
use std::fs::Metadata;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

/// All outputs of a run.
pub(super) struct Streams {
    rows: RowStreams,
    rejects: Option<Output>,
    pub(super) report: Report,
}

/// Where the rows go.
enum RowStreams {
    One {
        output: Output,
        /// The text before the first row; empty once it is written.
        header: Vec<u8>,
    },
    ByType(Vec<TypeFile>),
}

/// The file of one record type.
struct TypeFile {
    output: Output,
    header: Vec<u8>,
}

/// The result of a write.
type Written = Result<(), Ending<RowsError>>;

impl Streams {
    /// Opens the outputs. Reports what cannot be opened, and outputs that would overwrite each other or an input.
    pub(super) fn open(args: &Rows, rows: &RowWriter) -> Result<Self, Status> {
        let rows = match &args.output_dir {
            Some(dir) => RowStreams::ByType(open_dir(args, dir, rows)?),
            None => RowStreams::One { output: open_output(args)?, header: rows.header(0) },
        };
        let rejects = args.rejects.as_deref().map(open).transpose()?.map(Output::written_to_the_end);
        let report = Report::open(args.report.as_deref())?;
        let streams = Streams { rows, rejects, report };
        streams.check(args)?;
        Ok(streams)
    }

    /// Refuses outputs that would replace each other, or what the run reads. Only the output of `-o` may replace an
    /// input, because the user has named it.
    fn check(&self, args: &Rows) -> Result<(), Status> {
        let mut outputs: Vec<&Output> = match &self.rows {
            RowStreams::One { output, .. } => vec![output],
            RowStreams::ByType(files) => files.iter().map(|file| &file.output).collect(),
        };
        outputs.extend(self.rejects.iter().chain(self.report.output()));
        for (index, one) in outputs.iter().enumerate() {
            if let Some(other) = outputs[..index].iter().find(|other| other.collides(one)) {
                say(format_args!("{}: {} and another output cannot be the same file", one.name, other.name));
                return Err(Status::Usage);
            }
        }
        let mut extras: Vec<&Output> = self.rejects.iter().chain(self.report.output()).collect();
        if let RowStreams::ByType(files) = &self.rows {
            extras.extend(files.iter().map(|file| &file.output));
        }
        protect_inputs(args, &outputs, &extras)
    }

    /// Returns the name of the output for messages: that of the file, or of the directory.
    pub(super) fn name(&self, args: &Rows) -> Name {
        match (&self.rows, &args.output_dir) {
            (RowStreams::One { output, .. }, _) => output.name.clone(),
            (RowStreams::ByType(_), Some(dir)) => Name::of_path(dir.as_os_str()),
            (RowStreams::ByType(_), None) => Name::stdout(),
        }
    }

    /// Returns whether reading `input` from now on would return what is written.
    pub(super) fn feed(&self, input: &Metadata) -> bool {
        match &self.rows {
            RowStreams::One { output, .. } => output.feeds(input),
            RowStreams::ByType(_) => false,
        }
    }

    /// Writes the headers that were not written yet. `written` counts their bytes.
    pub(super) fn write_headers(&mut self, written: &mut u64) -> Written {
        let mut write_once = |output: &mut Output, header: &mut Vec<u8>| {
            let header = std::mem::take(header);
            write(output, &header)?;
            *written += header.len() as u64;
            Ok(())
        };
        match &mut self.rows {
            RowStreams::One { output, header } => write_once(output, header),
            RowStreams::ByType(files) => {
                files.iter_mut().try_for_each(|file| write_once(&mut file.output, &mut file.header))
            }
        }
    }

    /// Writes the rows of a batch. `written` counts the bytes of rows.
    pub(super) fn write(&mut self, done: &Done, written: &mut u64) -> Written {
        for (index, text) in done.texts.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            let output = match &mut self.rows {
                RowStreams::One { output, .. } => output,
                RowStreams::ByType(files) => &mut files[index].output,
            };
            write(output, text)?;
            *written += text.len() as u64;
        }
        if let Some(rejects) = &mut self.rejects {
            let written = write(rejects, done.rejects.as_bytes());
            if written.is_err() {
                // What was cut does not take the place of a whole file.
                self.rejects = None;
            }
            written?;
        }
        Ok(())
    }

    /// Writes what follows the rows of all inputs; `is_complete` says whether none of them failed. An output that takes no
    /// more is the end of the last input's account.
    pub(super) fn end(&mut self, job: &Job, account: &mut Account, is_complete: bool) {
        if account.is_cut() {
            return;
        }
        let mut done = Done::default();
        done.texts.push(job.rows.end(is_complete));
        let written = self.write(&done, &mut account.bytes_out);
        account.ended = std::mem::replace(&mut account.ended, Ok(())).and(written);
    }

    /// Puts the rows and the rejected records in their places, all of them or none; `end` says how the work has ended.
    /// If an input failed, files stay as they were. Rejected records belong to the rows: if those were cut because an
    /// output takes no more, a file of rejected records stays as it was, too.
    pub(super) fn commit(&mut self, end: End) -> Result<(), (Name, io::Error)> {
        let mut outputs: Vec<Output> = match std::mem::replace(&mut self.rows, RowStreams::ByType(Vec::new())) {
            RowStreams::One { output, .. } => vec![output],
            RowStreams::ByType(files) => files.into_iter().map(|file| file.output).collect(),
        };
        let keeps_rejects = match end {
            End::Done => true,
            End::Cut => false,
            End::Failed => !outputs.iter().any(Output::is_replacing),
        };
        outputs.extend(self.rejects.take().filter(|rejects| keeps_rejects || !rejects.is_replacing()));
        if end != End::Done {
            outputs.retain(|output| !output.is_replacing() || keeps_rejects);
        }
        Output::commit_all(outputs)
    }
}

/// How the work on all inputs has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Done,
    /// An output takes no more: its reader is gone, or it cannot be written.
    Cut,
    /// An input failed.
    Failed,
}

/// Refuses outputs that would replace the layout or a table file, and `extras` that would replace an input. The main
/// output may replace an input.
pub(super) fn protect_inputs(args: &Rows, outputs: &[&Output], extras: &[&Output]) -> Result<(), Status> {
    let tables = args.tables.paths().map(Path::as_os_str);
    let descriptions = std::iter::once(args.layout.as_os_str()).chain(tables).filter_map(input::metadata).collect();
    let list = args.operands.files0_from.iter().filter_map(|list| input::metadata(list.as_os_str())).collect();
    let inputs = args.files().iter().filter_map(|path| input::metadata(path)).collect();
    let check = |outputs: &[&Output], inputs: Vec<Metadata>, what: &str| match outputs
        .iter()
        .find(|output| inputs.iter().any(|input| output.replaces(input)))
    {
        Some(output) => {
            say(format_args!("{}: this output cannot also be {what}", output.name));
            Err(Status::Usage)
        }
        None => Ok(()),
    };
    check(outputs, descriptions, "the layout or a table file")?;
    check(outputs, list, "the list of names")?;
    check(extras, inputs, "an input")
}

fn write(output: &mut Output, text: &[u8]) -> Written {
    output.write_all(text).map_err(|error| Ending::of_write(&output.name, error))
}

pub(super) fn open_output(args: &Rows) -> Result<Output, Status> {
    match &args.output {
        Some(path) => open(path),
        None => print::open_stdout(),
    }
}

fn open(path: &Path) -> Result<Output, Status> {
    print::opened(path, Output::path(path), "")
}

/// Opens the files of all record types in `dir`, which is made if it does not exist.
fn open_dir(args: &Rows, dir: &Path, rows: &RowWriter) -> Result<Vec<TypeFile>, Status> {
    let folder = Arc::new(open_or_make(dir).map_err(|error| print::no_directory(dir, &error))?);
    let mut taken = HashSet::new();
    let mut files = Vec::new();
    for (index, table) in rows.tables().iter().enumerate() {
        let name = file_name(table.name(), args.format.name(), &mut taken);
        let path = dir.join(&name);
        let place = Place { folder: folder.clone(), name: name.into() };
        let shown = Name::of_path(path.as_os_str());
        let output = print::opened(&path, Output::at(shown, place, path.is_symlink(), false), "")?;
        files.push(TypeFile { output: output.written_to_the_end(), header: rows.header(index) });
    }
    Ok(files)
}

/// The longest name of a file without its number and extension, in bytes. Most systems allow 255 in all.
const MAX_STEM: usize = 200;

/// Returns a file name for a record type that no other type has, even where case makes no difference.
fn file_name(record_type: &str, extension: &str, taken: &mut HashSet<String>) -> String {
    let is_safe = |ch: char| ch.is_alphanumeric() || matches!(ch, '-' | '_' | '.');
    let mut stem: String = record_type.chars().map(|ch| if is_safe(ch) { ch } else { '_' }).collect();
    if stem.starts_with(['.', '-']) {
        stem.insert(0, '_');
    }
    if stem.len() > MAX_STEM {
        stem.truncate((0..=MAX_STEM).rev().find(|end| stem.is_char_boundary(*end)).unwrap_or(0));
    }
    let base = stem.clone();
    let mut number = 1;
    while !taken.insert(stem.to_lowercase()) {
        number += 1;
        stem = format!("{base}-{number}");
    }
    format!("{stem}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let mut taken = HashSet::new();
        let mut name = |record_type: &str| file_name(record_type, "csv", &mut taken);
        assert_eq!(name("COMPANY"), "COMPANY.csv");
        assert_eq!(name("company"), "company-2.csv");
        assert_eq!(name("../a b"), "_.._a_b.csv");
        assert_eq!(name("A.B"), "A.B.csv");
        let long = format!("a{}", "é".repeat(150));
        let short = format!("a{}", "é".repeat(99));
        assert_eq!([name(&long), name(&long)], [format!("{short}.csv"), format!("{short}-2.csv")]);
    }
}
