//! The form of a field, ready to be read and written: a [`FieldKind`] whose code page and character set are known.

use super::edited::{self, EditedForm};
use super::kind::{Binary, EditedSign, Float, Packed, PackedSign, ZonedSigns};
use super::number::{self, ZonedForm};
use super::page::{Pages, Repair};
use super::when::unhex;
use super::{BinaryRange, Decimal, FieldKind, Problem, Trim, Value};
use crate::codec::Utf8Buf;
use crate::registry::Registry;

/// How to read and write the bytes of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// The index of the page.
    Text(usize),
    Varying(Varying),
    Zoned(ZonedForm),
    Edited(EditedForm),
    Packed(Packed),
    Binary(Binary),
    Float(Float),
    Raw,
}

/// Text after its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Varying {
    page: usize,
    /// How many bytes the length counts as one.
    unit: usize,
}

impl Varying {
    /// Returns the bytes of the text.
    fn text(self, bytes: &[u8]) -> Result<&[u8], Problem> {
        let Some((length, text)) = bytes.split_first_chunk() else {
            return Err(Problem::NotANumber { expected: "two bytes with the length of the text" });
        };
        let length = i16::from_be_bytes(*length);
        let len = usize::try_from(length).ok().and_then(|len| len.checked_mul(self.unit));
        let most = text.len() / self.unit;
        len.and_then(|len| text.get(..len)).ok_or(Problem::BadLength { length, most })
    }
}

impl Form {
    /// Whether its values are text.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Form::Text(_) | Form::Varying(_))
    }

    pub(super) fn new(kind: &FieldKind, registry: &Registry, pages: &mut Pages) -> Result<Form, String> {
        let is_ebcdic = pages.main().is_ebcdic;
        let signs = if is_ebcdic { ZonedSigns::Ebcdic } else { ZonedSigns::AsciiLetters };
        Ok(match kind {
            FieldKind::Text(text) => {
                let page = pages.index(registry, text.page.as_deref(), text.double_byte)?;
                let unit = if text.double_byte || pages.get(page).is_utf16() { 2 } else { 1 };
                if text.varying { Form::Varying(Varying { page, unit }) } else { Form::Text(page) }
            }
            FieldKind::Zoned(zoned) => Form::Zoned(ZonedForm::new(zoned, signs)),
            FieldKind::Edited(edited) => Form::Edited(EditedForm { edited: *edited, signs }),
            FieldKind::Packed(packed) => Form::Packed(*packed),
            FieldKind::Binary(binary) => Form::Binary(*binary),
            FieldKind::Float(float) => Form::Float(*float),
            FieldKind::Raw(_) => Form::Raw,
        })
    }

    /// Returns what the bytes of a number should be, for messages.
    fn expected(&self) -> &'static str {
        match self {
            Form::Zoned(form) => form.expected(),
            Form::Edited(form) => form.expected(),
            Form::Packed(packed) => match (packed.sign, packed.has_spare_half()) {
                (PackedSign::Absent, false) => number::EXPECTED_PACKED_WITHOUT_SIGN,
                (PackedSign::Absent, true) => number::EXPECTED_PACKED_AFTER_ZERO_WITHOUT_SIGN,
                (_, true) => number::EXPECTED_PACKED_AFTER_ZERO,
                (_, false) => number::EXPECTED_PACKED,
            },
            _ => number::EXPECTED_PACKED,
        }
    }
}

/// Reads values: what a reader needs for it besides the plan.
pub(super) struct Decode {
    pub(super) pages: Pages,
    pub(super) text: Utf8Buf,
    pub(super) trim: Trim,
    pub(super) lenience: Lenience,
    /// How many numbers were read only because [`Lenience::loose_numbers`] is set.
    pub(super) loosely_read: u64,
    /// How malformed bytes in text are handled.
    pub(super) repair: Option<Repair>,
    /// How many malformed sequences became something else.
    pub(super) repaired: u64,
}

/// The contents of a field that are accepted besides a value of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Lenience {
    /// Whether numbers of spaces or low-values, and text of low-values, are null.
    pub(super) empty_is_null: bool,
    /// Whether spaces or low-values may follow the digits of a zoned number.
    pub(super) loose_numbers: bool,
}

