//! `--color`, which every command has.

use crate::args::choice::When;
use crate::args::headings::MESSAGES;
use anstream::ColorChoice;
use clap::Args;
use clap::builder::{EnumValueParser, TypedValueParser};

#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ColorArgs {
    /// Colour in output and messages
    ///
    /// `auto` uses colour on a terminal. It obeys the environment variables `NO_COLOR`, `CLICOLOR_FORCE` and `TERM`.
    #[arg(hide_short_help = true, long, value_name = "WHEN", default_value = "auto", help_heading = MESSAGES,
          value_parser = EnumValueParser::<When>::new().map(choice))]
    color: ColorChoice,
}

fn choice(when: When) -> ColorChoice {
    match when {
        When::Auto => ColorChoice::Auto,
        When::Always => ColorChoice::Always,
        When::Never => ColorChoice::Never,
    }
}

impl ColorArgs {
    /// Makes the option the choice for all output from now on.
    pub(crate) fn apply(self) {
        self.color.write_global();
    }
}
