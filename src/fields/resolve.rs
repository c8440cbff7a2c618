//! Checks the items of a layout, and computes what follows from them: nesting, paths, references and places.

use super::kind::MAX_LEN;
use super::kind::{Binary, Edited, Packed, Zoned};
use super::{BadLayout, FieldKind, Item, Test};
use crate::registry::label;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The computed properties of an item.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Placed {
    /// The group that it belongs to.
    pub(super) parent: Option<usize>,
    /// The index after its last subordinate item.
    pub(super) end: usize,
    pub(super) depth: usize,
    /// Whether it is the group of the whole record.
    pub(super) is_record: bool,
    pub(super) path: String,
    /// Where it begins, if that does not depend on the record.
    pub(super) offset: Option<usize>,
    /// The length of one occurrence, with the largest counts.
    pub(super) len: usize,
    /// The same with the smallest counts.
    pub(super) min_len: usize,
    pub(super) redefines: Option<usize>,
    /// The first of the alternatives that it is one of: of the items that share a place, or of adjacent items with
    /// conditions. `None` if there are no others, and it has no condition.
    pub(super) set: Option<usize>,
    /// The field with the count of the array.
    pub(super) counter: Option<usize>,
    /// The fields of the tests of its condition; `None` for tests of bytes.
    pub(super) tested: Vec<Option<usize>>,
    /// The field that says whether it has a value.
    pub(super) indicator: Option<usize>,
}

impl Placed {
    /// Returns the length of all occurrences, with the largest counts.
    pub(super) fn total(&self, item: &Item) -> usize {
        self.len * item.occurs.as_ref().map_or(1, |occurs| occurs.max)
    }
}

/// The deepest nesting: level numbers go from 1 to 49, so nothing deeper can be written.
const MAX_LEVEL: u8 = 49;

/// The longest path of an item, in bytes. Every report about the field repeats it. In COBOL it has at most 1518: 49
/// names of 30 characters, with dots between.
const MAX_PATH: usize = 4096;
/// The longest that all paths of the items can be together, and also all names of columns, in bytes. Each name repeats
/// those of the groups around it, and each column that of its field, so a short text could ask for gigabytes of them.
pub(super) const MAX_NAMES: usize = 16 << 20;

/// The computed properties of a layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Resolved {
    /// The computed properties of each item.
    pub(super) placed: Vec<Placed>,
    pub(super) names: Names,
    /// The lengths of the shortest and the longest record.
    pub(super) len: (usize, usize),
}

/// Resolves a layout.
pub(super) fn resolve(items: &[Item]) -> Result<Resolved, BadLayout> {
    if items.is_empty() {
        return Err(BadLayout::at(0, 0, "the layout has no fields"));
    }
    let mut placed = nest(items)?;
    for (index, item) in items.iter().enumerate() {
        check(item, &placed[index], index)?;
    }
    name(items, &mut placed)?;
    let names = Names::new(items, &placed);
    for index in 0..items.len() {
        refer(items, &mut placed, &names, index)?;
    }
    alternatives(items, &mut placed);
    let len = Places { items, placed: &mut placed }.siblings(0..items.len(), Some(0))?;
    for index in 0..items.len() {
        conditions(items, &mut placed, &names, index)?;
        indicator(items, &mut placed, &names, index)?;
    }
    Ok(Resolved { placed, names, len })
}

/// Finds an item before the layout is resolved.
pub(super) fn find_item(items: &[Item], name: &str) -> Result<usize, BadLayout> {
    let mut placed = nest(items)?;
    self::name(items, &mut placed)?;
    find(&placed, &Names::new(items, &placed), name, None).map_err(|what| BadLayout::at(0, 0, what))
}

