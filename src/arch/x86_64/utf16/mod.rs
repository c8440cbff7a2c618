//! UTF-16 and UTF-8.

pub mod avx2;
pub mod avx512;
pub mod sse;
