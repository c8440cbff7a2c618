//! Globs of `--include` and `--exclude`. A walk follows them from one directory to the next, name by name: no path is
//! ever put together to be matched, so that a deep directory costs no more than a flat one.

use regex_lite::Regex;
use std::ffi::OsStr;
use std::str::Chars;

/// A pattern for the names of files and directories, or for their paths below the directory that a search began in.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    parts: Vec<Part>,
    /// It had no slash, except at its end: it is compared with names, in every directory.
    is_name: bool,
    /// It had a slash at its end: it matches directories only.
    is_folder: bool,
}

/// The part between two slashes.
#[derive(Clone, Debug)]
enum Part {
    /// An expression over the bytes of a name, which need not be UTF-8: each of them is the character of its number.
    Name(Regex),
    /// `**`: any number of directories; at the end, everything in a directory.
    Any,
}

/// How far a path has matched a [`Glob`]: the parts that may come next, in order.
pub(crate) type Reached = Vec<usize>;

impl Glob {
    /// Parses a glob. The error is a sentence without a full stop.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let is_slash = std::path::is_separator;
        let path = text.strip_prefix("./").unwrap_or(text);
        let inner = path.trim_end_matches(is_slash);
        let mut parts = Vec::new();
        for part in inner.split(is_slash).filter(|part| !part.is_empty()) {
            match Part::parse(part)? {
                Part::Any if matches!(parts.last(), Some(Part::Any)) => {}
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            return Err("it has no name in it".to_owned());
        }
        Ok(Glob { parts, is_name: !path.is_empty() && !inner.contains(is_slash), is_folder: inner.len() < path.len() })
    }

    /// Returns where a path begins.
    pub(crate) fn start(&self) -> Reached {
        if self.is_name { Vec::new() } else { self.closed(vec![0]) }
    }

    /// Returns whether the entry `name` matches, in a directory whose path has matched as far as `reached`.
    pub(crate) fn matches(&self, reached: &Reached, name: &OsStr, is_folder: bool) -> bool {
        if self.is_folder && !is_folder {
            return false;
        }
        let last = self.parts.len() - 1;
        (self.is_name || reached.contains(&last)) && self.parts[last].matches(name)
    }

    /// Returns how far the path of the directory `name` matches, in one whose path has matched as far as `reached`.
    pub(crate) fn enter(&self, reached: &Reached, name: &OsStr) -> Reached {
        let mut next: Reached = Vec::new();
        for &at in reached {
            let to = match &self.parts[at] {
                Part::Any => at,
                part if at + 1 < self.parts.len() && part.matches(name) => at + 1,
                Part::Name(_) => continue,
            };
            if !next.contains(&to) {
                next.push(to);
            }
        }
        self.closed(next)
    }

    /// Adds the parts that may come next because `**` can stand for no directory at all.
    fn closed(&self, mut reached: Reached) -> Reached {
        let mut index = 0;
        while let Some(&at) = reached.get(index) {
            let is_skipped = matches!(self.parts[at], Part::Any) && at + 1 < self.parts.len();
            if is_skipped && !reached.contains(&(at + 1)) {
                reached.push(at + 1);
            }
            index += 1;
        }
        reached
    }
}

impl Part {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "**" => return Ok(Part::Any),
            "." | ".." => {
                return Err(format!("{text:?} in it never matches: paths begin at the directory that is searched"));
            }
            _ => {}
        }
        let expression = expression(text)?;
        Ok(Part::Name(Regex::new(&expression).map_err(|error| error.to_string())?))
    }

    fn matches(&self, name: &OsStr) -> bool {
        #[cfg(test)]
        crate::selection::work::step();
        match self {
            Part::Name(glob) => glob.is_match(&in_bytes(name.as_encoded_bytes())),
            Part::Any => true,
        }
    }
}

/// Why a brace or a bracket that seems closed is not: a glob is split at its slashes first.
const NO_SLASH: &str = "(a slash cannot stand in braces or brackets)";

