//! A transcoder that is fed from a reader of any kind.

use crate::error::Error;
use crate::transcoder::{Status, Transcoder};

/// Feeds a transcoder. It is asked what it needs before the reader is read, because a read may block.
pub(super) struct Feed {
    pub(super) transcoder: Transcoder,
    /// What the transcoder needs next.
    state: Status,
    /// The input has ended.
    is_ended: bool,
}

impl Feed {
    pub(super) fn new(transcoder: Transcoder) -> Self {
        Feed { transcoder, state: Status::NeedInput, is_ended: false }
    }

    /// Whether the next step needs input.
    pub(super) fn needs_input(&self) -> bool {
        self.state == Status::NeedInput
    }

    /// Does one step. Returns how many bytes of `src` were taken, and how many were put into `dst` if there is something
    /// for the caller; 0 only at the end. `src`: what the reader returned if the feed needs input, otherwise empty.
    ///
    /// # Errors
    /// Those of the transcoder.
    pub(super) fn step(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(usize, Option<usize>), Error> {
        self.is_ended |= self.needs_input() && src.is_empty();
        // After an error the next step fails again, without reading.
        self.state = Status::NeedRoom;
        let step = self.transcoder.step(src, dst, self.is_ended)?;
        self.state = step.state;
        let has_result = step.written > 0 || step.state == Status::Done;
        Ok((step.read, has_result.then_some(step.written)))
    }

    pub(super) fn reset(&mut self) {
        self.transcoder.reset();
        self.state = Status::NeedInput;
        self.is_ended = false;
    }
}
