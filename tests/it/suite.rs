//! Reads the cases of `spec/cases`, and compares the results of an interface with those of a case. The tests of the
//! library, of the command and of the C interface share this file.

#![allow(dead_code)] // Each door uses its part.

use serde_json::{Map, Value, json};
use std::path::Path;

/// A job, its input, and what has to come out.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    pub input: Vec<u8>,
    /// Names and values of options, as on the command line. Flags have the values `true` and `false`.
    pub options: Vec<(String, String)>,
    /// The code of the error if the job must be refused before it reads anything.
    pub refused: Option<String>,
    pub output: Vec<u8>,
    /// The code, the place and the bytes of the error that ends the job.
    pub error: Option<Value>,
    /// All keys of the report but those of the verdict and the error.
    report: Map<String, Value>,
    /// Keys of the verdict that the case is about.
    verdict: Map<String, Value>,
}

/// The cases of one interface, and the names and reasons of those that are not for it.
pub struct Cases {
    pub cases: Vec<Case>,
    pub left_out: Vec<(String, String)>,
}

/// Returns the conversions of `spec/cases/LIST`, which `root` holds, for `door`.
pub fn cases(root: &Path, list: &str, door: &str) -> Cases {
    let (lines, left_out) = lines(root, list, door);
    Cases { cases: lines.iter().map(Case::of).collect(), left_out }
}

/// Returns the jobs with rows in the same way, and the names and reasons of those that are not for `door`.
pub fn rows_cases(root: &Path, list: &str, door: &str) -> (Vec<RowsCase>, Vec<(String, String)>) {
    let (lines, left_out) = lines(root, list, door);
    (lines.iter().map(RowsCase::of).collect(), left_out)
}

fn lines(root: &Path, list: &str, door: &str) -> (Vec<Value>, Vec<(String, String)>) {
    let path = root.join("spec/cases").join(list);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        match line["not_for"].get(door) {
            Some(reason) => left_out.push((string(&line["name"]), string(reason))),
            None => found.push(line),
        }
    }
    (found, left_out)
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}

/// Returns the bytes that are under `key` as text, or under `key_hex` in hex.
pub fn bytes(line: &Value, key: &str) -> Vec<u8> {
    match (line.get(key), line.get(format!("{key}_hex"))) {
        (Some(text), None) => string(text).into_bytes(),
        (None, Some(hex)) => unhex(&string(hex)),
        _ => Vec::new(),
    }
}

fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect()
}

/// What a report has if the case says nothing else.
fn quiet_report() -> Map<String, Value> {
    let none = json!({ "count": 0, "first": [] });
    let report = json!({
        "malformed": { "count": 0, "first": [], "read_as": null },
        "unmappable": none,
        "relabelled": null,
        "controls": null,
        "mojibake": null,
        "records": null,
        "records_out": null,
        "record_newlines": null,
        "records_cut": null,
        "passed": false,
        "diagnostics": [],
    });
    report.as_object().unwrap().clone()
}

/// Returns a value of a report. Diagnostics are without their messages, which are for people.
fn reported(keys: &Value, key: &str) -> Value {
    let value = keys.get(key).cloned().unwrap_or_default();
    let (Value::Array(notes), "diagnostics") = (&value, key) else { return value };
    let code = |note: &Value| json!({ "code": note["code"], "severity": note["severity"], "offset": note["offset"] });
    notes.iter().map(code).collect()
}

fn object(line: &Value, key: &str) -> Map<String, Value> {
    line.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
}

fn options(line: &Value) -> Vec<(String, String)> {
    object(line, "options").iter().map(|(name, value)| (name.clone(), string(value))).collect()
}

/// A layout, records, and the rows that have to come out.
#[derive(Debug)]
pub struct RowsCase {
    pub name: String,
    pub layout: String,
    pub input: Vec<u8>,
    pub options: Vec<(String, String)>,
    /// The code of the error if the job must be refused before it reads anything.
    pub refused: Option<String>,
    pub csv: String,
    pub jsonl: String,
    /// Whether the rows give the same bytes when they are written back.
    pub back: bool,
    pub error: Option<Value>,
    report: Map<String, Value>,
}

