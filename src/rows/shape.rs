//! How the records of an input are stored: [`StoredAs`].

use crate::records::{BadShape, Shape};
use std::fmt;
use std::str::FromStr;

/// How the records of an input are stored.
///
/// ```
/// use charpipe::records::Shape;
/// use charpipe::rows::StoredAs;
///
/// assert_eq!("rdw".parse(), Ok(StoredAs::Shape(Shape::RDW)));
/// assert_eq!("auto".parse(), Ok(StoredAs::Auto));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum StoredAs {
    /// One after the other, with nothing between them: the layout says how long each record is. That is its own length;
    /// the length of its record type and of its arrays, if these have different ones; or what
    /// [a field](crate::rows::RowsJob::length_field) or [its value](crate::rows::RowsJob::length_map) says.
    #[default]
    Layout,
    /// In this shape.
    Shape(Shape),
    /// In the shape that the first bytes of the input show, if it is certain ([`look`](crate::records::look)).
    Auto,
}

impl FromStr for StoredAs {
    type Err = BadShape;

    fn from_str(text: &str) -> Result<Self, BadShape> {
        match text {
            _ if text.eq_ignore_ascii_case("auto") => Ok(StoredAs::Auto),
            "layout" => Ok(StoredAs::Layout),
            _ => text.parse().map(StoredAs::Shape),
        }
    }
}

impl fmt::Display for StoredAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoredAs::Layout => f.write_str("layout"),
            StoredAs::Shape(shape) => shape.fmt(f),
            StoredAs::Auto => f.write_str("auto"),
        }
    }
}
