//! Tests the options of a rows job with the command: added columns, dates, names, and fields that cannot be read.

use crate::common::shapes::encode;
use crate::rows::rows;
use serde_json::{Value, json};
use std::fs;

/// Runs on a layout, with `@` for the folder of `list`, which has it. Returns the status, the output and the messages.
fn run(list: &str, line: &str, input: &[u8]) -> (i32, Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), list).unwrap();
    let path = folder.path().display().to_string();
    let output = rows(&format!("-q --layout @/list {line}").replace('@', &path), input);
    let words = String::from_utf8(output.stderr).unwrap().replace(&path, "@");
    (output.status.code().unwrap(), output.stdout, words)
}

#[track_caller]
fn passes(list: &str, line: &str, input: &[u8]) -> String {
    let (status, shown, words) = run(list, line, input);
    assert_eq!((status, &*words), (0, ""), "{line}");
    String::from_utf8(shown).unwrap()
}

#[track_caller]
fn is_wrong_usage(line: &str, expected: &str) {
    let (status, shown, words) = run(SALE, line, b"");
    assert!(status == 2 && shown.is_empty() && words.contains(expected), "{line}: {words}");
}

const SALE: &str = "ID 1 2 zoned,unsigned\nPAID-ON 3 8 zoned,unsigned\n";

/// Two records; the date of the second one is invalid.
const RECORDS: &[u8] = b"\xF0\xF1\xF2\xF0\xF2\xF4\xF0\xF2\xF2\xF9\xF0\xF2\xF2\xF0\xF2\xF3\xF0\xF2\xF2\xF9";

#[test]
fn columns_that_are_not_fields() {
    let line = "--records fb:10 --add-columns errors,record,offset,number,file";
    assert_eq!(
        passes(SALE, line, RECORDS),
        "_file,_number,_offset,ID,PAID-ON,_record,_errors\n\
         <stdin>,1,0,1,20240229,F0F1F2F0F2F4F0F2F2F9,\n<stdin>,2,10,2,20230229,F0F2F2F0F2F3F0F2F2F9,\n"
    );
    let shown = passes(SALE, &format!("{line} --format jsonl"), &RECORDS[..10]);
    assert_eq!(
        shown,
        "{\"_file\":\"<stdin>\",\"_number\":1,\"_offset\":0,\"ID\":1,\"PAID-ON\":20240229,\
         \"_record\":\"F0F1F2F0F2F4F0F2F2F9\",\"_errors\":null}\n"
    );
    // They are ignored on the way back.
    assert_eq!(run(SALE, "--from-rows jsonl", shown.as_bytes()).1, &RECORDS[..10]);
    let csv = passes(SALE, line, &RECORDS[..10]);
    assert_eq!(run(SALE, "--from-rows csv", csv.as_bytes()).1, &RECORDS[..10]);
    // An offset counts headers.
    let framed = [&b"\0\x0E\0\0"[..], &RECORDS[..10], b"\0\x0E\0\0", &RECORDS[10..]].concat();
    let shown = passes(SALE, "--records rdw --add-columns offset --select ID", &framed);
    assert_eq!(shown, "_offset,ID\n0,1\n14,2\n");
}

/// Customers, their accounts and notes, and the transactions of accounts.
const BANK: &str = "K 1 1 text\nwhen K=C: CUSTOMER\nNAME 2 1 text\nwhen K=A: ACCOUNT\nNUM 2 1 zoned,unsigned\n\
                    when K=T: TRANSACTION\nSUM 2 1 zoned,unsigned\nwhen K=N: NOTE\nTEXT 2 1 text\n";
const PARENTS: &str = "--parent ACCOUNT<CUSTOMER --parent TRANSACTION<ACCOUNT,NOTE<CUSTOMER";

/// Returns records of two bytes: a letter for the type, and a digit.
fn bank(kinds: &str) -> Vec<u8> {
    encode("IBM037", &kinds.chars().flat_map(|kind| [kind, '1']).collect::<String>())
}

#[test]
fn parents_in_one_output_and_in_tables() {
    let input = bank("CATNTACNA");
    let shown = passes(BANK, &format!("{PARENTS} --select K"), &input);
    let parents: Vec<_> = shown.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
    assert_eq!(parents, ["", "1", "2", "1", "2", "1", "", "7", "7"], "{shown}");
    assert!(shown.starts_with("_number,_type,_parent,K\n"), "{shown}");
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables");
    passes(BANK, &format!("{PARENTS} --output-dir {}", tables.display()), &input);
    let table = |name: &str| fs::read_to_string(tables.join(name)).unwrap();
    assert_eq!(table("CUSTOMER.csv"), "_number,K,CUSTOMER.NAME\n1,C,1\n7,C,1\n");
    assert_eq!(table("TRANSACTION.csv"), "_number,_parent,K,TRANSACTION.SUM\n3,2,T,1\n5,2,T,1\n");
    let sql = passes(BANK, &format!("{PARENTS} --output-dir {} --schema sqlite", tables.display()), b"");
    let tables: Vec<_> = sql.split("CREATE TABLE").skip(1).map(|table| table.contains("\"_parent\" INTEGER")).collect();
    assert_eq!(tables, [false, true, true, true]);
}

#[test]
fn parents_that_are_missing() {
    let input = bank("CACTAT");
    let (status, shown, words) = run(BANK, &format!("{PARENTS} --select K"), &input);
    assert_eq!(
        (status, shown),
        (1, b"_number,_type,_parent,K\n1,CUSTOMER,,C\n2,ACCOUNT,1,A\n3,CUSTOMER,,C\n".to_vec())
    );
    let expected = "byte 6: record 4: there is no ACCOUNT before it that this TRANSACTION belongs to (";
    assert!(words.contains(expected), "{words}");
    let line = format!("{PARENTS} --on-bad null --add-columns errors --format jsonl --select K");
    let shown = passes(BANK, &line, &input);
    let rows: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[3]["_parent"], &rows[3]["_errors"][0]["code"]), (&Value::Null, &json!("no-parent")));
    assert_eq!(rows[5]["_parent"], 5);
    // A record that cannot be read is a parent.
    let mut input = bank("CAT");
    input[3] = 0x5C;
    let folder = tempfile::tempdir().unwrap();
    let rejects = folder.path().join("rejects");
    let shown = passes(BANK, &format!("{PARENTS} --select NUM,SUM --rejects {}", rejects.display()), &input);
    assert_eq!(shown.lines().last(), Some("3,TRANSACTION,2,,1"));
}

