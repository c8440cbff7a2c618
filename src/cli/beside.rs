//! A new file that takes the place of an old one when it is whole, and until then has no name where the system can do
//! that: a run that is killed, by whatever signal, leaves the old file as it was, and nothing else.

use super::streams::FileId;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What the names of passing files begin with.
const PREFIX: &str = ".charpipe-";

/// The file that is written. Dropped without [`commit`](Self::commit), it is gone.
pub(super) struct Beside {
    new: New,
    target: PathBuf,
    old: Option<Metadata>,
}

enum New {
    /// Gone with the process.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// Gone when dropped; a process that is killed leaves it.
    Named(NamedTempFile),
}

impl Beside {
    /// For `target`, which is a regular file or absent.
    pub(super) fn new(target: PathBuf) -> io::Result<Self> {
        let old = match fs::metadata(&target) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Beside { new: New::open(folder(&target), old.is_none())?, target, old })
    }

    /// Of the file that is replaced.
    pub(super) fn old_id(&self) -> Option<FileId> {
        self.old.as_ref().and_then(FileId::of)
    }

    /// Whether both would replace the same file, whatever they call it.
    pub(super) fn has_target_of(&self, other: &Beside) -> bool {
        self.old_id().is_some() && self.old_id() == other.old_id() || place(&self.target) == place(&other.target)
    }

    /// The new file takes the place of the old one, with its permissions, or is there for the first time.
    pub(super) fn commit(self) -> io::Result<()> {
        let file = self.new.file();
        if let Some(old) = &self.old {
            take_after(file, old, &self.target)?;
        }
        // Some file systems tell only now that there was no room; and a rename must not outrun the data.
        file.sync_data()?;
        match self.new {
            #[cfg(target_os = "linux")]
            New::Unnamed(file) => {
                if self.old.is_none() && link(&file, &self.target).is_ok() {
                    return Ok(());
                }
                // No system call puts a file without a name in the place of another: it has one for an instant.
                let named =
                    tempfile::Builder::new().prefix(PREFIX).make_in(folder(&self.target), |path| link(&file, path))?;
                named.persist(self.target).map_err(|error| error.error)
            }
            New::Named(file) => file.persist(self.target).map(drop).map_err(|error| error.error),
        }
    }
}

/// Makes `copy` a file with the content of `old`, its permissions and its time; an error where there is a file already.
pub(super) fn copy(old: &Path, copy: &Path) -> io::Result<()> {
    let mut from = File::open(old)?;
    let found = from.metadata()?;
    let new = New::open(folder(copy), false)?;
    let mut file = new.file();
    io::copy(&mut from, &mut file)?;
    take_after(file, &found, old)?;
    file.set_modified(found.modified()?)?;
    file.sync_data()?;
    match new {
        #[cfg(target_os = "linux")]
        New::Unnamed(file) => link(&file, copy),
        New::Named(file) => file.persist_noclobber(copy).map(drop).map_err(|error| error.error),
    }
}

/// Where a file is, by whatever way it is named, so far as there is such a folder.
pub(super) fn place(path: &Path) -> (PathBuf, Option<&OsStr>) {
    let folder = folder(path);
    let known = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
    (known.unwrap_or_else(|_| folder.to_owned()), path.file_name())
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.new {
            #[cfg(target_os = "linux")]
            New::Unnamed(file) => file.write(bytes),
            // Through the `NamedTempFile` an error would name the passing file.
            New::Named(file) => file.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl New {
    /// `usual`: with the permissions of any new file, where a passing one is for its owner alone.
    fn open(folder: &Path, usual: bool) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(folder, usual) {
            return Ok(New::Unnamed(file));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        if usual {
            permissions_of_new(&mut builder);
        }
        // The crate's error has the passing file's name in it.
        let made = builder.tempfile_in(folder).map_err(|error| objection(folder).unwrap_or(error.kind().into()));
        Ok(New::Named(made?))
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            New::Unnamed(file) => file,
            New::Named(file) => file.as_file(),
        }
    }
}

/// What the system has against a new file in `folder`, in its own words.
#[cfg(unix)]
fn objection(folder: &Path) -> Option<io::Error> {
    use rustix::fs::Access;

    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).err().map(io::Error::from)
}

#[cfg(not(unix))]
fn objection(folder: &Path) -> Option<io::Error> {
    fs::metadata(folder).err()
}

/// A file without a name that can be given one later. None where the file system has no such files, or where `/proc`,
/// through which they get their name, is not to be had.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, usual: bool) -> Option<File> {
    use rustix::fs::{Mode, OFlags};

    let mode = if usual { 0o666 } else { 0o600 };
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
    let seen = fs::metadata(handle(&file)).ok()?;
    (FileId::of(&seen)? == FileId::of(&file.metadata().ok()?)?).then_some(file)
}

/// The path of an open file, whatever its name.
#[cfg(target_os = "linux")]
fn handle(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;

    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives a file without a name the name `path`, which must be free.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};

    Ok(linkat(CWD, handle(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Gives the new file the permissions of the old one at `path` and, where that is allowed, its owner; on Linux its
/// extended attributes too.
#[cfg(unix)]
fn take_after(new: &File, old: &Metadata, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let made = new.metadata()?;
    let (same_user, same_group) = (made.uid() == old.uid(), made.gid() == old.gid());
    let mut mode = old.permissions().mode() & 0o7777;
    if !(same_user && same_group) && fchown(new, Some(old.uid()), Some(old.gid())).is_err() {
        // What was meant for one owner or group is not given to another.
        let group_kept = same_group || fchown(new, None, Some(old.gid())).is_ok();
        mode &= if group_kept { 0o1777 } else { 0o1707 };
    }
    if !attributes(new, path)? {
        // With an access control list these bits are no group's: they are the most that anybody in the list has.
        mode &= !0o070;
    }
    new.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn take_after(new: &File, old: &Metadata, _path: &Path) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

/// Copies the extended attributes of the file at `path` that belong to its owner, and its access control list; false
/// where it has a list that the new file cannot have. Not what goes with the content: capabilities, signatures.
#[cfg(target_os = "linux")]
fn attributes(new: &File, path: &Path) -> io::Result<bool> {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr, getxattr, listxattr};
    use rustix::io::Errno;

    /// The longest list, and the longest value.
    const MAX: usize = 1 << 16;
    const ACL: &[u8] = b"system.posix_acl_access";
    const LABEL: &[u8] = b"security.selinux";

    let mut names = vec![0; MAX];
    let len = match listxattr(path, &mut names[..]) {
        Ok(len) => len,
        Err(Errno::NOTSUP) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let names: Vec<&[u8]> = names[..len].split(|byte| *byte == 0).collect();
    if !names.contains(&ACL) {
        // A list that it was born with, by the folder's default, would let others in.
        match fremovexattr(new, ACL) {
            Ok(()) | Err(Errno::NODATA | Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut whole = true;
    let mut value = vec![0; MAX];
    for name in names {
        if !(name == ACL || name == LABEL || name.starts_with(b"user.")) {
            continue;
        }
        let copied = getxattr(path, name, &mut value[..])
            .and_then(|len| fsetxattr(new, name, &value[..len], XattrFlags::empty()));
        match copied {
            Ok(()) => {}
            Err(_) if name == ACL => whole = false,
            // The system gives every file a label; not every process may choose it.
            Err(_) if name == LABEL => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(whole)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn attributes(_new: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

/// A new file is as any program makes it, where a passing one is for its owner alone. The umask has its say.
#[cfg(unix)]
fn permissions_of_new(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;

    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn permissions_of_new(_builder: &mut tempfile::Builder<'_, '_>) {}
