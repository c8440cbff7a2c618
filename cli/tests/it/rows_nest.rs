//! `charpipe rows --nest`: rows of children inside the rows of their parents, in both directions.

use crate::rows::rows;
use serde_json::{Value, json};
use std::fs;

/// Customers with accounts and notes, accounts with transactions, and days, which stand alone.
const BANK: &str = "K 1 1 text\nwhen K=C: CUSTOMER\nNAME 2 1 text\nwhen K=A: ACCOUNT\nNUM 2 1 zoned,unsigned\n\
                    when K=T: TRANSACTION\nSUM 2 1 zoned,unsigned\nwhen K=N: NOTE\nTEXT-1 2 1 text\nwhen K=D: DAY\n\
                    DATE 2 1 text\n";
const NEST: &str = "--nest --format jsonl --parent ACCOUNT<CUSTOMER,TRANSACTION<ACCOUNT,NOTE<CUSTOMER";

/// Runs on a layout, with `@` for the folder of `list`, which has it. Returns the status, the output and the messages.
fn run(list: &str, line: &str, input: &[u8]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), list).unwrap();
    let path = folder.path().display().to_string();
    let output = rows(&format!("-q -f US-ASCII --layout @/list {line}").replace('@', &path), input);
    let words = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap(), words)
}

#[track_caller]
fn passes(line: &str, input: &str) -> String {
    let (status, shown, words) = run(BANK, line, input.as_bytes());
    assert_eq!((status, &*words), (0, ""), "{line}");
    shown
}

/// Returns a line in short: for each record its letter, with its children in parentheses, each list as it comes.
fn outline(line: &str) -> String {
    fn put(row: &Value, out: &mut String) {
        *out += row["K"].as_str().unwrap_or("?");
        let lists: Vec<&Value> = row.as_object().unwrap().values().filter(|value| value.is_array()).collect();
        for list in lists.into_iter().filter(|list| !list[0]["K"].is_null()) {
            *out += "(";
            list.as_array().unwrap().iter().for_each(|child| put(child, out));
            *out += ")";
        }
    }
    let mut out = String::new();
    put(&serde_json::from_str(line).unwrap(), &mut out);
    out
}

fn outlines(text: &str) -> Vec<String> {
    text.lines().map(outline).collect()
}

#[test]
fn children_in_their_parents() {
    let input = "D1C2A3T4N5T6A7C8D9";
    let shown = passes(NEST, input);
    let expected = [
        r#"{"_number":1,"_type":"DAY","K":"D","DAY":{"DATE":"1"}}"#,
        r#"{"_number":2,"_type":"CUSTOMER","K":"C","CUSTOMER":{"NAME":"2"},"ACCOUNT":[{"_number":3,"K":"A","ACCOUNT":{"NUM":3},"TRANSACTION":[{"_number":4,"K":"T","TRANSACTION":{"SUM":4}},{"_number":6,"K":"T","TRANSACTION":{"SUM":6}}]},{"_number":7,"K":"A","ACCOUNT":{"NUM":7},"TRANSACTION":[]}],"NOTE":[{"_number":5,"K":"N","NOTE":{"TEXT-1":"5"}}]}"#,
        r#"{"_number":8,"_type":"CUSTOMER","K":"C","CUSTOMER":{"NAME":"8"},"ACCOUNT":[],"NOTE":[]}"#,
        r#"{"_number":9,"_type":"DAY","K":"D","DAY":{"DATE":"9"}}"#,
    ];
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    assert_eq!(passes("--from-rows jsonl --nest", &shown), input);
    assert_eq!(passes(NEST, ""), "");
    // Added columns are those of each record.
    let shown = passes(&format!("{NEST} --underscores --select NAME,TEXT-1 --add-columns offset,record"), "C1N2");
    let expected = "{\"_number\":1,\"_offset\":0,\"_type\":\"CUSTOMER\",\"CUSTOMER\":{\"NAME\":\"1\"},\"_record\":\"4331\",\
                    \"ACCOUNT\":[],\"NOTE\":[{\"_number\":2,\"_offset\":2,\"NOTE\":{\"TEXT_1\":\"2\"},\"_record\":\"4E32\"}]}\n";
    assert_eq!(shown, expected);
}

