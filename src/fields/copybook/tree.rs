//! Turns entries into the items of a layout: which item belongs to which group, what items inherit, and the slack bytes
//! of synchronized items.
//!
//! Slack bytes become a separate `FILLER`, as "Slack bytes within records" in IBM's Language Reference describes:
//! before a synchronized item, or before the group that begins with it; and at the end of each element of a table that
//! contains synchronized items, so that all elements are aligned alike. A record begins at a doubleword.

use super::entry::{Entry, Occurs, Placed};
use super::lexical::BadText;
use super::limits::{MAX_FIELDS, MAX_RECORD, MAX_VARYING};
use super::options::Copybook;
use super::storage::{Inherited, Storage, agreed, storage};
use crate::fields::{FieldKind, Item, Occurs as Times};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The items of a layout, each with the text from its entry on.
#[derive(Default)]
pub(super) struct Items<'a> {
    pub(super) items: Vec<Item>,
    pub(super) places: Vec<&'a str>,
}

/// Makes the items of a copybook.
pub(super) fn items<'a>(options: &Copybook, entries: &[Entry<'a>]) -> Result<Items<'a>, BadText<'a>> {
    let nodes = nodes(options, entries)?;
    let mut names: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        names.entry(entry.name.unwrap_or("").to_uppercase()).or_default().push(index);
    }
    let is_chosen = options.record_name.is_some();
    let mut tree = Tree { entries, nodes, names, is_chosen, made: Items::default(), varying: 0 };
    if entries[0].depth() > 1 {
        tree.siblings(0..entries.len(), Length::default())?;
    } else {
        tree.records()?;
    }
    Ok(tree.made)
}

impl Entry<'_> {
    /// Returns the level for nesting: 77 is like 1.
    fn depth(&self) -> u8 {
        if self.level.value == 77 { 1 } else { self.level.value }
    }

    fn shown(&self) -> &str {
        self.name.unwrap_or("FILLER")
    }
}

// --- Nesting ----------------------------------------------------------------------------------------------------------

/// The properties of an entry that depend on the entries around it.
struct Node {
    /// The index after its last subordinate item.
    end: usize,
    parent: Option<usize>,
    /// `None` for a group.
    storage: Option<Storage>,
    /// The boundary that it begins at, because its first elementary item is synchronized; otherwise 1.
    first_boundary: usize,
    /// The largest boundary of the synchronized items in it; otherwise 1.
    boundary: usize,
}

/// Nests the entries by their level numbers, and computes the storage of the elementary items.
fn nodes<'a>(options: &Copybook, entries: &[Entry<'a>]) -> Result<Vec<Node>, BadText<'a>> {
    let mut nodes: Vec<Node> = Vec::with_capacity(entries.len());
    // The groups around the current entry, and what their items inherit.
    let mut open: Vec<(usize, Inherited<'a>)> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        while let Some((group, _)) = open.pop_if(|(group, _)| entries[*group].depth() >= entry.depth()) {
            nodes[group].end = index;
        }
        if open.is_empty() && entry.depth() == 1 && entries[0].depth() > 1 {
            return Err(BadText::message(entry.level.rest, "found level 01 after items that belong to no level 01"));
        }
        let parent = open.last().map(|(group, _)| *group);
        let inherited = open.last().map_or(Inherited::default(), |(_, inherited)| *inherited);
        let is_group = entries.get(index + 1).is_some_and(|next| next.depth() > entry.depth());
        let mut node = Node { end: index + 1, parent, storage: None, first_boundary: 1, boundary: 1 };
        if is_group {
            check_group(entry, &entries[index + 1])?;
            let Entry { clauses, .. } = entry;
            let inherited = Inherited {
                usage: agreed(clauses.usage, inherited.usage)?,
                sign: clauses.sign.or(inherited.sign),
                is_synchronized: clauses.sync.is_some() || inherited.is_synchronized,
            };
            open.push((index, inherited));
        } else {
            let storage = storage(options, entry, &inherited)?;
            if entry.clauses.sync.is_some() || inherited.is_synchronized {
                node.boundary = storage.boundary;
                node.first_boundary = storage.boundary;
            }
            node.storage = Some(storage);
        }
        nodes.push(node);
    }
    for (group, _) in open {
        nodes[group].end = entries.len();
    }
    for index in (0..nodes.len()).rev() {
        if let Some(parent) = nodes[index].parent {
            nodes[parent].boundary = nodes[parent].boundary.max(nodes[index].boundary);
            if parent + 1 == index {
                nodes[parent].first_boundary = nodes[index].first_boundary;
            }
        }
    }
    Ok(nodes)
}

