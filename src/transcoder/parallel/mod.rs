//! The loop from `BufRead` to `Write` with several threads: parts of the input are converted in parallel, and their
//! output is written in order.
//!
//! ```text
//!           head            part 0      part 1      part 2
//! input ├───────────────┼───────────┼───────────┼───────────┤ …
//!        the transcoder   copies of it, each new at its place
//! ```
//!
//! The head goes through the transcoder that would convert everything: it detects, corrects the label, and writes the
//! byte order mark. From the first boundary after that, the rest is cut into parts at places that should be boundaries
//! too: between records as the [`Deframer`] says, or between lines or characters. A part counts only if it proves to
//! end at a boundary. In every other case the parts are given up, and one transcoder converts their input: after any
//! error, after a cut that was not at a boundary, if the output exceeds its limit, and if a read fails. This makes the
//! output exact. That transcoder begins one part earlier, so that it arrives at the first byte that matters in the same
//! state as in a run by one thread. What it writes up to there is not written again.
//!
//! | file | content |
//! |---|---|
//! | `mod.rs` | the head, and the loop over the parts |
//! | `pace.rs` | whether one thread is fast enough |
//! | `block.rs` | the bytes of a part |
//! | `cut.rs` | finds places to cut at |
//! | `part.rs` | a transcoder for a part |
//! | `worker.rs` | converts a part |
//! | `fallback.rs` | gives the parts up |

mod block;
mod cut;
mod fallback;
mod pace;
mod part;
mod worker;

use crate::codec::PageBuffer;
use crate::detect::LabelWatch;
use crate::error::{Error, ErrorKind};
use crate::records::Deframer;
use crate::transcoder::io::pump::{PUMP_BUFFER_BYTES, make_room};
use crate::transcoder::io::{next_chunk, try_next_chunk};
use crate::transcoder::records::stretch::each_record;
use crate::transcoder::report::Report;
use crate::transcoder::{Phase, Status, Transcoder};
use block::Block;
use cut::{Begin, Cutter};
use fallback::{Base, Fallback, InputEnd, Tail};
use pace::Pace;
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;
use worker::{Converted, Work};

/// If no place to cut was found in this many bytes of input, one thread converts everything.
const HEAD_BYTES: usize = 4 << 20;

/// The most output of a part, as a multiple of its input.
const MAX_GROWTH: usize = 8;

/// The longest part, in blocks, if no place is found to cut it.
const MAX_BLOCKS: usize = 4;

/// The longest chunk that is taken from a reader at once: a reader of a slice offers all of it.
const CHUNK_BYTES: usize = 256 * 1024;

/// How the head ended.
enum HeadEnd {
    /// With the input.
    Done,
    /// There is no place to cut at, or one thread is as fast as several.
    Alone,
    /// There was a cut that is not at a boundary.
    BadCut,
    /// At a cut: in which state the parts begin there, and at which offset.
    Cut(Cutter, Begin, usize),
}

impl Transcoder {
    /// Whether it has taken nothing.
    pub(in crate::transcoder) fn is_new(&self) -> bool {
        matches!(self.phase, Phase::Detect(_)) && self.run.bytes_in == 0 && !self.is_running
    }

