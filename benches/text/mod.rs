//! Generates the texts for measurements, identical on every run: no data files, no external randomness.
//!
//! Each text resembles prose, so that a branch predictor behaves as it does with real text: words of natural length
//! from a list, shuffled by a fixed generator, in lines of about seventy columns.

// Each benchmark is a separate program and uses only a part of this module.
#![allow(dead_code)]

/// The kind of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// English: only ASCII.
    English,
    /// French: 8 % of the characters outside ASCII, all of them in Latin-1.
    French,
    /// Russian: nearly every character takes two bytes in UTF-8.
    Russian,
    /// Greek with accents: two bytes per character in UTF-8.
    Greek,
    /// Hebrew without points: two bytes per character in UTF-8.
    Hebrew,
    /// Arabic: two bytes per character in UTF-8.
    Arabic,
    /// Arabic in presentation forms, as IBM420 has them: characters of three bytes among those of two.
    ArabicShapes,
    /// Thai: nearly every character takes three bytes in UTF-8, in long runs.
    Thai,
    /// Japanese in half-width katakana, with Latin capitals and digits: the characters of IBM290.
    Katakana,
    /// Japanese, kanji and kana of JIS X 0208: nearly every character takes three bytes in UTF-8 and two in the code
    /// pages.
    Japanese,
    /// Korean syllables of KS X 1001, in words separated by spaces.
    Korean,
    /// Chinese and hiragana: nearly every character takes three bytes in UTF-8 and one code unit in UTF-16.
    Cjk,
    /// English and a little Chinese with emoji between the words: surrogate pairs, and all lengths of UTF-8.
    Emoji,
}

