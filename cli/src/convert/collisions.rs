//! Collisions: outputs that would be the same file, or that would replace an input. They are refused before anything is
//! written, because data would be lost.

use crate::convert::locations::{Location, Locations};
use crate::convert::task::{Target, Task, There};
use crate::files::file_path::{Dirs, FilePath};
use crate::files::input::metadata;
use crate::files::name::Name;
use crate::files::read_files::ReadFiles;
use crate::messages::{Count, say};
use crate::status::Status;
use charpipe::files::FileId;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path};
use std::sync::Arc;

/// How many collisions are listed.
const MAX_LISTED: usize = 5;

/// Prints the collisions among what is read, what is written, and the report at the path `report`. Fails if there are
/// any. `read` are the files that are read besides the inputs. What all inputs share is checked when it is opened.
pub(crate) fn refuse(tasks: &[Task], report: Option<&Path>, read: &ReadFiles) -> Result<(), Status> {
    if tasks.iter().all(|task| matches!(task.target, Target::Shared | Target::Nowhere)) {
        return Ok(());
    }
    let mut found = Vec::new();
    let inputs = if may_be_input(tasks, report) { inputs(tasks, &mut found) } else { HashMap::new() };
    if let Some(path) = report.filter(|path| id(path).is_some_and(|id| inputs.contains_key(&id))) {
        found.push(format!("{}: input and report cannot be the same file", Name::of_path(path.as_os_str())));
    }
    let mut outputs = Outputs::new(tasks, report, read);
    let are_apart = are_apart(tasks);
    for task in tasks {
        let is_written = task.trouble.is_none();
        match &task.target {
            Target::File { path, there, .. } | Target::Listed { path, there } => {
                let same_path = if are_apart { None } else { outputs.place(path, task) };
                if is_written {
                    let existing = if there.is_nothing() { None } else { id_of(path) };
                    outputs.add(task, (path, existing, same_path), false, &inputs, &mut found);
                }
            }
            Target::InPlace { backup } if is_written => {
                found.extend(read.objection(id_of(&task.path), || task.name()));
                if let Some(path) = backup {
                    outputs.add(task, (path, id_of(path), None), true, &inputs, &mut found);
                }
            }
            Target::InPlace { .. } | Target::Shared | Target::Nowhere => {}
        }
    }
    outputs.find_blocked(&mut found);
    if found.is_empty() {
        return Ok(());
    }
    found.iter().take(MAX_LISTED).for_each(say);
    if let Some(more) = found.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        say(Count(more as u64, "more collision"));
    }
    Err(Status::Usage)
}

/// The outputs of the tasks so far.
struct Outputs<'t> {
    /// By path, unless the paths are known to differ: for each node of the tree.
    tree: PathTree,
    paths: Vec<Option<&'t Task>>,
    /// The node of each output, also of those that will not be written.
    nodes: Vec<(usize, &'t Task)>,
    /// By the file that exists at that path.
    files: HashMap<FileId, &'t Task>,
    /// By the location where a file would be made. Only filled if some output is a symlink to nothing, or is named in a
    /// list: otherwise, paths that differ lead to different new files.
    new_files: HashMap<Location, &'t Task>,
    locations: Locations,
    compares_locations: bool,
    report: Option<(Location, Option<FileId>)>,
    read: &'t ReadFiles,
}

impl<'t> Outputs<'t> {
    fn new(tasks: &[Task], report: Option<&Path>, read: &'t ReadFiles) -> Self {
        let may_be_same = |task: &Task| match &task.target {
            Target::File { path, there, .. } => *there == There::Link && id_of(path).is_none(),
            Target::Listed { .. } => true,
            _ => false,
        };
        let mut locations = Locations::default();
        Outputs {
            tree: PathTree::default(),
            paths: Vec::new(),
            nodes: Vec::new(),
            files: HashMap::new(),
            new_files: HashMap::new(),
            compares_locations: tasks.iter().any(may_be_same) || report.is_some_and(Path::is_symlink),
            report: report.map(|path| (locations.of_path(path), id(path))),
            locations,
            read,
        }
    }

