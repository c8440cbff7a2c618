//! The command `charpipe`: a thin shell over [`Transcode`](charpipe::Transcode) and [`Detector`](charpipe::Detector).
//!
//! Data goes to standard output, messages go to standard error. The exit status is the highest [`Status`] of any file.
//!
//! Each part uses only parts below it in this table; `.ci/run layout` checks that.
//!
//! | part | job |
//! |---|---|
//! | `main.rs` | parses the command line, runs the command, returns its status |
//! | `convert/`, `detect/`, `rows/`, `list.rs`, `chart/`, `git_filter/`, `generate/` | the commands, which do not use each other |
//! | `name_list.rs` | reads a list of the names of inputs |
//! | `args/` | the options, and what they tell the library |
//! | `ending.rs` | how the work on an input ended, if not as it should |
//! | `print.rs` | opens outputs, writes whole texts and reports, and says what failed |
//! | `panics.rs` | makes a panic the error of one file |
//! | `messages/` | messages on standard error, colour, progress, JSON, HTML |
//! | `files/` | inputs, outputs, directories: all that differs between systems; the rules are those of `charpipe::files` |
//! | `escape.rs`, `status.rs` | text made safe to print; the exit status |
//!
//! `start.rs` is where Linux starts the program; elsewhere it has what runs before `main`.

#![cfg_attr(all(target_os = "linux", not(test)), no_main)]

mod args;
mod chart;
mod convert;
mod detect;
mod ending;
mod escape;
mod files;
#[cfg(feature = "generate")]
mod generate;
mod git_filter;
mod list;
mod messages;
mod name_list;
#[cfg(test)]
mod panic_tests;
mod panics;
mod print;
mod rows;
mod selection;
#[cfg(unix)]
mod start;
mod status;

use args::{Cli, Command, Convert, List};
use charpipe::files::signals;
use files::name::Name;
use messages::{color, say};
use status::Status;
use std::ffi::OsString;

#[cfg(not(all(target_os = "linux", not(test))))]
fn main() -> std::process::ExitCode {
    // A program in WASI begins in the root directory. Its host tells the working directory.
    #[cfg(target_os = "wasi")]
    if let Some(directory) = std::env::var_os("PWD") {
        _ = std::env::set_current_dir(directory);
    }
    panics::run(|| run(args_os())).into()
}

/// Returns the arguments. On Windows no shell expands `*.txt`, so the program does.
#[cfg(windows)]
fn args_os() -> impl Iterator<Item = OsString> {
    wild::args_os()
}

#[cfg(not(any(windows, all(target_os = "linux", not(test)))))]
fn args_os() -> impl Iterator<Item = OsString> {
    std::env::args_os()
}

fn run(args: impl IntoIterator<Item = OsString>) -> Status {
    match args::parse(args) {
        Ok(Cli { mut command }) => match command.take_list(name_list::read) {
            Ok(()) => run_command(&command),
            Err(status) => status,
        },
        Err(wrong) if wrong.error.use_stderr() => {
            args::usage::say_error(&wrong);
            Status::Usage
        }
        Err(help_or_version) => print_help(&help_or_version.error),
    }
}

fn run_command(command: &Command) -> Status {
    if signals::is_first_process() {
        signals::watch();
    }
    command.color().apply();
    if command.waits_at_terminal() {
        say("reading from the terminal; end the input with Ctrl-D, or see charpipe -h");
    }
    match command {
        Command::Convert(convert) => apart(run_convert, convert),
        Command::Detect(detect) => apart(detect::run, detect),
        Command::Rows(rows) => apart(rows::run, rows),
        Command::List(list) => apart(list::run, list),
        Command::Chart(chart) => apart(chart::run, chart),
        Command::GitFilter(filter) => apart(git_filter::run, filter),
    }
}

/// Runs a command in a separate function. Otherwise all commands would be put into one, with the stack that they need
/// together, and each of its pages that is touched costs as much as a system call.
#[inline(never)]
fn apart<T>(command: impl FnOnce(&T) -> Status, args: &T) -> Status {
    command(args)
}

/// Converts, or prints what an option asks for instead.
fn run_convert(convert: &Convert) -> Status {
    #[cfg(feature = "generate")]
    if let Some(what) = convert.generate {
        return print::to_stdout(&generate::text(what));
    }
    if convert.list { list::run(&List::default()) } else { convert::run(convert) }
}

/// Prints the help or the version, which the user has asked for.
fn print_help(text: &clap::Error) -> Status {
    if color::on_stdout() {
        print::finish(&Name::stdout(), text.print())
    } else {
        print::to_stdout(&text.render().to_string())
    }
}
