//! The tables of a charset as a decoder or an encoder uses them: all of them, or for a short text only the part that it
//! needs.
//!
//! A built-in page of double bytes has up to 24,000 characters. A program that converts one value should not have to
//! unpack them all, so the first short texts get tables with their own charts or code points. A text cannot tell such
//! tables from whole ones: whatever is looked up for it is there. Nothing is made twice: a part is a copy of a draft, and
//! the whole is that draft with all the rest.

use super::draft::{Keys, Tables};
use crate::codec::Packed;
use crate::codec::batches::WORTH;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many parts of a page are made, at most, before the whole.
const PARTS: usize = 4;

/// How often parts are asked for, at most. Each time it is looked up whether the part has enough, which altogether takes
/// about as long as making the whole.
const TEXTS: usize = 1000;

/// The tables of a charset for one direction, which its decoders or encoders share.
#[derive(Debug)]
pub(in crate::codec::engine) struct Shared<T: Tables> {
    whole: OnceLock<T>,
    /// Where the tables come from, unless they are there from the beginning.
    page: Option<Packed>,
    /// How often a part was asked for: once for each piece of a text, and for its end.
    texts: AtomicUsize,
    latest: Mutex<Latest<T>>,
}

/// The part that was made last, which has all keys of those before it.
#[derive(Debug)]
struct Latest<T: Tables> {
    draft: Option<T::Draft>,
    part: Option<Arc<Part<T>>>,
    /// How many parts were made.
    count: usize,
}

#[derive(Debug)]
struct Part<T> {
    tables: T,
    keys: Keys,
}

impl<T: Tables> Shared<T> {
    pub(in crate::codec::engine) fn new(tables: T) -> Self {
        Self::from(OnceLock::from(tables), None)
    }

    /// Makes the tables of a page when they are needed.
    pub(in crate::codec::engine) const fn of_page(page: Packed) -> Self {
        Self::from(OnceLock::new(), Some(page))
    }

    const fn from(whole: OnceLock<T>, page: Option<Packed>) -> Self {
        Shared { whole, page, texts: AtomicUsize::new(0), latest: Mutex::new(Latest::NONE) }
    }

    fn latest(&self) -> MutexGuard<'_, Latest<T>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the whole, and makes it if it is not there.
    #[cold]
    #[inline(never)]
    fn whole(&self) -> &T {
        self.whole.get_or_init(|| {
            let page = self.page.expect("what is not made of a page is there from the beginning");
            let latest = std::mem::replace(&mut *self.latest(), Latest::NONE);
            let mut draft = latest.draft.unwrap_or_else(|| T::draft(page));
            T::add_all(&mut draft);
            T::finish(draft)
        })
    }
}

impl Keys {
    fn has_all(&self, others: &Keys) -> bool {
        self.0.iter().zip(others.0).all(|(keys, others)| keys & others == others)
    }

    fn add_all(&mut self, others: &Keys) {
        for (keys, others) in self.0.iter_mut().zip(others.0) {
            *keys |= others;
        }
    }
}

impl<T: Tables> Latest<T> {
    const NONE: Self = Latest { draft: None, part: None, count: 0 };

    /// Returns a part with all these keys; `None` if there have been enough parts.
    fn part(&mut self, page: Packed, mut keys: Keys) -> Option<Arc<Part<T>>> {
        if let Some(part) = &self.part {
            keys.add_all(&part.keys);
        }
        let part = match self.part.take() {
            Some(part) if part.keys == keys => part,
            _ if self.count == PARTS => return None,
            _ => {
                self.count += 1;
                let draft = self.draft.get_or_insert_with(|| T::draft(page));
                T::add(draft, &keys);
                Arc::new(Part { tables: T::finish(draft.clone()), keys })
            }
        };
        self.part = Some(part.clone());
        Some(part)
    }
}

/// The tables that one decoder or encoder uses.
#[derive(Debug)]
pub(super) struct InUse<T: Tables> {
    shared: Arc<Shared<T>>,
    part: Option<Arc<Part<T>>>,
}

impl<T: Tables> Clone for InUse<T> {
    fn clone(&self) -> Self {
        InUse { shared: self.shared.clone(), part: self.part.clone() }
    }
}

