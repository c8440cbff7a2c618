//! Paths of files, and the way to files that were found in directories.
//!
//! A file in a deep directory has a long path. If each file had its own copy, and were opened from the top, the files
//! of a directory nested a thousand times would take a million steps. So a [`FilePath`] shares the names of directories
//! with those of other files and becomes text only when someone reads it, and a [`Cursor`] goes from the directory of
//! one file to that of the next.

use crate::files::name_text::Texts;
use charpipe::files::{EntryKind, Folder, FolderId, Place};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// No system opens a longer path at once, in bytes: Windows has 32 767 characters, Linux 4096 bytes.
const MAX_OPENED: usize = 128 * 1024;

/// The directories that a search went through. The first is where it began; each follows the one that it is in.
#[derive(Default)]
pub(crate) struct Dirs(Vec<Dir>);

struct Dir {
    name: OsString,
    /// The directory that it is in.
    parent: usize,
    depth: usize,
    /// The length of its path below the first one, with a separator after each name.
    len: usize,
}

impl Dirs {
    /// Returns the beginning of a search.
    pub(crate) fn new() -> Self {
        Dirs(vec![Dir { name: OsString::new(), parent: 0, depth: 0, len: 0 }])
    }

    /// Adds a directory in `parent`, and returns its index.
    pub(crate) fn add(&mut self, parent: usize, name: OsString) -> usize {
        let Dir { depth, len, .. } = self.0[parent];
        let len = len + name.len() + 1;
        self.0.push(Dir { name, parent, depth: depth + 1, len });
        self.0.len() - 1
    }

    pub(crate) fn name(&self, dir: usize) -> &OsStr {
        &self.0[dir].name
    }

    pub(crate) fn parent(&self, dir: usize) -> usize {
        self.0[dir].parent
    }

    /// Returns the path of the entry `name` of a directory, as seen from `base`. Without a name, that of the directory.
    pub(crate) fn path(&self, base: &Path, dir: usize, name: &OsStr) -> PathBuf {
        let mut names: Vec<&OsStr> = self.way(0, dir).into_iter().map(|dir| self.name(dir)).collect();
        names.extend((!name.is_empty()).then_some(name));
        let mut path = PathBuf::with_capacity(base.as_os_str().len() + 1 + self.0[dir].len + name.len());
        path.push(base);
        path.extend(names);
        path
    }

    /// Returns the directories from below `from` down to `to`, which is in it.
    fn way(&self, from: usize, to: usize) -> Vec<usize> {
        let mut way = Vec::new();
        let mut at = to;
        while at != from {
            way.push(at);
            at = self.parent(at);
        }
        way.reverse();
        way
    }

    /// Returns the deepest directory that both are in, or that they are.
    fn common(&self, one: usize, other: usize) -> usize {
        let (mut one, mut other) = (one, other);
        while one != other {
            // The deeper one goes up, or both.
            let (first, second) = (self.0[one].depth, self.0[other].depth);
            one = if first >= second { self.parent(one) } else { one };
            other = if second >= first { self.parent(other) } else { other };
        }
        one
    }
}

/// The path of an entry below the directory in which a search began.
#[derive(Clone)]
pub(crate) struct Below {
    pub(crate) dirs: Arc<Dirs>,
    /// The directory that it is in.
    pub(crate) dir: usize,
    /// Empty for the directory itself. Shared by the paths of a file and of its output.
    pub(crate) name: Arc<OsStr>,
}

impl Below {
    /// Returns the path of an entry of the first directory.
    pub(crate) fn of_name(name: OsString) -> Self {
        Below { dirs: Arc::new(Dirs::new()), dir: 0, name: name.into() }
    }

    /// Appends `suffix` to the name.
    pub(crate) fn add(&mut self, suffix: &OsStr) {
        if !suffix.is_empty() {
            let mut name = self.name.to_os_string();
            name.push(suffix);
            self.name = name.into();
        }
    }

    /// Returns whether it is the first directory itself.
    pub(crate) fn is_empty(&self) -> bool {
        self.dir == 0 && self.name.is_empty()
    }
}

