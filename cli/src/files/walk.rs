//! `-r`: finds the files in a directory. The search goes from one open directory to the next and follows no symlink,
//! neither when files are found nor when they are opened later.

use crate::files::name::Name;
use charpipe::files::{EntryKind, Folder, FolderId, Place, changed};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::vec::IntoIter;

/// How many of the directories that the user named are held open during the run. The others are opened again for each of
/// their files, and must still be the same directories.
const MAX_HELD_ROOTS: usize = 4;

/// A directory that the user named.
pub(crate) struct Root {
    path: PathBuf,
    id: FolderId,
    /// The open directory, if it is held open.
    held: Option<Arc<Folder>>,
}

/// A file that was found.
pub(crate) struct FoundFile {
    pub(crate) path: OsString,
    pub(crate) root: Arc<Root>,
    /// The path below the directory that the user named.
    pub(crate) below: PathBuf,
    /// Why the file, or the contents of a directory, could not be examined.
    pub(crate) trouble: Option<String>,
}

impl Root {
    fn open(&self) -> io::Result<Arc<Folder>> {
        if let Some(folder) = &self.held {
            return Ok(folder.clone());
        }
        let folder = Folder::open(&self.path)?;
        if folder.id()? != self.id {
            return Err(io::Error::other("another process has replaced the directory meanwhile"));
        }
        Ok(Arc::new(folder))
    }

    /// Returns the place of a file that was found.
    pub(crate) fn place(&self, below: &Path) -> io::Result<Place> {
        descend(self.open()?, below, |folder, name| folder.sub(name))
    }
}

/// Goes down from a directory to the one that the file `below` is in. `enter` opens each component of the path.
pub(crate) fn descend(
    mut folder: Arc<Folder>,
    below: &Path,
    mut enter: impl FnMut(&Folder, &OsStr) -> io::Result<Folder>,
) -> io::Result<Place> {
    let name = below.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    for component in below.parent().into_iter().flat_map(Path::components) {
        let Component::Normal(component) = component else { return Err(io::ErrorKind::InvalidInput.into()) };
        folder = Arc::new(enter(&folder, component).map_err(|error| explain(&folder, component, error))?);
    }
    Ok(Place { folder, name: name.to_owned() })
}

/// Returns a better error for a directory that could not be entered because it is a symlink.
fn explain(folder: &Folder, name: &OsStr, error: io::Error) -> io::Error {
    match folder.look(name) {
        Ok(Some(entry)) if entry.kind == EntryKind::Link => {
            let name = Name::of_path(name);
            io::Error::other(format!("the directory {name} is a symbolic link, which is not followed here"))
        }
        _ => error,
    }
}

/// A search through directories.
pub(crate) struct Walk<'a> {
    /// What is appended to the name of a file to get that of its backup.
    suffix: Option<&'a OsStr>,
    /// The directories and files that this run writes to: their contents are not inputs.
    outputs: Vec<PathBuf>,
    roots: usize,
    links: usize,
    special: usize,
}

/// A directory that is being searched.
struct Level {
    id: FolderId,
    entries: IntoIter<(OsString, EntryKind)>,
}

