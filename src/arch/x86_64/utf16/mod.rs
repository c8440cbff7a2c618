//! UTF-16 to and from UTF-8.

pub mod avx2;
pub mod avx512;
pub mod sse;
