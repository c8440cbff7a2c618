//! A code page as a codec: which engine runs it, and when the engine's tables are built.
//!
//! The tables of a direction are built when the first decoder or encoder is made, and those of a page with pairs when
//! it is first used: for a short text, only the part that it needs. A page that is not used costs nothing.

mod multi_byte;
mod single_byte;

#[cfg(feature = "legacy")]
pub(super) use multi_byte::ShiftedCodes;

use crate::codec::table::packed::Packed;
use crate::codec::table::{Table, TableShape};
use crate::codec::{Codec, CodecInfo, Decoder, Encoder, TableSource};
use multi_byte::Shared;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A codec that runs a [`Table`].
///
/// It can be shared between threads. All its decoders, and all its encoders, share one set of engine tables.
#[derive(Debug)]
pub(crate) struct TableCodec {
    source: Source,
    decode: OnceLock<Decode>,
    encode: OnceLock<Encode>,
}

/// Where the table comes from.
#[derive(Debug)]
enum Source {
    Given(Table),
    Packed(Packed),
    /// Made from the name when it is needed.
    Made {
        name: &'static str,
        source: &'static str,
        make: fn(&'static str) -> Table,
    },
}

#[derive(Debug)]
enum Decode {
    Single(Arc<single_byte::DecodeTable>),
    Multi(Arc<Shared<multi_byte::DecodeTable>>),
}

#[derive(Debug)]
enum Encode {
    Single(Arc<single_byte::EncodeTable>),
    Multi(Arc<Shared<multi_byte::EncodeTable>>),
}

impl Table {
    /// Makes the codec that runs the table.
    ///
    /// It can be shared between threads. All its decoders, and all its encoders, share one set of engine tables.
    ///
    /// ```standalone_crate
    /// use charpipe::codec::decode_strictly;
    /// use charpipe::codec::table::chart;
    ///
    /// let codec = chart::parse(include_str!("../../../codecs/IBM1047.txt"), &|_| None)?.into_codec();
    /// assert_eq!(decode_strictly(&codec, b"\xC8\x89").as_deref(), Some("Hi"));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn into_codec(self) -> impl Codec {
        TableCodec::new(self)
    }
}

impl TableCodec {
    /// Makes a codec from a table that was built or read at run time. If mappings contradict each other, either may win;
    /// mappings that do not fit the shape may be left out. [`Table::check`] finds both.
    #[must_use]
    pub const fn new(table: Table) -> Self {
        Self::from(Source::Given(table))
    }

    /// Makes the codec of a built-in page, one of [`pages`](crate::codec::pages).
    pub(crate) const fn of(page: Packed) -> Self {
        Self::from(Source::Packed(page))
    }

    /// Makes the codec `name`, whose table `make` builds from that name when it is needed. The name and the source in
    /// that table do not count.
    pub(crate) const fn made(name: &'static str, source: &'static str, make: fn(&'static str) -> Table) -> Self {
        Self::from(Source::Made { name, source, make })
    }

    const fn from(source: Source) -> Self {
        TableCodec { source, decode: OnceLock::new(), encode: OnceLock::new() }
    }

    /// Returns the tables for decoding, which it builds when they are first needed.
    fn decode_tables(&self) -> &Decode {
        self.decode.get_or_init(|| self.make_decode_tables())
    }

    /// Not inlined: a function with a name of its own can be put beside those that run before it
    /// (`packaging/start-order`), and its stack is free again when it returns.
    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    fn make_decode_tables(&self) -> Decode {
        if let Source::Packed(page) = self.source {
            return match page.is_single() {
                true => Decode::Single(Arc::new(single_byte::decode_table_of(page))),
                false => Decode::Multi(Arc::new(Shared::of_page(page))),
            };
        }
        let table = self.table();
        match is_single(&table) {
            true => Decode::Single(Arc::new(single_byte::decode_table(&table))),
            false => Decode::Multi(Arc::new(Shared::new(multi_byte::DecodeTable::new(&table)))),
        }
    }

    /// Returns the tables for encoding, which it builds when they are first needed.
    fn encode_tables(&self) -> &Encode {
        self.encode.get_or_init(|| self.make_encode_tables())
    }

    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    fn make_encode_tables(&self) -> Encode {
        if let Source::Packed(page) = self.source
            && !page.is_single()
        {
            return Encode::Multi(Arc::new(Shared::of_page(page)));
        }
        let table = self.table();
        match is_single(&table) {
            true => Encode::Single(Arc::new(single_byte::EncodeTable::new(&table))),
            false => Encode::Multi(Arc::new(Shared::new(multi_byte::EncodeTable::new(&table)))),
        }
    }
}

impl TableSource for TableCodec {
    fn table(&self) -> Cow<'_, Table> {
        match &self.source {
            Source::Given(table) => Cow::Borrowed(table),
            Source::Packed(page) => Cow::Owned(page.table()),
            Source::Made { name, make, .. } => Cow::Owned(make(name)),
        }
    }

