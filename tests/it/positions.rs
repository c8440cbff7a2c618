//! Tests the lines and columns of errors: they count characters of the decoded text, in any encoding, and any line
//! ending ends a line.

use charpipe::{Error, Kind, OnMalformed, OnUnmappable, Report, TextPosition, Transcode};

fn job(from: &str, to: &str) -> Transcode {
    let job = Transcode::new().source_encoding(from).and_then(|job| job.target_encoding(to)).unwrap();
    job.kind(Kind::Text)
}

/// Returns the position of what follows `text`.
fn after(text: &str) -> TextPosition {
    let text = text.replace("\r\n", "\n").replace("\r\u{85}", "\n").replace(['\r', '\u{85}'], "\n");
    let last = text.rsplit('\n').next().unwrap_or_default();
    TextPosition::new(text.matches('\n').count() as u64 + 1, last.chars().count() as u64 + 1)
}

/// Converts, and finds the positions afterwards.
fn run(job: &Transcode, input: &[u8]) -> (Report, Option<Error>) {
    let mut transcoder = job.transcoder().unwrap();
    let mut error = transcoder.run(&mut &input[..], &mut Vec::new()).err();
    transcoder.locate(input, error.as_mut()).unwrap();
    (transcoder.report().clone(), error)
}

/// Counts during the conversion, of pieces of `piece` bytes.
fn count(job: &Transcode, input: &[u8], piece: usize) -> (Report, Option<Error>) {
    let mut transcoder = job.clone().count_lines(true).transcoder().unwrap();
    let mut reader = std::io::BufReader::with_capacity(piece, input);
    let error = transcoder.run(&mut reader, &mut Vec::new()).err();
    (transcoder.report().clone(), error)
}

/// The line ends that a charset has, with characters between them of which ISO-8859-1 lacks some.
const CHARSETS: [(&str, &str, &[&str]); 13] = [
    ("UTF-8", "é€😀x", &["\n", "\r\n", "\r", "\u{85}", "\r\u{85}"]),
    ("UTF-16", "é€😀x", &["\n", "\r\n", "\r", "\u{85}", "\r\u{85}"]),
    ("UTF-16LE", "é€😀x", &["\n", "\r\n", "\r", "\u{85}", "\r\u{85}"]),
    ("UTF-32BE", "é€😀x", &["\n", "\r\n", "\r", "\u{85}", "\r\u{85}"]),
    ("UTF-7", "é€😀x", &["\n", "\r\n", "\r"]),
    ("GB18030", "é€漢x", &["\n", "\r\n", "\r", "\u{85}"]),
    ("windows-1252", "é€x", &["\n", "\r\n", "\r"]),
    ("IBM924", "é€x", &["\n", "\r\n", "\r", "\u{85}", "\r\u{85}"]),
    ("IBM924,nl=zos", "é€x", &["\n", "\r\n", "\r", "\u{85}"]),
    ("IBM939", "日x本", &["\n", "\r\n", "\r", "\u{85}"]),
    ("Shift_JIS", "日x本", &["\n", "\r\n", "\r"]),
    ("EUC-JP", "日x本", &["\n", "\r\n", "\r"]),
    ("ISO-2022-JP", "日x本", &["\n", "\r\n", "\r"]),
];

/// All texts of up to three line ends, with the characters before, between and after them.
fn texts(chars: &str, ends: &[&str]) -> Vec<String> {
    let mut texts = vec![chars.to_owned()];
    let mut last = texts.clone();
    for _ in 0..3 {
        let pairs = last.iter().flat_map(|text| ends.iter().map(move |end| format!("{text}{end}")));
        last = pairs.flat_map(|text| [format!("{text}{chars}"), text]).collect();
        texts.extend(last.iter().cloned());
    }
    texts.iter().map(|text| format!("{text}{chars}")).collect()
}

#[test]
fn of_each_character_in_each_encoding() {
    for (charset, chars, ends) in CHARSETS {
        let to = job("UTF-8", charset);
        let from = job(charset, "ISO-8859-1").on_unmappable(OnUnmappable::Replace);
        for text in texts(chars, ends) {
            let input = to.encode(&text).unwrap();
            let places = text.char_indices().filter(|(_, ch)| u32::from(*ch) > 0xFF);
            let expected: Vec<_> = places.map(|(at, _)| Some(after(&text[..at]))).take(16).collect();
            let runs =
                [run(&from, &input), count(&from, &input, 1), count(&from, &input, 5), count(&from, &input, 999)];
            for (report, error) in runs {
                assert!(error.is_none(), "{charset} {text:?}: {error:?}");
                let found: Vec<_> = report.unmappable.first.iter().map(|found| found.position).collect();
                assert_eq!(found, expected, "{charset} {text:?}");
            }
        }
    }
}

