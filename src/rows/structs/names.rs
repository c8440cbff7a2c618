//! Which field of a struct a name in a layout means.
//!
//! Names are the same if they have the same letters and digits, in any case: `order_id` is `ORDER-ID`. A field that has
//! exactly the name goes first. The names of [added columns](crate::rows::AddedColumn) begin with an underscore and
//! have to be given exactly.

/// Returns whether two names have the same letters and digits, in any case.
pub(super) fn same_name(a: &str, b: &str) -> bool {
    let folded = |name: &str| !name.starts_with('_');
    let letters =
        |name| str::bytes(name).filter(|byte| !matches!(byte, b'-' | b'_')).map(|byte| byte.to_ascii_lowercase());
    a == b || folded(a) && folded(b) && letters(a).eq(letters(b))
}

/// Returns the one of `wanted` that `name` means; `None` if there is none, or more than one.
pub(super) fn matching(name: &str, wanted: &'static [&'static str]) -> Option<&'static str> {
    if let Some(exact) = wanted.iter().find(|one| **one == name) {
        return Some(exact);
    }
    let mut found = wanted.iter().filter(|one| same_name(name, one));
    found.next().filter(|_| found.next().is_none()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_match() {
        assert_eq!(matching("ORDER-ID", &["id", "order_id"]), Some("order_id"));
        assert_eq!(matching("ORDER-ID", &["order_id", "ORDER-ID"]), Some("ORDER-ID"));
        assert_eq!(matching("ORDER-ID", &["order_id", "orderId"]), None);
        assert_eq!(matching("LINE-2", &["line2"]), Some("line2"));
        assert_eq!(matching("_number", &["number"]), None);
        assert_eq!(matching("NUMBER", &["_number", "number"]), Some("number"));
        assert_eq!(matching("_number", &["_number", "number"]), Some("_number"));
    }
}
