//! UTF-32 (UCS-4) to and from UTF-8. A shuffle that is needed anyway also sorts the octets, so all four orders are equally
//! fast.

pub mod avx2;
pub mod avx512;
pub mod sse;
