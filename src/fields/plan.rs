//! The plan for a layout: the operations of a reader or a writer for each record, computed once.
//!
//! A plan is a tree of operations with offsets. An offset counts from the beginning of the record, or of the element in
//! an array, as if every array whose count varies were empty. Running the plan adds the actual size of such arrays,
//! which moves everything after them. In a layout without such arrays nothing moves, and every offset is final.

use super::form::{Decode, Form};
use super::number::{read_float, write_float};
use super::page::Pages;
use super::resolve::MAX_NAMES;
use super::{BadLayout, Column, Decimal, FieldKind, Float, Layout, Problem, Test, Value, When};
use crate::registry::Registry;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// What to do for each record.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) layout: Layout,
    pub(super) ops: Vec<Op>,
    /// The length of a record whose arrays of varying count are empty.
    pub(super) len: usize,
    /// How many counts there are.
    pub(super) counts: usize,
    /// The maps of fields that contain counts, if the value is not the count itself.
    maps: Vec<Option<CountMap>>,
    /// Which items are selected: fields, and the groups with selected fields in them.
    selected: Vec<bool>,
}

#[derive(Debug)]
pub(super) enum Op {
    Field(Field),
    /// A group with a name. Groups without a name leave no trace.
    Group {
        item: usize,
        is_selected: bool,
        body: Vec<Op>,
    },
    Array(Box<Array>),
    Set(Box<Set>),
}

/// A field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) offset: usize,
    pub(super) len: usize,
    /// The number of the column, from that of the first column of the element.
    pub(super) column: usize,
    pub(super) item: usize,
    pub(super) form: Form,
    pub(super) is_selected: bool,
    /// Where the value goes if it is the count of an array.
    pub(super) count: Option<usize>,
    pub(super) indicator: Option<Indicator>,
}

/// The field that says whether another one has a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indicator {
    pub(super) item: usize,
    pub(super) offset: usize,
    pub(super) len: usize,
    pub(super) form: Form,
    /// Whether its place varies. Then it is beside its field: its offset and its column are from the same beginnings.
    pub(super) is_beside: bool,
    pub(super) column: usize,
}

impl Indicator {
    /// Returns the place of an indicator that does not vary.
    pub(super) fn fixed_place(&self) -> Option<Range<usize>> {
        (!self.is_beside).then_some(self.offset..self.offset + self.len)
    }

    /// Returns whether the field, whose offset is from `base`, has no value in this record.
    pub(super) fn is_null(&self, decode: &Decode, record: &[u8], base: usize) -> bool {
        let offset = if self.is_beside { base + self.offset } else { self.offset };
        let Some(bytes) = record.get(offset..).and_then(|rest| rest.get(..self.len)) else { return false };
        if !matches!(self.form, Form::Text(_) | Form::Raw) {
            return decode.number(&self.form, bytes).is_some_and(|number| number.is_negative());
        }
        let question_mark = if decode.pages.main().is_ebcdic { 0x6F } else { b'?' };
        matches!(bytes, [byte] if *byte == 0xFF || *byte == question_mark)
    }
}

/// An array.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) item: usize,
    pub(super) offset: usize,
    pub(super) times: Times,
    /// The length of an element, without arrays of varying count in it.
    pub(super) stride: usize,
    /// The first column, and the number of columns of an element.
    pub(super) column: usize,
    pub(super) columns: usize,
    /// Whether what follows moves.
    pub(super) varies: bool,
    /// Whether the elements are groups.
    pub(super) is_group: bool,
    pub(super) is_selected: bool,
    pub(super) body: Vec<Op>,
}

/// How often an array occurs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Times {
    Fixed(usize),
    /// As often as a field says.
    Counted {
        count: usize,
        counter: usize,
        min: usize,
        max: usize,
    },
}

