//! The value of `--generate`; `cli/src/generate/` makes the pages and scripts.

use clap::ValueEnum;

/// The value of `--generate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum What {
    /// charpipe.1: the options of `convert`, and the commands
    Man,
    /// charpipe-detect.1
    ManDetect,
    /// charpipe-rows.1
    ManRows,
    /// charpipe-list.1
    ManList,
    /// charpipe-chart.1
    ManChart,
    /// charpipe-git-filter.1
    ManGitFilter,
    /// The options of all commands in Markdown
    Reference,
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
