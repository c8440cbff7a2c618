//! What the start of the program depends on.
//!
//! Code runs before `main`, and before Rust's runtime, which opens `/dev/null` in place of a standard stream that is
//! closed: afterwards nothing can tell that it was closed. And the mathematics library is not loaded.

#![allow(unsafe_code)]

/// Called by the loader or the C library, with whatever arguments it passes.
extern "C" fn note_closed_streams() {
    crate::files::streams::note_closed();
}

// SAFETY: these sections are lists of pointers to C functions without a result, and that is what this static is.
// Arguments that such a function does not take do no harm. `streams::note_closed` uses nothing that the runtime has to
// set up first.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = note_closed_streams;

/// C's `pow`. Only the progress bar needs it, and nothing else needs the mathematics library, which takes a twentieth of the
/// time of a conversion of a few bytes to load.
// SAFETY: the name, the signature and the result are those of C's `pow`. `errno`, which that one sets, is not read.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[unsafe(no_mangle)]
extern "C" fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}
