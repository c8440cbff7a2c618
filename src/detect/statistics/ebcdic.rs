//! Recognises EBCDIC and its page. The window is decoded in every page and scored in every language that the page can
//! write. Bytes on which the pages differ decide. Pages that decode the window to the same text are treated as one.

use super::guess::{Candidate, Guess, MARGIN, MINIMUM, MOST};
use super::models::{Class, MIN_LIKELIHOOD, Model, fold, is_break, missing, models, reader};
use super::pairs::PairCounts;
use crate::codec::table::{SI, SO};
use crate::codec::{Codec, is_ebcdic};
use crate::registry::Registry;
use std::cell::OnceCell;
use std::sync::{Arc, LazyLock, OnceLock};

/// The initial score of a page, by how rarely the page is used: natural logarithms of likelihoods.
const USUAL_PRIOR: f32 = 0.0;
const EURO_PRIOR: f32 = -2.0;
const RARE_PRIOR: f32 = -5.0;

/// The single-byte pages, in order of preference. Left out are APL, PC pages, pages of scripts without a model, and
/// pages that repeat another page's table under a second name.
#[rustfmt::skip]
const SINGLE_BYTE_PAGES: &[(f32, &str)] = &[
    (USUAL_PRIOR,
     "IBM037 IBM1047 IBM500 IBM273 IBM297 IBM285 IBM284 IBM280 IBM277 IBM278 IBM871 IBM870 IBM1025 IBM875 \
     IBM1026 IBM424 IBM420 IBM-Thai IBM290 IBM1027 IBM1123"),
    (EURO_PRIOR,
     "IBM01140 IBM00924 IBM01148 IBM01141 IBM01147 IBM01146 IBM01145 IBM01144 IBM01142 IBM01143 IBM01149 \
     IBM1153 IBM1154 IBM4971 IBM1155 IBM12712 IBM16804 IBM1160 IBM8482 IBM5123 IBM1158 IBM880"),
    (RARE_PRIOR,
     "IBM1165 IBM274 IBM275 IBM282 IBM256 IBM1112 IBM1122 IBM1156 IBM1157 IBM423 IBM905 IBM425 IBM4517 IBM8612 \
     IBM9067 IBM1166 IBM803 IBM833 IBM836 IBM28709 IBM038 IBM281 OSD_EBCDIC_DF04_1 OSD_EBCDIC_DF04_15 \
     OSD_EBCDIC_DF03_IRV EBCDIC-US EBCDIC-UK EBCDIC-AT-DE EBCDIC-FR EBCDIC-CA-FR EBCDIC-ES EBCDIC-IT EBCDIC-PT \
     EBCDIC-DK-NO EBCDIC-FI-SE EBCDIC-IS-FRISS"),
];

/// The mixed pages, in the same form.
const MIXED_PAGES: &[(f32, &str)] = &[
    (USUAL_PRIOR, "IBM930 IBM939 IBM933 IBM935 IBM937 IBM1388"),
    (EURO_PRIOR, "IBM1390 IBM1399 IBM1364 IBM1371"),
    (RARE_PRIOR, "IBM5026 IBM5035 IBM1377 IBM9580"),
];

/// Common Latin pages. If the window is not the whole input and several of these decode it alike, the rest may still
/// differ, so the guess is not certain.
const LATIN1_PAGES: &[&str] =
    &["IBM037", "IBM1047", "IBM500", "IBM273", "IBM297", "IBM285", "IBM284", "IBM280", "IBM277", "IBM278", "IBM871"];

/// The score of a control that does not occur in text. Packed decimals and binary numbers are tolerated, up to a share.
const CONTROL_SCORE: f32 = -7.0;

/// The lowest score, per character on average, at which the best reading is taken for text.
const MIN_MEAN_SCORE: f32 = -4.7;
/// How much that threshold is lowered for input that begins like XML.
const XML_ALLOWANCE: f32 = 0.8;

/// The bonus for a pair of brackets.
const PAIRED_BRACKETS_BONUS: f32 = 4.0;
/// The penalty for a bracket without its counterpart.
const UNPAIRED_BRACKET_PENALTY: f32 = 4.0;

/// The score of a space or digit that follows another one. How many there are says nothing about the language.
const FILLER_SCORE: f32 = -2.3;

/// The factor on a letter's likelihood if it is a capital within a word.
const CASE_BREAK_FACTOR: f32 = 0.05;

/// The pages with half-width katakana, of both kinds: bytes that are small letters in one kind are katakana in the
/// other.
const KATAKANA_PAGES: &[&str] =
    &["IBM290", "IBM8482", "IBM930", "IBM1390", "IBM5026", "IBM1027", "IBM5123", "IBM939", "IBM1399", "IBM5035"];
