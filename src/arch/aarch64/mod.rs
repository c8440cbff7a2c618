//! Kernels for NEON.

mod memory;
pub mod utf16;
pub mod utf32;
