//! Tests which arrays are read and which are refused. Miri runs these tests.

use crate::produce::{Node, stream};
use crate::{BadValue, Finder};
use charpipe::Registry;
use charpipe::fields::{Copybook, Layout, Value};
use std::rc::Rc;

/// Returns the numbers as a buffer.
fn words<const N: usize, T: Copy>(numbers: &[T], bytes: fn(T) -> [u8; N]) -> Option<Vec<u8>> {
    Some(numbers.iter().flat_map(|number| bytes(*number)).collect())
}

fn narrow(numbers: &[i32]) -> Option<Vec<u8>> {
    words(numbers, i32::to_ne_bytes)
}

fn wide(numbers: &[i64]) -> Option<Vec<u8>> {
    words(numbers, i64::to_ne_bytes)
}

fn data(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(bytes.to_vec())
}

/// A view of bytes that follow in it, or of bytes of a buffer.
fn view(len: i32, start: &[u8], buffer: i32, offset: i32) -> Vec<u8> {
    let mut view = len.to_ne_bytes().to_vec();
    view.extend(start);
    if start.len() == 4 {
        view.extend(buffer.to_ne_bytes());
        view.extend(offset.to_ne_bytes());
    }
    view.resize(16, 0);
    view
}

fn rows(length: i64, columns: impl IntoIterator<Item = Node>) -> Node {
    Node::new("+s", length, vec![None]).with(columns)
}

/// Reads a column of a batch with one column A: its values, of which bad ones are their messages, or the error.
fn read_path(column: Node, path: &str, length: i64) -> Result<Vec<String>, String> {
    let mut stream = stream([rows(length, [column.named("A")])]).map_err(|error| error.to_string())?;
    let batch = stream.next_batch().map_err(|error| error.to_string())?.expect("there is a batch");
    let found = Finder::new(&batch, false).access(path).map_err(|error| error.to_string())?.expect("there is a column");
    let shown = (0..batch.rows().map_err(|error| error.to_string())?).map(|row| match found.value(row) {
        Ok(None) => "null".to_owned(),
        Ok(Some(Value::Text(text))) => format!("{text:?}"),
        Ok(Some(value)) => value.to_string(),
        Err(bad) => bad.to_string(),
    });
    Ok(shown.collect())
}

fn read(column: Node) -> Result<Vec<String>, String> {
    let length = column.length;
    read_path(column, "A", length)
}

