//! `charpipe --generate`: completions for shells and man pages, from the same definitions as the help.

use crate::args;
use clap::{Command, ValueEnum};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::fmt::Write as _;
use std::io;

/// The value of `--generate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum What {
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

/// Returns the page or the script.
pub(crate) fn text(what: What) -> String {
    match what {
        What::Man => man(None),
        What::ManDetect => man(Some("detect")),
        What::ManList => man(Some("list")),
        What::ManChart => man(Some("chart")),
        What::CompleteBash => bash(),
        What::CompleteZsh => zsh(),
        What::CompleteFish => fish(),
        What::CompletePowershell => completions(Shell::PowerShell, args::shown()),
        What::CompleteElvish => completions(Shell::Elvish, args::shown()),
    }
}

fn completions(shell: Shell, mut command: Command) -> String {
    let mut text = Vec::new();
    generate(shell, &mut command, "charpipe", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The options that take a label.
const LABELLED: [&str; 4] = ["from", "to", "fallback", "ebcdic-fallback"];

/// Prints the names of the encodings; a line of `charpipe list` that begins with a blank has aliases.
const NAMES: &str = "charpipe list 2>/dev/null | sed -n 's/^\\([^ ]*\\) .*/\\1/p'";

fn bash() -> String {
    let mut text = completions(Shell::Bash, args::shown());
    let files = "COMPREPLY=($(compgen -f \"${cur}\"))";
    let names = format!("COMPREPLY=($(compgen -W \"$({NAMES})\" -- \"${{cur}}\"))");
    let short = LABELLED.iter().map(|long| format!("--{long})")).chain(["-f)".to_owned(), "-t)".to_owned()]);
    for option in short {
        let case = |action| format!(" {option}\n                    {action}\n");
        text = text.replace(&case(files), &case(&*names));
    }
    text
}

/// The script completes as if nobody left `convert` out; a function before it puts the word in.
fn zsh() -> String {
    let text = completions(Shell::Zsh, args::command());
    let before = format!(
        r#"_charpipe_labels() {{
    local -a labels
    labels=(${{(f)"$({NAMES})"}})
    compadd -a labels
}}

# The word `convert` may be left out.
_charpipe_any() {{
    if (( CURRENT == 2 )) && [[ ${{words[2]}} != -* ]]; then
        _alternative 'commands:command:_charpipe_commands' 'files:file:_files'
        return
    fi
    case ${{words[2]}} in
        (convert|detect|list|chart|help) ;;
        (*) words=(${{words[1]}} convert "${{(@)words[2,-1]}}"); (( CURRENT++ )) ;;
    esac
    _charpipe "$@"
}}

if [ "$funcstack[1]" = "_charpipe" ]; then
    _charpipe_any "$@"
else
    compdef _charpipe_any charpipe
fi
"#
    );
    let text = text.replace(":LABEL:_default'", ":LABEL:_charpipe_labels'");
    // With two colons there would be no options behind a file.
    let text = text.replace("'*::files -- ", "'*:files -- ");
    match text.rfind("if [ \"$funcstack[1]\"") {
        Some(at) => format!("{}{before}", &text[..at]),
        None => text,
    }
}

/// Here it is a function of the script that tells whether a command was named: it has to know that only the first word
/// can be one.
fn fish() -> String {
    let text = completions(Shell::Fish, args::shown());
    let function = "function __fish_charpipe_needs_command
    # Only the first word can be a command.
    set -l cmd (commandline -opc)
    if contains -- \"$cmd[2]\" convert detect list chart help
        echo $cmd[2]
        return 1
    end
    return 0
end
";
    let begin = text.find("function __fish_charpipe_needs_command");
    let end = text.find("function __fish_charpipe_using_subcommand");
    let text = match begin.zip(end) {
        Some((begin, end)) => format!("{}{function}\n{}", &text[..begin], &text[end..]),
        None => text,
    };
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        out.push_str(line);
        let takes_label = LABELLED.iter().any(|long| line.contains(&format!(" -l {long} ")));
        if takes_label && line.ends_with(" -r") {
            out.push_str(" -f -a \"(charpipe list 2>/dev/null | string match -r '^\\S+')\"");
        }
        out.push('\n');
    }
    out
}

/// The page of the whole, or of one command.
fn man(command: Option<&str>) -> String {
    // What is not there has no page; what has one is named as it is.
    let whole = args::shown().disable_help_subcommand(true).mut_subcommand("convert", |convert| convert.hide(true));
    let mut page = match command {
        None => whole.name("charpipe"),
        Some(name) => {
            let Some(found) = whole.find_subcommand(name).cloned() else { return String::new() };
            found.display_name(format!("charpipe-{name}")).disable_help_subcommand(true)
        }
    };
    let usage = page.render_usage().to_string();
    let version = env!("CARGO_PKG_VERSION");
    let title = command.map_or_else(|| "CHARPIPE".to_owned(), |name| format!("CHARPIPE-{}", name.to_uppercase()));
    let examples = page.get_after_long_help().map(ToString::to_string);
    let man = Man::new(page.after_help("").after_long_help(""));
    let mut text = format!(".TH {title} 1 \"\" \"charpipe {version}\" \"User Commands\"\n.ad l\n.nh\n");
    let render = |part: &dyn Fn(&mut Vec<u8>) -> io::Result<()>| {
        let mut rendered = Vec::new();
        // Writing to memory does not fail.
        _ = part(&mut rendered);
        String::from_utf8_lossy(&rendered).into_owned()
    };
    text.push_str(&render(&|out| man.render_name_section(out)));
    text.push_str(".SH SYNOPSIS\n");
    let lines: Vec<String> = usage.trim_start_matches("Usage:").lines().map(|line| escaped(line.trim())).collect();
    _ = writeln!(text, "{}", lines.join("\n.br\n"));
    text.push_str(&render(&|out| man.render_description_section(out)));
    text.push_str(&render(&|out| man.render_options_section(out)));
    if command.is_none() {
        text.push_str(&render(&|out| man.render_subcommands_section(out)).replacen(".SH Commands", ".SH COMMANDS", 1));
    }
    if let Some(examples) = examples {
        for part in examples.split("\n\n") {
            let (heading, lines) = part.split_once('\n').unwrap_or((part, ""));
            _ = writeln!(text, ".SH {}\n.nf\n{}\n.fi", heading.trim_end_matches(':').to_uppercase(), escaped(lines));
        }
    }
    // An empty line is a request where there are no paragraphs; a request to break beside it is none.
    text.replace("\n\n", "\n.sp\n").replace("\n.br\n.sp\n.br\n", "\n.sp\n")
}

/// Text as roff has to see it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}
