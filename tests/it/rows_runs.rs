//! Tests that reading many records at once gives the same records and values as reading them one by one.

use crate::common::layouts::{Choices, layout};
use charpipe::Registry;
use charpipe::codec::table::{Code, Mapping, Table, Way};
use charpipe::fields::{Decimal, FieldError, OnBad, RunReader, Value, Visitor};
use charpipe::records::{Record, Records, Shape, Skip, Split};
use charpipe::rows::{Batch, RowReader, Rows, RowsJob};
use proptest::prelude::*;
use std::io::BufReader;

// --- Records
// ----------------------------------------------------------------------------------------------------------

/// A record, and where it is.
type Found = (Vec<u8>, u64, u64, u64);

fn found(record: &Record<'_>) -> Found {
    (record.data.to_vec(), record.number, record.offset_of(0), record.file)
}

/// Returns all records, and the error after them. `choices` say which are read in runs, and which runs are put back.
fn all(mut records: Records<impl std::io::BufRead>, choices: &[u8]) -> (Vec<Found>, Option<String>, usize) {
    let (mut choices, mut all, mut in_runs) = (Choices(choices), Vec::new(), 0);
    loop {
        let choice = choices.of(4);
        if choice > 0
            && let Ok(Some(run)) = records.next_run(3, 1 + choices.of(5))
        {
            assert_eq!(run.records().count(), run.count());
            if choice > 1 {
                in_runs += run.count();
                all.extend(run.records().map(|record| found(&record)));
            } else {
                records.put_back_run();
            }
        }
        match records.next_record() {
            Ok(Some(record)) => all.push(found(&record)),
            Ok(None) => return (all, None, in_runs),
            Err(error) => return (all, Some(error.to_string()), in_runs),
        }
    }
}

/// Checks every way to read `input`. Returns how many records were read in runs.
fn check_records(input: &[u8], shape: &Shape, buffer: usize, part: Option<&Split>, choices: &[u8]) -> usize {
    let open = |buffer| {
        let begin = part.map_or(0, |part| part.begin as usize);
        let records = Records::new(BufReader::with_capacity(buffer, &input[begin..]), shape);
        if let Some(part) = part { records.part(part) } else { records }
    };
    let (expected, error, none) = all(open(buffer), &[]);
    assert_eq!(none, 0);
    let (records, its_error, in_runs) = all(open(buffer), choices);
    assert_eq!((records, its_error), (expected, error));
    in_runs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn runs_have_the_records_of_the_input(
        len in 0usize..70,
        buffer in 1usize..40,
        choices in prop::collection::vec(any::<u8>(), 0..60),
        part in proptest::option::of((0u64..20, 0u64..25, 0u64..3)),
    ) {
        let input: Vec<u8> = (0..len).map(|at| at as u8).collect();
        // The last part may end within a record, which is an error.
        let part = part.map(|(begin, records, rest)| {
            let begin = (3 * begin).min(len as u64 / 3 * 3);
            Split::new(begin, (begin + 3 * records + rest).min(len as u64), Some(begin / 3 + 1))
        });
        check_records(&input, &Shape::Fixed { lrecl: 3 }, buffer, part.as_ref(), &choices);
        for shape in [Shape::Fixed { lrecl: 4 }, Shape::RDW, Shape::U16] {
            prop_assert_eq!(check_records(&input, &shape, buffer, None, &choices), 0);
        }
    }
}

