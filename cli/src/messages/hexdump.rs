//! Shows the bytes around an error at a terminal: rows like those of `xxd`, with their text, and with the bad bytes
//! marked.

use crate::escape::{harmless, printable};
use crate::messages::color::{self, paint};
use charpipe::codec::{Codec, MIN_ROOM, drive};
use std::fmt::Write as _;
use std::ops::Range;

/// How many bytes a row shows.
pub(crate) const WIDTH: usize = 16;
/// How many rows are shown before and after those of the bad bytes.
const CONTEXT_ROWS: usize = 1;
/// How many bad bytes are shown at most.
const MAX_BAD_BYTES: usize = 3 * WIDTH;

/// A piece of the input.
pub(crate) struct Piece {
    /// The offset of its first byte, a multiple of [`WIDTH`].
    pub(crate) start: u64,
    pub(crate) bytes: Vec<u8>,
}

impl Piece {
    /// Returns what is shown for an error at `offset` of an input that begins with `head`.
    pub(crate) fn of(head: &[u8], offset: u64) -> Option<Self> {
        let range = window(offset);
        let start = usize::try_from(range.start).ok()?;
        let end = usize::try_from(range.end).map_or(head.len(), |end| end.min(head.len()));
        Some(Piece { start: range.start, bytes: head.get(start..end)?.to_vec() })
    }
}

/// Returns the range of the input that is shown for an error at `offset`.
pub(crate) fn window(offset: u64) -> Range<u64> {
    let row = offset - offset % WIDTH as u64;
    let around = (CONTEXT_ROWS * WIDTH) as u64;
    row.saturating_sub(around)..row + (MAX_BAD_BYTES + CONTEXT_ROWS * WIDTH) as u64
}