/// Computes who belongs to whom from the level numbers.
fn nest(items: &[Item]) -> Result<Vec<Placed>, BadLayout> {
    let mut placed: Vec<Placed> = Vec::with_capacity(items.len());
    let mut open: Vec<usize> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if !(1..=MAX_LEVEL).contains(&item.level) {
            return Err(BadLayout::in_item(index, format!("the level {} is not between 1 and 49", item.level)));
        }
        while let Some(group) = open.pop_if(|group| items[*group].level >= item.level) {
            placed[group].end = index;
        }
        placed.push(Placed { parent: open.last().copied(), depth: open.len(), ..Placed::default() });
        open.push(index);
    }
    for group in open {
        placed[group].end = items.len();
    }
    let has_one_at_top = placed[0].end == items.len();
    placed[0].is_record = has_one_at_top && items[0].is_group() && items[0].occurs.is_none();
    Ok(placed)
}

/// Checks an item on its own.
fn check(item: &Item, placed: &Placed, index: usize) -> Result<(), BadLayout> {
    let bad = |what: String| Err(BadLayout::in_item(index, what));
    let name = item.name.as_deref().unwrap_or("FILLER");
    let has_children = placed.end > index + 1;
    if item.name.as_deref().is_some_and(|name| name.is_empty() || name.contains(['.', '[', ']'])) {
        return bad(format!("{name:?} is not a valid name: it is empty or contains . [ or ]"));
    }
    match &item.kind {
        Some(_) if has_children => return bad(format!("{name} is a field, but the items after it have higher levels")),
        None if !has_children && item.when.is_none() => {
            return bad(format!("{name} has neither a picture nor subordinate items"));
        }
        None => {}
        Some(kind) => check_kind(kind).or_else(|what| bad(format!("{name}: {what}")))?,
    }
    match &item.occurs {
        Some(occurs) if occurs.max == 0 || occurs.min > occurs.max => bad(format!(
            "{name} occurs {} to {} times; expected at least 1, and the smaller count first",
            occurs.min, occurs.max
        )),
        Some(occurs) if occurs.min != occurs.max && occurs.depending_on.is_none() => {
            bad(format!("{name} occurs {} to {} times, but no field contains the count", occurs.min, occurs.max))
        }
        _ => Ok(()),
    }
}

fn check_kind(kind: &FieldKind) -> Result<(), String> {
    match kind {
        FieldKind::Zoned(Zoned { digits, scale, .. }) | FieldKind::Packed(Packed { digits, scale, .. }) => {
            if !(1..=FieldKind::MAX_DIGITS).contains(digits) {
                return Err(format!("a number has 1 to {} digits, not {digits}", FieldKind::MAX_DIGITS));
            }
            // The value with its zeros must be a decimal of at most 38 digits.
            let zeros = if *scale < 0 { scale.unsigned_abs() } else { 0 };
            match digits + zeros.min(100) <= FieldKind::MAX_DIGITS && *scale <= FieldKind::MAX_DIGITS as i8 {
                true => Ok(()),
                false => {
                    Err(format!("the scale {scale} makes the number longer than {} digits", FieldKind::MAX_DIGITS))
                }
            }
        }
        FieldKind::Edited(edited) => check_edited(edited),
        FieldKind::Binary(Binary { len, scale, .. }) => check_binary(*len, *scale),
        _ if kind.len() == 0 => Err("the length is 0".into()),
        FieldKind::Text(_) | FieldKind::Float(_) | FieldKind::Raw(_) => Ok(()),
    }
}

fn check_binary(len: u8, scale: i8) -> Result<(), String> {
    if !(1..=16).contains(&len) || scale > FieldKind::MAX_DIGITS as i8 {
        return Err(format!("a binary number has 1 to 16 bytes and at most 38 decimal places, not {len} and {scale}"));
    }
    // The largest value with its zeros must be a decimal.
    let largest = u128::MAX >> (128 - 8 * u32::from(len));
    let zeros = 10u128.checked_pow(if scale < 0 { scale.unsigned_abs().into() } else { 0 });
    match zeros.and_then(|zeros| largest.checked_mul(zeros)) {
        Some(_) => Ok(()),
        None => Err(format!("the scale {scale} makes the number longer than {} digits", FieldKind::MAX_DIGITS)),
    }
}

