//! Random layouts, and the properties that every layout and every record must have. The fuzz target `fields` uses this
//! as well.

use charpipe::Registry;
use charpipe::fields::{
    Binary, ByteOrder, Edited, EditedSign, FieldError, FieldKind, Float, FloatFormat, Item, Layout, Occurs, OnBad,
    Packed, PackedSign, Problem, ReadOptions, SignPlace, Test, Text, Value, ValueSource, Visitor, When, Zoned,
    ZonedSigns,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Makes choices out of bytes. Without any left, every choice is the first one.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    pub fn of(&mut self, count: usize) -> usize {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                usize::from(*first) % count
            }
            [] => 0,
        }
    }
}

const SIGNS: [SignPlace; 5] = [
    SignPlace::Trailing,
    SignPlace::Unsigned,
    SignPlace::Leading,
    SignPlace::TrailingSeparate,
    SignPlace::LeadingSeparate,
];

/// Returns `value`, changed by `change`.
pub fn with<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}

/// Chooses a kind.
fn kind(choices: &mut Choices<'_>) -> FieldKind {
    let scale = choices.of(9) as i8 - 3;
    let order = [ByteOrder::Big, ByteOrder::Little][choices.of(2)];
    match choices.of(9) {
        0 => FieldKind::text(1 + choices.of(12)),
        1 => {
            let text = [Text::graphic, Text::national, Text::new][choices.of(3)](2 * (1 + choices.of(6)));
            let varying = text.page.is_some() || choices.of(2) == 0;
            FieldKind::Text(with(text, |text| text.varying = varying))
        }
        2 => {
            let signs =
                [None, Some(ZonedSigns::Ebcdic), Some(ZonedSigns::AsciiLetters), Some(ZonedSigns::AsciiLowercase)];
            let (sign, signs) = (SIGNS[choices.of(5)], signs[choices.of(4)]);
            let mut zoned = Zoned::new(1 + choices.of(34) as u8, scale);
            (zoned.sign, zoned.signs) = (sign, signs);
            FieldKind::Zoned(zoned)
        }
        3 => {
            let sign = [PackedSign::Signed, PackedSign::Unsigned, PackedSign::Absent][choices.of(3)];
            FieldKind::Packed(with(Packed::new(1 + choices.of(34) as u8, scale), |packed| packed.sign = sign))
        }
        4 => {
            let (len, signed) = (1 + choices.of(16) as u8, choices.of(2) == 0);
            let digits = [None, Some(1 + 2 * len)][choices.of(2)];
            // With zeros after them, the largest numbers would not be decimals.
            let scale = if len > 14 { scale.max(0) } else { scale };
            let mut binary = Binary::native(len);
            (binary.signed, binary.scale, binary.order, binary.digits) = (signed, scale, order, digits);
            FieldKind::Binary(binary)
        }
        5 => {
            let mut float = [Float::COMP_2, Float::COMP_1][choices.of(2)];
            (float.format, float.order) = ([FloatFormat::Ibm, FloatFormat::Ieee][choices.of(2)], order);
            FieldKind::Float(float)
        }
        6 => {
            let digits = 1 + choices.of(34) as u8;
            let scale = choices.of(usize::from(digits) + 1) as i8;
            // A number of Z only has no sign if it is zero.
            let blanks = choices.of(usize::from(digits)) as u8;
            let sign = EditedSign::ALL[choices.of(EditedSign::ALL.len())];
            let point = scale > 0 && choices.of(2) == 0;
            let mut edited = Edited::new(digits);
            (edited.scale, edited.blanks, edited.point, edited.sign) = (scale, blanks, point, sign);
            FieldKind::Edited(edited)
        }
        7 => FieldKind::Text(Text::national(2 * (1 + choices.of(4)))),
        _ => FieldKind::Raw(1 + choices.of(5)),
    }
}

