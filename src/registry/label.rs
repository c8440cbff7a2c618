//! How labels are compared.
//!
//! 1. White space around a label is ignored, and so is ASCII case.
//! 2. *The number rule.* `IBM`, `CP`, `CCSID`, `x-IBM`, `IBM_`, `CCSID_` or nothing, followed by a number with any
//!    leading zeros, means the code page of that number. A page's own number takes precedence over another page's
//!    alias: glibc calls page 37 `CP282`, but 282 is a page.
//! 3. The exact label.
//! 4. *The key of UTS #22, section 1.4*: only letters and digits, with numbers stripped of their leading zeros.

use super::entry::Entry;
use crate::codec::EbcdicNl;
use crate::words::distance;

/// The newline surfaces that a label may carry: `IBM1047,nl=zos`, and suffixes that are used elsewhere.
pub(super) const SURFACES: &[(&str, EbcdicNl)] = &[
    (",nl=table", EbcdicNl::Table),
    (",nl=zos", EbcdicNl::Zos),
    (",nl=fold", EbcdicNl::Fold),
    (",swaplfnl", EbcdicNl::Zos),
    ("-s390", EbcdicNl::Zos),
    ("_LF", EbcdicNl::Zos),
    ("/ZOS_UNIX", EbcdicNl::Zos),
    // Python writes every punctuation mark of a label as `_`.
    ("_nl_table", EbcdicNl::Table),
    ("_nl_zos", EbcdicNl::Zos),
    ("_nl_fold", EbcdicNl::Fold),
    ("_swaplfnl", EbcdicNl::Zos),
];

/// Returns the UTS #22 key of a label: its ASCII letters in lower case and its digits, without leading zeros.
fn key_bytes(label: &str) -> impl Iterator<Item = u8> {
    let mut after_digit = false;
    label.bytes().filter(u8::is_ascii_alphanumeric).filter_map(move |byte| {
        let counts = byte != b'0' || after_digit;
        // A dropped zero does not count as a digit, so a zero after it is dropped too.
        after_digit = byte.is_ascii_digit() && counts;
        counts.then_some(byte.to_ascii_lowercase())
    })
}

/// Whether two labels have the same key.
pub(super) fn same_key(label: &str, other: &str) -> bool {
    key_bytes(label).eq(key_bytes(other))
}

/// Returns the key as a string.
pub(super) fn key(label: &str) -> String {
    key_bytes(label).map(char::from).collect()
}

/// Returns the code page number of a label in the family `IBM | CP | CCSID | x-IBM | bare`.
fn number(label: &str) -> Option<u32> {
    // A label that does not end in a digit has no number. This settles most labels at once.
    if !label.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    let mut key = [0; 16];
    let mut len = 0;
    for byte in key_bytes(label) {
        *key.get_mut(len)? = byte;
        len += 1;
    }
    let key = &key[..len];
    let families = [&b"xibm"[..], b"ibm", b"ccsid", b"cp", b""];
    let digits = families.iter().find_map(|family| key.strip_prefix(*family)).filter(|digits| !digits.is_empty())?;
    digits.iter().try_fold(0u32, |number, byte| {
        let digit = char::from(*byte).to_digit(10)?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Returns the entry that `label` names. Each of the rules above is tried on all entries before the next rule. `at` returns
/// an entry by its place.
pub(super) fn find<'a>(at: &dyn Fn(usize) -> Option<Entry<'a>>, label: &str) -> Option<Entry<'a>> {
    let label = label.trim_matches(|ch: char| ch.is_ascii_whitespace());
    // No label contains anything but ASCII, and the key would ignore the other characters.
    if key_bytes(label).next().is_none() || !label.is_ascii() {
        return None;
    }
    let page_number = number(label);
    let has_number = |other: &str| page_number.is_some() && number(other) == page_number;
    let first = |is_it: &dyn Fn(Entry<'a>) -> bool| (0..).map_while(at).find(|entry| is_it(*entry));
    let by_label = |rule: &dyn Fn(&str) -> bool| first(&|entry| entry.labels().any(rule));
    first(&|entry| has_number(entry.name()))
        .or_else(|| by_label(&|other| other.eq_ignore_ascii_case(label)))
        .or_else(|| by_label(&|other| same_key(other, label)))
        .or_else(|| by_label(&has_number))
}

/// The keys and the numbers of all labels of some entries. They tell at once of most unknown labels that they are unknown.
/// They are sorted, and not hashed: a program keeps them until it ends, and a tool that looks for lost memory takes a hash
/// table for lost, as no pointer leads to its beginning.
pub(super) struct Keys {
    keys: Vec<String>,
    numbers: Vec<u32>,
}

impl Keys {
    pub(super) fn new<'a>(entries: impl Iterator<Item = Entry<'a>>) -> Keys {
        let labels = entries.flat_map(Entry::labels);
        let (mut keys, numbers): (Vec<_>, Vec<_>) = labels.map(|label| (key(label), number(label))).unzip();
        let mut numbers: Vec<u32> = numbers.into_iter().flatten().collect();
        crate::sort::by(&mut keys, Ord::cmp);
        keys.dedup();
        crate::sort::by(&mut numbers, Ord::cmp);
        numbers.dedup();
        Keys { keys, numbers }
    }

    /// Returns false only if [`find`] finds no entry for `label`: no rule finds a label of another key and another number.
    pub(super) fn may_find(&self, label: &str) -> bool {
        let label = label.trim_matches(|ch: char| ch.is_ascii_whitespace());
        self.keys.binary_search(&key(label)).is_ok()
            || number(label).is_some_and(|number| self.numbers.binary_search(&number).is_ok())
    }
}

/// Splits a label that ends in a newline surface into the plain label and the surface.
pub(super) fn newline_surface(label: &str) -> Option<(&str, EbcdicNl)> {
    let label = label.trim_matches(|ch: char| ch.is_ascii_whitespace());
    SURFACES.iter().find_map(|(suffix, nl)| {
        let at = label.len().checked_sub(suffix.len())?;
        let (plain, end) = label.split_at_checked(at)?;
        end.eq_ignore_ascii_case(suffix).then_some((plain, *nl))
    })
}

/// How wide the codes of a charset are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// Always one byte.
    Single,
    /// One byte or more.
    Multi,
    /// A form of Unicode, with units of this many bytes.
    Unicode(u8),
}

