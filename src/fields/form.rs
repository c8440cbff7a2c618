//! The form of a field, ready to be read and written: a [`FieldKind`] whose code page and character set are known.

use super::edited::{self, EditedForm};
use super::kind::{Binary, EditedSign, Float, Packed, PackedSign, ZonedSigns};
use super::number::{self, EXPECTED_PACKED, EXPECTED_PACKED_WITHOUT_SIGN, ZonedForm};
use super::page::Pages;
use super::when::unhex;
use super::{Decimal, FieldKind, Problem, Trim, Value};
use crate::codec::Utf8Buf;
use crate::registry::Registry;

/// How to read and write the bytes of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// The index of the page.
    Text(usize),
    Zoned(ZonedForm),
    Edited(EditedForm),
    Packed(Packed),
    Binary(Binary),
    Float(Float),
    Raw,
}

impl Form {
    pub(super) fn new(kind: &FieldKind, registry: &Registry, pages: &mut Pages) -> Result<Form, String> {
        let is_ebcdic = pages.main().is_ebcdic;
        let signs = if is_ebcdic { ZonedSigns::Ebcdic } else { ZonedSigns::AsciiLetters };
        Ok(match kind {
            FieldKind::Text(text) => Form::Text(pages.index(registry, text.page.as_deref(), text.double_byte)?),
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
            Form::Packed(Packed { sign: PackedSign::Absent, .. }) => EXPECTED_PACKED_WITHOUT_SIGN,
            _ => EXPECTED_PACKED,
        }
    }
}

/// Reads values: what a reader needs for it besides the plan.
pub(super) struct Decode {
    pub(super) pages: Pages,
    pub(super) text: Utf8Buf,
    pub(super) trim: Trim,
    /// Whether numbers of blanks or low-values, and text of low-values, are null.
    pub(super) empty_is_null: bool,
}

impl Decode {
    /// Reads the value of a field.
    #[inline]
    pub(super) fn value<'a>(&'a mut self, form: &Form, bytes: &'a [u8]) -> Result<Value<'a>, Problem> {
        let number = match form {
            Form::Text(_) if self.empty_is_null && bytes.iter().all(|byte| *byte == 0) => return Ok(Value::Null),
            Form::Text(page) => {
                return self.pages.get(*page).decode(bytes, self.trim, &mut self.text).map(Value::Text);
            }
            Form::Raw => return Ok(Value::Raw(bytes)),
            Form::Float(float) => return number::read_float(bytes, float).ok_or_else(|| self.not_a_number(form)),
            Form::Zoned(zoned) => number::read_zoned(bytes, zoned),
            Form::Edited(edited) => edited::read_edited(bytes, edited),
            Form::Packed(packed) => number::read_packed(bytes, packed),
            Form::Binary(binary) => number::read_binary(bytes, binary),
        };
        match number {
            Some(number) => Ok(Value::Number(number)),
            None if self.is_empty(form, bytes) => Ok(Value::Null),
            None => Err(self.not_a_number(form)),
        }
    }

    /// Reads an integer: a count.
    pub(super) fn number(&self, form: &Form, bytes: &[u8]) -> Option<Decimal> {
        match form {
            Form::Zoned(zoned) => number::read_zoned(bytes, zoned),
            Form::Edited(edited) => edited::read_edited(bytes, edited),
            Form::Packed(packed) => number::read_packed(bytes, packed),
            Form::Binary(binary) => number::read_binary(bytes, binary),
            Form::Text(_) | Form::Float(_) | Form::Raw => None,
        }
    }

    #[cold]
    pub(super) fn not_a_number(&self, form: &Form) -> Problem {
        Problem::NotANumber { expected: form.expected() }
    }

    /// Returns whether bytes that are not a number count as null. For an edited number, blanks always do.
    #[cold]
    fn is_empty(&self, form: &Form, bytes: &[u8]) -> bool {
        let blank = if self.pages.main().is_ebcdic { 0x40 } else { 0x20 };
        let is_all = |wanted: u8| bytes.iter().all(|byte| *byte == wanted);
        is_all(blank) && matches!(form, Form::Edited(_)) || self.empty_is_null && (is_all(0) || is_all(blank))
    }
}

/// Writes values.
#[derive(Clone)]
pub(super) struct Encode {
    pub(super) pages: Pages,
    pub(super) room: Vec<u8>,
}

impl Encode {
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
            (Form::Text(page), Value::Text(text)) => self.pages.get(*page).encode(text, bytes, &mut self.room)?,
            (Form::Text(page), value) => {
                self.pages.get(*page).encode(&value.to_string(), bytes, &mut self.room)?;
            }
            (_, Value::Text(text)) if text.trim_matches(' ').is_empty() => return Ok(false),
            (Form::Raw, Value::Text(text)) => {
                let raw = unhex(text.trim_matches(' ')).filter(|raw| raw.len() == bytes.len());
                let expected = || format!("{} bytes in hex, two digits each", bytes.len());
                let raw = raw.ok_or_else(|| Problem::DoesNotFit { value: text.to_owned(), expected: expected() })?;
                bytes.copy_from_slice(&raw);
            }
            (Form::Float(float), value) => write_float(float, value, bytes)?,
            (form, value) => write_number(form, value, bytes)?,
        }
        Ok(true)
    }

    /// Fills a field without a value: blanks for text and edited numbers, zero for other numbers, low-values for raw
    /// bytes.
    pub(super) fn fill(&mut self, form: &Form, bytes: &mut [u8]) {
        let is_filled = match form {
            Form::Text(page) => self.pages.get(*page).fill(bytes).is_ok(),
            Form::Edited(_) => self.pages.main().fill(bytes).is_ok(),
            Form::Raw => false,
            Form::Float(_) => false,
            form => write_number(form, Value::Number(Decimal::from(0)), bytes).is_ok(),
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
fn write_number(form: &Form, value: Value<'_>, bytes: &mut [u8]) -> Result<(), Problem> {
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
        Form::Text(_) | Form::Float(_) | Form::Raw => return does_not_fit("another kind of value".into()),
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
        return match number::fits_binary(&scaled, binary) {
            true => {
                number::write_binary(bytes, &scaled, binary);
                Ok(())
            }
            false => does_not_fit(match binary.digits {
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
