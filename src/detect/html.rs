//! Finds the encoding that an HTML document declares: the prescan of the HTML Standard, §13.2.3.2.
//!
//! It implements "prescan a byte stream to determine its encoding" step by step, with the algorithms that the standard
//! calls from there: "get an attribute", "get an XML encoding", and the one for a `meta` element's `content` (§2.5.3).
//! It is a state machine over bytes, as in the standard, and not a grammar: what counts as a tag is defined only by the
//! steps, and every implementation has to agree on it. It reads the bytes once. `spec/html-prescan.md` has the clauses,
//! and the results on public tests.
//!
//! A byte order mark and the transport's charset both take precedence over the prescan. Neither is considered here.

use std::ops::Range;

/// An encoding that an HTML document declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Meta {
    /// The encoding to decode the document as: the result of `known` for the label, apart from the standard's
    /// exceptions.
    pub(super) encoding: String,
    /// The label as written and the range of its bytes, without quotes and spaces. To change the label, replace these
    /// bytes and no others. `None` if the byte pattern itself showed the encoding.
    pub(super) label: Option<(String, Range<usize>)>,
    /// Where it was found.
    pub(super) via: Via,
}

/// Where an HTML document declares its encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Via {
    /// `<meta charset=…>`.
    Charset,
    /// `<meta http-equiv=Content-Type content="…; charset=…">`.
    HttpEquiv,
    /// `<?xml … encoding="…"?>` at the very start. HTML ignores everything else in such a declaration.
    XmlDeclaration,
    /// `<?x` in UTF-16 at the very start. The name that may follow is not read.
    Utf16Pattern,
}

/// Looks for a declared encoding in `bytes`, the beginning of a document. The caller passes as many bytes as are to be
/// searched (the standard recommends 1024). `known` is "get an encoding": it returns the name of the encoding for a
/// label. If it returns `None`, the search continues as the standard says.
///
/// The search stops at the end of `bytes`, even in the middle of a tag. A declaration that is cut off there is not
/// found.
pub(super) fn prescan(bytes: &[u8], known: &dyn Fn(&str) -> Option<String>) -> Option<Meta> {
    for (pattern, encoding) in [(b"<\0?\0x\0", "UTF-16LE"), (b"\0<\0?\0x", "UTF-16BE")] {
        if bytes.starts_with(pattern) {
            return Some(Meta { encoding: encoding.to_owned(), label: None, via: Via::Utf16Pattern });
        }
    }
    let mut scan = Scan { bytes, at: 0, known };
    let found = loop {
        match scan.next_meta(None) {
            Ok(element) => {
                if let Some(meta) = scan.declared(element) {
                    break Some(meta);
                }
            }
            Err(OutOfBytes) => break None,
        }
    };
    found.or_else(|| xml_encoding(bytes, known))
}

/// The most `meta` elements of a document that are corrected. A real document has only a few.
pub(crate) const MOST_METAS: usize = 256;

/// Returns the positions, in order, of the labels that the `meta` elements in `bytes` declare and that `known`
/// recognises. A label may be in `charset` or in the `content` of a `Content-Type`. Inside scripts, style sheets and
/// the like, only a label that the prescan takes for the document's own is included. `syntax` says how to tell text
/// from markup.
///
/// `bytes` has one byte per character of a text, with a non-ASCII byte for each non-ASCII character.
pub(crate) fn meta_labels(bytes: &[u8], syntax: Syntax, known: &dyn Fn(&str) -> Option<String>) -> Vec<Range<usize>> {
    let mut scan = Scan { bytes, at: 0, known };
    let mut found = Vec::new();
    for _ in 0..MOST_METAS {
        let Ok(MetaElement { charset, in_content, is_pragma, .. }) = scan.next_meta(Some(syntax)) else { break };
        let labels = charset.into_iter().chain(in_content.filter(|_| is_pragma));
        found.extend(labels.filter(|label| scan.encoding(label).is_some()));
    }
    let of_document = prescan(bytes, known).filter(|meta| matches!(meta.via, Via::Charset | Via::HttpEquiv));
    found.extend(of_document.and_then(|meta| meta.label).map(|(_, span)| span));
    crate::sort::by_key(&mut found, |span| (span.start, span.end));
    found.dedup();
    found
}

