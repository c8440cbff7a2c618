//! Recognises files that are not text, by their first bytes and by bytes that text does not contain.
//!
//! The table has the formats that people pass to a converter of text by mistake. It is a table of our own rather than a
//! crate such as `infer`, because that one knows 150 formats, several of them by two bytes of plain ASCII (`BM`, `MZ`,
//! `II*`), and takes some text formats for binary ones. Each signature here has a byte that text cannot have at that
//! place, or is at least four bytes of a kind that no text begins with.

/// A format: what a message calls it, and the bytes at an offset.
struct Format {
    name: &'static str,
    offset: usize,
    bytes: &'static [u8],
}

const fn at(offset: usize, bytes: &'static [u8], name: &'static str) -> Format {
    Format { name, offset, bytes }
}

const FORMATS: &[Format] = &[
    // Compressed data and archives: gzip, bzip2, xz, zstd, lz4, compress, zip, 7-Zip, RAR, tar, cpio, ar and cabinets.
    at(0, b"\x1F\x8B", "binary data (gzip)"),
    at(0, b"BZh91AY&SY", "binary data (bzip2)"),
    at(0, b"\xFD7zXZ\0", "binary data (xz)"),
    at(0, b"\x28\xB5\x2F\xFD", "binary data (zstd)"),
    at(0, b"\x04\x22\x4D\x18", "binary data (lz4)"),
    at(0, b"\x1F\x9D", "binary data (compress)"),
    at(0, b"PK\x03\x04", "binary data (zip)"),
    at(0, b"PK\x05\x06", "binary data (zip)"),
    at(0, b"PK\x07\x08", "binary data (zip)"),
    at(0, b"7z\xBC\xAF\x27\x1C", "binary data (7-Zip)"),
    at(0, b"Rar!\x1A\x07", "binary data (RAR)"),
    at(257, b"ustar\x0000", "binary data (tar)"),
    at(257, b"ustar  \0", "binary data (tar)"),
    at(0, b"!<arch>\n", "binary data (ar)"),
    at(0, b"MSCF\0\0\0\0", "binary data (cabinet)"),
    // Images: PNG, JPEG, GIF, TIFF, WebP and other RIFF files, icons, JPEG 2000, Photoshop.
    at(0, b"\x89PNG\r\n\x1A\n", "binary data (PNG)"),
    at(0, b"\xFF\xD8\xFF", "binary data (JPEG)"),
    at(0, b"GIF87a", "binary data (GIF)"),
    at(0, b"GIF89a", "binary data (GIF)"),
    at(0, b"II*\0", "binary data (TIFF)"),
    at(0, b"MM\0*", "binary data (TIFF)"),
    at(8, b"WEBPVP", "binary data (WebP)"),
    at(8, b"WAVEfmt ", "binary data (WAV)"),
    at(8, b"AVI LIST", "binary data (AVI)"),
    at(0, b"\0\0\x01\0", "binary data (icon)"),
    at(0, b"\0\0\0\x0CjP  \r\n", "binary data (JPEG 2000)"),
    at(0, b"8BPS\0\x01", "binary data (Photoshop)"),
    // Sound and film: Ogg, FLAC, MP3 with a tag, MP4 and its relatives, Matroska, MIDI.
    at(0, b"OggS\0", "binary data (Ogg)"),
    at(0, b"fLaC\0", "binary data (FLAC)"),
    at(0, b"ID3\x02", "binary data (MP3)"),
    at(0, b"ID3\x03", "binary data (MP3)"),
    at(0, b"ID3\x04", "binary data (MP3)"),
    at(4, b"ftyp", "binary data (MP4)"),
    at(0, b"\x1A\x45\xDF\xA3", "binary data (Matroska)"),
    at(0, b"MThd\0\0\0\x06", "binary data (MIDI)"),
    // Documents and fonts: PDF, PostScript with a preview, the old formats of Office, WOFF, OpenType, TrueType.
    at(0, b"%PDF-", "binary data (PDF)"),
    at(0, b"\xC5\xD0\xD3\xC6", "binary data (PostScript)"),
    at(0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "binary data (Microsoft Office)"),
    at(0, b"wOFF\0\x01\0\0", "binary data (WOFF)"),
    at(0, b"wOF2\0\x01\0\0", "binary data (WOFF)"),
    at(0, b"OTTO\0", "binary data (OpenType)"),
    at(0, b"\0\x01\0\0\0", "binary data (TrueType)"),
    // Programs: ELF, Mach-O, Java classes, WebAssembly, DOS and Windows programs, Lua, Python.
    at(0, b"\x7FELF", "binary data (ELF)"),
    at(0, b"\xFE\xED\xFA\xCE", "binary data (Mach-O)"),
    at(0, b"\xFE\xED\xFA\xCF", "binary data (Mach-O)"),
    at(0, b"\xCE\xFA\xED\xFE", "binary data (Mach-O)"),
    at(0, b"\xCF\xFA\xED\xFE", "binary data (Mach-O)"),
    at(0, b"\xCA\xFE\xBA\xBE", "binary data (Java class)"),
    at(0, b"\0asm\x01\0\0\0", "binary data (WebAssembly)"),
    at(0, b"MZ\x90\0", "binary data (Windows program)"),
    at(0, b"\x1BLua", "binary data (Lua)"),
    // Data: SQLite, Parquet, Arrow, Avro, ORC with its magic, HDF5, packet captures, git packs.
    at(0, b"SQLite format 3\0", "binary data (SQLite)"),
    at(0, b"PAR1\x15", "binary data (Parquet)"),
    at(0, b"ARROW1\0\0", "binary data (Arrow)"),
    at(0, b"Obj\x01", "binary data (Avro)"),
    at(0, b"\x89HDF\r\n\x1A\n", "binary data (HDF5)"),
    at(0, b"\xD4\xC3\xB2\xA1", "binary data (pcap)"),
    at(0, b"\xA1\xB2\xC3\xD4", "binary data (pcap)"),
    at(0, b"PACK\0\0\0\x02", "binary data (git pack)"),
    at(0, b"DIRC\0\0\0\x02", "binary data (git index)"),
];

