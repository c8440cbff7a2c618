//! The machine that holds it all and does no I/O: bytes in, bytes out, a step at a time.
//!
//! ```text
//!            head, given back                  str           pieces
//! src ─ detect ──────── records in ─ decoder ─ text ───── stages ───────── encoder ─ records out ─ dst
//!          └ verdict    └──────── front ────┘
//! ```
//!
//! | file | what |
//! |---|---|
//! | `options.rs` | [`Transcode`], the builder: what is wanted |
//! | `mod.rs` | [`Transcoder::step`] |
//! | `front.rs` | from input bytes to text: the records of the input, each decoded by itself |
//! | `fused.rs` | a route from single bytes to single bytes as one table |
//! | `framed.rs` | what detection is shown of records, and where that stood |
//! | `labels.rs` | where a document of HTML names its encoding beside the declaration |
//! | `nel.rs` | watches for a text whose newlines nobody knows |
//! | `back.rs` | from encoded bytes to records |
//! | `segment.rs` | decoded text on its way to the encoder, and where in the input each character came from |
//! | `guard.rs` | holds codecs to their contract |
//! | `report.rs` | the account of a run |
//! | `pump.rs` | [`transcode`]: the loop from `BufRead` to `Write` |
//! | `parallel.rs` | the same with parts of the input converted side by side |
//! | `adapters.rs` | [`DecodeReader`], [`EncodeWriter`], [`decode`]: the same as a `Read`, as a `Write`, and for a value |
//! | `values.rs` | [`ValueDecoder`]: many values, by a decoder that is made once |
//! | `tokio.rs` | the first two by the traits of tokio (feature `tokio`) |
//!
//! # Where the rest goes
//!
//! *Text stages* join `stages`. *Kernels* live behind the codec traits. Wasm and C are shells like `pump.rs`; so are the
//! traits of another async runtime, like `tokio.rs`.

mod byte_to_byte;
mod choices;
mod guard;
mod io;
mod labels;
mod newline_watch;
mod options;
mod parallel;
mod records;
mod report;
mod segment;

pub use choices::{Bom, Gaps, OnMalformed, OnOverlong, OnUnmappable, Padding, Relabel};
pub use io::adapters::{DecodeReader, EncodeWriter, FinishError, decode};
pub use io::pump::transcode;
#[cfg(feature = "tokio")]
pub use io::tokio;
pub use io::value::ValueDecoder;
pub use options::Transcode;
pub use report::{CutRecord, Faults, MalformedAt, RecordsCut, Relabelled, Report, UnmappableAt};

use crate::codec::{
    ByteSink, Codec, EbcdicNl, MIN_ROOM, Replacement, Stop, Utf8Buf, Utf8Sink, apply_newline, byte_order_mark,
    can_encode, can_write, is_ebcdic, is_enc_name, is_utf8,
};
use crate::detect::{
    Detector, Diagnostic, Kind, PRESCAN, PRESCAN_LIMIT, Severity, Vacancy, Verdict, is_byte_order_mark,
};
use crate::error::{Error, ErrorKind};
use crate::text::controls::OnControl;
use crate::text::eol::{Eol, EolStage, InRecordStage, NelAsLf, OnNewlineInRecord};
use crate::text::relabel::{self, Edit, Place};
use crate::text::xml::{XmlPlace, is_xml_char};
use crate::text::{Stage, Text};
use byte_to_byte::{Fused, Passage};
use guard::{CheckedDecoder, CheckedEncoder};
use labels::{Label, LabelSearch};
use newline_watch::NelWatch;
use options::Settings;
use records::head::{Framed, HEAD_LIMIT, Looks, TextParts, feed_text};
use records::read::{Charset, Front, FrontStop, RecordsIn};
use records::write::RecordsOut;
use report::Place as At;
use segment::{Next, Origin, Segment};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;

/// How much text is decoded at a time where it does not go straight into the output, in bytes; and how much input at
/// most for it.
const TEXT_ROOM: usize = 128 * 1024;

/// How much input at most where stages may cut the text, at every character if need be: a piece is many times as large.
const STAGED_ROOM: usize = 16 * 1024;

/// Transcodes one stream, without I/O. Made by [`Transcode::transcoder`].
///
/// ```
/// use charpipe::{State, Transcode};
///
/// let mut transcoder = Transcode::new().from("IBM037")?.transcoder()?;
/// let mut room = [0; 16];
/// let step = transcoder.step(b"\xC8\x85\x93\x93\x96", &mut room, true)?;
/// assert_eq!((step.read, step.state), (5, Status::Done));
/// assert_eq!(&room[..step.written], b"Hello");
/// # Ok::<(), charpipe::Error>(())
/// ```
pub struct Transcoder {
    settings: Arc<Settings>,
    phase: Phase,
    /// Decoder and encoder, from the verdict on.
    route: Option<Route>,
    /// Bytes that detection took and gives back, and how many of them the decoder has had.
    head: Vec<u8>,
    head_at: usize,
    /// Finds the data in them, where there are records, for detection to look at.
    framing: Option<TextParts>,
    /// Changes of the declaration still to come, in order.
    edits: Vec<Edit>,
    /// The decoded text of the segment that is being encoded.
    text: Utf8Buf,
    /// What is to be done before anything more is decoded, in the order of the input.
    queue: VecDeque<Work>,
    /// Text that the encoder has read and not written: where in what it was fed, and where in the input.
    held: Vec<(u64, At)>,
    /// Encoded bytes that found no room.
    spill: Vec<u8>,
    /// Bytes of the spill that are delivered.
    spilt: usize,
    bytes_in: u64,
    report: Report,
    /// A step is under way; at the beginning of another it means that a codec panicked in the one before.
    running: bool,
}

/// The machines of the encoding that was found and of the target.
struct Route {
    front: Front,
    /// The target, as it is written.
    to: Arc<dyn Codec>,
    encoder: CheckedEncoder,
    /// Where what the encoder writes goes, if it is to be records.
    back: Option<RecordsOut>,
    stages: Vec<Box<dyn Stage>>,
    /// What the end of a record becomes, `None` where it is to end a record again; and what ends a line that is put in.
    end: Option<&'static str>,
    eol: &'static str,
    /// Decoded text is the output: the target is UTF-8 and nothing changes on the way.
    straight: bool,
    /// What deals with newlines within records once one is met, where text goes straight until then.
    newlines: Option<InRecordStage>,
    /// Single bytes become single bytes, and nothing changes on the way.
    fused: Option<Fused>,
    /// The same from records to records.
    passage: Option<Passage>,
    /// Text is the input as it is, from where its first character stands.
    same: bool,
    /// The encoder may fault, or somebody wants to know where something stood.
    needs_origin: bool,
    /// Where blanks came from that are held back, and what follows them.
    carry: Option<Origin>,
    /// Warn at the first code point above FFFF.
    expects_bmp: bool,
    /// Watches for U+0085 without U+000A.
    nel: Option<NelWatch>,
    /// Say so at the first U+000A that is written.
    watches_lf: bool,
    unmappable: OnUnmappable,
    /// Where references may stand, in a document that is written with them.
    place: Option<XmlPlace>,
}

