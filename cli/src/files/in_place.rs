//! `--in-place`: replaces the file that is read by its conversion. As long as the output equals the file, nothing is
//! written: a file that would not change is not touched.

use crate::files::backup::{Backup, BackupExists};
use crate::files::copying::{BUFFER_BYTES, copy, read_some_at};
use crate::files::input::OpenInput;
use charpipe::codec::PageBuffer;
use charpipe::files::{AtomicFile, ChangedFolders, Place, changed, signals, while_replaced};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::SystemTime;

/// The conversion of a file. Dropped without [`commit`](Self::commit), it leaves the file as it was.
pub(crate) struct InPlace {
    place: Place,
    backup: Option<Backup>,
    /// Why the file must not be replaced.
    objection: Option<BackupExists>,
    /// The file, which is also the input. It is read at offsets, independently of the input.
    old: Arc<File>,
    /// The state of the file when it was opened.
    state: State,
    /// The number of bytes of the output that equal those of the file.
    same: u64,
    buffer: PageBuffer,
    new: Rewrite,
    rehearsal: bool,
}

/// How the output so far differs from the file.
enum Rewrite {
    /// It does not.
    None,
    File(Box<AtomicFile>),
    /// It does, but this is a rehearsal.
    Rehearsed,
}

/// The properties that change if another process writes to a file.
#[derive(PartialEq)]
struct State {
    len: u64,
    modified: Option<SystemTime>,
    /// Length and time of modification can be restored. The time of the last change, of the content or of the file
    /// itself, cannot; only Unix tells it.
    changed: Option<(i64, i64)>,
}

impl State {
    fn of(file: &Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt as _;
            Some((file.ctime(), file.ctime_nsec()))
        };
        #[cfg(not(unix))]
        let changed = None;
        State { len: file.len(), modified: file.modified().ok(), changed }
    }
}

impl InPlace {
    /// Begins the conversion of the regular file that was opened at `place`. A rehearsal does everything except
    /// writing.
    pub(crate) fn new(place: Place, input: &OpenInput, backup: Option<Backup>, rehearsal: bool) -> io::Result<Self> {
        let (Some(old), Some(metadata)) = (&input.file, &input.metadata) else {
            return Err(not_a_regular_file());
        };
        place.check_replaceable(metadata)?;
        let (old, state) = (old.clone(), State::of(metadata));
        let objection = backup.as_ref().map(|backup| backup.objection(&old)).transpose()?.flatten();
        Ok(InPlace {
            place,
            backup,
            objection,
            old,
            state,
            same: 0,
            buffer: PageBuffer::default(),
            new: Rewrite::None,
            rehearsal,
        })
    }

    /// Returns whether the file continues with these bytes, and skips them if it does.
    fn has(&mut self, bytes: &[u8]) -> io::Result<bool> {
        if self.buffer.is_empty() {
            self.buffer = PageBuffer::for_input(BUFFER_BYTES);
        }
        let (mut rest, mut at) = (bytes, self.same);
        while !rest.is_empty() {
            let buffer = &mut self.buffer[..rest.len().min(BUFFER_BYTES)];
            let len = read_some_at(&self.old, buffer, at)?;
            if len == 0 || buffer[..len] != rest[..len] {
                return Ok(false);
            }
            rest = &rest[len..];
            at += len as u64;
        }
        self.same = at;
        Ok(true)
    }

    /// Gives back the memory that is needed only while something is written.
    pub(crate) fn rest(&mut self) {
        self.buffer = PageBuffer::default();
    }

    /// Returns why the file must not be replaced.
    pub(crate) fn objection(&self) -> Option<&BackupExists> {
        self.objection.as_ref()
    }

    /// Starts a new file with the bytes that are the same.
    fn start_rewrite(&mut self) -> io::Result<()> {
        if let Some(objection) = &self.objection {
            return Err(objection.clone().into());
        }
        let mut new = AtomicFile::new(self.place.clone(), Some(self.old.clone()))?;
        if self.rehearsal {
            self.new = Rewrite::Rehearsed;
            return Ok(());
        }
        if copy(&self.old, self.same, &mut new)? != self.same {
            return Err(changed());
        }
        self.new = Rewrite::File(Box::new(new));
        Ok(())
    }

    /// Returns the new file, if there is one.
    pub(crate) fn new_file(&self) -> Option<&AtomicFile> {
        if let Rewrite::File(new) = &self.new { Some(new) } else { None }
    }

    /// Replaces the file, after giving the old content its other name if there is a backup. The new file, if there is one,
    /// was prepared. Returns whether anything has changed. The new names are on disk when `folders` are.
    pub(crate) fn publish_in(mut self, folders: &ChangedFolders) -> io::Result<bool> {
        if matches!(self.new, Rewrite::None) {
            if self.old.metadata()?.len() == self.same {
                return Ok(false);
            }
            self.start_rewrite()?;
            self.new_file().map_or(Ok(()), AtomicFile::prepare)?;
        }
        let Rewrite::File(new) = self.new else { return Ok(true) };
        // Anything that another process has written to the file meanwhile would be lost.
        let is_unchanged = self.place.must_be(&self.old).is_ok() && State::of(&self.old.metadata()?) == self.state;
        let InPlace { place, backup, old, .. } = self;
        let Some(backup) = backup else {
            let _old = while_replaced(old);
            if !is_unchanged {
                return Err(changed());
            }
            new.put_in_place(&signals::hold())?;
            return folders.note(&place.folder).map(|()| true);
        };
        if !is_unchanged {
            return Err(backup.changed(&place, &old));
        }
        let kept = backup.keep(&place, &old)?;
        let old = while_replaced(old);
        match new.rename(&kept.hold) {
            // From here on the backup has the only copy of the old content.
            Ok(renamed) => renamed.check()?,
            Err(error) => {
                backup.undo(kept, &place, old.as_deref());
                return Err(error);
            }
        }
        folders.note(&place.folder)?;
        Ok(true)
    }
}

impl Write for InPlace {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.new, Rewrite::None) && !self.has(bytes)? {
            self.start_rewrite()?;
        }
        match &mut self.new {
            Rewrite::None | Rewrite::Rehearsed => Ok(bytes.len()),
            Rewrite::File(new) => new.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the error for a file that cannot be replaced.
pub(crate) fn not_a_regular_file() -> io::Error {
    io::Error::other("not a regular file")
}
