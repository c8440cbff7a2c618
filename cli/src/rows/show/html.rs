//! The table as a page for a browser: all bytes and values in full.

use crate::escape::printable;
use crate::messages::html_page::{self, escape, themed};
use crate::rows::show::sample::Shown;
use crate::rows::show::table::{Line, Table};
use std::fmt::Write as _;

/// Returns the page.
pub(super) fn page(table: &Table) -> String {
    let mut out = html_page::head(&table.title, &format!("{STYLE}{}", themed(COLOURED)));
    _ = writeln!(out, "<h1>{}</h1>", escape(&table.title));
    for line in &table.about {
        _ = writeln!(out, "<p class=\"dim\">{}</p>", escape(line));
    }
    out.push_str(
        "<table class=\"layout\">\n<thead><tr><th class=\"n\">level</th><th>name</th><th class=\"n\">from</th>",
    );
    out.push_str("<th class=\"n\">length</th><th>kind</th><th>picture</th>");
    if table.has_record {
        out.push_str("<th>bytes</th><th>value</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for line in &table.lines {
        put_line(&mut out, line, table.has_record);
    }
    out.push_str("</tbody>\n</table>\n");
    for note in &table.notes {
        _ = writeln!(out, "<p class=\"dim\">{}</p>", escape(note));
    }
    out + html_page::FOOT
}

fn put_line(out: &mut String, line: &Line, has_record: bool) {
    let group = if line.is_group { " group" } else { "" };
    let absent = if line.is_absent { " absent" } else { "" };
    _ = write!(
        out,
        "<tr class=\"line{group}{absent}\"><td class=\"n dim\">{:02}</td>\
         <td class=\"name\" style=\"padding-left:{}rem\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
         <td><span class=\"kind {}\">{}</span></td><td class=\"mono dim\">{}</td>",
        line.level,
        0.5 + 1.1 * line.depth as f32,
        escape(&line.name),
        escape(&line.from),
        line.len,
        line.class,
        escape(&line.kind),
        escape(&line.picture),
    );
    if has_record {
        _ = write!(out, "<td class=\"mono bytes\">{}</td>", line.bytes.join(" "));
        match &line.value {
            Some(Shown::Text(text)) => _ = write!(out, "<td class=\"mono text\">{}</td>", escape(&printable(text))),
            Some(Shown::Other(text)) => _ = write!(out, "<td class=\"mono\">{}</td>", escape(text)),
            Some(Shown::Bad(why)) => _ = write!(out, "<td class=\"bad\">&#x26A0; {}</td>", escape(why)),
            Some(Shown::Missing) => out.push_str("<td class=\"bad\">&#x26A0; the record ends before it</td>"),
            None if line.is_absent => out.push_str("<td class=\"dim\">not in this record</td>"),
            None => out.push_str("<td></td>"),
        }
    }
    out.push_str("</tr>\n");
}

const STYLE: &str = "\
body { max-width: 88rem; }
.layout { border-collapse: collapse; width: 100%; margin-top: 1rem; font-size: .88rem; }
.layout th { text-align: left; font-weight: 600; padding: .35rem .6rem; position: sticky; top: 0; \
border-bottom: 2px solid; }
.layout td { padding: .22rem .6rem; border-bottom: 1px solid; vertical-align: top; }
.layout .n { text-align: right; font-variant-numeric: tabular-nums; }
.name { font-weight: 500; white-space: nowrap; }
.group .name { font-weight: 700; }
.mono { font-size: .8rem; }
.bytes { overflow-wrap: anywhere; min-width: 9rem; max-width: 26rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.text::before, .text::after { content: '\"'; opacity: .45; }
.kind { display: inline-block; padding: 0 .45rem; border: 1px solid; border-left-width: 4px; border-radius: 4px; \
font-size: .78rem; white-space: nowrap; }
.kind.group { border: 0; padding: 0; font-style: italic; }
.bad { font-weight: 700; }
.absent { opacity: .5; }
@media print { .layout { font-size: 7.5pt; } .mono { font-size: 6.5pt; } .layout th { position: static; } }
";

const COLOURED: &str = "\
.layout th { background: $paper; border-color: $line; color: $dim; }
.layout td { border-color: $faint; }
.line.group { background: $plain; }
.kind { border-color: $line; }
.kind.text { background: $green; border-left-color: $greener; }
.kind.zoned { background: $blue; border-left-color: $bluer; }
.kind.edited { background: $blue; border-left-color: $bluer; }
.kind.packed { background: $violet; border-left-color: $violeter; }
.kind.binary { background: $teal; border-left-color: $tealer; }
.kind.float { background: $pink; border-left-color: $pinker; }
.kind.raw { background: $amber; border-left-color: $amberer; }
.bad { color: $redder; }
.bytes { color: $dim; }
";
