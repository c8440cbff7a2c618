//! The parts of the benchmark: the commands of each, and its goals.

use crate::Plan;
use crate::input::{BLOCK, Job, Records, encoded, times, write_repeated};
use crate::run::{median, peak, same_bytes};
use crate::stream::stream;
use crate::table::{Cells, MEMORY, Row, Table};
use crate::text::Kind;
use crate::tools::{Goal, Line, Tool, instruction_sets};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Conversions of plain files, and their goals with AVX-512 and with less.
const FILES: &[(Job, [Goal; 2])] = &[
    (Job { from: "IBM037", to: "UTF-8", kind: Kind::French }, within_cat(1.6, 3.5)),
    (Job { from: "UTF-8", to: "IBM037", kind: Kind::French }, within_cat(2.0, 5.0)),
    (Job { from: "IBM1025", to: "UTF-8", kind: Kind::Russian }, within_cat(2.0, 3.5)),
    (Job { from: "UTF-8", to: "IBM1025", kind: Kind::Russian }, within_cat(2.0, 5.0)),
    (Job { from: "UTF-16LE", to: "UTF-8", kind: Kind::French }, within_cat(2.0, 2.0)),
    (Job { from: "UTF-16LE", to: "UTF-8", kind: Kind::Cjk }, within_cat(2.0, 2.0)),
    (Job { from: "UTF-32BE", to: "UTF-8", kind: Kind::French }, within_cat(2.0, 2.0)),
    (Job { from: "UTF-32BE", to: "UTF-8", kind: Kind::Cjk }, within_cat(2.0, 2.0)),
    (Job { from: "UTF-32LE", to: "UTF-8", kind: Kind::French }, within_cat(2.0, 2.0)),
    (Job { from: "UTF-8", to: "UTF-16LE", kind: Kind::French }, within_cat(2.0, 2.0)),
    (Job { from: "UTF-8", to: "UTF-32LE", kind: Kind::French }, within_cat(2.0, 2.0)),
    (Job { from: "UTF-8", to: "UTF-8", kind: Kind::English }, within_cat(1.3, 1.5)),
    (Job { from: "UTF-8", to: "UTF-8", kind: Kind::French }, within_cat(1.3, 2.0)),
    (Job { from: "UTF-8", to: "UTF-8", kind: Kind::Cjk }, within_cat(1.3, 2.0)),
    (Job { from: "windows-1252", to: "UTF-8", kind: Kind::French }, [Goal::None; 2]),
    (Job { from: "UTF-8", to: "windows-1252", kind: Kind::French }, [Goal::None; 2]),
    (Job { from: "IBM037", to: "ISO-8859-1", kind: Kind::French }, [Goal::None; 2]),
    (Job { from: "IBM939", to: "UTF-8", kind: Kind::Japanese }, MIXED),
    (Job { from: "UTF-8", to: "IBM939", kind: Kind::Japanese }, MIXED),
    (Job { from: "IBM1388", to: "UTF-8", kind: Kind::Cjk }, MIXED),
    (Job { from: "UTF-8", to: "IBM1388", kind: Kind::Cjk }, MIXED),
];

/// At most this many times the time of `cat`, with AVX-512 and with less.
const fn within_cat(avx512: f64, less: f64) -> [Goal; 2] {
    [Goal::Within(avx512, Tool::Cat), Goal::Within(less, Tool::Cat)]
}

/// The goal for mixed pages.
const MIXED: [Goal; 2] = faster(5.0, 4.0);

/// At least so many times the speed of the faster converter, with AVX-512 and with less.
const fn faster(avx512: f64, less: f64) -> [Goal; 2] {
    const OTHERS: &[Tool] = &[Tool::Iconv, Tool::Uconv];
    [Goal::Faster(avx512, OTHERS), Goal::Faster(less, OTHERS)]
}

/// Returns the command with which a tool does a job on a file, for one column.
fn column(tool: Tool, job: &Job, file: Option<&Path>) -> Vec<Line> {
    tool.converts(job.from, job.to, file).into_iter().collect()
}

