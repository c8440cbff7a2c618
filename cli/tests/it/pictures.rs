//! Tests the pictures of the command: charts as HTML pages and SVG pictures, `detect --explain` as a page, and both in
//! colour on a terminal. They are well-formed and self-contained, quoted text is never markup, and they agree with the
//! JSON.
//!
//! The pictures in `docs/` are made here: `CHARPIPE_WRITE_PICTURES=1 cargo test -p charpipe-cli pictures::fresh`.
use crate::readme::Scratch;
use crate::speed_chart;
use charpipe::Registry;
use charpipe::codec::decode_strictly;
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the command in the root of the repository.
fn charpipe() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

/// Returns the output of a run that succeeds.
#[track_caller]
fn shown(line: &str) -> String {
    let Output { status, stdout, stderr } = charpipe().args(line.split_whitespace()).output().unwrap();
    assert_eq!((status.code(), String::from_utf8_lossy(&stderr)), (Some(0), "".into()), "{line}");
    String::from_utf8(stdout).unwrap()
}

/// Returns the exit status and the messages of a run that fails.
fn refused(line: &str) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = charpipe().args(line.split_whitespace()).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// Parses a page or a picture, and checks that nothing in it is executed or fetched.
#[track_caller]
fn tree(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let tree = Document::parse_with_options(text, options).unwrap_or_else(|error| panic!("{error}: {text}"));
    for node in tree.descendants() {
        let name = node.tag_name().name();
        assert!(!["script", "link", "img", "image", "iframe", "object", "embed", "foreignObject"].contains(&name));
        for attribute in node.attributes() {
            let is = |what: &str| attribute.name().eq_ignore_ascii_case(what);
            assert!(!is("src") && !is("href") && !attribute.name().starts_with("on"), "{attribute:?}");
        }
        if name == "style" {
            let rules = node.text().unwrap().replace("url(#hatch)", "");
            assert!(!rules.contains("url(") && !rules.contains("@import") && !rules.contains("$"), "{rules}");
            assert!(rules.contains("prefers-color-scheme: dark") && rules.contains("@media print"));
        }
    }
    tree
}

/// Returns the elements with this class.
fn of_class<'a>(tree: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node<'_, '_>| node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class));
    tree.descendants().filter(has).collect()
}

fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

