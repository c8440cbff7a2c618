//! AArch64: NEON.
//!
//! Its table lookups take four steps for 256 entries; for single-byte charsets that promises too little over the scalar
//! loop to be had unmeasured.

pub(super) mod utf8;