    /// Does what [`run_alone`](Self::run_alone) does, with several threads.
    ///
    /// # Errors
    /// As of `run_alone`.
    pub(in crate::transcoder) fn run_in_parts(
        &mut self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<(), Error> {
        let mut tail = Tail::default();
        let end = self.run_head(&mut tail, input, output)?;
        let report = Report::new(self.run.settings.to.name());
        let base = Base { begin: None, report, at: 0, label: None, written: self.run.report.bytes_out };
        let (cutter, begin, at) = match end {
            HeadEnd::Done => return Ok(()),
            HeadEnd::Alone => return self.run_alone(input, output),
            HeadEnd::BadCut => return self.fall_back(Fallback { base, tail, ended: None }, input, output),
            HeadEnd::Cut(cutter, begin, at) => (cutter, begin, at),
        };
        match Parts::new(self, base, tail, cutter, (begin, at)).run(input, output)? {
            PartsOutcome::Done(report, label) => {
                self.run.bytes_in = report.bytes_in;
                self.run.report = *report;
                self.label = label;
                let note = self.route.as_mut().and_then(|route| route.newlines.finish());
                self.run.report.diagnostics.extend(note);
                self.flush(output)?;
                let concluded = self.conclude();
                self.phase = concluded.as_ref().map_or_else(|error| Phase::Failed(error.clone()), |()| Phase::Done);
                concluded
            }
            PartsOutcome::GivenUp(fallback) => self.fall_back(*fallback, input, output),
        }
    }

    /// Converts the head. All of its bytes go into `tail`.
    fn run_head(&mut self, tail: &mut Tail, input: &mut dyn BufRead, output: &mut dyn Write) -> Result<HeadEnd, Error> {
        let mut buffer = PageBuffer::default();
        let mut deframer = self.run.settings.input.deframer();
        let limit = HEAD_BYTES.max(self.run.settings.block * MAX_BLOCKS);
        let mut pace = Pace::default();
        loop {
            self.flush(output)?;
            let end = next_chunk(input, self.run.bytes_in, |chunk| {
                let chunk = &chunk[..chunk.len().min(CHUNK_BYTES)];
                make_room(&mut buffer, chunk.len());
                tail.push(chunk);
                let at = tail.bytes.len() - chunk.len();
                (chunk.len(), self.feed_head(chunk, at, &mut pace, &mut deframer, &mut buffer, output))
            })??;
            if let Some(end) = end {
                return Ok(end);
            }
            let is_hopeless = self.route.as_ref().is_some_and(|route| !route.can_be_cut());
            if is_hopeless || pace.is_fast() || tail.bytes.len() > limit {
                return Ok(HeadEnd::Alone);
            }
        }
    }

    /// Converts `chunk`, which begins at offset `at`, up to a cut if there is one and the pace is known. Returns `None`
    /// if the head continues.
    fn feed_head(
        &mut self,
        chunk: &[u8],
        at: usize,
        pace: &mut Pace,
        deframer: &mut Option<Deframer>,
        buffer: &mut [u8],
        output: &mut dyn Write,
    ) -> Result<Option<HeadEnd>, Error> {
        let is_timed = pace.wants(chunk.len());
        if !is_timed
            && self.is_cuttable()
            && let Some(mut cutter) = self.cutter(deframer.clone())
            && let Some((cut, begin)) = cutter.cut(chunk, self.first_unit())
        {
            let is_good = match self.feed_to_cut(&chunk[..cut], &begin, buffer, output) {
                // The fallback run fails with the same error, with the right place.
                Err(error) if !matches!(error.kind(), ErrorKind::Write { .. }) => false,
                result => result?,
            };
            return Ok(Some(if is_good { HeadEnd::Cut(cutter, begin, at + cut) } else { HeadEnd::BadCut }));
        }
        let (begun, before) = (is_timed.then(Instant::now), self.run.report.bytes_out);
        let (_, is_done) = self.deliver(chunk, chunk.is_empty(), buffer, &mut 0, output);
        if let Some(begun) = begun {
            let written = (self.run.report.bytes_out - before) as usize;
            pace.add(chunk.len().max(written), begun.elapsed());
        }
        if let Some(deframer) = deframer {
            each_record(deframer, chunk, |_, _| {});
        }
        Ok(is_done?.then_some(HeadEnd::Done))
    }

    /// Converts the last bytes of the head, up to the first cut. Returns whether that is at a boundary.
    fn feed_to_cut(
        &mut self,
        src: &[u8],
        begin: &Begin,
        buffer: &mut [u8],
        output: &mut dyn Write,
    ) -> Result<bool, Error> {
        let mut read = 0;
        loop {
            let step = self.step(&src[read..], buffer, false)?;
            read += step.read;
            self.write(&buffer[..step.written], output)?;
            if step.state != Status::NeedRoom {
                break;
            }
        }
        let before = self.run.report.bytes_out;
        let flushed = self.flush_text(buffer);
        // What was not written does not count.
        let written = flushed.inspect_err(|_| self.run.report.bytes_out = before)?;
        self.write(&buffer[..written], output)?;
        let records = self.route.as_ref().and_then(|route| route.source.records());
        let is_same = begin.as_ref().is_none_or(|deframer| records == Some(deframer.record() - 1));
        Ok(is_same && self.is_at_boundary())
    }
}

/// How the parts ended.
enum PartsOutcome {
    /// The report, and what has watched the label.
    Done(Box<Report>, Option<LabelWatch>),
    GivenUp(Box<Fallback>),
}

/// The parts, from the head on.
struct Parts<'a> {
    transcoder: &'a Transcoder,
    /// The report of everything that is written.
    total: Report,
    base: Base,
    /// The input from the base up to the parts that are being converted, and the reads of all input from there on.
    tail: Tail,
    /// Where the next part begins.
    begin: Begin,
    at: u64,
    cutter: Cutter,
    /// The input from there on, as far as it is read.
    block: Block,
    ended: Option<InputEnd>,
    /// The evidence against the label in the bytes before them.
    label: Option<LabelWatch>,
    /// No place to cut was found.
    is_uncuttable: bool,
    /// The part at the end of the input is being converted.
    last_is_sent: bool,
    under_way: VecDeque<Pending>,
    /// Buffers to use again.
    free_inputs: Vec<Block>,
    free_outputs: Vec<PageBuffer>,
}

