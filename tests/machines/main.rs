//! Those tests of `it` that can differ on a machine with another order of bytes, or with shorter pointers. `.ci/machines`
//! runs them there by themselves, as all of `it` takes minutes to build. `cargo test` leaves them to `it`.

#![allow(dead_code, reason = "the modules in `common` serve other tests too")]

#[path = "../it/common/mod.rs"]
mod common;
#[path = "../it/offsets.rs"]
mod offsets;
#[path = "../it/record_runs.rs"]
mod record_runs;
#[path = "../it/records.rs"]
mod records;
#[path = "../it/unicode_forms.rs"]
mod unicode_forms;

/// Counts allocations; see `common::work`.
#[global_allocator]
static ALLOCATOR: common::work::Counting = common::work::Counting;
