//! Kernels for SSE4.1, AVX2 and AVX-512.

mod memory;
pub mod utf16;
pub mod utf32;
