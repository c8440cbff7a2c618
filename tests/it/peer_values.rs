//! Tests that numbers have the values which Cobrix (Apache-2.0) gives them: pictures, bytes and values as in its tests
//! `test19` and `test24`.

use charpipe::Registry;
use charpipe::fields::{Copybook, FieldError, OnBad, ReadOptions, Value, Visitor};

/// The clauses of an item, its bytes in hex, and its value.
const NUMBERS: &[(&str, &str, &str)] = &[
    ("PIC 9(19)", "F3F0F5F0F3F9F3F2F5F7F6F7F6F2F6F7F6F8F7", "3050393257676267687"),
    ("PIC S9(20)", "F3F0F5F0F3F9F3F2F5F7F6F7F6F2F6F7F6F8F7D0", "-30503932576762676870"),
    ("PIC S9(3)V99", "F3F0F5F0D3", "-305.03"),
    // A sign in the zone, and a point.
    ("PIC S9(3).99", "F3F0F54BF0D3", "-305.03"),
    ("PIC S9(4).9(4)", "F3F9F3F44BF5F4F9C7", "3934.5497"),
    // Binary numbers, including numbers of more than 18 digits.
    ("PIC 9(5) COMP-5", "00007727", "30503"),
    ("PIC 9(11) BINARY", "000000071A2D12A0", "30503932576"),
    ("PIC 9(19) BINARY", "002A552C81950A60A7", "3050393257676267687"),
    ("PIC 9(20) BINARY", "01A753BD0FD267C686", "30503932576762676870"),
    ("PIC 9(37) BINARY", "024B7BFFC8D447DB90082F6DB69CE34A", "3050393257676267687078781717600592714"),
    ("PIC S9(19) BINARY", "FFD5AAD37E6AF59F59", "-3050393257676267687"),
    ("PIC S9(20) BINARY", "FE58AC42F02D98397A", "-30503932576762676870"),
    ("PIC S9(37) BINARY", "FDB48400372BB8246FF7D09249631CB6", "-3050393257676267687078781717600592714"),
    ("PIC 9(17)V99 COMP", "002A552C81950A60A7", "30503932576762676.87"),
    ("PIC S9(18)V9(10) COMP", "F624C61A2794B3E129941CEB", "-305039325767626768.7078781717"),
    // Packed numbers.
    ("PIC 9(2) COMP-3", "030F", "30"),
    ("PIC S9(37) COMP-3", "3050393257676267687078781717600592714D", "-3050393257676267687078781717600592714"),
    ("PIC S9(18)V9(10) COMP-3", "03050393257676267687078781717D", "-305039325767626768.7078781717"),
    ("PIC V9(5) COMP-3", "30503F", "0.30503"),
    ("PIC PPP9(5) COMP-3", "30503F", "0.00030503"),
    ("PIC SPP99999 COMP-3", "30503D", "-0.0030503"),
    ("PIC S99999PPP COMP-3", "30503D", "-30503000"),
    // Signs.
    ("PIC S9(9) SIGN IS LEADING SEPARATE", "60F3F0F5F0F3F9F3F2F5", "-305039325"),
    ("PIC 99V99 SIGN IS LEADING SEPARATE CHARACTER", "60F3F0F5F0", "-30.50"),
    ("PIC 99V99 SIGN TRAILING SEPARATE", "F3F0F5F060", "-30.50"),
    ("PIC SV9(7) SIGN LEADING", "D3F0F5F0F3F9F3", "-0.3050393"),
    ("PIC SV9(7) SIGN TRAILING", "F3F0F5F0F3F9D3", "-0.3050393"),
    // Zeros that P stands for.
    ("PIC SPPP9(5)", "F3F0F5F0D3", "-0.00030503"),
    ("PIC S9(5)PPP", "F3F0F5F0D3", "-30503000"),
    ("PIC S9PPPV COMP", "0003", "3000"),
    ("PIC SPPP9(10) COMP", "00000000B5D14EA9", "0.0003050393257"),
    // Edited numbers.
    ("PIC +9(8)", "60F3F0F5F0F3F9F3F2", "-30503932"),
    ("PIC +9(8)", "4EF7F8F4F4F9F7F3F7", "78449737"),
    ("PIC 9(8)+", "F3F0F5F0F3F9F3F260", "-30503932"),
    ("PIC -9(8)", "60F3F0F5F0F3F9F3F2", "-30503932"),
    ("PIC Z(8)-", "F3F0F5F0F3F9F3F260", "-30503932"),
    ("PIC +9(6)V99", "60F3F0F5F0F3F9F3F2", "-305039.32"),
    ("PIC Z(6)VZZ-", "F3F0F5F0F3F9F3F260", "-305039.32"),
    ("PIC 9(6).99-", "F3F0F5F0F3F94BF3F260", "-305039.32"),
];

