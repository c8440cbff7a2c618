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
//! | `limits.rs` | limits |

mod clauses;
mod entry;
mod form;
mod grammar;
mod lexical;
mod limits;
mod picture;
mod source;
mod storage;
mod tree;
mod words;

pub use form::CopybookForm;

use super::{BadLayout, ByteOrder, FloatFormat, Layout};
use lexical::{BadText, What};
use source::Source;

/// Reads COBOL copybooks: data description entries, as IBM's Enterprise COBOL and GnuCOBOL accept them.
///
/// ```
/// use charpipe::fields::Copybook;
///
/// let layout = Copybook::new().read(
///     b"       01  ACCOUNT.
///            05  ID          PIC 9(11).
///            05  BALANCE     PIC S9(10)V99 COMP-3.
///            05  OWNER       PIC X(25) OCCURS 2 TIMES.
/// ")?;
/// let balance = layout.find("BALANCE")?;
/// assert_eq!((layout.offset(balance), layout.len_of(balance), layout.max_len()), (Some(11), 7, 68));
///
/// let error = Copybook::new().read(b"01 A.\n   05 B PIC X(3) OCURS 3.\n").unwrap_err();
/// assert!(error.to_string().starts_with("line 2, column 18: found OCURS, expected a clause"));
/// # Ok::<(), charpipe::fields::BadLayout>(())
/// ```
///
/// # What a copybook can contain
///
/// Levels 01 to 49 and 77; 66 and 88 are skipped. All clauses of data description entries, in any order and any case:
/// `PICTURE`, `USAGE`, `SIGN`, `OCCURS` (also `DEPENDING ON`, anywhere), `REDEFINES` and `SYNCHRONIZED` determine the
/// storage, and the others are skipped. Several levels 01 are descriptions of the same record; a copybook may also begin
/// at any other level. An item that redefines a shorter one makes the record longer, as with IBM's and GNU's compilers.
///
/// `COPY`, `REPLACE`, `EXEC` and placeholders such as `:TAG:` are errors: the text has to be as the compiler sees it.
///
/// # Storage
///
/// Lengths and slack bytes are those of Enterprise COBOL for z/OS. An edited picture is a number if it consists of `9`,
/// `Z`, `V`, a point and one sign (`ZZ9.99-`); with other symbols (`Z,ZZ9.99CR`) it is text. `PIC N` and `USAGE NATIONAL` are UTF-16BE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copybook {
    form: CopybookForm,
    graphic_n: bool,
    float: FloatFormat,
    native_order: ByteOrder,
}

impl Default for Copybook {
    fn default() -> Self {
        Copybook { form: CopybookForm::Auto, graphic_n: false, float: FloatFormat::Ibm, native_order: ByteOrder::Big }
    }
}

impl Copybook {
    /// Creates a reader for copybooks of mainframes.
    #[must_use]
    pub fn new() -> Self {
        Copybook::default()
    }

    /// Sets the form of the lines, which is recognised by default.
    #[must_use]
    pub fn form(self, form: CopybookForm) -> Self {
        Copybook { form, ..self }
    }

    /// Sets whether `PIC N` without a usage is double-byte text in the code page of the record and not UTF-16: the
    /// compiler option `NSYMBOL(DBCS)`. The default is false.
    #[must_use]
    pub fn graphic_n(self, graphic_n: bool) -> Self {
        Copybook { graphic_n, ..self }
    }

    /// Sets the format of `COMP-1` and `COMP-2`. The default is [`FloatFormat::Ibm`].
    #[must_use]
    pub fn float(self, float: FloatFormat) -> Self {
        Copybook { float, ..self }
    }

    /// Sets the byte order of usages that depend on the machine: `COMP-1`, `COMP-2`, `COMP-5`, `INDEX`, `BINARY-LONG` and
    /// the like. The default is [`ByteOrder::Big`], as on mainframes; on PCs it is [`ByteOrder::Little`].
    #[must_use]
    pub fn native_order(self, native_order: ByteOrder) -> Self {
        Copybook { native_order, ..self }
    }

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
