//! Tests that output is written as soon as it is decided, through every interface, because a peer may send a few bytes
//! and wait for the answer. Input comes one byte at a time, and the next byte comes only when the output of those
//! before it has arrived.

use crate::common;

use crate::common::{codecs, encode};
use charpipe::codec::{ByteSink, Stop, Utf8Sink};
use charpipe::{Bom, Codec, Registry, Transcode};
use std::cell::RefCell;
use std::io::{self, BufRead, Read, Write};
use std::rc::Rc;

/// Returns the text of the bytes so far, without an end of input.
fn decoded(codec: &dyn Codec, bytes: &[u8]) -> Vec<u8> {
    let mut room = [0; 4096];
    let mut sink = Utf8Sink::new(&mut room);
    let step = codec.decoder().feed(bytes, &mut sink);
    assert_eq!((step.read, step.stop), (bytes.len(), Stop::InputEmpty), "{}", codec.name());
    sink.as_str().into()
}

/// Returns what the codec writes for the text so far, without an end.
fn encoded(codec: &dyn Codec, text: &str) -> Vec<u8> {
    let mut room = [0; 4096];
    let mut sink = ByteSink::new(&mut room);
    let step = codec.encoder().unwrap().feed(text, &mut sink);
    assert_eq!((step.read, step.stop), (text.len(), Stop::InputEmpty), "{}", codec.name());
    sink.as_bytes().to_vec()
}

/// The input, and how much output has arrived once each byte was sent.
struct Talk {
    input: Vec<u8>,
    /// The output.
    output: Vec<u8>,
    /// How much of it was awaited before each byte, and at the end: one more than there are bytes.
    awaited: Vec<usize>,
}

impl Talk {
    /// `answer` returns the output of the first bytes.
    fn new(input: Vec<u8>, output: Vec<u8>, answer: impl Fn(&[u8]) -> Vec<u8>) -> Self {
        let awaited = (0..=input.len()).map(|len| answer(&input[..len]).len()).collect();
        Talk { input, output, awaited }
    }
}

/// What both sides of a conversation see.
#[derive(Default)]
struct Line {
    sent: usize,
    arrived: Vec<u8>,
}

/// Sends one byte at a time. Each time it has seen the answer to the bytes before.
struct Peer<'a> {
    talk: &'a Talk,
    line: Rc<RefCell<Line>>,
    what: &'a str,
}

impl Peer<'_> {
    fn check(&self) {
        let line = self.line.borrow();
        let Line { sent, arrived } = &*line;
        let (len, awaited) = (arrived.len(), self.talk.awaited[*sent]);
        assert_eq!(arrived[..], self.talk.output[..len], "{}: wrong output after {sent} bytes", self.what);
        let input = &self.talk.input;
        assert!(len >= awaited, "{}: after {sent} bytes of {input:x?}, {len} of {awaited} have arrived", self.what);
    }
}

impl BufRead for Peer<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check();
        let sent = self.line.borrow().sent;
        Ok(self.talk.input.get(sent..=sent).unwrap_or_default())
    }

    fn consume(&mut self, len: usize) {
        self.line.borrow_mut().sent += len;
    }
}

impl Read for Peer<'_> {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("the doors fill and consume")
    }
}

/// The output, which arrives when it is flushed.
struct Answers {
    line: Rc<RefCell<Line>>,
    buffered: Vec<u8>,
}

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffered.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.line.borrow_mut().arrived.append(&mut self.buffered);
        Ok(())
    }
}

