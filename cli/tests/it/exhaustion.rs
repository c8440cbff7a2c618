//! Large quantities: endless bytes, endless errors, records without data, thousands of files. Memory does not grow, and
//! the work is proportional to the input.
//!
//! Nothing is timed. The command gets so much input that a run with quadratic cost would never end. For twice the
//! input, the library may call codecs and allocate at most twice as often.

use crate::common::sample;
use crate::common::work::{self, Work, work_of};
use charpipe::Transcode;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// Returns the command, limited to 8 MiB of data.
fn limited(args: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -d 8192; exec \"$0\" \"$@\"", CHARPIPE]).args(args.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command on `beginning` followed by `unit` repeated `times` times.
fn many(args: &str, beginning: &[u8], unit: &[u8], times: usize) -> Output {
    let block = unit.repeat(times.min(4096));
    let mut child = limited(args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            _ = stdin.write_all(beginning);
            let mut left = times;
            while left > 0 {
                let now = left.min(4096);
                // A process that has failed stops reading.
                if stdin.write_all(&block[..now * unit.len()]).is_err() {
                    return;
                }
                left -= now;
            }
        });
        child.wait_with_output().unwrap()
    })
}

/// The number of repetitions; a sample has a tenth of it.
const MANY: usize = 1_000_000;

/// Checks the number of errors and the number of output bytes for each. The first sixteen are recorded, the others only
/// counted. Some kinds get a million errors, variants of these an eighth of that.
#[test]
fn a_million_errors() {
    let euro = "€".as_bytes();
    let folder = TempDir::new().unwrap();
    for (number, (args, unit, what, each)) in [
        ("-f utf-8 --malformed replace", &b"\xFF"[..], "malformed", 3),
        ("-f utf-8 --malformed drop", b"\xFF", "malformed", 0),
        ("-f utf-8 --malformed escape", b"\xFF", "malformed", 4),
        ("-f utf-8 -t IBM037 --malformed replace", b"\xFF", "malformed", 1),
        ("-f IBM1390 --malformed replace", b"\x0E\xFF\x0F", "malformed", 3),
        ("-f gb18030 --malformed replace", b"\xFF", "malformed", 3),
        ("-f utf-8 -t IBM037 --unmappable replace", euro, "unmappable", 1),
        ("-f utf-8 -t IBM037 --unmappable drop", euro, "unmappable", 0),
        ("-f utf-8 -t latin1 --unmappable escape", euro, "unmappable", 8),
        ("-f utf-8 -t latin1 --unmappable xml", euro, "unmappable", 8),
        ("-f utf-16le -t latin1 --unmappable replace", b"\xAC\x20", "unmappable", 1),
        ("-f latin1 --controls drop", b"\x01", "controls", 0),
        ("-f latin1 --controls space", b"\x01", "controls", 1),
        ("-f IBM037 --controls space", b"\x01", "controls", 1),
    ]
    .into_iter()
    .enumerate()
    {
        let times = if matches!(number % 6, 0) { sample::tenth(MANY) } else { sample::tenth(MANY) / 8 };
        let report = folder.path().join(number.to_string());
        let output = many(&format!("-q --report {} {args}", report.display()), b"", unit, times);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args}");
        assert_eq!(output.stdout.len(), each * times, "{args}");
        let report = fs::read_to_string(report).unwrap();
        assert!(report.len() < 16 * 1024, "{args}: a report of {} bytes", report.len());
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let (counted, first) = (&report[what]["count"], report[what]["first"].as_array().unwrap().len());
        assert!(counted.as_u64() >= Some(times as u64) && first == 16, "{args}: {counted} {first}");
    }
}

/// Returns a job from `from`, which may be wrapped to count calls, to `to`.
fn job(from: &str, to: &str, set: impl FnOnce(Transcode) -> Transcode) -> Transcode {
    set(work::counting(Transcode::new(), from, to))
}

