//! Single-byte charsets: their tables as vectors want them, and the kernels that go between their bytes and UTF-8.

use super::Isa;
#[cfg(target_arch = "x86_64")]
use super::x86_64;

/// For decoding: the bytes of each byte's character in UTF-8, counted from its end.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct ToUtf8 {
    /// The last byte. Its high bit is set but for ASCII.
    pub(super) last: [u8; 256],
    /// The one before: a lead byte of two, a continuation byte, or [`ABSENT`](Self::ABSENT).
    pub(super) before: [u8; 256],
    /// The first of three, or absent; [`NONE`](Self::NONE) where there is no character, or one of four bytes.
    pub(super) first: [u8; 256],
}

impl ToUtf8 {
    /// The character has no byte there.
    pub(super) const ABSENT: u8 = 0xFF;
    /// Not for kernels.
    pub(super) const NONE: u8 = 0xFE;

    /// From the UTF-8 of each byte, empty where it has no character.
    pub fn new<'a>(utf8: impl Fn(u8) -> &'a [u8]) -> Self {
        // What is none looks like a character of three bytes until its first is looked at.
        let mut this = ToUtf8 { last: [0x80; 256], before: [0x80; 256], first: [Self::NONE; 256] };
        for byte in 0..=u8::MAX {
            let (first, before, last) = match *utf8(byte) {
                [last] => (Self::ABSENT, Self::ABSENT, last),
                [before, last] => (Self::ABSENT, before, last),
                [first, before, last] => (first, before, last),
                _ => continue,
            };
            let at = usize::from(byte);
            (this.first[at], this.before[at], this.last[at]) = (first, before, last);
        }
        this
    }
}

/// 128 code points of one charset.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Page {
    pub(super) bytes: [u8; 128],
    /// The byte that stands for no byte: none of the others.
    pub(super) none: u8,
}

/// For encoding: the byte of each character, by pages.
#[derive(Clone, Debug)]
pub struct FromUtf8 {
    /// Which page the code points have, by what is above their low seven bits; page 0 is empty.
    index: [u16; 512],
    pages: Vec<Page>,
    /// A byte that stands for no byte up to U+00FF; `None` where all of these have one.
    pub(super) latin_none: Option<u8>,
    /// Which of those with characters of two bytes has the most of them, without U+0080 to U+00FF: where it is in
    /// `index`.
    pub(super) common: usize,
}

impl FromUtf8 {
    /// From the characters and their bytes; of two bytes for one character the last counts. Characters outside the Basic
    /// Multilingual Plane are left out.
    pub fn new(chars: impl IntoIterator<Item = (char, u8)>) -> Self {
        let mut index = [0; 512];
        let mut pages: Vec<[Option<u8>; 128]> = vec![[None; 128]];
        for (ch, byte) in chars {
            let code = ch as usize;
            let Some(page) = index.get_mut(code >> 7) else { continue };
            if *page == 0 {
                *page = pages.len() as u16;
                pages.push([None; 128]);
            }
            pages[usize::from(*page)][code & 0x7F] = Some(byte);
        }
        let count = |at: &usize| pages[usize::from(index[*at])].iter().flatten().count();
        let common = (2..16).max_by_key(count).unwrap_or(2);
        // A byte that is on none of these pages, of 128 entries each. 256 bytes at most: where there is no other, two
        // pages are full.
        let free = |of: &[[Option<u8>; 128]]| {
            let mut taken = [false; 256];
            of.iter().flatten().flatten().for_each(|byte| taken[usize::from(*byte)] = true);
            taken.iter().position(|taken| !taken).map(|byte| byte as u8)
        };
        let latin_none = free(&[0, 1].map(|at| pages[usize::from(index[at])]));
        let page = |(at, page): (usize, &[Option<u8>; 128])| {
            let none = if index[..2].contains(&(at as u16)) { latin_none } else { free(&[*page]) };
            let none = none.unwrap_or_default();
            Page { bytes: page.map(|byte| byte.unwrap_or(none)), none }
        };
        let pages = pages.iter().enumerate().map(page).collect();
        FromUtf8 { index, pages, latin_none, common }
    }

    /// The page of the code points from `128 * at` on.
    #[inline(always)]
    pub(super) fn page(&self, at: usize) -> &Page {
        &self.pages[usize::from(self.index[at & 0x1FF])]
    }
}

/// Decodes `src` into `dst` with the kernel of `isa`; answers how much was read and written. Stops at a byte that has no
/// character, at one of four bytes, or where the room may not do; beyond what was written `dst` may be scribbled on.
#[inline]
pub fn decode(isa: Isa, table: &ToUtf8, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    match isa.usable() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine has it.
        Isa::Avx512 => unsafe { x86_64::single_byte::decode_avx512(table, src, dst) },
        _ => (0, 0),
    }
}

/// Encodes `src` into `dst` with the kernel of `isa`; answers how much was read and written. Stops at a character that
/// the table lacks, or where the room may not do; beyond what was written `dst` may be scribbled on.
#[inline]
pub fn encode(isa: Isa, table: &FromUtf8, src: &str, dst: &mut [u8]) -> (usize, usize) {
    match isa.usable() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the machine has it.
        Isa::Avx512 => unsafe { x86_64::single_byte::encode_avx512(table, src.as_bytes(), dst) },
        _ => (0, 0),
    }
}
