//! `charpipe convert`: each input by itself, into one output of all, one after the other, or into an output of its own,
//! side by side. What is said and reported comes in the order of the inputs.

pub(crate) mod collisions;
pub(crate) mod many;
pub(crate) mod outcome;
pub(crate) mod plan;
pub(crate) mod summary;

use crate::args::records;
use crate::args::{Convert, List};
use crate::convert::outcome::{Ended, Outcome};
use crate::convert::plan::{Plan, Target, Task};
use crate::convert::summary::Summary;
use crate::files::folder::Folder;
use crate::files::in_place::{Backup, InPlace};
use crate::files::input::{self, Opened, Sampled};
use crate::files::output::{self, Output};
use crate::files::place::{End, resolve};
use crate::files::signals;
use crate::files::streams::FileId;
use crate::files::walk;
use crate::list;
use crate::messages::hexdump;
use crate::messages::json::{self, ReportObject};
use crate::messages::progress::{Meter, Progress};
use crate::messages::{self, Name, say};
use crate::panics;
use crate::status::Status;
use charpipe::records::look;
use charpipe::{Bom, Error, Transcode, Transcoder};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much is read at a time.
const READ_SIZE: usize = 64 * 1024;

/// Runs it.
pub(crate) fn run(args: &Convert) -> Status {
    if args.list {
        return list::run(&List::default());
    }
    args.transcode().and_then(|transcode| prepare(args, transcode)).unwrap_or_else(|status| status)
}

/// Finds out what can be wrong before anything is read, and goes on with `transcode`, which is what `args` ask for.
pub(crate) fn prepare(args: &Convert, transcode: Transcode) -> Result<Status, Status> {
    let plan = Plan::new(args)?;
    let replaces = args.output.is_some() || !plan.is_shared;
    if replaces && !args.many.check || args.report.is_some() {
        signals::watch();
    }
    // The report may go there.
    let dir = plan::make_dir(args)?;
    let account = account(args, &plan)?;
    let output = if plan.is_shared { Some(shared(args, account.as_ref())?) } else { None };
    let lines = if args.many.check { Some(stdout()?) } else { None };

    let progress = match args.progress {
        Progress::Auto if args.messages.quiet => Progress::Never,
        progress => progress,
    };
    let meter = Meter::begin(progress, plan.is_shared && args.output.is_none(), || plan.total());
    let file = account.as_ref().and_then(Output::stream_id);
    let desk = Desk { args, account, lines, summary: Summary::default(), worst: Status::Done };
    let job = Job { args, transcode, plan, dir, meter, account: file };
    let status = match output {
        Some(output) => job.into_one(output, desk),
        None => job.into_many(desk),
    };
    // A signal that has come by now is not lost.
    drop(signals::hold());
    Ok(status)
}

/// The output of all inputs.
fn shared(args: &Convert, account: Option<&Output>) -> Result<Output, Status> {
    let output = match &args.output {
        None => stdout()?,
        Some(path) if args.many.check => Output::rehearsal(path).map_err(|error| not_opened(path, &error))?,
        Some(path) => open(path)?,
    };
    if account.is_some_and(|account| output.collides(account)) {
        say(format_args!("{}: output and report cannot be the same file", output.name));
        return Err(Status::Usage);
    }
    Ok(output)
}

fn stdout() -> Result<Output, Status> {
    Output::stdout().map_err(|error| not_written(&Name::of_stream(output::STDOUT), &error))
}

/// Opens what the account of the run is written to.
fn account(args: &Convert, plan: &Plan) -> Result<Option<Output>, Status> {
    let account = match &args.report {
        None => return Ok(None),
        Some(_) if args.report_is_said() => {
            Output::stderr().map_err(|error| not_written(&Name::of_stream(output::STDERR), &error))?
        }
        Some(path) => open(path)?,
    };
    // It is written whatever becomes of the data, which would be lost.
    let is_input = |task: &Task| input::metadata(&task.path).is_some_and(|input| account.replaces(&input));
    if plan.tasks.iter().any(is_input) {
        say(format_args!("{}: input and report cannot be the same file", account.name));
        return Err(Status::Usage);
    }
    Ok(Some(account))
}

