//! Record types: the alternatives of which one applies to each record.

use crate::fields::Layout;

/// Returns the items that can be the type of a record, in order: the alternatives with a condition that share the place
/// of the first such item, or that follow it directly. Alternatives inside of them or in arrays, and other sets of
/// alternatives, are not types of the record.
pub(super) fn record_types(layout: &Layout) -> Vec<usize> {
    let is_in_array = |item: usize| {
        std::iter::successors(Some(item), |item| layout.parent(*item)).any(|item| layout.items()[item].occurs.is_some())
    };
    let Some(first) = layout.types().find(|item| !is_in_array(*item)) else { return Vec::new() };
    let is_type = |item: &usize| layout.items()[*item].when.is_some();
    let place = |item| layout.redefined(item).unwrap_or(item);
    let siblings = || layout.children(layout.parent(first));
    let shares_place = siblings().any(|item| item != first && place(item) == place(first));
    match shares_place {
        true => siblings().filter(is_type).filter(|item| place(*item) == place(first)).collect(),
        false => siblings().skip_while(|item| *item != first).take_while(is_type).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(list: &str) -> Vec<String> {
        let layout = Layout::from_field_list(list).unwrap();
        record_types(&layout).into_iter().map(|item| layout.path(item).to_owned()).collect()
    }

    #[test]
    fn only_the_first_set_of_alternatives() {
        let list = "K 1 1 text\nwhen K=A: ONE\nX 2 1 text\nwhen K=B: TWO\nY 2 1 text\nend\nZ 3 1 text\n\
                    when K=A: THREE\nV 4 1 text\nwhen otherwise: FOUR\nW 4 1 text\n";
        assert_eq!(types(list), ["ONE", "TWO"]);
        assert_eq!(types("A 1 1 text\n"), [""; 0]);
    }
}
