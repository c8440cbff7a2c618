//! Tests lines with their offsets: the text is the same as in a conversion to LF line ends, however the input is cut,
//! and a run that continues at any checkpoint returns the rest.

use charpipe::codec::{ByteSink, Codec, Stop};
use charpipe::{
    Bom, EbcdicNl, Eol, ErrorKind, Line, LineCheckpoint, LineEnd, LineEnds, Lines, OnControl, OnMalformed, OnUnknown,
    Registry, Transcode,
};
use proptest::prelude::*;
use std::io::{self, Read};
use std::sync::Arc;

/// Reads pieces of at most this many bytes, and is interrupted before each.
struct Pieces<'a> {
    rest: &'a [u8],
    most: usize,
    is_next: bool,
}

impl<'a> Pieces<'a> {
    fn new(rest: &'a [u8], most: usize) -> Self {
        Pieces { rest, most, is_next: false }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_next = !self.is_next;
        if self.is_next {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = self.rest.len().min(self.most);
        (&self.rest[..len]).read(buffer).inspect(|len| self.rest = &self.rest[*len..])
    }
}

/// The lines, and the offset of the error after them.
type Seen = (Vec<Line<'static>>, Option<u64>);

fn seen<R: Read>(lines: Lines<R>) -> Seen {
    let mut seen = (Vec::new(), None);
    for line in lines {
        match line {
            Ok(line) => seen.0.push(line),
            Err(error) => seen.1 = Some(error.offset().unwrap_or_else(|| panic!("{error}"))),
        }
    }
    seen
}

/// The text with LF as the end of each line.
fn joined(lines: &[Line<'_>]) -> String {
    let end = |line: &Line<'_>| if matches!(line.end, LineEnd::None | LineEnd::Cut) { "" } else { "\n" };
    lines.iter().map(|line| format!("{}{}", line.text, end(line))).collect()
}

/// The result of a conversion: the text, and the offset of the error after it.
fn converted(job: &Transcode, input: &[u8]) -> (String, Option<u64>) {
    let mut text = Vec::new();
    let result = job.clone().eol(Eol::Lf).run(input, &mut text);
    (String::from_utf8(text).unwrap(), result.err().map(|error| error.offset().unwrap_or_else(|| panic!("{error}"))))
}

/// Asserts what holds for every input.
#[track_caller]
fn check(what: &str, job: &Transcode, input: &[u8]) {
    let whole = seen(job.lines(input).unwrap());
    let (text, error) = converted(job, input);
    if error.is_none() {
        assert_eq!((joined(&whole.0), whole.1), (text, None), "{what} {input:X?}");
    } else {
        assert_eq!(whole.1, error, "{what} {input:X?}");
        assert!(text.starts_with(&joined(&whole.0)), "{what} {input:X?}");
    }
    for most in [1, 2, 3, 7] {
        assert_eq!(seen(job.lines(Pieces::new(input, most)).unwrap()), whole, "{what} {input:X?} in pieces of {most}");
    }
    for (limit, ends) in [(1, LineEnds::All), (5, LineEnds::All), (1 << 20, LineEnds::Lf), (4, LineEnds::Lf)] {
        let lines = |most| seen(job.lines(Pieces::new(input, most)).unwrap().limit(limit).line_ends(ends));
        let cut = lines(usize::MAX);
        assert_eq!(lines(1), cut, "{what} {input:X?} limit {limit}");
        assert_eq!(lines(3), cut, "{what} {input:X?} limit {limit}");
        if ends == LineEnds::All && error.is_none() {
            assert_eq!(joined(&cut.0), joined(&whole.0), "{what} {input:X?} limit {limit}");
        }
    }
    let mut lines = job.lines(Pieces::new(input, 3)).unwrap();
    for at in 0.. {
        let checkpoint = lines.checkpoint().unwrap_or_else(|| panic!("{what} {input:X?}: a checkpoint at line {at}"));
        let checkpoint = stored(checkpoint);
        let rest = seen(job.resume_lines(&input[checkpoint.offset() as usize..], &checkpoint).unwrap());
        assert_eq!(rest.0, whole.0[at..], "{what} {input:X?} from line {at}, {checkpoint:?}");
        assert_eq!(rest.1, whole.1);
        if !matches!(lines.next_line(), Ok(Some(_))) {
            break;
        }
    }
}

/// Returns the checkpoint after it was stored as JSON and read back.
#[cfg(feature = "serde")]
fn stored(checkpoint: LineCheckpoint) -> LineCheckpoint {
    let read = serde_json::from_str(&serde_json::to_string(&checkpoint).unwrap()).unwrap();
    assert_eq!(read, checkpoint);
    read
}

#[cfg(not(feature = "serde"))]
fn stored(checkpoint: LineCheckpoint) -> LineCheckpoint {
    checkpoint
}

fn codecs() -> Vec<Arc<dyn Codec>> {
    let registry = Registry::builtin();
    let surfaces = ["IBM939,nl=zos", "IBM1047,nl=fold"].map(|label| registry.codec(label).expect("a surface"));
    registry.codecs().cloned().chain(surfaces).collect()
}

fn job(codec: &Arc<dyn Codec>) -> Transcode {
    let mut hints = charpipe::detect::Hints::default();
    hints.from = Some(codec.clone());
    Transcode::new().hints(hints)
}

/// The characters of `text` that the codec has.
fn encoded(codec: &dyn Codec, text: &str) -> Option<Vec<u8>> {
    let mut encoder = codec.encoder()?;
    let mut room = vec![0; 64 * text.len() + 64];
    let mut sink = ByteSink::new(&mut room);
    for ch in text.chars() {
        let _ = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink);
    }
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
    Some(sink.as_bytes().to_vec())
}

const TEXT: &str = "one\ntwo\r\nthree\rfour\u{85}five\r\u{85}\r\r\n\n\u{85}aé日本\n語ｱ\r한국\r\n中文😀€\u{5D0}\u{85}я-z日\nend 5\u{A0}°";

#[test]
fn every_codec() {
    for codec in codecs() {
        let Some(bytes) = encoded(&*codec, TEXT).filter(|bytes| !bytes.is_empty()) else { continue };
        for policy in [OnMalformed::Replace, OnMalformed::Fail, OnMalformed::Drop, OnMalformed::Escape] {
            check(codec.name(), &job(&codec).on_malformed(policy), &bytes);
        }
        let without_end = &bytes[..bytes.len() - 1];
        check(codec.name(), &job(&codec).on_malformed(OnMalformed::Replace), without_end);
    }
}

fn damaged() -> impl Strategy<Value = (String, Vec<(prop::sample::Index, u8)>)> {
    let chars = prop::sample::select("aé日本語ｱ한я😀€5 \n\n\r\r\u{85}".chars().collect::<Vec<_>>());
    let text = prop::collection::vec(chars, 0..40).prop_map(String::from_iter);
    let byte = prop_oneof![
        Just(b'\n'),
        Just(b'\r'),
        Just(0x85),
        Just(0x15),
        Just(0x25),
        Just(0x0E),
        Just(0x0F),
        Just(0xD8),
        Just(0x1B),
        any::<u8>()
    ];
    (text, prop::collection::vec((any::<prop::sample::Index>(), byte), 0..6))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 500 }))]

    #[test]
    fn any_text_with_any_damage(
        (text, damage) in damaged(),
        codec in prop::sample::select(codecs()),
        policy in prop::sample::select(vec![
            OnMalformed::Replace, OnMalformed::Fail, OnMalformed::Drop, OnMalformed::Escape,
        ]),
        inserts in any::<bool>(),
    ) {
        let Some(mut bytes) = encoded(&*codec, &text) else { return Ok(()) };
        for (at, byte) in damage {
            if inserts || bytes.is_empty() {
                bytes.insert(at.index(bytes.len() + 1), byte);
            } else {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        check(codec.name(), &job(&codec).on_malformed(policy), &bytes);
    }
}

fn texts<R: Read>(lines: Lines<R>) -> Vec<String> {
    lines.map(|line| line.unwrap().text.into_owned()).collect()
}

#[test]
fn each_end_of_a_line() {
    let text = "\u{FEFF}a\nb\r\nc\rd\u{85}e\r\u{85}\r\rf";
    let ends = |ends| {
        let lines = Transcode::new().lines(text.as_bytes()).unwrap().line_ends(ends);
        lines.map(|line| line.map(|line| (line.offset, line.number, line.text, line.end)).unwrap()).collect::<Vec<_>>()
    };
    use LineEnd::*;
    let line = |offset, number, text: &'static str, end| (offset, number, text.into(), end);
    assert_eq!(
        ends(LineEnds::All),
        [
            line(3, 1, "a", Lf),
            line(5, 2, "b", CrLf),
            line(8, 3, "c", Cr),
            line(10, 4, "d", Nel),
            line(13, 5, "e", CrNel),
            line(17, 6, "", Cr),
            line(18, 7, "", Cr),
            line(19, 8, "f", None),
        ]
    );
    assert_eq!(
        ends(LineEnds::Lf),
        [line(3, 1, "a", Lf), line(5, 2, "b", CrLf), line(8, 3, "c\rd\u{85}e\r\u{85}\r\rf", None)]
    );
    // In EBCDIC, NEL is the newline.
    let job = Transcode::new().source_encoding("IBM037").unwrap();
    let lines = job.lines(&b"\xC1\x0D\xC2\x0D\x15\xC3\x15\xC4\x25"[..]).unwrap().line_ends(LineEnds::Lf);
    let ends: Vec<_> = lines.map(|line| line.map(|line| (line.text, line.end)).unwrap()).collect();
    assert_eq!(ends, [("A\rB".into(), CrNel), ("C".into(), Nel), ("D".into(), Lf)]);
    assert_eq!(texts(job.clone().ebcdic_nl(EbcdicNl::Zos).lines(&b"\xC1\x15\xC2\x15"[..]).unwrap()), ["A", "B"]);
}

/// A file that grows: `None` is returned at its current end, and nothing is lost.
#[test]
fn a_file_that_grows() {
    struct Growing<'a>(Pieces<'a>, bool);
    impl Read for Growing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { self.0.read(buffer) } else { Ok(0) }
        }
    }
    for name in ["UTF-8", "UTF-16", "IBM939", "ISO-2022-JP", "Shift_JIS", "ISO-8859-1"] {
        let Ok(codec) = Registry::builtin().codec(name) else { continue };
        let bytes = encoded(&*codec, TEXT).unwrap();
        for job in [job(&codec), Transcode::new().fallbacks(["UTF-8", "IBM1047"]).unwrap()] {
            let job = job.on_malformed(OnMalformed::Replace);
            let whole = seen(job.lines(&bytes[..]).unwrap());
            let mut lines = job.lines(Growing(Pieces::new(&bytes, 2), false)).unwrap().follow(true);
            let (mut found, mut idle) = (Vec::new(), 0);
            while idle < 2 * bytes.len() {
                match lines.next_line().unwrap() {
                    Some(line) => found.push(line.into_owned()),
                    None => idle += 1,
                }
            }
            assert!(found.len() < whole.0.len());
            while let Some(line) = lines.finish().unwrap() {
                found.push(line.into_owned());
            }
            assert_eq!(found, whole.0, "{name}");
            assert!(lines.next_line().unwrap().is_none());
        }
    }
}

