//! Tests that several jobs give the same output, report and error as one job, regardless of where the input is cut into
//! parts. Some of the charsets tested here need the feature `whatwg`.

use crate::common::records::{framed, shape};
use crate::common::{encode, sample};
use charpipe::codec::{Malformed, Step, Stop, Utf8Sink, can_encode};
use charpipe::records::{Carriage, Shape};
use charpipe::{
    Bom, Codec, Decoder, EbcdicNl, Encoder, Eol, Error, ErrorKind, Gaps, OnControl, OnMalformed, OnNewlineInRecord,
    OnOverlong, OnUnmappable, Padding, Registry, Transcode,
};
use proptest::prelude::*;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

fn jobs(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

/// Returns everything visible of a run: the output, the error with its position, and the report.
fn outcome(job: &Transcode, input: impl BufRead) -> (Vec<u8>, Option<String>, String) {
    let mut transcoder = job.transcoder().unwrap();
    let (mut input, mut output) = (input, Vec::new());
    let error = transcoder.run(&mut input, &mut output).err();
    assert_eq!(transcoder.is_done(), error.is_none());
    let report = transcoder.report();
    assert_eq!(report.bytes_out, output.len() as u64);
    let message = |error: Error| format!("{error} {:?} {:?} {:?}", error.code(), error.offset(), error.record());
    (output, error.map(message), format!("{report:?}"))
}

/// Asserts that several jobs give the same outcome as one, with reads of `chunk` bytes and parts of about `block`
/// bytes.
#[track_caller]
fn same(job: &Transcode, input: &[u8], chunk: usize, block: usize, what: &str) {
    let expected = outcome(job, BufReader::with_capacity(chunk, input));
    for number in [2, 3] {
        let side_by_side = job.clone().jobs(jobs(number)).block_bytes(block);
        let found = outcome(&side_by_side, BufReader::with_capacity(chunk, input));
        assert_eq!(found, expected, "{what}: {number} jobs, reads of {chunk}, parts of {block}");
    }
}

/// A codec that counts the bytes that are decoded on other threads than `home`.
struct Watched {
    inner: Arc<dyn Codec>,
    home: ThreadId,
    elsewhere: Arc<AtomicU64>,
    /// If set, decoding this byte panics.
    trap: Option<u8>,
    /// The decoder does not tell its state.
    hides_state: bool,
}

impl Codec for Watched {
    fn name(&self) -> &str {
        "x-watched"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        let elsewhere = self.elsewhere.clone();
        let Watched { home, trap, hides_state, .. } = *self;
        Box::new(WatchedDecoder { inner: self.inner.decoder(), home, elsewhere, trap, hides_state })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        self.inner.encoder()
    }
}

struct WatchedDecoder {
    inner: Box<dyn Decoder>,
    home: ThreadId,
    elsewhere: Arc<AtomicU64>,
    trap: Option<u8>,
    hides_state: bool,
}

impl Decoder for WatchedDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        assert!(!self.trap.is_some_and(|trap| src.contains(&trap)), "the byte to panic at");
        let step = self.inner.feed(src, dst);
        if thread::current().id() != self.home {
            self.elsewhere.fetch_add(step.read as u64, Ordering::Relaxed);
        }
        step
    }

    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        self.inner.finish(dst)
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(WatchedDecoder { inner: self.inner.fork(), elsewhere: self.elsewhere.clone(), ..*self })
    }

    fn pending(&self) -> usize {
        self.inner.pending()
    }

    fn is_bytewise(&self) -> bool {
        self.inner.is_bytewise()
    }

    fn code_unit(&self) -> Option<usize> {
        self.inner.code_unit()
    }

    fn state(&self) -> Option<u64> {
        self.inner.state().filter(|_| !self.hides_state)
    }
}

/// Returns how many bytes of `input` other threads decode in a conversion from `from`, to which `with` adds options.
fn elsewhere(from: &str, input: &[u8], with: impl Fn(Transcode) -> Transcode) -> u64 {
    decoded_elsewhere(from, false, input, with)
}

