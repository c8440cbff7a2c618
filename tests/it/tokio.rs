//! Tests that the adapters to tokio's traits give the same result as `transcode`, with slow readers and writers, pieces
//! of any size, and futures that are dropped. Also tests that the runtime is woken.
use crate::common;

use crate::common::{Outcome, TEXT, sample, samples, whole};
use charpipe::{AsyncDecodeReader, AsyncEncodeWriter};
use charpipe::{Bom, Error, OnMalformed, Transcode};
use futures_util::Stream;
use proptest::prelude::*;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker, ready};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, ReadBuf,
};

/// A pseudo-random number generator with a seed.
#[derive(Clone, Debug)]
struct Dice(u64);

impl Dice {
    /// Returns a number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides
    }

    /// Returns ready, pending, or a temporary error, at random.
    fn next_result(&mut self) -> Poll<io::Result<()>> {
        match self.roll(4) {
            0 => Poll::Pending,
            1 if self.roll(3) == 0 => Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
            _ => Poll::Ready(Ok(())),
        }
    }
}

/// A reader that returns pieces of one to `most` bytes, and sometimes is pending or fails.
struct Drip<'a> {
    rest: &'a [u8],
    most: usize,
    dice: Dice,
    calls: usize,
}

impl<'a> Drip<'a> {
    fn new(rest: &'a [u8], most: usize, dice: Dice) -> Self {
        Drip { rest, most, dice, calls: 0 }
    }
}

impl AsyncBufRead for Drip<'_> {
    fn poll_fill_buf(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        this.calls += 1;
        ready!(this.dice.next_result())?;
        let len = (1 + this.dice.roll(this.most)).min(this.rest.len());
        Poll::Ready(Ok(&this.rest[..len]))
    }

    fn consume(self: Pin<&mut Self>, len: usize) {
        let this = self.get_mut();
        this.rest = &this.rest[len..];
    }
}

impl AsyncRead for Drip<'_> {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        unreachable!("the adapter fills and consumes")
    }
}

/// A writer that accepts one to `most` bytes, and sometimes is pending or fails. It records what it was asked to do.
struct Drain {
    taken: Vec<u8>,
    flushed: usize,
    shut: bool,
    most: usize,
    dice: Dice,
}

impl Drain {
    fn new(most: usize, dice: Dice) -> Self {
        Drain { taken: Vec::new(), flushed: 0, shut: false, most, dice }
    }
}

impl AsyncWrite for Drain {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        assert!(!this.shut, "a write after the shutdown");
        ready!(this.dice.next_result())?;
        let len = (1 + this.dice.roll(this.most)).min(bytes.len());
        this.taken.extend_from_slice(&bytes[..len]);
        Poll::Ready(Ok(len))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.dice.next_result())?;
        this.flushed = this.taken.len();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.dice.next_result())?;
        this.shut = true;
        Poll::Ready(Ok(()))
    }
}

/// Polls, each time as a new future would, until the result is ready and is not a temporary error.
fn poll_until_ready<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<io::Result<T>>) -> io::Result<T> {
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..10_000 {
        match poll(&mut cx) {
            Poll::Pending => {}
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::ConnectionReset => {}
            Poll::Ready(result) => return result,
        }
    }
    panic!("it never becomes ready");
}

/// Returns the message of the library's own error inside an I/O error. Panics on any other.
fn message(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    inner.unwrap_or_else(|| panic!("{error:?}")).to_string()
}

/// Reads in pieces of one to `size` bytes, or consumes them.
fn read<R: AsyncBufRead + Unpin>(
    reader: &mut AsyncDecodeReader<R>,
    size: usize,
    mut dice: Dice,
) -> (Vec<u8>, Option<String>) {
    let mut output = Vec::new();
    loop {
        let size = 1 + dice.roll(size);
        let len = if dice.roll(2) == 0 {
            poll_until_ready(|cx| {
                let mut buffer = vec![0xAA; size];
                let mut dst = ReadBuf::new(&mut buffer);
                let result = ready!(Pin::new(&mut *reader).poll_read(cx, &mut dst));
                output.extend_from_slice(dst.filled());
                Poll::Ready(result.map(|()| dst.filled().len()))
            })
        } else {
            poll_until_ready(|cx| {
                let ready = ready!(Pin::new(&mut *reader).poll_fill_buf(cx))?;
                let len = ready.len().min(size);
                output.extend_from_slice(&ready[..len]);
                Pin::new(&mut *reader).consume(len);
                Poll::Ready(Ok(len))
            })
        };
        match len {
            Ok(0) => return (output, None),
            Ok(_) => {}
            Err(error) => return (output, Some(message(&error))),
        }
    }
}

