//! The program that is measured.

use std::io;
use std::process::Command;

pub(crate) const PATH: &str = env!("CARGO_BIN_EXE_charpipe");

/// Builds it as `cargo install` does. `cargo bench` gives it features of other crates that only the tests need, such as the
/// tables of regular expressions, and it starts slower with them.
pub(crate) fn build() -> io::Result<()> {
    let args = ["build", "--quiet", "--release", "--package", "charpipe-cli"];
    let status = Command::new(env!("CARGO")).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).status()?;
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("cargo {}: {status}", args.join(" ")))),
    }
}
