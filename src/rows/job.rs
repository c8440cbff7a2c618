//! The builder of a rows job: [`RowsJob`].

use super::added::AddedColumn;
use super::date::DatePattern;
use super::error::RowsError;
use super::error::contradicts;
use super::shape::StoredAs;
use super::text::TextPolicy;
use crate::codec::Codec;
use crate::error::Error;
use crate::fields::is_field_list;
use crate::fields::{
    BadLayout, BinaryRange, ByteOrder, Copybook, CopybookForm, FloatFormat, Layout, LengthFrom, OnBad, ReadOptions,
    Repair, Rule, Trim, ZonedSigns,
};
use crate::records::overlong::OnOverlong;
use crate::records::{Shape, Skip, TapeFile};
use crate::registry::Registry;
use crate::text::controls::OnControl;
use crate::text::eol::OnNewlineInRecord;
use crate::transcoder::OnMalformed;
use crate::transcoder::byte_page::{BytePage, contains_ascii};
use crate::transcoder::faults::replacement;
use crate::words::words;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// The page of records if none was named: that of the United States, as for EBCDIC in conversions.
const DEFAULT_PAGE: &str = "IBM037";

/// How a layout is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[non_exhaustive]
pub enum LayoutFormat {
    /// Its contents show it: a field list or a copybook in either form; JSON if it begins with a brace or a bracket.
    #[default]
    Auto,
    /// A COBOL copybook. Its lines show whether they are in fixed or in free form.
    Copybook,
    /// A COBOL copybook in fixed form.
    CopybookFixed,
    /// A COBOL copybook in free form.
    CopybookFree,
    /// A field list.
    Fields,
    /// JSON of mainframe-data-utilities or ebcdic-parser (feature `json-layouts`).
    Json,
}

words! {
    LayoutFormat {
        Auto: "auto", Copybook: "copybook", CopybookFixed: "copybook-fixed", CopybookFree: "copybook-free",
        Fields: "fields", Json: "json",
    }
}

/// The options for the length of records without headers.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum LengthOption {
    /// A field, with what is added to its value or subtracted from it, if that is not part of its name.
    Field(String),
    Map(LengthFrom),
}

impl LengthOption {
    /// Returns the name of the option.
    pub(super) fn name(&self) -> &'static str {
        match self {
            LengthOption::Field(_) => "length-field",
            LengthOption::Map(_) => "length-map",
        }
    }

    /// Returns what it means for this layout.
    pub(super) fn of(&self, layout: &Layout) -> LengthFrom {
        let field = match self {
            LengthOption::Map(map) => return map.clone(),
            LengthOption::Field(field) => field,
        };
        let sum = field.rfind(['+', '-']).map(|at| (field[..at].trim(), field[at..].parse()));
        match sum {
            Some((name, Ok(more))) if layout.find(field).is_err() => LengthFrom::Field { name: name.to_owned(), more },
            _ => LengthFrom::Field { name: field.clone(), more: 0 },
        }
    }
}

