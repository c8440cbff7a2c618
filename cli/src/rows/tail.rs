//! The end of a record that its type does not describe, although the layout is as long as the record.
//!
//! In a file whose records all have the same length, a record type that is shorter than the others is filled up, with
//! blanks or with what was in memory.

use crate::args::Rows;
use crate::rows::setup::Setup;
use charpipe::records::Shape;

/// What may follow the part of a record that its type describes, up to the length of the layout. Whatever is longer than
/// the layout is an error.
#[derive(Clone)]
pub(super) enum Tail {
    /// Nothing.
    Nothing,
    /// Any bytes, in a record of at most this length.
    Any { longest: usize },
    /// Blanks, with which `--from-rows` fills up a record, in one of at most this length.
    Blanks { longest: usize, blank: Vec<u8> },
}

impl Tail {
    /// Returns what may follow in records of this shape. If a count determines the length of a record, nothing may: the
    /// count would be wrong.
    pub(super) fn of(args: &Rows, setup: &Setup, shape: &Shape) -> Self {
        let layout = &setup.layout;
        let longest = layout.max_len();
        let has_counts = (0..layout.items().len()).any(|item| layout.counter(item).is_some());
        match shape {
            _ if has_counts => Tail::Nothing,
            _ if !args.exact => Tail::Any { longest },
            Shape::Fixed { .. } => Tail::Blanks { longest, blank: setup.blank() },
            // A record that is written back ends with its type.
            _ => Tail::Nothing,
        }
    }

    /// Returns whether what follows the first `len` bytes of a record is allowed.
    pub(super) fn allows(&self, record: &[u8], len: usize) -> bool {
        let tail = record.get(len..).unwrap_or_default();
        tail.is_empty()
            || match self {
                Tail::Nothing => false,
                Tail::Any { longest } => record.len() <= *longest,
                Tail::Blanks { longest, blank } => {
                    let is_blank = !blank.is_empty() && tail.chunks(blank.len()).all(|bytes| bytes == blank);
                    record.len() <= *longest && is_blank
                }
            }
    }
}
