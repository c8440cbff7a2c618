//! The data description entries of a copybook, as they are written. The grammar makes them, and the tree is built from
//! them.

use super::picture::Picture;
use super::words::Usage;
use crate::fields::SignPlace;

/// A part of an entry, and the text from its place on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placed<'a, T> {
    pub(super) rest: &'a str,
    pub(super) value: T,
}

/// A data description entry with a level from 1 to 49, or 77.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) level: Placed<'a, u8>,
    /// `None` for `FILLER` and for an entry without a name.
    pub(super) name: Option<&'a str>,
    pub(super) clauses: Clauses<'a>,
}

/// The clauses that say something about the storage. The others (`VALUE`, `JUSTIFIED` …) are only checked for their
/// syntax.
#[derive(Default, Debug)]
pub(super) struct Clauses<'a> {
    pub(super) redefines: Option<Placed<'a, &'a str>>,
    pub(super) picture: Option<Placed<'a, (&'a str, Picture)>>,
    pub(super) usage: Option<Placed<'a, Usage>>,
    pub(super) sign: Option<Placed<'a, SignPlace>>,
    pub(super) occurs: Option<Placed<'a, Occurs<'a>>>,
    pub(super) sync: Option<Placed<'a, ()>>,
    /// Whether there is `BLANK WHEN ZERO`.
    pub(super) blank_when_zero: bool,
}

/// How a number of times is written: `OCCURS 5`, `OCCURS 1 TO 5 DEPENDING ON COUNT OF GROUP`.
#[derive(Debug)]
pub(super) struct Occurs<'a> {
    pub(super) min: u32,
    pub(super) max: u32,
    /// The name after `DEPENDING ON`, then the groups that contain it, from the inside out.
    pub(super) depending: Option<Placed<'a, Vec<&'a str>>>,
}

impl Usage {
    /// Returns how the usage is called in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Usage::Display => "DISPLAY",
            Usage::Graphic => "DISPLAY-1",
            Usage::National => "NATIONAL",
            Usage::Binary => "COMP",
            Usage::Native => "COMP-5",
            Usage::Little => "COMP-9",
            Usage::Fewest => "COMP-X",
            Usage::Float => "COMP-1",
            Usage::Double => "COMP-2",
            Usage::Packed => "COMP-3",
            Usage::Unsigned => "COMP-6",
            Usage::Integer(1, _) => "BINARY-CHAR",
            Usage::Integer(2, _) => "BINARY-SHORT",
            Usage::Integer(4, _) => "BINARY-LONG",
            Usage::Integer(..) => "BINARY-DOUBLE",
            Usage::Index => "INDEX",
            Usage::Address(_) => "POINTER",
        }
    }

    /// Returns whether an item of this usage needs a picture. The others must not have one.
    pub(super) fn needs_picture(self) -> bool {
        !matches!(self, Usage::Float | Usage::Double | Usage::Integer(..) | Usage::Index | Usage::Address(_))
    }
}
