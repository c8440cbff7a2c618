//! Tests that the adapters give the same result as `transcode`, for reads and writes of any size, and with hostile
//! readers and writers. Also tests that decoded text is borrowed exactly if nothing changes.

use crate::common;

use crate::common::{Outcome, Stutter, TEXT, encode, sample, samples, whole};
use charpipe::codec::table::chart;
use charpipe::{
    DecodeReader, EncodeWriter, Eol, Error, ErrorKind, OnMalformed, Registry, Relabel, Status, Transcode, decode,
};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;

/// Returns the message of the library's own error inside an I/O error. Panics on any other.
fn message(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    inner.unwrap_or_else(|| panic!("{error:?}")).to_string()
}

fn passes(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionReset)
}

/// Asserts that the end or the error is returned again on another call, and that the outcome is as expected.
fn compare<R: BufRead>(
    mut reader: DecodeReader<R>,
    output: Vec<u8>,
    end: io::Result<()>,
    expected: &Outcome,
    how: &str,
) {
    let error = end.err().map(|error| message(&error));
    assert_eq!((&output, &error), (&expected.output, &expected.error), "{how}");
    let again = reader.read(&mut [0; 3]);
    assert_eq!(again.as_ref().err().map(message), expected.error, "{how}");
    assert_eq!(again.unwrap_or(0), 0, "{how}");
    assert_eq!(reader.report().bytes_out, output.len() as u64, "{how}");
    assert_eq!(format!("{:?}", reader.verdict()), expected.verdict, "{how}");
    assert_eq!(common::faults(reader.report()), expected.faults);
}

/// Reads `size` bytes at a time.
fn check_read<R: BufRead>(job: &Transcode, input: R, size: usize, expected: &Outcome, how: &str) {
    let mut reader = job.reader(input).unwrap();
    let (mut output, mut buffer) = (Vec::new(), vec![0; size]);
    let end = loop {
        match reader.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(len) => output.extend_from_slice(&buffer[..len]),
            Err(error) if passes(&error) => {}
            Err(error) => break Err(error),
        }
    };
    compare(reader, output, end, expected, &format!("{how}, read by {size}"));
}

/// Consumes at most `size` bytes at a time.
fn check_consume<R: BufRead>(job: &Transcode, input: R, size: usize, expected: &Outcome, how: &str) {
    let mut reader = job.reader(input).unwrap();
    let mut output = Vec::new();
    let end = loop {
        match reader.fill_buf() {
            Ok([]) => break Ok(()),
            Ok(ready) => {
                let len = ready.len().min(size);
                output.extend_from_slice(&ready[..len]);
                reader.consume(len);
            }
            Err(error) if passes(&error) => {}
            Err(error) => break Err(error),
        }
    };
    compare(reader, output, end, expected, &format!("{how}, consumed by {size}"));
}

fn check_read_to_end<R: BufRead>(job: &Transcode, input: R, expected: &Outcome, how: &str) {
    let mut reader = job.reader(input).unwrap();
    let mut output = Vec::new();
    let end = loop {
        match reader.read_to_end(&mut output) {
            Ok(_) => break Ok(()),
            Err(error) if passes(&error) => {}
            Err(error) => break Err(error),
        }
    };
    compare(reader, output, end, expected, &format!("{how}, to the end"));
}

/// Returns a few hundred KB of text with `fault` at its end.
fn long(fault: &[u8]) -> Vec<u8> {
    let mut text = "<?xml version='1.0' encoding='utf-8'?>".to_owned();
    for index in 0..12_000 {
        text.push_str(&format!("{index} é€😀 漢字\n"));
    }
    [text.as_bytes(), fault, b"after"].concat()
}

/// A reader that returns pieces of growing size, and fails before each, in different ways.
struct Failing<'a> {
    rest: &'a [u8],
    calls: usize,
}

impl BufRead for Failing<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.calls += 1;
        match self.calls % 4 {
            1 => Err(io::ErrorKind::Interrupted.into()),
            2 => Err(io::ErrorKind::WouldBlock.into()),
            3 => Err(io::ErrorKind::ConnectionReset.into()),
            _ => Ok(&self.rest[..self.rest.len().min(self.calls)]),
        }
    }

    fn consume(&mut self, len: usize) {
        self.rest = &self.rest[len..];
    }
}

impl Read for Failing<'_> {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("the adapter fills and consumes")
    }
}

