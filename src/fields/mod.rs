//! Fields: the typed values in mainframe records, read and written by a layout.
//!
//! A record is not text. It contains text, packed and zoned decimals, binary counts, arrays and alternatives, and only
//! a description can tell them apart. Here that description is a [`Layout`]: an ordered list of [`Item`]s with level
//! numbers, as in a COBOL copybook. A [`Reader`] turns records into [`Value`]s, and a [`Writer`] turns values into
//! records.
//!
//! ```
//! use charpipe::Registry;
//! use charpipe::fields::{FieldError, Layout, ReadOptions, Value, Visitor};
//!
//! let layout = Layout::from_field_list(
//!     "NAME    1 10 text
//!      COUNT  11  1 zoned,unsigned
//!      AMOUNT 12  3*2 packed.2
//! ")?;
//!
//! /// Prints `NAME=Joe COUNT=2 …`.
//! struct Line { names: Vec<String>, text: String }
//!
//! impl Visitor for Line {
//!     type Error = FieldError;
//!
//!     fn value(&mut self, _item: usize, column: usize, value: Value<'_>) -> Result<(), FieldError> {
//!         self.text += &format!("{}={value} ", self.names[column]);
//!         Ok(())
//!     }
//! }
//!
//! let registry = Registry::builtin();
//! let mut reader = layout.reader(&registry, &registry.codec("IBM037")?, &ReadOptions::new())?;
//! let names = reader.columns()?.into_iter().map(|column| column.path).collect();
//! let mut line = Line { names, text: String::new() };
//! let record = b"\xD1\x96\x85\x40\x40\x40\x40\x40\x40\x40\xF2\x12\x34\x5C\x00\x99\x9D";
//! reader.read(1, record, &mut line)?;
//! assert_eq!(line.text, "NAME=Joe COUNT=2 AMOUNT[1]=123.45 AMOUNT[2]=-9.99 ");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! | file | contents |
//! |---|---|
//! | `layout.rs`, `item.rs` | [`Layout`] and [`Item`]: the fields of a record and their positions |
//! | `resolve.rs` | checks a layout, and computes the place of each item |
//! | `list.rs` | field lists: layouts as a small text |
//! | `any.rs` | [`Layout::read`]: a field list or a copybook |
//! | `kind.rs` | [`FieldKind`]: how the bytes of a field represent its value |
//! | `when.rs` | [`When`] and [`Rule`]: which alternatives apply to a record |
//! | `decimal.rs`, `calendar.rs`, `value.rs` | [`Decimal`], [`Date`], [`Timestamp`] and [`Value`] |
//! | `visit.rs` | [`Visitor`], [`ValueSource`] and [`Column`]: how values are delivered and asked for |
//! | `varchar.rs` | [`Layout::varchars`]: text whose length precedes it, out of a layout of Db2 |
//! | `group_text.rs` | [`Layout::group_texts`]: groups that are also one text |
//! | `copybook/` | [`Copybook`]: reads a layout from a COBOL copybook |
//! | `plan.rs` | what to do for each record, worked out once from the layout |
//! | `length.rs` | how long a record is, from its own bytes |
//! | `read.rs`, `write.rs` | [`Reader`] and [`Writer`]: run the plan |
//! | `runs.rs` | [`RunReader`]: many records at once, field by field |
//! | `form.rs` | one field, from bytes to its value and back: dispatches to the next three |
//! | `number.rs`, `edited.rs`, `page.rs` | numbers as bytes, edited numbers as bytes, text as bytes |
//! | `error.rs` | [`BadLayout`] and [`FieldError`] |
//!
//! # Names
//!
//! The path of a field consists of the names of its groups and its own, with a dot between: `CUSTOMER.NAME`. The name
//! of the whole record (level 01) is left out. In an array the path contains the number of the occurrence, from 1:
//! `CUSTOMER.PHONE[2]`. Groups without a name do not appear in paths.
//!
//! # Exact values, and the way back
//!
//! Zoned, edited, packed and binary numbers are exact [`Decimal`]s of up to 38 digits, with all decimal places of the
//! picture. A negative zero stays negative. A hexadecimal floating-point number becomes an `f32` or `f64` with the same
//! value; only numbers of 8 bytes with more than 53 significant bits are rounded.
//!
//! A [`Writer`] writes what a [`Reader`] has read as the same bytes if the layout covers the record and each field is
//! in the form that COBOL itself writes: the preferred signs (C and D, or F in an unsigned field), and no shift codes
//! that change nothing. [`ReadOptions::canonical`] finds fields in another form, and [`OnBad::Raw`] carries them as
//! bytes. With both, every record is written back unchanged.

mod any;
mod calendar;
mod copybook;
mod decimal;
mod edited;
mod error;
mod form;
mod group_text;
mod item;
mod kind;
mod layout;
mod length;
mod list;
mod number;
mod page;
mod plan;
mod read;
mod resolve;
mod runs;
mod value;
mod varchar;
mod visit;
mod when;
mod write;

pub(crate) use any::is_field_list;
pub use calendar::{Date, Timestamp};
pub use copybook::{Copybook, CopybookForm};
pub use decimal::{BadDecimal, Decimal};
pub use error::{BadLayout, FieldError, Problem};
pub use item::{Item, Occurs};
pub use kind::{
    Binary, BinaryRange, ByteOrder, Edited, EditedSign, FieldKind, Float, FloatFormat, Packed, PackedSign, SignPlace,
    Text, Zoned, ZonedSigns,
};
pub use layout::Layout;
pub(crate) use length::{LengthFrom, Lengths};
pub(crate) use page::Repair;
pub use read::{ReadOptions, Reader, Row};
pub use runs::RunReader;
pub use value::Value;
pub use visit::{Column, OnBad, Trim, ValueSource, Visitor};
pub use when::{BadRule, Rule, Test, When};
pub use write::Writer;
