//! Decides whether the text begins with a damaged sequence.
//!
//! A sequence is damaged if the text is implausible before the repair and plausible after it. The measure of
//! implausibility is a sum over the pairs of adjacent characters, from the character before the sequence to the one
//! after it. If more sequences of the same page follow directly, they count too, because a run of them is rarely a
//! coincidence.

use super::class::{Class, Script, class, plausible, unlikely};
use super::item::Item;
use super::tables::{ALONE, CYRILLIC_OR_GREEK, DOS, Entry, LATIN_2, LOST, Tables, WESTERN, WINDOWS_1250, WINDOWS_1252};

/// The most sequences of a run that are looked at, from its first one, if the decision is still open.
const MAX_RUN: usize = 8;

/// How many characters are looked at, at least, unless the text ends before.
const LOOKAHEAD: usize = 4;

/// A doubt that nothing outweighs.
const NEVER: u32 = 1000;

/// The sequences of one page that follow each other directly, as far as they were looked at.
struct Run {
    /// Where they end, and how many there are.
    at: usize,
    count: usize,
    /// The first of them.
    first: Option<(usize, char)>,
    /// The kind of the last character.
    last: Class,
    script: Script,
    has_only_boxes: bool,
    /// How implausible they are, and how implausible they have to be.
    score: u32,
    need: u32,
}

impl Default for Run {
    fn default() -> Self {
        Run {
            at: 0,
            count: 0,
            first: None,
            last: Class::Other,
            script: Script::Neutral,
            has_only_boxes: true,
            score: 0,
            need: 2,
        }
    }
}

impl Run {
    /// Whether it is damaged, regardless of what follows.
    fn is_certain(&self) -> bool {
        self.count > 1 && self.score >= self.need
    }
}

/// What to do with the front of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// It depends on text that is not there yet.
    Wait,
    /// The first character stays.
    Keep,
    /// The first `len` characters become `ch`. `page`: the page that they were decoded as.
    Repair { len: usize, ch: char, page: u32 },
}

/// The sequence at the beginning of the text, in some page.
enum Sequence {
    Cut,
    Bad,
    Good { len: usize, ch: char },
}

/// The text that is decided about.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) tables: &'static Tables,
    /// The character before it; a space at the beginning of the text.
    pub(super) before: char,
    /// The page of the sequence before it, if that was repaired.
    pub(super) page: Option<u32>,
    pub(super) text: &'a [Item],
    /// Nothing follows the text.
    pub(super) is_end: bool,
    /// How often characters were repaired that can be damaged again.
    pub(super) depth: u8,
}

