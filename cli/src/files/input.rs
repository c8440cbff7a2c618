//! Opens and reads inputs: files, and standard input without the 8 KiB buffer of [`std::io::Stdin`].

use crate::files::streams::{self, Standard, read_at};
use charpipe::codec::PageBuffer;
use charpipe::files::{Blocking, EntryKind, Place, open_typed};
use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, Read, Seek as _};
use std::path::Path;
use std::sync::Arc;

/// Returns the metadata of an operand, or `None` if there is no such file.
pub(crate) fn metadata(path: &OsStr) -> Option<Metadata> {
    if path == "-" { Standard::In.open().ok()??.metadata().ok() } else { fs::metadata(path).ok() }
}

/// An open input. Its metadata, and any bytes that are read a second time, come from the open file: by then its name
/// may lead elsewhere.
pub(crate) struct OpenInput {
    pub(crate) reader: Box<dyn BufRead>,
    pub(crate) metadata: Option<Metadata>,
    /// The file, if it is a regular file that was named, for reading at offsets beside the reader.
    pub(crate) file: Option<Arc<File>>,
    /// The source to read, if it is not that file: it may be a pipe that delivers nothing for a long time.
    pub(crate) stream: Option<Arc<File>>,
    /// A file from which the input can be read again.
    pub(crate) again: Option<Again>,
}

/// A regular file, to read an input from again.
#[derive(Clone)]
pub(crate) struct Again {
    file: Arc<File>,
    /// The offset of the byte in the file that comes next: at first, that of the first byte of the input.
    at: u64,
}

impl Read for Again {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = read_at(&self.file, buffer, self.at)?;
        self.at += len as u64;
        Ok(len)
    }
}

/// Opens an operand, of which `-` is standard input, and reads up to `read_size` bytes at a time.
pub(crate) fn open(path: &OsStr, read_size: usize) -> io::Result<OpenInput> {
    streams::check(Path::new(path))?;
    if path != "-" {
        let open = || open_typed(Path::new(path));
        let file = open()?;
        let metadata = file.metadata()?;
        return OpenInput::new(file, metadata, Some(&open), read_size);
    }
    match Standard::In.open()? {
        // Without `file`: the first byte that is read need not be the first byte of the file.
        Some(stdin) => {
            let metadata = stdin.metadata()?;
            // Where the input begins, if it can be read again without a move of the position that other processes
            // share.
            let begin = if cfg!(unix) && metadata.is_file() { (&stdin).stream_position().ok() } else { None };
            let input = OpenInput::new(stdin, metadata, None, read_size)?;
            let again = input.stream.clone().zip(begin).map(|(file, at)| Again { file, at });
            Ok(OpenInput { again, ..input })
        }
        None => Ok(OpenInput {
            reader: Box::new(io::stdin().lock()),
            metadata: None,
            file: None,
            stream: None,
            again: None,
        }),
    }
}

/// Opens the regular file at a place. Fails if something else has taken its place since it was found.
pub(crate) fn open_place(place: &Place, read_size: usize) -> io::Result<OpenInput> {
    let open = || place.folder.read(&place.name);
    let file = open().map_err(|error| match place.look() {
        Ok(Some(entry)) if entry.kind != EntryKind::File => no_longer_a_file(entry.kind),
        _ => error,
    })?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(no_longer_a_file(if metadata.is_dir() { EntryKind::Folder } else { EntryKind::Device }));
    }
    OpenInput::new(file, metadata, Some(&open), read_size)
}

fn no_longer_a_file(kind: EntryKind) -> io::Error {
    let now = match kind {
        EntryKind::File => "another file",
        EntryKind::Folder => "a directory",
        EntryKind::Link => "a symbolic link",
        EntryKind::Fifo => "a FIFO",
        EntryKind::Device => "not a regular file",
    };
    io::Error::other(format!("it was a regular file when it was found, and is {now} now"))
}

impl OpenInput {
    /// `open` opens the file again, on systems where one open file cannot be read at two positions.
    fn new(
        file: File,
        metadata: Metadata,
        open: Option<&dyn Fn() -> io::Result<File>>,
        read_size: usize,
    ) -> io::Result<Self> {
        // Some systems open a directory and fail to read it; that error would name a byte.
        if open.is_some() && metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let file = Arc::new(file);
        let second = match open.filter(|_| metadata.is_file()) {
            Some(open) if !cfg!(unix) => Some(Arc::new(open()?)),
            Some(_) => Some(file.clone()),
            None => None,
        };
        let buffer = buffer_of(buffer_bytes(&metadata, read_size));
        let read_size = read_size.min(buffer.len());
        let stream = if second.is_none() { Some(file.clone()) } else { None };
        // Some systems tell how much is in a pipe at the moment.
        let rest = if metadata.is_file() { metadata.len() } else { 0 };
        let file = Blocking(file);
        let reader = Box::new(Reader { file, buffer, read_size, rest, begin: 0, end: 0, has_ended: false });
        let again = second.clone().map(|file| Again { file, at: 0 });
        Ok(OpenInput { reader, metadata: Some(metadata), file: second, stream, again })
    }
}

