//! Replaces files safely, even in directories that other users can write to (feature `files`).
//!
//! No one gains a right through a file, a directory, a symlink or a name that a program replaces by these functions:
//!
//! * A new file is written without a name, or under one that no one can guess, and takes the place of the old one when
//!   all of it is written. It gets the owner, the permissions and the attributes of the old file, but never the
//!   set-user-ID bit. Until then, only its owner can open it.
//! * The directory is held open, and so is the old file. When the new file takes its place, the name must still lead to
//!   that old file.
//! * A symlink of another user is followed only to what belongs to that user, and never into `/proc`. If it is in the
//!   middle of a path, the rest of the path must lead to what belongs to that user too. A descriptor (`/dev/stdout`,
//!   `/dev/fd/3`) is special only if the caller names it.
//! * In a sticky directory such as `/tmp`, a file of another user is not replaced, and a symlink of another user is not
//!   followed, unless it belongs to the owner of the directory.
//!
//! [`OutputFile`] opens a path for writing. The command and the Python package write by it too; `spec/assurance.md`
//! says what is promised, and `spec/assurance.tsv` which tests show it.
//!
//! | file | job |
//! |---|---|
//! | `output_file.rs` | a path that is opened for writing |
//! | `atomic_file.rs`, `attributes.rs` | a new file, until it takes the place of the old one |
//! | `contents.rs` | writes the contents of new files to disk, those of many at once |
//! | `changed_folders.rs` | writes directories to disk after files in them were replaced |
//! | `place.rs`, `folder.rs`, `entry.rs` | names in open directories; which symlinks are followed |
//! | `signals.rs` | holds INT, TERM and HUP back while files are replaced |
//! | `file_id.rs`, `blocking.rs` | open files |
//!
//! On systems other than Unix, `folder_elsewhere.rs` stands in for `folder.rs`: files are replaced by path, without
//! these checks.

mod atomic_file;
mod attributes;
mod blocking;
mod changed_folders;
mod contents;
mod entry;
mod file_id;
#[cfg(unix)]
mod folder;
#[cfg(not(unix))]
#[path = "folder_elsewhere.rs"]
mod folder;
mod output_file;
mod place;
#[doc(hidden)]
pub mod signals;

pub use output_file::{Content, OutputFile};

// What the command needs besides, to replace many files in one run. Not covered by semantic versioning.
#[doc(hidden)]
pub use atomic_file::{AtomicFile, NewFile, RenamedFile, is_temporary_name, name_over, while_replaced};
#[doc(hidden)]
pub use blocking::{Blocking, is_readable_within, write_all};
#[doc(hidden)]
pub use changed_folders::ChangedFolders;
#[doc(hidden)]
pub use entry::{Entry, EntryKind};
#[doc(hidden)]
pub use file_id::FileId;
#[doc(hidden)]
pub use folder::{Folder, FolderId, current_user, open_typed, owner_of};
#[doc(hidden)]
pub use output_file::Opened;
#[doc(hidden)]
pub use place::{End, Place, changed, descriptor};
