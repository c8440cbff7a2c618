//! The options of `charpipe detect`.

use crate::args::headings::FILES;
use crate::args::messages::MessageArgs;
use crate::args::named::NamedOptions;
use crate::args::plain::Plain;
use crate::args::reading::Reading;
use crate::args::records::tape_file;
use crate::selection::Selection;
use charpipe::records::TapeFile;
use clap::Args;

/// Report the encoding of files, and the evidence for it
///
/// Print one line for each file: the encoding, the kind of document, and the evidence. charpipe checks whether the
/// first 64 KiB of a file are valid in that encoding. For several FILEs, and with `-r`, hints are printed only with
/// `-v`. If nothing names the encoding and these bytes are not UTF-8, the line is `unknown` and a hint at what the file
/// may be, and the exit status is 1.
#[derive(Args, Default, Debug)]
#[command(args_override_self = true, override_usage = "charpipe detect [OPTIONS] [FILE]...")]
pub(crate) struct Detect {
    #[command(flatten)]
    pub(crate) named: NamedOptions,

    /// Print a line of JSON for each file
    #[arg(long)]
    pub(crate) json: bool,

    /// Print only the name of the encoding, one line for each file
    ///
    /// If the encoding is not known or the file cannot be read, the line is `unknown` and the exit status is not 0.
    #[arg(short, long, conflicts_with_all = ["json", "explain", "record_shapes"])]
    pub(crate) brief: bool,

    /// Report all files in the directories among the FILEs
    ///
    /// Files are reported in the order of their names. charpipe skips hidden files (unless `--hidden` is given) and
    /// version control directories: .git, .hg, .svn, .jj and CVS. A FILE is reported regardless of its name. Symlinks
    /// inside the directories are not followed.
    #[arg(short, long, help_heading = FILES)]
    pub(crate) recursive: bool,

    #[command(flatten)]
    pub(crate) selection: Selection,

    /// Check the whole file against the encoding, not only its first 64 KiB
    ///
    /// Files are checked only under the default policy.
    #[arg(long, conflicts_with = "record_shapes")]
    pub(crate) whole: bool,

    /// Show the first bytes, how they were recognised, and the verdict of each policy
    ///
    /// With `--json`, the object has the verdict of each policy under `policies`.
    #[arg(long)]
    pub(crate) explain: bool,

    /// With --explain: print an HTML page for a browser
    #[arg(long, requires = "explain", conflicts_with = "json")]
    pub(crate) html: bool,

    /// Report the record format of mainframe files instead of their encoding
    ///
    /// The format is a value for `convert --records`. Each format is tried on the first MiB. The first line names the
    /// one that fits. The lines below say how far other formats fit and where they fail; `-v` shows all formats. The
    /// exit status is 1 if no format fits, or more than one.
    // Another option than that of the library, so not its name.
    #[arg(id = "record_shapes", long = "records", conflicts_with = "explain")]
    pub(crate) records: bool,

    /// With --records: the file of a tape image to look at, by number (from 1) or data set name
    #[arg(long, requires = "record_shapes", value_name = "N|NAME", value_parser = tape_file)]
    pub(crate) tape_file: Option<TapeFile>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

impl Detect {
    /// The options of the plain form.
    pub(super) const PLAIN: [&str; 5] = ["--from", "--recursive", "--quiet", "--brief", "--json"];

    /// Returns the defaults, with these values; `None` if clap has to say what is wrong with them.
    pub(super) fn plain(plain: Plain) -> Option<Self> {
        if plain.brief && plain.json {
            return None;
        }
        Some(Detect {
            named: plain.named(),
            json: plain.json,
            brief: plain.brief,
            recursive: plain.recursive,
            reading: Reading::plain(plain.from, plain.files),
            messages: MessageArgs { quiet: plain.quiet, ..MessageArgs::default() },
            ..Detect::default()
        })
    }
}
