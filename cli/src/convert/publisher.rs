//! Puts new files in their places. Those of short inputs wait for each other, so that many are written to disk at once: a
//! disk takes as long for one short file as for hundreds.

use crate::convert::converter::{Converted, Converter};
use crate::convert::outcome::Outcome;
use crate::convert::task::Task;
use crate::files::output::Output;
use std::collections::VecDeque;

/// How many new files wait at most. A run that is killed has these to convert again.
pub(crate) const MAX_FILES: usize = 128;

/// How many inputs a run has at least if new files wait.
pub(crate) const MIN_FILES: usize = 32;

pub(crate) struct Publisher<'a> {
    converter: &'a Converter<'a>,
    /// How many new files may wait.
    most: usize,
    /// The inputs that were converted, in their order.
    waiting: VecDeque<(&'a Task, Converted)>,
    /// How many of them have a new file.
    files: usize,
}

impl<'a> Publisher<'a> {
    pub(crate) fn new(converter: &'a Converter<'a>, most: usize) -> Self {
        Publisher { converter, most, waiting: VecDeque::new(), files: 0 }
    }

    /// Takes the next input that was converted. Returns those whose outputs are in their places now, in order.
    pub(crate) fn add(&mut self, task: &'a Task, converted: Converted) -> Vec<(&'a Task, Outcome)> {
        self.files += usize::from(converted.waiting.is_some());
        self.waiting.push_back((task, converted));
        if self.files == 0 || self.files >= self.most { self.publish() } else { Vec::new() }
    }

    /// Puts all new files in their places, and returns the inputs.
    pub(crate) fn publish(&mut self) -> Vec<(&'a Task, Outcome)> {
        let outputs: Vec<&Output> =
            self.waiting.iter().filter_map(|(_, converted)| converted.waiting.as_ref()).collect();
        let mut prepared = Output::prepare_all(&outputs).into_iter();
        self.files = 0;
        let publish = |(task, Converted { outcome, waiting })| match waiting {
            None => (task, outcome),
            Some(output) => {
                let (prepared, name) = (prepared.next().unwrap_or(Ok(())), output.name.clone());
                (task, self.converter.catch_panic(&name, || self.converter.publish(outcome, output, prepared)))
            }
        };
        self.waiting.drain(..).map(publish).collect()
    }
}
