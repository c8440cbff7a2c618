//! Guesses the shape of a file's records. Every hypothesis is followed through the first bytes, and the one that
//! remains is the result. This module reports the guess; it does not apply it. The rules are in
//! `spec/record-shapes.md`.
//!
//! | file | contents |
//! |---|---|
//! | `sniff/walk.rs` | follows one hypothesis, and weighs its headers against chance |
//! | `sniff/fixed.rs` | fixed-length records: finds the period in which spaces and digits repeat |
//! | `sniff/columns.rs` | fixed-length records without padding: compares the kinds of bytes in each column |
//! | `sniff/hypothesis.rs` | [`Hypothesis`], [`Sniffed`] and [`NoShape`]: the results |
//! | `sniff/tape.rs` | finds the shape of the records in a tape image, and the data sets that its labels name |

mod columns;
mod fixed;
mod gcd;
mod hypothesis;
mod tape;
mod walk;

pub use hypothesis::{Hypothesis, NoShape, Sniffed};

use super::{Shape, TapeFile};
use walk::{Pairs, Walk};

/// How many bytes of an input are examined: 1 MiB. A prefix of 64 KiB is enough for records of a usual length.
pub const SNIFFED: usize = 1 << 20;

/// Returns everything that the first bytes of an input show about its records: the hypotheses about its shape, and the
/// data sets of a tape. `file` chooses one of the data sets. `eof`: the prefix is the whole input. At most [`SNIFFED`]
/// bytes are examined. To learn whether that was the whole input, the caller should read one byte more.
///
/// ```
/// use charpipe::records::{NoShape, Shape, look};
///
/// let record = b"\x00\x0A\x00\x00\xC1\xC2\xC3\x40\xF1\xF2";
/// let found = look(&record.repeat(50), true, None);
/// assert_eq!(found.shape(), Ok(Shape::RDW));
/// assert!(found.hypotheses[0].survives && found.hypotheses[0].records == 50);
/// assert!(!found.hypotheses[1].survives);
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
    resolve_nested(&mut framed);
    // A framing that fails late is a framing nevertheless, and its headers, when alike, form a period.
    let framing = framed.iter().find(|walk| walk.fits || walk.is_convincing(prefix.len()));
    let fixed = fixed::sniff(prefix, eof, framing.map(|walk| &walk.shape));
    // The headers of a tape are checked individually. If they are valid, no other shape is possible.
    let is_framed = |shape: &Shape| is_tape && !matches!(shape, Shape::AwsTape { .. });
    framed.retain(|walk| walk.fits || !is_framed(&walk.shape));
    let fixed = fixed.into_iter().filter(|one| !is_framed(&one.shape));
    let mut hypotheses: Vec<Hypothesis> = framed.into_iter().map(Walk::into_hypothesis).chain(fixed).collect();
    crate::sort::by_key(&mut hypotheses, |one| (!one.survives, std::cmp::Reverse(one.bytes)));
    Sniffed { hypotheses, data_sets, file: file.cloned(), is_tape }
}

/// Returns the framings without parameters. Tapes and fixed lengths have their own files.
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

/// Chooses one of several framings that are nested in one another.
fn resolve_nested(framed: &mut [Walk]) {
    let fits = |framed: &[Walk], which: fn(&Shape) -> bool| framed.iter().any(|walk| walk.fits && which(&walk.shape));
    let drop = |framed: &mut [Walk], which: fn(&Shape) -> bool, why: &str| {
        for walk in framed.iter_mut().filter(|walk| walk.fits && which(&walk.shape)) {
            walk.fits = false;
            walk.why.push(why.to_owned());
        }
    };
    let is_blocks = |shape: &Shape| matches!(shape, Shape::Vb { .. } | Shape::Vbs { .. });
    if fits(framed, |shape| matches!(shape, Shape::Vb { .. })) {
        drop(framed, |shape| matches!(shape, Shape::Vbs { .. }), "no record is spanned, so this is vb");
    }
    if fits(framed, is_blocks) {
        drop(framed, |shape| matches!(shape, Shape::Rdw { .. }), "its records are really blocks of records");
    }
    if fits(framed, |shape| *shape == Shape::U32) {
        drop(framed, |shape| *shape == Shape::U16, "every other record is empty, so this is u32");
    }
    // A shape that explains much less than another fits by accident.
    let best = framed.iter().filter(|walk| walk.fits).map(|walk| walk.evidence).fold(0.0, f64::max);
    for walk in framed.iter_mut().filter(|walk| walk.fits && walk.evidence < best / 2.0) {
        walk.fits = false;
        walk.why.push("the evidence for another shape is much stronger".to_owned());
    }
}
