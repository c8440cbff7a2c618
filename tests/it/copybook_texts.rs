//! Property tests of copybooks: random items, written as a copybook in random spellings and forms, are read as the same
//! items; and no text at all causes a panic.

use crate::common::layouts::with;
use charpipe::fields::{
    Binary, Copybook, Edited, EditedSign, FieldKind, Float, Item, Layout, Occurs, Packed, PackedSign, SignPlace, Text,
    Zoned,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Random choices, from a tape of numbers. At its end, every choice is the first one.
struct Tape<'a>(std::slice::Iter<'a, u16>);

impl Tape<'_> {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % end
    }

    fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// True once in `n` times; never at the end of the tape.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }
}

// --- Random items
// -----------------------------------------------------------------------------------------------------

/// Makes items of a group, whose level is `level`.
fn group(tape: &mut Tape<'_>, level: u8, items: &mut Vec<Item>) {
    let level = level + 1 + tape.below(4) as u8;
    let count = 1 + tape.below(4);
    // The names that can be redefined here.
    let mut area: Vec<String> = Vec::new();
    for _ in 0..count {
        let number = items.len();
        let mut item = Item::filler(level, None);
        if !tape.once_in(5) {
            let words = ["A", "Field-%", "CUST-NAME-%", "88-%-X", "x_%", "PICTURES-%", "größe-%"];
            item.name = Some(tape.one(&words).replace('%', &number.to_string()) + &number.to_string());
        }
        if !area.is_empty() && tape.once_in(4) {
            item.redefines = Some(tape.one(&area).clone());
        } else {
            area.clear();
            item.occurs = occurs(tape, items);
        }
        area.extend(item.name.clone());
        let is_group = level < 30 && items.len() < 30 && tape.once_in(3);
        item.kind = (!is_group).then(|| kind(tape));
        items.push(item);
        if is_group {
            group(tape, level, items);
        }
    }
}

fn occurs(tape: &mut Tape<'_>, items: &[Item]) -> Option<Occurs> {
    let is_counter = |item: &&Item| {
        let is_number = item.kind.as_ref().and_then(FieldKind::scale).is_some_and(|scale| scale <= 0);
        // Nothing of an array, and nothing in a group that could be one.
        is_number && item.occurs.is_none() && item.level <= 5 && item.name.is_some()
    };
    match tape.below(6) {
        4 => Some(Occurs::times(1 + tape.below(5))),
        5 => {
            let min = tape.below(3);
            let counter = items.iter().rfind(is_counter).filter(|_| items.iter().all(|item| item.occurs.is_none()))?;
            Some(Occurs::depending_on(min, min + 1 + tape.below(5), counter.name.clone()?))
        }
        _ => None,
    }
}

fn kind(tape: &mut Tape<'_>) -> FieldKind {
    let digits = 1 + tape.below(18) as u8;
    let scale = match tape.below(6) {
        0 | 1 => 0,
        2 => -(tape.below(4) as i8),
        3 => digits as i8 + tape.below(4) as i8,
        _ => tape.below(usize::from(digits) + 1) as i8,
    };
    let signs = [
        SignPlace::Unsigned,
        SignPlace::Trailing,
        SignPlace::Leading,
        SignPlace::TrailingSeparate,
        SignPlace::LeadingSeparate,
    ];
    let signed = tape.once_in(2);
    match tape.below(13) {
        0..=2 => FieldKind::text(1 + tape.below(40)),
        3 | 4 => FieldKind::Zoned(with(Zoned::new(digits, scale), |zoned| zoned.sign = *tape.one(&signs))),
        5 => {
            let sign = *tape.one(&[PackedSign::Signed, PackedSign::Unsigned, PackedSign::Absent]);
            FieldKind::Packed(with(Packed::new(digits, scale), |packed| packed.sign = sign))
        }
        6 => FieldKind::Binary(with(Binary::comp(digits, scale), |binary| binary.signed = signed)),
        7 => FieldKind::Binary(with(Binary::comp(digits, scale), |binary| {
            (binary.signed, binary.digits) = (signed, None)
        })),
        8 => FieldKind::Float(*tape.one(&[Float::COMP_1, Float::COMP_2])),
        9 => FieldKind::Text(Text::graphic(2 + 2 * tape.below(9))),
        10 => FieldKind::Text(Text::national(2 + 2 * tape.below(9))),
        11 => FieldKind::Raw(*tape.one(&[4, 8])),
        _ => edited(tape, digits),
    }
}

