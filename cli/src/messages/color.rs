//! Colour: whether a stream gets any, and which the words for people are in.
//!
//! A stream gets colour where `--color` says so; with `auto` where it is a terminal, and as `NO_COLOR`, `CLICOLOR_FORCE`
//! and `TERM` have it.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};
use std::fmt::{self, Display};
use std::io;

/// What is wrong: the words of an error, the bytes that are to blame.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
/// What is suspicious.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
/// What to try next.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();
/// Who speaks; what a row is called.
pub(crate) const NAME: Style = Style::new().bold();
/// What is there to be passed over: offsets, rulers.
pub(crate) const DIM: Style = Style::new().dimmed();
/// All else.
pub(crate) const PLAIN: Style = Style::new();

/// Whether standard output gets colour.
pub(crate) fn on_stdout() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Whether standard error gets colour.
pub(crate) fn on_stderr() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// A text in `style`, where `colored`. What is in the text must be [harmless](crate::messages::harmless) already: nothing
/// can tell these escape sequences from others afterwards.
pub(crate) fn paint<T: Display>(colored: bool, style: Style, text: T) -> Painted<T> {
    Painted { style: if colored { style } else { PLAIN }, text }
}

/// What [`paint`] makes.
pub(crate) struct Painted<T> {
    style: Style,
    text: T,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Painted { style, text } = self;
        write!(f, "{style}")?;
        // Width and precision, where there are any, are the text's.
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
