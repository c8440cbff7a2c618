//! What is read: files, and standard input without the 8 KiB buffer of [`std::io::Stdin`] between.

use crate::files::folder::{self, Kind};
use crate::files::place::Place;
use crate::files::streams::{self, Patient, Standard, read_at};
use crate::messages::Name;
use crate::messages::hexdump::Piece;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Standard input, where a name is wanted.
const STDIN: &str = "<stdin>";

/// The name of an operand.
pub(crate) fn name(path: &OsStr) -> Name {
    if path == "-" { Name::of_stream(STDIN) } else { Name::of_path(path) }
}

/// What the system knows of an operand that is there.
pub(crate) fn metadata(path: &OsStr) -> Option<Metadata> {
    if path == "-" { stdin().and_then(|file| file.metadata()).ok() } else { fs::metadata(path).ok() }
}

/// An input that is open. What it is, and what is read of it a second time, comes from what was opened: its name may
/// lead elsewhere by then.
pub(crate) struct Opened {
    pub(crate) reader: Box<dyn BufRead>,
    /// What the system knows of it.
    pub(crate) found: Option<Metadata>,
    /// A regular file that was named, to be read at offsets beside the reader.
    pub(crate) again: Option<Arc<File>>,
}

/// Opens an operand: `-` is standard input. `capacity` is how much is read at a time.
pub(crate) fn open(path: &OsStr, capacity: usize) -> io::Result<Box<dyn BufRead>> {
    Ok(open_typed(path, capacity)?.reader)
}

/// The same, with what is known of it.
pub(crate) fn open_typed(path: &OsStr, capacity: usize) -> io::Result<Opened> {
    if path == "-" && !cfg!(unix) {
        return Ok(Opened { reader: Box::new(io::stdin().lock()), found: None, again: None });
    }
    streams::check(Path::new(path))?;
    if path == "-" {
        let opened = Opened::new(stdin()?, None, capacity)?;
        // It may not have begun with the first byte of its file.
        return Ok(Opened { again: None, ..opened });
    }
    let open = || folder::open_typed(Path::new(path));
    Opened::new(open()?, Some(&open), capacity)
}

/// Opens the regular file at a place. What has come there since it was found, if that is no regular file, is an error.
pub(crate) fn open_place(place: &Place, capacity: usize) -> io::Result<Opened> {
    let open = || place.folder.read(&place.name);
    let file = open().map_err(|error| match place.look() {
        Ok(Some(entry)) if entry.kind != Kind::File => no_longer(entry.kind),
        _ => error,
    })?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(no_longer(if found.is_dir() { Kind::Folder } else { Kind::Device }));
    }
    Opened::new(file, Some(&open), capacity)
}

/// Reports what is no longer the regular file that was found.
fn no_longer(kind: Kind) -> io::Error {
    let now = match kind {
        Kind::File => "another file",
        Kind::Folder => "a directory",
        Kind::Link => "a symbolic link",
        Kind::Fifo => "a FIFO",
        Kind::Device => "no regular file",
    };
    io::Error::other(format!("it was a regular file when it was found, and is {now} now"))
}

impl Opened {
    /// `open` opens it once more where one open file cannot be read at two places.
    fn new(file: File, open: Option<&dyn Fn() -> io::Result<File>>, capacity: usize) -> io::Result<Self> {
        let found = file.metadata()?;
        // It can be opened here and there, and the failure to read would name a byte.
        if open.is_some() && found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let file = Arc::new(file);
        let again = match open.filter(|_| found.is_file()) {
            Some(open) if !cfg!(unix) => Some(Arc::new(open()?)),
            Some(_) => Some(file.clone()),
            None => None,
        };
        let room = vec![0; capacity.max(LAZY)];
        let reader = Box::new(Input { file: Patient(file), room, capacity, begin: 0, end: 0 });
        Ok(Opened { reader, found: Some(found), again })
    }
}

#[cfg(unix)]
fn stdin() -> io::Result<File> {
    Standard::In.open()
}

#[cfg(not(unix))]
fn stdin() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// An open input. (A [`BufReader`](io::BufReader) fills its buffer with zeros first, all of it, where what it reads from is
/// no plain file.)
struct Input {
    file: Patient,
    room: Vec<u8>,
    /// How much is read at a time.
    capacity: usize,
    begin: usize,
    end: usize,
}

/// So much memory the system hands out zeroed and page by page, as it is touched: a short run touches little.
const LAZY: usize = 256 * 1024;

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
            self.end = self.file.read(&mut self.room[..self.capacity])?.min(self.capacity);
        }
        Ok(&self.room[self.begin..self.end])
    }

    fn consume(&mut self, len: usize) {
        self.begin = self.begin.saturating_add(len).min(self.end);
    }
}

