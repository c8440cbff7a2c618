//! The loop from `BufRead` to `Write` with several jobs: parts of the input are converted side by side, and what comes of
//! them is written in order.
//!
//! ```text
//!           head            part 0      part 1      part 2
//! input ├───────────────┼───────────┼───────────┼───────────┤ …
//!        this machine     copies of it, each new at its place
//! ```
//!
//! The head goes through the machine that would convert all of it: it detects, makes the label true, and writes the byte
//! order mark. From where nothing is under way in it, the rest is cut into parts where nothing should be under way
//! either: between records as the [`Deframer`] says, or between characters. A part counts only if that proves true at
//! its end. In every other case, and that is where exactness comes from, the parts are given up and one machine does what
//! they should have done: on any error, on a cut that was none, on output that outgrows its room, on a failure to read.
//! It begins a part earlier, so that at the first byte that matters it has been fed as one job's would have been, and
//! what it writes up to there is not written again.

use crate::codec::{MIN_ROOM, Stop, Utf8Sink, can_write};
use crate::error::{Error, ErrorKind};
use crate::records::{Deframer, Part};
use crate::transcoder::byte_to_byte::{Fused, Passage};
use crate::transcoder::guard::CheckedEncoder;
use crate::transcoder::io::pump::OUT_ROOM;
use crate::transcoder::report::{Faults, RecordsCut};
use crate::transcoder::{CheckedDecoder, Out, Phase, Report, Route, Status, Transcoder};
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How much of the input the head may take before it is given up to look for a place to cut, in bytes.
const HEAD: usize = 4 << 20;

/// How many times as long as its input the output of a part may be.
const GROWTH: usize = 8;

/// How many blocks long a part may get where no place is found to cut it.
const LENGTH: usize = 4;

/// How many bytes before a cut are looked at, and how many code units there are tried.
const LOOK_BACK: usize = 64;

impl Transcoder {
    /// Whether it has been given nothing.
    pub(in crate::transcoder) fn is_new(&self) -> bool {
        matches!(self.phase, Phase::Detect(_)) && self.bytes_in == 0 && !self.running
    }

