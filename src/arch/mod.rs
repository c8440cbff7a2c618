//! Vector kernels: the inner loops of the codecs, once for each instruction set.
//!
//! A kernel is a safe function over slices, `(src, dst) → (read, written)`. It goes as far as it can in whole blocks and
//! stops, between two characters, before anything that needs a decision: something ill-formed or unmappable, the tail of
//! the input, the end of the room. The codec deals with that one character at a time and then calls the kernel again. So
//! a kernel knows nothing of faults, and the codec nothing of vectors. Doing nothing is always correct for a kernel, and
//! some scalar kernels do nothing.
//!
//! | folder | instruction set |
//! |---|---|
//! | `scalar/` | none: Rust that compiles to good code, and the reference for the others |
//! | `x86_64/` | SSE4.1, AVX2, AVX-512 with VBMI and VBMI2 |
//! | `aarch64/` | NEON |
//!
//! Codecs call the functions in `single_byte.rs`, `utf8.rs`, `utf16.rs`, `utf32.rs`, `lanes.rs` (mixed pages) and
//! `bytes.rs` (bytes to bytes, padding), which choose the kernel. Their tests run every kernel that the machine has.
//! `types.rs` has the data that they exchange.
//!
//! # One algorithm, several instruction sets
//!
//! AVX-512 has instructions of its own for most of this, above all a look-up of 128 bytes and the removal of bytes, so its
//! kernels are written for it alone. Those of SSE4.1, AVX2 and NEON are the same algorithm with vectors of different
//! length. The algorithm is a macro, and each instruction set defines the vector and its operations, about twenty functions
//! of one line, which `operators.rs` lists:
//!
//! | file | algorithm |
//! |---|---|
//! | `single_byte_blocks.rs` | single-byte charsets in both directions, and from one to another |
//! | `lanes_blocks.rs` | the characters and codes of mixed pages |
//! | `utf8_blocks.rs` | validation of UTF-8 |
//! | `x86_64/single_byte/rows.rs` | look-ups of 128 and 256 entries by shuffles of 16 bytes |
//!
//! A macro, not a trait: a function of a trait cannot be safe and have a `#[target_feature]`. `compact.rs` and `shuffles.rs`
//! have the tables.
//!
//! [`isa`] finds out once which instruction set to use. The environment variable `CHARPIPE_ISA` (`scalar`, `sse`, `avx2`,
//! `avx512`, `neon`) asks for a lesser one, for tests and to find out whether a bug is in a kernel.
//!
//! # Unsafe code
//!
//! Kernels are safe functions with `#[target_feature]`. Two things need `unsafe`: to call one, which `dispatch!` does
//! after it made sure that the CPU has the features, and to load and store vectors, which a few functions do in
//! `operators.rs` and `x86_64/memory.rs`.

// Elsewhere there is unsafe code only in `codec/sink.rs`.
#![allow(unsafe_code)]
// Without the feature `unstable-kernels` nothing outside of the crate can name what only tests and fuzz targets call.
#![cfg_attr(not(feature = "unstable-kernels"), allow(dead_code))]

#[cfg(target_arch = "aarch64")]
mod aarch64;
pub mod bytes;
mod compact;
pub mod lanes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes_blocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod operators;
mod scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod shuffles;
pub mod single_byte;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod single_byte_blocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod slices;
pub mod types;
#[cfg(test)]
mod unicode_tests;
pub mod utf16;
pub mod utf32;
pub mod utf8;
mod utf8_blocks;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that there are kernels for. A lesser one comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Isa {
    /// No vectors.
    Scalar = 1,
    /// SSE4.1 and SSSE3.
    Sse = 2,
    /// AVX2, BMI1 and BMI2.
    Avx2 = 3,
    /// AVX-512 F, BW, VL, VBMI and VBMI2, with BMI2.
    Avx512 = 4,
    /// NEON.
    Neon = 5,
}

impl Isa {
    /// All instruction sets.
    pub const ALL: [Isa; 5] = [Isa::Scalar, Isa::Sse, Isa::Avx2, Isa::Avx512, Isa::Neon];

