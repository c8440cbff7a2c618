//! The framings and their notation.

use crate::words::distance;
use std::fmt;
use std::str::FromStr;

/// How records are stored in a stream of bytes. Each value is one framing.
///
/// The table shows the notation that [`FromStr`] reads and [`Display`](fmt::Display) writes. Parts in brackets may be
/// omitted.
///
/// | shape | framing |
/// |---|---|
/// | `fb:N` | none: every record has `N` bytes |
/// | `rdw` | `LL LL 00 00` before each record, big-endian; the length includes these four bytes |
/// | `rdw:exclusive` | the same, but the length does not include them |
/// | `rdw:le`, `rdw:le:exclusive` | `00 00 LL LL`, little-endian |
/// | `vb[:BLKSIZE]` | records as in `rdw`, in blocks. Each block begins with a block descriptor word `BB BB 00 00` (or of 31 bits, if its first bit is set); the length includes the whole block |
/// | `vbs[:BLKSIZE]` | blocks of segments `LL LL CC 00`. CC is 0 for a whole record, 1 for its first segment, 3 for a middle segment, 2 for the last |
/// | `u32` | a four-byte length before each record, big-endian, not including itself (z/OSMF, Zowe: record mode) |
/// | `u16` | a two-byte length before each record, big-endian, not including itself (CMS) |
/// | `mode-b` | FTP's block mode (RFC 959 §3.4.2): flags and a two-byte length; a flag marks the end of a record |
/// | `awstape,SHAPE` | an uncompressed tape image of Hercules: tape blocks with six-byte headers, which contain records of SHAPE |
/// | `awstape:sl,SHAPE` | the same with standard labels: of every three files, the first and the last are labels and are skipped |
/// | `awstape,fb:N,blksize=BLKSIZE` | a tape image with blocks of `BLKSIZE` bytes, a multiple of `N` |
///
/// `BLKSIZE` matters only for writing: it is the size of the largest block. The default is 32760 bytes, or as many
/// records of `N` bytes as fit in 32760 bytes. On a tape, `vb,blksize=800` is another notation for `vb:800`.
///
/// ```
/// use charpipe::records::Shape;
///
/// let shape: Shape = "awstape,fb:80".parse().unwrap();
/// assert_eq!(shape, Shape::AwsTape { labels: false, shape: Box::new(Shape::Fixed { lrecl: 80 }) });
/// assert_eq!(shape.to_string(), "awstape,fb:80");
/// assert!("awstape,fb:80,blksize=3200".parse::<Shape>().is_ok());
/// assert!("awstape,fb:80,blksize=3210".parse::<Shape>().is_err());
/// assert!("fb:0".parse::<Shape>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// Fixed-length records (RECFM F, FB).
    Fixed {
        /// The length of a record in bytes, at least 1.
        lrecl: u32,
    },
    /// Fixed-length records in blocks of a given size. Only a tape preserves blocks, so this is valid only inside
    /// [`AwsTape`](Self::AwsTape).
    FixedBlocks {
        /// The length of a record in bytes, at least 1.
        lrecl: u32,
        /// The length of each block written, except that the last may be shorter. A multiple of `lrecl`, at most 65535.
        blksize: u32,
    },
    /// A record descriptor word before each record (RECFM V without blocks; FTP's `SITE RDW`).
    Rdw {
        /// Whether the length is little-endian, in the last two bytes of the word.
        little: bool,
        /// Whether the length includes the four bytes of the word.
        inclusive: bool,
    },
    /// Blocks of records (RECFM V, VB as stored on a volume).
    Vb {
        /// The size of the largest block to write.
        blksize: u32,
    },
    /// Blocks of record segments (RECFM VS, VBS).
    Vbs {
        /// The size of the largest block to write.
        blksize: u32,
    },
    /// A four-byte length.
    U32,
    /// A two-byte length.
    U16,
    /// FTP's block mode.
    ModeB,
    /// An uncompressed tape image in Hercules' format whose blocks contain records of another shape.
    AwsTape {
        /// Whether there are standard labels: the first and the last of every three files.
        labels: bool,
        /// The shape of the records in the blocks. It cannot be another tape image.
        shape: Box<Shape>,
    },
    /// Records one after the other, with nothing between them. Only a layout tells where they end, so a
    /// [rows job](crate::rows::StoredAs::Layout) reads them, and a [`Deframer`](super::Deframer) alone cannot. It is written
    /// as `layout`, which is not the notation of a shape.
    Unframed,
}

/// The largest block of z/OS, and the default BLKSIZE of [`Shape::Vb`] and [`Shape::Vbs`].
pub const MAX_BLKSIZE: u32 = 32760;