/// What decides the encoding decides it here too.
#[test]
fn the_encoding_is_found_as_in_a_conversion() {
    let fallbacks = Transcode::new().fallbacks(["UTF-8", "ISO-8859-1"]).unwrap();
    let late = [&b"plain\n".repeat(30_000)[..], b"caf\xE9\nend"].concat();
    let utf8 = [&b"plain\n".repeat(30_000)[..], "café\nend".as_bytes()].concat();
    let xml = b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<a>\xE9</a>\n";
    for (job, input, name) in [
        (&fallbacks, &late[..], "ISO-8859-1"),
        (&fallbacks, &utf8, "UTF-8"),
        (&Transcode::new().relabel(charpipe::Relabel::Never), xml, "ISO-8859-1"),
        (&Transcode::new().content_type("text/plain; charset=IBM037"), b"\xC1\x15\xC2", "IBM037"),
        (&Transcode::new(), b"\xFE\xFF\0a\0\n\0b", "UTF-16BE"),
    ] {
        check(name, job, if input.len() > 1000 { &input[29_000 * 6..] } else { input });
        let mut lines = job.lines(input).unwrap();
        let mut seen = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            seen.push(line.into_owned());
        }
        assert_eq!(joined(&seen), converted(job, input).0, "{name}");
        assert_eq!(lines.checkpoint().unwrap().encoding(), Some(name));
        assert_eq!(lines.verdict().and_then(|verdict| verdict.codec.clone()).unwrap().name(), name);
    }
}

