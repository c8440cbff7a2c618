//! Which shape the records of a file have: every hypothesis is followed through the first bytes, and what is left over
//! is the answer. It reports; it applies nothing. The rules are in `spec/record-shapes.md`.
//!
//! | file | what |
//! |---|---|
//! | `sniff/walk.rs` | follows one hypothesis, and weighs its headers against chance |
//! | `sniff/fixed.rs` | records of one length: the period in which blanks and digits come again |
//! | `sniff/columns.rs` | the same where nothing is filled with blanks: what kinds of bytes each column has |
//! | `sniff/tape.rs` | what is in the blocks of a tape image, and which data sets its labels name |

mod columns;
mod fixed;
mod tape;
mod walk;

use super::{DataSet, Shape, TapeFile};
use crate::error::Error;
use std::fmt;
use walk::{Pairs, Walk};

/// How much of an input is looked at, in bytes: 1 MiB. A prefix of 64 KiB will do for records of a usual length.
pub const SNIFFED: usize = 1 << 20;

/// One shape that the input may have, and how far it does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hypothesis {
    /// The shape.
    pub shape: Shape,
    /// Whether it fits all that was looked at, with evidence that this is no accident, and no other explains more.
    pub survives: bool,
    /// How many records fit, whole ones.
    pub records: u64,
    /// How many bytes fit from the beginning.
    pub bytes: u64,
    /// Why it fits no further.
    pub failed: Option<Error>,
    /// What speaks for it and against it, a phrase each.
    pub why: Vec<String>,
}

/// Every hypothesis on an input that begins with `prefix`, survivors first, then by how far they fit. `eof`: the
/// prefix is all of it. No more than [`SNIFFED`] bytes are looked at.
///
/// ```
/// use charpipe::records::{Shape, sniff};
///
/// let record = b"\x00\x0A\x00\x00\xC1\xC2\xC3\x40\xF1\xF2";
/// let found = sniff(&record.repeat(50), true);
/// assert!(found[0].survives && found[0].shape == Shape::RDW && found[0].records == 50);
/// assert!(!found[1].survives);
/// ```
pub fn sniff(prefix: &[u8], eof: bool) -> Vec<Hypothesis> {
    look(prefix, eof, None).hypotheses
}

/// The shape of the records of an input that begins with `prefix`; see [`sniff`].
///
/// # Errors
/// All hypotheses, where none survives, or more than one does.
pub fn sniff_one(prefix: &[u8], eof: bool) -> Result<Shape, Vec<Hypothesis>> {
    let found = look(prefix, eof, None);
    found.shape().map_err(|_| found.hypotheses)
}

/// What the first bytes of an input tell about its records.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sniffed {
    /// Every hypothesis, survivors first, then by how far they fit.
    pub hypotheses: Vec<Hypothesis>,
    /// The data sets of a tape with standard labels, as far as their labels were seen.
    pub data_sets: Vec<DataSet>,
    /// The file of the tape that was asked for.
    file: Option<TapeFile>,
    is_tape: bool,
}

/// Why an input has no shape of records that is sure. [`code`](Self::code) is a short name that does not change.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NoShape {
    /// No shape fits.
    None,
    /// Several do.
    Several(Vec<Shape>),
    /// It is a tape with several data sets, of which none was chosen.
    DataSets(Vec<DataSet>),
    /// It is a tape without the file that was chosen, as far as it was looked at.
    NoFile(TapeFile),
    /// A file of a tape was chosen, and it is no tape.
    NoTape,
}

impl NoShape {
    /// `no-record-shape`, `record-shape-ambiguous`, `several-data-sets`, `no-tape-file` or `not-a-tape`.
    pub fn code(&self) -> &'static str {
        match self {
            NoShape::None => "no-record-shape",
            NoShape::Several(_) => "record-shape-ambiguous",
            NoShape::DataSets(_) => "several-data-sets",
            NoShape::NoFile(_) => "no-tape-file",
            NoShape::NoTape => "not-a-tape",
        }
    }
}

impl fmt::Display for NoShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |items: Vec<String>, by: &str| items.join(by);
        match self {
            NoShape::None => f.write_str("no shape of records fits"),
            NoShape::Several(shapes) => {
                let shapes = shapes.iter().map(Shape::to_string).collect();
                write!(f, "several shapes of records fit: {}", listed(shapes, ", "))
            }
            NoShape::DataSets(all) => {
                let sets = all.iter().map(DataSet::to_string).collect();
                write!(f, "the tape has {} data sets: {}", all.len(), listed(sets, "; "))
            }
            NoShape::NoFile(file) => write!(f, "the tape has no file {file}"),
            NoShape::NoTape => f.write_str("only a tape image has files to choose from, and this is none"),
        }
    }
}

