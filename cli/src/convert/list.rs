//! `--inputs`: a list of inputs, each a line of JSON with its own encoding, Content-Type and output.

use crate::escape::printable;
use crate::files::input;
use crate::files::name::Name;
use crate::messages::{hints, say};
use crate::status::Status;
use charpipe::{Error, Transcode};
use serde::Deserialize;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

/// The longest line, in bytes.
const MAX_LINE: usize = 1 << 20;

/// How many bytes are read at a time.
const READ_BYTES: usize = 64 * 1024;

/// A line of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    input: String,
    output: Option<String>,
    from: Option<String>,
    to: Option<String>,
    content_type: Option<String>,
}

/// An input of the list.
pub(crate) struct Listed {
    /// The number of the line, from 1.
    pub(crate) line: usize,
    pub(crate) input: OsString,
    pub(crate) output: Option<PathBuf>,
    /// The conversion, if the line has something to say about it.
    pub(crate) transcode: Option<Box<Transcode>>,
}

/// Reads the list at `path`, of which `-` is standard input. Empty lines are skipped. Reports the first line that is
/// wrong: then nothing is converted.
pub(crate) fn read(path: &Path, transcode: &Transcode) -> Result<Vec<Listed>, Status> {
    let name = Name::of_operand(path.as_os_str());
    let failed = |what: &str, error: std::io::Error| {
        say(format_args!("{name}: cannot {what}: {error}"));
        Status::Io
    };
    let mut reader = input::open(path.as_os_str(), READ_BYTES).map_err(|error| failed("open", error))?.reader;
    let mut listed = Vec::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let limit = MAX_LINE as u64 + 1;
        let len = std::io::Read::take(&mut reader, limit)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| failed("read", error))?;
        if len == 0 {
            break;
        }
        let wrong = |why: &dyn Display| {
            say(format_args!("{name}: line {line}: {}", printable(&why.to_string())));
            Status::Usage
        };
        if len > MAX_LINE {
            return Err(wrong(&format_args!("it is longer than {MAX_LINE} bytes")));
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let parsed: Line = serde_json::from_slice(bytes.trim_ascii_end()).map_err(|error| wrong(&in_line(&error)))?;
        let own = own_transcode(&parsed, transcode).map_err(|error| {
            let hint = hints::for_option(&error);
            wrong(&format_args!("{error}{hint}"))
        })?;
        let (input, output) = (parsed.input.into(), parsed.output.map(PathBuf::from));
        listed.push(Listed { line, input, output, transcode: own.map(Box::new) });
    }
    Ok(listed)
}

/// Returns the error in the JSON of a line. serde_json counts lines too, of which there is one.
fn in_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let (what, _) = text.rsplit_once(" at line 1 column ").unwrap_or((&text, ""));
    format!("column {}: {what}", error.column())
}

/// Returns the conversion that a line asks for, if it differs from that of the options.
fn own_transcode(line: &Line, transcode: &Transcode) -> Result<Option<Transcode>, Error> {
    if line.from.is_none() && line.to.is_none() && line.content_type.is_none() {
        return Ok(None);
    }
    let mut own = transcode.clone();
    if let Some(from) = &line.from {
        let is_auto = from.eq_ignore_ascii_case("auto");
        own = if is_auto { own.set("from", "auto")? } else { own.source_encoding(from)? };
    }
    if let Some(to) = &line.to {
        own = own.target_encoding(to)?;
    }
    if let Some(content_type) = &line.content_type {
        own = own.content_type(content_type);
    }
    own.validate()?;
    Ok(Some(own))
}
