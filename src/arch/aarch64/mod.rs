//! AArch64: NEON.
//!
//! There are no kernels for single-byte charsets: with NEON a lookup among 256 entries takes four steps, which is
//! probably not much faster than the scalar loop (not measured).

pub(super) mod lanes;
pub(super) mod single_byte;
pub(super) mod utf16;
pub(super) mod utf32;
pub(super) mod utf8;
mod vector;