/// Configures a rows job: the layout, the code page, how records are stored, and how invalid values are handled.
///
/// ```
/// use charpipe::fields::{FieldError, Value, Visitor};
/// use charpipe::rows::RowsJob;
///
/// struct Line(String);
///
/// impl Visitor for Line {
///     type Error = FieldError;
///
///     fn value(&mut self, _item: usize, _column: usize, value: Value<'_>) -> Result<(), FieldError> {
///         self.0 += &format!("{value};");
///         Ok(())
///     }
/// }
///
/// let job = RowsJob::new().encoding("IBM037")?.date("BORN", "YYYYMMDD".parse()?);
/// let rows = job.rows(&job.layout(b"NAME 1 4 text\nBORN 5 8 zoned,unsigned\n")?)?;
/// let input = b"\xD1\x96\x85\x40\xF1\xF9\xF9\xF9\xF1\xF2\xF3\xF1";
/// let (shape, input) = rows.open(&input[..])?;
/// let (mut records, mut reader, mut line) = (rows.records(input, &shape), rows.reader(&shape), Line(String::new()));
/// while let Some(record) = records.next_record()? {
///     reader.read(record.number, record.data, &mut line)?;
/// }
/// assert_eq!(line.0, "Joe;1999-12-31;");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RowsJob {
    pub(super) registry: Registry,
    pub(super) codec: Option<Arc<dyn Codec>>,
    format: LayoutFormat,
    copybook: Copybook,
    rules: Vec<Rule>,
    varchar: bool,
    group_texts: bool,
    /// Fields, and their indicators.
    null_indicators: Vec<(String, String)>,
    /// Record types, and the types of their parents.
    pub(super) parents: Vec<(String, String)>,
    /// Record types, and fields of their parents that are columns of theirs.
    pub(super) parent_keys: Vec<(String, String)>,
    pub(super) records: Option<StoredAs>,
    pub(super) length_from: Option<LengthOption>,
    pub(super) tape_file: Option<TapeFile>,
    pub(super) skip_head: Skip,
    pub(super) skip_tail: Skip,
    pub(super) record_prefix: u16,
    pub(super) record_suffix: u16,
    pub(super) to_records: Option<Shape>,
    pub(super) binary_range: BinaryRange,
    pub(super) read: ReadOptions,
    pub(super) repair: Option<Repair>,
    pub(super) added: Vec<AddedColumn>,
    pub(super) separate_types: bool,
    pub(super) nest: bool,
    pub(super) dates: Vec<(String, DatePattern)>,
    pub(super) text: TextPolicy,
    pub(super) integers: bool,
    pub(super) underscores: bool,
    pub(super) jobs: NonZeroUsize,
}

impl Default for RowsJob {
    fn default() -> Self {
        RowsJob {
            registry: Registry::builtin(),
            codec: None,
            format: LayoutFormat::Auto,
            copybook: Copybook::new(),
            rules: Vec::new(),
            varchar: false,
            group_texts: false,
            null_indicators: Vec::new(),
            parents: Vec::new(),
            parent_keys: Vec::new(),
            records: None,
            length_from: None,
            tape_file: None,
            skip_head: Skip::Bytes(0),
            skip_tail: Skip::Bytes(0),
            record_prefix: 0,
            record_suffix: 0,
            to_records: None,
            binary_range: BinaryRange::Full,
            read: ReadOptions::new(),
            repair: None,
            added: Vec::new(),
            separate_types: false,
            nest: false,
            dates: Vec::new(),
            text: TextPolicy { controls: OnControl::Keep, newlines: OnNewlineInRecord::Keep },
            integers: false,
            underscores: false,
            jobs: NonZeroUsize::MIN,
        }
    }
}

/// The options, in the order of [`OPTIONS`](Self::OPTIONS).
impl RowsJob {
    /// Creates a job with the defaults: records in IBM037 that all have the length of the layout, and an error for
    /// anything that is not as the layout says.
    #[must_use]
    pub fn new() -> Self {
        RowsJob::default()
    }

    /// Sets the registry in which code pages are looked up. The default has the built-in ones. To be called before
    /// [`encoding`](Self::encoding).
    #[must_use]
    pub fn registry(self, registry: Registry) -> Self {
        RowsJob { registry, ..self }
    }

    /// Sets how the layout is written. By default its contents show it.
    #[must_use]
    pub fn layout_format(mut self, format: LayoutFormat) -> Self {
        let form = match format {
            LayoutFormat::CopybookFixed => CopybookForm::Fixed,
            LayoutFormat::CopybookFree => CopybookForm::Free,
            _ => CopybookForm::Auto,
        };
        self.format = format;
        self.copybook = self.copybook.form(form);
        self
    }

