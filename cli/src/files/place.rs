//! Where a file is: a directory that is held open, and a name in it. Symlinks are followed once, on the way there.

use crate::files::folder::{Entry, Folder, FolderId, Kind, MAX_LINKS, may_lead, owner_of, split};
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory and a name in it.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) folder: Arc<Folder>,
    pub(crate) name: OsString,
}

/// What a path leads to.
pub(crate) enum End {
    /// A regular file, or nothing yet.
    File(Place, Option<Entry>),
    /// A FIFO or a device.
    Special(Place, Entry),
    /// An open file of this process, such as `/dev/stdout`: a path, and the open directory that it starts from, if any.
    Open(Option<Arc<Folder>>, PathBuf),
}

impl Place {
    /// Returns the entry that has the name, if there is one.
    pub(crate) fn look(&self) -> io::Result<Option<Entry>> {
        self.folder.look(&self.name)
    }

    /// Fails if the open file with this metadata, to which the place leads, must not be replaced.
    pub(crate) fn check_replaceable(&self, metadata: &Metadata) -> io::Result<()> {
        self.check_owner(owner_of(metadata), Kind::File)
    }

    /// Returns the place of another name in the same directory.
    pub(crate) fn sibling(&self, name: &OsStr) -> Self {
        Place { folder: self.folder.clone(), name: name.to_owned() }
    }

    /// Returns whether both places have the same name in the same directory.
    pub(crate) fn is_same(&self, other: &Place) -> bool {
        self.name == other.name && self.folder_id().is_some_and(|id| Some(id) == other.folder_id())
    }

    fn folder_id(&self) -> Option<FolderId> {
        self.folder.id().ok()
    }

    /// Fails if an entry that belongs to `owner` must not be replaced or followed here: see [`Folder::trusts`].
    pub(crate) fn check_owner(&self, owner: u32, kind: Kind) -> io::Result<()> {
        if self.folder.trusts(owner)? {
            return Ok(());
        }
        let what = if kind == Kind::Link { "symbolic link" } else { "file" };
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("the {what} belongs to another user, in a sticky directory that everyone can write to"),
        ))
    }
}

/// Follows `path` to the file that it leads to, which need not exist. Also returns the place that was typed, which may be
/// that of a symlink.
pub(crate) fn resolve(path: &Path) -> io::Result<(Option<Place>, End)> {
    if leads_to_open_files(path) {
        return Ok((None, End::Open(None, path.to_owned())));
    }
    let Some((folder, name)) = split(path) else { return Err(not_a_file_name(path)) };
    let typed = Place { folder: Arc::new(Folder::open(folder)?), name: name.to_owned() };
    let end = follow(typed.clone(), true)?;
    Ok((Some(typed), end))
}

/// Follows the symlink at a place, if there is one. `may_be_link` is whether one is expected there.
pub(crate) fn follow(mut place: Place, may_be_link: bool) -> io::Result<End> {
    // The owners of the symlinks that were followed.
    let mut owners: Vec<u32> = Vec::new();
    let may_end_at = |owners: &[u32], target| owners.iter().try_for_each(|owner| may_lead(*owner, target));
    for _ in 0..MAX_LINKS {
        if place.folder.is_proc() {
            return Ok(End::Open(Some(place.folder), place.name.into()));
        }
        let Some(entry) = place.look()? else {
            may_end_at(&owners, place.folder.owner()?)?;
            return Ok(End::File(place, None));
        };
        match entry.kind {
            Kind::Folder => return Err(io::ErrorKind::IsADirectory.into()),
            Kind::Link if !may_be_link => {
                return Err(io::Error::other("a symbolic link was put there after the run began"));
            }
            Kind::Link => {}
            kind => {
                may_end_at(&owners, entry.owner)?;
                // Another user may have put the file or FIFO there so that this run would write to it.
                if kind != Kind::Device {
                    place.check_owner(entry.owner, kind)?;
                }
                let is_file = kind == Kind::File;
                return Ok(if is_file { End::File(place, Some(entry)) } else { End::Special(place, entry) });
            }
        }
        // The symlink may have disappeared meanwhile.
        let Some((owner, target)) = place.folder.link(&place.name)? else { return Err(changed()) };
        place.check_owner(owner, Kind::Link)?;
        owners.push(owner);
        if leads_to_open_files(&target) {
            return Ok(End::Open(None, target));
        }
        let Some((folder, name)) = split(&target) else {
            place.folder.at(&target)?;
            return Err(io::ErrorKind::IsADirectory.into());
        };
        place = Place { folder: Arc::new(place.folder.at(folder)?), name: name.to_owned() };
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Returns whether a path goes through a directory in which the system shows open files. Those must not be replaced.
fn leads_to_open_files(path: &Path) -> bool {
    cfg!(unix) && (path.starts_with("/proc") || path.starts_with("/dev/fd"))
}

/// Returns the error for a path that ends in `/`, `.` or `..`, which cannot name a file.
fn not_a_file_name(path: &Path) -> io::Error {
    std::fs::metadata(path).err().unwrap_or(io::ErrorKind::IsADirectory.into())
}

/// Returns the error for a name that leads to a different file than before.
pub(crate) fn changed() -> io::Error {
    io::Error::other("another process has changed the file meanwhile")
}
