//! `--in-place=SUFFIX`: the old content of a file is kept under a second name.
//!
//! An existing backup is never replaced or removed unless the user asks for it: another run may rely on it, or it may
//! hold the original of a file that was converted earlier. Its name is made in a single step that fails if it exists,
//! directly before the file is replaced.

use crate::files::copying::{BUFFER_BYTES, copy, read_full_at, read_some_at};
use crate::files::file_path::FilePath;
use crate::files::name::Name;
use charpipe::codec::PageBuffer;
use charpipe::files::signals::{self, Hold};
use charpipe::files::{ChangedFolders, FileId, NewFile, Place, changed, name_over};
use std::error::Error;
use std::fmt::{self, Display};
use std::fs::File;
use std::io;

/// Where the old content is kept.
pub(crate) struct Backup {
    place: Place,
    /// For messages.
    path: FilePath,
    /// A backup that exists is replaced.
    force: bool,
}

/// The error for a file that has a backup already.
#[derive(Clone, Debug)]
pub(crate) struct BackupExists {
    backup: String,
    /// It has the content of the file.
    is_same: bool,
}

impl Display for BackupExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BackupExists { backup, is_same } = self;
        match is_same {
            true => write!(f, "{backup} exists already, with the same content; --force converts the file all the same"),
            false => write!(f, "{backup} exists already, so the file is left as it is; --force replaces {backup}"),
        }
    }
}

impl Error for BackupExists {}

impl BackupExists {
    /// Returns this error if it is the reason for a failed write.
    pub(crate) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<BackupExists> for io::Error {
    fn from(error: BackupExists) -> Self {
        io::Error::new(io::ErrorKind::AlreadyExists, error)
    }
}

/// A backup that was made just now. Signals are held back until this is dropped.
pub(crate) struct Kept {
    pub(crate) hold: Hold,
    /// It did not exist before.
    is_new: bool,
}

impl Backup {
    pub(crate) fn new(place: Place, path: FilePath, force: bool) -> Self {
        Backup { place, path, force }
    }

    /// Returns the error for the open file `old` if it has a backup that must not be replaced.
    pub(crate) fn objection(&self, old: &File) -> io::Result<Option<BackupExists>> {
        if self.force || self.place.look()?.is_none() {
            return Ok(None);
        }
        Ok(Some(self.exists(old)))
    }

    /// Gives the open file `old`, which is at `from`, the name of the backup as a second name, so that at every moment at
    /// least one of the names leads to the content. If the file system cannot do that, a copy is made.
    pub(crate) fn keep(&self, from: &Place, old: &File) -> io::Result<Kept> {
        let kept = match self.place.look()? {
            None => self.make(from, old).map_err(|error| self.not_kept(error, old))?,
            Some(_) if !self.force => return Err(self.exists(old).into()),
            Some(other) => {
                let replaced = self.place.check_owner(other.owner, other.kind).and_then(|()| self.replace(from, old));
                replaced.map_err(|error| self.not_kept(error, old))?
            }
        };
        if from.folder.id()? == self.place.folder.id()? {
            return Ok(kept);
        }
        // The two directories can reach the disk in any order, and the backup has to come first.
        let here = ChangedFolders::default();
        here.note(&self.place.folder)?;
        here.sync()?;
        Ok(kept)
    }

    /// Returns the error for the open file `old`, at `from`, that is no longer what it was: another run may have made a
    /// backup of it.
    pub(crate) fn changed(&self, from: &Place, old: &File) -> io::Error {
        // The file has changed already while that run makes the second name, which cannot be seen before it is there. But
        // it cannot be made twice either.
        let refused = match self.objection(old) {
            _ if self.force => None,
            Ok(None) if from.must_be(old).is_ok() => {
                self.keep(from, old).map(|kept| self.undo(kept, from, Some(old))).err()
            }
            Ok(objection) => objection.map(Into::into),
            Err(error) => Some(error),
        };
        refused.filter(|error| BackupExists::of(error).is_some()).unwrap_or_else(changed)
    }