/// An edited number. Without a sign, a point and spaces it would be a zoned one.
fn edited(tape: &mut Tape<'_>, digits: u8) -> FieldKind {
    let sign = *tape.one(&EditedSign::ALL[1..5]);
    let mut edited = Edited::new(digits);
    edited.sign = sign;
    edited.scale = tape.below(usize::from(digits) + 1) as i8;
    let whole = digits - edited.scale as u8;
    edited.blanks = if tape.once_in(4) { digits } else { tape.below(usize::from(whole) + 1) as u8 };
    edited.point = edited.scale > 0 && tape.once_in(2);
    edited.blank_when_zero = edited.blanks < digits && tape.once_in(3);
    FieldKind::Edited(edited)
}

// --- Random spellings
// -------------------------------------------------------------------------------------------------

/// The words of an entry, with its period.
fn entry(tape: &mut Tape<'_>, item: &Item) -> Vec<String> {
    let mut clauses: Vec<String> = Vec::new();
    if let Some(name) = &item.redefines {
        clauses.push(format!("REDEFINES {name}"));
    }
    if let Some(occurs) = &item.occurs {
        clauses.push(occurs_clause(tape, occurs));
    }
    clauses.extend(item.kind.iter().flat_map(|kind| storage(tape, kind)));
    if let Some(FieldKind::Edited(Edited { blank_when_zero: true, .. })) = &item.kind {
        clauses.push((*tape.one(&["BLANK WHEN ZERO", "BLANK ZEROES"])).to_owned());
    }
    let notes = ["VALUE 'it''s. 05 X PIC X.'", "GLOBAL", "JUST RIGHT", "VALUES 1 THRU 3 -4.5"];
    if tape.once_in(5) {
        clauses.push((*tape.one(&notes)).to_owned());
    }
    let turned = tape.below(clauses.len().max(1));
    clauses.rotate_left(turned);
    let mut words = vec![match tape.below(3) {
        0 => format!("{:02}", item.level),
        _ => item.level.to_string(),
    }];
    words.extend(item.name.clone().or_else(|| tape.once_in(2).then(|| "FILLER".to_owned())));
    words.extend(clauses.iter().flat_map(|clause| split(clause)));
    words.last_mut().unwrap().push('.');
    words
}

/// The words of a clause; a literal is one of them.
fn split(clause: &str) -> Vec<String> {
    match clause.split_once(" '") {
        Some((word, literal)) => vec![word.to_owned(), format!("'{literal}")],
        None => clause.split(' ').map(str::to_owned).collect(),
    }
}

fn occurs_clause(tape: &mut Tape<'_>, occurs: &Occurs) -> String {
    let mut clause = match (&occurs.depending_on, occurs.min) {
        (None, count) => format!("OCCURS {count}"),
        (Some(_), 0) if tape.once_in(2) => format!("OCCURS {}", occurs.max),
        (Some(_), min) => format!("OCCURS {min} TO {}", occurs.max),
    };
    clause += *tape.one(&["", " TIMES"]);
    let depending = occurs
        .depending_on
        .as_ref()
        .map_or(String::new(), |name| format!("{}{name}", tape.one(&[" DEPENDING ON ", " DEPENDING "])));
    let index = *tape.one(&["", " INDEXED BY IX", " ASCENDING KEY IS K-1 K-2", " DESCENDING K INDEXED I J"]);
    if tape.once_in(2) { format!("{clause}{depending}{index}") } else { format!("{clause}{index}{depending}") }
}

