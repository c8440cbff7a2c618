//! Tests the encoding labels in `meta` elements, of HTML and of XML whose root element is `html`: they are corrected,
//! in every family of encodings, with and without a declaration beside them.

use crate::common;

use crate::common::{Outcome, invariant};
use charpipe::codec::{ByteSink, Codec, MIN_ROOM, Stop, decode_strictly};
use charpipe::{Kind, Registry, Relabel, Transcode};

/// One encoding of each family, and some multi-byte ones.
const FAMILIES: [&str; 12] = [
    "UTF-8",
    "UTF-16BE",
    "UTF-16LE",
    "UTF-32BE",
    "UTF-32LE",
    "UCS-4-2143",
    "UCS-4-3412",
    "ISO-8859-1",
    "Shift_JIS",
    "IBM037",
    "IBM1047",
    "IBM930",
];

fn codec(label: &str) -> std::sync::Arc<dyn Codec> {
    Registry::builtin().codec(label).unwrap()
}

fn encoded(label: &str, text: &str) -> Vec<u8> {
    let mut encoder = codec(label).encoder().unwrap();
    let mut buffer = vec![0; (text.len() + 2) * MIN_ROOM];
    let mut sink = ByteSink::new(&mut buffer);
    assert_eq!(encoder.feed(text, &mut sink).stop, Stop::InputEmpty, "{label} lacks some of {text}");
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
    sink.as_bytes().to_vec()
}

fn converted(job: &Transcode, from: &str, text: &str) -> Outcome {
    let outcome = invariant(job, &encoded(from, text), &format!("{from} {text}"));
    assert_eq!(outcome.error, None, "{from} {text}");
    outcome
}

/// Documents with `{}` in place of each label.
const HTML: [&str; 9] = [
    "<!DOCTYPE html><meta charset='{}'><p>x",
    "<html><head><!-- <meta charset=koi8-r> --><META CHARSET = \"{}\" ></head></html>",
    "<meta http-equiv=Content-Type content='text/html; charset={}'>",
    "<meta content=\"text/html;charset = {} ; x\" http-equiv='content-type'>",
    "<meta http-equiv='Content-Type' content=\"text/html; charset='{}'\"><meta charset={}>",
    "<meta charset={} http-equiv=Content-Type content='text/html; charset={}'/>",
    "<?xml version='1.0' encoding='{}'?><html><head><meta charset='{}'/></head></html>",
    "<?xml version='1.0' encoding='{}'?>\n<!DOCTYPE html [<!-- <html> -->]><?p <html>?>\
     <html\nlang='de'><meta charset=\"{}\"/>",
    "<title><meta charset={}></title><script>'<meta charset=koi8-r>'</script><meta charset={}>",
];

#[test]
fn every_family_to_every_other() {
    for (from, to) in FAMILIES.iter().flat_map(|from| FAMILIES.iter().map(move |to| (*from, *to))) {
        let name = codec(to).info().xml_name.unwrap().to_owned();
        let job = Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap();
        for (index, template) in HTML.iter().enumerate() {
            let text = template.replace("{}", "iso-8859-5");
            let outcome = if to == "UTF-8" && index % 3 == 0 {
                converted(&job.clone().kind(Kind::Html), from, &text)
            } else {
                common::whole(&job.clone().kind(Kind::Html), &encoded(from, &text))
            };
            let expected = template.replace("{}", &name);
            let written = decode_strictly(&*codec(to), &outcome.output).unwrap();
            assert_eq!(written, expected, "{from} to {to}, {index}");
        }
    }
}

#[test]
fn xhtml_is_recognised() {
    for template in &HTML[6..8] {
        for from in FAMILIES {
            let name = codec(from).info().xml_name.unwrap().to_owned();
            let text = template.replacen("{}", &name, 1).replacen("{}", "koi8-r", 1);
            let job = Transcode::new();
            let outcome = converted(&job, from, &text);
            assert_eq!(outcome.text(), template.replace("{}", "UTF-8"), "{from}");
            let report = job.run(&encoded(from, &text)[..], &mut Vec::new()).unwrap();
            let relabelled = report.relabelled.map(|label| (label.from.unwrap(), label.to));
            let first = if name == "UTF-8" { "koi8-r" } else { &*name };
            assert_eq!(relabelled, Some((first.to_owned(), "UTF-8".to_owned())));
            let never = converted(&Transcode::new().relabel(Relabel::Never), from, &text);
            assert_eq!(never.text(), text, "{from}");
        }
    }
}

/// A `meta` outside HTML is not a label, and a `meta` without an encoding is left alone.
#[test]
fn what_is_not_a_label_stays() {
    for text in [
        "<?xml version='1.0' encoding='UTF-8'?><feed><meta charset='koi8-r'/></feed>",
        "<?xml version='1.0' encoding='UTF-8'?><h:html xmlns:h='x'><meta charset='koi8-r'/></h:html>",
        "<?xml version='1.0' encoding='UTF-8'?><htmlx><meta charset='koi8-r'/></htmlx>",
        "<?xml version='1.0' encoding='UTF-8'?><html><!--<meta charset='koi8-r'/>--></html>",
        "<?xml version='1.0' encoding='UTF-8'?><html><meta charset='{{charset}}'/></html>",
        "<?xml version='1.0' encoding='UTF-8'?><html><meta content='text/html; charset=koi8-r'/></html>",
        "<?xml version='1.0' encoding='UTF-8'><feed><meta charset='koi8-r'/></feed>",
        "<?xml version='1.0' encoding='UTF-8'?><html",
        "<?xml version='1.0' encoding='UTF-8'?><html/>",
        "<?xml version='1.0' encoding='UTF-8'?>",
        "<p><meta charset=koi8-r>",
    ] {
        let outcome = converted(&Transcode::new(), "UTF-8", text);
        assert_eq!(outcome.text(), text);
    }
}