/// Checks the clauses of an item that `next`, of a higher level, belongs to.
fn check_group<'a>(entry: &Entry<'a>, next: &Entry<'a>) -> Result<(), BadText<'a>> {
    if entry.clauses.picture.is_some() {
        let (name, level) = (entry.shown(), entry.level.value);
        let what = format!(
            "found level {:02} after {name}, which has level {level:02} and a picture: no items can belong to it",
            next.level.value
        );
        return Err(BadText::message(next.level.rest, what));
    }
    match &entry.clauses.sync {
        Some(sync) if entry.depth() > 1 => {
            let what = "SYNCHRONIZED is allowed only for items with a picture or usage, and for level 01";
            Err(BadText::message(sync.rest, what))
        }
        _ => Ok(()),
    }
}

// --- Storage ----------------------------------------------------------------------------------------------------------

/// A length or a position in bytes, with the largest counts of all tables.
#[derive(Clone, Copy, Default)]
struct Length {
    max: usize,
    /// With other counts it differs by multiples of this many bytes; 0 if it is always the same.
    unit: usize,
    /// The number of fields, with each element of a table counted.
    fields: usize,
}

impl Length {
    fn bytes(max: usize) -> Length {
        Length { max, ..Length::default() }
    }

    fn plus(self, other: Length) -> Length {
        Length {
            max: self.max.saturating_add(other.max),
            unit: gcd(self.unit, other.unit),
            fields: self.fields.saturating_add(other.fields),
        }
    }

    /// Returns the length of a table of elements of this length.
    fn times(self, occurs: &Occurs<'_>) -> Length {
        let unit = if occurs.min == occurs.max { self.unit } else { gcd(self.max, self.unit) };
        let count = occurs.max as usize;
        Length { max: self.max.saturating_mul(count), unit, fields: self.fields.saturating_mul(count) }
    }

