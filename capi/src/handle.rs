//! A handle: a conversion, a detection or a conversion to rows, its last error, and the strings that it owns for its caller.

use crate::failure::{Failure, object};
use crate::options;
#[cfg(feature = "inspect")]
use crate::rows::RowsStream;
#[cfg(not(target_family = "wasm"))]
use charpipe::CharStop;
use charpipe::{Detector, Status, Transcode, Transcoder, Verdict};
use serde_json::Value;
use std::ffi::CString;

/// The job of a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    Convert,
    Detect,
}

/// A stream. C code has pointers to it and does not look inside.
pub struct Handle {
    task: Task,
    /// `None` if the options are invalid; then `failure` has the error forever.
    job: Option<Transcode>,
    machine: Machine,
    failure: Option<Failure>,
    texts: Texts,
}

enum Machine {
    Convert(Box<Transcoder>),
    Detect(Box<Detector>),
    Detected(Box<Verdict>),
    #[cfg(feature = "inspect")]
    Rows(Box<RowsStream>),
    None,
}

/// The texts that the last call of each function returned. They live until the next one.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) verdict: CString,
    pub(crate) report: CString,
    pub(crate) error: CString,
    pub(crate) message: CString,
    pub(crate) code: CString,
}

#[cfg(not(target_family = "wasm"))]
const CANNOT_GO_BACK: &str = "the stream cannot go back from here; use charpipe_step";

/// The result of a step: bytes read, bytes written, and what the stream needs next.
pub(crate) type Moved = (usize, usize, Status);

impl Handle {
    /// Opens a stream. If the options are invalid, the handle has the error.
    pub(crate) fn open(task: Task, text: &str) -> Self {
        let mut handle = Handle { task, job: None, machine: Machine::None, failure: None, texts: Texts::default() };
        match options::parse(text) {
            Ok(job) => handle.job = Some(job),
            Err(failure) => handle.failure = Some(failure),
        }
        handle.reset();
        handle
    }

    /// Opens a conversion of records to rows.
    #[cfg(feature = "inspect")]
    pub(crate) fn open_rows(options: &str, layout: &[u8]) -> Self {
        match RowsStream::open(options, layout) {
            Ok(rows) => {
                let (machine, texts) = (Machine::Rows(Box::new(rows)), Texts::default());
                Handle { task: Task::Convert, job: None, machine, failure: None, texts }
            }
            Err(failure) => Handle::failed(failure),
        }
    }

    /// Returns a handle without a stream, which has this error.
    pub(crate) fn failed(failure: Failure) -> Self {
        let texts = Texts::default();
        Handle { task: Task::Convert, job: None, machine: Machine::None, failure: Some(failure), texts }
    }

    /// Begins a new stream with the same options.
    pub(crate) fn reset(&mut self) {
        #[cfg(feature = "inspect")]
        if let Machine::Rows(rows) = &mut self.machine {
            self.failure = None;
            return rows.reset();
        }
        let Some(job) = &self.job else { return };
        self.failure = None;
        if let Machine::Convert(transcoder) = &mut self.machine {
            return transcoder.reset();
        }
        match self.task {
            Task::Detect => self.machine = Machine::Detect(Box::new(job.detector())),
            // A stream is not read again.
            Task::Convert => match job.clone().count_lines(true).transcoder() {
                Ok(transcoder) => self.machine = Machine::Convert(Box::new(transcoder)),
                Err(error) => self.failure = Some(error.into()),
            },
        }
    }

