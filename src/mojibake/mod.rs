//! Finds and repairs mojibake: UTF-8 that was decoded as a single-byte page, once or more.
//!
//! `é` is the bytes C3 A9 in UTF-8, and windows-1252 reads them as `Ã©`. The repair reverses this: it looks for
//! characters whose bytes in some page are a well-formed UTF-8 sequence, and decides whether the text was more likely
//! meant to be the decoded character. It works on one sequence, the character before it, and a few after it, so it
//! needs constant memory, and its result does not depend on how the text is cut.
//!
//! | file | does |
//! |---|---|
//! | `tables.rs` | what each character is in each page |
//! | `class.rs` | how likely it is that two characters are adjacent, and what damaged text can have been |
//! | `item.rs` | a character, and the text that it stands for |
//! | `search.rs` | finds where a sequence may begin |
//! | `decide.rs` | decides about the sequence at the front of some text |
//! | `layers.rs` | repairs text that streams by, layer after layer |
//!
//! spec/mojibake.md says how it decides, and what it leaves alone.

mod class;
mod decide;
mod item;
mod layers;
mod search;
mod tables;

pub(crate) use item::Item;
pub(crate) use layers::Layers;
pub(crate) use search::may_be_in;
