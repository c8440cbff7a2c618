//! Copies files, and reads at any position of a file.

use crate::files::streams::read_at;
use charpipe::codec::PageBuffer;
use std::fs::File;
use std::io::{self, Write};

/// How many bytes are compared or copied at a time.
pub(super) const BUFFER_BYTES: usize = 64 * 1024;

/// Copies the first `len` bytes of a file, or all of it if it is shorter. Returns the number of bytes copied.
pub(super) fn copy(from: &File, len: u64, to: &mut impl Write) -> io::Result<u64> {
    let mut buffer = PageBuffer::for_input(BUFFER_BYTES);
    let mut at = 0;
    while at < len {
        let want = (len - at).min(BUFFER_BYTES as u64) as usize;
        match read_some_at(from, &mut buffer[..want], at)? {
            0 => break,
            got => {
                to.write_all(&buffer[..got])?;
                at += got as u64;
            }
        }
    }
    Ok(at)
}

/// Reads at an offset, again if a signal interrupts it.
pub(super) fn read_some_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match read_at(file, buffer, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Fills the buffer, unless the file ends first. Returns the number of bytes read.
pub(super) fn read_full_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_some_at(file, &mut buffer[filled..], at + filled as u64)? {
            0 => break,
            len => filled += len,
        }
    }
    Ok(filled)
}
