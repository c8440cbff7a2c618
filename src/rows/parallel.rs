//! Work on batches of records in their order: [`in_order`], with one thread or several.
//!
//! The calling thread reads the batches and takes the results in order, and the others work on them.

use super::batch::{Batch, Batches};
use crate::error::Error;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, Scope};

/// Works on batches of records, each of which any worker can do.
pub trait Worker {
    /// The result for a batch, or for a part of one. It comes back, so that its memory can be used again.
    type Done: Default + Send;

    /// Works on the records of a batch from the one with the index `first` on, and overwrites `done`. Returns the index
    /// of the record to continue with, if the result is large enough and there are more records.
    fn work(&mut self, batch: &Batch, first: usize, done: &mut Self::Done) -> Option<usize>;
}

/// How many batches wait for each thread.
const WAITING: usize = 2;

/// Reads all batches, and gives the result for each to `take`, in their order. `worker` makes a worker for each of
/// `jobs` threads; one works in the calling thread, which then passes on each result before it continues reading.
///
/// The results are the same with any number of threads, up to the first error.
///
/// # Errors
/// The error of `take`, which ends the work. After all results before it, the error of the input.
pub fn in_order<'a, R, W, E>(
    batches: &mut Batches<R>,
    jobs: usize,
    worker: &dyn Fn() -> W,
    take: &mut dyn FnMut(&mut W::Done) -> Result<(), E>,
) -> Result<(), E>
where
    R: BufRead,
    W: Worker + Send + 'a,
    E: From<Error>,
{
    if jobs <= 1 {
        return alone(batches, worker(), take);
    }
    thread::scope(|scope| {
        let hands: Vec<Hand<W::Done>> = (0..jobs).map_while(|_| begin(scope, worker())).collect();
        match hands.is_empty() {
            // The system grants no threads.
            true => alone(batches, worker(), take),
            false => together(batches, &hands, take),
        }
    })
}

fn alone<R: BufRead, W: Worker, E: From<Error>>(
    batches: &mut Batches<R>,
    mut worker: W,
    take: &mut dyn FnMut(&mut W::Done) -> Result<(), E>,
) -> Result<(), E> {
    let (mut batch, mut done) = (Batch::default(), W::Done::default());
    loop {
        let read = batches.read(&mut batch);
        let mut next = Some(0);
        while let Some(first) = next {
            next = worker.work(&batch, first, &mut done);
            take(&mut done)?;
        }
        if !read? {
            return Ok(());
        }
    }
}

/// A thread that works on batches, of which it gets every Nth.
struct Hand<D> {
    batches: SyncSender<(Batch, D)>,
    /// The results for the batches, each in one or several parts. The batch comes back with the last one.
    results: Receiver<(Option<Batch>, D)>,
}