/// Parents can be in other parts of the input than their children.
#[test]
fn parents_with_several_threads() {
    let input = bank(&("C".to_owned() + &"ATTN".repeat(60_000) + "CNATA"));
    const KEYED: &str = "--parent ACCOUNT<CUSTOMER:NAME,TRANSACTION<ACCOUNT:NUM,NOTE<CUSTOMER:NAME";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), input).unwrap();
    let line = format!("{PARENTS} {}", folder.path().join("in").display());
    let alone = passes(BANK, &line, b"");
    assert!(alone.contains("\n240001,NOTE,1,") && alone.contains("\n240003,NOTE,240002,"));
    assert!(passes(BANK, &format!("--jobs 2 {line}"), b"") == alone);
    let line = format!("{KEYED} {}", folder.path().join("in").display());
    let alone = passes(BANK, &line, b"");
    assert!(alone.contains("\n240001,NOTE,1,1,,") && alone.contains("\n240005,TRANSACTION,240004,,1,"));
    assert!(passes(BANK, &format!("--jobs 2 {line}"), b"") == alone);
}

/// `--parent 'CHILD < PARENT: KEY'` adds fields of the parent to the rows of its children.
#[test]
fn keys_of_parents() {
    const KEYS: &str = "--parent ACCOUNT<CUSTOMER:NAME,TRANSACTION<ACCOUNT:NUM --parent NOTE<CUSTOMER:K,NAME";
    let input = encode("IBM037", "C1A2T3N4C5A6");
    let shown = passes(BANK, &format!("{KEYS} --select K"), &input);
    let expected = "_number,_type,_parent,_parent.NAME,_parent.NUM,_parent.K,K\n1,CUSTOMER,,,,,C\n2,ACCOUNT,1,1,,,A\n\
                    3,TRANSACTION,2,,2,,T\n4,NOTE,1,1,,C,N\n5,CUSTOMER,,,,,C\n6,ACCOUNT,5,5,,,A\n";
    assert_eq!(shown, expected);
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables").display().to_string();
    passes(BANK, &format!("{KEYS} --output-dir {tables}"), &input);
    let table = |name: &str| fs::read_to_string(format!("{tables}/{name}.csv")).unwrap();
    assert_eq!(table("CUSTOMER"), "_number,K,CUSTOMER.NAME\n1,C,1\n5,C,5\n");
    assert_eq!(table("ACCOUNT"), "_number,_parent,_parent.NAME,K,ACCOUNT.NUM\n2,1,1,A,2\n6,5,5,A,6\n");
    assert_eq!(table("NOTE"), "_number,_parent,_parent.K,_parent.NAME,K,NOTE.TEXT\n4,1,C,1,N,4\n");
    let sql = passes(BANK, &format!("{KEYS} --output-dir {tables} --schema duckdb"), b"");
    assert_eq!(
        (sql.matches("\"_parent.NAME\" VARCHAR").count(), sql.matches("\"_parent.NUM\" DECIMAL(1,0)").count()),
        (2, 1)
    );
    // Back, the columns are left out.
    let files = ["CUSTOMER", "ACCOUNT", "TRANSACTION", "NOTE"].map(|name| format!("{tables}/{name}.csv"));
    for line in [format!("--from-rows csv --merge {}", files.join(" ")), "--from-rows csv -".to_owned()] {
        let (status, records, words) = run(BANK, &line, shown.replace(",K\n", ",CUSTOMER.K\n").as_bytes());
        assert_eq!((status, words.contains("CUSTOMER.K")), if line.contains("merge") { (0, false) } else { (1, true) });
        assert!(status == 1 || records == input);
    }
    let json = passes(BANK, &format!("{KEYS} --format jsonl"), &input);
    assert_eq!(run(BANK, "--from-rows jsonl", json.as_bytes()).1, input);
}

/// What a parent has in the keys is null where it cannot be read, and where there is no parent.
#[test]
fn keys_that_are_null() {
    const KEYS: &str = "--parent ACCOUNT<CUSTOMER --parent TRANSACTION<ACCOUNT:NUM --select K --format jsonl";
    let mut input = bank("CATATCT");
    input[3] = 0x5C;
    let keys = |options: &str| -> Vec<Value> {
        let shown = passes(BANK, &format!("{KEYS} {options}"), &input);
        shown.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["_parent.NUM"].clone()).collect()
    };
    assert_eq!(
        keys("--on-bad null"),
        [json!(null), json!(null), json!(null), json!(null), json!(1), json!(null), json!(null)]
    );
    let folder = tempfile::tempdir().unwrap();
    let rejects = folder.path().join("rejects").display().to_string();
    assert_eq!(
        keys(&format!("--rejects {rejects}")),
        [json!(null), json!(null), json!(null), json!(null), json!(1), json!(null)]
    );
}

/// Keys are values as the options make them.
#[test]
fn keys_by_the_rules_of_the_job() {
    const LAYOUT: &str = "K 1 1 text\nwhen K=C: CUSTOMER\nBORN 2 8 zoned,unsigned\nIS-X 10 1 text\nTEXT 11 2 text\n\
                          when K=A: ACCOUNT\nNUM 2 1 text\n";
    let input =
        [encode("IBM037", "C20240229?ab"), encode("IBM037", "A1          "), encode("IBM037", "C00000000 a\u{1}")]
            .concat();
    let input = [input, encode("IBM037", "A2          ")].concat();
    let line = "--parent ACCOUNT<CUSTOMER:BORN,IS-X,TEXT --dates BORN=YYYYMMDD --underscores --controls space \
                --null-indicator TEXT=IS-X --records fb:12 --select NUM";
    let shown = passes(LAYOUT, line, &input);
    let expected = "_number,_type,_parent,_parent.BORN,_parent.IS_X,_parent.TEXT,ACCOUNT.NUM\n1,CUSTOMER,,,,,\n\
                    2,ACCOUNT,1,2024-02-29,?,,1\n3,CUSTOMER,,,,,\n4,ACCOUNT,3,,,a ,2\n";
    assert_eq!(shown, expected);
}

