//! Turns records into rows: goes through the inputs, one after the other, with one thread or several.

use crate::args::Rows;
use crate::ending::Ending;
use crate::files::input;
use crate::files::name::Name;
use crate::messages::say;
use crate::panics;
use crate::rows::account::Account;
use crate::rows::nest::Nest;
use crate::rows::setup::Setup;
use crate::rows::streams::{End, Streams};
use crate::rows::work::{Done, Job, MAX_LISTED, Worker};
use crate::rows::writer::RowWriter;
use crate::status::Status;
use charpipe::ErrorKind;
use charpipe::files::signals;
use charpipe::rows::{RowsError, StoredAs, in_order};
use std::ffi::OsStr;
use std::io;

/// How many bytes are read at a time, and if several threads work on them.
const READ_BYTES: usize = 64 * 1024;
const PARALLEL_READ_BYTES: usize = 256 * 1024;

/// Converts all inputs.
pub(super) fn run(args: &Rows, setup: &Setup) -> Result<Status, Status> {
    let rows = RowWriter::new(args, &setup.job).map_err(|error| setup.say_unusable(&error))?;
    setup.check_stored_as()?;
    if args.output.is_some() || args.output_dir.is_some() || args.rejects.is_some() || args.report.is_some() {
        signals::watch();
    }
    let mut streams = Streams::open(args, &rows)?;
    if !args.messages.quiet {
        setup.say_assumptions();
    }
    let output = streams.name(args);
    let job = Job { rows, reject: args.rejects.is_some(), nest: args.nest };
    let mut worst = Status::Done;
    let mut files = args.files().into_iter().peekable();
    while let Some(path) = files.next() {
        let name = Name::of_operand(&path);
        let run = Run { args, setup, job: &job, name: &name };
        let mut account = panics::catch(|| run.input(&path, &mut streams))
            .unwrap_or_else(|panic| Account::not_begun(Err(Ending::Panicked(panic))));
        worst = worst.max(account.status());
        let is_last = files.peek().is_none() || account.is_cut();
        if is_last {
            streams.end(&job, &mut account, worst == Status::Done);
            worst = worst.max(account.status());
            // Before the last line of the report, which then says if it failed.
            let end = match worst {
                _ if account.is_cut() => End::Cut,
                Status::Done => End::Done,
                _ => End::Failed,
            };
            worst = worst.max(account.end(streams.commit(end)));
        }
        account.say(args, &name, &path);
        worst = worst.max(streams.report.write(|| account.line(&name, &output, setup.page(), job.rows.has_types())));
        if is_last {
            break;
        }
    }
    Ok(worst.max(streams.report.finish()))
}

/// The work on one input.
struct Run<'a> {
    args: &'a Rows,
    setup: &'a Setup,
    job: &'a Job,
    name: &'a Name,
}

impl Run<'_> {
    fn input(&self, path: &OsStr, streams: &mut Streams) -> Account {
        let job = &self.setup.job;
        let read_bytes = if job.jobs().get() > 1 { PARALLEL_READ_BYTES } else { READ_BYTES };
        let opened = match input::open(path, read_bytes) {
            Ok(opened) => opened,
            Err(error) => return Account::not_begun(Err(Ending::NotOpened(error))),
        };
        if opened.metadata.as_ref().is_some_and(|input| streams.feed(input)) {
            let why = io::Error::other("it is also the output (use -o to replace it)");
            return Account::not_begun(Err(Ending::NotOpened(why)));
        }
        let is_file = opened.metadata.as_ref().is_some_and(|metadata| metadata.is_file());
        let (shape, reader) = match job.open(opened.reader) {
            Ok(found) => found,
            Err(error) => return Account::not_begun(Err(Ending::Failed(error))),
        };
        if *job.stored_as() == StoredAs::Auto && !self.args.messages.quiet {
            say(format_args!("{}: detected records of shape {shape}", self.name));
        }
        let mut account = Account::not_begun(Ok(()));
        account.shape = Some(shape.to_string());
        account.rows = self.job.rows.tables().iter().map(|table| (table.name().to_owned(), 0)).collect();
        let mut batches = job.batches(reader, &shape);
        let row_reader = job.reader(&shape);
        let written = streams.write_headers(&mut account.bytes_out);
        let mut nest = self.job.nest.then(|| Nest::new(job, self.name.json()));
        let ended = written.and_then(|()| {
            let mut take = |done: &mut Done| {
                if let Some(nest) = &mut nest {
                    nest.take(done);
                }
                take(done, &mut account, streams)
            };
            let worker = || Worker::new(self.job, self.name.json(), row_reader.clone());
            // The output of a pipe is written before the next read.
            let jobs = if is_file && self.job.rows.is_parallel() { job.jobs().get() } else { 1 };
            in_order(&mut batches, jobs, &worker, &mut take)
        });
        let ended = ended.and_then(|()| {
            // After an error, the line that is not complete is left out.
            let mut last = Done::default();
            last.texts.extend(nest.as_mut().map(Nest::finish));
            streams.write(&last, &mut account.bytes_out)
        });
        account.bytes_in = match &ended {
            // How far the input was read beyond it depends on the size of the buffers.
            Err(Ending::Failed(error)) if is_in_record(error) => error.offset().unwrap_or_default(),
            _ => batches.offset(),
        };
        account.ended = ended;
        account
    }
}

/// Whether an error is in a record that was found, and not in how the input is cut into records.
fn is_in_record(error: &RowsError) -> bool {
    match error {
        RowsError::Record { .. } => true,
        RowsError::Stream(error) => matches!(
            error.kind(),
            ErrorKind::RecordTooLong { .. } | ErrorKind::BadRecordLength { .. } | ErrorKind::CannotSkip { .. }
        ),
        _ => false,
    }
}

impl From<charpipe::Error> for Ending<RowsError> {
    fn from(error: charpipe::Error) -> Self {
        Ending::Failed(error.into())
    }
}

/// Receives the rows of a batch. Fails if that ends the work.
fn take(done: &mut Done, account: &mut Account, streams: &mut Streams) -> Result<(), Ending<RowsError>> {
    account.counts.add(&done.counts);
    for (rows, total) in done.rows.iter().zip(&mut account.rows) {
        total.1 += rows;
    }
    account.untyped += done.untyped;
    let room = MAX_LISTED - account.rejected.len().min(MAX_LISTED);
    account.rejected.extend(done.rejected.drain(..).take(room));
    streams.write(done, &mut account.bytes_out)?;
    done.error.take().map_or(Ok(()), |error| Err(Ending::Failed(error)))
}
