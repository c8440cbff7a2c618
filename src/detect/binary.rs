//! Recognises files that are not text, by their first bytes and by bytes that text does not contain.
//!
//! The table has the formats that people pass to a converter of text by mistake. It is a table of our own rather than a
//! crate such as `infer`, because that one knows 150 formats, several of them by two bytes of plain ASCII (`BM`, `MZ`,
//! `II*`), and takes some text formats for binary ones. Each signature here has a byte that text cannot have at that
//! place, or is at least four bytes of a kind that no text begins with.

/// A format: its name, and the bytes at an offset.
struct Format {
    offset: usize,
    bytes: &'static [u8],
}

const fn at(offset: usize, bytes: &'static [u8]) -> Format {
    Format { offset, bytes }
}

const FORMATS: &[Format] = &[
    // Compressed data and archives: gzip, bzip2, xz, zstd, lz4, compress, zip, 7-Zip, RAR, tar, cpio, ar and cabinets.
    at(0, b"\x1F\x8B"),
    at(0, b"BZh91AY&SY"),
    at(0, b"\xFD7zXZ\0"),
    at(0, b"\x28\xB5\x2F\xFD"),
    at(0, b"\x04\x22\x4D\x18"),
    at(0, b"\x1F\x9D"),
    at(0, b"PK\x03\x04"),
    at(0, b"PK\x05\x06"),
    at(0, b"PK\x07\x08"),
    at(0, b"7z\xBC\xAF\x27\x1C"),
    at(0, b"Rar!\x1A\x07"),
    at(257, b"ustar\x0000"),
    at(257, b"ustar  \0"),
    at(0, b"!<arch>\n"),
    at(0, b"MSCF\0\0\0\0"),
    // Images: PNG, JPEG, GIF, TIFF, WebP and other RIFF files, icons, JPEG 2000, Photoshop.
    at(0, b"\x89PNG\r\n\x1A\n"),
    at(0, b"\xFF\xD8\xFF"),
    at(0, b"GIF87a"),
    at(0, b"GIF89a"),
    at(0, b"II*\0"),
    at(0, b"MM\0*"),
    at(8, b"WEBPVP"),
    at(8, b"WAVEfmt "),
    at(8, b"AVI LIST"),
    at(0, b"\0\0\x01\0"),
    at(0, b"\0\0\0\x0CjP  \r\n"),
    at(0, b"8BPS\0\x01"),
    // Sound and film: Ogg, FLAC, MP3 with a tag, MP4 and its relatives, Matroska, MIDI.
    at(0, b"OggS\0"),
    at(0, b"fLaC\0"),
    at(0, b"ID3\x02"),
    at(0, b"ID3\x03"),
    at(0, b"ID3\x04"),
    at(4, b"ftyp"),
    at(0, b"\x1A\x45\xDF\xA3"),
    at(0, b"MThd\0\0\0\x06"),
    // Documents and fonts: PDF, PostScript with a preview, the old formats of Office, WOFF, OpenType, TrueType.
    at(0, b"%PDF-"),
    at(0, b"\xC5\xD0\xD3\xC6"),
    at(0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
    at(0, b"wOFF\0\x01\0\0"),
    at(0, b"wOF2\0\x01\0\0"),
    at(0, b"OTTO\0"),
    at(0, b"\0\x01\0\0\0"),
    // Programs: ELF, Mach-O, Java classes, WebAssembly, DOS and Windows programs, Lua, Python.
    at(0, b"\x7FELF"),
    at(0, b"\xFE\xED\xFA\xCE"),
    at(0, b"\xFE\xED\xFA\xCF"),
    at(0, b"\xCE\xFA\xED\xFE"),
    at(0, b"\xCF\xFA\xED\xFE"),
    at(0, b"\xCA\xFE\xBA\xBE"),
    at(0, b"\0asm\x01\0\0\0"),
    at(0, b"MZ\x90\0"),
    at(0, b"\x1BLua"),
    // Data: SQLite, Parquet, Arrow, Avro, ORC with its magic, HDF5, packet captures, git packs.
    at(0, b"SQLite format 3\0"),
    at(0, b"PAR1\x15"),
    at(0, b"ARROW1\0\0"),
    at(0, b"Obj\x01"),
    at(0, b"\x89HDF\r\n\x1A\n"),
    at(0, b"\xD4\xC3\xB2\xA1"),
    at(0, b"\xA1\xB2\xC3\xD4"),
    at(0, b"PACK\0\0\0\x02"),
    at(0, b"DIRC\0\0\0\x02"),
];

/// Returns whether the input begins like a well-known format that is not text.
pub(crate) fn has_signature(prefix: &[u8]) -> bool {
    FORMATS.iter().any(|format| prefix.get(format.offset..).is_some_and(|rest| rest.starts_with(format.bytes)))
}

/// Returns whether text does not contain this byte: a binary data byte of the MIME Sniffing Standard, §3.
pub(super) const fn is_binary_byte(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// Returns whether more of the bytes are [binary](is_binary_byte) than any text contains. One in a hundred is
/// tolerated: text may have form feeds, a stray SUB at its end, or the control characters of a printer.
pub(super) fn is_binary(window: &[u8]) -> bool {
    let binary = window.iter().filter(|byte| is_binary_byte(**byte)).count();
    binary > 0 && binary * 100 > window.len() && !is_single_sub(window, binary)
}

/// Returns whether the only binary byte is a SUB at the very end, where DOS put one.
fn is_single_sub(window: &[u8], binary: usize) -> bool {
    binary == 1 && window.last() == Some(&0x1A)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_signature_is_text() {
        let is_text = |byte: &u8| !is_binary_byte(*byte) && byte.is_ascii() && *byte != 0x7F;
        let plain: Vec<&[u8]> =
            FORMATS.iter().map(|format| format.bytes).filter(|bytes| bytes.iter().all(is_text)).collect();
        let known: [&[u8]; 9] = [
            b"\x1BLua",
            b"BZh91AY&SY",
            b"!<arch>\n",
            b"GIF87a",
            b"GIF89a",
            b"WEBPVP",
            b"WAVEfmt ",
            b"AVI LIST",
            b"ftyp",
        ];
        assert_eq!(plain.len(), known.len() + 1, "{plain:?}");
        assert!(known.iter().all(|bytes| plain.contains(bytes)) && plain.contains(&&b"%PDF-"[..]));
    }

    #[test]
    fn text_is_not_binary() {
        for text in ["", "text\n", "page\u{C}page\n", "\u{1B}[1mbold\u{1B}[0m", "caf\u{E9}", "DOS text\r\n\u{1A}"] {
            assert!(!is_binary(text.as_bytes()) && !has_signature(text.as_bytes()), "{text:?}");
        }
        assert!(is_binary(b"\x01\x02\x03text") && is_binary(b"a\0"));
    }
}
