//! Compares charpipe with other detectors on texts in many languages and encodings.
//!
//! The texts are those of `declaration.txt`. Each is cut to several sizes, as prose, as a page of HTML and as CSV, and
//! written in the encodings that its language was written in. An answer is right if it decodes to the same text. An
//! honest "unknown" counts half.

use super::{Dice, encoded};
use charpipe::codec::decode_strictly;
use charpipe::detect::Hints;
use charpipe::{Detector, Registry};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

static DECLARATION: &str = include_str!("declaration.txt");

/// The sizes of the samples, in characters.
const SIZES: [usize; 6] = [20, 50, 100, 200, 500, 2000];

/// From this size on, charpipe has to be better than every other detector.
const MIN_SIZE: usize = 100;

const UNICODE: [(&str, bool); 10] = [
    ("UTF-8", false),
    ("UTF-8", true),
    ("UTF-16LE", false),
    ("UTF-16BE", false),
    ("UTF-16LE", true),
    ("UTF-16BE", true),
    ("UTF-32LE", false),
    ("UTF-32BE", false),
    ("UTF-32LE", true),
    ("UTF-32BE", true),
];

const CLASSES: [&str; 4] = ["unicode", "web", "dos", "ebcdic"];

struct Sample {
    class: &'static str,
    language: &'static str,
    charset: &'static str,
    size: usize,
    text: String,
    bytes: Vec<u8>,
}

/// A language: its code, its encodings by class, and its paragraphs.
struct Language {
    code: &'static str,
    charsets: Vec<(&'static str, &'static str)>,
    paragraphs: Vec<&'static str>,
}

fn languages() -> Vec<Language> {
    let mut languages: Vec<Language> = Vec::new();
    for line in DECLARATION.lines().filter(|line| !line.starts_with("# ") && !line.is_empty()) {
        if let Some(head) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let mut words = head.split(' ');
            let mut language =
                Language { code: words.next().unwrap_or_default(), charsets: Vec::new(), paragraphs: Vec::new() };
            let mut class = "";
            for word in words {
                match CLASSES.iter().find(|known| **known == word) {
                    Some(known) => class = known,
                    None => language.charsets.push((class, word)),
                }
            }
            languages.push(language);
        } else if let Some(language) = languages.last_mut() {
            language.paragraphs.push(line);
        }
    }
    languages
}

