//! Tests tables that no one would sensibly write, from a file or made by hand. They convert as they are written, or
//! they are refused. No table causes a panic, a hang or unbounded memory use.

use crate::common::work;

use crate::common::layouts::with;
use crate::common::{invariant, whole};
use charpipe::codec::table::{Cell, Code, Mapping, Sequence, Table, TableShape, Way};
use charpipe::codec::{ByteSink, Codec, MIN_ROOM, Replacement, Stop, decode_strictly};
use charpipe::{OnMalformed, OnUnmappable, Registry, Relabel, Transcode};

fn sequence(bytes: &[u8], text: &str) -> Sequence {
    Sequence { bytes: bytes.to_vec(), text: text.to_owned(), way: Way::RoundTrip }
}

fn mapping(bytes: &[u8], ch: char, way: Way) -> Mapping {
    Mapping { code: Code::new(bytes).unwrap(), ch, way }
}

/// Returns a table of ASCII.
fn ascii() -> Table {
    Table::from_fn("X-ODD", "", |byte| byte.is_ascii().then_some(byte.into()))
}

/// Returns a job that converts text from the table, or to it.
fn job(table: Table, decodes: bool) -> Transcode {
    let mut registry = Registry::builtin();
    registry.register_table(table).unwrap();
    let (from, to) = if decodes { ("X-ODD", "UTF-8") } else { ("UTF-8", "X-ODD") };
    let job = Transcode::new()
        .registry(registry)
        .source_encoding(from)
        .unwrap()
        .target_encoding(to)
        .unwrap()
        .relabel(Relabel::Never);
    job.on_malformed(OnMalformed::Escape).on_unmappable(OnUnmappable::Escape)
}

/// Sequences have the maximum length, some begin with others, and the input is cut anywhere.
#[test]
fn sequences_of_31_bytes() {
    let mut table = ascii();
    let long: Vec<u8> = (0..31).map(|at| b'a' + at % 26).collect();
    let text = "\u{1F600}".repeat(9);
    table.sequences.push(sequence(&long, &text));
    table.sequences.push(sequence(&long[..30], "é"));
    table.sequences.push(sequence(&long[..3], "ê"));
    table.sequences.push(sequence(&[0x80, 0xFF], "ë"));
    let mut other = long.clone();
    other[30] = b'!';
    table.sequences.push(sequence(&other, "è"));
    let input = [&long[..], &long[..29], b"\x80", &other, &long[..30], b"\x80\xFF\x80\x81", &long[..12]].concat();
    let outcome = invariant(&job(table.clone(), true), &input, "decoding");
    let rest = |from: usize, to: usize| String::from_utf8(long[from..to].to_vec()).unwrap();
    // Sequences also begin in the middle of the letters.
    let expected = format!("{text}ê{}ê\\x80èéë\\x80\\x81ê{}", rest(3, 26), rest(3, 12));
    assert_eq!(outcome.text(), expected);
    let back = expected.replace("\\x80", "").replace("\\x81", "");
    let outcome = invariant(&job(table, false), back.as_bytes(), "encoding");
    let expected = [&long[..], &long[..29], &other, &long[..30], b"\x80\xFF", &long[..12]].concat();
    assert_eq!(outcome.output, expected);
}

/// Tests sequences of several characters. Text that only begins like a sequence is written character by character, and
/// an error in it has its own position.
#[test]
fn text_that_only_begins_like_a_sequence() {
    let mut table = ascii();
    table.sequences.push(sequence(b"\x80", "aéb"));
    table.sequences.push(sequence(b"\x81", "aéêb"));
    table.sequences.push(sequence(b"\x82", "éa"));
    let outcome = invariant(&job(table.clone(), false), "aéêaéaéêbaé".as_bytes(), "encoding");
    assert_eq!(outcome.output, b"a\\u{E9}\\u{EA}a\x82\\u{E9}\\u{EA}ba\\u{E9}");
    let outcome = invariant(&job(table, false), "aéêbaéb".as_bytes(), "encoding");
    assert_eq!(outcome.output, b"\x81\x80");
}

/// An escape is written completely, even if its last character could begin a sequence.
#[test]
fn an_escape_that_ends_like_the_beginning_of_a_sequence() {
    let mut table = ascii();
    table.sequences.push(sequence(b"\x80", "}}"));
    table.sequences.push(sequence(b"\x81", ";x"));
    table.sequences.push(sequence(b"\x82", "0\u{20E3}"));
    let outcome = invariant(&job(table.clone(), false), "é}}x".as_bytes(), "escape");
    assert_eq!(outcome.output, b"\\u{E9}\x80x");
    let xml = job(table.clone(), false).on_unmappable(OnUnmappable::Xml);
    assert_eq!(
        invariant(&xml, "<?xml version='1.0'?><a>éx</a>".as_bytes(), "xml").output,
        b"<?xml version='1.0'?><a>&#xE9;x</a>"
    );
    // Malformed bytes in the input, whose escape may end in a digit.
    let outcome = invariant(&job(table, false), b"\xF0x", "malformed");
    assert_eq!(outcome.output, b"\\xF0x");
}

