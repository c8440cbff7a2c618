//! The options that `convert` and `detect` share: which files are read, and the user's information about their
//! encoding.

use crate::args::choice::choice;
use crate::args::headings::{DETECTION, ENCODING, ERRORS};
use crate::args::operands::Operands;
use crate::args::tables::Tables;
use charpipe::Kind;
use charpipe::detect::{PRESCAN_LIMIT, Policy};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ffi::OsString;

#[derive(Args, Default, Debug)]
#[allow(dead_code, reason = "clap checks the values, and `named` has them")]
pub(crate) struct Reading {
    /// Encoding of the input; `auto` detects it
    ///
    /// LABEL is any name or alias that `charpipe list` shows. It overrides the input's own declaration. The suffix
    /// `//IGNORE` drops invalid input, as in iconv.
    #[arg(short, long, value_name = "LABEL", default_value = "auto", display_order = 0, alias = "from-code",
          help_heading = ENCODING)]
    pub(super) from: String,

    #[command(flatten)]
    pub(crate) tables: Tables,

    /// Encoding to use if nothing identifies it [default: UTF-8]
    ///
    /// If several labels are given, separated by commas, the first one that decodes the input without error is used:
    /// `UTF-8,windows-1252`. charpipe tries them on 64 KiB of the input, starting at the first byte that they read
    /// differently. If none fits, the last one is used. Some policies have a different default.
    #[arg(long, value_name = "LABELS", help_heading = DETECTION)]
    fallback: Option<String>,

    /// Code page to use for EBCDIC input that does not name one [default: IBM037]
    #[arg(hide_short_help = true, long, value_name = "LABEL", help_heading = DETECTION)]
    ebcdic_fallback: Option<String>,

    /// Guess from byte statistics if nothing else identifies the encoding
    #[arg(long, help_heading = DETECTION)]
    guess: bool,

    /// Kind of document
    #[arg(long = "as", value_name = "KIND", default_value = "auto", help_heading = DETECTION,
          value_parser = as_kind())]
    kind: AsKind,

    /// Content-Type of the input, as in `text/xml; charset=utf-8`
    #[arg(hide_short_help = true, long, value_name = "VALUE", help_heading = DETECTION)]
    content_type: Option<String>,

    /// Which label takes precedence
    #[arg(long, value_name = "NAME", default_value = "rfc7303", help_heading = DETECTION,
          value_parser = choice(policy_help))]
    policy: Policy,

    /// Bytes of HTML to search for a `meta` label [default: 1024]
    #[arg(hide_short_help = true, long, value_name = "BYTES", value_parser = prescan, help_heading = DETECTION)]
    prescan: Option<usize>,

    /// Treat every warning as an error
    #[arg(long, help_heading = ERRORS)]
    strict: bool,

    #[command(flatten)]
    pub(crate) operands: Operands,
}

/// The value of `--as`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum AsKind {
    #[default]
    Auto,
    Kind(#[allow(dead_code)] Kind),
    /// A raw HTTP response: its head's Content-Type says what the body is.
    Http,
}

fn as_kind() -> impl TypedValueParser<Value = AsKind> {
    let value = |name: &'static str, help| PossibleValue::new(name).help(help);
    let kinds = Kind::ALL.iter().map(move |kind| value(kind.name(), kind_help(*kind)));
    let values = [value("auto", KIND_AUTO)].into_iter().chain(kinds).chain([value("http", KIND_HTTP)]);
    PossibleValuesParser::new(values).map(|word| match &*word {
        "http" => AsKind::Http,
        word => word.parse().map_or(AsKind::Auto, AsKind::Kind),
    })
}

const KIND_HTTP: &str = "A raw HTTP response, as `curl -i` writes it; its body is converted, and its Content-Type is honoured. \
                         Bytes in messages count from the beginning of the body";

const KIND_AUTO: &str = "XML if it begins with `<?xml` in any encoding, or if the Content-Type says so; HTML if the \
                         Content-Type says so, if it begins like HTML, or under `--policy whatwg`; otherwise text";

fn kind_help(kind: Kind) -> &'static str {
    match kind {
        Kind::Xml => "An XML document or entity, regardless of how it begins",
        Kind::Html => "An HTML document; a `meta` may name its encoding",
        _ => "Plain text, without an encoding label",
    }
}

fn policy_help(policy: Policy) -> &'static str {
    match policy {
        Policy::Rfc7303 => "The current XML rules: byte order mark, then Content-Type, then declaration, then UTF-8",
        Policy::Rfc3023 => "The older XML rules: US-ASCII for text/xml without a charset",
        Policy::RomeStrict => "Like the feed reader ROME in strict mode",
        Policy::RomeLenient => "Like the feed reader ROME in lenient mode",
        Policy::Feedparser => "Like the Python feed reader feedparser",
        _ => "Like web browsers",
    }
}

fn prescan(text: &str) -> Result<usize, String> {
    let bytes = text.parse().ok().filter(|bytes| *bytes <= PRESCAN_LIMIT);
    bytes.ok_or_else(|| format!("expected a number of bytes from 0 to {PRESCAN_LIMIT}"))
}

impl Reading {
    /// Returns the defaults, with these values.
    pub(super) fn plain(from: Option<String>, files: Vec<OsString>) -> Self {
        Reading {
            from: from.unwrap_or_else(|| "auto".to_owned()),
            operands: Operands::plain(files),
            ..Reading::default()
        }
    }

    /// Whether the inputs are raw HTTP responses.
    pub(crate) fn is_http(&self) -> bool {
        self.kind == AsKind::Http
    }

    /// Whether the Content-Type was given, which then wins over that of a response.
    pub(crate) fn has_content_type(&self) -> bool {
        self.content_type.is_some()
    }
}
