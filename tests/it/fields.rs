//! Tests reading and writing the fields of records with a layout.

use crate::common::layouts::with;
use charpipe::fields::{
    BinaryRange, Copybook, FieldError, FieldKind, Float, FloatFormat, Item, Layout, Occurs, OnBad, Packed, ReadOptions,
    Reader, Row, Test, Text, Value, ValueSource, Visitor, When, Writer, Zoned,
};
use charpipe::{OnOverlong, Registry};
use std::ops::Range;

/// Collects what a reader delivers: a line for the structure, and the values by column.
#[derive(Default)]
struct Seen {
    events: String,
    values: Vec<Option<String>>,
}

impl Visitor for Seen {
    type Error = FieldError;

    fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        self.values.resize(self.values.len().max(column + 1), None);
        self.values[column] = match value {
            Value::Null => None,
            value => Some(value.to_string()),
        };
        self.events += &format!("{column}={value} ");
        Ok(())
    }

    fn begin_group(&mut self, item: usize) -> Result<(), FieldError> {
        self.events += &format!("{item}{{ ");
        Ok(())
    }

    fn end_group(&mut self, _item: usize) -> Result<(), FieldError> {
        self.events += "} ";
        Ok(())
    }

    fn begin_array(&mut self, item: usize, count: usize) -> Result<(), FieldError> {
        self.events += &format!("{item}*{count}[ ");
        Ok(())
    }

    fn end_array(&mut self, _item: usize) -> Result<(), FieldError> {
        self.events += "] ";
        Ok(())
    }

    fn begin_element(&mut self, _item: usize) -> Result<(), FieldError> {
        self.events += "( ";
        Ok(())
    }

    fn end_element(&mut self, _item: usize) -> Result<(), FieldError> {
        self.events += ") ";
        Ok(())
    }
}

/// Collects the path and the place of each field.
struct Places<'a> {
    layout: &'a Layout,
    /// The occurrences of the arrays that the reader is in, from 1.
    at: Vec<usize>,
    seen: Vec<(String, Range<usize>)>,
}

impl Visitor for Places<'_> {
    type Error = FieldError;

    fn place(&mut self, item: usize, _column: usize, place: Range<usize>) -> Result<(), FieldError> {
        if self.layout.items()[item].occurs.is_some() {
            self.begin_element(item)?;
        }
        let at: Vec<usize> = self.at.iter().map(|occurrence| occurrence - 1).collect();
        self.seen.push((self.layout.path_at(item, &at), place));
        Ok(())
    }

    fn value(&mut self, _item: usize, _column: usize, _value: Value<'_>) -> Result<(), FieldError> {
        Ok(())
    }

    fn begin_array(&mut self, _item: usize, _count: usize) -> Result<(), FieldError> {
        self.at.push(0);
        Ok(())
    }

    fn begin_element(&mut self, _item: usize) -> Result<(), FieldError> {
        *self.at.last_mut().unwrap() += 1;
        Ok(())
    }

    fn end_array(&mut self, _item: usize) -> Result<(), FieldError> {
        self.at.pop();
        Ok(())
    }
}

/// Gives back the values that were seen.
impl ValueSource for Seen {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        self.values.get(column)?.as_deref().map(Value::Text)
    }
}

fn reader(layout: &Layout, page: &str, options: &ReadOptions) -> Reader {
    let registry = Registry::builtin();
    layout.reader(&registry, &registry.codec(page).unwrap(), options).unwrap()
}

fn writer(layout: &Layout, page: &str) -> Writer {
    let registry = Registry::builtin();
    layout.writer(&registry, &registry.codec(page).unwrap()).unwrap()
}

fn read(layout: &Layout, record: &[u8]) -> Result<(Seen, Row), FieldError> {
    let mut seen = Seen::default();
    let row = reader(layout, "IBM037", &ReadOptions::new()).read(1, record, &mut seen)?;
    Ok((seen, row))
}

fn paths(layout: &Layout) -> Vec<String> {
    let columns = reader(layout, "IBM037", &ReadOptions::new()).columns().unwrap();
    columns.into_iter().map(|column| column.path).collect()
}

/// Reads the record, with `FILLER`s, and writes it back.
fn back(layout: &Layout, record: &[u8]) -> Vec<u8> {
    let mut seen = Seen::default();
    reader(layout, "IBM037", &ReadOptions::new().fillers(true)).read(1, record, &mut seen).unwrap();
    let mut written = Vec::new();
    writer(layout, "IBM037").write(1, &mut seen, &mut written).unwrap();
    written
}

fn text(level: u8, name: &str, len: usize) -> Item {
    Item::field(level, name, FieldKind::text(len))
}

fn digits(level: u8, name: &str, digits: u8) -> Item {
    Item::field(level, name, FieldKind::Zoned(Zoned::unsigned(digits, 0)))
}