fn open(path: &Path) -> Result<Output, Status> {
    Output::path(path).map_err(|error| not_opened(path, &error))
}

fn not_opened(path: &Path, error: &io::Error) -> Status {
    say(format_args!("{}: cannot open for writing: {error}", Name::of_path(path.as_os_str())));
    Status::Io
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

/// The work.
struct Job<'a> {
    args: &'a Convert,
    transcode: Transcode,
    plan: Plan,
    /// The directory of all outputs.
    dir: Option<Arc<Folder>>,
    meter: Meter,
    /// The regular file that the report is written to as it is.
    account: Option<FileId>,
}

/// An input that is open, and the machine that is made for it.
struct Begun {
    input: Sampled,
    transcoder: Transcoder,
    notes: Vec<String>,
    /// Everything is to be said.
    is_verbose: bool,
    /// The file that takes in what it becomes.
    in_place: Option<InPlace>,
    /// The bytes around an error have somebody to be shown to.
    is_watched: bool,
}

impl Job<'_> {
    /// All inputs into one output, one after the other.
    fn into_one(self, mut output: Output, mut desk: Desk<'_>) -> Status {
        let mut begun = false;
        for task in &self.plan.tasks {
            // A byte order mark in the middle would be a character of the text.
            let transcode = if begun { self.transcode.clone().bom(Bom::Strip) } else { self.transcode.clone() };
            let name = output.name.clone();
            let outcome = self.unless_it_panics(&name, || {
                let objection =
                    |input: &Metadata| output.feeds(input).then_some("it is the output too (use -o to replace it)");
                match self.begin(task, transcode, objection) {
                    Ok(input) => input.convert(&mut output),
                    Err(ended) => self.not_begun(name.clone(), ended),
                }
            });
            begun |= outcome.report.bytes_out > 0;
            let is_failure = outcome.ended.status() != Status::Done;
            let is_over = outcome.ended.is_of_output() || is_failure && self.args.many.fail_fast;
            self.meter.add_file();
            if self.meter.aside(|| desk.take(task, &outcome)).is_break() || is_over {
                break;
            }
        }
        self.meter.end();
        if desk.worst == Status::Done || !output.is_replacing() {
            desk.worst = desk.worst.max(commit(output));
        }
        desk.close()
    }

    /// Each input into an output of its own.
    fn into_many(self, mut desk: Desk<'_>) -> Status {
        // What comes before a failure is converted whoever is faster; what is under way behind it is finished.
        let first_failed = AtomicUsize::new(usize::MAX);
        let work = |number, task: &Task| {
            if number > first_failed.load(Ordering::Relaxed) {
                return None;
            }
            let outcome = self.own(task);
            if self.args.many.fail_fast && outcome.ended.status() != Status::Done {
                first_failed.fetch_min(number, Ordering::Relaxed);
            }
            self.meter.add_file();
            Some(outcome)
        };
        let Plan { tasks, workers, .. } = &self.plan;
        // A bar that makes room for thousands of files that have nothing to say would flicker.
        let says = self.args.messages.verbose || self.args.many.check || self.args.report_is_said();
        many::in_order(tasks, *workers, work, |task, outcome| match says || !outcome.is_silent() {
            true => self.meter.aside(|| desk.take(task, &outcome)),
            false => desk.take(task, &outcome),
        });
        self.meter.end();
        if !self.args.messages.quiet {
            desk.summary.say(self.plan.tasks.len(), self.args.many.check);
        }
        desk.close()
    }

    /// One input into an output of its own.
    fn own(&self, task: &Task) -> Outcome {
        let name = match &task.target {
            Target::File { path, .. } => Name::of_path(path.as_os_str()),
            Target::InPlace { .. } => task.name(),
            Target::Shared | Target::Nowhere => Name::of_stream(output::STDOUT),
        };
        self.unless_it_panics(&name, || self.own_called(name.clone(), task))
    }

    /// What comes of `work`; a panic in it is the error of this input and of no other. Its output is dropped, so that a
    /// file that was to be replaced stays as it was.
    fn unless_it_panics(&self, output: &Name, work: impl FnOnce() -> Outcome) -> Outcome {
        panics::caught(work).unwrap_or_else(|panic| {
            let notes = panic.note().filter(|_| self.args.messages.verbose).into_iter().collect();
            Outcome { notes, ..self.not_begun(output.clone(), Ended::Panicked(panic)) }
        })
    }

    /// The same, with the name of the output.
    fn own_called(&self, name: Name, task: &Task) -> Outcome {
        let begun = self.begin(task, self.transcode.clone(), |_| None);
        let opened = begun.and_then(|mut begun| {
            let output = match begun.in_place.take() {
                Some(file) => Output::in_place(name.clone(), file),
                None => self.output(task, &name).map_err(Ended::NoOutput)?,
            };
            Ok((begun, output))
        });
        let (begun, mut output) = match opened {
            Ok(opened) => opened,
            Err(ended) => return self.not_begun(name, ended),
        };
        let mut outcome = begun.convert(&mut output);
        if outcome.ended.status() == Status::Done || !output.is_replacing() {
            match output.commit() {
                Ok(true) => {}
                Ok(false) => outcome.ended = Ended::Unchanged,
                Err(_) if outcome.ended.status() != Status::Done => {}
                Err(error) => outcome.ended = Ended::NotKept(error),
            }
        }
        outcome
    }

    /// Opens the output of one input.
    fn output(&self, task: &Task, name: &Name) -> io::Result<Output> {
        let check = self.args.many.check;
        match &task.target {
            Target::Shared | Target::Nowhere | Target::InPlace { .. } => Ok(Output::nothing(name.clone())),
            Target::File { below, is_link, .. } => {
                // In a check it may have to be made yet.
                let Some(dir) = &self.dir else { return Ok(Output::nothing(name.clone())) };
                let enter = |folder: &Folder, name: &OsStr| match folder.sub(name) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound && !check => {
                        // Another file may have had it made meanwhile.
                        folder.make_dir(name).or_else(|error| match error.kind() {
                            io::ErrorKind::AlreadyExists => Ok(()),
                            _ => Err(error),
                        })?;
                        folder.sub(name)
                    }
                    entered => entered,
                };
                match walk::descend(dir.clone(), below, enter) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound && check => Ok(Output::nothing(name.clone())),
                    place => Output::at(name.clone(), place?, *is_link, check),
                }
            }
        }
    }

    /// Opens an input: once, and if it is to be replaced, in the directory where that is to be done.
    fn open(&self, task: &Task) -> Result<(Opened, Option<InPlace>), Ended> {
        let place = match (&task.found, &task.target) {
            (None, Target::InPlace { .. }) => resolve(Path::new(&task.path)).map_err(Ended::NotOpened)?,
            (None, _) => {
                return Ok((input::open_typed(&task.path, READ_SIZE).map_err(Ended::NotOpened)?, None));
            }
            (Some((root, below)), _) => {
                let place = root.place(below).map_err(Ended::NotOpened)?;
                (Some(place.clone()), End::File(place, None))
            }
        };
        let (Some(typed), End::File(place, _)) = place else {
            return Err(Ended::NoOutput(io::Error::other("it is no regular file")));
        };
        let opened = input::open_place(&place, READ_SIZE).map_err(Ended::NotOpened)?;
        let Target::InPlace { backup } = &task.target else { return Ok((opened, None)) };
        let backup = backup
            .as_ref()
            .map(|path| Backup { place: typed.beside(path.file_name().unwrap_or_default()), path: path.clone() });
        let file = InPlace::new(place, &opened, backup, self.args.many.check).map_err(Ended::NoOutput)?;
        Ok((opened, Some(file)))
    }

    /// Opens an input and makes the machine for it.
    fn begin(
        &self,
        task: &Task,
        mut transcode: Transcode,
        objection: impl FnOnce(&Metadata) -> Option<&'static str>,
    ) -> Result<Begun, Ended> {
        if let Some(trouble) = &task.trouble {
            return Err(Ended::NotOpened(io::Error::other(trouble.clone())));
        }
        let objection = |input: &Metadata| {
            let is_account = self.account.is_some() && self.account == FileId::of(input) && input.len() > 0;
            objection(input).or_else(|| is_account.then_some("it is the report too"))
        };
        let (opened, in_place) = self.open(task)?;
        if let Some(objection) = opened.found.as_ref().and_then(objection) {
            return Err(Ended::NotOpened(io::Error::other(objection)));
        }
        let is_file = opened.found.is_some_and(|found| found.is_file());
        let mut input = self.meter.counted(opened.reader);
        let mut notes = Vec::new();
        if self.args.records.is_auto() {
            let (first, is_all) = records::head(&mut *input).map_err(Ended::NotRead)?;
            let shape = look(&first, is_all, self.args.records.file()).shape().map_err(Ended::NoShape)?;
            if !self.args.messages.quiet {
                notes.push(format!("taken for records of shape {shape}"));
            }
            input = Box::new(io::Cursor::new(first).chain(input));
            transcode = transcode.records(shape);
        }
        if self.plan.parts.get() > 1 {
            if is_file {
                transcode = transcode.jobs(self.plan.parts);
            } else if self.args.messages.verbose {
                notes.push("no regular file, so that one job converts it".to_owned());
            }
        }
        let transcoder = transcode.transcoder().map_err(Ended::Failed)?;
        let is_verbose = self.args.messages.verbose;
        let is_watched = is_verbose && messages::is_watched();
        let input = Sampled::new(input).of_file(opened.again).keeping(is_watched);
        Ok(Begun { input, transcoder, notes, in_place, is_verbose, is_watched })
    }

    /// The outcome where nothing was read.
    fn not_begun(&self, output: Name, ended: Ended) -> Outcome {
        let transcoder = self.transcode.transcoder().expect("the choices go together, as was checked");
        Outcome {
            output,
            report: transcoder.report().clone(),
            ended,
            notes: Vec::new(),
            seems: None,
            len: None,
            piece: None,
        }
    }
}

