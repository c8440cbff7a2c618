//! What is read: files, and standard input without the 8 KiB buffer of [`std::io::Stdin`] between.

use super::words::Name;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

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