impl Language {
    /// Returns a text of about `size` characters in one of three forms, which ends after a whole character.
    fn text(&self, size: usize, form: usize, dice: &mut Dice) -> String {
        let start = dice.below(self.paragraphs.len());
        let lines = self.paragraphs.iter().cycle().skip(start);
        let mut text = String::new();
        let mut rows = 0;
        if form == 1 {
            text.push_str("<html>\n<head><title></title></head>\n<body class=\"main\">\n");
        }
        let head = text.chars().count();
        for line in lines {
            if text.chars().count() >= size + head {
                break;
            }
            rows += 1;
            match form {
                1 => text.push_str(&format!("<p id=\"n{rows}\"><a href=\"/page/{rows}.html\">{line}</a></p>\n")),
                2 => {
                    for part in line.split([',', '，', '、', ';']).map(str::trim) {
                        text.push_str(&format!("{rows};{part};{}.50\n", rows * 37 % 1000));
                    }
                }
                _ => {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        text.chars().take(size + head).collect()
    }
}

/// Returns the text as it is usually written in a charset, without the characters that the charset lacks.
fn written(text: &str, language: &str, charset: &str) -> String {
    match language {
        "ro" if charset != "ISO-8859-16" => text.chars().map(with_cedilla).collect(),
        "vi" if charset == "windows-1258" => text.chars().flat_map(with_tone).collect(),
        _ => text.to_owned(),
    }
}

/// Returns a Romanian letter as most charsets have it: with a cedilla in place of the comma below.
fn with_cedilla(ch: char) -> char {
    match ch {
        'Ș' => 'Ş',
        'ș' => 'ş',
        'Ț' => 'Ţ',
        'ț' => 'ţ',
        ch => ch,
    }
}

/// Returns a Vietnamese letter as windows-1258 has it: the letter, and its tone as a mark of its own.
fn with_tone(ch: char) -> Vec<char> {
    const TONES: [(char, &str); 5] = [
        ('\u{300}', "ÀàẰằẦầÈèỀềÌìÒòỒồỜờÙùỪừỲỳ"),
        ('\u{301}', "ÁáẮắẤấÉéẾếÍíÓóỐốỚớÚúỨứÝý"),
        ('\u{303}', "ÃãẴẵẪẫẼẽỄễĨĩÕõỖỗỠỡŨũỮữỸỹ"),
        ('\u{309}', "ẢảẲẳẨẩẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ"),
        ('\u{323}', "ẠạẶặẬậẸẹỆệỊịỌọỘộỢợỤụỰựỴỵ"),
    ];
    const BASES: &str = "AaĂăÂâEeÊêIiOoÔôƠơUuƯưYy";
    for (tone, letters) in TONES {
        if let Some(at) = letters.chars().position(|letter| letter == ch) {
            return vec![BASES.chars().nth(at).unwrap_or(ch), tone];
        }
    }
    vec![ch]
}

fn samples(registry: &Registry, trials: usize) -> Vec<Sample> {
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut samples = Vec::new();
    let mut turn = 0;
    for language in languages() {
        let mut charsets: Vec<(&str, &str, bool)> =
            language.charsets.iter().map(|(class, charset)| (*class, *charset, false)).collect();
        for _ in 0..3 {
            turn += 1;
            let (charset, has_bom) = UNICODE[turn % UNICODE.len()];
            charsets.push(("unicode", charset, has_bom));
        }
        for (class, charset, has_bom) in charsets {
            // Not every registry has all of them.
            let Ok(codec) = registry.codec(charset) else { continue };
            for size in SIZES {
                for trial in 0..trials {
                    let text = written(&language.text(size, trial % 3, &mut dice), language.code, charset);
                    let bom = if has_bom { "\u{FEFF}" } else { "" };
                    let bytes = encoded(&*codec, &format!("{bom}{text}"), usize::MAX);
                    let Some(text) = decode_strictly(&*codec, &bytes) else { continue };
                    let text = text.trim_start_matches('\u{FEFF}').to_owned();
                    // Nothing can tell what only ASCII is.
                    if bytes.is_ascii() && !bytes.contains(&0) && !bytes.contains(&0x1B) && charset != "HZ-GB-2312" {
                        continue;
                    }
                    samples.push(Sample { class, language: language.code, charset, size, text, bytes });
                }
            }
        }
    }
    samples
}

/// Returns twice the points for what charpipe says about a sample, and what it says.
fn own(sample: &Sample, registry: &Registry) -> (usize, String) {
    let mut hints = Hints::default();
    hints.guess = true;
    let mut detector = Detector::new(registry.clone(), hints);
    detector.feed(&sample.bytes);
    let verdict = detector.finish();
    let Some(codec) = verdict.codec else { return (1, "unknown".to_owned()) };
    let body = &sample.bytes[verdict.signature.filter(|row| row.bom).map_or(0, |row| row.bytes.len())..];
    let is_right = decode_strictly(&*codec, body).as_ref() == Some(&sample.text);
    (if is_right { 2 } else { 0 }, codec.name().to_owned())
}

/// The points of a detector by class, for samples below and from [`MIN_SIZE`].
type Scores = BTreeMap<(bool, &'static str), (usize, usize)>;

fn add(scores: &mut Scores, sample: &Sample, points: usize) {
    let score = scores.entry((sample.size >= MIN_SIZE, sample.class)).or_default();
    score.0 += points;
    score.1 += 2;
}

/// Compares, prints a table, and returns whether charpipe is better than every other detector in every class of
/// samples from [`MIN_SIZE`] on.
pub fn compare(registry: &Registry, whole: bool, verbose: bool) -> bool {
    let samples = samples(registry, if whole { 3 } else { 1 });
    let mut mine = Scores::new();
    for sample in &samples {
        let (points, answer) = own(sample, registry);
        if verbose && points < 2 {
            let Sample { class, language, charset, size, .. } = sample;
            println!("{class} {language} {charset} {size}: {answer}");
        }
        add(&mut mine, sample, points);
    }
    let mut all = vec![("charpipe".to_owned(), mine)];
    if whole {
        all.extend(peers(&samples));
    }
    println!("\n| right %, an honest \"unknown\" counts half | {} | {} |", CLASSES.join(" | "), CLASSES.join(" | "));
    println!("|---|{}", "---|".repeat(2 * CLASSES.len()));
    for (name, scores) in &all {
        let cell = |long: bool, class: &&'static str| {
            let (points, most) = scores.get(&(long, *class)).copied().unwrap_or_default();
            super::percent(points, most)
        };
        let row: Vec<String> =
            [true, false].iter().flat_map(|long| CLASSES.iter().map(move |class| cell(*long, class))).collect();
        println!("| {name} | {} |", row.join(" | "));
    }
    let charsets: std::collections::BTreeSet<&str> = samples.iter().map(|sample| sample.charset).collect();
    println!(
        "\n{} samples in {} encodings; the first four columns are samples of at least {MIN_SIZE} characters",
        samples.len(),
        charsets.len()
    );
    let points = |scores: &Scores, class| scores.get(&(true, class)).map_or(0, |(points, _)| *points);
    all[1..].iter().all(|(_, scores)| CLASSES.iter().all(|class| points(&all[0].1, class) > points(scores, class)))
}

/// Asks the other detectors, as far as they can be installed.
fn peers(samples: &[Sample]) -> Vec<(String, Scores)> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    let folder = target.join("guess-samples");
    _ = fs::remove_dir_all(&folder);
    let written = fs::create_dir_all(&folder).and_then(|()| {
        samples.iter().enumerate().try_for_each(|(index, sample)| {
            fs::write(folder.join(format!("{index:05}.bin")), &sample.bytes)?;
            fs::write(folder.join(format!("{index:05}.txt")), &sample.text)
        })
    });
    if let Err(error) = written {
        eprintln!("skipped: the samples cannot be written: {error}");
        return Vec::new();
    }
    let python = target.join("guess-venv/bin/python");
    if !python.exists() {
        let venv = Command::new("python3").args(["-m", "venv"]).arg(target.join("guess-venv")).status();
        let packages = ["chardet", "charset-normalizer", "faust-cchardet"];
        let pip = Command::new(&python).args(["-m", "pip", "-q", "install"]).args(packages).status();
        if !venv.is_ok_and(|status| status.success()) || !pip.is_ok_and(|status| status.success()) {
            eprintln!("skipped: the Python packages cannot be installed; only programs on the PATH are compared");
        }
    }
    let python = if python.exists() { python } else { "python3".into() };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/guess/peers.py");
    let Ok(output) = Command::new(python).arg(script).arg(&folder).output() else {
        eprintln!("skipped: there is no Python");
        return Vec::new();
    };
    let mut scores: BTreeMap<String, Scores> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let [index, name, answer] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        let Some(sample) = index.parse::<usize>().ok().and_then(|index| samples.get(index)) else { continue };
        let points = match answer {
            "right" => 2,
            "unknown" => 1,
            _ => 0,
        };
        add(scores.entry(name.to_owned()).or_default(), sample, points);
    }
    scores.into_iter().collect()
}
