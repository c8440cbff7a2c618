//! The contents of a chart, from the codec itself: its decoder gets one byte at a time, and its output shows the
//! meaning of the byte. A codec that a user registers therefore has charts like any other. The other files draw them.

use crate::escape::harmless;
use charpipe::Registry;
use charpipe::codec::{ByteSink, Codec, Decoder, MIN_ROOM, Stop, Utf8Sink};
use std::borrow::Cow;
use std::cmp::Ordering;

/// A charset, and the chart of one byte of its sequences: the first, or the one after the bytes in `lead`.
pub(crate) struct ChartData<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) aliases: Vec<Cow<'a, str>>,
    /// The table or standard that the codec was made from, if that is known.
    pub(crate) source: Option<Cow<'a, str>>,
    /// The bytes before the charted one.
    pub(crate) lead: Vec<u8>,
    /// The code that shifts to the set of the charted byte; empty for the initial set.
    pub(crate) shift: Vec<u8>,
    /// The meaning of each of the 256 bytes.
    pub(crate) cells: Vec<Cell>,
    /// The sets that shift codes lead to. Only in the chart of the first byte.
    pub(crate) shifted: Vec<Shifted>,
}

/// The meaning of a byte, after the bytes before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    /// No character.
    None,
    Text(Text),
    Lead(Lead),
    /// A shift code, or its beginning.
    Shift,
}

/// The text of a sequence of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// The text is written as other bytes, or cannot be written.
    pub(crate) one_way: bool,
}

/// A byte that more bytes follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lead {
    /// How many characters have exactly one more byte.
    pub(crate) characters: usize,
    /// There are characters with more bytes than that.
    pub(crate) longer: bool,
}

/// A set that shift codes lead to.
pub(crate) struct Shifted {
    pub(crate) shift: Vec<u8>,
    /// The meaning of each byte in this set.
    pub(crate) leads: Vec<Option<Lead>>,
}

impl<'a> ChartData<'a> {
    /// Returns the chart of the byte after `lead`, or `None` if no character begins with `lead`.
    pub(crate) fn new(codec: &'a dyn Codec, registry: &'a Registry, lead: &[u8]) -> Option<ChartData<'a>> {
        let reader = Reader::new(codec);
        let (shift, state) = reader.after(lead)?;
        let cells: Vec<Cell> = bytes().map(|byte| reader.cell(&*state, shift, lead, byte)).collect();
        if cells.iter().all(|cell| matches!(cell, Cell::None | Cell::Shift)) {
            return None;
        }
        let shifted = reader.sets[1..].iter().filter(|_| lead.is_empty());
        Some(ChartData {
            name: codec.name().into(),
            aliases: registry.labels(codec.name()).skip(1).map(Cow::from).collect(),
            source: Some(codec.info().source).filter(|source| !source.is_empty()).map(Cow::from),
            lead: lead.to_vec(),
            shift: shift.to_vec(),
            cells,
            shifted: shifted.map(|set| Shifted { shift: set.shift.clone(), leads: set.leads.clone() }).collect(),
        })
    }
}

impl ChartData<'_> {
    /// Returns whether this is the chart of the single bytes of an EBCDIC page: blank, A and 0 are at the same bytes in
    /// all of them.
    pub(crate) fn is_ebcdic(&self) -> bool {
        let is = |byte: usize, wanted: &str| matches!(&self.cells[byte], Cell::Text(text) if text.text == wanted);
        self.lead.is_empty() && is(0x40, " ") && is(0xC1, "A") && is(0xF0, "0")
    }

    /// Escapes the names: those of a user's table may contain anything.
    pub(crate) fn make_harmless(&mut self) {
        for name in std::iter::once(&mut self.name).chain(&mut self.aliases).chain(&mut self.source) {
            *name = harmless(name).into();
        }
    }

    /// Returns whether any byte is a character.
    pub(crate) fn has_texts(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Text(_)))
    }
}

/// Returns whether the charset is a form of Unicode, which has all characters and no table. (GB 18030 has all
/// characters and a table.)
pub(crate) fn is_unicode(codec: &dyn Codec) -> bool {
    matches!(codec.name(), "ISO-10646-UCS-2" | "UCS-2BE" | "UCS-2LE")
        || (encode(codec, "\u{10FFFF}").is_some() && codec.name() != "gb18030")
}

