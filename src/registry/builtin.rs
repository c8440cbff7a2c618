//! The built-in codecs.
//!
//! They are cheap to create: a page's tables are built with its first decoder or encoder.

use super::entry::{Builtin, Entry, Kind, Plain};
use super::{label, typed};
#[cfg(feature = "dos")]
use crate::codec::oem;
#[cfg(feature = "legacy")]
use crate::codec::stateful::{Hz, Iso2022, Utf7};
#[cfg(feature = "whatwg")]
use crate::codec::web;
use crate::codec::{Codec, Ucs4, Utf8, Utf16, UtfEbcdic, for_label, pages_by_folder, with_mark};
use std::sync::{Arc, OnceLock};

/// Returns all built-in codecs with their labels, which are IANA's, or ICU's if IANA has none.
pub(super) fn entries() -> impl Iterator<Item = Builtin> {
    (0..).map_while(at)
}

/// Returns a built-in codec by its place. There is no list of them in memory: to make one would take longer than a
/// program takes that converts a few bytes.
#[inline(never)]
pub(super) fn at(index: usize) -> Option<Builtin> {
    let kind = |kind| Some(Builtin { index, kind });
    let mut rest = index;
    if let Some(plain) = UNICODE.get(rest) {
        return kind(Kind::Plain(plain));
    }
    rest -= UNICODE.len();
    #[cfg(feature = "legacy")]
    {
        if let Some(plain) = STATEFUL.get(rest) {
            return kind(Kind::Plain(plain));
        }
        rest -= STATEFUL.len();
    }
    for pages in pages_by_folder() {
        if let Some(page) = pages.get(rest) {
            return kind(Kind::Page(page));
        }
        rest -= pages.len();
    }
    #[cfg(feature = "whatwg")]
    {
        if let Some(names) = web::names(rest) {
            return kind(Kind::By(web::codec, names));
        }
        rest -= web::COUNT;
    }
    #[cfg(feature = "dos")]
    if let Some(names) = oem::names(rest) {
        return kind(Kind::By(oem::codec, names));
    }
    None
}

/// The labels that were looked up, and what they name. A program that names the charset of each of many short values
/// looks up the same few labels again and again, and a search goes through more than a thousand. Each label has a few
/// places, which depend on its bytes; if they are taken, it is searched for each time, as a label has endless
/// spellings.
static FOUND: [OnceLock<Box<Found>>; 1024] = [const { OnceLock::new() }; 1024];

struct Found {
    label: Box<str>,
    named: Named,
    /// The codec as the label means it, if it was asked for.
    codec: OnceLock<Arc<dyn Codec>>,
}

/// A built-in codec that was found by a name.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub(super) builtin: Builtin,
    /// Whether only people use the name.
    pub(super) is_typed: bool,
    /// Whether output begins with a byte order mark because the name asks for one.
    pub(super) has_mark: bool,
}

/// How many places a label has, and how long it may be.
const PLACES: usize = 4;
const MAX_FOUND_LEN: usize = 64;

/// Returns the places of a label.
fn places(label: &str) -> &'static [OnceLock<Box<Found>>] {
    // Eight bytes at a time.
    let mix = |hash: u64, bytes: u64| (hash ^ bytes).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let (eights, rest) = label.as_bytes().as_chunks::<8>();
    let hash = eights.iter().fold(label.len() as u64, |hash, eight| mix(hash, u64::from_le_bytes(*eight)));
    let last = rest.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let hash = mix(hash, last).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let first = (hash >> 32) as usize % (FOUND.len() / PLACES) * PLACES;
    &FOUND[first..first + PLACES]
}

/// Returns what was found by a label.
fn known(label: &str) -> Option<&'static Found> {
    if label.len() > MAX_FOUND_LEN {
        return None;
    }
    let mut found = places(label).iter().map_while(OnceLock::get);
    found.find(|found| *found.label == *label).map(|found| &**found)
}

/// Finds the built-in codec with a label.
pub(super) fn find(label: &str) -> Option<Builtin> {
    find_named(label, false).map(|named| named.builtin)
}

/// Finds the built-in codec for a name that a user gives: a label, or one of the names that only people use.
pub(super) fn find_typed(name: &str) -> Option<Named> {
    find_named(name, true)
}

/// Returns the built-in codec that a user means by a name.
pub(super) fn typed_codec(name: &str) -> Option<Arc<dyn Codec>> {
    match known(name) {
        Some(found) => Some(found.codec.get_or_init(|| found.named.codec(name)).clone()),
        None => Some(find_typed(name)?.codec(name)),
    }
}

impl Named {
    /// Returns the codec as the name means it.
    fn codec(self, name: &str) -> Arc<dyn Codec> {
        let codec = self.builtin.codec();
        match self.is_typed {
            true if self.has_mark => with_mark(codec),
            true => codec.clone(),
            false => for_label(codec, name),
        }
    }
}