enum Phase {
    Detect(Box<Detector>),
    /// The verdict is there; what the document says of itself elsewhere is looked for.
    Labels(Box<(Verdict, LabelSearch)>),
    Decode,
    FinishDecoder,
    FinishEncoder,
    Done,
    Failed(Error),
}

/// What [`Transcoder::step`] did.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Bytes taken from `src`.
    pub read: usize,
    /// Bytes put into `dst`.
    pub written: usize,
    /// What is wanted next.
    pub state: Status,
}

/// What a [`Transcoder`] wants next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// All of `src` was taken and all that could be made of it delivered.
    NeedInput,
    /// Call again, with the unread rest of `src` and with room.
    NeedRoom,
    /// The end of the input was taken and everything delivered.
    Done,
}

/// The room of the caller, and how much of it is used.
struct Out<'a> {
    room: &'a mut [u8],
    written: usize,
}

impl Out<'_> {
    fn spare(&mut self) -> &mut [u8] {
        &mut self.room[self.written..]
    }
}

impl Transcoder {
    fn new(settings: Arc<Settings>) -> Self {
        let detector = Detector::new(settings.registry.clone(), settings.hints.clone());
        let framing = TextParts::new(&settings.input);
        Transcoder {
            report: Report::new(settings.to.name()),
            settings,
            phase: Phase::Detect(Box::new(detector)),
            route: None,
            head: Vec::new(),
            head_at: 0,
            framing,
            edits: Vec::new(),
            text: Utf8Buf::new(TEXT_ROOM),
            queue: VecDeque::new(),
            held: Vec::new(),
            spill: Vec::new(),
            spilt: 0,
            bytes_in: 0,
            running: false,
        }
    }

    /// Takes bytes from `src`, puts bytes into `dst`, and says what it wants next. `eof`: nothing follows `src`.
    ///
    /// Any size of either will do, zero included, and the size never changes the result.
    ///
    /// # Errors
    /// Whatever the policies do not allow. All good output before it was delivered by the calls before; an error comes
    /// with nothing read and nothing written, and again from every later call.
    pub fn step(&mut self, src: &[u8], dst: &mut [u8], eof: bool) -> Result<Progress, Error> {
        let mut out = Out { room: dst, written: 0 };
        let mut read = 0;
        if std::mem::replace(&mut self.running, true) {
            let codec = self.report.from.clone().unwrap_or_default();
            let offset = self.bytes_in;
            self.phase = Phase::Failed(ErrorKind::Codec { codec, offset, what: "panicked" }.into());
        }
        let state = loop {
            if !self.deliver_spill(&mut out) {
                break Status::NeedRoom;
            }
            if let Phase::Failed(error) = &self.phase {
                if read == 0 && out.written == 0 {
                    self.running = false;
                    return Err(error.clone());
                }
                break Status::NeedRoom;
            }
            match self.advance(&src[read..], &mut out, eof) {
                Ok(Advance::Read(len)) => {
                    read += len;
                    self.bytes_in += len as u64;
                }
                Ok(Advance::Pause(state)) => break state,
                Err(error) => self.fail(error),
            }
        };
        self.running = false;
        self.report.bytes_in = self.bytes_in;
        self.report.bytes_out += out.written as u64;
        Ok(Progress { read, written: out.written, state })
    }

