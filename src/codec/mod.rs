//! Codecs: the interface to a charset, and the built-in charsets.
//!
//! A [`Codec`] names a charset and makes the two state machines that do the work: a [`Decoder`] from bytes to text and
//! an [`Encoder`] from text to bytes. Both work on slices, keep a sequence that the end of a slice cuts, and return a
//! reason whenever they stop ([`Stop`]). Text is `str`, the pivot: when the target is UTF-8, decoded text already is
//! the output.
//!
//! # Terms
//!
//! * *malformed*: bytes that are not a character of the charset. *Unmappable*: a character that the charset cannot
//!   encode. Each is a *fault*: the codec reports it and can continue. What happens then is a policy, and the policies
//!   are those of [`Transcode`](crate::Transcode), never of a codec.
//! * *read*: bytes taken from the input of this call. They may stay in the codec as *pending* until their character is
//!   complete.
//! * *room*: the bytes that are left in the sink.
//!
//! # The contract
//!
//! 1. `feed` stops before the end of its input only for [`Stop::OutputFull`] or [`Stop::Fault`]. If the end of the
//!    input cuts a sequence, `feed` reads the beginning and keeps it.
//! 2. `feed` of an empty slice changes nothing and returns [`Stop::InputEmpty`].
//! 3. A character is never split across two sinks.
//! 4. With [`MIN_ROOM`] bytes of room, a codec returns [`Stop::OutputFull`] only after it has read or written
//!    something. It may return a fault without either, but not forever.
//! 5. After a fault the codec is ready to continue. It never writes U+FFFD or another replacement on its own; only
//!    [`Encoder::encode_replacement`] and `feed_replacing` write one, the one that the caller asks for.
//! 6. The caller calls `finish` until it returns [`Stop::InputEmpty`], and then `reset` before it uses the codec again.
//!    The end of a record is a `finish` and a `reset`.
//! 7. Codecs neither look for a byte order mark nor write one. Detection removes it; the transcoder writes it.
//! 8. A fault lies within what was read: it begins `len + after` bytes back, which is at most [`MAX_FAULT`].
//!
//! # Positions and state
//!
//! What a codec carries from one character to the next is what is *pending*, which the caller still has, and a number:
//! its *state*. A caller that wants to continue at this place later, or in another process, keeps both: the number from
//! [`Decoder::state`] and the last [`pending`](Decoder::pending) bytes that were read. [`Decoder::set_state`] with that
//! number, and a `feed` of those bytes, puts any decoder of the charset into the same state. Encoders have the same
//! methods; what is pending there is text. [`bytes_before`] returns which bytes a part of the decoded text comes from.
//!
//! The transcoder checks this. A codec that breaks the contract ends in [`ErrorKind::Codec`](crate::ErrorKind::Codec),
//! never in an endless loop or a panic.
//!
//! # A codec of your own
//!
//! Implement [`Codec`] with [`name`](Codec::name), [`decoder`](Codec::decoder) and [`encoder`](Codec::encoder), and
//! register it with [`Registry::register`](crate::Registry::register). `examples/own_codec.rs` is a small one, and
//! `examples/keis.rs` one with shift codes. A charset that a table can describe needs no code: see [`table`].
//!
//! # Where things are
//!
//! | module | contents |
//! |---|---|
//! | `drive` | the loop that feeds a decoder, and the bound for codecs that stop making progress |
//! | `info` | what is known of a charset beyond its name |
//! | `probe` | what can be found out about a codec by trying it |
//! | `position` | lines and columns |
//! | `resume` | which bytes a part of the decoded text comes from |
//! | `sink` | the buffers that codecs write into; the only place that claims UTF-8 |
//! | `buffer` | the memory of the large buffers, and where in a page it begins |
//! | `words` | characters as ready UTF-8, for tables |
//! | `byte_table` | bytes to bytes, for programs whose strings are not UTF-8 |
//! | `batches` | the inner loop of decoders of single bytes and pairs |
//! | `pairs` | the inner loop of encoders without a state |
//! | `newline` | the newline conventions of EBCDIC, as a layer over another codec |
//! | `unicode/` | UTF-8, UTF-16, UTF-32 and UCS-4 in their octet orders, UTF-EBCDIC |
//! | [`table`] | code pages as data, and the file formats that they are read from |
//! | `engine/` | the codec that runs a table: one engine for single bytes, one for everything else |
//! | `builtin/` | the pages of `codecs/`, the encodings of the web (encoding_rs) and the code pages of DOS |
//!
//! The vector kernels are in `arch`. Codecs get whole slices and contiguous free space, call the kernels with them, and
//! [`Utf8Sink`] accepts what the kernels wrote.

