//! The samples for the comparison of detectors: texts in many languages and encodings.
//!
//! The texts are those of `declaration.txt`. Each is cut to several sizes, as prose, as a page of HTML and as CSV, and
//! written in the encodings that its language was written in. An answer is right if it decodes to the same text. An
//! honest "unknown" counts half.

use super::samples::{Dice, encoded};
use charpipe::codec::decode_strictly;
use charpipe::detect::Hints;
use charpipe::{Detector, Registry};

static DECLARATION: &str = include_str!("declaration.txt");

/// The sizes of the samples, in characters.
const SIZES: [usize; 6] = [20, 50, 100, 200, 500, 2000];

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

pub const CLASSES: [&str; 4] = ["unicode", "web", "dos", "ebcdic"];

pub struct Sample {
    pub class: &'static str,
    pub language: &'static str,
    pub charset: &'static str,
    pub size: usize,
    pub text: String,
    pub bytes: Vec<u8>,
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

/// Returns a Vietnamese letter as windows-1258 has it: the letter, and its tone as a separate mark.
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

pub fn samples(registry: &Registry, trials: usize) -> Vec<Sample> {
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

/// Returns twice the points for charpipe's result on a sample, and the result.
pub fn own(sample: &Sample, registry: &Registry) -> (usize, String) {
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
