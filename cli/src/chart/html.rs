//! A sheet as an HTML page. It consists of tables, so that text can be searched and copied.

use super::sheet::{Face, Grid, List, Place, Sheet};
use crate::messages::html_page::{self, escape, themed};
use std::fmt::Write as _;

/// Returns the page.
pub(crate) fn draw(sheet: &Sheet) -> String {
    let mut out = html_page::head(&sheet.title, &format!("{STYLE}{}", themed(COLOURED)));
    _ = writeln!(out, "<h1>{}</h1>", escape(&sheet.title));
    for line in &sheet.lines {
        _ = writeln!(out, "<p class=\"dim\">{}</p>", escape(line));
    }
    sheet.grids.iter().for_each(|grid| put_grid(&mut out, grid));
    put_key(&mut out, &sheet.key);
    sheet.lists.iter().for_each(|list| put_list(&mut out, list));
    out + html_page::FOOT
}

fn put_grid(out: &mut String, grid: &Grid) {
    if let Some(heading) = &grid.heading {
        _ = writeln!(out, "<h2>{}</h2>", escape(heading));
    }
    let numbers = if grid.numbers { " numbers" } else { "" };
    _ = write!(out, "<table class=\"chart{numbers}\">\n<tr><td></td>");
    for column in grid.columns.clone() {
        _ = write!(out, "<th scope=\"col\">{column:X}-</th>");
    }
    for row in 0..16 {
        _ = write!(out, "</tr>\n<tr><th scope=\"row\">-{row:X}</th>");
        for column in grid.columns.clone() {
            put_place(out, &grid.places[column * 16 + row]);
        }
    }
    out.push_str("</tr>\n</table>\n");
    for note in &grid.notes {
        _ = writeln!(out, "<p class=\"dim\">{}</p>", escape(note));
    }
}

fn put_place(out: &mut String, Place { faces, faded, title }: &Place) {
    let title = escape(title);
    let faded = if *faded { " faded" } else { "" };
    match &faces[..] {
        [face] => {
            _ = write!(out, "<td class=\"{}{faded}\" title=\"{title}\">{}</td>", classes(face), inside(face));
        }
        faces => {
            _ = write!(out, "<td class=\"two\" title=\"{title}\">");
            put_halves(out, faces);
            out.push_str("</td>");
        }
    }
}

fn put_halves(out: &mut String, faces: &[Face]) {
    for face in faces {
        _ = write!(out, "<span class=\"{}\">{}</span>", classes(face), inside(face));
    }
}

fn classes(face: &Face) -> String {
    format!("c {}{}", face.class.name(), if face.variant { " variant" } else { "" })
}

fn inside(face: &Face) -> String {
    let word = if face.is_word() { " class=\"w\"" } else { "" };
    let star = if face.one_way { "<sup>*</sup>" } else { "" };
    let mut inside = match &*face.glyph {
        "" => String::new(),
        glyph => format!("<b{word}>{}</b>{star}", escape(glyph)),
    };
    if !face.code.is_empty() {
        _ = write!(inside, "<i>{}</i>", escape(&face.code));
    }
    inside
}

fn put_key(out: &mut String, key: &[Place]) {
    if key.is_empty() {
        return;
    }
    out.push_str("<ul class=\"key\">\n");
    for Place { faces, title, .. } in key {
        out.push_str("<li>");
        if let [face] = &faces[..] {
            _ = write!(out, "<span class=\"{}\">{}</span>", classes(face), inside(face));
        } else {
            out.push_str("<span class=\"two\">");
            put_halves(out, faces);
            out.push_str("</span>");
        }
        _ = writeln!(out, " {}</li>", escape(title));
    }
    out.push_str("</ul>\n");
}

