//! Finds the codec for a label.
//!
//! A [`Registry`] is a value, not a global. It contains the built-in codecs, overlaid with those that the caller
//! registered.
//!
//! | the caller has | and adds it with |
//! |---|---|
//! | a table in a file | [`Registry::load`], or [`Registry::load_to`] for 256 bytes that map to another page than ISO-8859-1 |
//! | a [`Table`] | [`Registry::register_table`] |
//! | a [`Codec`] | [`Registry::register`] |
//!
//! # How a label is found
//!
//! Registered codecs are searched first, the most recent first, then the built-in codecs. Within each of the two
//! groups, a label is looked up in three ways, in this order:
//!
//! 1. by code page number, whatever family name precedes it (`IBM`, `CP`, `CCSID`, `x-IBM`, or none);
//! 2. by its exact spelling, ignoring case;
//! 3. by its UTS #22 key: only letters and digits, with numbers stripped of their leading zeros.
//!
//! A user may also use the names of databases, editors and shells (`WE8MSWIN1252`, `sap-1160`, `utf8mb4`), and names
//! that ask for a byte order mark (`utf-8-sig`). The label of a document may not.
//!
//! If nothing matches, a newline surface on the label of an EBCDIC codec (`IBM1047,nl=zos`) is removed, and the rest is
//! looked up.

mod builtin;
mod encoding;
mod entry;
pub(crate) mod label;
mod refused;
mod typed;

pub use encoding::{Encoding, encodings};

use crate::codec::table::limits::MAX_FILE;
use crate::codec::table::{Table, TableShape};
use crate::codec::{Codec, TableCodec, for_label, is_ebcdic, newline_surface};
use crate::error::{Error, ErrorKind};
use entry::{Entry, Registered};
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A set of codecs in which labels are looked up.
///
/// ```
/// let registry = charpipe::Registry::builtin();
/// // Exact, by the key of UTS #22, and by number.
/// for label in ["IBM037", "ebcdic_cp_us", "ccsid00037", "037", "ibm-37,nl=zos"] {
///     assert_eq!(registry.codec(label)?.name(), "IBM037");
/// }
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone)]
pub struct Registry {
    /// The codecs that the caller registered, the most recent last. They are searched before the built-ins, from the
    /// back.
    registered: Vec<Registered>,
    has_builtin: bool,
}

impl Registry {
    /// Creates a registry of the built-in codecs.
    #[must_use]
    pub fn builtin() -> Self {
        Registry { registered: Vec::new(), has_builtin: true }
    }

    /// Creates a registry without any codecs. Detection needs the codecs of XML 1.0 Appendix F: register them, or start
    /// from [`builtin`](Registry::builtin).
    #[must_use]
    pub fn empty() -> Self {
        Registry { registered: Vec::new(), has_builtin: false }
    }