impl Shape {
    /// `rdw`: big-endian, and the length includes the word.
    pub const RDW: Shape = Shape::Rdw { little: false, inclusive: true };

    /// Returns the length in bytes of the longest record of this shape that a framer accepts.
    ///
    /// ```
    /// use charpipe::records::Shape;
    ///
    /// assert_eq!(Shape::RDW.longest(), 32756);
    /// assert_eq!(Shape::U16.longest(), 65535);
    /// ```
    #[must_use]
    pub fn longest(&self) -> usize {
        match self {
            Shape::Fixed { lrecl } | Shape::FixedBlocks { lrecl, .. } => *lrecl as usize,
            Shape::Rdw { inclusive: true, .. } => MAX_BLKSIZE as usize - 4,
            Shape::Rdw { inclusive: false, .. } => MAX_BLKSIZE as usize,
            Shape::Vb { blksize } => (*blksize as usize).saturating_sub(8),
            Shape::Vbs { .. } | Shape::U32 | Shape::ModeB => super::RECORD_LIMIT,
            // A record may be as long as its layout.
            Shape::Unframed => usize::MAX,
            Shape::U16 => usize::from(u16::MAX),
            // On a tape, the whole record and its header must fit in one block, unless it is segmented.
            Shape::AwsTape { shape, .. } => match **shape {
                Shape::U32 => 65531,
                Shape::U16 => 65533,
                Shape::ModeB => 65532,
                _ => shape.longest(),
            },
        }
    }

