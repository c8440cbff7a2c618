//! Starts child processes with the default handling of signals. Under `nohup`, and with `&` in a script, some signals
//! are ignored, and child processes inherit that.

use std::ffi::OsStr;
use std::process::Command;
use std::sync::LazyLock;

/// The signals that tests send, and the one of a closed pipe.
const DEFAULT: &str = "--default-signal=INT,QUIT,HUP,TERM,PIPE,XFSZ";

/// Returns whether there is an `env` that can reset signals (GNU's, since 8.31).
static HAS_ENV: LazyLock<bool> = LazyLock::new(|| {
    let output = Command::new("env").args([DEFAULT, "true"]).output();
    output.is_ok_and(|output| output.status.success())
});

/// Returns a command for `program` with default signal handling. The program is the child itself, not a grandchild.
pub fn with_default_signals(program: impl AsRef<OsStr>) -> Command {
    if !*HAS_ENV {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.arg(DEFAULT).arg(program);
    command
}
