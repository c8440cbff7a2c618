//! Lines and columns: [`Transcoder::locate`] reads the input again after a run, so that they cost the run itself
//! nothing. If lines are counted during the run, the source does that; only the positions of detection's diagnostics
//! are then found here.

use super::Transcoder;
#[cfg(feature = "lines")]
use super::choices::OnMalformed;
#[cfg(feature = "lines")]
use super::io::plain::with_newline;
#[cfg(feature = "lines")]
use super::report::Report;
#[cfg(feature = "lines")]
use crate::codec::{MalformedChars, PositionFinder, Positions};
use crate::error::Error;
#[cfg(feature = "lines")]
use crate::error::TextPosition;
use std::io::{self, Read};

impl Transcoder {
    /// Finds the line and column for every offset in the [`report`](Self::report), and for `error`, the error of the
    /// run. `input` is the same input from its beginning; it is read up to the last of these offsets, and not at all if
    /// there are none. Afterwards [`Error::position`] and the fields `position` of the report have them.
    ///
    /// Nothing is found if there are no lines: the input consists of records or is not text. Nor is anything without the
    /// feature `lines`.
    ///
    /// # Errors
    /// Those of `input`.
    ///
    /// ```
    /// use charpipe::Transcode;
    /// use std::io::{BufReader, Cursor, Seek};
    ///
    /// let mut file = BufReader::new(Cursor::new(b"id;name\r\n1;caf\xE9\r\n"));
    /// let mut transcoder = Transcode::new().source_encoding("UTF-8")?.transcoder()?;
    /// let mut error = transcoder.run(&mut file, &mut Vec::new()).unwrap_err();
    /// assert_eq!(error.to_string(), "byte 14: E9 is not valid UTF-8");
    ///
    /// file.rewind()?;
    /// transcoder.locate(file, Some(&mut error))?;
    /// assert_eq!(error.to_string(), "line 2, column 6 (byte 14): E9 is not valid UTF-8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg_attr(not(feature = "lines"), allow(unused_mut, unused_variables, clippy::unnecessary_wraps))]
    pub fn locate<R: Read>(&mut self, mut input: R, error: Option<&mut Error>) -> io::Result<()> {
        #[cfg(feature = "lines")]
        self.find_positions(&mut input, error)?;
        Ok(())
    }

    #[cfg(feature = "lines")]
    fn find_positions(&mut self, input: &mut dyn Read, error: Option<&mut Error>) -> io::Result<()> {
        let mut offsets = self.run.report.offsets();
        offsets.extend(error.as_ref().and_then(|error| error.offset_in_text()));
        if offsets.is_empty() {
            return Ok(());
        }
        let Some(finder) = self.position_finder() else { return Ok(()) };
        let positions = Positions::find(finder, input, offsets)?;
        self.run.report.set_positions(|offset, _| positions.of(offset));
        if let Some(error) = error {
            *error = error.with_position(error.offset_in_text().and_then(|offset| positions.of(offset)));
        }
        Ok(())
    }

    /// Adds line and column to `error`, with which the conversion of `input`, all of an input, has ended.
    #[cold]
    pub(super) fn located(&mut self, input: &[u8], mut error: Error) -> Error {
        // Slices can be read.
        _ = self.locate(input, Some(&mut error));
        error
    }

    /// If lines are counted, finds those of what is in the head and was reported before anything was decoded. Returns
    /// `error` with its position, if it was found here.
    #[cfg(feature = "lines")]
    pub(super) fn locate_in_head(&mut self, error: Option<&Error>) -> Option<Error> {
        let head = self.head.bytes();
        if !self.run.settings.counts_lines || head.is_empty() {
            return None;
        }
        let error = error.filter(|error| error.position().is_none());
        let mut offsets = self.run.report.offsets();
        offsets.extend(error.and_then(Error::offset_in_text));
        offsets.retain(|offset| *offset <= head.len() as u64);
        let finder = self.position_finder().filter(|_| !offsets.is_empty())?;
        let positions = Positions::find(finder, &mut &head[..], offsets).ok()?;
        self.run.report.set_positions(|offset, known| known.or_else(|| positions.of(offset)));
        let position = positions.of(error?.offset_in_text()?)?;
        error.map(|error| error.with_position(Some(position)))
    }

    #[cfg(not(feature = "lines"))]
    pub(super) fn locate_in_head(&mut self, _: Option<&Error>) -> Option<Error> {
        None
    }

    /// Returns what finds positions in the input; `None` if there are no lines.
    #[cfg(feature = "lines")]
    fn position_finder(&self) -> Option<PositionFinder> {
        let (settings, report) = (&self.run.settings, &self.run.report);
        if settings.input.shape.is_some() || report.passed {
            return None;
        }
        let verdict = report.verdict.as_ref()?;
        let codec = with_newline(&verdict.text_codec()?, settings);
        let malformed = match settings.malformed {
            _ if report.read_as.is_some() => MalformedChars::Each,
            OnMalformed::Drop => MalformedChars::None,
            _ => MalformedChars::One,
        };
        Some(PositionFinder::new(&*codec, verdict.bom_len as u64, malformed))
    }
}

#[cfg(feature = "lines")]
impl Report {
    /// The offsets whose lines and columns are looked for.
    fn offsets(&self) -> Vec<u64> {
        let mut offsets: Vec<u64> = self.diagnostics.iter().map(|note| note.offset).collect();
        offsets.extend(self.verdict.iter().flat_map(|verdict| verdict.offsets()));
        offsets.extend(self.malformed.first.iter().map(|found| found.offset));
        offsets.extend(self.unmappable.first.iter().map(|found| found.offset));
        offsets.extend(self.controls.iter().flat_map(|found| &found.first).map(|found| found.offset));
        offsets.extend(self.mojibake.iter().flat_map(|found| &found.first).map(|found| found.offset));
        offsets.extend(self.records_cut.iter().flat_map(|cut| &cut.first).map(|cut| cut.offset));
        offsets
    }

    /// Sets the lines and columns that `find` returns for an offset, given those that are known.
    fn set_positions(&mut self, find: impl Fn(u64, Option<TextPosition>) -> Option<TextPosition>) {
        if let Some(verdict) = &mut self.verdict {
            verdict.set_positions(&find);
        }
        let chars = self.unmappable.first.iter_mut();
        let chars = chars.chain(self.controls.iter_mut().flat_map(|found| &mut found.first));
        let places = (self.diagnostics.iter_mut().map(|note| (note.offset, &mut note.position)))
            .chain(self.malformed.first.iter_mut().map(|found| (found.offset, &mut found.position)))
            .chain(chars.map(|found| (found.offset, &mut found.position)))
            .chain(
                self.mojibake
                    .iter_mut()
                    .flat_map(|found| &mut found.first)
                    .map(|found| (found.offset, &mut found.position)),
            )
            .chain(
                self.records_cut.iter_mut().flat_map(|cut| &mut cut.first).map(|cut| (cut.offset, &mut cut.position)),
            );
        places.for_each(|(offset, position)| *position = find(offset, *position));
    }
}
