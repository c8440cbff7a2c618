//! Field lists: layouts in a small text format, with one line for each field.
//!
//! ```text
//! # Clients, fb:500
//! ID      1   4  binary,unsigned
//! TYPE    5   2  binary,unsigned
//! when TYPE=2: MAIN
//! NAME    7  30  text IBM037
//! INCOME 57   5  packed.2
//! when 5-6=0001: HEADER
//! COUNT   7   4  binary
//! end
//! CHECK 500   1  raw
//! ```

use super::kind::{
    Binary, ByteOrder, Edited, EditedSign, Float, FloatFormat, Packed, PackedSign, SignPlace, Text, Zoned, ZonedSigns,
};
use super::{BadLayout, FieldKind, Item, Layout, Occurs, When};
use std::fmt::Write as _;

/// The level of fields in a block, and of everything else.
const IN_BLOCK: u8 = 2;
const AT_TOP: u8 = 1;

impl Layout {
    /// Reads a field list: a text with one line for each field.
    ///
    /// ```text
    /// NAME FROM LENGTH KIND[.SCALE][,MODIFIER]... [PAGE]
    /// when CONDITION[: NAME]
    /// end
    /// ```
    ///
    /// * `NAME` is the name of the field; `FILLER` for one without a name.
    /// * `FROM` is its first byte in the record, counted from 1. `LENGTH` is its length in bytes; `5*12` is an array of
    ///   twelve fields of 5 bytes.
    /// * `KIND` is `text`, `graphic` (double-byte text without shift codes), `zoned`, `edited`, `packed`, `binary`,
    ///   `float` or `raw`. `SCALE` is the number of decimal places.
    /// * Modifiers: `varying` for `text` and `graphic`, if the first two bytes of the field say how long its text is
    ///   (see [`Text::varying`](super::Text::varying)); `unsigned`, `leading`, `separate`, `ebcdic`, `ascii` or
    ///   `ascii-p` for `zoned` (see [`ZonedSigns`]); `plus-before`, `plus-after`, `minus-before`, `minus-after` or
    ///   `zone`, `point` or `comma`, `blanks=N` and `blank-when-zero` for `edited` (see
    ///   [`EditedSign`](super::EditedSign)); `unsigned` or `no-sign` for `packed`; `unsigned` and `little` for
    ///   `binary`; `ibm` or `ieee`, and `little`, for `float`. `digits=N` says how many digits a packed or binary
    ///   number can have, if that is less than its bytes allow.
    /// * `PAGE` is the label of a code page, for text that is not in the page of the record.
    /// * `when` begins a block of fields that apply only to records of a type; see [`When`] for the condition. The
    ///   block ends at the next `when` or at `end`. Adjacent blocks are alternatives: exactly one of them applies to a
    ///   record. If a block has a name, that is the group of its fields.
    ///
    /// Empty lines, and everything from a `#` after a space or at the beginning of a line, are ignored.
    ///
    /// # Errors
    /// [`BadLayout`] with the line and the column.
    ///
    /// ```
    /// use charpipe::fields::Layout;
    ///
    /// let layout = Layout::from_field_list("ID 1 4 binary\nNAME 5 20 text IBM037\n")?;
    /// assert_eq!((layout.items().len(), layout.max_len()), (2, 24));
    /// let error = Layout::from_field_list("ID 1 4 binary\nNAME 5 twenty text\n").unwrap_err();
    /// assert!(error.to_string().starts_with("line 2, column 8: \"twenty\" is not a length; expected a number of bytes"));
    /// # Ok::<(), charpipe::fields::BadLayout>(())
    /// ```
    pub fn from_field_list(text: &str) -> Result<Layout, BadLayout> {
        let (mut items, mut lines) = (Vec::new(), Vec::new());
        let mut level = AT_TOP;
        for (index, line) in text.lines().enumerate() {
            let words = words(line);
            let number = index + 1;
            match &words[..] {
                [] => {}
                [(_, word)] if word.eq_ignore_ascii_case("end") => {
                    if level == AT_TOP {
                        return Err(BadLayout::at(
                            number,
                            column(line, word),
                            "there is no block to end; `when` begins one",
                        ));
                    }
                    level = AT_TOP;
                }
                [(_, word), (_, second), ..] if word.eq_ignore_ascii_case("when") => {
                    level = IN_BLOCK;
                    items.push(block(line, number, second)?);
                    lines.push((number, 1));
                }
                words => {
                    items.push(field(&Words { words, line, number }, level)?);
                    lines.push((number, words[0].0));
                }
            }
        }
        Layout::new(items).map_err(|bad| match bad.item.and_then(|item| lines.get(item)) {
            Some((line, column)) => bad.on_line(*line, *column),
            None => bad,
        })
    }

