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

/// Returns all pages of `codecs/` and, with the feature `legacy`, of `codecs/legacy/`.
pub(crate) fn pages() -> impl Iterator<Item = Packed> + Clone {
    let pages = pages::PAGES.iter();
    #[cfg(feature = "legacy")]
    let pages = pages.chain(legacy::PAGES.iter());
    pages
}
