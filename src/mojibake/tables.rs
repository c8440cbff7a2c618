//! The byte of each character in the pages that text is often wrongly decoded as.

use super::class::{Class, class};
use crate::codec::{MIN_ROOM, drive};
use crate::registry::Registry;
use std::sync::LazyLock;

/// The pages, the likely ones first. A page that the registry does not have is left out.
const PAGES: [&str; 10] = [
    "windows-1252",
    "windows-1254",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1257",
    "ISO-8859-2",
    "macintosh",
    "IBM437",
    "IBM850",
];

/// How many of them have controls at 80 to 9F, where a byte means nothing else. windows-1252 with them is ISO-8859-1
/// too.
const WITH_CONTROLS: usize = 7;

/// A set of pages, or one of them.
pub(super) type Pages = u16;

pub(super) const WINDOWS_1252: Pages = 1;
/// That and windows-1254.
pub(super) const WESTERN: Pages = 1 | 1 << 1;
pub(super) const WINDOWS_1250: Pages = 1 << 2;
pub(super) const LATIN_2: Pages = 1 << 6;
pub(super) const CYRILLIC_OR_GREEK: Pages = 1 << 3 | 1 << 4;
/// The pages of DOS, whose lines and boxes are in undamaged text too.
pub(super) const DOS: Pages = 1 << 8 | 1 << 9;
/// After some characters, a space may have been byte A0. It is not a page.
pub(super) const LOST: Pages = 1 << 15;
/// These are the characters.
pub(super) const LOSING: [char; 4] = ['Â', 'Ã', 'Ð', 'Г'];
/// It may be damaged without a second character. It is not a page.
pub(super) const ALONE: Pages = 1 << 14;

/// The properties of a character.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The pages in which it is a byte that begins a sequence of UTF-8: C2 to F4.
    pub(super) lead: Pages,
    /// The pages in which it is a byte that continues one: 80 to BF.
    pub(super) tail: Pages,
    pub(super) class: Class,
    bytes: [u8; PAGES.len()],
}

const NONE: Entry = Entry { lead: 0, tail: 0, class: Class::Other, bytes: [0; PAGES.len()] };

/// The ranges of characters that have an entry of their own. All characters of all pages are in them.
const RANGES: [(u32, u32); 8] = [
    (0x00, 0x7FF),
    (0x2000, 0x2122),
    (0x2200, 0x22FF),
    (0x2310, 0x2321),
    (0x2500, 0x25FF),
    (0xF8FF, 0xF8FF),
    (0xFB01, 0xFB02),
    (0xFFFD, 0xFFFD),
];

/// The possible roles of a character in a sequence: the pages in which it begins one of two characters, or a longer
/// one, or continues one. This is all that the search reads, and it reads it for every character.
#[derive(Clone, Copy, Default)]
pub(super) struct Signs {
    pub(super) lead: Pages,
    pub(super) long_lead: Pages,
    pub(super) tail: Pages,
}

/// The characters of all pages.
pub(crate) struct Tables {
    entries: Vec<Entry>,
    /// Of the same characters.
    signs: Vec<Signs>,
}

impl Tables {
    /// Returns the tables, which are made from those of the codecs when they are first used.
    pub(crate) fn get() -> &'static Tables {
        static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);
        &TABLES
    }

    fn new() -> Self {
        let mut entries = Vec::new();
        for (first, last) in RANGES {
            for ch in first..=last {
                entries.push(Entry { class: char::from_u32(ch).map_or(Class::Other, class), ..NONE });
            }
        }
        let mut tables = Tables { entries, signs: Vec::new() };
        for (page, name) in PAGES.iter().enumerate() {
            let Ok(codec) = Registry::builtin().codec(name) else { continue };
            codec.with_decoder(&mut |decoder| {
                for byte in 0x80..=0xF4 {
                    let mut found = None;
                    drive(decoder, &[byte], false, &mut [0; MIN_ROOM], |step| {
                        found = step.text.chars().next();
                        true
                    });
                    tables.add(page, byte, found.filter(|ch| *ch > '\u{9F}'));
                }
            });
        }
        for lead in LOSING {
            tables.entries[index(lead)].lead |= LOST;
        }
        tables.entries[usize::from(b' ')].tail = LOST;
        for control in '\u{80}'..='\u{9F}' {
            tables.entries[index(control)].lead = ALONE;
        }
        // A byte that the page lacks may have become U+FFFD. It can be any byte that continues a sequence.
        let lost = &mut tables.entries[index('\u{FFFD}')];
        (lost.tail, lost.class, lost.bytes) =
            (((1 << WITH_CONTROLS) - 1) & !CYRILLIC_OR_GREEK, Class::Rare, [0x90; PAGES.len()]);
        tables.signs = tables.entries.iter().map(Entry::signs).collect();
        tables
    }

    /// Returns what the character at the front of `bytes` can be, which is not ASCII, and its length.
    #[inline]
    pub(super) fn signs(&self, bytes: &[u8]) -> (Signs, usize) {
        match *bytes {
            [lead @ 0xC0..=0xDF, last, ..] => (self.signs[usize::from(lead & 0x1F) << 6 | usize::from(last & 0x3F)], 2),
            [lead @ (0xE2 | 0xEF), middle, last, ..] => {
                let ch = u32::from(lead & 0xF) << 12 | u32::from(middle & 0x3F) << 6 | u32::from(last & 0x3F);
                (self.signs.get(position(ch)).copied().unwrap_or_default(), 3)
            }
            // No page has them.
            [..0xF0, ..] => (Signs::default(), 3),
            _ => (Signs::default(), 4),
        }
    }

    pub(super) fn signs_of(&self, ch: char) -> Signs {
        self.signs.get(index(ch)).copied().unwrap_or_default()
    }

    /// Adds a character of a page.
    fn add(&mut self, page: usize, byte: u8, ch: Option<char>) {
        let control = Some(char::from(byte)).filter(|_| byte < 0xA0 && page < WITH_CONTROLS);
        for ch in ch.into_iter().chain(control) {
            let entry = &mut self.entries[index(ch)];
            match byte {
                0x80..=0xBF => entry.tail |= 1 << page,
                0xC2..=0xF4 => entry.lead |= 1 << page,
                _ => continue,
            }
            entry.bytes[page] = byte;
        }
    }

    pub(super) fn entry(&self, ch: char) -> &Entry {
        self.entries.get(index(ch)).unwrap_or(&NONE)
    }
}

impl Entry {
    fn signs(&self) -> Signs {
        let is_long = |page: &u32| self.lead >> page & 1 != 0 && self.bytes[*page as usize] >= 0xE0;
        let long_lead = (0..PAGES.len() as u32).filter(is_long).fold(0, |pages, page| pages | 1 << page);
        Signs { lead: self.lead & !long_lead, long_lead, tail: self.tail }
    }

    /// The byte of the character in a page that has it.
    pub(super) fn byte(&self, page: u32) -> u8 {
        self.bytes[page as usize]
    }
}

/// Whether a character has an entry.
pub(super) fn has_entry(ch: char) -> bool {
    index(ch) != usize::MAX
}

/// The index of the entry of a character; beyond the end if it has none.
fn index(ch: char) -> usize {
    position(u32::from(ch))
}

fn position(ch: u32) -> usize {
    if ch < 0x800 {
        return ch as usize;
    }
    let mut before = 0;
    for (first, last) in RANGES {
        if (first..=last).contains(&ch) {
            return (before + ch - first) as usize;
        }
        before += last - first + 1;
    }
    usize::MAX
}