/// A table made by hand may be nonsense. `Table::check` refuses it; using it without the check does no harm.
#[test]
fn nonsensical_tables_made_by_hand() {
    let multi = |states| with(ascii(), |table| table.shape = TableShape::Multi(states));
    let mut empty_bytes = ascii();
    empty_bytes.sequences.push(Sequence { way: Way::BestFit, ..sequence(b"", "é") });
    empty_bytes.sequences.push(sequence(b"", "ê"));
    let mut empty_text = ascii();
    empty_text.sequences.push(sequence(b"\x80\x81", ""));
    let mut long_text = ascii();
    long_text.sequences.push(sequence(b"\x80", &"a".repeat(300)));
    let mut long_bytes = ascii();
    long_bytes.sequences.push(sequence(&[b'a'; 300], "é"));
    let tables = [
        multi(Vec::new()),
        multi(vec![[Cell::Next(1); 256]]),
        multi(vec![[Cell::Next(0); 256]]),
        multi(vec![[Cell::Next(1); 256], [Cell::Next(0); 256]]),
        multi(vec![[Cell::Illegal; 256]; 300]),
        multi(vec![[Cell::Unassigned; 256]]),
        empty_bytes,
        empty_text,
        long_text,
        long_bytes,
        with(ascii(), |table| table.substitute.clear()),
        with(ascii(), |table| table.substitute = vec![0; 100]),
        with(ascii(), |table| (table.substitute, table.shape) = (Vec::new(), TableShape::Shifted)),
    ];
    for (number, table) in tables.into_iter().enumerate() {
        assert!(table.check().is_err(), "{number}");
        let codec = table.into_codec();
        let mut encoder = codec.encoder().unwrap();
        for which in [Replacement::Substitute, Replacement::BestFit, Replacement::Text("a")] {
            let mut buffer = [0; MIN_ROOM];
            let mut sink = ByteSink::new(&mut buffer);
            let done = encoder.encode_replacement('é', which, &mut sink);
            assert_eq!(done, sink.written() > 0, "{number} {which:?}");
        }
        let mut registry = Registry::builtin();
        registry.register(std::sync::Arc::new(codec), &[]).unwrap();
        let job = Transcode::new().registry(registry).relabel(Relabel::Never).on_malformed(OnMalformed::Escape);
        let input = [&[0x80; 40][..], &[b'a'; 100], b"\x81\x0E\x41\x41\xFF"].concat();
        let outcome = whole(&job.clone().source_encoding("X-ODD").unwrap(), &input);
        assert_eq!(outcome.error, None, "{number}");
        let outcome = whole(
            &job.on_unmappable(OnUnmappable::Drop).target_encoding("X-ODD").unwrap(),
            "aéêa".repeat(9).as_bytes(),
        );
        assert_eq!(outcome.error, None, "{number}");
    }
}

fn long_sequences(count: u32) -> Table {
    let mut table = ascii();
    for number in 0..count {
        let digits: Vec<u8> = (0..30).map(|bit| 0x80 | (number >> (bit % 16)) as u8 & 1 | bit << 1).collect();
        let ch = char::from_u32(0x1_0000 + number).unwrap();
        table.sequences.push(sequence(&digits, &format!("a{ch}")));
    }
    table
}

/// Memory is proportional to the size of a table: twice as many sequences take twice as much.
#[test]
fn many_long_sequences() {
    let of = |count: u32| {
        let table = long_sequences(count);
        work::work_in(|| drop(table.clone().into_codec()))
    };
    let (half, all) = (of(10_000), of(20_000));
    assert!(all.peak <= 2 * half.peak + half.peak / 4, "{half:?}, {all:?}");
    assert!(all.allocations <= 2 * half.allocations + half.allocations / 4, "{half:?}, {all:?}");
    assert!(all.bytes <= 2 * half.bytes + half.bytes / 4, "{half:?}, {all:?}");

    let table = long_sequences(20_000);
    let codec = table.clone().into_codec();
    let last = table.sequences.last().unwrap();
    assert_eq!(decode_strictly(&codec, &last.bytes).as_deref(), Some(&*last.text));
    let mut encoder = codec.encoder().unwrap();
    for sequence in table.sequences.iter().cycle().take(100_000) {
        let mut buffer = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        encoder.reset();
        assert_eq!(encoder.feed(&sequence.text, &mut sink).stop, Stop::InputEmpty);
        assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
        assert_eq!(sink.as_bytes(), sequence.bytes);
    }
    // The same with much text.
    let encoded = whole(&job(table, false), "a\u{10000}aab".repeat(100_000).as_bytes());
    assert_eq!((encoded.output.len(), encoded.error), (33 * 100_000, None));
}