#[test]
fn a_run_has_as_many_records_as_the_buffer() {
    let input: Vec<u8> = (0..30).collect();
    let mut records = Records::new(BufReader::with_capacity(10, &input[..]), &Shape::Fixed { lrecl: 3 });
    let run = records.next_run(3, 2).unwrap().unwrap();
    assert_eq!((run.data, run.number, run.offset, run.count()), (&input[..6], 1, 0, 2));
    let run = records.next_run(3, 100).unwrap().unwrap();
    assert_eq!((run.data, run.number, run.offset), (&input[6..9], 3, 6));
    // One record is in two buffers.
    assert_eq!(records.next_run(3, 100).unwrap(), None);
    assert_eq!(records.next_record().unwrap().unwrap().data, &input[9..12]);
    assert_eq!(records.next_run(3, 100).unwrap().unwrap().number, 5);
    // Nothing was read since the run, so that it can be read again.
    records.put_back_run();
    records.put_back_run();
    assert_eq!(records.next_record().unwrap().unwrap().number, 5);
    records.put_back_run();
    assert_eq!(records.next_record().unwrap().unwrap().number, 6);
    // Other records than these have no runs, nor are there any to put back then.
    assert_eq!(records.next_run(2, 100).unwrap(), None);
    records.put_back_run();
    assert_eq!(records.next_run(3, 0).unwrap(), None);
    records.put_back_run();
    assert_eq!(records.next_record().unwrap().unwrap().number, 7);
}

/// What is not data is not a part of a run.
#[test]
fn runs_leave_out_what_is_skipped() {
    let input: Vec<u8> = (0..31).collect();
    let shape = Shape::Fixed { lrecl: 3 };
    for (job, expected) in [
        (RowsJob::new().skip_head(Skip::Records(2)).skip_tail(Skip::Bytes(1)), 8),
        (RowsJob::new().skip_head(Skip::Bytes(4)), 9),
        (RowsJob::new().skip_head(Skip::Bytes(1)).skip_tail(Skip::Records(3)), 7),
        (RowsJob::new().record_prefix(1).skip_tail(Skip::Bytes(1)), 10),
        (RowsJob::new().record_suffix(2).skip_tail(Skip::Bytes(1)), 10),
    ] {
        let rows = job.rows(&job.layout(b"A 1 1 text\n").unwrap()).unwrap();
        for choices in [&[3, 4].repeat(40), &[1, 4].repeat(40), &[2, 0, 0].repeat(40)] {
            let (one_by_one, error, _) = all(rows.records(&input[..], &shape), &[]);
            assert_eq!((one_by_one.len(), &error), (expected, &None));
            let (in_runs, error, _) = all(rows.records(&input[..], &shape), choices);
            assert_eq!((in_runs, error), (one_by_one, None));
        }
    }
}

// --- Values
// -----------------------------------------------------------------------------------------------------------

/// The values of each item, in the order of the records.
#[derive(Default)]
struct ByItem(std::collections::BTreeMap<usize, Vec<String>>);

impl Visitor for ByItem {
    type Error = FieldError;

    fn value(&mut self, item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
        self.0.entry(item).or_default().push(format!("{value:?}"));
        Ok(())
    }
}

/// Checks that a field of these records has these values, if it is read in a run.
fn check_field(runs: &mut RunReader, field: usize, records: &[u8], expected: &[String]) {
    let mut values = Vec::new();
    let is_read = runs.values_of(field, records, &mut |value| {
        values.push(format!("{value:?}"));
        true
    });
    assert_eq!(is_read, !expected.iter().any(|value| value == "Null"), "{expected:?}");
    if !is_read {
        return;
    }
    assert_eq!(values, expected);
    let (mut ends, mut text) = (vec![4], b"some".to_vec());
    if runs.texts(field, records, &mut ends, &mut text) {
        let text = String::from_utf8(text).unwrap();
        let texts = ends.windows(2).map(|ends| format!("{:?}", Value::Text(&text[ends[0] as usize..ends[1] as usize])));
        assert_eq!(texts.collect::<Vec<_>>(), expected);
    } else {
        assert!(!expected[0].starts_with("Text"), "{expected:?}");
    }
    check_numbers(runs, field, records, expected);
}

