//! Finds the length of a record from its own bytes: [`Lengths`].

use super::form::{Decode, Form, Lenience};
use super::page::Pages;
use super::plan::{Alternative, Array, Check, Count, Field, Op, Plan, Set, Times};
use super::read::{applying, room};
use super::{BadLayout, FieldError, Layout, OnBad, Problem, ReadOptions};
use crate::codec::Codec;
use crate::records::RECORD_LIMIT;
use crate::records::measure::{Measure, Measured, NoLength};
use crate::registry::Registry;
use std::sync::Arc;

/// The source of the lengths of records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LengthFrom {
    /// The counts of arrays, and the record type.
    Contents,
    /// A field has the length, less this number of bytes.
    Field { name: String, more: i64 },
    /// Each value of a field stands for a length.
    Map { name: String, lengths: Vec<(String, usize)> },
}

/// Finds out the lengths of records.
pub(crate) struct Lengths {
    plan: Arc<Plan>,
    decode: Decode,
    counts: Vec<Count>,
    way: Way,
    /// Whether an array that should have elements may have none.
    is_null_for_bad: bool,
    /// The longest record.
    limit: usize,
}

/// How a length is found.
#[derive(Clone)]
enum Way {
    Contents,
    Field { place: Place, form: Form, more: i64 },
    Map { place: Place, form: Form, checks: Arc<[(Check, usize)]> },
}

/// Where a field is.
#[derive(Clone)]
struct Place {
    path: String,
    offset: usize,
    len: usize,
}

impl Layout {
    /// Makes a finder of lengths. `codec` and `options` are those of the reader.
    pub(crate) fn lengths(
        &self,
        registry: &Registry,
        codec: &Arc<dyn Codec>,
        options: &ReadOptions,
        from: &LengthFrom,
    ) -> Result<Lengths, BadLayout> {
        let mut pages = Pages::new(codec, false).map_err(|what| BadLayout::at(0, 0, what))?;
        let plan = Plan::new(self, registry, &mut pages, vec![false; self.items().len()])?;
        let limit = self.max_len().max(RECORD_LIMIT);
        let way = match from {
            LengthFrom::Contents => Way::Contents,
            LengthFrom::Field { name, more } => {
                let (place, form) = self.place(name, registry, &mut pages)?;
                if matches!(form, Form::Text(_) | Form::Varying(_) | Form::Float(_) | Form::Raw) {
                    return Err(BadLayout::at(0, 0, format!("{name} is not a number that can be a length")));
                }
                Way::Field { place, form, more: *more }
            }
            LengthFrom::Map { name, lengths } => {
                let (place, form) = self.place(name, registry, &mut pages)?;
                let check =
                    |(value, len): &(String, usize)| self.check(name, &place, &form, value).map(|one| (one, *len));
                let checks = lengths.iter().map(check).collect::<Result<_, _>>()?;
                if let Some((value, len)) = lengths.iter().find(|(_, len)| !(place.end()..=limit).contains(len)) {
                    let (end, what) = (place.end(), format!("{value}={len}: expected a length"));
                    return Err(BadLayout::at(0, 0, format!("{what} from {end}, where {name} ends, to {limit}")));
                }
                Way::Map { place, form, checks }
            }
        };
        let counts = vec![Count::default(); plan.counts];
        // As with conditions, what else fields may contain makes no difference to their values.
        let lenience = if let Way::Map { .. } = way { Lenience::default() } else { options.lenience };
        let decode = Decode::new(pages, room(self), options.trim, lenience);
        let is_null_for_bad = matches!(options.on_bad, OnBad::Null | OnBad::Report);
        Ok(Lengths { plan, decode, counts, way, is_null_for_bad, limit })
    }

    fn place(&self, name: &str, registry: &Registry, pages: &mut Pages) -> Result<(Place, Form), BadLayout> {
        let bad = |what: String| BadLayout::at(0, 0, what);
        let item = self.in_a_fixed_place(name).map_err(bad)?;
        let (offset, kind) = self.offset(item).zip(self.items()[item].kind.as_ref()).ok_or_else(|| bad(name.into()))?;
        let form = Form::new(kind, registry, pages).map_err(bad)?;
        Ok((Place { path: self.path(item).to_owned(), offset, len: kind.len() }, form))
    }

    /// Makes the test whether a field has a value.
    fn check(&self, name: &str, place: &Place, form: &Form, value: &str) -> Result<Check, BadLayout> {
        let kind = self.find(name).ok().and_then(|item| self.items()[item].kind.as_ref());
        let bad = || BadLayout::at(0, 0, format!("{value:?} is not a value of {name}"));
        Check::value(kind.ok_or_else(bad)?, *form, place.offset, value).ok_or_else(bad)
    }
}