/// By how much the scores of a katakana page and another page must differ, in standard deviations of a sum over the
/// same amount of text.
const KATAKANA_SPREAD: f32 = 4.0;
/// The same for a common Latin page, over the text that the two read differently: all of these pages have the letters
/// of Western Europe, and a few names in another language decide between them.
const SPREAD: f32 = 2.0;

/// The difference in log-likelihood from the best candidate at which a candidate's reported score falls to 1/e.
const SCORE_SCALE: f32 = 8.0;

/// The fewest letters, digits and marks from which a page is guessed; and the fewest in XML.
const MIN_TEXT: u32 = 16;
const MIN_XML_TEXT: u32 = 6;

/// If there is more than one control that does not occur in text for this many letters, digits and marks, other bytes
/// of numbers are probably among the text.
const MIN_TEXT_PER_CONTROL: u32 = 50;

/// The bytes that are a bracket or a brace in at least one of the pages.
#[rustfmt::skip]
const BRACKETS: &[u8] = &[
    0x43, 0x44, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x51, 0x54, 0x59, 0x5A, 0x63, 0x68, 0x70, 0x71, 0x80,
    0x8C, 0x8E, 0x90, 0x9C, 0x9E, 0x9F, 0xAC, 0xAD, 0xAE, 0xB1, 0xB3, 0xB5, 0xB6, 0xBA, 0xBB, 0xBC,
    0xBD, 0xBE, 0xC0, 0xCF, 0xD0, 0xDC, 0xFB, 0xFC, 0xFD,
];

/// The most brackets that are examined.
const MAX_BRACKETS: usize = 4096;

/// The most different byte pairs on which mixed pages are compared.
const MAX_PAIRS: usize = 2048;

/// Guesses the page. `None`: not EBCDIC.
pub(super) fn guess(window: &[u8], complete: bool, registry: &Registry) -> Option<Guess> {
    let is_xml = begins_like_xml(window);
    if window.len() < MINIMUM && !is_xml {
        return None;
    }
    let (counts, threshold) = Counts::of(window, is_xml)?;
    let pages = pages(&counts, registry);
    let mut readings = readings(&counts, &pages);
    crate::sort::by(&mut readings, |a, b| b.likelihood.total_cmp(&a.likelihood).then(a.pages[0].cmp(&b.pages[0])));
    let best = readings.first()?;
    if best.mean < threshold {
        return None;
    }
    // The confidence is 0.5 at the threshold and nearly 1 for English prose in page 37.
    let confidence = (0.5 + 0.5 * (best.mean - threshold) / 2.0).clamp(0.5, 1.0);
    let mut candidates: Vec<Candidate> = Vec::new();
    for reading in &readings {
        let score = (confidence * libm::expf((reading.likelihood - best.likelihood) / SCORE_SCALE)).clamp(0.0, 1.0);
        let same_text = candidates.is_empty();
        for page in &reading.pages {
            candidates.push(Candidate { codec: pages[*page].letters.name.clone(), score, same_text });
        }
    }
    let is_near = |other: &Reading| best.likelihood - other.likelihood < counts.margin(best, other, &pages);
    let near = readings.iter().skip(1).any(is_near);
    let usual = best.pages.iter().filter(|page| LATIN1_PAGES.contains(&&*pages[**page].letters.name)).count();
    let open = !complete && usual > 1;
    // Packed decimals and binary numbers also contain the bytes of letters, and their number is unknown.
    let is_part_binary = counts.controls * MIN_TEXT_PER_CONTROL > counts.text + counts.doubled;
    candidates.truncate(MOST);
    Some(if near || open || is_part_binary || counts.has_shifts && !counts.is_mixed {
        Guess::Ambiguous(candidates)
    } else {
        Guess::Certain(candidates)
    })
}

/// Returns whether the window looks like EBCDIC in a Latin page, at a glance.
pub(super) fn looks_like_ebcdic(window: &[u8]) -> bool {
    let [mut letters, mut others, mut blanks, mut low, mut unusual] = [0usize; 5];
    for byte in window {
        match byte {
            0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9 | 0xF0..=0xF9 => {
                letters += 1;
            }
            0x40 => blanks += 1,
            0x0D | 0x15 | 0x25 => others += 1,
            0x4B..=0x4E | 0x50 | 0x5C..=0x5E | 0x60 | 0x61 | 0x6B..=0x6F | 0x7A..=0x7F => others += 1,
            0x00 => {}
            0x01..=0x3F => low += 1,
            _ => unusual += 1,
        }
    }
    let all = letters + others + blanks + low + unusual;
    letters >= 8
        && letters * 5 >= all - blanks
        && (letters + others + blanks) * 20 >= all * 17
        && low * 20 <= all
        && blanks * 25 >= all
}