/// Reads an open input. (A [`BufReader`](io::BufReader) over anything but a plain file first fills its whole buffer
/// with zeros.)
struct Reader {
    file: Blocking,
    buffer: PageBuffer,
    read_size: usize,
    /// How much of the length that a regular file had when it was opened was not read yet.
    rest: u64,
    begin: usize,
    end: usize,
    /// Whether the end was read. The system is not asked again, and what is appended meanwhile is not read.
    has_ended: bool,
}

/// The system hands out this much memory zeroed, page by page as it is touched: a short run touches little of it.
const LAZY_BYTES: usize = 256 * 1024;

/// The least size of a buffer: less than a page.
const SHORT_BYTES: usize = 4095;

/// Returns the size of the buffer for a file. One for a short file comes from memory that the process has already,
/// which must be cleared: that takes longer than to read the file.
fn buffer_bytes(file: &Metadata, read_size: usize) -> usize {
    match usize::try_from(file.len()) {
        Ok(len) if file.is_file() && len < read_size => len.next_power_of_two().max(SHORT_BYTES),
        _ => read_size.max(LAZY_BYTES),
    }
}

thread_local! {
    /// The buffer of the last short file. To make another one and clear it takes as long as to read such a file.
    static LAST_SHORT: Cell<PageBuffer> = Cell::default();
}

/// Returns a buffer of this size, which may have the bytes of another file.
fn buffer_of(size: usize) -> PageBuffer {
    let last = if size == SHORT_BYTES { LAST_SHORT.take() } else { PageBuffer::default() };
    if last.len() == size { last } else { PageBuffer::for_input(size) }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.buffer.len() == SHORT_BYTES {
            let buffer = std::mem::take(&mut self.buffer);
            // When the thread ends, there is no next file.
            _ = LAST_SHORT.try_with(|last| last.set(buffer));
        }
    }
}

impl BufRead for Reader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.begin == self.end && !self.has_ended {
            (self.begin, self.end) = (0, 0);
            self.end = self.file.read(&mut self.buffer[..self.read_size])?.min(self.read_size);
            // If less was read than there was room for, and all of the length, the file ends there. (Files in `/proc` and
            // `/sys` are longer or shorter than they say.)
            let was_rest = self.rest > 0 && self.end as u64 == self.rest && self.end < self.read_size;
            self.rest = self.rest.saturating_sub(self.end as u64);
            self.has_ended = self.end == 0 || was_rest;
        }
        Ok(&self.buffer[self.begin..self.end])
    }

    fn consume(&mut self, len: usize) {
        self.begin = self.begin.saturating_add(len).min(self.end);
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(buffer)?;
        self.consume(len);
        Ok(len)
    }
}

/// Returns the next bytes of `input`, even if a signal interrupts the read; none at the end.
pub(crate) fn fill(input: &mut dyn BufRead) -> io::Result<&[u8]> {
    loop {
        match input.fill_buf() {
            Ok([]) => return Ok(&[]),
            // The borrow of these cannot be returned from a loop.
            Ok(_) => return input.fill_buf(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// Reads all of a file, which gets more bytes once its end was read.
    fn read_growing(len: usize, read_size: usize) -> Vec<u8> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, vec![b'a'; len]).unwrap();
        let mut reader = open(path.as_os_str(), read_size).unwrap().reader;
        let mut bytes = Vec::new();
        while bytes.len() < len {
            bytes.extend_from_slice(fill(&mut *reader).unwrap());
            reader.consume(bytes.len());
        }
        fs::write(&path, vec![b'b'; len + 1]).unwrap();
        reader.read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// A file whose whole length was read is over: that needs no other read.
    #[test]
    fn the_end_is_known_with_the_last_byte() {
        for len in [1, 2000, SHORT_BYTES - 1] {
            assert_eq!(read_growing(len, 64 * 1024), vec![b'a'; len], "{len}");
        }
    }

    /// Where the length says nothing, the file is read until there is no more.
    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_the_kernel_are_read_to_their_ends() {
        for path in ["/proc/self/status", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled"] {
            let Ok(expected) = fs::read(path) else { continue };
            let mut bytes = Vec::new();
            open(OsStr::new(path), 100).unwrap().reader.read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes.len(), expected.len(), "{path}");
        }
    }
}