fn check_edited(edited: &Edited) -> Result<(), String> {
    let Edited { digits, scale, blanks, point, .. } = *edited;
    if !(1..=FieldKind::MAX_DIGITS).contains(&digits) {
        return Err(format!("a number has 1 to {} digits, not {digits}", FieldKind::MAX_DIGITS));
    }
    let least = i8::from(point);
    if !(least..=digits as i8).contains(&scale) {
        return Err(format!("this edited number has {least} to {digits} decimal places, not {scale}"));
    }
    match blanks <= digits {
        true => Ok(()),
        false => Err(format!("{blanks} of {digits} digits cannot be blanks")),
    }
}

/// Gives each item its path. Equal paths get numbers.
fn name(items: &[Item], placed: &mut [Placed]) -> Result<(), BadLayout> {
    let mut taken = HashSet::new();
    let mut total = 0;
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let group = placed[index].parent.map_or("", |parent| &placed[parent].path);
        let own = match (&item.name, item.is_group()) {
            _ if placed[index].is_record => "",
            (Some(name), _) => name,
            (None, true) if item.occurs.is_none() => "",
            (None, _) => "FILLER",
        };
        total += check_path(index, group, own, total)?;
        let path = match (group, own) {
            (group, "") => group.to_owned(),
            ("", own) => own.to_owned(),
            (group, own) => format!("{group}.{own}"),
        };
        let mut unique = path.clone();
        // The numbers up to this one are taken.
        let number = numbers.entry(path.to_uppercase()).or_insert(1);
        while !own.is_empty() && !taken.insert(unique.to_uppercase()) {
            *number += 1;
            unique = format!("{path}-{number}");
        }
        total += unique.len() - path.len();
        placed[index].path = unique;
    }
    Ok(())
}

/// Returns the length of the path of an item named `own` in `group`, before it is made. `total` is the length of all
/// paths before it.
fn check_path(index: usize, group: &str, own: &str, total: usize) -> Result<usize, BadLayout> {
    let len = group.len() + 1 + own.len();
    if len > MAX_PATH {
        let what = format!("a name is longer than {MAX_PATH} bytes, together with the names of its groups");
        return Err(BadLayout::in_item(index, what));
    }
    if total + len > MAX_NAMES {
        let what = format!("the names of all items are longer than {MAX_NAMES} bytes, each with those of its groups");
        return Err(BadLayout::in_item(index, what));
    }
    Ok(len)
}

/// Finds the item that an item redefines, and the field with its count.
fn refer(items: &[Item], placed: &mut [Placed], names: &Names, index: usize) -> Result<(), BadLayout> {
    let item = &items[index];
    let bad = |what: String| BadLayout::in_item(index, what);
    let name = item.name.as_deref().unwrap_or("FILLER");
    if let Some(target) = &item.redefines {
        placed[index].redefines = Some(
            redefined(items, placed, names, index, target)
                .map_err(|why| bad(format!("{name} REDEFINES {target}: {why}")))?,
        );
    }
    let counter = item.occurs.as_ref().and_then(|occurs| occurs.depending_on.as_ref());
    if let Some(target) = counter {
        let why = |why: String| bad(format!("{name} OCCURS DEPENDING ON {target}: {why}"));
        let found = find(placed, names, target, Some(index)).map_err(why)?;
        check_counter(items, placed, index, found).map_err(why)?;
        placed[index].counter = Some(found);
    }
    Ok(())
}

