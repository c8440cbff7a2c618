//! Outputs that would be one file, or that would replace an input: refused before anything is written, as something
//! would be lost.

use crate::convert::task::{Target, Task};
use crate::files::input::metadata;
use crate::files::name::Name;
use crate::files::streams::FileId;
use crate::messages::say;
use crate::status::Status;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// How many are named.
const NAMED: usize = 5;

/// How many symlinks may lead to each other.
const LINKS: usize = 40;

/// Says what collides, with what is read and what is written, and with the report at a path.
pub(crate) fn refuse(tasks: &[Task], report: Option<&Path>) -> Result<(), Status> {
    if tasks.iter().all(|task| matches!(task.target, Target::Shared | Target::Nowhere)) {
        return Ok(());
    }
    let mut found = Vec::new();
    let inputs = inputs(tasks, &mut found);
    if let Some(path) = report.filter(|path| id(path).is_some_and(|id| inputs.contains_key(&id))) {
        found.push(format!("{}: input and report cannot be the same file", Name::of_path(path.as_os_str())));
    }
    // What is written: by its path, and by what is there already under that path.
    let mut paths: HashMap<PathBuf, &Task> = HashMap::new();
    let mut files: HashMap<FileId, &Task> = HashMap::new();
    // And, if a symlink leads to nothing yet, by the place where a file would be made.
    let mut places: HashMap<(PathBuf, Option<OsString>), &Task> = HashMap::new();
    let is_dangling = |task: &Task| match &task.target {
        Target::File { path, is_link, .. } => *is_link && id(path).is_none(),
        _ => false,
    };
    let has_dangling = tasks.iter().any(is_dangling) || report.is_some_and(Path::is_symlink);
    let report = report.map(|path| (place(path), id(path)));
    for task in tasks.iter().filter(|task| task.trouble.is_none()) {
        let (path, is_backup) = match &task.target {
            Target::File { path, .. } => (path, false),
            Target::InPlace { backup: Some(path) } => (path, true),
            Target::InPlace { backup: None } | Target::Shared | Target::Nowhere => continue,
        };
        let target = Name::of_path(path.as_os_str());
        let there = id(path);
        if let Some(((folder, name), id)) = &report {
            let may_be = has_dangling || path.file_name() == name.as_deref();
            let is_named_so = may_be && place(path) == (folder.clone(), name.clone());
            if is_named_so || id.is_some() && *id == there {
                found.push(format!("{target}: output and report cannot be the same file"));
            }
        }
        // With the same content under both names already, a run was killed between the two.
        let there = there.filter(|there| !is_backup || id(Path::new(&task.path)) != Some(*there));
        if let Some(input) = there.and_then(|there| inputs.get(&there)) {
            found.push(match is_backup {
                true => format!("{target}: it is an input, and would keep what {} had", task.name()),
                false if input.path == task.path => {
                    format!("{target}: it is the input itself (use --in-place to replace it)")
                }
                false => format!("{target}: it is an input, and {} would be written over it", task.name()),
            });
        }
        let clean: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let named = paths.insert(clean, task);
        let same = match there {
            Some(there) => files.insert(there, task),
            None if has_dangling && !is_backup => places.insert(place(path), task),
            None => None,
        };
        // One file under two names of the input has been found above.
        if let Some(other) = named.or(same).filter(|_| !is_backup) {
            found.push(format!("{target}: both {} and {} would be written to it", other.name(), task.name()));
        }
    }
    for task in tasks {
        let Target::File { path, .. } = &task.target else { continue };
        if let Some(other) = path.ancestors().skip(1).find_map(|folder| paths.get(folder)) {
            found.push(format!("{}: it needs a directory where {} would be a file", task.name(), other.name()));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    for words in found.iter().take(NAMED) {
        say(words);
    }
    if let Some(more) = found.len().checked_sub(NAMED).filter(|more| *more > 0) {
        say(format_args!("{more} more collisions"));
    }
    Err(Status::Usage)
}

/// The inputs by what they are. One that is to be replaced twice is a collision.
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

/// Where a file is or would be, by whatever way it is named, so far as there is such a directory: symlinks that lead to
/// nothing are followed too.
fn place(path: &Path) -> (PathBuf, Option<OsString>) {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let known = std::fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
    (known.unwrap_or_else(|_| folder.to_owned()), path.file_name().map(OsStr::to_owned))
}

/// What a path leads to, where that is a regular file.
fn id(path: &Path) -> Option<FileId> {
    std::fs::metadata(path).ok().as_ref().and_then(FileId::of)
}