#[test]
fn parents_that_cannot_be() {
    is_wrong_usage("--parent A<B", "--parent: the layout has no record types");
    is_wrong_usage("--parent ID", "\"ID\" is not CHILD < PARENT");
    is_wrong_usage("--parent ID<PAID-ON --from-rows csv", "cannot be used with");
    is_wrong_usage("--add-columns parent", "the column parent needs the option parent");
}

#[test]
fn errors_of_fields_and_of_records() {
    let bad = [&RECORDS[..10], b"\xF0\x40", &RECORDS[2..10], &RECORDS[..4]].concat();
    let framed: Vec<u8> =
        bad.chunks(10).flat_map(|data| [&[0, data.len() as u8 + 4, 0, 0][..], data].concat()).collect();
    let line = "--records rdw --on-bad null --add-columns number,errors";
    let shown = passes(SALE, &format!("{line} --format jsonl"), &framed);
    let values: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(values[0]["_errors"], Value::Null);
    assert_eq!((&values[1]["ID"], &values[1]["PAID-ON"]), (&Value::Null, &20_240_229.into()));
    let error = &values[1]["_errors"][0];
    assert_eq!(
        (&error["field"], &error["code"], &error["bytes"]),
        (&json!("ID"), &json!("bad-number"), &json!("F040"))
    );
    assert!(error["message"].as_str().unwrap().starts_with("F0 40 is not a number; expected"), "{error}");
    assert_eq!(values[2]["_errors"][0]["code"], "record-too-short");
    // CSV has the same array.
    let csv = passes(SALE, line, &framed);
    for (row, value) in csv.lines().skip(1).zip(&values) {
        let array = match row.split_once(",\"[") {
            Some((_, rest)) => {
                let array = rest.strip_suffix('"').unwrap().replace("\"\"", "\"");
                serde_json::from_str(&format!("[{array}")).unwrap()
            }
            None => Value::Null,
        };
        assert_eq!(array, value["_errors"]);
    }
}

#[test]
fn records_that_cannot_be_read_at_all() {
    let list = "K 1 1 text\nwhen K=A: ONE\nX 2 1 text\nwhen K=B: TWO\nY 2 2 text\nend\n";
    let input = b"\xC1\xC1\xC3\xC3\xC1\xC2";
    let line = "--records fb:2 --on-bad null --add-columns number,errors";
    let shown = passes(list, &format!("{line} --format jsonl"), input);
    let values: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((values.len(), &values[2]["_type"], &values[2]["ONE"]["X"]), (3, &json!("ONE"), &json!("B")));
    let keys: Vec<&String> = values[1].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["_errors", "_number", "_type"]);
    assert_eq!((&values[1]["_type"], &values[1]["_errors"][0]["code"]), (&Value::Null, &json!("unknown-type")));
    assert_eq!(values[1]["_errors"][0]["field"], "ONE");
    let csv = passes(list, line, input);
    assert!(csv.lines().nth(2).unwrap().starts_with("2,,,,,\"[{\"\"field\"\":\"\"ONE\"\""), "{csv}");
    // It is set aside if there is a place for it, and an error if its type has no file.
    let shown = passes(list, &format!("{line} --rejects @/bad"), input);
    assert_eq!(shown, "_number,_type,K,ONE.X,TWO.Y,_errors\n1,ONE,A,A,,\n3,ONE,A,B,,\n");
    let (status, _, words) = run(list, &format!("{line} --output-dir @/out"), input);
    assert!(status == 1 && words.contains("no record type matches"), "{words}");
    // The report counts its row.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report");
    passes(list, &format!("{line} --report {}", path.display()), input);
    let report: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&report["records"], &report["rows"], &report["error"]), (&3.into(), &3.into(), &Value::Null));
    assert_eq!(report["types"], json!([{"type": "ONE", "rows": 2}, {"type": "TWO", "rows": 0}]));
}

#[test]
fn dates_in_both_directions() {
    let line = "--records fb:10 --dates PAID-ON=YYYYMMDD";
    assert_eq!(passes(SALE, line, &RECORDS[..10]), "ID,PAID-ON\n1,2024-02-29\n");
    assert_eq!(
        passes(SALE, &format!("{line} --format jsonl"), &RECORDS[..10]),
        "{\"ID\":1,\"PAID-ON\":\"2024-02-29\"}\n"
    );
    let (status, _, words) = run(SALE, line, RECORDS);
    assert_eq!(status, 1);
    assert_eq!(
        words,
        "charpipe: <stdin>: byte 12: record 2, field PAID-ON, columns 3-10: F2 F0 F2 F3 F0 F2 F2 F9: \"20230229\" is not a \
         date like YYYYMMDD (is the pattern of --dates right? use --on-bad null or --rejects PATH to continue)\n"
    );
    assert_eq!(passes(SALE, &format!("{line} --on-bad null"), &RECORDS[10..]), "ID,PAID-ON\n2,\n");

    let back = "--from-rows csv --dates PAID-ON=YYYYMMDD";
    assert_eq!(run(SALE, back, b"ID,PAID-ON\n1,2024-02-29\n"), (0, RECORDS[..10].to_vec(), String::new()));
    let (status, _, words) = run(SALE, back, b"ID,PAID-ON\n1,2024-02-30\n");
    assert_eq!(
        (status, &*words),
        (
            1,
            "charpipe: <stdin>: line 2, column 1 (byte 11): row 1: field PAID-ON: \"2024-02-30\" is not a date like YYYY-MM-DD\n"
        )
    );
    // Text, in JSON; a space date is none.
    let text = "A 1 8 text\nB 9 6 text\n";
    let line = "--dates A=DD.MM.YY --dates B=YYMMDD";
    let records = b"\xF2\xF9\x4B\xF0\xF2\x4B\xF2\xF4\x40\x40\x40\x40\x40\x40";
    let shown = passes(text, &format!("{line} --format jsonl"), records);
    assert_eq!(shown, "{\"A\":\"2024-02-29\",\"B\":null}\n");
    assert_eq!(run(text, &format!("{line} --from-rows jsonl"), shown.as_bytes()).1, records);
    let (status, _, words) = run(text, &format!("{line} --from-rows csv"), b"A,B\n1949-12-31,\n");
    assert!(status == 1 && words.ends_with("field A: the year of 1949-12-31 does not fit into DD.MM.YY\n"), "{words}");
    is_wrong_usage("--dates PAID-ON=YYYYMM", "\"YYYYMM\" is not a pattern of a date");
    is_wrong_usage("--dates PAID=YYYYMMDD", "--dates: there is no PAID");
}