/// Checks the numbers of a field that can be read in a run.
fn check_numbers(runs: &mut RunReader, field: usize, records: &[u8], expected: &[String]) {
    let mut numbers = Vec::new();
    let is_read = runs.values_of(field, records, &mut |value| match value {
        Value::Number(number) => {
            numbers.push(number);
            true
        }
        _ => false,
    });
    let scale = numbers.first().map_or(0, Decimal::scale);
    let digits = numbers.iter().map(|number| number.magnitude().to_string().len()).max().unwrap_or(1) as u8;
    let mantissas: Option<Vec<i128>> = numbers.iter().map(Decimal::mantissa).collect();
    let integer = |mantissa: &i128| i64::try_from(*mantissa).ok();
    let integers: Option<Vec<i64>> = mantissas.as_ref().and_then(|all| all.iter().map(integer).collect());
    for (wanted, room) in [(scale, digits), (scale, digits - 1), (scale + 1, digits)] {
        let mut found = Vec::new();
        let fits = room == digits || numbers.iter().all(Decimal::is_zero);
        let is_readable = is_read && wanted == scale && fits && digits <= 38;
        let is_found = runs.decimals(field, records, wanted, room, &mut found);
        // A number that a field of eight bytes can have and an `i64` cannot may need a closer look.
        assert!(is_found == is_readable || is_readable && integers.is_none(), "{expected:?}");
        assert!(!is_found || Some(&found) == mantissas.as_ref(), "{expected:?}");
    }
    let mut found = Vec::new();
    let is_found = runs.integers(field, records, &mut found);
    assert_eq!(is_found, is_read && scale == 0 && integers.is_some(), "{expected:?}");
    assert!(!is_found || Some(found) == integers, "{expected:?}");
}

/// Reads records one by one and in a run. Returns how many fields were read in a run.
fn check_values(rows: &Rows, records: &[u8]) -> usize {
    let shape = Shape::Fixed { lrecl: rows.layout().max_len().max(1) as u32 };
    let mut reader: RowReader = rows.reader(&shape);
    let Some(mut runs) = reader.run_reader() else { return 0 };
    let len = runs.record_len();
    let records = &records[..records.len() / len * len];
    let mut expected = ByItem::default();
    for (number, record) in (1..).zip(records.chunks_exact(len)) {
        let row = reader.read(number, record, &mut expected).unwrap();
        assert_eq!((row.cut, row.unused, row.len), (0, 0, len));
    }
    let items = runs.items().to_vec();
    assert_eq!(runs.values(), items.iter().map(|(_, count)| count).sum::<usize>());
    if records.is_empty() {
        return 0;
    }
    assert_eq!(items.iter().map(|(item, _)| *item).collect::<Vec<_>>(), expected.0.keys().copied().collect::<Vec<_>>());
    for (field, (item, count)) in items.into_iter().enumerate() {
        assert_eq!(expected.0[&item].len(), count * records.len() / len);
        check_field(&mut runs, field, records, &expected.0[&item]);
    }
    expected.0.len()
}

const LIKELY: &[u8] = b"\x00\x01\x12\x1C\x1D\x3F\x40\x81\xC1\xF0\xF1\xF9";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn runs_have_the_values_of_their_records(
        choices in prop::collection::vec(any::<u8>(), 0..120),
        random in prop::collection::vec(any::<u8>(), 0..900),
        likely in prop::collection::vec(prop::sample::select(LIKELY), 0..900),
        lenient in any::<bool>(),
    ) {
        let job = RowsJob::new().on_bad(OnBad::Null).set("from", "IBM939").unwrap();
        let job = job.empty_is_null(lenient).loose_numbers(false);
        let rows = job.rows(&layout(&choices, false)).unwrap();
        for records in [random, likely] {
            check_values(&rows, &records);
        }
    }
}

/// Returns the rows of a list of fields.
fn rows(list: &str, options: &[(&str, &str)]) -> Rows {
    let job = options.iter().fold(RowsJob::new(), |job, (name, value)| job.set(name, value).unwrap());
    job.rows(&job.layout(list.as_bytes()).unwrap()).unwrap()
}

#[test]
fn texts_are_decoded_together() {
    let list = "A 1 4 text\nB 5 3 text\n";
    // Spaces, an empty text, a character outside of ASCII.
    for (from, records) in [
        ("IBM037", &b"\xC1\x40\xC2\x40\x40\x40\x40\x40\x40\x40\x40\xC3\xC4\xC5"[..]),
        ("IBM273", b"\xC1\x40\x4A\x40\x40\x40\x40\x40\x40\x40\x40\xC3\xC4\xC5"),
        ("UTF-8", b"a \xC3\xA4    b   cde"),
        ("ISO-8859-1", b"a \xE4\0   b   cde"),
    ] {
        for trim in ["none", "blanks", "nuls", "blanks,nuls"] {
            assert_eq!(check_values(&rows(list, &[("from", from), ("trim", trim), ("on-bad", "null")]), records), 2);
        }
    }
}

