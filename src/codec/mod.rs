//! Codecs: what a charset is to charpipe, and the ones that are built in.
//!
//! A [`Codec`] names a charset and makes the two state machines that do the work: a [`Decoder`] from bytes to text and
//! an [`Encoder`] from text to bytes. Both work on slices, keep a sequence that the input cuts in two, and hand control
//! back with a reason ([`Stop`]). Text is `str`, the pivot: from any charset to UTF-8 the pivot already is the output.
//!
//! # The words
//!
//! * *malformed*: bytes that are no character of the charset. *Unmappable*: a character that the charset cannot write.
//!   Either is a *fault*: the codec reports it and is ready to go on; what happens then is policy, and policy lives in
//!   the [transcoder](crate::Transcoder), never here.
//! * *read*: bytes taken from the input of this call. What is taken may stay inside as *pending* until its character is
//!   complete.
//! * *room*: bytes that the sink has left.
//!
//! # The contract
//!
//! 1. `feed` stops before the end of its input only for [`Stop::OutputFull`] or [`Stop::Fault`]. A sequence that the
//!    end of the input cuts is taken and kept inside.
//! 2. `feed` of nothing changes nothing and answers [`Stop::InputEmpty`].
//! 3. A character is never split across two sinks.
//! 4. With [`MIN_ROOM`] bytes of room, [`Stop::OutputFull`] comes only after something was read or written. A fault may
//!    come with neither, but not for ever.
//! 5. After a fault the codec is ready to go on. It never writes U+FFFD or any other stand-in by itself;
//!    [`Encoder::encode_replacement`] does when told to.
//! 6. `finish` is called until it answers [`Stop::InputEmpty`]; then `reset` before the machine is used again. The end
//!    of a record is a `finish` and a `reset`.
//! 7. Codecs neither look for nor write a byte order mark. Detection takes it off, the transcoder writes it.
//! 8. A fault lies within what was read: `len + after` bytes ago at the farthest, [`MAX_FAULT`] at the most.
//!
//! The transcoder holds a codec to this: one that breaks it ends in [`ErrorKind::Codec`](crate::ErrorKind::Codec),
//! never in a hang or a panic.
//!
//! # Where things are
//!
//! | file | what |
//! |---|---|
//! | `sink.rs` | the room that codecs write into; alone claims UTF-8 |
//! | `utf8.rs`, `utf16.rs`, `ucs4.rs`, `utf_ebcdic.rs` | the Unicode forms, UCS-4 in its four octet orders |
//! | `table/` | code pages as data, and the formats that they are read from |
//! | `pages.rs`, `pages.bin` | the pages of `codecs/`, generated, never edited |
//! | `tabled.rs` | a table as a codec, run by one of two engines: |
//! | `single_byte.rs` | single bytes |
//! | `multi_byte.rs` | all else: pairs, shift codes, state tables, several characters at once |
//! | `whatwg.rs` | the charsets of the web, through encoding_rs |
//! | `oem.rs` | the code pages of DOS |
//! | `newline.rs` | the newline of EBCDIC, a surface over another codec |
//!
//! Vector kernels stand behind these traits, in `arch`: `feed` gets whole slices and contiguous spare room, the codecs
//! call them, and [`Utf8Sink`] takes in what they write.

mod builtin;
mod engine;
pub mod newline;
pub mod sink;
pub mod table;
mod unicode;

pub use builtin::PAGES;
#[cfg(feature = "dos")]
pub(crate) use builtin::oem;
#[cfg(feature = "whatwg")]
pub use builtin::web;
pub use engine::TableCodec;
pub use sink::{ByteSink, Utf8Sink};
pub(crate) use sink::{Utf8Batch, Utf8Char, Utf8Table, Utf8Word};
pub use table::packed::Packed;
pub use unicode::{Ucs4, Utf8, Utf16, UtfEbcdic};

use std::borrow::Cow;
use std::sync::Arc;

