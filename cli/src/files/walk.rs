//! `-r`: finds the files in a directory. The search goes from one open directory to the next and follows no symlink,
//! neither when files are found nor when they are opened later.

use crate::files::file_path::{Below, Cursor, Dirs, FilePath, explain};
use crate::selection::left_alone::LeftAlone;
use crate::selection::{Depth, Selection};
use charpipe::files::{End, EntryKind, Folder, FolderId, Place, changed, is_temporary_name};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec::IntoIter;

/// How many of the directories that the user named are held open during the run. The others are opened again for each
/// of their files, and must still be the same directories.
const MAX_HELD_ROOTS: usize = 4;

/// A directory that the user named.
pub(crate) struct Root {
    path: Arc<Path>,
    id: FolderId,
    /// The open directory, if it is held open.
    held: Option<Arc<Folder>>,
}

/// A file that was found.
pub(crate) struct FoundFile {
    pub(crate) root: Arc<Root>,
    pub(crate) below: Below,
    /// Why the file, or the contents of a directory, could not be examined.
    pub(crate) trouble: Option<String>,
}

impl FoundFile {
    pub(crate) fn path(&self) -> FilePath {
        FilePath::Below(self.root.path.clone(), self.below.clone())
    }
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
    pub(crate) fn place(&self, below: &Below, cursor: &Cursor) -> io::Result<Place> {
        cursor.place(below, || self.open(), |folder, name| folder.sub(name))
    }
}

/// A search through directories.
pub(crate) struct Walk<'a> {
    /// The suffix of the name of a backup.
    suffix: Option<&'a OsStr>,
    selection: &'a Selection,
    /// The directories and files that this run writes to: their contents are not inputs. Each is a name in a directory.
    outputs: Vec<(FolderId, OsString)>,
    /// Those of them that are directories.
    output_dirs: Vec<FolderId>,
    roots: usize,
    left_alone: LeftAlone,
}

/// The result of a search.
struct Found {
    dirs: Dirs,
    entries: Vec<Entry>,
}

/// A file, or a directory that could not be searched. It has no name if it is `dir` itself.
struct Entry {
    dir: usize,
    name: OsString,
    trouble: Option<String>,
}

/// A directory that is being searched.
struct Level {
    id: FolderId,
    depth: Depth,
    entries: IntoIter<(OsString, EntryKind)>,
}