fn read_ok(column: Node) -> Vec<String> {
    read(column).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn text_and_bytes_of_every_type() {
    let text = b"aJoe\xC3\xA9";
    for (format, offsets) in [("u", narrow(&[1, 4, 4, 6])), ("U", wide(&[1, 4, 4, 6]))] {
        assert_eq!(read_ok(Node::new(format, 3, vec![None, offsets, data(text)])), ["\"Joe\"", "\"\"", "\"é\""]);
    }
    for (format, offsets) in [("z", narrow(&[1, 4, 4, 6])), ("Z", wide(&[1, 4, 4, 6]))] {
        assert_eq!(read_ok(Node::new(format, 3, vec![None, offsets, data(text)])), ["4A6F65", "", "C3A9"]);
    }
    let views = [view(3, b"Joe", 0, 0), view(13, b"0123", 1, 2), view(12, b"abcdefghijkl", 0, 0)].concat();
    for (format, shown) in [
        ("vu", ["\"Joe\"", "\"0123456789abc\"", "\"abcdefghijkl\""]),
        ("vz", ["4A6F65", "30313233343536373839616263", "6162636465666768696A6B6C"]),
    ] {
        let buffers = vec![None, data(&views), None, data(b"--0123456789abc"), wide(&[0, 15])];
        assert_eq!(read_ok(Node::new(format, 3, buffers)), shown);
    }
    assert_eq!(read_ok(Node::new("w:2", 2, vec![None, data(b"\x01\x02\xFE\xFF")])), ["0102", "FEFF"]);
    assert_eq!(read_ok(Node::new("w:0", 2, vec![None, None])), ["", ""]);
}

#[test]
fn numbers_of_every_type() {
    let fixed = |format, bytes| read_ok(Node::new(format, 1, vec![None, Some(bytes)])).concat();
    assert_eq!(fixed("c", vec![0x80]), "-128");
    assert_eq!(fixed("C", vec![0x80]), "128");
    assert_eq!(fixed("s", (-2i16).to_ne_bytes().to_vec()), "-2");
    assert_eq!(fixed("S", 65535u16.to_ne_bytes().to_vec()), "65535");
    assert_eq!(fixed("i", (-3i32).to_ne_bytes().to_vec()), "-3");
    assert_eq!(fixed("I", u32::MAX.to_ne_bytes().to_vec()), "4294967295");
    assert_eq!(fixed("l", i64::MIN.to_ne_bytes().to_vec()), i64::MIN.to_string());
    assert_eq!(fixed("L", u64::MAX.to_ne_bytes().to_vec()), u64::MAX.to_string());
    assert_eq!(fixed("f", 0.1f32.to_ne_bytes().to_vec()), "0.1");
    assert_eq!(fixed("g", (-1.5f64).to_ne_bytes().to_vec()), "-1.5");
    assert_eq!(fixed("d:5,2", (-150i128).to_ne_bytes().to_vec()), "-1.50");
    assert_eq!(fixed("d:38,-128,128", i128::MIN.to_ne_bytes().to_vec()).len(), 1 + 39 + 128);
    assert_eq!(fixed("tdD", 19782i32.to_ne_bytes().to_vec()), "2024-02-29");
    assert_eq!(fixed("tdD", (-719_162i32).to_ne_bytes().to_vec()), "0001-01-01");
    let no_date =
        |number: i64| format!("{number} is not a date in the years 1 to 9999, or not a whole number of microseconds");
    assert_eq!(fixed("tdD", i32::MAX.to_ne_bytes().to_vec()), no_date(i32::MAX.into()));
    for (format, time, shown) in [
        ("tss:", -1, "1969-12-31 23:59:59.000000"),
        ("tsm:", 86_400_001, "1970-01-02 00:00:00.001000"),
        ("tsu:", 1, "1970-01-01 00:00:00.000001"),
        ("tsn:", -1000, "1969-12-31 23:59:59.999999"),
        ("tsn:", 1, &*no_date(1)),
        ("tss:", i64::MAX, &*no_date(i64::MAX)),
        ("tsu:", i64::MIN, &*no_date(i64::MIN)),
    ] {
        assert_eq!(fixed(format, i64::to_ne_bytes(time).to_vec()), shown, "{format}");
    }
    assert_eq!(read_ok(Node::new("n", 2, vec![])), ["null", "null"]);
}

#[test]
fn text_that_is_not_utf8_is_never_returned_as_text() {
    for (bytes, found) in [
        (&b"a\xED\xA0\x80"[..], "ED at byte 1"),
        (b"\xC3\xA9\xFF", "FF at byte 2"),
        // The byte after the text would complete it.
        (b"ab\xC3", "C3 at byte 2"),
        (b"\xF4\x90\x80\x80", "F4 at byte 0"),
        (b"\xC0\x80", "C0 at byte 0"),
    ] {
        let message = format!("the text is not valid UTF-8: {found}");
        let mut behind = bytes.to_vec();
        behind.push(0xA9);
        let len = bytes.len() as i32;
        let texts = [
            Node::new("u", 1, vec![None, narrow(&[0, len]), Some(behind.clone())]),
            Node::new("U", 1, vec![None, wide(&[0, len.into()]), Some(behind.clone())]),
            Node::new("vu", 1, vec![None, Some(view(len, &behind, 0, 0)), wide(&[])]),
        ];
        for text in texts {
            assert_eq!(read_ok(text.clone()), [message.as_str()]);
            let keys = Node { dictionary: Some(Box::new(text)), ..Node::new("c", 2, vec![None, data(&[0, 0])]) };
            assert_eq!(read_ok(keys), [message.as_str(), &message]);
        }
        let long = [&b"0123456789AB"[..], bytes].concat();
        let views = view(long.len() as i32, &long[..4], 0, 0);
        let buffers = vec![None, Some(views), Some(long.clone()), wide(&[long.len() as i64])];
        assert!(read_ok(Node::new("vu", 1, buffers)).concat().starts_with("the text is not valid UTF-8"));
        assert!(read_ok(Node::new("z", 1, vec![None, narrow(&[0, len]), Some(behind)])).concat().len() >= 4);
    }
}

/// The text of all rows is valid, but that of each is not.
#[test]
fn characters_that_values_share() {
    let halves = |half: &str| format!("the text is not valid UTF-8: {half} at byte 0");
    let run = Node::new("u", 3, vec![None, narrow(&[0, 1, 2, 4]), data(b"\xC3\xA9\xC3\xA9")]);
    assert_eq!(read_ok(run), [halves("C3"), halves("A9"), "\"é\"".to_owned()]);
    // Long text is checked value by value.
    let long = "é".repeat(100);
    let run = Node::new("u", 2, vec![None, narrow(&[0, 199, 200]), data(long.as_bytes())]);
    assert_eq!(read_ok(run), ["the text is not valid UTF-8: C3 at byte 198".to_owned(), halves("A9")]);
    let run = Node::new("u", 1, vec![None, narrow(&[0, 200]), data(long.as_bytes())]);
    assert_eq!(read_ok(run), [format!("{long:?}")]);
    let bytes = "0123456789abcdéfghijklmnopqrst".as_bytes();
    let views = [view(15, b"0123", 0, 0), view(13, b"\xA9fgh", 0, 15)].concat();
    for spare in [0, 500] {
        // With much else in the buffer, each value is checked alone.
        let buffer = [bytes, &vec![b'x'; spare]].concat();
        let lengths = wide(&[buffer.len() as i64]);
        let found = read_ok(Node::new("vu", 2, vec![None, Some(views.clone()), Some(buffer), lengths]));
        assert!(found[0].ends_with("C3 at byte 14") && found[1].ends_with("A9 at byte 0"), "{found:?}");
    }
}

#[test]
fn null_values_are_not_read() {
    // Only the first one is valid.
    let bits = || data(&[0b001]);
    let null = ["\"ab\"", "null", "null"];
    let run = vec![bits(), narrow(&[0, 2, 900, 5]), data(b"ab\xFF\xFF\xFF")];
    assert_eq!(read_ok(Node::new("u", 3, run)), null);
    let views = [view(2, b"ab", 0, 0), view(-5, b"abcd", -1, -1), view(2, b"\xFF\xFF", 0, 0)].concat();
    assert_eq!(read_ok(Node::new("vu", 3, vec![bits(), Some(views), None])), null);
    let text = Node::new("u", 2, vec![data(&[0b01]), narrow(&[0, 2, 3]), data(b"ab\xFF")]);
    let keys = Node::new("c", 3, vec![data(&[0b011]), data(&[0, 1, 99])]);
    assert_eq!(read_ok(Node { dictionary: Some(Box::new(text)), ..keys }), null);
    // They count even if the array says that it has no nulls.
    let fixed = Node { null_count: 0, ..Node::new("c", 3, vec![bits(), data(&[1, 2, 3])]) };
    assert_eq!(read_ok(fixed), ["1", "null", "null"]);
}

#[test]
fn offsets_that_lie_elsewhere() {
    for (offsets, shown) in [
        ([0, 4, 1, 5], ["\"abcd\"", "the value from 4 to 1 is not within its buffer", "\"bcde\""]),
        (
            [0, 900, 1, 5],
            [
                "the value from 0 to 900 is not within its buffer",
                "the value from 900 to 1 is not within its buffer",
                "\"bcde\"",
            ],
        ),
        ([-1, 2, 2, 5], ["the value from -1 to 2 is not within its buffer", "\"\"", "\"cde\""]),
        (
            [i32::MIN, i32::MAX, i32::MIN, 0],
            [
                "the value from -2147483648 to 2147483647 is not within its buffer",
                "the value from 2147483647 to -2147483648 is not within its buffer",
                "the value from -2147483648 to 0 is not within its buffer",
            ],
        ),
    ] {
        assert_eq!(read_ok(Node::new("u", 3, vec![None, narrow(&offsets), data(b"abcde")])), shown);
        let offsets: Vec<_> = offsets.into_iter().map(i64::from).collect();
        assert_eq!(read_ok(Node::new("U", 3, vec![None, wide(&offsets), data(b"abcde")])), shown);
    }
    let invalid = |what| Err(format!("the column of A is invalid: {what}"));
    assert_eq!(read(Node::new("u", 1, vec![None, narrow(&[0, -1]), data(b"a")])), invalid("its last value ends at -1"));
    assert_eq!(read(Node::new("u", 1, vec![None, narrow(&[0, 9]), None])), invalid("buffer 2 of 9 bytes is missing"));
    assert_eq!(read(Node::new("u", 1, vec![None, None, data(b"a")])), invalid("buffer 1 of 8 bytes is missing"));
    let far = Node::new("U", 1, vec![None, wide(&[0, i64::MAX]), None]);
    assert_eq!(read(far), invalid("buffer 2 of 9223372036854775807 bytes is missing"));
}

#[test]
fn views_that_lie_elsewhere() {
    let viewed = |view: Vec<u8>| {
        let buffers = vec![None, Some(view), data(b"0123456789abcdefghij"), wide(&[20])];
        read_ok(Node::new("vu", 1, buffers)).concat()
    };
    assert_eq!(viewed(view(20, b"0123", 0, 0)), "\"0123456789abcdefghij\"");
    assert_eq!(viewed(view(20, b"0123", 0, 1)), "the value from 1 to 21 is not within its buffer");
    assert_eq!(viewed(view(20, b"0123", 0, -1)), "the value from -1 to 19 is not within its buffer");
    assert_eq!(viewed(view(-1, b"0123", 0, 5)), "the value from 5 to 4 is not within its buffer");
    assert_eq!(
        viewed(view(i32::MAX, b"0123", 0, i32::MAX)),
        "the value from 2147483647 to 4294967294 is not within its buffer"
    );
    assert_eq!(viewed(view(13, b"0123", 1, 0)), "the value is in buffer 1, which does not exist");
    assert_eq!(viewed(view(13, b"0123", -1, 0)), "the value is in buffer -1, which does not exist");
    let invalid = |what| Err(format!("the column of A is invalid: {what}"));
    let lengths = |lengths: &[i64]| read(Node::new("vu", 1, vec![None, Some(view(0, b"", 0, 0)), None, wide(lengths)]));
    assert_eq!(lengths(&[-1]), invalid("buffer 0 has -1 bytes"));
    assert_eq!(lengths(&[7]), invalid("buffer 2 of 7 bytes is missing"));
    assert_eq!(lengths(&[0]), Ok(vec!["\"\"".to_owned()]));
    assert_eq!(read(Node::new("vu", 1, vec![None, data(&[0; 16])])), invalid("it has 2 buffers instead of 3"));
    assert_eq!(read(Node::new("vu", 1, vec![None, None, None])), invalid("buffer 1 of 16 bytes is missing"));
}

#[test]
fn keys_that_the_dictionary_does_not_have() {
    let text = Node::new("u", 2, vec![None, narrow(&[0, 1, 2]), data(b"xy")]);
    let with = |keys: Node| Node { dictionary: Some(Box::new(text.clone())), ..keys };
    let keys = with(Node::new("c", 4, vec![None, data(&[1, 0, 2, 0xFF])]));
    assert_eq!(
        read_ok(keys.clone()),
        ["\"y\"", "\"x\"", "the dictionary has no value 2", "the dictionary has no value -1"]
    );
    let large = with(Node::new("L", 1, vec![None, data(&u64::MAX.to_ne_bytes())]));
    assert_eq!(read_ok(large), ["the dictionary has no value 18446744073709551615"]);
    let error = read(Node { lacks_dictionary: true, ..keys }).unwrap_err();
    assert_eq!(error, "the column of A is invalid: its dictionary is missing");
    let error = read(with(Node::new("g", 1, vec![None, data(&[0; 8])]))).unwrap_err();
    assert_eq!(error, "the column of A is Dictionary(Float64, Utf8), which no field can contain");
}

#[test]
fn lengths_that_are_not_possible() {
    let fixed = |length, offset| Node { offset, ..Node::new("l", length, vec![None, data(&[7; 8])]) };
    for (length, offset) in [(-1, 0), (1, -1), (i64::MIN, i64::MIN), (i64::MAX, 1), (1, i64::MAX), (i64::MAX, 0)] {
        let error = read_path(fixed(length, offset), "A", 0).unwrap_err();
        assert!(error.starts_with("the column of A is invalid"), "{error}");
    }
    for length in [-1, i64::MAX] {
        assert!(read_path(fixed(0, 0), "A", length).is_err());
    }
    let with_nulls = |null_count, bits| read(Node { null_count, ..Node::new("c", 2, vec![bits, data(&[1, 2])]) });
    assert!(with_nulls(3, data(&[3])).unwrap_err().ends_with("3 of 2 values are null"));
    assert!(with_nulls(-2, data(&[3])).unwrap_err().ends_with("-2 of 2 values are null"));
    assert!(with_nulls(1, None).unwrap_err().ends_with("1 values are null, but not said which"));
    assert_eq!(with_nulls(-1, None).unwrap(), ["1", "2"]);
    for count in [0, 1, 3] {
        let error = read(Node::new("c", 1, vec![data(&[1]); count])).unwrap_err();
        assert_eq!(error, format!("the column of A is invalid: it has {count} buffers instead of 2"));
    }
    // An array without values needs no buffers.
    assert_eq!(read(Node::new("u", 0, vec![None, None, None])), Ok(vec![]));
}

#[test]
fn offsets_of_arrays() {
    let text = vec![data(&[0b1010]), narrow(&[9, 0, 1, 1, 2]), data(b"ab")];
    assert_eq!(read_ok(Node { offset: 1, ..Node::new("u", 3, text) }), ["\"a\"", "null", "\"b\""]);
    let numbers = Node { offset: 9, ..Node::new("C", 2, vec![None, Some((0..20).collect())]) };
    assert_eq!(read_ok(numbers.clone()), ["9", "10"]);
    // The offset of a struct is that of its fields as well.
    let group = Node { offset: 1, ..Node::new("+s", 1, vec![data(&[0b10])]) }.with([numbers.named("B")]);
    assert_eq!(read_path(group, "A.B", 1).unwrap(), ["10"]);
    let text = vec![None, narrow(&[3, 4, 6, 9]), data(b"\xFF\xFF\xFFabbc\xC3\xA9")];
    let inner = Node { offset: 1, ..Node::new("+s", 2, vec![None]) };
    let group = Node { offset: 1, ..Node::new("+s", 1, vec![None]) };
    let text = Node { offset: 0, ..Node::new("u", 3, text) }.named("C");
    assert_eq!(read_path(group.with([inner.with([text]).named("B")]), "A.B.C", 1).unwrap(), ["\"cé\""]);
}

/// Lists of two, no, and one number, and a null one.
fn lists(offsets: &[i32]) -> Node {
    let numbers = Node::new("C", 3, vec![None, data(&[5, 6, 7])]).named("element");
    Node::new("+l", 4, vec![data(&[0b0111]), narrow(offsets)]).with([numbers])
}

#[test]
fn structs_and_lists() {
    assert_eq!(read_path(lists(&[0, 2, 2, 3, 3]), "A[1]", 4).unwrap(), ["5", "null", "7", "null"]);
    assert_eq!(read_path(lists(&[0, 2, 2, 3, 3]), "A[2]", 4).unwrap(), ["6", "null", "null", "null"]);
    let outside = |begin, end| format!("the value from {begin} to {end} is not within its buffer");
    assert_eq!(
        read_path(lists(&[0, 4, 2, -1, 0]), "A[1]", 4).unwrap(),
        [outside(0, 4), outside(4, 2), outside(2, -1), "null".to_owned()]
    );

    let names = Node::new("u", 3, vec![None, narrow(&[0, 1, 2, 3]), data(b"x\xFFz")]).named("N");
    let group = Node::new("+s", 3, vec![data(&[0b101])]).with([names]).named("element");
    let list = Node::new("+L", 2, vec![None, wide(&[0, 1, 3])]).with([group.clone()]);
    assert_eq!(read_path(list.clone(), "A[1].N", 2).unwrap(), ["\"x\"", "null"]);
    assert_eq!(read_path(list.clone(), "A[2].N", 2).unwrap(), ["null", "\"z\""]);
    let error = |column, path| read_path(column, path, 2).unwrap_err();
    assert_eq!(error(list.clone(), "A"), "the column of A is LargeList, which no field can contain");
    assert_eq!(error(list.clone(), "A.N"), "the column of A.N is LargeList, but the layout has a struct");
    assert_eq!(error(group.clone(), "A[1]"), "the column of A[1] is Struct, but the layout has a list");
    let none = Node { passed: Some(0), ..list };
    assert_eq!(error(none, "A[1].N"), "the column of A[1].N is invalid: it has 0 children instead of 1");
    let longer = Node { length: 4, ..group };
    assert_eq!(error(longer, "A.N"), "the column of A.N is invalid: it has 3 values for 4 rows of its struct");
    let shorter = Node::new("c", 1, vec![None, data(&[0])]);
    assert_eq!(error(shorter, "A"), "the column of A is invalid: it has 1 values for 2 rows of its struct");
}

/// A list of views of this many buffers: the columns of an `OCCURS` do not have a table of them each.
#[test]
fn elements_of_lists_share_their_values() {
    const MANY: usize = if cfg!(miri) { 50 } else { 1000 };
    let mut buffers = vec![None, Some(view(13, b"0123", 7, 0))];
    buffers.extend(vec![data(b"0123456789abc"); MANY]);
    buffers.push(wide(&[13; MANY]));
    let lists = Node::new("+l", 1, vec![None, narrow(&[0, 1])]).with([Node::new("vu", 1, buffers)]);
    let mut stream = stream([rows(1, [lists.named("A")])]).unwrap();
    let batch = stream.next_batch().unwrap().unwrap();
    let mut finder = Finder::new(&batch, false);
    let mut found = |at| finder.access(&format!("A[{at}]")).unwrap().unwrap();
    let first = found(1);
    assert_eq!(first.value(0), Ok(Some(Value::Text("0123456789abc"))));
    for at in 2..=MANY {
        let other = found(at);
        assert!(Rc::ptr_eq(&first.leaf, &other.leaf), "element {at}");
        assert_eq!(other.value(0), Ok(None));
    }
}

#[test]
fn columns_that_share_a_group_or_a_dictionary() {
    let text = Node::new("u", 2, vec![None, narrow(&[0, 1, 2]), data(b"xy")]);
    let keys = Node { dictionary: Some(Box::new(text)), ..Node::new("c", 3, vec![None, data(&[0, 1, 0])]) };
    let number = Node::new("C", 3, vec![None, data(&[5, 6, 7])]);
    let group = Node::new("+s", 3, vec![None]).with([keys.named("K"), number.named("N")]);
    let list = Node::new("+l", 1, vec![None, narrow(&[0, 3])]).with([group]);
    let mut stream = stream([rows(1, [list.named("A")])]).unwrap();
    let batch = stream.next_batch().unwrap().unwrap();
    let mut finder = Finder::new(&batch, false);
    let mut found = |path| finder.access(path).unwrap().unwrap();
    let (keys, numbers) = ([found("A[1].K"), found("A[2].K")], [found("A[1].N"), found("A[2].N")]);
    assert!(Rc::ptr_eq(&keys[0].leaf, &keys[1].leaf) && Rc::ptr_eq(&numbers[0].leaf, &numbers[1].leaf));
    assert!(!Rc::ptr_eq(&keys[0].leaf, &numbers[0].leaf));
    assert_eq!(keys[1].value(0), Ok(Some(Value::Text("y"))));
    assert_eq!(numbers[1].value(0).map(|value| value.unwrap().to_string()), Ok("6".to_owned()));
    // The names of the batch and those of the group were each taken once.
    assert_eq!(finder.tables(), 2);
}

#[test]
fn names_of_columns() {
    let number = |name: &str| Node::new("C", 1, vec![None, data(&[1])]).named(name);
    let group = Node::new("+s", 1, vec![None]).with(["X", "Y", "Y"].map(number)).named("G");
    let columns = ["A-B", "A_C", "D", "D", "_E", "_E"].map(number);
    let mut stream = stream([rows(1, columns.into_iter().chain([group]))]).unwrap();
    let batch = stream.next_batch().unwrap().unwrap();
    let mut finder = Finder::new(&batch, false);
    assert!(finder.access("A-B").unwrap().is_some() && finder.access("A-C").unwrap().is_none());
    assert!(finder.access("G.X").unwrap().is_some() && finder.access("G.Z").unwrap().is_none());
    let error = |path| Finder::new(&batch, true).access(path).err().map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(error("D"), "the column of D is invalid: several columns have the name \"D\"");
    assert_eq!(error("G.Y"), "the column of G.Y is invalid: several columns have the name \"Y\"");
    assert!(Finder::new(&batch, true).access("A-C").unwrap().is_some());
}

fn copybook(text: &str) -> Layout {
    Copybook::new().read(text.as_bytes()).expect("a layout")
}

/// Compares a batch of such columns with a layout. Also returns the first incorrect value of the first row.
fn check(layout: &Layout, columns: impl IntoIterator<Item = Node>, underscores: bool) -> String {
    let registry = Registry::builtin();
    let writer = layout.writer(&registry, &registry.codec("IBM037").expect("a built-in page")).expect("a writer");
    let paths = writer.columns().expect("few columns");
    let mut stream = stream([rows(1, columns)]).expect("a stream");
    let batch = stream.next_batch().expect("a batch").expect("there is a batch");
    let mut finder = Finder::new(&batch, underscores);
    if let Err(error) = finder.check(layout, &paths) {
        return error.to_string();
    }
    let bad = paths.iter().find_map(|column| finder.access(&column.path).expect("a type")?.value(0).err());
    bad.map_or_else(String::new, |bad| bad.to_string())
}

#[test]
fn columns_that_the_layout_lacks() {
    let number = |name: &str| Node::new("C", 1, vec![None, data(&[1])]).named(name);
    let group = |name: &str, fields: &[&str]| {
        Node::new("+s", 1, vec![None]).with(fields.iter().map(|name| number(name))).named(name)
    };
    let layout = "01 R.\n05 A-B PIC 9.\n05 A-C PIC 9.\n05 FILLER.\n10 G OCCURS 2.\n15 X PIC 9.\n15 Y-Z PIC 9.\n";
    let layout = copybook(layout);
    let check = |column: Node, underscores| check(&layout, [column], underscores);
    assert_eq!(check(number("A-B"), false), "");
    assert_eq!(check(number("A-B"), true), "the layout has no field \"A-B\"");
    assert_eq!(check(number("A_B"), true), "");
    assert_eq!(check(number("A_B"), false), "the layout has no field \"A_B\"");
    assert_eq!(check(number("_number"), false), "");
    let list = |group: Node| Node::new("+l", 1, vec![None, narrow(&[0, 1])]).with([group]).named("G");
    assert_eq!(check(list(group("element", &["X", "Y-Z"])), false), "");
    assert_eq!(check(list(group("element", &["X", "Y_Z"])), false), "the layout has no field \"G.Y_Z\"");
    assert_eq!(check(list(group("element", &["X", "_Y"])), false), "the layout has no field \"G._Y\"");
}

#[test]
fn lists_with_too_many_elements() {
    let list = |len: u8| {
        let elements = Node::new("C", len.into(), vec![None, Some(vec![1; len.into()])]);
        [Node::new("+l", 1, vec![None, narrow(&[0, len.into()])]).with([elements]).named("A")]
    };
    for (len, message) in [(1, ""), (2, ""), (3, "the list has 3 elements; expected at most 2")] {
        assert_eq!(check(&copybook("01 R.\n05 A PIC 9 OCCURS 2.\n"), list(len), false), message);
    }
}

/// `read` returns columns of nulls for alternatives without a condition beside others that have one.
#[test]
fn columns_that_no_record_has() {
    let layout = copybook("01 R.\n05 T PIC X.\n05 BODY.\n10 N PIC 9 OCCURS 2.\n05 A REDEFINES BODY PIC XX.\n");
    let layout = layout.apply(&"T=A: A".parse().expect("a rule")).expect("an item");
    let has_values = "the column of BODY has values, but no record has this field";
    let numbers = |validity| Node::new("C", 1, vec![validity, data(&[1])]);
    let lists = |end, validity| Node::new("+l", 1, vec![None, narrow(&[0, end])]).with([numbers(validity)]).named("N");
    let body = |validity, list: Node| [Node::new("+s", 1, vec![validity]).with([list]).named("BODY")];
    assert_eq!(check(&layout, body(None, lists(1, None)), false), has_values);
    assert_eq!(check(&layout, body(data(&[0]), lists(1, None)), false), "");
    assert_eq!(check(&layout, body(None, lists(0, None)), false), "");
    assert_eq!(check(&layout, [Node::new("n", 1, vec![]).named("BODY")], false), "");
    assert_eq!(check(&layout, [numbers(None).named("BODY")], false), has_values);
    assert_eq!(check(&layout, [numbers(data(&[0])).named("BODY")], false), "");
    let text = |end, bytes| [Node::new("u", 1, vec![None, narrow(&[0, end]), data(bytes)]).named("BODY")];
    assert_eq!(check(&layout, text(0, b""), false), "");
    assert_eq!(check(&layout, text(1, b"x"), false), has_values);
}

/// A column of nulls has no values, for any expected type.
#[test]
fn columns_of_nulls() {
    let layout = copybook("01 R.\n05 A PIC 9 OCCURS 2.\n05 G.\n10 X PIC 9.\n");
    let batch = || [Node::new("n", 1, vec![]).named("G"), Node::new("n", 1, vec![]).named("A")];
    assert_eq!(check(&layout, batch(), false), "");
}

#[test]
fn schemas_that_are_not_columns() {
    let error = |node| stream([node]).err().expect("an error").to_string();
    assert_eq!(error(Node::new("u", 0, vec![])), "expected columns, but the stream is Utf8");
    let deep = (0..70).fold(Node::new("c", 0, vec![]), |inner, _| Node::new("+s", 0, vec![None]).with([inner]));
    assert_eq!(error(deep), "the column \"\" has more than 64 levels");
    let childless = Node::new("+l", 0, vec![]).named("A");
    assert_eq!(error(rows(0, [childless])), "the column \"A\" is List with 0 children");
    for (format, shown) in [
        ("b", "Boolean"),
        ("tdm", "Date64"),
        ("tsu:UTC", "Timestamp with a time zone"),
        ("d:5,2,256", "Decimal256"),
        ("?", "of an unknown type"),
    ] {
        let message = format!("the column of A is {shown}, which no field can contain");
        assert_eq!(read(Node::new(format, 0, vec![])), Err(message));
    }
}

#[test]
fn streams_end_and_fail() {
    let batch = || rows(1, [Node::new("c", 1, vec![None, data(&[1])]).named("A")]);
    let mut batches = stream([batch(), batch(), Node { format: "error".to_owned(), ..Node::default() }.named("disk")])
        .expect("a stream");
    for _ in 0..2 {
        let batch = batches.next_batch().unwrap().unwrap();
        assert_eq!(batch.rows(), Ok(1));
        assert!(Finder::new(&batch, false).access("B").unwrap().is_none());
    }
    assert_eq!(batches.next_batch().err().map(|error| error.to_string()), Some("disk".to_owned()));
    assert!(batches.next_batch().unwrap().is_none());
    let mut batches = stream([batch()]).expect("a stream");
    assert!(batches.next_batch().unwrap().is_some());
    assert!(batches.next_batch().unwrap().is_none());
    assert!(batches.next_batch().unwrap().is_none());
}

#[test]
fn messages_of_bad_values_name_the_bytes() {
    assert_eq!(BadValue::NotUtf8(b"ab\xE2\x82").to_string(), "the text is not valid UTF-8: E2 82 at byte 2");
}
