//! A directory that is held open: it stays the same directory whatever happens to its name. Every file in it is accessed by
//! a single path component, so that no other user can put a symlink in the way.

use crate::files::streams::FileId;
use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// An open directory.
pub(crate) struct Folder(File);

/// Identifies a directory, whatever its name.
pub(crate) type FolderId = FileId;

/// The kind of an entry of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    Fifo,
    Device,
}

/// An entry of a directory, as it was when it was examined. A symlink is not followed.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) id: FileId,
    pub(crate) kind: Kind,
    pub(crate) owner: u32,
}

/// Opens a directory as a starting point only, if the system can: that needs no permission to read it.
#[cfg(target_os = "linux")]
const HOLD_FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const HOLD_FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// Opens a file without following a symlink, and without waiting for the other end of a FIFO.
const FILE_FLAGS: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// How many symlinks may lead from one to the next, as on Linux.
pub(crate) const MAX_LINKS: usize = 40;

impl Folder {
    /// Opens the directory at `path`. Symlinks on the way are followed, but not those by which another user would decide
    /// what happens to our files: see [`may_lead`].
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::open_at(CWD, Path::new("."))?.at(path)
    }

    /// Opens the directory at `path` as seen from here, by the same rule.
    pub(crate) fn at(&self, path: &Path) -> io::Result<Self> {
        let mut links = MAX_LINKS;
        if cfg!(target_os = "linux") { self.walk(path, &mut links) } else { Self::open_at(&self.0, path) }
    }

    fn open_at(start: impl AsFd, path: &Path) -> io::Result<Self> {
        // With the dot, a symlink to a directory is not the last component, and the system follows it.
        Ok(Folder(fs::openat(start, path.join("."), HOLD_FLAGS, Mode::empty())?.into()))
    }

    /// Follows `path`, a component at a time. At most `links` more symlinks are followed.
    fn walk(&self, path: &Path, links: &mut usize) -> io::Result<Self> {
        let mut at = Self::open_at(&self.0, Path::new(if path.has_root() { "/" } else { "." }))?;
        for component in path.components() {
            match component {
                Component::Normal(name) => at = at.enter(name, links)?,
                Component::ParentDir => at = at.parent()?,
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        Ok(at)
    }

    /// Opens a subdirectory, or the directory that a symlink leads to.
    fn enter(&self, name: &OsStr, links: &mut usize) -> io::Result<Self> {
        let error = match self.sub(name) {
            Ok(folder) => return Ok(folder),
            Err(error) => error,
        };
        let Ok(Some((owner, target))) = self.link(name) else { return Err(error) };
        if self.is_proc() {
            return Self::open_at(&self.0, Path::new(name));
        }
        *links = links.checked_sub(1).ok_or(Errno::LOOP)?;
        if !self.trusts(owner)? {
            return Err(led_astray());
        }
        let folder = self.walk(&target, links)?;
        may_lead(owner, folder.owner()?)?;
        Ok(folder)
    }

    /// Returns the user that this directory belongs to.
    pub(crate) fn owner(&self) -> io::Result<u32> {
        Ok(self.0.metadata()?.uid())
    }

    /// Opens a subdirectory; a symlink is an error.
    pub(crate) fn sub(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Folder(fs::openat(&self.0, name, HOLD_FLAGS | OFlags::NOFOLLOW, Mode::empty())?.into()))
    }

    /// Opens the directory that this one is in.
    pub(crate) fn parent(&self) -> io::Result<Self> {
        Ok(Folder(fs::openat(&self.0, "..", HOLD_FLAGS, Mode::empty())?.into()))
    }

    /// Returns the identity of the directory.
    pub(crate) fn id(&self) -> io::Result<FolderId> {
        Ok(FileId::of_any(&self.0.metadata()?))
    }

    /// Returns the names in this directory with their kinds, in no particular order.
    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut entries = Vec::new();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        for entry in Dir::new(fs::openat(&self.0, ".", flags, Mode::empty())?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => match self.look(name) {
                    Ok(Some(found)) => found.kind,
                    // It was removed meanwhile.
                    Ok(None) => continue,
                    Err(error) => return Err(error),
                },
                kind => Kind::of(kind),
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// Returns the entry `name`, or `None` if there is none.
    pub(crate) fn look(&self, name: &OsStr) -> io::Result<Option<Entry>> {
        match fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => {
                // The types of these fields differ between systems.
                #[allow(clippy::unnecessary_cast)]
                let id = FileId::new(found.st_dev as u64, found.st_ino as u64);
                let kind = Kind::of(FileType::from_raw_mode(found.st_mode));
                Ok(Some(Entry { id, kind, owner: found.st_uid }))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the owner and the target of the symlink `name`, both of the same symlink, or `None` if it is not a symlink.
    #[cfg(target_os = "linux")]
    pub(crate) fn link(&self, name: &OsStr) -> io::Result<Option<(u32, PathBuf)>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = File::from(fs::openat(&self.0, name, flags, Mode::empty())?);
        let found = link.metadata()?;
        if !found.is_symlink() {
            return Ok(None);
        }
        let target = fs::readlinkat(&link, "", Vec::new())?;
        Ok(Some((found.uid(), OsString::from_vec(target.into_bytes()).into())))
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn link(&self, name: &OsStr) -> io::Result<Option<(u32, PathBuf)>> {
        let Some(Entry { kind: Kind::Link, owner, .. }) = self.look(name)? else { return Ok(None) };
        let target = fs::readlinkat(&self.0, name, Vec::new())?;
        Ok(Some((owner, OsString::from_vec(target.into_bytes()).into())))
    }

    /// Opens the file `name` for reading. Does not wait, whatever kind of file it is. A symlink is an error.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<File> {
        Ok(fs::openat(&self.0, name, FILE_FLAGS, Mode::empty())?.into())
    }

    /// Opens the regular file `name` for its owner, permissions and attributes. This can succeed even if the file may not
    /// be read.
    pub(crate) fn hold(&self, name: &OsStr) -> io::Result<File> {
        #[cfg(target_os = "linux")]
        const ATTRIBUTE_FLAGS: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
        #[cfg(not(target_os = "linux"))]
        const ATTRIBUTE_FLAGS: OFlags = OFlags::WRONLY.union(FILE_FLAGS);

        match fs::openat(&self.0, name, FILE_FLAGS, Mode::empty()) {
            Err(Errno::ACCESS | Errno::PERM) => Ok(fs::openat(&self.0, name, ATTRIBUTE_FLAGS, Mode::empty())?.into()),
            opened => Ok(opened?.into()),
        }
    }

    /// Opens the FIFO or device `name` for writing. A FIFO is waited for until it has a reader.
    pub(crate) fn write(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        loop {
            match fs::openat(&self.0, name, flags, Mode::empty()) {
                Err(Errno::INTR) => {}
                opened => return Ok(opened?.into()),
            }
        }
    }

    /// Opens for writing a file that this process has open, by its path as seen from here.
    pub(crate) fn append(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(fs::openat(&self.0, path, flags, Mode::empty())?.into())
    }

    /// Makes the file `name`, which must not exist.
    pub(crate) fn make(&self, name: &OsStr, mode: u16) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.0, name, flags, permissions(mode))?.into())
    }

    /// Makes a file without a name, to which [`name`](Self::name) can give one. Returns `None` if the file system does not
    /// support that, or if `/proc` is missing, which is needed to name the file.
    #[cfg(target_os = "linux")]
    pub(crate) fn unnamed(&self, mode: u16) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(fs::openat(&self.0, ".", flags, permissions(mode)).ok()?);
        let seen = std::fs::metadata(descriptor_path(&file)).ok()?;
        (FileId::of_any(&seen) == FileId::of_any(&file.metadata().ok()?)).then_some(file)
    }

    /// Gives an open file the name `name`, which must be free. `from` is a place where the file has another name, which
    /// Linux does not need.
    #[cfg(target_os = "linux")]
    pub(crate) fn name(&self, file: &File, _from: Option<(&Folder, &OsStr)>, name: &OsStr) -> io::Result<()> {
        Ok(fs::linkat(CWD, descriptor_path(file), &self.0, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn name(&self, _: &File, from: Option<(&Folder, &OsStr)>, name: &OsStr) -> io::Result<()> {
        let Some((folder, old)) = from else { return Err(io::ErrorKind::Unsupported.into()) };
        Ok(fs::linkat(&folder.0, old, &self.0, name, AtFlags::empty())?)
    }

    /// Renames `from` to `to`, and replaces any file of that name.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Renames `from` to `to`, which must not exist.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        match fs::renameat_with(&self.0, from, &self.0, to, fs::RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            done => return Ok(done?),
        }
        match fs::linkat(&self.0, from, &self.0, to, AtFlags::empty()) {
            Ok(()) => self.remove(from),
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            // The file system has no hard links.
            Err(_) if self.look(to)?.is_none() => self.rename(from, to),
            Err(_) => Err(Errno::EXIST.into()),
        }
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(crate) fn make_dir(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(&self.0, name, permissions(0o777))?)
    }

    /// Returns whether an entry that belongs to `owner` may be followed or replaced by this process. In a sticky directory
    /// that everyone can write to, such as `/tmp`, the entry must belong to us or to the owner of the directory. Linux
    /// protects the `>` of a shell by the same rule (`fs.protected_symlinks`, `fs.protected_regular`,
    /// `fs.protected_fifos`).
    pub(crate) fn trusts(&self, owner: u32) -> io::Result<bool> {
        let here = self.0.metadata()?;
        let is_shared = here.mode() & 0o1002 == 0o1002;
        Ok(!is_shared || owner == here.uid() || owner == current_user())
    }

    /// Returns whether this is a directory of `/proc`, whose symlinks lead to open files rather than to names.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_proc(&self) -> bool {
        fs::fstatfs(&self.0).is_ok_and(|found| found.f_type == fs::PROC_SUPER_MAGIC)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn is_proc(&self) -> bool {
        false
    }
}