impl<'a> Walk<'a> {
    /// Creates a search for what `selection` takes. `suffix` is that of backups, and `outputs` are the paths that the
    /// run writes to.
    pub(crate) fn new<'p>(
        selection: &'a Selection,
        suffix: Option<&'a OsStr>,
        outputs: impl Iterator<Item = &'p PathBuf>,
    ) -> Self {
        let outputs: Vec<&PathBuf> = outputs.collect();
        let folder_id = |path: &&PathBuf| Folder::open(path).and_then(|folder| folder.id()).ok();
        Walk {
            suffix,
            selection,
            outputs: outputs.iter().filter_map(|path| location(path)).collect(),
            output_dirs: outputs.iter().filter_map(folder_id).collect(),
            roots: 0,
            left_alone: LeftAlone::default(),
        }
    }

    /// Returns the files in the directory `operand`, sorted by name. All of it is searched before this returns.
    pub(crate) fn files(&mut self, operand: &OsStr) -> impl Iterator<Item = FoundFile> + use<> {
        let mut found = Found { dirs: Dirs::new(), entries: Vec::new() };
        let path = Arc::from(Path::new(operand));
        let root = match self.root(operand) {
            Ok(root) => {
                if let Err((dir, error)) = self.search(&root, &mut found) {
                    let name = found.dirs.name(dir).to_owned();
                    found.entries.push(Entry::troubled(found.dirs.parent(dir), name, &error));
                }
                root
            }
            Err(error) => {
                found.entries.push(Entry::troubled(0, OsString::new(), &error));
                Root { path, id: Default::default(), held: None }
            }
        };
        let (root, dirs) = (Arc::new(root), Arc::new(found.dirs));
        found.entries.into_iter().map(move |Entry { dir, name, trouble }| {
            let below = Below { dirs: dirs.clone(), dir, name: name.into() };
            FoundFile { root: root.clone(), below, trouble }
        })
    }

    fn root(&mut self, operand: &OsStr) -> io::Result<Root> {
        let folder = Folder::open(Path::new(operand))?;
        let id = folder.id()?;
        self.roots += 1;
        let held = (self.roots <= MAX_HELD_ROOTS).then(|| Arc::new(folder));
        Ok(Root { path: Path::new(operand).into(), id, held })
    }

    /// Searches a directory and everything below it. One directory is open at a time: the way back is by `..`, which
    /// must lead to the directory that the search came from.
    fn search(&mut self, root: &Root, found: &mut Found) -> Result<(), (usize, io::Error)> {
        let mut at = 0;
        let mut here = root.open().map_err(|error| (at, error))?;
        let mut levels = vec![Level::of(&here, self.selection.start()).map_err(|error| (at, error))?];
        while let Some(level) = levels.last_mut() {
            let Some((name, kind)) = level.entries.next() else {
                levels.pop();
                if let Some(level) = levels.last() {
                    here = Arc::new(go_back(&here, &level.id).map_err(|error| (at, error))?);
                    at = found.dirs.parent(at);
                }
                continue;
            };
            let is_left_over = kind == EntryKind::File && is_temporary_name(&name);
            if is_left_over || self.is_output(&here, &level.id, &name, kind) {
                continue;
            }
            if let Some(why) = self.selection.leaves(&level.depth, &name, kind) {
                self.left_alone.add(why);
                continue;
            }
            match kind {
                EntryKind::Link => self.left_alone.symlinks += 1,
                EntryKind::File if self.is_backup(&here, &name) => {}
                EntryKind::File => found.entries.push(Entry { dir: at, name, trouble: None }),
                EntryKind::Folder => {
                    let depth = self.selection.enter(&level.depth, &name);
                    let entered = here.sub(&name).map_err(|error| explain(&here, &name, error));
                    match entered.and_then(|sub| Ok((Level::of(&sub, depth)?, sub))) {
                        Ok((level, sub)) => {
                            levels.push(level);
                            here = Arc::new(sub);
                            at = found.dirs.add(at, name);
                        }
                        Err(error) => found.entries.push(Entry::troubled(at, name, &error)),
                    }
                }
                EntryKind::Fifo | EntryKind::Device => self.left_alone.special += 1,
            }
        }
        Ok(())
    }

    /// Returns whether this run writes to the entry `name` of the directory `here`, or to what a symlink of that name
    /// leads to. Files of that name can be in every directory, so their paths are not followed from the top.
    fn is_output(&self, here: &Arc<Folder>, id: &FolderId, name: &OsStr, kind: EntryKind) -> bool {
        if !self.outputs.iter().any(|(_, output)| output == name) {
            return false;
        }
        let is_at =
            |id: &FolderId, name: &OsStr| self.outputs.iter().any(|output| (&output.0, &*output.1) == (id, name));
        if kind != EntryKind::Link {
            return is_at(id, name);
        }
        match (Place { folder: here.clone(), name: name.to_owned() }).follow(true) {
            Ok(End::File(place, Some(_)) | End::Special(place, _)) => {
                place.folder.id().is_ok_and(|id| is_at(&id, &place.name))
            }
            Ok(_) => false,
            // It may lead to the directory of the outputs.
            Err(_) => {
                here.at(Path::new(name)).and_then(|folder| folder.id()).is_ok_and(|id| self.output_dirs.contains(&id))
            }
        }
    }

    /// Returns whether a file of the directory `here` is the backup of another one. That one is looked for by its name:
    /// a run that replaces it at this moment may keep it out of the list of names.
    fn is_backup(&self, here: &Folder, name: &OsStr) -> bool {
        let Some(suffix) = self.suffix else { return false };
        let Some(of) = without_suffix(name, suffix) else { return false };
        matches!(here.look(of), Ok(Some(charpipe::files::Entry { kind: EntryKind::File, .. })))
    }

    /// Returns what was left alone so far.
    pub(crate) fn left_alone(&self) -> LeftAlone {
        self.left_alone
    }
}

impl Level {
    /// Begins to search an open directory.
    fn of(folder: &Folder, depth: Depth) -> io::Result<Self> {
        #[cfg(test)]
        crate::selection::work::step();
        let mut entries = folder.entries()?;
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        // A directory that changes meanwhile may be listed with a name twice.
        entries.dedup_by(|one, other| one.0 == other.0);
        Ok(Level { id: folder.id()?, depth, entries: entries.into_iter() })
    }
}

impl Entry {
    fn troubled(dir: usize, name: OsString, error: &io::Error) -> Self {
        Entry { dir, name, trouble: Some(error.to_string()) }
    }
}

/// Returns the directory that the file or directory at `path` is in, and its name there, if it exists.
fn location(path: &Path) -> Option<(FolderId, OsString)> {
    let path = fs::canonicalize(path).ok()?;
    let folder = Folder::open(path.parent()?).ok()?;
    Some((folder.id().ok()?, path.file_name()?.to_owned()))
}

/// Returns a name without `suffix`, if it ends in that and has more.
fn without_suffix<'n>(name: &'n OsStr, suffix: &OsStr) -> Option<&'n OsStr> {
    let rest = name.as_encoded_bytes().strip_suffix(suffix.as_encoded_bytes()).filter(|rest| !rest.is_empty())?;
    // Only where Unicode text is cut may the bytes of a name be cut.
    #[cfg(unix)]
    return Some(std::os::unix::ffi::OsStrExt::from_bytes(rest));
    #[cfg(not(unix))]
    return std::str::from_utf8(rest).ok().map(OsStr::new);
}

