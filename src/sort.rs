//! Sorting, with one copy of the code for all types: [`by`], [`by_key`].
//!
//! The standard library's sort is compiled again for each type and each order: 5 to 8 KB of code every time. That makes
//! it fast, and it stays in use where speed matters. Lists that are short or rarely sorted are sorted here.

use std::cmp::Ordering;

/// Sorts as `[T]::sort_by` does: equal items stay in the order in which they are.
pub(crate) fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut sources = order(items.len(), &|one, other| compare(&items[one], &items[other]));
    // Moves the items along each cycle of the permutation.
    for first in 0..items.len() {
        let mut at = first;
        loop {
            let source = std::mem::replace(&mut sources[at], at);
            if source == first {
                break;
            }
            items.swap(at, source);
            at = source;
        }
    }
}

/// Sorts as `[T]::sort_by_key` does: equal items stay in the order in which they are.
pub(crate) fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |one, other| key(one).cmp(&key(other)));
}

/// Returns the numbers from 0 to `len` - 1 in the order that `compare` gives them; equal ones in ascending order.
pub(crate) fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..len).collect();
    numbers.sort_by(|one, other| compare(*one, *other));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_the_sort_of_the_standard_library(keys in prop::collection::vec(0u8..8, 0..80)) {
            let items: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let (mut found, mut expected) = (items.clone(), items);
            by_key(&mut found, |(key, _)| *key);
            expected.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&found, &expected);
            by(&mut found, |one, other| other.cmp(one));
            expected.sort_by(|one, other| other.cmp(one));
            prop_assert_eq!(found, expected);
        }
    }
}
