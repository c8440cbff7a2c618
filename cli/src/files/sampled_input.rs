//! An input that keeps its first bytes, from which its encoding is guessed if they turn out to be malformed. It can also
//! keep its last bytes, so that the bytes around an error can be shown.

use crate::files::streams::read_at;
use charpipe::detect::statistics::WINDOW;
use charpipe::files::is_readable_within;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many of the first bytes a [`SampledInput`] keeps: as many as detection looks at.
const SAMPLE_BYTES: usize = WINDOW;

/// How many bytes from an error on show what the input is. A conversion may wait for as many.
const AFTER_BYTES: u64 = 1024;

/// How long they are waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many of the last bytes that were consumed are kept: those before an error, and the malformed ones.
const TAIL_BYTES: usize = 2048;

/// How many of the last bytes a [`SampledInput`] keeps at least. More than is read at a time.
const RECENT_BYTES: usize = 128 * 1024;

/// An input that keeps some of its bytes.
pub(crate) struct SampledInput {
    inner: Box<dyn BufRead>,
    consumed: u64,
    /// The first bytes that were read, if they are kept.
    sample: Option<Vec<u8>>,
    /// The last bytes that were read, if they are kept.
    recent: Option<Vec<u8>>,
    /// The last bytes that were consumed.
    tail: Vec<u8>,
    /// The number of bytes that were read.
    filled: u64,
    /// The end of the input was reached.
    is_over: bool,
    /// The regular file that is read.
    file: Option<Arc<File>>,
    /// The source to read, if it is a different one.
    stream: Option<Arc<File>>,
}

impl SampledInput {
    pub(crate) fn new(inner: Box<dyn BufRead>) -> Self {
        SampledInput {
            inner,
            consumed: 0,
            sample: Some(Vec::new()),
            recent: None,
            tail: Vec::new(),
            filled: 0,
            is_over: false,
            file: None,
            stream: None,
        }
    }

    /// Sets the open regular file that the input is read from.
    pub(crate) fn with_file(self, file: Option<Arc<File>>) -> Self {
        SampledInput { file, ..self }
    }

    /// Sets what the input is read from, if it is no such file.
    pub(crate) fn with_stream(self, stream: Option<Arc<File>>) -> Self {
        SampledInput { stream, ..self }
    }

    /// Returns whether there is more to read, or the end of the input, by then.
    fn has_more_by(&self, deadline: Instant) -> bool {
        let time = deadline.saturating_duration_since(Instant::now());
        self.filled > self.consumed || self.stream.as_ref().is_none_or(|stream| is_readable_within(stream, time))
    }

    /// Sets whether the first bytes are kept. By default they are. Those of a regular file can be read again.
    pub(crate) fn keep_beginning(self, beginning: bool) -> Self {
        SampledInput { sample: beginning.then(Vec::new), ..self }
    }

    /// Sets whether the last bytes are kept.
    pub(crate) fn keep_recent(self, recent: bool) -> Self {
        SampledInput { recent: recent.then(Vec::new), ..self }
    }

    /// Returns the length of the input if its end was reached.
    pub(crate) fn len(&self) -> Option<u64> {
        self.is_over.then_some(self.filled)
    }

    /// Returns the bytes at `range`, or as many of them as exist: from memory if they are kept, otherwise from the file
    /// if it is a regular one.
    pub(crate) fn bytes_at(&self, range: Range<u64>) -> Option<Vec<u8>> {
        let recent = self.recent.as_deref().unwrap_or_default();
        let kept = self.filled - recent.len() as u64;
        if (kept..self.filled).contains(&range.start) {
            let end = (range.end - kept).min(recent.len() as u64);
            return Some(recent[(range.start - kept) as usize..end as usize].to_vec());
        }
        let file = self.file.as_ref()?;
        let mut bytes = vec![0; (range.end - range.start) as usize];
        let len = read_at(file, &mut bytes, range.start).ok()?;
        bytes.truncate(len);
        Some(bytes)
    }

