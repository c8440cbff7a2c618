//! A sheet as an SVG picture. All positions and sizes are in pixels at the picture's natural size.

use super::glyph::Class;
use super::layout::wrap;
use super::sheet::{Face, Grid, Place, Sheet};
use crate::messages::html_page::{escape, themed};
use std::fmt::Write as _;

/// The margin around the picture.
const MARGIN: usize = 24;
/// The distance from one cell to the next.
const ACROSS: usize = 60;
const DOWN: usize = 52;
/// The distance from one row of numbers to the next.
const NUMBERS_DOWN: usize = 32;
/// The gap between cells.
const GAP: usize = 4;
/// The size of the headings of rows and columns.
const HEAD: usize = 30;
/// The height of a line of text.
const LINE: usize = 18;
/// The height of a row of the key.
const KEY: usize = 34;
/// The width and height of a sample in the key.
const SAMPLE: (usize, usize) = (44, 28);
/// The least width of the picture.
const MIN_WIDTH: usize = 720;

/// Returns the picture.
pub(crate) fn draw(sheet: &Sheet) -> String {
    let columns = sheet.grids.iter().map(|grid| grid.columns.clone().count()).max().unwrap_or(0);
    let width = (2 * MARGIN + HEAD + columns * ACROSS - GAP).max(MIN_WIDTH);
    let mut drawing = Drawing { out: String::new(), width, y: MARGIN };
    drawing.text("h1", 28, &sheet.title);
    drawing.y += GAP;
    for line in &sheet.lines {
        let mut wrapped = String::new();
        wrap(&mut wrapped, "", line.split(' ').map(str::to_owned), width / 8, "");
        wrapped.lines().for_each(|line| drawing.text("dim", LINE, line));
    }
    sheet.grids.iter().for_each(|grid| drawing.grid(grid));
    drawing.key(&sheet.key);
    let Drawing { out, y, .. } = drawing;
    let height = y + MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<style>\n{STYLE}{}</style>\n\
         <pattern id=\"hatch\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
         <path class=\"hatch\" d=\"M-1 1l2-2M-1 9l10-10M7 9l2-2\"/></pattern>\n\
         <rect class=\"sheet\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n{out}</svg>\n",
        escape(&sheet.title),
        themed(COLOURED),
        width - 1,
        height - 1,
    )
}

struct Drawing {
    out: String,
    width: usize,
    /// The top of the next element.
    y: usize,
}

/// Left, top, width and height.
type Area = (usize, usize, usize, usize);

impl Drawing {
    fn text(&mut self, class: &str, height: usize, text: &str) {
        self.y += height;
        _ = writeln!(self.out, "<text class=\"{class}\" x=\"{MARGIN}\" y=\"{}\">{}</text>", self.y - 5, escape(text));
    }

    fn grid(&mut self, grid: &Grid) {
        self.y += GAP * 2;
        if let Some(heading) = &grid.heading {
            self.text("h2", 24, heading);
        }
        let top = self.y + HEAD;
        let down = if grid.numbers { NUMBERS_DOWN } else { DOWN };
        let x_of = |column: usize| MARGIN + HEAD + (column - grid.columns.start()) * ACROSS;
        for column in grid.columns.clone() {
            let x = x_of(column) + (ACROSS - GAP) / 2;
            _ = writeln!(self.out, "<text class=\"th\" x=\"{x}\" y=\"{}\">{column:X}-</text>", top - 10);
        }
        for row in 0..16 {
            let y = top + row * down;
            let middle = y + (down - GAP) / 2 + 4;
            _ = writeln!(self.out, "<text class=\"th\" x=\"{}\" y=\"{middle}\">-{row:X}</text>", MARGIN + HEAD / 2 - 4);
            for column in grid.columns.clone() {
                self.place(&grid.places[column * 16 + row], (x_of(column), y, ACROSS - GAP, down - GAP));
            }
        }
        self.y = top + 16 * down;
        for note in &grid.notes {
            self.text("dim", LINE, note);
        }
    }

    fn place(&mut self, Place { faces, faded, title }: &Place, (x, y, width, height): Area) {
        let faded = if *faded { " class=\"faded\"" } else { "" };
        _ = write!(self.out, "<g{faded}><title>{}</title>", escape(title));
        match &faces[..] {
            [face] => self.face(face, (x, y, width, height), ""),
            faces => {
                for (at, face) in faces.iter().enumerate() {
                    self.face(face, (x + at * width / 2, y, width / 2, height), " half");
                }
                _ = write!(
                    self.out,
                    "<rect class=\"two\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>\
                     <circle cx=\"{0}\" cy=\"{y}\" r=\"7\"/>\
                     <path class=\"ne\" d=\"M{1} {2}h8m0 3h-8m2 3l4-9\"/>",
                    x + width / 2,
                    x + width / 2 - 4,
                    y - 2,
                );
            }
        }
        self.out.push_str("</g>\n");
    }

