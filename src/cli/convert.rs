//! `charpipe convert`: every input by itself, one after the other, into one output.

use super::Status;
use super::args::{Convert, List};
use super::hexdump;
use super::input::{self, Sampled};
use super::json::{self, ErrorObject, ReportObject};
use super::list;
use super::output::Output;
use super::records;
use super::words::{self, Advice, InWords, Name, say};
use crate::detect::Source;
use crate::error::{Error, ErrorKind, Hex};
use crate::transcoder::{Report, UnmappableChar};
use crate::{Bom, Controls, Kind, OnMalformed, Transcode};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// How much is read at a time.
const READ_SIZE: usize = 64 * 1024;

/// How far around a fault bytes are looked at for what they look like.
const NEAR: u64 = 2048;

/// How the work on one input ended.
enum Ended {
    Done,
    /// Nobody wants the rest of the output.
    Closed,
    /// The input could not be opened.
    NotOpened(io::Error),
    Failed(Error),
}

/// Runs it.
pub(super) fn run(args: &Convert) -> Status {
    if args.list {
        return list::run(&List::default());
    }
    let transcode = match args.transcode() {
        Ok(transcode) => transcode,
        Err(status) => return status,
    };
    let (mut output, mut account) = match outputs(args) {
        Ok(outputs) => outputs,
        Err(status) => return status,
    };

    let mut worst = Status::Done;
    let mut begun = false;
    for path in args.reading.files() {
        let name = input::name(&path);
        // A byte order mark in the middle would be a character of the text.
        let transcode = if begun { transcode.clone().bom(Bom::Strip) } else { transcode.clone() };
        let mut opened = input::open_unless(&path, READ_SIZE, |input| objection(input, &output, account.as_ref()));
        let mut transcode = transcode;
        if args.records.is_auto()
            && let Ok(input) = opened
        {
            match with_shape(args, &name, input, transcode.clone()) {
                Ok((input, with_shape)) => {
                    opened = Ok(input);
                    transcode = with_shape;
                }
                Err(status) => {
                    worst = worst.max(status);
                    continue;
                }
            }
        }
        if args.jobs.get() > 1 {
            if input::is_file(&path) {
                transcode = transcode.jobs(args.jobs.into());
            } else if args.reading.verbose && opened.is_ok() {
                say(format_args!("{name}: no regular file, so that one job converts it"));
            }
        }
        let mut transcoder = match transcode.transcoder() {
            Ok(transcoder) => transcoder,
            Err(error) => {
                words::say_error(&name, &error);
                return Status::Usage;
            }
        };
        let mut report = transcoder.report().clone();
        let is_watched = args.reading.verbose && words::is_watched();
        let mut piece = None;
        let mut advice = Advice::default();
        let ended = match opened.map(|input| Sampled::new(input).keeping(is_watched)) {
            Ok(mut input) => {
                let ended = Ended::of(transcoder.run(&mut input, &mut output));
                report.clone_from(transcoder.report());
                advice.seems = ended.add_hint(&mut report, &path, &input);
                let offset = ended.error().and_then(Error::offset).filter(|_| is_watched);
                piece = offset.and_then(|offset| input.again(&path, hexdump::window(offset)));
                ended
            }
            Err(error) => Ended::NotOpened(error),
        };
        let report = &report;
        begun |= report.bytes_out > 0;
        worst = worst.max(ended.status());
        let is_xml = report.verdict.as_ref().is_some_and(|verdict| verdict.kind == Kind::Xml);
        advice.as_references = is_xml && args.on_unmappable().is_none();
        ended.say(args, &name, &path, &output.name, report, &advice);
        if let Some(error) = ended.error() {
            let codec = report.verdict.as_ref().and_then(|verdict| verdict.codec.as_deref());
            words::show_bytes(error, piece.as_ref(), codec);
        }
        if let Some(file) = &mut account {
            let line = json::line(&ReportObject::of(&name, &output.name, report, ended.object()));
            if let Err(error) = file.write_all(line.as_bytes()) {
                worst = worst.max(not_written(&file.name, &error));
                account = None;
            }
        }
        if ended.is_of_output() {
            break;
        }
    }

    if worst == Status::Done || !output.is_replacing() {
        worst = worst.max(commit(output));
    }
    worst.max(account.map_or(Status::Done, commit))
}