/// Returns whether the first characters are `<name`, `<!--` or `<!DOC` and a `>` follows soon, in any page.
fn begins_like_xml(window: &[u8]) -> bool {
    let blank = window.iter().take_while(|byte| matches!(byte, 0x40 | 0x05 | 0x0D | 0x15 | 0x25)).count();
    let Some((0x4C, rest)) = window[blank..].split_first() else { return false };
    // `!` has other bytes in many pages, and so have lower-case letters in the katakana pages.
    let declaration = |rest: &[u8]| match rest {
        [0x5A | 0x4F | 0xBB, 0x60, 0x60, ..] => true,
        [0x5A | 0x4F | 0xBB, rest @ ..] => rest.starts_with(&[0xC4, 0xD6, 0xC3]),
        _ => false,
    };
    let is_name = |byte: &u8| {
        matches!(byte, 0x62..=0x69 | 0x70..=0x78 | 0x80..=0x89 | 0x8B | 0x91..=0x99 | 0x9B | 0xA2..=0xA9 | 0xAB
            | 0xB3..=0xB7 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9)
    };
    let is_text = |byte: &&u8| **byte >= 0x40 || matches!(**byte, 0x05 | 0x0D | 0x15 | 0x25);
    declaration(rest)
        || rest.first().is_some_and(is_name) && rest.iter().take(256).take_while(is_text).any(|byte| *byte == 0x6E)
}

/// The counts of a window: everything on which the pages are compared.
struct Counts {
    /// Pairs of successive bytes and their damped count. Separators of records and lines are counted as 40.
    singles: Vec<(u8, u8, f32)>,
    /// The byte pairs between shift codes and their damped count.
    doubles: Vec<([u8; 2], f32)>,
    /// The bytes that occur, including those whose predecessor is not counted.
    is_used: [bool; 256],
    /// The bytes that are a bracket in some page, in input order, each with the byte before it.
    brackets: Vec<(u8, u8)>,
    /// The number of double-byte characters.
    doubled: u32,
    /// The sum of all damped counts.
    weight: f32,
    /// The number of controls that do not occur in text.
    controls: u32,
    /// The number of letters, digits and marks.
    text: u32,
    /// The number of ASCII spaces.
    spaces: u32,
    /// The number of runs of low or high values (00 or FF).
    fills: u32,
    blanks: u32,
    all: u32,
    is_mixed: bool,
    /// Whether there are shift codes.
    has_shifts: bool,
}

/// Damps a count. Records and markup repeat themselves, so each repetition counts less than the one before.
fn damped(count: u32) -> f32 {
    if count == 1 { 1.0 } else { libm::powf(count as f32, 0.6) }
}

