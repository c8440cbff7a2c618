//! Where decoders put text and encoders put bytes: room that is lent out and counted here, so that a codec cannot
//! report it wrongly.
//!
//! [`Utf8Sink`] is the only code in charpipe that claims bytes are UTF-8. Everything that goes into it is a `char`, a
//! `str`, a `Utf8Char` made from a `char`, or checked here or by a kernel of `arch` that is called here, so a codec
//! written in safe code cannot break the claim. Nothing but `Room::claim` makes the text longer, and it is `unsafe`:
//! each caller says, on the spot, why what it stored is UTF-8.
//!
//! What a table of characters is made of is out of reach of other crates: a character there is four bytes and their
//! number, which somebody else could choose.
//!
//! ```compile_fail,E0603
//! use charpipe::codec::Utf8Word;
//! ```
//! ```compile_fail,E0603
//! use charpipe::codec::sink::{Utf8Batch, Utf8Char, Utf8Table};
//! ```
//! ```compile_fail,E0624
//! #![forbid(unsafe_code)]
//! let mut room = [0; 8];
//! let mut sink = charpipe::codec::Utf8Sink::new(&mut room);
//! sink.push_words(|| panic!());
//! ```
#![allow(unsafe_code)] // The claims, and what is made of them: `as_str`, its owned twin and `fill_str`.

use crate::arch::types::{ByteOrder, OctetOrder, ToUtf8};
use crate::arch::{self, utf16, utf32};
use room::Room;

/// One character as ready UTF-8: what a code page's table holds for each byte.
///
/// A table of these is decoded with one load and one four-byte store a character, whatever the script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Utf8Char(
    /// The bytes, from the low octet on; above them, from bit 32 on, their number. One word: one load.
    u64,
);

impl Utf8Char {
    /// No character: the byte is unassigned. Longer than all characters of a block together, so that one comparison
    /// finds it among them.
    pub(crate) const NONE: Utf8Char = Utf8Char(128 << 32);

    /// The UTF-8 form of `ch`.
    pub(crate) fn new(ch: char) -> Self {
        let (bytes, len) = packed(ch.into());
        Utf8Char(u64::from(len) << 32 | u64::from(bytes))
    }

    #[inline(always)]
    fn bytes(self) -> [u8; 4] {
        (self.0 as u32).to_le_bytes()
    }

    #[inline(always)]
    fn len(self) -> usize {
        (self.0 >> 32) as usize
    }
}

/// The character of each byte of a single-byte charset, or none.
#[derive(Clone, Debug)]
pub(crate) struct Utf8Table {
    chars: [Utf8Char; 256],
    /// Whether it has ASCII as it is.
    keeps_ascii: bool,
    /// The same for kernels.
    lanes: ToUtf8,
}

impl Utf8Table {
    /// The table with these characters; [`Utf8Char::NONE`] for a byte that is unassigned.
    pub(crate) fn new(chars: [Utf8Char; 256]) -> Self {
        let mut utf8 = [[0; 4]; 256];
        utf8.iter_mut().zip(&chars).for_each(|(utf8, ch)| *utf8 = ch.bytes());
        // NONE is longer than any character.
        let lanes = ToUtf8::new(|byte| {
            let byte = usize::from(byte);
            utf8[byte].get(..chars[byte].len()).unwrap_or_default()
        });
        let keeps_ascii = (0u8..0x80).zip(&chars).all(|(byte, entry)| *entry == Utf8Char::new(byte.into()));
        Utf8Table { chars, keeps_ascii, lanes }
    }

    /// Whether `byte` has a character.
    #[inline(always)]
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.chars[byte as usize] != Utf8Char::NONE
    }
}

/// A character of the Basic Multilingual Plane as ready UTF-8, or a note in its place: what a multi-byte table holds, in
/// half of what a [`Utf8Char`] takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Utf8Word(
    /// In the low 24 bits the bytes, from the low octet on, above them their number; or a note, and above it its kind,
    /// from 4 on.
    u32,
);

