//! EBCDIC or not, and which page: the window is read in every page and scored in every language that the page can
//! write; bytes on which pages differ decide. Pages that read it alike are one.

use super::models::{Class, FLOOR, Model, UNASSIGNED, is_break, models};
use super::{Candidate, Guess, MARGIN, MINIMUM, MOST};
use crate::codec::table::{SI, SO};
use crate::codec::{Codec, Stop, Utf8Sink, is_ebcdic};
use crate::registry::Registry;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

/// How far behind a page starts, by how rarely it is met: natural logarithms of likelihoods.
const USUAL: f32 = 0.0;
const EURO: f32 = -2.0;
const RARE: f32 = -5.0;

/// The single-byte pages, the one to prefer first. APL, PC pages and those of scripts without a model are not here,
/// nor pages that are another's table under a second name.
#[rustfmt::skip]
const PAGES: &[(f32, &str)] = &[
    (USUAL, "IBM037 IBM1047 IBM500 IBM273 IBM297 IBM285 IBM284 IBM280 IBM277 IBM278 IBM871 IBM870 IBM1025 IBM875 \
             IBM1026 IBM424 IBM420 IBM-Thai IBM290 IBM1027 IBM1123"),
    (EURO, "IBM01140 IBM00924 IBM01148 IBM01141 IBM01147 IBM01146 IBM01145 IBM01144 IBM01142 IBM01143 IBM01149 \
            IBM1153 IBM1154 IBM4971 IBM1155 IBM12712 IBM16804 IBM1160 IBM8482 IBM5123 IBM1158 IBM880"),
    (RARE, "IBM1165 IBM274 IBM275 IBM282 IBM256 IBM1112 IBM1122 IBM1156 IBM1157 IBM423 IBM905 IBM425 IBM4517 IBM8612 \
            IBM9067 IBM1166 IBM803 IBM833 IBM836 IBM28709 IBM038 IBM281 OSD_EBCDIC_DF04_1 OSD_EBCDIC_DF04_15 \
            OSD_EBCDIC_DF03_IRV EBCDIC-US EBCDIC-UK EBCDIC-AT-DE EBCDIC-FR EBCDIC-CA-FR EBCDIC-ES EBCDIC-IT EBCDIC-PT \
            EBCDIC-DK-NO EBCDIC-FI-SE EBCDIC-IS-FRISS"),
];

/// The mixed pages, likewise.
const MIXED: &[(f32, &str)] = &[
    (USUAL, "IBM930 IBM939 IBM933 IBM935 IBM937 IBM1388"),
    (EURO, "IBM1390 IBM1399 IBM1364 IBM1371"),
    (RARE, "IBM5026 IBM5035 IBM1377 IBM9580"),
];

/// Pages any two of which may follow a window that they read alike: where the window is not all of the input and these
/// tie, nothing is settled.
const LATIN1: &[&str] =
    &["IBM037", "IBM1047", "IBM500", "IBM273", "IBM297", "IBM285", "IBM284", "IBM280", "IBM277", "IBM278", "IBM871"];

/// What a control counts that no text has: packed decimals and binary numbers are borne, up to a share.
const CONTROL: f32 = -7.0;

/// The least likelihood, a character on average, at which the best reading is taken for text.
const THRESHOLD: f32 = -4.7;
/// What is taken off it for what begins like XML.
const XML: f32 = 0.8;

/// What a pair of brackets is worth.
const PAIRED: f32 = 4.0;
/// What a bracket costs that lacks the other.
const UNPAIRED: f32 = 4.0;

/// What a blank or a digit after another counts: how many there are tells no language.
const FILLER: f32 = -2.3;

/// How much less likely a letter is for being a capital within a word.
const BREAK: f32 = 0.05;

/// The pages of half-width katakana: those that have small letters where the others have katakana, and the others.
const KATAKANA: &[&str] =
    &["IBM290", "IBM8482", "IBM930", "IBM1390", "IBM5026", "IBM1027", "IBM5123", "IBM939", "IBM1399", "IBM5035"];
/// By how much a page of katakana and another have to differ: so many standard deviations of a sum of as much text.
const KATAKANA_SPREAD: f32 = 4.0;