/// Does what [`elsewhere`] does, with a decoder that may hide its state.
fn decoded_elsewhere(from: &str, hides_state: bool, input: &[u8], with: impl Fn(Transcode) -> Transcode) -> u64 {
    let mut registry = Registry::builtin();
    let elsewhere = Arc::new(AtomicU64::new(0));
    let inner = registry.codec(from).unwrap();
    let home = thread::current().id();
    let watched = Watched { inner, home, elsewhere: elsewhere.clone(), trap: None, hides_state };
    registry.register(Arc::new(watched), &[]).unwrap();
    let job = with(Transcode::new().registry(registry).source_encoding("x-watched").unwrap());
    let expected = outcome(&job, BufReader::with_capacity(64, input));
    assert_eq!(elsewhere.load(Ordering::Relaxed), 0, "a single job decodes on this thread");
    let found = outcome(&job.jobs(jobs(2)).block_bytes(256), BufReader::with_capacity(64, input));
    assert_eq!(found, expected);
    elsewhere.load(Ordering::Relaxed)
}

/// Returns lines of words in several scripts, without the characters that the charset lacks.
fn text_for(codec: &dyn Codec, lines: usize) -> Vec<u8> {
    let line: String = ["Straße", "x1 ", "漢字の", "ab", "  ", "日本", "é", "𝄞", "中文"].concat();
    (0..lines).flat_map(|number| encode(codec, &format!("{number} {line}\n"))).collect()
}

#[test]
fn other_threads_decode_if_the_input_can_be_cut() {
    let registry = Registry::builtin();
    for from in ["ISO-8859-1", "IBM037", "UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32BE", "UTF-32LE"] {
        let input = text_for(&*registry.codec(from).unwrap(), 120);
        for (to, eol) in [("UTF-8", Eol::Keep), ("UTF-16", Eol::Crlf), ("UTF-32", Eol::Keep), ("IBM1047", Eol::Lf)] {
            let count = elsewhere(from, &input, |job| {
                job.target_encoding(to)
                    .unwrap()
                    .eol(eol)
                    .on_unmappable(OnUnmappable::Replace)
                    .on_malformed(OnMalformed::Replace)
            });
            let watches_nel = from == "IBM037" && to != "IBM1047" && eol == Eol::Keep;
            let least = if watches_nel { 0 } else { input.len() as u64 * 3 / 4 };
            assert!(count >= least, "{from} to {to}: {count} of {}", input.len());
        }
    }
    // What has a state can be cut at the ends of lines.
    for (from, to) in [
        ("IBM939", "UTF-8"),
        ("IBM1388", "UTF-16LE"),
        ("IBM939", "IBM939"),
        ("Shift_JIS", "UTF-8"),
        ("ISO-2022-JP", "UTF-8"),
        ("UTF-8", "IBM939"),
        ("UTF-8", "ISO-2022-JP"),
        ("UTF-8", "Shift_JIS"),
        ("UTF-8", "UTF-7"),
    ] {
        let input = text_for(&*registry.codec(from).unwrap(), 120);
        let count = elsewhere(from, &input, |job| job.target_encoding(to).unwrap().on_unmappable(OnUnmappable::Drop));
        assert!(count >= input.len() as u64 / 2, "{from} to {to}: {count} of {}", input.len());
    }
    for from in ["IBM037", "IBM939", "IBM1388", "Shift_JIS", "UTF-16BE"] {
        let codec = registry.codec(from).unwrap();
        // A single transcoder examines the first 64 KiB of EBCDIC records for packed decimals.
        let count = if from.starts_with("IBM") { 240_000 / text_for(&*codec, 1).len() } else { 150 };
        let records: Vec<Vec<u8>> = (0..count).map(|_| text_for(&*codec, 1)).collect();
        let names = ["rdw", "rdw:le:exclusive", "vb:200", "vbs:90", "u32", "u16", "mode-b", "awstape,vbs:90"];
        for name in sample::one_in(3, from, names) {
            let input = framed(&shape(name), &records);
            for (to, records) in [("UTF-8", None), ("UTF-16LE", None), ("IBM939", Some("rdw")), ("UTF-8", Some("u16"))]
            {
                let count = elsewhere(from, &input, |job| {
                    let job = job.records(shape(name)).target_encoding(to).unwrap().on_unmappable(OnUnmappable::Drop);
                    let job = job.on_newline_in_record(OnNewlineInRecord::Keep);
                    match records {
                        Some(records) => job.to_records(shape(records)),
                        None => job,
                    }
                });
                assert!(count >= input.len() as u64 / 2, "{from} in {name} to {to}: {count} of {}", input.len());
            }
        }
    }
}