    pub(in crate::transcoder) fn run_in_parts<R, W>(&mut self, input: &mut R, output: &mut W) -> Result<(), Error>
    where
        R: BufRead + ?Sized,
        W: Write + ?Sized,
    {
        let mut tail = Tail::default();
        let mut room = vec![0; OUT_ROOM];
        let mut deframer = self.settings.input.deframer();
        let most = HEAD.max(self.settings.block * LENGTH);
        // The head, up to where it can be cut.
        let cutter = loop {
            self.flush(output)?;
            let chunk = match input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(ErrorKind::Read { offset: self.bytes_in, source }.into()),
            };
            let len = chunk.len();
            if self.is_cuttable() {
                let mut cutter = self.cutter(deframer.clone());
                if let Some((at, begin)) = cutter.cut(chunk, self.first_unit()) {
                    tail.push(chunk);
                    input.consume(len);
                    let before = tail.bytes.len() - len;
                    if self.parts_at(&tail.bytes[before..][..at], &begin, &mut room, output)? {
                        break Some((cutter, begin, before + at));
                    }
                    break None;
                }
            }
            let fed = self.deliver(chunk, len == 0, &mut room, &mut 0, output);
            if let Some(deframer) = &mut deframer {
                walk(deframer, chunk, |_, _| {});
            }
            tail.push(chunk);
            input.consume(len);
            if fed? {
                return Ok(());
            }
            let hopeless = self.route.as_ref().is_some_and(|route| !route.can_be_cut());
            if hopeless || tail.bytes.len() > most {
                return self.run_alone(input, output);
            }
        };
        let head =
            Base { part: None, report: Report::new(self.settings.to.name()), at: 0, written: self.report.bytes_out };
        let Some((cutter, begin, at)) = cutter else {
            return self.alone_from(head, tail, None, input, output);
        };
        let parts = Parts {
            machine: self,
            total: self.report.clone(),
            base: head,
            tail,
            begin,
            at: at as u64,
            cutter,
            ended: None,
        };
        match parts.run(input, output)? {
            Over::Done(report) => {
                self.report = *report;
                self.bytes_in = self.report.bytes_in;
                if let Some(note) = self.route.as_mut().and_then(|route| route.nel.take()).and_then(|nel| nel.note()) {
                    self.report.diagnostics.push(note);
                }
                self.phase = Phase::Done;
                self.flush(output)
            }
            Over::GivenUp(given_up) => {
                let (base, tail, ended) = *given_up;
                self.alone_from(base, tail, ended, input, output)
            }
        }
    }

    /// Feeds the last of the head, up to the first cut; whether parts can begin there.
    fn parts_at<W: Write + ?Sized>(
        &mut self,
        src: &[u8],
        begin: &Begin,
        room: &mut [u8],
        output: &mut W,
    ) -> Result<bool, Error> {
        let mut step = || -> Result<bool, Error> {
            let mut read = 0;
            loop {
                let step = self.step(&src[read..], room, false)?;
                read += step.read;
                self.write(&room[..step.written], output)?;
                if step.state != Status::NeedRoom {
                    break;
                }
            }
            let before = self.report.bytes_out;
            let settled = self.settle(room);
            // What was not written does not count.
            let written = settled.inspect_err(|_| self.report.bytes_out = before)?;
            self.write(&room[..written], output)?;
            let same = begin.as_ref().is_none_or(|deframer| {
                self.route.as_ref().is_some_and(|route| route.front.records() == Some(deframer.record() - 1))
            });
            Ok(same && self.is_between())
        };
        match step() {
            // One machine is going to say so, with the places that it would have.
            Err(error) if !matches!(error.kind(), ErrorKind::Write { .. }) => Ok(false),
            answer => answer,
        }
    }

    /// Takes all of `src` and writes what comes of it, but for the first `skip` bytes; whether that was all there is.
    fn deliver<W: Write + ?Sized>(
        &mut self,
        src: &[u8],
        eof: bool,
        room: &mut [u8],
        skip: &mut u64,
        output: &mut W,
    ) -> Result<bool, Error> {
        let mut read = 0;
        loop {
            let step = match self.step(&src[read..], room, eof) {
                Ok(step) => step,
                Err(error) => {
                    self.flush(output)?;
                    return Err(error);
                }
            };
            read += step.read;
            let known = (step.written as u64).min(*skip);
            *skip -= known;
            self.write(&room[known as usize..step.written], output)?;
            if step.state != Status::NeedRoom {
                return Ok(step.state == Status::Done);
            }
        }
    }

    fn write<W: Write + ?Sized>(&self, bytes: &[u8], output: &mut W) -> Result<(), Error> {
        output.write_all(bytes).map_err(|source| {
            let written = self.report.bytes_out - bytes.len() as u64;
            ErrorKind::Write { written, source }.into()
        })
    }

    /// Converts what is in `tail`, and what follows in `input`, by one machine, which begins at `base`.
    fn alone_from<R, W>(
        &mut self,
        base: Base,
        tail: Tail,
        ended: Option<Ended>,
        input: &mut R,
        output: &mut W,
    ) -> Result<(), Error>
    where
        R: BufRead + ?Sized,
        W: Write + ?Sized,
    {
        let mut machine = match base.part {
            None => Transcoder::new(self.settings.clone()),
            Some(begin) => {
                let mut machine = self.part(base.at, &begin);
                if let Some(route) = &mut machine.route {
                    route.nel = self.route.as_ref().and_then(|route| route.nel.clone());
                    let said = |code: &str| base.report.diagnostics.iter().any(|note| note.code == code);
                    route.expects_bmp &= !said("ucs2-surrogates");
                }
                machine.report = base.report;
                machine
            }
        };
        std::mem::swap(self, &mut machine);
        let mut room = vec![0; OUT_ROOM];
        let mut skip = base.written;
        let mut rest = &tail.bytes[..];
        let mut at = base.at;
        for end in tail.ends {
            if end <= at {
                continue;
            }
            let (chunk, after) = rest.split_at((end - at) as usize);
            self.deliver(chunk, false, &mut room, &mut skip, output)?;
            (rest, at) = (after, end);
        }
        match ended {
            None => {
                // What was written of it before its turn, as where a part was settled, is not written again.
                while skip > 0 && !self.is_done() {
                    self.flush(output)?;
                    let chunk = match input.fill_buf() {
                        Ok(chunk) => chunk,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                        Err(source) => return Err(ErrorKind::Read { offset: self.bytes_in, source }.into()),
                    };
                    let len = chunk.len();
                    let fed = self.deliver(chunk, len == 0, &mut room, &mut skip, output);
                    input.consume(len);
                    fed?;
                }
                self.run_alone(input, output)
            }
            Some(Ended::Read(source)) => {
                self.flush(output)?;
                Err(ErrorKind::Read { offset: self.bytes_in, source }.into())
            }
            Some(Ended::Eof) => {
                self.deliver(&[], true, &mut room, &mut skip, output)?;
                self.flush(output)
            }
        }
    }

    /// Whether parts may begin once nothing is under way: detection's bytes are done with, and so is the label.
    fn is_cuttable(&self) -> bool {
        let past_head = matches!(self.phase, Phase::Decode) && self.head_at == self.head.len() && self.edits.is_empty();
        past_head
            && self.route.as_ref().is_some_and(|route| {
                let is_past_head = route.nel.as_ref().is_none_or(|watch| watch.is_over()) && route.front.is_past_head();
                !route.watches_lf && is_past_head && route.can_be_cut()
            })
    }

    /// Whether nothing is under way.
    fn is_between(&self) -> bool {
        self.is_cuttable()
            && self.queue.is_empty()
            && self.spill.is_empty()
            && self.route.as_ref().is_some_and(|route| {
                route.front.is_between()
                    && route.encoder.pending() == 0
                    && route.carry.is_none()
                    && route.back.as_ref().is_none_or(|back| !back.is_open())
                    && route.stages.iter().all(|stage| stage.is_between())
            })
    }

    /// Lets go on what stopped for want of room when all input was taken; answers how many bytes that writes.
    fn settle(&mut self, room: &mut [u8]) -> Result<usize, Error> {
        let mut written = 0;
        for _ in 0..4 {
            if self.is_between() || !matches!(self.phase, Phase::Decode) {
                break;
            }
            let mut out = Out { room: &mut room[written..], written: 0 };
            self.decode(&[], false, &mut out)?;
            let len = out.written;
            self.report.bytes_out += len as u64;
            written += len;
            written += self.step(&[], &mut room[written..], false)?.written;
        }
        Ok(written)
    }

    fn cutter(&self, deframer: Option<Deframer>) -> Cutter {
        match (deframer, &self.route) {
            (Some(deframer), _) => Cutter::Records(Box::new(RecordEnds { deframer, walked: 0, last: None })),
            (None, Some(route)) => Cutter::Characters {
                unit: route.front.code_unit().unwrap_or(1),
                decoder: Box::new(route.front.decoder()),
            },
            (None, None) => Cutter::Never,
        }
    }

    /// How many bytes come before the next code unit.
    fn first_unit(&self) -> usize {
        self.route.as_ref().map_or(0, |route| {
            let unit = route.front.code_unit().unwrap_or(1);
            (unit - route.front.pending() % unit) % unit
        })
    }

    /// A machine like this one, which begins at `at` of the input.
    fn part(&self, at: u64, begin: &Begin) -> Transcoder {
        let mut part = Transcoder::new(self.settings.clone());
        part.phase = Phase::Decode;
        part.bytes_in = at;
        part.report.bytes_in = at;
        part.report.from.clone_from(&self.report.from);
        part.report.controls = self.report.controls.as_ref().map(|_| Faults::new());
        part.report.record_newlines = self.report.record_newlines.as_ref().map(|_| Faults::new());
        part.report.records_cut = self.report.records_cut.as_ref().map(|_| RecordsCut::default());
        part.framing = None;
        part.route = self.route.as_ref().and_then(|route| route.part(at, begin.as_ref()));
        part
    }
}

