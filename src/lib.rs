//! charpipe detects the encoding of any byte stream and converts it to UTF-8 or any other charset, in a single pass and
//! in constant memory. It never guesses silently, and it corrects the document's own label: a document converted from
//! IBM1047 no longer says `encoding="IBM1047"`.
//!
//! ```standalone_crate
//! // EBCDIC: `<?xml version='1.0' encoding='IBM1047'?>`, a z/OS newline, and `<a>[é]</a>`.
//! let input = include_bytes!("../examples/data/hello-ibm1047.xml");
//! let mut output = Vec::new();
//! charpipe::transcode(&input[..], &mut output)?;
//! assert!(output.starts_with(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! # Where to begin
//!
//! The [guide] is a five-minute tour. Each task in this table has a runnable file in the repository's
//! `examples/`.
//!
//! | task | begin with | example |
//! |---|---|---|
//! | convert a file | [`transcode()`], [`Transcode::run`] | `convert_file` |
//! | decode a value in memory | [`decode`], [`Transcode::values`] | |
//! | encode text that is Unicode already | [`Transcode::encode`], [`Transcode::value_encoder`], [`Transcode::text_writer`] | |
//! | name an encoding in a configuration | [`Encoding`], [`encodings`] | |
//! | detect an encoding and get the evidence | [`detect()`], [`Detector`] | `detect` |
//! | give a parser XML in any encoding | [`Transcode::reader`] | `ebcdic_xml` |
//! | read lines with their offsets, follow a log | [`Transcode::lines`], [`Lines::follow`], [`Lines::checkpoint`] | |
//! | use a Content-Type | [`Transcode::content_type`], [`Transcode::policy`] | `http_response` |
//! | combine with compression | [`Transcode::reader`], [`Transcode::writer`] | `gzip_stream` |
//! | read and write asynchronously | `AsyncDecodeReader`, `AsyncEncodeWriter` | `async_pipe` |
//! | push bytes from an event loop | [`Transcoder::step`] | `push_bytes` |
//! | report where an error is | [`Error::offset`], [`Error::position`], [`Transcoder::locate`] | `error_position` |
//! | replace malformed input, and log it | [`Report::malformed`], [`OnMalformed`] | `log_replacements`, `replace_malformed` |
//! | write reports as JSON, read options from a file | the feature `serde` | `report_as_json` |
//! | turn mainframe records into lines | [`Transcode::records`], [`Transcode::columns`] | `unblock` |
//! | turn mainframe records into CSV or JSON | [`rows::RowText`] | `records_to_csv` |
//! | read typed fields: packed decimals, binary numbers | [`rows::RowsJob`], [`fields`] | `fields` |
//! | read records into structs, and write structs as records | the feature `serde`: `Rows::deserialize`, `Rows::serialize` | `rows_into_structs` |
//! | print a mainframe listing | [`Transcode::carriage`] | `print_listing` |
//! | write records | [`Transcode::to_records`] | `back_to_records` |
//! | load a code page at run time | [`Registry::load`] | `table_at_run_time` |
//! | write a codec | [`codec`] | `own_codec`, `keis` |
//! | replace a file only when its conversion is complete | the feature `files` | |
//!
//! # Features
//!
//! | feature | what it adds | default |
//! |---|---|---|
//! | `whatwg` | the encodings of the web, through encoding_rs | yes |
//! | `dos` | the DOS code pages | yes |
//! | `legacy` | the other charsets of the ASCII family: national and vendor pages, the Macintosh, UTF-7, HZ and ISO-2022 | yes |
//! | `guess` | statistical guessing among the encodings of the web, of DOS and of the Macintosh; EBCDIC and Unicode are guessed without it | yes |
//! | `mojibake` | `Transcode::on_mojibake`: repairs text that was decoded with the wrong charset | yes |
//! | `normalize` | `Transcode::normalize`: Unicode normalization of the text | no |
//! | `translit` | [`OnUnmappable::Translit`]: readable approximations of characters that the target lacks | no |
//! | `serde` | `Serialize` for verdicts, reports and errors, with the keys of the command's JSON; `Serialize` and `Deserialize` for choices; records as values of the program's own types ([`rows`]) | no |
//! | `json-layouts` | reads layouts of other programs, in JSON ([`rows::LayoutFormat::Json`]) | no |
//! | `tokio` | adapters for `AsyncRead`, `AsyncBufRead` and `AsyncWrite` | no |
//! | `files` | the module `files`: files that are replaced safely, also in directories that other users can write to | no |
//!
//! # How a byte travels
//!
//! ```text
//! bytes ─ detect ─┐
//!   │             └─ registry: label → codec
//!   └─ [records in] ─ decoder ──── text stages ──── encoder ─ [records out] ─ bytes
//!                     bytes→str    relabel, eol,    str→bytes
//!                                  controls
//! ```
//!
//! | module | purpose | may use |
//! |---|---|---|
//! | `words` | the words of each choice | nothing |
//! | `hex` | bytes as hex digits | nothing |
//! | `sort` | sorting, with one copy of the code for all types | nothing |
//! | `arch` | vector kernels: the inner loops of the codecs | nothing |
//! | `error` | the error type | `words`, `hex` |
//! | [`codec`] | charsets, their decoders and encoders | `words`, `hex`, `sort`, `arch`, `error` |
//! | [`registry`] | finds the codec for a label | `words`, `sort`, `error`, `codec` |
//! | [`mod@detect`] | detects the encoding, with the evidence | `words`, `hex`, `sort`, `error`, `codec`, `registry`, `mojibake` |
//! | [`records`] | mainframe records: framing in both directions, and recognising it | `words`, `sort`, `error` |
//! | [`fields`] | typed values in records: layouts, and reading and writing by them | `words`, `hex`, `arch`, `error`, `codec`, `registry`, `records` |
//! | `named_options` | options by name and value | `words`, `error`, `registry` |
//! | `mojibake` | finds and repairs text that was decoded with the wrong charset (feature `mojibake`) | `codec`, `registry` |
//! | `text` | stages between decoder and encoder | `words`, `sort`, `error`, `mojibake` |
//! | `transcoder` | the transcoder, which connects them without I/O, and the readers, writers and functions on top of it | all of the above except `fields` |
//! | [`rows`] | jobs with records and fields: their options, and what they mean | all of the above except `detect` |
//! | `serde` | the keys of verdicts, reports and errors (feature `serde`) | all of the above |
//! | `files` | files that are replaced safely (feature `files`) | nothing |
//!
//! A code page is data: [`codec::table`] describes how a file, or a page in `codecs/`, becomes a codec.
//!
//! Every offset counts bytes of the original input from 0 and includes the byte order mark. Lines and columns count
//! from 1 ([`TextPosition`]).

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(feature = "unstable-kernels"))]
mod arch;
#[cfg(feature = "unstable-kernels")]
#[doc(hidden)]
pub mod arch;
pub mod codec;
pub mod detect;
mod error;
pub mod fields;
#[cfg(feature = "files")]
pub mod files;
pub mod guide;
mod hex;
#[cfg(feature = "mojibake")]
mod mojibake;
mod named_options;
pub mod records;
pub mod registry;
pub mod rows;
#[cfg(feature = "serde")]
mod serde;
mod sort;
mod text;
mod transcoder;
mod words;