impl Width {
    /// Returns the width that a name tells by itself: by the digits of a form of Unicode, or by a family of charsets.
    pub(super) fn of_name(name: &str) -> Option<Width> {
        const FAMILIES: &[(Width, &[&str])] = &[
            (Width::Unicode(1), &["utf7", "utf8", "cesu8"]),
            (Width::Unicode(2), &["utf16", "ucs2", "iso10646ucs2"]),
            (Width::Unicode(4), &["utf32", "ucs4", "iso10646ucs4"]),
            // No form that is known.
            (Width::Unicode(0), &["utf", "ucs"]),
            (Width::Single, &["iso8859", "iso646", "latin", "koi8", "windows125", "cp125", "mac", "xmac"]),
            (Width::Multi, &["euc", "big5", "gb", "shiftj", "sjis", "iso2022", "johab", "hz", "uhc", "hkscs"]),
        ];
        let key = key(name);
        // `GB` alone is the British set of ISO 646.
        let begins = |begin: &&str| key.len() > 2 && key.starts_with(begin);
        FAMILIES.iter().find(|(_, families)| families.iter().any(&begins)).map(|(width, _)| *width)
    }
}

/// Returns the [near misses](near_misses) of a charset's label. If it tells how wide its codes are, only labels of that
/// width, which `width` returns.
pub(super) fn near_labels<'a>(
    label: &str,
    labels: impl Iterator<Item = &'a str>,
    width: impl Fn(&str) -> Option<Width>,
) -> Vec<String> {
    let wanted = Width::of_name(label);
    near_misses(label, labels, |near| wanted.is_none() || width(near) == wanted)
}

/// Returns the label with digits in place of the letters that look like them, from its first digit on, and from the letters
/// before that on: `cp1O47` and `cpl047` are `cp1047`. Empty if there are no such letters.
pub(super) fn with_digits(label: &str) -> Vec<String> {
    let meant = |byte| match byte {
        b'o' | b'O' => b'0',
        b'i' | b'I' | b'l' => b'1',
        _ => byte,
    };
    let bytes = label.as_bytes();
    let first = bytes.iter().position(u8::is_ascii_digit).unwrap_or(bytes.len());
    let before = bytes[..first].iter().rposition(|byte| meant(*byte) == *byte).map_or(0, |last| last + 1);
    let read = |begin: usize| {
        let mut bytes = bytes.to_vec();
        bytes[begin..].iter_mut().for_each(|byte| *byte = meant(*byte));
        String::from_utf8(bytes).unwrap_or_default()
    };
    let mut readings = vec![read(first), read(before)];
    readings.retain(|reading| reading != label);
    readings
}

