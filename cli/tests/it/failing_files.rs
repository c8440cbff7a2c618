//! The command with files and streams that fail: no data is lost, and the exit status shows if something is missing.
//! The failures are real ones of the kernel. Tests that need root to set them up print a line and do nothing without
//! it.

use crate::common::signals::with_default_signals;
use rustix::fs::{OFlags, XattrFlags, fcntl_getfl, fcntl_setfl, getxattr, setxattr};
use rustix::io::ioctl_fionread;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// A user who is neither root nor the owner of anything.
const NOBODY: u32 = 65534;

/// A folder for one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Creates a file and returns its path.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().mode() & 0o7777
    }

    /// Returns the names of everything in the folder, which would include any temporary file.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn charpipe(&self) -> Command {
        let mut command = with_default_signals(CHARPIPE);
        command.current_dir(&self.0);
        command
    }

    /// Runs the command with the arguments in `line`, separated by spaces, and nothing on standard input.
    fn run(&self, line: &str) -> Output {
        self.charpipe().args(line.split_whitespace()).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs a script in this folder; `$CHARPIPE` is the command.
    fn sh(&self, script: &str) -> Output {
        self.script(&["sh", "-c", script])
    }

    fn script(&self, args: &[&str]) -> Output {
        let mut command = with_default_signals(args[0]);
        command.args(&args[1..]).current_dir(&self.0).env("CHARPIPE", CHARPIPE).stdin(Stdio::null());
        command.output().unwrap()
    }

    /// Runs a script with mounts of its own, which end with it. Returns `None` if the machine refuses that, or if the
    /// script exits with status 77.
    fn mounts(&self, script: &str) -> Option<Output> {
        let output = self.script(&["unshare", "-m", "sh", "-c", script]);
        let refused = !is_root() || output.status.code() == Some(77) || stderr(&output).starts_with("unshare:");
        if refused {
            crate::common::skipped(format_args!("no mounts here: {}", stderr(&output).trim_end()));
            return None;
        }
        Some(output)
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout == b"0\n"
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn silent(output: &Output) {
    assert_eq!((output.status.code(), &*stderr(output)), (Some(0), ""));
}

/// Checks for exit status 3 and one line with this beginning and this end.
#[track_caller]
fn failed(output: &Output, start: &str, end: &str) {
    let stderr = stderr(output);
    assert_eq!((output.status.code(), stderr.lines().count()), (Some(3), 1), "{stderr}");
    assert!(stderr.starts_with(&format!("charpipe: {start}")) && stderr.ends_with(&format!("{end}\n")), "{stderr}");
}

/// Waits for an event, however busy the machine is.
fn until(mut happened: impl FnMut() -> bool) {
    while !happened() {
        std::thread::yield_now();
    }
}

fn send(signal: &str, child: &Child) {
    let kill = Command::new("sh").arg("-c").arg(format!("kill -{signal} {}", child.id())).status();
    assert!(kill.unwrap().success());
}

/// Waits until the child is in `state` according to `/proc`: `S`, asleep in a system call; `T`, stopped. Returns at
/// once if there is no `/proc`.
fn until_state(child: &Child, state: char) {
    if cfg!(target_os = "linux") {
        until(|| is_in_state(child, state));
    }
}

#[track_caller]
fn is_in_state(child: &Child, state: char) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let found = stat.rsplit(") ").next().unwrap();
    assert!(!found.starts_with(['Z', 'X']), "the run has ended");
    found.starts_with(state)
}

/// Stops the run, and lets it continue.
fn stop_and_continue(child: &Child) {
    send("STOP", child);
    until_state(child, 'T');
    send("CONT", child);
    until_state(child, 'S');
}

/// Returns a lot of text, in which no two lines are alike.
fn long_text(lines: usize) -> Vec<u8> {
    (0..lines).flat_map(|line| format!("line {line}: é\n").into_bytes()).collect()
}

// --- Replacing a file ------------------------------------------------------------------------------------------------

#[test]
fn the_input_by_any_name() {
    let folder = Folder::new();
    for (output, input) in [("x", "x"), ("./x", "x"), ("link", "x"), ("x", "link"), ("hard", "x"), ("x", "hard")] {
        for name in folder.names() {
            fs::remove_file(folder.path(&name)).unwrap();
        }
        folder.file("x", b"\xE9t\xE9");
        symlink("x", folder.path("link")).unwrap();
        fs::hard_link(folder.path("x"), folder.path("hard")).unwrap();
        silent(&folder.run(&format!("-f latin1 -o {output} {input}")));
        assert_eq!(folder.text(output), "été", "{output} {input}");
        assert!(folder.path("link").is_symlink());
        // The other name of the old file still leads to the old file.
        let other = if output == "hard" { "x" } else { "hard" };
        assert_eq!(fs::read(folder.path(other)).unwrap(), b"\xE9t\xE9", "{output} {input}");
        assert_eq!(folder.names(), ["hard", "link", "x"]);
    }
}

#[test]
fn one_of_the_inputs() {
    let folder = Folder::new();
    for (name, content) in [("a", "one "), ("b", "two "), ("c", "three ")] {
        folder.file(name, content);
    }
    silent(&folder.run("-o b a b c b"));
    assert_eq!(folder.text("b"), "one two three two ");
}

/// Output has no name while it is being written, so nothing is left if the run is killed.
#[test]
fn killed_in_the_middle() {
    for signal in ["TERM", "INT", "HUP", "KILL"] {
        let folder = Folder::new();
        folder.file("old", "old");
        fs::set_permissions(folder.path("old"), Permissions::from_mode(0o640)).unwrap();
        for output in ["old", "new"] {
            let mut child = folder.charpipe().args(["-o", output]).stdin(Stdio::piped()).spawn().unwrap();
            // More than a pipe holds: when this returns, most of it has been read.
            child.stdin.as_ref().unwrap().write_all(&long_text(100_000)).unwrap();
            if cfg!(target_os = "linux") {
                assert_eq!(folder.names(), ["old"]);
            }
            send(signal, &child);
            assert!(child.wait().unwrap().signal().is_some(), "{signal}");
            assert_eq!((&*folder.text("old"), folder.mode("old")), ("old", 0o640));
            if cfg!(target_os = "linux") {
                assert_eq!(folder.names(), ["old"], "{signal}");
            }
        }
    }
}

/// INT, TERM and HUP wait until no file is being replaced: the folder has nothing but the files and their backups, and
/// only replaced files have backups.
#[cfg(target_os = "linux")]
#[test]
fn killed_while_files_are_replaced() {
    const FILES: usize = 40;
    const ROUNDS: usize = 10;
    let (mut killed, mut early) = (0, 0);
    for round in 0..ROUNDS {
        for signal in ["TERM", "INT", "HUP"] {
            let folder = Folder::new();
            for at in 0..FILES {
                folder.file(&format!("{at:03}"), "a line\n");
            }
            let args = ["--default-signal=INT,TERM,HUP", CHARPIPE, "-q", "--eol", "crlf", "-r", "--in-place=.old", "."];
            let mut child = Command::new("env").args(args).current_dir(&folder.0).spawn().unwrap();
            // Each round it is killed at another point.
            let begun = round * FILES / ROUNDS;
            while folder.names().len() < FILES + begun && child.try_wait().unwrap().is_none() {}
            let signal = match signal {
                "TERM" => Signal::TERM,
                "INT" => Signal::INT,
                _ => Signal::HUP,
            };
            _ = kill_process(Pid::from_child(&child), signal);
            let status = child.wait().unwrap();
            assert!(status.success() || status.signal() == Some(signal.as_raw()), "{status}");
            killed += usize::from(!status.success());
            for at in 0..FILES {
                let (name, kept) = (format!("{at:03}"), format!("{at:03}.old"));
                let is_new = folder.text(&name) == "a line\r\n";
                assert_eq!(folder.path(&kept).exists(), is_new, "{signal:?} {name}");
                assert_eq!(folder.text(if is_new { &kept } else { &name }), "a line\n");
                early += usize::from(!is_new);
            }
            let names = folder.names();
            assert!(names.iter().all(|name| !name.starts_with(".charpipe-")), "{signal:?} {names:?}");
        }
    }
    println!("{killed} runs killed, {early} files not replaced");
}

/// Signals that the parent process ignores, as `nohup` does, stay ignored.
#[test]
fn signals_that_are_ignored() {
    let folder = Folder::new();
    let script = "trap '' TERM INT HUP; exec \"$CHARPIPE\" -o new";
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(&folder.0).env("CHARPIPE", CHARPIPE).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&long_text(100_000)).unwrap();
    for signal in ["TERM", "INT", "HUP", "TERM"] {
        send(signal, &child);
        input.write_all(&long_text(10_000)).unwrap();
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(folder.names(), ["new"]);
}

/// If output has a name while it is being written (the list of open files is hidden here to force that), INT, TERM and
/// HUP remove it, unless they are ignored.
#[cfg(target_os = "linux")]
#[test]
fn killed_while_temporary_files_have_names() {
    let folder = Folder::new();
    let script = "mkfifo fifo
        for signal in TERM INT HUP; do
            env --default-signal=INT,TERM,HUP sh -c \
                'mount -t tmpfs tmpfs /proc/$$/fd || exit 77; exec \"$CHARPIPE\" -o new fifo' & run=$!
            exec 3> fifo
            until ls -A | grep -q charpipe; do kill -0 $run || exit 77; done
            kill -$signal $run; wait $run; echo $?
            exec 3>&-
            ls -A
        done
        sh -c 'trap \"\" TERM; mount -t tmpfs tmpfs /proc/$$/fd; exec \"$CHARPIPE\" -o new fifo' & run=$!
        exec 3> fifo
        until ls -A | grep -q charpipe; do :; done
        kill -TERM $run; echo text >&3; exec 3>&-; wait $run; echo $?; cat new";
    let Some(output) = folder.mounts(script) else { return };
    assert_eq!(text(&output), "143\nfifo\n130\nfifo\n129\nfifo\n0\ntext\n", "{}", stderr(&output));
}

/// The system does not end the first process of a container by a signal, so the run ends by itself: with the status
/// that a shell shows for the signal, and without a temporary file. An ignored signal stays ignored.
#[cfg(target_os = "linux")]
#[test]
fn the_first_process_of_a_container() {
    let folder = Folder::new();
    let script = "mkfifo fifo
        first() {
            unshare -p -f -m --mount-proc sh -c \"$1; exec \\\"\\$CHARPIPE\\\" $2\" & run=$!
            exec 3> fifo
            until process=$(cat /proc/$run/task/$run/children) && grep -q charpipe /proc/${process% }/comm; do
                kill -0 $run || exit 77
            done
            echo text >&3
            until $3; do kill -0 $run || exit 77; done
            kill -$4 $process || exit 77
            [ $5 = ends ] || { echo more >&3; exec 3>&-; }
            wait $run; echo $?
            exec 3>&-
        }
        has_temporary() { ls -A | grep -q charpipe; }
        is_asleep() { grep -q '^State:.S' /proc/${process% }/status; }
        for signal in TERM HUP; do
            first 'mount -t tmpfs tmpfs /proc/1/fd || exit 77' '-o new fifo' has_temporary $signal ends
            first : 'fifo' is_asleep $signal ends
            first : 'detect fifo' is_asleep $signal ends
        done > statuses
        first 'trap \"\" TERM' '-q -o new fifo' is_asleep TERM goes-on >> statuses
        cat new; ls -A";
    let Some(output) = folder.mounts(script) else { return };
    println!("{}", stderr(&output));
    assert_eq!(text(&output), "text\nmore\nfifo\nnew\nstatuses\n", "{}", stderr(&output));
    assert_eq!(folder.text("statuses"), "143\ntext\n143\n143\n129\ntext\n129\n129\n0\n");
}

/// On overlayfs, as in a container, a hard link to a file of a lower layer is another file.
#[cfg(target_os = "linux")]
#[test]
fn a_backup_of_a_file_of_a_lower_layer() {
    let folder = Folder::new();
    for name in ["lower", "disk", "both"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    folder.file("lower/a", "caf\u{e9}\n");
    let script = "mount -t tmpfs tmpfs disk && mkdir disk/upper disk/work &&
        mount -t overlay overlay -o lowerdir=lower,upperdir=disk/upper,workdir=disk/work both || exit 77
        \"$CHARPIPE\" -t latin1 --in-place=.old both/a; echo $?
        wc -c < both/a; cat both/a.old; ls -A both";
    let Some(output) = folder.mounts(script) else { return };
    assert_eq!(text(&output), "0\n5\ncaf\u{e9}\na\na.old\n", "{}", stderr(&output));
}

/// The limit on the size of files: the system ends the run.
#[test]
fn larger_than_the_limit_on_file_size() {
    let folder = Folder::new();
    folder.file("big", long_text(100_000));
    folder.file("old", "old");
    let output = folder.sh("ulimit -f 100; exec \"$CHARPIPE\" -o old big");
    assert!(!output.status.success());
    assert_eq!((&*folder.text("old"), folder.names()), ("old", vec!["big".into(), "old".into()]));
}

#[test]
fn a_full_disk() {
    let folder = Folder::new();
    folder.file("big", long_text(100_000));
    fs::create_dir(folder.path("disk")).unwrap();
    let script = "mount -t tmpfs -o size=1m tmpfs disk || exit 77
        echo old > disk/old; chmod 604 disk/old
        for output in old new; do \"$CHARPIPE\" -o disk/$output big; echo $?; done
        \"$CHARPIPE\" -q big > disk/direct; echo $?
        \"$CHARPIPE\" -o disk/x --report disk/y /dev/null; echo $?
        rm disk/direct; ls -A disk; stat -c %a disk/old; cat disk/old";
    let Some(output) = folder.mounts(script) else { return };
    let line = |name| format!("charpipe: {name}: cannot write: No space left on device (os error 28)\n");
    let expected = ["disk/old", "disk/new", "<stdout>", "disk/y"].map(line).concat();
    assert_eq!(stderr(&output), expected);
    assert_eq!(text(&output), "3\n3\n3\n3\nold\n604\nold\n");
}

/// A disk that accepts the data and only later finds that it has no space for it.
#[test]
fn a_disk_that_fails_late() {
    let folder = Folder::new();
    folder.file("big", long_text(60_000));
    fs::create_dir(folder.path("disk")).unwrap();
    let script = "mount -t tmpfs -o size=4m tmpfs disk && truncate -s 16M disk/image && mkfs.ext2 -q -F disk/image &&
        mkdir disk/inner && mount -o loop disk/image disk/inner || exit 77
        echo old > disk/inner/old; sync
        head -c 8M /dev/zero > disk/junk 2> /dev/null
        \"$CHARPIPE\" -o disk/inner/old big; echo $?
        cat disk/inner/old; ls -A disk/inner | grep charpipe
        umount disk/inner 2> /dev/null; true";
    let Some(output) = folder.mounts(script) else { return };
    assert_eq!(text(&output), "3\nold\n", "{}", stderr(&output));
    assert!(stderr(&output).starts_with("charpipe: disk/inner/old: cannot write: "), "{}", stderr(&output));
}

/// Without `/proc` a file cannot be given a name afterwards, so it has one while it is written.
#[test]
fn temporary_files_with_names() {
    let folder = Folder::new();
    folder.file("big", long_text(100_000));
    folder.file("bad", "\u{FFFD}é€");
    folder.file("old", "old");
    fs::create_dir(folder.path("disk")).unwrap();
    let script = "mount -t tmpfs -o size=1m tmpfs disk && mount -t tmpfs tmpfs /proc || exit 77
        umask 027
        \"$CHARPIPE\" -o new old; echo $?
        \"$CHARPIPE\" -t latin1 -o old bad 2> /dev/null; echo $?
        \"$CHARPIPE\" -o disk/old big 2> /dev/null; echo $?
        mkfifo fifo; exec 3<> fifo
        \"$CHARPIPE\" -o old fifo & run=$!
        until ls -A | grep charpipe- > seen; do :; done
        wc -l < seen; rm seen; kill $run; wait $run; echo $?; exec 3>&-
        \"$CHARPIPE\" -o old new; echo $?
        ls -A disk; stat -c %a new";
    let Some(output) = folder.mounts(script) else { return };
    assert_eq!(text(&output), "0\n1\n3\n1\n143\n0\n640\n", "{}", stderr(&output));
    assert_eq!(folder.text("old"), "old");
}

#[test]
fn a_file_that_cannot_be_replaced_stays() {
    let folder = Folder::new();
    folder.file("x", "new");
    for name in ["fixed", "mounted"] {
        folder.file(name, "old");
    }
    let script = "mount --bind x mounted || exit 77
        \"$CHARPIPE\" -o mounted x; echo $?; cat mounted; ls -A";
    if let Some(output) = folder.mounts(script) {
        assert_eq!(text(&output), "3\nnewfixed\nmounted\nx\n");
        assert!(stderr(&output).starts_with("charpipe: mounted: cannot write: "), "{}", stderr(&output));
    }
    if Command::new("chattr").arg("+i").arg(folder.path("fixed")).output().is_ok_and(|done| done.status.success()) {
        let output = folder.run("-o fixed x");
        assert!(Command::new("chattr").arg("-i").arg(folder.path("fixed")).status().unwrap().success());
        failed(&output, "fixed: cannot write: ", "");
    } else {
        crate::common::skipped("no file can be made immutable here");
    }
    assert_eq!((&*folder.text("fixed"), folder.names().len()), ("old", 3));
}

/// Copies the command to a place that another user can reach. A process of its own does that: one that another test
/// starts at the same time would hold a copy open for writing that this process makes, and it could not be run.
pub(crate) fn copy_command(to: &Path) {
    assert!(Command::new("cp").arg(CHARPIPE).arg(to).status().unwrap().success());
}

/// Runs the command as a user who owns nothing. The command is copied to a place that this user can reach.
fn as_nobody(folder: &Folder, line: &str) -> Option<Output> {
    copy_command(&folder.path("charpipe"));
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(folder.path("charpipe"));
    let output = command.args(line.split_whitespace()).current_dir(&folder.0).stdin(Stdio::null()).output();
    let output = output.ok().filter(|output| is_root() && !stderr(output).starts_with("setpriv:"));
    if output.is_none() {
        crate::common::skipped("the command cannot run as another user here");
    }
    output
}

#[test]
fn a_folder_without_write_permission() {
    let folder = Folder::new();
    folder.file("old", "old");
    fs::set_permissions(folder.path("old"), Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(folder.0.path(), Permissions::from_mode(0o755)).unwrap();
    for name in ["old", "new"] {
        let Some(output) = as_nobody(&folder, &format!("-o {name}")) else { return };
        let start = format!("{name}: cannot open for writing: Permission denied");
        failed(&output, &start, "");
    }
    assert_eq!((&*folder.text("old"), folder.names()), ("old", vec!["charpipe".into(), "old".into()]));
    // For the files of others in a folder such as /tmp, the system refuses only at the end.
    fs::set_permissions(folder.0.path(), Permissions::from_mode(0o1777)).unwrap();
    let output = as_nobody(&folder, "-o old").unwrap();
    failed(&output, "old: cannot write: Operation not permitted", "");
    assert_eq!((&*folder.text("old"), folder.names()), ("old", vec!["charpipe".into(), "old".into()]));
}

// --- Metadata --------------------------------------------------------------------------------------------------------

#[test]
fn owner_group_and_mode() {
    let folder = Folder::new();
    folder.file("x", "new");
    if chown(folder.file("old", "old"), Some(NOBODY), Some(NOBODY)).is_err() {
        crate::common::skipped("files cannot be given away here");
        return;
    }
    // Set-user-ID, set-group-ID and sticky bits were given to the old content.
    for (mode, kept) in [(0o640, 0o640), (0o4711, 0o711), (0o2755, 0o755), (0o1604, 0o604), (0o7777, 0o777)] {
        for command in ["-o old x", "--eol crlf --in-place old"] {
            folder.file("x", "new\n");
            fs::set_permissions(folder.path("old"), Permissions::from_mode(mode)).unwrap();
            silent(&folder.run(command));
            let now = fs::metadata(folder.path("old")).unwrap();
            assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (NOBODY, NOBODY, kept), "{mode:o} {command}");
        }
    }
    // A user who may not give files away gets a file of their own, in which no permission bit grants more than before.
    fs::set_permissions(folder.0.path(), Permissions::from_mode(0o777)).unwrap();
    // Members of the group now count as others, so others get no more permissions than the group had.
    for (mode, kept) in [(0o6775, 0o705), (0o604, 0o600), (0o646, 0o604)] {
        chown(folder.file("old", "old"), Some(0), Some(0)).unwrap();
        fs::set_permissions(folder.path("old"), Permissions::from_mode(mode)).unwrap();
        let Some(output) = as_nobody(&folder, "-o old x") else { return };
        silent(&output);
        let now = fs::metadata(folder.path("old")).unwrap();
        assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (NOBODY, NOBODY, kept), "{mode:o}");
    }
}

#[cfg(target_os = "linux")]
mod attributes {
    use super::*;

    const ACCESS: &str = "system.posix_acl_access";
    const DEFAULT: &str = "system.posix_acl_default";

    /// Returns a list as the system stores it: its version, then tag, permissions and user of each entry: the owner,
    /// user 12345, the group, the mask, the others.
    fn list(user: u16, group: u16, mask: u16) -> Vec<u8> {
        let none = u32::MAX;
        let entries = [(1u16, 6, none), (2, user, 12345), (4, group, none), (0x10, mask, none), (0x20, 0, none)];
        let entry = |(tag, bits, id): (u16, u16, u32)| {
            [&tag.to_le_bytes()[..], &bits.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        [2u32.to_le_bytes().to_vec(), entries.map(entry).concat()].concat()
    }

    fn get(path: &Path, name: &str) -> Option<Vec<u8>> {
        let mut value = vec![0; 1 << 16];
        let len = getxattr(path, name, &mut value[..]).ok()?;
        value.truncate(len);
        Some(value)
    }

    fn set(path: &Path, name: &str, value: &[u8]) -> bool {
        let done = setxattr(path, name, value, XattrFlags::empty());
        if let Err(error) = done {
            crate::common::skipped(format_args!("no {name} here: {error}"));
        }
        done.is_ok()
    }

    #[test]
    fn attributes_are_kept() {
        let folder = Folder::new();
        let (old, _) = (folder.file("old", "old"), folder.file("x", "new"));
        if set(&old, "user.origin", b"a\0b") && set(&old, "user.empty", b"") {
            // A capability belongs to the content, not to the name.
            let capability = [1, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            let is_capable = set(&old, "security.capability", &capability);
            assert_eq!(get(&old, "security.capability").is_some(), is_capable);
            silent(&folder.run("-o old x"));
            assert_eq!(folder.text("old"), "new");
            assert_eq!(get(&old, "user.origin").as_deref(), Some(&b"a\0b"[..]));
            assert_eq!(get(&old, "user.empty").as_deref(), Some(&b""[..]));
            assert_eq!(get(&old, "security.capability"), None);
        }
    }

    #[test]
    fn an_access_control_list_is_kept() {
        let folder = Folder::new();
        let (old, _) = (folder.file("old", "old"), folder.file("x", "new"));
        let list = list(6, 0, 6);
        if set(&old, ACCESS, &list) {
            assert_eq!(folder.mode("old"), 0o660);
            silent(&folder.run("-o old x"));
            assert_eq!((folder.text("old"), get(&old, ACCESS), folder.mode("old")), ("new".into(), Some(list), 0o660));
        }
    }

    /// A default list that the folder has for new files is not applied to a file that had none.
    #[test]
    fn no_access_control_list_is_added() {
        let folder = Folder::new();
        let (old, _) = (folder.file("old", "old"), folder.file("x", "new"));
        fs::set_permissions(&old, Permissions::from_mode(0o660)).unwrap();
        if set(folder.0.path(), DEFAULT, &list(7, 7, 7)) {
            silent(&folder.run("-o old x"));
            assert_eq!((folder.text("old"), get(&old, ACCESS), folder.mode("old")), ("new".into(), None, 0o660));
            // A new file gets the list that the folder has for new files.
            silent(&folder.run("-o fresh x"));
            assert!(get(&folder.path("fresh"), ACCESS).is_some());
        }
    }
}

// --- Input and output in one file ----------------------------------------------------------------

#[test]
fn output_into_the_input() {
    let folder = Folder::new();
    for script in [
        "$CHARPIPE x >> x",
        "$CHARPIPE < x >> x",
        "$CHARPIPE - < x >> x",
        "$CHARPIPE x 1<> x",
        "$CHARPIPE hard >> x",
        "$CHARPIPE link >> x",
        "$CHARPIPE -o /dev/stdout x >> x",
        "$CHARPIPE --records auto x >> x",
    ] {
        let folder = Folder::new();
        folder.file("x", "text\n");
        symlink("x", folder.path("link")).unwrap();
        fs::hard_link(folder.path("x"), folder.path("hard")).unwrap();
        failed(&folder.sh(script), "", "cannot open: it is also the output (use -o to replace it)");
        assert_eq!(folder.text("x"), "text\n", "{script}");
    }
    // The shell has emptied the file, so it is empty; what is written to it is not read again.
    folder.file("a", "text\n");
    for (script, status, expected) in [
        ("$CHARPIPE x > x", 0, ""),
        ("$CHARPIPE < x > x", 0, ""),
        ("$CHARPIPE x a > x", 0, "text\n"),
        ("$CHARPIPE a x > x", 3, "text\n"),
        ("$CHARPIPE a x a > x", 3, "text\ntext\n"),
    ] {
        folder.file("x", "old");
        assert_eq!(folder.sh(script).status.code(), Some(status), "{script}");
        assert_eq!(folder.text("x"), expected, "{script}");
    }
}

#[test]
fn a_report_into_input_or_output() {
    let folder = Folder::new();
    symlink(".", folder.path("here")).unwrap();
    for script in [
        "$CHARPIPE --report x x",
        "$CHARPIPE --report ./x a x",
        "$CHARPIPE --report here/x < x",
        "$CHARPIPE --report x -o ./x a",
        "$CHARPIPE --report here/x -o x a",
        "$CHARPIPE --report here/new -o new a",
        "$CHARPIPE --report x a >> x",
    ] {
        folder.file("x", "text");
        folder.file("a", "a");
        let output = folder.sh(script);
        assert_eq!(output.status.code(), Some(2), "{script}: {}", stderr(&output));
        assert!(stderr(&output).ends_with(" cannot be the same file\n"));
        assert_eq!((folder.text("x"), folder.names()), ("text".into(), ["a", "here", "x"].map(String::from).to_vec()));
    }
    let output = folder.sh("$CHARPIPE -q --report - x 2>> x > out");
    assert_eq!((output.status.code(), folder.text("out")), (Some(3), String::new()));
    assert!(folder.text("x").starts_with("text"));
}

/// Lists and tables are read before anything is written, and would be lost.
#[test]
fn an_output_into_a_list_or_a_table() {
    let folder = Folder::new();
    symlink(".", folder.path("here")).unwrap();
    let list = "{\"input\": \"a\", \"output\": \"b\"}\n";
    let shared = "{\"input\": \"a\"}\n";
    let onto = "{\"input\": \"a\", \"output\": \"here/x\"}\n";
    let table: Vec<u8> = (0..=255).collect();
    for (content, script, option) in [
        (list.as_bytes(), "--inputs x --report here/x", "--inputs"),
        (list.as_bytes(), "--inputs - --report x < x", "--inputs"),
        (shared.as_bytes(), "--inputs x -o here/x", "--inputs"),
        (shared.as_bytes(), "--inputs x --check -o here/x", "--inputs"),
        (shared.as_bytes(), "--inputs - -o x < here/x", "--inputs"),
        (shared.as_bytes(), "--inputs x >> x", "--inputs"),
        (onto.as_bytes(), "--inputs x", "--inputs"),
        (&*table, "--codec-file x -o here/x a", "--codec-file"),
        (&*table, "--codec-file x,to=IBM037 -o here/x a", "--codec-file"),
        (&*table, "--codec-file a --codec-file x --report x b", "--codec-file"),
        (&*table, "--codec-file x --output-dir here sub/x", "--codec-file"),
        (&*table, "--codec-file x --in-place -f latin1 b here/x", "--codec-file"),
        (&*table, "--codec-file x --in-place=.old -f latin1 x", "--codec-file"),
        (&*table, "chart x --codec-file x -o here/x", "--codec-file"),
    ] {
        folder.file("x", content);
        folder.file("a", &table);
        folder.file("b", "b");
        fs::create_dir_all(folder.path("sub")).unwrap();
        folder.file("sub/x", "text");
        let output = folder.sh(&format!("$CHARPIPE {script}"));
        let messages = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{script}: {messages}");
        assert!(
            messages.ends_with(&format!("x: {option} reads this file, so it cannot be written\n"))
                || messages.ends_with(&format!("<stdout>: {option} reads this file, so it cannot be written\n")),
            "{messages}"
        );
        assert!(fs::read(folder.path("x")).unwrap() == content, "{script}");
        assert_eq!(folder.names(), ["a", "b", "here", "sub", "x"], "{script}");
    }
}

// --- Streams that are closed ---------------------------------------------------------------------

#[test]
fn a_closed_standard_output() {
    let folder = Folder::new();
    folder.file("x", "text");
    for args in
        ["x", "-q x", "detect x", "detect --records x", "list", "chart IBM037", "-V", "--help", "help list", "-l"]
    {
        for how in [">&-", "<&- >&-", "1< /dev/null"] {
            let output = folder.sh(&format!("$CHARPIPE {args} {how}"));
            failed(&output, "<stdout>: cannot write: ", "(os error 9)");
        }
    }
    // If the stream is not needed, there is no error.
    silent(&folder.sh("$CHARPIPE -o y x >&-"));
    assert_eq!(folder.text("y"), "text");
    for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", "/dev/./fd//1"] {
        let output = folder.sh(&format!("$CHARPIPE -o {path} x >&-"));
        failed(&output, path, "cannot open for writing: Bad file descriptor (os error 9)");
    }
}

#[test]
fn a_closed_standard_input() {
    let folder = Folder::new();
    folder.file("x", "text");
    for args in ["", "-", "-o y", "detect", "--records auto"] {
        let output = folder.sh(&format!("$CHARPIPE {args} <&-"));
        failed(&output, "<stdin>: cannot open: Bad file descriptor (os error 9)", "");
        assert_eq!((text(&output), folder.names()), (String::new(), vec!["x".into()]), "{args}");
    }
    for path in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev//fd/0"] {
        let output = folder.sh(&format!("$CHARPIPE {path} <&-"));
        failed(&output, path, "cannot open: Bad file descriptor (os error 9)");
    }
    let output = folder.sh("$CHARPIPE git-filter -f latin1 <&-");
    failed(&output, "git-filter: cannot read: Bad file descriptor (os error 9)", "--help`)");
    let output = folder.sh("$CHARPIPE x <&-");
    silent(&output);
    assert_eq!(text(&output), "text");
}

#[test]
fn a_closed_standard_error() {
    let folder = Folder::new();
    folder.file("x", "text");
    folder.file("bad", "\u{20AC}");
    for (args, status, expected) in [
        ("x", 0, "text"),
        ("-v x", 0, "text"),
        ("-t latin1 bad", 1, ""),
        ("none x", 3, "text"),
        // Here data would be missing.
        ("--report - x", 3, ""),
    ] {
        let output = folder.sh(&format!("$CHARPIPE {args} 2>&-"));
        assert_eq!((output.status.code(), &*text(&output)), (Some(status), expected), "{args}");
    }
}

/// Other programs pass /dev/null for "nothing", open for reading and writing. That looks just like the file that the
/// Rust runtime opens in place of a closed stream.
#[test]
fn the_null_device_is_not_a_closed_stream() {
    let folder = Folder::new();
    folder.file("x", "text");
    for how in ["> /dev/null", ">> /dev/null", "1<> /dev/null", "0<> /dev/null 1>&0 2>&0"] {
        for args in ["x", "detect x", "-V", "--report - x"] {
            assert_eq!(folder.sh(&format!("$CHARPIPE {args} {how}")).status.code(), Some(0), "{args} {how}");
        }
    }
    for how in ["< /dev/null", "0<> /dev/null"] {
        silent(&folder.sh(&format!("$CHARPIPE {how}")));
    }
}

// --- Reading that fails --------------------------------------------------------------------------

#[cfg(target_os = "linux")]
#[test]
fn an_input_that_fails_at_once() {
    let folder = Folder::new();
    folder.file("x", "old");
    for args in ["/proc/self/mem", "-o x /proc/self/mem", "detect /proc/self/mem", "detect --records /proc/self/mem"] {
        let output = folder.run(args);
        failed(&output, "/proc/self/mem: byte 0: cannot read: Input/output error (os error 5)", "");
        assert_eq!(text(&output), "");
    }
    assert_eq!((folder.text("x"), folder.names()), ("old".into(), vec!["x".into()]));
    // The others are converted all the same.
    let output = folder.run("x /proc/self/mem x");
    assert_eq!((output.status.code(), &*text(&output)), (Some(3), "oldold"));
}

/// Reads a process's memory as a file, up to the end of a mapping: what is mapped is read, and then there is an EIO.
#[cfg(target_os = "linux")]
#[test]
fn an_input_that_fails_in_the_middle() {
    const LEN: u64 = 300;
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let ranges: Vec<(u64, u64, bool)> = maps
        .lines()
        .map(|line| {
            let (range, rest) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            // A read-only mapping does not change meanwhile.
            (u64::from_str_radix(start, 16).unwrap(), u64::from_str_radix(end, 16).unwrap(), rest.starts_with("r--p"))
        })
        .collect();
    let mut memory = File::open("/proc/self/mem").unwrap();
    let mut expected = vec![0; LEN as usize];
    let end = ranges.windows(2).filter(|pair| pair[0].2 && pair[1].0 > pair[0].1).map(|pair| pair[0].1);
    let Some(end) = end.into_iter().find(|end| memory.read_exact_at(&mut expected, end - LEN).is_ok()) else {
        crate::common::skipped("there is no end of memory");
        return;
    };
    let folder = Folder::new();
    folder.file("old", "old");
    for (args, is_direct) in [("", true), ("-o old", false)] {
        memory.seek(SeekFrom::Start(end - LEN)).unwrap();
        let mut command = folder.charpipe();
        command.args("-f latin1 -t latin1 --relabel never --eol keep".split(' ')).args(args.split_whitespace());
        let output = command.stdin(memory.try_clone().unwrap()).output().unwrap();
        failed(&output, "<stdin>: byte 300: cannot read: Input/output error (os error 5)", "");
        // The output before the error is delivered.
        assert!(output.stdout == if is_direct { &expected[..] } else { b"" }, "{args}");
    }
    assert_eq!((folder.text("old"), folder.names()), ("old".into(), vec!["old".into()]));
}

/// A run that has read the beginning of a file and waits for a reader.
fn waiting(folder: &Folder) -> Child {
    let child = folder.charpipe().arg("x").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let at = format!("/proc/{}/io", child.id());
    if cfg!(target_os = "linux") {
        // Both conditions, as the process also sleeps before it becomes charpipe.
        until(|| !fs::read_to_string(&at).unwrap().contains("wchar: 0\n") && is_in_state(&child, 'S'));
    }
    child
}

#[test]
fn an_input_that_shrinks_or_grows() {
    let folder = Folder::new();
    let content = long_text(300_000);
    let keep = content.len() / 2;
    folder.file("x", &content);
    let child = waiting(&folder);
    OpenOptions::new().write(true).open(folder.path("x")).unwrap().set_len(keep as u64).unwrap();
    // The output is what was in the file when it was read, whether or not it ends within a character.
    let output = child.wait_with_output().unwrap();
    assert!(output.stdout.len() <= keep && content.starts_with(&output.stdout));
    assert!(output.stdout.len() + 3 > keep || output.status.code() == Some(1));

    folder.file("x", &content);
    let child = waiting(&folder);
    OpenOptions::new().append(true).open(folder.path("x")).unwrap().write_all(&content).unwrap();
    let output = child.wait_with_output().unwrap();
    silent(&output);
    assert!(output.stdout == [&content[..], &content].concat());
}

/// Signals while it waits for input and for a reader.
#[test]
fn stopped_and_continued() {
    let folder = Folder::new();
    folder.file("x", long_text(300_000));
    let child = waiting(&folder);
    stop_and_continue(&child);
    for signal in ["WINCH", "CHLD"] {
        send(signal, &child);
    }
    stop_and_continue(&child);
    let output = child.wait_with_output().unwrap();
    silent(&output);
    assert!(output.stdout == long_text(300_000));

    for is_nonblocking in [false, true] {
        let (ours, theirs) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(is_nonblocking).unwrap();
        let mut command = folder.charpipe();
        command.stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs))).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        drop(command);
        for _ in 0..5 {
            (&ours).write_all("é".as_bytes()).unwrap();
            send("WINCH", &child);
            stop_and_continue(&child);
        }
        drop(ours);
        let output = child.wait_with_output().unwrap();
        silent(&output);
        assert_eq!(text(&output), "ééééé");
    }
}

