//! UTF-8, validated and copied: the same algorithm with vectors of three sizes.

/// With 16 bytes at a time.
pub(in super::super) mod sse {
    use super::super::vectors::sse::*;
    crate::arch::utf8_blocks::copy_by_blocks!("sse4.1,ssse3");
    crate::arch::utf8_blocks::values_by_vectors!("sse4.1,ssse3");
}

/// With 32 bytes at a time.
pub(in super::super) mod avx2 {
    use super::super::vectors::avx2::*;
    use super::sse::is_value;
    crate::arch::utf8_blocks::copy_by_blocks!("avx2");
}

/// With 64 bytes at a time.
pub(in super::super) mod avx512 {
    use super::super::vectors::avx512::*;
    use super::sse::is_value;
    crate::arch::utf8_blocks::copy_by_blocks!("avx512f,avx512bw");
}
