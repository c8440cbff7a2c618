//! UCS-4 and UTF-32: one code unit of four octets per character, in any of four octet orders.
//!
//! The orders are those of XML 1.0 Appendix F: 1234 (UTF-32BE), 4321 (UTF-32LE) and the "unusual" 2143 and 3412. A code
//! unit above 10FFFF or in D800–DFFF is malformed. `spec/ucs4-orders.tsv` has the vectors.

use super::held::{Form, FormDecoder, FormEncoder, Held};
use crate::arch::isa;
use crate::arch::types::OctetOrder;
use crate::arch::utf32::from_utf8;
use crate::codec::runs::runs;
use crate::codec::{
    ByteOrders, ByteSink, Codec, CodecInfo, Decoder, Encoder, Malformed, Step, Stop, Unmappable, Utf8Sink,
};

/// UCS-4 under one of its names.
#[derive(Clone, Copy, Debug)]
pub struct Ucs4 {
    name: &'static str,
    xml_name: &'static str,
    order: OctetOrder,
    byte_orders: Option<ByteOrders>,
}

const UCS4_XML_NAME: &str = "ISO-10646-UCS-4";

impl Ucs4 {
    /// `UTF-32BE`.
    pub const UTF_32BE: Ucs4 = Ucs4::ordered("UTF-32BE", "UTF-32BE", OctetOrder::O1234);
    /// `UTF-32LE`.
    pub const UTF_32LE: Ucs4 = Ucs4::ordered("UTF-32LE", "UTF-32LE", OctetOrder::O4321);
    /// `X-ISO-10646-UCS-4-2143`.
    pub const UCS_4_2143: Ucs4 = Ucs4::ordered("X-ISO-10646-UCS-4-2143", UCS4_XML_NAME, OctetOrder::O2143);
    /// `X-ISO-10646-UCS-4-3412`.
    pub const UCS_4_3412: Ucs4 = Ucs4::ordered("X-ISO-10646-UCS-4-3412", UCS4_XML_NAME, OctetOrder::O3412);
    /// `UTF-32`: the bytes show the order; as a target it is big-endian with a byte order mark.
    pub const UTF_32: Ucs4 = Ucs4 {
        byte_orders: Some(ByteOrders { names: &["UTF-32BE", "UTF-32LE"], bom: true }),
        ..Ucs4::ordered("UTF-32", "UTF-32", OctetOrder::O1234)
    };
    /// `ISO-10646-UCS-4`: the bytes show which of the four orders; as a target it is big-endian with a byte order mark.
    pub const ISO_10646_UCS_4: Ucs4 = Ucs4 {
        byte_orders: Some(ByteOrders {
            names: &["UTF-32BE", "UTF-32LE", "X-ISO-10646-UCS-4-2143", "X-ISO-10646-UCS-4-3412"],
            bom: true,
        }),
        ..Ucs4::ordered("ISO-10646-UCS-4", UCS4_XML_NAME, OctetOrder::O1234)
    };

    const fn ordered(name: &'static str, xml_name: &'static str, order: OctetOrder) -> Ucs4 {
        Ucs4 { name, xml_name, order, byte_orders: None }
    }
}

impl Ucs4 {
    /// Returns what the encoder does.
    fn encoding(&self) -> impl Fn(&str, &mut ByteSink<'_>) -> Step<Unmappable> + Send + 'static {
        let order = self.order;
        move |src, dst| {
            let read = match order {
                OctetOrder::O1234 => encode(OctetOrder::O1234, src, dst),
                OctetOrder::O4321 => encode(OctetOrder::O4321, src, dst),
                OctetOrder::O2143 => encode(OctetOrder::O2143, src, dst),
                OctetOrder::O3412 => encode(OctetOrder::O3412, src, dst),
            };
            Step { read, stop: if read == src.len() { Stop::InputEmpty } else { Stop::OutputFull } }
        }
    }
}

impl Codec for Ucs4 {
    fn name(&self) -> &str {
        self.name
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        FormDecoder::boxed(Ucs4Form { order: self.order })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(FormEncoder::boxed(self.encoding()))
    }

    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        work(&mut FormDecoder::new(Ucs4Form { order: self.order }));
    }

