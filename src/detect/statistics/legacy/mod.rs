//! Guesses the charset of text that is neither Unicode nor EBCDIC: the charsets of the web, of DOS and of the
//! Macintosh.
//!
//! The window is read in every page, as every language that the page was used for, and every reading has a cost: how
//! unlikely it is that each character follows the one before, in natural units of information. The cheapest reading
//! wins, if it is cheap enough for text. `spec/statistics.md` describes the costs and the limits.
//!
//! | file | contains |
//! |---|---|
//! | `pages.rs` | the single-byte pages, with the languages that they were used for |
//! | `case.rs` | the cost of capitals within words |
//! | `languages.rs` | the models: alphabets and costs of pairs (`alphabets.txt`, `costs.bin`; made by `train.py`) |
//! | `limits.rs` | what decides whether a reading is text, and whether it is certain |
//! | `structure.rs` | which bytes can be in the charsets with the largest tables |
//! | `multi_byte.rs` | the multi-byte charsets of East Asia, and the costs of their characters (`characters.txt`) |

mod case;
mod languages;
mod limits;
mod multi_byte;
mod pages;
mod structure;

use super::guess::{Candidate, Guess, MINIMUM, MOST};
use super::pairs::PairCounts;
use crate::registry::Registry;
use case::Case;
use languages::{Class, Language, languages};
use limits::{MARGIN, MAX_MEAN_COST, SCORE_SCALE, SHORT_ALLOWANCE};
use pages::{Page, pages};
use std::cmp::Ordering;

/// The fewest bytes from which any page but the most usual one is guessed.
const MIN_BYTES: usize = 16;
/// The most usual page.
const SHORT_PAGE: &str = "windows-1252";
/// The fewest bytes outside ASCII for a guess to be certain.
const MIN_NON_ASCII: u32 = 3;
/// The most different pairs with a byte outside ASCII that are examined, the most frequent first.
const MAX_PAIRS: usize = 4096;
/// After how many pairs a reading is compared with the cheapest one so far.
const PAIRS_AT_ONCE: usize = 8;
/// The score of a candidate that is too unlikely to be named.
const MIN_SCORE: f32 = 0.05;
/// A reading that costs this much more than the cheapest one is too unlikely, and makes the cheapest no less certain.
const MAX_DISTANCE: f32 = 24.0;
/// The highest handicap of a usual page.
const USUAL_HANDICAP: f32 = 1.0;

/// Guesses the charset. `None`: the window does not look like text in any of them.
pub(super) fn guess(window: &[u8], complete: bool, registry: &Registry) -> Option<Guess> {
    let counts = Counts::of(window);
    let multi = multi_byte::read(window, complete, registry);
    let single = counts.readings(registry, multi.first().map(|multi| multi.cost));
    let least = single.iter().filter(|reading| reading.is_text).map(|reading| reading.undamped).reduce(f32::min);
    let is_cheaper = |multi: &&multi_byte::MultiByte| least.is_none_or(|least| multi.cost < least);
    if let Some(multi) = multi.first().filter(is_cheaper).filter(|_| window.len() >= MIN_BYTES) {
        return Some(multi.guess(window.len()));
    }
    let cheapest = single.iter().min_by(|one, other| one.cost.total_cmp(&other.cost)).filter(|best| best.is_text)?;
    // Pages that read the same text are equally good, so the most usual one is the guess.
    let is_same = |reading: &&Reading| reading.text(&counts.used).eq(cheapest.text(&counts.used));
    let best = single.iter().filter(is_same).min_by(|one, other| one.page.handicap.total_cmp(&other.page.handicap));
    // Too little for anything but the most usual page: a few bytes, or no letters.
    let has_letters = |best: &Reading| best.text(&counts.used).any(char::is_alphabetic);
    let is_enough = |best: &&Reading| window.len() >= MIN_BYTES && has_letters(best);
    let best = best.filter(|best| best.page.name == SHORT_PAGE || is_enough(best))?;
    let mut found: Vec<(&Reading, f32, bool)> = Vec::new();
    let mut next = f32::MAX;
    for reading in &single {
        let distance = reading.cost - cheapest.cost;
        let same_text = reading.text(&counts.used).eq(best.text(&counts.used));
        if !same_text {
            next = next.min(distance);
        }
        // Readings of the same text are as good as the first; how usual the page is gives only their order.
        let distance = if same_text { 0.0 } else { distance };
        let score = (0.95 * libm::expf(-distance / SCORE_SCALE)).clamp(0.0, 1.0);
        // No one is told of one that is not among the first few.
        if same_text || score > MIN_SCORE {
            found.push((reading, score, same_text));
        }
    }
    crate::sort::by(&mut found, |one, other| {
        let in_order = if one.2 { one.0.page.handicap.total_cmp(&other.0.page.handicap) } else { Ordering::Equal };
        let by_cost = other.1.total_cmp(&one.1).then(one.0.cost.total_cmp(&other.0.cost));
        other.2.cmp(&one.2).then(in_order).then(by_cost)
    });
    let named = |(reading, score, same_text): (&Reading, _, _)| Candidate {
        codec: reading.page.name.clone(),
        score,
        same_text,
    };
    let candidates = found.into_iter().take(MOST).map(named).collect();
    let is_long = window.len() >= MINIMUM && counts.non_ascii >= MIN_NON_ASCII;
    Some(if is_long && next >= MARGIN { Guess::Certain(candidates) } else { Guess::Ambiguous(candidates) })
}

