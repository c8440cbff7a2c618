//! `--in-place`: the file that is read takes in what it becomes. As long as that is what it has already, nothing is
//! written: a file that would not change is not touched.

use crate::files::atomic_file::{Beside, New, must_be};
use crate::files::input::Opened;
use crate::files::place::{Place, changed};
use crate::files::signals::{self, Hold};
use crate::files::streams::{FileId, read_at};
use crate::messages::Name;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// How much is compared at a time.
const ROOM: usize = 64 * 1024;

/// What a file becomes. Dropped without [`commit`](Self::commit), it leaves the file as it was.
pub(crate) struct InPlace {
    place: Place,
    backup: Option<Backup>,
    /// The file that is the input too; read at offsets, whatever has been read as the input.
    old: Arc<File>,
    /// What it was when it was opened.
    found: Metadata,
    /// How many bytes were found to be the same.
    same: u64,
    room: Vec<u8>,
    new: Changed,
    rehearsal: bool,
}

/// Where the old content is kept.
pub(crate) struct Backup {
    pub(crate) place: Place,
    /// What it is called in messages.
    pub(crate) path: PathBuf,
}

enum Changed {
    /// Nothing has changed so far.
    Same,
    Beside(Box<Beside>),
    /// It would be another file, if this were no rehearsal.
    Rehearsed,
}

impl InPlace {
    /// For the regular file that was opened at `place`. In a rehearsal everything is done but the writing.
    pub(crate) fn new(place: Place, opened: &Opened, backup: Option<Backup>, rehearsal: bool) -> io::Result<Self> {
        let (Some(old), Some(found)) = (&opened.again, &opened.found) else {
            return Err(io::Error::other("it is no regular file"));
        };
        place.check_replaceable(found)?;
        let (old, found) = (old.clone(), found.clone());
        Ok(InPlace { place, backup, old, found, same: 0, room: Vec::new(), new: Changed::Same, rehearsal })
    }

    /// Whether the file would have these bytes next; they are passed over where it has.
    fn has(&mut self, bytes: &[u8]) -> io::Result<bool> {
        self.room.resize(ROOM, 0);
        let (mut rest, mut at) = (bytes, self.same);
        while !rest.is_empty() {
            let room = &mut self.room[..rest.len().min(ROOM)];
            let len = read_patiently(&self.old, room, at)?;
            if len == 0 || room[..len] != rest[..len] {
                return Ok(false);
            }
            rest = &rest[len..];
            at += len as u64;
        }
        self.same = at;
        Ok(true)
    }

    /// From here on it is another file.
    fn differ(&mut self) -> io::Result<()> {
        let mut new = Beside::new(self.place.clone(), Some(self.old.clone()))?;
        if self.rehearsal {
            self.new = Changed::Rehearsed;
            return Ok(());
        }
        if copy(&self.old, self.same, &mut new)? != self.same {
            return Err(changed());
        }
        self.new = Changed::Beside(Box::new(new));
        Ok(())
    }

    /// All is well: the new file takes the place of the old one, which gets its other name first. Whether there was
    /// anything to change.
    pub(crate) fn commit(mut self) -> io::Result<bool> {
        if matches!(self.new, Changed::Same) {
            if self.old.metadata()?.len() == self.same {
                return Ok(false);
            }
            self.differ()?;
        }
        let Changed::Beside(new) = self.new else {
            if let Some(backup) = &self.backup {
                backup.is_free(&self.old)?;
            }
            return Ok(true);
        };
        new.settle()?;
        // What somebody has written to the file meanwhile would be lost.
        let now = self.old.metadata()?;
        if (now.len(), now.modified().ok()) != (self.found.len(), self.found.modified().ok()) {
            return Err(changed());
        }
        let Some(backup) = &self.backup else { return new.put(&signals::hold()).map(|()| true) };
        let (kept, hold) = backup.keep(&self.place, &self.old)?;
        let put = new.rename(&hold);
        if put.is_err() && kept {
            // Of a file that stays as it was there are no two.
            _ = backup.place.folder.remove(&backup.place.name);
        }
        // From here on the backup is all that is left of the old content.
        put?.check().map(|()| true)
    }
}

