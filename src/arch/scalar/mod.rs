//! No instruction set in particular: what runs where there is no other, and tells the others right from wrong.

pub(super) mod bytes;
pub(super) mod lanes;
pub(super) mod utf8;
