//! What is written: standard output past the line buffer of [`std::io::Stdout`], and files that are replaced when whole.

use super::Status;
use super::words::{Name, say};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use tempfile::NamedTempFile;

/// Standard output, where a name is wanted.
pub(super) const STDOUT: &str = "<stdout>";

/// How many symlinks may lead to each other.
const LINKS: usize = 40;

/// An open output. Dropped without [`commit`](Output::commit), it leaves a regular file as it was.
pub(super) struct Output {
    pub(super) name: Name,
    sink: Sink,
}

enum Sink {
    /// Standard streams, FIFOs, devices: what is written is gone.
    Stream(Box<dyn Write>),
    Beside(Box<Beside>),
}

/// A new file beside the old one.
struct Beside {
    new: NamedTempFile,
    target: PathBuf,
    old: Option<Metadata>,
}

/// Writes a text to standard output. A reader that wants no more of it is no failure.
pub(super) fn print(text: &str) -> Status {
    let written = Output::stdout().and_then(|mut output| {
        output.write_all(text.as_bytes())?;
        output.commit()
    });
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(format_args!("{STDOUT}: cannot write: {error}"));
            Status::Io
        }
        _ => Status::Done,
    }
}

impl Output {
    /// Standard output.
    pub(super) fn stdout() -> io::Result<Self> {
        Ok(Output { name: Name::of_stream(STDOUT), sink: Sink::Stream(stdout()?) })
    }

    /// Standard error, for data that is asked for there.
    pub(super) fn stderr() -> Self {
        Output { name: Name::of_stream("<stderr>"), sink: Sink::Stream(Box::new(io::stderr())) }
    }

    /// A path. Regular or absent: a file beside it, to be renamed over it; a symlink: the same for its target; a FIFO
    /// or device: itself; a directory: an error.
    pub(super) fn path(path: &Path) -> io::Result<Self> {
        Ok(Output { name: Name::of_path(path.as_os_str()), sink: Sink::open(path)? })
    }

    /// The file that [`commit`](Self::commit) replaces.
    pub(super) fn target(&self) -> Option<&Path> {
        match &self.sink {
            Sink::Stream(_) => None,
            Sink::Beside(file) => Some(&file.target),
        }
    }

    /// All is well: the new file takes the place of the old one, with its permissions.
    pub(super) fn commit(self) -> io::Result<()> {
        match self.sink {
            Sink::Stream(mut stream) => stream.flush(),
            Sink::Beside(file) => file.commit(),
        }
    }
}

impl Beside {
    fn commit(self) -> io::Result<()> {
        if let Some(old) = &self.old {
            take_after(self.new.as_file(), old)?;
        }
        // Some file systems tell only now that there was no room; and a rename must not outrun the data.
        self.new.as_file().sync_data()?;
        self.new.persist(self.target).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Sink {
    fn open(path: &Path) -> io::Result<Self> {
        let target = match resolve(path)? {
            Resolved::Regular(target) => target,
            Resolved::Special => return Ok(Sink::Stream(Box::new(OpenOptions::new().append(true).open(path)?))),
        };
        let old = match fs::metadata(&target) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".charpipe-");
        if old.is_none() {
            permissions_of_new(&mut builder);
        }
        let new = builder.tempfile_in(folder)?;
        Ok(Sink::Beside(Box::new(Beside { new, target, old })))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Stream(stream) => stream.write(bytes),
            // Through the `NamedTempFile` an error would name the passing file.
            Sink::Beside(file) => file.new.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stream(stream) => stream.flush(),
            Sink::Beside(_) => Ok(()),
        }
    }
}

enum Resolved {
    /// A regular file, or none yet; no symlink.
    Regular(PathBuf),
    /// To be opened as it is.
    Special,
}

/// Follows symlinks to the file that is to be replaced, which need not exist.
fn resolve(path: &Path) -> io::Result<Resolved> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        // `/dev/stdout` leads through such a link to whatever is open there: that is not to be replaced.
        if cfg!(unix) && (path.starts_with("/proc") || path.starts_with("/dev/fd")) {
            return Ok(Resolved::Special);
        }
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // `new/` can only be a directory.
                let is_file = matches!(path.components().next_back(), Some(Component::Normal(_)))
                    && !path.as_os_str().as_encoded_bytes().ends_with(b"/");
                return if is_file { Ok(Resolved::Regular(path)) } else { Err(error) };
            }
            Err(error) => return Err(error),
        };
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if found.is_file() {
            return Ok(Resolved::Regular(path));
        }
        if !found.is_symlink() {
            return Ok(Resolved::Special);
        }
        // An absolute target replaces the folder; so does `join`.
        let target = fs::read_link(&path)?;
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Gives the new file the permissions of the old one and, where that is allowed, its owner.
#[cfg(unix)]
fn take_after(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let made = new.metadata()?;
    let (same_user, same_group) = (made.uid() == old.uid(), made.gid() == old.gid());
    let mut mode = old.permissions().mode() & 0o7777;
    if !(same_user && same_group) && fchown(new, Some(old.uid()), Some(old.gid())).is_err() {
        // What was meant for one owner or group is not given to another.
        let group_kept = same_group || fchown(new, None, Some(old.gid())).is_ok();
        mode &= if group_kept { 0o1777 } else { 0o1707 };
    }
    new.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn take_after(new: &File, old: &Metadata) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

/// A new file is as any program makes it, where a passing one is for its owner alone. The umask has its say.
#[cfg(unix)]
fn permissions_of_new(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;

    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn permissions_of_new(_builder: &mut tempfile::Builder<'_, '_>) {}

#[cfg(unix)]
fn stdout() -> io::Result<Box<dyn Write>> {
    use std::os::fd::AsFd;

    Ok(Box::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
fn stdout() -> io::Result<Box<dyn Write>> {
    Ok(Box::new(io::stdout()))
}
