//! The escape sequences of ISO-2022-JP, and its state.

pub(super) const ESC: u8 = 0x1B;

/// The escape sequence that leads back to ASCII in ISO-2022-JP, and those to its other sets.
pub(super) const TO_ASCII: &[u8; 3] = b"\x1B(B";
pub(super) const TO_ROMAN: &[u8; 3] = b"\x1B(J";
pub(super) const TO_JIS_X_0208: &[u8; 3] = b"\x1B$B";

/// Returns where the last [`ESC`] is.
pub(super) fn last_escape(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    for block in bytes.rchunks(64) {
        // No branch per byte, so that the compiler vectorizes it: a long line has none of them.
        if block.iter().fold(false, |any, byte| any | (*byte == ESC)) {
            break;
        }
        end -= block.len();
    }
    bytes[..end].iter().rposition(|byte| *byte == ESC)
}

/// The shift state of ISO-2022-JP between characters; always the initial one for other encodings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shift {
    /// The escape sequence that was decoded last.
    pub(super) set: [u8; 3],
    /// Nothing has followed it. Another escape sequence now would be a fault, because this one was useless.
    pub(super) fresh: bool,
}

impl Shift {
    pub(super) const INITIAL: Shift = Shift { set: *b"\x1B(B", fresh: false };

    pub(super) const JIS_X_0208: Shift = Shift { set: *TO_JIS_X_0208, fresh: false };

    /// The bytes after [`ESC`], for each set.
    pub(super) const SETS: [&[u8; 2]; 5] = [b"(B", b"(J", b"(I", b"$B", b"$@"];

    pub(super) fn is_double(self) -> bool {
        self.set[1] == b'$'
    }

    /// Brings a new decoder into this state.
    pub(super) fn lead(self, inner: &mut encoding_rs::Decoder) {
        if self == Shift::INITIAL {
            return;
        }
        // After any character it is no longer fresh.
        let way = [self.set[0], self.set[1], self.set[2], b'!', b'!'];
        let len = if self.fresh { 3 } else { 4 + usize::from(self.is_double()) };
        let _ = inner.decode_to_utf8_without_replacement(&way[..len], &mut [0; 32], false);
    }
}

/// The bytes of ASCII that ISO-2022-JP does not have, or that change the set, as a [`Switch`] takes them.
pub(super) const JIS_OTHERS: [u8; 5] = [ESC, ESC, ESC, 0x0E, 0x0F];

/// Returns the other characters of ASCII.
pub(super) fn ascii_of_jis() -> impl Iterator<Item = char> {
    (0..0x80).filter(|byte| !JIS_OTHERS.contains(byte)).map(char::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_escape_is_found_anywhere() {
        assert_eq!(last_escape(b""), None);
        for len in [1, 63, 64, 65, 200] {
            assert_eq!(last_escape(&vec![b'x'; len]), None);
            for at in 0..len {
                let mut bytes = vec![b'x'; len];
                (bytes[0], bytes[at]) = (ESC, ESC);
                assert_eq!(last_escape(&bytes), Some(at));
            }
        }
    }
}