#[test]
fn underscores_in_both_directions() {
    let line = "--records fb:10 --underscores";
    let shown = passes(SALE, line, &RECORDS[..10]);
    assert_eq!(shown, "ID,PAID_ON\n1,20240229\n");
    assert_eq!(run(SALE, "--from-rows csv --underscores", shown.as_bytes()).1, &RECORDS[..10]);
    let shown = passes(SALE, &format!("{line} --format jsonl"), &RECORDS[..10]);
    assert_eq!(shown, "{\"ID\":1,\"PAID_ON\":20240229}\n");
    assert_eq!(run(SALE, "--from-rows jsonl --underscores", shown.as_bytes()).1, &RECORDS[..10]);
    let clash = "A-B 1 1 text\nA_B 2 1 text\n";
    for line in ["--underscores", "--underscores --from-rows csv"] {
        let (status, _, words) = run(clash, line, b"");
        assert_eq!((status, &*words), (2, "charpipe: --underscores: two columns would have the name A_B\n"));
    }
}

#[test]
fn what_is_not_there() {
    let short = [&b"\0\x06\0\0"[..], &RECORDS[..2]].concat();
    assert_eq!(passes(SALE, "--records rdw --short-records null", &short), "ID,PAID-ON\n1,\n");
    assert_eq!(run(SALE, "--records rdw --short-records error", &short).0, 1);
    // Spaces and low-values are null only if that is asked for.
    let empty = [&RECORDS[..2], &[0x40; 8]].concat();
    assert_eq!(passes(SALE, "--empty-is-null", &empty), "ID,PAID-ON\n1,\n");
    assert_eq!(run(SALE, "", &empty).0, 1);
    let text = "A 1 2 text\nB 3 2 text\n";
    assert_eq!(passes(text, "--on-bad null", b"\xC1\0\0\0"), "A,B\nA\0,\0\0\n");
    assert_eq!(passes(text, "--empty-is-null", b"\xC1\0\0\0"), "A,B\nA\0,\n");
    // The end of text.
    let ends = b"\xC1\0\xC2\x40";
    for (trim, shown) in [("none", "A\0,B "), ("blanks", "A\0,B"), ("nuls", "A,B "), ("blanks,nuls", "A,B")] {
        assert_eq!(passes(text, &format!("--trim {trim}"), ends), format!("A,B\n{shown}\n"));
    }
}

/// Text that a spreadsheet would run gets an apostrophe, and numbers do not.
#[test]
fn formulas() {
    let list = "A 1 4 text\nN 5 3 zoned\n";
    let input: Vec<u8> = ["=1+1", "+a,b", "-x\"y", "@sum", "ok=1", "\tx  "]
        .iter()
        .flat_map(|text| charpipe::Transcode::new().target_encoding("IBM037").unwrap().encode_to_vec(text).unwrap())
        .collect::<Vec<u8>>()
        .chunks(4)
        .flat_map(|text| [text, b"\xF0\xF1\xD2"].concat())
        .collect();
    assert_eq!(
        passes(list, "--formulas quote", &input),
        "A,N\n'=1+1,-12\n\"'+a,b\",-12\n\"'-x\"\"y\",-12\n'@sum,-12\nok=1,-12\n'\tx,-12\n"
    );
    let kept = passes(list, "--formulas keep", &input);
    assert_eq!((&kept, kept.contains('\'')), (&passes(list, "", &input), false));
    is_wrong_usage("--formulas quote --format jsonl", "--formulas quote: no program runs the text of JSON");
    is_wrong_usage("--formulas quote --from-rows csv", "cannot be used with");
}

/// With an option, text that is empty differs from a value that is missing, even if a row has only one of them.
#[test]
fn empty_text_and_missing_values() {
    let list = "A 1 2 text\nN 3 1 zoned\nB 4 2 text\n";
    let input = b"\x40\x40\xF1\xC1\xC2\0\0\x40\x40\x40\xC1\xC2\xF3\0\0";
    let line = "--on-bad null --empty-is-null";
    assert_eq!(passes(list, line, input), "A,N,B\n,1,AB\n,,\nAB,3,\n");
    assert_eq!(passes(list, &format!("{line} --quote-empty"), input), "A,N,B\n\"\",1,AB\n,,\"\"\nAB,3,\n");
    let one = passes(list, &format!("{line} --quote-empty --select A"), input);
    assert_eq!(one, "A\n\"\"\n\nAB\n");
    assert_eq!(run("A 1 2 text\n", "--from-rows csv", one.as_bytes()).1, b"\x40\x40\x40\x40\xC1\xC2");
    is_wrong_usage("--quote-empty --format jsonl", "--quote-empty: JSON has null for a missing value");
    is_wrong_usage("--quote-empty --from-rows csv", "cannot be used with");
}

#[test]
fn records_have_no_format_of_rows() {
    for format in ["csv", "jsonl", "arrow"] {
        is_wrong_usage(&format!("--format {format} --from-rows csv"), "cannot be used with");
    }
}

/// A line of only these two characters ends the rows for PostgreSQL, which loses those after it.
#[test]
fn a_row_that_looks_like_the_end_of_rows() {
    let list = "A 1 3 text\nB 4 1 text\n";
    let input = b"\xE0\x4B\x40\x40\xE0\x4B\x4B\x40";
    assert_eq!(passes(list, "--select A", input), "A\n\"\\.\"\n\\..\n");
    assert_eq!(passes(list, "", input), "A,B\n\\.,\n\\..,\n");
}