fn nonblocking(file: &impl std::os::fd::AsFd) {
    fcntl_setfl(file, fcntl_getfl(file).unwrap() | OFlags::NONBLOCK).unwrap();
}

/// Another process has made the pipe non-blocking: no data is lost, and there is no error.
#[test]
fn non_blocking_pipes() {
    let folder = Folder::new();
    let content = long_text(100_000);
    let (input, mut feeder) = std::io::pipe().unwrap();
    let (mut reader, output) = std::io::pipe().unwrap();
    nonblocking(&input);
    nonblocking(&output);
    let mut command = folder.charpipe();
    command.args(["-t", "UTF-16BE"]).stdin(input).stdout(output).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    drop(command);
    let mut found = Vec::new();
    // It waits for input, of which there is none yet.
    until_state(&child, 'S');
    std::thread::scope(|scope| {
        let (content, child) = (&content, &child);
        scope.spawn(move || {
            for piece in content.chunks(70_001) {
                feeder.write_all(piece).unwrap();
            }
        });
        // The reader starts late, so that the pipe is full, and reads little at a time, so that writes are partial.
        if cfg!(target_os = "linux") {
            until(|| ioctl_fionread(&reader).unwrap() > 60_000 && is_in_state(child, 'S'));
        }
        let mut buffer = [0; 999];
        loop {
            match reader.read(&mut buffer).unwrap() {
                0 => break,
                len => found.extend_from_slice(&buffer[..len]),
            }
        }
    });
    silent(&child.wait_with_output().unwrap());
    let text: Vec<u8> = String::from_utf8(content).unwrap().encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert!(found == text, "{} bytes of {}", found.len(), text.len());
}

