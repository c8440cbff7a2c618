//! The reference of the commands in Markdown, which the manual has in `docs/reference/`.

use super::pages::{ENVIRONMENT, FILES, PAGES, Page};
use clap::Arg;
use clap::builder::PossibleValue;
use std::fmt::Write as _;

/// Sections of the manual that show an option in use: the option, the title of the section and its path.
const SHOWN_IN: &[(&str, &str, &str)] = &[
    ("add-columns", "Choosing columns", "../fields.md#choosing-columns"),
    ("as", "Raw HTTP responses", "../documents.md#raw-http-responses"),
    ("bom", "Files for Excel", "../first-files.md"),
    ("carriage-control", "A listing", "../records.md#a-listing"),
    ("codec-file", "A table of your own", "../ebcdic.md#a-table-of-your-own"),
    ("columns", "Binary fields", "../records.md#binary-fields"),
    ("content-type", "The policies", "../detection.md#policies"),
    ("copy-path", "Members", "../copybooks.md#members-copy-and-replace"),
    ("count-map", "Counts that are not numbers", "../copybooks.md#counts-that-are-not-numbers"),
    ("dates", "Dates", "../fields.md#dates"),
    ("ebcdic-nl", "Newlines", "../ebcdic.md#newlines"),
    ("exclude", "Whole folders", "../many-files.md#whole-folders"),
    ("fallback", "Several fallbacks", "../mixed.md#several-fallbacks"),
    ("files0-from", "A list of names", "../many-files.md#a-list-of-names"),
    ("from-rows", "Back to records", "../back-to-records.md"),
    ("gaps", "Binary fields", "../records.md#binary-fields"),
    ("groups", "CSV for a database", "../fields.md#csv-for-a-database"),
    ("in-place", "Files in place", "../many-files.md#files-in-place"),
    ("include", "Whole folders", "../many-files.md#whole-folders"),
    ("inputs", "A list of inputs", "../many-files.md#a-list-of-inputs"),
    ("layout", "The field list", "../field-list.md"),
    ("length-field", "Record boundaries", "../record-boundaries.md"),
    ("malformed", "Mixed encodings in one file", "../mixed.md#mixed-encodings-in-one-file"),
    ("merge", "Several files", "../back-to-records.md#several-files"),
    ("mojibake", "Text that was decoded wrongly", "../text.md#text-that-was-decoded-wrongly"),
    ("nest", "Children in the row of their parent", "../record-types.md#children-in-the-row-of-their-parent"),
    ("normalize", "Normalization", "../text.md#normalization"),
    ("null-indicator", "Files that Db2 has unloaded", "../copybooks.md#files-that-db2-has-unloaded"),
    ("on-bad", "Bad records", "../bad-records.md"),
    ("output-dir", "Many files", "../many-files.md"),
    ("parent", "Hierarchies", "../record-types.md#hierarchies"),
    ("policy", "The policies", "../detection.md#policies"),
    ("record-prefix", "Bytes around each record", "../record-boundaries.md#bytes-around-each-record"),
    ("records", "Reading records", "../records.md"),
    ("recursive", "Whole folders", "../many-files.md#whole-folders"),
    ("rejects", "Bad records", "../bad-records.md"),
    ("relabel", "The document's own label", "../documents.md#the-documents-own-label"),
    ("report", "The report", "../json.md#a-report"),
    ("schema", "Schemas", "../fields.md#schemas"),
    ("skip-head", "Headers and trailers of a file", "../record-boundaries.md#headers-and-trailers-of-a-file"),
    ("tape-file", "Tapes", "../records.md#tapes"),
    ("to-records", "Writing records", "../write-records.md"),
    ("unknown", "ripgrep, less, git and bat", "../other-programs.md"),
    ("when", "Record types", "../record-types.md"),
    ("zoned-signs", "Files of other compilers", "../copybooks.md#files-of-other-compilers"),
];

/// Returns the pages, one after another. Each begins with its title, the only headings of the first level.
pub(super) fn text() -> String {
    PAGES.into_iter().map(page).collect()
}

fn page(page: &Page) -> String {
    let mut command = page.definition();
    let usage = command.render_usage().to_string();
    let usage: Vec<&str> = usage.trim_start_matches("Usage:").lines().map(str::trim).collect();
    let about = command.get_long_about().or(command.get_about()).map_or_else(String::new, ToString::to_string);
    let mut text = format!(
        "# {}\n\n<!-- `charpipe --generate reference` prints this page. -->\n\n```text\n{}\n```\n\n{}\n",
        page.name(" "),
        usage.join("\n").trim(),
        markdown(&about)
    );
    for (heading, args) in by_heading(&command) {
        _ = write!(text, "\n## {heading}\n");
        args.into_iter().for_each(|arg| option(arg, &mut text));
    }
    text.push_str("\n## Exit status\n\n| status | meaning |\n|---|---|\n");
    for (status, meaning) in page.statuses {
        _ = writeln!(text, "| {status} | {} |", markdown(meaning));
    }
    if page.command.is_none() {
        definitions("Environment", ENVIRONMENT, &mut text);
        definitions("Files", FILES, &mut text);
    }
    text.push_str("\n## Examples\n");
    for (what, commands) in page.examples {
        _ = write!(text, "\n{what}\n\n```text\n{}\n```\n", commands.join("\n"));
    }
    text
}

