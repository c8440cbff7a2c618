//! Counts the pairs of successive bytes in a window.

/// How often each pair of bytes occurs.
pub(super) enum PairCounts {
    /// The pairs as they occur: a short window has few, and clearing and reading the table would take longer than all
    /// else.
    Few(Vec<u16>),
    /// The count of each pair.
    Many(Vec<u32>),
}

/// The longest window whose pairs are listed, in bytes.
const MAX_LISTED: usize = 2048;

impl PairCounts {
    /// Makes empty counts for a window of `len` bytes.
    pub(super) fn new(len: usize) -> Self {
        if len <= MAX_LISTED {
            PairCounts::Few(Vec::with_capacity(len + 1))
        } else {
            PairCounts::Many(vec![0; 0x1_0000])
        }
    }

    #[inline]
    pub(super) fn add(&mut self, first: u8, second: u8) {
        let pair = u16::from_be_bytes([first, second]);
        match self {
            PairCounts::Few(pairs) => pairs.push(pair),
            PairCounts::Many(counts) => counts[usize::from(pair)] += 1,
        }
    }

    /// Calls `each` with each pair that occurs and its count, in the order of the pairs.
    pub(super) fn for_each(self, mut each: impl FnMut([u8; 2], u32)) {
        match self {
            PairCounts::Few(mut pairs) => {
                sort(&mut pairs);
                pairs
                    .chunk_by(|one, other| one == other)
                    .for_each(|same| each(same[0].to_be_bytes(), same.len() as u32));
            }
            PairCounts::Many(counts) => {
                let counted = (0u16..=0xFFFF).zip(counts).filter(|(_, count)| *count > 0);
                counted.for_each(|(pair, count)| each(pair.to_be_bytes(), count));
            }
        }
    }
}

/// Sorts pairs. For the few of a message, a call of any general sort would take longer.
fn sort(pairs: &mut [u16]) {
    if pairs.len() > MAX_INSERTED {
        return crate::sort::by_key(pairs, |pair| *pair);
    }
    for end in 1..pairs.len() {
        let pair = pairs[end];
        let place = pairs[..end].iter().rposition(|other| *other <= pair).map_or(0, |at| at + 1);
        pairs[place..=end].rotate_right(1);
    }
}

/// The most pairs that are sorted by insertion.
const MAX_INSERTED: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_do_not_depend_on_how_they_are_kept() {
        let bytes: Vec<u8> = (0..2000u32).map(|n| (n * n / 7) as u8).collect();
        let counted = |mut counts: PairCounts| {
            bytes.windows(2).for_each(|pair| counts.add(pair[0], pair[1]));
            let mut all = Vec::new();
            counts.for_each(|pair, count| all.push((pair, count)));
            all
        };
        let few = counted(PairCounts::new(MAX_LISTED));
        assert_eq!(few, counted(PairCounts::new(MAX_LISTED + 1)));
        assert!(few.is_sorted() && few.iter().map(|(_, count)| count).sum::<u32>() == 1999);
    }
}
