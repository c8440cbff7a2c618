//! Code pages as data: which bytes are which characters, whoever wrote it down.
//!
//! A [`Table`] is what every source of mappings is read into and what both engines are made from: the pages of
//! `codecs/`, the tables of other crates, and files that a user brings.
//!
//! ```text
//! a user's file ── read.rs: which format? ─┬─ chart.rs     our own page ───────────┐
//!                                          ├─ ucm.rs       ICU                     │
//!                                          ├─ charmap.rs   POSIX, glibc            ├─ check ─ Table
//!                                          ├─ text.rs      columns of numbers      │            │
//!                                          └─ raw.rs       256 or 512 bytes ───────┘            │
//! codecs/*.txt ── chart.rs ── tests/it/tables.rs ── pages.bin ── packed.rs ────────────────────────┤
//! encoding_rs, oem_cp ── whatwg.rs, oem.rs ─────────────────────────────────────────────────────┤
//!                                                                                               ▼
//!                    Decoder, Encoder ── single_byte.rs or multi_byte.rs ── TableCodec
//! ```
//!
//! `draft.rs` is a table in the reading, with the line of each mapping, `derive.rs` finds the states of a file that has
//! none, `check.rs` holds a table against itself, and `lines.rs` cuts files into lines. The built-in pages do not go
//! through a `Table` when they are run: the engines are made from `pages.bin` as it lies.
//!
//! `codecs/README.md` describes the pages, and what is done with tables in other formats, for people.
//!
//! ```
//! use charpipe::codec::table::{Code, Mapping, Table, Way};
//! use charpipe::{Registry, Transcode};
//!
//! // ASCII, and the euro sign at 80.
//! let mut table = Table::from_fn("X-EURO", "made up", |byte| byte.is_ascii().then_some(byte.into()));
//! table.mappings.push(Mapping { code: Code::single(0x80), ch: '€', way: Way::RoundTrip });
//!
//! let mut registry = Registry::builtin();
//! registry.register_table(table)?;
//! let mut bytes = Vec::new();
//! Transcode::new().registry(registry).to("X-EURO")?.run("5 €".as_bytes(), &mut bytes)?;
//! assert_eq!(bytes, b"5 \x80");
//! # Ok::<(), charpipe::Error>(())
//! ```

mod charmap;
pub mod chart;
mod check;
mod derive;
mod draft;
mod lines;
pub(super) mod packed;
mod raw;
pub mod read;
mod text;
mod ucm;

use crate::error::{Error, ErrorKind};
use std::borrow::Cow;

/// The bytes of a character: one to four.
///
/// Ordered by length, then by bytes. Longer ones are in a [`Sequence`].
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
    len: u8,
    /// Big-endian.
    number: u32,
}

impl Code {
    /// The most bytes that it can have.
    pub const MAX_LEN: usize = 4;

    /// These bytes; `None` where there are none or more than four.
    pub fn new(bytes: &[u8]) -> Option<Code> {
        let number = bytes.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte));
        (1..=Self::MAX_LEN).contains(&bytes.len()).then_some(Code { len: bytes.len() as u8, number })
    }

    /// One byte.
    pub const fn single(byte: u8) -> Code {
        Code { len: 1, number: byte as u32 }
    }

    /// Two bytes.
    pub const fn pair(lead: u8, trail: u8) -> Code {
        Code { len: 2, number: (lead as u32) << 8 | trail as u32 }
    }

    /// How many bytes: 1 to 4.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// The bytes as one big-endian number.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// The bytes, from the front of the array; what is behind the first [`len`](Code::len) of them is 0.
    pub const fn bytes(self) -> [u8; Self::MAX_LEN] {
        (self.number << (8 * (4 - self.len as u32))).to_be_bytes()
    }
}

/// In which directions a mapping holds. The numbers are ICU's precision flags.
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
    /// `|0`: both ways.
    RoundTrip,
    /// `|1`: to bytes, as an approximation where one is wanted; from a private-use code point always.
    BestFit,
    /// `|2`: the character has no bytes, and the single-byte substitute stands for it.
    Substitute1,
    /// `|3`: from bytes only.
    ToText,
    /// `|4`: to bytes only, always.
    ToBytes,
}

impl Way {
    /// Whether bytes become text by it.
    pub fn decodes(self) -> bool {
        matches!(self, Way::RoundTrip | Way::ToText)
    }