    /// Returns the number of bytes up to the next boundary; `None` if that depends on counts.
    fn slack(self, boundary: usize) -> Option<usize> {
        self.unit.is_multiple_of(boundary).then(|| self.max.wrapping_neg() % boundary)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Makes items from nested entries.
struct Tree<'e, 'a> {
    entries: &'e [Entry<'a>],
    nodes: Vec<Node>,
    /// The entries of each name, in upper case.
    names: HashMap<String, Vec<usize>>,
    /// Whether the record was chosen by its name, so that one that it redefines is not here.
    is_chosen: bool,
    made: Items<'a>,
    /// The number of tables whose number of elements varies.
    varying: usize,
}

impl<'a> Tree<'_, 'a> {
    /// Makes the items of the records: all entries of levels 01 and 77 describe the same bytes.
    fn records(&mut self) -> Result<(), BadText<'a>> {
        // The others redefine the first one, or overlap it if it has no name.
        let first = self.entries[0].name;
        let mut index = 0;
        while index < self.entries.len() {
            let entry = &self.entries[index];
            if let Some(target) = entry.clauses.redefines.as_ref().filter(|_| index > 0 || !self.is_chosen) {
                self.check_redefined_record(index, target)?;
            }
            if let Some(occurs) = &entry.clauses.occurs {
                return Err(BadText::message(
                    occurs.rest,
                    format!("OCCURS is not allowed at level {:02}", entry.level.value),
                ));
            }
            let made = self.made.items.len();
            self.item(index, Length::default(), first.filter(|_| index > 0))?;
            if index > 0 && first.is_none() {
                self.made.items[made].at = Some(0);
            }
            index = self.nodes[index].end;
        }
        Ok(())
    }

    fn check_redefined_record(&self, index: usize, target: &Placed<'a, &'a str>) -> Result<(), BadText<'a>> {
        let is_there = self
            .names
            .get(&target.value.to_uppercase())
            .is_some_and(|found| found.iter().any(|found| *found < index && self.nodes[*found].parent.is_none()));
        if is_there {
            Ok(())
        } else {
            Err(BadText::message(target.rest, format!("there is no level 01 named {} before this one", target.value)))
        }
    }

    /// Makes the items of a group that begins at `start`. Returns the length of the group.
    fn siblings(&mut self, group: Range<usize>, start: Length) -> Result<Length, BadText<'a>> {
        let mut next = start;
        // The item that can be redefined, where it begins, and the names for its place.
        let (mut base, mut area) = (None, HashSet::new());
        let mut fields = 0usize;
        let mut index = group.start;
        while index < group.end {
            let entry = &self.entries[index];
            let len;
            if let Some(target) = &entry.clauses.redefines {
                let place = base.filter(|_| area.contains(&target.value.to_uppercase()));
                let Some(place) = place else { return Err(self.not_redefinable(&group, index, target)) };
                len = self.item(index, place, Some(target.value))?;
                next.unit = gcd(next.unit, len.unit);
                next.max = next.max.max(place.max.saturating_add(len.max));
            } else {
                next = self.align(index, next)?;
                base = Some(next);
                area.clear();
                len = self.item(index, next, None)?;
                next = next.plus(len);
            }
            area.extend(entry.name.map(str::to_uppercase));
            fields = fields.saturating_add(len.fields);
            self.check_limits(index, next.max, fields)?;
            index = self.nodes[index].end;
        }
        Ok(Length { max: next.max - start.max, unit: next.unit, fields })
    }

    /// Makes the items of an entry that begins at `start`, at the place of `redefines` if there is one. Returns its
    /// length.
    fn item(&mut self, index: usize, start: Length, redefines: Option<&str>) -> Result<Length, BadText<'a>> {
        let entry = &self.entries[index];
        let occurs = entry.clauses.occurs.as_ref();
        let times = occurs.map(|occurs| self.times(index, &occurs.value)).transpose()?;
        self.varying += usize::from(times.as_ref().is_some_and(|times| times.depending_on.is_some()));
        if self.varying > MAX_VARYING {
            let what = format!("a copybook may have at most {MAX_VARYING} tables with DEPENDING ON");
            return Err(BadText::message(entry.level.rest, what));
        }
        let (kind, picture) = match &self.nodes[index].storage {
            Some(storage) => (Some(storage.kind.clone()), storage.picture.clone()),
            None => (None, String::new()),
        };
        let is_group = kind.is_none();
        let field_len = kind.as_ref().map_or(0, FieldKind::len);
        self.made.places.push(entry.level.rest);
        self.made.items.push(Item {
            name: entry.name.map(str::to_owned),
            occurs: times,
            redefines: redefines.map(str::to_owned),
            picture,
            ..Item::filler(entry.depth(), kind)
        });
        let mut len = Length { max: field_len, unit: 0, fields: 1 };
        if is_group {
            len = self.siblings(index + 1..self.nodes[index].end, start)?;
            if occurs.is_some() {
                len = self.pad(index, len)?;
            }
        }
        if let Some(occurs) = occurs {
            len = len.times(&occurs.value);
        }
        self.check_limits(index, len.max, len.fields)?;
        Ok(len)
    }

    /// Adds the slack bytes before an item that would begin at `place`. Returns where it begins.
    fn align(&mut self, index: usize, place: Length) -> Result<Length, BadText<'a>> {
        let slack = self.slack(index, place, self.nodes[index].first_boundary)?;
        self.fill(index, self.entries[index].depth(), slack);
        Ok(place.plus(Length::bytes(slack)))
    }

    /// Adds the slack bytes at the end of each element of a table. Returns the length of an element.
    fn pad(&mut self, index: usize, len: Length) -> Result<Length, BadText<'a>> {
        let slack = self.slack(index, len, self.nodes[index].boundary)?;
        self.fill(index, self.entries[index + 1].depth(), slack);
        Ok(len.plus(Length::bytes(slack)))
    }

    fn slack(&self, index: usize, place: Length, boundary: usize) -> Result<usize, BadText<'a>> {
        place.slack(boundary).ok_or_else(|| {
            let what = "the slack bytes for SYNCHRONIZED would depend on the counts of the tables before it: describe them \
                        as FILLER, and remove SYNCHRONIZED";
            BadText::message(self.entries[index].level.rest, what)
        })
    }

    fn fill(&mut self, index: usize, level: u8, slack: usize) {
        if slack > 0 {
            self.made.places.push(self.entries[index].level.rest);
            self.made.items.push(Item::filler(level, Some(FieldKind::Raw(slack))).picture("SYNCHRONIZED"));
        }
    }

    fn check_limits(&self, index: usize, len: usize, fields: usize) -> Result<(), BadText<'a>> {
        let place = self.entries[index].level.rest;
        let name = self.entries[index].shown();
        if len > MAX_RECORD {
            return Err(BadText::message(
                place,
                format!("with {name}, the record is longer than {MAX_RECORD} bytes, the longest possible"),
            ));
        }
        if fields > MAX_FIELDS {
            let what =
                format!("with {name}, the record has more than {MAX_FIELDS} fields: each element of a table counts");
            return Err(BadText::message(place, what));
        }
        Ok(())
    }

    // --- References ---------------------------------------------------------------------------------------------------

    /// Returns why the item `index` of a group cannot redefine `target`.
    fn not_redefinable(&self, group: &Range<usize>, index: usize, target: &Placed<'a, &'a str>) -> BadText<'a> {
        let name = target.value;
        let found = self.names.get(&name.to_uppercase()).map_or(&[][..], Vec::as_slice);
        let before = found.iter().rev().find(|found| **found < index);
        let what = match before {
            Some(before) if self.nodes[*before].parent == self.nodes[index].parent && group.contains(before) => {
                format!(
                    "{name} cannot be redefined here, because other items follow it: a redefinition comes directly after it"
                )
            }
            Some(before) => format!(
                "{name} has the level {:02} and is in another group: an item redefines one of its own group and level",
                self.entries[*before].level.value
            ),
            None => format!("there is no {name} before this item"),
        };
        BadText::message(target.rest, what)
    }

    /// Returns how often an item occurs. Checks that the item with the count is there.
    fn times(&self, index: usize, occurs: &Occurs<'a>) -> Result<Times, BadText<'a>> {
        let (min, max) = (occurs.min as usize, occurs.max as usize);
        let Some(depending) = &occurs.depending else { return Ok(Times { min, max, depending_on: None }) };
        let names = &depending.value;
        let found = self.names.get(&names[0].to_uppercase()).map_or(&[][..], Vec::as_slice);
        let record = self.record(index);
        let is_it = |found: &&usize| self.record(**found) == record && self.is_in(**found, &names[1..]);
        if !found.iter().filter(is_it).any(|found| *found < index) {
            let name = names.join(" OF ");
            let what = match found.iter().find(is_it) {
                Some(_) => format!("{name} contains the count of this table, so it must come before the table"),
                None => format!("there is no {name} in this record, but it should contain the count of the table"),
            };
            return Err(BadText::message(depending.rest, what));
        }
        let path: Vec<&str> = names.iter().rev().copied().collect();
        Ok(Times { min, max, depending_on: Some(path.join(".")) })
    }

    /// Returns the level 01 that an entry belongs to; the first entry if there is none.
    fn record(&self, index: usize) -> usize {
        let top = std::iter::successors(Some(index), |index| self.nodes[*index].parent).last().unwrap_or(index);
        if self.entries[top].depth() > 1 { 0 } else { top }
    }

    /// Returns whether an entry is in groups of these names, from the inside out.
    fn is_in(&self, index: usize, groups: &[&str]) -> bool {
        let mut around = std::iter::successors(self.nodes[index].parent, |index| self.nodes[*index].parent);
        let is_named =
            |index: usize, name: &str| self.entries[index].name.is_some_and(|own| own.eq_ignore_ascii_case(name));
        groups.iter().all(|name| around.any(|index| is_named(index, name)))
    }
}