/// Arrays whose counts vary, in one another, with more fields after them.
#[test]
fn what_follows_an_array_moves() {
    let layout = Layout::new(vec![
        Item::group(1, "R"),
        digits(5, "M", 1),
        Item::group(5, "A").occurring(Occurs::depending_on(0, 3, "M")),
        digits(10, "N", 1),
        text(10, "B", 1).occurring(Occurs::depending_on(0, 2, "N")),
        text(10, "C", 1),
        text(5, "D", 2),
    ])
    .unwrap();
    assert_eq!((layout.min_len(), layout.max_len()), (3, 15));
    assert_eq!(layout.offset(layout.find("D").unwrap()), None);
    let expected = ["M", "A[1].N", "A[1].B[1]", "A[1].B[2]", "A[1].C", "A[2].N", "A[2].B[1]", "A[2].B[2]", "A[2].C"];
    assert_eq!(paths(&layout)[..9], expected);
    assert_eq!(paths(&layout).last().unwrap(), "D");
    // M is 2; N is 2, and then 0.
    let record = b"\xF2\xF2\xC1\xC2\xC3\xF0\xC4\xC5\xC6";
    let (seen, row) = read(&layout, record).unwrap();
    assert_eq!(seen.events, "0=2 2*2[ ( 1=2 4*2[ 2=A 3=B ] 4=C ) ( 5=0 4*0[ ] 8=D ) ] 13=EF ");
    assert_eq!((row.len, row.record_type), (record.len(), None));
    assert_eq!(back(&layout, record), record);
    assert_eq!(back(&layout, b"\xF0\xC5\xC6"), b"\xF0\xC5\xC6");
    // The places of the fields, and their paths, which are those of the columns.
    let mut places = Places { layout: &layout, at: Vec::new(), seen: Vec::new() };
    reader(&layout, "IBM037", &ReadOptions::new()).read(1, record, &mut places).unwrap();
    let seen: Vec<String> = places.seen.iter().map(|(path, place)| format!("{path} {place:?}")).collect();
    assert_eq!(
        seen,
        [
            "M 0..1",
            "A[1].N 1..2",
            "A[1].B[1] 2..3",
            "A[1].B[2] 3..4",
            "A[1].C 4..5",
            "A[2].N 5..6",
            "A[2].C 6..7",
            "D 7..9"
        ]
    );
    // In a record that is too short, the place ends after the record.
    let mut places = Places { layout: &layout, at: Vec::new(), seen: Vec::new() };
    let options = ReadOptions::new().on_bad(OnBad::Null);
    reader(&layout, "IBM037", &options).read(1, b"\xF0\xC5", &mut places).unwrap();
    assert_eq!(places.seen.last(), Some(&("D".to_owned(), 1..3)));
    // A count that is out of bounds; one that is not a number; a record that ends too early.
    let error = read(&layout, b"\xF4\xC5\xC6").err().unwrap();
    assert_eq!(error.to_string(), "record 1, field M, column 1: F4 is the count 4, but A occurs 0 to 3 times");
    assert_eq!(read(&layout, b"\xC1\xC5\xC6").err().unwrap().code(), "bad-count");
    assert_eq!(read(&layout, b"\x40\xC5\xC6").err().unwrap().code(), "bad-number");
    let error = read(&layout, b"\xF1\xF1\xC1").err().unwrap();
    assert_eq!(
        error.to_string(),
        "record 1, field A[1].C, column 4: the record has 3 bytes, but this field ends at byte 4"
    );
    assert_eq!(read(&layout, b"").err().unwrap().code(), "record-too-short");
}

/// A record type decides which alternative applies.
#[test]
fn record_types() {
    let layout = Layout::new(vec![
        Item::group(1, "R"),
        text(5, "TYPE", 1),
        text(5, "DATA", 6),
        Item::group(5, "PERSON").redefining("DATA"),
        text(10, "NAME", 6),
        Item::group(5, "AMOUNTS").redefining("DATA"),
        Item::field(10, "AMOUNT", FieldKind::Packed(Packed::new(3, 1))).occurring(Occurs::times(2)),
        Item::filler(10, Some(FieldKind::text(2))),
        text(5, "END", 1),
    ])
    .unwrap();
    let person = layout.find("PERSON").unwrap();
    let layout = layout.apply(&"TYPE=P: PERSON".parse().unwrap()).unwrap();
    let layout = layout.apply(&"1=C1,C2: AMOUNTS".parse().unwrap()).unwrap();
    assert_eq!(paths(&layout), ["TYPE", "PERSON.NAME", "AMOUNTS.AMOUNT[1]", "AMOUNTS.AMOUNT[2]", "END"]);

    let first = b"\xD7\xD1\x96\x85\x40\x40\x40\x5B";
    let (seen, row) = read(&layout, first).unwrap();
    assert_eq!(seen.events, "0=P 3{ 1=Joe } 4=$ ");
    assert_eq!((row.record_type, row.len), (Some(person), 8));
    assert_eq!(back(&layout, first), first);
    let second = b"\xC2\x12\x3C\x45\x6D\xC1\xC2\x5B";
    let (seen, _) = read(&layout, second).unwrap();
    assert_eq!(seen.events, "0=B 5{ 6*2[ 2=12.3 3=-45.6 ] } 4=$ ");
    assert_eq!(back(&layout, second), second);
    let error = read(&layout, b"\xE7\x12\x3C\x45\x6D\xC1\xC2\x5B").err().unwrap();
    assert_eq!(
        error.to_string(),
        "record 1, field DATA, column 1: E7: no record type matches; expected TYPE=P, or 1=C1,C2"
    );
    let mut reader = reader(&layout, "IBM037", &ReadOptions::new());
    assert_eq!(
        (reader.record_type(first), reader.record_type(b"\xE7"), reader.record_type(b"")),
        (Some(person), None, None)
    );
    assert_eq!(reader.columns().unwrap()[1].types, [person]);

    // A value for another type is lost if it is written, so it is an error.
    let values =
        [Some(Value::Text("P")), Some(Value::Text("Joe")), Some(Value::Text("1")), None, None, Some(Value::Text("$"))];
    let error = writer(&layout, "IBM037").write(1, &mut &values[..], &mut Vec::new()).unwrap_err();
    assert_eq!((error.path(), error.code()), ("AMOUNTS.AMOUNT[1]", "does-not-fit"));

    // The record ends where the alternative ends, if nothing follows it.
    let layout = Layout::new(vec![
        text(5, "TYPE", 1),
        text(5, "LONG", 6).applying(When::field("TYPE", "L")),
        text(5, "SHORT", 2).redefining("LONG").applying(When::OTHERWISE),
    ])
    .unwrap();
    for record in [&b"\xD3\xC1\xC2\xC3\xC4\xC5\xC6"[..], b"\xE2\xC1\xC2"] {
        let (_, row) = read(&layout, record).unwrap();
        assert_eq!(row.len, record.len());
        assert_eq!(back(&layout, record), record);
    }
}