/// Room with which a codec always gets on: the longest output of one step, in bytes.
///
/// Sixty-four, as a table that a user brings may write 31 bytes for one sequence, with shifts around them.
pub const MIN_ROOM: usize = 64;

/// The farthest back that a fault may reach, in bytes: `len + after` is never more.
///
/// Thirty-one is the longest sequence that a table can hold (ICU's limit); twice that, and a shift on either side.
pub const MAX_FAULT: usize = 64;

/// Why a codec handed control back.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop<F> {
    /// Everything given was taken. From `finish`: the stream is complete.
    InputEmpty,
    /// No room for the next character. Call again with more room and the unread rest.
    OutputFull,
    /// Something to decide. What came before it is already in the sink, and `read` includes the cause.
    Fault(F),
}

/// What one call of `feed` did.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<F> {
    /// Bytes taken from the input.
    pub read: usize,
    /// Why it stopped there.
    pub stop: Stop<F>,
}

/// Bytes that are no character: one maximal subpart.
///
/// The first of them is `len + after` bytes before the end of all that was read, in this call and those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// How many bytes are bad; at least 1. They may lie in earlier inputs.
    pub len: u8,
    /// How many bytes were read after them, which the codec still holds and will answer for.
    pub after: u8,
}

/// A character that the charset cannot write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unmappable {
    /// The character.
    pub ch: char,
    /// How many bytes of text were read after it, which the codec still holds and will answer for.
    pub after: u8,
}

/// From bytes to text, incrementally. See the [contract](self#the-contract).
pub trait Decoder: Send {
    /// Decodes `src` into `dst`.
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed>;

    /// Says that the input, or the record, ends here. To be called until it answers [`Stop::InputEmpty`].
    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed>;

    /// Back to the initial state, as new.
    fn reset(&mut self);

    /// A copy in the same state. Exact input offsets of unmappable characters come from it: it is run again over the
    /// bytes in question, on the fault path only.
    fn fork(&self) -> Box<dyn Decoder>;

    /// Bytes read that have neither become text, nor been reported, nor changed the state for good: the unfinished
    /// sequence, [`MAX_FAULT`] at the most. An input that ends with some is truncated. A shift code that was obeyed is
    /// not pending.
    fn pending(&self) -> usize;

    /// Whether each byte is decoded by itself, whatever stands before it: no state, and nothing ever pending.
    fn is_bytewise(&self) -> bool {
        false
    }

    /// The bytes of a code unit, where nothing but what is [pending](Self::pending) is carried from one character to the
    /// next and no error makes a difference to where the units lie: a new decoder can take over between any two
    /// characters. `None`, which is always safe to say, where that is not so.
    fn code_unit(&self) -> Option<usize> {
        self.is_bytewise().then_some(1)
    }
}

/// Which stand-in [`Encoder::encode_replacement`] is to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replacement<'a> {
    /// The charset's substitution character (subchar, or subchar1 where its table lists the character for it).
    Substitute,
    /// The character's one-way mapping.
    BestFit,
    /// This text, all of it or nothing: a character reference, an escape. Never more than 16 characters.
    Text(&'a str),
}

/// From text to bytes, incrementally. See the [contract](self#the-contract).
pub trait Encoder: Send {
    /// Encodes `src` into `dst`.
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable>;

    /// Says that the text, or the record, ends here; writes what leads back to the initial shift state. To be called
    /// until it answers [`Stop::InputEmpty`].
    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable>;

    /// Back to the initial state, as new.
    fn reset(&mut self);

    /// Writes a stand-in for `ch`, which was reported unmappable just before, with the shifts that the state asks for;
    /// it goes in front of what was read after `ch`. `false`, and nothing written, where the charset has none.
    /// [`MIN_ROOM`] is enough room.
    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool;

    /// Bytes of text read that nothing has been written for yet, since what follows decides (a base letter whose
    /// combining mark may share its code); [`MAX_FAULT`] at the most.
    fn pending(&self) -> usize {
        0
    }

