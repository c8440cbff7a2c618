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
    /// One after the other, with nothing between them. The length of each record is the length of the layout, or of its
    /// record type and its arrays if these vary; or it comes from [a field](crate::rows::RowsJob::length_field) or [a
    /// map of its values](crate::rows::RowsJob::length_map).
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
