//! `charpipe list` and `-l`: what they print, what patterns match, and the exit status.

use crate::common::process::Start;
use charpipe::Registry;
use serde_json::{Value, json};
#[cfg(unix)]
use std::io::Read;
use std::process::{Command, Output, Stdio};

fn charpipe(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_charpipe")).args(args).stdin(Stdio::null()).run()
}

/// Returns the output of a run that succeeds and prints no messages.
#[track_caller]
fn good(args: &[&str]) -> String {
    let output = charpipe(args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn objects(args: &[&str]) -> Vec<Value> {
    good(args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the names that a pattern lists.
#[track_caller]
fn names(pattern: &str) -> Vec<String> {
    let name = |object: &Value| object["name"].as_str().unwrap().to_owned();
    objects(&["list", "--json", pattern]).iter().map(name).collect()
}

#[test]
fn all_codecs_with_all_their_labels() {
    let registry = Registry::builtin();
    let found = objects(&["list", "--json"]);
    assert_eq!(found.len(), registry.codecs().count());
    for object in &found {
        let name = object["name"].as_str().unwrap();
        let codec = registry.codec(name).unwrap();
        let keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys.len(), 5, "{keys:?}");
        assert_eq!(object["aliases"], json!(registry.labels(name).skip(1).collect::<Vec<_>>()), "{name}");
        assert_eq!(object["decode"], json!(true), "{name}");
        assert_eq!(object["encode"], json!(codec.encoder().is_some()), "{name}");
        assert_eq!(object["source"], json!(codec.info().source), "{name}");
        assert!(!codec.info().source.is_empty(), "{name}");
    }
}

#[test]
fn each_codec_has_a_line_with_its_aliases_below() {
    let text = good(&["list"]);
    let heads: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(heads.len(), Registry::builtin().codecs().count());
    assert!(heads.iter().all(|line| line.contains("  decode")), "{text}");
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    assert!(good(&["list", "csutf8"]).starts_with("UTF-8  decode+encode  RFC 3629\n    Unicode\n    utf8, csUTF8, "));
    for line in ["-l", "convert -l", "-l -t IBM1047"] {
        assert_eq!(good(&line.split(' ').collect::<Vec<_>>()), text, "{line}");
    }
}

/// Numbers in names are compared as numbers.
#[test]
fn codecs_are_in_natural_order() {
    assert_eq!(
        objects(&["list", "--json", "UTF-*"])
            .iter()
            .filter(|object| object["decode"] == json!(true))
            .map(|object| object["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>(),
        [
            "UTF-7",
            "UTF-7-IMAP",
            "UTF-8",
            "UTF-16",
            "UTF-16BE",
            "UTF-16LE",
            "UTF-32",
            "UTF-32BE",
            "UTF-32LE",
            "UTF-EBCDIC"
        ],
        "a pattern with a `*` matches whole labels"
    );
    let ibm = names("ibm*");
    let at = |name: &str| ibm.iter().position(|found| found == name).unwrap();
    assert!(at("IBM037") < at("IBM273") && at("IBM871") < at("IBM1047") && at("IBM1047") < at("IBM01140"), "{ibm:?}");
}

#[test]
fn what_a_pattern_matches() {
    for (pattern, first) in [
        // A substring of a name, in any case; a substring of an alias.
        ("bm1047", "IBM1047"),
        ("EBCDIC-CP-US", "IBM037"),
        // A label as `-f` would take it.
        ("ccsid_00290", "IBM290"),
        (" 037 ", "IBM037"),
        ("IBM1047,nl=zos", "IBM1047"),
        // A glob, which matches a whole label.
        ("ISO-8859-?", "ISO-8859-1"),
        ("*ucs4", "ISO-10646-UCS-4"),
    ] {
        assert_eq!(names(pattern)[0], first, "{pattern}");
    }
    assert!(!names("ISO-8859-?").contains(&"ISO-8859-11".to_owned()));
    assert!(names("037").contains(&"IBM037".to_owned()));
}

/// The name of a language finds its encodings, even if it is not part of their names.
#[test]
fn by_language() {
    for (pattern, some, other) in [
        ("japanese", &["Shift_JIS", "EUC-JP", "ISO-2022-JP", "IBM930", "x-mac-japanese"][..], "Big5"),
        ("western", &["windows-1252", "ISO-8859-1", "IBM850", "IBM037", "macintosh"], "windows-1251"),
        ("cyrillic", &["windows-1251", "KOI8-R", "IBM866", "IBM1025", "x-mac-cyrillic"], "windows-1252"),
        ("Chinese", &["GBK", "Big5", "IBM935", "HZ-GB-2312", "EUC-TW"], "EUC-KR"),
        ("mac", &["macintosh", "x-mac-greek", "CP10007"], "windows-1253"),
    ] {
        let found = names(pattern);
        assert!(some.iter().all(|name| found.iter().any(|found| found == name)), "{pattern}: {found:?}");
        assert!(!found.iter().any(|found| found == other), "{pattern}: {other}");
    }
}

#[test]
fn encodings_that_are_known_but_not_supported() {
    let expected =
        "known, not supported: it is a compression of Unicode; convert it with `uconv -f SCSU -t UTF-8` first";
    assert_eq!(good(&["list", "scsu"]), format!("SCSU  {expected}\n"));
    let object = json!({"name": "TSCII", "aliases": [], "decode": false, "encode": false, "source": null});
    assert_eq!(objects(&["list", "--json", "tsc*"]), [object]);
    // Only if a pattern asks for them.
    assert!(!good(&["list"]).contains("not supported"));
}

#[test]
fn nothing_matches() {
    for (pattern, stderr) in [
        ("klingon", "charpipe: no encoding matches \"klingon\"\n"),
        ("IBM1O47", "charpipe: no encoding matches \"IBM1O47\"; did you mean IBM1047?\n"),
        ("?", "charpipe: no encoding matches \"?\"\n"),
        ("a\x1B", "charpipe: no encoding matches \"a\\u{1b}\"\n"),
    ] {
        let output = charpipe(&["list", pattern]);
        let found = (output.status.code(), String::from_utf8_lossy(&output.stderr));
        assert_eq!((found.0, &*found.1, &*output.stdout), (Some(1), stderr, &b""[..]));
    }
}

#[test]
fn wrong_usage() {
    for line in ["list a b", "list --to UTF-8", "-l FILE", "detect -l"] {
        let output = charpipe(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{line}");
    }
}

/// A reader that closes the pipe early is not an error.
#[cfg(unix)]
#[test]
fn a_closed_pipe() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
    // `head` might read all of it; here nothing is read.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = command.arg("list").stdout(writer).stderr(Stdio::piped()).start();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), &*stderr), (Some(0), ""));
}