/// Returns the arguments that help shows, by their headings, in the order of the help. Options without a heading are
/// last.
fn by_heading(command: &clap::Command) -> Vec<(&str, Vec<&Arg>)> {
    let mut headings: Vec<(&str, Vec<&Arg>)> = Vec::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let heading = match arg.get_help_heading() {
            _ if arg.is_positional() => "Arguments",
            None => "Options",
            Some(heading) => heading,
        };
        match headings.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, args)) => args.push(arg),
            None => headings.push((heading, vec![arg])),
        }
    }
    headings.sort_by_key(|(heading, _)| (*heading != "Arguments", *heading == "Options"));
    for (heading, args) in &mut headings {
        if *heading != "Arguments" {
            args.sort_by_key(|arg| arg.get_display_order());
        }
    }
    headings
}

/// Appends the section of an argument.
fn option(arg: &Arg, text: &mut String) {
    _ = write!(text, "\n### {}\n", spelling(arg));
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    _ = write!(text, "\n{}\n", markdown(&sentence(&help)));
    let takes_value = arg.get_action().takes_values();
    let values = arg.get_possible_values();
    let values = values.iter().filter(|value| takes_value && !value.is_hide_set());
    for (index, value) in values.enumerate() {
        text.push_str(if index == 0 { "\n" } else { "" });
        _ = writeln!(text, "* `{}`{}", value.get_name(), described(value));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if takes_value && !defaults.is_empty() {
        _ = write!(text, "\nDefault: {}\n", defaults.join(", "));
    }
    for (_, title, target) in SHOWN_IN.iter().filter(|(name, ..)| Some(*name) == arg.get_long()) {
        _ = write!(text, "\nIn use: [{title}]({target})\n");
    }
}

/// Returns how an argument is typed, such as `-f`, `--from LABEL`.
fn spelling(arg: &Arg) -> String {
    let long = arg.to_string();
    // clap shows one spelling, with the value.
    let long = long.replace(['<', '>'], "");
    match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(_)) => format!("`-{short}`, `{long}`"),
        _ => format!("`{long}`"),
    }
}

fn described(value: &PossibleValue) -> String {
    value.get_help().map_or_else(String::new, |help| format!(": {}", markdown(&help.to_string())))
}

/// Returns help with its first paragraph as a sentence: in clap it has no full stop.
fn sentence(help: &str) -> String {
    let (first, rest) = help.split_once("\n\n").unwrap_or((help, ""));
    let stop = if first.ends_with(['.', ':']) { "" } else { "." };
    format!("{first}{stop}\n\n{rest}").trim_end().to_owned()
}

/// Returns text as Markdown: outside of backquotes, the characters that mean something are escaped, and options are in
/// backquotes.
fn markdown(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(index, part)| if index % 2 == 1 { format!("`{part}`") } else { plain(part) });
    parts.collect()
}

/// Returns text without backquotes as Markdown.
fn plain(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for word in text.split_inclusive([' ', '\n']) {
        let end = word.trim_end_matches([' ', '\n', '.', ',', ';', ':', ')']).len();
        let is_option = word.len() > 2 && word.strip_prefix('-').is_some_and(|rest| !rest.starts_with([' ', '\n']));
        match word.split_at(end) {
            (option, after) if is_option => _ = write!(result, "`{option}`{after}"),
            _ => result.extend(word.chars().flat_map(|ch| {
                let escape = matches!(ch, '<' | '*' | '_' | '[' | '|' | '\\').then_some('\\');
                escape.into_iter().chain([ch])
            })),
        }
    }
    result
}

fn definitions(heading: &str, entries: &[(&str, &str)], text: &mut String) {
    _ = write!(text, "\n## {heading}\n\n| name | meaning |\n|---|---|\n");
    for (name, meaning) in entries {
        _ = writeln!(text, "| `{name}` | {} |", markdown(meaning));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_that_is_shown_in_use_exists() {
        let commands = PAGES.map(Page::definition);
        let exists =
            |name: &str| commands.iter().any(|command| command.get_arguments().any(|arg| arg.get_long() == Some(name)));
        for (name, ..) in SHOWN_IN {
            assert!(exists(name), "there is no --{name}");
        }
    }
}