    /// Returns the layout as a field list, which [`from_field_list`](Self::from_field_list) reads. Groups become parts
    /// of the names, with `_` between, unless they have a condition.
    ///
    /// # Errors
    /// [`BadLayout`] if a field list cannot express the layout: an array whose count varies, an array of groups, or
    /// alternatives in alternatives.
    pub fn to_field_list(&self) -> Result<String, BadLayout> {
        let mut text = String::new();
        let mut block = None;
        for (index, item) in self.items().iter().enumerate() {
            let Some((kind, types)) = item.kind.as_ref().zip(self.listed(index)?) else { continue };
            if types != block {
                match types {
                    Some(of) => {
                        let when = self.items()[of].when.as_ref().map_or_else(String::new, When::to_string);
                        let name = self.items()[of].name.as_ref().filter(|_| self.items()[of].is_group());
                        let _ =
                            writeln!(text, "when {when}{}", name.map_or_else(String::new, |name| format!(": {name}")));
                    }
                    None => text.push_str("end\n"),
                }
                block = types;
            }
            let group = types.filter(|of| self.items()[*of].is_group()).map_or("", |of| self.path(of));
            let path = self.path(index).strip_prefix(group).unwrap_or_default().trim_start_matches('.');
            let name = if item.name.is_none() { "FILLER".to_owned() } else { path.replace('.', "_") };
            let times = item.occurs.as_ref().map_or_else(String::new, |occurs| format!("*{}", occurs.max));
            let from = self.offset(index).unwrap_or(0) + 1;
            let _ = write!(text, "{name} {from} {}{times} {kind}", kind.len());
            if let FieldKind::Text(Text { page: Some(page), .. }) = kind {
                let _ = write!(text, " {page}");
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// Returns the record type that a field belongs to in a field list; `None` for a field that is not in the list
    /// because it never applies.
    fn listed(&self, index: usize) -> Result<Option<Option<usize>>, BadLayout> {
        let bad = |item: usize, what: &str| {
            BadLayout::in_item(item, format!("{} is {what}, which a field list cannot express", self.path(item)))
        };
        let mut of = None;
        for item in std::iter::successors(Some(index), |item| self.parent(*item)) {
            let is_set = |other: &usize| self.placed(*other).set == self.placed(item).set;
            let is_conditional = self.placed(item).set.is_some() && self.types().any(|other| is_set(&other));
            match (&self.items()[item].when, of) {
                (Some(_), Some(_)) => return Err(bad(item, "an alternative with alternatives in it")),
                (Some(_), None) => of = Some(item),
                (None, _) if is_conditional => return Ok(None),
                (None, _) => {}
            }
            match &self.items()[item].occurs {
                Some(occurs) if occurs.depending_on.is_some() => return Err(bad(item, "an array whose count varies")),
                Some(_) if item != index => return Err(bad(item, "an array of groups")),
                _ => {}
            }
        }
        if self.offset(index).is_none() {
            return Err(bad(index, "in a place that varies"));
        }
        Ok(Some(of))
    }
}

/// Returns the words of a line without its comment, each with its column from 1.
fn words(line: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    for word in line.split_ascii_whitespace() {
        if word.starts_with('#') {
            break;
        }
        words.push((column(line, word), word));
    }
    words
}

/// Returns the column of `word`, which is a part of `line`, in characters from 1.
fn column(line: &str, word: &str) -> usize {
    let offset = word.as_ptr() as usize - line.as_ptr() as usize;
    line.get(..offset).map_or(0, |before| before.chars().count()) + 1
}

/// Reads the line that begins a block; `condition` is the first word of its condition.
fn block(line: &str, number: usize, condition: &str) -> Result<Item, BadLayout> {
    let at = column(line, condition);
    let offset = condition.as_ptr() as usize - line.as_ptr() as usize;
    let text = line[offset..].trim_end();
    // A comment needs a space before it, as a value can contain a #.
    let text = text.split(" #").next().unwrap_or(text);
    let (when, name) = match text.rsplit_once(':') {
        // A colon in quotes belongs to a value.
        Some((when, name)) if !name.contains('"') => (when, Some(name.trim()).filter(|name| !name.is_empty())),
        _ => (text, None),
    };
    let when = when.parse::<When>().map_err(|bad| BadLayout::at(number, at, bad.to_string()))?;
    let item = match name {
        Some(name) => Item::group(AT_TOP, name),
        None => Item::filler(AT_TOP, None),
    };
    Ok(item.applying(when).at(0))
}

/// The words of a line that describes a field.
struct Words<'a> {
    words: &'a [(usize, &'a str)],
    line: &'a str,
    number: usize,
}

