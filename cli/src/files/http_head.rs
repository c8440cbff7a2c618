//! `--as http`: the head of a raw HTTP response, as `curl -i` writes it. `convert` and `detect` read it alike.

use std::fmt::{self, Display};
use std::io::{self, BufRead, Read as _};

/// The longest head, in bytes, of all responses before the body.
const MAX_HEAD: u64 = 64 * 1024;

/// What the head says about the body.
#[derive(PartialEq, Eq, Debug, Default)]
pub(crate) struct HttpHead {
    /// The value of the last `Content-Type`.
    pub(crate) content_type: Option<String>,
}

/// Why a response cannot be read.
#[derive(Debug)]
pub(crate) enum NotHttp {
    Read(io::Error),
    /// What is wrong, and at which byte of the input.
    Wrong(String, u64),
}

impl Display for NotHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotHttp::Read(error) => write!(f, "cannot read: {error}"),
            NotHttp::Wrong(why, at) => write!(f, "byte {at}: {why}"),
        }
    }
}

impl HttpHead {
    /// Reads the head from the front of `input`, which then begins with the body. The heads of interim responses and of
    /// redirections, after which another head follows, are skipped.
    pub(crate) fn read(input: &mut dyn BufRead) -> Result<Self, NotHttp> {
        let mut at = 0;
        loop {
            let head = read_one(input, &mut at)?;
            // A redirection may have a body of its own, but what `curl -iL` writes of it is the head alone.
            if !begins_head(input).map_err(NotHttp::Read)? {
                return Ok(head);
            }
        }
    }
}

/// Returns whether the next bytes begin another head.
fn begins_head(input: &mut dyn BufRead) -> io::Result<bool> {
    Ok(input.fill_buf()?.starts_with(b"HTTP/"))
}

/// Reads one head, up to the empty line. `at` is how much of the input was read.
fn read_one(input: &mut dyn BufRead, at: &mut u64) -> Result<HttpHead, NotHttp> {
    let mut head = HttpHead::default();
    let mut is_first = true;
    loop {
        let begin = *at;
        let mut line = Vec::new();
        let len = input.take(MAX_HEAD.saturating_sub(*at)).read_until(b'\n', &mut line).map_err(NotHttp::Read)?;
        *at += len as u64;
        if !line.ends_with(b"\n") {
            let why = if *at >= MAX_HEAD {
                format!("the head of the response is longer than {MAX_HEAD} bytes")
            } else {
                "the input ends within the head of the response".to_owned()
            };
            return Err(NotHttp::Wrong(if is_first { NO_RESPONSE.to_owned() } else { why }, begin));
        }
        let text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        if is_first && !text.starts_with("HTTP/") {
            return Err(NotHttp::Wrong(NO_RESPONSE.to_owned(), begin));
        }
        if text.is_empty() {
            return Ok(head);
        }
        if let Some((name, value)) = text.split_once(':').filter(|_| !is_first) {
            head.add(name, value.trim()).map_err(|why| NotHttp::Wrong(why, begin))?;
        }
        is_first = false;
    }
}

const NO_RESPONSE: &str = "this is not an HTTP response: it does not begin with a status line such as HTTP/1.1 200 OK";

impl HttpHead {
    /// Adds a header. Fails if the body is coded in a way that has to be undone first.
    fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        let codings = || value.split(',').map(str::trim).filter(|coding| !coding.eq_ignore_ascii_case("identity"));
        let coding = codings().find(|coding| !coding.is_empty());
        match &*name.trim().to_ascii_lowercase() {
            "content-type" => self.content_type = Some(value.to_owned()),
            "content-encoding" => {
                if let Some(coding) = coding {
                    return Err(format!(
                        "the body is compressed ({coding}); decompress it first, as curl --compressed does"
                    ));
                }
            }
            "transfer-encoding" => {
                if let Some(coding) = coding {
                    return Err(format!(
                        "the body is transferred as {coding}; save it without --raw, as curl does by default"
                    ));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut input: &[u8]) -> Result<(Option<String>, Vec<u8>), String> {
        let head = HttpHead::read(&mut input).map_err(|error| error.to_string())?;
        Ok((head.content_type, input.to_vec()))
    }

    #[test]
    fn heads_and_bodies() {
        let latin1 = Some("text/html; charset=iso-8859-1".to_owned());
        for (input, content_type, body) in [
            (&b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n\xE9"[..], latin1.clone(), &b"\xE9"[..]),
            (b"HTTP/2 200 \ncontent-type:text/html; charset=iso-8859-1\nX: y\n\nbody\n\n", latin1.clone(), b"body\n\n"),
            (b"HTTP/1.0 200\r\nContent-Encoding: identity\r\n\r\n", None, b""),
            (b"HTTP/1.1 301 Moved\r\nContent-Type: text/xml\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\nx", latin1, b"x"),
        ] {
            assert_eq!(read(input), Ok((content_type, body.to_vec())));
        }
    }

    #[test]
    fn what_cannot_be_read() {
        for (input, why) in [
            (&b""[..], "byte 0: this is not an HTTP response"),
            (b"<html>", "byte 0: this is not an HTTP response"),
            (b"Content-Type: text/html\r\n\r\n", "byte 0: this is not an HTTP response"),
            (b"HTTP/1.1 200 OK\r\nA: b", "byte 17: the input ends within the head"),
            (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", "byte 17: the body is compressed (gzip)"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "byte 17: the body is transferred as chunked"),
        ] {
            let error = read(input).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
        let endless = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"A: b\r\n".repeat(20_000)].concat();
        assert!(read(&endless).unwrap_err().contains("is longer than 65536 bytes"));
    }
}