    /// Adds a directory in which `COPY` in a copybook looks for its members; see [`Copybook::copy_path`].
    #[must_use]
    pub fn copy_path(self, directory: impl Into<PathBuf>) -> Self {
        RowsJob { copybook: self.copybook.copy_path(directory), ..self }
    }

    /// Adds words to be replaced in a copybook, such as `==:TAG:== BY ==CUST==`; see [`Copybook::replacing`].
    ///
    /// # Errors
    /// [`ErrorKind::BadOption`](crate::ErrorKind::BadOption).
    pub fn replacing(self, pairs: &str) -> Result<Self, Error> {
        Ok(RowsJob { copybook: self.copybook.replacing(pairs)?, ..self })
    }

    /// Sets whether the decimal point of pictures in a copybook is a comma; see [`Copybook::decimal_comma`].
    #[must_use]
    pub fn decimal_comma(self, decimal_comma: bool) -> Self {
        RowsJob { copybook: self.copybook.decimal_comma(decimal_comma), ..self }
    }

    /// Chooses a record of a copybook by its name; see [`Copybook::record_name`].
    #[must_use]
    pub fn record_name(self, name: &str) -> Self {
        RowsJob { copybook: self.copybook.record_name(name), ..self }
    }

    /// Maps the values of a field that an `OCCURS` of a copybook depends on to counts; see [`Copybook::count_map`].
    #[must_use]
    pub fn count_map<V: Into<String>>(
        self,
        field: impl Into<String>,
        counts: impl IntoIterator<Item = (V, usize)>,
    ) -> Self {
        RowsJob { copybook: self.copybook.count_map(field, counts), ..self }
    }

    /// Sets the format of COMP-1 and COMP-2 in a copybook; see [`Copybook::float`].
    #[must_use]
    pub fn float(self, float: FloatFormat) -> Self {
        RowsJob { copybook: self.copybook.float(float), ..self }
    }

    /// Sets the byte order of COMP-5 and the like in a copybook; see [`Copybook::native_order`].
    #[must_use]
    pub fn byte_order(self, order: ByteOrder) -> Self {
        RowsJob { copybook: self.copybook.native_order(order), ..self }
    }

    /// Sets the characters of zoned numbers in a copybook; see [`Copybook::zoned_signs`].
    #[must_use]
    pub fn zoned_signs(self, signs: Option<ZonedSigns>) -> Self {
        RowsJob { copybook: self.copybook.zoned_signs(signs), ..self }
    }

