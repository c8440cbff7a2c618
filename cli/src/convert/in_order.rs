//! Does work in several threads, and hands over the outcomes in the order of the tasks.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many outcomes may wait for an earlier one. Each has at most a few KiB.
const MAX_WAITING: usize = 512;

/// Calls `work` with each of `tasks` and its number, in up to `workers` threads, and calls `done` with the outcomes, on this
/// thread and in the order of the tasks. A task for which `work` returns `None` was skipped. Once `done` breaks, no other
/// task is begun.
pub(crate) fn in_order<T: Sync, D: Send>(
    tasks: &[T],
    workers: NonZeroUsize,
    work: impl Fn(usize, &T) -> Option<D> + Sync,
    mut done: impl FnMut(&T, D) -> ControlFlow<()>,
) {
    let workers = workers.get().min(tasks.len());
    if workers <= 1 {
        return alone(tasks, &work, &mut done);
    }
    let (orders, taken) = mpsc::channel();
    let taken = Mutex::new(taken);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let begin = || thread::Builder::new().spawn_scoped(scope, || serve(&taken, &over, &work));
        // If the system grants fewer threads, those do the work.
        if (0..workers).take_while(|_| begin().is_ok()).count() == 0 {
            return alone(tasks, &work, &mut done);
        }
        // Dropped at the end of this closure, which ends the workers.
        let orders = orders;
        let mut waiting = VecDeque::new();
        let mut all = tasks.iter().enumerate();
        loop {
            while waiting.len() < MAX_WAITING
                && let Some((number, task)) = all.next()
            {
                let (answer, answered) = mpsc::channel();
                // Cannot fail: the receiver lives as long as this function.
                _ = orders.send((number, task, answer));
                waiting.push_back((task, answered));
            }
            let Some((task, answered)) = waiting.pop_front() else { break };
            let outcome: Option<D> = answered.recv().ok().flatten();
            if outcome.is_some_and(|outcome| done(task, outcome).is_break()) {
                break;
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}

/// Does the work on this thread.
fn alone<T, D>(tasks: &[T], work: &impl Fn(usize, &T) -> Option<D>, done: &mut impl FnMut(&T, D) -> ControlFlow<()>) {
    _ = tasks.iter().enumerate().try_for_each(|(number, task)| match work(number, task) {
        Some(outcome) => done(task, outcome),
        None => ControlFlow::Continue(()),
    });
}

/// A number, the task, and where its outcome is sent.
type Order<'t, T, D> = (usize, &'t T, Sender<Option<D>>);

/// Does work until there is no more, or until `over`.
fn serve<T, D>(
    orders: &Mutex<Receiver<Order<'_, T, D>>>,
    over: &AtomicBool,
    work: &(impl Fn(usize, &T) -> Option<D> + Sync),
) {
    while !over.load(Ordering::Relaxed) {
        let order = orders.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, task, answer)) = order else { return };
        // Fails if `done` has broken, and nobody waits for the outcome.
        _ = answer.send(work(number, task));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

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
            in_order(&tasks, workers(count), work, |task, outcome| {
                assert_eq!(outcome, task * 2);
                seen.push(*task);
                ControlFlow::Continue(())
            });
            assert_eq!(seen, tasks, "{count} workers");
        }
    }

    /// Several workers are threads of their own, and a single one is this thread.
    #[test]
    fn where_the_work_is_done() {
        let here = thread::current().id();
        for (count, tasks, is_here) in [(1, 3, true), (2, 1, true), (2, 2, false), (3, 50, false)] {
            let work = |_, _: &()| Some(thread::current().id() == here);
            in_order(&vec![(); tasks], workers(count), work, |_, found| {
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
            // The others go on until no more outcomes may wait.
            while *task == 0 && begun.load(Ordering::SeqCst) < MAX_WAITING {
                thread::yield_now();
            }
            Some(())
        };
        in_order(&tasks, workers(3), work, |_, ()| {
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
            in_order(&tasks, workers(count), work, |_, task| {
                seen += 1;
                if task == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!(seen, 10);
            // Those that were done, and those that were waiting.
            assert!(begun.into_inner() <= if count == 1 { 10 } else { 10 + MAX_WAITING }, "{count} workers");

            let mut seen = Vec::new();
            let work = |number, task: &usize| (*task < 9 || number == 4000).then_some(*task);
            in_order(&tasks, workers(count), work, |_, task| {
                seen.push(task);
                ControlFlow::Continue(())
            });
            assert_eq!(seen, (0..9).chain([4000]).collect::<Vec<_>>(), "{count} workers");
        }
    }
}