/// Alternatives.
#[derive(Debug)]
pub(super) struct Set {
    /// Whether exactly one applies, by the conditions; otherwise all do.
    pub(super) is_conditional: bool,
    /// The first item.
    pub(super) item: usize,
    pub(super) alternatives: Vec<Alternative>,
    /// Where the longest alternative ends.
    pub(super) end: usize,
    /// Whether what follows moves.
    pub(super) varies: bool,
    /// Whether nothing follows: the record ends where the alternative ends.
    pub(super) is_last: bool,
}

#[derive(Debug)]
pub(super) struct Alternative {
    pub(super) item: usize,
    /// `None` if it never applies, because it has no condition and others have.
    pub(super) checks: Option<Vec<Check>>,
    pub(super) end: usize,
    /// By how many bytes the longest alternative can be longer.
    pub(super) room: usize,
    pub(super) body: Vec<Op>,
}

/// A test of a condition.
#[derive(Debug)]
pub(super) enum Check {
    Bytes {
        offset: usize,
        values: Vec<Vec<u8>>,
    },
    /// `beside`: the field, if it is in the same element of an array as the alternative. Its offset is from the same
    /// beginning then, and otherwise from that of the record.
    Field {
        offset: usize,
        len: usize,
        form: Form,
        values: Expected,
        beside: Option<usize>,
    },
}

/// The counts that the values of a field stand for. The tests are those of a field that begins at 0.
type CountMap = Vec<(Check, usize)>;

/// The values that a test accepts.
#[derive(Debug)]
pub(super) enum Expected {
    Texts(Vec<String>),
    Numbers(Vec<Decimal>),
    /// As the field has them, which can be rounded.
    Floats(Vec<f64>),
    Raw(Vec<Vec<u8>>),
}

/// The most columns that [`Plan::columns`] lists.
const MAX_COLUMNS: usize = 1 << 20;

impl Plan {
    /// `selected`: for each item whether it is. Then the groups around selected fields are selected too.
    pub(super) fn new(
        layout: &Layout,
        registry: &Registry,
        pages: &mut Pages,
        selected: Vec<bool>,
    ) -> Result<Arc<Plan>, BadLayout> {
        let mut selected = selected;
        for index in (0..selected.len()).rev() {
            if let Some(parent) = layout.parent(index)
                && selected[index]
            {
                selected[parent] = true;
            }
        }
        let (counts, places) = (HashMap::new(), vec![(0, 0); layout.items().len()]);
        let mut compiler = Compiler { layout, registry, pages, selected: &selected, counts, places };
        for item in (0..layout.items().len()).filter_map(|item| layout.counter(item)) {
            let next = compiler.counts.len();
            compiler.counts.entry(item).or_insert(next);
        }
        let maps = compiler.maps()?;
        let body = compiler.siblings(layout.children(None).collect(), 0, 0)?;
        let (counts, mut ops, len) = (compiler.counts.len(), body.ops, body.end);
        place_indicators(&mut ops, &compiler.places);
        mark_last(&mut ops, len);
        Ok(Arc::new(Plan { layout: layout.clone(), ops, len, counts, maps, selected }))
    }

    /// Returns the columns, in order.
    pub(super) fn columns(&self) -> Result<Vec<Column>, BadLayout> {
        let around = Around { times: 1, subscripts: 0 };
        self.check_columns(&self.ops, around, &mut Tally::default())?;
        let mut columns = Vec::new();
        self.list(&self.ops, &mut Vec::new(), &mut Vec::new(), &mut columns)?;
        Ok(columns)
    }

    /// Fails if `ops` have too many columns, or too long names of columns, before any of them is made.
    fn check_columns(&self, ops: &[Op], around: Around, tally: &mut Tally) -> Result<(), BadLayout> {
        for op in ops {
            match op {
                Op::Field(field) if field.is_selected => {
                    let path = self.layout.path(field.item).len() as u64;
                    tally.add(path, around).map_err(|what| BadLayout::in_item(field.item, what))?;
                }
                Op::Array(array) if array.is_selected => {
                    self.check_columns(&array.body, around.array(array.times.max() as u64), tally)?;
                }
                Op::Field(_) | Op::Array(_) => {}
                Op::Group { body, .. } => self.check_columns(body, around, tally)?,
                Op::Set(set) => {
                    set.alternatives.iter().try_for_each(|one| self.check_columns(&one.body, around, tally))?;
                }
            }
        }
        Ok(())
    }

