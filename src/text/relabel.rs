//! Corrects a document's own label: plans what has to change in an XML declaration.
//!
//! The plan is made once, from what detection found. A name in a declaration is replaced in place. If the target needs
//! a label, a declaration without a name gets one, and a document that is known to be XML but has no declaration gets a
//! declaration.

use std::ops::Range;
use std::sync::Arc;

/// A change in the text, by input byte offsets: the text that `bytes` decode to is replaced with `text`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edit {
    pub(crate) bytes: Range<u64>,
    pub(crate) text: Arc<str>,
}

/// The position of a document's label, or where one could be inserted.
pub(crate) enum Place {
    /// The bytes of the name in a declaration. Empty if the value is empty.
    Name(Range<u64>),
    /// A declaration that names nothing: the offset at which to insert the name, and the quote that the declaration
    /// uses.
    Declaration(u64, char),
    /// There is no declaration: the offset at which the text begins.
    Start(u64),
}

/// Returns the change after which the document declares `name`. `needed`: the target is not what XML assumes if there
/// is not a label.
pub(crate) fn plan(place: Place, name: &str, needed: bool) -> Option<Edit> {
    match place {
        Place::Name(bytes) => Some(Edit { bytes, text: name.into() }),
        Place::Declaration(at, quote) if needed => {
            Some(Edit { bytes: at..at, text: format!(" encoding={quote}{name}{quote}").into() })
        }
        Place::Start(at) if needed => {
            // No white space after it: if the document is an external entity, white space could be content.
            Some(Edit { bytes: at..at, text: format!("<?xml version=\"1.0\" encoding=\"{name}\"?>").into() })
        }
        _ => None,
    }
}