/// Returns the rows around the `len` bytes at `offset`, with their text in `codec`; nothing if `piece` does not contain
/// them. Without `len`, the bad bytes are those of one character.
pub(crate) fn dump(piece: &Piece, offset: u64, len: Option<usize>, codec: Option<&dyn Codec>, colored: bool) -> String {
    let at = offset.checked_sub(piece.start).and_then(|at| usize::try_from(at).ok());
    let Some(at) = at.filter(|at| *at < piece.bytes.len()) else { return String::new() };
    let bytes = &piece.bytes;
    // The bytes up to the one that completes a character.
    let len = len.unwrap_or_else(|| {
        let texts = codec.map(|codec| text_of(codec, &bytes[at..bytes.len().min(at + WIDTH)]));
        texts.and_then(|texts| texts.iter().position(|text| !text.is_empty())).map_or(1, |last| last + 1)
    });
    let bad = at..(at + len.clamp(1, MAX_BAD_BYTES)).min(bytes.len());
    let end = ((bad.end - 1) / WIDTH + 1 + CONTEXT_ROWS) * WIDTH;
    let bytes = &bytes[..end.min(bytes.len())];
    // The bad bytes are decoded separately, as they would affect the text after them. If the encoding is not known,
    // ASCII is shown.
    let ascii = |byte: &u8| if matches!(byte, b' '..=b'~') { char::from(*byte).to_string() } else { ".".to_owned() };
    let mut texts = match codec {
        Some(codec) => text_of(codec, &bytes[..bad.start]),
        None => bytes.iter().map(ascii).collect(),
    };
    if let Some(codec) = codec {
        let within = text_of(codec, &bytes[bad.clone()]);
        let is_text = within.iter().any(|text| !text.trim_matches('.').is_empty());
        texts.extend(if is_text { within } else { vec![".".to_owned(); bad.len()] });
        texts.extend(text_of(codec, &bytes[bad.end..]));
    }
    let mut out = String::new();
    for (row, line) in bytes.chunks(WIDTH).enumerate() {
        let first = row * WIDTH;
        let place = format!("{:08x}:", piece.start + first as u64);
        _ = write!(out, "  {}", paint(colored, color::DIM, place));
        for (index, byte) in line.iter().enumerate() {
            let style = if bad.contains(&(first + index)) { color::ERROR } else { color::PLAIN };
            _ = write!(out, " {}", paint(colored, style, format_args!("{byte:02x}")));
        }
        _ = write!(out, "{:width$}  ", "", width = 3 * (WIDTH - line.len()));
        for (index, text) in texts.iter().enumerate().skip(first).take(line.len()) {
            let style = if bad.contains(&index) { color::ERROR } else { color::PLAIN };
            _ = write!(out, "{}", paint(colored, style, harmless(text)));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        let marked = bad.start.max(first)..bad.end.min(first + line.len());
        if !marked.is_empty() {
            // Two spaces, the eight digits of the offset and its colon.
            let blanks = 2 + 9 + 3 * (marked.start - first);
            let marks = " ^^".repeat(marked.len());
            _ = writeln!(out, "{:blanks$}{}", "", paint(colored, color::ERROR, marks));
        }
    }
    out
}

/// Returns, for each byte, the text that it completes, with a dot for every character that cannot be shown.
pub(crate) fn text_of(codec: &dyn Codec, bytes: &[u8]) -> Vec<String> {
    let mut decoder = codec.decoder();
    let mut texts = Vec::with_capacity(bytes.len());
    for byte in bytes {
        let (mut bad, mut text) = (String::new(), String::new());
        drive(&mut *decoder, std::slice::from_ref(byte), false, &mut [0; 2 * MIN_ROOM], |step| {
            text.push_str(step.text);
            bad.extend(step.fault.map(|_| '.'));
            true
        });
        let shown =
            bad.chars().chain(text.chars()).map(|ch| if ch.is_control() || ch == '\u{FEFF}' { '.' } else { ch });
        texts.push(printable(&shown.collect::<String>()));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe::Registry;

    #[test]
    fn bad_bytes_are_marked_in_their_rows() {
        let utf8 = Registry::builtin().codec("UTF-8").unwrap();
        let mut bytes = b"0123456789abcdefghijklmnopqrstuvwxyz".to_vec();
        bytes[15] = 0xE2;
        bytes[16] = 0x82;
        let piece = Piece { start: 16, bytes };
        let shown = dump(&piece, 31, Some(2), Some(&*utf8), false);
        let expected = "  \
  00000010: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 e2  0123456789abcde.
                                                         ^^
  00000020: 82 68 69 6a 6b 6c 6d 6e 6f 70 71 72 73 74 75 76  .hijklmnopqrstuv
            ^^
  00000030: 77 78 79 7a                                      wxyz
";
        assert_eq!(shown, expected);
        assert_eq!(dump(&piece, 15, Some(1), None, false), "");
        assert_eq!(dump(&piece, 60, Some(1), None, false), "");
        assert!(dump(&piece, 31, Some(2), None, true).contains("\u{1B}[1m\u{1B}[31me2\u{1B}[0m"));
    }

    #[test]
    fn a_character_is_as_long_as_it_is() {
        let utf8 = Registry::builtin().codec("UTF-8").unwrap();
        let piece = Piece { start: 0, bytes: "a€b".as_bytes().to_vec() };
        let shown = dump(&piece, 1, None, Some(&*utf8), false);
        assert!(shown.contains("\n               ^^ ^^ ^^\n") && shown.contains("a€b"), "{shown}");
    }

    #[test]
    fn a_window_begins_with_a_row() {
        assert_eq!(window(5), 0..64);
        assert_eq!(window(40), 16..96);
    }

    /// Offsets past 4 GiB work on 32-bit machines too.
    #[test]
    fn far_into_the_input() {
        assert!(Piece::of(&[0; 100], 1 << 32).is_none());
        let piece = Piece { start: 0, bytes: vec![0; 100] };
        assert_eq!(dump(&piece, 1 << 32, None, None, false), "");
        let piece = Piece { start: 1 << 32, bytes: b"text".to_vec() };
        assert!(dump(&piece, (1 << 32) + 1, None, None, false).contains("text"));
    }
}
