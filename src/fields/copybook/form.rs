//! The reference format of a copybook: fixed form, as on punched cards, or free form; and telling which one it is.

use super::source::is_blank;
use crate::words::words;

/// How a copybook uses the columns of a line.
///
/// | form | columns 1 to 6 | column 7 | columns 8 to 72 | from column 73 |
/// |---|---|---|---|---|
/// | fixed | ignored | `*` or `/`: a comment; `D`: a debugging line, which is ignored; `-`: a continuation | text | ignored |
/// | free | text | text | text | text |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[non_exhaustive]
pub enum CopybookForm {
    /// Decides by the lines: free if text stands where fixed form has none, otherwise fixed.
    #[default]
    Auto,
    /// Fixed form.
    Fixed,
    /// Free form. A line that has `*` in column 1 is a comment too.
    Free,
}

words! { CopybookForm { Auto: "auto", Fixed: "fixed", Free: "free" } }

/// The distance between two tab stops.
const TAB: usize = 8;
/// The number of columns before the indicator.
const SEQUENCE: usize = 6;
/// The number of columns before those that are ignored at the end.
const MARGIN: usize = 72;
/// The length of a card.
const CARD: usize = 80;

/// Where the areas of fixed form are in a line, in bytes.
pub(super) struct Columns {
    /// The character in column 7, if the line is that long. A tab that crosses column 7 is a blank there.
    pub(super) indicator: Option<char>,
    /// The beginning of column 7.
    pub(super) area: usize,
    /// The beginning of column 8.
    pub(super) code: usize,
    /// The end of column 72.
    pub(super) margin: usize,
    /// The end of column 80.
    card: usize,
}

impl Columns {
    pub(super) fn new(line: &str) -> Columns {
        let len = line.len();
        let mut columns = Columns { indicator: None, area: len, code: len, margin: len, card: len };
        // The column of a character and of the next one, from 0.
        let mut column = 0;
        for (at, ch) in line.char_indices() {
            let next = if ch == '\t' { (column / TAB + 1) * TAB } else { column + 1 };
            if (column..next).contains(&SEQUENCE) {
                columns.indicator = Some(if ch == '\t' { ' ' } else { ch });
                columns.area = at;
                columns.code = at + ch.len_utf8();
            }
            if (column..next).contains(&MARGIN) {
                columns.margin = at;
            }
            if (column..next).contains(&CARD) {
                columns.card = at;
                break;
            }
            column = next;
        }
        columns
    }
}

/// Returns whether lines are in fixed form. Lines that would say the same in both forms say nothing here.
pub(super) fn is_fixed<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let (mut fixed, mut free, mut crossing) = (0u32, 0u32, false);
    for line in lines {
        match Evidence::of(line) {
            Evidence::Fixed => fixed += 1,
            Evidence::Free => free += 1,
            Evidence::Crossing => crossing = true,
            Evidence::Directive(is_fixed) => return is_fixed,
            Evidence::Nothing => {}
        }
    }
    if fixed == 0 && free == 0 { !crossing } else { fixed >= free }
}

/// What a line says about the form.
#[derive(PartialEq, Eq, Debug)]
enum Evidence {
    /// It has a sequence number, or an indicator in column 7.
    Fixed,
    /// It has text where fixed form has none.
    Free,
    /// Its text does not end at column 72, which may be an identification in columns 73 to 80.
    Crossing,
    /// It names the form; true for the fixed one.
    Directive(bool),
    Nothing,
}

impl Evidence {
    fn of(line: &str) -> Evidence {
        let text = line.trim_matches(is_blank);
        if text.is_empty() {
            return Evidence::Nothing;
        }
        if let Some(is_fixed) = directive(text) {
            return Evidence::Directive(is_fixed);
        }
        let columns = Columns::new(line);
        let (numbers, code) = (&line[..columns.area], &line[columns.code..columns.margin]);
        let is_comment = text.starts_with('*');
        match columns.indicator {
            _ if is_comment && line[columns.area..].starts_with("*>") => Evidence::Nothing,
            Some('*' | '/') if numbers.trim_matches(is_blank).is_empty() || is_sequence(numbers) => Evidence::Fixed,
            _ if is_comment => Evidence::Nothing,
            // A level number in the first columns: a sequence number only if the text has a level number as well.
            _ if begins_with_level(line, columns.area)
                && !(is_sequence(numbers) && begins_with_level(code, usize::MAX)) =>
            {
                Evidence::Free
            }
            Some(' ' | '-' | 'D' | 'd') if is_sequence(numbers) => Evidence::Fixed,
            // A word in column 7, such as DEPENDING, is not the indicator of a debugging line.
            Some('D' | 'd') if code.starts_with(|ch: char| ch.is_alphabetic()) => Evidence::Free,
            Some('-' | 'D' | 'd') if numbers.trim_matches(is_blank).is_empty() => Evidence::Fixed,
            Some(' ' | '$' | '>') if numbers.trim_matches(is_blank).is_empty() => past_margin(line, &columns),
            Some(' ') => Evidence::Nothing,
            None if is_sequence(numbers) => Evidence::Nothing,
            _ => Evidence::Free,
        }
    }
}

/// Returns what the columns after 72 say.
fn past_margin(line: &str, columns: &Columns) -> Evidence {
    let identification = &line[columns.margin..columns.card];
    let crosses = |text: &str, rest: &str| !text.ends_with(is_blank) && !rest.is_empty() && !rest.starts_with(is_blank);
    if !line[columns.card..].trim_matches(is_blank).is_empty() {
        Evidence::Free
    } else if crosses(&line[..columns.margin], identification)
        && !identification.trim().bytes().all(|byte| byte.is_ascii_digit())
    {
        Evidence::Crossing
    } else {
        Evidence::Nothing
    }
}

/// Returns whether these six columns contain only digits and blanks, or no blanks at all.
fn is_sequence(numbers: &str) -> bool {
    let text = numbers.trim_matches(is_blank);
    let is_number = numbers.chars().all(|ch| ch.is_ascii_digit() || is_blank(ch));
    !text.is_empty() && (is_number || text.chars().count() == SEQUENCE && !text.contains(is_blank))
}

/// Returns whether a line begins with a level number before the byte `limit`.
fn begins_with_level(line: &str, limit: usize) -> bool {
    let blanks = line.len() - line.trim_start_matches(is_blank).len();
    let digits = line[blanks..].bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[blanks + digits..];
    blanks < limit
        && matches!(digits, 1 | 2)
        && rest.starts_with(is_blank)
        && matches!(line[blanks..][..digits].parse(), Ok(1..=49 | 66 | 77 | 88))
}

/// Returns what `>>SOURCE FORMAT IS FREE` or `$SET SOURCEFORMAT"FREE"` says: true for fixed form.
fn directive(text: &str) -> Option<bool> {
    if !text.starts_with(">>") && !text.starts_with('$') {
        return None;
    }
    let text = text.to_ascii_uppercase();
    if !text.contains("SOURCE") || !text.contains("FORMAT") {
        return None;
    }
    match (text.contains("FREE"), text.contains("FIXED")) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ => None,
    }
}
