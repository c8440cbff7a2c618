//! What a chart shows, taken from the codec itself: bytes go into its decoder one at a time, and what comes out says
//! what they are. So a codec that somebody registers has charts like any other. How they look is for `layout.rs`.

use crate::escape::harmless;
use charpipe::Registry;
use charpipe::codec::{ByteSink, Codec, Decoder, MIN_ROOM, Stop, Utf8Sink};
use std::borrow::Cow;
use std::cmp::Ordering;

/// A charset, and the chart of one of its bytes: the first, or the one behind those of `lead`.
pub(crate) struct ChartData<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) aliases: Vec<Cow<'a, str>>,
    /// The table or standard that it was taken from, where that is known.
    pub(crate) source: Option<Cow<'a, str>>,
    /// The bytes in front of the charted one.
    pub(crate) lead: Vec<u8>,
    /// What shifts to the set that it is in, where that is not the initial one.
    pub(crate) shift: Vec<u8>,
    /// What each byte is.
    pub(crate) cells: Vec<Cell>,
    /// The sets that shift codes lead to; with the chart of the first byte only.
    pub(crate) shifted: Vec<Shifted>,
}

/// What a byte is, behind those in front of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    /// No character.
    None,
    Text(Text),
    Lead(Lead),
    /// It leads to another set.
    Shift,
}

/// What some bytes are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// It is written as other bytes, or not at all.
    pub(crate) one_way: bool,
}

/// A byte that more bytes follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lead {
    /// How many characters have one byte more.
    pub(crate) characters: usize,
    /// There are characters that have more than one more.
    pub(crate) longer: bool,
}

/// A set that shift codes lead to.
pub(crate) struct Shifted {
    pub(crate) shift: Vec<u8>,
    /// What each byte leads to there.
    pub(crate) leads: Vec<Option<Lead>>,
}

impl<'a> ChartData<'a> {
    /// The chart of the byte behind `lead`; `None` where nothing is there.
    pub(crate) fn new(codec: &'a dyn Codec, registry: &'a Registry, lead: &[u8]) -> Option<ChartData<'a>> {
        let reader = Reader::new(codec);
        let (shift, state) = reader.behind(lead)?;
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
    /// Whether it is the chart of the single bytes of an EBCDIC page: blank, A and 0 are where they always are there.
    pub(crate) fn is_ebcdic(&self) -> bool {
        let is = |byte: usize, wanted: &str| matches!(&self.cells[byte], Cell::Text(text) if text.text == wanted);
        self.lead.is_empty() && is(0x40, " ") && is(0xC1, "A") && is(0xF0, "0")
    }

    /// Makes its names fit to be shown: those of a caller's table may hold anything.
    pub(crate) fn make_harmless(&mut self) {
        for name in std::iter::once(&mut self.name).chain(&mut self.aliases).chain(&mut self.source) {
            *name = harmless(name).into();
        }
    }

    /// Whether any of the bytes is a character.
    pub(crate) fn has_texts(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Text(_)))
    }
}

/// Whether the charset is a form of Unicode, which has all characters and no table. GB 18030 has all of them, and a
/// table too.
pub(crate) fn is_unicode(codec: &dyn Codec) -> bool {
    codec.name() == "ISO-10646-UCS-2" || (encode(codec, "\u{10FFFF}").is_some() && codec.name() != "gb18030")
}

/// Where two charsets are not the same: bytes, shift codes left out, and what each makes of them.
pub(crate) struct Difference {
    pub(crate) bytes: Vec<u8>,
    pub(crate) texts: [Option<Text>; 2],
}

/// How two charsets differ.
pub(crate) struct Differences {
    /// In the order of the number of their bytes and then of those.
    pub(crate) found: Vec<Difference>,
    /// There are characters of more bytes than were compared.
    pub(crate) more: bool,
}

/// The differences among the characters whose bytes begin with `lead`. Three bytes are compared, and two behind `lead`:
/// a million sequences of four bytes that GB 18030 computes are nothing to look at.
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
        let texts = [readers[0].text_of(a), readers[1].text_of(b)];
        if texts[0] != texts[1] {
            found.push(Difference { bytes, texts });
        }
    }
}

fn bytes() -> std::ops::RangeInclusive<u8> {
    0..=255
}

