//! Words of choices, until the library has them.

use charpipe::detect::Policy;
use charpipe::*;

pub(crate) trait Word: Copy + 'static {
    const ALL: &'static [Self];
    fn name(self) -> &'static str;
}

macro_rules! words {
    ($($type:ident { $($value:ident: $name:literal),+ $(,)? })+) => {$(
        impl Word for $type {
            const ALL: &'static [Self] = &[$($type::$value),+];
            fn name(self) -> &'static str {
                match self { $($type::$value => $name,)+ _ => unreachable!() }
            }
        }
    )+};
}

words! {
    Kind { Xml: "xml", Html: "html", Text: "text" }
    Policy {
        Rfc7303: "rfc7303", Rfc3023: "rfc3023", RomeStrict: "rome-strict", RomeLenient: "rome-lenient",
        Feedparser: "feedparser", Whatwg: "whatwg"
    }
    OnMalformed { Fail: "fail", Replace: "replace", Drop: "drop", Escape: "escape" }
    OnUnmappable { Fail: "fail", Replace: "replace", Drop: "drop", Xml: "xml", Escape: "escape" }
    Relabel { Auto: "auto", Never: "never" }
    Bom { Auto: "auto", Keep: "keep", Add: "add", Strip: "strip" }
    Eol { Auto: "auto", Keep: "keep", Lf: "lf", Crlf: "crlf", Nel: "nel" }
    EbcdicNl { Table: "table", Zos: "zos", Fold: "fold" }
    OnControl { Keep: "keep", Space: "space", Drop: "drop", Error: "error", Xml: "xml" }
    OnNewlineInRecord { Keep: "keep", Space: "space", Error: "error" }
    Gaps { Drop: "drop", Hex: "hex" }
    OnOverlong { Fail: "fail", Cut: "cut" }
}
