//! The locations of files, existing or not, by the identity of their directory: different paths to one directory give
//! the same location.
//!
//! Each directory of a search is examined once, from the one that it is in. If each file had its path followed from the
//! top, the files of a directory nested a thousand times would take a million steps.

use crate::files::file_path::{Below, Cursor, Dirs, FilePath};
use crate::files::make_dir::deepest;
use charpipe::files::{End, EntryKind, Folder, FolderId, Place};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many symlinks may lead from one to the next.
const MAX_LINKS: usize = 40;

/// A directory, by its number in [`Locations`], and a name in it.
pub(super) type Location = (usize, OsString);

/// Directories that exist or would be made, each with its number.
#[derive(Default)]
pub(super) struct Locations {
    numbers: HashMap<Key, usize>,
    /// The numbers of directories that were looked up by path.
    paths: HashMap<PathBuf, usize>,
    /// The numbers of directories that were searched: by where the path begins, the search, and the directory; and
    /// whether they exist.
    known: HashMap<(*const Path, *const Dirs, usize), (usize, bool)>,
    cursor: Cursor,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Existing(FolderId),
    /// A name in another directory.
    Missing(usize, OsString),
    /// A path of which not even the beginning can be opened.
    Unknown(PathBuf),
}

impl Locations {
    /// Returns where a file is or would be. Symlinks are followed even if they lead to nothing.
    pub(super) fn of(&mut self, path: &FilePath) -> Location {
        self.find(path, Folder::sub)
    }

    /// Does what [`of`](Self::of) does. `enter` opens the directories of a search.
    fn find(&mut self, path: &FilePath, enter: impl FnMut(&Folder, &OsStr) -> io::Result<Folder>) -> Location {
        let FilePath::Below(base, below) = path else { return self.of_path(Path::new(&path.text())) };
        if below.name.is_empty() || below.dir == 0 {
            return self.of_path(Path::new(&path.text()));
        }
        let (number, folder) = self.folder(base, below, enter);
        let Some(folder) = folder else { return (number, below.name.to_os_string()) };
        let place = Place { folder, name: below.name.to_os_string() };
        if !matches!(place.look(), Ok(Some(entry)) if entry.kind == EntryKind::Link) {
            return (number, place.name);
        }
        self.end(place).unwrap_or_else(|| self.of_path(Path::new(&path.text())))
    }

    /// Returns where the file at a path is or would be.
    pub(super) fn of_path(&mut self, path: &Path) -> Location {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let Ok(target) = std::fs::read_link(&path) else { break };
            path = path.parent().unwrap_or(Path::new("")).join(target);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        (self.of_folder(folder), path.file_name().unwrap_or_default().to_owned())
    }

    /// Returns where a symlink ends; `None` if that is in a directory that cannot be opened.
    fn end(&mut self, link: Place) -> Option<Location> {
        let Ok(End::File(place, _) | End::Special(place, _)) = link.follow(true) else { return None };
        let id = place.folder.id().ok()?;
        Some((self.number(Key::Existing(id)), place.name))
    }

    /// Returns the number of the directory of a file that was found, and that directory if it exists.
    fn folder(
        &mut self,
        base: &Arc<Path>,
        below: &Below,
        mut enter: impl FnMut(&Folder, &OsStr) -> io::Result<Folder>,
    ) -> (usize, Option<Arc<Folder>>) {
        let dirs = &below.dirs;
        let key = |dir| (Arc::as_ptr(base), Arc::as_ptr(dirs), dir);
        let (mut new, mut at) = (Vec::new(), below.dir);
        let (mut number, mut exists) = loop {
            match self.known.get(&key(at)) {
                Some(known) => break *known,
                None if at == 0 => break (self.of_folder(base), true),
                None => new.push(at),
            }
            at = dirs.parent(at);
        };
        let mut folder = |dir: usize| {
            let below = Below { dirs: dirs.clone(), dir, name: dirs.name(dir).into() };
            let start = || Folder::open(base).map(Arc::new);
            self.cursor.place(&below, start, &mut enter).ok().map(|place| place.folder)
        };
        let mut found = Vec::new();
        for dir in new.into_iter().rev() {
            // What is in a directory that does not exist does not exist either.
            let id = if exists { folder(dir).and_then(|folder| folder.id().ok()) } else { None };
            exists = id.is_some();
            found.push((dir, id));
        }
        let folder = if exists { folder(below.dir) } else { None };
        for (dir, id) in found {
            let exists = id.is_some();
            let above = number;
            number = self.number(id.map_or_else(|| Key::Missing(above, dirs.name(dir).to_owned()), Key::Existing));
            self.known.insert(key(dir), (number, exists));
        }
        (number, folder)
    }