/// Returns the first of the items that share a place with `index`, one of which is named `target`.
fn redefined(items: &[Item], placed: &[Placed], names: &Names, index: usize, target: &str) -> Result<usize, String> {
    let is_sibling = |other: &usize| placed[*other].parent == placed[index].parent;
    let is_not_there = || format!("there is no {target} before it in the same group");
    // The sibling before it is one of the groups around the item before it, or that item itself.
    let before = std::iter::successors(index.checked_sub(1), |other| placed[*other].parent).find(is_sibling);
    let before = before.ok_or_else(is_not_there)?;
    // All items from here on share a place.
    let first = placed[before].redefines.unwrap_or(before);
    let mut named = names.items.get(&target.to_uppercase()).into_iter().flatten().copied().filter(is_sibling);
    match named.find(|other| *other < index) {
        None => Err(is_not_there()),
        Some(other) if (first..index).contains(&other) => Ok(first),
        // Names of siblings can be repeated.
        Some(_) if named.any(|other| (first..index).contains(&other)) => Ok(first),
        Some(_) => {
            let between = items[first].name.as_deref().unwrap_or("FILLER");
            Err(format!("{between} is between them; a redefinition must directly follow the item"))
        }
    }
}

/// Checks that `counter` can contain the count of the array `array`.
fn check_counter(items: &[Item], placed: &[Placed], array: usize, counter: usize) -> Result<(), String> {
    let kind = items[counter].kind.as_ref();
    let is_count =
        |kind: &FieldKind| !items[counter].count_map.is_empty() || kind.scale().is_some_and(|scale| scale <= 0);
    if !kind.is_some_and(is_count) {
        return Err(format!("{} is not an integer", placed[counter].path));
    }
    let is_in = |item: usize, group: usize| (group..placed[group].end).contains(&item);
    let groups = std::iter::successors(Some(counter), |item| placed[*item].parent);
    match groups.into_iter().find(|group| items[*group].occurs.is_some() && !is_in(array, *group)) {
        Some(other) => Err(format!("it is in the array {}, which has several counts", placed[other].path)),
        None => Ok(()),
    }
}

/// The items by name, in upper case, so that looking up many names takes little time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Names {
    /// By the names that they were given.
    items: HashMap<String, Vec<usize>>,
    /// By the last parts of their paths.
    parts: HashMap<String, Vec<usize>>,
    /// The name of the record as a whole.
    root: Option<String>,
}

impl Names {
    fn new(items: &[Item], placed: &[Placed]) -> Self {
        let root = items[0].name.as_deref().filter(|_| placed[0].is_record).map(str::to_uppercase);
        let mut names = Names { root, ..Names::default() };
        for (index, item) in items.iter().enumerate() {
            if let Some(name) = &item.name {
                names.items.entry(name.to_uppercase()).or_default().push(index);
            }
            if item.name.is_some() || !item.is_group() {
                let path = placed[index].path.to_uppercase();
                let part = path.rsplit('.').next().unwrap_or_default();
                names.parts.entry(part.to_owned()).or_default().push(index);
            }
        }
        names
    }

    /// Returns the items that `wanted` can refer to, in order. `wanted` is in upper case.
    fn find(&self, placed: &[Placed], wanted: &str) -> Vec<usize> {
        if self.root.as_deref() == Some(wanted) {
            // Items in the record can have the same name.
            let others = self.parts.get(wanted).into_iter().flatten();
            return std::iter::once(&0).chain(others).copied().collect();
        }
        let own = self.root.as_deref().and_then(|root| wanted.strip_prefix(root)?.strip_prefix('.'));
        let part = wanted.rsplit('.').next().unwrap_or_default();
        let is_it = |index: &usize| {
            let path = placed[*index].path.to_uppercase();
            ends_with(&path, wanted) || own.is_some_and(|own| path == own)
        };
        self.parts.get(part).into_iter().flatten().copied().filter(is_it).collect()
    }
}

