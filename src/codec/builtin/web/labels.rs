//! Information about the encodings: labels, names, and the supersets that are decoded for some labels.
//!
//! # Supersets
//!
//! Most multi-byte encodings of the web have more characters than the charset that IANA registers under the label. The
//! superset is decoded, and detection reports `superset-used` if the label names the smaller charset. That depends on
//! the label only: whether a character belongs to the smaller charset cannot be told without that charset's table.
//! Output is named in XML by the name of the superset, since the name of the smaller charset would be untrue.
//!
//! | codec | labels of a smaller charset | decoded as | in XML |
//! |---|---|---|---|
//! | GBK | `GB2312`, `GB_2312-80` and their aliases | GBK | `GBK` |
//! | EUC-KR | `EUC-KR`, `KS_C_5601-1987` and their aliases | windows-949 (UHC) | `windows-949` |
//! | Shift_JIS | `Shift_JIS` and its aliases | Windows-31J: ASCII at 5C and 7E, the rows of NEC and IBM | `Windows-31J` |
//! | Big5 | `Big5` and its aliases, but not `windows-950`, which is a separate page | Big5-HKSCS | `Big5-HKSCS` |
//! | EUC-JP | `EUC-JP` and its aliases | CP51932 (the rows of NEC) with JIS X 0212 | `EUC-JP` |
//! | ISO-2022-JP | `ISO-2022-JP` and its alias | CP50220 (the rows of NEC, half-width katakana) | `ISO-2022-JP` |
//!
//! No other label names a smaller charset: `GBK`, `windows-949`, `Windows-31J`, `Big5-HKSCS`, `CP51932`, `CP50220`,
//! `gb18030` and their aliases mean what is decoded, or so nearly that there is no better name. (GBK is decoded with
//! the four-byte sequences of gb18030, and has € at 80, as Microsoft's 936 does. CP51932 as registered lacks JIS X
//! 0212.)
//!
//! These are the names with which other decoders read most of the output. Of all characters that EUC-KR writes, Java
//! and ICU read every one as `windows-949` and half of them as `EUC-KR`; `CP949` is another charset for Java and ICU.
//! All of them read `Windows-31J` in full. As `Big5-HKSCS` they read 45 to 59 of 14653 characters differently, as
//! `Big5` more than a thousand. Hardly any software knows `CP51932` and `CP50220`, so EUC-JP and ISO-2022-JP keep their
//! names; most software reads these without the 454 characters in the rows of NEC.

use crate::codec::Superset;
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_3, ISO_8859_4, ISO_8859_5,
    ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_8_I, ISO_8859_10, ISO_8859_13, ISO_8859_14, ISO_8859_15, ISO_8859_16,
    KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253,
    WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC, X_USER_DEFINED,
};

/// The source of most of them.
pub(super) const SOURCE: &str = "encoding_rs, Encoding Standard";

/// The source of EUC-JP in a registry.
pub(super) const SOURCE_WITH_TRIPLES: &str = "encoding_rs, Encoding Standard; writes JIS X 0212";

