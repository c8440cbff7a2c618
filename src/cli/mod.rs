//! The command `charpipe`: a thin shell on [`Transcode`](crate::Transcode) and [`Detector`](crate::Detector).
//!
//! | file | what |
//! |---|---|
//! | `args.rs` | the options |
//! | `convert.rs`, `detect.rs`, `list.rs`, `chart/` | the commands |
//! | `explain/`, `shapes.rs` | `detect --explain`, `detect --records` |
//! | `outcome.rs`, `summary.rs` | what became of an input, and of all |
//! | `plan.rs`, `collisions.rs`, `many.rs` | many files: which, what must not be, side by side |
//! | `records.rs` | the options about records |
//! | `generate.rs` | `--generate`: completions and man pages |
//! | `habits.rs` | what users of other converters type |
//! | `hexdump.rs` | the bytes around an error |
//! | `input.rs`, `output.rs` | files, standard streams, `-o` |
//! | `beside.rs`, `attributes.rs` | the file that `-o` writes, until it is whole, and what it takes over from the old one |
//! | `folder.rs`, `place.rs`, `walk.rs` | directories that are held open, names in them, the way through them |
//! | `signals.rs` | holds signals back while a file takes the place of another |
//! | `in_place.rs` | the same where it is the input |
//! | `progress.rs` | how far it is |
//! | `streams.rs` | closed streams, one file twice, waiting |
//! | `panics.rs` | a panic, as the error of one file |
//! | `page.rs` | what pages of HTML and pictures have in common |
//! | `color.rs` | whether words are in colour, and in which |
//! | `words.rs` | what goes to standard error, and names fit to be shown |
//! | `json.rs` | the objects of `detect --json`, `list --json` and `--report` |
//!
//! Data goes to standard output, words to standard error. The exit status is the highest `Status` that any file had.

mod args;
mod attributes;
mod beside;
mod chart;
mod collisions;
mod color;
mod convert;
mod detect;
mod explain;
#[cfg(unix)]
mod folder;
#[cfg(not(unix))]
#[path = "folder_elsewhere.rs"]
mod folder;
#[cfg(feature = "generate")]
mod generate;
mod habits;
mod hexdump;
mod in_place;
mod input;
mod json;
mod list;
mod many;
mod outcome;
mod output;
mod page;
mod panics;
mod place;
mod plan;
mod progress;
mod records;
mod shapes;
mod signals;
mod streams;
mod summary;
mod walk;
mod words;

use crate::error::{Error, ErrorKind};
#[cfg(feature = "generate")]
use args::Convert;
use args::{Cli, Command};
use std::ffi::OsString;
use std::process::ExitCode;
use words::say;

/// How a file, and the run, came out. The order is that of the exit statuses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Status {
    Done = 0,
    /// The data could not be converted under the policies given.
    Data = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Opening, reading or writing failed.
    Io = 3,
}

impl Status {
    /// The status of a run that `error` ended.
    fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Read { .. } | ErrorKind::Write { .. } => Status::Io,
            _ => Status::Data,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status as u8)
    }
}

/// Finds out which standard streams are open. To be called before Rust's runtime starts: a program that does not call it
/// takes a closed stream for `/dev/null`, and so loses what is written there.
#[cfg(unix)]
pub fn before_main() {
    streams::look();
}

/// Runs the command on the arguments of the process.
pub fn main() -> ExitCode {
    panics::run(|| run(std::env::args_os())).into()
}

fn run(args: impl IntoIterator<Item = OsString>) -> Status {
    match args::parse(args) {
        Ok(Cli { command }) => {
            command.color().heed();
            if command.reading().is_some_and(args::Reading::is_from_terminal) {
                say("reads from the terminal; Ctrl-D ends it, and charpipe -h helps");
            }
            match command {
                #[cfg(feature = "generate")]
                Command::Convert(Convert { generate: Some(what), .. }) => generate::run(what),
                Command::Convert(convert) => convert::run(&convert),
                Command::Detect(detect) => detect::run(&detect),
                Command::List(list) => list::run(&list),
                Command::Chart(chart) => chart::run(&chart),
            }
        }
        Err(error) if error.use_stderr() => {
            words::say_usage(&error);
            Status::Usage
        }
        // Help and version, which were asked for.
        Err(text) if !color::on_stdout() => output::print(&text.render().to_string()),
        Err(text) => match text.print() {
            Err(error) => {
                say(format_args!("{}: cannot write: {error}", output::STDOUT));
                Status::Io
            }
            Ok(()) => Status::Done,
        },
    }
}
