//! What is read: files, and standard input without the 8 KiB buffer of [`std::io::Stdin`] between.

use super::words::Name;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};

/// Standard input, where a name is wanted.
const STDIN: &str = "<stdin>";

/// The name of an operand.
pub(super) fn name(path: &OsStr) -> Name {
    if path == "-" { Name::of_stream(STDIN) } else { Name::of_path(path) }
}

/// Opens an operand: `-` is standard input. `capacity` is how much is read at a time.
pub(super) fn open(path: &OsStr, capacity: usize) -> io::Result<Box<dyn BufRead>> {
    if path == "-" {
        return stdin(capacity);
    }
    let file = File::open(path)?;
    // It can be opened here and there, and the failure to read would name a byte.
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Box::new(BufReader::with_capacity(capacity, file)))
}

/// Whether an operand is a regular file: all of it is there, and nobody waits for what comes of its beginning.
pub(super) fn is_file(path: &OsStr) -> bool {
    if path == "-" { stdin_is_file() } else { fs::metadata(path).is_ok_and(|found| found.is_file()) }
}

#[cfg(unix)]
fn stdin_is_file() -> bool {
    use std::os::fd::AsFd;

    let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    file.and_then(|file| file.metadata()).is_ok_and(|found| found.is_file())
}

#[cfg(not(unix))]
fn stdin_is_file() -> bool {
    false
}

#[cfg(unix)]
fn stdin(capacity: usize) -> io::Result<Box<dyn BufRead>> {
    use std::os::fd::AsFd;

    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    Ok(Box::new(BufReader::with_capacity(capacity, file)))
}

#[cfg(not(unix))]
fn stdin(_capacity: usize) -> io::Result<Box<dyn BufRead>> {
    Ok(Box::new(io::stdin().lock()))
}

/// How many of the first bytes a [`Sampled`] keeps.
const SAMPLE: usize = 4096;

/// An input whose first bytes are kept, to say what they look like should they not be what they were taken for.
pub(super) struct Sampled {
    inner: Box<dyn BufRead>,
    consumed: usize,
    sample: Vec<u8>,
}

impl Sampled {
    pub(super) fn new(inner: Box<dyn BufRead>) -> Self {
        Sampled { inner, consumed: 0, sample: Vec::new() }
    }

    pub(super) fn sample(&self) -> &[u8] {
        &self.sample
    }
}

impl BufRead for Sampled {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let buffer = self.inner.fill_buf()?;
        // What of the buffer lies behind what is kept already.
        let new = self.sample.len().checked_sub(self.consumed).and_then(|known| buffer.get(known..)).unwrap_or(&[]);
        let room = SAMPLE - self.sample.len();
        self.sample.extend_from_slice(&new[..new.len().min(room)]);
        Ok(buffer)
    }

    fn consume(&mut self, len: usize) {
        self.consumed = self.consumed.saturating_add(len);
        self.inner.consume(len);
    }
}

impl Read for Sampled {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(room)?;
        self.consume(len);
        Ok(len)
    }
}
