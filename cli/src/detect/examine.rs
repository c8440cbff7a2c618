//! Reads as much of a file as detection needs, and finds its encoding.

use crate::ending::{self, Failure};
use crate::files::file_path::Cursor;
use crate::files::http_head::HttpHead;
use crate::files::input::{self, OpenInput, fill};
use crate::files::walk::FoundFile;
use crate::messages::hints;
use crate::messages::json::ErrorObject;
use crate::status::Status;
use charpipe::detect::statistics::WINDOW;
use charpipe::detect::{Hints, Policy, Source};
use charpipe::{Detector, Error, Registry, TextPosition, Verdict};
use std::convert::Infallible;
use std::ffi::OsStr;
use std::io::{self, BufRead, Read as _};

/// How many bytes are read at a time if only the beginning is examined. Most declarations and all signatures fit.
const READ_BYTES: usize = 512;

/// Why a file could not be examined.
pub(crate) type Ending = ending::Ending<Infallible>;

impl Failure for Infallible {
    const SEARCHES: bool = true;

    fn status(&self) -> Status {
        match *self {}
    }

    fn object(&self) -> ErrorObject {
        match *self {}
    }
}

/// A file to examine: an operand, or a file that was found in a directory.
pub(crate) enum Subject<'a> {
    Operand(&'a OsStr),
    Found(&'a FoundFile, &'a Cursor),
}

impl Subject<'_> {
    fn open(&self, read_size: usize) -> io::Result<OpenInput> {
        match self {
            Subject::Operand(path) => input::open(path, read_size),
            Subject::Found(FoundFile { trouble: Some(trouble), .. }, _) => Err(io::Error::other(trouble.clone())),
            Subject::Found(found, cursor) => input::open_place(&found.root.place(&found.below, cursor)?, read_size),
        }
    }
}

/// How far a file is examined.
#[derive(Clone, Copy)]
pub(crate) struct Depth {
    /// Read the file to its end.
    pub(crate) whole: bool,
    /// Compare the policies.
    pub(crate) explain: bool,
    /// The file is a raw HTTP response.
    pub(crate) is_http: bool,
}

/// The findings about the encoding of a file.
pub(crate) struct Examined {
    pub(crate) verdict: Verdict,
    /// The bytes that were read.
    pub(crate) sample: Vec<u8>,
    /// For an explanation.
    pub(crate) comparison: Option<Comparison>,
}

/// The verdicts of all policies on the beginning of a file.
pub(crate) struct Comparison {
    pub(crate) head: Vec<u8>,
    /// In the order of [`Policy::ALL`].
    pub(crate) verdicts: Vec<Verdict>,
}

/// Finds the encoding of a file.
pub(crate) fn examine(
    subject: &Subject<'_>,
    registry: &Registry,
    hints: &Hints,
    Depth { whole, explain, is_http }: Depth,
) -> Result<Examined, Ending> {
    let is_default_policy = hints.policy == Policy::default();
    let read_bytes = if is_default_policy { WINDOW } else { READ_BYTES };
    let OpenInput { reader: mut input, mut again, .. } = subject.open(read_bytes).map_err(Ending::NotOpened)?;
    let mut hints = hints.clone();
    if is_http {
        let (head, begun) = HttpHead::read(&mut *input).map_err(Ending::NotHttp)?;
        if !begun.is_empty() {
            input = Box::new(io::Cursor::new(begun).chain(input));
        }
        hints.content_type = hints.content_type.or(head.content_type);
        // Offsets count from the beginning of the body.
        again = None;
    }
    let hints = &hints;
    let new = if whole { Detector::whole } else { Detector::new };
    let mut detector = new(registry.clone(), hints.clone());
    let unused = feed(&mut detector, &mut *input)?;
    let mut verdict = detector.finish();
    let sample = [detector.prefix(), &unused].concat();
    // Under the default policy, detection looks at the contents itself.
    let is_assumed = matches!(verdict.source, Some(Source::Default | Source::Fallback));
    if is_assumed && verdict.looks.is_none() && verdict.error.is_none() {
        verdict.diagnostics.extend(hints::looks(&sample).map(|note| note.with_position(Some(TextPosition::new(1, 1)))));
    }
    if let Some(again) = again.filter(|_| whole) {
        // Without lines and columns, the messages have the offsets.
        _ = verdict.locate(again);
    }
    if let (Some(codec), None) = (&verdict.codec, &verdict.error) {
        let hint = hints::looks_damaged(&sample, &**codec, &verdict.diagnostics);
        verdict.diagnostics.extend(hint);
    }
    let comparison = if explain { Some(compare(detector.prefix(), &mut *input, registry, hints)?) } else { None };
    Ok(Examined { verdict, sample, comparison })
}

/// Feeds the detector until it has decided. Returns the bytes that were read and not needed.
fn feed(detector: &mut Detector, input: &mut dyn BufRead) -> Result<Vec<u8>, Ending> {
    let mut unused = Vec::new();
    while !detector.is_done() {
        let offset = detector.prefix().len() as u64;
        let bytes = fill(input).map_err(|source| Ending::NotRead(Error::read(offset, source)))?;
        if bytes.is_empty() {
            break;
        }
        let len = detector.feed(bytes);
        unused.clear();
        unused.extend_from_slice(&bytes[len..]);
        input.consume(len);
    }
    Ok(unused)
}

/// Compares the policies on the bytes in `prefix` and as many more as any policy may examine.
fn compare(prefix: &[u8], input: &mut dyn BufRead, registry: &Registry, hints: &Hints) -> Result<Comparison, Ending> {
    let mut head = prefix.to_vec();
    let missing = (2 * WINDOW).saturating_sub(head.len());
    let read = input.take(missing as u64).read_to_end(&mut head);
    read.map_err(|source| Ending::NotRead(Error::read(head.len() as u64, source)))?;
    let verdicts = Policy::ALL.iter().map(|&policy| {
        let mut hints = hints.clone();
        hints.policy = policy;
        let mut detector = Detector::new(registry.clone(), hints);
        detector.feed(&head);
        detector.finish()
    });
    let verdicts = verdicts.collect();
    Ok(Comparison { head, verdicts })
}
