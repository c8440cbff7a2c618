//! Turns text into output: the encoder takes the text of the queue, and its output goes to the caller or into records.

use crate::codec::{ByteSink, Codec, MIN_ROOM, Replacement, Step, Stop, Unmappable, can_write};
use crate::detect::Diagnostic;
use crate::error::{Error, ErrorKind};
use crate::text::MAX_SEQUENCE;
#[cfg(feature = "mojibake")]
use crate::text::Repair;
use crate::text::controls::OnControl;
use crate::text::xml::XmlPlace;
use crate::transcoder::faults::UnmappablePolicy;
use crate::transcoder::guard::{CheckedEncoder, PassingChars};
use crate::transcoder::records::write::RecordsOut;
#[cfg(feature = "mojibake")]
use crate::transcoder::report::RepairedAt;
use crate::transcoder::report::{Faults, MalformedAt, Place, UnmappableAt};
use crate::transcoder::run::{Out, Run, Work};
use crate::transcoder::segment::{Next, Segment};
use std::sync::Arc;

/// The encoder, and the records that it writes to if the output is records.
pub(super) struct Target {
    pub(super) codec: Arc<dyn Codec>,
    pub(super) encoder: CheckedEncoder,
    pub(super) records: Option<RecordsOut>,
    pub(super) policy: UnmappablePolicy,
    /// Where references are allowed, in an XML document that is written with them.
    pub(super) xml: Option<XmlPlace>,
    /// Hint at the first U+000A that it is written as byte 25.
    pub(super) hints_lf: bool,
    /// The input is records too.
    pub(super) from_records: bool,
    /// The places of characters that the encoder has read and not written: how much text it had been fed before each,
    /// and where in the input it stood.
    pub(super) unwritten: Vec<(u64, Place)>,
    /// Whether the charset has U+FFFD, once that was asked.
    pub(super) has_mark: Option<bool>,
}

impl Target {
    /// Whether the charset has U+FFFD wherever it may stand.
    pub(super) fn has_mark(&mut self) -> bool {
        let find = || self.encoder.is_stateless() && can_write(&*self.codec, "\u{FFFD}");
        *self.has_mark.get_or_insert_with(find)
    }

    /// Returns which characters of the segment are replaced and counted only.
    fn passing(&mut self, segment: &Segment, is_full: bool) -> PassingChars {
        let is_simple = self.xml.is_none() && self.records.is_none() && !segment.is_inserted();
        PassingChars {
            unmappable: self.policy.passing().filter(|_| is_full && is_simple),
            stands_for_malformed: segment.stands_for_malformed && !segment.is_inserted() && !self.has_mark(),
        }
    }

    /// Goes back to the beginning, for another output. Returns `false` if it cannot.
    pub(super) fn restart(&mut self) -> bool {
        self.encoder.restart();
        self.unwritten.clear();
        self.xml.iter_mut().for_each(XmlPlace::reset);
        self.records.is_none()
    }

    /// A copy that starts afresh, with `records` to write to. `None` if the charset has no encoder.
    pub(super) fn fresh(&self, records: Option<RecordsOut>) -> Option<Self> {
        Some(Target {
            codec: self.codec.clone(),
            encoder: CheckedEncoder::new(self.codec.name(), self.codec.encoder()?),
            records,
            policy: self.policy.clone(),
            xml: None,
            hints_lf: false,
            from_records: self.from_records,
            unwritten: Vec::new(),
            has_mark: self.has_mark,
        })
    }

    /// A copy in the same state. `None` if the output consists of records, or if the encoder cannot be copied.
    pub(super) fn fork(&self) -> Option<Self> {
        if self.records.is_some() {
            return None;
        }
        let encoder = match self.encoder.fork() {
            Some(encoder) => encoder,
            // A new one is the same.
            None if self.encoder.is_stateless() && self.encoder.pending() == 0 => {
                self.encoder.renewed(self.codec.encoder()?)
            }
            None => return None,
        };
        Some(Target {
            codec: self.codec.clone(),
            encoder,
            records: None,
            policy: self.policy.clone(),
            xml: self.xml.clone(),
            hints_lf: self.hints_lf,
            from_records: self.from_records,
            unwritten: self.unwritten.clone(),
            has_mark: self.has_mark,
        })
    }