/// Returns the titles of the cells of a drawing, in document order.
fn titles(tree: &Document<'_>) -> Vec<String> {
    if tree.root_element().tag_name().name() == "svg" {
        let titles = tree.descendants().filter(|node| node.tag_name().name() == "title").skip(1);
        titles.map(text_of).collect()
    } else {
        tree.descendants().filter_map(|node| node.attribute("title")).map(str::to_owned).collect()
    }
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1B}[");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

#[test]
fn drawings_agree_with_the_json() {
    for line in ["IBM1047", "IBM420", "IBM-Thai", "IBM930", "IBM930 --lead 42", "IBM300", "IBM300 --lead 42", "IBM437"]
    {
        let object: Value = serde_json::from_str(&shown(&format!("chart {line} --json"))).unwrap();
        for form in ["--html", "--svg"] {
            let drawing = shown(&format!("chart {line} {form}"));
            let tree = tree(&drawing);
            let titles: BTreeSet<String> = titles(&tree).into_iter().collect();
            for cell in object["chart"].as_array().unwrap() {
                let [bytes, codes] = ["bytes", "code_points"].map(|key| cell[key].as_str().unwrap());
                let pairs: Vec<&str> = (0..bytes.len()).step_by(2).map(|at| &bytes[at..at + 2]).collect();
                let begins = format!("{}: {codes}", pairs.join(" "));
                let title = titles.iter().find(|title| title.starts_with(&begins));
                let title = title.unwrap_or_else(|| panic!("{begins} in {line} {form}"));
                assert_eq!(title.contains(", written as other bytes"), cell["one_way"] == true, "{title}");
            }
            for lead in object["leads"].as_array().unwrap() {
                let plural = if lead["characters"] == 1 { "" } else { "s" };
                let title = format!("{}: {} character{plural}", lead["bytes"].as_str().unwrap(), lead["characters"]);
                assert!(titles.contains(&title), "{title} in {line} {form}");
            }
            assert!(text_of(tree.root_element()).contains(object["source"].as_str().unwrap()), "{line} {form}");
        }
    }
}

/// The column is the high half of a byte, the row its low half.
#[test]
fn a_page_has_the_layout_of_ibms_charts() {
    let page = shown("chart 1047 --html");
    let tree = tree(&page);
    let rows: Vec<Vec<String>> = tree
        .descendants()
        .filter(|node| node.tag_name().name() == "tr")
        .map(|row| row.children().filter(Node::is_element).map(text_of).collect())
        .collect();
    assert_eq!(rows[0][1..4], ["0-", "1-", "2-"]);
    assert_eq!((&*rows[2][0], &*rows[2][13], rows.len()), ("-1", "A0041", 17));
    let picture = shown("chart 1047 --svg");
    let tree = self::tree(&picture);
    let glyphs =
        tree.descendants().filter(|node| node.tag_name().name() == "text" && node.attribute("class") == Some("b"));
    let place = |glyph: &str| {
        let node = glyphs.clone().find(|node| node.text() == Some(glyph)).unwrap();
        ["x", "y"].map(|name| node.attribute(name).unwrap().parse::<i32>().unwrap())
    };
    let [[x, y], [right, same], [left, below]] = [place("A"), place("J"), place("B")];
    assert!(right > x && same == y && left == x && below > y);
}

/// Classes are never shown by colour alone: each class is named in the key and in the tooltips.
#[test]
fn classes_are_named() {
    for form in ["--html", "--svg"] {
        let drawing = shown(&format!("chart IBM420 {form}"));
        let text = text_of(tree(&drawing).root_element());
        for class in [
            "letter",
            "digit or number",
            "punctuation or symbol",
            "blank",
            "control or format character",
            "combining",
            "unassigned",
            "variant",
        ] {
            assert!(text.contains(class), "{class} in {form}");
        }
        assert!(!text.contains("private use") && !text.contains("lead byte") && !text.contains("they differ"));
    }
    let page = shown("chart IBM420 --html");
    let tree = tree(&page);
    let title = |bytes: &str| titles(&tree).into_iter().find(|title| title.starts_with(bytes)).unwrap();
    assert_eq!(title("C1"), "C1: U+0041, letter");
    assert_eq!(title("15"), "15: U+0085 NEL, control or format character");
    assert_eq!(title("40"), "40: U+0020 SP, blank");
    assert_eq!(title("42"), "42: U+0651, combining, drawn on the character before it");
    assert_eq!(title("5B"), "5B: U+0024, punctuation or symbol, variant");
    assert_eq!(title("53"), "53: unassigned");
    // A combining character has a base; each cell has its own direction, without marks.
    assert!(page.contains("<b>\u{25CC}\u{651}</b>") && !page.contains('\u{200E}'));
}

/// The key says that EBCDIC pages have variant characters at different bytes. They do, and these characters are marked.
#[test]
fn variant_characters_differ_between_pages() {
    let page = shown("chart IBM1047 --html");
    let tree = tree(&page);
    let marked = of_class(&tree, "variant").into_iter().filter(|node| node.tag_name().name() == "td");
    let marked: BTreeSet<char> = marked.map(|node| text_of(node).chars().next().unwrap()).collect();
    assert_eq!(marked, "\\[]{}^~!#|`$@".chars().collect());
    let registry = Registry::builtin();
    let pages = ["IBM037", "IBM273", "IBM277", "IBM278", "IBM280", "IBM297", "IBM500", "IBM1047"];
    let pages = pages.map(|name| registry.codec(name).unwrap());
    for ch in marked {
        let byte = |codec: &dyn charpipe::Codec| {
            (0..=255u8).find(|byte| decode_strictly(codec, &[*byte]).as_deref() == Some(ch.encode_utf8(&mut [0; 4])))
        };
        let bytes: BTreeSet<Option<u8>> = pages.iter().map(|codec| byte(&**codec)).collect();
        assert!(bytes.len() > 1, "{ch}");
    }
    // Only EBCDIC has variant characters.
    assert!(!shown("chart ISO-8859-1 --html").contains("EBCDIC pages differ"));
}

#[test]
fn differences_are_marked() {
    for form in ["--html", "--svg"] {
        let drawing = shown(&format!("chart IBM037 IBM1047 {form}"));
        let tree = tree(&drawing);
        // The key has one more of the first class.
        assert_eq!((of_class(&tree, "two").len(), of_class(&tree, "faded").len()), (6 + 1, 250), "{form}");
        let titles = titles(&tree);
        let expected = "5F: IBM037 U+00AC, punctuation or symbol; \
                        IBM1047 U+005E, punctuation or symbol, variant";
        assert!(titles.iter().any(|title| title == expected), "{titles:?}");
        let text = text_of(tree.root_element());
        assert!(text.contains("They differ in 6 places") && text.contains("they differ: left IBM037, right IBM1047"));
    }
    let page = shown("chart IBM037 IBM1047 --html");
    let tree = tree(&page);
    let list = of_class(&tree, "list").pop().unwrap();
    assert_eq!(text_of(list).trim().lines().next(), Some("5F ¬ U+00AC ^ U+005E"));
    // Pages without a difference.
    let same = shown("chart IBM1047 cp1047 --html");
    assert!(same.contains("<p class=\"dim\">No difference</p>") && !same.contains("they differ"));
    // Pairs: a map of the lead bytes, then the codes that begin with one of them.
    for form in ["--html", "--svg"] {
        let map = shown(&format!("chart IBM300 IBM930 {form}"));
        let map = self::tree(&map);
        assert!(titles(&map).contains(&"43: 1 difference".to_owned()), "{form}");
        let below = shown(&format!("chart IBM300 IBM930 --lead 43 {form}"));
        assert_eq!(of_class(&self::tree(&below), "two").len(), 1 + 1, "{form}");
    }
}

/// A user's table may have any name, and any characters in it.
#[test]
fn names_and_characters_are_not_markup() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evil.ucm");
    let name = "<b>&amp;\\x22'</b>";
    let table = format!(
        "<code_set_name> \"{name}\"\n<code_set_alias> \"a<i>&\"\n<mb_cur_max> 1\n<mb_cur_min> 1\n\
         <uconv_class> \"SBCS\"\n\
         CHARMAP\n<U003C> \\x3C |0\n<U003E> \\x3E |0\n<U0026> \\x26 |0\n<U0022> \\x22 |0\n<U0027> \\x27 |0\n\
         <U0000> \\x00 |0\n<UFFFE> \\x01 |0\n<UFFFF> \\x02 |0\n<U202E> \\x03 |0\n<U009F> \\x04 |0\nEND CHARMAP\n"
    );
    fs::write(&path, table).unwrap();
    let draw = |more: &[&str]| {
        let output = charpipe().args(["chart", "--codec-file"]).arg(&path).arg(name).args(more).output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr)), (Some(0), "".into()));
        String::from_utf8(output.stdout).unwrap()
    };
    for form in ["--html", "--svg"] {
        for drawing in [draw(&[form]), draw(&["IBM1047", form])] {
            let tree = tree(&drawing);
            let text = text_of(tree.root_element());
            assert!(text.contains(name), "{drawing}");
            assert!(!drawing.contains(name) && !drawing.contains("a<i>&"));
            for cell in ["<003C", ">003E", "&0026", "\"0022", "'0027"] {
                assert!(text.contains(cell), "{cell} in {drawing}");
            }
        }
    }
    // On a terminal, too, the only escape sequences are those of charpipe.
    assert_eq!(without_colours(&draw(&["--color", "always"])).matches('\u{1B}').count(), 0);
}

