//! Measures how often guessing is right: with samples of every language, page, form and size, and of data that is not
//! EBCDIC.
//!
//! `cargo bench --bench guess` prints the tables of `spec/statistics.md` and exits with 1 if the requirements stated
//! there are not met; `-- -v` also lists the wrong guesses, and `-- compare` only compares charpipe with other detectors.
//! Run without `--bench`, as by `cargo test --benches`, it
//! takes only a few samples of each kind. The samples are the same on every run.

use charpipe::codec::{ByteSink, Stop, decode_strictly};
use charpipe::detect::statistics::{Guess, guess, looks_like};
use charpipe::{Codec, Registry};
use std::collections::BTreeMap;
use std::process::ExitCode;

const SIZES: [usize; 5] = [64, 200, 500, 2000, 65536];

#[path = "guess/comparison.rs"]
mod comparison;

static TEXTS: &str = include_str!("guess/texts.txt");

/// A pseudo-random number generator that gives the same numbers on every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

struct Language {
    code: &'static str,
    pages: Vec<&'static str>,
    words: Vec<&'static str>,
}

fn languages() -> Vec<Language> {
    let mut languages: Vec<Language> = Vec::new();
    for line in TEXTS.lines().filter(|line| !line.starts_with("# ")) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(head) => {
                let mut head = head.split(' ');
                let code = head.next().unwrap_or_default();
                languages.push(Language { code, pages: head.collect(), words: Vec::new() });
            }
            None => {
                if let Some(language) = languages.last_mut() {
                    language.words.extend(line.split_whitespace());
                }
            }
        }
    }
    languages
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Form {
    Prose,
    Records,
    Xml,
    Listing,
}

const FORMS: [Form; 4] = [Form::Prose, Form::Records, Form::Xml, Form::Listing];

impl Language {
    fn is_dense(&self) -> bool {
        matches!(self.code, "ja" | "zh-Hans" | "zh-Hant" | "th")
    }

    /// Returns `count` words from a random position, wrapping around at the end.
    fn run(&self, dice: &mut Dice, count: usize) -> String {
        let from = dice.below(self.words.len());
        let words: Vec<&str> = self.words.iter().cycle().skip(from).take(count).copied().collect();
        if self.is_dense() && count < 4 {
            // Here a word is a whole line.
            return words.concat().chars().skip(dice.below(20)).take(8).collect();
        }
        words.join(" ")
    }

    /// Returns a text of about `len` characters. Lines end with LF, which a page may encode as NEL.
    fn text(&self, form: Form, dice: &mut Dice, len: usize) -> String {
        let mut text = String::new();
        let mut line = 0;
        let mut chars = 0;
        while chars < len {
            line += 1;
            let number = dice.next() % 100_000_000;
            let one = match form {
                Form::Prose => format!("{}\n", self.run(dice, if self.is_dense() { 1 } else { 11 })),
                Form::Records => {
                    let (name, city) = (self.run(dice, 2), self.run(dice, 1));
                    let name: String = name.chars().take(28).collect();
                    let city: String = city.chars().take(16).collect();
                    format!("{number:08}{name:<30}{city:<18}{:>9}.{:02}{:<12}", number / 700, number % 100, "")
                }
                Form::Xml if self.code == "code" => format!("<line no=\"{line}\">{number}</line>\n"),
                Form::Xml if line == 1 => "<list>\n".to_owned(),
                Form::Xml => {
                    let name = self.run(dice, 3).replace(['<', '>', '&'], "");
                    format!("  <item no=\"{line}\" key=\"{number}\"><name>{name}</name></item>\n")
                }
                Form::Listing => {
                    let name = self.run(dice, 3).replace('\'', "");
                    let name: String = name.chars().take(24).collect();
                    let one = match line % 4 {
                        0 => format!("{:06}     MOVE '{name}' TO WS-TEXT-{}", line * 100, line % 37),
                        1 => format!("{:06}     05  FIELD-{:<4}   PIC X({:02}).", line * 100, line % 91, line % 40),
                        2 => format!("{:06}*    {name}", line * 100),
                        _ => format!("{:06}     IF WS-CODE = {} PERFORM READ-NEXT.", line * 100, number % 1000),
                    };
                    format!("{one:<80}")
                }
            };
            chars += one.chars().count();
            text.push_str(&one);
        }
        text
    }
}