    /// Adds a condition of a record type to the layout; see [`Layout::apply`].
    #[must_use]
    pub fn when(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Adds a parent to a record type: the records of `child` belong to the last record of the type `parent` before
    /// them, unless a record of a type above that came between the two. Rows then have the columns
    /// [`Number`](AddedColumn::Number) and [`Parent`](AddedColumn::Parent).
    #[must_use]
    pub fn parent(mut self, child: impl Into<String>, parent: impl Into<String>) -> Self {
        self.parents.push((child.into(), parent.into()));
        self
    }

    /// Adds columns with fields of the [parent](Self::parent) to the rows of a record type: `_parent.ID` has the value
    /// that the field `ID` has in the parent of the record. The value is null if there is no parent, or if the field
    /// cannot be read.
    #[must_use]
    pub fn parent_keys<N: Into<String>>(mut self, child: impl Into<String>, keys: impl IntoIterator<Item = N>) -> Self {
        let child = child.into();
        self.parent_keys.extend(keys.into_iter().map(|key| (child.clone(), key.into())));
        self
    }

    /// Sets whether a group of a length and a text at level 49 is one field; see [`Layout::varchars`].
    #[must_use]
    pub fn varchar(self, varchar: bool) -> Self {
        RowsJob { varchar, ..self }
    }

    /// Sets whether each group of characters is also read as one text; see [`Layout::group_texts`].
    #[must_use]
    pub fn group_texts(self, group_texts: bool) -> Self {
        RowsJob { group_texts, ..self }
    }

    /// Adds a field that says whether another one has a value; see [`Layout::null_indicator`].
    #[must_use]
    pub fn null_indicator(mut self, field: impl Into<String>, indicator: impl Into<String>) -> Self {
        self.null_indicators.push((field.into(), indicator.into()));
        self
    }

    /// Sets the code page of the records, in both directions. The default is IBM037.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`](crate::ErrorKind::UnknownLabel) and
    /// [`ErrorKind::UnsupportedLabel`](crate::ErrorKind::UnsupportedLabel).
    pub fn encoding(mut self, label: &str) -> Result<Self, Error> {
        let is_default = label.eq_ignore_ascii_case("auto");
        self.codec = if is_default { None } else { Some(self.registry.codec(label)?) };
        Ok(self)
    }

    /// Sets how the records of the input are stored. By default, all have the length of the layout, which must be the
    /// same for all then.
    #[must_use]
    pub fn records(self, records: StoredAs) -> Self {
        RowsJob { records: Some(records), ..self }
    }

    /// Names the field that contains the length of its record, for records that [nothing frames](StoredAs::Layout): a
    /// number in a fixed place. `LEN+4` and `LEN-4` are its value plus and minus four bytes. If the layout has a field
    /// `LEN-4`, that is the one.
    ///
    /// ```
    /// use charpipe::rows::RowsJob;
    ///
    /// let job = RowsJob::new().length_field("LEN");
    /// let rows = job.rows(&job.layout(b"LEN 1 1 binary\nTEXT 2 3 text")?)?;
    /// let (shape, input) = rows.open(&b"\x02\xC1\x04\xC1\xC2\xC3"[..])?;
    /// let mut records = rows.records(input, &shape);
    /// assert_eq!(records.next_record()?.unwrap().data, b"\x02\xC1");
    /// assert_eq!(records.next_record()?.unwrap().data, b"\x04\xC1\xC2\xC3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn length_field(self, field: impl Into<String>) -> Self {
        RowsJob { length_from: Some(LengthOption::Field(field.into())), ..self }
    }

    /// Names the field whose value decides the length of its record, for records that [nothing
    /// frames](StoredAs::Layout), and the length for each value. Any other value is an error. Values are compared as in
    /// a [condition](Self::when).
    #[must_use]
    pub fn length_map<V: Into<String>>(
        self,
        field: impl Into<String>,
        lengths: impl IntoIterator<Item = (V, usize)>,
    ) -> Self {
        let lengths = lengths.into_iter().map(|(value, length)| (value.into(), length)).collect();
        RowsJob { length_from: Some(LengthOption::Map(LengthFrom::Map { name: field.into(), lengths })), ..self }
    }

    /// Chooses a file of a tape image. By default, all are read.
    #[must_use]
    pub fn tape_file(self, file: TapeFile) -> Self {
        RowsJob { tape_file: Some(file), ..self }
    }

    /// Skips the beginning of each input, such as a header. Record numbers and offsets still count what was skipped.
    #[must_use]
    pub fn skip_head(self, skip: Skip) -> Self {
        RowsJob { skip_head: skip, ..self }
    }

    /// Skips the end of each input, such as a trailer. The last bytes or records that were read are held back.
    #[must_use]
    pub fn skip_tail(self, skip: Skip) -> Self {
        RowsJob { skip_tail: skip, ..self }
    }

    /// Sets how many bytes precede the data of each record in the input. The layout does not describe them, and lengths
    /// of [fields](Self::length_field) do not count them.
    #[must_use]
    pub fn record_prefix(self, bytes: u16) -> Self {
        RowsJob { record_prefix: bytes, ..self }
    }

    /// Sets how many bytes follow the data of each record in the input. For them the same holds as for those that
    /// [precede](Self::record_prefix) it.
    #[must_use]
    pub fn record_suffix(self, bytes: u16) -> Self {
        RowsJob { record_suffix: bytes, ..self }
    }

