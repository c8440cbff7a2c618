//! The headings that group the options in the help, in the order of their appearance.

pub(super) const ENCODING: &str = "Encoding";
pub(super) const DETECTION: &str = "Detection";
pub(super) const ERRORS: &str = "Errors";
pub(super) const DOCUMENT: &str = "Document";
pub(super) const NEWLINES: &str = "Newlines and control characters";
pub(super) const FILES: &str = "Files";
pub(super) const MESSAGES: &str = "Messages";
pub(super) const RECORDS: &str = "Records";
pub(super) const LAYOUT: &str = "Layout";
pub(super) const ROWS: &str = "Rows";
