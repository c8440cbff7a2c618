//! The error for a row that does not match a type: [`BadRow`].

use std::fmt;

/// The error for a row that does not match a type: the position and the problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadRow(Box<Details>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Details {
    path: String,
    what: String,
    /// The innermost place on the tape.
    node: Option<usize>,
}

impl BadRow {
    #[cold]
    pub(super) fn new(what: impl Into<String>) -> Self {
        BadRow(Box::new(Details { path: String::new(), what: what.into(), node: None }))
    }

    /// Returns the path of the value, with the numbers of occurrences: `CUSTOMER.PHONE[2]`. Empty if the error is in
    /// the row as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns a description of the problem.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// Returns the same error inside of the value with this name.
    #[cold]
    pub(super) fn within(mut self, name: &str) -> Self {
        let separator = if self.0.path.is_empty() || self.0.path.starts_with('[') { "" } else { "." };
        self.0.path = format!("{name}{separator}{}", self.0.path);
        self
    }

    /// Returns the same error inside of the element of an array, counted from 0.
    #[cold]
    pub(super) fn in_element(self, index: usize) -> Self {
        self.within(&format!("[{}]", index + 1))
    }

    /// Returns the same error with its place on the tape, unless it is known.
    #[cold]
    pub(super) fn at_node(mut self, node: Option<usize>) -> Self {
        self.0.node = self.0.node.or(node);
        self
    }

    pub(super) fn node(&self) -> Option<usize> {
        self.0.node
    }
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0.path {
            "" => f.write_str(&self.0.what),
            path => write!(f, "field {path}: {}", self.0.what),
        }
    }
}

impl std::error::Error for BadRow {}

impl serde::de::Error for BadRow {
    fn custom<T: fmt::Display>(what: T) -> Self {
        BadRow::new(what.to_string())
    }
}

impl serde::ser::Error for BadRow {
    fn custom<T: fmt::Display>(what: T) -> Self {
        BadRow::new(what.to_string())
    }
}
