//! `charpipe detect`: what is it encoded in, and how do you know. Reads no more than that takes.

pub(crate) mod explain;
pub(crate) mod record_shapes;

use crate::args::Detect;
use crate::detect::explain::Account;
use crate::files::input;
use crate::files::output::{Output, STDOUT};
use crate::messages::color;
use crate::messages::hexdump::Piece;
use crate::messages::hints;
use crate::messages::html_page;
use crate::messages::json::{self, ErrorObject, VerdictObject};
use crate::messages::{self, InWords, Name, say};
use crate::panics::{self, Panic};
use crate::status::Status;
use charpipe::Error;
use charpipe::detect::statistics::WINDOW;
use charpipe::detect::{Diagnostic, Hints, Policy, Source};
use charpipe::{Detector, Registry, Verdict};
use std::ffi::OsStr;
use std::io::{self, BufRead, Read as _, Write};

/// How much is read at a time: most declarations and all signatures fit.
const READ_SIZE: usize = 512;

/// Runs it.
pub(crate) fn run(args: &Detect) -> Status {
    args.reading.tables.registry().map_or_else(|status| status, |registry| run_with(args, registry))
}

/// Runs it with these codecs.
pub(crate) fn run_with(args: &Detect, registry: Registry) -> Status {
    let hints = match args.reading.hints(&registry) {
        Ok(hints) => hints,
        Err(status) => return status,
    };
    let mut output = match Output::stdout() {
        Ok(output) => output,
        Err(error) => return not_written(&error),
    };
    let mut worst = Status::Done;
    match answer(args, &registry, &hints, &mut output, &mut worst) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => worst.max(not_written(&error)),
        _ => worst,
    }
}

/// What is found out about each file goes to `output`, the gravest status of any to `worst`.
fn answer(
    args: &Detect,
    registry: &Registry,
    hints: &Hints,
    output: &mut Output,
    worst: &mut Status,
) -> io::Result<()> {
    let files = args.reading.files();
    // A page has something in front of the files and behind them.
    if args.html {
        let names: Vec<String> = files.iter().map(|path| input::name(path).to_string()).collect();
        output.write_all(explain::html_head(&names.join(", ")).as_bytes())?;
    }
    for path in &files {
        let name = input::name(path);
        let answer = panics::caught(|| {
            if args.records {
                return record_shapes::found(args, &name, path);
            }
            verdict_on(path, registry, hints, args.explain)
                .map(|(verdict, explained, head)| found(args, &name, &verdict, explained, &head))
        });
        let answer = answer.unwrap_or_else(|panic| Err(Failure::Panicked(panic)));
        let (line, status) = answer.unwrap_or_else(|failure| failed(args, &name, &failure));
        *worst = status.max(*worst);
        output.write_all(line.as_bytes())?;
    }
    if args.html { output.write_all(html_page::FOOT.as_bytes()) } else { Ok(()) }
}

/// Why there is no verdict at all.
pub(crate) enum Failure {
    NotOpened(io::Error),
    NotRead(Error),
    /// There is a bug in charpipe.
    Panicked(Panic),
}

/// The first bytes, and what every policy says of them.
type Explained = (Vec<u8>, Vec<Verdict>);