mod batches;
mod buffer;
mod builtin;
mod byte_table;
#[cfg(test)]
mod dice;
mod drive;
mod engine;
mod faults;
mod info;
mod newline;
#[cfg(any(feature = "whatwg", feature = "legacy"))]
mod pairs;
#[cfg(feature = "lines")]
mod position;
mod probe;
mod resume;
mod runs;
mod sink;
pub mod table;
mod unicode;
mod words;

pub use crate::arch::types::{ByteOrder, OctetOrder};
pub use buffer::PageBuffer;
#[cfg(feature = "dos")]
pub(crate) use builtin::oem;
#[cfg(feature = "legacy")]
pub(crate) use builtin::stateful;
#[cfg(feature = "whatwg")]
pub(crate) use builtin::web;
#[cfg(feature = "whatwg")]
pub use builtin::web::WebCodec;
pub(crate) use builtin::{pages, pages_by_folder};
pub use byte_table::ByteTable;
pub use drive::{Driven, drive};
pub(crate) use drive::{Problem, Stalls};
pub(crate) use engine::TableCodec;
pub use info::{ByteOrders, CodecInfo, EbcdicNl, Superset, TableSource, is_enc_name};
pub(crate) use info::{for_label, with_mark};
pub(crate) use newline::{apply_newline, newline_surface};
#[cfg(feature = "lines")]
pub(crate) use position::{ByteNewlines, MalformedChars, PositionFinder, Positions, TextCounter};
pub(crate) use probe::{
    FirstChar, blank, can_write, char_of_byte, char_of_first_byte, decodes, first_char, has_shift_codes, is_utf8,
};
pub use probe::{byte_order_mark, can_encode, chars_of_bytes, decode_strictly, is_ebcdic};
pub use resume::bytes_before;
pub use sink::{ByteSink, Utf8Sink};
pub(crate) use sink::{SameText, Utf8Buf, short_text};
pub(crate) use table::packed::Packed;
pub(crate) use unicode::{Ucs4, Utf8, Utf16, UtfEbcdic};
pub(crate) use words::{Utf8Batch, Utf8Char, Utf8Filled, Utf8Table, Utf8Units, Utf8Word};

/// The free space, in bytes, with which a codec always makes progress: the longest output of one step.
///
/// It is 64 because a table that a user provides may map one sequence to 31 bytes, with a shift code before and after
/// them.
pub const MIN_ROOM: usize = 64;

/// The farthest back that a fault may reach, in bytes: `len + after` is at most this.
///
/// The longest sequence that a table can have is 31 bytes (ICU's limit). 64 is twice that, and a shift code on either
/// side.
pub const MAX_FAULT: usize = 64;

/// Why a codec stopped.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop<F> {
    /// All of the input was read. From `finish`: the stream is complete.
    InputEmpty,
    /// The next character does not fit. Call again with more room and the unread rest.
    OutputFull,
    /// A fault, which the caller has to handle. The text before it is already in the sink, and `read` includes the
    /// bytes that caused it.
    Fault(F),
}

/// The result of one call of `feed`.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<F> {
    /// How many bytes of the input were read.
    pub read: usize,
    /// Why the codec stopped there.
    pub stop: Stop<F>,
}

/// The result of one call of `feed_replacing`.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replaced<F> {
    /// How much was read, and why the codec stopped there.
    pub step: Step<F>,
    /// How many faults were replaced. The one at which it stopped, if any, is not one of them.
    pub count: u64,
}

/// Bytes that are not a character: one maximal subpart.
///
/// The first of them is `len + after` bytes before the end of everything that was read, in this call and earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// How many bytes are malformed; at least 1. They may lie in earlier inputs.
    pub len: u8,
    /// How many bytes were read after them. The codec still holds these and decodes them later.
    pub after: u8,
}

/// A character that the charset cannot encode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unmappable {
    /// The character.
    pub ch: char,
    /// How many bytes of text were read after it. The codec still holds these and encodes them later.
    pub after: u8,
}