/// The same, in another form than the one that would be written.
const OTHER_FORMS: &[(&str, &str, &str)] = &[
    ("PIC V9(5) COMP-3", "30503C", "0.30503"),
    // A plus where the picture has none for a positive number.
    ("PIC -9(8)", "4EF7F8F4F4F9F7F3F7", "78449737"),
    ("PIC Z(6)VZZ-", "F7F8F4F4F9F7F3F74E", "784497.37"),
    // Spaces or NULs instead of zeros in front.
    ("PIC 9(8).9(2)", "4040404040F7F8F94BF0F9", "789.09"),
    ("PIC 9(8)", "40404040F7F8F9F0", "7890"),
    ("PIC 9(4)V99", "0000F7F8F9F0", "78.90"),
    ("PIC S9(4)V99", "404040F8F9D0", "-8.90"),
    ("PIC S9(4) SIGN TRAILING SEPARATE", "4040F8F960", "-89"),
];

/// Keeps the text of the last value.
struct Last(String);

impl Visitor for Last {
    type Error = FieldError;

    fn value(&mut self, _item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
        self.0 = if value == Value::Null { "null".into() } else { value.to_string() };
        Ok(())
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// The value of a field with these clauses and bytes.
fn value(clauses: &str, hex: &str, options: &ReadOptions) -> Result<String, FieldError> {
    let registry = Registry::builtin();
    let layout = Copybook::new().read(format!("05 A {clauses}.").as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let mut reader = layout.reader(&registry, &registry.codec("IBM037").unwrap(), options).unwrap();
    let mut last = Last(String::new());
    reader.read(1, &bytes(hex), &mut last).map(|_| last.0)
}

#[test]
fn numbers_have_the_values_of_cobrix() {
    for (clauses, hex, expected) in NUMBERS {
        // Canonical: they are written as these bytes.
        let found = value(clauses, hex, &ReadOptions::new().canonical(true));
        assert_eq!(found.as_deref(), Ok(*expected), "{clauses} {hex}");
    }
}

#[test]
fn other_forms_have_the_values_of_cobrix() {
    for (clauses, hex, expected) in OTHER_FORMS {
        assert_eq!(value(clauses, hex, &ReadOptions::new()).as_deref(), Ok(*expected), "{clauses} {hex}");
        let error = value(clauses, hex, &ReadOptions::new().canonical(true)).unwrap_err();
        assert_eq!(error.code(), "not-canonical", "{clauses} {hex}");
    }
}

#[test]
fn blank_numbers() {
    let strict = ReadOptions::new();
    let lenient = ReadOptions::new().on_bad(OnBad::Null);
    for (clauses, hex) in [("PIC 9(4)", "40404040"), ("PIC S9(3) SIGN TRAILING SEPARATE", "40404040")] {
        assert_eq!(value(clauses, hex, &strict).unwrap_err().code(), "bad-number", "{clauses}");
        assert_eq!(value(clauses, hex, &lenient).as_deref(), Ok("null"), "{clauses}");
    }
    // COBOL leaves an edited number blank where BLANK WHEN ZERO says so, or a program that has no value for it.
    assert_eq!(value("PIC 9(2).9", "40404040", &strict).as_deref(), Ok("null"));
    assert_eq!(value("PIC ZZ.Z", "40404040", &strict).as_deref(), Ok("0.0"));
    // Spaces behind digits, or between them, are mistakes.
    for (clauses, hex) in
        [("PIC 9(4)", "F1F24040"), ("PIC 9(4)", "40F140F2"), ("PIC S9(3) SIGN TRAILING SEPARATE", "40404060")]
    {
        assert_eq!(value(clauses, hex, &strict).unwrap_err().code(), "bad-number", "{clauses} {hex}");
    }
}

#[test]
fn lengths_are_those_of_cobrix() {
    let length = |clauses: &str| {
        Copybook::new().read(format!("05 A {clauses}.").as_bytes()).unwrap_or_else(|error| panic!("{error}")).max_len()
    };
    for (clauses, hex, _) in NUMBERS {
        assert_eq!(length(clauses), hex.len() / 2, "{clauses}");
    }
    for (digits, len) in [(1, 1), (2, 1), (3, 2), (9, 4), (10, 8), (18, 8), (19, 9)] {
        assert_eq!(length(&format!("PIC 9({digits}) COMP-9")), len, "{digits}");
    }
}
