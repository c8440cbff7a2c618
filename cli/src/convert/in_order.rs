//! Work side by side whose outcomes come in order.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many outcomes may wait for an earlier one. Each is a few KiB at the most.
const AHEAD: usize = 512;

/// Does `work` on each of `tasks`, with its number, as many at a time as there are `workers`, and gives what comes of it
/// to `done`, in the order of the tasks and on this thread. A task that `work` answers with `None` was passed over. When
/// `done` breaks off, no other is begun.
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
        // Where the system gives no more threads, those that there are will do.
        if (0..workers).take_while(|_| begin().is_ok()).count() == 0 {
            return alone(tasks, &work, &mut done);
        }
        // Gone at the end of the scope's closure, and the workers with it.
        let orders = orders;
        let mut waiting = VecDeque::new();
        let mut all = tasks.iter().enumerate();
        loop {
            while waiting.len() < AHEAD
                && let Some((number, task)) = all.next()
            {
                let (answer, answered) = mpsc::channel();
                // Its receiver lives as long as this function.
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

/// The same without another thread.
fn alone<T, D>(tasks: &[T], work: &impl Fn(usize, &T) -> Option<D>, done: &mut impl FnMut(&T, D) -> ControlFlow<()>) {
    _ = tasks.iter().enumerate().try_for_each(|(number, task)| match work(number, task) {
        Some(outcome) => done(task, outcome),
        None => ControlFlow::Continue(()),
    });
}

/// A task with its number, and where what comes of it goes.
type Order<'t, T, D> = (usize, &'t T, Sender<Option<D>>);

fn serve<T, D>(
    orders: &Mutex<Receiver<Order<'_, T, D>>>,
    over: &AtomicBool,
    work: &(impl Fn(usize, &T) -> Option<D> + Sync),
) {
    while !over.load(Ordering::Relaxed) {
        let order = orders.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, task, answer)) = order else { return };
        // Nobody waits for it where the run was broken off.
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
            let tasks: Vec<usize> = (0..2 * AHEAD + 3).collect();
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

    #[test]
    fn no_more_run_ahead_than_may_wait() {
        let tasks: Vec<usize> = (0..4 * AHEAD).collect();
        let (begun, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |_, task: &usize| {
            // Those that are done with, this one, which may have been waited for, and those that wait.
            assert!(*task <= done.load(Ordering::SeqCst) + AHEAD, "{task}");
            begun.fetch_add(1, Ordering::SeqCst);
            // The others go on until there is no place left for what comes of them.
            while *task == 0 && begun.load(Ordering::SeqCst) < AHEAD {
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
            // Those that were done, and those that could wait meanwhile.
            assert!(begun.into_inner() <= if count == 1 { 10 } else { 10 + AHEAD }, "{count} workers");

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