/// Types with hyphens, and with groups around them.
#[test]
fn names_of_lists() {
    let copybook = "       01 REC.\n          05 K PIC X.\n          05 BODY.\n            10 BIG-TYPE PIC X.\n\
                    \x20           10 SUB-TYPE REDEFINES BIG-TYPE PIC 9.\n";
    let rules = "--when K=B:BIG-TYPE --when K=S:SUB-TYPE";
    let line = format!("--nest --format jsonl --parent SUB-TYPE<BIG-TYPE {rules}");
    let (_, shown, words) = run(copybook, &line, b"BxS2");
    let child = r#"[{"_number":2,"K":"S","BODY":{"SUB-TYPE":2}}]"#;
    assert!(shown.ends_with(&format!(",\"BODY.SUB-TYPE\":{child}}}\n")), "{shown}{words}");
    let (_, shown, _) = run(copybook, &format!("{line} --underscores"), b"BxS2");
    let child = child.replace('-', "_");
    assert!(shown.ends_with(&format!(",\"BODY.SUB_TYPE\":{child}}}\n")), "{shown}");
    let back = run(copybook, &format!("--from-rows jsonl --nest --underscores {rules}"), shown.as_bytes());
    assert_eq!(back, (0, "BxS2".to_owned(), String::new()));
}

/// A line ends before the next record of any type without a parent, and at the end of each input.
#[test]
fn ends_of_lines() {
    let (status, shown, words) = run(BANK, NEST, b"C1A2C3D4A5");
    assert_eq!((status, outlines(&shown)), (1, vec!["C(A)".into(), "C".into(), "D".into()]));
    let expected = "byte 8: record 5: there is no CUSTOMER before it that this ACCOUNT belongs to (";
    assert!(words.contains(expected) && words.contains("on a line of its own"), "{words}");
    // What is not complete when an error comes is left out.
    let (status, shown, _) = run(BANK, NEST, b"C1C2A3A?");
    assert_eq!((status, outlines(&shown)), (1, vec!["C".to_owned()]));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("one"), "C1A2").unwrap();
    fs::write(at("two"), "C3A4A5").unwrap();
    let (status, shown, words) = run(BANK, &format!("{NEST} {} {}", at("one"), at("two")), b"");
    assert_eq!((status, outlines(&shown), &*words), (0, vec!["C(A)".into(), "C(AA)".into()], ""));
    fs::write(at("two"), "A4").unwrap();
    let (status, shown, _) = run(BANK, &format!("{NEST} {} {}", at("one"), at("two")), b"");
    assert_eq!((status, outlines(&shown)), (1, vec!["C(A)".to_owned()]));
}

/// With `--on-bad null`, a record whose parent is missing begins a line, and its children are in it.
#[test]
fn records_without_parents() {
    let line = format!("{NEST} --on-bad null --add-columns errors");
    let (status, shown, _) = run(BANK, &line, b"A1T2C3T4N5?6A7T8D9N0");
    assert_eq!((status, outlines(&shown)), (0, ["A(T)", "C(A(T))(N)", "T", "?", "D", "N"].map(String::from).to_vec()));
    let rows: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[2]["_type"], &rows[2]["_errors"][0]["code"]), (&json!("TRANSACTION"), &json!("no-parent")));
    assert_eq!((&rows[3]["_type"], &rows[3]["_errors"][0]["code"]), (&json!(null), &json!("unknown-type")));
    assert_eq!((&rows[1]["_errors"], &rows[1]["NOTE"][0]["_errors"]), (&json!(null), &json!(null)));
    // A record whose fields cannot be read has children too.
    let (_, shown, _) = run(BANK, &line, b"C1A?T3");
    assert_eq!(outlines(&shown), ["C(A(T))"]);
    assert!(shown.contains("\"NUM\":null") && shown.contains("\"bad-number\""), "{shown}");
}

