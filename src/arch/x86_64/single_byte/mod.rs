//! Single-byte charsets.

pub mod avx2;
pub mod avx512;
mod rows;
pub mod sse;
