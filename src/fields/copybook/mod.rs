//! COBOL copybooks: [`Copybook`] reads one as a [`Layout`].
//!
//! ```text
//! file ─ source ─ text ─ program, grammar ─ entries ─ tree ─ items ─ Layout
//!        lines,          what is skipped,             groups, storage,
//!        columns         clauses, pictures            slack bytes
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `form.rs` | fixed and free form, and telling them apart |
//! | `source.rs` | from lines to text, and back to lines and columns |
//! | `lexical.rs` | words, names, numbers and literals |
//! | `tokens.rs` | a simpler view of the text, for what is found or replaced in it |
//! | `constants.rs` | names that stand for numbers |
//! | `program.rs` | what is skipped between entries, and which records are wanted |
//! | `clauses.rs`, `picture.rs` | the grammars of clauses and of picture strings |
//! | `grammar.rs`, `entry.rs` | the grammar of entries, and what it makes |
//! | `storage.rs` | what a picture and a usage mean in bytes |
//! | `tree.rs` | groups, and the items of the layout |
//! | `words.rs` | the words that begin a clause, and those for usages |
//! | `options.rs` | [`Copybook`]: the options |
//! | `limits.rs` | limits |

mod clauses;
mod constants;
mod entry;
mod form;
mod grammar;
mod lexical;
mod limits;
mod options;
mod picture;
mod program;
mod source;
mod storage;
mod tokens;
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
    /// [`BadLayout`] with the line and column, what was found, and what was expected. If the form was not given, the
    /// error is that of the form in which more of the file can be read.
    pub fn read(&self, file: &[u8]) -> Result<Layout, BadLayout> {
        check_file(file)?;
        let text = source::decode(file);
        let (is_fixed, is_certain) = match self.form {
            CopybookForm::Fixed => (true, true),
            CopybookForm::Free => (false, true),
            CopybookForm::Auto => form::likely(source::lines(&text)),
        };
        let likely = match self.read_as(&text, is_fixed) {
            Err(refused) if !is_certain => refused,
            done => return done.map_err(|refused| refused.error),
        };
        match self.read_as(&text, !is_fixed) {
            Err(other) if other.is_further_than(&likely) => Err(other.error),
            Err(_) => Err(likely.error),
            Ok(layout) => Ok(layout),
        }
    }

    /// Reads the text of a copybook in one of the two forms.
    fn read_as(&self, text: &str, is_fixed: bool) -> Result<Layout, Refused> {
        let source = Source::read(text, is_fixed).map_err(|error| Refused { got: Got::Lines(error.line), error })?;
        let edits = constants::edits(&source.text);
        let source = source.edited(&edits);
        let error = |bad: BadText<'_>| {
            let message = match bad.what {
                What::Expected(what) => format!("found {}, expected {what}", lexical::found(bad.rest)),
                What::Message(message) => message.into_owned(),
            };
            source.error(bad.rest, message)
        };
        let wanted = program::wanted(&source.text, self.record_name.as_deref());
        let entries = wanted.and_then(|(text, end)| grammar::entries(text, end)).map_err(|bad| {
            let is_at_end = bad.rest.trim_matches(words::is_blank).is_empty();
            let error = error(bad);
            Refused { got: if is_at_end { Got::End } else { Got::Entries(error.line) }, error }
        })?;
        let unfit = |error| Refused { got: Got::AllEntries, error };
        let made = tree::items(self, &entries).map_err(|bad| unfit(error(bad)))?;
        Layout::new(made.items).map_err(|error| {
            let place = error.item.and_then(|item| made.places.get(item));
            unfit(place.map_or_else(|| error.clone(), |rest| source.error(rest, error.what.clone())))
        })
    }
}

/// Why a copybook cannot be read in one of the two forms.
struct Refused {
    error: BadLayout,
    got: Got,
}

/// How much of a copybook can be read.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Got {
    /// Its lines are not those of the form; this one is the first such line.
    Lines(usize),
    /// The entries up to this line.
    Entries(usize),
    /// Everything; the end is missing.
    End,
    /// All entries, which do not fit together.
    AllEntries,
}

impl Refused {
    /// Whether more of the copybook can be read than in the form that is likelier.
    fn is_further_than(&self, likely: &Refused) -> bool {
        match (&self.got, &likely.got) {
            (Got::Lines(_), _) | (Got::End, _) => false,
            (Got::Entries(line), Got::Lines(likely)) => line > likely,
            (got, likely) => got > likely,
        }
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