impl Counts {
    /// Counts a window, and returns the score that a reading has to reach. `None`: there is too little text, or this
    /// cannot be EBCDIC text.
    fn of(window: &[u8], is_xml: bool) -> Option<(Counts, f32)> {
        let mut counts = Counts::empty(window);
        let (pairs, doubles) = counts.walk(window);
        counts.doubled = doubles.len() as u32;
        let threshold = counts.threshold(is_xml)?;
        counts.is_used[0x40] = true;
        pairs.for_each(|[before, byte], count| counts.singles.push((before, byte, damped(count))));
        let mut doubled = PairCounts::new(doubles.len());
        doubles.iter().for_each(|[lead, trail]| doubled.add(*lead, *trail));
        let mut doubles: Vec<([u8; 2], u32)> = Vec::new();
        doubled.for_each(|pair, count| doubles.push((pair, count)));
        crate::sort::by(&mut doubles, |a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        doubles.truncate(MAX_PAIRS);
        counts.doubles = doubles.into_iter().map(|(pair, count)| (pair, damped(count))).collect();
        counts.weight = counts.singles.iter().map(|(_, _, weight)| weight).sum::<f32>()
            + counts.doubles.iter().map(|(_, weight)| weight).sum::<f32>();
        Some((counts, threshold))
    }

    /// Returns counts of nothing yet, for `window`.
    fn empty(window: &[u8]) -> Counts {
        Counts {
            singles: Vec::new(),
            doubles: Vec::new(),
            is_used: [false; 256],
            brackets: Vec::new(),
            doubled: 0,
            weight: 0.0,
            controls: 0,
            spaces: 0,
            fills: 0,
            text: 0,
            blanks: 0,
            all: 0,
            is_mixed: is_mixed_page(window),
            has_shifts: window.contains(&SO) && window.contains(&SI),
        }
    }

    /// Counts the bytes of `window`. Returns how often each byte follows each other byte, and the byte pairs of a mixed
    /// page.
    fn walk(&mut self, window: &[u8]) -> (PairCounts, Vec<[u8; 2]>) {
        let mut pairs = PairCounts::new(window.len());
        let mut doubles: Vec<[u8; 2]> = Vec::new();
        let is_zoned = has_zoned_decimals(window);
        let mut before = 0x40;
        let mut run = 0;
        let mut is_fill = false;
        let mut at = 0;
        while let Some(&byte) = window.get(at) {
            at += 1;
            if self.is_mixed && byte == SO {
                while let Some(&[lead, trail]) = window[at..].first_chunk()
                    && lead >= 0x40
                    && trail >= 0x40
                {
                    doubles.push([lead, trail]);
                    at += 2;
                }
                before = 0x40;
                continue;
            }
            self.spaces += u32::from(byte == 0x20);
            let byte = match byte {
                0x05 | 0x0C | 0x0D | 0x15 | 0x25 => 0x40,
                // Low and high values fill fields and say nothing about the page.
                0x00 | 0xFF => {
                    self.fills += u32::from(!is_fill);
                    is_fill = true;
                    before = 0x40;
                    continue;
                }
                0x0F if self.is_mixed => continue,
                0x01..=0x3F => {
                    self.controls += 1;
                    before = 0x40;
                    continue;
                }
                _ => byte,
            };
            is_fill = false;
            // Repetition says little: padding, or rules made of dashes.
            run = if byte == before { run + 1 } else { 0 };
            if run >= 2 || (byte == 0x40 && run >= 1) {
                continue;
            }
            if may_be_sign(before, byte, &window[at..]) || is_zoned && may_be_lone_sign(before, byte, &window[at..]) {
                self.note_sign(before, byte);
                before = 0x40;
                continue;
            }
            pairs.add(before, byte);
            self.note_text(before, byte);
            before = byte;
        }
        (pairs, doubles)
    }

    /// Counts a byte that may be the sign of a zoned decimal. The pages still differ in this byte, but nothing more is
    /// known about it. The next byte is treated as the beginning of a word.
    fn note_sign(&mut self, before: u8, byte: u8) {
        self.is_used[usize::from(byte)] = true;
        let is_last = (0xF0..=0xF9).contains(&before);
        if byte == 0xD0 && is_last && self.brackets.len() < MAX_BRACKETS {
            self.brackets.push((before, byte));
        }
        self.all += 1;
        self.text += 1;
    }

    /// Counts a byte of text.
    fn note_text(&mut self, before: u8, byte: u8) {
        self.is_used[usize::from(byte)] = true;
        self.all += 1;
        if BRACKETS.contains(&byte) && self.brackets.len() < MAX_BRACKETS {
            self.brackets.push((before, byte));
        }
        self.blanks += u32::from(byte == 0x40);
        self.text += u32::from(byte != 0x40);
    }

    /// Returns the score that a reading has to reach. `None`: there is too little text, or this cannot be EBCDIC text.
    fn threshold(&self, is_xml: bool) -> Option<f32> {
        let fewest = if is_xml { MIN_XML_TEXT } else { MIN_TEXT };
        let text = self.text + self.doubled;
        // Not EBCDIC text: spaces as in ASCII; a larger share of controls than any record has; or zeros that are
        // scattered rather than in runs.
        let is_ascii = self.spaces > self.blanks && self.spaces * 20 > text;
        let is_binary = self.controls * 2 > text || self.fills * 8 > text;
        if text < fewest || is_ascii || is_binary {
            return None;
        }
        if self.is_mixed {
            return Some(MIN_MEAN_SCORE - 3.5);
        }
        Some(if is_xml { MIN_MEAN_SCORE - XML_ALLOWANCE } else { MIN_MEAN_SCORE })
    }
}

/// Returns whether `byte` may be the digit that carries the sign of a signed zoned decimal: the last digit or the
/// first. Such a byte says nothing about the page, whatever character the page has for it.
fn may_be_sign(before: u8, byte: u8, after: &[u8]) -> bool {
    let is_digit = |byte: u8| (0xF0..=0xF9).contains(&byte);
    match byte {
        0xC0..=0xC9 | 0xD0..=0xD9 if is_digit(before) => true,
        // A letter or brace before a single digit also occurs in text. Two digits make a number, or three after a
        // letter, which may end the field before it.
        0xC0 | 0xD0 => {
            let digits = after.iter().take_while(|byte| is_digit(**byte)).count();
            digits >= if is_letter(before) { 3 } else { 2 }
        }
        _ => false,
    }
}

/// Returns whether the window has a number of at least three digits of which the last carries a sign.
fn has_zoned_decimals(window: &[u8]) -> bool {
    let is_digit = |byte: u8| (0xF0..=0xF9).contains(&byte);
    let is_number = |bytes: &[u8]| {
        is_digit(bytes[0])
            && is_digit(bytes[1])
            && matches!(bytes[2], 0xC0..=0xC9 | 0xD0..=0xD9)
            && !is_letter(bytes[3])
    };
    window.windows(4).any(is_number)
}

/// Returns whether `byte` may be a zero with a sign in a record that has other signed numbers: not a letter within a
/// word. It may be a separate field, and any character may come before a field.
fn may_be_lone_sign(before: u8, byte: u8, after: &[u8]) -> bool {
    matches!(byte, 0xC0 | 0xD0) && !(is_letter(before) && after.first().is_some_and(|byte| is_letter(*byte)))
}

/// Returns whether the byte is a letter in nearly all pages.
fn is_letter(byte: u8) -> bool {
    matches!(byte, 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9)
}

/// Returns whether the page is a mixed one: shift codes come in order with byte pairs between them, and there are
/// enough of them. The end of a record or of the window may cut a run.
fn is_mixed_page(window: &[u8]) -> bool {
    let [mut good, mut bad, mut pairs] = [0usize; 3];
    let mut at = 0;
    while let Some(found) = window[at..].iter().position(|byte| *byte == SO) {
        at += found + 1;
        let from = at;
        while window.get(at).is_some_and(|byte| *byte >= 0x40) {
            at += 1;
        }
        match window.get(at) {
            None => {}
            Some(&SI) if at > from && (at - from) % 2 == 0 => {
                good += 1;
                pairs += (at - from) / 2;
            }
            Some(_) => bad += 1,
        }
    }
    good > 0 && good >= 9 * bad && pairs >= 4 && pairs * 50 >= window.len() / 2
}

/// A page, as far as the window needs it.
struct Page {
    prior: f32,
    letters: Arc<Letters>,
    /// The characters of the byte pairs in the window.
    doubles: Vec<char>,
}

/// The single bytes of a page. They do not depend on the window and are computed once per page and process.
struct Letters {
    name: String,
    /// The character of each byte on its own.
    chars: [char; 256],
    /// The same characters, sorted.
    sorted: Vec<char>,
    /// A bit per model, by its index: whether the page has the letters of its language.
    covered: OnceLock<u64>,
}

/// Returns the built-in page of this name from the two lists. A page is built when it is first asked for.
fn built_in(name: &'static str) -> Option<(Arc<Letters>, Arc<dyn Codec>)> {
    type PageCell = OnceLock<Option<(Arc<Letters>, Arc<dyn Codec>)>>;
    static ALL: LazyLock<Vec<(&str, PageCell)>> = LazyLock::new(|| {
        let names = SINGLE_BYTE_PAGES.iter().chain(MIXED_PAGES).flat_map(|(_, names)| names.split_ascii_whitespace());
        names.map(|name| (name, OnceLock::new())).collect()
    });
    let (_, cell) = ALL.iter().find(|(one, _)| *one == name)?;
    let make = || {
        let codec = Registry::builtin().codec(name).ok()?;
        Some((Arc::new(Letters::new(&codec)), codec))
    };
    cell.get_or_init(make).clone()
}

fn pages(counts: &Counts, registry: &Registry) -> Vec<Page> {
    let list = if counts.is_mixed { MIXED_PAGES } else { SINGLE_BYTE_PAGES };
    let named = list.iter().flat_map(|(prior, names)| names.split_ascii_whitespace().map(move |name| (*prior, name)));
    let own = registry.registered().filter(|codec| is_ebcdic(&***codec));
    let mut pages: Vec<Page> =
        own.map(|codec| Page::new(Arc::new(Letters::new(codec)), codec, USUAL_PRIOR, counts)).collect();
    let is_plain = registry.is_builtin();
    for (prior, name) in named {
        let Some((letters, codec)) = built_in(name) else { continue };
        // The caller may have registered a codec under the name of a page.
        let is_it = is_plain || registry.codec(name).is_ok_and(|found| Arc::ptr_eq(&found, &codec));
        if is_it && pages.iter().all(|page| page.letters.name != name) {
            pages.push(Page::new(letters, &codec, prior, counts));
        }
    }
    pages
}

impl Page {
    fn new(letters: Arc<Letters>, codec: &Arc<dyn Codec>, prior: f32, counts: &Counts) -> Page {
        let doubles = match counts.doubles.is_empty() {
            true => Vec::new(),
            false => {
                let mut read = reader(&**codec);
                counts.doubles.iter().map(|([lead, trail], _)| read(&[SO, *lead, *trail, SI])).collect()
            }
        };
        Page { prior, letters, doubles }
    }
}

impl Letters {
    fn new(codec: &Arc<dyn Codec>) -> Letters {
        let mut read = reader(&**codec);
        let chars: [char; 256] = std::array::from_fn(|byte| read(&[byte as u8]));
        let mut sorted = chars.to_vec();
        sorted.sort_unstable();
        Letters { name: codec.name().to_owned(), chars, sorted, covered: OnceLock::new() }
    }

