//! `CREATE TABLE` for the rows of CSV.

use super::ColumnType;
use crate::fields::Column;
use crate::rows::{Rows, RowsError};
use std::fmt::Write as _;

/// The differences between databases.
pub(super) struct Dialect {
    /// The type of text of at most this many characters.
    text: fn(Option<usize>) -> String,
    int32: &'static str,
    int64: &'static str,
    /// The type of a decimal number, with its precision and scale.
    decimal: fn(u8, u8) -> String,
    single: &'static str,
    double: &'static str,
    date: &'static str,
    timestamp: &'static str,
}

pub(super) const DUCKDB: Dialect = Dialect {
    text: |_| "VARCHAR".to_owned(),
    int32: "INTEGER",
    int64: "BIGINT",
    decimal: |precision, scale| format!("DECIMAL({precision},{scale})"),
    single: "FLOAT",
    double: "DOUBLE",
    date: "DATE",
    timestamp: "TIMESTAMP",
};

pub(super) const POSTGRESQL: Dialect = Dialect {
    text: |_| "text".to_owned(),
    int32: "integer",
    int64: "bigint",
    decimal: |precision, scale| format!("numeric({precision},{scale})"),
    single: "real",
    double: "double precision",
    date: "date",
    timestamp: "timestamp",
};

pub(super) const DB2: Dialect = Dialect {
    text: |most| match most {
        // The limit of a VARCHAR is 32672 bytes, and a character has up to four.
        Some(most @ ..=8168) => format!("VARCHAR({most} CODEUNITS32)"),
        _ => "CLOB".to_owned(),
    },
    int32: "INTEGER",
    int64: "BIGINT",
    decimal: |precision, scale| match precision {
        ..=31 => format!("DECIMAL({precision},{scale})"),
        32..=34 => "DECFLOAT(34)".to_owned(),
        // No number of Db2 has as many digits. The others are a sign and a point.
        _ => format!("VARCHAR({})", precision + 2),
    },
    single: "REAL",
    double: "DOUBLE",
    date: "DATE",
    timestamp: "TIMESTAMP",
};

pub(super) const SQLITE: Dialect = Dialect {
    text: |_| "TEXT".to_owned(),
    int32: "INTEGER",
    int64: "INTEGER",
    // What is not an integer of 64 bits would be rounded.
    decimal: |precision, scale| if scale == 0 && precision <= 18 { "INTEGER" } else { "TEXT" }.to_owned(),
    single: "REAL",
    double: "REAL",
    date: "TEXT",
    timestamp: "TEXT",
};

impl Dialect {
    fn name_of(&self, column: ColumnType) -> String {
        match column {
            ColumnType::Text { most } => (self.text)(most),
            ColumnType::Int32 => self.int32.to_owned(),
            ColumnType::Int64 => self.int64.to_owned(),
            ColumnType::Decimal { precision, scale } => (self.decimal)(precision, scale),
            ColumnType::Single => self.single.to_owned(),
            ColumnType::Double => self.double.to_owned(),
            ColumnType::Date => self.date.to_owned(),
            ColumnType::Timestamp => self.timestamp.to_owned(),
            ColumnType::Bytes { most } => (self.text)(most.map(|most| 2 * most)),
        }
    }
}

/// Returns the tables, one after the other.
pub(super) fn schema(rows: &Rows, dialect: &Dialect) -> Result<String, RowsError> {
    let columns = rows.columns()?;
    let types: &[usize] = if rows.has_separate_types() { rows.record_types() } else { &[] };
    let mut sql = String::new();
    if types.is_empty() {
        put_table(&mut sql, rows, dialect, rows.layout().name().unwrap_or("rows"), None, &mut columns.iter());
    }
    for own in types {
        let is_other = |column: &&Column| column.types.iter().any(|one| types.contains(one) && one != own);
        let mut columns = columns.iter().filter(|column| !is_other(column));
        put_table(&mut sql, rows, dialect, rows.layout().path(*own), Some(*own), &mut columns);
    }
    Ok(sql)
}

fn put_table(
    sql: &mut String,
    rows: &Rows,
    dialect: &Dialect,
    name: &str,
    record_type: Option<usize>,
    fields: &mut dyn Iterator<Item = &Column>,
) {
    let [before, after] = rows.around().map(|added| {
        let own = added.into_iter().filter(|column| rows.has_added(*column, record_type));
        own.map(|column| (column.column().to_owned(), rows.added_type(column))).collect::<Vec<_>>()
    });
    let fields = fields.map(|column| (column.path.clone(), rows.column_type(column.item)));
    let keys = rows.key_columns().iter().filter(|key| rows.has_key(key, record_type));
    let lines: Vec<String> = before
        .into_iter()
        .chain(keys.map(|key| (key.name().to_owned(), key.column_type())))
        .chain(fields)
        .chain(after)
        .map(|(name, column)| format!("  {} {}", quoted(&name), dialect.name_of(column)))
        .collect();
    _ = writeln!(sql, "CREATE TABLE {} (\n{}\n);", quoted(name), lines.join(",\n"));
}

/// Returns a name as SQL has it if it contains any characters.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
