//! `--in-place`: the file that is read takes in what it becomes. As long as that is what it has already, nothing is
//! written: a file that would not change is not touched.

use super::beside::{self, Beside};
use super::streams::FileId;
use super::words::Name;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// How much is compared at a time.
const ROOM: usize = 64 * 1024;

/// What a file becomes. Dropped without [`commit`](Self::commit), it leaves the file as it was.
pub(super) struct InPlace {
    path: PathBuf,
    /// Where the old content is kept.
    backup: Option<PathBuf>,
    /// The file as it is, to be compared from `same` on.
    old: File,
    /// How many bytes were found to be the same.
    same: u64,
    room: Vec<u8>,
    new: New,
    rehearsal: bool,
}

enum New {
    /// Nothing has changed so far.
    Same,
    Beside(Box<Beside>),
    /// It would be another file, if this were no rehearsal.
    Rehearsed,
}

impl InPlace {
    /// For the regular file at `path`. In a rehearsal everything is done but the writing.
    pub(super) fn new(path: PathBuf, backup: Option<PathBuf>, rehearsal: bool) -> io::Result<Self> {
        let old = File::open(&path)?;
        if !old.metadata()?.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        Ok(InPlace { path, backup, old, same: 0, room: Vec::new(), new: New::Same, rehearsal })
    }

    /// Whether the file would have these bytes next; they are passed over where it has.
    fn has(&mut self, bytes: &[u8]) -> io::Result<bool> {
        self.room.resize(ROOM, 0);
        let mut rest = bytes;
        while !rest.is_empty() {
            let want = rest.len().min(ROOM);
            let len = match self.old.read(&mut self.room[..want]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if len == 0 || self.room[..len] != rest[..len] {
                return Ok(false);
            }
            rest = &rest[len..];
        }
        self.same += bytes.len() as u64;
        Ok(true)
    }

    /// From here on it is another file.
    fn differ(&mut self) -> io::Result<()> {
        let mut new = Beside::new(self.path.clone())?;
        if self.rehearsal {
            self.new = New::Rehearsed;
            return Ok(());
        }
        self.old.rewind()?;
        let copied = io::copy(&mut (&self.old).take(self.same), &mut new)?;
        if copied != self.same {
            return Err(io::Error::other("the file was changed by somebody else"));
        }
        self.new = New::Beside(Box::new(new));
        Ok(())
    }

    /// All is well: the new file takes the place of the old one, which gets its other name first. Whether there was
    /// anything to change.
    pub(super) fn commit(mut self) -> io::Result<bool> {
        if matches!(self.new, New::Same) {
            if self.old.metadata()?.len() == self.same {
                return Ok(false);
            }
            self.differ()?;
        }
        let kept = match &self.backup {
            Some(backup) if self.rehearsal => is_free(&self.path, backup).map(|_| false)?,
            Some(backup) => keep(&self.path, backup)?,
            None => false,
        };
        let New::Beside(new) = self.new else { return Ok(true) };
        let committed = new.commit();
        if let (Err(_), true, Some(backup)) = (&committed, kept, &self.backup) {
            // Of a file that stays as it was there are no two.
            _ = fs::remove_file(backup);
        }
        committed.map(|()| true)
    }
}

impl Write for InPlace {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.new, New::Same) && !self.has(bytes)? {
            self.differ()?;
        }
        match &mut self.new {
            New::Same | New::Rehearsed => Ok(bytes.len()),
            New::Beside(new) => new.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives the file at `path` the name `backup` too: there is no moment without either. Whether it was new. A file system
/// that cannot do that gets a copy.
fn keep(path: &Path, backup: &Path) -> io::Result<bool> {
    if !is_free(path, backup)? {
        return Ok(false);
    }
    match fs::hard_link(path, backup) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(taken(backup)),
        Err(_) => beside::copy(path, backup).map(|()| true).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => taken(backup),
            _ => io::Error::new(
                error.kind(),
                format!("cannot keep the old content as {}: {error}", Name::of_path(backup.as_os_str())),
            ),
        }),
    }
}

/// Whether nothing is called `backup`. It may be the file itself, as a run that was killed has left it; anything else is
/// an error.
fn is_free(path: &Path, backup: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(backup) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
        Ok(found) => {
            let id = FileId::of(&found);
            if id.is_some() && id == FileId::of(&fs::metadata(path)?) { Ok(false) } else { Err(taken(backup)) }
        }
    }
}

/// What was kept once is worth more than what a second run would put in its place.
fn taken(backup: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::AlreadyExists,
        format!("{} is there already and is not written over", Name::of_path(backup.as_os_str())),
    )
}
