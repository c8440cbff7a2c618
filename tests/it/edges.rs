//! Tests the last allowed and the first forbidden case of each limit: the longest record of each shape, the last column
//! of a card, a surrogate at the end, the characters of a data set's name, the byte that completes a verdict.

use crate::common::shapes::labelled;
use crate::common::{encode, whole};
use charpipe::codec::{Stop, Utf8Sink};
use charpipe::detect::{Diagnostic, Hints, Policy};
use charpipe::fields::{
    Copybook, CopybookForm, FieldError, FieldKind, Item, Layout, ReadOptions, Value, Visitor, When,
};
use charpipe::records::{Framer, Records, Shape, look};
use charpipe::{Detector, Registry, Transcode, detect};

#[test]
fn the_longest_record_of_every_shape() {
    let lengths = [
        ("fb:80", 80),
        ("rdw", 32_756),
        ("rdw:exclusive", 32_760),
        ("rdw:le", 32_756),
        ("vb", 32_752),
        ("vb:100", 92),
        ("vbs", 1 << 20),
        ("u16", 65_535),
        ("u32", 1 << 20),
        ("mode-b", 1 << 20),
        ("awstape,fb:80", 80),
        ("awstape,rdw", 32_756),
        ("awstape,vb", 32_752),
        ("awstape,u16", 65_533),
        ("awstape,u32", 65_531),
        ("awstape,mode-b", 65_532),
    ];
    for (shape, longest) in lengths {
        let parsed: Shape = shape.parse().unwrap();
        assert_eq!(parsed.longest(), longest, "{shape}");
        let mut framer = Framer::new(&parsed, b"\x40").unwrap();
        let (mut out, record) = (Vec::new(), vec![0xC1; longest + 1]);
        framer.record(&record[..longest], 0, &mut out).unwrap_or_else(|error| panic!("{shape}: {error}"));
        let error = framer.record(&record, longest as u64, &mut out).unwrap_err();
        assert_eq!(error.code(), "record-too-long", "{shape}");
        let text = error.to_string();
        assert!(text.contains(&format!("longer than {longest} bytes")), "{shape}: {text}");
        framer.finish(&mut out);
        let mut records = Records::new(&out[..], &parsed);
        let back = records.next_record().unwrap_or_else(|error| panic!("{shape}: {error}"));
        assert!(back.is_some_and(|back| back.data == &record[..longest]), "{shape}");
        assert!(records.next_record().unwrap().is_none(), "{shape}");
    }
}

/// The columns of a card from 73 on are not read. A line with an entry after column 80 is not a card.
#[test]
fn the_last_column_of_a_card() {
    let names = |end: &str| {
        let text = format!("       01 R.\n{:<72}{end}\n", "           05 A PIC X.");
        Copybook::new().read(text.as_bytes()).map(|layout| layout.items().len())
    };
    for card in ["", "CHANGE01", "12345678", "        ", "CHANGE01   ", "CHANGE012", "  a note"] {
        assert_eq!(names(card).unwrap(), 2, "{card}");
    }
    assert_eq!(names("         05 B PIC X.").unwrap(), 3);
    let free = format!("       01 R.\n{:<72}CHANGE012\n", "           05 A PIC X.");
    assert!(Copybook::new().form(CopybookForm::Free).read(free.as_bytes()).is_err());
    let fixed = format!("       01 R.\n{:<72}CHANGE012\n", "           05 A PIC X.");
    let layout = Copybook::new().form(CopybookForm::Fixed).read(fixed.as_bytes()).unwrap();
    assert_eq!(layout.items().len(), 2);
}

/// A low surrogate alone is malformed at once, a high one at the end of the input.
#[test]
fn a_surrogate_at_the_end() {
    for (name, unit) in [("UTF-16BE", u16::to_be_bytes as fn(u16) -> [u8; 2]), ("UTF-16LE", u16::to_le_bytes)] {
        let codec = Registry::builtin().codec(name).unwrap();
        for before in ["", "a", "a text of more than sixteen code units"] {
            let text: Vec<u8> = before.encode_utf16().flat_map(unit).collect();
            for (last, is_low) in [(0xD800, false), (0xDBFF, false), (0xDC00, true), (0xDFFF, true)] {
                let input = [&text[..], &unit(last)].concat();
                let mut decoder = codec.decoder();
                let mut room = [0; 256];
                let mut sink = Utf8Sink::new(&mut room);
                let step = decoder.feed(&input, &mut sink);
                let is_fault = |stop: &Stop<_>| matches!(stop, Stop::Fault(_));
                assert_eq!((step.read, is_fault(&step.stop)), (input.len(), is_low), "{name} {before:?} {last:X}");
                assert_eq!(sink.as_str(), before);
                let mut sink = Utf8Sink::new(&mut room);
                assert_eq!(is_fault(&decoder.finish(&mut sink)), !is_low, "{name} {before:?} {last:X}");
                let outcome = whole(&Transcode::new().source_encoding(name).unwrap(), &input);
                let error = outcome.error.unwrap();
                assert!(error.contains(&format!("byte {}", text.len())), "{error}");
            }
        }
    }
}

