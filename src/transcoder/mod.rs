//! The transcoder: bytes in, bytes out, a step at a time, without I/O.
//!
//! ```text
//!            head, given back                  str           pieces
//! src ─ detect ──────── records in ─ decoder ─ text ───── stages ───────── encoder ─ records out ─ dst
//!          └ verdict    └──────── source ───┘             └ staged ┘       └──────── target ────┘
//! ```
//!
//! | file | content |
//! |---|---|
//! | `options.rs` | [`Transcode`], the builder |
//! | `choices.rs` | the policies as enums |
//! | `mod.rs` | [`Transcoder::step`], the step machine |
//! | `run.rs` | the state that it shares with the ways: settings, report, queue, spill |
//! | `head.rs` | the bytes that detection took, until they are decoded |
//! | `plan/` | from the verdict to a route: the way, the text stages, the labels and the byte order mark |
//! | `way/` | the ways from input to output: by a table, directly, through the text stages |
//! | `faults.rs` | the policies for malformed input and for characters that the target lacks |
//! | `records/` | records: detection's view of them, from input bytes to text, from encoded bytes to records |
//! | `segment.rs` | decoded text on its way to the encoder, and where in the input each character came from |
//! | `newline_watch.rs` | watches for newlines that most programs do not recognise |
//! | `guard.rs` | holds codecs to their contract |
//! | `probe.rs` | what a charset can do |
//! | `report.rs` | the report of a run |
//! | `entry.rs` | the entry points: what [`Transcode`] makes and does, [`transcode`], [`decode`] |
//! | `io/` | the shells: from `BufRead` to `Write`, readers, writers, values, and the same for tokio |
//! | `parallel/` | several threads convert parts of one input |
//!
//! A new *text stage* is planned in `plan/`. *Kernels* stay behind the codec traits. Bindings to other languages and to
//! other async runtimes are shells like those in `io/`.

mod choices;
mod entry;
mod faults;
mod guard;
mod head;
mod io;
mod newline_watch;
mod options;
mod parallel;
mod plan;
mod probe;
mod records;
mod report;
mod run;
mod segment;
mod way;

pub use choices::{Bom, Gaps, OnMalformed, OnOverlong, OnUnmappable, Padding, Relabel};
pub use entry::{decode, transcode};
pub use io::reader::DecodeReader;
#[cfg(feature = "tokio")]
pub use io::tokio;
pub use io::value::ValueDecoder;
pub use io::writer::{EncodeWriter, FinishError};
pub use options::Transcode;
pub use report::{CutRecord, Faults, MalformedAt, RecordsCut, Relabelled, Report, UnmappableAt};

use crate::detect::{Detector, PRESCAN_LIMIT, Verdict};
use crate::error::{Error, ErrorKind, RecordPosition};
use head::Head;
use options::Settings;
use plan::label_search::{Label, LabelSearch};
use records::head::{HEAD_LIMIT, Looks};
use run::{Out, Run};
use std::sync::Arc;
use way::Route;

/// Transcodes one stream, without I/O. Made by [`Transcode::transcoder`].
///
/// ```
/// use charpipe::{Status, Transcode};
///
/// let mut transcoder = Transcode::new().source_encoding("IBM037")?.transcoder()?;
/// let mut room = [0; 16];
/// let step = transcoder.step(b"\xC8\x85\x93\x93\x96", &mut room, true)?;
/// assert_eq!((step.read, step.state), (5, Status::Done));
/// assert_eq!(&room[..step.written], b"Hello");
/// # Ok::<(), charpipe::Error>(())
/// ```
pub struct Transcoder {
    phase: Phase,
    head: Head,
    /// The machines of source and target, from the verdict on.
    route: Option<Route>,
    run: Run,
    /// A step is being made. If this is still set at the beginning of the next one, a codec panicked.
    is_running: bool,
}

enum Phase {
    /// Detection looks at the input.
    Detect(Box<Detector>),
    /// The verdict is known; labels are looked for in the rest of the document.
    Labels(Box<(Verdict, LabelSearch)>),
    Decode,
    FinishDecoder,
    FinishEncoder,
    Done,
    Failed(Error),
}

/// The result of [`Transcoder::step`].
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Bytes taken from `src`.
    pub read: usize,
    /// Bytes put into `dst`.
    pub written: usize,
    /// What the transcoder needs next.
    pub state: Status,
}

