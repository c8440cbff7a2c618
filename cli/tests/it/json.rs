//! The command prints the keys that the library serialises.

use crate::common::process::Start;
use charpipe::{OnMalformed, Transcode};
use serde_json::to_string;

/// There is one definition: the command prints what a caller of the library gets, plus what only the command knows.
#[test]
fn the_command_prints_the_json_of_the_library() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let run = |args: &[&str], input: &[u8]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        let streams = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.start();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    };
    let utf16 = include_bytes!("../../../examples/data/utf16le-bom.xml");
    let ebcdic = include_bytes!("../../../examples/data/no-declaration-name-ibm037.xml");
    let unknown = b"<?xml version='1.0' encoding='x-none'?><a/>";
    for input in [&utf16[..], ebcdic, unknown, b"text", b"<?xml version='1.0'?><a>\xFF\xFE</a>"] {
        let verdict = to_string(&charpipe::detect(input)).unwrap();
        let named = |keys: &str| format!(r#"{{"input":"<stdin>",{}"#, &keys[1..]);
        let printed = String::from_utf8(run(&["detect", "--json"], input).stdout).unwrap();
        assert_eq!(printed, format!("{}\n", named(&verdict)));

        let job = Transcode::new().on_malformed(OnMalformed::Replace).count_lines(true);
        let mut transcoder = job.transcoder().unwrap();
        let error = transcoder.run(&mut &input[..], &mut Vec::new()).err();
        // It has not looked at as many bytes as detection alone.
        let verdict = to_string(&transcoder.report().verdict).unwrap();
        let report = to_string(transcoder.report()).unwrap().replace(&verdict, &named(&verdict));
        let report = report[1..].strip_suffix('}').unwrap();
        let error = to_string(&error).unwrap();
        let expected = format!(r#"{{"input":"<stdin>","output":"<stdout>",{report},"stopped":false,"error":{error}}}"#);
        let stderr = run(&["-q", "--malformed", "replace", "--report", "-"], input).stderr;
        let stderr = String::from_utf8(stderr).unwrap();
        assert_eq!(stderr.lines().find(|line| line.starts_with('{')), Some(&*expected));
    }
}
