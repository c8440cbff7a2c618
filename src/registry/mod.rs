//! From a label to a codec.
//!
//! A [`Registry`] is a value, not a global: the built-in codecs, overlaid with what the caller registered.
//!
//! | what the caller has | goes in by |
//! |---|---|
//! | a table in a file | [`Registry::load`]; [`Registry::load_to`] for 256 bytes that lead to another page than ISO-8859-1 |
//! | a [`Table`] | [`Registry::register_table`] |
//! | a [`Codec`] | [`Registry::register`] |
//!
//! # How a label is found
//!
//! What was registered comes first, the latest of it in front, then what is built in. In each of the two a label is
//! looked for by the number of a code page, whatever the family in front of it (`IBM`, `CP`, `CCSID`, `x-IBM`, or none);
//! then as it is spelt, in any case; then by the key of UTS #22: letters and digits only, numbers without the zeros in
//! front. Last, a newline surface on the label of an EBCDIC codec (`IBM1047,nl=zos`) is taken off.

mod builtin;
pub(crate) mod label;

use crate::codec::table::Table;
use crate::codec::table::read::MAX_FILE;
use crate::codec::{Codec, EbcdicNl, TableCodec, for_label, is_ebcdic, newline_surface};
use crate::error::{Error, ErrorKind};
use builtin::Make;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A codec and the labels that it answers to beside its name.
#[derive(Clone)]
struct Entry {
    name: Cow<'static, str>,
    aliases: Aliases,
    /// Made when it is first asked for: most never are.
    codec: OnceLock<Arc<dyn Codec>>,
    make: Option<Make>,
    /// The names of the codecs that have a label less because of it.
    shadowed: Vec<String>,
}

#[derive(Clone)]
enum Aliases {
    /// With blanks between: no pointers that a loader would have to fill in.
    Static(&'static str),
    Owned(Vec<Cow<'static, str>>),
}

impl Entry {
    fn builtin(name: &'static str, aliases: &'static str, make: Make) -> Self {
        let aliases = Aliases::Static(aliases);
        Entry { name: name.into(), aliases, codec: OnceLock::new(), make: Some(make), shadowed: Vec::new() }
    }

    fn registered(codec: Arc<dyn Codec>, aliases: Vec<Cow<'static, str>>) -> Self {
        let (name, aliases) = (codec.name().to_owned().into(), Aliases::Owned(aliases));
        Entry { name, aliases, codec: OnceLock::from(codec), make: None, shadowed: Vec::new() }
    }

    fn codec(&self) -> &Arc<dyn Codec> {
        self.codec.get_or_init(|| match (&self.name, self.make) {
            (Cow::Borrowed(name), Some(make)) => make.make(name),
            _ => unreachable!("a registered codec is there"),
        })
    }

    /// The name first.
    fn labels(&self) -> impl Iterator<Item = &str> {
        let (fixed, owned) = match &self.aliases {
            Aliases::Static(fixed) => (*fixed, &[][..]),
            Aliases::Owned(owned) => ("", &owned[..]),
        };
        let owned = owned.iter().map(|alias| &**alias);
        std::iter::once(&*self.name).chain(fixed.split_ascii_whitespace()).chain(owned)
    }
}

/// The codecs that labels are looked up in.
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
    /// What the caller registered, the latest last; looked up before the built-ins, from the back.
    registered: Vec<Entry>,
    builtin: &'static [Entry],
}

impl Registry {
    /// The built-in codecs.
    pub fn builtin() -> Self {
        Registry { registered: Vec::new(), builtin: builtin::entries() }
    }

    /// No codecs at all. Detection needs those of XML 1.0 Appendix F: register them, or begin with
    /// [`builtin`](Registry::builtin).
    pub fn empty() -> Self {
        Registry { registered: Vec::new(), builtin: &[] }
    }

