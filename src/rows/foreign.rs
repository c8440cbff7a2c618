//! Layouts of other programs, as JSON: those of AWS's mainframe-data-utilities, and those of ebcdic-parser, which docling
//! reads as well.
//!
//! | program | here |
//! |---|---|
//! | mainframe-data-utilities | `transf` is a list of fields; `transf_rule` chooses another list by bytes of the record |
//! | ebcdic-parser | `layouts` are lists of fields; the key field with `layouttype` chooses one. Parts of varying length, headers and footers are refused |

use crate::fields::{BadLayout, Binary, ByteOrder, FieldKind, Item, Layout, Packed, Test, When, Zoned};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Levels of groups, and of fields in them.
const GROUP: u8 = 5;
const FIELD: u8 = 10;

/// A field in either format.
#[derive(Deserialize)]
struct Field {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// In bytes.
    #[serde(alias = "bytes")]
    size: usize,
    /// The number of decimal places.
    #[serde(alias = "dplaces", default)]
    scale: i8,
    /// From 0; after the field before it if it is not given.
    offset: Option<usize>,
    keytype: Option<String>,
}

/// A rule of mainframe-data-utilities: the bytes of a record to which a list of fields applies.
#[derive(Deserialize)]
struct TransfRule {
    offset: usize,
    hex: String,
    transf: String,
}

/// A record type of ebcdic-parser.
#[derive(Deserialize)]
struct RecordType {
    #[serde(default)]
    layouttype: String,
    layouttypeconditional: Option<Value>,
    #[serde(default)]
    layout: Vec<Field>,
    #[serde(default)]
    layoutvariable: Vec<Value>,
}

/// Reads a layout.
pub(super) fn read(file: &[u8]) -> Result<Layout, BadLayout> {
    let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    let object: Map<String, Value> = serde_json::from_slice(file).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default().to_owned();
        BadLayout::at(error.line(), error.column(), what)
    })?;
    match (object.get("transf"), object.get("layouts")) {
        (Some(_), _) => transf(&object),
        (_, Some(_)) => layouts(&object),
        _ => Err(BadLayout::at(
            1,
            0,
            "there is neither \"transf\" nor \"layouts\"; expected a layout of mainframe-data-utilities or ebcdic-parser",
        )),
    }
}

fn bad(what: impl Into<String>) -> BadLayout {
    BadLayout::at(0, 0, what)
}

/// Returns the member `key`, or nothing if it is not there.
fn member<T: for<'de> Deserialize<'de> + Default>(object: &Map<String, Value>, key: &str) -> Result<T, BadLayout> {
    let Some(value) = object.get(key) else { return Ok(T::default()) };
    T::deserialize(value).map_err(|error| bad(format!("{key:?}: {error}")))
}

/// Reads a layout of mainframe-data-utilities.
fn transf(object: &Map<String, Value>) -> Result<Layout, BadLayout> {
    let rules: Vec<TransfRule> = member(object, "transf_rule")?;
    let fields: Vec<Field> = member(object, "transf")?;
    let mut items = Vec::new();
    if rules.is_empty() {
        put_fields(&mut items, &fields, mdu_kind)?;
        return Layout::new(items);
    }
    // The first list applies if no rule does.
    items.push(Item::group(GROUP, "transf").applying(When::OTHERWISE));
    put_fields(&mut items, &fields, mdu_kind)?;
    for rule in &rules {
        let bytes = unhex(&rule.hex).ok_or_else(|| bad(format!("the rule {:?} is not hex", rule.hex)))?;
        let test = Test::Bytes { offset: rule.offset, values: vec![bytes] };
        items.push(Item::group(GROUP, &*rule.transf).redefining("transf").applying(When::new(vec![test])));
        put_fields(&mut items, &member::<Vec<Field>>(object, &rule.transf)?, mdu_kind)?;
    }
    Layout::new(items)
}

fn mdu_kind(field: &Field) -> Option<FieldKind> {
    let (digits, scale) = (u8::try_from(field.size).ok()?, field.scale);
    let binary = |signed| FieldKind::Binary(Binary { len: digits, signed, scale, order: ByteOrder::Big, digits: None });
    let halves = digits.checked_mul(2).and_then(|halves| halves.checked_sub(1));
    Some(match &*field.kind {
        "zd" => FieldKind::Zoned(Zoned::unsigned(digits, scale)),
        "zd+" => FieldKind::Zoned(Zoned::new(digits, scale)),
        "bi" => binary(false),
        "bi+" => binary(true),
        "pd" => FieldKind::Packed(Packed::unsigned(halves?, scale)),
        "pd+" => FieldKind::Packed(Packed::new(halves?, scale)),
        _ => return None,
    })
}

