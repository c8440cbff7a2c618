//! The state of a run that the step machine, the ways and the text target share.

use crate::codec::PageBuffer;
use crate::detect::{Diagnostic, Severity};
use crate::error::{Error, ErrorKind};
use crate::transcoder::options::Settings;
use crate::transcoder::report::{MalformedAt, Report};
use crate::transcoder::segment::{Segment, Spare};
use std::collections::VecDeque;
use std::sync::Arc;

/// The result of decoding a stretch of input.
#[derive(Clone, Copy, Default)]
pub(super) struct Decoded {
    /// Bytes taken.
    pub(super) read: usize,
    /// The records are over, and the decoder is finished.
    pub(super) is_over: bool,
}

/// The state that all parts of a run share.
pub(super) struct Run {
    pub(super) settings: Arc<Settings>,
    pub(super) report: Report,
    /// The work to do before anything more is decoded, in input order.
    pub(super) queue: VecDeque<Work>,
    /// Encoded bytes that did not fit into the caller's buffer.
    pub(super) spill: Spill,
    /// Bytes of the input taken so far.
    pub(super) bytes_in: u64,
    /// The first malformed sequence has to be looked at before it is replaced.
    pub(super) stops_at_fault: bool,
    /// The memory of segments that are done, for the next ones.
    pub(super) spare: Spare,
    /// The buffer for the output of a whole input, for the next input, if it is short.
    pub(super) buffer: PageBuffer,
}

/// An item of the queue. Faults and diagnostics wait for the text before them, so that none is counted or reported if
/// an earlier failure ends the run.
pub(super) enum Work {
    /// Text to encode.
    Text(Segment),
    /// Malformed bytes, to be treated as the policy says.
    Malformed(MalformedAt),
    /// A diagnostic to report.
    Note(Diagnostic),
    /// A file of records ends.
    FileEnd,
    /// The error that ends the run.
    Failed(Error),
}

impl Run {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        let report = Report::new(settings.to.name());
        let (queue, spill, spare) = (VecDeque::new(), Spill::default(), Spare::default());
        let buffer = PageBuffer::default();
        Run { settings, report, queue, spill, bytes_in: 0, stops_at_fault: false, spare, buffer }
    }

    /// Goes back to the beginning, for another input.
    pub(super) fn reset(&mut self) {
        self.report.reset();
        self.queue.clear();
        self.spill.clear();
        (self.bytes_in, self.stops_at_fault) = (0, false);
    }

    /// Reports a diagnostic.
    ///
    /// # Errors
    /// [`ErrorKind::Strict`] if it is a warning and warnings are errors.
    pub(super) fn note(&mut self, note: Diagnostic) -> Result<(), Error> {
        let is_error = self.settings.hints.strict && note.severity == Severity::Warning;
        let error = ErrorKind::Strict { code: note.code, message: note.message.clone(), offset: note.offset };
        let position = note.position;
        self.report.diagnostics.push(note);
        if is_error { Err(Error::at(error, None, position)) } else { Ok(()) }
    }

    /// Reports a diagnostic that detection would have, had it read the input as far: in the verdict too.
    ///
    /// # Errors
    /// As of [`note`](Self::note).
    pub(super) fn note_contents(&mut self, note: Diagnostic) -> Result<(), Error> {
        self.report.add_to_verdict(&note);
        self.note(note)
    }

    /// The name of the charset of the input; empty if it is not known yet.
    pub(super) fn source_name(&self) -> String {
        self.report.from.clone().unwrap_or_default()
    }
}

/// Encoded bytes that wait for space in the caller's buffer.
#[derive(Default)]
pub(super) struct Spill {
    pub(super) bytes: Vec<u8>,
    delivered: usize,
}

impl Spill {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.delivered = 0;
    }

    /// Moves as much as fits into `out`. Returns whether nothing is left.
    pub(super) fn deliver(&mut self, out: &mut Out<'_>) -> bool {
        let rest = &self.bytes[self.delivered..];
        let len = rest.len().min(out.spare().len());
        out.spare()[..len].copy_from_slice(&rest[..len]);
        out.written += len;
        self.delivered += len;
        if self.delivered < self.bytes.len() {
            return false;
        }
        self.clear();
        true
    }
}

/// The caller's output buffer, and how much of it is filled.
pub(super) struct Out<'a> {
    buffer: &'a mut [u8],
    pub(super) written: usize,
}

impl<'a> Out<'a> {
    pub(super) fn new(buffer: &'a mut [u8]) -> Self {
        Out { buffer, written: 0 }
    }

    /// The part that is still free.
    pub(super) fn spare(&mut self) -> &mut [u8] {
        &mut self.buffer[self.written..]
    }
}