impl Read for Input {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(room)?;
        self.consume(len);
        Ok(len)
    }
}

/// How many of the first bytes a [`Sampled`] keeps.
const SAMPLE: usize = 4096;

/// An input whose first bytes are kept, to say what they look like should they not be what they were taken for.
pub(crate) struct Sampled {
    inner: Box<dyn BufRead>,
    consumed: u64,
    sample: Vec<u8>,
    /// The last bytes that were read, where they are kept.
    recent: Option<Vec<u8>>,
    /// How many bytes were read.
    filled: u64,
    /// There are no more.
    is_over: bool,
    /// The file that they are from.
    file: Option<Arc<File>>,
}

/// How many of the last bytes are kept at the least: more than is read at a time.
const RECENT: usize = 128 * 1024;

impl Sampled {
    pub(crate) fn new(inner: Box<dyn BufRead>) -> Self {
        Sampled { inner, consumed: 0, sample: Vec::new(), recent: None, filled: 0, is_over: false, file: None }
    }

    /// The same, read from a regular file that is open.
    pub(crate) fn of_file(self, file: Option<Arc<File>>) -> Self {
        Sampled { file, ..self }
    }

    /// The same with its last bytes kept too, to be shown should they be wrong.
    pub(crate) fn keeping(self, recent: bool) -> Self {
        Sampled { recent: recent.then(Vec::new), ..self }
    }

    /// How long the input is, where its end was seen.
    pub(crate) fn len(&self) -> Option<u64> {
        self.is_over.then_some(self.filled)
    }

    /// The bytes at `range`, or those of them that there are: from what is kept, else from the file once more, if it is a
    /// regular one.
    pub(crate) fn again(&self, range: Range<u64>) -> Option<Piece> {
        let start = range.start;
        let recent = self.recent.as_deref().unwrap_or_default();
        let kept = self.filled - recent.len() as u64;
        if (kept..self.filled).contains(&start) {
            let end = (range.end - kept).min(recent.len() as u64);
            return Some(Piece { start, bytes: recent[(start - kept) as usize..end as usize].to_vec() });
        }
        let file = self.file.as_ref()?;
        let mut bytes = vec![0; (range.end - start) as usize];
        let len = read_at(file, &mut bytes, start).ok()?;
        bytes.truncate(len);
        Some(Piece { start, bytes })
    }

    pub(crate) fn sample(&self) -> &[u8] {
        &self.sample
    }
}

/// What there is of `buffer` after its first `known` bytes.
fn behind(buffer: &[u8], known: u64) -> &[u8] {
    usize::try_from(known).ok().and_then(|known| buffer.get(known..)).unwrap_or_default()
}

impl BufRead for Sampled {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let buffer = self.inner.fill_buf()?;
        // What of the buffer lies behind what is kept already.
        let new = (self.sample.len() as u64).checked_sub(self.consumed).map_or(&[][..], |known| behind(buffer, known));
        let room = SAMPLE - self.sample.len();
        self.sample.extend_from_slice(&new[..new.len().min(room)]);
        let fresh = behind(buffer, self.filled.saturating_sub(self.consumed));
        self.filled += fresh.len() as u64;
        self.is_over |= buffer.is_empty();
        if let Some(recent) = &mut self.recent {
            recent.extend_from_slice(fresh);
            if recent.len() > 2 * RECENT {
                recent.drain(..recent.len() - RECENT);
            }
        }
        Ok(buffer)
    }

    fn consume(&mut self, len: usize) {
        self.consumed = self.consumed.saturating_add(len as u64);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Past 4 GiB, on a machine of 32 bits too.
    #[test]
    fn far_into_the_input() {
        let begin = (1 << 32) - 4;
        let mut input = Sampled::new(Box::new(&b"0123456789"[..])).keeping(true);
        (input.consumed, input.filled, input.sample) = (begin, begin, vec![b'a'; SAMPLE]);
        let mut rest = Vec::new();
        input.read_to_end(&mut rest).unwrap();
        assert_eq!((&rest[..], input.sample.len(), input.len()), (&b"0123456789"[..], SAMPLE, Some((1 << 32) + 6)));
        for (from, expected) in [(begin, &b"01234567"[..]), ((1 << 32) - 1, b"3456789"), (1 << 32, b"456789")] {
            let piece = input.again(from..from + 8).unwrap();
            assert_eq!((piece.start, &*piece.bytes), (from, expected), "{from}");
        }
        assert!(input.again(0..8).is_none() && input.again(6..8).is_none());
        assert_eq!(behind(b"abc", 1 << 32), b"");
    }
}