/// Binary fields take what their bytes hold, or what their picture says.
#[test]
fn the_range_of_binary_numbers() {
    let layout = "01 R.\n 05 N PIC S9(4) COMP.\n";
    for (row, is_written, is_in_picture) in
        [("9999", true, true), ("10000", true, false), ("-32768", true, false), ("32768", false, false)]
    {
        let csv = format!("N\n{row}\n");
        for (range, is_good) in
            [("", is_written), ("--binary-range full", is_written), ("--binary-range picture", is_in_picture)]
        {
            let (status, records, words) = run(layout, &format!("--from-rows csv {range}"), csv.as_bytes());
            assert_eq!(status == 0, is_good, "{row} {range}: {words}");
            if is_good {
                assert_eq!(passes(layout, "", &records), csv);
            }
        }
    }
    is_wrong_usage("--binary-range full", "--from-rows");
}

/// A field whose indicator says that it is null needs no value, and can have none.
#[test]
fn groups_as_text_in_both_directions() {
    let layout =
        "01 R. 05 DUE. 10 YEAR PIC 9(2). 10 MONTH PIC 9(2). 05 N PIC 9. 05 T. 10 X PIC X OCCURS 0 TO 2 DEPENDING ON N.";
    let record = b"\xF2\xF4\xF0\xF2\xF1\xC1";
    let options = "--groups text --records layout";
    let rows = passes(layout, &format!("{options} --exact"), record);
    // The length of the other group varies.
    assert_eq!(rows, "DUE._text,DUE.YEAR,DUE.MONTH,N,T.X[1],T.X[2]\n2402,24,2,1,A,\n");
    let back = "--groups text --to-records layout --from-rows csv";
    assert_eq!(run(layout, back, rows.as_bytes()).1, record);
    // Either of the two is enough, but they have to agree.
    for row in ["2402,,,1,A,", ",24,2,1,A,"] {
        assert_eq!(run(layout, back, rows.replace("2402,24,2,1,A,", row).as_bytes()).1, record, "{row}");
    }
    let (status, _, words) = run(layout, back, rows.replace("2402", "2403").as_bytes());
    assert!(status == 1 && words.contains("field DUE.MONTH: the value contradicts F0 F3"), "{words}");
    let (status, _, words) = run(layout, "--to-records layout --from-rows csv", rows.as_bytes());
    assert!(status == 1 && words.contains("there is no field \"DUE._text\""), "{words}");
}

#[test]
fn null_indicators_in_both_directions() {
    let list = "A 1 2 packed\nA-N 3 2 binary\nX 5 2 text\n";
    let line = "--from-rows csv --null-indicator A=A-N,X=A-N";
    for (row, expected) in [
        ("7,0,ab", Ok(&b"\x00\x7C\x00\x00\x81\x82"[..])),
        (",-1,", Ok(b"\x00\x0C\xFF\xFF\x40\x40")),
        (",0,ab", Err("line 2, column 1 (byte 8): row 1: field A: there is no value")),
        ("7,-1,", Err("line 2, column 1 (byte 8): row 1: field A: has the value \"7\", but A-N says that it is null")),
        (
            ",-1,ab",
            Err("line 2, column 1 (byte 8): row 1: field X: has the value \"ab\", but A-N says that it is null"),
        ),
    ] {
        let (status, records, words) = run(list, line, format!("A,A-N,X\n{row}\n").as_bytes());
        match expected {
            Ok(bytes) => {
                assert_eq!((status, &*records, &*words), (0, bytes, ""), "{row}");
                let back = passes(list, "--exact --null-indicator A=A-N,X=A-N", bytes);
                assert_eq!(back, format!("A,A-N,X\n{row}\n"));
            }
            Err(expected) => assert!(status == 1 && words.contains(expected), "{row}: {words}"),
        }
    }
}

/// In a table, the indicator is that of the element, before or after the field.
#[test]
fn null_indicators_in_a_table() {
    let book = "       01 R.\n 05 C PIC 9.\n 05 T OCCURS 0 TO 2 DEPENDING ON C.\n 10 A PIC 9 COMP-3.\n 10 A-N PIC S9(4) COMP.\n";
    let line = "--from-rows csv --to-records layout --null-indicator A=A-N";
    for (row, expected) in [
        ("2,7,0,,-1", Ok(&b"\xF2\x7F\x00\x00\x0F\xFF\xFF"[..])),
        ("1,,-1,,", Ok(b"\xF1\x0F\xFF\xFF")),
        ("2,7,0,7,-1", Err("field T[2].A: has the value \"7\", but T.A-N says that it is null")),
        ("2,7,0,,0", Err("field T[2].A: there is no value")),
        ("2,7,0,,", Err("field T[2].A: there is no value")),
    ] {
        let rows = format!("C,T[1].A,T[1].A-N,T[2].A,T[2].A-N\n{row}\n");
        let (status, records, words) = run(book, line, rows.as_bytes());
        match expected {
            Ok(bytes) => {
                assert_eq!((status, &*records, &*words), (0, bytes, ""), "{row}");
                assert_eq!(passes(book, "--exact --records layout --null-indicator A=A-N", bytes), rows);
            }
            Err(expected) => assert!(status == 1 && words.contains(expected), "{row}: {words}"),
        }
    }
}

/// The number of numbers with spaces after their digits is printed.
#[test]
fn loose_numbers_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), "N 1 3 zoned,unsigned\n").unwrap();
    let line =
        "-f IBM037 --records fb:3 --loose-numbers --layout @/list".replace('@', &folder.path().display().to_string());
    let output = rows(&line, b"\xF1\x40\x40\xF1\xF2\x40");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "N\n1\n12\n");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("2 numbers read although spaces follow the digits"), "{words}");
}