impl Decode {
    /// Makes a decoder of values whose text needs this much `room`.
    pub(super) fn new(pages: Pages, room: usize, trim: Trim, lenience: Lenience) -> Self {
        let (text, repair) = (Utf8Buf::new(room), None);
        Decode { pages, text, trim, lenience, loosely_read: 0, repair, repaired: 0 }
    }

    /// Sets what happens to malformed bytes in text.
    pub(super) fn repair(self, repair: Option<Repair>) -> Self {
        Decode { repair, ..self }
    }

    /// Reads the number of a field of one of the kinds that most numbers are of; `None` if it is of another kind, or if
    /// the bytes need a closer look. It is compiled into its callers, so that the number need not pass through memory.
    #[inline(always)]
    pub(super) fn plain_number(form: &Form, bytes: &[u8]) -> Option<Decimal> {
        match form {
            Form::Packed(packed) if bytes.len() <= 8 => number::read_packed(bytes, packed),
            Form::Binary(binary) if bytes.len() <= 8 => number::read_binary(bytes, binary),
            Form::Zoned(zoned) => number::read_plain_zoned(bytes, zoned),
            _ => None,
        }
    }

    /// Reads the text of a field that is not malformed; `None` for any other, and for what may be null.
    #[inline]
    pub(super) fn plain_text(&mut self, form: &Form, bytes: &[u8]) -> Option<&str> {
        match form {
            Form::Text(page) if !self.lenience.empty_is_null => {
                self.pages.get(*page).decode_plain(bytes, self.trim, &mut self.text)
            }
            _ => None,
        }
    }

    /// Reads the value of a field.
    pub(super) fn value<'a>(&'a mut self, form: &Form, bytes: &'a [u8]) -> Result<Value<'a>, Problem> {
        let number = match form {
            Form::Text(_) if self.lenience.empty_is_null && bytes.iter().all(|byte| *byte == 0) => {
                return Ok(Value::Null);
            }
            Form::Text(page) => {
                let repair = (self.repair.as_ref(), &mut self.repaired);
                return self.pages.get(*page).decode(bytes, self.trim, repair, &mut self.text).map(Value::Text);
            }
            Form::Varying(varying) => {
                let text = varying.text(bytes)?;
                // All of it is text, spaces at its end too.
                let repair = (self.repair.as_ref(), &mut self.repaired);
                return self
                    .pages
                    .get(varying.page)
                    .decode(text, Trim::Nothing, repair, &mut self.text)
                    .map(Value::Text);
            }
            Form::Raw => return Ok(Value::Raw(bytes)),
            Form::Float(float) => return number::read_float(bytes, float).ok_or_else(|| self.not_a_number(form)),
            _ => Decode::exact_number(form, bytes),
        };
        match number {
            Some(number) => Ok(Value::Number(number)),
            None => self.lenient(form, bytes),
        }
    }

    /// Reads bytes that are not a number as what else they may be.
    #[cold]
    fn lenient(&mut self, form: &Form, bytes: &[u8]) -> Result<Value<'static>, Problem> {
        if self.is_empty(form, bytes) {
            return Ok(Value::Null);
        }
        let number = self.loose_number(form, bytes).ok_or_else(|| self.not_a_number(form))?;
        self.loosely_read += 1;
        Ok(Value::Number(number))
    }

    /// Reads digits at the left of a zoned number, with spaces or low-values after them.
    fn loose_number(&self, form: &Form, bytes: &[u8]) -> Option<Decimal> {
        let Form::Zoned(zoned) = form else { return None };
        let is_fill = |byte: &&u8| **byte == 0 || **byte == zoned.blank();
        let fill = bytes.iter().rev().take_while(is_fill).count();
        let digits = &bytes[..bytes.len() - fill];
        (self.lenience.loose_numbers && fill > 0 && !digits.is_empty()).then(|| number::read_zoned(digits, zoned))?
    }

    /// Reads an integer: a count.
    pub(super) fn number(&self, form: &Form, bytes: &[u8]) -> Option<Decimal> {
        Decode::exact_number(form, bytes).or_else(|| self.loose_number(form, bytes))
    }

    /// Reads a decimal number strictly: the options that accept other contents have no effect.
    #[inline(never)]
    fn exact_number(form: &Form, bytes: &[u8]) -> Option<Decimal> {
        match form {
            Form::Zoned(zoned) => number::read_zoned(bytes, zoned),
            Form::Edited(edited) => edited::read_edited(bytes, edited),
            Form::Packed(packed) => number::read_packed(bytes, packed),
            Form::Binary(binary) => number::read_binary(bytes, binary),
            Form::Text(_) | Form::Varying(_) | Form::Float(_) | Form::Raw => None,
        }
    }

    /// Decodes values strictly: without the options that accept or repair other contents.
    pub(super) fn plainly<T>(&mut self, found: impl FnOnce(&mut Decode) -> T) -> T {
        let (lenience, repair) = (std::mem::take(&mut self.lenience), std::mem::take(&mut self.repair));
        let found = found(self);
        (self.lenience, self.repair) = (lenience, repair);
        found
    }

    #[cold]
    pub(super) fn not_a_number(&self, form: &Form) -> Problem {
        Problem::NotANumber { expected: form.expected() }
    }

    /// Returns whether bytes that are not a number count as null. For an edited number, spaces always do.
    fn is_empty(&self, form: &Form, bytes: &[u8]) -> bool {
        let blank = if self.pages.main().is_ebcdic { 0x40 } else { 0x20 };
        let is_all = |wanted: u8| bytes.iter().all(|byte| *byte == wanted);
        is_all(blank) && matches!(form, Form::Edited(_)) || self.lenience.empty_is_null && (is_all(0) || is_all(blank))
    }
}

