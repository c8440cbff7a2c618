//! Does work in several threads, and hands over the outcomes in the order of the tasks.

use std::cell::Cell;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How many outcomes may wait for an earlier one, at most. Each has at most a few KiB.
pub(crate) const MAX_WAITING: usize = 512;

/// The outcomes are handed over as soon as one of so many of them wait,
const PART: usize = 8;

/// and at least this often. To wake a thread takes as long as to convert a short file.
const PAUSE: Duration = Duration::from_millis(10);

/// Calls `work` with each of `tasks` and its number, in up to `workers` threads, and calls `done` with the outcomes, on
/// this thread and in the order of the tasks. At most `waiting` outcomes wait for an earlier one. A task for which `work`
/// returns `None` was skipped. Once `done` breaks, no other task is begun.
pub(crate) fn in_order<'t, T: Sync, D: Send>(
    tasks: &'t [T],
    workers: NonZeroUsize,
    waiting: usize,
    work: impl Fn(usize, &T) -> Option<D> + Sync,
    mut done: impl FnMut(&'t T, D) -> ControlFlow<()>,
) {
    let workers = workers.get().min(tasks.len());
    if workers <= 1 {
        return alone(tasks, &work, &mut done);
    }
    let queue = Queue::new(tasks.len(), waiting);
    thread::scope(|scope| {
        let begin = || thread::Builder::new().spawn_scoped(scope, || queue.serve(tasks, &work));
        // If the system grants fewer threads, those do the work.
        if (0..workers).take_while(|_| begin().is_ok()).count() == 0 {
            return alone(tasks, &work, &mut done);
        }
        // If `done` panics, the workers end too.
        let _end = OnDrop(|| queue.end());
        let mut outcomes = Vec::new();
        let mut number = 0;
        while queue.take(number, &mut outcomes) {
            for outcome in outcomes.drain(..) {
                let task = &tasks[number];
                number += 1;
                if outcome.is_some_and(|outcome| done(task, outcome).is_break()) {
                    return;
                }
            }
        }
    });
}

/// Does the work on this thread.
fn alone<'t, T, D>(
    tasks: &'t [T],
    work: &impl Fn(usize, &T) -> Option<D>,
    done: &mut impl FnMut(&'t T, D) -> ControlFlow<()>,
) {
    _ = tasks.iter().enumerate().try_for_each(|(number, task)| match work(number, task) {
        Some(outcome) => done(task, outcome),
        None => ControlFlow::Continue(()),
    });
}

/// The state that the threads share.
struct Queue<D> {
    state: Mutex<State<D>>,
    /// Outcomes can be handed over.
    ready: Condvar,
    /// More tasks may be begun, or none any more.
    room: Condvar,
    /// How many outcomes may wait.
    waiting: usize,
}

struct State<D> {
    /// How many tasks there are; fewer once it is over.
    len: usize,
    /// The next task to begin.
    next: usize,
    /// The tasks before this one are handed over.
    handed: usize,
    /// The number of the first of `outcomes`.
    first: usize,
    /// The outcome of each task that is begun and not taken, once it is known.
    outcomes: VecDeque<Option<Option<D>>>,
    /// How many of them are known.
    known: usize,
    /// Whether the thread that hands over waits for `ready`, and how many threads wait for `room`. Waking is a system
    /// call, even if no one waits.
    is_awaited: bool,
    idle: usize,
}

impl<D> Queue<D> {
    fn new(len: usize, waiting: usize) -> Self {
        let outcomes = VecDeque::new();
        let state = State { len, next: 0, handed: 0, first: 0, outcomes, known: 0, is_awaited: false, idle: 0 };
        Queue { state: Mutex::new(state), ready: Condvar::new(), room: Condvar::new(), waiting }
    }

    fn state(&self) -> MutexGuard<'_, State<D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work until there is no more.
    fn serve<T>(&self, tasks: &[T], work: &impl Fn(usize, &T) -> Option<D>) {
        while let Some(number) = self.begin() {
            // If `work` panics, the task counts as skipped, and no one waits for it.
            let outcome = Cell::new(None);
            let _known = OnDrop(|| self.know(number, outcome.take()));
            outcome.set(work(number, &tasks[number]));
        }
    }

