//! The tree of names that rows are written by: [`Entry`].

use super::names::same_name;
use crate::rows::{DatePattern, Rows};

/// A field, a group or an array, with its place among the columns of the layout.
pub(super) struct Entry {
    pub(super) key: String,
    /// The first column, counted from that of the element or the record that it is in.
    pub(super) column: usize,
    /// How many columns it has: an array, each of its elements.
    pub(super) columns: usize,
    /// The largest count if it is an array.
    pub(super) times: Option<usize>,
    /// The pattern of the dates in it.
    pub(super) date: Option<DatePattern>,
    /// The content of a group; `None` for a field.
    pub(super) inside: Option<Vec<Entry>>,
}

impl Entry {
    /// Returns the row as a whole.
    pub(super) fn of_row(rows: &Rows) -> Entry {
        let mut columns = 0;
        let inside = entries(rows, None, &mut columns);
        Entry { key: String::new(), column: 0, columns, times: None, date: None, inside: Some(inside) }
    }

    /// Returns the member with this name, of a group; `any_case` as for the fields of structs. `hint` is where it is
    /// expected, and becomes where the next one is.
    pub(super) fn member(&self, name: &str, any_case: bool, hint: &mut usize) -> Option<&Entry> {
        let inside = self.inside.as_deref().unwrap_or_default();
        let position = || inside.iter().position(|one| one.key == name);
        let found = match inside.get(*hint) {
            Some(next) if next.key == name => Some(*hint),
            _ => position().or_else(|| {
                let mut alike = (0..inside.len()).filter(|index| any_case && same_name(&inside[*index].key, name));
                alike.next().filter(|_| alike.next().is_none())
            }),
        };
        *hint = found? + 1;
        inside.get(*hint - 1)
    }
}

/// Returns the entries of a group, or of the record. The items of groups without a name are among those of the group
/// around them.
fn entries(rows: &Rows, group: Option<usize>, column: &mut usize) -> Vec<Entry> {
    let layout = rows.layout();
    let mut found = Vec::new();
    for item in layout.children(group) {
        let is_group = layout.items()[item].is_group();
        let Some(key) = rows.key(item) else {
            found.append(&mut entries(rows, Some(item), column));
            continue;
        };
        let (first, mut columns) = (*column, 1);
        let inside = is_group.then(|| {
            columns = 0;
            entries(rows, Some(item), &mut columns)
        });
        let times = layout.items()[item].occurs.as_ref().map(|occurs| occurs.max);
        *column += columns * times.unwrap_or(1);
        let date = rows.date(item).cloned();
        found.push(Entry { key: key.into_owned(), column: first, columns, times, date, inside });
    }
    found
}