/// Returns a text whose characters have the numbers of `bytes`.
fn in_bytes(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// Returns the regular expression for a part of a glob, or what is wrong with it.
fn expression(glob: &str) -> Result<String, String> {
    let literal = |ch: char| regex_lite::escape(&in_bytes(ch.encode_utf8(&mut [0; 4]).as_bytes()));
    let mut expression = "(?s)^".to_owned();
    let mut braces = 0;
    let mut chars = glob.chars();
    while let Some(ch) = chars.next() {
        expression += &match ch {
            '?' => ".".to_owned(),
            '*' => ".*".to_owned(),
            '[' => class(&mut chars)?,
            '{' => {
                braces += 1;
                "(?:".to_owned()
            }
            '}' if braces == 0 => return Err("unopened alternate group; missing '{'".to_owned()),
            '}' => {
                braces -= 1;
                ")".to_owned()
            }
            ',' if braces > 0 => "|".to_owned(),
            '\\' => literal(chars.next().ok_or("dangling '\\'")?),
            ch => literal(ch),
        };
    }
    if braces > 0 {
        return Err(format!("unclosed alternate group; missing '}}' {NO_SLASH}"));
    }
    Ok(expression + "$")
}

/// Returns the regular expression for a class, after its opening bracket. A closing bracket that comes first, and a
/// hyphen that comes first or last, stand for themselves.
fn class(chars: &mut Chars<'_>) -> Result<String, String> {
    let (inner, is_negated) = match chars.as_str().strip_prefix(['!', '^']) {
        Some(inner) => (inner, true),
        None => (chars.as_str(), false),
    };
    let from = inner.chars().next().map_or(0, char::len_utf8);
    let end =
        inner[from..].find(']').ok_or_else(|| format!("unclosed character class; missing ']' {NO_SLASH}"))? + from;
    *chars = inner[end + 1..].chars();

    let mut rest = &inner[..end];
    if !rest.is_ascii() {
        return Err("only ASCII characters can stand in brackets (use {ä,ö} instead of [äö])".to_owned());
    }
    let escape = |ch: &str| format!("\\x{:02X}", ch.as_bytes()[0]);
    let mut expression = if is_negated { "[^".to_owned() } else { "[".to_owned() };
    while !rest.is_empty() {
        let is_range = rest.len() > 2 && rest[1..].starts_with('-');
        let (first, last) = if is_range { (&rest[..1], &rest[2..3]) } else { (&rest[..1], &rest[..1]) };
        if first > last {
            return Err(format!("invalid range; '{first}' > '{last}'"));
        }
        expression += &format!("{}-{}", escape(first), escape(last));
        rest = &rest[if is_range { 3 } else { 1 }..];
    }
    Ok(expression + "]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Matches a path as a walk does. A slash at its end makes it a directory.
    fn matches(glob: &str, path: &str) -> bool {
        let glob = Glob::parse(glob).unwrap_or_else(|why| panic!("{glob}: {why}"));
        let mut names: Vec<&OsStr> = Path::new(path).components().map(|part| part.as_os_str()).collect();
        let last = names.pop().unwrap();
        let reached = names.into_iter().fold(glob.start(), |reached, name| glob.enter(&reached, name));
        glob.matches(&reached, last, path.ends_with('/'))
    }

    #[test]
    fn globs_match_names_or_paths() {
        for (glob, yes, no) in [
            ("*.c", &["x.c", "a/b/x.c", "a/.c", "x.c/"][..], &["x.h", "x.c/y"][..]),
            ("x?z", &["xyz"], &["xz", "xyyz"]),
            ("[a-c]1", &["b1", "d/a1"], &["d1"]),
            ("[!a-c]1", &["d1"], &["a1"]),
            ("[^a]", &["b", "^"], &["a"]),
            ("[]a-]", &["]", "a", "-"], &["b", "]a"]),
            ("[!]^]", &["a"], &["]", "^"]),
            ("[+--]", &["+", ",", "-"], &["."]),
            ("a.[{,}]", &["a.{", "a.,"], &["a"]),
            ("*.{c,h}", &["x.c", "x.h"], &["x.o"]),
            ("a{,.bak}", &["a", "a.bak"], &["b"]),
            ("{a,b{c,?},*.d},e", &["a,e", "bc,e", "bx,e", ".d,e"], &["a", "b,e", "e"]),
            ("a,(b|c)+$", &["a,(b|c)+$"], &["a,b"]),
            ("*.äöü", &["ü.äöü"], &["x.ä"]),
            ("**", &["a", "a/b"], &[]),
            ("build/", &["build/", "a/build/"], &["build"]),
            ("/build", &["build", "build/"], &["a/build"]),
            ("/build/", &["build/"], &["build", "a/build/"]),
            ("./sub/*.c", &["sub/x.c"], &["x.c", "a/sub/x.c", "sub/a/x.c"]),
            ("sub/**", &["sub/x", "sub/a/b"], &["sub", "sub/", "a/sub/x"]),
            ("**/sub", &["sub", "a/b/sub"], &["sub/x"]),
            ("a/**/z", &["a/z", "a/b/z", "a/b/c/z"], &["z", "b/a/z", "a/b"]),
            ("a/**/**/z", &["a/z", "a/b/z"], &["a/b"]),
            ("**/a/*/z/**", &["a/b/z/x", "q/a/a/b/z/x/y"], &["a/z/x", "a/b/z"]),
            ("a/**/b/**/c", &["a/b/c", "a/x/b/b/y/c"], &["a/c", "a/b/x"]),
            ("*/*", &["a/b"], &["a", "a/b/c"]),
        ] {
            yes.iter().for_each(|path| assert!(matches(glob, path), "{glob} {path}"));
            no.iter().for_each(|path| assert!(!matches(glob, path), "{glob} {path}"));
        }
    }

    /// On Windows, it separates names.
    #[cfg(unix)]
    #[test]
    fn a_backslash_takes_away_a_meaning() {
        assert!(matches(r"\*", "*") && !matches(r"\*", "x") && matches(r"\[ä\]", "[ä]"));
        assert!(matches(r"{\,,\}}", ",") && matches(r"[\]", r"\") && matches(r"\n\ä", "nä"));
        assert!(Glob::parse(r"a\").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn names_need_not_be_utf8() {
        use std::os::unix::ffi::OsStrExt;

        let glob = Glob::parse("x*.txt").unwrap();
        let matches = |name| glob.matches(&glob.start(), OsStr::from_bytes(name), false);
        assert!(matches(b"x\xFF.txt") && !matches(b"\xFF.txt"));
    }

    #[test]
    fn what_is_no_glob() {
        for glob in ["", "/", "./", "[a", "{a", "{a/b,c}", "[a/b]", "a}", "../x", "a/./b", "[ä]", "[b-a]", "[]", "[!]"]
        {
            assert!(Glob::parse(glob).is_err(), "{glob}");
        }
    }

    /// The work for a directory depends on the glob only, not on the depth.
    #[test]
    fn what_is_reached_does_not_grow() {
        let glob = Glob::parse("**/a/**/a/**/z").unwrap();
        let mut reached = glob.start();
        for _ in 0..2000 {
            reached = glob.enter(&reached, OsStr::new("a"));
            assert!(reached.len() <= glob.parts.len());
        }
        assert!(glob.matches(&reached, OsStr::new("z"), false));
    }
}