/// The pairs of successive bytes in a window.
struct Counts {
    /// Those of two ASCII bytes, which mean the same in every page.
    ascii: Vec<Pair>,
    /// The others.
    mixed: Vec<Pair>,
    /// The number of bytes outside ASCII.
    non_ascii: u32,
    /// The bytes outside ASCII that occur.
    used: Vec<u8>,
}

struct Pair {
    first: u8,
    second: u8,
    count: f32,
    /// The count with less weight for repetition.
    damped: f32,
    /// The cost of the cases of two ASCII letters.
    case: f32,
}

impl Counts {
    fn of(window: &[u8]) -> Counts {
        let mut pairs = PairCounts::new(window.len());
        let mut before = b' ';
        for &byte in window.iter().chain(b" ") {
            pairs.add(before, byte);
            before = byte;
        }
        // How many spaces and digits there are says nothing about the language.
        let is_filler = |byte: u8| byte.is_ascii_whitespace() || byte.is_ascii_digit();
        let mut counts = Counts { ascii: Vec::new(), mixed: Vec::new(), non_ascii: 0, used: Vec::new() };
        let mut is_used = [false; 256];
        pairs.for_each(|[first, second], count| {
            if is_filler(first) && is_filler(second) {
                return;
            }
            let is_ascii = first.is_ascii() && second.is_ascii();
            let list = if is_ascii { &mut counts.ascii } else { &mut counts.mixed };
            let case = if is_ascii { Case::cost(Case::of(first.into()), Case::of(second.into())) } else { 0.0 };
            let damped = if count == 1 { 1.0 } else { libm::powf(count as f32, 0.75) };
            list.push(Pair { first, second, count: count as f32, damped, case });
            if !second.is_ascii() {
                counts.non_ascii += count;
                is_used[usize::from(second)] = true;
            }
        });
        // Text has far fewer different pairs. This bounds the time for anything else.
        crate::sort::by(&mut counts.mixed, |one, other| other.count.total_cmp(&one.count));
        counts.mixed.truncate(MAX_PAIRS);
        counts.used = (0..=u8::MAX).filter(|byte| is_used[usize::from(*byte)]).collect();
        counts
    }

