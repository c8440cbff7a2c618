//! Decides how much of an exhaustive walk a test run does. With `CHARPIPE_FULL=1`, which `.ci/run` sets, every walk is
//! done in full. Without it, a walk visits a sample that depends only on its name, so that a failure can be repeated.
//!
//! A sample takes every boundary, and one in N of the rest; walks with different names start at different items. The
//! tests of the tables against their digests (`tables.rs`) visit every mapping of every page in both modes.

use charpipe::codec::table::TableShape;
use charpipe::{Codec, Registry};
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, LazyLock};

/// Returns whether walks are done in full.
pub fn is_full() -> bool {
    std::env::var_os("CHARPIPE_FULL").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Returns a number below `n` that depends on the name of the walk (FNV-1a).
fn start(walk: &str, n: usize) -> usize {
    let hash = walk
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    (hash >> 16) as usize % n
}

/// Returns every item in a full run, and otherwise one in `n`. There should be at least `n` items, or the sample may be
/// empty.
pub fn one_in<I: IntoIterator>(n: usize, walk: &str, items: I) -> impl Iterator<Item = I::Item> + use<I> {
    let n = if is_full() { 1 } else { n };
    items.into_iter().skip(start(walk, n)).step_by(n)
}

/// Returns every item in a full run, and otherwise the items for which `is_boundary` holds and one in `n` of the
/// others.
fn boundaries_and_one_in<I: Iterator, F: Fn(&I::Item) -> bool>(
    n: usize,
    walk: &str,
    items: I,
    is_boundary: F,
) -> impl Iterator<Item = I::Item> + use<I, F> {
    let n = if is_full() { 1 } else { n };
    let start = start(walk, n);
    items.enumerate().filter(move |(index, item)| index % n == start || is_boundary(item)).map(|(_, item)| item)
}

/// Returns the code points of Unicode without the surrogates, in order. A sample has the first and the last code point
/// of each block of 256, all of the first block, and one in 97 of the rest, so at least two of every block.
pub fn scalars(walk: &str) -> impl Iterator<Item = char> + use<> {
    let all = (0..0x11_0000).filter_map(char::from_u32);
    boundaries_and_one_in(97, walk, all, |ch| *ch < '\u{100}' || matches!(*ch as u32 & 0xFF, 0 | 0xFF))
}

/// Returns the pairs of bytes, in order. A sample has the first and the last pair of each lead byte, and one in 17 of
/// the rest.
pub fn pairs(walk: &str) -> impl Iterator<Item = [u8; 2]> + use<> {
    let all = (0..=0xFFFF_u16).map(u16::to_be_bytes);
    boundaries_and_one_in(17, walk, all, |pair| matches!(pair[1], 0 | 0xFF))
}

/// A codec, and which shape its table has, if it has a table.
type CodecAndShape = (Arc<dyn Codec>, Option<Discriminant<TableShape>>);

/// Returns the built-in codecs. A sample has every codec that is not made from a table, the first page of each shape,
/// and one in 8 of the other pages, which run the same code.
pub fn codecs(walk: &str) -> Vec<Arc<dyn Codec>> {
    /// The codecs, and the shapes of those that are made from tables. To unpack all tables takes a while.
    static CODECS: LazyLock<Vec<CodecAndShape>> = LazyLock::new(|| {
        let shape = |codec: &Arc<dyn Codec>| codec.info().table().map(|table| discriminant(&table.shape));
        Registry::builtin().codecs().map(|codec| (codec.clone(), shape(codec))).collect()
    });
    let n = if is_full() { 1 } else { 8 };
    let start = start(walk, n);
    let (mut shapes, mut pages) = (Vec::new(), 0);
    let mut taken = Vec::new();
    for (codec, shape) in &*CODECS {
        let is_new = !shapes.contains(shape);
        if is_new {
            shapes.push(*shape);
        }
        pages += usize::from(shape.is_some());
        if is_new || shape.is_none() || pages % n == start {
            taken.push(codec.clone());
        }
    }
    taken
}

/// Returns a number of repetitions: `full`, or a tenth of it.
pub fn tenth(full: usize) -> usize {
    if is_full() { full } else { full / 10 }
}

/// Returns the number of cases of a property test: `full`, or a quarter of it.
pub fn cases(full: u32) -> u32 {
    if is_full() { full } else { full.div_ceil(4) }
}
