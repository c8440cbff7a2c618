//! A codec of the registry with its labels: [`Entry`].

use crate::codec::table::Table;
use crate::codec::{Codec, Packed, TableCodec, pages};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A codec, its name and its other labels.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) name: Cow<'static, str>,
    pub(super) aliases: Aliases,
    /// The languages or the use of the charset, in a few words. Empty for a registered codec.
    pub(super) about: &'static str,
    /// Created when it is first asked for. Most codecs never are.
    pub(super) codec: OnceLock<Arc<dyn Codec>>,
    pub(super) make: Option<Make>,
    /// The names of the codecs that lost a label to this one.
    pub(super) shadowed: Vec<String>,
}

#[derive(Clone)]
pub(super) enum Aliases {
    /// Space-separated, to avoid relocations at start-up.
    Static(&'static str),
    Owned(Vec<Cow<'static, str>>),
}

impl Entry {
    pub(super) fn builtin(name: &'static str, aliases: &'static str, about: &'static str, make: Make) -> Self {
        let aliases = Aliases::Static(aliases);
        Entry { name: name.into(), aliases, about, codec: OnceLock::new(), make: Some(make), shadowed: Vec::new() }
    }

    pub(super) fn registered(codec: Arc<dyn Codec>, aliases: Vec<Cow<'static, str>>) -> Self {
        let (name, aliases) = (codec.name().to_owned().into(), Aliases::Owned(aliases));
        Entry { name, aliases, about: "", codec: OnceLock::from(codec), make: None, shadowed: Vec::new() }
    }

    pub(super) fn codec(&self) -> &Arc<dyn Codec> {
        self.codec.get_or_init(|| match (&self.name, self.make) {
            (Cow::Borrowed(name), Some(make)) => make.make(name),
            _ => unreachable!("a registered codec is set when its entry is created"),
        })
    }

    /// Returns whether this is one of these built-in codecs.
    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        self.make.is_some() && names.contains(&&*self.name)
    }

    /// Returns the labels, the name first.
    pub(super) fn labels(&self) -> impl Iterator<Item = &str> {
        let (fixed, owned) = match &self.aliases {
            Aliases::Static(fixed) => (*fixed, &[][..]),
            Aliases::Owned(owned) => ("", &owned[..]),
        };
        let owned = owned.iter().map(|alias| &**alias);
        std::iter::once(&*self.name).chain(fixed.split_ascii_whitespace()).chain(owned)
    }
}

/// How a built-in codec is created when it is first asked for.
#[derive(Clone, Copy)]
pub(super) enum Make {
    Plain(fn() -> Arc<dyn Codec>),
    Page(&'static Packed),
    /// By a function from its name.
    #[cfg_attr(not(any(feature = "whatwg", feature = "dos")), expect(dead_code))]
    By(fn(&'static str) -> Arc<dyn Codec>),
}

impl Make {
    fn make(self, name: &'static str) -> Arc<dyn Codec> {
        match self {
            Make::Plain(make) => make(),
            Make::Page(page) if page.has_states() => Arc::new(TableCodec::made(page.name, page.source, table_of_page)),
            Make::Page(page) => Arc::new(TableCodec::of(page)),
            Make::By(make) => make(name),
        }
    }
}

/// Returns the table of a built-in page.
fn table_of_page(name: &'static str) -> Table {
    pages().find(|page| page.name == name).map_or_else(|| Table::new(name, ""), Packed::table)
}