impl Utf8Word {
    /// The UTF-8 form of `ch`, where it has three bytes at the most.
    pub(crate) fn new(ch: char) -> Option<Self> {
        let (bytes, len) = packed(ch.into());
        (len <= 3).then_some(Utf8Word(len << 24 | bytes))
    }

    /// The characters of these code units, sixty-four at a time for speed; `none` for surrogates, and for FFFF, which is
    /// no character.
    pub(crate) fn of_units(units: &[u16; 64], none: Utf8Word) -> [Utf8Word; 64] {
        units.map(|unit| {
            let (bytes, len) = packed(unit.into());
            let is_char = unit != 0xFFFF && unit & 0xF800 != 0xD800;
            if is_char { Utf8Word(len << 24 | bytes) } else { none }
        })
    }

    /// A note: whatever the table's owner means by it. Of `value` the low 24 bits count.
    ///
    /// # Panics
    /// If `kind` is above 251: with the offset of 4 it would not fit into eight bits, and what is left would pass for
    /// the length of a character.
    pub(crate) const fn note(kind: u8, value: u32) -> Self {
        assert!(kind < 252, "a note of a kind above 251");
        Utf8Word((kind as u32 + 4) << 24 | value & 0xFF_FFFF)
    }

    /// The kind and the value of a note; `None` for a character.
    #[inline(always)]
    pub(crate) fn as_note(self) -> Option<(u8, u32)> {
        let kind = ((self.0 >> 24) as u8).checked_sub(4)?;
        Some((kind, self.0 & 0xFF_FFFF))
    }

    /// The character by itself; none for a note.
    pub(crate) fn to_char(self) -> Utf8Char {
        let len = u64::from(self.0 >> 24);
        if self.is_char() { Utf8Char(len << 32 | u64::from(self.0 & 0xFF_FFFF)) } else { Utf8Char::NONE }
    }

    /// Whether it is a character.
    #[inline(always)]
    pub(crate) fn is_char(self) -> bool {
        self.len() <= 3
    }

    #[inline(always)]
    fn len(self) -> usize {
        (self.0 >> 24) as usize
    }
}

/// Words that were looked up without waiting for each other, for [`Utf8Sink::push_batch`].
pub(crate) struct Utf8Batch {
    words: [u32; Self::LEN],
}

impl Utf8Batch {
    /// How many it holds.
    pub(crate) const LEN: usize = 256;

    /// Characters nowhere.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Utf8Batch { words: [0; Self::LEN] }
    }

    /// Puts `word` at that place, of which the low eight bits count.
    #[inline(always)]
    pub(crate) fn set(&mut self, at: usize, word: Utf8Word) {
        self.words[at % Self::LEN] = word.0;
    }
}

impl Default for Utf8Batch {
    fn default() -> Self {
        Self::new()
    }
}

/// The character `code` in UTF-8, from the low octet of the word on, and its length; without a branch.
#[inline(always)]
fn packed(code: u32) -> (u32, u32) {
    let (last, third, second, first) = (code & 0x3F, code >> 6 & 0x3F, code >> 12 & 0x3F, code >> 18);
    let two = 0x80C0 | code >> 6 | last << 8;
    let three = 0x80_80E0 | code >> 12 | third << 8 | last << 16;
    let four = 0x8080_80F0 | first | second << 8 | third << 16 | last << 24;
    let short = if code < 0x80 { code } else { two };
    let long = if code < 0x1_0000 { three } else { four };
    let len = 1 + u32::from(code >= 0x80) + u32::from(code >= 0x800) + u32::from(code >= 0x1_0000);
    (if code < 0x800 { short } else { long }, len)
}