/// The input is read, and the text is counted, in pieces: no place where they are cut makes a difference.
#[test]
fn far_into_the_input() {
    for end in ["\r\n", "\u{85}", "\n", "\r", ""] {
        for len in [510, 511, 512, 1021, 1023, 1024, 16 * 1024 - 2, 16 * 1024 - 1, 16 * 1024, 70_000] {
            let text = ["é\n", &"a".repeat(len), end, &"é".repeat(700)].concat();
            let input = [text.as_bytes(), b"\xFF"].concat();
            let error = job("UTF-8", "UTF-8").decode(&input).unwrap_err();
            assert_eq!(error.position(), Some(after(&text)), "{len} {end:?}");
            for piece in [100, 64 * 1024] {
                let (_, error) = count(&job("UTF-8", "UTF-8"), &input, piece);
                assert_eq!(error.unwrap().position(), Some(after(&text)), "{len} {end:?}, {piece}");
            }
        }
    }
}

#[test]
fn malformed_bytes_before_it_are_characters_as_they_are_written() {
    let input = b"\xFFa\xE2\x82\xC3\xA9\n\xFE\xFD\xC3\xA9\xFF";
    let all = |report: Report| {
        let found = report.malformed.first.iter().filter_map(|found| found.position);
        found.map(|at| at.to_string()).collect::<Vec<_>>()
    };
    let places = |job: Transcode| {
        let found = all(run(&job, input).0);
        // Also through the text stages.
        for job in [job.clone(), job.eol(charpipe::Eol::Crlf)] {
            for piece in [1, 3, 100] {
                assert_eq!(all(count(&job, input, piece).0), found, "{job:?}, {piece}");
            }
        }
        found
    };
    let at = |columns: [(u32, u32); 5]| columns.map(|(line, column)| format!("line {line}, column {column}"));
    let utf8 = || job("UTF-8", "UTF-8");
    let replaced = at([(1, 1), (1, 3), (2, 1), (2, 2), (2, 4)]);
    assert_eq!(places(utf8().on_malformed(OnMalformed::Replace)), replaced);
    assert_eq!(places(utf8().on_malformed(OnMalformed::Escape)), replaced);
    assert_eq!(places(utf8().on_malformed(OnMalformed::Drop)), at([(1, 1), (1, 2), (2, 1), (2, 1), (2, 2)]));
    let read = utf8().malformed_as("windows-1252").unwrap();
    assert_eq!(places(read), at([(1, 1), (1, 3), (2, 1), (2, 2), (2, 4)]));
}

/// Where a malformed sequence ends is known only after the next byte.
#[test]
fn malformed_bytes_in_a_row() {
    let inputs: [(&str, &[u8]); 6] = [
        ("UTF-8", b"a\xED\xA0\x80\xC3\xC3\xA9\xF0\x9F\x98\xF0\x9F\n\xE2\x82\xE2"),
        ("UTF-16BE", b"\0a\xD8\0\xD8\0\0b\xDC\0\xD8"),
        ("Shift_JIS", b"a\x83\x20\x83\xFF\x83\n\x83"),
        ("GB18030", b"a\x81\x30\x81\x20\x81\x30\x81\x30\xFF\x81\n\x81"),
        ("IBM939", b"\x0E\x45\xFF\x45\x62\x45\x0F\xC1\x15\x0E\x45"),
        ("ISO-2022-JP", b"\x1B$B\x46\xFF\x46\x7C\x46\n\x1B$\x80\x1B"),
    ];
    for (charset, input) in inputs {
        let job = job(charset, "UTF-8").on_malformed(OnMalformed::Replace);
        let expected = run(&job, input).0.malformed;
        let text = job.decode(input).unwrap();
        // In order, the marks are what the malformed sequences became.
        let marks = text.match_indices('\u{FFFD}').map(|(at, _)| Some(after(&text[..at])));
        let found = expected.first.iter().map(|found| found.position);
        assert_eq!(found.collect::<Vec<_>>(), marks.collect::<Vec<_>>(), "{charset}");
        for piece in [1, 2, 100] {
            assert_eq!(count(&job, input, piece).0.malformed, expected, "{charset}, {piece}");
        }
    }
}