    /// Adds `codec` under its name and `aliases`. It takes precedence over all codecs already there. Returns the names
    /// of the codecs that lost a label to it.
    ///
    /// # Errors
    /// [`ErrorKind::BadLabel`] if a label contains neither a letter nor a digit.
    ///
    /// ```standalone_crate
    /// use charpipe::codec::table::chart;
    /// use std::sync::Arc;
    ///
    /// let mut table = chart::parse(include_str!("../../codecs/IBM037.txt"), &|_| None)?;
    /// table.name = "X-OURS".into();
    /// let mut registry = charpipe::Registry::builtin();
    /// let shadowed = registry.register(Arc::new(table.into_codec()), &["ours", "CP1047"])?;
    /// assert_eq!(shadowed, ["IBM1047"]);
    /// assert_eq!(registry.codec("cp1047")?.name(), "X-OURS");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn register(&mut self, codec: Arc<dyn Codec>, aliases: &[&str]) -> Result<Vec<String>, Error> {
        self.add(codec, aliases.iter().map(|alias| Cow::Owned(alias.to_string())).collect())
    }

    /// Adds a table as a codec under its name and aliases, as [`register`](Registry::register) does. Returns the codec.
    ///
    /// # Errors
    /// The errors of [`register`](Registry::register) and [`Table::check`].
    pub fn register_table(&mut self, table: Table) -> Result<Arc<dyn Codec>, Error> {
        table.check()?;
        let aliases = table.aliases.clone();
        let codec: Arc<dyn Codec> = Arc::new(TableCodec::new(table));
        self.add(codec.clone(), aliases)?;
        Ok(codec)
    }

    /// Reads a table file and adds it as a codec under its own name and aliases. It takes precedence over all codecs
    /// already there. Returns the codec. If the file contains no name, the codec is named after the file, without the
    /// extension. [`Table::read`] describes the formats. If a table builds on another one, that one is looked up in
    /// this registry.
    ///
    /// ```
    /// let mut registry = charpipe::Registry::builtin();
    /// let codec = registry.load(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/x-site.txt"))?;
    /// assert_eq!(codec.name(), "X-SITE");
    /// assert_eq!(registry.codec("site")?.name(), "X-SITE");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::TableFile`] if the file cannot be read, and the errors of [`Table::read`] and
    /// [`register`](Registry::register).
    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<Arc<dyn Codec>, Error> {
        let (file, stem) = read_table_file(path.as_ref())?;
        let table = Table::read(&file, &stem, &|name| self.table(name))?;
        self.register_table(table)
    }

    /// Reads a file of 256 bytes that maps each byte to a byte of the single-byte charset `to`, and adds it as
    /// [`load`](Registry::load) does. The codec is named after the file, without the extension.
    ///
    /// # Errors
    /// The errors of [`load`](Registry::load); [`ErrorKind::UnknownLabel`] for `to`; and [`ErrorKind::NotATable`] if
    /// `to` is not a code page.
    pub fn load_to(&mut self, path: impl AsRef<Path>, to: &str) -> Result<Arc<dyn Codec>, Error> {
        let codec = self.codec(to)?;
        let Some(target) = codec.info().table() else {
            return Err(ErrorKind::NotATable { codec: codec.name().to_owned() }.into());
        };
        let (file, stem) = read_table_file(path.as_ref())?;
        let table = Table::read_to(&file, &stem, &target, &|name| self.table(name))?;
        self.register_table(table)
    }

    fn table(&self, name: &str) -> Option<Table> {
        Some(self.codec(name).ok()?.info().table()?.into_owned())
    }

    /// Returns the names of the codecs that lost a label when `codec` was registered. Empty for a built-in codec.
    pub fn shadowed(&self, codec: &dyn Codec) -> &[String] {
        let is_it = |entry: &&Registered| std::ptr::addr_eq(Arc::as_ptr(&entry.codec), std::ptr::from_ref(codec));
        self.registered.iter().find(is_it).map_or(&[], |entry| &entry.shadowed)
    }

    fn add(&mut self, codec: Arc<dyn Codec>, aliases: Vec<Cow<'static, str>>) -> Result<Vec<String>, Error> {
        let mut registered = Registered { codec, aliases, shadowed: Vec::new() };
        let mut shadowed: Vec<String> = Vec::new();
        for label in Entry::Registered(&registered).labels() {
            if label::key(label).is_empty() {
                return Err(ErrorKind::BadLabel { label: label.to_owned() }.into());
            }
            if let Some(found) = self.find(label)
                && !shadowed.iter().any(|name| *name == found.name())
            {
                shadowed.push(found.name().to_owned());
            }
        }
        registered.shadowed.clone_from(&shadowed);
        self.registered.push(registered);
        Ok(shadowed)
    }

    /// Returns the codec that `label` names.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`], without an offset and with similar labels; [`ErrorKind::UnsupportedLabel`] if the
    /// charset is known but not supported.
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.codec("latin1")?.name(), "ISO-8859-1");
    /// let error = registry.codec("ISO-8895-1").unwrap_err();
    /// assert_eq!(error.to_string(), "\"ISO-8895-1\" is not known; did you mean ISO-8859-1?");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn codec(&self, label: &str) -> Result<Arc<dyn Codec>, Error> {
        self.typed(label).ok_or_else(|| match typed::refusal(label) {
            Some(reason) if self.has_builtin && refused::reason(label).is_none() => unsupported(label, reason),
            _ => self.not_found(label, true),
        })
    }

    /// Returns why a label names no codec. `by_person`: names that only people use may be suggested.
    fn not_found(&self, label: &str, by_person: bool) -> Error {
        match refused::reason(label) {
            Some(reason) => unsupported(label, reason),
            None => {
                let near = self.near(label, by_person);
                ErrorKind::UnknownLabel { label: label.to_owned(), offset: None, near }.into()
            }
        }
    }

    /// Returns labels that are similar to one that is not known. A letter in place of a digit is certainly a mistake,
    /// even if the label is not a listed one: `cp1O47`.
    fn near(&self, label: &str, by_person: bool) -> Vec<String> {
        if let Some(codec) = label::with_digits(label).iter().find_map(|meant| self.named(meant)) {
            return vec![codec.name().to_owned()];
        }
        let typed = (by_person && self.has_builtin).then(typed::names).into_iter().flatten().map(|name| name as &str);
        let labels = self.entries().flat_map(Entry::labels).chain(typed);
        label::near_labels(label, labels, |near| self.width(near))
    }

    /// Returns the codec for a name that a user gives: a label, or one of the names that only people use.
    fn typed(&self, name: &str) -> Option<Arc<dyn Codec>> {
        let is_builtin = self.has_builtin && self.find_registered(name).is_none();
        is_builtin.then(|| builtin::typed_codec(name)).flatten().or_else(|| self.named(name))
    }

    fn named(&self, label: &str) -> Option<Arc<dyn Codec>> {
        if let Some(entry) = self.find(label) {
            return Some(for_label(entry.codec(), label));
        }
        let (plain, nl) = label::newline_surface(label)?;
        let entry = self.find(plain).filter(|entry| is_ebcdic(&**entry.codec()))?;
        Some(newline_surface(entry.codec().clone(), nl))
    }

    /// Returns what [`declared`](Self::declared) does, or `None` if that fails. A document may have any number of
    /// labels that are unknown, so this costs less: it looks for no similar labels.
    pub(crate) fn declared_if_known(&self, label: &str) -> Option<Arc<dyn Codec>> {
        let is_refused = |entry: Entry| entry.is_one_of(refused::HIDDEN) || entry.is_one_of(refused::NOT_IN_DOCUMENTS);
        if self.find(label).is_some_and(is_refused) { None } else { self.named(label) }
    }

    /// Returns the codec that `label` names in a document or in what transports it. In contrast to
    /// [`codec`](Registry::codec), fails for the built-in codecs that only a user may choose.
    pub(crate) fn declared(&self, label: &str) -> Result<Arc<dyn Codec>, Error> {
        let is_one_of = |names: &[&str]| self.find(label).is_some_and(|entry| entry.is_one_of(names));
        if is_one_of(refused::HIDDEN) {
            return Err(ErrorKind::UnknownLabel { label: label.to_owned(), offset: None, near: Vec::new() }.into());
        }
        if is_one_of(refused::NOT_IN_DOCUMENTS) {
            let reason = refused::WHY_NOT_IN_DOCUMENTS;
            return Err(unsupported(label, reason));
        }
        self.named(label).ok_or_else(|| self.not_found(label, false))
    }

    /// Returns how wide the codes of the codec with this label are.
    fn width(&self, label: &str) -> Option<label::Width> {
        let typed = || builtin::find_typed(label).map(|named| Entry::Builtin(named.builtin));
        let entry = self.find(label).or_else(typed)?;
        label::Width::of_name(entry.name()).or_else(|| {
            let is_single = entry.codec().info().table.is_some_and(|table| table.table().shape == TableShape::Single);
            Some(if is_single { label::Width::Single } else { label::Width::Multi })
        })
    }

    /// Returns whether `label` is a known label, including labels of unsupported charsets. This costs less than
    /// [`codec`](Registry::codec), which also looks for similar labels.
    pub(crate) fn knows(&self, label: &str) -> bool {
        let plain = label::newline_surface(label).map(|(plain, _)| plain);
        self.find(label).is_some_and(|entry| !entry.is_one_of(refused::HIDDEN))
            || plain.is_some_and(|plain| self.find(plain).is_some())
            || refused::reason(label).is_some()
    }

    /// Returns every codec. Registered codecs come first, the most recent first.
    ///
    /// ```
    /// assert!(charpipe::Registry::builtin().codecs().any(|codec| codec.name() == "UTF-8"));
    /// ```
    pub fn codecs(&self) -> impl Iterator<Item = &Arc<dyn Codec>> {
        self.entries().map(Entry::codec)
    }

    /// Returns whether the registry contains all built-in codecs and no others.
    pub(crate) fn is_builtin(&self) -> bool {
        self.registered.is_empty() && self.has_builtin
    }

    /// Returns the codecs that the caller registered, the most recent first.
    pub(crate) fn registered(&self) -> impl Iterator<Item = &Arc<dyn Codec>> {
        self.registered.iter().rev().map(|registered| &registered.codec)
    }

    /// Returns the labels of the codec named `name`, its name first. Empty if there is no such codec.
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.labels("UTF-32LE").take(2).collect::<Vec<_>>(), ["UTF-32LE", "csUTF32LE"]);
    /// ```
    pub fn labels(&self, name: &str) -> impl Iterator<Item = &str> {
        self.entries().filter(move |entry| entry.name() == name).take(1).flat_map(Entry::labels)
    }

    /// Returns the labels of charsets that are known but not supported. [`codec`](Registry::codec) fails for each of
    /// them.
    ///
    /// ```
    /// assert!(charpipe::Registry::builtin().unsupported().any(|label| label == "SCSU"));
    /// ```
    pub fn unsupported(&self) -> impl Iterator<Item = &'static str> {
        refused::labels().filter(|label| self.typed(label).is_none())
    }

    /// Returns the languages or the use of the built-in codec named `name`, in a few words. Empty if there is no such
    /// codec, or if the caller registered it.
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.description("IBM930"), "Japanese, EBCDIC, mixed");
    /// ```
    #[must_use]
    pub fn description(&self, name: &str) -> &str {
        self.entries().find(|entry| entry.name() == name).map_or("", Entry::about)
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let builtin = self.has_builtin.then(builtin::entries).into_iter().flatten();
        self.registered.iter().rev().map(Entry::Registered).chain(builtin.map(Entry::Builtin))
    }

    /// Finds the entry for a label. Registered codecs take precedence over the built-ins, whichever rule finds them.
    fn find(&self, label: &str) -> Option<Entry<'_>> {
        self.find_registered(label).or_else(|| self.has_builtin.then(|| builtin::find(label).map(Entry::Builtin))?)
    }

    fn find_registered(&self, label: &str) -> Option<Entry<'_>> {
        if self.registered.is_empty() {
            return None;
        }
        label::find(&|index| self.registered.iter().rev().nth(index).map(Entry::Registered), label)
    }
}

