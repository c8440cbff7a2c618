//! Runs the cases of `spec/cases` with the C functions: conversions and rows in pieces and with buffers of any size; rows
//! also by the fields of each record.

#![allow(unsafe_code, reason = "C passes pointers")]

#[path = "../../tests/it/suite.rs"]
mod cases;

use cases::{Case, RowsCase};
use charpipe_capi::*;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::path::Path;

const NEED_INPUT: i32 = 0;
const NEED_ROOM: i32 = 1;

/// A handle that frees itself.
struct Stream(*mut Handle);

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and no one uses it from now on.
        unsafe { charpipe_free(self.0) }
    }
}

/// Returns JSON that a handle lent.
fn lent(text: *const c_char) -> Option<Value> {
    // SAFETY: the text is null or valid, and this reads it at once.
    (!text.is_null()).then(|| serde_json::from_str(unsafe { CStr::from_ptr(text) }.to_str().unwrap()).unwrap())
}

impl Stream {
    fn open(case: &Case) -> Stream {
        let lines: Vec<String> = case.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let options = CString::new(lines.join("\n")).unwrap();
        // SAFETY: the options end with a NUL.
        Stream(unsafe { charpipe_open(options.as_ptr()) })
    }

    fn error(&self) -> Option<Value> {
        // SAFETY: the handle is open.
        lent(unsafe { charpipe_error(self.0) })
    }

    fn report(&self) -> Value {
        // SAFETY: the handle is open.
        lent(unsafe { charpipe_report(self.0) }).unwrap()
    }

    /// Converts the input in pieces of `piece` bytes into buffers of `len`. Returns the output before the end or the
    /// error.
    fn run(&self, input: &[u8], piece: usize, len: usize) -> Vec<u8> {
        let (mut output, mut buffer) = (Vec::new(), vec![0_u8; len]);
        for mut piece in input.chunks(piece) {
            loop {
                let (mut read, mut written, room) = (0, 0, buffer.as_mut_ptr().cast());
                // SAFETY: the handle is open, and the buffers have these lengths.
                let status = unsafe {
                    charpipe_step(self.0, piece.as_ptr().cast(), piece.len(), &mut read, room, len, &mut written)
                };
                output.extend_from_slice(&buffer[..written]);
                piece = &piece[read..];
                match status {
                    NEED_INPUT => break assert!(piece.is_empty()),
                    NEED_ROOM => {}
                    _ => return output,
                }
            }
        }
        loop {
            let mut written = 0;
            // SAFETY: the handle is open, and the buffer has this length.
            let status = unsafe { charpipe_finish(self.0, buffer.as_mut_ptr().cast(), len, &mut written) };
            output.extend_from_slice(&buffer[..written]);
            if status != NEED_ROOM {
                return output;
            }
        }
    }
}

#[test]
fn conversions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let found = cases::cases(&root, "convert.jsonl", "C");
    for case in &found.cases {
        let stream = Stream::open(case);
        if let Some(code) = &case.refused {
            let error = stream.error().unwrap_or_else(|| panic!("{} is accepted", case.name));
            assert_eq!(error["code"], **code, "{}: {error}", case.name);
            continue;
        }
        for (piece, len) in [(usize::MAX, 1 << 16), (1, 1 << 16), (2, 3), (3, 1), (7, 70)] {
            let stream = Stream::open(case);
            let output = stream.run(&case.input, piece, len);
            let how = format!("pieces of {piece}, buffers of {len}");
            case.check(&how, &output, &stream.report(), stream.error().as_ref());
            assert_eq!(stream.report()["error"].is_null(), stream.error().is_none(), "{}, {how}", case.name);
        }
    }
    assert!(found.left_out.iter().all(|(_, reason)| !reason.is_empty()), "{:?}", found.left_out);
    assert!(found.cases.len() > 200, "{}", found.cases.len());
}

/// Returns JSON that the caller owns.
fn given(text: *mut c_char) -> Value {
    let json = lent(text).unwrap();
    // SAFETY: charpipe.h gave the text, and no one uses it from now on.
    unsafe { charpipe_free_text(text) };
    json
}

/// Calls `charpipe_fields`.
fn fields(options: &CStr, layout: &str, record: &[u8]) -> Value {
    let (at, len) = (layout.as_ptr().cast(), layout.len());
    // SAFETY: the options end with a NUL, and the bytes can be read.
    given(unsafe { charpipe_fields(options.as_ptr(), at, len, record.as_ptr().cast(), record.len()) })
}

/// The values of a row by the paths of their fields, as text. The type of the record has the path `_type`.
type Row = BTreeMap<String, Option<String>>;

