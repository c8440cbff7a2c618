//! The options of reading a copybook: [`Copybook`].

use super::CopybookForm;
use super::replace::{self, Pair};
use super::words::is_blank;
use crate::error::{Error, ErrorKind};
use crate::fields::{ByteOrder, FloatFormat, ZonedSigns};
use std::path::PathBuf;

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
/// `EXEC … END-EXEC` and the descriptions of files (`FD`, `SD`, `RD`) are skipped. Constants (level 78, and level 01 with
/// `CONSTANT`) whose value is an integer can be used in `OCCURS` and in pictures. The file can also be a whole program:
/// then its data division is read. Records of a file description share their place too; those of the other sections do
/// not, so that one of them has to be chosen by its [name](Self::record_name).
///
/// `SPECIAL-NAMES` of a program says which characters are currency signs in pictures (`CURRENCY SIGN IS 'EUR' WITH PICTURE
/// SYMBOL 'U'`), and whether the decimal point is a comma. Periods that end no entry are skipped.
///
/// `COPY` is served by directories ([`copy_path`](Self::copy_path)), and placeholders such as `:TAG:` by
/// [`replacing`](Self::replacing); `REPLACE` works as in COBOL.
///
/// # Storage
///
/// Lengths and slack bytes are those of Enterprise COBOL for z/OS. An edited picture is a number if it consists of `9`,
/// `Z`, `V`, a point and one sign (`ZZ9.99-`); with other symbols (`Z,ZZ9.99CR`) it is text. `PIC N` and `USAGE NATIONAL` are UTF-16BE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copybook {
    pub(super) form: CopybookForm,
    pub(super) copy_path: Vec<PathBuf>,
    pub(super) replacing: Vec<Pair>,
    pub(super) decimal_comma: bool,
    pub(super) record_name: Option<String>,
    pub(super) graphic_n: bool,
    pub(super) float: FloatFormat,
    pub(super) native_order: ByteOrder,
    pub(super) zoned_signs: Option<ZonedSigns>,
    /// Fields, and the counts that their values stand for.
    pub(super) count_maps: Vec<(String, Vec<(String, usize)>)>,
}

impl Default for Copybook {
    fn default() -> Self {
        Copybook {
            form: CopybookForm::Auto,
            copy_path: Vec::new(),
            replacing: Vec::new(),
            decimal_comma: false,
            record_name: None,
            graphic_n: false,
            float: FloatFormat::Ibm,
            native_order: ByteOrder::Big,
            zoned_signs: None,
            count_maps: Vec::new(),
        }
    }
}

impl Copybook {
    /// Returns the name of an option that was set and that has no meaning for other layouts.
    pub(crate) fn own_option(&self) -> Option<&'static str> {
        let options = [
            ("copy-path", !self.copy_path.is_empty()),
            ("replacing", !self.replacing.is_empty()),
            ("decimal-comma", self.decimal_comma),
            ("record-name", self.record_name.is_some()),
            ("count-map", !self.count_maps.is_empty()),
            ("zoned-signs", self.zoned_signs.is_some()),
        ];
        options.into_iter().find(|(_, is_set)| *is_set).map(|(name, _)| name)
    }

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

    /// Adds a directory in which `COPY` looks for its members: files with the name of the member, and with the
    /// extension `.cpy`, `.cbl`, `.cob` or `.copy` or none, in any case. A library (`COPY MEMBER OF LIBRARY`) can be a
    /// directory in it. Without such directories no other file is read; WebAssembly has none.
    ///
    /// ```
    /// use charpipe::fields::Copybook;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let directory = directory.path();
    /// std::fs::write(directory.join("Address.cpy"), "           05 :TAG:-CITY PIC X(20).\n")?;
    /// let text = b"       01 CUSTOMER.\n           COPY ADDRESS REPLACING ==:TAG:== BY ==CUST==.\n";
    /// let layout = Copybook::new().copy_path(directory).read(text)?;
    /// assert_eq!(layout.path(1), "CUST-CITY");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn copy_path(mut self, directory: impl Into<PathBuf>) -> Self {
        self.copy_path.push(directory.into());
        self
    }

    /// Adds words to be replaced in the text, as `COPY REPLACING` writes them: `==:TAG:== BY ==CUST==`.
    ///
    /// # Errors
    /// [`ErrorKind::BadOption`](crate::ErrorKind::BadOption) with what was expected.
    pub fn replacing(mut self, pairs: &str) -> Result<Self, Error> {
        let bad = |why: String| Error::from(ErrorKind::BadOption { option: "replacing".to_owned(), why });
        let (found, end) = replace::pairs(pairs, 0).map_err(|(_, why)| bad(why))?;
        if end < pairs.trim_end_matches(is_blank).len() {
            return Err(bad(format!("found {:?} after the replacements", &pairs[end..])));
        }
        self.replacing.extend(found);
        Ok(self)
    }

    /// Sets whether the decimal point of pictures is a comma (`ZZ9,99`), and points are characters between the digits:
    /// `DECIMAL-POINT IS COMMA`. A program can say so itself.
    #[must_use]
    pub fn decimal_comma(self, decimal_comma: bool) -> Self {
        Copybook { decimal_comma, ..self }
    }

    /// Chooses one of several records: the entry of level 01 or 77 with this name. Mistakes in the others do not matter.
    /// It may redefine another one; then it is read by itself.
    #[must_use]
    pub fn record_name(self, name: impl Into<String>) -> Self {
        Copybook { record_name: Some(name.into()), ..self }
    }

    /// Maps the values of a field that an `OCCURS` depends on to counts; see [`Item::count_map`]. So the field may
    /// contain text. The name can be a path.
    ///
    /// ```
    /// use charpipe::fields::Copybook;
    ///
    /// let text = b"01 R.\n   05 SIZE PIC X.\n   05 PART PIC X(2) OCCURS 1 TO 3 DEPENDING ON SIZE.\n";
    /// assert!(Copybook::new().read(text).is_err());
    /// let layout = Copybook::new().count_map("SIZE", [("S", 1), ("L", 3)]).read(text)?;
    /// assert_eq!((layout.min_len(), layout.max_len()), (3, 7));
    /// # Ok::<(), charpipe::fields::BadLayout>(())
    /// ```
    ///
    /// [`Item::count_map`]: crate::fields::Item::count_map
    #[must_use]
    pub fn count_map<V: Into<String>>(
        mut self,
        field: impl Into<String>,
        counts: impl IntoIterator<Item = (V, usize)>,
    ) -> Self {
        let counts = counts.into_iter().map(|(value, count)| (value.into(), count)).collect();
        self.count_maps.push((field.into(), counts));
        self
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

    /// Sets the characters of zoned numbers (`USAGE DISPLAY`). With `None`, the default, they follow from the page of the
    /// record: all signs of ASCII are read, and `{` and `A` to `R` are written. Micro Focus and GnuCOBOL write
    /// [`ZonedSigns::AsciiLowercase`], and do not read the others unless they are told to.
    #[must_use]
    pub fn zoned_signs(self, zoned_signs: Option<ZonedSigns>) -> Self {
        Copybook { zoned_signs, ..self }
    }
}