/// Twice as many errors are at most twice the work, for each kind of error.
#[test]
fn twice_the_errors_are_twice_the_work() {
    use charpipe::{OnControl, OnMalformed, OnUnmappable};

    let euro = "€".as_bytes();
    let replace = |job: Transcode| job.on_malformed(OnMalformed::Replace).on_unmappable(OnUnmappable::Replace);
    let drop = |job: Transcode| job.on_malformed(OnMalformed::Drop).on_unmappable(OnUnmappable::Drop);
    let escape = |job: Transcode| job.on_malformed(OnMalformed::Escape).on_unmappable(OnUnmappable::Escape);
    // Multi-byte charsets of the web build their tables once, after 256 KiB of text. They do not belong to an error.
    for from in ["gb18030", "Shift_JIS"] {
        let warm = Transcode::new().source_encoding(from).unwrap();
        warm.run(&vec![b'a'; 1 << 19][..], &mut std::io::sink()).unwrap();
    }
    for (from, to, unit) in [
        ("UTF-8", "UTF-8", &b"\xFF"[..]),
        ("UTF-8", "UTF-8", b"a\xFF"),
        ("UTF-8", "IBM037", b"\xFF"),
        ("UTF-8", "IBM037", euro),
        ("UTF-8", "ISO-8859-1", b"abc\xE2\x82\xACdef"),
        ("UTF-16LE", "ISO-8859-1", b"\xAC\x20"),
        ("IBM1390", "UTF-8", b"\x0E\xFF\x0F"),
        ("IBM1390", "ISO-8859-1", b"\x0E\x42\x81\x0F"),
        ("IBM930", "IBM037", b"\x0E\x42\x81\x0F\xFF"),
        ("gb18030", "UTF-8", b"\xFF"),
        ("Shift_JIS", "ISO-8859-1", b"\x82\xA0\xFF"),
    ] {
        for (number, policy) in [replace, drop, escape].into_iter().enumerate() {
            let set = |job: Transcode| policy(job).on_control(OnControl::Space);
            linear(&format!("{from} to {to}, {unit:X?}, {number}"), || job(from, to, set), &[], unit);
        }
    }
}

/// Records full of shift codes, full of errors, empty ones, and segments without data; one large record, and many small
/// ones.
#[test]
fn twice_the_records_are_twice_the_work() {
    use charpipe::OnMalformed;
    use charpipe::records::Shape;

    for (shape, beginning, unit) in [
        ("rdw", &b""[..], &b"\0\x04\0\0"[..]),
        ("u16", b"", b"\0\0"),
        ("fb:1", b"", b"\x81"),
        ("fb:2", b"", b"\x81\x40"),
        ("fb:4000", b"", b"\x0E\x42\x81\x0F"),
        ("fb:4000", b"", b"\x0E\xFF\x0F\x40"),
        ("fb:4000", b"", b"\x40"),
        ("mode-b", b"\0\0\x01a", b"\0\0\0"),
        ("vbs", b"", b"\0\x0D\0\0\0\x05\x01\0a\0\x04\x02\0"),
    ] {
        let shape: Shape = shape.parse().unwrap();
        let set = |job: Transcode| job.on_malformed(OnMalformed::Replace).records(shape.clone());
        for page in ["IBM037", "IBM930"] {
            linear(&format!("{page}, {shape}, {unit:X?}"), || job(page, "UTF-8", set), beginning, unit);
        }
    }
}

/// Compares the work on an input with the work on twice as much.
#[track_caller]
fn linear(what: &str, job: impl Fn() -> Transcode, beginning: &[u8], unit: &[u8]) {
    let of = |times: usize| work_of(&job(), &[beginning, &unit.repeat(times)].concat());
    // The first buffers, which are allocated once, are not counted.
    let times = sample::tenth(40_000);
    let (once, twice) = (of(times), of(2 * times));
    assert!(once.calls > 0 && once.bytes >= times as u64 && once.allocations > 0, "{what}: {once:?}");
    let flat = |now: u64, before: u64, per: u64| now <= 2 * before + before / 4 + per;
    let Work { calls, bytes, allocations, peak, .. } = once;
    assert!(flat(twice.calls, calls, 1000), "{what}: {once:?}, {twice:?}");
    assert!(flat(twice.bytes, bytes, 100_000), "{what}: {once:?}, {twice:?}");
    assert!(flat(twice.allocations, allocations, 1000), "{what}: {once:?}, {twice:?}");
    // Memory does not grow at all.
    assert!(twice.peak <= peak + peak / 4 + 100_000, "{what}: {once:?}, {twice:?}");
}

