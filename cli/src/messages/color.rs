//! Colour: which styles messages use, and whether a stream gets any.
//!
//! A stream gets colour if `--color` says so. With `auto` it gets colour if it is a terminal; the environment variables
//! `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` are honoured.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};
use std::fmt::{self, Display};
use std::io;

/// Errors: the message, and the bytes that caused it.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
/// Warnings.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
/// Hints at what to try next.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();
/// The name of the program, and headings of rows.
pub(crate) const NAME: Style = Style::new().bold();
/// Text of less importance: offsets, headings of columns.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Everything else.
pub(crate) const PLAIN: Style = Style::new();

/// Returns whether standard output gets colour.
pub(crate) fn on_stdout() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Returns whether standard error gets colour.
pub(crate) fn on_stderr() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Returns a text in `style` if `colored`. The text must be [harmless](crate::escape::harmless) already: afterwards, these
/// escape sequences cannot be told from others.
pub(crate) fn paint<T: Display>(colored: bool, style: Style, text: T) -> Styled<T> {
    Styled { style: if colored { style } else { PLAIN }, text }
}

/// A text with a style, from [`paint`].
pub(crate) struct Styled<T> {
    style: Style,
    text: T,
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Styled { style, text } = self;
        write!(f, "{style}")?;
        // The text gets the width and the precision, if there are any.
        text.fmt(f)?;
        write!(f, "{style:#}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_colored_is_the_text_alone() {
        assert_eq!(format!("{:>3}|{}", paint(false, ERROR, "a"), paint(true, PLAIN, "b")), "  a|b");
        assert_eq!(format!("{:>3}", paint(true, HINT, "a")), "\u{1B}[36m  a\u{1B}[0m");
    }
}
