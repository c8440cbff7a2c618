//! Where a file is: a directory that is held open, and a name in it. Symlinks are followed once, on the way there, and
//! one rule says which of them: [`may_lead`].

use crate::files::FileId;
use crate::files::entry::{Entry, EntryKind};
use crate::files::folder::{Folder, FolderId, MAX_LINKS, is_ours, led_astray, may_lead, owner_of, split};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A directory that is held open, and a name in it.
#[derive(Clone)]
pub struct Place {
    /// The directory.
    pub folder: Arc<Folder>,
    /// The name: one component of a path.
    pub name: OsString,
}

/// The file that a path leads to.
pub enum End {
    /// A regular file, or nothing yet.
    File(Place, Option<Entry>),
    /// A FIFO or a device.
    Special(Place, Entry),
    /// A descriptor of this process that the caller named, such as `/dev/stdout` or `/dev/fd/3`.
    Descriptor(PathBuf),
    /// Something else in `/proc`. It is held, but not open for reading or writing.
    InProc(File),
}

impl Place {
    /// Returns the entry that has the name, if there is one.
    pub fn look(&self) -> io::Result<Option<Entry>> {
        self.folder.look(&self.name)
    }

    /// Fails if the open file with this metadata, to which the place leads, must not be replaced.
    pub fn check_replaceable(&self, metadata: &Metadata) -> io::Result<()> {
        if let Some(user) = self.folder.led_by() {
            may_lead(user, owner_of(metadata))?;
            may_lead(user, self.folder.owner()?)?;
        }
        self.check_owner(owner_of(metadata), EntryKind::File)
    }

    /// Fails unless the name leads to the open file `file`.
    pub fn must_be(&self, file: &File) -> io::Result<()> {
        let id = FileId::of_any(&file.metadata()?);
        match self.look()? {
            Some(entry) if entry.id == id => Ok(()),
            _ => Err(changed()),
        }
    }

    /// Returns the place of another name in the same directory.
    pub fn sibling(&self, name: &OsStr) -> Self {
        Place { folder: self.folder.clone(), name: name.to_owned() }
    }

    /// Returns whether both places have the same name in the same directory.
    pub fn is_same(&self, other: &Place) -> bool {
        self.name == other.name && self.folder_id().is_some_and(|id| Some(id) == other.folder_id())
    }

    fn folder_id(&self) -> Option<FolderId> {
        self.folder.id().ok()
    }

