//! Patterns for names. The braces of a pattern are resolved when it is parsed, so that a name is compared with a list of
//! alternatives, each from its end on: most names differ there. An engine for regular expressions does the same, but a
//! large one costs every run of the command page faults, used or not, and a small one takes a hundred times as long.

use std::str::Chars;

/// How many steps all alternatives of a pattern have at most, each of them counted as one more, and how deep its braces
/// are nested.
const MAX_STEPS: usize = 65_536;
const MAX_DEPTH: usize = 50;

/// Why a brace or a bracket that seems closed is not: a glob is split at its slashes first.
const NO_SLASH: &str = "(a slash cannot stand in braces or brackets)";

/// A pattern. It is compared with bytes, as names need not be UTF-8.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Vec<Alternative>);

type Alternative = Vec<Step>;

#[derive(Clone, Debug)]
enum Step {
    Byte(u8),
    /// `?`: any byte.
    Any,
    /// `*`: any number of bytes.
    Many,
    /// `[…]`: whether each byte belongs to it.
    Class(Box<[bool; 256]>),
}

impl Step {
    /// Returns whether it takes this byte; [`Step::Many`] takes none here.
    fn takes(&self, byte: u8) -> bool {
        match self {
            Step::Byte(own) => *own == byte,
            Step::Any => true,
            Step::Many => false,
            Step::Class(class) => class[usize::from(byte)],
        }
    }
}

impl Pattern {
    /// Parses a part of a glob: `*`, `?`, `[a-z]`, `[!a-z]`, `{a,b}`, and a backslash, which takes away a meaning. The
    /// error is a sentence without a full stop.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        alternatives(&mut text.chars(), 0).map(Pattern)
    }

    /// Returns the pattern in which only `*` and `?` have a meaning.
    pub(crate) fn of_wildcards(text: &str) -> Self {
        let step = |byte: u8| match byte {
            b'*' => Step::Many,
            b'?' => Step::Any,
            byte => Step::Byte(byte),
        };
        Pattern(vec![text.bytes().map(step).collect()])
    }

    /// Returns whether it matches all of `name`.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        self.0.iter().any(|steps| matches(steps, name))
    }
}