fn find_named(name: &str, by_person: bool) -> Option<Named> {
    if let Some(found) = known(name) {
        return Some(found.named).filter(|named| by_person || !named.is_typed);
    }
    let named = search_named(name, by_person)?;
    let is_short = name.len() <= MAX_FOUND_LEN;
    if let Some(place) = is_short.then(|| places(name).iter().find(|place| place.get().is_none())).flatten() {
        // Fails if another thread has just taken the place.
        _ = place.set(Box::new(Found { label: name.into(), named, codec: OnceLock::new() }));
    }
    Some(named)
}

/// Searches the labels, and then the names that only people use.
fn search_named(name: &str, by_person: bool) -> Option<Named> {
    // Made when a label is not found for the first time: a program that starts should not wait for it.
    static KEYS: OnceLock<label::Keys> = OnceLock::new();
    let may_find = KEYS.get().is_none_or(|keys| keys.may_find(name));
    if let Some(builtin) = may_find.then(|| search(name)).flatten() {
        return Some(Named { builtin, is_typed: false, has_mark: false });
    }
    if by_person && let Some(meaning) = typed::meaning(name) {
        let named = search_named(&meaning.label, true)?;
        return Some(Named { is_typed: true, has_mark: meaning.has_mark || named.has_mark, ..named });
    }
    KEYS.get_or_init(|| label::Keys::new(entries().map(Entry::Builtin)));
    None
}

/// Searches all labels. Each codec is what its own name names, so the names come first: they are found at once.
fn search(label: &str) -> Option<Builtin> {
    let is_name = |builtin: &Builtin| builtin.name().eq_ignore_ascii_case(label);
    entries().find(is_name).or_else(|| match label::find(&|index| at(index).map(Entry::Builtin), label)? {
        Entry::Builtin(builtin) => Some(builtin),
        Entry::Registered(_) => None,
    })
}

/// Adds to the labels of a byte order libiconv's label for it: the native order has another one than the opposite.
macro_rules! and_of_order {
    ($order:literal, $labels:literal, $native:literal, $swapped:literal) => {
        if cfg!(target_endian = $order) { concat!($labels, $native) } else { concat!($labels, $swapped) }
    };
}

#[rustfmt::skip]
static UNICODE: &[Plain] = &[
    ("UTF-8", || Arc::new(Utf8), "utf8 csUTF8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 IBM1208 ibm-1209 ibm-5304 ibm-5305 ibm-13496 ibm-13497 ibm-17592 ibm-17593 windows-65001 CP65001 x-UTF_8J unicode-2-0-utf-8 ISO-10646/UTF-8 ISO-10646/UTF8 ISO-IR-193 OSF05010001 U8 UTF utf8_ucs2 utf8_ucs4", "Unicode"),
    ("UTF-16", || Arc::new(Utf16::UTF_16), "csUTF16 IBM1204 ibm-1205 UnicodeBig U16", "Unicode"),
    ("UTF-16BE", || Arc::new(Utf16::BE), "csUTF16BE x-utf-16be IBM1200 UnicodeBigUnmarked unicodeFFFE ibm-1201 ibm-13488 ibm-13489 ibm-17584 ibm-17585 ibm-21680 ibm-21681 ibm-25776 ibm-25777 ibm-29872 ibm-29873 ibm-61955 ibm-61956 windows-1201 cp1201 UTF16_BigEndian", "Unicode"),
    ("UTF-16LE", || Arc::new(Utf16::LE), "csUTF16LE x-utf-16le IBM1202 UnicodeLittleUnmarked unicode unicodeFEFF ibm-1203 ibm-13490 ibm-13491 ibm-17586 ibm-17587 ibm-21682 ibm-21683 ibm-25778 ibm-25779 ibm-29874 ibm-29875 UTF16_LittleEndian UnicodeLittle windows-1200", "Unicode, Windows"),
    ("UTF-32", || Arc::new(Ucs4::UTF_32), "csUTF32 IBM1236 ibm-1237 U32", "Unicode"),
    ("UTF-32BE", || Arc::new(Ucs4::UTF_32BE), and_of_order!("big", "csUTF32BE UCS-4BE IBM1232 UTF32_BigEndian ibm-1233 ibm-9424 X-UTF-32BE windows-12001 CP12001", " UCS-4-INTERNAL", " UCS-4-SWAPPED"), "Unicode"),
    ("UTF-32LE", || Arc::new(Ucs4::UTF_32LE), and_of_order!("little", "csUTF32LE UCS-4LE IBM1234 UTF32_LittleEndian ibm-1235 X-UTF-32LE windows-12000 CP12000", " UCS-4-INTERNAL", " UCS-4-SWAPPED"), "Unicode"),
    ("ISO-10646-UCS-4", || Arc::new(Ucs4::ISO_10646_UCS_4), "csUCS4 UCS-4 10646-1:1993/UCS4 ISO-10646 OSF00010104 OSF00010105 OSF00010106", "Unicode"),
    ("X-ISO-10646-UCS-4-2143", || Arc::new(Ucs4::UCS_4_2143), "UCS-4-2143 ISO-10646-UCS-4-2143", "Unicode, unusual byte order"),
    ("X-ISO-10646-UCS-4-3412", || Arc::new(Ucs4::UCS_4_3412), "UCS-4-3412 ISO-10646-UCS-4-3412", "Unicode, unusual byte order"),
    ("ISO-10646-UCS-2", || Arc::new(Utf16::UCS_2), "csUnicode UCS-2 10646-1:1993 OSF00010100 OSF00010101 OSF00010102", "Unicode, the Basic Multilingual Plane"),
    ("UCS-2BE", || Arc::new(Utf16::UCS_2BE), and_of_order!("big", "", "UCS-2-INTERNAL", "UCS-2-SWAPPED"), "Unicode, the Basic Multilingual Plane"),
    ("UCS-2LE", || Arc::new(Utf16::UCS_2LE), and_of_order!("little", "", "UCS-2-INTERNAL", "UCS-2-SWAPPED"), "Unicode, the Basic Multilingual Plane"),
    // IBM's number, and Oracle's name. Oracle's charset has surrogate pairs above U+FFFF; those are malformed here.
    ("UTF-EBCDIC", || Arc::new(UtfEbcdic), "IBM1210 UTFE", "Unicode, EBCDIC"),
];

