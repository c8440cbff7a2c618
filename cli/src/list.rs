//! `charpipe list`: lists the encodings with their aliases, the directions that they support, and their sources.

use crate::args::List;
use crate::escape::printable;
use crate::messages::json::{self, CodecObject};
use crate::messages::say;
use crate::print;
use crate::selection::pattern::Pattern;
use crate::status::Status;
use charpipe::ErrorKind;
use charpipe::Registry;
use charpipe::codec::can_encode;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// The greatest width of a line of text, in columns.
const WIDTH: usize = 100;

/// The indentation of the lines below the name of a codec.
const INDENT: &str = "    ";

/// Runs the command.
pub(crate) fn run(args: &List) -> Status {
    let registry = match args.tables.registry() {
        Ok(registry) => registry,
        Err(status) => return status,
    };
    let found = matching(&registry, args.pattern.as_deref());
    if found.is_empty() {
        say_nothing_matches(&registry, args.pattern.as_deref().unwrap_or_default());
        return Status::Data;
    }
    let text = if args.json { found.iter().map(json::line).collect() } else { in_words(&registry, &found) };
    print::to_stdout(&text)
}

/// Returns the codecs that match `pattern`, sorted by name. With a pattern, also the labels that are known but not
/// supported.
fn matching<'a>(registry: &'a Registry, pattern: Option<&str>) -> Vec<CodecObject<'a>> {
    // The codec that the pattern names by the rules for labels, even if none of its labels contains the pattern.
    let named = pattern.and_then(|pattern| registry.codec(pattern).ok());
    let matches = pattern.map(matcher);
    let fits = |label: &str| matches.as_ref().is_none_or(|matches| matches(label));
    let mut found: Vec<CodecObject<'_>> = registry
        .codecs()
        .filter(|codec| {
            registry.labels(codec.name()).any(fits)
                || named.as_ref().is_some_and(|named| named.name() == codec.name())
                || pattern.is_some_and(|pattern| describes(registry.description(codec.name()), pattern))
        })
        .map(|codec| CodecObject {
            name: codec.name(),
            aliases: registry.labels(codec.name()).skip(1).collect(),
            decode: true,
            encode: can_encode(&**codec),
            source: Some(codec.info().source).filter(|source| !source.is_empty()),
        })
        .collect();
    if let Some(pattern) = pattern {
        let refused = registry.unsupported().filter(|label| fits(label) || letters(label).eq(letters(pattern)));
        found.extend(refused.map(|name| CodecObject {
            name,
            aliases: Vec::new(),
            decode: false,
            encode: false,
            source: None,
        }));
    }
    found.sort_by(|a, b| natural(a.name, b.name));
    found
}

/// Returns what tells whether a label contains `pattern`, or matches it if it contains `*` or `?`. ASCII case is
/// ignored.
fn matcher(pattern: &str) -> impl Fn(&str) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    let wildcards = pattern.contains(['*', '?']).then(|| Pattern::of_wildcards(&pattern));
    move |label| {
        let label = label.to_ascii_lowercase();
        wildcards.as_ref().map_or_else(|| label.contains(&pattern), |wildcards| wildcards.matches(label.as_bytes()))
    }
}

/// Returns whether a description contains `pattern`, ignoring case: a language, or a part of its name.
fn describes(description: &str, pattern: &str) -> bool {
    let pattern = pattern.trim().to_ascii_lowercase();
    // Short patterns, and those with digits, are parts of labels.
    pattern.len() >= MIN_WORD
        && pattern.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b' ')
        && description.to_ascii_lowercase().contains(&pattern)
}

/// The shortest pattern that is looked for in descriptions: `thai`, `lao`.
const MIN_WORD: usize = 3;

/// Returns the letters and digits of a label in lower case: the rules for labels ignore everything else.
fn letters(label: &str) -> impl Iterator<Item = char> {
    label.chars().filter(|ch| ch.is_ascii_alphanumeric()).map(|ch| ch.to_ascii_lowercase())
}

