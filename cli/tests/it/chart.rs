//! `charpipe chart`, run as a user runs it: the chart of every codec agrees with the codec, and fits a terminal.

use crate::common::process::Start;
use charpipe::Registry;
use charpipe::codec::decode_strictly;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Command, Output};

fn run(line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_charpipe")).arg("chart").args(line.split_whitespace()).run()
}

/// Returns the output of a run that succeeds.
#[track_caller]
fn shown(line: &str) -> String {
    let Output { status, stdout, stderr } = run(line);
    assert_eq!((status.code(), &*stderr), (Some(0), &b""[..]), "{line}");
    String::from_utf8(stdout).unwrap()
}

#[track_caller]
fn object(line: &str) -> Value {
    serde_json::from_str(&shown(&format!("{line} --json"))).unwrap()
}

/// Returns the messages of a run that exits with status 2.
#[track_caller]
fn refused(line: &str) -> String {
    let Output { status, stdout, stderr } = run(line);
    assert_eq!((status.code(), &*stdout), (Some(2), &b""[..]), "{line}");
    String::from_utf8(stderr).unwrap()
}

/// Decodes hex.
fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Returns what the chart has at these bytes: the text, and whether it is written with other bytes.
fn cell<'a>(object: &'a Value, hex: &str) -> Option<(&'a str, bool)> {
    let cell = object["chart"].as_array().unwrap().iter().find(|cell| cell["bytes"] == hex)?;
    Some((cell["text"].as_str().unwrap(), cell["one_way"].as_bool().unwrap()))
}

/// Returns a string of a JSON object.
fn string<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap()
}

#[test]
fn a_page_has_the_layout_of_ibms_charts() {
    let chart = shown("cp1047");
    let lines: Vec<&str> = chart.lines().collect();
    assert!(lines[0] == "IBM1047, from ibm-1047_P100-1995.ucm" && lines[1].starts_with("also "), "{chart}");
    let expected = "
    0-   1-   2-   3-   4-   5-   6-   7-   8-   9-   A-   B-   C-   D-   E-   F-
-0  NUL  DLE  PAD  DCS  SP   &    -    ø    Ø    °    µ    ¬    {    }    \\    0
    0000 0010 0080 0090 0020 0026 002D 00F8 00D8 00B0 00B5 00AC 007B 007D 005C 0030
-1  SOH  DC1  HOP  PU1  NBSP é    /    É    a    j    ~    £    A    J    ÷    1
    0001 0011 0081 0091 00A0 00E9 002F 00C9 0061 006A 007E 00A3 0041 004A 00F7 0031";
    assert_eq!(lines[2..8].join("\n"), expected);
    assert_eq!(lines.len(), 3 + 1 + 32);
    assert_eq!(
        lines[3 + 1 + 2 * 5],
        "-5  HT   NEL  LF   MW   á    í    Á    Í    e    n    v    §    E    N    V    5"
    );
    // A page with another newline has a chart under its own label.
    let zos = shown("IBM1047,nl=zos");
    assert!(zos.starts_with("IBM1047,nl=zos, from ") && zos.contains("-5  HT   LF   NEL  MW "), "{zos}");
}

#[test]
fn codes_without_a_glyph_have_a_sign() {
    // Thai: combining characters are drawn on a dotted circle; some characters have two codes.
    let thai = shown("IBM-Thai");
    for part in [" \u{25CC}\u{E48}*   /    ", "\n    0001 0011 ", "\n*    one-way: written as other bytes\n"] {
        assert!(thai.contains(part), "{part:?} in {thai}");
    }
    // Arabic: a mark follows each letter, so that the row keeps its direction.
    assert!(shown("IBM420").contains(" خ\u{200E}    a    j "));
    // Katakana and undefined codes.
    let katakana = shown("IBM290");
    assert!(katakana.contains(" ﾘ    ﾞ\n") && katakana.contains(" ---- "), "{katakana}");
    // A wide character takes two columns, so it is followed by fewer spaces, and the columns stay aligned.
    let wide = shown("IBM930 --lead 42");
    assert!(wide.contains("\n-1            ／        ａ   ｊ   ￣        Ａ   Ｊ        １\n"), "{wide}");
}

