//! Names of charsets that people type, but that no document uses: those of databases, editors and shells.
//!
//! Documents and their Content-Type may not use them, because every additional name is another way to mislead a filter.
//! `spec/labels.tsv` has the source of each of them.

use super::label;

/// The meaning of such a name: a label, and whether output begins with a byte order mark.
pub(super) struct Meaning {
    pub(super) label: String,
    pub(super) has_mark: bool,
}

/// Returns what a name means that is not a label; `None` if it is not one of these names.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let key = label::key(name);
    let plain = |label: String| Some(Meaning { label, has_mark: false });
    let listed = |names: &str| names.split_ascii_whitespace().any(|known| label::same_key(known, name));
    let mut lines = NAMES.lines().filter_map(|line| line.split_once(' '));
    if let Some((label, _)) = lines.find(|(_, names)| listed(names)) {
        return plain(label.to_owned());
    }
    if listed(ORACLE) {
        return plain(of_oracle(&key)?);
    }
    if let Some(label) = of_editor(name) {
        return plain(label.to_owned());
    }
    if let Some(number) = key.strip_prefix("win").filter(|number| is_number(number)) {
        return plain(format!("windows-{number}"));
    }
    let form = MARKS.iter().find_map(|mark| key.strip_suffix(mark))?;
    let form = form.strip_prefix('x').unwrap_or(form);
    MARKED.contains(&form).then(|| Meaning { label: form.to_owned(), has_mark: true })
}

/// Returns why a name that people type names no charset, with what it may mean; `None` if it is not one of these names.
pub(super) fn refusal(name: &str) -> Option<&'static str> {
    let listed = |names: &str| names.split_ascii_whitespace().any(|known| label::same_key(known, name));
    let end = name.rsplit_once('-').map(|(_, end)| end.to_ascii_lowercase());
    if matches!(end.as_deref(), Some("dos" | "mac")) {
        return Some(
            "its last part tells how lines end, not the encoding; leave it out, and ask for the ends of lines",
        );
    }
    REFUSALS.lines().filter_map(|line| line.split_once(": ")).find(|(names, _)| listed(names)).map(|(_, why)| why)
}

/// Returns what an editor's name is without its first part, which tells how wide the codes are, or without its last
/// part, if it says that lines end in LF.
fn of_editor(name: &str) -> Option<&str> {
    let begin = ["8bit-", "2byte-"].iter().find_map(|part| name.strip_prefix(part));
    begin.or_else(|| {
        name.split_at_checked(name.len().checked_sub(5)?)
            .filter(|(_, end)| end.eq_ignore_ascii_case("-unix"))
            .map(|(begin, _)| begin)
    })
}

/// Returns all of these names that are listed, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let lines = NAMES.lines().filter_map(|line| Some(line.split_once(' ')?.1));
    lines.chain([ORACLE]).flat_map(str::split_ascii_whitespace)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the label for a name of Oracle's: the language, the number of bits, and a code page with its number.
fn of_oracle(key: &str) -> Option<String> {
    const FAMILIES: [(&str, &str); 4] =
        [("mswin", "windows-"), ("iso8859p", "ISO-8859-"), ("ebcdic", "IBM"), ("pc", "IBM")];
    FAMILIES.iter().find_map(|(theirs, ours)| {
        let (_, number) = key.split_once(theirs)?;
        is_number(number).then(|| format!("{ours}{number}"))
    })
}

/// The ends of a name that ask for a byte order mark, by their keys, the longest first.
const MARKS: [&str; 4] = ["withsignature", "withbom", "bom", "sig"];

/// The forms of Unicode that have a byte order mark, by their keys.
const MARKED: [&str; 7] = ["utf8", "utf16le", "utf16be", "utf32le", "utf32be", "ucs2le", "ucs2be"];

