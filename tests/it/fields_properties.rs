//! Tests random layouts and records: records that were read are written back byte for byte, values that were written
//! are read back unchanged, and nothing panics.

use crate::common::layouts::{Choices, Values, check_bytes, layout};
use charpipe::Registry;
use charpipe::fields::{self, EditedSign, FieldKind, PackedSign, ReadOptions, SignPlace, Text};
use proptest::prelude::*;

/// Returns a value that the kind can hold, and what reading it gives.
fn value(kind: &FieldKind, choices: &mut Choices<'_>) -> String {
    const WORDS: [&str; 5] = ["", "A", "a B", "b-c", "1234567890"];
    let number = |digits: u8, scale: i8, signed: bool, choices: &mut Choices<'_>| {
        let count = 1 + choices.of(usize::from(digits));
        let digits: String = (0..count).map(|_| char::from(b'0' + choices.of(10) as u8)).collect();
        let sign = if signed && choices.of(2) == 1 { "-" } else { "" };
        format!("{sign}{digits}e{}", -i32::from(scale))
    };
    match kind {
        FieldKind::Text(Text { double_byte: true, len, .. }) => "本".repeat(choices.of(len / 2 + 1)),
        FieldKind::Text(text) => {
            let room = if text.page.is_some() { text.len / 2 } else { text.len };
            WORDS[choices.of(5)].chars().take(room).collect::<String>().trim_end().to_owned()
        }
        FieldKind::Zoned(zoned) => number(zoned.digits, zoned.scale, zoned.sign != SignPlace::Unsigned, choices),
        FieldKind::Edited(edited) => number(edited.digits, edited.scale, edited.sign != EditedSign::Absent, choices),
        FieldKind::Packed(packed) => number(packed.digits, packed.scale, packed.sign == PackedSign::Signed, choices),
        FieldKind::Binary(binary) => number(2 * binary.len, binary.scale, binary.signed && binary.len > 0, choices),
        FieldKind::Float(_) => ["0.0", "1.5", "-118.625", "1024.0", "-0.03125"][choices.of(5)].into(),
        _ => "00".repeat(kind.len()),
    }
}

fn check_values(choices: &[u8], more: &[u8]) {
    let (layout, registry) = (layout(choices, false), Registry::builtin());
    let codec = registry.codec("IBM939").unwrap();
    let mut writer = layout.writer(&registry, &codec).unwrap();
    let mut choices = Choices(more);
    let mut values = Values::default();
    for (index, column) in writer.columns().unwrap().iter().enumerate() {
        let kind = layout.items()[column.item].kind.as_ref().unwrap();
        values.0.insert(index, Ok(value(kind, &mut choices)));
    }
    let mut record = Vec::new();
    writer.write(1, &mut values, &mut record).unwrap();
    assert_eq!(record.len(), layout.max_len());
    let mut read = Values::default();
    let options = ReadOptions::new().fillers(true).canonical(true);
    layout.reader(&registry, &codec, &options).unwrap().read(1, &record, &mut read).unwrap();
    for (column, value) in &values.0 {
        let (expected, found) = (value.as_ref().unwrap(), &read.0[column]);
        let same = match found {
            Err(bytes) => fields::Value::Raw(bytes).to_string() == *expected,
            Ok(found) if found == expected => true,
            Ok(found) => match (found.parse::<charpipe::fields::Decimal>(), expected.parse()) {
                (Ok(found), Ok(expected)) => found.same_value(&expected),
                _ => false,
            },
        };
        assert!(same, "{expected:?} became {found:?}");
    }
}

/// Bytes of digits, signs, letters, spaces and shift codes.
const LIKELY: &[u8] = b"\x00\x01\x02\x0C\x12\x1D\x3F\x40\xC1\xC5\xD3\xF0\xF1\xF9\x0E\x0F";

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_come_back(choices in bytes(120), record in bytes(300)) {
        check_bytes(&choices, &record);
    }

    /// Bytes that are digits and spaces more often.
    #[test]
    fn likely_bytes_come_back(
        choices in bytes(120),
        record in prop::collection::vec(prop::sample::select(LIKELY), 0..300),
    ) {
        check_bytes(&choices, &record);
    }

    #[test]
    fn any_values_come_back(choices in bytes(120), more in bytes(600)) {
        check_values(&choices, &more);
    }
}