    fn has(&self, ch: char) -> bool {
        let has = |ch: char| self.sorted.binary_search(&ch).is_ok();
        has(ch) || ch.to_uppercase().next().is_some_and(has) || super::models::forms(ch).any(has)
    }

    /// Returns whether the page has the letters of the model at index `place`.
    fn covers(&self, place: usize) -> bool {
        let of = |(place, model): (usize, &Model)| u64::from(model.is_covered(|ch| self.has(ch))) << place;
        self.covered.get_or_init(|| models().iter().enumerate().map(of).sum()) >> place & 1 == 1
    }
}

/// The score of the window in pages that decode it alike.
struct Reading {
    pages: Vec<usize>,
    /// The score of the text in its best language, as a natural logarithm.
    likelihood: f32,
    /// The average score per character.
    mean: f32,
}

fn readings(counts: &Counts, pages: &[Page]) -> Vec<Reading> {
    let used: Vec<usize> = (0..256).filter(|byte| counts.is_used[*byte]).collect();
    let mut texts: Vec<(Vec<char>, Vec<usize>)> = Vec::new();
    let mut text: Vec<char> = Vec::new();
    for (index, page) in pages.iter().enumerate() {
        text.clear();
        text.extend(used.iter().map(|byte| page.letters.chars[*byte]).chain(page.doubles.iter().copied()));
        match texts.iter_mut().find(|(other, _)| *other == text) {
            Some((_, group)) => group.push(index),
            None => texts.push((text.clone(), vec![index])),
        }
    }
    let groups = texts.into_iter().filter_map(|(_, group)| Group::new(group, pages, counts)).collect::<Vec<_>>();
    let sums = counts.likelihoods(&groups, pages);
    let reading = |(group, sum): (Group, f32)| {
        let prior = group.pages.iter().map(|page| pages[*page].prior).fold(f32::MIN, f32::max);
        let first = &pages[group.pages[0]];
        // Controls make up the same share of the weighted score as of the bytes.
        let share = counts.controls as f32 / (counts.all + counts.doubled + counts.controls).max(1) as f32;
        let mean = (1.0 - share) * sum / counts.weight.max(1.0) + share * CONTROL_SCORE;
        let brackets = counts.brackets(&first.letters);
        Reading { pages: group.pages, likelihood: sum + prior + brackets, mean }
    };
    groups.into_iter().zip(sums).map(reading).collect()
}

/// Pages that decode the window alike, and the indices of the models of the languages it may be in.
struct Group {
    pages: Vec<usize>,
    languages: Vec<usize>,
}

impl Group {
    fn new(group: Vec<usize>, pages: &[Page], counts: &Counts) -> Option<Group> {
        // It is enough if one page of the group has the letters of the language.
        let is_covered = |place: &usize| {
            group.iter().any(|page| pages[*page].letters.covers(*place))
                || counts.is_mixed && models()[*place].is_east_asian()
        };
        // English and code are part of every mixture. As the language itself they would outweigh it in a document whose
        // markup is English and whose content is not.
        let is_usual = |place: &usize| matches!(models()[*place].code, "en" | "code");
        let mut languages: Vec<usize> = (0..models().len()).filter(is_covered).collect();
        if languages.iter().any(|place| !is_usual(place)) {
            languages.retain(|place| !is_usual(place));
        } else {
            // Only ASCII letters: this language is as good as any other, and no better.
            languages = (0..models().len()).filter(|place| models()[*place].code == "nl").collect();
        }
        (!languages.is_empty()).then_some(Group { pages: group, languages })
    }
}

/// The weight of the language itself, in a text that may also contain English and program code.
const LANGUAGE_WEIGHT: f32 = 0.5;
const ENGLISH_WEIGHT: f32 = 0.3;
const CODE_WEIGHT: f32 = 0.2;

/// The characters that the pages have for the bytes of the window, each once, with their class in each model.
struct Alphabet {
    chars: Vec<char>,
    /// Each character folded, and its likelihood in a language whose text lacks it.
    folded: Vec<(char, f32)>,
    /// Indexed by model.
    classes: Vec<OnceCell<Vec<Class>>>,
}

impl Alphabet {
    fn class(&self, place: usize, index: u16) -> Class {
        let model = &models()[place];
        let of_all = || self.folded.iter().map(|(folded, missing)| model.class_of_folded(*folded, *missing)).collect();
        self.classes[place].get_or_init(of_all)[usize::from(index)]
    }