/// Without conditions all alternatives are read, and must agree when they are written.
#[test]
fn redefinitions_without_conditions() {
    let layout = Layout::new(vec![
        text(5, "DATE", 6),
        Item::group(5, "PARTS").redefining("DATE"),
        digits(10, "YEAR", 4),
        digits(10, "MONTH", 2),
        text(5, "REST", 1),
    ])
    .unwrap();
    let record = b"\xF2\xF0\xF2\xF6\xF1\xF1\x5B";
    let (mut seen, _) = read(&layout, record).unwrap();
    assert_eq!(seen.events, "0=202611 1{ 1=2026 2=11 } 3=$ ");
    let mut written = Vec::new();
    let mut writer = writer(&layout, "IBM037");
    writer.write(1, &mut seen, &mut written).unwrap();
    assert_eq!(written, record);
    // One of them is enough.
    seen.values[0] = None;
    writer.write(1, &mut seen, &mut written).unwrap();
    assert_eq!(written, record);
    (seen.values[0], seen.values[1], seen.values[2]) = (Some("202611".into()), None, None);
    writer.write(1, &mut seen, &mut written).unwrap();
    assert_eq!(written, record);
    seen.values[2] = Some("12".into());
    let error = writer.write(1, &mut seen, &mut written).unwrap_err();
    assert_eq!((error.path(), error.code()), ("PARTS.MONTH", "conflict"));
    (seen.values[0], seen.values[1]) = (None, None);
    let error = writer.write(1, &mut seen, &mut written).unwrap_err();
    assert_eq!((error.path(), error.code()), ("PARTS.YEAR", "missing-value"));
}

#[test]
fn bad_fields() {
    let layout = Layout::new(vec![
        Item::field(5, "PACKED", FieldKind::Packed(Packed::new(3, 0))),
        Item::field(5, "ZONED", FieldKind::Zoned(Zoned::new(2, 0))),
        text(5, "TEXT", 2),
    ])
    .unwrap();
    let run = |options: ReadOptions, record: &[u8]| {
        let mut seen = Seen::default();
        let row = reader(&layout, "IBM875", &options).read(7, record, &mut seen);
        (seen.events, row.map(|row| row.bad).map_err(|error| error.to_string()))
    };
    let bad = b"\x40\x40\xF1\x41\xE1\xFF";
    let expected = "record 7, field PACKED, columns 1-2: 40 40 is not a number; expected a digit in each half byte, and a \
                    sign from A to F in the last one";
    assert_eq!(run(ReadOptions::new(), bad), (String::new(), Err(expected.into())));
    assert_eq!(run(ReadOptions::new().on_bad(OnBad::Null), bad), ("0= 1= 2= ".into(), Ok(3)));
    assert_eq!(run(ReadOptions::new().on_bad(OnBad::Raw), bad), ("0=4040 1=F141 2=E1FF ".into(), Ok(3)));
    // Spaces and low-values are counted as well.
    let empty = ReadOptions::new().empty_is_null(true);
    assert_eq!(run(empty.clone(), b"\x40\x40\0\0\0\0"), ("0= 1= 2= ".into(), Ok(3)));
    assert_eq!(run(empty.clone(), b"\0\0\x40\x40\0\x40"), ("0= 1= 2=\0 ".into(), Ok(2)));
    assert!(run(empty, b"\0\x40\x40\x40\0\x40").1.is_err());
    // Signs that would not be written back unchanged.
    let canonical = ReadOptions::new().canonical(true);
    assert_eq!(run(canonical.clone(), b"\x12\x3C\xF1\xD1\xC1\x40").1, Ok(0));
    let error = run(canonical.clone(), b"\x12\x3A\xF1\xD1\xC1\x40").1.unwrap_err();
    assert_eq!(error, "record 7, field PACKED, columns 1-2: 12 3A would be written back as 12 3C");
    assert_eq!(run(canonical.on_bad(OnBad::Raw), b"\x12\x3F\xF1\xF1\xC1\x40"), ("0=123F 1=F1F1 2=A ".into(), Ok(2)));
    // A record that is too short.
    assert_eq!(run(ReadOptions::new().on_bad(OnBad::Null), b"\x12\x3C\xF1"), ("0=123 1= 2= ".into(), Ok(2)));
}

/// A binary field takes what its bytes hold, or what its picture says, and nothing is cut.
#[test]
fn the_range_of_binary_fields() {
    let layout = Copybook::new().read(b"01 R.\n 05 N PIC S9(4) COMP.\n").unwrap();
    for (number, is_in_bytes, is_in_picture) in
        [("9999", true, true), ("-10000", true, false), ("32767", true, false), ("32768", false, false)]
    {
        for (range, fits) in [(BinaryRange::Full, is_in_bytes), (BinaryRange::Picture, is_in_picture)] {
            let mut values = Seen { values: vec![Some(number.to_owned())], ..Seen::default() };
            let mut record = Vec::new();
            let written = writer(&layout, "IBM037").binary_range(range).write(1, &mut values, &mut record);
            let code = written.err().map(|error| error.code());
            assert_eq!(code, (!fits).then_some("does-not-fit"), "{number} {range}");
            if fits {
                assert_eq!(record, number.parse::<i16>().unwrap().to_be_bytes());
            }
        }
    }
}

