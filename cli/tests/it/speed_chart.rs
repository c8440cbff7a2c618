//! The chart of speeds in `docs/speed.svg`, which `pictures.rs` draws from benches/speed.txt: what
//! `cargo bench -p charpipe-cli --bench process -- files` printed.

use std::fmt::Write as _;

/// The jobs to draw, as the table names them.
const JOBS: [&str; 6] = [
    "windows-1252 → UTF-8, French",
    "UTF-8 → windows-1252, French",
    "IBM037 → UTF-8, French",
    "IBM939 → UTF-8, Japanese",
    "UTF-16LE → UTF-8, French",
    "UTF-8 → UTF-8, French",
];

/// The columns of the table, in its order, and the classes of their bars.
const TOOLS: [&str; 3] = ["charpipe", "iconv", "uconv"];

/// Widths and heights in pixels.
const LABEL: f64 = 210.0;
const BARS: f64 = 420.0;
const BAR: f64 = 12.0;
const JOB: f64 = 3.0 * BAR + 16.0;
const TOP: f64 = 40.0;

/// Colours for light and dark pages. The bars differ in lightness, too, for a printer.
const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#1f2328}.charpipe{fill:#0b62c4}.iconv{fill:#8c959f}.uconv{fill:#c3cad1}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.charpipe{fill:#58a6ff}.iconv{fill:#768390}.uconv{fill:#444c56}}";

/// Returns the MB/s of each tool for a job: the first number of each of the first three cells.
fn speeds(table: &str, job: &str) -> [f64; 3] {
    let row = table.lines().find(|line| line.trim_start_matches('|').trim_start().starts_with(job));
    let row = row.unwrap_or_else(|| panic!("benches/speed.txt has no {job}"));
    let mut cells = row.trim_matches('|').split('|').skip(1).map(|cell| {
        let number = cell.split_whitespace().next().unwrap_or_default();
        number.parse().unwrap_or_else(|_| panic!("{job}: {cell}"))
    });
    std::array::from_fn(|_| cells.next().unwrap())
}

/// Draws the chart.
pub(crate) fn drawn(table: &str) -> String {
    let most = JOBS.iter().flat_map(|job| speeds(table, job)).fold(0.0, f64::max);
    let (width, height) = (LABEL + BARS + 70.0, TOP + JOB * JOBS.len() as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"title\">\n<title id=\"title\">MB of input per second: charpipe, iconv and uconv</title>\n\
         <style>{STYLE}</style>\n"
    );
    for (index, tool) in TOOLS.iter().enumerate() {
        let x = LABEL + index as f64 * 90.0;
        _ = writeln!(svg, "<rect class=\"{tool}\" x=\"{x}\" y=\"10\" width=\"12\" height=\"12\"/>");
        _ = writeln!(svg, "<text x=\"{}\" y=\"20\">{tool}</text>", x + 18.0);
    }
    _ = writeln!(svg, "<text x=\"{}\" y=\"20\">MB of input per second</text>", LABEL + 285.0);
    for (index, job) in JOBS.iter().enumerate() {
        let y = TOP + JOB * index as f64;
        let middle = y + 1.5 * BAR + 4.0;
        _ = writeln!(svg, "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{job}</text>", LABEL - 10.0);
        for ((tool, speed), y) in TOOLS.iter().zip(speeds(table, job)).zip([y, y + BAR, y + 2.0 * BAR]) {
            let width = (speed / most * BARS).max(1.0);
            _ = writeln!(
                svg,
                "<rect class=\"{tool}\" x=\"{LABEL}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\"/>\n\
                 <text x=\"{:.1}\" y=\"{}\" font-size=\"10\">{speed:.0}</text>",
                BAR - 1.0,
                LABEL + width + 6.0,
                y + BAR - 2.5
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}