#[test]
fn a_mixed_page_has_its_shift_codes_and_its_lead_bytes() {
    let chart = shown("IBM930");
    for part in [
        "\n-E  SO   RS   ACK ",
        "\n         001E 0006",
        "\n-F  SI   US   BEL ",
        "\n0E and 0F, without a code point: shift codes\n",
        "\nLead bytes after 0E (SO), with the number of characters of each\n\n    4-   5-   6-   7-\n-0  1    190  190  190\n",
        "\nTo show the characters of one: charpipe chart IBM930 --lead 45\n",
    ] {
        assert!(chart.contains(part), "{part:?} in {chart}");
    }
    let page = object("IBM930");
    assert_eq!(page["shifts"], json!(["0E", "0F"]));
    assert_eq!(page["leads"][0], json!({"bytes": "40", "shift": "0E", "characters": 1, "longer": false}));
    assert_eq!(cell(&page, "C1"), Some(("A", false)));
    let lead = object("IBM930 --lead 42");
    assert_eq!((&lead["lead"], &lead["shift"]), (&json!("42"), &json!("0E")));
    assert_eq!(cell(&lead, "42C1"), Some(("Ａ", false)));
    // The pure double-byte set has the same pairs, no shift codes and no single bytes.
    let pure = object("IBM300");
    assert_eq!((&pure["shifts"], &pure["chart"]), (&json!([]), &json!([])));
    assert!(shown("IBM300").contains("\nLead bytes, with the number of characters of each\n"));
    assert_eq!(cell(&object("IBM300 --lead 42"), "42C1"), Some(("Ａ", false)));
}

#[test]
fn other_multi_byte_charsets_have_their_lead_bytes() {
    let shift_jis = shown("Shift_JIS");
    assert!(shift_jis.contains("\n-1  SOH  DC1  !    1    A    Q    a    q    »    »    ｡ "), "{shift_jis}");
    assert!(shift_jis.contains("\n»    a lead byte: more bytes follow\n"));
    assert_eq!(cell(&object("Shift_JIS --lead 88"), "889F"), Some(("亜", false)));
    // Codes that are read but never written.
    assert_eq!(cell(&object("Shift_JIS --lead ED"), "ED40"), Some(("纊", true)));
    assert_eq!(cell(&object("EUC-JP --lead 8FB0"), "8FB0A1"), Some(("丂", false)));
    let euc = object("EUC-JP");
    let three = json!({"bytes": "8F", "shift": null, "characters": 0, "longer": true});
    assert!(euc["leads"].as_array().unwrap().contains(&three));
    assert_eq!(cell(&object("gb18030 --lead 813081"), "81308130"), Some(("\u{80}", false)));
    // A set that an escape sequence selects.
    assert!(shown("ISO-2022-JP").contains("\nLead bytes after 1B 24 42, with "));
    assert_eq!(cell(&object("ISO-2022-JP --lead 30"), "3021"), Some(("亜", false)));
    // One code for two characters.
    let big5 = shown("Big5 --lead 88");
    assert!(big5.contains("Ê\u{304}") && big5.contains("00CA+") && big5.contains("\n62   U+00CA U+0304\n"), "{big5}");
}

