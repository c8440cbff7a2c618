//! A directory that is held open: it stays the same directory even if its name is changed. Every file in it is accessed
//! by a single path component, so that no other user can put a symlink in the way.

use crate::files::FileId;
use crate::files::entry::{Entry, EntryKind};
use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// An open directory.
pub struct Folder {
    file: File,
    /// The other user whose symlink led here, or above here. That user chose what the names below lead to, so only what
    /// belongs to that user may be written here.
    led_by: Option<u32>,
    /// The identity, once it was asked for: it never changes.
    id: OnceLock<FolderId>,
}

/// Identifies a directory, independently of its name.
pub type FolderId = FileId;

/// Opens a directory as a starting point only, if the system can: that needs no permission to read it.
#[cfg(target_os = "linux")]
const HOLD_FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const HOLD_FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// Opens a file without following a symlink, and without waiting for the other end of a FIFO.
const FILE_FLAGS: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// The types of file systems by which the kernel is controlled, from `linux/magic.h`: proc, sysfs, cgroup, cgroup2,
/// debugfs, tracefs, securityfs, selinuxfs, bpf, efivarfs, configfs and pstore.
#[cfg(target_os = "linux")]
const KERNEL_FILE_SYSTEMS: [u32; 12] = [
    0x9FA0,
    0x6265_6572,
    0x0027_E0EB,
    0x6367_7270,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0xF97C_FF8C,
    0xCAFE_4A11,
    0xDE5E_81E4,
    0x6265_6570,
    0x6165_676C,
];

/// How many symlinks may lead from one to the next, as on Linux.
pub(super) const MAX_LINKS: usize = 40;

impl Folder {
    fn held(file: OwnedFd, led_by: Option<u32>) -> Self {
        Folder { file: file.into(), led_by, id: OnceLock::new() }
    }