/// Adds items of this level: fields, groups, arrays, and with `all` also counts and alternatives.
fn items(choices: &mut Choices<'_>, level: u8, all: bool, items_: &mut Vec<Item>) {
    for _ in 0..1 + choices.of(3) {
        let name = format!("F{}", items_.len());
        match choices.of(if all { 8 } else { 4 }) {
            0 | 1 => items_.push(Item::field(level, name, kind(choices))),
            2 if level < 4 => {
                items_.push(Item::group(level, name));
                items(choices, level + 1, all, items_);
            }
            3 if level < 4 => {
                items_.push(Item::group(level, name).occurring(Occurs::times(1 + choices.of(3))));
                items(choices, level + 1, all, items_);
            }
            4 if level < 4 => {
                let counter = FieldKind::Binary(with(Binary::native(1), |binary| binary.signed = false));
                items_.push(Item::field(level, format!("N{}", items_.len()), counter));
                let field = format!("N{}", items_.len() - 1);
                items_.push(Item::group(level, name).occurring(Occurs::depending_on(choices.of(2), 3, field)));
                items(choices, level + 1, all, items_);
            }
            5 if level < 4 => {
                items_.push(Item::field(level, name.clone(), FieldKind::Raw(1 + choices.of(8))));
                items_.push(Item::group(level, format!("G{}", items_.len())).redefining(name));
                items(choices, level + 1, all, items_);
            }
            6 if level < 4 => {
                let test = Test::Bytes { offset: 0, values: vec![vec![choices.of(4) as u8]] };
                items_.push(Item::group(level, name.clone()).applying(When::new(vec![test])));
                items(choices, level + 1, false, items_);
                items_
                    .push(Item::group(level, format!("G{}", items_.len())).redefining(name).applying(When::OTHERWISE));
                items(choices, level + 1, false, items_);
            }
            // Alternatives of each element, by one of its fields.
            7 if level < 3 => {
                items_.push(Item::group(level, name.clone()).occurring(Occurs::times(1 + choices.of(3))));
                items_.push(Item::field(level + 1, format!("K{name}"), FieldKind::Raw(1)));
                let when = When::field(format!("K{name}"), format!("0{}", choices.of(4)));
                items_.push(Item::group(level + 1, format!("A{name}")).applying(when));
                items(choices, level + 2, false, items_);
                let other = Item::group(level + 1, format!("B{name}")).redefining(format!("A{name}"));
                items_.push(other.applying(When::OTHERWISE));
                items(choices, level + 2, false, items_);
            }
            _ => items_.push(Item::filler(level, Some(kind(choices)))),
        }
    }
}

/// Returns the layout that `choices` stand for; with `all`, it may have counts and alternatives.
pub fn layout(choices: &[u8], all: bool) -> Layout {
    let mut all_items = vec![Item::field(1, "FIRST", FieldKind::Raw(1))];
    items(&mut Choices(choices), 1, all, &mut all_items);
    Layout::new(all_items).unwrap()
}

/// Holds the values of a record by column, as their bytes or their text.
#[derive(Default, PartialEq, Debug)]
pub struct Values(pub BTreeMap<usize, Result<String, Vec<u8>>>);

impl Visitor for Values {
    type Error = FieldError;

    fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        let value = match value {
            Value::Raw(bytes) => Err(bytes.to_vec()),
            Value::Null => return Ok(()),
            value => Ok(value.to_string()),
        };
        assert!(self.0.insert(column, value).is_none(), "column {column} has two values");
        Ok(())
    }
}

impl ValueSource for Values {
    fn value(&mut self, _item: usize, column: usize) -> Option<Value<'_>> {
        Some(match self.0.get(&column)? {
            Ok(text) => Value::Text(text),
            Err(bytes) => Value::Raw(bytes),
        })
    }
}

/// Checks that each value comes after its place, and that the bytes of the value are in that place.
struct Places<'a> {
    layout: &'a Layout,
    record: &'a [u8],
    /// The item, the column and the place whose value comes next.
    next: Option<(usize, usize, Range<usize>)>,
}