/// Has the conversation through every interface of the library.
fn check(job: &Transcode, talk: &Talk, what: &str) {
    let new = || {
        let line = Rc::<RefCell<Line>>::default();
        (line.clone(), Peer { talk, line, what })
    };

    let mut transcoder = job.transcoder().unwrap();
    let (line, peer) = new();
    for byte in &talk.input {
        let mut room = [0; 256];
        let step = transcoder.step(&[*byte], &mut room, false).unwrap();
        assert_eq!(step.read, 1);
        line.borrow_mut().arrived.extend_from_slice(&room[..step.written]);
        line.borrow_mut().sent += 1;
        peer.check();
    }

    let (line, peer) = new();
    let mut output = Answers { line: line.clone(), buffered: Vec::new() };
    job.run(peer, &mut output).unwrap();
    assert_eq!(line.borrow().arrived, talk.output, "{what}");

    let (line, peer) = new();
    let mut reader = job.reader(peer).unwrap();
    let mut room = [0; 64];
    loop {
        let len = reader.read(&mut room).unwrap();
        line.borrow_mut().arrived.extend_from_slice(&room[..len]);
        if len == 0 {
            break;
        }
    }

    let (line, peer) = new();
    let mut writer = job.writer(Answers { line: line.clone(), buffered: Vec::new() }).unwrap();
    for byte in &talk.input {
        writer.write_all(&[*byte]).unwrap();
        writer.flush().unwrap();
        line.borrow_mut().sent += 1;
        peer.check();
    }
    writer.finish().unwrap();
    assert_eq!(line.borrow().arrived, talk.output, "{what}");

    #[cfg(feature = "tokio")]
    with_tokio(job, talk, what);
}

/// The same with tokio's traits. Nothing is ever pending, so no runtime is needed.
#[cfg(feature = "tokio")]
fn with_tokio(job: &Transcode, talk: &Talk, what: &str) {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};
    use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};

    struct Async<T>(T);

    impl AsyncBufRead for Async<Peer<'_>> {
        fn poll_fill_buf(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
            Poll::Ready(self.get_mut().0.fill_buf())
        }

        fn consume(self: Pin<&mut Self>, len: usize) {
            self.get_mut().0.consume(len);
        }
    }

    impl AsyncRead for Async<Peer<'_>> {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            unreachable!("the adapter fills and consumes")
        }
    }

    impl AsyncWrite for Async<Answers> {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Ready(self.get_mut().0.write(bytes))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(self.get_mut().0.flush())
        }

        fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.poll_flush(cx)
        }
    }

    fn now<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => panic!("nothing is pending"),
        }
    }

    let line = Rc::<RefCell<Line>>::default();
    let mut reader = job.tokio_reader(Async(Peer { talk, line: line.clone(), what })).unwrap();
    let mut room = [0; 64];
    loop {
        let len = now(reader.read(&mut room)).unwrap();
        line.borrow_mut().arrived.extend_from_slice(&room[..len]);
        if len == 0 {
            break;
        }
    }

    let line = Rc::<RefCell<Line>>::default();
    let peer = Peer { talk, line: line.clone(), what };
    let mut writer = job.tokio_writer(Async(Answers { line: line.clone(), buffered: Vec::new() })).unwrap();
    for byte in &talk.input {
        now(writer.write_all(&[*byte])).unwrap();
        now(writer.flush()).unwrap();
        line.borrow_mut().sent += 1;
        peer.check();
    }
    now(writer.shutdown()).unwrap();
    assert_eq!(line.borrow().arrived, talk.output, "{what}");
}

/// Text that can neither be taken for the beginning of a document nor of another encoding.
const TEXT: &str = "ok\nnaïve €漢字 か\u{309A}😀 yes\n";

/// Returns what the codec can write of the text. It does not begin with white space, which a declaration may follow.
fn text_for(codec: &dyn Codec) -> String {
    let can = |ch: &char| !encode(codec, ch.encode_utf8(&mut [0; 4])).is_empty();
    TEXT.chars().filter(can).collect::<String>().trim_start().to_owned()
}

/// For every encoding that is named, the text of the bytes so far has arrived.
#[test]
fn a_named_encoding_of_the_input() {
    for codec in codecs() {
        // Without a mark, the first of the byte orders.
        let orders = codec.info().byte_orders.map(|orders| Registry::builtin().codec(orders.names[0]).unwrap());
        let reading = orders.unwrap_or_else(|| codec.clone());
        let input = encode(&*reading, &text_for(&*reading));
        let job = Transcode::new().source_encoding(codec.name()).unwrap();
        let output = common::whole(&job, &input).output;
        let talk = Talk::new(input, output, |bytes| decoded(&*reading, bytes));
        check(&job, &talk, &format!("from {}", codec.name()));
    }
}