/// Adds the values of a line to a row.
fn flatten(row: &mut Row, path: &str, json: &str) {
    match json.as_bytes()[0] {
        b'{' => {
            for (name, value) in serde_json::from_str::<BTreeMap<String, &RawValue>>(json).unwrap() {
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                flatten(row, &path, value.get());
            }
        }
        b'[' => {
            for (at, value) in serde_json::from_str::<Vec<&RawValue>>(json).unwrap().iter().enumerate() {
                flatten(row, &format!("{path}[{}]", at + 1), value.get());
            }
        }
        b'n' => drop(row.insert(path.to_owned(), None)),
        b'"' => drop(row.insert(path.to_owned(), Some(serde_json::from_str(json).unwrap()))),
        _ => drop(row.insert(path.to_owned(), Some(json.to_owned()))),
    }
}

/// Returns the values that `charpipe_fields` gave.
fn row(given: &Value) -> Row {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let fields = given["fields"].as_array().unwrap().iter();
    let values = fields.map(|field| (text(&field["name"]).unwrap(), text(&field["value"])));
    values.chain(text(&given["type"]).map(|name| ("_type".to_owned(), Some(name)))).collect()
}

/// Returns where the byte `at` of a record is in the input.
fn offset(pieces: &[(usize, usize)], mut at: usize) -> usize {
    for (start, len) in pieces {
        if at < *len {
            return start + at;
        }
        at -= len;
    }
    pieces.last().map_or(0, |(start, len)| start + len) + at
}

/// What the records of a case give.
struct Given {
    rows: Vec<Row>,
    error: Option<Value>,
}

/// Reads the records of a case, which `charpipe_records` finds, one by one until the first error, whose offset becomes
/// that in the input.
fn read(case: &RowsCase) -> Given {
    let (of_input, of_record): (Vec<_>, Vec<_>) = case.options.iter().partition(|(name, _)| name == "records");
    let lines = of_record.iter().flat_map(|(name, value)| value.lines().map(move |line| format!("{name}={line}\n")));
    let options = CString::new(lines.collect::<String>()).unwrap();
    let described = fields(&options, &case.layout, b"");
    if described.get("fields").is_none() {
        return Given { rows: Vec::new(), error: Some(described["error"].clone()) };
    }
    // As in the other interfaces, records have the length of the layout if nothing says how they are stored.
    let shape = of_input.first().map_or_else(|| format!("fb:{}", described["lengths"][1]), |(_, shape)| shape.clone());
    let (shape, input) = (CString::new(shape).unwrap(), &case.input);
    // SAFETY: the shape ends with a NUL, and the bytes can be read.
    let found = given(unsafe { charpipe_records(shape.as_ptr(), input.as_ptr().cast(), input.len(), 1) });
    let records: Vec<Vec<(usize, usize)>> = serde_json::from_value(found["records"].clone()).unwrap_or_default();
    let mut rows = Vec::new();
    for (index, pieces) in records.iter().enumerate() {
        let record: Vec<u8> = pieces.iter().flat_map(|(at, len)| &input[*at..at + len]).copied().collect();
        let mut read = fields(&options, &case.layout, &record);
        assert_eq!(read["cut"], false, "{}", case.name);
        if !read["error"].is_null() {
            let mut error = read["error"].take();
            error["offset"] = offset(pieces, error["offset"].as_u64().unwrap() as usize).into();
            error["record"] = (index + 1).into();
            return Given { rows, error: Some(error) };
        }
        rows.push(row(&read));
    }
    Given { rows, error: Some(found["error"].clone()).filter(|error| !error.is_null()) }
}

/// The fields of every record. The number of a record is that of the loop here, and counts have no place in the result.
#[test]
fn rows_jobs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (found, left_out) = cases::rows_cases(&root, "rows.jsonl", "C");
    for case in &found {
        let given = read(case);
        let expected = case.jsonl.lines().map(|line| {
            let mut row = Row::new();
            flatten(&mut row, "", line);
            row
        });
        assert_eq!(given.rows, expected.collect::<Vec<_>>(), "{}", case.name);
        if let Some(code) = &case.refused {
            let error = given.error.unwrap_or_else(|| panic!("{} is accepted", case.name));
            assert_eq!(error["code"], **code, "{}: {error}", case.name);
            continue;
        }
        assert_eq!(given.error.is_some(), case.error.is_some(), "{}: {:?}", case.name, given.error);
        let (Some(expected), Some(error)) = (&case.error, &given.error) else { continue };
        for key in ["code", "offset", "record", "field", "bytes"] {
            let value = error.get(key).filter(|value| **value != "").unwrap_or(&Value::Null);
            assert_eq!(*value, expected[key], "{}: {key} of {error}", case.name);
        }
    }
    assert!(left_out.iter().all(|(_, reason)| !reason.is_empty()), "{left_out:?}");
    assert!(found.len() > 115, "{}", found.len());
}

/// Options that have no meaning where there are no files.
const OF_FILES: [&str; 4] = ["copy-path", "to-records", "binary-range", "jobs"];

