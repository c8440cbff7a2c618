//! Several threads: the calling thread cuts batches and receives their rows in order, and the others convert them.

use crate::rows::account::Ending;
use crate::rows::batch::{Batch, Cutter};
use crate::rows::forward::{self, Take};
use crate::rows::work::{Done, Worker};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, Scope};

/// A thread that works on batches. It gets every Nth batch, so that the results are in order if the threads are asked in
/// turn.
struct Hand {
    batches: SyncSender<(Batch, Done)>,
    /// The rows of the batches, each in one or several parts. The batch comes back with the last one.
    results: Receiver<(Option<Batch>, Done)>,
    /// How many batches it has.
    busy: usize,
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
        let mut hands: Vec<Hand> = (0..jobs).map_while(|_| begin(scope, worker())).collect();
        if hands.is_empty() {
            // The system grants no threads.
            return forward::alone(worker(), cutter, take);
        }
        let mut spare = Vec::new();
        let mut next = 0;
        let read = loop {
            let (mut batch, done) = spare.pop().unwrap_or_default();
            let read = cutter.read(&mut batch);
            let count = hands.len();
            let hand = &mut hands[next];
            if hand.busy == WAITING {
                spare.push(receive(hand, take)?);
            }
            // A thread ends only after this sender is gone, or if it panics, which `receive` finds out.
            _ = hand.batches.send((batch, done));
            hand.busy += 1;
            next = (next + 1) % count;
            if !matches!(read, Ok(true)) {
                break read;
            }
        };
        // The oldest batch is that of the thread whose turn it is.
        while hands.iter().any(|hand| hand.busy > 0) {
            if hands[next].busy > 0 {
                receive(&mut hands[next], take)?;
            }
            next = (next + 1) % hands.len();
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
    Some(Hand { batches, results, busy: 0 })
}

/// Waits for the oldest batch of a thread, and hands over its rows.
fn receive(hand: &mut Hand, take: &mut Take<'_>) -> Result<(Batch, Done), Ending> {
    loop {
        // The scope passes a panic of the thread on.
        let Ok((batch, mut done)) = hand.results.recv() else { panic!("a thread has ended") };
        take(&mut done)?;
        if let Some(batch) = batch {
            hand.busy -= 1;
            return Ok((batch, done));
        }
    }
}
