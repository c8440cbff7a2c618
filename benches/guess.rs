//! Measures how often guesses are correct: with samples of every language, page, form and size, and of data that is not
//! EBCDIC.
//!
//! `cargo bench --bench guess` prints the tables of `spec/statistics.md` and exits with 1 if the requirements stated
//! there are not met; `-- -v` also lists the wrong guesses, and `-- compare` only compares charpipe with other detectors.
//! Run without `--bench`, as by `cargo test --benches`, it
//! takes only a few samples of each kind. The samples are the same on every run.

use charpipe::Registry;
use charpipe::codec::decode_strictly;
use charpipe::detect::statistics::{Guess, guess, looks_like};
use samples::{Dice, FORMS, Form, encoded, languages, negatives, read};
use std::collections::BTreeMap;
use std::process::ExitCode;

const SIZES: [usize; 5] = [64, 200, 500, 2000, 65536];

#[path = "guess/comparison.rs"]
mod comparison;
#[path = "guess/declaration.rs"]
mod declaration;
#[path = "guess/samples.rs"]
mod samples;

#[derive(Default)]
struct Tally {
    all: usize,
    ebcdic: usize,
    right: usize,
    /// Wrong guesses that were reported as certain.
    wrong_but_certain: usize,
}

fn percent(part: usize, all: usize) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.1}", 100.0 * part as f64 / all as f64) }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let whole = args.iter().any(|arg| arg == "--bench");
    let verbose = args.iter().any(|arg| arg == "-v");
    let registry = Registry::builtin();
    if args.iter().any(|arg| arg == "compare") {
        let is_best = comparison::compare(&registry, whole, verbose);
        return if is_best { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let languages = languages();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut good = true;

    let mut by_language: BTreeMap<(usize, usize), Tally> = BTreeMap::new();
    let mut by_form: BTreeMap<(Form, usize), Tally> = BTreeMap::new();
    let mut by_size: BTreeMap<usize, Tally> = BTreeMap::new();
    let mut looks = Tally::default();
    for (index, language) in languages.iter().enumerate() {
        for name in &language.pages {
            let codec = registry.codec(name).expect("a page of the list");
            for form in FORMS {
                for size in SIZES {
                    let trials = match (whole, size) {
                        (false, 65536) => 0,
                        (false, _) => 1,
                        (true, 65536) => 1,
                        (true, _) => 6,
                    };
                    for _ in 0..trials {
                        let mut text = language.text(form, &mut dice, size);
                        if dice.below(2) == 0 {
                            text = text.replace('\n', "\u{85}");
                        }
                        let bytes = encoded(&*codec, &text, size);
                        let result = guess(&bytes, true, &registry);
                        let first = result.candidates().first().map(|first| first.codec.as_str());
                        let found = first.map(|first| registry.codec(first).expect("a name of the registry"));
                        let is_ebcdic = found.as_ref().is_some_and(|found| charpipe::codec::is_ebcdic(&**found));
                        let is_right = found.as_ref().is_some_and(|found| {
                            found.name() == *name || read(&**found, &bytes) == read(&*codec, &bytes)
                        });
                        if verbose && !is_right {
                            println!(
                                "{} {name} {form:?} {size}: {first:?} {:?}",
                                language.code,
                                result
                                    .candidates()
                                    .iter()
                                    .take(6)
                                    .map(|c| format!("{} {:.2}", c.codec, c.score))
                                    .collect::<Vec<_>>()
                            );
                        }
                        if size >= 500 {
                            looks.all += 1;
                            looks.ebcdic += usize::from(looks_like(&bytes).is_some());
                        }
                        for tally in [
                            by_language.entry((index, size)).or_default(),
                            by_form.entry((form, size)).or_default(),
                            by_size.entry(size).or_default(),
                        ] {
                            tally.all += 1;
                            tally.ebcdic += usize::from(is_ebcdic);
                            tally.right += usize::from(is_right);
                            tally.wrong_but_certain += usize::from(!is_right && matches!(result, Guess::Certain(_)));
                        }
                    }
                }
            }
        }
    }
    let sizes = SIZES.map(|size| size.to_string()).join(" | ");
    println!("| EBCDIC: recognised % / right text % | {sizes} |");
    println!("|---|{}", "---|".repeat(SIZES.len()));
    let row = |tallies: &dyn Fn(usize) -> Option<String>| -> String {
        SIZES.map(|size| tallies(size).unwrap_or_else(|| "-".to_owned())).join(" | ")
    };
    let cell = |tally: &Tally| format!("{} / {}", percent(tally.ebcdic, tally.all), percent(tally.right, tally.all));
    for (index, language) in languages.iter().enumerate() {
        println!("| {} | {} |", language.code, row(&|size| by_language.get(&(index, size)).map(cell)));
    }
    for form in FORMS {
        println!("| *{form:?}* | {} |", row(&|size| by_form.get(&(form, size)).map(cell)));
    }
    println!("| **all** | {} |", row(&|size| by_size.get(&size).map(cell)));
    println!("| samples | {} |", row(&|size| by_size.get(&size).map(|tally| tally.all.to_string())));
    println!(
        "| certain and wrong % | {} |",
        row(&|size| by_size.get(&size).map(|tally| percent(tally.wrong_but_certain, tally.all)))
    );
    println!(
        "\n`looks_like` recognises {} % of the EBCDIC samples of at least 500 bytes",
        percent(looks.ebcdic, looks.all)
    );
    let large = by_size.iter().filter(|(size, _)| **size >= 500).fold(Tally::default(), |mut sum, (_, tally)| {
        sum.all += tally.all;
        sum.ebcdic += tally.ebcdic;
        sum.right += tally.right;
        sum
    });
    println!(
        "EBCDIC samples of at least 500 bytes: {} % recognised, {} % read correctly",
        percent(large.ebcdic, large.all),
        percent(large.right, large.all)
    );
    good &= large.ebcdic * 100 > large.all * 99 && large.right * 100 > large.all * 90;

    println!("\n| not EBCDIC, but taken for EBCDIC | {sizes} |");
    println!("|---|{}", "---|".repeat(SIZES.len()));
    let machine = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    let mut wrong = 0;
    let mut all = 0;
    let mut hints = 0;
    for kind in negatives().into_iter() {
        let mut cells = Vec::new();
        for size in SIZES {
            let trials = match (whole, size) {
                (false, 65536) => 0,
                (false, _) => 2,
                (true, 64) => 1000,
                (true, 200) => 500,
                (true, 500) => 200,
                (true, 2000) => 50,
                (true, _) => 4,
            };
            let mut called = 0;
            for _ in 0..trials {
                let bytes = kind.sample(&mut dice, size, &languages, &registry, &machine);
                let result = guess(&bytes, true, &registry);
                let first = result.candidates().first().map(|first| first.codec.as_str());
                let is_ebcdic = first
                    .and_then(|first| registry.codec(first).ok())
                    .is_some_and(|codec| charpipe::codec::is_ebcdic(&*codec));
                if verbose && is_ebcdic {
                    println!("{} {size}: {first:?} {:02X?}", kind.name, &bytes[..64]);
                }
                called += usize::from(is_ebcdic);
                hints += usize::from(looks_like(&bytes).is_some() && !kind.name.starts_with("UTF-16"));
            }
            all += trials;
            wrong += called;
            cells.push(format!("{called} of {trials}"));
        }
        println!("| {} | {} |", kind.name, cells.join(" | "));
    }
    println!(
        "\nOf {all} samples that are not EBCDIC, {wrong} are taken for EBCDIC ({:.3} %); `looks_like` reports {hints}",
        100.0 * wrong as f64 / all as f64
    );
    good &= wrong * 1000 < all;

    println!("\n| not EBCDIC | right % | certain and wrong % |\n|---|---|---|");
    for kind in negatives().into_iter().filter(|kind| !kind.charset.is_empty() && kind.charset != "US-ASCII") {
        let mut tally = Tally::default();
        for size in [64, 200, 500, 2000] {
            for _ in 0..if whole { 50 } else { 1 } {
                let bytes = kind.sample(&mut dice, size, &languages, &registry, &machine);
                let result = guess(&bytes, false, &registry);
                if bytes.is_ascii() && !kind.charset.starts_with("UTF-16") && !kind.charset.starts_with("UTF-32") {
                    // There is nothing to guess.
                    continue;
                }
                let codec = registry.codec(kind.charset).expect("a label of the list");
                let is_right = result.candidates().first().is_some_and(|first| {
                    let found = registry.codec(&first.codec).expect("a name of the registry");
                    found.name() == codec.name() || decode_strictly(&*found, &bytes) == decode_strictly(&*codec, &bytes)
                });
                tally.all += 1;
                tally.right += usize::from(is_right);
                tally.wrong_but_certain += usize::from(!is_right && matches!(result, Guess::Certain(_)));
            }
        }
        println!(
            "| {} | {} | {} |",
            kind.name,
            percent(tally.right, tally.all),
            percent(tally.wrong_but_certain, tally.all)
        );
    }
    good &= comparison::compare(&registry, whole, verbose);
    if !good {
        eprintln!("the requirements are not met");
    }
    if good || !whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
