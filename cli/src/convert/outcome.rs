//! How the work on one input ended, and what is said of it: the lines on standard error, the error in the report.

use crate::args::Convert;
use crate::files::input::Sampled;
use crate::messages::hexdump::Hex;
use crate::messages::hexdump::Piece;
use crate::messages::hints::{self, HintContext};
use crate::messages::json::ErrorObject;
use crate::messages::{self, InWords, Name, printable, say};
use crate::panics::{self, Panic};
use crate::status::Status;
use charpipe::detect::Source;
use charpipe::records::NoShape;
use charpipe::{CutRecord, Report, UnmappableAt};
use charpipe::{Error, ErrorKind};
use charpipe::{Kind, OnControl, OnMalformed, OnUnmappable};
use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::io;

/// What became of an input.
pub(crate) struct Outcome {
    /// What the output is called.
    pub(crate) output: Name,
    pub(crate) report: Report,
    pub(crate) ended: Ended,
    /// What was decided on the way, to be said first.
    pub(crate) notes: Vec<String>,
    /// The encoding that the input seems to be in, where it was not the one that it was taken for.
    pub(crate) seems: Option<String>,
    /// How long the input is, where its end was seen.
    pub(crate) len: Option<u64>,
    /// The bytes around the error, where they are to be shown.
    pub(crate) piece: Option<Piece>,
}

/// How far around a fault bytes are looked at for what they look like.
const NEAR: u64 = 2048;

/// How the work ended.
pub(crate) enum Ended {
    Done,
    /// Done, and the file that was to be replaced is what it would become.
    Unchanged,
    /// Nobody wants the rest of the output.
    Closed,
    /// The input could not be opened.
    NotOpened(io::Error),
    /// It could not be read for the shape of its records.
    NotRead(io::Error),
    /// Its records have no shape that is known, or several.
    NoShape(NoShape),
    /// The output could not be opened.
    NoOutput(io::Error),
    /// The output could not be put in its place.
    NotKept(io::Error),
    Failed(Error),
    /// There is a bug in charpipe.
    Panicked(Panic),
}

impl Ended {
    pub(crate) fn of(result: Result<(), Error>) -> Self {
        match result {
            Ok(()) => Ended::Done,
            Err(error) => match error.kind() {
                ErrorKind::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => Ended::Closed,
                _ => Ended::Failed(error),
            },
        }
    }

    pub(crate) fn status(&self) -> Status {
        match self {
            Ended::Done | Ended::Unchanged | Ended::Closed => Status::Done,
            Ended::NotOpened(_) | Ended::NotRead(_) | Ended::NoOutput(_) | Ended::NotKept(_) => Status::Io,
            Ended::NoShape(_) | Ended::Panicked(_) => Status::Data,
            Ended::Failed(error) => Status::of(error),
        }
    }

    pub(crate) fn error(&self) -> Option<&Error> {
        match self {
            Ended::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// The output takes no more, so that there is no point in another input.
    pub(crate) fn is_of_output(&self) -> bool {
        matches!(self, Ended::Closed)
            || self.error().is_some_and(|error| matches!(error.kind(), ErrorKind::Write { .. }))
    }

    /// Whether the input was read.
    fn is_begun(&self) -> bool {
        match self {
            Ended::Done | Ended::Unchanged | Ended::Closed | Ended::NotKept(_) | Ended::Failed(_) => true,
            Ended::Panicked(panic) => panic.offset().is_some(),
            Ended::NotOpened(_) | Ended::NotRead(_) | Ended::NoShape(_) | Ended::NoOutput(_) => false,
        }
    }

    /// The error of the report.
    pub(crate) fn object(&self) -> Option<ErrorObject> {
        let object = |code, offset| Some(ErrorObject::new(code, self.to_string(), offset));
        match self {
            Ended::Done | Ended::Unchanged | Ended::Closed => None,
            Ended::NotOpened(_) => object("open", None),
            Ended::NotRead(_) => object("read", None),
            Ended::NoShape(why) => object(why.code(), Some(0)),
            Ended::NoOutput(_) | Ended::NotKept(_) => object("write", None),
            Ended::Failed(error) => Some(ErrorObject::of(error)),
            Ended::Panicked(panic) => Some(panic.object()),
        }
    }

    /// Where bytes were not what they were taken for, and nobody had said that they were: what they look like; answers
    /// with the encoding that they seem to be in.
    pub(crate) fn add_hint(&self, report: &mut Report, input: &Sampled) -> Option<String> {
        let is_malformed = self.error().is_some_and(|error| matches!(error.kind(), ErrorKind::Malformed { .. }));
        let verdict = report.verdict.as_mut().filter(|_| is_malformed)?;
        if !matches!(verdict.source, Some(Source::Default | Source::Fallback)) {
            return None;
        }
        // Nothing but ASCII at the beginning tells nothing.
        let offset = self.error().and_then(Error::offset).filter(|_| input.sample().is_ascii());
        let near = offset.and_then(|at| input.again(at.saturating_sub(NEAR)..at + NEAR));
        let sample = near.as_ref().map_or(input.sample(), |piece| &piece.bytes);
        let Some(hint) = hints::looks(sample) else { return hints::seems(sample) };
        verdict.diagnostics.push(hint.clone());
        report.diagnostics.push(hint);
        None
    }
}

/// What went wrong, in the words of the system where it is the system's. Nothing where nothing did.
impl Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Done | Ended::Unchanged | Ended::Closed => Ok(()),
            Ended::NotOpened(error) => write!(f, "cannot open: {error}"),
            Ended::NotRead(error) => write!(f, "cannot read: {error}"),
            Ended::NoShape(why) => Display::fmt(why, f),
            Ended::NoOutput(error) => write!(f, "cannot open for writing: {error}"),
            Ended::NotKept(error) => write!(f, "cannot write: {error}"),
            Ended::Failed(error) => Display::fmt(error, f),
            Ended::Panicked(panic) => Display::fmt(panic, f),
        }
    }
}