/// Why an input must not be read: what is written would come in again, without end.
fn objection(input: &Metadata, output: &Output, account: Option<&Output>) -> Option<&'static str> {
    if output.feeds(input) {
        Some("it is the output too (use -o to replace it)")
    } else if account.is_some_and(|account| account.feeds(input)) {
        Some("it is the report too")
    } else {
        None
    }
}

/// Looks at the first bytes of an input for the shape of its records; gives back the input, and the run with that shape.
fn with_shape(
    args: &Convert,
    name: &Name,
    mut input: Box<dyn BufRead>,
    transcode: Transcode,
) -> Result<(Box<dyn BufRead>, Transcode), Status> {
    let (first, is_all) = match records::look(&mut *input) {
        Ok(looked) => looked,
        Err(error) => {
            say(format_args!("{name}: cannot read: {error}"));
            return Err(Status::Io);
        }
    };
    let shape = records::shape_of(&first, is_all, name, args.reading.quiet)?;
    Ok((Box::new(io::Cursor::new(first).chain(input)), transcode.records(shape)))
}

/// Opens what is written to, before anything is read.
fn outputs(args: &Convert) -> Result<(Output, Option<Output>), Status> {
    let open = |path: &Path| {
        Output::path(path).map_err(|error| {
            say(format_args!("{}: cannot open for writing: {error}", Name::of_path(path.as_os_str())));
            Status::Io
        })
    };
    let account = match &args.report {
        None => None,
        Some(path) if path.as_os_str() == "-" => {
            let name = Name::of_stream(super::output::STDERR);
            Some(Output::stderr().map_err(|error| not_written(&name, &error))?)
        }
        Some(path) => Some(open(path)?),
    };
    let output = match &args.output {
        None => Output::stdout().map_err(|error| not_written(&Name::of_stream(super::output::STDOUT), &error))?,
        Some(path) => open(path)?,
    };
    if account.as_ref().is_some_and(|account| output.collides(account)) {
        say(format_args!("{}: output and report cannot be the same file", output.name));
        return Err(Status::Usage);
    }
    // The report is written whatever becomes of the data, which would be lost.
    let is_input = |account: &Output| {
        args.reading.files().iter().filter_map(|path| input::metadata(path)).any(|input| account.replaces(&input))
    };
    if let Some(account) = account.as_ref().filter(|account| is_input(account)) {
        say(format_args!("{}: input and report cannot be the same file", account.name));
        return Err(Status::Usage);
    }
    Ok((output, account))
}

fn commit(output: Output) -> Status {
    let name = output.name.clone();
    match output.commit() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => not_written(&name, &error),
        _ => Status::Done,
    }
}

fn not_written(name: &Name, error: &io::Error) -> Status {
    say(format_args!("{name}: cannot write: {error}"));
    Status::Io
}

impl Ended {
    fn of(result: Result<(), Error>) -> Self {
        match result {
            Ok(()) => Ended::Done,
            Err(error) => match error.kind() {
                ErrorKind::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => Ended::Closed,
                _ => Ended::Failed(error),
            },
        }
    }

    fn status(&self) -> Status {
        match self {
            Ended::Done | Ended::Closed => Status::Done,
            Ended::NotOpened(_) => Status::Io,
            Ended::Failed(error) => Status::of(error),
        }
    }