/// Every registered codec either has a chart that agrees with the codec, or is refused as a form of Unicode.
#[test]
fn every_chart_agrees_with_its_codec() {
    let registry = Registry::builtin();
    let mut forms = Vec::new();
    for codec in registry.codecs() {
        let name = codec.name();
        if run(name).status.code() == Some(2) {
            let stderr = refused(name);
            assert!(stderr.ends_with(" is a form of Unicode, not a code page; it has no chart\n"), "{stderr}");
            forms.push(name);
            continue;
        }
        let page = shown(name);
        let widest = page.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100) && !page.lines().any(|line| line.ends_with(' ')), "{page}");
        let object = object(name);
        assert_eq!(object["codec"], name);
        assert_eq!(object["aliases"], json!(registry.labels(name).skip(1).collect::<Vec<_>>()));
        let chart = object["chart"].as_array().unwrap();
        let cells: BTreeMap<&str, &str> =
            chart.iter().map(|cell| (string(cell, "bytes"), string(cell, "text"))).collect();
        assert_eq!(cells.len(), chart.len(), "{name}");
        for byte in 0..=255u8 {
            let hex = format!("{byte:02X}");
            let text = decode_strictly(&**codec, &[byte]).filter(|text| !text.is_empty());
            assert_eq!(cells.get(&*hex).copied(), text.as_deref(), "{hex} in {name}");
        }
        for shift in object["shifts"].as_array().unwrap() {
            assert!(!cells.contains_key(shift.as_str().unwrap()), "{shift} in {name}");
        }
        // One lead byte. If several sets have it, its chart is that of the first.
        let leads = object["leads"].as_array().unwrap();
        for lead in leads.iter().filter(|lead| lead["bytes"] == leads[leads.len() / 2]["bytes"]).take(1) {
            let hex = lead["bytes"].as_str().unwrap();
            let pairs = self::object(&format!("{name} --lead {hex}"));
            let cells = pairs["chart"].as_array().unwrap();
            assert_eq!(cells.len() as u64, lead["characters"].as_u64().unwrap(), "{hex} in {name}");
            let shift = bytes(pairs["shift"].as_str().unwrap_or_default());
            for cell in cells {
                let pair = [shift.clone(), bytes(cell["bytes"].as_str().unwrap())].concat();
                assert_eq!(decode_strictly(&**codec, &pair).as_deref(), cell["text"].as_str(), "{pair:02X?} in {name}");
            }
        }
    }
    forms.sort_unstable();
    let expected = [
        "ISO-10646-UCS-2",
        "ISO-10646-UCS-4",
        "UCS-2BE",
        "UCS-2LE",
        "UTF-16",
        "UTF-16BE",
        "UTF-16LE",
        "UTF-32",
        "UTF-32BE",
        "UTF-32LE",
        "UTF-7",
        "UTF-7-IMAP",
        "UTF-8",
        "UTF-EBCDIC",
        "X-ISO-10646-UCS-4-2143",
        "X-ISO-10646-UCS-4-3412",
    ];
    assert_eq!(forms, expected);
}

#[test]
fn two_pages_are_compared() {
    let expected = "\
IBM037 and IBM1047 differ in 6 places:

    IBM037         IBM1047
5F  ¬     U+00AC   ^     U+005E
AD  Ý     U+00DD   [     U+005B
B0  ^     U+005E   ¬     U+00AC
BA  [     U+005B   Ý     U+00DD
BB  ]     U+005D   ¨     U+00A8
BD  ¨     U+00A8   ]     U+005D
";
    assert_eq!(shown("037 1047"), expected);
    assert_eq!(
        object("IBM037 IBM01140"),
        json!({
            "codec": "IBM037",
            "other": "IBM01140",
            "lead": null,
            "differences": [{
                "bytes": "9F",
                "codec": {"code_points": "U+00A4", "text": "¤", "one_way": false},
                "other": {"code_points": "U+20AC", "text": "€", "one_way": false},
            }],
            "more": false,
        })
    );
    assert_eq!(shown("IBM1047 cp1047"), "IBM1047 and IBM1047: no difference\n");
    assert_eq!(object("IBM1047 cp1047")["differences"], json!([]));
    // A page with another newline is another codec with the same name.
    let fold = shown("IBM1047 IBM1047,nl=fold");
    assert!(fold.starts_with("IBM1047 and IBM1047,nl=fold differ in 2 places:\n"), "{fold}");
    assert!(fold.ends_with("25  LF    U+000A   LF*   U+000A\n\n*    one-way: written as other bytes\n"), "{fold}");
}