/// The clauses for a kind.
fn storage(tape: &mut Tape<'_>, kind: &FieldKind) -> Vec<String> {
    let pic = *tape.one(&["PIC", "PICTURE", "PIC IS", "PICTURE IS"]);
    let mut clauses = Vec::new();
    let mut usage = |tape: &mut Tape<'_>, words: &[&str]| {
        let word = tape.one(words);
        clauses.push(format!("{}{word}", tape.one(&["", "USAGE ", "USAGE IS "])));
    };
    let picture = match kind {
        FieldKind::Text(text) if text.page.is_some() => {
            usage(tape, &["NATIONAL"]);
            repeated(tape, 'N', text.len / 2)
        }
        FieldKind::Text(text) if text.double_byte => {
            usage(tape, &["DISPLAY-1"]);
            let symbol = *tape.one(&['G', 'N']);
            repeated(tape, symbol, text.len / 2)
        }
        FieldKind::Text(text) => characters(tape, text.len),
        FieldKind::Zoned(zoned) => {
            let place = match zoned.sign {
                SignPlace::Unsigned => "",
                SignPlace::Trailing => *tape.one(&["", "SIGN TRAILING", "TRAILING"]),
                SignPlace::Leading => *tape.one(&["SIGN IS LEADING", "LEADING"]),
                SignPlace::TrailingSeparate => *tape.one(&["SIGN TRAILING SEPARATE", "TRAILING SEPARATE CHARACTER"]),
                SignPlace::LeadingSeparate => "SIGN IS LEADING SEPARATE CHARACTER",
                other => panic!("{other:?} is new: how is it written?"),
            };
            clauses.extend((!place.is_empty()).then(|| place.to_owned()));
            number(tape, zoned.digits, zoned.scale, zoned.sign != SignPlace::Unsigned)
        }
        FieldKind::Edited(edited) => {
            let whole = usize::from(edited.digits) - edited.scale as usize;
            let blanks = whole.min(edited.blanks.into());
            let places = if edited.blanks == edited.digits { 'Z' } else { '9' };
            let mut picture = String::new();
            for (symbol, count) in [('Z', blanks), ('9', whole - blanks)] {
                picture += &(if count > 0 { repeated(tape, symbol, count) } else { String::new() });
            }
            if edited.scale > 0 {
                picture += if edited.point { "." } else { "V" };
                picture += &repeated(tape, places, edited.scale as usize);
            }
            match edited.sign {
                EditedSign::PlusBefore => format!("+{picture}"),
                EditedSign::MinusBefore => format!("-{picture}"),
                EditedSign::PlusAfter => format!("{picture}+"),
                _ => format!("{picture}-"),
            }
        }
        FieldKind::Packed(packed) => {
            match packed.sign {
                PackedSign::Absent => usage(tape, &["COMP-6"]),
                _ => usage(tape, &["COMP-3", "COMPUTATIONAL-3", "PACKED-DECIMAL"]),
            }
            number(tape, packed.digits, packed.scale, packed.sign == PackedSign::Signed)
        }
        FieldKind::Binary(binary) => {
            match binary.digits {
                Some(_) => usage(tape, &["COMP", "COMPUTATIONAL", "BINARY", "COMP-4", "COMPUTATIONAL-4"]),
                None => usage(tape, &["COMP-5", "COMPUTATIONAL-5"]),
            }
            let digits = binary.digits.unwrap_or(match binary.len {
                2 => 4,
                4 => 9,
                _ => 18,
            });
            number(tape, digits, binary.scale, binary.signed)
        }
        FieldKind::Float(float) => {
            usage(tape, if float.double { &["COMP-2", "COMPUTATIONAL-2"] } else { &["COMP-1", "COMPUTATIONAL-1"] });
            return clauses;
        }
        _ => {
            usage(tape, if kind.len() == 4 { &["POINTER", "FUNCTION-POINTER"] } else { &["PROCEDURE-POINTER"] });
            return clauses;
        }
    };
    clauses.push(format!("{pic} {picture}"));
    clauses
}