    /// Whether nothing but what is [pending](Self::pending) is carried from one character to the next: a new encoder can
    /// take over where nothing is. `false` is always safe to say.
    fn is_stateless(&self) -> bool {
        false
    }
}

/// Encodes all of `text`, or nothing: [`Replacement::Text`] for an encoder that keeps no text back.
pub fn encode_whole<E: Encoder + Clone>(encoder: &mut E, text: &str, dst: &mut ByteSink<'_>) -> bool {
    let mut trial = encoder.clone();
    let mut room = [0; 2 * MIN_ROOM];
    let mut sink = ByteSink::new(&mut room);
    let step = trial.feed(text, &mut sink);
    let whole = step.stop == Stop::InputEmpty && trial.pending() == 0 && dst.push(sink.as_bytes());
    if whole {
        *encoder = trial;
    }
    whole
}

/// A charset whose label leaves the byte order to the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Orders {
    /// The names of the codecs that it may turn out to be, the one to take when nothing tells first.
    pub names: &'static [&'static str],
    /// As a target it starts with a byte order mark.
    pub bom: bool,
}

/// A charset: its name and the machines that decode and encode it.
///
/// Register one of your own with [`Registry::register`](crate::Registry::register).
///
/// ```
/// use charpipe::codec::{Stop, Utf8Sink};
///
/// let codec = charpipe::Registry::builtin().codec("UTF-16BE")?;
/// let (mut decoder, mut room) = (codec.decoder(), [0; 16]);
/// let mut text = Utf8Sink::new(&mut room);
/// // A unit that the input cuts is taken and kept.
/// let step = decoder.feed(b"\x20\xAC\x00", &mut text);
/// assert_eq!((step.read, step.stop, decoder.pending()), (3, Stop::InputEmpty, 1));
/// assert_eq!(text.as_str(), "€");
/// # Ok::<(), charpipe::Error>(())
/// ```
pub trait Codec: Send + Sync {
    /// The preferred name, IANA's where there is one.
    fn name(&self) -> &str;

    /// The name to write into an XML declaration; `None` where there is none. Must be an EncName (XML 1.0 production
    /// 81); the transcoder checks.
    fn xml_name(&self) -> Option<&str> {
        Some(self.name()).filter(|name| is_enc_name(name))
    }

    /// Where its table or its rules come from, in a few words: a standard, a file, a crate. Empty where it does not say.
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.codec("IBM1047")?.source(), "ibm-1047_P100-1995.ucm");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    fn source(&self) -> &str {
        ""
    }

    /// The charset as `label`, one of its own, means it, where that makes a difference: see [`superset`](Self::superset).
    /// `None`: the codec as it is.
    ///
    /// [`Registry::codec`](crate::Registry::codec) asks this of what it found, and answers what it is told.
    fn under(&self, label: &str) -> Option<Arc<dyn Codec>> {
        let _ = label;
        None
    }

    /// Where the label that led here names a smaller charset: the name of what is read in its place. Detection says so
    /// (`superset-used`).
    ///
    /// ```
    /// # #[cfg(feature = "whatwg")] {
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.codec("EUC-KR")?.superset(), Some("windows-949"));
    /// assert_eq!(registry.codec("windows-949")?.superset(), None);
    /// # }
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    fn superset(&self) -> Option<&str> {
        None
    }

    /// A new decoder, in its initial state.
    fn decoder(&self) -> Box<dyn Decoder>;

    /// A new encoder, in its initial state; `None` where the codec can only decode.
    fn encoder(&self) -> Option<Box<dyn Encoder>>;

    /// Whether [`encoder`](Self::encoder) makes one; a codec whose encoder is not cheap says so here without making it.
    fn encodes(&self) -> bool {
        self.encoder().is_some()
    }

    /// Whether the charset is UTF-8, so that decoded text already is its output.
    fn is_utf8(&self) -> bool {
        false
    }

    /// The newline convention that the codec's label asked for; one that an option asks for does not change it.
    fn newline(&self) -> Option<newline::EbcdicNl> {
        None
    }

    /// The table that the codec is; `None` where it is code. Made anew on every call for a built-in code page.
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.codec("IBM037")?.table().unwrap().substitute, [0x3F]);
    /// assert!(registry.codec("UTF-8")?.table().is_none());
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    fn table(&self) -> Option<Cow<'_, table::Table>> {
        None
    }

    /// For a label without byte order (`UTF-16`): what it may turn out to be. Its own machines are those of the first.
    fn orders(&self) -> Option<Orders> {
        None
    }
}

