//! Converts one input: opens it, makes a transcoder for it, opens its output, and moves that into place.

use crate::args::Convert;
use crate::convert::auto_records;
use crate::convert::binary::Search;
use crate::convert::ended::{Ended, Failure};
use crate::convert::outcome::Outcome;
use crate::convert::task::{Target, Task, There};
use crate::ending::Ending;
use crate::files::backup::{Backup, BackupExists};
use crate::files::file_path::Cursor;
use crate::files::http_head::{Body, HttpHead};
use crate::files::in_place::{InPlace, not_a_regular_file};
use crate::files::input::{self, Again, OpenInput, fill};
use crate::files::make_dir::sub_or_make;
use crate::files::name::Name;
use crate::files::output::Output;
use crate::files::sampled_input::SampledInput;
use crate::messages;
use crate::messages::hexdump::{self, Piece};
use crate::messages::hints;
use crate::messages::progress::Meter;
use crate::panics;
use crate::status::Status;
use charpipe::detect::Diagnostic;
use charpipe::detect::statistics::Looks;
use charpipe::files::{ChangedFolders, End, FileId, Folder};
use charpipe::{Error, OnUnknown, Report, Transcode, Transcoder, Verdict};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, BufRead, Read as _, Write as _};
use std::mem::take;
use std::num::NonZeroUsize;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// How many bytes are read at a time.
const READ_BYTES: usize = 64 * 1024;

/// The longest output that may wait for others, in bytes. Those that wait take room on the disk besides the files that they
/// replace: 16 MiB at most.
const SHORT_BYTES: u64 = 64 * 1024;

/// The settings that the conversions of all inputs share.
pub(crate) struct Converter<'a> {
    pub(crate) args: &'a Convert,
    pub(crate) transcode: Transcode,
    /// How many threads convert parts of one file.
    pub(crate) parts: NonZeroUsize,
    /// The directory of all outputs. In a check it may not exist.
    pub(crate) dir: Option<Arc<Folder>>,
    pub(crate) meter: &'a Meter,
    /// Where the last input, and the last output, was opened below the directory that the user named.
    pub(crate) inputs: Cursor,
    pub(crate) outputs: Cursor,
    /// The directories in which files were put in their places.
    pub(crate) folders: ChangedFolders,
    /// The regular file that the report is written to directly.
    pub(crate) report_id: Option<FileId>,
    /// How binary files are recognised that were found in directories.
    pub(crate) binary: Option<Search>,
    pub(crate) spare: Spare,
}

/// Transcoders whose inputs are done, for later inputs: to make one takes longer than to convert a short file. There are
/// at most as many as inputs that are converted at once.
#[derive(Default)]
#[allow(clippy::vec_box)] // A conversion takes the box, and gives it back.
pub(crate) struct Spare(Mutex<Vec<Box<Transcoder>>>);

impl Spare {
    fn take(&self) -> Option<Box<Transcoder>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, transcoder: Box<Transcoder>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(transcoder);
    }
}

/// An input that was converted.
pub(crate) struct Converted {
    pub(crate) outcome: Outcome,
    /// The output, if a new file in it waits to take its place.
    pub(crate) waiting: Option<Output>,
}

/// An open input, with the transcoder for it.
struct Conversion {
    input: SampledInput,
    /// In a box, as this is moved about.
    transcoder: Box<Transcoder>,
    /// The transcoder has the settings that the inputs share.
    is_shared: bool,
    notes: Vec<String>,
    /// The verdict, if the input is binary and is copied.
    binary: Option<Box<Verdict>>,
    is_verbose: bool,
    /// The output, if the input is replaced.
    in_place: Option<Box<InPlace>>,
    /// The bytes around an error will be shown.
    shows_bytes: bool,
    /// If the text was decoded with the wrong charset before, that will be said.
    hints_at_damage: bool,
    /// A file from which the input can be read again.
    again: Option<Again>,
}