/// Where the signature of tar begins, and where it ends: the only ones that are not at the very beginning.
const TAR_OFFSET: usize = 257;

/// How many bytes of the input a signature takes at most.
pub(crate) const SIGNATURE_BYTES: usize = TAR_OFFSET + 8;

/// Returns what a message calls the format that is not text, if the input begins like one.
pub(crate) fn signature(prefix: &[u8]) -> Option<&'static str> {
    // The first byte decides for most of them, without a call that compares.
    let is_here = |format: &&Format| {
        let rest = prefix.get(format.offset..).unwrap_or_default();
        rest.first() == format.bytes.first() && rest.starts_with(format.bytes)
    };
    FORMATS.iter().find(is_here).map(|format| format.name)
}

/// Returns whether a signature at the very beginning may begin with `prefix`, and needs more bytes to be told. The four
/// bytes before that of MP4 are a length, and those before the ones of RIFF are `RIFF` and a length.
fn may_be_signature(prefix: &[u8]) -> bool {
    FORMATS.iter().filter(|format| format.offset < TAR_OFFSET && prefix.len() < format.offset + format.bytes.len()).any(
        |format| {
            let lead: &[u8] = match format.offset {
                4 => b"\0",
                8 => b"RIFF",
                _ => b"",
            };
            let tail = prefix.get(format.offset..).unwrap_or_default();
            format.bytes.starts_with(tail) && prefix.iter().zip(lead).all(|(one, other)| one == other)
        },
    )
}

/// Returns whether `prefix` is, or may become, the beginning of a format that is not text.
pub(super) fn may_begin_signature(prefix: &[u8]) -> bool {
    signature(prefix).is_some() || may_be_signature(prefix)
}

/// Reads the beginning of an input as long as it may be the signature of a format that is not text.
#[derive(Default)]
pub(crate) struct SignatureScan {
    prefix: Vec<u8>,
    is_done: bool,
}

impl SignatureScan {
    /// Takes bytes until it is decided. Returns how many.
    pub(crate) fn feed(&mut self, src: &[u8]) -> usize {
        let mut taken = 0;
        while !self.is_done && taken < src.len() {
            self.prefix.push(src[taken]);
            taken += 1;
            self.is_done = self.has_found() || !may_be_signature(&self.prefix);
        }
        taken
    }

    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    pub(crate) fn has_found(&self) -> bool {
        signature(&self.prefix).is_some()
    }
}

/// How many bytes before the first malformed one, and how many from it on, show whether an input is binary.
pub(crate) const SAMPLE_BYTES: usize = 1024;

/// Returns the bytes around `at`, the first malformed byte of `window`, that show whether an input is binary.
pub(super) fn sample(window: &[u8], at: usize) -> &[u8] {
    &window[at.saturating_sub(SAMPLE_BYTES)..window.len().min(at.saturating_add(SAMPLE_BYTES))]
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
            assert!(!is_binary(text.as_bytes()) && signature(text.as_bytes()).is_none(), "{text:?}");
        }
        assert!(is_binary(b"\x01\x02\x03text") && is_binary(b"a\0"));
    }

    /// However the input is cut, the scan takes no more than it needs, and finds each signature but that of tar.
    #[test]
    fn the_scan_finds_signatures() {
        for format in FORMATS.iter().filter(|format| format.offset < TAR_OFFSET) {
            let lead: &[u8] = if format.offset == 8 { b"RIFF\x10\0\0\0" } else { b"\0\0\0\x20" };
            let input = [&lead[..format.offset], format.bytes, b"more"].concat();
            let mut scan = SignatureScan::default();
            let taken: usize = input.iter().map(|byte| scan.feed(&[*byte])).sum();
            assert!(scan.has_found() && scan.is_done(), "{}", format.name);
            assert!(taken <= input.len() - 4, "{}: {taken}", format.name);
        }
        for (text, needed) in [(&b"ok\n"[..], 1), (b"GIF is", 4), (b"%PDX", 4), (b"RIFFs", 9), (b"", 0)] {
            let mut scan = SignatureScan::default();
            assert_eq!((scan.feed(text), scan.has_found()), (needed.min(text.len()), false), "{text:?}");
        }
    }
}