/// Converts bytes to text, incrementally. See the [contract](self#the-contract).
pub trait Decoder: Send {
    /// Decodes `src` into `dst`.
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed>;

    /// Does what [`feed`](Self::feed) does, but continues after malformed bytes: it writes `replacement` in place of
    /// each malformed sequence, or nothing if that is `None`, and counts them. The transcoder calls it when it needs
    /// only their number.
    ///
    /// It may stop at a fault all the same, as `feed` does, and the caller then replaces that one. The default always
    /// does; a codec has its own version for speed only.
    fn feed_replacing(&mut self, src: &[u8], replacement: Option<char>, dst: &mut Utf8Sink<'_>) -> Replaced<Malformed> {
        let _ = replacement;
        Replaced { step: self.feed(src, dst), count: 0 }
    }

    /// Ends the input, or the record. The caller calls it until it returns [`Stop::InputEmpty`].
    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed>;

    /// Decodes all of `src`, a whole text, from the initial state. Returns `false` if any of it is malformed, or if
    /// `dst` is too small; what is in `dst`, and the state, is meaningless then. The caller [resets](Self::reset) the
    /// decoder afterwards. The default calls `feed` and `finish`; a codec has its own version for speed only.
    fn decode_whole(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> bool {
        self.feed(src, dst) == Step { read: src.len(), stop: Stop::InputEmpty }
            && (self.is_bytewise() || self.finish(dst) == Stop::InputEmpty && self.pending() == 0)
    }

    /// Goes back to the initial state.
    fn reset(&mut self);

    /// Returns a copy in the same state. The transcoder decodes bytes a second time with it to find the input offset of
    /// an unmappable character.
    fn fork(&self) -> Box<dyn Decoder>;

    /// Returns how many bytes were read that have neither become text, nor been reported, nor changed the state for
    /// good: the unfinished sequence, at most [`MAX_FAULT`]. If there are any at the end of the input, it is truncated.
    /// A shift code that took effect is not pending.
    fn pending(&self) -> usize;

    /// Returns what is carried from one character to the next, apart from what is [pending](Self::pending), as a
    /// number: 0 in the initial state. `None` if the decoder cannot tell. The numbers of a built-in codec do not change
    /// within a minor version of this crate.
    ///
    /// If bytes are pending, it is the state in which the first of them was read. The default is for decoders with a
    /// [code unit](Self::code_unit), which carry nothing else.
    ///
    /// ```
    /// use charpipe::codec::{Stop, Utf8Sink};
    ///
    /// let codec = charpipe::Registry::builtin().codec("IBM939")?;
    /// let (mut decoder, mut room) = (codec.decoder(), [0; 64]);
    /// // A shift to pairs, one pair, and half of the next.
    /// let step = decoder.feed(b"\x0E\x45\x62\x45", &mut Utf8Sink::new(&mut room));
    /// assert_eq!((step.stop, decoder.pending(), decoder.state()), (Stop::InputEmpty, 1, Some(1)));
    ///
    /// // Another decoder goes on there.
    /// let mut decoder = codec.decoder();
    /// assert!(decoder.set_state(1));
    /// let mut sink = Utf8Sink::new(&mut room);
    /// let step = decoder.feed(b"\x45\x66", &mut sink);
    /// assert_eq!((step.stop, sink.as_str()), (Stop::InputEmpty, "本"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    fn state(&self) -> Option<u64> {
        self.code_unit().map(|_| 0)
    }

    /// Puts the decoder into a state that [`state`](Self::state) of a decoder of the same charset returned, with
    /// nothing pending. Returns `false`, and [resets](Self::reset) the decoder, if there is no such state.
    fn set_state(&mut self, state: u64) -> bool {
        self.reset();
        state == 0 && self.code_unit().is_some()
    }

    /// Returns whether each byte is decoded on its own, whatever comes before it: there is no state, and nothing is
    /// ever pending.
    fn is_bytewise(&self) -> bool {
        false
    }

    /// Returns the length of a code unit in bytes, if only what is [pending](Self::pending) is carried from one
    /// character to the next and no error changes where the units begin: then a new decoder can take over between any
    /// two characters. `None`, which is always safe to return, if that does not hold.
    fn code_unit(&self) -> Option<usize> {
        self.is_bytewise().then_some(1)
    }
}