pub(crate) fn files(plan: &Plan) -> io::Result<Vec<String>> {
    let tools: Vec<Tool> = plan.tools.iter().copied().filter(|tool| *tool != Tool::Dd).collect();
    let mut table = Table::of(&tools, Cells::Speed);
    if plan.measures {
        table.print_head("Files to /dev/null");
    }
    let mut failures = Vec::new();
    let (file, sets) = (plan.path().join("input"), instruction_sets());
    for (job, [goal, with_less]) in FILES {
        let block = job.block();
        let len = write_repeated(&file, &block, times(&block, plan.mib))?;
        if plan.has(Tool::Iconv) {
            let [own, iconv] = [Tool::Charpipe, Tool::Iconv].map(|tool| column(tool, job, Some(&file)));
            failures.extend(difference(plan, &job.name(), &own[0], &iconv[0])?);
        }
        for (index, isa) in sets.iter().enumerate().filter(|_| plan.measures) {
            // The other tools are the same for every instruction set; `cat` is measured again, as the limit.
            let in_row = |tool: &Tool| index == 0 || matches!(tool, Tool::Charpipe | Tool::Cat);
            let line = |tool: &Tool| match tool {
                _ if !in_row(tool) => Vec::new(),
                Tool::Charpipe => column(*tool, job, Some(&file)).into_iter().map(|line| line.with_isa(isa)).collect(),
                tool => column(*tool, job, Some(&file)),
            };
            // The goals are for the best set of the machine.
            let goal = match index {
                0 if isa == "avx512" => *goal,
                0 => *with_less,
                _ => Goal::None,
            };
            let (name, columns) = (format!("{} ({isa})", job.name()), tools.iter().map(line).collect());
            table.add(Row { name, len, columns, goal }, plan.rounds)?;
        }
    }
    fs::remove_file(file)?;
    if plan.measures {
        table.print_times();
    }
    if plan.has(Tool::Iconv) && failures.is_empty() {
        println!("\n{} jobs on files of {} MiB: the output is identical to iconv's", FILES.len(), plan.mib);
    }
    if plan.measures {
        failures.extend(table.print_peaks());
    }
    Ok(failures)
}

/// Compares the output of charpipe with that of another command. Returns a message if they differ.
pub(crate) fn difference(plan: &Plan, name: &str, own: &Line, other: &Line) -> io::Result<Option<String>> {
    let outputs = [plan.path().join("own"), plan.path().join("other")];
    for (line, output) in [own, other].into_iter().zip(&outputs) {
        if let Err(error) = peak(line, Some(output)) {
            return Ok(Some(format!("{name}: {error}")));
        }
    }
    let same = same_bytes(&outputs[0], &outputs[1])?;
    outputs.iter().try_for_each(fs::remove_file)?;
    Ok((!same).then(|| format!("{name}: wrong output")))
}

pub(crate) fn records(plan: &Plan) -> io::Result<Vec<String>> {
    const OTHERS: &[Tool] = &[Tool::Dd, Tool::Uconv];
    let mut tools = plan.tools.clone();
    tools.retain(|tool| matches!(tool, Tool::Charpipe | Tool::Dd | Tool::Uconv | Tool::Cat));
    let mut table = Table::of(&tools, Cells::Speed);
    let mut failures = Vec::new();
    if plan.measures {
        table.print_head("Records");
    }
    let (file, lines) = (plan.path().join("records"), plan.path().join("lines"));
    for (shape, records) in [("fb:80", Records::fixed()), ("rdw", Records::variable())] {
        let times = times(&records.bytes, plan.mib);
        let len = write_repeated(&file, &records.bytes, times)?;
        write_repeated(&lines, &records.lines, times)?;
        let own = Tool::Charpipe.line(&["-q", "-f", "IBM037", "--records", shape]).on(&file);
        failures.extend(difference(plan, shape, &own, &Tool::Cat.line(&[]).on(&lines))?);
        let of_file = format!("if={}", file.display());
        let column = |tool: &Tool| match tool {
            Tool::Charpipe => vec![own.clone()],
            // dd reads only fixed-length records, and writes ASCII instead of UTF-8; this text is ASCII.
            Tool::Dd if shape != "fb:80" => vec![],
            Tool::Dd => {
                vec![tool.line(&["status=none", "ibs=64K", "obs=64K", "conv=unblock,ascii", "cbs=80", &of_file])]
            }
            // This tool does not support records, so it also decodes the bytes between them.
            tool => tool.converts("IBM037", "UTF-8", Some(&file)).into_iter().collect(),
        };
        let row = Row {
            name: format!("--records {shape}, IBM037"),
            len,
            columns: tools.iter().map(column).collect(),
            goal: Goal::Faster(1.0, OTHERS),
        };
        if plan.measures {
            table.add(row, plan.rounds)?;
        }
    }
    fs::remove_file(file)?;
    fs::remove_file(lines)?;
    if failures.is_empty() {
        println!("\nRecords on files of {} MiB: the lines are correct", plan.mib);
    }
    if plan.measures {
        table.print_times();
        failures.extend(table.print_peaks());
    }
    Ok(failures)
}

