//! Tests reading table files: every format, valid and invalid, and files of other projects if they are installed.

use charpipe::codec::table::limits::{MAX_BYTES, MAX_FILE, MAX_LINE, MAX_MAPPINGS, MAX_STATES, MAX_TEXT};
use charpipe::codec::table::{Cell, Mapping, Sequence, Table, TableShape, Way};
use charpipe::codec::{ByteSink, Codec, MIN_ROOM, Replacement, decode_strictly};
use charpipe::{Error, ErrorKind, Registry};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a table that does not build on another one.
fn read(file: &[u8], stem: &str) -> Result<Table, Error> {
    Table::read(file, stem, &|_| None)
}

/// Returns the files in a folder that have this extension, sorted by name.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths
}

/// Returns the mappings of a table, sorted: bytes, text, direction.
fn content(table: &Table) -> Vec<(Vec<u8>, String, Way)> {
    let of_mapping = |mapping: &Mapping| {
        let Mapping { code, ch, way } = *mapping;
        (code.bytes()[..code.len()].to_vec(), ch.to_string(), way)
    };
    let of_sequence = |sequence: &Sequence| (sequence.bytes.clone(), sequence.text.clone(), sequence.way);
    let mut all: Vec<_> =
        table.mappings.iter().map(of_mapping).chain(table.sequences.iter().map(of_sequence)).collect();
    all.sort();
    all
}

// --- Files of other projects ---------------------------------------------------------------------

/// Reads every `.ucm` in `../shared/ucm`, beside the checkout, and compares it line by line.
#[test]
fn every_line_of_every_ucm_is_read() {
    let paths = files(&root().join("../shared/ucm"), "ucm");
    if paths.is_empty() {
        crate::common::skipped("there are no source tables beside the checkout");
        return;
    }
    for path in paths {
        let file = fs::read(&path).unwrap();
        let table = read(&file, "x").unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let text = String::from_utf8_lossy(&file);
        let mut expected: Vec<_> = text.lines().filter(|line| line.starts_with("<U")).map(mapping_of_ucm).collect();
        expected.sort();
        assert!(content(&table) == expected, "{}", path.display());
        let class = text.lines().find(|line| line.contains("<uconv_class>")).unwrap();
        let shape = match class.split('"').nth(1) {
            Some("SBCS") => TableShape::Single,
            Some("DBCS") => TableShape::Double,
            _ => TableShape::Shifted,
        };
        assert_eq!(table.shape, shape, "{}", path.display());
        let name = text.lines().find(|line| line.contains("<code_set_name>")).unwrap();
        assert_eq!(Some(&*table.name), name.split('"').nth(1), "{}", path.display());
    }
}

/// Parses a mapping line in the simplest way, which is enough for these files.
fn mapping_of_ucm(line: &str) -> (Vec<u8>, String, Way) {
    let number = |digits: &str| u32::from_str_radix(digits, 16).unwrap();
    let text = line.split("<U").skip(1).map(|part| char::from_u32(number(part.split('>').next().unwrap())).unwrap());
    let bytes = line.split("\\x").skip(1).map(|part| number(&part[..2]) as u8);
    let way = match line.split('|').nth(1).unwrap().trim() {
        "0" => Way::RoundTrip,
        "1" => Way::BestFit,
        "2" => Way::Substitute1,
        "3" => Way::ToText,
        _ => Way::ToBytes,
    };
    (bytes.collect(), text.collect(), way)
}

/// Reads glibc's charmaps, if they are installed. If a charmap cannot be read, the error gives the reason.
#[test]
fn every_charmap_is_read_or_the_error_says_why() {
    let paths = files(Path::new("/usr/share/i18n/charmaps"), "gz");
    if paths.is_empty() {
        crate::common::skipped("no charmaps are installed");
        return;
    }
    let mut read_whole = 0;
    for path in &paths {
        let Ok(output) = Command::new("gzip").arg("-dc").arg(path).output() else {
            crate::common::skipped("there is no gzip");
            return;
        };
        let compressed = fs::read(path).unwrap();
        assert!(read(&compressed, "x").unwrap_err().to_string().contains("gunzip"), "{}", path.display());
        match read(&output.stdout, "x") {
            Ok(table) => {
                let mut expected = mappings_of_charmap(&String::from_utf8_lossy(&output.stdout));
                let mut found: Vec<_> = content(&table).into_iter().map(|(bytes, text, _)| (bytes, text)).collect();
                expected.sort();
                expected.dedup();
                found.sort();
                assert!(found == expected, "{}: {} mappings, expected {}", path.display(), found.len(), expected.len());
                read_whole += 1;
            }
            Err(error) => {
                let (line, _, expected) = place(&error);
                let reasons = ["CHARMAP before the mappings", "a code point such as", "one character for 00, not both"];
                assert!(
                    line > 0 && reasons.iter().any(|reason| expected.contains(reason)),
                    "{}: {error}",
                    path.display()
                );
            }
        }
    }
    assert!(read_whole * 20 > paths.len() * 17, "{read_whole} of {}", paths.len());
}

