//! The parts that the command's HTML pages and SVG pictures share: escaped text, colours, and the frame of a page. They
//! are self-contained: a browser fetches nothing and runs nothing. The HTML is also well-formed XML.

use crate::escape::harmless;

/// The colours: the name in style sheets, the value on light paper, the value on dark paper. No colour carries a meaning
/// that is not also shown in another way.
const COLOURS: &[(&str, [&str; 2])] = &[
    ("paper", ["#ffffff", "#0d1117"]),
    ("ink", ["#1f2328", "#e6edf3"]),
    ("dim", ["#59636e", "#9198a1"]),
    ("line", ["#b7c0ca", "#4a535d"]),
    ("faint", ["#dfe4ea", "#262d36"]),
    ("plain", ["#f6f8fa", "#151b23"]),
    ("blue", ["#e8f2ff", "#12253f"]),
    ("bluer", ["#0969da", "#58a6ff"]),
    ("amber", ["#fff1cc", "#382b08"]),
    ("amberer", ["#9a6700", "#d9a521"]),
    ("green", ["#e6f6e8", "#112b1a"]),
    ("greener", ["#1a7f37", "#3fb950"]),
    ("violet", ["#f2edfc", "#271e3f"]),
    ("violeter", ["#8250df", "#ab7df8"]),
    ("pink", ["#ffe9f3", "#3d1a2c"]),
    ("pinker", ["#bf3989", "#f778ba"]),
    ("teal", ["#dcf3f4", "#0a3035"]),
    ("tealer", ["#1b7c83", "#39c5cf"]),
    ("red", ["#ffebe9", "#3f1512"]),
    ("redder", ["#cf222e", "#ff7b72"]),
];

/// Returns `rules` with the value of each colour `$name`, first for light paper, and then again for dark paper, for screens
/// that prefer it. Printing always uses light paper.
pub(crate) fn themed(rules: &str) -> String {
    let [light, dark] = [0, 1].map(|paper| coloured(rules, paper));
    format!("{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

fn coloured(rules: &str, paper: usize) -> String {
    let mut parts = rules.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_at(part.find(|ch: char| !ch.is_ascii_lowercase()).unwrap_or(part.len()));
        let colour = COLOURS.iter().find(|colour| colour.0 == name);
        out += colour.expect("style sheets use only the names in COLOURS").1[paper];
        out += rest;
    }
    out
}

/// Escapes `text` for use as the text of an element, or as an attribute value in quotes. The result has no markup, nothing
/// that XML does not allow, and nothing that changes the direction of the text around it.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in harmless(text).chars() {
        match ch {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{FFFE}' | '\u{FFFF}' => out.extend(ch.escape_unicode()),
            _ => out.push(ch),
        }
    }
    out
}

/// Returns a page up to its first element. `style` is added to the style sheet of all pages.
pub(crate) fn head(title: &str, style: &str) -> String {
    let (title, colours) = (escape(title), themed(COLOURED));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{title}</title>\n\
         <style>\n{STYLE}{colours}{style}</style>\n</head>\n<body>\n"
    )
}

/// The end of a page, after its last element.
pub(crate) const FOOT: &str = "</body>\n</html>\n";

const STYLE: &str = "\
* { box-sizing: border-box; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { margin: 0 auto; padding: 1.5rem; max-width: 68rem; \
font: 15px/1.45 system-ui, 'Segoe UI', 'Noto Sans', sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 1.6rem 0 .5rem; }
p { margin: .2rem 0; overflow-wrap: anywhere; }
code, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
@page { size: A4; margin: 12mm; }
@media print { body { padding: 0; max-width: none; font-size: 9pt; } \
h1 { font-size: 15pt; } h2 { break-after: avoid; } }
";

const COLOURED: &str = "\
html { background: $paper; color: $ink; }
.dim { color: $dim; }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escape("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
        assert_eq!(escape("\u{0}\u{1B}\r\u{85}\u{202E}\u{FFFE}é"), "\\0\\u{1b}\\r\\u{85}\\u{202e}\\u{fffe}é");
    }

    #[test]
    fn colours_are_for_both_papers() {
        let rules = themed("a { color: $ink; fill: $paper }\n");
        assert_eq!(
            rules,
            "a { color: #1f2328; fill: #ffffff }\n@media screen and (prefers-color-scheme: dark) {\n\
             a { color: #e6edf3; fill: #0d1117 }\n}\n"
        );
    }
}