/// Conversions from records to records, which should take no longer than from records to lines. Each has the input
/// shape, the output shape, the target, and whether the output is identical to the input.
const REFRAMED: &[(&str, &str, &str, bool)] = &[
    ("fb:80", "fb:80", "IBM037", true),
    ("fb:80", "fb:80", "IBM1047", false),
    ("fb:80", "fb:100", "IBM037", false),
    ("fb:80", "vb", "IBM037", false),
    ("rdw", "rdw", "IBM037", true),
    ("rdw", "fb:90", "IBM1047", false),
    ("fb:80", "fb:80", "IBM939", false),
    ("fb:80", "rdw", "UTF-8", false),
];

pub(crate) fn reframed(plan: &Plan) -> io::Result<Vec<String>> {
    let heads = ["to records", "to lines"].map(|head| (Tool::Charpipe, head.to_string()));
    let mut table = Table::new(heads.into(), Cells::Speed);
    if plan.measures {
        table.print_head("IBM037 records to records and to lines");
    }
    let mut failures = Vec::new();
    let file = plan.path().join("records");
    for (shape, to_shape, to, is_same) in REFRAMED {
        let records = if *shape == "rdw" { Records::variable() } else { Records::fixed() };
        let len = write_repeated(&file, &records.bytes, times(&records.bytes, plan.mib))?;
        let lines = ["-q", "-f", "IBM037", "--records", shape];
        let own = Tool::Charpipe.line(&[&lines[..], &["-t", to, "--to-records", to_shape]].concat()).on(&file);
        let name = format!("{shape} → {to_shape}, {to}");
        if *is_same {
            failures.extend(difference(plan, &name, &own, &Tool::Cat.line(&[]).on(&file))?);
        }
        if plan.measures {
            let columns = vec![vec![own], vec![Tool::Charpipe.line(&lines).on(&file)]];
            table.add(Row { name, len, columns, goal: Goal::None }, plan.rounds)?;
        }
    }
    fs::remove_file(file)?;
    if plan.measures {
        failures.extend(table.print_peaks());
    }
    Ok(failures)
}

pub(crate) fn jobs(plan: &Plan) -> io::Result<Vec<String>> {
    let help = Command::new(Tool::Charpipe.program()).args(["convert", "--help"]).output()?;
    if !String::from_utf8_lossy(&help.stdout).contains("--jobs") {
        println!("jobs: skipped: this charpipe has no --jobs");
        return Ok(Vec::new());
    }
    let heads = ["--jobs 2", "--jobs 1"].map(|head| (Tool::Charpipe, head.to_string()));
    let mut table = Table::new(heads.into(), Cells::Speed);
    if plan.measures {
        table.print_head("Two jobs and one");
    }
    let mut failures = Vec::new();
    let file = plan.path().join("input");
    let is_mixed = |goals: &[Goal; 2]| matches!(goals, [Goal::Faster(..), _]);
    let is_cut = |job: &Job, goals| is_mixed(goals) || (job.kind == Kind::French && !job.to.starts_with("UTF-32"));
    for (job, _) in FILES.iter().filter(|(job, goals)| is_cut(job, goals)) {
        let block = job.block();
        let len = write_repeated(&file, &block, times(&block, plan.mib))?;
        let line = |jobs| Tool::Charpipe.line(&["--jobs", jobs, "-f", job.from, "-t", job.to]).on(&file);
        failures.extend(difference(plan, &format!("{}, --jobs 2", job.name()), &line("2"), &line("1"))?);
        let columns = vec![vec![line("2")], vec![line("1")]];
        if plan.measures {
            table.add(Row { name: job.name(), len, columns, goal: Goal::None }, plan.rounds)?;
        }
    }
    fs::remove_file(file)?;
    if plan.measures {
        table.print_times();
        // Several jobs need several sets of buffers; the promised limit is for one job.
        table.print_peaks();
    }
    Ok(failures)
}

