//! Man pages, with their sections in the order of man-pages(7). The options come from clap, the rest is written here.

use super::pages::{ENVIRONMENT, FILES, Page};
use clap_mangen::Man;
use std::fmt::Write as _;
use std::io;

/// Returns a page in roff.
pub(super) fn page(page: &Page) -> String {
    let command = page.definition();
    let usage = command.clone().render_usage().to_string();
    let name = page.name("-");
    let man = Man::new(command.after_help("").after_long_help(""));
    let mut text = format!(
        ".TH {} 1 \"\" \"charpipe {}\" \"User Commands\"\n.ad l\n.nh\n.ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n",
        name.to_uppercase(),
        env!("CARGO_PKG_VERSION")
    );
    _ = writeln!(text, ".SH NAME\n{} \\- {}", escaped(&name), escaped(page.summary));
    let lines: Vec<String> = usage.trim_start_matches("Usage:").lines().map(|line| escaped(line.trim())).collect();
    _ = writeln!(text, ".SH SYNOPSIS\n{}", lines.join("\n.br\n"));
    text.push_str(&rendered(&|out| man.render_description_section(out)));
    if page.command.is_none() {
        text.push_str(&rendered(&|out| man.render_subcommands_section(out)).replacen(
            ".SH Commands",
            ".SH COMMANDS",
            1,
        ));
    }
    text.push_str(&options(&rendered(&|out| man.render_options_section(out))));
    text.push_str(".SH EXIT STATUS\n");
    for (status, meaning) in page.statuses {
        _ = writeln!(text, ".TP\n\\fB{status}\\fR\n{}", escaped(meaning));
    }
    text.push_str(&definitions("ENVIRONMENT", ENVIRONMENT));
    if page.command.is_none() {
        text.push_str(&definitions("FILES", FILES));
    }
    text.push_str(".SH EXAMPLES\n");
    for (what, commands) in page.examples {
        let commands: Vec<String> = commands.iter().map(|command| escaped(command)).collect();
        _ = writeln!(text, ".PP\n{}\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE", escaped(what), commands.join("\n"));
    }
    // The first paragraph follows its heading without a request.
    let text = text.replace(".SH EXAMPLES\n.PP\n", ".SH EXAMPLES\n");
    let see_also = escaped(page.see_also);
    tidy(&format!("{text}.SH SEE ALSO\n{see_also}\n"))
}

fn rendered(section: &dyn Fn(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    _ = section(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Makes the headings of help, which are sections here, subsections of OPTIONS. Some have names that mean something else
/// on a man page, such as FILES.
fn options(rendered: &str) -> String {
    let mut text = String::new();
    for line in rendered.lines() {
        match line.strip_prefix(".SH ") {
            Some(heading) if heading != "OPTIONS" => {
                let heading = heading.trim_matches('"');
                let (first, rest) = heading.split_at(heading.len().min(1));
                _ = writeln!(text, ".SS {first}{}", rest.to_lowercase());
            }
            _ => _ = writeln!(text, "{line}"),
        }
    }
    text
}

fn definitions(heading: &str, entries: &[(&str, &str)]) -> String {
    let entries =
        entries.iter().map(|(name, meaning)| format!(".TP\n\\fB{}\\fR\n{}\n", escaped(name), escaped(meaning)));
    format!(".SH {heading}\n{}", entries.collect::<String>())
}

/// Removes what is redundant or wrong in clap's roff, and sets what is in backquotes in bold.
fn tidy(text: &str) -> String {
    // Each section defines the apostrophe again.
    let definition = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";
    let (head, rest) = text.split_once(definition).unwrap_or((text, ""));
    let text = format!("{head}{definition}{}", rest.replace(definition, ""));
    // An empty line is a request where there are no paragraphs, and a request to break beside it has no effect.
    let text = text.replace("\n\n", "\n.sp\n").replace("\n.br\n.sp\n.br\n", "\n.sp\n").replace("\n.RS 14\n", "\n.RS\n");
    let bold = |line: &str| {
        let parts: Vec<&str> = line.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return line.to_owned();
        }
        let parts = parts.iter().enumerate();
        parts.map(|(index, part)| if index % 2 == 1 { format!("\\fB{part}\\fR") } else { (*part).to_owned() }).collect()
    };
    let mut text = text.lines().map(bold).collect::<Vec<String>>().join("\n");
    text.push('\n');
    text
}

/// Escapes text for roff.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    // A dot at the beginning of a line is a request.
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}