/// The characters that a data set's name may have: letters, digits, and the national characters of the code page.
#[test]
fn names_of_data_sets() {
    for name in ["ABCDEFGHIJKLMNOPQ", "RSTUVWXYZ01234567", "PAY$.ROLL#.A@B-89", "a-z/lower.jkl.stu"] {
        for is_ascii in [false, true] {
            let tape = labelled(&[(name, 'F', 'B', 40, 400, vec![vec![b'1'; 400]])], is_ascii);
            let found = look(&tape, true, Some(&name.parse().unwrap()));
            assert_eq!((found.data_sets.len(), &*found.data_sets[0].name), (1, name), "{is_ascii}");
            assert_eq!(found.shape().map(|shape| shape.to_string()), Ok("awstape:sl,fb:40".to_owned()), "{name}");
        }
    }
}

#[test]
fn the_verdict_is_there_when_it_is_done() {
    let input = format!("<?xml version='1.0' encoding='ISO-8859-1'?><a>{}</a>", " ".repeat(70_000));
    let mut detector = Detector::new(Registry::builtin(), Hints::default());
    assert!(detector.verdict().is_none());
    let mut pieces = input.as_bytes().chunks(1000);
    while !detector.is_done() {
        assert!(detector.verdict().is_none());
        detector.feed(pieces.next().unwrap());
    }
    let seen = format!("{:?}", detector.verdict().unwrap());
    assert_eq!(seen, format!("{:?}", detector.finish()));
    assert_eq!(seen, format!("{:?}", detect(input.as_bytes())));
    // Without enough input there is none before the end.
    let mut detector = Detector::new(Registry::builtin(), Hints::default());
    detector.feed(b"<?xml");
    assert!(detector.verdict().is_none());
    detector.finish();
    assert!(detector.verdict().is_some());
}

/// What the transport says about the beginning is reported there, regardless of what follows.
#[test]
fn conflicts_with_the_transport_are_at_the_beginning() {
    let document = "<?xml version='1.0' encoding='UTF-8'?><a/>";
    let utf16: Vec<u8> = document.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = [b"\xFE\xFF", &utf16[..]].concat();
    let cases: [(&str, &[u8], &str, &str); 4] = [
        (
            "application/xml; charset=utf-8",
            &marked,
            "charset-bom-conflict",
            "the transport says \"utf-8\", but the byte order mark is that of UTF-16BE",
        ),
        (
            "application/xml; charset=utf-8",
            &utf16,
            "charset-family-conflict",
            "the transport says \"utf-8\", but the first bytes are utf-16be",
        ),
        ("application/xml; charset=utf-16", &utf16, "utf16-without-bom", "UTF-16 without the required byte order mark"),
        ("text/xml", &utf16, "charset-family-conflict", "text/xml without a charset means"),
    ];
    for (content_type, input, code, message) in cases {
        let mut hints = Hints::default();
        hints.policy = Policy::Rfc3023;
        hints.content_type = Some(content_type.to_owned());
        let mut detector = Detector::new(Registry::builtin(), hints);
        detector.feed(input);
        let verdict = detector.finish();
        let note: Option<&Diagnostic> = verdict.diagnostics.iter().find(|note| note.code == code);
        let note = note.unwrap_or_else(|| panic!("{content_type}: {:?}", verdict.diagnostics));
        assert_eq!(note.offset, 0, "{content_type}");
        assert!(note.message.contains(message), "{content_type}: {}", note.message);
    }
}

/// Which type a record has does not depend on how empty fields are read.
#[test]
fn an_empty_type_field_is_a_type() {
    struct Nothing;
    impl Visitor for Nothing {
        type Error = FieldError;

        fn value(&mut self, _item: usize, _column: usize, _value: Value<'_>) -> Result<(), FieldError> {
            Ok(())
        }
    }
    let registry = Registry::builtin();
    let codec = registry.codec("IBM037").unwrap();
    let layout = Layout::new(vec![
        Item::field(5, "K", FieldKind::text(2)),
        Item::field(5, "ONE", FieldKind::text(1)).applying(When::field("K", "A")),
        Item::field(5, "TWO", FieldKind::text(1)).redefining("ONE").applying(When::field("K", "")),
    ])
    .unwrap();
    for empty_is_null in [false, true] {
        let options = ReadOptions::new().empty_is_null(empty_is_null);
        let mut reader = layout.reader(&registry, &codec, &options).unwrap();
        for (record, item) in [(b"\xC1\x40\xE7", 1), (b"\0\0\xE7", 2), (b"\x40\x40\xE7", 2)] {
            assert_eq!(reader.record_type(record), Some(item), "{empty_is_null} {record:02X?}");
            // Again: reading one record does not change how the next one is read.
            let row = reader.read(1, record, &mut Nothing).unwrap();
            assert_eq!((row.record_type, row.bad), (Some(item), u64::from(empty_is_null && record[0] == 0)));
        }
    }
    assert_eq!(encode(&*codec, "A"), b"\xC1");
}