impl Route {
    /// Whether the way can be begun in the middle.
    fn can_be_cut(&self) -> bool {
        let target = match &self.back {
            // Each record begins anew.
            Some(back) => self.front.has_records() && back.part(0).is_some(),
            // An end of line that the target lacks is told of with the place of what follows it.
            None => self.encoder.is_stateless() && (!self.front.has_records() || can_write(&*self.to, self.eol)),
        };
        self.place.is_none() && target && self.front.code_unit().is_some()
    }

    /// The same at `at` of the input, where nothing is under way.
    fn part(&self, at: u64, deframer: Option<&Deframer>) -> Option<Route> {
        let back = match &self.back {
            Some(back) => Some(back.part(deframer.map_or(0, |deframer| deframer.record() - 1))?),
            None => None,
        };
        Some(Route {
            front: self.front.part(at, deframer),
            to: self.to.clone(),
            encoder: CheckedEncoder::new(self.to.name(), self.to.encoder()?),
            back,
            passage: self.passage.as_ref().map(Passage::fork),
            fused: self.fused.as_ref().map(Fused::fork),
            stages: self.stages.iter().map(|stage| stage.fork()).collect(),
            end: self.end,
            eol: self.eol,
            same: self.same,
            straight: self.straight,
            newlines: self.newlines.clone(),
            needs_origin: self.needs_origin,
            carry: None,
            expects_bmp: self.expects_bmp,
            nel: None,
            watches_lf: false,
            unmappable: self.unmappable,
            place: None,
        })
    }
}