/// A message has at most 40 bytes of a field; the error has all of them.
#[test]
fn long_fields_in_messages() {
    for len in [40, 41, 1000] {
        let (layout, more) = (Layout::new(vec![text(5, "A", len)]).unwrap(), if len > 40 { "…" } else { "" });
        let record = vec![0xE1; len];
        let mut reader = reader(&layout, "IBM875", &ReadOptions::new());
        let error = reader.read(1, &record, &mut Seen::default()).unwrap_err();
        assert_eq!(error.bytes(), record);
        let bytes = format!("{}E1{more} is not valid", "E1 ".repeat(39));
        assert!(error.message().starts_with(&bytes), "{error}");
        assert!(error.to_string().starts_with(&format!("record 1, field A, columns 1-{len}: {bytes}")), "{error}");

        let layout = Layout::new(vec![digits(5, "N", 9)]).unwrap();
        let mut values = Seen { values: vec![Some("9".repeat(len))], ..Seen::default() };
        let error = writer(&layout, "IBM037").write(1, &mut values, &mut Vec::new()).unwrap_err();
        assert_eq!(error.message().split_once(' ').unwrap().0, format!("{:?}{more}", "9".repeat(40)));
    }
}

#[test]
fn text_of_every_kind() {
    let graphic =
        |page: Option<&str>| FieldKind::Text(with(Text::graphic(6), |text| text.page = page.map(str::to_owned)));
    let national = FieldKind::Text(Text::national(6));
    let layout = Layout::new(vec![
        text(5, "MIXED", 8),
        Item::field(5, "GRAPHIC", graphic(None)),
        Item::field(5, "PURE", graphic(Some("IBM300"))),
        Item::field(5, "NATIONAL", national),
        Item::field(5, "LATIN", FieldKind::Text(with(Text::new(3), |text| text.page = Some("IBM037".into())))),
    ])
    .unwrap();
    let record = b"\xC1\x0E\x45\x66\x0F\x40\x40\x40\x45\x66\x45\x66\x40\x40\x45\x66\x40\x40\x40\x40\x67\x2C\0\x20\0\x20\xC1\x51\x40";
    let mut seen = Seen::default();
    reader(&layout, "IBM939", &ReadOptions::new()).read(1, record, &mut seen).unwrap();
    assert_eq!(seen.events, "0=A本 1=本本 2=本 3=本 4=Aé ");
    let mut written = Vec::new();
    writer(&layout, "IBM939").write(1, &mut seen, &mut written).unwrap();
    assert_eq!(written, record);
    let mut fails = |column: usize, value: &str| {
        let mut seen = Seen { values: seen.values.clone(), ..Seen::default() };
        seen.values[column] = Some(value.into());
        writer(&layout, "IBM939").write(1, &mut seen, &mut written).unwrap_err().to_string()
    };
    assert_eq!(
        fails(0, "本本本本"),
        "record 1, field MIXED, column 1: \"本本本本\" does not fit; expected text of at most 8 bytes in IBM939"
    );
    assert_eq!(
        fails(1, "A"),
        "record 1, field GRAPHIC, column 9: U+0041 'A' is not in the double-byte characters of IBM939"
    );
    assert_eq!(fails(4, "€"), "record 1, field LATIN, column 27: U+20AC '€' is not in IBM037");
    let registry = Registry::builtin();
    let error = layout.reader(&registry, &registry.codec("IBM037").unwrap(), &ReadOptions::new()).unwrap_err();
    assert!(error.to_string().starts_with("GRAPHIC: IBM037 has no double-byte characters"), "{error}");
}

#[test]
fn selection() {
    let layout = Layout::new(vec![
        Item::group(1, "R"),
        digits(5, "N", 1),
        Item::group(5, "A").occurring(Occurs::depending_on(0, 3, "N")),
        text(10, "X", 1),
        text(10, "Y", 1),
        Item::group(5, "B"),
        text(10, "X", 1),
        Item::filler(10, Some(FieldKind::text(1))),
        text(10, "Z", 1),
    ])
    .unwrap();
    let record = b"\xF2\xC1\xC2\xC3\xC4\xC5\xC6\xC7";
    let run = |names: &[&str]| {
        let mut seen = Seen::default();
        let mut reader = reader(&layout, "IBM037", &ReadOptions::new().select(names.iter().copied()));
        reader.read(1, record, &mut seen).unwrap();
        (reader.columns().unwrap().into_iter().map(|column| column.path).collect::<Vec<_>>().join(" "), seen.events)
    };
    assert_eq!(run(&["Z"]), ("B.Z".into(), "5{ 0=G } ".into()));
    assert_eq!(run(&["A.Y", "N"]), ("N A[1].Y A[2].Y A[3].Y".into(), "0=2 2*2[ ( 1=B ) ( 2=D ) ] ".into()));
    assert_eq!(run(&["b"]), ("B.X B.Z".into(), "5{ 0=E 1=G } ".into()));
    let registry = Registry::builtin();
    let bad = |name: &str| {
        let options = ReadOptions::new().select([name]);
        layout.reader(&registry, &registry.codec("IBM037").unwrap(), &options).unwrap_err().to_string()
    };
    assert_eq!(bad("X"), "X is ambiguous; name a group as well: A.X or B.X");
    for empty in ["", " "] {
        assert_eq!(bad(empty), "the name of a field is empty");
    }
    assert_eq!(bad("B.Q"), "there is no B.Q; did you mean B.X or B.Z?");
}