/// A symbol `count` times.
fn repeated(tape: &mut Tape<'_>, symbol: char, count: usize) -> String {
    match tape.below(4) {
        0 if count < 20 => symbol.to_string().repeat(count),
        1 if count > 1 => format!("{symbol}({}){symbol}", count - 1),
        2 => format!("{symbol}({count:03})"),
        _ => format!("{symbol}({count})"),
    }
}

/// The picture of text, or of an edited number, of this length.
fn characters(tape: &mut Tape<'_>, len: usize) -> String {
    match tape.below(6) {
        0 => repeated(tape, 'A', len),
        1 if len > 5 => format!("Z({}),9.99", len - 5),
        2 if len > 4 => format!("-(2){}CR", "9".repeat(len - 4)),
        3 if len > 3 => format!("XX/{}", "B".repeat(len - 3)),
        _ => repeated(tape, 'X', len),
    }
}

/// The picture of a number.
fn number(tape: &mut Tape<'_>, digits: u8, scale: i8, signed: bool) -> String {
    let (digits, scale) = (usize::from(digits), isize::from(scale));
    let sign = if signed { "S" } else { "" };
    let zeros = |tape: &mut Tape<'_>, count: isize| repeated(tape, 'P', count as usize);
    let body = match scale - digits as isize {
        _ if scale < 0 => {
            let picture = repeated(tape, '9', digits) + &zeros(tape, -scale);
            picture + *tape.one(&["", "V"])
        }
        more @ 1.. => (*tape.one(&["", "V"])).to_owned() + &zeros(tape, more) + &repeated(tape, '9', digits),
        0 => "V".to_owned() + &repeated(tape, '9', digits),
        _ if scale == 0 => repeated(tape, '9', digits) + *tape.one(&["", "V"]),
        _ => repeated(tape, '9', digits - scale as usize) + "V" + &repeated(tape, '9', scale as usize),
    };
    sign.to_owned() + &body
}

/// Changes the case of keywords and pictures, but not of literals and names.
fn in_some_case(tape: &mut Tape<'_>, words: &mut [String], item: &Item) {
    let names = [&item.name, &item.redefines, &item.occurs.as_ref().and_then(|occurs| occurs.depending_on.clone())];
    let is_name =
        |word: &str| names.iter().any(|name| name.as_deref().is_some_and(|name| word.trim_end_matches('.') == name));
    if tape.once_in(2) {
        for word in words.iter_mut().filter(|word| !word.starts_with('\'') && !is_name(word)) {
            *word = word.to_lowercase();
        }
    }
}

/// Lines in free form, from column 1 on.
fn free_entries(tape: &mut Tape<'_>, words: &[String]) -> String {
    let mut text = String::new();
    for entry in words.split_inclusive(|word| word.ends_with('.')) {
        let comment = *tape.one(&["", "", " *> a comment", "\n      *> another"]);
        text += &format!("{}{comment}\n", entry.join(*tape.one(&[" ", "  ", "\t"])));
    }
    text
}

/// Lines in free form that could be anything, so the first one names the form.
fn free(tape: &mut Tape<'_>, words: &[String]) -> String {
    let mut text = ">>SOURCE FORMAT IS FREE\n".to_owned();
    for word in words {
        text += word;
        let ends = word.ends_with('.');
        text += match tape.below(8) {
            0 => "\n",
            1 => "\r\n   ",
            2 => " *> a 'comment.\n",
            3 if !ends => ", ",
            4 if ends => "\n\n* another\n  ** 05 X PIC X.\n",
            5 => "\t",
            _ => " ",
        };
    }
    text
}