/// What a [`Transcoder`] needs next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// More input: all of `src` was taken, and all of its output was delivered.
    NeedInput,
    /// Another call, with the unread rest of `src` and with space in `dst`.
    NeedRoom,
    /// Nothing: the end of the input was taken and everything was delivered.
    Done,
}

/// What [`Transcoder::advance`] did.
enum Advance {
    /// Took this many bytes of `src`; there is more to do.
    Read(usize),
    /// Stopped for the caller.
    Pause(Status),
}

impl Transcoder {
    fn new(settings: Arc<Settings>) -> Self {
        let detector = Detector::for_conversion(settings.registry.clone(), settings.hints.clone());
        Transcoder {
            phase: Phase::Detect(Box::new(detector)),
            head: Head::new(&settings.input),
            route: None,
            run: Run::new(settings),
            is_running: false,
        }
    }

    /// Takes bytes from `src` and puts bytes into `dst`. `eof`: nothing follows `src`.
    ///
    /// Both may have any size, including zero; the sizes never change the output.
    ///
    /// # Errors
    /// Whatever the policies do not allow. All good output before the error was delivered by earlier calls: a call that
    /// fails reads nothing and writes nothing. Every later call fails with the same error.
    pub fn step(&mut self, src: &[u8], dst: &mut [u8], eof: bool) -> Result<Progress, Error> {
        let mut out = Out::new(dst);
        let mut read = 0;
        if std::mem::replace(&mut self.is_running, true) {
            let (codec, offset) = (self.run.source_name(), self.run.bytes_in);
            self.phase = Phase::Failed(ErrorKind::Codec { codec, offset, what: "panicked" }.into());
        }
        let state = loop {
            if !self.run.spill.deliver(&mut out) {
                break Status::NeedRoom;
            }
            if let Phase::Failed(error) = &self.phase {
                if read == 0 && out.written == 0 {
                    self.is_running = false;
                    return Err(error.clone());
                }
                break Status::NeedRoom;
            }
            match self.advance(&src[read..], &mut out, eof) {
                Ok(Advance::Read(len)) => {
                    read += len;
                    self.run.bytes_in += len as u64;
                }
                Ok(Advance::Pause(state)) => break state,
                Err(error) => self.fail(error),
            }
        };
        self.is_running = false;
        self.run.report.bytes_in = self.run.bytes_in;
        self.run.report.bytes_out += out.written as u64;
        Ok(Progress { read, written: out.written, state })
    }

    /// Goes back to the beginning, for the next message: detection starts anew, the options stay, the report is empty.
    ///
    /// ```
    /// let mut transcoder = charpipe::Transcode::new().transcoder()?;
    /// let mut room = [0; 16];
    /// for (message, text) in [(&b"\xFE\xFF\0a"[..], "a"), ("é".as_bytes(), "é")] {
    ///     transcoder.reset();
    ///     let step = transcoder.step(message, &mut room, true)?;
    ///     assert_eq!(&room[..step.written], text.as_bytes());
    /// }
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn reset(&mut self) {
        *self = Transcoder::new(self.run.settings.clone());
    }