    /// Fails if an entry that belongs to `owner` must not be replaced or followed here: see [`Folder::trusts`].
    pub fn check_owner(&self, owner: u32, kind: EntryKind) -> io::Result<()> {
        if self.folder.trusts(owner)? {
            return Ok(());
        }
        let what = if kind == EntryKind::Link { "symbolic link" } else { "file" };
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("the {what} belongs to another user, in a sticky directory that others can write to"),
        ))
    }

    /// Returns this place as one where nothing is, without looking. If something is there all the same, the new file cannot
    /// be put there, and what is there stays as it is. While the system looks up a missing name, it locks the directory, and
    /// no other thread can put a file there.
    ///
    /// # Errors
    /// Fails only if another user's symlink led here, or on a system other than Unix. There it does look: it fails if
    /// something is there, and where [`follow`](Self::follow) fails.
    pub fn assume_free(self) -> io::Result<End> {
        if cfg!(unix) && self.folder.led_by().is_none() {
            return Ok(End::File(self, None));
        }
        match self.follow(false)? {
            End::File(place, None) => Ok(End::File(place, None)),
            _ => Err(changed()),
        }
    }

    /// Follows the symlink at this place, if there is one, and those that it leads to. A symlink of another user is
    /// followed only to that user's own files. `may_be_link` is whether a symlink is expected here; if not, it is an
    /// error.
    ///
    /// # Errors
    /// Fails for a directory, and for anything that must not be followed or written to.
    pub fn follow(self, may_be_link: bool) -> io::Result<End> {
        let mut place = self;
        // The owners of the symlinks that were followed.
        let mut owners = Vec::from_iter(place.folder.led_by());
        let may_end_at = |owners: &[u32], target| owners.iter().try_for_each(|owner| may_lead(*owner, target));
        for _ in 0..MAX_LINKS {
            let Some(entry) = place.look()? else {
                if !owners.is_empty() {
                    may_end_at(&owners, place.folder.owner()?)?;
                }
                return Ok(End::File(place, None));
            };
            if entry.kind == EntryKind::Folder {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            // Even what belongs to that user can do more if we write to it: `/proc/PID/uid_map`, `cgroup.procs`.
            if !owners.iter().all(|owner| is_ours(*owner)) && place.folder.is_of_the_kernel() {
                return Err(led_astray());
            }
            if place.folder.is_proc() {
                let (held, link_owner) = place.folder.hold_in_proc(&place.name)?;
                owners.extend(link_owner);
                let metadata = held.metadata()?;
                may_end_at(&owners, owner_of(&metadata))?;
                return if metadata.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(End::InProc(held)) };
            }
            if entry.kind != EntryKind::Link {
                may_end_at(&owners, entry.owner)?;
                // Another user may have put the file or FIFO there so that this run would write to it.
                if entry.kind != EntryKind::Device {
                    place.check_owner(entry.owner, entry.kind)?;
                }
                let is_file = entry.kind == EntryKind::File;
                return Ok(if is_file { End::File(place, Some(entry)) } else { End::Special(place, entry) });
            }
            if !may_be_link {
                return Err(io::Error::other("a symbolic link was put there after the run began"));
            }
            // The symlink may have disappeared meanwhile.
            let Some((owner, target)) = place.folder.link(&place.name)? else { return Err(changed()) };
            place.check_owner(owner, EntryKind::Link)?;
            owners.push(owner);
            if descriptor(&target).is_some() && owners.iter().all(|owner| is_ours(*owner)) {
                return Ok(End::Descriptor(target));
            }
            let guide = owners.iter().copied().find(|owner| !is_ours(*owner));
            let Some((folder, name)) = split(&target) else {
                place.folder.follow(&target, guide)?;
                return Err(io::ErrorKind::IsADirectory.into());
            };
            place = Place { folder: Arc::new(place.folder.follow(folder, guide)?), name: name.to_owned() };
            owners.extend(place.folder.led_by());
        }
        Err(io::Error::other("too many levels of symbolic links"))
    }
}

impl End {
    /// Follows `path` to the file that it leads to, which need not exist. Also returns the place that was typed, which
    /// may be that of a symlink; a descriptor has none.
    ///
    /// # Errors
    /// As for [`Place::follow`]; and if the directory does not exist, or the path goes through a symlink that must not be
    /// followed.
    pub fn of(path: &Path) -> io::Result<(Option<Place>, End)> {
        if descriptor(path).is_some() {
            return Ok((None, End::Descriptor(path.to_owned())));
        }
        let Some((folder, name)) = split(path) else { return Err(not_a_file_name(path)) };
        let typed = Place { folder: Arc::new(Folder::open(folder)?), name: name.to_owned() };
        let end = typed.clone().follow(true)?;
        Ok((Some(typed), end))
    }
}

/// Returns the number of the descriptor of this process that a path names: `/dev/stdout`, `/dev/fd/N`,
/// `/proc/self/fd/N` …. The file behind it must not be replaced; the program that started this process has opened it.
pub fn descriptor(path: &Path) -> Option<u32> {
    if !cfg!(unix) {
        return None;
    }
    let named = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].iter().position(|name| path == Path::new(name));
    let numbered = || {
        let folders = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"];
        let mut rest = folders.iter().find_map(|folder| path.strip_prefix(folder).ok())?.components();
        let (Some(Component::Normal(name)), None) = (rest.next(), rest.next()) else { return None };
        name.to_str()?.parse().ok()
    };
    named.map(|number| number as u32).or_else(numbered)
}

/// Returns the error for a path that ends in `/`, `.` or `..`, which cannot name a file.
fn not_a_file_name(path: &Path) -> io::Error {
    std::fs::metadata(path).err().unwrap_or(io::ErrorKind::IsADirectory.into())
}

/// Returns the error for a name that leads to a different file than before.
pub fn changed() -> io::Error {
    io::Error::other("another process has changed the file meanwhile")
}
