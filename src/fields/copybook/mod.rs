//! COBOL copybooks: [`Copybook`] reads one as a [`Layout`].
//!
//! ```text
//! file ─ source ─ text ─ copy ─ text ─ program, grammar ─ entries ─ tree ─ items ─ Layout
//!        lines,          members,      what is skipped,             groups, storage,
//!        columns         constants     clauses, pictures            slack bytes
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `form.rs` | fixed and free form, and telling them apart |
//! | `source.rs` | from lines to text, and back to lines and columns |
//! | `lexical.rs` | words, names, numbers and literals |
//! | `tokens.rs` | a simpler view of the text, for what is found or replaced in it |
//! | `copy.rs`, `members.rs`, `replace.rs` | `COPY`, the files that it reads, and what it replaces |
//! | `constants.rs` | names that stand for numbers |
//! | `program.rs` | what is skipped between entries, and which records are wanted |
//! | `special_names.rs` | what a program says about pictures |
//! | `clauses.rs`, `picture.rs` | the grammars of clauses and of picture strings |
//! | `grammar.rs`, `entry.rs` | the grammar of entries, and what it makes |
//! | `storage.rs` | what a picture and a usage mean in bytes |
//! | `tree.rs` | groups, and the items of the layout |
//! | `words.rs` | the words that begin a clause, and those for usages |
//! | `options.rs` | [`Copybook`]: the options |
//! | `limits.rs` | limits |

mod clauses;
mod constants;
mod copy;
mod entry;
mod form;
mod grammar;
mod lexical;
mod limits;
mod members;
mod options;
mod picture;
mod program;
mod replace;
mod source;
mod special_names;
mod storage;
mod tokens;
mod tree;
mod words;

pub use form::CopybookForm;
pub use options::Copybook;

use super::resolve::find_item;
use super::{BadLayout, Item, Layout};
use lexical::{BadText, What};
use source::Source;
use special_names::SpecialNames;

impl Copybook {
    /// Reads a copybook. It is text in UTF-8 or ISO 8859-1.
    ///
    /// # Errors
    /// [`BadLayout`] with the line and column, what was found, and what was expected. If the form was not given, the
    /// error comes from the form in which more of the file can be read.
    pub fn read(&self, file: &[u8]) -> Result<Layout, BadLayout> {
        source::check_file(file)?;
        let text = source::decode(file);
        let (is_fixed, is_certain) = match self.form {
            CopybookForm::Fixed => (true, true),
            CopybookForm::Free => (false, true),
            CopybookForm::Auto => form::likely(source::lines(&text)),
        };
        let forms = if is_certain { &[is_fixed][..] } else { &[is_fixed, !is_fixed] };
        // Each member has its likely form, unless only one for all of them fits.
        let members = match self.form {
            CopybookForm::Auto if !self.copy_path.is_empty() => CopybookForm::ALL,
            _ => &[self.form],
        };
        let mut refused = match self.read_as(&text, is_fixed, self.form) {
            Ok(layout) => return Ok(layout),
            Err(refused) => refused,
        };
        let trials = members.iter().flat_map(|members| forms.iter().map(move |form| (*form, *members)));
        for (is_fixed, members) in trials.skip(1) {
            match self.read_as(&text, is_fixed, members) {
                Ok(layout) => return Ok(layout),
                Err(other) if other.is_further_than(&refused) => refused = other,
                Err(_) => {}
            }
        }
        Err(refused.error)
    }

    /// Reads the text of a copybook in one of the two forms, and its members in the form `members`.
    fn read_as(&self, text: &str, is_fixed: bool, members: CopybookForm) -> Result<Layout, Refused> {
        let source = Source::read(text, is_fixed).map_err(|error| Refused { got: Got::Lines(error.line), error })?;
        if source.text.trim_matches(words::is_blank).is_empty() {
            let found = match (text.trim().is_empty(), self.form == CopybookForm::Fixed) {
                (true, _) => "the copybook is empty",
                (false, true) => "columns 7 to 72 of the copybook have only comments",
                (false, false) => "the copybook has only comments",
            };
            let what = format!("{found}: expected entries such as 01 CUSTOMER. and 05 NAME PIC X(10).");
            return Err(Refused { got: Got::Lines(0), error: BadLayout::at(1, 1, what) });
        }
        let unread = |error| Refused { got: Got::Copies, error };
        let source = copy::expanded(source, self, members).map_err(unread)?;
        let edits = constants::edits(&source.text);
        let source = source.edited(&edits).map_err(unread)?;
        let mut names = SpecialNames::of(&source.text);
        names.decimal_comma |= self.decimal_comma;
        let error = |bad: BadText<'_>| {
            let message = match bad.what {
                What::Expected(what) => format!("found {}, expected {what}", lexical::found(bad.rest)),
                What::Message(message) => message.into_owned(),
            };
            source.error(bad.rest, message)
        };
        let wanted = program::wanted(&source.text, self.record_name.as_deref());
        let entries = wanted.and_then(|(text, end)| grammar::entries(text, end, &names)).map_err(|bad| {
            let is_at_end = bad.rest.trim_matches(words::is_blank).is_empty();
            let line = source.line_of_copybook(bad.rest);
            Refused { got: if is_at_end { Got::End } else { Got::Entries(line) }, error: error(bad) }
        })?;
        let unfit = |error| Refused { got: Got::AllEntries, error };
        let made = tree::items(self, &entries).map_err(|bad| unfit(error(bad)))?;
        self.layout(made.items).map_err(|error| {
            let place = error.item.and_then(|item| made.places.get(item));
            unfit(place.map_or_else(|| error.clone(), |rest| source.error(rest, error.what.clone())))
        })
    }

    /// Makes the layout of the items, with what the values of their counts stand for.
    fn layout(&self, mut items: Vec<Item>) -> Result<Layout, BadLayout> {
        for (name, counts) in &self.count_maps {
            let bad = |what: &str| BadLayout::at(0, 0, format!("the count map of {name}: {what}"));
            let found = find_item(&items, name).map_err(|error| bad(&error.what))?;
            let map = &mut items[found].count_map;
            match map.is_empty() {
                true => map.clone_from(counts),
                false => return Err(bad("it has one already")),
            }
        }
        let layout = Layout::new(items)?;
        let counters: Vec<_> = (0..layout.items().len()).filter_map(|item| layout.counter(item)).collect();
        let is_unused = |(index, item): &(usize, &Item)| !item.count_map.is_empty() && !counters.contains(index);
        match layout.items().iter().enumerate().find(is_unused) {
            Some((index, _)) => {
                let path = layout.path(index);
                Err(BadLayout::at(0, 0, format!("the count map of {path}: no array depends on it")))
            }
            None => Ok(layout),
        }
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
    /// The files that it copies cannot be read.
    Copies,
}

impl Refused {
    /// Whether more of the copybook can be read than in the form that is likelier.
    fn is_further_than(&self, likely: &Refused) -> bool {
        match (&self.got, &likely.got) {
            (Got::Lines(_) | Got::End | Got::Copies, _) => false,
            (Got::Entries(line), Got::Lines(likely)) => line > likely,
            (got, likely) => got > likely,
        }
    }
}
