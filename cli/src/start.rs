//! The start of the program.
//!
//! On Linux, [`main`] is a C function. It does the same as Rust's runtime does before the program's own `main`, except
//! for the message about a stack overflow: to recognise an overflow, the runtime reads the list of the process's memory
//! mappings (or, with musl, searches for the end of the stack), which takes a tenth of the time of a conversion of a
//! few bytes. Elsewhere the runtime starts the program, and opens `/dev/null` in place of a standard stream that is
//! closed: afterwards nothing can tell that it was closed, so code that runs before it notes that. And the mathematics
//! library is not loaded.
//!
//! The static command for x86-64 begins at `charpipe_start`, if `build.rs` could make that its entry.

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

#[cfg(all(target_os = "linux", target_env = "musl", target_arch = "x86_64"))]
mod entry {
    use nix::libc::{MADV_POPULATE_WRITE, SYS_madvise};

    /// Gets the data of the program into memory with one system call, and goes on to the C library's `_start`.
    ///
    /// A static program that can be loaded at any address begins by relocating itself: it writes to each of 30 pages, and
    /// each write would cost a page fault. Those, and the ones for the rest of the data, take an eighth of a short run.
    ///
    /// Linux has this call since 5.14. Where it fails, the pages come one by one, so its result is not needed. A sandbox
    /// that ends a process for any `madvise` ends this one; most allocators call it too.
    // SAFETY: nothing else has this name, and the linker defines the others: `_start` is that of musl,
    // `__init_array_start` begins the list of constructors, and `_end` is where the data ends. Nothing calls this function
    // but the system, or a program that loads this one. It does not touch the stack, whose address is all that musl's
    // `_start` takes. `MADV_POPULATE_WRITE` changes no byte.
    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn charpipe_start() -> ! {
        core::arch::naked_asm!(
            // From the page of the constructors, which is the first that is relocated, to the end of the data.
            "lea rdi, [rip + __init_array_start]",
            "and rdi, -4096",
            "lea rsi, [rip + _end]",
            "sub rsi, rdi",
            "mov edx, {populate}",
            "mov eax, {madvise}",
            "syscall",
            "jmp _start",
            populate = const MADV_POPULATE_WRITE,
            madvise = const SYS_madvise,
        )
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