#[test]
fn an_explanation_is_a_page() {
    let page = shown("detect --explain --html --content-type text/xml examples/data/hello-ibm1047.xml");
    let tree = tree(&page);
    let text = text_of(tree.root_element());
    for part in [
        "examples/data/hello-ibm1047.xml",
        "IBM1047 (xml; rule rfc7303:declaration",
        "bytes 0..4: begins as 4C 6F A7 94, ebcdic",
        "bytes 0..40: XML declaration",
        "bytes 30..37: encoding declared: IBM1047",
        "charset-family-conflict",
    ] {
        assert!(text.contains(part), "{part} in {page}");
    }
    // The marked bytes, and the text beside them in the same colours.
    let named: Vec<String> = of_class(&tree, "N").into_iter().map(text_of).collect();
    let bytes = ["C9DN", "C2DN", "I", "B", "D4DN", "F1DN", "F0DN", "F4DN", "F7DN", "M", "1", "0", "4", "7", "N"];
    assert_eq!(named, bytes);
    assert!(page.contains("<td class=\"D\">4C<i>SD</i></td>"));
    let rules: Vec<String> = tree.descendants().filter(|node| node.tag_name().name() == "code").map(text_of).collect();
    assert_eq!(rules[..2], ["rfc7303:declaration", "rfc3023:text-xml"]);
    let chosen: Vec<String> = of_class(&tree, "chosen").into_iter().map(text_of).collect();
    assert_eq!(chosen, ["▸ rfc7303IBM1047IBM1047rfc7303:declarationdeclaration"]);
}