/// Opens the directory that `folder` is in, which must be the one with this identity.
fn go_back(folder: &Folder, id: &FolderId) -> io::Result<Folder> {
    #[cfg(test)]
    crate::selection::work::step();
    let parent = folder.parent()?;
    if parent.id()? == *id { Ok(parent) } else { Err(changed()) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    /// Outputs are known by the directory that they are in. No path leads to that one any more, so none can have been
    /// followed.
    #[test]
    fn outputs_are_recognized_without_their_paths() {
        let top = TempDir::new().unwrap();
        let path = |name: &str| top.path().join(name);
        for dir in ["old/out", "old/other"] {
            fs::create_dir_all(path(dir)).unwrap();
        }
        fs::write(path("old/all"), "").unwrap();
        fs::hard_link(path("old/all"), path("old/other/all")).unwrap();
        fs::create_dir(path("old/links")).unwrap();
        symlink("../all", path("old/links/all")).unwrap();
        symlink("../out", path("old/links/out")).unwrap();
        fs::create_dir(path("old/more")).unwrap();
        symlink("../other/all", path("old/more/all")).unwrap();
        symlink("../other", path("old/more/out")).unwrap();
        let outputs = [path("old/links/all"), path("old/out"), path("old/missing")];
        let selection = Selection::default();
        let walk = Walk::new(&selection, None, outputs.iter());
        fs::rename(path("old"), path("new")).unwrap();
        let is_output = |dir: &str, name: &str, kind| {
            let here = Arc::new(Folder::open(&path(dir)).unwrap());
            walk.is_output(&here, &here.id().unwrap(), OsStr::new(name), kind)
        };
        assert!(is_output("new", "all", EntryKind::File) && is_output("new", "out", EntryKind::Folder));
        assert!(is_output("new/links", "all", EntryKind::Link) && is_output("new/links", "out", EntryKind::Link));
        assert!(!is_output("new/other", "all", EntryKind::File), "a hard link is another name");
        assert!(!is_output("new/more", "all", EntryKind::Link) && !is_output("new/more", "out", EntryKind::Link));
        assert!(!is_output("new", "other", EntryKind::Folder));
    }

    /// Makes directories nested in one another, with nine files and a hidden one in each, in `top/deep`. They are made
    /// from the inside out, because no path of this length can be used at once.
    #[cfg(target_os = "linux")]
    fn nested(top: &Path, depth: usize) {
        let (deep, next) = (top.join("deep"), top.join("next"));
        for _ in 0..depth {
            fs::create_dir(&next).unwrap();
            for name in ["1", "2", "3", "4", "5.txt", "6.txt", "7.txt", "8.bak", "9", ".x"] {
                fs::write(next.join(name), "").unwrap();
            }
            if deep.exists() {
                fs::rename(&deep, next.join("d")).unwrap();
            }
            fs::rename(&next, &deep).unwrap();
        }
    }

    /// Removes them from the outside in.
    #[cfg(target_os = "linux")]
    fn remove_nested(top: &Path) {
        let (deep, next) = (top.join("deep"), top.join("next"));
        while deep.exists() {
            let is_last = fs::rename(deep.join("d"), &next).is_err();
            fs::remove_dir_all(&deep).unwrap();
            if !is_last {
                fs::rename(&next, &deep).unwrap();
            }
        }
    }

    /// The work is in proportion to the number of names, regardless of the depth.
    #[cfg(target_os = "linux")]
    #[test]
    fn twenty_thousand_names_two_thousand_deep() {
        use crate::selection::Rule;
        use crate::selection::glob::Glob;
        use crate::selection::work::steps_of;

        let glob = |rule, text| (rule, Glob::parse(text).unwrap());
        let rules = vec![
            glob(Rule::Include, "*.txt"),
            glob(Rule::Include, "d/**/d/**/[1-3]"),
            glob(Rule::Exclude, "**/d/**/x/**"),
            glob(Rule::Exclude, "2"),
        ];
        let selection = Selection { rules, hidden: false };
        let steps = [1000, 2000].map(|depth| {
            let top = TempDir::new().unwrap();
            nested(top.path(), depth);
            let (mut walk, mut found) = (Walk::new(&selection, None, std::iter::empty::<&PathBuf>()), 0);
            let steps = steps_of(|| found = walk.files(top.path().join("deep").as_os_str()).count());
            remove_nested(top.path());
            // Three by their names everywhere, and two of the next three from the second directory below the first on.
            assert_eq!(found, 3 * depth + 2 * (depth - 2));
            let left =
                LeftAlone { hidden: depth as u64, excluded: 6 * 2 + 4 * (depth as u64 - 2), ..LeftAlone::default() };
            assert_eq!(walk.left_alone(), left);
            steps
        });
        assert!(steps[0] > 10_000 && steps[1] <= 2 * steps[0] + 100, "{steps:?}");
    }
}
