//! Binary files under `-r`: they are skipped, even if the options allow unlabelled input. A file is binary if
//! [`Detector`] without options reports it as binary, or if it is valid UTF-8 with NULs, such as an archive of texts.

use crate::args::Convert;
use crate::files::input::fill;
use crate::status::Status;
use charpipe::codec::decode_strictly;
use charpipe::detect::statistics::{Looks, WINDOW, may_be_binary};
use charpipe::detect::{ContentType, Hints};
use charpipe::{Detector, Registry, Verdict};
use std::io::{BufRead, Cursor, Read as _};

/// How much of an input is examined: what a [`Detector`] takes at most, which does not count a byte order mark.
const HEAD: usize = WINDOW + 16;

/// How binary files are recognised.
pub(crate) struct Search {
    registry: Registry,
    guess: bool,
    strict: bool,
}

impl Search {
    /// Returns how binary files are recognised; `None` if the options name an encoding in which text has any bytes, or
    /// records.
    pub(crate) fn new(args: &Convert) -> Result<Option<Self>, Status> {
        let registry = args.reading.tables.registry()?;
        let hints = args.named.job(registry.clone())?.detection_hints().clone();
        let charset = hints.content_type.as_deref().and_then(|value| ContentType::parse(value).charset);
        let named = hints.from.or_else(|| registry.codec(&charset?).ok());
        // In UTF-16, UTF-32 and EBCDIC, and where control characters are pictures.
        let is_other = named.is_some_and(|codec| decode_strictly(&*codec, b"A\x01").as_deref() != Some("A\u{1}"));
        let Hints { guess, strict, .. } = hints;
        Ok((!is_other && !args.records.is_given()).then_some(Search { registry, guess, strict }))
    }

    /// Returns the verdict on an input if it is binary, and the whole input again. `len`: its length when it was opened,
    /// if that is known.
    pub(crate) fn examine(&self, mut input: Box<dyn BufRead>, len: Option<u64>) -> (Option<Verdict>, Box<dyn BufRead>) {
        // A short file is examined in the read buffer, without a copy.
        if let (Some(len @ 1..), Ok(head)) = (len, fill(&mut *input))
            && head.len() as u64 >= len
        {
            let verdict = self.binary(&head[..head.len().min(HEAD)]);
            return (verdict, input);
        }
        let mut head = Vec::new();
        // An error occurs again when the input is converted.
        while let Ok(bytes) = fill(&mut *input)
            && !bytes.is_empty()
            && head.len() < HEAD
        {
            let bytes = &bytes[..bytes.len().min(HEAD - head.len())];
            head.extend_from_slice(bytes);
            let len = bytes.len();
            input.consume(len);
        }
        let verdict = self.binary(&head);
        (verdict, Box::new(Cursor::new(head).chain(input)))
    }

    /// Returns the verdict on the beginning of an input if it is binary.
    fn binary(&self, head: &[u8]) -> Option<Verdict> {
        // Detection takes longer than the conversion of a small file.
        if !may_be_binary(head) {
            return None;
        }
        let verdict = self.detect(head, false);
        if verdict.looks == Some(Looks::Binary) {
            return Some(verdict);
        }
        let is_utf8 = verdict.encoding.as_deref() == Some("UTF-8") && verdict.error.is_none();
        if !is_utf8 || !head.contains(&0) {
            return None;
        }
        // UTF-16 without a mark can be valid UTF-8. `--guess` finds out, and `--strict` fails.
        let is_wide = verdict.looks.is_some();
        let is_converted =
            is_wide && (self.strict || self.guess && self.detect(head, true).encoding != verdict.encoding);
        (!is_converted).then_some(verdict)
    }

    fn detect(&self, head: &[u8], guess: bool) -> Verdict {
        let mut hints = Hints::default();
        hints.guess = guess;
        let mut detector = Detector::new(self.registry.clone(), hints);
        detector.feed(head);
        detector.finish()
    }
}
