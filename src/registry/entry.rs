//! A codec in the registry, with its labels: [`Entry`].

use crate::codec::table::Table;
use crate::codec::{Codec, Packed, TableCodec, pages};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A codec, its name and its other labels.
#[derive(Clone, Copy)]
pub(super) enum Entry<'a> {
    Builtin(Builtin),
    Registered(&'a Registered),
}

/// A codec that the caller registered.
#[derive(Clone)]
pub(super) struct Registered {
    pub(super) codec: Arc<dyn Codec>,
    pub(super) aliases: Vec<Cow<'static, str>>,
    /// The names of the codecs that lost a label to this one.
    pub(super) shadowed: Vec<String>,
}

/// A built-in codec, which is made when it is first asked for. Most never are.
#[derive(Clone, Copy)]
pub(super) struct Builtin {
    /// Its place among the built-in codecs.
    pub(super) index: usize,
    pub(super) kind: Kind,
}

/// Where a built-in codec comes from.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Plain(&'static Plain),
    Page(Packed),
    /// Made by a function from its name, which is followed by its other labels and what it is for.
    #[cfg_attr(not(any(feature = "whatwg", feature = "dos")), expect(dead_code))]
    By(fn(&'static str) -> Arc<dyn Codec>, [&'static str; 3]),
}

/// A name, how the codec is made, its other labels, separated by spaces, and what it is for.
pub(super) type Plain = (&'static str, fn() -> Arc<dyn Codec>, &'static str, &'static str);

/// The built-in codecs that have been made, by their place. This has more room than there are codecs.
static MADE: [OnceLock<Arc<dyn Codec>>; MAX_BUILTIN] = [const { OnceLock::new() }; MAX_BUILTIN];
pub(super) const MAX_BUILTIN: usize = 512;

impl Builtin {
    pub(super) fn name(self) -> &'static str {
        match self.kind {
            Kind::Plain(&(name, ..)) | Kind::By(_, [name, ..]) => name,
            Kind::Page(page) => page.name(),
        }
    }

    fn aliases(self) -> &'static str {
        match self.kind {
            Kind::Plain(&(_, _, aliases, _)) | Kind::By(_, [_, aliases, _]) => aliases,
            Kind::Page(page) => page.aliases(),
        }
    }

    fn about(self) -> &'static str {
        match self.kind {
            Kind::Plain(&(.., about)) | Kind::By(_, [.., about]) => about,
            Kind::Page(page) => page.about(),
        }
    }

    pub(super) fn codec(self) -> &'static Arc<dyn Codec> {
        MADE[self.index].get_or_init(|| self.make())
    }

    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    fn make(self) -> Arc<dyn Codec> {
        match self.kind {
            Kind::Plain((_, make, ..)) => make(),
            Kind::Page(page) if page.has_states() => {
                Arc::new(TableCodec::made(page.name(), page.source(), table_of_page))
            }
            Kind::Page(page) => Arc::new(TableCodec::of(page)),
            Kind::By(make, [name, ..]) => make(name),
        }
    }
}

/// Returns the table of a built-in page.
fn table_of_page(name: &'static str) -> Table {
    pages().find(|page| page.name() == name).map_or_else(|| Table::new(name, ""), Packed::table)
}

impl<'a> Entry<'a> {
    pub(super) fn name(self) -> &'a str {
        match self {
            Entry::Builtin(builtin) => builtin.name(),
            Entry::Registered(registered) => registered.codec.name(),
        }
    }

    pub(super) fn codec(self) -> &'a Arc<dyn Codec> {
        match self {
            Entry::Builtin(builtin) => builtin.codec(),
            Entry::Registered(registered) => &registered.codec,
        }
    }

    /// Returns the languages or the use of a built-in charset, in a few words. Empty for a registered codec.
    pub(super) fn about(self) -> &'static str {
        match self {
            Entry::Builtin(builtin) => builtin.about(),
            Entry::Registered(_) => "",
        }
    }

    /// Returns whether this is one of these built-in codecs.
    pub(super) fn is_one_of(self, names: &[&str]) -> bool {
        matches!(self, Entry::Builtin(builtin) if names.contains(&builtin.name()))
    }

    /// Returns the labels, the name first.
    pub(super) fn labels(self) -> impl Iterator<Item = &'a str> {
        let (fixed, owned) = match self {
            Entry::Builtin(builtin) => (builtin.aliases(), &[][..]),
            Entry::Registered(registered) => ("", &registered.aliases[..]),
        };
        let owned = owned.iter().map(|alias| &**alias);
        std::iter::once(self.name()).chain(fixed.split_ascii_whitespace()).chain(owned)
    }
}
