//! Prepares a run: makes the [job](charpipe::rows) with its layout, and prints errors in them and the assumptions that
//! were made.

use crate::args::{Rows, usage};
use crate::escape::printable;
use crate::files::input;
use crate::files::name::Name;
use crate::messages::{say, say_not_opened, say_problem};
use crate::status::Status;
use charpipe::fields::Layout;
use charpipe::records::Shape;
use charpipe::rows::{Rows as Job, RowsError, StoredAs};
use charpipe::{ErrorKind, Registry};
use std::io::Read as _;

/// The job of a run.
pub(super) struct Setup {
    pub(super) job: Job,
    pub(super) registry: Registry,
    /// The name of the layout file.
    pub(super) layout_name: Name,
    /// Whether no option names the code page.
    is_page_assumed: bool,
    /// Whether no option says how the records are stored.
    is_shape_assumed: bool,
}

/// The largest layout file, in bytes.
const MAX_LAYOUT: usize = 16 << 20;

impl Setup {
    /// Reads the layout. What is wrong has been printed.
    pub(super) fn new(args: &Rows) -> Result<Self, Status> {
        let registry = args.tables.registry()?;
        let job = args.job(registry.clone())?;
        let layout_name = Name::of_operand(args.layout.as_os_str());
        job.validate().map_err(|error| say_unusable(&layout_name, &error.into()))?;
        let file = read_layout(args, &layout_name)?;
        let made = job.layout(&file).and_then(|layout| job.rows(&layout));
        Ok(Setup {
            job: made.map_err(|error| say_unusable(&layout_name, &error))?,
            registry,
            layout_name,
            is_page_assumed: job.is_encoding_assumed(),
            is_shape_assumed: !["records", "length-field", "length-map"].iter().any(|option| args.is_given(option)),
        })
    }

    pub(super) fn layout(&self) -> &Layout {
        self.job.layout()
    }

    /// Returns the name of the code page.
    pub(super) fn page(&self) -> &str {
        self.job.codec().name()
    }

    /// Prints the errors in the layout or the options.
    pub(super) fn say_unusable(&self, error: &RowsError) -> Status {
        say_unusable(&self.layout_name, error)
    }

    /// Prints that an option must say how the records are stored, if it must.
    pub(super) fn check_stored_as(&self) -> Result<(), Status> {
        match (self.job.stored_as(), self.job.layout_shape()) {
            (StoredAs::Layout, Err(_)) => Err(self.say_no_shape("--records")),
            _ => Ok(()),
        }
    }

    /// Prints that `option` must say how the records are stored, because the layout does not.
    pub(super) fn say_no_shape(&self, option: &str) -> Status {
        let (min, max) = (self.layout().min_len(), self.layout().max_len());
        say(format_args!(
            "{}: its records have {min} to {max} bytes: name their shape with {option}, such as {option} rdw \
             (`charpipe detect --records FILE` reports it), or {option} layout if nothing frames them",
            self.layout_name
        ));
        Status::Usage
    }

    /// Prints what was assumed about the input because no option says it.
    pub(super) fn say_assumptions(&self) {
        let shape = self.job.layout_shape().ok().filter(|_| self.is_shape_assumed);
        self.say_assumed("--records", shape.as_ref());
    }

    /// Prints what was assumed about the output because no option says it.
    pub(super) fn say_assumed_target(&self, shape: Option<&Shape>) {
        self.say_assumed("--to-records", shape);
    }

    fn say_assumed(&self, option: &str, shape: Option<&Shape>) {
        let is_longer = shape.and_then(Shape::lrecl).is_some_and(|lrecl| lrecl as usize > self.layout().max_len());
        let around = if is_longer { ", and the bytes around it" } else { "" };
        let shape = shape.map(|shape| format!("{shape} records (the length of the layout{around})"));
        let page = self.is_page_assumed.then(|| format!("code page {}", self.page()));
        let options = match (&shape, &page) {
            (Some(_), Some(_)) => format!("{option} and -f"),
            (Some(_), None) => option.to_owned(),
            _ => "-f".to_owned(),
        };
        let assumed: Vec<String> = [shape, page].into_iter().flatten().collect();
        if !assumed.is_empty() {
            say(format_args!("assuming {}; use {options} to change that", assumed.join(" and ")));
        }
    }
}

/// Prints the errors in the layout called `name`, or in the options.
fn say_unusable(name: &Name, error: &RowsError) -> Status {
    let (place, what) = match error {
        RowsError::Layout(error) => (name.to_string(), error.to_string()),
        RowsError::Stream(error) => match error.kind() {
            ErrorKind::BadOption { option, why, .. } => (format!("--{option}"), why.clone()),
            _ => return usage::wrong_value("--from", error),
        },
        other => (name.to_string(), other.to_string()),
    };
    say_problem(&place, None, &printable(&what), "");
    Status::Usage
}

/// Reads the file of `--layout`.
fn read_layout(args: &Rows, name: &Name) -> Result<Vec<u8>, Status> {
    let path = args.layout.as_os_str();
    let mut file = Vec::new();
    let read = input::open(path, 64 * 1024).and_then(|opened| {
        let mut reader = opened.reader.take(MAX_LAYOUT as u64 + 1);
        reader.read_to_end(&mut file)
    });
    if let Err(error) = read {
        say_not_opened(name, path, &error);
        return Err(Status::Io);
    }
    if file.len() > MAX_LAYOUT {
        say(format_args!("{name}: the layout is longer than {MAX_LAYOUT} bytes"));
        return Err(Status::Usage);
    }
    Ok(file)
}