/// Malformed bytes in text become what is asked for, in every cut of the input and by every thread, and are counted.
#[test]
fn malformed_text() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), "N 1 4 text\n").unwrap();
    let list = format!("--layout {}/list", folder.path().display());
    let records = b"a\xE9b a\xC3\xA9 \xE2\x82  ".repeat(30_000);
    fs::write(folder.path().join("in"), &records).unwrap();
    for (policy, became, texts) in [
        ("replace", "replaced", "a\u{FFFD}b\na\u{E9}\n\u{FFFD}\n"),
        ("drop", "dropped", "ab\na\u{E9}\n\"\"\n"),
        ("escape", "escaped", "a\\xE9b\na\u{E9}\n\\xE2\\x82\n"),
        ("ISO-8859-1", "read as ISO-8859-1", "a\u{E9}b\na\u{E9}\n\u{E2}\u{82}\n"),
    ] {
        let line = format!("-f UTF-8 --malformed {policy} {list}");
        let expected = format!("N\n{}", texts.repeat(30_000));
        let output = rows(&line, &records);
        assert!(String::from_utf8_lossy(&output.stdout) == expected, "{policy}");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.contains(&format!("60000 malformed sequences {became}")), "{words}");
        for jobs in 1..=2 {
            let output = rows(&format!("{line} --jobs {jobs} {}/in", folder.path().display()), b"");
            assert!(String::from_utf8_lossy(&output.stdout) == expected, "{policy}, {jobs} jobs");
        }
    }
    let output = rows(&format!("-f UTF-8 {list}"), &records);
    assert!(String::from_utf8_lossy(&output.stderr).contains("use --malformed replace, --on-bad null"));
    for refused in
        ["--malformed nonsense", "--malformed UTF-16", "--malformed drop --exact", "--malformed drop --from-rows csv"]
    {
        assert_eq!(rows(&format!("-f UTF-8 {refused} {list}"), b"").status.code(), Some(2), "{refused}");
    }
}

/// A condition does not depend on what happens to malformed bytes.
#[test]
fn malformed_text_in_a_condition() {
    let book = "01 R.\n 05 K PIC X.\n 05 A.\n 10 B PIC X.\n 05 C REDEFINES A PIC X.\n";
    let line = "-f UTF-8 --malformed replace --when K=\u{FFFD}:A --when otherwise:C --format jsonl";
    assert_eq!(passes(book, line, b"\xFFx"), "{\"_type\":\"C\",\"K\":\"\u{FFFD}\",\"C\":\"x\"}\n");
}

#[test]
fn copybooks() {
    let fixed = "000100 01  A.\n000200     05  N  PIC 9(4) COMP-5.\n";
    for (order, shown) in [("big", 258), ("little", 513)] {
        let line = format!("--layout-format copybook-fixed --byte-order {order}");
        assert_eq!(passes(fixed, &line, b"\x01\x02"), format!("N\n{shown}\n"));
    }
    assert_eq!(passes("01 A. 05 N PIC X.\n", "--layout-format copybook-free", b"\xC1"), "N\nA\n");
    assert_eq!(run(fixed, "--layout-format copybook-free", b"").0, 2);
}

#[test]
fn copybooks_that_copy() {
    let folder = tempfile::tempdir().unwrap();
    let members = folder.path().join("members");
    fs::create_dir(&members).unwrap();
    fs::write(members.join("Part.CPY"), "ALTF       05 :T:-NAME PIC X(3).\n           COPY INNER.\n").unwrap();
    fs::write(members.join("inner.cob"), "           05 :T:-DUE PIC Z9,9.\n").unwrap();
    fs::write(members.join("bad.cpy"), "\n           05 A PIK X.\n").unwrap();
    let path = members.display().to_string();
    let options = format!(
        "--copy-path {} --copy-path {path} --replacing ==:T:==BY==C== --decimal-comma",
        folder.path().display()
    );
    let text = "       LINKAGE SECTION.\n       01 OTHER PIC X.\n       01 R.\n           COPY PART.\n";
    let record = b"\xC1\xC2\xC3\x40\xF7\x6B\xF5";
    let rows = passes(text, &format!("{options} --record-name R"), record);
    assert_eq!(rows, "C-NAME,C-DUE\nABC,7.5\n");
    assert_eq!(run(text, &format!("{options} --record-name R --from-rows csv"), rows.as_bytes()).1, record);
    let (status, _, words) = run("       01 R.\n           COPY BAD.\n", &options, b"");
    // A file system without case, such as that of Windows, has the file by the name that COPY gives it too.
    let name = if members.join("BAD.cpy").exists() { "BAD.cpy" } else { "bad.cpy" };
    let place = members.join(name).display().to_string();
    let expected = format!("charpipe: @/list: {place}, line 2, column 17: found PIK, expected a clause");
    assert!(status == 2 && words.starts_with(&expected), "{words}");
    let (status, _, words) = run(text, "--record-name R", b"");
    assert!(status == 2 && words.contains("line 4, column 12: there is no file for COPY PART"), "{words}");
    let (status, _, words) = run(text, &options, b"");
    assert!(status == 2 && words.contains("choose one of them by its name (record-name): OTHER, R"), "{words}");
    for option in [
        "--copy-path .",
        "--replacing ==A==BY==B==",
        "--decimal-comma",
        "--record-name R",
        "--count-map A:B=1",
        "--zoned-signs ascii-p",
    ] {
        is_wrong_usage(option, ": only a copybook can have it, and the layout is none");
    }
    is_wrong_usage("--copy-path no-such", "\"no-such\" is not a directory");
    is_wrong_usage("--replacing A", "expected BY");
}

#[test]
fn old_names_and_wrong_usage() {
    for (old, new) in [
        ("--null-on-bad", "--on-bad null"),
        ("--number", "--add-columns number"),
        ("--keep-blanks", "--trim none"),
        ("--trim-nuls", "--trim blanks,nuls"),
        ("--file 2", "--tape-file"),
        ("--file=2", "--tape-file"),
    ] {
        is_wrong_usage(old, &format!(" is now {new}\n"));
    }
    is_wrong_usage("--integers", "--integers: numbers of CSV and JSON have no types");
    is_wrong_usage(
        "--add-columns size",
        "--add-columns: \"size\" is not one of file, number, offset, type, parent, record, errors",
    );
    for option in [
        "--on-bad null",
        "--empty-is-null",
        "--short-records null",
        "--add-columns number",
        "--select ID",
        "--records fb:10",
        "--trim none",
        "--overlong cut",
        "--controls space",
        "--record-newlines space",
    ] {
        is_wrong_usage(&format!("--from-rows csv {option}"), "cannot be used with");
    }
    is_wrong_usage("--exact --dates ID=YYMMDD", "--exact: cannot be used with dates");
}

