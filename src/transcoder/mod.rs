//! The transcoder: converts bytes to bytes, one step at a time, without I/O.
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
//! | `named_options.rs` | the options by name: [`Transcode::set`] |
//! | `mod.rs` | [`Transcoder::step`], the step machine |
//! | `run.rs` | the state that it shares with the ways: settings, report, queue, spill |
//! | `chars.rs` | whole characters, or nothing: [`Transcoder::step_chars`] |
//! | `fork.rs` | copies of a transcoder, and how many bytes are pending |
//! | `reset.rs`, `message.rs` | message after message: [`Transcoder::reset`], and what is kept for the next one that comes as a whole |
//! | `kept.rs`, `recall.rs` | what is kept for the next one that comes in pieces, and its way |
//! | `head.rs` | the bytes that detection took, until they are decoded |
//! | `plan/` | from the verdict to a route: the way, the text stages, the labels and the byte order mark |
//! | `source.rs`, `fill.rs` | from input bytes to text, with or without records; what a fill is given and returns |
//! | `target.rs` | from text to output bytes, with or without records |
//! | `way/` | the ways from input to output: by a table, directly, through the text stages, short text at once |
//! | `faults.rs` | the policies for malformed input and for characters that the target lacks |
//! | `candidates.rs` | several fallbacks, and the choice among them |
//! | `doubts.rs`, `suspect.rs` | input that is not text, or not in the encoding that a label says |
//! | `byte_page.rs` | the page that malformed bytes are read as |
//! | `translit.rs` | writes readable approximations, as far as the target and the document allow |
//! | `records/` | records: detection's view of them, from input bytes to text, from encoded bytes to records |
//! | `segment.rs` | decoded text on its way to the encoder, and where in the input each character came from |
//! | `newline_watch.rs` | watches for newlines that most programs do not recognise |
//! | `guard.rs` | holds codecs to their contract |
//! | `charset.rs` | what a charset can do |
//! | `report.rs` | the report of a run |
//! | `locate.rs` | lines and columns, found by reading the input again |
//! | `label_places.rs` | lines and columns of the evidence against a label |
//! | `entry.rs` | the entry points: what [`Transcode`] makes and does, [`transcode`], [`decode`] |
//! | `io/` | the shells: from `BufRead` to `Write`, readers, writers, values, and the same for tokio |
//! | `parallel/` | several threads convert parts of one input |
//!
//! A new *text stage* is planned in `plan/`. *Kernels* are used only through the codec traits. Bindings to other
//! languages and to other async runtimes are shells like those in `io/`.

pub(crate) mod byte_page;
mod candidates;
mod chars;
mod charset;
mod choices;
mod doubts;
mod entry;
pub(crate) mod faults;
mod fill;
mod fork;
mod guard;
mod head;
mod io;
mod kept;
mod label_places;
mod line_counter;
mod locate;
mod message;
pub(crate) mod named_options;
mod newline_watch;
mod options;
mod parallel;
mod plan;
mod recall;
mod records;
mod report;
mod reset;
mod run;
mod segment;
mod source;
mod suspect;
mod target;
#[cfg(feature = "translit")]
mod translit;
mod way;

pub use chars::{CharProgress, CharStop};
pub use choices::{Bom, Gaps, OnMalformed, OnUnknown, OnUnmappable, Padding, Relabel};
pub use entry::{decode, transcode};
#[cfg(feature = "tokio")]
pub use io::asynchronous::{AsyncDecodeReader, AsyncEncodeWriter};
pub use io::lines::{Line, LineCheckpoint, LineEnd, LineEnds, Lines};
pub use io::reader::DecodeReader;
pub use io::text_writer::TextWriter;
pub use io::value::{ValueDecoder, ValueEncoder};
pub use io::writer::{EncodeWriter, FinishError};
pub use named_options::{NamedOption, OptionValue, RenamedOption};
pub use options::Transcode;
pub use report::{CutRecord, Faults, MalformedAt, RecordsCut, Relabelled, RepairedAt, Report, UnmappableAt};

