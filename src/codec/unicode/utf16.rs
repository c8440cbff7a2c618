//! UTF-16 in both byte orders (RFC 2781), and UCS-2, which is UTF-16 without surrogates.
//!
//! A surrogate without its other half is malformed: these two bytes and not the code unit after them. An odd byte at
//! the end is malformed too. UCS-2 decodes as UTF-16, because such data usually turns out to be UTF-16; it encodes only
//! the Basic Multilingual Plane.

use super::held::{Form, FormDecoder, FormEncoder, Held};
use crate::arch::isa;
use crate::arch::types::ByteOrder;
use crate::arch::utf16::from_utf8;
use crate::codec::runs::runs;
use crate::codec::{
    ByteOrders, ByteSink, Codec, CodecInfo, Decoder, Encoder, Malformed, Step, Stop, Unmappable, Utf8Sink,
};

const ORDERS: &[&str] = &["UTF-16BE", "UTF-16LE"];

/// UTF-16 or UCS-2 under one of its names.
#[derive(Clone, Copy, Debug)]
pub struct Utf16 {
    name: &'static str,
    little: bool,
    bmp_only: bool,
    byte_orders: Option<ByteOrders>,
}

impl Utf16 {
    /// `UTF-16BE`.
    pub const BE: Utf16 = Utf16 { name: "UTF-16BE", little: false, bmp_only: false, byte_orders: None };
    /// `UTF-16LE`.
    pub const LE: Utf16 = Utf16 { name: "UTF-16LE", little: true, bmp_only: false, byte_orders: None };
    /// `UTF-16`: the bytes show the order; as a target it is big-endian with a byte order mark.
    pub const UTF_16: Utf16 =
        Utf16 { name: "UTF-16", byte_orders: Some(ByteOrders { names: ORDERS, bom: true }), ..Utf16::BE };
    /// `ISO-10646-UCS-2`: the bytes show the order; as a target it is big-endian without a byte order mark.
    pub const UCS_2: Utf16 = Utf16 {
        name: "ISO-10646-UCS-2",
        bmp_only: true,
        byte_orders: Some(ByteOrders { names: ORDERS, bom: false }),
        ..Utf16::BE
    };
    /// `UCS-2BE`: the Basic Multilingual Plane.
    pub(crate) const UCS_2BE: Utf16 = Utf16 { name: "UCS-2BE", bmp_only: true, ..Utf16::BE };
    /// `UCS-2LE`: the Basic Multilingual Plane.
    pub(crate) const UCS_2LE: Utf16 = Utf16 { name: "UCS-2LE", bmp_only: true, ..Utf16::LE };
}

impl Utf16 {
    /// Returns what the encoder does.
    fn encoding(&self) -> impl Fn(&str, &mut ByteSink<'_>) -> Step<Unmappable> + Send + 'static {
        let Utf16 { little, bmp_only, .. } = *self;
        move |src, dst| match little {
            true => encode::<true>(bmp_only, src, dst),
            false => encode::<false>(bmp_only, src, dst),
        }
    }
}

impl Codec for Utf16 {
    fn name(&self) -> &str {
        self.name
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        FormDecoder::boxed(Utf16Form { little: self.little })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(FormEncoder::boxed(self.encoding()))
    }

    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        work(&mut FormDecoder::new(Utf16Form { little: self.little }));
    }

    fn with_encoder(&self, work: &mut dyn FnMut(&mut dyn Encoder)) -> bool {
        work(&mut FormEncoder(self.encoding()));
        true
    }

    fn info(&self) -> CodecInfo<'_> {
        // `UCS-2BE` and `UCS-2LE` are names of iconv only. In a document, the bytes show the order.
        let (source, xml_name) =
            if self.bmp_only { ("ISO/IEC 10646", Utf16::UCS_2.name) } else { ("RFC 2781", self.name) };
        CodecInfo { source, byte_orders: self.byte_orders, ..CodecInfo::new(xml_name) }
    }
}

#[inline(always)]
fn unit<const LITTLE: bool>(bytes: [u8; 2]) -> u16 {
    if LITTLE { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }
}

#[inline(always)]
fn order<const LITTLE: bool>() -> ByteOrder {
    if LITTLE { ByteOrder::Little } else { ByteOrder::Big }
}

/// Decodes UTF-16. Between calls it holds an odd byte, a high surrogate, or both.
#[derive(Clone)]
struct Utf16Form {
    little: bool,
}

