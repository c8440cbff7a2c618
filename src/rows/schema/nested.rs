//! Schemas in which groups are objects and `OCCURS` are arrays, as in lines of JSON.

use super::ColumnType;
use crate::error::Error;
use crate::rows::error::contradicts;
use crate::rows::{AddedColumn, KeyColumn, Rows, RowsError};
use std::collections::HashSet;
use std::fmt::Write as _;

/// A member of an object: its name, what it contains, and where that comes from.
pub(in crate::rows) struct Member {
    pub(super) name: String,
    pub(in crate::rows) value: Value,
    pub(in crate::rows) source: Source,
}

/// Where the values of a member come from.
#[derive(Clone, Copy)]
pub(in crate::rows) enum Source {
    /// An item of the layout.
    Item(usize),
    Added(AddedColumn),
    /// The first key column of this name.
    Key(usize),
    /// It is a part of an error.
    Error,
}

impl Member {
    fn leaf(name: &str, column: ColumnType, source: Source) -> Member {
        Member { name: name.to_owned(), value: Value::Leaf(column), source }
    }

    fn added(rows: &Rows, column: AddedColumn) -> Member {
        let mut member = Member::leaf(column.column(), rows.added_type(column), Source::Added(column));
        if column == AddedColumn::Errors {
            let text = ColumnType::Text { most: None };
            let mut error = ["field", "code", "message"]
                .map(|name| Member::leaf(name, text, Source::Error))
                .into_iter()
                .collect::<Vec<_>>();
            error.push(Member::leaf("bytes", ColumnType::Bytes { most: None }, Source::Error));
            member.value = Value::Array(Box::new(Value::Object(member.name.clone(), error)), None);
        }
        member
    }
}

/// The content of a member or an element.
pub(in crate::rows) enum Value {
    Leaf(ColumnType),
    /// A group, with its path.
    Object(String, Vec<Member>),
    /// An array, of at most this many elements if there is a limit.
    Array(Box<Value>, Option<usize>),
}

/// Returns the members of a row.
pub(in crate::rows) fn members(rows: &Rows) -> Vec<Member> {
    let added = |columns: Vec<AddedColumn>| columns.into_iter().map(|column| Member::added(rows, column)).collect();
    let [before, after]: [Vec<Member>; 2] = rows.around().map(added);
    let mut all = before;
    rows.key_columns().iter().enumerate().for_each(|(index, key)| put_key(&mut all, index, key));
    put_members(rows, None, &mut all);
    all.extend(after);
    all
}

/// Adds a key. If each record type has a separate output, several keys can have the same name.
fn put_key(all: &mut Vec<Member>, index: usize, key: &KeyColumn) {
    match all.iter_mut().find(|member| member.name == key.name()) {
        Some(Member { value: Value::Leaf(column), .. }) => {
            *column = column.union(key.column_type()).unwrap_or(ColumnType::Text { most: None });
        }
        _ => all.push(Member::leaf(key.name(), key.column_type(), Source::Key(index))),
    }
}

fn put_members(rows: &Rows, group: Option<usize>, all: &mut Vec<Member>) {
    let layout = rows.layout();
    for item in layout.children(group).filter(|item| rows.is_selected(*item)) {
        let is_field = layout.items()[item].kind.is_some();
        match rows.key(item) {
            Some(name) => {
                all.push(Member { name: name.into_owned(), value: value(rows, item), source: Source::Item(item) });
            }
            // The items of a group without a name belong to the group around it.
            None if !is_field => put_members(rows, Some(item), all),
            None => {}
        }
    }
}

fn value(rows: &Rows, item: usize) -> Value {
    let described = &rows.layout().items()[item];
    let one = match described.kind {
        Some(_) => Value::Leaf(rows.column_type(item)),
        None => {
            let mut members = Vec::new();
            put_members(rows, Some(item), &mut members);
            Value::Object(rows.layout().path(item).to_owned(), members)
        }
    };
    match &described.occurs {
        Some(occurs) => Value::Array(Box::new(one), Some(occurs.max)),
        None => one,
    }
}

/// Appends `text` as a string of JSON. Names of fields have no control characters, but a layout can come from code.
fn put_string(out: &mut String, text: &str) {
    out.push('"');
    for ch in text.chars() {
        match ch {
            '"' | '\\' => out.extend(['\\', ch]),
            ch if ch < ' ' => _ = write!(out, "\\u{:04x}", ch as u32),
            ch => out.push(ch),
        }
    }
    out.push('"');
}

/// Appends members with commas between them.
fn put_list(out: &mut String, members: &[Member], mut put: impl FnMut(&mut String, &Member)) {
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        put(out, member);
    }
}

// --- JSON Schema ------------------------------------------------------------------------------------------------------

