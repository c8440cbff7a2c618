//! How the command is linked on Linux, so that it starts sooner. `cargo install` does the same, as this is part of the
//! package.
//!
//! * Without libgcc_s.so. Rust takes the functions that unwind after a panic from that library, and to load it takes a
//!   tenth of the time of a conversion of a few bytes. GCC has them as a static library too, which is linked if the linker
//!   is a compiler that knows where it is.
//! * With the functions of a short run beside each other (`start.ld`). Otherwise they are scattered over megabytes, and
//!   getting them into memory page by page takes a tenth of such a run, and a fifth of that of the static command.
//!
//! What a linker cannot do is left out: the command does the same without it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=start.ld");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    // A compiler for another machine may need options, which are not known here.
    let is_native = env::var("HOST").is_ok_and(|host| is("TARGET", &host));
    if !is_glibc || !is_native || features.split(',').any(|feature| feature == "crt-static") {
        return;
    }
    let compiler = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    if let Some(library) = static_unwinder(&compiler) {
        // All of it, as otherwise the shared library, which comes first, would be linked.
        println!("cargo:rustc-link-arg-bins=-Wl,--whole-archive");
        println!("cargo:rustc-link-arg-bins={}", library.display());
        println!("cargo:rustc-link-arg-bins=-Wl,--no-whole-archive");
    }
    if is("PROFILE", "release") && takes_scripts(&compiler) {
        let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo:rustc-link-arg-bins=-T{folder}/start.ld");
    }
}

/// Returns the static library of the compiler that links the command.
fn static_unwinder(compiler: &str) -> Option<PathBuf> {
    let printed = Command::new(compiler).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = PathBuf::from(String::from_utf8(printed.stdout).ok()?.trim_end());
    // A compiler that does not have it prints the name alone.
    (printed.status.success() && path.is_absolute() && Path::is_file(&path)).then_some(path)
}

/// Returns whether the linker certainly is one that takes linker scripts: GNU's or LLVM's, and no option of the user's
/// chooses another.
fn takes_scripts(compiler: &str) -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let printed = Command::new(compiler).arg("-Wl,--version").output();
    // Rust's own linker, which it uses in place of the compiler's on some machines, is LLVM's.
    let is_known =
        |text: &[u8]| [&b"GNU ld "[..], b"LLD "].iter().any(|name| text.windows(name.len()).any(|at| at == *name));
    !flags.contains("link") && printed.is_ok_and(|printed| is_known(&printed.stdout))
}
