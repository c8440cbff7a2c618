//! `charpipe detect --explain`: shows the first bytes of a file, how they were recognised, and the verdict of each
//! policy.
//!
//! `explanation.rs` gathers the contents; `text.rs` and `html.rs` print it.

mod explanation;
mod html;
mod text;

pub(crate) use explanation::Explanation;
pub(crate) use html::{failed as html_of_failure, file as html, head as html_head};
pub(crate) use text::file as text;
