//! Reading from a buffered input.

use crate::error::Error;
use std::io::{self, BufRead};

/// Returns the next bytes of an input, none at its end; `None` if the read was interrupted. `at`: how many bytes were read
/// before, for an error.
#[inline]
pub(crate) fn buffered<R: BufRead + ?Sized>(input: &mut R, at: u64) -> Result<Option<&[u8]>, Error> {
    match input.fill_buf() {
        Ok(src) => Ok(Some(src)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(source) => Err(Error::read(at, source)),
    }
}
