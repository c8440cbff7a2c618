//! The operations on vectors that several algorithms share: `x86_64/vectors.rs` and `aarch64/vector.rs` define them once
//! for each instruction set, with the same names and meanings.
//!
//! | name | meaning |
//! |---|---|
//! | `Vector`, `LEN` | the type, and how many bytes it has |
//! | `load(bytes, at)`, `store(bytes, at, vector)` | reads or writes `LEN` bytes from `at` on |
//! | `splat(byte)` | the same byte everywhere |
//! | `and`, `or`, `xor`, `but` | of two vectors; `but` has the bits that are only in the first |
//! | `add`, `add_up_to_ff`, `minus` | of two vectors; the second does not overflow, the third does not go below 0 |
//! | `up::<N>(vector)` | each byte shifted up by `N` bits; bits may come in from the next byte |
//! | `after_zeros::<N>(vector)` | the bytes `16 - N` places further on, after zeros |
//! | `high_nibbles(vector)` | the high four bits of each byte, as a number |
//! | `equal(a, b)` | whether the bytes are the same; of such a vector, only the high bits count |
//! | `select(which, no, yes)` | a byte of `yes` or of `no` |
//! | `mask(vector)`, `any(vector)` | the high bits, and whether any is set |
//! | `is_zero(vector)`, `is_ascii(vector)` | whether all bits, or all high bits, are 0 |
//! | `lookup(vector, table)` | the table's entry for each byte, which is below 16 |
//!
//! An instruction set has those of them that its kernels use.

/// Defines functions for the instruction set `$features`, which kernels of that instruction set inline.
macro_rules! operators {
    ($features:literal: $(
        $(#[$doc:meta])*
        fn $name:ident $(<const $n:ident: $number:ty>)? ($($arguments:tt)*) $(-> $result:ty)? $body:block
    )*) => {
        $(
            $(#[$doc])*
            #[inline]
            #[target_feature(enable = $features)]
            pub(in crate::arch) fn $name $(<const $n: $number>)? ($($arguments)*) $(-> $result)? $body
        )*
    };
}
pub(super) use operators;

/// Defines functions that load a vector from an array: a name, the array, the vector and the intrinsic.
macro_rules! loads {
    ($($features:literal $name:ident: $array:ty => $vector:ty, $intrinsic:ident;)*) => {
        $(
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn $name(from: &$array) -> $vector {
                const { assert!(size_of::<$array>() == size_of::<$vector>()) }
                // SAFETY: `from` refers to as many readable bytes as the vector has; the load needs no more alignment.
                unsafe { $intrinsic(from.as_ptr().cast()) }
            }
        )*
    };
}
pub(super) use loads;

/// Defines functions that store a vector in an array.
macro_rules! stores {
    ($($features:literal $name:ident: $vector:ty => $array:ty, $intrinsic:ident;)*) => {
        $(
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn $name(to: &mut $array, vector: $vector) {
                const { assert!(size_of::<$array>() == size_of::<$vector>()) }
                // SAFETY: `to` refers to as many writable bytes as the vector has; the store needs no more alignment.
                unsafe { $intrinsic(to.as_mut_ptr().cast(), vector) }
            }
        )*
    };
}
pub(super) use stores;
