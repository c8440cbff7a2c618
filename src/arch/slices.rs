//! Parts of slices that have a constant length.

/// Returns the `N` bytes of `src` from `at` on, if there are that many.
#[inline(always)]
pub(super) fn chunk<const N: usize>(src: &[u8], at: usize) -> Option<&[u8; N]> {
    src.get(at..)?.first_chunk()
}

/// Returns the `N` bytes of `dst` from `at` on, if there are that many.
#[inline(always)]
pub(super) fn chunk_mut<const N: usize>(dst: &mut [u8], at: usize) -> Option<&mut [u8; N]> {
    dst.get_mut(at..)?.first_chunk_mut()
}

/// Returns the `N` bytes of a block from `at` on. Panics if the block is shorter, which is a bug in the caller.
#[inline(always)]
pub(super) fn part<const N: usize>(block: &[u8], at: usize) -> &[u8; N] {
    block[at..].first_chunk().expect("within the block")
}

/// As [`part`], to be written to.
#[inline(always)]
pub(super) fn part_mut<const N: usize>(block: &mut [u8], at: usize) -> &mut [u8; N] {
    block[at..].first_chunk_mut().expect("within the block")
}