/// Copies ASCII from the front of `src` to the front of `out` in blocks; answers how much. After it lies, within a
/// block, something else or the end of either.
#[inline(always)]
fn ascii_blocks(src: &[u8], out: &mut [u8]) -> usize {
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

/// Lent room for text; holds valid UTF-8 up to what was written.
///
/// Bytes in the room beyond what was written may be scribbled on: that is what lets a store be wider than the
/// character.
///
/// ```
/// let mut room = [0; 4];
/// let mut sink = charpipe::codec::Utf8Sink::new(&mut room);
/// assert!(sink.push('a') && sink.push('é'));
/// // What does not fit whole is not written at all.
/// assert!(!sink.push('€'));
/// assert_eq!((sink.as_str(), sink.room()), ("aé", 1));
/// ```
pub struct Utf8Sink<'a> {
    room: Room<'a>,
}

/// The text in a room, out of reach of the code around it.
mod room {
    /// Lent room, the front of which holds text. Outside of this module nothing can change the bytes of the text, and
    /// only `claim`, which is `unsafe`, makes it longer.
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

        /// The bytes of the text.
        #[inline(always)]
        pub(super) fn text(&self) -> &[u8] {
            &self.bytes[..self.len]
        }

        /// The bytes after the text, which anything may be written to.
        #[inline(always)]
        pub(super) fn spare(&mut self) -> &mut [u8] {
            &mut self.bytes[self.len..]
        }

        /// How many bytes are spare.
        #[inline(always)]
        pub(super) fn left(&self) -> usize {
            self.bytes.len() - self.len
        }

        /// Where the room is, and how large.
        pub(super) fn identity(&self) -> (*const u8, usize) {
            (self.bytes.as_ptr(), self.bytes.len())
        }

        /// Makes the first `len` spare bytes part of the text.
        ///
        /// # Safety
        /// They are well-formed UTF-8 by themselves.
        #[inline(always)]
        pub(super) unsafe fn claim(&mut self, len: usize) {
            // The checked twin, on wherever tests and fuzzing run: of each byte once, so that it costs no more than its share.
            debug_assert!(std::str::from_utf8(&self.bytes[self.len..][..len]).is_ok());
            self.len += len;
        }

        /// Takes back the text after the first `len` bytes.
        ///
        /// # Panics
        /// If no character ends there.
        pub(super) fn truncate(&mut self, len: usize) {
            assert!(len == self.len || (len < self.len && self.bytes[len] & 0xC0 != 0x80));
            self.len = len;
        }

        /// The text.
        #[inline(always)]
        pub(super) fn as_str(&self) -> &str {
            // SAFETY: the text grows by `claim` alone, whose callers promise well-formed UTF-8, and shrinks by `truncate`
            // alone, to the end of a character; `spare` lends out only what lies after it. `cargo bench --bench codecs`
            // measures what skipping the check saves.
            unsafe { std::str::from_utf8_unchecked(self.text()) }
        }
    }
}

impl<'a> Utf8Sink<'a> {
    /// A sink over `room`, empty.
    pub fn new(room: &'a mut [u8]) -> Self {
        Utf8Sink { room: Room::new(room) }
    }

    /// Bytes written so far.
    pub fn written(&self) -> usize {
        self.room.len()
    }

    /// Bytes that can still be written.
    pub fn room(&self) -> usize {
        self.room.left()
    }

    /// Which room this is a sink over.
    pub(crate) fn identity(&self) -> (*const u8, usize) {
        self.room.identity()
    }

    /// The text written so far.
    pub fn as_str(&self) -> &str {
        self.room.as_str()
    }

