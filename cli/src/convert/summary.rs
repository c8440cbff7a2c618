//! The summary of a run over many files: a few lines at the end.

use crate::convert::ended::Ended;
use crate::convert::outcome::Outcome;
use crate::messages::{Count, say};
use crate::status::Status;
use std::collections::HashMap;

/// How many encodings are listed.
const MAX_LISTED: usize = 10;

/// Counts of files, bytes and encodings.
#[derive(Default)]
pub(crate) struct Summary {
    converted: u64,
    unchanged: u64,
    left_alone: u64,
    failed: u64,
    bytes_in: u64,
    bytes_out: u64,
    /// The number of files in each encoding.
    encodings: HashMap<String, u64>,
}

impl Summary {
    /// Counts one more input. The bytes of one that failed do not count.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        if outcome.ended.status() != Status::Done {
            self.failed += 1;
            return;
        }
        match outcome.ended {
            Ended::LeftAlone(_) => {
                self.left_alone += 1;
                return;
            }
            Ended::Unchanged => self.unchanged += 1,
            _ => self.converted += 1,
        }
        self.bytes_in += outcome.report.bytes_in;
        self.bytes_out += outcome.report.bytes_out;
        let from = outcome.report.from.as_deref().unwrap_or("unknown");
        match self.encodings.get_mut(from) {
            Some(count) => *count += 1,
            None => _ = self.encodings.insert(from.to_owned(), 1),
        }
    }

    /// Prints the counts if there is more than one file. `total` is the number of files of the run, and `check` is whether
    /// nothing was written.
    pub(crate) fn say(&self, total: usize, check: bool) {
        let Summary { converted, unchanged, left_alone, failed, bytes_in, bytes_out, .. } = self;
        if total < 2 {
            return;
        }
        let done = if check { "would be converted" } else { "converted" };
        let mut line = format!("{} {done}", Count(*converted, "file"));
        let left = (total as u64).saturating_sub(converted + unchanged + left_alone + failed);
        for (count, what) in [(*unchanged, "unchanged"), (*failed, "failed"), (left, "not started")] {
            if count > 0 {
                line.push_str(&format!(", {count} {what}"));
            }
        }
        let (read, written) = (Count(*bytes_in, "byte"), Count(*bytes_out, "byte"));
        say(format_args!("{line}; {read} in, {written} out"));
        // The most frequent first, and those of equal counts by name.
        let mut encodings: Vec<_> = self.encodings.iter().collect();
        encodings.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
        let width = encodings.first().map_or(0, |(_, count)| count.to_string().len());
        let named = if encodings.len() > MAX_LISTED + 1 { MAX_LISTED } else { encodings.len() };
        for (name, count) in &encodings[..named] {
            say(format_args!("  {count:width$} {name}"));
        }
        let rest = &encodings[named..];
        if !rest.is_empty() {
            let files: u64 = rest.iter().map(|(_, count)| **count).sum();
            say(format_args!("  {files:width$} in {} other encodings", rest.len()));
        }
    }
}
