//! Tests copybooks: any bytes are either a layout that is consistent, or an error at a place in the text. A comment at the
//! end of the text changes nothing.

#![no_main]

use charpipe::fields::{Copybook, CopybookForm, Layout};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for form in [CopybookForm::Auto, CopybookForm::Fixed, CopybookForm::Free] {
        let copybook = Copybook::new().form(form);
        let result = copybook.read(data);
        match &result {
            Ok(layout) => check(layout),
            Err(error) => {
                let lines = data.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
                assert!((1..=lines).contains(&error.line) && !error.what.is_empty(), "{error:?}");
            }
        }
        let commented = [data, b"\n      *> a comment\n"].concat();
        if form != CopybookForm::Auto && std::str::from_utf8(data).is_ok() {
            assert_eq!(copybook.read(&commented).ok(), result.ok());
        }
    }
});

/// Checks that every item is within the record.
fn check(layout: &Layout) {
    assert!(!layout.items().is_empty() && layout.min_len() <= layout.max_len());
    for item in 0..layout.items().len() {
        let end = layout.offset(item).unwrap_or(0) + layout.len_of(item);
        assert!(end <= layout.max_len(), "{}", layout.path(item));
    }
}
