//! The values of many records of one length, field by field: [`RunReader`].
//!
//! The properties of each field (its kind, code page and position in the record) are looked up once for all records,
//! and texts are decoded together. But only plain values are supported: if one value of a run is not plain, the whole
//! run has to be read record by record.

use super::form::{Decode, Form, Lenience};
use super::plan::{Op, Plan, Times};
use super::read::room;
use super::{Decimal, Reader, Trim, Value, number};
use crate::codec::{MIN_ROOM, Utf8Buf};

/// The most values that a record may have. A record with more is a separate run.
const MAX_VALUES: usize = 1 << 12;

/// Reads one field of many records at once. Made by [`RowReader::run_reader`](crate::rows::RowReader::run_reader).
///
/// All methods take whole records, one after another, and the index of a field in [`items`](Self::items). They return
/// `false` if one of the values is not plain: if it is null, has an error or has to be counted, or if it does not fit.
/// Then some values may have been appended, and the records have to be read one by one.
pub struct RunReader {
    fields: Vec<RunField>,
    items: Vec<(usize, usize)>,
    record_len: usize,
    values: usize,
    decode: Decode,
    /// Numbers of a run.
    integers: Vec<i64>,
    /// The bytes of the texts of a run, and the texts.
    gathered: Vec<u8>,
    texts: Utf8Buf,
}

/// A field.
struct RunField {
    item: usize,
    len: usize,
    form: Form,
    /// Where it is in the record: several places if it is in an array.
    places: Vec<usize>,
}

/// The most bytes of the texts that are decoded at once.
const MAX_GATHERED: usize = 64 << 10;

impl Reader {
    /// Makes a reader of runs; `None` if what the records have depends on the records.
    pub(crate) fn run_reader(&self) -> Option<RunReader> {
        let plan: &Plan = &self.plan;
        if plan.counts > 0 || self.exact.is_some() || plan.len == 0 {
            return None;
        }
        let mut fields = Vec::new();
        flatten(&plan.ops, &[0], &mut fields)?;
        let items: Vec<(usize, usize)> = fields.iter().map(|field| (field.item, field.places.len())).collect();
        let values: usize = items.iter().map(|(_, count)| count).sum();
        if values == 0 {
            return None;
        }
        let Decode { pages, trim, lenience, .. } = &self.decode;
        // What is read only with leniency is counted, and so is text that is repaired.
        let lenience = Lenience { loose_numbers: false, ..*lenience };
        let decode = Decode::new(pages.clone(), room(&plan.layout), *trim, lenience);
        let texts = Utf8Buf::new(4 * MAX_GATHERED + MIN_ROOM);
        Some(RunReader {
            fields,
            items,
            record_len: plan.len,
            values,
            decode,
            integers: Vec::new(),
            gathered: Vec::new(),
            texts,
        })
    }
}

/// Adds the fields of these operations, which are done at each of the places `bases`. `None` if there are too many, or
/// if the places depend on the record.
fn flatten(ops: &[Op], bases: &[usize], fields: &mut Vec<RunField>) -> Option<()> {
    for op in ops {
        match op {
            Op::Field(field) if field.is_selected && field.indicator.is_none() => {
                let places = bases.iter().map(|base| base + field.offset).collect();
                fields.push(RunField { item: field.item, len: field.len, form: field.form, places });
            }
            Op::Field(_) => return None,
            Op::Group { body, .. } => flatten(body, bases, fields)?,
            Op::Array(array) => {
                let Times::Fixed(count) = array.times else { return None };
                if bases.len().checked_mul(count)? > MAX_VALUES {
                    return None;
                }
                let elements = |base: &usize| {
                    let first = base + array.offset;
                    (0..count).map(move |index| first + index * array.stride)
                };
                let places: Vec<usize> = bases.iter().flat_map(elements).collect();
                flatten(&array.body, &places, fields)?;
            }
            Op::Set(set) if set.is_conditional => return None,
            Op::Set(set) => set.alternatives.iter().try_for_each(|one| flatten(&one.body, bases, fields))?,
        }
    }
    Some(())
}

impl RunReader {
    /// Returns the selected fields, in the order of the layout: for each of them its item, and how many values a record
    /// has of it.
    #[must_use]
    pub fn items(&self) -> &[(usize, usize)] {
        &self.items
    }

    /// Returns the length of a record.
    #[must_use]
    pub fn record_len(&self) -> usize {
        self.record_len
    }

    /// Returns how many values a record has.
    #[must_use]
    pub fn values(&self) -> usize {
        self.values
    }

    /// Appends the numbers of a field, as integers: multiplied by 10 to the power of `scale`. They must be below 10 to
    /// the power of `digits`, and above the negative of it.
    pub fn decimals(&mut self, field: usize, records: &[u8], scale: i8, digits: u8, out: &mut Vec<i128>) -> bool {
        let Some(limit) = 10i128.checked_pow(digits.into()) else { return false };
        if self.fields[field].is_short() {
            let mut integers = std::mem::take(&mut self.integers);
            integers.clear();
            let is_read = self.mantissas(field, records, scale, &mut integers);
            let fits = is_read && integers.iter().all(|number| i128::from(number.unsigned_abs()) < limit);
            out.extend(integers.iter().map(|number| i128::from(*number)));
            self.integers = integers;
            return fits;
        }
        self.values_of(field, records, &mut |value| {
            let Some(number) = number_in(value) else { return false };
            let mantissa = number.mantissa().filter(|mantissa| number.scale() == scale && mantissa.abs() < limit);
            mantissa.map(|mantissa| out.push(mantissa)).is_some()
        })
    }

