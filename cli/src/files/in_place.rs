//! `--in-place`: replaces the file that is read by its conversion. As long as the output equals the file, nothing is
//! written: a file that would not change is not touched.

use crate::files::file_path::FilePath;
use crate::files::input::OpenInput;
use crate::files::name::Name;
use crate::files::streams::read_at;
use charpipe::codec::PageBuffer;
use charpipe::files::signals::{self, Hold};
use charpipe::files::{AtomicFile, FileId, NewFile, Place, changed, current_user, owner_of};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::sync::Arc;

/// How many bytes are compared or copied at a time.
const BUFFER_BYTES: usize = 64 * 1024;

/// The conversion of a file. Dropped without [`commit`](Self::commit), it leaves the file as it was.
pub(crate) struct InPlace {
    place: Place,
    backup: Option<Backup>,
    /// The file, which is also the input. It is read at offsets, independently of the input.
    old: Arc<File>,
    /// The metadata of the file when it was opened.
    metadata: Metadata,
    /// The number of bytes of the output that equal those of the file.
    same: u64,
    buffer: PageBuffer,
    new: Rewrite,
    rehearsal: bool,
}

/// Where the old content is kept.
pub(crate) struct Backup {
    pub(crate) place: Place,
    /// For messages.
    pub(crate) path: FilePath,
}

/// How the output so far differs from the file.
enum Rewrite {
    /// It does not.
    None,
    File(Box<AtomicFile>),
    /// It does, but this is a rehearsal.
    Rehearsed,
}

