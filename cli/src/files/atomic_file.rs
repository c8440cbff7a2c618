//! A new file that takes the place of an old one when it is whole, and until then has no name where the system can do
//! that: a run that is killed, by whatever signal, leaves the old file as it was, and nothing else.
//!
//! The directory is held open, and so is the old file. The name has to lead to that file still when the new one takes its
//! place.

use crate::files::attributes::take_over;
use crate::files::folder::Folder;
use crate::files::place::{Place, changed};
use crate::files::signals::{self, Hold};
use crate::files::streams::FileId;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::sync::Arc;

/// What the names of passing files begin with.
const PREFIX: &str = ".charpipe-";

/// How many names are tried for a passing file. They are random: that one is taken is no accident.
const TRIES: usize = 100;

/// The file that is written. Dropped without [`commit`](Self::commit), it is gone.
pub(crate) struct Beside {
    new: New,
    place: Place,
    /// The file that is replaced, open.
    old: Option<Arc<File>>,
}

/// A new file that is not in its place yet.
pub(crate) enum New {
    /// Gone with the process.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// Gone when dropped; a process that is killed leaves it.
    Named(File, Passing),
}

/// The name of a file that is not in its place yet. Dropped, it is removed.
pub(crate) struct Passing {
    folder: Arc<Folder>,
    name: OsString,
    is_there: bool,
}

impl Beside {
    /// For a place where there is no file, or a regular file that is open.
    pub(crate) fn new(place: Place, old: Option<Arc<File>>) -> io::Result<Self> {
        // With the permissions of any new file, where a passing one is for its owner alone.
        let mode = if old.is_none() { 0o666 } else { 0o600 };
        Ok(Beside { new: New::open(&place.folder, mode)?, place, old })
    }

    /// Of the file that is replaced.
    pub(crate) fn old_id(&self) -> Option<FileId> {
        self.old.as_ref().and_then(|old| FileId::of(&old.metadata().ok()?))
    }

    /// Whether both would replace the same file, whatever they call it.
    pub(crate) fn has_target_of(&self, other: &Beside) -> bool {
        self.old_id().is_some() && self.old_id() == other.old_id() || self.place.is_same(&other.place)
    }

    /// The new file takes the place of the old one, with its permissions, or is there for the first time.
    pub(crate) fn commit(self) -> io::Result<()> {
        self.settle()?;
        self.put(&signals::hold())
    }

    /// Makes it ready to be put in its place.
    pub(crate) fn settle(&self) -> io::Result<()> {
        self.new.settle(self.old.as_deref())
    }

    /// Puts it in its place.
    pub(crate) fn put(self, hold: &Hold) -> io::Result<()> {
        if self.old.is_some() {
            return self.rename(hold)?.check();
        }
        self.new.put_first(&self.place, hold).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => changed(),
            _ => error,
        })
    }

    /// Puts it in the place of the old file. If this fails, the old file is still there.
    pub(crate) fn rename(self, hold: &Hold) -> io::Result<Renamed> {
        if let Some(old) = &self.old {
            must_be(&self.place, old)?;
        }
        // No system call puts a file without a name in the place of another: it has one for an instant.
        let (file, passing) = self.new.named(&self.place.folder, hold)?;
        passing.folder.rename(&passing.name, &self.place.name)?;
        passing.forget();
        Ok(Renamed { place: self.place, file })
    }
}

/// A new file that has taken the place of an old one.
pub(crate) struct Renamed {
    place: Place,
    file: File,
}

impl Renamed {
    /// Fails if it is not the new file that is there: whoever can write to the directory may have put another one under
    /// the passing name.
    pub(crate) fn check(self) -> io::Result<()> {
        must_be(&self.place, &self.file)
    }
}