impl Converter<'_> {
    /// Converts an input into an open output.
    pub(crate) fn convert_into(&self, task: &Task, transcode: Cow<'_, Transcode>, output: &mut Output) -> Outcome {
        let name = output.name.clone();
        self.catch_panic(&name, || {
            let objection =
                |input: &Metadata| output.feeds(input).then_some("it is also the output (use -o to replace it)");
            match self.begin(task, transcode, &objection) {
                Ok(conversion) => self.settled(task, self.run(conversion, output), false),
                Err(ended) => self.not_begun(name.clone(), ended),
            }
        })
    }

    /// Converts an input into a separate output. If `may_wait`, a new file may wait for others before it takes its place.
    pub(crate) fn convert(&self, task: &Task, may_wait: bool) -> Converted {
        let name = match &task.target {
            Target::File { path, .. } | Target::Listed { path, .. } => path.name(),
            Target::InPlace { .. } => task.name(),
            Target::Shared | Target::Nowhere => Name::stdout(),
        };
        let mut waiting = None;
        let outcome = self.catch_panic(&name, || {
            let (outcome, output) = self.convert_to(&name, task);
            let Some(mut output) = output else { return outcome };
            if may_wait && outcome.report.bytes_out <= SHORT_BYTES && output.can_wait() {
                waiting = Some(output);
                return outcome;
            }
            let prepared = output.prepare();
            self.publish(outcome, output, prepared)
        });
        Converted { outcome, waiting }
    }

    /// Returns the settings for an input.
    pub(crate) fn transcode_of<'a>(&'a self, task: &'a Task) -> Cow<'a, Transcode> {
        Cow::Borrowed(task.transcode.as_deref().unwrap_or(&self.transcode))
    }

    /// Puts the output of an input in its place. `prepared`: whether a new file in it is on disk.
    pub(crate) fn publish(&self, mut outcome: Outcome, output: Output, prepared: io::Result<()>) -> Outcome {
        let name = output.name.clone();
        let is_done = outcome.ended.status() == Status::Done;
        match output.publish_in(prepared, &self.folders) {
            Ok(true) => {}
            Ok(false) => outcome.ended = Ended::Unchanged,
            Err(_) if !is_done => {}
            Err(error) => {
                outcome.ended = match BackupExists::of(&error) {
                    Some(objection) => Failure::HasBackup(objection.clone()).into(),
                    None => Ending::not_written(&name, error).into(),
                }
            }
        }
        outcome
    }

    /// Converts an input. Returns the output too if it is still to be put in its place.
    fn convert_to(&self, name: &Name, task: &Task) -> (Outcome, Option<Output>) {
        let opened = self.begin(task, self.transcode_of(task), &|_| None).and_then(|mut conversion| {
            let output = match conversion.in_place.take() {
                Some(file) => Output::in_place(name.clone(), file),
                None => self.open_output(task, name).map_err(Failure::NoOutput)?.written_to_the_end(),
            };
            Ok((conversion, output))
        });
        let (conversion, mut output) = match opened {
            Ok(opened) => opened,
            Err(ended) => return (self.not_begun(name.clone(), ended), None),
        };
        let outcome = self.run(conversion, &mut output);
        let mut outcome = self.settled(task, outcome, output.is_replacing());
        if let Ended::LeftAlone(_) = outcome.ended {
            return (outcome, None);
        }
        // A file that a run before this one has converted may well be malformed in its old encoding.
        if let (Some(_), Status::Data, Some(objection)) =
            (outcome.ended.error(), outcome.ended.status(), output.objection())
        {
            outcome.ended = Failure::HasBackup(objection.clone()).into();
        }
        let is_done = outcome.ended.status() == Status::Done;
        let output = (is_done || !output.is_replacing()).then_some(output);
        (outcome, output)
    }

    /// Converts an input, and keeps its transcoder if another input can have it.
    fn run(&self, mut conversion: Conversion, output: &mut Output) -> Outcome {
        let outcome = conversion.run(output);
        if conversion.is_shared && outcome.ended.status() == Status::Done {
            self.spare.put(conversion.transcoder);
        }
        outcome
    }

    /// Leaves a file alone that turned out to be binary after the part of it that was examined. If some of it is in the
    /// output, and cannot be taken back, it stays an error. `is_replacing`: the output is for this input, and can be.
    fn settled(&self, task: &Task, outcome: Outcome, is_replacing: bool) -> Outcome {
        if !is_replacing && outcome.report.bytes_out > 0 {
            return outcome;
        }
        let is_refused = outcome.ended.error().is_some_and(|error| error.code() == "unknown-encoding");
        let verdict = outcome.report.verdict.as_ref().filter(|verdict| verdict.looks == Some(Looks::Binary));
        match verdict {
            Some(verdict) if is_refused && self.search(task).is_some() => {
                let left_alone = Ended::LeftAlone(Box::new(verdict.clone()));
                self.not_begun(outcome.output, left_alone)
            }
            _ => outcome,
        }
    }

    /// Returns the test for binary inputs to skip; the user did not name such an input.
    fn search(&self, task: &Task) -> Option<&Search> {
        self.binary.as_ref().filter(|_| task.found.is_some())
    }

    /// Returns whether a binary file is copied, and not left alone.
    fn copies(&self, task: &Task) -> bool {
        self.args.unknown == OnUnknown::Pass && matches!(task.target, Target::File { .. })
    }

    /// Runs `work`. A panic in it is the error of this input and of no other: the output is dropped, so that a file
    /// that was to be replaced stays as it was.
    pub(crate) fn catch_panic(&self, output: &Name, work: impl FnOnce() -> Outcome) -> Outcome {
        panics::catch(work).unwrap_or_else(|panic| {
            let notes = panic.note().filter(|_| self.args.messages.verbose).into_iter().collect();
            Outcome { notes, ..self.not_begun(output.clone(), Ending::Panicked(panic).into()) }
        })
    }

    /// Opens the output of one input.
    fn open_output(&self, task: &Task, name: &Name) -> io::Result<Output> {
        if let Target::Listed { path, .. } = &task.target {
            let path = path.text();
            let path = Path::new(&path);
            return if self.args.many.check { Output::rehearsal(path) } else { Output::path(path) };
        }
        let (Target::File { below, there, .. }, Some(dir)) = (&task.target, &self.dir) else {
            return Ok(Output::nothing(name.clone()));
        };
        let check = self.args.many.check;
        let enter = |folder: &Folder, name: &OsStr| if check { folder.sub(name) } else { sub_or_make(folder, name) };
        match self.outputs.place(below, || Ok(dir.clone()), enter) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && check => Ok(Output::nothing(name.clone())),
            Ok(place) if *there == There::NoDirectory && !check => Output::in_new_directory(name.clone(), place),
            place => Output::at(name.clone(), place?, *there == There::Link, check),
        }
    }

    /// Opens an input once; if it will be replaced, in the directory where that happens.
    fn open(&self, task: &Task) -> Result<(OpenInput, Option<Box<InPlace>>), Ended> {
        let (typed, end) = match (&task.found, &task.target) {
            (None, Target::InPlace { .. }) => End::of(Path::new(&task.path.text())).map_err(Ending::NotOpened)?,
            (None, _) => return Ok((input::open(&task.path.text(), READ_BYTES).map_err(Ending::NotOpened)?, None)),
            (Some((root, below)), _) => {
                let place = root.place(below, &self.inputs).map_err(Ending::NotOpened)?;
                (Some(place.clone()), End::File(place, None))
            }
        };
        let (Some(typed), End::File(place, _)) = (typed, end) else {
            return Err(Failure::NoOutput(not_a_regular_file()).into());
        };
        let opened = input::open_place(&place, READ_BYTES).map_err(Ending::NotOpened)?;
        let Target::InPlace { backup } = &task.target else { return Ok((opened, None)) };
        let force = self.args.many.force;
        let backup = backup.as_ref().map(|path| Backup::new(typed.sibling(&path.file_name()), path.clone(), force));
        let file = InPlace::new(place, &opened, backup, self.args.many.check).map_err(Failure::NoOutput)?;
        Ok((opened, Some(Box::new(file))))
    }

    /// Opens an input and makes the transcoder for it. `objection` returns why the file cannot be an input. Not
    /// inlined, so that its stack is free again before the conversion (see [`crate::apart`]).
    #[inline(never)]
    fn begin(
        &self,
        task: &Task,
        mut transcode: Cow<'_, Transcode>,
        objection: &dyn Fn(&Metadata) -> Option<&'static str>,
    ) -> Result<Conversion, Ended> {
        if let Some(trouble) = &task.trouble {
            return Err(Ending::NotOpened(io::Error::other(trouble.clone())).into());
        }
        let objection = |input: &Metadata| {
            let is_report = self.report_id.is_some() && self.report_id == FileId::of(input) && input.len() > 0;
            objection(input).or_else(|| is_report.then_some("it is also the report"))
        };
        let (opened, in_place) = self.open(task)?;
        if let Some(objection) = opened.metadata.as_ref().and_then(objection) {
            return Err(Ending::NotOpened(io::Error::other(objection)).into());
        }
        let mut len = opened.metadata.filter(Metadata::is_file).map(|metadata| metadata.len());
        let is_file = len.is_some();
        let (is_verbose, is_quiet) = (self.args.messages.verbose, self.args.messages.quiet);
        let mut notes = Vec::new();
        let mut reader = self.meter.counted(opened.reader);
        let (mut file, stream, mut again) = (opened.file, opened.stream, opened.again);
        if self.args.reading.is_http() {
            let (head, begun) = HttpHead::read(&mut *reader).map_err(Ending::NotHttp)?;
            if !begun.is_empty() {
                reader = Box::new(io::Cursor::new(begun).chain(reader));
            }
            if let Some(length) = head.length {
                reader = Box::new(Body::new(reader, length));
            }
            if let Some(value) = head.content_type.filter(|_| !self.args.reading.has_content_type()) {
                transcode = Cow::Owned(transcode.into_owned().content_type(&value));
            }
            // Offsets count from the beginning of the body.
            (file, again, len) = (None, None, None);
        }
        let (mut binary, reader) = match self.search(task) {
            Some(search) => search.examine(reader, len),
            None => (None, reader),
        };
        if let Some(verdict) = binary.take_if(|_| !self.copies(task)) {
            return Err(Ended::LeftAlone(Box::new(verdict)));
        }
        let (shape, input) = auto_records::find_shape(self.args, reader)?;
        if let Some(shape) = shape {
            if !is_quiet {
                notes.push(format!("detected records of shape {shape}"));
            }
            transcode = Cow::Owned(transcode.into_owned().records(shape));
        }
        if self.parts.get() > 1 {
            if is_file {
                transcode = Cow::Owned(transcode.into_owned().jobs(self.parts));
            } else if is_verbose {
                notes.push("not a regular file, so one thread converts it".to_owned());
            }
        }
        // What cannot be read again is counted as it passes.
        if again.is_none() {
            transcode = Cow::Owned(transcode.into_owned().count_lines(true));
        }
        let is_shared = matches!(transcode, Cow::Borrowed(shared) if ptr::eq(shared, &self.transcode));
        let transcoder = match is_shared.then(|| self.spare.take()).flatten() {
            Some(mut transcoder) => {
                transcoder.reset();
                transcoder
            }
            None => Box::new(transcode.transcoder().map_err(Failure::Stuck)?),
        };
        let shows_bytes = is_verbose && messages::is_watched();
        let hints_at_damage = !is_quiet && self.args.hints_at_damage();
        // The hint for an error reads the beginning of a file again.
        let keeps_beginning = hints_at_damage || file.is_none();
        let input = SampledInput::new(input).with_file(file).with_stream(stream);
        let input = input.keep_beginning(keeps_beginning).keep_recent(shows_bytes);
        Ok(Conversion {
            input,
            transcoder,
            is_shared,
            notes,
            binary: binary.map(Box::new),
            in_place,
            is_verbose,
            shows_bytes,
            hints_at_damage,
            again,
        })
    }

    /// Returns the outcome of an input of which nothing was converted.
    fn not_begun(&self, output: Name, ended: Ended) -> Outcome {
        let transcoder = self.transcode.transcoder().expect("the options were validated");
        let mut report = Box::new(transcoder.report().clone());
        if let Ended::LeftAlone(verdict) = &ended {
            report.diagnostics.clone_from(&verdict.diagnostics);
            report.verdict = Some((**verdict).clone());
        }
        Outcome { output, report, ended, notes: Vec::new(), advice: None, len: None, piece: None }
    }
}