/// Returns whether an alternative matches all of `name`.
fn matches(steps: &[Step], name: &[u8]) -> bool {
    let is_many = |step: &Step| matches!(step, Step::Many);
    let fits = |steps: &[Step], bytes: &[u8]| steps.iter().zip(bytes).all(|(step, byte)| step.takes(*byte));
    let Some(last) = steps.iter().rposition(is_many) else {
        return steps.len() == name.len() && fits(steps, name);
    };
    let end = &steps[last + 1..];
    let Some(split) = name.len().checked_sub(end.len()).filter(|split| fits(end, &name[*split..])) else {
        return false;
    };
    // What is between two asterisks is best taken where it first fits: that leaves most to those after it.
    let mut rest = &name[..split];
    for (number, part) in steps[..last].split(is_many).enumerate() {
        let places = if number == 0 { 0..=0 } else { 0..=rest.len() };
        let fitting = |at: &usize| rest.len() - at >= part.len() && fits(part, &rest[*at..]);
        let Some(at) = places.into_iter().find(fitting) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Returns the alternatives of a pattern, or of the braces that were opened `depth` times.
fn alternatives(chars: &mut Chars<'_>, depth: usize) -> Result<Vec<Alternative>, String> {
    if depth > MAX_DEPTH {
        return Err(format!("braces in braces, more than {MAX_DEPTH} deep"));
    }
    let len = |all: &[Alternative]| all.iter().map(Vec::len).sum::<usize>();
    let (mut done, mut open) = (Vec::new(), vec![Alternative::new()]);
    // An empty one takes room, too.
    let (mut before, mut count) = (0, 1);
    while let Some(ch) = chars.next() {
        let more = match ch {
            '?' => vec![vec![Step::Any]],
            '*' => vec![vec![Step::Many]],
            '[' => vec![vec![class(chars)?]],
            '{' => alternatives(chars, depth + 1)?,
            '}' if depth == 0 => return Err("unopened alternate group; missing '{' (or write '[}]')".to_owned()),
            '}' => {
                done.append(&mut open);
                return Ok(done);
            }
            ',' if depth > 0 => {
                done.append(&mut open);
                open.push(Alternative::new());
                (before, count) = (before + count, 1);
                continue;
            }
            '\\' => literal(chars.next().ok_or("dangling '\\'")?),
            ch => literal(ch),
        };
        count = count * more.len() + open.len() * len(&more);
        if before + count > MAX_STEPS {
            return Err(format!("it is longer than {} bytes with its braces written out", MAX_STEPS - 1));
        }
        match &more[..] {
            [more] => open.iter_mut().for_each(|one| one.extend_from_slice(more)),
            more => open = open.iter().flat_map(|one| more.iter().map(|other| [&one[..], other].concat())).collect(),
        }
    }
    match depth {
        0 => Ok(open),
        _ => Err(format!("unclosed alternate group; missing '}}' {NO_SLASH}, or write '[{{]'")),
    }
}

fn literal(ch: char) -> Vec<Alternative> {
    vec![ch.encode_utf8(&mut [0; 4]).bytes().map(Step::Byte).collect()]
}

/// Returns the class after its opening bracket. A closing bracket that comes first, and a hyphen that comes first or last,
/// stand for themselves.
fn class(chars: &mut Chars<'_>) -> Result<Step, String> {
    let (inner, is_negated) = match chars.as_str().strip_prefix(['!', '^']) {
        Some(inner) => (inner, true),
        None => (chars.as_str(), false),
    };
    let first_len = inner.chars().next().map_or(0, char::len_utf8);
    let end =
        inner[first_len..].find(']').ok_or_else(|| format!("unclosed character class; missing ']' {NO_SLASH}"))?;
    let (members, after) = inner.split_at(first_len + end);
    *chars = after[1..].chars();
    if !members.is_ascii() {
        return Err("only ASCII characters can stand in brackets (use {ä,ö} instead of [äö])".to_owned());
    }
    let mut class = Box::new([is_negated; 256]);
    let mut rest = members.as_bytes();
    while let [first, after @ ..] = rest {
        let (last, after) = match after {
            [b'-', last, after @ ..] => (last, after),
            after => (first, after),
        };
        if first > last {
            return Err(format!("invalid range; '{}' > '{}'", char::from(*first), char::from(*last)));
        }
        class[usize::from(*first)..=usize::from(*last)].fill(!is_negated);
        rest = after;
    }
    Ok(Step::Class(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by trying everything.
    fn matches_slowly(steps: &[Step], name: &[u8]) -> bool {
        match (steps, name) {
            ([], name) => name.is_empty(),
            ([Step::Many, rest @ ..], name) => (0..=name.len()).any(|len| matches_slowly(rest, &name[len..])),
            ([step, rest @ ..], [byte, after @ ..]) => step.takes(*byte) && matches_slowly(rest, after),
            _ => false,
        }
    }

    #[test]
    fn every_short_pattern_and_name() {
        let all = |chars: &str, most: usize| {
            let mut texts = vec![String::new()];
            for len in 0..most {
                let longest: Vec<String> = texts.iter().filter(|text| text.len() == len).cloned().collect();
                texts.extend(longest.iter().flat_map(|text| chars.chars().map(move |ch| format!("{text}{ch}"))));
            }
            texts
        };
        let names = all("ab", 6);
        for text in all("ab*?", 6) {
            let pattern = Pattern::parse(&text).unwrap();
            for name in &names {
                let expected = matches_slowly(&pattern.0[0], name.as_bytes());
                assert_eq!(pattern.matches(name.as_bytes()), expected, "{text} {name}");
            }
        }
    }

    #[test]
    fn braces_are_limited() {
        let steps = |text: &str| Pattern::parse(text).map(|pattern| pattern.0.len());
        assert_eq!(steps(&"{a,b}".repeat(11)), Ok(1 << 11));
        for braces in ["{a,b}", "{,}", "{a,{b,c}}"] {
            assert!(steps(&braces.repeat(40)).is_err_and(|why| why.contains("65535")), "{braces}");
        }
        let nested = |depth: usize| steps(&("{".repeat(depth) + &"}".repeat(depth)));
        assert_eq!(nested(MAX_DEPTH), Ok(1));
        assert!(nested(MAX_DEPTH + 1).is_err() && nested(1_000_000).is_err());
        assert!(Pattern::parse(&"*".repeat(MAX_STEPS - 1)).unwrap().matches(b"x"));
        assert!(steps(&"a".repeat(MAX_STEPS)).is_err());
        // The alternatives of all braces count.
        let many = "{a,b}".repeat(11);
        assert!(steps(&format!("{{{many},x}}")).is_ok() && steps(&format!("{{{many},{many},{many}}}")).is_err());
    }
}