#[test]
fn invalid_layouts() {
    let wrong = |items: Vec<Item>| Layout::new(items).unwrap_err().to_string();
    assert_eq!(wrong(vec![]), "the layout has no fields");
    assert_eq!(wrong(vec![Item::group(1, "A")]), "A has neither a picture nor subordinate items");
    assert_eq!(
        wrong(vec![text(1, "A", 1), text(2, "B", 1)]),
        "A is a field, but the items after it have higher levels"
    );
    assert_eq!(wrong(vec![text(50, "A", 1)]), "the level 50 is not between 1 and 49");
    assert_eq!(wrong(vec![text(1, "A", 0)]), "A: the length is 0");
    assert_eq!(wrong(vec![digits(1, "A", 39)]), "A: a number has 1 to 38 digits, not 39");
    assert_eq!(
        wrong(vec![text(1, "A", 1), text(1, "B", 1), text(1, "C", 1).redefining("A")]),
        "C REDEFINES A: B is between them; a redefinition must directly follow the item"
    );
    assert_eq!(
        wrong(vec![text(1, "C", 1).redefining("A")]),
        "C REDEFINES A: there is no A before it in the same group"
    );
    let counted = |field: &str| text(1, "B", 1).occurring(Occurs::depending_on(1, 2, field));
    assert_eq!(wrong(vec![counted("N"), digits(1, "N", 1)]), "B OCCURS DEPENDING ON N: there is no N before it");
    assert_eq!(wrong(vec![text(1, "N", 1), counted("N")]), "B OCCURS DEPENDING ON N: N is not an integer");
    assert_eq!(wrong(vec![text(1, "A", 1).applying(When::field("X", "1"))]), "the condition X=1: there is no X");
    let tested = |offset: usize, values: &[&[u8]]| {
        let values = values.iter().map(|value| value.to_vec()).collect();
        wrong(vec![text(1, "A", 1).applying(When::new(vec![Test::Bytes { offset, values }]))])
    };
    for offset in [Layout::MAX_LEN, usize::MAX - 1, usize::MAX] {
        let error = tested(offset, &[b"\xC1"]);
        assert!(error.ends_with("=C1: a record has at most 1073741824 bytes"), "{error}");
    }
    assert_eq!(tested(0, &[b"\xC1", b"\xC1\xC2"]), "the condition 1=C1,C1C2: the values have different lengths");
    assert!(tested(0, &[]).ends_with("there is no value"));
    assert!(tested(0, &[b""]).ends_with("there is no value"));
    let many = text(1, "A", 1).occurring(Occurs::times((1 << 20) + 1));
    let reader = reader(&Layout::new(vec![many]).unwrap(), "IBM037", &ReadOptions::new());
    let error = reader.columns().err().unwrap();
    assert_eq!(error.what, "the layout has more than 1048576 columns; select some of the fields");
    let long = text(1, "A", 1 << 20).occurring(Occurs::times(1 << 20));
    assert_eq!(wrong(vec![long]), "the record would be longer than 1073741824 bytes");
}

/// Sixteen MiB of names are allowed, and not a byte more: of items with their groups, and of columns with the numbers
/// of their occurrences. The columns are counted before any is made.
#[test]
fn the_length_of_all_names() {
    const MOST: usize = 16 << 20;
    let name = |first: char, len: usize| first.to_string().repeat(len);
    // A group, and fields in it whose paths have 4096 bytes.
    let items = |count: usize, last: usize| {
        let group = [Item::group(1, "R"), Item::group(5, name('G', 95))];
        let fields = (0..count).map(|number| format!("{number:04}{}", name('F', 3996))).chain([name('L', last)]);
        Layout::new(group.into_iter().chain(fields.map(|name| text(10, &name, 1))).collect())
    };
    // Each path is counted with a dot, even the paths that need none: of the record, and of a group at the top.
    let left = MOST - 1 - 96 - 4095 * 4096 - 96;
    assert!(items(4095, left).is_ok());
    let error = items(4095, left + 1).err().unwrap();
    let expected = "the names of all items are longer than 16777216 bytes, each with those of its groups";
    assert_eq!((&*error.what, error.item), (expected, Some(4097)));
    assert!(items(0, 4001).err().unwrap().what.starts_with("a name is longer than 4096 bytes, together with"));

    // Columns A[i].B[j].C[k], and as many fields of one column as it takes to come to `total` bytes.
    let columns = |total: usize| {
        let mut items = vec![
            Item::group(1, name('A', 1500)).occurring(Occurs::times(99)),
            Item::group(2, "B").occurring(Occurs::times(10)),
            text(3, "C", 1).occurring(Occurs::times(11)),
        ];
        let arrays = Layout::new(items.clone()).unwrap();
        let elements = (0..99 * 10 * 11).map(|element| [element / 110, element / 11 % 10, element % 11]);
        let mut left = total - elements.map(|at| arrays.path_at(2, &at).len()).sum::<usize>();
        while left > 0 {
            let now = left.min(4000);
            items.push(text(1, &format!("{:04}{}", items.len(), name('F', now.saturating_sub(4)))[..now], 1));
            left -= now;
        }
        let reader = reader(&Layout::new(items).unwrap(), "IBM037", &ReadOptions::new());
        reader.columns().map(|columns| columns.iter().map(|column| column.path.len()).sum::<usize>())
    };
    assert_eq!(columns(MOST), Ok(MOST));
    let error = columns(MOST + 1).err().unwrap();
    let expected = "the names of the columns are longer than 16777216 bytes in total; select some of the fields";
    assert!(error.what.starts_with(expected), "{error}");
}

/// Names that are not unique get numbers, and groups without a name do not occur in paths.
#[test]
fn names() {
    let layout = Layout::new(vec![
        Item::group(1, "R"),
        text(5, "A", 1),
        Item::filler(5, None),
        text(10, "A", 1),
        Item::filler(10, Some(FieldKind::text(1))),
        Item::filler(5, None).occurring(Occurs::times(2)),
        text(10, "B", 1),
    ])
    .unwrap();
    assert_eq!(paths(&layout), ["A", "A-2", "FILLER-2[1].B", "FILLER-2[2].B"]);
    assert_eq!(
        (layout.name(), layout.find("R.A-2"), layout.key(2), layout.key(3)),
        (Some("R"), Ok(3), None, Some("A-2"))
    );
}

