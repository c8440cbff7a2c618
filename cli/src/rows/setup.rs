//! What a run needs to know before it reads records: the layout, the code page, and how the records are stored.

use crate::args::Rows;
use crate::args::records::ShapeArg;
use crate::args::rows::LayoutFormat;
use crate::args::usage;
use crate::escape::printable;
use crate::files::input;
use crate::files::name::Name;
use crate::files::record_head::RecordHead;
use crate::messages::{color, say, say_not_opened, say_parts};
use crate::rows::account::Ending;
use crate::rows::foreign;
use crate::rows::trouble::Trouble;
use crate::status::Status;
use charpipe::codec::{ByteSink, Codec, MIN_ROOM};
use charpipe::fields::{BadLayout, Copybook, Layout};
use charpipe::records::{Shape, TapeFile};
use charpipe::{Error, Registry};
use std::io::{BufRead, Cursor, Read as _};
use std::sync::Arc;

/// The layout and the code page of a run.
pub(super) struct Setup {
    pub(super) layout: Layout,
    pub(super) registry: Registry,
    /// The code page of the records.
    pub(super) codec: Arc<dyn Codec>,
    /// Whether the page was not named.
    is_page_assumed: bool,
    /// The name of the layout file.
    pub(super) layout_name: Name,
}

/// The page of records if none was named: that of the United States, as for EBCDIC in `convert`.
const DEFAULT_PAGE: &str = "IBM037";

/// The largest layout file, in bytes.
const MAX_LAYOUT: usize = 16 << 20;

impl Setup {
    /// Reads the layout, and finds the code page. What is wrong has been printed.
    pub(super) fn new(args: &Rows) -> Result<Self, Status> {
        let registry = args.tables.registry()?;
        let named = args.from.as_deref().filter(|label| !label.eq_ignore_ascii_case("auto"));
        let codec = registry.codec(named.unwrap_or(DEFAULT_PAGE));
        let codec = codec.map_err(|error| usage::wrong_value("--from", &error))?;
        let layout_name = Name::of_operand(args.layout.as_os_str());
        let mut layout = read_layout(args, &layout_name)?;
        for rule in &args.when {
            layout = layout.apply(rule).map_err(|error| {
                let rule = format!("{}: {}", rule.when, rule.item);
                say_option(&format!("--when '{}'", printable(&rule)), &error)
            })?;
        }
        Ok(Setup { layout, registry, codec, is_page_assumed: named.is_none(), layout_name })
    }

    /// Prints what is wrong with the layout.
    pub(super) fn say_bad_layout(&self, error: &BadLayout) -> Status {
        say_bad_layout(&self.layout_name, error)
    }

    /// Prints what was assumed about the input because no option says it.
    pub(super) fn say_assumptions(&self, shapes: &Shapes) {
        let shape = if let Shapes::Assumed(shape) = shapes { Some(shape) } else { None };
        self.say_assumed("--records", shape);
    }

    /// Prints what was assumed about the output because no option says it.
    pub(super) fn say_assumed_target(&self, shape: Option<&Shape>) {
        self.say_assumed("--to-records", shape);
    }

    fn say_assumed(&self, option: &str, shape: Option<&Shape>) {
        let shape = shape.map(|shape| format!("{shape} records (the length of the layout)"));
        let page = self.is_page_assumed.then(|| format!("code page {}", self.codec.name()));
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

    /// Returns the blank of the code page, which fills up records that are shorter than their shape says.
    pub(super) fn blank(&self) -> Vec<u8> {
        let Some(mut encoder) = self.codec.encoder() else { return Vec::new() };
        let mut room = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut room);
        let step = encoder.feed(" ", &mut sink);
        if step.read == 1 { sink.as_bytes().to_vec() } else { Vec::new() }
    }

    /// Returns the length of all records, if they all have the same one.
    pub(super) fn fixed_len(&self) -> Option<u32> {
        let len = u32::try_from(self.layout.max_len()).ok()?;
        (len > 0 && self.layout.min_len() == self.layout.max_len()).then_some(len)
    }