fn unsupported(label: &str, reason: &'static str) -> Error {
    ErrorKind::UnsupportedLabel { label: label.to_owned(), reason, offset: None }.into()
}

/// Returns the contents of a table file, and the file's name without folder and extension.
fn read_table_file(path: &Path) -> Result<(Vec<u8>, String), Error> {
    let failed = |source| ErrorKind::TableFile { path: path.to_owned(), source };
    // Read one byte more than the limit, so that an overlong file is detected.
    let mut file = File::open(path).map_err(failed)?.take(MAX_FILE as u64 + 1);
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok((bytes, path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())))
}

impl Default for Registry {
    fn default() -> Self {
        Registry::builtin()
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.entries().map(Entry::name)).finish()
    }
}

/// Splits a list of labels at its commas, but not before the newline convention of an EBCDIC page: `IBM1047,nl=zos`.
///
/// ```
/// use charpipe::registry::split_labels;
///
/// assert_eq!(split_labels("UTF-8, IBM1047,nl=zos,windows-1252"), ["UTF-8", "IBM1047,nl=zos", "windows-1252"]);
/// ```
#[must_use]
pub fn split_labels(list: &str) -> Vec<&str> {
    let mut labels: Vec<&str> = Vec::new();
    let mut begin = 0;
    for (at, _) in list.match_indices(',').chain([(list.len(), "")]) {
        let next = list[at..].trim_start_matches([',', ' ']).to_ascii_lowercase();
        if at < list.len() && (next.starts_with("nl=") || next.starts_with("swaplfnl")) {
            continue;
        }
        labels.push(list[begin..at].trim());
        begin = (at + 1).min(list.len());
    }
    labels
}
