//! Tests that verdicts, reports and errors are serialized with the keys of the command's JSON, in the same order, and
//! that options are deserialized from the values of the command line.
use charpipe::detect::{Detector, Family, Hints, Policy, Severity, Source};
use charpipe::records::{Carriage, Columns, Shape};
use charpipe::{
    Bom, EbcdicNl, Eol, Gaps, Kind, OnControl, OnMalformed, OnNewlineInRecord, OnOverlong, OnUnknown, OnUnmappable,
    Padding, Registry, Relabel, Report, Transcode, Verdict,
};
use serde_json::{from_str, to_string};

const UTF16: &[u8] = include_bytes!("../../examples/data/utf16le-bom.xml");

fn verdict(input: &[u8], hints: Hints) -> Verdict {
    let mut detector = Detector::new(Registry::builtin(), hints);
    detector.feed(input);
    detector.finish()
}

fn report(job: &Transcode, input: &[u8]) -> Report {
    job.run(input, Vec::new()).unwrap()
}

#[test]
fn a_verdict() {
    let found = r#"{"encoding":"UTF-16LE","codec":"UTF-16LE","family":"utf-16le","kind":"xml","signature":"FFFE","bom":"FFFE","declared":"UTF-16","declared_span":[62,74],"charset":null,"ascii":false,"looks":null,"policy":"rfc7303","rule":"rfc7303:bom","source":"bom","candidates":[],"diagnostics":[],"error":null}"#;
    assert_eq!(to_string(&verdict(UTF16, Hints::default())).unwrap(), found);

    // Keys without a value are null, not missing; an error is an object.
    let found = r#"{"encoding":null,"codec":null,"family":"ascii","kind":"xml","signature":"3C3F786D","bom":null,"declared":"x-none","declared_span":[30,36],"charset":null,"ascii":true,"looks":null,"policy":"rfc7303","rule":null,"source":null,"candidates":[],"diagnostics":[],"error":{"code":"unknown-label","message":"\"x-none\" is not known","offset":30,"line":1,"column":31}}"#;
    let unknown = b"<?xml version='1.0' encoding='x-none'?>";
    assert_eq!(to_string(&verdict(unknown, Hints::default())).unwrap(), found);

    let warned = verdict(b"\x4C\x6F\xA7\x94\x93", Hints::default());
    let found = r#"[{"code":"ebcdic-page-assumed","severity":"warning","message":"the input is EBCDIC but names no code page; assuming IBM037","offset":0,"line":1,"column":1}]"#;
    assert_eq!(to_string(&warned.diagnostics).unwrap(), found);
}

