//! The XML or text declaration: found by a linear scan in the family's code units, then parsed once.
//!
//! The grammar is XML 1.0 §2.8 [23]–[26] and [32], §4.3.1 [77], §4.3.3 [80] and [81]; see `spec/xml-declaration.md`.
//! The name is parsed leniently, so that a document that breaks the grammar still reveals its encoding. The position of
//! the first error is kept for a diagnostic.

use super::html_start::HtmlStart;
use crate::codec::{Codec, Decoder, MIN_ROOM, drive, is_ebcdic, is_enc_name};
use nom::bytes::{tag, take_while, take_while1};
use nom::character::complete::{char, satisfy};
use nom::sequence::delimited;
use nom::{IResult, Parser};
use std::ops::Range;

/// The longest declaration, in characters from its `<` to its `>`.
pub const DECLARATION_LIMIT: usize = 4096;

/// The most bytes that are scanned for a declaration. It is larger than the limit in characters because some charsets
/// have bytes that produce no character.
const BYTE_LIMIT: u64 = 16 * DECLARATION_LIMIT as u64;

const OPENING: &str = "<?xml";

/// A declaration in the input. Offsets count input bytes, including the byte order mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Declaration {
    /// From its `<` to just after its `>`, or to where the scan ended.
    pub(crate) span: Range<u64>,
    /// The encoding that it names and the position of that name, without the quotes.
    pub(crate) name: Option<(String, Range<u64>)>,
    /// Where a name could be inserted.
    pub(crate) vacancy: Vacancy,
    /// The position of the first error in its grammar.
    pub(crate) malformed: Option<u64>,
}

/// Where a name could be inserted into a declaration that does not name an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Vacancy<At = u64> {
    /// Between the quotes of an empty value.
    Value(At),
    /// As a new pseudo-attribute after the version or after `<?xml`, with the quote character that the version uses.
    Attribute(At, char),
    /// Nowhere: the declaration is malformed, and part of it looks like an encoding.
    None,
}

/// Scans the beginning of a text for a declaration, byte by byte.
pub(super) struct Scanner {
    decoder: Box<dyn Decoder>,
    /// Whether U+0085 counts as white space. It ends lines in EBCDIC, and nowhere else before the body of XML 1.1.
    ebcdic: bool,
    /// The offset in the input at which the text begins.
    start: u64,
    /// The number of bytes taken so far.
    taken: u64,
    /// Memory for the characters that a byte completes, and where in the input they end. It is empty between bytes.
    chars: Vec<(char, u64)>,
    text: String,
    /// For each character, the index in `text` at which it begins and the range of its bytes in the input.
    marks: Vec<Mark>,
    /// How many more characters of white space may precede the declaration.
    skips: usize,
    /// Whether white space was skipped.
    has_skipped: bool,
    /// Looks for the beginning of an HTML document in the same text.
    html: HtmlStart,
}

struct Mark {
    index: usize,
    bytes: Range<u64>,
}

/// The state of a scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scanned {
    /// More bytes are needed to decide.
    NeedMore,
    /// The text does not begin with a declaration.
    None,
    /// The scan reached the `>`, or a character after which no `>` can close the declaration.
    Whole,
    /// The limit was reached.
    TooLong,
}

impl Scanner {
    /// Starts a scan of the text at byte `start` of the input, decoded by `codec`.
    pub(super) fn new(codec: &dyn Codec, start: u64) -> Self {
        Scanner {
            decoder: codec.decoder(),
            ebcdic: is_ebcdic(codec),
            start,
            taken: 0,
            chars: Vec::new(),
            text: String::new(),
            marks: Vec::new(),
            skips: 0,
            has_skipped: false,
            html: HtmlStart::never(),
        }
    }

    /// Also finds a declaration after white space, and the beginning of an HTML document.
    pub(super) fn leniently(self) -> Self {
        Scanner { skips: DECLARATION_LIMIT, html: HtmlStart::new(DECLARATION_LIMIT), ..self }
    }

    /// Takes one byte.
    pub(super) fn take(&mut self, byte: u8) -> Scanned {
        let at = self.start + self.taken;
        let begin = at.saturating_sub(self.decoder.pending() as u64).max(self.start);
        self.taken += 1;
        let mut chars = std::mem::take(&mut self.chars);
        let is_decoded = drive(&mut *self.decoder, &[byte], false, &mut [0; MIN_ROOM], |step| {
            let end = (at + 1).saturating_sub(step.pending as u64).max(begin);
            chars.extend(step.text.chars().map(|ch| (ch, end)));
            chars.extend(step.fault.map(|_| (char::REPLACEMENT_CHARACTER, at + 1)));
            true
        });
        chars.drain(..).for_each(|(ch, end)| self.mark(ch, begin..end));
        self.chars = chars;
        // The transcoder reports a codec that breaks its contract. Here it only ends the scan.
        if is_decoded { self.state() } else { Scanned::None }
    }

