//! Buffers for input, text and output, each at its own offset within a page of memory.
//!
//! Where a buffer begins within its page matters for two reasons:
//!
//! * On AMD's Zen 3, the instruction with which the Linux kernel copies a file into a buffer runs at a quarter of its
//!   speed if the buffer begins 1 to 31 bytes after the start of a page. An allocator puts a large buffer 16 bytes after
//!   the start of a page, behind its own header. `cat` aligns its buffer for the same reason.
//! * Processors compare only the low twelve bits of addresses at first. A load that follows a store to the same offset of
//!   another page waits for that store. If input and output advance at the same speed from the same offset, as with ASCII,
//!   every load waits.

use std::ops::{Deref, DerefMut};

/// The size of a page, in bytes. Systems with larger pages have the same two problems at multiples of this size.
const PAGE_BYTES: usize = 4096;

/// A buffer of zeros that is fast to read a file into, or to convert into.
///
/// It is a slice of bytes whose address is chosen so that reading and converting are fast: some processors copy a file
/// into a buffer four times as fast if the buffer begins with a page of memory. The readers and writers of this crate use
/// it; with [`Transcoder::step`](crate::Transcoder::step), use it for your own buffers.
///
/// ```
/// use charpipe::codec::PageBuffer;
/// use charpipe::{Status, Transcode};
/// use std::io::Read;
///
/// let mut transcoder = Transcode::new().source_encoding("IBM037")?.transcoder()?;
/// let (mut input, mut output) = (PageBuffer::for_input(64 * 1024), PageBuffer::for_output(256 * 1024));
/// let len = (&b"\xC8\x85\x93\x93\x96"[..]).read(&mut input)?;
/// let step = transcoder.step(&input[..len], &mut output, true)?;
/// assert_eq!((&output[..step.written], step.state), (&b"Hello"[..], Status::Done));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct PageBuffer {
    bytes: Box<[u8]>,
    /// Where in `bytes` the buffer begins.
    start: usize,
    len: usize,
}

impl PageBuffer {
    /// Makes a buffer of `len` bytes to read input into. It begins with a page.
    #[must_use]
    pub fn for_input(len: usize) -> Self {
        PageBuffer::at(0, len)
    }

    /// Makes a buffer of `len` bytes to convert into. It begins at another offset of a page than one
    /// [for input](Self::for_input).
    #[must_use]
    pub fn for_output(len: usize) -> Self {
        PageBuffer::at(1024, len)
    }

    /// Makes a buffer of `len` bytes for text between decoder and encoder. It begins at a third offset of a page.
    pub(crate) fn for_text(len: usize) -> Self {
        PageBuffer::at(2048, len)
    }

    /// Makes a buffer that begins `offset` bytes after the start of a page. A buffer that is shorter than a page is not
    /// worth the space that this takes, and begins anywhere.
    fn at(offset: usize, len: usize) -> Self {
        if len < PAGE_BYTES {
            return PageBuffer { bytes: vec![0; len].into(), start: 0, len };
        }
        let bytes: Box<[u8]> = vec![0; len + PAGE_BYTES].into();
        let to_page = bytes.as_ptr().align_offset(PAGE_BYTES);
        // The standard library allows `align_offset` to fail with `usize::MAX`. Any address is correct.
        let start = if to_page == usize::MAX { 0 } else { (to_page + offset) % PAGE_BYTES };
        PageBuffer { bytes, start, len }
    }
}

impl Deref for PageBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..][..self.len]
    }
}

impl DerefMut for PageBuffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_begins_at_its_own_offset_of_a_page() {
        for len in [PAGE_BYTES, PAGE_BYTES + 1, 64 * 1024, 256 * 1024] {
            // Other allocations between them, so that the allocator has no reason to align anything.
            let odd: Vec<Vec<u8>> = (1..20).map(|len| vec![1; 7 * len]).collect();
            let (input, output) = (PageBuffer::for_input(len), PageBuffer::for_output(len));
            let text = PageBuffer::for_text(len);
            for (buffer, offset) in [(&input, 0), (&output, 1024), (&text, 2048)] {
                assert_eq!(buffer.as_ptr() as usize % PAGE_BYTES, offset, "{len}");
                assert_eq!(buffer.len(), len);
                assert!(buffer.iter().all(|byte| *byte == 0));
            }
            drop(odd);
        }
    }

    #[test]
    fn short_buffers_take_no_more_than_their_length() {
        for len in [0, 1, PAGE_BYTES - 1] {
            let mut buffer = PageBuffer::for_input(len);
            assert_eq!((buffer.len(), buffer.bytes.len()), (len, len));
            buffer.fill(1);
        }
        assert!(PageBuffer::default().is_empty());
    }
}
