//! The schema of the rows of a layout, for another program.

use crate::failure::{Failure, wrong};
use crate::options::parse_for_columns;
use charpipe::UnknownWord;
use charpipe::rows::SchemaFormat;
use serde_json::{Value, json};

/// Returns the schema: `{"schema"}`, or only `{"error"}` if the layout, the format or an option is invalid.
pub(crate) fn schema(options: &str, layout: &[u8], format: &str) -> Value {
    match written(options, layout, format) {
        Ok(schema) => json!({ "schema": schema }),
        Err(error) => json!({ "error": error }),
    }
}

fn written(options: &str, layout: &[u8], format: &str) -> Result<String, Value> {
    let unknown = |word: UnknownWord| Failure::Usage(format!("format: {word}")).json();
    let format: SchemaFormat = format.parse().map_err(unknown)?;
    let job = parse_for_columns(options).map_err(|failure| failure.json())?;
    let rows = job.layout(layout).and_then(|layout| job.rows(&layout));
    rows.and_then(|rows| rows.schema(format)).map_err(wrong)
}