/// Where a part begins: between two records, as this says, or between two characters.
type Begin = Option<Deframer>;

/// Where to begin again, should what follows not go well.
struct Base {
    /// `None`: at the beginning of the input.
    part: Option<Begin>,
    /// The account up to there.
    report: Report,
    at: u64,
    /// How much was written of what comes from there.
    written: u64,
}

/// The bytes of the input from the base on, and where the reads ended that they came with.
#[derive(Default)]
struct Tail {
    bytes: Vec<u8>,
    ends: VecDeque<u64>,
}

impl Tail {
    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        self.ends.push_back(self.bytes.len() as u64);
    }
}

/// How the input ended.
enum Ended {
    Eof,
    Read(io::Error),
}

/// How the parts ended.
enum Over {
    Done(Box<Report>),
    /// One machine is to go on: from where, over what, and how the input ended, if it did.
    GivenUp(Box<(Base, Tail, Option<Ended>)>),
}

/// The ends of records in a block.
struct RecordEnds {
    deframer: Deframer,
    /// How much of the block it has seen.
    walked: usize,
    /// The last end of a record in it.
    last: Option<(usize, Deframer)>,
}

/// Finds the places to cut at.
enum Cutter {
    Records(Box<RecordEnds>),
    Characters { unit: usize, decoder: Box<CheckedDecoder> },
    Never,
}

/// Goes over `src`; `ended` is told where a record ends. Stops where the framing is wrong: whoever decodes it will say so.
fn walk(deframer: &mut Deframer, src: &[u8], mut ended: impl FnMut(usize, &Deframer)) {
    let mut at = 0;
    loop {
        if let Some((header, len)) = deframer.whole(&src[at..]) {
            at += header + len;
            ended(at, deframer);
            continue;
        }
        match deframer.next(&src[at..], false) {
            Ok(Part::Framing(len) | Part::Data(len)) => at += len,
            Ok(Part::End) => ended(at, deframer),
            Ok(Part::FileEnd) => {}
            Ok(Part::NeedInput | Part::Done) | Err(_) => return,
        }
    }
}

