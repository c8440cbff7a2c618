//! `--as http`: the head of a raw HTTP response, as `curl -i` writes it. `convert` and `detect` read it alike.

use crate::files::input::fill;
use std::fmt::{self, Display};
use std::io::{self, BufRead, Read as _};

/// The longest head, in bytes, of all responses before the body.
const MAX_HEAD: u64 = 64 * 1024;

/// The information in the head about the body.
#[derive(PartialEq, Eq, Debug, Default)]
pub(crate) struct HttpHead {
    /// The value of the last `Content-Type`.
    pub(crate) content_type: Option<String>,
    /// The length of the body, in bytes.
    pub(crate) length: Option<u64>,
}

/// A body that must not end before its length. If it does, the transfer was broken.
pub(crate) struct Body<R> {
    inner: R,
    length: u64,
    at: u64,
}

impl<R> Body<R> {
    pub(crate) fn new(inner: R, length: u64) -> Self {
        Body { inner, length, at: 0 }
    }
}

impl<R: BufRead> io::Read for Body<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(room)?;
        self.consume(len);
        Ok(len)
    }
}

impl<R: BufRead> BufRead for Body<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let piece = self.inner.fill_buf()?;
        if piece.is_empty() && self.at < self.length {
            let Body { at, length, .. } = self;
            let why = format!("the body of the response ends after {at} of {length} bytes");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
        }
        Ok(piece)
    }

    fn consume(&mut self, len: usize) {
        self.at += len as u64;
        self.inner.consume(len);
    }
}

/// Why a response cannot be read.
#[derive(Debug)]
pub(crate) enum NotHttp {
    Read(io::Error),
    /// The error, and at which byte of the input.
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
    /// Reads the head from the front of `input`. The heads of interim responses and of redirections, after which
    /// another head follows, are skipped. Returns the head of the last response, and the first bytes of its body: those
    /// that had to be read to see that they begin no head. The rest of the body is what `input` then begins with.
    pub(crate) fn read(input: &mut dyn BufRead) -> Result<(Self, Vec<u8>), NotHttp> {
        let (mut at, mut begun) = (0, Vec::new());
        loop {
            let head = read_one(input, std::mem::take(&mut begun), &mut at)?;
            // A redirection may have a separate body, but what `curl -iL` writes of it is the head alone.
            begun = read_opening(input).map_err(NotHttp::Read)?;
            if begun != OPENING {
                return Ok((head, begun));
            }
        }
    }
}

/// The beginning of every head.
const OPENING: &[u8] = b"HTTP/";

/// Reads as many bytes as a head begins with, and no byte more: the input may come in pieces of any size, and the
/// sender may wait for an answer.
fn read_opening(input: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut begun = Vec::new();
    while begun.len() < OPENING.len() {
        let next = fill(input)?.first().copied();
        let Some(byte) = next.filter(|byte| *byte == OPENING[begun.len()]) else { break };
        begun.push(byte);
        input.consume(1);
    }
    Ok(begun)
}

/// Reads one head, up to the empty line. `begun`: what was read of its first line. `at` is how much of the input was
/// read, without that.
fn read_one(input: &mut dyn BufRead, begun: Vec<u8>, at: &mut u64) -> Result<HttpHead, NotHttp> {
    let mut head = HttpHead::default();
    let (mut is_first, mut has_body) = (true, false);
    let mut line = begun;
    loop {
        let begin = *at;
        *at += line.len() as u64;
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
            // A response that nothing has changed has the length of what it does not send.
            head.length = head.length.filter(|_| has_body);
            return Ok(head);
        }
        has_body |= is_first && text.split_whitespace().nth(1) != Some("304");
        if let Some((name, value)) = text.split_once(':').filter(|_| !is_first) {
            head.add(name, value.trim()).map_err(|why| NotHttp::Wrong(why, begin))?;
        }
        is_first = false;
        line.clear();
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
            "content-length" => self.length = value.parse().ok(),
            "content-encoding" => {
                if let Some(coding) = coding {
                    return Err(format!(
                        "the body was compressed ({coding}); fetch it uncompressed, as curl does without --compressed"
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

    type Outcome = Result<(Option<String>, Vec<u8>), String>;

    /// Reads a response that comes in pieces of `size` bytes.
    fn read_in_pieces(input: &[u8], size: usize) -> Outcome {
        let mut input = io::BufReader::with_capacity(size, input);
        let (head, begun) = HttpHead::read(&mut input).map_err(|error| error.to_string())?;
        let (mut rest, mut body) = (Body::new(begun.chain(input), head.length.unwrap_or(0)), Vec::new());
        rest.read_to_end(&mut body).map_err(|error| error.to_string())?;
        Ok((head.content_type, body))
    }

    /// Reads a response, which gives the same in pieces of any size.
    fn read(input: &[u8]) -> Outcome {
        let whole = read_in_pieces(input, input.len().max(1));
        for size in 1..input.len().min(100) {
            assert_eq!(read_in_pieces(input, size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn heads_and_bodies() {
        let latin1 = Some("text/html; charset=iso-8859-1".to_owned());
        for (input, content_type, body) in [
            (&b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n\xE9"[..], latin1.clone(), &b"\xE9"[..]),
            (b"HTTP/2 200 \ncontent-type:text/html; charset=iso-8859-1\nX: y\n\nbody\n\n", latin1.clone(), b"body\n\n"),
            (b"HTTP/1.0 200\r\nContent-Encoding: identity\r\n\r\n", None, b""),
            (b"HTTP/1.1 301 Moved\r\nContent-Type: text/xml\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\nx", latin1, b"x"),
            (b"HTTP/1.1 301 Moved\r\nContent-Type: text/xml\r\n\r\nHTTP", Some("text/xml".to_owned()), b"HTTP"),
            (b"HTTP/1.1 200 OK\r\n\r\nHTT is no head", None, b"HTT is no head"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", None, b"body"),
            (b"HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", None, b""),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nlonger", None, b"longer"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: four\r\n\r\nx", None, b"x"),
            (b"HTTP/1.1 301 Moved\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx", None, b"x"),
            (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", None, b""),
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
            (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", "byte 17: the body was compressed (gzip)"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "byte 17: the body is transferred as chunked"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbody", "the body of the response ends after 4 of 5 bytes"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "the body of the response ends after 0 of 5 bytes"),
            (b"HTTP/1.1 301 Moved\r\n\r\nHTTP/1.1", "byte 22: this is not an HTTP response"),
            (b"HTTP/1.1 301 Moved\r\n\r\nHTTP/1.1 200 OK\r\nA: b", "byte 39: the input ends within the head"),
        ] {
            let error = read(input).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
        let endless = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"A: b\r\n".repeat(20_000)].concat();
        assert!(read(&endless).unwrap_err().contains("is longer than 65536 bytes"));
    }
}