    fn single_bytes(&self) -> Option<[Option<char>; 256]> {
        match (&self.source, self.decode.get()) {
            // What has been made is asked with less work.
            (Source::Packed(page), None) => Some(page.single_bytes()),
            _ => None,
        }
    }
}

/// Returns whether the engine for single bytes can run the table.
fn is_single(table: &Table) -> bool {
    table.shape == TableShape::Single
        && table.sequences.is_empty()
        && table.mappings.iter().all(|mapping| mapping.code.len() == 1 && (mapping.ch as u32) < 0x1_0000)
}

impl Codec for TableCodec {
    fn name(&self) -> &str {
        match &self.source {
            Source::Given(table) => &table.name,
            Source::Packed(page) => page.name(),
            Source::Made { name, .. } => name,
        }
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        match self.decode_tables() {
            Decode::Single(table) => Box::new(single_byte::SingleByteDecoder::new(table.clone())),
            Decode::Multi(table) => Box::new(multi_byte::MultiByteDecoder::new(table.clone())),
        }
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(match self.encode_tables() {
            Encode::Single(table) => Box::new(single_byte::SingleByteEncoder { table: table.clone() }),
            Encode::Multi(table) => Box::new(multi_byte::MultiByteEncoder::new(table.clone())),
        })
    }

    fn with_decoder(&self, work: &mut dyn FnMut(&mut dyn Decoder)) {
        match self.decode_tables() {
            Decode::Single(table) => work(&mut single_byte::SingleByteDecoder::new(table.clone())),
            Decode::Multi(table) => work(&mut multi_byte::MultiByteDecoder::new(table.clone())),
        }
    }

    fn with_encoder(&self, work: &mut dyn FnMut(&mut dyn Encoder)) -> bool {
        match self.encode_tables() {
            Encode::Single(table) => work(&mut single_byte::SingleByteEncoder { table: table.clone() }),
            Encode::Multi(table) => work(&mut multi_byte::MultiByteEncoder::new(table.clone())),
        }
        true
    }

    fn info(&self) -> CodecInfo<'_> {
        let source = match &self.source {
            Source::Given(table) => &table.source,
            Source::Packed(page) => page.source(),
            Source::Made { source, .. } => source,
        };
        CodecInfo { source, table: Some(self), ..CodecInfo::new(self.name()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::builtin::pages;
    use crate::codec::probe::char_of_byte;

    #[test]
    fn single_bytes_are_those_of_a_decoder() {
        for page in pages().filter(|page| !page.has_states()) {
            let codec = TableCodec::of(page);
            let known = codec.single_bytes().expect("no decoder was asked for");
            let decoder = codec.decoder();
            for byte in 0..=0xFF {
                let ch = char_of_byte(&*decoder, byte);
                assert_eq!(known[usize::from(byte)], ch, "{}: {byte:02X}", page.name());
            }
            assert!(codec.single_bytes().is_none());
        }
    }
}
