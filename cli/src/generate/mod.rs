//! `charpipe --generate`: man pages, and completions for shells, from the same definitions as the help.

mod completions;
mod man;

use crate::args;
use crate::args::generate::What;
use clap_complete::Shell;

/// Returns the page or the script.
pub(crate) fn text(what: What) -> String {
    match what {
        What::Man => man::page(&man::CHARPIPE),
        What::ManDetect => man::page(&man::DETECT),
        What::ManRows => man::page(&man::ROWS),
        What::ManList => man::page(&man::LIST),
        What::ManChart => man::page(&man::CHART),
        What::ManGitFilter => man::page(&man::GIT_FILTER),
        What::CompleteBash => completions::bash(),
        What::CompleteZsh => completions::zsh(),
        What::CompleteFish => completions::fish(),
        What::CompletePowershell => completions::of(Shell::PowerShell, args::shown()),
        What::CompleteElvish => completions::of(Shell::Elvish, args::shown()),
    }
}
