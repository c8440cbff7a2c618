//! Tests the replacement of files (`charpipe::files`) in directories that other users can write to. The tests of the
//! command in `cli/tests/it/shared_folders.rs` and those of Python in `python/tests/test_files.py` test the same for
//! these interfaces. Tests that need root print a line and do nothing without it.

use charpipe::files::{Content, OutputFile};
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Another user, who is not root.
const MALLORY: u32 = 65534;

/// A directory `shared` that belongs to the other user, and a directory `private` that is ours, with a file `secret`.
struct Place(TempDir);

impl Place {
    /// Creates them. Without root, prints a line and returns `None`.
    fn new() -> Option<Self> {
        let place = Place(TempDir::new().unwrap());
        for name in ["shared", "private"] {
            fs::create_dir(place.path(name)).unwrap();
        }
        fs::write(place.path("private/secret"), "secret").unwrap();
        if chown(place.path("shared"), Some(MALLORY), Some(MALLORY)).is_err() {
            crate::common::skipped("this test needs root");
            return None;
        }
        Some(place)
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Creates a file of the other user.
    fn file(&self, name: &str, mode: u32) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, "old").unwrap();
        chown(&path, Some(MALLORY), Some(MALLORY)).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    /// Creates a symlink of the other user.
    fn link(&self, target: impl AsRef<Path>) -> PathBuf {
        let path = self.path("shared/link");
        _ = fs::remove_file(&path);
        symlink(target, &path).unwrap();
        lchown(&path, Some(MALLORY), Some(MALLORY)).unwrap();
        path
    }

    fn is_intact(&self) -> bool {
        let names = fs::read_dir(self.path("private")).unwrap().count();
        names == 1 && fs::read(self.path("private/secret")).unwrap() == b"secret"
    }
}

fn replace(path: &Path) -> io::Result<()> {
    let mut output = OutputFile::open(path)?;
    output.write_all(b"new")?;
    output.commit()
}

fn in_place(path: &Path, content: Content) -> io::Result<()> {
    OutputFile::open_in_place(path, content)?.write_all(b"new")
}

/// The ways to write to a path.
const DOORS: [fn(&Path) -> io::Result<()>; 3] =
    [replace, |path| in_place(path, Content::Removed), |path| in_place(path, Content::Kept)];

#[test]
fn a_link_of_another_user_leads_only_to_what_is_that_users() {
    let Some(place) = Place::new() else { return };
    let (secret, new) = (place.path("private/secret"), place.path("private/new"));
    for door in DOORS {
        for target in [&secret, &new] {
            for path in [target.clone(), Path::new("/proc/self/root").join(target.strip_prefix("/").unwrap())] {
                assert_eq!(door(&place.link(&path)).unwrap_err().kind(), ErrorKind::PermissionDenied, "{path:?}");
                assert!(place.is_intact());
            }
        }
        place.link(place.path("private"));
        for name in ["secret", "new"] {
            let error = door(&place.path("shared/link").join(name)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PermissionDenied);
            assert!(place.is_intact());
        }
        // What is there must be that user's as well, however the user named it.
        place.link(".");
        let roots = place.path("shared/roots");
        fs::write(&roots, "root's").unwrap();
        for name in ["link/roots", "link/../new"] {
            let error = door(&place.path("shared").join(name)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{name}");
        }
        assert_eq!(fs::read(&roots).unwrap(), b"root's");
        let theirs = place.file("shared/theirs", 0o640);
        door(&place.link("theirs")).unwrap();
        assert!(fs::read(&theirs).unwrap().ends_with(b"new"));
    }
}

#[test]
fn owner_and_permissions_are_those_of_the_old_file() {
    let Some(place) = Place::new() else { return };
    let path = place.file("shared/x", 0o6751);
    replace(&path).unwrap();
    let found = fs::metadata(&path).unwrap();
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (MALLORY, MALLORY, 0o751));
}

#[test]
fn in_a_sticky_directory_nothing_of_another_user_is_written() {
    let Some(place) = Place::new() else { return };
    let sticky = place.path("sticky");
    fs::create_dir(&sticky).unwrap();
    fs::set_permissions(&sticky, Permissions::from_mode(0o1777)).unwrap();
    let path = place.file("sticky/x", 0o666);
    for door in DOORS {
        assert_eq!(door(&path).unwrap_err().kind(), ErrorKind::PermissionDenied);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}

#[test]
fn an_output_that_is_dropped_leaves_the_old_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x");
    fs::write(&path, "old").unwrap();
    let mut output = OutputFile::open(&path).unwrap();
    output.write_all(b"new").unwrap();
    drop(output);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_was_exchanged_is_not_replaced() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x");
    fs::write(&path, "old").unwrap();
    let mut output = OutputFile::open(&path).unwrap();
    output.write_all(b"new").unwrap();
    fs::write(folder.path().join("other"), "other").unwrap();
    fs::rename(folder.path().join("other"), &path).unwrap();
    assert!(output.commit().unwrap_err().to_string().contains("another process has changed the file"));
    assert_eq!(fs::read(&path).unwrap(), b"other");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn content_in_place() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x");
    in_place(&path, Content::None).unwrap();
    assert_eq!(in_place(&path, Content::None).unwrap_err().kind(), ErrorKind::AlreadyExists);
    in_place(&path, Content::Kept).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"newnew");
    in_place(&path, Content::Removed).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    // A dangling symlink exists.
    let link = folder.path().join("link");
    symlink("nowhere", &link).unwrap();
    assert_eq!(in_place(&link, Content::None).unwrap_err().kind(), ErrorKind::AlreadyExists);
}
