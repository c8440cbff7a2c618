//! Random numbers for tests, the same in each run.

/// The steps of Marsaglia's xorshift generator.
pub(in crate::codec) struct Dice(u64);

impl Dice {
    pub(in crate::codec) fn new() -> Self {
        Dice(0x9E37_79B9_7F4A_7C15)
    }

    /// Returns a number from 0 to `end`, without `end`.
    pub(in crate::codec) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }
}
