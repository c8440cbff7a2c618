//! Compares `charpipe rows` with a script in pure Python and, if it is installed, with `copybook` of the crate
//! copybook-cli, which is only run as a program.
//!
//! `cargo bench --bench rows`. The input consists of records with a record descriptor word, of 137 bytes on average; eight
//! typed fields of each become a row. The output of charpipe is compared with that of the script. Then come records of one
//! length, of ten packed numbers: all of them, and one of them. Run without `--bench`, as by `cargo test --benches`, it only
//! checks the output, with 1 MB, and measures no times.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `CHARPIPE_BENCH_MB` | size of the input, in MB; for the script a tenth of it | 500 |
//! | `CHARPIPE_BENCH_ROUNDS` | number of measurements | 5 |
//! | `CHARPIPE_BENCH_COPYBOOK` | the program `copybook` | `copybook` |
//! | `CHARPIPE_BENCH_OTHER` | another `charpipe`, such as an older one, which is measured too | none |

#[path = "../program/mod.rs"]
mod program;

use charpipe::fields::Decimal;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

const COPYBOOK: &str = "       01  CUSTOMER.
           05  ID        PIC 9(6).
           05  NAME      PIC X(20).
           05  STREET    PIC X(20).
           05  PHONE     PIC X(8).
           05  TRANS     PIC S9(9) COMP.
           05  SALE-DATE PIC X(8).
           05  AMOUNT    PIC S9(13)V99 COMP-3.
           05  REMARK    PIC X(9).
";

/// The names of the customers, in turn.
const NAMES: [&str; 5] = ["Mary Poppins", "Joe \"Six\" Pack", "Doe, Jane", "Erika Mustermann", "Jean Dupont"];

/// The digits of the packed numbers in a record, and how many of them are decimal places.
const PACKED: [(u32, u32); 10] = [(5, 0), (7, 2), (9, 2), (11, 2), (13, 2), (15, 2), (7, 0), (9, 4), (5, 2), (3, 0)];

fn main() -> ExitCode {
    let measures = std::env::args().any(|arg| arg == "--bench");
    match run(measures) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("rows: {error}");
            ExitCode::FAILURE
        }
    }
}

fn setting(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn run(measures: bool) -> io::Result<bool> {
    if measures {
        program::build()?;
    }
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name);
    let (mb, rounds) = (setting("CHARPIPE_BENCH_MB", 500), setting("CHARPIPE_BENCH_ROUNDS", 5));
    let mb = if measures { mb } else { 1 };
    fs::write(path("customer.cpy"), COPYBOOK)?;
    fs::write(path("pure.py"), include_str!("pure.py"))?;
    write_records(&path("large.rdw"), mb)?;
    write_records(&path("small.rdw"), mb.div_ceil(10))?;

    let mut is_right = true;
    for format in ["csv", "jsonl"] {
        let ours = output(charpipe(scratch.path(), format, "small.rdw"))?;
        match output(script(scratch.path(), format, "small.rdw")) {
            Ok(theirs) if ours != theirs => {
                println!("{format}: the output is not that of the script");
                is_right = false;
            }
            Ok(_) => {}
            Err(error) => println!("skipped: the script in Python: {error}"),
        }
    }
    fs::write(path("packed.cpy"), packed_copybook())?;
    let expected = write_packed(&path("packed"), mb)?;
    if !output(charpipe(scratch.path(), "csv", "packed"))?.starts_with(expected.as_bytes()) {
        println!("csv: the packed numbers are other ones");
        is_right = false;
    }
    if !measures {
        return Ok(is_right);
    }
    println!("{mb} MB of records to CSV and JSON lines; MB/s of input, by CPU time and by the clock\n");
    println!("{:<28} {:>12} {:>12} {:>12} {:>12}", "", "CPU, best", "median", "clock, best", "median");
    for format in ["csv", "jsonl"] {
        measure(&format!("charpipe, {format}"), rounds, &path("large.rdw"), || {
            charpipe(scratch.path(), format, "large.rdw")
        })?;
        measure(&format!("pure Python, {format}"), rounds, &path("small.rdw"), || {
            script(scratch.path(), format, "small.rdw")
        })?;
    }
    let other = std::env::var_os("CHARPIPE_BENCH_OTHER");
    for (what, line) in [
        ("csv, packed", "--format csv"),
        ("csv, one of ten packed", "--format csv --select P5"),
        ("jsonl, packed", "--format jsonl"),
    ] {
        let line = format!("rows -q --layout packed.cpy -f IBM037 {line} packed");
        let own = OsStr::new(program::PATH);
        for (name, program) in [("charpipe", Some(own)), ("other", other.as_deref())] {
            let Some(program) = program else { continue };
            measure(&format!("{name}, {what}"), rounds, &path("packed"), || command(scratch.path(), program, &line))?;
        }
    }
    measure("copybook-cli, jsonl", rounds, &path("small.rdw"), || copybook(scratch.path(), "small.rdw"))?;
    Ok(is_right)
}

