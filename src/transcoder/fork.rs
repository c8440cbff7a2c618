//! Copies of a transcoder, for callers that have to go back because the next output did not fit, or the next input was
//! an error.

use super::head::Head;
use super::{Phase, Transcoder};

impl Transcoder {
    /// Returns an independent copy at the same position, with the same report so far. Both can then be given different
    /// input, or the same input with different output buffers.
    ///
    /// `None` if there cannot be a copy at this point: output is waiting for space ([`Status::NeedRoom`]), the input
    /// has ended or had an error, several [fallbacks](crate::Transcode::fallbacks) are still possible, the input or the
    /// output consists of records, or the encoder is not built in and cannot be [forked](crate::codec::Encoder::fork).
    ///
    /// [`Status::NeedRoom`]: super::Status::NeedRoom
    ///
    /// ```
    /// use charpipe::Transcode;
    ///
    /// let job = Transcode::new().source_encoding("UTF-8")?.target_encoding("IBM939")?;
    /// let (mut transcoder, mut room) = (job.transcoder()?, [0; 16]);
    /// let step = transcoder.step("日本".as_bytes(), &mut room, false)?;
    /// assert_eq!(&room[..step.written], b"\x0E\x45\x62\x45\x66");
    ///
    /// // The copy ends its text. The original is still in double-byte text.
    /// let mut copy = transcoder.fork().expect("everything was written");
    /// let step = copy.step(b"", &mut room, true)?;
    /// assert_eq!(&room[..step.written], b"\x0F");
    /// let step = transcoder.step("語".as_bytes(), &mut room, true)?;
    /// assert_eq!(&room[..step.written], b"\x48\xE7\x0F");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn fork(&self) -> Option<Transcoder> {
        if self.is_running || !self.run.queue.is_empty() || !self.run.spill.is_empty() {
            return None;
        }
        let mut copy = Transcoder::new(self.run.settings.clone());
        if let Some(head) = self.undecided() {
            // Nothing was written. Detection looks at the same bytes again.
            let progress = copy.step(head, &mut [], false).ok()?;
            return (progress.read == head.len() && !self.head.has_records()).then_some(copy);
        }
        copy.phase = match self.phase {
            Phase::Decode => Phase::Decode,
            Phase::Pass => Phase::Pass,
            _ => return None,
        };
        if self.choice.is_some() || !self.head.is_decoded() {
            return None;
        }
        if let Some(route) = &self.route {
            copy.route = Some(route.fork()?);
        }
        copy.head = Head::none();
        copy.suspicion = self.suspicion.clone();
        copy.label = self.label.clone();
        copy.run.stops_at_fault = self.run.stops_at_fault;
        copy.run.report = self.run.report.clone();
        copy.run.bytes_in = self.run.bytes_in;
        Some(copy)
    }

    /// Returns how many of the bytes read so far cannot be converted before more input arrives: an unfinished
    /// character, or the beginning of the input while detection is still looking at it. The output so far covers all
    /// bytes before them.
    ///
    /// With records, only an unfinished character counts. Not counted are bytes whose text is held back: spaces at the
    /// end of a record, a carriage return whose line feed may follow, text that is being normalised, and a base letter
    /// whose combining mark may share its code.
    ///
    /// Everything else was given out: no byte waits for another that cannot change its meaning, so that a peer that
    /// waits for an answer gets it. Detection looks at the beginning of the input
    ///
    /// * as long as it may become a byte order mark, a declaration or the beginning of an HTML document, white space
    ///   and comments before them included (at most 4,096 characters);
    /// * in a declaration, to its end; in HTML, and in XML up to the root element, as far as labels are searched for
    ///   (1,024 bytes if [`prescan`](crate::Transcode::prescan) says nothing else);
    /// * unless the encoding is named, at the first two bytes at least, which may be those of UTF-16; and at 64 KiB
    ///   with [`guess`](crate::Transcode::guess), with [`OnUnknown::Pass`](crate::OnUnknown::Pass) and after the first
    ///   byte that several [fallbacks](crate::Transcode::fallbacks) read differently.
    ///
    /// ```
    /// let mut transcoder = charpipe::Transcode::new().source_encoding("UTF-8")?.transcoder()?;
    /// let mut room = [0; 16];
    /// let step = transcoder.step(b"Price: 5 \xE2\x82", &mut room, false)?;
    /// assert_eq!((step.read, transcoder.pending()), (11, 2));
    /// assert_eq!(&room[..step.written], b"Price: 5 ");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn pending(&self) -> usize {
        match self.undecided() {
            Some(head) => head.len(),
            None => {
                let unfinished = self.route.as_ref().map_or(0, |route| route.source.pending());
                self.head.rest().len() + unfinished + self.suspect_bytes()
            }
        }
    }

    /// Returns the bytes that were taken, as long as detection looks at them.
    fn undecided(&self) -> Option<&[u8]> {
        match &self.phase {
            Phase::Detect(detector) if !self.head.has_records() => {
                let (prefix, held) = (detector.prefix(), self.head.bytes());
                Some(if prefix.is_empty() { held } else { prefix })
            }
            Phase::Detect(_) | Phase::Signature(_) | Phase::Recognise(_) | Phase::Choose(_) | Phase::Labels(_) => {
                Some(self.head.bytes())
            }
            Phase::Pass
            | Phase::Decode
            | Phase::FinishDecoder
            | Phase::FinishEncoder
            | Phase::Conclude
            | Phase::Done
            | Phase::Failed(_) => None,
        }
    }
}
