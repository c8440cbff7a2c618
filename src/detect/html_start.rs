//! Recognises an HTML document by its beginning, for input whose media type is unknown. `spec/rfc7303.md` has the rule.

/// The beginnings of an HTML document, in lower case and without the `<`.
const OPENINGS: [&str; 8] = ["!doctype html", "html", "head", "body", "meta", "title", "script", "style"];

/// Takes the first characters of a text, one by one, until it is clear whether the text is HTML.
pub(super) struct HtmlStart {
    state: State,
    taken: usize,
    /// The longest run of white space and comments before the first tag, in characters.
    limit: usize,
}

enum State {
    /// Before the first tag.
    Before,
    /// After a `<`: the characters so far, in lower case, each run of white space as one space.
    Tag(String),
    /// In a comment, after this many hyphens in a row.
    Comment(u8),
    Decided(bool),
}

impl HtmlStart {
    pub(super) fn new(limit: usize) -> Self {
        HtmlStart { state: State::Before, taken: 0, limit }
    }

    /// Creates a recogniser that recognises nothing.
    pub(super) fn never() -> Self {
        HtmlStart { state: State::Decided(false), taken: 0, limit: 0 }
    }

    /// Returns whether more characters are needed.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.state, State::Decided(_))
    }

    /// Returns whether the text is HTML.
    pub(super) fn is_html(&self) -> bool {
        matches!(self.state, State::Decided(true))
    }

    /// Takes the next character.
    pub(super) fn take(&mut self, ch: char) {
        self.taken += 1;
        let is_space = matches!(ch, '\t' | '\n' | '\u{C}' | '\r' | ' ');
        match &mut self.state {
            State::Before if is_space => {}
            State::Before => {
                self.state = if ch == '<' { State::Tag(String::new()) } else { State::Decided(false) };
            }
            State::Tag(name) if (is_space || ch == '>') && OPENINGS.contains(&name.as_str()) => {
                self.state = State::Decided(true);
            }
            State::Tag(name) => {
                match is_space {
                    true if name.ends_with(' ') => {}
                    true => name.push(' '),
                    false => name.push(ch.to_ascii_lowercase()),
                }
                if name == "!--" {
                    // The hyphens of `<!--` may also be those of `-->`: `<!-->` is a complete comment.
                    self.state = State::Comment(2);
                } else if !"!--".starts_with(name.as_str()) && OPENINGS.iter().all(|known| !known.starts_with(&**name))
                {
                    self.state = State::Decided(false);
                }
            }
            State::Comment(hyphens) => match ch {
                '-' => *hyphens = hyphens.saturating_add(1),
                '>' if *hyphens >= 2 => self.state = State::Before,
                _ => *hyphens = 0,
            },
            State::Decided(_) => {}
        }
        if self.taken >= self.limit && self.is_open() {
            self.state = State::Decided(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::DECLARATION_LIMIT as LIMIT;

    fn is_html(text: &str) -> bool {
        let mut start = HtmlStart::new(LIMIT);
        text.chars().for_each(|ch| start.take(ch));
        start.is_html()
    }

    #[test]
    fn beginnings() {
        for text in [
            "<!DOCTYPE html>",
            "<!doctype  HTML PUBLIC",
            "\n\t <html>",
            "<HTML lang=en>",
            "<!-- a --><!----><!-->\n<meta charset=x>",
            "<script src=x>",
            "<title\n",
        ] {
            assert!(is_html(text), "{text}");
        }
        for text in [
            "",
            "<html",
            "<htmlx>",
            "<!-- a -->",
            "<!-- a --><p>",
            "<?xml version='1.0'?><html>",
            "<svg>",
            "<rss>",
            "<feed>",
            "<!DOCTYPE svg>",
            "<p>",
            "text <html>",
            "<metadata>",
            "<style/>",
        ] {
            assert!(!is_html(text), "{text}");
        }
        assert!(is_html(&format!("{}<html>", " ".repeat(LIMIT - 6))));
        assert!(!is_html(&format!("{}<html>", " ".repeat(LIMIT - 5))));
    }
}
