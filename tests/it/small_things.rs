//! Tests that small tasks allocate no more often than `common::small` allows.

use crate::common::small::all;
use crate::common::work::work_in;

#[test]
fn small_things_allocate_no_more_than_listed() {
    let mut wrong = Vec::new();
    // A label is found at once only if no other test has taken its place among those that were looked up.
    let depends_on_labels = |what: &str| matches!(what, "look-up of a label" | "detection");
    for mut small in all().into_iter().filter(|small| !depends_on_labels(small.what)) {
        // What is made once for many.
        (0..3).for_each(|_| (small.act)());
        let work = work_in(|| (0..10).for_each(|_| (small.act)()));
        if work.allocations > 10 * small.allocations {
            wrong.push(format!("{} ({}): {} in 10 calls", small.what, small.name, work.allocations));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