    /// Sets how records are written. By default all have the length of the layout.
    #[must_use]
    pub fn to_records(self, shape: Shape) -> Self {
        RowsJob { to_records: Some(shape), ..self }
    }

    /// Sets which numbers are written to a binary field. By default, all that fit into its bytes.
    #[must_use]
    pub fn binary_range(self, binary_range: BinaryRange) -> Self {
        RowsJob { binary_range, ..self }
    }

    /// Selects fields; see [`ReadOptions::select`].
    #[must_use]
    pub fn select<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        RowsJob { read: self.read.select(names), ..self }
    }

    /// Sets what is removed from the end of text. The default is [`Trim::Blanks`].
    #[must_use]
    pub fn trim(self, trim: Trim) -> Self {
        RowsJob { read: self.read.trim(trim), ..self }
    }

    /// Sets what to do with a field whose bytes are not a value of its kind. With [`OnBad::Null`] and the column
    /// [`Errors`](AddedColumn::Errors), the visitor receives the [errors](crate::fields::Visitor::bad) too.
    #[must_use]
    pub fn on_bad(self, on_bad: OnBad) -> Self {
        RowsJob { read: self.read.on_bad(on_bad), ..self }
    }

    /// Sets whether spaces and low-values are null and not an error; see [`ReadOptions::empty_is_null`].
    #[must_use]
    pub fn empty_is_null(self, empty_is_null: bool) -> Self {
        RowsJob { read: self.read.empty_is_null(empty_is_null), ..self }
    }

    /// Sets whether spaces or low-values may follow the digits of a number; see [`ReadOptions::loose_numbers`].
    #[must_use]
    pub fn loose_numbers(self, loose_numbers: bool) -> Self {
        RowsJob { read: self.read.loose_numbers(loose_numbers), ..self }
    }

    /// Sets what to do with bytes in text that are not valid in its code page, or have no character there. The default
    /// is that the field is bad. Otherwise they are [counted](super::Counts::malformed). Conditions do not depend on
    /// this.
    #[must_use]
    pub fn on_malformed(self, policy: OnMalformed) -> Self {
        let repair: Option<Repair> = match policy {
            OnMalformed::Fail => None,
            policy => Some(Arc::new(move |bytes, _| replacement(policy, bytes))),
        };
        RowsJob { repair, ..self }
    }

    /// Reads bytes in text that are not valid in its code page, and only those, as bytes of another charset: a
    /// single-byte page that contains ASCII. In text of a page that does not contain ASCII, such as EBCDIC, they stay
    /// an error; see [`Transcode::malformed_as`](crate::Transcode::malformed_as).
    ///
    /// # Errors
    /// Those of [`Transcode::malformed_as`](crate::Transcode::malformed_as).
    pub fn malformed_as(self, label: &str) -> Result<Self, Error> {
        let page = BytePage::new(&*self.registry.codec(label)?)?;
        let text = move |bytes: &[u8]| page.text(bytes).map(|text| text.collect::<String>().into());
        let repair = move |bytes: &[u8], codec: &dyn Codec| contains_ascii(codec).then(|| text(bytes)).flatten();
        Ok(RowsJob { repair: Some(Arc::new(repair)), ..self })
    }

    /// Sets whether records may end before the layout does; see [`ReadOptions::short_records`].
    #[must_use]
    pub fn short_records(self, short_records: bool) -> Self {
        RowsJob { read: self.read.short_records(short_records), ..self }
    }

    /// Sets what to do with records that are longer than the layout; see [`ReadOptions::overlong`].
    #[must_use]
    pub fn on_overlong(self, overlong: OnOverlong) -> Self {
        RowsJob { read: self.read.overlong(overlong), ..self }
    }

    /// Sets whether `FILLER` is read as well.
    #[must_use]
    pub fn fillers(self, fillers: bool) -> Self {
        RowsJob { read: self.read.fillers(fillers), ..self }
    }

    /// Sets whether fields that would be written back as other bytes are errors; see [`ReadOptions::canonical`].
    #[must_use]
    pub fn exact(self, exact: bool) -> Self {
        RowsJob { read: self.read.canonical(exact), ..self }
    }

    /// Sets what to do with control characters in text.
    #[must_use]
    pub fn on_control(mut self, controls: OnControl) -> Self {
        self.text.controls = controls;
        self
    }

    /// Sets what to do with newlines in text. The default is [`OnNewlineInRecord::Keep`].
    #[must_use]
    pub fn on_newline_in_record(mut self, newlines: OnNewlineInRecord) -> Self {
        self.text.newlines = newlines;
        self
    }

    /// Sets the columns that are not fields. If the layout has record types, rows have the column
    /// [`Type`](AddedColumn::Type) in any case.
    #[must_use]
    pub fn add_columns(self, columns: impl IntoIterator<Item = AddedColumn>) -> Self {
        RowsJob { added: columns.into_iter().collect(), ..self }
    }

    /// Makes the values of a field dates, by its name or path. It must be text or a number.
    #[must_use]
    pub fn date(mut self, field: impl Into<String>, pattern: DatePattern) -> Self {
        self.dates.push((field.into(), pattern));
        self
    }

    /// Sets whether all numbers of up to 18 digits without decimal places are integers, and not only binary ones. This
    /// concerns outputs whose columns have types, such as Arrow.
    #[must_use]
    pub fn integers(self, integers: bool) -> Self {
        RowsJob { integers, ..self }
    }

    /// Sets whether the hyphens in the names of columns become underscores.
    #[must_use]
    pub fn underscores(self, underscores: bool) -> Self {
        RowsJob { underscores, ..self }
    }

    /// Sets how many threads work on an input. The default is one.
    #[must_use]
    pub fn jobs(self, jobs: NonZeroUsize) -> Self {
        RowsJob { jobs, ..self }
    }

    /// Sets whether the rows of each record type go to a separate output, so that they need no column
    /// [`Type`](AddedColumn::Type).
    #[must_use]
    pub fn separate_types(self, separate_types: bool) -> Self {
        RowsJob { separate_types, ..self }
    }

    /// Sets whether rows are nested: the row of a child is inside the row of its [parent](Self::parent), so it needs no
    /// column [`Parent`](AddedColumn::Parent). A record of a type without a parent then ends the row before it: no
    /// later record belongs to that row.
    #[must_use]
    pub fn nest(self, nest: bool) -> Self {
        RowsJob { nest, ..self }
    }
}