#[test]
fn children_of_rejected_records() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let layout = BANK.replace("NAME 2 1 text", "NAME 2 1 zoned,unsigned");
    fs::write(at("in"), "C1A?T3N4A5T6C?A8T9N0C1?2N3D4A5").unwrap();
    for jobs in 1..3 {
        let line = format!("{NEST} --jobs {jobs} --rejects {} --report {} {}", at("rejects"), at("report"), at("in"));
        let (status, shown, _) = run(&layout, &line, b"");
        assert_eq!((status, outlines(&shown)), (0, ["C(A(T))(N)", "C(N)", "D"].map(String::from).to_vec()));
        let rejects = fs::read_to_string(at("rejects")).unwrap();
        let rejects: Vec<Value> = rejects.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let found = rejects.iter().map(|one| (one["record"].as_u64().unwrap(), one["code"].as_str().unwrap()));
        let expected = [
            (2, "bad-number"),
            (3, "no-parent"),
            (7, "bad-number"),
            (8, "no-parent"),
            (9, "no-parent"),
            (10, "no-parent"),
            (12, "unknown-type"),
            (15, "no-parent"),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert_eq!(rejects[1]["message"], "record 3: the ACCOUNT that it belongs to, record 2, was rejected");
        assert_eq!((&rejects[1]["offset"], &rejects[1]["bytes"]), (&json!(4), &json!("5433")));
        let report: Value = serde_json::from_str(&fs::read_to_string(at("report")).unwrap()).unwrap();
        assert_eq!(
            (&report["records"], &report["rows"], &report["rejected"]["count"]),
            (&json!(15), &json!(7), &json!(8))
        );
        let listed = report["rejected"]["first"].as_array().unwrap().iter().map(|one| one["record"].as_u64().unwrap());
        assert_eq!(listed.collect::<Vec<_>>(), [2, 3, 7, 8, 9, 10, 12, 15]);
    }
}

/// Parts of the input that threads work on end anywhere in the lines.
#[test]
fn lines_with_several_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in").display().to_string();
    let input = ("C1".to_owned() + &"A1T2T3N4".repeat(10_000) + &"C1A2T3N4D5".repeat(25_000)).repeat(2);
    fs::write(&path, &input).unwrap();
    let alone = passes(&format!("{NEST} {path}"), "");
    assert_eq!(alone.lines().count(), 2 * (1 + 50_000));
    assert!(passes(&format!("{NEST} --jobs 2 {path}"), "") == alone);
}

/// A line has at most 16 MiB. The error names the record with which it is longer, and the one with which it begins.
#[test]
fn lines_that_are_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let layout = BANK.replace("NAME 2 1 text", "NAME 2 1 text\nREST 3 998 text").replace("TEXT-1 2 1", "TEXT-1 2 999");
    let record = |kind: &str| format!("{kind}{:0>999}", "1");
    let input = format!("{:<1000}", "D1") + &record("C") + &record("N").repeat(17_000);
    fs::write(at("in"), &input).unwrap();
    let line = format!("{NEST} --report {} {}", at("report"), at("in"));
    let (status, shown, words) = run(&layout, &line, b"");
    assert_eq!((status, outlines(&shown)), (1, vec!["D".to_owned()]));
    let expected = "with it, the row that begins with record 2 has more than 16777216 bytes (leave out --nest)";
    assert!(words.contains(expected), "{words}");
    let report: Value = serde_json::from_str(&fs::read_to_string(at("report")).unwrap()).unwrap();
    let (code, offset) = (&report["error"]["code"], report["error"]["offset"].as_u64().unwrap());
    assert!(code == "row-too-long" && offset % 1000 == 0, "{report}");
    let record = offset / 1000 + 1;
    assert!(words.contains(&format!("byte {offset}: record {record}: with it")), "{words}");
    // One record less fits, with threads too.
    for jobs in 1..3 {
        let input = &input[..usize::try_from(offset).unwrap()];
        fs::write(at("in"), input).unwrap();
        let (status, shown, _) = run(&layout, &format!("{NEST} --jobs {jobs} {}", at("in")), b"");
        assert_eq!((status, shown.lines().count()), (0, 2));
        assert!(run(&layout, "--from-rows jsonl --nest", shown.as_bytes()).1 == input);
    }
}