/// Returns the bytes and the text of each mapping in one of glibc's charmaps, parsed in the simplest way.
fn mappings_of_charmap(file: &str) -> Vec<(Vec<u8>, String)> {
    let lines = file.lines().map(|line| line.trim_start_matches("%IRREVERSIBLE%"));
    let lines =
        lines.skip_while(|line| !line.starts_with("CHARMAP")).take_while(|line| !line.starts_with("END CHARMAP"));
    let mut all = Vec::new();
    for line in lines.filter(|line| line.starts_with('<')) {
        let number = |digits: &str| u32::from_str_radix(digits, 16).unwrap();
        let points = |part: &str| -> Vec<u32> {
            let parts = part.split("<U").skip(1);
            parts.filter_map(|part| part.split_once('>')).map(|(digits, _)| number(digits)).collect()
        };
        let mut columns = line.split_whitespace();
        let names = columns.next().unwrap();
        let bytes = columns.next().unwrap();
        let code = bytes.split("/x").skip(1).fold(0, |code, digits| code << 8 | number(digits));
        let len = bytes.len() / 4;
        let mut add = |code: u32, text: &[u32]| {
            let text = text.iter().map(|point| char::from_u32(*point).unwrap()).collect();
            all.push((code.to_be_bytes()[4 - len..].to_vec(), text));
        };
        match names.split_once("..") {
            Some((first, last)) => {
                let (first, last) = (points(first)[0], points(last)[0]);
                (first..=last).for_each(|point| add(code + (point - first), &[point]));
            }
            None if names.starts_with("<U") => add(code, &points(names)),
            None => add(code, &points(columns.next().unwrap())),
        }
    }
    all
}

// --- Our own samples -----------------------------------------------------------------------------

fn sample_file(name: &str) -> Vec<u8> {
    fs::read(root().join("tests/data/tables").join(name)).unwrap()
}