    fn mark(&mut self, ch: char, bytes: Range<u64>) {
        self.html.take(ch);
        if self.text.is_empty() && self.skips > 0 && is_space(ch, self.ebcdic) {
            self.skips -= 1;
            self.has_skipped = true;
            self.taken -= bytes.end - self.start;
            self.start = bytes.end;
            return;
        }
        if !self.can_be_declaration() {
            return;
        }
        self.marks.push(Mark { index: self.text.len(), bytes });
        self.text.push(ch);
    }

    /// Returns whether the text so far is the beginning of `<?xml`, or begins with it.
    fn can_be_declaration(&self) -> bool {
        OPENING.starts_with(&*self.text) || self.is_xml()
    }

    fn state(&self) -> Scanned {
        match self.state_of_declaration() {
            Scanned::None if self.html.is_open() && self.taken < BYTE_LIMIT => Scanned::NeedMore,
            state => state,
        }
    }

    fn state_of_declaration(&self) -> Scanned {
        let text = &*self.text;
        let too_long = self.taken >= BYTE_LIMIT;
        if text.len() < OPENING.len() && !too_long {
            return if OPENING.starts_with(text) { Scanned::NeedMore } else { Scanned::None };
        }
        let Some(rest) = text.strip_prefix(OPENING) else { return Scanned::None };
        match rest.chars().next() {
            None if too_long => return Scanned::None,
            None => return Scanned::NeedMore,
            // `<?xml?>` is a declaration with nothing in it.
            Some(ch) if ch == '?' || is_space(ch, self.ebcdic) => {}
            Some(_) => return Scanned::None,
        }
        // Neither character may occur within a declaration, so the first of either ends the scan.
        if rest.ends_with(['>', '<']) {
            Scanned::Whole
        } else if too_long || self.marks.len() >= DECLARATION_LIMIT {
            Scanned::TooLong
        } else {
            Scanned::NeedMore
        }
    }

    /// Returns whether the codec that decodes the text is an EBCDIC one.
    pub(super) fn is_ebcdic(&self) -> bool {
        self.ebcdic
    }

    /// Returns the offset in the input at which the text begins, after any white space before a declaration.
    pub(super) fn start(&self) -> usize {
        self.start as usize
    }

    /// Returns how many bytes were taken from there on.
    pub(super) fn taken(&self) -> usize {
        self.taken as usize
    }

    /// Returns whether the text begins like an HTML document.
    pub(super) fn is_html(&self) -> bool {
        self.html.is_html()
    }

    /// Returns whether white space precedes the text.
    pub(super) fn has_skipped(&self) -> bool {
        self.has_skipped
    }

    pub(super) fn is_xml(&self) -> bool {
        self.text.starts_with(OPENING)
    }

    /// Returns whether the text scanned so far is a declaration, or would be one if the input ended here.
    pub(super) fn is_declaration(&self) -> bool {
        self.is_xml() && self.text.len() > OPENING.len() && self.state_of_declaration() != Scanned::None
    }

    /// Returns the declaration that was scanned.
    pub(super) fn declaration(&self) -> Declaration {
        let read = read(&self.text, self.ebcdic);
        let byte_at = |index: usize| match self.marks.binary_search_by_key(&index, |mark| mark.index) {
            Ok(found) => self.marks[found].bytes.start,
            Err(_) => self.start + self.taken,
        };
        // The end of the preceding character, so that a shift code between the two characters is excluded.
        let byte_before = |index: usize| match self.marks.partition_point(|mark| mark.index < index) {
            0 => self.start,
            after => self.marks[after - 1].bytes.end,
        };
        let of_text = |range: &Range<usize>| byte_at(range.start)..byte_before(range.end);
        Declaration {
            span: self.start..self.start + self.taken,
            name: read.name.as_ref().map(|range| (self.text[range.clone()].to_owned(), of_text(range))),
            vacancy: match read.vacancy {
                Vacancy::Value(at) => Vacancy::Value(byte_before(at)),
                Vacancy::Attribute(at, quote) => Vacancy::Attribute(byte_before(at), quote),
                Vacancy::None => Vacancy::None,
            },
            malformed: read.malformed.map(byte_at),
        }
    }
}

/// The contents of a declaration, as indices into its text.
pub(super) struct Read {
    pub(super) name: Option<Range<usize>>,
    vacancy: Vacancy<usize>,
    pub(super) malformed: Option<usize>,
}

