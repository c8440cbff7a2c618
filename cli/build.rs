//! Links the command without libgcc_s.so on Linux, where that can be done.
//!
//! Rust takes the functions that unwind after a panic from that library, and to load it takes a tenth of the time of a
//! conversion of a few bytes. GCC has them as a static library too, which is linked if the linker is a compiler that knows
//! where it is. `cargo install` does the same, as this is part of the package.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if !is_glibc || features.split(',').any(|feature| feature == "crt-static") {
        return;
    }
    if let Some(library) = static_unwinder() {
        // All of it, as otherwise the shared library, which comes first, would be linked.
        println!("cargo:rustc-link-arg-bins=-Wl,--whole-archive");
        println!("cargo:rustc-link-arg-bins={}", library.display());
        println!("cargo:rustc-link-arg-bins=-Wl,--no-whole-archive");
    }
}

/// Returns the static library of the compiler that links the command.
fn static_unwinder() -> Option<PathBuf> {
    // A compiler for another machine may need options to name the right one, which are not known here.
    if env::var("HOST").ok()? != env::var("TARGET").ok()? {
        return None;
    }
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    let printed = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = PathBuf::from(String::from_utf8(printed.stdout).ok()?.trim_end());
    // A compiler that does not have it prints the name alone.
    (printed.status.success() && path.is_absolute() && Path::is_file(&path)).then_some(path)
}
