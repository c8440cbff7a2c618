//! How to handle data that does not fit into a record: [`OnOverlong`].

use crate::words::words;

/// How to handle excess data: text whose encoded bytes are too long for the output record, or a record that is longer
/// than its [layout](crate::fields::ReadOptions::overlong).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnOverlong {
    /// Fails with [`ErrorKind::RecordTooLong`](crate::ErrorKind::RecordTooLong). Spaces at the end of a fixed record do
    /// not count towards its length. If the input consists of records too, a final shift-in does not count either,
    /// because an input record that was cut inside its double-byte text has none. Fields have
    /// [`Problem::RecordTooLong`](crate::fields::Problem::RecordTooLong).
    #[default]
    Fail,
    /// Cuts text between two characters, so that the record ends in the initial shift state. Bytes that a layout does
    /// not describe are dropped.
    Cut,
}

words! { OnOverlong { Fail: "fail", Cut: "cut" } }