#[test]
fn an_explanation_of_several_files_is_one_page() {
    let output = charpipe()
        .args([
            "detect",
            "--explain",
            "--html",
            "--guess",
            "examples/data/latin1.xml",
            "no such",
            "examples/data/keis.xml",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let page = String::from_utf8(output.stdout).unwrap();
    let tree = tree(&page);
    let headings: Vec<String> = tree.descendants().filter(|node| node.tag_name().name() == "h1").map(text_of).collect();
    assert_eq!(headings, ["examples/data/latin1.xml", "no such", "examples/data/keis.xml"]);
    assert!(text_of(of_class(&tree, "error")[0]).starts_with("cannot open: "));
}

#[test]
fn text_quoted_by_an_explanation_is_not_markup() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        (&b"<img onerror='x'>&\".xml"[..], &b"<?xml version='1.0' encoding=\"<&'>]]>\"?><a/>"[..]),
        (b"\x1B[31m\n\xFF.xml", b"\x00\x01\x1B[31m\x9B</table><script>alert(1)</script>"),
        (b"empty", b""),
        (b"noncharacters", "\u{FFFE}\u{FFFF}\u{202E}<?xml".as_bytes()),
        (b"cut", &[0xFE, 0xFF, 0xD8, 0x00, 0x00]),
    ] {
        let path = folder.path().join(OsStr::from_bytes(name));
        fs::write(&path, bytes).unwrap();
        let output = charpipe().args(["detect", "--explain", "--html", "--guess"]).arg(&path).output().unwrap();
        let page = String::from_utf8(output.stdout).unwrap();
        let tree = tree(&page);
        assert_eq!(tree.descendants().filter(|node| node.tag_name().name() == "section").count(), 1);
        assert!(!page.contains(|ch: char| ch.is_control() && ch != '\n'), "{page:?}");
        let coloured = charpipe().args(["detect", "--explain", "--color", "always"]).arg(&path).output().unwrap();
        assert!(!without_colours(&String::from_utf8(coloured.stdout).unwrap()).contains('\u{1B}'));
    }
}

/// Colour only adds to the text: without it the text is the same, and there is none by default.
#[test]
fn colours_do_not_change_the_text() {
    for line in [
        "chart IBM037 IBM1047",
        "chart IBM930",
        "chart IBM930 --lead 42",
        "chart ISO-8859-1",
        "detect --explain --content-type text/xml examples/data/hello-ibm1047.xml",
        "detect --explain examples/data/utf16le-bom.xml",
    ] {
        let plain = shown(line);
        assert!(!plain.contains('\u{1B}'), "{line}");
        let coloured = shown(&format!("{line} --color always"));
        assert!(coloured.contains("\u{1B}["), "{line}");
        // The key explains underlining if something is underlined.
        let key = "[    underlined: EBCDIC pages differ in its byte\n";
        let bare = without_colours(&coloured);
        assert_eq!(bare.contains(key), line == "chart IBM930", "{line}");
        assert_eq!(bare.replace(key, ""), plain, "{line}");
        let parts: Vec<&str> = coloured.split("\u{1B}[").skip(1).collect();
        let is_empty = |pair: &[&str]| pair[0].ends_with('m') && pair[0].len() < 4 && pair[1].starts_with("0m");
        assert!(!parts.windows(2).any(is_empty), "nothing in a colour: {line}");
    }
    for form in ["--html", "--svg", "--json"] {
        assert!(!shown(&format!("chart IBM1047 --color always {form}")).contains('\u{1B}'), "{form}");
    }
}

#[test]
fn a_drawing_goes_to_the_named_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chart.svg");
    fs::write(&path, "old").unwrap();
    let into = |path: &Path, form: &str| format!("chart IBM1047 {form} -o {}", path.display());
    assert_eq!(shown(&into(&path, "--svg")), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), shown("chart IBM1047 --svg"));
    // No colours in a file.
    shown(&into(&path, "--color always"));
    assert_eq!(fs::read_to_string(&path).unwrap(), shown("chart IBM1047"));
    let (status, stderr) = refused(&into(folder.path(), "--html"));
    assert_eq!(status, Some(3));
    assert!(stderr.contains("cannot write: "), "{stderr}");
    // If an error occurs the old file stays.
    assert_eq!(refused(&format!("chart UTF-8 --svg -o {}", path.display())).0, Some(2));
    assert_eq!(fs::read_to_string(&path).unwrap(), shown("chart IBM1047"));
}