    /// Whether `first`, the first character of the text, is written by it without being asked for an approximation.
    pub fn encodes(self, first: char) -> bool {
        match self {
            Way::RoundTrip | Way::ToBytes => true,
            Way::BestFit => is_private_use(first),
            Way::Substitute1 | Way::ToText => false,
        }
    }
}

/// Whether a character is of one of the private use areas.
pub(crate) fn is_private_use(ch: char) -> bool {
    matches!(ch, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}')
}

/// One character and its bytes. What does not fit in here is a [`Sequence`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// The bytes: one sequence of the shape, or several. For [`Way::Substitute1`] they say nothing.
    pub code: Code,
    /// The character.
    pub ch: char,
    /// In which directions.
    pub way: Way,
}

/// A mapping that is too long for a [`Mapping`]: several characters, or more than four bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// One to 31 bytes: one sequence of the shape, or several.
    pub bytes: Vec<u8>,
    /// One character or more, 57 bytes of UTF-8 at the most.
    pub text: String,
    /// In which directions.
    pub way: Way,
}

/// What byte sequences a charset has, whether or not a character has them.
///
/// Bytes outside of it are malformed one by one; a sequence of it without a character is malformed as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Single bytes.
    Single,
    /// Pairs of bytes, as in the pure double-byte sets of EBCDIC.
    Double,
    /// Single bytes, and pairs between SO (0E) and SI (0F): the mixed pages of EBCDIC. Mappings have no shift codes.
    Shifted,
    /// Sequences as these states say, the first of them the initial one. At most 256.
    Multi(Vec<State>),
}

/// What each byte does in one state of a multi-byte charset.
pub type State = [Cell; 256];

/// What a byte does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// It cannot stand here.
    Illegal,
    /// It leads to the state of this index; the sequence goes on.
    Next(u8),
    /// It ends a sequence.
    End,
    /// It ends a sequence that no character has.
    Unassigned,
}

impl Shape {
    /// Single bytes, and pairs of one of `leads` and 40 to 7E or 80 to FE: the double-byte pages of PCs.
    pub(crate) fn led_by(leads: impl Iterator<Item = u8>) -> Shape {
        let mut states = vec![[Cell::End; 256], [Cell::Illegal; 256]];
        for lead in leads {
            states[0][usize::from(lead)] = Cell::Next(1);
        }
        states[1][0x40..=0xFE].fill(Cell::End);
        states[1][0x7F] = Cell::Illegal;
        Shape::Multi(states)
    }

    /// What bytes may stand where, as states; the first is the initial one. Of [`Shape::Shifted`] they are those of the
    /// pairs.
    ///
    /// Pairs have lead and trail in 41–FE, and 40 40 (IBM CDRA; ICU's implied tables for `DBCS` and
    /// `EBCDIC_STATEFUL`).
    ///
    /// ```
    /// use charpipe::codec::table::{Cell, Shape};
    ///
    /// let states = Shape::Double.states();
    /// assert_eq!(states[0][0x42], Cell::Next(1));
    /// assert_eq!(states[1][0xC1], Cell::End);
    /// assert_eq!(states[0][0x25], Cell::Illegal);
    /// ```
    pub fn states(&self) -> Cow<'_, [State]> {
        let row = |cell: &dyn Fn(u8) -> Cell| std::array::from_fn(|byte| cell(byte as u8));
        match self {
            Shape::Single => vec![[Cell::End; 256]].into(),
            Shape::Double | Shape::Shifted => vec![
                row(&|byte| match byte {
                    0x40 => Cell::Next(2),
                    0x41..=0xFE => Cell::Next(1),
                    _ => Cell::Illegal,
                }),
                row(&|byte| if matches!(byte, 0x41..=0xFE) { Cell::End } else { Cell::Illegal }),
                row(&|byte| if byte == 0x40 { Cell::End } else { Cell::Illegal }),
            ]
            .into(),
            Shape::Multi(states) => states.into(),
        }
    }
}

/// The shift codes of EBCDIC: shift out, to pairs; shift in, to single bytes.
pub(crate) const SO: u8 = 0x0E;
pub(crate) const SI: u8 = 0x0F;