#[test]
fn reading_in_every_size() {
    for codec in sample::codecs("reading in every size") {
        for (index, input) in samples(&*codec).iter().enumerate() {
            for policy in [OnMalformed::Fail, OnMalformed::Replace] {
                let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(policy);
                let expected = whole(&job, input);
                let how = format!("{} sample {index} {policy:?}", codec.name());
                for size in 1..=70 {
                    check_read(&job, &input[..], size, &expected, &how);
                    check_consume(&job, &input[..], size, &expected, &how);
                }
                check_read(&job, Stutter::new(input), 7, &expected, &how);
                check_consume(&job, BufReader::with_capacity(3, &input[..]), 5, &expected, &how);
                check_read_to_end(&job, &input[..], &expected, &how);
                check_read_to_end(&job, Failing { rest: input, calls: 0 }, &expected, &how);
                check_read(&job, Failing { rest: input, calls: 0 }, 1, &expected, &how);
            }
        }
    }
}

#[test]
fn reading_a_long_input() {
    for fault in [&b""[..], b"\xFF"] {
        let input = long(fault);
        for target in ["UTF-8", "UTF-16", "UTF-32LE"] {
            let job = Transcode::new().target_encoding(target).unwrap();
            let expected = whole(&job, &input);
            assert_eq!(expected.error.is_some(), !fault.is_empty());
            for size in [61, 4096, 65_535, 65_536, 65_537, 1 << 20] {
                check_read(&job, &input[..], size, &expected, target);
                check_consume(&job, &input[..], size, &expected, target);
            }
            check_read(&job, Failing { rest: &input, calls: 0 }, 1 << 17, &expected, target);
            check_read_to_end(&job, &input[..], &expected, target);
        }
    }
}

#[test]
fn available_output_is_returned_before_more_input_is_read() {
    let input = &b"\xC8\x85\x93\x93\x96\x6B\x40\xA6\x96\x99\x93\x84"[..];
    let job = Transcode::new().source_encoding("IBM037").unwrap();
    let mut reader = job.reader(Failing { rest: input, calls: 3 }).unwrap();
    let mut buffer = [0; 64];
    assert_eq!(reader.read(&mut []).unwrap(), 0);
    assert_eq!((reader.get_ref().calls, reader.verdict().is_some()), (3, false));
    assert_eq!(reader.read(&mut buffer[..3]).unwrap(), 3);
    assert_eq!(reader.read(&mut buffer[3..]).unwrap(), 1);
    assert_eq!((&buffer[..4], reader.get_ref().calls), (&b"Hell"[..], 4));
    // An error of the underlying reader is passed on unchanged.
    let mut kind = || reader.read(&mut buffer).unwrap_err().kind();
    assert_eq!(kind(), io::ErrorKind::Interrupted);
    assert_eq!(kind(), io::ErrorKind::WouldBlock);
    assert_eq!(kind(), io::ErrorKind::ConnectionReset);
    assert_eq!(reader.read(&mut buffer).unwrap(), 8);
    assert_eq!(&buffer[..8], b"o, world");
    assert_eq!(reader.get_ref().calls, 8);
    assert_eq!(reader.into_inner().rest, b"");
}

#[test]
fn reading_lines() {
    let input = encode(&*Registry::builtin().codec("UTF-16LE").unwrap(), "één\ntwee\ndrie");
    let reader = Transcode::new().source_encoding("UTF-16LE").unwrap().reader(&input[..]).unwrap();
    assert_eq!(reader.lines().collect::<Result<Vec<_>, _>>().unwrap(), ["één", "twee", "drie"]);
}

/// A writer that accepts one to five bytes at a time. Before each write and each flush it returns `Interrupted` and
/// `WouldBlock`.
#[derive(Default)]
struct Hostile {
    taken: Vec<u8>,
    calls: usize,
    flushed: usize,
}

impl Hostile {
    fn refuses(&mut self) -> io::Result<()> {
        self.calls += 1;
        match self.calls % 4 {
            1 => Err(io::ErrorKind::Interrupted.into()),
            2 => Err(io::ErrorKind::WouldBlock.into()),
            _ => Ok(()),
        }
    }
}

impl Write for Hostile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.refuses()?;
        let len = bytes.len().min(1 + self.calls % 5);
        self.taken.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.refuses()?;
        self.flushed = self.taken.len();
        Ok(())
    }
}

/// Repeats an operation until it does not block.
fn until_it_does_not_block<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match act() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            result => return result,
        }
    }
}

