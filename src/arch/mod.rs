//! Vector kernels: the inner loops behind the codecs, once for each instruction set.
//!
//! A kernel is a safe function over slices, `(src, dst) → (read, written)`. It goes as far as it can in whole blocks and
//! stops, at the boundary of a character, before anything that needs a decision: something ill-formed or unmappable,
//! the tail of the input, the end of the room. What it stops at is the codec's, which goes on a character at a time
//! and comes back. So a kernel knows nothing of faults, and the codec nothing of vectors; and *nothing done* is always
//! a right answer, which is what the scalar twin of a kernel may give.
//!
//! | folder | instruction set |
//! |---|---|
//! | `scalar/` | none: Rust that a compiler likes. The oracle of the others |
//! | `x86_64/` | SSE4.1, AVX2, AVX-512 with VBMI and VBMI2 |
//! | `aarch64/` | NEON |
//!
//! Beside the folders, `single_byte.rs`, `utf8.rs`, `utf16.rs`, `utf32.rs`, `lanes.rs` (mixed pages) and `bytes.rs`
//! (tables of bytes, padding) are what codecs call, with the dispatch and the tests of all twins; `shuffles.rs` and
//! `slices.rs` are shared by the folders. For UTF-16 and UTF-32 the scalar twin is the codec's own loop. `start.rs` is no
//! kernel: it is here as it needs `unsafe`, and belongs to the command.
//!
//! Which one runs is found out once, by [`isa`]; `CHARPIPE_ISA=scalar` (or `sse`, `avx2`, `avx512`, `neon`) in the
//! environment asks for a lesser one, to test it and to tell whether a fault is a kernel's.

#![allow(unsafe_code)] // Loads, stores, and calls of what a CPU may lack; nowhere else but in `codec::sink`.

#[cfg(target_arch = "aarch64")]
mod aarch64;
pub mod bytes;
pub mod lanes;
mod scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod shuffles;
pub mod single_byte;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod slices;
#[cfg(test)]
mod unicode_tests;
pub mod utf16;
pub mod utf32;
pub mod utf8;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that there are kernels for, the lesser first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Isa {
    /// None.
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
    /// All of them.
    pub const ALL: [Isa; 5] = [Isa::Scalar, Isa::Sse, Isa::Avx2, Isa::Avx512, Isa::Neon];

    /// Its name, as `CHARPIPE_ISA` has it.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Sse => "sse",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }

    /// Itself where this machine has it, else [`Isa::Scalar`]: what a kernel may be called by.
    #[inline(always)]
    fn usable(self) -> Isa {
        if self == isa() || self.is_available() { self } else { Isa::Scalar }
    }

    /// Whether this machine has it.
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

/// What [`isa`] answers; 0 before it was asked.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

/// The instruction set whose kernels run.
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

/// Runs `test` for each instruction set that this machine has, and says which it has not.
#[cfg(test)]
fn each_isa(mut test: impl FnMut(Isa)) {
    static SAID: std::sync::Once = std::sync::Once::new();
    let (there, missing): (Vec<_>, Vec<_>) = Isa::ALL.into_iter().partition(|isa| isa.is_available());
    SAID.call_once(|| eprintln!("skipped: kernels for {missing:?}, which this machine has not"));
    there.into_iter().for_each(&mut test);
}
