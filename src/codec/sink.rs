//! The buffers that decoders and encoders write into. The sinks themselves count what is written, so a codec cannot
//! report a wrong length.
//!
//! This is the only file in charpipe that claims that bytes are UTF-8. All that goes into a [`Utf8Sink`] is a `char`, a
//! `str`, a character of a table (`words.rs` makes those from a `char`), or checked here or by a kernel that is called
//! here. So a codec written in safe code cannot break the claim. Only `Room::claim` makes the text longer, and it is
//! `unsafe`: each caller states why what it stored is UTF-8.
//!
//! ```compile_fail,E0624
//! #![forbid(unsafe_code)]
//! let mut room = [0; 8];
//! let mut sink = charpipe::codec::Utf8Sink::new(&mut room);
//! sink.push_words(|| panic!());
//! ```
#![allow(unsafe_code)] // The claims, `as_str` and its twins, `fill_str` and `short_text`.

use super::buffer::PageBuffer;
use super::words::{Utf8Batch, Utf8Char, Utf8Filled, Utf8Table, Utf8Word, packed};
use crate::arch::types::{ByteOrder, OctetOrder};
use crate::arch::{self, utf16, utf32};
use room::Room;
use std::ops::Range;

/// The room without which a batch may stop before its end.
pub(crate) const BATCH_ROOM: usize = 64;

/// The room for a [`ShortText`]: 64 characters of three bytes, and one byte more because each store is four bytes wide.
const SHORT_ROOM: usize = 64 * 3 + 1;

/// A borrowed buffer for text; the written part is valid UTF-8.
///
/// Bytes of the buffer after the text may be overwritten, so that a store can be wider than the character.
///
/// ```
/// let mut room = [0; 4];
/// let mut sink = charpipe::codec::Utf8Sink::new(&mut room);
/// assert!(sink.push('a') && sink.push('é'));
/// // A character that does not fit is not written at all.
/// assert!(!sink.push('€'));
/// assert_eq!((sink.as_str(), sink.room()), ("aé", 1));
/// ```
pub struct Utf8Sink<'a> {
    room: Room<'a>,
}

/// The text in a buffer, out of reach of the code around it.
mod room {
    /// A lent buffer that begins with text. Outside of this module nothing can change the bytes of the text, and only
    /// `claim`, which is `unsafe`, makes it longer.
    pub(super) struct Room<'a> {
        bytes: &'a mut [u8],
        /// The first `len` bytes are well-formed UTF-8.
        len: usize,
    }

    impl<'a> Room<'a> {
        #[inline(always)]
        pub(super) fn new(bytes: &'a mut [u8]) -> Self {
            Room { bytes, len: 0 }
        }

        #[inline(always)]
        pub(super) fn len(&self) -> usize {
            self.len
        }

        /// Returns the bytes of the text.
        #[inline(always)]
        pub(super) fn text(&self) -> &[u8] {
            &self.bytes[..self.len]
        }

        /// Returns the bytes after the text, which may be overwritten with anything.
        #[inline(always)]
        pub(super) fn spare(&mut self) -> &mut [u8] {
            &mut self.bytes[self.len..]
        }

        /// Returns how many bytes there are after the text.
        #[inline(always)]
        pub(super) fn left(&self) -> usize {
            self.bytes.len() - self.len
        }

        /// Returns the address and the size of the buffer.
        pub(super) fn identity(&self) -> (*const u8, usize) {
            (self.bytes.as_ptr(), self.bytes.len())
        }

        /// Adds the first `len` bytes after the text to the text.
        ///
        /// # Safety
        /// They must be well-formed UTF-8.
        #[inline(always)]
        pub(super) unsafe fn claim(&mut self, len: usize) {
            // Tests and fuzzing check the claim. Each byte is checked once, which keeps them fast.
            debug_assert!(std::str::from_utf8(&self.bytes[self.len..][..len]).is_ok());
            self.len += len;
        }

        /// Removes the text after its first `len` bytes.
        ///
        /// # Panics
        /// If a character does not end there.
        pub(super) fn truncate(&mut self, len: usize) {
            assert!(len == self.len || (len < self.len && self.bytes[len] & 0xC0 != 0x80));
            self.len = len;
        }

        /// Returns the text.
        #[inline(always)]
        pub(super) fn as_str(&self) -> &str {
            // SAFETY: the text grows only by `claim`, whose callers guarantee well-formed UTF-8, and shrinks only by
            // `truncate`, to the end of a character; `spare` lends only the bytes after it. `cargo bench --bench codecs`
            // measures what skipping the check saves.
            unsafe { std::str::from_utf8_unchecked(self.text()) }
        }
    }
}