impl RowsJob {
    /// Whether no code page was set, so that it is assumed to be IBM037.
    #[must_use]
    pub fn is_encoding_assumed(&self) -> bool {
        self.codec.is_none()
    }

    /// Whether fields that cannot be read are errors, and not null.
    #[must_use]
    pub fn is_bad_error(&self) -> bool {
        self.read.on_bad == OnBad::Error
    }

    /// Reads a layout, and applies the [conditions](Self::when) to it.
    ///
    /// # Errors
    /// [`RowsError::Layout`] for the layout, [`ErrorKind::BadOption`](crate::ErrorKind::BadOption) for a condition or a
    /// null indicator, or for an option that has no meaning for this kind of layout.
    pub fn layout(&self, file: &[u8]) -> Result<Layout, RowsError> {
        let format = match self.format {
            LayoutFormat::Auto if is_json(file) => LayoutFormat::Json,
            LayoutFormat::Auto if is_field_list(file) => LayoutFormat::Fields,
            format => format,
        };
        if let (LayoutFormat::Json | LayoutFormat::Fields, Some(option)) = (format, self.copybook.own_option()) {
            return Err(contradicts(option, "only a copybook can have it, and the layout is none".to_owned()).into());
        }
        let layout = self.read_layout(format, file)?;
        let layout = if self.varchar { layout.varchars()? } else { layout };
        let layout = if self.group_texts { layout.group_texts()? } else { layout };
        let mark = |layout: Layout, (field, indicator): &(String, String)| {
            layout.null_indicator(field, indicator).map_err(|error| contradicts("null-indicator", error.what))
        };
        let layout = self.null_indicators.iter().try_fold(layout, mark)?;
        let apply = |layout: Layout, rule: &Rule| {
            layout.apply(rule).map_err(|error| contradicts("when", format!("'{rule}': {}", error.what)))
        };
        Ok(self.rules.iter().try_fold(layout, apply)?)
    }

