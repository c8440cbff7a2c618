//! x86-64: kernels for SSE4.1, AVX2 and AVX-512.

pub(super) mod bytes;
pub(super) mod lanes;
mod memory;
pub(super) mod single_byte;
pub(super) mod utf16;
pub(super) mod utf32;
pub(super) mod utf8;
mod vectors;
