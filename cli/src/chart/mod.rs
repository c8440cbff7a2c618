//! `charpipe chart`: draws a code page, or shows where two of them differ.
//!
//! ```text
//! codec ─ data.rs ┬ layout.rs ─ text
//!         decoded  ├ sheet.rs ┬ html.rs
//!                  │          └ svg.rs
//!                  └ json.rs ─ JSON
//! ```
//!
//! `glyph.rs` chooses what is shown for a character.

mod data;
mod glyph;
mod html;
mod json;
mod layout;
mod sheet;
mod svg;

use crate::args::Chart;
use crate::escape::{harmless, printable};
use crate::files::read_files::ReadFiles;
use crate::messages::{color, say};
use crate::print;
use crate::status::Status;
use charpipe::Hex;
use charpipe::Registry;
use charpipe::codec::Codec;
use data::ChartData;
use sheet::Sheet;
use std::sync::Arc;

/// Runs the command.
pub(crate) fn run(args: &Chart) -> Status {
    let text = args.tables.registry().and_then(|registry| {
        page(args, &registry).map_err(|message| {
            say(message);
            Status::Usage
        })
    });
    match (text, &args.output) {
        (Ok(text), Some(path)) => {
            let read = ReadFiles::new(args.tables.paths().map(|path| ("--codec-file", path)));
            print::to_path(path, &read, &text)
        }
        (Ok(text), None) => print::to_stdout(&text),
        (Err(status), _) => status,
    }
}

/// Returns what is printed, or an error in the arguments.
fn page(args: &Chart, registry: &Registry) -> Result<String, String> {
    let codec = code_page(registry, "CODEC", &args.codec)?;
    let lead = args.lead.as_deref().unwrap_or_default();
    let colored = args.output.is_none() && color::on_stdout();
    if let Some(label) = &args.other {
        let other = code_page(registry, "OTHER", label)?;
        let names = [shown_as(&*codec, &args.codec), shown_as(&*other, label)];
        let found = data::differences(&*codec, &*other, lead);
        if args.json {
            return Ok(json::differences(names, lead, &found));
        }
        let shown = names.map(harmless);
        let names = shown.each_ref().map(|name| &**name);
        if !(args.html || args.svg) {
            return Ok(layout::differences(names, &found, colored));
        }
        let charts = [&codec, &other].map(|codec| ChartData::new(&**codec, registry, lead));
        return Ok(draw(args, &sheet::differences(names, lead, &charts, &found)));
    }
    let Some(mut data) = ChartData::new(&*codec, registry, lead) else {
        return Err(format!("--lead: {} has no characters that begin with {}", codec.name(), Hex(lead)));
    };
    data.name = shown_as(&*codec, &args.codec).into();
    if args.json {
        return Ok(json::chart(&data));
    }
    data.make_harmless();
    Ok(if args.html || args.svg { draw(args, &sheet::chart(&data)) } else { layout::chart(&data, colored) })
}

fn draw(args: &Chart, sheet: &Sheet) -> String {
    if args.svg { svg::draw(sheet) } else { html::draw(sheet) }
}

/// Returns the codec that `label` names. Fails for forms of Unicode, which have no chart.
fn code_page(registry: &Registry, operand: &str, label: &str) -> Result<Arc<dyn Codec>, String> {
    let codec = registry.codec(label).map_err(|error| format!("{operand}: {}", printable(&error.to_string())))?;
    if data::is_unicode(&*codec) {
        return Err(format!("{operand}: {} is a form of Unicode, not a code page; it has no chart", codec.name()));
    }
    Ok(codec)
}

/// Returns the name of a codec for the chart: the label if it chooses a mapping of newlines, which is not part of the name.
fn shown_as<'a>(codec: &'a dyn Codec, label: &'a str) -> &'a str {
    if codec.info().newline.is_some() { label } else { codec.name() }
}
