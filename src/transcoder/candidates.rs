//! Tries several fallbacks, and uses the first that decodes the input without error. They are tried from the first byte
//! that they read differently.
//!
//! Bytes that all of them read as the same character (for UTF-8 and windows-1252, those of ASCII) decide nothing, and
//! are converted at once. From the first other byte on, the input is held back until a whole window has arrived, or the
//! input ends. Then one fallback is chosen for the rest of the input.

use crate::codec::{Codec, Decoder, Encoder, Malformed, Step, Stop, Utf8Sink, char_of_first_byte, decodes};
use crate::detect::{Source, Verdict};
use crate::transcoder::byte_page::contains_ascii;
use crate::transcoder::options::Settings;
use crate::transcoder::records::detection::Looks;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes have to be decoded without error, from the first byte on that is read differently.
pub(super) const WINDOW_BYTES: usize = 64 * 1024;

/// The encodings to choose among.
pub(super) struct Candidates {
    codecs: Vec<Arc<dyn Codec>>,
    /// The bytes that all of them read as the same character.
    common: Box<[bool; 256]>,
    chosen: Arc<Chosen>,
    /// The name that the verdict has for the first.
    label: Option<String>,
}

/// The index of the one that was chosen.
struct Chosen(AtomicUsize);

impl Chosen {
    const NONE: usize = usize::MAX;

    fn get(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|index| *index != Chosen::NONE)
    }

    fn set(&self, index: usize) {
        self.0.store(index, Ordering::Relaxed);
    }
}

impl Candidates {
    /// Returns the fallbacks, if there are several and `verdict` says that the first is used.
    pub(super) fn of(verdict: &Verdict, settings: &Settings) -> Option<Self> {
        let hints = &settings.hints;
        let first = hints.fallback.as_ref().filter(|_| !hints.further_fallbacks.is_empty())?;
        let is_used = verdict.source == Some(Source::Fallback)
            && verdict.error.is_none()
            && verdict.codec.as_ref().is_some_and(|codec| codec.name() == first.name());
        is_used.then(|| {
            let codecs = [first].into_iter().chain(&hints.further_fallbacks).cloned().collect();
            // Only what is kept for later inputs needs it, and in a web page nothing is (see `reset.rs`).
            let label = if cfg!(target_family = "wasm") { None } else { verdict.encoding.clone() };
            Candidates { label, ..Candidates::new(codecs) }
        })
    }

    fn new(codecs: Vec<Arc<dyn Codec>>) -> Self {
        let mut decoders: Vec<Box<dyn Decoder>> = codecs.iter().map(|codec| codec.decoder()).collect();
        let common = std::array::from_fn(|byte| {
            let mut chars = decoders.iter_mut().map(|decoder| char_of_first_byte(&mut **decoder, byte as u8));
            let first = chars.next().flatten();
            first.is_some() && chars.all(|ch| ch == first)
        });
        let chosen = Arc::new(Chosen(AtomicUsize::new(Chosen::NONE)));
        Candidates { codecs, common: Box::new(common), chosen, label: None }
    }

    pub(super) fn codecs(&self) -> &[Arc<dyn Codec>] {
        &self.codecs
    }

    /// Whether text can be decoded before one is chosen, as far as all read it alike: all of them contain ASCII.
    pub(super) fn can_begin(&self) -> bool {
        self.codecs.iter().all(|codec| contains_ascii(&**codec))
    }

    /// Returns how many bytes at the front of `bytes` all of them read alike.
    pub(super) fn common_len(&self, bytes: &[u8]) -> usize {
        bytes.iter().position(|byte| !self.common[usize::from(*byte)]).unwrap_or(bytes.len())
    }

    /// Chooses the first that decodes `window` without error, or else the last. `is_end`: the input ends with the window,
    /// and a character that is cut there is an error. Otherwise only the window cuts it.
    pub(super) fn choose(&self, window: &[u8], is_end: bool) -> &Arc<dyn Codec> {
        let index = self.fitting(window, is_end);
        self.chosen.set(index);
        &self.codecs[index]
    }

    fn fitting(&self, window: &[u8], is_end: bool) -> usize {
        let fits = |codec: &Arc<dyn Codec>| decodes(&**codec, window, is_end);
        self.codecs.iter().position(fits).unwrap_or(self.codecs.len() - 1)
    }