/// A single-byte table may also have characters beyond the Basic Multilingual Plane.
#[test]
fn single_bytes_for_characters_beyond_the_bmp() {
    let mut table = ascii();
    table.mappings.push(mapping(b"\x80", '\u{1F600}', Way::RoundTrip));
    table.mappings.push(mapping(b"\x81", '\u{10FFFF}', Way::ToText));
    table.mappings.push(mapping(b"?", '\u{1F601}', Way::BestFit));
    table.mappings.push(mapping(b"!", '\u{F0000}', Way::BestFit));
    let outcome = invariant(&job(table.clone(), true), b"a\x80\x81\x82!", "decoding");
    assert_eq!(outcome.text(), "a\u{1F600}\u{10FFFF}\\x82!");
    let input = "\u{1F600}\u{10FFFF}\u{1F601}\u{F0000}";
    let outcome = invariant(&job(table.clone(), false), input.as_bytes(), "encoding");
    assert_eq!(outcome.output, b"\x80\\u{10FFFF}\\u{1F601}!");
    let outcome = invariant(&job(table, false).best_fit(true), input.as_bytes(), "best fit");
    assert_eq!(outcome.output, b"\x80\\u{10FFFF}?!");
}

/// A page in charpipe's own format has the same limits as the other formats.
#[test]
fn a_chart_with_too_much_text_is_refused() {
    let page = |text: &str| {
        let ibm037 = include_str!("../../codecs/IBM037.txt");
        format!("{}\nboth\n41={text}\n", &ibm037[..ibm037.find("\nbest-fit").unwrap()])
    };
    let read = |text: &str| Table::read(page(text).as_bytes(), "x", &|_| None).map(drop).unwrap_err().to_string();
    let many = ["0061"; 19].join("+");
    assert!(!read(&many).contains("text"), "{}", read(&many));
    assert!(read(&(many + "+0062")).contains("at most 19 UTF-16 code units of text"));
}

/// The EBCDIC newlines are exchanged if they are separate characters, but not if they are bytes of a sequence.
#[test]
fn newline_bytes_inside_sequences_are_not_newlines() {
    let table = |second: &str| {
        let file = format!(
            "<uconv_class> MBCS\n<subchar> \\x6F\n<icu:state> 0-7f, 81-9f:1, a0-ff\n<icu:state> {second}\nCHARMAP\n\
             <U0020> \\x40 |0\n<U0041> \\xC1 |0\n<U0085> \\x15 |0\n<U000A> \\x25 |0\n<U4E00> \\x81\\x45 |0\n\
             END CHARMAP\n"
        );
        let mut registry = Registry::builtin();
        registry.register_table(Table::read(file.as_bytes(), "x-odd", &|_| None).unwrap()).unwrap();
        decode_strictly(&*registry.codec("x-odd,nl=zos").unwrap(), b"\x81\x45\x15\x25").unwrap()
    };
    assert_eq!(table("40-ff"), "一\n\u{85}");
    assert_eq!(table("0-ff"), "一\u{85}\n");
}

/// A page with another newline has a table too, which converts as its codec does.
#[test]
fn the_table_of_a_page_with_another_newline() {
    let registry = Registry::builtin();
    for label in ["IBM1047", "IBM037,nl=zos", "IBM1047,nl=fold", "IBM939,nl=fold", "IBM939,nl=zos", "OSD-EBCDIC-DF04-1"]
    {
        let Ok(codec) = registry.codec(label) else { continue };
        let table = codec.info().table().unwrap().into_owned();
        table.check().unwrap_or_else(|error| panic!("{label}: {error}"));
        let of_table = table.into_codec();
        for byte in 0..=255 {
            let read = |codec: &dyn Codec| decode_strictly(codec, &[byte]);
            assert_eq!(read(&of_table), read(&*codec), "{label} {byte:02X}");
        }
        for ch in ('\0'..='\u{2FFF}').map(String::from) {
            let written = |codec: &dyn Codec| {
                let mut buffer = [0; MIN_ROOM];
                let mut sink = ByteSink::new(&mut buffer);
                let stop = codec.encoder().unwrap().feed(&ch, &mut sink).stop;
                (stop, sink.as_bytes().to_vec())
            };
            assert_eq!(written(&of_table), written(&*codec), "{label} {ch:?}");
        }
    }
}