impl Conversion {
    /// Converts the input into an output, or copies it if it is binary.
    fn run(&mut self, output: &mut Output) -> Outcome {
        if let Some(verdict) = self.binary.take() {
            return self.copy(*verdict, output);
        }
        let ended = match panics::catch(|| self.transcoder.run(&mut self.input, output)) {
            Ok(mut result) => {
                self.locate(result.as_mut().err());
                Ended::of(result, &output.name)
            }
            Err(panic) => {
                self.notes.extend(panic.note().filter(|_| self.is_verbose));
                let (offset, record) = self.transcoder.reached();
                Ending::Panicked(panic.at(offset, record)).into()
            }
        };
        let mut report = Box::new(self.transcoder.report().clone());
        if self.hints_at_damage {
            report.diagnostics.extend(self.damage(&report));
        }
        let advice = ended.advice(&report, &mut self.input);
        let offset = ended.error().and_then(Error::offset).filter(|_| self.shows_bytes);
        let piece = offset.and_then(|offset| {
            let window = hexdump::window(offset);
            Some(Piece { start: window.start, bytes: self.input.bytes_at(window)? })
        });
        Outcome {
            output: output.name.clone(),
            report,
            ended,
            notes: take(&mut self.notes),
            advice,
            len: self.input.len(),
            piece,
        }
    }

