//! Standard tape labels: the data sets on a tape, and the choice of one of them.

use super::{MAX_BLKSIZE, Shape};
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// A file of a tape image: a data set if the tape has standard labels, otherwise the blocks between two tape marks.
///
/// ```
/// use charpipe::records::TapeFile;
///
/// let file = |text: &str| text.parse::<TapeFile>();
/// assert_eq!(file("2"), Ok(TapeFile::Number(2)));
/// assert_eq!(file("PROD.PAYROLL"), Ok(TapeFile::Name("PROD.PAYROLL".into())));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TapeFile {
    /// The number of the file, from 1. Labels do not count as files.
    Number(u32),
    /// The name of the data set in its label HDR1. The last 17 characters are enough. Case does not matter.
    Name(String),
}

/// The number of characters of a data set's name in a label.
const NAME_LEN: usize = 17;

impl TapeFile {
    /// Returns whether a label with this name belongs to the file.
    pub(crate) fn is(&self, name: &str) -> bool {
        match self {
            TapeFile::Number(_) => false,
            TapeFile::Name(full) => {
                let from = full.char_indices().rev().nth(NAME_LEN - 1).map_or(0, |(at, _)| at);
                name.eq_ignore_ascii_case(full) || name.eq_ignore_ascii_case(&full[from..])
            }
        }
    }
}

impl FromStr for TapeFile {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let number = text.parse().ok().filter(|number| *number > 0);
        Ok(number.map_or_else(|| TapeFile::Name(text.trim().to_owned()), TapeFile::Number))
    }
}

impl fmt::Display for TapeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TapeFile::Number(number) => write!(f, "{number}"),
            TapeFile::Name(name) => f.write_str(name),
        }
    }
}

/// The description of a data set in the labels of a tape.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DataSet {
    /// Its number on the tape, from 1.
    pub file: u32,
    /// The last 17 characters of its name, from HDR1; empty if there is none.
    pub name: String,
    /// From HDR2: `F`, `FB`, `FBA`, `V`, `VB`, `VBS`, `U` and so on; empty if there is none.
    pub recfm: String,
    /// The length of its records in bytes, from HDR2; `None` if HDR2 is missing or states no length.
    pub lrecl: Option<u32>,
    /// The length of its blocks in bytes, from HDR2.
    pub blksize: Option<u32>,
    /// The number of its blocks: from EOF1 if it says so, otherwise the number seen.
    pub blocks: u64,
    /// The shape of the records in its blocks, if the labels determine it.
    pub shape: Option<Shape>,
}

impl fmt::Display for DataSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unknown = |text: &str| if text.is_empty() { "?" } else { text }.to_owned();
        write!(f, "{}: {}: RECFM {}", self.file, unknown(&self.name), unknown(&self.recfm))?;
        if let Some(lrecl) = self.lrecl {
            write!(f, ", LRECL {lrecl}")?;
        }
        if let Some(blksize) = self.blksize {
            write!(f, ", BLKSIZE {blksize}")?;
        }
        write!(f, ", {} {}", self.blocks, if self.blocks == 1 { "block" } else { "blocks" })
    }
}

impl DataSet {
    pub(super) fn new(file: u32) -> Self {
        let (name, recfm) = (String::new(), String::new());
        DataSet { file, name, recfm, lrecl: None, blksize: None, blocks: 0, shape: None }
    }

    /// Reads the label `block`.
    pub(super) fn read(&mut self, block: &[u8]) {
        let text = text(block);
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let number = |from, to| part(from, to).trim().parse::<u32>().ok();
        match part(0, 4) {
            "HDR1" => self.name = part(4, 4 + NAME_LEN).trim().to_owned(),
            "HDR2" => {
                self.recfm = [part(4, 5), part(38, 39), part(36, 37)].map(str::trim).concat().replace('R', "BS");
                self.blksize = number(5, 10).filter(|length| *length > 0);
                self.lrecl = number(10, 15).filter(|length| *length > 0);
                self.shape = self.shape_of_labels();
            }
            "EOF1" | "EOV1" => {
                // The count has up to ten digits; its first four are in another field.
                if let Some(blocks) = number(54, 60) {
                    self.blocks = blocks.into();
                }
            }
            _ => {}
        }
    }

    fn shape_of_labels(&self) -> Option<Shape> {
        let blksize = MAX_BLKSIZE;
        match self.recfm.chars().next()? {
            'F' => Some(Shape::Fixed { lrecl: self.lrecl? }),
            'V' | 'D' if self.recfm.contains('S') => Some(Shape::Vbs { blksize }),
            'V' => Some(Shape::Vb { blksize }),
            _ => None,
        }
    }
}

/// Returns the name of the data set, if `label` begins like the label HDR1.
pub(super) fn file_name(label: &[u8]) -> Option<String> {
    let text = text(label);
    text.strip_prefix("HDR1")?.get(..NAME_LEN).map(|name| name.trim().to_owned())
}

/// Decodes a label, one character per byte: as ASCII if it begins with an ASCII letter, otherwise as EBCDIC. Characters
/// that do not occur in labels become question marks.
fn text(label: &[u8]) -> String {
    let is_ascii = label.first().is_some_and(u8::is_ascii_alphabetic);
    let letter = |first: u8, from: u8, byte: u8| char::from(first + (byte - from));
    let of = |byte: u8| match byte {
        b' '..=b'~' if is_ascii => char::from(byte),
        _ if is_ascii => '?',
        0xC1..=0xC9 => letter(b'A', 0xC1, byte),
        0xD1..=0xD9 => letter(b'J', 0xD1, byte),
        0xE2..=0xE9 => letter(b'S', 0xE2, byte),
        0x81..=0x89 => letter(b'a', 0x81, byte),
        0x91..=0x99 => letter(b'j', 0x91, byte),
        0xA2..=0xA9 => letter(b's', 0xA2, byte),
        0xF0..=0xF9 => letter(b'0', 0xF0, byte),
        0x40 | 0x00 => ' ',
        0x4B => '.',
        0x5B => '$',
        0x60 => '-',
        0x61 => '/',
        0x7B => '#',
        0x7C => '@',
        _ => '?',
    };
    label.iter().map(|byte| of(*byte)).collect()
}
