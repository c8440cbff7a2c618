//! The reference format of a copybook: fixed form, as on punched cards, or free form; and how to tell which one it is.

use super::words::{begins_clause, begins_include, is_blank};
use crate::words::words;

/// How a copybook uses the columns of a line.
///
/// | form | columns 1 to 6 | column 7 | columns 8 to 72 | from column 73 |
/// |---|---|---|---|---|
/// | fixed | ignored | `*` or `/`: a comment; `D`: a debugging line, which is ignored; `-`: a continuation | text | ignored |
/// | free | text | text | text | text |
///
/// Some compilers and tools are less strict, and so is this reader: in fixed form, text may begin in column 7; a line
/// that begins with `*` before column 7, or between two entries, is a comment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[non_exhaustive]
pub enum CopybookForm {
    /// Decides by the lines: free if there is text where fixed form has none, otherwise fixed. If the copybook cannot
    /// be read in that form, it is read in the other one, unless it names its form (`>>SOURCE FORMAT IS FREE`).
    #[default]
    Auto,
    /// Fixed form.
    Fixed,
    /// Free form.
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
    /// The character in column 7, if the line is that long. A tab that crosses column 7 is a space there.
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

/// Returns whether lines are more likely in fixed form than in free form, and whether that is certain. Lines that would
/// say the same in both forms say nothing here.
pub(super) fn likely<'a>(lines: impl Iterator<Item = &'a str>) -> (bool, bool) {
    let (mut numbered, mut free, mut commented, mut crossing) = (0u32, 0u32, false, false);
    for line in lines {
        match Evidence::of(line) {
            Evidence::Numbered => numbered += 1,
            Evidence::Free => free += 1,
            Evidence::Commented => commented = true,
            Evidence::Crossing => crossing = true,
            Evidence::Directive(is_fixed) => return (is_fixed, true),
            Evidence::Nothing => {}
        }
    }
    // Comments in column 7 also occur in free form, by chance.
    let is_fixed = if numbered == 0 && free == 0 { commented || !crossing } else { numbered >= free };
    (is_fixed, false)
}

/// The evidence in a line about the form.
#[derive(PartialEq, Eq, Debug)]
enum Evidence {
    /// Fixed: it has a sequence number before column 7.
    Numbered,
    /// Fixed, unless other lines contradict this: it has an indicator in column 7.
    Commented,
    /// Free: it has text where fixed form has none.
    Free,
    /// Free, unless other lines contradict this: its text continues after column 72.
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
        if begins_include(line) {
            return Evidence::Nothing;
        }
        let columns = Columns::new(line);
        let (numbers, rest) = line.split_at(columns.area);
        let is_unnumbered = numbers.trim_matches(is_blank).is_empty();
        let code = &line[columns.code..columns.margin];
        let is_level = begins_with_level(line) && !is_unnumbered;
        match columns.indicator {
            Some('*') if is_unnumbered && rest.starts_with("*>") => Evidence::Nothing,
            Some('*' | '/') if is_unnumbered || is_sequence(numbers) => Evidence::Commented,
            // The mark of a change before a comment: `ALTF  * text`.
            Some('*') if !is_level && !rest.starts_with("*>") => Evidence::Commented,
            _ if text.starts_with('*') => Evidence::Nothing,
            // A level number before column 7 is a sequence number only if the text has a level number as well.
            _ if is_level && !(is_sequence(numbers) && begins_with_level(code)) => Evidence::Free,
            Some(' ' | '-' | 'D' | 'd') if is_sequence(numbers) => Evidence::Numbered,
            Some('-') if numbers.ends_with(is_blank) => Evidence::Commented,
            _ if is_unnumbered => past_margin(line, &columns),
            None if is_sequence(numbers) => Evidence::Nothing,
            // A mark of a change, such as `CR12`, has no space in it.
            Some(' ') if begins_with_level(code) || !numbers.trim_matches(is_blank).contains(is_blank) => {
                Evidence::Nothing
            }
            _ => Evidence::Free,
        }
    }
}

/// Returns what the columns after 72 say. Whatever fixed form ignores there says nothing; a word that column 72 cuts,
/// or the beginning of an entry or a clause on a line that is longer than a card, would be missed.
fn past_margin(line: &str, columns: &Columns) -> Evidence {
    let ignored = &line[columns.margin..];
    let identification = &line[columns.margin..columns.card];
    let is_cut = !line[..columns.margin].ends_with(is_blank) && !ignored.is_empty() && !ignored.starts_with(is_blank);
    let is_number = identification.trim_matches(is_blank).bytes().all(|byte| byte.is_ascii_digit());
    let is_longer = !line[columns.card..].trim_matches(is_blank).is_empty();
    let first = ignored.trim_start_matches(is_blank).split(|ch| is_blank(ch) || ch == '.').next().unwrap_or_default();
    if is_cut && !is_number || is_longer && (begins_with_level(ignored) || begins_clause(first)) {
        Evidence::Crossing
    } else {
        Evidence::Nothing
    }
}

/// Returns whether these six columns contain only digits and spaces, or no spaces at all.
pub(super) fn is_sequence(numbers: &str) -> bool {
    let text = numbers.trim_matches(is_blank);
    let is_number = numbers.chars().all(|ch| ch.is_ascii_digit() || is_blank(ch));
    !text.is_empty() && (is_number || text.chars().count() == SEQUENCE && !text.contains(is_blank))
}

/// Returns whether a line begins with a level number.
pub(super) fn begins_with_level(line: &str) -> bool {
    let text = line.trim_start_matches(is_blank);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[digits..].starts_with(is_blank) && digits <= 2 && matches!(text[..digits].parse(), Ok(1..=49 | 66 | 77 | 88))
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
