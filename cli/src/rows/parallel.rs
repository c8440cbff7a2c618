//! Several threads: the calling thread cuts batches and receives their rows in order, and the others convert them.

use crate::rows::account::Ending;
use crate::rows::batch::{Batch, Cutter};
use crate::rows::forward::{self, Take};
use crate::rows::work::{Done, Worker};
use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, Scope};

/// A thread that works on batches, of which it gets every Nth.
struct Hand {
    batches: SyncSender<(Batch, Done)>,
    /// The rows of the batches, each in one or several parts. The batch comes back with the last one.
    results: Receiver<(Option<Batch>, Done)>,
}

/// How many batches wait for each thread.
const WAITING: usize = 2;

/// Turns the records of `cutter` into rows with `jobs` threads. `worker` makes a worker for each.
pub(super) fn run<'a>(
    worker: &dyn Fn() -> Worker<'a>,
    jobs: usize,
    cutter: &mut Cutter,
    take: &mut Take<'_>,
) -> Result<(), Ending> {
    thread::scope(|scope| {
        let hands: Vec<Hand> = (0..jobs).map_while(|_| begin(scope, worker())).collect();
        if hands.is_empty() {
            // The system grants no threads.
            return forward::alone(worker(), cutter, take);
        }
        let mut spare = Vec::new();
        // The threads that have the batches whose rows are wanted next, in the order of the batches.
        let mut order = VecDeque::new();
        let mut next = 0;
        let read = loop {
            let (mut batch, done) = spare.pop().unwrap_or_default();
            let read = cutter.read(&mut batch);
            if order.len() == WAITING * hands.len()
                && let Some(oldest) = order.pop_front()
            {
                spare.push(receive(&hands[oldest], take)?);
            }
            // A thread ends only after this sender is gone, or if it panics, which `receive` finds out.
            _ = hands[next].batches.send((batch, done));
            order.push_back(next);
            next = (next + 1) % hands.len();
            if !matches!(read, Ok(true)) {
                break read;
            }
        };
        for oldest in order {
            receive(&hands[oldest], take)?;
        }
        read.map(drop).map_err(Ending::Failed)
    })
}

fn begin<'scope>(scope: &'scope Scope<'scope, '_>, mut worker: Worker<'scope>) -> Option<Hand> {
    let (batches, orders) = mpsc::sync_channel::<(Batch, Done)>(WAITING);
    let (outcomes, results) = mpsc::sync_channel(WAITING);
    let work = move || {
        for (batch, mut done) in orders {
            let mut next = worker.work(&batch, 0, &mut done);
            while let Some(first) = next {
                // Fails if the rows of no other part are wanted.
                outcomes.send((None, std::mem::take(&mut done))).ok()?;
                next = worker.work(&batch, first, &mut done);
            }
            outcomes.send((Some(batch), done)).ok()?;
        }
        Some(())
    };
    thread::Builder::new().spawn_scoped(scope, work).ok()?;
    Some(Hand { batches, results })
}

/// Waits for the oldest batch of a thread, and hands over its rows.
fn receive(hand: &Hand, take: &mut Take<'_>) -> Result<(Batch, Done), Ending> {
    loop {
        // The scope passes a panic of the thread on.
        let Ok((batch, mut done)) = hand.results.recv() else { panic!("a thread has ended") };
        take(&mut done)?;
        if let Some(batch) = batch {
            return Ok((batch, done));
        }
    }
}
