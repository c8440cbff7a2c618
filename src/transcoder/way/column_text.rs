//! Converts the text of a column in which a policy has to be applied: malformed bytes, characters that the target
//! lacks, text that is too long.
//!
//! It is decoded byte by byte, so that the input position of each character is known.

use super::column_page::Page;
use crate::codec::{ByteSink, MIN_ROOM, Malformed, Replacement, Stop, Unmappable, Utf8Sink};
use crate::error::{Error, ErrorKind};
use crate::transcoder::charset::check_can_write;
use crate::transcoder::faults::{constant_replacement, replacement};
use crate::transcoder::report::{MalformedAt, Place, RecordPosition, UnmappableAt};
use crate::transcoder::run::Run;
use crate::transcoder::target::Target;

/// Maps the bytes of a record, or of a column of it, to the input.
#[derive(Clone, Copy)]
pub(super) struct RecordPlaces<'a> {
    /// The number of the record, from 1.
    pub(super) record: u64,
    /// Where in the record each stretch of data begins that follows framing, and where in the input.
    pub(super) stretches: &'a [(usize, u64)],
    /// Where in the record the column begins.
    pub(super) column: usize,
    /// How far the input was read: the place of a record without bytes.
    pub(super) end: u64,
}

impl RecordPlaces<'_> {
    /// Returns the place of the byte at `index` of the column.
    pub(super) fn at(&self, index: usize) -> Place {
        let at = self.column + index;
        let after = self.stretches.partition_point(|(start, _)| *start <= at);
        let stretch = after.checked_sub(1).and_then(|index| self.stretches.get(index));
        let offset = stretch.map_or(self.end, |(start, offset)| offset + (at - start) as u64);
        Place { offset, record: Some(RecordPosition { number: self.record, column: at as u64 + 1 }), position: None }
    }
}

/// The text of a column, without the spaces at its end.
pub(super) struct ColumnText<'a> {
    text: String,
    /// Where in the text each character begins, the byte of the column that it came from, and whether it stands for
    /// malformed bytes.
    origins: Vec<(usize, usize, bool)>,
    place: RecordPlaces<'a>,
    malformed: Vec<MalformedAt>,
    /// The error that ends the text.
    failed: Option<Error>,
}

impl<'a> ColumnText<'a> {
    /// Decodes `bytes` with the policy for malformed bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`] from a decoder that breaks its contract. An error in the bytes ends the text.
    pub(super) fn decode(page: &mut Page, bytes: &[u8], place: RecordPlaces<'a>, run: &Run) -> Result<Self, Error> {
        let (text, origins, malformed) = Default::default();
        let mut column = ColumnText { text, origins, place, malformed, failed: None };
        page.decoder.reset();
        let base = page.decoder.read();
        let mut bytes = bytes.chunks(1);
        let mut rest: &[u8] = &[];
        let mut is_end = false;
        while column.failed.is_none() {
            if rest.is_empty() && !is_end {
                match bytes.next() {
                    Some(byte) => rest = byte,
                    None => is_end = true,
                }
            }
            let begin = (page.decoder.read() - base) as usize - page.decoder.pending();
            let mut buffer = [0; 4 * MIN_ROOM];
            let mut sink = Utf8Sink::new(&mut buffer);
            let stop = if is_end {
                page.decoder.finish(&mut sink)?
            } else {
                let step = page.decoder.feed(rest, &mut sink)?;
                rest = &rest[step.read..];
                step.stop
            };
            column.push(sink.as_str(), begin, false);
            match stop {
                Stop::Fault(fault) => column.replace(page, fault, base, run),
                Stop::InputEmpty if is_end => break,
                Stop::InputEmpty | Stop::OutputFull => {}
            }
        }
        if column.failed.is_none() {
            let len = column.text.trim_end_matches(page.blank()).len();
            column.text.truncate(len);
        }
        Ok(column)
    }

    fn push(&mut self, text: &str, from: usize, stands_for_malformed: bool) {
        let at = self.text.len();
        self.origins.extend(text.char_indices().map(|(index, _)| (at + index, from, stands_for_malformed)));
        self.text.push_str(text);
    }

    /// Applies the policy to malformed bytes.
    fn replace(&mut self, page: &Page, fault: Malformed, base: u64, run: &Run) {
        let back = u64::from(fault.len) + u64::from(fault.after);
        let from = (page.decoder.read() - base).saturating_sub(back) as usize;
        let Place { offset, record, .. } = self.place.at(from);
        let bytes = page.decoder.fault_bytes(fault);
        let policy = run.settings.malformed;
        let Some(text) = replacement(policy, &bytes) else {
            let kind = ErrorKind::Malformed { codec: page.name().to_owned(), offset, bytes };
            self.failed = Some(Error::in_record(kind, record));
            return;
        };
        if constant_replacement(policy).is_none()
            && let Err(error) = check_can_write(&*run.settings.to, &text, offset)
        {
            self.failed = Some(error);
            return;
        }
        self.push(&text, from, true);
        self.malformed.push(MalformedAt { offset, bytes, record, position: None });
    }

    /// Returns the byte of the column that the character at `at` of the text came from, and whether the character
    /// stands for malformed bytes.
    fn origin(&self, at: usize) -> (usize, bool) {
        let after = self.origins.partition_point(|(index, ..)| *index <= at);
        self.origins.get(after.saturating_sub(1)).map_or((0, false), |(_, from, stands)| (*from, *stands))
    }

