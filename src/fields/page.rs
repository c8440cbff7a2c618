//! Text as bytes, in the code page of a field: [`Page`].

use super::{Problem, Trim};
use crate::codec::{
    ByteSink, Codec, Decoder, Encoder, MIN_ROOM, Step, Stop, Utf8Buf, blank, decode_strictly, has_shift_codes,
    is_ebcdic,
};
use crate::error::Error;
use crate::registry::Registry;
use std::borrow::Cow;
use std::sync::Arc;

/// Shift out and shift in: they begin and end the double-byte characters of a mixed page.
const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

/// Returns the text that takes the place of bytes that are malformed in this charset; `None` if they are an error.
pub(crate) type Repair = Arc<dyn Fn(&[u8], &dyn Codec) -> Option<Cow<'static, str>> + Send + Sync>;

/// A code page as fields use it.
pub(super) struct Page {
    codec: Arc<dyn Codec>,
    decoder: Box<dyn Decoder>,
    encoder: Option<Box<dyn Encoder>>,
    /// Whether each byte is a character, independent of the others.
    is_bytewise: bool,
    /// Whether the bytes of a field are double-byte characters of a mixed page, without the shift codes around them.
    adds_shifts: bool,
    /// The padding of a field: a character and its bytes. Empty if the page has no space.
    pad: Vec<u8>,
    pad_char: char,
    /// Whether it is EBCDIC.
    pub(super) is_ebcdic: bool,
}

impl Clone for Page {
    fn clone(&self) -> Self {
        // A decoder between two values is in its initial state, so that a new one is as good.
        let (decoder, encoder) = (self.codec.decoder(), self.encoder.as_ref().and_then(|_| self.codec.encoder()));
        Page { codec: self.codec.clone(), decoder, encoder, pad: self.pad.clone(), ..*self }
    }
}

impl Page {
    /// `double_byte`: fields consist of double-byte characters only. `writes`: an encoder is needed.
    fn new(codec: Arc<dyn Codec>, double_byte: bool, writes: bool) -> Result<Page, String> {
        let decoder = codec.decoder();
        let (is_bytewise, adds_shifts) = (decoder.is_bytewise(), double_byte && has_shift_codes(&*decoder));
        if double_byte && is_bytewise {
            return Err(format!(
                "{} has no double-byte characters; give the field a double-byte page, such as IBM300, or the records a \
                 mixed one, such as IBM939",
                codec.name()
            ));
        }
        let encoder = if writes { codec.encoder() } else { None };
        if writes && encoder.is_none() {
            return Err(format!("{} can be read but not written", codec.name()));
        }
        // The blank of all double-byte EBCDIC pages is 4040.
        let pad = if adds_shifts { vec![0x40; 2] } else { blank(&*codec).unwrap_or_default() };
        let pad_char = match adds_shifts {
            true => Some('\u{3000}'),
            false => decode_strictly(&*codec, &pad).and_then(|text| text.chars().next()),
        };
        let is_ebcdic = is_ebcdic(&*codec) || adds_shifts;
        let pad_char = pad_char.unwrap_or(' ');
        Ok(Page { codec, decoder, encoder, is_bytewise, adds_shifts, pad, pad_char, is_ebcdic })
    }

    pub(super) fn name(&self) -> &str {
        self.codec.name()
    }