/// Writes `size` bytes at a time, and flushes now and then. Returns the underlying writer, the error and the verdict.
fn write_in_pieces<W: Write>(
    job: &Transcode,
    output: W,
    input: &[u8],
    size: usize,
    flush: usize,
) -> (W, Option<String>, String) {
    let mut writer = job.writer(output).unwrap();
    let mut early = None;
    'input: for (index, chunk) in input.chunks(size).enumerate() {
        let mut rest = chunk;
        while !rest.is_empty() {
            match until_it_does_not_block(|| writer.write(rest)) {
                Ok(len) => {
                    assert!(len > 0);
                    rest = &rest[len..];
                }
                Err(error) => {
                    early = Some(message(&error));
                    break 'input;
                }
            }
        }
        if index % flush == flush - 1
            && let Err(error) = until_it_does_not_block(|| writer.flush())
        {
            early = Some(message(&error));
            break;
        }
    }
    loop {
        let verdict = format!("{:?}", writer.verdict());
        match writer.finish() {
            Ok(output) => {
                assert_eq!(early, None);
                return (output, None, verdict);
            }
            Err(error) if matches!(error.error().kind(), ErrorKind::Write { .. }) => {
                writer = error.into_writer();
                // The end has been announced.
                assert_eq!(writer.write(b"more").unwrap(), 0);
            }
            Err(error) => {
                let found = error.error().to_string();
                assert_eq!(error.to_string(), found);
                assert_eq!(*early.get_or_insert(found.clone()), found);
                return (error.into_inner(), Some(found), verdict);
            }
        }
    }
}

#[test]
fn writing_in_every_size() {
    for codec in sample::codecs("writing in every size") {
        for (index, input) in samples(&*codec).iter().enumerate() {
            for policy in [OnMalformed::Fail, OnMalformed::Replace] {
                let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(policy);
                let expected = whole(&job, input);
                for size in 1..=70 {
                    let how = format!("{} sample {index} {policy:?} by {size}", codec.name());
                    let (output, error, _) = write_in_pieces(&job, Vec::new(), input, size, 1000);
                    assert_eq!((output, error), (expected.output.clone(), expected.error.clone()), "{how}");
                    let (output, error, _) = write_in_pieces(&job, Hostile::default(), input, size, 1 + size % 3);
                    assert_eq!(output.flushed, output.taken.len(), "{how}");
                    assert_eq!((output.taken, error), (expected.output.clone(), expected.error.clone()), "{how}");
                }
            }
        }
    }
}

#[test]
fn writing_to_every_codec() {
    for codec in sample::codecs("writing to every codec") {
        let job = Transcode::new().target_encoding(codec.name()).unwrap();
        let expected = whole(&job, TEXT.as_bytes());
        for size in 1..=70 {
            let (output, error, verdict) = write_in_pieces(&job, Hostile::default(), TEXT.as_bytes(), size, 2);
            assert_eq!((output.taken, error), (expected.output.clone(), expected.error.clone()), "{}", codec.name());
            assert_eq!(verdict, expected.verdict);
        }
    }
}

#[test]
fn writing_a_long_input() {
    for fault in [&b""[..], b"\xFF"] {
        let input = long(fault);
        for target in ["UTF-8", "UTF-16", "UTF-32LE"] {
            let job = Transcode::new().target_encoding(target).unwrap();
            let expected = whole(&job, &input);
            for size in [613, 65_536, 1 << 20] {
                let (output, error, _) = write_in_pieces(&job, Hostile::default(), &input, size, 1000);
                assert!(output.taken == expected.output, "{target} by {size}");
                assert_eq!(error, expected.error);
            }
        }
    }
}

#[test]
fn flushing_writes_everything_that_can_be_converted() {
    let mut writer = Transcode::new().target_encoding("IBM037").unwrap().writer(Vec::new()).unwrap();
    writer.write_all("Hell\u{E9}".as_bytes()).unwrap();
    assert_eq!(writer.get_ref(), b"");
    writer.flush().unwrap();
    assert_eq!(writer.get_ref(), b"\xC8\x85\x93\x93\x51");
    writer.get_mut().clear();
    assert_eq!(writer.report().bytes_out, 5);
    writer.write_all(b"\xE2\x82").unwrap();
    writer.flush().unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.error().code(), "malformed");
    assert_eq!(error.error().offset(), Some(6));
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::InvalidData);
}

