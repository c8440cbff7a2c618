//! The code pages of DOS, from the decode tables of the crates `oem_cp` and `codepage-437`. No other file uses these
//! crates.
//!
//! Our own engine runs the tables in both directions, so exactly the characters that can be decoded can be encoded. (The
//! encoder of `codepage-437` writes € as EE, which is ε.) The tables are Microsoft's. `oem_cp` has the upper halves; the
//! lower half is ASCII with its control characters. `IBM437` has control characters too; `cp437-wingdings` has the
//! pictures of the IBM PC at 01 to 1F and 7F instead.
//!
//! # Which tables these are
//!
//! Microsoft's, as in `oem_cp`. Data in these pages comes from DOS and Windows, above all names in ZIP archives. It was
//! written with Microsoft's tables, and IBM's tables decode it to other characters. `tests/it/peers/tables.rs` compares
//! every byte and every character with ICU (IBM's tables), glibc and the JDK; `spec/table-differences.md` lists each
//! difference and its reason. The important ones:
//!
//! | page | bytes | here | elsewhere |
//! |---|---|---|---|
//! | all | 1A 1C 7F | the controls of ASCII, as Microsoft, glibc and the JDK | ICU: rotated, to U+001C, U+007F and U+001A |
//! | six pages | E6 | U+00B5, as glibc and the JDK | ICU: U+03BC |
//! | IBM864 | 25 | U+0025 %, as ICU: lower halves are ASCII | glibc, JDK: U+066A |
//! | IBM864 | 9B 9C 9F | the C1 control of that number, as Windows | unassigned; ICU: 9F is U+200B |
//! | IBM864 | D7 D8 F1 | as glibc and the JDK | ICU: other forms |
//! | IBM869 | 80–85 87 93 94 | the C1 control of that number, as Windows | unassigned |
//! | IBM869 | 88 EF | as glibc and the JDK | ICU: U+0387, U+00B4 |
//! | CP874 | 81–84 86–90 98–9F | the C1 control of that number, as Windows | unassigned |
//! | CP874 | 85 91–97 A0 DB–DE FC–FF | Microsoft's page, as glibc | ICU, JDK: IBM's 874, which is another page |
//!
//! With C1 controls for the unassigned bytes, every byte of a file survives a round trip. The label `IBM874` also means
//! Microsoft's page, as in glibc.

use crate::codec::table::Table;
use crate::codec::{Codec, TableCodec};
use codepage_437::{CP437_CONTROL, CP437_WINGDINGS, Cp437Dialect};
use oem_cp::code_table::DECODING_TABLE_CP_MAP;
use oem_cp::code_table_type::TableType;
use std::sync::Arc;

/// Returns the name, the other labels and the description of a page by its place.
pub(crate) fn names(index: usize) -> Option<[&'static str; 3]> {
    PAGES.get(index).map(|&(name, _, aliases, about)| [name, aliases, about])
}

/// Returns the codec of one of these [`names`].
pub(crate) fn codec(name: &'static str) -> Arc<dyn Codec> {
    let make = PAGES.iter().find(|(found, ..)| *found == name).map_or(upper as fn(_) -> _, |(_, make, ..)| *make);
    Arc::new(TableCodec::made(name, "oem_cp, codepage-437", make))
}

type Named = (&'static str, fn(&'static str) -> Table, &'static str, &'static str);

/// The name is IANA's if there is one, and `CP` with the number otherwise. The bare number, `cp850` and the like need no
/// alias.
#[rustfmt::skip]
static PAGES: &[Named] = &[
    ("IBM437", ibm437, "cp437 437 csPC8CodePage437 OSF100201B5 windows-437", "Western European, DOS"),
    ("cp437-wingdings", wingdings, "", "Western European, DOS, with pictures for control characters"),
    ("CP720", upper, "DOS-720 windows-720", "Arabic, DOS"),
    ("CP737", upper, "IBM737 x-IBM737 windows-737", "Greek, DOS"),
    ("IBM775", upper, "cp775 csPC775Baltic windows-775", "Baltic, DOS"),
    ("IBM850", upper, "cp850 850 csPC850Multilingual OSF10020352 windows-850", "Western European, DOS"),
    ("IBM852", upper, "cp852 852 csPCp852 OSF10020354 windows-852", "Central European, DOS"),
    ("IBM855", upper, "cp855 855 csIBM855 OSF10020357 windows-855 csPCp855", "Cyrillic, DOS"),
    ("IBM857", upper, "cp857 857 csIBM857 OSF10020359 windows-857", "Turkish, DOS"),
    ("IBM00858", upper, "CCSID00858 CP00858 PC-Multilingual-850+euro csIBM00858 IBM858 CP858 CSPC858MULTILINGUAL windows-858", "Western European with the euro sign, DOS"),
    ("IBM860", upper, "cp860 860 csIBM860 windows-860", "Portuguese, DOS"),
    ("IBM861", upper, "cp861 861 cp-is csIBM861 CPIBM861 OSF1002035D windows-861", "Icelandic, DOS"),
    ("IBM862", upper, "cp862 862 csPC862LatinHebrew csIBM862 OSF1002035E windows-862 DOS-862", "Hebrew, DOS"),
    ("IBM863", upper, "cp863 863 csIBM863 OSF1002035F windows-863", "French (Canada), DOS"),
    ("IBM864", upper, "cp864 csIBM864 OSF10020360 windows-864", "Arabic, DOS"),
    ("IBM865", upper, "cp865 865 csIBM865 windows-865", "Danish, Norwegian, DOS"),
    #[cfg(not(feature = "whatwg"))]
    ("IBM866", upper, "cp866 866 csIBM866", "Cyrillic, DOS"),
    ("IBM869", upper, "cp869 869 cp-gr csIBM869 OSF10020365 windows-869", "Greek, DOS"),
    ("CP874", upper, "IBM874 IBM1162 ibm-1162_P100-1999 CSIBM11621162", "Thai, DOS"),
];

/// Builds a page: ASCII, and the upper half that `oem_cp` has for the number in `name`.
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