    /// Returns the length of each record if all have the same length, on a tape too.
    ///
    /// ```
    /// use charpipe::records::Shape;
    ///
    /// assert_eq!("awstape,fb:80".parse::<Shape>().unwrap().lrecl(), Some(80));
    /// assert_eq!(Shape::RDW.lrecl(), None);
    /// ```
    #[must_use]
    pub fn lrecl(&self) -> Option<u32> {
        match self {
            Shape::Fixed { lrecl } | Shape::FixedBlocks { lrecl, .. } => Some(*lrecl),
            Shape::AwsTape { shape, .. } => match &**shape {
                Shape::Fixed { lrecl } | Shape::FixedBlocks { lrecl, .. } => Some(*lrecl),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The error for text that is not a valid [`Shape`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadShape(String);

impl fmt::Display for BadShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadShape {}

impl FromStr for Shape {
    type Err = BadShape;

    fn from_str(text: &str) -> Result<Self, BadShape> {
        let lower = text.trim().to_ascii_lowercase();
        let (name, rest) = match lower.find([':', ',']) {
            Some(at) => (&lower[..at], Some(&lower[at + 1..])),
            None => (&*lower, None),
        };
        let number = |rest: &str, least: u32, most: u32| {
            rest.parse()
                .ok()
                .filter(|number| (least..=most).contains(number))
                .ok_or_else(|| BadShape(format!("{text:?}: expected a number from {least} to {most} after `{name}:`")))
        };
        let blksize = |least| rest.map_or(Ok(MAX_BLKSIZE), |rest| number(rest, least, MAX_BLKSIZE));
        match (name, rest) {
            ("fb" | "f", Some(rest)) if rest.contains(',') => Err(not_fixed(rest)),
            ("fb" | "f", Some(rest)) => Ok(Shape::Fixed { lrecl: number(rest, 1, u32::from(u16::MAX))? }),
            ("fb" | "f", None) => Err(BadShape("`fb` needs a record length, for example `fb:80`".into())),
            ("rdw", None) => Ok(Shape::RDW),
            ("rdw", Some("exclusive")) => Ok(Shape::Rdw { little: false, inclusive: false }),
            ("rdw", Some("le")) => Ok(Shape::Rdw { little: true, inclusive: true }),
            ("rdw", Some("le:exclusive" | "exclusive:le")) => Ok(Shape::Rdw { little: true, inclusive: false }),
            ("vb", _) => Ok(Shape::Vb { blksize: blksize(9)? }),
            ("vbs", _) => Ok(Shape::Vbs { blksize: blksize(9)? }),
            ("u32", None) => Ok(Shape::U32),
            ("u16", None) => Ok(Shape::U16),
            ("mode-b", None) => Ok(Shape::ModeB),
            ("awstape", Some(rest)) => {
                let (labels, rest) = match rest.strip_prefix("sl,") {
                    Some(rest) => (true, rest),
                    None => (false, rest),
                };
                // Checked before parsing, since otherwise each level would parse the next one.
                if rest.trim_start().starts_with("awstape") {
                    return Err(BadShape(format!("{text:?}: a tape image cannot contain a tape image")));
                }
                Ok(Shape::AwsTape { labels, shape: Box::new(on_tape(rest)?) })
            }
            ("awstape", None) => Err(BadShape(
                "`awstape` needs the shape of the records on the tape, for example `awstape,fb:80`".into(),
            )),
            _ => Err(BadShape(format!(
                "{text:?} is not a record shape; expected fb:N, rdw, rdw:exclusive, rdw:le, vb, vbs, u32, u16, mode-b \
                 or awstape,SHAPE{}",
                meant(&lower).map_or_else(String::new, |shape| format!("; did you mean {shape}?"))
            ))),
        }
    }
}

/// Parses the shape of the records in a tape's blocks, which may be followed by a block size. `text` is in lower case.
fn on_tape(text: &str) -> Result<Shape, BadShape> {
    let Some((name, blksize)) = text.split_once(",blksize=") else { return text.parse() };
    let bad = |why: String| Err(BadShape(format!("blksize={blksize}: {why}")));
    match name.parse()? {
        Shape::Fixed { lrecl } => match blksize.parse::<u16>().map(u32::from) {
            Ok(blksize) if blksize > 0 && blksize.is_multiple_of(lrecl) => Ok(Shape::FixedBlocks { lrecl, blksize }),
            _ => bad(format!("expected a multiple of the record length {lrecl}, at most 65535")),
        },
        Shape::Vb { .. } | Shape::Vbs { .. } if !name.contains(':') => format!("{name}:{blksize}").parse(),
        Shape::Vb { .. } | Shape::Vbs { .. } => bad(format!("{name} already contains a block size")),
        _ => bad(format!("{name} has no block size, because each record is a block; only fb, vb and vbs have one")),
    }
}

/// Explains why `fb:` followed by `rest` is not a shape if `rest` is more than a number.
fn not_fixed(rest: &str) -> BadShape {
    let digits = |text: &str| text.trim_start_matches(|ch: char| !ch.is_ascii_digit()).to_owned();
    let (lrecl, blksize) = rest.split_once(',').map_or((rest, String::new()), |(lrecl, rest)| (lrecl, digits(rest)));
    BadShape(format!(
        "fb:{rest} is not a record shape: only a tape image preserves blocks of fixed-length records \
         (awstape,fb:{lrecl},blksize={blksize}); for any other file use fb:{lrecl}"
    ))
}

/// Returns the shape that `text`, in lower case, was probably meant to be.
fn meant(text: &str) -> Option<String> {
    const NAMES: [&str; 9] =
        ["rdw", "rdw:exclusive", "rdw:le", "rdw:le:exclusive", "vb", "vbs", "u32", "u16", "mode-b"];
    let digits = text.trim_start_matches(|ch: char| !ch.is_ascii_digit());
    let before = &text[..text.len() - digits.len()];
    let is_fixed =
        matches!(before.trim_end_matches([':', '=', '-', '_', ' ', '(']), "" | "f" | "fb" | "lrecl" | "fixed");
    match digits.trim_end_matches(')').parse::<u16>() {
        Ok(lrecl) if lrecl > 0 && is_fixed => return Some(format!("fb:{lrecl}")),
        _ => {}
    }
    let near = |name: &&&str| distance(text, name, |_, _| 1) <= 1 + usize::from(name.len() > 4);
    let nearest = |name: &&&str| distance(text, name, |_, _| 1);
    NAMES.iter().filter(near).min_by_key(nearest).map(|name| (*name).to_owned())
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = |f: &mut fmt::Formatter<'_>, name: &str, blksize: u32| match blksize {
            MAX_BLKSIZE => f.write_str(name),
            _ => write!(f, "{name}:{blksize}"),
        };
        match self {
            Shape::Fixed { lrecl } => write!(f, "fb:{lrecl}"),
            Shape::FixedBlocks { lrecl, blksize } => write!(f, "fb:{lrecl},blksize={blksize}"),
            Shape::Rdw { little, inclusive } => {
                f.write_str(if *little { "rdw:le" } else { "rdw" })?;
                f.write_str(if *inclusive { "" } else { ":exclusive" })
            }
            Shape::Vb { blksize } => blocks(f, "vb", *blksize),
            Shape::Vbs { blksize } => blocks(f, "vbs", *blksize),
            Shape::U32 => f.write_str("u32"),
            Shape::U16 => f.write_str("u16"),
            Shape::ModeB => f.write_str("mode-b"),
            Shape::AwsTape { labels, shape } => {
                write!(f, "awstape{},{shape}", if *labels { ":sl" } else { "" })
            }
            Shape::Unframed => f.write_str("layout"),
        }
    }
}