    /// Returns a hint if the text of the input was decoded with the wrong charset before.
    fn damage(&self, report: &Report) -> Option<Diagnostic> {
        let codec = report
            .verdict
            .as_ref()
            .and_then(|verdict| verdict.codec.as_ref())
            .filter(|_| !report.passed && report.records.is_none())?;
        let beginning = self.input.beginning(report.bytes_in);
        hints::looks_damaged(beginning, &**codec, &report.diagnostics)
    }

    /// Finds the lines and columns of what is reported, and of the error, if the input can be read again.
    fn locate(&mut self, error: Option<&mut Error>) {
        if let Some(again) = self.again.take() {
            // Without them, the messages have the offsets.
            _ = panics::catch(|| self.transcoder.locate(again, error));
        }
    }

    /// Copies the input into an output.
    fn copy(&mut self, verdict: Verdict, output: &mut Output) -> Outcome {
        let mut copied = 0;
        let result = copy(&mut self.input, output, &mut copied);
        let mut report = Box::new(self.transcoder.report().clone());
        (report.bytes_in, report.bytes_out, report.passed) = (copied, copied, true);
        report.verdict = Some(verdict);
        let (ended, len) = (Ended::of(result, &output.name), self.input.len());
        Outcome {
            output: output.name.clone(),
            report,
            ended,
            notes: take(&mut self.notes),
            advice: None,
            len,
            piece: None,
        }
    }
}

/// Copies all bytes, and counts them.
fn copy(input: &mut dyn BufRead, output: &mut Output, copied: &mut u64) -> Result<(), Error> {
    loop {
        let bytes = fill(input).map_err(|source| Error::read(*copied, source))?;
        if bytes.is_empty() {
            return Ok(());
        }
        output.write_all(bytes).map_err(|source| Error::write(*copied, source))?;
        let len = bytes.len();
        input.consume(len);
        *copied += len as u64;
    }
}
