//! Tests that the command gives the same results for input in any pieces.
//!
//! Standard input is a socket of datagrams: each is what one read returns, so that the pieces are exact, and a pipe
//! whose writer is slow is not needed.

use crate::common::process::Start as _;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Output, Stdio};

/// Runs the command on an input that arrives in pieces of `size` bytes.
pub(crate) fn in_pieces<S: AsRef<OsStr>>(args: &[S], input: &[u8], size: usize) -> Output {
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_charpipe"))
        .args(args)
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // An empty datagram is the end, as often as it is read. After the command has ended, sending fails.
            for piece in input.chunks(size).chain(std::iter::repeat(&b""[..])) {
                if ours.send(piece).is_err() {
                    break;
                }
            }
        });
        child.wait_with_output().unwrap()
    })
}

/// What a run shows to the outside: output, words, exit status, and the report.
#[derive(PartialEq, Eq, Debug)]
struct Shown {
    output: Vec<u8>,
    words: String,
    status: Option<i32>,
    report: Option<Value>,
}

fn shown(args: &[&str], input: &[u8], size: usize) -> Shown {
    let folder = tempfile::TempDir::new().unwrap();
    let report = folder.path().join("report");
    let with_report = [&["--report", report.to_str().unwrap()], args].concat();
    let is_conversion = args.first() != Some(&"detect");
    let output = in_pieces(if is_conversion { &with_report } else { args }, input, size);
    Shown {
        output: output.stdout,
        words: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code(),
        report: std::fs::read(report).ok().map(|json| serde_json::from_slice(&json).unwrap()),
    }
}