/// The verdict; where it is to be explained, also the first bytes, and the verdict of every policy on them; and what was
/// read to come to it.
fn verdict_on(
    path: &OsStr,
    registry: &Registry,
    hints: &Hints,
    explain: bool,
) -> Result<(Verdict, Option<Explained>, Vec<u8>), Failure> {
    let mut input = input::open(path, READ_SIZE).map_err(Failure::NotOpened)?;
    let mut detector = Detector::new(registry.clone(), hints.clone());
    // What was read with what was taken, and lies behind it.
    let mut ready = Vec::new();
    while !detector.is_done() {
        let len = match input.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => {
                let len = detector.feed(bytes);
                ready = bytes[len..].to_vec();
                len
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => {
                let offset = detector.prefix().len() as u64;
                return Err(Failure::NotRead(Error::read(offset, source)));
            }
        };
        input.consume(len);
    }
    let mut verdict = detector.finish();
    let sample = [detector.prefix(), &ready].concat();
    if matches!(verdict.source, Some(Source::Default | Source::Fallback)) {
        let seems = || {
            let label = hints::seems(&sample)?;
            Some(Diagnostic::hint(
                "looks-like-legacy",
                0,
                format!("not valid UTF-8; looks like {label} (try -f {label})"),
            ))
        };
        verdict.diagnostics.extend(hints::looks(&sample).or_else(seems));
    }
    if !explain {
        return Ok((verdict, None, sample));
    }
    // What detection took, and as much more as any policy may look at.
    let mut head = detector.prefix().to_vec();
    let more = io::Read::take(&mut input, (2 * WINDOW).saturating_sub(head.len()) as u64).read_to_end(&mut head);
    more.map_err(|source| Failure::NotRead(Error::read(head.len() as u64, source)))?;
    let all = Policy::ALL.iter().map(|&policy| {
        let mut hints = hints.clone();
        hints.policy = policy;
        let mut detector = Detector::new(registry.clone(), hints);
        detector.feed(&head);
        detector.finish()
    });
    let all = all.collect();
    Ok((verdict, Some((head, all)), sample))
}

/// The line on standard output, after what there is to say.
fn found(args: &Detect, name: &Name, verdict: &Verdict, explained: Option<Explained>, head: &[u8]) -> (String, Status) {
    let verbose = args.messages.verbose;
    if !args.messages.quiet {
        messages::say_diagnostics(name, &verdict.diagnostics, verdict.error.as_ref());
    }
    if let Some(error) = &verdict.error {
        messages::say_error(name, error);
        // An explanation shows them anyway.
        if verbose && explained.is_none() && messages::is_watched() {
            let piece = error.offset().and_then(|offset| Piece::of(head, offset));
            messages::show_bytes(error, piece.as_ref(), verdict.codec.as_deref());
        }
    }
    let line = if let Some((head, all)) = explained {
        let policies = || all.iter().map(|verdict| VerdictObject::of(name, verdict)).collect();
        match args.json {
            true => json::line(&VerdictObject::of(name, verdict).explained(policies())),
            false => {
                let account = Account::new(name, &head, verdict, &all);
                if args.html { explain::html(&account) } else { explain::text(&account, color::on_stdout()) }
            }
        }
    } else if args.json {
        json::line(&VerdictObject::of(name, verdict))
    } else if verdict.error.is_none() {
        messages::harmless(&format!("{name}: {}\n", InWords { verdict, verbose }))
    } else {
        String::new()
    };
    (line, verdict.error.as_ref().map_or(Status::Done, Status::of))
}

fn failed(args: &Detect, name: &Name, failure: &Failure) -> (String, Status) {
    let (object, status) = match failure {
        Failure::NotOpened(error) => {
            say(format_args!("{name}: cannot open: {error}"));
            (ErrorObject::new("open", format!("cannot open: {error}"), None), Status::Io)
        }
        Failure::NotRead(error) => {
            messages::say_error(name, error);
            (ErrorObject::of(error), Status::Io)
        }
        Failure::Panicked(panic) => {
            if let Some(note) = panic.note().filter(|_| args.messages.verbose) {
                say(format_args!("{name}: {note}"));
            }
            panic.say(name);
            (panic.object(), Status::Data)
        }
    };
    let line = match (args.json, args.records) {
        (false, _) if args.html => explain::html_of_failure(name, &object.message),
        (false, _) => String::new(),
        (true, true) => record_shapes::failed(name, object),
        (true, false) => json::line(&VerdictObject::failed(name, Some(object))),
    };
    (line, status)
}

fn not_written(error: &io::Error) -> Status {
    say(format_args!("{STDOUT}: cannot write: {error}"));
    Status::Io
}