/// From and to every charset, cut at every position at which its decoder and encoder are in the initial state.
#[test]
fn every_charset() {
    let registry = Registry::builtin();
    for codec in sample::one_in(6, "charsets in parts", registry.codecs()) {
        let name = codec.name();
        let job = Transcode::new().on_unmappable(OnUnmappable::Replace).on_malformed(OnMalformed::Replace);
        let utf8 = text_for(&*registry.codec("UTF-8").unwrap(), 30);
        let to = job.clone().source_encoding("UTF-8").unwrap().target_encoding(name);
        if let Ok(to) = to.and_then(|to| to.transcoder().map(|_| to)) {
            same(&to, &utf8, 97, 200, &format!("to {name}"));
        }
        let input = if codec.encoder().is_some() { text_for(&**codec, 30) } else { utf8 };
        same(&job.source_encoding(name).unwrap(), &input, 97, 200, &format!("from {name}"));
    }
}

#[test]
fn one_thread_decodes_if_the_input_cannot_be_cut() {
    let registry = Registry::builtin();
    for (from, to, hides_state, end) in [
        ("IBM939", "UTF-8", true, "\n"),
        ("Shift_JIS", "UTF-8", true, "\n"),
        ("IBM939", "UTF-8", false, " "),
        ("Shift_JIS", "UTF-8", false, " "),
        ("UTF-8", "IBM939", false, " "),
        // The designation at the beginning of its text cannot be written again.
        ("UTF-8", "ISO-2022-KR", false, "\n"),
    ] {
        let codec = registry.codec(from).unwrap();
        let line = encode(&*codec, &format!("Straße x1 漢字の ab 日本 中文{end}"));
        let input = line.repeat(120);
        let count = decoded_elsewhere(from, hides_state, &input, |job| {
            job.target_encoding(to).unwrap().on_unmappable(OnUnmappable::Drop)
        });
        assert_eq!(count, 0, "{from} to {to}");
    }
    let records: Vec<Vec<u8>> = (0..150).map(|_| text_for(&*registry.codec("IBM037").unwrap(), 1)).collect();
    let input = framed(&Shape::RDW, &records);
    for (what, with) in [
        ("carriage", Transcode::new().carriage(Carriage::Asa)),
        ("blocks", Transcode::new().to_records(shape("vb"))),
        ("a file's end", Transcode::new().to_records(shape("mode-b"))),
    ] {
        let count = elsewhere("IBM037", &input, |job| {
            let job = job.records(Shape::RDW).on_unmappable(OnUnmappable::Drop);
            let job = job.on_newline_in_record(OnNewlineInRecord::Keep);
            match what {
                "carriage" => job.carriage(Carriage::Asa),
                "blocks" => job.to_records(shape("vb")),
                _ => job.to_records(shape("mode-b")),
            }
        });
        assert_eq!(count, 0, "{what} {with:?}");
    }
}

#[test]
fn an_error_at_every_position() {
    let registry = Registry::builtin();
    let policies = [OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape];
    for (from, bad) in [
        ("UTF-8", &b"\xFF"[..]),
        ("UTF-8", b"\xE6\xBC"),
        ("UTF-8", b"\r"),
        ("UTF-16LE", b"\x00\xD8"),
        ("UTF-16LE", b"\x00"),
        ("UTF-16BE", b"\xD8\x34\xDD\x1E"),
        ("UTF-32BE", b"\0\x11\0\0"),
        ("US-ASCII", b"\x80"),
    ] {
        let text = text_for(&*registry.codec(from).unwrap(), 14);
        for at in (0..text.len()).step_by(3) {
            let mut input = text.clone();
            input.splice(at..at, bad.iter().copied());
            for (to, eol) in [("UTF-8", Eol::Keep), ("ISO-8859-1", Eol::Crlf)] {
                let policy = policies[at % 4];
                let unmappable = [OnUnmappable::Fail, OnUnmappable::Escape, OnUnmappable::Drop][at % 3];
                let job = Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap().eol(eol);
                let job = job.on_malformed(policy).on_unmappable(unmappable);
                same(&job, &input, 64, 96, &format!("{from} to {to}, {bad:02X?} at {at}"));
            }
        }
    }
}

