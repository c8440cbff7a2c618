//! Compares the columns of a batch with a layout: [`Finder::check`].
//!
//! A writer asks only for the values of its own columns. Everything else in a batch would be dropped silently, so it is
//! an error, except for columns without any values: `read` returns a column of nulls for a group that applies to no
//! record.

use crate::access::{Finder, mismatch, named};
use crate::buffers::{Array, Buffers};
use crate::leaf::{Leaf, bounds};
use crate::schema::Kind;
use crate::{Malformed, Result};
use charpipe::fields::{Column, Layout, Value};
use std::collections::HashMap;

impl<'a> Finder<'a> {
    /// Compares the batch with a layout, of which a writer has these columns. Afterwards a list with more elements than
    /// its array can have is a bad value. Outermost columns that begin with an underscore are those of `read`.
    ///
    /// # Errors
    /// [`Malformed`]: a column that is not a field of the layout, or one with values of a field that no record has.
    pub fn check(&mut self, layout: &Layout, columns: &[Column]) -> Result<()> {
        let mut is_used = vec![false; layout.items().len()];
        for column in columns {
            let mut next = Some(column.item);
            while let Some(item) = next.filter(|item| !is_used[*item]) {
                is_used[item] = true;
                next = layout.parent(item);
            }
        }
        let root = self.batch().root();
        Walk { finder: self, layout, is_used: &is_used }.group(root, None, "")
    }
}

struct Walk<'a, 'b> {
    finder: &'b mut Finder<'a>,
    layout: &'b Layout,
    /// For each item of the layout, whether it has columns.
    is_used: &'b [bool],
}

impl<'a> Walk<'a, '_> {
    /// Compares the fields of a struct with the items of a group.
    fn group(&mut self, array: Array<'a>, group: Option<usize>, path: &str) -> Result<()> {
        let mut items = HashMap::new();
        self.items(group, &mut items);
        for (index, field) in array.field().children.iter().enumerate() {
            let path = if path.is_empty() { field.name.clone() } else { format!("{path}.{}", field.name) };
            match items.get(&field.name) {
                Some(item) => self.item(array.child(index).map_err(|error| error.of(&path))?, *item, &path)?,
                None if path.starts_with('_') => {}
                None => return Err(Malformed::new(format!("the layout has no field {path:?}"))),
            }
        }
        Ok(())
    }

    /// Collects the items that are columns of a group, by their names. Groups without a name are not columns.
    fn items(&self, group: Option<usize>, items: &mut HashMap<String, usize>) {
        for item in self.layout.children(group) {
            match self.layout.key(item) {
                // If several have the same name, none of them is found by `access`.
                Some(name) => drop(items.entry(named(name, self.finder.underscores()).into_owned()).or_insert(item)),
                None => self.items(Some(item), items),
            }
        }
    }

    fn item(&mut self, mut array: Array<'a>, item: usize, path: &str) -> Result<()> {
        if !self.is_used[item] {
            return match has_values(array, path)? {
                true => Err(Malformed::new(format!("the column of {path} has values, but no record has this field"))),
                false => Ok(()),
            };
        }
        if let (Some(occurs), Kind::List(_)) = (&self.layout.items()[item].occurs, array.field().kind) {
            self.finder.limit(array.field(), occurs.max);
            array = array.child(0).map_err(|error| error.of(path))?;
        }
        match array.field().kind {
            Kind::Struct if self.layout.items()[item].is_group() => self.group(array, Some(item), path),
            // What does not fit the item is found when its values are looked for.
            _ => Ok(()),
        }
    }
}

/// Returns whether a column contains anything but nulls, empty text and empty lists.
fn has_values(array: Array<'_>, path: &str) -> Result<bool> {
    if array.field().kind == Kind::Null {
        return Ok(false);
    }
    let of = |error: Malformed| error.of(path);
    let (rows, validity) = (array.span().map_err(of)?, array.validity().map_err(of)?);
    match array.field().kind {
        Kind::Struct => {
            let fields = 0..array.field().children.len();
            let mut found = fields.map(|index| has_values(array.child(index).map_err(of)?, path));
            Ok((0..rows.len).any(|row| validity.has(row)) && found.try_fold(false, |any, one| Ok(any || one?))?)
        }
        Kind::List(_) => {
            let Buffers::Run(offsets, width, _) = array.buffers().map_err(of)? else {
                return Err(mismatch(path, array, "other values"));
            };
            let is_empty = |row| bounds(offsets, width, rows.offset + row).is_ok_and(|(begin, end)| begin == end);
            Ok((0..rows.len).any(|row| validity.has(row) && !is_empty(row)))
        }
        _ => {
            let leaf = Leaf::new(array, path, None)?;
            let is_empty = |row| matches!(leaf.value(row), Ok(None | Some(Value::Null | Value::Text(""))));
            Ok(!(0..rows.len).all(is_empty))
        }
    }
}
