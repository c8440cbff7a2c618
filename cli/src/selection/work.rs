//! Counts the work of a search, for tests: names that are compared with globs, and directories that are opened.

use std::cell::Cell;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts a step.
pub(crate) fn step() {
    STEPS.set(STEPS.get() + 1);
}

/// Returns the steps of `act`, on this thread.
#[cfg(target_os = "linux")]
pub(crate) fn steps_of(act: impl FnOnce()) -> u64 {
    STEPS.set(0);
    act();
    STEPS.get()
}
