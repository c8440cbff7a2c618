//! Tests the requirements for guessing (`spec/statistics.md`) with some of the samples. `cargo bench --bench guess`
//! measures them with all samples.

#[path = "../../benches/guess/declaration.rs"]
mod declaration;
#[path = "../../benches/guess/samples.rs"]
mod samples;

use charpipe::Registry;
use charpipe::codec::{decode_strictly, is_ebcdic};
use charpipe::detect::statistics::{Guess, MINIMUM, guess, looks_like};
use samples::{Dice, FORMS, encoded, languages, negatives, read};
use std::collections::BTreeMap;
use std::fs;

/// Counts samples: all of them, and those that have what is asked for.
#[derive(Default)]
struct Share {
    all: usize,
    good: usize,
}

impl Share {
    fn add(&mut self, is_good: bool) {
        self.all += 1;
        self.good += usize::from(is_good);
    }

    #[track_caller]
    fn is_at_least(&self, percent: usize, what: &str) {
        assert!(self.all > 0, "{what}: no samples");
        assert!(self.good * 100 >= self.all * percent, "{what}: {} of {}", self.good, self.all);
    }
}

/// The charsets in which some texts of at least 100 characters are read wrongly, and how many. Romanian in ISO-8859-16
/// is read as windows-1250: it has the same bytes.
const MISREAD: [(&str, usize); 9] = [
    ("IBM437", 4),
    ("IBM850", 4),
    ("IBM860", 1),
    ("IBM865", 1),
    ("ISO-8859-15", 1),
    ("ISO-8859-16", 12),
    ("ISO-8859-2", 1),
    ("ISO-8859-6", 2),
    ("macintosh", 1),
];

/// The texts of `declaration.txt`, in 44 languages and 77 encodings.
#[test]
fn declarations_are_read_as_often_as_documented() {
    let registry = Registry::builtin();
    let mut by_class: BTreeMap<(bool, &str), (usize, usize)> = BTreeMap::new();
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for sample in declaration::samples(&registry, 3) {
        let (points, found) = declaration::own(&sample, &registry);
        let is_long = sample.size >= 100;
        let (sum, most) = by_class.entry((is_long, sample.class)).or_default();
        (*sum, *most) = (*sum + points, *most + 2);
        if is_long && points < 2 {
            wrong.entry(sample.charset).or_default().push(format!("{} {} {found}", sample.language, sample.size));
        }
    }
    for (charset, wrong) in wrong {
        let misread = MISREAD.iter().find(|(name, _)| *name == charset).map_or(0, |(_, misread)| *misread);
        assert!(wrong.len() <= misread, "{charset}: {wrong:?}");
    }
    // The two rows of charpipe in the document: long samples, then short ones.
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/spec/statistics.md")).unwrap();
    let documented: Vec<&str> = document.lines().filter(|line| line.starts_with("| charpipe |")).collect();
    let measured = [true, false].map(|is_long| {
        let cells = declaration::CLASSES.map(|class| {
            let (sum, most) = by_class[&(is_long, class)];
            format!(" {:.1} |", 100.0 * sum as f64 / most as f64)
        });
        format!("| charpipe |{}", cells.concat())
    });
    assert_eq!(measured[..], documented[..]);
}

#[test]
fn ebcdic_is_recognised_and_read() {
    let registry = Registry::builtin();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let [mut recognised, mut right, mut unsure, mut hinted] = [(); 4].map(|()| Share::default());
    for language in languages() {
        for name in &language.pages {
            let codec = registry.codec(name).unwrap();
            for (form, size) in FORMS.into_iter().flat_map(|form| [500, 2000].map(|size| (form, size))) {
                let mut text = language.text(form, &mut dice, size);
                if dice.below(2) == 0 {
                    text = text.replace('\n', "\u{85}");
                }
                let bytes = encoded(&*codec, &text, size);
                let result = guess(&bytes, true, &registry);
                let found = result.candidates().first().map(|first| registry.codec(&first.codec).unwrap());
                recognised.add(found.as_ref().is_some_and(|found| is_ebcdic(&**found)));
                let is_right = found
                    .as_ref()
                    .is_some_and(|found| found.name() == *name || read(&**found, &bytes) == read(&*codec, &bytes));
                right.add(is_right);
                unsure.add(is_right || !matches!(result, Guess::Certain(_)));
                hinted.add(looks_like(&bytes).is_some());
            }
        }
    }
    recognised.is_at_least(99, "recognised as EBCDIC");
    right.is_at_least(90, "read as EBCDIC");
    unsure.is_at_least(99, "not certain if wrong");
    hinted.is_at_least(75, "a hint that it is EBCDIC");
}

