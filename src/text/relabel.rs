//! Makes the document's own label true again: what has to change in an XML declaration.
//!
//! A plan, made once from what detection read. The name in a declaration is replaced where it stands; a declaration
//! without a name gets one, and a document known to be XML without a declaration gets one, where the target needs it.

use std::ops::Range;

/// A change in the text, at input byte offsets: what `bytes` decode to becomes `text`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edit {
    pub(crate) bytes: Range<u64>,
    pub(crate) text: String,
}

/// Where a document's label is or would be.
pub(crate) enum Place {
    /// In a declaration, and the bytes of the name; none of them where the value is empty.
    Name(Range<u64>),
    /// In a declaration that names nothing: where the name would go in, and the quote that the declaration uses.
    Declaration(u64, char),
    /// There is no declaration: where the text begins.
    Start(u64),
}

/// The change that makes the document say `name`. `needed`: the target isn't what XML assumes without a label.
pub(crate) fn plan(place: Place, name: &str, needed: bool) -> Option<Edit> {
    match place {
        Place::Name(bytes) => Some(Edit { bytes, text: name.to_owned() }),
        Place::Declaration(at, quote) if needed => {
            Some(Edit { bytes: at..at, text: format!(" encoding={quote}{name}{quote}") })
        }
        Place::Start(at) if needed => {
            // Nothing after it: white space could be content, where the document is an external entity.
            Some(Edit { bytes: at..at, text: format!("<?xml version=\"1.0\" encoding=\"{name}\"?>") })
        }
        _ => None,
    }
}