fn check_reading(job: &Transcode, input: &[u8], most: usize, seed: u64, expected: &Outcome, how: &str) {
    let mut dice = Dice(seed);
    let mut reader = job.tokio_reader(Drip::new(input, most, dice.clone())).unwrap();
    let size = 1 + dice.roll(70);
    let (output, error) = read(&mut reader, size, dice.clone());
    assert_eq!((&output, &error), (&expected.output, &expected.error), "{how}, seed {seed}");
    // Another read returns the end or the error again.
    assert_eq!(read(&mut reader, 3, dice), (Vec::new(), error), "{how}, seed {seed}");
    assert_eq!(format!("{:?}", reader.verdict()), expected.verdict, "{how}, seed {seed}");
    assert_eq!(common::faults(reader.report()), expected.faults, "{how}, seed {seed}");
    assert_eq!(reader.report().bytes_out, output.len() as u64);
}

fn check_writing(job: &Transcode, input: &[u8], most: usize, seed: u64, expected: &Outcome, how: &str) {
    let mut dice = Dice(seed);
    let mut writer = job.tokio_writer(Drain::new(most, dice.clone())).unwrap();
    let mut rest = input;
    let mut end = Ok(());
    while !rest.is_empty() && end.is_ok() {
        let len = (1 + dice.roll(70)).min(rest.len());
        match poll_until_ready(|cx| Pin::new(&mut writer).poll_write(cx, &rest[..len])) {
            Ok(len) => {
                assert!(len > 0);
                rest = &rest[len..];
            }
            Err(error) => end = Err(error),
        }
        if dice.roll(8) == 0 && end.is_ok() {
            end = poll_until_ready(|cx| Pin::new(&mut writer).poll_flush(cx));
            assert_eq!(writer.get_ref().flushed, writer.get_ref().taken.len());
        }
    }
    let shut = poll_until_ready(|cx| Pin::new(&mut writer).poll_shutdown(cx));
    let error = shut.as_ref().err().map(message);
    assert!(end.is_ok() || end.err().map(|error| message(&error)) == error, "{how}, seed {seed}");
    // Another shutdown has the same result, and nothing more is written.
    assert_eq!(
        poll_until_ready(|cx| Pin::new(&mut writer).poll_shutdown(cx)).err().map(|error| message(&error)),
        error
    );
    assert_eq!(poll_until_ready(|cx| Pin::new(&mut writer).poll_write(cx, b"more")).unwrap(), 0);
    assert_eq!(format!("{:?}", writer.verdict()), expected.verdict, "{how}, seed {seed}");
    assert_eq!(common::faults(writer.report()), expected.faults, "{how}, seed {seed}");
    let inner = writer.into_inner();
    assert_eq!((&inner.taken, &error), (&expected.output, &expected.error), "{how}, seed {seed}");
    assert_eq!(inner.shut, error.is_none());
    assert!(error.is_none() || inner.flushed == inner.taken.len());
}

