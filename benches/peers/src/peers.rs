//! The conversions that charpipe is compared with, each with its own input.

use crate::measure::Run;
use encoding_rs::{DecoderResult, Encoding};
use std::hint::black_box;

/// A conversion function of simdutf. It returns the number of code units written, or 0 if the input is invalid, and
/// requires a sufficiently large buffer. The buffer is always large enough: no form of a text is longer than `ROOM`,
/// and the buffer is twice that size.
type Convert<S, D> = unsafe fn(*const S, usize, *mut D) -> usize;

fn convert<S: 'static, D: 'static>(source: Vec<S>, convert: Convert<S, D>) -> Run {
    Run::new(size_of_val(&source[..]), move |room| {
        let source = black_box(&source);
        // SAFETY: the source has the length given, and the buffer is large enough for any output: see `Convert`.
        let units = unsafe { convert(source.as_ptr(), source.len(), room.as_ptr()) };
        black_box(room.as_bytes());
        units * size_of::<D>()
    })
}

pub(crate) fn latin1_to_utf8(latin1: Vec<u8>) -> Run {
    convert(latin1, simdutf::convert_latin1_to_utf8)
}

pub(crate) fn utf8_to_latin1(utf8: Vec<u8>) -> Run {
    convert(utf8, simdutf::convert_utf8_to_latin1)
}

pub(crate) fn utf32_to_utf8(utf32: Vec<u32>) -> Run {
    convert(utf32, simdutf::convert_utf32_to_utf8)
}

pub(crate) fn utf8_to_utf32(utf8: Vec<u8>) -> Run {
    convert(utf8, simdutf::convert_utf8_to_utf32)
}

pub(crate) fn utf16_to_utf8(utf16: Vec<u16>, is_big: bool) -> Run {
    convert(utf16, if is_big { simdutf::convert_utf16be_to_utf8 } else { simdutf::convert_utf16le_to_utf8 })
}

pub(crate) fn utf8_to_utf16(utf8: Vec<u8>, is_big: bool) -> Run {
    convert(utf8, if is_big { simdutf::convert_utf8_to_utf16be } else { simdutf::convert_utf8_to_utf16le })
}

/// For text that is known to be UTF-8.
pub(crate) fn valid_utf8_to_utf16le(text: String) -> Run {
    convert(text.into(), simdutf::convert_valid_utf8_to_utf16le)
}

pub(crate) fn validate_then_copy(utf8: Vec<u8>) -> Run {
    Run::new(utf8.len(), move |room| {
        let utf8 = black_box(&utf8);
        if !simdutf::validate_utf8(utf8) {
            return 0;
        }
        room.as_bytes()[..utf8.len()].copy_from_slice(utf8);
        black_box(room.as_bytes());
        utf8.len()
    })
}

pub(crate) fn encoding_rs(encoding: &'static Encoding, bytes: Vec<u8>) -> Run {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    Run::new(bytes.len(), move |room| {
        let (result, _, written) =
            decoder.decode_to_utf8_without_replacement(black_box(&bytes), room.as_bytes(), false);
        black_box(room.as_bytes());
        if result == DecoderResult::InputEmpty { written } else { 0 }
    })
}