use crate::codec::Codec;
use crate::detect::{Detector, Kind, LabelWatch, PRESCAN_LIMIT, SignatureScan, Source, Verdict, may_be_binary};
use crate::error::{Error, ErrorKind, RecordPosition};
use candidates::{Candidates, Window};
use doubts::Suspicion;
use head::Head;
use kept::{Kept, Planned};
use label_places::LabelPlaces;
use message::Messages;
use options::Settings;
use plan::label_search::{Label, LabelSearch};
use records::detection::{HEAD_LIMIT, Looks};
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
    /// The fallbacks, as long as none of them is chosen.
    choice: Option<Candidates>,
    /// The same, once one is chosen.
    past_choice: Option<Candidates>,
    /// Whether the input may turn out to be binary.
    suspicion: Suspicion,
    /// The evidence against the label of a single-byte charset.
    label: Option<LabelWatch>,
    /// The lines of that evidence, if lines are counted.
    label_places: LabelPlaces,
    /// The state that is kept for the next messages of plain text that arrive as a whole.
    messages: Option<Box<Messages>>,
    /// The state that is kept for the next messages that arrive in pieces, and the plan for this one.
    kept: Option<Box<Kept>>,
    planned: Option<Planned>,
    /// A step is being made. If this is still set at the beginning of the next one, a codec panicked.
    is_running: bool,
}

enum Phase {
    /// Detection looks at the input.
    Detect(Box<Detector>),
    /// Nothing identifies the encoding. The first bytes may be the signature of a format that is not text.
    Signature(Box<(Verdict, SignatureScan)>),
    /// A second detector looks whether this is text.
    Recognise(Box<(Verdict, Detector)>),
    /// The input is copied.
    Pass,
    /// The verdict is that one of several fallbacks is used; the input shows which.
    Choose(Box<(Verdict, Window)>),
    /// The verdict is known; labels are looked for in the rest of the document.
    Labels(Box<(Verdict, LabelSearch)>),
    Decode,
    FinishDecoder,
    FinishEncoder,
    /// Everything is written. What the whole input has shown is reported.
    Conclude,
    Done,
    Failed(Error),
}

/// The result of [`Transcoder::step`].
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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