/// Zeros and spaces are not dates, and are what a row without a date becomes.
#[test]
fn rows_without_dates() {
    let list = "D 1 8 zoned,unsigned\nP 9 5 packed\nT 14 8 text\nB 22 4 binary\nN 26 1 zoned,unsigned\n";
    let dates = "--dates D=YYYYMMDD,P=YYYYMMDD,T=YYYYMMDD,B=YYYYMMDD";
    let record = b"\xF0\xF0\xF0\xF0\xF0\xF0\xF0\xF0\0\0\0\0\x0C\x40\x40\x40\x40\x40\x40\x40\x40\0\0\0\0\xF7";
    for format in ["csv", "jsonl"] {
        let rows = passes(list, &format!("{dates} --format {format}"), record);
        let expected = if format == "csv" { "D,P,T,B,N\n,,,,7\n" } else { "{\"N\":7}\n" };
        assert_eq!(rows.replace("\"D\":null,\"P\":null,\"T\":null,\"B\":null,", ""), expected);
        let (status, back, words) = run(list, &format!("{dates} --from-rows {format}"), rows.as_bytes());
        assert_eq!((status, &*words, &*back), (0, "", &record[..]));
    }
    // Any other number is needed.
    let (status, back, words) = run(list, &format!("{dates} --from-rows csv"), b"D,P,T,B,N\n,,,,\n");
    assert!(status == 1 && back.is_empty() && words.contains("field N: there is no value"), "{words}");
}

/// The end of a stream of Arrow.
const ARROW_END: &[u8] = b"\xFF\xFF\xFF\xFF\0\0\0\0";

/// Each schema has the columns that the rows have, with the other options.
#[test]
fn schemas() {
    let list = "ID 1 2 zoned,unsigned\nPAID-ON 3 8 zoned,unsigned\nX 11 2 raw\nF 13 4 float,ieee\nD 17 3 packed.2\n";
    let line = "--dates PAID-ON=YYYYMMDD --underscores --add-columns number";
    let columns = |types: [&str; 6]| {
        let names = ["_number", "ID", "PAID_ON", "X", "F", "D"];
        let lines: Vec<_> = names.iter().zip(types).map(|(name, kind)| format!("  \"{name}\" {kind}")).collect();
        format!("CREATE TABLE \"rows\" (\n{}\n);\n", lines.join(",\n"))
    };
    for (format, types) in [
        ("duckdb", ["BIGINT", "DECIMAL(2,0)", "DATE", "VARCHAR", "FLOAT", "DECIMAL(5,2)"]),
        ("postgresql", ["bigint", "numeric(2,0)", "date", "text", "real", "numeric(5,2)"]),
        ("db2", ["BIGINT", "DECIMAL(2,0)", "DATE", "VARCHAR(4 CODEUNITS32)", "REAL", "DECIMAL(5,2)"]),
        ("sqlite", ["INTEGER", "INTEGER", "TEXT", "TEXT", "REAL", "TEXT"]),
    ] {
        assert_eq!(passes(list, &format!("{line} --schema {format}"), b""), columns(types));
    }
    for format in ["json-schema", "avro", "spark"] {
        let text = passes(list, &format!("{line} --schema {format}"), b"");
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(text.contains("PAID_ON") && found.is_object(), "{text}");
    }
    let two = "K 1 1 text\nwhen K=A: ONE\nX 2 1 text\nwhen K=B: TWO\nY 2 1 text\n";
    let together = "CREATE TABLE \"rows\" (\n  \"_type\" VARCHAR,\n  \"K\" VARCHAR,\n  \"ONE.X\" VARCHAR,\n  \"TWO.Y\" VARCHAR\n);\n";
    assert_eq!(passes(two, "--schema duckdb", b""), together);
    let of_db2 = passes(two, "--schema db2 --select K --add-columns file", b"");
    let columns = "\"_file\" CLOB,\n  \"_type\" VARCHAR(3 CODEUNITS32),\n  \"K\" VARCHAR(1 CODEUNITS32)\n";
    assert_eq!(of_db2, format!("CREATE TABLE \"rows\" (\n  {columns});\n"));
    let apart = "CREATE TABLE \"ONE\" (\n  \"K\" VARCHAR,\n  \"ONE.X\" VARCHAR\n);\nCREATE TABLE \"TWO\" (\n  \"K\" VARCHAR,\n  \"TWO.Y\" VARCHAR\n);\n";
    assert_eq!(passes(two, "--schema duckdb --output-dir @/tables", b""), apart);
    assert_eq!(
        passes(list, "--schema duckdb --integers --select ID", b""),
        "CREATE TABLE \"rows\" (\n  \"ID\" INTEGER\n);\n"
    );
    let (status, arrow, words) = run(list, "--schema arrow --underscores --integers --select PAID-ON,F -o @/out", b"");
    assert_eq!((status, &*arrow, &*words), (0, &b""[..], ""));
    let (status, arrow, words) = run(list, "--schema arrow --underscores --integers --select PAID-ON,F", b"");
    assert_eq!((status, &*words, &arrow[..4], &arrow[arrow.len() - 8..]), (0, "", &[0xFF; 4][..], ARROW_END));
    assert!(arrow.windows(8).any(|bytes| bytes == b"PAID_ON\0"));
    is_wrong_usage("--schema oracle", "--schema: \"oracle\" is not one of duckdb, postgresql, db2");
    is_wrong_usage("--schema duckdb --from-rows csv", "cannot be used with");
    let (status, _, words) = run("A-B 1 1 text\nA_B 2 1 text\n", "--schema avro", b"");
    assert!(status == 2 && words.contains("two fields would have the name A_B"), "{words}");
}

