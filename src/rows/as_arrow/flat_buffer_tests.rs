//! Reads FlatBuffers, for tests: [`Reader`].

/// Reads a FlatBuffer as a verifier does: every number has to be at a multiple of its length.
pub(in crate::rows) struct Reader<'a>(pub(in crate::rows) &'a [u8]);

impl<'a> Reader<'a> {
    /// Takes the metadata of the next message from a stream. `None` at the end of the stream.
    pub(in crate::rows) fn of_message(stream: &mut &'a [u8]) -> Option<Self> {
        assert_eq!(stream[..4], [0xFF; 4]);
        let len = u32::from_le_bytes(stream[4..8].try_into().unwrap()) as usize;
        let (message, rest) = stream[8..].split_at(len);
        assert_eq!(len % 8, 0, "what follows is at a multiple of eight");
        *stream = rest;
        (len > 0).then_some(Reader(message))
    }

    pub(in crate::rows) fn number<const N: usize>(&self, at: usize) -> usize {
        assert_eq!(at % N, 0, "a number of {N} bytes at {at}");
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&self.0[at..at + N]);
        u64::from_le_bytes(bytes) as usize
    }

    /// Returns where the offset at `at` leads.
    pub(in crate::rows) fn follow(&self, at: usize) -> usize {
        at + self.number::<4>(at)
    }

    /// Returns where the member of a table is, if the table has it.
    pub(in crate::rows) fn member(&self, table: usize, slot: usize) -> Option<usize> {
        let head = table - self.number::<4>(table);
        let (len, size) = (self.number::<2>(head), self.number::<2>(head + 2));
        let place = if 4 + 2 * slot < len { self.number::<2>(head + 4 + 2 * slot) } else { 0 };
        assert!(place < size, "a member outside of its table");
        (place > 0).then_some(table + place)
    }

    pub(in crate::rows) fn vector(&self, at: usize) -> impl Iterator<Item = usize> {
        let start = self.follow(at);
        (0..self.number::<4>(start)).map(move |index| self.follow(start + 4 + 4 * index))
    }

    /// Returns the pairs of a list of structs.
    pub(in crate::rows) fn pairs(&self, at: usize) -> Vec<[usize; 2]> {
        let start = self.follow(at);
        let of = |index| [0, 8].map(|member| self.number::<8>(start + 4 + 16 * index + member));
        (0..self.number::<4>(start)).map(of).collect()
    }

    pub(in crate::rows) fn text(&self, at: usize) -> &str {
        let start = self.follow(at);
        let end = start + 4 + self.number::<4>(start);
        assert_eq!(self.0[end], 0);
        std::str::from_utf8(&self.0[start + 4..end]).unwrap()
    }
}
