//! Measures small tasks: a field, a value, a message, a label. Each is compared with encoding_rs if that supports it.
//!
//! `cargo bench --bench small`; `README.md` explains its output. Run without `--bench`, as by `cargo test --benches`, it does
//! everything once.

mod clock;
#[path = "../tests/it/common/small.rs"]
mod small;
#[path = "../tests/it/common/work.rs"]
mod work;

use clock::fastest;
use encoding_rs::Encoding;
use small::Small;
use std::hint::black_box;
use std::process::Command;

#[global_allocator]
static ALLOCATOR: work::Counting = work::Counting;

/// How often a thing is done in a round.
const TIMES: usize = 2000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    // Under valgrind: does one thing so many times.
    if let [only, index, times] = &args[..]
        && only == "--only"
    {
        let (index, times): (usize, usize) = (index.parse().expect("a number"), times.parse().expect("a number"));
        let mut small = small::all().swap_remove(index);
        return (0..times).for_each(|_| (small.act)());
    }
    let rounds = if std::env::args().any(|arg| arg == "--bench") { 31 } else { 1 };
    let counts = rounds > 1 && Command::new("valgrind").arg("--version").output().is_ok();
    println!("| what | charset | ns | allocations | instructions | encoding_rs, ns |");
    println!("|---|---|--:|--:|--:|--:|");
    for (index, mut small) in small::all().into_iter().enumerate() {
        let part = args.first().map_or("", String::as_str);
        if format!("{}/{}", small.what, small.name).contains(part) {
            row(index, &mut small, rounds, counts);
        }
    }
}

fn row(index: usize, small: &mut Small, rounds: usize, counts: bool) {
    let time = fastest(rounds, TIMES, &mut small.act);
    let allocations = work::work_in(&mut small.act).allocations;
    let instructions = if counts { instructions(index).to_string() } else { "–".to_owned() };
    let peer = peer(small, rounds).map_or("–".to_owned(), |time| format!("{time:.0}"));
    println!("| {} | {} | {time:.0} | {allocations} | {instructions} | {peer} |", small.what, small.name);
}

/// Returns how many instructions a call takes: what 2000 calls more take, by valgrind.
fn instructions(index: usize) -> u64 {
    let total = |times: usize| {
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().expect("a path"));
        let output = valgrind.args(["--only", &index.to_string(), &times.to_string()]).output().expect("valgrind runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let count = text.lines().find_map(|line| line.split("Collected : ").nth(1)).map(|count| count.trim().parse());
        count.and_then(Result::ok).unwrap_or(0_u64)
    };
    total(TIMES + 1000).saturating_sub(total(1000)) / TIMES as u64
}

/// Returns the time that encoding_rs takes for the same.
fn peer(small: &Small, rounds: usize) -> Option<f64> {
    if small.what == "look-up of a label" {
        let label = small.name.as_bytes();
        Encoding::for_label(label)?;
        return Some(fastest(rounds, TIMES, || _ = black_box(Encoding::for_label(black_box(label)))));
    }
    // It writes UTF-8 in place of UTF-16.
    let encoding = Encoding::for_label(small.name.as_bytes()).filter(|encoding| encoding.is_ascii_compatible())?;
    let text = small::text(small.name)?;
    let bytes = encoding.encode(text).0.into_owned();
    match small.what {
        "decode" => {
            Some(fastest(rounds, TIMES, || _ = black_box(encoding.decode_without_bom_handling(black_box(&bytes)))))
        }
        "encode" => Some(fastest(rounds, TIMES, || _ = black_box(encoding.encode(black_box(text))))),
        _ => None,
    }
}
