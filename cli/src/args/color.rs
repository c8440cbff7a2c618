//! `--color`, which every command has.

use crate::args::{WORDS, one_of};
use anstream::ColorChoice;
use clap::Args;

/// The option, for each command that writes words.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct ColorArgs {
    /// Colour in words: auto, always or never [default: auto]
    ///
    /// `auto` is on a terminal. `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` in the environment are heard.
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true,
          help_heading = WORDS, value_parser = one_of(&[
        ("auto", ColorChoice::Auto),
        ("always", ColorChoice::Always),
        ("never", ColorChoice::Never),
    ]))]
    color: ColorChoice,
}

impl ColorArgs {
    /// Makes the option the choice for all output from now on.
    pub(crate) fn apply(self) {
        self.color.write_global();
    }
}
