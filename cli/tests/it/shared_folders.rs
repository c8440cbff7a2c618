//! The command in directories that others can write to. An attacker, who is not root, exchanges names while root runs
//! the command. If the moment can be chosen from outside, the names are exchanged when it does the most harm: while the
//! command waits for a FIFO, or is stopped. Tests that need root print a line and do nothing without it.

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// The attacker.
const MALLORY: u32 = 65534;

/// Another user.
const OTHER: u32 = 65533;

const CHANGED: &str = "another process has changed the file meanwhile";

/// A directory `shared` that belongs to the attacker, and a directory `private` that belongs to root.
struct Place(TempDir);

impl Place {
    /// Creates them. Without root, prints a line and returns `None`.
    fn new() -> Option<Self> {
        let place = Place(TempDir::new().unwrap());
        place.make_dir("shared", 0o755);
        if chown(place.path("shared"), Some(MALLORY), Some(MALLORY)).is_err() {
            crate::common::skipped("this test needs root");
            return None;
        }
        fs::set_permissions(place.0.path(), Permissions::from_mode(0o755)).unwrap();
        place.make_dir("private", 0o700);
        place.file("private/secret", "secret\n", 0, 0o600);
        place.file("private/suid", "root's\n", 0, 0o4755);
        Some(place)
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    fn make_dir(&self, name: &str, mode: u32) {
        fs::create_dir(self.path(name)).unwrap();
        fs::set_permissions(self.path(name), Permissions::from_mode(mode)).unwrap();
    }

    /// Writes a file where its name cannot be exchanged, then moves it into place: an attack in progress must not
    /// redirect the test itself.
    fn file(&self, name: &str, content: impl AsRef<[u8]>, owner: u32, mode: u32) {
        let made = self.path("made");
        fs::write(&made, content).unwrap();
        chown(&made, Some(owner), Some(owner)).unwrap();
        fs::set_permissions(&made, Permissions::from_mode(mode)).unwrap();
        fs::rename(&made, self.path(name)).unwrap();
    }

    fn mallorys(&self, name: &str, content: impl AsRef<[u8]>) {
        self.file(name, content, MALLORY, 0o644);
    }

    /// Creates a symlink that belongs to the attacker.
    fn link(&self, target: impl AsRef<Path>, name: &str) {
        let made = self.path("made");
        symlink(target, &made).unwrap();
        lchown(&made, Some(MALLORY), Some(MALLORY)).unwrap();
        fs::rename(&made, self.path(name)).unwrap();
    }

    fn fifo(&self, name: &str) {
        assert!(Command::new("mkfifo").arg(self.path(name)).status().unwrap().success());
        chown(self.path(name), Some(MALLORY), Some(MALLORY)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn owner_and_mode(&self, name: &str) -> (u32, u32) {
        let found = fs::symlink_metadata(self.path(name)).unwrap();
        (found.uid(), found.mode() & 0o7777)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(CHARPIPE);
        command.current_dir(&self.0).args(line.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn start(&self, line: &str) -> Child {
        self.command(line).spawn().unwrap()
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Checks that root's files are unchanged.
    #[track_caller]
    fn is_intact(&self) {
        assert_eq!(self.names("private"), ["secret", "suid"]);
        assert_eq!((&*self.text("private/secret"), self.owner_and_mode("private/secret")), ("secret\n", (0, 0o600)));
        assert_eq!((&*self.text("private/suid"), self.owner_and_mode("private/suid")), ("root's\n", (0, 0o4755)));
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks for exit status 3 and a message with this text.
#[track_caller]
fn refused(output: &Output, with: &str) {
    let stderr = stderr(output);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains(with), "{stderr}");
}

/// Waits for an event, for up to a minute, as the machine may be busy.
#[track_caller]
fn until(what: &str, mut happened: impl FnMut() -> bool) {
    for _ in 0..60_000 {
        if happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{what}");
}

/// Returns the lengths of the unnamed files that a run is writing.
fn passing(child: &Child) -> Vec<u64> {
    let Ok(entries) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { return Vec::new() };
    let files = entries.filter_map(|entry| fs::metadata(entry.ok()?.path()).ok());
    files.filter(|file| file.nlink() == 0 && file.is_file()).map(|file| file.len()).collect()
}

fn send(signal: &str, child: &Child) {
    let kill = Command::new("sh").arg("-c").arg(format!("kill -{signal} {}", child.id())).status();
    assert!(kill.unwrap().success());
}

/// Each way to change what is at `shared/x`.
const ATTACKS: [&str; 5] = ["replaced", "link", "setuid", "directory", "gone"];

fn attack(place: &Place, attack: &str) {
    place.rename("shared/x", "shared/moved");
    match attack {
        "replaced" => place.mallorys("shared/x", ""),
        "link" => place.link("../private/secret", "shared/x"),
        "setuid" => place.link("../private/suid", "shared/x"),
        "directory" => fs::create_dir(place.path("shared/x")).unwrap(),
        "gone" => {}
        _ => unreachable!(),
    }
}

/// Checks that the attacker's files are unchanged and that no temporary file remains.
#[track_caller]
fn is_left(place: &Place, attack: &str, moved: &str, mode: (u32, u32)) {
    place.is_intact();
    let expected: &[&str] = if attack == "gone" { &["moved"] } else { &["moved", "x"] };
    assert_eq!(place.names("shared"), expected, "{attack}");
    assert!(place.text("shared/moved") == moved && place.owner_and_mode("shared/moved") == mode, "{attack}");
    let x = fs::symlink_metadata(place.path("shared/x"));
    match attack {
        "replaced" => assert_eq!((x.unwrap().len(), place.owner_and_mode("shared/x").0), (0, MALLORY)),
        "link" | "setuid" => assert!(x.unwrap().is_symlink()),
        "directory" => assert!(x.unwrap().is_dir()),
        _ => {}
    }
}

// --- Replacing a file ------------------------------------------------------------------------------------------------

/// `-o`: the old file is open while the command waits for input.
#[test]
fn an_output_whose_name_is_exchanged() {
    for kind in ATTACKS {
        let Some(place) = Place::new() else { return };
        place.file("shared/x", "old\n", 0, 0o600);
        place.fifo("input");
        let mut child = place.command("-o shared/x").stdin(Stdio::piped()).spawn().unwrap();
        until("it writes", || !passing(&child).is_empty());
        attack(&place, kind);
        child.stdin.take().unwrap().write_all(b"new\n").unwrap();
        refused(&child.wait_with_output().unwrap(), &format!("shared/x: cannot write: {CHANGED}"));
        is_left(&place, kind, "old\n", (0, 0o600));
    }
}

/// A file that did not exist at first, but does when it is about to be created.
#[test]
fn an_output_that_appears() {
    for is_link in [false, true] {
        let Some(place) = Place::new() else { return };
        let mut child = place.command("-o shared/x").stdin(Stdio::piped()).spawn().unwrap();
        until("it writes", || !passing(&child).is_empty());
        if is_link {
            place.link("../private/suid", "shared/x")
        } else {
            place.mallorys("shared/x", "mine")
        }
        child.stdin.take().unwrap().write_all(b"new\n").unwrap();
        refused(&child.wait_with_output().unwrap(), CHANGED);
        place.is_intact();
        assert_eq!(place.names("shared"), ["x"]);
    }
}

/// The directory is the one from the beginning of the run, regardless of where its name leads to now.
#[test]
fn an_output_whose_directory_is_exchanged() {
    for old in [None, Some("old\n")] {
        let Some(place) = Place::new() else { return };
        place.make_dir("shared/sub", 0o777);
        if let Some(old) = old {
            place.mallorys("shared/sub/x", old);
        }
        let mut child = place.command("-o shared/sub/x").stdin(Stdio::piped()).spawn().unwrap();
        until("it writes", || !passing(&child).is_empty());
        place.rename("shared/sub", "shared/moved");
        place.link("../private", "shared/sub");
        child.stdin.take().unwrap().write_all(b"new\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        place.is_intact();
        assert_eq!((place.text("shared/moved/x"), place.names("shared/moved").len()), ("new\n".into(), 1));
    }
}

/// Starts a run on a file that takes long to convert, and stops it when part of the output is written. Returns `None`
/// if it ended before, so that the caller can try again.
fn stopped(place: &Place, line: &str) -> Option<Child> {
    let mut child = place.start(line);
    until("it writes", || passing(&child).iter().any(|len| *len > 100_000) || child.try_wait().unwrap().is_some());
    kill_process(Pid::from_child(&child), Signal::STOP).ok()?;
    let stat = format!("/proc/{}/stat", child.id());
    let state = || fs::read_to_string(&stat).unwrap().rsplit(") ").next().unwrap().chars().next();
    until("it stops", || matches!(state(), Some('T' | 'Z')));
    let written = passing(&child).into_iter().max().filter(|len| *len < LONG_TEXT_BYTES as u64);
    if written.is_none() {
        send("KILL", &child);
        child.wait().unwrap();
    }
    written.map(|_| child)
}

/// The length of that file.
const LONG_TEXT_BYTES: usize = 9_000_000;

fn long_text() -> Vec<u8> {
    b"a line of text\n".repeat(LONG_TEXT_BYTES / 15)
}

/// The number of attempts to stop a run in time.
const TRIES: usize = 100;

/// `--in-place`, with a backup and without.
#[test]
fn a_file_in_place_whose_name_is_exchanged() {
    let bytes = long_text();
    let content = String::from_utf8(bytes.clone()).unwrap();
    for (kind, options) in ATTACKS.into_iter().zip([
        "--in-place",
        "--in-place=.old",
        "-r --in-place=.old",
        "-r --in-place",
        "--in-place=.old",
    ]) {
        let Some(place) = Place::new() else { return };
        let operand = if options.starts_with("-r") { "shared" } else { "shared/x" };
        let begin = || {
            _ = fs::remove_file(place.path("shared/x.old"));
            place.file("shared/x", &bytes, 0, 0o600);
            stopped(&place, &format!("--eol crlf {options} {operand}"))
        };
        let child = (0..TRIES).find_map(|_| begin()).expect("it is stopped in time");
        attack(&place, kind);
        send("CONT", &child);
        refused(&child.wait_with_output().unwrap(), &format!("shared/x: cannot write: {CHANGED}"));
        is_left(&place, kind, &content, (0, 0o600));
    }
}

#[test]
fn a_file_in_place_whose_directory_is_exchanged() {
    let bytes = long_text();
    let Some(place) = Place::new() else { return };
    place.make_dir("shared/sub", 0o777);
    let begin = || {
        _ = fs::remove_file(place.path("shared/sub/suid.old"));
        place.mallorys("shared/sub/suid", &bytes);
        stopped(&place, "--eol crlf --in-place=.old shared/sub/suid")
    };
    let child = (0..TRIES).find_map(|_| begin()).expect("it is stopped in time");
    place.rename("shared/sub", "shared/moved");
    place.link("../private", "shared/sub");
    send("CONT", &child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    place.is_intact();
    assert_eq!(place.names("shared/moved"), ["suid", "suid.old"]);
    assert_eq!(place.owner_and_mode("shared/moved/suid"), (MALLORY, 0o644));
}

/// Data that is written to the file during the conversion is not lost.
#[test]
fn a_file_in_place_that_grows_meanwhile() {
    let bytes = long_text();
    let place = Place(TempDir::new().unwrap());
    let begin = || {
        fs::write(place.path("x"), &bytes).unwrap();
        stopped(&place, "--eol crlf --in-place x")
    };
    let child = (0..TRIES).find_map(|_| begin()).expect("it is stopped in time");
    // Most of it has been read by now, so the new end may be seen or not.
    OpenOptions::new().append(true).open(place.path("x")).unwrap().write_all(b"more\n").unwrap();
    send("CONT", &child);
    refused(&child.wait_with_output().unwrap(), CHANGED);
    assert!(place.text("x").ends_with("text\nmore\n"));
    assert_eq!(place.names("."), ["x"]);
}

/// Length and time of modification can be restored, but the file has changed all the same.
#[test]
fn a_file_in_place_that_changes_secretly() {
    let bytes = long_text();
    for options in ["--in-place", "--in-place=.old", "--in-place=.old --force"] {
        let place = Place(TempDir::new().unwrap());
        let begin = || {
            fs::write(place.path("x"), &bytes).unwrap();
            stopped(&place, &format!("--eol crlf {options} x"))
        };
        let child = (0..TRIES).find_map(|_| begin()).expect("it is stopped in time");
        let modified = fs::metadata(place.path("x")).unwrap().modified().unwrap();
        let file = OpenOptions::new().write(true).open(place.path("x")).unwrap();
        file.write_all_at(b"NEW", 0).unwrap();
        file.set_modified(modified).unwrap();
        send("CONT", &child);
        refused(&child.wait_with_output().unwrap(), CHANGED);
        assert!(place.text("x").starts_with("NEW"));
        assert_eq!(place.names("."), ["x"], "{options}");
    }
}

/// Names are exchanged all the time. Root's files are never changed, no set-user-ID file of root's is created, and no
/// temporary file remains.
#[test]
fn names_that_are_exchanged_all_the_time() {
    const ROUNDS: usize = 60;
    let Some(place) = Place::new() else { return };
    place.link("../private/suid", "shared/link");
    /// The attacker stops when the test ends, however it ends.
    struct Over<'a>(&'a AtomicBool);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let over = AtomicBool::new(false);
    let (one, other) = (place.path("shared/x"), place.path("shared/link"));
    let (mut done, mut failed) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for _ in 0..16 {
                    _ = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                }
                std::thread::yield_now();
            }
        });
        let _over = Over(&over);
        for round in 0..ROUNDS {
            // Root's files are ASCII, which conversion does not change.
            let name = if one.is_symlink() { "shared/link" } else { "shared/x" };
            let fresh = place.path("shared/fresh");
            place.mallorys("shared/fresh", b"mallory's \xE9\n");
            for path in [&one, &other] {
                if fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
                    _ = fs::rename(&fresh, path);
                    break;
                }
            }
            _ = fs::remove_file(&fresh);
            let line = ["-q -f latin1 --in-place", "-q -r -f latin1 --in-place"][round % 2];
            let operand = if round % 2 == 0 { name } else { "shared" };
            let output = place.run(&format!("{line} {operand}"));
            match output.status.code() {
                Some(0) => done += 1,
                Some(3) => failed += 1,
                // It was exchanged between two checks, so it seemed to be there twice, and nothing was started.
                Some(2) if stderr(&output).contains("cannot be replaced twice") => failed += 1,
                _ => panic!("{}", stderr(&output)),
            }
            place.is_intact();
            for name in place.names("shared") {
                assert!(!name.starts_with(".charpipe-"), "{name}");
                let found = fs::symlink_metadata(place.path("shared").join(&name)).unwrap();
                assert!(found.is_symlink() || found.mode() & 0o7000 == 0, "{name}");
                assert!(found.uid() == MALLORY, "{name} is root's");
            }
            if !(one.is_symlink() || other.is_symlink()) {
                // The name was exchanged between the last check and the rename, which replaced the attacker's own
                // symlink.
                _ = fs::remove_file(&other);
                place.link("../private/suid", "shared/link");
            }
            if !(one.exists() && other.exists()) {
                _ = fs::remove_file(&one);
                _ = fs::remove_file(&other);
                place.link("../private/suid", "shared/link");
                place.mallorys("shared/x", b"mallory's \xE9\n");
            }
        }
    });
    println!("{done} done, {failed} refused");
}

// --- Files found in directories --------------------------------------------------------------------------------------

/// Runs the command with `-r` on `shared`, and calls `attack` between the search for files and the opening of the
/// first: the report goes to a FIFO, which is opened between the two.
fn after_the_search(place: &Place, line: &str, attack: impl FnOnce()) -> Output {
    place.fifo("report");
    let child = place.start(&format!("--report report {line}"));
    // The run waits for a reader of the report.
    let stat = format!("/proc/{}/wchan", child.id());
    let is_waiting =
        || fs::read_to_string(&stat).is_ok_and(|at| at.contains("wait_for_partner") || at.contains("fifo"));
    let is_asleep = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        stat.rsplit(") ").next().unwrap().starts_with('S')
    };
    until("it waits for the FIFO", || is_waiting() || is_asleep());
    attack();
    let path = place.path("report");
    let reader = std::thread::spawn(move || std::io::copy(&mut File::open(path).unwrap(), &mut std::io::sink()));
    let output = child.wait_with_output().unwrap();
    reader.join().unwrap().unwrap();
    fs::remove_file(place.path("report")).unwrap();
    output
}

#[test]
fn a_file_that_was_found_and_is_a_link_now() {
    for (target, options) in [
        ("../private/secret", "-r --output-dir out"),
        ("../private/secret", "-r -t UTF-16 --in-place"),
        ("../private/secret", "-r -t UTF-16 --in-place=.old"),
        ("../private/secret", "-r -o out/all"),
        ("../private/secret", "-r"),
        ("/dev/zero", "-r --output-dir out"),
        ("/dev/zero", "-r --in-place"),
    ] {
        let Some(place) = Place::new() else { return };
        place.make_dir("out", 0o755);
        place.mallorys("shared/a", "a\n");
        place.mallorys("shared/x", "x\n");
        let output = after_the_search(&place, &format!("{options} shared"), || {
            fs::remove_file(place.path("shared/x")).unwrap();
            place.link(target, "shared/x");
        });
        refused(&output, "shared/x: cannot open: it was a regular file when it was found, and is a symbolic link now");
        place.is_intact();
        assert!(!place.path("out/x").exists() && !place.path("out/all").exists(), "{options}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("secret"), "{options}");
        assert!(fs::symlink_metadata(place.path("shared/x")).unwrap().is_symlink());
        // The others are converted all the same.
        assert!(options != "-r --output-dir out" || place.text("out/a") == "a\n");
    }
}

/// It does not block on a FIFO.
#[test]
fn a_file_that_was_found_and_is_a_fifo_now() {
    for options in ["-r --output-dir out", "-r --in-place", "-r"] {
        let Some(place) = Place::new() else { return };
        place.mallorys("shared/x", "x\n");
        let output = after_the_search(&place, &format!("{options} shared"), || {
            fs::remove_file(place.path("shared/x")).unwrap();
            place.fifo("shared/x");
        });
        refused(&output, "shared/x: cannot open: it was a regular file when it was found, and is ");
    }
}

#[test]
fn a_directory_that_was_found_and_is_a_link_now() {
    for options in ["-r --output-dir out", "-r -t UTF-16 --in-place=.old", "-r"] {
        let Some(place) = Place::new() else { return };
        place.make_dir("shared/sub", 0o777);
        place.make_dir("shared/sub/sub", 0o777);
        place.mallorys("shared/sub/secret", "x\n");
        place.mallorys("shared/sub/sub/secret", "x\n");
        let output = after_the_search(&place, &format!("{options} shared"), || {
            place.rename("shared/sub", "shared/moved");
            place.link("../private", "shared/sub");
        });
        let expected =
            "shared/sub/secret: cannot open: the directory sub is a symbolic link, which is not followed here";
        refused(&output, expected);
        place.is_intact();
        assert!(output.stdout.is_empty() && !place.path("out/sub/secret").exists());
    }
}

#[test]
fn the_named_directory_is_replaced() {
    let Some(place) = Place::new() else { return };
    place.make_dir("shared/in", 0o777);
    place.mallorys("shared/in/secret", "x\n");
    // The directory that was searched is held open.
    let output = after_the_search(&place, "-r shared/in", || {
        place.rename("shared/in", "shared/moved");
        place.link("../private", "shared/in");
    });
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"x\n"[..]));
    // If there are many, not all are held open, but all are checked to be the same.
    let mut line = "-q -r".to_owned();
    for at in 0..40 {
        place.make_dir(&format!("shared/{at}"), 0o777);
        place.mallorys(&format!("shared/{at}/secret"), "x\n");
        line.push_str(&format!(" shared/{at}"));
    }
    let output = after_the_search(&place, &line, || {
        place.rename("shared/39", "shared/moved39");
        place.link("../private", "shared/39");
    });
    refused(&output, "shared/39/secret: cannot open: the path goes through a symbolic link of another user");
    assert_eq!(output.stdout, b"x\n".repeat(39));
    let output = after_the_search(&place, &line.replace("shared/39", "shared/moved39"), || {
        place.rename("shared/moved39", "shared/away");
        place.make_dir("shared/moved39", 0o777);
        place.mallorys("shared/moved39/secret", "y\n");
    });
    refused(&output, "shared/moved39/secret: cannot open: another process has replaced the directory meanwhile");
    assert_eq!(output.stdout, b"x\n".repeat(39));
}

#[test]
fn a_link_that_appears_among_the_outputs() {
    // A subdirectory, and the file itself.
    for (name, target, message) in [
        ("sub", "../private", "the directory sub is a symbolic link, which is not followed here"),
        ("x", "../private/suid", "a symbolic link was put there after the run began"),
        ("x", "../private/new", "a symbolic link was put there after the run began"),
    ] {
        let Some(place) = Place::new() else { return };
        place.make_dir("in", 0o755);
        place.make_dir("in/sub", 0o755);
        place.file("in/x", "new\n", 0, 0o644);
        place.file("in/sub/suid", "new\n", 0, 0o644);
        let output = after_the_search(&place, "-r --output-dir shared in", || {
            place.link(target, &format!("shared/{name}"));
        });
        refused(&output, message);
        place.is_intact();
    }
    // The output directory is the one from the beginning.
    let Some(place) = Place::new() else { return };
    place.mallorys("suid", "new\n");
    place.make_dir("shared/out", 0o777);
    let output = after_the_search(&place, "--output-dir shared/out suid", || {
        place.rename("shared/out", "shared/moved");
        place.link("../private", "shared/out");
    });
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    place.is_intact();
    assert_eq!(place.text("shared/moved/suid"), "new\n");
}

// --- A directory such as /tmp --------------------------------------------------------------------

/// In such a directory the command follows the rules that Linux has for opening files there, even if the system does
/// not enforce them.
#[test]
fn a_sticky_directory() {
    const LINK: &str = "the symbolic link belongs to another user, in a sticky directory that others can write to";
    const FILE: &str = "the file belongs to another user, in a sticky directory that others can write to";
    let Some(place) = Place::new() else { return };
    fs::set_permissions(place.path("shared"), Permissions::from_mode(0o1777)).unwrap();
    chown(place.path("shared"), Some(OTHER), Some(OTHER)).unwrap();
    place.file("in", "new\n", 0, 0o644);
    place.file("target", "old\n", 0, 0o644);
    place.link("../target", "shared/link");
    place.link("../new", "shared/dangling");
    place.mallorys("shared/file", "mallory's\n");
    place.fifo("shared/fifo");
    for (line, message) in [
        ("-o shared/link in", LINK),
        ("-o shared/dangling in", LINK),
        ("-o shared/file in", FILE),
        ("-o shared/fifo in", FILE),
        ("-t UTF-16 --in-place shared/link", LINK),
        ("-t UTF-16 --in-place shared/file", FILE),
        ("-t UTF-16 --in-place=.old shared/file", FILE),
        ("-t UTF-16 -r --in-place shared", FILE),
        ("--check -t UTF-16 --in-place shared/file", FILE),
        ("--report shared/file in", FILE),
    ] {
        refused(&place.run(line), message);
        assert_eq!((place.text("target"), place.text("shared/file")), ("old\n".into(), "mallory's\n".into()), "{line}");
        assert_eq!((place.names("shared").len(), place.path("new").exists()), (4, false), "{line}");
    }
    // A group can write there, not everyone.
    fs::set_permissions(place.path("shared"), Permissions::from_mode(0o1770)).unwrap();
    refused(&place.run("-o shared/file in"), FILE);
    // Files of the same user, or of the directory's owner, may be there.
    for owner in [0, OTHER] {
        lchown(place.path("shared/link"), Some(owner), Some(owner)).unwrap();
        chown(place.path("shared/file"), Some(owner), Some(owner)).unwrap();
        chown(place.path("target"), Some(owner), Some(owner)).unwrap();
        for name in ["link", "file"] {
            let output = place.run(&format!("-o shared/{name} in"));
            assert_eq!((output.status.code(), place.text(&format!("shared/{name}"))), (Some(0), "new\n".into()));
        }
    }
    // A link to a file of the link's owner, in a directory that is not sticky, is followed.
    lchown(place.path("shared/link"), Some(MALLORY), Some(MALLORY)).unwrap();
    fs::set_permissions(place.path("shared"), Permissions::from_mode(0o777)).unwrap();
    place.mallorys("target", "old\n");
    assert_eq!(place.run("-o shared/link in").status.code(), Some(0));
    assert_eq!(place.text("target"), "new\n");
}

const NOT_THEIRS: &str =
    "the path goes through a symbolic link of another user, to something that does not belong to that user";

/// A symlink of another user, in the middle of a path or at its end, is followed only to files of that user.
#[test]
fn a_link_to_files_of_another_user() {
    let Some(place) = Place::new() else { return };
    place.file("in", "new\n", 0, 0o644);
    place.link("../private", "shared/dir");
    place.link("dir", "shared/twice");
    place.link("../private/suid", "shared/file");
    place.link("../private/new", "shared/dangling");
    let before = place.names("private");
    for line in [
        "-o shared/dir/new in",
        "-o shared/dir/../private/new in",
        "-o shared/twice/new in",
        "-o shared/file in",
        "-o shared/dangling in",
        "--report shared/dir/new in",
        "--output-dir shared/dir in",
        "--output-dir shared/dir/made/twice in",
        "-t UTF-16 --in-place shared/dir/secret",
        "-t UTF-16 --in-place shared/file",
        "-t UTF-16 --in-place -r shared/dir",
        "-r --output-dir out shared/dir",
    ] {
        refused(&place.run(line), NOT_THEIRS);
        place.is_intact();
        assert_eq!(place.names("private"), before, "{line}");
        assert!(!place.path("out/secret").exists(), "{line}");
    }
    // Root's own link may lead anywhere, and mallory's to mallory's files.
    for (name, owner) in [("dir", 0), ("dir", MALLORY)] {
        lchown(place.path("shared/dir"), Some(owner), Some(owner)).unwrap();
        chown(place.path("private"), Some(owner), Some(owner)).unwrap();
        let output = place.run(&format!("-o shared/{name}/new in"));
        assert_eq!((output.status.code(), place.text("private/new")), (Some(0), "new\n".into()), "{}", stderr(&output));
        fs::remove_file(place.path("private/new")).unwrap();
    }
}

/// The links into `/proc` by which the attacker would reach a file of root: through a root directory, by `..`, a
/// setting of the process, and the descriptors that root has open.
fn links_into_proc(place: &Place) -> Vec<String> {
    let private = place.path("private").display().to_string();
    let mut links = Vec::new();
    for file in ["secret", "suid", "new"] {
        links.push(format!("/proc/self/root{private}/{file}"));
        links.push(format!("/proc/thread-self/root{private}/{file}"));
        links.push(format!("/proc/../{private}/{file}"));
        links.push(format!("/proc/self/cwd/private/{file}"));
        links.push(format!("/dev/fd/../../../{private}/{file}"));
    }
    let open = ["/proc/self/comm", "/proc/self/fd/1", "/proc/self/fd/2", "/dev/fd/1", "/dev/stdout", "/dev/stderr"];
    links.extend(open.map(str::to_owned));
    links.push(format!("/proc/{}/fd/1", std::process::id()));
    links
}

/// A link of the attacker that goes into `/proc` is never followed, by any option that names an output.
#[test]
fn a_link_into_proc() {
    let Some(place) = Place::new() else { return };
    place.file("in", "new\n", 0, 0o644);
    place.file("layout", "01 R.\n 05 A PIC X(4).\n", 0, 0o644);
    place.file("list", "{\"input\": \"in\", \"output\": \"shared/x\"}\n", 0, 0o644);
    place.make_dir("from", 0o755);
    place.file("from/x", "new\n", 0, 0o644);
    place.file("stdout", "", 0, 0o644);
    for target in links_into_proc(&place) {
        place.link(&target, "shared/x");
        for line in [
            "-o shared/x in",
            "--report shared/x -o result in",
            "--output-dir shared from/x",
            "-r --output-dir shared from",
            "--inputs list",
            "-t UTF-16 --in-place shared/x",
            "rows --layout layout --records fb:4 -o shared/x in",
            "rows --layout layout --records fb:4 --rejects shared/x -o result in",
            "rows --layout layout --records fb:4 --report shared/x -o result in",
        ] {
            let stdout = OpenOptions::new().append(true).open(place.path("stdout")).unwrap();
            let output = place.command(line).stdout(stdout).output().unwrap();
            refused(&output, NOT_THEIRS);
            place.is_intact();
            assert_eq!((place.text("stdout"), place.text("in")), (String::new(), "new\n".into()), "{line}: {target}");
        }
    }
    // So is one in the middle of a path.
    place.link(format!("/proc/self/root{}", place.path("private").display()), "shared/dir");
    for line in ["-o shared/dir/new in", "--output-dir shared/dir in", "-t UTF-16 -r --in-place shared/dir"] {
        refused(&place.run(line), NOT_THEIRS);
        place.is_intact();
    }
    // That the attacker's own file is at the end changes nothing: what is on the way can be another tree of mounts.
    place.mallorys("shared/theirs", "old\n");
    place.link(format!("/proc/self/root{}", place.path("shared/theirs").display()), "shared/x");
    refused(&place.run("-o shared/x in"), NOT_THEIRS);
    assert_eq!(place.text("shared/theirs"), "old\n");
}

/// A process of the attacker decides where the links of its own folder in `/proc` lead.
#[test]
fn a_link_to_a_process_of_another_user() {
    let Some(place) = Place::new() else { return };
    place.file("in", "new\n", 0, 0o644);
    // It may read the file, but not write it.
    place.file("shared/roots", "old\n", 0, 0o644);
    let roots = File::open(place.path("shared/roots")).unwrap();
    let mut child = Command::new("sleep").arg("60").uid(MALLORY).gid(MALLORY).stdin(roots).spawn().unwrap();
    let pid = child.id();
    until("it is the attacker's", || fs::metadata(format!("/proc/{pid}")).is_ok_and(|found| found.uid() == MALLORY));
    let path = place.path("private").display().to_string();
    for target in [format!("/proc/{pid}/fd/0"), format!("/proc/{pid}/root{path}/new")] {
        place.link(&target, "shared/x");
        refused(&place.run("-o shared/x in"), NOT_THEIRS);
        // Also if root names the process itself.
        refused(&place.run(&format!("-o {target} in")), NOT_THEIRS);
        place.is_intact();
        assert_eq!(place.text("shared/roots"), "old\n", "{target}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What is in `/proc` belongs to the user of the process. The kernel grants more if root writes there, and the
/// directories of a process can be in a tree of mounts of its own.
#[test]
fn a_link_to_what_a_process_has_in_proc() {
    let Some(place) = Place::new() else { return };
    place.file("in", "new\n", 0, 0o644);
    place.mallorys("shared/x", "mallory's\n");
    let mut child =
        Command::new("sleep").arg("60").uid(MALLORY).gid(MALLORY).current_dir(place.path("shared")).spawn().unwrap();
    let pid = child.id();
    until("it is the attacker's", || {
        fs::metadata(format!("/proc/{pid}/comm")).is_ok_and(|found| found.uid() == MALLORY)
    });
    place.link(format!("/proc/{pid}/comm"), "shared/file");
    place.link(format!("/proc/{pid}"), "shared/process");
    place.link(format!("/proc/{pid}/cwd"), "shared/cwd");
    for path in ["file", "process/comm", "process/cwd/x", "process/cwd/new", "cwd/x", "cwd/new"] {
        refused(&place.run(&format!("-o shared/{path} in")), NOT_THEIRS);
    }
    for line in
        ["-t UTF-16 --in-place shared/cwd/x", "-t UTF-16 -r --in-place shared/cwd", "--output-dir shared/cwd in"]
    {
        refused(&place.run(line), NOT_THEIRS);
    }
    assert_eq!(fs::read_to_string(format!("/proc/{pid}/comm")).unwrap(), "sleep\n");
    assert_eq!(place.text("shared/x"), "mallory's\n");
    assert!(!place.path("shared/new").exists() && !place.path("shared/in").exists());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A symlink to a directory of the attacker says what the rest of the path leads to, so that must be the attacker's
/// too.
#[test]
fn a_link_to_a_directory_with_files_of_root() {
    let Some(place) = Place::new() else { return };
    place.file("in", "new\n", 0, 0o644);
    for name in ["shared/home", "shared/home/theirs"] {
        place.make_dir(name, 0o755);
        chown(place.path(name), Some(MALLORY), Some(MALLORY)).unwrap();
    }
    // A directory of root's that the attacker may rename, but not write to.
    place.make_dir("shared/home/roots", 0o755);
    place.file("shared/home/roots/x", "root's\n", 0, 0o644);
    place.file("shared/home/y", "root's\n", 0, 0o644);
    place.mallorys("shared/home/theirs/x", "mallory's\n");
    place.link("home", "shared/2026");
    place.link("2026", "shared/again");
    for line in [
        "-o shared/2026/roots/x in",
        "-o shared/2026/roots/new in",
        "-o shared/again/roots/x in",
        "-o shared/2026/y in",
        "-o shared/2026/../../new in",
        "--report shared/2026/roots/x in",
        "--output-dir shared/2026/roots in",
        "--output-dir shared/2026/roots/new in",
        "-t UTF-16 --in-place shared/2026/roots/x",
        "-t UTF-16 --in-place=.old shared/2026/y",
        "-t UTF-16 -r --in-place shared/2026/roots",
    ] {
        refused(&place.run(line), NOT_THEIRS);
        assert_eq!((place.text("shared/home/roots/x"), place.names("shared/home/roots").len()), ("root's\n".into(), 1));
        assert_eq!((place.text("shared/home/y"), place.names("shared/home").len()), ("root's\n".into(), 3), "{line}");
        assert!(!place.path("new").exists(), "{line}");
    }
    for name in ["x", "new"] {
        let output = place.run(&format!("-o shared/2026/theirs/{name} in"));
        assert_eq!((&*stderr(&output), place.text(&format!("shared/home/theirs/{name}"))), ("", "new\n".into()));
    }
}

/// What the caller names works as before: the descriptors of the command, by every name, and by a link of the caller;
/// and other paths in `/proc`.
#[test]
fn paths_into_proc_of_the_caller() {
    let place = Place(TempDir::new().unwrap());
    fs::write(place.path("in"), "new\n").unwrap();
    symlink("/dev/stdout", place.path("link")).unwrap();
    let here = place.0.path().display();
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", "link"] {
        let output = place.run(&format!("-o {name} in"));
        assert_eq!((&*stderr(&output), &*output.stdout), ("", &b"new\n"[..]), "{name}");
    }
    let (test, kept) = (std::process::id(), File::create(place.path("kept")).unwrap());
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&kept);
    for (name, file) in [
        (format!("/proc/{test}/fd/{descriptor}"), "kept"),
        (format!("/proc/self/root{here}/made"), "made"),
        ("/proc/self/cwd/made".to_owned(), "made"),
    ] {
        let output = place.run(&format!("-o {name} in"));
        assert_eq!((&*stderr(&output), &*place.text(file)), ("", "new\n"), "{name}");
    }
}

/// A user who is not root is not led to what only that user, or a group of that user, may write to.
#[test]
fn a_link_to_files_of_another_user_without_root() {
    let Some(place) = Place::new() else { return };
    fs::set_permissions(place.path("shared"), Permissions::from_mode(0o777)).unwrap();
    place.file("in", "new\n", 0, 0o644);
    place.make_dir("group", 0o770);
    chown(place.path("group"), Some(0), Some(OTHER)).unwrap();
    place.file("group/file", "old\n", 0, 0o660);
    chown(place.path("group/file"), Some(0), Some(OTHER)).unwrap();
    place.file("profile", "old\n", OTHER, 0o644);
    crate::failing_files::copy_command(&place.path("charpipe"));
    let path = place.0.path().display().to_string();
    for (target, line) in [
        ("../group".to_owned(), "-o shared/x/new in"),
        ("../group".to_owned(), "--output-dir shared/x in"),
        ("../group".to_owned(), "-t UTF-16 --in-place shared/x/file"),
        ("../group/file".to_owned(), "-o shared/x in"),
        ("../group/new".to_owned(), "-o shared/x in"),
        ("../profile".to_owned(), "-o shared/x in"),
        (format!("/proc/self/root{path}/profile"), "-o shared/x in"),
        (format!("/proc/self/root{path}/group/file"), "-o shared/x in"),
    ] {
        place.link(&target, "shared/x");
        let mut command = Command::new(place.path("charpipe"));
        command.uid(OTHER).gid(OTHER).current_dir(&place.0).args(line.split(' '));
        refused(&command.stdin(Stdio::null()).output().unwrap(), NOT_THEIRS);
        assert_eq!((place.text("group/file"), place.text("profile")), ("old\n".into(), "old\n".into()), "{line}");
        assert_eq!(place.names("group"), ["file"], "{line}: {target}");
    }
}

/// The same for a user who is not root.
#[test]
fn a_sticky_directory_without_root() {
    let Some(place) = Place::new() else { return };
    fs::set_permissions(place.path("shared"), Permissions::from_mode(0o1777)).unwrap();
    chown(place.path("shared"), Some(0), Some(0)).unwrap();
    place.file("shared/target", "old\n", OTHER, 0o644);
    place.link("target", "shared/link");
    crate::failing_files::copy_command(&place.path("charpipe"));
    for (name, status) in [("link", 3), ("target", 0), ("own", 0)] {
        let mut command = Command::new(place.path("charpipe"));
        command.uid(OTHER).gid(OTHER).current_dir(&place.0).args(["-o", &format!("shared/{name}")]);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{name}: {}", stderr(&output));
        assert_eq!(place.text("shared/target"), if status == 3 { "old\n" } else { "" });
    }
}