    /// Returns the verdict of detection, once there is one.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.run.report.verdict.as_ref()
    }

    /// Returns whether the end of the input was taken and everything was delivered.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.run.spill.is_empty()
    }

    /// Returns the report so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.run.report
    }

    /// Returns how far the input was read: the byte offset, and the record if there are records. After a panic in
    /// [`step`](Self::step) this is the only thing that can still be asked.
    #[must_use]
    pub fn reached(&self) -> (u64, Option<RecordPosition>) {
        let place = self.route.as_ref().map(|route| route.source.reached());
        place.map_or((self.run.bytes_in, None), |place| (place.offset, place.record))
    }

    fn fail(&mut self, error: Error) {
        if let Some(route) = &mut self.route {
            route.close(&mut self.run, &error);
        }
        self.phase = Phase::Failed(error);
    }

    /// Does one thing: an item of the queue, some input, or a change of phase.
    fn advance(&mut self, src: &[u8], out: &mut Out<'_>, eof: bool) -> Result<Advance, Error> {
        if let Some(route) = self.route.as_mut().filter(|_| !self.run.queue.is_empty()) {
            return route.work(&mut self.run, out).map(|()| Advance::Read(0));
        }
        match &mut self.phase {
            Phase::Detect(_) => Ok(self.detect(src, eof)),
            Phase::Labels(_) => Ok(self.search_labels(src, eof)),
            Phase::Decode => self.decode(src, eof, out),
            Phase::FinishDecoder => {
                let Some(route) = &mut self.route else { return Ok(self.enter(Phase::Done)) };
                let is_done = route.finish_decoder(&mut self.run)?;
                Ok(if is_done { self.enter(Phase::FinishEncoder) } else { Advance::Read(0) })
            }
            Phase::FinishEncoder => {
                let Some(route) = &mut self.route else { return Ok(self.enter(Phase::Done)) };
                let is_done = route.finish_encoder(&mut self.run)?;
                Ok(if is_done { self.enter(Phase::Done) } else { Advance::Read(0) })
            }
            Phase::Done => Ok(Advance::Pause(Status::Done)),
            Phase::Failed(error) => Err(error.clone()),
        }
    }

    fn enter(&mut self, phase: Phase) -> Advance {
        self.phase = phase;
        Advance::Read(0)
    }

    /// Shows input to detection.
    fn detect(&mut self, src: &[u8], eof: bool) -> Advance {
        let Phase::Detect(detector) = &mut self.phase else { return Advance::Read(0) };
        let shown = self.head.show(&mut **detector, src, eof, (false, HEAD_LIMIT));
        if shown.is_last {
            let verdict = detector.finish();
            self.head.keep(detector.prefix());
            self.look_for_labels(verdict, shown.is_over && eof);
        } else if shown.read == 0 {
            return Advance::Pause(Status::NeedInput);
        }
        Advance::Read(shown.read)
    }

    /// Goes on to look for labels, if the document may have some outside its declaration. `ended`: nothing follows the head.
    fn look_for_labels(&mut self, verdict: Verdict, ended: bool) {
        let Some(mut search) = LabelSearch::for_document(&self.run.settings, &verdict) else {
            return self.begin(verdict, &[]);
        };
        self.head.show_again(&mut search, &self.run.settings.input, ended);
        let is_done = search.is_done() || ended;
        self.phase = Phase::Labels(Box::new((verdict, search)));
        if is_done {
            self.labels_found();
        }
    }

    /// Shows input to the search for labels.
    fn search_labels(&mut self, src: &[u8], eof: bool) -> Advance {
        let Phase::Labels(search) = &mut self.phase else { return Advance::Read(0) };
        let shown = self.head.show(&mut search.1, src, eof, (true, HEAD_LIMIT + PRESCAN_LIMIT));
        if shown.is_last {
            self.labels_found();
        } else if shown.read == 0 {
            return Advance::Pause(Status::NeedInput);
        }
        Advance::Read(shown.read)
    }

    fn labels_found(&mut self) {
        if let Phase::Labels(search) = std::mem::replace(&mut self.phase, Phase::Decode) {
            let (verdict, search) = *search;
            let labels = search.labels(&self.run.settings.registry);
            self.begin(verdict, &labels);
        }
    }

    /// Begins to convert.
    fn begin(&mut self, verdict: Verdict, labels: &[Label]) {
        self.phase = Phase::Decode;
        if let Err(error) = self.plan(verdict, labels) {
            self.fail(error);
        }
    }

    fn plan(&mut self, verdict: Verdict, labels: &[Label]) -> Result<(), Error> {
        let facts = plan::Facts::of(verdict, self.head.bytes(), &mut self.run)?;
        let route = self.route.insert(plan::route(&mut self.run, &facts)?);
        self.head.skip_bom(facts.bom_len);
        plan::beginning(&mut self.run, route, facts, labels)
    }

    /// Decodes the head, then input.
    fn decode(&mut self, src: &[u8], eof: bool, out: &mut Out<'_>) -> Result<Advance, Error> {
        let Some(route) = &mut self.route else { return Ok(self.enter(Phase::Done)) };
        if !self.head.is_decoded() {
            let decoded = route.decode(&mut self.run, self.head.rest(), false, out)?;
            self.head.consume(decoded.read);
            return Ok(self.decoded(0, decoded.is_over));
        }
        if src.is_empty() && !eof {
            return Ok(Advance::Pause(Status::NeedInput));
        }
        if src.is_empty() && !route.has_edit_due() && !route.source.has_records() {
            return Ok(self.enter(Phase::FinishDecoder));
        }
        if out.spare().is_empty() && route.is_direct() {
            return Ok(Advance::Pause(Status::NeedRoom));
        }
        let decoded = route.decode(&mut self.run, src, eof, out)?;
        Ok(self.decoded(decoded.read, decoded.is_over))
    }

    fn decoded(&mut self, read: usize, is_over: bool) -> Advance {
        if is_over {
            self.phase = Phase::FinishEncoder;
        }
        Advance::Read(read)
    }
}
