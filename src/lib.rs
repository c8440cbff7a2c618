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
//! # Five minutes
//!
//! **One document.** Above, the document said that it was `IBM1047`; detection believed it, as the bytes agree. The
//! [`Report`] has what was found, and what became of the label:
//!
//! ```
//! let report = charpipe::transcode(&include_bytes!("../examples/data/hello-ibm1047.xml")[..], Vec::new())?;
//! assert_eq!(report.from.as_deref(), Some("IBM1047"));
//! let label = report.relabelled.expect("the declaration was not true any more");
//! assert_eq!((label.from.as_deref(), &*label.to), (Some("IBM1047"), "UTF-8"));
//! let verdict = report.verdict.expect("there was something to detect");
//! assert_eq!(verdict.rule, Some("rfc7303:declaration"));
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! A value in memory is [`decode`]d to a `Cow<str>`, which is borrowed where nothing changed. For many short values in one
//! encoding, such as fields of records, [`Transcode::values`] makes a decoder once; a field then takes tens of nanoseconds.
//!
//! **Choices.** [`Transcode`] has all that the command line can say. It is made once and used as often as you like,
//! from as many threads. By default nothing is replaced: what is ill-formed, and what the target lacks, is an error.
//!
//! ```
//! use charpipe::{OnMalformed, OnUnmappable, Transcode};
//!
//! let job = Transcode::new()
//!     .from("IBM1140")? // else it is detected
//!     .to("ISO-8859-1")? // else UTF-8
//!     .malformed(OnMalformed::Replace)
//!     .unmappable(OnUnmappable::Escape);
//! let mut latin1 = Vec::new();
//! job.run(&b"\xF5\x40\x9F"[..], &mut latin1)?;
//! assert_eq!(latin1, br"5 \u{20AC}");
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! **Faults have their place**, a byte of the original input, whatever the pieces it came in. What was good before it
//! was delivered. What a policy lets pass is counted, and the first of it kept:
//!
//! ```
//! use charpipe::{ErrorKind, OnMalformed, Transcode};
//!
//! let mut output = Vec::new();
//! let error = charpipe::transcode(&b"good \xFF bad"[..], &mut output).unwrap_err();
//! assert_eq!((error.offset(), &output[..]), (Some(5), &b"good "[..]));
//! assert!(matches!(error.kind(), ErrorKind::Malformed { bytes, .. } if bytes == b"\xFF"));
//! assert_eq!(error.to_string(), "byte 5: FF is not valid UTF-8");
//!
//! let report = Transcode::new().malformed(OnMalformed::Replace).run(&b"good \xFF bad"[..], Vec::new())?;
//! assert_eq!((report.malformed.count, report.malformed.first[0].offset), (1, 5));
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! **Records** of a mainframe's file become lines, and lines become records. [`records::Shape`] says how they lie:
//!
//! ```
//! use charpipe::Transcode;
//!
//! let job = Transcode::new().from("IBM037")?.records("fb:4".parse()?);
//! let mut lines = Vec::new();
//! let report = job.run(&b"\xC1\xC2\x40\x40\xC3\x40\xC4\x40"[..], &mut lines)?;
//! assert_eq!((&lines[..], report.records), (&b"AB\nC D\n"[..], Some(2)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Readers and writers.** [`Transcode::reader`] goes in front of whatever wants UTF-8, such as a parser, and
//! [`Transcode::writer`] behind whatever writes it. With the feature `tokio` the module `tokio` has both for async.
//!
//! ```
//! use charpipe::Transcode;
//! use std::io::{BufRead, Write};
//!
//! let lines = Transcode::new().reader(&b"\xFE\xFF\0o\0n\0e\0\n\0t\0w\0o"[..])?.lines();
//! assert_eq!(lines.collect::<Result<Vec<_>, _>>()?, ["one", "two"]);
//!
//! let mut writer = Transcode::new().to("UTF-16LE")?.writer(Vec::new())?;
//! writer.write_all(b"one")?;
//! assert_eq!(writer.finish()?, b"o\0n\0e\0"); // finish says that the text ends
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Bytes that are pushed**, as an event loop or a foreign caller has them, go through the machine itself, which does
//! no I/O. The size of the pieces and of the room changes nothing in the result:
//!
//! ```
//! use charpipe::{State, Transcode};
//!
//! let mut transcoder = Transcode::new().from("IBM037")?.transcoder()?;
//! let (mut text, mut room) = (Vec::new(), [0; 4]);
//! for (piece, eof) in [(&b"\xC8\x85\x93"[..], false), (b"\x93\x96", false), (b"", true)] {
//!     let mut rest = piece;
//!     loop {
//!         let step = transcoder.step(rest, &mut room, eof)?;
//!         rest = &rest[step.read..];
//!         text.extend_from_slice(&room[..step.written]);
//!         if step.state != Status::NeedRoom {
//!             break;
//!         }
//!     }
//! }
//! assert_eq!(text, b"Hello");
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! **A charset of your own** is a table, made or read from a file, under labels of your choice; what no table can hold
//! is an implementation of [`Codec`].
//!
//! ```
//! use charpipe::codec::table::Table;
//! use charpipe::{Registry, Transcode};
//!
//! // ASCII, and the euro sign where nobody has it.
//! let mut table = Table::from_fn("X-TILL", "our cash registers", |byte| match byte {
//!     0x00..=0x7F => Some(byte.into()),
//!     0xEE => Some('€'),
//!     _ => None,
//! });
//! table.aliases.push("till".into());
//! let mut registry = Registry::builtin();
//! registry.register_table(table)?;
//! assert_eq!(Transcode::new().registry(registry).from("till")?.decode(b"5 \xEE")?, "5 €");
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! **Where next.** Each of these is a file of the repository's `examples/`, which runs:
//!
//! | to do this | begin with | example |
//! |---|---|---|
//! | convert a file | [`transcode`], [`Transcode::run`] | `convert_file` |
//! | say what something is, and how one knows | [`Detector`] | `detect` |
//! | give a parser XML in any encoding | [`Transcode::reader`] | `ebcdic_xml` |
//! | obey, or doubt, a Content-Type | [`Transcode::content_type`], [`Transcode::policy`] | `http_response` |
//! | stack it with compression | [`Transcode::reader`], [`Transcode::writer`] | `gzip_stream` |
//! | do it async | `tokio::DecodeReader`, `tokio::EncodeWriter` | `async_pipe` |
//! | push bytes | [`Transcoder::step`] | `push_bytes` |
//! | report where it went wrong | [`Error::offset`], [`ErrorKind`] | `error_position` |
//! | go on, and log what was replaced | [`Report::malformed`], [`OnMalformed`] | `log_replacements`, `replace_malformed` |
//! | log it as JSON, take choices from a configuration | the feature `serde` | `report_as_json` |
//! | make lines or a table of a mainframe's file | [`Transcode::records`], [`Transcode::columns`] | `unblock`, `records_to_csv` |
//! | read its packed fields | [`records::Records`] | `packed_fields` |
//! | print its listings | [`Transcode::carriage`] | `print_listing` |
//! | write records | [`Transcode::to_records`] | `back_to_records` |
//! | load a table at run time | [`Registry::load`] | `table_at_run_time` |
//! | write a codec | [`codec`] | `own_codec`, `keis` |
//!
//! # Features
//!
//! | feature | what | default |
//! |---|---|---|
//! | `cli` | the command; a library has no use for it: `default-features = false` | yes |
//! | `whatwg` | the charsets of the web, through encoding_rs | yes |
//! | `dos` | the code pages of DOS | yes |
//! | `guess` | statistics among the charsets of the web; those for EBCDIC and Unicode are always there | yes |
//! | `serde` | verdicts, reports and errors are written with the keys of the command's JSON; choices are read as well | with `cli` |
//! | `tokio` | adapters to `AsyncRead`, `AsyncBufRead` and `AsyncWrite` | no |
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
//! | `serde` | the keys of answers and the words of choices (feature `serde`) | all of the above |
//! | `cli` | the command (feature `cli`) | all of the above |
//!
//! A code page is data: [`codec::table`] has the way from a file, or from `codecs/`, to a codec.
//!
//! Every offset counts bytes of the original input from 0, byte order mark included.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(feature = "unstable-kernels"))]
mod arch;
#[cfg(feature = "unstable-kernels")]
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
mod transcoder;

pub use codec::EbcdicNl;
pub use codec::{Codec, Decoder, Encoder};
pub use detect::{Detector, Kind, Verdict, detect};
pub use error::{Error, ErrorKind, RecordPosition};
pub use registry::Registry;
pub use text::controls::OnControl;
pub use text::eol::{Eol, OnNewlineInRecord};
#[cfg(feature = "tokio")]
pub use transcoder::tokio;
pub use transcoder::{
    Bom, CutRecord, DecodeReader, EncodeWriter, Faults, FinishError, Gaps, MalformedAt, OnMalformed, OnOverlong,
    OnUnmappable, Padding, Progress, RecordsCut, Relabel, Relabelled, Report, Status, Transcode, Transcoder,
    UnmappableAt, ValueDecoder, decode, transcode,
};
