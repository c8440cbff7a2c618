//! One input of a run, and where it is written.

use crate::files::file_path::{Below, FilePath};
use crate::files::name::Name;
use crate::files::walk::Root;
use charpipe::Transcode;
use std::path::Path;
use std::sync::Arc;

/// One input.
pub(crate) struct Task {
    pub(crate) path: FilePath,
    /// The directory in which the file was found, and its path below that; `None` for a file that the user named.
    pub(crate) found: Option<(Arc<Root>, Below)>,
    /// Why the file cannot be read, if that became known when it was found.
    pub(crate) trouble: Option<String>,
    pub(crate) target: Target,
    /// The conversion, if it is another one than for the other inputs.
    pub(crate) transcode: Option<Box<Transcode>>,
}

impl Task {
    /// Returns the name of the input in messages.
    pub(crate) fn name(&self) -> Name {
        match &self.path {
            FilePath::Text(path) => Name::of_operand(path),
            path => path.name(),
        }
    }
}

/// Where an input is written.
pub(crate) enum Target {
    /// To the one output of all inputs.
    Shared,
    /// To a separate file: its path, and the part of it below `--output-dir`.
    File { path: FilePath, below: Below, there: There },
    /// To a separate file that the list of inputs names.
    Listed { path: FilePath, there: There },
    /// To the input itself. `backup` is the file that keeps the old content.
    InPlace { backup: Option<FilePath> },
    /// Nowhere: this is a check.
    Nowhere,
}

/// The file at the path of an output when the run began.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum There {
    /// Nothing, as far as this user can see.
    Nothing,
    /// Nothing, as far as this user can see: the directory of the outputs was not there.
    NoDirectory,
    /// A symlink, which is followed; one that appears later is not.
    Link,
    Other,
}

impl There {
    pub(crate) fn is_nothing(self) -> bool {
        matches!(self, There::Nothing | There::NoDirectory)
    }

    pub(crate) fn at(path: &Path) -> Self {
        match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => There::Link,
            Ok(_) => There::Other,
            Err(_) => There::Nothing,
        }
    }
}