impl Sniffed {
    /// The one shape that survives.
    ///
    /// # Errors
    /// Why there is none, or not one alone.
    pub fn shape(&self) -> Result<Shape, NoShape> {
        if let Some(file) = &self.file {
            let is_it = |set: &DataSet| *file == TapeFile::Number(set.file) || file.is(&set.name);
            let is_labelled = !self.data_sets.is_empty();
            match self.is_tape {
                false => return Err(NoShape::NoTape),
                true if is_labelled && !self.data_sets.iter().any(is_it) => return Err(NoShape::NoFile(file.clone())),
                true => {}
            }
        } else if self.data_sets.len() > 1 {
            return Err(NoShape::DataSets(self.data_sets.clone()));
        }
        let mut survivors = self.hypotheses.iter().filter(|one| one.survives).map(|one| one.shape.clone());
        match (survivors.next(), survivors.next()) {
            (None, _) => Err(NoShape::None),
            (Some(only), None) => Ok(only),
            (Some(first), Some(second)) => {
                Err(NoShape::Several([first, second].into_iter().chain(survivors).collect()))
            }
        }
    }
}

/// Returns all that the first bytes of an input tell about its records: [`sniff`], and the data sets of a tape. `file`
/// chooses one of them. `eof`: the prefix is all of the input. No more than [`SNIFFED`] bytes are looked at; a caller
/// who reads one byte more knows whether that was all.
///
/// ```
/// use charpipe::records::{NoShape, Shape, look};
///
/// let record = b"\x00\x0A\x00\x00\xC1\xC2\xC3\x40\xF1\xF2";
/// assert_eq!(look(&record.repeat(50), true, None).shape(), Ok(Shape::RDW));
/// assert_eq!(look(b"no records", true, None).shape(), Err(NoShape::None));
/// ```
pub fn look(prefix: &[u8], eof: bool, file: Option<&TapeFile>) -> Sniffed {
    let (prefix, eof) = match prefix.get(..SNIFFED) {
        Some(head) => (head, eof && prefix.len() == SNIFFED),
        None => (prefix, eof),
    };
    let pairs = Pairs::of(prefix);
    let mut framed: Vec<Walk> = framings().into_iter().map(|shape| Walk::new(prefix, eof, &shape, &pairs)).collect();
    let tape = tape::walk(prefix, eof, file);
    let is_tape = tape.is_some();
    let (walk, data_sets) = tape.map_or((None, Vec::new()), |tape| (Some(tape.walk), tape.data_sets));
    framed.extend(walk);
    settle(&mut framed);
    // A framing that breaks off late is a framing all the same, and its lengths, alike, make a period.
    let framing = framed.iter().find(|walk| walk.fits || walk.is_convincing(prefix.len()));
    let fixed = fixed::sniff(prefix, eof, framing.map(|walk| &walk.shape));
    // The headers of a tape are checked one by one: where they are, nothing else is meant.
    let is_framed = |shape: &Shape| is_tape && !matches!(shape, Shape::AwsTape { .. });
    framed.retain(|walk| walk.fits || !is_framed(&walk.shape));
    let fixed = fixed.into_iter().filter(|one| !is_framed(&one.shape));
    let mut hypotheses: Vec<Hypothesis> = framed.into_iter().map(Walk::into_hypothesis).chain(fixed).collect();
    hypotheses.sort_by_key(|one| (!one.survives, std::cmp::Reverse(one.bytes)));
    Sniffed { hypotheses, data_sets, file: file.cloned(), is_tape }
}

/// The framings that need no further number; tapes and fixed lengths have files of their own.
fn framings() -> [Shape; 9] {
    let rdw = |little, inclusive| Shape::Rdw { little, inclusive };
    let blksize = super::MAX_BLKSIZE;
    [
        Shape::Vb { blksize },
        Shape::Vbs { blksize },
        rdw(false, true),
        rdw(false, false),
        rdw(true, true),
        rdw(true, false),
        Shape::U32,
        Shape::U16,
        Shape::ModeB,
    ]
}

/// Of framings that lie in one another, one is meant.
fn settle(framed: &mut [Walk]) {
    let fits = |framed: &[Walk], which: fn(&Shape) -> bool| framed.iter().any(|walk| walk.fits && which(&walk.shape));
    let drop = |framed: &mut [Walk], which: fn(&Shape) -> bool, why: &str| {
        for walk in framed.iter_mut().filter(|walk| walk.fits && which(&walk.shape)) {
            walk.fits = false;
            walk.why.push(why.to_owned());
        }
    };
    let is_blocks = |shape: &Shape| matches!(shape, Shape::Vb { .. } | Shape::Vbs { .. });
    if fits(framed, |shape| matches!(shape, Shape::Vb { .. })) {
        drop(framed, |shape| matches!(shape, Shape::Vbs { .. }), "no segment is spanned: that is vb");
    }
    if fits(framed, is_blocks) {
        drop(framed, |shape| matches!(shape, Shape::Rdw { .. }), "what it takes for records are blocks of records");
    }
    if fits(framed, |shape| *shape == Shape::U32) {
        drop(framed, |shape| *shape == Shape::U16, "every other record is empty: that is u32");
    }
    // What explains much less is an accident, beside what explains more.
    let best = framed.iter().filter(|walk| walk.fits).map(|walk| walk.evidence).fold(0.0, f64::max);
    for walk in framed.iter_mut().filter(|walk| walk.fits && walk.evidence < best / 2.0) {
        walk.fits = false;
        walk.why.push("another shape explains more".to_owned());
    }
}
