//! How the command is linked on Linux, so that it starts sooner. `cargo install` does the same, as this is part of the
//! package.
//!
//! * Without libgcc_s.so. Rust takes the functions that unwind after a panic from that library, and to load it takes a
//!   tenth of the time of a conversion of a few bytes. GCC has them as a static library too, which is linked if the linker
//!   is a compiler that knows where it is.
//! * With the functions of a short run beside each other (`start.ld`). Otherwise they are scattered over megabytes, and
//!   getting them into memory page by page takes a tenth of such a run, and a fifth of that of the static command.
//! * If it is static and for x86-64, with `charpipe_start` as its entry (see `src/start.rs`), in debug builds too.
//! * With packed relocations (`DT_RELR`), if it is static: 2 KB in place of 155, which take a twelfth of the time of a short
//!   run. With glibc they would save 3 %, but then only glibc 2.36 or later could start the command.
//!
//! What a linker cannot do is left out: the command does the same without it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=start.ld");
    let var = |name: &str| env::var(name).unwrap_or_default();
    let (host, target, flags) = (var("HOST"), var("TARGET"), var("CARGO_ENCODED_RUSTFLAGS"));
    // A compiler for another machine may need options, which are not known here.
    let is_static = match &var("CARGO_CFG_TARGET_ENV")[..] {
        "gnu" if host == target && !var("CARGO_CFG_TARGET_FEATURE").contains("crt-static") => false,
        // Rust's own musl, linked by the compiler of this machine.
        "musl" if host.strip_suffix("-gnu") == target.strip_suffix("-musl") && !flags.contains("-crt-static") => true,
        _ => return,
    };
    if var("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let compiler = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    if !is_static && let Some(library) = static_unwinder(&compiler) {
        // All of it, as otherwise the shared library, which comes first, would be linked.
        println!("cargo:rustc-link-arg-bins=-Wl,--whole-archive");
        println!("cargo:rustc-link-arg-bins={}", library.display());
        println!("cargo:rustc-link-arg-bins=-Wl,--no-whole-archive");
    }
    // An option of the user's may choose another linker: `-C linker=`, `-Clink-arg=`, `-Zlinker-features=` and others.
    let is_about_linking = |flag: &str| {
        let option = ["--codegen=", "-C", "-Z"].iter().find_map(|prefix| flag.strip_prefix(prefix));
        option.unwrap_or(flag).starts_with("link")
    };
    if flags.split('\x1f').any(is_about_linking) || !takes_scripts(&compiler) {
        return;
    }
    if is_static && var("CARGO_CFG_TARGET_ARCH") == "x86_64" {
        println!("cargo:rustc-link-arg-bins=-Wl,-e,charpipe_start");
    }
    if var("PROFILE") == "release" {
        println!("cargo:rustc-link-arg-bins=-T{}/start.ld", var("CARGO_MANIFEST_DIR"));
        if is_static && musl_unpacks() {
            println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        }
    }
}

/// Returns whether the musl that comes with the compiler takes packed relocations: that of Rust 1.93, musl 1.2.5.
fn musl_unpacks() -> bool {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let Ok(printed) = Command::new(rustc).arg("--version").output() else { return false };
    // As in `rustc 1.93.0 (254b59607 2026-01-19)`.
    let version = String::from_utf8_lossy(&printed.stdout);
    let mut parts = version.trim_start_matches("rustc ").split('.').map_while(|part| part.parse::<u32>().ok());
    (parts.next(), parts.next()) >= (Some(1), Some(93))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|at| at == part)
}

/// Returns the static library of the compiler that links the command.
fn static_unwinder(compiler: &str) -> Option<PathBuf> {
    let printed = Command::new(compiler).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = PathBuf::from(String::from_utf8(printed.stdout).ok()?.trim_end());
    // A compiler that does not have it prints the name alone.
    (printed.status.success() && path.is_absolute() && Path::is_file(&path)).then_some(path)
}

/// Returns whether the linker certainly is one that takes linker scripts: GNU's or LLVM's.
fn takes_scripts(compiler: &str) -> bool {
    let printed = Command::new(compiler).arg("-Wl,--version").output();
    // Rust's own linker, which it uses in place of the compiler's on some machines, is LLVM's.
    let is_known = |text: &[u8]| contains(text, b"GNU ld ") || contains(text, b"LLD ");
    printed.is_ok_and(|printed| is_known(&printed.stdout))
}