impl Cutter {
    /// The last place in `block` to cut it at; the code units begin behind `first` bytes. Where there is none, it may be
    /// asked again with more behind the same bytes; else what follows the cut comes next.
    fn cut(&mut self, block: &[u8], first: usize) -> Option<(usize, Begin)> {
        match self {
            Cutter::Records(ends) => {
                let RecordEnds { deframer, walked, last } = &mut **ends;
                let from = *walked;
                walk(deframer, &block[from..], |at, deframer| match last {
                    Some((end, state)) => {
                        *end = from + at;
                        state.clone_from(deframer);
                    }
                    None => *last = Some((from + at, deframer.clone())),
                });
                *walked = block.len();
                let (at, state) = last.take()?;
                // What follows comes again.
                deframer.clone_from(&state);
                *walked = 0;
                (at > 0).then_some((at, Some(state)))
            }
            Cutter::Characters { unit, decoder } => {
                let units = block.len().checked_sub(first)? / *unit;
                let ends = (units.saturating_sub(LOOK_BACK)..=units).rev().map(|units| first + units * *unit);
                let mut ends = ends.filter(|end| *end > first);
                ends.find(|end| {
                    let begin = first + (end - first).saturating_sub(LOOK_BACK);
                    // Should a codec panic, it shall do so where its output ends.
                    let trial = || is_between_characters(decoder, &block[begin..*end], &block[*end..]);
                    catch_unwind(AssertUnwindSafe(trial)).unwrap_or(false)
                })
                .map(|end| (end, None))
            }
            Cutter::Never => None,
        }
    }
}

/// Whether a character ends where `before` does, and no CR, of which an end of line could be cut.
fn is_between_characters(decoder: &CheckedDecoder, before: &[u8], after: &[u8]) -> bool {
    let mut decoder = decoder.part(0);
    let mut room = [0; LOOK_BACK * MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut room);
    let mut rest = before;
    // Faults are those of the cut before, or of the data: neither is of interest.
    while let Ok(step) = decoder.feed(rest, &mut sink)
        && let Some(unread) = rest.get(step.read..)
    {
        rest = unread;
        if step.stop == Stop::InputEmpty {
            // In UTF-8 what goes on a character does not begin one.
            let goes_on = decoder.code_unit() == Some(1)
                && !decoder.is_bytewise()
                && after.first().is_some_and(|byte| byte & 0xC0 == 0x80);
            return decoder.pending() == 0 && !sink.as_str().ends_with('\r') && !goes_on;
        }
        if step.stop == Stop::OutputFull {
            break;
        }
    }
    false
}

/// What a worker is to do.
struct Work {
    part: Transcoder,
    bytes: Vec<u8>,
    /// Nothing follows.
    eof: bool,
    room: Vec<u8>,
    most: usize,
    done: Sender<Made>,
}

/// What it did.
struct Made {
    bytes: Vec<u8>,
    room: Vec<u8>,
    /// The account, where all went well. How many bytes of the room are the output is in it.
    report: Option<Box<Report>>,
}

impl Work {
    fn run(mut self, stop: &AtomicBool) {
        let mut report = None;
        if !stop.load(Ordering::Relaxed) {
            let (part, bytes, room) = (&mut self.part, &self.bytes[..], &mut self.room);
            // Should a codec panic, it shall do so where one job's would.
            let went = catch_unwind(AssertUnwindSafe(|| convert(part, bytes, self.eof, room, self.most)));
            if matches!(went, Ok(Ok(true))) {
                report = Some(Box::new(self.part.report.clone()));
            }
        }
        // Nobody may be waiting any more.
        _ = self.done.send(Made { bytes: self.bytes, room: self.room, report });
    }
}

