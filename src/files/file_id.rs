//! The identity of a file.

use std::fs::Metadata;

/// Identifies a file, independently of its name. Windows cannot tell files apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Returns the identity of a regular file, and `None` for any other kind of file.
    pub fn of(file: &Metadata) -> Option<Self> {
        (cfg!(any(unix, target_os = "wasi")) && file.is_file()).then(|| Self::of_any(file))
    }

    /// Returns the identity of a file of any kind.
    #[cfg(unix)]
    pub fn of_any(file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        FileId::new(file.dev(), file.ino())
    }

    /// Returns the identity of a file of any kind, which the host of the program has put where the time of the file's
    /// creation is: there is no other way with a stable version of Rust.
    #[cfg(target_os = "wasi")]
    pub fn of_any(file: &Metadata) -> Self {
        let created = file.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        FileId { device: 0, inode: created.map_or(0, |time| time.as_nanos() as u64) }
    }

    /// Returns the same for every file: here, nothing tells files apart.
    #[cfg(not(any(unix, target_os = "wasi")))]
    pub fn of_any(_: &Metadata) -> Self {
        FileId::default()
    }

    #[cfg(unix)]
    pub(super) fn new(device: u64, inode: u64) -> Self {
        FileId { device, inode }
    }

    /// Returns the number of the file system that the file is in.
    #[cfg(target_os = "linux")]
    pub(super) fn device(self) -> u64 {
        self.device
    }
}