#[test]
fn candidates() {
    let text = "Grüße aus Köln, schöne Ferien".repeat(9);
    let mut hints = Hints::default();
    hints.guess = true;
    let mut guessed = verdict(text.as_bytes(), hints);
    let first = guessed.candidates.swap_remove(0);
    let json = to_string(&first).unwrap();
    assert_eq!(json, format!(r#"{{"codec":"UTF-8","score":{}}}"#, to_string(&first.score).unwrap()));
}

#[test]
fn a_report() {
    let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding("IBM037").unwrap();
    let job = job.on_malformed(OnMalformed::Replace).on_unmappable(OnUnmappable::Replace).on_control(OnControl::Space);
    let mut bare = report(&job, "a\u{1}€b\u{FFFD}".as_bytes());
    bare.verdict = None;
    let found = r#"{"from":"UTF-8","to":"IBM037","verdict":null,"bytes_in":9,"bytes_out":5,"malformed":{"count":0,"first":[],"read_as":null},"unmappable":{"count":2,"first":[{"offset":2,"line":null,"column":null,"char":"€"},{"offset":6,"line":null,"column":null,"char":"�"}]},"relabelled":null,"controls":{"count":1,"first":[{"offset":1,"line":null,"column":null,"char":"\u0001"}]},"records":null,"passed":false,"diagnostics":[]}"#;
    assert_eq!(to_string(&bare).unwrap(), found);

    // The verdict is the one in `a_verdict`, and the label was corrected.
    let whole = report(&Transcode::new(), UTF16);
    let verdict = to_string(whole.verdict.as_ref().unwrap()).unwrap();
    let start = format!(r#"{{"from":"UTF-16LE","to":"UTF-8","verdict":{verdict},"bytes_in":{},"#, UTF16.len());
    let json = to_string(&whole).unwrap();
    assert!(json.starts_with(&start), "{json}");
    assert!(
        json.ends_with(
            r#""relabelled":{"from":"UTF-16","to":"UTF-8"},"records":null,"passed":false,"diagnostics":[]}"#
        ),
        "{json}"
    );
}

#[test]
fn positions_in_records() {
    let job = Transcode::new().source_encoding("US-ASCII").unwrap().records(Shape::Fixed { lrecl: 4 });
    let lines = job.clone().on_malformed(OnMalformed::Replace).to_records("rdw".parse().unwrap());
    let mut found = report(&lines, b"abcdef\xFFh");
    found.verdict = None;
    assert_eq!((found.records, found.records_out), (Some(2), Some(2)));
    let first = r#""malformed":{"count":1,"first":[{"offset":6,"line":null,"column":3,"record":2,"bytes":"FF"}],"read_as":null}"#;
    let json = to_string(&found).unwrap();
    assert!(json.contains(first) && json.contains(r#""records":2,"records_out":2,"#), "{json}");

    let error = job.run(&b"abcdef\xFFh"[..], Vec::new()).unwrap_err();
    let found =
        r#"{"code":"malformed","message":"FF is not valid US-ASCII","offset":6,"line":null,"column":3,"record":2}"#;
    assert_eq!(to_string(&error).unwrap(), found);
    assert_eq!(to_string(&error.record()).unwrap(), r#"{"record":2,"column":3}"#);
}

#[test]
fn an_error_without_a_position() {
    let error = Registry::builtin().codec("x-none").unwrap_err();
    let json = to_string(&error).unwrap();
    assert_eq!(
        json,
        r#"{"code":"unknown-label","message":"\"x-none\" is not known","offset":null,"line":null,"column":null}"#
    );
}

#[test]
fn values_are_serialized_by_their_names() {
    for &policy in Policy::ALL {
        assert_eq!(to_string(&policy).unwrap(), format!("{:?}", policy.name()));
        assert_eq!(from_str::<Policy>(&to_string(&policy).unwrap()).unwrap(), policy);
    }
    for kind in [Kind::Xml, Kind::Html, Kind::Text] {
        assert_eq!(to_string(&kind).unwrap(), format!("{:?}", kind.name()));
    }
    for severity in [Severity::Warning, Severity::Hint] {
        assert_eq!(to_string(&severity).unwrap(), format!("{:?}", severity.name()));
    }
    use Source::*;
    for source in [User, Bom, Charset, Declaration, Signature, Meta, Statistics, Fallback, Default] {
        assert_eq!(to_string(&source).unwrap(), format!("{:?}", source.name()));
        assert_eq!(from_str::<Source>(&to_string(&source).unwrap()).unwrap(), source);
    }
    use Family::*;
    let wide = [Utf16Be, Utf16Le, Ucs4_1234, Ucs4_4321, Ucs4_2143, Ucs4_3412];
    for family in [Utf8, Ascii, Ebcdic, EbcdicKatakana, Unknown].into_iter().chain(wide) {
        assert_eq!(to_string(&family).unwrap(), format!("{:?}", family.name()));
        assert_eq!(from_str::<Family>(&to_string(&family).unwrap()).unwrap(), family);
    }
}

/// Asserts that each word is deserialized as its value and the value serialized as its word, and that an unknown word
/// is refused.
macro_rules! values {
    ($($type:ident: $($word:literal $value:expr),+;)+) => {$(
        $(
            let json = concat!("\"", $word, "\"");
            assert_eq!(from_str::<$type>(json).unwrap(), $value);
            assert_eq!(to_string(&$value).unwrap(), json);
        )+
        assert!(from_str::<$type>("\"never heard of\"").is_err());
        assert!(from_str::<$type>("1").is_err());
    )+};
}

#[test]
fn options_are_deserialized() {
    values! {
        OnMalformed: "fail" OnMalformed::Fail, "replace" OnMalformed::Replace, "drop" OnMalformed::Drop,
            "escape" OnMalformed::Escape;
        OnUnmappable: "fail" OnUnmappable::Fail, "replace" OnUnmappable::Replace, "drop" OnUnmappable::Drop,
            "xml" OnUnmappable::Xml, "escape" OnUnmappable::Escape, "translit" OnUnmappable::Translit;
        OnUnknown: "fail" OnUnknown::Fail, "pass" OnUnknown::Pass;
        Relabel: "auto" Relabel::Auto, "never" Relabel::Never;
        Bom: "auto" Bom::Auto, "keep" Bom::Keep, "add" Bom::Add, "strip" Bom::Strip;
        Eol: "auto" Eol::Auto, "keep" Eol::Keep, "lf" Eol::Lf, "crlf" Eol::Crlf, "nel" Eol::Nel;
        EbcdicNl: "table" EbcdicNl::Table, "zos" EbcdicNl::Zos, "fold" EbcdicNl::Fold;
        OnControl: "keep" OnControl::Keep, "space" OnControl::Space, "drop" OnControl::Drop, "error" OnControl::Error,
            "xml" OnControl::Xml;
        OnNewlineInRecord: "keep" OnNewlineInRecord::Keep, "space" OnNewlineInRecord::Space, "error" OnNewlineInRecord::Error;
        Padding: "blanks" Padding::Trim, "nuls" Padding::Nuls, "blanks,nuls" Padding::TrimNuls, "none" Padding::Keep;
        Gaps: "drop" Gaps::Drop, "hex" Gaps::Hex;
        OnOverlong: "fail" OnOverlong::Fail, "cut" OnOverlong::Cut;
        Carriage: "asa" Carriage::Asa, "machine" Carriage::Machine;
        Shape: "fb:80" Shape::Fixed { lrecl: 80 }, "rdw" Shape::Rdw { little: false, inclusive: true };
        Columns: "1-40,57-" "1-40,57-".parse::<Columns>().unwrap();
    }
    let error = from_str::<OnMalformed>("\"skip\"").unwrap_err().to_string();
    assert!(
        error.starts_with("unknown variant `skip`, expected one of `fail`, `replace`, `drop`, `escape`"),
        "{error}"
    );
}

/// A checkpoint of lines continues exactly there after it was stored.
#[test]
fn a_checkpoint_of_lines_is_read_again() {
    let log = b"\x0E\x45\x62\x0F\x25\x0E\x45\x66\x0F\x25";
    let job = charpipe::Transcode::new().source_encoding("IBM939,nl=zos").unwrap();
    let mut lines = job.lines(&log[..]).unwrap();
    lines.next_line().unwrap().unwrap();
    let at = lines.checkpoint().unwrap();
    let json = to_string(&at).unwrap();
    assert_eq!(json, r#"{"offset":5,"line":2,"encoding":"IBM939,nl=zos","state":0}"#);
    assert_eq!(from_str::<charpipe::LineCheckpoint>(&json).unwrap(), at);
}
