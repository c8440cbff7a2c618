//! The options about many files.

use crate::args::{FILES, one_of};
use crate::messages::progress::Progress;
use clap::Args;
use clap::builder::ValueHint;
use std::ffi::OsString;
use std::path::PathBuf;

/// Many files at once.
#[derive(Args)]
pub(crate) struct ManyArgs {
    /// Write each FILE to a file of its own in DIR
    ///
    /// DIR is made where it is missing. The file is called as the FILE is; with `-r`, what is in a directory goes by its path below that directory. Files that
    /// would be one, or would replace an input, are refused before anything is written.
    #[arg(help_heading = FILES, long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["output", "in_place"])]
    pub(crate) output_dir: Option<PathBuf>,

    /// Replace each FILE; SUFFIX: keep what it had as FILESUFFIX
    ///
    /// It is replaced when it is converted as a whole. A file that would not change is not touched. An old FILESUFFIX is never written over: that FILE fails. A symlink
    /// stays, and the file that it leads to is replaced.
    #[arg(help_heading = FILES, long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "",
          conflicts_with = "output")]
    pub(crate) in_place: Option<OsString>,

    /// Take all files in the directories among the FILEs
    ///
    /// In the order of their names. Symlinks in them are not followed. With `--in-place=SUFFIX`, what an earlier run has kept is passed over.
    #[arg(help_heading = FILES, short, long)]
    pub(crate) recursive: bool,

    /// Write nothing, but say what would become of each FILE
    ///
    /// That goes to standard output. Exit status and errors are those of the run without it.
    #[arg(help_heading = FILES, long)]
    pub(crate) check: bool,

    /// Begin no other file once one has failed
    #[arg(help_heading = FILES, long)]
    pub(crate) fail_fast: bool,

    /// Show how far it is: auto, always or never [default: auto]
    ///
    /// `auto` is on a terminal, when it takes long.
    #[arg(help_heading = FILES, long, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true, value_parser = one_of(&[
        ("auto", Progress::Auto),
        ("always", Progress::Always),
        ("never", Progress::Never),
    ]))]
    pub(crate) progress: Progress,
}
