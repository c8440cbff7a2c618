//! Lenient parsing of the transport's `Content-Type` field.
//!
//! It follows RFC 9110 §8.3.1 (media type) and §5.6.6 (parameters), with nom. It also accepts what servers send and
//! other parsers accept: single quotes, spaces around `=`, unclosed quotes, and a field without a media type. Nothing
//! is an error here; text that cannot be parsed as a charset is ignored. `spec/content-type.md` lists each case and how
//! other parsers treat it.

use nom::branch::alt;
use nom::bytes::{tag, tag_no_case, take, take_till, take_till1};
use nom::combinator::{map, opt, recognize, verify};
use nom::multi::{fold_many0, many0_count};
use nom::sequence::{delimited, preceded, separated_pair, terminated};
use nom::{IResult, Parser};
use std::fmt;

/// The parts of a `Content-Type` field that affect the encoding.
///
/// ```
/// use charpipe::detect::{ContentType, MediaKind};
///
/// let field = ContentType::parse("Application/Atom+XML; charset='utf-8'");
/// assert_eq!(field.essence.as_deref(), Some("application/atom+xml"));
/// assert_eq!((field.charset.as_deref(), field.kind()), (Some("utf-8"), MediaKind::AppXml));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ContentType {
    /// `type/subtype` in lower case. If something else is in its place, it is kept unchanged so that a message can
    /// quote it; [`ContentType::kind`] then returns [`MediaKind::Other`].
    pub essence: Option<String>,
    /// The parameter `charset` as written, without its quotes and the spaces around it. It has not been looked up.
    /// Never empty.
    pub charset: Option<String>,
}

/// The meaning of a media type for the policies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum MediaKind {
    /// `application/xml`, `application/xml-dtd`, `application/xml-external-parsed-entity`, and any type that ends in
    /// `+xml` and is not `text/…`: `application/xhtml+xml`, `image/svg+xml`.
    ///
    /// In RFC 7303 §4.2 and RFC 3023 §7, `+xml` applies to any top-level type. ROME and feedparser know only
    /// `application/…+xml`; to them `image/svg+xml` is not XML. [`ContentType::is_application`] tells the two apart.
    AppXml,
    /// `text/xml`, `text/xml-external-parsed-entity` and `text/…+xml`. RFC 7303 §9.2 treats them like
    /// [`MediaKind::AppXml`]. In RFC 3023 §3.1 they are US-ASCII unless a charset is given.
    TextXml,
    /// `text/html`.
    Html,
    /// Any other `text/…`.
    Text,
    /// Anything else, including malformed media types.
    Other,
    /// There is no media type.
    Missing,
}

impl ContentType {
    /// Parses the value of a `Content-Type` field. The field's name may precede it, as in a header line that was copied
    /// whole.
    #[must_use]
    pub fn parse(value: &str) -> Self {
        field(value).map(|(_, read)| read).unwrap_or_default()
    }

    /// Returns the meaning of the media type for the policies.
    #[must_use]
    pub fn kind(&self) -> MediaKind {
        let Some(essence) = &self.essence else { return MediaKind::Missing };
        let Some((media, sub)) = essence.split_once('/').filter(|_| is_media_type(essence)) else {
            return MediaKind::Other;
        };
        let is_suffixed = sub.len() > "+xml".len() && sub.ends_with("+xml");
        match (media, sub) {
            ("application", "xml" | "xml-dtd" | "xml-external-parsed-entity") => MediaKind::AppXml,
            ("text", "xml" | "xml-external-parsed-entity") => MediaKind::TextXml,
            ("text", _) if is_suffixed => MediaKind::TextXml,
            (_, _) if is_suffixed => MediaKind::AppXml,
            ("text", "html") => MediaKind::Html,
            ("text", _) => MediaKind::Text,
            _ => MediaKind::Other,
        }
    }

