//! The cases of `spec/cases` through the C functions, in pieces and with buffers of any size.

#![allow(unsafe_code, reason = "C passes pointers")]

#[path = "../../tests/it/suite.rs"]
mod cases;

use cases::Case;
use charpipe_capi::*;
use serde_json::Value;
use std::ffi::{CStr, CString, c_char};
use std::path::Path;

const NEED_INPUT: i32 = 0;
const NEED_ROOM: i32 = 1;

/// A handle that frees itself.
struct Stream(*mut Handle);

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and nobody uses it from now on.
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