/// A part that is being converted.
struct Pending {
    begin: Begin,
    at: u64,
    label: Option<LabelWatch>,
    done: Receiver<Converted>,
}

impl<'a> Parts<'a> {
    fn new(
        transcoder: &'a Transcoder,
        base: Base,
        mut tail: Tail,
        cutter: Cutter,
        (begin, at): (Begin, usize),
    ) -> Self {
        Parts {
            transcoder,
            total: transcoder.report().clone(),
            base,
            block: tail.split_off(at),
            tail,
            begin,
            at: at as u64,
            cutter,
            ended: None,
            label: transcoder.label.clone(),
            is_uncuttable: false,
            last_is_sent: false,
            under_way: VecDeque::new(),
            free_inputs: Vec::new(),
            free_outputs: Vec::new(),
        }
    }

    /// Converts the parts by as many threads as there are jobs, started when they are needed. If none can be started,
    /// this thread converts the parts itself.
    fn run(mut self, input: &mut dyn BufRead, output: &mut dyn Write) -> Result<PartsOutcome, Error> {
        let (queue, waiting) = mpsc::channel::<Work>();
        let waiting = Mutex::new(waiting);
        let stop = AtomicBool::new(false);
        let jobs = self.transcoder.run.settings.jobs.get();
        thread::scope(|scope| {
            let mut workers = 0;
            let start_worker = || {
                let work = || {
                    loop {
                        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok(work) = next else { return };
                        work.run(&stop);
                    }
                };
                thread::Builder::new().name("charpipe job".into()).spawn_scoped(scope, work).is_ok()
            };
            let dispatch = |work: Work| {
                if workers < jobs && start_worker() {
                    workers += 1;
                }
                if workers == 0 {
                    work.run(&stop);
                } else {
                    _ = queue.send(work);
                }
            };
            let outcome = self.convert(input, output, dispatch, &stop);
            // Ends the workers.
            stop.store(true, Ordering::Relaxed);
            drop(queue);
            outcome
        })
    }

    fn convert(
        &mut self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
        mut dispatch: impl FnMut(Work),
        stop: &AtomicBool,
    ) -> Result<PartsOutcome, Error> {
        // Two more than there are jobs, so that no worker waits for a read or a write.
        let limit = self.transcoder.run.settings.jobs.get() + 2;
        loop {
            while self.under_way.len() < limit
                && let Some(work) = self.next_part(input)
            {
                dispatch(work);
            }
            let Some(first) = self.under_way.pop_front() else { break };
            let converted = first.done.recv();
            let Ok(Converted { input: bytes, output: made, report: Some(report) }) = converted else {
                stop.store(true, Ordering::Relaxed);
                self.take_back(converted.map(|converted| converted.input).unwrap_or_default());
                return Ok(self.give_up());
            };
            let written = report.bytes_out;
            if let Err(source) = output.write_all(&made[..written as usize]) {
                return Err(ErrorKind::Write { written: self.total.bytes_out, source }.into());
            }
            self.free_outputs.push(made);
            self.move_base(first, bytes, *report);
        }
        if self.is_uncuttable {
            self.take_back(Block::default());
            return Ok(self.give_up());
        }
        Ok(PartsOutcome::Done(Box::new(self.total.clone()), self.label.take()))
    }