/// The kind of text that [`Encoder::encode_replacement`] writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replacement<'a> {
    /// The charset's substitution character (subchar; subchar1 for the characters that the table lists for it).
    Substitute,
    /// The character's one-way mapping.
    BestFit,
    /// This text, all of it or nothing: a character reference, an escape. At most 16 characters.
    Text(&'a str),
}

/// Converts text to bytes, incrementally. See the [contract](self#the-contract).
pub trait Encoder: Send {
    /// Encodes `src` into `dst`.
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable>;

    /// Does what [`feed`](Self::feed) does, but continues after characters that the charset does not have: it writes
    /// `replacement` for each, as [`encode_replacement`](Self::encode_replacement) does, or nothing if that is `None`,
    /// and counts them. The transcoder calls it when it needs only their number.
    ///
    /// It may stop at a fault all the same, as `feed` does, and the caller then replaces that one. The default always
    /// does; a codec has its own version for speed only.
    fn feed_replacing(
        &mut self,
        src: &str,
        replacement: Option<Replacement<'_>>,
        dst: &mut ByteSink<'_>,
    ) -> Replaced<Unmappable> {
        let _ = replacement;
        Replaced { step: self.feed(src, dst), count: 0 }
    }

    /// Ends the text, or the record: writes what is pending and what leads back to the initial shift state. The caller
    /// calls it until it returns [`Stop::InputEmpty`].
    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable>;

    /// Goes back to the initial state.
    fn reset(&mut self);

    /// Returns a copy in the same state, on which [`encode_replacement`](Self::encode_replacement) tries a text before
    /// it writes it. An encoder that is [stateless](Self::is_stateless) does not need one; one that is not, and returns
    /// `None`, writes no replacements unless it has an `encode_replacement` of its own.
    fn fork(&self) -> Option<Box<dyn Encoder>> {
        None
    }

    /// Returns the text that stands for a character that the charset does not have; `None` if there is none.
    fn substitute(&self) -> Option<&str> {
        Some("?")
    }

    /// Writes a replacement for `ch`, which was reported as unmappable just before, with the shift codes that the state
    /// requires. The replacement comes before what was read after `ch`. Returns `false`, and writes nothing, if the
    /// charset does not have one, or if there is no room for it. [`MIN_ROOM`] is enough room, so with that much `false`
    /// means that there is none.
    ///
    /// The default is for encoders that are [stateless](Self::is_stateless) or can be [forked](Self::fork), hold back
    /// no text and have no one-way mappings: it encodes the text, or the [substitute](Self::substitute), of at most 16
    /// characters.
    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        let _ = ch;
        match which {
            Replacement::Substitute => {
                let substitute = self.substitute().map(str::to_owned);
                substitute.is_some_and(|substitute| encode_whole(self, &substitute, dst))
            }
            Replacement::BestFit => false,
            Replacement::Text(text) => encode_whole(self, text, dst),
        }
    }

    /// Returns how many bytes of text were read for which nothing has been written yet, because the text after them
    /// decides (a base letter whose combining mark may share its code); at most [`MAX_FAULT`].
    fn pending(&self) -> usize {
        0
    }

    /// Returns what is carried from one character to the next, apart from what is [pending](Self::pending), as a
    /// number: 0 in the initial state. `None` if the encoder cannot tell. The numbers of a built-in codec do not change
    /// within a minor version of this crate.
    ///
    /// If text is pending, it is the state in which the first character of it was read. The default is for encoders
    /// that are [stateless](Self::is_stateless).
    ///
    /// ```
    /// use charpipe::codec::ByteSink;
    ///
    /// let codec = charpipe::Registry::builtin().codec("IBM939")?;
    /// let (mut encoder, mut room) = (codec.encoder().expect("it encodes"), [0; 64]);
    /// let mut sink = ByteSink::new(&mut room);
    /// let _ = encoder.feed("日", &mut sink);
    /// assert_eq!((sink.as_bytes(), encoder.state()), (&b"\x0E\x45\x62"[..], Some(1)));
    ///
    /// // Another encoder goes on there, without a second shift code.
    /// let mut encoder = codec.encoder().expect("it encodes");
    /// assert!(encoder.set_state(1));
    /// let mut sink = ByteSink::new(&mut room);
    /// let _ = encoder.feed("本", &mut sink);
    /// assert_eq!(sink.as_bytes(), b"\x45\x66");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    fn state(&self) -> Option<u64> {
        self.is_stateless().then_some(0)
    }

    /// Puts the encoder into a state that [`state`](Self::state) of an encoder of the same charset returned, with
    /// nothing pending. Returns `false`, and [resets](Self::reset) the encoder, if there is no such state.
    fn set_state(&mut self, state: u64) -> bool {
        self.reset();
        state == 0 && self.is_stateless()
    }

    /// Returns whether only what is [pending](Self::pending) is carried from one character to the next: then a new
    /// encoder can take over where nothing is pending. `false` is always safe to return.
    fn is_stateless(&self) -> bool {
        false
    }
}