/// The path of a file.
#[derive(Clone)]
pub(crate) enum FilePath {
    Text(OsString),
    /// Below a directory.
    Below(Arc<Path>, Below),
}

impl FilePath {
    /// Returns the path as text.
    pub(crate) fn text(&self) -> Cow<'_, OsStr> {
        match self {
            FilePath::Text(text) => Cow::Borrowed(text),
            FilePath::Below(base, below) => Cow::Owned(below.dirs.path(base, below.dir, &below.name).into()),
        }
    }

    /// Returns the path as text, to open it at once; `None` if it is too long for that.
    pub(crate) fn to_open(&self) -> Option<Cow<'_, OsStr>> {
        let is_too_long = matches!(self, FilePath::Below(_, below) if below.dirs.0[below.dir].len > MAX_OPENED);
        (!is_too_long).then(|| self.text())
    }

    /// Returns the path with a text after its name.
    pub(crate) fn with_suffix(&self, suffix: &OsStr) -> FilePath {
        let mut path = self.clone();
        match &mut path {
            FilePath::Text(text) => text.push(suffix),
            FilePath::Below(_, below) => below.add(suffix),
        }
        path
    }

    /// Returns the last name in the path; empty if it can only be that of a directory.
    pub(crate) fn file_name(&self) -> OsString {
        match self {
            FilePath::Text(text) => Path::new(text).file_name().unwrap_or_default().to_owned(),
            FilePath::Below(_, below) => below.name.to_os_string(),
        }
    }
}

/// Opens the directories of files, one after the other. It holds one of them open, and continues from there.
#[derive(Default)]
pub(crate) struct Cursor(Mutex<Option<Position>>);

/// An open directory, and how it was reached.
struct Position {
    dirs: Arc<Dirs>,
    dir: usize,
    folder: Arc<Folder>,
    /// The identities of the first directory, and of those from there to this one.
    ids: Vec<FolderId>,
}

impl Cursor {
    /// Returns the place of a file. `start` opens the directory where the search began, and `enter` each directory in
    /// it.
    pub(crate) fn place(
        &self,
        below: &Below,
        start: impl FnOnce() -> io::Result<Arc<Folder>>,
        mut enter: impl FnMut(&Folder, &OsStr) -> io::Result<Folder>,
    ) -> io::Result<Place> {
        let Below { dirs, dir, name } = below;
        if name.is_empty() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if *dir == 0 {
            return Ok(Place { folder: start()?, name: name.to_os_string() });
        }
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let near = held.take().filter(|position| Arc::ptr_eq(&position.dirs, dirs));
        let above = near.and_then(|position| {
            let common = dirs.common(position.dir, *dir);
            position.up(common)
        });
        let mut position = match above {
            Some(position) => position,
            None => Position::at_start(dirs, start()?)?,
        };
        for dir in dirs.way(position.dir, *dir) {
            let (here, name) = (&position.folder, dirs.name(dir));
            match enter(here, name).and_then(|folder| Ok((folder.id()?, folder))) {
                Ok((id, folder)) => {
                    position.ids.push(id);
                    (position.dir, position.folder) = (dir, Arc::new(folder));
                }
                Err(error) => {
                    let error = explain(here, name, error);
                    *held = Some(position);
                    return Err(error);
                }
            }
        }
        let folder = position.folder.clone();
        *held = Some(position);
        Ok(Place { folder, name: name.to_os_string() })
    }
}

impl Position {
    fn at_start(dirs: &Arc<Dirs>, folder: Arc<Folder>) -> io::Result<Self> {
        let ids = vec![folder.id()?];
        Ok(Position { dirs: dirs.clone(), dir: 0, folder, ids })
    }

    /// Goes up to `dir`, which this directory is in. Returns `None` if the way up no longer leads through the
    /// directories that the way down led through: the next file is then reached from the top.
    fn up(mut self, dir: usize) -> Option<Self> {
        while self.dir != dir {
            let parent = self.folder.parent().ok()?;
            self.ids.pop();
            if parent.id().ok().as_ref() != self.ids.last() {
                return None;
            }
            self.folder = Arc::new(parent);
            self.dir = self.dirs.parent(self.dir);
        }
        Some(self)
    }
}

