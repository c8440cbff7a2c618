//! `--merge`: the rows of several files in the order of their column `_number`, as before `--output-dir` separated them.

use crate::args::Rows;
use crate::ending::{self, Ending};
use crate::files::name::Name;
use crate::panics;
use crate::print::Report;
use crate::rows::back::cells::Cells;
use crate::rows::back::run::{Counts, RowFile, Run};
use crate::rows::back::trouble::{BadRow, Ended, Trouble};
use crate::status::Status;
use charpipe::fields::Column;
use charpipe::rows::RowFormat;
use std::ffi::OsString;

/// A file of rows.
struct Source<'a> {
    file: RowFile,
    /// Its next row.
    cells: Cells<'a>,
    /// The number of that row; `None` at the end of the file.
    number: Option<u64>,
}

/// The work on all files.
struct Merge {
    /// The file that is read.
    at: usize,
    /// What there was of each file.
    counts: Vec<Counts>,
}

/// Writes the records of all inputs in the order of their numbers. The first error ends the work.
pub(super) fn run(
    args: &Rows,
    mut run: Run<'_>,
    format: RowFormat,
    columns: &[Column],
    mut report: Report,
) -> Result<Status, Status> {
    let paths = args.files();
    let mut merge = Merge { at: 0, counts: vec![Counts::default(); paths.len()] };
    let ended = panics::catch(|| merge.all(&mut run, &paths, format, columns));
    let ended = ended.unwrap_or_else(|panic| Err(Ending::Panicked(panic)));
    // The records before an error are delivered.
    let mut ended = if ended.as_ref().is_err_and(Ending::is_of_output) { ended } else { run.flush().and(ended) };
    let mut worst = ending::status(&ended);
    if !ended.as_ref().is_err_and(Ending::is_of_output) {
        let before = run.counts();
        let finished = run.finish(worst);
        merge.counts[merge.at].add(run.counts().since(before));
        ended = ended.and(finished);
    }
    worst = worst.max(ending::status(&ended));
    let ending = ended.err();
    for (index, path) in paths.iter().enumerate() {
        let ending = ending.as_ref().filter(|_| index == merge.at);
        worst = worst.max(run.account(args, &mut report, &Name::of_operand(path), path, merge.counts[index], ending));
    }
    Ok(worst.max(report.finish()))
}

impl Merge {
    fn all(&mut self, run: &mut Run<'_>, paths: &[OsString], format: RowFormat, columns: &[Column]) -> Ended {
        let mut sources = Vec::new();
        for (index, path) in paths.iter().enumerate() {
            self.at = index;
            let file = run.open(path, format)?;
            let mut source = Source { file, cells: Cells::new(&run.setup.job, columns), number: None };
            source.next(run)?;
            sources.push(source);
        }
        let mut last = 0;
        let first = |sources: &[Source<'_>]| {
            let numbers = sources.iter().enumerate().filter_map(|(index, source)| Some((source.number?, index)));
            numbers.min()
        };
        while let Some((number, index)) = first(&sources) {
            self.at = index;
            let source = &mut sources[index];
            if number <= last {
                let what =
                    format!("its _number {number} does not come after {last}: every record has its own, in order");
                return Err(Trouble::malformed(source.cells.place(), what));
            }
            last = number;
            let before = run.counts();
            run.write(&source.cells)?;
            self.counts[index].add(run.counts().since(before));
            source.next(run)?;
        }
        Ok(())
    }
}

impl Source<'_> {
    /// Reads the next row, which has a number.
    fn next(&mut self, run: &mut Run<'_>) -> Ended {
        let more = run.read(&mut self.file, &mut self.cells)?;
        self.number = if more { self.cells.number() } else { None };
        match self.cells.place() {
            _ if !more || self.number.is_some() => Ok(()),
            // Nothing was written yet.
            place if place.row == 1 => Err(Trouble(place, BadRow::NoNumber).into()),
            place => Err(Trouble::malformed(place, "its _number is missing, or not a number")),
        }
    }
}
