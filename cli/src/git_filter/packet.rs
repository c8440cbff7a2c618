//! git's packets: four hexadecimal digits that count themselves and the data, and the data. `0000`, a flush packet,
//! ends a list or a file (gitprotocol-common(5)).

use crate::escape::printable;
use std::fmt::{self, Display};
use std::io::{self, BufRead, Read, Write};

/// The most data in a packet, in bytes.
pub(super) const MAX_DATA: usize = 65516;

/// The most lines in a list. git sends fewer than ten.
const MAX_LINES: usize = 1000;

/// Why the conversation ended.
#[derive(Debug)]
pub(super) enum Broken {
    Read(io::Error),
    Write(io::Error),
    /// The error in what was read, and the byte of the conversation.
    Protocol(&'static str, u64),
    /// This is not the length of a packet.
    Length([u8; 4], u64),
}

impl Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Read(error) => write!(f, "cannot read: {error}"),
            Broken::Write(error) => write!(f, "cannot write: {error}"),
            Broken::Protocol(what, at) => write!(f, "the protocol is broken: byte {at}: {what}"),
            Broken::Length(length, at) => {
                let length = printable(&String::from_utf8_lossy(length));
                write!(f, "the protocol is broken: byte {at}: \"{length}\" is not the length of a packet")
            }
        }
    }
}

/// Reads packets.
pub(super) struct Reader<R> {
    input: R,
    /// How many bytes were read.
    at: u64,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R) -> Self {
        Reader { input, at: 0 }
    }

    /// Makes the error for something that was read just before.
    pub(super) fn wrong(&self, what: &'static str) -> Broken {
        Broken::Protocol(what, self.at)
    }

    /// Reads a list of lines up to a flush packet. Returns `None` if the conversation is over.
    pub(super) fn list(&mut self) -> Result<Option<Vec<String>>, Broken> {
        let mut lines = Vec::new();
        if self.input.fill_buf().map_err(Broken::Read)?.is_empty() {
            return Ok(None);
        }
        let mut data = Vec::new();
        while self.packet(&mut data)? {
            let line = data.strip_suffix(b"\n").unwrap_or(&data);
            lines.push(String::from_utf8_lossy(line).into_owned());
            if lines.len() > MAX_LINES {
                return Err(self.wrong("a list has too many lines"));
            }
        }
        Ok(Some(lines))
    }

    /// Reads the next packet of a file into `data`. Returns `false` at the end of the file.
    pub(super) fn packet(&mut self, data: &mut Vec<u8>) -> Result<bool, Broken> {
        let begun = self.at;
        let mut length = [0; 4];
        self.exact(&mut length)?;
        let text = str::from_utf8(&length).ok().filter(|text| text.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let count = text.and_then(|text| usize::from_str_radix(text, 16).ok());
        data.clear();
        match count {
            Some(0) => Ok(false),
            Some(count) if (4..=MAX_DATA + 4).contains(&count) => {
                data.resize(count - 4, 0);
                self.exact(data)?;
                Ok(true)
            }
            _ => Err(Broken::Length(length, begun)),
        }
    }

    fn exact(&mut self, data: &mut [u8]) -> Result<(), Broken> {
        let mut read = 0;
        while read < data.len() {
            match self.input.read(&mut data[read..]) {
                Ok(0) => return Err(Broken::Protocol("the input ends within a request", self.at)),
                Ok(len) => {
                    read += len;
                    self.at += len as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Broken::Read(error)),
            }
        }
        Ok(())
    }
}

/// Reads the content of one file, and remembers why that failed.
pub(super) struct Content<'a, R> {
    reader: &'a mut Reader<R>,
    data: Vec<u8>,
    at: usize,
    pub(super) is_over: bool,
    pub(super) broken: Option<Broken>,
}

impl<'a, R: BufRead> Content<'a, R> {
    pub(super) fn new(reader: &'a mut Reader<R>) -> Self {
        Content { reader, data: Vec::new(), at: 0, is_over: false, broken: None }
    }

    /// Reads what is left, so that the next request can be read.
    pub(super) fn drain(&mut self) -> Result<(), Broken> {
        while !self.is_over && self.broken.is_none() {
            let len = self.fill_buf().map_or(0, <[u8]>::len);
            self.consume(len);
        }
        self.broken.take().map_or(Ok(()), Err)
    }
}

impl<R: BufRead> BufRead for Content<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.data.len() && !self.is_over {
            self.at = 0;
            match self.reader.packet(&mut self.data) {
                Ok(more) => self.is_over = !more,
                Err(broken) => {
                    self.data.clear();
                    self.broken = Some(broken);
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        Ok(&self.data[self.at..])
    }

    fn consume(&mut self, len: usize) {
        self.at += len;
    }
}

impl<R: BufRead> Read for Content<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(buffer)?;
        self.consume(len);
        Ok(len)
    }
}

/// Writes packets.
pub(super) struct Writer<W: Write>(io::BufWriter<W>);

impl<W: Write> Writer<W> {
    pub(super) fn new(output: W) -> Self {
        Writer(io::BufWriter::with_capacity(MAX_DATA + 4, output))
    }

    /// Writes a list of lines and a flush packet, and sends everything.
    pub(super) fn list(&mut self, lines: &[&str]) -> Result<(), Broken> {
        for line in lines {
            writeln!(self.0, "{:04x}{line}", line.len() + 5).map_err(Broken::Write)?;
        }
        self.0.write_all(b"0000").and_then(|()| self.0.flush()).map_err(Broken::Write)
    }

    /// Writes the content of a file and a flush packet.
    pub(super) fn content(&mut self, content: &[u8]) -> Result<(), Broken> {
        for data in content.chunks(MAX_DATA) {
            write!(self.0, "{:04x}", data.len() + 4).and_then(|()| self.0.write_all(data)).map_err(Broken::Write)?;
        }
        self.0.write_all(b"0000").map_err(Broken::Write)
    }
}

#[cfg(test)]
pub(super) mod tests {
    /// Returns a packet with this data.
    pub(in super::super) fn packet(data: &[u8]) -> Vec<u8> {
        [format!("{:04x}", data.len() + 4).as_bytes(), data].concat()
    }

    pub(in super::super) fn flush() -> Vec<u8> {
        b"0000".to_vec()
    }
}
