//! Tests the correction of labels. A document with any declaration, or HTML with any `meta`, in any family, is
//! converted to any target. Detection must then recognise the output as that target, without a contradiction. Its
//! `meta` elements must name the same encoding, and converting it once more must change nothing.

#![no_main]

use charpipe::codec::is_ebcdic;
use charpipe::detect::Hints;
use charpipe::{Bom, Codec, Detector, Kind, Registry, Relabel, Transcode};
use charpipe_fuzz::{CODECS, Choices, Cuts, encode, whole};
use libfuzzer_sys::fuzz_target;
use std::fmt::Write;

/// Returns a document with or without a declaration.
fn document(choices: &mut Choices<'_>, source: &dyn Codec) -> String {
    // U+0085 is white space in EBCDIC only.
    let space = ["", " ", "\n", "\t ", "\r\n", if is_ebcdic(source) { "\u{85}" } else { " " }];
    let mut text = String::new();
    let shape = choices.byte();
    if shape % 8 != 0 {
        text.push_str("<?xml");
        for key in ["version", "encoding", "standalone"] {
            let present = choices.byte();
            if present % 4 == 0 {
                continue;
            }
            let label = choices.one(&CODECS).name();
            let value = match (key, choices.byte() % 8) {
                ("version", 0) => "1.1",
                ("version", _) => "1.0",
                ("standalone", _) => "yes",
                (_, 0..3) => source.info().xml_name.unwrap_or("037"),
                (_, 3) => "utf-8",
                (_, 4) => label,
                (_, 5) => "utf-16",
                (_, 6) => "ibm-037",
                _ => "",
            };
            let before = choices.one(&space[1..]);
            let quote = choices.one(&['"', '\'']);
            let around = choices.one(&space);
            _ = write!(text, "{before}{key}{around}={around}{quote}{value}{quote}");
        }
        text.push_str(choices.one::<&str>(&space));
        text.push_str(if shape % 16 == 15 { ">" } else { "?>" });
    }
    text
}

/// Returns the beginning of an HTML document with labels in some of its elements.
fn head(choices: &mut Choices<'_>, source: &dyn Codec) -> String {
    let mut text = "<html>".to_owned();
    for _ in 0..choices.byte() % 4 {
        let label = match choices.byte() % 4 {
            0 => source.info().xml_name.unwrap_or("037"),
            1 => choices.one(&CODECS).name(),
            2 => "utf-16",
            _ => "koi8-r",
        };
        _ = match choices.byte() % 6 {
            0 => write!(text, "<!-- <meta charset=koi8-u> -->"),
            1 => write!(text, "<meta charset={label} />"),
            2 => write!(text, "<META\tCharSet = '{label}'\n/>"),
            3 => write!(text, "<meta http-equiv='Content-Type' content='text/html; charset={label}'/>"),
            4 => write!(text, "<meta content=\"charset={label};\" charset='{label}' http-equiv=content-type />"),
            _ => write!(text, "<title><meta charset=koi8-u></title>"),
        };
    }
    text
}

/// Returns the labels in the first `count` places of `text` that may hold a label of a `meta`.
fn labels(text: &str, count: usize) -> Vec<&str> {
    let parts = text.split("charset").skip(1).take(count).filter_map(|part| part.trim_start().strip_prefix('='));
    let labels = parts.map(|part| part.trim_start().trim_start_matches(['\'', '"']));
    let ends = labels.filter_map(|part| part.find(['\'', '"', ' ', ';', '>', '\n', '/']).map(|end| &part[..end]));
    ends.filter(|label| *label != "koi8-u").collect()
}

/// Returns whether detection can read declarations in this page. It reads an EBCDIC declaration by the characters that
/// all pages of the family share. Some pages have `<` at another byte (IS-FRISS), have no quotes (FI-SE-A), or have
/// U+0085 at the byte of another control character (OSD). The tests cover these pages.
fn is_read_by_its_family(codec: &dyn Codec) -> bool {
    const DECLARATION: &str = "<?xml version=\"1.0\" encoding='' standalone=yes?>\t\r\n\u{85} ABCZ-_.09z";
    let registry = Registry::builtin();
    !is_ebcdic(codec)
        || ["IBM037", "IBM290"].iter().any(|name| {
            let family = registry.codec(name).expect("a built-in");
            encode(codec, DECLARATION) == encode(&*family, DECLARATION)
        })
}

/// Text in these looks like ASCII, so no document is read with them because of a label.
const NOT_IN_DOCUMENTS: [&str; 6] =
    ["UTF-7", "UTF-7-IMAP", "HZ-GB-2312", "ISO-2022-KR", "ISO-2022-CN", "ISO-2022-CN-EXT"];