impl Utf16Form {
    /// Decodes whole characters from the front of `src`. Returns [`Stop::InputEmpty`] even if the end of `src` cuts a
    /// character, which stays unread.
    #[inline(always)]
    fn characters<const LITTLE: bool>(src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let units = src.as_chunks::<2>().0;
        let mut at = 0;
        let fault = |at: usize| Step { read: at * 2, stop: Stop::Fault(Malformed { len: 2, after: 0 }) };
        while at < units.len() {
            at += dst.push_utf16(order::<LITTLE>(), units[at..].as_flattened()) / 2;
            // Sixteen units at a time, while none is a surrogate and all fit.
            while let Some(block) = units[at..].first_chunk::<16>() {
                let mut codes = [0; 16];
                for (code, bytes) in codes.iter_mut().zip(block) {
                    *code = unit::<LITTLE>(*bytes).into();
                }
                if !dst.push_block(&codes) {
                    break;
                }
                at += 16;
            }
            let end = units.len().min(at + 16);
            while at < end {
                let first = unit::<LITTLE>(units[at]);
                let (ch, len) = match char::from_u32(first as u32) {
                    Some(ch) => (ch, 1),
                    None if first >= 0xDC00 => return fault(at + 1),
                    None => match units.get(at + 1) {
                        None => return Step { read: at * 2, stop: Stop::InputEmpty },
                        Some(&bytes) => {
                            let second = unit::<LITTLE>(bytes);
                            match char::decode_utf16([first, second]).next() {
                                Some(Ok(ch)) => (ch, 2),
                                _ => return fault(at + 1),
                            }
                        }
                    },
                };
                if !dst.push(ch) {
                    return Step { read: at * 2, stop: Stop::OutputFull };
                }
                at += len;
            }
        }
        Step { read: at * 2, stop: Stop::InputEmpty }
    }

    fn run(&self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        if self.little { Self::characters::<true>(src, dst) } else { Self::characters::<false>(src, dst) }
    }
}

impl Form<3> for Utf16Form {
    const CODE_UNIT: Option<usize> = Some(2);

    fn feed(&self, held: &mut Held<3>, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let mut read = 0;
        // First the held bytes, with as few new ones as are needed.
        while held.len() > 0 {
            let len = held.len();
            let mut four = [0; 4];
            four[..len].copy_from_slice(held.bytes());
            let Some(&byte) = src.get(read) else {
                return Step { read, stop: Stop::InputEmpty };
            };
            four[len] = byte;
            let step = self.run(&four[..len + 1], dst);
            match step.stop {
                Stop::OutputFull => return Step { read, stop: Stop::OutputFull },
                Stop::InputEmpty if step.read == 0 => {
                    // The character is still incomplete.
                    held.extend(&[byte]);
                    read += 1;
                }
                Stop::InputEmpty => {
                    held.clear();
                    read += 1;
                }
                Stop::Fault(fault) if len == 3 => {
                    // A high surrogate, and a unit that does not belong to it. The first byte of that unit may have
                    // come in an earlier call, so it stays held; it is not part of the fault.
                    held.remove(2);
                    return Step { read, stop: Stop::Fault(Malformed { after: 1, ..fault }) };
                }
                Stop::Fault(fault) => {
                    held.clear();
                    return Step { read: read + 1, stop: Stop::Fault(fault) };
                }
            }
        }
        let step = self.run(&src[read..], dst);
        read += step.read;
        if step.stop == Stop::InputEmpty {
            held.extend(&src[read..]);
            read = src.len();
        }
        Step { read, stop: step.stop }
    }

    fn finish(held: &mut Held<3>) -> Stop<Malformed> {
        // A high surrogate and an odd byte are two faults.
        if held.len() == 3 {
            held.remove(2);
            return Stop::Fault(Malformed { len: 2, after: 1 });
        }
        held.finish()
    }
}

/// Encodes UTF-16; or with `bmp_only` UCS-2, in which characters outside the Basic Multilingual Plane are unmappable.
#[inline(always)]
fn encode<const LITTLE: bool>(bmp_only: bool, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
    let bytes = |unit: u16| if LITTLE { unit.to_le_bytes() } else { unit.to_be_bytes() };
    let mut read = 0;
    let mut fault = None;
    dst.fill(|spare| {
        let units = spare.as_chunks_mut::<2>().0;
        let mut at = 0;
        'all: while read < src.len() {
            let room = units[at..].as_flattened_mut();
            let (taken, put) = from_utf8(isa(), order::<LITTLE>(), bmp_only, &src[read..], room);
            read += taken;
            at += put / 2;
            runs(src, &mut read, units, &mut at, |byte| (bytes(byte.into()), 0), |unit| (bytes(unit), 0));
            for ch in src[read..].chars().take(16) {
                let code = ch as u32;
                if code <= 0xFFFF {
                    let Some(unit) = units.get_mut(at) else { break 'all };
                    *unit = bytes(code as u16);
                    at += 1;
                } else if bmp_only {
                    fault = Some(Unmappable { ch, after: 0 });
                    break 'all;
                } else {
                    let Some([high, low]) = units.get_mut(at..at + 2) else { break 'all };
                    let mut pair = [0; 2];
                    ch.encode_utf16(&mut pair);
                    *high = bytes(pair[0]);
                    *low = bytes(pair[1]);
                    at += 2;
                }
                read += ch.len_utf8();
            }
        }
        at * 2
    });
    match fault {
        Some(fault) => Step { read: read + fault.ch.len_utf8(), stop: Stop::Fault(fault) },
        None if read == src.len() => Step { read, stop: Stop::InputEmpty },
        None => Step { read, stop: Stop::OutputFull },
    }
}
