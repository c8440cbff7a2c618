//! `--color`, which every command has.

use crate::args::headings::MESSAGES;
use anstream::ColorChoice;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ColorArgs {
    /// Colour in output and messages
    ///
    /// `auto` uses colour on a terminal. It obeys the environment variables `NO_COLOR`, `CLICOLOR_FORCE` and `TERM`.
    #[arg(hide_short_help = true, long, value_name = "WHEN", default_value = "auto", help_heading = MESSAGES,
          value_parser = PossibleValuesParser::new(["auto", "always", "never"]).map(choice))]
    color: ColorChoice,
}

fn choice(word: String) -> ColorChoice {
    match &*word {
        "always" => ColorChoice::Always,
        "never" => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

impl ColorArgs {
    /// Makes the option the choice for all output from now on.
    pub(crate) fn apply(self) {
        self.color.write_global();
    }
}
