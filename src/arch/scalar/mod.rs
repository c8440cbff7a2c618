//! Kernels without vectors: they run on machines that have no others, and are the reference for the others.

pub(super) mod bytes;
pub(super) mod lanes;
pub(super) mod utf8;
