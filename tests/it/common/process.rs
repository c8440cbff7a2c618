//! Starts programs.

use std::io::{self, Write};
use std::process::{Child, Command, Output, Stdio};

/// Starts a program. It takes the places of `Command::spawn` and `Command::output` in tests that run on Windows, too.
pub trait Start {
    fn start(&mut self) -> Child;

    /// Waits for its end. Standard input is empty and the other two streams are collected, unless the caller has set
    /// them.
    fn run(&mut self) -> Output;
}

impl Start for Command {
    fn start(&mut self) -> Child {
        patiently(|| self.spawn())
    }

    fn run(&mut self) -> Output {
        patiently(|| self.output())
    }
}

/// wine 8 now and then fails to start a process with `ERROR_INTERNAL_ERROR`, which Windows does not do. The program has
/// not begun then, so that starting it again is all that is lost.
fn patiently<T>(mut start: impl FnMut() -> io::Result<T>) -> T {
    const ERROR_INTERNAL_ERROR: i32 = 1359;
    const ATTEMPTS: usize = 10;

    for _ in 1..ATTEMPTS {
        match start() {
            Err(error) if cfg!(windows) && error.raw_os_error() == Some(ERROR_INTERNAL_ERROR) => {}
            ended => return ended.unwrap(),
        }
    }
    start().unwrap()
}

/// Runs a program with `input` on standard input.
pub fn piped_through(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).start();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A program that failed stops reading; its exit status shows it.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}