impl Outcome {
    /// Whether there is nothing to say, unless everything is asked for.
    pub(crate) fn is_silent(&self) -> bool {
        let Report { malformed, unmappable, controls, record_newlines, records_cut, diagnostics, .. } = &self.report;
        let counted = [controls, record_newlines].into_iter().flatten().map(|counted| counted.count).sum::<u64>();
        let cut = records_cut.as_ref().map_or(0, |cut| cut.count);
        let counts = malformed.count + unmappable.count + counted + cut;
        self.ended.status() == Status::Done && self.notes.is_empty() && diagnostics.is_empty() && counts == 0
    }

    /// Says what there is to say of the input `name`, the error last. In a check the line on standard output counts
    /// what was let pass.
    pub(crate) fn say(&self, args: &Convert, name: &Name, path: &OsStr) {
        let (quiet, verbose) = (args.messages.quiet, args.messages.verbose);
        for note in &self.notes {
            say(format_args!("{name}: {note}"));
        }
        if verbose && let Some(verdict) = &self.report.verdict {
            say(format_args!("{name}: {}", InWords { verdict, verbose }));
        }
        if !quiet && self.ended.is_begun() {
            messages::say_diagnostics(name, &self.report.diagnostics, self.ended.error());
            if !args.many.check {
                say_account(name, &self.report, args, verbose);
            }
        }
        self.say_error(args, name, path);
    }

    fn say_error(&self, args: &Convert, name: &Name, path: &OsStr) {
        match &self.ended {
            Ended::Done | Ended::Unchanged | Ended::Closed => {}
            Ended::NotOpened(error) => messages::say_not_opened(name, path, error),
            ended @ Ended::NotRead(_) => say(format_args!("{name}: {ended}")),
            Ended::NoShape(why) => {
                say(format_args!("{name}: byte 0: {}{}", printable(&why.to_string()), hints::for_shape(why)))
            }
            Ended::Panicked(panic) => panic.say(name),
            ended @ (Ended::NoOutput(_) | Ended::NotKept(_)) => say(format_args!("{}: {ended}", self.output)),
            Ended::Failed(error) => match error.kind() {
                ErrorKind::Write { source, .. } => say(format_args!("{}: cannot write: {source}", self.output)),
                _ => {
                    let verdict = self.report.verdict.as_ref();
                    let is_xml = verdict.is_some_and(|verdict| verdict.kind == Kind::Xml);
                    let as_references = is_xml && args.on_unmappable().is_none();
                    let context = HintContext { as_references, seems: self.seems.clone(), len: self.len };
                    messages::say_fault(name, error, &self.report, &context);
                    messages::show_bytes(
                        error,
                        self.piece.as_ref(),
                        verdict.and_then(|verdict| verdict.codec.as_deref()),
                    );
                }
            },
        }
    }

    /// The line of `--check`: what becomes of the input, or would not.
    pub(crate) fn line(&self, name: &Name) -> String {
        let report = &self.report;
        let to = &report.to;
        let mut line = match &report.from {
            Some(from) => format!("{name}: {from} -> {to}"),
            None => format!("{name}: unknown -> {to}"),
        };
        let place =
            |error: &Error| messages::offset(error).map_or_else(String::new, |offset| format!(" at byte {offset}"));
        match &self.ended {
            Ended::Unchanged => line.push_str(", unchanged"),
            Ended::Done | Ended::Closed => {}
            Ended::Failed(error) => line.push_str(&format!(", fails{} ({})", place(error), error.code())),
            Ended::Panicked(panic) => {
                let place = panic.offset().map_or_else(String::new, |offset| format!(" at byte {offset}"));
                line.push_str(&format!(", fails{place} ({})", panics::CODE));
            }
            _ => line
                .push_str(&self.ended.object().map_or_else(String::new, |error| format!(", fails ({})", error.code))),
        }
        if let Some(label) = &report.relabelled {
            match &label.from {
                Some(from) => line.push_str(&format!(", label {from:?} -> {:?}", label.to)),
                None => line.push_str(&format!(", label {:?} put in", label.to)),
            }
        }
        if self.ended.is_begun() {
            line.push_str(&format!(", {} -> {} bytes", report.bytes_in, report.bytes_out));
            let controls = report.controls.as_ref().map_or(0, |controls| controls.count);
            let counts = [
                (report.malformed.count, "malformed"),
                (report.unmappable.count, "unmappable"),
                (controls, "controls"),
                (report.record_newlines.as_ref().map_or(0, |newlines| newlines.count), "newlines in records"),
                (report.records_cut.as_ref().map_or(0, |cut| cut.count), "records cut"),
            ];
            for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
                line.push_str(&format!(", {count} {what}"));
            }
        }
        line.push('\n');
        messages::harmless(&line)
    }
}

