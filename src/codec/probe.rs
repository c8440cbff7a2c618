//! Finds out properties of a codec by trying it.
//!
//! Every function starts a new decoder or encoder and gives it a few bytes or characters. None of them trusts the codec
//! more than the [contract](super#the-contract) allows: a codec that breaks it gets a wrong answer, but no endless
//! loop.

use super::{ByteSink, Codec, Decoder, Encoder, MAX_FAULT, MIN_ROOM, Step, Stop, Utf8Sink, drive};

/// Decodes all of `bytes` with a new decoder. Returns `None` if any of them are malformed or the codec breaks the
/// contract. Meant for short inputs: a declaration, a code unit.
///
/// ```
/// use charpipe::codec::decode_strictly;
///
/// let codec = charpipe::Registry::builtin().codec("IBM037")?;
/// assert_eq!(decode_strictly(&*codec, b"\xC8\x89").as_deref(), Some("Hi"));
/// let codec = charpipe::Registry::builtin().codec("UTF-8")?;
/// assert_eq!(decode_strictly(&*codec, b"Hi\xFF"), None);
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn decode_strictly(codec: &dyn Codec, bytes: &[u8]) -> Option<String> {
    let mut text = String::new();
    let is_decoded = drive(&mut *codec.decoder(), bytes, true, &mut [0; 256], |step| {
        text.push_str(step.text);
        step.fault.is_none()
    });
    is_decoded.then_some(text)
}

/// Returns whether the codec decodes `bytes` without error. `is_end`: nothing follows them; otherwise their end may cut
/// a character. A codec that breaks the contract does not decode them.
pub(crate) fn decodes(codec: &dyn Codec, bytes: &[u8], is_end: bool) -> bool {
    let mut decodes = false;
    codec.with_decoder(&mut |decoder| {
        decodes = drive(decoder, bytes, is_end, &mut [0; 4096], |step| step.fault.is_none());
    });
    decodes
}

/// Encodes `text`, which is short, with a new encoder, and returns the bytes and the encoder. Returns `None` if the
/// codec cannot encode or a character of the text is unmappable.
fn encode_strictly(codec: &dyn Codec, text: &str) -> Option<(Vec<u8>, Box<dyn Encoder>)> {
    let mut encoder = codec.encoder()?;
    let mut room = [0; 4 * MIN_ROOM];
    let mut sink = ByteSink::new(&mut room);
    let step = encoder.feed(text, &mut sink);
    (step.stop == Stop::InputEmpty).then(|| (sink.as_bytes().to_vec(), encoder))
}

/// Returns whether the codec can encode. Cheaper than asking for an encoder: for a code page, that would build its
/// table.
///
/// ```
/// let registry = charpipe::Registry::builtin();
/// assert!(charpipe::codec::can_encode(&*registry.codec("IBM037")?));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn can_encode(codec: &dyn Codec) -> bool {
    codec.info().table.is_some() || codec.encoder().is_some()
}

/// Returns whether the codec can encode all of `text`, which is short.
pub(crate) fn can_write(codec: &dyn Codec, text: &str) -> bool {
    encode_strictly(codec, text).is_some()
}

/// Returns whether the charset is UTF-8, so that decoded text already is encoded. The codec must have the name, and
/// decode as UTF-8 does. Well-formed input may then be taken as text without calling it.
pub(crate) fn is_utf8(codec: &dyn Codec) -> bool {
    const TEXT: &str = "aé€😀";
    // Asked for each short value, so most codecs are tried without a `String`.
    let at_once = || {
        let mut is_same = false;
        codec.with_decoder(&mut |decoder| {
            let mut room = [0; MIN_ROOM];
            let mut sink = Utf8Sink::new(&mut room);
            is_same = decoder.feed(TEXT.as_bytes(), &mut sink) == Step { read: TEXT.len(), stop: Stop::InputEmpty }
                && decoder.finish(&mut sink) == Stop::InputEmpty
                && sink.as_str() == TEXT;
        });
        is_same
    };
    codec.name() == "UTF-8" && (at_once() || decode_strictly(codec, TEXT.as_bytes()).as_deref() == Some(TEXT))
}

/// Returns whether the codec belongs to the EBCDIC family: it decodes 0x40 as a space and 0xC1 as `A`.
///
/// ```
/// let registry = charpipe::Registry::builtin();
/// assert!(charpipe::codec::is_ebcdic(&*registry.codec("IBM290")?));
/// assert!(!charpipe::codec::is_ebcdic(&*registry.codec("ISO-8859-1")?));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn is_ebcdic(codec: &dyn Codec) -> bool {
    // A job that only encodes should not make the tables of a decoder to find out.
    match codec.info().table.and_then(|table| table.single_bytes()) {
        Some(chars) => (chars[0x40], chars[0xC1]) == (Some(' '), Some('A')),
        None => decode_strictly(codec, b"\x40\xC1").as_deref() == Some(" A"),
    }
}

