//! Files: inputs, outputs, standard streams, and the files in directories. The library's [`charpipe::files`] replaces files,
//! follows symlinks and holds directories open; this folder decides what the command reads and writes.
//!
//! | file | job |
//! |---|---|
//! | `name.rs`, `name_text.rs` | what a file is called in messages |
//! | `input.rs`, `record_head.rs`, `http_head.rs`, `sampled_input.rs` | opens and reads inputs |
//! | `output.rs` | opens outputs: streams, files that are replaced, and rehearsals of `--check` |
//! | `in_place.rs`, `backup.rs` | the output of `--in-place`; the old content under a second name |
//! | `walk.rs`, `make_dir.rs` | the files in directories; directories for outputs |
//! | `file_path.rs` | paths of files, and the way from one file to the next |
//! | `copying.rs` | copies of files |
//! | `read_files.rs` | files that options name, which no output may replace |
//! | `streams.rs`, `descriptors.rs` | standard streams; how many files can be open |

pub(crate) mod backup;
mod copying;
pub(crate) mod descriptors;
pub(crate) mod file_path;
pub(crate) mod http_head;
pub(crate) mod in_place;
pub(crate) mod input;
pub(crate) mod make_dir;
pub(crate) mod name;
mod name_text;
pub(crate) mod output;
pub(crate) mod read_files;
pub(crate) mod record_head;
pub(crate) mod sampled_input;
pub(crate) mod streams;
pub(crate) mod walk;