    /// Appends `ch`; `false`, and nothing written, where it does not fit.
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
        // SAFETY: it is the front of the spare room that was encoded into.
        unsafe { self.room.claim(len) };
        true
    }

    /// Appends as many whole characters of `text` as fit; answers their length in bytes.
    pub fn push_str(&mut self, text: &str) -> usize {
        let mut fits = text.len().min(self.room());
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        self.room.spare()[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        // SAFETY: that is a `str` up to the boundary of a character.
        unsafe { self.room.claim(fits) };
        fits
    }

    /// Appends the leading bytes of `src` that are ASCII and fit; answers how many.
    #[inline]
    pub fn push_ascii(&mut self, src: &[u8]) -> usize {
        let take = src.len().min(self.room());
        let ascii = src[..take].iter().position(|b| *b >= 0x80).unwrap_or(take);
        self.room.spare()[..ascii].copy_from_slice(&src[..ascii]);
        // SAFETY: all of these bytes are below 0x80.
        unsafe { self.room.claim(ascii) };
        ascii
    }

    /// Appends as many whole characters of `src` as are well-formed UTF-8 and fit, in blocks; answers their length in
    /// bytes. What it stops at has to be looked at another way: the end of `src` or of the room, or ill-formed bytes,
    /// within the next 72 bytes.
    #[inline]
    pub fn push_utf8(&mut self, src: &[u8]) -> usize {
        let len = arch::utf8::copy(arch::isa(), src, self.room.spare());
        // SAFETY: the kernel copies whole, well-formed characters, and answers how many bytes these are.
        unsafe { self.room.claim(len) };
        len
    }

    /// Appends the characters of these code points, all or none: `false` where one is no character or there may be no
    /// room for all. For speed: sixteen at a time take no branch for each.
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
        // Two loops, as the first is one for vectors.
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
        // SAFETY: each code point is that of a `char`, as `bad` says, and `packed` is its UTF-8 and the length of that.
        unsafe { self.room.claim(filled) };
        true
    }

    /// Appends `table[byte]` for each byte of `src`, up to the first that has no character or no room; answers how
    /// many bytes were taken. Stops early only with fewer than four bytes of room, or at a byte without a character.
    #[inline]
    pub(crate) fn push_table(&mut self, src: &[u8], table: &Utf8Table) -> usize {
        let out = self.room.spare();
        let (mut read, mut at) = arch::single_byte::decode(arch::isa(), &table.lanes, src, out);
        // Where ASCII is itself, long runs of it are copied. They are looked for behind four blocks of it, which text
        // with other characters in it rarely has: it does not pay for the search.
        let (copies, table) = (table.keeps_ascii, &table.chars);
        let mut blocks = 0;
        // Blocks whose worst case fits need one check of the room and one for holes, not one a character.
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
        // SAFETY: the kernel and the loops store the characters of the table, which only `Utf8Char::new` makes, one after
        // the other; a block with `NONE` in it, which is longer than any sixteen characters, is not counted.
        unsafe { self.room.claim(at) };
        read
    }

    /// Appends the character of `word`; `false`, and nothing written, where it is a note or fewer than four bytes of room
    /// are left.
    #[inline(always)]
    pub(crate) fn push_word(&mut self, word: Utf8Word) -> bool {
        let Some(window) = self.room.spare().first_chunk_mut::<4>() else { return false };
        if word.len() > 3 {
            return false;
        }
        *window = word.0.to_le_bytes();
        // SAFETY: a word of up to three bytes is a character: `new` and `of_units` make nothing else, and `note` makes
        // none of fewer than four.
        unsafe { self.room.claim(word.len()) };
        true
    }

    /// Appends the characters that `next` answers, until it answers a note or fewer than 68 bytes of room are left.
    #[inline(always)]
    pub(crate) fn push_words(&mut self, mut next: impl FnMut() -> Utf8Word) {
        loop {
            let Some(window) = self.room.spare().first_chunk_mut::<68>() else { return };
            let (mut filled, mut is_over) = (0, false);
            for _ in 0..16 {
                let word = next();
                if word.len() > 3 {
                    is_over = true;
                    break;
                }
                // At most 15 × 3; the mask tells the compiler.
                let start = filled & 63;
                window[start..start + 4].copy_from_slice(&word.0.to_le_bytes());
                filled += word.len();
            }
            // SAFETY: words of up to three bytes are characters, as in `push_word`, stored one after the other.
            unsafe { self.room.claim(filled) };
            if is_over {
                return;
            }
        }
    }

    /// Appends the characters at the first `len` places of `batch`, up to a note; answers how many. Stops early only
    /// there or with fewer than 64 bytes of room.
    #[inline]
    pub(crate) fn push_batch(&mut self, batch: &Utf8Batch, len: usize) -> usize {
        let words = &batch.words[..len.min(Utf8Batch::LEN)];
        let (read, written) = arch::lanes::text(arch::isa(), words, self.room.spare());
        // SAFETY: the kernel stores lanes of one to three bytes, which are characters, as in `push_word`; a place of the
        // batch that nothing was put at has no byte, and stops it.
        unsafe { self.room.claim(written) };
        read
    }

    /// Appends what `fill` puts at the beginning of a `str` of up to `most` bytes of the room, `fill` answering how many
    /// bytes that was: the door for decoders that write into text. An answer within a character counts as nothing.
    pub fn fill_str<T>(&mut self, most: usize, fill: impl FnOnce(&mut str) -> (T, usize)) -> T {
        let most = most.min(self.room());
        let spare = &mut self.room.spare()[..most];
        spare.fill(0);
        // SAFETY: zeros are UTF-8.
        let text = unsafe { std::str::from_utf8_unchecked_mut(spare) };
        let (answer, len) = fill(text);
        if text.is_char_boundary(len) {
            // SAFETY: a `str` is UTF-8 whoever had it; cut at a boundary, which is never beyond its end, both halves are.
            unsafe { self.room.claim(len) };
        }
        answer
    }

    /// The bytes of the text written so far.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.room.text()
    }

    /// Takes back what was written behind the first `len` bytes, the end of a character.
    ///
    /// # Panics
    /// Where no character ends there.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.room.truncate(len);
    }

    /// Decodes UTF-16 from the front of `src` and appends it; answers how many bytes were read. What it stops at, a lone
    /// surrogate or the end of `src` or of the room, may be some way off: it goes in blocks.
    #[inline]
    pub fn push_utf16(&mut self, order: ByteOrder, src: &[u8]) -> usize {
        let (read, written) = utf16::to_utf8(arch::isa(), order, src, self.room.spare());
        // SAFETY: the kernel stores whole characters in UTF-8, and answers how many bytes these are.
        unsafe { self.room.claim(written) };
        read
    }

    /// Decodes UTF-32 from the front of `src` and appends it; answers how many bytes were read. What it stops at, a code
    /// unit that is no character or the end of `src` or of the room, may be some way off: it goes in blocks.
    #[inline]
    pub fn push_utf32(&mut self, order: OctetOrder, src: &[u8]) -> usize {
        let (read, written) = utf32::to_utf8(arch::isa(), order, src, self.room.spare());
        // SAFETY: the kernel stores whole characters in UTF-8, and answers how many bytes these are.
        unsafe { self.room.claim(written) };
        read
    }
}

