//! Searches a document for labels outside its declaration: in the `meta` elements of HTML, and of XML whose root
//! element is `html`.
//!
//! The search reads the text that the chosen codec makes of the first bytes, so it works in every family of encodings.
//! It finds where in the input each label stands; `labels.rs` plans how to change them.

use crate::codec::{Codec, Decoder, MIN_ROOM, drive, is_ebcdic};
use crate::detect::{Kind, PRESCAN, PRESCAN_LIMIT, Syntax, Verdict, meaning_of_label, meta_labels};
use crate::registry::Registry;
use crate::text::xml::XmlPlace;
use crate::transcoder::choices::Relabel;
use crate::transcoder::options::Settings;
use crate::transcoder::records::detection::Looks;
use std::ops::Range;
use std::sync::Arc;

/// The size of the buffer for decoded text, in bytes.
const TEXT_BYTES: usize = 1024;

/// Takes the place of characters outside ASCII; no label contains them.
const OTHER: u8 = 0xFF;

/// A label as it is written, and the range of its bytes in the input.
pub(in crate::transcoder) type Label = (String, Range<u64>);

/// Takes the beginning of a document, as far as it is searched.
pub(in crate::transcoder) struct LabelSearch {
    codec: Arc<dyn Codec>,
    decoder: Box<dyn Decoder>,
    /// How many bytes of the byte order mark are still to be skipped.
    skip: usize,
    /// Where in the input the text begins; the bytes of it that were taken; and how many are taken at most.
    start: usize,
    taken: Vec<u8>,
    limit: usize,
    /// The text, one byte for each character.
    signs: Vec<u8>,
    /// The charset is EBCDIC, so U+0085 is white space.
    ebcdic: bool,
    syntax: Syntax,
    /// Looks for the root element, in XML; and from which byte of the text on: after the declaration, which may lack
    /// its end.
    root: Option<Root>,
    root_from: usize,
    /// The root element is another one, or the codec makes no progress.
    is_over: bool,
}

/// Looks for the root element of an XML document.
#[derive(Default)]
struct Root {
    place: XmlPlace,
    name: String,
}

impl Root {
    /// Returns whether the element is `html`, once that is clear.
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
    /// Starts a search in the document that the verdict is about. Returns `None` if it cannot have labels outside its
    /// declaration, or if labels are not changed.
    pub(in crate::transcoder) fn for_document(settings: &Settings, verdict: &Verdict) -> Option<Self> {
        let codec = verdict.codec.as_ref().filter(|_| verdict.error.is_none() && settings.relabel == Relabel::Auto)?;
        let may_have = verdict.kind == Kind::Html || (verdict.kind == Kind::Xml && verdict.declaration_is_read);
        let prescan = settings.hints.prescan.unwrap_or(PRESCAN);
        may_have.then(|| LabelSearch::new(codec.clone(), verdict, prescan))
    }

    /// `prescan`: how many bytes of the document are searched, if its charset has single bytes; otherwise that many
    /// code units.
    fn new(codec: Arc<dyn Codec>, verdict: &Verdict, prescan: usize) -> Self {
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

    /// Ends the search. Returns the labels in the bytes that were taken.
    pub(in crate::transcoder) fn labels(self, registry: &Registry) -> Vec<Label> {
        if self.root.is_some() || self.is_over {
            return Vec::new();
        }
        let spans = meta_labels(&self.signs, self.syntax, &|label| meaning_of_label(registry, label));
        let mut spans = spans.into_iter().peekable();
        let mut labels = Vec::new();
        // Decodes once more, a byte at a time, to find where the characters are.
        let mut decoder = self.codec.decoder();
        let (mut index, mut begun) = (0, None);
        for (at, byte) in self.taken.iter().enumerate() {
            let Some(span) = spans.peek() else { break };
            let begin = at - decoder.pending().min(at);
            let mut after = index;
            decode(&mut *decoder, std::slice::from_ref(byte), |_| after += 1);
            if (index..after).contains(&span.start) {
                begun = Some(begin);
            }
            if (index..after).contains(&(span.end - 1))
                && let (Some(begin), Some(span)) = (begun.take(), spans.next())
            {
                let label = self.signs[span].iter().map(|sign| char::from(*sign)).collect();
                let end = at + 1 - decoder.pending().min(at);
                labels.push((label, (self.start + begin) as u64..(self.start + end) as u64));
            }
            index = after;
        }
        labels
    }
}

impl Looks for LabelSearch {
    // The bytes begin with the byte order mark.
    fn feed(&mut self, src: &[u8]) -> usize {
        let mut read = self.skip.min(src.len());
        self.skip -= read;
        while read < src.len() && !self.is_done() {
            // Not a byte beyond the name of the root element while that is looked for.
            let most = if self.root.is_some() { 1 } else { TEXT_BYTES / MIN_ROOM };
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

/// Decodes all of `src`, with malformed bytes as some character. Returns `false` if the codec makes no progress, which
/// the transcoder reports when it decodes; here it only ends the search.
fn decode(decoder: &mut dyn Decoder, src: &[u8], mut each: impl FnMut(char)) -> bool {
    drive(decoder, src, false, &mut [0; TEXT_BYTES], |step| {
        step.text.chars().for_each(&mut each);
        step.fault.iter().for_each(|_| each(char::REPLACEMENT_CHARACTER));
        true
    })
}
