//! The command `charpipe`.

use std::process::ExitCode;

// Among the kernels because it cannot do without `unsafe`; in the command and not in the library, whose users have a
// start of their own.
#[cfg(unix)]
#[path = "arch/start.rs"]
mod start;

fn main() -> ExitCode {
    charpipe::cli::main()
}
