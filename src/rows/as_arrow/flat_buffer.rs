//! FlatBuffers, the form of the metadata in a stream of Arrow, and the envelope of a message.

/// How a message of the stream begins, before its length.
const CONTINUATION: [u8; 4] = [0xFF; 4];

/// What ends a stream: a message without a length.
pub(in crate::rows) const END: [u8; 8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];

/// An offset that is not known yet.
pub(in crate::rows) const LATER: [u8; 4] = [0; 4];

/// The member of a `Message` with the version of the metadata.
pub(in crate::rows) const VERSION_5: [u8; 2] = [4, 0];

/// A FlatBuffer that grows at its end, so everything follows the offset that points to it. The first offset, that of the
/// root, is at 0.
pub(in crate::rows) struct Buffer(Vec<u8>);

impl Buffer {
    pub(in crate::rows) fn new() -> Self {
        Buffer(vec![0; 4])
    }

    /// Appends this as a message to a stream, filled up to a multiple of eight bytes.
    pub(in crate::rows) fn finish(mut self, stream: &mut Vec<u8>) {
        self.pad(8);
        stream.extend(CONTINUATION);
        stream.extend((self.0.len() as u32).to_le_bytes());
        stream.append(&mut self.0);
    }

    /// Appends zeros up to a multiple of `len` bytes.
    fn pad(&mut self, len: usize) {
        self.0.resize(self.0.len().next_multiple_of(len), 0);
    }

    /// Makes the offset at `at` point to the end.
    fn link(&mut self, at: usize) {
        let offset = ((self.0.len() - at) as u32).to_le_bytes();
        self.0[at..at + 4].copy_from_slice(&offset);
    }

    /// Appends a table, to which the offset at `at` points: how far each of its members stands from its beginning, and
    /// then the members, of 1, 2, 4 or 8 bytes; empty ones are left out. Returns where they are.
    pub(in crate::rows) fn put_table<const N: usize>(&mut self, at: usize, members: [&[u8]; N]) -> [usize; N] {
        let mut end = 4;
        let places = members.map(|member| {
            let place = if member.is_empty() { 0 } else { usize::next_multiple_of(end, member.len()) };
            end = end.max(place + member.len());
            place
        });
        // The table itself has to be at a multiple of its longest member.
        let longest = members.iter().map(|member| member.len()).max().unwrap_or(0).max(4);
        let head = 4 + 2 * N;
        self.0.resize((self.0.len() + head).next_multiple_of(longest) - head, 0);
        let words = [head, end].into_iter().chain(places);
        self.0.extend(words.flat_map(|word| (word as u16).to_le_bytes()));
        self.link(at);
        let start = self.0.len();
        self.0.extend((head as u32).to_le_bytes());
        for (place, member) in places.into_iter().zip(members) {
            if !member.is_empty() {
                self.0.resize(start + place, 0);
                self.0.extend(member);
            }
        }
        places.map(|place| start + place)
    }

    /// Appends a list of this many offsets, and returns where they are.
    pub(in crate::rows) fn put_vector(&mut self, at: usize, count: usize) -> impl Iterator<Item = usize> + use<> {
        self.pad(4);
        self.link(at);
        self.0.extend((count as u32).to_le_bytes());
        let start = self.0.len();
        self.0.resize(start + 4 * count, 0);
        (start..start + 4 * count).step_by(4)
    }

    /// Appends a list of structs, each of which has two numbers of eight bytes.
    pub(in crate::rows) fn put_pairs(&mut self, at: usize, pairs: &[[u64; 2]]) {
        // The numbers have to be at multiples of eight, after the four bytes of their count.
        self.0.resize((self.0.len() + 4).next_multiple_of(8) - 4, 0);
        self.link(at);
        self.0.extend((pairs.len() as u32).to_le_bytes());
        self.0.extend(pairs.iter().flatten().flat_map(|number| number.to_le_bytes()));
    }

    /// Appends a text, which ends with a NUL.
    pub(in crate::rows) fn put_text(&mut self, at: usize, text: &str) {
        self.pad(4);
        self.link(at);
        self.0.extend((text.len() as u32).to_le_bytes());
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::as_arrow::flat_buffer_tests::Reader;

    #[test]
    fn numbers_are_at_multiples_of_their_length() {
        // Beyond 32 bits where there are more.
        let far = 1_usize.checked_shl(40).unwrap_or(1 << 20);
        for names in ["", "A", "ABC", "ABCDEFG"] {
            let mut buffer = Buffer::new();
            let [_, text, list, _] = buffer.put_table(0, [&[7], &LATER, &LATER, &9_u64.to_le_bytes()]);
            buffer.put_text(text, names);
            buffer.put_pairs(list, &[[1, 2], [3, far as u64]]);
            let mut stream = Vec::new();
            buffer.finish(&mut stream);
            stream.extend(END);
            let mut rest = &stream[..];
            let reader = Reader::of_message(&mut rest).unwrap();
            assert!(Reader::of_message(&mut rest).is_none() && rest.is_empty());
            let root = reader.follow(0);
            let of = |slot| reader.member(root, slot).unwrap();
            assert_eq!((reader.number::<1>(of(0)), reader.text(of(1)), reader.number::<8>(of(3))), (7, names, 9));
            assert_eq!(reader.pairs(of(2)), [[1, 2], [3, far]]);
        }
    }
}
