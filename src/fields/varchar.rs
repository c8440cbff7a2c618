//! Text with a length before it: [`Layout::varchars`].

use super::kind::Text;
use super::{BadLayout, Binary, ByteOrder, FieldKind, Item, Layout};

/// The level of the two items of a `VARCHAR` in the declarations that Db2 generates.
const LEVEL: u8 = 49;

impl Layout {
    /// Returns the layout with a field of [varying text](Text::varying) in place of each group of a length and a text
    /// at level 49, as Db2 (`DCLGEN`) declares a `VARCHAR`. The field has the name of the group.
    ///
    /// ```
    /// use charpipe::fields::{Copybook, Layout};
    ///
    /// let copybook = b"       01  R.
    ///        10 NAME.
    ///           49 NAME-LEN   PIC S9(4) USAGE COMP.
    ///           49 NAME-TEXT  PIC X(30).
    /// ";
    /// let layout = Layout::read(copybook, &Copybook::new())?.varchars()?;
    /// let name = layout.find("NAME")?;
    /// assert_eq!(layout.items()[name].kind.as_ref().unwrap().to_string(), "text,varying");
    /// # Ok::<(), charpipe::fields::BadLayout>(())
    /// ```
    ///
    /// # Errors
    /// [`BadLayout`] if the layout refers to one of the two items, which are fields no more.
    pub fn varchars(self) -> Result<Layout, BadLayout> {
        let mut items = Vec::new();
        let mut rest = self.items().iter().enumerate();
        while let Some((index, item)) = rest.next() {
            match self.varchar(index) {
                Some(text) => {
                    rest.nth(1);
                    let picture = format!("VARCHAR({})", text.len);
                    items.push(Item { kind: Some(FieldKind::Text(text)), picture, ..item.clone() });
                }
                None => items.push(item.clone()),
            }
        }
        if items.len() == self.items().len() { Ok(self) } else { Layout::new(items) }
    }

    /// Returns the text of the group `index`, if it consists of a length and a text.
    fn varchar(&self, index: usize) -> Option<Text> {
        let group = &self.items()[index];
        let [length, text] = self.items().get(index + 1..index + 3)? else { return None };
        let is_whole = self.children(Some(index)).eq([index + 1, index + 2]);
        let is_plain = |item: &Item| {
            item.level == LEVEL && item.occurs.is_none() && item.redefines.is_none() && item.when.is_none()
        };
        let is_length =
            matches!(length.kind, Some(FieldKind::Binary(Binary { len: 2, scale: 0, order: ByteOrder::Big, .. })));
        match &text.kind {
            Some(FieldKind::Text(text_kind)) if group.is_group() && is_whole && is_length => {
                (is_plain(length) && is_plain(text)).then(|| Text { varying: true, ..text_kind.clone() })
            }
            _ => None,
        }
    }
}
