//! charpipe takes any byte stream, works out what it is encoded in, and streams it out in UTF-8 or any other charset,
//! in one pass and constant memory, without guessing silently and without leaving a lie behind: the document's own
//! label is made true again.
//!
//! ```
//! // `<?xml version='1.0' encoding='IBM1047'?>`, a newline of z/OS, and `<a>[é]</a>`, in EBCDIC.
//! let input = include_bytes!("../examples/data/hello-ibm1047.xml");
//! let mut output = Vec::new();
//! charpipe::transcode(&input[..], &mut output)?;
//! assert!(output.starts_with(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! # The way of one byte
//!
//! ```text
//! bytes ─ detect ─┐
//!   │             └─ registry: label → codec
//!   └─ [records in] ─ decoder ──── text stages ──── encoder ─ [records out] ─ bytes
//!                     bytes→str    relabel, eol,    str→bytes
//!                                  controls
//! ```
//!
//! | module | what | may use |
//! |---|---|---|
//! | `arch` | vector kernels: the inner loops of the codecs | nothing |
//! | [`codec`] | charsets and their machines | its errors, `arch` |
//! | [`registry`] | from label to codec | `codec` |
//! | [`detect`] | what is it encoded in, and how do you know | `registry` |
//! | [`records`] | records of mainframes: their framings, both ways, and which a file has | its errors |
//! | `text` | stages between decoder and encoder, XML's places for references | nothing |
//! | [`transcoder`] | holds it all, without I/O; `transcode`, `decode` and the adapters on top | all of the above |
//! | `cli` | the command (feature `cli`) | [`transcoder`] |
//!
//! A code page is data: [`codec::table`] has the way from a file, or from `codecs/`, to a codec.
//!
//! Every offset counts bytes of the original input from 0, byte order mark included.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod arch;
pub mod codec;
pub mod detect;
mod error;
pub mod records;
pub mod registry;
#[cfg(feature = "serde")]
mod serde;
mod text;
pub mod transcoder;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

pub use codec::newline::EbcdicNl;
pub use codec::{Codec, Decoder, Encoder};
pub use detect::{Detector, Kind, Verdict};
pub use error::{Error, ErrorKind, RecordPosition};
pub use registry::Registry;
pub use text::controls::Controls;
pub use text::eol::{Eol, InRecord};
#[cfg(feature = "tokio")]
pub use transcoder::tokio;
pub use transcoder::{
    Blanks, Bom, DecodeReader, EncodeWriter, FinishError, Gaps, OnMalformed, OnUnmappable, Overlong, Relabel, Report,
    State, Stepped, Transcode, Transcoder, decode, transcode,
};