/// Several record descriptions, each of which has its own field for the record type.
#[test]
fn record_types_with_their_own_type_fields() {
    let list = Layout::new(vec![
        Item::group(1, "REC-A"),
        text(5, "KA", 1),
        text(5, "D1", 3),
        Item::group(1, "REC-B").redefining("REC-A"),
        text(5, "KB", 1),
        digits(5, "N", 3),
    ])
    .unwrap();
    for (first, second) in [("KA=A", "KB=B"), ("KA=A", "KA=B"), ("KB=A", "KB=B"), ("KA=A", "KB=\"\""), ("KA=A", "1=40")]
    {
        let layout = list.clone().apply(&format!("{first}: REC-A").parse().unwrap()).unwrap();
        let layout = layout.apply(&format!("{second}: REC-B").parse().unwrap()).unwrap();
        let type_b = if second.ends_with('B') { 0xC2 } else { 0x40 };
        for record in [[0xC1, 0xC1, 0x40, 0x40], [type_b, 0xF1, 0xF2, 0xF3]] {
            assert_eq!(back(&layout, &record), record, "{first} {second}");
        }
        // The empty cells of a row are not values.
        let values = ["", "", if second.ends_with('B') { "B" } else { "" }, "123"].map(|text| Some(Value::Text(text)));
        let mut written = Vec::new();
        writer(&layout, "IBM037").write(1, &mut &values[..], &mut written).unwrap();
        assert_eq!(written, [type_b, 0xF1, 0xF2, 0xF3]);
    }
    // A value for the type field of another record type is not lost.
    let layout = list.apply(&"KA=A: REC-A".parse().unwrap()).unwrap();
    let layout = layout.apply(&"KB=B: REC-B".parse().unwrap()).unwrap();
    let values = ["A", "X", "B", ""].map(|text| Some(Value::Text(text)));
    let error = writer(&layout, "IBM037").write(1, &mut &values[..], &mut Vec::new()).unwrap_err();
    assert_eq!((error.path(), error.code()), ("REC-B.KB", "conflict"));
}

/// In records of a fixed length, a shorter record type leaves bytes at the end of the record.
#[test]
fn record_types_in_records_of_a_fixed_length() {
    let layout =
        Layout::new(vec![text(5, "K", 1), text(5, "D1", 5), Item::group(5, "D2").redefining("D1"), digits(10, "N", 3)])
            .unwrap();
    let layout = layout.apply(&"K=A: D1".parse().unwrap()).unwrap().apply(&"K=B: D2".parse().unwrap()).unwrap();
    let run = |record: &[u8], canonical: bool| {
        let options = ReadOptions::new().canonical(canonical);
        let mut reader = reader(&layout, "IBM037", &options).fixed_length(true);
        let row = reader.read(1, record, &mut Seen::default());
        row.map(|row| (row.len, row.unused)).map_err(|error| error.to_string())
    };
    for canonical in [false, true] {
        assert_eq!(run(b"\xC1\xC1\xC1\xC1\xC1\xC1", canonical), Ok((6, 0)));
        for (record, expected) in [
            (&b"\xC2\xF1\xF2\xF3"[..], (4, 0)),
            (b"\xC2\xF1\xF2\xF3\x40", (5, 1)),
            (b"\xC2\xF1\xF2\xF3\x40\x40", (6, 2)),
        ] {
            assert_eq!(run(record, canonical), Ok(expected));
            assert_eq!(back(&layout, record), record[..4]);
        }
        // The layout does not describe the last byte.
        let expected = "record 1: it has 7 bytes, but the layout describes only 6 of them";
        assert_eq!(run(b"\xC2\xF1\xF2\xF3\x40\x40\xC1", canonical), Err(expected.into()));
    }
    let record = b"\xC2\xF1\xF2\xF3\x00\xC1";
    assert_eq!(run(record, false), Ok((6, 2)));
    let expected = "record 1, field D2, columns 5-6: 00 C1 would be written back as 40 40";
    assert_eq!(run(record, true), Err(expected.into()));
    // In records of other lengths, spaces would be gone.
    let mut reader = reader(&layout, "IBM037", &ReadOptions::new().canonical(true));
    let error = reader.read(2, b"\xC2\xF1\xF2\xF3\x40", &mut Seen::default()).unwrap_err();
    assert_eq!((error.code(), error.path(), error.offset()), ("longer-than-layout", "", 4));
    assert_eq!(error.to_string(), "record 2: it has 5 bytes, but the layout describes only 4 of them");
    assert!(reader.read(3, b"\xC2\xF1\xF2\xF3", &mut Seen::default()).is_ok());
}

/// What a record has after its last field is an error, unless it is to be left out.
#[test]
fn records_that_are_longer_than_the_layout() {
    let layout = Layout::new(vec![text(5, "A", 2)]).unwrap();
    let error = read(&layout, b"\xC1\xC2\xC3").map(drop).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("longer-than-layout", 2));
    assert_eq!(error.to_string(), "record 1: it has 3 bytes, but the layout describes only 2 of them");
    let options = ReadOptions::new().overlong(OnOverlong::Cut);
    let row = reader(&layout, "IBM037", &options).read(1, b"\xC1\xC2\xC3", &mut Seen::default()).unwrap();
    assert_eq!((row.len, row.cut, row.unused), (2, 1, 0));
    let registry = Registry::builtin();
    let made = layout.reader(&registry, &registry.codec("IBM037").unwrap(), &options.canonical(true));
    assert!(made.unwrap_err().to_string().contains("OnOverlong::Cut"));
}

/// Bytes that no field covers are written back unchanged only if they are spaces.
#[test]
fn gaps_between_fields() {
    let layout = Layout::from_field_list("A 1 1 text\nB 4 1 text\n").unwrap();
    let canonical = |record: &[u8]| {
        let options = ReadOptions::new().canonical(true);
        let row = reader(&layout, "IBM037", &options).read(1, record, &mut Seen::default());
        row.map(|row| row.len).map_err(|error| error.to_string())
    };
    assert_eq!(canonical(b"\xC1\x40\x40\xC2"), Ok(4));
    assert_eq!(back(&layout, b"\xC1\x40\x40\xC2"), b"\xC1\x40\x40\xC2");
    let expected = "record 1, column 3: 00 would be written back as 40";
    assert_eq!(canonical(b"\xC1\x40\x00\xC2"), Err(expected.into()));
}

