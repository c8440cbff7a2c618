//! Tests that memory does not grow with the input: peak memory, counted by the allocator, is the same for an input that
//! is sixteen times as long. The file functions and the adapters use the transcoder that is measured here.

use crate::common::work::work_in;
use charpipe::Transcode;
use std::io::{self, BufRead, Read, Write};

/// A long input: the same bytes again and again, as often as `times`.
struct Repeated<'a> {
    unit: &'a [u8],
    at: usize,
    times: usize,
}

impl BufRead for Repeated<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(if self.times == 0 { &[] } else { &self.unit[self.at..] })
    }

    fn consume(&mut self, len: usize) {
        self.at += len;
        if self.at == self.unit.len() && self.times > 0 {
            (self.at, self.times) = (0, self.times - 1);
        }
    }
}

impl Read for Repeated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(buffer)?;
        self.consume(len);
        Ok(len)
    }
}

fn job(options: &str) -> Transcode {
    options.split_whitespace().fold(Transcode::new(), |job, option| {
        let (name, value) = option.split_once('=').unwrap();
        job.set(name, value).unwrap()
    })
}

/// Asserts that `act` allocates no more at a time for a long input than for a short one, and little for both. A buffer
/// may reach its full size later than in the short one.
#[track_caller]
fn is_bounded(what: &str, unit: &[u8], act: &dyn Fn(Repeated<'_>)) {
    let unit = &unit.repeat(4096 / unit.len())[..];
    let times = (256 << 10) / unit.len();
    let peak = |times| work_in(|| act(Repeated { unit, at: 0, times })).peak;
    // Tables are made once, and not for each run.
    peak(times);
    let (short, long) = (peak(times), peak(16 * times));
    assert!(long <= short + (160 << 10) && long < 8 << 20, "{what}: {short} bytes at most, then {long}");
}

#[test]
fn memory_does_not_grow_with_the_input() {
    let lines = "plain text, é and 漢字\r\n".as_bytes();
    let rdw = b"\x00\x08\x00\x00\xC1\xC2\xC3\x40";
    for (options, unit) in [
        ("from=UTF-8", lines),
        ("to=UTF-16", lines),
        ("from=UTF-8 to=IBM1047 unmappable=replace eol=lf controls=space", lines),
        ("from=US-ASCII malformed=replace", lines),
        ("from=US-ASCII malformed=drop to=UTF-32", lines),
        ("to=US-ASCII unmappable=escape", lines),
        ("fallback=US-ASCII,UTF-8", lines),
        ("from=IBM037", b"\xC1\xC2\x15"),
        ("from=IBM930 malformed=drop", b"\xC1\x0E\x45\x66\x45\x0F\x25"),
        ("from=IBM037 records=fb:3", b"\xC1\xC2\x40"),
        ("from=IBM037 records=rdw to=IBM1047 to-records=vb", rdw),
        ("to=IBM037 to-records=fb:80", b"plain text in lines\n"),
        ("as=xml", b"<a b='c'/>"),
        // One long line, one character that never ends, a comment that does not end.
        ("", b"<!-- "),
        ("from=UTF-8 eol=crlf", b"\r"),
    ] {
        let job = job(options);
        is_bounded(options, unit, &|input| _ = job.run(input, io::sink()));
        is_bounded(&format!("{options}, read"), unit, &|input| {
            let mut reader = job.reader(input).unwrap();
            let mut buffer = [0; 4096];
            while reader.read(&mut buffer).is_ok_and(|len| len > 0) {}
        });
        is_bounded(&format!("{options}, written"), unit, &|mut input| {
            let mut writer = job.writer(io::sink()).unwrap();
            while let Some(piece) = input.fill_buf().ok().filter(|piece| !piece.is_empty()).map(<[u8]>::to_vec) {
                if writer.write_all(&piece).is_err() {
                    break;
                }
                input.consume(piece.len());
            }
        });
    }
}

/// The iterator over records holds one record at a time.
#[test]
fn records_are_held_one_by_one() {
    is_bounded("records", b"\x00\x08\x00\x00\xC1\xC2\xC3\x40", &|input| {
        let mut records = charpipe::records::Records::new(input, &"rdw".parse().unwrap());
        while let Some(record) = records.next_record().unwrap() {
            assert_eq!(record.data.len(), 4);
        }
    });
}