    /// Returns a copy in the same state; `None` if there cannot be one. A handle with wrong options has no stream to
    /// copy.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn fork(&self) -> Option<Self> {
        let Machine::Convert(transcoder) = &self.machine else { return None };
        let machine = Machine::Convert(Box::new(transcoder.fork()?));
        let (task, job, failure) = (self.task, self.job.clone(), self.failure.clone());
        Some(Handle { task, job, machine, failure, texts: Texts::default() })
    }

    /// Returns how many of the bytes that were taken mean nothing before more input comes.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn pending(&self) -> usize {
        if let Machine::Convert(transcoder) = &self.machine { transcoder.pending() } else { 0 }
    }

    /// Takes whole characters of the input, as far as it gives all of their output. Returns how many bytes it read and
    /// wrote, and why it stopped.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn convert(&mut self, input: &[u8], output: &mut [u8]) -> Result<(usize, usize, CharStop), Failure> {
        if let Machine::Convert(transcoder) = &mut self.machine
            && !input.is_empty()
        {
            let progress = transcoder.step_chars(input, output);
            if progress.stop != CharStop::Unable {
                return Ok((progress.read, progress.written, progress.stop));
            }
        }
        // If the stream has an error, this returns it.
        self.step(&[], &mut [], false)?;
        match &self.machine {
            Machine::Convert(_) if input.is_empty() => Ok((0, 0, CharStop::End)),
            _ => Err(Failure::Usage(CANNOT_GO_BACK.to_owned())),
        }
    }

    /// Ends the text, so that another one can begin. Returns as [`convert`](Self::convert) does.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn end_text(&mut self, output: &mut [u8]) -> Result<(usize, usize, CharStop), Failure> {
        if let Machine::Convert(transcoder) = &mut self.machine {
            let progress = transcoder.end_chars(output);
            if progress.stop != CharStop::Unable {
                return Ok((0, progress.written, progress.stop));
            }
        }
        self.step(&[], &mut [], false)?;
        Err(Failure::Usage(CANNOT_GO_BACK.to_owned()))
    }

    /// Returns how many characters that the target lacks were replaced or dropped.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn replaced(&self) -> u64 {
        if let Machine::Convert(transcoder) = &self.machine { transcoder.report().unmappable.count } else { 0 }
    }

    /// Takes input and gives output. `is_last`: nothing follows `input`.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8], is_last: bool) -> Result<Moved, Failure> {
        match &mut self.machine {
            Machine::Convert(transcoder) if transcoder.is_done() && !input.is_empty() => {
                Err(Failure::Usage("the stream is finished; reset the handle to begin another one".to_owned()))
            }
            Machine::Convert(transcoder) => {
                let progress = transcoder.step(input, output, is_last)?;
                Ok((progress.read, progress.written, progress.state))
            }
            Machine::Detect(detector) => {
                let read = detector.feed(input);
                if !detector.is_done() && !is_last {
                    return Ok((read, 0, Status::NeedInput));
                }
                let verdict = detector.finish();
                self.machine = Machine::Detected(Box::new(verdict));
                Ok((read, 0, Status::Done))
            }
            Machine::Detected(_) => Ok((0, 0, Status::Done)),
            #[cfg(feature = "inspect")]
            Machine::Rows(rows) => rows.step(input, output, is_last),
            Machine::None => Err(self.failure.clone().unwrap_or(Failure::Internal)),
        }
    }

    /// Converts a whole input from the beginning. `written` has how many bytes of output are good, also after an error.
    pub(crate) fn value(&mut self, input: &[u8], output: &mut [u8], written: &mut usize) -> Result<Moved, Failure> {
        self.reset();
        let mut read = 0;
        loop {
            let (more_read, more, status) = self.step(&input[read..], &mut output[*written..], true)?;
            (read, *written) = (read + more_read, *written + more);
            // With room left, the next step has an error.
            if status == Status::Done || (more_read, more) == (0, 0) || *written == output.len() {
                return Ok((read, *written, status));
            }
        }
    }

    /// Keeps an error. A wrong call does not replace an error of the options or of the input, which stays.
    pub(crate) fn fail(&mut self, failure: Failure) {
        let stays = match &self.failure {
            None => false,
            Some(Failure::Usage(_)) => matches!(self.machine, Machine::None),
            // An error of the library.
            Some(_) => true,
        };
        if stays && matches!(failure, Failure::Usage(_)) {
            return;
        }
        // A machine that panicked is in no known state.
        if matches!(failure, Failure::Internal) {
            self.machine = Machine::None;
        }
        self.failure = Some(failure);
    }

    /// Forgets an error that a later call made good. The errors of the options and of the input stay.
    pub(crate) fn forgive(&mut self) {
        if matches!(self.failure, Some(Failure::Usage(_))) && !matches!(self.machine, Machine::None) {
            self.failure = None;
        }
    }

    pub(crate) fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    pub(crate) fn texts(&mut self) -> &mut Texts {
        &mut self.texts
    }

    /// Returns the verdict as JSON, once there is one.
    pub(crate) fn verdict(&self) -> Option<String> {
        let verdict = match &self.machine {
            Machine::Convert(transcoder) => transcoder.verdict(),
            Machine::Detected(verdict) => Some(&**verdict),
            _ => None,
        };
        verdict.and_then(|verdict| serde_json::to_string(verdict).ok())
    }

    /// Returns the report as JSON: that of the library, and the key `error`.
    pub(crate) fn report(&self) -> Option<String> {
        let mut keys = match &self.machine {
            Machine::Convert(transcoder) => object(transcoder.report()),
            #[cfg(feature = "inspect")]
            Machine::Rows(rows) => object(&rows.report()),
            _ => return None,
        };
        keys.insert("error".to_owned(), self.failure.as_ref().map_or(Value::Null, Failure::json));
        Some(Value::Object(keys).to_string())
    }
}
