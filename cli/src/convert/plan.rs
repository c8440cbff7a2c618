//! Plans a run: which inputs there are, and where each is written. Before anything is written, refuses any run that
//! would lose data.

use crate::args::{Convert, ManyArgs};
use crate::convert::collisions;
use crate::convert::list::{self, Listed};
use crate::convert::task::{Target, Task, There};
use crate::files::file_path::{Below, FilePath};
use crate::files::input;
use crate::files::name::Name;
use crate::files::read_files::ReadFiles;
use crate::files::walk::{FoundFile, Walk};
use crate::messages::say;
use crate::selection::left_alone::LeftAlone;
use crate::status::Status;
use charpipe::Transcode;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// How many files are converted at once at most if `--jobs` is not given. With a low limit on descriptors, they are
/// fewer.
const MAX_DEFAULT_WORKERS: NonZeroUsize = NonZeroUsize::new(128).expect("not zero");

/// The plan of a run.
pub(crate) struct Plan {
    pub(crate) tasks: Vec<Task>,
    /// The files that were skipped in directories, if these are searched.
    pub(crate) left_alone: Option<LeftAlone>,
    /// All inputs go to one output.
    pub(crate) is_shared: bool,
    /// How many files are converted at once.
    pub(crate) workers: NonZeroUsize,
    /// How many threads convert parts of one file.
    pub(crate) parts: NonZeroUsize,
    /// The files that are read besides the inputs.
    pub(crate) read: ReadFiles,
}

/// Returns the files that the options name and the run reads.
fn read_files(args: &Convert) -> ReadFiles {
    let inputs = args.many.inputs.iter().map(|path| ("--inputs", &**path));
    let names = args.reading.operands.files0_from.iter().map(|path| ("--files0-from", &**path));
    ReadFiles::new(inputs.chain(names).chain(args.reading.tables.paths().map(|path| ("--codec-file", path))))
}

impl Plan {
    /// Plans the run that the options ask for. Reports errors in them.
    pub(crate) fn new(args: &Convert, transcode: &Transcode) -> Result<Self, Status> {
        let (tasks, left_alone, is_shared) = match &args.many.inputs {
            Some(path) => {
                let listed = list::read(path, transcode)?;
                let is_shared = is_shared(args) && listed.iter().all(|listed| listed.output.is_none());
                (listed_tasks(args, path, listed, is_shared)?, None, is_shared)
            }
            None => {
                let operands = args.reading.operands.files();
                check_usage(&args.many, &operands)?;
                let (tasks, left_alone) = tasks(args, operands);
                (tasks, args.many.recursive.then_some(left_alone), is_shared(args))
            }
        };
        let tasks = skip_existing(args, tasks);
        let report = args.report.as_deref().filter(|_| !args.report_is_said());
        let read = read_files(args);
        collisions::refuse(&tasks, report, &read)?;
        let (workers, parts) = threads(args, is_shared, tasks.len());
        Ok(Plan { tasks, left_alone, is_shared, workers, parts, read })
    }

    /// Returns the number of files to read and, if all are regular files, the number of bytes.
    pub(crate) fn total(&self) -> (usize, Option<u64>) {
        let len = |task: &Task| match task.path.to_open().and_then(|path| input::metadata(&path)) {
            Some(found) if !found.is_file() => None,
            found => Some(found.map_or(0, |found| found.len())),
        };
        (self.tasks.len(), self.tasks.iter().map(len).sum())
    }
}

/// Returns whether all inputs go to one output.
fn is_shared(args: &Convert) -> bool {
    let many = &args.many;
    many.output_dir.is_none() && many.in_place.is_none() && !(many.check && args.output.is_none())
}

/// Finds the inputs, and decides where each is written. Counts what was left alone in directories.
fn tasks(args: &Convert, operands: Vec<OsString>) -> (Vec<Task>, LeftAlone) {
    let many = &args.many;
    let suffix = many.in_place.as_deref().filter(|suffix| !suffix.is_empty());
    let outputs = [&many.output_dir, &args.output, &args.report].into_iter().flatten();
    let mut walk = Walk::new(&many.selection, suffix, outputs);
    let is_shared = is_shared(args);
    let output_dir = OutputDir::of(args);
    let target = |path: &FilePath, below: Below| match (&output_dir, &many.in_place) {
        _ if is_shared => Target::Shared,
        (Some(dir), _) => in_dir(args, dir, below),
        (_, Some(_)) => Target::InPlace { backup: suffix.map(|suffix| path.with_suffix(suffix)) },
        (None, None) => Target::Nowhere,
    };
    let mut tasks = Vec::new();
    for path in operands {
        if many.recursive && path != "-" && Path::new(&path).is_dir() {
            tasks.extend(walk.files(&path).map(|found| {
                let (path, FoundFile { root, below, trouble }) = (found.path(), found);
                let target = target(&path, below.clone());
                Task { target, path, found: Some((root, below)), trouble, transcode: None }
            }));
        } else {
            let path = FilePath::Text(path);
            let below = Below::of_name(path.file_name());
            tasks.push(Task { target: target(&path, below), path, found: None, trouble: None, transcode: None });
        }
    }
    if !args.messages.quiet {
        walk.left_alone().no_files().iter().for_each(say);
    }
    (tasks, walk.left_alone())
}

/// The directory of `--output-dir`.
struct OutputDir {
    path: Arc<Path>,
    /// The file that was there when the run began.
    there: There,
}

impl OutputDir {
    fn of(args: &Convert) -> Option<Self> {
        let path = args.many.output_dir.as_deref()?;
        Some(OutputDir { path: path.into(), there: There::at(path) })
    }
}

