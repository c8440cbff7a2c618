//! A five-minute tour.
//!
//! # One document
//!
//! This document declares that it is in IBM1047. Its bytes agree, so detection accepts the declaration. The
//! [`Report`](crate::Report) contains the result of detection and the change of the label:
//!
//! ```standalone_crate
//! let report = charpipe::transcode(&include_bytes!("../examples/data/hello-ibm1047.xml")[..], Vec::new())?;
//! assert_eq!(report.from.as_deref(), Some("IBM1047"));
//! let label = report.relabelled.expect("the declaration was wrong after the conversion");
//! assert_eq!((label.from.as_deref(), &*label.to), (Some("IBM1047"), "UTF-8"));
//! let verdict = report.verdict.expect("the input was not empty");
//! assert_eq!(verdict.rule, Some("rfc7303:declaration"));
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! [`decode`](crate::decode) converts a value in memory to a `Cow<str>`, which is borrowed if nothing changed. For many
//! short values in one encoding, such as the fields of records, [`Transcode::values`](crate::Transcode::values) makes a
//! decoder once; each field then takes tens of nanoseconds.
//!
//! # Options
//!
//! [`Transcode`](crate::Transcode) has every option of the command. Make it once, and use it as often as you like and
//! from any number of threads. By default nothing is replaced: malformed input, and characters that the target lacks,
//! are errors.
//!
//! ```
//! use charpipe::{OnMalformed, OnUnmappable, Transcode};
//!
//! let job = Transcode::new()
//!     .source_encoding("IBM1140")? // otherwise it is detected
//!     .target_encoding("ISO-8859-1")? // otherwise UTF-8
//!     .on_malformed(OnMalformed::Replace)
//!     .on_unmappable(OnUnmappable::Escape);
//! let mut latin1 = Vec::new();
//! job.run(&b"\xF5\x40\x9F"[..], &mut latin1)?;
//! assert_eq!(latin1, br"5 \u{20AC}");
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! # Errors have an offset
//!
//! An error names the byte of the original input, no matter in which pieces the input arrived. Everything before it has
//! been written. Input that a policy lets through is counted, and the first cases are kept:
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
//! let report = Transcode::new().on_malformed(OnMalformed::Replace).run(&b"good \xFF bad"[..], Vec::new())?;
//! assert_eq!((report.malformed.count, report.malformed.first[0].offset), (1, 5));
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! # Records
//!
//! The records of a mainframe file become lines, and lines become records. A [`records::Shape`](crate::records::Shape)
//! describes how the records are framed:
//!
//! ```
//! use charpipe::Transcode;
//!
//! let job = Transcode::new().source_encoding("IBM037")?.records("fb:4".parse()?);
//! let mut lines = Vec::new();
//! let report = job.run(&b"\xC1\xC2\x40\x40\xC3\x40\xC4\x40"[..], &mut lines)?;
//! assert_eq!((&lines[..], report.records), (&b"AB\nC D\n"[..], Some(2)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Readers and writers
//!
//! Put a [`Transcode::reader`](crate::Transcode::reader) in front of anything that reads UTF-8, such as a parser, and a
//! [`Transcode::text_writer`](crate::Transcode::text_writer) after anything that writes text. It detects nothing:
//! [`Transcode::writer`](crate::Transcode::writer) does, for bytes in any encoding. With the feature `tokio`, the module
//! `tokio` has adapters for asynchronous I/O.
//!
//! ```
//! use charpipe::Transcode;
//! use std::fmt::Write;
//! use std::io::BufRead;
//!
//! let lines = Transcode::new().reader(&b"\xFE\xFF\0o\0n\0e\0\n\0t\0w\0o"[..])?.lines();
//! assert_eq!(lines.collect::<Result<Vec<_>, _>>()?, ["one", "two"]);
//!
//! let mut writer = Transcode::new().target_encoding("UTF-16LE")?.text_writer(Vec::new())?;
//! write!(writer, "{}", "one")?;
//! assert_eq!(writer.finish()?, b"o\0n\0e\0"); // `finish` marks the end of the text
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Pushing bytes
//!
//! An event loop, or a caller in another language, receives bytes and has to push them. The
//! [`Transcoder`](crate::Transcoder) accepts bytes and does no I/O. The sizes of the pieces and of the buffer make no
//! difference to the result:
//!
//! ```
//! use charpipe::{Status, Transcode};
//!
//! let mut transcoder = Transcode::new().source_encoding("IBM037")?.transcoder()?;
//! let (mut text, mut buffer) = (Vec::new(), [0; 4]);
//! for (piece, eof) in [(&b"\xC8\x85\x93"[..], false), (b"\x93\x96", false), (b"", true)] {
//!     let mut rest = piece;
//!     loop {
//!         let progress = transcoder.step(rest, &mut buffer, eof)?;
//!         rest = &rest[progress.read..];
//!         text.extend_from_slice(&buffer[..progress.written]);
//!         if progress.state != Status::NeedRoom {
//!             break;
//!         }
//!     }
//! }
//! assert_eq!(text, b"Hello");
//! # Ok::<(), charpipe::Error>(())
//! ```
//!
//! # A charset of your own
//!
//! Make a table, or read one from a file, and register it under labels of your choice. For what no table can express,
//! implement [`Codec`](crate::Codec).
//!
//! ```
//! use charpipe::codec::table::Table;
//! use charpipe::{Registry, Transcode};
//!
//! // ASCII, with the euro sign at a position of our own.
//! let mut table = Table::from_fn("X-TILL", "our cash registers", |byte| match byte {
//!     0x00..=0x7F => Some(byte.into()),
//!     0xEE => Some('€'),
//!     _ => None,
//! });
//! table.aliases.push("till".into());
//! let mut registry = Registry::builtin();
//! registry.register_table(table)?;
//! assert_eq!(Transcode::new().registry(registry).source_encoding("till")?.decode(b"5 \xEE")?, "5 €");
//! # Ok::<(), charpipe::Error>(())
//! ```
