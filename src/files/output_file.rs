//! A path that is opened for writing, by the rules of this folder.

use crate::files::atomic_file::AtomicFile;
use crate::files::entry::Entry;
use crate::files::folder::{Folder, append_to, split};
use crate::files::place::{End, Place, changed};
use crate::files::{Blocking, FileId};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// An output file. A regular file is replaced by [`commit`](Self::commit), when all of it is written; dropped without
/// that, the output leaves the file as it was. A FIFO, a device or a descriptor is written directly.
///
/// ```
/// use charpipe::files::OutputFile;
/// use std::io::Write;
///
/// # let folder = tempfile::TempDir::new()?;
/// # let path = folder.path().join("ledger.txt");
/// std::fs::write(&path, "old")?;
/// let mut output = OutputFile::open(&path)?;
/// output.write_all(b"new")?;
/// assert_eq!(std::fs::read(&path)?, b"old");
/// output.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"new");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct OutputFile(Opened);

/// The kind of output that a path was opened as.
pub enum Opened {
    /// A FIFO, a device or a descriptor: what is written cannot be taken back.
    Stream(Blocking),
    /// A new file. Dropped without being put in its place, it is removed, and the old one stays as it was.
    New(Box<AtomicFile>),
}

/// How to treat the old content of a file that is opened in place, without a new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// It is removed.
    Removed,
    /// Keep it, and append to it.
    Kept,
    /// There must be none: an existing file is an error.
    None,
}

impl OutputFile {
    /// Opens the path. Symlinks are followed, but a symlink of another user only to that user's own files.
    ///
    /// # Errors
    /// Fails for a directory, for a path that another user could have chosen for us, and if the system refuses.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_unless(path, || Ok(()))
    }

    /// Opens the path. Calls `interrupted` whenever a signal arrives while a FIFO is waited for; its error ends that.
    #[doc(hidden)]
    pub fn open_unless(path: &Path, interrupted: impl FnMut() -> io::Result<()>) -> io::Result<Self> {
        Ok(OutputFile(End::of(path)?.1.open_unless(interrupted)?))
    }

    /// Puts a new file in its place, with the owner, the permissions and the attributes of the one that it replaces.
    ///
    /// # Errors
    /// Fails if the system does, and if the name leads to a different file than before. The old file stays as it was.
    pub fn commit(self) -> io::Result<()> {
        match self.0 {
            Opened::Stream(mut stream) => stream.flush(),
            Opened::New(file) => file.commit(),
        }
    }

    /// Opens the path as the system's `open` does, so that written bytes are in the file at once. The same rules apply,
    /// but there is no temporary file. A file that did not exist gets the usual permissions of a new file.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_in_place(path: &Path, content: Content) -> io::Result<File> {
        Self::open_in_place_unless(path, content, || Ok(()))
    }

    /// Does the same; for `interrupted`, see [`open_unless`](Self::open_unless).
    #[doc(hidden)]
    pub fn open_in_place_unless(
        path: &Path,
        content: Content,
        interrupted: impl FnMut() -> io::Result<()>,
    ) -> io::Result<File> {
        if content == Content::None {
            // A symlink exists, too, wherever it leads.
            let Some((folder, name)) = split(path) else { return Err(io::ErrorKind::AlreadyExists.into()) };
            return Folder::open(folder)?.make(name, 0o666);
        }
        match End::of(path)?.1 {
            End::File(place, None) => place.folder.make(&place.name, 0o666).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => changed(),
                _ => error,
            }),
            End::File(place, Some(entry)) => {
                let file = expected(place.folder.write(&place.name, content == Content::Kept)?, &entry)?;
                if content == Content::Removed {
                    file.set_len(0)?;
                }
                Ok(file)
            }
            other => other.stream(interrupted),
        }
    }
}

impl End {
    /// Opens the file that a path leads to.
    ///
    /// # Errors
    /// As for [`OutputFile::open`].
    pub fn open(self) -> io::Result<Opened> {
        self.open_unless(|| Ok(()))
    }

    fn open_unless(self, interrupted: impl FnMut() -> io::Result<()>) -> io::Result<Opened> {
        match self {
            End::File(place, entry) => Ok(Opened::New(Box::new(AtomicFile::replacing(place, entry)?))),
            other => Ok(Opened::Stream(Blocking(Arc::new(other.stream(interrupted)?)))),
        }
    }

    /// Opens what is not a regular file.
    fn stream(self, mut interrupted: impl FnMut() -> io::Result<()>) -> io::Result<File> {
        match self {
            End::File(..) => Err(io::ErrorKind::InvalidInput.into()),
            End::Special(place, entry) => loop {
                match place.folder.write_stream(&place.name) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => interrupted()?,
                    opened => return expected(opened?, &entry),
                }
            },
            End::Descriptor(path) => OpenOptions::new().append(true).open(path),
            End::InProc(held) => append_to(&held),
        }
    }
}

impl AtomicFile {
    /// Creates a new file for `place`, where `entry` was found: a regular file or nothing.
    ///
    /// # Errors
    /// Fails if something else is there now, or if the system refuses.
    pub fn replacing(place: Place, entry: Option<Entry>) -> io::Result<Self> {
        let Some(entry) = entry else { return AtomicFile::new(place, None) };
        let old = expected(place.folder.hold(&place.name)?, &entry)?;
        AtomicFile::new(place, Some(Arc::new(old)))
    }
}

/// Returns the open file if it is the one that was found. If a different file has taken its place meanwhile, that one must
/// not be written.
fn expected(file: File, entry: &Entry) -> io::Result<File> {
    if cfg!(unix) && FileId::of_any(&file.metadata()?) != entry.id { Err(changed()) } else { Ok(file) }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Opened::Stream(stream) => stream.write(bytes),
            Opened::New(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Opened::Stream(stream) => stream.flush(),
            Opened::New(_) => Ok(()),
        }
    }
}
