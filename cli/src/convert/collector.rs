//! Receives the outcome of every input, in input order; prints and reports it.

use crate::args::Convert;
use crate::convert::outcome::Outcome;
use crate::convert::outcome_messages::{check_line, say_outcome};
use crate::convert::summary::Summary;
use crate::convert::task::Task;
use crate::files::output::Output;
use crate::messages::json::{self, ReportObject};
use crate::print;
use crate::status::Status;
use charpipe::files::ChangedFolders;
use std::io::Write as _;
use std::ops::ControlFlow;

pub(crate) struct Collector<'a> {
    args: &'a Convert,
    /// The output of `--report`, until it cannot be written.
    report: Option<Output>,
    /// The output of `--check`.
    lines: Option<Output>,
    summary: Summary,
    worst: Status,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(args: &'a Convert, report: Option<Output>, lines: Option<Output>) -> Self {
        Collector { args, report, lines, summary: Summary::default(), worst: Status::Done }
    }

    /// Prints and reports the outcome of one input. Breaks if nobody reads the output of `--check` any more.
    pub(crate) fn take(&mut self, task: &Task, outcome: &Outcome) -> ControlFlow<()> {
        let name = task.name();
        self.raise(outcome.ending.status());
        self.summary.add(outcome);
        say_outcome(outcome, self.args, &name, &task.path.text());
        if let Some(file) = &mut self.report {
            let Outcome { output, report, ending, .. } = outcome;
            let line = json::line(&ReportObject::of(&name, output, report, ending.is_stopped(), ending.object()));
            if let Err(error) = file.write_all(line.as_bytes()) {
                let status = print::cannot_write(&file.name, &error);
                self.raise(status);
                self.report = None;
            }
        }
        if let Some(file) = &mut self.lines {
            let written = file.write_all(check_line(outcome, &name).as_bytes());
            if written.is_err() {
                let status = print::finish(&file.name, written);
                self.raise(status);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Puts the output of all inputs in its place, unless one of them failed. What was written to a stream stays there in
    /// any case.
    pub(crate) fn commit(&mut self, output: Output) {
        if self.worst == Status::Done || !output.is_replacing() {
            let name = output.name.clone();
            self.raise(print::finish(&name, output.commit()));
        }
    }

    /// Writes the names of new files to disk.
    pub(crate) fn sync(&mut self, folders: &ChangedFolders) {
        if let Err(error) = folders.sync() {
            self.raise(print::cannot_write("a directory", &error));
        }
    }

    /// Makes `status` the status of the run, if it is worse.
    fn raise(&mut self, status: Status) {
        self.worst = self.worst.max(status);
    }

    /// Prints the counts of a run over `count` files.
    pub(crate) fn summarize(&self, count: usize) {
        if !self.args.messages.quiet {
            self.summary.say(count, self.args.many.check);
        }
    }

    /// Finishes the report, and returns the status of the run.
    pub(crate) fn finish(mut self) -> Status {
        if let Some(report) = self.report.take() {
            let name = report.name.clone();
            self.raise(print::finish(&name, report.commit()));
        }
        self.worst
    }
}