impl<'a> Utf8Sink<'a> {
    /// Makes an empty sink over `room`.
    pub fn new(room: &'a mut [u8]) -> Self {
        Utf8Sink { room: Room::new(room) }
    }

    /// Returns how many bytes were written.
    #[must_use]
    pub fn written(&self) -> usize {
        self.room.len()
    }

    /// Returns how many more bytes fit.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room.left()
    }

    /// Returns the address and the size of the buffer, which tell one sink from another.
    pub(crate) fn identity(&self) -> (*const u8, usize) {
        self.room.identity()
    }

    /// Returns the text that was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.room.as_str()
    }

    /// Returns the bytes of the text that was written.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.room.text()
    }

    /// Removes the text after its first `len` bytes.
    ///
    /// # Panics
    /// If a character does not end there.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.room.truncate(len);
    }

    /// Appends `ch`. Returns `false`, and writes nothing, if it does not fit.
    #[inline]
    pub fn push(&mut self, ch: char) -> bool {
        let spare = self.room.spare();
        let code = ch as u32;
        if code < 0x80 {
            match spare.first_mut() {
                Some(first) => *first = code as u8,
                None => return false,
            }
            // SAFETY: a byte below 0x80 is a character.
            unsafe { self.room.claim(1) };
            return true;
        }
        if spare.len() < ch.len_utf8() {
            return false;
        }
        let len = ch.encode_utf8(spare).len();
        // SAFETY: `encode_utf8` wrote a character to the front of the spare bytes.
        unsafe { self.room.claim(len) };
        true
    }

    /// Appends as many whole characters of `text` as fit; returns their length in bytes.
    pub fn push_str(&mut self, text: &str) -> usize {
        let mut fits = text.len().min(self.room());
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        self.room.spare()[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        // SAFETY: these are the bytes of a `str`, up to the boundary of a character.
        unsafe { self.room.claim(fits) };
        fits
    }

    /// Appends the bytes at the front of `src` that are ASCII and fit; returns how many.
    #[inline]
    pub fn push_ascii(&mut self, src: &[u8]) -> usize {
        let take = src.len().min(self.room());
        let blocks = ascii_blocks(&src[..take], self.room.spare());
        let ascii = src[blocks..take].iter().position(|b| *b >= 0x80).map_or(take, |rest| blocks + rest);
        self.room.spare()[blocks..ascii].copy_from_slice(&src[blocks..ascii]);
        // SAFETY: all of these bytes are below 0x80.
        unsafe { self.room.claim(ascii) };
        ascii
    }

    /// Appends as many whole characters of `src` as are well-formed UTF-8 and fit, in blocks; returns their length in
    /// bytes. The end of `src`, the end of the room or ill-formed bytes are within the next 72 bytes; the caller has to
    /// deal with those in another way.
    #[inline]
    pub fn push_utf8(&mut self, src: &[u8]) -> usize {
        let len = arch::utf8::copy(arch::isa(), src, self.room.spare());
        // SAFETY: the kernel copies whole, well-formed characters, and returns how many bytes these are.
        unsafe { self.room.claim(len) };
        len
    }

    /// Appends the characters of these code points, all or none. Returns `false` if one is not a character or there may
    /// not be room for all. For speed: sixteen at a time need no branch for each.
    #[inline(always)]
    pub fn push_block(&mut self, codes: &[u32; 16]) -> bool {
        let Some(window) = self.room.spare().first_chunk_mut::<68>() else { return false };
        if codes.iter().fold(0, |all, code| all | code) < 0x80 {
            for (place, code) in window.iter_mut().zip(codes) {
                *place = *code as u8;
            }
            // SAFETY: all sixteen are below 0x80.
            unsafe { self.room.claim(16) };
            return true;
        }
        // Two loops, because the compiler vectorizes the first one.
        let (mut words, mut lens) = ([0; 16], [0; 16]);
        let mut bad = false;
        for ((word, len), code) in words.iter_mut().zip(&mut lens).zip(codes) {
            bad |= (code ^ 0xD800).wrapping_sub(0x800) >= 0x10_F800;
            (*word, *len) = packed(*code);
        }
        if bad {
            return false;
        }
        let mut filled = 0;
        for (word, len) in words.iter().zip(lens) {
            // At most 15 × 4; the mask tells the compiler.
            let start = filled & 63;
            window[start..start + 4].copy_from_slice(&u32::to_le_bytes(*word));
            filled += len as usize;
        }
        // SAFETY: `bad` is false, so each code point is that of a `char`; `packed` returns its UTF-8 form and the length.
        unsafe { self.room.claim(filled) };
        true
    }

    /// Appends `table[byte]` for each byte of `src`, up to the first that has no character or does not fit; returns how
    /// many bytes were read. Stops early only with fewer than four bytes of room, or at a byte without a character.
    #[inline]
    pub(crate) fn push_table(&mut self, src: &[u8], table: &Utf8Table) -> usize {
        let out = self.room.spare();
        let (mut read, mut at) = arch::single_byte::decode(arch::isa(), table.lanes(), src, out);
        // Long runs of ASCII are copied if the table keeps ASCII. They are looked for after four blocks of ASCII, which
        // text with other characters rarely has: there the search would cost more than it saves.
        let (copies, table) = (table.keeps_ascii(), table.chars());
        let mut blocks = 0;
        // Blocks that fit in the worst case are checked for room, and for unassigned bytes, once and not per character.
        while let Some(block) = src[read..].first_chunk::<16>()
            && let Some(window) = out[at..].first_chunk_mut::<68>()
        {
            if blocks == 4 && copies {
                let len = ascii_blocks(&src[read..], &mut out[at..]);
                (read, at, blocks) = (read + len, at + len, 0);
                continue;
            }
            let mut filled = 0;
            for &byte in block {
                let entry = table[byte as usize];
                // At most 15 × 4; the mask tells the compiler.
                let start = filled & 63;
                window[start..start + 4].copy_from_slice(&entry.bytes());
                filled += entry.len();
            }
            if filled > 64 {
                break;
            }
            at += filled;
            read += 16;
            blocks = if filled == 16 { blocks + 1 } else { 0 };
        }
        while read < src.len() && out.len() - at >= 4 {
            let entry = table[src[read] as usize];
            if entry == Utf8Char::NONE {
                break;
            }
            out[at..at + 4].copy_from_slice(&entry.bytes());
            at += entry.len();
            read += 1;
        }
        // SAFETY: the kernel and the loops store characters of the table one after the other, and `Utf8Char::new` made
        // these from a `char`. A block with `NONE` in it, whose length exceeds that of sixteen characters, is not counted.
        unsafe { self.room.claim(at) };
        read
    }

    /// Appends `filled[byte]` for each byte of `src` as long as there are four bytes of room. `filled` is `table` with its
    /// gaps filled. Returns how many bytes were read, and how many of them had no character.
    pub(crate) fn push_filled(&mut self, src: &[u8], table: &Utf8Table, filled: &Utf8Filled) -> (usize, u64) {
        let (mut read, mut count) = (0, 0);
        loop {
            read += self.push_table(&src[read..], table);
            // From the first gap on, until a few blocks have none: gaps often come together.
            let mut whole = 0;
            while whole < 4
                && let Some(block) = src[read..].first_chunk::<16>()
                && let Some(window) = self.room.spare().first_chunk_mut::<68>()
            {
                let (len, gaps) = filled.store(block, window);
                // SAFETY: the table stores the UTF-8 forms of characters one after the other, and returns their length.
                unsafe { self.room.claim(len) };
                whole = if gaps == 0 { whole + 1 } else { 0 };
                (read, count) = (read + 16, count + gaps);
            }
            if whole < 4 {
                break;
            }
        }
        while let Some(byte) = src.get(read)
            && let Some(window) = self.room.spare().first_chunk_mut::<4>()
        {
            let (bytes, len, is_gap) = filled.get(*byte);
            *window = bytes;
            // SAFETY: the table returns the UTF-8 form of a character and its length, or nothing.
            unsafe { self.room.claim(len) };
            (read, count) = (read + 1, count + u64::from(is_gap));
        }
        (read, count)
    }

    /// Appends the character of `word`. Returns `false`, and writes nothing, if it is a note or fewer than four bytes of
    /// room are left.
    #[inline(always)]
    pub(crate) fn push_word(&mut self, word: Utf8Word) -> bool {
        let Some(window) = self.room.spare().first_chunk_mut::<4>() else { return false };
        if !word.is_char() {
            return false;
        }
        *window = word.bytes();
        // SAFETY: `is_char` is true only for the words that `Utf8Word::new` and `of_units` make, which hold the UTF-8 form
        // of a character and its length.
        unsafe { self.room.claim(word.len()) };
        true
    }

    /// Appends the characters that `fill` pushes, in less time than one by one. Returns `None` with too little room.
    #[inline(always)]
    pub(crate) fn push_short<T>(&mut self, fill: impl FnOnce(&mut ShortText<'_>) -> T) -> Option<T> {
        let mut text = ShortText { bytes: self.room.spare().first_chunk_mut()?, len: 0 };
        let result = fill(&mut text);
        let len = text.len;
        // SAFETY: each of the words that were pushed is a character, as in `push_word`, and they are stored one after the
        // other.
        unsafe { self.room.claim(len) };
        Some(result)
    }

    /// Appends the characters that `next` returns, until it returns a note or fewer than 68 bytes of room are left.
    #[inline(always)]
    pub(crate) fn push_words(&mut self, mut next: impl FnMut() -> Utf8Word) {
        loop {
            let Some(window) = self.room.spare().first_chunk_mut::<68>() else { return };
            let (mut filled, mut is_over) = (0, false);
            for _ in 0..16 {
                let word = next();
                if !word.is_char() {
                    is_over = true;
                    break;
                }
                // At most 15 × 3; the mask tells the compiler.
                let start = filled & 63;
                window[start..start + 4].copy_from_slice(&word.bytes());
                filled += word.len();
            }
            // SAFETY: each of these words is a character, as in `push_word`, and they are stored one after the other.
            unsafe { self.room.claim(filled) };
            if is_over {
                return;
            }
        }
    }

    /// Appends the characters at `places` of `batch`, up to a note; returns how many. Stops early only there or with fewer
    /// than [`BATCH_ROOM`] bytes of room.
    #[inline]
    pub(crate) fn push_batch(&mut self, batch: &Utf8Batch, places: Range<usize>) -> usize {
        let (read, written) = arch::lanes::text(arch::isa(), batch.lanes(places), self.room.spare());
        // SAFETY: the kernel stores lanes of one to three bytes, which are characters, as in `push_word`. An empty place
        // of the batch has no bytes, and stops the kernel.
        unsafe { self.room.claim(written) };
        read
    }

    /// Appends what `fill` writes to the front of a `str` of at most `most` bytes; `fill` returns how many bytes that was.
    /// For decoders that write into text. A length that ends within a character counts as 0.
    pub fn fill_str<T>(&mut self, most: usize, fill: impl FnOnce(&mut str) -> (T, usize)) -> T {
        let most = most.min(self.room());
        let spare = &mut self.room.spare()[..most];
        spare.fill(0);
        // SAFETY: zeros are UTF-8.
        let text = unsafe { std::str::from_utf8_unchecked_mut(spare) };
        let (result, len) = fill(text);
        if text.is_char_boundary(len) {
            // SAFETY: a `str` is UTF-8 whatever was done to it, and so is the part before a boundary.
            unsafe { self.room.claim(len) };
        }
        result
    }

    /// Decodes UTF-16 from the front of `src` and appends it; returns how many bytes were read. It goes in blocks, so a
    /// lone surrogate, the end of `src` or the end of the room may be some way off.
    #[inline]
    pub fn push_utf16(&mut self, order: ByteOrder, src: &[u8]) -> usize {
        let (read, written) = utf16::to_utf8(arch::isa(), order, src, self.room.spare());
        // SAFETY: the kernel writes whole characters in UTF-8, and returns how many bytes these are.
        unsafe { self.room.claim(written) };
        read
    }

    /// Decodes UTF-32 from the front of `src` and appends it; returns how many bytes were read. It goes in blocks, so a
    /// code unit that is not a character, the end of `src` or the end of the room may be some way off.
    #[inline]
    pub fn push_utf32(&mut self, order: OctetOrder, src: &[u8]) -> usize {
        let (read, written) = utf32::to_utf8(arch::isa(), order, src, self.room.spare());
        // SAFETY: the kernel writes whole characters in UTF-8, and returns how many bytes these are.
        unsafe { self.room.claim(written) };
        read
    }
}

/// A short text that is written at once: see [`Utf8Sink::push_short`].
pub(crate) struct ShortText<'a> {
    bytes: &'a mut [u8; SHORT_ROOM],
    /// Of whole characters.
    len: usize,
}