/// Returns a better error for a directory that could not be entered because it is a symlink.
pub(crate) fn explain(folder: &Folder, name: &OsStr, error: io::Error) -> io::Error {
    match folder.look(name) {
        Ok(Some(entry)) if entry.kind == EntryKind::Link => {
            let name = Texts::of(name).shown;
            io::Error::other(format!("the directory {name} is a symbolic link, which is not followed here"))
        }
        _ => error,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    /// Makes directories nested in one another, with a second one in each, and returns them in the order of a search.
    fn nested(root: &Path, depth: usize) -> (Dirs, Vec<usize>) {
        let (mut dirs, mut order, mut at, mut path) = (Dirs::new(), Vec::new(), 0, root.to_owned());
        for _ in 0..depth {
            path.push("d");
            fs::create_dir_all(path.join("e")).unwrap();
            at = dirs.add(at, "d".into());
            order.push(at);
        }
        // The second ones come after everything in the first ones.
        for _ in 0..depth {
            order.push(dirs.add(at, "e".into()));
            at = dirs.parent(at);
        }
        (dirs, order)
    }

    /// In directories of any depth, each is entered once, and the first one is opened once.
    #[test]
    fn each_directory_is_entered_once() {
        let folder = TempDir::new().unwrap();
        let (dirs, order) = nested(folder.path(), 100);
        let (dirs, cursor, mut started, mut entered) = (Arc::new(dirs), Cursor::default(), 0, 0);
        for dir in &order {
            let path = dirs.path(folder.path(), *dir, "x".as_ref());
            fs::write(&path, path.as_os_str().as_encoded_bytes()).unwrap();
            // Two files in each.
            for _ in 0..2 {
                let start = || {
                    started += 1;
                    Folder::open(folder.path()).map(Arc::new)
                };
                let enter = |folder: &Folder, name: &OsStr| {
                    entered += 1;
                    folder.sub(name)
                };
                let below = Below { dirs: dirs.clone(), dir: *dir, name: OsStr::new("x").into() };
                let place = cursor.place(&below, start, enter).unwrap();
                let read = io::read_to_string(place.folder.read(&place.name).unwrap()).unwrap();
                assert_eq!(Path::new(&read), path);
            }
        }
        assert_eq!((started, entered), (1, order.len()));
    }

    /// A directory that was moved is not a way to others: these are reached from the top.
    #[test]
    fn the_way_up_leads_through_the_same_directories() {
        let folder = TempDir::new().unwrap();
        let (dirs, order) = nested(folder.path(), 3);
        let (dirs, cursor) = (Arc::new(dirs), Cursor::default());
        let place = |dir: usize| {
            let below = Below { dirs: dirs.clone(), dir, name: OsStr::new("x").into() };
            cursor.place(&below, || Folder::open(folder.path()).map(Arc::new), |folder, name| folder.sub(name))
        };
        place(order[3]).unwrap();
        fs::rename(folder.path().join("d/d/d"), folder.path().join("moved")).unwrap();
        fs::create_dir(folder.path().join("e")).unwrap();
        fs::write(folder.path().join("d/d/e/x"), "right").unwrap();
        fs::write(folder.path().join("e/x"), "wrong").unwrap();
        let place = place(order[4]).unwrap();
        assert_eq!(io::read_to_string(place.folder.read(&place.name).unwrap()).unwrap(), "right");
    }

    #[test]
    fn paths_are_put_together() {
        let mut dirs = Dirs::new();
        let one = dirs.add(0, "a".into());
        let dir = dirs.add(one, "b".into());
        let below = Below { dirs: Arc::new(dirs), dir, name: OsStr::new("c").into() };
        let path = FilePath::Below(Path::new("./top").into(), below);
        assert_eq!((&*path.text(), &*path.file_name()), (OsStr::new("./top/a/b/c"), OsStr::new("c")));
        assert_eq!(path.with_suffix(".old".as_ref()).name().shown(), "./top/a/b/c.old");
        assert_eq!(Below::of_name("x".into()).dirs.path(Path::new(""), 0, "x".as_ref()), Path::new("x"));
    }
}
