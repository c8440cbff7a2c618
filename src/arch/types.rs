//! The data that kernels and codecs share: orders of bytes, and tables in the form that vectors need.

use std::sync::OnceLock;

/// The order of the two bytes of a UTF-16 code unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteOrder {
    /// The more significant byte first.
    Big,
    /// The less significant byte first.
    Little,
}

impl ByteOrder {
    /// Both orders.
    pub const ALL: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
}

/// The order of the four octets of a UTF-32 code unit; octet 1 is the most significant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OctetOrder {
    /// Big-endian.
    O1234,
    /// Little-endian.
    O4321,
    /// Big-endian with the octets of each half swapped.
    O2143,
    /// Big-endian with the halves swapped.
    O3412,
}

impl OctetOrder {
    /// All four orders.
    pub const ALL: [OctetOrder; 4] = [OctetOrder::O1234, OctetOrder::O4321, OctetOrder::O2143, OctetOrder::O3412];

    /// Returns the places of octets 1, 2, 3 and 4 in memory.
    #[inline(always)]
    #[must_use]
    pub const fn places(self) -> [u8; 4] {
        match self {
            OctetOrder::O1234 => [0, 1, 2, 3],
            OctetOrder::O4321 => [3, 2, 1, 0],
            OctetOrder::O2143 => [1, 0, 3, 2],
            OctetOrder::O3412 => [2, 3, 0, 1],
        }
    }

    /// Returns the code unit that these bytes make.
    #[inline(always)]
    #[must_use]
    pub const fn read(self, [a, b, c, d]: [u8; 4]) -> u32 {
        u32::from_be_bytes(match self {
            OctetOrder::O1234 => [a, b, c, d],
            OctetOrder::O4321 => [d, c, b, a],
            OctetOrder::O2143 => [b, a, d, c],
            OctetOrder::O3412 => [c, d, a, b],
        })
    }

    /// Returns the bytes of a code unit.
    #[inline(always)]
    #[must_use]
    pub const fn write(self, unit: u32) -> [u8; 4] {
        // Each order is its own inverse.
        self.read(unit.to_be_bytes()).to_be_bytes()
    }
}

/// Translates bytes to bytes; a byte may have no translation.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Translation {
    pub(super) bytes: [u8; 256],
    /// The value in `bytes` that means "no translation"; `None` if every byte has one.
    pub(super) none: Option<u8>,
}

impl Translation {
    /// Makes the table from the translation of each byte.
    pub fn new(byte_of: impl Fn(u8) -> Option<u8>) -> Self {
        let mut taken = [false; 256];
        (0..=255).filter_map(&byte_of).for_each(|byte| taken[usize::from(byte)] = true);
        let has_holes = (0..=255).any(|byte| byte_of(byte).is_none());
        // If a byte has no translation, at most 255 values are taken, and one is free to mark it.
        let none = taken.iter().position(|taken| !taken).map(|byte| byte as u8).filter(|_| has_holes);
        let mut bytes = [none.unwrap_or_default(); 256];
        (0..=255).zip(&mut bytes).for_each(|(byte, place)| *place = byte_of(byte).unwrap_or(*place));
        Translation { bytes, none }
    }
}

/// A lane flag for [`codes`](super::lanes::codes): the lane may combine with the next one, so it can only be written if
/// the next lane does not have [`FOLLOWS`].
pub const MAY_GO_ON: u32 = 1 << 31;
/// A lane flag for [`codes`](super::lanes::codes): the lane may combine with the one before it.
pub const FOLLOWS: u32 = 1 << 30;
/// The position of the number of bytes in a lane: the three bits from this one on.
pub const LEN: u32 = 24;

/// No code, for [`short_codes`](super::lanes::short_codes): no charset has a pair of FF.
pub const NO_CODE: u16 = u16::MAX;

/// The shift codes that [`codes`](super::lanes::codes) writes between lanes.
#[derive(Clone, Copy, Debug)]
pub struct Shifts {
    /// Shifts to codes of more than one byte.
    pub out: u8,
    /// Shifts back.
    pub back: u8,
}

/// The codes of two or three bytes that [`split_escapes`](super::lanes::split_escapes) knows.
#[derive(Clone, Copy, Debug)]
pub struct Escapes {
    /// The first byte of each.
    pub first: u8,
    /// The second byte, of those that pairs follow and of those that single bytes follow.
    pub out: u8,
    pub back: u8,
    /// The third byte, if there is one: after either, and after `out` only.
    pub last: Option<[u8; 2]>,
}