#[test]
fn an_error_in_every_record() {
    let registry = Registry::builtin();
    for from in ["IBM939", "IBM1388", "IBM037", "UTF-8"] {
        let codec = registry.codec(from).unwrap();
        let good = text_for(&*codec, 1);
        for name in ["fb:80", "rdw", "vb:150", "vbs:50", "u16", "mode-b", "awstape,vb:100"] {
            for at in sample::one_in(4, &format!("{from} {name}"), 0..24) {
                let mut records = vec![good.clone(); 24];
                // A shift-out without a shift-in, malformed bytes, and a packed decimal.
                records[at] = [b"\xC1\x0E\x42\xFF\xFF\x41", &b"\x12\x34\x5C"[..]].concat();
                if name.starts_with("fb") {
                    records.iter_mut().for_each(|record| record.resize(80, 0x40));
                }
                let input = framed(&shape(name), &records);
                // Data that is examined for packed decimals is converted by a single transcoder. Without columns, that
                // is all of this input.
                let job = Transcode::new().source_encoding(from).unwrap().records(shape(name));
                let job = if at % 2 == 0 { job.columns("1-".parse().unwrap()) } else { job };
                let policy = [OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Escape][at % 3];
                for (to, to_records) in [("UTF-8", None), ("IBM1047", Some("rdw")), ("IBM930", Some("fb:60"))] {
                    let mut job = job.clone().target_encoding(to).unwrap().on_malformed(policy).strict(at % 5 == 0);
                    job = job.on_unmappable([OnUnmappable::Replace, OnUnmappable::Fail][at % 2]);
                    if let Some(records) = to_records {
                        job =
                            job.to_records(shape(records)).on_overlong([OnOverlong::Fail, OnOverlong::Cut][at / 2 % 2]);
                    }
                    let what = format!("{from} in {name} to {to}, record {at}");
                    same(&job, &input, 64, 130, &what);
                    // Also truncated, and with an invalid header.
                    same(&job, &input[..input.len() - 1 - at], 100, 200, &what);
                    let mut broken = input.clone();
                    let middle = broken.len() / 2 + at;
                    broken[middle..middle + 4].fill(0xFF);
                    same(&job, &broken, 100, 200, &what);
                }
            }
        }
    }
}

#[test]
fn documents_with_every_kind_of_head() {
    let body = "<p a='é'>漢字 text &amp; more</p>\r\n".repeat(60);
    for head in ["<?xml version='1.0' encoding='UTF-8'?>", "<?xml version='1.0'?>", "\u{FEFF}", ""] {
        let input = format!("{head}<d>{body}</d>");
        for (to, bom) in [("UTF-8", Bom::Keep), ("UTF-16", Bom::Auto), ("UTF-8", Bom::Add), ("US-ASCII", Bom::Auto)] {
            for unmappable in [None, Some(OnUnmappable::Replace), Some(OnUnmappable::Fail)] {
                let mut job = Transcode::new().target_encoding(to).unwrap().bom(bom).eol(Eol::Lf);
                if let Some(policy) = unmappable {
                    job = job.on_unmappable(policy);
                }
                same(&job, input.as_bytes(), 64, 300, &format!("{head:?} to {to}"));
            }
        }
        let html = format!("<html><head><meta charset=utf-8></head>{body}");
        same(&Transcode::new().target_encoding("UTF-16LE").unwrap(), html.as_bytes(), 64, 300, "HTML");
    }
}

#[test]
fn one_hint_about_nel_newlines() {
    // More lines that end in U+0085 than are examined for the hint.
    let codec = Registry::builtin().codec("IBM1047").unwrap();
    let nel = b"\xC1\xC2\xC3\x15";
    for last in [&b""[..], b"\x25", b"\xC1"] {
        let input = [&nel.repeat(400_000)[..], last].concat();
        let job = Transcode::new().source_encoding("IBM1047").unwrap().ebcdic_nl(EbcdicNl::Table);
        same(&job, &input, 64 << 10, 100 << 10, "U+0085");
        same(&job.target_encoding("UTF-16").unwrap(), &input, 64 << 10, 100 << 10, "U+0085");
    }
    assert!(can_encode(&*codec));
}

