//! The command `charpipe`: a thin shell on [`Transcode`](charpipe::Transcode) and [`Detector`](charpipe::Detector).
//!
//! | folder | what |
//! |---|---|
//! | `args/` | the options |
//! | `convert/`, `detect/`, `list.rs`, `chart/` | the commands |
//! | `files/` | what is read and written |
//! | `messages/` | what goes to standard error, JSON, HTML, colour, progress |
//! | `status.rs`, `panics.rs`, `start.rs` | exit statuses; a panic as the error of one file; what runs before `main` |
//!
//! Data goes to standard output, words to standard error. The exit status is the highest `Status` that any file had.

mod args;
mod chart;
mod convert;
mod detect;
mod files;
mod list;
mod messages;
mod panics;
#[cfg(unix)]
mod start;
mod status;

#[cfg(feature = "generate")]
use args::Convert;
use args::{Cli, Command};
use files::output;
use messages::{color, say};
use status::Status;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    panics::run(|| run(std::env::args_os())).into()
}

fn run(args: impl IntoIterator<Item = OsString>) -> Status {
    match args::parse(args) {
        Ok(Cli { command }) => {
            command.color().apply();
            if command.waits_at_terminal() {
                say("reading from the terminal; end the input with Ctrl-D, or see charpipe -h");
            }
            match command {
                #[cfg(feature = "generate")]
                Command::Convert(Convert { generate: Some(what), .. }) => output::print(&args::generate::text(what)),
                Command::Convert(convert) => convert::run(&convert),
                Command::Detect(detect) => detect::run(&detect),
                Command::List(list) => list::run(&list),
                Command::Chart(chart) => chart::run(&chart),
            }
        }
        Err(error) if error.use_stderr() => {
            args::usage::say_error(&error);
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