#[test]
fn every_codec_as_if_in_one_piece() {
    for codec in sample::codecs("tokio") {
        for (index, input) in samples(&*codec).iter().enumerate() {
            for policy in [OnMalformed::Fail, OnMalformed::Replace] {
                let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(policy);
                let expected = whole(&job, input);
                let how = format!("{} sample {index} {policy:?}", codec.name());
                for seed in 0..6 {
                    check_reading(&job, input, 1 + 3 * seed as usize, seed, &expected, &how);
                    check_writing(&job, input, 1 + 3 * seed as usize, seed, &expected, &how);
                }
            }
        }
        let job = Transcode::new().target_encoding(codec.name()).unwrap();
        let expected = whole(&job, TEXT.as_bytes());
        for seed in 0..6 {
            check_reading(&job, TEXT.as_bytes(), 5, seed, &expected, codec.name());
            check_writing(&job, TEXT.as_bytes(), 5, seed, &expected, codec.name());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_any_cut(
        input in proptest::collection::vec(prop_oneof![3 => 0x20..0x7Fu8, 1 => any::<u8>()], 0..400),
        from in proptest::sample::select(vec!["UTF-8", "UTF-16", "IBM037", "IBM939", "UTF-32"]),
        to in proptest::sample::select(vec!["UTF-8", "UTF-16", "IBM1047", "IBM939"]),
        malformed in proptest::sample::select(vec![OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop]),
        most in 1..100usize,
        seed in any::<u64>(),
    ) {
        let job = Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap().on_malformed(malformed);
        let expected = whole(&job, &input);
        check_reading(&job, &input, most, seed, &expected, from);
        check_writing(&job, &input, most, seed, &expected, to);
    }
}

/// Returns more text than the adapters buffer, followed by `fault`.
fn long(fault: &[u8]) -> Vec<u8> {
    let mut text = "<?xml version='1.0' encoding='utf-8'?>".to_owned();
    for index in 0..12_000 {
        text.push_str(&format!("{index} é€😀 漢字\n"));
    }
    [text.as_bytes(), fault].concat()
}

#[test]
fn a_long_input() {
    for fault in [&b""[..], b"\xFF and more"] {
        let input = long(fault);
        let job = Transcode::new().target_encoding("UTF-32LE").unwrap();
        let expected = whole(&job, &input);
        assert_eq!(expected.error.is_some(), !fault.is_empty());
        check_reading(&job, &input, 100_000, 1, &expected, "a long input");
        check_writing(&job, &input, 100_000, 2, &expected, "a long input");
    }
}

#[test]
fn available_output_is_returned_before_more_input_is_read() {
    let input = &b"\xC8\x85\x93\x93\x96"[..];
    let mut reader =
        Transcode::new().source_encoding("IBM037").unwrap().tokio_reader(Drip::new(input, 1000, Dice(0))).unwrap();
    let mut buffer = [0; 3];
    let mut read = |reader: &mut AsyncDecodeReader<_>| {
        poll_until_ready(|cx| {
            let mut dst = ReadBuf::new(&mut buffer);
            ready!(Pin::new(&mut *reader).poll_read(cx, &mut dst))?;
            Poll::Ready(Ok(dst.filled().len()))
        })
    };
    assert_eq!(read(&mut reader).unwrap(), 3);
    reader.get_mut().dice = Dice(0);
    let calls = reader.get_ref().calls;
    assert_eq!(read(&mut reader).unwrap(), 2);
    assert_eq!(reader.get_ref().calls, calls);
    assert!(reader.into_inner().rest.len() < input.len());
}

#[test]
fn one_message_after_another() {
    let mut reader = Transcode::new().tokio_reader(&b"\xFE\xFF\0a\0b"[..]).unwrap();
    assert_eq!(poll_until_ready(|cx| Pin::new(&mut reader).poll_fill_buf(cx).map_ok(<[u8]>::to_vec)).unwrap(), b"ab");
    *reader.get_mut() = &b"\xC3\xA9\xFF"[..];
    reader.reset();
    assert_eq!(read(&mut reader, 9, Dice(0)), ("é".into(), Some("byte 2: FF is not valid UTF-8".into())));
}

#[test]
fn a_dropped_shutdown_can_be_continued() {
    let mut dropped = 0;
    for seed in 0..20 {
        let mut writer: AsyncEncodeWriter<Drain> = Transcode::new().tokio_writer(Drain::new(1, Dice(seed))).unwrap();
        poll_until_ready(|cx| Pin::new(&mut writer).poll_write(cx, b"text")).unwrap();
        let mut cx = Context::from_waker(Waker::noop());
        while !matches!(pin!(writer.shutdown()).as_mut().poll(&mut cx), Poll::Ready(Ok(()))) {
            dropped += 1;
        }
        assert!(writer.get_mut().shut);
        assert_eq!(writer.into_inner().taken, b"text");
    }
    assert!(dropped > 20, "only {dropped} were dropped");
}

#[test]
fn a_full_writer_loses_nothing() {
    let mut buffer = [0; 4];
    let mut writer = Transcode::new().tokio_writer(io::Cursor::new(&mut buffer[..])).unwrap();
    poll_until_ready(|cx| Pin::new(&mut writer).poll_write(cx, b"plain text")).unwrap();
    assert_eq!(
        poll_until_ready(|cx| Pin::new(&mut writer).poll_flush(cx)).unwrap_err().kind(),
        io::ErrorKind::WriteZero
    );
    let mut more = [0; 9];
    *writer.get_mut() = io::Cursor::new(&mut more[..]);
    poll_until_ready(|cx| Pin::new(&mut writer).poll_shutdown(cx)).unwrap();
    drop(writer);
    assert_eq!((&buffer, &more[..6]), (b"plai", &b"n text"[..]));
}

#[test]
fn the_runtime_is_woken() {
    let input = long(b"");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        // The text is converted to EBCDIC, goes through a small pipe, and is converted back.
        let (near, far) = tokio::io::duplex(100);
        let sent = input.clone();
        let sender = tokio::spawn(async move {
            let mut writer = Transcode::new().target_encoding("UTF-EBCDIC").unwrap().tokio_writer(near).unwrap();
            for piece in sent.chunks(1000) {
                writer.write_all(piece).await.unwrap();
            }
            writer.shutdown().await.unwrap();
        });
        let mut reader = Transcode::new().tokio_reader(BufReader::with_capacity(64, far)).unwrap();
        let mut first = Vec::new();
        reader.read_until(b'\n', &mut first).await.unwrap();
        assert!(first.starts_with(b"<?xml version='1.0' encoding='UTF-8'?>0 \xC3\xA9"), "{}", first.escape_ascii());
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).await.unwrap();
        sender.await.unwrap();
        let text = String::from_utf8([first, rest].concat()).unwrap();
        assert!(text == String::from_utf8(input).unwrap().replace("utf-8", "UTF-8"));
        assert_eq!(reader.report().from.as_deref(), Some("UTF-EBCDIC"));
    });
}

