//! A new file that takes the place of an old one once all of it is written. Until then it has no name, if the system
//! supports that: a run that is killed, by any signal, leaves the old file as it was, and nothing else.
//!
//! The directory and the old file are held open. When the new file takes its place, the name must still lead to that
//! old file.

use crate::files::FileId;
use crate::files::attributes::inherit;
use crate::files::changed_folders::ChangedFolders;
use crate::files::contents::sync_contents;
use crate::files::folder::Folder;
use crate::files::place::{Place, changed};
use crate::files::signals::{self, Hold};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::sync::Arc;

/// The prefix of temporary names.
const NAME_PREFIX: &str = ".charpipe-";

/// The characters after it, and how many there are.
const NAME_CHARS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const NAME_LEN: usize = 6;

/// How many temporary names are tried. They are random: if one is taken, that is not an accident.
const MAX_NAMES: usize = 100;

/// The file that is written. Dropped without [`commit`](Self::commit), it is removed.
pub struct AtomicFile {
    new: NewFile,
    place: Place,
    /// The file that is replaced.
    old: Option<Arc<File>>,
}

/// A new file that is not in its place yet.
pub struct NewFile(Stage);

enum Stage {
    /// Disappears when the process ends.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// It is removed when it is dropped; a process that is killed leaves it in place.
    Named(File, TemporaryName),
}

/// The name of a file that is not in its place yet. Dropped, it removes the file.
struct TemporaryName {
    folder: Arc<Folder>,
    name: OsString,
    /// The file still has this name.
    is_used: bool,
}

impl AtomicFile {
    /// Creates a new file for `place`, where there is either no file or the regular file `old`.
    pub fn new(place: Place, old: Option<Arc<File>>) -> io::Result<Self> {
        // The first file of a name gets the permissions of any new file. One that replaces another file gets those of
        // that file in the end, and until then is for its owner only.
        let mode = if old.is_none() { 0o666 } else { 0o600 };
        Ok(AtomicFile { new: NewFile::create(&place.folder, mode)?, place, old })
    }

    /// Returns the identity of the file that is replaced.
    pub fn old_id(&self) -> Option<FileId> {
        self.old.as_ref().and_then(|old| FileId::of(&old.metadata().ok()?))
    }

    /// Returns whether both would replace the same file, even under different names.
    pub fn has_target_of(&self, other: &AtomicFile) -> bool {
        self.old_id().is_some() && self.old_id() == other.old_id() || self.place.is_same(&other.place)
    }

    /// Puts the new file in its place, for certain: both its content and its name are on disk. It gets the permissions
    /// of the file that it replaces.
    pub fn commit(self) -> io::Result<()> {
        let folders = ChangedFolders::default();
        self.commit_in(&folders)?;
        folders.sync()
    }

    /// Puts the new file in its place. Its name is on disk when `folders` are.
    pub fn commit_in(self, folders: &ChangedFolders) -> io::Result<()> {
        self.prepare()?;
        self.publish_in(folders)
    }

    /// Puts the new file in its place, after [`prepare`](Self::prepare). Its name is on disk when `folders` are.
    pub fn publish_in(self, folders: &ChangedFolders) -> io::Result<()> {
        let folder = self.place.folder.clone();
        self.put_in_place(&signals::hold())?;
        folders.note(&folder)
    }

    /// Makes the new file ready to be put in its place.
    pub fn prepare(&self) -> io::Result<()> {
        self.new.prepare(self.old.as_deref())
    }

    /// Does this for many files, in less time than for one after the other. Returns the result for each.
    pub fn prepare_all(files: &[&AtomicFile]) -> Vec<io::Result<()>> {
        let inherited: Vec<io::Result<()>> = files.iter().map(|file| file.new.inherit(file.old.as_deref())).collect();
        let contents: Vec<_> = files.iter().map(|file| (&*file.place.folder, file.new.file())).collect();
        inherited.into_iter().zip(sync_contents(&contents)).map(|(inherited, synced)| inherited.and(synced)).collect()
    }

    /// Puts the new file in its place, after [`prepare`](Self::prepare).
    pub fn put_in_place(self, hold: &Hold) -> io::Result<()> {
        if self.old.is_some() {
            return self.rename(hold)?.check();
        }
        self.new.put_where_none_is(&self.place, hold).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => changed(),
            _ => error,
        })
    }

    /// Puts the new file in the place of the old one. If this fails, the old file is still there.
    pub fn rename(self, hold: &Hold) -> io::Result<RenamedFile> {
        let AtomicFile { new, place, old } = self;
        if let Some(old) = old.and_then(while_replaced) {
            place.must_be(&old)?;
        }
        // No system call replaces a file by one that has no name: for an instant the new file needs one.
        let (file, temporary) = new.into_named(&place.folder, hold)?;
        let file = while_replaced(file);
        temporary.put_over(&place)?;
        Ok(RenamedFile { place, file })
    }
}