/// Returns up to three labels that differ from `label` by a typing or reading mistake, all at the same, smallest
/// distance. Only those that `fits` accepts; it is called for near labels only.
pub(crate) fn near_misses<'a>(
    label: &str,
    labels: impl Iterator<Item = &'a str>,
    fits: impl Fn(&str) -> bool,
) -> Vec<String> {
    // Characters that look alike are treated as equal.
    let lookalike_key = |label: &str| key(label).replace('o', "0").replace(['i', 'l'], "1");
    let label_key = lookalike_key(label);
    // A different digit usually means a different charset, so it counts as two mistakes.
    let changed = |a: u8, b: u8| if a.is_ascii_digit() || b.is_ascii_digit() { 2 } else { 1 };
    let mut near: Vec<(usize, &str)> = labels
        .map(|other| (lookalike_key(other), other))
        // Every extra or missing letter is a step. This check makes an overlong label cheap to reject.
        .filter(|(there, _)| there.len().abs_diff(label_key.len()) <= MAX_DISTANCE)
        // A label that is merely the beginning of another is not a mistake: `EBCDIC` is not `EBCDIC-FR`.
        .filter(|(there, _)| there.len() <= label_key.len() + 1 || !there.starts_with(&label_key))
        .map(|(there, other)| (distance(&label_key, &there, changed), other))
        .filter(|(distance, other)| *distance <= MAX_DISTANCE && *distance * 3 <= other.len())
        .collect();
    near.retain(|(_, other)| fits(other));
    crate::sort::by_key(&mut near, |(distance, _)| *distance);
    near.dedup_by(|a, b| key(a.1) == key(b.1));
    let nearest = near.first().map_or(0, |(distance, _)| *distance);
    near.retain(|(distance, _)| *distance == nearest);
    near.into_iter().take(3).map(|(_, label)| label.to_owned()).collect()
}

/// The largest number of mistakes that still counts as near.
const MAX_DISTANCE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_uts_22() {
        for (label, expected) in [
            ("UTF-8", "utf8"),
            ("utf8", "utf8"),
            ("u.t.f-008", "utf8"),
            ("ISO-8859-1", "iso88591"),
            ("ISO-8859-01", "iso885901"),
            ("IBM00037", "ibm37"),
            ("ibm 0500", "ibm500"),
            ("cp 100", "cp100"),
            ("--", ""),
        ] {
            assert_eq!(key(label), expected, "{label}");
        }
    }

    #[test]
    fn numbers() {
        for (label, expected) in [
            ("IBM-037", Some(37)),
            ("x-IBM037", Some(37)),
            ("CCSID_00037", Some(37)),
            ("037", Some(37)),
            ("cp", None),
            ("IBM-9.9", Some(99)),
            ("IBM00", None),
            ("IBM1047a1", None),
            ("4294967296", None),
            ("windows-1252", None),
            ("99999999999", None),
        ] {
            assert_eq!(number(label), expected, "{label}");
        }
    }

    #[test]
    fn near_misses_are_the_nearest() {
        let known = ["UTF-8", "UTF-16", "IBM1047", "IBM01147", "IBM1204", "ISO-8859-1"];
        for (label, expected) in [
            ("UFT-8", &["UTF-8"][..]),
            ("UCS-3", &[]),
            ("UTF-18", &[]),
            ("IBM1O47", &["IBM1047"]),
            ("IBM1074", &["IBM1047"]),
            ("ISO-8559-1", &["ISO-8859-1"]),
            ("EBCDIC", &[]),
            ("ISO-8859", &["ISO-8859-1"]),
            ("UTF-7", &[]),
            ("UTF8-", &["UTF-8"]),
        ] {
            assert_eq!(near_labels(label, known.into_iter(), Width::of_name), expected, "{label}");
        }
    }

    #[test]
    fn surfaces() {
        assert_eq!(newline_surface("IBM1047,NL=ZOS"), Some(("IBM1047", EbcdicNl::Zos)));
        assert_eq!(newline_surface("IBM-1047/ZOS_UNIX"), Some(("IBM-1047", EbcdicNl::Zos)));
        assert_eq!(newline_surface("é,nl=fold"), Some(("é", EbcdicNl::Fold)));
        assert_eq!(newline_surface("ibm_1047_nl_zos"), Some(("ibm_1047", EbcdicNl::Zos)));
        assert_eq!(newline_surface("IBM1047"), None);
        assert_eq!(newline_surface("é"), None);
    }
}
