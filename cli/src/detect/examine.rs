//! Reads as much of a file as detection needs, and finds its encoding.

use crate::args::Detect;
use crate::detect::failure::Failure;
use crate::files::http_head::HttpHead;
use crate::files::input;
use crate::messages::hints;
use charpipe::detect::statistics::WINDOW;
use charpipe::detect::{Diagnostic, Hints, Policy, Source};
use charpipe::{Detector, Error, Registry, Verdict};
use std::ffi::OsStr;
use std::io::{self, BufRead, Read as _};

/// How many bytes are read at a time. Most declarations and all signatures fit.
const READ_BYTES: usize = 512;

/// What was found out about the encoding of a file.
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

/// Finds the encoding of the file at `path`. For an explanation, also compares the policies.
pub(crate) fn examine(args: &Detect, path: &OsStr, registry: &Registry, hints: &Hints) -> Result<Examined, Failure> {
    let mut input = input::open(path, READ_BYTES).map_err(Failure::NotOpened)?.reader;
    let mut hints = hints.clone();
    if args.reading.is_http() {
        let head = HttpHead::read(&mut *input).map_err(Failure::NotHttp)?;
        hints.content_type = hints.content_type.or(head.content_type);
    }
    let hints = &hints;
    let mut detector = Detector::new(registry.clone(), hints.clone());
    let unused = feed(&mut detector, &mut *input)?;
    let mut verdict = detector.finish();
    let sample = [detector.prefix(), &unused].concat();
    if matches!(verdict.source, Some(Source::Default | Source::Fallback)) {
        verdict.diagnostics.extend(hint(&sample));
    }
    let comparison = if args.explain { Some(compare(detector.prefix(), &mut *input, registry, hints)?) } else { None };
    Ok(Examined { verdict, sample, comparison })
}

/// Feeds the detector until it has decided. Returns the bytes that were read and not needed.
fn feed(detector: &mut Detector, input: &mut dyn BufRead) -> Result<Vec<u8>, Failure> {
    let mut unused = Vec::new();
    while !detector.is_done() {
        let len = match input.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => {
                let len = detector.feed(bytes);
                unused = bytes[len..].to_vec();
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
    Ok(unused)
}

/// Returns a hint at what the first bytes of a file look like, whose encoding was only assumed.
fn hint(sample: &[u8]) -> Option<Diagnostic> {
    hints::looks(sample).or_else(|| {
        let label = hints::seems(sample)?;
        Some(Diagnostic::hint("looks-like-legacy", 0, format!("not valid UTF-8; looks like {label} (try -f {label})")))
    })
}

/// Compares the policies on the bytes in `prefix` and as many more as any policy may examine.
fn compare(prefix: &[u8], input: &mut dyn BufRead, registry: &Registry, hints: &Hints) -> Result<Comparison, Failure> {
    let mut head = prefix.to_vec();
    let missing = (2 * WINDOW).saturating_sub(head.len());
    let read = input.take(missing as u64).read_to_end(&mut head);
    read.map_err(|source| Failure::NotRead(Error::read(head.len() as u64, source)))?;
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
