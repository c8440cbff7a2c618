//! The framings, and how they are written down.

use crate::registry::label;
use std::fmt;
use std::str::FromStr;

/// How records lie in a stream of bytes. One framing, one value.
///
/// As text, which [`FromStr`] reads and [`Display`](fmt::Display) writes, in brackets what may be left out:
///
/// | shape | before each record |
/// |---|---|
/// | `fb:N` | nothing: every record has `N` bytes |
/// | `rdw` | `LL LL 00 00`, big-endian; the length includes these four bytes |
/// | `rdw:exclusive` | the same, but the length does not include them |
/// | `rdw:le`, `rdw:le:exclusive` | `00 00 LL LL`, little-endian |
/// | `vb[:BLKSIZE]` | the same as `rdw`, in blocks, each behind a block descriptor word `BB BB 00 00` (or of 31 bits, where its first bit is set), whose length includes everything |
/// | `vbs[:BLKSIZE]` | blocks of segments `LL LL CC 00`: CC is 0 for a whole record, 1 for its first segment, 3 for one in the middle, 2 for the last |
/// | `u32` | a length of four bytes, big-endian, not included (z/OSMF, Zowe: record mode) |
/// | `u16` | a length of two bytes, big-endian, not included (CMS) |
/// | `mode-b` | FTP's block mode (RFC 959 §3.4.2): flags, a length of two bytes; a record ends where a flag says so |
/// | `awstape,SHAPE` | a tape image of Hercules, not compressed: tape blocks behind headers of six bytes, with SHAPE in them |
/// | `awstape:sl,SHAPE` | the same with standard labels: of each three files the first and the last are labels, and skipped |
/// | `awstape,fb:N,blksize=BLKSIZE` | a tape image with blocks of `BLKSIZE` bytes, a multiple of `N` |
///
/// `BLKSIZE` matters only for writing: it is the largest block. Without it that is 32760 bytes, or as many records of `N`
/// bytes as fit in them. On a tape `vb,blksize=800` is another way to write `vb:800`.
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
    /// Fixed length (RECFM F, FB).
    Fixed {
        /// The length of a record in bytes, at least 1.
        lrecl: u32,
    },
    /// Fixed length in blocks of a given size. Only a tape shows its blocks, so this is valid only inside
    /// [`AwsTape`](Self::AwsTape).
    FixedBlocks {
        /// The length of a record in bytes, at least 1.
        lrecl: u32,
        /// The length of each block to write but the last, which may be shorter: a multiple of `lrecl`, at most 65535.
        blksize: u32,
    },
    /// A record descriptor word before each record (RECFM V without blocks; FTP's `SITE RDW`).
    Rdw {
        /// The length is little-endian, in the last two bytes of the word.
        little: bool,
        /// The length includes the four bytes of the word.
        inclusive: bool,
    },
    /// Blocks of records (RECFM V, VB as it lies on a volume).
    Vb {
        /// The largest block to write.
        blksize: u32,
    },
    /// Blocks of segments of records (RECFM VS, VBS).
    Vbs {
        /// The largest block to write.
        blksize: u32,
    },
    /// A length of four bytes.
    U32,
    /// A length of two bytes.
    U16,
    /// FTP's block mode.
    ModeB,
    /// A tape image in Hercules' format, not compressed, with records of another shape in its blocks.
    AwsTape {
        /// There are standard labels: of each three files the first and the last.
        labels: bool,
        /// What is in the blocks; not a tape image again.
        shape: Box<Shape>,
    },
}

/// The largest block of z/OS, and what [`Shape::Vb`] and [`Shape::Vbs`] have for a BLKSIZE that was not given.
pub const MAX_BLKSIZE: u32 = 32760;

impl Shape {
    /// `rdw`: big-endian, the length includes the word.
    pub const RDW: Shape = Shape::Rdw { little: false, inclusive: true };

