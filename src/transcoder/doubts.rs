//! Notices during a conversion that the input is not text, or not in the encoding of its label.
//!
//! The rules are those of detection (`detect/contents.rs`, `spec/contents.md`), but here each byte is seen only once.
//! *Suspicion* ends with the first sequence that is not UTF-8: the output waits there for a few bytes more, and if they
//! show a binary file, the run ends before them. Bytes after the window that detection examines are not checked. The
//! *label watch* looks at input that a single-byte charset decodes; what it finds is reported at the end.

use super::options::Settings;
use crate::codec::{Codec, is_utf8};
use crate::detect::statistics::WINDOW;
use crate::detect::{
    LabelWatch, Looks, SIGNATURE_BYTES, Sample, SignatureScan, Utf8Watch, Verdict, has_readable_binary, may_be_binary,
};
use crate::transcoder::choices::OnUnknown;
use crate::transcoder::records::detection;
use std::sync::Arc;

/// Whether the rules for input that nothing names apply: under a policy that checks the contents, to a whole input.
pub(super) fn applies(settings: &Settings) -> bool {
    settings.hints.policy.traits().checks_contents && settings.input.shape.is_none()
}

/// Whether the input may turn out to be binary.
#[derive(Clone, Default)]
pub(super) struct Suspicion {
    state: State,
    /// The bytes around the first sequence that is not UTF-8.
    pub(super) sample: Sample,
    /// The input may still be a tar archive.
    may_be_tar: bool,
}

/// How suspicion begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    Settled,
    Decoder,
    Ahead,
}

#[derive(Clone, Default)]
enum State {
    /// It is text, or its encoding was named.
    #[default]
    Settled,
    /// UTF-8 is decoded, so that the decoder finds the sequence.
    Decoder,
    /// Something else is decoded, and a watch runs ahead of the decoder.
    Ahead(Utf8Watch),
}

impl Suspicion {
    /// Begins for an input of which the beginning, up to the offset `at`, led to `verdict`. It is in one of `codecs`.
    pub(super) fn new(settings: &Settings, verdict: &Verdict, codecs: &[Arc<dyn Codec>], at: u64) -> Self {
        let is_open = applies(settings) && settings.unknown == OnUnknown::Fail && may_be_binary(verdict);
        // Zero bytes at the beginning made detection look at a whole window already.
        let is_wide = verdict.looks.is_some_and(|looks| looks != Looks::Binary);
        if !is_open || is_wide || !codecs.iter().all(|codec| has_readable_binary(&**codec)) {
            return Suspicion::default();
        }
        let state = match codecs {
            [codec] if is_utf8(&**codec) => State::Decoder,
            _ => State::Ahead(Utf8Watch::new(at)),
        };
        Suspicion { state, may_be_tar: true, ..Suspicion::default() }
    }

    /// Returns how it begins, if it has just begun.
    pub(super) fn beginning(&self) -> Beginning {
        match self.state {
            State::Settled => Beginning::Settled,
            State::Decoder => Beginning::Decoder,
            State::Ahead(_) => Beginning::Ahead,
        }
    }

    /// Begins again, from the offset `at` of another input of which detection found the same.
    pub(super) fn restart(&mut self, beginning: Beginning, at: u64) {
        self.sample.reset();
        self.state = match beginning {
            Beginning::Settled => State::Settled,
            Beginning::Decoder => State::Decoder,
            Beginning::Ahead => State::Ahead(Utf8Watch::new(at)),
        };
        self.may_be_tar = beginning != Beginning::Settled;
    }

    /// Continues with one of several codecs.
    pub(super) fn chosen(&mut self, codec: &dyn Codec) {
        if !self.is_settled() && is_utf8(codec) {
            self.state = State::Decoder;
        }
    }

    /// There is nothing to suspect any more.
    pub(super) fn settle(&mut self) {
        self.sample.reset();
        (self.state, self.may_be_tar) = (State::Settled, false);
    }

    fn is_settled(&self) -> bool {
        matches!(self.state, State::Settled)
    }

    /// Whether there is nothing to suspect in the bytes from the offset `at` on.
    pub(super) fn is_over(&self, at: u64) -> bool {
        self.is_settled() || at >= WINDOW as u64
    }

    /// Whether it depends on the bytes at the offset `at` how far they may be decoded.
    pub(super) fn limits(&self, at: u64) -> bool {
        matches!(self.state, State::Ahead(_)) || self.may_be_tar(at)
    }

    /// Whether the decoder finds the sequence.
    pub(super) fn asks_decoder(&self) -> bool {
        matches!(self.state, State::Decoder)
    }

    /// The watch that runs ahead of the decoder.
    pub(super) fn ahead(&mut self) -> Option<&mut Utf8Watch> {
        match &mut self.state {
            State::Ahead(watch) => Some(watch),
            State::Settled | State::Decoder => None,
        }
    }

    /// Whether the signature of tar may follow the offset `at`: the only one that is not at the very beginning.
    pub(super) fn may_be_tar(&self, at: u64) -> bool {
        self.may_be_tar && at < TAR_OFFSET
    }

    /// The signature of tar is not there.
    pub(super) fn is_no_tar(&mut self) {
        self.may_be_tar = false;
    }

    /// Takes bytes that are decoded.
    pub(super) fn pass(&mut self, src: &[u8]) {
        if !self.is_settled() {
            self.sample.pass(src);
        }
    }
}

/// The signature of tar begins here. Before it there is a zero byte, which ends a name or fills it up.
pub(super) const TAR_OFFSET: u64 = 257;

/// The signature of tar ends here.
pub(super) const TAR_END: u64 = SIGNATURE_BYTES as u64;

impl detection::Looks for SignatureScan {
    fn feed(&mut self, src: &[u8]) -> usize {
        Self::feed(self, src)
    }

    fn is_done(&self) -> bool {
        Self::is_done(self)
    }
}

/// Shows `bytes`, which begin at offset `start` of the input, to the watch, up to the offset `end`. It may have seen
/// some of them.
pub(super) fn show_label(watch: &mut LabelWatch, bytes: &[u8], start: u64, end: u64) {
    let index = |at: u64| (at.saturating_sub(start)).min(bytes.len() as u64) as usize;
    let new = bytes.get(index(watch.taken())..index(end)).unwrap_or_default();
    watch.feed(new);
}
