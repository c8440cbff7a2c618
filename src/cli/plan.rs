//! Many files: the options about them, which inputs there are, and where each is written. What would lose something is
//! refused here, before anything is.

use super::Status;
use super::args::{Convert, FILES, one_of};
use super::collisions;
use super::input;
use super::progress::Progress;
use super::words::{Name, say};
use clap::Args;
use clap::builder::ValueHint;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use walkdir::{DirEntry, WalkDir};

/// Many files at once.
#[derive(Args)]
pub(super) struct ManyArgs {
    /// Write each FILE to a file of its own in DIR
    ///
    /// DIR is made where it is missing. The file is called as the FILE is; with `-r`, what is in a directory goes by its path below that directory. Files that
    /// would be one, or would replace an input, are refused before anything is written.
    #[arg(help_heading = FILES, long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["output", "in_place"])]
    output_dir: Option<PathBuf>,

    /// Replace each FILE; SUFFIX: keep what it had as FILESUFFIX
    ///
    /// It is replaced when it is converted as a whole. A file that would not change is not touched. An old FILESUFFIX is never written over: that FILE fails. A symlink
    /// stays, and the file that it leads to is replaced.
    #[arg(help_heading = FILES, long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "",
          conflicts_with = "output")]
    in_place: Option<OsString>,

    /// Take all files in the directories among the FILEs
    ///
    /// In the order of their names. Symlinks in them are not followed. With `--in-place=SUFFIX`, what an earlier run has kept is passed over.
    #[arg(help_heading = FILES, short, long)]
    recursive: bool,

    /// Write nothing, but say what would become of each FILE
    ///
    /// That goes to standard output. Exit status and errors are those of the run without it.
    #[arg(help_heading = FILES, long)]
    pub(super) check: bool,

    /// Begin no other file once one has failed
    #[arg(help_heading = FILES, long)]
    pub(super) fail_fast: bool,

    /// Show how far it is: auto, always or never [default: auto]
    ///
    /// `auto` is on a terminal, when it takes long.
    #[arg(help_heading = FILES, long, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true, value_parser = one_of(&[
        ("auto", Progress::Auto),
        ("always", Progress::Always),
        ("never", Progress::Never),
    ]))]
    pub(super) progress: Progress,
}

/// One input.
pub(super) struct Task {
    pub(super) path: OsString,
    /// Why it cannot be read, where that was found out on the way to it.
    pub(super) trouble: Option<String>,
    pub(super) target: Target,
}

impl Task {
    /// What it is called.
    pub(super) fn name(&self) -> Name {
        input::name(&self.path)
    }
}

/// Where an input is written.
#[derive(PartialEq, Eq)]
pub(super) enum Target {
    /// To the one output of all.
    Shared,
    /// To a file of its own.
    File(PathBuf),
    /// Over itself; the file that keeps what it had.
    InPlace { backup: Option<PathBuf> },
    /// Nowhere.
    Nowhere,
}

/// What is to be done.
pub(super) struct Plan {
    pub(super) tasks: Vec<Task>,
    /// All go to one output.
    pub(super) is_shared: bool,
    /// How many are converted at once.
    pub(super) workers: NonZeroUsize,
    /// How many threads convert parts of one.
    pub(super) parts: NonZeroUsize,
}

impl Plan {
    /// What the options ask for; what is wrong with them is said here.
    pub(super) fn new(args: &Convert) -> Result<Self, Status> {
        let many = &args.many;
        let operands = args.reading.files();
        check_usage(many, &operands)?;

        let mut walk = Walk::new(args);
        let mut found = Vec::new();
        for operand in operands {
            if many.recursive && operand != "-" && Path::new(&operand).is_dir() {
                let mut files = walk.files(&operand);
                walk.leave_backups(&mut files);
                found.append(&mut files);
            } else {
                let below = Path::new(&operand).file_name().map(PathBuf::from).unwrap_or_default();
                found.push(Found { path: operand, below, trouble: None });
            }
        }
        if !args.reading.quiet {
            walk.say();
        }
        let is_shared = many.output_dir.is_none() && many.in_place.is_none() && !(many.check && args.output.is_none());
        let target = |found: &Found| match (&many.output_dir, &many.in_place) {
            _ if is_shared => Target::Shared,
            (Some(dir), _) => Target::File(dir.join(&found.below)),
            (_, Some(suffix)) => {
                let backup = (!suffix.is_empty()).then(|| [&*found.path, suffix].into_iter().collect::<OsString>());
                Target::InPlace { backup: backup.map(PathBuf::from) }
            }
            (None, None) => Target::Nowhere,
        };
        let task = |found: Found| Task { target: target(&found), path: found.path, trouble: found.trouble };
        let tasks: Vec<Task> = found.into_iter().map(task).collect();
        collisions::refuse(&tasks, args.report.as_deref())?;

        let one = NonZeroUsize::MIN;
        let jobs = args.jobs.map(NonZeroUsize::from);
        let (workers, parts) = if is_shared {
            (one, jobs.unwrap_or(one))
        } else {
            let most = jobs.unwrap_or_else(|| thread::available_parallelism().unwrap_or(one));
            let workers = most.min(NonZeroUsize::new(tasks.len()).unwrap_or(one));
            // What nobody else needs goes into the parts, where it was asked for.
            (workers, jobs.and_then(|jobs| NonZeroUsize::new(jobs.get() / workers)).unwrap_or(one))
        };
        Ok(Plan { tasks, is_shared, workers, parts })
    }