impl InPlace {
    /// Begins the conversion of the regular file that was opened at `place`. A rehearsal does everything except writing.
    pub(crate) fn new(place: Place, input: &OpenInput, backup: Option<Backup>, rehearsal: bool) -> io::Result<Self> {
        let (Some(old), Some(metadata)) = (&input.file, &input.metadata) else {
            return Err(not_a_regular_file());
        };
        place.check_replaceable(metadata)?;
        let (old, metadata) = (old.clone(), metadata.clone());
        Ok(InPlace {
            place,
            backup,
            old,
            metadata,
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

    /// Starts a new file with the bytes that are the same.
    fn start_rewrite(&mut self) -> io::Result<()> {
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

    /// Replaces the file, after giving the old content its other name if there is a backup. Returns whether anything has
    /// changed.
    pub(crate) fn commit(mut self) -> io::Result<bool> {
        if matches!(self.new, Rewrite::None) {
            if self.old.metadata()?.len() == self.same {
                return Ok(false);
            }
            self.start_rewrite()?;
        }
        let Rewrite::File(new) = self.new else {
            if let Some(backup) = &self.backup {
                backup.is_free(&self.old)?;
            }
            return Ok(true);
        };
        new.prepare()?;
        // Anything that another process has written to the file meanwhile would be lost.
        let now = self.old.metadata()?;
        if (now.len(), now.modified().ok()) != (self.metadata.len(), self.metadata.modified().ok()) {
            return Err(changed());
        }
        let Some(backup) = &self.backup else { return new.put_in_place(&signals::hold()).map(|()| true) };
        let (kept, hold) = backup.keep(&self.place, &self.old)?;
        let renamed = new.rename(&hold);
        if renamed.is_err() && kept {
            // The file stays as it was, and needs no second name.
            _ = backup.place.folder.remove(&backup.place.name);
        }
        // From here on the backup has the only copy of the old content.
        renamed?.check().map(|()| true)
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

impl Backup {
    /// Gives the open file `old`, which is at `from`, the name of the backup as a second name, so that at every moment at
    /// least one of the names leads to the content. If the file system cannot do that, a copy is made. Returns whether the
    /// name is new, and a hold on signals from that moment on.
    fn keep(&self, from: &Place, old: &File) -> io::Result<(bool, Hold)> {
        if !self.is_free(old)? {
            return Ok((false, signals::hold()));
        }
        let Place { folder, name } = &self.place;
        let hold = signals::hold();
        match folder.name(old, Some((&from.folder, &from.name)), name) {
            Ok(()) if self.place.must_be(old).is_ok() => return Ok((true, hold)),
            // Another process has put a different file there; or the file system has made a copy, which looks like a
            // different file: overlayfs does that with a file of a lower layer.
            Ok(()) => {
                folder.remove(name)?;
                drop(hold);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(self.taken()),
            Err(_) => drop(hold),
        }
        let copied = self.copy(old).and_then(|new| {
            let hold = signals::hold();
            new.put_where_none_is(&self.place, &hold).map(|()| (true, hold))
        });
        copied.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => self.taken(),
            _ => io::Error::new(error.kind(), format!("cannot keep the old content as {}: {error}", self.name())),
        })
    }

    /// Makes a file with the content, permissions and modification time of `old`.
    fn copy(&self, old: &File) -> io::Result<NewFile> {
        let new = NewFile::create(&self.place.folder, 0o600)?;
        copy(old, u64::MAX, &mut new.file())?;
        new.prepare(Some(old))?;
        new.file().set_modified(old.metadata()?.modified()?)?;
        Ok(new)
    }

    /// Returns whether the name is free. The name may lead to the file itself or to a copy of it, which a run that was
    /// killed has left behind; anything else is an error.
    fn is_free(&self, old: &File) -> io::Result<bool> {
        match self.place.look()? {
            None => Ok(true),
            Some(_) if self.is_kept(old)? => Ok(false),
            Some(_) => Err(self.taken()),
        }
    }

    /// Returns whether the name leads to the file `old`, or to a copy of it.
    fn is_kept(&self, old: &File) -> io::Result<bool> {
        let Ok(kept) = self.place.folder.read(&self.place.name) else { return Ok(false) };
        let (one, other) = (kept.metadata()?, old.metadata()?);
        let id = FileId::of(&one);
        if id.is_some() && id == FileId::of(&other) {
            return Ok(true);
        }
        if !one.is_file() || one.len() != other.len() || !have_same_owner(&one, &other) {
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

    /// Returns the error for a backup that exists already: it has the original content, which is worth more than that of
    /// a second run.
    fn taken(&self) -> io::Error {
        let message = format!("{} exists already and is not overwritten", self.name());
        io::Error::new(io::ErrorKind::AlreadyExists, message)
    }

    fn name(&self) -> Name {
        self.path.name()
    }
}

/// Returns whether a backup belongs to the owner of the file, or to the user of this process, who may not be allowed to
/// give a copy away.
fn have_same_owner(backup: &Metadata, file: &Metadata) -> bool {
    owner_of(backup) == owner_of(file) || owner_of(backup) == current_user()
}

/// Returns the error for a file that cannot be replaced.
pub(crate) fn not_a_regular_file() -> io::Error {
    io::Error::other("not a regular file")
}

/// Copies the first `len` bytes of a file, or all of it if it is shorter. Returns the number of bytes copied.
fn copy(from: &File, len: u64, to: &mut impl Write) -> io::Result<u64> {
    let mut buffer = PageBuffer::for_input(BUFFER_BYTES);
    let mut at = 0;
    while at < len {
        let want = (len - at).min(BUFFER_BYTES as u64) as usize;
        match read_some_at(from, &mut buffer[..want], at)? {
            0 => break,
            got => {
                to.write_all(&buffer[..got])?;
                at += got as u64;
            }
        }
    }
    Ok(at)
}

/// Reads at an offset, again if a signal interrupts it.
fn read_some_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match read_at(file, buffer, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Fills the buffer, unless the file ends first. Returns the number of bytes read.
fn read_full_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_some_at(file, &mut buffer[filled..], at + filled as u64)? {
            0 => break,
            len => filled += len,
        }
    }
    Ok(filled)
}