/// How far behind the first a candidate is whose score is 1/e of the first's.
const SCALE: f32 = 8.0;

/// The fewest letters, digits and marks of which anything is said; of XML.
const FEWEST: u32 = 16;
const FEWEST_OF_XML: u32 = 6;

/// One control that no text has among so many letters, digits and marks: other bytes of numbers are among them.
const BINARY: u32 = 50;

/// The bytes that are a bracket or a brace on one of the pages.
#[rustfmt::skip]
const BRACKETS: &[u8] = &[
    0x43, 0x44, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x51, 0x54, 0x59, 0x5A, 0x63, 0x68, 0x70, 0x71, 0x80,
    0x8C, 0x8E, 0x90, 0x9C, 0x9E, 0x9F, 0xAC, 0xAD, 0xAE, 0xB1, 0xB3, 0xB5, 0xB6, 0xBA, 0xBB, 0xBC,
    0xBD, 0xBE, 0xC0, 0xCF, 0xD0, 0xDC, 0xFB, 0xFC, 0xFD,
];

/// The most of them that are looked at.
const MOST_BRACKETS: usize = 4096;

/// The most different pairs of bytes that mixed pages are compared on.
const MOST_PAIRS: usize = 2048;

/// `None`: no EBCDIC.
pub(super) fn guess(window: &[u8], complete: bool, registry: &Registry) -> Option<Guess> {
    let is_xml = begins_like_xml(window);
    if window.len() < MINIMUM && !is_xml {
        return None;
    }
    let counts = Counts::of(window);
    let threshold = counts.threshold(is_xml)?;
    let pages = pages(&counts, registry);
    let mut readings = readings(&counts, &pages);
    readings.sort_by(|a, b| b.likelihood.total_cmp(&a.likelihood).then(a.pages[0].cmp(&b.pages[0])));
    let best = readings.first()?;
    if best.mean < threshold {
        return None;
    }
    // The threshold is a half, what English prose in page 37 has is nearly 1.
    let confidence = (0.5 + 0.5 * (best.mean - threshold) / 2.0).clamp(0.5, 1.0);
    let mut candidates: Vec<Candidate> = Vec::new();
    for reading in &readings {
        let score = (confidence * libm::expf((reading.likelihood - best.likelihood) / SCALE)).clamp(0.0, 1.0);
        let same_text = candidates.is_empty();
        for page in &reading.pages {
            candidates.push(Candidate { codec: pages[*page].letters.name.clone(), score, same_text });
        }
    }
    let is_near = |other: &Reading| best.likelihood - other.likelihood < counts.margin(best, other, &pages);
    let near = readings.iter().skip(1).any(is_near);
    let usual = best.pages.iter().filter(|page| LATIN1.contains(&&*pages[**page].letters.name)).count();
    let open = !complete && usual > 1;
    // Packed decimals and binary numbers have bytes of letters too, and those are as many as nobody knows.
    let is_part_binary = counts.controls * BINARY > counts.text + counts.doubled;
    candidates.truncate(MOST);
    Some(if near || open || is_part_binary || counts.has_shifts && !counts.is_mixed {
        Guess::Ambiguous(candidates)
    } else {
        Guess::Certain(candidates)
    })
}

/// Whether it is EBCDIC at a glance, of the Latin pages.
pub(super) fn looks(window: &[u8]) -> bool {
    let [mut letters, mut others, mut blanks, mut low, mut strange] = [0usize; 5];
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
            _ => strange += 1,
        }
    }
    let all = letters + others + blanks + low + strange;
    letters >= 8
        && letters * 5 >= all - blanks
        && (letters + others + blanks) * 20 >= all * 17
        && low * 20 <= all
        && blanks * 25 >= all
}