/// No message is lost if another process has made standard error non-blocking.
#[test]
fn messages_on_a_full_non_blocking_pipe() {
    let folder = Folder::new();
    const FILES: usize = 3000;
    let names: Vec<String> = (0..FILES).map(|at| format!("no-such-file-{at:04}")).collect();
    for args in [&["--output-dir", "out"][..], &["detect"], &[]] {
        let (mut reader, output) = std::io::pipe().unwrap();
        nonblocking(&output);
        let mut command = folder.charpipe();
        command.args(args).args(&names).stdin(Stdio::null()).stdout(Stdio::null()).stderr(output);
        let mut child = command.spawn().unwrap();
        drop(command);
        // The pipe is full.
        if cfg!(target_os = "linux") {
            until(|| ioctl_fionread(&reader).unwrap() > 60_000 && is_in_state(&child, 'S'));
        }
        let mut found = String::new();
        reader.read_to_string(&mut found).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(3));
        let lines = found.lines().filter(|line| line.contains("cannot open: No such file"));
        assert_eq!(lines.count(), FILES, "{args:?}");
    }
}

/// The same for the other commands, which write little: the pipe is full from the start.
#[test]
fn a_full_non_blocking_pipe() {
    let folder = Folder::new();
    folder.file("x", "text");
    for args in ["detect x", "list", "-V", "chart IBM037", "x"] {
        let expected = text(&folder.run(args));
        let (mut reader, output) = std::io::pipe().unwrap();
        nonblocking(&output);
        let mut filled = 0;
        while let Ok(len) = (&output).write(&[b'#'; 4096]) {
            filled += len;
        }
        let mut command = folder.charpipe();
        let child = command.args(args.split(' ')).stdout(output).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        until_state(&child, 'S');
        let mut found = String::new();
        reader.read_to_string(&mut found).unwrap();
        silent(&child.wait_with_output().unwrap());
        assert_eq!(&found[filled..], expected, "{args}");
    }
}

