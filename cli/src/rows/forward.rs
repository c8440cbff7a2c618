//! From records to rows: goes through the inputs, one after the other, with one thread or several.

use crate::args::Rows;
use crate::escape::printable;
use crate::files::input;
use crate::files::name::Name;
use crate::messages::say;
use crate::panics;
use crate::rows::account::{Account, Ending};
use crate::rows::batch::{Batch, Cutter};
use crate::rows::parallel;
use crate::rows::row::{self, RowPlan};
use crate::rows::setup::{Setup, Shapes};
use crate::rows::streams::{End, Streams};
use crate::rows::trouble::Trouble;
use crate::rows::work::{Done, Job, MAX_LISTED, Worker};
use crate::status::Status;
use charpipe::fields::{Layout, OnBad, ReadOptions, Reader, Trim};
use charpipe::files::signals;
use std::ffi::OsStr;
use std::io;

/// How many bytes are read at a time, and if several threads work on them.
const READ_BYTES: usize = 64 * 1024;
const PARALLEL_READ_BYTES: usize = 256 * 1024;

/// Converts all inputs.
pub(super) fn run(args: &Rows, setup: &Setup) -> Result<Status, Status> {
    let reader = reader(args, setup)?;
    let columns = reader.columns().map_err(|error| setup.say_bad_layout(&error))?;
    let rows = RowPlan::new(args, &setup.layout, columns);
    check_names(setup, &reader, &rows)?;
    let shapes = Shapes::of(args, setup)?;
    if args.output.is_some() || args.output_dir.is_some() || args.rejects.is_some() || args.report.is_some() {
        signals::watch();
    }
    let mut streams = Streams::open(args, &rows)?;
    if !args.messages.quiet {
        setup.say_assumptions(&shapes);
    }
    let output = streams.name(args);
    let job = Job { rows, has_rejects: args.rejects.is_some() };
    let mut worst = Status::Done;
    let mut files = args.files().into_iter().peekable();
    while let Some(path) = files.next() {
        let name = Name::of_operand(&path);
        let run = Run { args, setup, job: &job, reader: &reader, shapes: &shapes, name: &name };
        let mut account = panics::catch(|| run.input(&path, &mut streams))
            .unwrap_or_else(|panic| Account::not_begun(Ending::Panicked(panic)));
        worst = worst.max(account.ending.status());
        let is_last = files.peek().is_none() || account.ending.is_of_output();
        if is_last {
            // Before the last line of the report, which then says if it failed.
            let end = match &account.ending {
                ending if ending.is_of_output() => End::Cut,
                _ if worst == Status::Done => End::Done,
                _ => End::Failed,
            };
            worst = worst.max(account.end(streams.commit(end)));
        }
        account.say(args, &name, &path);
        worst = worst.max(streams.report(|| account.line(&name, &output, setup.codec.name(), job.rows.has_types())));
        if is_last {
            break;
        }
    }
    Ok(worst.max(streams.finish()))
}

/// Refuses fields that have the name of a column that is not a field.
fn check_names(setup: &Setup, reader: &Reader, rows: &RowPlan) -> Result<(), Status> {
    let layout = &setup.layout;
    let is_field = |name: &&str| (0..layout.items().len()).any(|i| layout.path(i) == *name && reader.is_selected(i));
    let Some(name) = rows.own_columns().find(is_field) else { return Ok(()) };
    let remedy = if name == row::NUMBER { "leave out --number" } else { "use --output-dir" };
    say(format_args!(
        "{}: the field {name} has the name of a column that charpipe adds; rename it, or {remedy}",
        setup.layout_name
    ));
    Err(Status::Usage)
}

/// Refuses to select elements of arrays.
fn check_selected(args: &Rows, layout: &Layout) -> Result<(), Status> {
    for name in args.select.iter().map(|name| name.trim()) {
        if let Some((array, _)) = name.split_once('[')
            && layout.find(name).is_err()
            && layout.find(array).is_ok()
        {
            let name = printable(name);
            say(format_args!(
                "--select: {name} is an element of an array; only the whole array can be selected: {array}"
            ));
            return Err(Status::Usage);
        }
    }
    Ok(())
}

