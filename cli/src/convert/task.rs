//! One input of a run, and where it is written.

use crate::files::file_path::{Below, FilePath};
use crate::files::name::Name;
use crate::files::walk::Root;
use charpipe::Transcode;
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
    /// To a file of its own: its path, and the part of it below `--output-dir`. `is_link`: the path was a symlink when
    /// the run began, and is followed; a symlink that appears later is not.
    File { path: FilePath, below: Below, is_link: bool },
    /// To a file of its own that the list of inputs names. `is_link` as above.
    Listed { path: FilePath, is_link: bool },
    /// To the input itself. `backup` is the file that keeps the old content.
    InPlace { backup: Option<FilePath> },
    /// Nowhere: this is a check.
    Nowhere,
}
