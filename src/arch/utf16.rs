//! Between UTF-16 and UTF-8, in whole blocks: the kernels' front door.
#![allow(unsafe_code)] // The choice of an instruction set that the machine has.

use super::{Isa, isa};

/// In which order the two bytes of a code unit stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteOrder {
    /// The more significant first.
    Big,
    /// The less significant first.
    Little,
}

impl ByteOrder {
    /// Both.
    pub const ALL: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
}

/// Decodes from the front of `src` to the front of `dst`; answers how many bytes were read and written. Stops before a
/// surrogate that is not one of a pair, or earlier; scribbles on `dst` behind what it wrote.
#[inline]
pub fn to_utf8(order: ByteOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    // SAFETY: `isa` answers what the machine has.
    unsafe { to_utf8_by(isa(), order, src, dst) }
}

/// Encodes from the front of `src` to the front of `dst`; answers how many bytes were read and written. With `bmp_only`
/// stops before a character outside the Basic Multilingual Plane; scribbles on `dst` behind what it wrote.
#[inline]
pub fn from_utf8(order: ByteOrder, bmp_only: bool, src: &str, dst: &mut [u8]) -> (usize, usize) {
    // SAFETY: `isa` answers what the machine has.
    unsafe { from_utf8_by(isa(), order, bmp_only, src, dst) }
}

/// The same by the kernel of `isa`.
///
/// # Safety
/// The machine must have `isa`: [`Isa::is_available`].
pub unsafe fn to_utf8_by(isa: Isa, order: ByteOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Sse => unsafe { super::x86_64::utf16::sse::to_utf8(order, src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx2 => unsafe { super::x86_64::utf16::avx2::to_utf8(order, src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx512 => unsafe { super::x86_64::utf16::avx512::to_utf8(order, src, dst) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the caller's promise.
        Isa::Neon => unsafe { super::aarch64::utf16::to_utf8(order, src, dst) },
        // Nothing: the codec does well by itself.
        _ => {
            let _ = (order, src, dst);
            (0, 0)
        }
    }
}

/// The same by the kernel of `isa`.
///
/// # Safety
/// The machine must have `isa`: [`Isa::is_available`].
pub unsafe fn from_utf8_by(isa: Isa, order: ByteOrder, bmp_only: bool, src: &str, dst: &mut [u8]) -> (usize, usize) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Sse => unsafe { super::x86_64::utf16::sse::from_utf8(order, bmp_only, src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx2 => unsafe { super::x86_64::utf16::avx2::from_utf8(order, bmp_only, src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx512 => unsafe { super::x86_64::utf16::avx512::from_utf8(order, bmp_only, src, dst) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the caller's promise.
        Isa::Neon => unsafe { super::aarch64::utf16::from_utf8(order, bmp_only, src, dst) },
        // Nothing: the codec does well by itself.
        _ => {
            let _ = (order, bmp_only, src, dst);
            (0, 0)
        }
    }
}
