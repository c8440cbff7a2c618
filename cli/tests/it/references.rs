//! A document with é, €, 漢 and an emoji in every possible position, converted to charsets that lack some of them. If
//! XML allows a character reference there, one is written; otherwise the run fails with exit status 1 at the offset of
//! the character, and no incorrect output is written. Tested through the command and the library; third-party parsers
//! read the output.

use crate::common::process::piped_through;
use crate::common::{installed, invariant};
use charpipe::codec::{ByteSink, Replacement, Step, Stop, Unmappable, decode_strictly};
use charpipe::{Codec, Decoder, Encoder, Error, Kind, OnMalformed, OnUnmappable, Registry, Relabel, Transcode};
use std::process::Command;
use std::sync::Arc;

const CHARS: [char; 4] = ['é', '€', '漢', '😀'];

struct Target {
    label: &'static str,
    /// Which of the four characters it has.
    has: &'static str,
    /// The name in its declaration.
    name: &'static str,
    /// expat takes only single-byte charsets with ASCII at its usual codes.
    expat: bool,
}

const TARGETS: &[Target] = &[
    Target { label: "IBM037", has: "é", name: "IBM037", expat: false },
    Target { label: "ISO-8859-1", has: "é", name: "ISO-8859-1", expat: true },
    Target { label: "cp437", has: "é", name: "IBM437", expat: true },
    Target { label: "Shift_JIS", has: "漢", name: "Windows-31J", expat: false },
];

/// A position in a document, which is marked with `{}`: its name, the document, and whether a reference is allowed
/// there.
const PLACES: &[(&str, &str, bool)] = &[
    ("text", "<doc>x{}y</doc>", true),
    ("attribute", "<doc a=\"x{}y\"/>", true),
    ("attribute in apostrophes", "<doc a='>{}'/>", true),
    ("comment", "<!-- x{}y --><doc/>", false),
    ("element name", "<doc><n{}/></doc>", false),
    ("attribute name", "<doc n{}='1'/>", false),
    ("processing instruction", "<doc><?p x{}y?></doc>", false),
    ("section of character data", "<doc><![CDATA[x{}y]]></doc>", false),
    ("entity value", "<!DOCTYPE doc [<!ENTITY e \"x{}y\">]><doc/>", false),
];

