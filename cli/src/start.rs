//! The start of the program.
//!
//! On Linux, [`main`] is a C function. It does the same as Rust's runtime does before the program's own `main`, except
//! for the message about a stack overflow: to recognise an overflow, the runtime reads the list of the process's memory
//! mappings (or, with musl, searches for the end of the stack), which takes a tenth of the time of a conversion of a
//! few bytes. Elsewhere the runtime starts the program, and opens `/dev/null` in place of a standard stream that is
//! closed: afterwards nothing can tell that it was closed, so code that runs before it notes that. And the mathematics
//! library is not loaded.

#![allow(unsafe_code)]

#[cfg(all(target_os = "linux", not(test)))]
mod linux {
    use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
    use std::os::unix::ffi::OsStrExt;

    // SAFETY: the name, the parameters and the result are those of C's `main`, and nothing else has this name.
    #[unsafe(no_mangle)]
    extern "C" fn main(count: c_int, values: *const *const c_char) -> c_int {
        crate::files::streams::note_closed();
        crate::files::streams::open_closed();
        ignore_broken_pipes();
        let status = crate::panics::run(|| crate::run(arguments(count, values)));
        // This writes what standard output still holds.
        std::process::exit(status.into())
    }

    /// Returns the arguments.
    fn arguments(count: c_int, values: *const *const c_char) -> Vec<OsString> {
        let value = |index| {
            // SAFETY: C's `main` gets as many pointers as its first argument says. Each is to text that ends in a zero,
            // and that nothing in this program changes.
            let value = unsafe { CStr::from_ptr(*values.add(index)) };
            OsStr::from_bytes(value.to_bytes()).to_owned()
        };
        (0..usize::try_from(count).unwrap_or(0)).map(value).collect()
    }

    /// Makes a write to a pipe that no one reads an error, as Rust's runtime does.
    fn ignore_broken_pipes() {
        use nix::sys::signal::{SigHandler, Signal, signal};
        // SAFETY: to ignore a signal, no function of this program is called.
        // It fails only for signals that cannot be ignored.
        _ = unsafe { signal(Signal::SIGPIPE, SigHandler::SigIgn) };
    }
}

#[cfg(not(all(target_os = "linux", not(test))))]
mod elsewhere {
    /// Called by the loader or the C library, whose arguments are ignored.
    extern "C" fn note_closed_streams() {
        crate::files::streams::note_closed();
    }

    // SAFETY: these sections are lists of pointers to C functions without a result, and that is what this static is.
    // Arguments that such a function does not take do no harm. `streams::note_closed` uses nothing that the runtime has
    // to set up first.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static BEFORE_MAIN: extern "C" fn() = note_closed_streams;
}

/// C's `pow`. Only the progress bar needs it, and nothing else needs the mathematics library, which takes a twentieth
/// of the time of a conversion of a few bytes to load.
// SAFETY: the name, the signature and the result are those of C's `pow`. `errno`, which that one sets, is not read.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[unsafe(no_mangle)]
extern "C" fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}
