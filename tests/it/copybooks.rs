//! Tests reading copybooks: what each clause means in bytes, which lines are text, every error with its place, limits,
//! and other people's copybooks.

use super::common::work::work_in;
use charpipe::fields::{ByteOrder, Copybook, CopybookForm, FloatFormat, Layout};
use std::fs;
use std::path::Path;

fn read(text: &str) -> Layout {
    Copybook::new().read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The error for a copybook, with its place.
fn error(text: &str) -> String {
    error_of(&Copybook::new(), text)
}

fn error_of(copybook: &Copybook, text: &str) -> String {
    match copybook.read(text.as_bytes()) {
        Ok(_) => panic!("no error:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The lines of a copybook in fixed form, with text from column 12.
fn fixed(entries: &[&str]) -> String {
    entries.iter().map(|entry| format!("           {entry}\n")).collect()
}

/// The items: level, path, where it begins and its length (in bytes from 0), kind, and what else there is.
fn table(layout: &Layout) -> Vec<String> {
    let row = |(index, item): (usize, &charpipe::fields::Item)| {
        let at = layout.offset(index).map_or("?".to_owned(), |offset| offset.to_string());
        let kind = item.kind.as_ref().map_or("group".to_owned(), ToString::to_string);
        let mut row = format!("{} {} {at}+{} {kind}", item.level, layout.path(index), layout.len_of(index));
        if let Some(occurs) = &item.occurs {
            row += &format!(" {}-{}", occurs.min, occurs.max);
            row += &occurs.depending_on.as_ref().map_or(String::new(), |name| format!(" by {name}"));
        }
        if let Some(name) = &item.redefines {
            row += &format!(" for {name}");
        }
        row
    };
    layout.items().iter().enumerate().map(row).collect()
}

// --- Pictures and usages
// ----------------------------------------------------------------------------------------------

/// Clauses of an item, the kind that they mean, and the length in bytes. The lengths are those of "Computational
/// items", "Symbols used in the PICTURE clause" and "SIGN clause" in IBM's Enterprise COBOL for z/OS Language
/// Reference.
const STORAGE: &[(&str, &str, usize)] = &[
    // Text.
    ("PIC X", "text", 1),
    ("PIC XXX", "text", 3),
    ("PIC X(10)", "text", 10),
    ("pic x(0010)", "text", 10),
    ("PICTURE IS X(10)", "text", 10),
    ("PIC IS A(5)", "text", 5),
    ("PIC AX(3)9", "text", 5),
    ("PIC XXBXX/0", "text", 7),
    ("PIC X(3)X(4)", "text", 7),
    ("PIC X(5) DISPLAY", "text", 5),
    ("PIC X(5) JUSTIFIED RIGHT", "text", 5),
    ("JUST PIC X(5)", "text", 5),
    // Edited numbers.
    ("PIC ZZ9", "edited,blanks=2", 3),
    ("PIC Z(8)-", "edited,minus-after,blanks=8", 9),
    ("PIC Z(6)VZZ-", "edited.2,minus-after,blanks=8", 9),
    ("PIC Z(3)9.99", "edited.2,point,blanks=3", 7),
    ("PIC Z(3).ZZ", "edited.2,point,blanks=5", 6),
    ("PIC ZZ9.9Z", "text", 6),
    ("PIC Z9Z", "text", 3),
    ("PIC +9(6)V99", "edited.2,plus-before", 9),
    ("PIC 9(8)+", "edited,plus-after", 9),
    ("PIC -9(8)", "edited,minus-before", 9),
    ("PIC 9(6).99-", "edited.2,minus-after,point", 10),
    ("PIC .999", "edited.3,point", 4),
    ("PIC +9+", "text", 3),
    ("PIC 9(39)-", "text", 40),
    ("PIC 9PP-", "text", 2),
    ("PIC Z,ZZZ,ZZ9.99-", "text", 13),
    ("PIC Z,ZZZ,ZZ9.99CR", "text", 14),
    ("PIC $$,$$9.99DB", "text", 11),
    ("PIC £ZZ9", "text", 4),
    ("PIC ***9.99", "text", 7),
    ("PIC +9(5)", "edited,plus-before", 6),
    ("PIC -(5)9", "text", 6),
    ("PIC 9(6)V99+", "edited.2,plus-after", 9),
    ("PIC 999,999.", "text", 8),
    ("PIC 99/99/9999", "text", 10),
    ("PIC 9B9", "text", 3),
    ("PIC 9.9", "edited.1,point", 3),
    ("PIC S9(3).99", "edited.2,zone,point", 6),
    ("PIC +9.9(3)E+99", "text", 10),
    ("PIC ZZZ BLANK WHEN ZERO", "edited,blanks=3", 3),
    ("PIC ZZ9 BLANK WHEN ZERO", "edited,blanks=2,blank-when-zero", 3),
    ("PIC 9(3)V99 BLANK ZERO", "edited.2,blank-when-zero", 5),
    // Double-byte text and UTF-16.
    ("PIC G(3)", "graphic", 6),
    ("PIC G(3) DISPLAY-1", "graphic", 6),
    ("PIC GGBB USAGE DISPLAY-1", "graphic", 8),
    ("PIC N(3) DISPLAY-1", "graphic", 6),
    ("PIC N(3)", "text", 6),
    ("PIC N(3) NATIONAL", "text", 6),
    ("PIC NN/NN USAGE IS NATIONAL", "text", 10),
    ("PIC 9(4) NATIONAL", "text", 8),
    ("PIC Z(4) NATIONAL", "text", 8),
    // Zoned.
    ("PIC 9", "zoned,unsigned", 1),
    ("PIC 9(5)", "zoned,unsigned", 5),
    ("PIC 999V99", "zoned.2,unsigned", 5),
    ("PIC S9(5)", "zoned", 5),
    ("PIC s9(5)v9(02)", "zoned.2", 7),
    ("PIC SV99", "zoned.2", 2),
    ("PIC S9(5)V", "zoned", 5),
    ("PIC S9(3)V99 USAGE DISPLAY", "zoned.2", 5),
    ("PIC S9(5) SIGN IS LEADING", "zoned,leading", 5),
    ("PIC S9(5) LEADING", "zoned,leading", 5),
    ("PIC S9(5) SIGN TRAILING", "zoned", 5),
    ("PIC S9(5) SIGN LEADING SEPARATE CHARACTER", "zoned,leading,separate", 6),
    ("SIGN IS TRAILING SEPARATE PIC S9(5)", "zoned,separate", 6),
    ("PIC 99V99 SIGN LEADING SEPARATE", "zoned.2,leading,separate", 5),
    ("PIC 9(3)P(2)", "zoned.-2,unsigned", 3),
    ("PIC S99PPPV", "zoned.-3", 2),
    ("PIC VPP99", "zoned.4,unsigned", 2),
    ("PIC SPPP9", "zoned.4", 1),
    ("PIC 9(38)", "zoned,unsigned", 38),
    // Packed.
    ("PIC S9 COMP-3", "packed", 1),
    ("PIC S9(2) COMP-3", "packed,digits=2", 2),
    ("PIC S9(3) COMPUTATIONAL-3", "packed", 2),
    ("PIC S9(7)V99 PACKED-DECIMAL", "packed.2", 5),
    ("PIC 9(4) USAGE IS COMP-3", "packed,unsigned,digits=4", 3),
    ("PIC S9(18) COMP-3", "packed,digits=18", 10),
    ("PIC S9(31) COMP-3", "packed", 16),
    ("PIC P(3)9(2) COMP-3", "packed.5,unsigned,digits=2", 2),
    ("PIC 9(4) COMP-6", "packed,no-sign", 2),
    ("PIC 9(5) COMP-6", "packed,no-sign,digits=5", 3),
    // Binary.
    ("PIC S9 COMP", "binary,digits=1", 2),
    ("PIC S9(4) COMP", "binary,digits=4", 2),
    ("PIC S9(5) COMP", "binary,digits=5", 4),
    // Without a space before the next clause.
    ("PIC S9(5)COMP", "binary,digits=5", 4),
    ("PIC S9(3)V9(2)USAGE COMP-3", "packed.2", 3),
    ("PIC X(5)VALUE SPACES", "text", 5),
    ("PIC S9(9) COMP", "binary,digits=9", 4),
    ("PIC S9(10) COMP", "binary,digits=10", 8),
    ("PIC S9(18) COMP", "binary,digits=18", 8),
    ("PIC S9(19) COMP", "binary,digits=19", 9),
    ("PIC 9(20) BINARY", "binary,unsigned,digits=20", 9),
    ("PIC S9(21) COMP", "binary,digits=21", 9),
    ("PIC S9(22) COMP", "binary,digits=22", 10),
    ("PIC S9(18)V9(10) COMP", "binary.10,digits=28", 12),
    ("PIC 9(37) BINARY", "binary,unsigned,digits=37", 16),
    ("PIC S9(38) COMP-5", "binary", 16),
    ("PIC 99 COMP-9", "binary,unsigned,little,digits=2", 1),
    ("PIC S9(3) COMP-9", "binary,little,digits=3", 2),
    ("PIC S9(9) COMPUTATIONAL-9", "binary,little,digits=9", 4),
    ("PIC 9(5) COMP-3U", "packed,no-sign,digits=5", 3),
    ("PIC 9(4) COMP", "binary,unsigned,digits=4", 2),
    ("PIC S9(2)V99 BINARY", "binary.2,digits=4", 2),
    ("PIC S9(3)V99 BINARY", "binary.2,digits=5", 4),
    ("PIC 9(4) COMP-4", "binary,unsigned,digits=4", 2),
    ("PIC 9(9) COMPUTATIONAL-4", "binary,unsigned,digits=9", 4),
    ("PIC S9(4) COMP-5", "binary", 2),
    ("COMPUTATIONAL-5 PIC S9(10)V9", "binary.1", 8),
    ("PIC 9(3)P(2) COMP", "binary.-2,unsigned,digits=3", 2),
    ("USAGE COMPUTATIONAL PIC 9(5)", "binary,unsigned,digits=5", 4),
    ("BINARY-CHAR", "binary", 1),
    ("BINARY-CHAR UNSIGNED", "binary,unsigned", 1),
    ("USAGE BINARY-SHORT SIGNED", "binary", 2),
    ("USAGE IS BINARY-LONG", "binary", 4),
    ("BINARY-DOUBLE UNSIGNED", "binary,unsigned", 8),
    ("INDEX", "binary", 4),
    // Floating point and addresses.
    ("COMP-1", "float", 4),
    ("USAGE COMPUTATIONAL-1", "float", 4),
    ("COMP-2", "float", 8),
    ("POINTER", "raw", 4),
    ("USAGE POINTER-32", "raw", 4),
    ("FUNCTION-POINTER", "raw", 4),
    ("PROCEDURE-POINTER", "raw", 8),
    ("OBJECT REFERENCE", "raw", 4),
    ("USAGE OBJECT REFERENCE A-CLASS", "raw", 4),
];

#[test]
fn each_usage_has_its_kind_and_length() {
    for (clauses, kind, len) in STORAGE {
        for text in [format!("           05 F {clauses}.\n"), format!("05 F {}.", clauses.to_lowercase())] {
            let layout = read(&text);
            let found = layout.items()[0].kind.as_ref().unwrap();
            assert_eq!((found.to_string().as_str(), found.len()), (*kind, *len), "{text}");
            assert_eq!((layout.min_len(), layout.max_len()), (*len, *len), "{text}");
        }
    }
}

#[test]
fn the_picture_is_kept_for_display() {
    for (clauses, shown) in [
        ("PIC S9(7)V99 USAGE IS COMPUTATIONAL-3", "S9(7)V99 COMP-3"),
        ("pic x(3)", "x(3)"),
        ("PIC S9(3) LEADING SEPARATE", "S9(3) SIGN LEADING SEPARATE"),
        ("COMP-1", "COMP-1"),
    ] {
        assert_eq!(read(&format!("05 F {clauses}.")).items()[0].picture, shown);
    }
}

#[test]
fn options_change_what_depends_on_the_compiler() {
    let kind = |copybook: &Copybook, clauses: &str| {
        let layout = copybook.read(format!("01 F {clauses}.").as_bytes()).unwrap();
        layout.items()[0].kind.clone().unwrap().to_string()
    };
    let pc = Copybook::new().native_order(ByteOrder::Little).float(FloatFormat::Ieee);
    for (clauses, on_mainframes, on_pcs) in [
        ("PIC S9(4) COMP", "binary,digits=4", "binary,digits=4"),
        ("PIC S9(4) COMP-5", "binary", "binary,little"),
        ("BINARY-LONG", "binary", "binary,little"),
        ("COMP-1", "float", "float,ieee,little"),
        ("COMP-2", "float", "float,ieee,little"),
    ] {
        assert_eq!(kind(&Copybook::new(), clauses), on_mainframes);
        assert_eq!(kind(&pc, clauses), on_pcs);
    }
    assert_eq!(kind(&Copybook::new(), "PIC N(2)"), "text");
    assert_eq!(kind(&Copybook::new().graphic_n(true), "PIC N(2)"), "graphic");
    assert_eq!(kind(&Copybook::new().graphic_n(true), "PIC N(2) NATIONAL"), "text");
}

// --- Groups and clauses
// -----------------------------------------------------------------------------------------------

#[test]
fn levels_make_groups() {
    let layout = read(&fixed(&[
        "01 R.",
        "  05 A.",
        "    10 B PIC X(2).",
        "    10 C.",
        "      15 D PIC X(3).",
        "  04 E.",
        "    08 F PIC X.",
        "    08 FILLER PIC X(2).",
        "    08 PIC X(4).",
        "  2 G PIC X.",
    ]));
    assert_eq!(
        table(&layout),
        [
            "1  0+13 group",
            "5 A 0+5 group",
            "10 A.B 0+2 text",
            "10 A.C 2+3 group",
            "15 A.C.D 2+3 text",
            "4 E 5+7 group",
            "8 E.F 5+1 text",
            "8 E.FILLER 6+2 text",
            "8 E.FILLER-2 8+4 text",
            "2 G 12+1 text",
        ]
    );
    assert_eq!(layout.name(), Some("R"));
}

#[test]
fn a_copybook_may_begin_at_any_level() {
    let layout = read(&fixed(&["05 A PIC X.", "05 B.", "   10 C PIC X(2).", "03 D PIC X."]));
    assert_eq!(table(&layout), ["5 A 0+1 text", "5 B 1+2 group", "10 B.C 1+2 text", "3 D 3+1 text"]);
    assert_eq!(table(&read("77 A PIC X.")), ["1 A 0+1 text"]);
}

#[test]
fn several_records_share_their_place() {
    let layout = read(&fixed(&[
        "01 HEAD.",
        "   05 KIND PIC X.",
        "01 BODY REDEFINES HEAD.",
        "   05 KIND PIC X.",
        "   05 AMOUNT PIC S9(5) COMP-3.",
        "77 TAIL PIC X(2).",
    ]));
    assert_eq!(
        table(&layout),
        [
            "1 HEAD 0+1 group",
            "5 HEAD.KIND 0+1 text",
            "1 BODY 0+4 group for HEAD",
            "5 BODY.KIND 0+1 text",
            "5 BODY.AMOUNT 1+3 packed",
            "1 TAIL 0+2 text for HEAD",
        ]
    );
    let unnamed = read(&fixed(&["01 FILLER PIC X(3).", "01 B.", "   05 C PIC X."]));
    assert_eq!(table(&unnamed), ["1 FILLER 0+3 text", "1 B 0+1 group", "5 B.C 0+1 text"]);
    assert_eq!(unnamed.max_len(), 3);
}

#[test]
fn usage_and_sign_of_a_group_are_those_of_its_items() {
    let layout = read(&fixed(&[
        "01 R.",
        "   05 A COMP-3.",
        "      10 B PIC S9(5).",
        "      10 C.",
        "         15 D PIC 9(3) COMP-3.",
        "   05 E SIGN LEADING SEPARATE.",
        "      10 F PIC S9(3).",
        "      10 G PIC 9(3).",
        "      10 H PIC S9(3) TRAILING.",
        "      10 I PIC X(3).",
        "   05 J GROUP-USAGE NATIONAL.",
        "      10 K PIC N(3).",
    ]));
    assert_eq!(
        table(&layout)[2..],
        [
            "10 A.B 0+3 packed",
            "10 A.C 3+2 group",
            "15 A.C.D 3+2 packed,unsigned",
            "5 E 5+13 group",
            "10 E.F 5+4 zoned,leading,separate",
            "10 E.G 9+3 zoned,unsigned",
            "10 E.H 12+3 zoned",
            "10 E.I 15+3 text",
            "5 J 18+6 group",
            "10 J.K 18+6 text",
        ]
    );
}

#[test]
fn tables() {
    let layout = read(&fixed(&[
        "01 R.",
        "   05 A OCCURS 3 TIMES INDEXED BY I-1 I-2 PIC X(2).",
        "   05 B OCCURS 2 ASCENDING KEY IS K, L DESCENDING M INDEXED J.",
        "      10 K PIC 99.",
        "      10 L OCCURS 2 TO 2 PIC X.",
        "   05 N PIC 9.",
        "   05 G.",
        "      10 N PIC 99.",
        "   05 C OCCURS 1 TO 5 TIMES DEPENDING ON N OF G IN R INDEXED BY X PIC X(3).",
        "   05 D PIC S9(3) COMP-3 OCCURS 0 TO 9 DEPENDING N.",
        "   05 E OCCURS 4 DEPENDING ON N PIC X.",
        "   05 F PIC X.",
    ]));
    assert_eq!(
        table(&layout),
        [
            "1  0+55 group",
            "5 A 0+2 text 3-3",
            "5 B 6+4 group 2-2",
            "10 B.K 6+2 zoned,unsigned",
            "10 B.L 8+1 text 2-2",
            "5 N 14+1 zoned,unsigned",
            "5 G 15+2 group",
            "10 G.N 15+2 zoned,unsigned",
            "5 C 17+3 text 1-5 by R.G.N",
            "5 D ?+2 packed 0-9 by N",
            "5 E ?+1 text 0-4 by N",
            "5 F ?+1 text",
        ]
    );
    assert_eq!((layout.min_len(), layout.max_len()), (21, 55));
}

#[test]
fn redefinitions() {
    let layout = read(&fixed(&[
        "01 R.",
        "   05 A PIC X(4).",
        "   05 B REDEFINES A PIC 9(4).",
        "   05 C REDEFINES B.",
        "      10 D PIC X(6).",
        "   05 FILLER REDEFINES A.",
        "      10 E OCCURS 2 PIC XX.",
        "   05 REDEFINES A PIC S9(4).",
        "   05 F PIC X.",
        "   05 A PIC X.",
        "   05 G REDEFINES A PIC 9.",
    ]));
    assert_eq!(
        table(&layout),
        [
            "1  0+8 group",
            "5 A 0+4 text",
            "5 B 0+4 zoned,unsigned for A",
            "5 C 0+6 group for B",
            "10 C.D 0+6 text",
            "5  0+4 group for A",
            "10 E 0+2 text 2-2",
            "5 FILLER 0+4 zoned for A",
            "5 F 6+1 text",
            "5 A-2 7+1 text",
            "5 G 7+1 zoned,unsigned for A",
        ]
    );
}

/// The worked examples of "Slack bytes within records" and "Slack bytes between records", and others.
#[test]
fn slack_bytes() {
    let places = |lines: &[&str]| -> Vec<String> {
        let layout = read(&fixed(lines));
        let items = layout.items().iter().enumerate().filter(|(_, item)| item.kind.is_some());
        let named = items.map(|(index, item)| {
            let name = item.name.as_deref().unwrap_or("-");
            format!("{name} {}+{}", layout.offset(index).unwrap(), layout.len_of(index))
        });
        named.collect()
    };
    assert_eq!(
        places(&[
            "01 FIELD-A.",
            "   05 FIELD-B PIC X(5).",
            "   05 FIELD-C.",
            "      10 FIELD-D PIC XX.",
            "      10 FIELD-E COMP PIC S9(6) SYNC.",
        ]),
        ["FIELD-B 0+5", "FIELD-D 5+2", "- 7+1", "FIELD-E 8+4"]
    );
    assert_eq!(
        places(&[
            "01 FIELD-L.",
            "   05 FIELD-M PIC X(5).",
            "   05 FIELD-N PIC XX.",
            "   05 FIELD-O.",
            "      10 FIELD-P COMP PIC S9(6) SYNCHRONIZED.",
        ]),
        ["FIELD-M 0+5", "FIELD-N 5+2", "- 7+1", "FIELD-P 8+4"]
    );
    // Each element of the table has 14 bytes, and two more at its end.
    let lines = [
        "01 WORK-RECORD.",
        "   05 WORK-CODE PIC X.",
        "   05 COMP-TABLE OCCURS 10 TIMES.",
        "      10 COMP-TYPE PIC X.",
        "      10 COMP-PAY PIC S9(4)V99 COMP SYNC.",
        "      10 COMP-HRS PIC S9(3) COMP SYNC.",
        "      10 COMP-NAME PIC X(5).",
    ];
    assert_eq!(
        places(&lines),
        ["WORK-CODE 0+1", "COMP-TYPE 1+1", "- 2+2", "COMP-PAY 4+4", "COMP-HRS 8+2", "COMP-NAME 10+5", "- 15+2"]
    );
    assert_eq!(read(&fixed(&lines)).max_len(), 161);
    // Halfwords, fullwords and doublewords; a whole record; items that are never aligned.
    assert_eq!(
        places(&[
            "01 R SYNC.",
            "   05 A PIC X.",
            "   05 B PIC 9(4) BINARY.",
            "   05 C PIC X.",
            "   05 D PIC 9(18) COMP-5 SYNC RIGHT.",
            "   05 E PIC X.",
            "   05 F COMP-1.",
            "   05 G COMP-2.",
            "   05 H PIC X.",
            "   05 I INDEX.",
            "   05 J PIC X.",
            "   05 K PIC S9(9) COMP-3 SYNC LEFT.",
            "   05 L PIC 9(5) SYNC.",
            "   05 M POINTER.",
        ]),
        [
            "A 0+1", "- 1+1", "B 2+2", "C 4+1", "- 5+3", "D 8+8", "E 16+1", "- 17+3", "F 20+4", "G 24+8", "H 32+1",
            "- 33+3", "I 36+4", "J 40+1", "K 41+5", "L 46+5", "- 51+1", "M 52+4",
        ]
    );
    // What redefines is aligned like what it redefines, and the count of a table does not matter if its elements are.
    assert_eq!(
        places(&[
            "01 R.",
            "   05 A PIC X(3).",
            "   05 B PIC 9(5) COMP SYNC.",
            "   05 C REDEFINES B.",
            "      10 D PIC X.",
            "      10 E PIC 9(4) COMP SYNC.",
        ]),
        ["A 0+3", "- 3+1", "B 4+4", "D 4+1", "- 5+1", "E 6+2"]
    );
    let varying = read(&fixed(&[
        "01 R.",
        "   05 N PIC 9.",
        "   05 A OCCURS 1 TO 9 DEPENDING ON N PIC X(4).",
        "   05 B PIC 9(5) COMP SYNC.",
    ]));
    assert_eq!((varying.min_len(), varying.max_len()), (1 + 4 + 3 + 4, 1 + 36 + 3 + 4));
}

#[test]
fn clauses_without_a_meaning_for_the_storage_are_skipped() {
    let layout = read(&fixed(&[
        "01 R IS EXTERNAL GLOBAL VOLATILE.",
        "   05 A PIC X(3) VALUE 'it''s'.",
        "      88 A-1 VALUE 'a'.",
        "      88 A-2 VALUES ARE 'a' 'b', 'c'; \"d\".",
        "      88 A-3 VALUE 'a' THRU 'f' 'x' THROUGH 'z' WHEN SET TO FALSE IS SPACES.",
        "      88 A-4 VALUE X'C1C2' N'ab' NX'0041' Z'z' ALL '*'.",
        "   05 B PIC S9(3)V9 VALUE IS -1.5.",
        "      88 B-1 VALUES 1, 2.5, +3 -4. 88 B-2 VALUE ZERO THRU 9.",
        "      88 B-3 VALUE LOW-VALUES HIGH-VALUE QUOTE NULL ZEROES.",
        "   05 C PIC X(20) VALUE ALL SPACES JUST.",
        "   05 D PIC 9(3) BLANK WHEN ZEROS VALUE .5.",
        "   05 D2 PIC 9(6) DATE FORMAT IS YYXXXX.",
        "   05 E COMP-1 VALUE 1.5E+10.",
        "66 F RENAMES A THRU B OF R. 66 G RENAMES C.",
    ]));
    assert_eq!(layout.items().len(), 7);
    assert_eq!(layout.max_len(), 3 + 4 + 20 + 3 + 6 + 4);
}

// --- Programs
// ---------------------------------------------------------------------------------------------------------

/// A table declaration as Db2's DCLGEN writes it.
const DCLGEN: &str = "\
      ******************************************************************
      * DCLGEN TABLE(BANK.CUSTOMER)                                    *
      *        LIBRARY(BANK.DCLGEN(CUSTOMER))                          *
      ******************************************************************
           EXEC SQL DECLARE BANK.CUSTOMER TABLE
           ( CUST_ID                        INTEGER NOT NULL,
             CUST_NAME                      VARCHAR(30),
             BALANCE                        DECIMAL(11, 2) WITH DEFAULT 'it''s. 05'
           ) END-EXEC.
      ******************************************************************
      * COBOL DECLARATION FOR TABLE BANK.CUSTOMER                      *
      ******************************************************************
       01  DCLCUSTOMER.
           10 CUST-ID              PIC S9(9) USAGE COMP.
           10 CUST-NAME.
              49 CUST-NAME-LEN     PIC S9(4) USAGE COMP.
              49 CUST-NAME-TEXT    PIC X(30).
           10 BALANCE              PIC S9(9)V9(2) USAGE COMP-3.
      ******************************************************************
      * THE NUMBER OF COLUMNS DESCRIBED BY THIS DECLARATION IS 3       *
      ******************************************************************
";

#[test]
fn embedded_sql_and_file_descriptions_are_skipped() {
    let declared = read(DCLGEN);
    assert_eq!((declared.name(), declared.max_len()), (Some("DCLCUSTOMER"), 4 + 32 + 6));
    let exec = read("exec sql include sqlca end-exec 01 A. EXECUTE SQL BEGIN DECLARE SECTION END-EXEC. 05 B PIC X(3).");
    assert_eq!(exec.max_len(), 3);
    let file = read(&fixed(&[
        "FD  CUST-FILE",
        "    RECORDING MODE IS F  LABEL RECORDS ARE STANDARD",
        "    RECORD CONTAINS 80 CHARACTERS",
        "    VALUE OF FILE-ID IS 'CUST. 01 X PIC X.'",
        "    DATA RECORDS ARE HEAD, BODY.",
        "01  HEAD PIC X(3).",
        "01  BODY.",
        "    05 KIND PIC X. 05 AMOUNT PIC S9(5) COMP-3.",
    ]));
    assert_eq!(table(&file)[1..], ["1 BODY 0+4 group for HEAD", "5 BODY.KIND 0+1 text", "5 BODY.AMOUNT 1+3 packed"]);
    assert_eq!(read("SD SORT-FILE. 01 A PIC X(5).").max_len(), 5);
}

#[test]
fn constants_stand_for_numbers() {
    let layout = read(&fixed(&[
        "78 MAX-ROWS VALUE 12.",
        "78 Name-Len VALUE IS 30. 78 LEN-2 VALUE NAME-LEN. 78 TITLE-TEXT VALUE 'MAX-ROWS'.",
        "01 MIN-ROWS CONSTANT AS 2. 01 DIGITS CONSTANT IS GLOBAL 5.",
        "01 R.",
        "   05 N PIC S9(DIGITS)V9(MIN-ROWS) COMP-3 VALUE MAX-ROWS.",
        "   05 C PIC 99.",
        "   05 A PIC X(NAME-LEN)X(len-2) OCCURS MAX-ROWS TIMES.",
        "   05 B OCCURS MIN-ROWS TO MAX-ROWS DEPENDING ON C PIC X(3) VALUE TITLE-TEXT.",
        "      88 B-1 VALUE 'X(MAX-ROWS)'.",
    ]));
    assert_eq!(
        table(&layout)[1..],
        ["5 N 0+4 packed.2", "5 C 4+2 zoned,unsigned", "5 A 6+60 text 12-12", "5 B 726+3 text 2-12 by C"]
    );
    assert_eq!(layout.items()[3].picture, "X(30)X(30)");
}

/// A program, whose sections have records with a place of their own.
const PROGRAM: &str = "\
000100 CBL NOSEQ,LIB
000200 IDENTIFICATION DIVISION.
000300 PROGRAM-ID.    CUSTLOAD.
000400 AUTHOR.        Bob's team. 01 X PIC X.
000500 ENVIRONMENT DIVISION.
000600 INPUT-OUTPUT SECTION.
000700 FILE-CONTROL.
000800     SELECT CUST-FILE ASSIGN TO CUSTIN FILE STATUS IS CUST-STATUS.
000900 DATA DIVISION.
001000 FILE SECTION.
001100 FD  CUST-FILE  RECORDING MODE IS F.
001200 01  CUST-HEAD          PIC X(20).
001300 01  CUST-RECORD.
001400     05 CUST-ID         PIC 9(5).
001500     05 CUST-ROWS       OCCURS MAX-ROWS PIC X(3).
001600 WORKING-STORAGE SECTION.
001700 78  MAX-ROWS           VALUE 4.
001800 77  CUST-STATUS        PIC XX.
001900 01  WS-STRANGE         PIC X(8) THIS IS NO CLAUSE.
002000 01  WS-TOTAL.
002100     05 WS-SUM          PIC S9(9)V99 COMP-3.
002200     05 FILLER          PIC X.
002300 LINKAGE SECTION.
002400 01  LK-PARM            PIC X(100).
002500 REPORT SECTION.
002600 RD  A-REPORT PAGE LIMIT 60.
002700 01  TYPE DETAIL. 02 LINE PLUS 1 COLUMN 5 PIC X SOURCE LK-PARM.
002800 PROCEDURE DIVISION.
002900     DISPLAY 'don''t'. MOVE 1 TO X. 01 Y PIC X.
";

#[test]
fn a_record_of_a_program_is_chosen_by_its_name() {
    let wanted =
        |name: &str| Copybook::new().record_name(name).read(PROGRAM.as_bytes()).map_err(|error| error.to_string());
    for (name, len) in [("CUST-RECORD", 17), ("cust-head", 20), ("WS-TOTAL", 7), ("LK-PARM", 100), ("CUST-STATUS", 2)] {
        let layout = wanted(name).unwrap();
        let found = layout.items()[0].name.as_deref().map(|found| found.eq_ignore_ascii_case(name));
        assert_eq!((found, layout.max_len()), (Some(true), len), "{name}");
    }
    let names = "CUST-HEAD, CUST-RECORD, CUST-STATUS, WS-STRANGE, WS-TOTAL, LK-PARM";
    assert_eq!(
        wanted("WS-SUM").unwrap_err(),
        format!("line 1, column 8: there is no level 01 named WS-SUM: expected one of {names}")
    );
    assert!(wanted("WS-STRANGE").unwrap_err().starts_with("line 19, column 40: found THIS, expected a clause"));
    assert_eq!(
        error(PROGRAM),
        format!(
            "line 18, column 8: found a second record, which does not share its place with the first one: choose one of \
             them by its name (record-name): {names}"
        )
    );
    // In free form, with one record, and as a part of a program.
    let free = "identification division. program-id. a. data division. working-storage section. 01 r. 05 b pic x(4). \
                procedure division. stop run.";
    assert_eq!((read(free).name(), read(free).max_len()), (Some("r"), 4));
    assert_eq!(read("LINKAGE SECTION. 01 A PIC X(7).").max_len(), 7);
    // Of a copybook with several records, too.
    let several = "01 A PIC X(9). 01 B. 05 C PIC X(2). 77 D PIC X.";
    for (name, len) in [("A", 9), ("b", 2), ("D", 1)] {
        assert_eq!(Copybook::new().record_name(name).read(several.as_bytes()).unwrap().max_len(), len);
    }
    let error = Copybook::new().record_name("C").read(b"05 C PIC X.").unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 1: there is no level 01 named C, and no other level 01");
}

// --- Copied files
// -----------------------------------------------------------------------------------------------------

/// A directory with these files.
fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::TempDir::new().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

#[test]
fn copied_members() {
    let other = directory(&[("last.COB", "05 :X:-LAST PIC X(7).\n")]);
    let directory = directory(&[
        (
            "CustHead.cpy",
            "000100 01  CUST-HEAD.\n000200     COPY 'lib/PARTS.cpy' REPLACING ==:X:== BY ==A==\n000300       PARTS-LEN BY 4.\n",
        ),
        ("parts.CPY", "ALTF  * a mark\nALTF       05 :X:-PART   PIC X(PARTS-LEN).\n"),
        ("tail", "           05 OLD-NAME PIC S9(3) COMP-3.\n           05 OLDER PIC X.\n"),
        ("LIB2/tail.copy", "       05 FROM-LIB PIC X(9).\n"),
        ("tail.txt", "05 NOT-THIS PIC X.\n"),
    ]);
    let reader = Copybook::new().copy_path(directory.path()).copy_path(other.path());
    let text = "       COPY CUSTHEAD SUPPRESS.\n           05 B PIC X.\n           COPY TAIL\n\
                \x20          REPLACING LEADING ==OLD== BY ==NEW==. COPY TAIL IN lib2. copy last\n           .\n";
    let layout = reader.clone().replacing("==:X:==BY==Z==").unwrap().read(text.as_bytes()).unwrap();
    assert_eq!(
        table(&layout)[1..],
        [
            "5 A-PART 0+4 text",
            "5 B 4+1 text",
            "5 NEW-NAME 5+2 packed",
            "5 NEWER 7+1 text",
            "5 FROM-LIB 8+9 text",
            "5 Z-LAST 17+7 text",
        ]
    );
    // Of SQL, too; what is not there is skipped, as SQLCA is.
    let sql = "01 R. EXEC SQL INCLUDE SQLCA END-EXEC. EXEC SQL INCLUDE TAIL END-EXEC. 05 B PIC X.";
    assert_eq!(reader.read(sql.as_bytes()).unwrap().max_len(), 4);
    // A record that needs no file can be read without it.
    let text = "01 A PIC X(3). 01 B PIC X(5). COPY NO-SUCH.";
    assert_eq!(reader.clone().record_name("A").read(text.as_bytes()).unwrap().max_len(), 3);
    assert!(reader.record_name("B").read(text.as_bytes()).is_err());
    let replaced = read(
        "REPLACE ==:T:== BY ==A==. 01 R. 05 :T:-1 PIC X. REPLACE OFF. 05 B PIC X. REPLACE ==C== BY ==D==. 05 C PIC X.",
    );
    assert_eq!(table(&replaced)[1..], ["5 A-1 0+1 text", "5 B 1+1 text", "5 D 2+1 text"]);
}

/// What follows the name of a member is not lost if it may be code.
#[test]
fn code_after_an_included_member() {
    let directory = directory(&[("A.cpy", "           05 T PIC X(3).\n"), ("B.cpy", "           05 U PIC X.\n")]);
    let reader = Copybook::new().copy_path(directory.path());
    for include in [
        "%INCLUDE A; %INCLUDE B;",
        "       ++INCLUDE A. 05 B PIC X.",
        "-INC A 05 B PIC X.",
        "++INCLUDE A REPLACING ==T== BY ==V==.",
        "       ++INCLUDE A replacing ==T== BY ==V==.",
        "-INC",
    ] {
        for form in [CopybookForm::Auto, CopybookForm::Fixed] {
            let text = format!("       01  R.\n{include}\n           05 C PIC X.\n");
            let error = reader.clone().form(form).read(text.as_bytes()).unwrap_err();
            assert_eq!(error.line, 2, "{text}");
            assert!(error.what.contains("is not supported: put the text"), "{text}{error}");
        }
    }
}

/// Statements of source libraries in any place that they can have, with sequence numbers and comments.
#[test]
fn included_members() {
    let directory = directory(&[("D#TAIL1.cpy", "           05 T PIC X(3).\n"), ("nest", "++INCLUDE D#TAIL1\n")]);
    let reader = Copybook::new().copy_path(directory.path());
    for include in [
        "-INC D#TAIL1",
        "-inc D#TAIL1                 the 5\" tail",
        "-INC  D#TAIL1,2",
        "++INCLUDE D#TAIL1",
        "       ++INCLUDE D#TAIL1     the tail",
        "000300 ++INCLUDE D#TAIL1",
        "000300 ++INCLUDE         D#TAIL1",
        "%INCLUDE D#TAIL1;",
        "       %INCLUDE D#TAIL1.",
        "%INCLUDE NEST",
        "-INC D#TAIL1                                                            12345678",
    ] {
        for numbers in ["      ", "000100"] {
            let text = format!("{numbers} 01  R.\n{include}\n{numbers}     05 B PIC X.\n");
            for form in [CopybookForm::Auto, CopybookForm::Fixed] {
                let layout = reader.clone().form(form).read(text.as_bytes());
                let layout = layout.unwrap_or_else(|error| panic!("{text}{error}"));
                assert_eq!(table(&layout)[1..], ["5 T 0+3 text", "5 B 3+1 text"], "{text}");
            }
            let error = Copybook::new().read(text.as_bytes()).unwrap_err();
            assert_eq!(error.line, 2, "{text}");
            let member = if include.ends_with("NEST") { "NEST" } else { "D#TAIL1" };
            assert!(
                error.what.starts_with(&format!("there is no file for COPY {member}: name the dir")),
                "{text}{error}"
            );
        }
        let free = format!("01 R.\n{include}\n05 B PIC X.\n");
        let layout = reader.clone().form(CopybookForm::Free).read(free.as_bytes());
        assert_eq!(layout.is_ok_and(|layout| layout.max_len() == 4), !include.starts_with("000300"), "{free}");
    }
}

#[test]
fn errors_in_copied_members() {
    let deep: Vec<(String, String)> =
        (0..40).map(|n| (format!("D{n}.cpy"), format!("05 A{n} PIC X. COPY D{}.", n + 1))).collect();
    let deep: Vec<(&str, &str)> = deep.iter().map(|(name, text)| (&**name, &**text)).collect();
    let many = "COPY EMPTY. ".repeat(300);
    let long = "05 A PIC X(:LONG:).\n".repeat(50_000);
    let files = [
        ("BAD.cpy", "000100 05 A PIC X.\n000200 05 B PIK X.\n"),
        ("COLUMN.cpy", "000100?05 A PIC X.\n000200 05 B PIC X.\n"),
        ("OUTER.cpy", "\n\nCOPY BAD.\n"),
        ("SELF.cpy", "05 A PIC X.\n  COPY SELF."),
        ("A.cpy", "COPY B."),
        ("B.cpy", "COPY A."),
        ("NUL.cpy", "05 A\n\0"),
        ("EMPTY.cpy", ""),
        ("MANY.cpy", &many),
        ("MORE.cpy", &"COPY MANY. ".repeat(300)),
        ("LONG.cpy", &long),
        ("WRONG.cpy", "COPY BAD REPLACING A."),
    ];
    let directory = directory(&[&files[..], &deep].concat());
    let reader = Copybook::new().copy_path(directory.path());
    let error = |text: &str| {
        let error = error_of(&reader, text).replace(&directory.path().display().to_string(), "DIR");
        error.replace('\\', "/")
    };
    for (text, expected) in [
        ("01 R.\nCOPY BAD.", "DIR/BAD.cpy, line 2, column 13: found PIK, expected a clause"),
        ("01 R.\nCOPY OUTER.\n", "DIR/BAD.cpy, line 2, column 13: found PIK, expected a clause"),
        ("01 R. COPY BAD REPLACING PIK BY PIC. 05 C PIK X.", "line 1, column 43: found PIK"),
        ("01 R. COPY COLUMN.", "DIR/COLUMN.cpy, line 1, column 7: found '?' in column 7"),
        ("01 R. COPY NUL.", "DIR/NUL.cpy, line 2: found a byte 00"),
        ("01 R. COPY SELF.", "DIR/SELF.cpy, line 2, column 3: COPY SELF: DIR/SELF.cpy copies itself"),
        ("01 R. COPY A.", "DIR/B.cpy, line 1, column 1: COPY A: DIR/A.cpy copies itself"),
        ("01 R. COPY D0.", "DIR/D31.cpy, line 1, column 15: COPY D32: at most 32 files can copy one another"),
        ("01 R. COPY MORE.", "DIR/MANY.cpy, line 1, column "),
        ("01 R. COPY WRONG.", "DIR/WRONG.cpy, line 1, column 21: expected BY"),
        ("01 R. COPY NO-SUCH.", "line 1, column 7: there is no file for COPY NO-SUCH"),
        ("01 R. COPY '..'.", "line 1, column 12: expected the name of a member"),
        ("01 R. COPY '/etc/.passwd'.", "line 1, column 12: expected the name of a member"),
    ] {
        let found = error(text);
        assert!(found.starts_with(expected), "{text}\n{found}");
    }
    let long = format!("01 R. COPY LONG REPLACING ==:LONG:== BY =={}==.", "9".repeat(1000));
    assert!(
        error(&long).starts_with("line 1, column 7: with its replacements, the text is longer than 16777216 bytes")
    );
}

// --- Lines
// ------------------------------------------------------------------------------------------------------------

/// The same copybook in many guises.
#[test]
fn every_form_of_lines() {
    let guises = [
        // Fixed form.
        "       01 R.\n           05 A PIC X(3).\n           05 B PIC S9(5) COMP-3.\n",
        "       01 R.\r\n           05 A PIC X(3).\r\n           05 B PIC S9(5) COMP-3.\r\n",
        "       01 R.\r           05 A PIC X(3).\r           05 B PIC S9(5) COMP-3.\r",
        "\u{FEFF}       01 R.\n           05 A PIC X(3).\n           05 B PIC S9(5) COMP-3.\n\x1A",
        // Sequence numbers, identifications, and changes marked in columns 1 to 6.
        "000100 01 R.                                                            PROG0001\n\
         000200     05 A PIC X(3).                                               PROG0002\n\
         000300     05 B PIC S9(5) COMP-3.                                       00000300\n",
        "CR0001 01 R.\nCR0002     05 A PIC X(3).\n           05 B PIC S9(5) COMP-3.\n",
        // The identification directly after the text.
        "       01 R.\n           05 A PIC X(3).\n           05 B\n                                                 PIC S9(5)       COMP-3.00000300\n",
        // Comments, blank lines, listing control, debugging lines, tabs.
        "      * 05 X PIC X.\n      / 05 X PIC X.\n       01 R.\n\n      D    05 X PIC X.\n\t\n       EJECT\n       SKIP2.\n\
         \x20      TITLE 'It''s'.\n\t   05 A PIC\n      *\n\tX(3).\n*********** x\n           05 B PIC S9(5) *> x\n           COMP-3.\n",
        // Continuations: of a word, of a picture, and of nothing.
        "       01 R.\n           05 A PIC X(3).\n           05 B PI\n      -    C S9(5\n      *\n\n      -    ) COMP\n      -    -3\n      -    .\n",
        "000100 01 R.\n000200     05 A PIC X(3) VALUE 'a b c d e f g h i j k l m n o p q r s t 00000200\n\
         000300-    'u v w. 05 X PIC X.'.\n000400     05 B PIC S9(5) COMP-3.\n",
        // Less strict: from column 7, and comments in other columns.
        "      01 R.\n      05 A PIC X(3).\n      05 B PIC S9(5)\n      COMP-3.\n",
        "      01 R.\n      05 A PIC X(3) OCCURS 1\n      DISPLAY.\n      05 B PIC S9(5) COMP-3.\n",
        "00010001 R.\n000200     05 A PIC X(3).\n000300     05 B PIC S9(5) COMP-3.\n",
        "* x\n        * x\n       01 R.\n           05 A PIC X(3).\n  *** x\n           05 B PIC S9(5) COMP-3.\n",
        // Marks of changes before comments and entries, and text after column 80.
        "ALTF  *  text\nALTF   01 R.\nRF06       05 A PIC X(3).\nALTF  *  * 05 X PIC X.\n           05 B PIC S9(5) COMP-3.\n",
        "      * the record of Bob's file, which this comment describes in more than seventy-two columns: 05 X PIC X.\n\
         \x20      01 R.                                                            PROG0001  05 for the list of changes\n\
         \x20          05 A PIC X(3).                                               see the minutes of 12 May 1994\n\
         \x20          05 B PIC S9(5) COMP-3.\n",
        "W$1234 01 r.\n*W$99      05 x pic x.\nw$1234     05 a pic X(3).                                               w$1234\n\
         \x20         \t05 b pic S9(5) comp-3.\n",
        "ab cd\t01 R.\n12\t   05 A\tPIC X(3).\n\t\t05 B PIC S9(5)\t\t\t\tCOMP-3.\t\tPROG0001 and more text, up to column 100\n",
        "@ 1   *\n@ 1    01 R.\n 05 A      05 A PIC X(3).\n77  Z      05 B PIC S9(5) COMP-3.\n",
        // Free form.
        "01 R.\n05 A PIC X(3).\n05 B PIC S9(5) COMP-3.\n",
        "      *> with a comment that begins in column 7\n      01 R.\n    05 A PIC X(3).\n    05 B PIC S9(5) COMP-3.\n",
        "      * an old comment\n  01 R.\n      * and another\n     05 A PIC X(3).\n     05 B PIC S9(5) COMP-3.\n",
        "01 R. 05 A PIC X(3). 05 B PIC S9(5) COMP-3.",
        "  01 R. *> x\n    05 A *> it's\nPIC X(3). *> x. 05 X PIC X.\n* x\n   * x\n  05 B PIC S9(5)\n      COMP-3.\n",
        "*> a long line of free form\n   01 R.   05 A PIC X(3) VALUE '1234567890123456789012345678901234567890123456789012345678901'.    05 B PIC S9(5) COMP-3.",
        "                                         01 R. 05 A PIC X(3). 05 B PIC S9(5) COMP-3.\n",
        ">>SOURCE FORMAT IS FREE\n       01 R.\n                                       05 A PIC X(3). 05 B PIC     S9(5) COMP-3.\n",
        "      $SET SOURCEFORMAT\"FREE\"\n01 R.\n05 A PIC X(3).\n05 B PIC S9(5) COMP-3.\n",
        "01 R,\n. 05 A, PIC X(3); VALUE 'a' & 'b'.\n05 B PIC S9(5), COMP-3.\n",
    ];
    for guise in guises {
        let layout = read(guise);
        let found: Vec<&str> = layout.items().iter().map(|item| item.picture.as_str()).collect();
        assert_eq!(found, ["", "X(3)", "S9(5) COMP-3"], "{guise}");
        assert_eq!(layout.max_len(), 6, "{guise}");
    }
}

/// A mistake is reported for the form in which the rest can be read.
#[test]
fn errors_are_those_of_the_likelier_form() {
    for (text, place) in [
        ("ALTF  *  text\nALTF   01 R.\nALTF       05 A PIK X.\n", "line 3, column 17: found PIK"),
        ("ALTF  *  text\nRF06       05 A PIC X(3).\nRF06       05 A PIK X.\n", "line 3, column 17: found PIK"),
        (
            "       01 R.\n           05 A PIK X.              PROG0001 and more text that is longer than a card\n",
            "line 2, column 17: found PIK",
        ),
        ("  01 R.\n      * a comment\n     05 A PIC X.\n     05 B PIK X.\n", "line 4, column 11: found PIK"),
        (">>SOURCE FORMAT IS FREE\n000100 01 R PIC X.\n", "line 2, column 1: 000100 is not a level number"),
    ] {
        let found = error(text);
        assert!(found.starts_with(place), "{text}\n{found}");
    }
}

#[test]
fn the_form_can_be_given() {
    // In fixed form, the last line is a comment and the end of the first one is ignored.
    let text = format!("{:72}PIC X.\n       05 B PIC X.\n      *05 C PIC X.\n", "       05 A PIC X(3).");
    let paths = |form: CopybookForm| {
        let layout = Copybook::new().form(form).read(text.as_bytes()).map_err(|error| error.to_string())?;
        Ok::<_, String>((0..layout.items().len()).map(|item| layout.path(item).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(paths(CopybookForm::Fixed).unwrap(), ["A", "B"]);
    assert_eq!(paths(CopybookForm::Auto).unwrap(), ["A", "B"]);
    let error = paths(CopybookForm::Free).unwrap_err();
    assert!(error.starts_with("line 1, column 73: found PIC, expected a level number"), "{error}");
    let error = Copybook::new().form(CopybookForm::Fixed).read(b"01 A.\n*\n").unwrap_err().to_string();
    assert!(error.starts_with("line 1, column 1: columns 7 to 72 of the copybook have only comments"), "{error}");
    let words: Vec<String> = ["auto", "fixed", "free"].map(String::from).into();
    assert_eq!(words.iter().map(|word| word.parse::<CopybookForm>().unwrap().to_string()).collect::<Vec<_>>(), words);
}

// --- Other people's copybooks
// -----------------------------------------------------------------------------------------

/// The record lengths that the projects document, and those of their data.
#[test]
fn copybooks_of_other_projects() {
    let lengths = [
        ("carddemo/copybooks/CSUSR01Y.cpy", 80, 80, 6),
        ("carddemo/copybooks/CVACT01Y.cpy", 300, 300, 13),
        ("carddemo/copybooks/CVACT02Y.cpy", 150, 150, 7),
        ("carddemo/copybooks/CVACT03Y.cpy", 50, 50, 4),
        ("carddemo/copybooks/CVCUS01Y.cpy", 500, 500, 19),
        ("carddemo/copybooks/CVEXPORT.cpy", 500, 500, 63),
        ("carddemo/copybooks/CVTRA01Y.cpy", 50, 50, 5),
        ("carddemo/copybooks/CVTRA02Y.cpy", 50, 50, 5),
        ("carddemo/copybooks/CVTRA03Y.cpy", 60, 60, 3),
        ("carddemo/copybooks/CVTRA04Y.cpy", 60, 60, 4),
        ("carddemo/copybooks/CVTRA05Y.cpy", 350, 350, 14),
        ("carddemo/copybooks/CVTRA06Y.cpy", 350, 350, 14),
        ("mainframe-data-utilities/COBKS05.cpy", 500, 500, 12),
        ("mainframe-data-utilities/COBVBFM2.cpy", 36, 306, 5),
    ];
    for (name, min, max, fields) in lengths {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let layout = Copybook::new().read(&fs::read(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = layout.items().iter().filter(|item| !item.is_group()).count();
        assert_eq!((layout.min_len(), layout.max_len(), found), (min, max, fields), "{name}");
    }
}

#[test]
fn the_types_of_an_export_share_their_place() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/carddemo/copybooks/CVEXPORT.cpy");
    let layout = Copybook::new().read(&fs::read(path).unwrap()).unwrap();
    for (path, offset, len, picture) in [
        ("EXPORT-SEQUENCE-NUM", 27, 4, "9(9) COMP"),
        ("EXPORT-CUSTOMER-DATA", 40, 460, ""),
        ("EXP-CUST-FICO-CREDIT-SCORE", 364, 2, "9(03) COMP-3"),
        ("EXP-ACCT-CURR-CYC-DEBIT", 120, 8, "S9(10)V99 COMP"),
        ("EXP-TRAN-AMT", 172, 6, "S9(09)V99 COMP-3"),
        ("EXP-XREF-ACCT-ID", 65, 8, "9(11) COMP"),
        ("EXP-CARD-CVV-CD", 64, 2, "9(03) COMP"),
    ] {
        let item = layout.find(path).unwrap();
        let found = (layout.offset(item), layout.len_of(item), layout.items()[item].picture.as_str());
        assert_eq!(found, (Some(offset), len, picture), "{path}");
    }
}

// --- Errors
// -----------------------------------------------------------------------------------------------------------

/// Entries, and the error for them. Each begins at line 1, column 1 of free form.
const ERRORS: &[(&str, &str)] = &[
    // Not a copybook.
    ("", "line 1, column 1: the copybook is empty: expected entries such as 01 CUSTOMER. and 05 NAME PIC X(10)."),
    (" \n\n", "line 1, column 1: the copybook is empty: expected entries such as 01 CUSTOMER. and 05 NAME PIC X(10)."),
    (
        "\n*> only a comment\n",
        "line 1, column 1: the copybook has only comments: expected entries such as 01 CUSTOMER. and 05 NAME PIC X(10).",
    ),
    (
        "88 A VALUE 1.",
        "line 1, column 1: the copybook describes no storage: expected an entry of level 01 to 49, or 77",
    ),
    (
        "{\"a\": 1}",
        "line 1, column 1: found {\"a\":, expected a level number (01 to 49, 66, 77 or 88) at the beginning of an entry",
    ),
    (
        "Don't panic.",
        "line 1, column 1: found Don, expected a level number (01 to 49, 66, 77 or 88) at the beginning of an entry",
    ),
    ("IDENTIFICATION DIVISION.", "line 1, column 1: the program has no DATA DIVISION, which describes its records"),
    (
        " SELECT FILE-1 ASSIGN TO 'X'. FD FILE-1. 01 A PIC X.",
        "line 1, column 2: found SELECT, which belongs to a program: keep only the record description, from its level 01 on",
    ),
    (
        "01 A. COPY B.",
        "line 1, column 7: there is no file for COPY B: name the directory that has B.cpy or the like (copy-path)",
    ),
    (
        "COPY B REPLACING ==:T:== BY ==X==.",
        "line 1, column 1: there is no file for COPY B: name the directory that has B.cpy or the like (copy-path)",
    ),
    (
        "REPLACE ==A== BY ==B==.",
        "line 1, column 24: found the end of the copybook, expected a level number (01 to 49, 66, 77 or 88) at the beginning of an entry",
    ),
    ("01 A. 05 B PIC X. REPLACE ==A== BY B", "line 1, column 37: expected a period at the end of REPLACE"),
    (
        "REPLACE ==A== BY ==B. 01 A PIC X.",
        "line 1, column 18: expected == at the end of == in the replacements, as in ==:TAG:== BY ==CUSTOMER==",
    ),
    ("01 A. COPY B REPLACING A BY B", "line 1, column 30: expected a period at the end of COPY"),
    ("01 A. COPY (B).", "line 1, column 12: expected the name of a member after COPY, OF or IN"),
    (
        "01 A. COPY '../B'.",
        "line 1, column 7: COPY needs the name of a member, such as CUSTOMER; name its directory with copy-path",
    ),
    (
        "01 A. COPY LIB/B.",
        "line 1, column 15: the name of a member has no slash: after COPY, write the name alone, and name its directory with \
         copy-path, or write COPY MEMBER OF LIBRARY",
    ),
    (
        "01 A. COPY ../LIB/B.",
        "line 1, column 12: the name of a member has no slash: after COPY, write the name alone, and name its directory with \
         copy-path, or write COPY MEMBER OF LIBRARY",
    ),
    (
        "01 A. EXEC SQL INCLUDE LIB/B END-EXEC. 05 C PIC X.",
        "line 1, column 27: the name of a member has no slash: after INCLUDE, write the name alone, and name its directory \
         with copy-path",
    ),
    (
        "01 A. EXEC SQL INCLUDE '../LIB/B.cpy' END-EXEC. 05 C PIC X.",
        "line 1, column 7: there is no file for INCLUDE B.cpy: name the directory that has it (copy-path)",
    ),
    (
        "05 A COPY B.",
        "line 1, column 6: there is no file for COPY B: name the directory that has B.cpy or the like (copy-path)",
    ),
    (
        "++INCLUDE A",
        "line 1, column 1: there is no file for COPY A: name the directory that has A.cpy or the like (copy-path)",
    ),
    (
        "++INCLUDE",
        "line 1, column 1: ++INCLUDE is not supported: put the text that it stands for in its place, as the compiler's listing has it",
    ),
    (
        "%INCLUDE LIB(A)",
        "line 1, column 1: %INCLUDE is not supported: put the text that it stands for in its place, as the compiler's listing has it",
    ),
    (
        "EXEC SQL DECLARE T TABLE (A CHAR(1)) END-EXEC.",
        "line 1, column 1: the copybook describes no storage: expected an entry of level 01 to 49, or 77",
    ),
    ("01 A. EXEC SQL DECLARE T TABLE (A CHAR(1)). 05 B PIC X.", "line 1, column 7: found EXEC without END-EXEC"),
    (
        "FD A. 78 B VALUE 5.",
        "line 1, column 1: the copybook describes no storage: expected an entry of level 01 to 49, or 77",
    ),
    (
        "WORKING-STORAGE SECTION. 01 A PIC X. 77 B PIC X. 01 PIC X.",
        "line 1, column 38: found a second record, which does not share its place with the first one: choose one of them by its name (record-name): A, B",
    ),
    (
        "01 :TAG:-REC. 05 A PIC X.",
        "line 1, column 4: found a placeholder between colons, which COPY REPLACING fills in: say what it stands for, as in ==:TAG:== BY ==CUSTOMER== (replacing)",
    ),
    (
        "01 A-:TAG:. 05 A PIC X.",
        "line 1, column 4: found a placeholder between colons, which COPY REPLACING fills in: say what it stands for, as in ==:TAG:== BY ==CUSTOMER== (replacing)",
    ),
    (
        "05 A PIC X(:LEN:).",
        "line 1, column 12: found a placeholder between colons, which COPY REPLACING fills in: say what it stands for, as in ==:TAG:== BY ==CUSTOMER== (replacing)",
    ),
    // Levels.
    ("50 A PIC X.", "line 1, column 1: 50 is not a level number: expected 01 to 49, 66, 77 or 88"),
    ("0 A PIC X.", "line 1, column 1: 0 is not a level number: expected 01 to 49, 66, 77 or 88"),
    ("005 A PIC X.", "line 1, column 1: 005 is not a level number: expected 01 to 49, 66, 77 or 88"),
    (
        "05 A PIC X OCCURS MOST. 78 MOST VALUE 'x'.",
        "line 1, column 19: found MOST, which is no constant of this file: expected a number, or a name with level 78 or CONSTANT whose value is an integer",
    ),
    (
        "05 A PIC X(LEN).",
        "line 1, column 12: found LEN, which is no constant of this file: expected a number, or a name with level 78 or CONSTANT whose value is an integer",
    ),
    (
        "78 MOST VALUE 2. 05 A PIC X OCCURS MOST TO 1, DEPENDING ON B.",
        "line 1, column 36: OCCURS 2 TO 1: the second number is smaller",
    ),
    (
        "78 LEN VALUE 200. 05 A PIC 9(LEN)V9Q.",
        "line 1, column 36: 'Q' is not a symbol of a picture; is a blank missing before it?",
    ),
    ("05 A PIC X. 01 B PIC X.", "line 1, column 13: found level 01 after items that belong to no level 01"),
    (
        "01 A PIC X. 05 B PIC X.",
        "line 1, column 13: found level 05 after A, which has level 01 and a picture: no items can belong to it",
    ),
    ("01 A. 05 B. 05 C PIC X.", "line 1, column 7: B has neither a picture nor items of higher levels after it"),
    ("01 A.", "line 1, column 1: A has neither a picture nor items of higher levels after it"),
    ("05.", "line 1, column 1: FILLER has neither a picture nor items of higher levels after it"),
    // Clauses.
    (
        "05 A PIC X OCURS 3.",
        "line 1, column 12: found OCURS, expected a clause such as PIC, COMP-3, OCCURS, REDEFINES or VALUE, or a period at the end of the entry",
    ),
    (
        "05 A PIC X (3).",
        "line 1, column 12: found (3), expected a clause such as PIC, COMP-3, OCCURS, REDEFINES or VALUE, or a period at the end of the entry",
    ),
    ("05 A PIC X", "line 1, column 11: found the end of the copybook, expected a period at the end of the entry"),
    (
        "05 A PIC X\n05 B PIC X.",
        "line 2, column 1: found 05, expected a clause such as PIC, COMP-3, OCCURS, REDEFINES or VALUE, or a period at the end of the entry",
    ),
    (
        "05 A PIC X PIC X.",
        "line 1, column 12: found a second PICTURE clause: an entry has at most one; is a period missing before it?",
    ),
    (
        "05 A COMP COMP-3 PIC 9.",
        "line 1, column 11: found a second USAGE clause: an entry has at most one; is a period missing before it?",
    ),
    ("05 A REDEFINES.", "line 1, column 15: found a period, expected the name of an item"),
    (
        "05 A USAGE IS COMP-7 PIC 9.",
        "line 1, column 15: found COMP-7, expected a usage such as DISPLAY, COMP or COMP-3",
    ),
    ("05 A SIGN PIC S9.", "line 1, column 11: found PIC, expected LEADING or TRAILING"),
    ("05 A BLANK WHEN X PIC 9.", "line 1, column 17: found X, expected ZERO"),
    ("05 A PIC X VALUE.", "line 1, column 17: found a period, expected a literal"),
    (
        "05 A PIC X VALUE 'a.\n05 B PIC X.",
        "line 1, column 18: the literal does not end on its line, expected ': is the literal in the right columns?",
    ),
    ("05 A PIC X. 88 B.", "line 1, column 17: found a period, expected VALUE"),
    ("05 A PIC X. 66 B A.", "line 1, column 18: found A, expected RENAMES"),
    // Pictures.
    ("05 A PIC.", "line 1, column 9: found a period, expected a picture such as X(10) or S9(7)V99"),
    ("05 A PIC X(3.", "line 1, column 11: found (3, expected a number between parentheses, as in X(10)"),
    ("05 A PIC X().", "line 1, column 11: found (), expected a number between parentheses, as in X(10)"),
    ("05 A PIC X(0).", "line 1, column 10: a symbol of a picture cannot occur 0 times"),
    ("05 A PIC (3)X.", "line 1, column 10: found ( without a symbol before it"),
    ("05 A PIC X(5)Q.", "line 1, column 14: 'Q' is not a symbol of a picture; is a blank missing before it?"),
    ("05 A PIC S9COMP.", "line 1, column 12: 'C' is not a symbol of a picture; is a blank missing before it?"),
    (
        "05 A PIC U(5).",
        "line 1, column 10: the picture symbol U (UTF-8) is not supported; expected X with the number of bytes",
    ),
    ("05 A PIC 9X(3)V9.", "line 1, column 15: 'V' cannot be combined with the other symbols of this picture"),
    ("05 A PIC XN.", "line 1, column 10: 'X' cannot be combined with the other symbols of this picture"),
    ("05 A PIC 9S9.", "line 1, column 11: S must be the first symbol of the picture, and stand there once"),
    ("05 A PIC 9V9V9.", "line 1, column 10: the picture has more than one V"),
    ("05 A PIC S.", "line 1, column 10: the number has no digits: expected 9 in its picture"),
    (
        "05 A PIC 9V9P.",
        "line 1, column 10: V and P do not fit together: P stands before all digits or after all of them",
    ),
    (
        "05 A PIC P9P.",
        "line 1, column 10: V and P do not fit together: P stands before all digits or after all of them",
    ),
    ("05 A PIC S9(39).", "line 1, column 10: the number has 39 digits; at most 38 are possible"),
    ("05 A PIC S9(30)P(9).", "line 1, column 10: the number has 39 digits; at most 38 are possible"),
    ("05 A PIC S9(39) COMP.", "line 1, column 10: the number has 39 digits; at most 38 are possible"),
    ("05 A PIC X(134217728).", "line 1, column 10: (134217728) is too large: a record has at most 134217727 bytes"),
    (
        "05 A PIC X(99999999999999999999999).",
        "line 1, column 10: (99999999999999999999999) is too large: a record has at most 134217727 bytes",
    ),
    ("05 A PIC X(134217727)X.", "line 1, column 10: the item has more than 134217727 bytes"),
    // Pictures and usages that do not fit together.
    ("05 A PIC X(3) COMP.", "line 1, column 10: this picture does not fit the usage COMP"),
    ("05 A PIC X(3) NATIONAL.", "line 1, column 10: this picture does not fit the usage NATIONAL"),
    ("05 A PIC G(3) DISPLAY.", "line 1, column 10: this picture does not fit the usage DISPLAY"),
    ("05 A PIC 9(3) DISPLAY-1.", "line 1, column 10: a number cannot have the usage DISPLAY-1"),
    (
        "05 A PIC S9(3) NATIONAL.",
        "line 1, column 10: numbers of usage NATIONAL with a sign or decimal places are not supported",
    ),
    ("05 A PIC S9(3) COMP-6.", "line 1, column 10: COMP-6 has no sign: its picture cannot begin with S"),
    ("05 A PIC 9 COMP-1.", "line 1, column 10: the usage COMP-1 allows no picture"),
    ("05 A PIC 9 SIGN LEADING.", "line 1, column 10: the SIGN clause needs a picture that begins with S"),
    ("05 A PIC X SIGN LEADING.", "line 1, column 10: the SIGN clause needs a numeric picture, such as S9(5)"),
    ("05 A PIC S9 COMP-3 SIGN LEADING.", "line 1, column 10: the SIGN clause needs the usage DISPLAY, not COMP-3"),
    (
        "05 A COMP. 10 B PIC S9(3) COMP-3.",
        "line 1, column 27: found COMP-3, but a group of this item is COMP: they must agree",
    ),
    (
        "05 A COMP. 10 B DISPLAY. 15 C PIC X.",
        "line 1, column 17: found DISPLAY, but a group of this item is COMP: they must agree",
    ),
    ("05 A COMP-3.", "line 1, column 1: A has neither a picture nor items of higher levels after it"),
    (
        "01 A. 05 B SYNC. 10 C PIC X.",
        "line 1, column 12: SYNCHRONIZED is allowed only for items with a picture or usage, and for level 01",
    ),
    // Tables.
    ("05 A PIC X OCCURS.", "line 1, column 18: found a period, expected the number of occurrences"),
    ("05 A PIC X OCCURS 0.", "line 1, column 19: OCCURS 0: a table has at least one element, or a varying number"),
    ("05 A PIC X OCCURS 5 TO 3 DEPENDING ON B.", "line 1, column 19: OCCURS 5 TO 3: the second number is smaller"),
    ("05 A PIC X OCCURS 1 TO 3.", "line 1, column 25: OCCURS 1 TO 3 needs DEPENDING ON and a name"),
    (
        "05 A PIC X OCCURS UNBOUNDED DEPENDING ON B.",
        "line 1, column 19: UNBOUNDED is not supported: a file has no such tables; give the largest number of elements",
    ),
    (
        "05 A PIC X OCCURS 1 TO UNBOUNDED DEPENDING ON B.",
        "line 1, column 24: UNBOUNDED is not supported: a file has no such tables; give the largest number of elements",
    ),
    ("05 A PIC X OCCURS 99999999999.", "line 1, column 19: the number 99999999999 is too large"),
    (
        "05 A PIC X OCCURS 3 DEPENDING ON.",
        "line 1, column 33: found a period, expected the name of the item with the count",
    ),
    (
        "05 A PIC X OCCURS 3 DEPENDING ON B.",
        "line 1, column 34: there is no B in this record, but it should contain the count of the table",
    ),
    (
        "01 R. 05 B PIC 9. 01 S. 05 A PIC X OCCURS 3 DEPENDING ON B.",
        "line 1, column 58: there is no B in this record, but it should contain the count of the table",
    ),
    (
        "01 R. 05 B PIC 9. 05 A PIC X OCCURS 3 DEPENDING ON B OF C.",
        "line 1, column 52: there is no B OF C in this record, but it should contain the count of the table",
    ),
    (
        "05 A PIC X OCCURS 3 DEPENDING ON B. 05 B PIC 9.",
        "line 1, column 34: B contains the count of this table, so it must come before the table",
    ),
    (
        "05 B PIC X. 05 A PIC X OCCURS 3 DEPENDING ON B.",
        "line 1, column 13: A OCCURS DEPENDING ON B: B is not an integer",
    ),
    (
        "05 B PIC 9V9. 05 A PIC X OCCURS 3 DEPENDING ON B.",
        "line 1, column 15: A OCCURS DEPENDING ON B: B is not an integer",
    ),
    ("01 A OCCURS 3. 05 B PIC X.", "line 1, column 6: OCCURS is not allowed at level 01"),
    (
        "05 N PIC 9. 05 A PIC X(3) OCCURS 1 TO 9 DEPENDING ON N. 05 B PIC 9 COMP SYNC.",
        "line 1, column 57: the slack bytes for SYNCHRONIZED would depend on the counts of the tables before it: describe them as FILLER, and remove SYNCHRONIZED",
    ),
    // Redefinitions.
    ("05 A PIC X. 05 B REDEFINES C PIC X.", "line 1, column 28: there is no C before this item"),
    ("05 A PIC X. 05 B REDEFINES B PIC X.", "line 1, column 28: there is no B before this item"),
    (
        "05 A PIC X. 05 B PIC X. 05 C REDEFINES A PIC X.",
        "line 1, column 40: A cannot be redefined here, because other items follow it: a redefinition comes directly after it",
    ),
    (
        "05 G. 10 A PIC X. 05 C REDEFINES A PIC X.",
        "line 1, column 34: A has the level 10 and is in another group: an item redefines one of its own group and level",
    ),
    (
        "05 A PIC X. 05 B. 10 C REDEFINES A PIC X.",
        "line 1, column 34: A has the level 05 and is in another group: an item redefines one of its own group and level",
    ),
    ("01 A PIC X. 01 B REDEFINES C PIC X.", "line 1, column 28: there is no level 01 named C before this one"),
    ("01 A PIC X. 01 B REDEFINES B PIC X.", "line 1, column 28: there is no level 01 named B before this one"),
    // Limits.
    (
        "01 A. 05 B PIC X(99999999). 05 C PIC X(99999999).",
        "line 1, column 29: with C, the record is longer than 134217727 bytes, the longest possible",
    ),
    (
        "01 A. 05 B PIC X(999) OCCURS 999999.",
        "line 1, column 7: with B, the record is longer than 134217727 bytes, the longest possible",
    ),
    (
        "01 A. 05 B OCCURS 2000. 10 C OCCURS 2000. 15 D PIC X.",
        "line 1, column 7: with B, the record has more than 1048576 fields: each element of a table counts",
    ),
];

#[test]
fn every_error_has_its_place() {
    let found: Vec<_> = ERRORS.iter().map(|(text, _)| (*text, error(text))).collect();
    for ((text, found), (_, expected)) in found.iter().zip(ERRORS) {
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn places_are_those_of_the_file() {
    // In fixed form, after comments, in a continuation, after tabs and after characters of several bytes.
    for (text, place) in [
        ("000100 01 A.\n      * x\n\n000200     05 B PIK X.\n", "line 4, column 17: found PIK"),
        ("       01 A.\n           05 B PIC X\n      -    (3 VALUE 1.\n", "line 3, column 12: found (3"),
        ("       01 A.\n           05 B PIC S9(3)V\n      -    9Q(2) VALUE 1.\n", "line 3, column 13: 'Q'"),
        ("\t01 A.\n\t\t05 B\tPIK X.\n", "line 2, column 8: found PIK"),
        ("01 A.\r\n   05 Größe PIK X.\r\n", "line 2, column 13: found PIK"),
        ("01 A.\r   05 B PIK X.\r", "line 2, column 9: found PIK"),
        ("       01 A.\n           05 B PIC X\n      *\n\n", "line 2, column 22: found the end of the copybook"),
        ("       01 A.\n      X    05 B PIC X.\n       ?\n000100?\n", "line 2, column 7: found X, expected a level"),
        (
            "000100 01 A.\n000200?    05 B PIC X.\n",
            "line 2, column 7: found '?' in column 7, expected a blank, *, /, D or -",
        ),
    ] {
        let found = error(text);
        assert!(found.starts_with(place), "{text}\n{found}");
    }
}

#[test]
fn other_files_are_recognised() {
    let of = |bytes: &[u8]| Copybook::new().read(bytes).unwrap_err().to_string();
    assert_eq!(
        of(b"0\x001\x00 \x00A\x00"),
        "line 1: found a byte 00, which a copybook cannot contain: if this is a copybook, convert it to UTF-8"
    );
    let ebcdic = charpipe::decode(b"").map(|_| [0xF0, 0xF1, 0x40, 0xC1, 0x4B, 0x40, 0x40]).unwrap();
    assert_eq!(of(&ebcdic), "line 1, column 1: the copybook is in EBCDIC: convert it to UTF-8 first");
    assert_eq!(of(&vec![b' '; (16 << 20) + 1]), "line 1, column 1: the copybook is longer than 16777216 bytes");
}

// --- Limits
// -----------------------------------------------------------------------------------------------------------

#[test]
fn the_deepest_nesting() {
    let entries: Vec<String> =
        (1..=49).map(|level| format!("{level:02} G{level}{}.", if level == 49 { " PIC X" } else { "" })).collect();
    let layout = read(&entries.join("\n"));
    assert_eq!((layout.items().len(), layout.max_len()), (49, 1));
    assert_eq!(layout.depth(48), 48);
    let occurring: Vec<String> = (1..=19)
        .map(|level| format!("{:02} G{level} OCCURS 2{}.", level + 1, if level == 19 { " PIC X" } else { "" }))
        .collect();
    assert_eq!(read(&occurring.join("\n")).max_len(), 1 << 19);
}

#[test]
fn too_many_entries() {
    let entries = |count: usize| "05 A PIC X.\n".repeat(count);
    assert_eq!(read(&entries(20_000)).max_len(), 20_000);
    assert_eq!(error(&entries(20_001)), "line 20001, column 1: a copybook may have at most 20000 entries");
    let tables = |count: usize| format!("05 N PIC 9.\n{}", "05 A OCCURS 2 DEPENDING ON N PIC X.\n".repeat(count));
    assert_eq!(read(&tables(1000)).max_len(), 2001);
    assert_eq!(error(&tables(1001)), "line 1002, column 1: a copybook may have at most 1000 tables with DEPENDING ON");
}

/// Twice as much text takes twice as much work.
#[test]
fn work_is_linear() {
    type Shape = (&'static str, fn(usize) -> String);
    let shapes: [Shape; 9] = [
        ("fields", |n| (0..n).map(|i| format!("05 F{i} PIC X(3).\n")).collect()),
        ("clauses", |n| format!("05 A PIC X VALUES {}.", "'a' THRU 'b', ".repeat(n))),
        ("comments", |n| format!("{}05 A PIC X.", "      * comment\n".repeat(n))),
        ("continuations", |n| format!("       05 A PIC X VALUE '\n{}      -    '.\n", "      -    'x\n".repeat(n))),
        ("symbols", |n| format!("05 A PIC {}.", "X".repeat(n))),
        ("conditions", |n| format!("05 A PIC X. {}", "88 B VALUE 1. ".repeat(n))),
        ("blanks", |n| format!("05 A{}PIC X.", " \n".repeat(n))),
        ("redefinitions", |n| format!("05 A PIC X. {}", "05 B REDEFINES A PIC X. ".repeat(n))),
        ("groups", |n| "05 G. 10 H OCCURS 2. 15 A PIC X. ".repeat(n)),
    ];
    for (name, shape) in shapes {
        let work = |n: usize| {
            let text = shape(n);
            let work = work_in(|| _ = Copybook::new().read(text.as_bytes()));
            work.allocations + work.peak as u64
        };
        let (one, two) = (work(400), work(800));
        assert!(two < 3 * one, "{name}: {one}, {two}");
    }
}