#[test]
fn a_reader_that_closes_the_pipe_early() {
    let folder = Folder::new();
    folder.file("x", long_text(300_000));
    for args in ["x", "-q x x", "list --json", "-o /dev/stdout x"] {
        let (mut reader, output) = std::io::pipe().unwrap();
        let mut command = folder.charpipe();
        let child = command.args(args.split(' ')).stdout(output).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        reader.read_exact(&mut [0; 10]).unwrap();
        drop(reader);
        silent(&child.wait_with_output().unwrap());
    }
}

/// The report says where the reader stopped, and has nothing about the inputs that were not reached.
#[test]
fn the_report_of_a_reader_that_closes_the_pipe_early() {
    let folder = Folder::new();
    folder.file("x", long_text(300_000));
    folder.file("y", "short");
    for args in ["--report r y x y", "--report r -o /dev/stdout y x y", "--report r --jobs 2 y x y"] {
        let (mut reader, output) = std::io::pipe().unwrap();
        let mut command = folder.charpipe();
        let child = command.args(args.split(' ')).stdout(output).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        reader.read_exact(&mut [0; 10]).unwrap();
        drop(reader);
        silent(&child.wait_with_output().unwrap());
        let report = folder.text("r");
        let lines: Vec<serde_json::Value> = report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let seen: Vec<_> = lines.iter().map(|line| (line["input"].as_str(), line["stopped"].as_bool())).collect();
        assert_eq!(seen, [(Some("y"), Some(false)), (Some("x"), Some(true))], "{args}");
        let read = lines[1]["bytes_in"].as_u64().unwrap();
        assert!(read > 0 && read < long_text(300_000).len() as u64, "{read}");
        assert!(lines[1]["error"].is_null());
    }
}

