//! The policies, which decide the encoding if the sources of evidence disagree.

use crate::words::words;

/// A named set of rules.
///
/// No single set of rules agrees with all existing software, so the caller can choose one. `spec/` lists the rules of
/// each, with their ids.
///
/// ```
/// use charpipe::detect::Policy;
///
/// assert_eq!("rome-strict".parse(), Ok(Policy::RomeStrict));
/// assert_eq!(Policy::default().to_string(), "rfc7303");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Policy {
    /// RFC 7303 §3: the byte order mark, then the charset; without either, XML 1.0 §4.3.3 and Appendix F.
    #[default]
    Rfc7303,
    /// RFC 3023 §3, which RFC 7303 replaced: the charset is authoritative, and `text/xml` without one is US-ASCII.
    Rfc3023,
    /// The algorithms of ROME's XmlReader as documented (rules 1.0 to 1.7 and 2.0 to 2.6): contradictions are errors.
    RomeStrict,
    /// The same, followed by ROME's lenient order, so that contradictions are not errors.
    RomeLenient,
    /// Universal Feed Parser: RFC 3023 first, then one encoding after another, until one can decode the document.
    Feedparser,
    /// The web's rules: the byte order mark, the charset, then `meta`. Labels mean what the Encoding Standard says.
    Whatwg,
}

words! {
    Policy {
        Rfc7303: "rfc7303", Rfc3023: "rfc3023", RomeStrict: "rome-strict", RomeLenient: "rome-lenient",
        Feedparser: "feedparser", Whatwg: "whatwg",
    }
}