/// Writes values.
#[derive(Clone)]
pub(super) struct Encode {
    pub(super) pages: Pages,
    pub(super) room: Vec<u8>,
    pub(super) binary_range: BinaryRange,
}

impl Encode {
    pub(super) fn new(pages: Pages) -> Self {
        Encode { pages, room: Vec::new(), binary_range: BinaryRange::Full }
    }

    /// Writes a value to the bytes of a field. `Ok(false)`: there is no value.
    pub(super) fn value(&mut self, form: &Form, value: Value<'_>, bytes: &mut [u8]) -> Result<bool, Problem> {
        match (form, value) {
            (_, Value::Null) => return Ok(false),
            (_, Value::Raw(raw)) => {
                let expected = || format!("{} bytes", bytes.len());
                if raw.len() != bytes.len() {
                    return Err(Problem::DoesNotFit { value: value.to_string(), expected: expected() });
                }
                bytes.copy_from_slice(raw);
            }
            (form, Value::Text(text)) if form.is_text() => self.text(form, text, bytes)?,
            (form, value) if form.is_text() => self.text(form, &value.to_string(), bytes)?,
            (_, Value::Text(text)) if text.trim_matches(' ').is_empty() => return Ok(false),
            (Form::Raw, Value::Text(text)) => {
                let raw = unhex(text.trim_matches(' ')).filter(|raw| raw.len() == bytes.len());
                let expected = || format!("{} bytes in hex, two digits each", bytes.len());
                let raw = raw.ok_or_else(|| Problem::DoesNotFit { value: text.to_owned(), expected: expected() })?;
                bytes.copy_from_slice(&raw);
            }
            (Form::Float(float), value) => write_float(float, value, bytes)?,
            (form, value) => write_number(form, value, bytes, self.binary_range)?,
        }
        Ok(true)
    }

    /// Writes text.
    fn text(&mut self, form: &Form, text: &str, bytes: &mut [u8]) -> Result<(), Problem> {
        match (form, bytes.split_first_chunk_mut()) {
            (Form::Varying(varying), Some((length, bytes))) => {
                let len = self.pages.get(varying.page).encode(text, bytes, &mut self.room)? / varying.unit;
                let expected = || format!("text of at most {} characters", i16::MAX);
                let does_not_fit = |_| Problem::DoesNotFit { value: text.to_owned(), expected: expected() };
                *length = i16::try_from(len).map_err(does_not_fit)?.to_be_bytes();
                Ok(())
            }
            (Form::Text(page), _) => self.pages.get(*page).encode(text, bytes, &mut self.room).map(|_| ()),
            _ => Err(Problem::Missing),
        }
    }

    /// Fills a field without a value: spaces for text and edited numbers, zero for other numbers, low-values for raw
    /// bytes.
    pub(super) fn fill(&mut self, form: &Form, bytes: &mut [u8]) {
        let is_filled = match form {
            Form::Text(page) => self.pages.get(*page).fill(bytes).is_ok(),
            Form::Varying(_) => self.text(form, "", bytes).is_ok(),
            Form::Edited(_) => self.pages.main().fill(bytes).is_ok(),
            Form::Raw => false,
            Form::Float(_) => false,
            form => write_number(form, Value::Number(Decimal::from(0)), bytes, self.binary_range).is_ok(),
        };
        if !is_filled {
            bytes.fill(0);
        }
    }
}

