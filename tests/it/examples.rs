//! Runs every example, and compares its output with the expected output.
//!
//! `cargo test` builds the examples too. `cargo test -p charpipe --test it` does not: run `cargo build --examples`
//! first.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The expected output of an example. The test fails if an example is missing here. Examples that need a feature that
/// is off are skipped.
struct Expected {
    name: &'static str,
    built: bool,
    stdout: &'static str,
    stderr: &'static str,
}

const EXPECTED: &[Expected] = &[
    Expected {
        name: "async_pipe",
        built: cfg!(feature = "tokio"),
        stdout: r#"Grüße aus Köln
[10:15] {ok}
28 bytes of IBM1047
"#,
        stderr: "",
    },
    Expected {
        name: "back_to_records",
        built: true,
        stdout: "\
fb:18: 2 records in 36 bytes
    0 D7C1E8400E456545630F40F1F24040404040
   18 D7C1E840D4A24B40D67DC29989859540F740
rdw: 2 records in 38 bytes
    0 D7C1E8400E456545630F40F1F2
   17 D7C1E840D4A24B40D67DC29989859540F7
vbs:24: 2 records in 54 bytes
    4 D7C1E8400E456545630F40F1F2
   25 D7C1E840D4A24B40D67DC29989859540F7
fb:12: byte 0: record 1 is longer than 12 bytes
      D7C1E8400E456545630F40F1
      D7C1E840D4A24B40D67DC299
",
        stderr: "",
    },
    Expected {
        name: "convert_file",
        built: true,
        stdout: r#"<?xml version="1.0" encoding="UTF-8"?>
<customers>
  <customer id="1"><name>José Müller</name><note>[paid] {50%}</note></customer>
  <customer id="2"><name>Åse Lodz</name><note>^caret | bar</note></customer>
</customers>
"#,
        stderr: "223 bytes of IBM1047 became 224 bytes\n",
    },
    Expected {
        name: "detect",
        built: true,
        stdout: r#"hello-ibm1047.xml: IBM1047
  family ebcdic, xml
  declares "IBM1047" in bytes 30..37
  by declaration, rule rfc7303:declaration
katakana-ibm290.xml: IBM290
  family ebcdic-katakana, xml
  declares "IBM290" in bytes 30..36
  by declaration, rule rfc7303:declaration
no-declaration-name-ibm037.xml: IBM037
  family ebcdic, xml
  by signature, rule rfc7303:family
  warning at byte 0: the input is EBCDIC but names no code page; assuming IBM037 (ebcdic-page-assumed)
ucs4-2143.xml: X-ISO-10646-UCS-4-2143
  family ucs4-2143, xml
  declares "ISO-10646-UCS-4" in bytes 120..180
  by declaration, rule rfc7303:declaration
utf16be-declared-utf16.xml: UTF-16BE
  family utf-16be, xml
  declares "UTF-16" in bytes 60..72
  by declaration, rule rfc7303:declaration
  warning at byte 60: UTF-16 without the required byte order mark (utf16-without-bom)
latin1.xml: ISO-8859-1
  family ascii, xml
  declares "ISO-8859-1" in bytes 30..40
  by declaration, rule rfc7303:declaration
damaged-utf8.txt: unknown
  family unknown, text
  by default, rule rfc7303:default
  error: line 1, column 8 (byte 8): unknown encoding: nothing names it, and the input is not valid UTF-8; it looks like text in a legacy charset (unknown-encoding)
"#,
        stderr: "",
    },
    Expected {
        name: "ebcdic_xml",
        built: true,
        stdout: r#"the parser is told "UTF-8"
name: José Müller
note: [paid] {50%}
name: Åse Lodz
note: ^caret | bar
the document was in IBM1047
"#,
        stderr: "",
    },
    Expected {
        name: "error_position",
        built: true,
        stdout: r#"byte 8: E2 82 is not valid UTF-8
line 1, column 8 (byte 8): E2 82 is not valid UTF-8
before it: "café 5 "
line 2, column 9 (byte 98): U+20AC '€' is not in IBM1047
the input there: [AC, 20]
line 1, column 31 (byte 30): "ISO-8895-1" is not known; did you mean ISO-8859-1?
"#,
        stderr: "",
    },
    Expected {
        name: "fields",
        built: true,
        stdout: include_str!("../../examples/data/records/customers-list.txt"),
        stderr: "",
    },
    Expected {
        name: "gzip_stream",
        built: true,
        stdout: r#"223 bytes of IBM1047, 446 of UTF-16
<?xml version="1.0" encoding="UTF-8"?>
<customers>
  <customer id="1"><name>José Müller</name><note>[paid] {50%}</note></customer>
  <customer id="2"><name>Åse Lodz</name><note>^caret | bar</note></customer>
</customers>
"#,
        stderr: "",
    },
    Expected {
        name: "http_response",
        built: cfg!(feature = "whatwg"),
        stdout: r#"application/xml; charset=ISO-8859-2: ISO-8859-2
  by rule rfc7303:charset
  warning: the declaration says "UTF-8", but the transport says "ISO-8859-2"
  <?xml version='1.0' encoding='UTF-8'?><a>Łódź</a>
text/html: windows-1252
  by rule whatwg:meta
  <meta charset='UTF-8'><p>€ 5 – € 7</p>
"#,
        stderr: "",
    },
    Expected {
        name: "keis",
        built: cfg!(feature = "whatwg"),
        stdout: "\
EBCDIC: true
X-KEIS83, by rfc7303:declaration
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<customer><name>山田\u{3000}タロウ</name><city>東京都</city><class>Å</class></customer>
the same bytes: true
byte 4: B5 is not valid X-KEIS83
byte 7: U+1F600 '😀' is not in X-KEIS83
",
        stderr: "",
    },
    Expected {
        name: "log_replacements",
        built: true,
        stdout: r#"Café 5
\xFF and \xC0\xAF
7 \u{20AC}
"#,
        stderr: r#"malformed: 3; not in ISO-8859-1: 1
line 2, byte 1: [FF]
line 2, byte 7: [C0]
line 2, byte 8: [AF]
line 3, byte 3: '€'
"#,
    },
    Expected {
        name: "own_codec",
        built: true,
        stdout: r"<?xml version='1.0' encoding='UTF-8'?><name>José Müller</name>
<?xml version=\'1.0\' encoding=\'X-Accents\'?><name>Jos\xc2e M\xc8uller</name>
byte 6: C2 is not valid X-Accents
",
        stderr: "",
    },
    Expected {
        name: "print_listing",
        built: true,
        stdout: include_str!("../../examples/data/records/listing.txt"),
        stderr: "62 records printed\n",
    },
    Expected {
        name: "push_bytes",
        built: true,
        stdout: r#"<?xml version="1.0" encoding="UTF-8"?>
<sign>é € 𐍈</sign>
272 bytes in, 64 bytes out
"#,
        stderr: "",
    },
    Expected {
        name: "records_to_csv",
        built: true,
        stdout: include_str!("../../examples/data/records/customers.csv"),
        stderr: "",
    },
    Expected {
        name: "replace_malformed",
        built: true,
        stdout: r"Replace: café 5 � � and �� §
  4 malformed sequences
  byte 8: [E2, 82]
  byte 11: [FF]
  byte 17: [C0]
  byte 18: [AF]
Drop: café 5   and  §
  4 malformed sequences
  byte 8: [E2, 82]
  byte 11: [FF]
  byte 17: [C0]
  byte 18: [AF]
Escape: café 5 \xE2\x82 \xFF and \xC0\xAF §
  4 malformed sequences
  byte 8: [E2, 82]
  byte 11: [FF]
  byte 17: [C0]
  byte 18: [AF]
",
        stderr: "",
    },
    Expected {
        name: "report_as_json",
        built: cfg!(feature = "serde"),
        stdout: r#"CLOSED
CAF�
{
  "from": "US-ASCII",
  "to": "UTF-8",
  "verdict": {
    "encoding": "US-ASCII",
    "codec": "US-ASCII",
    "family": "unknown",
    "kind": "text",
    "signature": null,
    "bom": null,
    "declared": null,
    "declared_span": null,
    "charset": null,
    "ascii": true,
    "looks": null,
    "policy": "rfc7303",
    "rule": "user",
    "source": "user",
    "candidates": [],
    "diagnostics": [],
    "error": null
  },
  "bytes_in": 20,
  "bytes_out": 14,
  "malformed": {
    "count": 1,
    "first": [
      {
        "offset": 13,
        "line": null,
        "column": 4,
        "record": 2,
        "bytes": "90"
      }
    ],
    "read_as": null
  },
  "unmappable": {
    "count": 0,
    "first": []
  },
  "relabelled": null,
  "records": 2,
  "passed": false,
  "diagnostics": []
}
"#,
        stderr: "",
    },
    Expected {
        name: "rows_into_structs",
        built: cfg!(feature = "serde"),
        stdout: "\
100 customers have 28175679.45
20 of them owe something
1000112  Günther Ibáñez           -3854.58
1000297  Renée Jones             -13446.48
1000482  Søren O'Brien           -26997.88
",
        stderr: "",
    },
    Expected {
        name: "table_at_run_time",
        built: true,
        stdout: "\
X-SITE has the labels X-SITE site
[B6, 40, F5, F0, 40, 9F]
✓ 50 €
",
        stderr: "",
    },
    Expected {
        name: "tail_log",
        built: cfg!(feature = "serde"),
        stdout: "\
first run:
  line 1, byte 0: started
second run:
  line 2, byte 9: café opened
",
        stderr: "",
    },
    Expected {
        name: "unblock",
        built: true,
        stdout: include_str!("../../examples/data/records/customers-hex.txt"),
        stderr: "100 records in 6948 bytes\n",
    },
];

/// Returns the path of an example: Cargo puts examples beside the folder of this test.
fn binary(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let path = profile.join("examples").join(name).with_extension(env::consts::EXE_EXTENSION);
    assert!(path.is_file(), "{} does not exist: run cargo build --examples", path.display());
    path
}

#[test]
fn every_example_prints_the_expected_output() {
    for expected in EXPECTED.iter().filter(|expected| expected.built) {
        let output = Command::new(binary(expected.name)).output().unwrap();
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}: {}: {stderr}", expected.name, output.status);
        assert!(stdout == expected.stdout, "{} printed:\n{stdout}\nexpected:\n{}", expected.name, expected.stdout);
        assert_eq!(stderr, expected.stderr, "{}, standard error", expected.name);
    }
}

#[test]
fn every_example_has_an_expectation() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort_unstable();
    let expected: Vec<&str> = EXPECTED.iter().map(|expected| expected.name).collect();
    assert_eq!(found, expected);
}