/// The encoding of the input: its name, and a function that encodes text, byte order mark included.
type Form = (&'static str, fn(&str) -> Vec<u8>);

const FORMS: &[Form] = &[
    ("UTF-8", |text| text.into()),
    ("UTF-16", |text| [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()),
];

fn declaration(name: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n")
}

/// Runs the command; returns the exit status, standard output and standard error.
fn command(input: &[u8], args: &[&str]) -> (Option<i32>, Vec<u8>, String) {
    let output = piped_through(Command::new(env!("CARGO_BIN_EXE_charpipe")).args(args), input);
    (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

/// Does the same with the library; returns the output up to the error, if there is one.
fn library(input: &[u8], target: &str) -> (Vec<u8>, Option<Error>) {
    let mut output = Vec::new();
    let job = Transcode::new().target_encoding(target).unwrap().count_lines(true);
    let result = job.run(input, &mut output);
    (output, result.err())
}

/// Decodes bytes of a charset.
fn text(label: &str, bytes: &[u8]) -> String {
    decode_strictly(&*Registry::builtin().codec(label).unwrap(), bytes).unwrap()
}

#[test]
fn each_character_in_each_place() {
    for target in TARGETS {
        for (place, around, takes_reference) in PLACES {
            for ch in CHARS {
                for form in FORMS {
                    one(target, place, around, *takes_reference, ch, form);
                }
            }
        }
    }
}

fn one(target: &Target, place: &str, around: &str, takes_reference: bool, ch: char, (form, encode): &Form) {
    let what = format!("{ch} in {place}, from {form} to {}", target.label);
    let document = format!("{}{}\n", declaration(form), around.replace("{}", &ch.to_string()));
    let input = encode(&document);
    let before = document.find(ch).unwrap();
    let (status, written, stderr) = command(&input, &["-t", target.label]);
    let (by_library, error) = library(&input, target.label);
    assert_eq!(written, by_library, "{what}");

    let written = text(target.label, &written);
    let relabelled = |text: &str| text.replacen(&declaration(form), &declaration(target.name), 1);
    if target.has.contains(ch) {
        assert_eq!((status, &*stderr, error.is_none()), (Some(0), "", true), "{what}");
        assert_eq!(written, relabelled(&document), "{what}");
    } else if takes_reference {
        assert_eq!((status, error.is_none()), (Some(0), true), "{what}");
        let counted = format!("charpipe: <stdin>: 1 character not in {}", codec_name(target.label));
        assert!(stderr.starts_with(&counted), "{what}: {stderr}");
        let reference = format!("&#x{:X};", ch as u32);
        assert_eq!(written, relabelled(&document).replace(ch, &reference), "{what}");
    } else {
        let offset = encode(&document[..before]).len();
        let lines: Vec<&str> = document[..before].split('\n').collect();
        let column = lines[lines.len() - 1].chars().count() + 1;
        let place = format!("line {}, column {column} (byte {offset})", lines.len());
        let named = format!("{place}: U+{:04X} {ch:?} is not in {}", ch as u32, codec_name(target.label));
        assert_eq!(status, Some(1), "{what}");
        assert!(stderr.starts_with(&format!("charpipe: <stdin>: {named}")), "{what}: {stderr}");
        let error = error.unwrap();
        assert_eq!((error.offset(), error.to_string()), (Some(offset as u64), named), "{what}");
        // Everything before the character, and no more.
        assert_eq!(written, relabelled(&document[..before]), "{what}");
    }
}

fn codec_name(label: &str) -> String {
    Registry::builtin().codec(label).unwrap().name().to_owned()
}

/// All four together: if references are allowed there, the document is complete and has the same content.
#[test]
fn all_of_them_together() {
    let all = "é€漢😀";
    let body = format!("<!-- plain --><doc a=\"{all}\">{all} &amp; {all}</doc>\n");
    for (form, encode) in FORMS {
        let input = encode(&format!("{}{body}", declaration(form)));
        for target in TARGETS {
            let (status, written, _) = command(&input, &["-t", target.label]);
            assert_eq!((status, &written), (Some(0), &library(&input, target.label).0), "{}", target.label);
            // Back in UTF-8 the references are still there, and nothing else has changed.
            let back = command(&written, &["-q"]);
            let resolved = CHARS.iter().fold(String::from_utf8(back.1).unwrap(), |text, ch| {
                text.replace(&format!("&#x{:X};", *ch as u32), &ch.to_string())
            });
            assert_eq!((back.0, resolved), (Some(0), format!("{}{body}", declaration("UTF-8"))), "{}", target.label);
        }
    }
    // The error names the first character that the target lacks.
    for target in TARGETS {
        let input = format!("<?xml version='1.0'?><!--{all}--><doc/>");
        let first = CHARS.into_iter().find(|ch| !target.has.contains(*ch)).unwrap();
        let (status, _, stderr) = command(input.as_bytes(), &["-t", target.label]);
        let named = {
            let at = input.find(first).unwrap();
            let column = input[..at].chars().count() + 1;
            format!("charpipe: <stdin>: line 1, column {column} (byte {at}): U+{:04X}", first as u32)
        };
        assert!(status == Some(1) && stderr.starts_with(&named), "{}: {stderr}", target.label);
    }
}

/// Returns the converted documents, each with the text that a parser must find in it.
fn documents() -> Vec<(&'static Target, Vec<u8>, String)> {
    let all = "é€漢😀";
    let input = format!("{}<!-- plain --><doc kind=\"{all}\">{all} &lt; {all}</doc>", declaration("UTF-8"));
    let converted = |target: &'static Target| {
        let (status, written, stderr) = command(input.as_bytes(), &["-t", target.label]);
        assert_eq!(status, Some(0), "{stderr}");
        (target, written, format!("{all}|{all} < {all}"))
    };
    TARGETS.iter().map(converted).collect()
}

#[test]
fn libxml2_reads_the_same_text() {
    if installed("xmllint", &["xmllint", "--version"]) {
        for (target, document, content) in documents() {
            let mut xmllint = Command::new("xmllint");
            let output = piped_through(xmllint.args(["--xpath", "concat(/doc/@kind, '|', /doc)", "-"]), &document);
            let found = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!((&*found.0, &*found.1), (&*format!("{content}\n"), ""), "{}", target.label);
        }
    }
}

const EXPAT: &str = r#"
import sys
from xml.parsers import expat

found = []
parser = expat.ParserCreate()
parser.StartElementHandler = lambda tag, attributes: found.append(attributes["kind"] + "|")
parser.CharacterDataHandler = found.append
parser.ParseFile(sys.stdin.buffer)
sys.stdout.buffer.write("".join(found).encode("utf-8"))
"#;

#[test]
fn expat_reads_the_same_text() {
    if installed("Python's expat", &["python3", "-c", "from xml.parsers import expat"]) {
        for (target, document, content) in documents().into_iter().filter(|(target, ..)| target.expat) {
            let output = piped_through(Command::new("python3").args(["-c", EXPAT]), &document);
            let found = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!((&*found.0, &*found.1), (&*content, ""), "{}", target.label);
        }
    }
}

/// Code page 37 without some characters.
struct Incomplete {
    page: Arc<dyn Codec>,
    missing: String,
}

impl Codec for Incomplete {
    fn name(&self) -> &str {
        "X-INCOMPLETE"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        self.page.decoder()
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(IncompleteEncoder { page: self.page.encoder()?, missing: self.missing.clone() }))
    }
}

struct IncompleteEncoder {
    page: Box<dyn Encoder>,
    missing: String,
}

impl Encoder for IncompleteEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        let hole = src.char_indices().find(|(_, ch)| self.missing.contains(*ch));
        let step = self.page.feed(&src[..hole.map_or(src.len(), |(at, _)| at)], dst);
        match hole.filter(|_| step.stop == Stop::InputEmpty) {
            Some((at, ch)) => Step { read: at + ch.len_utf8(), stop: Stop::Fault(Unmappable { ch, after: 0 }) },
            None => step,
        }
    }

    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        self.page.finish(dst)
    }

    fn reset(&mut self) {
        self.page.reset();
    }

    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        let whole = !matches!(which, Replacement::Text(text) if text.contains(|ch| self.missing.contains(ch)));
        whole && self.page.encode_replacement(ch, which, dst)
    }
}