/// A sequence of bytes, without shift codes, that two charsets decode differently.
pub(crate) struct Difference {
    pub(crate) bytes: Vec<u8>,
    pub(crate) texts: [Option<Text>; 2],
}

/// How two charsets differ.
pub(crate) struct Differences {
    /// Sorted by the number of bytes, then by the bytes.
    pub(crate) found: Vec<Difference>,
    /// There are characters with more bytes than were compared.
    pub(crate) more: bool,
}

/// Returns the differences among the characters whose bytes begin with `lead`. Sequences of up to three bytes are
/// compared, or of up to two bytes after `lead`: the million four-byte sequences that GB 18030 computes would be of no
/// use.
pub(crate) fn differences(first: &dyn Codec, second: &dyn Codec, lead: &[u8]) -> Differences {
    let readers = [first, second].map(Reader::new);
    let walks = readers.each_ref().map(|reader| reader.sequences(lead));
    let more = walks.iter().any(|walk| walk.more);
    let [mut first, mut second] = walks.map(|walk| walk.found.into_iter().peekable());
    let mut found = Vec::new();
    loop {
        let order = match (first.peek(), second.peek()) {
            (None, None) => return Differences { found, more },
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.order().cmp(&b.order()),
        };
        let sequences = [first.next_if(|_| order.is_le()), second.next_if(|_| order.is_ge())];
        let Some(bytes) = sequences.iter().flatten().next().map(|sequence| sequence.bytes.clone()) else { continue };
        let [a, b] = sequences;
        let texts = [a.map(|a| readers[0].text_of(a)), b.map(|b| readers[1].text_of(b))];
        if texts[0] != texts[1] {
            found.push(Difference { bytes, texts });
        }
    }
}

impl Differences {
    /// Returns those where both have a character.
    pub(crate) fn both(&self) -> Vec<&Difference> {
        self.found.iter().filter(|row| row.texts.iter().all(Option::is_some)).collect()
    }

    /// Returns those where only the first has a character, or only the second.
    pub(crate) fn only(&self, at: usize) -> Vec<&Difference> {
        self.found.iter().filter(|row| row.texts[1 - at].is_none()).collect()
    }
}

fn bytes() -> std::ops::RangeInclusive<u8> {
    0..=255
}

/// The effect of one byte on a decoder.
enum Effect {
    /// The byte is malformed.
    Fault,
    /// The byte completes this text.
    Text(String),
    /// More bytes must follow.
    Pending,
    /// There is no text, and no more bytes need follow.
    Shift,
}

/// Returns the effect of `byte` on a decoder in `state`, and the decoder after it.
fn probe(state: &dyn Decoder, byte: u8) -> (Effect, Box<dyn Decoder>) {
    let mut decoder = state.fork();
    let mut buffer = [0; 4 * MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut buffer);
    let step = decoder.feed(&[byte], &mut sink);
    let taken = step.read == 1 && step.stop == Stop::InputEmpty;
    let effect = match (taken, sink.as_str(), decoder.pending()) {
        (true, "", 0) => Effect::Shift,
        (true, "", _) => {
            // It may be a character already, although a longer sequence could follow.
            let mut sink = Utf8Sink::new(&mut buffer);
            let stop = decoder.fork().finish(&mut sink);
            match sink.as_str() {
                text if stop == Stop::InputEmpty && !text.is_empty() => Effect::Text(text.to_owned()),
                _ => Effect::Pending,
            }
        }
        (true, text, 0) => Effect::Text(text.to_owned()),
        _ => Effect::Fault,
    };
    (effect, decoder)
}

/// Returns what follows `byte`, if anything does. What follows an escape is the rest of a shift code.
fn lead(state: &dyn Decoder, byte: u8) -> Option<Lead> {
    let (Effect::Pending, state) = probe(state, byte) else { return None };
    if byte == 0x1B {
        return None;
    }
    let mut lead = Lead { characters: 0, longer: false };
    for byte in bytes() {
        match probe(&*state, byte) {
            (Effect::Text(_), _) => lead.characters += 1,
            // A shift code is not a character.
            (Effect::Pending, state) if !lead.longer => {
                lead.longer = bytes().any(|byte| matches!(probe(&*state, byte).0, Effect::Text(_) | Effect::Pending));
            }
            _ => {}
        }
    }
    (lead.characters > 0 || lead.longer).then_some(lead)
}

