//! Groups that are also read as one text: [`Layout::group_texts`].

use super::{BadLayout, FieldKind, Item, Layout};

/// The name of the text of a group. No name of COBOL begins with an underscore.
const TEXT: &str = "_text";

impl Layout {
    /// Returns the layout with a field `_text` in each group with a name that consists of characters: the text of the
    /// whole group. Groups with binary, packed or floating-point numbers, with double-byte text or with arrays of varying
    /// length have none, and neither has the record as a whole.
    ///
    /// ```
    /// use charpipe::fields::{Copybook, Layout};
    ///
    /// let copybook = b"01 R.\n   05 DUE.\n      10 YEAR PIC 9(4).\n      10 MONTH PIC 9(2).\n";
    /// let layout = Layout::read(copybook, &Copybook::new())?.group_texts()?;
    /// let text = layout.find("DUE._text")?;
    /// assert_eq!((layout.offset(text), layout.len_of(text)), (Some(0), 6));
    /// assert_eq!(layout.offset(layout.find("DUE.MONTH")?), Some(4));
    /// # Ok::<(), charpipe::fields::BadLayout>(())
    /// ```
    ///
    /// # Errors
    /// [`BadLayout`] if there are too many levels.
    pub fn group_texts(self) -> Result<Layout, BadLayout> {
        let mut items = Vec::new();
        self.with_texts(None, 1, &mut items);
        if items.len() == self.items().len() { Ok(self) } else { Layout::new(items) }
    }

    /// Adds the items of a group, and the texts of the groups among them. The other items of a group with a text are in a
    /// group without a name that has the same place.
    fn with_texts(&self, group: Option<usize>, level: u8, items: &mut Vec<Item>) {
        for child in self.children(group) {
            items.push(Item { level, ..self.items()[child].clone() });
            let inner = level.saturating_add(1);
            if !self.is_one_text(child) {
                self.with_texts(Some(child), inner, items);
                continue;
            }
            items.push(Item::field(inner, TEXT, FieldKind::text(self.len_of(child))));
            items.push(Item::filler(inner, None).redefining(TEXT));
            self.with_texts(Some(child), inner.saturating_add(1), items);
        }
    }

    /// Returns whether an item is a group with a name, and characters are all that it contains.
    fn is_one_text(&self, item: usize) -> bool {
        let (group, placed) = (&self.items()[item], self.placed(item));
        let is_column = group.is_group() && group.name.is_some() && !placed.is_record;
        is_column && placed.min_len == placed.len && self.items()[item + 1..placed.end].iter().all(is_characters)
    }
}

/// Returns whether the bytes of an item are characters of the page of the record.
fn is_characters(item: &Item) -> bool {
    match &item.kind {
        Some(FieldKind::Text(text)) => text.page.is_none() && !text.double_byte && !text.varying,
        Some(kind) => matches!(kind, FieldKind::Zoned(_) | FieldKind::Edited(_)),
        None => true,
    }
}
