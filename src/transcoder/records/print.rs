//! The first byte of a record as carriage control.

use crate::detect::Diagnostic;
use crate::records::{Carriage, Move, Printer};
use crate::transcoder::guard::CheckedDecoder;
use std::sync::Arc;

/// A printer, and what its control bytes mean in the charset of the records.
#[derive(Clone)]
pub(in crate::transcoder) struct RecordPrinter {
    printer: Printer,
    /// The character that each byte decodes to.
    chars: Arc<[char; 256]>,
    /// The text of this record is not printed.
    pub(in crate::transcoder) is_silent: bool,
    /// The first unknown control is still to be reported.
    warns: bool,
}

impl RecordPrinter {
    /// `decoder`: a new decoder of the charset.
    pub(in crate::transcoder) fn new(kind: Carriage, decoder: &CheckedDecoder) -> Self {
        let char_of = |byte| decoder.alone(byte as u8).unwrap_or(char::REPLACEMENT_CHARACTER);
        let chars = Arc::new(std::array::from_fn(char_of));
        RecordPrinter { printer: Printer::new(kind), chars, is_silent: false, warns: true }
    }

    /// Begins a record with the control `byte` at `offset` of the input. Returns how the printer moves, and a warning if the
    /// control is the first that is unknown.
    pub(in crate::transcoder) fn begin(&mut self, byte: u8, offset: u64) -> (Move, Option<Diagnostic>) {
        let (moved, prints, is_known) = self.printer.begin(byte, self.chars[usize::from(byte)]);
        self.is_silent = !prints;
        if is_known || !std::mem::take(&mut self.warns) {
            return (moved, None);
        }
        let message = format!("{byte:02X} is not a carriage control; treated as a move to the next line");
        (moved, Some(Diagnostic::warning("carriage-control-unknown", offset, message)))
    }

    /// Begins a record without a control: an empty line.
    pub(in crate::transcoder) fn begin_empty(&mut self) -> Move {
        self.printer.begin(0x09, ' ').0
    }

    /// Ends a record.
    pub(in crate::transcoder) fn end(&mut self) -> Move {
        self.is_silent = false;
        self.printer.end()
    }

    /// Ends the input.
    pub(in crate::transcoder) fn finish(&mut self) -> Move {
        self.printer.finish()
    }
}