impl Escapes {
    /// Returns how many bytes each has.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        2 + usize::from(self.last.is_some())
    }

    /// Returns what begins at the bytes of a block, of which `first`, `out`, `back` and `last` are the places of the bytes
    /// of that name.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))] // No vectors.
    #[inline(always)]
    pub(super) fn places(self, first: u64, out: u64, back: u64, last: Option<[u64; 2]>) -> Switches {
        let (mut outs, mut backs) = (first & out >> 1, first & back >> 1);
        if let Some([either, only_out]) = last {
            outs &= (either | only_out) >> 2;
            backs &= either >> 2;
        }
        // A code that ends with the block, or in the next one, is the next one's.
        let within = u64::MAX >> self.len();
        let starts = (outs | backs) & within;
        let starts = starts & !(starts << self.len());
        // So is one right before it: the next block must see that they follow each other.
        let late = first & !within;
        let late = late | starts & late >> self.len();
        let starts = starts & !late;
        Switches { outs: outs & starts, backs: backs & starts, len: self.len(), late }
    }
}

/// Where codes begin in a block of 64 bytes, one bit each.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))] // No vectors.
#[derive(Clone, Copy)]
pub(super) struct Switches {
    /// Those that pairs follow.
    pub(super) outs: u64,
    /// Those that single bytes follow.
    pub(super) backs: u64,
    /// How many bytes each has.
    pub(super) len: usize,
    /// The bytes that may begin a code that does not end before the block does.
    pub(super) late: u64,
}

/// The bytes that begin a pair in a charset without shift codes, as [`split_pairs`](super::lanes::split_pairs) takes them.
#[derive(Clone, Debug)]
#[repr(align(16))]
pub struct Leads {
    /// By the low nibble of a byte and by the high one, sets of bits: a lead has one in both.
    pub(super) low: [u8; 16],
    pub(super) high: [u8; 16],
}

impl Leads {
    /// Makes the set. Only bytes from 80 on can be in it.
    pub fn new(is_lead: impl Fn(u8) -> bool) -> Self {
        let (mut low, mut high) = ([0; 16], [0; 16]);
        for byte in (0x80..=0xFF).filter(|byte| is_lead(*byte)) {
            let bit = 1 << ((byte >> 4) - 8);
            low[usize::from(byte & 0xF)] |= bit;
            high[usize::from(byte >> 4)] |= bit;
        }
        Leads { low, high }
    }

    /// Returns whether a byte is one of them.
    #[inline(always)]
    pub(super) fn has(&self, byte: u8) -> bool {
        self.low[usize::from(byte & 0xF)] & self.high[usize::from(byte >> 4)] != 0
    }
}

/// What [`split`](super::lanes::split), [`split_escapes`](super::lanes::split_escapes) and
/// [`split_pairs`](super::lanes::split_pairs) found.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Split {
    /// How many bytes were read.
    pub read: usize,
    /// The bytes that begin a character, one bit each.
    pub firsts: u64,
    /// The bytes of `firsts` that begin a pair.
    pub doubles: u64,
    /// Whether the bytes after these are pairs.
    pub is_double: bool,
}

impl Split {
    /// Finds the characters in a block of 64 bytes of which `may_lead` are leads, unless they end a pair.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))] // No vectors.
    #[inline(always)]
    pub(super) fn of_pairs(may_lead: u64) -> Self {
        // In a run of them every other one is a lead, beginning with the first: what precedes the run is none.
        let leads = every_other(may_lead);
        Split { read: 64 + (leads >> 63) as usize, firsts: !(leads << 1), doubles: leads, is_double: false }
    }

    /// Finds the characters in a block of 64 bytes with codes at `switches`. `is_next` says whether the byte after the
    /// block may begin one.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))] // No vectors.
    #[inline(always)]
    pub(super) fn of(switches: Switches, is_next: bool, is_double: bool) -> Self {
        let Switches { outs, backs, len, late } = switches;
        let starts = outs | backs;
        let plain = !(0..len).fold(0, |all, at| all | starts << at);
        let double = flood((outs << len | u64::from(is_double)) & plain, plain);
        let leads = every_other(double);
        let firsts = plain & !double | leads;
        let cuts = (starts | late) >> 1 | u64::from(is_next) << 63;
        let stops = leads & cuts | late;
        if stops != 0 {
            let read = stops.trailing_zeros() as usize;
            let before = (1 << read) - 1;
            let is_double = double >> read & 1 != 0;
            return Split { read, firsts: firsts & before, doubles: leads & before, is_double };
        }
        // A pair may end with the byte after the block. No pair before the block took a byte of it.
        let read = 64 + (leads >> 63) as usize;
        Split { read, firsts, doubles: leads, is_double: (double | outs) >> 63 != 0 }
    }
}

/// Returns the runs of ones in `within` whose first bits are `starts`.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))] // No vectors.
#[inline(always)]
fn flood(starts: u64, within: u64) -> u64 {
    (starts.wrapping_add(within) ^ within) & within
}

/// Returns every other bit of each run of ones, beginning with the first.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))] // No vectors.
#[inline(always)]
fn every_other(ones: u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    // The even ones of a run that begins at an even one.
    let starts = ones & !(ones << 1);
    let even = flood(starts & EVEN, ones);
    (ones & even & EVEN) | (ones & !even & !EVEN)
}

