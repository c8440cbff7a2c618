//! How much `convert` and `detect` print on standard error.

use crate::args::color::ColorArgs;
use crate::args::headings::MESSAGES;
use clap::Args;

#[derive(Args, Debug, Default)]
pub(crate) struct MessageArgs {
    /// Print nothing but errors
    #[arg(short, long, visible_short_alias = 's', alias = "silent", overrides_with = "verbose", help_heading = MESSAGES)]
    pub(crate) quiet: bool,

    /// Print more: what was detected and what was done
    ///
    /// On a terminal, also print the bytes around an error.
    #[arg(short, long, overrides_with = "quiet", help_heading = MESSAGES)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}