/// Reads a sample. A table that it builds on is read from the other samples.
fn sample(name: &str) -> Table {
    let stem = name.split('.').next().unwrap();
    Table::read(&sample_file(name), stem, &|base| Some(sample(&format!("{base}.ucm"))))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Checks that a table holds exactly these mappings: bytes in hexadecimal, text, direction.
fn holds(table: &Table, expected: &[(&str, &str, Way)]) {
    let bytes =
        |hex: &str| -> Vec<u8> { hex.split(' ').map(|digits| u8::from_str_radix(digits, 16).unwrap()).collect() };
    let mut expected: Vec<_> = expected.iter().map(|(hex, text, way)| (bytes(hex), (*text).to_owned(), *way)).collect();
    expected.sort();
    assert_eq!(content(table), expected, "{}", table.name);
    assert!(table.check().is_ok(), "{}", table.name);
}

use Way::{BestFit, RoundTrip, Substitute1, ToBytes, ToText};

#[test]
fn a_ucm_of_single_bytes() {
    let table = sample("single.ucm");
    assert_eq!((&*table.name, &*table.source), ("X-SINGLE", "single"));
    assert_eq!(table.aliases, ["x-one", "x-uno"]);
    assert_eq!((&table.shape, &table.substitute[..], table.substitute1), (&TableShape::Single, &b"\x3F"[..], None));
    holds(
        &table,
        &[
            ("3F", "\u{1A}", RoundTrip),
            ("40", " ", RoundTrip),
            ("40", "\u{A0}", BestFit),
            ("C1", "A", RoundTrip),
            ("C2", "B", RoundTrip),
            ("C3", "\u{E000}", BestFit),
            ("C3", "C", RoundTrip),
            ("84", "d", ToBytes),
            ("84", "e", ToText),
            ("C1", "Ａ", BestFit),
        ],
    );
}

/// As in ICU's own tool, the later mapping wins, separately for each direction.
#[test]
fn a_ucm_without_flags() {
    let table = sample("plain-crlf.ucm");
    assert_eq!(table.substitute, b"\x1A");
    holds(&table, &[("41", "A", ToBytes), ("41", "C", RoundTrip), ("42", "B", ToText), ("43", "B", RoundTrip)]);
}

#[test]
fn a_ucm_with_states() {
    let table = sample("multi.ucm");
    assert_eq!((&table.substitute[..], table.substitute1), (&b"\x3F"[..], Some(0x7F)));
    holds(
        &table,
        &[
            ("3F", "?", RoundTrip),
            ("41", "A", RoundTrip),
            ("42", "B", RoundTrip),
            ("81 40", "À", RoundTrip),
            ("81 41", "Á", RoundTrip),
            ("80 40 40", "😀", RoundTrip),
            ("41 42", "A\u{300}", RoundTrip),
            ("81 42", "A\u{301}", RoundTrip),
            ("41 81 40", "Â", ToText),
            ("7F", "Ω", Substitute1),
            ("42 42 42 42 42", "Ω\u{301}\u{302}", RoundTrip),
            ("41 41", "Ã", RoundTrip),
        ]
        .map(|(hex, text, way)| (hex, if hex == "7F" { "\u{2126}" } else { text }, way)),
    );
    let TableShape::Multi(states) = &table.shape else { panic!("{:?}", table.shape) };
    assert_eq!(states.len(), 4);
    let row = |state: usize, byte: usize| states[state][byte];
    assert_eq!([row(0, 0x7F), row(0, 0x80), row(0, 0x81)], [Cell::End, Cell::Next(1), Cell::Next(2)]);
    // A byte that leads to a state without any legal byte is itself illegal.
    assert_eq!(row(0, 0xA0), Cell::Illegal);
    assert_eq!(
        [row(1, 0x40), row(2, 0x40), row(2, 0xFE), row(2, 0xFF)],
        [Cell::Next(3), Cell::End, Cell::End, Cell::Unassigned]
    );
    let codec = table.into_codec();
    assert_eq!(decode_strictly(&codec, b"A\x81\x40B\x41\x42\x42").as_deref(), Some("ÂBA\u{300}B"));
}

#[test]
fn a_ucm_of_a_mixed_page_and_one_that_builds_on_it() {
    let table = sample("mixed.ucm");
    assert_eq!(table.shape, TableShape::Shifted);
    let pairs = [
        ("40 40", "\u{3000}", RoundTrip),
        ("45 41", "一", RoundTrip),
        ("B3 41", "\u{2000B}", RoundTrip),
        ("EC B5 45 41", "か\u{309A}", RoundTrip),
    ];
    let singles = [("C1", "A", RoundTrip), ("3F", "\u{1A}", RoundTrip), ("3F", "\u{E}", Substitute1)];
    holds(&table, &[&pairs[..], &singles].concat());
    assert_eq!(decode_strictly(&table.into_codec(), b"\xC1\x0E\x45\x41\x0F\xC1").as_deref(), Some("A一A"));

    let table = sample("pairs-of-mixed.ucm");
    assert_eq!((&table.shape, &table.substitute[..], table.substitute1), (&TableShape::Double, &b"\xFE\xFE"[..], None));
    holds(&table, &[&pairs[..], &[("45 42", "丁", RoundTrip)]].concat());
}

#[test]
fn a_ucm_that_builds_on_another() {
    let (base, table) = (sample("single.ucm"), sample("delta.ucm"));
    assert_eq!((&*table.name, &table.substitute), ("X-DELTA", &base.substitute));
    let mut expected = content(&base);
    expected.push((vec![0xC4], "D".into(), RoundTrip));
    expected.sort();
    assert_eq!(content(&table), expected);
    let error = read(&sample_file("delta.ucm"), "delta").unwrap_err();
    assert_eq!(place(&error), (3, 1, "an <icu:base> that exists, which \"single\" does not"));
}

#[test]
fn a_charmap_file() {
    let table = sample("site.charmap");
    assert_eq!(&*table.name, "X-SITE");
    assert_eq!(table.aliases, ["SITE-1", "SITE-2"]);
    assert_eq!(table.substitute, b"\x1A");
    let text_of = |bytes: &[u8]| -> Option<String> {
        let found = content(&table).into_iter().find(|(found, _, way)| found == bytes && *way != ToBytes);
        found.map(|(_, text, _)| text)
    };
    let counted: Vec<_> = (0x30..0x3A).map(|byte| text_of(&[byte]).unwrap()).collect();
    assert_eq!(counted.concat(), "0123456789");
    for (bytes, text) in [
        (&b"\x0F"[..], "\u{F}"),
        (b"\x1A", "\u{1A}"),
        (b"\x41", "A"),
        (b"\x42", "C"),
        (b"\x43", "E"),
        (b"\x7E", "¬"),
        (b"\x81\xFE", "一"),
        (b"\x81\xFF", "丁"),
        (b"\x82\x00", "丂"),
        (b"\x8F\x81\x40", "\u{10000}"),
        (b"\xC1\x41", "A\u{301}"),
        (b"\xC1", "Á"),
    ] {
        assert_eq!(text_of(bytes).as_deref(), Some(text), "{bytes:02X?}");
    }
    let way = |bytes: &[u8]| content(&table).into_iter().find(|(found, ..)| found == bytes).unwrap().2;
    assert_eq!([way(b"\x41"), way(b"\x61"), way(b"\x44"), way(b"\x45")], [RoundTrip, ToText, RoundTrip, ToText]);
    assert!(matches!(&table.shape, TableShape::Multi(states) if states.len() == 3));
    let codec = table.into_codec();
    assert_eq!(decode_strictly(&codec, b"\xC1\x41\xC1\x81\xFEA").as_deref(), Some("A\u{301}Á一A"));
    assert_eq!(decode_strictly(&codec, b"\x8F\x82\x40"), None);
}

#[test]
fn files_in_columns() {
    let table = sample("columns.txt");
    assert_eq!(&*table.name, "columns");
    holds(
        &table,
        &[
            ("1A", "\u{1A}", RoundTrip),
            ("40", " ", RoundTrip),
            ("41", "A", RoundTrip),
            ("42", "A", ToText),
            ("43", "C\u{327}", RoundTrip),
            ("81 40", "\u{3000}", RoundTrip),
            ("81 41", "\u{3001}", RoundTrip),
        ],
    );
    let table = sample("index.txt");
    assert_eq!((&*table.name, &table.shape), ("index", &TableShape::Single));
    let codec = table.into_codec();
    assert_eq!(decode_strictly(&codec, b"a\x7F\x80\xA1\xFF").as_deref(), Some("a\u{7F}€Ą˙"));
    assert_eq!(decode_strictly(&codec, b"\x81"), None);
}

/// A page from `codecs/` is read like any other table file, and may build on others.
#[test]
fn a_charpipe_page() {
    let page = fs::read(root().join("codecs/IBM8482.txt")).unwrap();
    let charpipe_page = |name: &str| {
        let file = fs::read(root().join("codecs").join(format!("{name}.txt"))).ok()?;
        read(&file, name).ok()
    };
    let table = Table::read(&page, "x", &charpipe_page).unwrap();
    assert_eq!(&*table.name, "IBM8482");
    let mut latin1 = page.clone();
    latin1.extend(b"# \xE9\n");
    let error = Table::read(&latin1, "x", &charpipe_page).unwrap_err();
    let lines = page.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(place(&error), (lines + 1, 3, "text in UTF-8"));
}

#[test]
fn raw_tables() {
    // Each byte maps to itself, except that A and B are swapped, and 80 to FF map to a dot.
    let mut file: Vec<u8> = (0..=255).map(|byte: u8| if byte < 0x80 { byte } else { b'.' }).collect();
    (file[0x41], file[0x42]) = (b'B', b'A');
    let table = read(&file, "site").unwrap();
    assert_eq!((&*table.name, table.mappings.len()), ("site", 256));
    let way = |table: &Table, byte: u8| {
        table.mappings.iter().find(|found| found.code.number() == u32::from(byte)).unwrap().way
    };
    assert_eq!([way(&table, b'.'), way(&table, 0x80), way(&table, 0x41)], [RoundTrip, ToText, RoundTrip]);
    assert_eq!(decode_strictly(&table.into_codec(), b"AB.\xFF").as_deref(), Some("BA.."));

    // An EBCDIC page in which 00 to 3F map to a dot. The dot's own code is 4B.
    let ibm037 = Registry::builtin().codec("IBM037").unwrap();
    let of_ebcdic = |byte: u8| decode_strictly(&*ibm037, &[byte]).unwrap().chars().next().unwrap() as u32 as u8;
    let file: Vec<u8> = (0..=255).map(|byte| if byte < 0x40 { b'.' } else { of_ebcdic(byte) }).collect();
    let table = Table::read(&file, "site", &|name| (name == "IBM037").then(ibm037_table)).unwrap();
    assert_eq!([way(&table, 0x4B), way(&table, 0x00), way(&table, 0xC1)], [RoundTrip, ToText, RoundTrip]);

    // A raw table to another page. Bytes that map to unassigned codes of that page have no mapping.
    let half = Table::from_fn("X-HALF", "", |byte| (byte < 0x80).then_some(byte.to_ascii_lowercase().into()));
    let mut file: Vec<u8> = (0..=255).collect();
    file.rotate_left(0x80);
    let table = Table::read_to(&file, "site", &half, &|_| None).unwrap();
    assert_eq!(table.mappings.len(), 0x80);
    assert_eq!(decode_strictly(&table.into_codec(), b"\xC1").as_deref(), Some("a"));
    assert!(Table::read_to(&file[1..], "site", &half, &|_| None).is_err());

    // A table of 16-bit code points in either byte order, with and without a BOM.
    let unit = |byte: u16| match byte {
        0..0x80 => byte,
        0x80 => 0x20AC,
        0x81 => 0x41,
        0x82 => 0xFFFD,
        0x83 => 0,
        _ => 0x0400 + byte,
    };
    for bom in [&b""[..], b"\xFE\xFF", b"\xFF\xFE"] {
        let little = bom == b"\xFF\xFE";
        let units = (0..256).map(unit).flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() });
        let file: Vec<u8> = bom.iter().copied().chain(units).collect();
        let without = read(&file[bom.len()..], "site").unwrap();
        let table = read(&file, "site").unwrap();
        assert_eq!(table, without);
        assert_eq!((table.mappings.len(), way(&table, 0x81)), (254, ToText));
        assert_eq!(decode_strictly(&table.into_codec(), b"A\x80\x84").as_deref(), Some("A€\u{484}"));
    }
    let mut file = [&b"\xFE\xFF"[..], &[0; 512]].concat();
    (file[6], file[7]) = (0xD8, 1);
    assert_eq!(place(&read(&file, "site").unwrap_err()), (1, 7, "a code point that is not a surrogate, as D801 is"));
}

