//! The lines of the table: text for each column, without colour or markup.

use crate::escape::printable;
use crate::messages::Count;
use crate::rows::setup::Setup;
use crate::rows::show::sample::{Sample, Shown};
use charpipe::fields::{Item, Layout};

/// The whole table.
pub(super) struct Table {
    pub(super) title: String,
    /// The text above it.
    pub(super) about: Vec<String>,
    pub(super) lines: Vec<Line>,
    /// Whether there is a record beside the layout.
    pub(super) has_record: bool,
    /// The text below it.
    pub(super) notes: Vec<String>,
}

/// An item of the layout.
pub(super) struct Line {
    pub(super) depth: usize,
    pub(super) level: u8,
    pub(super) name: String,
    pub(super) is_group: bool,
    pub(super) from: String,
    pub(super) len: String,
    /// The word for the kind; `group` for a group.
    pub(super) kind: String,
    /// The word for its class: text, zoned, edited, packed, binary, float, raw, group.
    pub(super) class: &'static str,
    /// The picture, and the clauses that say when and how often the item applies.
    pub(super) picture: String,
    /// The bytes of the first occurrence in hex.
    pub(super) bytes: Vec<String>,
    pub(super) value: Option<Shown>,
    /// Whether the item does not occur in the record.
    pub(super) is_absent: bool,
}

const MOVES: &str = "* moves: an array before it varies in length";

impl Table {
    pub(super) fn new(setup: &Setup, sample: Option<&Sample>) -> Self {
        let layout = setup.layout();
        let title = printable(layout.name().unwrap_or("layout"));
        let fields = layout.items().iter().filter(|item| !item.is_group()).count();
        let length = match (layout.min_len(), layout.max_len()) {
            (min, max) if min == max => Count(max as u64, "byte").to_string(),
            (min, max) => format!("{min} to {max} bytes"),
        };
        let fields = Count(fields as u64, "field");
        let mut about = vec![format!("{length}, {fields}, code page {}; layout {}", setup.page(), setup.layout_name)];
        if let Some(sample) = sample {
            about.push(format!("first record of {}: {}", sample.file, Count(sample.data.len() as u64, "byte")));
        }
        let lines: Vec<Line> = (0..layout.items().len()).map(|item| line(layout, item, sample)).collect();
        let has_moving = lines.iter().any(|line| line.from.ends_with('*'));
        let notes = has_moving.then(|| MOVES.to_owned()).into_iter().collect();
        Table { title, about, lines, has_record: sample.is_some(), notes }
    }
}

fn line(layout: &Layout, index: usize, sample: Option<&Sample>) -> Line {
    let item = &layout.items()[index];
    let place = sample.and_then(|sample| sample.places[index].clone());
    let from = match (layout.offset(index), &place) {
        (Some(offset), _) => (offset + 1).to_string(),
        (None, Some(place)) => format!("{}*", place.start + 1),
        (None, None) => "*".to_owned(),
    };
    let bytes = match (&place, sample) {
        (Some(place), Some(sample)) if !item.is_group() => {
            sample.data[place.clone()].iter().map(|byte| format!("{byte:02X}")).collect()
        }
        _ => Vec::new(),
    };
    Line {
        depth: layout.depth(index),
        level: item.level,
        name: printable(item.name.as_deref().unwrap_or("FILLER")),
        is_group: item.is_group(),
        from,
        len: layout.len_of(index).to_string(),
        kind: item.kind.as_ref().map_or_else(|| "group".to_owned(), ToString::to_string),
        class: item.kind.as_ref().map_or("group", |kind| kind.name()),
        picture: printable(&clauses(item, sample.and_then(|sample| sample.counts[index]))),
        bytes,
        value: sample.and_then(|sample| sample.values[index].clone()),
        is_absent: sample.is_some_and(|sample| sample.places[index].is_none() && sample.values[index].is_none()),
    }
}

/// Returns the picture, and the clauses that say when and how often the item applies. `count` is how often it occurs in
/// the record.
fn clauses(item: &Item, count: Option<usize>) -> String {
    let mut clauses = vec![item.picture.clone()];
    if let Some(name) = &item.redefines {
        clauses.push(format!("REDEFINES {name}"));
    }
    if let Some(occurs) = &item.occurs {
        let times = match (&occurs.depending_on, occurs.min == occurs.max) {
            (None, _) | (_, true) => occurs.max.to_string(),
            (Some(_), false) => format!("{} TO {}", occurs.min, occurs.max),
        };
        clauses.push(format!("OCCURS {times}"));
        if let Some(field) = &occurs.depending_on {
            clauses.push(format!("DEPENDING ON {field}"));
            if let Some(count) = count {
                clauses.push(format!("(here {count})"));
            }
        }
    }
    if let Some(when) = &item.when {
        clauses.push(format!("when {when}"));
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses.join(" ")
}