/// Lines in fixed form.
fn fixed(tape: &mut Tape<'_>, words: &[String]) -> String {
    let first = ["      * a comment", "ALTF  *  text", "* a star", "000100* 05 X PIC X.", ""];
    let mut lines: Vec<String> = vec![(*tape.one(&first)).to_owned()];
    let (marks, ends) = *tape.one(&[
        (&["      ", "000100", "CR0001"][..], &["", "00000100", "PROG0001", " 05 X"][..]),
        (&["ALTF  ", "RF06  ", " x    ", "@1 2 3"], &["", " more text, which is longer than a card", "  it's"]),
        (&["      "], &["", "PROG0001 and more text, up to column 100", "\tand a tab"]),
    ]);
    let mut line = String::new();
    let mut area = ' ';
    let mut flush = |tape: &mut Tape<'_>, line: &mut String, area: &mut char, next: char| {
        let number = *tape.one(marks);
        lines.push(format!("{number}{area}{line:65}{}", tape.one(ends)));
        match tape.below(8) {
            0 => lines.push("      * 'comment. 05 X PIC X.".into()),
            1 => lines.push(String::new()),
            2 => lines.push("      D    05 X PIC X.".into()),
            3 if next == ' ' => lines.push("       EJECT".into()),
            _ => {}
        }
        line.clear();
        *area = next;
        if next == '-' {
            line.push_str("    ");
        }
    };
    for word in words {
        let mut rest = word.as_str();
        // Continue words, but not literals, whose spaces would be cut.
        if !rest.starts_with('\'') && rest.len() > 2 && rest.is_ascii() && tape.once_in(10) {
            let (head, tail) = rest.split_at(1 + tape.below(rest.len() - 1));
            if line.len() + head.len() > 60 {
                flush(tape, &mut line, &mut area, ' ');
            }
            line += head;
            flush(tape, &mut line, &mut area, '-');
            rest = tail;
        } else if line.chars().count() + rest.chars().count() > 60 || tape.once_in(6) {
            flush(tape, &mut line, &mut area, ' ');
        }
        line += rest;
        line += *tape.one(&[" ", "  "]);
    }
    flush(tape, &mut line, &mut area, ' ');
    lines.join(*tape.one(&["\n", "\r\n"])) + "\n"
}

/// A program whose working storage has the entries after other ones.
fn program(tape: &mut Tape<'_>, words: &[String]) -> String {
    let head = "DATA DIVISION. WORKING-STORAGE SECTION. 78 N VALUE 5. 01 OTHER. 05 X PIC X(N).";
    let tail = "LINKAGE SECTION. 01 LAST-ONE PIC X. PROCEDURE DIVISION. GOBACK.";
    let split = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    fixed(tape, &[split(head), words.to_vec(), split(tail)].concat())
}

/// The entries in two files, of which one copies the other, with `:P:` for `PIC`.
fn copied(tape: &mut Tape<'_>, words: &[String]) -> (String, String) {
    let words = words.iter().map(|word| if word == "PIC" { ":P:".to_owned() } else { word.clone() });
    let mut main: Vec<String> = words.collect();
    let ends: Vec<usize> = (1..=main.len()).filter(|end| main[end - 1].ends_with('.')).collect();
    let from = *tape.one(&ends);
    let to = from.max(*tape.one(&ends));
    let member: Vec<String> = main.splice(from..to, ["COPY".to_owned(), "PART.".to_owned()]).collect();
    let member = if tape.once_in(2) { fixed(tape, &member) } else { free(tape, &member) };
    (if tape.once_in(2) { fixed(tape, &main) } else { free(tape, &main) }, member)
}

/// What the items say, without what is for display.
fn essence(layout: &Layout) -> Vec<Item> {
    layout.items().iter().map(|item| item.clone().picture("")).collect()
}