/// For decoding a single-byte charset: the UTF-8 bytes of each byte's character, counted from the end of the character.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct ToUtf8 {
    /// The last byte. Its high bit is clear for ASCII only.
    pub(super) last: [u8; 256],
    /// The byte before it: a lead byte of two, a continuation byte, or [`ABSENT`](Self::ABSENT).
    pub(super) before: [u8; 256],
    /// The first byte of three, or absent; [`NONE`](Self::NONE) if there is no character, or one of four bytes.
    pub(super) first: [u8; 256],
    /// The same for other kernels, made when one needs it.
    pub(super) codes: OnceLock<Box<DecodeCodes>>,
}

impl ToUtf8 {
    /// The character has no byte at this place.
    pub(super) const ABSENT: u8 = 0xFF;
    /// The kernels do not decode this byte.
    pub(super) const NONE: u8 = 0xFE;

    /// Makes the table from the UTF-8 form of each byte, which is empty if the byte has no character.
    pub fn new<'a>(utf8: impl Fn(u8) -> &'a [u8]) -> Self {
        // A byte without a character looks like one of three bytes until `first` is looked up.
        let mut this =
            ToUtf8 { last: [0x80; 256], before: [0x80; 256], first: [Self::NONE; 256], codes: OnceLock::new() };
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

/// 128 code points of a charset.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Page {
    pub(super) bytes: [u8; 128],
    /// The value in `bytes` that means "no byte"; no code point of the page has it.
    pub(super) none: u8,
}

/// For encoding a single-byte charset: the byte of each character, by pages.
#[derive(Clone, Debug)]
pub struct FromUtf8 {
    /// The page of a code point, by the bits above its low seven; page 0 is empty.
    index: [u16; 512],
    pages: Vec<Page>,
    /// The value that means "no byte" on the pages up to U+00FF; `None` if all of those characters have a byte.
    pub(super) latin_none: Option<u8>,
    /// The place in `index` of the fullest page among those of two-byte characters, other than U+0080 to U+00FF.
    pub(super) common: usize,
    /// The same for other kernels, made when one needs it.
    pub(super) codes: OnceLock<Box<EncodeCodes>>,
}

impl FromUtf8 {
    /// Makes the table from characters and their bytes. If a character has two bytes, the last one counts. Characters
    /// outside the Basic Multilingual Plane are left out.
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
        // A byte that is not on any of these pages, which have 128 entries each. Two full pages may take all 256 bytes.
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
        FromUtf8 { index, pages, latin_none, common, codes: OnceLock::new() }
    }

    /// Returns the page of the code points from `128 * at` on.
    #[inline(always)]
    pub(super) fn page(&self, at: usize) -> &Page {
        &self.pages[usize::from(self.index[at & 0x1FF])]
    }
}

/// For decoding: a code for each byte, from which one or two bytes of UTF-8 follow without another look-up.
///
/// Text of one script has two lead bytes of two-byte characters, and seldom others: C2 and C3, or D0 and D1.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct DecodeCodes {
    /// Below 0x80 an ASCII character. From there on a character of two bytes: the low six bits are those of its last
    /// byte, and bit 6 selects the lead byte.
    pub(super) codes: [u8; 256],
    pub(super) leads: [u8; 2],
    /// The code of all other bytes, which is at least 0x80; `None` if there are no others.
    pub(super) none: Option<u8>,
    /// Whether the bytes of ASCII are the ASCII characters, and no other bytes are.
    pub(super) is_ascii: bool,
    /// A short way for ASCII; NEON, which looks up 64 entries at a time, needs none.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(super) nibbles: Nibbles,
}

/// The ASCII characters of an EBCDIC page by the nibbles of their bytes, which takes half the look-ups of a table.
///
/// Letters and digits are in runs: the character is the low nibble plus a number that depends on the high nibble. In the
/// rows 4 to 7, where blank and punctuation are, it depends on both. Bytes that do not fit are not decoded in this way.
#[derive(Clone, Debug)]
#[repr(align(16))]
pub(super) struct Nibbles {
    /// By high nibble, what is to be added to the low nibble; 0 in the rows 4 to 7.
    pub(super) bases: [u8; 16],
    /// The same for the rows 4 to 7, by low nibble.
    pub(super) rows: [[u8; 16]; 4],
    /// By low nibble and by high nibble, sets of bits: if they have one in common, the result is right.
    pub(super) low: [u8; 16],
    pub(super) high: [u8; 16],
}

/// For encoding: the bytes of ASCII and of the page of 128 code points that has the most letters.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct EncodeCodes {
    /// The bytes of ASCII, and from 0x80 on those of the page.
    pub(super) bytes: [u8; 256],
    /// The value in `bytes` that means "no byte"; `None` if each of these characters has a byte.
    pub(super) none: Option<u8>,
    /// The lead byte of the first half of the page; that of the second half is one more.
    pub(super) lead: u8,
}
