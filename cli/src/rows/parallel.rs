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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Rows;
    use crate::rows::row::RowPlan;
    use crate::rows::work::{Counts, Job};
    use charpipe::fields::{Layout, ReadOptions};
    use charpipe::records::Shape;
    use std::io::BufReader;

    /// What is in a record.
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Good,
        /// Its field is not a number.
        Bad,
        /// Its header is wrong.
        Misframed,
    }

    /// Everything that a run delivers.
    #[derive(PartialEq, Debug, Default)]
    struct Delivered {
        rows: String,
        rejects: String,
        counts: String,
        rejected: Vec<u64>,
        offset: u64,
        ended: String,
    }

    /// Returns records of a header and three bytes, as many to a read as `batch` says.
    fn cutter(kinds: &[Kind], batch: usize) -> Cutter {
        let record = |(number, kind): (usize, &Kind)| match kind {
            Kind::Good => format!("\0\x07\0\0{number:03}").into_bytes(),
            Kind::Bad => b"\0\x07\0\0x.y".to_vec(),
            Kind::Misframed => b"\0\x01\0\0zzz".to_vec(),
        };
        let input: Vec<u8> = kinds.iter().enumerate().flat_map(record).collect();
        let reader = BufReader::with_capacity(batch * 7, std::io::Cursor::new(input));
        Cutter::new(Box::new(reader), &Shape::RDW, None, 3)
    }

    fn run_with(jobs: usize, kinds: &[Kind], batch: usize, has_rejects: bool, room: usize) -> Delivered {
        let layout = Layout::from_field_list("N 1 3 zoned,unsigned\n").unwrap();
        let registry = charpipe::Registry::builtin();
        let codec = registry.codec("latin1").unwrap();
        let reader = layout.reader(&registry, &codec, &ReadOptions::new()).unwrap();
        let args = Rows::for_tests(&["--layout", "x"]);
        let job = Job { rows: RowPlan::new(&args, &layout, reader.columns().unwrap()), has_rejects };
        let worker = || Worker::new(&job, "in", reader.clone());
        let mut cutter = cutter(kinds, batch);
        let (mut found, mut counts) = (Delivered::default(), Counts::default());
        let mut take = |done: &mut Done| {
            counts.add(&done.counts);
            found.rows += &done.texts[0];
            found.rejects += &done.rejects;
            found.rejected.extend(done.rejected.iter().map(|one| one.record));
            match done.trouble.take() {
                Some(trouble) => Err(Ending::Failed(trouble)),
                // An output that takes no more.
                None if found.rows.len() > room => Err(Ending::Stopped),
                None => Ok(()),
            }
        };
        let ended = match jobs {
            1 => forward::alone(worker(), &mut cutter, &mut take),
            _ => run(&worker, jobs, &mut cutter, &mut take),
        };
        found.counts = format!("{counts:?}");
        found.ended = match ended {
            Ok(()) => String::new(),
            Err(Ending::Failed(trouble)) => format!("{trouble:?}"),
            Err(Ending::Stopped) => "stopped".to_owned(),
            Err(_) => "another ending".to_owned(),
        };
        // After an error in a record, how far the input was read depends on the threads.
        if !found.ended.starts_with("Record") && found.ended != "stopped" {
            found.offset = cutter.offset();
        }
        found
    }

    /// However many batches there are, and wherever an error is, threads deliver what one thread does.
    #[test]
    fn threads_do_what_one_does() {
        for (jobs, batch) in [(2, 1), (2, 2), (3, 1), (4, 1)] {
            for count in 0..=3 * jobs * batch {
                let mut cases = vec![vec![Kind::Good; count]];
                for at in 0..count {
                    for kind in [Kind::Bad, Kind::Misframed] {
                        let mut kinds = vec![Kind::Good; count];
                        // A second error, which comes last.
                        kinds[count - 1] = Kind::Bad;
                        kinds[at] = kind;
                        cases.push(kinds);
                    }
                }
                for kinds in cases {
                    for (has_rejects, room) in [(false, 1000), (true, 1000), (true, count)] {
                        let alone = run_with(1, &kinds, batch, has_rejects, room);
                        let threads = run_with(jobs, &kinds, batch, has_rejects, room);
                        assert_eq!(threads, alone, "{jobs} jobs, {count} records, {has_rejects}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_before_an_error_are_delivered() {
        let kinds = [Kind::Good, Kind::Good, Kind::Bad, Kind::Good];
        let found = run_with(3, &kinds, 1, false, 1000);
        assert_eq!((&*found.rows, found.ended.starts_with("Record")), ("0\n1\n", true));
        let found = run_with(3, &kinds, 1, true, 1000);
        assert_eq!((&*found.rows, &found.rejected[..]), ("0\n1\n3\n", &[3][..]));
    }
}