/// What one byte did to a decoder.
enum Did {
    /// It is bad there.
    Fault,
    Wrote(String),
    /// More bytes have to follow.
    Waits,
    /// No text, and nothing to wait for.
    Shifts,
}

/// What `byte` does to a decoder in `state`, and the decoder after it.
fn probe(state: &dyn Decoder, byte: u8) -> (Did, Box<dyn Decoder>) {
    let mut decoder = state.fork();
    let mut room = [0; 4 * MIN_ROOM];
    let mut sink = Utf8Sink::new(&mut room);
    let step = decoder.feed(&[byte], &mut sink);
    let taken = step.read == 1 && step.stop == Stop::InputEmpty;
    let did = match (taken, sink.as_str(), decoder.pending()) {
        (true, "", 0) => Did::Shifts,
        (true, "", _) => {
            // It may be a character already, whose sequence could go on.
            let mut sink = Utf8Sink::new(&mut room);
            let stop = decoder.fork().finish(&mut sink);
            match sink.as_str() {
                text if stop == Stop::InputEmpty && !text.is_empty() => Did::Wrote(text.to_owned()),
                _ => Did::Waits,
            }
        }
        (true, text, 0) => Did::Wrote(text.to_owned()),
        _ => Did::Fault,
    };
    (did, decoder)
}

/// What comes behind `byte`, where something does.
fn lead(state: &dyn Decoder, byte: u8) -> Option<Lead> {
    let (Did::Waits, state) = probe(state, byte) else { return None };
    let mut lead = Lead { characters: 0, longer: false };
    for byte in bytes() {
        match probe(&*state, byte) {
            (Did::Wrote(_), _) => lead.characters += 1,
            // A sequence that shifts is none of them.
            (Did::Waits, state) if !lead.longer => {
                lead.longer = bytes().any(|byte| matches!(probe(&*state, byte).0, Did::Wrote(_) | Did::Waits));
            }
            _ => {}
        }
    }
    (lead.characters > 0 || lead.longer).then_some(lead)
}

/// A set of characters, and the decoder in it.
struct Set {
    /// What leads there; nothing for the initial one.
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

/// Bytes that are a character.
struct Sequence<'a> {
    bytes: Vec<u8>,
    text: String,
    shift: &'a [u8],
}

impl Sequence<'_> {
    fn order(&self) -> (usize, &[u8]) {
        (self.bytes.len(), &self.bytes)
    }
}

/// A codec and its sets, the initial one first; of those that shift codes lead to the ones that have leads of their own.
struct Reader<'a> {
    codec: &'a dyn Codec,
    sets: Vec<Set>,
}

/// The longest shift code.
const LONGEST_SHIFT: usize = 4;

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
            // Of two ways to the same set the one that is written.
            let known = reader.sets.iter().position(|other| other.leads == set.leads);
            match known {
                None => reader.sets.push(set),
                Some(known) if known > 0 && reader.writes(&set) => reader.sets[known] = set,
                Some(_) => {}
            }
        }
        reader
    }

    /// Whether the encoder shifts to the set in this manner.
    fn writes(&self, set: &Set) -> bool {
        let mut walk = Walk::new(&[]);
        walk.through(set, &*set.state);
        walk.found.first().is_some_and(|first| !self.is_one_way(first))
    }

    /// The decoder behind `lead`, in the first set that has it, and what shifts to that set.
    fn behind(&self, lead: &[u8]) -> Option<(&[u8], Box<dyn Decoder>)> {
        self.sets.iter().find_map(|set| {
            let mut state = set.state.fork();
            for &byte in lead {
                let (Did::Waits, next) = probe(&*state, byte) else { return None };
                state = next;
            }
            Some((&*set.shift, state))
        })
    }

    fn cell(&self, state: &dyn Decoder, shift: &[u8], front: &[u8], byte: u8) -> Cell {
        let bytes = [front, &[byte]].concat();
        match probe(state, byte).0 {
            Did::Fault => Cell::None,
            Did::Wrote(text) => {
                let sequence = Sequence { bytes, text, shift };
                let one_way = self.is_one_way(&sequence);
                Cell::Text(Text { text: sequence.text, one_way })
            }
            Did::Waits => match lead(state, byte) {
                Some(lead) => Cell::Lead(lead),
                None if self.sets.iter().any(|set| set.shift.starts_with(&bytes)) => Cell::Shift,
                None => Cell::None,
            },
            Did::Shifts => Cell::Shift,
        }
    }

    /// All that are characters, in their order. What two sets have counts for the first of them; of a set that is
    /// shifted to only what has more than a byte counts, as the others would be mistaken for those of the initial one.
    fn sequences(&self, lead: &[u8]) -> Walk<'_> {
        let mut walk = Walk::new(lead);
        for set in &self.sets {
            walk.through(set, &*set.state);
        }
        walk.found.sort_by(|a, b| a.order().cmp(&b.order()));
        walk.found.dedup_by(|later, first| later.bytes == first.bytes);
        walk
    }

    fn text_of(&self, sequence: Option<Sequence<'_>>) -> Option<Text> {
        let sequence = sequence?;
        let one_way = self.is_one_way(&sequence);
        Some(Text { text: sequence.text, one_way })
    }

    /// Whether the text of a sequence is written as other bytes, or not at all.
    fn is_one_way(&self, Sequence { bytes, text, shift }: &Sequence<'_>) -> bool {
        let written = encode(self.codec, text);
        let rest = written.as_deref().and_then(|written| written.strip_prefix(*shift)?.strip_prefix(&**bytes));
        // Behind it there may be what leads back to the initial set.
        rest.is_none_or(|rest| shift.is_empty() && !rest.is_empty())
    }
}

