//! Fields: the typed values in a mainframe record, read and written by a layout.
//!
//! A record is not text. It holds text, packed and zoned decimals, binary counts, arrays and alternatives, and only a
//! description can tell them apart. Here that description is a [`Layout`]: an ordered list of [`Item`]s with level
//! numbers, as in a COBOL copybook. A [`Reader`] turns a record into [`Value`]s, and a [`Writer`] turns values into a
//! record.
//!
//! | file | contents |
//! |---|---|
//! | `layout.rs` | [`Layout`] and [`Item`]: what is where in a record |
//! | `resolve.rs` | checks a layout, and computes the place of each item |
//! | `list.rs` | field lists: layouts as a small text |
//! | `kind.rs` | [`Kind`]: how the bytes of a field represent its value |
//! | `when.rs` | [`When`] and [`Rule`]: which alternatives apply to a record |
//! | `decimal.rs`, `value.rs` | [`Decimal`] and [`Value`] |
//! | `visit.rs` | [`Visitor`], [`Source`] and [`Column`]: how values are delivered and asked for |
//! | `copybook/` | [`Copybook`]: reads a layout from a COBOL copybook |
//! | `error.rs` | [`BadLayout`] and [`FieldError`] |
//!
//! # Names
//!
//! The path of a field consists of the names of its groups and its own, with a dot between: `CUSTOMER.NAME`. The name of
//! the whole record (level 01) is left out. In an array the path contains the number of the occurrence, from 1:
//! `CUSTOMER.PHONE[2]`. Groups without a name do not appear in paths.

mod copybook;
mod decimal;
mod error;
mod form;
mod kind;
mod layout;
mod list;
mod number;
mod page;
mod plan;
mod read;
mod resolve;
mod value;
mod visit;
mod when;
mod write;

pub use copybook::{Copybook, CopybookForm};
pub use decimal::{BadDecimal, Decimal};
pub use error::{BadLayout, FieldError, Problem};
pub use kind::{Binary, ByteOrder, Float, FloatFormat, Kind, Packed, PackedSign, SignPlace, Text, Zoned, ZonedSigns};
pub use layout::{Item, Layout, Occurs};
pub use read::{ReadOptions, Reader, Row};
pub use value::Value;
pub use visit::{Column, OnBad, Source, Trim, Visitor};
pub use when::{BadRule, Rule, Test, When};
pub use write::Writer;
