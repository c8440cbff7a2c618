//! Fields of parents as columns of their children: [`KeyColumn`] and [`ParentKeys`].
//!
//! The thread that finds the parents also reads these fields, once for each parent. A child shares the values with its
//! siblings, so that any thread can write its row.

use super::error::contradicts;
use super::read::Rules;
use super::schema::ColumnType;
use super::{RowReader, RowsError, RowsJob};
use crate::codec::Codec;
use crate::error::Error;
use crate::fields::{Date, Decimal, FieldError, Layout, OnBad, Timestamp, Value, Visitor};
use crate::records::overlong::OnOverlong;
use std::sync::Arc;

/// A column of a row that is a field of [the record's parent](super::RowsJob::parent_keys). It follows the other columns
/// before the fields.
#[derive(Clone, Debug)]
pub struct KeyColumn {
    name: String,
    column_type: ColumnType,
    /// The types of records that have a value, as indices of items, and the field of their parent.
    fields: Vec<(usize, usize)>,
}

impl KeyColumn {
    /// How the names of these columns begin.
    pub const PREFIX: &str = "_parent.";

    /// Returns its name: `_parent.`, and the path of the field in its record type.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type of its values.
    #[must_use]
    pub fn column_type(&self) -> ColumnType {
        self.column_type
    }

    /// Returns whether records of this type, the index of an item, can have a value.
    #[must_use]
    pub fn is_of(&self, record_type: usize) -> bool {
        self.fields.iter().any(|(child, _)| *child == record_type)
    }
}

/// The values that the parent of a record has in the [key columns](super::Rows::key_columns). A clone shares them.
#[derive(Clone, Default, Debug)]
pub struct ParentKeys(Option<Arc<[Stored]>>);

impl ParentKeys {
    /// Returns the value of the key column with this index. [`Value::Null`] if the record has no parent, if its parent has
    /// no such field, or if the field cannot be read.
    #[must_use]
    pub fn value(&self, column: usize) -> Value<'_> {
        match self.0.as_deref().and_then(|values| values.get(column)) {
            Some(Stored::Text(text)) => Value::Text(text),
            Some(Stored::Raw(bytes)) => Value::Raw(bytes),
            Some(Stored::Number(number)) => Value::Number(*number),
            Some(Stored::Single(number)) => Value::Single(*number),
            Some(Stored::Double(number)) => Value::Double(*number),
            Some(Stored::Date(date)) => Value::Date(*date),
            Some(Stored::Timestamp(moment)) => Value::Timestamp(*moment),
            Some(Stored::Null) | None => Value::Null,
        }
    }
}

/// A value that outlives its record.
#[derive(Clone, Debug)]
enum Stored {
    Null,
    Text(Box<str>),
    Number(Decimal),
    Single(f32),
    Double(f64),
    Raw(Box<[u8]>),
    Date(Date),
    Timestamp(Timestamp),
}

impl Stored {
    fn of(value: Value<'_>) -> Stored {
        match value {
            Value::Text(text) => Stored::Text(text.into()),
            Value::Number(number) => Stored::Number(number),
            Value::Single(number) => Stored::Single(number),
            Value::Double(number) => Stored::Double(number),
            Value::Raw(bytes) => Stored::Raw(bytes.into()),
            Value::Date(date) => Stored::Date(date),
            Value::Timestamp(moment) => Stored::Timestamp(moment),
            Value::Null => Stored::Null,
        }
    }
}

/// Reads the key columns.
#[derive(Clone)]
pub(super) struct Keys {
    pub(super) columns: Arc<[KeyColumn]>,
    /// Reads the fields in them. What cannot be read is null: the parent's own row says so.
    reader: RowReader,
}

impl Keys {
    /// `None` if the job has no key columns. `rules` are those of the job.
    pub(super) fn new(job: &RowsJob, rules: &Rules, codec: &Arc<dyn Codec>) -> Result<Option<Self>, RowsError> {
        if job.parent_keys.is_empty() {
            return Ok(None);
        }
        let columns = columns(job, rules)?;
        let layout = &rules.layout;
        let items = columns.iter().flat_map(|column| &column.fields).map(|(_, item)| layout.path(*item));
        let read = job.read.clone().on_bad(OnBad::Null).short_records(true).canonical(false);
        let read = read.overlong(OnOverlong::Cut).select(items);
        let reader = layout.reader(&job.registry, codec, &read)?.repair(job.repair.clone());
        let rules = Rules { on_bad: OnBad::Null, ..rules.clone() };
        Ok(Some(Keys { columns: columns.into(), reader: RowReader::new(reader, Arc::new(rules)) }))
    }