    /// Returns the first bytes of the input, as many as detection looks at, but not more than `len`. If they are not kept,
    /// there are none.
    pub(crate) fn beginning(&self, len: u64) -> &[u8] {
        let sample = self.sample.as_deref().unwrap_or_default();
        &sample[..sample.len().min(usize::try_from(len).unwrap_or(usize::MAX))]
    }

    /// Returns the first bytes of the input, up to a little after an error at `offset`, or the bytes around the error
    /// if it comes late. It may read on for that, but does not wait long for a writer that may itself wait for the
    /// error.
    pub(crate) fn sample_around(&mut self, offset: u64) -> Vec<u8> {
        let end = offset.saturating_add(AFTER_BYTES);
        let is_late = offset >= SAMPLE_BYTES as u64;
        let range = if is_late { offset - AFTER_BYTES..end } else { 0..end.min(SAMPLE_BYTES as u64) };
        if self.file.is_some()
            && let Some(bytes) = self.bytes_at(range.clone())
        {
            return bytes;
        }
        let (begin, mut late) = (self.consumed - self.tail.len() as u64, std::mem::take(&mut self.tail));
        let deadline = Instant::now() + PATIENCE;
        while !self.is_over && self.consumed < range.end && self.has_more_by(deadline) {
            let Ok(bytes) = self.fill_buf() else { break };
            let len = bytes.len();
            if is_late {
                late.extend_from_slice(bytes);
            }
            self.consume(len);
        }
        if !is_late {
            return self.beginning(range.end).to_vec();
        }
        let index = |at: u64| (at.saturating_sub(begin) as usize).min(late.len());
        late[index(range.start)..index(range.end)].to_vec()
    }
}

/// Returns `buffer` without its first `known` bytes.
fn after(buffer: &[u8], known: u64) -> &[u8] {
    usize::try_from(known).ok().and_then(|known| buffer.get(known..)).unwrap_or_default()
}

impl BufRead for SampledInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let buffer = self.inner.fill_buf()?;
        if let Some(sample) = &mut self.sample {
            // The part of the buffer after the sample so far; none once bytes beyond the sample were consumed.
            let missing = SAMPLE_BYTES - sample.len();
            let known = (sample.len() as u64).checked_sub(self.consumed).filter(|_| missing > 0);
            let new = known.map_or(&[][..], |known| after(buffer, known));
            sample.extend_from_slice(&new[..new.len().min(missing)]);
        }
        let fresh = after(buffer, self.filled.saturating_sub(self.consumed));
        self.filled += fresh.len() as u64;
        self.is_over |= buffer.is_empty();
        if let Some(recent) = &mut self.recent {
            recent.extend_from_slice(fresh);
            if recent.len() > 2 * RECENT_BYTES {
                recent.drain(..recent.len() - RECENT_BYTES);
            }
        }
        Ok(buffer)
    }

    fn consume(&mut self, len: usize) {
        // What is in the buffer is there without another read.
        if self.file.is_none()
            && len > 0
            && let Ok(buffer) = self.inner.fill_buf()
        {
            let last = &buffer[..len.min(buffer.len())];
            let last = &last[last.len().saturating_sub(TAIL_BYTES)..];
            let kept = self.tail.len().min(TAIL_BYTES - last.len());
            self.tail.drain(..self.tail.len() - kept);
            self.tail.extend_from_slice(last);
        }
        self.consumed = self.consumed.saturating_add(len as u64);
        self.inner.consume(len);
    }
}