/// Compares names by their letters, ignoring case, and by the values of their numbers: IBM437 comes before IBM01140,
/// and ISO-8859-2 before ISO-8859-10.
fn natural(a: &str, b: &str) -> Ordering {
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (mut x, mut y) = (a, b);
    while let (Some(left), Some(right)) = (x.chars().next(), y.chars().next()) {
        let (digits_x, digits_y) = (number(x), number(y));
        let (order, len_x, len_y) = if digits_x > 0 && digits_y > 0 {
            let value = |digits: &str| digits.trim_start_matches('0').to_owned();
            let (left, right) = (value(&x[..digits_x]), value(&y[..digits_y]));
            (left.len().cmp(&right.len()).then(left.cmp(&right)), digits_x, digits_y)
        } else {
            (left.to_ascii_lowercase().cmp(&right.to_ascii_lowercase()), left.len_utf8(), right.len_utf8())
        };
        if order.is_ne() {
            return order;
        }
        (x, y) = (&x[len_x..], &y[len_y..]);
    }
    // They differ only in zeros and case: compares the names themselves, so that the order is total.
    x.len().cmp(&y.len()).then(a.cmp(b))
}

/// Returns a line for each codec, with its description and its aliases on indented lines below.
fn in_words(registry: &Registry, found: &[CodecObject<'_>]) -> String {
    let longest = found.iter().map(|codec| codec.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for codec in found {
        let name = printable(codec.name);
        let about = match codec {
            CodecObject { decode: false, .. } => match registry.codec(codec.name).map_err(|error| error.to_string()) {
                Err(error) => format!("known, {}", error.split_once(" is ").map_or("not supported", |(_, why)| why)),
                Ok(_) => "known, not supported".to_owned(),
            },
            CodecObject { encode, source, .. } => {
                let directions = if *encode { "decode+encode" } else { "decode" };
                format!("{directions:13}  {}", source.map_or("registered".into(), printable))
            }
        };
        _ = writeln!(text, "{name:longest$}  {about}");
        let description = registry.description(codec.name);
        if codec.decode && !description.is_empty() {
            _ = writeln!(text, "{INDENT}{description}");
        }
        wrapped(&mut text, &codec.aliases);
    }
    text
}

/// Appends the labels, separated by commas, on indented lines.
fn wrapped(text: &mut String, labels: &[&str]) {
    let mut column = 0;
    for label in labels {
        let label = printable(label);
        if column > 0 && column + 2 + label.len() < WIDTH {
            text.push_str(", ");
            column += 2;
        } else {
            text.push_str(if column > 0 { ",\n" } else { "" });
            text.push_str(INDENT);
            column = INDENT.len();
        }
        text.push_str(&label);
        column += label.len();
    }
    if column > 0 {
        text.push('\n');
    }
}

fn say_nothing_matches(registry: &Registry, pattern: &str) {
    let error = registry.codec(pattern).err();
    let near: &[String] = match error.as_ref().map(|error| error.kind()) {
        Some(ErrorKind::UnknownLabel { near, .. }) => near,
        _ => &[],
    };
    say(format_args!("no encoding matches \"{}\"{}", printable(pattern), did_you_mean(near)));
}

fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, label, expected) in [
            ("1047", "IBM1047", true),
            ("ibm", "IBM1047", true),
            ("ibm1047x", "IBM1047", false),
            ("ibm*", "IBM1047", true),
            ("*ibm", "IBM1047", false),
            ("*", "", true),
            ("?", "", false),
            ("IBM????", "ibm1047", true),
            ("IBM???", "ibm1047", false),
            ("*1*4*", "ibm1047", true),
            ("*4*1*", "ibm1047", false),
            ("i*7", "ibm1047", true),
            ("a*ab", "aaaab", true),
        ] {
            assert_eq!(matcher(pattern)(label), expected, "{pattern} {label}");
        }
    }

    #[test]
    fn the_order_of_names() {
        let mut names = ["ISO-8859-10", "IBM01140", "gb18030", "IBM437", "IBM00858", "ISO-8859-2", "GBK", "IBM860"];
        names.sort_by(|a, b| natural(a, b));
        let expected = ["gb18030", "GBK", "IBM437", "IBM00858", "IBM860", "IBM01140", "ISO-8859-2", "ISO-8859-10"];
        assert_eq!(names, expected);
        assert_eq!(natural("a1", "A01"), natural("a1", "A01"));
        assert_eq!(natural("a1", "a"), Ordering::Greater);
    }

    #[test]
    fn aliases_are_wrapped() {
        let label = "a".repeat(31);
        let mut text = String::new();
        wrapped(&mut text, &[&*label; 4]);
        assert_eq!(text, format!("    {label}, {label},\n    {label}, {label}\n"));
        assert!(text.lines().all(|line| line.len() <= WIDTH));
    }
}
