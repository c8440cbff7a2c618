//! What columns have besides their values: which entries are null ([`Validity`]), and where entries of variable length
//! end ([`Ends`]). Both are kept as the stream has them.

/// A bit for each entry of a column, which is 0 if the entry is null.
#[derive(Clone, Default, Debug)]
pub(super) struct Validity {
    bits: Vec<u8>,
    len: usize,
    nulls: usize,
}

impl Validity {
    #[inline(always)]
    pub(super) fn push(&mut self, is_valid: bool) {
        let bit = u8::from(is_valid) << (self.len % 8);
        match self.bits.last_mut() {
            Some(last) if !self.len.is_multiple_of(8) => *last |= bit,
            _ => self.bits.push(bit),
        }
        self.len += 1;
        self.nulls += usize::from(!is_valid);
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.len += count;
        self.nulls += count;
        self.bits.resize(self.len.div_ceil(8), 0);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        let is_null = |index: &usize| self.bits[index / 8] >> (index % 8) & 1 == 0;
        self.nulls -= (len..self.len).filter(is_null).count();
        self.len = len;
        self.bits.truncate(len.div_ceil(8));
        if let Some(last) = self.bits.last_mut()
            && !len.is_multiple_of(8)
        {
            *last &= (1 << (len % 8)) - 1;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn nulls(&self) -> usize {
        self.nulls
    }

    /// Returns the bits; nothing if no entry is null.
    pub(super) fn as_bytes(&self) -> &[u8] {
        if self.nulls == 0 { &[] } else { &self.bits }
    }
}

/// Where each entry of a column ends: numbers of four bytes, of which the first one is 0.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    bytes: Vec<u8>,
    last: usize,
}

impl Ends {
    /// How many bytes an entry has here.
    pub(super) const WIDTH: usize = 4;

    pub(super) fn new() -> Self {
        Ends { bytes: vec![0; Ends::WIDTH], last: 0 }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, end: usize) {
        self.last = end;
        // A batch ends long before this is too large; see `RowArrow::MAX_BYTES`.
        self.bytes.extend_from_slice(&(end as u32).to_le_bytes());
    }

    /// Appends empty entries.
    pub(super) fn push_empty(&mut self, count: usize) {
        (0..count).for_each(|_| self.push(self.last));
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(Ends::WIDTH * (len + 1));
        self.last = self.bytes.last_chunk().map_or(0, |last| u32::from_le_bytes(*last) as usize);
    }

    /// Returns where the last entry ends.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_are_taken_back() {
        let mut validity = Validity::default();
        (0..21).for_each(|index| validity.push(index % 3 > 0));
        validity.push_nulls(10);
        assert_eq!((validity.len(), validity.nulls(), validity.as_bytes().len()), (31, 17, 4));
        for len in (0..31).rev() {
            validity.truncate(len);
            let mut fresh = Validity::default();
            (0..len).for_each(|index| fresh.push(index % 3 > 0 && index < 21));
            assert_eq!((validity.len(), validity.nulls(), &validity.bits), (fresh.len(), fresh.nulls(), &fresh.bits));
        }
        validity.push(true);
        assert_eq!((validity.bits.as_slice(), validity.as_bytes()), (&[1][..], &[][..]));

        let mut ends = Ends::new();
        [3, 3, 9].into_iter().for_each(|end| ends.push(end));
        ends.push_empty(2);
        ends.truncate(4);
        assert_eq!((ends.last(), ends.as_bytes().len()), (9, 20));
        ends.truncate(2);
        assert_eq!((ends.last(), ends.as_bytes()), (3, &[0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0][..]));
        ends.truncate(0);
        assert_eq!((ends.last(), ends.as_bytes()), (0, &[0; 4][..]));
    }
}