/// A new file that has taken the place of an old one.
pub struct RenamedFile {
    place: Place,
    file: Option<File>,
}

impl RenamedFile {
    /// Fails if the file at the place is not the new file: another user who can write to the directory may have put a
    /// different file under the temporary name.
    pub fn check(self) -> io::Result<()> {
        self.file.map_or(Ok(()), |file| self.place.must_be(&file))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.new.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile {
    /// Creates a file in `folder`, without a name if possible.
    pub fn create(folder: &Arc<Folder>, mode: u16) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = folder.unnamed(mode) {
            return Ok(NewFile(Stage::Unnamed(file)));
        }
        let hold = signals::hold();
        let (file, temporary) = TemporaryName::choose(folder, &hold, |name| folder.make(name, mode))?;
        Ok(NewFile(Stage::Named(file, temporary)))
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Stage::Unnamed(file) => file,
            Stage::Named(file, _) => file,
        }
    }

    /// Makes the file ready to be put in its place: gives it the permissions and attributes of `old`, and has its
    /// content written to disk.
    pub fn prepare(&self, old: Option<&File>) -> io::Result<()> {
        self.inherit(old)?;
        // Some file systems report only now that the disk is full; and the rename must not reach the disk before the
        // data.
        self.file().sync_data()
    }

    /// Gives the file the permissions and attributes of `old`.
    fn inherit(&self, old: Option<&File>) -> io::Result<()> {
        old.map_or(Ok(()), |old| inherit(self.file(), old))
    }

    /// Gives the file a temporary name if it has none, for the instant before it is renamed.
    #[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
    fn into_named(self, folder: &Arc<Folder>, hold: &Hold) -> io::Result<(File, TemporaryName)> {
        match self.0 {
            #[cfg(target_os = "linux")]
            Stage::Unnamed(file) => {
                let ((), temporary) = TemporaryName::choose(folder, hold, |name| folder.name(&file, None, name))?;
                Ok((file, temporary))
            }
            Stage::Named(file, temporary) => {
                let place = Place { folder: temporary.folder.clone(), name: temporary.name.clone() };
                place.must_be(&file)?;
                Ok((file, temporary))
            }
        }
    }

    /// Puts the file at a place, and replaces any file there.
    pub fn put_over(self, place: &Place, hold: &Hold) -> io::Result<()> {
        let (file, temporary) = self.into_named(&place.folder, hold)?;
        let file = while_replaced(file);
        temporary.put_over(place)?;
        file.map_or(Ok(()), |file| place.must_be(&file))
    }

    /// Puts the file at a place where there must be no file.
    pub fn put_where_none_is(self, place: &Place, hold: &Hold) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if let Stage::Unnamed(file) = &self.0 {
            match place.folder.name(file, None, &place.name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
                done => return done,
            }
        }
        let (file, temporary) = self.into_named(&place.folder, hold)?;
        let file = while_replaced(file);
        temporary.folder.rename_new(&temporary.name, &place.name)?;
        temporary.forget();
        file.map_or(Ok(()), |file| place.must_be(&file))
    }
}

