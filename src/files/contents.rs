//! Writes the contents of new files to disk.
//!
//! To do that for one short file takes far longer than to write it, and no less for the next one. So if there are many, the
//! whole file system is written at once: then all of them are on disk too.

use crate::files::folder::Folder;
use std::fs::File;
use std::io;

/// From how many files on that is done. A file system may have much else to write, of other programs.
#[cfg(target_os = "linux")]
const MANY: usize = 16;

/// Writes the contents of `files` to disk, each with the directory that it was made in, and returns the result for each of
/// them.
pub(super) fn sync_contents(files: &[(&Folder, &File)]) -> Vec<io::Result<()>> {
    #[cfg(target_os = "linux")]
    if files.len() >= MANY && linux::sync_together(files) {
        return files.iter().map(|_| Ok(())).collect();
    }
    // Some file systems report only now that the disk is full.
    files.iter().map(|(_, file)| file.sync_data()).collect()
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::files::folder::Folder;
    use rustix::fs::{fstatfs, syncfs};
    use rustix::system::uname;
    use std::fs::File;
    use std::sync::LazyLock;

    /// The file systems for which the call waits for the disk: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, and tmpfs, which has
    /// none. Others write to a server, or through a program, that is not asked to write to disk.
    const LOCAL: [u64; 6] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994];

    /// Writes the file system of all of these files to disk. Returns `false` if that cannot be done, or is not certain.
    pub(super) fn sync_together(files: &[(&Folder, &File)]) -> bool {
        let Some((folder, first)) = files.first() else { return true };
        // A file is made in the file system of its directory, which is known already.
        let device = |folder: &Folder| folder.id().ok().map(|id| id.device());
        let Some(same) = device(folder) else { return false };
        *REPORTS_ERRORS
            && files.iter().all(|(folder, _)| device(folder) == Some(same))
            && fstatfs(first).is_ok_and(|found| LOCAL.contains(&(found.f_type as u64)))
            && syncfs(first).is_ok()
    }

    /// Whether the call reports what could not be written: since Linux 5.8.
    static REPORTS_ERRORS: LazyLock<bool> =
        LazyLock::new(|| uname().release().to_str().is_ok_and(|release| is_since(release, (5, 8))));

    /// Whether a release such as `6.1.0-28-amd64` is at least this one.
    pub(super) fn is_since(release: &str, least: (u32, u32)) -> bool {
        let mut numbers = release.split(|ch: char| !ch.is_ascii_digit()).map_while(|number| number.parse().ok());
        numbers.next().zip(numbers.next()).is_some_and(|version| version >= least)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn releases() {
        for (release, is_new) in [("5.8.0", true), ("6.1.0-28-amd64", true), ("5.10", true), ("5.7.19", false)] {
            assert_eq!(linux::is_since(release, (5, 8)), is_new, "{release}");
        }
        assert!(!linux::is_since("", (5, 8)) && !linux::is_since("6", (5, 8)));
    }

    #[test]
    fn one_result_for_each_file() {
        for count in [0, 1, MANY, 2 * MANY] {
            let folder = Folder::open(&std::env::temp_dir()).unwrap();
            let files: Vec<File> = (0..count).map(|_| tempfile::tempfile().unwrap()).collect();
            let results = sync_contents(&files.iter().map(|file| (&folder, file)).collect::<Vec<_>>());
            assert_eq!(results.len(), count);
            assert!(results.iter().all(Result::is_ok));
        }
    }
}
