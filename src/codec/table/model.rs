//! A table of a code page, and its parts: [`Table`].

use std::borrow::Cow;

/// The bytes of a character: one to four.
///
/// Codes are ordered by length, then by bytes. Longer byte sequences are in a [`Sequence`].
///
/// ```
/// use charpipe::codec::table::Code;
///
/// let code = Code::pair(0x42, 0xC1);
/// assert_eq!(Some(code), Code::new(&[0x42, 0xC1]));
/// assert_eq!((code.len(), code.number()), (2, 0x42C1));
/// assert_eq!(&code.bytes()[..code.len()], [0x42, 0xC1]);
/// assert!(Code::single(0xFF) < code);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code {
    pub(super) len: u8,
    /// Big-endian.
    pub(super) number: u32,
}

impl Code {
    /// The largest number of bytes in a code.
    pub const MAX_LEN: usize = 4;

    /// Creates a code of these bytes, or returns `None` if there are none or more than four.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Option<Code> {
        let number = bytes.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte));
        (1..=Self::MAX_LEN).contains(&bytes.len()).then_some(Code { len: bytes.len() as u8, number })
    }

    /// Creates a code of one byte.
    #[must_use]
    pub const fn single(byte: u8) -> Code {
        Code { len: 1, number: byte as u32 }
    }

    /// Creates a code of two bytes.
    #[must_use]
    pub const fn pair(lead: u8, trail: u8) -> Code {
        Code { len: 2, number: (lead as u32) << 8 | trail as u32 }
    }

    /// Returns the number of bytes: 1 to 4.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    #[must_use]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Returns the bytes as one big-endian number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Returns the bytes at the front of an array. All bytes after the first [`len`](Code::len) are 0.
    #[must_use]
    pub const fn bytes(self) -> [u8; Self::MAX_LEN] {
        (self.number << (8 * (4 - self.len as u32))).to_be_bytes()
    }
}

/// The directions in which a mapping is used. The numbers are ICU's precision flags.
///
/// | | from bytes | to bytes | to bytes, with best fit |
/// |---|---|---|---|
/// | [`RoundTrip`](Way::RoundTrip) | yes | yes | yes |
/// | [`BestFit`](Way::BestFit) | | private use only | yes |
/// | [`Substitute1`](Way::Substitute1) | | | |
/// | [`ToText`](Way::ToText) | yes | | |
/// | [`ToBytes`](Way::ToBytes) | | yes | yes |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// `|0`: both directions.
    RoundTrip,
    /// `|1`: to bytes only, as an approximation if approximations are enabled; from a private-use code point always.
    BestFit,
    /// `|2`: the character does not have its own bytes, and is written as the single-byte substitute.
    Substitute1,
    /// `|3`: from bytes only.
    ToText,
    /// `|4`: to bytes only, always.
    ToBytes,
}

impl Way {
    /// Returns whether the mapping is used to decode bytes.
    #[must_use]
    pub fn decodes(self) -> bool {
        matches!(self, Way::RoundTrip | Way::ToText)
    }

    /// Returns whether the mapping is used to encode text that begins with the character `first`, even if
    /// approximations are disabled.
    #[must_use]
    pub fn encodes(self, first: char) -> bool {
        match self {
            Way::RoundTrip | Way::ToBytes => true,
            Way::BestFit => is_private_use(first),
            Way::Substitute1 | Way::ToText => false,
        }
    }
}

/// Returns whether a character is in one of the private use areas.
pub(crate) fn is_private_use(ch: char) -> bool {
    matches!(ch, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}')
}

/// A character and its bytes. A mapping that does not fit in here is a [`Sequence`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// The bytes: one sequence of the shape, or several. Ignored for [`Way::Substitute1`].
    pub code: Code,
    /// The character.
    pub ch: char,
    /// The directions.
    pub way: Way,
}

/// A mapping that does not fit in a [`Mapping`]: several characters, or more than four bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// One to 31 bytes: one sequence of the shape, or several.
    pub bytes: Vec<u8>,
    /// At least one character, and at most 57 bytes of UTF-8.
    pub text: String,
    /// The directions.
    pub way: Way,
}

/// The byte sequences of a charset, whether or not a character is assigned to them.
///
/// Bytes that are not part of such a sequence are malformed one by one. A sequence without a character is malformed as
/// a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableShape {
    /// Single bytes.
    Single,
    /// Pairs of bytes, as in the pure double-byte sets of EBCDIC.
    Double,
    /// Single bytes, and pairs between SO (0E) and SI (0F): the mixed pages of EBCDIC. The mappings do not contain the
    /// shift codes.
    Shifted,
    /// Sequences described by these states. The first one is the initial state. At most 256.
    Multi(Vec<State>),
}

/// The effect of each byte in one state of a multi-byte charset.
pub type State = [Cell; 256];

/// The effect of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// The byte is not allowed here.
    Illegal,
    /// The sequence continues in the state with this index.
    Next(u8),
    /// The byte ends a sequence.
    End,
    /// The byte ends a sequence to which no character is assigned.
    Unassigned,
}