fn begin<'scope, W: Worker + Send + 'scope>(scope: &'scope Scope<'scope, '_>, mut worker: W) -> Option<Hand<W::Done>>
where
    W::Done: 'scope,
{
    let (batches, orders) = mpsc::sync_channel::<(Batch, W::Done)>(WAITING);
    let (outcomes, results) = mpsc::sync_channel(WAITING);
    let work = move || {
        for (batch, mut done) in orders {
            let mut next = worker.work(&batch, 0, &mut done);
            while let Some(first) = next {
                // Fails if the results of no other part are wanted.
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

fn together<R: BufRead, D: Default, E: From<Error>>(
    batches: &mut Batches<R>,
    hands: &[Hand<D>],
    take: &mut dyn FnMut(&mut D) -> Result<(), E>,
) -> Result<(), E> {
    let mut spare = Vec::new();
    // The threads that have the batches whose results are wanted next, in the order of the batches.
    let mut order = VecDeque::new();
    let mut next = 0;
    let read = loop {
        let (mut batch, done) = spare.pop().unwrap_or_default();
        let read = batches.read(&mut batch);
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
    read.map(drop).map_err(E::from)
}

/// Waits for the oldest batch of a thread, and hands over its results.
fn receive<D, E>(hand: &Hand<D>, take: &mut dyn FnMut(&mut D) -> Result<(), E>) -> Result<(Batch, D), E> {
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
    use crate::arch::tried;
    use crate::fields::{FieldError, Value, Visitor};
    use crate::records::Shape;
    use crate::rows::{Counts, RowReader, Rows, RowsError, RowsJob};
    use std::io::BufReader;

    /// The kind of a record.
    #[derive(Clone, Copy)]
    enum Kind {
        Good,
        /// Its number cannot be read.
        Bad,
        /// Its header is invalid.
        Misframed,
    }

    /// The result of a run.
    #[derive(Default, PartialEq, Debug)]
    struct Delivered {
        rows: String,
        rejected: Vec<u64>,
        counts: Counts,
        offset: u64,
        ended: String,
    }

    /// The lines of a batch.
    #[derive(Default)]
    struct Lines {
        text: String,
        rejected: Vec<u64>,
        counts: Counts,
        error: Option<FieldError>,
    }

    impl Visitor for Lines {
        type Error = FieldError;

        fn value(&mut self, _: usize, _: usize, value: Value<'_>) -> Result<(), FieldError> {
            self.text += &format!("{value}\n");
            Ok(())
        }
    }

    /// Makes a line of each record, in parts of two lines.
    struct ToLines {
        reader: RowReader,
        has_rejects: bool,
    }

    impl Worker for ToLines {
        type Done = Lines;

        fn work(&mut self, batch: &Batch, first: usize, done: &mut Lines) -> Option<usize> {
            *done = Lines::default();
            let mut next = None;
            for (index, record) in (first..).zip(batch.records(first)) {
                if index == first + 2 {
                    next = Some(index);
                    break;
                }
                match self.reader.read(record.number, record.data, done) {
                    Ok(_) => {}
                    Err(_) if self.has_rejects => {
                        self.reader.reject();
                        done.rejected.push(record.number);
                    }
                    Err(error) => {
                        done.error = Some(error);
                        break;
                    }
                }
            }
            done.counts = self.reader.take_counts();
            next
        }
    }

    /// Why a run ended.
    #[derive(Debug)]
    enum Ending {
        /// The taker wants no more.
        Stopped,
        Failed(RowsError),
    }

    impl From<Error> for Ending {
        fn from(error: Error) -> Self {
            Ending::Failed(error.into())
        }
    }

    fn rows() -> Rows {
        let job = RowsJob::new();
        job.rows(&job.layout(b"N 1 3 zoned,unsigned\n").unwrap()).unwrap()
    }

    /// Runs with records of a header and three bytes, as many to a read as `batch` says.
    fn run_with(rows: &Rows, jobs: usize, kinds: &[Kind], batch: usize, has_rejects: bool, room: usize) -> Delivered {
        let record = |(number, kind): (usize, &Kind)| match kind {
            Kind::Good => {
                let digit = |place: usize| 0xF0 + u8::try_from(number / place % 10).unwrap();
                vec![0, 7, 0, 0, digit(100), digit(10), digit(1)]
            }
            Kind::Bad => b"\0\x07\0\0x.y".to_vec(),
            Kind::Misframed => b"\0\x01\0\0zzz".to_vec(),
        };
        let input: Vec<u8> = kinds.iter().enumerate().flat_map(record).collect();
        let mut batches = rows.batches(BufReader::with_capacity(batch * 7, &input[..]), &Shape::RDW);
        let worker = || ToLines { reader: rows.reader(&Shape::RDW), has_rejects };
        let mut found = Delivered::default();
        let mut take = |done: &mut Lines| {
            found.counts.add(&done.counts);
            found.rows += &done.text;
            found.rejected.append(&mut done.rejected);
            match done.error.take() {
                Some(error) => Err(Ending::Failed(RowsError::Record { offset: 0, error })),
                None if found.rows.len() > room => Err(Ending::Stopped),
                None => Ok(()),
            }
        };
        let ended = in_order(&mut batches, jobs, &worker, &mut take);
        found.ended = format!("{ended:?}");
        // After an error in a record, how far the input was read depends on the threads.
        if !matches!(ended, Err(Ending::Stopped | Ending::Failed(RowsError::Record { .. }))) {
            found.offset = batches.offset();
        }
        found
    }

    /// With any number of batches, and an error at any place, threads give the same results as one thread. On an emulated
    /// machine, where starting threads takes long, only with the first sizes.
    #[test]
    fn threads_do_what_one_does() {
        let rows = rows();
        let sizes = [(2, 2), (2, 1), (3, 1), (4, 1), (2, 5)];
        for &(jobs, batch) in &sizes[..tried(sizes.len())] {
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
                        let alone = run_with(&rows, 1, &kinds, batch, has_rejects, room);
                        let threads = run_with(&rows, jobs, &kinds, batch, has_rejects, room);
                        assert_eq!(threads, alone, "{jobs} jobs, {count} records, {has_rejects}");
                    }
                }
            }
        }
    }

    /// The system may grant only one of the threads.
    #[test]
    fn one_thread_takes_every_batch() {
        let input = b"\0\x07\0\0\xF0\xF0\xF1".repeat(7);
        let rows = rows();
        let mut batches = rows.batches(BufReader::with_capacity(7, &input[..]), &Shape::RDW);
        let mut counts = Counts::default();
        let mut take = |done: &mut Lines| {
            counts.add(&done.counts);
            Ok::<_, Error>(())
        };
        thread::scope(|scope| {
            let worker = ToLines { reader: rows.reader(&Shape::RDW), has_rejects: false };
            together(&mut batches, &[begin(scope, worker).unwrap()], &mut take)
        })
        .unwrap();
        assert_eq!(counts.records, 7);
    }

    #[test]
    fn rows_before_an_error_are_delivered() {
        let kinds = [Kind::Good, Kind::Good, Kind::Bad, Kind::Good];
        let found = run_with(&rows(), 3, &kinds, 1, false, 1000);
        assert_eq!((&*found.rows, found.ended.starts_with("Err(Failed(Record")), ("0\n1\n", true));
        let found = run_with(&rows(), 3, &kinds, 1, true, 1000);
        assert_eq!((&*found.rows, &found.rejected[..], found.counts.records), ("0\n1\n3\n", &[3][..], 4));
    }
}
