//! UTF-8, both ways: validate and pass.
//!
//! What is ill-formed is reported one maximal subpart at a time (Unicode L2/08-150, Unicode Standard D93b, conformance
//! clause C10); `spec/utf8-replacement.tsv` has the vectors. The standard library's validator divides it the same way.

use crate::codec::{ByteSink, Codec, CodecInfo, Decoder, Encoder, Malformed, Step, Stop, Unmappable, Utf8Sink};

/// UTF-8 (RFC 3629).
#[derive(Clone, Copy, Default, Debug)]
pub struct Utf8;

impl Codec for Utf8 {
    fn name(&self) -> &str {
        "UTF-8"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(Utf8Decoder::default())
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(Utf8Encoder))
    }

    fn info(&self) -> CodecInfo<'_> {
        CodecInfo { source: "RFC 3629", ..CodecInfo::new(self.name()) }
    }
}

/// Decodes UTF-8. Between calls it holds the well-formed beginning of at most one sequence.
#[derive(Clone, Default, Debug)]
pub struct Utf8Decoder {
    held: [u8; 4],
    len: u8,
}

impl Utf8Decoder {
    fn held(&self) -> &[u8] {
        &self.held[..self.len as usize]
    }

    /// Takes bytes until the held sequence is complete or found bad. `None`: `src` ended first, or nothing was held.
    fn complete(&mut self, src: &[u8], read: &mut usize, dst: &mut Utf8Sink<'_>) -> Option<Stop<Malformed>> {
        while self.len > 0 {
            let &byte = src.get(*read)?;
            let len = self.len as usize;
            self.held[len] = byte;
            match std::str::from_utf8(&self.held[..len + 1]) {
                Ok(text) => {
                    if dst.push_str(text) == 0 {
                        return Some(Stop::OutputFull);
                    }
                    *read += 1;
                    self.len = 0;
                }
                Err(error) if error.error_len().is_none() => {
                    *read += 1;
                    self.len += 1;
                }
                Err(_) => {
                    // The byte does not belong: it stays unread, so what was held is the whole fault.
                    self.len = 0;
                    return Some(Stop::Fault(Malformed { len: len as u8, after: 0 }));
                }
            }
        }
        None
    }
}

impl Decoder for Utf8Decoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let mut read = 0;
        if let Some(stop) = self.complete(src, &mut read, dst) {
            return Step { read, stop };
        }
        while read < src.len() {
            read += dst.push_utf8(&src[read..]);
            // No more than can be written is looked at, so that nothing is validated twice.
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
                    // A sequence cut by the end of the window. By the end of the input: keep it. By the end of the
                    // room: what follows in `src` may complete it or show it bad.
                    self.len = rest.len() as u8;
                    self.held[..rest.len()].copy_from_slice(rest);
                    let before = read;
                    read += rest.len();
                    match self.complete(src, &mut read, dst) {
                        None => {}
                        Some(Stop::OutputFull) => {
                            self.len = 0;
                            return Step { read: before, stop: Stop::OutputFull };
                        }
                        Some(stop) => return Step { read, stop },
                    }
                }
            }
        }
        Step { read, stop: Stop::InputEmpty }
    }

    fn finish(&mut self, _dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        let len = std::mem::take(&mut self.len);
        if len == 0 { Stop::InputEmpty } else { Stop::Fault(Malformed { len, after: 0 }) }
    }

    fn reset(&mut self) {
        self.len = 0;
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    fn pending(&self) -> usize {
        self.held().len()
    }

    fn code_unit(&self) -> Option<usize> {
        Some(1)
    }
}

/// Encodes UTF-8: a copy.
#[derive(Clone, Copy, Default, Debug)]
pub struct Utf8Encoder;

impl Encoder for Utf8Encoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        let mut read = src.len().min(dst.room());
        while !src.is_char_boundary(read) {
            read -= 1;
        }
        dst.push(&src.as_bytes()[..read]);
        Step { read, stop: if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull } }
    }

    fn finish(&mut self, _dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        Stop::InputEmpty
    }

    fn reset(&mut self) {}

    fn substitute(&self) -> Option<&str> {
        Some("\u{FFFD}")
    }

    fn is_stateless(&self) -> bool {
        true
    }
}

/// The bits that a byte outside ASCII has set.
const NOT_ASCII: u64 = 0x8080_8080_8080_8080;

/// For encoders: makes units of the charset of `src` from `read` on and writes them to `out` from `at` on, as many bytes
/// at a time as are ASCII with the character behind them, and moves both on. `ascii` makes one of an ASCII byte (and
/// anything of another), `two` of a character of two bytes; beside it they answer whether that is bad: any bit set.
///
/// Stops, at the beginning of a character, where it cannot get on: where a character is bad or longer than two bytes,
/// where two that are not ASCII follow each other, and near the end of `src` or `out`. That is for the caller to do a
/// character at a time, some sixteen of them before this is worth trying again.
#[inline(always)]
pub(in crate::codec) fn runs<T>(
    src: &str,
    read: &mut usize,
    out: &mut [T],
    at: &mut usize,
    ascii: impl Fn(u8) -> (T, u16),
    two: impl Fn(u16) -> (T, u16),
) {
    while let Some(block) = src.as_bytes()[*read..].first_chunk::<32>()
        && let Some(places) = out[*at..].first_chunk_mut::<32>()
    {
        if block[0] >= 0x80 && block[2] >= 0x80 {
            break;
        }
        let mut bad = 0;
        let words = block.as_chunks::<8>().0;
        if words.iter().fold(0, |all, word| all | u64::from_le_bytes(*word)) & NOT_ASCII == 0 {
            for (place, byte) in places.iter_mut().zip(block) {
                let (made, is_bad) = ascii(*byte);
                *place = made;
                bad |= is_bad;
            }
            if bad != 0 {
                break;
            }
            *read += 32;
            *at += 32;
            continue;
        }
        // All eight are made something of, and what does not count is overwritten by the next: no branch on how many
        // do, as it would be mispredicted.
        let run = ((u64::from_le_bytes(words[0]) & NOT_ASCII).trailing_zeros() / 8) as usize;
        for (place, byte) in places.iter_mut().zip(words[0]) {
            let (made, is_bad) = ascii(byte);
            *place = made;
            bad |= is_bad;
        }
        let (first, second, is_two) = (block[run], block[run + 1], run < 8);
        let (made, is_bad) = two(u16::from(first & 0x1F) << 6 | u16::from(second & 0x3F));
        bad |= (is_bad | u16::from(first >= 0xE0)) & u16::from(is_two).wrapping_neg();
        if bad != 0 {
            break;
        }
        places[run] = made;
        *read += run + 2 * usize::from(is_two);
        *at += run + usize::from(is_two);
    }
}