impl ShortText<'_> {
    /// Appends the character of `word`. Returns `false`, and writes nothing, if it is a note or if it may not fit.
    #[inline(always)]
    pub(crate) fn push(&mut self, word: Utf8Word) -> bool {
        let fits = word.is_char() && self.len <= SHORT_ROOM - 4;
        if fits {
            self.bytes[self.len..self.len + 4].copy_from_slice(&word.bytes());
            self.len += word.len();
        }
        fits
    }
}

/// Copies ASCII from the front of `src` to the front of `out` in blocks; returns how much. Something else, or the end of
/// either slice, is within a block after it.
#[inline(always)]
pub(super) fn ascii_blocks(src: &[u8], out: &mut [u8]) -> usize {
    let mut len = 0;
    while let Some(block) = src[len..].first_chunk::<64>()
        && block.iter().fold(0, |all, byte| all | byte) < 0x80
        && let Some(window) = out[len..].first_chunk_mut::<64>()
    {
        *window = *block;
        len += 64;
    }
    len
}

/// Returns `src` as text if it is well-formed, as [`std::str::from_utf8`] does. Faster for short texts.
#[inline]
pub(crate) fn short_text(src: &[u8]) -> Option<&str> {
    if !arch::utf8::is_valid(arch::isa(), src) {
        return None;
    }
    debug_assert!(std::str::from_utf8(src).is_ok());
    // SAFETY: the kernel has found that it is well-formed.
    Some(unsafe { std::str::from_utf8_unchecked(src) })
}