/// Finds the shift codes: bytes that no text comes of, and nothing has to follow.
fn find_shifts(state: &dyn Decoder, begun: &mut Vec<u8>, found: &mut Vec<(Vec<u8>, Box<dyn Decoder>)>) {
    for byte in bytes() {
        begun.push(byte);
        match probe(state, byte) {
            (Did::Shifts, state) => found.push((begun.clone(), state)),
            // What leads to characters does not lead to shift codes, too.
            (Did::Waits, next)
                if begun.len() < LONGEST_SHIFT && lead(state, byte).is_none_or(|lead| !leads_to_text(lead, &*next)) =>
            {
                find_shifts(&*next, begun, found);
            }
            _ => {}
        }
        begun.pop();
    }
}

/// Whether characters come of what follows a lead byte: one byte more, or two.
fn leads_to_text(found: Lead, state: &dyn Decoder) -> bool {
    found.characters > 0 || bytes().any(|byte| lead(state, byte).is_some_and(|lead| lead.characters > 0))
}

/// Goes through what bytes there are.
struct Walk<'a> {
    lead: Vec<u8>,
    begun: Vec<u8>,
    found: Vec<Sequence<'a>>,
    more: bool,
}

impl<'a> Walk<'a> {
    /// Through what begins with `lead`.
    fn new(lead: &[u8]) -> Self {
        Walk { lead: lead.to_vec(), begun: Vec::new(), found: Vec::new(), more: false }
    }

    fn through(&mut self, set: &'a Set, state: &dyn Decoder) {
        let deepest = (self.lead.len() + 2).max(3);
        let only = self.lead.get(self.begun.len()).copied();
        for byte in bytes().filter(|byte| only.is_none_or(|only| only == *byte)) {
            self.begun.push(byte);
            let (len, shift) = (self.begun.len(), &*set.shift);
            match probe(state, byte) {
                (Did::Wrote(text), _) if len > self.lead.len() && (len > 1 || shift.is_empty()) => {
                    self.found.push(Sequence { bytes: self.begun.clone(), text, shift });
                }
                (Did::Waits, next) if len < deepest => self.through(set, &*next),
                (Did::Waits, _) if !self.more => self.more = lead(state, byte).is_some(),
                _ => {}
            }
            self.begun.pop();
        }
    }
}

/// All of `text` from the initial set back to it; `None` where the codec cannot write it.
fn encode(codec: &dyn Codec, text: &str) -> Option<Vec<u8>> {
    let mut encoder = codec.encoder()?;
    let mut room = [0; 4 * MIN_ROOM];
    let mut sink = ByteSink::new(&mut room);
    let step = encoder.feed(text, &mut sink);
    let whole = step.read == text.len() && step.stop == Stop::InputEmpty;
    (whole && encoder.finish(&mut sink) == Stop::InputEmpty).then(|| sink.as_bytes().to_vec())
}