/// Returns the reader that the options ask for.
pub(super) fn reader(args: &Rows, setup: &Setup) -> Result<Reader, Status> {
    check_selected(args, &setup.layout)?;
    let trim = match (args.keep_blanks, args.trim_nuls) {
        (true, _) => Trim::Nothing,
        (_, true) => Trim::BlanksAndNuls,
        _ => Trim::Blanks,
    };
    let mut options = ReadOptions::new()
        .trim(trim)
        .on_bad(if args.null_on_bad { OnBad::Null } else { OnBad::Error })
        .empty_is_null(args.null_on_bad)
        .canonical(args.exact)
        .overlong(args.overlong)
        .fillers(args.filler);
    if !args.select.is_empty() {
        options = options.select(args.select.iter().map(|name| name.trim()));
    }
    setup.layout.reader(&setup.registry, &setup.codec, &options).map_err(|error| setup.say_bad_layout(&error))
}

/// The work on one input.
pub(super) struct Run<'a> {
    pub(super) args: &'a Rows,
    pub(super) setup: &'a Setup,
    pub(super) job: &'a Job,
    pub(super) reader: &'a Reader,
    pub(super) shapes: &'a Shapes,
    pub(super) name: &'a Name,
}

impl Run<'_> {
    fn input(&self, path: &OsStr, streams: &mut Streams) -> Account {
        let jobs = self.args.jobs.map_or(1, |jobs| usize::from(jobs.get()));
        let read_bytes = if jobs > 1 { PARALLEL_READ_BYTES } else { READ_BYTES };
        let opened = match input::open(path, read_bytes) {
            Ok(opened) => opened,
            Err(error) => return Account::not_begun(Ending::NotOpened(error)),
        };
        if opened.metadata.as_ref().is_some_and(|input| streams.feed(input)) {
            let why = io::Error::other("it is also the output (use -o to replace it)");
            return Account::not_begun(Ending::NotOpened(why));
        }
        let is_file = opened.metadata.as_ref().is_some_and(|metadata| metadata.is_file());
        let (shape, reader) = match self.shapes.find(opened.reader, self.args.file.as_ref()) {
            Ok(found) => found,
            Err(ending) => return Account::not_begun(ending),
        };
        if self.shapes.is_auto() && !self.args.messages.quiet {
            say(format_args!("{}: detected records of shape {shape}", self.name));
        }
        let mut account = Account::not_begun(Ending::Done);
        account.shape = Some(shape.to_string());
        account.rows = self.job.rows.tables().iter().map(|table| (table.name.clone(), 0)).collect();
        let mut cutter = Cutter::new(reader, &shape, self.args.file.clone(), self.setup.layout.max_len());
        let written = streams.write_headers(&mut account.bytes_out).map_err(Ending::from);
        let ended = written.and_then(|()| {
            let mut take = |done: &mut Done| take(done, &mut account, streams);
            let is_fixed = shape.lrecl().is_some();
            let worker = || Worker::new(self.job, self.name.json(), self.reader.clone().fixed_length(is_fixed));
            match is_file && jobs > 1 {
                true => parallel::run(&worker, jobs, &mut cutter, &mut take),
                false => alone(worker(), &mut cutter, &mut take),
            }
        });
        account.bytes_in = match &ended {
            // How far the input was read beyond it depends on the size of the buffers.
            Err(Ending::Failed(Trouble::Record { offset, .. } | Trouble::Limit { offset, .. })) => *offset,
            _ => cutter.offset(),
        };
        if let Err(ending) = ended {
            account.ending = ending;
        }
        account
    }
}

/// Converts in this thread. What was read is written before the next read.
pub(super) fn alone(mut worker: Worker<'_>, cutter: &mut Cutter, take: &mut Take<'_>) -> Result<(), Ending> {
    let (mut batch, mut done) = (Batch::default(), Done::default());
    loop {
        let read = cutter.read(&mut batch);
        let mut next = Some(0);
        while let Some(first) = next {
            next = worker.work(&batch, first, &mut done);
            take(&mut done)?;
        }
        match read {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(trouble) => return Err(Ending::Failed(trouble)),
        }
    }
}

/// Receives the rows of the batches, in their order. Fails if that ends the work.
pub(super) type Take<'a> = dyn FnMut(&mut Done) -> Result<(), Ending> + 'a;

fn take(done: &mut Done, account: &mut Account, streams: &mut Streams) -> Result<(), Ending> {
    account.counts.add(&done.counts);
    for (rows, total) in done.rows.iter().zip(&mut account.rows) {
        total.1 += rows;
    }
    let room = MAX_LISTED - account.rejected.len().min(MAX_LISTED);
    account.rejected.extend(done.rejected.drain(..).take(room));
    streams.write(done, &mut account.bytes_out)?;
    match done.trouble.take() {
        Some(trouble @ Trouble::Record { .. }) => Err(Ending::Failed(trouble)),
        _ => Ok(()),
    }
}
