//! `--schema`: the columns and their types, for another program.

use crate::args::Rows;
use crate::args::rows::Schema;
use crate::print;
use crate::rows::setup::Setup;
use crate::rows::streams;
use crate::status::Status;

/// Prints the schema.
pub(super) fn run(args: &Rows, setup: &Setup, schema: Schema) -> Result<Status, Status> {
    let schema = match schema {
        Schema::Text(format) => setup.job.schema(format).map(String::into_bytes),
        Schema::Arrow => setup.job.arrow_schema(),
    };
    let schema = schema.map_err(|error| setup.say_unusable(&error))?;
    let output = streams::open_output(args)?;
    Ok(print::to_output(output, &schema))
}