fn ibm037_table() -> Table {
    read(&fs::read(root().join("codecs/IBM037.txt")).unwrap(), "IBM037").unwrap()
}

// --- Errors --------------------------------------------------------------------------------------

/// Returns the line, the column, and what was expected there.
fn place(error: &Error) -> (usize, usize, &str) {
    match error.kind() {
        ErrorKind::Table { line, column, expected, .. } => (*line, *column, expected),
        kind => panic!("{kind:?}"),
    }
}

/// Checks that reading fails at this position, and that the description of what was expected begins with `expected`.
fn fails(file: &str, line: usize, column: usize, expected: &str) {
    let error = read(file.as_bytes(), "x").map(|_| ()).expect_err(file);
    let found = place(&error);
    assert_eq!((found.0, found.1), (line, column), "{file}: {error}");
    assert!(found.2.starts_with(expected), "{file}: {error}");
}

/// Returns a single-byte `.ucm` with these mappings, the first of which is in line 4.
fn ucm(mappings: &str) -> String {
    format!("<uconv_class> \"SBCS\"\n<subchar> \\x3F\nCHARMAP\n{mappings}\nEND CHARMAP\n")
}

/// Returns a `.ucm` with this head, which begins in line 1, and one mapping.
fn ucm_head(head: &str) -> String {
    format!("{head}\nCHARMAP\n<U0041> \\x41 |0\nEND CHARMAP\n")
}

