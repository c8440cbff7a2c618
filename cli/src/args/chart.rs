//! The options of `charpipe chart`.

use crate::args::color::ColorArgs;
use crate::args::tables::Tables;
use clap::Args;
use clap::builder::ValueHint;
use std::path::PathBuf;
use std::sync::Arc;

/// Print the chart of a code page, or the differences between two
///
/// Charts have IBM's layout: the column is the high half of a byte, and the row is its low half.
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe chart [OPTIONS] CODEC [OTHER]")]
pub(crate) struct Chart {
    /// Code page to print
    #[arg(value_name = "CODEC")]
    pub(crate) codec: String,

    /// Code page to compare it with
    #[arg(value_name = "OTHER")]
    pub(crate) other: Option<String>,

    /// Show only codes that begin with the byte or bytes HEX: `42`
    #[arg(long, value_name = "HEX", value_parser = hex_bytes)]
    pub(crate) lead: Option<HexBytes>,

    /// Print a line of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Print an HTML page for a browser, which also prints well on A4
    #[arg(long, conflicts_with = "json")]
    pub(crate) html: bool,

    /// Print an SVG picture
    #[arg(long, conflicts_with_all = ["json", "html"])]
    pub(crate) svg: bool,

    /// Write to PATH instead of standard output
    ///
    /// An existing file is replaced only once the new one is complete.
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: Tables,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// The value of `--lead`. An `Arc`, as clap takes a `Vec` for an option that may be repeated.
type HexBytes = Arc<[u8]>;

fn hex_bytes(text: &str) -> Result<HexBytes, &'static str> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_hex || !(2..=6).contains(&text.len()) {
        return Err("expected one to three bytes of two hex digits each");
    }
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| "expected hex digits");
    (0..text.len()).step_by(2).map(byte).collect()
}
