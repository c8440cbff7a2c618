//! The encoding forms of Unicode: UTF-8, UTF-16, UTF-32 with its odd octet orders, and UTF-EBCDIC.

mod held;
mod utf16;
mod utf32;
mod utf8;
mod utf_ebcdic;

pub use utf_ebcdic::UtfEbcdic;
pub use utf8::Utf8;
pub use utf16::Utf16;
pub use utf32::Ucs4;
