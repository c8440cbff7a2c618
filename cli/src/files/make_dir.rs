//! Makes the directories that outputs are written to.

use charpipe::files::Folder;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// Opens the directory at `path`. Makes it, and the directories above it, if they do not exist.
pub(crate) fn open_or_make(path: &Path) -> io::Result<Folder> {
    let missing = match Folder::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => error,
        opened => return opened,
    };
    let Some(name) = path.file_name() else { return Err(missing) };
    let parent = open_or_make(path.parent().unwrap_or(Path::new(".")))?;
    make(&parent, name)?;
    parent.at(Path::new(name))
}

/// Opens the subdirectory `name`, which must not be a symlink. Makes it if it does not exist.
pub(crate) fn sub_or_make(folder: &Folder, name: &OsStr) -> io::Result<Folder> {
    match folder.sub(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
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