/// Kinds of samples of which fewer than 95 % have to be read as what they are.
const HARDER: [(&str, usize); 2] = [("windows-1252, Spanish", 85), ("TIS-620, Thai", 90)];

#[test]
fn what_is_not_ebcdic_is_not_taken_for_it() {
    let registry = Registry::builtin();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let languages = languages();
    let [mut ebcdic, mut hinted] = [(); 2].map(|()| Share::default());
    // Machine code is left out: it would be that of this program, which differs from build to build.
    for kind in negatives().into_iter().filter(|kind| kind.name != "machine code") {
        let mut right = Share::default();
        for (size, trials) in [(64, 20), (200, 10), (500, 8), (2000, 4)] {
            for _ in 0..trials {
                let bytes = kind.sample(&mut dice, size, &languages, &registry, &[]);
                let result = guess(&bytes, false, &registry);
                let found = result.candidates().first().map(|first| registry.codec(&first.codec).unwrap());
                ebcdic.add(found.as_ref().is_some_and(|found| is_ebcdic(&**found)));
                let is_wide = kind.charset.starts_with("UTF-16") || kind.charset.starts_with("UTF-32");
                hinted.add(looks_like(&bytes).is_some() && !is_wide);
                if kind.charset.is_empty() || bytes.is_ascii() && !is_wide {
                    continue;
                }
                let codec = registry.codec(kind.charset).unwrap();
                right.add(found.is_some_and(|found| {
                    found.name() == codec.name() || decode_strictly(&*found, &bytes) == decode_strictly(&*codec, &bytes)
                }));
            }
        }
        if right.all > 0 {
            let least = HARDER.iter().find(|(name, _)| *name == kind.name).map_or(95, |(_, least)| *least);
            right.is_at_least(least, kind.name);
        }
    }
    assert_eq!(ebcdic.good, 0, "of {}", ebcdic.all);
    assert_eq!(hinted.good, 0, "of {}", hinted.all);
}

/// The charsets in which some texts of at least 500 characters get a guess that is not certain, and how many.
const UNCERTAIN: [(&str, usize); 4] = [("IBM437", 2), ("IBM500", 1), ("ISO-8859-6", 2), ("UTF-16BE", 2)];

/// Text below the minimum is never certain, unless its escape sequences name the charset. Long text mostly is.
#[test]
fn a_guess_is_as_certain_as_it_may_be() {
    let registry = Registry::builtin();
    let mut uncertain: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = 0;
    for sample in declaration::samples(&registry, 1) {
        let has_escapes = sample.charset.starts_with("ISO-2022") || sample.charset.starts_with("HZ");
        if sample.class != "unicode" && !has_escapes {
            let short = &sample.bytes[..sample.bytes.len().min(MINIMUM - 1)];
            let found = guess(short, false, &registry);
            assert!(!matches!(found, Guess::Certain(_)), "{} {}: {found:?}", sample.charset, sample.language);
        }
        if sample.size < 500 {
            continue;
        }
        let Guess::Certain(found) = guess(&sample.bytes, true, &registry) else {
            *uncertain.entry(sample.charset).or_default() += 1;
            continue;
        };
        let [found, meant] = [&found[0].codec, sample.charset].map(|name| registry.codec(name).unwrap());
        wrong += usize::from(decode_strictly(&*found, &sample.bytes) != decode_strictly(&*meant, &sample.bytes));
    }
    assert_eq!(uncertain, BTreeMap::from(UNCERTAIN));
    assert!(wrong <= 2, "{wrong} are certain and wrong");
}