    /// Reads and cuts the next part. Returns `None` if there is none.
    fn next_part(&mut self, input: &mut dyn BufRead) -> Option<Work> {
        if self.is_uncuttable || self.last_is_sent {
            return None;
        }
        let Some((cut, next)) = self.read_block(input) else {
            self.is_uncuttable = true;
            return None;
        };
        self.last_is_sent = self.ended.is_some();
        let mut rest = self.free_inputs.pop().unwrap_or_default();
        rest.truncate(0);
        rest.reserve(self.transcoder.run.settings.block + PUMP_BUFFER_BYTES);
        rest.push(&self.block[cut..]);
        self.block.truncate(cut);
        let bytes = std::mem::replace(&mut self.block, rest);
        let begin = std::mem::replace(&mut self.begin, next);
        let transcoder = self.transcoder.fresh_at(self.at, &begin);
        let (done, converted) = mpsc::channel();
        self.under_way.push_back(Pending { begin, at: self.at, label: self.label.clone(), done: converted });
        if let Some(label) = self.label.as_mut().filter(|label| !label.is_settled()) {
            label.feed(&bytes);
        }
        self.at += bytes.len() as u64;
        Some(Work {
            transcoder,
            limit: MAX_GROWTH * bytes.len() + PUMP_BUFFER_BYTES,
            input: bytes,
            is_last: self.last_is_sent,
            output: self.free_outputs.pop().unwrap_or_default(),
            done,
        })
    }

    /// Reads until the block can be cut. Returns where, and the state there; `None` if it cannot.
    fn read_block(&mut self, input: &mut dyn BufRead) -> Option<(usize, Begin)> {
        let size = self.transcoder.run.settings.block;
        let mut wanted = size;
        loop {
            self.read(input, wanted);
            match &self.ended {
                Some(InputEnd::Eof) => return Some((self.block.len(), None)),
                Some(InputEnd::Failed(_)) => return None,
                None => {}
            }
            match self.cutter.cut(&self.block, 0) {
                Some(cut) => return Some(cut),
                None if wanted >= MAX_BLOCKS * size => return None,
                None => wanted = self.block.len() + size,
            }
        }
    }

    /// Reads until the block has `wanted` bytes, or the input ends.
    fn read(&mut self, input: &mut dyn BufRead, wanted: usize) {
        while self.block.len() < wanted && self.ended.is_none() {
            let read = try_next_chunk(input, |chunk| {
                let chunk = &chunk[..chunk.len().min(CHUNK_BYTES)];
                self.block.push(chunk);
                if chunk.is_empty() {
                    self.ended = Some(InputEnd::Eof);
                } else {
                    self.tail.ends.push_back(self.at + self.block.len() as u64);
                }
                (chunk.len(), ())
            });
            if let Err(error) = read {
                self.ended = Some(InputEnd::Failed(error));
            }
        }
    }

    /// After the output of a part is written, a fallback run would begin with that part.
    fn move_base(&mut self, part: Pending, bytes: Block, report: Report) {
        let (before, written) = (self.total.clone(), report.bytes_out);
        self.total.append(report);
        let Pending { begin, at, label, .. } = part;
        self.base = Base { begin: Some(begin), report: before, at, label, written };
        self.free_inputs.push(std::mem::replace(&mut self.tail.bytes, bytes));
        while self.tail.ends.front().is_some_and(|end| *end <= at) {
            self.tail.ends.pop_front();
        }
    }

    /// Takes the input of all parts back, in order; `first` is that of the first.
    fn take_back(&mut self, first: Block) {
        self.tail.bytes.push(&first);
        for part in self.under_way.drain(..) {
            self.tail.bytes.push(&part.done.recv().map(|converted| converted.input).unwrap_or_default());
        }
        self.tail.bytes.push(&self.block);
        self.block.truncate(0);
    }

    fn give_up(&mut self) -> PartsOutcome {
        let nothing = Base { begin: None, report: Report::new(""), at: 0, label: None, written: 0 };
        let base = std::mem::replace(&mut self.base, nothing);
        let (tail, ended) = (std::mem::take(&mut self.tail), self.ended.take());
        PartsOutcome::GivenUp(Box::new(Fallback { base, tail, ended }))
    }
}