/// Detects the encoding of `output`: returns the codec, and the contradictions as text.
fn verdict(output: &[u8]) -> (String, String) {
    let mut detector = Detector::new(Registry::builtin(), Hints::default());
    detector.feed(output);
    let verdict = detector.finish();
    let mut found = format!("{:?}", verdict.error);
    for note in verdict.diagnostics.iter().filter(|note| note.code.ends_with("-conflict")) {
        _ = write!(found, " {note:?}");
    }
    (verdict.codec.map(|codec| codec.name().to_owned()).unwrap_or_default(), found)
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let cuts = Cuts::new(&mut choices);
    let (source, target) = (choices.codec(), choices.codec());
    let with_bom = choices.byte() % 4 == 1;
    let from_user = choices.byte() % 2 == 1;
    let bom = *choices.one(&[Bom::Auto, Bom::Keep, Bom::Strip, Bom::Add]);
    let mut text = document(&mut choices, &**source);
    let is_html = choices.byte() % 2 == 1;
    text.push_str(&if is_html { head(&mut choices, &**source) } else { "<a>".to_owned() });
    let (head_len, count) = (text.len(), text.matches("charset").count());
    let kind = if is_html && choices.byte() % 2 == 1 { Kind::Html } else { Kind::Xml };
    text.extend(String::from_utf8_lossy(choices.payload()).chars().filter(|ch| *ch >= ' ' || "\t\r\n".contains(*ch)));
    let input = [encode(&**source, if with_bom { "\u{FEFF}" } else { "" }), encode(&**source, &text)].concat();

    if !is_read_by_its_family(&**source)
        || !is_read_by_its_family(&**target)
        || NOT_IN_DOCUMENTS.contains(&target.name())
    {
        return;
    }
    let Ok(job) = Transcode::new().bom(bom).relabel(Relabel::Auto).target_encoding(target.name()) else { return };
    let mut first = job.clone().kind(kind);
    if from_user {
        first = first.source_encoding(source.name()).unwrap();
    }
    if first.transcoder().is_err() {
        return;
    }
    // The document may be read in another encoding than its own. If the result is not XML, its label does not matter.
    let read = whole(&first.clone().target_encoding("UTF-8").unwrap().bom(Bom::Strip).relabel(Relabel::Never), &input);
    if !read.text().starts_with('<') || read.text().contains(|ch: char| ch < ' ' && !"\t\r\n".contains(ch)) {
        return;
    }
    let outcome = cuts.run(&first, &input);
    if outcome.error.is_some() {
        return;
    }
    let expected = match (target.info().byte_orders, target.name()) {
        (Some(orders), _) => orders.names[0],
        // In a document they are called ISO-10646-UCS-2, which leaves the order to the bytes.
        (None, "UCS-2BE") => "UTF-16BE",
        (None, "UCS-2LE") => "UTF-16LE",
        (None, name) => name,
    };
    let (codec, conflicts) = verdict(&outcome.output);
    let what = || format!("{} to {}: {text:?} became {outcome:?}", source.name(), target.name());
    // HTML need not declare its encoding, and may begin with anything.
    if kind == Kind::Xml {
        assert_eq!((&*codec, &*conflicts), (expected, "None"), "{}", what());
    }
    let written = whole(&Transcode::new().source_encoding(expected).unwrap().relabel(Relabel::Never), &outcome.output);
    if is_html && read.text().trim_start_matches('\u{FEFF}').starts_with(&text[..head_len]) {
        // The unusual octet orders have no name of their own in a document.
        let written_as = target.info().xml_name;
        let is_true = |label: &&str| {
            let found = Registry::builtin().codec(label).map(|codec| codec.name().to_owned());
            written_as.is_some_and(|name| name.eq_ignore_ascii_case(label))
                || found.is_ok_and(|name| name == expected || (name == "UTF-16" && expected.starts_with("UTF-16")))
                || Registry::builtin().codec(label).is_err()
        };
        assert!(labels(written.text(), count).iter().all(is_true), "{}: {written:?}", what());
    }

    // A shorter name may move a later label into the range in which labels are corrected.
    if is_html && text.len() > 900 {
        return;
    }
    let mut second = job.kind(kind);
    if kind == Kind::Html {
        second = second.source_encoding(expected).unwrap();
    }
    let again = whole(&second, &outcome.output);
    assert_eq!((again.error, &again.output), (None, &outcome.output), "{}", what());
});