impl TemporaryName {
    /// Finds a free name, under which `make` makes a file, and has it removed if a signal ends the process.
    fn choose<T>(
        folder: &Arc<Folder>,
        hold: &Hold,
        mut make: impl FnMut(&OsStr) -> io::Result<T>,
    ) -> io::Result<(T, Self)> {
        for _ in 0..MAX_NAMES {
            let name = random_name();
            match make(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(made) => {
                    hold.note(folder, &name);
                    return Ok((made, TemporaryName { folder: folder.clone(), name, is_used: true }));
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Puts the file at a place in the same directory, and replaces any file there.
    fn put_over(self, place: &Place) -> io::Result<()> {
        self.folder.rename(&self.name, &place.name)?;
        self.forget();
        Ok(())
    }

    /// Leaves the file alone, which has another name now.
    fn forget(mut self) {
        self.is_used = false;
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if self.is_used {
            _ = self.folder.remove(&self.name);
        }
        signals::forget(&self.folder, &self.name);
    }
}

/// Returns an open file if it may stay open while it is renamed or replaced. On Windows it is closed: an open file can
/// neither be replaced nor, on every file system, be renamed, and its identity is not known there anyway.
pub fn while_replaced<T>(file: T) -> Option<T> {
    cfg!(unix).then_some(file)
}

/// Gives the open file `old`, which is at `from` and not at `to`, the name `to` as a second name, which replaces any
/// file there.
pub fn name_over(old: &File, from: &Place, to: &Place, hold: &Hold) -> io::Result<()> {
    let second = |name: &OsStr| to.folder.name(old, Some((&from.folder, &from.name)), name);
    let ((), temporary) = TemporaryName::choose(&to.folder, hold, second)?;
    temporary.put_over(to)
}

/// Returns whether a file of this name is one that a run which was killed has left: an unfinished output. It is never
/// an input.
pub fn is_temporary_name(name: &OsStr) -> bool {
    let rest = name.as_encoded_bytes().strip_prefix(NAME_PREFIX.as_bytes());
    rest.is_some_and(|rest| rest.len() == NAME_LEN && rest.iter().all(|byte| NAME_CHARS.contains(byte)))
}

/// Returns a name that no one can guess.
fn random_name() -> OsString {
    // Its keys are random. With the number of the process, two names differ even if they are not.
    #[cfg(not(target_os = "wasi"))]
    let mut rest = RandomState::new().hash_one(std::process::id());
    // Processes have no numbers there.
    #[cfg(target_os = "wasi")]
    let mut rest = RandomState::new().hash_one(());
    let mut name = NAME_PREFIX.to_owned();
    for _ in 0..NAME_LEN {
        name.push(char::from(NAME_CHARS[(rest % 36) as usize]));
        rest /= 36;
    }
    name.into()
}

#[cfg(test)]
mod name_tests {
    use super::*;

    #[test]
    fn our_names_are_recognised() {
        for _ in 0..100 {
            assert!(is_temporary_name(&random_name()));
        }
        for name in [".charpipe-", ".charpipe-abc12", ".charpipe-abc1234", ".charpipe-ABC123", ".charpipe-abc.12", "a"]
        {
            assert!(!is_temporary_name(OsStr::new(name)), "{name}");
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::files::place::End;
    use std::fs;

    /// What is at a place that was assumed to be free stays as it is.
    #[test]
    fn what_was_assumed_to_be_free_is_not_replaced() {
        let dir = tempfile::TempDir::new().unwrap();
        let folder = Arc::new(Folder::open(dir.path()).unwrap());
        let write = |name: &str| {
            let place = Place { folder: folder.clone(), name: name.into() };
            let Ok(End::File(place, entry)) = place.assume_free() else { panic!("a file") };
            let mut file = AtomicFile::replacing(place, entry).unwrap();
            file.write_all(b"new").unwrap();
            file.commit()
        };
        let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
        write("a").unwrap();
        fs::write(dir.path().join("b"), "other").unwrap();
        std::os::unix::fs::symlink("c", dir.path().join("d")).unwrap();
        fs::create_dir(dir.path().join("e")).unwrap();
        for name in ["a", "b", "d", "e"] {
            assert_eq!(write(name).unwrap_err().to_string(), changed().to_string(), "{name}");
        }
        assert_eq!((read("a"), read("b"), dir.path().join("c").exists()), (b"new".into(), b"other".into(), false));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 4);
    }

    /// A failure before the new file takes the place of the old one differs from one after that: only in the first case
    /// must a backup be removed.
    #[test]
    fn a_name_that_is_exchanged_before_and_after() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("a"), "old").unwrap();
        let place = Place { folder: Arc::new(Folder::open(dir.path()).unwrap()), name: "a".into() };
        let open = || {
            let old = Arc::new(File::open(path("a")).unwrap());
            let mut file = AtomicFile::new(place.clone(), Some(old)).unwrap();
            file.write_all(b"new").unwrap();
            file.prepare().unwrap();
            file
        };
        let exchange = || {
            fs::write(path("b"), "other").unwrap();
            fs::rename(path("b"), path("a")).unwrap();
        };
        let file = open();
        exchange();
        assert!(file.rename(&signals::hold()).is_err());
        assert_eq!(fs::read(path("a")).unwrap(), b"other");

        let renamed = open().rename(&signals::hold()).unwrap();
        assert_eq!(fs::read(path("a")).unwrap(), b"new");
        exchange();
        assert_eq!(renamed.check().unwrap_err().to_string(), changed().to_string());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
