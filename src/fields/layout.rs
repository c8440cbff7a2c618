//! The fields of a record and their positions: [`Layout`] and [`Item`].

use super::item::Item;
use super::kind::MAX_LEN;
use super::resolve::{self, Placed, Resolved};
use super::{BadLayout, Rule};

/// Describes a record: an ordered list of items, nested by their level numbers as in a COBOL copybook.
///
/// A layout is complete when it is made: names are unique, references are resolved, and each item has its place. It
/// comes from a copybook, from a field list, or from code:
///
/// ```
/// use charpipe::fields::{Item, FieldKind, Layout, Occurs, Packed, Zoned};
///
/// // 01 ORDER.
/// //    05 ID      PIC X(6).
/// //    05 LINES   PIC 9(2).
/// //    05 LINE    OCCURS 1 TO 20 TIMES DEPENDING ON LINES.
/// //       10 PRICE PIC S9(5)V99 COMP-3.
/// let layout = Layout::new(vec![
///     Item::group(1, "ORDER"),
///     Item::field(5, "ID", FieldKind::text(6)),
///     Item::field(5, "LINES", FieldKind::Zoned(Zoned::unsigned(2, 0))),
///     Item::group(5, "LINE").occurring(Occurs::depending_on(1, 20, "LINES")),
///     Item::field(10, "PRICE", FieldKind::Packed(Packed::new(7, 2))),
/// ])?;
/// assert_eq!((layout.min_len(), layout.max_len()), (12, 88));
/// let price = layout.find("PRICE")?;
/// assert_eq!((layout.path(price), layout.offset(price)), ("LINE.PRICE", Some(8)));
/// # Ok::<(), charpipe::fields::BadLayout>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    items: Vec<Item>,
    resolved: Resolved,
}

impl Layout {
    /// The length of the longest record that a layout can describe, in bytes.
    pub const MAX_LEN: usize = MAX_LEN;

    /// Makes a layout from its items.
    ///
    /// If the only item at the top is a group that is not an array, it is the record as a whole, and its name does not
    /// occur in paths. For several record descriptions (several levels 01 in a copybook), let all but the first
    /// redefine the first one; then their names are part of the paths.
    ///
    /// If two fields would have the same path, the second one gets `-2` appended to its name in the path, and so on.
    ///
    /// # Errors
    /// [`BadLayout`], with the index of the item: a level out of range; a field with subordinate items, or a group
    /// without any; a number without digits or with too many; a reference to an item that is not there, is ambiguous,
    /// or is in the wrong place; a record longer than [`MAX_LEN`](Self::MAX_LEN); a path of more than 4096 bytes, or
    /// more than 16 MiB of paths.
    pub fn new(items: Vec<Item>) -> Result<Self, BadLayout> {
        let resolved = resolve::resolve(&items)?;
        Ok(Layout { items, resolved })
    }