/// A buffer that owns its text: what a [`Utf8Sink`] over it wrote last.
pub(crate) struct Utf8Buf {
    /// No larger than what was asked for: many runs need no buffer, and short ones a small one.
    room: PageBuffer,
    most: usize,
    len: usize,
}

impl Utf8Buf {
    /// Makes an empty buffer that grows to at most `most` bytes.
    pub(crate) fn new(most: usize) -> Self {
        Utf8Buf { room: PageBuffer::default(), most, len: 0 }
    }

    /// Empties the buffer and lends it to `fill`: `wanted` bytes or more, if it may grow so large.
    pub(crate) fn fill<T>(&mut self, wanted: usize, fill: impl FnOnce(&mut Utf8Sink<'_>) -> T) -> T {
        // If `fill` panics, nothing that it left is claimed.
        self.len = 0;
        let wanted = wanted.min(self.most);
        if self.room.len() < wanted {
            // Either a small buffer or one of full size, so that it does not grow step by step.
            let size = if wanted <= self.most / 16 { wanted.max(SHORT_ROOM) } else { self.most };
            self.room = PageBuffer::for_text(size);
        }
        let mut sink = Utf8Sink::new(&mut self.room);
        let lent = sink.identity();
        let result = fill(&mut sink);
        // Safe code can replace the sink with another one, whose length says nothing about this buffer.
        self.len = if sink.identity() == lent { sink.written() } else { 0 };
        result
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        // SAFETY: `len` is the length of the text of a `Utf8Sink` over this very buffer, and nothing else writes to it.
        unsafe { std::str::from_utf8_unchecked(&self.room[..self.len]) }
    }
}

/// The front of some bytes that is text, because it was decoded to the very same bytes.
///
/// The text is lent from the bytes without a second check, which for 64 KiB would take longer than decoding them did.
pub(crate) struct SameText<'a> {
    bytes: &'a [u8],
    /// The first `len` bytes are a sequence of whole `str`.
    len: usize,
}