/// Endless records with no data or almost none.
#[test]
fn records_without_data() {
    for (args, beginning, unit, times, lines) in [
        ("-f latin1 --records rdw", &b""[..], &b"\0\x04\0\0"[..], MANY / 4, MANY / 4),
        ("-f latin1 --records u16", b"", b"\0\0", MANY / 4, MANY / 4),
        ("-f latin1 --records u32", b"", b"\0\0\0\0", MANY / 4, MANY / 4),
        ("-f latin1 --records fb:1", b"", b"a", MANY / 4, MANY / 4),
        ("-f IBM037 -t IBM273 --records fb:1", b"", b"\x81", MANY / 4, MANY / 4),
        ("-f latin1 --records fb:2 --trim none --eol crlf", b"", b"ab", MANY / 4, MANY / 4),
        ("-f latin1 -t latin1 --to-records rdw", b"", b"\n", MANY / 4, 0),
        // One record, of segments without data after the first.
        ("-f latin1 --records mode-b", b"\0\0\x01a", b"\0\0\0", MANY / 4, 0),
        ("-f latin1 --records vbs", b"", b"\0\x0D\0\0\0\x05\x01\0a\0\x04\x02\0", 50_000, 50_000),
    ] {
        let (times, lines) = (sample::tenth(times), sample::tenth(lines));
        let output = many(&format!("-q {args}"), beginning, unit, times);
        let stderr = String::from_utf8_lossy(&output.stderr);
        // The record of segments does not end.
        let status = if beginning.is_empty() { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(status), "{args}: {stderr}");
        let found = output.stdout.iter().filter(|byte| matches!(byte, b'\n' | 0x25)).count();
        assert!(lines == 0 || found == lines, "{args}: {found}");
    }
}

/// Records full of shift codes, of malformed bytes, of spaces that become a shift code, and of possible packed
/// decimals: nothing is scanned again for each of them. (Unit tests of the reader count the bytes that it examines.)
#[test]
fn records_full_of_shifts_and_errors() {
    let len = sample::tenth(1 << 20);
    for (args, unit, each) in [
        ("-f IBM930 --shift-blanks", &b"\x0E\x42\x81\x0F"[..], 5),
        ("-f IBM930", b"\x0E\x42\x81\x0F", 3),
        ("-f IBM930 --shift-blanks --malformed drop", b"\x0E\x42", 0),
        ("-f IBM930 --malformed drop", b"\x0E\x42", 0),
        ("-f IBM930 --shift-blanks --malformed drop", b"\x0E\x0F\xFF", 0),
        ("-f IBM875 --malformed drop", b"\xFC", 0),
        ("-f IBM875 --malformed drop --trim blanks,nuls", b"\x40\x00\xFC\x0C", 0),
        ("-f IBM037 --record-newlines space", b"\x00\x12\x0C\x25", 4),
    ] {
        let record = unit.repeat(len / unit.len());
        let beginning = (record.len() as u32).to_be_bytes();
        let output = many(&format!("-q --records u32 {args}"), &beginning, unit, len / unit.len());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args}");
        assert!(
            each == 0 || output.stdout.len().abs_diff(each * (len / unit.len())) < 8,
            "{args}: {}",
            output.stdout.len()
        );
    }
}

/// Four MiB without a newline, or of newlines only.
#[test]
fn one_long_line_and_nothing_but_newlines() {
    for args in ["-f latin1 -t IBM037", "-f latin1 --eol crlf", "-f latin1 -t utf-16 --controls space", "-f IBM037"] {
        let output = many(&format!("-q {args}"), b"", b"\x41", 4 << 20);
        assert_eq!(output.status.code(), Some(0), "{args}");
    }
    let output = many("-q -f latin1 --eol crlf", b"", b"\n", 2 * sample::tenth(MANY));
    assert!(output.stdout == b"\r\n".repeat(2 * sample::tenth(MANY)));
}

/// The declaration arrives one byte at a time.
#[test]
fn a_declaration_byte_by_byte() {
    let declaration = format!("<?xml version='1.0'{}encoding='ISO-8859-1'?>\n<a>\u{E9}</a>", " ".repeat(4000));
    let bytes: Vec<u8> = declaration.chars().map(|ch| ch as u8).collect();
    let mut child = limited("").spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || bytes.chunks(1).for_each(|byte| stdin.write_all(byte).unwrap()));
        let output = child.wait_with_output().unwrap();
        let expected = declaration.replace("ISO-8859-1", "UTF-8");
        assert_eq!((output.status.code(), std::str::from_utf8(&output.stdout)), (Some(0), Ok(&*expected)));
    });
}

