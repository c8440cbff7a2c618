//! The pages of `codecs/`: their heads, and where the rest lies in `pages.bin`. Generated, never edited: change
//! the page, then run `CHARPIPE_WRITE_PAGES=1 cargo test --test tables`.

use super::table::packed::Packed;

/// The built-in pages, by name.
#[rustfmt::skip]
pub static PAGES: &[Packed] = &[
    Packed { name: "IBM-Thai", aliases: &["ibm-838_P100-1995"], source: "ibm-838_P100-1995.ucm", is_single: true, record: 82178 },
    Packed { name: "IBM01140", aliases: &["IBM1140", "CCSID01140", "CP01140", "ebcdic-us-37+euro", "ebcdic-us-037+euro", "csIBM01140", "CSIBM1140", "ibm-1140_P100-1997"], source: "ibm-1140_P100-1997.ucm", is_single: true, record: 82477 },
    Packed { name: "IBM01141", aliases: &["CCSID01141", "CP01141", "ebcdic-de-273+euro", "csIBM01141", "1141", "ibm-1141_P100-1997"], source: "ibm-1141_P100-1997.ucm", is_single: true, record: 82774 },
    Packed { name: "IBM01142", aliases: &["CCSID01142", "CP01142", "ebcdic-dk-277+euro", "ebcdic-no-277+euro", "csIBM01142", "1142", "ibm-1142_P100-1997"], source: "ibm-1142_P100-1997.ucm", is_single: true, record: 83071 },
    Packed { name: "IBM01143", aliases: &["CCSID01143", "CP01143", "ebcdic-fi-278+euro", "ebcdic-se-278+euro", "csIBM01143", "1143", "ibm-1143_P100-1997"], source: "ibm-1143_P100-1997.ucm", is_single: true, record: 83368 },
    Packed { name: "IBM01144", aliases: &["CCSID01144", "CP01144", "ebcdic-it-280+euro", "csIBM01144", "1144", "csPC8CodePage1144", "ibm-1144_P100-1997"], source: "ibm-1144_P100-1997.ucm", is_single: true, record: 83665 },
    Packed { name: "IBM01145", aliases: &["CCSID01145", "CP01145", "ebcdic-es-284+euro", "csIBM01145", "1145", "ibm-1145_P100-1997"], source: "ibm-1145_P100-1997.ucm", is_single: true, record: 83962 },
    Packed { name: "IBM01146", aliases: &["CCSID01146", "CP01146", "ebcdic-gb-285+euro", "csIBM01146", "1146", "csPC8CodePage1146", "ibm-1146_P100-1997"], source: "ibm-1146_P100-1997.ucm", is_single: true, record: 84259 },
    Packed { name: "IBM01147", aliases: &["CCSID01147", "CP01147", "ebcdic-fr-297+euro", "csIBM01147", "1147", "ebcdic-fr-277+euro", "ibm-1147_P100-1997"], source: "ibm-1147_P100-1997.ucm", is_single: true, record: 84556 },
    Packed { name: "IBM01148", aliases: &["CCSID01148", "CP01148", "ebcdic-international-500+euro", "csIBM01148", "1148", "ibm-1148_P100-1997"], source: "ibm-1148_P100-1997.ucm", is_single: true, record: 84853 },
    Packed { name: "IBM01149", aliases: &["CCSID01149", "CP01149", "ebcdic-is-871+euro", "csIBM01149", "1149", "ebcdic-s-871+euro", "ibm-1149_P100-1997"], source: "ibm-1149_P100-1997.ucm", is_single: true, record: 85150 },
    Packed { name: "IBM037", aliases: &["cp037", "ebcdic-cp-us", "ebcdic-cp-ca", "ebcdic-cp-wt", "ebcdic-cp-nl", "csIBM037", "cpibm37", "cs-ebcdic-cp-us", "cs-ebcdic-cp-ca", "cs-ebcdic-cp-wt", "cs-ebcdic-cp-nl", "CP1070", "CP282", "OSF10020025", "ibm-37_P100-1999"], source: "ibm-37_P100-1999.ucm", is_single: true, record: 85447 },
    Packed { name: "IBM1047", aliases: &["cp1047", "csIBM1047", "OSF10020417", "ibm-1047_P100-1995"], source: "ibm-1047_P100-1995.ucm", is_single: true, record: 85747 },
    Packed { name: "IBM1377", aliases: &["ibm-1377_P100-2008"], source: "ibm-1377_P100-2008.ucm", is_single: false, record: 86044 },
    Packed { name: "IBM1390", aliases: &["ibm-1390_P110-2003"], source: "ibm-1390_P110-2003.ucm", is_single: false, record: 100452 },
    Packed { name: "IBM16684", aliases: &["ibm-16684_P110-2003"], source: "ibm-16684_P110-2003.ucm", is_single: false, record: 102484 },
    Packed { name: "IBM273", aliases: &["CP273", "csIBM273", "273", "ebcdic-de", "OSF10020111", "ibm-273_P100-1999"], source: "ibm-273_P100-1999.ucm", is_single: true, record: 104480 },
    Packed { name: "IBM277", aliases: &["EBCDIC-CP-DK", "EBCDIC-CP-NO", "csIBM277", "277", "cp277", "ebcdic-dk", "OSF10020115", "ibm-277_P100-1999"], source: "ibm-277_P100-1999.ucm", is_single: true, record: 104780 },
    Packed { name: "IBM278", aliases: &["CP278", "ebcdic-cp-fi", "ebcdic-cp-se", "csIBM278", "278", "ebcdic-sv", "OSF10020116", "ibm-278_P100-1999"], source: "ibm-278_P100-1999.ucm", is_single: true, record: 105080 },
    Packed { name: "IBM280", aliases: &["CP280", "ebcdic-cp-it", "csIBM280", "280", "OSF10020118", "ibm-280_P100-1999"], source: "ibm-280_P100-1999.ucm", is_single: true, record: 105380 },
    Packed { name: "IBM284", aliases: &["CP284", "ebcdic-cp-es", "csIBM284", "284", "CP1079", "cpibm284", "OSF1002011C", "ibm-284_P100-1999"], source: "ibm-284_P100-1999.ucm", is_single: true, record: 105680 },
    Packed { name: "IBM285", aliases: &["CP285", "ebcdic-cp-gb", "csIBM285", "285", "cpibm285", "ebcdic-gb", "OSF1002011D", "ibm-285_P100-1999"], source: "ibm-285_P100-1999.ucm", is_single: true, record: 105980 },
    Packed { name: "IBM290", aliases: &["cp290", "EBCDIC-JP-kana", "csIBM290", "OSF10020122", "ibm-290_P100-1995"], source: "ibm-290_P100-1995.ucm", is_single: true, record: 106280 },
    Packed { name: "IBM297", aliases: &["cp297", "ebcdic-cp-fr", "csIBM297", "297", "CP1081", "cpibm297", "OSF10020129", "ibm-297_P100-1999"], source: "ibm-297_P100-1999.ucm", is_single: true, record: 106574 },
    Packed { name: "IBM300", aliases: &["ibm-300_P120-2006"], source: "ibm-300_P120-2006.ucm", is_single: false, record: 106874 },
    Packed { name: "IBM500", aliases: &["CP500", "ebcdic-cp-be", "ebcdic-cp-ch", "ebcdic-cp-bh", "csIBM500", "500V1", "CP1084", "OSF100201F4", "ibm-500_P100-1999"], source: "ibm-500_P100-1999.ucm", is_single: true, record: 107337 },
    Packed { name: "IBM8482", aliases: &["ibm-8482_P100-1999"], source: "ibm-8482_P100-1999.ucm", is_single: true, record: 107637 },
    Packed { name: "IBM871", aliases: &["CP871", "ebcdic-cp-is", "csIBM871", "871", "ebcdic-is", "OSF10020367", "ibm-871_P100-1999"], source: "ibm-871_P100-1999.ucm", is_single: true, record: 107931 },
    Packed { name: "IBM930", aliases: &["ibm-930_P120-1999"], source: "ibm-930_P120-1999.ucm", is_single: false, record: 108231 },
    Packed { name: "ISO-8859-1", aliases: &["ISO_8859-1:1987", "iso-ir-100", "ISO_8859-1", "latin1", "l1", "IBM819", "CP819", "csISOLatin1", "8859_1", "ISO8859-1"], source: "IANA-charset-ISO-8859-1", is_single: true, record: 109026 },
    Packed { name: "ISO-8859-11", aliases: &["csISO885911", "ISO_8859-11", "ISO8859-11", "8859_11"], source: "IANA-charset-ISO-8859-11", is_single: true, record: 109038 },
    Packed { name: "ISO-8859-9", aliases: &["ISO_8859-9:1989", "iso-ir-148", "ISO_8859-9", "latin5", "l5", "csISOLatin5", "ISO8859-9", "8859_9", "IBM920", "CP920"], source: "IANA-charset-ISO-8859-9", is_single: true, record: 109050 },
    Packed { name: "TIS-620", aliases: &["csTIS620", "TIS620", "TIS620.2533-0", "ISO-IR-166"], source: "TIS-620-2533", is_single: true, record: 109062 },
    Packed { name: "US-ASCII", aliases: &["iso-ir-6", "ANSI_X3.4-1968", "ANSI_X3.4-1986", "ISO_646.irv:1991", "ISO646-US", "us", "IBM367", "cp367", "csASCII", "ASCII", "646"], source: "RFC-20", is_single: true, record: 109074 },
    Packed { name: "ibm-1388_P100-2024", aliases: &[], source: "ibm-1388_P100-2024.ucm", is_single: false, record: 109086 },
    Packed { name: "ibm-930_X120-1999", aliases: &[], source: "ibm-930_X120-1999.ucm", is_single: false, record: 111447 },
];