#[test]
fn good_output_is_written_before_the_error_is_returned() {
    let mut writer = Transcode::new().source_encoding("UTF-8").unwrap().writer(Vec::new()).unwrap();
    let error = writer.write_all(b"good \xFF bad").unwrap_err();
    assert_eq!(message(&error), "byte 5: FF is not valid UTF-8");
    assert_eq!(writer.get_ref(), b"good ");
    assert_eq!(message(&writer.write(b"more").unwrap_err()), message(&error));
    assert_eq!(message(&writer.flush().unwrap_err()), message(&error));
    assert_eq!(writer.finish().unwrap_err().into_inner(), b"good ");
}

/// If nothing names the encoding, the bytes after a malformed one may show a binary file: as many as a sample has.
#[test]
fn an_input_that_nothing_names_is_judged_by_its_sample() {
    let mut writer = Transcode::new().writer(Vec::new()).unwrap();
    writer.write_all(b"good \xFF bad").unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.get_ref(), b"good ");
    let error = writer.write_all(&[b'a'; 1024]).unwrap_err();
    assert_eq!(message(&error), "byte 5: FF is not valid UTF-8");
    assert_eq!(writer.get_ref(), b"good ");

    let mut writer = Transcode::new().writer(Vec::new()).unwrap();
    writer.write_all(b"good \xFF bad").unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!((error.error().code(), error.error().offset()), ("malformed", Some(5)));
    assert_eq!(error.into_inner(), b"good ");
}

#[test]
fn dropping_a_writer_writes_nothing() {
    let mut output = Hostile::default();
    let mut writer = Transcode::new().writer(&mut output).unwrap();
    writer.write_all(b"lost \xE2").unwrap();
    drop(writer);
    assert_eq!((output.calls, output.taken), (0, Vec::new()));
}

