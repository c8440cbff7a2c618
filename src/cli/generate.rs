//! `charpipe --generate`: completions for shells and man pages, from the same definitions as the help.

use super::Status;
use super::args;
use super::output;
use clap::ValueEnum;
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
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
    // The page of `convert` is that of the whole, and `help` has none.
    let mut whole = args::shown()
        .disable_help_subcommand(true)
        .mut_subcommand("convert", |convert| convert.hide(true))
        .subcommand_help_heading("COMMANDS");
    whole.build();
    let mut page = match command {
        None => whole,
        Some(name) => {
            let Some(found) = whole.find_subcommand(name).cloned() else { return String::new() };
            found.display_name(format!("charpipe-{name}"))
        }
    };
    let usage = page.render_usage().to_string();
    let below = page.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let has_commands = page.has_subcommands();
    let man = Man::new(page);
    let mut text = Vec::new();
    let rendered = sections(&man, &mut text, &usage, &below, has_commands);
    // Writing to memory does not fail.
    debug_assert!(rendered.is_ok());
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes the page. `Man::render` would name every option in the synopsis, and fill the lines of the examples.
fn sections(man: &Man, text: &mut Vec<u8>, usage: &str, below: &str, has_commands: bool) -> io::Result<()> {
    man.render_title(text)?;
    man.render_name_section(text)?;
    as_it_is(text, "SYNOPSIS", usage.trim_start_matches("Usage:").lines())?;
    man.render_description_section(text)?;
    man.render_options_section(text)?;
    if has_commands {
        man.render_subcommands_section(text)?;
    }
    // A paragraph with its title and a colon in front.
    for paragraph in below.split("\n\n") {
        if let Some((title, lines)) = paragraph.split_once(":\n") {
            as_it_is(text, &title.to_uppercase(), lines.lines())?;
        }
    }
    Ok(())
}

/// A section whose lines stay lines.
fn as_it_is<'a>(text: &mut Vec<u8>, title: &str, lines: impl Iterator<Item = &'a str>) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]).control("nf", []);
    for line in lines {
        roff.text([roman(line.trim())]);
    }
    roff.control("fi", []).to_writer(text)
}
