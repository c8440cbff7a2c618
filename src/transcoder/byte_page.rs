//! Reads malformed bytes as bytes of a single-byte page, so that a UTF-8 file with stretches of windows-1252 is
//! converted correctly.

use crate::codec::{Codec, char_of_byte, decode_strictly};
use crate::error::{Error, ErrorKind};
use std::sync::Arc;

/// The characters of a single-byte page that contains ASCII.
#[derive(Debug)]
pub(crate) struct BytePage {
    name: String,
    chars: [Option<char>; 256],
}

impl BytePage {
    /// Makes the page of `codec`.
    ///
    /// # Errors
    /// [`ErrorKind::NotAnAsciiPage`] if it is not a single-byte charset that contains ASCII.
    pub(crate) fn new(codec: &dyn Codec) -> Result<Arc<Self>, Error> {
        let decoder = codec.decoder();
        if !decoder.is_bytewise() || !contains_ascii(codec) {
            return Err(ErrorKind::NotAnAsciiPage { codec: codec.name().to_owned() }.into());
        }
        let chars = std::array::from_fn(|byte| char_of_byte(&*decoder, byte as u8));
        Ok(Arc::new(BytePage { name: codec.name().to_owned(), chars }))
    }

    /// Returns the name of the charset.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the character of a byte; `None` if the page lacks it.
    pub(super) fn char(&self, byte: u8) -> Option<char> {
        self.chars[usize::from(byte)]
    }

    /// Returns the text of `bytes`; `None` if the page lacks one of them.
    pub(crate) fn text<'a>(&'a self, bytes: &'a [u8]) -> Option<impl Iterator<Item = char> + use<'a>> {
        bytes.iter().all(|byte| self.char(*byte).is_some()).then(|| bytes.iter().filter_map(|byte| self.char(*byte)))
    }
}

/// Returns whether the charset has the letters, digits, signs and newlines of ASCII in its places.
pub(crate) fn contains_ascii(codec: &dyn Codec) -> bool {
    let ascii: Vec<u8> = (b' '..=b'~').chain(*b"\t\r\n").collect();
    decode_strictly(codec, &ascii).is_some_and(|text| text.as_bytes() == ascii)
}