    /// Returns what the children of this type get from a parent.
    pub(super) fn read(&mut self, child: usize, parent: &[u8]) -> ParentKeys {
        let Keys { columns, reader } = self;
        let mut found = Found { columns, child, values: vec![Stored::Null; columns.len()] };
        // What was read before an error is known. Without a filter the values would be the same, for more machine code.
        let _ = reader.read_filtered(1, parent, &mut found);
        ParentKeys(Some(found.values.into()))
    }
}

/// Takes the values of the fields that are wanted.
struct Found<'a> {
    columns: &'a [KeyColumn],
    child: usize,
    values: Vec<Stored>,
}

impl Visitor for Found<'_> {
    type Error = FieldError;

    fn value(&mut self, item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
        let is_it = |column: &KeyColumn| column.fields.contains(&(self.child, item));
        if let Some(index) = self.columns.iter().position(is_it) {
            self.values[index] = Stored::of(value);
        }
        Ok(())
    }
}

/// Returns the key columns, in the order of the options. Fields of several parents with the same name have one column,
/// unless the rows of each type have an output of their own.
fn columns(job: &RowsJob, rules: &Rules) -> Result<Vec<KeyColumn>, Error> {
    let layout = &rules.layout;
    let mut columns: Vec<KeyColumn> = Vec::new();
    for (child, key) in &job.parent_keys {
        let child = layout.find(child).map_err(|error| contradicts("parent", error.what))?;
        let own = rules.types.iter().position(|one| *one == child);
        let Some(parent) = own.and_then(|own| *rules.parents.get(own)?) else {
            return Err(contradicts("parent", format!("{} has no parent", layout.path(child))));
        };
        let parent = rules.types[parent];
        let item = find(rules, parent, key)?;
        let path = layout.path(item);
        let path = path.strip_prefix(layout.path(parent)).and_then(|path| path.strip_prefix('.')).unwrap_or(path);
        let mut name = KeyColumn::PREFIX.to_owned() + path;
        if job.underscores {
            name = name.replace('-', "_");
        }
        let column_type = ColumnType::of_item(layout, item, &rules.dates, job.integers);
        match columns.iter_mut().find(|one| one.name == name && (one.is_of(child) || !job.separate_types)) {
            Some(column) => join(layout, column, (child, item), column_type)?,
            None => columns.push(KeyColumn { name, column_type, fields: vec![(child, item)] }),
        }
    }
    Ok(columns)
}

/// Adds a field to a column.
fn join(layout: &Layout, column: &mut KeyColumn, field: (usize, usize), other: ColumnType) -> Result<(), Error> {
    let (name, paths) = (&column.name, [column.fields[0].1, field.1].map(|item| layout.path(item)));
    if column.fields.contains(&field) || column.is_of(field.0) {
        return Err(contradicts("parent", format!("{}: two keys would have the name {name}", paths[1])));
    }
    let Some(joint) = column.column_type.union(other) else {
        let why = format!("{} and {} would be the column {name}, but have different types", paths[0], paths[1]);
        return Err(contradicts("parent", why));
    };
    column.column_type = joint;
    column.fields.push(field);
    Ok(())
}

