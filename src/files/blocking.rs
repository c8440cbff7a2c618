//! Reads and writes that wait for a descriptor that another process made non-blocking.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

/// A file that is read and written as if it were blocking. Another process may have made the pipe, the socket or the
/// terminal non-blocking, for itself and therefore for everyone. Data would be lost if "would block" were taken for an
/// error.
pub struct Blocking(pub Arc<File>);

impl Blocking {
    /// Repeats `act` until it neither is interrupted nor would block.
    fn repeat<T>(&self, write: bool, mut act: impl FnMut(&File) -> io::Result<T>) -> io::Result<T> {
        loop {
            match act(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(&*self.0, write, error)?,
                done => return done,
            }
        }
    }
}

/// Writes all of `bytes` to a stream, as if it were blocking.
pub fn write_all(mut stream: impl Write + Waitable, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(len) => bytes = &bytes[len..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(&stream, true, error)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A stream that can be waited for, on systems where that is possible.
#[cfg(unix)]
pub trait Waitable: std::os::fd::AsFd {}
#[cfg(unix)]
impl<T: std::os::fd::AsFd> Waitable for T {}
/// Any stream: here, none can be waited for.
#[cfg(not(unix))]
pub trait Waitable {}
#[cfg(not(unix))]
impl<T> Waitable for T {}

/// Waits until `file` can be read or written.
#[cfg(unix)]
fn wait(file: &impl Waitable, write: bool, _: io::Error) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};

    let event = if write { PollFlags::OUT } else { PollFlags::IN };
    match poll(&mut [PollFd::new(file, event)], None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Returns whether there is something to read in `file`, or its end, within that time.
#[cfg(unix)]
#[must_use]
pub fn is_readable_within(file: &File, time: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let Ok(timeout) = Timespec::try_from(time) else { return false };
    poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&timeout)).is_ok_and(|ready| ready > 0)
}

/// Says no: here, no file can be waited for.
#[cfg(not(unix))]
#[must_use]
pub fn is_readable_within(_: &File, _: Duration) -> bool {
    false
}

/// Fails with the error that the system returned.
#[cfg(not(unix))]
fn wait(_: &impl Waitable, _write: bool, error: io::Error) -> io::Result<()> {
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