/// Conditions in one of several record descriptions that all apply.
#[test]
fn record_types_within_unconditional_alternatives() {
    let layout = Layout::new(vec![
        Item::group(1, "REC-A"),
        text(5, "K", 1),
        text(5, "D1", 3),
        Item::group(5, "D2").redefining("D1"),
        digits(10, "N", 3),
        Item::group(1, "REC-B").redefining("REC-A"),
        text(5, "WHOLE", 4),
    ])
    .unwrap();
    let layout = layout.apply(&"K=A: D1".parse().unwrap()).unwrap().apply(&"K=B: D2".parse().unwrap()).unwrap();
    let mut reader = reader(&layout, "IBM037", &ReadOptions::new());
    for (record, path) in [(b"\xC1\xC1\x40\x40", "REC-A.D1"), (b"\xC2\xF1\xF2\xF3", "REC-A.D2")] {
        let found = reader.record_type(record);
        assert_eq!(found.map(|item| layout.path(item)), Some(path));
        assert_eq!(reader.read(1, record, &mut Seen::default()).unwrap().record_type, found);
        assert_eq!(back(&layout, record), record);
    }

    // Alternatives in an array are not types of the record.
    let layout = Layout::new(vec![
        text(5, "K", 1),
        Item::group(5, "A").occurring(Occurs::times(2)),
        text(10, "X", 1).applying(When::field("K", "A")),
        digits(10, "Y", 1).redefining("X").applying(When::OTHERWISE),
    ])
    .unwrap();
    let (_, row) = read(&layout, b"\xC1\xC1\xC1").unwrap();
    assert_eq!(row.record_type, None);
}

/// Alternatives of each element of an array, chosen by a field of the same element.
#[test]
fn alternatives_of_elements() {
    let made = |copybook: &str, rules: &[&str]| {
        let layout = Copybook::new().read(copybook.as_bytes()).unwrap();
        rules.iter().try_fold(layout, |layout, rule| layout.apply(&rule.parse().unwrap()))
    };
    // The field is before them, in the first of them, or at the same place in each of them; the number of elements, and
    // what is before the array, vary.
    let before = "01 R. 05 N PIC 9. 05 V PIC X OCCURS 0 TO 2 DEPENDING ON N.
        05 E OCCURS 1 TO 2 DEPENDING ON N. 10 K PIC X. 10 A PIC X(2). 10 B REDEFINES A PIC 9(2). 05 Z PIC X.";
    let inside = "01 R. 05 N PIC 9. 05 V PIC X OCCURS 0 TO 2 DEPENDING ON N.
        05 E OCCURS 1 TO 2 DEPENDING ON N. 10 A. 15 K PIC X. 15 T PIC X(2). 10 B REDEFINES A. 15 L PIC X. 15 M PIC 9(2).
        05 Z PIC X.";
    for (copybook, rules, events) in [
        (before, ["K=A: A", "K=B: B"], "0=2 2*2[ 1=x 2=y ] 3*2[ ( 3=A 4=ab ) ( 6=B 8=12 ) ] 9=z "),
        (inside, ["K=A: A", "L=B: B"], "0=2 2*2[ 1=x 2=y ] 3*2[ ( 4{ 3=A 4=ab } ) ( 7{ 9=B 10=12 } ) ] 11=z "),
        (inside, ["K=A: A", "K=B: B"], "0=2 2*2[ 1=x 2=y ] 3*2[ ( 4{ 3=A 4=ab } ) ( 7{ 9=B 10=12 } ) ] 11=z "),
        (inside, ["K=A: A", "otherwise: B"], "0=2 2*2[ 1=x 2=y ] 3*2[ ( 4{ 3=A 4=ab } ) ( 7{ 9=B 10=12 } ) ] 11=z "),
    ] {
        let layout = made(copybook, &rules).unwrap();
        let record = b"\xF2\xA7\xA8\xC1\x81\x82\xC2\xF1\xF2\xA9";
        let (seen, row) = read(&layout, record).unwrap();
        assert_eq!((&*seen.events, row.record_type), (events, None), "{rules:?}");
        assert_eq!(back(&layout, record), record, "{rules:?}");
    }
    // A description that no element has can say where the field is.
    let layout = made(
        "01 R. 05 E OCCURS 2. 10 A. 15 K PIC X. 15 T PIC X. 10 B REDEFINES A. 15 L PIC X. 15 M PIC 9.",
        &["K=B,C: B"],
    );
    let (seen, _) = read(&layout.unwrap(), b"\xC2\xF1\xC3\xF2").unwrap();
    assert_eq!(seen.events, "1*2[ ( 5{ 0=B 1=1 } ) ( 5{ 2=C 3=2 } ) ] ");
    let layout = made(before, &["K=A: A", "K=B: B"]).unwrap();
    let error = read(&layout, b"\xF2\xA7\xA8\xC1\x81\x82\xC3\xF1\xF2\xA9").map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "record 1, field E[2].A, column 7: C3: no record type matches; expected K=A, or K=B");

    // Fields of other elements, after the alternatives, and beyond what varies.
    for (copybook, path) in [
        ("01 R. 05 E OCCURS 2. 10 K PIC X. 10 F OCCURS 2. 15 A PIC X. 15 B REDEFINES A PIC 9.", "E.F.A"),
        ("01 R. 05 E OCCURS 2. 10 K PIC X. 05 F OCCURS 2. 10 A PIC X. 10 B REDEFINES A PIC 9.", "F.A"),
        ("01 R. 05 E OCCURS 2. 10 A PIC X. 10 B REDEFINES A PIC 9. 10 K PIC X.", "E.A"),
        ("01 R. 05 E OCCURS 2. 10 K PIC X OCCURS 2. 10 A PIC X. 10 B REDEFINES A PIC 9.", "E.A"),
        ("01 R. 05 N PIC 9. 05 E OCCURS 2. 10 K PIC X. 10 V PIC X OCCURS 0 TO 2 DEPENDING ON N. 10 A PIC X.", "E.A"),
    ] {
        let error = made(copybook, &[&format!("K=A: {path}")]).unwrap_err().to_string();
        let expected =
            format!("the condition K=A: the place of K varies; expected a field that comes before {path} in the ");
        let element = path.rsplit_once('.').unwrap().0;
        let between = "with no array between them whose count varies";
        assert_eq!(error, format!("{expected}same element of {element}, {between}"));
    }
}