impl<T: Tables> InUse<T> {
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        InUse { shared, part: None }
    }

    /// Returns whether the tables have all keys.
    #[inline(always)]
    pub(super) fn have_all(&self) -> bool {
        self.shared.whole.get().is_some()
    }

    /// Sees to it that the tables have the keys of a text of `len` bytes, which `add` adds. Unless the tables
    /// [have all](Self::have_all), it must be called for each text before [`get`](Self::get); what earlier texts needed
    /// stays there.
    pub(super) fn prepare(&mut self, len: usize, add: &dyn Fn(Packed, &mut Keys)) {
        let is_short = || len < WORTH && self.shared.texts.fetch_add(1, Ordering::Relaxed) < TEXTS;
        if let Some(page) = self.shared.page.filter(|_| is_short()) {
            let mut keys = Keys::default();
            add(page, &mut keys);
            if self.part.as_ref().is_some_and(|part| part.keys.has_all(&keys)) {
                return;
            }
            if let Some(part) = self.shared.latest().part(page, keys) {
                self.part = Some(part);
                return;
            }
        }
        self.shared.whole();
    }

    /// Returns tables with all that was prepared.
    #[inline(always)]
    pub(super) fn get(&self) -> &T {
        match (self.shared.whole.get(), &self.part) {
            (Some(tables), _) => tables,
            (None, Some(part)) => &part.tables,
            (None, None) => self.shared.whole(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::is_full;
    use crate::codec::dice::Dice;
    use crate::codec::engine::multi_byte::decode::{DecodeTable, MultiByteDecoder};
    use crate::codec::engine::multi_byte::encode::{EncodeTable, MultiByteEncoder};
    use crate::codec::table::Table;
    use crate::codec::{
        ByteSink, Decoder, Encoder, MIN_ROOM, Malformed, Replacement, Stop, Unmappable, Utf8Sink, pages,
    };

    /// The built-in pages that are made in parts.
    fn pages_of_pairs() -> impl Iterator<Item = Packed> {
        let is_some = |page: &Packed| !cfg!(miri) || page.name() == "IBM939";
        pages().filter(|page| !page.is_single() && !page.has_states()).filter(is_some)
    }

    /// The lengths of the texts; in a sample, some of them.
    fn lens() -> impl Iterator<Item = usize> {
        let most = if cfg!(miri) { 1 } else { 40 };
        (1..=most).step_by(if is_full() { 1 } else { 13 })
    }

    /// Decodes pieces of this many bytes; returns the text, and each fault with its place in the bytes and in the text.
    fn decoded(
        tables: &Arc<Shared<DecodeTable>>,
        src: &[u8],
        piece: usize,
    ) -> (String, Vec<(usize, usize, Malformed)>, Option<u64>) {
        let mut decoder = MultiByteDecoder::new(tables.clone());
        let (mut room, mut text, mut faults, mut at) = ([0; MIN_ROOM], String::new(), Vec::new(), 0);
        for piece in src.chunks(piece).chain([&[][..]]) {
            let mut read = 0;
            loop {
                let mut sink = Utf8Sink::new(&mut room);
                let stop = if piece.is_empty() {
                    decoder.finish(&mut sink)
                } else {
                    let step = decoder.feed(&piece[read..], &mut sink);
                    read += step.read;
                    step.stop
                };
                text.push_str(sink.as_str());
                match stop {
                    Stop::InputEmpty => break,
                    Stop::OutputFull => {}
                    Stop::Fault(fault) => faults.push((at + read, text.len(), fault)),
                }
            }
            at += read;
        }
        (text, faults, decoder.state())
    }

    /// Encodes pieces of about this many bytes, and replaces what is unmappable; returns the bytes, and each fault with
    /// its place in the text and in the bytes.
    fn encoded(
        tables: &Arc<Shared<EncodeTable>>,
        text: &str,
        piece: usize,
    ) -> (Vec<u8>, Vec<(usize, usize, Unmappable)>) {
        let mut encoder = MultiByteEncoder::new(tables.clone());
        let (mut room, mut bytes, mut faults, mut at) = ([0; MIN_ROOM], Vec::new(), Vec::new(), 0);
        loop {
            let end = (at + piece..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
            let is_end = at == end;
            loop {
                let mut sink = ByteSink::new(&mut room);
                let stop = if is_end {
                    encoder.finish(&mut sink)
                } else {
                    let step = encoder.feed(&text[at..end], &mut sink);
                    at += step.read;
                    step.stop
                };
                bytes.extend(sink.as_bytes());
                match stop {
                    Stop::InputEmpty => break,
                    Stop::OutputFull => {}
                    Stop::Fault(fault) => {
                        faults.push((at, bytes.len(), fault));
                        let mut sink = ByteSink::new(&mut room);
                        let text = if faults.len() % 2 == 0 { "&#21644;" } else { "和" };
                        _ = encoder.encode_replacement(fault.ch, Replacement::BestFit, &mut sink)
                            || encoder.encode_replacement(fault.ch, Replacement::Text(text), &mut sink)
                            || encoder.encode_replacement(fault.ch, Replacement::Substitute, &mut sink);
                        bytes.extend(sink.as_bytes());
                    }
                }
            }
            if is_end {
                return (bytes, faults);
            }
        }
    }

    /// Returns some codes of the table with shift codes where they belong, and sometimes where they do not, and bytes
    /// that are malformed.
    fn bytes(dice: &mut Dice, table: &Table, len: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < len {
            match dice.below(8) {
                0 => bytes.push(dice.below(256) as u8),
                1 => bytes.push([0x0E, 0x0F][dice.below(2)]),
                2 if !table.sequences.is_empty() => {
                    bytes.extend(&table.sequences[dice.below(table.sequences.len())].bytes);
                }
                _ => {
                    let code = table.mappings[dice.below(table.mappings.len())].code;
                    bytes.extend(&code.bytes()[..code.len()]);
                }
            }
        }
        bytes
    }

    /// Returns characters of the table, others, and those that combine.
    fn text(dice: &mut Dice, table: &Table, len: usize) -> String {
        let mut text = String::new();
        while text.len() < len {
            match dice.below(8) {
                0 => text.extend(char::from_u32(dice.below(0x3_0000) as u32)),
                1 => text.push(dice.below(0x80) as u8 as char),
                2 if !table.sequences.is_empty() => {
                    text.push_str(&table.sequences[dice.below(table.sequences.len())].text);
                }
                _ => text.push(table.mappings[dice.below(table.mappings.len())].ch),
            }
        }
        text
    }

    #[test]
    fn a_part_decodes_as_the_whole() {
        let mut dice = Dice::new();
        for page in pages_of_pairs() {
            let (table, whole) = (page.table(), Arc::new(Shared::new(DecodeTable::of_page(page))));
            for len in lens() {
                let src = bytes(&mut dice, &table, len);
                for piece in [src.len(), 1 + dice.below(src.len()), 1] {
                    let part = Arc::new(Shared::of_page(page));
                    let piece = piece.min(WORTH - 1);
                    assert_eq!(
                        decoded(&part, &src, piece),
                        decoded(&whole, &src, piece),
                        "{}: {src:02X?}",
                        page.name()
                    );
                    let is_part = src.len().div_ceil(piece) < PARTS;
                    assert!(!is_part || part.whole.get().is_none(), "{}: {src:02X?}", page.name());
                }
            }
        }
    }

    #[test]
    fn a_part_encodes_as_the_whole() {
        let mut dice = Dice::new();
        for page in pages_of_pairs() {
            let (table, whole) = (page.table(), Arc::new(Shared::new(EncodeTable::of_page(page))));
            for len in lens() {
                let text = text(&mut dice, &table, len);
                for piece in [text.len(), 1 + dice.below(text.len()), 1] {
                    let part = Arc::new(Shared::of_page(page));
                    let piece = piece.min(WORTH - 4);
                    assert_eq!(
                        encoded(&part, &text, piece),
                        encoded(&whole, &text, piece),
                        "{}: {text:?}",
                        page.name()
                    );
                }
            }
        }
    }

    /// After enough parts, or texts, the whole is made, which all use from then on, and a long text makes it at once.
    #[test]
    fn parts_are_few() {
        let page = pages_of_pairs().next().expect("a page of pairs");
        let wholes = |src: &[u8], piece: usize| {
            let shared = Arc::new(Shared::of_page(page));
            let mut decoder = MultiByteDecoder::new(shared.clone());
            let mut is_whole = Vec::new();
            for piece in src.chunks(piece) {
                _ = decoder.feed(piece, &mut Utf8Sink::new(&mut [0; 1024]));
                is_whole.push(shared.whole.get().is_some());
            }
            is_whole
        };
        let pairs = b"\x0E\x42\x42\x43\x43\x44\x44\x45\x45\x46\x46\x47\x47";
        let made = wholes(pairs, 2);
        assert_eq!(made.iter().position(|is_whole| *is_whole), Some(PARTS), "{made:?}");
        assert_eq!(wholes(&[0x40; WORTH], WORTH), [true]);
        let made = wholes(&[0x40; TEXTS + 1], 1);
        assert_eq!(made.iter().position(|is_whole| *is_whole), Some(TEXTS));
        assert_eq!(wholes(&[0x40; WORTH], WORTH - 1), [false; 2]);
    }
}