    /// Adds `codec` under its name and `aliases`, in front of everything that is there; answers the names of the
    /// codecs that now have a label less.
    ///
    /// # Errors
    /// [`ErrorKind::BadLabel`] where a label has neither letter nor digit.
    ///
    /// ```
    /// use charpipe::codec::{TableCodec, table::chart};
    /// use std::sync::Arc;
    ///
    /// let mut table = chart::parse(include_str!("../../codecs/IBM037.txt"), &|_| None)?;
    /// table.name = "X-OURS".into();
    /// let mut registry = charpipe::Registry::builtin();
    /// let shadowed = registry.register(Arc::new(TableCodec::new(table)), &["ours", "CP1047"])?;
    /// assert_eq!(shadowed, ["IBM1047"]);
    /// assert_eq!(registry.codec("cp1047")?.name(), "X-OURS");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn register(&mut self, codec: Arc<dyn Codec>, aliases: &[&str]) -> Result<Vec<String>, Error> {
        self.add(codec, aliases.iter().map(|alias| Cow::Owned(alias.to_string())).collect())
    }

    /// Adds a table as a codec under its name and its aliases, as [`register`](Registry::register) does; answers it.
    ///
    /// # Errors
    /// As there, and those of [`Table::check`].
    pub fn register_table(&mut self, table: Table) -> Result<Arc<dyn Codec>, Error> {
        table.check()?;
        let aliases = table.aliases.clone();
        let codec: Arc<dyn Codec> = Arc::new(TableCodec::new(table));
        self.add(codec.clone(), aliases)?;
        Ok(codec)
    }

    /// Reads a table file and adds it as a codec under its own name and aliases, in front of everything that is there;
    /// answers it. A file that has no name in it gives its own, without the extension. [`Table::read`] says which
    /// formats there are; what a table builds on is looked up here.
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
    /// [`ErrorKind::TableFile`] where the file cannot be read, and what [`Table::read`] and
    /// [`register`](Registry::register) say.
    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<Arc<dyn Codec>, Error> {
        let (file, stem) = read_table_file(path.as_ref())?;
        let table = Table::read(&file, &stem, &|name| self.table(name))?;
        self.register_table(table)
    }

    /// Reads a file of 256 bytes, what each byte becomes in the single-byte charset that `to` names, and adds it as
    /// [`load`](Registry::load) does. It answers to the name of the file without the extension.
    ///
    /// # Errors
    /// As there; [`ErrorKind::UnknownLabel`] for `to`, and [`ErrorKind::NotATable`] where that is no code page.
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

    /// The names of the codecs that have a label less since `codec` was registered; none for a built-in.
    pub fn shadowed(&self, codec: &dyn Codec) -> &[String] {
        let is_it = |entry: &&Entry| std::ptr::addr_eq(Arc::as_ptr(entry.codec()), std::ptr::from_ref(codec));
        self.registered.iter().find(is_it).map_or(&[], |entry| &entry.shadowed)
    }

    fn add(&mut self, codec: Arc<dyn Codec>, aliases: Vec<Cow<'static, str>>) -> Result<Vec<String>, Error> {
        let mut entry = Entry::registered(codec, aliases);
        let mut shadowed: Vec<String> = Vec::new();
        for label in entry.labels() {
            if label::key(label).is_empty() {
                return Err(ErrorKind::BadLabel { label: label.to_owned() }.into());
            }
            if let Some(found) = self.find(label)
                && !shadowed.iter().any(|name| *name == found.name)
            {
                shadowed.push(found.name.clone().into_owned());
            }
        }
        entry.shadowed.clone_from(&shadowed);
        self.registered.push(entry);
        Ok(shadowed)
    }

