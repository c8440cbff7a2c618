//! Rows of the same job done by several tools in turn, and their output as a table.

use crate::run::{self, Cost, least, median, peak};
use crate::tools::{Goal, Line, Tool};
use std::io;

/// The most memory that one job may take, for any input length, in KiB. Programs without optimization are larger.
pub(crate) const MEMORY: u64 = if cfg!(debug_assertions) { 16 * 1024 } else { 8 * 1024 };

/// The same for charsets with several large tables: see docs/limits.md.
const MEMORY_OF_LARGE: u64 = 12 * 1024;
const LARGE: [&str; 2] = ["EUC-TW", "ISO-2022-CN"];

/// A command that takes longer than this is measured only once.
const LONG: f64 = 3.0;

/// A job, with the commands for each column.
pub(crate) struct Row {
    pub(crate) name: String,
    /// Size of the input in bytes.
    pub(crate) len: usize,
    /// A pipeline for each column, charpipe's first; empty if that tool cannot do the job.
    pub(crate) columns: Vec<Vec<Line>>,
    pub(crate) goal: Goal,
}

/// A row with its measurements.
struct Timed {
    row: Row,
    /// The costs of each round, for each column.
    costs: Vec<Vec<Cost>>,
    /// Peak memory of each column, in KiB.
    peaks: Vec<Option<u64>>,
}

/// The content of a table's cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cells {
    /// MB of input per second; `×` is charpipe's speed relative to the column's.
    Speed,
    /// Microseconds; `×` is charpipe's time relative to the column's.
    Time,
}

/// Rows under their column heads.
pub(crate) struct Table {
    heads: Vec<(Tool, String)>,
    cells: Cells,
    rows: Vec<Timed>,
}

impl Table {
    pub(crate) fn new(heads: Vec<(Tool, String)>, cells: Cells) -> Table {
        Table { heads, cells, rows: Vec::new() }
    }

    /// Creates a table with a column for each of `tools`.
    pub(crate) fn of(tools: &[Tool], cells: Cells) -> Table {
        Table::new(tools.iter().map(|tool| (*tool, tool.name().to_string())).collect(), cells)
    }

