//! Resets a transcoder for the next message: [`Transcoder::reset`].

use super::doubts::Beginning;
use super::label_places::LabelPlaces;
use super::message::{LONGEST, Messages};
use super::{Phase, Transcoder};

/// Whether anything is kept for messages of plain text. In a web page every byte of the module has to be loaded, and the
/// smallest module, which lacks the charsets of the web, does without.
const KEEPS_PLAIN: bool = cfg!(any(not(target_family = "wasm"), feature = "whatwg"));

/// Whether what is not plain text is kept too.
const KEEPS: bool = cfg!(not(target_family = "wasm"));

impl Transcoder {
    /// Goes back to the beginning, for the next message: detection starts anew, the options stay, the report is empty.
    ///
    /// The transcoder keeps what the last message needed: the verdict, the decoder and the encoder, the buffers. The
    /// next message needs no allocation if it is similar: if both are plain text, or if both begin with the same bytes,
    /// as far as detection reads them, such as the same XML declaration. What is [reported](Self::report) of it, such
    /// as malformed bytes, still takes memory.
    ///
    /// ```
    /// let mut transcoder = charpipe::Transcode::new().transcoder()?;
    /// let mut room = [0; 16];
    /// for (message, text) in [(&b"\xFE\xFF\0a"[..], "a"), ("é".as_bytes(), "é")] {
    ///     transcoder.reset();
    ///     let step = transcoder.step(message, &mut room, true)?;
    ///     assert_eq!(&room[..step.written], text.as_bytes());
    /// }
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn reset(&mut self) {
        let mut messages = self.messages.take();
        if let Some(messages) = &mut messages
            && let Some(detector) = messages.detector.take()
        {
            // The last message was converted at once: nothing but the report has changed.
            self.phase = Phase::Detect(detector);
            self.run.bytes_in = 0;
            messages.put_back(&mut self.run.report);
        } else {
            if KEEPS_PLAIN && messages.is_none() && self.is_done() {
                messages = Messages::after(&self.run.settings, &self.run.report).map(Box::new);
            }
            self.kept = if KEEPS && !self.is_running { self.keep() } else { None };
            self.begin_anew();
        }
        self.messages = messages;
    }

    /// Goes back to the beginning, with what is kept.
    fn begin_anew(&mut self) {
        if self.kept.is_none() {
            return *self = Transcoder::new(self.run.settings.clone());
        }
        self.phase = Phase::Detect(self.new_detector());
        self.head.reset();
        self.run.reset();
        (self.route, self.label, self.planned) = (None, None, None);
        (self.choice, self.past_choice) = (None, None);
        self.label_places = LabelPlaces::default();
        self.suspicion.restart(Beginning::Settled, 0);
    }

    /// Converts `src`, all of the input, at once, if that is plain text and fits into `dst`. Returns how many bytes it
    /// wrote.
    pub(super) fn convert_message(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let messages =
            self.messages.as_deref_mut().filter(|_| KEEPS_PLAIN && src.len() <= LONGEST && !src.is_empty())?;
        // Only at the very beginning.
        let Phase::Detect(detector) = &self.phase else { return None };
        if self.run.bytes_in > 0 || !detector.prefix().is_empty() {
            return None;
        }
        let (starts_with_ascii, output) = messages.convert(src, detector)?;
        let len = output.len();
        dst.get_mut(..len)?.copy_from_slice(output);
        messages.report(&mut self.run.report, (src.len(), len), starts_with_ascii);
        self.run.bytes_in = src.len() as u64;
        if let Phase::Detect(detector) = std::mem::replace(&mut self.phase, Phase::Done) {
            messages.detector = Some(detector);
        }
        Some(len)
    }
}