    /// Returns whether the top-level type is `application`.
    #[must_use]
    pub fn is_application(&self) -> bool {
        self.essence.as_ref().is_some_and(|essence| essence.starts_with("application/"))
    }
}

/// Formats the value of the field. Parsing the result gives an equal `ContentType`.
impl fmt::Display for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.essence.as_deref().unwrap_or(""))?;
        let Some(charset) = &self.charset else { return Ok(()) };
        f.write_str(if self.essence.is_some() { "; charset=" } else { "charset=" })?;
        // Our parser would take a leading single quote for the start of a quoted value, so such a token is quoted.
        if is_token(charset) && !charset.contains('\'') {
            return f.write_str(charset);
        }
        f.write_str("\"")?;
        for ch in charset.chars() {
            if matches!(ch, '"' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{ch}")?;
        }
        f.write_str("\"")
    }
}

/// Returns whether `essence` is a media type: two tokens with a `/` between them.
pub(super) fn is_media_type(essence: &str) -> bool {
    essence.split_once('/').is_some_and(|(media, sub)| is_token(media) && is_token(sub))
}

/// Returns whether `text` is a token, RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Returns whether `ch` is a space: OWS of RFC 9110 §5.6.3, or a control character. Control characters cannot be part
/// of anything, and a folded line contains CR and LF.
fn is_blank(ch: char) -> bool {
    ch == ' ' || ch.is_ascii_control()
}

/// Returns whether `ch` ends a media type or an unquoted value. A comma separates fields that a proxy joined; the first
/// one counts.
fn is_end(ch: char) -> bool {
    is_blank(ch) || matches!(ch, ';' | ',')
}

fn blanks(input: &str) -> IResult<&str, &str> {
    take_till(|ch| !is_blank(ch)).parse_complete(input)
}

/// Parses `[ "Content-Type:" ] [ type/subtype ] *( ";" [ parameter ] )`.
fn field(input: &str) -> IResult<&str, ContentType> {
    let name = (blanks, tag_no_case("content-type"), blanks, tag(":"));
    let (input, _) = many0_count(name).parse_complete(input)?;
    let (input, essence) = preceded(blanks, opt(essence)).parse_complete(input)?;
    // If there is no media type, the first parameter may come without its `;`.
    let (input, first) = if essence.is_none() { segment(input)? } else { (junk(input)?.0, None) };
    let next = preceded(tag(";"), segment);
    // The first non-empty charset counts.
    let (input, charset) =
        fold_many0(next, move || first.clone(), |found, more| found.or(more)).parse_complete(input)?;
    Ok((input, ContentType { essence, charset }))
}

/// Parses whatever is in the place of the media type, unless it is a parameter.
fn essence(input: &str) -> IResult<&str, String> {
    let mut word = verify(take_till1(is_end), |word: &str| !word.contains('='));
    // `charset = x`: the `=` may follow after spaces.
    let (rest, word) = word.parse_complete(input)?;
    let (_, equals) = preceded(blanks, opt(tag("="))).parse_complete(rest)?;
    if equals.is_some() {
        return Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Verify)));
    }
    Ok((rest, word.to_ascii_lowercase()))
}

/// Parses up to the next `;`. Returns the charset, if this is a charset parameter.
fn segment(input: &str) -> IResult<&str, Option<String>> {
    let named = terminated(take_till(|ch| is_end(ch) || ch == '='), blanks);
    let parameter = separated_pair(preceded(blanks, named), (tag("="), blanks), value);
    let (input, found) = opt(parameter).parse_complete(input)?;
    let (input, _) = junk(input)?;
    let charset = found.filter(|(name, _)| name.eq_ignore_ascii_case("charset")).map(|(_, value)| value);
    Ok((input, charset.filter(|charset| !charset.is_empty())))
}

/// Skips text up to the next `;`.
fn junk(input: &str) -> IResult<&str, &str> {
    take_till(|ch| ch == ';').parse_complete(input)
}

