//! Where decoders put text and encoders put bytes: room that is lent out and counted here, so that a codec cannot
//! report it wrongly.
//!
//! [`Utf8Sink`] is the only code in charpipe that claims bytes are UTF-8. Everything that goes into it is a `char`, a
//! `str`, or a [`Utf8Char`] made from a `char`, so a codec written in safe code cannot break the claim. Vector kernels
//! will come in through [`Utf8Sink::advance`], the one door that has to be sworn to.
#![allow(unsafe_code)] // One claim, in `as_str`, its owned twin and `fill_str`, and the door for kernels, `advance`.

/// One character as ready UTF-8: what a code page's table holds for each byte.
///
/// A table of these is decoded with one load and one four-byte store a character, whatever the script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(8))]
pub struct Utf8Char {
    bytes: [u8; 4],
    len: u8,
}

impl Utf8Char {
    /// No character: the byte is unassigned.
    pub const NONE: Utf8Char = Utf8Char { bytes: [0; 4], len: 0 };

    /// The UTF-8 form of `ch`.
    pub fn new(ch: char) -> Self {
        let mut bytes = [0; 4];
        let len = ch.encode_utf8(&mut bytes).len() as u8;
        Utf8Char { bytes, len }
    }
}

/// Lent room for text; holds valid UTF-8 up to what was written.
///
/// Bytes in the room beyond what was written may be scribbled on: that is what lets a store be wider than the
/// character.
pub struct Utf8Sink<'a> {
    room: &'a mut [u8],
    written: usize,
}

impl<'a> Utf8Sink<'a> {
    /// A sink over `room`, empty.
    pub fn new(room: &'a mut [u8]) -> Self {
        Utf8Sink { room, written: 0 }
    }

    /// Bytes written so far.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Bytes that can still be written.
    pub fn room(&self) -> usize {
        self.room.len() - self.written
    }

    /// Which room this is a sink over.
    pub(crate) fn identity(&self) -> (*const u8, usize) {
        (self.room.as_ptr(), self.room.len())
    }

    /// The text written so far.
    pub fn as_str(&self) -> &str {
        let text = &self.room[..self.written];
        // The checked twin, on wherever tests and fuzzing run.
        debug_assert!(std::str::from_utf8(text).is_ok());
        // SAFETY: `written` grows only in `push`, `push_str`, `push_ascii`, `push_table`, `fill_str` and `advance`, each
        // by the length of whole UTF-8 sequences stored at `written`; nothing else writes below `written`. That it is worth
        // a promise `cargo bench --bench codecs` measures.
        unsafe { std::str::from_utf8_unchecked(text) }
    }

    /// Appends `ch`; `false`, and nothing written, where it does not fit.
    #[inline]
    pub fn push(&mut self, ch: char) -> bool {
        let spare = &mut self.room[self.written..];
        let code = ch as u32;
        if code < 0x80 {
            match spare.first_mut() {
                Some(first) => *first = code as u8,
                None => return false,
            }
            self.written += 1;
            return true;
        }
        if spare.len() < ch.len_utf8() {
            return false;
        }
        self.written += ch.encode_utf8(spare).len();
        true
    }

