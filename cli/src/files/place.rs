//! Where a file is: a directory that is held open, and a name in it. Symlinks are followed once, on the way to it.

use crate::files::folder::{Entry, Folder, FolderId, Kind, LINKS, may_lead, split};
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
    /// An open file of this process, such as `/dev/stdout`: a path, which may begin in a directory that is held.
    Open(Option<Arc<Folder>>, PathBuf),
}

impl Place {
    pub(crate) fn look(&self) -> io::Result<Option<Entry>> {
        self.folder.look(&self.name)
    }

    /// Fails unless the open file that this leads to may be replaced.
    #[cfg(unix)]
    pub(crate) fn check_replaceable(&self, found: &Metadata) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt;

        self.check_owner(found.uid(), Kind::File)
    }

    #[cfg(not(unix))]
    pub(crate) fn check_replaceable(&self, _found: &Metadata) -> io::Result<()> {
        Ok(())
    }

    /// The same directory, and another name.
    pub(crate) fn beside(&self, name: &OsStr) -> Self {
        Place { folder: self.folder.clone(), name: name.to_owned() }
    }

    pub(crate) fn is_same(&self, other: &Place) -> bool {
        self.name == other.name && self.folder_id().is_some_and(|id| Some(id) == other.folder_id())
    }

    fn folder_id(&self) -> Option<FolderId> {
        self.folder.id().ok()
    }

    /// Fails unless an entry that belongs to `owner` may be replaced or followed here.
    pub(crate) fn check_owner(&self, owner: u32, kind: Kind) -> io::Result<()> {
        if self.folder.trusts(owner)? {
            return Ok(());
        }
        let what = if kind == Kind::Link { "symbolic link" } else { "file" };
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("the {what} belongs to another user, in a sticky directory that everybody can write to"),
        ))
    }
}

/// Follows `path` to the file that it leads to, which need not exist. Returns the place that was typed too, which may be
/// that of a symlink.
pub(crate) fn resolve(path: &Path) -> io::Result<(Option<Place>, End)> {
    if is_of_open_files(path) {
        return Ok((None, End::Open(None, path.to_owned())));
    }
    let Some((folder, name)) = split(path) else { return Err(no_file(path)) };
    let typed = Place { folder: Arc::new(Folder::open(folder)?), name: name.to_owned() };
    let end = follow(typed.clone(), true)?;
    Ok((Some(typed), end))
}

/// Follows the symlink at a place, if there is one and it may be there.
pub(crate) fn follow(mut place: Place, may_be_link: bool) -> io::Result<End> {
    // The owners of the symlinks that were followed.
    let mut owners: Vec<u32> = Vec::new();
    let may_end_at = |owners: &[u32], target| owners.iter().try_for_each(|owner| may_lead(*owner, target));
    for _ in 0..LINKS {
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
                return Err(io::Error::other("a symbolic link has been put there since the run began"));
            }
            Kind::Link => {}
            kind => {
                may_end_at(&owners, entry.owner)?;
                // The old file or FIFO may have been put there to be written to.
                if kind != Kind::Device {
                    place.check_owner(entry.owner, kind)?;
                }
                let is_file = kind == Kind::File;
                return Ok(if is_file { End::File(place, Some(entry)) } else { End::Special(place, entry) });
            }
        }
        // It may have gone since it was looked at.
        let Some((owner, target)) = place.folder.link(&place.name)? else { return Err(changed()) };
        place.check_owner(owner, Kind::Link)?;
        owners.push(owner);
        if is_of_open_files(&target) {
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

/// Whether a path goes by where the system keeps what is open. What is there is not to be replaced.
fn is_of_open_files(path: &Path) -> bool {
    cfg!(unix) && (path.starts_with("/proc") || path.starts_with("/dev/fd"))
}

/// Explains why a path that ends in `/`, `.` or `..` names no file.
fn no_file(path: &Path) -> io::Error {
    std::fs::metadata(path).err().unwrap_or(io::ErrorKind::IsADirectory.into())
}

/// Reports that a name leads to another file than before.
pub(crate) fn changed() -> io::Error {
    io::Error::other("the file was changed by somebody else")
}
