//! Panics. A panic is a bug in charpipe, and is reported as the error of the file on which it happened, with the code
//! `internal`. All other files are processed as usual.

use crate::files::name::Name;
use crate::messages::json::ErrorObject;
use crate::messages::{Place, color, say_parts, say_problem};
use crate::status::Status;
use charpipe::RecordPosition;
use std::any::Any;
use std::cell::RefCell;
use std::fmt::{self, Display};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

/// The code of the error.
const CODE: &str = "internal";

const HINT: &str = " (this is a bug in charpipe; please report it)";

thread_local! {
    /// Where in the source the last panic of this thread happened.
    static LAST_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was caught.
#[derive(Debug)]
pub(crate) struct Panic {
    /// The message of the panic, on one line.
    message: String,
    /// Where in the source it happened.
    place: Option<String>,
    /// How far the input had been read: the byte and, in an input of records, the record and column.
    reached: Option<(u64, Option<RecordPosition>)>,
}

/// Stops panics from printing anything: the code that catches one prints a better message.
fn silence() {
    panic::set_hook(Box::new(remember_place));
}

fn remember_place(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(|at| format!("{}:{}:{}", at.file(), at.line(), at.column()));
    // Fails while the thread is ending.
    _ = LAST_PLACE.try_with(|last| last.replace(place));
}

/// Runs `work`, and returns the panic if it panics.
///
/// Values that `work` was changing may then be in any state: the caller must drop them, or ask them only how far they
/// got.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Panic::of(&*payload))
}

impl Panic {
    fn of(payload: &(dyn Any + Send)) -> Self {
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
        // The message of `assert_eq` has three lines.
        let words: Vec<&str> = message.split_whitespace().collect();
        Panic { message: words.join(" "), place: LAST_PLACE.take(), reached: None }
    }

    /// Adds how far the input had been read.
    pub(crate) fn at(self, offset: u64, record: Option<RecordPosition>) -> Self {
        Panic { reached: Some((offset, record)), ..self }
    }

    /// Returns where in the source the panic happened, for `--verbose`.
    pub(crate) fn note(&self) -> Option<String> {
        self.place.as_ref().map(|place| format!("panicked at {place}"))
    }

    /// Returns how far the input had been read, in bytes.
    pub(crate) fn offset(&self) -> Option<u64> {
        self.reached.map(|(offset, _)| offset)
    }

    /// Returns the error for reports.
    pub(crate) fn object(&self) -> ErrorObject {
        let record = self.reached.and_then(|(_, record)| record);
        ErrorObject::new(CODE, self.to_string(), self.offset()).in_record(record)
    }

    /// Prints the error of the file `name`.
    pub(crate) fn say(&self, name: &Name) {
        say_problem(name, self.reached.map(|(offset, record)| Place::new(offset, record, None)), self, HINT);
    }
}

impl Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal error: {}", self.message)
    }
}

/// Does the work of the whole run. A panic that was not caught for a file is printed as an error without a file.
pub(crate) fn run(work: impl FnOnce() -> Status) -> Status {
    silence();
    catch(work).unwrap_or_else(|panic| {
        let place = panic.note().map_or_else(String::new, |note| format!(", {note}"));
        say_parts(&[(color::ERROR, &panic), (color::PLAIN, &place), (color::HINT, &HINT)]);
        Status::Data
    })
}