    fn read_layout(&self, format: LayoutFormat, file: &[u8]) -> Result<Layout, BadLayout> {
        match format {
            LayoutFormat::Json => json_layout(file),
            LayoutFormat::Fields => Layout::read_field_list(file),
            LayoutFormat::Auto | LayoutFormat::Copybook | LayoutFormat::CopybookFixed | LayoutFormat::CopybookFree => {
                self.copybook.read(file)
            }
        }
    }

    /// Returns the code page of the records.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`](crate::ErrorKind::UnknownLabel) if none was set and the registry lacks the default.
    pub fn codec(&self) -> Result<Arc<dyn Codec>, Error> {
        match &self.codec {
            Some(codec) => Ok(codec.clone()),
            None => self.registry.codec(DEFAULT_PAGE),
        }
    }

    /// Checks that the options do not contradict each other, as [`rows`](Self::rows) does. [Exact](Self::exact) fields
    /// exclude options that change or drop the contents of a record and continue.
    ///
    /// # Errors
    /// [`ErrorKind::BadOption`](crate::ErrorKind::BadOption).
    pub fn validate(&self) -> Result<(), Error> {
        if let Some(option) = &self.length_from {
            let records = self.records.as_ref().filter(|records| **records != StoredAs::Layout);
            let target = self.to_records.as_ref().filter(|shape| **shape != Shape::Unframed);
            let shape = records.map(|records| format!("records {records}"));
            if let Some(shape) = shape.or_else(|| target.map(|shape| format!("to-records {shape}"))) {
                let why = format!("cannot be used with {shape}: records of that shape have their lengths already");
                return Err(contradicts(option.name(), why));
            }
        }
        let changes = [
            ("overlong cut", self.read.overlong == OnOverlong::Cut),
            ("on-bad null", self.read.on_bad == OnBad::Null),
            ("malformed", self.repair.is_some()),
            ("controls space, drop or xml", !matches!(self.text.controls, OnControl::Keep | OnControl::Error)),
            ("record-newlines space", self.text.newlines == OnNewlineInRecord::Space),
            ("dates", !self.dates.is_empty()),
        ];
        match changes.iter().find(|(_, is_used)| self.read.canonical && *is_used) {
            Some((option, _)) => {
                let why = format!("cannot be used with {option}: records would not come back byte for byte");
                Err(contradicts("exact", why))
            }
            None => Ok(()),
        }
    }
}

/// Returns whether a layout is in JSON, which begins with a brace or a bracket.
fn is_json(file: &[u8]) -> bool {
    let text = file.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(file);
    text.trim_ascii_start().starts_with(b"{") || text.trim_ascii_start().starts_with(b"[")
}

#[cfg(feature = "json-layouts")]
fn json_layout(file: &[u8]) -> Result<Layout, BadLayout> {
    super::foreign::read(file)
}

#[cfg(not(feature = "json-layouts"))]
fn json_layout(_: &[u8]) -> Result<Layout, BadLayout> {
    Err(BadLayout::at(1, 0, "this build reads no layouts in JSON: it lacks the feature `json-layouts`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_in_json() {
        for (text, expected) in [
            ("       01  A.\n", false),
            ("", false),
            ("# list\nname 1 5 text\n", false),
            (" {\"a\": 1}", true),
            ("\u{FEFF}[1]", true),
        ] {
            assert_eq!(is_json(text.as_bytes()), expected, "{text:?}");
        }
    }
}
