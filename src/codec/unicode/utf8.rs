//! UTF-8 in both directions: validate and copy.
//!
//! Ill-formed bytes are reported one maximal subpart at a time (Unicode L2/08-150, Unicode Standard D93b, conformance
//! clause C10); `spec/utf8-replacement.tsv` has the vectors. The standard library's validator divides them the same way.

use super::held::{Form, FormDecoder, FormEncoder, Held};
use crate::codec::{
    ByteSink, Codec, CodecInfo, Decoder, Encoder, MIN_ROOM, Malformed, Replaced, Step, Stop, Unmappable, Utf8Sink,
};

/// UTF-8 (RFC 3629).
#[derive(Clone, Copy, Default, Debug)]
pub struct Utf8;

impl Codec for Utf8 {
    fn name(&self) -> &str {
        "UTF-8"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        FormDecoder::boxed(Utf8Form)
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(FormEncoder::boxed(encode))
    }

    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        work(&mut FormDecoder::new(Utf8Form));
    }

    fn info(&self) -> CodecInfo<'_> {
        CodecInfo { source: "RFC 3629", ..CodecInfo::new(self.name()) }
    }
}

/// Decodes UTF-8. Between calls it holds the well-formed beginning of at most one sequence.
#[derive(Clone)]
struct Utf8Form;

impl Utf8Form {
    /// Reads bytes until the held sequence is complete or malformed. Returns `None` if `src` ends first or nothing was
    /// held, and if the sequence was written.
    fn complete(held: &mut Held<4>, src: &[u8], read: &mut usize, dst: &mut Utf8Sink<'_>) -> Option<Stop<Malformed>> {
        while held.len() > 0 {
            let &byte = src.get(*read)?;
            let len = held.len();
            let mut sequence = held.clone();
            sequence.extend(&[byte]);
            match std::str::from_utf8(sequence.bytes()) {
                Ok(text) => {
                    if dst.push_str(text) == 0 {
                        return Some(Stop::OutputFull);
                    }
                    *read += 1;
                    held.clear();
                }
                Err(error) if error.error_len().is_none() => {
                    *read += 1;
                    *held = sequence;
                }
                Err(_) => {
                    // The byte does not continue the sequence. It stays unread; the held bytes are the fault.
                    held.clear();
                    return Some(Stop::Fault(Malformed { len: len as u8, after: 0 }));
                }
            }
        }
        None
    }
}

/// Appends `few` to `dst`, which has three times as much room, with a replacement for each malformed sequence. Returns how
/// many bytes were read, and how many sequences were replaced. A sequence that the end of `few` cuts is not read.
fn push_replacing(few: &[u8], replacement: Option<char>, dst: &mut Utf8Sink<'_>) -> (usize, u64) {
    let (mut read, mut count) = (0, 0);
    for chunk in few.utf8_chunks() {
        read += dst.push_str(chunk.valid());
        let bad = chunk.invalid();
        let is_cut = || std::str::from_utf8(bad).is_err_and(|error| error.error_len().is_none());
        if bad.is_empty() || (read + bad.len() == few.len() && is_cut()) {
            break;
        }
        replacement.map(|ch| dst.push(ch));
        (read, count) = (read + bad.len(), count + 1);
    }
    (read, count)
}

impl Form<4> for Utf8Form {
    const CODE_UNIT: Option<usize> = Some(1);

    fn feed(&self, held: &mut Held<4>, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let mut read = 0;
        if let Some(stop) = Self::complete(held, src, &mut read, dst) {
            return Step { read, stop };
        }
        while read < src.len() {
            read += dst.push_utf8(&src[read..]);
            // Look at no more than can be written, so that nothing is validated twice.
            let window = &src[read..src.len().min(read + dst.room())];
            let (text, bad) = match std::str::from_utf8(window) {
                Ok(text) => (text, None),
                Err(error) => {
                    let (good, rest) = window.split_at(error.valid_up_to());
                    let text = std::str::from_utf8(good).unwrap_or_default();
                    (text, Some((rest, error.error_len())))
                }
            };
            read += dst.push_str(text);
            match bad {
                None => {
                    if read < src.len() {
                        return Step { read, stop: Stop::OutputFull };
                    }
                }
                Some((_, Some(len))) => {
                    let stop = Stop::Fault(Malformed { len: len as u8, after: 0 });
                    return Step { read: read + len, stop };
                }
                Some((rest, None)) => {
                    // The end of the window cuts a sequence. If that is the end of the input, keep the sequence. If it
                    // is the end of the room, the bytes after it may complete the sequence or show that it is malformed.
                    held.extend(rest);
                    let before = read;
                    read += rest.len();
                    match Self::complete(held, src, &mut read, dst) {
                        None => {}
                        Some(Stop::OutputFull) => {
                            held.clear();
                            return Step { read: before, stop: Stop::OutputFull };
                        }
                        Some(stop) => return Step { read, stop },
                    }
                }
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    fn feed_replacing(
        &self,
        held: &mut Held<4>,
        src: &[u8],
        replacement: Option<char>,
        dst: &mut Utf8Sink<'_>,
    ) -> Replaced<Malformed> {
        let (mut read, mut count) = (0, 0);
        if dst.room() < 4 * MIN_ROOM {
            return Replaced { step: self.feed(held, src, dst), count };
        }
        if Self::complete(held, src, &mut read, dst).is_some() {
            // There is room, so what was held is malformed.
            replacement.map(|ch| dst.push(ch));
            count = 1;
        }
        while read < src.len() && held.len() == 0 {
            read += dst.push_utf8(&src[read..]);
            // From the first malformed sequence on, a few bytes at a time: they often come together.
            while dst.room() >= 4 * MIN_ROOM && read < src.len() {
                let few = &src[read..][..MIN_ROOM.min(src.len() - read)];
                let (len, malformed) = push_replacing(few, replacement, dst);
                if len == 0 {
                    // The end of the input cuts a sequence.
                    held.extend(few);
                    return Replaced { step: Step { read: src.len(), stop: Stop::InputEmpty }, count };
                }
                (read, count) = (read + len, count + malformed);
                if malformed == 0 {
                    break;
                }
            }
            if dst.room() < 4 * MIN_ROOM && read < src.len() {
                return Replaced { step: Step { read, stop: Stop::OutputFull }, count };
            }
        }
        Replaced { step: Step { read, stop: Stop::InputEmpty }, count }
    }
}

/// Encodes UTF-8, which is a copy.
fn encode(src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
    let mut read = src.len().min(dst.room());
    while !src.is_char_boundary(read) {
        read -= 1;
    }
    dst.push(&src.as_bytes()[..read]);
    Step { read, stop: if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull } }
}