/// Encodes all of `text`, at most 16 characters, or nothing; returns whether it did. Meant for encoders that are
/// [stateless](Encoder::is_stateless) or can be [forked](Encoder::fork), and hold back no text.
pub(crate) fn encode_whole<E: Encoder + ?Sized>(encoder: &mut E, text: &str, dst: &mut ByteSink<'_>) -> bool {
    let mut room = [0; 2 * MIN_ROOM];
    let mut trial = encoder.fork();
    if encoder.pending() > 0 || (trial.is_none() && !encoder.is_stateless()) {
        return false;
    }
    if let Some(trial) = &mut trial {
        let mut sink = ByteSink::new(&mut room);
        let is_whole = trial.feed(text, &mut sink).stop == Stop::InputEmpty && trial.pending() == 0;
        if !is_whole || sink.written() > dst.room() {
            return false;
        }
    }
    let mut sink = ByteSink::new(&mut room);
    let is_whole = encoder.feed(text, &mut sink).stop == Stop::InputEmpty && encoder.pending() == 0;
    is_whole && dst.push(sink.as_bytes())
}

/// A charset: its name, and the decoder and the encoder for it.
///
/// Register your own with [`Registry::register`](crate::Registry::register).
///
/// ```
/// use charpipe::codec::{Stop, Utf8Sink};
///
/// let codec = charpipe::Registry::builtin().codec("UTF-16BE")?;
/// let (mut decoder, mut room) = (codec.decoder(), [0; 16]);
/// let mut text = Utf8Sink::new(&mut room);
/// // The end of the input cuts a unit: its first byte is read and kept.
/// let step = decoder.feed(b"\x20\xAC\x00", &mut text);
/// assert_eq!((step.read, step.stop, decoder.pending()), (3, Stop::InputEmpty, 1));
/// assert_eq!(text.as_str(), "€");
/// # Ok::<(), charpipe::Error>(())
/// ```
pub trait Codec: Send + Sync {
    /// Returns the preferred name: IANA's if there is one. `UTF-8` is the name of UTF-8 only.
    fn name(&self) -> &str;

    /// Returns a new decoder in its initial state.
    fn decoder(&self) -> Box<dyn Decoder>;

    /// Returns a new encoder in its initial state; `None` if the codec can only decode.
    fn encoder(&self) -> Option<Box<dyn Encoder>>;

    /// Calls `work` with a new decoder in its initial state. The default asks for [one in a box](Self::decoder); a
    /// codec has its own version for speed only, so that a short text needs no allocation.
    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        work(&mut *self.decoder());
    }

    /// Calls `work` with a new encoder in its initial state, as [`with_decoder`](Self::with_decoder) does with a
    /// decoder. Returns `false`, and calls nothing, if the codec can only decode.
    fn with_encoder(&self, work: &mut dyn FnMut(&mut dyn Encoder)) -> bool {
        self.encoder().is_some_and(|mut encoder| {
            work(&mut *encoder);
            true
        })
    }

    /// Returns what else is known of the charset. It is asked for often, so it must be cheap. The default knows nothing
    /// beyond the [name](Self::name).
    ///
    /// ```
    /// let registry = charpipe::Registry::builtin();
    /// assert_eq!(registry.codec("IBM1047")?.info().source, "ibm-1047_P100-1995.ucm");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    fn info(&self) -> CodecInfo<'_> {
        CodecInfo::new(self.name())
    }
}

impl std::fmt::Debug for dyn Codec + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Codec").field(&self.name()).finish()
    }
}
