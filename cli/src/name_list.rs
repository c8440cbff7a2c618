//! `--files0-from`: a list of file names, separated by NUL.

use crate::files::input;
use crate::files::name::Name;
use crate::messages::say;
use crate::status::Status;
use std::ffi::OsString;
use std::io::{self, BufRead as _, Read as _};
use std::path::Path;

/// The longest name, in bytes. No system has files with longer paths.
const MAX_NAME: usize = 64 * 1024;

/// How many bytes are read at a time.
const READ_BYTES: usize = 64 * 1024;

/// Reads the list at `path`, of which `-` is standard input. Reports the first name that is wrong: then no file is
/// read.
pub(crate) fn read(path: &Path) -> Result<Vec<OsString>, Status> {
    let list = Name::of_operand(path.as_os_str());
    let failed = |what: &str, error: io::Error| {
        say(format_args!("{list}: cannot {what}: {error}"));
        Status::Io
    };
    let mut reader = input::open(path.as_os_str(), READ_BYTES).map_err(|error| failed("open", error))?.reader;
    let mut names = Vec::new();
    loop {
        let mut bytes = Vec::new();
        let limit = MAX_NAME as u64 + 1;
        reader.by_ref().take(limit).read_until(0, &mut bytes).map_err(|error| failed("read", error))?;
        if bytes.is_empty() {
            return Ok(names);
        }
        if bytes.ends_with(b"\0") {
            bytes.pop();
        }
        let name = name(bytes, path == Path::new("-")).map_err(|why| {
            say(format_args!("{list}: name {}: {why}", names.len() + 1));
            Status::Usage
        })?;
        names.push(name);
    }
}

/// Returns a name of the list, or the error in it. `is_stdin`: the list is standard input.
fn name(bytes: Vec<u8>, is_stdin: bool) -> Result<OsString, &'static str> {
    if bytes.is_empty() {
        return Err("it is empty");
    }
    if bytes.len() >= MAX_NAME {
        return Err("it is longer than 64 KiB; names are separated by NUL, as `find -print0` writes them");
    }
    if is_stdin && bytes == b"-" {
        return Err("standard input is the list, so it cannot be a file too");
    }
    from_bytes(bytes)
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> Result<OsString, &'static str> {
    Ok(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> Result<OsString, &'static str> {
    String::from_utf8(bytes).map(OsString::from).map_err(|_| "it is not UTF-8")
}