impl Begun {
    /// The input into an output.
    fn convert(mut self, output: &mut Output) -> Outcome {
        let ended = match panics::caught(|| self.transcoder.run(&mut self.input, output)) {
            Ok(result) => Ended::of(result),
            Err(panic) => {
                self.notes.extend(panic.note().filter(|_| self.is_verbose));
                let (offset, record) = self.transcoder.reached();
                Ended::Panicked(panic.at(offset, record))
            }
        };
        let mut report = self.transcoder.report().clone();
        let seems = ended.add_hint(&mut report, &self.input);
        let offset = ended.error().and_then(Error::offset).filter(|_| self.is_watched);
        let piece = offset.and_then(|offset| self.input.again(hexdump::window(offset)));
        Outcome { output: output.name.clone(), report, ended, notes: self.notes, seems, len: self.input.len(), piece }
    }
}

/// Where all outcomes come by, in the order of the inputs.
struct Desk<'a> {
    args: &'a Convert,
    /// The report.
    account: Option<Output>,
    /// What `--check` says.
    lines: Option<Output>,
    summary: Summary,
    worst: Status,
}

impl Desk<'_> {
    /// Says and reports what became of one; whether to go on.
    fn take(&mut self, task: &Task, outcome: &Outcome) -> ControlFlow<()> {
        let name = task.name();
        self.worst = self.worst.max(outcome.ended.status());
        self.summary.add(outcome);
        outcome.say(self.args, &name, &task.path);
        if let Some(file) = &mut self.account {
            let line = json::line(&ReportObject::of(&name, &outcome.output, &outcome.report, outcome.ended.object()));
            if let Err(error) = file.write_all(line.as_bytes()) {
                self.worst = self.worst.max(not_written(&file.name, &error));
                self.account = None;
            }
        }
        if let Some(file) = &mut self.lines
            && let Err(error) = file.write_all(outcome.line(&name).as_bytes())
        {
            if error.kind() != io::ErrorKind::BrokenPipe {
                self.worst = self.worst.max(not_written(&file.name, &error));
            }
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// The status of the run.
    fn close(self) -> Status {
        self.worst.max(self.account.map_or(Status::Done, commit))
    }
}
