//! The options of `convert` for many files.

use crate::args::headings::FILES;
use crate::selection::Selection;
use clap::Args;
use clap::builder::ValueHint;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args, Debug, Default)]
pub(crate) struct ManyArgs {
    /// Write each FILE to a file of the same name in DIR
    ///
    /// DIR is created if it does not exist. With `-r`, files keep their path below the directory that was given. charpipe
    /// refuses, before writing anything, if two inputs map to one output, or if an output is also an input.
    #[arg(help_heading = FILES, long, value_name = "DIR", value_hint = ValueHint::DirPath,
          conflicts_with_all = ["output", "in_place"])]
    pub(crate) output_dir: Option<PathBuf>,

    /// With --output-dir: append SUFFIX to the name of each output
    #[arg(hide_short_help = true, help_heading = FILES, long, value_name = "SUFFIX", requires = "output_dir")]
    pub(crate) output_suffix: Option<OsString>,

    /// With --output-dir: skip each FILE whose output exists
    #[arg(hide_short_help = true, help_heading = FILES, long, requires = "output_dir")]
    pub(crate) skip_existing: bool,

    /// Convert the inputs that are listed in PATH, one JSON object per line
    ///
    /// The keys are `input` and, optionally, `output`, `from`, `to` and `content_type`, which override the options for that
    /// input: `{"input": "a.html", "content_type": "text/html; charset=big5", "output": "a.txt"}`. Messages and `--report`
    /// lines come in the order of the list; `-` is standard input.
    #[arg(hide_short_help = true, help_heading = FILES, long, value_name = "PATH", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["files", "files0_from", "recursive", "in_place"])]
    pub(crate) inputs: Option<PathBuf>,

    /// Replace each FILE; with SUFFIX, keep the old content as FILESUFFIX
    ///
    /// A FILE is replaced only once it has been converted completely, and is not touched if it would not change. A FILE
    /// whose FILESUFFIX exists is left unchanged (exit status 1), so that you can repeat a run; see --force. If FILE is
    /// a symlink, the file that it leads to is replaced.
    #[arg(help_heading = FILES, long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true,
          default_missing_value = "", conflicts_with = "output")]
    pub(crate) in_place: Option<OsString>,

    /// With --in-place=SUFFIX: replace FILESUFFIX if it exists
    ///
    /// Without this option, a FILE whose FILESUFFIX exists is left unchanged (`backup-exists`, exit status 1).
    #[arg(hide_short_help = true, help_heading = FILES, long, requires = "in_place")]
    pub(crate) force: bool,

    /// Convert all files in the directories among the FILEs
    ///
    /// Files are converted in the order of their names. charpipe skips binary files, hidden files (unless `--hidden` is
    /// given) and version control directories: .git, .hg, .svn, .jj and CVS. A FILE is converted regardless of its name.
    /// Symlinks inside the directories are not followed. With `--in-place=SUFFIX`, the backups of an earlier run are
    /// skipped.
    #[arg(help_heading = FILES, short, long)]
    pub(crate) recursive: bool,

    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Write nothing; report what would happen to each FILE
    ///
    /// The report goes to standard output. Errors and the exit status are the same as in a real run.
    #[arg(help_heading = FILES, long)]
    pub(crate) check: bool,

    /// Stop at the first file that fails
    #[arg(hide_short_help = true, help_heading = FILES, long)]
    pub(crate) fail_fast: bool,
}
