//! The charsets that are known but not supported, and those that a document may not choose.

use super::label;

/// The codecs that only a user may choose. For a document, and for what transports it, their labels are unknown: text
/// in them looks like harmless ASCII, so markup could be smuggled past a filter.
pub(super) const HIDDEN: &[&str] = &["UTF-7", "UTF-7-IMAP"];

/// The codecs that a document is not read with either, with an error that says so. The Encoding Standard maps their
/// labels to `replacement` for the same reason.
pub(super) const NOT_IN_DOCUMENTS: &[&str] = &["HZ-GB-2312", "ISO-2022-KR", "ISO-2022-CN", "ISO-2022-CN-EXT"];

pub(super) const WHY_NOT_IN_DOCUMENTS: &str = "no document is read with it because of a label; name it as the source";

/// Returns why a charset is not supported and what to do; `None` if the label is not one of these.
pub(super) fn reason(label: &str) -> Option<&'static str> {
    let names = |labels: &str| labels.split_ascii_whitespace().any(|known| label::same_key(known, label));
    REFUSED.iter().find(|(labels, _)| names(labels)).map(|(_, reason)| *reason)
}

/// Returns all labels of charsets that are not supported.
pub(super) fn labels() -> impl Iterator<Item = &'static str> {
    REFUSED.iter().flat_map(|(labels, _)| labels.split_ascii_whitespace())
}

