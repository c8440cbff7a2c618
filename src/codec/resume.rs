//! Finds the bytes that a part of the decoded text comes from. A caller needs this if it has to stop before the end of
//! the text, for example because the output of the encoder after it is full.

use super::{Decoder, MIN_ROOM, Stop, Utf8Sink};

/// How many bytes are decoded at a time until the place is near.
const STRIDE: usize = 256;

/// Returns how many bytes of `src` the first `len` bytes of text come from, if a copy of `decoder` decodes `src`. The
/// copy can continue after these bytes: the next character begins there, after shift codes that belong to it.
///
/// `src` must decode without error up to there, and `len` must be at the beginning of a character. The bytes that are
/// [pending](Decoder::pending) in `decoder` are not counted; the time is linear in the result.
///
/// ```
/// use charpipe::codec::{Utf8Sink, bytes_before};
///
/// let codec = charpipe::Registry::builtin().codec("IBM939")?;
/// let (src, mut decoder, mut room) = (b"\xC1\x0E\x45\x62\x45\x66\x0F\xC2", codec.decoder(), [0; 64]);
/// let before = decoder.fork();
/// let mut text = Utf8Sink::new(&mut room);
/// let _ = decoder.feed(src, &mut text);
/// assert_eq!(text.as_str(), "A日本B");
/// // There was only room for `A日`. These bytes were used, and the decoder that goes on is in the set of pairs.
/// let used = bytes_before(&*before, src, "A日".len());
/// assert_eq!(src[..used], *b"\xC1\x0E\x45\x62");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[must_use]
pub fn bytes_before(decoder: &dyn Decoder, src: &[u8], len: usize) -> usize {
    let (mut decoder, mut at, mut made) = (decoder.fork(), 0, 0);
    let mut room = [0; STRIDE * 4 + MIN_ROOM];
    while made < len && at < src.len() {
        let stride = &src[at..src.len().min(at + STRIDE)];
        let mut trial = decoder.fork();
        let mut sink = Utf8Sink::new(&mut room);
        let step = trial.feed(stride, &mut sink);
        // Strides, as long as the place is beyond them; then bytes.
        if step.stop == Stop::InputEmpty && made + sink.written() < len {
            (decoder, at, made) = (trial, at + stride.len(), made + sink.written());
            continue;
        }
        let end = at + stride.len();
        while at < end {
            let mut sink = Utf8Sink::new(&mut room);
            let step = decoder.feed(&src[at..=at], &mut sink);
            (at, made) = (at + step.read, made + sink.written());
            if made >= len || (step.read == 0 && sink.written() == 0) {
                return at;
            }
        }
    }
    at
}
