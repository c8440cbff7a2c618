//! What a charset can do, found by asking it.

use crate::codec::{ByteSink, Codec, Decoder, MIN_ROOM, Stop, Utf8Sink, byte_order_mark};
use crate::detect::is_byte_order_mark;
use crate::error::{Error, ErrorKind};

/// Whether the charset has every character of `text`.
pub(super) fn can_write(codec: &dyn Codec, text: &str) -> bool {
    codec.encoder().is_some_and(|mut encoder| {
        let mut buffer = [0; 4 * MIN_ROOM];
        encoder.feed(text, &mut ByteSink::new(&mut buffer)).stop == Stop::InputEmpty
    })
}

/// Fails if the target lacks a character of `text`, which is inserted into the output. No policy applies: a label or an
/// escape that loses characters would say something else. `offset` is the place in the input for the error.
///
/// # Errors
/// [`ErrorKind::Unmappable`].
pub(super) fn check_can_write(to: &dyn Codec, text: &str, offset: u64) -> Result<(), Error> {
    let Some(mut encoder) = to.encoder().filter(|_| !to.is_utf8()) else { return Ok(()) };
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

/// Whether SO and SI switch a new decoder, which `decoder` must be, between single bytes and pairs.
pub(super) fn shifts(decoder: &dyn Decoder) -> bool {
    let mut buffer = [0; MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut buffer);
    let mut decoder = decoder.fork();
    let step = decoder.feed(b"\x0E\x0F", &mut sink);
    step.stop == Stop::InputEmpty && sink.written() == 0 && decoder.pending() == 0
}

/// The blank of a charset: U+0020, or U+3000 if it has no U+0020. `None` if it has neither.
pub(super) fn blank(codec: &dyn Codec) -> Option<Vec<u8>> {
    [" ", "\u{3000}"].into_iter().find_map(|blank| {
        let mut encoder = codec.encoder()?;
        let mut buffer = [0; 2 * MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        let is_whole = encoder.feed(blank, &mut sink).stop == Stop::InputEmpty;
        (is_whole && encoder.pending() == 0).then(|| sink.as_bytes().to_vec())
    })
}