#[test]
fn errors_say_where_they_are() {
    let said = |input: &[u8], job: &Transcode| job.decode(input).unwrap_err().to_string();
    let any = Transcode::new();
    assert_eq!(said(b"a\r\nb\xE9 ", &any), "line 2, column 2 (byte 4): E9 is not valid UTF-8");
    assert_eq!(said(b"\xEF\xBB\xBFab\xFF", &any), "line 1, column 3 (byte 5): FF is not valid UTF-8");
    assert_eq!(said(b"\xFF\xFEa\0\n\0\0\xD8b\0", &any), "line 2, column 1 (byte 6): 00 D8 is not valid UTF-16LE");
    // The input ends within a character.
    assert_eq!(said(b"a\n\xE2\x82", &any), "line 2, column 1 (byte 2): E2 82 is not valid UTF-8");
    let declared = said(b"<?xml version='1.0'\nencoding='Klingon'?><a/>", &any);
    assert!(declared.starts_with("line 2, column 11 (byte 30): \"Klingon\" is not known"), "{declared}");
    let mainframe = Transcode::new().source_encoding("IBM1047").unwrap().on_control(charpipe::OnControl::Error);
    assert_eq!(
        said(b"\xC1\x15\xC1\x25\xC1\x01", &mainframe),
        "line 3, column 2 (byte 5): U+0001 is a control character"
    );
    let text = Transcode::new().target_encoding("ISO-8859-1").unwrap().encode("café\n5 €").unwrap_err();
    assert_eq!(text.to_string(), "line 2, column 3 (byte 8): U+20AC '€' is not in ISO-8859-1");
}

/// Records and binary data have no lines.
#[test]
fn records_and_binary_data_have_the_byte() {
    let records = Transcode::new().source_encoding("US-ASCII").unwrap().records("fb:4".parse().unwrap());
    let error = records.decode(b"abc\nef\xFFh").unwrap_err();
    assert_eq!(
        (error.to_string(), error.position()),
        ("byte 3: record 1, column 4: U+000A, a newline, is inside a record".into(), None)
    );
    let error = charpipe::decode(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR").unwrap_err();
    assert_eq!((error.code(), error.position()), ("unknown-encoding", None));
    assert!(error.to_string().starts_with("byte 0: "), "{error}");
}

/// Detection knows the lines of what it has read.
#[test]
fn in_a_verdict() {
    let position = |input: &[u8]| {
        let verdict = charpipe::detect(input);
        let note = verdict.diagnostics.first().and_then(|note| note.position);
        verdict.error.and_then(|error| error.position()).or(note).map(|at| (at.line, at.column))
    };
    assert_eq!(position(b"caf\xE9"), Some((1, 4)));
    assert_eq!(position(b"\n\ncaf\xE9\r"), Some((3, 4)));
    assert_eq!(position("<?xml version='1.0' encoding='ISO-8859-1'?>\n<a>é</a>".as_bytes()), Some((2, 4)));
    assert_eq!(position(b"\xFE\xFF\0<\0?\0x\0m\0l\0 \0e\0n\0c\0o\0d\0i\0n\0g\0=\0'\0k\0'\0?\0>"), Some((1, 17)));
    assert_eq!(position(b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\xFF"), None);
}

/// A run that counts says the same of everything as one whose input is read again.
#[test]
fn counted_or_read_again() {
    let long = |text: &str| [text, &"plain text\r\n".repeat(20_000), text].concat();
    let cases: [(Transcode, Vec<u8>); 9] = [
        // Hints about the whole input: bytes that contradict the label.
        (job("ISO-8859-1", "UTF-8"), long("a\nb\u{85}\u{E9}").chars().map(|ch| ch as u8).collect()),
        (job("windows-1252", "UTF-8"), long("caf\n\u{E9}\u{E9}").into_bytes()),
        (job("windows-1252", "ISO-8859-15"), long("caf\n\u{E9}\u{E9}").into_bytes()),
        (job("IBM1047", "UTF-8"), b"\xC1\xC2\x15".repeat(1000)),
        (job("UTF-8", "IBM1047").kind(Kind::Xml), b"<?xml version='1.0'?>\n<a/>\n".to_vec()),
        // What detection says, and errors in labels.
        (Transcode::new(), b"\n<?xml version='1.0'\n encoding='UTF-16'?><a>\n\xFF</a>".to_vec()),
        (Transcode::new(), b"<?xml version='1.0'\n encoding='nothing'?><a/>".to_vec()),
        (
            Transcode::new().target_encoding("UTF-16BE").unwrap(),
            b"<!DOCTYPE html>\n<meta charset='Shift_JIS'>\n\x83".to_vec(),
        ),
        (Transcode::new().eol(charpipe::Eol::Lf), "a\r\u{85}b\r\n\u{FF}".chars().map(|ch| ch as u8).collect()),
    ];
    for (job, input) in &cases {
        let places = |(report, error): (Report, Option<Error>)| {
            let notes = report.diagnostics.iter().map(|note| (note.code, note.offset, note.position));
            (notes.collect::<Vec<_>>(), error.map(|error| (error.code(), error.offset(), error.position())))
        };
        let expected = places(run(job, input));
        let is_known = expected.0.iter().all(|(.., position)| position.is_some())
            && expected.1.is_none_or(|(.., position)| position.is_some());
        assert!(is_known && (!expected.0.is_empty() || expected.1.is_some()), "{job:?}: {expected:?}");
        for piece in [1, 7, 64 * 1024] {
            assert_eq!(places(count(job, input, piece)), expected, "{piece}: {job:?}");
        }
    }
}