impl Place {
    fn end(&self) -> usize {
        self.offset + self.len
    }

    fn wrong(&self, why: String) -> NoLength {
        NoLength { field: self.path.clone(), offset: self.offset, why }
    }
}

impl Clone for Lengths {
    fn clone(&self) -> Self {
        let Decode { pages, trim, lenience, .. } = &self.decode;
        Lengths {
            plan: self.plan.clone(),
            decode: Decode::new(pages.clone(), room(&self.plan.layout), *trim, *lenience),
            counts: self.counts.clone(),
            way: self.way.clone(),
            is_null_for_bad: self.is_null_for_bad,
            limit: self.limit,
        }
    }
}

impl Lengths {
    /// Whether records can have different lengths.
    pub(crate) fn vary(&self) -> bool {
        fn last(ops: &[Op]) -> bool {
            match ops.last() {
                Some(Op::Group { body, .. }) => last(body),
                Some(Op::Set(set)) => set.is_last && set.alternatives.iter().any(|one| one.end != set.end),
                _ => false,
            }
        }
        let layout = &self.plan.layout;
        !matches!(self.way, Way::Contents) || layout.min_len() != layout.max_len() || last(&self.plan.ops)
    }

    fn by_contents(&mut self, bytes: &[u8]) -> Result<Measured, NoLength> {
        let Lengths { plan, decode, counts, is_null_for_bad, .. } = self;
        let plan = plan.clone();
        let mut walk = Walk {
            plan: &plan,
            decode,
            counts,
            at: Vec::new(),
            bytes,
            is_null_for_bad: *is_null_for_bad,
            len: plan.len,
            seen: ("", 0),
        };
        match walk.ops(&plan.ops, 0) {
            Ok(grown) => {
                let (len, (path, seen)) = (walk.len + grown, walk.seen);
                match len < seen.max(1) {
                    true => {
                        let why = format!("the record has {len} bytes, but its length depends on its byte {seen}");
                        Err(NoLength { field: path.to_owned(), offset: 0, why })
                    }
                    false => Ok(Measured::Length(len)),
                }
            }
            Err(Stop::Needs(needed)) => Ok(Measured::Needs(needed)),
            Err(Stop::Bad(error)) => {
                Err(NoLength { field: error.path().to_owned(), offset: error.offset(), why: error.message() })
            }
        }
    }
}

impl Measure for Lengths {
    fn measure(&mut self, bytes: &[u8]) -> Result<Measured, NoLength> {
        match &self.way {
            Way::Contents => self.by_contents(bytes),
            Way::Field { place, .. } | Way::Map { place, .. } if bytes.len() < place.end() => {
                Ok(Measured::Needs(place.end()))
            }
            Way::Field { place, form, more } => {
                let field = &bytes[place.offset..place.end()];
                let number = self.decode.number(form, field).and_then(|number| number.rescale(0)?.mantissa());
                let Some(number) = number else {
                    let problem = self.decode.not_a_number(form);
                    return Err(place.wrong(FieldError::new(String::new(), 0, field, problem).message()));
                };
                let len = number.saturating_add(i128::from(*more));
                let why = match usize::try_from(len) {
                    Ok(len) if (place.end()..=self.limit).contains(&len) => return Ok(Measured::Length(len)),
                    Ok(len) if len > self.limit => format!("records have at most {} bytes", self.limit),
                    _ => format!("the field itself ends at byte {}", place.end()),
                };
                Err(place.wrong(format!("its value {number} makes a length of {len} bytes, but {why}")))
            }
            Way::Map { place, form, checks } => {
                let found = checks.iter().find(|(check, _)| check.holds(&mut self.decode, bytes, 0));
                match found {
                    Some((_, len)) => Ok(Measured::Length(*len)),
                    None => {
                        let field = &bytes[place.offset..place.end()];
                        let value = FieldError::shown(self.decode.value(form, field).ok(), field);
                        Err(place.wrong(format!("no length is known for the value {value}")))
                    }
                }
            }
        }
    }

    fn field(&self) -> &str {
        match &self.way {
            Way::Contents => "",
            Way::Field { place, .. } | Way::Map { place, .. } => &place.path,
        }
    }

    fn boxed(&self) -> Box<dyn Measure> {
        Box::new(self.clone())
    }
}

/// Why a walk ends early.
enum Stop {
    /// The record must have this many bytes to continue.
    Needs(usize),
    Bad(FieldError),
}