#[test]
fn errors_in_a_ucm_have_a_position() {
    fails(&ucm("<U0041 \\x41 |0"), 4, 1, "a code point such as <U0041>");
    fails(&ucm("<U0041>+\\x41 |0"), 4, 9, "a code point such as <U0041>");
    fails(&ucm("  <U110000> \\x41 |0"), 4, 3, "a code point up to 10FFFF that is not a surrogate");
    fails(&ucm("<UDC00> \\x41 |0"), 4, 1, "a code point up to 10FFFF that is not a surrogate");
    fails(&ucm("<U0041> |0"), 4, 9, "bytes such as \\x41");
    fails(&ucm("<U0041> \\x4 |0"), 4, 9, "a byte of two hex digits");
    fails(&ucm("<U0041> \\x41+ |0"), 4, 14, "a byte of two hex digits");
    fails(&ucm("<U0041> \\x41 |5"), 4, 14, "a flag from |0 to |4");
    fails(&ucm("<U0041> \\x41 |12"), 4, 14, "a flag from |0 to |4");
    fails(&ucm("<U0041> \\x41 A |5"), 4, 16, "a flag from |0 to |4");
    fails(&ucm("<U0041> \\x41x42 |0"), 4, 13, "a blank, or a byte of two hex digits");
    fails(&ucm("<U0041> \\x41 + <U0042> |0"), 4, 16, "a flag from |0 to |4, a comment or the end of the line");
    fails(&ucm("<U0041> \\x41 \\x42 |0"), 4, 14, "a flag from |0 to |4, a comment or the end of the line");
    fails(
        &ucm("<U0041> \\x41 |0\n<U0042> \\x42"),
        5,
        13,
        "a flag from |0 to |4, because the earlier mappings have one",
    );
    fails(&ucm("<U0041> \\x41\n<U0042> \\x42 |0"), 5, 14, "no flag, because the earlier mappings have none");
    fails(&ucm("<U0041><U0042> \\x41"), 4, 20, "a flag from |0 to |4, which is required for several");
    fails(&ucm("<U0041><U0042> \\x41 |2"), 4, 21, "a flag other than |2");
    fails(&ucm("A \\x41 |0"), 4, 1, "a mapping such as <U0041> \\x41 |0, or END CHARMAP");
    fails(&ucm(""), 3, 1, "a mapping");
    fails(&(ucm("<U0041> \\x41 |0") + "more"), 6, 1, "CHARMAP or the end");
    fails("<uconv_class> \"SBCS\"\n<subchar> \\x3F\n", 3, 1, "CHARMAP");
    fails(&ucm_head("<uconv_class> \"SBCS"), 1, 20, "a closing > or quote");
    fails(&ucm_head("<uconv_class> \"SBCS\" x"), 1, 22, "the end of the line");
    fails(&ucm_head("<uconv_class> \"XBCS\""), 1, 16, "SBCS, DBCS, MBCS or EBCDIC_STATEFUL");
    fails(&ucm_head("<subchar> \\x3F"), 2, 1, "<uconv_class> before CHARMAP");
    fails(&ucm_head("<subchar> \\x1\n<uconv_class> SBCS"), 1, 11, "a byte of two hex digits");
    fails(&ucm_head("<subchar> \\x1A\\x1B\n<uconv_class> SBCS"), 1, 1, "a substitute that is one code of the table");
    let five = "<uconv_class> MBCS\n<subchar> \\x1A\\x1B\\x1C\\x1D\\x1E";
    fails(&ucm_head(five), 2, 11, "one to four bytes such as \\x1A");
    fails(&ucm_head("<uconv_class> SBCS\n<subchar1> \\x1A"), 2, 1, "no <subchar1>");
    fails(&ucm_head("<uconv_class> SBCS\n<mb_cur_max> 2"), 2, 1, "1, which the <uconv_class> implies");
    fails(&ucm_head("<uconv_class> DBCS"), 3, 9, "bytes that the table's states allow, which 41 are not");
    fails(&ucm_head("<uconv_class> MBCS"), 1, 1, "<icu:state> too, because MBCS implies no states");
}

/// A substitute has as many bytes as the longest code.
#[test]
fn a_substitute_of_four_bytes_in_a_ucm() {
    let states = "<icu:state> 0-80, 81-fe:1\n<icu:state> 30-39:2\n<icu:state> 81-fe:3\n<icu:state> 30-39\n";
    let file = format!(
        "<uconv_class> MBCS\n<mb_cur_max> 4\n<subchar> \\x84\\x31\\xA4\\x37\n{states}CHARMAP\n\
         <U0041> \\x41 |0\n<UFFFD> \\x84\\x31\\xA4\\x37 |0\nEND CHARMAP\n"
    );
    let table = read(file.as_bytes(), "x").unwrap_or_else(|error| panic!("{error}"));
    let codec = table.into_codec();
    assert_eq!(codec.info().table().unwrap().substitute, b"\x84\x31\xA4\x37");
}

/// After the bytes, only a flag matters, as in ICU's `makeconv`.
#[test]
fn text_after_the_bytes_in_a_ucm_is_skipped() {
    let lines = [
        "<U0041> \\x41 |0 LATIN CAPITAL LETTER A",
        "<U0041> \\x41 |0; (c) \\ <b>",
        "<U0041> \\x41|0|1",
        "<U0041> \\x41 LATIN CAPITAL LETTER A |0",
        "<U0041> \\x41 # \\x42 <U0042> |0",
        "<U0041> \\x41 A # a | b |0",
        "<U0041> \\x41 A # a | b",
        "<U0041> \\x41 LATIN CAPITAL LETTER A",
    ];
    for line in lines {
        let table = read(ucm(line).as_bytes(), "x").unwrap_or_else(|error| panic!("{line}: {error}"));
        holds(&table, &[("41", "A", Way::RoundTrip)]);
    }
    let table = read(ucm("<U0041> \\x41 A # a |3 b |0").as_bytes(), "x").unwrap();
    holds(&table, &[("41", "A", Way::ToText)]);
}

/// The shift codes of a mixed page are not characters, even if a table lists them.
#[test]
fn shift_codes_in_a_ucm_are_left_out() {
    let file = "<uconv_class> EBCDIC_STATEFUL\n<subchar> \\x6F\nCHARMAP\n<U000E> \\x0E |0\n<U000F> \\x0F |0\n\
                <U0041> \\xC1 |0\n<U4E00> \\x41\\x42 |0\nEND CHARMAP\n";
    let table = read(file.as_bytes(), "x").unwrap();
    holds(&table, &[("C1", "A", Way::RoundTrip), ("41 42", "一", Way::RoundTrip)]);
    assert_eq!(decode_strictly(&table.into_codec(), b"\x0E\x41\x42\x0F\xC1").as_deref(), Some("一A"));
}