    /// Returns the next task to begin, once it may be.
    fn begin(&self) -> Option<usize> {
        let mut state = self.state();
        while state.next < state.len && state.next >= state.handed + self.waiting {
            state.idle += 1;
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
        if state.next >= state.len {
            return None;
        }
        state.outcomes.push_back(None);
        state.next += 1;
        Some(state.next - 1)
    }

    /// Notes the outcome of a task.
    fn know(&self, number: usize, outcome: Option<D>) {
        let mut state = self.state();
        let at = number - state.first;
        state.outcomes[at] = Some(outcome);
        state.known += 1;
        let is_enough = state.known >= self.waiting.div_ceil(PART) || state.known == state.len - state.first;
        if is_enough && state.is_awaited {
            self.ready.notify_one();
        }
    }

    /// Waits for outcomes, and moves those that can be handed over to `outcomes`. `handed` are handed over already.
    /// Returns `false` if that is all.
    fn take(&self, handed: usize, outcomes: &mut Vec<Option<D>>) -> bool {
        let mut state = self.state();
        state.handed = handed;
        if state.idle > 0 {
            self.room.notify_all();
        }
        if handed == state.len {
            return false;
        }
        while !matches!(state.outcomes.front(), Some(Some(_))) {
            state.is_awaited = true;
            state = self.ready.wait_timeout(state, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
            state.is_awaited = false;
        }
        while let Some(Some(_)) = state.outcomes.front() {
            outcomes.extend(state.outcomes.pop_front().flatten());
            state.first += 1;
            state.known -= 1;
        }
        true
    }

    /// Has no other task begun.
    fn end(&self) {
        let mut state = self.state();
        state.len = state.next;
        self.room.notify_all();
    }
}

/// Calls a function when it is dropped, by a panic too.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        self.0();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn workers(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).unwrap()
    }

    #[test]
    fn outcomes_come_in_the_order_of_the_tasks() {
        for count in [1, 2, 7] {
            let tasks: Vec<usize> = (0..2 * MAX_WAITING + 3).collect();
            let (mut seen, begun) = (Vec::new(), AtomicUsize::new(0));
            let work = |_, task: &usize| {
                begun.fetch_max(task + 1, Ordering::SeqCst);
                // Some are overtaken.
                while count > 1 && task.is_multiple_of(100) && begun.load(Ordering::SeqCst) < task + 2 {
                    thread::yield_now();
                }
                Some(task * 2)
            };
            in_order(&tasks, workers(count), MAX_WAITING, work, |task, outcome| {
                assert_eq!(outcome, task * 2);
                seen.push(*task);
                ControlFlow::Continue(())
            });
            assert_eq!(seen, tasks, "{count} workers");
        }
    }

    /// Several workers are separate threads, and a single one is this thread.
    #[test]
    fn where_the_work_is_done() {
        let here = thread::current().id();
        for (count, tasks, is_here) in [(1, 3, true), (2, 1, true), (2, 2, false), (3, 50, false)] {
            let work = |_, _: &()| Some(thread::current().id() == here);
            in_order(&vec![(); tasks], workers(count), MAX_WAITING, work, |_, found| {
                assert_eq!(found, is_here, "{count} workers, {tasks} tasks");
                ControlFlow::Continue(())
            });
        }
    }

    #[test]
    fn no_more_run_ahead_than_may_wait() {
        let tasks: Vec<usize> = (0..4 * MAX_WAITING).collect();
        let (begun, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |_, task: &usize| {
            // Those that are done, this one, and those that wait.
            assert!(*task <= done.load(Ordering::SeqCst) + MAX_WAITING, "{task}");
            begun.fetch_add(1, Ordering::SeqCst);
            // The others continue until no more outcomes may wait.
            while *task == 0 && begun.load(Ordering::SeqCst) < MAX_WAITING {
                thread::yield_now();
            }
            Some(())
        };
        in_order(&tasks, workers(3), MAX_WAITING, work, |_, ()| {
            done.fetch_add(1, Ordering::SeqCst);
            ControlFlow::Continue(())
        });
        assert_eq!((begun.into_inner(), done.into_inner()), (tasks.len(), tasks.len()));
    }

    #[test]
    fn it_ends_where_it_is_told() {
        for count in [1, 3] {
            let tasks: Vec<usize> = (0..5000).collect();
            let begun = AtomicUsize::new(0);
            let mut seen = 0;
            let work = |_, task: &usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                Some(*task)
            };
            in_order(&tasks, workers(count), MAX_WAITING, work, |_, task| {
                seen += 1;
                if task == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!(seen, 10);
            // Those that were done, and those that were waiting.
            assert!(begun.into_inner() <= if count == 1 { 10 } else { 10 + MAX_WAITING }, "{count} workers");

            let mut seen = Vec::new();
            let work = |number, task: &usize| (*task < 9 || number == 4000).then_some(*task);
            in_order(&tasks, workers(count), MAX_WAITING, work, |_, task| {
                seen.push(task);
                ControlFlow::Continue(())
            });
            assert_eq!(seen, (0..9).chain([4000]).collect::<Vec<_>>(), "{count} workers");
        }
    }
}
