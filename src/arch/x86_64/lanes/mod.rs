//! Lanes of characters and codes of different lengths. AVX2 has nothing for them that SSE4.1 does not have.

pub mod avx512;
pub mod sse;
