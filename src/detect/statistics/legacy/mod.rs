//! Guesses the charset of text that is neither Unicode nor EBCDIC: the charsets of the web, of DOS and of the Macintosh.
//!
//! The window is read in every page, as every language that the page was used for, and every reading has a cost: how
//! unlikely it is that each character follows the one before, in natural units of information. The cheapest reading
//! wins, if it is cheap enough for text. `spec/statistics.md` describes the costs and the limits.
//!
//! | file | contains |
//! |---|---|
//! | `pages.rs` | the single-byte pages, with the languages that they were used for |
//! | `languages.rs` | the models: alphabets and costs of pairs (`alphabets.txt`, `costs.bin`; made by `train.py`) |
//! | `limits.rs` | what decides whether a reading is text, and whether it is certain |
//! | `structure.rs` | which bytes can be in the charsets with the largest tables |
//! | `multi_byte.rs` | the multi-byte charsets of East Asia, and the costs of their characters (`characters.txt`) |

mod languages;
mod limits;
mod multi_byte;
mod pages;
mod structure;

use super::guess::{Candidate, Guess, MINIMUM, MOST};
use super::pairs::PairCounts;
use crate::registry::Registry;
use languages::{Class, Language, languages};
use limits::{MARGIN, MAX_MEAN_COST, SCORE_SCALE, SHORT_ALLOWANCE};
use pages::{Page, pages};

/// The fewest bytes from which any page but the most usual one is guessed.
const MIN_BYTES: usize = 16;
/// The most usual page.
const SHORT_PAGE: &str = "windows-1252";
/// The fewest bytes outside ASCII for a guess to be certain.
const MIN_NON_ASCII: u32 = 3;
/// The most different pairs with a byte outside ASCII that are examined, the most frequent first.
const MAX_PAIRS: usize = 4096;
/// The score of a candidate that is too unlikely to be named.
const MIN_SCORE: f32 = 0.05;

/// Guesses the charset. `None`: the window does not look like text in any of them.
pub(super) fn guess(window: &[u8], complete: bool, registry: &Registry) -> Option<Guess> {
    let counts = Counts::of(window);
    let single = counts.readings(registry);
    let multi = multi_byte::read(window, complete, registry);
    let least = single.iter().filter(|reading| reading.is_text).map(|reading| reading.undamped).reduce(f32::min);
    let is_cheaper = |multi: &&multi_byte::MultiByte| least.is_none_or(|least| multi.cost < least);
    if let Some(multi) = multi.first().filter(is_cheaper).filter(|_| window.len() >= MIN_BYTES) {
        return Some(multi.guess(window.len()));
    }
    let best = single.first().filter(|best| best.is_text);
    // Too little for anything but the most usual page: a few bytes, or no letters.
    let has_letters = |best: &Reading| best.text(&counts.used).any(char::is_alphabetic);
    let is_enough = |best: &&Reading| window.len() >= MIN_BYTES && has_letters(best);
    let best = best.filter(|best| best.page.name == SHORT_PAGE || is_enough(best))?;
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut next = f32::MAX;
    for reading in &single {
        let distance = reading.cost - best.cost;
        let same_text = reading.text(&counts.used).eq(best.text(&counts.used));
        if !same_text {
            next = next.min(distance);
        }
        // Readings of the same text are as good as the first; the handicap of the page is only their order.
        let distance = if same_text { 0.0 } else { distance };
        let score = (0.95 * libm::expf(-distance / SCORE_SCALE)).clamp(0.0, 1.0);
        // Nobody is told of one that is not among the first few.
        if same_text || score > MIN_SCORE {
            candidates.push(Candidate { codec: reading.page.name.clone(), score, same_text });
        }
    }
    crate::sort::by(&mut candidates, |one, other| {
        other.same_text.cmp(&one.same_text).then(other.score.total_cmp(&one.score))
    });
    candidates.truncate(MOST);
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
        // How many blanks and digits there are says nothing about the language.
        let is_filler = |byte: u8| byte.is_ascii_whitespace() || byte.is_ascii_digit();
        let mut counts = Counts { ascii: Vec::new(), mixed: Vec::new(), non_ascii: 0, used: Vec::new() };
        pairs.for_each(|[first, second], count| {
            if is_filler(first) && is_filler(second) {
                return;
            }
            let is_ascii = first.is_ascii() && second.is_ascii();
            let list = if is_ascii { &mut counts.ascii } else { &mut counts.mixed };
            let case = if is_ascii { case_cost(first.into(), second.into()) } else { 0.0 };
            let damped = libm::powf(count as f32, 0.75);
            list.push(Pair { first, second, count: count as f32, damped, case });
            if !second.is_ascii() {
                counts.non_ascii += count;
                counts.used.push(second);
            }
        });
        // Text has far fewer different pairs. This bounds the time for anything else.
        counts.mixed.sort_by(|one, other| other.count.total_cmp(&one.count));
        counts.mixed.truncate(MAX_PAIRS);
        counts.used.sort_unstable();
        counts.used.dedup();
        counts
    }

    /// Returns the readings in all pages, each in the language in which it is cheapest, in order of cost.
    fn readings(&self, registry: &Registry) -> Vec<Reading> {
        let latin: Vec<f32> = languages().iter().map(|language| self.cost_of_ascii(language)).collect();
        let english = latin.first().copied().unwrap_or_default();
        let cost_of_ascii = |at: usize| if languages()[at].is_latin { latin[at] } else { english };
        let known = pages().iter().filter(|page| page.is_of(registry));
        let mut of_case = Vec::new();
        let mut readings: Vec<Reading> =
            known.filter_map(|page| self.reading(page, &cost_of_ascii, &mut of_case)).collect();
        crate::sort::by(&mut readings, |one, other| one.cost.total_cmp(&other.cost));
        readings
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

    /// Returns the reading in a page. `of_case` is room for the costs of cases.
    fn reading(
        &self,
        page: &'static Page,
        cost_of_ascii: &dyn Fn(usize) -> f32,
        of_case: &mut Vec<f32>,
    ) -> Option<Reading> {
        let case_of =
            |pair: &Pair| case_cost(page.chars[usize::from(pair.first)], page.chars[usize::from(pair.second)]);
        of_case.clear();
        of_case.extend(self.mixed.iter().map(case_of));
        let as_language = |(at, classes): &(usize, Box<[Class; 256]>)| {
            let language = &languages()[*at];
            let [mut damped, mut undamped] = [0f32; 2];
            for (pair, case) in self.mixed.iter().zip(&*of_case) {
                let cost = case + language.cost(classes[usize::from(pair.first)], classes[usize::from(pair.second)]);
                damped += pair.damped * cost;
                undamped += pair.count * cost;
            }
            (damped + cost_of_ascii(*at) + page.handicap, undamped + page.handicap)
        };
        let all = page.languages.iter().map(as_language);
        let (cost, undamped) = all.min_by(|one, other| one.0.total_cmp(&other.0))?;
        let pairs: f32 = self.mixed.iter().map(|pair| pair.count).sum();
        let limit = pairs * (MAX_MEAN_COST + SHORT_ALLOWANCE / libm::sqrtf(self.mixed.len().max(1) as f32));
        Some(Reading { page, cost, undamped, is_text: undamped - page.handicap <= limit })
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

/// Returns the cost of the cases of two letters: a capital within a word mostly means that the page is wrong.
fn case_cost(first: char, second: char) -> f32 {
    match second.is_uppercase() {
        true if first.is_lowercase() => 4.5,
        true if first.is_uppercase() => 0.9,
        true => 1.2,
        false => 0.0,
    }
}
