//! `charpipe detect`: reports the encoding of files and the evidence for it, or the shape of their records. It reads no
//! more than it needs for that.

mod examine;
mod explain;
mod record_shapes;

use crate::args::Detect;
use crate::detect::examine::{Comparison, Depth, Ending, Examined, Subject, examine};
use crate::detect::explain::Explanation;
use crate::escape::harmless;
use crate::files::file_path::Cursor;
use crate::files::name::Name;
use crate::files::output::Output;
use crate::files::walk::{FoundFile, Walk};
use crate::messages::hexdump::Piece;
use crate::messages::json::{self, VerdictObject};
use crate::messages::{self, InWords, color, hints, html_page, say};
use crate::panics;
use crate::print;
use crate::status::Status;
use charpipe::detect::{Diagnostic, Hints, Severity};
use charpipe::{Registry, Verdict};
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// Runs the command.
pub(crate) fn run(args: &Detect) -> Status {
    args.reading.tables.registry().map_or_else(|status| status, |registry| run_with(args, registry))
}

/// Runs the command with the codecs of `registry`.
pub(crate) fn run_with(args: &Detect, registry: Registry) -> Status {
    let hints = match args.named.job(registry.clone()) {
        Ok(job) => job.detection_hints().clone(),
        Err(status) => return status,
    };
    let mut worst = Status::Done;
    let written = Output::stdout().and_then(|mut output| print_all(args, &registry, &hints, &mut output, &mut worst));
    worst.max(print::finish(&Name::stdout(), written))
}

/// The settings that all files share.
struct Run<'a> {
    args: &'a Detect,
    registry: &'a Registry,
    hints: &'a Hints,
    /// Whether hints are printed. Those about many files would hide everything else.
    says_hints: bool,
    /// The width of the column of names.
    width: usize,
}

/// Prints what is found out about each file. `worst` becomes the worst status of any file.
fn print_all(
    args: &Detect,
    registry: &Registry,
    hints: &Hints,
    output: &mut Output,
    worst: &mut Status,
) -> io::Result<()> {
    let files = args.reading.operands.files();
    if args.html {
        let names: Vec<String> = files.iter().map(|path| Name::of_operand(path).to_string()).collect();
        output.write_all(explain::html_head(&names.join(", ")).as_bytes())?;
    }
    let says_hints = args.messages.verbose || files.len() == 1 && !args.recursive;
    let width = column_width(files.iter().map(|path| Name::of_operand(path)));
    let mut run = Run { args, registry, hints, says_hints, width };
    let mut walk = Walk::new(&args.selection, None, std::iter::empty::<&PathBuf>());
    let mut print = |run: &Run<'_>, path: &OsStr, subject: &Subject<'_>| {
        let name = Name::of_operand(path);
        let (text, status) = run.answer_to(&name, path, subject);
        *worst = status.max(*worst);
        output.write_all(text.as_bytes())
    };
    for path in &files {
        if args.recursive && path != "-" && Path::new(path).is_dir() {
            let cursor = Cursor::default();
            let mut found: Box<dyn Iterator<Item = FoundFile>> = Box::new(walk.files(path));
            if io::stdout().is_terminal() {
                let all: Vec<FoundFile> = found.collect();
                run.width = column_width(all.iter().map(|found| Name::of_operand(&found.path().text())));
                found = Box::new(all.into_iter());
            }
            found.try_for_each(|found| print(&run, &found.path().text(), &Subject::Found(&found, &cursor)))?;
        } else {
            print(&run, path, &Subject::Operand(path))?;
        }
    }
    if !args.messages.quiet {
        let left_alone = walk.left_alone();
        left_alone.no_files().into_iter().chain(left_alone.message()).for_each(say);
    }
    if args.html { output.write_all(html_page::FOOT.as_bytes()) } else { Ok(()) }
}

/// Returns how wide the column of names is: on a terminal as wide as the longest name, but not so wide that verdicts
/// begin in the next line.
fn column_width(names: impl Iterator<Item = Name>) -> usize {
    const MOST: usize = 40;
    if !io::stdout().is_terminal() {
        return 0;
    }
    names.map(|name| harmless(&name.to_string()).chars().count()).filter(|width| *width <= MOST).max().unwrap_or(0)
}

/// Returns the name of a file and its verdict in a line, in columns.
fn in_columns(name: &Name, verdict: &InWords<'_>, width: usize) -> String {
    let name = format!("{name}:");
    harmless(&format!("{name:<column$} {verdict}\n", column = if width == 0 { 0 } else { width + 1 }))
}