    /// Back to the beginning, for the next message: detection starts anew, options stay, the report is empty.
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
        *self = Transcoder::new(self.settings.clone());
    }

    /// What detection answered, once it did.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.report.verdict.as_ref()
    }

    /// Whether the end of the input was taken and everything delivered.
    pub fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.spill.is_empty()
    }

    /// The account so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How far the input was read: the byte, and the record if there are records. All that can still be asked after a
    /// panic in [`step`](Self::step).
    pub fn reached(&self) -> (u64, Option<crate::error::RecordPosition>) {
        let place = self.route.as_ref().map(|route| route.front.reached());
        place.map_or((self.bytes_in, None), |place| (place.offset, place.record))
    }

    fn fail(&mut self, error: Error) {
        // What the encoder holds from before the fault is good output, and a shifted stream ends shifted back.
        let after_fault = matches!(error.kind(), ErrorKind::Unmappable { .. } | ErrorKind::Codec { .. });
        if let Some(route) = &mut self.route {
            // Those before the error, which may be behind what is decoded already.
            let before = match (error.record(), error.kind(), &route.back) {
                (Some(at), ..) => Some(at.number - 1),
                (None, ErrorKind::RecordTooLong { .. } | ErrorKind::CannotPad { .. }, Some(back)) => {
                    Some(back.records())
                }
                _ => route.front.records(),
            };
            self.report.records = route.front.records().and(before);
            // What was seen in the records before it may be the reason for it. More of them may be decoded already.
            let note = before.and_then(|before| route.front.note_before_error(before));
            let diagnostics = &mut self.report.diagnostics;
            diagnostics.extend(note.filter(|note| diagnostics.iter().all(|said| said.code != note.code)));
            if let Some(back) = &mut route.back {
                // Whole records are good output; the one that is under way is none.
                back.finish(&mut self.spill);
                self.report.records_out = Some(back.records());
            } else if !after_fault || route.encoder.pending() == 0 {
                let mut room = [0; MIN_ROOM];
                let mut sink = ByteSink::new(&mut room);
                if route.encoder.finish(&mut sink, self.bytes_in).is_ok() {
                    self.spill.extend_from_slice(sink.as_bytes());
                }
            }
        }
        self.phase = Phase::Failed(error);
    }

    /// Whether the spill is empty now.
    fn deliver_spill(&mut self, out: &mut Out<'_>) -> bool {
        let rest = &self.spill[self.spilt..];
        let len = rest.len().min(out.spare().len());
        out.spare()[..len].copy_from_slice(&rest[..len]);
        out.written += len;
        self.spilt += len;
        if self.spilt < self.spill.len() {
            return false;
        }
        self.spill.clear();
        self.spilt = 0;
        true
    }

    /// One thing: some text encoded, or some bytes decoded, or a change of phase.
    fn advance(&mut self, src: &[u8], out: &mut Out<'_>, eof: bool) -> Result<Advance, Error> {
        if let Some(Work::Text(_)) = self.queue.front() {
            return self.encode(out);
        }
        match self.queue.pop_front() {
            Some(Work::Malformed(fault)) => return self.resolve(fault).map(|()| Advance::Read(0)),
            Some(Work::Note(note)) => return self.note(note).map(|()| Advance::Read(0)),
            Some(Work::FileEnd) => {
                let back = self.route.as_mut().and_then(|route| route.back.as_mut());
                back.into_iter().for_each(|back| back.end_file(&mut self.spill));
                return Ok(Advance::Read(0));
            }
            Some(Work::Failed(error)) => return Err(error),
            Some(Work::Text(_)) | None => {}
        }
        match &mut self.phase {
            Phase::Detect(detector) => {
                let read = match &mut self.framing {
                    None => detector.feed(src),
                    Some(framing) => {
                        let read = feed_text(&mut **detector, framing, src, eof);
                        self.head.extend_from_slice(&src[..read]);
                        read
                    }
                };
                let is_over = (eof && read == src.len()) || self.head.len() >= HEAD_LIMIT;
                // Wrong framing is an error when its turn comes; what is before it can be looked at.
                let is_wrong = self.framing.is_some() && read < src.len();
                if detector.is_done() || is_over || is_wrong {
                    let verdict = detector.finish();
                    if self.framing.is_none() {
                        self.head = detector.prefix().to_vec();
                    }
                    self.look_for_labels(verdict, read, is_over && eof);
                } else if read == 0 {
                    return Ok(Advance::Pause(Status::NeedInput));
                }
                Ok(Advance::Read(read))
            }
            Phase::Labels(search) => {
                let read = match &mut self.framing {
                    None => search.1.feed(src),
                    Some(framing) => feed_text(&mut search.1, framing, src, eof),
                };
                self.head.extend_from_slice(&src[..read]);
                let is_over = (eof && read == src.len()) || self.head.len() >= HEAD_LIMIT + PRESCAN_LIMIT;
                let is_wrong = self.framing.is_some() && read < src.len();
                if search.1.is_done() || is_over || is_wrong {
                    self.labels_found(read);
                } else if read == 0 {
                    return Ok(Advance::Pause(Status::NeedInput));
                }
                Ok(Advance::Read(read))
            }
            Phase::Decode => {
                if self.head_at < self.head.len() {
                    let head = std::mem::take(&mut self.head);
                    let result = self.decode(&head[self.head_at..], false, out);
                    self.head = head;
                    self.head_at += result?;
                    return Ok(Advance::Read(0));
                }
                if src.is_empty() && !eof {
                    return Ok(Advance::Pause(Status::NeedInput));
                }
                let has_edit = self.edits.first().is_some_and(|edit| edit.bytes.start <= self.decoded_to());
                if src.is_empty() && !has_edit && !self.has_records() {
                    self.phase = Phase::FinishDecoder;
                    return Ok(Advance::Read(0));
                }
                if out.spare().is_empty() && self.straight() {
                    return Ok(Advance::Pause(Status::NeedRoom));
                }
                Ok(Advance::Read(self.decode(src, eof, out)?))
            }
            Phase::FinishDecoder => self.finish_decoder(),
            Phase::FinishEncoder => self.finish_encoder(),
            Phase::Done => Ok(Advance::Pause(Status::Done)),
            Phase::Failed(error) => Err(error.clone()),
        }
    }

    /// Where in the input, without what frames it, the decoder is.
    fn decoded_to(&self) -> u64 {
        self.route.as_ref().map_or(0, |route| route.front.read())
    }

    fn has_records(&self) -> bool {
        self.route.as_ref().is_some_and(|route| route.front.has_records())
    }

    fn straight(&self) -> bool {
        self.route.as_ref().is_some_and(|route| route.straight)
    }

    /// The verdict is there, and `read` bytes of what was given last are taken: goes on to look for labels where the
    /// document may have some beside its declaration.
    fn look_for_labels(&mut self, verdict: Verdict, read: usize, ended: bool) {
        let settings = &self.settings;
        let codec = verdict.codec.as_ref().filter(|_| verdict.error.is_none() && settings.relabel == Relabel::Auto);
        let may_have = verdict.kind == Kind::Html || (verdict.kind == Kind::Xml && verdict.declaration_is_read);
        let prescan = settings.hints.prescan.unwrap_or(PRESCAN);
        let Some(codec) = codec.filter(|_| may_have).cloned() else { return self.begun(verdict, Vec::new(), read) };
        let mut search = LabelSearch::new(codec, &verdict, prescan);
        match &mut self.framing {
            None => _ = search.feed(&self.head),
            Some(framing) => {
                // From the beginning, as detection stopped within a record.
                if let Some(start) = TextParts::new(&settings.input) {
                    *framing = start;
                }
                feed_text(&mut search, framing, &self.head, ended);
            }
        }
        let is_done = search.is_done() || ended;
        self.phase = Phase::Labels(Box::new((verdict, search)));
        if is_done {
            self.labels_found(read);
        }
    }

    fn labels_found(&mut self, read: usize) {
        if let Phase::Labels(search) = std::mem::replace(&mut self.phase, Phase::Decode) {
            let (verdict, search) = *search;
            let labels = search.labels(&self.settings.registry);
            self.begun(verdict, labels, read);
        }
    }

    /// Begins to convert. The `read` bytes that were given last were taken, whatever comes of it.
    fn begun(&mut self, verdict: Verdict, labels: Vec<Label>, read: usize) {
        self.phase = Phase::Decode;
        self.bytes_in += read as u64;
        let begun = self.begin(verdict, &labels);
        self.bytes_in -= read as u64;
        if let Err(error) = begun {
            self.fail(error);
        }
    }

    /// The verdict is there: makes the machines, plans the labels, writes the byte order mark.
    fn begin(&mut self, verdict: Verdict, labels: &[Label]) -> Result<(), Error> {
        let settings = self.settings.clone();
        let places = Framed::new(&self.head, &settings.input);
        let (bom_len, expects_bmp) = (verdict.bom_len, verdict.expects_bmp);
        let (codec, error) = (verdict.codec.clone(), verdict.error.clone());
        let (is_xml, is_html) = (verdict.kind == Kind::Xml, verdict.kind == Kind::Html);
        let declaration = Some(verdict.declaration.clone()).filter(|_| verdict.declaration_is_read);
        self.report.from = codec.as_ref().map(|codec| codec.name().to_owned());
        let verdict = places.translate(verdict);
        self.report.diagnostics.extend(verdict.diagnostics.iter().cloned());
        self.report.verdict = Some(verdict);
        if let Some(error) = error {
            return Err(error);
        }
        let Some(codec) = codec else {
            return Err(ErrorKind::PolicyRejects { offset: 0, why: "no rule answers" }.into());
        };

        // EBCDIC has its newline conventions; its XML must not leave it with U+0085 between tags.
        let (mut from, mut to) = (codec, settings.to.clone());
        let to_ebcdic = is_ebcdic(&*to);
        let from_ebcdic = is_ebcdic(&*from);
        let has_records = settings.input.shape.is_some();
        let mut stages: Vec<Box<dyn Stage>> = Vec::new();
        if to_ebcdic {
            to = apply_newline(to, settings.ebcdic_nl);
        }
        let mut newlines = settings.newlines_in_records().stage().filter(|_| has_records);
        if newlines.is_some() && settings.newlines_in_records() == OnNewlineInRecord::Space {
            self.report.record_newlines = Some(Faults::new());
        }
        if settings.to_records.is_some() && settings.overlong == OnOverlong::Cut {
            self.report.records_cut = Some(RecordsCut::default());
        }
        if from_ebcdic {
            from = apply_newline(from, settings.ebcdic_nl);
            if is_xml && !to_ebcdic && settings.eol == Eol::Auto {
                stages.push(Box::new(NelAsLf));
            }
        }
        // U+0085 is no white space in XML 1.0, and in no version within a declaration.
        let eol = if is_xml && !to_ebcdic && settings.eol == Eol::Nel { Eol::Lf } else { settings.eol };
        let keeps_eol = eol != settings.eol;
        let back = settings.to_records.as_ref();
        let back = back.map(|shape| RecordsOut::new(shape, settings.overlong, &to)).transpose()?;
        if back.is_some() && !has_records {
            stages.push(Box::new(EolStage::new(Text::End)));
        } else if let Some(stage) = eol.stage() {
            stages.push(Box::new(stage));
        }
        if let Some(stage) = settings.controls.stage() {
            stages.push(Box::new(stage));
            self.report.controls = Some(Faults::new());
        }
        let no_encoder = || Error::from(ErrorKind::NoEncoder { codec: to.name().to_owned() });
        let encoder = CheckedEncoder::new(to.name(), to.encoder().ok_or_else(no_encoder)?);
        let decoder = CheckedDecoder::new(from.name(), from.decoder(), bom_len as u64);
        let to_utf8 = is_utf8(&*to);
        let by_kind = if is_xml { OnUnmappable::Xml } else { OnUnmappable::Fail };
        let unmappable = settings.unmappable.unwrap_or(by_kind);
        let straight = to_utf8 && stages.is_empty() && !expects_bmp && back.is_none();
        // What a printer's moves become is no newline within a record, and not to be told from one in the output.
        let straight = straight && (newlines.is_none() || settings.input.carriage.is_none());
        if !straight && let Some(stage) = newlines.take() {
            stages.insert(0, Box::new(stage));
        }
        let needs_origin = !straight;
        let eol = eol.text();
        let watches_nel =
            from_ebcdic && !to_ebcdic && !has_records && !is_xml && matches!(settings.eol, Eol::Auto | Eol::Keep);
        let charset = Charset {
            is_ebcdic: from_ebcdic,
            has_blank: has_records && (!can_encode(&*from) || can_write(&*from, " ")),
        };
        let mut input = settings.input.clone();
        if back.is_some() && input.blanks == Padding::Trim {
            input.blanks = Padding::Keep;
        }
        let is_plain = !has_records && stages.is_empty() && back.is_none() && !expects_bmp;
        let place = (is_xml && unmappable == OnUnmappable::Xml && !to_utf8).then(XmlPlace::default);
        let watches_lf = is_xml && is_java_newline_elsewhere(&*to);
        let fused = Fused::new(&decoder, &to).filter(|_| is_plain && place.is_none() && !watches_lf);
        let passes = has_records
            && (stages.is_empty() && back.is_some() && place.is_none() && !expects_bmp && !watches_lf)
            && (input.blanks == Padding::Keep && input.columns.is_none() && input.carriage.is_none());
        let passage = Fused::new(&decoder, &to).filter(|_| passes).map(Passage::new);
        // Columns that are left out may come before it.
        let mark = if places.in_data(0..1).start == 0 { bom_len } else { 0 };
        let records = RecordsIn::new(&input, &decoder, (straight.then_some(eol), newlines.is_some()), mark, charset);
        let has_files = settings.to_records.as_ref().is_some_and(RecordsOut::has_files);
        let records = records.map(|records| records.with_files(has_files));
        self.route = Some(Route {
            front: Front::new(decoder, records),
            to: to.clone(),
            encoder,
            fused,
            passage,
            same: is_utf8(&*from) && !has_records,
            straight,
            newlines,
            needs_origin,
            stages,
            end: if back.is_some() { None } else { Some(eol) },
            eol,
            back,
            carry: None,
            expects_bmp,
            nel: watches_nel.then(NelWatch::default),
            watches_lf,
            unmappable,
            place,
        });
        self.head_at = if has_records { 0 } else { bom_len };

        let write_bom = match settings.bom {
            Bom::Auto => to.info().byte_orders.is_some_and(|orders| orders.bom),
            Bom::Keep => bom_len > 0 && has_bom(&*to),
            Bom::Add => true,
            Bom::Strip => false,
        };
        if keeps_eol {
            let message = "newlines are written as U+000A, since XML parsers reject U+0085";
            self.note(Diagnostic::warning("nel-in-xml", 0, message))?;
        }
        if settings.relabel == Relabel::Auto {
            if let Some(declaration) = declaration.filter(|_| is_xml || is_html) {
                self.plan_label(&*to, write_bom, declaration, bom_len as u64, is_xml)?;
            }
            self.plan_labels(&*to, write_bom, labels)?;
        }
        if write_bom {
            self.insert("\u{FEFF}".into(), 0)?;
        }
        if has_records {
            // Where records end within the label, only the front knows.
            let mut edits = std::mem::take(&mut self.edits);
            for edit in &mut edits {
                self.can_be_written(&edit.text, places.in_input(edit.bytes.start))?;
                // Detection saw the text alone; columns that are left out count here.
                edit.bytes = places.in_data(edit.bytes.clone());
            }
            if let Some(route) = &mut self.route {
                route.front.relabel(edits);
            }
        }
        Ok(())
    }

    /// The label in an XML declaration is made true, and put in where XML needs one. HTML needs none.
    fn plan_label(
        &mut self,
        to: &dyn Codec,
        write_bom: bool,
        declaration: Option<crate::detect::Declaration>,
        start: u64,
        is_xml: bool,
    ) -> Result<(), Error> {
        let needed = is_xml && to.name() != "UTF-8" && !(is_utf16(to) && write_bom);
        let (place, declared) = match &declaration {
            None => (Place::Start(start), None),
            Some(found) => match &found.name {
                None => match found.vacancy {
                    Vacancy::Value(at) => (Place::Name(at..at), None),
                    Vacancy::Attribute(at, quote) => (Place::Declaration(at, quote), None),
                    Vacancy::None => return Ok(()),
                },
                Some((name, span)) => (Place::Name(span.clone()), Some(name)),
            },
        };
        if declared.is_none() && !needed {
            return Ok(());
        }
        let name = self.label_of(to, write_bom)?;
        // An alias is as true, but not every processor knows it.
        if declared.is_some_and(|declared| declared.eq_ignore_ascii_case(&name)) {
            return Ok(());
        }
        if let Some(edit) = relabel::plan(place, &name, needed) {
            self.report.relabelled = Some(Relabelled { from: declared.cloned(), to: name });
            self.edits.push(edit);
        }
        Ok(())
    }

    /// The labels in `meta` elements are made true, where they are not.
    fn plan_labels(&mut self, to: &dyn Codec, write_bom: bool, labels: &[Label]) -> Result<(), Error> {
        for (declared, bytes) in labels {
            let name = self.label_of(to, write_bom)?;
            let is_edited = self.edits.iter().any(|edit| edit.bytes.start < bytes.end && bytes.start < edit.bytes.end);
            if is_edited || declared.eq_ignore_ascii_case(&name) {
                continue;
            }
            self.edits.extend(relabel::plan(Place::Name(bytes.clone()), &name, true));
            // One is reported: the one that goes first.
            self.report.relabelled.get_or_insert_with(|| Relabelled { from: Some(declared.clone()), to: name });
        }
        self.edits.sort_by_key(|edit| edit.bytes.start);
        Ok(())
    }

    /// What a document in that encoding says that it is in.
    fn label_of(&self, to: &dyn Codec, write_bom: bool) -> Result<String, Error> {
        // With a byte order mark the order is no part of the name (RFC 2781 §3.3).
        // Without one, a label that leaves out the order would be untrue.
        let ordered = match to.info().byte_orders {
            Some(orders) if orders.bom && !write_bom => orders.names.first(),
            _ => None,
        };
        let ordered = ordered.map(|name| self.settings.registry.codec(name)).transpose()?;
        let to = ordered.as_deref().unwrap_or(to);
        let name = if is_utf16(to) && write_bom { Some("UTF-16") } else { to.info().xml_name };
        match name.filter(|name| is_enc_name(name)) {
            Some(name) => Ok(name.to_owned()),
            None => Err(ErrorKind::NoXmlName { codec: to.name().to_owned() }.into()),
        }
    }

    /// Decodes from the front of `src`, up to a boundary, a fault or the end of the room; answers how many bytes.
    fn decode(&mut self, src: &[u8], eof: bool, out: &mut Out<'_>) -> Result<usize, Error> {
        let Some(route) = &mut self.route else { return Ok(0) };
        let at = route.front.read();
        let most = if route.stages.is_empty() { TEXT_ROOM } else { STAGED_ROOM };
        let eof = eof && src.len() <= most;
        let mut src = &src[..src.len().min(most)];
        let mut until = None;
        let mut instead = None;
        if let Some(edit) = self.edits.first_mut() {
            if edit.bytes.start > at {
                until = Some(edit.bytes.start);
            } else if edit.bytes.end > at {
                // The name's own bytes are decoded, so that the decoder's state is right, and their text is dropped.
                until = Some(edit.bytes.end);
                instead = Some(std::mem::take(&mut edit.text));
            } else {
                let edit = self.edits.remove(0);
                self.insert(edit.text, at)?;
                return Ok(0);
            }
        }
        let spare = &mut out.room[out.written..];
        let watches = route.nel.as_ref().is_some_and(|watch| !watch.is_over());
        if let Some(fused) = route.fused.as_mut().filter(|_| instead.is_none() && !watches) {
            let most = until.map_or(u64::MAX, |until| until - at);
            let part = &src[..(src.len() as u64).min(most) as usize];
            match fused.translate(part, spare) {
                // Something to decide, of the first byte, or no room; little is decoded for that.
                Some(0) => src = &src[..src.len().min(MIN_ROOM)],
                Some(len) => {
                    route.front.skip(&part[..len]);
                    out.written += len;
                    return Ok(len);
                }
                None => {}
            }
        }
        if let (Some(passage), Some(back)) = (&mut route.passage, &mut route.back) {
            let passes = until.is_none() && instead.is_none() && route.carry.is_none() && route.encoder.pending() == 0;
            let read = if passes { passage.pass(&mut route.front, back, src, &mut self.spill) } else { 0 };
            if read > 0 {
                return Ok(read);
            }
            route.front.pause_after(if passes { passage.long() } else { u64::MAX });
        }
        let before = (watches || route.newlines.is_some()).then(|| route.front.fork());
        let seen = route.front.seen();
        if route.straight && instead.is_none() && spare.len() >= MIN_ROOM {
            let mut sink = Utf8Sink::new(spare);
            let mut filled = route.front.fill(src, eof, until, &mut sink)?;
            if route.front.found_newline() {
                // Nothing of this has happened: it is made again, the other way.
                before.into_iter().for_each(|before| route.front.back_to(before, seen));
                route.meet_newlines();
                return Ok(0);
            }
            // Ill-formed bytes may be all that there is. What passes is dealt with here, where nothing else is to be asked.
            let passes = match self.settings.malformed {
                _ if route.front.has_records() => None,
                OnMalformed::Replace => Some("\u{FFFD}"),
                OnMalformed::Drop => Some(""),
                OnMalformed::Fail | OnMalformed::Escape => None,
            };
            // Up to where the text was watched, and how much of that was put in.
            let (mut seen, mut put) = (0, 0);
            loop {
                if let (Some(watch), Some(before)) = (&mut route.nel, &before) {
                    let offset = |index| {
                        let origin = Origin::decoded(before.fork(), &src[..filled.read], eof);
                        origin.place(seen - put + index).offset
                    };
                    if watch.see(&sink.as_bytes()[seen..], offset) {
                        route.nel = None;
                    }
                }
                let (Some(text), FrontStop::Fault(fault)) = (passes, &filled.stop) else { break };
                if sink.room() < 2 * MIN_ROOM {
                    break;
                }
                self.report.malformed.add(|| route.front.fault(*fault));
                put += sink.push_str(text);
                seen = sink.written();
                let read = filled.read;
                let rest = route.front.fill(&src[read..], eof, until, &mut sink);
                filled = rest.unwrap_or_else(|error| crate::transcoder::records::read::Filled {
                    read: 0,
                    stop: FrontStop::Failed(error),
                });
                filled.read += read;
            }
            out.written += sink.written();
            return self.stopped(filled, src, eof);
        }
        let begin = route.front.place().offset;
        let fork = ((route.needs_origin && !route.same) || watches).then(|| route.front.fork());
        // Most text has less than four bytes for one of the input; what has more comes in several pieces.
        let wanted = (4 * src.len()).max(4 * MIN_ROOM);
        let filled = self.text.fill(wanted, |sink| route.front.fill(src, eof, until, sink))?;
        if route.front.found_newline() {
            before.into_iter().for_each(|before| route.front.back_to(before, seen));
            route.meet_newlines();
            return Ok(0);
        }
        match instead {
            Some(name) => self.insert(name, at)?,
            None => {
                let read = &src[..filled.read];
                let origin = match (route.carry.take(), fork) {
                    (Some(carry), Some(_)) => carry.extended(read, eof),
                    (None, Some(fork)) => Origin::decoded(fork, read, eof),
                    (_, None) if route.same => Origin::Same(begin),
                    (_, None) => Origin::At(at.into()),
                };
                let holds = route.needs_origin && route.front.held().is_some();
                if holds && self.text.as_str().is_empty() && !route.front.has_marks() {
                    // Nothing but blanks: there is nothing whose place could be asked for yet.
                    route.carry = origin.carry(0);
                    return self.stopped(filled, src, eof);
                }
                if holds {
                    route.carry = origin.clone().carry(self.text.as_str().len());
                }
                if let Some(watch) = route.nel.as_mut().filter(|_| watches)
                    && watch.see(self.text.as_str().as_bytes(), |index| origin.place(index).offset)
                {
                    route.nel = None;
                }
                self.decoded(origin);
            }
        }
        self.stopped(filled, src, eof)
    }

    /// What is behind the text that was just decoded.
    fn stopped(
        &mut self,
        filled: crate::transcoder::records::read::Filled,
        src: &[u8],
        eof: bool,
    ) -> Result<usize, Error> {
        let Some(route) = &mut self.route else { return Ok(0) };
        let notes = route.front.take_notes();
        let is_stuck = eof && src.is_empty() && notes.is_empty() && route.front.has_records();
        self.queue.extend(notes.into_iter().map(Work::Note));
        match filled.stop {
            FrontStop::NeedInput if is_stuck => {
                // Less came of what was there before than was shown.
                let At { offset, record } = route.front.place();
                let record = record.map_or(0, |record| record.number);
                return Err(ErrorKind::RecordCut { offset, record, begun: offset, missing: 1 }.into());
            }
            FrontStop::NeedInput | FrontStop::NeedRoom => {}
            FrontStop::Fault(fault) => {
                let fault = route.front.fault(fault);
                self.queue.push_back(Work::Malformed(fault));
            }
            FrontStop::FileEnd => self.queue.push_back(Work::FileEnd),
            FrontStop::Done => self.phase = Phase::FinishEncoder,
            FrontStop::Failed(error) => self.queue.push_back(Work::Failed(error)),
        }
        Ok(filled.read)
    }

    /// Puts the text that was just decoded into the queue.
    fn decoded(&mut self, origin: Origin) {
        let Some(route) = &mut self.route else { return };
        let text = self.text.as_str();
        let marks = route.front.take_marks();
        let mut marks = &marks[..];
        let mut begin = 0;
        let how = (route.end, route.eol);
        if route.expects_bmp
            && let Some(index) = text.bytes().position(|byte| byte >= 0xF0)
        {
            route.expects_bmp = false;
            let message = "surrogates in what is called ISO-10646-UCS-2; read as UTF-16";
            let note = Diagnostic::warning("ucs2-surrogates", origin.place(index).offset, message);
            let (before, after) = marks.split_at(marks.partition_point(|(at, ..)| *at <= index));
            let segment = Segment::decoded(text, 0..index, origin.clone(), &mut route.stages, before, how);
            self.queue.push_back(Work::Text(segment));
            self.queue.push_back(Work::Note(note));
            begin = index;
            marks = after;
        }
        if begin < text.len() || !marks.is_empty() {
            let segment = Segment::decoded(text, begin..text.len(), origin, &mut route.stages, marks, how);
            self.queue.push_back(Work::Text(segment));
        }
    }

    /// Puts text into the queue that nothing was decoded to; `at` in the input.
    fn insert(&mut self, text: String, at: u64) -> Result<(), Error> {
        if !text.is_empty() {
            self.can_be_written(&text, at)?;
            // It comes behind all text that the stages have seen.
            self.route.iter_mut().flat_map(|route| &mut route.stages).for_each(|stage| stage.inserted());
            self.queue.push_back(Work::Text(Segment::inserted(text, at.into())));
        }
        Ok(())
    }

    /// An error where the target lacks a character of what is put in: a label or an escape that loses some, by whatever
    /// policy, says something else.
    fn can_be_written(&self, text: &str, offset: u64) -> Result<(), Error> {
        let to = &*self.settings.to;
        let Some(mut encoder) = to.encoder().filter(|_| !is_utf8(to)) else { return Ok(()) };
        let mut room = vec![0; (text.len() + 1) * MIN_ROOM];
        match encoder.feed(text, &mut ByteSink::new(&mut room)).stop {
            Stop::Fault(fault) => {
                Err(ErrorKind::Unmappable { codec: to.name().to_owned(), ch: fault.ch, offset }.into())
            }
            Stop::InputEmpty | Stop::OutputFull => Ok(()),
        }
    }

    /// What the policy makes of ill-formed bytes.
    fn resolve(&mut self, fault: MalformedAt) -> Result<(), Error> {
        let text = match self.settings.malformed {
            OnMalformed::Fail => {
                let codec = self.report.from.clone().unwrap_or_default();
                let kind = ErrorKind::Malformed { codec, offset: fault.offset, bytes: fault.bytes };
                return Err(Error::in_record(kind, fault.record));
            }
            OnMalformed::Drop => String::new(),
            OnMalformed::Replace => char::REPLACEMENT_CHARACTER.into(),
            OnMalformed::Escape => {
                let text = fault.bytes.iter().fold(String::new(), |mut text, byte| {
                    _ = write!(text, "\\x{byte:02X}");
                    text
                });
                self.can_be_written(&text, fault.offset)?;
                text
            }
        };
        if !text.is_empty() {
            self.route.iter_mut().flat_map(|route| &mut route.stages).for_each(|stage| stage.inserted());
            let at = At { offset: fault.offset, record: fault.record };
            self.queue.push_front(Work::Text(Segment::inserted(text, at)));
        }
        self.report.malformed.add(|| fault);
        Ok(())
    }

    fn note(&mut self, note: Diagnostic) -> Result<(), Error> {
        let strict = self.settings.hints.strict && note.severity == Severity::Warning;
        let error = ErrorKind::Strict { code: note.code, message: note.message.clone(), offset: note.offset };
        self.report.diagnostics.push(note);
        if strict { Err(error.into()) } else { Ok(()) }
    }

    /// Encodes from the front of the queue.
    fn encode(&mut self, out: &mut Out<'_>) -> Result<Advance, Error> {
        let (Some(route), Some(Work::Text(segment))) = (&mut self.route, self.queue.front_mut()) else {
            return Ok(Advance::Read(0));
        };
        if !segment.begun {
            segment.begun = true;
            segment.fed_from = route.encoder.fed();
        }
        let text = match segment.next(self.text.as_str()) {
            Some(Next::Text(text)) => text,
            Some(Next::End) => {
                segment.advance(0);
                return self.end_record();
            }
            Some(Next::Control(ch)) => {
                if self.settings.controls == OnControl::Error {
                    let At { offset, record } = segment.place_of_next();
                    return Err(Error::in_record(ErrorKind::Control { offset, ch }, record));
                }
                let counted = self.report.controls.get_or_insert_with(Faults::new);
                counted.add(|| {
                    let At { offset, record } = segment.place_of_next();
                    UnmappableAt { offset, ch, record }
                });
                segment.advance(0);
                return Ok(Advance::Read(0));
            }
            Some(Next::Newline(ch)) => {
                let place = || segment.place_of_next();
                let Some(counted) = &mut self.report.record_newlines else {
                    let At { offset, record } = place();
                    return Err(Error::in_record(ErrorKind::NewlineInRecord { offset, ch }, record));
                };
                counted.add(|| {
                    let At { offset, record } = place();
                    UnmappableAt { offset, ch, record }
                });
                segment.advance(0);
                return Ok(Advance::Read(0));
            }
            None => {
                if let Some(back) = &mut route.back
                    && let Some(fed) = back.wants_start()
                {
                    back.set_start(segment.place(fed, self.text.as_str()));
                }
                if route.encoder.pending() > 0 {
                    let from = route.encoder.fed() - route.encoder.pending() as u64;
                    segment.origins_from(from, self.text.as_str(), &mut self.held);
                } else {
                    self.held.clear();
                }
                self.queue.pop_front();
                return Ok(Advance::Read(0));
            }
        };
        let spare = &mut out.room[out.written..];
        let roomy = spare.len() >= MIN_ROOM && route.back.is_none();
        let mut small = [0; 2 * MIN_ROOM];
        let (step, written) = match &mut route.back {
            Some(back) => {
                back.begin(route.encoder.fed());
                (back.encode(|sink| route.encoder.feed(text, sink, self.bytes_in))?, 0)
            }
            None => {
                let mut sink = ByteSink::new(if roomy { spare } else { &mut small });
                (route.encoder.feed(text, &mut sink, self.bytes_in)?, sink.written())
            }
        };
        if roomy {
            out.written += written;
        } else {
            self.spill.extend_from_slice(&small[..written]);
        }
        if route.watches_lf
            && let Some(index) = text.as_bytes()[..step.read].iter().position(|byte| *byte == b'\n')
        {
            route.watches_lf = false;
            let fed = route.encoder.fed() - (step.read - index) as u64;
            let offset = segment.place(fed, self.text.as_str()).offset;
            let message = "newlines are byte 25, as IBM has them; Java and z/OS UNIX read XML of this page with 15 \
                           (`--ebcdic-nl zos` makes it so)";
            self.report.diagnostics.push(Diagnostic::hint("lf-at-25", offset, message));
        }
        if let Some(place) = &mut route.place {
            // Past a fault too: a character that is unmappable opens and closes nothing.
            place.advance(&text[..step.read]);
        }
        if let Some(back) = route.back.as_mut().filter(|back| back.overflows()) {
            if let Some(fed) = back.wants_start() {
                back.set_start(segment.place(fed, self.text.as_str()));
            }
            return Err(back.too_long());
        }
        segment.advance(step.read);
        if let Stop::Fault(fault) = step.stop {
            self.unmappable(fault)?;
        }
        Ok(Advance::Read(0))
    }

    /// The record that is being written ends here.
    fn end_record(&mut self) -> Result<Advance, Error> {
        let Some(Route { front, encoder, back: Some(back), .. }) = &mut self.route else { return Ok(Advance::Read(0)) };
        let whole = back.len();
        let bytes_in = self.bytes_in;
        loop {
            match back
                .encode(|sink| encoder.finish(sink, bytes_in).map(|stop| crate::codec::Step { read: 0, stop }))?
                .stop
            {
                Stop::InputEmpty => break,
                Stop::OutputFull => {}
                Stop::Fault(fault) => {
                    self.unmappable(fault)?;
                    return self.end_record();
                }
            }
        }
        encoder.reset();
        if front.has_records() {
            // A record that was cut within pairs, without a shift in, has no room for one.
            back.drop_end_without_room(whole);
        }
        let segment = self.queue.front();
        let place = |fed| match segment {
            Some(Work::Text(segment)) => segment.place(fed, self.text.as_str()),
            _ => At::default(),
        };
        let tells = self.report.records_cut.as_ref().is_some_and(|cut| cut.first.len() < Faults::<MalformedAt>::KEPT);
        let cut = back.end(&mut self.spill, place, tells)?;
        if let (Some(cut), Some(records_cut)) = (cut, &mut self.report.records_cut) {
            records_cut.add(cut);
        }
        Ok(Advance::Read(0))
    }

    /// What the policy makes of a character that the target lacks.
    fn unmappable(&mut self, fault: crate::codec::Unmappable) -> Result<(), Error> {
        let Some(route) = &mut self.route else { return Ok(()) };
        let ch = fault.ch;
        let at = route.encoder.fed() - u64::from(fault.after) - ch.len_utf8() as u64;
        let segment = match self.queue.front() {
            Some(Work::Text(segment)) if segment.fed_from <= at => Some(segment),
            _ => None,
        };
        // U+FFFD that stands for ill-formed input was counted there, and its policy is to be replaced.
        let replaces = ch == char::REPLACEMENT_CHARACTER && segment.is_some_and(Segment::is_inserted);
        let mut room = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut room);
        let bytes_in = self.bytes_in;
        let mut encode_replacement =
            |which: Replacement<'_>| route.encoder.encode_replacement(ch, which, &mut sink, bytes_in);
        let code = ch as u32;
        let passes = if replaces {
            encode_replacement(Replacement::Substitute)?
        } else if self.settings.best_fit && encode_replacement(Replacement::BestFit)? {
            true
        } else {
            match route.unmappable {
                OnUnmappable::Fail => false,
                OnUnmappable::Replace => encode_replacement(Replacement::Substitute)?,
                OnUnmappable::Drop => true,
                OnUnmappable::Escape => encode_replacement(Replacement::Text(&format!("\\u{{{code:X}}}")))?,
                OnUnmappable::Xml => {
                    let allowed = route.place.as_ref().is_none_or(XmlPlace::takes_reference);
                    (allowed && is_xml_char(ch))
                        && (encode_replacement(Replacement::Text(&format!("&#x{code:X};")))?
                            || encode_replacement(Replacement::Text(&format!("&#{code};")))?)
                }
            }
        };
        match &mut route.back {
            Some(back) => back.push(sink.as_bytes()),
            None => self.spill.extend_from_slice(sink.as_bytes()),
        }
        let place = || match segment {
            Some(segment) => segment.place(at, self.text.as_str()),
            None => self.held.iter().find(|(fed, _)| *fed == at).map_or(At::default(), |(_, place)| *place),
        };
        if !passes {
            let codec = route.encoder.name().to_owned();
            let At { offset, record } = place();
            return Err(Error::in_record(ErrorKind::Unmappable { codec, ch, offset }, record));
        }
        if !replaces {
            self.report.unmappable.add(|| {
                let At { offset, record } = place();
                UnmappableAt { offset, ch, record }
            });
        }
        Ok(())
    }

    fn finish_decoder(&mut self) -> Result<Advance, Error> {
        let Some(route) = &mut self.route else {
            self.phase = Phase::Done;
            return Ok(Advance::Read(0));
        };
        let place = route.front.place();
        let stop = self.text.fill(4 * MIN_ROOM, |sink| route.front.finish(sink))?;
        let fault = match stop {
            Stop::Fault(fault) => Some(route.front.fault(fault)),
            _ => None,
        };
        self.decoded(Origin::At(place));
        match stop {
            Stop::InputEmpty => self.phase = Phase::FinishEncoder,
            Stop::OutputFull => {}
            Stop::Fault(_) => self.queue.extend(fault.map(Work::Malformed)),
        }
        Ok(Advance::Read(0))
    }

    fn finish_encoder(&mut self) -> Result<Advance, Error> {
        let Some(route) = &mut self.route else {
            self.phase = Phase::Done;
            return Ok(Advance::Read(0));
        };
        if let Some(note) = route.nel.take().and_then(|watch| watch.note()) {
            self.report.diagnostics.push(note);
        }
        self.report.records = route.front.records();
        if let Some(back) = &mut route.back {
            if back.is_open() || route.encoder.pending() > 0 {
                // A last line that no newline ended.
                return self.end_record();
            }
            back.finish(&mut self.spill);
            self.report.records_out = Some(back.records());
            self.phase = Phase::Done;
            return Ok(Advance::Read(0));
        }
        let mut room = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut room);
        let stop = route.encoder.finish(&mut sink, self.bytes_in)?;
        self.spill.extend_from_slice(sink.as_bytes());
        match stop {
            Stop::InputEmpty => self.phase = Phase::Done,
            Stop::OutputFull => {}
            Stop::Fault(fault) => self.unmappable(fault)?,
        }
        Ok(Advance::Read(0))
    }
}