/// Finds the item that `name` refers to; with `before`, one that precedes that item, and the one nearest to it in the
/// nesting if there are several.
pub(super) fn find(placed: &[Placed], names: &Names, name: &str, before: Option<usize>) -> Result<usize, String> {
    let wanted = name.trim().to_uppercase();
    if wanted.is_empty() {
        return Err("the name of a field is empty".into());
    }
    let mut candidates = names.find(placed, &wanted);
    candidates.retain(|index| before.is_none_or(|before| *index < before));
    let exact = candidates.iter().find(|index| placed[**index].path.eq_ignore_ascii_case(&wanted));
    match (&candidates[..], exact, before) {
        ([], ..) => Err(match before {
            Some(_) => format!("there is no {name} before it"),
            None => {
                let near = label::near_misses(name, placed.iter().map(|placed| placed.path.as_str()), |_| true);
                format!("there is no {name}{}", crate::error::DidYouMean(&near))
            }
        }),
        ([one], ..) => Ok(*one),
        (_, Some(one), None) => Ok(*one),
        (several, _, None) => {
            let paths: Vec<&str> = several.iter().take(3).map(|index| placed[*index].path.as_str()).collect();
            Err(format!("{name} is ambiguous; name a group as well: {}", paths.join(" or ")))
        }
        (several, _, Some(before)) => {
            let shared = |index: &usize| {
                let groups =
                    |item: usize| std::iter::successors(placed[item].parent, |group: &usize| placed[*group].parent);
                let of_array: Vec<usize> = groups(before).collect();
                groups(*index).filter(|group| of_array.contains(group)).count()
            };
            Ok(several.iter().copied().max_by_key(|index| (shared(index), *index)).unwrap_or(0))
        }
    }
}

/// Returns whether `wanted` names the item with this path: its last part is the same, and the others occur in order.
fn ends_with(path: &str, wanted: &str) -> bool {
    let mut groups = path.rsplit('.');
    let mut names = wanted.rsplit('.');
    names.next() == groups.next() && names.all(|name| groups.any(|group| group == name))
}

/// Groups the items that are alternatives.
fn alternatives(items: &[Item], placed: &mut [Placed]) {
    for index in 0..items.len() {
        if let Some(base) = placed[index].redefines {
            placed[base].set = Some(base);
            placed[index].set = Some(base);
        }
    }
    let mut last: Option<usize> = None;
    for index in 0..items.len() {
        if placed[index].set.is_some() || items[index].when.is_none() {
            continue;
        }
        // The item before it ends where this one begins, and both are in the same group.
        let before = last.filter(|last| placed[*last].end == index && placed[*last].parent == placed[index].parent);
        placed[index].set = before.and_then(|before| placed[before].set).or(Some(index));
        last = Some(index);
    }
}

/// Computes where items are.
struct Places<'a> {
    items: &'a [Item],
    placed: &'a mut [Placed],
}

/// A place in a group.
#[derive(Clone, Copy)]
struct Place {
    /// In bytes from the beginning of the record; `None` if that depends on the record.
    offset: Option<usize>,
    /// In bytes from the beginning of the group, if all counts before it are the smallest, and the largest.
    min: usize,
    max: usize,
}

