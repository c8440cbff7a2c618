//! Reads the vector files of `spec/`; `spec/README.md` describes the format. Cells are separated by tabs, the first
//! line names the columns, and lines that begin with `#` are comments.
//!
//! The unit tests of `src/detect/` include this file too, so it uses nothing but the standard library.

#![allow(dead_code)] // Each test uses its part.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::Index;
use std::path::Path;

/// A row, by the names of the columns.
#[derive(Debug)]
pub struct Row(HashMap<String, String>);

impl Row {
    /// Returns a cell as it is written in the file; `None` if it is `-`. Panics if there is no such column.
    pub fn get(&self, column: &str) -> Option<&str> {
        Some(&self[column]).filter(|cell| *cell != "-")
    }

    /// Returns a cell with its escapes (`\n`, `\u{85}`, …) undone; `None` if it is `-`.
    pub fn text(&self, column: &str) -> Option<String> {
        self.get(column).map(unescape)
    }

    /// Returns the bytes of a cell in hexadecimal; none if it is `-`.
    pub fn bytes(&self, column: &str) -> Vec<u8> {
        unhex(self.get(column).unwrap_or(""))
    }
}

/// A cell as it is written in the file, even if that is `-`.
impl Index<&str> for Row {
    type Output = str;

    fn index(&self, column: &str) -> &str {
        self.0.get(column).unwrap_or_else(|| panic!("no column {column}"))
    }
}

/// Returns all rows of a file of `spec/`. Panics if a row has a cell too few or too many, or if an `id` occurs twice.
pub fn rows(file: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let header: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), header.len(), "{file}: {line}");
        Row(header.iter().zip(cells).map(|(name, cell)| (name.to_string(), cell.to_string())).collect())
    };
    let rows: Vec<Row> = lines.map(row).collect();
    if header.contains(&"id") {
        let mut ids = HashSet::new();
        for row in &rows {
            assert!(ids.insert(&row["id"]), "{file}: {} occurs twice", &row["id"]);
        }
    }
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

/// Returns the bytes that hexadecimal digits stand for, with or without spaces between the bytes.
pub fn unhex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.chars().filter(|ch| *ch != ' ').map(|ch| ch.to_digit(16).unwrap() as u8).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte: {digits:X?}");
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Returns bytes as hexadecimal digits, without spaces.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Returns the code points of a text in hexadecimal, separated by `+`.
pub fn code_points(text: &str) -> String {
    text.chars().map(|ch| format!("{:04X}", ch as u32)).collect::<Vec<_>>().join("+")
}

/// Returns whether a row of `labels.tsv` is a name that only people use, as a document may not use it.
pub fn is_typed(row: &Row) -> bool {
    const PROGRAMS: &[&str] =
        &["emacs", "git", "mysql", "notepad++", "oracle", "people", "postgresql", "powershell", "sap", "vim", "vscode"];
    row["users"].split(',').any(|user| PROGRAMS.contains(&user))
}
