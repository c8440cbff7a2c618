//! Tests of panics: they run the whole command with a codec that panics.

use crate::args::{self, Cli, Command as Of};
use crate::panics::run;
use crate::{convert, detect};
use charpipe::codec::{ByteSink, Malformed, Replacement, Step, Stop, Unmappable, Utf8Sink};
use charpipe::{Codec, Decoder, Encoder, Registry};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::process::{Command, Output};
use std::sync::Arc;
use tempfile::TempDir;

/// ASCII, except for this byte, on which the codec panics.
#[derive(Clone)]
struct Panics(u8);

impl Codec for Panics {
    fn name(&self) -> &str {
        if self.0 == b'!' { "X-PANICS" } else { "X-PANICS-SOON" }
    }
    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }
    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(self.clone()))
    }
}

impl Decoder for Panics {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let read = dst.push_ascii(src);
        src[..read].iter().for_each(|byte| assert_ne!(*byte, self.0, "as\nasked"));
        Step { read, stop: if read < src.len() { Stop::OutputFull } else { Stop::InputEmpty } }
    }
    fn finish(&mut self, _: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        Stop::InputEmpty
    }
    fn reset(&mut self) {}
    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }
    fn pending(&self) -> usize {
        0
    }
}

impl Encoder for Panics {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        assert!(!src.contains('!'), "as\nasked");
        dst.push(src.as_bytes());
        Step { read: src.len(), stop: Stop::InputEmpty }
    }
    fn finish(&mut self, _: &mut ByteSink<'_>) -> Stop<Unmappable> {
        Stop::InputEmpty
    }
    fn reset(&mut self) {}
    fn encode_replacement(&mut self, _: char, _: Replacement<'_>, _: &mut ByteSink<'_>) -> bool {
        false
    }
    fn pending(&self) -> usize {
        0
    }
}

const ARGS: &str = "CHARPIPE_TEST_OF_PANICS";

/// Runs the command with that codec as the source, or as the target of records. Does something only in a child process of
/// another test: the command prints messages, and then the process ends.
#[test]
fn child() {
    let Some(line) = std::env::var_os(ARGS) else { return };
    let line = line.into_string().unwrap();
    let args = || ["charpipe"].into_iter().chain(line.split(' ')).map(OsString::from);
    let mut registry = Registry::builtin();
    for byte in [b'!', b'<'] {
        registry.register(Arc::new(Panics(byte)), &[]).unwrap();
    }
    let status = run(|| match args::parse(args()).unwrap_or_else(|wrong| wrong.error.exit()) {
        Cli { command: Of::Convert(convert) } => {
            let transcode = convert.transcode().unwrap().registry(registry);
            let transcode = match line.contains("--to-records") {
                true => transcode.target_encoding("X-PANICS").unwrap(),
                false => transcode.source_encoding("X-PANICS").unwrap(),
            };
            convert::run_with(&convert, transcode).unwrap_or_else(|status| status)
        }
        Cli { command: Of::Detect(detect) } => detect::run_with(&detect, registry),
        _ => panic!("of no file at all"),
    });
    std::process::exit(status as i32);
}

/// Runs the command in `folder`, as a child process.
fn run_in(folder: &TempDir, line: &str) -> (i32, String, Output) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "panic_tests::child", "--nocapture", "-q"]).env(ARGS, line);
    let output = command.current_dir(folder).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr.clone()).unwrap(), output)
}

const SAID: &str = "internal error: assertion `left != right` failed: as asked left: 33 right: 33";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in [("a", "one\n"), ("bad", "good\nb!d\n"), ("c", "three\n")] {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn text(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// With any number of jobs, the other files are converted, the old file stays, and no temporary file remains.
#[test]
fn it_is_the_error_of_one_file() {
    // Detection has read one byte, with which no mark of this encoding begins. The decoder panics on those that follow.
    let line = format!("charpipe: bad: byte 1: {SAID} (this is a bug in charpipe; please report it)\n");
    for jobs in [1, 2] {
        let folder = folder();
        let (status, said, _) = run_in(&folder, &format!("-q --jobs {jobs} --eol crlf --in-place --report r a bad c"));
        assert_eq!((status, said), (1, line.clone()), "{jobs}");
        assert_eq!(["a", "bad", "c"].map(|name| text(&folder, name)), ["one\r\n", "good\nb!d\n", "three\r\n"]);
        assert_eq!(names(&folder), ["a", "bad", "c", "r"]);
        let report: Vec<Value> = text(&folder, "r").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(report.len(), 3);
        let error = &report[1]["error"];
        assert_eq!((&error["code"], &error["offset"]), (&"internal".into(), &1.into()));
        assert_eq!(error["message"], SAID);
        assert!(report[0]["error"].is_null() && report[2]["error"].is_null());

        let (status, said, _) = run_in(&folder, &format!("-q --jobs {jobs} --output-dir out a bad c"));
        assert_eq!((status, said), (1, line.clone()), "{jobs}");
        assert_eq!((text(&folder, "out/c"), folder.path().join("out/bad").exists()), ("three\r\n".into(), false));
        let (status, ..) = run_in(&folder, &format!("-q --jobs {jobs} -o a a bad c"));
        assert_eq!((status, text(&folder, "a")), (1, "one\r\n".into()));
        assert_eq!(names(&folder), ["a", "bad", "c", "out", "r"]);
        let (status, said, output) = run_in(&folder, &format!("-q --jobs {jobs} a bad c"));
        assert_eq!((status, said), (1, line.clone()), "{jobs}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("one\r\nthree\r\n"));
        let (status, _, output) = run_in(&folder, &format!("-q --jobs {jobs} --check a bad c"));
        let lines = String::from_utf8(output.stdout).unwrap();
        assert_eq!((status, lines.contains("fails at byte 1 (internal)")), (1, true), "{lines}");
    }
}

#[test]
fn the_place_is_told() {
    let folder = folder();
    let (status, said, _) = run_in(&folder, "-v --relabel never --records fb:3 bad");
    assert_eq!(status, 1);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with(&format!("charpipe: bad: panicked at {}:", file!()))), "{said}");
    let place = "charpipe: bad: byte 6: record 3, column 1: internal error: ";
    assert!(lines.last().unwrap().starts_with(place), "{said}");
    // A panic in the encoder.
    let (status, said, _) = run_in(&folder, "-q --to-records fb:4 -o new bad");
    assert!(status == 1 && said.starts_with("charpipe: bad: byte "), "{said}");
    assert!(said.contains(": internal error: as asked (") && said.lines().count() == 1, "{said}");
}

#[test]
fn detection_goes_on_too() {
    let folder = folder();
    fs::write(folder.path().join("bad"), "<?xml version='1.0' encoding='X-PANICS-SOON'?><a/>").unwrap();
    let (status, said, output) = run_in(&folder, "detect --json bad a");
    assert!(status == 1 && said.starts_with("charpipe: bad: internal error: ") && said.lines().count() == 1, "{said}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let (error, after) = (&lines[0]["error"], &lines[1]["encoding"]);
    assert_eq!((&error["code"], &error["offset"], after), (&"internal".into(), &Value::Null, &"UTF-8".into()));
}

#[test]
fn one_without_a_file() {
    let (status, said, _) = run_in(&folder(), "list");
    assert!(
        said.starts_with(&format!("charpipe: internal error: of no file at all, panicked at {}:", file!())),
        "{said}"
    );
    assert!(status == 1 && said.lines().count() == 1, "{said}");
}
