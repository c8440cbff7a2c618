//! Tests copybooks and programs with habits of other compilers: clauses, currency signs, periods that end nothing, and
//! records that redefine others.

use super::common::installed;
use charpipe::fields::{Copybook, CopybookForm, FieldKind, Layout};
use std::fs;
use std::process::Command;

fn read(text: &str) -> Layout {
    let copybook = Copybook::new().form(CopybookForm::Free);
    copybook.read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The names and the lengths of the elementary items.
fn lengths(layout: &Layout) -> Vec<String> {
    let fields = layout.items().iter().enumerate().filter(|(_, item)| !item.is_group());
    fields.map(|(index, item)| format!("{} {}", item.name.as_deref().unwrap(), layout.len_of(index))).collect()
}

/// What GnuCOBOL says of the items with these names; `None` without it.
fn lengths_in_cobol(head: &str, records: &str, names: &[&str]) -> Option<Vec<String>> {
    if !installed("GnuCOBOL", &["cobc", "--version"]) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let shown: Vec<_> = names.iter().map(|name| format!("DISPLAY '{name} ' LENGTH OF {name}.\n")).collect();
    let program = format!(
        "IDENTIFICATION DIVISION. PROGRAM-ID. ORACLE.\n{head}DATA DIVISION. WORKING-STORAGE SECTION.\n{records}\
         PROCEDURE DIVISION.\n{}STOP RUN.\n",
        shown.concat()
    );
    fs::write(folder.path().join("oracle.cob"), program).unwrap();
    let args = ["-x", "-free", "-std=ibm", "-o", "oracle", "oracle.cob"];
    let compiled = Command::new("cobc").args(args).current_dir(&folder).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(folder.path().join("oracle")).output().unwrap();
    // Version 4 prints lengths with zeros before them.
    let bare = |line: &str| {
        let (name, length) = line.split_once(' ').unwrap();
        format!("{name} {}", length.trim_start_matches('0'))
    };
    Some(String::from_utf8(output.stdout).unwrap().lines().map(bare).collect())
}

// --- Clauses ----------------------------------------------------------------------------------------------------------

/// `COMP-X` has as few bytes as its digits need, and `PIC X` of a binary usage is a number of this many bytes.
const FEWEST: &str = "\
01 R.
   05 A PIC 9 COMP-X.
   05 B PIC S9(2) COMP-X.
   05 C PIC 9(3) COMP-X.
   05 D PIC S9(5)V99 COMPUTATIONAL-X.
   05 E PIC 9(9) COMP-X.
   05 F PIC 9(10) COMP-X.
   05 G PIC S9(14) COMP-X.
   05 H PIC 9(16) COMP-X.
   05 I PIC 9(18) COMP-X.
   05 J PIC X(3) COMP-X.
   05 K PIC X(4) COMP-5.
";

#[test]
fn binary_numbers_of_as_few_bytes_as_they_need() {
    let layout = read(FEWEST);
    let expected = ["A 1", "B 1", "C 2", "D 3", "E 4", "F 5", "G 6", "H 7", "I 8", "J 3", "K 4"];
    assert_eq!(lengths(&layout), expected);
    let names: Vec<_> = expected.iter().map(|row| &row[..1]).collect();
    if let Some(found) = lengths_in_cobol("", FEWEST, &names) {
        assert_eq!(found, expected);
    }
    let kind = |name: &str| layout.items()[layout.find(name).unwrap()].kind.as_ref().unwrap().to_string();
    assert_eq!(["B", "D", "J", "K"].map(kind), ["binary", "binary.2", "binary,unsigned", "binary,unsigned"]);
}

#[test]
fn clauses_of_other_compilers_are_skipped() {
    let text = "\
01 R IS SPECIAL-NAMES CURSOR.
   05 A PIC X EXTERNAL AS 'a-name'.
   05 B BASED PIC 9(3).
   05 C PIC 9(5) IS SPECIAL-NAMES CRT STATUS.
   05 D PROGRAM-POINTER.
";
    assert_eq!(lengths(&read(text)), ["A 1", "B 3", "C 5", "D 8"]);
}

#[test]
fn a_member_in_quotes_that_is_not_there_is_named() {
    let error = |text: &str| Copybook::new().form(CopybookForm::Free).read(text.as_bytes()).unwrap_err().to_string();
    let expected = "line 1, column 7: there is no file for COPY rates.cpy: name the directory that has it (copy-path)";
    assert_eq!(error("01 A. COPY 'rates.cpy'. 05 B PIC X."), expected);
    assert_eq!(error("01 A. COPY \"rates.cpy\"."), expected);
}

// --- Currency signs ---------------------------------------------------------------------------------------------------

const PRICES: &str = "\
01 PRICE.
   05 A PIC F999.
   05 B PIC FF,FF9.99.
   05 C PIC F(3)9BCR.
   05 D PIC -F(5).
   05 E PIC 9(3).
";

#[test]
fn a_currency_sign_is_a_symbol_of_pictures() {
    let head = "ENVIRONMENT DIVISION. CONFIGURATION SECTION.\nSPECIAL-NAMES. CURRENCY SIGN IS 'F'.\n";
    let expected = ["A 4", "B 9", "C 7", "D 6", "E 3"];
    for program in [
        format!("{head}DATA DIVISION. WORKING-STORAGE SECTION.\n{PRICES}"),
        format!("CONFIGURATION SECTION. SOURCE-COMPUTER. IBM-370. SPECIAL-NAMES. CURRENCY 'F'. {PRICES}"),
        format!("SPECIAL-NAMES.\n CURRENCY SIGN 'f' . {PRICES}"),
        format!("CONFIGURATION SECTION. SPECIAL-NAMES. DATA DIVISION. {}", PRICES.replace('F', "$")),
    ] {
        assert_eq!(lengths(&read(&program)), expected, "{program}");
    }
    if let Some(found) = lengths_in_cobol(head, PRICES, &["A", "B", "C", "D", "E"]) {
        assert_eq!(found, expected);
    }
}

/// GnuCOBOL does not have such signs. IBM's Language Reference: the first symbol stands for the whole sign.
#[test]
fn a_currency_sign_can_have_several_characters() {
    let program = "\
ID DIVISION. PROGRAM-ID. P. ENVIRONMENT DIVISION. CONFIGURATION SECTION.
SPECIAL-NAMES. CURRENCY SIGN IS 'EUR' WITH PICTURE SYMBOL 'U'
    CURRENCY SIGN X'9FA0' PICTURE SYMBOL 'E', DECIMAL-POINT IS COMMA.
DATA DIVISION. WORKING-STORAGE SECTION.
01 PRICE.
   05 A PIC U999.
   05 B PIC UUU.UU9,99.
   05 C PIC -U(4)9.
   05 D PIC E99.
   05 E PIC u9.
   05 F PIC ZZ9,99.
";
    let layout = read(program);
    assert_eq!(lengths(&layout), ["A 6", "B 12", "C 8", "D 4", "E 4", "F 6"]);
    let edited = layout.items().iter().filter(|item| matches!(item.kind, Some(FieldKind::Edited(_)))).count();
    assert_eq!(edited, 1, "only F is a number");
}

#[test]
fn a_currency_sign_of_another_place_is_none() {
    let program = "DATA DIVISION. WORKING-STORAGE SECTION. 01 A PIC W9. PROCEDURE DIVISION. DISPLAY CURRENCY 'W'.";
    let error = Copybook::new().form(CopybookForm::Free).read(program.as_bytes()).unwrap_err();
    assert!(error.what.starts_with("'W' is not a symbol"), "{error}");
}

// --- Periods ----------------------------------------------------------------------------------------------------------

const PERIODS: &str = "\
01 R..
   05 A PIC 999..
   05 B PIC X VALUE 'A'. .
.
   05 C PIC Z(4)9..
   . ..
   88 C-IS VALUE 1..
   05 D PIC 9(3).
";

#[test]
fn periods_that_end_nothing_are_skipped() {
    let expected = ["A 4", "B 1", "C 6", "D 3"];
    assert_eq!(lengths(&read(PERIODS)), expected);
    assert_eq!(lengths(&read(&format!(".\nFD FILE-IN. .\n{PERIODS}."))), expected);
    assert_eq!(lengths(&Copybook::new().record_name("R").read(PERIODS.as_bytes()).unwrap()), expected);
    if let Some(found) = lengths_in_cobol("", PERIODS, &["A", "B", "C", "D"]) {
        assert_eq!(found, expected);
    }
    // A picture of text has no point, for GnuCOBOL either.
    let copybook = Copybook::new().form(CopybookForm::Free);
    let error = copybook.read(b"01 R.\n 05 A PIC X(3)..").unwrap_err();
    assert_eq!(error.to_string(), "line 2, column 15: '.' cannot be combined with the other symbols of this picture");
}

// --- Records ----------------------------------------------------------------------------------------------------------

const RECORDS: &str = "\
DATA DIVISION. WORKING-STORAGE SECTION.
01 WHOLE PIC X(9).
01 PARTS REDEFINES WHOLE.
   05 P PIC 9(3).
   05 Q PIC X(4).
01 MORE REDEFINES PARTS.
   05 S PIC X(2).
";

#[test]
fn a_record_that_redefines_another_one_can_be_chosen() {
    let of = |name: &str, text: &str| Copybook::new().record_name(name).read(text.as_bytes()).unwrap();
    let other = format!("{RECORDS}01 OTHER PIC X. 77 COUNTER PIC 9.");
    for text in [RECORDS, &other] {
        let parts = of("PARTS", text);
        assert_eq!((lengths(&parts), parts.max_len()), (vec!["P 3".into(), "Q 4".into()], 7));
        assert_eq!(of("MORE", text).max_len(), 2);
        assert_eq!(of("WHOLE", text).max_len(), 9);
    }
    let error = Copybook::new().read(b"01 PARTS REDEFINES WHOLE. 05 P PIC 9.").unwrap_err();
    assert!(error.what.starts_with("there is no level 01 named WHOLE"), "{error}");
}

#[test]
fn records_that_redefine_each_other_share_their_place() {
    let layout = read(RECORDS);
    let place = |name: &str| layout.offset(layout.find(name).unwrap());
    assert_eq!([place("WHOLE"), place("P"), place("Q"), place("S")], [0, 0, 3, 0].map(Some));
    let error = Copybook::new().read(format!("{RECORDS}01 OTHER PIC X.").as_bytes()).unwrap_err();
    assert!(error.what.starts_with("found a second record"), "{error}");
}
