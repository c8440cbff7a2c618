//! `--show-layout`.

use crate::args::Rows;
use crate::rows::setup::Setup;
use crate::status::Status;

pub(super) fn run(_: &Rows, _: &Setup) -> Result<Status, Status> {
    Err(Status::Usage)
}
