//! The schema of the rows of a job, without any records: [`Rows::schema`].
//!
//! | file | contents |
//! |---|---|
//! | `column_type.rs` | [`ColumnType`]: the type of a column that has types |
//! | `sql.rs` | `CREATE TABLE` for databases |
//! | `nested.rs` | JSON Schema, Avro and Spark, in which groups and arrays stay what they are |
//! | `arrow.rs` | the same columns for Arrow, as a stream of bytes |

mod arrow;
mod column_type;
mod nested;
mod sql;

pub(super) use arrow::header;
pub use column_type::ColumnType;
pub(super) use nested::{Member, Source, Value, members};

use super::{AddedColumn, Rows, RowsError};
use crate::words::words;

/// The program or format that a schema is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SchemaFormat {
    /// `CREATE TABLE` of DuckDB, for rows of CSV.
    DuckDb,
    /// `CREATE TABLE` of PostgreSQL, for rows of CSV.
    PostgreSql,
    /// `CREATE TABLE` of Db2, for rows of CSV.
    Db2,
    /// `CREATE TABLE` of SQLite, for rows of CSV. SQLite has no exact decimal numbers, so those are text.
    Sqlite,
    /// JSON Schema 2020-12 of a line of JSON.
    JsonSchema,
    /// A record of Avro 1.11.
    Avro,
    /// A `StructType` of Spark, as JSON.
    Spark,
}

words! {
    SchemaFormat {
        DuckDb: "duckdb", PostgreSql: "postgresql", Db2: "db2", Sqlite: "sqlite", JsonSchema: "json-schema", Avro: "avro",
        Spark: "spark",
    }
}

impl Rows {
    /// Returns the schema of the rows, as text that ends with a newline. Any column can be null.
    ///
    /// Names are those of the rows. In Avro, whose names can have letters, digits and underscores only, other
    /// characters become underscores. If the rows of each record type have [a separate
    /// output](super::RowsJob::separate_types), SQL has a table for each of them, and the other formats have one schema
    /// with the fields of all.
    ///
    /// ```
    /// use charpipe::rows::{RowsJob, SchemaFormat};
    ///
    /// let job = RowsJob::new().date("BORN", "YYYYMMDD".parse()?);
    /// let rows = job.rows(&job.layout(b"NAME 1 4 text\nBORN 5 8 zoned,unsigned\nPAY 13 3 packed.2\n")?)?;
    /// assert_eq!(
    ///     rows.schema(SchemaFormat::DuckDb)?,
    ///     r#"CREATE TABLE "rows" (
    ///   "NAME" VARCHAR,
    ///   "BORN" DATE,
    ///   "PAY" DECIMAL(5,2)
    /// );
    /// "#
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`columns`](Self::columns).
    pub fn schema(&self, format: SchemaFormat) -> Result<String, RowsError> {
        match format {
            SchemaFormat::DuckDb => sql::schema(self, &sql::DUCKDB),
            SchemaFormat::PostgreSql => sql::schema(self, &sql::POSTGRESQL),
            SchemaFormat::Db2 => sql::schema(self, &sql::DB2),
            SchemaFormat::Sqlite => sql::schema(self, &sql::SQLITE),
            SchemaFormat::JsonSchema => Ok(nested::json_schema(self)),
            SchemaFormat::Avro => nested::avro(self),
            SchemaFormat::Spark => Ok(nested::spark(self)),
        }
    }

    /// Returns the schema of the rows for Arrow: an IPC stream without batches. Any column can be null.
    ///
    /// Groups are structs, and arrays are lists. If the rows of each record type have [a separate
    /// output](super::RowsJob::separate_types), the schema has the fields of all types.
    ///
    /// ```
    /// use charpipe::rows::RowsJob;
    ///
    /// let job = RowsJob::new();
    /// let stream = job.rows(&job.layout(b"PAY 1 3 packed.2\n")?)?.arrow_schema()?;
    /// // A message, and the mark of the end.
    /// assert!(stream.starts_with(b"\xFF\xFF\xFF\xFF") && stream.ends_with(b"\xFF\xFF\xFF\xFF\0\0\0\0"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::BadOption`](crate::ErrorKind::BadOption) if two columns would have the same name because of
    /// [underscores](super::RowsJob::underscores).
    pub fn arrow_schema(&self) -> Result<Vec<u8>, RowsError> {
        arrow::schema(self)
    }

    /// Returns the type of the column of a field.
    ///
    /// Its precision and scale are those of the picture; a binary number has as many digits as its bytes allow. Binary
    /// numbers without decimal places are integers, and with [`integers`](crate::rows::RowsJob::integers) all numbers
    /// of up to 18 digits without decimal places are.
    ///
    /// # Panics
    /// If there is no such item.
    #[must_use]
    pub fn column_type(&self, item: usize) -> ColumnType {
        ColumnType::of_item(self.layout(), item, self.dates(), self.integers())
    }

    /// Returns the type of a column that is not a field.
    fn added_type(&self, column: AddedColumn) -> ColumnType {
        match column {
            AddedColumn::Number | AddedColumn::Offset | AddedColumn::Parent => ColumnType::Int64,
            AddedColumn::Record => ColumnType::Bytes { most: None },
            AddedColumn::Type => {
                let lengths = self.record_types().iter().map(|item| self.layout().path(*item).chars().count());
                ColumnType::Text { most: lengths.max() }
            }
            AddedColumn::File | AddedColumn::Errors => ColumnType::Text { most: None },
        }
    }

    /// Returns the columns that are not fields: those before the fields, and those after them.
    fn around(&self) -> [Vec<AddedColumn>; 2] {
        let (before, after) = self.added().iter().partition(|column| column.is_before_fields());
        [before, after]
    }
}
