//! Code pages as data: what a file of `codecs/` says, and how it is read.
//!
//! A page is one page of text: head lines (`name`, `alias`, `source`, `sha256`, `substitute`), a 16 × 16 `chart` of code
//! points laid out as IBM prints it (columns are the high half of the byte, rows the low half; `----` is unassigned),
//! and the one-way mappings to bytes under `best-fit`. `codecs/README.md` describes it for people.
//!
//! The pages are the source of truth. [`pages.rs`](super::PAGES) is made from them by [`Page::to_rust`]; the test
//! `tables` proves it fresh.

use crate::error::{Error, ErrorKind};
use std::borrow::Cow;
use std::fmt::Write;

/// A byte without a character, in [`Page::chars`]. U+FFFF is a noncharacter: no page assigns it.
pub const UNASSIGNED: u16 = 0xFFFF;

/// A single-byte code page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// The preferred name.
    pub name: Cow<'static, str>,
    /// Further labels.
    pub aliases: Cow<'static, [Cow<'static, str>]>,
    /// The table or standard that it was taken from.
    pub source: Cow<'static, str>,
    /// The byte that stands for a character that the page lacks (subchar).
    pub substitute: u8,
    /// The code point of each byte, or [`UNASSIGNED`].
    pub chars: [u16; 256],
    /// One-way mappings from a code point to a byte.
    pub best_fit: Cow<'static, [(u16, u8)]>,
}

impl Page {
    /// A page made from a function: `char_of` answers the character of each byte, of the Basic Multilingual Plane;
    /// anything else is unassigned. The substitute is SUB, 1A.
    pub fn from_fn(name: &'static str, source: &'static str, char_of: impl Fn(u8) -> Option<char>) -> Page {
        let mut chars = [UNASSIGNED; 256];
        for (byte, place) in (0..=255).zip(&mut chars) {
            *place = char_of(byte).and_then(|ch| u16::try_from(ch as u32).ok()).unwrap_or(UNASSIGNED);
        }
        Page {
            name: Cow::Borrowed(name),
            aliases: Cow::Borrowed(&[]),
            source: Cow::Borrowed(source),
            substitute: 0x1A,
            chars,
            best_fit: Cow::Borrowed(&[]),
        }
    }

