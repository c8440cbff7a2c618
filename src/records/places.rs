//! The positions of the data of records in the input: [`Places`].

/// Maps indexes of the data to bytes of the input, for each index at which the data does not simply continue (after a
/// header).
#[derive(Clone, Default, Debug)]
pub(crate) struct Places {
    pieces: Vec<(usize, u64)>,
}

impl Places {
    /// Notes that the data from `index` on begins at `offset` of the input.
    #[inline]
    pub(crate) fn push(&mut self, index: usize, offset: u64) {
        let is_next = |(from, begin): &(usize, u64)| begin + (index - from) as u64 == offset;
        if !self.pieces.last().is_some_and(is_next) {
            self.pieces.push((index, offset));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Adds the places of the data from `end` on to `next`, in which that data begins at 0.
    pub(crate) fn hand_over(&self, end: usize, next: &mut Places) {
        let from = self.pieces.partition_point(|(index, _)| *index <= end).saturating_sub(1);
        for (index, offset) in &self.pieces[from..] {
            let before = end.saturating_sub(*index);
            next.push(index.saturating_sub(end), offset + before as u64);
        }
    }

    pub(crate) fn as_slice(&self) -> &[(usize, u64)] {
        &self.pieces
    }
}

/// Returns where the byte with this index is, by the places of all pieces; 0 if there are none.
pub(crate) fn offset_of(pieces: &[(usize, u64)], index: usize) -> u64 {
    let place = pieces.partition_point(|(from, _)| *from <= index);
    match place.checked_sub(1).map(|place| pieces[place]) {
        Some((from, offset)) => offset + (index - from) as u64,
        None => 0,
    }
}