impl<'a> Words<'a> {
    fn bad<T>(&self, column: usize, what: impl Into<String>) -> Result<T, BadLayout> {
        Err(BadLayout::at(self.number, column, what))
    }

    /// Returns a word and its column; an error that says what is missing if there is none.
    fn get(&self, index: usize, expected: &str) -> Result<(usize, &'a str), BadLayout> {
        match self.words.get(index) {
            Some(word) => Ok(*word),
            None => {
                self.bad(self.line.trim_end().chars().count() + 1, format!("the line ends here; expected {expected}"))
            }
        }
    }
}

const KINDS: &str = "text, graphic, zoned, edited, packed, binary, float or raw";

/// Reads a line that describes a field.
fn field(words: &Words<'_>, level: u8) -> Result<Item, BadLayout> {
    let (_, name) = words.get(0, "a name")?;
    let (column, from) = words.get(1, "the first byte of the field, from 1")?;
    let Some(from) = from.parse::<usize>().ok().filter(|from| *from > 0) else {
        return words.bad(column, format!("{from:?} is not a position; expected the first byte of the field, from 1"));
    };
    let (column, length) = words.get(2, "the length of the field")?;
    let Some((len, times)) = lengths(length) else {
        let what = format!("{length:?} is not a length; expected a number of bytes, or 5*12 for an array");
        return words.bad(column, what);
    };
    let (column, kind) = words.get(3, KINDS)?;
    let page = words.words.get(4).copied();
    let kind = match self::kind(kind, len) {
        Ok(kind) => kind,
        Err(what) => return words.bad(column, what),
    };
    let kind = match (kind, page) {
        (FieldKind::Text(text), Some((_, page))) => FieldKind::Text(Text { page: Some(page.to_owned()), ..text }),
        (kind, None) => kind,
        (kind, Some((column, page))) => {
            return words
                .bad(column, format!("{page:?} follows a field of kind {}; only text has a code page", kind.name()));
        }
    };
    if let Some((column, word)) = words.words.get(5) {
        return words.bad(*column, format!("unexpected {word:?}; expected the end of the line"));
    }
    let item = match name.eq_ignore_ascii_case("FILLER") {
        true => Item::filler(level, Some(kind)),
        false => Item::field(level, name, kind),
    };
    let item = item.at(from - 1);
    Ok(match times {
        Some(times) => item.occurring(Occurs::times(times)),
        None => item,
    })
}

/// Reads a length, and the number of occurrences after it.
fn lengths(text: &str) -> Option<(usize, Option<usize>)> {
    let positive = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    match text.split_once('*') {
        None => Some((positive(text)?, None)),
        Some((len, times)) => Some((positive(len)?, Some(positive(times)?))),
    }
}

/// Reads a kind with its scale and modifiers, for a field of `len` bytes.
fn kind(text: &str, len: usize) -> Result<FieldKind, String> {
    let mut parts = text.split(',');
    let first = parts.next().unwrap_or_default();
    let (name, scale) = match first.split_once('.') {
        None => (first, 0),
        Some((name, scale)) => {
            let wrong = || format!("{scale:?} is not a number of decimal places");
            (name, scale.parse::<i8>().map_err(|_| wrong())?)
        }
    };
    let short = || u8::try_from(len).map_err(|_| format!("a number of {len} bytes is too long"));
    let mut kind = match name.to_ascii_lowercase().as_str() {
        "text" => FieldKind::text(len),
        "graphic" => FieldKind::Text(Text::graphic(len)),
        "raw" => FieldKind::Raw(len),
        "zoned" => FieldKind::Zoned(Zoned::new(short()?, scale)),
        "edited" => FieldKind::Edited(Edited { scale, ..Edited::new(short()?) }),
        "packed" => FieldKind::Packed(Packed::new(short()?.saturating_mul(2).saturating_sub(1), scale)),
        "binary" => FieldKind::Binary(Binary { scale, ..Binary::native(short()?) }),
        "float" if len == 4 => FieldKind::Float(Float::COMP_1),
        "float" if len == 8 => FieldKind::Float(Float::COMP_2),
        "float" => return Err(format!("a floating-point number has 4 or 8 bytes, not {len}")),
        _ => return Err(format!("{name:?} is not a kind; expected {KINDS}")),
    };
    if scale != 0 && !kind.is_decimal() {
        return Err(format!("{name} has no decimal places"));
    }
    for modifier in parts {
        modify(&mut kind, &modifier.to_ascii_lowercase(), len)?;
    }
    Ok(kind)
}