/// Binary input that nothing names is refused where a conversion refuses it, after the lines before.
#[test]
fn binary_input() {
    let noise: Vec<u8> = (0..4096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 & !4).collect();
    for input in [&[&b"one\ntwo\nthr"[..], &noise].concat()[..], b"\x1F\x8B\x08\0\0\0\n", b"PK\x03\x04\x14\0\n\xFF"] {
        for policy in [OnMalformed::Replace, OnMalformed::Fail] {
            let job = Transcode::new().on_malformed(policy);
            let mut text = Vec::new();
            let error = job.clone().eol(Eol::Lf).run(input, &mut text).unwrap_err();
            for most in [1, 64, usize::MAX] {
                let mut lines = job.lines(Pieces::new(input, most)).unwrap();
                let mut count = 0;
                let found = loop {
                    match lines.next_line() {
                        Ok(Some(_)) => count += 1,
                        Ok(None) => panic!("no error"),
                        Err(error) => break error,
                    }
                };
                assert_eq!((found.code(), found.offset()), (error.code(), error.offset()));
                assert_eq!(count, text.iter().filter(|byte| **byte == b'\n').count());
                assert_eq!(lines.next_line().unwrap_err().code(), found.code());
                assert!(lines.next().is_none());
            }
        }
    }
}