impl<'a> SameText<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        SameText { bytes, len: 0 }
    }

    /// Adds `text`. Returns `false`, and adds nothing, if other bytes follow the text so far.
    pub(crate) fn push(&mut self, text: &str) -> bool {
        let is_same = self.bytes[self.len..].starts_with(text.as_bytes());
        self.len += if is_same { text.len() } else { 0 };
        is_same
    }

    /// Whether the text is all of the bytes.
    pub(crate) fn is_all(&self) -> bool {
        self.len == self.bytes.len()
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &'a str {
        // SAFETY: `push` compared these bytes with one `str` after the other, and the bytes cannot change while they are
        // borrowed.
        unsafe { std::str::from_utf8_unchecked(&self.bytes[..self.len]) }
    }
}

/// A lent buffer for encoded bytes.
///
/// ```
/// let mut room = [0; 3];
/// let mut sink = charpipe::codec::ByteSink::new(&mut room);
/// assert!(sink.push(b"ab"));
/// assert!(!sink.push(b"cd"));
/// assert_eq!((sink.as_bytes(), sink.room()), (&b"ab"[..], 1));
/// ```
pub struct ByteSink<'a> {
    room: &'a mut [u8],
    written: usize,
}

impl<'a> ByteSink<'a> {
    /// Makes an empty sink over `room`.
    pub fn new(room: &'a mut [u8]) -> Self {
        ByteSink { room, written: 0 }
    }