/// A charset as a table: a value to be read from a file, made, looked at or changed.
///
/// [`Registry::register_table`](crate::Registry::register_table) makes an encoding of it,
/// [`TableCodec`](super::TableCodec) a codec, [`CodecInfo::table`](super::CodecInfo::table) gives that of a code page. The
/// order of the mappings does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The preferred name. For a document to declare it, it has to be an EncName:
    /// [`is_enc_name`](super::is_enc_name).
    pub name: Cow<'static, str>,
    /// Further labels.
    pub aliases: Vec<Cow<'static, str>>,
    /// The table or standard that it was taken from.
    pub source: Cow<'static, str>,
    /// What byte sequences it has.
    pub shape: Shape,
    /// The bytes that stand for a character that it lacks (subchar): one sequence of the shape.
    pub substitute: Vec<u8>,
    /// The byte that does so for the characters of [`Way::Substitute1`] (subchar1); in a table with nothing but plain
    /// mappings, not even of the byte 00, for all up to U+00FF.
    pub substitute1: Option<u8>,
    /// The mappings of one character and up to four bytes.
    pub mappings: Vec<Mapping>,
    /// The longer ones.
    pub sequences: Vec<Sequence>,
}

impl Table {
    /// An empty table of single bytes; the substitute is SUB, 1A.
    pub fn new(name: impl Into<Cow<'static, str>>, source: impl Into<Cow<'static, str>>) -> Table {
        Table {
            name: name.into(),
            aliases: Vec::new(),
            source: source.into(),
            shape: Shape::Single,
            substitute: vec![0x1A],
            substitute1: None,
            mappings: Vec::new(),
            sequences: Vec::new(),
        }
    }

    /// A single-byte table made from a function: `char_of` answers the character of each byte. The substitute is SUB,
    /// 1A.
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

    /// Whether the single-byte substitute stands for the listed characters alone. Otherwise it stands for all up to
    /// U+00FF that the table lacks.
    ///
    /// It is as ICU does it, whose list lies in the extension of a table: one without an extension has no list. Into the
    /// extension goes whatever ICU's own structure cannot hold, which is something in nearly every table: U+0000 at 00 is.
    pub(crate) fn lists_substitute1(&self) -> bool {
        let fit = check::Fit::new(&self.shape);
        // Up to here ICU has a quick structure, from UTF-8, without room for a 00 and for approximations.
        let quick = if self.shape == Shape::Single { '\u{1FFF}' } else { '\u{D7FF}' };
        let extends = |bytes: &[u8], ch: char, way: Way| match way {
            Way::Substitute1 | Way::ToBytes => true,
            _ if bytes.len() > 1 => bytes[0] == 0 || fit.codes(bytes) != Some(1) || way == Way::BestFit && ch <= quick,
            Way::BestFit => bytes[0] == 0 || ch <= quick,
            Way::RoundTrip => bytes[0] == 0 && ch <= quick,
            Way::ToText => false,
        };
        !self.sequences.is_empty()
            || self.mappings.iter().any(|Mapping { code, ch, way }| extends(&code.bytes()[..code.len()], *ch, *way))
    }

    /// Adds a mapping of any length.
    pub(crate) fn add(&mut self, bytes: &[u8], text: &str, way: Way) {
        let mut chars = text.chars();
        match (Code::new(bytes), chars.next(), chars.next()) {
            (Some(code), Some(ch), None) => self.mappings.push(Mapping { code, ch, way }),
            _ => self.sequences.push(Sequence { bytes: bytes.to_vec(), text: text.to_owned(), way }),
        }
    }

    /// Checks that no two mappings contradict each other, that all fit the shape, and that the substitute does.
    ///
    /// [`Table::read`] and [`Registry::register_table`](crate::Registry::register_table) do so by themselves.
    ///
    /// ```
    /// use charpipe::codec::table::{Code, Mapping, Table, Way};
    ///
    /// let mut table = Table::from_fn("X-HALF", "made up", |byte| byte.is_ascii().then_some(byte.into()));
    /// table.check()?;
    /// // A second code for A, to be written: which one?
    /// table.mappings.push(Mapping { code: Code::single(0xC1), ch: 'A', way: Way::RoundTrip });
    /// assert!(table.check().is_err());
    /// // Only to be read.
    /// table.mappings.last_mut().unwrap().way = Way::ToText;
    /// table.check()?;
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Table`] at line 0 and column 0, as a table has none, where the same bytes are two characters, or the
    /// same character has two byte sequences, approximations counted; where bytes are no sequence of the shape.
    pub fn check(&self) -> Result<(), Error> {
        match check::fault(self) {
            Some(fault) => Err(ErrorKind::Table { line: 0, column: 0, expected: fault.expected(None) }.into()),
            None => Ok(()),
        }
    }
}
