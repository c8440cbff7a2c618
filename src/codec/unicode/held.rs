//! Shared code of the decoders and encoders of Unicode's encoding forms. They carry nothing from one character to the
//! next. A decoder holds the beginning of a sequence that the end of an input cut; an encoder holds nothing.

use crate::codec::{ByteSink, Decoder, Encoder, Malformed, Replaced, Step, Stop, Unmappable, Utf8Sink};

/// At most `N` bytes that a decoder keeps until the next input.
#[derive(Clone, Debug)]
pub(super) struct Held<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

impl<const N: usize> Default for Held<N> {
    fn default() -> Self {
        Held { bytes: [0; N], len: 0 }
    }
}

impl<const N: usize> Held<N> {
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len.into()
    }

    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len()]
    }

    /// Adds `bytes`, which must fit.
    #[inline(always)]
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        let len = self.len();
        self.bytes[len..][..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len() as u8;
    }

    /// Removes the first `len` bytes.
    #[inline(always)]
    pub(super) fn remove(&mut self, len: usize) {
        let end = self.len();
        self.bytes.copy_within(len..end, 0);
        self.len -= len as u8;
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes all bytes at the end of the input: if there are any, they are malformed.
    pub(super) fn finish(&mut self) -> Stop<Malformed> {
        match std::mem::take(&mut self.len) {
            0 => Stop::InputEmpty,
            len => Stop::Fault(Malformed { len, after: 0 }),
        }
    }
}

/// How a form is decoded, with at most `N` bytes held between calls. The methods are those of [`Decoder`].
pub(super) trait Form<const N: usize>: Clone + Send + 'static {
    const CODE_UNIT: Option<usize>;

    fn feed(&self, held: &mut Held<N>, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed>;

    fn feed_replacing(
        &self,
        held: &mut Held<N>,
        src: &[u8],
        replacement: Option<char>,
        dst: &mut Utf8Sink<'_>,
    ) -> Replaced<Malformed> {
        let _ = replacement;
        Replaced { step: self.feed(held, src, dst), count: 0 }
    }

    fn finish(held: &mut Held<N>) -> Stop<Malformed> {
        held.finish()
    }
}

#[derive(Clone)]
pub(super) struct FormDecoder<F, const N: usize> {
    form: F,
    held: Held<N>,
}

impl<F: Form<N>, const N: usize> FormDecoder<F, N> {
    pub(super) fn new(form: F) -> Self {
        FormDecoder { form, held: Held::default() }
    }

    pub(super) fn boxed(form: F) -> Box<dyn Decoder> {
        Box::new(FormDecoder::new(form))
    }
}

impl<F: Form<N>, const N: usize> Decoder for FormDecoder<F, N> {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        self.form.feed(&mut self.held, src, dst)
    }

    fn feed_replacing(&mut self, src: &[u8], replacement: Option<char>, dst: &mut Utf8Sink<'_>) -> Replaced<Malformed> {
        self.form.feed_replacing(&mut self.held, src, replacement, dst)
    }

    fn finish(&mut self, _dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        F::finish(&mut self.held)
    }

    fn reset(&mut self) {
        self.held.clear();
    }

    fn fork(&self) -> Box<dyn Decoder> {
        Box::new(self.clone())
    }

    fn pending(&self) -> usize {
        self.held.len()
    }

    fn state(&self) -> Option<u64> {
        Some(0)
    }

    fn set_state(&mut self, state: u64) -> bool {
        self.reset();
        state == 0
    }

    fn code_unit(&self) -> Option<usize> {
        F::CODE_UNIT
    }
}

/// An encoder that is the function of its [`feed`](Encoder::feed).
pub(super) struct FormEncoder<F>(pub(super) F);

impl<F: Fn(&str, &mut ByteSink<'_>) -> Step<Unmappable> + Send + 'static> FormEncoder<F> {
    pub(super) fn boxed(feed: F) -> Box<dyn Encoder> {
        Box::new(FormEncoder(feed))
    }
}

impl<F: Fn(&str, &mut ByteSink<'_>) -> Step<Unmappable> + Send> Encoder for FormEncoder<F> {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        (self.0)(src, dst)
    }

    fn finish(&mut self, _dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        Stop::InputEmpty
    }

    fn reset(&mut self) {}

    fn substitute(&self) -> Option<&str> {
        Some("\u{FFFD}")
    }

    fn is_stateless(&self) -> bool {
        true
    }
}