    /// Returns the shape of records if none was named: they have the length of the layout. Otherwise prints that `option`
    /// is needed.
    pub(super) fn assumed_shape(&self, option: &str) -> Result<Shape, Status> {
        if let Some(lrecl) = self.fixed_len() {
            return Ok(Shape::Fixed { lrecl });
        }
        let (min, max) = (self.layout.min_len(), self.layout.max_len());
        say(format_args!(
            "{}: its records have {min} to {max} bytes: name their shape with {option}, such as {option} rdw \
             (`charpipe detect --records FILE` reports it)",
            self.layout_name
        ));
        Err(Status::Usage)
    }
}

/// Prints what is wrong with an option that names parts of the layout.
fn say_option(option: &str, error: &BadLayout) -> Status {
    say_parts(&[(color::PLAIN, &format_args!("{option}: ")), (color::ERROR, &printable(&error.what))]);
    Status::Usage
}

fn say_bad_layout(name: &Name, error: &BadLayout) -> Status {
    say_parts(&[(color::PLAIN, &format_args!("{name}: ")), (color::ERROR, &printable(&error.to_string()))]);
    Status::Usage
}

/// Reads the layout of `--layout`.
fn read_layout(args: &Rows, name: &Name) -> Result<Layout, Status> {
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
    let copybook = Copybook::new().float(args.float);
    let layout = match args.layout_format {
        LayoutFormat::Auto if is_json(&file) => foreign::read(&file),
        LayoutFormat::Auto => Layout::read(&file, &copybook),
        LayoutFormat::Json => foreign::read(&file),
        LayoutFormat::Fields => field_list(&file),
        LayoutFormat::Copybook => copybook.read(&file),
    };
    layout.map_err(|error| say_bad_layout(name, &error))
}

fn field_list(file: &[u8]) -> Result<Layout, BadLayout> {
    let text = std::str::from_utf8(file).map_err(|error| {
        let line = 1 + file[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        BadLayout::at(line, 0, "a field list is text in UTF-8")
    })?;
    Layout::from_field_list(text)
}

/// Returns whether a layout is in JSON, which begins with a brace or a bracket.
fn is_json(file: &[u8]) -> bool {
    let text = file.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(file);
    text.trim_ascii_start().starts_with(b"{") || text.trim_ascii_start().starts_with(b"[")
}

/// How the records of the inputs are stored.
pub(super) enum Shapes {
    Named(Shape),
    /// No option says it: records of the length of the layout.
    Assumed(Shape),
    /// Each input shows it.
    Auto,
}

impl Shapes {
    /// Returns what the options say. If that is not enough, this has been printed.
    pub(super) fn of(args: &Rows, setup: &Setup) -> Result<Self, Status> {
        Ok(match &args.records {
            Some(ShapeArg::Shape(shape)) => Shapes::Named(shape.clone()),
            Some(ShapeArg::Auto) => Shapes::Auto,
            None => Shapes::Assumed(setup.assumed_shape("--records")?),
        })
    }

    pub(super) fn is_auto(&self) -> bool {
        matches!(self, Shapes::Auto)
    }

    /// Returns the shape of the records of an input, and the whole input again.
    pub(super) fn find(
        &self,
        mut input: Box<dyn BufRead>,
        file: Option<&TapeFile>,
    ) -> Result<(Shape, Box<dyn BufRead>), Ending> {
        match self {
            Shapes::Named(shape) | Shapes::Assumed(shape) => Ok((shape.clone(), input)),
            Shapes::Auto => {
                let not_read = |error: Error| Ending::Failed(Trouble::Input(error));
                let head = RecordHead::read(&mut *input, file).map_err(not_read)?;
                let shape = head.sniffed.shape().map_err(Ending::NoShape)?;
                Ok((shape, Box::new(Cursor::new(head.bytes).chain(input))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_in_json() {
        for (text, expected) in [
            ("       01  A.\n", false),
            ("", false),
            ("# list\nname 1 5 text\n", false),
            (" {\"a\": 1}", true),
            ("\u{FEFF}[1]", true),
        ] {
            assert_eq!(is_json(text.as_bytes()), expected, "{text:?}");
        }
    }
}