/// The charsets that switch between sets.
#[cfg(feature = "legacy")]
#[rustfmt::skip]
static STATEFUL: &[Plain] = &[
    ("UTF-7", || Arc::new(Utf7::MAIL), "csUTF7 U7 unicode-1-1-utf-7 unicode-2-0-utf-7 windows-65000 CP65000", "Unicode, mail"),
    ("UTF-7-IMAP", || Arc::new(Utf7::IMAP), "csUTF7IMAP IMAP-mailbox-name", "Unicode, names of mailboxes"),
    ("HZ-GB-2312", || Arc::new(Hz), "HZ hz_gb HZGB hz_gb_2312 windows-52936 CP52936", "Chinese (simplified), mail and news"),
    ("ISO-2022-JP-1", || Arc::new(Iso2022::JP_1), "iso2022_jp_1 JIS_Encoding csJISEncoding JIS ibm-5054 ISO_2022,locale=ja,version=1", "Japanese, mail"),
    ("ISO-2022-JP-2", || Arc::new(Iso2022::JP_2), "csISO2022JP2 iso2022_jp_2 ISO2022JP2 ISO_2022,locale=ja,version=2", "Japanese, Chinese, Korean, Greek and Western European, mail"),
    ("ISO-2022-JP-3", || Arc::new(Iso2022::JP_3), "iso2022_jp_3", "Japanese, mail, JIS X 0213"),
    ("ISO-2022-JP-2004", || Arc::new(Iso2022::JP_2004), "iso2022_jp_2004", "Japanese, mail, JIS X 0213"),
    ("ISO-2022-JP-EXT", || Arc::new(Iso2022::JP_EXT), "iso2022_jp_ext JIS7 ISO_2022,locale=ja,version=3", "Japanese, mail, with half-width katakana"),
    ("ISO-2022-KR", || Arc::new(Iso2022::KR), "csISO2022KR ISO2022KR windows-50225 CP50225 ibm-25546 ISO_2022,locale=ko,version=0 ISO_2022,locale=ko,version=1", "Korean, mail"),
    ("ISO-2022-CN", || Arc::new(Iso2022::CN), "csISO2022CN ISO2022CN ISO-2022-CN-GB x-ISO-2022-CN-GB ISO-2022-CN-CNS x-ISO-2022-CN-CNS windows-50227 CP50227 windows-50229 CP50229 ISO_2022,locale=zh,version=0 ISO_2022,locale=zh,version=2", "Chinese, mail"),
    ("ISO-2022-CN-EXT", || Arc::new(Iso2022::CN_EXT), "ISO2022CNEXT ISO_2022,locale=zh,version=1", "Chinese, mail"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::entry::MAX_BUILTIN;

    #[test]
    fn there_is_room_for_all() {
        assert!(entries().count() <= MAX_BUILTIN);
    }

    /// If this fails, `search` may not look at the names first.
    #[test]
    fn each_codec_is_what_its_name_names() {
        for builtin in entries() {
            match label::find(&|index| at(index).map(Entry::Builtin), builtin.name()) {
                Some(Entry::Builtin(found)) => assert_eq!(found.index, builtin.index, "{}", builtin.name()),
                _ => panic!("{} is not found", builtin.name()),
            }
        }
    }
}
