//! Code that runs before `main`, and before Rust's runtime, which opens `/dev/null` where a standard stream is closed:
//! afterwards nobody can tell any more.

#![allow(unsafe_code)]

/// Called by the loader or the C library, with whatever arguments.
extern "C" fn look() {
    crate::files::streams::look();
}

// SAFETY: these sections are lists of pointers to C functions without a result, which is what stands here; arguments
// that such a function does not take do no harm. `streams::look` uses nothing that the runtime has to set up first.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = look;
