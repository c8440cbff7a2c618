//! COBOL copybooks: [`Copybook`] reads one as a [`Layout`].
//!
//! ```text
//! file ─ source ─ text ─ grammar ─ entries ─ tree ─ items ─ Layout
//!        lines,          clauses,            groups, storage,
//!        columns         pictures            slack bytes
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `form.rs` | fixed and free form, and telling them apart |
//! | `source.rs` | from lines to text, and back to lines and columns |
//! | `lexical.rs` | words, names, numbers and literals |
//! | `clauses.rs`, `picture.rs` | the grammars of clauses and of picture strings |
//! | `grammar.rs`, `entry.rs` | the grammar of entries, and what it makes |
//! | `storage.rs` | what a picture and a usage mean in bytes |
//! | `tree.rs` | groups, and the items of the layout |
//! | `words.rs` | the words that begin a clause, and those for usages |
//! | `options.rs` | [`Copybook`]: the options |
//! | `limits.rs` | limits |

mod clauses;
mod entry;
mod form;
mod grammar;
mod lexical;
mod limits;
mod options;
mod picture;
mod source;
mod storage;
mod tree;
mod words;

pub use form::CopybookForm;
pub use options::Copybook;

use super::{BadLayout, Layout};
use lexical::{BadText, What};
use source::Source;

impl Copybook {
    /// Reads a copybook. It is text in UTF-8 or ISO 8859-1.
    ///
    /// # Errors
    /// [`BadLayout`] with the line and column, what was found, and what was expected.
    pub fn read(&self, file: &[u8]) -> Result<Layout, BadLayout> {
        check_file(file)?;
        let source = Source::read(file, self.form)?;
        let error = |bad: BadText<'_>| {
            let message = match bad.what {
                What::Expected(what) => format!("found {}, expected {what}", lexical::found(bad.rest)),
                What::Message(message) => message.into_owned(),
            };
            source.error(bad.rest, message)
        };
        let entries = grammar::entries(&source.text).map_err(error)?;
        let made = tree::items(self, &entries).map_err(error)?;
        Layout::new(made.items).map_err(|error| {
            let place = error.item.and_then(|item| made.places.get(item));
            place.map_or_else(|| error.clone(), |rest| source.error(rest, error.what.clone()))
        })
    }
}

/// Fails for a file that cannot be a copybook, whatever its lines are.
fn check_file(file: &[u8]) -> Result<(), BadLayout> {
    if file.len() > limits::MAX_FILE {
        return Err(BadLayout::at(1, 1, format!("the copybook is longer than {} bytes", limits::MAX_FILE)));
    }
    let Some(at) = file.iter().position(|byte| *byte == 0) else { return check_ebcdic(file) };
    let line = file[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
    Err(BadLayout::at(
        line,
        0,
        "found a byte 00, which a copybook cannot contain: if this is a copybook, convert it to UTF-8",
    ))
}

/// Fails for a file that is in EBCDIC: it has blanks of EBCDIC, and none of ASCII.
fn check_ebcdic(file: &[u8]) -> Result<(), BadLayout> {
    let count = |wanted: u8| file.iter().filter(|byte| **byte == wanted).count();
    if count(0x40) > file.len() / 10 && count(b' ') == 0 {
        return Err(BadLayout::at(1, 1, "the copybook is in EBCDIC: convert it to UTF-8 first"));
    }
    Ok(())
}