/// Oracle's names that end in the number of a code page.
const ORACLE: &str = "WE8MSWIN1252 EE8MSWIN1250 CL8MSWIN1251 EL8MSWIN1253 TR8MSWIN1254 IW8MSWIN1255 AR8MSWIN1256 \
    BLT8MSWIN1257 VN8MSWIN1258 KO16MSWIN949 ZHT16MSWIN950 WE8ISO8859P1 EE8ISO8859P2 SE8ISO8859P3 NEE8ISO8859P4 \
    CL8ISO8859P5 AR8ISO8859P6 EL8ISO8859P7 IW8ISO8859P8 WE8ISO8859P9 NE8ISO8859P10 BLT8ISO8859P13 CEL8ISO8859P14 \
    WE8ISO8859P15 WE8EBCDIC37 WE8EBCDIC284 WE8EBCDIC285 WE8EBCDIC500 WE8EBCDIC871 WE8EBCDIC924 WE8EBCDIC1047 \
    WE8EBCDIC1140 WE8EBCDIC1145 WE8EBCDIC1146 WE8EBCDIC1148 D8EBCDIC273 D8EBCDIC1141 DK8EBCDIC277 DK8EBCDIC1142 \
    S8EBCDIC278 S8EBCDIC1143 I8EBCDIC280 I8EBCDIC1144 F8EBCDIC297 F8EBCDIC1147 EE8EBCDIC870 CL8EBCDIC1025 CL8EBCDIC1158 \
    EL8EBCDIC875 TR8EBCDIC1026 BLT8EBCDIC1112 IW8EBCDIC424 JA16EBCDIC930 US8PC437 WE8PC850 WE8PC858 WE8PC860 EE8PC852 \
    RU8PC855 RU8PC866 TR8PC857 IS8PC861 CDN8PC863 N8PC865 EL8PC737 EL8PC851 EL8PC869 BLT8PC775";

/// Names that are refused: each line has the names, and why.
const REFUSALS: &str = "\
WIN: it means windows-1251 (PostgreSQL) or Windows' page of Western Europe; name windows-1251 or windows-1252
ABC: it means windows-1258 (PostgreSQL) or the Vietnamese TCVN5712-1; name one of them
VSCII: it means TCVN5712-1 (the standard) or windows-1258 (PostgreSQL); name one of them
japan: it means EUC-JP (on Unix) or windows-31J (on Windows); name one of them
korea: it means EUC-KR (on Unix) or windows-949 (on Windows); name one of them
prc: it means GB2312 (on Unix) or windows-936 (on Windows); name one of them
taiwan: it means EUC-TW (on Unix) or windows-950 (on Windows); name one of them
SQL_ASCII binary raw-text no-conversion: it stands for bytes in any encoding; name the encoding itself
undecided prefer-utf-8 utf-8-auto ucs-bom: it stands for a choice by the bytes; detect the encoding, or name it
MULE_INTERNAL emacs-mule emacs-internal utf-8-emacs: it is internal to Emacs; save the text as UTF-8 there
keybcs2 geostd8: charpipe has no table for it; load one from a file
";