fn value(input: &str) -> IResult<&str, String> {
    let single = delimited(tag("'"), take_till(|ch| matches!(ch, '\'' | '"' | ';' | ',')), tag("'"));
    // A quote without its counterpart is not part of the value.
    let bare = map(take_till(is_end), |word: &str| word.trim_matches(['"', '\'']).to_owned());
    let single = map(single, |inside: &str| inside.trim_matches(is_blank).to_owned());
    alt((quoted, single, bare)).parse_complete(input)
}

/// Parses a quoted-string, RFC 9110 §5.6.4, and decodes its escapes. Fails if no quote closes it.
fn quoted(input: &str) -> IResult<&str, String> {
    let escaped = preceded(tag("\\"), take(1usize));
    let plain = recognize(take_till1(|ch| matches!(ch, '"' | '\\')));
    let inside = fold_many0(alt((plain, escaped)), String::new, |inside, part| inside + part);
    let read = delimited(tag("\""), inside, tag("\""));
    map(read, |inside: String| inside.trim_matches(is_blank).to_owned()).parse_complete(input)
}

#[cfg(test)]
mod tests {
    use super::super::vectors::rows;
    use super::*;
    use proptest::prelude::*;

    fn name(kind: MediaKind) -> &'static str {
        match kind {
            MediaKind::AppXml => "app-xml",
            MediaKind::TextXml => "text-xml",
            MediaKind::Html => "html",
            MediaKind::Text => "text",
            MediaKind::Other => "other",
            MediaKind::Missing => "missing",
        }
    }

    #[test]
    fn vectors() {
        let rows = rows("content-type.tsv");
        assert!(rows.len() > 100);
        for row in rows {
            let value = row.text("value").unwrap_or_default();
            let read = ContentType::parse(&value);
            let what = format!("{:?} {value:?}", row.text("id"));
            assert_eq!(read.essence, row.text("essence"), "{what}");
            assert_eq!(read.charset, row.text("charset"), "{what}");
            assert_eq!(Some(name(read.kind())), row.text("kind").as_deref(), "{what}");
            assert_eq!(ContentType::parse(&read.to_string()), read, "{what}: {read}");
            assert_eq!(ContentType::parse(&format!("Content-Type: {value}")), read, "{what}");
        }
    }

    #[test]
    fn only_top_level_application_is_application() {
        let is_application = |value| ContentType::parse(value).is_application();
        assert!(is_application("Application/Atom+XML; charset=utf-8"));
        assert!(!is_application("image/svg+xml"));
        assert!(!is_application("application"));
        assert!(!is_application("charset=application/xml"));
    }

    #[test]
    fn long_values_take_no_time() {
        for part in ["=\"", "x=\"\\", "\\\"", ";'", "charset='", "content-type:", ";charset=", ";a=\"b\"", ",", " "] {
            let _ = ContentType::parse(&part.repeat(200_000));
            let _ = ContentType::parse(&format!("text/xml;a=\"{}", part.repeat(200_000)));
        }
    }

    fn likely() -> impl Strategy<Value = String> {
        let parts = prop::sample::select(vec![
            "text/xml",
            "text",
            "/",
            "charset",
            "=",
            ";",
            "\"",
            "'",
            "\\",
            " ",
            "utf-8",
            ",",
            "Content-Type:",
            "\r\n ",
            "é",
            "\0",
            "+xml",
            "CHARSET=\"a\\\"b\"",
            "q=1",
            "(c)",
            ":",
            "*",
        ]);
        prop::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn display_round_trips(value in prop_oneof![likely(), any::<String>()]) {
            let read = ContentType::parse(&value);
            let _ = read.kind();
            let charset = read.charset.as_deref().unwrap_or("x");
            prop_assert!(!charset.is_empty() && charset.trim_matches(is_blank) == charset);
            prop_assert_eq!(ContentType::parse(&read.to_string()), read);
        }
    }
}