/// The result of [`Transcoder::advance`].
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
            choice: None,
            past_choice: None,
            suspicion: Suspicion::default(),
            label: None,
            label_places: LabelPlaces::default(),
            messages: None,
            kept: None,
            planned: None,
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
        if eof
            && self.messages.is_some()
            && let Some(written) = self.convert_message(src, out.spare())
        {
            self.is_running = false;
            return Ok(Progress { read: src.len(), written, state: Status::Done });
        }
        let state = loop {
            if !self.run.spill.deliver(&mut out) {
                break Status::NeedRoom;
            }
            if let Phase::Failed(error) = &self.phase {
                if read == 0 && out.written == 0 {
                    let error = error.clone();
                    self.is_running = false;
                    self.run.report.bytes_in = self.bytes_in();
                    return Err(error);
                }
                break Status::NeedRoom;
            }
            match self.advance(&src[read..], &mut out, eof) {
                Ok(Advance::Read(len)) => {
                    read += len;
                    self.run.bytes_in += len as u64;
                }
                Ok(Advance::Pause(state)) => break state,
                Err(error) => {
                    self.doubt_before(&error, &src[read..]);
                    self.fail(error);
                }
            }
        };
        self.is_running = false;
        self.run.report.bytes_in = self.bytes_in();
        self.run.report.bytes_out += out.written as u64;
        Ok(Progress { read, written: out.written, state })
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
    /// [`step`](Self::step), this is the only method that may still be called.
    #[must_use]
    pub fn reached(&self) -> (u64, Option<RecordPosition>) {
        let place = self.route.as_ref().map(|route| route.source.reached());
        place.map_or((self.run.bytes_in, None), |place| (place.offset, place.record))
    }

    /// How much of the input the report accounts for. After an error that is what precedes it: how much was taken by
    /// then depends on the pieces in which the input came.
    fn bytes_in(&self) -> u64 {
        let taken = self.run.bytes_in;
        match &self.phase {
            // As in messages, an error that has no offset is at the beginning.
            Phase::Failed(error) => error.offset().unwrap_or(0).min(taken),
            _ => taken,
        }
    }

    fn fail(&mut self, error: Error) {
        let error = self.locate_in_head(Some(&error)).unwrap_or(error);
        if let Some(route) = &mut self.route {
            route.close(&mut self.run, &error);
        }
        self.phase = Phase::Failed(error);
    }

    /// Does one thing: an item of the queue, some input, or a change of phase.
    fn advance(&mut self, src: &[u8], out: &mut Out<'_>, eof: bool) -> Result<Advance, Error> {
        if self.is_suspect() {
            return self.suspect(src, eof);
        }
        if let Some(route) = self.route.as_mut().filter(|_| !self.run.queue.is_empty()) {
            return route.work(&mut self.run, out).map(|()| Advance::Read(0));
        }
        match &mut self.phase {
            Phase::Detect(_) => Ok(match self.recall(src, eof) {
                Some(advance) => advance,
                None => self.detect(src, eof),
            }),
            Phase::Signature(_) => Ok(self.scan_signature(src, eof)),
            Phase::Recognise(_) => Ok(self.show_to_recognise(src, eof)),
            Phase::Pass => Ok(self.pass(src, eof, out)),
            Phase::Choose(_) => Ok(self.show_to_choose(src, eof)),
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
                Ok(if is_done { self.enter(Phase::Conclude) } else { Advance::Read(0) })
            }
            Phase::Conclude => self.conclude().map(|()| self.enter(Phase::Done)),
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
            self.consider_unknown(verdict, shown.is_over && eof);
        } else if shown.read == 0 {
            return Advance::Pause(Status::NeedInput);
        }
        Advance::Read(shown.read)
    }

    /// Continues to look whether the input is text, if nothing identifies its encoding. `ended`: nothing follows the
    /// head.
    fn consider_unknown(&mut self, verdict: Verdict, ended: bool) {
        let settings = &self.run.settings;
        let is_open = matches!(verdict.source, Some(Source::Default | Source::Fallback)) && verdict.kind != Kind::Xml;
        if settings.unknown == OnUnknown::Pass && is_open {
            return self.recognise(verdict, ended);
        }
        if !doubts::applies(settings) || !may_be_binary(&verdict) {
            return self.consider_fallbacks(verdict, ended);
        }
        let mut scan = SignatureScan::default();
        self.head.show_again(&mut scan, &self.run.settings.input, ended);
        if scan.is_done() || ended {
            self.scanned(verdict, &scan, ended);
        } else {
            self.phase = Phase::Signature(Box::new((verdict, scan)));
        }
    }

    /// Begins to show the input to a second detector, which looks at more of it.
    fn recognise(&mut self, verdict: Verdict, ended: bool) {
        let settings = &self.run.settings;
        let mut detector = Detector::new(settings.registry.clone(), settings.hints.clone());
        self.head.show_again(&mut detector, &settings.input, ended);
        if detector.is_done() || ended {
            self.recognised(verdict, detector, ended);
        } else {
            self.phase = Phase::Recognise(Box::new((verdict, detector)));
        }
    }

    /// Shows input to the second detector.
    fn show_to_recognise(&mut self, src: &[u8], eof: bool) -> Advance {
        let Phase::Recognise(recognise) = &mut self.phase else { return Advance::Read(0) };
        let shown = self.head.show(&mut recognise.1, src, eof, (true, HEAD_LIMIT));
        if shown.is_last {
            if let Phase::Recognise(recognise) = std::mem::replace(&mut self.phase, Phase::Decode) {
                let (verdict, detector) = *recognise;
                self.recognised(verdict, detector, shown.is_over && eof);
            }
        } else if shown.read == 0 {
            return Advance::Pause(Status::NeedInput);
        }
        Advance::Read(shown.read)
    }

    /// Continues after the second detector has seen enough: copies the input, or converts it by the first verdict.
    fn recognised(&mut self, verdict: Verdict, mut detector: Detector, ended: bool) {
        let seen = detector.finish();
        let error = seen.error.clone().filter(|error| matches!(error.kind(), ErrorKind::UnknownEncoding { .. }));
        match error {
            None => self.consider_fallbacks(verdict, ended),
            Some(error) if self.run.settings.unknown == OnUnknown::Fail => self.refuse(seen, error),
            Some(_) => {
                self.run.report.passed = true;
                self.run.report.verdict = Some(seen);
                self.phase = Phase::Pass;
            }
        }
    }

    /// Copies the head, then input.
    fn pass(&mut self, src: &[u8], eof: bool, out: &mut Out<'_>) -> Advance {
        let rest = self.head.rest();
        let from = if rest.is_empty() { src } else { rest };
        let len = from.len().min(out.spare().len());
        out.spare()[..len].copy_from_slice(&from[..len]);
        out.written += len;
        match (rest.is_empty(), from.is_empty()) {
            (true, true) if eof => self.enter(Phase::Done),
            (true, true) => Advance::Pause(Status::NeedInput),
            _ if len == 0 => Advance::Pause(Status::NeedRoom),
            (true, false) => Advance::Read(len),
            (false, _) => {
                self.head.consume(len);
                Advance::Read(0)
            }
        }
    }

    /// Continues to choose among several fallbacks, if the verdict is that one of them is used. `ended`: nothing
    /// follows the head.
    fn consider_fallbacks(&mut self, verdict: Verdict, ended: bool) {
        let Some(candidates) = Candidates::of(&verdict, &self.run.settings) else {
            return self.look_for_labels(verdict, ended);
        };
        let mut window = Window::new(candidates);
        self.head.show_again(&mut window, &self.run.settings.input, ended);
        if window.candidates.can_begin() && !self.head.has_records() {
            // Also if the whole input is here: an error before the first byte that they read differently comes first.
            self.choice = Some(window.candidates);
            self.look_for_labels(verdict, ended);
        } else if window.is_done() || ended {
            self.look_for_labels(with_codec(verdict, window.choose(ended)), ended);
        } else {
            self.phase = Phase::Choose(Box::new((verdict, window)));
        }
    }

    /// Shows input to the choice among fallbacks, before anything is decoded.
    fn show_to_choose(&mut self, src: &[u8], eof: bool) -> Advance {
        let Phase::Choose(choice) = &mut self.phase else { return Advance::Read(0) };
        let shown = self.head.show(&mut choice.1, src, eof, (true, HEAD_LIMIT));
        if shown.is_last {
            if let Phase::Choose(choice) = std::mem::replace(&mut self.phase, Phase::Decode) {
                let (verdict, window) = *choice;
                let ended = shown.is_over && eof;
                self.look_for_labels(with_codec(verdict, window.choose(ended)), ended);
            }
        } else if shown.read == 0 {
            return Advance::Pause(Status::NeedInput);
        }
        Advance::Read(shown.read)
    }

    /// Continues to look for labels, if the document may have some outside its declaration. `ended`: nothing follows
    /// the head.
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
        let mut facts = plan::Facts::of(verdict, self.head.bytes(), &mut self.run)?;
        if let Some(candidates) = &self.choice {
            facts.codec = candidates.codec();
        }
        let route = self.route.insert(plan::route(&mut self.run, &facts)?);
        self.run.spare.forget_source();
        self.head.skip_bom(facts.bom_len);
        let (codec, bom_len) = (facts.codec.clone(), facts.bom_len);
        plan::beginning(&mut self.run, route, facts, labels)?;
        // So far, the head is all of the input.
        let at = self.head.decoded() as u64;
        self.begin_doubts(&codec, false, at);
        self.planned = self.describe_plan(bom_len);
        Ok(())
    }

    /// Chooses among the fallbacks by `window`, the bytes from the offset `at` on. `is_end`: nothing follows them.
    fn choose(&mut self, window: &[u8], is_end: bool, at: u64) {
        let Some(candidates) = self.choice.take() else { return };
        let codec = candidates.choose(window, is_end).clone();
        self.run.report.set_codec(&codec);
        self.past_choice = Some(candidates);
        self.begin_doubts(&codec, true, at);
    }

    /// Decodes the first `len` bytes of the head that are not decoded yet.
    fn decode_head(&mut self, len: usize, out: &mut Out<'_>) -> Result<Advance, Error> {
        let Some(route) = &mut self.route else { return Ok(self.enter(Phase::Done)) };
        let start = self.run.bytes_in - self.head.rest().len() as u64;
        let before = out.written;
        let src = &self.head.rest()[..len];
        self.label_places.begin(&self.label, &route.source, start);
        let decoded = route.decode(&mut self.run, src, false, out)?;
        let is_same = route.is_direct() && out.written - before == decoded.read;
        self.suspicion.pass(&src[..decoded.read]);
        watch_label(&self.run, &mut self.label, &src[..decoded.read], start, is_same);
        self.label_places.end(&self.label, &src[..decoded.read]);
        self.head.consume(decoded.read);
        Ok(self.decoded(0, decoded.is_over))
    }

    /// Decodes the head, then input.
    fn decode_all(&mut self, src: &[u8], eof: bool, out: &mut Out<'_>) -> Result<Advance, Error> {
        let Some(route) = &mut self.route else { return Ok(self.enter(Phase::Done)) };
        if !self.head.is_decoded() {
            return self.decode_head(self.head.rest().len(), out);
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
        let before = out.written;
        self.label_places.begin(&self.label, &route.source, self.run.bytes_in);
        let decoded = route.decode(&mut self.run, src, eof, out)?;
        let is_same = route.is_direct() && out.written - before == decoded.read;
        self.suspicion.pass(&src[..decoded.read]);
        watch_label(&self.run, &mut self.label, &src[..decoded.read], self.run.bytes_in, is_same);
        self.label_places.end(&self.label, &src[..decoded.read]);
        Ok(self.decoded(decoded.read, decoded.is_over))
    }

    fn decoded(&mut self, read: usize, is_over: bool) -> Advance {
        if is_over {
            self.phase = Phase::FinishEncoder;
        }
        Advance::Read(read)
    }
}

/// Shows `bytes`, which begin at offset `start` of the input and were just decoded, to the watch of the label.
/// `is_same`: as much was written as was read.
fn watch_label(run: &Run, label: &mut Option<LabelWatch>, bytes: &[u8], start: u64, is_same: bool) {
    let Some(label) = label.as_mut().filter(|label| !label.is_settled()) else { return };
    let is_long = is_same && bytes.len() >= MIN_SKIPPED_BYTES && label.taken() == start;
    let codec = run.report.verdict.as_ref().and_then(|verdict| verdict.codec.as_ref()).filter(|_| is_long);
    if codec.is_some_and(|codec| label.ignores_same(&**codec)) {
        label.pass(bytes.len());
    } else {
        doubts::show_label(label, bytes, start, start + bytes.len() as u64);
    }
}

/// For fewer bytes it is not worth asking whether the watch may skip them.
const MIN_SKIPPED_BYTES: usize = 16 * 1024;

/// Returns the verdict with another fallback.
fn with_codec(verdict: Verdict, codec: Arc<dyn Codec>) -> Verdict {
    Verdict { encoding: Some(codec.name().to_owned()), codec: Some(codec), ..verdict }
}
