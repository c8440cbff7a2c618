//! Follows a log that grows, and stores where it stopped, so that a later run continues there.

use charpipe::{LineCheckpoint, Transcode};
use std::error::Error;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("charpipe-tail-log-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let (log, place) = (folder.join("log"), folder.join("place.json"));

    // The program that writes the log; its second line is not finished yet.
    let mut writer = File::create(&log)?;
    writer.write_all(b"started\r\ncaf\xE9 op")?;
    println!("first run:");
    tail(&log, &place)?;

    writer.write_all(b"ened\r\n")?;
    println!("second run:");
    tail(&log, &place)?;
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Prints the lines that are new since the last run.
fn tail(log: &Path, place: &Path) -> Result<(), Box<dyn Error>> {
    let job = Transcode::new().source_encoding("ISO-8859-1")?;
    let mut file = File::open(log)?;
    let mut lines = match fs::read(place) {
        Ok(stored) => {
            let at: LineCheckpoint = serde_json::from_slice(&stored)?;
            file.seek(SeekFrom::Start(at.offset()))?;
            job.resume_lines(file, &at)?
        }
        Err(_) => job.lines(file)?,
    }
    .follow(true);
    while let Some(line) = lines.next_line()? {
        println!("  line {}, byte {}: {}", line.number, line.offset, line.text);
    }
    if let Some(at) = lines.checkpoint() {
        fs::write(place, serde_json::to_string(&at)?)?;
    }
    Ok(())
}
