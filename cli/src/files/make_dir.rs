//! Makes the directories that outputs are written to.

use charpipe::files::Folder;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path};

/// Opens the directory at `path`. Makes it, and the directories above it, if they do not exist.
pub(crate) fn open_or_make(path: &Path) -> io::Result<Folder> {
    let missing = match Folder::open(path) {
        Err(error) if is_missing(&error) => error,
        opened => return opened,
    };
    // The directories are made one by one, which no limit ends. But whatever has a longer path than the system takes
    // could not be opened by that path.
    if let Err(error) = fs::metadata(path)
        && !is_missing(&error)
    {
        return Err(error);
    }
    let (mut folder, rest) = deepest(path, is_missing, Folder::open)?;
    if rest.components().any(|part| matches!(part, Component::ParentDir)) {
        return Err(missing);
    }
    for part in rest.components() {
        if let Component::Normal(name) = part {
            make(&folder, name)?;
            folder = folder.at(Path::new(name))?;
        }
    }
    Ok(folder)
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// Opens the deepest directory on the way to `path` that `open` does not fail for with a `gone` error, and returns the
/// rest of the path. What is below a missing directory is missing, too, so a few attempts are enough for any depth.
pub(crate) fn deepest(
    path: &Path,
    gone: impl Fn(&io::Error) -> bool,
    mut open: impl FnMut(&Path) -> io::Result<Folder>,
) -> io::Result<(Folder, &Path)> {
    let ancestors: Vec<&Path> = path.ancestors().collect();
    let first = ancestors.partition_point(|path| open(path).is_err_and(|error| gone(&error)));
    let above = ancestors.get(first).or(ancestors.last()).copied().unwrap_or(path);
    Ok((open(above)?, path.strip_prefix(above).unwrap_or(path)))
}

/// Opens the subdirectory `name`, which must not be a symlink. Makes it if it does not exist.
pub(crate) fn sub_or_make(folder: &Folder, name: &OsStr) -> io::Result<Folder> {
    match folder.sub(name) {
        Err(error) if is_missing(&error) => {
            make(folder, name)?;
            folder.sub(name)
        }
        opened => opened,
    }
}

/// Makes a directory. Another thread, or another process, may have made it meanwhile.
fn make(folder: &Folder, name: &OsStr) -> io::Result<()> {
    match folder.make_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use tempfile::TempDir;

    /// Few directories are tried, even if many are missing.
    #[test]
    fn the_deepest_directory_is_found_in_few_steps() {
        let folder = TempDir::new().unwrap();
        let there = folder.path().join("a/b");
        fs::create_dir_all(&there).unwrap();
        for depth in [0, 1, 2, 300] {
            let rest = PathBuf::from_iter(vec!["d"; depth]);
            let (path, mut opened) = (there.join(&rest), 0);
            let open = |path: &Path| {
                opened += 1;
                Folder::open(path)
            };
            let (found, left) = deepest(&path, is_missing, open).unwrap();
            assert!(found.id().unwrap() == Folder::open(&there).unwrap().id().unwrap(), "{depth}");
            assert_eq!(left, rest);
            assert!(opened <= 11, "{depth}: {opened}");
        }
    }

    #[test]
    fn missing_directories_are_made() {
        let folder = TempDir::new().unwrap();
        for path in ["a/b/c", "a/./d//e/", "a/b/../f"] {
            let path = folder.path().join(path);
            let made = open_or_make(&path).unwrap();
            assert!(made.id().unwrap() == Folder::open(&path).unwrap().id().unwrap(), "{}", path.display());
        }
        // There is no way back from a directory that does not exist.
        let error = open_or_make(&folder.path().join("new/../g")).err().unwrap();
        assert_eq!((error.kind(), folder.path().join("new").exists()), (io::ErrorKind::NotFound, false));
        fs::write(folder.path().join("file"), "").unwrap();
        open_or_make(&folder.path().join("file/x/y")).err().unwrap();
    }
}
