//! What a directory has under a name.

use crate::files::FileId;

/// The kind of an entry of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A symlink.
    Link,
    /// A named pipe.
    Fifo,
    /// A device, or a socket.
    Device,
}

/// An entry of a directory, as it was when it was examined. A symlink is not followed.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The identity of the file.
    pub id: FileId,
    /// The kind of file.
    pub kind: EntryKind,
    /// The number of the user whom it belongs to.
    pub owner: u32,
}
