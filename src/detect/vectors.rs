//! Reads the test vectors in `spec/` for items that are not public: rows by column name, with the escapes in their text
//! decoded. `spec/README.md` describes the format. `tests/it/conformance.rs` runs the public API against its vectors.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A row by column name; `-` is `None`.
pub(super) struct Row(HashMap<String, String>);

impl Row {
    /// Returns the contents of a column with escapes decoded.
    pub(super) fn get(&self, column: &str) -> Option<String> {
        let value = self.0.get(column).unwrap_or_else(|| panic!("no column {column}"));
        (value != "-").then(|| unescape(value))
    }
}

/// Returns all rows of a file of vectors.
pub(super) fn rows(file: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let header: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let rows: Vec<Row> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), header.len(), "{file}: {line}");
            Row(header.iter().zip(cells).map(|(key, value)| (key.to_string(), value.to_string())).collect())
        })
        .collect();
    let ids: HashMap<_, _> = rows.iter().map(|row| (row.get("id"), ())).collect();
    assert_eq!(ids.len(), rows.len(), "{file}: ids are unique");
    rows
}

fn unescape(text: &str) -> String {
    let mut result = String::new();
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        if ch != '\\' {
            result.push(ch);
            continue;
        }
        match chars.next().unwrap() {
            'n' => result.push('\n'),
            'r' => result.push('\r'),
            't' => result.push('\t'),
            '\\' => result.push('\\'),
            'u' => {
                let code: String = chars.by_ref().skip(1).take_while(|ch| *ch != '}').collect();
                result.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
            }
            other => panic!("\\{other}"),
        }
    }
    result
}