    fn likelihood(&self, place: usize, before: u16, next: u16) -> f32 {
        models()[place].likelihood(self.class(place, before), self.class(place, next))
    }
}

/// The contribution of two successive characters to the score of a text.
enum Term {
    /// The same in every language.
    Fixed(f64),
    /// The share of English and code, and the factor for a break.
    Open { known: f32, factor: f32 },
}

impl Term {
    fn new(alphabet: &Alphabet, before: u16, next: u16) -> Term {
        let (first, second) = (alphabet.chars[usize::from(before)], alphabet.chars[usize::from(next)]);
        let is_filler = |ch: char| ch == ' ' || ch.is_ascii_digit();
        if is_filler(first) && is_filler(second) {
            return Term::Fixed(f64::from(FILLER_SCORE));
        }
        let usual = models().iter().enumerate().filter_map(|(place, model)| match model.code {
            "en" => Some(ENGLISH_WEIGHT * alphabet.likelihood(place, before, next)),
            "code" => Some(CODE_WEIGHT * alphabet.likelihood(place, before, next)),
            _ => None,
        });
        let factor = if is_break(first, second) { CASE_BREAK_FACTOR } else { 1.0 };
        let known = usual.sum::<f32>() * factor;
        if first.is_alphabetic() || second.is_alphabetic() {
            return Term::Open { known, factor };
        }
        Term::Fixed(f64::from(libm::logf((known / (1.0 - LANGUAGE_WEIGHT)).max(MIN_LIKELIHOOD))))
    }
}

impl Counts {
    /// Returns how far the scores of two readings must lie apart for the better one to be certain.
    ///
    /// Names and words in katakana are short and follow one another in any order, so no model can predict them. By mere
    /// chance, the same bytes can give letters of the other pages that are just as likely.
    fn margin(&self, best: &Reading, other: &Reading, pages: &[Page]) -> f32 {
        let usual = -SCORE_SCALE * libm::logf(1.0 - MARGIN);
        let is_of = |reading: &Reading, names: &[&str]| {
            reading.pages.iter().any(|page| names.contains(&&*pages[*page].letters.name))
        };
        let is_katakana = is_of(best, KATAKANA_PAGES) || is_of(other, KATAKANA_PAGES) && !is_of(best, LATIN1_PAGES);
        if is_katakana && !self.is_mixed_alike(best, other, pages) {
            return usual.max(KATAKANA_SPREAD * libm::sqrtf(self.weight));
        }
        if !is_of(best, LATIN1_PAGES) {
            return usual;
        }
        usual.max(SPREAD * libm::sqrtf(self.weight_of_difference(best, other, pages)))
    }