/// Writes records until there are `mb` MB of them. They have one to five transactions, of which the fields have the first.
fn write_records(path: &Path, mb: usize) -> io::Result<()> {
    let ebcdic = charpipe::Registry::builtin().codec("IBM037").expect("built in");
    let encode = |text: &str| -> Vec<u8> {
        let mut encoder = ebcdic.encoder().expect("it has one");
        let mut room = vec![0; 256];
        let mut sink = charpipe::codec::ByteSink::new(&mut room);
        let _ = encoder.feed(text, &mut sink);
        sink.as_bytes().to_vec()
    };
    let mut block = Vec::new();
    for number in 0..1000_u32 {
        let count = 1 + number * 7 % 5;
        let name = NAMES[number as usize % NAMES.len()];
        let text =
            format!("{number:06}{name:<20}{:<20}{:08}", format!("{} Main Street", number * 13 % 977), number * 7919);
        let mut record = encode(&text);
        record.extend_from_slice(&count.to_be_bytes());
        for transaction in 0..count {
            record.extend(encode(&format!("{:02}/{:02}/{:02}", number % 28 + 1, number % 12 + 1, transaction)));
            record.extend(packed(u64::from(number) * 98_765_432 % 100_000_000_000, number % 9 == 0, 15));
            record.extend(encode("comment  "));
        }
        let len = record.len() as u16 + 4;
        block.extend(len.to_be_bytes());
        block.extend([0, 0]);
        block.extend(record);
    }
    let mut file = BufWriter::new(File::create(path)?);
    for _ in 0..(mb * 1_000_000).div_ceil(block.len()) {
        file.write_all(&block)?;
    }
    file.flush()
}

fn packed_copybook() -> String {
    let field = |(index, (digits, places)): (usize, &(u32, u32))| {
        let places = if *places > 0 { format!("S9({})V9({places})", digits - places) } else { format!("S9({digits})") };
        format!("           05  P{index} PIC {places} COMP-3.\n")
    };
    format!("       01  R.\n{}", PACKED.iter().enumerate().map(field).collect::<String>())
}

/// Writes records of packed numbers until there are `mb` MB of them. Returns the first rows of CSV.
fn write_packed(path: &Path, mb: usize) -> io::Result<String> {
    let names: Vec<String> = (0..PACKED.len()).map(|index| format!("P{index}")).collect();
    let (mut block, mut rows) = (Vec::new(), names.join(",") + "\n");
    for record in 0..5000_u64 {
        let number = |(index, (digits, places)): (usize, &(u32, u32))| {
            let magnitude = record.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> index;
            // Numbers of all lengths.
            let magnitude = magnitude % 10_u64.pow(1 + (record as u32 + index as u32) % digits);
            let number = Decimal::from_parts(record % 5 == 0, magnitude.into(), *places as i8);
            (packed(magnitude, record % 5 == 0, *digits as usize), number.to_string())
        };
        let (bytes, texts): (Vec<_>, Vec<_>) = PACKED.iter().enumerate().map(number).unzip();
        block.extend(bytes.concat());
        rows += &(texts.join(",") + "\n");
    }
    let mut file = BufWriter::new(File::create(path)?);
    for _ in 0..(mb * 1_000_000).div_ceil(block.len()) {
        file.write_all(&block)?;
    }
    file.flush()?;
    Ok(rows)
}

/// Returns a packed number.
fn packed(number: u64, is_negative: bool, digits: usize) -> Vec<u8> {
    let digits = format!("{number:0digits$}{}", if is_negative { 'd' } else { 'c' });
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("a digit") as u8;
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

fn command(folder: &Path, program: impl AsRef<OsStr>, line: &str) -> Command {
    let mut command = Command::new(program);
    command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null());
    command
}

fn charpipe(folder: &Path, format: &str, file: &str) -> Command {
    let records = match file {
        "packed" => "--layout packed.cpy",
        _ => "--layout customer.cpy --records rdw --overlong cut",
    };
    let line = format!("rows -q {records} -f IBM037 --format {format} {file}");
    command(folder, program::PATH, &line)
}

fn script(folder: &Path, format: &str, file: &str) -> Command {
    command(folder, "python3", &format!("pure.py {file} {format}"))
}

fn copybook(folder: &Path, file: &str) -> Command {
    let program = std::env::var_os("CHARPIPE_BENCH_COPYBOOK").unwrap_or_else(|| "copybook".into());
    let line = format!("decode customer.cpy {file} --output rows.jsonl --format rdw --codepage cp037 --threads 1");
    command(folder, program, &line)
}

fn output(mut command: Command) -> io::Result<Vec<u8>> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned())),
    }
}

/// Measures a command, and prints a line of the table.
fn measure(name: &str, rounds: usize, input: &Path, make: impl Fn() -> Command) -> io::Result<()> {
    let megabytes = fs::metadata(input)?.len() as f64 / 1e6;
    let (mut cpu, mut clock) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let before = cpu_of_children();
        let start = Instant::now();
        let ended = make().stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !ended.as_ref().is_ok_and(std::process::ExitStatus::success) {
            println!(
                "{name:<28} skipped: {}",
                ended.map_or_else(|error| error.to_string(), |status| status.to_string())
            );
            return Ok(());
        }
        clock.push(megabytes / start.elapsed().as_secs_f64());
        cpu.push(megabytes / (cpu_of_children() - before));
    }
    for speeds in [&mut cpu, &mut clock] {
        speeds.sort_unstable_by(f64::total_cmp);
    }
    let [best, median] = [rounds - 1, rounds / 2].map(|at| (cpu[at], clock[at]));
    println!("{name:<28} {:>12.1} {:>12.1} {:>12.1} {:>12.1}", best.0, median.0, best.1, median.1);
    Ok(())
}

/// Returns the CPU seconds of all child processes that have ended; NaN if the system does not report it.
fn cpu_of_children() -> f64 {
    // Fields 16 and 17, counted after the name, which is in parentheses: in ticks of 10 ms.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let times: Vec<f64> = stat
        .rsplit_once(')')
        .map(|(_, rest)| rest.split_whitespace().skip(13).take(2).filter_map(|word| word.parse().ok()).collect())
        .unwrap_or_default();
    if times.len() == 2 { (times[0] + times[1]) / 100.0 } else { f64::NAN }
}