/// The characters that are replaced with subchar1 are the same as in ICU: those that are listed with `|2` or, in a
/// table so simple that ICU keeps no list, those up to U+00FF.
#[test]
fn the_single_byte_substitute_of_a_ucm() {
    let written = |states: &str, mappings: &str| {
        let head = "<uconv_class> MBCS\n<subchar> \\x53\n<subchar1> \\x1A\n";
        let file = format!("{head}{states}\nCHARMAP\n<U0041> \\x41 |0\n{mappings}\nEND CHARMAP\n");
        let codec = read(file.as_bytes(), "x").unwrap_or_else(|error| panic!("{mappings}: {error}")).into_codec();
        let substitute = |ch: char| {
            let mut buffer = [0; MIN_ROOM];
            let mut sink = ByteSink::new(&mut buffer);
            assert!(codec.encoder().unwrap().encode_replacement(ch, Replacement::Substitute, &mut sink));
            sink.as_bytes()[0]
        };
        ['é', '\u{FF}', '\u{100}'].map(substitute)
    };
    for states in ["<icu:state> 0-7f, 81-9f:1\n<icu:state> 0-ff", "<icu:state> 0-ff"] {
        assert_eq!(written(states, ""), [0x1A, 0x1A, 0x53]);
        assert_eq!(written(states, "<U0042> \\x42 |3"), [0x1A, 0x1A, 0x53]);
        assert_eq!(written(states, "<U0100> \\x1A |2"), [0x53, 0x53, 0x1A]);
        for lists in [
            "<U0000> \\x00 |0",
            "<UFF22> \\x42 |4",
            "<U1FFF> \\x42 |1",
            "<U0042><U0300> \\x42 |0",
            "<U4E00> \\x41\\x41 |0",
        ] {
            assert_eq!(written(states, lists), [0x53; 3], "{lists}");
        }
    }
}

#[test]
fn errors_in_states_have_a_position() {
    let state = |rows: &str| {
        let rows: Vec<String> = rows.split('/').map(|row| format!("<icu:state> {row}")).collect();
        ucm_head(&format!("<uconv_class> MBCS\n{}", rows.join("\n")))
    };
    fails(&state("0-7f, 8g"), 2, 20, "a comma or the end of the row");
    fails(&state("0-7f,, 80"), 2, 18, "an entry such as");
    fails(&state("0-7f, "), 2, 18, "an entry such as");
    fails(&state("x"), 2, 13, "an entry such as");
    fails(&state("7f-0"), 2, 13, "a range from the lower byte to the higher");
    fails(&state("0-7f, 80:2/40"), 2, 19, "a next state up to 1");
    fails(&state("0-7f, 80:0"), 2, 19, "a dot, because a sequence begins in the next state");
    fails(&state("0-7f, 80:1/40:1."), 3, 13, "a next state in which a sequence begins");
    fails(&state("0-7f, a:0.s"), 2, 19, "no .s");
    fails(&state("0-7f, 80:1/40:2/40:1"), 2, 1, "states in which a sequence ends after at most four bytes");
    fails(&state("0-7f, 80:1/40:2/40:3/40:4/40"), 2, 1, "states in which a sequence ends after at most four bytes");
    fails(&state("0-7f, 80:1/40/initial, 40"), 4, 1, "`initial` only in the rows of states 0 and 1");
    fails(
        &state("0-ff, e:1.s, f:0.s/initial, e:1.s, f:0.s, 41-fe:2/30:1."),
        2,
        1,
        "the states that EBCDIC_STATEFUL implies",
    );
    fails(&state("0-40"), 4, 9, "bytes that the table's states allow, which 41 are not");
    fails(&state("0-40, 41.u"), 4, 9, "bytes other than 41, which are .u in the states");
    let several = state("0-40, 41.u").replace("<U0041> ", "<U0041><U0300> \\x40");
    fails(&several, 4, 16, "bytes other than 40 41, which are .u in the states");
    // If several entries of a row name a byte, the last one counts. Spaces are allowed anywhere.
    let good = state(" 0 - 7f , 41 : 0 . i , 41 . , 80 : 1 /surrogates, 40 - 7e . p");
    assert!(read(good.as_bytes(), "x").is_ok());
    let same = |rows: &str| read(state(rows).replace("41 |0", "41\\x41 |0").as_bytes(), "x").unwrap().shape;
    assert_eq!(same("0-3f:3, 40:2, 41-fe:1, ff:3/41-fe/40/"), TableShape::Double);
    assert_eq!(read(state("0-7f").as_bytes(), "x").unwrap().shape, TableShape::Single);
}

/// The error is reported at the later of the two mappings, and its message names both.
#[test]
fn a_table_that_contradicts_itself_is_refused() {
    let twice = "one character for 41, not both U+0041 (line 4) and U+0042";
    fails(&ucm("<U0041> \\x41 |0\n <U0042>  \\x41 |0"), 5, 11, twice);
    fails(&ucm("<U0041> \\x41 |0\n<U0042> \\x41 |3"), 5, 9, twice);
    fails(&ucm("<U0041> \\x41 |0\n<U0041> \\x42 |1"), 5, 9, "one code for U+0041, not both 41 (line 4) and 42");
    fails(&ucm("<U0041> \\x41 |0\n<U0041> \\x41 |0"), 5, 9, "41 only once: it is already U+0041 (line 4)");
    let several = "<U0041> \\x41 |0\n<U0041><U0300> \\x41 |0";
    fails(&ucm(several), 5, 16, "one character for 41, not both U+0041 (line 4) and U+0041 U+0300");
    fails(
        &ucm("<U0041> \\x41 |0\n<U0042> \\x42 |0\n<U0041> \\x42\\x42\\x42\\x42\\x42 |0"),
        6,
        9,
        "one code for U+0041",
    );
    // A round-trip mapping and a one-way mapping do not contradict each other.
    assert!(read(ucm("<U0041> \\x41 |0\n<U0042> \\x41 |1\n<U0041> \\x42 |3").as_bytes(), "x").is_ok());
    let charmap = "<escape_char> /\nCHARMAP\n<U0041> /x41\n<U0042>  /x41\nEND CHARMAP\n";
    fails(charmap, 4, 10, "one character for 41, not both U+0041 (line 3) and U+0042");
    fails("0x41 0x0041\n 0x41 0x0042\n", 2, 2, "one character for 41, not both U+0041 (line 1) and U+0042");
    let extension = ucm("<U0041> \\x41 |0") + "CHARMAP\n<U0042> \\x41 |0\nEND CHARMAP\n";
    fails(&extension, 7, 9, twice);
    let base = |_: &str| read(ucm("<U0041> \\x41 |0").as_bytes(), "x").ok();
    let delta = "<icu:base> \"x\"\nCHARMAP\n<U0042> \\x41 |0\nEND CHARMAP\n";
    let error = Table::read(delta.as_bytes(), "x", &base).unwrap_err();
    assert_eq!(place(&error), (3, 9, "one character for 41, not both U+0041 and U+0042"));
}