/// The rows of whole inputs are those of the command, however the input is cut and however small the buffers are.
#[test]
fn rows_of_inputs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (found, _) = cases::rows_cases(&root, "rows.jsonl", "no interface");
    let (mut read, mut refused) = (0, 0);
    for case in found.iter().filter(|case| !case.options.iter().any(|(name, _)| OF_FILES.contains(&&**name))) {
        for (format, text) in [("csv", &case.csv), ("jsonl", &case.jsonl)] {
            let lines =
                case.options.iter().flat_map(|(name, value)| value.lines().map(move |line| format!("{name}={line}\n")));
            let options = CString::new(lines.chain([format!("format={format}")]).collect::<String>()).unwrap();
            let layout = &case.layout;
            // SAFETY: the options end with a NUL, and the bytes can be read.
            let stream = Stream(unsafe { charpipe_open_rows(options.as_ptr(), layout.as_ptr().cast(), layout.len()) });
            if let Some(code) = &case.refused {
                // Some are refused only when there is an input.
                stream.run(&case.input, usize::MAX, 100);
                let error = stream.error().unwrap_or_else(|| panic!("{} is accepted", case.name));
                assert_eq!(error["code"], **code, "{}: {error}", case.name);
                refused += 1;
                continue;
            }
            for (piece, len) in [(usize::MAX, 1 << 16), (1, 1 << 16), (2, 3), (3, 1), (7, 70)] {
                // SAFETY: the handle is open.
                unsafe { charpipe_reset(stream.0) };
                let output = stream.run(&case.input, piece, len);
                let how = format!("{}, pieces of {piece}, buffers of {len}", case.name);
                assert_eq!(String::from_utf8_lossy(&output), **text, "{how}");
                let mut report = stream.report();
                // These are of the command alone.
                for key in ["types", "rejected"] {
                    report[key] = case.report_value(key);
                }
                report["error"] = stream.error().unwrap_or_default();
                case.check(&how, &report);
                read += 1;
            }
        }
    }
    assert!(read > 1000 && refused > 20, "{read} {refused}");
}

/// The streams of Arrow are the same however the input is cut and however small the buffers are. Without an error, they
/// end with the mark of the end.
#[test]
fn rows_of_arrow() {
    const END: &[u8] = b"\xFF\xFF\xFF\xFF\0\0\0\0";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (found, _) = cases::rows_cases(&root, "rows.jsonl", "no interface");
    let not_of_arrow = |name: &str| OF_FILES.contains(&name) || ["formulas", "quote-empty"].contains(&name);
    let mut read = 0;
    for case in found.iter().filter(|case| case.refused.is_none()) {
        if case.options.iter().any(|(name, _)| not_of_arrow(name)) {
            continue;
        }
        let lines =
            case.options.iter().flat_map(|(name, value)| value.lines().map(move |line| format!("{name}={line}\n")));
        let options = CString::new(lines.chain(["format=arrow".to_owned()]).collect::<String>()).unwrap();
        let layout = &case.layout;
        // SAFETY: the options end with a NUL, and the bytes can be read.
        let stream = Stream(unsafe { charpipe_open_rows(options.as_ptr(), layout.as_ptr().cast(), layout.len()) });
        let whole = stream.run(&case.input, usize::MAX, 1 << 16);
        assert!(whole.starts_with(&END[..4]), "{}: {:?}", case.name, stream.error());
        assert_eq!(whole.ends_with(END), case.error.is_none(), "{}", case.name);
        for (piece, len) in [(1, 1 << 16), (2, 3), (3, 1), (7, 70)] {
            // SAFETY: the handle is open.
            unsafe { charpipe_reset(stream.0) };
            let how = format!("{}, pieces of {piece}, buffers of {len}", case.name);
            assert!(stream.run(&case.input, piece, len) == whole, "{how}");
            let mut report = stream.report();
            assert_eq!(report["bytes_out"], whole.len(), "{how}");
            report["bytes_out"] = case.csv.len().into();
            for key in ["types", "rejected"] {
                report[key] = case.report_value(key);
            }
            report["error"] = stream.error().unwrap_or_default();
            case.check(&how, &report);
            read += 1;
        }
    }
    assert!(read > 500, "{read}");
    for (options, message) in [
        ("format=arrow\nformulas=quote", "option formulas: it has no meaning for rows of Arrow"),
        ("format=arrow\nquote-empty=false", "option quote-empty: it has no meaning for rows of Arrow"),
        ("format=xml", "option format: \"xml\" is not one of csv, jsonl, arrow"),
    ] {
        let options = CString::new(options).unwrap();
        // SAFETY: the options end with a NUL, and the bytes can be read.
        let stream = Stream(unsafe { charpipe_open_rows(options.as_ptr(), c"A 1 1 text".as_ptr().cast(), 10) });
        stream.run(b"A", 1, 10);
        let error = stream.error().unwrap();
        assert_eq!((&error["code"], &error["message"]), (&"usage".into(), &message.into()));
    }
}
