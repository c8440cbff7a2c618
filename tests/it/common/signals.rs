//! Starts child processes with the default handling of signals. Under `nohup`, and with `&` in a script, some signals
//! are ignored, and child processes inherit that.

use std::ffi::OsStr;
use std::process::Command;
use std::sync::LazyLock;

/// What tests send, and what may come of a pipe that is closed.
const DEFAULT: &str = "--default-signal=INT,QUIT,HUP,TERM,PIPE,XFSZ";

/// Whether there is an `env` that can do it (GNU's, from 8.31 on).
static HAS_ENV: LazyLock<bool> = LazyLock::new(|| {
    let output = Command::new("env").args([DEFAULT, "true"]).output();
    output.is_ok_and(|output| output.status.success())
});

/// `program`, in which each signal does what it does by default. It is the child itself, not a child of that one.
pub fn with_default_signals(program: impl AsRef<OsStr>) -> Command {
    if !*HAS_ENV {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.arg(DEFAULT).arg(program);
    command
}