#[test]
fn output_much_larger_than_the_input() {
    let records = vec![b"\xC1".to_vec(); 400];
    let input = framed(&Shape::RDW, &records);
    let job =
        Transcode::new().source_encoding("IBM037").unwrap().target_encoding("IBM037").unwrap().records(Shape::RDW);
    same(&job.to_records(shape("fb:32760")), &input, 64, 512, "wide records");
}

#[test]
fn a_record_longer_than_several_parts() {
    let mut records = vec![b"\xC1\xC2".to_vec(); 100];
    records[50] = vec![0xC3; 30_000];
    for name in ["rdw", "u32", "vbs:40"] {
        let input = framed(&shape(name), &records);
        let job = Transcode::new().source_encoding("IBM037").unwrap().records(shape(name));
        same(&job, &input, 64, 128, name);
        same(&job.target_encoding("UTF-16").unwrap(), &input, 64, 20_000, name);
    }
}

/// A reader that fails once, after `left` bytes.
struct FailsAt<'a> {
    bytes: &'a [u8],
    left: usize,
}

impl Read for FailsAt<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            self.left = usize::MAX;
            return Err(io::Error::other("not today"));
        }
        let len = buffer.len().min(self.bytes.len()).min(self.left);
        buffer[..len].copy_from_slice(&self.bytes[..len]);
        self.bytes = &self.bytes[len..];
        self.left -= len;
        Ok(len)
    }
}

#[test]
fn a_read_error_has_its_offset_and_the_run_can_continue() {
    let text = "Straße 漢字 x\r\n".repeat(100);
    let job = Transcode::new().target_encoding("UTF-16").unwrap().eol(Eol::Lf);
    let (expected, ..) = outcome(&job, text.as_bytes());
    for left in (0..text.len()).step_by(37) {
        let run = |job: &Transcode| {
            let mut transcoder = job.transcoder().unwrap();
            let mut input = BufReader::with_capacity(64, FailsAt { bytes: text.as_bytes(), left });
            let mut output = Vec::new();
            let error = transcoder.run(&mut input, &mut output).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Read { .. }), "{error}");
            let first = (error.to_string(), output.clone(), format!("{:?}", transcoder.report()));
            transcoder.run(&mut input, &mut output).unwrap();
            assert_eq!(output, expected);
            first
        };
        assert_eq!(run(&job.clone().jobs(jobs(2)).block_bytes(128)), run(&job), "{left}");
    }
}

/// A writer that accepts this number of bytes and then fails.
struct TakesUpTo(usize);