/// Whether the first characters are `<name`, `<!--` or `<!DOC` and a `>` is near: as any page has them.
fn begins_like_xml(window: &[u8]) -> bool {
    let blank = window.iter().take_while(|byte| matches!(byte, 0x40 | 0x05 | 0x0D | 0x15 | 0x25)).count();
    let Some((0x4C, rest)) = window[blank..].split_first() else { return false };
    // `!` is elsewhere on many pages, and lower-case letters are on those of katakana.
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

/// What is counted in a window: all that the pages are compared on.
struct Counts {
    /// Byte after byte, how often; what parts records and lines is 40.
    singles: Vec<(u8, u8, f32)>,
    /// The pairs between shift codes, how often.
    doubles: Vec<([u8; 2], f32)>,
    /// How often single bytes stand where nothing before them counts.
    is_used: [bool; 256],
    /// The bytes that are a bracket on one page or another, each with that before it, from the front.
    brackets: Vec<(u8, u8)>,
    /// How many double-byte characters there are.
    doubled: u32,
    /// What all of it weighs.
    weight: f32,
    /// Control characters that no text has.
    controls: u32,
    /// Letters, digits, marks.
    text: u32,
    /// The blanks that ASCII has.
    spaces: u32,
    /// How often low or high values begin.
    fills: u32,
    blanks: u32,
    all: u32,
    is_mixed: bool,
    /// There are shift codes.
    has_shifts: bool,
}

/// What occurs often counts less each time: records and markup say the same again and again.
fn damped(count: u32) -> f32 {
    libm::powf(count as f32, 0.6)
}

impl Counts {
    fn of(window: &[u8]) -> Counts {
        let doubled = doubled(window);
        let is_mixed = doubled.is_some();
        let mut pairs: Vec<u32> = vec![0; 0x1_0000];
        let mut doubles: BTreeMap<[u8; 2], u32> = BTreeMap::new();
        let mut counts = Counts {
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
            is_mixed,
            has_shifts: window.contains(&SO) && window.contains(&SI),
        };
        let mut before = 0x40;
        let mut run = 0;
        let mut is_fill = false;
        let mut at = 0;
        while let Some(&byte) = window.get(at) {
            at += 1;
            if is_mixed && byte == SO {
                while let Some(&[lead, trail]) = window[at..].first_chunk()
                    && lead >= 0x40
                    && trail >= 0x40
                {
                    *doubles.entry([lead, trail]).or_default() += 1;
                    at += 2;
                }
                before = 0x40;
                continue;
            }
            counts.spaces += u32::from(byte == 0x20);
            let byte = match byte {
                0x05 | 0x0C | 0x0D | 0x15 | 0x25 => 0x40,
                // Low and high values fill fields, and say nothing.
                0x00 | 0xFF => {
                    counts.fills += u32::from(!is_fill);
                    is_fill = true;
                    before = 0x40;
                    continue;
                }
                0x0F if is_mixed => continue,
                0x01..=0x3F => {
                    counts.controls += 1;
                    before = 0x40;
                    continue;
                }
                _ => byte,
            };
            is_fill = false;
            // What is repeated says little: padding, rules of dashes.
            run = if byte == before { run + 1 } else { 0 };
            if run >= 2 || (byte == 0x40 && run >= 1) {
                continue;
            }
            if is_sign(before, byte, &window[at..]) {
                // Pages still differ there, which is all that is known. What comes next is like a new word.
                counts.is_used[usize::from(byte)] = true;
                let is_last = (0xF0..=0xF9).contains(&before);
                if byte == 0xD0 && is_last && counts.brackets.len() < MOST_BRACKETS {
                    counts.brackets.push((before, byte));
                }
                counts.all += 1;
                counts.text += 1;
                before = 0x40;
                continue;
            }
            pairs[usize::from(before) << 8 | usize::from(byte)] += 1;
            counts.is_used[usize::from(byte)] = true;
            counts.all += 1;
            if BRACKETS.contains(&byte) && counts.brackets.len() < MOST_BRACKETS {
                counts.brackets.push((before, byte));
            }
            counts.blanks += u32::from(byte == 0x40);
            counts.text += u32::from(byte != 0x40);
            before = byte;
        }
        counts.is_used[0x40] = true;
        for (pair, count) in (0u16..=0xFFFF).zip(&pairs).filter(|(_, count)| **count > 0) {
            let [before, byte] = pair.to_be_bytes();
            counts.singles.push((before, byte, damped(*count)));
        }
        let mut doubles: Vec<_> = doubles.into_iter().collect();
        doubles.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        counts.doubled = doubles.iter().map(|(_, count)| count).sum();
        doubles.truncate(MOST_PAIRS);
        counts.doubles = doubles.into_iter().map(|(pair, count)| (pair, damped(count))).collect();
        counts.weight = counts.singles.iter().map(|(_, _, weight)| weight).sum::<f32>()
            + counts.doubles.iter().map(|(_, weight)| weight).sum::<f32>();
        counts
    }

    /// What a reading has to reach; `None` where there is too little of anything, or it cannot be.
    fn threshold(&self, is_xml: bool) -> Option<f32> {
        let fewest = if is_xml { FEWEST_OF_XML } else { FEWEST };
        let text = self.text + self.doubled;
        // Blanks as ASCII has them; a share of controls that no record has, and zeros not in runs but all over.
        let is_ascii = self.spaces > self.blanks && self.spaces * 20 > text;
        let is_binary = self.controls * 2 > text || self.fills * 8 > text;
        if text < fewest || is_ascii || is_binary {
            return None;
        }
        if self.is_mixed {
            return Some(THRESHOLD - 3.5);
        }
        Some(if is_xml { THRESHOLD - XML } else { THRESHOLD })
    }
}

/// Whether `byte` may be the digit that carries the sign of a signed zoned decimal, the last or the first of them: it
/// tells nothing about the page then, whatever the character is that a page has there.
fn is_sign(before: u8, byte: u8, after: &[u8]) -> bool {
    let is_digit = |byte: u8| (0xF0..=0xF9).contains(&byte);
    match byte {
        0xC0..=0xC9 | 0xD0..=0xD9 if is_digit(before) => true,
        // Letters and braces before a digit are met in text: two digits make a number.
        0xC0 | 0xD0 => !is_letter(before) && after.len() > 1 && after[..2].iter().all(|byte| is_digit(*byte)),
        _ => false,
    }
}

/// Whether the byte is a letter on nearly all pages.
fn is_letter(byte: u8) -> bool {
    matches!(byte, 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9)
}

/// Whether shift codes come in order, with pairs between, and there are enough: then the page is a mixed one. Records
/// may cut a run, and so may the window.
fn doubled(window: &[u8]) -> Option<()> {
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
    (good > 0 && good >= 9 * bad && pairs >= 4 && pairs * 50 >= window.len() / 2).then_some(())
}

/// A page, as far as the window needs it.
struct Page {
    start: f32,
    letters: Arc<Letters>,
    /// The characters of the window's pairs.
    doubles: Vec<char>,
}

/// The single bytes of a page: what does not depend on the window, made once for each page of a run.
struct Letters {
    name: String,
    /// The character of each byte by itself.
    chars: [char; 256],
    /// The same in order.
    sorted: Vec<char>,
    /// Which models have their letters on the page, by the place of the model.
    covered: OnceLock<u64>,
}

/// The page at this place of the two lists; only those that were asked for are made.
fn built_in(name: &'static str) -> Option<(Arc<Letters>, Arc<dyn Codec>)> {
    type Made = OnceLock<Option<(Arc<Letters>, Arc<dyn Codec>)>>;
    static ALL: LazyLock<Vec<(&str, Made)>> = LazyLock::new(|| {
        let names = PAGES.iter().chain(MIXED).flat_map(|(_, names)| names.split_ascii_whitespace());
        names.map(|name| (name, OnceLock::new())).collect()
    });
    let (_, made) = ALL.iter().find(|(one, _)| *one == name)?;
    let make = || {
        let codec = Registry::builtin().codec(name).ok()?;
        Some((Arc::new(Letters::new(&codec)), codec))
    };
    made.get_or_init(make).clone()
}

fn pages(counts: &Counts, registry: &Registry) -> Vec<Page> {
    let list = if counts.is_mixed { MIXED } else { PAGES };
    let named = list.iter().flat_map(|(start, names)| names.split_ascii_whitespace().map(move |name| (*start, name)));
    let own = registry.registered().filter(|codec| is_ebcdic(&***codec));
    let mut pages: Vec<Page> =
        own.map(|codec| Page::new(Arc::new(Letters::new(codec)), codec, USUAL, counts)).collect();
    let is_plain = registry.is_builtin();
    for (start, name) in named {
        let Some((letters, codec)) = built_in(name) else { continue };
        // A caller's codec may have taken the name of a page.
        let is_it = is_plain || registry.codec(name).is_ok_and(|found| Arc::ptr_eq(&found, &codec));
        if is_it && pages.iter().all(|page| page.letters.name != name) {
            pages.push(Page::new(letters, &codec, start, counts));
        }
    }
    pages
}

impl Page {
    fn new(letters: Arc<Letters>, codec: &Arc<dyn Codec>, start: f32, counts: &Counts) -> Page {
        let doubles = match counts.doubles.is_empty() {
            true => Vec::new(),
            false => {
                let mut read = reader(codec);
                counts.doubles.iter().map(|([lead, trail], _)| read(&[SO, *lead, *trail, SI])).collect()
            }
        };
        Page { start, letters, doubles }
    }
}

/// Reads a few bytes by themselves: the character that they are.
fn reader(codec: &Arc<dyn Codec>) -> impl FnMut(&[u8]) -> char {
    let mut decoder = codec.decoder();
    move |bytes| {
        let mut room = [0; 2 * crate::codec::MIN_ROOM];
        let mut sink = Utf8Sink::new(&mut room);
        let step = decoder.feed(bytes, &mut sink);
        let ended = decoder.finish(&mut sink);
        decoder.reset();
        let is_good = step.stop == Stop::InputEmpty && ended == Stop::InputEmpty;
        sink.as_str().chars().next().filter(|_| is_good).unwrap_or(UNASSIGNED)
    }
}

impl Letters {
    fn new(codec: &Arc<dyn Codec>) -> Letters {
        let mut read = reader(codec);
        let chars: [char; 256] = std::array::from_fn(|byte| read(&[byte as u8]));
        let mut sorted = chars.to_vec();
        sorted.sort_unstable();
        Letters { name: codec.name().to_owned(), chars, sorted, covered: OnceLock::new() }
    }

    fn has(&self, ch: char) -> bool {
        let has = |ch: char| self.sorted.binary_search(&ch).is_ok();
        has(ch) || ch.to_uppercase().next().is_some_and(has) || super::models::forms(ch).any(has)
    }

    /// Whether the page has the letters of the model at `place`.
    fn covers(&self, place: usize) -> bool {
        let of = |(place, model): (usize, &Model)| u64::from(model.is_covered(|ch| self.has(ch))) << place;
        self.covered.get_or_init(|| models().iter().enumerate().map(of).sum()) >> place & 1 == 1
    }
}

/// What the window is in some pages that read it alike.
struct Reading {
    pages: Vec<usize>,
    /// How likely the text is, in its best language.
    likelihood: f32,
    /// The same, a character on average.
    mean: f32,
}

fn readings(counts: &Counts, pages: &[Page]) -> Vec<Reading> {
    let used: Vec<usize> = (0..256).filter(|byte| counts.is_used[*byte]).collect();
    let text = |page: &Page| -> Vec<char> {
        let singles = used.iter().map(|byte| page.letters.chars[*byte]);
        singles.chain(page.doubles.iter().copied()).collect()
    };
    let mut texts: Vec<(Vec<char>, Vec<usize>)> = Vec::new();
    for (index, page) in pages.iter().enumerate() {
        let text = text(page);
        match texts.iter_mut().find(|(other, _)| *other == text) {
            Some((_, group)) => group.push(index),
            None => texts.push((text, vec![index])),
        }
    }
    let groups = texts.into_iter().filter_map(|(_, group)| Group::new(group, pages, counts)).collect::<Vec<_>>();
    let sums = counts.likelihoods(&groups, pages);
    let reading = |(group, sum): (Group, f32)| {
        let start = group.pages.iter().map(|page| pages[*page].start).fold(f32::MIN, f32::max);
        let first = &pages[group.pages[0]];
        // Controls are as many among what weighs as among the bytes.
        let share = counts.controls as f32 / (counts.all + counts.doubled + counts.controls).max(1) as f32;
        let mean = (1.0 - share) * sum / counts.weight.max(1.0) + share * CONTROL;
        let brackets = counts.brackets(&first.letters);
        Reading { pages: group.pages, likelihood: sum + start + brackets, mean }
    };
    groups.into_iter().zip(sums).map(reading).collect()
}

/// Pages that read the window alike, and the languages that it may be in, by their places among the models.
struct Group {
    pages: Vec<usize>,
    languages: Vec<usize>,
}

impl Group {
    fn new(group: Vec<usize>, pages: &[Page], counts: &Counts) -> Option<Group> {
        // Any page of the group may be the one that has the language's letters.
        let is_covered = |place: &usize| {
            group.iter().any(|page| pages[*page].letters.covers(*place))
                || counts.is_mixed && models()[*place].is_east_asian()
        };
        // English and code are in every mixture: as the language itself they would outweigh it where the markup is
        // English and the content is not.
        let is_usual = |place: &usize| matches!(models()[*place].code, "en" | "code");
        let mut languages: Vec<usize> = (0..models().len()).filter(is_covered).collect();
        if languages.iter().any(|place| !is_usual(place)) {
            languages.retain(|place| !is_usual(place));
        } else {
            // Letters of ASCII alone: as good a language as any, and no better than that.
            languages = (0..models().len()).filter(|place| models()[*place].code == "nl").collect();
        }
        (!languages.is_empty()).then_some(Group { pages: group, languages })
    }
}

/// How much the language itself counts, in a text that may have anything of English and of programs in it.
const OWN: f32 = 0.5;
const ENGLISH: f32 = 0.3;
const CODE: f32 = 0.2;

/// The characters that the pages have for the bytes of the window, each once, and what each is to each model.
struct Alphabet {
    chars: Vec<char>,
    folded: Vec<char>,
    /// By model.
    classes: Vec<OnceCell<Vec<Class>>>,
}

impl Alphabet {
    fn class(&self, place: usize, index: u16) -> Class {
        let model = &models()[place];
        let of_all = || self.chars.iter().zip(&self.folded).map(|(_, folded)| model.class_of_folded(*folded)).collect();
        self.classes[place].get_or_init(of_all)[usize::from(index)]
    }

    fn likelihood(&self, place: usize, before: u16, next: u16) -> f32 {
        models()[place].likelihood(self.class(place, before), self.class(place, next))
    }
}

/// What two characters in sequence add to the likelihood of a text.
enum Term {
    /// The same in every language.
    Fixed(f64),
    /// What English and code have of it, what a break takes off, and the logarithms by language, once they are made.
    Open { known: f32, factor: f32, logs: Vec<f32> },
}

impl Term {
    fn new(alphabet: &Alphabet, before: u16, next: u16) -> Term {
        let (first, second) = (alphabet.chars[usize::from(before)], alphabet.chars[usize::from(next)]);
        let is_filler = |ch: char| ch == ' ' || ch.is_ascii_digit();
        if is_filler(first) && is_filler(second) {
            return Term::Fixed(f64::from(FILLER));
        }
        let usual = models().iter().enumerate().filter_map(|(place, model)| match model.code {
            "en" => Some(ENGLISH * alphabet.likelihood(place, before, next)),
            "code" => Some(CODE * alphabet.likelihood(place, before, next)),
            _ => None,
        });
        let factor = if is_break(first, second) { BREAK } else { 1.0 };
        let known = usual.sum::<f32>() * factor;
        if first.is_alphabetic() || second.is_alphabetic() {
            return Term::Open { known, factor, logs: vec![f32::NAN; models().len()] };
        }
        Term::Fixed(f64::from(libm::logf((known / (1.0 - OWN)).max(FLOOR))))
    }
}

impl Counts {
    /// How far the likelihoods of two readings have to be apart for the better one to be certain.
    ///
    /// Names and words in katakana are short and follow one another in any order, which no model knows: by chance alone
    /// a text has letters of the other pages that are as likely.
    fn margin(&self, best: &Reading, other: &Reading, pages: &[Page]) -> f32 {
        let usual = -SCALE * libm::logf(1.0 - MARGIN);
        let is_of = |reading: &Reading, names: &[&str]| {
            reading.pages.iter().any(|page| names.contains(&&*pages[*page].letters.name))
        };
        let is_katakana = is_of(best, KATAKANA) || is_of(other, KATAKANA) && !is_of(best, LATIN1);
        if is_katakana && !self.is_mixed_alike(best, other, pages) {
            return usual.max(KATAKANA_SPREAD * libm::sqrtf(self.weight));
        }
        usual
    }

    /// Whether the two differ in pairs of bytes only.
    fn is_mixed_alike(&self, best: &Reading, other: &Reading, pages: &[Page]) -> bool {
        let [one, another] = [best, other].map(|reading| &pages[reading.pages[0]].letters.chars);
        (0..256).filter(|byte| self.is_used[*byte]).all(|byte| one[byte] == another[byte])
    }

    /// How likely the text is as each group reads it, in its best language (and English, and code): the natural
    /// logarithm, with the share of the double-byte characters.
    ///
    /// Most pages have the same character for most bytes, so each pair of characters is weighed once.
    fn likelihoods(&self, groups: &[Group], pages: &[Page]) -> Vec<f32> {
        let (alphabet, indices) = self.alphabet(groups, pages);
        let mut fixed = vec![0f64; groups.len()];
        let mut open: Vec<Vec<f64>> = groups.iter().map(|group| vec![0f64; group.languages.len()]).collect();
        let mut terms: Vec<((u16, u16), Term)> = Vec::new();
        for &(before, byte, count) in &self.singles {
            terms.clear();
            for (at, group) in groups.iter().enumerate() {
                let pair = (indices[at][usize::from(before)], indices[at][usize::from(byte)]);
                let place = terms.iter().position(|(other, _)| *other == pair).unwrap_or_else(|| {
                    terms.push((pair, Term::new(&alphabet, pair.0, pair.1)));
                    terms.len() - 1
                });
                match &mut terms[place].1 {
                    Term::Fixed(log) => fixed[at] += *log * f64::from(count),
                    Term::Open { known, factor, logs } => {
                        for (sum, language) in open[at].iter_mut().zip(&group.languages) {
                            if logs[*language].is_nan() {
                                let own = OWN * alphabet.likelihood(*language, pair.0, pair.1) * *factor;
                                logs[*language] = libm::logf((*known + own).max(FLOOR));
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
            f64::from(libm::logf(model.class(*ch).single.max(FLOOR))) * f64::from(*count)
        };
        doubles.iter().zip(&self.doubles).map(of).sum()
    }

    /// The characters of all groups, and the index of each byte's for each group.
    fn alphabet(&self, groups: &[Group], pages: &[Page]) -> (Alphabet, Vec<Vec<u16>>) {
        let used: Vec<usize> = (0..256).filter(|byte| self.is_used[*byte]).collect();
        let chars_of = |group: &Group| pages[group.pages[0]].letters.chars;
        let mut chars: Vec<char> = groups
            .iter()
            .flat_map(|group| used.iter().map(|byte| chars_of(group)[*byte]).collect::<Vec<_>>())
            .collect();
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
        let folded = chars.iter().map(|ch| super::models::fold(*ch)).collect();
        (Alphabet { chars, folded, classes: vec![OnceCell::new(); models().len()] }, indices)
    }

    /// What brackets add: those that open and close in order are hardly there by chance, those that lack the other are
    /// hardly brackets. A brace within a word is a letter of another page, and counts for nothing.
    fn brackets(&self, page: &Letters) -> f32 {
        let [mut square, mut curly, mut good, mut bad] = [0u32; 4];
        for &(before, byte) in &self.brackets {
            let is_in_word = page.chars[usize::from(before)].is_alphabetic();
            match page.chars[usize::from(byte)] {
                '[' => square += 1,
                '{' if is_in_word => bad += 1,
                '{' => curly += 1,
                // It may be a sign, and counts for nothing: the brace that it may close does neither.
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
        PAIRED * damped(good) - UNPAIRED * bad.min(6) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bracket_of_every_page_is_looked_at() {
        let registry = Registry::builtin();
        for (_, names) in PAGES.iter().chain(MIXED) {
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
    fn the_preferred_pages_are_there_and_are_no_others() {
        let registry = Registry::builtin();
        let names = PAGES.iter().chain(MIXED).flat_map(|(_, names)| names.split_ascii_whitespace());
        for name in names {
            let codec = registry.codec(name).unwrap();
            assert_eq!(codec.name(), name);
            assert!(is_ebcdic(&*codec), "{name}");
        }
    }
}