impl Route {
    /// A newline within a record was met: from here on text no longer goes straight into the output.
    fn meet_newlines(&mut self) {
        self.straight = false;
        self.needs_origin = true;
        self.front.mark_ends();
        if let Some(stage) = self.newlines.take() {
            self.stages.push(Box::new(stage));
        }
    }
}

/// What waits behind the text before it, so that nothing is counted or said that a failure comes before.
enum Work {
    Text(Segment),
    Malformed(MalformedAt),
    Note(Diagnostic),
    /// A file of records ends.
    FileEnd,
    Failed(Error),
}

enum Advance {
    /// So many bytes of `src` were taken; go on.
    Read(usize),
    Pause(Status),
}

/// Whether it is the page in which Java has the newline elsewhere: of all others it reads 25 as U+000A.
fn is_java_newline_elsewhere(codec: &dyn Codec) -> bool {
    codec.name() == "IBM1047" && codec.info().newline.is_none_or(|nl| nl == EbcdicNl::Table)
}

fn is_utf16(codec: &dyn Codec) -> bool {
    matches!(codec.name(), "UTF-16" | "UTF-16BE" | "UTF-16LE")
}

/// Whether the charset has a byte order mark, one that detection will know.
fn has_bom(codec: &dyn Codec) -> bool {
    byte_order_mark(codec).is_some_and(|bom| is_byte_order_mark(&bom))
}
