//! Goes through the inputs of a run: one after the other into one output, or several at once into separate outputs.

use crate::args::Convert;
use crate::convert::collector::Collector;
use crate::convert::converter::Converter;
use crate::convert::in_order::{MAX_WAITING, in_order};
use crate::convert::outcome::Outcome;
use crate::convert::plan::Plan;
use crate::convert::publisher::{MAX_FILES, MIN_FILES, Publisher};
use crate::convert::task::Task;
use crate::ending::Ending;
use crate::files::descriptors::{affordable_jobs, affordable_waiting};
use crate::files::output::Output;
use crate::messages::progress::Meter;
use crate::status::Status;
use charpipe::Bom;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Run<'a> {
    pub(crate) args: &'a Convert,
    pub(crate) plan: &'a Plan,
    pub(crate) converter: Converter<'a>,
    pub(crate) meter: &'a Meter,
}

impl Run<'_> {
    /// Converts all inputs into one output, one after the other. Not inlined, as [`Self::convert_into_many`] is not: a
    /// run needs the stack of one of the two (see [`crate::apart`]).
    #[inline(never)]
    pub(crate) fn convert_into_one(&self, output: &mut Output, collector: &mut Collector<'_>) {
        let mut has_output = false;
        for task in &self.plan.tasks {
            let transcode = self.converter.transcode_of(task);
            // In the middle of the output, a byte order mark would be a character of the text.
            let transcode = if has_output { Cow::Owned(transcode.into_owned().bom(Bom::Strip)) } else { transcode };
            let outcome = self.converter.convert_into(task, transcode, output);
            has_output |= outcome.report.bytes_out > 0;
            let is_failure = outcome.ended.status() != Status::Done;
            let is_over =
                outcome.ended.early().is_some_and(Ending::is_of_output) || is_failure && self.args.many.fail_fast;
            self.meter.add_file();
            if self.meter.aside(|| collector.take(task, &outcome)).is_break() || is_over {
                break;
            }
        }
    }

    /// Converts each input into a separate output.
    #[inline(never)]
    pub(crate) fn convert_into_many(&self, collector: &mut Collector<'_>) {
        // With --fail-fast, the inputs before the first that fails are converted even if another thread gets there
        // first, and those after it that have begun are finished.
        let first_failed = AtomicUsize::new(usize::MAX);
        let workers = self.plan.workers.min(affordable_jobs());
        // As many as wait in the publisher may wait for an earlier input before.
        let are_many = self.plan.tasks.len() >= MIN_FILES && !self.args.many.fail_fast;
        let most = if are_many { MAX_FILES.min(affordable_waiting(workers) / 2) } else { 0 };
        let may_wait = most >= MIN_FILES;
        let work = |number, task: &Task| {
            if number > first_failed.load(Ordering::Relaxed) {
                return None;
            }
            let converted = self.converter.convert(task, may_wait);
            if self.args.many.fail_fast && converted.outcome.ended.status() != Status::Done {
                first_failed.fetch_min(number, Ordering::Relaxed);
            }
            self.meter.add_file();
            Some(converted)
        };
        // The bar is taken away only for files with messages: for thousands of files without any, it would flicker.
        let always_prints = self.args.messages.verbose || self.args.many.check || self.args.report_is_said();
        let mut take = |(task, outcome): (&Task, Outcome)| {
            if always_prints || !outcome.is_silent() {
                self.meter.aside(|| collector.take(task, &outcome))
            } else {
                collector.take(task, &outcome)
            }
        };
        let mut publisher = Publisher::new(&self.converter, most);
        let waiting = if may_wait { most } else { MAX_WAITING };
        in_order(&self.plan.tasks, workers, waiting, work, |task, converted| {
            publisher.add(task, converted).into_iter().try_for_each(&mut take)
        });
        _ = publisher.publish().into_iter().try_for_each(take);
    }
}
