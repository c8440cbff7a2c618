//! Reads rows in any format: [`RowReader`].

use crate::ending::Ending;
use crate::rows::back::cells::Cells;
use crate::rows::back::trouble::{Ended, Trouble};
use std::io::BufRead;

/// Reads rows, one after the other.
pub(super) trait RowReader {
    /// Reads the next row into `cells`. Returns `false` if there is none. `blocks` is called before a read that may wait.
    fn read(
        &mut self,
        input: &mut dyn BufRead,
        cells: &mut Cells<'_>,
        blocks: &mut dyn FnMut() -> Ended,
    ) -> Result<bool, Ending<Trouble>>;
}