/// Reading empty fields as null does not change which alternative applies.
#[test]
fn empty_type_fields() {
    let layout = Layout::new(vec![
        text(5, "K", 1),
        text(5, "TA", 2).applying(When::OTHERWISE),
        text(5, "TB", 2).redefining("TA").applying(When::field("K", "")),
    ])
    .unwrap();
    let type_b = layout.find("TB").unwrap();
    for empty_is_null in [false, true] {
        let mut reader = reader(&layout, "IBM037", &ReadOptions::new().empty_is_null(empty_is_null));
        for record in [b"\x40\xC1\xC1", b"\x00\xC1\xC1"] {
            let row = reader.read(1, record, &mut Seen::default()).unwrap();
            assert_eq!((row.record_type, reader.record_type(record)), (Some(type_b), Some(type_b)));
        }
    }
}

/// Every exponent of a floating-point number, with short and long fractions, comes back from its text byte for byte.
/// Some of them are subnormal as an `f32`.
#[test]
fn floats_of_every_size_come_back_from_their_text() {
    for format in [FloatFormat::Ieee, FloatFormat::Ibm] {
        let float = with(Float::COMP_1, |float| float.format = format);
        let layout = Layout::new(vec![Item::field(5, "F", FieldKind::Float(float))]).unwrap();
        let mut reader = reader(&layout, "IBM037", &ReadOptions::new());
        for exponent in 0..=u8::MAX {
            for fraction in [[0x10, 0, 0], [0x1B, 0xED, 0xB4], [0xFF, 0xFF, 0xFF], [0x80, 0, 1], [0x35, 0x52, 0x10]] {
                let record = [exponent, fraction[0], fraction[1], fraction[2]];
                let mut seen = Seen::default();
                reader.read(1, &record, &mut seen).unwrap();
                let text = seen.values[0].take().unwrap();
                let mut written = Vec::new();
                writer(&layout, "IBM037").write(1, &mut &[Some(Value::Text(&text))][..], &mut written).unwrap();
                let is_nan = text == "NaN";
                assert!(written == record || is_nan, "{format:?} {record:02X?} {text} {written:02X?}");
            }
        }
    }
}

/// A number that is too large for the format is not an infinity, and one that is too small is not zero.
#[test]
fn floats_out_of_range() {
    for (double, format) in
        [(false, FloatFormat::Ieee), (true, FloatFormat::Ieee), (false, FloatFormat::Ibm), (true, FloatFormat::Ibm)]
    {
        let float = with(Float::COMP_1, |float| (float.double, float.format) = (double, format));
        let layout = Layout::new(vec![Item::field(5, "F", FieldKind::Float(float))]).unwrap();
        let write = |text: &str| {
            let mut record = Vec::new();
            let outcome = writer(&layout, "IBM037").write(1, &mut &[Some(Value::Text(text))][..], &mut record);
            outcome.map(|()| record).map_err(|error| error.code())
        };
        for text in ["1e400", "-1E400", "1e-400", "-0.1e-400", "0.0001E-999"] {
            assert_eq!(write(text), Err("does-not-fit"), "{text} {float:?}");
        }
        if !double {
            assert_eq!(
                (write("1e-60").is_err(), write("1e39").is_err()),
                (format == FloatFormat::Ieee, format == FloatFormat::Ieee)
            );
        }
        for text in ["0", "-0.0", "0e400", "0.00e-400"] {
            assert!(write(text).unwrap()[1..].iter().all(|byte| *byte == 0), "{text}");
        }
        for text in ["inf", "-Infinity", "NaN"] {
            assert_eq!(write(text).is_ok(), format == FloatFormat::Ieee, "{text}");
        }
    }
}

/// Names are found by the last part of a path, the others in order, and the name of the record.
#[test]
fn names_in_several_groups() {
    let mut items = vec![Item::group(1, "R")];
    for group in ["A", "B", "R"] {
        items.extend([Item::group(5, group), Item::group(10, "C"), text(15, "X", 1), text(15, group, 1)]);
    }
    items.extend([text(5, "Y", 1), text(5, "Y", 1).redefining("Y"), text(5, "Z", 1).redefining("y")]);
    let layout = Layout::new(items).unwrap();
    let find = |name: &str| layout.find(name).map(|item| layout.path(item)).map_err(|error| error.to_string());
    for (name, path) in [
        ("a.x", "A.C.X"),
        ("B.C.X", "B.C.X"),
        ("r.B", "B"),
        ("R.B.C.X", "B.C.X"),
        ("R.C.X", "R.C.X"),
        ("R.X", "R.C.X"),
        ("R", "R"),
        ("C.R", "R.C.R"),
        ("R.Y", "Y"),
        ("Y-2", "Y-2"),
    ] {
        assert_eq!(find(name).as_deref(), Ok(path), "{name}");
    }
    assert_eq!(find("X"), Err("X is ambiguous; name a group as well: A.C.X or B.C.X or R.C.X".into()));
    assert!(find("C.Q").is_err() && find("X.C").is_err() && find(".X").is_err());
    let item = |path: &str| layout.find(path).unwrap();
    assert_eq!((layout.redefined(item("Y-2")), layout.redefined(item("Z"))), (Some(item("Y")), Some(item("Y"))));
}