    fn with_encoder(&self, work: &mut dyn FnMut(&mut dyn Encoder)) -> bool {
        work(&mut FormEncoder(self.encoding()));
        true
    }

    fn info(&self) -> CodecInfo<'_> {
        let (xml_name, byte_orders) = (Some(self.xml_name), self.byte_orders);
        CodecInfo { xml_name, source: "ISO/IEC 10646", byte_orders, ..CodecInfo::default() }
    }
}

/// Decodes UCS-4. Between calls it holds up to three octets.
#[derive(Clone)]
struct Ucs4Form {
    order: OctetOrder,
}

impl Ucs4Form {
    /// Decodes whole units from the front of `src`.
    fn ordered_units(&self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        match self.order {
            OctetOrder::O1234 => Self::units(OctetOrder::O1234, src, dst),
            OctetOrder::O4321 => Self::units(OctetOrder::O4321, src, dst),
            OctetOrder::O2143 => Self::units(OctetOrder::O2143, src, dst),
            OctetOrder::O3412 => Self::units(OctetOrder::O3412, src, dst),
        }
    }

    /// Decodes whole units from the front of `src`. Inlined, so that the order is a constant.
    #[inline(always)]
    fn units(order: OctetOrder, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let units = src.as_chunks::<4>().0;
        let mut at = 0;
        while at < units.len() {
            at += dst.push_utf32(order, units[at..].as_flattened()) / 4;
            // Sixteen at a time, while each is a character and all fit.
            while let Some(block) = units[at..].first_chunk::<16>() {
                let mut codes = [0; 16];
                for (code, unit) in codes.iter_mut().zip(block) {
                    *code = order.read(*unit);
                }
                if !dst.push_block(&codes) {
                    break;
                }
                at += 16;
            }
            let end = units.len().min(at + 16);
            while at < end {
                match char::from_u32(order.read(units[at])) {
                    Some(ch) if dst.push(ch) => at += 1,
                    Some(_) => return Step { read: at * 4, stop: Stop::OutputFull },
                    None => return Step { read: (at + 1) * 4, stop: Stop::Fault(Malformed { len: 4, after: 0 }) },
                }
            }
        }
        Step { read: at * 4, stop: Stop::InputEmpty }
    }
}

impl Form<4> for Ucs4Form {
    const CODE_UNIT: Option<usize> = Some(4);

    fn feed(&self, held: &mut Held<4>, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let mut read = 0;
        if held.len() > 0 {
            let take = src.len().min(4 - held.len());
            let mut unit = held.clone();
            unit.extend(&src[..take]);
            if unit.len() < 4 {
                *held = unit;
                return Step { read: take, stop: Stop::InputEmpty };
            }
            match self.ordered_units(unit.bytes(), dst).stop {
                Stop::OutputFull => return Step { read: 0, stop: Stop::OutputFull },
                stop => {
                    held.clear();
                    read = take;
                    if stop != Stop::InputEmpty {
                        return Step { read, stop };
                    }
                }
            }
        }
        let step = self.ordered_units(&src[read..], dst);
        read += step.read;
        if step.stop == Stop::InputEmpty {
            held.extend(&src[read..]);
            read = src.len();
        }
        Step { read, stop: step.stop }
    }
}

/// Encodes as much of `src` as fits; returns how many bytes were read. UCS-4 has all characters. Inlined, so that the order
/// is a constant.
#[inline(always)]
fn encode(order: OctetOrder, src: &str, dst: &mut ByteSink<'_>) -> usize {
    let mut read = 0;
    dst.fill(|spare| {
        let units = spare.as_chunks_mut::<4>().0;
        let mut at = 0;
        'all: while read < src.len() {
            let (taken, put) = from_utf8(isa(), order, &src[read..], units[at..].as_flattened_mut());
            read += taken;
            at += put / 4;
            let unit = |code: u32| (order.write(code), 0);
            runs(src, &mut read, units, &mut at, |byte| unit(byte.into()), |code| unit(code.into()));
            for ch in src[read..].chars().take(16) {
                let Some(unit) = units.get_mut(at) else { break 'all };
                *unit = order.write(ch as u32);
                at += 1;
                read += ch.len_utf8();
            }
        }
        at * 4
    });
    read
}
