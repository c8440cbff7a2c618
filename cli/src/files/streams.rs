//! Open files as the system has them: which standard streams were closed at the start, whether two are one file, and
//! reading and writing that waits where a descriptor would not.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// A standard stream, by its descriptor.
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

    /// A bit for each standard stream.
    static CLOSED: AtomicU8 = AtomicU8::new(0);

    /// See [`before_main`](super::super::before_main).
    pub(crate) fn look() {
        let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
        let bits = streams.iter().enumerate().filter(|(_, stream)| fcntl_getfd(stream) == Err(Errno::BADF));
        CLOSED.store(bits.fold(0, |bits, (index, _)| bits | 1 << index), Ordering::Relaxed);
    }

    impl Standard {
        /// The stream that a path leads to.
        fn at(path: &Path) -> Option<Self> {
            match path.to_str()? {
                "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => Some(Standard::In),
                "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Some(Standard::Out),
                "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(Standard::Err),
                _ => None,
            }
        }

        /// An error where the stream was closed; the one that there would be, had the runtime not opened `/dev/null` in
        /// its place.
        fn check(self) -> io::Result<()> {
            let is_closed = CLOSED.load(Ordering::Relaxed) & 1 << self as u8 != 0;
            if is_closed { Err(Errno::BADF.into()) } else { Ok(()) }
        }

        /// A descriptor of its own for the stream.
        pub(crate) fn open(self) -> io::Result<File> {
            self.check()?;
            let stream = match self {
                Standard::In => rustix::stdio::stdin(),
                Standard::Out => rustix::stdio::stdout(),
                Standard::Err => rustix::stdio::stderr(),
            };
            Ok(stream.try_clone_to_owned()?.into())
        }
    }

    /// An error where `path` is that of a standard stream and the stream was closed.
    pub(crate) fn check(path: &Path) -> io::Result<()> {
        Standard::at(path).map_or(Ok(()), Standard::check)
    }
}

#[cfg(unix)]
pub(crate) use closed::{check, look};

/// Such paths are none here.
#[cfg(not(unix))]
pub(crate) fn check(_: &std::path::Path) -> io::Result<()> {
    Ok(())
}

/// What tells a file from every other, whatever it is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Of a regular file.
    pub(crate) fn of(file: &Metadata) -> Option<Self> {
        (cfg!(unix) && file.is_file()).then(|| Self::of_any(file))
    }

    /// Of a file of any kind.
    #[cfg(unix)]
    pub(crate) fn of_any(file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        FileId::new(file.dev(), file.ino())
    }

    /// Here nothing tells one file from another.
    #[cfg(not(unix))]
    pub(crate) fn of_any(_: &Metadata) -> Self {
        FileId::new(0, 0)
    }

    pub(crate) fn new(device: u64, inode: u64) -> Self {
        FileId { device, inode }
    }
}

/// Reads from any place of a file, and leaves alone where it is read otherwise.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, room: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, room, offset)
}

/// The same, of a file that is not read otherwise.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, room: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, room, offset)
}

/// A file that waits: another process may have made the pipe, the socket or the terminal behind it non-blocking, for
/// itself and so for all, and data would be lost where that was taken for an error.
pub(crate) struct Patient(pub(crate) Arc<File>);

impl Patient {
    /// Does `act` again until it is neither interrupted nor has to wait.
    #[cfg(unix)]
    fn wait<T>(&mut self, write: bool, mut act: impl FnMut(&File) -> io::Result<T>) -> io::Result<T> {
        use rustix::event::{PollFd, PollFlags, poll};

        loop {
            match act(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let event = if write { PollFlags::OUT } else { PollFlags::IN };
                    match poll(&mut [PollFd::new(&self.0, event)], None) {
                        Ok(_) | Err(rustix::io::Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                done => return done,
            }
        }
    }

    #[cfg(not(unix))]
    fn wait<T>(&mut self, _write: bool, mut act: impl FnMut(&File) -> io::Result<T>) -> io::Result<T> {
        act(&self.0)
    }
}

impl Read for Patient {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.wait(false, |mut file| file.read(room))
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait(true, |mut file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
