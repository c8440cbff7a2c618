//! Tests fields: any record, by any layout, is read or is an error; a record that was read is written back byte for
//! byte, and a selection of its fields has the same values. Any text is a field list or an error with its place, and a
//! list that a layout becomes leads back to it.

#![no_main]

use charpipe::fields::Layout;
use charpipe_fuzz::check_bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Some((count, rest)) = data.split_first() {
        let (choices, record) = rest.split_at(rest.len().min(usize::from(*count)));
        check_bytes(choices, record);
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Layout::from_field_list(text) {
        Ok(layout) => {
            if let Ok(list) = layout.to_field_list() {
                let again = Layout::from_field_list(&list).unwrap_or_else(|error| panic!("{error}: {list}"));
                assert_eq!(again.to_field_list().as_ref(), Ok(&list));
            }
        }
        Err(error) => {
            assert!(error.line <= text.lines().count(), "{error}");
            assert!(
                error.line > 0 || text.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#')),
                "{error}"
            );
        }
    }
});
