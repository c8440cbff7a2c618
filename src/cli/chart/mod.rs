//! `charpipe chart`: a code page to look at, or where two of them differ.
//!
//! ```text
//! codec ─ data.rs ─ layout.rs ─ text
//!         decoded      └─ glyph.rs
//!                 └ json.rs ─── JSON
//! ```

mod data;
mod glyph;
mod json;
mod layout;

use super::Status;
use super::args::Chart;
use super::output;
use super::words::{harmless, printable, say};
use crate::codec::Codec;
use crate::registry::Registry;
use data::ChartData;
use std::sync::Arc;

/// Runs it.
pub(super) fn run(args: &Chart) -> Status {
    let registry = match args.tables.registry() {
        Ok(registry) => registry,
        Err(status) => return status,
    };
    let text = match page(args, &registry) {
        Ok(text) => text,
        Err(words) => {
            say(words);
            return Status::Usage;
        }
    };
    output::print(&text)
}

/// What is printed, or what is wrong with the arguments.
fn page(args: &Chart, registry: &Registry) -> Result<String, String> {
    let codec = code_page(registry, "CODEC", &args.codec)?;
    let lead = args.lead.as_deref().unwrap_or_default();
    if let Some(label) = &args.other {
        let other = code_page(registry, "OTHER", label)?;
        let names = [shown_as(&*codec, &args.codec), shown_as(&*other, label)];
        let found = data::differences(&*codec, &*other, lead);
        return Ok(match args.json {
            true => json::differences(names, lead, &found),
            false => harmless(&layout::differences(names, &found)),
        });
    }
    match ChartData::new(&*codec, registry, lead) {
        Some(mut data) => {
            data.name = shown_as(&*codec, &args.codec);
            Ok(if args.json { json::chart(&data) } else { harmless(&layout::chart(&data)) })
        }
        None => Err(format!("--lead: {} has nothing behind {}", codec.name(), crate::error::Hex(lead))),
    }
}

/// The codec that `label` names, where it is one that has charts.
fn code_page(registry: &Registry, operand: &str, label: &str) -> Result<Arc<dyn Codec>, String> {
    let codec = registry.codec(label).map_err(|error| format!("{operand}: {}", printable(&error.to_string())))?;
    if data::is_unicode(&*codec) {
        return Err(format!("{operand}: {} is a form of Unicode, not a code page; it has no chart", codec.name()));
    }
    Ok(codec)
}

/// What to call a codec: by its name, which a newline surface is no part of, or by the label that has one.
fn shown_as<'a>(codec: &'a dyn Codec, label: &'a str) -> &'a str {
    if codec.newline().is_some() { label } else { codec.name() }
}
