//! `charpipe --generate`: completions for shells and man pages, from the same definitions as the help.

use super::Status;
use super::args;
use super::output;
use clap::ValueEnum;
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::io;

/// The value of `--generate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum What {
    /// charpipe.1: the options of `convert`, and the commands
    Man,
    /// charpipe-detect.1
    ManDetect,
    /// charpipe-list.1
    ManList,
    /// charpipe-chart.1
    ManChart,
    /// For bash
    CompleteBash,
    /// For zsh
    CompleteZsh,
    /// For fish
    CompleteFish,
    /// For PowerShell
    CompletePowershell,
    /// For elvish
    CompleteElvish,
}

/// Prints it.
pub(super) fn run(what: What) -> Status {
    let text = match what {
        What::Man => man(None),
        What::ManDetect => man(Some("detect")),
        What::ManList => man(Some("list")),
        What::ManChart => man(Some("chart")),
        What::CompleteBash => completions(Shell::Bash),
        What::CompleteZsh => completions(Shell::Zsh),
        What::CompleteFish => completions(Shell::Fish),
        What::CompletePowershell => completions(Shell::PowerShell),
        What::CompleteElvish => completions(Shell::Elvish),
    };
    output::print(&text)
}

fn completions(shell: Shell) -> String {
    let mut text = Vec::new();
    generate(shell, &mut args::shown(), "charpipe", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The page of the whole, or of one command.
fn man(command: Option<&str>) -> String {
    let mut whole = args::shown();
    whole.build();
    let page = match command {
        None => whole,
        Some(name) => {
            let Some(found) = whole.find_subcommand(name).cloned() else { return String::new() };
            found.display_name(format!("charpipe-{name}"))
        }
    };
    let mut text = Vec::new();
    let rendered: io::Result<()> = Man::new(page).render(&mut text);
    // Writing to memory does not fail.
    debug_assert!(rendered.is_ok());
    String::from_utf8_lossy(&text).into_owned()
}