    /// Opens the directory at `path`. Symlinks in the path are followed, unless another user could use them to control
    /// our files: see [`may_lead`].
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_at(CWD, Path::new("."), None)?.at(path)
    }

    /// Opens the directory at `path` as seen from here, by the same rule.
    pub fn at(&self, path: &Path) -> io::Result<Self> {
        self.follow(path, None)
    }

    /// Opens the directory at `path`, which is the text of a symlink of `owner`, if there is one.
    pub(super) fn follow(&self, path: &Path, owner: Option<u32>) -> io::Result<Self> {
        let mut links = MAX_LINKS;
        if !cfg!(target_os = "linux") {
            return Self::open_at(&self.file, path, self.led_by);
        }
        self.walk(path, owner.filter(|owner| !is_ours(*owner)), &mut links)
    }

    fn open_at(start: impl AsFd, path: &Path, led_by: Option<u32>) -> io::Result<Self> {
        // With the dot, a symlink to a directory is not the last component, and the system follows it.
        Ok(Folder::held(fs::openat(start, path.join("."), HOLD_FLAGS, Mode::empty())?, led_by))
    }

    /// Follows `path`, a component at a time. `guide` is the other user who chose it. At most `links` more symlinks are
    /// followed.
    fn walk(&self, path: &Path, guide: Option<u32>, links: &mut usize) -> io::Result<Self> {
        let (start, led_by) = if path.has_root() { ("/", None) } else { (".", self.led_by) };
        let mut at = Self::open_at(&self.file, Path::new(start), led_by)?;
        for component in path.components() {
            at = match component {
                Component::Normal(name) => at.enter(name, guide, links)?,
                Component::ParentDir => at.parent()?,
                Component::CurDir | Component::RootDir | Component::Prefix(_) => at,
            };
            // In `/proc` there are ways into other trees of mounts, in which that user has put anything anywhere.
            if guide.or(at.led_by).is_some() && at.is_of_the_kernel() {
                return Err(led_astray());
            }
        }
        Ok(at)
    }

    /// Opens a subdirectory, or the directory that a symlink leads to.
    fn enter(&self, name: &OsStr, guide: Option<u32>, links: &mut usize) -> io::Result<Self> {
        let error = match self.sub(name) {
            Ok(folder) => return Ok(folder),
            Err(error) => error,
        };
        let Ok(Some((owner, target))) = self.link(name) else { return Err(error) };
        *links = links.checked_sub(1).ok_or(Errno::LOOP)?;
        if !self.trusts(owner)? {
            return Err(led_astray());
        }
        let other = Some(owner).filter(|owner| !is_ours(*owner));
        // The text of a symlink of `/proc` is not where it leads: `/proc/PID/root` can be in another tree of mounts.
        let mut folder = match self.is_proc() {
            true => Self::open_at(&self.file, Path::new(name), None)?,
            false => self.walk(&target, other.or(guide).or(self.led_by), links)?,
        };
        may_lead(owner, folder.owner()?)?;
        for user in [other, self.led_by].into_iter().flatten() {
            folder.led_by = Some(one_user(folder.led_by, user)?);
        }
        Ok(folder)
    }

    /// Returns the user that this directory belongs to.
    pub(super) fn owner(&self) -> io::Result<u32> {
        Ok(self.file.metadata()?.uid())
    }

    /// Returns the other user whose symlink led here, or above here.
    pub(super) fn led_by(&self) -> Option<u32> {
        self.led_by
    }

    /// Opens a subdirectory; a symlink is an error.
    pub fn sub(&self, name: &OsStr) -> io::Result<Self> {
        let file = fs::openat(&self.file, name, HOLD_FLAGS | OFlags::NOFOLLOW, Mode::empty())?;
        Ok(Folder::held(file, self.led_by))
    }

    /// Opens the directory that this one is in.
    pub fn parent(&self) -> io::Result<Self> {
        Ok(Folder::held(fs::openat(&self.file, "..", HOLD_FLAGS, Mode::empty())?, self.led_by))
    }

    /// Returns the identity of the directory.
    pub fn id(&self) -> io::Result<FolderId> {
        if let Some(id) = self.id.get() {
            return Ok(*id);
        }
        let id = FileId::of_any(&self.file.metadata()?);
        Ok(*self.id.get_or_init(|| id))
    }

    /// Returns the names in this directory with their kinds, in no particular order.
    pub fn entries(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        let mut entries = Vec::new();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        for entry in Dir::new(fs::openat(&self.file, ".", flags, Mode::empty())?)? {
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
                kind => EntryKind::of(kind),
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// Returns the entry `name`, or `None` if there is none.
    pub fn look(&self, name: &OsStr) -> io::Result<Option<Entry>> {
        match fs::statat(&self.file, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => {
                // The types of these fields differ between systems.
                #[allow(clippy::unnecessary_cast)]
                let id = FileId::new(found.st_dev as u64, found.st_ino as u64);
                let kind = EntryKind::of(FileType::from_raw_mode(found.st_mode));
                Ok(Some(Entry { id, kind, owner: found.st_uid }))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the owner and the target of the symlink `name`, both of the same symlink, or `None` if it is not a
    /// symlink.
    #[cfg(target_os = "linux")]
    pub(super) fn link(&self, name: &OsStr) -> io::Result<Option<(u32, PathBuf)>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = File::from(fs::openat(&self.file, name, flags, Mode::empty())?);
        let found = link.metadata()?;
        if !found.is_symlink() {
            return Ok(None);
        }
        let target = fs::readlinkat(&link, "", Vec::new())?;
        Ok(Some((found.uid(), OsString::from_vec(target.into_bytes()).into())))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn link(&self, name: &OsStr) -> io::Result<Option<(u32, PathBuf)>> {
        let Some(Entry { kind: EntryKind::Link, owner, .. }) = self.look(name)? else { return Ok(None) };
        let target = fs::readlinkat(&self.file, name, Vec::new())?;
        Ok(Some((owner, OsString::from_vec(target.into_bytes()).into())))
    }

    /// Opens the file `name` for reading. Does not wait, even for a FIFO. A symlink is an error.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        Ok(fs::openat(&self.file, name, FILE_FLAGS, Mode::empty())?.into())
    }

    /// Opens the regular file `name` for its owner, permissions and attributes. This can succeed even if the file may
    /// not be read.
    pub(super) fn hold(&self, name: &OsStr) -> io::Result<File> {
        #[cfg(target_os = "linux")]
        const ATTRIBUTE_FLAGS: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
        #[cfg(not(target_os = "linux"))]
        const ATTRIBUTE_FLAGS: OFlags = OFlags::WRONLY.union(FILE_FLAGS);

        match fs::openat(&self.file, name, FILE_FLAGS, Mode::empty()) {
            Err(Errno::ACCESS | Errno::PERM) => {
                Ok(fs::openat(&self.file, name, ATTRIBUTE_FLAGS, Mode::empty())?.into())
            }
            opened => Ok(opened?.into()),
        }
    }

    /// Opens the regular file `name` for writing; with `at_end`, appends. Does not wait, even if it is a FIFO by now. A
    /// symlink is an error.
    pub(super) fn write(&self, name: &OsStr, at_end: bool) -> io::Result<File> {
        let flags = OFlags::WRONLY | FILE_FLAGS;
        let flags = if at_end { flags | OFlags::APPEND } else { flags };
        Ok(fs::openat(&self.file, name, flags, Mode::empty())?.into())
    }

    /// Opens the FIFO or device `name` for writing. A FIFO is waited for until it has a reader; a signal ends that with
    /// the error `Interrupted`. A symlink is an error.
    pub(super) fn write_stream(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(fs::openat(&self.file, name, flags, Mode::empty())?.into())
    }

    /// Opens the entry `name` of `/proc` without reading or writing it, and returns it with the owner of the symlink
    /// that leads there, if there is one. Such a symlink leads to a file directly, regardless of its text.
    #[cfg(target_os = "linux")]
    pub(super) fn hold_in_proc(&self, name: &OsStr) -> io::Result<(File, Option<u32>)> {
        let owner = self.look(name)?.filter(|entry| entry.kind == EntryKind::Link).map(|entry| entry.owner);
        let flags = if owner.is_some() { OFlags::PATH } else { OFlags::PATH | OFlags::NOFOLLOW };
        Ok((fs::openat(&self.file, name, flags | OFlags::CLOEXEC, Mode::empty())?.into(), owner))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn hold_in_proc(&self, _: &OsStr) -> io::Result<(File, Option<u32>)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes the file `name`, which must not exist.
    pub(super) fn make(&self, name: &OsStr, mode: u16) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.file, name, flags, permissions(mode))?.into())
    }

    /// Makes a file without a name, to which [`name`](Self::name) can give one. Returns `None` if the file system does
    /// not support that, or if `/proc` is missing, which can be needed to name the file.
    #[cfg(target_os = "linux")]
    pub(super) fn unnamed(&self, mode: u16) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(fs::openat(&self.file, ".", flags, permissions(mode)).ok()?);
        (self.names_directly(&file) || is_in_proc(&file)).then_some(file)
    }

    /// Returns whether the system gives an open file a name without `/proc`, as Linux does since 6.10 for a file that
    /// the same user has opened, and before for root. It is asked once: for the name `.`, which is never free. `/proc`
    /// must be there all the same, for the case that the process becomes another user.
    #[cfg(target_os = "linux")]
    fn names_directly(&self, file: &File) -> bool {
        static ANSWER: OnceLock<bool> = OnceLock::new();
        let ask = || fs::linkat(file, "", &self.file, ".", AtFlags::EMPTY_PATH) == Err(Errno::EXIST);
        *ANSWER.get_or_init(|| is_in_proc(file) && ask())
    }

    /// Gives an open file the name `name`, which must be free. `from` is a place where the file has another name, which
    /// Linux does not need.
    #[cfg(target_os = "linux")]
    pub fn name(&self, file: &File, _from: Option<(&Folder, &OsStr)>, name: &OsStr) -> io::Result<()> {
        if self.names_directly(file) {
            match fs::linkat(file, "", &self.file, name, AtFlags::EMPTY_PATH) {
                // The process may have become another user meanwhile.
                Err(Errno::NOENT) => {}
                named => return Ok(named?),
            }
        }
        Ok(fs::linkat(CWD, descriptor_path(file), &self.file, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Gives an open file the name `name`, which must be free. `from` is a place where the file has another name.
    #[cfg(not(target_os = "linux"))]
    pub fn name(&self, _: &File, from: Option<(&Folder, &OsStr)>, name: &OsStr) -> io::Result<()> {
        let Some((folder, old)) = from else { return Err(io::ErrorKind::Unsupported.into()) };
        Ok(fs::linkat(&folder.file, old, &self.file, name, AtFlags::empty())?)
    }

    /// Renames `from` to `to`, and replaces any file of that name.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.file, from, &self.file, to)?)
    }

    /// Renames `from` to `to`, which must not exist.
    pub(super) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        match fs::renameat_with(&self.file, from, &self.file, to, fs::RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            done => return Ok(done?),
        }
        match fs::linkat(&self.file, from, &self.file, to, AtFlags::empty()) {
            Ok(()) => self.remove(from),
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            // The file system has no hard links.
            Err(_) if self.look(to)?.is_none() => self.rename(from, to),
            Err(_) => Err(Errno::EXIST.into()),
        }
    }

    /// Removes the file `name`.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.file, name, AtFlags::empty())?)
    }

    /// Opens the directory so that it can be written to disk. Returns `None` if this user may not read it: then the
    /// system writes it when it likes.
    pub(super) fn to_sync(&self) -> io::Result<Option<File>> {
        match fs::openat(&self.file, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) => Ok(Some(file.into())),
            Err(Errno::ACCESS | Errno::PERM) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the subdirectory `name`, which must not exist.
    pub fn make_dir(&self, name: &OsStr) -> io::Result<()> {
        if let Some(user) = self.led_by {
            may_lead(user, self.owner()?)?;
        }
        Ok(fs::mkdirat(&self.file, name, permissions(0o777))?)
    }

    /// Returns whether an entry that belongs to `owner` may be followed or replaced by this process. In a sticky
    /// directory that everyone or a group can write to, such as `/tmp`, the entry must belong to us or to the owner of
    /// the directory. Linux can protect the `>` of a shell by the same rule (`fs.protected_symlinks`,
    /// `fs.protected_regular`, `fs.protected_fifos`).
    pub(super) fn trusts(&self, owner: u32) -> io::Result<bool> {
        let here = self.file.metadata()?;
        let is_shared = here.mode() & 0o1000 != 0 && here.mode() & 0o022 != 0;
        Ok(!is_shared || owner == here.uid() || owner == current_user())
    }

    /// Returns whether this is a directory of `/proc`, whose symlinks lead to open files rather than to names.
    #[cfg(target_os = "linux")]
    pub(super) fn is_proc(&self) -> bool {
        fs::fstatfs(&self.file).is_ok_and(|found| found.f_type == fs::PROC_SUPER_MAGIC)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn is_proc(&self) -> bool {
        false
    }

    /// Returns whether what is written to files of this directory goes to the kernel, which grants root more than
    /// others.
    #[cfg(target_os = "linux")]
    pub(super) fn is_of_the_kernel(&self) -> bool {
        // The type of this field differs between systems, but the numbers have 32 bits.
        #[allow(clippy::unnecessary_cast)]
        fs::fstatfs(&self.file).is_ok_and(|found| KERNEL_FILE_SYSTEMS.contains(&(found.f_type as u32)))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn is_of_the_kernel(&self) -> bool {
        false
    }
}

/// Returns whether `/proc` leads to the open file.
#[cfg(target_os = "linux")]
fn is_in_proc(file: &File) -> bool {
    match (std::fs::metadata(descriptor_path(file)), file.metadata()) {
        (Ok(seen), Ok(found)) => FileId::of_any(&seen) == FileId::of_any(&found),
        _ => false,
    }
}

/// Fails if a symlink that belongs to `owner` must not lead this process to a file or directory of `target`. A symlink
/// of another user leads only to what belongs to that user; those of root and of our own lead anywhere.
///
/// Otherwise, a user who can make a symlink in a shared directory could have us write where only we are allowed to,
/// because we are root, own the files, or belong to a group.
pub(super) fn may_lead(owner: u32, target: u32) -> io::Result<()> {
    if is_ours(owner) || owner == target { Ok(()) } else { Err(led_astray()) }
}

/// Returns whether what belongs to this user can be trusted: it is root, or the user of this process.
pub(super) fn is_ours(owner: u32) -> bool {
    owner == 0 || owner == current_user()
}

/// Returns the user that a file belongs to.
pub fn owner_of(file: &Metadata) -> u32 {
    file.uid()
}

/// Returns the user that this process runs as.
pub fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the one user by whose symlinks a path continues. Those of two users would lead to what belongs to both.
fn one_user(one: Option<u32>, other: u32) -> io::Result<u32> {
    if one.is_none_or(|one| one == other) { Ok(other) } else { Err(led_astray()) }
}

pub(super) fn led_astray() -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        "the path goes through a symbolic link of another user, to something that does not belong to that user or that \
         controls the kernel; name it directly",
    )
}

impl EntryKind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            FileType::Fifo => EntryKind::Fifo,
            _ => EntryKind::Device,
        }
    }
}