/// Returns the output of a file in the directory of `--output-dir`. `below`: its path there, without the suffix.
fn in_dir(args: &Convert, dir: &OutputDir, mut below: Below) -> Target {
    let suffix = args.many.output_suffix.as_deref().unwrap_or_default();
    below.add(suffix);
    let path = match below.is_empty() {
        // There is no file, only a directory that could not be searched.
        true => FilePath::Text(dir.path.join("").into()),
        false => FilePath::Below(dir.path.clone(), below.clone()),
    };
    // In a directory that is not there, nothing is looked for.
    let there = if dir.there.is_nothing() {
        There::NoDirectory
    } else {
        path.to_open().map_or(There::Nothing, |path| There::at(Path::new(&path)))
    };
    Target::File { there, path, below }
}

/// Decides where each input of the list is written. `is_shared`: to one output.
fn listed_tasks(args: &Convert, list: &Path, listed: Vec<Listed>, is_shared: bool) -> Result<Vec<Task>, Status> {
    let mut tasks = Vec::new();
    let output_dir = OutputDir::of(args);
    for Listed { line, input, output, transcode } in listed {
        let is_stdin = input == "-";
        let input = FilePath::Text(input);
        let target = match (&output, &output_dir) {
            (Some(path), _) => Target::Listed { path: FilePath::Text(path.into()), there: There::at(path) },
            _ if is_shared => Target::Shared,
            (None, Some(dir)) if !is_stdin => in_dir(args, dir, Below::of_name(input.file_name())),
            _ if args.many.check => Target::Nowhere,
            _ => {
                let why = "it has no `output`, but other lines have one";
                say(format_args!("{}: line {line}: {why}", Name::of_path(list.as_os_str())));
                return Err(Status::Usage);
            }
        };
        tasks.push(Task { path: input, found: None, trouble: None, target, transcode });
    }
    Ok(tasks)
}

/// Leaves out the inputs whose outputs exist, if that is asked for.
fn skip_existing(args: &Convert, mut tasks: Vec<Task>) -> Vec<Task> {
    if !args.many.skip_existing {
        return tasks;
    }
    let before = tasks.len();
    tasks.retain(|task| match &task.target {
        Target::File { there, .. } | Target::Listed { there, .. } => there.is_nothing(),
        Target::Shared | Target::InPlace { .. } | Target::Nowhere => true,
    });
    let skipped = before - tasks.len();
    if skipped > 0 && !args.messages.quiet {
        let (files, exist) =
            if skipped == 1 { ("file was", "its output exists") } else { ("files were", "their outputs exist") };
        say(format_args!("{skipped} {files} skipped: {exist}"));
    }
    tasks
}

/// Returns how many of `count` files are converted at once, and how many threads convert parts of one file.
fn threads(args: &Convert, is_shared: bool, count: usize) -> (NonZeroUsize, NonZeroUsize) {
    let one = NonZeroUsize::MIN;
    let jobs = args.jobs.map(NonZeroUsize::from);
    if is_shared {
        return (one, jobs.unwrap_or(one));
    }
    let limit = jobs.unwrap_or_else(|| thread::available_parallelism().unwrap_or(one).min(MAX_DEFAULT_WORKERS));
    let workers = limit.min(NonZeroUsize::new(count).unwrap_or(one));
    // If --jobs asks for more threads than there are files, the others convert parts.
    (workers, jobs.and_then(|jobs| NonZeroUsize::new(jobs.get() / workers)).unwrap_or(one))
}

/// Reports options that contradict each other or the operands.
fn check_usage(many: &ManyArgs, operands: &[OsString]) -> Result<(), Status> {
    let reads_stdin = operands.iter().any(|operand| operand == "-");
    let wrong = if many.output_dir.is_some() && reads_stdin {
        "--output-dir needs file names; standard input has none (use -o)".to_owned()
    } else if many.in_place.is_some() && reads_stdin {
        "--in-place needs file names; standard input cannot be replaced".to_owned()
    } else if many.in_place.as_ref().is_some_and(|suffix| has_separator(suffix)) {
        "--in-place: SUFFIX must not contain a slash; old files are kept in the same directory".to_owned()
    } else if many.force && many.in_place.as_ref().is_some_and(|suffix| suffix.is_empty()) {
        "--force needs --in-place=SUFFIX; without SUFFIX, no old files are kept".to_owned()
    } else if many.recursive && !operands.iter().any(|operand| may_be_dir(operand)) {
        "--recursive needs a directory among the FILEs".to_owned()
    } else if many.output_suffix.as_ref().is_some_and(|suffix| has_separator(suffix)) {
        "--output-suffix: SUFFIX must not contain a slash".to_owned()
    } else if let Some(operand) = operands.iter().find(|operand| {
        let path = Path::new(operand);
        many.output_dir.is_some() && path.file_name().is_none() && !(many.recursive && path.is_dir())
    }) {
        format!("--output-dir: {} is not a file name", Name::of_operand(operand))
    } else {
        return Ok(());
    };
    say(wrong);
    Err(Status::Usage)
}

fn has_separator(suffix: &OsStr) -> bool {
    suffix.as_encoded_bytes().iter().any(|byte| std::path::is_separator(char::from(*byte)))
}

/// Returns whether an operand is a directory, or does not exist, which is reported elsewhere.
fn may_be_dir(operand: &OsStr) -> bool {
    operand != "-" && fs::metadata(operand).map_or(true, |found| found.is_dir())
}
