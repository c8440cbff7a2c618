//! Completion scripts for shells: those of clap, with the labels of encodings, and with `convert` left out.

use crate::args;
use clap::Command;
use clap_complete::{Shell, generate};

/// Returns clap's script for `shell`.
pub(super) fn of(shell: Shell, mut command: Command) -> String {
    let mut text = Vec::new();
    generate(shell, &mut command, "charpipe", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Options whose value is a label.
const LABELLED: [&str; 4] = ["from", "to", "fallback", "ebcdic-fallback"];

/// A shell command that prints the names of the encodings. Lines of `charpipe list` with aliases begin with a space.
const NAMES: &str = "charpipe list 2>/dev/null | sed -n 's/^\\([^ ]*\\) .*/\\1/p'";

/// Returns the script for bash.
pub(super) fn bash() -> String {
    let mut text = of(Shell::Bash, args::shown());
    let files = "COMPREPLY=($(compgen -f \"${cur}\"))";
    let names = format!("COMPREPLY=($(compgen -W \"$({NAMES})\" -- \"${{cur}}\"))");
    let short = LABELLED.iter().map(|long| format!("--{long})")).chain(["-f)".to_owned(), "-t)".to_owned()]);
    for option in short {
        let case = |action| format!(" {option}\n                    {action}\n");
        text = text.replace(&case(files), &case(&*names));
    }
    text
}

/// Returns the script for zsh. clap's part of it needs the word `convert`, so a function before it adds the word.
pub(super) fn zsh() -> String {
    let text = of(Shell::Zsh, args::command());
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
        (convert|detect|rows|list|chart|git-filter|help) ;;
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
    // Two colons would complete no options after a file.
    let text = text.replace("'*::files -- ", "'*:files -- ");
    match text.rfind("if [ \"$funcstack[1]\"") {
        Some(at) => format!("{}{before}", &text[..at]),
        None => text,
    }
}

/// Returns the script for fish. It has a function that says whether a command was named; the one written here knows
/// that only the first word can be a command.
pub(super) fn fish() -> String {
    let text = of(Shell::Fish, args::shown());
    let function = "function __fish_charpipe_needs_command
    # Only the first word can be a command.
    set -l cmd (commandline -opc)
    if contains -- \"$cmd[2]\" convert detect rows list chart git-filter help
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
