//! Tests that a conversion notices binary files and false labels, and that detection reports the same.

use crate::common::codecs;
use charpipe::detect::{Hints, Looks};
use charpipe::{Detector, Error, Kind, OnMalformed, OnUnmappable, Registry, Report, Status, Transcode};
use std::num::NonZeroUsize;

/// Inputs that are not text, with what comes before the bytes that show it.
fn binaries() -> Vec<(&'static str, Vec<u8>)> {
    let mut state = 7u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let noise: Vec<u8> = (0..5000).map(|_| random()).collect();
    let with = |head: &[u8]| [head, &noise].concat();
    let mut tar = b"a/file.txt".to_vec();
    tar.resize(257, 0);
    tar.extend_from_slice(b"ustar\x0000");
    tar.resize(512, 0);
    tar.extend_from_slice(b"The text in the archive.\n");
    vec![
        ("gzip", with(b"\x1F\x8B\x08\0\0\0\0\0\0\x03")),
        ("png", with(b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR")),
        ("pdf whose head is text", with(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")),
        ("pdf of text only", b"%PDF-1.4\n1 0 obj\n".to_vec()),
        ("zip", with(b"PK\x03\x04\x14\0\0\0\x08\0")),
        ("mp4", with(b"\0\0\0\x20ftypisom")),
        ("webp", with(b"RIFF\x24\x10\0\0WEBPVP8 ")),
        ("tar", tar),
        ("noise", noise.clone()),
        ("noise after a line", with(b"#!/bin/sh\nexec tail -n +2 \"$0\"\n")),
        ("noise after 20 KiB of a script", with(&b"echo installing\n".repeat(1280))),
        ("begins like UTF-8", with(b"\xE2\x80\xB0PNG is not its signature\n")),
        ("zeros, then one bad byte", [&[0; 3000][..], b"\xE9"].concat()),
    ]
}

/// Inputs that are text, although they have bytes that text seldom has.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let utf16: Vec<u8> =
        "Liebe Gr\u{FC}\u{DF}e aus M\u{FC}nchen\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        ("empty", Vec::new()),
        ("one byte", b"\xE9".to_vec()),
        ("latin-1", b"caf\xE9 cr\xE8me\n".to_vec()),
        ("utf-8 with zeros", "10:00 caf\u{E9}\0\0\0\0 ok\n".repeat(50).into_bytes()),
        ("ends in SUB", b"Fran\xE7ais\r\n\x1A".to_vec()),
        ("mixed", "caf\u{E9} cr\u{E8}me \u{E0} la ".bytes().chain(*b"fa\xE7on\n").collect()),
        ("a colour and a form feed", b"\x1B[1mcaf\xE9\x1B[0m\x0Cnext page\n".to_vec()),
        ("ebcdic with tabs and new lines", b"\xC8\x85\x93\x93\x96\x40\xE6\x96\x99\x93\x84\x05\x81\x15".repeat(40)),
        ("iso-2022-jp", b"\x1B$B$3$s$K$A$O\x1B(B\n".to_vec()),
        ("utf-16 without a mark", utf16),
        ("begins like a signature", b"GIF is a format; \xE9\n".to_vec()),
        ("bad byte after the window", [&[b'a'; 70_000][..], b"\xE9\0\0\0\0\0\0\0\0\0"].concat()),
    ]
}

/// The options that make something of every byte.
fn lenient() -> Vec<(&'static str, Transcode)> {
    let job = Transcode::new;
    let to_page = job().target_encoding("IBM1047").unwrap().on_unmappable(OnUnmappable::Replace);
    vec![
        ("replace", job().on_malformed(OnMalformed::Replace)),
        ("drop", job().on_malformed(OnMalformed::Drop)),
        ("escape", job().on_malformed(OnMalformed::Escape)),
        ("read as", job().malformed_as("windows-1252").unwrap()),
        ("a fallback", job().fallback("windows-1252").unwrap()),
        ("fallbacks", job().fallbacks(["UTF-8", "windows-1252"]).unwrap()),
        ("fallbacks alike", job().fallbacks(["ISO-8859-1", "ISO-8859-15"]).unwrap()),
        ("guess", job().guess(true)),
        ("guess and replace", job().guess(true).on_malformed(OnMalformed::Replace)),
        ("fail", job()),
        ("to a page", to_page.on_malformed(OnMalformed::Replace)),
    ]
}

/// Converts `input` in pieces of `size`. Returns the output too if there is an error.
fn convert(job: &Transcode, input: &[u8], size: usize) -> (Vec<u8>, Report, Option<Error>) {
    let mut transcoder = job.transcoder().unwrap();
    let (mut output, mut room) = (Vec::new(), [0; 4096]);
    let mut chunks = input.chunks(size).peekable();
    let mut src: &[u8] = &[];
    loop {
        if src.is_empty() {
            src = chunks.next().unwrap_or_default();
        }
        match transcoder.step(src, &mut room, chunks.peek().is_none() && src.is_empty()) {
            Ok(step) => {
                output.extend_from_slice(&room[..step.written]);
                src = &src[step.read..];
                if step.state == Status::Done {
                    return (output, transcoder.report().clone(), None);
                }
            }
            Err(error) => return (output, transcoder.report().clone(), Some(error)),
        }
    }
}

fn detect(hints: Hints, input: &[u8]) -> charpipe::Verdict {
    let mut detector = Detector::whole(Registry::builtin(), hints);
    detector.feed(input);
    detector.finish()
}

/// With any options for replacing, dropping or assuming: input that is not text is not converted, and detection gives
/// the reason.
#[test]
fn a_binary_file_is_never_converted() {
    for (what, input) in binaries() {
        let found = charpipe::detect(&input);
        let expected = found.error.as_ref().unwrap_or_else(|| panic!("{what}: {found:?}"));
        assert_eq!((expected.code(), found.looks), ("unknown-encoding", Some(Looks::Binary)), "{what}");
        for (option, job) in lenient() {
            for size in [input.len(), 1, 7, 997] {
                let (output, report, error) = convert(&job, &input, size);
                let error = error.unwrap_or_else(|| panic!("{what}, {option}, {size}"));
                let places = (error.code(), error.offset());
                assert_eq!(places, (expected.code(), expected.offset()), "{what}, {option}, {size}");
                let looks = report.verdict.and_then(|verdict| verdict.looks);
                assert_eq!((looks, report.from), (Some(Looks::Binary), None), "{what}, {option}, {size}");
                // What came before it was UTF-8.
                let is_same = input.starts_with(&output)
                    || ["to a page", "a fallback", "fallbacks", "fallbacks alike"].contains(&option);
                assert!(is_same, "{what}, {option}, {size}: {output:X?}");
            }
        }
    }
}

/// An encoding that someone named is believed, and so is a mark.
#[test]
fn a_named_encoding_is_never_refused() {
    for (what, input) in binaries() {
        let named = Transcode::new().source_encoding("ISO-8859-1").unwrap();
        assert_eq!(convert(&named, &input, 100).2.map(|error| error.to_string()), None, "{what}");
        let labelled = Transcode::new().content_type("text/plain; charset=windows-1252");
        let labelled = labelled.on_malformed(OnMalformed::Replace);
        assert_eq!(convert(&labelled, &input, 100).2.map(|error| error.to_string()), None, "{what}");
        let marked = [b"\xEF\xBB\xBF", &input[..]].concat();
        let lenient = Transcode::new().on_malformed(OnMalformed::Replace);
        assert_eq!(convert(&lenient, &marked, 100).2.map(|error| error.to_string()), None, "{what}");
    }
}

/// Text is converted as before, however odd it is, and the pieces make no difference.
#[test]
fn text_is_not_refused() {
    for (what, input) in texts() {
        for (option, job) in lenient() {
            let whole = convert(&job, &input, input.len().max(1));
            let is_refused =
                |error: &Option<Error>| error.as_ref().is_some_and(|error| error.code() == "unknown-encoding");
            assert!(!is_refused(&whole.2), "{what}, {option}");
            if option == "replace" || option == "a fallback" {
                assert!(whole.2.is_none(), "{what}, {option}: {:?}", whole.2);
            }
            for size in [1, 5, 1000] {
                let cut = convert(&job, &input, size);
                let facts = |(output, report, error): &(Vec<u8>, Report, Option<Error>)| {
                    let notes: Vec<String> = report.diagnostics.iter().map(|note| format!("{note:?}")).collect();
                    (output.clone(), format!("{error:?}"), notes, report.bytes_out, report.malformed.clone())
                };
                assert_eq!(facts(&cut), facts(&whole), "{what}, {option}, {size}");
            }
        }
    }
}

/// A zero byte may belong to the name in a tar archive, and the byte before it may begin a character.
#[test]
fn a_zero_byte_after_a_lead_byte() {
    for before in [0, 1, 100, 255, 256, 257, 300] {
        for tail in [&b"\xE9\0"[..], b"\xE9\0Smith\0\0\n", b"\xC3\xA9\0", b"\xF0\x9F\0x"] {
            let input = [&vec![b'a'; before][..], tail].concat();
            for (option, job) in lenient() {
                let whole = convert(&job, &input, input.len());
                for size in [1, 2, 100] {
                    let cut = convert(&job, &input, size);
                    assert_eq!((&cut.0, cut.1.bytes_in), (&whole.0, whole.1.bytes_in), "{input:?}, {option}, {size}");
                    assert_eq!(format!("{:?}", cut.2), format!("{:?}", whole.2), "{input:?}, {option}, {size}");
                }
            }
        }
    }
    let job = Transcode::new().fallback("windows-1252").unwrap();
    let input = [&[b'a'; 200][..], b"\xE9\0\n"].concat();
    assert_eq!(convert(&job, &input, 50).0, [&[b'a'; 200][..], "\u{E9}\0\n".as_bytes()].concat());
}

/// How many bytes are held back from the first malformed one on.
#[test]
fn output_waits_for_a_sample_and_no_longer() {
    let mut transcoder = Transcode::new().on_malformed(OnMalformed::Replace).transcoder().unwrap();
    let mut room = vec![0; 1 << 16];
    let mut feed = |bytes: &[u8]| transcoder.step(bytes, &mut room, false).unwrap().written;
    assert_eq!(feed(b"ok\n"), 3);
    assert_eq!(feed(b"caf\xE9 ok\n"), 3);
    assert_eq!(feed(&[b'a'; 1018]), 0);
    assert_eq!(feed(b"a"), 3 + 4 + 1019);
    assert_eq!(feed(b"\xE9 ok\n"), 7);
}

/// The codes about contents that contradict a label.
const CODES: [&str; 3] = ["looks-like-utf8", "looks-like-windows-1252", "contents-contradict"];

/// The codes, their severities and offsets in a report of a conversion and in a verdict.
fn notes(diagnostics: &[charpipe::detect::Diagnostic]) -> Vec<(String, String, u64)> {
    let found = diagnostics.iter().filter(|note| CODES.contains(&note.code));
    found.map(|note| (note.code.to_owned(), note.severity.name().to_owned(), note.offset)).collect()
}

/// For every single-byte page that has ASCII, named in any way: the report of a conversion has the same codes as
/// detection that reads the whole input.
#[test]
fn a_label_that_lies_is_reported() {
    let long = [&b"<p>".repeat(40_000)[..], "caf\u{E9}</p>".as_bytes()].concat();
    let bodies: [(&str, &[u8]); 7] = [
        ("utf-8", "<p>caf\u{E9} \u{2013} cr\u{E8}me</p>".as_bytes()),
        ("utf-8 late", &long),
        ("c1", b"<p>\x93quoted\x94 caf\xE9</p>"),
        ("latin-1", b"<p>caf\xE9</p>"),
        ("ascii", b"<p>plain</p>"),
        ("cut at the end", b"<p>caf\xC3\xA9\xC3"),
        ("utf-8, then not", b"<p>caf\xC3\xA9 caf\xE9</p>"),
    ];
    let mut lies = 0;
    for codec in codecs() {
        let name = codec.name().to_owned();
        if charpipe::codec::decode_strictly(&*codec, b"<?xml?>").as_deref() != Some("<?xml?>") {
            continue;
        }
        for (what, body) in bodies {
            let xml = [format!("<?xml version='1.0' encoding='{name}'?>").as_bytes(), body].concat();
            let html = [format!("<!DOCTYPE html><meta charset='{name}'>").as_bytes(), body].concat();
            let lenient = || Transcode::new().on_malformed(OnMalformed::Replace).relabel(charpipe::Relabel::Never);
            let (mut from, mut charset) = (Hints::default(), Hints::default());
            from.from = Some(codec.clone());
            charset.charset = Some(name.clone());
            let named = lenient().source_encoding(&name).unwrap();
            let jobs = [
                ("declaration", lenient(), Hints::default(), xml),
                ("meta", lenient(), Hints::default(), html),
                ("transport", lenient().content_type(&format!("text/plain; charset={name}")), charset, body.to_vec()),
                ("person", named, from, body.to_vec()),
            ];
            for (who, job, hints, input) in jobs {
                let found = detect(hints, &input);
                // No document may name UTF-7 or HZ.
                if found.error.as_ref().is_some_and(|error| error.code().ends_with("-label")) {
                    continue;
                }
                let mut expected = notes(&found.diagnostics);
                if who == "person" {
                    // Who names an encoding and says what happens to malformed bytes gets their count.
                    expected.retain(|(code, ..)| code != "contents-contradict");
                }
                lies += expected.len();
                for size in [input.len(), 1, 100].into_iter().filter(|size| input.len() / size < 1000) {
                    let (_, report, error) = convert(&job, &input, size);
                    assert!(error.is_none(), "{name}, {what}, {who}: {error:?}");
                    assert_eq!(notes(&report.diagnostics), expected, "{name}, {what}, {who}, {size}");
                    let verdict = report.verdict.unwrap();
                    assert_eq!(notes(&verdict.diagnostics), expected, "{name}, {what}, {who}, {size}: the verdict");
                }
                let strict = convert(&job.strict(true), &input, 997).2;
                let is_warned = expected.iter().any(|(_, severity, _)| severity == "warning");
                assert!(strict.is_some() || !is_warned, "{name}, {what}, {who}");
                let code = strict.as_ref().map(|error| error.code()).filter(|code| CODES.contains(code));
                let is_known =
                    |code| expected.iter().any(|(known, severity, _)| known == code && severity == "warning");
                assert!(code.is_none_or(is_known), "{name}, {what}, {who}: {strict:?}");
            }
        }
    }
    assert!(lies > 1000, "{lies}");
}

/// The lie is told after all output, and the file that it is in was read to the end.
#[test]
fn a_strict_run_delivers_everything_before_it_fails() {
    let input = "<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\u{E9}</a>";
    let mut output = Vec::new();
    let error = Transcode::new().strict(true).run(input.as_bytes(), &mut output).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("looks-like-utf8", Some(49)));
    assert!(String::from_utf8(output).unwrap().ends_with("<a>caf\u{C3}\u{A9}</a>"));
}

/// An error does not hide what was seen before it, and nothing is reported from after it.
#[test]
fn an_error_comes_with_what_was_seen_before_it() {
    let job = Transcode::new().kind(Kind::Text).source_encoding("ISO-8859-1").unwrap();
    let job = job.target_encoding("IBM850").unwrap();
    let noted: &[(&[u8], u64, &[&str])] = &[
        (b"plain \xC3\xA9 \xC4\x80\xE9", 10, &["looks-like-utf8"]),
        (b"plain \xE9 \x80 \x81", 8, &["looks-like-windows-1252"]),
        (b"plain \xE9  \x85", 9, &["looks-like-windows-1252"]),
    ];
    for (input, offset, codes) in noted {
        for size in [1, 3, 100] {
            let (_, report, error) = convert(&job, input, size);
            assert_eq!(error.and_then(|error| error.offset()), Some(*offset), "{input:?}");
            let found: Vec<&str> = report.diagnostics.iter().map(|note| note.code).collect();
            assert_eq!(found, *codes, "{input:?}, {size}");
        }
    }
}

/// Several threads see what one sees.
#[test]
fn jobs_see_the_same_lies() {
    let jobs = NonZeroUsize::new(3).unwrap();
    let line = "<p>caf\u{E9} cr\u{E8}me \u{2013} \u{93}quoted\u{94}</p>\n";
    let declared = format!("<?xml version='1.0' encoding='ISO-8859-1'?>\n{}", line.repeat(30_000));
    let late =
        [&b"<p>plain</p>\n".repeat(100_000)[..], b"\x93quoted\x94\n", &b"<p>plain</p>\n".repeat(100_000)].concat();
    let plain = [&b"plain\n".repeat(400_000)[..], "caf\u{E9}\n".as_bytes()].concat();
    let split = [&b"plain\n".repeat(400_000)[..], "caf\u{E9}\n".as_bytes(), &b"caf\xE9\n".repeat(90_000)].concat();
    let named = || Transcode::new().source_encoding("ISO-8859-1").unwrap();
    for (job, input) in [(Transcode::new(), declared.into_bytes()), (named(), late), (named(), plain), (named(), split)]
    {
        let one = job.clone().run(&input[..], std::io::sink()).unwrap();
        let several = job.jobs(jobs).run(&input[..], std::io::sink()).unwrap();
        assert_eq!(notes(&several.diagnostics), notes(&one.diagnostics));
        assert_eq!(notes(&several.verdict.unwrap().diagnostics), notes(&one.verdict.unwrap().diagnostics));
        assert_eq!(several.bytes_out, one.bytes_out);
    }
}
