//! Collisions: outputs that would be the same file, or that would replace an input. They are refused before anything is
//! written, because data would be lost.

use crate::convert::task::{Target, Task};
use crate::files::input::metadata;
use crate::files::name::Name;
use crate::messages::say;
use crate::status::Status;
use charpipe::files::FileId;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// How many collisions are listed.
const MAX_LISTED: usize = 5;

/// How many symlinks may lead from one to the next.
const MAX_LINKS: usize = 40;

/// A directory and a name in it, by canonical paths as far as they exist.
type Location = (PathBuf, Option<OsString>);

/// Prints the collisions among what is read, what is written, and the report at the path `report`. Fails if there are any.
pub(crate) fn refuse(tasks: &[Task], report: Option<&Path>) -> Result<(), Status> {
    if tasks.iter().all(|task| matches!(task.target, Target::Shared | Target::Nowhere)) {
        return Ok(());
    }
    let mut found = Vec::new();
    let inputs = inputs(tasks, &mut found);
    if let Some(path) = report.filter(|path| id(path).is_some_and(|id| inputs.contains_key(&id))) {
        found.push(format!("{}: input and report cannot be the same file", Name::of_path(path.as_os_str())));
    }
    let mut outputs = Outputs::new(tasks, report);
    for task in tasks.iter().filter(|task| task.trouble.is_none()) {
        match &task.target {
            Target::File { path, .. } | Target::Listed { path, .. } => {
                outputs.add(task, path, false, &inputs, &mut found);
            }
            Target::InPlace { backup: Some(path) } => outputs.add(task, path, true, &inputs, &mut found),
            Target::InPlace { backup: None } | Target::Shared | Target::Nowhere => {}
        }
    }
    for task in tasks {
        let (Target::File { path, .. } | Target::Listed { path, .. }) = &task.target else { continue };
        if let Some(other) = path.ancestors().skip(1).find_map(|folder| outputs.paths.get(folder)) {
            found.push(format!("{}: it needs a directory where {} would be a file", task.name(), other.name()));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    found.iter().take(MAX_LISTED).for_each(say);
    if let Some(more) = found.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        say(format_args!("{more} more collisions"));
    }
    Err(Status::Usage)
}

/// What is written by the tasks so far.
struct Outputs<'t> {
    /// By path.
    paths: HashMap<PathBuf, &'t Task>,
    /// By the file that exists at that path.
    files: HashMap<FileId, &'t Task>,
    /// By the location where a file would be made. Only filled if some output is a symlink to nothing: otherwise, paths
    /// that differ lead to different new files.
    locations: HashMap<Location, &'t Task>,
    has_dangling: bool,
    report: Option<(Location, Option<FileId>)>,
}

impl<'t> Outputs<'t> {
    fn new(tasks: &[Task], report: Option<&Path>) -> Self {
        let is_dangling = |task: &Task| match &task.target {
            Target::File { path, is_link, .. } | Target::Listed { path, is_link } => *is_link && id(path).is_none(),
            _ => false,
        };
        Outputs {
            paths: HashMap::new(),
            files: HashMap::new(),
            locations: HashMap::new(),
            has_dangling: tasks.iter().any(is_dangling) || report.is_some_and(Path::is_symlink),
            report: report.map(|path| (location(path), id(path))),
        }
    }

    /// Adds the output of a task, or its backup, at `path`, and finds what it collides with.
    fn add(
        &mut self,
        task: &'t Task,
        path: &Path,
        is_backup: bool,
        inputs: &HashMap<FileId, &Task>,
        found: &mut Vec<String>,
    ) {
        let target = Name::of_path(path.as_os_str());
        let existing = id(path);
        if self.is_report(path, existing) {
            found.push(format!("{target}: output and report cannot be the same file"));
        }
        // If the backup is the input itself under a second name, a run was killed between giving it that name and
        // replacing the file.
        let existing = existing.filter(|existing| !is_backup || id(Path::new(&task.path)) != Some(*existing));
        if let Some(input) = existing.and_then(|existing| inputs.get(&existing)) {
            found.push(match is_backup {
                true => format!("{target}: it is an input, and would be the backup of {}", task.name()),
                false if input.path == task.path => {
                    format!("{target}: it is the input itself (use --in-place to replace it)")
                }
                false => format!("{target}: it is an input, and {} would be written over it", task.name()),
            });
        }
        let clean: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let same_path = self.paths.insert(clean, task);
        let same_file = match existing {
            Some(existing) => self.files.insert(existing, task),
            None if self.has_dangling && !is_backup => self.locations.insert(location(path), task),
            None => None,
        };
        // Two backups collide only if their files are the same input, which `inputs` has found.
        if let Some(other) = same_path.or(same_file).filter(|_| !is_backup) {
            found.push(format!("{target}: both {} and {} would be written to it", other.name(), task.name()));
        }
    }

    /// Returns whether the report is written to `path`, where the file `existing` is.
    fn is_report(&self, path: &Path, existing: Option<FileId>) -> bool {
        let Some((report, id)) = &self.report else { return false };
        let may_be_same = self.has_dangling || path.file_name() == report.1.as_deref();
        may_be_same && location(path) == *report || id.is_some() && *id == existing
    }
}

/// Returns the inputs by their identity. An input that would be replaced twice is a collision.
fn inputs<'t>(tasks: &'t [Task], found: &mut Vec<String>) -> HashMap<FileId, &'t Task> {
    let mut inputs: HashMap<FileId, &Task> = HashMap::new();
    for task in tasks {
        let Some(id) = metadata(&task.path).as_ref().and_then(FileId::of) else { continue };
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

/// Returns where a file is or would be, as far as its directory exists. Symlinks are followed even if they lead to nothing.
fn location(path: &Path) -> Location {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let known = std::fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
    (known.unwrap_or_else(|_| folder.to_owned()), path.file_name().map(OsStr::to_owned))
}

/// Returns the identity of the regular file that a path leads to.
fn id(path: &Path) -> Option<FileId> {
    std::fs::metadata(path).ok().as_ref().and_then(FileId::of)
}
