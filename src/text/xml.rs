//! Tracks where a character reference is allowed in an XML document: in text and in attribute values, but not in names,
//! comments, processing instructions, CDATA sections or the document type declaration.
//!
//! XML 1.0 productions 14 (CharData), 10 (AttValue), 15 (Comment), 16 (PI), 18 (CDSect), 28 (doctypedecl), 66
//! (CharRef). This is a lexer of delimiters and not a parser. It takes the text as written, piece by piece, and never
//! looks back.

/// Follows the text of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct XmlPlace {
    state: State,
    /// After `<!`, the characters so far, until they show what it opens. In an open section, the last characters, which
    /// may be the beginning of its end.
    seen: Vec<u8>,
    /// The number of open brackets and angle brackets in a document type declaration.
    depth: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Text,
    /// After `<`.
    Open,
    /// After `<!`.
    Bang,
    /// In a tag, outside a value.
    Tag,
    /// In an attribute value, until this quote.
    Value(u8),
    /// Until `-->`, `?>` or `]]>`.
    Section(&'static [u8]),
    /// In a document type declaration.
    Doctype,
    /// In a literal in a document type declaration, until this quote.
    DoctypeLiteral(u8),
    /// In a comment or processing instruction in a document type declaration.
    DoctypeSection(&'static [u8]),
}

const COMMENT_END: &[u8] = b"-->";
const PI_END: &[u8] = b"?>";
const CDATA_END: &[u8] = b"]]>";

impl XmlPlace {
    /// Goes back to the beginning, for another document.
    pub(crate) fn reset(&mut self) {
        self.seen.clear();
        (self.state, self.depth) = (State::default(), 0);
    }

    /// Returns whether a character reference is allowed after the text so far.
    pub(crate) fn takes_reference(&self) -> bool {
        matches!(self.state, State::Text | State::Value(_))
    }

    /// Returns whether the text so far ends in a tag.
    pub(crate) fn is_in_tag(&self) -> bool {
        matches!(self.state, State::Tag | State::Value(_))
    }

    /// Reads `text`.
    pub(crate) fn advance(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            // Most of a document is text and values. Skip them by searching for their end.
            let skip = match self.state {
                State::Text => rest.find('<'),
                State::Value(quote) => rest.find(quote as char),
                _ => Some(0),
            };
            let Some(skip) = skip else { return };
            self.byte(rest.as_bytes()[skip]);
            // A delimiter is one byte. Any other byte may be the first byte of a longer character, which is not a
            // delimiter.
            let next = skip + rest[skip..].chars().next().map_or(1, char::len_utf8);
            rest = &rest[next..];
        }
    }

    fn byte(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::Text, b'<') => State::Open,
            (State::Text, _) => State::Text,
            (State::Open, b'!') => self.enter(State::Bang),
            (State::Open, b'?') => self.enter(State::Section(PI_END)),
            (State::Open | State::Tag, b'>') => State::Text,
            (State::Open, _) => State::Tag,
            (State::Tag, b'"' | b'\'') => State::Value(byte),
            (State::Tag, _) => State::Tag,
            (State::Value(quote), _) if byte == quote => State::Tag,
            (State::Value(quote), _) => State::Value(quote),
            (State::Bang, _) => self.bang(byte),
            (State::Section(end), _) if self.ends(byte, end) => State::Text,
            (State::Doctype, b'"' | b'\'') => {
                self.seen.clear();
                State::DoctypeLiteral(byte)
            }
            (State::DoctypeLiteral(quote), _) if byte == quote => State::Doctype,
            (State::DoctypeSection(end), _) if self.ends(byte, end) => self.enter(State::Doctype),
            (State::Doctype, _) => self.doctype(byte),
            (state, _) => state,
        };
    }

    fn enter(&mut self, state: State) -> State {
        self.seen.clear();
        state
    }

    /// Returns whether `byte` completes `end`.
    fn ends(&mut self, byte: u8, end: &[u8]) -> bool {
        self.seen.push(byte);
        let surplus = self.seen.len().saturating_sub(end.len());
        self.seen.drain(..surplus);
        self.seen == end
    }

    fn bang(&mut self, byte: u8) -> State {
        self.seen.push(byte);
        match &*self.seen {
            b"--" => self.enter(State::Section(COMMENT_END)),
            b"[CDATA[" => self.enter(State::Section(CDATA_END)),
            b"DOCTYPE" => {
                self.depth = 1;
                self.enter(State::Doctype)
            }
            seen if [&b"--"[..], b"[CDATA[", b"DOCTYPE"].iter().any(|known| known.starts_with(seen)) => State::Bang,
            // Not XML; treated like a tag.
            _ if byte == b'>' => State::Text,
            _ => State::Tag,
        }
    }

    fn doctype(&mut self, byte: u8) -> State {
        self.seen.push(byte);
        if self.seen.ends_with(b"<!--") {
            self.depth -= 1;
            return self.enter(State::DoctypeSection(COMMENT_END));
        }
        if self.seen.ends_with(b"<?") {
            self.depth -= 1;
            return self.enter(State::DoctypeSection(PI_END));
        }
        let surplus = self.seen.len().saturating_sub(3);
        self.seen.drain(..surplus);
        match byte {
            b'<' => self.depth += 1,
            b'>' => self.depth -= 1,
            _ => {}
        }
        if self.depth == 0 { self.enter(State::Text) } else { State::Doctype }
    }
}

/// Returns whether `ch` is a Char (XML 1.0 production 2), which a character reference is allowed for.
pub(crate) fn is_xml_char(ch: char) -> bool {
    matches!(ch, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `é` in the document marks a position. Returns `+` for each position at which a reference is allowed, and
    /// `-` for each other.
    fn places(document: &str) -> String {
        let follow = |pieces: &[&str]| {
            let mut place = XmlPlace::default();
            let mut allowed = String::new();
            for piece in pieces {
                for (index, part) in piece.split('é').enumerate() {
                    if index > 0 {
                        allowed.push(if place.takes_reference() { '+' } else { '-' });
                        place.advance("é");
                    }
                    place.advance(part);
                }
            }
            allowed
        };
        let chars: Vec<String> = document.chars().map(String::from).collect();
        let one_by_one = follow(&chars.iter().map(String::as_str).collect::<Vec<_>>());
        let whole = follow(&[document]);
        assert_eq!(whole, one_by_one);
        whole
    }

    #[test]
    fn references_are_allowed_in_text_and_values() {
        for (document, expected) in [
            ("<a>é</a>é", "++"),
            ("<é é='é' b=\"é'é\" é>é</é>é", "--+++-+-+"),
            ("<!--é-é--é>é--é-->é", "-----+"),
            ("<?é é?é>é?>é", "----+"),
            ("<a><![CDATA[é]é]]é>é]]]>é</a>", "----+"),
            ("<!DOCTYPE é [<!ENTITY é 'é>'><!--é'>--><?é]>'?> é]>é<a>é</a>", "------++"),
            ("<!DOCTYPE a SYSTEM \"é>\" é><é/>é", "---+"),
            ("<!é>é", "-+"),
            ("<a b='>é'>é", "++"),
            ("<!---->é<!-->é-->é", "+-+"),
            ("<?xml version='1.0'?>é", "+"),
        ] {
            assert_eq!(places(document), expected, "{document}");
        }
    }
}