/// A set of characters, and the decoder in it.
struct Set {
    /// The code that shifts to the set; empty for the initial set.
    shift: Vec<u8>,
    state: Box<dyn Decoder>,
    leads: Vec<Option<Lead>>,
}

impl Set {
    fn new(shift: Vec<u8>, state: Box<dyn Decoder>) -> Self {
        let leads = bytes().map(|byte| lead(&*state, byte)).collect();
        Set { shift, state, leads }
    }
}

/// The bytes of a character.
struct Sequence<'a> {
    bytes: Vec<u8>,
    text: String,
    shift: &'a [u8],
}

impl Sequence<'_> {
    /// Returns the key by which sequences are sorted.
    fn order(&self) -> (usize, &[u8]) {
        (self.bytes.len(), &self.bytes)
    }
}

/// A codec and its sets: the initial set, and then the sets that shift codes lead to and that have lead bytes.
struct Reader<'a> {
    codec: &'a dyn Codec,
    sets: Vec<Set>,
}

/// The length of the longest shift code, in bytes.
const MAX_SHIFT_BYTES: usize = 4;

impl<'a> Reader<'a> {
    fn new(codec: &'a dyn Codec) -> Self {
        let initial = Set::new(Vec::new(), codec.decoder());
        let mut shifts = Vec::new();
        find_shifts(&*initial.state, &mut Vec::new(), &mut shifts);
        let mut reader = Reader { codec, sets: vec![initial] };
        for (shift, state) in shifts {
            let set = Set::new(shift, state);
            if set.leads.iter().all(Option::is_none) {
                continue;
            }
            // Of two shift codes for the same set, the one that the encoder writes.
            let known = reader.sets.iter().position(|other| other.leads == set.leads);
            match known {
                None => reader.sets.push(set),
                Some(known) if known > 0 && reader.writes(&set) => reader.sets[known] = set,
                Some(_) => {}
            }
        }
        reader
    }

    /// Returns whether the encoder writes the shift code of this set.
    fn writes(&self, set: &Set) -> bool {
        let mut walk = Walk::new(&[]);
        walk.collect(set, &*set.state);
        walk.found.first().is_some_and(|first| !self.is_one_way(first))
    }

    /// Returns the decoder after `lead`, in the first set that has it, and the code that shifts to that set.
    fn after(&self, lead: &[u8]) -> Option<(&[u8], Box<dyn Decoder>)> {
        let has = |set: &&Set| lead.first().is_none_or(|first| set.leads[usize::from(*first)].is_some());
        self.sets.iter().filter(has).find_map(|set| {
            let mut state = set.state.fork();
            for &byte in lead {
                let (Effect::Pending, next) = probe(&*state, byte) else { return None };
                state = next;
            }
            Some((&*set.shift, state))
        })
    }

    /// Returns what `byte` is after `before`, with the decoder in `state`.
    fn cell(&self, state: &dyn Decoder, shift: &[u8], before: &[u8], byte: u8) -> Cell {
        let bytes = [before, &[byte]].concat();
        match probe(state, byte).0 {
            Effect::Fault => Cell::None,
            Effect::Text(text) => Cell::Text(self.text_of(Sequence { bytes, text, shift })),
            Effect::Pending => match lead(state, byte) {
                Some(lead) => Cell::Lead(lead),
                None if self.sets.iter().any(|set| set.shift.starts_with(&bytes)) => Cell::Shift,
                None => Cell::None,
            },
            Effect::Shift => Cell::Shift,
        }
    }

