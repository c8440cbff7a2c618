//! Converts the body of an HTTP response. The Content-Type is evidence for the encoding of the body, and may contradict
//! the body. The policy determines which of them is believed, and the contradiction is reported.
//!
//!     cargo run --example http_response
//!
//! It requests two documents from a server that it starts itself, and prints each one converted. (A real HTTP client
//! does more than read headers up to the first empty line. charpipe needs only the value of one header, and the body.)

use charpipe::Transcode;
use charpipe::detect::Policy;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = thread::spawn(move || serve(&listener));

    show(get(address, "/feed")?, Policy::Rfc7303)?;
    show(get(address, "/page")?, Policy::Whatwg)?;
    server.join().expect("the server does not panic")?;
    Ok(())
}

fn show((content_type, body): (String, impl BufRead), policy: Policy) -> Result<(), Box<dyn Error>> {
    let job = Transcode::new().policy(policy).content_type(&content_type);
    let mut text = Vec::new();
    let report = job.run(body, &mut text)?;
    println!("{content_type}: {}", report.from.unwrap_or_default());
    if let Some(verdict) = report.verdict {
        println!("  by rule {}", verdict.rule.unwrap_or("none"));
        for note in verdict.diagnostics {
            println!("  {}: {}", note.severity.name(), note.message);
        }
    }
    println!("  {}", String::from_utf8(text)?);
    Ok(())
}

/// Requests `path`, and returns the Content-Type of the response and its body.
fn get(address: SocketAddr, path: &str) -> io::Result<(String, impl BufRead + use<>)> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut stream = BufReader::new(stream);
    let (mut content_type, mut length) = (String::new(), u64::MAX);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-type") => content_type = value.trim().to_owned(),
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            None if line.trim_end().is_empty() => return Ok((content_type, stream.take(length))),
            _ => {}
        }
    }
}

/// Serves two requests. The Content-Type of the feed is correct, and its declaration is not. The page declares only
/// ISO-8859-1, which on the web means windows-1252.
fn serve(listener: &TcpListener) -> io::Result<()> {
    for stream in listener.incoming().take(2) {
        let mut stream = stream?;
        let mut request = BufReader::new(stream.try_clone()?).lines();
        let is_feed = request.next().transpose()?.is_some_and(|line| line.starts_with("GET /feed "));
        while request.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let (content_type, body): (_, &[u8]) = match is_feed {
            true => {
                ("application/xml; charset=ISO-8859-2", b"<?xml version='1.0' encoding='UTF-8'?><a>\xA3\xF3d\xBC</a>")
            }
            false => ("text/html", b"<meta charset='ISO-8859-1'><p>\x80 5 \x96 \x80 7</p>"),
        };
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n", body.len())?;
        stream.write_all(body)?;
    }
    Ok(())
}
