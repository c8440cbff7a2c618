//! Where a document names its encoding beside the declaration: the `meta` elements of HTML, and of XML whose root element
//! is `html`.
//!
//! They are looked for in the text that the chosen codec makes of the first bytes, so that they are found in every
//! family. What is found is where each label stands in the input; what is to stand there is planned by the transcoder.

use crate::codec::{Codec, Decoder, MIN_ROOM, Stop, Utf8Sink, is_ebcdic};
use crate::detect::{Kind, PRESCAN_LIMIT, Syntax, Verdict, meaning_of_label, meta_labels};
use crate::registry::Registry;
use crate::text::xml::XmlPlace;
use crate::transcoder::records::head::Looks;
use std::ops::Range;
use std::sync::Arc;

/// Room for what a stretch of input becomes.
const ROOM: usize = 1024;

/// What stands for a character that is no ASCII: where labels are looked for, any will do.
const OTHER: u8 = 0xFF;

/// A label as it is written, and the bytes of the input that it stands in.
pub(super) type Label = (String, Range<u64>);

/// Takes the beginning of a document, as far as labels are looked for in it.
pub(super) struct LabelSearch {
    codec: Arc<dyn Codec>,
    decoder: Box<dyn Decoder>,
    /// What is still to be passed over of a byte order mark.
    skip: usize,
    /// Where in the input the text begins, what of it was taken, and how much is taken at the most.
    start: usize,
    taken: Vec<u8>,
    limit: usize,
    /// The text, a byte a character.
    signs: Vec<u8>,
    /// U+0085 is white space.
    ebcdic: bool,
    syntax: Syntax,
    /// Looks for the root element, in XML, and from which byte of the text on: behind the declaration, which need not be
    /// closed as it should be.
    root: Option<Root>,
    root_from: usize,
    /// It is not that kind of document, or its codec does not get on.
    is_over: bool,
}

/// Looks for the root element of an XML document.
#[derive(Default)]
struct Root {
    place: XmlPlace,
    name: String,
}

impl Root {
    /// Whether the element is `html`, once that is clear.
    fn take(&mut self, sign: u8) -> Option<bool> {
        const HTML: &str = "html";
        if !self.name.is_empty() && (sign.is_ascii_whitespace() || matches!(sign, b'/' | b'>')) {
            return Some(self.name == HTML);
        }
        self.place.advance(if sign.is_ascii() { char::from(sign) } else { '\u{FFFD}' }.encode_utf8(&mut [0; 4]));
        if self.place.is_in_tag() {
            self.name.push(char::from(sign));
        }
        (!HTML.starts_with(&*self.name)).then_some(false)
    }
}

impl LabelSearch {
    /// A search in the document that the verdict is on, which `codec` decodes. `prescan`: how many bytes of it, were it
    /// in single bytes.
    pub(super) fn new(codec: Arc<dyn Codec>, verdict: &Verdict, prescan: usize) -> Self {
        let (kind, start) = (verdict.kind, verdict.bom_len);
        let declared_to = verdict.declaration.as_ref().map_or(0, |found| found.span.end as usize);
        let decoder = codec.decoder();
        let unit = decoder.code_unit().unwrap_or(1);
        LabelSearch {
            ebcdic: is_ebcdic(&*codec),
            codec,
            decoder,
            skip: start,
            start,
            taken: Vec::new(),
            limit: prescan.saturating_mul(unit).min(PRESCAN_LIMIT),
            signs: Vec::new(),
            syntax: if kind == Kind::Xml { Syntax::Xml } else { Syntax::Html },
            root: (kind == Kind::Xml).then(Root::default),
            root_from: declared_to.saturating_sub(start),
            is_over: false,
        }
    }

    fn decode(&mut self, src: &[u8]) {
        let (signs, root, is_over) = (&mut self.signs, &mut self.root, &mut self.is_over);
        let looks = self.taken.len() >= self.root_from;
        let is_honest = decode(&mut *self.decoder, src, |ch| {
            let sign = sign_of(ch, self.ebcdic);
            signs.push(sign);
            match root.as_mut().filter(|_| looks).and_then(|root| root.take(sign)) {
                Some(true) => *root = None,
                Some(false) => *is_over = true,
                None => {}
            }
        });
        *is_over |= !is_honest;
    }

    /// The labels in what was taken.
    pub(super) fn labels(self, registry: &Registry) -> Vec<Label> {
        if self.root.is_some() || self.is_over {
            return Vec::new();
        }
        let spans = meta_labels(&self.signs, self.syntax, &|label| meaning_of_label(registry, label));
        let mut spans = spans.into_iter().peekable();
        let mut labels = Vec::new();
        // Where each of these characters stands is found by decoding once more, a byte at a time.
        let mut decoder = self.codec.decoder();
        let (mut index, mut begun) = (0, None);
        for (at, byte) in self.taken.iter().enumerate() {
            let Some(span) = spans.peek() else { break };
            let begin = at - decoder.pending().min(at);
            let mut behind = index;
            decode(&mut *decoder, std::slice::from_ref(byte), |_| behind += 1);
            if (index..behind).contains(&span.start) {
                begun = Some(begin);
            }
            if (index..behind).contains(&(span.end - 1))
                && let (Some(begin), Some(span)) = (begun.take(), spans.next())
            {
                let label = self.signs[span].iter().map(|sign| char::from(*sign)).collect();
                let end = at + 1 - decoder.pending().min(at);
                labels.push((label, (self.start + begin) as u64..(self.start + end) as u64));
            }
            index = behind;
        }
        labels
    }
}

impl Looks for LabelSearch {
    /// The bytes begin with the byte order mark.
    fn feed(&mut self, src: &[u8]) -> usize {
        let mut read = self.skip.min(src.len());
        self.skip -= read;
        while read < src.len() && !self.is_done() {
            // While the root is looked for, not a byte beyond its name.
            let most = if self.root.is_some() { 1 } else { ROOM / MIN_ROOM };
            let some = &src[read..][..most.min(src.len() - read).min(self.limit - self.taken.len())];
            self.decode(some);
            read += some.len();
            self.taken.extend_from_slice(some);
        }
        read
    }

    fn is_done(&self) -> bool {
        self.is_over || self.taken.len() >= self.limit
    }
}

fn sign_of(ch: char, ebcdic: bool) -> u8 {
    match ch {
        '\u{85}' if ebcdic => b'\n',
        _ if ch.is_ascii() => ch as u8,
        _ => OTHER,
    }
}

/// Decodes all of `src`, ill-formed bytes as some character; `false` where the codec does not get on.
fn decode(decoder: &mut dyn Decoder, mut src: &[u8], mut each: impl FnMut(char)) -> bool {
    // A codec that faults for ever is found out by the transcoder; here it only ends the search.
    for _ in 0..8 + 2 * src.len() {
        let mut room = [0; ROOM];
        let mut sink = Utf8Sink::new(&mut room);
        let step = decoder.feed(src, &mut sink);
        sink.as_str().chars().for_each(&mut each);
        src = src.get(step.read..).unwrap_or_default();
        match step.stop {
            Stop::InputEmpty => return true,
            Stop::OutputFull => {}
            Stop::Fault(_) => each(char::REPLACEMENT_CHARACTER),
        }
    }
    false
}
