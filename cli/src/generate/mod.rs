//! `charpipe --generate`: man pages, the reference of the manual, and completions for shells, from the same definitions as
//! the help.

mod completions;
mod man;
mod pages;
mod reference;

use crate::args;
use crate::args::generate::What;
use clap_complete::Shell;

/// Returns the page or the script.
pub(crate) fn text(what: What) -> String {
    match what {
        What::Man => man::page(&pages::CHARPIPE),
        What::ManDetect => man::page(&pages::DETECT),
        What::ManRows => man::page(&pages::ROWS),
        What::ManList => man::page(&pages::LIST),
        What::ManChart => man::page(&pages::CHART),
        What::ManGitFilter => man::page(&pages::GIT_FILTER),
        What::Reference => reference::text(),
        What::CompleteBash => completions::bash(),
        What::CompleteZsh => completions::zsh(),
        What::CompleteFish => completions::fish(),
        What::CompletePowershell => completions::of(Shell::PowerShell, args::shown()),
        What::CompleteElvish => completions::of(Shell::Elvish, args::shown()),
    }
}