impl RowsCase {
    fn of(line: &Value) -> RowsCase {
        let text = |key: &str| line.get(key).map(string).unwrap_or_default();
        let quiet = json!({ "types": null, "nulls": 0, "loose_numbers": 0, "malformed": 0, "controls": 0, "record_newlines": 0, "records_cut": 0 });
        let mut report = quiet.as_object().unwrap().clone();
        report.extend(object(line, "report"));
        RowsCase {
            name: text("name"),
            layout: text("layout"),
            input: bytes(line, "input"),
            options: options(line),
            refused: line.get("refused").map(string),
            csv: text("csv"),
            jsonl: text("jsonl"),
            back: line.get("back").is_some(),
            error: line.get("error").cloned(),
            report,
        }
    }

    /// Returns what the report must have under this key; null if that is not said.
    #[allow(dead_code, reason = "not every test needs it")]
    pub fn report_value(&self, key: &str) -> Value {
        self.report.get(key).cloned().unwrap_or_default()
    }

    /// Panics unless a report and its error are those of the case.
    pub fn check(&self, what: &str, report: &Value) {
        for (key, expected) in &self.report {
            assert_eq!(&report[key], expected, "{what}: {key} of the report");
        }
        let error = Some(&report["error"]).filter(|error| !error.is_null());
        let place = |error: &Value| (error["code"].clone(), error["offset"].clone());
        assert_eq!(error.map(place), self.error.as_ref().map(place), "{what}: the error {error:?}");
        let (Some(expected), Some(error)) = (&self.error, error) else { return };
        let message = error["message"].as_str().unwrap();
        let record = expected["record"].as_u64().map(|record| format!("record {record}"));
        let field = expected["field"].as_str().map(|field| format!("field {field}"));
        for part in record.into_iter().chain(field).chain(expected["bytes"].as_str().map(spaced)) {
            assert!(message.contains(&part), "{what}: {part} is not in {message:?}");
        }
    }
}

/// Returns hexadecimal digits as messages show them, with a space after each byte but the last.
fn spaced(hex: &str) -> String {
    let pairs: Vec<String> = unhex(hex).iter().map(|byte| format!("{byte:02X}")).collect();
    pairs.join(" ")
}

impl Case {
    fn of(line: &Value) -> Case {
        let output = bytes(line, "output");
        let mut report = quiet_report();
        report.insert("bytes_out".to_owned(), output.len().into());
        report.extend(object(line, "report"));
        Case {
            name: string(&line["name"]),
            input: bytes(line, "input"),
            options: options(line),
            refused: line.get("refused").map(string),
            output,
            error: line.get("error").cloned(),
            report,
            verdict: object(line, "verdict"),
        }
    }

    /// Panics unless a run has given what the case says: the output, the report and the error as JSON. `how` says which
    /// run it was.
    pub fn check(&self, how: &str, output: &[u8], report: &Value, error: Option<&Value>) {
        let what = format!("{}, {how}", self.name);
        let shown = |bytes: &[u8]| format!("{:?} {bytes:02X?}", String::from_utf8_lossy(bytes));
        assert_eq!(shown(output), shown(&self.output), "{what}: the output");
        self.check_error(&what, error);
        for (key, expected) in &self.report {
            assert_eq!(&reported(report, key), expected, "{what}: {key} of the report");
        }
        for (key, expected) in &self.verdict {
            assert_eq!(&reported(&report["verdict"], key), expected, "{what}: {key} of the verdict");
        }
    }

    /// Compares code, offset, line, record and column. The bytes or the character of the error are in its message.
    fn check_error(&self, what: &str, error: Option<&Value>) {
        let place = |error: &Value| ["code", "offset", "line", "record", "column"].map(|key| error[key].clone());
        assert_eq!(error.map(place), self.error.as_ref().map(place), "{what}: the error {error:?}");
        let (Some(expected), Some(error)) = (&self.error, error) else { return };
        let message = error["message"].as_str().unwrap();
        let hex = expected["bytes"].as_str().map(spaced);
        let char = expected["char"].as_str().map(|char| format!("U+{:04X}", char.chars().next().unwrap() as u32));
        for part in hex.into_iter().chain(char) {
            assert!(message.contains(&part), "{what}: {part} is not in {message:?}");
        }
        for key in ["bytes", "char"] {
            if !error[key].is_null() {
                assert_eq!(error[key], expected[key], "{what}: {key} of the error");
            }
        }
    }
}