/// Room for text with the text in it: what a [`Utf8Sink`] over it wrote last.
pub(crate) struct Utf8Buf {
    /// No more of it than was wanted: many runs do without, and short ones with little.
    room: Box<[u8]>,
    most: usize,
    len: usize,
}

impl Utf8Buf {
    /// Empty, with room for so many bytes at the most.
    pub(crate) fn new(most: usize) -> Self {
        Utf8Buf { room: Box::default(), most, len: 0 }
    }

    /// Lends the room, empty, to `fill`: so many bytes or more, if there may be as many.
    pub(crate) fn fill<T>(&mut self, wanted: usize, fill: impl FnOnce(&mut Utf8Sink<'_>) -> T) -> T {
        // Should `fill` panic, nothing is claimed of what it left.
        self.len = 0;
        let wanted = wanted.min(self.most);
        if self.room.len() < wanted {
            // Little, or all of it, so that it does not grow step by step.
            let size = if wanted <= self.most / 16 { wanted } else { self.most };
            self.room = vec![0; size].into();
        }
        let mut sink = Utf8Sink::new(&mut self.room);
        let lent = sink.identity();
        let answer = fill(&mut sink);
        // Safe code can put another sink into the place of this one; what that one counts says nothing of this room.
        self.len = if sink.identity() == lent { sink.written() } else { 0 };
        answer
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        // SAFETY: `len` is what a `Utf8Sink` over this very room counted, and nothing else writes there.
        unsafe { std::str::from_utf8_unchecked(&self.room[..self.len]) }
    }
}

/// Lent room for encoded bytes.
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