/// Other names: each line has a label, and the names that mean the same. One string, so that a loader has no pointers
/// to fill in. SAP's numbers are names only after `sap-`: a number alone is one of IBM's.
const NAMES: &str = "\
UTF-8 utf8mb3 utf8mb4 utf8nobom utf-8-strict AL32UTF8 mule-utf-8 sap-4110
UTF-16 utf-16-bom
UTF-32 utf-32-bom
UTF-16LE AL16UTF16LE sap-4103
UTF-16BE AL16UTF16 sap-4102
UTF-32LE sap-4105
UTF-32BE sap-4104
US-ASCII US7ASCII
ISO-8859-1 iso-latin-1 sap-1100
ISO-8859-2 iso-latin-2 sap-1401
ISO-8859-3 iso-latin-3
ISO-8859-4 iso-latin-4
ISO-8859-5 cyrillic-iso-8bit sap-1500
IBM866 ALT
ISO-8859-7 greek-iso-8bit sap-1700
ISO-8859-8 hebrew-iso-8bit sap-1800
ISO-8859-9 iso-latin-5 sap-1610
ISO-8859-10 iso-latin-6
ISO-8859-13 iso-latin-7
ISO-8859-14 iso-latin-8
ISO-8859-15 iso-latin-9
ISO-8859-16 iso-latin-10
windows-1250 sap-1404
windows-1251 sap-1504
windows-1252 sap-1160
windows-1253 sap-1704
windows-1254 sap-1614
windows-1255 sap-1804
windows-1256 sap-8704
windows-1257 sap-1904
IBM500 sap-0120
IBM870 sap-0410
IBM1025 sap-0500
IBM1026 sap-0610
IBM875 sap-0700
IBM424 sap-0800
IBM838 TH8TISEBCDIC sap-0860
Shift_JIS JA16SJIS JA16SJISTILDE japanese-shift-jis sap-8000
EUC-JP JA16EUC JA16EUCTILDE japanese-iso-8bit sap-8100
ISO-2022-JP junet
GB2312 ZHS16CGB231280 chinese-iso-8bit cn-gb-2312 sap-8400
GBK ZHS16GBK chinese-gbk
gb18030 ZHS32GB18030 chinese-gb18030
HZ chinese-hz
Big5 ZHT16BIG5 chinese-big5 sap-8300
Big5-HKSCS ZHT16HKSCS chinese-big5-hkscs
EUC-TW ZHT32EUC
EUC-KR KO16KSC5601 korean-iso-8bit sap-8500
JOHAB KO16KSCCS
TIS-620 TH8TISASCII thai-tis620 sap-8600
KOI8-R CL8KOI8R cyrillic-koi8
KOI8-U CL8KOI8U
ISO-IR-111 CL8ISOIR111
VISCII vietnamese-viscii
TCVN vietnamese-tcvn
DEC-MCS dec8 WE8DEC
hp-roman8 hp8 WE8ROMAN8
SEN_850200_B swe7
macintosh WE8MACROMAN8 WE8MACROMAN8S
x-mac-cyrillic CL8MACCYRILLIC CL8MACCYRILLICS
macce EE8MACCE EE8MACCES
x-mac-greek EL8MACGREEK EL8MACGREEKS
x-mac-turkish TR8MACTURKISH TR8MACTURKISHS
maciceland IS8MACICELANDIC IS8MACICELANDICS
OSD_EBCDIC_DF04_1 WE8BS2000
";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// `tests/it/labels.rs` looks each row up.
    #[test]
    fn each_name_has_its_source_in_the_list() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/spec/labels.tsv");
        let list = std::fs::read_to_string(path).unwrap();
        let listed: HashSet<&str> = list.lines().filter_map(|line| line.split('\t').next()).collect();
        let refused = REFUSALS.lines().flat_map(|line| line.split_once(": ").unwrap().0.split(' '));
        for name in names().chain(refused) {
            assert!(listed.contains(name), "{name}");
            assert!(super::super::builtin::find(name).is_none(), "{name} is a label");
        }
    }

    #[test]
    fn what_names_mean() {
        let label = |name: &str| meaning(name).map(|meaning| (meaning.label, meaning.has_mark));
        let plain = |label: &str| Some((label.to_owned(), false));
        assert_eq!(label("win-1252"), plain("windows-1252"));
        assert_eq!(label("we8iso8859p15"), plain("ISO-8859-15"));
        assert_eq!(label("X9ISO8859P15"), None);
        assert_eq!(label("SAP1100"), plain("ISO-8859-1"));
        assert_eq!(label("1100"), None);
        assert_eq!(label("utf-8-sig"), Some(("utf8".to_owned(), true)));
        assert_eq!(label("latin1-bom"), None);
        assert_eq!(label("x-unix"), plain("x"));
        assert_eq!(label("-unix"), plain(""));
        assert_eq!(label("é-uni"), None);
        assert_eq!(label("windows"), None);
    }
}
