//! Which shape the records of a file have: every hypothesis is followed through the first bytes, and what is left over
//! is the answer. It reports; it applies nothing. The rules are in `spec/record-shapes.md`.
//!
//! | file | what |
//! |---|---|
//! | `sniff/walk.rs` | follows one hypothesis, and weighs its headers against chance |
//! | `sniff/fixed.rs` | records of one length: the period in which blanks and digits come again |
//! | `sniff/tape.rs` | what is in the blocks of a tape image |

mod fixed;
mod tape;
mod walk;

use super::Shape;
use crate::error::Error;
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
    let (prefix, eof) = match prefix.get(..SNIFFED) {
        Some(head) => (head, eof && prefix.len() == SNIFFED),
        None => (prefix, eof),
    };
    let pairs = Pairs::of(prefix);
    let mut framed: Vec<Walk> = framings().into_iter().map(|shape| Walk::new(prefix, eof, &shape, &pairs)).collect();
    framed.extend(tape::walk(prefix, eof));
    settle(&mut framed);
    // A framing that breaks off late is a framing all the same, and its lengths, alike, make a period.
    let framing = framed.iter().find(|walk| walk.fits || walk.is_convincing(prefix.len()));
    let fixed = fixed::sniff(prefix, eof, framing.map(|walk| &walk.shape));
    let mut found: Vec<Hypothesis> = framed.into_iter().map(Walk::into_hypothesis).chain(fixed).collect();
    found.sort_by_key(|one| (!one.survives, std::cmp::Reverse(one.bytes)));
    found
}

/// The shape of the records of an input that begins with `prefix`; see [`sniff`].
///
/// # Errors
/// All hypotheses, where none survives, or more than one does.
pub fn sniff_one(prefix: &[u8], eof: bool) -> Result<Shape, Vec<Hypothesis>> {
    let found = sniff(prefix, eof);
    match &found[..] {
        [only, rest @ ..] if only.survives && !rest.iter().any(|one| one.survives) => Ok(only.shape.clone()),
        _ => Err(found),
    }
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