/// Only the reader of the main output may stop early: any other output would be incomplete.
#[test]
fn a_reader_that_closes_another_output_early() {
    let folder = Folder::new();
    folder.file("x", long_text(20_000));
    fs::create_dir(folder.path("out")).unwrap();
    folder.file("y", "");
    // More than a pipe holds, in both cases.
    let reported = format!("--report fifo{}", " y".repeat(300));
    for (fifo, args) in [("out/x", "--output-dir out x"), ("fifo", &reported)] {
        let script = format!(
            "mkfifo {fifo}; head -c 10 {fifo} > start & head=$!
            \"$CHARPIPE\" -q {args} > /dev/null; status=$?; wait $head; exit $status"
        );
        let output = folder.sh(&script);
        failed(&output, &format!("{fifo}: cannot write: Broken pipe"), "(os error 32)");
    }
}

/// A library that makes the system calls of the command fail which write to a regular file, from the one with the
/// number `FAIL_AT` on, as a file in a FUSE or network file system may. Returns `None` if there is no C compiler.
fn failing_calls(folder: &Folder) -> Option<PathBuf> {
    let source = "#define _GNU_SOURCE
        #include <errno.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        static long fails(int fd) {
            static int count;
            struct stat found;
            if (fstat(fd, &found) || !S_ISREG(found.st_mode)) return 0;
            return __sync_add_and_fetch(&count, 1) >= atoi(getenv(\"FAIL_AT\"));
        }
        ssize_t write(int fd, const void *bytes, size_t len) {
            if (fails(fd)) { errno = EPIPE; return -1; }
            return syscall(SYS_write, fd, bytes, len);
        }
        int fdatasync(int fd) {
            if (fails(fd)) { errno = EPIPE; return -1; }
            return syscall(SYS_fdatasync, fd);
        }";
    folder.file("fail.c", source);
    let library = folder.path("fail.so");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(folder.path("fail.c")).output();
    if built.is_ok_and(|built| built.status.success()) {
        return Some(library);
    }
    crate::common::skipped("there is no C compiler");
    None
}

/// A regular file has no reader that could have had enough: if it reports a closed pipe, data is missing.
#[test]
fn a_regular_file_that_reports_a_closed_pipe() {
    let tools = Folder::new();
    let Some(library) = failing_calls(&tools) else { return };
    let long = long_text(20_000);
    for (args, output) in [
        ("-o old x", "old"),
        ("-o new x", "new"),
        ("--output-dir dir x", "dir/x"),
        ("--in-place x", "x"),
        ("--in-place=.old x", "x"),
        ("--jobs 2 -o old x", "old"),
        ("x", "<stdout>"),
        ("--report report y", "report"),
        ("--check x", "<stdout>"),
        ("detect x", "<stdout>"),
        ("list", "<stdout>"),
    ] {
        let mut failures = 0;
        for at in 1.. {
            let folder = Folder::new();
            folder.file("x", &long);
            folder.file("y", "");
            folder.file("old", "old");
            fs::create_dir(folder.path("dir")).unwrap();
            let mut command = folder.charpipe();
            command.args(["-q"].iter().filter(|_| !args.starts_with(['d', 'l']))).args(args.split(' '));
            if !args.starts_with(['d', 'l']) {
                command.args(["-t", "latin1"]);
            }
            command.env("LD_PRELOAD", &library).env("FAIL_AT", at.to_string()).stdin(Stdio::null());
            let direct = File::create(folder.path("direct")).unwrap();
            let found = command.stdout(direct).stderr(Stdio::piped()).output().unwrap();
            if found.status.code() == Some(0) && at > 1 {
                break;
            }
            failed(&found, &format!("{output}: cannot write: Broken pipe"), "(os error 32)");
            failures += 1;
            // Nothing is put in its place.
            assert_eq!(
                (folder.text("old"), fs::read(folder.path("x")).unwrap() == long),
                ("old".into(), true),
                "{args}"
            );
            let mut names = folder.names();
            names.retain(|name| !matches!(&**name, "direct" | "x" | "y" | "old" | "dir"));
            assert!(names.is_empty() && fs::read_dir(folder.path("dir")).unwrap().count() == 0, "{args}: {names:?}");
        }
        assert!(failures > 0, "{args}");
    }
}

/// A path may contain any bytes; files are opened by these bytes.
#[test]
fn a_name_with_a_newline() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"a\nb ");
    let output = folder.charpipe().arg("-o").arg(name).stdin(Stdio::null()).output().unwrap();
    silent(&output);
    assert_eq!(folder.names(), ["a\nb "]);
}

// --- Endless input ---------------------------------------------------------------------------------------------------

/// Memory does not grow with the input, with any content: 8 MiB are enough for 12.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded() {
    let folder = Folder::new();
    // A declaration that does not end, a record that claims to have 4 GiB, nothing but errors.
    for (beginning, args, status) in [
        ("", "-f latin1", 0),
        ("", "-q --malformed replace --report report", 0),
        ("", "-t IBM037 --unmappable drop -q -f IBM1390 --report report", 0),
        ("<?xml ", "", 1),
        ("<!doctype html><meta ", "--policy whatwg", 0),
        ("\\377\\377\\377\\377", "-f latin1 --records u32", 1),
        ("", "-q -f latin1 --records vb", 1),
        ("", "--guess -q", 1),
        ("", "detect --explain", 1),
        ("", "detect --records", 1),
    ] {
        let script = format!(
            "ulimit -d 8192; {{ printf \"{beginning}\"; head -c 12M /dev/zero | tr '\\0' '\\377'; }} |
            \"$CHARPIPE\" {args} > out"
        );
        let output = folder.sh(&script);
        assert_eq!(output.status.code(), Some(status), "{args}: {}", stderr(&output));
    }
}
