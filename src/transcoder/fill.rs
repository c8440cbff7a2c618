//! A fill decodes input into a sink, until something happens that the caller has to know about.

use crate::codec::Malformed;
use crate::error::Error;

/// Input to decode.
#[derive(Clone, Copy)]
pub(in crate::transcoder) struct Chunk<'a> {
    pub(in crate::transcoder) bytes: &'a [u8],
    /// Nothing follows the bytes.
    pub(in crate::transcoder) eof: bool,
    /// Data beyond this offset is not taken, if there is one. It counts data alone, as `Source::read` does.
    pub(in crate::transcoder) until: Option<u64>,
}

impl<'a> Chunk<'a> {
    /// The bytes up to `until`, if they begin at `at` and there are no records.
    pub(in crate::transcoder) fn up_to_limit(self, at: u64) -> &'a [u8] {
        let most = self.until.map_or(u64::MAX, |until| until.saturating_sub(at));
        &self.bytes[..(self.bytes.len() as u64).min(most) as usize]
    }

    /// The chunk without its first `len` bytes.
    pub(in crate::transcoder) fn after(self, len: usize) -> Self {
        Chunk { bytes: &self.bytes[len..], ..self }
    }
}

/// What a fill did.
pub(in crate::transcoder) struct Filled {
    /// Bytes taken.
    pub(in crate::transcoder) read: usize,
    pub(in crate::transcoder) stop: SourceStop,
}

/// Why a fill stopped. All of these come after the text that it made.
pub(in crate::transcoder) enum SourceStop {
    /// It took all that there was, or as much as it was asked to.
    NeedInput,
    /// The sink is full, or the caller has to take what was made before anything more is.
    NeedRoom,
    /// Malformed bytes.
    Fault(Malformed),
    /// The records are over. (Without records the caller knows when to finish the decoder.)
    Done,
    /// A file ends. Only if the ends of files are written.
    FileEnd,
    /// The framing is wrong.
    Failed(Error),
}
