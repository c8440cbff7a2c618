//! The parent of a record: [`Parent`].

/// The parent of a record.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Parent {
    /// The record has none: its type has no parent, or it has no type.
    #[default]
    None,
    /// The record with this number, from 1.
    Record(u64),
    /// No record of its parent's type precedes it.
    Missing {
        /// The type of the record: the index of an item.
        record_type: usize,
    },
}

impl Parent {
    /// Returns the number of the parent, from 1.
    #[must_use]
    pub fn number(self) -> Option<u64> {
        match self {
            Parent::Record(number) => Some(number),
            Parent::None | Parent::Missing { .. } => None,
        }
    }
}
