//! The codecs that are always there.
//!
//! Cheap to make: a page's tables are built when its first machine is.

use super::Entry;
#[cfg(feature = "dos")]
use crate::codec::oem;
use crate::codec::ucs4::Ucs4;
use crate::codec::utf_ebcdic::UtfEbcdic;
use crate::codec::utf8::Utf8;
use crate::codec::utf16::Utf16;
#[cfg(feature = "whatwg")]
use crate::codec::whatwg;
use crate::codec::{Codec, PAGES, TableCodec};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// All built-in codecs with their aliases; IANA's labels, ICU's where IANA has none.
pub(super) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let unicode = UNICODE.iter().map(|(codec, aliases)| Entry {
            codec: codec(),
            aliases: Cow::Borrowed(aliases),
            shadowed: Vec::new(),
        });
        let pages = PAGES.iter().map(|page| Entry {
            codec: Arc::new(TableCodec::of(page)),
            aliases: page.aliases.iter().map(|alias| Cow::Borrowed(*alias)).collect(),
            shadowed: Vec::new(),
        });
        let made = unicode.chain(pages);
        #[cfg(feature = "whatwg")]
        let made = made.chain(whatwg::codecs().map(entry));
        #[cfg(feature = "dos")]
        let made = made.chain(oem::codecs().map(entry));
        made.collect()
    });
    &ENTRIES
}

#[cfg(any(feature = "whatwg", feature = "dos"))]
fn entry((codec, aliases): (Arc<dyn Codec>, &'static [Cow<'static, str>])) -> Entry {
    Entry { codec, aliases: Cow::Borrowed(aliases), shadowed: Vec::new() }
}

/// Labels of charsets that are known and not supported: those that the Encoding Standard calls `replacement`, since
/// they are not safe to guess at.
pub(super) const UNSUPPORTED: &[&str] =
    &["HZ-GB-2312", "ISO-2022-CN", "ISO-2022-CN-EXT", "ISO-2022-KR", "csISO2022KR", "replacement"];

type Make = fn() -> Arc<dyn Codec>;

const fn alias(label: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(label)
}

static UNICODE: &[(Make, &[Cow<'static, str>])] = &[
    (
        || Arc::new(Utf8),
        &[
            alias("utf8"),
            alias("csUTF8"),
            alias("unicode-1-1-utf-8"),
            alias("unicode11utf8"),
            alias("unicode20utf8"),
            alias("x-unicode20utf8"),
            alias("IBM1208"),
        ],
    ),
    (|| Arc::new(Utf16::UTF_16), &[alias("csUTF16"), alias("IBM1204")]),
    (
        || Arc::new(Utf16::BE),
        &[alias("csUTF16BE"), alias("x-utf-16be"), alias("IBM1200"), alias("UnicodeBigUnmarked"), alias("unicodeFFFE")],
    ),
    (
        || Arc::new(Utf16::LE),
        &[
            alias("csUTF16LE"),
            alias("x-utf-16le"),
            alias("IBM1202"),
            alias("UnicodeLittleUnmarked"),
            alias("unicode"),
            alias("unicodeFEFF"),
        ],
    ),
    (|| Arc::new(Ucs4::UTF_32), &[alias("csUTF32"), alias("IBM1236")]),
    (|| Arc::new(Ucs4::UTF_32BE), &[alias("csUTF32BE"), alias("UCS-4BE"), alias("IBM1232")]),
    (|| Arc::new(Ucs4::UTF_32LE), &[alias("csUTF32LE"), alias("UCS-4LE"), alias("IBM1234")]),
    (|| Arc::new(Ucs4::ISO_10646_UCS_4), &[alias("csUCS4"), alias("UCS-4"), alias("10646-1:1993/UCS4")]),
    (|| Arc::new(Ucs4::UCS_4_2143), &[alias("UCS-4-2143"), alias("ISO-10646-UCS-4-2143")]),
    (|| Arc::new(Ucs4::UCS_4_3412), &[alias("UCS-4-3412"), alias("ISO-10646-UCS-4-3412")]),
    (|| Arc::new(Utf16::UCS_2), &[alias("csUnicode"), alias("UCS-2"), alias("10646-1:1993")]),
    // IBM's number, and Oracle's name (which has surrogate pairs above U+FFFF: those are malformed here).
    (|| Arc::new(UtfEbcdic), &[alias("IBM1210"), alias("UTFE")]),
];
