//! The single-byte pages, with the languages that they were used for.

use super::case::Case;
use super::languages::{Class, class, languages};
use crate::codec::Codec;
use crate::detect::statistics::models::reader;
use crate::registry::Registry;
use std::sync::{Arc, LazyLock};

const WESTERN: &str = "en de fr es it pt nl da sv nb fi is ca ga sq et";
const CENTRAL: &str = "pl cs sk hu hr sl ro sq de";
const CYRILLIC: &str = "ru uk be bg sr mk";

/// The pages, each with a handicap (how much less likely it is than the usual page of its languages, as a natural
/// logarithm) and its languages. A page that the registry does not have is left out.
#[rustfmt::skip]
const PAGES: &[(&str, f32, &str)] = &[
    ("windows-1252", 0.0, WESTERN),
    ("ISO-8859-15", 1.5, WESTERN),
    ("macintosh", 4.0, WESTERN),
    ("IBM850", 3.0, WESTERN),
    ("IBM437", 3.5, "en de fr es it nl sv fi da"),
    ("IBM863", 5.0, "fr"),
    ("IBM860", 5.0, "pt"),
    ("IBM861", 4.5, "is"),
    ("IBM865", 4.0, "da nb"),
    ("ISO-8859-14", 6.0, "cy ga"),
    ("windows-1250", 1.0, CENTRAL),
    ("ISO-8859-2", 1.5, CENTRAL),
    ("IBM852", 3.0, CENTRAL),
    ("x-mac-ce", 6.0, CENTRAL),
    ("x-mac-croatian", 8.0, "hr sl"),
    ("x-mac-romanian", 8.0, "ro"),
    ("ISO-8859-16", 8.0, "ro"),
    ("windows-1254", 1.0, "tr"),
    ("IBM857", 4.0, "tr"),
    ("x-mac-turkish", 7.0, "tr"),
    ("ISO-8859-3", 5.0, "mt eo"),
    ("windows-1257", 1.0, "lt lv et pl"),
    ("ISO-8859-13", 3.0, "lt lv et"),
    ("ISO-8859-4", 4.0, "lt lv et"),
    ("IBM775", 4.0, "lt lv et"),
    ("windows-1253", 1.0, "el"),
    ("ISO-8859-7", 1.5, "el"),
    ("IBM737", 3.0, "el"),
    ("IBM869", 4.0, "el"),
    ("x-mac-greek", 7.0, "el"),
    ("windows-1251", 0.5, "ru uk be bg sr mk kk"),
    ("KOI8-R", 1.0, "ru bg"),
    ("KOI8-U", 1.5, "uk ru be"),
    ("IBM866", 2.0, CYRILLIC),
    ("IBM855", 4.0, CYRILLIC),
    ("ISO-8859-5", 2.0, CYRILLIC),
    ("x-mac-cyrillic", 4.0, CYRILLIC),
    ("PTCP154", 6.0, "kk"),
    ("KZ-1048", 6.0, "kk"),
    ("windows-1255", 1.0, "he"),
    ("ISO-8859-8", 1.5, "he"),
    ("IBM862", 3.0, "he"),
    ("windows-1256", 1.0, "ar fa"),
    ("ISO-8859-6", 2.0, "ar"),
    ("IBM864", 12.0, "ar"),
    ("IBM720", 5.0, "ar"),
    ("windows-874", 1.0, "th"),
    ("windows-1258", 2.0, "vi-tones"),
    ("VISCII", 4.0, "vi"),
    ("TCVN", 4.0, "vi vi-tones"),
    ("ARMSCII-8", 3.0, "hy"),
    ("GEORGIAN-PS", 3.0, "ka"),
    ("GEORGIAN-ACADEMY", 3.0, "ka"),
];

/// A page that the built-in registry has.
pub(super) struct Page {
    /// The name of its codec.
    pub(super) name: String,
    codec: Arc<dyn Codec>,
    pub(super) handicap: f32,
    /// The character of each byte.
    pub(super) chars: [char; 256],
    cases: [Case; 256],
    /// The index of each language, and in it the class of each byte.
    pub(super) languages: Vec<(usize, Box<[Class; 256]>)>,
}

/// Returns the pages. They are built on first use.
pub(super) fn pages() -> &'static [Page] {
    static ALL: LazyLock<Vec<Page>> = LazyLock::new(|| {
        let registry = Registry::builtin();
        let pages = PAGES.iter().filter_map(|(label, handicap, codes)| {
            let codec = registry.codec(label).ok()?;
            Some(Page::new(codec, *handicap, codes))
        });
        pages.collect()
    });
    &ALL
}

impl Page {
    fn new(codec: Arc<dyn Codec>, handicap: f32, codes: &str) -> Page {
        let mut read = reader(&*codec);
        let chars = std::array::from_fn(|byte| read(&[byte as u8]));
        let find = |code: &str| languages().iter().position(|language| language.code == code);
        let of = |at: usize| {
            let language = &languages()[at];
            let class_of = |ch: char| language.ascii.get(ch as usize).copied().unwrap_or_else(|| class(ch, language));
            (at, Box::new(chars.map(class_of)))
        };
        let languages = codes.split(' ').filter_map(find).map(of).collect();
        Page { name: codec.name().to_owned(), codec, handicap, chars, cases: chars.map(Case::of), languages }
    }

    /// Returns the [cost of the cases](Case::cost) of two letters.
    pub(super) fn case_cost(&self, first: u8, second: u8) -> f32 {
        Case::cost(self.cases[usize::from(first)], self.cases[usize::from(second)])
    }

    /// Returns whether `registry` has this page under its name, and not another codec that the caller registered.
    pub(super) fn is_of(&self, registry: &Registry) -> bool {
        registry.is_builtin() || registry.codec(&self.name).is_ok_and(|found| Arc::ptr_eq(&found, &self.codec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_a_page_has_a_model() {
        for (label, _, codes) in PAGES {
            for code in codes.split(' ') {
                assert!(languages().iter().any(|language| language.code == code), "{label}: {code}");
            }
        }
    }

    #[cfg(feature = "dos")]
    #[test]
    fn the_pages_are_registered() {
        let missing: Vec<&str> =
            PAGES.iter().map(|(label, ..)| *label).filter(|label| Registry::builtin().codec(label).is_err()).collect();
        // These belong to no feature yet.
        let later = ["x-mac-", "VISCII", "TCVN", "ARMSCII", "GEORGIAN", "PTCP154", "KZ-1048"];
        let unexpected: Vec<_> = missing.iter().filter(|label| !later.iter().any(|it| label.starts_with(it))).collect();
        assert!(unexpected.is_empty(), "{unexpected:?}");
    }
}