fn put_list(out: &mut String, List { heading, rows }: &List) {
    _ = writeln!(out, "<h2>{}</h2>\n<ul class=\"list\">", escape(heading));
    for row in rows {
        let mut parts = row.iter();
        let bytes = parts.next().map_or("", |bytes| &**bytes);
        _ = write!(out, "<li><code>{}</code>", escape(bytes));
        for part in parts {
            _ = write!(out, " <bdi>{}</bdi>", escape(part));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
}

const STYLE: &str = "\
.chart { border-collapse: separate; border-spacing: 3px; table-layout: fixed; margin: 1rem 0 .5rem -3px; }
.chart th { font: 600 .8rem ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; width: 3.7rem; }
.chart th[scope=row], .chart tr:first-child td { width: 2rem; }
.c, .two { position: relative; border: 1px solid; border-radius: 4px; padding: 0; text-align: center; \
overflow: hidden; }
td.c, td.two { height: 3.1rem; }
.numbers td.c { height: 1.9rem; }
.c b { font-weight: 500; font-size: 1.25rem; line-height: 1.5; }
.c b.w { font: 600 .72rem/1.9rem ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; letter-spacing: -.02em; }
.c i { display: block; font: .66rem/1 ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.c sup { position: absolute; left: 4px; top: 2px; font-weight: 700; line-height: 1; }
.digit { border-bottom-width: 4px; }
.sign { border-left-width: 4px; }
.control { border-style: dashed; border-radius: 14px; }
.blank { border-style: dotted; }
.combining { border-style: double; border-width: 3px; }
.private { border-style: dashed; }
.lead { border-right-width: 4px; }
.shift { border-width: 2px; border-radius: 14px; }
.variant::after { content: '\\25E5'; position: absolute; right: 0; top: -.2rem; font-size: .7rem; line-height: 1; }
.two { border-width: 2px; padding: 1px; white-space: nowrap; overflow: visible; }
.two::before { content: '\\2260'; position: absolute; left: 50%; top: -.5rem; width: 1rem; margin-left: -.5rem; \
border-radius: 1rem; font: 700 .8rem/1rem 'DejaVu Sans', Arial, sans-serif; z-index: 1; }
.two .c { display: inline-block; width: 50%; height: 100%; vertical-align: top; padding-top: .45rem; \
border-radius: 3px; }
.two .c b { font-size: 1.05rem; }
.two .c b.w { font-size: .6rem; line-height: 1.5rem; letter-spacing: -.05em; }
.two .c i { font-size: .52rem; letter-spacing: -.03em; }
.key { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: .4rem 1rem; padding: 0; \
list-style: none; }
.key > li { display: flex; align-items: center; }
.key > li > span { flex: none; width: 2.8rem; height: 1.9rem; margin-right: .5rem; }
.key b { line-height: 1.6rem; font-size: 1.05rem; }
.key b.w { line-height: 1.6rem; }
.key > li > .two { margin-top: .3rem; }
.key .two .c { padding-top: 0; }
.list { columns: 19rem; padding: 0; list-style: none; }
.list code { display: inline-block; min-width: 2.2rem; font-weight: 600; }
.list bdi { display: inline-block; min-width: 6.5rem; }
.faded { opacity: .5; }
@media print {
  .chart { width: 100%; border-spacing: 1.5px; break-inside: avoid; }
  .chart th, .chart th[scope=row], .chart tr:first-child td { width: auto; font-size: 7pt; }
  td.c, td.two { height: 11mm; }
  .numbers td.c { height: 5mm; }
  .c b { font-size: 12pt; line-height: 1.35; }
  .c b.w { font-size: 6.4pt; line-height: 16pt; }
  .c i { font-size: 5.6pt; }
  .two .c { padding-top: 1.6mm; }
  .two .c b { font-size: 10pt; }
  .two .c b.w { font-size: 5pt; line-height: 13pt; }
  .two .c i { font-size: 4.6pt; }
  .key { grid-template-columns: repeat(3, 1fr); break-inside: avoid; }
  .list { columns: 2; }
  .list bdi { min-width: 28mm; }
}
";

const COLOURED: &str = "\
.chart th { color: $dim; }
.c { background: $plain; border-color: $line; }
.c i { color: $dim; }
.letter { background: $blue; }
.digit { background: $amber; border-bottom-color: $amberer; }
.sign { background: $green; border-left-color: $greener; }
.control { background: $violet; border-color: $violeter; }
.blank { background: $plain; border-color: $ink; }
.combining { background: $pink; border-color: $pinker; }
.private { background: $plain; }
.lead { background: $teal; border-right-color: $tealer; }
.shift { background: $red; border-color: $redder; }
.none { background: repeating-linear-gradient(135deg, $faint 0 1px, $paper 1px 6px); border-color: $faint; }
.variant::after { color: $redder; }
.two { border-color: $redder; }
.two::before { color: $paper; background: $redder; }
.c sup { color: $redder; }
";