    fn list(
        &self,
        ops: &[Op],
        at: &mut Vec<usize>,
        types: &mut Vec<usize>,
        columns: &mut Vec<Column>,
    ) -> Result<(), BadLayout> {
        for op in ops {
            match op {
                Op::Field(field) if field.is_selected => {
                    let path = self.layout.path_at(field.item, at);
                    columns.push(Column { path, item: field.item, types: types.clone() });
                }
                Op::Field(_) => {}
                Op::Group { body, .. } => self.list(body, at, types, columns)?,
                Op::Array(array) if array.is_selected => {
                    for occurrence in 0..array.times.max() {
                        at.push(occurrence);
                        self.list(&array.body, at, types, columns)?;
                        at.pop();
                    }
                }
                Op::Array(_) => {}
                Op::Set(set) => {
                    for alternative in &set.alternatives {
                        if set.is_conditional {
                            types.push(alternative.item);
                        }
                        self.list(&alternative.body, at, types, columns)?;
                        if set.is_conditional {
                            types.pop();
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the values that select a record type, for messages.
    pub(super) fn known_types(&self, set: &Set) -> String {
        let conditions = set.alternatives.iter().filter_map(|one| self.layout.items()[one.item].when.as_ref());
        conditions.map(When::to_string).collect::<Vec<_>>().join(", or ")
    }

    /// Returns the count that a field contains. `count` is its index.
    pub(super) fn count(&self, decode: &mut Decode, form: &Form, count: usize, bytes: &[u8]) -> Result<i128, Problem> {
        let Some(Some(map)) = self.maps.get(count) else {
            let number = decode.number(form, bytes).and_then(|number| number.rescale(0)?.mantissa());
            return number.ok_or_else(|| decode.not_a_number(form));
        };
        let found = decode.plainly(|decode| map.iter().find(|(check, _)| check.holds(decode, bytes, 0)));
        found.map(|(_, count)| *count as i128).ok_or(Problem::UnknownCount)
    }

    /// Returns whether an item is selected.
    pub(super) fn is_selected(&self, item: usize) -> bool {
        self.selected[item]
    }
}

/// The arrays around an item.
#[derive(Clone, Copy)]
struct Around {
    /// How often the item occurs in all of them.
    times: u64,
    /// The length of the numbers of all these occurrences, with brackets: of `[1][1]`, `[1][2]` and so on.
    subscripts: u64,
}

impl Around {
    /// Returns the arrays around the elements of an array with this many elements.
    fn array(self, count: u64) -> Around {
        // As many numbers have at least two digits as there are from 10 on, and so on; each has two brackets.
        let digits: u64 = (0..).map_while(|power| (count + 1).checked_sub(10u64.pow(power))).take(19).sum();
        let own = digits + 2 * count;
        let subscripts = self.subscripts.saturating_mul(count).saturating_add(self.times.saturating_mul(own));
        Around { times: self.times.saturating_mul(count), subscripts }
    }
}

/// How many columns there are, and how long their names are together.
#[derive(Default)]
struct Tally {
    columns: u64,
    names: u64,
}

impl Tally {
    /// Adds a field whose path has `path` bytes. Returns what is wrong if there is too much now.
    fn add(&mut self, path: u64, around: Around) -> Result<(), String> {
        self.columns = self.columns.saturating_add(around.times);
        let names = path.saturating_mul(around.times).saturating_add(around.subscripts);
        self.names = self.names.saturating_add(names);
        if self.columns > MAX_COLUMNS as u64 {
            return Err(format!("the layout has more than {MAX_COLUMNS} columns; select some of the fields"));
        }
        if self.names > MAX_NAMES as u64 {
            let what = "the names of the columns are longer than";
            return Err(format!(
                "{what} {MAX_NAMES} bytes in total; select some of the fields, or shorten their names"
            ));
        }
        Ok(())
    }
}

/// Gives null indicators beside their fields, and fields that conditions test beside their alternatives, their places,
/// which are known when all fields are compiled.
fn place_indicators(ops: &mut [Op], places: &[(usize, usize)]) {
    for op in ops {
        match op {
            Op::Field(field) => {
                if let Some(indicator) = field.indicator.as_mut().filter(|indicator| indicator.is_beside) {
                    (indicator.offset, indicator.column) = places[indicator.item];
                }
            }
            Op::Group { body, .. } => place_indicators(body, places),
            Op::Array(array) => place_indicators(&mut array.body, places),
            Op::Set(set) => {
                for one in &mut set.alternatives {
                    for check in one.checks.iter_mut().flatten() {
                        if let Check::Field { offset, beside: Some(item), .. } = check {
                            *offset = places[*item].0;
                        }
                    }
                    place_indicators(&mut one.body, places);
                }
            }
        }
    }
}

/// Marks the alternatives at the end of a record of `len` bytes.
fn mark_last(ops: &mut [Op], len: usize) {
    match ops.last_mut() {
        Some(Op::Group { body, .. }) => mark_last(body, len),
        Some(Op::Set(set)) => set.is_last = set.end == len,
        _ => {}
    }
}

impl Times {
    /// Returns the largest count.
    pub(super) fn max(&self) -> usize {
        match self {
            Times::Fixed(count) => *count,
            Times::Counted { max, .. } => *max,
        }
    }

    /// Returns the count, from the counts of the record. As an error, returns the problem with it and the field that it
    /// is in.
    #[inline]
    pub(super) fn get(&self, counts: &[Count], array: impl FnOnce() -> String) -> Result<usize, (Count, Problem)> {
        match *self {
            Times::Fixed(count) => Ok(count),
            Times::Counted { count, min, max, .. } => {
                let found = counts[count];
                let fits = found.value.and_then(|value| usize::try_from(value).ok());
                match fits.filter(|value| (min..=max).contains(value)) {
                    Some(value) => Ok(value),
                    None => {
                        let count = found.value.map_or_else(|| "(none)".into(), |value| value.to_string());
                        Err((found, Problem::CountOutOfBounds { count, array: array(), bounds: (min, max) }))
                    }
                }
            }
        }
    }
}

/// A count in the record, and the place of its field.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Count {
    pub(super) value: Option<i128>,
    pub(super) offset: usize,
    pub(super) len: usize,
}

/// Makes the operations of a plan.
struct Compiler<'a> {
    layout: &'a Layout,
    registry: &'a Registry,
    pages: &'a mut Pages,
    selected: &'a [bool],
    /// The place of each count, by its field.
    counts: HashMap<usize, usize>,
    /// For each field, its offset and its column in its element.
    places: Vec<(usize, usize)>,
}

/// The operations for the items of a group.
struct Body {
    ops: Vec<Op>,
    /// Where the items end that follow one another, and where the farthest ends.
    next: usize,
    end: usize,
    /// The column after them.
    column: usize,
    varies: bool,
}

impl Compiler<'_> {
    /// Compiles the maps of the fields that contain counts.
    fn maps(&mut self) -> Result<Vec<Option<CountMap>>, BadLayout> {
        let mut maps: Vec<Option<CountMap>> = Vec::new();
        maps.resize_with(self.counts.len(), || None);
        for (index, item) in self.layout.items().iter().enumerate() {
            let (Some(&count), Some(kind)) = (self.counts.get(&index), &item.kind) else { continue };
            if item.count_map.is_empty() {
                continue;
            }
            let form = self.form(index, kind)?;
            let bad = |value: &String| {
                let path = self.layout.path(index);
                BadLayout::in_item(index, format!("the count map of {path}: {value:?} is not a value of {path}"))
            };
            let check = |(value, count): &(String, usize)| {
                Check::value(kind, form, 0, value).map(|check| (check, *count)).ok_or_else(|| bad(value))
            };
            maps[count] = Some(item.count_map.iter().map(check).collect::<Result<_, _>>()?);
        }
        Ok(maps)
    }

    /// Compiles adjacent items; the first one begins at `offset`.
    fn siblings(&mut self, items: Vec<usize>, offset: usize, column: usize) -> Result<Body, BadLayout> {
        let mut body = Body { ops: Vec::new(), next: offset, end: offset, column, varies: false };
        let mut rest = &items[..];
        while let [first, ..] = *rest {
            let set = self.layout.placed(first).set;
            let len = match set {
                Some(_) => rest.iter().take_while(|item| self.layout.placed(**item).set == set).count(),
                None => 1,
            };
            let (now, later) = rest.split_at(len);
            match set {
                Some(_) => self.set(now, &mut body)?,
                None => {
                    let begin = self.layout.items()[first].at.unwrap_or(body.next);
                    let one = self.item(first, begin, body.column)?;
                    body.next = one.next;
                    body.end = body.end.max(one.end);
                    body.column = one.column;
                    body.varies |= one.varies;
                    body.ops.extend(one.ops);
                }
            }
            rest = later;
        }
        Ok(body)
    }

    /// Compiles alternatives.
    fn set(&mut self, items: &[usize], body: &mut Body) -> Result<(), BadLayout> {
        let is_conditional = items.iter().any(|item| self.layout.items()[*item].when.is_some());
        let (mut alternatives, mut shared) = (Vec::new(), body.next);
        // `longest` is where the longest ends if all counts are the largest.
        let (mut end, mut longest, mut varies) = (body.next, body.next, false);
        for &item in items {
            let begin = match (self.layout.redefined(item), self.layout.items()[item].at) {
                (Some(_), _) => shared,
                (None, at) => {
                    shared = at.unwrap_or(body.next);
                    shared
                }
            };
            let most = begin + self.layout.placed(item).total(&self.layout.items()[item]);
            longest = longest.max(most);
            let when = self.layout.items()[item].when.as_ref();
            let checks = when.map(|when| self.checks(item, when)).transpose()?;
            if is_conditional && checks.is_none() {
                // It never applies, but takes its place, and conditions can test its fields. Whether the fields can be
                // read makes no difference.
                let _ = self.item(item, begin, body.column);
                end = end.max(most);
                body.next = body.next.max(end);
                continue;
            }
            let one = self.item(item, begin, body.column)?;
            body.next = if self.layout.redefined(item).is_some() { body.next.max(one.next) } else { one.next };
            body.column = one.column;
            end = end.max(one.end);
            varies |= one.varies;
            alternatives.push(Alternative { item, checks, end: one.end, room: most, body: one.ops });
        }
        alternatives.iter_mut().for_each(|one| one.room = longest - one.room);
        body.end = body.end.max(end);
        body.varies |= varies;
        if is_conditional || alternatives.iter().any(|one| !one.body.is_empty()) {
            let (item, is_last) = (items[0], false);
            body.ops.push(Op::Set(Box::new(Set { is_conditional, item, alternatives, end, varies, is_last })));
        }
        Ok(())
    }

    /// Compiles an item.
    fn item(&mut self, index: usize, offset: usize, column: usize) -> Result<Body, BadLayout> {
        let Some(occurs) = &self.layout.items()[index].occurs else { return self.one(index, offset, column) };
        let element = self.one(index, 0, 0)?;
        let times = match (&occurs.depending_on, self.layout.counter(index)) {
            (Some(_), Some(counter)) => {
                Times::Counted { count: self.counts[&counter], counter, min: occurs.min, max: occurs.max }
            }
            _ => Times::Fixed(occurs.max),
        };
        let varies = element.varies || matches!(times, Times::Counted { .. });
        let total = if varies { 0 } else { element.end * occurs.max };
        let columns = element.column;
        let is_selected = self.selected[index];
        let end = offset + total;
        let body = Body {
            ops: Vec::new(),
            next: end,
            end,
            column: column.saturating_add(columns.saturating_mul(occurs.max)),
            varies,
        };
        if element.ops.is_empty() && !varies {
            return Ok(body);
        }
        let array = Array {
            item: index,
            offset,
            times,
            stride: element.end,
            column,
            columns,
            varies,
            is_group: self.layout.items()[index].is_group(),
            is_selected,
            body: element.ops,
        };
        Ok(Body { ops: vec![Op::Array(Box::new(array))], ..body })
    }

    /// Compiles one occurrence of an item.
    fn one(&mut self, index: usize, offset: usize, column: usize) -> Result<Body, BadLayout> {
        let (item, is_selected) = (&self.layout.items()[index], self.selected[index]);
        let Some(kind) = &item.kind else {
            let body = self.siblings(self.layout.children(Some(index)).collect(), offset, column)?;
            let is_reported = self.layout.key(index).is_some() && item.occurs.is_none() && !body.ops.is_empty();
            return Ok(match is_reported {
                true => Body { ops: vec![Op::Group { item: index, is_selected, body: body.ops }], ..body },
                false => body,
            });
        };
        self.places[index] = (offset, column);
        let (len, count) = (kind.len(), self.counts.get(&index).copied());
        let end = offset + len;
        let body = Body { ops: Vec::new(), next: end, end, column: column + usize::from(is_selected), varies: false };
        if !is_selected && count.is_none() {
            return Ok(body);
        }
        let form = self.form(index, kind)?;
        let indicator = self.indicator(index)?;
        let field = Field { offset, len, column, item: index, form, is_selected, count, indicator };
        Ok(Body { ops: vec![Op::Field(field)], ..body })
    }

    /// Compiles the null indicator of a field.
    fn indicator(&mut self, index: usize) -> Result<Option<Indicator>, BadLayout> {
        let Some(item) = self.layout.placed(index).indicator else { return Ok(None) };
        let Some(kind) = self.layout.items()[item].kind.clone() else { return Ok(None) };
        let (offset, form) = (self.layout.offset(item).unwrap_or_default(), self.form(item, &kind)?);
        let is_beside = !self.layout.has_fixed_place(item);
        Ok(Some(Indicator { item, offset, len: kind.len(), form, is_beside, column: 0 }))
    }

    fn form(&mut self, item: usize, kind: &FieldKind) -> Result<Form, BadLayout> {
        let bad = |what: String| BadLayout::in_item(item, format!("{}: {what}", self.layout.path(item)));
        Form::new(kind, self.registry, self.pages).map_err(bad)
    }

    /// Compiles the tests of a condition.
    fn checks(&mut self, item: usize, when: &When) -> Result<Vec<Check>, BadLayout> {
        let tested = &self.layout.placed(item).tested;
        let mut checks = Vec::with_capacity(tested.len());
        for (test, field) in when.tests().iter().zip(tested) {
            checks.push(match (test, field) {
                (Test::Bytes { offset, values }, _) => Check::Bytes { offset: *offset, values: values.clone() },
                (Test::Field { field: name, values }, found) => {
                    let lost = || BadLayout::in_item(item, format!("there is no {name}"));
                    let found = found.ok_or_else(lost)?;
                    let kind = self.layout.items()[found].kind.as_ref().ok_or_else(lost)?;
                    let beside = (!self.layout.has_fixed_place(found)).then_some(found);
                    let offset = self.layout.offset(found).or(beside.map(|_| 0)).ok_or_else(lost)?;
                    let form = self.form(found, kind)?;
                    let values = Expected::new(kind, values).map_err(|bad| {
                        BadLayout::in_item(
                            item,
                            format!("the condition {test}: {bad:?} is not a value of {name}, which is {kind}"),
                        )
                    })?;
                    Check::Field { offset, len: kind.len(), form, values, beside }
                }
            });
        }
        Ok(checks)
    }
}

impl Check {
    /// Returns whether the record, or the field at its beginning, has one of the values. The offsets of the
    /// alternatives are from `base`.
    pub(super) fn holds(&self, decode: &mut Decode, record: &[u8], base: usize) -> bool {
        match self {
            Check::Bytes { offset, values } => {
                let rest = record.get(*offset..).unwrap_or_default();
                values.iter().any(|value| rest.starts_with(value))
            }
            Check::Field { form, values, .. } => {
                let Some(bytes) = record.get(self.place(base)) else { return false };
                match (decode.value(form, bytes), values) {
                    (Ok(Value::Text(text)), Expected::Texts(texts)) => {
                        let text = text.trim_end_matches([' ', '\u{3000}', '\0']);
                        texts.iter().any(|expected| expected == text)
                    }
                    (Ok(Value::Number(number)), Expected::Numbers(numbers)) => {
                        numbers.iter().any(|expected| expected.same_value(&number))
                    }
                    (Ok(Value::Single(number)), Expected::Floats(numbers)) => numbers.contains(&number.into()),
                    (Ok(Value::Double(number)), Expected::Floats(numbers)) => numbers.contains(&number),
                    (Ok(Value::Raw(bytes)), Expected::Raw(all)) => all.iter().any(|expected| expected == bytes),
                    _ => false,
                }
            }
        }
    }

    /// Makes the test whether the field at `offset` has a value. `None`: no field of this kind has it.
    pub(super) fn value(kind: &FieldKind, form: Form, offset: usize, value: &str) -> Option<Check> {
        let values = Expected::new(kind, &[value.to_owned()]).ok()?;
        Some(Check::Field { offset, len: kind.len(), form, values, beside: None })
    }

    /// Returns whether it tests a field beside the alternative.
    pub(super) fn is_beside(&self) -> bool {
        matches!(self, Check::Field { beside: Some(_), .. })
    }

    /// Returns the place of the bytes that it tests. The offsets of the alternatives are from `base`.
    pub(super) fn place(&self, base: usize) -> Range<usize> {
        match self {
            Check::Field { offset, len, .. } => {
                let offset = offset + if self.is_beside() { base } else { 0 };
                offset..offset + len
            }
            Check::Bytes { offset, values } => *offset..offset + values.first().map_or(0, Vec::len),
        }
    }
}

impl Expected {
    /// Converts the values of a test; returns the first that is not of this kind.
    fn new(kind: &FieldKind, values: &[String]) -> Result<Expected, String> {
        fn all<T>(values: &[String], parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
            values.iter().map(|value| parse(value).ok_or_else(|| value.clone())).collect()
        }
        match kind {
            FieldKind::Text(_) => {
                all(values, |value| Some(value.trim_end_matches([' ', '\0']).to_owned())).map(Expected::Texts)
            }
            FieldKind::Raw(_) => all(values, super::when::unhex).map(Expected::Raw),
            FieldKind::Float(float) => all(values, |value| float_in(float, value)).map(Expected::Floats),
            _ => all(values, |value| value.parse().ok()).map(Expected::Numbers),
        }
    }
}

/// Returns the number that a field of this kind contains if this value is written to it.
fn float_in(float: &Float, value: &str) -> Option<f64> {
    let number = value.parse().ok().filter(|number: &f64| number.is_finite())?;
    let mut bytes = vec![0; float.len()];
    match write_float(&mut bytes, number, float).then(|| read_float(&bytes, float))?? {
        Value::Single(number) => Some(number.into()),
        Value::Double(number) => Some(number),
        _ => None,
    }
}