    /// Does the next piece of the segment at the front of the queue. `decoded` is the text that its pieces are of.
    ///
    /// # Errors
    /// What the policies do not allow.
    pub(super) fn encode(&mut self, run: &mut Run, decoded: &str, out: &mut Out<'_>) -> Result<(), Error> {
        let Some(Work::Text(segment)) = run.queue.front_mut() else { return Ok(()) };
        segment.begin(self.encoder.fed());
        match segment.next(decoded) {
            Some(Next::Text(text)) => {
                let passing = self.passing(segment, run.report.unmappable.is_full());
                let (encoder, records) = (&mut self.encoder, &mut self.records);
                let (step, replaced) =
                    write_text(encoder, records, text, passing, run.bytes_in, out, &mut run.spill.bytes)?;
                run.report.unmappable.count += replaced;
                let read = &text[..step.read];
                if self.hints_lf
                    && let Some(index) = read.bytes().position(|byte| byte == b'\n')
                {
                    self.hints_lf = false;
                    let fed = self.encoder.fed() - (step.read - index) as u64;
                    run.report.diagnostics.push(lf_hint(segment.place(fed, decoded)));
                }
                if let Some(xml) = &mut self.xml {
                    // Also over a character that is unmappable: it opens and closes nothing.
                    xml.advance(read);
                }
                if let Some(records) = self.records.as_mut().filter(|records| records.overflows()) {
                    records.locate_start(|fed| segment.place(fed, decoded));
                    return Err(records.too_long());
                }
                segment.advance(step.read);
                match step.stop {
                    Stop::Fault(fault) => self.unmappable(run, decoded, fault),
                    Stop::InputEmpty | Stop::OutputFull => Ok(()),
                }
            }
            Some(Next::End) => {
                segment.advance(0);
                self.end_record(run, decoded)
            }
            Some(Next::Control(ch)) => control(run, ch),
            Some(Next::Newline(ch)) => newline(run, ch),
            #[cfg(feature = "mojibake")]
            Some(Next::Repaired(repairs)) => {
                let counted = run.report.mojibake.get_or_insert_with(Faults::new);
                counted.count += repairs.count;
                for repair in &repairs.first {
                    counted.list(|| repaired_at(repair, segment.place_of(repair.source)));
                }
                segment.advance(0);
                Ok(())
            }
            Some(Next::TooLong) => {
                let Place { offset, record, position } = segment.place_of_next();
                Err(Error::at(ErrorKind::SequenceTooLong { offset, limit: MAX_SEQUENCE }, record, position))
            }
            None => {
                self.end_segment(run, decoded);
                Ok(())
            }
        }
    }

    /// Takes the segment at the front of the queue out of it, and keeps the places that may still be asked for.
    fn end_segment(&mut self, run: &mut Run, decoded: &str) {
        let Some(Work::Text(segment)) = run.queue.pop_front() else { return };
        run.report.malformed.count += segment.replaced();
        if let Some(records) = &mut self.records {
            records.locate_start(|fed| segment.place(fed, decoded));
        }
        if self.encoder.pending() > 0 {
            let from = self.encoder.fed() - self.encoder.pending() as u64;
            segment.origins_from(from, decoded, &mut self.unwritten);
        } else {
            self.unwritten.clear();
        }
        run.spare.keep(segment);
    }

