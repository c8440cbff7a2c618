//! `--schema`: the columns and their types, for another program.

use crate::args::Rows;
use crate::print;
use crate::rows::setup::Setup;
use crate::rows::streams;
use crate::status::Status;
use charpipe::rows::SchemaFormat;

/// Prints the schema.
pub(super) fn run(args: &Rows, setup: &Setup, format: SchemaFormat) -> Result<Status, Status> {
    let text = setup.job.schema(format).map_err(|error| setup.say_unusable(&error))?;
    let output = streams::open_output(args)?;
    Ok(print::to_output(output, &text))
}