    /// Returns the readings in the pages, in their order, each in the language in which it is cheapest. Readings that
    /// are too unlikely are left out, except those of the same text. `multi`: the cost of the reading in a multi-byte
    /// charset, which is compared with all of them, unless one is found that is no more expensive.
    fn readings(&self, registry: &Registry, multi: Option<f32>) -> Vec<Reading> {
        let mut of_ascii: Vec<f32> = languages().iter().map(|language| self.cost_of_ascii(language)).collect();
        let english = of_ascii.first().copied().unwrap_or_default();
        for (cost, language) in of_ascii.iter_mut().zip(languages()) {
            *cost = if language.is_latin { *cost } else { english };
        }
        let pairs: f32 = self.mixed.iter().map(|pair| pair.count).sum();
        let limit = pairs * (MAX_MEAN_COST + SHORT_ALLOWANCE / libm::sqrtf(self.mixed.len().max(1) as f32));
        let mut of_case = Vec::with_capacity(self.mixed.len());
        let mut read = |page: &'static Page, most: f32| {
            let least = page.languages.iter().map(|(at, _)| of_ascii[*at]).fold(f32::MAX, f32::min);
            if least + page.handicap > most || !self.may_be_words(page) {
                return None;
            }
            of_case.clear();
            of_case.extend(self.mixed.iter().map(|pair| page.case_cost(pair.first, pair.second)));
            let [cost, undamped] = self.cheapest(page, &of_ascii, &of_case, most)?;
            Some(Reading { page, cost, undamped, is_text: undamped - page.handicap <= limit })
        };
        let mut readings = Vec::with_capacity(pages().len());
        let (mut left_out, mut best, mut multi) = (Vec::new(), 0, multi);
        // The usual pages first: then most others are left out early.
        let usual = |page: &Page| page.handicap <= USUAL_HANDICAP;
        for is_usual in [true, false] {
            let known = |(_, page): &(usize, &Page)| usual(page) == is_usual && page.is_of(registry);
            for (place, page) in pages().iter().enumerate().filter(known) {
                let least = readings.get(best).map_or(f32::MAX, |(_, reading): &(usize, Reading)| reading.cost);
                match read(page, if multi.is_some() { f32::MAX } else { least + MAX_DISTANCE }) {
                    Some(reading) => {
                        best = if reading.cost < least { readings.len() } else { best };
                        multi = multi.filter(|multi| !reading.is_text || *multi < reading.undamped);
                        readings.push((place, reading));
                    }
                    None => left_out.push((place, page)),
                }
            }
        }
        if let Some((_, best)) = readings.get(best) {
            let best = best.page;
            let is_same = |page: &Page| {
                self.used.iter().map(|byte| usize::from(*byte)).all(|byte| page.chars[byte] == best.chars[byte])
            };
            for (place, page) in left_out.into_iter().filter(|(_, page)| is_same(page)) {
                readings.extend(read(page, f32::MAX).map(|reading| (place, reading)));
            }
        }
        crate::sort::by_key(&mut readings, |(place, _)| *place);
        readings.into_iter().map(|(_, reading)| reading).collect()
    }

    /// Returns whether a page reads words: in one of another script than Latin, some letters of that script are next to
    /// each other. The signs of English text, as in `£5`, are single letters there.
    fn may_be_words(&self, page: &Page) -> bool {
        let is_letter = |byte: u8| !byte.is_ascii() && page.chars[usize::from(byte)].is_alphabetic();
        page.languages.iter().any(|(at, _)| languages()[*at].is_latin)
            || self.mixed.iter().any(|pair| is_letter(pair.first) && is_letter(pair.second))
    }

    fn cost_of_ascii(&self, language: &Language) -> f32 {
        if !language.is_latin {
            return 0.0;
        }
        let of = |pair: &Pair| {
            let [first, second] = [pair.first, pair.second].map(|byte| language.ascii[usize::from(byte)]);
            pair.damped * (language.cost(first, second) + pair.case)
        };
        self.ascii.iter().map(of).sum()
    }

    /// Returns the damped and the undamped cost of the cheapest reading in a page, given the costs of ASCII in each
    /// language, and of the case of each mixed pair. `None`: the damped cost is more than `most`.
    fn cheapest(&self, page: &Page, of_ascii: &[f32], of_case: &[f32], most: f32) -> Option<[f32; 2]> {
        // The language that is cheapest without the mixed pairs comes first: few others stay below it to the end.
        let start = |(at, _): &(usize, Box<[Class; 256]>)| of_ascii[*at];
        let all = || page.languages.iter().enumerate();
        let (first, _) = all().min_by(|(_, one), (_, other)| start(one).total_cmp(&start(other)))?;
        let mut best = (first, [f32::MAX; 2]);
        for place in std::iter::once(first).chain((0..page.languages.len()).filter(|place| *place != first)) {
            let (at, classes) = &page.languages[place];
            let whole = |damped: f32| damped + of_ascii[*at] + page.handicap;
            let is_over = |damped| whole(damped) > best.1[0].min(most);
            if let Some([damped, undamped]) = self.costs(&languages()[*at], classes, of_case, is_over) {
                // The first of equal ones, in the order of the page.
                if whole(damped) < best.1[0] || place < best.0 {
                    best = (place, [whole(damped), undamped + page.handicap]);
                }
            }
        }
        (best.1[0] <= most && best.1[0] < f32::MAX).then_some(best.1)
    }

    /// Returns the damped and the undamped cost of the mixed pairs in a language. `None`: the damped cost, which only
    /// grows from pair to pair, is over a limit.
    fn costs(
        &self,
        language: &Language,
        classes: &[Class; 256],
        of_case: &[f32],
        is_over: impl Fn(f32) -> bool,
    ) -> Option<[f32; 2]> {
        let [mut damped, mut undamped] = [0f32; 2];
        for (pairs, of_case) in self.mixed.chunks(PAIRS_AT_ONCE).zip(of_case.chunks(PAIRS_AT_ONCE)) {
            if is_over(damped) {
                return None;
            }
            for (pair, case) in pairs.iter().zip(of_case) {
                let cost = case + language.cost(classes[usize::from(pair.first)], classes[usize::from(pair.second)]);
                damped += pair.damped * cost;
                undamped += pair.count * cost;
            }
        }
        (!is_over(damped)).then_some([damped, undamped])
    }
}

/// The window as a page reads it.
struct Reading {
    page: &'static Page,
    cost: f32,
    /// The cost of the pairs with a byte outside ASCII, with the full weight of repetition: what a multi-byte charset
    /// is compared with.
    undamped: f32,
    is_text: bool,
}

impl Reading {
    /// Returns the characters of the bytes that are `used`.
    fn text(&self, used: &[u8]) -> impl Iterator<Item = char> {
        used.iter().map(|byte| self.page.chars[usize::from(*byte)])
    }
}
