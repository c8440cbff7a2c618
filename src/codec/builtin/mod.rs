//! The built-in codecs that are not forms of Unicode: the code pages of `codecs/` and `codecs/legacy/`, packed into
//! `pages.bin` and `legacy.bin`; the charsets that switch between sets; and the DOS pages and the encodings of the web,
//! which come from crates.

#[cfg(feature = "legacy")]
mod legacy;
#[cfg(feature = "dos")]
pub(crate) mod oem;
mod pages;
#[cfg(feature = "legacy")]
pub(crate) mod stateful;
#[cfg(feature = "whatwg")]
pub(crate) mod web;

use crate::codec::Packed;
use crate::codec::table::packed::Pages;

/// The pages of `codecs/` and, with the feature `legacy`, those of `codecs/legacy/`.
pub(crate) fn pages_by_folder() -> &'static [Pages] {
    static ALL: &[Pages] = &[
        pages::PAGES,
        #[cfg(feature = "legacy")]
        legacy::PAGES,
    ];
    ALL
}

/// Returns all of these pages.
pub(crate) fn pages() -> impl Iterator<Item = Packed> {
    pages_by_folder().iter().flat_map(Pages::iter)
}