    /// Encodes as many characters as fit into `room` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`] from an encoder that breaks its contract.
    pub(super) fn cut(&self, room: usize, target: &mut Target, run: &Run) -> Result<Vec<u8>, Error> {
        // The more characters, the more bytes.
        let ends: Vec<usize> = self.text.char_indices().map(|(index, _)| index).collect();
        let (mut fits, mut too_long) = (0, ends.len());
        let mut kept = Vec::new();
        while fits + 1 < too_long {
            let middle = fits.midpoint(too_long);
            let mut unmappable = Vec::new();
            let made = self.encode_front(ends[middle], target, run.bytes_in, &mut unmappable)?;
            if made.len() <= room {
                (fits, kept) = (middle, made);
            } else {
                too_long = middle;
            }
        }
        Ok(kept)
    }

    /// Encodes the first `len` bytes of the text. Adds the characters that the target lacks to `unmappable`.
    fn encode_front(
        &self,
        len: usize,
        target: &mut Target,
        bytes_in: u64,
        unmappable: &mut Vec<UnmappableAt>,
    ) -> Result<Vec<u8>, Error> {
        let mut made = Vec::new();
        encode_each(&self.text[..len], target, bytes_in, &mut made, |fault, at, target, made| {
            self.unmappable(fault, at, target, bytes_in, made, unmappable)?;
            Ok(true)
        })?;
        Ok(made)
    }

    /// Applies the policy to a character that the target lacks, at `at` of the text.
    fn unmappable(
        &self,
        fault: Unmappable,
        at: usize,
        target: &mut Target,
        bytes_in: u64,
        made: &mut Vec<u8>,
        unmappable: &mut Vec<UnmappableAt>,
    ) -> Result<(), Error> {
        let ch = fault.ch;
        let (from, stands_for_malformed) = self.origin(at);
        let Place { offset, record, .. } = self.place.at(from);
        let mut buffer = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        // U+FFFD in place of malformed bytes was counted there, and is replaced regardless of the policy.
        let is_counted = stands_for_malformed && ch == char::REPLACEMENT_CHARACTER;
        let is_allowed = if is_counted {
            target.encoder.encode_replacement(ch, Replacement::Substitute, &mut sink, bytes_in)?
        } else {
            target.policy.write(ch, true, &mut target.encoder, &mut sink, bytes_in)?
        };
        made.extend_from_slice(sink.as_bytes());
        if !is_allowed {
            let codec = target.codec.name().to_owned();
            return Err(Error::in_record(ErrorKind::Unmappable { codec, ch, offset }, record));
        }
        if !is_counted {
            unmappable.push(UnmappableAt { offset, ch, record, position: None });
        }
        Ok(())
    }
}

/// Encodes the text with the policy for characters that the target lacks, and counts what was replaced before an error.
///
/// # Errors
/// What the policies do not allow.
pub(super) fn encode(text: &ColumnText<'_>, target: &mut Target, run: &mut Run) -> Result<Vec<u8>, Error> {
    let mut unmappable = Vec::new();
    let made = text.encode_front(text.text.len(), target, run.bytes_in, &mut unmappable);
    let failed = made.as_ref().err().or(text.failed.as_ref());
    let end = failed.and_then(Error::offset).unwrap_or(u64::MAX);
    let report = &mut run.report;
    text.malformed.iter().filter(|fault| fault.offset < end).for_each(|fault| report.malformed.add(|| fault.clone()));
    unmappable.into_iter().for_each(|fault| report.unmappable.add(|| fault));
    match failed {
        Some(error) => Err(error.clone()),
        None => made,
    }
}

/// Encodes a whole column, and appends it to `made`. Returns `false` if the target lacks a character.
///
/// # Errors
/// [`ErrorKind::Codec`] from an encoder that breaks its contract.
pub(super) fn encode_whole(text: &str, target: &mut Target, bytes_in: u64, made: &mut Vec<u8>) -> Result<bool, Error> {
    encode_each(text, target, bytes_in, made, |_, _, _, _| Ok(false))
}

/// Encodes a whole column, and appends it to `made`. Calls `lacks` with each character that the target lacks and its
/// place in the text. If it returns `false`, the column ends there, and so does this function.
#[inline]
fn encode_each(
    text: &str,
    target: &mut Target,
    bytes_in: u64,
    made: &mut Vec<u8>,
    mut lacks: impl FnMut(Unmappable, usize, &mut Target, &mut Vec<u8>) -> Result<bool, Error>,
) -> Result<bool, Error> {
    target.encoder.reset();
    let base = target.encoder.fed();
    let mut rest = text;
    let is_encoded = loop {
        let mut buffer = [0; 8 * MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        let is_end = rest.is_empty();
        let stop = if is_end {
            target.encoder.finish(&mut sink, bytes_in)?
        } else {
            let step = target.encoder.feed(rest, &mut sink, bytes_in)?;
            rest = &rest[step.read..];
            step.stop
        };
        made.extend_from_slice(sink.as_bytes());
        match stop {
            Stop::Fault(fault) => {
                let at = target.encoder.fed() - base - u64::from(fault.after) - fault.ch.len_utf8() as u64;
                if !lacks(fault, at as usize, target, made)? {
                    break false;
                }
            }
            Stop::InputEmpty if is_end => break true,
            Stop::InputEmpty | Stop::OutputFull => {}
        }
    };
    target.encoder.reset();
    Ok(is_encoded)
}