/// The rules by which a document is parsed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Html,
    Xml,
}

/// The prescan ran out of bytes. It stops, but an XML declaration may still name an encoding.
struct OutOfBytes;

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    known: &'a dyn Fn(&str) -> Option<String>,
}

/// An attribute: the ranges of its name and of its value.
struct Attribute {
    name: Range<usize>,
    value: Range<usize>,
}

/// The declaration in a `meta`.
#[derive(Default)]
struct MetaElement {
    /// The standard's "charset" and "need pragma" combined: how the encoding was declared, where, and the encoding if
    /// the label is known.
    found: Option<(Via, Range<usize>, Option<String>)>,
    /// Whether its `http-equiv` is `Content-Type`.
    is_pragma: bool,
    /// The label in its `charset`, and the label in its `content`.
    charset: Option<Range<usize>>,
    in_content: Option<Range<usize>>,
}

impl Scan<'_> {
    /// Does steps 3 and 4: skips from construct to construct until the next `meta`. If `syntax` is given, it also skips
    /// text that is not markup, which the standard's prescan does not do.
    fn next_meta(&mut self, syntax: Option<Syntax>) -> Result<MetaElement, OutOfBytes> {
        loop {
            match &self.bytes[self.at..] {
                [b'<', b'!', b'-', b'-', ..] => {
                    // The hyphens of `<!--` may also be those of `-->`: `<!-->` is a complete comment.
                    let end = self.bytes[self.at + 2..].windows(3).position(|bytes| bytes == b"-->");
                    self.at += 2 + end.ok_or(OutOfBytes)? + 2;
                }
                [b'<', m, e, t, a, after, ..]
                    if [*m, *e, *t, *a].eq_ignore_ascii_case(b"meta") && (is_space(*after) || *after == b'/') =>
                {
                    self.at += b"<meta".len();
                    let element = self.meta()?;
                    self.at += 1;
                    return Ok(element);
                }
                [b'<', b'/', letter, ..] | [b'<', letter, ..] if letter.is_ascii_alphabetic() => {
                    let start = self.at + 1;
                    self.advance(|byte| is_space(byte) || byte == b'>')?;
                    let name = start..self.at;
                    while self.attribute()?.is_some() {}
                    // In XML, `<script/>` is a complete element. In HTML it is a start tag.
                    let is_whole = syntax == Some(Syntax::Xml) && self.bytes[self.at - 1] == b'/';
                    if syntax.is_some() && !is_whole {
                        self.skip_raw(name)?;
                    }
                }
                [b'<', b'!', b'[', b'C', b'D', b'A', b'T', b'A', b'[', ..] if syntax == Some(Syntax::Xml) => {
                    self.skip_past(b"]]>")?;
                }
                // This does not apply at the very start: an XML declaration there may lack its `?>`.
                [b'<', b'?', ..] if syntax == Some(Syntax::Xml) && self.at > 0 => {
                    self.skip_past(b"?>")?;
                }
                [b'<', b'!' | b'/' | b'?', ..] => {
                    self.advance(|byte| byte == b'>')?;
                }
                [] => return Err(OutOfBytes),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Moves to the last byte of the next `end`.
    fn skip_past(&mut self, end: &[u8]) -> Result<(), OutOfBytes> {
        let skipped = self.bytes[self.at..].windows(end.len()).position(|bytes| bytes == end).ok_or(OutOfBytes)?;
        self.at += skipped + end.len() - 1;
        Ok(())
    }

    /// If the element named `name` contains only text, skips its content up to the end of the name in its end tag.
    fn skip_raw(&mut self, name: Range<usize>) -> Result<(), OutOfBytes> {
        const RAW: [&str; 6] = ["script", "style", "title", "textarea", "xmp", "noframes"];
        let name = &self.bytes[name];
        if RAW.iter().any(|raw| name.eq_ignore_ascii_case(raw.as_bytes())) {
            let is_end = |bytes: &[u8]| bytes.starts_with(b"</") && bytes[2..].eq_ignore_ascii_case(name);
            let end = self.bytes[self.at..].windows(2 + name.len()).position(is_end);
            self.at += end.ok_or(OutOfBytes)? + 1;
        }
        Ok(())
    }

    /// Moves to the next byte for which `is_target` is true, starting with the current one, and returns it.
    fn advance(&mut self, is_target: impl Fn(u8) -> bool) -> Result<u8, OutOfBytes> {
        let skipped = self.bytes[self.at..].iter().position(|byte| is_target(*byte)).ok_or(OutOfBytes)?;
        self.at += skipped;
        Ok(self.bytes[self.at])
    }

    /// Reads the attributes of a `meta`: substeps 2 to 10. The standard keeps a list of the names it has seen, but only
    /// three of them matter.
    fn meta(&mut self) -> Result<MetaElement, OutOfBytes> {
        let [mut http_equiv, mut content, mut charset] = [false; 3];
        let mut element = MetaElement::default();
        while let Some(Attribute { name, value }) = self.attribute()? {
            let is = |name: Range<usize>, known: &str| self.bytes[name].eq_ignore_ascii_case(known.as_bytes());
            if is(name.clone(), "http-equiv") && !std::mem::replace(&mut http_equiv, true) {
                element.is_pragma = is(value, "content-type");
            } else if is(name.clone(), "content") && !std::mem::replace(&mut content, true) {
                let label = label_in_content(&self.bytes[value.clone()]);
                element.in_content =
                    label.map(|label| self.trimmed(value.start + label.start..value.start + label.end));
                // If `charset` came first, `content` is not used, whether or not the charset is known.
                if let Some(label) = element.in_content.clone().filter(|_| element.found.is_none())
                    && let Some(encoding) = self.encoding(&label)
                {
                    element.found = Some((Via::HttpEquiv, label, Some(encoding)));
                }
            } else if is(name, "charset") && !std::mem::replace(&mut charset, true) {
                let label = self.trimmed(value);
                let encoding = self.encoding(&label);
                element.charset = Some(label.clone());
                element.found = Some((Via::Charset, label, encoding));
            }
        }
        Ok(element)
    }

    /// Returns what the attributes of a `meta` declare: substeps 11 to 16.
    fn declared(&self, element: MetaElement) -> Option<Meta> {
        let (via, span, encoding) = element.found?;
        let encoding = encoding?;
        if via == Via::HttpEquiv && !element.is_pragma {
            return None;
        }
        let encoding = match &*encoding {
            // The document says so in ASCII, so it cannot be UTF-16.
            name if is_utf16(name) => "UTF-8".to_owned(),
            // For compatibility with parsers that give the label no special meaning.
            "x-user-defined" => "windows-1252".to_owned(),
            _ => encoding,
        };
        Some(Meta { encoding, label: Some((isomorphic(&self.bytes[span.clone()]), span)), via })
    }

    /// Implements "get an attribute". `None`: the tag ends here.
    fn attribute(&mut self) -> Result<Option<Attribute>, OutOfBytes> {
        if self.advance(|byte| !is_space(byte) && byte != b'/')? == b'>' {
            return Ok(None);
        }
        let start = self.at;
        // A `=` at the beginning is part of the name.
        self.at += usize::from(self.bytes[start] == b'=');
        let mut end = self.advance(|byte| is_space(byte) || matches!(byte, b'=' | b'/' | b'>'))?;
        let name = start..self.at;
        if is_space(end) {
            end = self.advance(|byte| !is_space(byte))?;
        }
        if end != b'=' {
            return Ok(Some(Attribute { name, value: self.at..self.at }));
        }
        self.at += 1;
        let first = self.advance(|byte| !is_space(byte))?;
        let value = if matches!(first, b'"' | b'\'') {
            self.at += 1;
            let start = self.at;
            self.advance(|byte| byte == first)?;
            self.at += 1;
            start..self.at - 1
        } else {
            let start = self.at;
            self.advance(|byte| is_space(byte) || byte == b'>')?;
            start..self.at
        };
        // The next step asks for the byte after a closing quote. If there is none, the search ends there.
        Ok(Some(Attribute { name, value }))
    }

    /// Implements the first step of "get an encoding": removing spaces at both ends.
    fn trimmed(&self, span: Range<usize>) -> Range<usize> {
        let inside = &self.bytes[span.clone()];
        let start = span.start + inside.len() - inside.trim_ascii_start().len();
        start..start + inside.trim_ascii().len()
    }

    fn encoding(&self, label: &Range<usize>) -> Option<String> {
        (self.known)(&isomorphic(&self.bytes[label.clone()]))
    }
}

/// Implements §2.5.3, "extracting a character encoding from a meta element". Returns the position of the label in
/// `content`.
fn label_in_content(content: &[u8]) -> Option<Range<usize>> {
    const NAME: &[u8] = b"charset";
    let mut at = 0;
    loop {
        at += content[at..].windows(NAME.len()).position(|bytes| bytes.eq_ignore_ascii_case(NAME))? + NAME.len();
        at += spaces(&content[at..]);
        if content.get(at) == Some(&b'=') {
            break;
        }
    }
    at += 1;
    at += spaces(&content[at..]);
    match *content.get(at)? {
        quote @ (b'"' | b'\'') => {
            let start = at + 1;
            // Without the closing quote there is no label.
            let len = content[start..].iter().position(|byte| *byte == quote)?;
            Some(start..start + len)
        }
        _ => {
            let rest = &content[at..];
            let len = rest.iter().position(|byte| is_space(*byte) || *byte == b';').unwrap_or(rest.len());
            Some(at..at + len)
        }
    }
}

/// Implements "get an XML encoding": what looks like an XML declaration at the very start is used if the prescan found
/// nothing.
fn xml_encoding(bytes: &[u8], known: &dyn Fn(&str) -> Option<String>) -> Option<Meta> {
    const NAME: &[u8] = b"encoding";
    let end = bytes.starts_with(b"<?xml").then(|| bytes.iter().position(|byte| *byte == b'>'))??;
    // Only the name must begin before the `>`. The standard sets no bound for the rest.
    let mut at = bytes[..end].windows(NAME.len()).position(|bytes| bytes == NAME)? + NAME.len();
    let controls = |at: usize| bytes[at..].iter().take_while(|byte| **byte <= b' ').count();
    at += controls(at);
    if bytes.get(at) != Some(&b'=') {
        return None;
    }
    at += 1;
    at += controls(at);
    let quote = *bytes.get(at).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let start = at + 1;
    let span = start..start + bytes[start..].iter().position(|byte| *byte == quote)?;
    if bytes[span.clone()].iter().any(|byte| *byte <= b' ') {
        return None;
    }
    let label = isomorphic(&bytes[span.clone()]);
    let encoding = known(&label)?;
    let encoding = if is_utf16(&encoding) { "UTF-8".to_owned() } else { encoding };
    Some(Meta { encoding, label: Some((label, span)), via: Via::XmlDeclaration })
}

/// Returns whether `byte` is ASCII whitespace.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn spaces(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_space(**byte)).count()
}

fn is_utf16(name: &str) -> bool {
    ["UTF-16", "UTF-16BE", "UTF-16LE"].iter().any(|utf16| name.eq_ignore_ascii_case(utf16))
}

/// Maps each byte to the character with the same number. Labels are ASCII, so any other mapping of the remaining bytes
/// would do as well.
fn isomorphic(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{Row, rows};
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use std::sync::LazyLock;

    /// The labels of the Encoding Standard, from its own table. The registry would depend on a feature that may be off.
    static LABELS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        let rows = rows("whatwg-labels.tsv");
        rows.iter().map(|row| (row.text("id").unwrap(), row.text("web").unwrap())).collect()
    });

    fn known(label: &str) -> Option<String> {
        LABELS.get(&label.to_ascii_lowercase()).cloned()
    }

    fn name(via: Via) -> &'static str {
        match via {
            Via::Charset => "charset",
            Via::HttpEquiv => "http-equiv",
            Via::XmlDeclaration => "xml",
            Via::Utf16Pattern => "utf16",
        }
    }

    /// Returns the bytes of a row with its filler inserted.
    fn bytes(row: &Row) -> Vec<u8> {
        let fill = row.text("fill").map_or(String::new(), |fill| {
            let (part, times) = fill.split_once('*').unwrap();
            part.repeat(times.parse().unwrap())
        });
        let text = row.text("text").unwrap_or_default().replace('\u{2026}', &fill);
        text.chars().map(|ch| u8::try_from(u32::from(ch)).unwrap()).collect()
    }

    fn first(bytes: &[u8], len: usize) -> &[u8] {
        &bytes[..len.min(bytes.len())]
    }

    #[test]
    fn vectors() {
        let rows = rows("html-prescan.tsv");
        assert!(rows.len() > 200);
        for row in rows {
            let bytes = bytes(&row);
            let what = format!("{:?} {:?}", row.text("id"), row.text("text"));
            let found = prescan(first(&bytes, 8448), &known);
            let label = found.as_ref().and_then(|meta| meta.label.clone());
            let number = |column| row.text(column).map(|number| number.parse::<usize>().unwrap());
            let encoding = |found: &Option<Meta>| found.as_ref().map(|meta| meta.encoding.clone());
            assert_eq!(encoding(&found), row.text("encoding"), "{what}");
            assert_eq!(found.as_ref().map(|meta| name(meta.via)), row.text("via").as_deref(), "{what}");
            assert_eq!(label.as_ref().map(|(label, _)| label.clone()), row.text("label"), "{what}");
            assert_eq!(label.map(|(_, span)| span), number("start").zip(number("end")).map(|(a, b)| a..b), "{what}");
            assert_eq!(encoding(&prescan(first(&bytes, 1024), &known)), row.text("at_1024"), "{what}");
        }
    }

    /// Checks the numbers in `spec/html-prescan.md`.
    #[test]
    fn public_tests_pass_as_often_as_documented() {
        let rows = rows("html-prescan.tsv");
        let rows: Vec<(Row, String)> =
            rows.into_iter().filter_map(|row| row.text("parsed").map(|it| (row, it))).collect();
        let missed = |len: usize| -> Vec<String> {
            let is_missed = |row: &Row, parsed: &str| {
                let bytes = bytes(row);
                let found = match bytes.starts_with(b"\xEF\xBB\xBF") {
                    true => Some("UTF-8".to_owned()),
                    false => prescan(first(&bytes, len), &known).map(|meta| meta.encoding),
                };
                found.as_deref().unwrap_or("windows-1252") != parsed
            };
            let missed = rows.iter().filter(|(row, parsed)| is_missed(row, parsed));
            missed.map(|(row, _)| row.text("id").unwrap()).collect()
        };
        assert_eq!(rows.len(), 83);
        // Seven documents have their `meta` after the first 1024 bytes. In the last one a script writes it.
        let after_1024 = [48, 49, 50, 51, 52, 53, 54].map(|number| format!("h5-tests1-{number}"));
        let written = ["h5-tests1-55".to_owned()];
        assert_eq!(missed(1024), [&after_1024[..], &written].concat());
        assert_eq!(missed(8448), written);
    }

    #[test]
    fn the_label_is_replaced_and_nothing_else() {
        let edited = |text: &str, name: &str| {
            let (_, span) = prescan(text.as_bytes(), &known)?.label?;
            Some(format!("{}{name}{}", &text[..span.start], &text[span.end..]))
        };
        for (before, after) in [
            ("<meta charset=koi8-r>", "<meta charset=UTF-8>"),
            ("<meta charset=' koi8-r '>", "<meta charset=' UTF-8 '>"),
            (
                "<meta content='text/html; charset=\"koi8-r\"; x' http-equiv=Content-Type>",
                "<meta content='text/html; charset=\"UTF-8\"; x' http-equiv=Content-Type>",
            ),
            ("<?xml encoding='koi8-r'?>", "<?xml encoding='UTF-8'?>"),
        ] {
            assert_eq!(edited(before, "UTF-8").as_deref(), Some(after));
        }
        assert_eq!(edited("<\0?\0x\0", "UTF-8"), None);
    }

    #[test]
    fn long_documents_take_no_time() {
        let starts = ["", "<meta ", "<meta charset=\"", "<meta content=\"", "<?xml ", "<!--", "<p "];
        for part in [
            "<", "<meta", "<meta ", "a ", "a=", "a=\"", "charset", "charset ", "charset=", "<!", "-", "<!--", "</",
            "<?", "/",
        ] {
            for start in starts {
                assert_eq!(prescan(format!("{start}{}", part.repeat(100_000)).as_bytes(), &known), None);
            }
        }
    }

    fn likely() -> impl Strategy<Value = Vec<u8>> {
        let parts = prop::sample::select(vec![
            "<meta ",
            "<META/",
            "charset",
            "=",
            "utf-8",
            "KOI8-R",
            "utf-16",
            "x",
            "\"",
            "'",
            ">",
            "/",
            " ",
            "\n",
            "<!--",
            "-->",
            "http-equiv=content-type",
            "content=",
            "text/html;",
            ";",
            "<p ",
            "</p",
            "<!",
            "<?",
            "<?xml ",
            "encoding",
            "\0",
            "\u{FF}",
            "charset=koi8-r>",
            "<meta charset=utf-8>",
        ]);
        prop::collection::vec(parts, 0..20).prop_map(|parts| parts.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..ProptestConfig::default() })]

        #[test]
        fn a_label_that_is_found_can_be_replaced(bytes in prop_oneof![3 => likely(), 1 => any::<Vec<u8>>()]) {
            let Some(meta) = prescan(&bytes, &known) else { return Ok(()) };
            let Some((label, span)) = meta.label.clone() else { return Ok(()) };
            prop_assert_eq!(label.as_bytes(), &bytes[span.clone()]);
            prop_assert!(known(&label).is_some());
            let (place, name) = (span.clone(), "windows-1251".to_owned());
            prop_assert_eq!(&place, &span);
            let after = [&bytes[..place.start], name.as_bytes(), &bytes[place.end..]].concat();
            let again = prescan(&after, &known).unwrap();
            prop_assert_eq!(&again.encoding, "windows-1251");
            prop_assert_eq!(again.via, meta.via);
            prop_assert_eq!(again.label, Some((name.clone(), place.start..place.start + name.len())));
        }

        #[test]
        fn more_bytes_never_remove_a_meta(bytes in likely(), more in likely()) {
            // An XML declaration counts only when the search ends, so a meta after it may come first.
            if let Some(meta) = prescan(&bytes, &known).filter(|meta| meta.via != Via::XmlDeclaration) {
                prop_assert_eq!(prescan(&[bytes, more].concat(), &known), Some(meta));
            }
        }
    }
}