    /// The codec that `label` names.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`], without an offset, with labels that are spelt alike;
    /// [`ErrorKind::UnsupportedLabel`] where the charset is known and not to be had.
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.codec("latin1")?.name(), "ISO-8859-1");
    /// let error = registry.codec("ISO-8895-1").unwrap_err();
    /// assert_eq!(error.to_string(), "\"ISO-8895-1\" is not known; did you mean ISO-8859-1?");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn codec(&self, label: &str) -> Result<Arc<dyn Codec>, Error> {
        if let Some(entry) = self.find(label) {
            return Ok(for_label(entry.codec(), label));
        }
        if let Some((plain, nl)) = label::newline_surface(label)
            && let Some(entry) = self.find(plain)
            && is_ebcdic(&**entry.codec())
        {
            return Ok(newline_surface(entry.codec().clone(), nl));
        }
        if builtin::UNSUPPORTED.iter().any(|known| label::key(known) == label::key(label)) {
            return Err(ErrorKind::UnsupportedLabel { label: label.to_owned(), offset: None }.into());
        }
        let near = label::near_misses(label, self.entries().flat_map(Entry::labels));
        Err(ErrorKind::UnknownLabel { label: label.to_owned(), offset: None, near }.into())
    }

    /// Whether it is a label, even one that is refused: the question alone, which costs less than what is spelt alike.
    pub(crate) fn knows(&self, label: &str) -> bool {
        let plain = label::newline_surface(label).map(|(plain, _)| plain);
        self.find(label).is_some()
            || plain.is_some_and(|plain| self.find(plain).is_some())
            || builtin::UNSUPPORTED.iter().any(|known| label::key(known) == label::key(label))
    }

    /// Every codec, those registered last first.
    ///
    /// ```
    /// assert!(charpipe::Registry::builtin().codecs().any(|codec| codec.name() == "UTF-8"));
    /// ```
    pub fn codecs(&self) -> impl Iterator<Item = &Arc<dyn Codec>> {
        self.entries().map(Entry::codec)
    }

    /// Whether it has all built-in codecs and no other.
    pub(crate) fn is_builtin(&self) -> bool {
        self.registered.is_empty() && !self.builtin.is_empty()
    }

    /// Those that the caller registered, the latest first.
    pub(crate) fn registered(&self) -> impl Iterator<Item = &Arc<dyn Codec>> {
        self.registered.iter().rev().map(Entry::codec)
    }

    /// The labels of the codec named `name`, the name first; none where there is no such codec.
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.labels("UTF-32LE").collect::<Vec<_>>(), ["UTF-32LE", "csUTF32LE", "UCS-4LE", "IBM1234"]);
    /// ```
    pub fn labels(&self, name: &str) -> impl Iterator<Item = &str> {
        self.entries().filter(move |entry| entry.name == name).take(1).flat_map(Entry::labels)
    }

    /// Labels of charsets that are known and not supported, each of which [`codec`](Registry::codec) refuses.
    ///
    /// ```
    /// assert!(charpipe::Registry::builtin().unsupported().any(|label| label == "ISO-2022-KR"));
    /// ```
    pub fn unsupported(&self) -> impl Iterator<Item = &'static str> {
        builtin::UNSUPPORTED.iter().copied().filter(|label| self.find(label).is_none())
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.registered.iter().rev().chain(self.builtin)
    }

    /// What the caller registered comes before the built-ins, whatever the rule that finds it.
    fn find(&self, label: &str) -> Option<&Entry> {
        label::find(self.registered.iter().rev(), label).or_else(|| label::find(self.builtin.iter(), label))
    }
}

/// What is in a table file, and the name that it has without folder and extension.
fn read_table_file(path: &Path) -> Result<(Vec<u8>, String), Error> {
    let failed = |source| ErrorKind::TableFile { path: path.to_owned(), source };
    // One byte more than is read, so that a file that has too many is found out.
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
        f.debug_list().entries(self.entries().map(|entry| &entry.name)).finish()
    }
}

/// The newline surfaces that a label may carry: `IBM1047,nl=zos`, and as they exist in the wild.
const SURFACES: &[(&str, EbcdicNl)] = &[
    (",nl=table", EbcdicNl::Table),
    (",nl=zos", EbcdicNl::Zos),
    (",nl=fold", EbcdicNl::Fold),
    (",swaplfnl", EbcdicNl::Zos),
    ("-s390", EbcdicNl::Zos),
    ("_LF", EbcdicNl::Zos),
    ("/ZOS_UNIX", EbcdicNl::Zos),
];