    fn error(&self) -> Option<&Error> {
        match self {
            Ended::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// The output takes no more, so that there is no point in another input.
    fn is_of_output(&self) -> bool {
        matches!(self, Ended::Closed)
            || self.error().is_some_and(|error| matches!(error.kind(), ErrorKind::Write { .. }))
    }

    fn object(&self) -> Option<ErrorObject> {
        match self {
            Ended::Done | Ended::Closed => None,
            Ended::NotOpened(error) => Some(ErrorObject::new("open", format!("cannot open: {error}"), None)),
            Ended::Failed(error) => Some(ErrorObject::of(error)),
        }
    }

    /// Where bytes were not what they were taken for, and nobody had said that they were: what they look like; answers
    /// with the encoding that they seem to be in.
    fn add_hint(&self, report: &mut Report, path: &OsStr, input: &Sampled) -> Option<String> {
        let is_malformed = self.error().is_some_and(|error| matches!(error.kind(), ErrorKind::Malformed { .. }));
        let Some(verdict) = report.verdict.as_mut().filter(|_| is_malformed) else { return None };
        let is_told = !matches!(verdict.source, Some(Source::Default | Source::Fallback));
        if is_told {
            return None;
        }
        // Nothing but ASCII at the beginning tells nothing.
        let offset = self.error().and_then(Error::offset).filter(|_| input.sample().is_ascii());
        let near = offset.and_then(|at| input.again(path, at.saturating_sub(NEAR)..at + NEAR));
        let sample = near.as_ref().map_or(input.sample(), |piece| &piece.bytes);
        let Some(hint) = words::looks(sample) else { return words::seems(sample) };
        verdict.diagnostics.push(hint.clone());
        report.diagnostics.push(hint);
        None
    }

    /// What there is to say, the error last.
    fn say(&self, args: &Convert, name: &Name, path: &OsStr, output: &Name, report: &Report, advice: &Advice) {
        let (quiet, verbose) = (args.reading.quiet, args.reading.verbose);
        if verbose && let Some(verdict) = &report.verdict {
            say(format_args!("{name}: {}", InWords { verdict, verbose }));
        }
        if !quiet && !matches!(self, Ended::NotOpened(_)) {
            words::say_diagnostics(name, &report.diagnostics, self.error());
            say_account(name, report, args, verbose);
        }
        match self {
            Ended::Done | Ended::Closed => {}
            Ended::NotOpened(error) => words::say_not_opened(name, path, error),
            Ended::Failed(error) => match error.kind() {
                ErrorKind::Write { source, .. } => {
                    not_written(output, source);
                }
                _ => words::say_fault(name, error, report, advice),
            },
        }
    }
}

/// What was let pass, and with `verbose` what else was done.
fn say_account(name: &Name, report: &Report, args: &Convert, verbose: bool) {
    let became = match args.on_malformed() {
        OnMalformed::Fail | OnMalformed::Replace => "replaced",
        OnMalformed::Drop => "dropped",
        OnMalformed::Escape => "escaped",
    };
    if verbose {
        for fault in &report.malformed.first {
            let place = words::Place(fault.offset, fault.record);
            say(format_args!("{name}: {place}: {} {became}", Hex(&fault.bytes)));
        }
    }
    let count = report.malformed.count;
    if count > 0 {
        say(format_args!("{name}: {count} malformed {} {became}", if count == 1 { "sequence" } else { "sequences" }));
    }
    if verbose {
        for fault in &report.unmappable.first {
            let UnmappableChar { offset, ch, record } = fault;
            let place = words::Place(*offset, *record);
            say(format_args!("{name}: {place}: U+{:04X} is not in {}", *ch as u32, report.to));
        }
    }
    let count = report.unmappable.count;
    if count > 0 {
        let characters = if count == 1 { "character" } else { "characters" };
        say(format_args!("{name}: {count} {characters} not in {}, replaced, escaped or dropped", report.to));
    }
    let became = if args.controls == Controls::Drop { "dropped" } else { "made blanks" };
    let controls = report.controls.as_ref();
    if let Some(controls) = controls.filter(|_| verbose) {
        for UnmappableChar { offset, ch, record } in &controls.first {
            say(format_args!("{name}: {}: U+{:04X} {became}", words::Place(*offset, *record), *ch as u32));
        }
    }
    let count = controls.map_or(0, |controls| controls.count);
    if count > 0 {
        let characters = if count == 1 { "control character" } else { "control characters" };
        say(format_args!("{name}: {count} {characters} {became}"));
    }
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
