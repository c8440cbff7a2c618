//! Hierarchies of records: which record is the parent of another one.
//!
//! A record belongs to the last record of its parent's type before it, as long as that one's own parents are still the
//! last of their types: after a new customer, the accounts of the one before are out of reach.

use super::RowReader;
use super::error::contradicts;
use super::keys::{Keys, ParentKeys};
use super::parent::Parent;
use crate::error::Error;
use crate::fields::Layout;
use std::fmt;

/// For each record type, its parent: an index into the types. Empty if no type has one.
///
/// `pairs` are the names of children and of their parents.
pub(super) fn links(pairs: &[(String, String)], layout: &Layout, types: &[usize]) -> Result<Vec<Option<usize>>, Error> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    if types.is_empty() {
        let why = "the layout has no record types; say with `when` which group applies to which records";
        return Err(contradicts("parent", why));
    }
    let place = |name: &str| {
        let item = layout.find(name).map_err(|error| contradicts("parent", error.what))?;
        types.iter().position(|one| *one == item).ok_or_else(|| {
            let names: Vec<&str> = types.iter().map(|one| layout.path(*one)).collect();
            contradicts("parent", format!("{name} is not a record type; expected one of {}", names.join(", ")))
        })
    };
    let mut links = vec![None; types.len()];
    for (child, parent) in pairs {
        let (of, to) = (place(child)?, place(parent)?);
        if ancestors(&links, to).chain([to]).any(|one| one == of) {
            return Err(contradicts("parent", format!("{child} < {parent}: a type cannot be its own ancestor")));
        }
        if let Some(other) = links[of].replace(to) {
            let other = layout.path(types[other]);
            return Err(contradicts("parent", format!("{child} already has the parent {other}; a type can have one")));
        }
    }
    Ok(links)
}

/// Returns the parent of a type, the parent of that one, and so on.
fn ancestors(links: &[Option<usize>], of: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(links[of], |one| links[*one])
}

/// Finds the parent of each record of an input, one after the other. Made by [`Rows::parents`](super::Rows::parents).
#[derive(Clone)]
pub struct Parents {
    reader: RowReader,
    /// The number of the last record of each type; 0 if there was none.
    last: Vec<u64>,
    /// That of the last record of a type without a parent.
    last_top: u64,
    keys: Option<Keys>,
    /// For each record type, what the last record of its parent's type has in the key columns.
    last_keys: Vec<ParentKeys>,
    /// Those of the parent that was found last.
    found: ParentKeys,
}

impl Parents {
    pub(super) fn new(reader: &RowReader, keys: Option<&Keys>) -> Self {
        let types = reader.rules.types.len();
        let last_keys = if keys.is_some() { vec![ParentKeys::default(); types] } else { Vec::new() };
        let (reader, keys, found) = (reader.clone(), keys.cloned(), ParentKeys::default());
        Parents { reader, last: vec![0; types], last_top: 0, keys, last_keys, found }
    }

    /// Returns the parent of the next record. `number` is the number of the record, from 1.
    ///
    /// Only its type is looked at, so that a record is a parent even if it cannot be read.
    pub fn next(&mut self, number: u64, record: &[u8]) -> Parent {
        let Parents { reader, last, last_top, keys, last_keys, found } = self;
        *found = ParentKeys::default();
        let Some(item) = reader.record_type(record) else { return Parent::None };
        let rules = &reader.rules;
        let Some(own) = rules.types.iter().position(|one| *one == item) else { return Parent::None };
        last[own] = number;
        if let Some(keys) = keys {
            for child in (0..last.len()).filter(|child| rules.parents[*child] == Some(own)) {
                last_keys[child] = keys.read(rules.types[child], record);
            }
        }
        let Some(parent) = rules.parents[own] else {
            *last_top = number;
            return Parent::None;
        };
        let before = last[parent];
        let is_past = ancestors(&rules.parents, parent).any(|one| last[one] > before);
        if before == 0 || is_past || (rules.nest && *last_top > before) {
            return Parent::Missing { record_type: item };
        }
        if keys.is_some() {
            *found = last_keys[own].clone();
        }
        Parent::Record(before)
    }

    /// Returns the [key columns](super::Rows::key_columns) of the parent that the last call of [`next`](Self::next)
    /// found.
    #[must_use]
    pub fn keys(&self) -> &ParentKeys {
        &self.found
    }
}