    /// Returns how many bytes were written.
    #[must_use]
    pub fn written(&self) -> usize {
        self.written
    }

    /// Returns how many more bytes fit.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room.len() - self.written
    }

    /// Returns the address and the size of the buffer, which tell one sink from another.
    pub(crate) fn identity(&self) -> (*const u8, usize) {
        (self.room.as_ptr(), self.room.len())
    }

    /// Returns the bytes that were written.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.room[..self.written]
    }

    /// Returns the bytes that were written, to change them in place (a newline convention swaps two values).
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.room[..self.written]
    }

    /// Appends `bytes`. Returns `false`, and writes nothing, if they do not all fit.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> bool {
        match self.room[self.written..].get_mut(..bytes.len()) {
            Some(spare) => spare.copy_from_slice(bytes),
            None => return false,
        }
        self.written += bytes.len();
        true
    }

    /// Appends what `fill` writes to the front of the room; `fill` returns how many bytes that was. A number larger
    /// than the room counts as the whole room.
    #[inline]
    pub fn fill(&mut self, fill: impl FnOnce(&mut [u8]) -> usize) {
        let spare = &mut self.room[self.written..];
        let len = fill(spare).min(spare.len());
        self.written += len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_the_same_is_lent() {
        let bytes = "aé€ÿ".as_bytes();
        let mut same = SameText::new(bytes);
        assert!(same.push("a") && same.push("") && same.push("é€") && !same.is_all());
        assert!(!same.push("b") && !same.push("ÿÿ"), "other text, and too much of it");
        assert_eq!(same.as_str(), "aé€");
        assert!(same.push("ÿ") && same.is_all());
        assert!(!SameText::new(b"\xC3").push("Ã"));
    }

    #[test]
    fn nothing_is_split() {
        let mut room = [0; 5];
        let mut sink = Utf8Sink::new(&mut room);
        assert_eq!(sink.push_str("aé€x"), 3);
        assert!(!sink.push('€'));
        assert!(sink.push('é'));
        assert!(!sink.push('x'));
        assert_eq!(sink.as_str(), "aéé");
    }

    /// A little of each kind, for Miri, which is too slow for all of it.
    #[test]
    fn a_few() {
        let latin = Utf8Table::new(std::array::from_fn(|byte| Utf8Char::new(char::from(byte as u8))));
        let src: Vec<u8> = (0..=255).cycle().take(400).collect();
        let text: String = src.iter().map(|byte| char::from(*byte)).collect();
        for room in [0, 3, 64, 100, 300, 1000] {
            let mut room = vec![0; room];
            let mut sink = Utf8Sink::new(&mut room);
            let read = sink.push_table(&src, &latin);
            sink.push_str(&text[sink.written()..]);
            assert!(read <= src.len() && text.starts_with(sink.as_str()));
            sink.push_utf8("aé€😀".repeat(40).as_bytes());
            sink.push_short(|text| (0..100).take_while(|_| text.push(Utf8Word::new('€').unwrap())).count());
            sink.push_words(|| Utf8Word::new('€').unwrap());
            sink.push_block(&[0x20AC; 16]);
            let mut batch = Utf8Batch::new();
            (0..Utf8Batch::LEN).for_each(|at| batch.set(at, Utf8Word::new('é').unwrap()));
            sink.push_batch(&batch, 0..Utf8Batch::LEN);
            sink.fill_str(10, |room| {
                let end = room.len();
                ((), end)
            });
            assert!(!sink.as_str().is_empty() || sink.room() == 0);
        }
    }

    /// Long runs of ASCII are copied if the table keeps ASCII.
    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn runs_of_ascii_come_out_as_the_table_says() {
        let latin = std::array::from_fn(|byte| Utf8Char::new(char::from(byte as u8)));
        let mut strange = latin;
        strange[usize::from(b'e')] = Utf8Char::new('€');
        for table in [latin, strange] {
            for gap in [1, 15, 63, 64, 65, 129, 700, 5000] {
                let src: Vec<u8> =
                    (0..2000usize).map(|n| if n % gap == gap - 1 { 0xE9 } else { b'a' + n as u8 % 26 }).collect();
                let char_of = |byte: u8| if byte == b'e' && table == strange { '€' } else { char::from(byte) };
                let expected: String = src.iter().map(|byte| char_of(*byte)).collect();
                for room in [3000, 600, 70] {
                    let (mut text, mut read) = (String::new(), 0);
                    let mut room = vec![0; room];
                    while read < src.len() {
                        let mut sink = Utf8Sink::new(&mut room);
                        read += sink.push_table(&src[read..], &Utf8Table::new(table));
                        text.push_str(sink.as_str());
                    }
                    assert!(text == expected, "{gap}");
                }
            }
        }
    }

    /// What a codec can try with safe code: lengths that are not a boundary, a panic in the middle, another sink instead
    /// of the one that was lent, or the same one taken out and put back.
    #[test]
    fn nothing_that_is_answered_is_believed() {
        let mut room = [0xFF; 100];
        let mut sink = Utf8Sink::new(&mut room);
        assert!(sink.push('é'));
        for len in [99, 100, usize::MAX] {
            sink.fill_str(usize::MAX, |_| ((), len));
            assert_eq!(sink.as_str(), "é", "{len}");
        }
        let panics = std::panic::AssertUnwindSafe(|| sink.fill_str::<()>(6, |_| panic!("as asked")));
        assert!(std::panic::catch_unwind(panics).is_err());
        let panics = std::panic::AssertUnwindSafe(|| sink.push_words(|| panic!("as asked")));
        assert!(std::panic::catch_unwind(panics).is_err());
        assert_eq!(sink.as_str(), "é");

        let mut text = Utf8Buf::new(200);
        let other = Box::into_raw(vec![b'x'; 100].into_boxed_slice());
        text.fill(100, |sink| {
            // SAFETY: it is freed below, after its last use, so that Miri finds no leak.
            *sink = Utf8Sink::new(unsafe { &mut *other });
            sink.push_str("nothing of yours");
        });
        // SAFETY: it is from `Box::into_raw`.
        drop(unsafe { Box::from_raw(other) });
        assert_eq!(text.as_str(), "");
        text.fill(100, |sink| {
            let mut lent = std::mem::replace(sink, Utf8Sink::new(&mut []));
            lent.push('é');
            *sink = lent;
        });
        assert_eq!(text.as_str(), "é");
        let panics = std::panic::AssertUnwindSafe(|| {
            text.fill(100, |sink| {
                sink.push('a');
                panic!("as asked")
            })
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        assert_eq!(text.as_str(), "");
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn a_batch_is_pushed_up_to_a_note() {
        let text: Vec<char> = "aé€".repeat(100).chars().collect();
        for room in (0..600).step_by(7) {
            for (start, end) in [0, 1, 15, 16, 17, 40, 255, 256].into_iter().flat_map(|end| [(0, end), (end / 3, end)])
            {
                let mut batch = Utf8Batch::new();
                for (at, ch) in text.iter().enumerate().take(end) {
                    batch.set(at, Utf8Word::new(*ch).unwrap());
                }
                batch.set(end, if end < 256 { Utf8Word::note(0, 0) } else { Utf8Word::new('a').unwrap() });
                let mut bytes = vec![0; room];
                let mut sink = Utf8Sink::new(&mut bytes);
                let pushed = start + sink.push_batch(&batch, start..256);
                assert!(pushed == end || sink.room() < BATCH_ROOM);
                assert!(pushed <= end && sink.as_str() == text[start..pushed].iter().collect::<String>());
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn words_are_pushed_up_to_a_note() {
        let text = "aé€".repeat(40);
        for room in 0..300 {
            for end in [0, 1, 15, 16, 17, 40, 120] {
                let mut chars = text.chars().take(end);
                let mut bytes = vec![0; room];
                let mut sink = Utf8Sink::new(&mut bytes);
                sink.push_words(|| chars.next().and_then(Utf8Word::new).unwrap_or(Utf8Word::note(0, 0)));
                let written = sink.as_str();
                assert!(text.starts_with(written));
                assert!(written.chars().count() == end || room - written.len() < 68);
            }
        }
    }

    #[test]
    fn a_table_stops_at_its_holes_and_at_the_end_of_the_room() {
        let mut table = [Utf8Char::NONE; 256];
        table[1] = Utf8Char::new('€');
        table[2] = Utf8Char::new('a');
        table[3] = Utf8Char::new('😀');
        let table = Utf8Table::new(table);
        for hole in 0..40 {
            let mut src = vec![1u8; 40];
            src[hole / 2] = 3;
            src[hole] = 0;
            let mut room = vec![0; 200];
            let mut sink = Utf8Sink::new(&mut room);
            assert_eq!(sink.push_table(&src, &table), src.iter().position(|b| *b == 0).unwrap());
            assert_eq!(sink.as_str().chars().count(), hole);
        }
        for room in 0..120 {
            let src = [1, 2, 3].repeat(12);
            let mut bytes = vec![0; room];
            let mut sink = Utf8Sink::new(&mut bytes);
            let read = sink.push_table(&src, &table);
            assert_eq!(sink.as_str().chars().count(), read);
            assert!(read == src.len() || sink.room() < 4);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn a_block_is_all_or_nothing() {
        let mut room = [0; 68];
        for first in (0..0x11_0100).step_by(16) {
            let codes = std::array::from_fn(|index| first + index as u32);
            let text: Option<String> = codes.iter().map(|code| char::from_u32(*code)).collect();
            let mut sink = Utf8Sink::new(&mut room);
            assert_eq!(sink.push_block(&codes), text.is_some());
            assert_eq!(sink.as_str(), text.unwrap_or_default());
            assert!(!Utf8Sink::new(&mut [0; 67]).push_block(&codes));
        }
        // Not in step with the blocks of the code space, so that every length meets every other.
        let mixed = ['a', 'é', '€', '😀', '\u{7F}', '\u{80}', '\u{7FF}', '\u{800}', '\u{FFFF}', '\u{10000}'];
        let codes: [u32; 16] = std::array::from_fn(|index| mixed[index % mixed.len()].into());
        let mut sink = Utf8Sink::new(&mut room);
        assert!(sink.push_block(&codes));
        assert_eq!(sink.as_str(), (0..16).map(|index| mixed[index % mixed.len()]).collect::<String>());
    }
}