    /// Makes a backup where there is none.
    fn make(&self, from: &Place, old: &File) -> io::Result<Kept> {
        let Place { folder, name } = &self.place;
        let hold = signals::hold();
        match folder.name(old, Some((&from.folder, &from.name)), name) {
            Ok(()) if self.place.must_be(old).is_ok() => return Ok(Kept { hold, is_new: true }),
            // Another process has put a different file there; or the file system has made a copy, which looks like a
            // different file: overlayfs does that with a file of a lower layer.
            Ok(()) => {
                folder.remove(name)?;
                drop(hold);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) => drop(hold),
        }
        let new = self.copy(old)?;
        let hold = signals::hold();
        new.put_where_none_is(&self.place, &hold)?;
        Ok(Kept { hold, is_new: true })
    }

    /// Makes a backup in place of another one.
    fn replace(&self, from: &Place, old: &File) -> io::Result<Kept> {
        let hold = signals::hold();
        // Only Unix tells whether two names lead to one file.
        let is_there = cfg!(unix) && self.place.must_be(old).is_ok();
        if is_there || name_over(old, from, &self.place, &hold).is_ok() && self.place.must_be(old).is_ok() {
            return Ok(Kept { hold, is_new: false });
        }
        drop(hold);
        let new = self.copy(old)?;
        let hold = signals::hold();
        new.put_over(&self.place, &hold)?;
        Ok(Kept { hold, is_new: false })
    }

    /// Removes a backup because the file was not replaced. It stays if the file is not at `from` any more: then the backup
    /// may have the only copy of the content.
    pub(crate) fn undo(&self, kept: Kept, from: &Place, old: Option<&File>) {
        if kept.is_new && old.is_none_or(|old| from.must_be(old).is_ok()) {
            _ = self.place.folder.remove(&self.place.name);
        }
    }

    /// Makes a file with the content, permissions and modification time of `old`.
    fn copy(&self, old: &File) -> io::Result<NewFile> {
        let new = NewFile::create(&self.place.folder, 0o600)?;
        copy(old, u64::MAX, &mut new.file())?;
        new.prepare(Some(old))?;
        new.file().set_modified(old.metadata()?.modified()?)?;
        Ok(new)
    }

    /// Returns the error for a file that has a backup.
    fn exists(&self, old: &File) -> BackupExists {
        BackupExists { backup: self.name().to_string(), is_same: self.has_content_of(old).unwrap_or(false) }
    }

    fn not_kept(&self, error: io::Error, old: &File) -> io::Error {
        match error.kind() {
            io::ErrorKind::AlreadyExists => self.exists(old).into(),
            _ => io::Error::new(error.kind(), format!("cannot keep the old content as {}: {error}", self.name())),
        }
    }

    /// Returns whether the name leads to the file `old`, or to a regular file with the same content.
    fn has_content_of(&self, old: &File) -> io::Result<bool> {
        let kept = self.place.folder.read(&self.place.name)?;
        let (one, other) = (kept.metadata()?, old.metadata()?);
        let id = FileId::of(&one);
        if id.is_some() && id == FileId::of(&other) {
            return Ok(true);
        }
        if !one.is_file() || one.len() != other.len() {
            return Ok(false);
        }
        let (mut here, mut there) = (PageBuffer::for_input(BUFFER_BYTES), PageBuffer::for_input(BUFFER_BYTES));
        let mut at = 0;
        while at < one.len() {
            let len = read_some_at(&kept, &mut here, at)?;
            if len == 0 || read_full_at(old, &mut there[..len], at)? != len || here[..len] != there[..len] {
                return Ok(false);
            }
            at += len as u64;
        }
        Ok(true)
    }

    fn name(&self) -> Name {
        self.path.name()
    }
}