#[test]
fn wrong_usage_has_a_message() {
    for line in [
        "chart IBM1047 --svg --html",
        "chart IBM1047 --svg --json",
        "chart IBM1047 --html --json",
        "detect --html examples/data/latin1.xml",
        "detect --explain --html --json examples/data/latin1.xml",
        "detect --records --explain --html examples/data/latin1.xml",
    ] {
        let (status, stderr) = refused(line);
        assert_eq!(status, Some(2), "{line}");
        assert!(stderr.starts_with("charpipe: "), "{stderr}");
    }
}

/// The pictures that the README shows are what the command draws.
#[test]
fn fresh() {
    let explain = session("", &["detect --explain examples/data/hello-ibm1047.xml"]);
    let fix = session(
        r"printf 'id;name;city\n1;Jos\351 M\374ller;K\366ln\n' > customers.csv",
        &["customers.csv > utf8.csv", "-f windows-1252 customers.csv", "-f windows-1252 --in-place=.old customers.csv"],
    );
    let layout = "rows --layout customer.cpy -f IBM1047 --records fb:76 --show-layout customers.fb";
    let layout = session("cd examples/data/records", &[layout]);
    let speed = speed_chart::drawn(&fs::read_to_string(file("benches/speed.txt")).unwrap());
    for (path, picture) in [
        ("docs/chart-ibm1047.svg", shown("chart IBM1047 --svg")),
        ("docs/explain.svg", terminal(&explain)),
        ("docs/fix.svg", terminal(&fix)),
        ("docs/show-layout.svg", terminal(&layout)),
        ("docs/speed.svg", speed),
    ] {
        tree_of_picture(&picture);
        if std::env::var_os("CHARPIPE_WRITE_PICTURES").is_some() {
            fs::write(file(path), &picture).unwrap();
        }
        let old = fs::read_to_string(file(path)).unwrap_or_default();
        assert!(
            old == picture,
            "{path} is out of date: CHARPIPE_WRITE_PICTURES=1 cargo test -p charpipe-cli pictures::fresh"
        );
    }
}

/// Returns the path of a file of the repository.
fn file(path: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path)
}

/// Returns what a terminal shows of the command with each of these arguments. `before`: lines of shell before each of them
/// that are not shown.
fn session(before: &str, commands: &[&str]) -> String {
    let (scratch, mut text) = (Scratch::new(), String::new());
    for command in commands {
        let (run, output) = command.split_once(" > ").unwrap_or((command, "/dev/stdout"));
        let printed = scratch.run(&format!("{before}\ncharpipe {run} --color always > {output}"));
        text.push_str(&format!("$ charpipe {command}\n{printed}"));
    }
    text
}

/// The colours of the terminal that is drawn, of which only the first eight are used.
const PALETTE: [u32; 8] = [0x484F58, 0xFF7B72, 0x3FB950, 0xD29922, 0x58A6FF, 0xD2A8FF, 0x56D4DD, 0xB1BAC4];

/// Draws a terminal with this text, dark on any page.
fn terminal(text: &str) -> String {
    let rgb = |colour: u32| anstyle::RgbColor((colour >> 16) as u8, (colour >> 8) as u8, colour as u8);
    let picture = anstyle_svg::Term::new()
        .palette(anstyle_svg::Palette(std::array::from_fn(|index| rgb(PALETTE[index % 8]))))
        .fg_color(rgb(0xD6DCE2).into())
        .bg_color(rgb(0x141920).into())
        .render_svg(text.trim_end());
    // The crate writes no view box, without which the picture would be cropped instead of scaled.
    let size = |name: &str| picture.split_once(&format!("{name}=\"")).unwrap().1.split_once("px").unwrap().0;
    let view = format!("<svg viewBox=\"0 0 {} {}\" ", size("width"), size("height"));
    picture.replacen("<svg ", &view, 1)
}

#[track_caller]
fn tree_of_picture(picture: &str) {
    let tree = Document::parse(picture).unwrap();
    assert!(tree.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")));
    assert!(tree.root_element().attribute("viewBox").is_some());
}
