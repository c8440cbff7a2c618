//! The inputs of `convert`, `detect` and `rows`: the FILEs of the command line, or those of a list.

use crate::args::headings::FILES;
use crate::status::Status;
use clap::Args;
use clap::builder::ValueHint;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

#[derive(Args, Default, Debug)]
pub(crate) struct Operands {
    /// Read the names of the FILEs from PATH, separated by NUL
    ///
    /// `find -print0`, `git ls-files -z` and `fd -0` write such lists, which can contain any name. `-` is standard input. If the
    /// list is empty, nothing is read.
    #[arg(hide_short_help = true, help_heading = FILES, long, value_name = "PATH", value_hint = ValueHint::FilePath,
          conflicts_with = "files")]
    pub(crate) files0_from: Option<PathBuf>,

    /// Files to read; standard input if there is none, or for `-`
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
}

impl Operands {
    /// Returns the defaults, with these FILEs.
    pub(super) fn plain(files: Vec<OsString>) -> Self {
        Operands { files, files0_from: None }
    }

    /// Sets the FILEs to those of the list, if there is one, as `read` reads it. Returns the status if it is wrong, or empty:
    /// then nothing is left to do.
    pub(super) fn take_list(&mut self, read: impl Fn(&Path) -> Result<Vec<OsString>, Status>) -> Result<(), Status> {
        let Some(path) = &self.files0_from else { return Ok(()) };
        self.files = read(path)?;
        if self.files.is_empty() { Err(Status::Done) } else { Ok(()) }
    }

    /// Returns the inputs in order; `-` alone if no FILE was given.
    pub(crate) fn files(&self) -> Vec<OsString> {
        if self.files.is_empty() { vec!["-".into()] } else { self.files.clone() }
    }

    /// Whether FILEs were given.
    pub(crate) fn is_given(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether no FILE was given and standard input is a terminal, which may be an oversight.
    pub(super) fn is_from_terminal(&self) -> bool {
        self.files0_from.is_none() && self.files.is_empty() && io::stdin().is_terminal() && io::stderr().is_terminal()
    }
}