/// Applies a modifier.
fn modify(kind: &mut FieldKind, modifier: &str, len: usize) -> Result<(), String> {
    let name = kind.name();
    let digits = modifier.strip_prefix("digits=").and_then(|digits| digits.parse::<u8>().ok());
    let blanks = modifier.strip_prefix("blanks=").and_then(|blanks| blanks.parse::<u8>().ok());
    match (kind, modifier) {
        (FieldKind::Text(text), "varying") if !text.varying && len > Text::LENGTH_BYTES => {
            (text.varying, text.len) = (true, len - Text::LENGTH_BYTES);
        }
        (FieldKind::Zoned(zoned), "unsigned") => zoned.sign = SignPlace::Unsigned,
        (FieldKind::Zoned(zoned), "leading") if zoned.sign == SignPlace::Trailing => zoned.sign = SignPlace::Leading,
        (FieldKind::Zoned(zoned), "leading") if zoned.sign == SignPlace::TrailingSeparate => {
            zoned.sign = SignPlace::LeadingSeparate;
        }
        (FieldKind::Zoned(zoned), "separate") if matches!(zoned.sign, SignPlace::Trailing | SignPlace::Leading) => {
            zoned.digits = zoned.digits.saturating_sub(1);
            zoned.sign = match zoned.sign {
                SignPlace::Leading => SignPlace::LeadingSeparate,
                _ => SignPlace::TrailingSeparate,
            };
        }
        (FieldKind::Zoned(zoned), "ebcdic") => zoned.signs = Some(ZonedSigns::Ebcdic),
        (FieldKind::Zoned(zoned), "ascii") => zoned.signs = Some(ZonedSigns::AsciiLetters),
        (FieldKind::Zoned(zoned), "ascii-p") => zoned.signs = Some(ZonedSigns::AsciiLowercase),
        (FieldKind::Edited(edited), "point" | "comma") if !edited.point => {
            edited.comma = modifier == "comma";
            (edited.point, edited.digits) = (true, edited.digits.saturating_sub(1));
        }
        (FieldKind::Edited(edited), "blank-when-zero") if !edited.blank_when_zero => edited.blank_when_zero = true,
        (FieldKind::Edited(edited), _) if blanks.is_some() => edited.blanks = blanks.unwrap_or(0),
        (FieldKind::Edited(edited), _)
            if edited.sign == EditedSign::Absent && modifier.parse::<EditedSign>().is_ok() =>
        {
            edited.sign = modifier.parse().unwrap_or(EditedSign::Absent);
            edited.digits = edited.digits.saturating_sub(u8::from(edited.sign.is_character()));
        }
        (FieldKind::Packed(packed), "unsigned") => packed.sign = PackedSign::Unsigned,
        (FieldKind::Packed(packed), "no-sign") => {
            (packed.sign, packed.digits) = (PackedSign::Absent, u8::try_from(2 * len).unwrap_or(u8::MAX));
        }
        (FieldKind::Packed(packed), _) if digits.is_some_and(|digits| Packed { digits, ..*packed }.len() == len) => {
            packed.digits = digits.unwrap_or(packed.digits);
        }
        (FieldKind::Binary(binary), "unsigned") => binary.signed = false,
        (FieldKind::Binary(Binary { order, .. }) | FieldKind::Float(Float { order, .. }), "little") => {
            *order = ByteOrder::Little
        }
        (FieldKind::Binary(binary), _)
            if digits.is_some_and(|digits| (1..=FieldKind::MAX_DIGITS).contains(&digits)) =>
        {
            binary.digits = digits
        }
        (FieldKind::Float(float), "ieee") => float.format = FloatFormat::Ieee,
        (FieldKind::Float(float), "ibm") => float.format = FloatFormat::Ibm,
        _ => {
            let expected = match name {
                "zoned" => "unsigned, leading, separate, ebcdic, ascii or ascii-p, none of them twice",
                "edited" => {
                    "plus-before, plus-after, minus-before, minus-after, zone, point, comma, blanks=N or blank-when-zero, none of \
                     them twice"
                }
                "packed" => "unsigned, no-sign, or digits=N with a number that fits the length",
                "binary" => "unsigned, little or digits=N",
                "float" => "ibm, ieee or little",
                "text" => "varying, in a field of at least 3 bytes",
                _ => "nothing",
            };
            return Err(format!("{modifier:?} does not apply here; after {name}, expected {expected}"));
        }
    }
    Ok(())
}
