//! Carriage control: the first column of a record tells a printer how to move the paper.
//!
//! ASA (ANSI X3.64, RECFM …A) moves before the line is printed, and machine codes (RECFM …M) move after it. For both,
//! the printer tracks whether a line is open: printed but not ended yet.

use crate::words::words;

/// The kind of control code in the first column of a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Carriage {
    /// ASA: a character. Blank moves to the next line, `0` to the line after that, `-` one line further, `+` stays on
    /// the same line, and `1` starts a new page. Other channels move to the next line.
    Asa,
    /// Machine code: a byte. 09, 11, 19: print, then advance one, two, three lines. 01: print and stay. 89: print, then
    /// start a new page. 0B, 13, 1B, 8B: advance and print nothing. Other channels advance one line.
    Machine,
}

words! { Carriage { Asa: "asa", Machine: "machine" } }

/// The output before or after a line's text: line endings, then at most one character.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Move {
    pub(crate) lines: u8,
    /// A form feed, or a carriage return to print over the line.
    pub(crate) then: Option<char>,
}

const NEW_PAGE: Option<char> = Some('\u{C}');
const OVERPRINT: Option<char> = Some('\r');

/// Tracks a printer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    kind: Carriage,
    open: bool,
    /// The movement after the current record is printed.
    after: Move,
}

impl Printer {
    pub(crate) fn new(kind: Carriage) -> Self {
        Printer { kind, open: false, after: Move::default() }
    }

    /// Begins a record. Returns the movement before its text, whether the text is printed, and whether the code is
    /// known. `ch` is the character that `byte` decodes to.
    pub(crate) fn begin(&mut self, byte: u8, ch: char) -> (Move, bool, bool) {
        match self.kind {
            Carriage::Asa => {
                let open = std::mem::replace(&mut self.open, true);
                let line = u8::from(open);
                let (lines, then, known) = match ch {
                    ' ' => (line, None, true),
                    '0' => (line + 1, None, true),
                    '-' => (line + 2, None, true),
                    '1' => (line, NEW_PAGE, true),
                    '+' => (0, OVERPRINT.filter(|_| open), true),
                    '2'..='9' | 'A'..='C' => (line, None, true),
                    _ => (line, None, false),
                };
                (Move { lines, then }, true, known)
            }
            Carriage::Machine => self.machine(byte),
        }
    }

    fn machine(&mut self, byte: u8) -> (Move, bool, bool) {
        let way = match byte {
            0x01 | 0x03 => Move::default(),
            0x09 | 0x0B => Move { lines: 1, then: None },
            0x11 | 0x13 => Move { lines: 2, then: None },
            0x19 | 0x1B => Move { lines: 3, then: None },
            0x89 | 0x8B => Move { lines: 1, then: NEW_PAGE },
            // The other channels, and unknown codes.
            _ => Move { lines: 1, then: None },
        };
        let known = matches!(byte, 0x01..=0x1B | 0x89..=0xE3) && matches!(byte & 7, 1 | 3);
        let prints = !known || byte & 2 == 0;
        if prints {
            let before = Move { lines: 0, then: OVERPRINT.filter(|_| self.open) };
            self.open = true;
            self.after = way;
            (before, true, known)
        } else {
            // The first of two movements to the next line only ends the open line. A new page needs no empty line
            // before it.
            let lines = if way.then == NEW_PAGE { u8::from(self.open) } else { way.lines };
            self.open &= way == Move::default();
            (Move { lines, ..way }, false, known)
        }
    }

    /// Ends a record. Returns the movement after its text.
    pub(crate) fn end(&mut self) -> Move {
        let after = std::mem::take(&mut self.after);
        self.open &= after == Move::default();
        after
    }

    /// Ends the input.
    pub(crate) fn finish(&mut self) -> Move {
        Move { lines: u8::from(std::mem::take(&mut self.open)), then: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(kind: Carriage, records: &[(u8, &str)]) -> String {
        let mut printer = Printer::new(kind);
        let mut page = String::new();
        let put = |page: &mut String, moved: Move| {
            page.extend(std::iter::repeat_n('\n', moved.lines.into()));
            page.extend(moved.then);
        };
        for (code, text) in records {
            let (moved, prints, known) = printer.begin(*code, char::from(*code));
            assert!(known, "{code:X}");
            put(&mut page, moved);
            page.push_str(if prints { text } else { "" });
            let moved = printer.end();
            put(&mut page, moved);
        }
        let moved = printer.finish();
        put(&mut page, moved);
        page
    }

    #[test]
    fn asa_moves_before_the_line() {
        let records = [(b'1', "title"), (b' ', "a"), (b'0', "b"), (b'-', "c"), (b'+', "_"), (b'1', "d")];
        assert_eq!(print(Carriage::Asa, &records), "\u{C}title\na\n\nb\n\n\nc\r_\n\u{C}d\n");
        assert_eq!(print(Carriage::Asa, &[]), "");
        assert_eq!(print(Carriage::Asa, &[(b'+', "a")]), "a\n");
    }

    #[test]
    fn machine_code_moves_after_it() {
        let records =
            [(0x8B, ""), (0x09, "a"), (0x11, "b"), (0x01, "c"), (0x09, "_"), (0x0B, "x"), (0x89, "d"), (0x01, "e")];
        assert_eq!(print(Carriage::Machine, &records), "\u{C}a\nb\n\nc\r_\n\nd\n\u{C}e\n");
        assert_eq!(print(Carriage::Machine, &[(0x01, "a"), (0x8B, ""), (0x09, "b")]), "a\n\u{C}b\n");
    }

    #[test]
    fn unknown_codes() {
        assert!(!Printer::new(Carriage::Asa).begin(b'x', 'x').2);
        assert!(!Printer::new(Carriage::Machine).begin(0x5A, '!').2);
    }
}