impl std::fmt::Debug for dyn Codec + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Codec").field(&self.name()).finish()
    }
}

/// Whether `name` is an EncName: `[A-Za-z] ([A-Za-z0-9._] | '-')*` (XML 1.0 production 81).
///
/// ```
/// assert!(charpipe::codec::is_enc_name("ISO-8859-1"));
/// assert!(!charpipe::codec::is_enc_name("1047"));
/// ```
pub fn is_enc_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

/// Decodes all of `bytes` with a new decoder of `codec`; `None` where any of it is malformed or the codec does not keep
/// the contract. For short inputs: a declaration, a code unit.
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
    let mut decoder = codec.decoder();
    let mut text = String::new();
    let mut room = [0; 256];
    let mut rest = bytes;
    loop {
        let mut sink = Utf8Sink::new(&mut room);
        let step = decoder.feed(rest, &mut sink);
        let wrote = sink.written();
        text.push_str(sink.as_str());
        rest = rest.get(step.read..)?;
        // No honest codec makes more of its input than this; one that lies may never end.
        let honest = text.len() <= (bytes.len() + 1) * MIN_ROOM;
        match step.stop {
            Stop::InputEmpty => break,
            Stop::OutputFull if honest && (step.read > 0 || wrote > 0) => {}
            _ => return None,
        }
    }
    let mut sink = Utf8Sink::new(&mut room);
    let stop = decoder.finish(&mut sink);
    text.push_str(sink.as_str());
    (stop == Stop::InputEmpty).then_some(text)
}

/// Whether the first character of `bytes` is `ch`, as a new decoder of `codec` reads them.
pub(crate) fn begins_with(codec: &dyn Codec, bytes: &[u8], ch: char) -> bool {
    let mut room = [0; MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut room);
    let _ = codec.decoder().feed(&bytes[..bytes.len().min(MAX_FAULT)], &mut sink);
    sink.as_str().starts_with(ch)
}

/// The bytes of U+FEFF at the beginning of a text, a byte order mark; `None` where the charset lacks it.
///
/// ```
/// let registry = charpipe::Registry::builtin();
/// let bom = |label| Ok::<_, charpipe::Error>(charpipe::codec::byte_order_mark(&*registry.codec(label)?));
/// assert_eq!(bom("UTF-16LE")?.as_deref(), Some(&b"\xFF\xFE"[..]));
/// assert_eq!(bom("IBM037")?, None);
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn byte_order_mark(codec: &dyn Codec) -> Option<Vec<u8>> {
    let mut encoder = codec.encoder()?;
    let mut room = [0; MIN_ROOM];
    let mut sink = ByteSink::new(&mut room);
    let step = encoder.feed("\u{FEFF}", &mut sink);
    (step.stop == Stop::InputEmpty && sink.written() > 0).then(|| sink.as_bytes().to_vec())
}

/// Whether the codec is of the EBCDIC family, by what it does: 0x40 is the blank and 0xC1 is `A`.
///
/// ```
/// let registry = charpipe::Registry::builtin();
/// assert!(charpipe::codec::is_ebcdic(&*registry.codec("IBM290")?));
/// assert!(!charpipe::codec::is_ebcdic(&*registry.codec("ISO-8859-1")?));
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn is_ebcdic(codec: &dyn Codec) -> bool {
    decode_strictly(codec, b"\x40\xC1").as_deref() == Some(" A")
}