/// The labels, and the reason. `spec/peer-labels.tsv` has who uses them.
#[rustfmt::skip]
static REFUSED: &[(&str, &str)] = &[
    #[cfg(not(feature = "legacy"))]
    ("HZ-GB-2312 ISO-2022-CN ISO-2022-CN-EXT ISO-2022-KR csISO2022KR", "this build has no legacy charsets"),
    ("replacement", "it stands for encodings that the web refuses; name the encoding itself"),
    ("SCSU ibm-1212 ibm-1213", "it is a compression of Unicode; convert it with `uconv -f SCSU -t UTF-8` first"),
    ("BOCU-1 csBOCU-1 ibm-1214 ibm-1215", "it is a compression of Unicode; convert it with `uconv -f BOCU-1 -t UTF-8` first"),
    ("JIS8 ISO_2022,locale=ja,version=4", "it is ISO-2022-JP with bytes above 7F; convert it with `uconv -f JIS8 -t UTF-8` first"),
    ("CESU-8 csCESU-8 ibm-9400", "it is UTF-8 with surrogates; convert it with `uconv -f CESU-8 -t UTF-8` first"),
    ("LMBCS-1 LMBCS ibm-65025", "it is internal to Lotus programs; convert it with `uconv -f LMBCS-1 -t UTF-8` first"),
    ("COMPOUND_TEXT x-compound-text x11-compound-text", "it switches between many charsets; convert it with `uconv -f COMPOUND_TEXT -t UTF-8` first"),
    ("x-iscii-de iscii-dev ISCII91 ISCII x-ISCII91 ibm-4902 windows-57002 57002 CP57002 x-iscii-be iscii-bng windows-57003 57003 CP57003 \
      x-iscii-as windows-57006 57006 CP57006 x-iscii-pa iscii-gur windows-57011 57011 CP57011 x-iscii-gu iscii-guj windows-57010 57010 CP57010 \
      x-iscii-or iscii-ori windows-57007 57007 CP57007 x-iscii-ta iscii-tml windows-57004 57004 CP57004 x-iscii-te iscii-tlg windows-57005 57005 \
      CP57005 x-iscii-ka iscii-knd windows-57008 57008 CP57008 x-iscii-ma iscii-mlm windows-57009 57009 CP57009 \
      ISCII,version=0 ISCII,version=1 ISCII,version=2 ISCII,version=3 ISCII,version=4 ISCII,version=5 ISCII,version=6 \
      ISCII,version=7 ISCII,version=8",
     "text in it changes script within a line; convert it with `uconv -f x-iscii-de -t UTF-8` (or the code of another script) first"),
    ("TSCII", "its letters are in visual order, which needs reordering; convert it with `iconv -f TSCII -t UTF-8` first"),
    ("709 CP709 windows-709", "Windows has no table for it; name ISO-8859-6"),
    ("710 CP710 windows-710", "Windows has no table for it; name ISO-8859-6"),
    ("29001 CP29001 windows-29001", "Windows has no table for it; name ISO-8859-1"),
    ("50930 CP50930 windows-50930", "Windows has no table for it; name IBM930"),
    ("50931 CP50931 windows-50931", "Windows has no table for it; name IBM931"),
    ("50933 CP50933 windows-50933", "Windows has no table for it; name IBM933"),
    ("50935 CP50935 windows-50935", "Windows has no table for it; name IBM935"),
    ("50936 CP50936 windows-50936", "Windows has no table for it; name IBM935"),
    ("50937 CP50937 windows-50937", "Windows has no table for it; name IBM937"),
    ("50939 CP50939 windows-50939", "Windows has no table for it; name IBM939"),
    ("29626c cp29626c ibm-29626c x-IBM29626C", "it is the JDK's mix of EUC-JP and IBM's characters; name EUC-JP or IBM33722"),
    ("Big5_Solaris x-Big5-Solaris", "it is Big5 with seven characters of Solaris; name Big5"),
    ("MS950_HKSCS_XP x-MS950-HKSCS-XP", "it is a mix of Windows' page 950 and HKSCS; name windows-950 or Big5-HKSCS"),
    ("MS932-0213 windows-932-0213 MS932:2004 windows-932:2004 x-MS932_0213", "it is a mix of Windows' page 932 and JIS X 0213; name windows-932 or Shift_JIS-2004"),
    ("JIS0208 x-JIS0208 x0208 JIS_C6226-1983 JIS_X0208-1983 iso-ir-87 csISO87JISX0208", "it is a set of pairs that others contain; name EUC-JP or ISO-2022-JP"),
    ("JIS0212 JIS_X0212-1990 x0212 iso-ir-159 csISO159JISX02121990", "it is a set of pairs that others contain; name EUC-JP or ISO-2022-JP-1"),
    ("GSM0338 gsm-03.38-2009", "it is for text messages, where septets are packed; convert it with `uconv -f GSM0338 -t UTF-8` first"),
    ("ebcdic-xml-us", "it has only the characters of an XML declaration; name an EBCDIC page such as IBM037"),
    ("posix-bc", "Perl's page of BS2000 differs in seven control characters from OSD_EBCDIC_DF04_1; name that one if they do not matter"),
    ("ibm039", "IBM's page 39 is older than page 37, which Python reads in its place; name IBM037 if that is meant"),
    ("WCHAR_T", "it depends on the machine; name UTF-32LE or UTF-32BE"),
    ("UTF16_PlatformEndian UTF16_OppositeEndian", "it depends on the machine; name UTF-16LE or UTF-16BE"),
    ("UTF32_PlatformEndian UTF32_OppositeEndian", "it depends on the machine; name UTF-32LE or UTF-32BE"),
    ("UTF-16LE-BOM x-UTF-16LE-BOM UTF-16LE,version=1", "a byte order mark is not part of an encoding; name UTF-16LE and ask for the mark"),
    ("UTF-16BE,version=1 UTF-16,version=1 UTF-16,version=2", "a byte order mark is not part of an encoding; name UTF-16 or UTF-16BE"),
    ("UTF-32LE-BOM X-UTF-32LE-BOM", "a byte order mark is not part of an encoding; name UTF-32LE and ask for the mark"),
    ("UTF-32BE-BOM X-UTF-32BE-BOM", "a byte order mark is not part of an encoding; name UTF-32BE and ask for the mark"),
    ("UTF-8-SIG", "a byte order mark is not part of an encoding; name UTF-8 and ask for the mark"),
    ("JISAutoDetect x-JISAutoDetect", "it guesses; detect the encoding, or name Shift_JIS, EUC-JP or ISO-2022-JP"),
    ("default mbcs dbcs", "it depends on the machine; name the code page, such as windows-1252 or IBM437"),
    ("ansi", "Windows has many code pages of that name; the one for Western Europe is windows-1252"),
    ("oem", "there are many; IBM437 is that of the United States, IBM850 that of Western Europe"),
    ("base64 base_64 base64_codec", "it is not a charset; decode it with `base64 -d` first"),
    ("hex hex_codec", "it is not a charset; decode it with `xxd -r -p` first"),
    ("quopri quopri_codec quoted_printable quotedprintable", "it is not a charset; decode it with a mail program first"),
    ("uu uu_codec", "it is not a charset; decode it with `uudecode` first"),
    ("zip zlib zlib_codec", "it is not a charset; decompress it first"),
    ("bz2 bz2_codec", "it is not a charset; decompress it with `bunzip2` first"),
    ("rot13 rot_13", "it is not a charset; decode it with `tr A-Za-z N-ZA-Mn-za-m` first"),
    ("idna punycode", "it is not a charset, but the form of domain names; decode it with `idn2 -d` first"),
    ("unicode_escape raw_unicode_escape", "it is not a charset, but an escape of Python source; decode it with Python first"),
    ("charmap undefined aliases", "it is internal to Python; name the encoding itself"),
];
