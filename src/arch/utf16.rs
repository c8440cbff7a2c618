//! UTF-16 to and from UTF-8, in whole blocks.
//!
//! There is no scalar kernel: without vectors the codec's own loop does all of it.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_variables))] // No kernels.

#[cfg(target_arch = "aarch64")]
use super::aarch64;
use super::types::ByteOrder;
#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Isa, dispatch};

/// Decodes the front of `src` to the front of `dst` with the kernel of `isa`; returns how many bytes were read and
/// written. Stops before a surrogate that is not part of a pair, or earlier. Bytes of `dst` after those written may be
/// overwritten.
#[inline]
pub fn to_utf8(isa: Isa, order: ByteOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    dispatch!(isa, {
        "x86_64" Sse => x86_64::utf16::sse::to_utf8(order, src, dst),
        "x86_64" Avx2 => x86_64::utf16::avx2::to_utf8(order, src, dst),
        "x86_64" Avx512 => x86_64::utf16::avx512::to_utf8(order, src, dst),
        "aarch64" Neon => aarch64::utf16::to_utf8(order, src, dst),
        _ => (0, 0),
    })
}

/// Encodes the front of `src` to the front of `dst` with the kernel of `isa`; returns how many bytes were read and
/// written. With
/// `bmp_only` it stops before a character outside the Basic Multilingual Plane. Bytes of `dst` after those written may be
/// overwritten.
#[inline]
pub fn from_utf8(isa: Isa, order: ByteOrder, bmp_only: bool, src: &str, dst: &mut [u8]) -> (usize, usize) {
    dispatch!(isa, {
        "x86_64" Sse => x86_64::utf16::sse::from_utf8(order, bmp_only, src, dst),
        "x86_64" Avx2 => x86_64::utf16::avx2::from_utf8(order, bmp_only, src, dst),
        "x86_64" Avx512 => x86_64::utf16::avx512::from_utf8(order, bmp_only, src, dst),
        "aarch64" Neon => aarch64::utf16::from_utf8(order, bmp_only, src, dst),
        _ => (0, 0),
    })
}