    /// How long a record of this shape may be, in bytes: what a framer takes.
    ///
    /// ```
    /// use charpipe::records::Shape;
    ///
    /// assert_eq!(Shape::RDW.longest(), 32756);
    /// assert_eq!(Shape::U16.longest(), 65535);
    /// ```
    pub fn longest(&self) -> usize {
        match self {
            Shape::Fixed { lrecl } | Shape::FixedBlocks { lrecl, .. } => *lrecl as usize,
            Shape::Rdw { inclusive: true, .. } => MAX_BLKSIZE as usize - 4,
            Shape::Rdw { inclusive: false, .. } => MAX_BLKSIZE as usize,
            Shape::Vb { blksize } => (*blksize as usize).saturating_sub(8),
            Shape::Vbs { .. } | Shape::U32 | Shape::ModeB => super::RECORD_LIMIT,
            Shape::U16 => usize::from(u16::MAX),
            // One block of a tape has it all, its header too, but for segments.
            Shape::AwsTape { shape, .. } => match **shape {
                Shape::U32 => 65531,
                Shape::U16 => 65533,
                Shape::ModeB => 65532,
                _ => shape.longest(),
            },
        }
    }

    /// The length of each record, if it is the same for all; on a tape too.
    pub(crate) fn lrecl(&self) -> Option<u32> {
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

/// Text that names no [`Shape`].
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
            rest.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(|| {
                BadShape(format!("{text:?}: a number from {least} to {most} is wanted behind `{name}:`"))
            })
        };
        let blksize = |least| rest.map_or(Ok(MAX_BLKSIZE), |rest| number(rest, least, MAX_BLKSIZE));
        match (name, rest) {
            ("fb" | "f", Some(rest)) if rest.contains(',') => Err(not_fixed(rest)),
            ("fb" | "f", Some(rest)) => Ok(Shape::Fixed { lrecl: number(rest, 1, u32::from(u16::MAX))? }),
            ("fb" | "f", None) => Err(BadShape("`fb` needs the length of a record: `fb:80`".into())),
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
                // Before it is read: else each would read the next.
                if rest.trim_start().starts_with("awstape") {
                    return Err(BadShape(format!("{text:?}: a tape image holds no tape image")));
                }
                Ok(Shape::AwsTape { labels, shape: Box::new(on_tape(rest)?) })
            }
            ("awstape", None) => {
                Err(BadShape("`awstape` needs the shape of what is on the tape: `awstape,fb:80`".into()))
            }
            _ => Err(BadShape(format!(
                "{text:?} is no shape of records; there are fb:N, rdw, rdw:exclusive, rdw:le, vb, vbs, u32, u16, mode-b \
                 and awstape,SHAPE{}",
                meant(&lower).map_or_else(String::new, |shape| format!("; did you mean {shape}?"))
            ))),
        }
    }
}

/// The shape of what is in the blocks of a tape, which may have a block size after it. `text` is in lower case.
fn on_tape(text: &str) -> Result<Shape, BadShape> {
    let Some((name, blksize)) = text.split_once(",blksize=") else { return text.parse() };
    let bad = |why: String| Err(BadShape(format!("blksize={blksize}: {why}")));
    match name.parse()? {
        Shape::Fixed { lrecl } => match blksize.parse::<u16>().map(u32::from) {
            Ok(blksize) if blksize > 0 && blksize.is_multiple_of(lrecl) => Ok(Shape::FixedBlocks { lrecl, blksize }),
            _ => bad(format!("expected a multiple of {lrecl}, the length of a record, up to 65535")),
        },
        Shape::Vb { .. } | Shape::Vbs { .. } if !name.contains(':') => format!("{name}:{blksize}").parse(),
        Shape::Vb { .. } | Shape::Vbs { .. } => bad(format!("the block size stands in {name} already")),
        _ => bad(format!("each record of {name} is a block by itself; fb, vb and vbs have block sizes")),
    }
}

/// Why `fb:` and `rest` are no shape, if there is more in it than a number.
fn not_fixed(rest: &str) -> BadShape {
    let digits = |text: &str| text.trim_start_matches(|ch: char| !ch.is_ascii_digit()).to_owned();
    let (lrecl, blksize) = rest.split_once(',').map_or((rest, String::new()), |(lrecl, rest)| (lrecl, digits(rest)));
    BadShape(format!(
        "fb:{rest} is no shape of records: only a tape has blocks of fixed records, awstape,fb:{lrecl},blksize={blksize}; \
         elsewhere they leave no trace, so that it is fb:{lrecl}"
    ))
}

/// The shape that `text`, in lower case, was to name.
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
    let near = |name: &&&str| label::distance(text, name, |_, _| 1) <= 1 + usize::from(name.len() > 4);
    let nearest = |name: &&&str| label::distance(text, name, |_, _| 1);
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
        }
    }
}
