//! The command `charpipe`.

use std::process::ExitCode;

fn main() -> ExitCode {
    charpipe::cli::main()
}