fn write_float(float: &Float, value: Value<'_>, bytes: &mut [u8]) -> Result<(), Problem> {
    let number = match value {
        Value::Single(number) => Some(number.into()),
        Value::Double(number) => Some(number),
        Value::Number(number) => number.to_string().parse().ok(),
        Value::Text(text) => parse_float(text.trim_matches(' '), float.double),
        _ => None,
    };
    match number.is_some_and(|number| number::write_float(bytes, number, float)) {
        true => Ok(()),
        false => {
            let expected = "a floating-point number within the range of the format".to_owned();
            Err(Problem::DoesNotFit { value: value.to_string(), expected })
        }
    }
}

/// Reads a floating-point number of 4 or 8 bytes. The text of an `f32` leads to the same `f32` only if it is not
/// rounded to an `f64` in between. Digits never lead to an infinity, and only zeros lead to zero.
fn parse_float(text: &str, double: bool) -> Option<f64> {
    let single = text.parse::<f32>().ok().filter(|number| !double && number.is_normal());
    let number = single.map(f64::from).or_else(|| text.parse().ok())?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let is_lost = match () {
        () if number.is_nan() => false,
        () if number.is_infinite() => mantissa.contains(|ch: char| ch.is_ascii_digit()),
        () => number == 0.0 && mantissa.contains(|ch: char| matches!(ch, '1'..='9')),
    };
    (!is_lost).then_some(number)
}

/// Writes a decimal number: zoned, edited, packed or binary.
fn write_number(form: &Form, value: Value<'_>, bytes: &mut [u8], range: BinaryRange) -> Result<(), Problem> {
    let does_not_fit = |expected: String| Err(Problem::DoesNotFit { value: value.to_string(), expected });
    let number = match value {
        Value::Number(number) => Some(number),
        other => other.to_string().parse::<Decimal>().ok(),
    };
    let Some(number) = number else { return does_not_fit("a decimal number".into()) };
    let (digits, scale, is_signed) = match form {
        Form::Zoned(zoned) => (zoned.digits, zoned.scale, zoned.sign != super::SignPlace::Unsigned),
        Form::Edited(EditedForm { edited, .. }) => (edited.digits, edited.scale, edited.sign != EditedSign::Absent),
        Form::Packed(packed) => (packed.digits, packed.scale, packed.sign == PackedSign::Signed),
        Form::Binary(binary) => (0, binary.scale, binary.signed),
        Form::Text(_) | Form::Varying(_) | Form::Float(_) | Form::Raw => {
            return does_not_fit("another kind of value".into());
        }
    };
    let Some(scaled) = number.rescale(scale) else {
        return match scale {
            ..0 => does_not_fit(format!("a multiple of 1 and {} zeros", scale.unsigned_abs())),
            0 => does_not_fit("an integer".into()),
            _ => does_not_fit(format!("at most {scale} decimal places")),
        };
    };
    if number.is_negative() && !is_signed {
        return does_not_fit("a number without a sign".into());
    }
    if let Form::Binary(binary) = form {
        let digits = binary.digits.filter(|_| range == BinaryRange::Picture);
        return match number::fits_binary(&scaled, &Binary { digits, ..*binary }) {
            true => {
                number::write_binary(bytes, &scaled, binary);
                Ok(())
            }
            false => does_not_fit(match digits {
                Some(digits) => format!("at most {digits} digits, {scale} of them decimal places"),
                None => format!("a number that fits into {} bytes", binary.len),
            }),
        };
    }
    if scaled.magnitude() >= 10u128.pow(u32::from(digits)) {
        return does_not_fit(format!("at most {digits} digits, {scale} of them decimal places"));
    }
    match form {
        Form::Zoned(zoned) => number::write_zoned(bytes, &scaled, zoned),
        Form::Edited(edited) => edited::write_edited(bytes, &scaled, edited),
        Form::Packed(packed) => number::write_packed(bytes, &scaled, packed),
        _ => {}
    }
    Ok(())
}