    /// Appends as many whole characters of `text` as fit; answers their length in bytes.
    pub fn push_str(&mut self, text: &str) -> usize {
        let mut fits = text.len().min(self.room());
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        self.room[self.written..self.written + fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.written += fits;
        fits
    }

    /// Appends the leading bytes of `src` that are ASCII and fit; answers how many.
    #[inline]
    pub fn push_ascii(&mut self, src: &[u8]) -> usize {
        let take = src.len().min(self.room());
        let ascii = src[..take].iter().position(|b| *b >= 0x80).unwrap_or(take);
        self.room[self.written..self.written + ascii].copy_from_slice(&src[..ascii]);
        self.written += ascii;
        ascii
    }

    /// Appends `table[byte]` for each byte of `src`, up to the first that has no character or no room; answers how
    /// many bytes were taken. Stops early only with fewer than four bytes of room, or at a byte without a character.
    #[inline]
    pub fn push_table(&mut self, src: &[u8], table: &[Utf8Char; 256]) -> usize {
        let out = &mut *self.room;
        let mut at = self.written;
        let mut read = 0;
        // Blocks whose worst case fits need one check of the room, not one a character.
        while src.len() - read >= 16 && out.len() - at >= 64 {
            let window: &mut [u8; 64] = (&mut out[at..at + 64]).try_into().expect("64 bytes");
            let mut filled = 0;
            let mut taken = 0;
            for &byte in &src[read..read + 16] {
                let entry = table[byte as usize];
                // `filled` is at most 15 × 4 here; the mask tells the compiler.
                let start = filled & 63;
                if start > 60 {
                    break;
                }
                window[start..start + 4].copy_from_slice(&entry.bytes);
                filled += entry.len as usize;
                if entry.len == 0 {
                    self.written = at + filled;
                    return read + taken;
                }
                taken += 1;
            }
            at += filled;
            read += taken;
        }
        while read < src.len() && out.len() - at >= 4 {
            let entry = table[src[read] as usize];
            if entry.len == 0 {
                break;
            }
            out[at..at + 4].copy_from_slice(&entry.bytes);
            at += entry.len as usize;
            read += 1;
        }
        self.written = at;
        read
    }

    /// Appends what `fill` puts at the beginning of a `str` of up to `most` bytes of the room, `fill` answering how many
    /// bytes that was: the door for decoders that write into text. An answer within a character counts as nothing.
    pub fn fill_str<T>(&mut self, most: usize, fill: impl FnOnce(&mut str) -> (T, usize)) -> T {
        let most = most.min(self.room());
        let spare = &mut self.room[self.written..self.written + most];
        spare.fill(0);
        // SAFETY: zeros are UTF-8.
        let text = unsafe { std::str::from_utf8_unchecked_mut(spare) };
        let (answer, len) = fill(text);
        // A `str` is UTF-8 whoever had it; cut at a boundary both halves are.
        if text.is_char_boundary(len) {
            self.written += len;
        }
        answer
    }

    /// The room not yet written, to be filled by a kernel and claimed with [`advance`](Self::advance).
    pub fn spare(&mut self) -> &mut [u8] {
        &mut self.room[self.written..]
    }

    /// Claims the first `len` bytes of [`spare`](Self::spare) as text.
    ///
    /// # Safety
    /// Those bytes must be whole, well-formed UTF-8 sequences.
    ///
    /// # Panics
    /// Where `len` is more than [`room`](Self::room).
    pub unsafe fn advance(&mut self, len: usize) {
        assert!(len <= self.room());
        debug_assert!(std::str::from_utf8(&self.room[self.written..self.written + len]).is_ok());
        self.written += len;
    }
}

/// Room for text with the text in it: what a [`Utf8Sink`] over it wrote last.
pub(crate) struct Utf8Buf {
    room: Box<[u8]>,
    len: usize,
}

impl Utf8Buf {
    /// Empty, with so many bytes of room.
    pub(crate) fn new(room: usize) -> Self {
        Utf8Buf { room: vec![0; room].into(), len: 0 }
    }

    /// Lends the room, empty, to `fill`.
    pub(crate) fn fill<T>(&mut self, fill: impl FnOnce(&mut Utf8Sink<'_>) -> T) -> T {
        let mut sink = Utf8Sink::new(&mut self.room);
        let lent = sink.identity();
        let answer = fill(&mut sink);
        // Safe code can put another sink into the place of this one; what that one counts says nothing of this room.
        self.len = if sink.identity() == lent { sink.written } else { 0 };
        answer
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        let text = &self.room[..self.len];
        debug_assert!(std::str::from_utf8(text).is_ok());
        // SAFETY: `len` is what a `Utf8Sink` over this very room counted, and nothing else writes there.
        unsafe { std::str::from_utf8_unchecked(text) }
    }
}

/// Lent room for encoded bytes.
pub struct ByteSink<'a> {
    room: &'a mut [u8],
    written: usize,
}

impl<'a> ByteSink<'a> {
    /// A sink over `room`, empty.
    pub fn new(room: &'a mut [u8]) -> Self {
        ByteSink { room, written: 0 }
    }

    /// Bytes written so far.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Bytes that can still be written.
    pub fn room(&self) -> usize {
        self.room.len() - self.written
    }

    /// Which room this is a sink over.
    pub(crate) fn identity(&self) -> (*const u8, usize) {
        (self.room.as_ptr(), self.room.len())
    }

    /// The bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.room[..self.written]
    }

    /// The bytes written so far, to be changed in place (a newline surface swaps two of them).
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.room[..self.written]
    }

    /// Appends `bytes`; `false`, and nothing written, where they do not all fit.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> bool {
        match self.room[self.written..].get_mut(..bytes.len()) {
            Some(spare) => spare.copy_from_slice(bytes),
            None => return false,
        }
        self.written += bytes.len();
        true
    }

    /// Appends what `fill` puts into the room, `fill` answering how many bytes that was (more than the room counts as
    /// all of it).
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
    fn nothing_is_split() {
        let mut room = [0; 5];
        let mut sink = Utf8Sink::new(&mut room);
        assert_eq!(sink.push_str("aé€x"), 3);
        assert!(!sink.push('€'));
        assert!(sink.push('é'));
        assert!(!sink.push('x'));
        assert_eq!(sink.as_str(), "aéé");
    }

    #[test]
    fn a_table_stops_at_its_holes_and_at_the_end_of_the_room() {
        let mut table = [Utf8Char::NONE; 256];
        table[1] = Utf8Char::new('€');
        table[2] = Utf8Char::new('a');
        table[3] = Utf8Char::new('😀');
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
}