    /// Returns the number of the directory at a path.
    fn of_folder(&mut self, path: &Path) -> usize {
        if let Some(number) = self.paths.get(path) {
            return *number;
        }
        let number = match deepest(path, |_| true, Folder::open).and_then(|(folder, rest)| Ok((folder.id()?, rest))) {
            Ok((id, rest)) => {
                let start = self.number(Key::Existing(id));
                let names = rest.components().map(|part| part.as_os_str().to_owned());
                names.fold(start, |above, name| self.number(Key::Missing(above, name)))
            }
            Err(_) => self.number(Key::Unknown(path.to_owned())),
        };
        self.paths.insert(path.to_owned(), number);
        number
    }

    fn number(&mut self, key: Key) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(key).or_insert(next)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    /// In directories of any depth, each is entered once, and no file is looked up in a directory that does not exist.
    #[test]
    fn each_directory_is_entered_once() {
        let top = TempDir::new().unwrap();
        let (base, mut dirs) = (Arc::<Path>::from(top.path()), Dirs::new());
        let mut order = vec![0];
        for at in 0..200 {
            order.push(dirs.add(order[at], "d".into()));
        }
        fs::create_dir_all(top.path().join("d/".repeat(100))).unwrap();
        let (dirs, mut locations, mut entered) = (Arc::new(dirs), Locations::default(), 0);
        for dir in order.split_off(1) {
            for name in ["x", "y"] {
                let path =
                    FilePath::Below(base.clone(), Below { dirs: dirs.clone(), dir, name: OsStr::new(name).into() });
                let enter = |folder: &Folder, name: &OsStr| {
                    entered += 1;
                    folder.sub(name)
                };
                let found = locations.find(&path, enter);
                assert!(found == locations.of_path(Path::new(&path.text())) && found.1 == name);
            }
        }
        // The last one that was looked for is the first that does not exist.
        assert_eq!(entered, 101);
        // One number for each, and for the first one.
        assert_eq!(locations.numbers.len(), 201);
    }

    #[test]
    fn symlinks_are_followed_to_nothing() {
        let top = TempDir::new().unwrap();
        let path = |name: &str| top.path().join(name);
        fs::create_dir_all(path("out/d")).unwrap();
        symlink("../new", path("out/d/near")).unwrap();
        symlink("near", path("out/d/chain")).unwrap();
        symlink("../missing/new", path("out/d/far")).unwrap();
        symlink("d", path("out/here")).unwrap();
        let mut dirs = Dirs::new();
        let (dir, missing) = (dirs.add(0, "d".into()), dirs.add(0, "missing".into()));
        let (base, dirs, mut locations) = (Arc::<Path>::from(path("out")), Arc::new(dirs), Locations::default());
        let mut of = |dir, name: &str| {
            locations
                .of(&FilePath::Below(base.clone(), Below { dirs: dirs.clone(), dir, name: OsStr::new(name).into() }))
        };
        assert!(of(dir, "near") == of(0, "new") && of(dir, "chain") == of(0, "new"));
        assert!(of(dir, "far") == of(missing, "new") && of(dir, "far") != of(0, "new"));
        assert!(of(dir, "x") != of(0, "x"));
        assert!(of(dir, "x") == locations.of_path(&path("out/here/x")));
    }
}
