//! The code pages of DOS, out of the decode tables of the crates `oem_cp` and `codepage-437`; the only file that names
//! them.
//!
//! Both ways are run by our own engine over those tables: what decodes encodes, and nothing else does. (The encoder of
//! `codepage-437` writes € as EE, which is ε.) The tables are Microsoft's. `oem_cp` has the upper halves; the lower half
//! is ASCII with its controls. `IBM437` has controls too; `cp437-wingdings` has the pictures of the IBM PC at 01 to 1F
//! and 7F in their place.
//!
//! # Where others differ
//!
//! `tests/oem.rs` compares every byte with the `iconv` at hand, and knows of these (glibc 2.36):
//!
//! | page | bytes | here (Microsoft) | there |
//! |---|---|---|---|
//! | IBM864 | 25 | U+0025 % | U+066A, the Arabic percent sign |
//! | IBM864 | 9B 9C 9F | the C1 control of that number | unassigned |
//! | IBM869 | 80–85 87 93 94 | the C1 control of that number | unassigned |
//! | CP874 | 81–84 86–90 98–9F | the C1 control of that number | unassigned |
//!
//! IBM's own tables (`ibm-437_P100-1995.ucm` and most of its kind) besides rotate three controls: 1A is U+001C, 1C is
//! U+007F and 7F is U+001A. Neither Microsoft nor glibc does; nor do the pages here.

use super::table::Table;
use super::{Codec, TableCodec};
use codepage_437::{CP437_CONTROL, CP437_WINGDINGS, Cp437Dialect};
use oem_cp::code_table::DECODING_TABLE_CP_MAP;
use oem_cp::code_table_type::TableType;
use std::borrow::Cow;
use std::sync::Arc;

/// Every page, with its further labels.
pub(crate) fn codecs() -> impl Iterator<Item = (Arc<dyn Codec>, &'static [Cow<'static, str>])> {
    PAGES.iter().map(|&(name, make, aliases)| {
        (Arc::new(TableCodec::made(name, "oem_cp, codepage-437", make)) as Arc<dyn Codec>, aliases)
    })
}

const fn alias(label: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(label)
}

type Named = (&'static str, fn(&'static str) -> Table, &'static [Cow<'static, str>]);

/// By IANA's name where there is one, else `CP` and the number. The bare number, `cp850` and the like need no alias.
#[rustfmt::skip]
static PAGES: &[Named] = &[
    ("IBM437", ibm437, &[alias("cp437"), alias("437"), alias("csPC8CodePage437")]),
    ("cp437-wingdings", wingdings, &[]),
    ("CP720", upper, &[alias("DOS-720")]),
    ("CP737", upper, &[alias("IBM737"), alias("x-IBM737")]),
    ("IBM775", upper, &[alias("cp775"), alias("csPC775Baltic")]),
    ("IBM850", upper, &[alias("cp850"), alias("850"), alias("csPC850Multilingual")]),
    ("IBM852", upper, &[alias("cp852"), alias("852"), alias("csPCp852")]),
    ("IBM855", upper, &[alias("cp855"), alias("855"), alias("csIBM855")]),
    ("IBM857", upper, &[alias("cp857"), alias("857"), alias("csIBM857")]),
    ("IBM00858", upper, &[alias("CCSID00858"), alias("CP00858"), alias("PC-Multilingual-850+euro"), alias("csIBM00858"), alias("IBM858"), alias("CP858")]),
    ("IBM860", upper, &[alias("cp860"), alias("860"), alias("csIBM860")]),
    ("IBM861", upper, &[alias("cp861"), alias("861"), alias("cp-is"), alias("csIBM861")]),
    ("IBM862", upper, &[alias("cp862"), alias("862"), alias("csPC862LatinHebrew")]),
    ("IBM863", upper, &[alias("cp863"), alias("863"), alias("csIBM863")]),
    ("IBM864", upper, &[alias("cp864"), alias("csIBM864")]),
    ("IBM865", upper, &[alias("cp865"), alias("865"), alias("csIBM865")]),
    #[cfg(not(feature = "whatwg"))]
    ("IBM866", upper, &[alias("cp866"), alias("866"), alias("csIBM866")]),
    ("IBM869", upper, &[alias("cp869"), alias("869"), alias("cp-gr"), alias("csIBM869")]),
    ("CP874", upper, &[alias("IBM874")]),
];

/// ASCII, and the upper half that `oem_cp` has under the number in `name`.
fn upper(name: &'static str) -> Table {
    let number = name.trim_start_matches(|ch: char| ch.is_ascii_alphabetic()).parse().unwrap_or(0u16);
    let table = DECODING_TABLE_CP_MAP.get(&number);
    Table::from_fn(name, "oem_cp", |byte| {
        let Some(index) = usize::from(byte).checked_sub(0x80) else { return Some(byte.into()) };
        match table? {
            TableType::Complete(chars) => Some(chars[index]),
            TableType::Incomplete(chars) => chars[index],
        }
    })
}

fn ibm437(name: &'static str) -> Table {
    dialect(name, &CP437_CONTROL)
}

fn wingdings(name: &'static str) -> Table {
    dialect(name, &CP437_WINGDINGS)
}

fn dialect(name: &'static str, dialect: &Cp437Dialect) -> Table {
    Table::from_fn(name, "codepage-437", |byte| Some(dialect.decode(byte)))
}
