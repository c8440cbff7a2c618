//! Tests field lists: how they are read and written, and the errors in invalid ones.

use charpipe::fields::{FieldKind, Item, Layout, Occurs, When};

const ALL: &str = "\
ID 1 4 binary,unsigned
TYPE 5 1 text
NAME 6 10 text IBM939
KANJI 16 8 graphic
FILLER 24 2 raw
A 26 5 zoned
B 31 5 zoned.2,unsigned
C 36 5 zoned.2,leading
D 41 5 zoned.-3,separate,ascii
E 46 5 zoned,leading,separate,ascii-p
F 51 5 packed.2
G 56 5 packed,unsigned,digits=8
H 61 5 packed,no-sign
I 66 2 binary.4,digits=4
J 68 8 binary,unsigned,little
K 76 4 float
L 80 8 float,ieee,little
M 88 3*4 packed
when TYPE=C,D: COMPANY
NAME 100 20 text
when 5=C1: PERSON
AGE 100 2 binary
FILLER 102 18 raw
when otherwise
REST 100 20 raw
end
LAST 120 1 text
N 121 10 edited.2,minus-after,point,blanks=6
O 131 9 edited,plus-before
P 140 6 edited.2,zone,point
Q 146 9 binary.2,digits=19
R 155 16 binary,unsigned
";

#[test]
fn lists_come_back() {
    let layout = Layout::from_field_list(ALL).unwrap();
    assert_eq!(layout.to_field_list().as_deref(), Ok(ALL));
    assert_eq!((layout.min_len(), layout.max_len()), (170, 170));
    assert_eq!(layout.types().count(), 3);
    let company = layout.find("COMPANY.NAME").unwrap();
    assert_eq!((layout.path(company), layout.offset(company)), ("COMPANY.NAME", Some(99)));
    // Comments, spaces, and the case of words.
    let spaced = "# a comment\n\n  ID 1 4 BINARY,Unsigned # the key\n\tWHEN  1=C1:  X # first\nB 5 1 text\nEnd\n";
    assert_eq!(
        Layout::from_field_list(spaced).unwrap().to_field_list().unwrap(),
        "ID 1 4 binary,unsigned\nwhen 1=C1: X\nB 5 1 text\n"
    );
}

#[test]
fn layouts_become_lists() {
    let text = |level, name: &str, len| Item::field(level, name, FieldKind::text(len));
    let layout = Layout::new(vec![
        Item::group(1, "R"),
        Item::group(5, "KEY"),
        text(10, "A", 2),
        text(5, "DATA", 4),
        Item::group(5, "X").redefining("DATA").applying(When::field("A", "X")),
        text(10, "B", 4),
        text(5, "END", 1).occurring(Occurs::times(2)),
    ])
    .unwrap();
    assert_eq!(layout.to_field_list().unwrap(), "KEY_A 1 2 text\nwhen A=X: X\nB 3 4 text\nend\nEND 7 1*2 text\n");
    let varies = Layout::new(vec![
        Item::field(1, "N", FieldKind::Zoned(charpipe::fields::Zoned::unsigned(1, 0))),
        text(1, "A", 1).occurring(Occurs::depending_on(0, 2, "N")),
    ]);
    let error = varies.unwrap().to_field_list().unwrap_err();
    assert_eq!(error.to_string(), "A is an array whose count varies, which a field list cannot express");
}

#[test]
fn bad_lists() {
    let kinds = "text, graphic, zoned, edited, packed, binary, float or raw";
    let cases = [
        ("", "the layout has no fields".into()),
        ("A", "line 1, column 2: the line ends here; expected the first byte of the field, from 1".into()),
        (
            "A 0 1 text",
            "line 1, column 3: \"0\" is not a position; expected the first byte of the field, from 1".into(),
        ),
        (
            "A 1 0 text",
            "line 1, column 5: \"0\" is not a length; expected a number of bytes, or 5*12 for an array".into(),
        ),
        ("A 1 4", format!("line 1, column 6: the line ends here; expected {kinds}")),
        ("\nÄ 1 4  comp", format!("line 2, column 8: \"comp\" is not a kind; expected {kinds}")),
        ("A 1 4 packed.x", "line 1, column 7: \"x\" is not a number of decimal places".into()),
        ("A 1 4 text.2", "line 1, column 7: text has no decimal places".into()),
        ("A 1 5 float", "line 1, column 7: a floating-point number has 4 or 8 bytes, not 5".into()),
        (
            "A 1 4 packed IBM037",
            "line 1, column 14: \"IBM037\" follows a field of kind packed; only text has a code page".into(),
        ),
        ("A 1 4 text IBM037 x", "line 1, column 19: unexpected \"x\"; expected the end of the line".into()),
        ("A 1 4 raw,little", "line 1, column 7: \"little\" does not apply here; after raw, expected nothing".into()),
        ("A 1 5 edited,point", "line 1, column 1: A: this edited number has 1 to 4 decimal places, not 0".into()),
        ("A 1 5 edited,blanks=6", "line 1, column 1: A: 6 of 5 digits cannot be blanks".into()),
        (
            "A 1 5 edited,zone,plus-after",
            "line 1, column 7: \"plus-after\" does not apply here; after edited, expected plus-before, plus-after, \
             minus-before, minus-after, zone, point, comma, blanks=N or blank-when-zero, none of them twice"
                .into(),
        ),
        (
            "A 1 17 binary",
            "line 1, column 1: A: a binary number has 1 to 16 bytes and at most 38 decimal places, not 17 and 0".into(),
        ),
        ("A 1 300 packed", "line 1, column 9: a number of 300 bytes is too long".into()),
        ("A 1 1 zoned,separate", "line 1, column 1: A: a number has 1 to 38 digits, not 0".into()),
        ("end", "line 1, column 1: there is no block to end; `when` begins one".into()),
        ("A 1 1 text\nwhen B=1\nC 2 1 text", "line 2, column 1: the condition B=1: there is no B".into()),
        ("when A: X", "line 1, column 6: there is no = in \"A\"".into()),
        ("when 1-2=C1: X", "line 1, column 6: \"C1\" is not 2 bytes in hex, two digits each".into()),
    ];
    for (list, expected) in cases {
        let expected: String = expected;
        assert_eq!(Layout::from_field_list(list).unwrap_err().to_string(), expected, "{list:?}");
    }
}

