//! The built-in codecs that are not forms of Unicode: the code pages of `codecs/`, packed into `pages.bin`, and the DOS
//! pages and the encodings of the web, which come from crates.

#[cfg(feature = "dos")]
pub(crate) mod oem;
mod pages;
#[cfg(feature = "whatwg")]
pub(crate) mod web;

pub(crate) use pages::PAGES;