    /// Ends the record that is being written.
    ///
    /// # Errors
    /// What the policies do not allow.
    pub(super) fn end_record(&mut self, run: &mut Run, decoded: &str) -> Result<(), Error> {
        let Some(records) = &mut self.records else { return Ok(()) };
        let (encoder, bytes_in) = (&mut self.encoder, run.bytes_in);
        let len = records.len();
        loop {
            let step = records.encode(|sink| Ok(Step { read: 0, stop: encoder.finish(sink, bytes_in)? }))?;
            match step.stop {
                Stop::InputEmpty => break,
                Stop::OutputFull => {}
                Stop::Fault(fault) => {
                    self.unmappable(run, decoded, fault)?;
                    return self.end_record(run, decoded);
                }
            }
        }
        encoder.reset();
        if self.from_records {
            // A record that was cut within double-byte text had no shift in at its end, and has no space for one.
            records.drop_end_without_room(len);
        }
        let segment = run.queue.front();
        let place = |fed| match segment {
            Some(Work::Text(segment)) => segment.place(fed, decoded),
            _ => Place::default(),
        };
        let cuts = &mut run.report.records_cut;
        let wants_place = cuts.as_ref().is_some_and(|cuts| cuts.first.len() < Faults::<MalformedAt>::KEPT);
        let cut = records.end(&mut run.spill.bytes, place, wants_place)?;
        if let (Some(cut), Some(cuts)) = (cut, cuts) {
            cuts.add(cut);
        }
        Ok(())
    }

    /// Ends the output, after the last text. Returns whether that is done. If not, call this again.
    ///
    /// # Errors
    /// What the policies do not allow.
    pub(super) fn finish(&mut self, run: &mut Run, decoded: &str) -> Result<bool, Error> {
        if let Some(records) = &mut self.records {
            if records.is_open() || self.encoder.pending() > 0 {
                // The last line has no newline at its end.
                return self.end_record(run, decoded).map(|()| false);
            }
            records.finish(&mut run.spill.bytes);
            run.report.records_out = Some(records.records());
            return Ok(true);
        }
        let mut buffer = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        let stop = self.encoder.finish(&mut sink, run.bytes_in)?;
        run.spill.bytes.extend_from_slice(sink.as_bytes());
        if let Stop::Fault(fault) = stop {
            self.unmappable(run, decoded, fault)?;
        }
        Ok(stop == Stop::InputEmpty)
    }

    /// Ends the output after an error: what the encoder holds from before the error is good output, and a stream that
    /// is shifted ends shifted back. `is_own`: the encoder has failed itself.
    pub(super) fn close(&mut self, run: &mut Run, is_own: bool) {
        if let Some(records) = &mut self.records {
            // Whole records are good output; the record that is being written is not.
            records.finish(&mut run.spill.bytes);
            run.report.records_out = Some(records.records());
        } else if !is_own || self.encoder.pending() == 0 {
            let mut buffer = [0; MIN_ROOM];
            let mut sink = ByteSink::new(&mut buffer);
            if self.encoder.finish(&mut sink, run.bytes_in).is_ok() {
                run.spill.bytes.extend_from_slice(sink.as_bytes());
            }
        }
    }

    /// Applies the policy to a character that the target lacks.
    fn unmappable(&mut self, run: &mut Run, decoded: &str, fault: Unmappable) -> Result<(), Error> {
        let ch = fault.ch;
        let at = self.encoder.fed() - u64::from(fault.after) - ch.len_utf8() as u64;
        let segment = match run.queue.front() {
            Some(Work::Text(segment)) if segment.fed_from <= at => Some(segment),
            _ => None,
        };
        // U+FFFD in place of malformed input was counted there, and is replaced regardless of the policy.
        let is_counted =
            ch == char::REPLACEMENT_CHARACTER && segment.is_some_and(|segment| segment.stands_for_malformed);
        let mut buffer = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        let is_allowed = if is_counted {
            self.encoder.encode_replacement(ch, Replacement::Substitute, &mut sink, run.bytes_in)?
        } else {
            let takes_reference = self.xml.as_ref().is_none_or(XmlPlace::takes_reference);
            self.policy.write(ch, takes_reference, &mut self.encoder, &mut sink, run.bytes_in)?
        };
        match &mut self.records {
            Some(records) => records.push(sink.as_bytes()),
            None => run.spill.bytes.extend_from_slice(sink.as_bytes()),
        }
        let place = || match segment {
            Some(segment) => segment.place(at, decoded),
            None => self.unwritten.iter().find(|(fed, _)| *fed == at).map_or(Place::default(), |(_, place)| *place),
        };
        if !is_allowed {
            let codec = self.encoder.name().to_owned();
            let Place { offset, record, position } = place();
            return Err(Error::at(ErrorKind::Unmappable { codec, ch, offset }, record, position));
        }
        if !is_counted {
            run.report.unmappable.add(|| at_place(ch, place()));
        }
        Ok(())
    }
}