    /// Returns the items, in order. Indexes of items are indexes of this slice.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the name of the record, if its items belong to one group.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        let root = self.resolved.placed.first().filter(|first| first.is_record)?;
        debug_assert!(root.parent.is_none());
        self.items.first()?.name.as_deref()
    }

    /// Returns the length of the shortest record, in bytes: every array whose count varies has its smallest count.
    #[must_use]
    pub fn min_len(&self) -> usize {
        self.resolved.len.0
    }

    /// Returns the length of the longest record, in bytes. If it equals [`min_len`](Self::min_len), all records have
    /// the same length.
    #[must_use]
    pub fn max_len(&self) -> usize {
        self.resolved.len.1
    }

    /// Returns the path of an item, without the numbers of occurrences: `CUSTOMER.PHONE`.
    ///
    /// # Panics
    /// If there is no such item, as with all methods that take an index.
    #[must_use]
    pub fn path(&self, item: usize) -> &str {
        &self.resolved.placed[item].path
    }

    /// Returns the last part of an item's path: its name, with a number appended if it would not be unique. `None` for
    /// a group without a name, whose items belong to the paths of the group around it.
    #[must_use]
    pub fn key(&self, item: usize) -> Option<&str> {
        let Item { name, occurs, .. } = &self.items[item];
        let is_named = name.is_some() || occurs.is_some() || !self.items[item].is_group();
        (is_named && !self.resolved.placed[item].is_record).then(|| self.path(item).rsplit('.').next()).flatten()
    }

    /// Returns where an item begins in the record, in bytes from 0; in an array, its first occurrence. `None` if that
    /// depends on a count in the record.
    #[must_use]
    pub fn offset(&self, item: usize) -> Option<usize> {
        self.resolved.placed[item].offset
    }

    /// Returns the length of an item in bytes, of one occurrence if it is an array. If the length varies, it is the
    /// largest.
    #[must_use]
    pub fn len_of(&self, item: usize) -> usize {
        self.resolved.placed[item].len
    }

    /// Returns the group that an item belongs to.
    #[must_use]
    pub fn parent(&self, item: usize) -> Option<usize> {
        self.resolved.placed[item].parent
    }

    /// Returns how many groups an item is in.
    #[must_use]
    pub fn depth(&self, item: usize) -> usize {
        self.resolved.placed[item].depth
    }

    /// Returns the items of a group, or the items at the top for `None`; without the items of groups in it.
    pub fn children(&self, group: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let (mut next, end) = match group {
            None => (0, self.items.len()),
            Some(group) => (group + 1, self.resolved.placed[group].end),
        };
        std::iter::from_fn(move || {
            let child = next;
            next = self.resolved.placed.get(child).filter(|_| child < end)?.end;
            Some(child)
        })
    }

    /// Returns the item whose place this item shares; `None` if it redefines nothing.
    #[must_use]
    pub fn redefined(&self, item: usize) -> Option<usize> {
        self.resolved.placed[item].redefines
    }

    /// Returns the field that contains the count of an array; `None` if its count is fixed, or if it is not an array.
    #[must_use]
    pub fn counter(&self, item: usize) -> Option<usize> {
        self.resolved.placed[item].counter
    }

    /// Returns the record types: the items that have a condition, in order.
    pub fn types(&self) -> impl Iterator<Item = usize> + '_ {
        self.items.iter().enumerate().filter(|(_, item)| item.when.is_some()).map(|(index, _)| index)
    }

    /// Finds an item by its name or path, in any case. Groups can be left out of the path where that is not ambiguous,
    /// as in COBOL (`NAME OF CUSTOMER` is `CUSTOMER.NAME`).
    ///
    /// # Errors
    /// [`BadLayout`] if there is no such item, with similar names; or if there are several.
    pub fn find(&self, name: &str) -> Result<usize, BadLayout> {
        resolve::find(&self.resolved.placed, &self.resolved.names, name, None).map_err(|what| BadLayout::at(0, 0, what))
    }

    /// Returns the layout with a condition for one of its items.
    ///
    /// ```
    /// use charpipe::fields::{Item, FieldKind, Layout};
    ///
    /// let layout = Layout::new(vec![
    ///     Item::field(5, "TYPE", FieldKind::text(1)),
    ///     Item::field(5, "PERSON", FieldKind::text(20)),
    ///     Item::field(5, "COMPANY", FieldKind::text(20)).redefining("PERSON"),
    /// ])?;
    /// let layout = layout.apply(&"TYPE=P: PERSON".parse()?)?.apply(&"TYPE=C: COMPANY".parse()?)?;
    /// assert_eq!(layout.types().map(|item| layout.path(item)).collect::<Vec<_>>(), ["PERSON", "COMPANY"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BadLayout`] if the item or a field of the condition is not there, or if the item already has a condition.
    pub fn apply(self, rule: &Rule) -> Result<Layout, BadLayout> {
        let index = self.find(&rule.item)?;
        let mut items = self.items;
        let item = &mut items[index];
        if let Some(when) = &item.when {
            let what = format!("{} already has the condition {when}; separate values with commas: A=1,2", rule.item);
            return Err(BadLayout::in_item(index, what));
        }
        item.when = Some(rule.when.clone());
        Layout::new(items)
    }

    /// Returns the layout with a null indicator for one of its fields: the field has no value if the indicator is a
    /// negative number, or if its one byte is `FF` or a question mark. This is how Db2 writes null.
    ///
    /// A [`Reader`](super::Reader) reads [`Null`](super::Value::Null) then, and ignores the bytes of the field. A
    /// [`Writer`](super::Writer) needs no value for the field then, and fills it with spaces or zeros; a value is an
    /// error. Only [raw](super::Value::Raw) bytes are written as they are: they are those that the field had.
    ///
    /// ```
    /// use charpipe::fields::Layout;
    ///
    /// let layout = Layout::from_field_list("AMOUNT 1 3 packed.2\nAMOUNT-NULL 4 2 binary")?;
    /// let layout = layout.null_indicator("AMOUNT", "AMOUNT-NULL")?;
    /// assert_eq!(layout.items()[0].null_indicator.as_deref(), Some("AMOUNT-NULL"));
    /// # Ok::<(), charpipe::fields::BadLayout>(())
    /// ```
    ///
    /// # Errors
    /// [`BadLayout`] if one of the two is not there, or is a group; if the place of the indicator varies, and also its
    /// distance from the field; if it is neither an integer nor one byte; or if the field already has an indicator.
    pub fn null_indicator(self, field: &str, indicator: &str) -> Result<Layout, BadLayout> {
        let index = self.find(field)?;
        let mut items = self.items;
        if let Some(other) = items[index].null_indicator.replace(indicator.to_owned()) {
            return Err(BadLayout::in_item(index, format!("{field} already has the null indicator {other}")));
        }
        Layout::new(items)
    }

    /// Returns the path of an item with the numbers of occurrences: `CUSTOMER.PHONE[2]`. `at` has an occurrence for
    /// each array around the item and for the item itself, from 0, the outermost first. Arrays for which `at` has none
    /// appear without a number.
    ///
    /// ```
    /// use charpipe::fields::Layout;
    ///
    /// let layout = Layout::from_field_list("PHONE 1 4*2 text")?;
    /// assert_eq!(layout.path_at(0, &[1]), "PHONE[2]");
    /// # Ok::<(), charpipe::fields::BadLayout>(())
    /// ```
    #[must_use]
    pub fn path_at(&self, item: usize, at: &[usize]) -> String {
        let mut items: Vec<usize> = std::iter::successors(Some(item), |item| self.parent(*item)).collect();
        items.reverse();
        let (mut path, mut at) = (String::new(), at.iter());
        for item in items {
            if let Some(key) = self.key(item) {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(key);
            }
            if self.items[item].occurs.is_some()
                && let Some(occurrence) = at.next()
            {
                path.push_str(&format!("[{}]", occurrence + 1));
            }
        }
        path
    }

    /// Finds a field that has the same place in every record.
    pub(super) fn in_a_fixed_place(&self, name: &str) -> Result<usize, String> {
        resolve::in_a_fixed_place(&self.items, &self.resolved.placed, &self.resolved.names, name)
    }

    pub(super) fn placed(&self, item: usize) -> &Placed {
        &self.resolved.placed[item]
    }

    pub(super) fn has_fixed_place(&self, item: usize) -> bool {
        resolve::has_fixed_place(&self.items, &self.resolved.placed, item)
    }
}
