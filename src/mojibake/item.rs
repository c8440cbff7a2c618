//! A character that passes through the layers, and the damaged text that it came from.

/// A character on its way through the layers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) ch: char,
    /// Where the text begins that it stands for, in bytes. Negative: so far before the text that is being cut.
    pub(crate) begin: isize,
    /// The length of that text.
    pub(crate) len: u32,
    /// How often it was repaired.
    pub(super) depth: u8,
}

impl Item {
    /// A character of the text.
    pub(crate) fn new(ch: char, begin: usize) -> Self {
        Item { ch, begin: begin as isize, len: ch.len_utf8() as u32, depth: 0 }
    }

    /// The result for some characters.
    pub(super) fn joined(items: &[Item], ch: char) -> Self {
        let len = items.iter().map(|item| item.len).sum();
        Item { ch, begin: items[0].begin, len, depth: items[0].depth + 1 }
    }

    pub(crate) fn is_repaired(&self) -> bool {
        self.depth > 0
    }

    /// Whether it is what a layer of this depth looks at.
    pub(super) fn is_at(&self, depth: u8) -> bool {
        self.depth == depth
    }

    /// Whether it is a control that no one writes: the half of a repair whose other half is lost. It is not made.
    pub(crate) fn is_half(&self) -> bool {
        matches!(self.ch, '\u{80}'..='\u{9F}')
    }
}