impl<'a> Walk<'a> {
    /// Creates a search. `suffix` is that of backups, and `outputs` are the paths that the run writes to.
    pub(crate) fn new<'p>(suffix: Option<&'a OsStr>, outputs: impl Iterator<Item = &'p PathBuf>) -> Self {
        let outputs = outputs.filter_map(|path| fs::canonicalize(path).ok()).collect();
        Walk { suffix, outputs, roots: 0, links: 0, special: 0 }
    }

    /// Returns the files in the directory `operand`, sorted by name.
    pub(crate) fn files(&mut self, operand: &OsStr) -> Vec<FoundFile> {
        let mut all = Vec::new();
        let root = match self.root(operand) {
            Ok(root) => Arc::new(root),
            Err(error) => {
                let root = Arc::new(Root { path: operand.into(), id: Default::default(), held: None });
                return vec![trouble(&root, PathBuf::new(), &error)];
            }
        };
        if let Err((below, error)) = self.search(&root, &mut all) {
            all.push(trouble(&root, below, &error));
        }
        self.remove_backups(&mut all);
        all
    }

    fn root(&mut self, operand: &OsStr) -> io::Result<Root> {
        let folder = Folder::open(Path::new(operand))?;
        let id = folder.id()?;
        self.roots += 1;
        Ok(Root { path: operand.into(), id, held: (self.roots <= MAX_HELD_ROOTS).then(|| Arc::new(folder)) })
    }

    /// Searches a directory and everything below it. One directory is open at a time: the way back is by `..`, which must
    /// lead to the directory that the search came from.
    fn search(&mut self, root: &Arc<Root>, all: &mut Vec<FoundFile>) -> Result<(), (PathBuf, io::Error)> {
        let mut below = PathBuf::new();
        let mut here = root.open().map_err(|error| (below.clone(), error))?;
        let mut levels = vec![Level::of(&here).map_err(|error| (below.clone(), error))?];
        while let Some(level) = levels.last_mut() {
            let Some((name, kind)) = level.entries.next() else {
                levels.pop();
                if let Some(level) = levels.last() {
                    here = Arc::new(go_back(&here, &level.id).map_err(|error| (below.clone(), error))?);
                    below.pop();
                }
                continue;
            };
            let path = below.join(&name);
            if self.is_output(root, &path) {
                continue;
            }
            match kind {
                EntryKind::Link => self.links += 1,
                EntryKind::File => all.push(FoundFile::new(root, path, None)),
                EntryKind::Folder => {
                    let entered = here.sub(&name).map_err(|error| explain(&here, &name, error));
                    match entered.and_then(|sub| Ok((Level::of(&sub)?, sub))) {
                        Ok((level, sub)) => {
                            levels.push(level);
                            here = Arc::new(sub);
                            below = path;
                        }
                        Err(error) => all.push(trouble(root, path, &error)),
                    }
                }
                EntryKind::Fifo | EntryKind::Device => self.special += 1,
            }
        }
        Ok(())
    }

    /// Returns whether this run writes to the path.
    fn is_output(&self, root: &Root, below: &Path) -> bool {
        self.outputs.iter().any(|output| output.file_name() == below.file_name())
            && fs::canonicalize(root.path.join(below)).is_ok_and(|path| self.outputs.contains(&path))
    }

    /// Removes the backups of an earlier run from the files.
    fn remove_backups(&self, found: &mut Vec<FoundFile>) {
        let Some(suffix) = self.suffix else { return };
        let backups: HashSet<OsString> =
            found.iter().map(|found| [&*found.path, suffix].into_iter().collect()).collect();
        found.retain(|found| !backups.contains(&found.path));
    }

    /// Returns messages about the entries that were skipped.
    pub(crate) fn skipped(&self) -> Vec<String> {
        let mut messages = Vec::new();
        match self.links {
            0 => {}
            1 => messages.push("skipped 1 symbolic link (to convert what it leads to, name it)".to_owned()),
            links => {
                messages.push(format!("skipped {links} symbolic links (to convert what they lead to, name them)"));
            }
        }
        match self.special {
            0 => {}
            1 => messages.push("skipped 1 entry that is not a regular file".to_owned()),
            special => messages.push(format!("skipped {special} entries that are not regular files")),
        }
        messages
    }
}

impl Level {
    /// Begins to search an open directory.
    fn of(folder: &Folder) -> io::Result<Self> {
        let mut entries = folder.entries()?;
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(Level { id: folder.id()?, entries: entries.into_iter() })
    }
}

impl FoundFile {
    fn new(root: &Arc<Root>, below: PathBuf, trouble: Option<String>) -> Self {
        let path = if below.as_os_str().is_empty() { root.path.clone() } else { root.path.join(&below) };
        FoundFile { path: path.into(), root: root.clone(), below, trouble }
    }
}

fn trouble(root: &Arc<Root>, below: PathBuf, error: &io::Error) -> FoundFile {
    FoundFile::new(root, below, Some(error.to_string()))
}

/// Opens the directory that `folder` is in, which must be the one with this identity.
fn go_back(folder: &Folder, id: &FolderId) -> io::Result<Folder> {
    let parent = folder.parent()?;
    if parent.id()? == *id { Ok(parent) } else { Err(changed()) }
}