// --- The documentation
// ------------------------------------------------------------------------------------------------

/// The page that describes field lists.
const PAGE: &str = include_str!("../../docs/field-list.md");

/// The rows of the table of kinds: the kind and an example.
fn examples() -> Vec<(&'static str, &'static str)> {
    let table = PAGE.split_once("| kind | example | meaning |\n|---|---|---|\n").unwrap().1;
    let mut last = "";
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let mut cells = line.split('|').skip(1).map(|cell| cell.trim().trim_matches('`'));
        last = cells.next().filter(|kind| !kind.is_empty()).unwrap_or(last);
        (last, cells.next().unwrap())
    })
    .collect()
}

#[test]
fn examples_of_the_page() {
    let examples = examples();
    let list: String = examples.iter().map(|(_, line)| format!("{line}\n")).collect();
    let layout = Layout::from_field_list(&list).unwrap();
    let mut next = 0;
    for (index, (kind, line)) in examples.iter().enumerate() {
        let found = layout.items()[index].kind.as_ref().unwrap().to_string();
        assert_eq!(found.split(['.', ',']).next(), Some(*kind), "{line}");
        assert_eq!(layout.offset(index), Some(next), "{line}");
        next += layout.len_of(index);
    }
    // The list is what it becomes again, so that each word of it means something.
    assert_eq!(layout.to_field_list().unwrap(), list);
}

/// The kinds of the page's grammar, each with its modifiers.
fn grammar() -> Vec<(&'static str, Vec<&'static str>)> {
    let grammar = PAGE.split_once("kind      = ").unwrap().1.split_once("\nplaces").unwrap().0;
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in grammar.split('"').skip(1).step_by(2) {
        match word.strip_prefix(',') {
            Some(modifier) => kinds.last_mut().unwrap().1.push(modifier),
            None => kinds.push((word, Vec::new())),
        }
    }
    kinds
}

/// Every word of the grammar is accepted, and the messages for wrong words name no others.
#[test]
fn the_grammar_of_the_page_is_complete() {
    let mut kinds = grammar();
    let text = kinds.iter().find(|(kind, _)| *kind == "graphic").unwrap().1.clone();
    kinds.iter_mut().find(|(kind, _)| *kind == "text").unwrap().1 = text;
    let error = Layout::from_field_list("A 1 8 x").unwrap_err().to_string();
    let known = error.rsplit_once("expected ").unwrap().1.replace(" or ", ", ");
    let mut names: Vec<_> = kinds.iter().map(|(kind, _)| *kind).collect();
    names.sort_unstable();
    let mut expected: Vec<_> = known.split(", ").collect();
    expected.sort_unstable();
    assert_eq!(names, expected);
    for (kind, modifiers) in kinds {
        for modifier in &modifiers {
            let number = if modifier.ends_with('=') { "1" } else { "" };
            let places = if matches!(*modifier, "point" | "comma") { ".1" } else { "" };
            let digits = if modifier.starts_with("digits") && kind == "packed" { "14" } else { number };
            let line = format!("A 1 8 {kind}{places},{modifier}{digits}");
            assert!(Layout::from_field_list(&line).is_ok(), "{line}: {:?}", Layout::from_field_list(&line));
        }
        let error = Layout::from_field_list(&format!("A 1 8 {kind},x")).unwrap_err().to_string();
        let known = error.rsplit_once("expected ").unwrap().1;
        let words = known.split([' ', ',']).filter(|word| !matches!(*word, "" | "or" | "nothing"));
        let words = words.map_while(|word| (!matches!(word, "none" | "in" | "with")).then_some(word));
        let words: Vec<_> = words.map(|word| word.trim_end_matches('N')).collect();
        assert_eq!(modifiers, words, "{kind}");
    }
}