    /// Reads a page.
    ///
    /// # Errors
    /// [`ErrorKind::Table`] with the line and column (from 1) and what was expected there.
    ///
    /// ```
    /// let page = charpipe::codec::page::Page::parse(include_str!("../../codecs/IBM037.txt"))?;
    /// assert_eq!(page.name, "IBM037");
    /// assert_eq!(page.chars[0xC1], u16::from(b'A'));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Page, Error> {
        let mut page = Page {
            name: Cow::Borrowed(""),
            aliases: Cow::Borrowed(&[]),
            source: Cow::Borrowed(""),
            substitute: 0,
            chars: [UNASSIGNED; 256],
            best_fit: Cow::Borrowed(&[]),
        };
        let (mut aliases, mut best_fit) = (Vec::new(), Vec::new());
        let mut substitute = None;
        let mut rows = 0u8;
        let mut part = "";
        for (index, line) in text.lines().enumerate() {
            let at = |word: &str| Place { line: index + 1, column: column_of(line, word) };
            let mut words = line.split('#').next().unwrap_or("").split_whitespace();
            let Some(first) = words.next() else { continue };
            match (part, first) {
                ("", "name") => page.name = only(&mut words, at(first), "a name")?.to_owned().into(),
                ("", "alias") => aliases.extend(words.map(|label| Cow::from(label.to_owned()))),
                ("", "source") => page.source = only(&mut words, at(first), "a source")?.to_owned().into(),
                ("", "sha256") => drop(only(&mut words, at(first), "a digest")?),
                ("", "substitute") => {
                    let word = only(&mut words, at(first), "a byte")?;
                    substitute = Some(byte(word, at(word))?);
                }
                (_, "chart" | "best-fit") => part = first,
                ("chart", "0-") => {}
                ("chart", row) => {
                    if row != format!("-{rows:X}") || rows > 15 {
                        return at(row).error(if rows < 16 { format!("row -{rows:X}") } else { "no more rows".into() });
                    }
                    let mut high = 0;
                    for word in words {
                        if high == 16 {
                            return at(word).error("16 columns".into());
                        }
                        page.chars[high * 16 + rows as usize] =
                            if word == "----" { UNASSIGNED } else { code_point(word, at(word))? };
                        high += 1;
                    }
                    if high != 16 {
                        return at(row).error("16 columns".into());
                    }
                    rows += 1;
                }
                ("best-fit", word) => {
                    let ch = code_point(word, at(word))?;
                    let to = only(&mut words, at(word), "a byte")?;
                    best_fit.push((ch, byte(to, at(to))?));
                }
                (_, word) => {
                    return at(word).error("name, alias, source, sha256, substitute, chart or best-fit".into());
                }
            }
        }
        let end = Place { line: text.lines().count(), column: 1 };
        if page.name.is_empty() || rows != 16 {
            return end.error("a name and a chart of 16 rows".into());
        }
        let Some(substitute) = substitute else { return end.error("a substitute".into()) };
        if let Some(twice) = duplicate(&page.chars) {
            return end.error(format!("each code point once in the chart (U+{twice:04X} stands there twice)"));
        }
        page.substitute = substitute;
        page.aliases = aliases.into();
        page.best_fit = best_fit.into();
        Ok(page)
    }

    /// The page as an expression of Rust, for `pages.rs`.
    pub fn to_rust(&self) -> String {
        let mut out = String::new();
        let list = |items: &[String]| items.join(", ");
        let aliases: Vec<String> = self.aliases.iter().map(|label| format!("Cow::Borrowed({label:?})")).collect();
        let best_fit: Vec<String> =
            self.best_fit.iter().map(|(ch, byte)| format!("(0x{ch:04X}, 0x{byte:02X})")).collect();
        let _ = writeln!(out, "    Page {{");
        let _ = writeln!(out, "        name: Cow::Borrowed({:?}),", self.name);
        let _ = writeln!(out, "        aliases: Cow::Borrowed(&[{}]),", list(&aliases));
        let _ = writeln!(out, "        source: Cow::Borrowed({:?}),", self.source);
        let _ = writeln!(out, "        substitute: 0x{:02X},", self.substitute);
        let _ = writeln!(out, "        chars: [");
        for row in self.chars.chunks(16) {
            let row: Vec<String> = row.iter().map(|ch| format!("0x{ch:04X}")).collect();
            let _ = writeln!(out, "            {},", list(&row));
        }
        let _ = writeln!(out, "        ],");
        let _ = writeln!(out, "        best_fit: Cow::Borrowed(&[{}]),", list(&best_fit));
        let _ = write!(out, "    }},");
        out
    }
}

/// Where in the file something stands, from 1.
#[derive(Clone, Copy)]
struct Place {
    line: usize,
    column: usize,
}

impl Place {
    fn error<T>(self, expected: String) -> Result<T, Error> {
        Err(ErrorKind::Table { line: self.line, column: self.column, expected }.into())
    }
}

fn column_of(line: &str, word: &str) -> usize {
    // `word` is a slice of `line`.
    (word.as_ptr() as usize).wrapping_sub(line.as_ptr() as usize) + 1
}

fn only<'a>(words: &mut impl Iterator<Item = &'a str>, place: Place, what: &str) -> Result<&'a str, Error> {
    match (words.next(), words.next()) {
        (Some(word), None) => Ok(word),
        _ => place.error(format!("{what}, and nothing after it")),
    }
}

fn byte(word: &str, place: Place) -> Result<u8, Error> {
    u8::from_str_radix(word, 16).or_else(|_| place.error("a byte of two hex digits".into()))
}

fn code_point(word: &str, place: Place) -> Result<u16, Error> {
    match u16::from_str_radix(word, 16) {
        Ok(ch) if ch != UNASSIGNED && char::from_u32(ch.into()).is_some() => Ok(ch),
        _ => place.error("a code point of four hex digits, no surrogate".into()),
    }
}

fn duplicate(chars: &[u16; 256]) -> Option<u16> {
    let mut assigned: Vec<u16> = chars.iter().copied().filter(|ch| *ch != UNASSIGNED).collect();
    assigned.sort_unstable();
    assigned.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