/// Opens the file at `path` for reading as any program does: follows symlinks, and waits until a FIFO has a writer.
pub fn open_typed(path: &Path) -> io::Result<File> {
    std::fs::OpenOptions::new().read(true).custom_flags(OFlags::NOCTTY.bits() as i32).open(path)
}

/// Splits `path` into a directory and a name. Returns `None` if it can only name a directory.
pub(super) fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    let bytes = path.as_os_str().as_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let (folder, name) = bytes.split_at(at);
    let folder = if folder.is_empty() { b"." } else { folder };
    let is_name = !matches!(name, b"" | b"." | b"..");
    is_name.then(|| (Path::new(OsStr::from_bytes(folder)), OsStr::from_bytes(name)))
}

/// Opens for writing, at its end, a file that is held, whatever its name is now.
#[cfg(target_os = "linux")]
pub(super) fn append_to(held: &File) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(fs::openat(CWD, descriptor_path(held), flags, Mode::empty())?.into())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn append_to(_: &File) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns a path to an open file by its descriptor, regardless of its name.
#[cfg(target_os = "linux")]
pub(super) fn descriptor_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;

    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

// The type of a mode differs between systems.
#[allow(clippy::useless_conversion)]
fn permissions(mode: u16) -> Mode {
    Mode::from_raw_mode(mode.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::place::{End, Place};
    use std::sync::Arc;

    /// Where another user's symlink led, a place is looked up before it counts as free.
    #[test]
    fn places_that_a_link_leads_to() {
        let dir = tempfile::TempDir::new().unwrap();
        std::fs::write(dir.path().join("a"), "other").unwrap();
        let folder = Arc::new(Folder { led_by: Some(current_user()), ..Folder::open(dir.path()).unwrap() });
        let free = |name: &str| Place { folder: folder.clone(), name: name.into() }.assume_free();
        assert!(matches!(free("b"), Ok(End::File(_, None))));
        assert_eq!(free("a").err().unwrap().to_string(), "another process has changed the file meanwhile");
    }
}