#[test]
fn what_lines_do_not_have_is_refused() {
    let new = Transcode::new;
    for job in [
        new().records("fb:80".parse().unwrap()),
        new().to_records("fb:80".parse().unwrap()),
        new().bom(Bom::Add),
        new().bom(Bom::Keep),
        new().eol(Eol::Crlf),
        new().on_control(OnControl::Space),
        new().on_unknown(OnUnknown::Pass),
        new().strict(true),
    ] {
        let error = job.lines(io::empty()).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Options { .. }), "{error}");
    }
    let error = new().target_encoding("IBM037").unwrap().lines(io::empty()).err().unwrap();
    assert_eq!(error.code(), "not-utf-8");
}

/// Malformed bytes are reported with their offsets, and counted in their lines.
#[test]
fn malformed_bytes() {
    let job = Transcode::new().source_encoding("UTF-8").unwrap();
    let input = b"good\nb\xFFad\n\xE2\x82\n\n";
    let mut lines = job.lines(&input[..]).unwrap();
    assert_eq!(lines.next_line().unwrap().unwrap().text, "good");
    assert_eq!(lines.next_line().unwrap_err().to_string(), "byte 6: FF is not valid UTF-8");
    let mut lines = job.clone().on_malformed(OnMalformed::Escape).lines(&input[..]).unwrap();
    let mut seen = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        seen.push((line.text.into_owned(), line.malformed));
    }
    assert_eq!(seen, [("good".into(), 0), ("b\\xFFad".into(), 1), ("\\xE2\\x82".into(), 1), (String::new(), 0)]);
    let faults = lines.faults().unwrap();
    assert_eq!((faults.count, faults.first[1].offset, &faults.first[1].bytes[..]), (2, 10, &b"\xE2\x82"[..]));
}

/// Malformed bytes that are decoded with another page are text of their lines, with the input cut at any position.
#[test]
fn malformed_bytes_in_another_page() {
    let job = Transcode::new().source_encoding("UTF-8").unwrap().malformed_as("ISO-8859-1").unwrap();
    let input = b"caf\xE9\n\xC3\xA9t\xE9\r\n\x85\xE2\x82\n\xFF";
    check("malformed_as", &job, input);
    let found: Vec<_> = job.lines(&input[..]).unwrap().map(|line| line.unwrap().text.into_owned()).collect();
    assert_eq!(found[..2], ["café", "été"]);
}

/// After an error of the reader nothing is lost.
#[test]
fn an_error_of_the_reader() {
    struct Failing<'a>(&'a [u8], usize);
    impl Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            let len = 2.min(self.0.len());
            if self.1.is_multiple_of(2) {
                (&mut self.0).take(len as u64).read(buffer)
            } else {
                Err(io::Error::other("no"))
            }
        }
    }
    let mut lines = Transcode::new().lines(Failing(b"one\ntwo\n", 0)).unwrap();
    let mut seen = Vec::new();
    loop {
        match lines.next_line() {
            Ok(Some(line)) => seen.push(line.text.into_owned()),
            Ok(None) => break,
            Err(error) => assert!(matches!(error.kind(), ErrorKind::Read { .. }), "{error}"),
        }
    }
    assert_eq!(seen, ["one", "two"]);
}

/// Once the buffers are there, lines of UTF-8 and of other charsets need no memory.
#[test]
fn nothing_is_allocated_for_a_line() {
    for (name, unit) in
        [("UTF-8", "zwölf Boxkämpfer\r\n".as_bytes()), ("ISO-8859-1", b"zw\xF6lf\n"), ("IBM037", b"\xC1\x15")]
    {
        let input = unit.repeat(20_000);
        let mut lines = Transcode::new().source_encoding(name).unwrap().lines(&input[..]).unwrap();
        for _ in 0..5_000 {
            lines.next_line().unwrap().unwrap();
        }
        let work = crate::common::work::work_in(|| {
            for _ in 0..10_000 {
                std::hint::black_box(lines.next_line().unwrap().unwrap());
            }
        });
        assert_eq!(work.allocations, 0, "{name}");
    }
}

/// Memory depends on the limit, not on the line.
#[test]
fn a_long_line_is_cut() {
    for name in ["UTF-8", "UTF-16LE", "IBM939"] {
        let job = Transcode::new().source_encoding(name).unwrap();
        let peak = |len: u64| {
            let line = io::repeat(b'a').take(len);
            crate::common::work::work_in(|| {
                let mut lines = job.lines(line).unwrap().limit(10_000);
                while let Some(line) = lines.next_line().unwrap() {
                    assert!(line.text.len() <= 30_000 && line.number == 1);
                }
            })
            .peak
        };
        peak(1 << 20);
        let (short, long) = (peak(1 << 20), peak(1 << 23));
        assert!(long <= short + 4096 && long < 1 << 20, "{name}: {short}, {long}");
    }
}