/// Returns what the command shows for an input, which is the same in pieces of one byte and of a few.
fn check(args: &[&str], input: &[u8]) -> Shown {
    let whole = shown(args, input, input.len().max(1));
    for size in [1, 3, 7] {
        assert_eq!(shown(args, input, size), whole, "{args:?}, {input:x?}, in pieces of {size}");
    }
    whole
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn a_response_after_a_redirection() {
    let input = b"HTTP/1.1 301 Moved\r\nContent-Type: text/html; charset=iso-8859-5\r\n\r\n\
                  HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=windows-1252\r\n\r\ncaf\xE9\n";
    let whole = check(&["--as", "http"], input);
    assert_eq!((whole.output, whole.status), ("café\n".into(), Some(0)));
    check(&["detect", "--as", "http", "--json"], input);
    for body in [&b""[..], b"H", b"HTTP", b"HTTPS is no head\n", b"HTML\n", b"<html>\n"] {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=windows-1252\r\n\r\n";
        let whole = check(&["--as", "http"], &[head, body].concat());
        assert_eq!((&*whole.output, whole.status), (body, Some(0)));
    }
}

#[test]
fn text_and_documents_of_every_kind() {
    let document = "<?xml version=\"1.0\" encoding=\"ENC\"?>\n<a>é</a>\n";
    let latin1 = |text: &str| text.chars().map(|ch| ch as u8).collect::<Vec<u8>>();
    let html = "<!DOCTYPE html>\n<meta charset=ISO-8859-1>\n<p>é</p>\n";
    for input in [
        Vec::new(),
        b"a".to_vec(),
        "naïve\n".into(),
        "\u{FEFF}naïve\n".into(),
        document.replace("ENC", "UTF-8").into(),
        latin1(&document.replace("ENC", "ISO-8859-1")),
        format!("  \n{}", document.replace("ENC", "UTF-8")).into(),
        latin1(html),
        utf16(&document.replace("ENC", "UTF-16"), u16::to_be_bytes),
        utf16(&document.replace("ENC", "UTF-16"), u16::to_le_bytes),
        utf16("\u{FEFF}naïve\n", u16::to_be_bytes),
        utf16("\u{FEFF}naïve\n", u16::to_le_bytes),
        utf16("plain\n", u16::to_le_bytes),
        b"\xFF\xFE\0\0a\0\0\0".to_vec(),
        b"\x4C\x6F\xA7\x94\x93\x6F\x6E\x15".to_vec(),
        b"text\nthen \xFF and more\n".to_vec(),
        b"cut: \xE2\x82".to_vec(),
    ] {
        for args in [
            &[][..],
            &["detect", "--json"],
            &["-f", "windows-1252"],
            &["-f", "UTF-8", "-t", "US-ASCII"],
            &["-f", "IBM1047"],
            &["-f", "UTF-16"],
            &["--as", "xml", "-t", "ISO-8859-1"],
            &["--as", "html"],
            &["--guess"],
            &["--fallback", "windows-1252"],
            &["--fallback", "UTF-8,windows-1252"],
            &["--unknown", "pass"],
            &["--normalize", "nfd"],
            &["--mojibake", "repair"],
            &["--malformed", "replace", "--eol", "crlf"],
        ] {
            check(args, &input);
        }
    }
}

#[test]
fn records_of_each_shape() {
    let data = b"\xC1\xC2\xC3\x40\xC4\xC5\x40\x40";
    for (shape, input) in [
        ("fb:4", data.to_vec()),
        ("fb:3", data.to_vec()),
        ("rdw", [&b"\0\x08\0\0"[..], &data[..4], b"\0\x06\0\0\xC1\xC2"].concat()),
        ("rdw:exclusive", [&b"\0\x04\0\0"[..], &data[..4], b"\0\x02\0\0\xC1\xC2"].concat()),
        ("rdw:le", [&b"\x08\0\0\0"[..], &data[..4]].concat()),
        ("vb", [&b"\0\x0C\0\0\0\x08\0\0"[..], &data[..4]].concat()),
        ("vbs", [&b"\0\x0C\0\0\0\x08\0\x01"[..], &data[..4], b"\0\x0C\0\0\0\x08\0\x02", &data[4..]].concat()),
        ("u32", [&b"\0\0\0\x04"[..], &data[..4]].concat()),
        ("u16", [&b"\0\x04"[..], &data[..4], b"\0\x04\xC1"].concat()),
        ("auto", [&b"\0\x08\0\0"[..], &data[..4], b"\0\x06\0\0\xC1\xC2"].concat().repeat(4)),
    ] {
        for more in [&[][..], &["-t", "US-ASCII"], &["--trim", "none"]] {
            let args = [&["--records", shape, "-f", "IBM037"], more].concat();
            check(&args, &input);
        }
        check(&["--records", shape, "-f", "IBM037", "-t", "IBM037", "--to-records", "rdw"], &input);
    }
}

/// A peer that sends a few bytes and waits for the answer gets it, even if the encoding is named.
#[test]
fn the_answer_comes_before_the_next_byte() {
    for (args, sent, answer) in [
        (&["-f", "windows-1252"][..], &b"ok\xE9\n"[..], "oké\n"),
        (&["-f", "UTF-8"], b"ok\n", "ok\n"),
        (&["-f", "IBM1047"], b"\x96\x92\x25", "ok\n"),
        (&["-f", "windows-1252", "--guess", "--strict"], b"ok\n", "ok\n"),
        (&["-f", "windows-1252", "--normalize", "nfc", "--jobs", "2"], b"ok\n.", "ok\n"),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_charpipe"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .start();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut answers = answer.chars();
        // The last character may be held back, if it is to be normalized.
        for byte in &sent[..sent.len() - 1] {
            stdin.write_all(&[*byte]).unwrap();
            let expected = if args.contains(&"nfc") { continue } else { answers.next().unwrap().to_string() };
            let mut read = vec![0; expected.len()];
            stdout.read_exact(&mut read).unwrap();
            assert_eq!(String::from_utf8(read).unwrap(), expected, "{args:?}");
        }
        stdin.write_all(&sent[sent.len() - 1..]).unwrap();
        let mut rest = vec![0; answers.as_str().len()];
        stdout.read_exact(&mut rest).unwrap();
        assert_eq!(rest, answers.as_str().as_bytes(), "{args:?}");
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

/// If the encoding was named, its error is printed even while the writer keeps the pipe open.
#[test]
fn an_error_is_told_while_the_pipe_is_open() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_charpipe"))
        .args(["-f", "UTF-8"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"caf\xE9 cr\xE8me\n").unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut said).unwrap();
    drop(stdin);
    assert!(said.contains("line 1, column 4 (byte 3): E9 is not valid UTF-8 (try -f windows-1252)"), "{said}");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