/// Fails unless `place` leads to that open file.
pub(crate) fn must_be(place: &Place, file: &File) -> io::Result<()> {
    let id = FileId::of_any(&file.metadata()?);
    match place.look()? {
        Some(entry) if entry.id == id => Ok(()),
        _ => Err(changed()),
    }
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.new.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl New {
    pub(crate) fn open(folder: &Arc<Folder>, mode: u16) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = folder.unnamed(mode) {
            return Ok(New::Unnamed(file));
        }
        let hold = signals::hold();
        let (file, passing) = Passing::give(folder, &hold, |name| folder.make(name, mode))?;
        Ok(New::Named(file, passing))
    }

    pub(crate) fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            New::Unnamed(file) => file,
            New::Named(file, _) => file,
        }
    }

    /// Makes it ready to be put in its place, with what `old` has beside its content.
    pub(crate) fn settle(&self, old: Option<&File>) -> io::Result<()> {
        if let Some(old) = old {
            take_over(self.file(), old)?;
        }
        // Some file systems tell only now that there was no room; and a rename must not outrun the data.
        self.file().sync_data()
    }

    /// Gives it a name for the instant before it is renamed.
    #[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
    fn named(self, folder: &Arc<Folder>, hold: &Hold) -> io::Result<(File, Passing)> {
        match self {
            #[cfg(target_os = "linux")]
            New::Unnamed(file) => {
                let ((), passing) = Passing::give(folder, hold, |name| folder.name(&file, None, name))?;
                Ok((file, passing))
            }
            New::Named(file, passing) => {
                let place = Place { folder: passing.folder.clone(), name: passing.name.clone() };
                must_be(&place, &file)?;
                Ok((file, passing))
            }
        }
    }

    /// Puts it where there must be no file.
    pub(crate) fn put_first(self, place: &Place, hold: &Hold) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if let New::Unnamed(file) = &self {
            match place.folder.name(file, None, &place.name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
                done => return done,
            }
        }
        let (file, passing) = self.named(&place.folder, hold)?;
        passing.folder.rename_new(&passing.name, &place.name)?;
        passing.forget();
        must_be(place, &file)
    }
}

impl Passing {
    /// Has `make` make a file under a name that is free, and notes it.
    fn give<T>(
        folder: &Arc<Folder>,
        hold: &Hold,
        mut make: impl FnMut(&OsStr) -> io::Result<T>,
    ) -> io::Result<(T, Self)> {
        for _ in 0..TRIES {
            let name = random_name();
            match make(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(made) => {
                    hold.add(folder, &name);
                    return Ok((made, Passing { folder: folder.clone(), name, is_there: true }));
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// It has another name now.
    fn forget(mut self) {
        self.is_there = false;
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if self.is_there {
            _ = self.folder.remove(&self.name);
        }
        signals::forget(&self.folder, &self.name);
    }
}

/// A name that nobody can guess.
fn random_name() -> OsString {
    const CHARS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut rest = RandomState::new().hash_one(std::process::id());
    let mut name = PREFIX.to_owned();
    for _ in 0..6 {
        name.push(char::from(CHARS[(rest % 36) as usize]));
        rest /= 36;
    }
    name.into()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    /// What fails before the new file has taken the place of the old one, and what fails after that, are told apart: only
    /// in the first case is a backup in the way.
    #[test]
    fn a_name_that_is_exchanged_before_and_after() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("a"), "old").unwrap();
        let place = Place { folder: Arc::new(Folder::open(dir.path()).unwrap()), name: "a".into() };
        let open = || {
            let old = Arc::new(File::open(path("a")).unwrap());
            let mut beside = Beside::new(place.clone(), Some(old)).unwrap();
            beside.write_all(b"new").unwrap();
            beside.settle().unwrap();
            beside
        };
        let exchange = || {
            fs::write(path("b"), "other").unwrap();
            fs::rename(path("b"), path("a")).unwrap();
        };
        let beside = open();
        exchange();
        assert!(beside.rename(&signals::hold()).is_err());
        assert_eq!(fs::read(path("a")).unwrap(), b"other");

        let renamed = open().rename(&signals::hold()).unwrap();
        assert_eq!(fs::read(path("a")).unwrap(), b"new");
        exchange();
        assert_eq!(renamed.check().unwrap_err().to_string(), changed().to_string());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