impl Places<'_> {
    /// Places the items of a group that begins at `start`, which is `None` if that varies. Returns the smallest and the
    /// largest length of the group.
    fn siblings(&mut self, group: Range<usize>, start: Option<usize>) -> Result<(usize, usize), BadLayout> {
        let begin = Place { offset: start, min: 0, max: 0 };
        // Where the next item begins, and the farthest that any item reaches.
        let (mut next, mut end) = (begin, begin);
        // Where the items that share a place begin.
        let mut shared = begin;
        let mut index = group.start;
        while index < group.end {
            let item = &self.items[index];
            let place = match (self.placed[index].redefines, item.at) {
                (Some(_), _) => shared,
                (None, Some(at)) => self.position(index, at, start)?,
                (None, None) => next,
            };
            let after = self.item(index, place)?;
            if self.placed[index].redefines.is_none() {
                (shared, next) = (place, after);
            } else {
                next = next.farther(after);
            }
            end = end.farther(next);
            index = self.placed[index].end;
        }
        Ok((end.min, end.max))
    }

    /// Returns the place of an item that is at `at` of the record, in a group that begins at `start`.
    fn position(&self, index: usize, at: usize, start: Option<usize>) -> Result<Place, BadLayout> {
        let bad = |what: &str| BadLayout::in_item(index, format!("the position {}: {what}", at.saturating_add(1)));
        let start = start.ok_or_else(|| bad("the group that contains it begins at a place that varies"))?;
        let groups = std::iter::successors(self.placed[index].parent, |group| self.placed[*group].parent);
        if groups.into_iter().any(|group| self.items[group].occurs.is_some()) {
            return Err(bad("an item in an array cannot have one"));
        }
        let from = at.checked_sub(start).ok_or_else(|| bad("it is before the beginning of the group"))?;
        Ok(Place { offset: Some(at), min: from, max: from })
    }

    /// Places an item, with everything in it, at `place`. Returns the place after it.
    fn item(&mut self, index: usize, place: Place) -> Result<Place, BadLayout> {
        let item = &self.items[index];
        let (min, max) = match &item.kind {
            Some(kind) => (kind.len(), kind.len()),
            None => self.siblings(index + 1..self.placed[index].end, place.offset)?,
        };
        let (least, most) = item.occurs.as_ref().map_or((1, 1), |occurs| (occurs.min, occurs.max));
        let placed = &mut self.placed[index];
        (placed.offset, placed.min_len, placed.len) = (place.offset, min, max);
        let too_long = || BadLayout::in_item(index, format!("the record would be longer than {} bytes", MAX_LEN));
        let total = max.checked_mul(most).filter(|total| *total <= MAX_LEN - place.max.min(MAX_LEN));
        let total = total.ok_or_else(too_long)?;
        let varies = min != max || least != most;
        let offset = place.offset.filter(|_| !varies).map(|offset| offset + total);
        if offset.is_some_and(|end| end > MAX_LEN) {
            return Err(too_long());
        }
        // The smallest is at most the largest, so this cannot overflow.
        Ok(Place { offset, min: place.min + min * least, max: place.max + total })
    }
}

impl Place {
    /// Returns the place that is farther from the beginning.
    fn farther(self, other: Place) -> Place {
        let offset = self.offset.zip(other.offset).map(|(one, other)| one.max(other));
        Place { offset, min: self.min.max(other.min), max: self.max.max(other.max) }
    }
}

/// Finds the fields that the condition of an item tests.
fn conditions(items: &[Item], placed: &mut [Placed], names: &Names, index: usize) -> Result<(), BadLayout> {
    let Some(when) = &items[index].when else { return Ok(()) };
    let mut tested = Vec::with_capacity(when.tests().len());
    for test in when.tests() {
        let bad = |what: String| BadLayout::in_item(index, format!("the condition {test}: {what}"));
        let (field, values) = match test {
            Test::Field { field, values } => (field, values),
            Test::Bytes { offset, values } => {
                check_bytes(*offset, values).map_err(bad)?;
                tested.push(None);
                continue;
            }
        };
        let found = tested_field(items, placed, names, index, field).map_err(bad)?;
        if values.is_empty() {
            return Err(bad("there is no value".into()));
        }
        tested.push(Some(found));
    }
    placed[index].tested = tested;
    Ok(())
}

/// Finds a field that the condition of an item tests: one with the same place in every record, or in the same element
/// of an array.
fn tested_field(items: &[Item], placed: &[Placed], names: &Names, index: usize, field: &str) -> Result<usize, String> {
    let array = arrays(items, placed, index).find(|array| *array != index);
    if let (Some(array), Ok(found)) = (array, find(placed, names, field, None))
        && !items[found].is_group()
        && !has_fixed_place(items, placed, found)
    {
        if is_of_element(items, placed, array, index, found) {
            return Ok(found);
        }
        let (path, array) = (&placed[index].path, &placed[array].path);
        return Err(format!(
            "the place of {field} varies; expected a field that comes before {path} in the same element of {array}, with no \
             array between them whose count varies"
        ));
    }
    in_a_fixed_place(items, placed, names, field)
}