/// Encodes the text, leaving out characters that the charset lacks, and cuts it at `len`.
fn encoded(codec: &dyn Codec, text: &str, len: usize) -> Vec<u8> {
    let mut encoder = codec.encoder().expect("every page has an encoder");
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 4096];
    let mut rest = text;
    while bytes.len() < len && !rest.is_empty() {
        let mut sink = ByteSink::new(&mut buffer);
        let step = encoder.feed(rest, &mut sink);
        bytes.extend_from_slice(sink.as_bytes());
        rest = &rest[step.read..];
        if step.stop == Stop::InputEmpty {
            break;
        }
    }
    let mut sink = ByteSink::new(&mut buffer);
    if len == usize::MAX && encoder.finish(&mut sink) == Stop::InputEmpty {
        bytes.extend_from_slice(sink.as_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// Decodes the bytes without an incomplete sequence at the end.
fn read(codec: &dyn Codec, bytes: &[u8]) -> Option<String> {
    decode_strictly(codec, bytes).or_else(|| decode_strictly(codec, &[bytes, b"\x0F"].concat())).or_else(|| {
        let cut = [&bytes[..bytes.len() - 1], b"\x0F"].concat();
        decode_strictly(codec, &cut)
    })
}

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

/// A kind of data that is not EBCDIC.
struct Kind {
    name: &'static str,
    language: &'static str,
    /// Empty for bytes that are not text.
    charset: &'static str,
}

fn negatives() -> Vec<Kind> {
    let kind = |name, language, charset| Kind { name, language, charset };
    vec![
        kind("ASCII, English", "en", "US-ASCII"),
        kind("ASCII, code", "code", "US-ASCII"),
        kind("ASCII, capitals", "en", ""),
        kind("ASCII, base64", "", ""),
        kind("UTF-8, French", "fr", "UTF-8"),
        kind("UTF-8, Russian", "ru", "UTF-8"),
        kind("UTF-8, Greek", "el", "UTF-8"),
        kind("UTF-8, Thai", "th", "UTF-8"),
        kind("UTF-8, Japanese", "ja", "UTF-8"),
        kind("UTF-8, Chinese", "zh-Hans", "UTF-8"),
        kind("Latin-1, German", "de", "ISO-8859-1"),
        kind("Latin-1, French", "fr", "ISO-8859-1"),
        kind("windows-1252, Spanish", "es", "windows-1252"),
        kind("windows-1250, Polish", "pl", "windows-1250"),
        kind("windows-1251, Russian", "ru", "windows-1251"),
        kind("windows-1253, Greek", "el", "windows-1253"),
        kind("windows-1255, Hebrew", "he", "windows-1255"),
        kind("KOI8-R, Russian", "ru", "KOI8-R"),
        kind("TIS-620, Thai", "th", "windows-874"),
        kind("Shift_JIS", "ja", "Shift_JIS"),
        kind("Shift_JIS, half-width", "kana", "Shift_JIS"),
        kind("EUC-JP", "ja", "EUC-JP"),
        kind("GBK", "zh-Hans", "GBK"),
        kind("Big5", "zh-Hant", "Big5"),
        kind("EUC-KR", "ko", "EUC-KR"),
        kind("UTF-16LE, German", "de", "UTF-16LE"),
        kind("UTF-16BE, Russian", "ru", "UTF-16BE"),
        kind("UTF-16LE, Japanese", "ja", "UTF-16LE"),
        kind("UTF-32BE, Greek", "el", "UTF-32BE"),
        kind("random", "", ""),
        kind("gzip-like", "", ""),
        kind("machine code", "", ""),
        kind("numbers, big-endian", "", ""),
        kind("all blank (40)", "", ""),
        kind("all blank (20)", "", ""),
        kind("all zero", "", ""),
    ]
}

impl Kind {
    fn sample(&self, dice: &mut Dice, size: usize, from: &[Language], registry: &Registry, machine: &[u8]) -> Vec<u8> {
        let language = from.iter().find(|language| language.code == self.language);
        if let Some(language) = language {
            let form = FORMS[dice.below(4)];
            let text = language.text(form, dice, size);
            if self.charset.is_empty() {
                return text.to_uppercase().into_bytes()[..size].to_vec();
            }
            let codec = registry.codec(self.charset).expect("a label of the list");
            return encoded(&*codec, &text, size);
        }
        let mut any = || dice.next() as u8;
        match self.name {
            "ASCII, base64" => {
                const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
                (0..size).map(|_| DIGITS[usize::from(any() & 63)]).collect()
            }
            "gzip-like" => {
                [&b"\x1F\x8B\x08\0\0\0\0\0\0\x03"[..], &(10..size).map(|_| any()).collect::<Vec<_>>()].concat()
            }
            "machine code" => {
                // After the header, in the machine code.
                let from = machine.len() / 8 + dice.below(machine.len() / 2);
                machine[from..][..size].to_vec()
            }
            "numbers, big-endian" => {
                (0..size / 4).flat_map(|_| (dice.next() as u32 >> (dice.next() % 24)).to_be_bytes()).collect()
            }
            "all blank (40)" => vec![0x40; size],
            "all blank (20)" => vec![0x20; size],
            "all zero" => vec![0; size],
            _ => (0..size).map(|_| any()).collect(),
        }
    }
}
