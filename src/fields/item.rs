//! The items of a layout: [`Item`] and [`Occurs`].

use super::{FieldKind, When};

/// A group or a field of a [`Layout`](super::Layout).
///
/// The items of a layout are in the order of the copybook. An item belongs to the nearest item before it that has a
/// lower level number. An item without a kind is a group.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Item {
    /// The level number, 1 to 49.
    pub level: u8,
    /// The name as in the copybook; `None` for `FILLER`.
    pub name: Option<String>,
    /// How its bytes represent a value; `None` for a group.
    pub kind: Option<FieldKind>,
    /// How often it occurs; `None` for an item that is not an array.
    pub occurs: Option<Occurs>,
    /// The name of the item whose place it shares: one before it, in the same group.
    pub redefines: Option<String>,
    /// The condition under which it applies to a record.
    ///
    /// Items at the same position are alternatives, and so are adjacent items with conditions. If any of the
    /// alternatives has a condition, exactly one of them applies to each record: the first whose condition holds. Those
    /// without a condition never apply then. If no condition holds, the record has no known type, which is an error. If
    /// none of the alternatives has a condition, all apply.
    pub when: Option<When>,
    /// The name or path of the field that says whether this one has a value; see [`Layout::null_indicator`].
    ///
    /// [`Layout::null_indicator`]: super::Layout::null_indicator
    pub null_indicator: Option<String>,
    /// For a field that contains the count of an array: the count for each of its values. Values are compared as in a
    /// [`When`]; any other value is an error. If it is empty, the value itself is the count.
    pub count_map: Vec<(String, usize)>,
    /// Where it begins in the record, in bytes from 0; `None` if it follows the item before it. An item with a position
    /// can overlap others.
    pub at: Option<usize>,
    /// The picture and the usage as in the copybook, for display: `S9(7)V99 COMP-3`. Empty if there is none.
    pub picture: String,
}

/// How often an item occurs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Occurs {
    /// The smallest count.
    pub min: usize,
    /// The largest count.
    pub max: usize,
    /// The name or path of the field that contains the count, if the count varies. Then the items after the array move.
    /// The field precedes the array.
    pub depending_on: Option<String>,
}

impl Occurs {
    /// Returns an array that always has `count` occurrences.
    #[must_use]
    pub fn times(count: usize) -> Self {
        Occurs { min: count, max: count, depending_on: None }
    }

    /// Returns an array whose count is in the field `field`.
    #[must_use]
    pub fn depending_on(min: usize, max: usize, field: impl Into<String>) -> Self {
        Occurs { min, max, depending_on: Some(field.into()) }
    }
}

impl Item {
    fn new(level: u8, name: Option<String>, kind: Option<FieldKind>) -> Self {
        Item {
            level,
            name,
            kind,
            occurs: None,
            redefines: None,
            when: None,
            null_indicator: None,
            count_map: Vec::new(),
            at: None,
            picture: String::new(),
        }
    }

    /// Makes a group. The items of higher levels that follow belong to it.
    #[must_use]
    pub fn group(level: u8, name: impl Into<String>) -> Self {
        Item::new(level, Some(name.into()), None)
    }

    /// Makes a field.
    #[must_use]
    pub fn field(level: u8, name: impl Into<String>, kind: FieldKind) -> Self {
        Item::new(level, Some(name.into()), Some(kind))
    }

    /// Makes a `FILLER`: a group without a name if `kind` is `None`, a field without a name otherwise.
    #[must_use]
    pub fn filler(level: u8, kind: Option<FieldKind>) -> Self {
        Item::new(level, None, kind)
    }

    /// Returns the same item as an array.
    #[must_use]
    pub fn occurring(self, occurs: Occurs) -> Self {
        Item { occurs: Some(occurs), ..self }
    }

    /// Returns the same item at the place of the item named `name`.
    #[must_use]
    pub fn redefining(self, name: impl Into<String>) -> Self {
        Item { redefines: Some(name.into()), ..self }
    }

    /// Returns the same item with a condition.
    #[must_use]
    pub fn applying(self, when: When) -> Self {
        Item { when: Some(when), ..self }
    }

    /// Returns the same field with a map from its values to the count of an array.
    ///
    /// ```
    /// use charpipe::fields::{FieldKind, Item, Layout, Occurs};
    ///
    /// let layout = Layout::new(vec![
    ///     Item::field(5, "SIZE", FieldKind::text(1)).counting([("S", 1), ("L", 3)]),
    ///     Item::field(5, "PART", FieldKind::text(2)).occurring(Occurs::depending_on(0, 3, "SIZE")),
    /// ])?;
    /// assert_eq!(layout.max_len(), 7);
    /// # Ok::<(), charpipe::fields::BadLayout>(())
    /// ```
    #[must_use]
    pub fn counting<V: Into<String>>(self, counts: impl IntoIterator<Item = (V, usize)>) -> Self {
        Item { count_map: counts.into_iter().map(|(value, count)| (value.into(), count)).collect(), ..self }
    }

    /// Returns the same item with a position, in bytes from 0.
    #[must_use]
    pub fn at(self, offset: usize) -> Self {
        Item { at: Some(offset), ..self }
    }

    /// Returns the same item with a picture for display.
    #[must_use]
    pub fn picture(self, picture: impl Into<String>) -> Self {
        Item { picture: picture.into(), ..self }
    }

    /// Returns whether it is a group.
    #[must_use]
    pub fn is_group(&self) -> bool {
        self.kind.is_none()
    }
}