/// A writer that takes a limited number of bytes.
#[derive(Debug)]
struct Full(Vec<u8>, usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = bytes.len().min(self.1 - self.0.len());
        self.0.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_writer_is_an_error_with_the_number_of_bytes_written() {
    let mut writer = Transcode::new().writer(Full(Vec::new(), 4)).unwrap();
    writer.write_all(b"plain text").unwrap();
    let error = writer.finish().unwrap_err();
    match error.error().kind() {
        ErrorKind::Write { written, source, .. } => {
            assert_eq!((*written, source.kind()), (4, io::ErrorKind::WriteZero));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        std::error::Error::source(&error).unwrap().to_string(),
        io::Error::from(io::ErrorKind::WriteZero).to_string()
    );
    let mut writer = error.into_writer();
    writer.get_mut().1 = 100;
    writer.flush().unwrap();
    assert_eq!(writer.finish().unwrap().0, b"plain text");
}

/// A writer that claims to have taken more than it was given.
struct ClaimsTooMuch;

impl Write for ClaimsTooMuch {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Ok(usize::MAX)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_claims_too_much_does_no_harm() {
    let mut writer: EncodeWriter<ClaimsTooMuch> = Transcode::new().writer(ClaimsTooMuch).unwrap();
    writer.write_all(&long(b"")).unwrap();
    writer.finish().unwrap();
}

#[test]
fn text_is_borrowed_exactly_if_nothing_changes() {
    let is = |job: &Transcode, input: &[u8], borrowed: bool| {
        let text = job.decode(input).unwrap();
        assert_eq!(text.as_bytes(), whole(job, input).output);
        assert_eq!(matches!(text, Cow::Borrowed(_)), borrowed, "{input:?}");
        if borrowed {
            assert_eq!((text.as_ptr(), text.len()), (input.as_ptr(), input.len()));
        }
    };
    let job = Transcode::new();
    for input in ["", "a", "plain", "é€😀", "<a/>", "<?xml version='1.0'?><a/>"] {
        is(&job, input.as_bytes(), true);
    }
    is(&job, b"<?xml version='1.0' encoding='UTF-8'?>\r\n<a/>", true);
    is(&job, b"<?xml version='1.0' encoding='utf-8'?>\r\n<a/>", true);
    is(&job, &long(b""), true);
    // A byte order mark, a different name, a different encoding.
    is(&job, b"\xEF\xBB\xBF", false);
    is(&job, b"\xEF\xBB\xBFtext", false);
    is(&job, b"<?xml version='1.0' encoding='US-ASCII'?><a/>", false);
    is(&job, b"\xFE\xFF\0a", false);
    is(&job.clone().relabel(Relabel::Never), b"<?xml version='1.0' encoding='US-ASCII'?><a/>", true);
    // The last byte changes, or is left out.
    is(&job.clone().on_malformed(OnMalformed::Replace), &[&long(b"")[..], b"\xFF"].concat(), false);
    is(&job.clone().on_malformed(OnMalformed::Drop), b"text\xFF", false);
    is(&job.clone().on_malformed(OnMalformed::Drop), b"text\xFFmore", false);
    is(&job.clone().eol(Eol::Lf), b"a\nb\n", true);
    is(&job.clone().eol(Eol::Lf), b"a\nb\r\n", false);
    is(&job.source_encoding("ISO-8859-1").unwrap(), b"ASCII", true);
}

#[test]
fn a_value_is_decoded_like_a_stream() {
    for codec in sample::codecs("values") {
        for input in samples(&*codec) {
            for policy in [OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape] {
                let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(policy);
                // The lines of a value are known, and those of a stream are if they are counted.
                let expected = whole(&job.clone().count_lines(true), &input);
                match job.decode(&input) {
                    Ok(text) => assert_eq!((text.as_bytes(), None), (&expected.output[..], expected.error)),
                    Err(error) => assert_eq!(Some(error.to_string()), expected.error),
                }
            }
            let expected = whole(&Transcode::new().count_lines(true), &input);
            assert_eq!(decode(&input).map_err(|error| error.to_string()).err(), expected.error);
        }
    }
    assert_eq!(decode(&long(b"\xFF")).unwrap_err().code(), "malformed");
}

#[test]
fn a_string_must_be_utf_8() {
    let error = Transcode::new().target_encoding("UTF-16").unwrap().decode(b"a").unwrap_err();
    assert_eq!((error.code(), error.offset()), ("not-utf-8", None));
    assert_eq!(error.to_string(), "the target is UTF-16, but a string has to be UTF-8");
}

#[test]
fn a_codec_that_is_utf_8_in_name_only_cannot_make_a_string() {
    let page = include_str!("../../examples/data/x-site.txt").replace("X-SITE", "UTF-8");
    let mut registry = Registry::builtin();
    registry.register(Arc::new(chart::parse(&page, &|_| None).unwrap().into_codec()), &[]).unwrap();
    let job = Transcode::new()
        .source_encoding("US-ASCII")
        .unwrap()
        .registry(registry)
        .target_encoding("UTF-8")
        .unwrap()
        .eol(Eol::Lf);
    let error = job.decode(b"abc").unwrap_err();
    assert_eq!(error.to_string(), "byte 3: the codec UTF-8 is broken: it writes bytes that are not UTF-8");
}

#[test]
fn one_message_after_another() {
    let messages =
        [&b"\xFF\xFE<\0a\0"[..], b"<?xml version='1.0'?><a/>", b"\xE2\x82", b"\xC3\xA9 and \xFF", b"", b"plain"];
    for codec in sample::codecs("messages") {
        let job = Transcode::new().target_encoding(codec.name()).unwrap();
        let mut transcoder = job.transcoder().unwrap();
        let mut reader = job.reader(BufReader::with_capacity(2, &b"unread"[..])).unwrap();
        // The buffer is not empty, and the transcoder is in the middle of a message.
        assert!(!matches!(reader.fill_buf(), Ok([])));
        for input in messages {
            transcoder.reset();
            *reader.get_mut() = BufReader::with_capacity(2, input);
            reader.reset();
            let mut by_hand = Vec::new();
            let mut buffer = [0; 8];
            let mut read = 0;
            let error = loop {
                match transcoder.step(&input[read..], &mut buffer, true) {
                    Ok(step) => {
                        read += step.read;
                        by_hand.extend_from_slice(&buffer[..step.written]);
                        if step.state == Status::Done {
                            break None;
                        }
                    }
                    Err(error) => break Some(error.to_string()),
                }
            };
            let mut output = Vec::new();
            let end = reader.read_to_end(&mut output);
            assert_eq!(
                (&output, end.err().map(|error| message(&error))),
                (&by_hand, error.clone()),
                "{}",
                codec.name()
            );
            // The underlying writer is used for one message after another.
            let output = vec![b'>'];
            let (output, found, _) = write_in_pieces(&job, output, input, 3, 1);
            assert_eq!((&output[1..], found), (&by_hand[..], error));
        }
    }
}

#[test]
fn invalid_options_are_an_error_of_every_adapter() {
    let job = Transcode::new().target_encoding("IBM037").unwrap().bom(charpipe::Bom::Add);
    assert_eq!(job.reader(&b""[..]).err().unwrap().code(), "no-bom");
    assert_eq!(job.writer(Vec::new()).err().unwrap().code(), "no-bom");
    assert_eq!(job.decode(b"").unwrap_err().code(), "no-bom");
}