    /// Whether it makes a difference that the input ends with `window`.
    pub(super) fn depends_on_end(&self, window: &[u8]) -> bool {
        self.fitting(window, false) != self.fitting(window, true)
    }

    /// Returns the name that the verdict has for the first, as long as none is chosen.
    pub(super) fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Takes the choice back, for another input. The decoders of [`codec`](Self::codec) are back in their initial state.
    pub(super) fn restart(&self) {
        self.chosen.set(Chosen::NONE);
    }

    /// Returns a codec that decodes what is common before one is chosen, and then as that one does.
    pub(super) fn codec(&self) -> Arc<dyn Codec> {
        Arc::new(Undecided { codecs: self.codecs.clone(), chosen: self.chosen.clone() })
    }
}

/// Collects the text that decides.
pub(super) struct Window {
    pub(super) candidates: Candidates,
    /// The text from the first byte on that is not common.
    bytes: Vec<u8>,
}

impl Window {
    pub(super) fn new(candidates: Candidates) -> Self {
        Window { candidates, bytes: Vec::new() }
    }

    /// Chooses. `is_end`: nothing follows what was shown.
    pub(super) fn choose(&self, is_end: bool) -> Arc<dyn Codec> {
        let is_cut = self.bytes.len() > WINDOW_BYTES;
        let window = &self.bytes[..self.bytes.len().min(WINDOW_BYTES)];
        self.candidates.choose(window, is_end && !is_cut).clone()
    }
}

/// It takes one byte more than the window has: whether the input ends with the window makes a difference.
impl Looks for Window {
    fn feed(&mut self, src: &[u8]) -> usize {
        let skipped = if self.bytes.is_empty() { self.candidates.common_len(src) } else { 0 };
        let len = (src.len() - skipped).min(WINDOW_BYTES + 1 - self.bytes.len());
        self.bytes.extend_from_slice(&src[skipped..skipped + len]);
        skipped + len
    }

    fn is_done(&self) -> bool {
        self.bytes.len() > WINDOW_BYTES
    }
}

/// One of several codecs; which one is known later. Until then it is fed only what all of them read alike.
struct Undecided {
    codecs: Vec<Arc<dyn Codec>>,
    chosen: Arc<Chosen>,
}

impl Codec for Undecided {
    fn name(&self) -> &str {
        "undecided"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        let decoders = self.codecs.iter().map(|codec| codec.decoder()).collect();
        Box::new(UndecidedDecoder { decoders, chosen: self.chosen.clone() })
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        None
    }
}

/// The decoders. As long as none is chosen, all of them are in their initial state.
struct UndecidedDecoder {
    decoders: Vec<Box<dyn Decoder>>,
    chosen: Arc<Chosen>,
}

impl UndecidedDecoder {
    fn index(&self) -> usize {
        self.chosen.get().unwrap_or(0)
    }
}

impl Decoder for UndecidedDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let index = self.index();
        self.decoders[index].feed(src, dst)
    }

    fn feed_replacing(
        &mut self,
        src: &[u8],
        replacement: Option<char>,
        dst: &mut Utf8Sink<'_>,
    ) -> crate::codec::Replaced<Malformed> {
        let index = self.index();
        self.decoders[index].feed_replacing(src, replacement, dst)
    }

    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        let index = self.index();
        self.decoders[index].finish(dst)
    }

    fn reset(&mut self) {
        self.decoders.iter_mut().for_each(|decoder| decoder.reset());
    }

    fn fork(&self) -> Box<dyn Decoder> {
        if let Some(index) = self.chosen.get() {
            // The choice may be taken back, but not for this copy.
            return self.decoders[index].fork();
        }
        let decoders = self.decoders.iter().map(|decoder| decoder.fork()).collect();
        Box::new(UndecidedDecoder { decoders, chosen: self.chosen.clone() })
    }

    fn pending(&self) -> usize {
        self.decoders[self.index()].pending()
    }

    fn code_unit(&self) -> Option<usize> {
        self.decoders.iter().all(|decoder| decoder.code_unit() == Some(1)).then_some(1)
    }
}