    /// Decodes a field and leaves its text in `room`. Returns `false` if it is malformed. `repair` says what happens to
    /// malformed bytes, which are added to the count with it.
    #[inline]
    pub(super) fn decode<'t>(
        &mut self,
        bytes: &[u8],
        trim: Trim,
        repair: (Option<&Repair>, &mut u64),
        room: &'t mut Utf8Buf,
    ) -> Result<&'t str, Problem> {
        let bytes = self.without_blanks(bytes, trim);
        let wanted = 4 * bytes.len() + MIN_ROOM;
        if !self.decode_into(bytes, wanted, room)
            && !self.decode_into(bytes, (bytes.len() + 1) * MIN_ROOM, room)
            && !self.repair_into(bytes, repair, room)
        {
            return Err(Problem::Malformed { codec: self.name().to_owned() });
        }
        Ok(self.trimmed(room.as_str(), trim))
    }

    /// Decodes a field as [`decode`](Self::decode) does, if it is not malformed and its text is not unusually long;
    /// `None` for any other, which `decode` has to look at.
    #[inline]
    pub(super) fn decode_plain<'t>(&mut self, bytes: &[u8], trim: Trim, room: &'t mut Utf8Buf) -> Option<&'t str> {
        let bytes = self.without_blanks(bytes, trim);
        if !self.decode_into(bytes, 4 * bytes.len() + MIN_ROOM, room) {
            return None;
        }
        Some(self.trimmed(room.as_str(), trim))
    }

    /// Returns the bytes without spaces at their end, if those are trimmed: they need no decoding.
    #[inline]
    pub(super) fn without_blanks<'b>(&self, bytes: &'b [u8], trim: Trim) -> &'b [u8] {
        match (trim, self.is_bytewise, &self.pad[..]) {
            (Trim::Blanks, true, [pad]) => trim_byte(bytes, *pad),
            _ => bytes,
        }
    }

    /// Whether the bytes of several fields can be decoded together, without the spaces at their ends.
    pub(super) fn joins(&self, trim: Trim) -> bool {
        self.is_bytewise && (trim == Trim::Nothing || trim == Trim::Blanks && self.pad.len() == 1)
    }

    /// Decodes fields that [can be](Self::joins) decoded together. Returns `false` if some of it is malformed, or if
    /// not every byte became a character of ASCII.
    pub(super) fn decode_ascii(&mut self, bytes: &[u8], room: &mut Utf8Buf) -> bool {
        self.decode_into(bytes, 4 * bytes.len() + MIN_ROOM, room) && room.as_str().len() == bytes.len()
    }

    /// Whether a space precedes this place in ASCII text, because another byte than that of the space is one too.
    #[inline]
    pub(super) fn is_blank_before(&self, text: &str, end: usize) -> bool {
        end > 0 && char::from(text.as_bytes()[end - 1]) == self.pad_char
    }

    #[inline(always)]
    fn trimmed<'t>(&self, text: &'t str, trim: Trim) -> &'t str {
        match trim {
            Trim::Nothing => text,
            Trim::Blanks => text.trim_end_matches(self.pad_char),
            Trim::Nuls => text.trim_end_matches('\0'),
            Trim::BlanksAndNuls => text.trim_end_matches([self.pad_char, '\0']),
        }
    }

    #[inline(always)]
    fn decode_into(&mut self, bytes: &[u8], wanted: usize, room: &mut Utf8Buf) -> bool {
        let all = |len| Step { read: len, stop: Stop::InputEmpty };
        let decoder = &mut *self.decoder;
        if self.is_bytewise {
            return room.fill(wanted, |sink| decoder.feed(bytes, sink) == all(bytes.len()));
        }
        let is_whole = room.fill(wanted, |sink| {
            let mut is_whole = !self.adds_shifts || decoder.feed(&[SHIFT_OUT], sink) == all(1);
            is_whole = is_whole && decoder.feed(bytes, sink) == all(bytes.len()) && decoder.pending() == 0;
            // A shift code within the field would end the double-byte characters.
            is_whole = is_whole && !(self.adds_shifts && bytes.contains(&SHIFT_IN));
            is_whole && decoder.finish(sink) == Stop::InputEmpty
        });
        decoder.reset();
        is_whole
    }

    /// Decodes a field with malformed bytes. Returns `false` if they are an error.
    #[cold]
    fn repair_into(&mut self, bytes: &[u8], (repair, count): (Option<&Repair>, &mut u64), room: &mut Utf8Buf) -> bool {
        // A shift code within the field would end the double-byte characters.
        let Some(repair) = repair.filter(|_| !self.adds_shifts || !bytes.contains(&SHIFT_IN)) else { return false };
        let shift = if self.adds_shifts { &[SHIFT_OUT][..] } else { &[] };
        let bytes = &*[shift, bytes].concat();
        let (codec, decoder, mut repaired) = (&self.codec, &mut *self.decoder, 0);
        let is_whole = room.fill((bytes.len() + 1) * MIN_ROOM, |sink| {
            let mut at = 0;
            loop {
                let is_end = at == bytes.len();
                let stop = if is_end {
                    decoder.finish(sink)
                } else {
                    let step = decoder.feed(&bytes[at..], sink);
                    at += step.read;
                    step.stop
                };
                match stop {
                    Stop::InputEmpty if is_end => return true,
                    Stop::InputEmpty => {}
                    Stop::OutputFull => return false,
                    Stop::Fault(fault) => {
                        let to = at.saturating_sub(fault.after.into());
                        let malformed = &bytes[to.saturating_sub(fault.len.into())..to];
                        let Some(text) = repair(malformed, &**codec) else { return false };
                        repaired += 1;
                        if !text.chars().all(|ch| sink.push(ch)) {
                            return false;
                        }
                    }
                }
            }
        });
        decoder.reset();
        *count += if is_whole { repaired } else { 0 };
        is_whole
    }

    /// Whether its code units have two bytes.
    pub(super) fn is_utf16(&self) -> bool {
        self.decoder.code_unit() == Some(2)
    }

    /// Encodes `text` into `field`, and fills up the rest with spaces. Returns how many bytes the text has.
    pub(super) fn encode(&mut self, text: &str, field: &mut [u8], room: &mut Vec<u8>) -> Result<usize, Problem> {
        let does_not_fit = |len: usize, codec: &str| Problem::DoesNotFit {
            value: text.to_owned(),
            expected: format!("text of at most {len} bytes in {codec}"),
        };
        room.clear();
        // If an encoder stops for lack of room here, it has written more than fits into the field.
        room.resize(field.len() + 2 * MIN_ROOM, 0);
        let encoder = self.encoder.as_deref_mut().ok_or(Problem::Missing)?;
        let outcome = encode_whole(encoder, text, room);
        encoder.reset();
        let name = self.codec.name();
        let len = match outcome {
            Ok(len) => len,
            Err(Some(ch)) => return Err(Problem::Unmappable { ch, codec: name.to_owned() }),
            Err(None) => return Err(does_not_fit(field.len(), name)),
        };
        let mut bytes = &room[..len];
        if self.adds_shifts {
            bytes = match bytes {
                [] => bytes,
                [SHIFT_OUT, pairs @ .., SHIFT_IN]
                    if !pairs.iter().any(|byte| matches!(*byte, SHIFT_OUT | SHIFT_IN)) =>
                {
                    pairs
                }
                _ => {
                    let single = text.chars().find(|ch| ch.is_ascii()).unwrap_or_default();
                    return Err(Problem::Unmappable {
                        ch: single,
                        codec: format!("the double-byte characters of {name}"),
                    });
                }
            };
        }
        let Some((head, rest)) = field.split_at_mut_checked(bytes.len()) else {
            return Err(does_not_fit(field.len(), name));
        };
        head.copy_from_slice(bytes);
        let len_of_text = bytes.len();
        self.fill(rest).map_err(|()| does_not_fit(field.len(), name))?;
        Ok(len_of_text)
    }

    /// Fills `field` with spaces. Fails if they do not fit.
    pub(super) fn fill(&self, field: &mut [u8]) -> Result<(), ()> {
        match &self.pad[..] {
            [pad] => field.fill(*pad),
            pad if !pad.is_empty() && field.len().is_multiple_of(pad.len()) => {
                field.chunks_exact_mut(pad.len()).for_each(|place| place.copy_from_slice(pad));
            }
            _ if field.is_empty() => {}
            _ => return Err(()),
        }
        Ok(())
    }
}