/// Converts a part into `room`, as far as `most` bytes; whether it went so that it counts.
fn convert(part: &mut Transcoder, src: &[u8], eof: bool, room: &mut Vec<u8>, most: usize) -> Result<bool, Error> {
    let (mut read, mut written) = (0, 0);
    loop {
        if room.len() < written + OUT_ROOM {
            room.resize((2 * room.len()).max(written + src.len() + OUT_ROOM), 0);
        }
        let is_last = eof && read == src.len();
        let step = part.step(&src[read..], &mut room[written..], is_last)?;
        read += step.read;
        written += step.written;
        if written > most {
            return Ok(false);
        }
        match step.state {
            Status::Done => return Ok(true),
            Status::NeedInput if read < src.len() || (eof && !is_last) => {}
            Status::NeedInput => break,
            Status::NeedRoom => {}
        }
    }
    room.resize(room.len().max(written + OUT_ROOM), 0);
    part.settle(&mut room[written..])?;
    Ok(!eof && part.is_between())
}

/// The parts, from the head on.
struct Parts<'a> {
    machine: &'a Transcoder,
    /// The account of all that is written.
    total: Report,
    base: Base,
    /// From the base up to what is under way; the reads of all.
    tail: Tail,
    /// Where the next part begins.
    begin: Begin,
    at: u64,
    cutter: Cutter,
    ended: Option<Ended>,
}

/// A part that is under way.
struct Pending {
    begin: Begin,
    at: u64,
    done: Receiver<Made>,
}