/// The kinds of native integers do not keep their digits, so they are those of the largest picture.
fn settle(kind: &mut FieldKind) {
    if let FieldKind::Binary(binary) = kind
        && binary.digits.is_none()
    {
        let digits = match binary.len {
            2 => 4,
            4 => 9,
            _ => 18,
        };
        // The scale has to fit the picture.
        binary.scale = binary.scale.clamp(-4, digits);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn items_survive_any_spelling(tape in vec(any::<u16>(), 0..1200)) {
        let mut tape = Tape(tape.iter());
        let mut items = Vec::new();
        if tape.once_in(2) {
            items.push(Item::group(1, "RECORD"));
            group(&mut tape, 1, &mut items);
        } else {
            group(&mut tape, 2, &mut items);
        }
        for item in &mut items {
            item.kind.iter_mut().for_each(settle);
        }
        // Some counters are in the wrong place; that is an error of the layout.
        prop_assume!(Layout::new(items.clone()).is_ok());
        let expected = essence(&Layout::new(items.clone()).unwrap());
        let mut words = Vec::new();
        for item in &items {
            let mut entry = entry(&mut tape, item);
            in_some_case(&mut tape, &mut entry, item);
            words.extend(entry);
        }
        for text in [free(&mut tape, &words), free_entries(&mut tape, &words), fixed(&mut tape, &words)] {
            match Copybook::new().read(text.as_bytes()) {
                Ok(layout) => prop_assert_eq!(essence(&layout), expected.clone(), "{}", text),
                Err(error) => prop_assert!(false, "{}\n{}", error, text),
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let (main, member) = copied(&mut tape, &words);
        std::fs::write(folder.path().join("Part.CBL"), &member).unwrap();
        let reader = Copybook::new().copy_path(folder.path()).replacing("==:P:== BY ==PIC==").unwrap();
        match reader.read(main.as_bytes()) {
            Ok(layout) => prop_assert_eq!(essence(&layout), expected.clone(), "{}\n{}", main, member),
            Err(error) => prop_assert!(false, "{}\n{}\n{}", error, main, member),
        }
        if items[0].level == 1 {
            let text = program(&mut tape, &words);
            match Copybook::new().record_name("record").read(text.as_bytes()) {
                Ok(layout) => prop_assert_eq!(essence(&layout), expected, "{}", text),
                Err(error) => prop_assert!(false, "{}\n{}", error, text),
            }
        }
    }

    #[test]
    fn no_text_causes_a_panic(text in "[0-9A-Z .,()'\n*-]{0,200}", bytes in vec(any::<u8>(), 0..200)) {
        check(text.as_bytes());
        check(&bytes);
    }

    #[test]
    fn no_words_cause_a_panic(words in vec(prop::sample::select(WORDS), 0..60)) {
        check(words.join(" ").as_bytes());
        check(words.join("\n           ").as_bytes());
    }
}

const WORDS: &[&str] = &[
    "01",
    "05",
    "10",
    "66",
    "77",
    "88",
    "A",
    "B",
    "FILLER",
    ".",
    ".",
    ".",
    "PIC",
    "X",
    "X(5).",
    "9(4)",
    "S9(5)V99",
    "COMP",
    "COMP-3",
    "SYNC",
    "OCCURS",
    "5",
    "TO",
    "99999",
    "DEPENDING",
    "ON",
    "REDEFINES",
    "VALUE",
    "'a'",
    "'",
    "SIGN",
    "LEADING",
    "SEPARATE",
    "USAGE",
    "IS",
    "COPY",
    "REPLACE",
    "==:A:==",
    "BY",
    "==B==",
    ":A:",
    "78",
    "01 CONSTANT",
    "EXEC",
    "END-EXEC",
    "FD",
    "DATA DIVISION.",
    "LINKAGE SECTION.",
    "PROCEDURE DIVISION.",
    "N(3)",
    "RENAMES",
    "THRU",
    "COMP-2",
    "X(99999999)",
    "9(99)",
    "P(3)9",
    "-",
    "*>",
];

/// Reads any text. The result is a consistent layout, or an error with a position.
fn check(text: &[u8]) {
    match Copybook::new().read(text) {
        Ok(layout) => {
            for item in 0..layout.items().len() {
                let end = layout.offset(item).unwrap_or(0) + layout.len_of(item);
                assert!(end <= layout.max_len() && layout.min_len() <= layout.max_len());
            }
        }
        Err(error) => assert!(error.line > 0 && !error.what.is_empty(), "{error:?}"),
    }
}