/// Goes through a record as a reader does, but only for what decides its length.
struct Walk<'a> {
    plan: &'a Plan,
    decode: &'a mut Decode,
    counts: &'a mut [Count],
    /// The occurrences of the arrays that this is in, from 0.
    at: Vec<usize>,
    bytes: &'a [u8],
    is_null_for_bad: bool,
    /// The length of a record whose arrays of varying count are empty.
    len: usize,
    /// The field that ends farthest of those that the length depends on, and where it ends.
    seen: (&'a str, usize),
}

impl<'a> Walk<'a> {
    /// Walks over the operations of a group whose offsets count from `base`. Returns by how much arrays of varying
    /// count made it longer.
    fn ops(&mut self, ops: &'a [Op], base: usize) -> Result<usize, Stop> {
        let mut grown = 0;
        for op in ops {
            match op {
                Op::Field(field) => self.count(field, base + grown)?,
                Op::Group { body, .. } => grown += self.ops(body, base + grown)?,
                Op::Array(array) => grown += self.array(array, base + grown)?,
                Op::Set(set) => grown += self.set(set, base + grown)?,
            }
        }
        Ok(grown)
    }

    /// Returns the bytes of the field of an item, whose value the length depends on.
    fn see(&mut self, item: usize, end: usize) -> Result<(), Stop> {
        if end > self.bytes.len() {
            return Err(Stop::Needs(end));
        }
        if end > self.seen.1 {
            self.seen = (self.plan.layout.path(item), end);
        }
        Ok(())
    }

    fn count(&mut self, field: &Field, base: usize) -> Result<(), Stop> {
        let Some(count) = field.count else { return Ok(()) };
        let (offset, len) = (base + field.offset, field.len);
        self.see(field.item, offset + len)?;
        let bytes = &self.bytes[offset..offset + len];
        match self.plan.count(self.decode, &field.form, count, bytes) {
            Ok(value) => self.counts[count] = Count { value: Some(value), offset, len },
            Err(problem) => return Err(self.bad(field.item, offset, bytes, problem)),
        }
        Ok(())
    }

    fn array(&mut self, array: &'a Array, base: usize) -> Result<usize, Stop> {
        // Without counts, an array has the same length in every record.
        if self.plan.counts == 0 {
            return Ok(0);
        }
        let (plan, at) = (self.plan, &self.at);
        let count = match array.times.get(self.counts, || plan.layout.path_at(array.item, at)) {
            Ok(count) => count,
            Err((found, _)) if found.value == Some(0) && self.is_null_for_bad => 0,
            Err((found, problem)) => {
                let item = if let Times::Counted { counter, .. } = array.times { counter } else { array.item };
                let bytes = &self.bytes[found.offset..found.offset + found.len];
                return Err(self.bad(item, found.offset, bytes, problem));
            }
        };
        let mut grown = 0;
        if !array.body.is_empty() {
            for occurrence in 0..count {
                self.at.push(occurrence);
                grown += self.ops(&array.body, base + array.offset + occurrence * array.stride + grown)?;
                self.at.pop();
            }
        }
        Ok(if array.varies { count * array.stride + grown } else { 0 })
    }

    fn set(&mut self, set: &'a Set, base: usize) -> Result<usize, Stop> {
        if self.plan.counts == 0 && !set.is_last {
            return Ok(0);
        }
        if !set.is_conditional {
            let mut end = set.end;
            for one in &set.alternatives {
                end = end.max(one.end + self.ops(&one.body, base)?);
            }
            return Ok(end - set.end);
        }
        let one = self.applying(set, base)?;
        let grown = self.ops(&one.body, base)?;
        if !set.is_last {
            return Ok((one.end + grown).saturating_sub(set.end));
        }
        self.len -= set.end - one.end;
        Ok(grown)
    }

    /// Returns the alternative that applies.
    fn applying(&mut self, set: &'a Set, base: usize) -> Result<&'a Alternative, Stop> {
        let checks = || set.alternatives.iter().flat_map(|one| &one.checks).flatten();
        let ends = checks().map(|check| check.place(base).end);
        self.see(set.item, ends.max().unwrap_or(0))?;
        let found = applying(self.decode, set, self.bytes, base);
        found.ok_or_else(|| {
            let place = checks().next().map_or(base..base, |check| check.place(base));
            let problem = Problem::UnknownType { known: self.plan.known_types(set) };
            self.bad(set.item, place.start, &self.bytes[place], problem)
        })
    }

    #[cold]
    fn bad(&self, item: usize, offset: usize, bytes: &[u8], problem: Problem) -> Stop {
        Stop::Bad(FieldError::new(self.plan.layout.path_at(item, &self.at), offset, bytes, problem))
    }
}