impl Kind {
    pub(crate) const ALL: [Kind; 13] = [
        Kind::English,
        Kind::French,
        Kind::Russian,
        Kind::Greek,
        Kind::Hebrew,
        Kind::Arabic,
        Kind::ArabicShapes,
        Kind::Thai,
        Kind::Katakana,
        Kind::Japanese,
        Kind::Korean,
        Kind::Cjk,
        Kind::Emoji,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::English => "English",
            Kind::French => "French",
            Kind::Russian => "Russian",
            Kind::Greek => "Greek",
            Kind::Hebrew => "Hebrew",
            Kind::Arabic => "Arabic",
            Kind::ArabicShapes => "shapes",
            Kind::Thai => "Thai",
            Kind::Katakana => "katakana",
            Kind::Japanese => "Japanese",
            Kind::Korean => "Korean",
            Kind::Cjk => "CJK",
            Kind::Emoji => "emoji",
        }
    }

    /// Returns a text of whole lines with at least, and not much more than, `len` bytes of UTF-8.
    pub(crate) fn text(self, len: usize) -> String {
        let mut dice = Dice::new();
        let mut text = String::with_capacity(len + 512);
        while text.len() < len {
            let mut columns = 0;
            while columns < 68 {
                let from = text.len();
                self.word(&mut dice, &mut text);
                columns += text[from..].chars().count();
            }
            text.push('\n');
        }
        text
    }

    /// Adds a word and the separator after it.
    fn word(self, dice: &mut Dice, text: &mut String) {
        match self {
            Kind::English => {
                text.push_str(dice.one_of(ENGLISH));
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::French => {
                text.push_str(dice.one_of(FRENCH));
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::Russian => {
                letters(dice, text, 1..11, &[('\u{430}', 32), ('\u{430}', 16)]);
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::Greek => {
                // Alpha to omega except the final sigma, which only ends words; sometimes an accent.
                letters(dice, text, 1..9, &[('\u{3B1}', 17), ('\u{3C3}', 7), ('\u{3AC}', 4), ('\u{3B1}', 17)]);
                text.push_str(dice.one_of(&["", "", "\u{3C2}"]));
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::Hebrew => {
                letters(dice, text, 2..8, &[('\u{5D0}', 27)]);
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::Arabic => {
                letters(dice, text, 2..8, &[('\u{627}', 20), ('\u{641}', 8)]);
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::ArabicShapes => {
                for _ in 0..1 + dice.below(6) {
                    text.push_str(dice.one_of(ARABIC_INITIALS));
                }
                letters(dice, text, 1..2, &[('\u{627}', 8), ('\u{62D}', 14)]);
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::Thai => {
                letters(dice, text, 5..40, &[('\u{E01}', 58), ('\u{E01}', 46), ('\u{E40}', 28)]);
                text.push(' ');
            }
            Kind::Katakana => {
                if dice.below(6) == 0 {
                    text.push_str(dice.one_of(&["ABC", "2024", "KK", "NO.7", "12,800", "TEL"]));
                } else {
                    letters(dice, text, 2..8, &[('\u{FF66}', 56)]);
                }
                text.push_str(dice.one_of(&[" ", " ", "\u{FF64}", "\u{FF61}", "\u{FF65}"]));
            }
            Kind::Japanese => {
                text.push_str(dice.one_of(JAPANESE));
                letters(dice, text, 0..4, &[('\u{3042}', 80), ('\u{3042}', 80), ('\u{30A2}', 80)]);
                text.push_str(dice.one_of(&["", "", "", "", "、", "。", "", "24", "　"]));
            }
            Kind::Korean => {
                text.push_str(dice.one_of(KOREAN));
                text.push_str(dice.one_of(KOREAN_ENDINGS));
                text.push_str(dice.one_of(BETWEEN));
            }
            Kind::Cjk => {
                letters(dice, text, 1..5, &[('\u{4E00}', 4096), ('\u{4E00}', 512), ('\u{3042}', 80)]);
                text.push_str(dice.one_of(&["", "", "", "", "", "，", "。", "、", "12", " "]));
            }
            Kind::Emoji => {
                match dice.below(8) {
                    0..3 => letters(dice, text, 1..3, &[('\u{1F600}', 64), ('\u{1F400}', 64), ('\u{1F680}', 64)]),
                    3 => letters(dice, text, 1..4, &[('\u{4E00}', 2048)]),
                    4 => text.push_str(dice.one_of(FRENCH)),
                    _ => text.push_str(dice.one_of(ENGLISH)),
                }
                text.push_str(dice.one_of(BETWEEN));
            }
        }
    }
}

/// Adds a random number of letters (within `count`), each from one of `ranges`, which are given as the first character
/// and the number of characters.
fn letters(dice: &mut Dice, text: &mut String, count: std::ops::Range<usize>, ranges: &[(char, usize)]) {
    for _ in 0..count.start + dice.below(count.len()) {
        let (first, len) = ranges[dice.below(ranges.len())];
        text.extend(char::from_u32(first as u32 + dice.below(len) as u32));
    }
}

/// Marsaglia's xorshift generator.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        Dice(0x9E37_79B9_7F4A_7C15)
    }

    /// Returns a number from 0 to `end` - 1.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const BETWEEN: &[&str] = &[" ", " ", " ", " ", " ", " ", " ", " ", ", ", ". ", " ", "; ", " ", " ", "' ", " (", ") "];

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "the", "of", "and", "a", "to", "in", "is", "that", "it", "was", "for", "on", "are", "with", "as", "his", "they",
    "be", "at", "one", "have", "this", "from", "or", "had", "by", "hot", "but", "some", "what", "there", "we", "can",
    "out", "other", "were", "all", "your", "when", "up", "use", "word", "how", "said", "an", "each", "she", "which",
    "do", "their", "time", "if", "will", "way", "about", "many", "then", "them", "would", "write", "like", "so",
    "these", "her", "long", "make", "thing", "see", "him", "two", "has", "look", "more", "day", "could", "go", "come",
    "did", "my", "sound", "no", "most", "number", "who", "over", "know", "water", "than", "call", "first", "people",
    "may", "down", "side", "been", "now", "find", "The", "Any", "New", "In", "Account", "1987", "balance", "statement",
];

#[rustfmt::skip]
const FRENCH: &[&str] = &[
    "le", "la", "de", "des", "un", "une", "et", "à", "être", "été", "où", "déjà", "après", "même", "très", "près",
    "élève", "fenêtre", "garçon", "français", "château", "théâtre", "noël", "naïve", "août", "maïs", "différent",
    "année", "journée", "société", "général", "écrire", "répondre", "créé", "dès", "là", "voilà", "peut-être",
    "maison", "jardin", "monde", "temps", "homme", "femme", "enfant", "ville", "eau", "vie", "main", "chose", "mot",
    "pour", "dans", "sur", "avec", "sans", "sous", "mais", "donc", "car", "qui", "que", "dont", "il", "elle", "nous",
    "vous", "ils", "faire", "dire", "aller", "voir", "savoir", "pouvoir", "vouloir", "venir", "prendre", "Relevé",
    "compte", "numéro", "solde", "1987", "«", "»", "plus", "moins", "bien", "mal", "ici",
];

#[rustfmt::skip]
/// Presentation forms of letters that join to the next letter, in IBM420. Alef does not join, and is included as the
/// form after a joining letter.
const ARABIC_INITIALS: &[&str] = &[
    "\u{FE91}", "\u{FE97}", "\u{FE9B}", "\u{FE9F}", "\u{FEA3}", "\u{FEA7}", "\u{FEB3}", "\u{FEB7}", "\u{FEBB}",
    "\u{FECB}", "\u{FECF}", "\u{FED3}", "\u{FEDB}", "\u{FEDF}", "\u{FEE3}", "\u{FE8E}",
];

#[rustfmt::skip]
const JAPANESE: &[&str] = &[
    "東京", "大阪", "銀行", "口座", "残高", "明細", "時間", "会社", "電話", "新聞", "世界", "日本", "文字", "変換", "記録",
    "顧客", "住所", "番号", "金額", "合計", "年月日", "機械", "計算", "処理", "結果", "入力", "出力", "確認", "一覧", "支店",
    "人", "山", "川", "水", "火", "木", "土", "本", "国", "語", "学校", "先生", "学生", "図書館", "駅前", "病院", "料理",
    "天気", "朝", "昼", "夜", "春", "夏", "秋", "冬", "青", "赤", "白", "黒", "長", "短", "高", "低", "新", "古", "多", "少",
];

#[rustfmt::skip]
const KOREAN: &[&str] = &[
    "서울", "부산", "은행", "계좌", "잔액", "명세", "시간", "회사", "전화", "신문", "세계", "한국", "문자", "변환", "기록",
    "고객", "주소", "번호", "금액", "합계", "기계", "계산", "처리", "결과", "입력", "출력", "확인", "목록", "사람", "나라",
    "학교", "선생", "학생", "도서관", "병원", "요리", "날씨", "아침", "점심", "저녁", "봄", "여름", "가을", "겨울",
];

const KOREAN_ENDINGS: &[&str] =
    &["", "이", "가", "은", "는", "을", "를", "에서", "에게", "으로", "하고", "입니다", "하였다"];