/// Reads a layout of ebcdic-parser.
fn layouts(object: &Map<String, Value>) -> Result<Layout, BadLayout> {
    for key in ["header", "footer"] {
        if object.get(key).and_then(Value::as_array).is_some_and(|parts| !parts.is_empty()) {
            return Err(bad(format!("there is a {key:?}; remove these bytes from the file and from the layout first")));
        }
    }
    let types: Vec<RecordType> = member(object, "layouts")?;
    let keys: Vec<Field> = member(object, "keyfields")?;
    let varies = keys
        .iter()
        .chain(types.iter().flat_map(|one| &one.layout))
        .find(|field| field.keytype.as_deref().is_some_and(|keytype| keytype != "layouttype"));
    let is_conditional = types.iter().any(|one| one.layouttypeconditional.is_some() || !one.layoutvariable.is_empty());
    if varies.is_some() || is_conditional {
        return Err(bad(
            "parts of varying length and conditional types cannot be read; write a copybook or a field list",
        ));
    }
    let mut items = Vec::new();
    put_fields(&mut items, &keys, parser_kind)?;
    if let ([one], None) = (&types[..], key_of(&keys)) {
        put_fields(&mut items, &one.layout, parser_kind)?;
        return Layout::new(items);
    }
    let key = key_of(&keys).ok_or_else(|| bad("there are several layouts, but no key field of the type layouttype"))?;
    // The fields of the key are not a group.
    items.iter_mut().for_each(|item| item.level = GROUP);
    let first = types.first().map(|one| format!("layout-{}", one.layouttype)).unwrap_or_default();
    for (index, one) in types.iter().enumerate() {
        let group =
            Item::group(GROUP, format!("layout-{}", one.layouttype)).applying(When::field(key, &*one.layouttype));
        items.push(if index == 0 { group } else { group.redefining(&*first) });
        put_fields(&mut items, &one.layout, parser_kind)?;
    }
    Layout::new(items)
}

fn key_of(keys: &[Field]) -> Option<&str> {
    keys.iter().find(|field| field.keytype.as_deref() == Some("layouttype")).map(|field| &*field.name)
}

fn parser_kind(field: &Field) -> Option<FieldKind> {
    let (size, scale) = (u8::try_from(field.size).ok()?, field.scale);
    let halves = size.checked_mul(2).and_then(|halves| halves.checked_sub(1));
    Some(match &*field.kind {
        "packedDecimal" => FieldKind::Packed(Packed::new(halves?, scale)),
        "integer" => FieldKind::Binary(Binary { scale, ..Binary::native(size) }),
        "decimal" => FieldKind::Zoned(Zoned::new(size, scale)),
        _ => return None,
    })
}

/// Adds fields. `kind` returns the kinds of numbers of the format.
fn put_fields(items: &mut Vec<Item>, fields: &[Field], kind: fn(&Field) -> Option<FieldKind>) -> Result<(), BadLayout> {
    for field in fields {
        let kind = match &*field.kind {
            "ch" | "string" => FieldKind::text(field.size),
            "skip" => FieldKind::Raw(field.size),
            _ => kind(field).ok_or_else(|| {
                bad(format!(
                    "field {}: {:?} with {} bytes is not a type of this format",
                    field.name, field.kind, field.size
                ))
            })?,
        };
        let is_filler = field.kind == "skip" || field.name.to_uppercase().starts_with("FILLER");
        let item = match is_filler {
            true => Item::filler(FIELD, Some(kind)),
            false => Item::field(FIELD, field.name.replace(['.', '[', ']'], "_"), kind),
        };
        items.push(match field.offset {
            Some(offset) => item.at(offset),
            None => item,
        });
    }
    Ok(())
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.chars().map(|ch| ch.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    let is_whole = pairs.remainder().is_empty() && !digits.is_empty();
    is_whole.then(|| pairs.map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_rules_of_mainframe_data_utilities() {
        let layout = read(
            br#"{"input": "x", "transf_rule": [{"offset": 1, "size": 1, "hex": "F2", "transf": "transf1"}],
                "transf": [{"type": "bi", "bytes": 1, "offset": 0, "dplaces": 0, "name": "ID"},
                           {"type": "pd+", "bytes": 3, "offset": 1, "dplaces": 2, "name": "SUM"}],
                "transf1": [{"type": "ch", "bytes": 4, "offset": 0, "name": "NOTE"}]}"#,
        )
        .unwrap();
        let shown: Vec<String> =
            layout.types().map(|item| layout.items()[item].when.as_ref().unwrap().to_string()).collect();
        assert_eq!(shown, ["otherwise", "2=F2"]);
        assert_eq!((layout.max_len(), layout.offset(layout.find("SUM").unwrap())), (4, Some(1)));
    }

    #[test]
    fn layouts_of_ebcdic_parser() {
        let one = br#"{"description": "x", "layouts": [{"layouttype": "main", "layout": [
            {"name": "a", "type": "string", "size": 5}, {"name": "b", "type": "packedDecimal", "size": 4, "scale": 2},
            {"name": "c", "type": "skip", "size": 1}]}]}"#;
        let layout = read(one).unwrap();
        assert_eq!((layout.max_len(), layout.items().len()), (10, 3));
        let several = br#"{"keyfields": [{"keytype": "layouttype", "name": "kind", "type": "string", "size": 1}],
            "layouts": [{"layouttype": "A", "layout": [{"name": "x", "type": "integer", "size": 4}]},
                        {"layouttype": "B", "layout": [{"name": "y", "type": "decimal", "size": 4}]}]}"#;
        let layout = read(several).unwrap();
        assert_eq!((layout.max_len(), layout.types().count()), (5, 2));
        assert_eq!(layout.path(layout.find("y").unwrap()), "layout-B.y");
        let error = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        assert!(error("{\"header\": [{\"size\": 1}], \"layouts\": []}").starts_with("there is a \"header\""));
        let what = "there is neither \"transf\" nor \"layouts\"; expected a layout of mainframe-data-utilities or \
                    ebcdic-parser";
        assert_eq!(error("{}"), format!("line 1: {what}"));
        assert_eq!(error("{\n"), "line 2: EOF while parsing an object");
    }
}
