//! Tests the exported functions as a C program calls them.

#![allow(unsafe_code, reason = "C passes pointers")]

use charpipe::{NamedOption, OptionValue};
use charpipe_capi::*;
use serde_json::Value;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::{null, null_mut};

const NEED_INPUT: c_int = 0;
const NEED_ROOM: c_int = 1;
const DONE: c_int = 2;
const BAD_CHAR: c_int = 3;
const ERROR: c_int = -1;

/// A handle that frees itself.
struct Stream(*mut Handle);

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and no one uses it from now on.
        unsafe { charpipe_free(self.0) }
    }
}

/// Returns a text that a handle lent.
fn lent(text: *const c_char) -> Option<String> {
    // SAFETY: the text is null or valid, and this copies it at once.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned())
}

/// Returns a text that was given away, as JSON, and frees it.
fn given(text: *mut c_char) -> Value {
    let json = serde_json::from_str(&lent(text).expect("there is memory")).unwrap();
    // SAFETY: a function gave the text away.
    unsafe { charpipe_free_text(text) };
    json
}

impl Stream {
    fn open(options: &str) -> Stream {
        let options = CString::new(options).unwrap();
        // SAFETY: the options end with a NUL.
        Stream(unsafe { charpipe_open(options.as_ptr()) })
    }

    fn detector(options: &str) -> Stream {
        let options = CString::new(options).unwrap();
        // SAFETY: the options end with a NUL.
        Stream(unsafe { charpipe_open_detector(options.as_ptr()) })
    }

    fn step(&self, input: &[u8], room: &mut [u8]) -> (c_int, usize, usize) {
        let (mut read, mut written) = (77, 77);
        // SAFETY: the handle is open, and the buffers have these lengths.
        let status = unsafe {
            charpipe_step(
                self.0,
                input.as_ptr().cast(),
                input.len(),
                &mut read,
                room.as_mut_ptr().cast(),
                room.len(),
                &mut written,
            )
        };
        (status, read, written)
    }

    fn convert(&self, input: &[u8], room: &mut [u8]) -> (c_int, usize, usize) {
        let (mut read, mut written) = (77, 77);
        let (start, output) = (input.as_ptr().cast(), room.as_mut_ptr().cast());
        // SAFETY: the handle is open, and the buffers have these lengths.
        let status =
            unsafe { charpipe_convert(self.0, start, input.len(), &mut read, output, room.len(), &mut written) };
        (status, read, written)
    }

    fn end_text(&self, room: &mut [u8]) -> (c_int, usize) {
        let mut written = 77;
        // SAFETY: the handle is open, and the buffer has this length.
        let status = unsafe { charpipe_end_text(self.0, room.as_mut_ptr().cast(), room.len(), &mut written) };
        (status, written)
    }

    fn value(&self, input: &[u8], room: &mut [u8]) -> (c_int, usize) {
        let mut written = 77;
        let (start, output) = (input.as_ptr().cast(), room.as_mut_ptr().cast());
        // SAFETY: the handle is open, and the buffers have these lengths.
        let status = unsafe { charpipe_value(self.0, start, input.len(), output, room.len(), &mut written) };
        (status, written)
    }

    fn finish(&self, room: &mut [u8]) -> (c_int, usize) {
        let mut written = 77;
        // SAFETY: the handle is open, and the buffer has this length.
        let status = unsafe { charpipe_finish(self.0, room.as_mut_ptr().cast(), room.len(), &mut written) };
        (status, written)
    }

    /// Converts `input` in pieces of `piece` bytes, with space for `len` bytes of output at a time. Returns the output
    /// and the error.
    fn run(&self, input: &[u8], piece: usize, len: usize) -> (Vec<u8>, Option<Value>) {
        let (mut output, mut room) = (Vec::new(), vec![0; len]);
        for mut piece in input.chunks(piece) {
            loop {
                let (status, read, written) = self.step(piece, &mut room);
                output.extend_from_slice(&room[..written]);
                piece = &piece[read..];
                match status {
                    NEED_INPUT => break assert!(piece.is_empty()),
                    NEED_ROOM => {}
                    _ => return (output, self.error()),
                }
            }
        }
        loop {
            let (status, written) = self.finish(&mut room);
            output.extend_from_slice(&room[..written]);
            match status {
                NEED_ROOM => {}
                DONE => return (output, None),
                _ => return (output, self.error()),
            }
        }
    }

    fn fork(&self) -> Option<Stream> {
        // SAFETY: the handle is open.
        let copy = unsafe { charpipe_fork(self.0) };
        (!copy.is_null()).then_some(Stream(copy))
    }

    fn pending(&self) -> usize {
        // SAFETY: the handle is open.
        unsafe { charpipe_pending(self.0) }
    }

    fn error(&self) -> Option<Value> {
        // SAFETY: the handle is open.
        lent(unsafe { charpipe_error(self.0) }).map(|json| serde_json::from_str(&json).unwrap())
    }

    fn code(&self) -> Option<String> {
        // SAFETY: the handle is open.
        lent(unsafe { charpipe_error_code(self.0) })
    }

    fn message(&self) -> Option<String> {
        // SAFETY: the handle is open.
        lent(unsafe { charpipe_error_message(self.0) })
    }

    fn verdict(&self) -> Option<Value> {
        // SAFETY: the handle is open.
        lent(unsafe { charpipe_verdict(self.0) }).map(|json| serde_json::from_str(&json).unwrap())
    }

    fn report(&self) -> Option<Value> {
        // SAFETY: the handle is open.
        lent(unsafe { charpipe_report(self.0) }).map(|json| serde_json::from_str(&json).unwrap())
    }
}