pub use codec::EbcdicNl;
pub use codec::{Codec, Decoder, Encoder};
pub use detect::{Detector, Kind, Verdict, detect};
pub use error::{Error, ErrorKind, RecordPosition, TextPosition};
pub use hex::Hex;
pub use records::overlong::OnOverlong;
pub use registry::{Encoding, Registry, encodings};
pub use text::controls::OnControl;
pub use text::eol::{Eol, OnNewlineInRecord};
#[cfg(feature = "mojibake")]
pub use text::mojibake::OnMojibake;
#[cfg(feature = "normalize")]
pub use text::normalize::Normalization;
#[cfg(feature = "tokio")]
pub use transcoder::{AsyncDecodeReader, AsyncEncodeWriter};
pub use transcoder::{
    Bom, CharProgress, CharStop, CutRecord, DecodeReader, EncodeWriter, Faults, FinishError, Gaps, MalformedAt,
    NamedOption, OnMalformed, OnUnknown, OnUnmappable, OptionValue, Padding, Progress, RecordsCut, Relabel, Relabelled,
    RenamedOption, RepairedAt, Report, Status, TextWriter, Transcode, Transcoder, UnmappableAt, ValueDecoder,
    ValueEncoder, decode, transcode,
};
pub use transcoder::{Line, LineCheckpoint, LineEnd, LineEnds, Lines};
pub use words::{UnknownWord, Word};
