//! Many short files in one run, compared with copies of them, and with a loop over iconv.

use crate::Plan;
use crate::input::encoded;
use crate::run::median;
use crate::text::Kind;
use crate::tools::Tool;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// How many files there are in each directory, and the length of each in bytes.
const IN_EACH: usize = 200;
const LEN: usize = 2048;

/// What the files are compared with. Only GNU's `sync` knows one file system from others.
const COPY: &str = r#"cp -r "$0" "$1""#;
const COPY_AND_SYNC: &str = r#"cp -r "$0" "$1" && { sync -f "$1" 2>/dev/null || sync; }"#;
const LOOP: &str =
    r#"mkdir "$1"; for file in "$0"/*; do iconv -f ISO-8859-1 -t UTF-8 "$file" > "$1/${file##*/}"; done"#;

/// Where the files are, and what has to be on disk at the end: nothing in memory, everything elsewhere.
struct Place {
    name: &'static str,
    dir: tempfile::TempDir,
    is_synced: bool,
}

pub(crate) fn many(plan: &Plan) -> io::Result<Vec<String>> {
    let dirs = if plan.measures { 50 } else { 1 };
    let mut places = vec![Place { name: "on disk", dir: tempfile::tempdir_in(plan.path())?, is_synced: true }];
    // Where systems have a tmpfs.
    if let Ok(dir) = tempfile::tempdir_in("/dev/shm") {
        places.insert(0, Place { name: "in memory", dir, is_synced: false });
    }
    if plan.measures {
        println!("\n{} files of {LEN} bytes, ISO-8859-1 to UTF-8; medians of {}\n", dirs * IN_EACH, plan.rounds);
        println!("| {:9} | {:>12} | {:>8} | {:>12} | {:>12} |", "", "charpipe, ms", "cp, ms", "× cp (goal)", "× iconv");
        println!("|{:-<11}|{:->13}:|{:->9}:|{:->13}:|{:->13}:|", "", "", "", "", "");
    }
    let mut failures = Vec::new();
    for place in places {
        failures.extend(measure(plan, &place, dirs)?.map(|wrong| format!("many files {}: {wrong}", place.name)));
    }
    Ok(failures)
}

/// Returns what is wrong with the output.
fn measure(plan: &Plan, place: &Place, dirs: usize) -> io::Result<Option<String>> {
    let (input, output) = (place.dir.path().join("in"), place.dir.path().join("out"));
    let text = make(&input, dirs)?;
    let [mut charpipe, mut copy, mut iconv] = commands(&input, &output, place.is_synced);
    timed(&mut charpipe, &output)?;
    let wrong = difference(&output, dirs, &text)?;
    if plan.measures {
        // What a loop writes is not on disk for certain.
        let has_loop = plan.has(Tool::Iconv) && !place.is_synced;
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..plan.rounds {
            times[0].push(timed(&mut charpipe, &output)?);
            times[1].push(timed(&mut copy, &output)?);
            // One directory in place of all.
            if has_loop {
                times[2].push(timed(&mut iconv, &output)? * dirs as f64);
            }
        }
        let [own, copied, looped] = times.map(|times| median(times.into_iter()));
        let goal = if place.is_synced { "1.0" } else { "1.2" };
        let faster = if has_loop { format!("{:.0} (20)", looped / own) } else { "–".to_owned() };
        let (name, ratio) = (place.name, own / copied);
        println!("| {name:9} | {own:12.0} | {copied:8.0} | {ratio:6.2} ({goal}) | {faster:>12} |");
    }
    Ok(wrong)
}

/// Makes the files, and returns the text of each.
fn make(input: &Path, dirs: usize) -> io::Result<String> {
    let bytes: Vec<u8> = encoded("ISO-8859-1", &Kind::French.text(LEN)).into_iter().take(LEN).collect();
    for dir in 0..dirs {
        let dir = input.join(format!("{dir:03}"));
        fs::create_dir_all(&dir)?;
        (0..IN_EACH).try_for_each(|file| fs::write(dir.join(format!("{file:03}.txt")), &bytes))?;
    }
    Ok(bytes.into_iter().map(char::from).collect())
}

/// Returns the commands: charpipe, a copy, and a loop over iconv in one directory.
fn commands(input: &Path, output: &Path, is_synced: bool) -> [Command; 3] {
    let mut charpipe = Command::new(Tool::Charpipe.program());
    charpipe.args(["-q", "-f", "ISO-8859-1", "-r", "--jobs", "2", "--output-dir"]).args([output, input]);
    let shell = |script: &str, input: &Path| {
        let mut command = Command::new("sh");
        command.args(["-c", script]).args([input, output]);
        command
    };
    let copy = shell(if is_synced { COPY_AND_SYNC } else { COPY }, input);
    [charpipe, copy, shell(LOOP, &input.join("000"))]
}

/// Returns how many milliseconds a command takes that makes `output` anew.
fn timed(command: &mut Command, output: &Path) -> io::Result<f64> {
    if output.exists() {
        fs::remove_dir_all(output)?;
    }
    let begin = Instant::now();
    let status = command.status()?;
    let ms = begin.elapsed().as_secs_f64() * 1e3;
    if status.success() { Ok(ms) } else { Err(io::Error::other(format!("{command:?}: {status}"))) }
}

/// Returns what is wrong with the files in `output`.
fn difference(output: &Path, dirs: usize, expected: &str) -> io::Result<Option<String>> {
    let entries = |dir: &Path| fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut files = Vec::new();
    for dir in entries(output)? {
        files.extend(entries(&dir)?);
    }
    if files.len() != dirs * IN_EACH {
        return Ok(Some(format!("{} files", files.len())));
    }
    for file in files {
        if fs::read(&file)? != expected.as_bytes() {
            return Ok(Some(format!("{} is wrong", file.display())));
        }
    }
    Ok(None)
}
