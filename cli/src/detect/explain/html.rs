//! The explanation as an HTML page with a section for each file.

use super::explanation::{Byte, COLUMNS, Explanation, Gravity, Part, PolicyRow, WIDTH};
use crate::files::name::Name;
use crate::messages::html_page::{self, escape, themed};
use std::fmt::Write as _;

/// Returns the page up to its first section. [`html_page::FOOT`] ends it.
pub(crate) fn head(title: &str) -> String {
    html_page::head(title, &format!("{STYLE}{}", themed(COLOURED)))
}

/// Returns the section about a file.
pub(crate) fn file(explanation: &Explanation<'_>) -> String {
    let mut out = format!("<section>\n<h1>{}</h1>\n", escape(&explanation.name.to_string()));
    _ = writeln!(out, "<p>{}</p>", escape(&explanation.verdict));
    for remark in &explanation.remarks {
        _ = writeln!(out, "<p class=\"{}\">{}</p>", class_of(remark.gravity), escape(&remark.words));
    }
    out.push_str("<h2>The first bytes</h2>\n");
    if explanation.bytes.is_empty() {
        out.push_str("<p class=\"dim\">no bytes</p>\n");
    } else {
        out.push_str("<div class=\"wide\"><table class=\"dump\">\n");
        for (row, line) in explanation.bytes.chunks(WIDTH).enumerate() {
            put_line(&mut out, row * WIDTH, line);
        }
        out.push_str("</table></div>\n");
    }
    if !explanation.parts.is_empty() {
        out.push_str("<ul class=\"parts\">\n");
        for Part { mark, bytes, what } in &explanation.parts {
            let (start, end) = (bytes.start, bytes.end);
            _ = writeln!(out, "<li><b class=\"{mark}\">{mark}</b> bytes {start}..{end}: {}</li>", escape(what));
        }
        out.push_str("</ul>\n");
    }
    put_table(&mut out, &explanation.policies);
    if !explanation.candidates.is_empty() {
        out.push_str("<h2>Guesses from statistics</h2>\n<table class=\"rows\">\n");
        for (codec, score) in &explanation.candidates {
            _ = writeln!(
                out,
                "<tr><td>{}</td><td>{score:.2}</td><td><meter value=\"{score:.2}\"></meter></td></tr>",
                escape(codec)
            );
        }
        out.push_str("</table>\n");
    }
    out + "</section>\n"
}

/// Returns the section about a file that could not be read.
pub(crate) fn failed(name: &Name, words: &str) -> String {
    let (name, words) = (escape(&name.to_string()), escape(words));
    format!("<section>\n<h1>{name}</h1>\n<p class=\"error\">{words}</p>\n</section>\n")
}

fn put_line(out: &mut String, start: usize, line: &[Byte]) {
    _ = write!(out, "<tr><th scope=\"row\">{start:06X}</th>");
    for one @ Byte { byte, marks, .. } in line {
        match one.mark() {
            Some(mark) => _ = write!(out, "<td class=\"{mark}\">{byte:02X}<i>{marks}</i></td>"),
            None => _ = write!(out, "<td>{byte:02X}</td>"),
        }
    }
    let missing = WIDTH - line.len();
    _ = write!(out, "<td class=\"gap\" colspan=\"{}\"></td>", missing + 1);
    for one @ Byte { text, .. } in line {
        match one.mark() {
            Some(mark) => _ = write!(out, "<td class=\"t {mark}\">{}</td>", escape(text)),
            None => _ = write!(out, "<td class=\"t\">{}</td>", escape(text)),
        }
    }
    out.push_str("</tr>\n");
}

fn put_table(out: &mut String, rows: &[PolicyRow]) {
    out.push_str("<h2>Verdicts of the policies</h2>\n<div class=\"wide\"><table class=\"rows\">\n<tr>");
    for column in COLUMNS {
        _ = write!(out, "<th scope=\"col\">{column}</th>");
    }
    out.push_str("</tr>\n");
    for PolicyRow { cells, chosen, gravity } in rows {
        let [policy, encoding, codec, rule, source, remarks] = cells.each_ref().map(|cell| escape(cell));
        let (row, sign) = if *chosen { (" class=\"chosen\"", "▸ ") } else { ("", "") };
        let gravity = gravity.map_or("", class_of);
        _ = writeln!(
            out,
            "<tr{row}><td>{sign}{policy}</td><td>{encoding}</td><td>{codec}</td><td><code>{rule}</code></td>\
             <td>{source}</td><td class=\"{gravity}\">{remarks}</td></tr>"
        );
    }
    out.push_str("</table></div>\n");
}

fn class_of(gravity: Gravity) -> &'static str {
    match gravity {
        Gravity::Hint => "hint",
        Gravity::Warning => "warning",
        Gravity::Error => "error",
    }
}

const STYLE: &str = "\
section + section { margin-top: 3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
.dump { font: .92rem/1.15 ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.dump th { font-weight: 400; padding: .2rem 1rem .15rem 0; vertical-align: top; }
.dump { border-collapse: separate; border-spacing: 0; }
.dump td { border-bottom: 3px solid transparent; padding: .2rem .22rem .1rem; text-align: center; \
vertical-align: top; min-width: 1.75rem; }
.dump td.gap { min-width: 1.2rem; }
.dump td.t { min-width: .75rem; padding: .2rem 0 .1rem; unicode-bidi: isolate; white-space: pre; }
.dump i { display: block; font: 700 .62rem/1 sans-serif; }
.dump .B, .dump .S, b.B, b.S { border-bottom: 3px double; }
.dump .D, b.D { border-bottom: 3px solid; }
.dump .N, b.N { border-bottom: 3px dotted; font-weight: 700; }
.parts { padding: 0; list-style: none; }
.parts b { display: inline-block; width: 1.6rem; text-align: center; margin-right: .4rem; }
.rows td, .rows th { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: top; }
.rows td, .rows th { border-bottom: 1px solid; }
.chosen td { font-weight: 700; }
.error, .warning { font-weight: 600; }
@media print { .wide { overflow: visible; } .dump { font-size: 7.5pt; } .dump td { min-width: 5mm; padding: .4mm; } \
.dump td.t { min-width: 2mm; padding: .4mm 0; } .rows { font-size: 8pt; } tr { break-inside: avoid; } }
";

const COLOURED: &str = "\
.dump th, .rows th { color: $dim; }
.dump .B, .dump .S, b.B, b.S { background: $violet; border-color: $violeter; }
.dump .D, b.D { background: $blue; border-color: $bluer; }
.dump .N, b.N { background: $green; border-color: $greener; }
.rows td, .rows th { border-color: $faint; }
.error { color: $redder; }
.warning { color: $amberer; }
.hint { color: $tealer; }
";
