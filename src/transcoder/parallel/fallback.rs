//! Discards the parts: one transcoder converts their input again, with the errors and offsets of a run by one thread.
//! Output that was already written is not written again.

use super::block::Block;
use super::cut::Begin;
use crate::codec::PageBuffer;
use crate::detect::LabelWatch;
use crate::error::{Error, ErrorKind};
use crate::transcoder::Transcoder;
use crate::transcoder::io::next_chunk;
use crate::transcoder::io::pump::PUMP_BUFFER_BYTES;
use crate::transcoder::report::Report;
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

/// Where one transcoder continues, and with what.
pub(super) struct Fallback {
    pub(super) base: Base,
    pub(super) tail: Tail,
    /// How the input ended, if it did.
    pub(super) ended: Option<InputEnd>,
}

/// A place in the input to begin at.
pub(super) struct Base {
    /// The state there; `None` at the beginning of the input.
    pub(super) begin: Option<Begin>,
    /// The report up to there.
    pub(super) report: Report,
    pub(super) at: u64,
    /// The evidence against the label up to there.
    pub(super) label: Option<LabelWatch>,
    /// How many bytes of the output that comes from there are written already.
    pub(super) written: u64,
}

/// The bytes of the input from the base on, and the offsets in the input at which the reads ended that they came from.
/// The transcoder is fed the same pieces again.
#[derive(Default)]
pub(super) struct Tail {
    pub(super) bytes: Block,
    pub(super) ends: VecDeque<u64>,
}

/// How the input ended.
pub(super) enum InputEnd {
    Eof,
    Failed(io::Error),
}

impl Tail {
    /// Appends a read, if the tail begins with the input.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.bytes.push(chunk);
        self.ends.push_back(self.bytes.len() as u64);
    }

    /// Removes the bytes from `at` on, and returns them. The ends of the reads stay.
    pub(super) fn split_off(&mut self, at: usize) -> Block {
        let mut rest = Block::default();
        rest.push(&self.bytes[at..]);
        self.bytes.truncate(at);
        rest
    }
}

impl Transcoder {
    /// Converts the tail, and what follows it in `input`, by one transcoder.
    pub(super) fn fall_back(
        &mut self,
        from: Fallback,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<(), Error> {
        let Fallback { base, tail, ended } = from;
        let (mut skip, mut at) = (base.written, base.at);
        *self = self.restarted(base);
        let mut buffer = PageBuffer::for_output(PUMP_BUFFER_BYTES);
        let mut rest = &tail.bytes[..];
        for end in tail.ends {
            if end <= at {
                continue;
            }
            let (chunk, after) = rest.split_at((end - at) as usize);
            self.deliver(chunk, false, &mut buffer, &mut skip, output).1?;
            (rest, at) = (after, end);
        }
        match ended {
            None => {
                // Output may have been written before its input was complete, when text was flushed at the end of a
                // part.
                while skip > 0 && !self.is_done() {
                    self.flush(output)?;
                    next_chunk(input, self.run.bytes_in, |chunk| {
                        let (_, fed) = self.deliver(chunk, chunk.is_empty(), &mut buffer, &mut skip, output);
                        (chunk.len(), fed)
                    })??;
                }
                self.run_alone(input, output)
            }
            Some(InputEnd::Failed(source)) => {
                self.flush(output)?;
                Err(ErrorKind::Read { offset: self.run.bytes_in, source }.into())
            }
            Some(InputEnd::Eof) => {
                self.deliver(&[], true, &mut buffer, &mut skip, output).1?;
                self.flush(output)
            }
        }
    }

    /// A copy that begins at `base`.
    fn restarted(&self, base: Base) -> Transcoder {
        let Some(begin) = base.begin else { return Transcoder::new(self.run.settings.clone()) };
        let mut copy = self.fresh_at(base.at, &begin);
        if let (Some(route), Some(whole)) = (&mut copy.route, &self.route) {
            route.newlines = whole.newlines.clone();
            if base.report.diagnostics.iter().any(|note| note.code == "ucs2-surrogates") {
                route.staged.allow_supplementary();
            }
        }
        copy.label = base.label;
        copy.run.report = base.report;
        copy
    }
}