/// Records without headers, with lengths from a field, from a map and from the layout, and back.
#[test]
fn lengths_of_records_that_nothing_frames() {
    let list = "LEN 1 1 binary\nKIND 2 1 text\nX 3 2 text\n";
    let input = b"\x04\xC1\xC2\xC3\x03\xC2\xC4\x02\xC2";
    for line in ["--length-field LEN", "--length-field LEN+0", "--length-map LEN:4=4,3=3,2=2"] {
        let found = passes(list, &format!("{line} --records layout --short-records null --add-columns offset"), input);
        assert_eq!(found, "_offset,LEN,KIND,X\n0,4,A,BC\n4,3,B,D\n7,2,B,\n", "{line}");
        assert_eq!(run(list, &format!("{line} --from-rows csv"), b"LEN,KIND,X\n4,A,BC\n").1, b"\x04\xC1\xC2\xC3");
        let (status, _, words) = run(list, &format!("{line} --from-rows csv"), b"LEN,KIND,X\n4,A,BC\n3,B,D\n");
        assert_eq!(status, 1, "{line}");
        assert!(
            words.starts_with(
                "charpipe: <stdin>: line 3, column 1 (byte 18): row 2: record 2 has no valid length: field LEN: "
            ),
            "{words}"
        );
    }
    // Many records, with several threads; the last one is cut.
    let many = [&input.repeat(50_000)[..], b"\x04\xC1"].concat();
    let line = "--length-field LEN --short-records null --format jsonl --add-columns number,offset";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), list).unwrap();
    fs::write(folder.path().join("many"), &many).unwrap();
    let run = |jobs| {
        rows(
            &format!("-q --layout @/list {line} --jobs {jobs} @/many")
                .replace('@', &folder.path().display().to_string()),
            b"",
        )
    };
    let (alone, threads) = (run(1), run(2));
    assert_eq!((alone.status.code(), &alone.stderr), (threads.status.code(), &threads.stderr));
    assert!(alone.stdout == threads.stdout);
    let words = String::from_utf8(alone.stderr).unwrap();
    assert!(words.contains("byte 450002: record 150001, which begins at byte 450000, is incomplete"), "{words}");
    // Options that contradict each other.
    is_wrong_usage("--length-field ID --records fb:10", "--length-field: cannot be used with records fb:10");
    is_wrong_usage("--length-map ID:1=10 --records rdw", "--length-map: cannot be used with records rdw");
    is_wrong_usage(
        "--length-field ID --from-rows csv --to-records rdw",
        "--length-field: cannot be used with to-records rdw",
    );
    is_wrong_usage("--length-field ID --length-map ID:1=10", "--length-field cannot be used with --length-map");
    is_wrong_usage("--length-field NONE", "--length-field: there is no NONE");
    is_wrong_usage("--length-map ID:A=10", "--length-map: \"A\" is not a value of ID");
    is_wrong_usage("--length-map ID=10", "\"ID=10\" is not FIELD:VALUE=LENGTH,..., such as TYPE:A=120,B=300");
    is_wrong_usage("--length-map ID:1=10,1=11", "the value \"1\" has two lengths");
    is_wrong_usage("--length-map ID:1=1", "--length-map: 1=1: expected a length from 2, where ID ends, to 1048576");
}

/// Headers and trailers of files, of one and of several, with one thread and with several.
#[test]
fn headers_and_trailers() {
    let record = b"\xC1\xC2\xF1";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), "A 1 2 text\nN 3 1 zoned,unsigned\n").unwrap();
    let input = [&b"\xC8"[..], &record.repeat(100_000), b"\xE3\xE3\xE3\xE3"].concat();
    fs::write(folder.path().join("one"), &input).unwrap();
    fs::write(folder.path().join("two"), b"\xC8\xC1\xC2\xF2\xE3\xE3\xE3\xE3").unwrap();
    let run = |line: &str| {
        let line = format!("-q --layout @/list --report - --add-columns number,offset {line}");
        rows(&line.replace('@', &folder.path().display().to_string()), b"")
    };
    let (alone, threads) = (
        run("--skip-head 1 --skip-tail 4 --jobs 1 @/one @/two"),
        run("--skip-head 1 --skip-tail 4 --jobs 2 @/one @/two"),
    );
    assert_eq!((alone.status.code(), &alone.stderr), (Some(0), &threads.stderr));
    assert!(alone.stdout == threads.stdout);
    let lines = String::from_utf8(alone.stdout).unwrap();
    assert_eq!(lines.lines().nth(1), Some("1,1,AB,1"));
    assert!(lines.ends_with("\n100000,299998,AB,1\n1,1,AB,2\n"), "{}", &lines[lines.len() - 80..]);
    // The report counts what was read.
    let report: Value = serde_json::from_slice(alone.stderr.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!((&report["bytes_in"], &report["records"]), (&json!(input.len()), &json!(100_000)));
    let (bytes, records) = (run("--skip-head 1 --skip-tail 4 @/one"), run("--skip-head 1 --skip-tail 2 @/one"));
    assert_eq!((bytes.status.code(), records.status.code()), (Some(0), Some(1)));
    is_wrong_usage("--skip-head 1k", "\"1k\" is neither a number of bytes, such as 80");
    is_wrong_usage("--skip-tail 1001r", "at most 1048576, or of records, at most 1000, such as 1r");
    is_wrong_usage("--skip-tail 1r --from-rows csv", "cannot be used with");
}

/// Bytes before and after the data of each record.
#[test]
fn bytes_around_records() {
    let list = "LEN 1 1 binary\nX 2 2 text\n";
    let input = b"\xFF\x03\xC1\xC2\0\xFF\x03\xC3\xC4\0";
    let line = "--record-prefix 1 --record-suffix 1 --add-columns offset";
    for more in ["", "--records fb:5", "--records layout", "--length-field LEN", "--length-map LEN:3=3"] {
        assert_eq!(passes(list, &format!("{line} {more}"), input), "_offset,LEN,X\n0,3,AB\n5,3,CD\n", "{more}");
    }
    let (status, shown, words) = run(list, "--record-prefix 4 --record-suffix 2 --records fb:5", input);
    assert_eq!((status, &*String::from_utf8(shown).unwrap()), (1, "LEN,X\n"));
    assert!(
        words.contains("record 1 has no valid length") && words.contains("(are the lengths in --record-prefix"),
        "{words}"
    );
    is_wrong_usage("--record-prefix 65536", "\"65536\" is not a number of bytes from 0 to 65535");
    is_wrong_usage("--record-suffix 1 --from-rows csv", "cannot be used with");
}