impl Read for SampledInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(buffer)?;
        self.consume(len);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets past 4 GiB work on 32-bit machines too.
    #[test]
    fn far_into_the_input() {
        let begin = (1 << 32) - 4;
        let mut input = SampledInput::new(Box::new(&b"0123456789"[..])).keep_recent(true);
        (input.consumed, input.filled, input.sample) = (begin, begin, Some(vec![b'a'; SAMPLE_BYTES]));
        let mut rest = Vec::new();
        input.read_to_end(&mut rest).unwrap();
        assert_eq!(
            (&rest[..], input.beginning(u64::MAX).len(), input.len()),
            (&b"0123456789"[..], SAMPLE_BYTES, Some((1 << 32) + 6))
        );
        // The end stays where it is, however often it is read.
        for _ in 0..3 {
            assert!(input.fill_buf().unwrap().is_empty());
            assert_eq!(input.len(), Some((1 << 32) + 6));
        }
        for (from, expected) in [(begin, &b"01234567"[..]), ((1 << 32) - 1, b"3456789"), (1 << 32, b"456789")] {
            assert_eq!(input.bytes_at(from..from + 8).unwrap(), expected, "{from}");
        }
        assert!(input.bytes_at(0..8).is_none() && input.bytes_at(6..8).is_none());
        assert_eq!(after(b"abc", 1 << 32), b"");
    }

    /// Bytes that say where they are, in pieces of a length, up to an end that is read once.
    struct Pieces {
        at: usize,
        end: usize,
        piece: usize,
        bytes: Vec<u8>,
        was_over: bool,
    }

    impl Pieces {
        fn new(end: usize, piece: usize) -> Pieces {
            Pieces { at: 0, end, piece, bytes: numbered(0..end), was_over: false }
        }
    }

    fn numbered(range: Range<usize>) -> Vec<u8> {
        range.map(|at| (at % 251) as u8).collect()
    }

    impl BufRead for Pieces {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            assert!(!self.was_over, "read after the end");
            self.was_over = self.at == self.end;
            let end = (self.at / self.piece + 1) * self.piece;
            Ok(&self.bytes[self.at..end.min(self.end)])
        }

        fn consume(&mut self, len: usize) {
            self.at += len;
        }
    }

    impl Read for Pieces {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            unreachable!()
        }
    }

    /// What is shown of a stream with an error, and how far it is read for that.
    #[test]
    fn around_an_error() {
        let after = AFTER_BYTES as usize;
        // The length of the input, and of the pieces that it arrives in; how much was read before the error, and where
        // the error is; the bytes to show, and how much is read for them.
        let cases = [
            (3000, 100, 100, 10, 0..10 + after, 1100),
            // What is needed ends with a piece: the next one may be long in coming.
            (3000, 94, 94, 10, 0..10 + after, 10 + after),
            (500, 100, 100, 10, 0..500, 500),
            (500, 100, 500, 499, 0..500, 500),
            // The last offset whose bytes are in the sample; the sample ends before the bytes that are read.
            (3 * SAMPLE_BYTES, 1024, SAMPLE_BYTES, SAMPLE_BYTES - 1, 0..SAMPLE_BYTES, SAMPLE_BYTES),
            // The first one whose bytes are not.
            (
                3 * SAMPLE_BYTES,
                1024,
                SAMPLE_BYTES,
                SAMPLE_BYTES,
                SAMPLE_BYTES - after..SAMPLE_BYTES + after,
                SAMPLE_BYTES + after,
            ),
            (
                2 * SAMPLE_BYTES,
                512,
                SAMPLE_BYTES + 1536,
                SAMPLE_BYTES + 1000,
                SAMPLE_BYTES - 24..SAMPLE_BYTES + 2024,
                SAMPLE_BYTES + 2048,
            ),
            // The end comes first.
            (
                SAMPLE_BYTES + 1100,
                512,
                SAMPLE_BYTES + 1024,
                SAMPLE_BYTES + 1000,
                SAMPLE_BYTES - 24..SAMPLE_BYTES + 1100,
                SAMPLE_BYTES + 1100,
            ),
        ];
        for (end, piece, before, offset, expected, read) in cases {
            let mut input = SampledInput::new(Box::new(Pieces::new(end, piece)));
            while input.consumed < before as u64 {
                let len = input.fill_buf().unwrap().len();
                input.consume(len);
            }
            let found = input.sample_around(offset as u64);
            assert!(found == numbered(expected.clone()), "{offset} of {end}: {} of {expected:?}", found.len());
            assert_eq!(input.consumed, read as u64, "{offset} of {end}");
        }
    }
}
