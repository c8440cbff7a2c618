//! Properties of a charset that only a conversion needs. The others are in `codec/probe.rs`.

use crate::codec::{ByteSink, Codec, MIN_ROOM, Stop, byte_order_mark, is_utf8};
use crate::detect::is_byte_order_mark;
use crate::error::{Error, ErrorKind};

/// Fails if the target lacks a character of `text`, which is inserted into the output. No policy applies: a label or an
/// escape that loses characters would say something else. `offset` is the place in the input for the error.
///
/// # Errors
/// [`ErrorKind::Unmappable`].
pub(super) fn check_can_write(to: &dyn Codec, text: &str, offset: u64) -> Result<(), Error> {
    let Some(mut encoder) = to.encoder().filter(|_| !is_utf8(to)) else { return Ok(()) };
    let mut buffer = vec![0; (text.len() + 1) * MIN_ROOM];
    match encoder.feed(text, &mut ByteSink::new(&mut buffer)).stop {
        Stop::Fault(fault) => Err(ErrorKind::Unmappable { codec: to.name().to_owned(), ch: fault.ch, offset }.into()),
        Stop::InputEmpty | Stop::OutputFull => Ok(()),
    }
}

/// Whether the charset has a byte order mark that detection recognises.
pub(super) fn has_bom(codec: &dyn Codec) -> bool {
    byte_order_mark(codec).is_some_and(|bom| is_byte_order_mark(&bom))
}

/// Whether the charset is UTF-16 in any byte order.
pub(super) fn is_utf16(codec: &dyn Codec) -> bool {
    matches!(codec.name(), "UTF-16" | "UTF-16BE" | "UTF-16LE")
}