impl Visitor for Places<'_> {
    type Error = FieldError;

    fn place(&mut self, item: usize, column: usize, place: Range<usize>) -> Result<(), FieldError> {
        assert_eq!(Some(place.len()), self.layout.items()[item].kind.as_ref().map(FieldKind::len));
        assert_eq!(self.next.replace((item, column, place)), None, "a place without a value");
        Ok(())
    }

    fn bad(&mut self, _item: usize, _column: usize, error: FieldError) -> Result<(), FieldError> {
        match error.problem() {
            // Known only when the array begins, after the value of the count.
            Problem::CountOutOfBounds { count, bounds, .. } => {
                assert!(count == "0" && bounds.0 > 0 && self.next.is_none(), "{error}");
            }
            _ => assert_eq!(self.next.as_ref().map(|next| next.2.start), Some(error.offset())),
        }
        assert!(error.to_string().ends_with(&error.message()), "{error}");
        Ok(())
    }

    fn value(&mut self, item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
        let (its_item, its_column, place) = self.next.take().expect("a place comes before its value");
        assert_eq!((its_item, its_column), (item, column));
        if let Value::Raw(bytes) = value {
            assert_eq!(self.record.get(place), Some(bytes));
        }
        Ok(())
    }
}

/// Reads `record` by the layout that `choices` stand for, in several ways, and writes it back.
///
/// # Panics
/// If it does not come back byte for byte, although it was read; or if a selection of fields gives other values.
pub fn check_bytes(choices: &[u8], record: &[u8]) {
    let layout = layout(choices, true);
    check_record(&layout, record);
    // The first byte says whether every second field is null.
    let mut items = layout.items().to_vec();
    for item in items.iter_mut().skip(1).step_by(2).filter(|item| !item.is_group()) {
        item.null_indicator = Some("FIRST".to_owned());
    }
    let layout = Layout::new(items).unwrap();
    check_record(&layout, record);
    check_record(&layout, &[b"\xFF", record.get(1..).unwrap_or_default()].concat());
}

fn check_record(layout: &Layout, record: &[u8]) {
    let registry = Registry::builtin();
    let codec = registry.codec("IBM939").unwrap();
    let read = |options: ReadOptions| {
        let mut values = Values::default();
        let row = layout.reader(&registry, &codec, &options).unwrap().read(1, record, &mut values);
        (row, values)
    };
    for options in [ReadOptions::new(), ReadOptions::new().empty_is_null(true).on_bad(OnBad::Null).short_records(true)]
    {
        let _ = read(options);
    }
    for on_bad in [OnBad::Raw, OnBad::Report] {
        let options = ReadOptions::new().on_bad(on_bad).fillers(true);
        let mut places = Places { layout, record, next: None };
        let _ = layout.reader(&registry, &codec, &options).unwrap().read(1, record, &mut places);
    }
    let (row, mut values) = read(ReadOptions::new().canonical(true).on_bad(OnBad::Raw).fillers(true));
    let Ok(row) = row else { return };
    // Columns are those that are listed, in order.
    let columns = layout.reader(&registry, &codec, &ReadOptions::new().fillers(true)).unwrap().columns().unwrap();
    assert!(values.0.keys().all(|column| *column < columns.len()));
    if row.len > record.len() {
        return;
    }
    let mut written = Vec::new();
    layout.writer(&registry, &codec).unwrap().write(1, &mut values, &mut written).unwrap();
    assert_eq!(written, record, "{values:?}");
    let mut again = Values::default();
    let options = ReadOptions::new().canonical(true).on_bad(OnBad::Raw).fillers(true);
    layout.reader(&registry, &codec, &options).unwrap().read(1, &written, &mut again).unwrap();
    assert_eq!(again, values);
    // A selection gives the same values.
    for (index, column) in columns.iter().enumerate().take(8) {
        let name = layout.path(column.item);
        let (_, some) = read(ReadOptions::new().canonical(true).on_bad(OnBad::Raw).select([name]));
        let ordinal = columns[..index].iter().filter(|other| other.item == column.item).count();
        assert_eq!(some.0.get(&ordinal), values.0.get(&index), "{name}");
    }
}