/// A label is found after an empty `script`, which is a start tag in HTML, and none is found in a CDATA section or a
/// processing instruction, which in HTML end at the first `>`.
#[test]
fn markup_follows_the_rules_of_xml() {
    for head in [
        "<script src='a.js'/><meta charset='{}'/><script>x</script><meta charset=\"{}\"/>",
        "<style/><meta charset='{}'/><title/><meta charset='{}'/><title />",
        "<meta charset='{}'/><![CDATA[<p><meta charset='koi8-u'/>]]><meta charset='{}'/>",
        "<meta charset='{}'/><?php echo '<p>' . '<meta charset=\"koi8-u\">' ?><meta charset='{}'/>",
    ] {
        let template = format!("<?xml version='1.0' encoding='{{}}'?><html>{head}</html>");
        for from in FAMILIES {
            let name = codec(from).info().xml_name.unwrap().to_owned();
            let text = template.replacen("{}", &name, 1).replace("{}", "koi8-r");
            let outcome = converted(&Transcode::new(), from, &text);
            assert_eq!(outcome.text(), template.replace("{}", "UTF-8"), "{from}");
        }
    }
}

/// Labels are corrected even after a declaration that is not closed correctly.
#[test]
fn a_label_after_a_broken_declaration() {
    let text = "<?xml version='1.0' encoding='UTF-8'><html><meta charset='koi8-r'/></html>";
    let outcome = converted(&Transcode::new(), "UTF-8", text);
    assert_eq!(outcome.text(), text.replace("koi8-r", "UTF-8"));
}

/// The window is counted in characters, however many bytes each has.
#[test]
fn the_window() {
    for from in ["UTF-8", "UTF-16LE", "UTF-32BE", "IBM1047"] {
        let meta = "<meta charset='koi8-r'>";
        let fitting = 64 - "<html>".len() - meta.len();
        for (blanks, is_found) in [(0, true), (fitting - 1, true), (fitting, true), (fitting + 30, false)] {
            let text = format!("<html>{}{meta}é", " ".repeat(blanks));
            let job = Transcode::new().source_encoding(from).unwrap().kind(Kind::Html);
            let outcome = converted(&job.clone().prescan(64), from, &text);
            let expected = if is_found { text.replace("koi8-r", "UTF-8") } else { text.clone() };
            assert_eq!(outcome.text(), expected, "{from} {blanks}");
            // The default window is larger.
            let text = text.replacen("<html>", &format!("<html>{}", " ".repeat(1024 - 64)), 1);
            let outcome = common::whole(&job, &encoded(from, &text));
            let expected = if is_found { text.replace("koi8-r", "UTF-8") } else { text };
            assert_eq!(outcome.text(), expected, "{from} {blanks}");
        }
    }
}

/// A label in records is found in their data, even if it is split across records.
#[test]
fn in_records() {
    let text = "<?xml version='1.0' encoding='IBM037'?><html ><meta charset='koi8-r'/></html>";
    let mut bytes = encoded("IBM037", text);
    bytes.resize(80, 0x40);
    let job = Transcode::new().records(charpipe::records::Shape::Fixed { lrecl: 40 });
    let outcome = invariant(&job, &bytes, "records");
    assert_eq!(outcome.error, None);
    assert_eq!(outcome.text().replace('\n', ""), text.replace("IBM037", "UTF-8").replace("koi8-r", "UTF-8"));
}

/// A document of nothing but labels takes linear time, and little of it. At most 256 labels are corrected.
#[test]
fn many_labels() {
    let text = "<meta charset=a>".repeat(60_000);
    let job = Transcode::new().kind(Kind::Html).prescan(1 << 20);
    assert_eq!(common::whole(&job, text.as_bytes()).text(), text);
    let text = "<meta charset=koi8-r>".repeat(40_000);
    let outcome = common::whole(&job, text.as_bytes());
    assert_eq!(outcome.text().matches("UTF-8").count(), 256);
    assert!(outcome.text().ends_with("<meta charset=koi8-r>"));
}

/// The character before a label is not lost if there was no room for it, whichever way the decoder goes.
#[test]
fn the_character_before_a_label() {
    let text = "<?xml version='1.0' encoding='Windows-31J'?><html><meta charset='koi8-r'/><p>text</p></html>";
    let job = Transcode::new();
    let expected = common::whole(&job, text.as_bytes());
    // Enough of the charset for its fast way.
    let long = b"\x82\xB1\x82\xEA abc ".repeat(64 << 10);
    job.clone().source_encoding("Shift_JIS").unwrap().run(&long[..], std::io::sink()).unwrap();
    for room in 1..256 {
        let (mut all, mut rooms) = (std::iter::repeat(usize::MAX), std::iter::repeat(room));
        let outcome = common::drive(&job, text.as_bytes(), &mut all, &mut rooms, false);
        assert_eq!(outcome, expected, "buffers of {room}");
    }
}
