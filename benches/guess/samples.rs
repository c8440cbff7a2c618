//! The samples for guessing: texts of every language in the EBCDIC pages, in several forms, and data that is not EBCDIC.
//! The benchmark measures with all of them, and a test with some.

use charpipe::codec::{ByteSink, Stop, decode_strictly};
use charpipe::{Codec, Registry};

static TEXTS: &str = include_str!("texts.txt");

/// A pseudo-random number generator that gives the same numbers on every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

pub struct Language {
    pub code: &'static str,
    pub pages: Vec<&'static str>,
    words: Vec<&'static str>,
}

pub fn languages() -> Vec<Language> {
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
pub enum Form {
    Prose,
    Records,
    Xml,
    Listing,
}

pub const FORMS: [Form; 4] = [Form::Prose, Form::Records, Form::Xml, Form::Listing];

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
    pub fn text(&self, form: Form, dice: &mut Dice, len: usize) -> String {
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
pub fn encoded(codec: &dyn Codec, text: &str, len: usize) -> Vec<u8> {
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
pub fn read(codec: &dyn Codec, bytes: &[u8]) -> Option<String> {
    decode_strictly(codec, bytes).or_else(|| decode_strictly(codec, &[bytes, b"\x0F"].concat())).or_else(|| {
        let cut = [&bytes[..bytes.len() - 1], b"\x0F"].concat();
        decode_strictly(codec, &cut)
    })
}

/// A kind of data that is not EBCDIC.
pub struct Kind {
    pub name: &'static str,
    language: &'static str,
    /// Empty for bytes that are not text.
    pub charset: &'static str,
}

pub fn negatives() -> Vec<Kind> {
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
    pub fn sample(
        &self,
        dice: &mut Dice,
        size: usize,
        from: &[Language],
        registry: &Registry,
        machine: &[u8],
    ) -> Vec<u8> {
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
