//! How many files can be open at once.

use crate::files::streams::descriptor_limit;
use std::num::NonZeroUsize;

/// How many descriptors the conversion of one file takes at most: the input, the new file, the old one, the directories of
/// the input, of the output and of the backup, and two on the way to a directory.
const PER_JOB: usize = 8;

/// How many of them a new file takes that waits for others: all but the input, and those on the way to a directory.
const PER_WAITING: usize = 4;

/// How many descriptors are left for the rest of the run: directories that wait to be written to disk, and what the system
/// opens.
const RESERVE: usize = 6;

/// Returns how many files this process can convert at once, in addition to what is open now.
pub(crate) fn affordable_jobs() -> NonZeroUsize {
    descriptor_limit().map_or(NonZeroUsize::MAX, |limit| jobs_within(limit, open_now()))
}

/// Returns how many new files can wait for others before they take their places, while this many are converted at once.
pub(crate) fn affordable_waiting(jobs: NonZeroUsize) -> usize {
    let limit = descriptor_limit().unwrap_or(usize::MAX);
    limit.saturating_sub(open_now() + RESERVE).saturating_sub(jobs.get().saturating_mul(PER_JOB)) / PER_WAITING
}

/// Returns the number of open descriptors, or of those that a run usually has if the system does not tell.
fn open_now() -> usize {
    const USUAL: usize = 12;

    std::fs::read_dir("/dev/fd").map_or(USUAL, Iterator::count)
}

fn jobs_within(limit: usize, open: usize) -> NonZeroUsize {
    NonZeroUsize::new(limit.saturating_sub(open + RESERVE) / PER_JOB).unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_the_limit_allows() {
        for (limit, open, jobs) in [(1024, 10, 126), (64, 10, 6), (20, 10, 1), (10, 10, 1), (0, 3, 1)] {
            assert_eq!(jobs_within(limit, open).get(), jobs, "{limit}");
        }
        assert!(affordable_jobs().get() > 1);
    }
}