    /// How many files there are to read, and how many bytes, where all are regular files.
    pub(super) fn total(&self) -> (usize, Option<u64>) {
        let len = |task: &Task| match input::metadata(&task.path) {
            Some(found) if !found.is_file() => None,
            found => Some(found.map_or(0, |found| found.len())),
        };
        (self.tasks.len(), self.tasks.iter().map(len).sum())
    }
}

/// Makes the directory that all is written to.
pub(super) fn make_dir(args: &Convert) -> Result<(), Status> {
    let Some(dir) = args.many.output_dir.as_ref().filter(|_| !args.many.check) else { return Ok(()) };
    fs::create_dir_all(dir).map_err(|error| {
        say(format_args!("{}: cannot make the directory: {error}", Name::of_path(dir.as_os_str())));
        Status::Io
    })
}

/// What makes no sense, in a sentence.
fn check_usage(many: &ManyArgs, operands: &[OsString]) -> Result<(), Status> {
    let reads_stdin = operands.iter().any(|operand| operand == "-");
    let wrong = if many.output_dir.is_some() && reads_stdin {
        "--output-dir: standard input has no name that a file could have (use -o)".to_owned()
    } else if many.in_place.is_some() && reads_stdin {
        "--in-place: name the files to replace; standard input is none".to_owned()
    } else if many.in_place.as_ref().is_some_and(|suffix| has_separator(suffix)) {
        "--in-place: what is kept stays in the same directory: a SUFFIX has no slash in it".to_owned()
    } else if many.recursive && !operands.iter().any(|operand| may_be_dir(operand)) {
        "--recursive: there is no directory among the operands".to_owned()
    } else if let Some(operand) = operands.iter().find(|operand| {
        let path = Path::new(operand);
        many.output_dir.is_some() && path.file_name().is_none() && !(many.recursive && path.is_dir())
    }) {
        format!("--output-dir: {} is no name that a file could have", input::name(operand))
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

/// An input, and its path in `--output-dir`.
struct Found {
    path: OsString,
    below: PathBuf,
    trouble: Option<String>,
}

/// The way through directories.
struct Walk<'a> {
    /// What the name of a backup has behind that of its file.
    suffix: Option<&'a OsStr>,
    /// Directories and files that are written to: what is in them comes of the inputs.
    own: Vec<PathBuf>,
    links: usize,
    special: usize,
}

impl<'a> Walk<'a> {
    fn new(args: &'a Convert) -> Self {
        let own = [&args.many.output_dir, &args.output, &args.report].into_iter().flatten();
        Walk {
            suffix: args.many.in_place.as_deref().filter(|suffix| !suffix.is_empty()),
            own: own.filter_map(|path| fs::canonicalize(path).ok()).collect(),
            links: 0,
            special: 0,
        }
    }

    /// The files in the directory `operand`.
    fn files(&mut self, operand: &OsStr) -> Vec<Found> {
        let mut all = Vec::new();
        let own = &self.own;
        let is_own = |entry: &DirEntry| {
            own.iter().any(|own| own.file_name() == Some(entry.file_name()))
                && fs::canonicalize(entry.path()).is_ok_and(|path| own.contains(&path))
        };
        let walk = WalkDir::new(operand).sort_by_file_name().into_iter();
        for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_own(entry)) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(Path::new(operand)).as_os_str().to_owned();
                    let trouble = error.io_error().map_or_else(|| error.to_string(), io::Error::to_string);
                    all.push(Found { path, below: PathBuf::new(), trouble: Some(trouble) });
                    continue;
                }
            };
            let kind = entry.file_type();
            if kind.is_symlink() {
                self.links += 1;
            } else if kind.is_file() {
                let below = entry.path().strip_prefix(operand).unwrap_or(entry.path()).to_owned();
                all.push(Found { path: entry.into_path().into(), below, trouble: None });
            } else if !kind.is_dir() {
                self.special += 1;
            }
        }
        all
    }

    /// Takes what an earlier run has kept from the files.
    fn leave_backups(&self, found: &mut Vec<Found>) {
        let Some(suffix) = self.suffix else { return };
        let backups: HashSet<OsString> =
            found.iter().map(|found| [&*found.path, suffix].into_iter().collect()).collect();
        found.retain(|found| !backups.contains(&found.path));
    }

    /// What was passed over.
    fn say(&self) {
        match self.links {
            0 => {}
            1 => say("1 symlink passed over (name it to have what it leads to)"),
            links => say(format_args!("{links} symlinks passed over (name them to have what they lead to)")),
        }
        match self.special {
            0 => {}
            1 => say("1 passed over that is no regular file"),
            special => say(format_args!("{special} passed over that are no regular files")),
        }
    }
}