/// What was let pass, and with `verbose` what else was done.
fn say_account(name: &Name, report: &Report, args: &Convert, verbose: bool) {
    let became = match args.on_malformed() {
        OnMalformed::Drop => "dropped",
        OnMalformed::Escape => "escaped",
        _ => "replaced",
    };
    if verbose {
        for fault in &report.malformed.first {
            let place = messages::Place(fault.offset, fault.record);
            say(format_args!("{name}: {place}: {} {became}", Hex(&fault.bytes)));
        }
    }
    let count = report.malformed.count;
    if count > 0 {
        say(format_args!("{name}: {count} malformed {} {became}", if count == 1 { "sequence" } else { "sequences" }));
    }
    if verbose {
        for fault in &report.unmappable.first {
            let UnmappableAt { offset, ch, record, .. } = fault;
            let place = messages::Place(*offset, *record);
            say(format_args!("{name}: {place}: U+{:04X} is not in {}", *ch as u32, report.to));
        }
    }
    let count = report.unmappable.count;
    if count > 0 {
        let became = match args.on_unmappable() {
            Some(OnUnmappable::Drop) => "dropped",
            Some(OnUnmappable::Escape) => "escaped",
            Some(OnUnmappable::Replace) => "replaced",
            // The default in XML, too.
            _ => "written as references",
        };
        let (characters, were) = if count == 1 { ("character", "was") } else { ("characters", "were") };
        say(format_args!("{name}: {count} {characters} not in {} {were} {became}", report.to));
    }
    let became = if args.controls == OnControl::Drop { "dropped" } else { "made blanks" };
    let controls = report.controls.as_ref();
    if let Some(controls) = controls.filter(|_| verbose) {
        for UnmappableAt { offset, ch, record, .. } in &controls.first {
            say(format_args!("{name}: {}: U+{:04X} {became}", messages::Place(*offset, *record), *ch as u32));
        }
    }
    let count = controls.map_or(0, |controls| controls.count);
    if count > 0 {
        let characters = if count == 1 { "control character" } else { "control characters" };
        say(format_args!("{name}: {count} {characters} {became}"));
    }
    say_records(name, report, verbose);
    if verbose {
        if let Some(records) = report.records {
            say(format_args!("{name}: {records} records in"));
        }
        if let Some(records) = report.records_out {
            say(format_args!("{name}: {records} records out"));
        }
        if let Some(label) = &report.relabelled {
            match &label.from {
                Some(from) => say(format_args!("{name}: label {from:?} made {:?}", label.to)),
                None => say(format_args!("{name}: label {:?} put in", label.to)),
            }
        }
        say(format_args!("{name}: {} bytes in, {} bytes out in {}", report.bytes_in, report.bytes_out, report.to));
    }
}

/// What was changed so that each record is one line, and what did not fit into a record.
fn say_records(name: &Name, report: &Report, verbose: bool) {
    if let Some(newlines) = report.record_newlines.as_ref().filter(|newlines| newlines.count > 0) {
        for UnmappableAt { offset, ch, record, .. } in newlines.first.iter().filter(|_| verbose) {
            say(format_args!("{name}: {}: U+{:04X} made a blank", messages::Place(*offset, *record), *ch as u32));
        }
        match newlines.count {
            1 => say(format_args!("{name}: 1 newline within a record made a blank")),
            count => say(format_args!("{name}: {count} newlines within records made blanks")),
        }
    }
    if let Some(cut) = report.records_cut.as_ref().filter(|cut| cut.count > 0) {
        for CutRecord { offset, record, bytes, .. } in cut.first.iter().filter(|_| verbose) {
            say(format_args!("{name}: byte {offset}: record {record} of the output was cut: {bytes} bytes lost"));
        }
        let records = if cut.count == 1 { "record was" } else { "records were" };
        let bytes = if cut.bytes == 1 { "byte" } else { "bytes" };
        say(format_args!("{name}: {} {records} too long and cut: {} {bytes} lost", cut.count, cut.bytes));
    }
}
