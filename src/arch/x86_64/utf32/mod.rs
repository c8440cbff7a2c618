//! UTF-32 (UCS-4) and UTF-8. The order of the octets is settled by the indices of a shuffle that is needed anyway, so
//! that all four cost the same.

pub mod avx2;
pub mod avx512;
pub mod sse;