/// Returns `bytes` without the bytes `pad` at its end.
#[inline]
fn trim_byte(bytes: &[u8], pad: u8) -> &[u8] {
    let mut rest = bytes;
    while let Some((head, block)) = rest.split_last_chunk() {
        // The last byte is the highest one.
        let other = u64::from_le_bytes(*block) ^ u64::from_ne_bytes([pad; 8]);
        if other != 0 {
            return &rest[..rest.len() - other.leading_zeros() as usize / 8];
        }
        rest = head;
    }
    while let [head @ .., last] = rest
        && *last == pad
    {
        rest = head;
    }
    rest
}

/// Encodes all of `text` into `room`. Returns the number of bytes; or, as an error, the character that the charset
/// lacks, or `None` if there is not enough room.
fn encode_whole(encoder: &mut dyn Encoder, text: &str, room: &mut [u8]) -> Result<usize, Option<char>> {
    let mut sink = ByteSink::new(room);
    let step = encoder.feed(text, &mut sink);
    match step.stop {
        Stop::InputEmpty if step.read == text.len() => {}
        Stop::Fault(fault) => return Err(Some(fault.ch)),
        _ => return Err(None),
    }
    match encoder.finish(&mut sink) {
        Stop::InputEmpty => Ok(sink.written()),
        Stop::Fault(fault) => Err(Some(fault.ch)),
        Stop::OutputFull => Err(None),
    }
}

/// The code pages of the fields of a layout.
#[derive(Clone)]
pub(super) struct Pages {
    pages: Vec<Page>,
    /// The label of each page (`None` for that of the record), and whether it is for double-byte fields.
    keys: Vec<(Option<String>, bool)>,
    writes: bool,
}

impl Pages {
    /// The first page is that of the record.
    pub(super) fn new(codec: &Arc<dyn Codec>, writes: bool) -> Result<Pages, String> {
        let page = Page::new(codec.clone(), false, writes)?;
        Ok(Pages { pages: vec![page], keys: vec![(None, false)], writes })
    }

    /// Returns the page of the record.
    pub(super) fn main(&self) -> &Page {
        &self.pages[0]
    }

    pub(super) fn get(&mut self, index: usize) -> &mut Page {
        &mut self.pages[index]
    }

    /// Returns the index of the page with this label, and makes it if necessary.
    pub(super) fn index(
        &mut self,
        registry: &Registry,
        label: Option<&str>,
        double_byte: bool,
    ) -> Result<usize, String> {
        let key = (label.map(str::to_owned), double_byte);
        if let Some(index) = self.keys.iter().position(|known| *known == key) {
            return Ok(index);
        }
        let codec = match label {
            None => self.main().codec.clone(),
            Some(label) => registry.codec(label).map_err(|error: Error| error.to_string())?,
        };
        self.pages.push(Page::new(codec, double_byte, self.writes)?);
        self.keys.push(key);
        Ok(self.pages.len() - 1)
    }
}
