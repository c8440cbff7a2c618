//! Receives the outcome of every input, in input order; prints and reports it.

use crate::args::Convert;
use crate::convert::ended::Ended;
use crate::convert::outcome::Outcome;
use crate::convert::outcome_messages::{check_line, say_outcome};
use crate::convert::summary::Summary;
use crate::convert::task::Task;
use crate::ending::Ending;
use crate::files::output::Output;
use crate::messages::json::{self, LeftAloneObject, ReportObject};
use crate::messages::say;
use crate::print;
use crate::selection::left_alone::LeftAlone;
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
    /// What was left alone in directories, if these are searched.
    left_alone: Option<LeftAlone>,
    worst: Status,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        args: &'a Convert,
        report: Option<Output>,
        lines: Option<Output>,
        left_alone: Option<LeftAlone>,
    ) -> Self {
        Collector { args, report, lines, summary: Summary::default(), left_alone, worst: Status::Done }
    }

    /// Prints and reports the outcome of one input. Breaks if nobody reads the output of `--check` any more.
    pub(crate) fn take(&mut self, task: &Task, outcome: &Outcome) -> ControlFlow<()> {
        let name = task.name();
        self.raise(outcome.ended.status());
        self.summary.add(outcome);
        let is_left = matches!(outcome.ended, Ended::LeftAlone(_));
        if let Some(left_alone) = self.left_alone.as_mut().filter(|_| is_left) {
            left_alone.binary += 1;
        }
        say_outcome(outcome, self.args, &name, &task.path.text());
        if self.report.is_some() {
            let object = ReportObject::of(
                &name,
                &outcome.output,
                &outcome.report,
                outcome.ended.early().is_some_and(Ending::is_stopped),
                outcome.ended.early().and_then(Ending::object),
            );
            let line = match self.left_alone {
                Some(_) => json::line(&object.left_alone(is_left.then_some("binary"))),
                None => json::line(&object),
            };
            self.write_report(&line);
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

    /// Writes a line of the report, unless one could not be written before.
    fn write_report(&mut self, line: &str) {
        let Some(file) = &mut self.report else { return };
        if let Err(error) = file.write_all(line.as_bytes()) {
            let status = print::cannot_write(&file.name, &error);
            self.raise(status);
            self.report = None;
        }
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

    /// Says and reports what was left alone, finishes the report, and returns the status of the run.
    pub(crate) fn finish(mut self) -> Status {
        if let Some(left_alone) = self.left_alone {
            if !self.args.messages.quiet {
                left_alone.message().iter().for_each(say);
            }
            if left_alone != LeftAlone::default() {
                self.write_report(&json::line(&LeftAloneObject::new(left_alone)));
            }
        }
        if let Some(report) = self.report.take() {
            let name = report.name.clone();
            self.raise(print::finish(&name, report.commit()));
        }
        self.worst
    }
}
