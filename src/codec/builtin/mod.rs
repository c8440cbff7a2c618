//! The built-in code pages: `codecs/` packed into `pages.bin`, the DOS pages and the web's encodings out of crates.

#[cfg(feature = "dos")]
pub(crate) mod oem;
mod pages;
#[cfg(feature = "whatwg")]
pub(crate) mod web;

pub(crate) use pages::PAGES;