    /// Returns the sequences of all characters, sorted. A sequence in two sets counts for the first of them. In sets
    /// that are shifted to, single bytes do not count: they could not be told from those of the initial set.
    fn sequences(&self, lead: &[u8]) -> Walk<'_> {
        let mut walk = Walk::new(lead);
        for set in &self.sets {
            walk.collect(set, &*set.state);
        }
        walk.found.sort_by(|a, b| a.order().cmp(&b.order()));
        walk.found.dedup_by(|later, first| later.bytes == first.bytes);
        walk
    }

    /// Returns the text of a sequence, and whether it is one-way.
    fn text_of(&self, sequence: Sequence<'_>) -> Text {
        Text { one_way: self.is_one_way(&sequence), text: sequence.text }
    }

    /// Returns whether the text of a sequence is written as other bytes, or cannot be written.
    fn is_one_way(&self, Sequence { bytes, text, shift }: &Sequence<'_>) -> bool {
        let written = encode(self.codec, text);
        let rest = written.as_deref().and_then(|written| written.strip_prefix(*shift)?.strip_prefix(&**bytes));
        // A code that shifts back to the initial set may follow.
        rest.is_none_or(|rest| shift.is_empty() && !rest.is_empty())
    }
}

/// Finds the shift codes: sequences that produce no text, and after which no more bytes need follow.
fn find_shifts(state: &dyn Decoder, begun: &mut Vec<u8>, found: &mut Vec<(Vec<u8>, Box<dyn Decoder>)>) {
    for byte in bytes() {
        begun.push(byte);
        match probe(state, byte) {
            (Effect::Shift, state) => {
                // An escape sequence may only say which set a shift code such as SO leads to.
                if begun.len() > 1 {
                    let next = bytes().map(|byte| (byte, probe(&*state, byte)));
                    let next = next.filter(|(_, (effect, _))| matches!(effect, Effect::Shift));
                    found.extend(next.map(|(byte, (_, state))| ([&begun[..], &[byte]].concat(), state)));
                }
                found.push((begun.clone(), state));
            }
            // A byte that leads to characters does not also lead to shift codes.
            (Effect::Pending, next)
                if begun.len() < MAX_SHIFT_BYTES
                    && lead(state, byte).is_none_or(|lead| !leads_to_text(lead, &*next)) =>
            {
                find_shifts(&*next, begun, found);
            }
            _ => {}
        }
        begun.pop();
    }
}

/// Returns whether a lead byte leads to characters with one or two more bytes.
fn leads_to_text(found: Lead, state: &dyn Decoder) -> bool {
    found.characters > 0 || bytes().any(|byte| lead(state, byte).is_some_and(|lead| lead.characters > 0))
}

/// Collects the sequences of characters.
struct Walk<'a> {
    lead: Vec<u8>,
    begun: Vec<u8>,
    found: Vec<Sequence<'a>>,
    more: bool,
}

impl<'a> Walk<'a> {
    /// Collects sequences that begin with `lead`.
    fn new(lead: &[u8]) -> Self {
        Walk { lead: lead.to_vec(), begun: Vec::new(), found: Vec::new(), more: false }
    }

    /// Collects the sequences of a set, from a decoder in `state`.
    fn collect(&mut self, set: &'a Set, state: &dyn Decoder) {
        let deepest = (self.lead.len() + 2).max(3);
        let only = self.lead.get(self.begun.len()).copied();
        for byte in bytes().filter(|byte| only.is_none_or(|only| only == *byte)) {
            self.begun.push(byte);
            let (len, shift) = (self.begun.len(), &*set.shift);
            match probe(state, byte) {
                (Effect::Text(text), _) if len > self.lead.len() && (len > 1 || shift.is_empty()) => {
                    self.found.push(Sequence { bytes: self.begun.clone(), text, shift });
                }
                (Effect::Pending, next) if len < deepest => self.collect(set, &*next),
                (Effect::Pending, _) if !self.more => self.more = lead(state, byte).is_some(),
                _ => {}
            }
            self.begun.pop();
        }
    }
}

/// Encodes `text`, from the initial set back to it. Returns `None` if the codec cannot.
fn encode(codec: &dyn Codec, text: &str) -> Option<Vec<u8>> {
    let mut encoder = codec.encoder()?;
    let mut buffer = [0; 4 * MIN_ROOM];
    let mut sink = ByteSink::new(&mut buffer);
    let step = encoder.feed(text, &mut sink);
    let whole = step.read == text.len() && step.stop == Stop::InputEmpty;
    (whole && encoder.finish(&mut sink) == Stop::InputEmpty).then(|| sink.as_bytes().to_vec())
}
