//! Converts truncated and damaged documents with the command.

use crate::common::broken::{documents, each_damaged};
use crate::common::process::Start;
use charpipe::Transcode;

/// For each document the command writes the same output as the library, and its exit status shows whether it failed.
#[test]
fn the_command_agrees_with_the_library() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    for document in documents().into_iter().step_by(11) {
        let mut count = 0;
        each_damaged(&document, |what, bytes| {
            count += 1;
            if count % 199 != 0 {
                return;
            }
            let mut child = Command::new(env!("CARGO_BIN_EXE_charpipe"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .start();
            child.stdin.take().unwrap().write_all(bytes).unwrap();
            let theirs = child.wait_with_output().unwrap();
            let mut ours = Vec::new();
            let result = Transcode::new().run(bytes, &mut ours);
            assert_eq!(theirs.stdout, ours, "{what}");
            assert_eq!(theirs.status.code(), Some(i32::from(result.is_err())), "{what}");
            if let Err(error) = result {
                let stderr = String::from_utf8(theirs.stderr).unwrap();
                let place = format!("byte {}", error.offset().unwrap());
                assert!(stderr.contains(&place), "{what}: {stderr}");
            }
        });
    }
}