    /// Returns the weight of the pairs that the two readings read differently.
    fn weight_of_difference(&self, best: &Reading, other: &Reading, pages: &[Page]) -> f32 {
        let [one, another] = [best, other].map(|reading| &pages[reading.pages[0]].letters.chars);
        let differs = |byte: u8| one[usize::from(byte)] != another[usize::from(byte)];
        let different = self.singles.iter().filter(|(before, byte, _)| differs(*before) || differs(*byte));
        different.map(|(_, _, weight)| weight).sum()
    }

    /// Returns whether the two readings differ only in byte pairs.
    fn is_mixed_alike(&self, best: &Reading, other: &Reading, pages: &[Page]) -> bool {
        let [one, another] = [best, other].map(|reading| &pages[reading.pages[0]].letters.chars);
        (0..256).filter(|byte| self.is_used[*byte]).all(|byte| one[byte] == another[byte])
    }

    /// Returns the score of the text as each group decodes it, in its best language mixed with English and code: a
    /// natural logarithm that includes the double-byte characters.
    ///
    /// Most pages have the same character for most bytes, so each pair of characters is scored only once.
    fn likelihoods(&self, groups: &[Group], pages: &[Page]) -> Vec<f32> {
        let (alphabet, indices) = self.alphabet(groups, pages);
        let mut fixed = vec![0f64; groups.len()];
        let mut open: Vec<Vec<f64>> = groups.iter().map(|group| vec![0f64; group.languages.len()]).collect();
        let mut terms: Vec<((u16, u16), Term)> = Vec::new();
        // For each term, the logarithm in each language, once it has been computed.
        let mut logs: Vec<f32> = Vec::new();
        for &(before, byte, count) in &self.singles {
            terms.clear();
            logs.clear();
            for (at, group) in groups.iter().enumerate() {
                let pair = (indices[at][usize::from(before)], indices[at][usize::from(byte)]);
                let place = terms.iter().position(|(other, _)| *other == pair).unwrap_or_else(|| {
                    terms.push((pair, Term::new(&alphabet, pair.0, pair.1)));
                    logs.resize(terms.len() * models().len(), f32::NAN);
                    terms.len() - 1
                });
                match &terms[place].1 {
                    Term::Fixed(log) => fixed[at] += *log * f64::from(count),
                    Term::Open { known, factor } => {
                        let logs = &mut logs[place * models().len()..];
                        for (sum, language) in open[at].iter_mut().zip(&group.languages) {
                            if logs[*language].is_nan() {
                                let own = LANGUAGE_WEIGHT * alphabet.likelihood(*language, pair.0, pair.1) * *factor;
                                logs[*language] = libm::logf((*known + own).max(MIN_LIKELIHOOD));
                            }
                            *sum += f64::from(logs[*language]) * f64::from(count);
                        }
                    }
                }
            }
        }
        let total = |at: usize| {
            let doubles = &pages[groups[at].pages[0]].doubles;
            let of = |(sum, language): (&f64, &usize)| *sum + self.of_doubles(doubles, &models()[*language]);
            let best = open[at].iter().zip(&groups[at].languages).map(of).fold(f64::MIN, f64::max);
            (fixed[at] + best) as f32
        };
        (0..groups.len()).map(total).collect()
    }