impl View<'_> {
    fn get(&self, index: usize) -> Option<char> {
        self.text.get(index).map(|item| item.ch)
    }

    /// Decides about the front of the text, which is not empty.
    pub(super) fn decide(&self) -> Decision {
        let Some(first) = self.get(0) else { return Decision::Keep };
        let lead = self.tables.entry(first).lead;
        if lead & ALONE != 0 {
            return self.lone_control(first).unwrap_or(Decision::Keep);
        }
        if lead == 0 || !self.text[0].is_at(self.depth) {
            return Decision::Keep;
        }
        let Some(second) = self.get(1) else { return self.wait() };
        let mut pages = lead & self.tables.entry(second).tail;
        if pages & LOST != 0 {
            return if self.depth > 0 { Decision::Keep } else { self.lost_blank(first) };
        }
        if let Some(page) = self.page.filter(|page| pages >> page & 1 != 0) {
            match self.sequence(page, 0) {
                Sequence::Cut => return Decision::Wait,
                Sequence::Good { len, ch } if plausible(ch).is_some() => return Decision::Repair { len, ch, page },
                Sequence::Good { .. } | Sequence::Bad => pages &= !(1 << page),
            }
        }
        if self.text.len() < LOOKAHEAD && pages != 0 && !self.is_end {
            return Decision::Wait;
        }
        while pages != 0 {
            let page = pages.trailing_zeros();
            match self.judge(page) {
                Decision::Keep => pages &= pages - 1,
                decision => return decision,
            }
        }
        Decision::Keep
    }

    /// Decides about punctuation of windows-1252 that was decoded as ISO-8859-1: it is a control.
    fn lone_control(&self, first: char) -> Option<Decision> {
        let ch = match first {
            '\u{82}' => '‚',
            '\u{84}' => '„',
            // Alone it is a newline.
            '\u{85}' if matches!(self.get(1), Some('\u{91}'..='\u{94}')) => '…',
            '\u{85}' if self.text.len() == 1 && !self.is_end => return Some(Decision::Wait),
            '\u{91}' => '‘',
            '\u{92}' => '’',
            '\u{93}' => '“',
            '\u{94}' => '”',
            '\u{96}' => '–',
            '\u{97}' => '—',
            _ => return None,
        };
        Some(Decision::Repair { len: 1, ch, page: WINDOWS_1252.trailing_zeros() }).filter(|_| self.depth == 0)
    }

    fn wait(&self) -> Decision {
        if self.is_end { Decision::Keep } else { Decision::Wait }
    }

    /// Decodes the sequence at `at`, whose first two characters may be one in this page.
    fn sequence(&self, page: u32, at: usize) -> Sequence {
        let is_cut = if self.is_end { Sequence::Bad } else { Sequence::Cut };
        let Some(first) = self.get(at) else { return is_cut };
        let entry = self.tables.entry(first);
        if entry.lead >> page & 1 == 0 || !self.text[at].is_at(self.depth) {
            return Sequence::Bad;
        }
        let mut is_lossy = false;
        let is_surrogate = self.get(at + 1).is_some_and(|ch| bytes_are_surrogate(entry, self.tables.entry(ch), page));
        if is_surrogate {
            return self.surrogates(page, at);
        }
        let mut bytes = [entry.byte(page), 0, 0, 0];
        let len = match bytes[0] {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        };
        for (index, byte) in bytes.iter_mut().enumerate().take(len).skip(1) {
            let Some(ch) = self.get(at + index) else { return is_cut };
            let entry = self.tables.entry(ch);
            is_lossy |= ch == '\u{FFFD}';
            *byte = if entry.tail >> page & 1 != 0 && self.text[at + index].is_at(self.depth) {
                entry.byte(page)
            } else if ch == ' ' && index > 1 && WESTERN >> page & 1 != 0 {
                // A blank may have been A0 if the next sequence begins right after this one.
                match self.begins(page, at + len) {
                    None => return is_cut,
                    Some(false) => return Sequence::Bad,
                    Some(true) => 0xA0,
                }
            } else {
                return Sequence::Bad;
            };
        }
        match std::str::from_utf8(&bytes[..len]).ok().and_then(|text| text.chars().next()) {
            Some(_) if is_lossy => Sequence::Good { len, ch: '\u{FFFD}' },
            Some(ch) => Sequence::Good { len, ch },
            None => Sequence::Bad,
        }
    }

    /// Decodes two surrogates, which some programs encode as if they were characters (CESU-8).
    fn surrogates(&self, page: u32, at: usize) -> Sequence {
        let mut bytes = [0; 6];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let Some(ch) = self.get(at + index) else {
                return if self.is_end { Sequence::Bad } else { Sequence::Cut };
            };
            let entry = self.tables.entry(ch);
            if (entry.lead | entry.tail) >> page & 1 == 0 || !self.text[at + index].is_at(self.depth) {
                return Sequence::Bad;
            }
            *byte = entry.byte(page);
        }
        let [0xED, high @ 0xA0..=0xAF, high_end @ 0x80..=0xBF, 0xED, low @ 0xB0..=0xBF, low_end @ 0x80..=0xBF] = bytes
        else {
            return Sequence::Bad;
        };
        let unit = |middle: u8, last: u8| 0xD000 | u16::from(middle & 0x3F) << 6 | u16::from(last & 0x3F);
        match char::decode_utf16([unit(high, high_end), unit(low, low_end)]).next() {
            Some(Ok(ch)) => Sequence::Good { len: 6, ch },
            _ => Sequence::Bad,
        }
    }

    /// Whether the characters at `at` may begin a sequence; `None` if that is not known yet.
    fn begins(&self, page: u32, at: usize) -> Option<bool> {
        let is = |index: usize, of: fn(&Entry) -> u16| match self.get(index) {
            Some(ch) => Some(of(self.tables.entry(ch)) >> page & 1 != 0),
            None => self.is_end.then_some(false),
        };
        if !is(at, |entry| entry.lead)? {
            return Some(false);
        }
        is(at + 1, |entry| entry.tail)
    }

    /// Decides about the sequence at the front, as one of this page.
    fn judge(&self, page: u32) -> Decision {
        let mut run = Run { last: self.class(self.before), ..Run::default() };
        while run.count < MAX_RUN && !run.is_certain() {
            match self.sequence(page, run.at) {
                Sequence::Cut => return Decision::Wait,
                Sequence::Good { len, ch } if self.extend(&mut run, page, len, ch) => {}
                _ => break,
            }
        }
        let Some((len, ch)) = run.first else { return Decision::Keep };
        let result = Decision::Repair { len, ch, page };
        if run.is_certain() {
            return result;
        }
        let next = match self.get(run.at) {
            Some(next) => next,
            None if self.is_end => ' ',
            None => return Decision::Wait,
        };
        let mut score = run.score + unlikely(run.last, self.class(next));
        let is_foreign = CYRILLIC_OR_GREEK >> page & 1 != 0 && run.script == Script::Latin;
        if is_foreign && (self.before.is_ascii_alphabetic() || next.is_ascii_alphabetic()) {
            // Letters of two scripts are adjacent, and those of one would.
            score += 2;
        }
        let doubt = if run.count == 1 { self.doubt(page, run.script, run.at, next) } else { 0 };
        if score >= run.need + doubt { result } else { Decision::Keep }
    }

    /// Takes the next sequence of the run, `len` characters that were `ch`, if that goes with those before it.
    fn extend(&self, run: &mut Run, page: u32, len: usize, ch: char) -> bool {
        let Some((script, is_rare)) = plausible(ch).filter(|_| !self.is_other_page(page, run.at, ch)) else {
            return false;
        };
        if script != Script::Neutral {
            if !matches!(run.script, Script::Neutral) && run.script != script {
                return false;
            }
            run.script = script;
        }
        if run.first.is_none() {
            run.first = Some((len, ch));
            run.need += u32::from(is_rare) + u32::from(DOS >> page & 1 != 0);
            run.score += self.bonus(page) + self.bonus_of_depth(script);
        }
        for item in &self.text[run.at..run.at + len] {
            let next = self.class(item.ch);
            run.score += unlikely(run.last, next);
            run.has_only_boxes &= next == Class::Box;
            run.last = next;
        }
        (run.at, run.count) = (run.at + len, run.count + 1);
        // So many sequences of one script are hardly an accident, whatever they are made of.
        run.score += u32::from(run.count > 2 && !run.has_only_boxes);
        true
    }

    /// The evidence for a sequence of characters that were repaired: text that was damaged once may have been damaged
    /// before.
    fn bonus_of_depth(&self, script: Script) -> u32 {
        match script {
            _ if self.depth == 0 => 0,
            Script::Neutral | Script::Latin => 2,
            _ => 1,
        }
    }

    /// Whether the sequence is a capital letter in windows-1250, and a small letter in ISO-8859-2, within a word.
    fn is_other_page(&self, page: u32, at: usize, ch: char) -> bool {
        let before = if at == 0 { self.before } else { self.get(at - 1).unwrap_or(' ') };
        WINDOWS_1250 >> page & 1 != 0
            && ch.is_uppercase()
            && before.is_lowercase()
            && matches!(self.sequence(LATIN_2.trailing_zeros(), at), Sequence::Good { ch, .. } if ch.is_lowercase())
    }

    // Small code: it is asked in many places, and seldom.
    #[inline(never)]
    fn class(&self, ch: char) -> Class {
        if ch < '\u{800}' { self.tables.entry(ch).class } else { class(ch) }
    }

    /// The evidence for a sequence beside the pairs in it: its first letter hardly ever begins a word, or never stands
    /// before such characters.
    fn bonus(&self, page: u32) -> u32 {
        let (Some(first), Some(second)) = (self.get(0), self.get(1)) else { return 0 };
        let third = self.get(2).unwrap_or(' ');
        let before = self.class(self.before);
        let is_word_start = !is_letter(before);
        if before == Class::Open && matches!(second, '”' | '’' | '»' | '›') {
            // A letter in quotation marks.
            return 0;
        }
        if first == 'Ø' && self.class(second) == Class::Math {
            // A diameter or an empty set, squared.
            return 0;
        }
        let special = match WINDOWS_1252 >> page & 1 {
            0 => self.other_bonus(page, [first, second, third], is_word_start),
            _ => self.western_bonus([first, second, third], is_word_start),
        };
        let second = self.class(second);
        special.unwrap_or(match self.class(first) {
            Class::Box => u32::from(before != Class::Box && second != Class::Box),
            _ => u32::from(is_word_start && matches!(second, Class::Rare | Class::Math | Class::Currency)),
        })
    }

    /// That of windows-1252, if there is a rule for these characters.
    fn western_bonus(&self, chars: [char; 3], is_word_start: bool) -> Option<u32> {
        let third = chars[2];
        let [_, has_second_sign, has_third_sign] =
            chars.map(|ch| !matches!(self.class(ch), Class::Common | Class::Other));
        Some(match (chars[0], chars[1]) {
            ('Ã' | 'Â' | 'Å' | 'Ä' | 'â', 'š' | 'œ' | 'ž' | 'Ÿ' | 'Š' | 'Œ' | 'Ž') => 2,
            ('Ã', '\u{AD}') => 2,
            ('Ã', '\u{A0}') if third.is_lowercase() => 2,
            ('Ã', '”') if third.is_ascii_uppercase() => 2,
            ('Ã' | 'Â', '’' | '”') => 1,
            ('Ã' | 'Â', _) => 1 + u32::from(is_word_start),
            ('Ð', '’' | '”') => 0,
            ('Ð', _) if is_word_start => 2,
            ('Ñ', _) if is_word_start => 1,
            // The Latin letters with two accents.
            ('á', 'º' | '»') if has_third_sign || self.get(3).is_some_and(char::is_lowercase) => 2,
            // The scripts of India.
            ('à', _) if has_second_sign && has_third_sign => 1,
            ('ï', '»') if third == '¿' => 2,
            ('ï', '¿') if third == '½' => 2,
            ('â', _) if has_third_sign => 1,
            _ => return None,
        })
    }

    /// That of another page, if there is a rule for these characters.
    fn other_bonus(&self, page: u32, [first, second, third]: [char; 3], is_word_start: bool) -> Option<u32> {
        let class = self.class(second);
        Some(match (first, second) {
            // Two of these are bytes of windows-1252 in windows-1254 too.
            ('Ã' | 'Â', _) => 1 + u32::from(is_word_start && !matches!(second, '’' | '”')),
            ('Ğ', _) if is_word_start && !matches!(second, '’' | '”') => 2,
            ('Ñ', _) if is_word_start => 1,
            // In old Romanian text, ş follows Ă.
            ('Ă', 'ş' | 'ţ') => 0,
            ('Ă' | 'Ĺ' | 'Ä', _) if class == Class::Lower => 3,
            ('Ĺ', _) if is_word_start => 2,
            ('Ă', 'Ą') if LATIN_2 >> page & 1 != 0 && third.is_lowercase() => 2,
            ('Ä' | 'Å', 'Æ' | 'Ø' | 'Ŗ') if third.is_lowercase() => 2,
            // The range 2000 to 20FF in MacRoman, windows-1251, -1253 and -1257, IBM437 and IBM850.
            ('‚', 'Ä') | ('в', 'Ђ') | ('β', '€') => 2,
            ('в' | 'β' | 'ā', '‚') if third == '¬' => 2,
            ('Γ' | 'Ô', 'é') if third == '¼' => 3,
            ('Γ' | 'Ô', 'Ç') if !matches!(self.class(third), Class::Common | Class::Other) => 3,
            ('Г', '‚') if third == 'В' => 2,
            ('≈', _) if matches!(class, Class::Lower | Class::Upper) => 1,
            _ => return None,
        })
    }

    /// How much more is needed for a sequence that stands alone. `at`: where it ends; `next`: what follows.
    fn doubt(&self, page: u32, script: Script, at: usize, next: char) -> u32 {
        let may_be_word = CYRILLIC_OR_GREEK >> page & 1 != 0 || script == Script::Han;
        let is_word = may_be_word && self.text[1..at].iter().all(|item| is_letter(self.class(item.ch)));
        // The text before is damaged, and nothing is known of it.
        let is_garbled = matches!(self.class(self.before), Class::Rare | Class::Control) || self.before == '¢';
        let touches_ascii = self.before.is_ascii_alphabetic() || next.is_ascii_alphabetic();
        let by_script = match script {
            Script::Neutral | Script::Latin => 0,
            Script::Greek if touches_ascii => 1,
            Script::Greek | Script::Cyrillic if !touches_ascii => 0,
            Script::Han if !touches_ascii => 0,
            Script::Block(block) if block > 4 && !touches_ascii => 0,
            Script::Block(_) if !touches_ascii => 1,
            _ => 2,
        };
        // Foreign letters in quotation marks.
        let is_quoted = matches!(self.class(self.before), Class::Open | Class::Close)
            && matches!(self.get(1), Some('«' | '»' | '‹' | '›' | '‘' | '’' | '“' | '”'));
        // A part of a word or of an alphabet: `þÆæ`, `вЇї`.
        let is_other_word = is_word && !touches_ascii && !matches!(script, Script::Cyrillic | Script::Greek);
        if is_quoted || is_other_word || is_garbled && self.page.is_none() {
            NEVER
        } else {
            by_script + u32::from(is_word)
        }
    }

    /// Decides about a character after which byte A0 may have become a space: `Ã ` was `à`.
    fn lost_blank(&self, first: char) -> Decision {
        let before = self.class(self.before);
        let is_lower = matches!(before, Class::AsciiLower | Class::Lower);
        let is_letter = is_letter(before);
        let third = match self.get(2) {
            Some(third) => third,
            None if self.is_end => '\n',
            None => return Decision::Wait,
        };
        let repair = |len, ch| Decision::Repair { len, ch, page: WINDOWS_1252.trailing_zeros() };
        match first {
            'Â' if is_lower => repair(2, '\u{A0}'),
            'Ã' if is_lower || !is_letter && (third.is_ascii_lowercase() || third == ' ') => {
                match self.is_joined(third) {
                    None => Decision::Wait,
                    Some(true) => repair(2, 'à'),
                    // The program that lost A0 has also made one space of two.
                    Some(false) => repair(1, 'à'),
                }
            }
            'Г' if !is_letter && third.is_ascii_lowercase() => repair(1, 'à'),
            'Ð' if matches!(third, 'Ð' | 'Ñ') => match self.begins(0, 2) {
                None => Decision::Wait,
                Some(true) => repair(2, 'Р'),
                Some(false) => Decision::Keep,
            },
            _ => Decision::Keep,
        }
    }

    /// Whether the space after `Ã` belongs to the character: a space follows, or what makes a word of it, as in `às`.
    fn is_joined(&self, third: char) -> Option<bool> {
        if third == ' ' {
            return Some(true);
        }
        for word in ["s", "quel", "quil"] {
            let mut index = 2;
            let mut is_same = true;
            for ch in word.chars() {
                is_same &= match self.get(index) {
                    Some(found) => found == ch,
                    None if self.is_end => false,
                    None => return None,
                };
                if !is_same {
                    break;
                }
                index += 1;
            }
            if is_same {
                return match self.get(index) {
                    Some(after) => Some(word != "s" || after.is_whitespace()),
                    None if self.is_end => Some(true),
                    None => None,
                };
            }
        }
        Some(false)
    }
}

fn is_letter(class: Class) -> bool {
    matches!(class, Class::AsciiLower | Class::AsciiUpper | Class::Lower | Class::Upper)
}

/// Whether the two begin a surrogate in this page.
fn bytes_are_surrogate(first: &Entry, second: &Entry, page: u32) -> bool {
    first.byte(page) == 0xED && second.tail >> page & 1 != 0 && second.byte(page) >= 0xA0
}