/// Every target: what the encoder writes for the text so far has arrived.
#[test]
fn every_target() {
    for codec in codecs() {
        let text = text_for(&*codec);
        let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(codec.name()).unwrap();
        let job = job.bom(Bom::Strip);
        let whole = common::whole(&job, text.as_bytes());
        assert_eq!(whole.error, None, "{}", codec.name());
        let talk = Talk::new(text.into_bytes(), whole.output, |bytes| {
            let end = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
            encoded(&*codec, std::str::from_utf8(&bytes[..end]).unwrap())
        });
        check(&job, &talk, &format!("to {}", codec.name()));
    }
}

/// What may still become a byte order mark, a declaration or the beginning of HTML is awaited, and goes out with the
/// first byte that shows that it is none.
#[test]
#[cfg(feature = "whatwg")]
fn what_may_become_a_mark_or_a_declaration() {
    // How many bytes are held back before the last one of these.
    for (label, input, held) in [
        ("windows-1252", &b"o"[..], 0),
        ("windows-1252", b"\r\n \tok", 4),
        ("windows-1252", b"<?xo", 3),
        ("windows-1252", b"<!DOCTYPE svg", 10),
        ("windows-1252", b"<p", 1),
        ("windows-1252", b"<?xml version='1.0'?><a", 22),
        ("windows-1252", b"\xEFo", 1),
        ("windows-1252", b"\xEF\xBBo", 2),
        ("windows-1252", b"\xFEo", 1),
        ("UTF-8", b"\xEF\xBBo", 2),
        ("UTF-8", b"\xEF\xBB\xBFo", 3),
        ("UTF-16BE", b"\xFE\xFF\0o", 3),
        ("UTF-16", b"o\0", 1),
        ("IBM1047", b"\x96", 0),
        ("IBM1047", b"\x4C\x6F\x96", 2),
        ("GB18030", b"\x84\x31\x95\x33o", 4),
    ] {
        let job = Transcode::new().source_encoding(label).unwrap().on_malformed(charpipe::OnMalformed::Replace);
        let mut transcoder = job.transcoder().unwrap();
        let mut room = [0; 64];
        for (at, byte) in input.iter().enumerate() {
            let step = transcoder.step(&[*byte], &mut room, false).unwrap();
            assert_eq!(step.written > 0, at >= held, "{label}, {input:x?} at {at}");
        }
    }
}

/// The options that look at more of the input do that only if no encoding is named.
#[test]
#[cfg(feature = "whatwg")]
fn with_other_options() {
    let named = || Transcode::new().source_encoding("windows-1252").unwrap();
    let talk = |input: &[u8]| Talk::new(input.to_vec(), input.to_vec(), |bytes| bytes.to_vec());
    for (job, what) in [
        (named().guess(true), "guess"),
        (named().fallback("UTF-8").unwrap(), "fallback"),
        (named().fallbacks(["UTF-8", "windows-1252"]).unwrap(), "fallbacks"),
        (named().on_unknown(charpipe::OnUnknown::Pass), "unknown"),
        (named().strict(true), "strict"),
    ] {
        check(&job, &talk(b"ok\nyes\n"), what);
    }
    // Without a name the second byte may show UTF-16.
    let later = |input: &[u8]| {
        Talk::new(input.to_vec(), input.to_vec(), |bytes| if bytes.len() < 2 { Vec::new() } else { bytes.to_vec() })
    };
    check(&Transcode::new(), &later(b"ok\nyes\n"), "detected");
    check(&Transcode::new().fallback("windows-1252").unwrap(), &later(b"ok\nyes\n"), "detected, fallback");
    let fallbacks = Transcode::new().fallbacks(["UTF-8", "windows-1252"]).unwrap();
    check(&fallbacks, &later(b"ok\nyes\n"), "detected, fallbacks");

    // A record goes out with its last byte.
    let job = named().records("fb:3".parse().unwrap());
    let records = Talk::new(b"ab cd yes".to_vec(), b"ab\ncd\nyes\n".to_vec(), |bytes| match bytes.len() {
        0..3 => b"ab"[..bytes.len().min(2)].to_vec(),
        3..6 => b"ab\ncd"[..bytes.len().min(5)].to_vec(),
        len => b"ab\ncd\nyes\n"[..if len == 9 { 10 } else { len }].to_vec(),
    });
    check(&job, &records, "records");
}