    /// Returns the name, as in `CHARPIPE_ISA`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Sse => "sse",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }

    /// Returns `self` if this CPU supports it, and [`Isa::Scalar`] otherwise.
    #[inline(always)]
    fn usable(self) -> Isa {
        if self == isa() || self.is_available() { self } else { Isa::Scalar }
    }

    /// Returns whether this CPU supports it.
    ///
    /// The features named here are those that the kernels of the instruction set may enable; `dispatch!` relies on it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Isa::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Sse => is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                Isa::Sse.is_available()
                    && is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                Isa::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vbmi2")
            }
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }
}

/// Makes an array at compile time whose items are an expression of their index: `array!(at < 16 => 2 * at as u8)`.
macro_rules! array {
    ($at:ident < $len:literal => $item:expr) => {{
        let mut $at: usize = 0;
        let mut array = [$item; $len];
        while $at < $len {
            array[$at] = $item;
            $at += 1;
        }
        array
    }};
}
use array;

/// Calls the kernel of an instruction set if this CPU supports it, and the fallback otherwise:
/// `dispatch!(isa, { "x86_64" Avx2 => path::kernel(arguments), …, _ => fallback })`. A line counts only on the
/// architecture that it names. The arguments are variables.
macro_rules! dispatch {
    ($isa:expr, {
        $($arch:literal $set:ident => $($kernel:ident)::+($($argument:ident),*),)*
        _ => $fallback:expr $(,)?
    }) => {
        match $isa.usable() {
            $(
                #[cfg(target_arch = $arch)]
                // SAFETY: a kernel of `Isa::$set` enables no features but those that `Isa::is_available` asks for, and
                // `usable` returns the instruction set only if the CPU has them.
                $crate::arch::Isa::$set => unsafe { $($kernel)::+($($argument),*) },
            )*
            _ => $fallback,
        }
    };
}
use dispatch;

/// What [`isa`] returns; 0 before its first call.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

/// Returns the instruction set whose kernels run.
#[inline(always)]
pub fn isa() -> Isa {
    match CHOSEN.load(Ordering::Relaxed) {
        1 => Isa::Scalar,
        2 => Isa::Sse,
        3 => Isa::Avx2,
        4 => Isa::Avx512,
        5 => Isa::Neon,
        _ => choose(),
    }
}

#[cold]
fn choose() -> Isa {
    let asked = std::env::var("CHARPIPE_ISA").ok();
    let asked = Isa::ALL.into_iter().find(|isa| Some(isa.name()) == asked.as_deref());
    let best = || Isa::ALL.into_iter().rev().find(|isa| isa.is_available()).unwrap_or(Isa::Scalar);
    let isa = asked.filter(|isa| isa.is_available()).unwrap_or_else(best);
    CHOSEN.store(isa as u8, Ordering::Relaxed);
    isa
}

/// Whether walks are to visit everything, not a sample; see CONTRIBUTING.md.
#[cfg(test)]
pub(crate) fn is_full() -> bool {
    std::env::var_os("CHARPIPE_FULL").is_some_and(|value| !value.is_empty() && value != "0")
}

/// How many of `count` random texts are tried: fewer where property tests draw fewer cases, as on an emulated machine.
#[cfg(test)]
pub(crate) fn tried(count: usize) -> usize {
    const USUAL: usize = 256;
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(USUAL);
    (count * cases.min(USUAL)).div_ceil(USUAL)
}

/// Runs `test` for each instruction set that this machine has, and prints those that it does not have.
#[cfg(test)]
fn each_isa(mut test: impl FnMut(Isa)) {
    static SAID: std::sync::Once = std::sync::Once::new();
    let (there, missing): (Vec<_>, Vec<_>) = Isa::ALL.into_iter().partition(|isa| isa.is_available());
    SAID.call_once(|| eprintln!("skipped: kernels for {missing:?}, which this machine does not have"));
    there.into_iter().for_each(&mut test);
}