/// The name is IANA's, which is also that of the Encoding Standard; the aliases are from both, and from other
/// converters; then the description.
#[rustfmt::skip]
pub(super) static ENCODINGS: &[(&Encoding, &str, &str)] = &[
    // Single-byte.
    (IBM866, "866 cp866 csibm866 OSF10020362 windows-866", "Cyrillic, DOS"),
    (ISO_8859_10, "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6 ISO_8859-10:1992 ISO_8859-10 OSF0001000A iso-8859_10-1998", "Nordic languages"),
    (ISO_8859_13, "iso8859-13 iso885913 csISO885913 latin7 8859_13 ISO-IR-179 BALTIC l7 IBM921 ibm-921_P100-1995 CSIBM921 windows-28603 CP28603 ISO_8859-13", "Baltic"),
    (ISO_8859_14, "iso8859-14 iso885914 csISO885914 iso-ir-199 ISO_8859-14:1998 ISO_8859-14 latin8 iso-celtic l8 iso-8859_14-1998 8859_14", "Celtic languages"),
    (ISO_8859_15, "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9 csISO885915 Latin-9 ISO-IR-203 ISO_8859-15:1998 8859_15 IBM923 ibm-923_P100-1998 LATIN0 csisolatin0 ISO8859_15_FDIS windows-28605 CP28605", "Western European with the euro sign"),
    (ISO_8859_16, "csISO885916 iso-ir-226 ISO_8859-16:2001 ISO_8859-16 latin10 l10 8859_16", "Romanian and other languages of south-eastern Europe"),
    (ISO_8859_2, "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2 8859_2 IBM912 ibm-912_P100-1995 OSF00010002 windows-28592 CP28592", "Central European"),
    (ISO_8859_3, "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 8859_3 IBM913 ibm-913_P100-2000 OSF00010003 windows-28593 CP28593", "South European (Maltese, Esperanto)"),
    (ISO_8859_4, "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4 8859_4 IBM914 ibm-914_P100-1995 OSF00010004 windows-28594 CP28594", "North European (Baltic)"),
    (ISO_8859_5, "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 8859_5 IBM915 ibm-915_P100-1995 OSF00010005 windows-28595 CP28595", "Cyrillic"),
    (ISO_8859_6, "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 8859_6 IBM1089 ibm-1089_P100-1995 OSF00010006 windows-28596 CP28596 x-ISO-8859-6S", "Arabic"),
    (ISO_8859_7, "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek 8859_7 ISO_8859-7:2003 OSF00010007 ibm-9005 ibm-9005_X110-2007 windows-28597 CP28597", "Greek"),
    (ISO_8859_8, "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual 8859_8 hebrew8 OSF00010008 ibm-5012 ibm-5012_P100-1999 windows-28598 CP28598", "Hebrew, visual order"),
    (ISO_8859_8_I, "csiso88598i logical windows-38598 CP38598", "Hebrew, logical order"),
    (KOI8_R, "cskoi8r koi koi8 koi8_r IBM878 ibm-878_P100-1996 windows-20866 CP20866", "Russian (Cyrillic)"),
    (KOI8_U, "koi8-ru csKOI8U windows-21866 CP21866", "Ukrainian (Cyrillic)"),
    (MACINTOSH, "csmacintosh mac x-mac-roman macroman macos-0_2-10.2", "Western European, Macintosh"),
    (WINDOWS_1250, "cp1250 x-cp1250 cswindows1250 MS-EE IBM5346 ibm-5346_P100-1998", "Central European, Windows"),
    (WINDOWS_1251, "cp1251 x-cp1251 cswindows1251 MS-CYRL IBM5347 ibm-5347_P100-1998 CSIBM5347 ANSI-1251", "Cyrillic, Windows"),
    (WINDOWS_1252, "cp1252 x-cp1252 cswindows1252 MS-ANSI IBM5348 ibm-5348_P100-1997", "Western European, Windows"),
    (WINDOWS_1253, "cp1253 x-cp1253 cswindows1253 MS-GREEK", "Greek, Windows"),
    (WINDOWS_1254, "cp1254 x-cp1254 cswindows1254 MS-TURK IBM5350 ibm-5350_P100-1998", "Turkish, Windows"),
    (WINDOWS_1255, "cp1255 x-cp1255 cswindows1255 MS-HEBR", "Hebrew, Windows"),
    (WINDOWS_1256, "cp1256 x-cp1256 cswindows1256 MS-ARAB IBM9448 ibm-9448_X100-2005 CSIBM9448 x-windows-1256S", "Arabic, Windows"),
    (WINDOWS_1257, "cp1257 x-cp1257 cswindows1257 WINBALTRIM IBM9449 ibm-9449_P100-2002", "Baltic, Windows"),
    (WINDOWS_1258, "cp1258 x-cp1258 cswindows1258 IBM5354 ibm-5354_P100-1998", "Vietnamese, Windows"),
    (WINDOWS_874, "dos-874 cswindows874 MS874 ms-874 x-windows-874", "Thai, Windows"),
    (X_MAC_CYRILLIC, "x-mac-ukrainian mac-cyrillic macos-7_3-10.2 maccy", "Cyrillic, Macintosh"),
    (X_USER_DEFINED, "", "private use"),
    // Multi-byte.
    (SHIFT_JIS, "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis csWindows31J CP932 windows-932 CSIBM932 SJIS-OPEN SJIS-WIN PCK x-PCK x-ms-cp932", "Japanese, Windows"),
    (EUC_JP, "cseucpkdfmtjapanese x-euc-jp Extended_UNIX_Code_Packed_Format_for_Japanese CP51932 csCP51932 UJIS u_jis OSF00030010 windows-51932", "Japanese, Unix"),
    (ISO_2022_JP, "csiso2022jp CP50220 csCP50220 windows-50220 x-windows-50220 ms50220 CP50221 windows-50221 x-windows-50221 ms50221 CP50222 windows-50222 windows-iso2022jp x-windows-iso2022jp ISO_2022,locale=ja,version=0", "Japanese, mail"),
    (GBK, "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk CP936 MS936 windows-936 csGBK EUC-CN x-EUC-CN eucgb2312_cn CN-GB gb2312-80 x-mswin-936 GB13000 windows-51936 CP51936", "Chinese (simplified)"),
    (GB18030, "csGB18030 ibm-1392 windows-54936 CP54936 gb18030-2000 gb18030-2022", "Chinese (simplified), all of Unicode"),
    (BIG5, "big5-hkscs cn-big5 csbig5 x-x-big5 BIGFIVE hkscs big5hk HKSCS-BIG5 big5_tw x-big5 Big5-HKSCS-2001 x-Big5-HKSCS-2001 big5hk-2001", "Chinese (traditional), with Hong Kong"),
    (EUC_KR, "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 CP949 UHC 5601 ksc ks_x_1001 ksx1001 MSCP949 ms949 x-KSC5601 x-windows-949 windows-51949 CP51949 OSF0004000A OSF0005000A", "Korean"),
];

