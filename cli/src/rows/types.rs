//! Record types: the alternatives of which one applies to each record.

use charpipe::fields::Layout;

/// Returns the items that can be the type of a record, in order: the alternatives with a condition that share the place
/// of the first such item, or are adjacent to it. Alternatives inside of them, and other sets of alternatives, are no
/// types of the record.
pub(super) fn record_types(layout: &Layout) -> Vec<usize> {
    let Some(first) = layout.types().next() else { return Vec::new() };
    let place = |item| layout.redefined(item).unwrap_or(item);
    let shares_place =
        layout.redefined(first).is_some() || layout.types().any(|item| layout.redefined(item) == Some(first));
    let is_one = |item: &usize| {
        layout.parent(*item) == layout.parent(first)
            && match shares_place {
                true => place(*item) == place(first),
                false => layout.redefined(*item).is_none(),
            }
    };
    layout.types().filter(is_one).collect()
}