/// Finds the field of a record type.
fn find(rules: &Rules, parent: usize, key: &str) -> Result<usize, Error> {
    let layout = &rules.layout;
    let of = layout.path(parent);
    let item = match layout.find(&format!("{of}.{key}")) {
        Ok(item) => item,
        Err(_) => layout.find(key).map_err(|error| contradicts("parent", error.what))?,
    };
    let around = || std::iter::successors(Some(item), |item| layout.parent(*item));
    let bad = |why: String| Err(contradicts("parent", format!("the key {key} {why}")));
    if let Some(other) = around().find(|one| rules.types.contains(one) && *one != parent) {
        return bad(format!("is a field of {}, not of {of}", layout.path(other)));
    }
    if layout.items()[item].kind.is_none() {
        return bad("is a group; name the fields in it".to_owned());
    }
    if around().any(|one| layout.items()[one].occurs.is_some()) {
        return bad("occurs several times, and a key has one value".to_owned());
    }
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Rows;

    const LAYOUT: &str = "01 REC.\n 05 K PIC X.\n 05 HEAD.\n 10 ID PIC X.\n 05 CUSTOMER.\n 10 NAME PIC XX.\n\
                          10 AGE PIC 99.\n 10 BORN.\n 15 YEAR PIC 99.\n 10 TAGS PIC X OCCURS 2.\n\
                          05 ACCOUNT REDEFINES CUSTOMER.\n 10 NAME PIC X(4).\n 10 AGE PIC 9V9.\n 10 OWN PIC XX.\n";

    fn rows(options: &[(&str, &str)]) -> Result<Rows, RowsError> {
        let job = options.iter().try_fold(RowsJob::new().encoding("US-ASCII")?, |job, one| job.set(one.0, one.1))?;
        let job = job.set("when", "K=C: CUSTOMER")?.set("when", "K=A: ACCOUNT")?;
        job.rows(&job.layout(LAYOUT.as_bytes())?)
    }

    /// Returns the names of the key columns and their types, or the error.
    fn columns(options: &[(&str, &str)]) -> String {
        match rows(options) {
            Ok(rows) => {
                rows.key_columns().iter().map(|one| format!("{} {:?};", one.name(), one.column_type())).collect()
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn names_of_keys() {
        let keys = |list: &str| columns(&[("parent", list)]);
        assert_eq!(
            keys("ACCOUNT < CUSTOMER: NAME, head.id, CUSTOMER.BORN.YEAR"),
            "_parent.NAME Text { most: Some(2) };_parent.HEAD.ID Text { most: Some(1) };\
             _parent.BORN.YEAR Decimal { precision: 2, scale: 0 };"
        );
        assert_eq!(keys("ACCOUNT < CUSTOMER:YEAR").split(' ').next(), Some("_parent.BORN.YEAR"));
        assert_eq!(columns(&[("parent", "ACCOUNT < CUSTOMER: AGE"), ("integers", "true")]), "_parent.AGE Int32;");
        let options = [("parent", "ACCOUNT < CUSTOMER: YEAR"), ("dates", "YEAR=YYMMDD"), ("underscores", "true")];
        assert_eq!(columns(&options), "_parent.BORN.YEAR Date;");
        let options = [("parent", "ACCOUNT < CUSTOMER: AGE"), ("dates", "CUSTOMER.AGE=YYMMDD")];
        assert_eq!(columns(&options), "_parent.AGE Date;");
    }

    #[test]
    fn keys_that_cannot_be() {
        for (list, expected) in [
            ("ACCOUNT < CUSTOMER: SIZE", "there is no SIZE"),
            ("ACCOUNT < CUSTOMER: OWN", "the key OWN is a field of ACCOUNT, not of CUSTOMER"),
            ("ACCOUNT < CUSTOMER: BORN", "the key BORN is a group; name the fields in it"),
            ("ACCOUNT < CUSTOMER: TAGS", "the key TAGS occurs several times, and a key has one value"),
            ("ACCOUNT < CUSTOMER: NAME, CUSTOMER.NAME", "CUSTOMER.NAME: two keys would have the name _parent.NAME"),
            (
                "ACCOUNT < CUSTOMER:",
                "\"ACCOUNT < CUSTOMER:\" is not CHILD < PARENT: KEY,..., such as ACCOUNT < CUSTOMER: ID",
            ),
            ("ACCOUNT: NAME", "\"ACCOUNT: NAME\" is not CHILD < PARENT: KEY,..., such as ACCOUNT < CUSTOMER: ID"),
        ] {
            assert_eq!(columns(&[("parent", list)]), format!("option parent: {expected}"));
        }
    }

    #[test]
    fn types_of_shared_columns() {
        use ColumnType::{Bytes, Date, Decimal, Int32, Int64, Text};
        let decimal = |precision, scale| Decimal { precision, scale };
        for (one, other, expected) in [
            (Text { most: Some(2) }, Text { most: Some(4) }, Some(Text { most: Some(4) })),
            (Text { most: Some(2) }, Text { most: None }, Some(Text { most: None })),
            (Bytes { most: Some(2) }, Bytes { most: Some(1) }, Some(Bytes { most: Some(2) })),
            (Int32, Int64, Some(Int64)),
            (Int32, decimal(3, 2), Some(decimal(12, 2))),
            (decimal(5, 2), decimal(7, 1), Some(decimal(8, 2))),
            (decimal(38, 0), decimal(2, 1), None),
            (Date, Date, Some(Date)),
            (Date, Text { most: None }, None),
        ] {
            assert_eq!((one.union(other), other.union(one)), (expected, expected), "{one:?} {other:?}");
        }
    }
}