impl Run<'_> {
    /// Examines a file, prints the messages about it, and returns what goes to standard output.
    fn answer_to(&self, name: &Name, path: &OsStr, subject: &Subject<'_>) -> (String, Status) {
        let args = self.args;
        let depth = Depth { whole: args.whole, explain: args.explain, is_http: args.reading.is_http() };
        let answer = panics::catch(|| {
            if args.records {
                record_shapes::answer(args, name, path)
            } else {
                examine(subject, self.registry, self.hints, depth).map(|examined| self.answer(name, &examined))
            }
        });
        let answer = answer.unwrap_or_else(|panic| Err(Ending::Panicked(panic)));
        answer.unwrap_or_else(|ending| answer_failure(args, name, &ending))
    }

    /// Prints the messages about a file, and returns what goes to standard output.
    fn answer(&self, name: &Name, examined: &Examined) -> (String, Status) {
        let (args, Examined { verdict, sample, comparison }) = (self.args, examined);
        let verbose = args.messages.verbose;
        if !args.messages.quiet {
            self.say_diagnostics(name, verdict, sample);
        }
        if let Some(error) = &verdict.error {
            messages::say_verdict_error(name, error, sample, self.says_hints);
            // An explanation shows the bytes anyway.
            if verbose && comparison.is_none() && messages::is_watched() {
                let piece = error.offset().and_then(|offset| Piece::of(sample, offset));
                messages::show_bytes(error, piece.as_ref(), verdict.codec.as_deref());
            }
        }
        let text = if let Some(comparison) = comparison {
            explanation(args, name, verdict, comparison)
        } else if args.json {
            json::line(&VerdictObject::of(name, verdict))
        } else if args.brief {
            brief(verdict.encoding.as_deref().filter(|_| verdict.error.is_none()))
        } else if verdict.error.as_ref().is_none_or(|error| error.code() == "unknown-encoding") {
            in_columns(name, &InWords { verdict, verbose }, self.width)
        } else {
            String::new()
        };
        (text, verdict.error.as_ref().map_or(Status::Done, Status::of))
    }

    /// Prints the warnings about a file, and the hints if they are printed.
    fn say_diagnostics(&self, name: &Name, verdict: &Verdict, sample: &[u8]) {
        let is_contradicted = verdict.diagnostics.iter().any(|note| note.code == "contents-contradict");
        let is_asked = self.says_hints && (is_contradicted || verdict.error.is_some());
        let codec = verdict.codec.as_ref().map(|codec| codec.name());
        let advice = if is_asked { hints::for_bytes(sample, codec, is_contradicted) } else { None };
        let is_said = |note: &&Diagnostic| self.says_hints || note.severity != Severity::Hint;
        let notes: Vec<Diagnostic> = verdict.diagnostics.iter().filter(is_said).cloned().collect();
        messages::say_diagnostics(name, &notes, verdict.error.as_ref(), advice.as_deref());
    }
}

/// Returns the line of `--brief`: the name alone.
fn brief(encoding: Option<&str>) -> String {
    harmless(&format!("{}\n", encoding.unwrap_or("unknown")))
}

fn explanation(args: &Detect, name: &Name, verdict: &Verdict, Comparison { head, verdicts }: &Comparison) -> String {
    if args.json {
        let policies = verdicts.iter().map(|verdict| VerdictObject::of(name, verdict)).collect();
        return json::line(&VerdictObject::of(name, verdict).explained(policies));
    }
    let explanation = Explanation::new(name, head, verdict, verdicts);
    if args.html { explain::html(&explanation) } else { explain::text(&explanation, color::on_stdout()) }
}

/// Prints the message about a file that could not be examined, and returns what goes to standard output.
fn answer_failure(args: &Detect, name: &Name, ending: &Ending) -> (String, Status) {
    if let Ending::Panicked(panic) = ending {
        panic.note().iter().filter(|_| args.messages.verbose).for_each(|note| say(format_args!("{name}: {note}")));
    }
    ending.say(name, OsStr::new(""), |failure| match *failure {});
    let object = ending.object();
    let text = match (args.json, args.records) {
        (false, _) if args.html => explain::html_of_failure(name, &object.map_or_else(String::new, |it| it.message)),
        (false, _) if args.brief => brief(None),
        (false, _) => String::new(),
        (true, true) => record_shapes::failure_line(name, object),
        (true, false) => json::line(&VerdictObject::failed(name, object)),
    };
    (text, ending.status())
}
