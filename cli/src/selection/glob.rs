//! Globs of `--include` and `--exclude`. A walk follows them from one directory to the next, name by name: no path is
//! ever put together to be matched, so that a deep directory costs no more than a flat one.

use crate::selection::pattern::Pattern;
use std::ffi::OsStr;

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
    Name(Pattern),
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
        Pattern::parse(text).map(Part::Name)
    }

    fn matches(&self, name: &OsStr) -> bool {
        #[cfg(test)]
        crate::selection::work::step();
        match self {
            Part::Name(pattern) => pattern.matches(name.as_encoded_bytes()),
            Part::Any => true,
        }
    }
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
            ("[a-c-e]", &["b", "-", "e"], &["d"]),
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
