//! A panic is a bug in charpipe. It is the error of the file that it happened on, with the code `internal`; other files
//! are converted all the same.

use crate::messages::color;
use crate::messages::json::ErrorObject;
use crate::messages::{Name, Place, say_parts};
use crate::status::Status;
use charpipe::RecordPosition;
use std::any::Any;
use std::cell::RefCell;
use std::fmt::{self, Display};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

/// The code of the error.
pub(crate) const CODE: &str = "internal";

/// What to do about it.
const HINT: &str = " (this is a bug in charpipe; please report it)";

thread_local! {
    /// Where the last panic of this thread happened, in the source.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was caught.
#[derive(Debug)]
pub(crate) struct Panic {
    /// What it said, on one line.
    what: String,
    /// Where in the source.
    place: Option<String>,
    /// How far the input was read: the byte, and the record and column.
    reached: Option<(u64, Option<RecordPosition>)>,
}

/// Has panics say nothing by themselves: whoever catches one has a better message.
pub(crate) fn hush() {
    panic::set_hook(Box::new(remember));
}

fn remember(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(|at| format!("{}:{}:{}", at.file(), at.line(), at.column()));
    // Not if the thread is ending.
    _ = PLACE.try_with(|last| last.replace(place));
}

/// Does `work`, and returns its panic, if it panics.
///
/// What `work` was changing may be half changed afterwards: the caller must drop it, or ask it for no more than how far
/// it came.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Panic::of(&*payload))
}

impl Panic {
    fn of(payload: &(dyn Any + Send)) -> Self {
        let said = payload.downcast_ref::<&str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
        // `assert_eq` says it on three.
        let lines: Vec<&str> = said.split_whitespace().collect();
        Panic { what: lines.join(" "), place: PLACE.take(), reached: None }
    }

    /// With how far the input was read.
    pub(crate) fn at(self, offset: u64, record: Option<RecordPosition>) -> Self {
        Panic { reached: Some((offset, record)), ..self }
    }

    /// Where in the source it happened, for whoever wants to see everything.
    pub(crate) fn note(&self) -> Option<String> {
        self.place.as_ref().map(|place| format!("panicked at {place}"))
    }

    pub(crate) fn offset(&self) -> Option<u64> {
        self.reached.map(|(offset, _)| offset)
    }

    /// The error in reports.
    pub(crate) fn object(&self) -> ErrorObject {
        let record = self.reached.and_then(|(_, record)| record);
        ErrorObject { record, ..ErrorObject::new(CODE, self.to_string(), self.offset()) }
    }

    /// Says it of the file called `name`.
    pub(crate) fn say(&self, name: &Name) {
        let place = self.reached.map_or_else(String::new, |(offset, record)| format!("{}: ", Place(offset, record)));
        say_parts(&[(color::PLAIN, &format_args!("{name}: {place}")), (color::ERROR, self), (color::HINT, &HINT)]);
    }
}

impl Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal error: {}", self.what)
    }
}

/// Does the work of the whole run. A panic in it that no file had is an error without a file.
pub(crate) fn run(work: impl FnOnce() -> Status) -> Status {
    hush();
    catch(work).unwrap_or_else(|panic| {
        let place = panic.note().map_or_else(String::new, |note| format!(", {note}"));
        say_parts(&[(color::ERROR, &panic), (color::PLAIN, &place), (color::HINT, &HINT)]);
        Status::Data
    })
}