impl TableShape {
    /// Returns the shape of single bytes, and pairs of one of `leads` followed by 40 to 7E or 80 to FE: the double-byte
    /// pages of PCs.
    pub(crate) fn led_by(leads: impl Iterator<Item = u8>) -> TableShape {
        let mut states = vec![[Cell::End; 256], [Cell::Illegal; 256]];
        for lead in leads {
            states[0][usize::from(lead)] = Cell::Next(1);
        }
        states[1][0x40..=0xFE].fill(Cell::End);
        states[1][0x7F] = Cell::Illegal;
        TableShape::Multi(states)
    }

    /// Returns the states: which bytes are allowed where. The first one is the initial state. For
    /// [`TableShape::Shifted`] these are the states of the pairs.
    ///
    /// Lead and trail bytes of pairs are 41–FE, and 40 40 is a pair too (IBM CDRA; ICU's implied tables for `DBCS` and
    /// `EBCDIC_STATEFUL`).
    ///
    /// ```
    /// use charpipe::codec::table::{Cell, TableShape};
    ///
    /// let states = TableShape::Double.states();
    /// assert_eq!(states[0][0x42], Cell::Next(1));
    /// assert_eq!(states[1][0xC1], Cell::End);
    /// assert_eq!(states[0][0x25], Cell::Illegal);
    /// ```
    #[must_use]
    pub fn states(&self) -> Cow<'_, [State]> {
        let row = |cell: &dyn Fn(u8) -> Cell| std::array::from_fn(|byte| cell(byte as u8));
        match self {
            TableShape::Single => vec![[Cell::End; 256]].into(),
            TableShape::Double | TableShape::Shifted => vec![
                row(&|byte| match byte {
                    0x40 => Cell::Next(2),
                    0x41..=0xFE => Cell::Next(1),
                    _ => Cell::Illegal,
                }),
                row(&|byte| if matches!(byte, 0x41..=0xFE) { Cell::End } else { Cell::Illegal }),
                row(&|byte| if byte == 0x40 { Cell::End } else { Cell::Illegal }),
            ]
            .into(),
            TableShape::Multi(states) => states.into(),
        }
    }
}

/// The shift codes of EBCDIC: shift out (to pairs) and shift in (to single bytes).
pub(crate) const SO: u8 = 0x0E;
pub(crate) const SI: u8 = 0x0F;

/// A charset as a table: a value that can be read from a file, built, inspected or changed.
///
/// [`Registry::register_table`](crate::Registry::register_table) registers it as an encoding, and
/// [`into_codec`](Self::into_codec) makes a codec of it. [`CodecInfo::table`](crate::codec::CodecInfo::table) returns
/// the table of a code page. The order of the mappings does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Table {
    /// The preferred name. To be usable in an XML declaration, it must be an EncName:
    /// [`is_enc_name`](crate::codec::is_enc_name).
    pub name: Cow<'static, str>,
    /// Other labels.
    pub aliases: Vec<Cow<'static, str>>,
    /// The table or standard that it comes from.
    pub source: Cow<'static, str>,
    /// Its byte sequences.
    pub shape: TableShape,
    /// The bytes written in place of a character that the table lacks (subchar): one sequence of the shape.
    pub substitute: Vec<u8>,
    /// The byte written in place of the characters of [`Way::Substitute1`] (subchar1). If the table contains only plain
    /// mappings, and none of the byte 00, it is written in place of all missing characters up to U+00FF.
    pub substitute1: Option<u8>,
    /// The mappings of one character and up to four bytes.
    pub mappings: Vec<Mapping>,
    /// The longer mappings.
    pub sequences: Vec<Sequence>,
}

impl Table {
    /// Creates an empty table of single bytes. The substitute is SUB, 1A.
    pub fn new(name: impl Into<Cow<'static, str>>, source: impl Into<Cow<'static, str>>) -> Table {
        Table {
            name: name.into(),
            aliases: Vec::new(),
            source: source.into(),
            shape: TableShape::Single,
            substitute: vec![0x1A],
            substitute1: None,
            mappings: Vec::new(),
            sequences: Vec::new(),
        }
    }

    /// Creates a single-byte table from a function: `char_of` returns the character of each byte. The substitute is
    /// SUB, 1A.
    ///
    /// ```
    /// use charpipe::codec::table::Table;
    ///
    /// let table = Table::from_fn("X-HALF", "made up", |byte| byte.is_ascii().then_some(byte.into()));
    /// assert_eq!(table.mappings.len(), 128);
    /// ```
    pub fn from_fn(name: &'static str, source: &'static str, char_of: impl Fn(u8) -> Option<char>) -> Table {
        let mut table = Table::new(name, source);
        table.mappings.reserve_exact(256);
        for byte in 0..=255 {
            if let Some(ch) = char_of(byte) {
                table.mappings.push(Mapping { code: Code::single(byte), ch, way: Way::RoundTrip });
            }
        }
        table
    }

    /// Adds a mapping of any length.
    pub(crate) fn add(&mut self, bytes: &[u8], text: &str, way: Way) {
        let mut chars = text.chars();
        match (Code::new(bytes), chars.next(), chars.next()) {
            (Some(code), Some(ch), None) => self.mappings.push(Mapping { code, ch, way }),
            _ => self.sequences.push(Sequence { bytes: bytes.to_vec(), text: text.to_owned(), way }),
        }
    }
}