    /// Adds the path of a task's output. If that will be written, returns the earlier task that writes to the same path.
    fn place(&mut self, path: &FilePath, task: &'t Task) -> Option<&'t Task> {
        let node = self.tree.node(path);
        self.nodes.push((node, task));
        self.paths.resize(self.tree.parents.len(), None);
        if task.trouble.is_none() { self.paths[node].replace(task) } else { None }
    }

    /// Adds the output of a task, or its backup, and finds what it collides with. `existing`: the file at its path.
    /// `same_path`: an earlier task that writes to this path.
    fn add(
        &mut self,
        task: &'t Task,
        (path, existing, same_path): (&FilePath, Option<FileId>, Option<&'t Task>),
        is_backup: bool,
        inputs: &HashMap<FileId, &Task>,
        found: &mut Vec<String>,
    ) {
        if self.is_report(path, existing) {
            found.push(format!("{}: output and report cannot be the same file", path.name()));
        }
        found.extend(self.read.objection(existing, || path.name()));
        // If the backup is the input itself under a second name, another run has given it that name, and will replace
        // the file or was killed before it did.
        let input = existing.and_then(|existing| inputs.get(&existing));
        if let Some(input) = input.filter(|input| !is_backup || !std::ptr::eq(**input, task)) {
            let target = path.name();
            found.push(match is_backup {
                true => format!("{target}: it is an input, and would be the backup of {}", task.name()),
                false if input.path.text() == task.path.text() => {
                    format!("{target}: it is the input itself (use --in-place to replace it)")
                }
                false => format!("{target}: it is an input, and {} would be written over it", task.name()),
            });
        }
        let same_file = match existing {
            Some(existing) => self.files.insert(existing, task),
            None if self.compares_locations && !is_backup => self.new_files.insert(self.locations.of(path), task),
            None => None,
        };
        // Two backups collide only if their files are the same input, which `inputs` has found.
        if let Some(other) = same_path.or(same_file).filter(|_| !is_backup) {
            let (target, first, second) = (path.name(), other.name(), task.name());
            found.push(format!("{target}: both {first} and {second} would be written to it"));
        }
    }

    /// Finds the outputs in directories whose names other outputs have.
    fn find_blocked(&self, found: &mut Vec<String>) {
        // The nearest output above each node. A node comes after the one that it is in.
        let mut above: Vec<Option<&Task>> = vec![None; self.tree.parents.len()];
        for node in 1..above.len() {
            let parent = self.tree.parents[node];
            above[node] = self.paths.get(parent).copied().flatten().or(above[parent]);
        }
        for (node, task) in &self.nodes {
            if let Some(other) = above[*node] {
                found.push(format!("{}: it needs a directory where {} would be a file", task.name(), other.name()));
            }
        }
    }

    /// Returns whether the report is written to `path`, where the file `existing` is.
    fn is_report(&mut self, path: &FilePath, existing: Option<FileId>) -> bool {
        let Some((report, id)) = &self.report else { return false };
        let may_be_same = self.compares_locations || path.file_name() == report.1;
        may_be_same && self.locations.of(path) == *report || id.is_some() && *id == existing
    }
}

/// Returns whether the outputs mirror one search: each has the path that its input has below the directory that was
/// searched. Then no two paths are the same, and no output is where another needs a directory.
fn are_apart(tasks: &[Task]) -> bool {
    let mut searches = tasks.iter().map(|task| match (&task.target, &task.found) {
        (Target::File { below, .. }, Some((_, found))) if Arc::ptr_eq(&below.name, &found.name) => Some(&found.dirs),
        _ => None,
    });
    let Some(Some(first)) = searches.next() else { return false };
    searches.all(|search| search.is_some_and(|search| Arc::ptr_eq(search, first)))
}

/// Returns whether what is written may be an input: not if nothing is there yet.
fn may_be_input(tasks: &[Task], report: Option<&Path>) -> bool {
    report.is_some_and(|path| id(path).is_some())
        || tasks.iter().any(|task| match &task.target {
            Target::File { there, .. } | Target::Listed { there, .. } => !there.is_nothing(),
            Target::InPlace { .. } => true,
            Target::Shared | Target::Nowhere => false,
        })
}

/// Returns the inputs by their identity. An input that would be replaced twice is a collision.
fn inputs<'t>(tasks: &'t [Task], found: &mut Vec<String>) -> HashMap<FileId, &'t Task> {
    let mut inputs: HashMap<FileId, &Task> = HashMap::new();
    for task in tasks {
        let found_there = task.path.to_open().and_then(|path| metadata(&path));
        let Some(id) = found_there.as_ref().and_then(FileId::of) else { continue };
        let before = inputs.insert(id, task);
        if let Some(before) = before.filter(|_| matches!(task.target, Target::InPlace { .. })) {
            found.push(format!(
                "{}: it is the same file as {}, and cannot be replaced twice",
                task.name(),
                before.name()
            ));
        }
    }
    inputs
}

/// Returns the identity of the regular file that a path leads to; `None` as well if the path is too long to be opened.
fn id_of(path: &FilePath) -> Option<FileId> {
    id(Path::new(&path.to_open()?))
}

/// Returns the identity of the regular file that a path leads to.
fn id(path: &Path) -> Option<FileId> {
    std::fs::metadata(path).ok().as_ref().and_then(FileId::of)
}

/// Paths as a tree, in which each name is once, however many paths go through it.
struct PathTree {
    /// The node in which each node is. The first node is where all paths begin.
    parents: Vec<usize>,
    children: HashMap<(usize, Arc<OsStr>), usize>,
    /// The nodes of directories that were searched: by where the path begins, the search, and the directory.
    known: HashMap<(*const Path, *const Dirs, usize), usize>,
}

impl Default for PathTree {
    fn default() -> Self {
        PathTree { parents: vec![0], children: HashMap::new(), known: HashMap::new() }
    }
}

impl PathTree {
    /// Returns the node of a path.
    fn node(&mut self, path: &FilePath) -> usize {
        match path {
            FilePath::Text(text) => self.text(Path::new(text)),
            FilePath::Below(base, below) => {
                let folder = self.folder(base, &below.dirs, below.dir);
                if below.name.is_empty() { folder } else { self.child(folder, below.name.clone()) }
            }
        }
    }

    fn text(&mut self, path: &Path) -> usize {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        parts.fold(0, |node, part| self.child(node, part.as_os_str().into()))
    }

    /// Returns the node of a directory below `base`.
    fn folder(&mut self, base: &Arc<Path>, dirs: &Arc<Dirs>, dir: usize) -> usize {
        let key = |dir| (Arc::as_ptr(base), Arc::as_ptr(dirs), dir);
        let (mut missing, mut at) = (Vec::new(), dir);
        let mut node = loop {
            match self.known.get(&key(at)) {
                Some(node) => break *node,
                None if at == 0 => break self.text(base),
                None => missing.push(at),
            }
            at = dirs.parent(at);
        };
        for dir in missing.into_iter().rev() {
            node = self.child(node, dirs.name(dir).into());
            self.known.insert(key(dir), node);
        }
        node
    }

    fn child(&mut self, parent: usize, name: Arc<OsStr>) -> usize {
        let next = self.parents.len();
        let node = *self.children.entry((parent, name)).or_insert(next);
        if node == next {
            self.parents.push(parent);
        }
        node
    }
}
