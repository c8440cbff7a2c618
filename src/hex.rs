//! Bytes as hex digits, in messages and in the text of fields.

use std::fmt;

const DIGITS: [u8; 16] = *b"0123456789ABCDEF";

/// Displays bytes as pairs of upper-case hex digits: separated by spaces with `{}`, without separators with `{:X}`.
///
/// ```
/// use charpipe::Hex;
///
/// assert_eq!(format!("{}", Hex(b"\x00\xC1")), "00 C1");
/// assert_eq!(format!("{:X}", Hex(b"\x00\xC1")), "00C1");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl Hex<'_> {
    /// Appends the digits to `text`, without separators. Faster than formatting.
    ///
    /// ```
    /// let mut text = String::from("0x");
    /// charpipe::Hex(b"\x00\xC1").push_to(&mut text);
    /// assert_eq!(text, "0x00C1");
    /// ```
    pub fn push_to(self, text: &mut String) {
        text.reserve(2 * self.0.len());
        for byte in self.0 {
            for digit in digits(*byte) {
                text.push(digit);
            }
        }
    }

    /// Appends the digits to `out`, as [`push_to`](Self::push_to) does.
    pub fn push_to_bytes(self, out: &mut Vec<u8>) {
        out.reserve(2 * self.0.len());
        for byte in self.0 {
            out.extend_from_slice(&digits(*byte).map(|digit| digit as u8));
        }
    }
}

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            write!(f, "{}{byte:02X}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::UpperHex for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

/// Returns the two digits of a byte.
#[inline(always)]
pub(crate) fn digits(byte: u8) -> [char; 2] {
    [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)].into())
}
