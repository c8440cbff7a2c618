//! What is read: files, and standard input without the 8 KiB buffer of [`std::io::Stdin`] between.

use super::hexdump::Piece;
use super::streams::{self, Patient, Standard};
use super::words::Name;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, Read, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// Standard input, where a name is wanted.
const STDIN: &str = "<stdin>";

/// The name of an operand.
pub(super) fn name(path: &OsStr) -> Name {
    if path == "-" { Name::of_stream(STDIN) } else { Name::of_path(path) }
}

/// What the system knows of an operand that is there.
pub(super) fn metadata(path: &OsStr) -> Option<Metadata> {
    if path == "-" { stdin().and_then(|file| file.metadata()).ok() } else { fs::metadata(path).ok() }
}

/// Opens an operand: `-` is standard input. `capacity` is how much is read at a time.
pub(super) fn open(path: &OsStr, capacity: usize) -> io::Result<Box<dyn BufRead>> {
    open_unless(path, capacity, |_| None)
}

/// The same, unless `objection` has one against the file that was opened.
pub(super) fn open_unless(
    path: &OsStr,
    capacity: usize,
    objection: impl FnOnce(&Metadata) -> Option<&'static str>,
) -> io::Result<Box<dyn BufRead>> {
    if path == "-" && !cfg!(unix) {
        return Ok(Box::new(io::stdin().lock()));
    }
    streams::check(Path::new(path))?;
    let file = if path == "-" { stdin()? } else { File::open(path)? };
    let metadata = file.metadata()?;
    // It can be opened here and there, and the failure to read would name a byte.
    if path != "-" && metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if let Some(objection) = objection(&metadata) {
        return Err(io::Error::other(objection));
    }
    Ok(Box::new(Input { file: Patient(file), room: vec![0; capacity.max(LAZY)], capacity, begin: 0, end: 0 }))
}

/// Whether an operand is a regular file: all of it is there, and nobody waits for what comes of its beginning.
pub(super) fn is_file(path: &OsStr) -> bool {
    metadata(path).is_some_and(|found| found.is_file())
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
pub(super) struct Sampled {
    inner: Box<dyn BufRead>,
    consumed: u64,
    sample: Vec<u8>,
    /// The last bytes that were read, where they are kept.
    recent: Option<Vec<u8>>,
    /// How many bytes were read.
    filled: u64,
    /// There are no more.
    is_over: bool,
}

/// How many of the last bytes are kept at the least: more than is read at a time.
const RECENT: usize = 128 * 1024;

impl Sampled {
    pub(super) fn new(inner: Box<dyn BufRead>) -> Self {
        Sampled { inner, consumed: 0, sample: Vec::new(), recent: None, filled: 0, is_over: false }
    }

    /// The same with its last bytes kept too, to be shown should they be wrong.
    pub(super) fn keeping(self, recent: bool) -> Self {
        Sampled { recent: recent.then(Vec::new), ..self }
    }

    /// How long the input is, where its end was seen.
    pub(super) fn len(&self) -> Option<u64> {
        self.is_over.then_some(self.filled)
    }

    /// The bytes at `range`, or those of them that there are: from what is kept, else from the file at `path` once more,
    /// where there is one.
    pub(super) fn again(&self, path: &OsStr, range: Range<u64>) -> Option<Piece> {
        let start = range.start;
        let recent = self.recent.as_deref().unwrap_or_default();
        let kept = self.filled - recent.len() as u64;
        if (kept..self.filled).contains(&start) {
            let end = (range.end - kept).min(recent.len() as u64);
            return Some(Piece { start, bytes: recent[(start - kept) as usize..end as usize].to_vec() });
        }
        // Standard input may not have begun with the first byte of its file.
        if path == "-" || !is_file(path) {
            return None;
        }
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = Vec::new();
        file.take(range.end - start).read_to_end(&mut bytes).ok()?;
        Some(Piece { start, bytes })
    }

    pub(super) fn sample(&self) -> &[u8] {
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
            let piece = input.again(OsStr::new("-"), from..from + 8).unwrap();
            assert_eq!((piece.start, &*piece.bytes), (from, expected), "{from}");
        }
        assert!(input.again(OsStr::new("-"), 0..8).is_none() && input.again(OsStr::new("-"), 6..8).is_none());
        assert_eq!(behind(b"abc", 1 << 32), b"");
    }
}