/// In a table of a user, another byte can be a space too, which is trimmed like the one that texts are filled up with.
#[test]
fn all_blanks_are_trimmed() {
    let mut registry = Registry::builtin();
    let mut table = Table::from_fn("X-BLANKS", "", |byte| byte.is_ascii().then_some(byte.into()));
    let code = Code::new(b"\xFF").unwrap();
    table.mappings.push(Mapping { code, ch: ' ', way: Way::ToText });
    registry.register_table(table).unwrap();
    let job = RowsJob::new().registry(registry).set("from", "X-BLANKS").unwrap();
    let rows = job.rows(&job.layout(b"A 1 4 text\n").unwrap()).unwrap();
    for records in [&b"abcd\xFF\xFFab    abc "[..], b"abcdab\xFF a\xFF \xFF    "] {
        assert_eq!(check_values(&rows, records), 1);
    }
}

#[test]
fn what_depends_on_the_record_has_no_runs() {
    let reads = |list: &str, options: &[(&str, &str)]| {
        rows(list, options).reader(&Shape::Fixed { lrecl: 9 }).run_reader().is_some()
    };
    let list = "A 1 6 text\nB 7 3 zoned\n";
    assert!(reads(list, &[]));
    assert!(reads(list, &[("select", "B")]));
    for (name, value) in [("exact", "true"), ("controls", "space"), ("record-newlines", "space"), ("dates", "A=YYMMDD")]
    {
        assert!(!reads(list, &[(name, value)]), "{name}");
    }
    assert!(!reads(list, &[("null-indicator", "A=B")]));
    let array = |occurs: &str| {
        format!("       01 R.\n           05 N PIC 9.\n           05 E {occurs}.\n              10 V PIC X.\n")
    };
    assert!(reads(&array("OCCURS 8"), &[]));
    assert!(!reads(&array("OCCURS 1 TO 8 DEPENDING ON N"), &[]));
    assert!(!reads(&array("OCCURS 5000"), &[]));
    assert!(!reads(&array(""), &[("when", "N=1: E")]));
}

/// Batches have the records that are read one by one, however the input is cut.
#[test]
fn batches_have_the_records_of_the_input() {
    let input: Vec<u8> = (0..100).collect();
    let job = RowsJob::new();
    let rows = job.rows(&job.layout(b"A 1 1 text\n").unwrap()).unwrap();
    for (lrecl, buffer) in [(1, 7), (3, 1), (3, 2), (3, 3), (3, 10), (3, 100), (4, 16), (100, 30), (101, 40)] {
        let shape = Shape::Fixed { lrecl };
        let input = || BufReader::with_capacity(buffer, &input[..]);
        let (expected, error, _) = all(Records::new(input(), &shape), &[]);
        let (mut batches, mut batch, mut records) = (rows.batches(input(), &shape), Batch::default(), Vec::new());
        let read = loop {
            let read = batches.read(&mut batch);
            records.extend(batch.records(0).map(|record| {
                assert_eq!((record.offset_of(0), record.offset_of(1)), (record.offset, record.offset + 1));
                (record.data.to_vec(), record.number, record.offset, 1)
            }));
            match read {
                Ok(true) => {}
                Ok(false) => break None,
                Err(error) => break Some(error.to_string()),
            }
        };
        assert_eq!((records, read), (expected, error), "{lrecl} {buffer}");
    }
}

#[test]
fn the_place_of_a_value_is_found() {
    let mut reader = rows("A 1 1 text\nB 2 3*2 zoned\nC 8 1 text\n", &[]).reader(&Shape::RDW);
    let places: Vec<_> = (0..5).map(|index| reader.place(b"\xC1\xF0\xF1\xF2\xF0\xF1\xF2\xC1", index)).collect();
    assert_eq!(places, [0..1, 1..4, 4..7, 7..8, 7..8]);
}
