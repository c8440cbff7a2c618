//! Open files as the system sees them: which standard streams were closed at the start, and reading at an offset.

use std::fs::File;
use std::io;

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

    /// Notes which standard streams are closed. Called before anything opens one: see `start.rs`.
    pub(crate) fn note_closed() {
        let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
        let bits = streams.iter().enumerate().filter(|(_, stream)| fcntl_getfd(stream) == Err(Errno::BADF));
        CLOSED.store(bits.fold(0, |bits, (index, _)| bits | 1 << index), Ordering::Relaxed);
    }

    /// Opens `/dev/null` in place of the streams that were closed, in the order of their numbers. Otherwise a file would get
    /// the number of a closed stream, and messages would be written to it.
    #[cfg(all(target_os = "linux", not(test)))]
    pub(crate) fn open_closed() {
        for _ in 0..CLOSED.load(Ordering::Relaxed).count_ones() {
            match File::options().read(true).write(true).open("/dev/null") {
                // Never closed.
                Ok(null) => _ = std::os::fd::IntoRawFd::into_raw_fd(null),
                // As Rust's runtime does.
                Err(_) => std::process::abort(),
            }
        }
    }

    impl Standard {
        /// Returns the stream that a path names.
        fn at(path: &Path) -> Option<Self> {
            match charpipe::files::descriptor(path)? {
                0 => Some(Standard::In),
                1 => Some(Standard::Out),
                2 => Some(Standard::Err),
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

#[cfg(all(target_os = "linux", not(test)))]
pub(crate) use closed::open_closed;
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

/// Returns how many descriptors this process may have, if there is a limit.
#[cfg(unix)]
pub(crate) fn descriptor_limit() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};

    getrlimit(Resource::Nofile).current.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
pub(crate) fn descriptor_limit() -> Option<usize> {
    None
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

/// Does the same.
#[cfg(target_os = "wasi")]
pub(crate) fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::io::{Read as _, Seek as _};

    file.seek(io::SeekFrom::Start(offset))?;
    file.read(buffer)
}