fn data(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../examples/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// However the input is cut and however small the output is: the same output and the same error as in the library. A
/// peer that sends a few bytes and waits for the answer gets it, even if the encoding is named.
#[test]
fn what_is_decided_is_given_out_at_once() {
    for (options, input, expected) in [
        ("from=windows-1252", &b"ok\xE9\n"[..], &["o", "k", "é", "\n"][..]),
        ("from=UTF-8", b"ok\n", &["o", "k", "\n"]),
        ("from=IBM1047", b"\x96\x92", &["o", "k"]),
        // What may become a byte order mark is awaited.
        ("from=UTF-8", b"\xEF\xBBo", &["", ""]),
    ] {
        let stream = Stream::open(options);
        let mut room = [0; 64];
        for (byte, expected) in input.iter().zip(expected) {
            let (status, read, written) = stream.step(&[*byte], &mut room);
            assert_eq!((status, read, &room[..written]), (NEED_INPUT, 1, expected.as_bytes()), "{options}");
        }
    }
}

#[test]
fn any_cut_gives_the_same() {
    let faulty = [&b"<?xml version='1.0'?><a>"[..], "grün €".as_bytes(), b"</a>\xE2\x82"].concat();
    let mixed = b"\xC1\x0E\x45\x66\x43\x41\x0F\xC2\x0E\x45\x66".repeat(20);
    for (options, input) in [
        ("", data("hello-ibm1047.xml")),
        ("from=IBM939\nto=Shift_JIS\nmalformed=replace\nunmappable=escape", mixed),
        ("to=IBM1047\nebcdic-nl=zos", faulty),
        ("from=IBM037\nrecords=fb:4", b"\xC1\xC2\x40\x40\xC3\x15\xC4\x40".to_vec()),
    ] {
        let mut job = charpipe::Transcode::new();
        for option in options.lines() {
            let (name, value) = option.split_once('=').unwrap();
            job = job.set(name, value).unwrap();
        }
        let mut expected = Vec::new();
        let error = job.count_lines(true).run(&input[..], &mut expected).err();
        let stream = Stream::open(options);
        for piece in [1, 2, 3, 7, 1000] {
            for len in [1, 2, 5, 1000] {
                let (output, failure) = stream.run(&input, piece, len);
                assert_eq!(output, expected, "{options} {piece} {len}");
                assert_eq!(stream.code(), error.as_ref().map(|error| error.code().to_owned()));
                assert_eq!(stream.message(), error.as_ref().map(ToString::to_string));
                assert_eq!(failure.map(|json| json["offset"].as_u64()), error.as_ref().map(charpipe::Error::offset));
                let report = stream.report().unwrap();
                assert_eq!(report["bytes_out"], expected.len());
                assert_eq!(report["error"].is_null(), error.is_none());
                // SAFETY: the handle is open.
                unsafe { charpipe_reset(stream.0) };
            }
        }
    }
}

#[test]
fn errors_have_code_position_and_bytes() {
    let stream = Stream::open("from=US-ASCII\nrecords=fb:4");
    let (output, error) = stream.run(b"abcdef\xFFh", 100, 100);
    assert_eq!(output, b"abcd\nef");
    let error = error.unwrap();
    assert_eq!(
        error.to_string(),
        r#"{"bytes":"FF","code":"malformed","column":3,"line":null,"message":"FF is not valid US-ASCII","offset":6,"record":2}"#
    );
    // SAFETY: the handle is open.
    let place =
        unsafe { (charpipe_error_offset(stream.0), charpipe_error_record(stream.0), charpipe_error_column(stream.0)) };
    assert_eq!(place, (6, 2, 3));
    assert_eq!(stream.step(b"x", &mut [0; 9]), (ERROR, 0, 0), "the error stays");
    // SAFETY: the handle is open.
    assert_eq!(unsafe { charpipe_error_line(stream.0) }, 0);
    let stream = Stream::open("to=US-ASCII");
    let error = stream.run("a\nb€".as_bytes(), 100, 100).1.unwrap();
    assert_eq!((&error["code"], &error["char"], &error["offset"]), (&"unmappable".into(), &"€".into(), &3.into()));
    assert_eq!((&error["line"], &error["column"]), (&2.into(), &2.into()));
    let place =
        // SAFETY: the handle is open.
        unsafe { (charpipe_error_line(stream.0), charpipe_error_record(stream.0), charpipe_error_column(stream.0)) };
    assert_eq!(place, (2, 0, 2));
}

/// What is not text is refused, and a label that lies is in the report.
#[test]
fn what_is_binary_or_mislabelled_is_said() {
    for options in ["", "malformed=replace", "malformed=windows-1252", "fallback=UTF-8,windows-1252", "guess=true"] {
        let stream = Stream::open(options);
        for (size, room) in [(100, 100), (1, 3)] {
            let stream = Stream::open(options);
            let error = stream.run(b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR", size, room).1.unwrap_or_default();
            assert_eq!((&error["code"], &error["offset"]), (&"unknown-encoding".into(), &0.into()), "{options}");
        }
        assert!(stream.message().is_none(), "{options}");
    }
    let stream = Stream::open("");
    let lie = "<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\u{E9}</a>".as_bytes();
    assert!(stream.run(lie, 7, 100).1.is_none());
    let report = stream.report().unwrap();
    for notes in [&report["diagnostics"], &report["verdict"]["diagnostics"]] {
        assert_eq!((&notes[0]["code"], &notes[0]["severity"]), (&"looks-like-utf8".into(), &"warning".into()));
    }
}

#[test]
fn wrong_options_are_errors_of_the_handle() {
    for (options, message) in [
        ("bom=yes", r#"option bom: "yes" is not one of auto, keep, add, strip"#),
        ("to=UTF-8\nno-such", "option no-such: there is no such option"),
        ("to=IBM1O47", r#""IBM1O47" is not known; did you mean IBM1047?"#),
        ("bom=add\nto=IBM037", "IBM037 has no byte order mark"),
        ("codec-file=/no/such/file", "/no/such/file: cannot read: No such file or directory (os error 2)"),
    ] {
        let stream = Stream::open(options);
        assert_eq!(stream.message().as_deref(), Some(message));
        assert_eq!(stream.step(b"abc", &mut [0; 9]), (ERROR, 0, 0));
        // SAFETY: the handle is open.
        unsafe { charpipe_reset(stream.0) };
        assert_eq!(stream.finish(&mut [0; 9]), (ERROR, 0));
        assert_eq!(stream.message().as_deref(), Some(message));
        assert_eq!(stream.verdict(), None);
    }
    // SAFETY: the options end with a NUL.
    let stream = Stream(unsafe { charpipe_open(c"\xFF".as_ptr()) });
    assert_eq!(stream.code().as_deref(), Some("usage"));
    assert_eq!(stream.step(b"abc", &mut [0; 9]), (ERROR, 0, 0));
}

#[test]
fn options_have_a_line_each() {
    let stream = Stream::open("\n  from = IBM1047 \n\nguess\r\nebcdic_nl=zos\n");
    assert_eq!(stream.run(b"\xC1\x15", 1, 1), (b"A\n".to_vec(), None));
    let table = format!("codec-file={}/../codecs/IBM037.txt,to=IBM037\nfrom=x", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(Stream::open(&table).code().as_deref(), Some("table"), "not 256 bytes");
}

/// A null pointer is an error, or nothing at all.
#[test]
fn null_pointers() {
    let (mut read, mut written) = (0, 0);
    // SAFETY: null handles are allowed.
    unsafe {
        let null_handle = null_mut();
        assert_eq!(charpipe_step(null_handle, null(), 0, &mut read, null_mut(), 0, &mut written), ERROR);
        assert_eq!(charpipe_finish(null_handle, null_mut(), 0, &mut written), ERROR);
        assert_eq!(lent(charpipe_error_code(null_handle)).as_deref(), Some("no-handle"));
        assert!(charpipe_error(null_handle).is_null() && charpipe_verdict(null_handle).is_null());
        assert!(charpipe_report(null_handle).is_null() && !charpipe_error_message(null_handle).is_null());
        assert_eq!(charpipe_error_offset(null_handle), -1);
        assert_eq!((charpipe_error_record(null_handle), charpipe_error_column(null_handle)), (0, 0));
        assert_eq!(charpipe_error_line(null_handle), 0);
        (read, written) = (7, 7);
        assert_eq!(charpipe_step(null_handle, null(), 0, &mut read, null_mut(), 0, &mut written), ERROR);
        assert_eq!((read, written), (0, 0), "lengths are stored for a null handle too");
        written = 7;
        assert_eq!((charpipe_finish(null_handle, null_mut(), 0, &mut written), written), (ERROR, 0));
        assert!(charpipe_fork(null_handle).is_null());
        assert_eq!(charpipe_pending(null_handle), 0);
        charpipe_reset(null_handle);
        charpipe_free(null_handle);
        charpipe_free_text(null_mut());
    }
    // SAFETY: null options are the defaults.
    let stream = Stream(unsafe { charpipe_open(null()) });
    let h = stream.0;
    // SAFETY: null buffers are allowed where the length is 0, and an error elsewhere.
    unsafe {
        assert_eq!(charpipe_step(h, null(), 5, &mut read, null_mut(), 0, &mut written), ERROR);
        assert_eq!(stream.message().as_deref(), Some("a buffer of 5 bytes is a null pointer"));
        assert_eq!(charpipe_step(h, c"a".as_ptr().cast(), 1, null_mut(), null_mut(), 0, &mut written), ERROR);
        assert_eq!(charpipe_finish(h, null_mut(), 0, null_mut()), ERROR);
        assert_eq!(stream.code().as_deref(), Some("usage"));
        let buffer = c"a".as_ptr().cast();
        assert_eq!(charpipe_step(h, buffer, usize::MAX, &mut read, null_mut(), 0, &mut written), ERROR);
        assert!(given(charpipe_chart(null(), null(), 0))["error"]["code"] == "unknown-label");
        assert_eq!(given(charpipe_explain(c"UTF-8".as_ptr(), null(), 3, 1))["error"]["code"], "usage");
    }
    assert_eq!(stream.run(b"abc", 2, 1), (b"abc".to_vec(), None), "they changed nothing");
    assert_eq!(stream.code(), None);
}

/// A wrong call does not hide an error of the options or of the input.
#[test]
fn errors_survive_wrong_calls() {
    for (options, input, code) in [("bom=yes", &b""[..], "bad-option"), ("from=UTF-8", b"a\xFF", "malformed")] {
        let stream = Stream::open(options);
        stream.run(input, 9, 9);
        assert_eq!(stream.code().as_deref(), Some(code));
        // SAFETY: a null pointer is an error.
        let status = unsafe { charpipe_finish(stream.0, null_mut(), 0, null_mut()) };
        assert_eq!((status, stream.code().as_deref()), (ERROR, Some(code)));
        assert_eq!((stream.finish(&mut [0; 9]), stream.code().as_deref()), ((ERROR, 0), Some(code)));
    }
}

#[test]
fn buffers_that_overlap() {
    let stream = Stream::open("from=IBM037\nto=ISO-8859-1\nas=text");
    let mut buffer = [0xC1u8; 8];
    let (mut read, mut written) = (7, 7);
    let start = buffer.as_mut_ptr();
    for (input, output, wanted) in [(0, 3, ERROR), (3, 0, ERROR), (0, 4, NEED_INPUT), (4, 0, NEED_INPUT)] {
        // SAFETY: all of these are in the buffer.
        let status = unsafe {
            let (input, output) = (start.add(input).cast_const().cast(), start.add(output).cast());
            charpipe_step(stream.0, input, 4, &mut read, output, 4, &mut written)
        };
        let len = if wanted == ERROR { 0 } else { 4 };
        assert_eq!((status, read, written), (wanted, len, len), "{input} {output}");
    }
    // A buffer without bytes has none in common with another one, at any position.
    for (input, input_len, output, output_len) in [(4, 0, 0, 8), (0, 8, 4, 0), (4, 0, 4, 0), (0, 0, 0, 8)] {
        let stream = Stream::open("from=IBM037\nto=ISO-8859-1\nas=text");
        // SAFETY: all of these are in the buffer.
        let status = unsafe {
            let (input, output) = (start.add(input).cast_const().cast(), start.add(output).cast());
            charpipe_step(stream.0, input, input_len, &mut read, output, output_len, &mut written)
        };
        let wanted = if input_len == 0 { NEED_INPUT } else { NEED_ROOM };
        assert_eq!((status, written, stream.code()), (wanted, 0, None), "{input} {output}");
    }
}

/// Lengths and addresses that no buffer can have. The error names the invalid buffer.
#[test]
fn impossible_buffers() {
    let stream = Stream::open("from=IBM037\nto=ISO-8859-1\nas=text");
    let mut buffer = [0xC1u8; 8];
    let start: *mut std::ffi::c_void = buffer.as_mut_ptr().cast();
    let end: *mut std::ffi::c_void = std::ptr::without_provenance_mut(usize::MAX - 3);
    let (mut read, mut written) = (7, 7);
    for (input, input_len, output, output_len, wanted) in [
        (start, usize::MAX, end, 4, format!("{} is not a possible length of a buffer", usize::MAX)),
        (start, 4, end, 9, "9 is not a possible length of a buffer".into()),
        (end, 9, start, 4, "9 is not a possible length of a buffer".into()),
        (end, usize::MAX >> 1, start, 4, format!("{} is not a possible length of a buffer", usize::MAX >> 1)),
        (null_mut(), usize::MAX, start, 4, format!("a buffer of {} bytes is a null pointer", usize::MAX)),
        (start, 4, null_mut(), usize::MAX, format!("a buffer of {} bytes is a null pointer", usize::MAX)),
    ] {
        // SAFETY: these pointers are refused before anything is read or written.
        let status = unsafe { charpipe_step(stream.0, input, input_len, &mut read, output, output_len, &mut written) };
        assert_eq!((status, read, written, stream.code().as_deref()), (ERROR, 0, 0, Some("usage")), "{wanted}");
        let said = stream.message().unwrap_or_default();
        assert!(said.contains(&wanted), "{said}");
    }
}

#[test]
fn a_finished_stream_takes_no_more() {
    let stream = Stream::open("");
    assert_eq!(stream.run(b"abc", 9, 9).0, b"abc");
    assert_eq!(stream.finish(&mut [0; 9]), (DONE, 0));
    assert_eq!(stream.step(b"", &mut [0; 9]), (DONE, 0, 0));
    assert_eq!(stream.step(b"d", &mut [0; 9]), (ERROR, 0, 0));
    assert_eq!(stream.code().as_deref(), Some("usage"));
    assert_eq!(stream.finish(&mut [0; 9]), (DONE, 0));
    assert_eq!(stream.code(), None);
}

/// A copy continues at the position of the original, and the original is not affected.
#[test]
fn copies_go_on() {
    let input = data("hello-ibm1047.xml");
    let expected = Stream::open("to=IBM939").run(&input, 64, 64);
    let stream = Stream::open("to=IBM939");
    let (mut output, mut room) = (Vec::new(), [0; 64]);
    for (at, byte) in input.iter().enumerate() {
        let copy = stream.fork().expect("everything was written");
        assert_eq!(copy.pending(), stream.pending());
        let (rest, error) = copy.run(&input[at..], 16, 64);
        assert_eq!(([&output[..], &rest].concat(), error), expected, "{at}");
        let (status, read, written) = stream.step(&[*byte], &mut room);
        assert!(status == NEED_INPUT || (status == NEED_ROOM && written == room.len()), "{at}");
        assert_eq!(read, 1);
        output.extend_from_slice(&room[..written]);
        drain(&stream, &mut output);
    }
    assert!(stream.fork().is_some());
    assert_eq!(stream.finish(&mut room).0, DONE);
    assert!(stream.fork().is_none(), "the input is finished");
    assert!(Stream::detector("").fork().is_none());
    assert!(Stream::open("bom=yes").fork().is_none());
}

/// Whole characters are converted, and what cannot be converted stays, without an error.
#[test]
fn whole_characters() {
    let stream = Stream::open("from=UTF-8\nto=IBM939\nas=text");
    let mut room = [0; 64];
    assert_eq!(stream.convert("1234日".as_bytes(), &mut room), (NEED_INPUT, 7, 7));
    assert_eq!(room[..7], *b"\xF1\xF2\xF3\xF4\x0E\x45\x62");
    assert_eq!(stream.convert("本".as_bytes(), &mut [0; 1]), (NEED_ROOM, 0, 0));
    assert_eq!(stream.convert(b"\xE6\x9C", &mut room), (NEED_INPUT, 0, 0));
    assert_eq!(stream.convert("本א".as_bytes(), &mut room), (BAD_CHAR, 3, 2));
    assert_eq!(stream.convert(b"\xFF", &mut room), (BAD_CHAR, 0, 0));
    assert_eq!(stream.convert(b"", &mut room), (NEED_INPUT, 0, 0));
    assert_eq!(stream.code(), None);
    assert_eq!(stream.end_text(&mut []), (NEED_ROOM, 0));
    assert_eq!(stream.end_text(&mut room), (NEED_INPUT, 1));
    assert_eq!(stream.convert("日".as_bytes(), &mut room), (NEED_INPUT, 3, 3));
    assert_eq!(stream.finish(&mut room), (DONE, 1));
    assert_eq!(stream.end_text(&mut room), (ERROR, 0));
    assert_eq!(stream.convert(b"a", &mut room), (ERROR, 0, 0));
    assert_eq!(stream.code().as_deref(), Some("usage"));
    assert_eq!(Stream::open("bom=yes").convert(b"", &mut room), (ERROR, 0, 0));
    assert_eq!(Stream::detector("").convert(b"a", &mut room), (ERROR, 0, 0));
}

#[test]
fn replaced_characters_are_counted() {
    let stream = Stream::open("from=UTF-8\nto=US-ASCII\nas=text\nunmappable=replace");
    assert_eq!(stream.convert("1234é日".as_bytes(), &mut [0; 64]), (NEED_INPUT, 9, 6));
    // SAFETY: the handle is open.
    assert_eq!(unsafe { charpipe_replaced(stream.0) }, 2);
    // SAFETY: a null handle is allowed.
    assert_eq!(unsafe { charpipe_replaced(null()) }, 0);
}

/// Takes the output that waits for room.
fn drain(stream: &Stream, output: &mut Vec<u8>) {
    let mut room = [0; 64];
    while let (NEED_ROOM, _, written) = stream.step(&[], &mut room) {
        output.extend_from_slice(&room[..written]);
    }
}

#[test]
fn pending_bytes_are_those_of_an_unfinished_character() {
    let stream = Stream::open("from=UTF-8\nas=text");
    let mut room = [0; 64];
    assert_eq!((stream.step(b"abcd\xE2\x82", &mut room), stream.pending()), ((NEED_INPUT, 6, 4), 2));
    assert_eq!((stream.step(b"\xAC", &mut room), stream.pending()), ((NEED_INPUT, 1, 3), 0));
    let stream = Stream::open("from=UTF-8\nas=text");
    let at = (stream.step(b"\xEF\xBB", &mut room), stream.pending());
    assert_eq!(at, ((NEED_INPUT, 2, 0), 2), "it may be a byte order mark");
}

#[test]
fn a_detector_gives_a_verdict() {
    let stream = Stream::detector("guess");
    let input = data("hello-ibm1047.xml");
    assert_eq!(stream.verdict(), None);
    let mut status = NEED_INPUT;
    for byte in &input {
        if status == NEED_INPUT {
            status = stream.step(&[*byte], &mut []).0;
        }
    }
    assert_eq!((stream.finish(&mut []), stream.report()), ((DONE, 0), None));
    let verdict = stream.verdict().unwrap();
    assert_eq!((&verdict["encoding"], &verdict["source"]), (&"IBM1047".into(), &"declaration".into()));
    let library: Value = serde_json::to_value(charpipe::detect(&input)).unwrap();
    assert_eq!(verdict, library);
}

/// Texts are lent until the next call of the same function: the others do not touch them.
#[test]
fn texts_of_several_functions_are_valid_together() {
    let stream = Stream::open("from=UTF-8");
    stream.run(b"a\xFF", 9, 9);
    // SAFETY: the handle is open.
    let texts = unsafe {
        let texts = [charpipe_error(stream.0), charpipe_error_code(stream.0), charpipe_error_message(stream.0)];
        (texts, charpipe_report(stream.0), charpipe_verdict(stream.0))
    };
    assert_eq!(lent(texts.0[1]).as_deref(), Some("malformed"));
    assert_eq!(lent(texts.0[2]).as_deref(), Some("line 1, column 2 (byte 1): FF is not valid UTF-8"));
    assert!(lent(texts.0[0]).unwrap().contains("\"FF\""));
    assert!(lent(texts.1).unwrap().contains("\"bytes_in\":1") && lent(texts.2).unwrap().contains("UTF-8"));
}

/// Different threads use different handles, and a handle moves from one thread to another.
#[test]
fn handles_move_between_threads() {
    struct Send(Stream);
    // SAFETY: a handle may be used from any thread, one at a time.
    unsafe impl std::marker::Send for Send {}
    let threads = (0..8_u8).map(|number| {
        let stream = Send(Stream::open("from=IBM037"));
        stream.0.step(&[0xF0 + number], &mut []);
        std::thread::spawn(move || {
            let whole = stream;
            whole.0.run(&[0xC1; 30], 7, 5).0
        })
    });
    for (number, thread) in threads.collect::<Vec<_>>().into_iter().enumerate() {
        assert_eq!(String::from_utf8(thread.join().unwrap()).unwrap(), format!("{number}{}", "A".repeat(30)));
    }
}

#[test]
fn lists() {
    let names = given(charpipe_names());
    let page = names.as_array().unwrap().iter().find(|one| one["name"] == "IBM1047").unwrap();
    assert_eq!((&page["ebcdic"], &page["single_byte"], &page["encode"]), (&true.into(), &true.into(), &true.into()));
    assert_eq!(names.as_array().unwrap().len(), charpipe::Registry::builtin().codecs().count());
    let options = given(charpipe_options());
    assert_eq!(options.as_array().unwrap().len(), charpipe::Transcode::OPTIONS.len());
    assert_eq!(options[0], serde_json::json!({ "name": "from", "value": "label", "words": ["auto"] }));
    assert_eq!(lent(charpipe_version()).as_deref(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(charpipe_abi(), 1);
}

#[test]
fn charts() {
    let chart = |label: &CStr, lead: &[u8]| {
        // SAFETY: the label ends with a NUL, and the bytes can be read.
        given(unsafe { charpipe_chart(label.as_ptr(), lead.as_ptr().cast(), lead.len()) })
    };
    let page = chart(c"IBM037", b"");
    assert_eq!(
        (&page["codec"], &page["cells"][0xC1], &page["cells"][0x15]),
        (&"IBM037".into(), &"A".into(), &"\u{85}".into())
    );
    let page = chart(c"Shift_JIS", b"");
    assert_eq!((&page["cells"][0x88]["leads"], &page["cells"][0xFF]), (&true.into(), &Value::Null));
    assert_eq!(chart(c"Shift_JIS", b"\x88")["cells"][0x9F], "亜");
    let mixed = chart(c"IBM939", b"");
    assert_eq!((&mixed["cells"][0xC1], &mixed["cells"][0x0E]), (&"A".into(), &Value::Null));
    assert_eq!(chart(c"IBM939", b"\x0E")["cells"][0x45]["leads"], true);
    assert_eq!(chart(c"IBM939", b"\x0E\x45")["cells"][0x66], "本");
    assert_eq!(chart(c"no such", b"")["error"]["code"], "unknown-label");
}

#[test]
fn what_each_byte_is() {
    let explain = |label: &CStr, input: &[u8], is_last| {
        // SAFETY: the label ends with a NUL, and the bytes can be read.
        let json = unsafe { charpipe_explain(label.as_ptr(), input.as_ptr().cast(), input.len(), is_last) };
        given(json)["cells"].to_string()
    };
    assert_eq!(explain(c"UTF-8", b"a\xC3\xA9\xFF\xE2\x82", 1), r#"[[1,"a"],[2,"é"],[1,null],[2,null]]"#);
    assert_eq!(explain(c"UTF-8", b"a\xE2\x82", 0), r#"[[1,"a"]]"#);
    assert_eq!(explain(c"IBM939", b"\xC1\x0E\x45\x66\x0F\xC2", 1), r#"[[1,"A"],[1,0],[2,"本"],[1,0],[1,"B"]]"#);
    assert_eq!(explain(c"UTF-16LE", b"a\0\x3D\xD8\x00\xDE\0\xDC", 1), r#"[[2,"a"],[4,"😀"],[2,null]]"#);
    assert_eq!(explain(c"US-ASCII", b"", 1), "[]");
}

/// The cells have all bytes, and their text is that of the conversion.
#[test]
fn cells_are_complete() {
    let input: Vec<u8> = (0..400_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for codec in charpipe::Registry::builtin().codecs() {
        let label = CString::new(codec.name()).unwrap();
        // SAFETY: the label ends with a NUL, and the bytes can be read.
        let json = given(unsafe { charpipe_explain(label.as_ptr(), input.as_ptr().cast(), input.len(), 1) });
        let cells = json["cells"].as_array().unwrap();
        let total: u64 = cells.iter().map(|cell| cell[0].as_u64().unwrap()).sum();
        assert_eq!(total, input.len() as u64, "{}", codec.name());
        let text: String = cells.iter().filter_map(|cell| cell[1].as_str()).collect();
        let job = charpipe::Transcode::new().hints({
            let mut hints = charpipe::detect::Hints::default();
            hints.from = Some(codec.clone());
            hints.kind = Some(charpipe::Kind::Text);
            hints
        });
        let job = job.on_malformed(charpipe::OnMalformed::Drop).relabel(charpipe::Relabel::Never);
        if codec.info().byte_orders.is_none() {
            assert_eq!(text, job.decode(&input).unwrap(), "{}", codec.name());
        }
    }
}

#[test]
fn where_records_are() {
    let records = |shape: &CStr, input: &[u8], is_last| {
        // SAFETY: the shape ends with a NUL, and the bytes can be read.
        given(unsafe { charpipe_records(shape.as_ptr(), input.as_ptr().cast(), input.len(), is_last) })
    };
    let found = records(c"rdw", b"\0\x06\0\0AB\0\x04\0\0\0\x05\0\0C", 1);
    assert_eq!(found.to_string(), r#"{"error":null,"read":15,"records":[[[4,2]],[],[[14,1]]]}"#);
    let found = records(c"fb:3", b"ABCDE", 0);
    assert_eq!((&found["read"], &found["error"]), (&3.into(), &Value::Null));
    assert_eq!(records(c"fb:3", b"ABCDE", 1)["error"]["code"], "record-cut");
    assert_eq!(records(c"fb:x", b"", 1)["error"]["code"], "bad-option");
    let input = b"\x00\x0A\x00\x00\xC1\xC2\xC3\x40\xF1\xF2".repeat(50);
    // SAFETY: the bytes can be read.
    let shapes = given(unsafe { charpipe_sniff(input.as_ptr().cast(), input.len(), 1) });
    assert_eq!(shapes["hypotheses"][0]["shape"], "rdw");
    assert_eq!(shapes["hypotheses"][0]["survives"], true);
}

/// Calls `charpipe_fields`.
fn fields(options: &str, layout: &[u8], record: &[u8]) -> Value {
    let options = CString::new(options).unwrap();
    let (layout_len, len) = (layout.len(), record.len());
    let (layout, record) = (layout.as_ptr().cast(), record.as_ptr().cast());
    // SAFETY: the options end with a NUL, and the bytes can be read.
    given(unsafe { charpipe_fields(options.as_ptr(), layout, layout_len, record, len) })
}

/// Returns `NAME=VALUE` for each field, and the code of its error in place of a value that cannot be read.
fn values(json: &Value) -> Vec<String> {
    let fields = json["fields"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    fields
        .map(|field| {
            let value = text(&field["value"]).or(text(&field["error"]["code"])).unwrap_or_default();
            format!("{}={value}", field["name"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn fields_of_a_record() {
    let copybook = b"       01  CLIENT.
           05  NAME    PIC X(4).
           05  COUNT   PIC 9.
           05  LINE    OCCURS 0 TO 3 TIMES DEPENDING ON COUNT.
               10  AMOUNT  PIC S9(3)V99 COMP-3.
               10  FLAG    PIC X OCCURS 2 TIMES.
           05  FILLER  PIC X(2).
";
    let record = b"\xD1\x96\x85\x40\xF2\x12\x34\x5C\xC1\xC2\x00\x99\x9D\xC3\xC4\x4C\x82\xFF";
    let read = fields("from=IBM1047\nfiller", copybook, record);
    assert_eq!(
        values(&read),
        [
            "NAME=Joe",
            "COUNT=2",
            "LINE[1].AMOUNT=123.45",
            "LINE[1].FLAG[1]=A",
            "LINE[1].FLAG[2]=B",
            "LINE[2].AMOUNT=-9.99",
            "LINE[2].FLAG[1]=C",
            "LINE[2].FLAG[2]=D",
            "FILLER=<b"
        ]
    );
    assert_eq!(
        read["fields"][5].to_string(),
        r#"{"error":null,"kind":"packed.2","length":3,"name":"LINE[2].AMOUNT","offset":10,"picture":"S9(3)V99 COMP-3","value":"-9.99"}"#
    );
    let rest = [&read["codec"], &read["record"], &read["lengths"], &read["length"], &read["type"], &read["cut"]];
    assert_eq!(
        serde_json::to_string(&rest).unwrap(),
        r#"["IBM1047","CLIENT",[7,22],17,null,false]"#,
        "the record is a byte longer"
    );
    assert_eq!(
        read["error"].to_string(),
        r#"{"bytes":"","code":"longer-than-layout","field":null,"message":"it has 18 bytes, but the layout describes only 17 of them","offset":17}"#
    );
    let cut = fields("from=IBM1047\nfiller\noverlong=cut", copybook, record);
    assert_eq!((&cut["error"], &cut["length"], &cut["fields"]), (&Value::Null, &17.into(), &read["fields"]));

    // A field that cannot be read, and a record that ends before its layout does.
    let bad = fields("filler", copybook, b"\x40\x40\x40\x40\xF1\x12\x34\x56\xC1");
    let expected =
        "12 34 56 is not a number; expected a digit in each half byte, and a sign from A to F in the last one";
    assert_eq!(bad["fields"][2]["error"], serde_json::json!({ "code": "bad-number", "message": expected }));
    assert_eq!(
        values(&bad)[1..],
        [
            "COUNT=1",
            "LINE[1].AMOUNT=bad-number",
            "LINE[1].FLAG[1]=A",
            "LINE[1].FLAG[2]=record-too-short",
            "FILLER=record-too-short"
        ]
    );
    // The record is refused for the first of them, unless bad fields are null.
    let refused = serde_json::json!({
        "bytes": "123456", "code": "bad-number", "field": "LINE[1].AMOUNT", "message": expected, "offset": 5
    });
    assert_eq!((&bad["codec"], &bad["error"]), (&"IBM037".into(), &refused));
    let null = fields("filler\non-bad=null", copybook, b"\x40\x40\x40\x40\xF1\x12\x34\x56\xC1");
    assert_eq!((&null["fields"], &null["error"]), (&bad["fields"], &Value::Null));

    // A count that cannot be: nothing says where the rest is.
    let bad = fields("", copybook, b"\x40\x40\x40\x40\xF4\x12\x34\x5C");
    assert_eq!(values(&bad), ["NAME=", "COUNT=4"]);
    assert_eq!(
        bad["error"].to_string(),
        r#"{"bytes":"F4","code":"bad-count","field":"COUNT","message":"F4 is the count 4, but LINE occurs 0 to 3 times","offset":4}"#
    );
    assert_eq!(bad["length"], Value::Null);
}

#[test]
fn fields_by_a_list_and_by_types() {
    let list = b"TYPE 1 1 text\nwhen TYPE=A: ORDER\nID 2 2 binary\nwhen otherwise: OTHER\nREST 2 2 raw\n";
    let read = fields("", list, b"\xC1\x01\x00");
    assert_eq!((values(&read), &read["type"]), (vec!["TYPE=A".to_owned(), "ORDER.ID=256".to_owned()], &"ORDER".into()));
    assert_eq!(values(&fields("", list, b"\xC2\x01\xFE"))[1], "OTHER.REST=01FE");

    let copybook = b"01 R.\n 05 T PIC X.\n 05 A PIC 9.\n 05 B REDEFINES A PIC X.\n 05 F COMP-1.\n";
    let record = b"\xC2\xC1\x40\x80\x00\x00";
    assert_eq!(values(&fields("", copybook, record)), ["T=B", "A=1", "B=A", "F=0.5"]);
    let read = fields("float=ieee\nwhen=T=A: A\nwhen=T=B: B", copybook, record);
    assert_eq!((values(&read), &read["type"]), (["T=B", "B=A", "F=4.0"].map(str::to_owned).to_vec(), &"B".into()));
    let unknown = fields("when=T=A: A", copybook, record);
    assert_eq!((&unknown["error"]["code"], values(&unknown)), (&"unknown-type".into(), vec!["T=B".to_owned()]));
    // Markup stays text.
    let markup = fields("from=UTF-8", b"<b>&'\" 1 9 text\n", b"<script>&");
    assert_eq!(values(&markup), ["<b>&'\"=<script>&"]);
}

/// An invalid count is the error of its field, although other fields are read before the array begins.
#[test]
fn a_table_without_elements() {
    let copybook = b"01 R. 05 N-1 PIC 9. 05 B PIC X. 05 A PIC X OCCURS 1 TO 3 DEPENDING ON N-1. 05 Z PIC X.";
    let found = fields("on-bad=null\nunderscores", copybook, b"\xF0\xC2\xE9");
    let shown: Vec<_> = found["fields"].as_array().unwrap().iter().map(|one| (&one["name"], &one["value"])).collect();
    assert_eq!(
        shown,
        [
            (&serde_json::json!("N_1"), &serde_json::json!("0")),
            (&serde_json::json!("B"), &serde_json::json!("B")),
            (&serde_json::json!("Z"), &serde_json::json!("Z"))
        ]
    );
    let codes: Vec<_> = found["fields"].as_array().unwrap().iter().map(|one| &one["error"]["code"]).collect();
    assert_eq!(
        (codes, &found["error"]),
        (
            vec![&serde_json::json!("bad-count"), &serde_json::json!(null), &serde_json::json!(null)],
            &serde_json::json!(null)
        )
    );
    assert_eq!(fields("", copybook, b"\xF0\xC2\xE9")["error"]["code"], "bad-count");
}

/// The header and the types of the npm package name the options of rows that have a meaning for one record, and no
/// others.
#[test]
fn options_of_a_record() {
    let of_files = [
        "copy-path",
        "parent",
        "records",
        "length-field",
        "length-map",
        "tape-file",
        "skip-head",
        "skip-tail",
        "record-prefix",
        "record-suffix",
        "to-records",
        "binary-range",
        "add-columns",
        "integers",
        "jobs",
    ];
    let names = charpipe::rows::RowsJob::OPTIONS.iter().map(|option| option.name);
    let (without, expected): (Vec<&str>, Vec<&str>) = names.partition(|name| of_files.contains(name));
    assert_eq!(without.len(), of_files.len());
    for name in without {
        assert_eq!(fields(&format!("{name}=1"), b"A 1 1 text\n", b"")["error"]["code"], "usage", "{name}");
    }
    let read = |path: &str| std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let header = read("include/charpipe.h").replace("\n *", "");
    let listed =
        header.split("have a meaning for one record: ").nth(1).unwrap().split(", and codec-file").next().unwrap();
    let listed: Vec<&str> = listed.split(',').filter_map(|one| one.split_whitespace().next()).collect();
    assert_eq!(listed, expected);
    assert_eq!(typed_options("RecordOptions"), shown(charpipe::rows::RowsJob::OPTIONS, &of_files));
}

/// Calls `charpipe_schema`.
fn schema(options: &str, layout: &[u8], format: &str) -> Value {
    let (options, format) = (CString::new(options).unwrap(), CString::new(format).unwrap());
    // SAFETY: the options and the format end with a NUL, and the bytes can be read.
    given(unsafe { charpipe_schema(options.as_ptr(), layout.as_ptr().cast(), layout.len(), format.as_ptr()) })
}

/// The schema is that of the library's rows, in every format.
#[test]
fn schemas() {
    let copybook = b"01 R.\n 05 KIND PIC X.\n 05 BORN-ON PIC 9(8).\n 05 ITEM OCCURS 2.\n 10 PAY PIC S9(5)V99 COMP-3.\n";
    let found = schema("dates=BORN-ON=YYYYMMDD\nunderscores\nadd-columns=number", copybook, "duckdb");
    let expected = "CREATE TABLE \"R\" (\n  \"_number\" BIGINT,\n  \"KIND\" VARCHAR,\n  \"BORN_ON\" DATE,\n  \
                    \"ITEM[1].PAY\" DECIMAL(7,2),\n  \"ITEM[2].PAY\" DECIMAL(7,2)\n);\n";
    assert_eq!(found, serde_json::json!({ "schema": expected }));
    let job = charpipe::rows::RowsJob::new().integers(true);
    let rows = job.rows(&job.layout(copybook).unwrap()).unwrap();
    for format in charpipe::rows::SchemaFormat::ALL {
        assert_eq!(schema("integers", copybook, format.name())["schema"], rows.schema(*format).unwrap(), "{format}");
    }

    let code = |options: &str, layout: &[u8], format: &str| schema(options, layout, format)["error"].take();
    let bad = code("", b"01 A.\n   05 B PIC X(3) OCURS 3.\n", "avro");
    assert_eq!((&bad["code"], &bad["line"], &bad["column"]), (&"bad-layout".into(), &2.into(), &18.into()));
    assert_eq!(code("select=NO", copybook, "avro")["code"], "bad-layout");
    assert_eq!(code("", b"A-B 1 1 text\nA_B 2 1 text\n", "avro")["code"], "bad-option");
    assert_eq!(code("from=nope", copybook, "avro")["code"], "unknown-label");
    for format in ["", "arrow", "DuckDB"] {
        let bad = code("", copybook, format);
        let message = bad["message"].as_str().unwrap();
        assert!(bad["code"] == "usage" && message.starts_with(&format!("format: {format:?} is not one of ")), "{bad}");
    }
}

/// The header and the types of the npm package name the options of rows that have a meaning for a schema, and no
/// others.
#[test]
fn options_of_a_schema() {
    let read = |path: &str| std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let header = read("include/charpipe.h").replace("\n *", "");
    let listed = header.split("have a meaning for a schema: ").nth(1).unwrap();
    let listed = listed.split(", and codec-file").next().unwrap().split(',').map(str::trim).collect::<Vec<_>>();
    let of_values = |option: &NamedOption| !listed.contains(&option.name);
    let others: Vec<&str> =
        charpipe::rows::RowsJob::OPTIONS.iter().filter(|one| of_values(one)).map(|one| one.name).collect();
    assert_eq!(listed.len() + others.len(), charpipe::rows::RowsJob::OPTIONS.len());
    for name in &others {
        let bad = schema(&format!("{name}=1"), b"A 1 1 text\n", "avro")["error"].take();
        assert_eq!(bad["message"], format!("option {name}: it has no meaning for a schema"));
    }
    for name in listed {
        let bad = schema(&format!("{name}=1"), b"A 1 1 text\n", "avro")["error"].take();
        assert_ne!(bad["code"], "usage", "{name}");
    }
    assert_eq!(typed_options("SchemaOptions"), shown(charpipe::rows::RowsJob::OPTIONS, &others));
}

/// The types of the npm package name the options of a conversion, in their order, with their words.
#[test]
fn options_of_a_conversion() {
    assert_eq!(typed_options("Options"), shown(charpipe::Transcode::OPTIONS, &[]));
}

/// Returns the names of the options of an interface in `index.d.ts`, as the command has them, and their types.
fn typed_options(interface: &str) -> Vec<(String, String)> {
    let types = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../web/src/index.d.ts")).unwrap();
    let body = types.split(&format!("interface {interface} {{")).nth(1).unwrap().split("\n}").next().unwrap();
    let hyphenated = |name: &str| {
        name.chars().fold(String::new(), |name, ch| match ch.is_ascii_uppercase() {
            true => format!("{name}-{}", ch.to_ascii_lowercase()),
            false => format!("{name}{ch}"),
        })
    };
    let options = body.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(';')?.split_once("?: "));
    options.map(|(name, of)| (hyphenated(name), of.to_owned())).collect()
}

/// Options that may be given several times.
const OF_SEVERAL: [&str; 8] =
    ["when", "parent", "null-indicator", "select", "dates", "replacing", "count-map", "add-columns"];

/// Returns the names and the types of options, but for some of them.
fn shown(options: &[NamedOption], without: &[&str]) -> Vec<(String, String)> {
    let union = |words: &[&str]| words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | ");
    let kind = |option: &NamedOption| match option.value {
        OptionValue::Word(words) => union(words),
        // Editors still offer the words.
        OptionValue::WordOrLabel(words) if option.name == "malformed" => format!("{} | (string & {{}})", union(words)),
        OptionValue::Flag => "boolean".to_owned(),
        _ if ["prescan", "jobs"].contains(&option.name) => "number".to_owned(),
        _ if option.name == "tape-file" => "string | number".to_owned(),
        _ if OF_SEVERAL.contains(&option.name) => "string | string[]".to_owned(),
        _ => "string".to_owned(),
    };
    let options = options.iter().filter(|option| !without.contains(&option.name));
    options.map(|option| (option.name.to_owned(), kind(option))).collect()
}

/// An invalid layout, and invalid options.
#[test]
fn wrong_layouts() {
    let error = |options: &str, layout: &[u8]| fields(options, layout, b"\xC1")["error"].clone();
    let place =
        |error: &Value| (error["code"].as_str().unwrap().to_owned(), error["line"].as_u64(), error["column"].as_u64());
    let bad = error("", b"01 A.\n   05 B PIC X(3) OCURS 3.\n");
    assert_eq!(place(&bad), ("bad-layout".to_owned(), Some(2), Some(18)));
    assert!(bad["message"].as_str().unwrap().starts_with("found OCURS, expected a clause"), "{bad}");
    for nonsense in [&b""[..], b"\xFF\xFE\0", b"hello", b"<html>", b"A 1 x text", b"{}", &[0xC1; 3000]] {
        let bad = error("", nonsense);
        assert_eq!((&bad["code"], bad["offset"].is_null()), (&"bad-layout".into(), true), "{nonsense:?}");
        assert!(bad["line"].as_u64() > Some(0) && !bad["message"].as_str().unwrap().is_empty(), "{bad}");
    }
    assert_eq!(place(&error("", b"A 1 2 text nope\n")).0, "bad-layout");
    for (options, message) in [
        ("no-such", "option no-such: there is no such option"),
        ("float=no", r#"option float: "no" is not one of ibm, ieee"#),
        ("when=X=1: A", "option when: 'X=1: A': the condition X=1: there is no X"),
        ("add-columns=number", "option add-columns: it has no meaning for one record"),
    ] {
        let bad = error(options, b"A 1 1 text\n");
        let code = if message.ends_with("one record") { "usage" } else { "bad-option" };
        assert_eq!((&bad["code"], &bad["message"]), (&code.into(), &message.into()));
    }
    assert_eq!(error("when=nonsense", b"A 1 1 text\n")["code"], "bad-option");
    assert_eq!(error("from=nope", b"A 1 1 text\n")["code"], "unknown-label");
}

/// Empty records, null pointers, and a short layout with millions of fields.
#[test]
fn fields_at_the_limits() {
    let layout = b"A 1 1 text\nB 2 3 packed\n";
    let empty = fields("", layout, b"");
    assert_eq!(values(&empty), ["A=record-too-short", "B=record-too-short"]);
    assert_eq!((empty["lengths"].to_string(), &empty["length"]), ("[4,4]".to_owned(), &4.into()));
    // SAFETY: null buffers are allowed if the length is 0, and an error otherwise.
    unsafe {
        let start = layout.as_ptr().cast();
        assert_eq!(given(charpipe_fields(null(), start, layout.len(), null(), 0)), empty);
        assert_eq!(given(charpipe_fields(null(), null(), 0, null(), 0))["error"]["code"], "bad-layout");
        assert_eq!(given(charpipe_fields(null(), null(), 3, null(), 0))["error"]["code"], "usage");
        assert_eq!(given(charpipe_fields(null(), start, layout.len(), null(), 3))["error"]["code"], "usage");
        assert_eq!(given(charpipe_fields(c"\xFF".as_ptr(), start, 0, null(), 0))["error"]["code"], "usage");
    }
    let many = fields("", b"A 1 1*1000000 raw\n", &[7; 100]);
    assert_eq!((many["fields"].as_array().unwrap().len(), &many["cut"]), (10_000, &true.into()));
    assert_eq!((&many["fields"][99]["value"], many["length"].is_null()), (&"07".into(), true));
    // Fields that share their bytes: each value has two million digits.
    let list: String = (0..30).map(|number| format!("F{number} 1 1000000 raw\n")).collect();
    let long = fields("", list.as_bytes(), &[7; 1_000_000]);
    assert_eq!((long["fields"].as_array().unwrap().len(), &long["cut"]), (9, &true.into()));
    // Names of 4003 to 4007 bytes, with the numbers of the occurrences.
    let names = fields("", format!("{} 1 1*10000 raw\n", "N".repeat(4000)).as_bytes(), &[7; 10_000]);
    assert_eq!((names["fields"].as_array().unwrap().len(), &names["cut"]), (4187, &true.into()));
}

/// The header declares exactly the functions that the library exports.
#[test]
fn the_header_is_complete() {
    let read = |name: &str| std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (header, source) = (read("include/charpipe.h"), read("src/border.rs"));
    let of_wasm = ["charpipe_alloc", "charpipe_dealloc"];
    let exported: Vec<&str> = source
        .split("extern \"C\" fn ")
        .skip(1)
        .map(|rest| &rest[..rest.find('(').unwrap()])
        .filter(|name| !of_wasm.contains(name))
        .collect();
    let mut declared: Vec<&str> = header
        .lines()
        .filter(|line| !line.starts_with([' ', '*', '/']))
        .filter_map(|line| line.find("charpipe_").map(|at| &line[at..line.find('(').unwrap_or(line.len())]))
        .collect();
    declared.sort_unstable();
    let mut sorted = exported.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, declared);
}

#[test]
fn values_are_converted_from_the_beginning() {
    let stream = Stream::open("from=IBM939\nto=UTF-8");
    let mut room = [0; 64];
    for _ in 0..3 {
        assert_eq!(stream.value(b"\xC1\x0E\x45\x66\x0F", &mut room), (DONE, 4));
        assert_eq!(room[..4], *"A本".as_bytes());
        // Output that does not fit, and errors, leave nothing behind.
        assert_eq!(stream.value(b"\xC1\xC2\xC3", &mut [0; 2]), (NEED_ROOM, 2));
        assert_eq!(stream.value(b"\xC1\xC2\xC3\x0E\x45", &mut room), (ERROR, 3));
        assert_eq!(room[..3], *b"ABC");
        assert_eq!(stream.code().as_deref(), Some("malformed"));
        assert_eq!(stream.value(b"", &mut room), (DONE, 0));
        assert_eq!(stream.code(), None);
    }
    // A stream that was in the middle of a text begins anew.
    // SAFETY: the handle is open.
    unsafe { charpipe_reset(stream.0) };
    assert_eq!(stream.step(b"\x0E\x45", &mut room).0, NEED_INPUT);
    assert_eq!(stream.value(b"\xC1", &mut room), (DONE, 1));
    assert_eq!(Stream::open("bom=yes").value(b"a", &mut room), (ERROR, 0));
    assert_eq!(Stream::detector("").value(b"a", &mut room), (DONE, 0));
}

#[test]
fn a_value_is_what_a_stream_makes_of_it() {
    let values: [&[u8]; 9] = [
        b"abc",
        b"",
        b"\xE9t\xE9",
        b"<?xml version='1.0'?><a/>",
        b"\xEF\xBB\xBFa",
        b"a\r\nb",
        b"\xFE\xFF\0a",
        b"1\0",
        b"\xC3\xA9",
    ];
    for options in
        ["", "from=ISO-8859-1", "fallback=ISO-8859-1\nto=IBM1047", "from=UTF-8\nmalformed=replace", "to=UTF-16\neol=lf"]
    {
        let (many, mut room) = (Stream::open(options), [0; 256]);
        for value in values.iter().chain(&values) {
            let (status, written) = many.value(value, &mut room);
            let (output, error) = Stream::open(options).run(value, 64, 256);
            assert_eq!((status == ERROR, &room[..written]), (error.is_some(), &output[..]), "{options:?}: {value:?}");
            assert_eq!(many.code(), error.map(|error| error["code"].as_str().unwrap().to_owned()), "{options:?}");
        }
    }
}

/// Returns where the records of an input are, by the options and the layout of a rows job.
fn places(options: &str, layout: &str, input: &[u8]) -> Value {
    let options = CString::new(options).unwrap();
    let (at, len) = (layout.as_ptr().cast(), layout.len());
    // SAFETY: the options end with a NUL, and the bytes can be read.
    given(unsafe { charpipe_records_with(options.as_ptr(), at, len, input.as_ptr().cast(), input.len()) })
}

#[test]
fn records_with_options() {
    let input = b"headAAaBBbCCctail";
    for (options, layout, expected) in [
        ("records=fb:3\nskip-head=4\nskip-tail=4", "", "[[[4,3]],[[7,3]],[[10,3]]]"),
        ("records=fb:3\nskip-head=4\nskip-tail=4\nrecord-suffix=1", "", "[[[4,2]],[[7,2]],[[10,2]]]"),
        ("records=fb:1\nskip-head=15r\nskip-tail=1r", "", "[[[15,1]]]"),
        ("records=layout\nskip-tail=1", "X 1 8 text", "[[[0,8]],[[8,8]]]"),
    ] {
        let found = places(options, layout, input);
        assert_eq!(found["error"], Value::Null, "{options}");
        assert_eq!(found["records"].to_string(), expected, "{options}");
        assert_eq!(found["read"], input.len(), "{options}");
    }
    // Each record has its length in it.
    let found = places("length-field=LEN", "LEN 1 1 binary\nTEXT 2 3 text", b"\x04abc\x02a\x01");
    assert_eq!(found["records"].to_string(), "[[[0,4]],[[4,2]],[[6,1]]]");
    let found = places("length-map=T:A=1,B=3\nfrom=ISO-8859-1", "T 1 1 text\nTEXT 2 2 text", b"ABbbA");
    assert_eq!(found["records"].to_string(), "[[[0,1]],[[1,3]],[[4,1]]]");
    // A record of two segments, and one without data.
    let spanned = b"\0\x13\0\0\0\x06\x01\0ab\0\x05\x02\0c\0\x04\0\0";
    assert_eq!(places("records=vbs", "", spanned)["records"].to_string(), "[[[8,2],[14,1]],[]]");
    // Errors: in the input, with the records before it; and in the options.
    let found = places("records=fb:4", "", input);
    assert_eq!(
        (found["error"]["code"].as_str(), found["records"].as_array().map(Vec::len)),
        (Some("record-cut"), Some(4))
    );
    assert_eq!(places("records=fb:4\njobs=2", "", input)["error"]["code"], "usage");
    assert_eq!(places("length-field=NO", "A 1 1 text", input)["error"]["code"], "bad-option");
}
