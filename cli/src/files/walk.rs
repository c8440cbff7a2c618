//! `-r`: the files in a directory. The way goes from one open directory to the next and follows no symlink, neither when
//! the files are looked for nor when they are opened.

use crate::files::folder::{Folder, FolderId, Kind};
use crate::files::place::{Place, changed};
use crate::messages::say;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::vec::IntoIter;

/// How many directories that were named are held open during the run. The others are opened again for each of their
/// files, and have to be what they were.
const HELD: usize = 4;

/// A directory that was named.
pub(crate) struct Root {
    path: PathBuf,
    id: FolderId,
    held: Option<Arc<Folder>>,
}

/// A file that was found.
pub(crate) struct Found {
    pub(crate) path: OsString,
    pub(crate) root: Arc<Root>,
    /// Its path below the directory that was named.
    pub(crate) below: PathBuf,
    /// Why what is in it, or it itself, could not be looked at.
    pub(crate) trouble: Option<String>,
}

impl Root {
    fn open(&self) -> io::Result<Arc<Folder>> {
        if let Some(folder) = &self.held {
            return Ok(folder.clone());
        }
        let folder = Folder::open(&self.path)?;
        if folder.id()? != self.id {
            return Err(io::Error::other("the directory was changed by somebody else"));
        }
        Ok(Arc::new(folder))
    }

    /// Where a file that was found is.
    pub(crate) fn place(&self, below: &Path) -> io::Result<Place> {
        descend(self.open()?, below, |folder, name| folder.sub(name))
    }
}

/// Goes down from a directory to the one that the file `below` is in, a component at a time, as `enter` does it.
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

/// Says why a directory could not be entered where the system does not: it is a symlink.
fn explain(folder: &Folder, name: &OsStr, error: io::Error) -> io::Error {
    match folder.look(name) {
        Ok(Some(entry)) if entry.kind == Kind::Link => {
            let name = crate::messages::Name::of_path(name);
            io::Error::other(format!("the directory {name} is a symbolic link, which is not followed here"))
        }
        _ => error,
    }
}

/// The way through directories.
pub(crate) struct Walk<'a> {
    /// What the name of a backup has behind that of its file.
    suffix: Option<&'a OsStr>,
    /// Directories and files that are written to, by their names: what is in them comes of the inputs.
    own: Vec<PathBuf>,
    roots: usize,
    links: usize,
    special: usize,
}

/// A directory on the way.
struct Level {
    id: FolderId,
    entries: IntoIter<(OsString, Kind)>,
}

impl<'a> Walk<'a> {
    /// `suffix` is that of the backups, `own` what is written to.
    pub(crate) fn new<'p>(suffix: Option<&'a OsStr>, own: impl Iterator<Item = &'p PathBuf>) -> Self {
        let own = own.filter_map(|path| fs::canonicalize(path).ok()).collect();
        Walk { suffix, own, roots: 0, links: 0, special: 0 }
    }

    /// The files in the directory `operand`, in the order of their names.
    pub(crate) fn files(&mut self, operand: &OsStr) -> Vec<Found> {
        let mut all = Vec::new();
        let root = match self.root(operand) {
            Ok(root) => Arc::new(root),
            Err(error) => {
                let root = Arc::new(Root { path: operand.into(), id: Default::default(), held: None });
                return vec![trouble(&root, PathBuf::new(), &error)];
            }
        };
        if let Err((below, error)) = self.go(&root, &mut all) {
            all.push(trouble(&root, below, &error));
        }
        self.leave_backups(&mut all);
        all
    }

    fn root(&mut self, operand: &OsStr) -> io::Result<Root> {
        let folder = Folder::open(Path::new(operand))?;
        let id = folder.id()?;
        self.roots += 1;
        Ok(Root { path: operand.into(), id, held: (self.roots <= HELD).then(|| Arc::new(folder)) })
    }

    /// Goes through a directory and all below it. One is open at a time: the way back is by `..`, which has to lead to
    /// where the way came from.
    fn go(&mut self, root: &Arc<Root>, all: &mut Vec<Found>) -> Result<(), (PathBuf, io::Error)> {
        let mut below = PathBuf::new();
        let mut here = root.open().map_err(|error| (below.clone(), error))?;
        let mut levels = vec![Level::of(&here).map_err(|error| (below.clone(), error))?];
        while let Some(level) = levels.last_mut() {
            let Some((name, kind)) = level.entries.next() else {
                levels.pop();
                if let Some(level) = levels.last() {
                    here = Arc::new(back(&here, &level.id).map_err(|error| (below.clone(), error))?);
                    below.pop();
                }
                continue;
            };
            let path = below.join(&name);
            if self.is_own(root, &path) {
                continue;
            }
            match kind {
                Kind::Link => self.links += 1,
                Kind::File => all.push(Found::new(root, path, None)),
                Kind::Folder => {
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
                Kind::Fifo | Kind::Device => self.special += 1,
            }
        }
        Ok(())
    }

    /// Whether it is written to by this run.
    fn is_own(&self, root: &Root, below: &Path) -> bool {
        self.own.iter().any(|own| own.file_name() == below.file_name())
            && fs::canonicalize(root.path.join(below)).is_ok_and(|path| self.own.contains(&path))
    }

    /// Takes what an earlier run has kept from the files.
    fn leave_backups(&self, found: &mut Vec<Found>) {
        let Some(suffix) = self.suffix else { return };
        let backups: HashSet<OsString> =
            found.iter().map(|found| [&*found.path, suffix].into_iter().collect()).collect();
        found.retain(|found| !backups.contains(&found.path));
    }

    /// Says what was passed over.
    pub(crate) fn say(&self) {
        match self.links {
            0 => {}
            1 => say("1 symlink passed over (name it to have what it leads to)"),
            links => say(format_args!("{links} symlinks passed over (name them to have what they lead to)")),
        }
        match self.special {
            0 => {}
            1 => say("1 passed over that is no regular file"),
            special => say(format_args!("{special} passed over that are no regular files")),
        }
    }
}

impl Level {
    fn of(folder: &Folder) -> io::Result<Self> {
        let mut entries = folder.entries()?;
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(Level { id: folder.id()?, entries: entries.into_iter() })
    }
}

impl Found {
    fn new(root: &Arc<Root>, below: PathBuf, trouble: Option<String>) -> Self {
        let path = if below.as_os_str().is_empty() { root.path.clone() } else { root.path.join(&below) };
        Found { path: path.into(), root: root.clone(), below, trouble }
    }
}

fn trouble(root: &Arc<Root>, below: PathBuf, error: &io::Error) -> Found {
    Found::new(root, below, Some(error.to_string()))
}

/// Goes back to the directory that `folder` was entered from.
fn back(folder: &Folder, id: &FolderId) -> io::Result<Folder> {
    let parent = folder.parent()?;
    if parent.id()? == *id { Ok(parent) } else { Err(changed()) }
}
