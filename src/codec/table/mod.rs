//! Code pages as data: which bytes map to which characters, for tables from any source.
//!
//! All sources of mappings are read into a [`Table`], and both codec engines are built from one: the pages of
//! `codecs/`, the tables of other crates, and files that a user supplies.
//!
//! ```text
//! a user's file ── read.rs: which format? ─┬─ chart.rs     our own page ───────────┐
//!                                          ├─ ucm.rs       ICU                     │
//!                                          ├─ charmap.rs   POSIX, glibc            ├─ check ─ Table
//!                                          ├─ text.rs      columns of numbers      │            │
//!                                          └─ raw.rs       256 or 512 bytes ───────┘            │
//! codecs/*.txt ── chart.rs ── tests/it/tables.rs ── pages.bin ── packed.rs ─────────────────────┤
//! encoding_rs, oem_cp ── web/, oem.rs ──────────────────────────────────────────────────────────┤
//!                                                                                               ▼
//!                    Decoder, Encoder ── single_byte.rs or multi_byte/ ── TableCodec
//! ```
//!
//! `draft.rs` is a table that is still being read, with the line of each mapping. `derive.rs` derives the states for a
//! file that has none. `check.rs` checks a table for contradictions, and `lines.rs` splits files into lines. The
//! built-in pages do not go through a `Table` at run time: the engines are built from `pages.bin` directly.
//!
//! `codecs/README.md` describes the format of the pages and how tables in other formats are handled.
//!
//! ```
//! use charpipe::codec::table::{Code, Mapping, Table, Way};
//! use charpipe::{Registry, Transcode};
//!
//! // ASCII, and the euro sign at 80.
//! let mut table = Table::from_fn("X-EURO", "made up", |byte| byte.is_ascii().then_some(byte.into()));
//! table.mappings.push(Mapping { code: Code::single(0x80), ch: '€', way: Way::RoundTrip });
//!
//! let mut registry = Registry::builtin();
//! registry.register_table(table)?;
//! let mut bytes = Vec::new();
//! Transcode::new().registry(registry).target_encoding("X-EURO")?.run("5 €".as_bytes(), &mut bytes)?;
//! assert_eq!(bytes, b"5 \x80");
//! # Ok::<(), charpipe::Error>(())
//! ```

mod charmap;
pub mod chart;
mod check;
mod derive;
mod draft;
pub mod limits;
mod lines;
mod model;
pub(super) mod packed;
mod raw;
pub mod read;
mod text;
mod ucm;

pub use model::{Cell, Code, Mapping, Sequence, State, Table, TableShape, Way};
pub(crate) use model::{SI, SO};
