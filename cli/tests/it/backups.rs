//! Tests backups on file systems without hard links: they are copies, with the permissions and the time of the
//! original. strace makes the links fail; without it the test says that it was skipped.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Command;
use std::time::{Duration, SystemTime};

#[test]
fn a_copied_backup_is_like_its_original() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let traced = Command::new("strace").args(["-f", "-o", "/dev/null", "-e", "trace=none", "true"]).output();
    if !traced.is_ok_and(|traced| traced.status.success()) {
        return crate::common::skipped("there is no strace");
    }
    let text = "caf\u{e9}\n".repeat(20_000);
    for (options, mode) in [("--in-place=.old", 0o604), ("--in-place=.old --force", 0o640)] {
        fs::write(path("a"), &text).unwrap();
        fs::set_permissions(path("a"), Permissions::from_mode(mode)).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        fs::File::options().write(true).open(path("a")).unwrap().set_modified(time).unwrap();
        // Only the link to the original fails: a new file without a name needs one too.
        let inject = "inject=linkat:error=EPERM:when=1";
        let mut command = Command::new("strace");
        command.args(["-f", "-o", "trace", "-e", "trace=linkat", "-e", inject]).arg(env!("CARGO_BIN_EXE_charpipe"));
        command.args(["-f", "UTF-8", "-t", "ISO-8859-1"]).args(options.split(' ')).arg("a").current_dir(&folder);
        let output = command.output().unwrap();
        let trace = fs::read_to_string(path("trace")).unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr)), (Some(0), "".into()), "{trace}");
        assert!(trace.contains("INJECTED"), "{trace}");
        assert_eq!(fs::read(path("a")).unwrap().len(), 5 * 20_000);
        assert_eq!(fs::read_to_string(path("a.old")).unwrap(), text, "{options}");
        let backup = fs::metadata(path("a.old")).unwrap();
        assert_eq!((backup.mode() & 0o7777, backup.nlink()), (mode, 1), "{options}");
        assert_eq!(backup.modified().unwrap(), time, "{options}");
        assert_eq!(fs::metadata(path("a")).unwrap().mode() & 0o7777, mode, "{options}");
    }
}