/// Encodes from the front of `text`: into the record that is being written, or to `out`, or, if there is little space,
/// to `spill`. Returns how many unmappable characters it replaced and counts. `passing`: which are replaced;
/// `bytes_in`: how far the input was read, for an encoder that breaks its contract.
fn write_text(
    encoder: &mut CheckedEncoder,
    records: &mut Option<RecordsOut>,
    text: &str,
    passing: PassingChars,
    bytes_in: u64,
    out: &mut Out<'_>,
    spill: &mut Vec<u8>,
) -> Result<(Step<Unmappable>, u64), Error> {
    if let Some(records) = records {
        records.begin(encoder.fed());
        return Ok((records.encode(|sink| encoder.feed(text, sink, bytes_in))?, 0));
    }
    let mut feed = |sink: &mut ByteSink<'_>| match passing.is_any() {
        true => encoder.feed_passing(text, passing, sink, bytes_in),
        false => Ok((encoder.feed(text, sink, bytes_in)?, 0)),
    };
    if out.spare().len() >= MIN_ROOM {
        let mut sink = ByteSink::new(out.spare());
        let fed = feed(&mut sink)?;
        let written = sink.written();
        out.written += written;
        return Ok(fed);
    }
    let mut buffer = [0; 2 * MIN_ROOM];
    let mut sink = ByteSink::new(&mut buffer);
    let fed = feed(&mut sink)?;
    spill.extend_from_slice(sink.as_bytes());
    Ok(fed)
}

/// Applies the policy to a control character, the next piece in the queue.
fn control(run: &mut Run, ch: char) -> Result<(), Error> {
    let Some(Work::Text(segment)) = run.queue.front_mut() else { return Ok(()) };
    if run.settings.controls == OnControl::Error {
        let Place { offset, record, position } = segment.place_of_next();
        return Err(Error::at(ErrorKind::Control { offset, ch }, record, position));
    }
    let counted = run.report.controls.get_or_insert_with(Faults::new);
    counted.add(|| at_place(ch, segment.place_of_next()));
    segment.advance(0);
    Ok(())
}

/// Applies the policy to a newline within a record, the next piece in the queue.
fn newline(run: &mut Run, ch: char) -> Result<(), Error> {
    let Some(Work::Text(segment)) = run.queue.front_mut() else { return Ok(()) };
    let Some(counted) = &mut run.report.record_newlines else {
        let Place { offset, record, position } = segment.place_of_next();
        return Err(Error::at(ErrorKind::NewlineInRecord { offset, ch }, record, position));
    };
    counted.add(|| at_place(ch, segment.place_of_next()));
    segment.advance(0);
    Ok(())
}

fn at_place(ch: char, Place { offset, record, position }: Place) -> UnmappableAt {
    UnmappableAt { offset, ch, record, position }
}

#[cfg(feature = "mojibake")]
fn repaired_at(repair: &Repair, Place { offset, record, position }: Place) -> RepairedAt {
    RepairedAt { offset, before: repair.before.to_string(), after: repair.after.to_string(), record, position }
}

fn lf_hint(place: Place) -> Diagnostic {
    let message = "newlines are byte 25, as in IBM's table; Java and z/OS UNIX expect byte 15 in XML of this page";
    Diagnostic::hint("lf-at-25", place.offset, message).with_position(place.position)
}
