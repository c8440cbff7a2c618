//! Decides by its name whether `-r` uses an entry of a directory. A file that the user names is always used.

pub(crate) mod glob;
pub(crate) mod left_alone;
pub(crate) mod pattern;
#[cfg(test)]
pub(crate) mod work;

use crate::selection::glob::{Glob, Reached};
use charpipe::files::EntryKind;
use std::ffi::OsStr;

/// The folders of version control. CVS is also an ordinary word, in other cases.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// The settings of `--include`, `--exclude` and `--hidden`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Whether each takes or leaves, in the order of the command line.
    pub(crate) rules: Vec<(Rule, Glob)>,
    pub(crate) hidden: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Include,
    Exclude,
}

/// Why an entry is left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    VersionControl,
    Hidden,
    Excluded,
}

/// How far the path of a directory has matched each glob.
pub(crate) struct Depth(Vec<Reached>);

impl Selection {
    /// Returns the state for the directory in which a search begins.
    pub(crate) fn start(&self) -> Depth {
        Depth(self.rules.iter().map(|(_, glob)| glob.start()).collect())
    }

    /// Returns the state for the directory `name` in one with the state `depth`.
    pub(crate) fn enter(&self, depth: &Depth, name: &OsStr) -> Depth {
        Depth(self.rules.iter().zip(&depth.0).map(|((_, glob), reached)| glob.enter(reached, name)).collect())
    }

    /// Returns why the entry `name` is left alone, if it is.
    pub(crate) fn leaves(&self, depth: &Depth, name: &OsStr, kind: EntryKind) -> Option<Why> {
        if is_version_control(name, kind) {
            return Some(Why::VersionControl);
        }
        if !self.hidden && is_hidden(name) {
            return Some(Why::Hidden);
        }
        let is_folder = kind == EntryKind::Folder;
        let mut rules = self.rules.iter().zip(&depth.0).rev();
        match rules.find(|((_, glob), reached)| glob.matches(reached, name, is_folder)) {
            Some(((Rule::Include, _), _)) => None,
            Some(((Rule::Exclude, _), _)) => Some(Why::Excluded),
            // There may be files to include in it.
            None if is_folder => None,
            None => self.rules.iter().any(|(rule, _)| *rule == Rule::Include).then_some(Why::Excluded),
        }
    }
}

/// Returns whether an entry belongs to version control. In another work tree and in a submodule, `.git` is a file.
fn is_version_control(name: &OsStr, kind: EntryKind) -> bool {
    // Where the file system ignores case, `.GIT` is the same.
    let is_one = VERSION_CONTROL.iter().any(|known| name.eq_ignore_ascii_case(known));
    is_one && (kind == EntryKind::Folder || name.eq_ignore_ascii_case(".git"))
        || name == "CVS" && kind == EntryKind::Folder
}

/// Returns whether a name begins with a dot. Attributes of files do not count, on any system.
fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(selection: &Selection, name: &str, kind: EntryKind) -> Option<Why> {
        selection.leaves(&selection.start(), OsStr::new(name), kind)
    }

    fn with(rules: &[(Rule, &str)]) -> Selection {
        let rules = rules.iter().map(|(rule, glob)| (*rule, Glob::parse(glob).unwrap())).collect();
        Selection { rules, hidden: false }
    }

    #[test]
    fn hidden_names_and_version_control() {
        use EntryKind::{File, Folder};

        let plain = Selection::default();
        let hidden = Selection { hidden: true, ..Selection::default() };
        for (name, kind, without, with) in [
            ("x", File, None, None),
            (".x", File, Some(Why::Hidden), None),
            (".x", Folder, Some(Why::Hidden), None),
            (".git", Folder, Some(Why::VersionControl), Some(Why::VersionControl)),
            (".git", File, Some(Why::VersionControl), Some(Why::VersionControl)),
            (".GIT", Folder, Some(Why::VersionControl), Some(Why::VersionControl)),
            (".svn", Folder, Some(Why::VersionControl), Some(Why::VersionControl)),
            (".hg", File, Some(Why::Hidden), None),
            (".gitignore", File, Some(Why::Hidden), None),
            ("CVS", Folder, Some(Why::VersionControl), Some(Why::VersionControl)),
            ("CVS", File, None, None),
            ("cvs", Folder, None, None),
        ] {
            assert_eq!((leaves(&plain, name, kind), leaves(&hidden, name, kind)), (without, with), "{name}");
        }
    }

    #[test]
    fn the_last_glob_that_matches_wins() {
        use EntryKind::{File, Folder};
        use Rule::{Exclude, Include};

        let out = Some(Why::Excluded);
        let excluding = with(&[(Exclude, "*.o"), (Exclude, "build")]);
        assert_eq!(leaves(&excluding, "x.o", File), out);
        assert_eq!(leaves(&excluding, "x.c", File), None);
        assert_eq!(leaves(&excluding, "build", Folder), out);
        let including = with(&[(Include, "*.c"), (Exclude, "test*"), (Include, "test1.c")]);
        assert_eq!(leaves(&including, "x.c", File), None);
        assert_eq!(leaves(&including, "test2.c", File), out);
        assert_eq!(leaves(&including, "test1.c", File), None);
        assert_eq!(leaves(&including, "README", File), out);
        assert_eq!(leaves(&including, "src", Folder), None);
        assert_eq!(leaves(&including, "tests", Folder), out);
        // A glob takes nothing hidden.
        assert_eq!(leaves(&with(&[(Include, ".*")]), ".x", File), Some(Why::Hidden));
    }
}