    /// A little of each kind, for where all of it takes too long: under Miri.
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
            sink.push_words(|| Utf8Word::new('€').unwrap());
            sink.push_block(&[0x20AC; 16]);
            let mut batch = Utf8Batch::new();
            (0..Utf8Batch::LEN).for_each(|at| batch.set(at, Utf8Word::new('é').unwrap()));
            sink.push_batch(&batch, Utf8Batch::LEN);
            sink.fill_str(10, |room| {
                let end = room.len();
                ((), end)
            });
            assert!(!sink.as_str().is_empty() || sink.room() == 0);
        }
    }

    /// Long runs of ASCII go another way, where the table has ASCII as it is.
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

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn words_are_characters_or_notes() {
        for ch in (0..0x11_0000).filter_map(char::from_u32) {
            let Some(word) = Utf8Word::new(ch) else {
                assert!(ch as u32 > 0xFFFF);
                continue;
            };
            let mut room = [0; 7];
            let mut sink = Utf8Sink::new(&mut room);
            assert!(word.as_note().is_none() && sink.push_word(word));
            assert_eq!(word.to_char(), Utf8Char::new(ch));
            assert_eq!(sink.as_str(), ch.encode_utf8(&mut [0; 4]));
        }
        for block in (0..=u16::MAX).collect::<Vec<_>>().as_chunks::<64>().0 {
            let none = Utf8Word::note(3, 5);
            let expected = block.map(|unit| char::from_u32(unit.into()).filter(|_| unit != 0xFFFF));
            let expected = expected.map(|ch| ch.map_or(none, |ch| Utf8Word::new(ch).unwrap()));
            assert_eq!(Utf8Word::of_units(block, none), expected);
        }
        for kind in 0..252 {
            let note = Utf8Word::note(kind, 0xABCDEF);
            assert_eq!(note.as_note(), Some((kind, 0xABCDEF)));
            assert_eq!(note.to_char(), Utf8Char::NONE);
            assert!(!Utf8Sink::new(&mut [0; 4]).push_word(note));
        }
        assert!(!Utf8Sink::new(&mut [0; 3]).push_word(Utf8Word::new('a').unwrap()));
    }

    /// What a codec can try with safe code: lengths that are no boundary, a panic in the middle, another sink in the place
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
        text.fill(100, |sink| {
            let other: &'static mut [u8] = Box::leak(vec![b'x'; 100].into());
            *sink = Utf8Sink::new(other);
            sink.push_str("nothing of yours");
        });
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

    /// The kind takes the place of a length. One that does not fit would be taken for the length of a character, whose
    /// bytes anybody could choose.
    #[test]
    fn a_note_has_a_bound() {
        for kind in 252..=255 {
            let made = std::panic::catch_unwind(|| Utf8Word::note(kind, 0xFF));
            assert!(made.is_err(), "{kind}: {made:?}");
        }
        assert_eq!(Utf8Word::note(251, 0xFF).as_note(), Some((251, 0xFF)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "too much of it")]
    fn a_batch_is_pushed_up_to_a_note() {
        let text = "aé€".repeat(100);
        for room in (0..600).step_by(7) {
            for end in [0, 1, 15, 16, 17, 40, 255, 256] {
                let mut batch = Utf8Batch::new();
                for (at, ch) in text.chars().enumerate().take(end) {
                    batch.set(at, Utf8Word::new(ch).unwrap());
                }
                batch.set(end, if end < 256 { Utf8Word::note(0, 0) } else { Utf8Word::new('a').unwrap() });
                let mut bytes = vec![0; room];
                let mut sink = Utf8Sink::new(&mut bytes);
                let pushed = sink.push_batch(&batch, 256);
                assert!(pushed == end || sink.room() < 64);
                assert!(pushed <= end && sink.as_str() == text.chars().take(pushed).collect::<String>());
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
