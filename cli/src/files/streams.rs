//! Open files as the system sees them: which standard streams were closed at the start, whether two open files are the
//! same file, and reading and writing that waits when a descriptor would not.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// A standard stream. The values are the numbers of the descriptors.
#[derive(Clone, Copy)]
pub(crate) enum Standard {
    In = 0,
    Out = 1,
    Err = 2,
}

#[cfg(unix)]
mod closed {
    use super::Standard;
    use rustix::io::{Errno, fcntl_getfd};
    use std::fs::File;
    use std::io;
    use std::path::Path;
    use std::sync::atomic::{AtomicU8, Ordering};

    /// The standard streams that were closed at the start: bit N for descriptor N.
    static CLOSED: AtomicU8 = AtomicU8::new(0);

    /// Notes which standard streams are closed. Called before Rust's runtime starts: see `start.rs`.
    pub(crate) fn note_closed() {
        let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
        let bits = streams.iter().enumerate().filter(|(_, stream)| fcntl_getfd(stream) == Err(Errno::BADF));
        CLOSED.store(bits.fold(0, |bits, (index, _)| bits | 1 << index), Ordering::Relaxed);
    }

    impl Standard {
        /// Returns the stream that a path leads to.
        fn at(path: &Path) -> Option<Self> {
            match path.to_str()? {
                "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => Some(Standard::In),
                "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Some(Standard::Out),
                "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(Standard::Err),
                _ => None,
            }
        }

        /// Fails if the stream was closed, with the error that the system would have returned had the runtime not opened
        /// `/dev/null` in its place.
        fn check(self) -> io::Result<()> {
            let is_closed = CLOSED.load(Ordering::Relaxed) & 1 << self as u8 != 0;
            if is_closed { Err(Errno::BADF.into()) } else { Ok(()) }
        }

        /// Opens a second descriptor for the stream. Returns `None` on systems where only the standard library's handle
        /// for the stream works.
        pub(crate) fn open(self) -> io::Result<Option<File>> {
            self.check()?;
            let stream = match self {
                Standard::In => rustix::stdio::stdin(),
                Standard::Out => rustix::stdio::stdout(),
                Standard::Err => rustix::stdio::stderr(),
            };
            Ok(Some(stream.try_clone_to_owned()?.into()))
        }
    }

    /// Fails if `path` is that of a standard stream that was closed.
    pub(crate) fn check(path: &Path) -> io::Result<()> {
        Standard::at(path).map_or(Ok(()), Standard::check)
    }
}

#[cfg(unix)]
pub(crate) use closed::{check, note_closed};

/// Does nothing: only Unix has paths of standard streams.
#[cfg(not(unix))]
pub(crate) fn check(_: &std::path::Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
impl Standard {
    pub(crate) fn open(self) -> io::Result<Option<File>> {
        Ok(None)
    }
}

/// Identifies a file, whatever its name. Only Unix tells files apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Returns the identity of a regular file, and `None` for any other kind of file.
    pub(crate) fn of(file: &Metadata) -> Option<Self> {
        (cfg!(unix) && file.is_file()).then(|| Self::of_any(file))
    }

    /// Returns the identity of a file of any kind.
    #[cfg(unix)]
    pub(crate) fn of_any(file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        FileId::new(file.dev(), file.ino())
    }

    #[cfg(not(unix))]
    pub(crate) fn of_any(_: &Metadata) -> Self {
        FileId::default()
    }

    #[cfg(unix)]
    pub(crate) fn new(device: u64, inode: u64) -> Self {
        FileId { device, inode }
    }
}

/// Reads at an offset of a file, and leaves the position of the file as it is.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

/// Reads at an offset of a file, and moves the position of the file: it must not be read in any other way.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// A file that is read and written as if it were blocking. Another process may have made the pipe, the socket or the
/// terminal non-blocking, for itself and therefore for everyone. Data would be lost if "would block" were taken for an
/// error.
pub(crate) struct Blocking(pub(crate) Arc<File>);

impl Blocking {
    /// Repeats `act` until it neither is interrupted nor would block.
    fn repeat<T>(&self, write: bool, mut act: impl FnMut(&File) -> io::Result<T>) -> io::Result<T> {
        loop {
            match act(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(&self.0, write, error)?,
                done => return done,
            }
        }
    }
}

/// Waits until `file` can be read or written.
#[cfg(unix)]
fn wait(file: &File, write: bool, _: io::Error) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};

    let event = if write { PollFlags::OUT } else { PollFlags::IN };
    match poll(&mut [PollFd::new(file, event)], None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Fails with the error that the system returned.
#[cfg(not(unix))]
fn wait(_: &File, _write: bool, error: io::Error) -> io::Result<()> {
    Err(error)
}

impl Read for Blocking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.repeat(false, |mut file| file.read(buffer))
    }
}

impl Write for Blocking {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.repeat(true, |mut file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
