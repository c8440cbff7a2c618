//! Files: inputs, outputs, standard streams, new files that replace old ones, and directories that other users can write
//! to. Everything that differs between systems is in this folder.
//!
//! | file | job |
//! |---|---|
//! | `name.rs` | what a file is called in messages |
//! | `input.rs`, `record_head.rs`, `http_head.rs`, `sampled_input.rs` | opens and reads inputs |
//! | `output.rs` | opens outputs: streams, files that are replaced, and rehearsals of `--check` |
//! | `in_place.rs` | the output of `--in-place`, and backups |
//! | `atomic_file.rs`, `attributes.rs`, `signals.rs` | a new file, until it takes the place of the old one |
//! | `walk.rs`, `make_dir.rs` | the files in directories; directories for outputs |
//! | `place.rs`, `folder.rs`, `streams.rs` | names in open directories; open files |
//!
//! On systems other than Unix, `folder_elsewhere.rs` stands in for `folder.rs`.

pub(crate) mod atomic_file;
pub(crate) mod attributes;
#[cfg(unix)]
pub(crate) mod folder;
#[cfg(not(unix))]
#[path = "folder_elsewhere.rs"]
pub(crate) mod folder;
pub(crate) mod http_head;
pub(crate) mod in_place;
pub(crate) mod input;
pub(crate) mod make_dir;
pub(crate) mod name;
pub(crate) mod output;
pub(crate) mod place;
pub(crate) mod record_head;
pub(crate) mod sampled_input;
pub(crate) mod signals;
pub(crate) mod streams;
pub(crate) mod walk;
