//! The built-in codecs.
//!
//! They are cheap to create: a page's tables are built with its first decoder or encoder.

use super::{Entry, label};
#[cfg(feature = "dos")]
use crate::codec::oem;
#[cfg(feature = "whatwg")]
use crate::codec::web;
use crate::codec::{Codec, PAGES, Packed, TableCodec, Ucs4, Utf8, Utf16, UtfEbcdic};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Returns all built-in codecs with their aliases. The labels are IANA's, or ICU's if IANA has none.
pub(super) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let unicode = UNICODE.iter().map(|(name, make, aliases)| Entry::builtin(name, aliases, Make::Plain(*make)));
        let pages = PAGES.iter().map(|page| Entry::builtin(page.name, page.aliases, Make::Page(page)));
        let all = unicode.chain(pages);
        #[cfg(feature = "whatwg")]
        let all = all.chain(web::names().map(|(name, aliases)| Entry::builtin(name, aliases, Make::By(web::codec))));
        #[cfg(feature = "dos")]
        let all = all.chain(oem::names().map(|(name, aliases)| Entry::builtin(name, aliases, Make::By(oem::codec))));
        all.collect()
    });
    &ENTRIES
}

/// The labels that were looked up, and what they name. A program that names the charset of each of many short values looks
/// up the same few labels again and again, and a search goes through more than a thousand.
static FOUND: RwLock<Found> = RwLock::new(Found::with_hasher(BuildHasherDefault::new()));

type Found = HashMap<Box<str>, &'static Entry, BuildHasherDefault<DefaultHasher>>;

/// How many labels are kept at most, and how long they may be. A label has endless spellings.
const MAX_FOUND: usize = 1024;
const MAX_FOUND_LEN: usize = 64;

/// Finds the built-in entry for a label.
pub(super) fn find(label: &str) -> Option<&'static Entry> {
    if label.len() > MAX_FOUND_LEN {
        return label::find(entries().iter(), label);
    }
    if let Some(entry) = FOUND.read().unwrap_or_else(PoisonError::into_inner).get(label) {
        return Some(entry);
    }
    let entry = label::find(entries().iter(), label)?;
    let mut found = FOUND.write().unwrap_or_else(PoisonError::into_inner);
    if found.len() < MAX_FOUND {
        found.insert(label.into(), entry);
    }
    Some(entry)
}

/// How a built-in codec is created when it is first asked for.
#[derive(Clone, Copy)]
pub(super) enum Make {
    Plain(fn() -> Arc<dyn Codec>),
    Page(&'static Packed),
    /// By a function from its name.
    #[cfg_attr(not(any(feature = "whatwg", feature = "dos")), expect(dead_code))]
    By(fn(&'static str) -> Arc<dyn Codec>),
}

impl Make {
    pub(super) fn make(self, name: &'static str) -> Arc<dyn Codec> {
        match self {
            Make::Plain(make) => make(),
            Make::Page(page) => Arc::new(TableCodec::of(page)),
            Make::By(make) => make(name),
        }
    }
}

/// Labels of charsets that are known but not supported. The Encoding Standard maps them to `replacement`, because
/// decoding them by guesswork is unsafe.
pub(super) const UNSUPPORTED: &[&str] =
    &["HZ-GB-2312", "ISO-2022-CN", "ISO-2022-CN-EXT", "ISO-2022-KR", "csISO2022KR", "replacement"];

type Plain = (&'static str, fn() -> Arc<dyn Codec>, &'static str);

static UNICODE: &[Plain] = &[
    ("UTF-8", || Arc::new(Utf8), "utf8 csUTF8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 IBM1208"),
    ("UTF-16", || Arc::new(Utf16::UTF_16), "csUTF16 IBM1204"),
    ("UTF-16BE", || Arc::new(Utf16::BE), "csUTF16BE x-utf-16be IBM1200 UnicodeBigUnmarked unicodeFFFE"),
    ("UTF-16LE", || Arc::new(Utf16::LE), "csUTF16LE x-utf-16le IBM1202 UnicodeLittleUnmarked unicode unicodeFEFF"),
    ("UTF-32", || Arc::new(Ucs4::UTF_32), "csUTF32 IBM1236"),
    ("UTF-32BE", || Arc::new(Ucs4::UTF_32BE), "csUTF32BE UCS-4BE IBM1232"),
    ("UTF-32LE", || Arc::new(Ucs4::UTF_32LE), "csUTF32LE UCS-4LE IBM1234"),
    ("ISO-10646-UCS-4", || Arc::new(Ucs4::ISO_10646_UCS_4), "csUCS4 UCS-4 10646-1:1993/UCS4"),
    ("X-ISO-10646-UCS-4-2143", || Arc::new(Ucs4::UCS_4_2143), "UCS-4-2143 ISO-10646-UCS-4-2143"),
    ("X-ISO-10646-UCS-4-3412", || Arc::new(Ucs4::UCS_4_3412), "UCS-4-3412 ISO-10646-UCS-4-3412"),
    ("ISO-10646-UCS-2", || Arc::new(Utf16::UCS_2), "csUnicode UCS-2 10646-1:1993"),
    // IBM's number, and Oracle's name. Oracle's charset has surrogate pairs above U+FFFF; those are malformed here.
    ("UTF-EBCDIC", || Arc::new(UtfEbcdic), "IBM1210 UTFE"),
];
