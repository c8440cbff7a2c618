//! Between UTF-32 (UCS-4), in any order of its octets, and UTF-8, in whole blocks: the kernels' front door.
#![allow(unsafe_code)] // The choice of an instruction set that the machine has.

use super::{Isa, isa};

/// In which order the four octets of a code unit stand; octet 1 is the most significant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OctetOrder {
    /// Big-endian.
    O1234,
    /// Little-endian.
    O4321,
    /// Big-endian with the octets of each half swapped.
    O2143,
    /// Big-endian with the halves swapped.
    O3412,
}

impl OctetOrder {
    /// All of them.
    pub const ALL: [OctetOrder; 4] = [OctetOrder::O1234, OctetOrder::O4321, OctetOrder::O2143, OctetOrder::O3412];

    /// Where octets 1, 2, 3 and 4 stand.
    #[inline(always)]
    pub const fn places(self) -> [u8; 4] {
        match self {
            OctetOrder::O1234 => [0, 1, 2, 3],
            OctetOrder::O4321 => [3, 2, 1, 0],
            OctetOrder::O2143 => [1, 0, 3, 2],
            OctetOrder::O3412 => [2, 3, 0, 1],
        }
    }

    /// The code unit that these bytes are.
    #[inline(always)]
    pub const fn read(self, [a, b, c, d]: [u8; 4]) -> u32 {
        u32::from_be_bytes(match self {
            OctetOrder::O1234 => [a, b, c, d],
            OctetOrder::O4321 => [d, c, b, a],
            OctetOrder::O2143 => [b, a, d, c],
            OctetOrder::O3412 => [c, d, a, b],
        })
    }

    /// The bytes that a code unit is.
    #[inline(always)]
    pub const fn write(self, unit: u32) -> [u8; 4] {
        // Each order undoes itself.
        self.read(unit.to_be_bytes()).to_be_bytes()
    }
}

/// Decodes from the front of `src` to the front of `dst`; answers how many bytes were read and written. Stops before a
/// code unit that is no character, or earlier; scribbles on `dst` behind what it wrote.
#[inline]
pub fn to_utf8(order: OctetOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    // SAFETY: `isa` answers what the machine has.
    unsafe { to_utf8_by(isa(), order, src, dst) }
}

/// Encodes from the front of `src` to the front of `dst`; answers how many bytes were read and written. Scribbles on
/// `dst` behind what it wrote.
#[inline]
pub fn from_utf8(order: OctetOrder, src: &str, dst: &mut [u8]) -> (usize, usize) {
    // SAFETY: `isa` answers what the machine has.
    unsafe { from_utf8_by(isa(), order, src, dst) }
}

/// The same by the kernel of `isa`.
///
/// # Safety
/// The machine must have `isa`: [`Isa::is_available`].
pub unsafe fn to_utf8_by(isa: Isa, order: OctetOrder, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Sse => unsafe { super::x86_64::utf32::sse::to_utf8(order, src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx2 => unsafe { super::x86_64::utf32::avx2::to_utf8(order, src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx512 => unsafe { super::x86_64::utf32::avx512::to_utf8(order, src, dst) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the caller's promise.
        Isa::Neon => unsafe { super::aarch64::utf32::to_utf8(order, src, dst) },
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
pub unsafe fn from_utf8_by(isa: Isa, order: OctetOrder, src: &str, dst: &mut [u8]) -> (usize, usize) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Sse => unsafe { super::x86_64::utf32::sse::from_utf8(order, src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx2 => unsafe { super::x86_64::utf32::avx2::from_utf8(order, src, dst) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx512 => unsafe { super::x86_64::utf32::avx512::from_utf8(order, src, dst) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the caller's promise.
        Isa::Neon => unsafe { super::aarch64::utf32::from_utf8(order, src, dst) },
        // Nothing: the codec does well by itself.
        _ => {
            let _ = (order, src, dst);
            (0, 0)
        }
    }
}
