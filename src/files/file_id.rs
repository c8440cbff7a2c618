//! The identity of a file.

use std::fs::Metadata;

/// Identifies a file, independently of its name. Only Unix can tell files apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Returns the identity of a regular file, and `None` for any other kind of file.
    pub fn of(file: &Metadata) -> Option<Self> {
        (cfg!(unix) && file.is_file()).then(|| Self::of_any(file))
    }

    /// Returns the identity of a file of any kind.
    #[cfg(unix)]
    pub fn of_any(file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        FileId::new(file.dev(), file.ino())
    }

    /// Returns the same for every file: here, nothing tells files apart.
    #[cfg(not(unix))]
    pub fn of_any(_: &Metadata) -> Self {
        FileId::default()
    }

    #[cfg(unix)]
    pub(super) fn new(device: u64, inode: u64) -> Self {
        FileId { device, inode }
    }
}
