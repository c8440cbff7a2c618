//! Tests the Content-Type parser: no value breaks it, everything it returns occurs in the value, and a quoted charset
//! is the text between the quotes.

#![no_main]

use charpipe::detect::{ContentType, Hints, MediaKind, Policy};
use charpipe::{Detector, Registry};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

fuzz_target!(|data: &[u8]| {
    let value = String::from_utf8_lossy(data);
    let read = ContentType::parse(&value);
    let lower = value.to_lowercase();
    if let Some(essence) = &read.essence {
        assert!(!essence.is_empty() && lower.contains(&essence.to_lowercase()), "{essence:?}");
    }
    assert_eq!(read.essence.is_none(), read.kind() == MediaKind::Missing);
    if let Some(charset) = &read.charset {
        assert!(!charset.is_empty() && charset.trim() == charset, "{charset:?}");
        // After a backslash, a quoted character stands for itself.
        assert!(value.replace('\\', "").contains(&charset.replace('\\', "")), "{charset:?}");
        assert!(lower.contains("charset"));
        // Any charset can be written again, alone and in quotes, and is then read as the same charset.
        let quoted = charset.replace('\\', r"\\").replace('"', "\\\"");
        let again = ContentType::parse(&format!("text/xml; charset=\"{quoted}\""));
        assert_eq!(again.charset.as_ref(), Some(charset));
        assert_eq!(again.kind(), MediaKind::TextXml);
    }
    // A header line that was copied as a whole.
    if !lower.trim_start().starts_with("content-type") {
        assert_eq!(ContentType::parse(&format!("Content-Type: {value}")), read);
    }
    // Every policy returns a codec, or an error that says why not.
    for &policy in Policy::ALL {
        let mut hints = Hints::default();
        hints.policy = policy;
        hints.content_type = Some(value.clone().into_owned());
        let mut detector = Detector::new(REGISTRY.clone(), hints);
        detector.feed(b"<?xml version='1.0'?><a/>");
        let verdict = detector.finish();
        assert!(verdict.codec.is_some() || verdict.error.is_some());
    }
});
