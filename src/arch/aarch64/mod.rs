//! AArch64: NEON.
//!
//! Its table lookups take four steps for 256 entries; for single-byte charsets that promises too little over the scalar
//! loop to be had unmeasured.

mod memory;
pub mod utf16;
pub mod utf32;
pub(super) mod utf8;
