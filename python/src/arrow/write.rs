//! From batches to records.