/// Converts to a page with missing characters; returns the output and the error, if there is one.
fn into_incomplete(missing: &str, input: &[u8], with: impl Fn(Transcode) -> Transcode) -> (String, Option<u64>) {
    let mut registry = Registry::builtin();
    let codec = registry.codec("IBM037").unwrap();
    registry.register(Arc::new(Incomplete { page: codec.clone(), missing: missing.into() }), &[]).unwrap();
    let job = with(Transcode::new().registry(registry).target_encoding("X-INCOMPLETE").unwrap());
    let outcome = invariant(&job, input, &format!("without {missing}"));
    (decode_strictly(&*codec, &outcome.output).unwrap(), outcome.offset)
}

/// An EBCDIC page may lack the letters and signs of an escape. Then another escape with the same meaning is written, or
/// the run fails there; an escape is never written in part.
#[test]
fn escapes_into_pages_without_their_letters() {
    let xml = |job: Transcode| job.kind(Kind::Xml).relabel(Relabel::Never);
    for (missing, expected) in [
        ("", ("<A B='&#x20AC;'>&#x6F22;</A>", None)),
        ("x", ("<A B='&#8364;'>&#28450;</A>", None)),
        ("#", ("<A B='", Some(6))),
        ("x#", ("<A B='", Some(6))),
        ("&", ("<A B='", Some(6))),
        (";", ("<A B='", Some(6))),
        // A digit, in both forms of references.
        ("A3", ("<", Some(1))),
        ("C3", ("<A B='", Some(6))),
    ] {
        let found = into_incomplete(missing, "<A B='€'>漢</A>".as_bytes(), xml);
        assert_eq!((&*found.0, found.1), expected, "without {missing}");
    }
    // A Rust escape has only one form.
    let escape = |job: Transcode| job.on_unmappable(OnUnmappable::Escape);
    assert_eq!(into_incomplete("x#", "A€B".as_bytes(), escape), ("A\\u{20AC}B".into(), None));
    for missing in ["\\", "u", "{", "}", "2"] {
        assert_eq!(into_incomplete(missing, "A€B".as_bytes(), escape), ("A".into(), Some(1)), "without {missing}");
    }
}

/// A replacement of malformed bytes, too, is written completely or is an error, regardless of the policy for other
/// characters.
#[test]
fn escapes_of_bytes_into_pages_without_their_letters() {
    for policy in [OnUnmappable::Fail, OnUnmappable::Drop, OnUnmappable::Replace] {
        let escape = |job: Transcode| job.on_malformed(OnMalformed::Escape).on_unmappable(policy);
        assert_eq!(into_incomplete("#", b"A\xFFB", escape), ("A\\xFFB".into(), None), "{policy:?}");
        for missing in ["x", "\\", "F"] {
            assert_eq!(
                into_incomplete(missing, b"A\xFFB", escape),
                ("A".into(), Some(1)),
                "{policy:?} without {missing}"
            );
        }
    }
}

/// A declaration that cannot be written completely is not written in part.
#[test]
fn a_label_into_pages_without_its_letters() {
    for policy in [OnUnmappable::Fail, OnUnmappable::Drop, OnUnmappable::Replace, OnUnmappable::Xml] {
        let xml = |job: Transcode| job.kind(Kind::Xml).on_unmappable(policy);
        let (written, offset) = into_incomplete("x", b"<A/>", xml);
        assert_eq!((&*written, offset), ("", Some(0)), "{policy:?}");
        let (written, offset) = into_incomplete("-", b"<?xml version='1.0' encoding='UTF-8'?><A/>", xml);
        assert_eq!((&*written, offset), ("<?xml version='1.0' encoding='", Some(30)), "{policy:?}");
    }
}

/// Real pages that lack them: the output reads back with the same meaning, or nothing is written.
#[test]
fn escapes_into_ibm803_and_ibm13218() {
    for name in ["IBM803", "IBM13218"] {
        for (policy, escape) in [(OnUnmappable::Xml, "&#8364;"), (OnUnmappable::Escape, "\\u{20AC}")] {
            let job = Transcode::new()
                .source_encoding("UTF-8")
                .unwrap()
                .target_encoding(name)
                .unwrap()
                .kind(Kind::Text)
                .on_unmappable(policy);
            let mut bytes = Vec::new();
            match job.run("A€".as_bytes(), &mut bytes) {
                Ok(_) => {
                    let mut back = Vec::new();
                    Transcode::new().source_encoding(name).unwrap().run(&bytes[..], &mut back).unwrap();
                    assert_eq!(String::from_utf8(back).unwrap(), format!("A{escape}"), "{name}");
                }
                Err(error) => assert_eq!(error.offset(), Some(1), "{name} {policy:?}: {error}"),
            }
        }
    }
}