#[test]
fn characters_that_only_one_page_has_are_listed_separately() {
    let ascii = shown("US-ASCII ISO-8859-1");
    let expected = "Only ISO-8859-1 has a character in 128 places:\n\n80  PAD   U+0080\n";
    assert!(ascii.starts_with(expected) && ascii.ends_with("\nFF  ÿ     U+00FF\n"), "{ascii}");
    let first = &object("US-ASCII ISO-8859-1")["differences"][0];
    assert_eq!(
        (&first["bytes"], &first["codec"], &first["other"]["code_points"]),
        (&json!("80"), &Value::Null, &json!("U+0080"))
    );
    // Differences are shown as runs if they are many. Shift codes are not part of the bytes: a mixed page is compared
    // with its pure double-byte page.
    let mixed = shown("IBM930 US-ASCII");
    assert!(mixed.contains("\nOnly IBM930 has a character in 1") && mixed.contains(" 45 41-FE, "), "{mixed}");
    let pure = shown("IBM300 IBM930");
    assert!(pure.contains("\n42 60  －    U+FF0D   −     U+2212\n"), "{pure}");
    assert!(pure.contains("\nOnly IBM930 has a character in 226 places:\n\n00  NUL   U+0000\n"), "{pure}");
    // Only the codes that begin with one lead byte.
    let below = object("IBM300 IBM930 --lead 43");
    assert_eq!(below["lead"], "43");
    let found = below["differences"].as_array().unwrap();
    assert_eq!(found.iter().map(|row| row["bytes"].as_str().unwrap()).collect::<Vec<_>>(), ["43A1"]);
}

#[test]
fn four_byte_codes_are_compared_only_with_lead() {
    let all = shown("GBK gb18030");
    assert!(all.starts_with("GBK and gb18030 differ in 2 places:\n") && all.contains("\nA2 E3  €*"), "{all}");
    assert!(
        all.ends_with("\nFour-byte characters are compared only with --lead, which chooses their first bytes.\n"),
        "{all}"
    );
    assert!(shown("GBK gb18030 --lead 8130").starts_with("GBK and gb18030 differ in 1260 places:\n"));
}

/// A user's table has a chart, and can be compared with the page that it should be.
#[test]
fn a_table_file_has_a_chart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.txt");
    std::fs::write(&path, include_str!("../../../examples/data/x-site.txt")).unwrap();
    let option = format!("--codec-file {}", path.display());
    let chart = shown(&format!("{option} site"));
    assert!(chart.starts_with("X-SITE, from ours\nalso site\n"), "{chart}");
    let expected = "\
IBM1047 and X-SITE differ in 2 places:

    IBM1047        X-SITE
9F  ¤     U+00A4   €     U+20AC
B6  ¶     U+00B6   ✓     U+2713
";
    assert_eq!(shown(&format!("IBM1047 site {option}")), expected);
}

#[test]
fn wrong_usage_has_a_message() {
    assert_eq!(refused("UFT-8"), "charpipe: CODEC: \"UFT-8\" is not known; did you mean UTF-8?\n");
    assert_eq!(refused("IBM037 IBM1O47"), "charpipe: OTHER: \"IBM1O47\" is not known; did you mean IBM1047?\n");
    for form in ["UTF-8", "utf16", "UTF-EBCDIC"] {
        assert!(refused(form).starts_with("charpipe: CODEC: UTF-"), "{form}");
    }
    assert_eq!(
        refused("IBM037 UTF-16LE"),
        "charpipe: OTHER: UTF-16LE is a form of Unicode, not a code page; it has no chart\n"
    );
    assert_eq!(refused("IBM930 --lead 99"), "charpipe: --lead: IBM930 has no characters that begin with 99\n");
    for line in
        ["", "IBM037 IBM1047 IBM500", "IBM930 --lead 4", "IBM930 --lead xy", "IBM930 --lead +1", "IBM930 --lead"]
    {
        assert!(refused(line).starts_with("charpipe: "), "{line}");
    }
}