pub(crate) fn pipe(plan: &Plan) -> io::Result<Vec<String>> {
    let mut tools = plan.tools.clone();
    tools.retain(|tool| matches!(tool, Tool::Charpipe | Tool::Iconv | Tool::Uconv | Tool::Cat));
    let mut table = Table::of(&tools, Cells::Speed);
    table.print_head("cat FILE | tool | cat > /dev/null");
    let file = plan.path().join("input");
    for (job, _) in FILES.iter().filter(|(job, _)| job.kind == Kind::French) {
        let block = job.block();
        let len = write_repeated(&file, &block, times(&block, plan.mib))?;
        let piped = |tool: &Tool| {
            let own = tool.converts(job.from, job.to, None).expect("one that converts");
            vec![Tool::Cat.line(&[]).on(&file), own, Tool::Cat.line(&[])]
        };
        let columns = tools.iter().map(piped).collect();
        table.add(Row { name: job.name(), len, columns, goal: Goal::Within(1.3, Tool::Cat) }, plan.rounds)?;
    }
    fs::remove_file(file)?;
    Ok(Vec::new())
}

/// Measures the time for a file of ten bytes: the start of the process and of its tables.
pub(crate) fn starts(plan: &Plan) -> io::Result<Vec<String>> {
    /// Measurements for each round of the other parts.
    const OFTEN: usize = 40;
    let mut tools = plan.tools.clone();
    tools.retain(|tool| matches!(tool, Tool::Charpipe | Tool::Iconv | Tool::Uconv | Tool::Cat));
    let mut table = Table::of(&tools, Cells::Time);
    table.print_head("A file of ten bytes");
    // A copy, as `cargo install` makes it: the pages of a file that was copied are mapped faster than those of one that a
    // linker wrote.
    let copy = plan.path().join("charpipe");
    fs::copy(std::env::var_os("CHARPIPE_BENCH_START").unwrap_or_else(|| Tool::Charpipe.program().into()), &copy)?;
    let pairs = [
        ("ISO-8859-1", "UTF-8"),
        ("windows-1252", "UTF-8"),
        ("UTF-8", "UTF-8"),
        ("IBM037", "UTF-8"),
        ("IBM1025", "UTF-8"),
        ("IBM939", "UTF-8"),
        ("IBM1388", "UTF-8"),
        ("UTF-8", "IBM1388"),
    ];
    for (from, to) in pairs {
        let job = Job { from, to, kind: Kind::English };
        let file = plan.path().join(format!("ten-{from}"));
        fs::write(&file, encoded(from, "Ten bytes."))?;
        let line = |tool: Tool| match column(tool, &job, Some(&file)) {
            lines if tool == Tool::Charpipe => lines.into_iter().map(|line| line.by(&copy)).collect(),
            lines => lines,
        };
        let columns = tools.iter().map(|tool| line(*tool)).collect();
        let row = Row { name: format!("{from} → {to}"), len: 10, columns, goal: Goal::Within(1.0, Tool::Iconv) };
        table.add(row, plan.rounds * OFTEN)?;
    }
    table.print_times();
    Ok(Vec::new())
}