/// Returns the schema of a line of JSON.
pub(super) fn json_schema(rows: &Rows) -> String {
    let mut out = String::from(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"#);
    put_string(&mut out, rows.layout().name().unwrap_or("rows"));
    out.push_str(r#","type":"object","properties":{"#);
    put_properties(&mut out, &members(rows));
    out.push_str("}}\n");
    out
}

fn put_properties(out: &mut String, members: &[Member]) {
    put_list(out, members, |out, member| {
        put_string(out, &member.name);
        out.push(':');
        put_json_value(out, &member.value);
    });
}

fn put_json_value(out: &mut String, value: &Value) {
    match value {
        Value::Leaf(ColumnType::Text { most: Some(most) }) => {
            _ = write!(out, r#"{{"type":["string","null"],"maxLength":{most}}}"#);
        }
        Value::Leaf(ColumnType::Bytes { most }) => {
            let max = most.map(|most| format!(r#","maxLength":{}"#, 2 * most)).unwrap_or_default();
            _ = write!(out, r#"{{"type":["string","null"],"pattern":"^([0-9A-F]{{2}})*$"{max}}}"#);
        }
        Value::Leaf(column) => out.push_str(match column {
            ColumnType::Int32 | ColumnType::Int64 | ColumnType::Decimal { scale: 0, .. } => {
                r#"{"type":["integer","null"]}"#
            }
            ColumnType::Decimal { .. } => r#"{"type":["number","null"]}"#,
            // Infinity and what is not a number are strings.
            ColumnType::Single | ColumnType::Double => r#"{"type":["number","string","null"]}"#,
            ColumnType::Date => r#"{"type":["string","null"],"format":"date"}"#,
            _ => r#"{"type":["string","null"]}"#,
        }),
        Value::Object(_, members) => {
            out.push_str(r#"{"type":["object","null"],"properties":{"#);
            put_properties(out, members);
            out.push_str("}}");
        }
        Value::Array(element, most) => {
            let most = most.map(|most| format!(r#","maxItems":{most}"#)).unwrap_or_default();
            _ = write!(out, r#"{{"type":["array","null"]{most},"items":"#);
            put_json_value(out, element);
            out.push('}');
        }
    }
}

// --- Avro -------------------------------------------------------------------------------------------------------------

/// Returns a record of Avro.
pub(super) fn avro(rows: &Rows) -> Result<String, RowsError> {
    let mut out = String::new();
    put_record(&mut out, rows.layout().name().unwrap_or("rows"), &members(rows), &mut HashSet::new())?;
    out.push('\n');
    Ok(out)
}

/// Returns a name with the characters that names of Avro can have.
fn avro_name(name: &str) -> String {
    let digit = if name.starts_with(|ch: char| ch.is_ascii_digit()) { "_" } else { "" };
    digit.to_owned() + &name.replace(|ch: char| !ch.is_ascii_alphanumeric(), "_")
}

/// Appends a record. `taken`: the names of the records so far, each of which Avro defines once.
fn put_record(out: &mut String, path: &str, members: &[Member], taken: &mut HashSet<String>) -> Result<(), Error> {
    let mut name = avro_name(path);
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    _ = write!(out, r#"{{"type":"record","name":"{name}","fields":["#);
    let mut names = HashSet::new();
    let mut failed = None;
    put_list(out, members, |out, member| {
        let name = avro_name(&member.name);
        _ = write!(out, r#"{{"name":"{name}","type":["null","#);
        if !names.insert(name.clone()) {
            let why = format!("two fields would have the name {name}; names of Avro have no hyphens");
            failed.get_or_insert(contradicts("schema", why));
        }
        if let Err(error) = put_avro_value(out, &member.value, taken) {
            failed.get_or_insert(error);
        }
        out.push_str(r#"],"default":null}"#);
    });
    out.push_str("]}");
    failed.map_or(Ok(()), Err)
}

fn put_avro_value(out: &mut String, value: &Value, taken: &mut HashSet<String>) -> Result<(), Error> {
    match value {
        Value::Leaf(ColumnType::Decimal { precision, scale }) => {
            _ = write!(out, r#"{{"type":"bytes","logicalType":"decimal","precision":{precision},"scale":{scale}}}"#);
        }
        Value::Leaf(column) => out.push_str(match column {
            ColumnType::Int32 => r#""int""#,
            ColumnType::Int64 => r#""long""#,
            ColumnType::Single => r#""float""#,
            ColumnType::Double => r#""double""#,
            ColumnType::Date => r#"{"type":"int","logicalType":"date"}"#,
            ColumnType::Timestamp => r#"{"type":"long","logicalType":"local-timestamp-micros"}"#,
            ColumnType::Bytes { .. } => r#""bytes""#,
            _ => r#""string""#,
        }),
        Value::Object(path, members) => put_record(out, path, members, taken)?,
        Value::Array(element, _) => {
            out.push_str(r#"{"type":"array","items":["null","#);
            put_avro_value(out, element, taken)?;
            out.push_str("]}");
        }
    }
    Ok(())
}

// --- Spark ------------------------------------------------------------------------------------------------------------

/// Returns a `StructType` of Spark, which `StructType.fromJson` reads.
pub(super) fn spark(rows: &Rows) -> String {
    let mut out = String::new();
    put_struct(&mut out, &members(rows));
    out.push('\n');
    out
}

fn put_struct(out: &mut String, members: &[Member]) {
    out.push_str(r#"{"type":"struct","fields":["#);
    put_list(out, members, |out, member| {
        out.push_str(r#"{"name":"#);
        put_string(out, &member.name);
        out.push_str(r#","type":"#);
        put_spark_value(out, &member.value);
        out.push_str(r#","nullable":true,"metadata":{}}"#);
    });
    out.push_str("]}");
}

fn put_spark_value(out: &mut String, value: &Value) {
    match value {
        Value::Leaf(ColumnType::Decimal { precision, scale }) => _ = write!(out, r#""decimal({precision},{scale})""#),
        Value::Leaf(column) => out.push_str(match column {
            ColumnType::Int32 => r#""integer""#,
            ColumnType::Int64 => r#""long""#,
            ColumnType::Single => r#""float""#,
            ColumnType::Double => r#""double""#,
            ColumnType::Date => r#""date""#,
            ColumnType::Timestamp => r#""timestamp_ntz""#,
            ColumnType::Bytes { .. } => r#""binary""#,
            _ => r#""string""#,
        }),
        Value::Object(_, members) => put_struct(out, members),
        Value::Array(element, _) => {
            out.push_str(r#"{"type":"array","elementType":"#);
            put_spark_value(out, element);
            out.push_str(r#","containsNull":true}"#);
        }
    }
}