#[test]
fn wrong_usage() {
    for (line, expected) in [
        ("--nest --parent ACCOUNT<CUSTOMER", "--nest: only JSON has rows in other rows"),
        ("--nest --from-rows csv", "--nest: only JSON has rows in other rows"),
        ("--nest --format jsonl", "--nest: needs the option parent"),
        (&format!("{NEST} --output-dir @/out"), "cannot be used with"),
        (&format!("{NEST} --schema json-schema"), "cannot be used with"),
        ("--nest --from-rows jsonl --merge", "cannot be used with"),
        (&format!("{NEST} --parent DAY<NOTE:K"), "cannot have keys with the option nest"),
        (&format!("{NEST} --add-columns parent"), "cannot have parent with the option nest"),
    ] {
        let (status, shown, words) = run(BANK, line, b"");
        assert!(status == 2 && shown.is_empty() && words.contains(expected), "{line}: {words}");
    }
    let (status, _, words) = run("A 1 1 text\n", "--nest --from-rows jsonl", b"");
    assert!(status == 2 && words.contains("--nest: the layout has no record types"), "{words}");
}

/// Without `_number`, only children of one type have an order.
#[test]
fn the_order_of_children() {
    let back = |text: &str| run(BANK, "--from-rows jsonl --nest", text.as_bytes());
    let row = |kind: &str, rest: &str| {
        let group = match kind {
            "C" => r#""CUSTOMER":{"NAME":"1"}"#,
            "A" => r#""ACCOUNT":{"NUM":2}"#,
            "T" => r#""TRANSACTION":{"SUM":3}"#,
            _ => r#""NOTE":{"TEXT-1":"4"}"#,
        };
        format!("{{{rest}\"K\":\"{kind}\",{group}}}")
    };
    let plain = |kind: &str| row(kind, "");
    let deep = row("A", &format!("\"TRANSACTION\":[{0},{0}],", plain("T")));
    let tree = row("C", &format!("\"NOTE\":[],\"ACCOUNT\":[{deep},{}],", plain("A")));
    assert_eq!(back(&format!("{tree}\n\n{}\n", plain("C"))), (0, "C1A2T3T3A2C1".to_owned(), String::new()));
    let both = row("C", &format!("\"NOTE\":[{}],\"ACCOUNT\":[{deep}],", plain("N")));
    let (status, shown, words) = back(&format!("{tree}\n{both}\n"));
    assert_eq!((status, &*shown), (2, "C1A2T3T3A2"));
    assert!(words.contains("line 2, column 1 (byte 200): row 6: nothing says the order of its children"), "{words}");
    let numbered = |kind: &str, number: u64| row(kind, &format!("\"_number\":{number},"));
    let with = |note: u64, account: u64| {
        let lists = format!("\"NOTE\":[{}],\"ACCOUNT\":[{}],", numbered("N", note), numbered("A", account));
        row("C", &format!("\"_number\":5,{lists}"))
    };
    assert_eq!(back(&with(7, 6)).1, "C1A2N4");
    assert_eq!(back(&with(6, 7)).1, "C1N4A2");
    for (text, expected) in [
        (with(6, 6), "row 1: _number 6 occurs twice"),
        (with(6, 4), "a child has a smaller _number than the record that it stands in"),
        (row("C", "\"ACCOUNT\":[1],"), "found 1; expected an object of JSON"),
        (row("C", "\"ACCOUNT\":1,"), "field ACCOUNT: found 1"),
        (format!("{}{}{}", "{\"NOTE\":[".repeat(9), plain("N"), "]}".repeat(9)), "more than 5 deep"),
        ("[]".to_owned(), "found []; expected an object of JSON"),
        ("{\"NOTE\":[}".to_owned(), "expected an object of JSON"),
        (row("C", &format!("\"ACCOUNT\":[{}],", plain("A").replace('2', "22"))), "row 2: field ACCOUNT.NUM"),
    ] {
        let (status, _, words) = back(&text);
        assert!(status == 1 && words.contains(expected), "{text}: {words}");
    }
    // The place of an error is that of its record.
    let text = row("C", &format!("\"ACCOUNT\":[{}],", plain("A").replace('2', "22")));
    let place = text.find("{\"K\":\"A\"").unwrap();
    assert!(back(&text).2.contains(&format!("line 1, column {} (byte {place}): ", place + 1)), "{}", back(&text).2);
}
