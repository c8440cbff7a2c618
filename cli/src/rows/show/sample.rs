//! The first record of a file: the position and value of each item in it.

use crate::args::Rows;
use crate::files::name::Name;
use crate::messages::Count;
use crate::rows::setup::Setup;
use crate::status::Status;
use charpipe::OnOverlong;
use charpipe::fields::{FieldError, FieldKind, Item, Layout, OnBad, ReadOptions, Trim, Value, Visitor};
use charpipe::records::Record;
use std::ops::Range;

/// A record, by the items of the layout.
pub(super) struct Sample {
    /// The name of its file.
    pub(super) file: String,
    /// The bytes of the record.
    pub(super) data: Vec<u8>,
    /// Where it begins in the file.
    pub(super) offset: u64,
    /// For each item: its first occurrence in the record; `None` if it has none.
    pub(super) places: Vec<Option<Range<usize>>>,
    /// For each item: the value of its first occurrence.
    pub(super) values: Vec<Option<Shown>>,
    /// How often arrays occur.
    pub(super) counts: Vec<Option<usize>>,
    /// The length that the layout gives the record; `None` if it cannot be read to its end.
    len: Option<usize>,
    /// The error in the record.
    error: Option<FieldError>,
}

/// The value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Shown {
    Text(String),
    Other(String),
    /// The bytes are not a value of its kind.
    Bad(&'static str),
    /// The record ends before it.
    Missing,
}

impl Sample {
    pub(super) fn new(args: &Rows, setup: &Setup, name: &Name, record: &Record<'_>) -> Result<Self, Status> {
        let layout = setup.layout();
        let trim = if args.value("trim") == Some("none") { Trim::Nothing } else { Trim::Blanks };
        let options = ReadOptions::new().trim(trim).on_bad(OnBad::Raw).fillers(true).overlong(OnOverlong::Cut);
        let made = layout.reader(&setup.registry, setup.job.codec(), &options);
        let mut reader = made.map_err(|error| setup.say_unusable(&error.into()))?;
        let none = || vec![None; layout.items().len()];
        let mut seen = Seen { layout, values: vec![None; layout.items().len()], counts: none() };
        let read = reader.read(record.number, record.data, &mut seen);
        let (len, error) = match read {
            Ok(row) => (Some(row.len), None),
            Err(error) => (None, Some(error)),
        };
        let mut walk = Walk { layout, seen: &seen, places: vec![None; layout.items().len()] };
        walk.siblings(None, 0);
        let places = walk.places.into_iter().map(|place| place.filter(|place| place.end <= record.data.len()));
        Ok(Sample {
            file: name.shown().to_owned(),
            data: record.data.to_vec(),
            offset: record.offset_of(0),
            places: places.collect(),
            values: seen.values,
            counts: seen.counts,
            len,
            error,
        })
    }

    /// Returns the error in the record as a whole, in words.
    pub(super) fn trouble(&self) -> Option<String> {
        if let Some(error) = &self.error {
            return Some(error.to_string());
        }
        let (len, described) = (self.data.len(), self.len?);
        if len > described {
            return Some(format!("record 1 has {len} bytes, but the layout describes only {described} of them"));
        }
        let is_bad = |value: &&Option<Shown>| matches!(value, Some(Shown::Bad(_) | Shown::Missing));
        match self.values.iter().filter(is_bad).count() {
            0 => None,
            count => Some(format!("record 1: {} cannot be read", Count(count as u64, "field"))),
        }
    }
}

/// Keeps the first value of each item.
struct Seen<'a> {
    layout: &'a Layout,
    values: Vec<Option<Shown>>,
    counts: Vec<Option<usize>>,
}

impl Visitor for Seen<'_> {
    type Error = FieldError;

    fn value(&mut self, item: usize, _: usize, value: Value<'_>) -> Result<(), FieldError> {
        let kind = self.layout.items()[item].kind.as_ref();
        let shown = match (value, kind) {
            (Value::Null, _) => Shown::Missing,
            (Value::Text(text), _) => Shown::Text(text.to_owned()),
            (Value::Raw(_), Some(FieldKind::Raw(_))) => Shown::Other(value.to_string()),
            (Value::Raw(_), Some(FieldKind::Text(_))) => Shown::Bad("not valid text"),
            (Value::Raw(_), _) => Shown::Bad("not a number"),
            _ => Shown::Other(value.to_string()),
        };
        self.values[item].get_or_insert(shown);
        Ok(())
    }

    fn begin_array(&mut self, item: usize, count: usize) -> Result<(), FieldError> {
        self.counts[item].get_or_insert(count);
        Ok(())
    }
}

/// Goes through the layout to find out where the first occurrence of each item is in the record.
struct Walk<'a> {
    layout: &'a Layout,
    seen: &'a Seen<'a>,
    places: Vec<Option<Range<usize>>>,
}

impl Walk<'_> {
    /// Places the items of a group that begins at `begin`. Returns where they end.
    fn siblings(&mut self, group: Option<usize>, begin: usize) -> usize {
        let (mut next, mut shared, mut end) = (begin, begin, begin);
        for item in self.layout.children(group).collect::<Vec<_>>() {
            let redefines = self.layout.redefined(item).is_some();
            let from = match self.layout.items()[item].at {
                _ if redefines => shared,
                Some(at) => at,
                None => next,
            };
            let after = self.item(item, from);
            if redefines {
                next = next.max(after);
            } else {
                (shared, next) = (from, after);
            }
            end = end.max(next);
        }
        end
    }

    /// Places an item and what is in it. Returns where its last occurrence ends.
    fn item(&mut self, item: usize, begin: usize) -> usize {
        let Item { kind, occurs, .. } = &self.layout.items()[item];
        let end = match kind {
            Some(kind) => begin + kind.len(),
            None => self.siblings(Some(item), begin),
        };
        let fixed = occurs.as_ref().map_or(1, |occurs| occurs.max);
        let count = match self.layout.counter(item) {
            Some(_) => self.seen.counts[item].unwrap_or(0),
            None => fixed,
        };
        if count > 0 && self.applies(item) {
            self.places[item] = Some(begin..end);
        }
        begin + (end - begin) * count
    }

    /// Returns whether an item was read: it is a field with a value, or has one in it.
    fn applies(&self, item: usize) -> bool {
        self.seen.values[item].is_some()
            || self.layout.items()[item].is_group() && self.layout.children(Some(item)).any(|child| self.applies(child))
    }
}
