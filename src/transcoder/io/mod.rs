//! The shells on the [`Transcoder`](crate::Transcoder): the pump, readers and writers, values, and the same for tokio.

pub(super) mod adapters;
pub(super) mod pump;
#[cfg(feature = "tokio")]
pub mod tokio;
pub(super) mod value;
