//! Many files: which inputs there are, and where each is written. What would lose something is
//! refused here, before anything is.

use crate::args::{Convert, ManyArgs};
use crate::convert::collisions;
use crate::files::folder::Folder;
use crate::files::input;
use crate::files::walk::{Found, Root, Walk};
use crate::messages::{Name, say};
use crate::status::Status;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// How many files are converted at once where nobody says how many. Each takes up to six descriptors, of which a process
/// usually has 1024.
const MOST_WORKERS: NonZeroUsize = NonZeroUsize::new(128).expect("not zero");

/// One input.
pub(crate) struct Task {
    pub(crate) path: OsString,
    /// How it was found, where it was not named.
    pub(crate) found: Option<(Arc<Root>, PathBuf)>,
    /// Why it cannot be read, where that was found out on the way to it.
    pub(crate) trouble: Option<String>,
    pub(crate) target: Target,
}

impl Task {
    /// What it is called.
    pub(crate) fn name(&self) -> Name {
        input::name(&self.path)
    }
}

/// Where an input is written.
#[derive(PartialEq, Eq)]
pub(crate) enum Target {
    /// To the one output of all.
    Shared,
    /// To a file of its own: its path, and that below the directory of all. `is_link`: there was a symlink when the run
    /// began, which is followed; one that comes later is not.
    File { path: PathBuf, below: PathBuf, is_link: bool },
    /// Over itself; the file that keeps what it had.
    InPlace { backup: Option<PathBuf> },
    /// Nowhere.
    Nowhere,
}

/// What is to be done.
pub(crate) struct Plan {
    pub(crate) tasks: Vec<Task>,
    /// All go to one output.
    pub(crate) is_shared: bool,
    /// How many are converted at once.
    pub(crate) workers: NonZeroUsize,
    /// How many threads convert parts of one.
    pub(crate) parts: NonZeroUsize,
}

impl Plan {
    /// What the options ask for; what is wrong with them is said here.
    pub(crate) fn new(args: &Convert) -> Result<Self, Status> {
        let many = &args.many;
        let operands = args.reading.files();
        check_usage(many, &operands)?;

        let suffix = many.in_place.as_deref().filter(|suffix| !suffix.is_empty());
        let own = [&many.output_dir, &args.output, &args.report].into_iter().flatten();
        let mut walk = Walk::new(suffix, own);
        let is_shared = many.output_dir.is_none() && many.in_place.is_none() && !(many.check && args.output.is_none());
        let target = |path: &OsStr, below: &Path| match (&many.output_dir, &many.in_place) {
            _ if is_shared => Target::Shared,
            (Some(dir), _) => {
                let path = dir.join(below);
                Target::File { is_link: path.is_symlink(), path, below: below.to_owned() }
            }
            (_, Some(_)) => {
                let backup = suffix.map(|suffix| [path, suffix].into_iter().collect::<OsString>());
                Target::InPlace { backup: backup.map(PathBuf::from) }
            }
            (None, None) => Target::Nowhere,
        };
        let mut tasks = Vec::new();
        for path in operands {
            if many.recursive && path != "-" && Path::new(&path).is_dir() {
                tasks.extend(walk.files(&path).into_iter().map(|Found { path, root, below, trouble }| Task {
                    target: target(&path, &below),
                    path,
                    found: Some((root, below)),
                    trouble,
                }));
            } else {
                let below = Path::new(&path).file_name().map(PathBuf::from).unwrap_or_default();
                tasks.push(Task { target: target(&path, &below), path, found: None, trouble: None });
            }
        }
        if !args.messages.quiet {
            walk.say();
        }
        collisions::refuse(&tasks, args.report.as_deref())?;

        let one = NonZeroUsize::MIN;
        let jobs = args.jobs.map(NonZeroUsize::from);
        let (workers, parts) = if is_shared {
            (one, jobs.unwrap_or(one))
        } else {
            let most = jobs.unwrap_or_else(|| thread::available_parallelism().unwrap_or(one).min(MOST_WORKERS));
            let workers = most.min(NonZeroUsize::new(tasks.len()).unwrap_or(one));
            // What nobody else needs goes into the parts, where it was asked for.
            (workers, jobs.and_then(|jobs| NonZeroUsize::new(jobs.get() / workers)).unwrap_or(one))
        };
        Ok(Plan { tasks, is_shared, workers, parts })
    }

    /// How many files there are to read, and how many bytes, where all are regular files.
    pub(crate) fn total(&self) -> (usize, Option<u64>) {
        let len = |task: &Task| match input::metadata(&task.path) {
            Some(found) if !found.is_file() => None,
            found => Some(found.map_or(0, |found| found.len())),
        };
        (self.tasks.len(), self.tasks.iter().map(len).sum())
    }
}

/// Makes the directory that all is written to, and holds it open. In a check there may be none.
pub(crate) fn make_dir(args: &Convert) -> Result<Option<Arc<Folder>>, Status> {
    let Some(dir) = &args.many.output_dir else { return Ok(None) };
    let opened = match args.many.check {
        true => Folder::open(dir),
        false => made(dir),
    };
    match opened {
        Ok(folder) => Ok(Some(Arc::new(folder))),
        Err(error) if args.many.check && error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            say(format_args!("{}: cannot make the directory: {error}", Name::of_path(dir.as_os_str())));
            Err(Status::Io)
        }
    }
}

/// Opens the directory `dir`, which is made if there is none, and those that it is to be in.
fn made(dir: &Path) -> io::Result<Folder> {
    let missing = match Folder::open(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => error,
        opened => return opened,
    };
    let Some(name) = dir.file_name() else { return Err(missing) };
    let parent = made(dir.parent().unwrap_or(Path::new(".")))?;
    match parent.make_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => parent.at(Path::new(name)),
    }
}

/// What makes no sense, in a sentence.
fn check_usage(many: &ManyArgs, operands: &[OsString]) -> Result<(), Status> {
    let reads_stdin = operands.iter().any(|operand| operand == "-");
    let wrong = if many.output_dir.is_some() && reads_stdin {
        "--output-dir needs file names; standard input has none (use -o)".to_owned()
    } else if many.in_place.is_some() && reads_stdin {
        "--in-place needs file names; standard input cannot be replaced".to_owned()
    } else if many.in_place.as_ref().is_some_and(|suffix| has_separator(suffix)) {
        "--in-place: SUFFIX must not contain a slash; old files are kept in the same directory".to_owned()
    } else if many.recursive && !operands.iter().any(|operand| may_be_dir(operand)) {
        "--recursive needs a directory among the FILEs".to_owned()
    } else if let Some(operand) = operands.iter().find(|operand| {
        let path = Path::new(operand);
        many.output_dir.is_some() && path.file_name().is_none() && !(many.recursive && path.is_dir())
    }) {
        format!("--output-dir: {} is not a file name", input::name(operand))
    } else {
        return Ok(());
    };
    say(wrong);
    Err(Status::Usage)
}

fn has_separator(suffix: &OsStr) -> bool {
    suffix.as_encoded_bytes().iter().any(|byte| std::path::is_separator(char::from(*byte)))
}

/// What is not there is an error of its own.
fn may_be_dir(operand: &OsStr) -> bool {
    operand != "-" && fs::metadata(operand).map_or(true, |found| found.is_dir())
}
