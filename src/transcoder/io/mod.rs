//! Adapters that do I/O with a [`Transcoder`](crate::Transcoder), which does none itself.
//!
//! | file | content |
//! |---|---|
//! | `pump.rs` | the loop from `BufRead` to `Write` |
//! | `reader.rs`, `writer.rs` | adapters to `Read` and `Write`, on `feed.rs` and `buffer.rs` |
//! | `lines/` | lines with their offsets in the input |
//! | `asynchronous.rs` | the same for the traits of tokio (feature `tokio`) |
//! | `text_writer.rs` | a writer for text that is Unicode already |
//! | `value.rs`, `plain.rs` | values in memory; those that need no transcoder |

#[cfg(feature = "tokio")]
pub(in crate::transcoder) mod asynchronous;
mod buffer;
mod feed;
pub(super) mod lines;
pub(in crate::transcoder) mod plain;
pub(super) mod pump;
pub(super) mod reader;
pub(super) mod text_writer;
pub(super) mod value;
pub(super) mod writer;

use crate::error::{Error, ErrorKind};
use std::io::{self, BufRead};

/// Reads the next chunk and hands it to `take`, which returns how many bytes to consume and a result. The chunk is empty at
/// the end of the input. [`io::ErrorKind::Interrupted`] is retried.
///
/// # Errors
/// [`ErrorKind::Read`] at `offset`, how much was read before.
pub(super) fn next_chunk<R, T>(input: &mut R, offset: u64, take: impl FnOnce(&[u8]) -> (usize, T)) -> Result<T, Error>
where
    R: BufRead + ?Sized,
{
    try_next_chunk(input, take).map_err(|source| ErrorKind::Read { offset, source }.into())
}

/// Does what [`next_chunk`] does. Fails with the error of the reader, for a caller that reports it later.
pub(super) fn try_next_chunk<R, T>(input: &mut R, take: impl FnOnce(&[u8]) -> (usize, T)) -> io::Result<T>
where
    R: BufRead + ?Sized,
{
    loop {
        match input.fill_buf() {
            Ok(chunk) => {
                let (len, result) = take(chunk);
                input.consume(len);
                return Ok(result);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