#[test]
fn invalid_options_are_an_error_of_every_adapter() {
    let job = Transcode::new().target_encoding("IBM037").unwrap().bom(Bom::Add);
    assert_eq!(job.tokio_reader(&b""[..]).err().unwrap().code(), "no-bom");
    assert_eq!(job.tokio_writer(Vec::new()).err().unwrap().code(), "no-bom");
}

/// A reader of pieces that is pending or fails now and then.
struct Pieces<'a>(Drip<'a>);

impl AsyncRead for Pieces<'_> {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let drip = &mut self.get_mut().0;
        ready!(drip.dice.next_result())?;
        let (piece, rest) = drip.rest.split_at((1 + drip.dice.roll(drip.most)).min(drip.rest.len()));
        room.put_slice(piece);
        drip.rest = rest;
        Poll::Ready(Ok(()))
    }
}

/// Lines are those of a reader that blocks, although every future is dropped when it is pending, and errors of the reader
/// come in between.
#[test]
fn lines_of_dropped_futures() {
    for label in ["UTF-8", "UTF-16LE", "IBM1047", "IBM939"] {
        let job = Transcode::new().source_encoding(label).unwrap().on_malformed(OnMalformed::Replace);
        let text = "one\r\ntwo \u{85}A本\n\nlast".repeat(20);
        let input = common::encode(&*charpipe::Registry::builtin().codec(label).unwrap(), &text);
        let expected: Vec<_> = job.lines(&input[..]).unwrap().map(Result::unwrap).collect();
        for seed in 0..20 {
            let pieces = Pieces(Drip::new(&input, 1 + seed as usize, Dice(seed)));
            let (mut lines, mut found) = (job.tokio_lines(pieces).unwrap(), Vec::new());
            let mut cx = Context::from_waker(Waker::noop());
            loop {
                match pin!(lines.next_line_async()).poll(&mut cx) {
                    Poll::Pending => {}
                    Poll::Ready(Ok(Some(line))) => found.push(line.into_owned()),
                    Poll::Ready(Ok(None)) => break,
                    Poll::Ready(Err(error)) => assert_eq!(error.code(), "read"),
                }
            }
            assert_eq!(found, expected, "{label}, seed {seed}");
        }
        // The same by polls.
        let pieces = Pieces(Drip::new(&input, 3, Dice(7)));
        let (mut lines, mut count) = (job.tokio_lines(pieces).unwrap(), 0);
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            match Pin::new(&mut lines).poll_next(&mut cx) {
                Poll::Ready(Some(Ok(line))) => {
                    assert_eq!(line, expected[count], "{label}");
                    count += 1;
                }
                Poll::Ready(None) => break,
                Poll::Ready(Some(Err(_))) | Poll::Pending => {}
            }
        }
        assert_eq!(count, expected.len());
    }
}
