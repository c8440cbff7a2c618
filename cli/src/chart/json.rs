//! The objects of `chart --json`. Every key is always present, and null if there is no value. Other programs rely on the
//! keys: none is ever renamed or left out.

use super::data::{Cell, ChartData, Difference, Differences, Text};
use super::layout::code_points;
use crate::messages::json::line;
use charpipe::Hex;
use serde::Serialize;
use std::borrow::Cow;

#[derive(Serialize)]
struct ChartObject<'a> {
    codec: &'a str,
    aliases: &'a [Cow<'a, str>],
    source: Option<&'a str>,
    /// The bytes before the charted one.
    lead: Option<String>,
    /// The code that shifts to the set of the charted byte.
    shift: Option<String>,
    chart: Vec<CellObject<'a>>,
    /// The lead bytes.
    leads: Vec<LeadObject>,
    /// Shift codes among the charted bytes.
    shifts: Vec<String>,
}

#[derive(Serialize)]
struct CellObject<'a> {
    /// Including the bytes before the charted one, without shift codes.
    bytes: String,
    #[serde(flatten)]
    text: TextObject<'a>,
}

#[derive(Serialize)]
struct TextObject<'a> {
    code_points: String,
    text: &'a str,
    one_way: bool,
}

#[derive(Serialize)]
struct LeadObject {
    bytes: String,
    shift: Option<String>,
    characters: usize,
    longer: bool,
}

#[derive(Serialize)]
struct DifferencesObject<'a> {
    codec: &'a str,
    other: &'a str,
    lead: Option<String>,
    differences: Vec<DifferenceObject<'a>>,
    /// There are characters with more bytes than were compared.
    more: bool,
}

#[derive(Serialize)]
struct DifferenceObject<'a> {
    bytes: String,
    codec: Option<TextObject<'a>>,
    other: Option<TextObject<'a>>,
}

/// Returns the chart on one line.
pub(crate) fn chart(data: &ChartData<'_>) -> String {
    let cells = || (0..=255u8).zip(&data.cells);
    let bytes = |byte| format!("{:X}", Hex(&[&*data.lead, &[byte]].concat()));
    let own = cells().filter_map(|(byte, cell)| match cell {
        Cell::Lead(lead) => Some((&*data.shift, bytes(byte), *lead)),
        _ => None,
    });
    let shifted = data.shifted.iter().flat_map(|set| {
        (0..=255u8)
            .zip(&set.leads)
            .filter_map(|(byte, lead)| Some((&*set.shift, format!("{:X}", Hex(&[byte])), (*lead)?)))
    });
    line(&ChartObject {
        codec: &data.name,
        aliases: &data.aliases,
        source: data.source.as_deref(),
        lead: some(&data.lead),
        shift: some(&data.shift),
        chart: cells()
            .filter_map(|(byte, cell)| match cell {
                Cell::Text(text) => Some(CellObject { bytes: bytes(byte), text: TextObject::of(text) }),
                _ => None,
            })
            .collect(),
        leads: own
            .chain(shifted)
            .map(|(shift, bytes, lead)| LeadObject {
                bytes,
                shift: some(shift),
                characters: lead.characters,
                longer: lead.longer,
            })
            .collect(),
        shifts: cells().filter(|(_, cell)| **cell == Cell::Shift).map(|(byte, _)| bytes(byte)).collect(),
    })
}

/// Returns the differences on one line.
pub(crate) fn differences([codec, other]: [&str; 2], lead: &[u8], all: &Differences) -> String {
    let differences = all.found.iter().map(|Difference { bytes, texts: [codec, other] }| DifferenceObject {
        bytes: format!("{:X}", Hex(bytes)),
        codec: codec.as_ref().map(TextObject::of),
        other: other.as_ref().map(TextObject::of),
    });
    line(&DifferencesObject { codec, other, lead: some(lead), differences: differences.collect(), more: all.more })
}

fn some(bytes: &[u8]) -> Option<String> {
    (!bytes.is_empty()).then(|| format!("{:X}", Hex(bytes)))
}

impl<'a> TextObject<'a> {
    fn of(text: &'a Text) -> Self {
        TextObject { code_points: code_points(&text.text), text: &text.text, one_way: text.one_way }
    }
}