impl fmt::Debug for Parents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parents").field("last", &self.last).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{AddedColumn, Rows, RowsError, RowsJob};

    /// Customers, accounts, transactions, and notes of customers.
    const LAYOUT: &str = "K 1 1 text\nwhen K=C: CUSTOMER\nA 2 1 text\nwhen K=A: ACCOUNT\nB 2 1 text\n\
                          when K=T: TRANSACTION\nD 2 1 text\nwhen K=N: NOTE\nE 2 1 text\n";

    fn rows(list: &str, layout: &str) -> Result<Rows, RowsError> {
        let job = RowsJob::new().encoding("US-ASCII")?.set("parent", list)?;
        job.rows(&job.layout(layout.as_bytes())?)
    }

    /// Returns the parents of records, each of which is a letter for its type: their numbers, or `-` or `?`.
    fn parents(list: &str, records: &str) -> String {
        let mut parents = rows(list, LAYOUT).unwrap().parents().unwrap();
        let mut found = String::new();
        for (number, kind) in (1..).zip(records.chars()) {
            found += &match parents.next(number, format!("{kind}x").as_bytes()) {
                Parent::None => "-".to_owned(),
                Parent::Record(number) => number.to_string(),
                Parent::Missing { .. } => "?".to_owned(),
            };
        }
        found
    }

    #[test]
    fn the_last_one_before() {
        let list = "ACCOUNT < CUSTOMER, TRANSACTION<ACCOUNT,NOTE < CUSTOMER";
        assert_eq!(parents(list, "CATTNATN"), "-122116".to_owned() + "1");
        assert_eq!(parents(list, "CATCT"), "-12-?", "the accounts of the former customer are out of reach");
        assert_eq!(parents(list, "CATCNAT"), "-12-446");
        assert_eq!(parents(list, "ATCAT"), "?1-34", "an account without a customer has transactions");
        assert_eq!(parents(list, "TNCTN"), "??-?3");
        assert_eq!(parents(list, "CXAT"), "--13", "a record without a type changes nothing");
        assert_eq!(parents("TRANSACTION < CUSTOMER", "CATC T".replace(' ', "").as_str()), "--1-4");
    }

    /// In nested rows, a record of another type without a parent comes between a parent and its children.
    #[test]
    fn parents_of_nested_rows() {
        let job = RowsJob::new().encoding("US-ASCII").unwrap().parent("TRANSACTION", "ACCOUNT").nest(true);
        let found = |job: &RowsJob| {
            let rows = job.rows(&job.layout(LAYOUT.as_bytes()).unwrap()).unwrap();
            let mut parents = rows.parents().unwrap();
            let next = |(number, kind)| parents.next(number, format!("{kind}x").as_bytes()).number().unwrap_or(0);
            (1..).zip("ATCTATXT".chars()).map(next).collect::<Vec<u64>>()
        };
        assert_eq!(found(&job), [0, 1, 0, 0, 0, 5, 0, 5]);
        assert_eq!(found(&job.nest(false)), [0, 1, 0, 1, 0, 5, 0, 5]);
    }

    #[test]
    fn what_nested_rows_cannot_have() {
        let refused = |job: RowsJob| job.rows(&job.layout(LAYOUT.as_bytes()).unwrap()).err().unwrap().to_string();
        let job = RowsJob::new().nest(true);
        assert_eq!(refused(job.clone()), "option nest: needs the option parent, which says what the parents are");
        let job = job.parent("ACCOUNT", "CUSTOMER");
        let rows = job.rows(&job.layout(LAYOUT.as_bytes()).unwrap()).unwrap();
        assert_eq!(rows.added(), [AddedColumn::Number, AddedColumn::Type]);
        let types = rows.record_types();
        assert_eq!((rows.parent_type(types[1]), rows.parent_type(types[0])), (Some(types[0]), None));
        assert!(refused(job.clone().parent_keys("ACCOUNT", ["A"])).contains("cannot have keys with the option nest"));
        assert!(refused(job.add_columns([AddedColumn::Parent])).contains("cannot have parent with the option nest"));
    }

    #[test]
    fn parents_that_cannot_be() {
        for (list, expected) in [
            ("ACCOUNT < BANK", "there is no BANK"),
            ("ACCOUNT < B", "B is not a record type; expected one of CUSTOMER, ACCOUNT, TRANSACTION, NOTE"),
            ("ACCOUNT < ACCOUNT", "ACCOUNT < ACCOUNT: a type cannot be its own ancestor"),
            (
                "ACCOUNT < CUSTOMER, TRANSACTION < ACCOUNT, CUSTOMER < TRANSACTION",
                "CUSTOMER < TRANSACTION: a type cannot be its own ancestor",
            ),
            ("NOTE < CUSTOMER, NOTE < ACCOUNT", "NOTE already has the parent CUSTOMER; a type can have one"),
            ("NOTE", "\"NOTE\" is not CHILD < PARENT, such as ACCOUNT < CUSTOMER"),
            ("A < B < C", "\"A < B < C\" is not CHILD < PARENT, such as ACCOUNT < CUSTOMER"),
            ("< B", "\"< B\" is not CHILD < PARENT, such as ACCOUNT < CUSTOMER"),
        ] {
            let error = rows(list, LAYOUT).err().unwrap().to_string();
            assert_eq!(error, format!("option parent: {expected}"));
        }
        let error = rows("A < B", "A 1 1 text\nB 2 1 text\n").err().unwrap().to_string();
        assert!(error.starts_with("option parent: the layout has no record types; "), "{error}");
    }
}
