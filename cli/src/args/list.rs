//! The options of `charpipe list`.

use crate::args::color::ColorArgs;
use crate::args::tables::Tables;
use clap::Args;

/// List encodings with their aliases and the source of their tables
///
/// Print a line for each encoding: its name, whether charpipe can read and write it, and the source of its table or
/// rules. The lines below it show its aliases. The exit status is 1 if nothing matches PATTERN.
#[derive(Args, Default)]
#[command(args_override_self = true, override_usage = "charpipe list [OPTIONS] [PATTERN]")]
pub(crate) struct List {
    /// Substring of a name or alias (case-insensitive), or a glob with `*` or `?`
    ///
    /// Any label that `--from` accepts works too: `037` lists IBM037.
    #[arg(value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,

    /// Print a line of JSON for each encoding
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) tables: Tables,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}
