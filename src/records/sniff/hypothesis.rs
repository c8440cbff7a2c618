//! Findings about the shape of an input: [`Hypothesis`], [`Sniffed`] and [`NoShape`].

use crate::error::Error;
use crate::records::{DataSet, Shape, TapeFile};
use std::fmt;

/// A shape that the input may have, and how far it fits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hypothesis {
    /// The shape.
    pub shape: Shape,
    /// Whether the shape survives: it fits everything examined, the evidence rules out chance, and no other shape
    /// explains more.
    pub survives: bool,
    /// How many whole records fit.
    pub records: u64,
    /// How many bytes fit, from the beginning.
    pub bytes: u64,
    /// The error at the point where it stops fitting.
    pub failed: Option<Error>,
    /// The evidence for and against it, one phrase each.
    pub why: Vec<String>,
}

/// The findings about the records of an input, from its first bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sniffed {
    /// All hypotheses: survivors first, then by how far they fit.
    pub hypotheses: Vec<Hypothesis>,
    /// The data sets of a tape with standard labels, if their labels are within the bytes examined.
    pub data_sets: Vec<DataSet>,
    /// The file of the tape that the caller chose.
    pub(super) file: Option<TapeFile>,
    pub(super) is_tape: bool,
}

/// Why an input has no certain record shape. [`code`](Self::code) returns a short code that never changes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NoShape {
    /// No shape fits.
    None,
    /// Several shapes fit.
    Several(Vec<Shape>),
    /// The input is a tape with several data sets, and none was chosen.
    DataSets(Vec<DataSet>),
    /// The input is a tape, and the chosen file is not within the bytes examined.
    NoFile(TapeFile),
    /// A file of a tape was chosen, but the input is not a tape.
    NoTape,
}

impl NoShape {
    /// Returns `no-record-shape`, `record-shape-ambiguous`, `several-data-sets`, `no-tape-file` or `not-a-tape`.
    #[must_use]
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

impl std::error::Error for NoShape {}

impl fmt::Display for NoShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |items: Vec<String>, by: &str| items.join(by);
        match self {
            NoShape::None => f.write_str("no record shape fits"),
            NoShape::Several(shapes) => {
                let shapes = shapes.iter().map(Shape::to_string).collect();
                write!(f, "several record shapes fit: {}", listed(shapes, ", "))
            }
            NoShape::DataSets(all) => {
                let sets = all.iter().map(DataSet::to_string).collect();
                write!(f, "the tape has {} data sets: {}", all.len(), listed(sets, "; "))
            }
            NoShape::NoFile(file) => write!(f, "the tape has no file {file}"),
            NoShape::NoTape => {
                f.write_str("only a tape image has files to choose from, and this input is not a tape image")
            }
        }
    }
}

impl Sniffed {
    /// Returns the only shape that survives.
    ///
    /// # Errors
    /// Why there is no shape, or more than one.
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
