//! Parts of slices, of a length that the compiler knows.

/// The `N` bytes of `src` from `at` on, where it has them.
#[inline(always)]
pub(super) fn chunk<const N: usize>(src: &[u8], at: usize) -> Option<&[u8; N]> {
    src.get(at..)?.first_chunk()
}

/// The `N` bytes of `dst` from `at` on, where it has them.
#[inline(always)]
pub(super) fn chunk_mut<const N: usize>(dst: &mut [u8], at: usize) -> Option<&mut [u8; N]> {
    dst.get_mut(at..)?.first_chunk_mut()
}

/// Part of a block: `N` bytes from `at` on. What is not there is the caller's mistake, and panics.
#[inline(always)]
pub(super) fn part<const N: usize>(block: &[u8], at: usize) -> &[u8; N] {
    block[at..].first_chunk().expect("within the block")
}

/// The same, to be written.
#[inline(always)]
pub(super) fn part_mut<const N: usize>(block: &mut [u8], at: usize) -> &mut [u8; N] {
    block[at..].first_chunk_mut().expect("within the block")
}