impl Write for InPlace {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.new, Changed::Same) && !self.has(bytes)? {
            self.differ()?;
        }
        match &mut self.new {
            Changed::Same | Changed::Rehearsed => Ok(bytes.len()),
            Changed::Beside(new) => new.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Backup {
    /// Gives the open file `old`, which is at `from`, the name of the backup too: there is no moment without either. A
    /// file system that cannot do that gets a copy. Returns whether the name is new, and holds signals from there on.
    fn keep(&self, from: &Place, old: &File) -> io::Result<(bool, Hold)> {
        if !self.is_free(old)? {
            return Ok((false, signals::hold()));
        }
        let Place { folder, name } = &self.place;
        let hold = signals::hold();
        match folder.name(old, Some((&from.folder, &from.name)), name) {
            Ok(()) if must_be(&self.place, old).is_ok() => return Ok((true, hold)),
            // Somebody has put another file there; or the file system has made a copy of its own, which shows as another
            // file, as overlayfs does with a file of a lower layer.
            Ok(()) => {
                folder.remove(name)?;
                drop(hold);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(self.taken()),
            Err(_) => drop(hold),
        }
        let copied = self.copy(old).and_then(|new| {
            let hold = signals::hold();
            new.put_first(&self.place, &hold).map(|()| (true, hold))
        });
        copied.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => self.taken(),
            _ => io::Error::new(error.kind(), format!("cannot keep the old content as {}: {error}", self.name())),
        })
    }

    /// Makes a file with the content of `old`, its permissions and its time.
    fn copy(&self, old: &File) -> io::Result<New> {
        let new = New::open(&self.place.folder, 0o600)?;
        copy(old, u64::MAX, &mut new.file())?;
        new.settle(Some(old))?;
        new.file().set_modified(old.metadata()?.modified()?)?;
        Ok(new)
    }

    /// Whether nothing has the name. It may be the file itself, or a copy of it, as a run that was killed has left it;
    /// anything else is an error.
    fn is_free(&self, old: &File) -> io::Result<bool> {
        match self.place.look()? {
            None => Ok(true),
            Some(_) if self.is_kept(old)? => Ok(false),
            Some(_) => Err(self.taken()),
        }
    }

    /// Whether what has the name is the file, or a copy of it.
    fn is_kept(&self, old: &File) -> io::Result<bool> {
        let Ok(kept) = self.place.folder.read(&self.place.name) else { return Ok(false) };
        let (one, other) = (kept.metadata()?, old.metadata()?);
        let id = FileId::of(&one);
        if id.is_some() && id == FileId::of(&other) {
            return Ok(true);
        }
        if !one.is_file() || one.len() != other.len() || !same_owner(&one, &other) {
            return Ok(false);
        }
        let (mut here, mut there) = (vec![0; ROOM], vec![0; ROOM]);
        let mut at = 0;
        while at < one.len() {
            let len = read_patiently(&kept, &mut here, at)?;
            if len == 0 || read_whole(old, &mut there[..len], at)? != len || here[..len] != there[..len] {
                return Ok(false);
            }
            at += len as u64;
        }
        Ok(true)
    }

    /// What was kept once is worth more than what a second run would put in its place.
    fn taken(&self) -> io::Error {
        let words = format!("{} is there already and is not written over", self.name());
        io::Error::new(io::ErrorKind::AlreadyExists, words)
    }

    fn name(&self) -> Name {
        Name::of_path(self.path.as_os_str())
    }
}

/// Whether a backup belongs to the owner of the file, or to us, who may not be allowed to give a copy away.
#[cfg(unix)]
fn same_owner(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    one.uid() == other.uid() || one.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn same_owner(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Copies the first `len` bytes of a file, or what there is of them; returns how many there were.
fn copy(from: &File, len: u64, to: &mut impl Write) -> io::Result<u64> {
    let mut room = vec![0; ROOM];
    let mut at = 0;
    while at < len {
        let want = (len - at).min(ROOM as u64) as usize;
        match read_patiently(from, &mut room[..want], at)? {
            0 => break,
            got => {
                to.write_all(&room[..got])?;
                at += got as u64;
            }
        }
    }
    Ok(at)
}

fn read_patiently(file: &File, room: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match read_at(file, room, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Fills the room unless the file ends first.
fn read_whole(file: &File, room: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < room.len() {
        match read_patiently(file, &mut room[filled..], at + filled as u64)? {
            0 => break,
            len => filled += len,
        }
    }
    Ok(filled)
}
