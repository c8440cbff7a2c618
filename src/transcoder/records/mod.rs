//! Records on their way through the transcoder: read from the input, shown to detection, written to the output.

pub(super) mod head;
pub(super) mod read;
pub(super) mod write;
