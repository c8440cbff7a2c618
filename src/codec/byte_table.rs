//! Tables that map bytes to bytes: [`ByteTable`].

use crate::arch::{bytes, isa, types::Translation};

/// Translates bytes to bytes with the vector kernels of this CPU. Meant, as
/// [`chars_of_bytes`](super::chars_of_bytes) is, for programs whose strings are not UTF-8: Latin-1 is a byte for each
/// character.
///
/// ```
/// let codec = charpipe::Registry::builtin().codec("IBM1047")?;
/// let chars = charpipe::codec::chars_of_bytes(&*codec).expect("a single-byte page");
/// let to_latin1 = charpipe::codec::ByteTable::new(|byte| u8::try_from(chars[usize::from(byte)]?).ok());
/// let mut text = [0; 3];
/// assert_eq!(to_latin1.translate(b"\xC1\x5A\xDC", &mut text), 3);
/// assert_eq!(&text, b"A!\xFC");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ByteTable(Translation);

impl ByteTable {
    /// Makes the table from the translation of each byte, if it has one.
    pub fn new(byte_of: impl Fn(u8) -> Option<u8>) -> ByteTable {
        ByteTable(Translation::new(byte_of))
    }

    /// Translates the front of `src` to the front of `dst`; returns how many bytes. Stops at the first byte without a
    /// translation, and at the end of either slice. The rest of `dst` may be overwritten.
    pub fn translate(&self, src: &[u8], dst: &mut [u8]) -> usize {
        bytes::translate(isa(), &self.0, src, dst)
    }
}