/// Fails if a symlink that belongs to `owner` must not lead this process to a file or directory of `target`. A symlink of
/// another user, who is neither root nor `target`, must not lead to our own files; if we are root, it must not lead to
/// anyone's files but that user's.
///
/// Otherwise a user who can make a symlink in a shared directory could have us write where only we are allowed to.
pub(crate) fn may_lead(owner: u32, target: u32) -> io::Result<()> {
    let me = current_user();
    let is_ours = owner == 0 || owner == me;
    if is_ours || owner == target || (me != 0 && target != me) { Ok(()) } else { Err(led_astray()) }
}

/// Returns the user that a file belongs to.
pub(crate) fn owner_of(file: &Metadata) -> u32 {
    file.uid()
}

/// Returns the user that this process runs as.
pub(crate) fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn led_astray() -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        "the path goes through a symbolic link of another user, to something that does not belong to that user",
    )
}

impl Kind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            FileType::Fifo => Kind::Fifo,
            _ => Kind::Device,
        }
    }
}

/// Opens the file at `path` for reading as any program does: follows symlinks, and waits until a FIFO has a writer.
pub(crate) fn open_typed(path: &Path) -> io::Result<File> {
    std::fs::OpenOptions::new().read(true).custom_flags(OFlags::NOCTTY.bits() as i32).open(path)
}

/// Splits `path` into a directory and a name. Returns `None` if it can only name a directory.
pub(crate) fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    let bytes = path.as_os_str().as_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let (folder, name) = bytes.split_at(at);
    let folder = if folder.is_empty() { b"." } else { folder };
    let is_name = !matches!(name, b"" | b"." | b"..");
    is_name.then(|| (Path::new(OsStr::from_bytes(folder)), OsStr::from_bytes(name)))
}

/// Returns a path to an open file by its descriptor, whatever its name.
#[cfg(target_os = "linux")]
pub(crate) fn descriptor_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;

    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

// The type of a mode differs between systems.
#[allow(clippy::useless_conversion)]
fn permissions(mode: u16) -> Mode {
    Mode::from_raw_mode(mode.into())
}