impl Parts<'_> {
    fn run<R, W>(mut self, input: &mut R, output: &mut W) -> Result<Over, Error>
    where
        R: BufRead + ?Sized,
        W: Write + ?Sized,
    {
        let (queue, waiting) = mpsc::channel::<Work>();
        let waiting = Mutex::new(waiting);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let mut workers = 0;
            let hire = || {
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
                if workers < self.machine.settings.jobs.get() && hire() {
                    workers += 1;
                }
                if workers == 0 {
                    work.run(&stop);
                } else {
                    _ = queue.send(work);
                }
            };
            let over = self.convert(input, output, dispatch, &stop);
            // Without more to do, the workers go.
            stop.store(true, Ordering::Relaxed);
            drop(queue);
            over
        })
    }

    fn convert<R, W>(
        &mut self,
        input: &mut R,
        output: &mut W,
        mut dispatch: impl FnMut(Work),
        stop: &AtomicBool,
    ) -> Result<Over, Error>
    where
        R: BufRead + ?Sized,
        W: Write + ?Sized,
    {
        let size = self.machine.settings.block;
        let most = self.machine.settings.jobs.get() + 2;
        let mut under_way: VecDeque<Pending> = VecDeque::new();
        // What is done with, to be used again.
        let (mut rooms, mut blocks) = (Vec::<Vec<u8>>::new(), Vec::<Vec<u8>>::new());
        // What follows the last cut: of the head at first.
        let mut block = self.tail.bytes.split_off(self.at as usize);
        let mut uncut = false;
        let mut last_is_sent = false;
        loop {
            while under_way.len() < most && !uncut && !last_is_sent && !matches!(self.ended, Some(Ended::Read(_))) {
                let mut wanted = size;
                let (cut, next) = loop {
                    self.read(input, &mut block, wanted);
                    match &self.ended {
                        Some(Ended::Eof) => break (Some(block.len()), None),
                        Some(Ended::Read(_)) => break (None, None),
                        None => {}
                    }
                    match self.cutter.cut(&block, 0) {
                        Some((at, next)) => break (Some(at), next),
                        None if wanted >= LENGTH * size => break (None, None),
                        None => wanted = block.len() + size,
                    }
                };
                let Some(cut) = cut else {
                    uncut = true;
                    break;
                };
                last_is_sent = self.ended.is_some();
                let mut rest = blocks.pop().unwrap_or_default();
                rest.clear();
                rest.reserve(size + (block.len() - cut));
                rest.extend_from_slice(&block[cut..]);
                block.truncate(cut);
                let bytes = std::mem::replace(&mut block, rest);
                let (done, made) = mpsc::channel();
                let begin = std::mem::replace(&mut self.begin, next);
                let part = self.machine.part(self.at, &begin);
                let room = rooms.pop().unwrap_or_default();
                let limit = GROWTH * bytes.len() + OUT_ROOM;
                under_way.push_back(Pending { begin, at: self.at, done: made });
                self.at += bytes.len() as u64;
                dispatch(Work { part, bytes, eof: last_is_sent, room, most: limit, done });
            }
            let Some(first) = under_way.pop_front() else { break };
            let made = first.done.recv();
            let Ok(Made { bytes, room, report: Some(report) }) = made else {
                // All that was read comes back, in order.
                stop.store(true, Ordering::Relaxed);
                self.tail.bytes.extend(made.map(|made| made.bytes).unwrap_or_default());
                for part in under_way {
                    self.tail.bytes.extend(part.done.recv().map(|made| made.bytes).unwrap_or_default());
                }
                self.tail.bytes.extend(block);
                return Ok(self.give_up());
            };
            let written = report.bytes_out;
            if let Err(source) = output.write_all(&room[..written as usize]) {
                return Err(ErrorKind::Write { written: self.total.bytes_out, source }.into());
            }
            let before = self.total.clone();
            self.total.add(*report);
            self.base = Base { part: Some(first.begin), report: before, at: first.at, written };
            blocks.push(std::mem::replace(&mut self.tail.bytes, bytes));
            while self.tail.ends.front().is_some_and(|end| *end <= first.at) {
                self.tail.ends.pop_front();
            }
            rooms.push(room);
        }
        if uncut {
            self.tail.bytes.extend(block);
            return Ok(self.give_up());
        }
        Ok(Over::Done(Box::new(self.total.clone())))
    }

    /// Reads until `block` has `wanted` bytes, or the input ends.
    fn read<R: BufRead + ?Sized>(&mut self, input: &mut R, block: &mut Vec<u8>, wanted: usize) {
        while block.len() < wanted && self.ended.is_none() {
            match input.fill_buf() {
                Ok([]) => self.ended = Some(Ended::Eof),
                Ok(chunk) => {
                    block.extend_from_slice(chunk);
                    let len = chunk.len();
                    input.consume(len);
                    self.tail.ends.push_back(self.at + block.len() as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.ended = Some(Ended::Read(error)),
            }
        }
    }

    fn give_up(&mut self) -> Over {
        let nothing = Base { part: None, report: Report::new(""), at: 0, written: 0 };
        let base = std::mem::replace(&mut self.base, nothing);
        Over::GivenUp(Box::new((base, std::mem::take(&mut self.tail), self.ended.take())))
    }
}

impl Report {
    /// Adds the account of the part that follows.
    fn add(&mut self, part: Report) {
        self.bytes_in = part.bytes_in;
        self.bytes_out += part.bytes_out;
        self.malformed.append(part.malformed);
        self.unmappable.append(part.unmappable);
        if let (Some(controls), Some(more)) = (&mut self.controls, part.controls) {
            controls.append(more);
        }
        if let (Some(newlines), Some(more)) = (&mut self.record_newlines, part.record_newlines) {
            newlines.append(more);
        }
        if let (Some(cut), Some(more)) = (&mut self.records_cut, part.records_cut) {
            cut.append(more);
        }
        self.records = part.records;
        self.records_out = part.records_out;
        for note in part.diagnostics {
            // What a part says, one job would say once.
            if self.diagnostics.iter().all(|said| said.code != note.code) {
                self.diagnostics.push(note);
            }
        }
    }
}

impl<F> Faults<F> {
    fn append(&mut self, more: Faults<F>) {
        self.count += more.count;
        let room = Self::KEPT - self.first.len();
        self.first.extend(more.first.into_iter().take(room));
    }
}
