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
use crate::print::{self, Report};
use crate::selection::left_alone::LeftAlone;
use crate::status::Status;
use charpipe::files::ChangedFolders;
use std::io::Write as _;
use std::ops::ControlFlow;

pub(crate) struct Collector<'a> {
    args: &'a Convert,
    report: Report,
    /// The output of `--check`.
    lines: Option<Output>,
    summary: Summary,
    /// The files that were skipped in directories, if these are searched.
    left_alone: Option<LeftAlone>,
    worst: Status,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(args: &'a Convert, report: Report, lines: Option<Output>, left_alone: Option<LeftAlone>) -> Self {
        Collector { args, report, lines, summary: Summary::default(), left_alone, worst: Status::Done }
    }

    /// Prints and reports the outcome of one input. Breaks if no one reads the output of `--check` any more.
    pub(crate) fn take(&mut self, task: &Task, outcome: &Outcome) -> ControlFlow<()> {
        let name = task.name();
        self.raise(outcome.ended.status());
        self.summary.add(outcome);
        let is_left = matches!(outcome.ended, Ended::LeftAlone(_));
        if let Some(left_alone) = self.left_alone.as_mut().filter(|_| is_left) {
            left_alone.binary += 1;
        }
        say_outcome(outcome, self.args, &name, &task.path);
        let status = self.report.write(|| {
            let (output, report, ending) = (&outcome.output, &outcome.report, outcome.ended.early());
            let (stopped, error) = (ending.is_some_and(Ending::is_stopped), ending.and_then(Ending::object));
            let left_alone = self.left_alone.map(|_| is_left.then_some("binary"));
            json::line(&ReportObject::of(&name, output, report, stopped, error, left_alone))
        });
        self.raise(status);
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

    /// Puts the output of all inputs in its place, unless one of them failed. What was written to a stream stays there
    /// in any case.
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
                let status = self.report.write(|| json::line(&LeftAloneObject::new(left_alone)));
                self.raise(status);
            }
        }
        self.worst.max(self.report.finish())
    }
}
