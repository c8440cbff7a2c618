//! Does what `folder.rs` does, but by paths, on systems that cannot hold directories open. There, another user who can
//! rename the entries of a directory can exchange them.

#![allow(missing_docs, reason = "`folder.rs` documents these functions")]

use crate::files::FileId;
use crate::files::entry::{Entry, EntryKind};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// A directory.
pub struct Folder(PathBuf);

/// Identifies a directory.
pub type FolderId = PathBuf;

/// How many symlinks may lead from one to the next.
pub(super) const MAX_LINKS: usize = 40;

/// Returns `Ok`: owners are not known here.
pub(super) fn may_lead(_owner: u32, _target: u32) -> io::Result<()> {
    Ok(())
}

/// Returns `true`: owners are not known here.
pub(super) fn is_ours(_owner: u32) -> bool {
    true
}

/// Never called: owners are not known here.
pub(super) fn led_astray() -> io::Error {
    io::ErrorKind::PermissionDenied.into()
}

/// Fails: there is no `/proc` here.
pub(super) fn append_to(_: &File) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns 0: owners are not known here.
pub fn owner_of(_: &Metadata) -> u32 {
    0
}

/// Returns 0: users are not known here.
pub fn current_user() -> u32 {
    0
}

impl Folder {
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        if !fs::metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder(path.to_owned()))
    }

    pub fn at(&self, path: &Path) -> io::Result<Self> {
        Self::open(&self.0.join(path))
    }

    pub(super) fn follow(&self, path: &Path, _: Option<u32>) -> io::Result<Self> {
        self.at(path)
    }

    /// Returns `None`: owners are not known here.
    pub(super) fn led_by(&self) -> Option<u32> {
        None
    }

    pub fn sub(&self, name: &OsStr) -> io::Result<Self> {
        match self.look(name)? {
            None => Err(io::ErrorKind::NotFound.into()),
            Some(Entry { kind: EntryKind::Folder, .. }) => Ok(Folder(self.0.join(name))),
            Some(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub fn parent(&self) -> io::Result<Self> {
        Ok(Folder(self.0.parent().unwrap_or(&self.0).to_owned()))
    }

    pub fn id(&self) -> io::Result<FolderId> {
        fs::canonicalize(&self.0)
    }

    pub fn entries(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name(), EntryKind::of(entry.file_type()?)))
        };
        fs::read_dir(&self.0)?.map(entry).collect()
    }

    pub fn look(&self, name: &OsStr) -> io::Result<Option<Entry>> {
        match fs::symlink_metadata(self.0.join(name)) {
            Ok(found) => {
                Ok(Some(Entry { id: FileId::of_any(&found), kind: EntryKind::of(found.file_type()), owner: 0 }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn owner(&self) -> io::Result<u32> {
        Ok(0)
    }

    pub(super) fn link(&self, name: &OsStr) -> io::Result<Option<(u32, PathBuf)>> {
        match self.look(name)? {
            Some(Entry { kind: EntryKind::Link, owner, .. }) => Ok(Some((owner, fs::read_link(self.0.join(name))?))),
            _ => Ok(None),
        }
    }

    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.0.join(name))
    }

    pub(super) fn hold(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.0.join(name))
    }

    pub(super) fn write(&self, name: &OsStr, at_end: bool) -> io::Result<File> {
        File::options().write(true).append(at_end).open(self.0.join(name))
    }

    pub(super) fn write_stream(&self, name: &OsStr) -> io::Result<File> {
        self.write(name, true)
    }

    pub(super) fn hold_in_proc(&self, _: &OsStr) -> io::Result<(File, Option<u32>)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn make(&self, name: &OsStr, _mode: u16) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).open(self.0.join(name))
    }

    pub fn name(&self, _: &File, from: Option<(&Folder, &OsStr)>, name: &OsStr) -> io::Result<()> {
        let Some((folder, old)) = from else { return Err(io::ErrorKind::Unsupported.into()) };
        fs::hard_link(folder.0.join(old), self.0.join(name))
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match self.look(to)? {
            None => self.rename(from, to),
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Returns `None`: directories cannot be written to disk here.
    pub(super) fn to_sync(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub fn make_dir(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(super) fn trusts(&self, _owner: u32) -> io::Result<bool> {
        Ok(true)
    }

    pub(super) fn is_of_the_kernel(&self) -> bool {
        false
    }

    pub(super) fn is_proc(&self) -> bool {
        false
    }
}

impl EntryKind {
    fn of(kind: FileType) -> Self {
        if kind.is_file() {
            EntryKind::File
        } else if kind.is_dir() {
            EntryKind::Folder
        } else if kind.is_symlink() {
            EntryKind::Link
        } else {
            EntryKind::Device
        }
    }
}

/// Opens the file at `path`. The system's error for a directory would be that access is denied.
pub fn open_typed(path: &Path) -> io::Result<File> {
    File::open(path).map_err(|error| if path.is_dir() { io::ErrorKind::IsADirectory.into() } else { error })
}

pub(super) fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    let ends_in_separator = path.as_os_str().as_encoded_bytes().last().is_some_and(|byte| b"/\\".contains(byte));
    let name = path.file_name().filter(|_| !ends_in_separator)?;
    Some((path.parent().unwrap_or(Path::new("")), name))
}
