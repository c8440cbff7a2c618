//! `--records auto`: finds the shape of the records of an input at its beginning.

use crate::args::Convert;
use crate::convert::ended::{Ended, Failure};
use crate::ending::Ending;
use crate::files::record_head::RecordHead;
use charpipe::records::Shape;
use std::io::{BufRead, Cursor, Read as _};

/// Returns the shape of the records, if `args` ask for that, and the whole input again.
pub(crate) fn find_shape(
    args: &Convert,
    mut input: Box<dyn BufRead>,
) -> Result<(Option<Shape>, Box<dyn BufRead>), Ended> {
    if !args.records.is_auto() {
        return Ok((None, input));
    }
    let head = RecordHead::read(&mut *input, args.records.file()).map_err(Ending::NotRead)?;
    let shape = head.sniffed.shape().map_err(Failure::NoShape)?;
    Ok((Some(shape), Box::new(Cursor::new(head.bytes).chain(input))))
}
