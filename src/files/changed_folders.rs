//! Directories in which files were renamed. A new name is on disk for certain only when its directory was written there,
//! which takes as long for one new name as for thousands: so it is done once for each directory, after its last file.

use crate::files::folder::{Folder, FolderId};
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};

/// How many directories wait to be written to disk. A run goes through them one after the other, and its threads are in
/// neighbouring ones. Each that waits takes a descriptor.
const MAX_WAITING: usize = 2;

/// The directories whose names have changed. A run that ends well calls [`sync`](Self::sync).
#[derive(Default)]
pub struct ChangedFolders(Mutex<Vec<(FolderId, File)>>);

impl ChangedFolders {
    /// Notes that names of the directory have changed. If too many directories wait, the one that has waited longest since
    /// its last change is written to disk.
    pub fn note(&self, folder: &Folder) -> io::Result<()> {
        let id = folder.id()?;
        let oldest = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known = waiting.iter().position(|(known, _)| *known == id).map(|at| waiting.remove(at).1);
            let Some(file) = known.map_or_else(|| folder.to_sync(), |file| Ok(Some(file)))? else { return Ok(()) };
            waiting.push((id, file));
            (waiting.len() > MAX_WAITING).then(|| waiting.remove(0).1)
        };
        oldest.map_or(Ok(()), |file| sync(&file))
    }

    /// Writes the directories to disk.
    ///
    /// # Errors
    /// Fails if the system says that one of them is not on disk now; all of them are tried.
    pub fn sync(&self) -> io::Result<()> {
        let waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.iter().map(|(_, file)| sync(file)).fold(Ok(()), Result::and)
    }
}

/// Writes a directory to disk. Some file systems do that by themselves, and know no call for it.
fn sync(folder: &File) -> io::Result<()> {
    match folder.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn a_directory_waits_once() {
        let dirs: Vec<TempDir> = (0..MAX_WAITING + 2).map(|_| TempDir::new().unwrap()).collect();
        let folders: Vec<Folder> = dirs.iter().map(|dir| Folder::open(dir.path()).unwrap()).collect();
        let changed = ChangedFolders::default();
        let waiting = || changed.0.lock().unwrap().len();
        for _ in 0..100 {
            changed.note(&folders[0]).unwrap();
            assert_eq!(waiting(), 1);
        }
        for folder in &folders {
            changed.note(folder).unwrap();
        }
        assert_eq!(waiting(), MAX_WAITING);
        changed.sync().unwrap();
        assert_eq!(waiting(), 0);
    }
}