    /// Draws a face with the sign of its class: a bar on one side, or a different border.
    fn face(&mut self, face: &Face, (x, y, width, height): Area, half: &str) {
        let radius = match face.class {
            Class::Control | Class::Shift => 13,
            _ => 4,
        };
        _ = write!(
            self.out,
            "<g class=\"{}{half}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>",
            face.class.name(),
        );
        let bar = match face.class {
            Class::Digit => format!("M{} {}h{}", x + 1, y + height - 2, width - 2),
            Class::Sign => format!("M{} {}v{}", x + 2, y + 1, height - 2),
            Class::Lead => format!("M{} {}v{}", x + width - 2, y + 1, height - 2),
            _ => String::new(),
        };
        if !bar.is_empty() {
            _ = write!(self.out, "<path class=\"bar\" d=\"{bar}\"/>");
        }
        if face.class == Class::Combining {
            let (width, height) = (width - 6, height - 6);
            _ = write!(self.out, "<rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\"/>", x + 3, y + 3);
        }
        if face.variant {
            _ = write!(self.out, "<path class=\"variant\" d=\"M{} {}h-10l10 10z\"/>", x + width, y);
        }
        let middle = x + width / 2;
        // The base line of the glyph, above the code if there is one.
        let base = if face.code.is_empty() { y + height / 2 + 6 } else { y + 26 };
        if !face.glyph.is_empty() {
            let (class, base) = if face.is_word() { ("w", base - 2) } else { ("b", base) };
            _ = write!(self.out, "<text class=\"{class}\" x=\"{middle}\" y=\"{base}\">{}</text>", escape(&face.glyph));
        }
        if face.one_way {
            _ = write!(self.out, "<text class=\"star\" x=\"{}\" y=\"{}\">*</text>", x + 8, y + 16);
        }
        if !face.code.is_empty() {
            let base = y + height - 7;
            _ = write!(self.out, "<text class=\"i\" x=\"{middle}\" y=\"{base}\">{}</text>", escape(&face.code));
        }
        self.out.push_str("</g>");
    }

    fn key(&mut self, key: &[Place]) {
        if key.is_empty() {
            return;
        }
        self.y += GAP * 4;
        let columns = (self.width - 2 * MARGIN) / 320;
        let across = (self.width - 2 * MARGIN) / columns;
        for (at, sample) in key.iter().enumerate() {
            let (x, y) = (MARGIN + at % columns * across, self.y + at / columns * KEY);
            self.place(sample, (x, y, SAMPLE.0, SAMPLE.1));
            let (x, y) = (x + SAMPLE.0 + 10, y + SAMPLE.1 / 2 + 5);
            _ = writeln!(self.out, "<text class=\"words\" x=\"{x}\" y=\"{y}\">{}</text>", escape(&sample.title));
        }
        self.y += key.len().div_ceil(columns) * KEY;
    }
}

const STYLE: &str = "\
text { font: 14px system-ui, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; }
.h1 { font-size: 24px; font-weight: 600; }
.h2 { font-size: 16px; font-weight: 600; }
.dim, .words { font-size: 13px; }
.b, .w, .i, .th, .star { text-anchor: middle; }
.b { font-size: 20px; font-weight: 500; }
.w, .i, .th { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.w { font-size: 12.5px; font-weight: 600; }
.i { font-size: 11px; }
.th { font-size: 13px; font-weight: 600; }
.star { font-size: 15px; font-weight: 700; }
.ne { fill: none; stroke-width: 1.5; }
.half .b { font-size: 17px; }
.half .w { font-size: 9px; }
.half .i { font-size: 8.5px; letter-spacing: -.2px; }
.faded { opacity: .5; }
.bar { fill: none; stroke-width: 3; }
.hatch { fill: none; stroke-width: 1; }
.two { fill: none; stroke-width: 2.5; }
.control rect { stroke-dasharray: 4 2; }
.blank rect { stroke-dasharray: 1 3; }
.private rect { stroke-dasharray: 6 3; }
.combining rect + rect { fill: none; }
.shift rect { stroke-width: 2; }
@page { size: A4; margin: 12mm; }
@media print { svg { width: 100%; height: auto; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
";

const COLOURED: &str = "\
.sheet { fill: $paper; stroke: $faint; }
text { fill: $ink; }
.dim, .i, .th { fill: $dim; }
g rect { fill: $plain; stroke: $line; }
.letter rect { fill: $blue; }
.digit rect { fill: $amber; }
.digit .bar { stroke: $amberer; }
.sign rect { fill: $green; }
.sign .bar { stroke: $greener; }
.blank rect { stroke: $ink; }
.control rect { fill: $violet; stroke: $violeter; }
.combining rect { fill: $pink; stroke: $pinker; }
.lead rect { fill: $teal; }
.lead .bar { stroke: $tealer; }
.shift rect { fill: $red; stroke: $redder; }
.none rect { fill: url(#hatch); stroke: $faint; }
.hatch { stroke: $faint; }
.variant, circle, .star { fill: $redder; }
g .two { fill: none; stroke: $redder; }
.ne { stroke: $paper; }
";