    /// Measures a row and prints it. Peaks are measured for single commands only.
    pub(crate) fn add(&mut self, row: Row, rounds: usize) -> io::Result<()> {
        let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); row.columns.len()];
        let mut peaks = vec![None; row.columns.len()];
        for round in 0..rounds {
            for (index, lines) in row.columns.iter().enumerate() {
                let is_long = costs[index].first().is_some_and(|first| first.wall > LONG);
                if lines.is_empty() || is_long {
                    continue;
                }
                if round == 0
                    && self.cells == Cells::Speed
                    && let [line] = &lines[..]
                {
                    peaks[index] = peak(line, None)?;
                }
                costs[index].push(run::cost(lines)?);
            }
        }
        let timed = Timed { row, costs, peaks };
        self.print(&timed);
        self.rows.push(timed);
        Ok(())
    }

    /// Prints the table's title and head.
    pub(crate) fn print_head(&self, what: &str) {
        let explanation = match self.cells {
            Cells::Speed => "MB of input per second; `×` is charpipe's speed relative to the tool's",
            Cells::Time => "microseconds; `×` is charpipe's time relative to the tool's",
        };
        println!("\n{what}: {explanation}\n");
        print!("| {:34} |", "job");
        self.heads.iter().for_each(|(_, head)| print!(" {head:>15} |"));
        print!(" {:>33} | {:>13} |\n|{:-<36}|", "goal", "by CPU time", "");
        self.heads.iter().for_each(|_| print!("{:->16}:|", ""));
        println!("{:->34}:|{:->14}:|", "", "");
    }

    /// Prints a row, and whether its goal is met.
    fn print(&self, timed: &Timed) {
        print!("| {:34} |", timed.row.name);
        for (index, costs) in timed.costs.iter().enumerate() {
            let seconds = median(costs.iter().map(|cost| cost.wall));
            let ratio = timed.ratio(index, |cost| cost.wall);
            let (value, ratio) = match self.cells {
                Cells::Speed => (timed.row.len as f64 / seconds / 1e6, 1.0 / ratio),
                Cells::Time => (seconds * 1e6, ratio),
            };
            match index {
                _ if costs.is_empty() => print!(" {:>15} |", ""),
                0 => print!(" {value:15.0} |"),
                _ => print!(" {:>15} |", format!("{value:.0} (×{ratio:.2})")),
            }
        }
        let (goal, by_wall) = self.verdict(timed, |cost| cost.wall);
        let (_, by_cpu) = self.verdict(timed, |cost| cost.cpu);
        println!(" {:>33} | {by_cpu:>13} |", if goal.is_empty() { goal } else { format!("{goal}: {by_wall}") });
    }

    /// Returns the goal of a row, and the result.
    fn verdict(&self, timed: &Timed, which: fn(&Cost) -> f64) -> (String, String) {
        let ratio = |tool: &Tool| {
            let index = self.heads.iter().position(|(head, _)| head == tool)?;
            let ratio = timed.ratio(index, which);
            (!ratio.is_nan()).then_some((ratio, tool.name()))
        };
        let result = |value: f64, is_met| format!("{value:.2} {}", if is_met { "met" } else { "NOT MET" });
        let verdict = match timed.row.goal {
            Goal::None => None,
            Goal::Within(most, tool) => {
                ratio(&tool).map(|(ratio, name)| (format!("≤ {most:.1} × {name}"), result(ratio, ratio <= most)))
            }
            Goal::Faster(least, tools) => {
                // The fastest tool is the one for which charpipe's relative time is greatest.
                let fastest = tools.iter().filter_map(ratio).max_by(|one, other| one.0.total_cmp(&other.0));
                fastest.map(|(ratio, name)| {
                    (format!("≥ {least:.1} × {name}'s speed"), result(1.0 / ratio, 1.0 / ratio >= least))
                })
            }
        };
        verdict.unwrap_or_default()
    }

    /// Prints the rows whose goal is not met, by CPU time.
    pub(crate) fn print_missed(&self) {
        println!("\nUnder the goal, by CPU time:\n");
        for timed in &self.rows {
            let (goal, result) = self.verdict(timed, |cost| cost.cpu);
            if result.ends_with("NOT MET") {
                println!("* {}: {goal}: {result}", timed.row.name);
            }
        }
    }

    /// Prints the times of every row, by the clock and by CPU time: the least and the median of all rounds.
    pub(crate) fn print_times(&self) {
        type Which = fn(&Cost) -> f64;
        let by: [Which; 2] = [|cost| cost.wall, |cost| cost.cpu];
        for (what, which) in ["Time by the clock", "CPU time, user and system"].into_iter().zip(by) {
            println!("\n{what}, in milliseconds: least / median; `×` is charpipe's least relative to the tool's\n");
            print!("| {:34} |", "job");
            self.heads.iter().for_each(|(_, head)| print!(" {head:>23} |"));
            print!("\n|{:-<36}|", "");
            self.heads.iter().for_each(|_| print!("{:->24}:|", ""));
            println!();
            for timed in &self.rows {
                print!("| {:34} |", timed.row.name);
                let own = least(timed.costs[0].iter().map(which));
                for (index, costs) in timed.costs.iter().enumerate() {
                    let (fastest, middle) = (least(costs.iter().map(which)), median(costs.iter().map(which)));
                    let times = format!("{:.2} / {:.2}", fastest * 1e3, middle * 1e3);
                    match index {
                        _ if costs.is_empty() => print!(" {:>23} |", ""),
                        0 => print!(" {times:>23} |"),
                        _ => print!(" {:>23} |", format!("{times} (×{:.2})", own / fastest)),
                    }
                }
                println!();
            }
        }
    }

    /// Prints the peaks, and returns a message for each row in which charpipe's peak is too high.
    pub(crate) fn print_peaks(&self) -> Vec<String> {
        println!("\nPeak memory on those files, MiB; charpipe's limit is {}\n", MEMORY / 1024);
        print!("| {:26} |", "job");
        self.heads.iter().for_each(|(_, head)| print!(" {head:>8} |"));
        print!("\n|{:-<28}|", "");
        self.heads.iter().for_each(|(_, head)| print!("{:->1$}:|", "", head.chars().count().max(8) + 1));
        println!();
        let mut failures = Vec::new();
        for timed in &self.rows {
            print!("| {:26} |", timed.row.name);
            for ((tool, head), peak) in self.heads.iter().zip(&timed.peaks) {
                let cell = peak.map_or(String::new(), |kib| format!("{:.1}", kib as f64 / 1024.0));
                print!(" {cell:>0$} |", head.chars().count().max(8));
                let is_large = LARGE.iter().any(|charset| timed.row.name.contains(charset));
                let most = if is_large { MEMORY.max(MEMORY_OF_LARGE) } else { MEMORY };
                if *tool == Tool::Charpipe && peak.is_some_and(|kib| kib >= most) {
                    failures.push(format!("{}, {head}: {cell} MiB of memory", timed.row.name));
                }
            }
            println!();
        }
        failures
    }
}

impl Timed {
    /// Returns charpipe's time divided by that of a column: the median of the ratios within each round, because runs
    /// that follow one another share their noise.
    fn ratio(&self, index: usize, which: fn(&Cost) -> f64) -> f64 {
        median(self.costs[0].iter().zip(&self.costs[index]).map(|(own, this)| which(own) / which(this)))
    }
}