/// Parses the text of a declaration. With `ebcdic`, U+0085 is white space, and any character that cannot occur in a
/// value may serve as a quote. The quote may have a byte that only the declared page decodes correctly: page 1026 has
/// `"` at FC.
pub(super) fn read(text: &str, ebcdic: bool) -> Read {
    let mut read = Read { name: None, vacancy: Vacancy::Attribute(OPENING.len(), '"'), malformed: None };
    let mut rest = &text[OPENING.len().min(text.len())..];
    let at = |rest: &str| text.len() - rest.len();
    let mut breach = |at: usize| _ = read.malformed.get_or_insert(at);
    // The pseudo-attributes that may still follow are those from this index on.
    let mut next = 0;
    let mut found = Vec::new();
    loop {
        let (after, space) = white_space(rest, ebcdic).unwrap_or((rest, ""));
        match after {
            "?>" => break,
            "" | ">" | "<" => {
                breach(at(after));
                break;
            }
            _ => {}
        }
        match pseudo_attribute(after, ebcdic) {
            Ok((remainder, (key, quote, value))) => {
                const ORDER: [&str; 3] = ["version", "encoding", "standalone"];
                let in_order = ORDER[next..].iter().position(|known| *known == key);
                if space.is_empty() || in_order.is_none() {
                    breach(at(after));
                }
                next += in_order.map_or(0, |skipped| skipped + 1);
                let start = at(remainder) - quote.len_utf8() - value.len();
                let good = match key {
                    "version" => value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(&b)),
                    "encoding" => is_enc_name(value),
                    "standalone" => matches!(value, "yes" | "no"),
                    _ => true,
                };
                if !good || value.is_empty() {
                    breach(start);
                }
                found.push((key, quote, start..start + value.len()));
                rest = remainder;
            }
            Err(_) => {
                breach(at(after));
                // Skip text that is not a pseudo-attribute, up to where one may begin.
                let junk = after.find(|ch| is_space(ch, ebcdic)).unwrap_or(after.len()).max(1);
                rest = after.get(junk..).unwrap_or("");
                if rest.is_empty() {
                    break;
                }
            }
        }
    }
    place_name(&mut read, text, found);
    read
}

/// Sets where the name is, or where it would go, from the pseudo-attributes that were found: the key, the quote and the
/// range of the value.
fn place_name(read: &mut Read, text: &str, found: Vec<(&str, char, Range<usize>)>) {
    let last_key = found.last().map(|(key, ..)| *key);
    let mut versioned = false;
    for (key, quote, range) in found {
        match key {
            "encoding" if range.is_empty() => read.vacancy = Vacancy::Value(range.start),
            "encoding" if read.name.is_none() => read.name = Some(range),
            "version" if !versioned => {
                versioned = true;
                if let Vacancy::Attribute(..) = read.vacancy {
                    read.vacancy = Vacancy::Attribute(range.end + quote.len_utf8(), quote);
                }
            }
            _ => {}
        }
    }
    if read.malformed.is_some() && matches!(read.vacancy, Vacancy::Attribute(..)) && text.contains("encoding") {
        read.vacancy = Vacancy::None;
    }
    // Without a version it is a text declaration (production 77), which has an encoding and nothing after it.
    if read.malformed.is_none() && !versioned && (read.name.is_none() || last_key == Some("standalone")) {
        read.malformed = Some(OPENING.len());
    }
}

fn is_space(ch: char, ebcdic: bool) -> bool {
    matches!(ch, ' ' | '\t' | '\r' | '\n') || (ebcdic && ch == '\u{85}')
}

/// Parses S, production 3.
fn white_space(input: &str, ebcdic: bool) -> IResult<&str, &str> {
    take_while1(|ch| is_space(ch, ebcdic)).parse_complete(input)
}

/// Parses a name, Eq (production 25) and a quoted value. Returns the name, the quote and the value.
fn pseudo_attribute(input: &str, ebcdic: bool) -> IResult<&str, (&str, char, &str)> {
    let space = |input| take_while(move |ch| is_space(ch, ebcdic)).parse_complete(input);
    let name = |input| take_while1(|ch: char| ch.is_ascii_alphanumeric()).parse_complete(input);
    let is_quote = move |ch: char| {
        let elsewhere = !ch.is_ascii_alphanumeric() && !is_space(ch, true) && !"._:-=<>?/&".contains(ch);
        matches!(ch, '"' | '\'') || (ebcdic && elsewhere)
    };
    let (input, key) = name(input)?;
    let (input, _) = delimited(space, tag("="), space).parse_complete(input)?;
    let (input, quote) = satisfy(is_quote).parse_complete(input)?;
    let mut inside = take_while(move |ch| ch != quote && !"<>".contains(ch));
    let (input, value) = inside.parse_complete(input)?;
    let (input, _) = char(quote).parse_complete(input)?;
    Ok((input, (key, quote, value)))
}