#[test]
fn errors_in_a_charmap_have_a_position() {
    let map = |mappings: &str| format!("<escape_char> /\n<comment_char> %\nCHARMAP\n{mappings}\nEND CHARMAP\n");
    fails(&map("<U0041> x41"), 4, 9, "1 bytes or more, such as /x41");
    fails(&map("<U0041> /x4"), 4, 9, "a byte such as /x41, /d065 or /101");
    fails(&map("<U0041> /d256"), 4, 9, "a byte such as");
    fails(&map("<NUL> /x00 NULL"), 4, 1, "a code point such as <U0041>: other names do not identify a character");
    fails(&map("<U0041"), 4, 1, "a name in angle brackets");
    fails(&map("<UD800> /x41"), 4, 3, "a code point up to 10FFFF that is not a surrogate");
    fails(&map("<U0041>..<U0040> /x41"), 4, 12, "the end of a range");
    fails(&map("<U0041>.<U0042> /x41"), 4, 8, "two dots and the last code point of a range");
    fails(&map("<U0039>...<U003A> /x41"), 4, 13, "decimal digits");
    fails(&map("<U0041>..<U0042> /xff"), 4, 18, "bytes that can be incremented up to the end of the range");
    fails(&map("<UD7FF>..<UE000> /x41/x41"), 4, 1, "a range without surrogates");
    fails(&map("A /x41"), 4, 1, "a mapping such as <U0041> /x41, or END CHARMAP");
    fails(&map(""), 1, 1, "a table with mappings");
    fails(&(map("<U0041> /x41") + "more"), 6, 1, "WIDTH or the end of the file");
    fails("<escape_char> //\nCHARMAP\n", 1, 15, "one character such as / or %");
    fails("<escape_char> /\n<mb_cur_min> 0\n", 2, 14, "a number from 1 to 31");
    fails("<escape_char> /\n<mb_cur_min> 2\nCHARMAP\n<U0041> /x41\n", 4, 9, "2 bytes or more, such as /x41");
    fails("<escape_char> /\n<include> X\n", 2, 1, "no <include>");
    fails("<escape_char> /\n<U0041> /x41\n", 2, 1, "CHARMAP before the mappings");
    fails("<escape_char> /\nCHARMAP\n<U0041> /x41\n", 4, 1, "END CHARMAP");
    let prefix =
        "no code that begins with 41, which is a character on its own (line 4), unless it consists of whole codes";
    fails(&map("<U0041> /x41\n<U0042> /x41/x42"), 5, 9, prefix);
    fails(&map("<U0041> /x41/x42/x43/x44/x45"), 4, 9, "one to four bytes, or several codes of the table");
}

#[test]
fn errors_in_columns_have_a_position() {
    fails("0x41 0x0041\n0x4 0x0042\n", 2, 3, "two hex digits for each byte");
    fails("0x41 41\n", 1, 6, "a code point such as 0x0041");
    fails("0x41 0x0041 A\n", 1, 13, "a comment or the end of the line");
    fails("0x41 0xD800\n", 1, 6, "a code point up to 10FFFF that is not a surrogate");
    fails("0x41 0x0041+\n", 1, 13, "a code point such as 0x0041");
    fails("0x41 0x0041\n66 0x0042\n", 2, 1, "bytes such as 0x41, as in the lines before");
    fails("1 0x0042\n0x41 0x0041\n", 2, 1, "a pointer, as in the lines before");
    fails("0 0x20AC\n 128 0x0042\n", 2, 2, "a pointer up to 127: multi-byte indexes are not supported");
    fails("# nothing\n0x41\n", 1, 1, "a table with mappings");
    fails("", 1, 1, "a table: a charpipe page");
    fails("nonsense\n", 1, 1, "name, alias");
    fails("\u{1F600}", 1, 1, "a table: a charpipe page");
}

