//! A fill decodes input into a sink, until something happens that the caller has to know about.

use crate::codec::Malformed;
use crate::error::Error;

/// Input to decode.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub(super) bytes: &'a [u8],
    /// Nothing follows the bytes.
    pub(super) eof: bool,
    /// Data beyond this offset is not taken, if there is one. It counts data alone, as `Source::read` does.
    pub(super) until: Option<u64>,
}

impl<'a> Chunk<'a> {
    /// The bytes up to `until`, if they begin at `at` and there are no records.
    pub(super) fn up_to_limit(self, at: u64) -> &'a [u8] {
        let most = self.until.map_or(u64::MAX, |until| until.saturating_sub(at));
        &self.bytes[..(self.bytes.len() as u64).min(most) as usize]
    }

    /// The chunk without its first `len` bytes.
    pub(super) fn after(self, len: usize) -> Self {
        Chunk { bytes: &self.bytes[len..], ..self }
    }
}

/// The result of a fill.
pub(super) struct Filled {
    /// Bytes taken.
    pub(super) read: usize,
    pub(super) stop: SourceStop,
}

/// Why a fill stopped. All of these come after the text that it made.
pub(super) enum SourceStop {
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
    /// The framing is invalid.
    Failed(Error),
}
