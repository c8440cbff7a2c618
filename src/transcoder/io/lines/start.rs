//! Detection, as in a conversion: a transcoder reads the beginning of the input, and its output is discarded.

use crate::codec::Codec;
use crate::detect::Verdict;
use crate::error::{Error, ErrorKind};
use crate::text::eol::Eol;
use crate::transcoder::choices::{OnUnknown, Relabel};
use crate::transcoder::doubts::Suspicion;
use crate::transcoder::options::Settings;
use crate::transcoder::{Status, Transcoder};
use std::sync::Arc;

/// Room for the output that no one reads, in bytes.
const ROOM: usize = 16 * 1024;

/// Letters, in a charset that contains ASCII.
const PLAIN: &[u8] = b"plain text";

/// How many bytes are shown at a time until the encoding is known. Fewer than the sample that shows binary input.
const PIECE: usize = 64;

/// Looks at the beginning of the input. As long as it does, the input may turn out to be binary, or several fallbacks
/// may be possible.
pub(super) struct Start {
    transcoder: Box<Transcoder>,
    /// How many bytes it has taken.
    taken: u64,
    /// The codec and the length of the byte order mark.
    codec: Option<(Arc<dyn Codec>, u64)>,
    error: Option<Error>,
    room: Vec<u8>,
}

impl Start {
    pub(super) fn new(settings: &Settings) -> Self {
        let mut settings = settings.clone();
        // Neither labels nor ends of lines are changed.
        (settings.relabel, settings.eol, settings.unknown) = (Relabel::Never, Eol::Keep, OnUnknown::Fail);
        let transcoder = Box::new(Transcoder::new(Arc::new(settings)));
        Start { transcoder, taken: 0, codec: None, error: None, room: vec![0; ROOM] }
    }

    /// Begins at the offset `at`, where several fallbacks are still possible; at the beginning of the input, anything
    /// is.
    ///
    /// # Errors
    /// [`ErrorKind::Options`] if the options name no fallbacks to choose among.
    pub(super) fn at(settings: &Settings, at: u64) -> Result<Self, Error> {
        if at == 0 {
            return Ok(Start::new(settings));
        }
        let mut settings = settings.clone();
        settings.hints.guess = false;
        let mut start = Start::new(&settings);
        // It has seen nothing yet that the fallbacks read differently, like any letters.
        start.show(PLAIN, false);
        let transcoder = &mut start.transcoder;
        if transcoder.choice.is_none() {
            let what = "the checkpoint is one of a job with several fallbacks";
            return Err(ErrorKind::Options { what }.into());
        }
        (transcoder.suspicion, transcoder.run.stops_at_fault) = (Suspicion::default(), false);
        (transcoder.run.bytes_in, start.taken) = (at, at);
        start.codec = start.codec.map(|(codec, _)| (codec, 0));
        Ok(start)
    }

    /// How many bytes it has taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Shows it what follows. `is_end`: nothing follows `src`.
    pub(super) fn show(&mut self, src: &[u8], is_end: bool) {
        self.taken += src.len() as u64;
        let mut rest = src;
        // In small pieces at first: what comes next may change the verdict, and lines before it are read by this one.
        while self.codec.is_none() && !rest.is_empty() {
            let (piece, later) = rest.split_at(rest.len().min(PIECE));
            self.step(piece, false);
            rest = later;
        }
        self.step(rest, false);
        if is_end {
            self.step(&[], true);
        }
    }

    fn step(&mut self, mut src: &[u8], is_end: bool) {
        while self.error.is_none() {
            let step = self.transcoder.step(src, &mut self.room, is_end);
            if self.codec.is_none() && self.transcoder.route.is_some() {
                let verdict = self.transcoder.verdict();
                self.codec = verdict.and_then(|verdict| Some((verdict.codec.clone()?, verdict.bom_len as u64)));
            }
            match step {
                Ok(step) if step.state == Status::NeedRoom => src = &src[step.read..],
                Ok(_) => return,
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// The codec and the length of the byte order mark, once they are known. The codec may be the first of several.
    pub(super) fn codec(&self) -> Option<(Arc<dyn Codec>, u64)> {
        self.codec.clone()
    }

    /// The codec that was chosen, once nothing can change that.
    pub(super) fn chosen(&self) -> Option<Arc<dyn Codec>> {
        self.transcoder.verdict().and_then(|verdict| verdict.codec.clone()).filter(|_| !self.is_choosing())
    }

    /// Whether several fallbacks are possible.
    pub(super) fn is_choosing(&self) -> bool {
        self.transcoder.choice.is_some()
    }

    /// Up to which offset lines may be read.
    pub(super) fn clear_to(&self) -> u64 {
        let Some(route) = &self.transcoder.route else { return 0 };
        let open = route.source.pending() + self.transcoder.suspect_bytes();
        let clear = self.transcoder.position().saturating_sub(open as u64);
        self.error.as_ref().and_then(Error::offset).map_or(clear, |offset| clear.min(offset))
    }

    /// Whether the rest of the input makes no difference.
    pub(super) fn is_over(&self) -> bool {
        let is_known = self.transcoder.route.is_some() && !self.is_choosing();
        is_known
            && match &self.error {
                // The lines have the same error, in its place.
                Some(error) => matches!(error.kind(), ErrorKind::Malformed { .. }),
                None => self.transcoder.suspicion.is_over(self.transcoder.position()) || self.transcoder.is_done(),
            }
    }

    /// The error that ends the input, after what is clear.
    pub(super) fn error(&self) -> Option<&Error> {
        self.error.as_ref().filter(|_| !self.is_over())
    }

    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.transcoder.verdict()
    }
}