/// All files are in one command line, as `find -exec +` builds it.
#[test]
fn ten_thousand_files() {
    let count = sample::tenth(10_000);
    let folder = TempDir::new().unwrap();
    let mut args = String::new();
    for n in 0..count {
        fs::write(folder.path().join(n.to_string()), [0xC8, 0x89, 0x25]).unwrap();
        _ = write!(args, " {n}");
    }
    for (begin, size) in [("convert -f IBM037", 3 * count), ("detect -f IBM037", 0)] {
        let output = limited(&format!("{begin}{args}")).current_dir(&folder).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{begin}");
        let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count();
        assert!(lines == count && (size == 0 || output.stdout.len() == size), "{begin}: {lines}");
    }
}

/// Twenty GiB, or `CHARPIPE_GIB` GiB, through a pipe. That takes minutes, so it only runs on request: `cargo test
/// --release -p charpipe-cli exhaustion:: -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn twenty_gibibytes() {
    let gib: u64 = std::env::var("CHARPIPE_GIB").map_or(20, |gib| gib.parse().unwrap());
    let line = "Überweisung Nº 12, Größe der Maße – 50 €: the quick brown fox jumps over the lazy dog\n";
    let block = line.repeat((1 << 20) / line.len()).into_bytes();
    for args in ["", "-f utf-8 -t IBM1140 --malformed replace --unmappable replace -q", "-f latin1 --jobs 2"] {
        let mut child = Command::new(CHARPIPE);
        child.args(args.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = child.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let (begun, mut sent, mut early) = (std::time::Instant::now(), 0, 0);
        let peak = |id: u32| -> u64 {
            let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
            line.trim().trim_end_matches(" kB").parse().unwrap()
        };
        while sent < gib << 30 {
            stdin.write_all(&block).unwrap();
            sent += block.len() as u64;
            if early == 0 && sent > 64 << 20 {
                early = peak(child.id());
            }
        }
        let late = peak(child.id());
        drop(stdin);
        assert!(child.wait().unwrap().success());
        println!(
            "{gib} GiB, {args:?}: {:.0} s, peak {late} KiB, {early} KiB after 64 MiB",
            begun.elapsed().as_secs_f64()
        );
        assert!(late < early + 1024, "{args}: {early} KiB, then {late} KiB");
        assert!(late < if args.contains("jobs") { 16 << 10 } else { 8 << 10 }, "{args}: {late} KiB");
    }
}

/// Rows and records back, in 8 MiB: as many as a sample has, good ones, rejected ones, and with fields left empty.
#[test]
fn a_million_rows() {
    let folder = TempDir::new().unwrap();
    let layout = folder.path().join("layout");
    fs::write(&layout, "ID 1 4 zoned,unsigned\nNAME 5 5 text\nAMOUNT 10 3 packed.2\n").unwrap();
    let rows = |options: &str| format!("rows -q -f IBM037 --layout {} {options}", layout.display());
    let good = b"\xF0\xF0\xF0\xF1\xD1\x96\x85\x40\x40\x12\x34\x5C";
    let bad = b"\xF0\xF0\xF0\xF1\xD1\x96\x85\x40\x40\x12\x34\x56";
    let times = sample::tenth(MANY);
    let count = |output: &Output| output.stdout.iter().filter(|byte| **byte == b'\n').count();
    for (options, unit, lines) in [
        ("", good, times + 1),
        ("--format jsonl --add-columns number", good, times),
        ("--on-bad null", bad, times + 1),
        ("--rejects /dev/null --format jsonl", bad, 0),
    ] {
        let output = many(&rows(options), b"", unit, times);
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""), "{options}");
        assert_eq!(count(&output), lines, "{options}");
    }
    let output = many(&rows("--from-rows csv"), b"ID,NAME,AMOUNT\n", b"1,Joe,123.45\n", times);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 12 * times));
    assert!(output.stdout.chunks(12).all(|record| record == good));
    let output = many(&rows("--from-rows jsonl"), b"", b"{\"ID\":1,\"NAME\":\"Joe\",\"AMOUNT\":123.45}\n", times);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 12 * times));
}