/// Finds a field that has the same place in every record.
pub(super) fn in_a_fixed_place(items: &[Item], placed: &[Placed], names: &Names, field: &str) -> Result<usize, String> {
    let found = find(placed, names, field, None)?;
    if items[found].is_group() {
        return Err(format!("{field} is a group; expected a field"));
    }
    if !has_fixed_place(items, placed, found) {
        return Err(format!(
            "the place of {field} varies; expected a field that is not an array and comes before all arrays whose count varies"
        ));
    }
    Ok(found)
}

/// Returns the arrays around an item, itself included.
fn arrays<'a>(items: &'a [Item], placed: &'a [Placed], item: usize) -> impl Iterator<Item = usize> + 'a {
    std::iter::successors(Some(item), |item| placed[*item].parent).filter(|item| items[*item].occurs.is_some())
}

/// Returns whether an item has the same place in every record.
pub(super) fn has_fixed_place(items: &[Item], placed: &[Placed], item: usize) -> bool {
    placed[item].offset.is_some() && arrays(items, placed, item).next().is_none()
}

/// Returns whether the distance between two items is the same in every record, and in every element of their arrays.
fn are_beside(items: &[Item], placed: &[Placed], one: usize, other: usize) -> bool {
    let between = one.min(other) + 1..one.max(other);
    !items[one].is_group()
        && !items[other].is_group()
        && arrays(items, placed, one).next() == arrays(items, placed, other).next()
        && !between.into_iter().any(|item| placed[item].counter.is_some())
}

/// Returns whether a field is in the same element of `array` as an alternative, in a place that does not vary, and is
/// written before its condition is needed: it precedes the alternative or is in it.
fn is_of_element(items: &[Item], placed: &[Placed], array: usize, alternative: usize, field: usize) -> bool {
    let mut between = alternative.min(field) + 1..alternative.max(field);
    arrays(items, placed, field).next() == Some(array)
        && field < placed[alternative].end
        && !between.any(|item| placed[item].counter.is_some())
}

/// Finds the field that says whether an item has a value.
fn indicator(items: &[Item], placed: &mut [Placed], names: &Names, index: usize) -> Result<(), BadLayout> {
    let Some(indicator) = &items[index].null_indicator else { return Ok(()) };
    let bad = |what: String| BadLayout::in_item(index, format!("the null indicator {indicator}: {what}"));
    if items[index].is_group() {
        return Err(bad(format!("{} is a group; expected a field", placed[index].path)));
    }
    let beside = find(placed, names, indicator, None).ok().filter(|found| are_beside(items, placed, index, *found));
    let found = beside.map_or_else(|| in_a_fixed_place(items, placed, names, indicator), Ok).map_err(bad)?;
    let is_one = match &items[found].kind {
        Some(kind @ (FieldKind::Text(_) | FieldKind::Raw(_))) => kind.len() == 1,
        Some(kind) => kind.scale() == Some(0),
        None => false,
    };
    if found == index || !is_one {
        return Err(bad("expected another field, which is an integer or one byte".to_owned()));
    }
    placed[index].indicator = Some(found);
    Ok(())
}

/// Checks a test of the bytes at `offset`.
fn check_bytes(offset: usize, values: &[Vec<u8>]) -> Result<(), String> {
    let len = values.first().map(Vec::len).filter(|len| *len > 0).ok_or("there is no value")?;
    if values.iter().any(|value| value.len() != len) {
        return Err("the values have different lengths".into());
    }
    match offset.checked_add(len).is_some_and(|end| end <= MAX_LEN) {
        true => Ok(()),
        false => Err(format!("a record has at most {} bytes", MAX_LEN)),
    }
}