    /// Appends the numbers of a field, which have no decimal places.
    pub fn integers(&mut self, field: usize, records: &[u8], out: &mut Vec<i64>) -> bool {
        self.mantissas(field, records, 0, out)
    }

    fn mantissas(&mut self, field: usize, records: &[u8], scale: i8, out: &mut Vec<i64>) -> bool {
        let RunReader { fields, record_len, decode, .. } = self;
        let (field, len) = (&fields[field], *record_len);
        out.reserve(records.len() / len * field.places.len());
        let mut push = |number: Option<Decimal>| {
            let number = number.filter(|number| number.scale() == scale).and_then(|number| number.mantissa());
            let mantissa = number.and_then(|number| i64::try_from(number).ok());
            mantissa.map(|mantissa| out.push(mantissa)).is_some()
        };
        match &field.form {
            // A loop for each of those that most numbers are.
            Form::Packed(form) if field.len <= 8 => {
                field.all(records, len, |bytes| bytes.len() <= 8 && push(number::read_packed(bytes, form)))
            }
            Form::Binary(form) if field.len <= 8 => {
                field.all(records, len, |bytes| bytes.len() <= 8 && push(number::read_binary(bytes, form)))
            }
            form => field.all(records, len, |bytes| {
                let number = match form {
                    Form::Zoned(zoned) => number::read_plain_zoned(bytes, zoned),
                    _ => None,
                };
                push(number.or_else(|| number_in(plain(decode, form, bytes)?)))
            }),
        }
    }

    /// Appends the texts of a field to `text`, and where each of them ends to `ends`.
    pub fn texts(&mut self, field: usize, records: &[u8], ends: &mut Vec<i32>, text: &mut Vec<u8>) -> bool {
        let (begin, count) = (text.len(), ends.len());
        if self.gather(field, records, begin, ends) {
            text.extend_from_slice(self.texts.as_str().as_bytes());
            return true;
        }
        ends.truncate(count);
        self.values_of(field, records, &mut |value| {
            let Value::Text(one) = value else { return false };
            text.extend_from_slice(one.as_bytes());
            i32::try_from(text.len()).map(|end| ends.push(end)).is_ok()
        })
    }

    /// Decodes the texts of a field together. Returns `false` if they are not plain, or not ASCII: then it is not known
    /// where each of them ends.
    fn gather(&mut self, field: usize, records: &[u8], begin: usize, ends: &mut Vec<i32>) -> bool {
        let RunReader { fields, record_len, decode, gathered, texts, .. } = self;
        let field = &fields[field];
        let Form::Text(page) = field.form else { return false };
        let page = decode.pages.get(page);
        let is_short = records.len() / *record_len * field.places.len() * field.len <= MAX_GATHERED;
        if decode.lenience.empty_is_null || !is_short || !page.joins(decode.trim) {
            return false;
        }
        gathered.clear();
        let count = ends.len();
        ends.reserve(records.len() / *record_len * field.places.len());
        let is_counted = field.all(records, *record_len, |bytes| {
            gathered.extend_from_slice(page.without_blanks(bytes, decode.trim));
            i32::try_from(begin + gathered.len()).map(|end| ends.push(end)).is_ok()
        });
        is_counted && page.decode_ascii(gathered, texts) && {
            let has_blank = |end: &i32| page.is_blank_before(texts.as_str(), *end as usize - begin);
            decode.trim == Trim::Nothing || !ends[count..].iter().any(has_blank)
        }
    }

    /// Passes the values of a field to `take`, until it returns `false`.
    pub fn values_of(&mut self, field: usize, records: &[u8], take: &mut dyn FnMut(Value<'_>) -> bool) -> bool {
        let RunReader { fields, record_len, decode, .. } = self;
        let field = &fields[field];
        field.all(records, *record_len, |bytes| plain(decode, &field.form, bytes).is_some_and(&mut *take))
    }
}

impl RunField {
    /// Whether all its numbers fit into 64 bits, or almost all.
    fn is_short(&self) -> bool {
        self.len <= if matches!(self.form, Form::Zoned(_)) { 18 } else { 8 }
    }

    /// Gives the bytes of the field to `take`, in all records, until it returns `false`.
    #[inline(always)]
    fn all(&self, records: &[u8], record_len: usize, mut take: impl FnMut(&[u8]) -> bool) -> bool {
        let len = self.len;
        match self.places[..] {
            [place] => records.chunks_exact(record_len).all(|record| take(&record[place..place + len])),
            _ => records
                .chunks_exact(record_len)
                .all(|record| self.places.iter().all(|place| take(&record[*place..*place + len]))),
        }
    }
}

/// Reads a value; `None` if it is null or has an error.
fn plain<'a>(decode: &'a mut Decode, form: &Form, bytes: &'a [u8]) -> Option<Value<'a>> {
    decode.value(form, bytes).ok().filter(|value| !matches!(value, Value::Null))
}

fn number_in(value: Value<'_>) -> Option<Decimal> {
    if let Value::Number(number) = value { Some(number) } else { None }
}