/// Labels for which we decode a superset.
pub(super) struct Larger {
    pub(super) of: &'static Encoding,
    /// The labels that name a smaller charset, and the name of what is decoded, for messages.
    pub(super) superset: Superset<'static>,
    /// A name for an XML declaration that is correct and that other software knows.
    pub(super) xml_name: &'static str,
}

impl Larger {
    const fn new(
        of: &'static Encoding,
        name: &'static str,
        xml_name: &'static str,
        smaller: &'static [&'static str],
    ) -> Self {
        Larger { of, superset: Superset { name, smaller }, xml_name }
    }
}

#[rustfmt::skip]
pub(super) static LARGER: &[Larger] = &[
    Larger::new(GBK, "GBK", "GBK",
        &["gb2312", "csgb2312", "gb_2312", "gb_2312-80", "chinese", "csiso58gb231280", "iso-ir-58"]),
    Larger::new(EUC_KR, "windows-949", "windows-949",
        &["euc-kr", "cseuckr", "ks_c_5601-1987", "ks_c_5601-1989",
          "ksc_5601", "ksc5601", "korean", "csksc56011987", "iso-ir-149"]),
    Larger::new(SHIFT_JIS, "Windows-31J", "Windows-31J",
        &["shift_jis", "shift-jis", "csshiftjis", "ms_kanji", "sjis", "x-sjis"]),
    Larger::new(BIG5, "Big5-HKSCS", "Big5-HKSCS",
        &["big5", "csbig5", "cn-big5", "x-x-big5"]),
    Larger::new(EUC_JP, "CP51932 with JIS X 0212", "EUC-JP",
        &["euc-jp", "x-euc-jp", "cseucpkdfmtjapanese", "extended_unix_code_packed_format_for_japanese"]),
    Larger::new(ISO_2022_JP, "CP50220", "ISO-2022-JP",
        &["iso-2022-jp", "csiso2022jp"]),
];