#[test]
fn each_limit_has_its_own_error() {
    let long = format!("<uconv_class> SBCS\n#{}\n", "x".repeat(MAX_LINE));
    fails(&long, 2, MAX_LINE + 1, "the end of the line: a line may have at most 4096 bytes");
    let just = ucm(&format!("<U0041> \\x41 |0\n#{}", "x".repeat(MAX_LINE - 1)));
    assert!(read(just.as_bytes(), "x").is_ok());
    fails(&format!("#{}\n0x41 0x0041\n", "x".repeat(MAX_LINE)), 1, MAX_LINE + 1, "the end of the line");

    let mut large = ucm("<U0041> \\x41 |0").into_bytes();
    large.resize(MAX_FILE, b'\n');
    assert!(read(&large, "x").is_ok());
    large.push(b'\n');
    assert_eq!(place(&read(&large, "x").unwrap_err()), (1, 1, "a table of at most 33554432 bytes"));

    // The same range twice: the limit applies to all mappings that are kept while reading, even if they are repeated.
    let range = "<U00010000>..<U0010FFFF> /x81/x81/x81/x81\n";
    let map = format!("<escape_char> /\nCHARMAP\n{range}{range}END CHARMAP\n");
    fails(&map, 4, 1, "the end of the table: it may have at most 1200000 mappings");
    assert_eq!(MAX_MAPPINGS, 1_200_000);

    let rows = |count: usize| "<icu:state> 0-7f\n".repeat(count);
    assert!(read(ucm_head(&format!("<uconv_class> MBCS\n{}", rows(MAX_STATES))).as_bytes(), "x").is_ok());
    let many = ucm_head(&format!("<uconv_class> MBCS\n{}", rows(MAX_STATES + 1)));
    fails(&many, MAX_STATES + 2, 1, "CHARMAP: at most 256 states are allowed");

    let bytes = |count: usize| ucm(&format!("<U0041> {} |0", "\\x41".repeat(count)));
    assert!(read(bytes(MAX_BYTES).as_bytes(), "x").is_ok());
    fails(&bytes(MAX_BYTES + 1), 4, 9 + 4 * MAX_BYTES, "at most 31 bytes");
    let text = |count: usize, point: &str| ucm(&format!("{} \\x41 |0", point.repeat(count)));
    let table = read(text(MAX_TEXT, "<UFF21>").as_bytes(), "x").unwrap();
    assert_eq!(table.sequences[0].text.len(), 57);
    fails(&text(MAX_TEXT + 1, "<UFF21>"), 4, 1 + 7 * MAX_TEXT, "bytes: a mapping has at most 19 UTF-16 code units");
    fails(&text(10, "<U1F600>"), 4, 73, "bytes: a mapping has at most 19 UTF-16 code units");
}

/// The limit also applies to states that are derived from the mappings. In this table, each lead byte has different
/// trail bytes.
#[test]
fn a_charmap_of_too_many_states_is_refused() {
    // The second byte alone does not determine the length of a code, so no two lead bytes can share a state.
    let mut map = String::from("<escape_char> /\nCHARMAP\n");
    let mut point = 0x10000;
    for lead in 0..=255 {
        for second in [lead, 255 - lead] {
            for third in 0..2 {
                let third = (lead ^ third) & 0xFF;
                map += &format!("<U{point:08X}> /x{lead:02x}/x{second:02x}/x{third:02x}\n");
                point += 1;
            }
        }
        let short = (lead + 1) % 256;
        if short != 255 - lead {
            map += &format!("<U{point:08X}> /x{lead:02x}/x{short:02x}\n");
            point += 1;
        }
    }
    map += "END CHARMAP\n";
    let error = read(map.as_bytes(), "x").unwrap_err();
    assert!(place(&error).2.starts_with("bytes that 256 states can tell apart"), "{error}");
}

// --- Any input -----------------------------------------------------------------------------------

/// Fragments of table files.
const PIECES: &[&str] = &[
    "<code_set_name> \"X\"\n",
    "<uconv_class> \"SBCS\"\n",
    "<uconv_class> \"MBCS\"\n",
    "<uconv_class> \"DBCS\"\n",
    "<uconv_class> \"EBCDIC_STATEFUL\"\n",
    "<icu:state> 0-7f, 80:1\n",
    "<icu:state> 40-7e\n",
    "<icu:base> \"x\"\n",
    "<icu:state> initial, 0-ff:4, e:1.s, f:0.s\n",
    "<subchar> \\x3F\n",
    "<subchar1> \\x3F\n",
    "<mb_cur_max> 2\n",
    "<escape_char> /\n",
    "<comment_char> %\n",
    "CHARMAP\n",
    "END CHARMAP\n",
    "<U0041> \\x41 |0\n",
    "<U0042> \\x41 |1\n",
    "<U0041><U0300> \\x41\\x42 |3\n",
    "<U0041> /x41\n",
    "<U0041>..<U0050> /x80/xff\n",
    "%IRREVERSIBLE%<U41> /x41\n",
    "<U0010>...<U0020> /x10\n",
    "WIDTH\n",
    "0x41\t0x0041\n",
    "0x8140\t<LR>+0x3000+0x0300\n",
    "12 0x20AC\n",
    "# x\n",
    "name X\n",
    "substitute 6F\n",
    "chart\n",
    "\r",
    "|",
    "+",
    "<U",
    "\\x",
    ">",
    "-",
    ":",
    ".",
    "0",
    " ",
    "\u{FEFF}",
];

proptest! {
    #[test]
    fn no_file_makes_the_reader_panic(pieces in vec(select(PIECES), 0..40), cut in any::<usize>(), byte in any::<u8>()) {
        let mut file = pieces.concat().into_bytes();
        check(&file)?;
        if !file.is_empty() {
            let at = cut % file.len();
            file[at] = byte;
            check(&file)?;
            file.truncate(at);
            check(&file)?;
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(file in vec(any::<u8>(), 0..600), len in select(&[256, 512, 514, 700][..])) {
        let mut file = file;
        file.resize(len, 0);
        check(&file)?;
    }
}

/// Checks that a table that can be read is valid, usable and within the limits, and that any other has an error with a
/// position.
fn check(file: &[u8]) -> Result<(), TestCaseError> {
    let base = |_: &str| Some(sample("mixed.ucm"));
    match Table::read(file, "x", &base) {
        Ok(table) => {
            prop_assert!(table.check().is_ok());
            for sequence in &table.sequences {
                prop_assert!(sequence.bytes.len() <= MAX_BYTES && sequence.text.len() <= 3 * MAX_TEXT);
            }
            let codec = table.into_codec();
            let _ = decode_strictly(&codec, b"A\x0E\x41\x41\x0F\x80\xFF");
            prop_assert!(codec.encoder().is_some());
        }
        Err(error) => {
            let (line, column, _) = place(&error);
            prop_assert!(line > 0 && column > 0 && column <= MAX_LINE + 1, "{error}");
        }
    }
    Ok(())
}