pub(crate) fn streams(plan: &Plan) -> io::Result<Vec<String>> {
    let mut failures = Vec::new();
    println!(
        "\nStreams of {} MiB from one pipe into another; the promised limit is {} MiB of memory\n",
        plan.stream_mib,
        MEMORY / 1024
    );
    println!("| {:26} | {:>6} | {:>9} |", "job", "MB/s", "peak, MiB");
    println!("|{:-<28}|{:->7}:|{:->10}:|", "", "", "");
    let is_in = |job: &Job| job.kind == Kind::French || job.to.starts_with("IBM");
    for (job, _) in FILES.iter().filter(|(job, _)| is_in(job)) {
        let (input, expected) = (job.block(), encoded(job.to, &job.kind.text(BLOCK)));
        // At the boundary of two blocks, the shift codes that end one block and begin the next are not written.
        let is_mixed = matches!(job.to, "IBM939" | "IBM1388");
        let times = if is_mixed { 1 } else { times(&input, plan.stream_mib) };
        match stream(job.from, job.to, &input, &expected, times, true)? {
            Err(wrong) => failures.push(format!("{}, stream: {wrong}", job.name())),
            Ok(taken) => {
                let rate = (times * input.len()) as f64 / taken.seconds / 1e6;
                println!("| {:26} | {rate:6.0} | {:>9} |", job.name(), mib(taken.peak));
                failures.extend(too_much(&job.name(), taken.peak));
            }
        }
    }
    Ok(failures)
}

/// Measures streams of every length, which shows the fixed cost and the cost per byte.
pub(crate) fn sizes(plan: &Plan) -> io::Result<Vec<String>> {
    const KIB: usize = 1024;
    let mut failures = Vec::new();
    println!("\nIBM037 → UTF-8, French, from one pipe into another, by length; medians of {}\n", plan.rounds);
    println!("| {:>11} | {:>9} | {:>6} | {:>9} |", "KiB", "ms", "MB/s", "peak, MiB");
    println!("|{:->12}:|{:->10}:|{:->7}:|{:->10}:|", "", "", "", "");
    let text = Kind::French.text(2 * KIB * KIB);
    let mut peaks = Vec::new();
    let mut size = KIB;
    while size <= plan.largest_mib * KIB * KIB {
        // In this charset each byte is one character.
        let block = size.min(KIB * KIB);
        let end = text.char_indices().nth(block).expect("a text as long").0;
        let (input, times) = (encoded("IBM037", &text[..end]), size / block);
        let rounds = if size > 64 * KIB * KIB { 1 } else { plan.rounds };
        let mut run = |holds| match stream("IBM037", "UTF-8", &input, &text.as_bytes()[..end], times, holds) {
            Ok(Ok(taken)) => Ok(Some(taken)),
            Ok(Err(wrong)) => {
                failures.push(format!("{size} bytes: {wrong}"));
                Ok(None)
            }
            Err(error) => Err(error),
        };
        let highest = run(true)?.and_then(|taken| taken.peak);
        let mut seconds = Vec::new();
        for _ in 0..rounds {
            seconds.extend(run(false)?.map(|taken| taken.seconds));
        }
        let seconds = median(seconds.into_iter());
        let rate = size as f64 / seconds / 1e6;
        println!("| {:11} | {:9.2} | {rate:6.0} | {:>9} |", size / KIB, seconds * 1e3, mib(highest));
        failures.extend(too_much(&format!("{size} bytes"), highest));
        peaks.extend(highest);
        size *= 4;
    }
    if let (Some(least), Some(most)) = (peaks.iter().min(), peaks.iter().max()) {
        println!("\nThe peak is between {} and {} MiB for all lengths.", mib(Some(*least)), mib(Some(*most)));
    }
    Ok(failures)
}

fn mib(kib: Option<u64>) -> String {
    kib.map_or("?".into(), |kib| format!("{:.1}", kib as f64 / 1024.0))
}

fn too_much(name: &str, peak: Option<u64>) -> Option<String> {
    let kib = peak.filter(|kib| *kib >= MEMORY)?;
    Some(format!("{name}, stream: {kib} KiB of memory, more than the promised {MEMORY} KiB"))
}