/// Returns the encoded form of U+FEFF at the beginning of a text, which is a byte order mark; `None` if the charset
/// does not have the character.
///
/// ```
/// let registry = charpipe::Registry::builtin();
/// let bom = |label| Ok::<_, charpipe::Error>(charpipe::codec::byte_order_mark(&*registry.codec(label)?));
/// assert_eq!(bom("UTF-16LE")?.as_deref(), Some(&b"\xFF\xFE"[..]));
/// assert_eq!(bom("IBM037")?, None);
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn byte_order_mark(codec: &dyn Codec) -> Option<Vec<u8>> {
    Some(encode_strictly(codec, "\u{FEFF}")?.0).filter(|bom| !bom.is_empty())
}

/// Returns the encoded blank of the charset: U+0020, or U+3000 if the charset has only that.
pub(crate) fn blank(codec: &dyn Codec) -> Option<Vec<u8>> {
    let encoded = |blank| encode_strictly(codec, blank).filter(|(_, encoder)| encoder.pending() == 0);
    encoded(" ").or_else(|| encoded("\u{3000}")).map(|(bytes, _)| bytes)
}

/// The information about the first character of a text in its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FirstChar {
    /// It is this one.
    Is(char),
    /// The bytes are malformed.
    Malformed,
    /// More bytes are needed.
    Open,
}

/// Returns what `bytes` show of the first character of the text.
pub(crate) fn first_char(codec: &dyn Codec, bytes: &[u8]) -> FirstChar {
    let mut first = FirstChar::Open;
    codec.with_decoder(&mut |decoder| {
        let mut room = [0; MIN_ROOM];
        let mut sink = Utf8Sink::new(&mut room);
        let step = decoder.feed(&bytes[..bytes.len().min(MAX_FAULT)], &mut sink);
        first = match (sink.as_str().chars().next(), step.stop) {
            (Some(ch), _) => FirstChar::Is(ch),
            (None, Stop::Fault(_)) => FirstChar::Malformed,
            (None, _) => FirstChar::Open,
        };
    });
    first
}

/// Returns the character that a text begins with that is one byte; `None` if the byte is not a whole character. Resets
/// the decoder.
pub(crate) fn char_of_first_byte(decoder: &mut dyn Decoder, byte: u8) -> Option<char> {
    let mut room = [0; MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut room);
    decoder.reset();
    let step = decoder.feed(&[byte], &mut sink);
    let is_whole = step.stop == Stop::InputEmpty && decoder.pending() == 0;
    decoder.reset();
    let mut chars = sink.as_str().chars();
    let ch = chars.next().filter(|_| is_whole)?;
    chars.next().is_none().then_some(ch)
}

/// Returns the character that a decoder in the state of `decoder` makes of one byte; `None` if the byte is not a whole
/// character.
pub(crate) fn char_of_byte(decoder: &dyn Decoder, byte: u8) -> Option<char> {
    let mut room = [0; MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut room);
    let mut decoder = decoder.fork();
    let step = decoder.feed(&[byte], &mut sink);
    let mut chars = sink.as_str().chars();
    let ch = chars.next().filter(|_| step.stop == Stop::InputEmpty && decoder.pending() == 0)?;
    chars.next().is_none().then_some(ch)
}

/// Returns the character of each byte, if each byte is decoded independently, to at most one character; `None` for all
/// other charsets. This is for programs whose strings are not UTF-8: with this table they can make Latin-1 or UTF-16
/// strings directly. A byte that has no character is malformed.
///
/// ```
/// let registry = charpipe::Registry::builtin();
/// let chars = charpipe::codec::chars_of_bytes(&*registry.codec("IBM1047")?).expect("a single-byte page");
/// assert_eq!((chars[0xC1], chars[0x15]), (Some('A'), Some('\u{85}')));
/// assert!(charpipe::codec::chars_of_bytes(&*registry.codec("IBM939")?).is_none());
/// # Ok::<(), charpipe::Error>(())
/// ```
#[must_use]
pub fn chars_of_bytes(codec: &dyn Codec) -> Option<Box<[Option<char>; 256]>> {
    let decoder = codec.decoder();
    let chars = || Box::new(std::array::from_fn(|byte| char_of_byte(&*decoder, byte as u8)));
    decoder.is_bytewise().then(chars)
}

/// Returns whether SO and SI shift `decoder`, which is new, between single bytes and pairs: it reads both and writes
/// nothing.
pub(crate) fn has_shift_codes(decoder: &dyn Decoder) -> bool {
    let mut room = [0; MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut room);
    let mut decoder = decoder.fork();
    let step = decoder.feed(b"\x0E\x0F", &mut sink);
    step.stop == Stop::InputEmpty && sink.written() == 0 && decoder.pending() == 0
}