    fn of_doubles(&self, doubles: &[char], model: &Model) -> f64 {
        let of = |(ch, (_, count)): (&char, &([u8; 2], f32))| {
            f64::from(libm::logf(model.class(*ch).single.max(MIN_LIKELIHOOD))) * f64::from(*count)
        };
        doubles.iter().zip(&self.doubles).map(of).sum()
    }

    /// Returns the characters of all groups, and for each group the index of each byte's character.
    fn alphabet(&self, groups: &[Group], pages: &[Page]) -> (Alphabet, Vec<Vec<u16>>) {
        let used: Vec<usize> = (0..256).filter(|byte| self.is_used[*byte]).collect();
        let chars_of = |group: &Group| &pages[group.pages[0]].letters.chars;
        let mut chars: Vec<char> = Vec::new();
        for byte in &used {
            // Most pages have the same character, so this leaves little to sort.
            let first = chars.len();
            for ch in groups.iter().map(|group| chars_of(group)[*byte]) {
                if !chars[first..].contains(&ch) {
                    chars.push(ch);
                }
            }
        }
        chars.sort_unstable();
        chars.dedup();
        let indices = groups.iter().map(|group| {
            let all = chars_of(group);
            let mut indices = vec![0; 256];
            for byte in &used {
                indices[*byte] = chars.binary_search(&all[*byte]).unwrap_or(0) as u16;
            }
            indices
        });
        let indices = indices.collect();
        let folded = chars.iter().map(|ch| fold(*ch)).map(|folded| (folded, missing(folded))).collect();
        (Alphabet { chars, folded, classes: vec![OnceCell::new(); models().len()] }, indices)
    }

    /// Returns what brackets contribute. Brackets that open and close in order are unlikely to be there by chance, and
    /// brackets without a counterpart are unlikely to be brackets. A brace within a word is probably a letter of
    /// another page and counts as unpaired.
    fn brackets(&self, page: &Letters) -> f32 {
        let [mut square, mut curly, mut good, mut bad] = [0u32; 4];
        for &(before, byte) in &self.brackets {
            match page.chars[usize::from(byte)] {
                '[' => square += 1,
                '{' if page.chars[usize::from(before)].is_alphabetic() => bad += 1,
                '{' => curly += 1,
                // This may be a sign and does not count. The brace that it may close does not count either.
                '}' if byte == 0xD0 && (0xF0..=0xF9).contains(&before) => curly = curly.saturating_sub(1),
                close @ (']' | '}') => {
                    let open = if close == ']' { &mut square } else { &mut curly };
                    match *open {
                        0 => bad += 1,
                        _ => {
                            *open -= 1;
                            good += 1;
                        }
                    }
                }
                _ => {}
            }
        }
        let bad = bad + square + curly;
        PAIRED_BRACKETS_BONUS * damped(good) - UNPAIRED_BRACKET_PENALTY * bad.min(6) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bracket_of_every_page_is_examined() {
        let registry = Registry::builtin();
        for (_, names) in SINGLE_BYTE_PAGES.iter().chain(MIXED_PAGES) {
            for name in names.split_ascii_whitespace() {
                let page = Letters::new(&registry.codec(name).unwrap());
                for (byte, ch) in (0..=255u8).zip(page.chars) {
                    let is_bracket = matches!(ch, '[' | ']' | '{' | '}');
                    assert!(!is_bracket || BRACKETS.contains(&byte), "{byte:02X} of {name}");
                }
            }
        }
    }

    #[test]
    fn every_listed_page_is_registered_under_its_own_name() {
        let registry = Registry::builtin();
        let names = SINGLE_BYTE_PAGES.iter().chain(MIXED_PAGES).flat_map(|(_, names)| names.split_ascii_whitespace());
        for name in names {
            let codec = registry.codec(name).unwrap();
            assert_eq!(codec.name(), name);
            assert!(is_ebcdic(&*codec), "{name}");
        }
    }
}