impl Write for TakesUpTo {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = bytes.len().min(self.0);
        self.0 -= len;
        if len == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(len) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_write_error_ends_the_run() {
    let text = "Straße 漢字 x\r\n".repeat(100);
    let job = Transcode::new().jobs(jobs(3)).block_bytes(128);
    for limit in (0..text.len()).step_by(97) {
        let error = job.run(BufReader::with_capacity(64, text.as_bytes()), TakesUpTo(limit)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
    }
}

#[test]
fn a_panic_in_a_codec_reaches_the_caller() {
    let mut registry = Registry::builtin();
    let inner = registry.codec("ISO-8859-1").unwrap();
    let home = thread::current().id();
    let watched = Watched { inner, home, elsewhere: Arc::default(), trap: Some(b'!'), hides_state: false };
    registry.register(Arc::new(watched), &[]).unwrap();
    let job = Transcode::new().registry(registry).source_encoding("x-watched").unwrap().jobs(jobs(2)).block_bytes(128);
    let input = format!("{}!{}", "a".repeat(1000), "b".repeat(1000));
    let mut output = Vec::new();
    let run = std::panic::AssertUnwindSafe(|| job.run(BufReader::with_capacity(64, input.as_bytes()), &mut output));
    assert!(std::panic::catch_unwind(run).is_err());
    assert!(output.len() >= 900 && output.len() <= 1000, "{}", output.len());
}

/// Sets many options, which the numbers in `pick` choose.
fn options(mut job: Transcode, pick: &[usize]) -> Transcode {
    let malformed = [OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape];
    let unmappable = [
        None,
        Some(OnUnmappable::Fail),
        Some(OnUnmappable::Replace),
        Some(OnUnmappable::Drop),
        Some(OnUnmappable::Escape),
        Some(OnUnmappable::Xml),
    ];
    job = job.on_malformed(malformed[pick[0] % 4]);
    if let Some(policy) = unmappable[pick[1] % 6] {
        job = job.on_unmappable(policy);
    }
    let eols = [Eol::Auto, Eol::Keep, Eol::Lf, Eol::Crlf, Eol::Nel];
    let controls =
        [OnControl::Keep, OnControl::Keep, OnControl::Space, OnControl::Drop, OnControl::Xml, OnControl::Error];
    job = job.eol(eols[pick[2] % 5]).on_control(controls[pick[3] % 6]);
    job = job.ebcdic_nl([EbcdicNl::Table, EbcdicNl::Zos, EbcdicNl::Fold][pick[4] % 3]);
    job = job.best_fit(pick[4].is_multiple_of(5)).strict(pick[4].is_multiple_of(7));
    job.on_newline_in_record(
        [OnNewlineInRecord::Keep, OnNewlineInRecord::Keep, OnNewlineInRecord::Space, OnNewlineInRecord::Error]
            [pick[5] % 4],
    )
}

fn pieces() -> impl Strategy<Value = Vec<String>> {
    let words = vec![
        "A", "bc", "é", " ", "   ", "\r\n", "\r", "\n", "\u{85}", "漢字", "日", "\0", "\u{7}", "𝄞", "€", "x1 y2 ",
        "\u{FFFD}",
    ];
    prop::collection::vec(prop::collection::vec(prop::sample::select(words), 0..14), 5..60)
        .prop_map(|lines| lines.into_iter().map(|words| words.concat()).collect())
}

/// Generates positions of bytes to damage, and their new values.
fn damages() -> impl Strategy<Value = Vec<(usize, u8)>> {
    prop::collection::vec((any::<usize>(), prop::sample::select(vec![0xFF, 0x80, 0x0E, 0x0F, 0xD8, 0x00, 0x5C])), 0..3)
}

fn damage(bytes: &mut [u8], damages: &[(usize, u8)]) {
    for (at, byte) in damages {
        if !bytes.is_empty() {
            bytes[at % bytes.len()] = *byte;
        }
    }
}

/// A finished part is written before the parts are given up. One job would write that output only after its next read.
#[test]
fn output_that_one_job_would_write_later() {
    let codec = Registry::builtin().codec("IBM1388").unwrap();
    let lines = ["", "", "", "", "", "", "bc", "AA", "", "Ax1 y2 Abc€", "漢字x1 y2 A\n\n\r"];
    let records: Vec<Vec<u8>> = lines.iter().map(|line| encode(&*codec, line)).collect();
    let job =
        Transcode::new().source_encoding("IBM1388").unwrap().records(Shape::RDW).eol(Eol::Lf).padding(Padding::Keep);
    let job = job.ebcdic_nl(EbcdicNl::Zos).on_newline_in_record(OnNewlineInRecord::Keep).columns("1-".parse().unwrap());
    for chunk in 1..60 {
        same(&job, &framed(&Shape::RDW, &records), chunk, 20, "a carriage return at the end");
    }
}

proptest! {
    #[test]
    fn any_text(
        lines in pieces(),
        damages in damages(),
        from in prop::sample::select(vec![
            "UTF-8", "UTF-16LE", "UTF-16BE", "UTF-16", "UTF-32BE", "UTF-32LE", "ISO-10646-UCS-4", "ISO-8859-1", "IBM037",
            "IBM1047", "ISO-10646-UCS-2", "IBM939", "IBM1399", "Shift_JIS", "GB18030", "ISO-2022-JP", "UTF-7", "US-ASCII",
        ]),
        to in prop::sample::select(vec![
            "UTF-8", "UTF-16", "UTF-16LE", "UTF-32", "IBM1047", "US-ASCII", "ISO-10646-UCS-2", "IBM939", "windows-1252",
            "IBM1399", "Shift_JIS", "ISO-2022-JP", "ISO-2022-KR", "UTF-7",
        ]),
        pick in prop::collection::vec(any::<usize>(), 8),
        sizes in (1usize..100, 20usize..300),
    ) {
        let mut input = encode(&*Registry::builtin().codec(from).unwrap(), &lines.join("\n"));
        damage(&mut input, &damages);
        let mut job = Transcode::new().target_encoding(to).unwrap();
        if pick[7] % 4 > 0 {
            job = job.source_encoding(from).unwrap();
        }
        job = options(job, &pick).bom([Bom::Auto, Bom::Auto, Bom::Keep, Bom::Strip][pick[6] % 4]);
        if pick[6] % 6 == 0 {
            job = job.to_records(shape(["rdw", "fb:200", "u16"][pick[6] / 6 % 3])).on_overlong(OnOverlong::Cut);
        }
        if job.transcoder().is_ok() {
            same(&job, &input, sizes.0, sizes.1, &format!("{from} to {to}"));
        }
    }

    #[test]
    fn any_records(
        lines in pieces(),
        damages in damages(),
        from in prop::sample::select(vec!["IBM037", "IBM939", "IBM1388", "IBM1399", "UTF-8", "Shift_JIS", "UTF-16BE"]),
        to in prop::sample::select(vec!["UTF-8", "UTF-16", "IBM1047", "IBM939", "US-ASCII", "UTF-32LE"]),
        name in prop::sample::select(vec![
            "fb:7", "fb:80", "rdw", "rdw:exclusive", "rdw:le", "vb:200", "vbs:40", "u32", "u16", "mode-b", "awstape,fb:11",
            "awstape,vbs:40",
        ]),
        pick in prop::collection::vec(any::<usize>(), 10),
        sizes in (1usize..100, 20usize..300),
    ) {
        let codec = Registry::builtin().codec(from).unwrap();
        let fixed = match shape(name) {
            Shape::Fixed { lrecl } => Some(lrecl as usize),
            Shape::AwsTape { shape, .. } if matches!(*shape, Shape::Fixed { .. }) => Some(11),
            _ => None,
        };
        let mut records: Vec<Vec<u8>> = lines.iter().map(|line| encode(&*codec, line)).collect();
        records.iter_mut().for_each(|record| match fixed {
            Some(len) => record.resize(len, 0x40),
            None => record.truncate(150),
        });
        if pick[8] % 2 == 0 {
            records.iter_mut().for_each(|record| damage(record, &damages[..damages.len().min(1)]));
        }
        let mut input = framed(&shape(name), &records);
        if pick[8] % 4 == 1 {
            damage(&mut input, &damages);
        }
        let mut job = Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap().records(shape(name));
        job = options(job, &pick).padding([Padding::Trim, Padding::Keep, Padding::Nuls, Padding::TrimNuls][pick[6] / 3 % 4]);
        job = job.shifts_as_blanks(pick[6] % 4 == 0);
        if pick[6] % 5 == 0 {
            job = job.columns("2-4,6-".parse().unwrap()).gaps([Gaps::Drop, Gaps::Hex][pick[6] / 5 % 2]);
        } else if pick[6] % 2 == 0 {
            // A single transcoder examines the beginning of EBCDIC records for packed decimals, unless columns are
            // given.
            job = job.columns("1-".parse().unwrap());
        }
        match pick[7] % 6 {
            0 => job = job.to_records(shape("rdw")),
            1 => job = job.to_records(shape("fb:60")).on_overlong(OnOverlong::Cut),
            2 => job = job.to_records(shape("fb:300")),
            3 if pick[9] % 3 == 0 => job = job.carriage(Carriage::Asa),
            4 if pick[9] % 3 == 0 => job = job.to_records(shape("vb:400")),
            _ => {}
        }
        if job.transcoder().is_ok() {
            same(&job, &input, sizes.0, sizes.1, &format!("{from} in {name} to {to}"));
        }
    }
}
