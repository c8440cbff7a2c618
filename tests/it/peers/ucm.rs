//! Compares random tables in ICU's format with ICU: `makeconv` compiles the file, and `uconv` converts with it. The
//! tables have sequences of up to four bytes, mappings of several characters and several codes, every flag, and both
//! substitutes; the input is damaged. The test needs both programs.

use crate::common::whole;
use charpipe::{OnMalformed, OnUnmappable, Registry, Relabel, Transcode};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The class of a table, the lengths of its codes, its substitute, its states, and codes that they allow.
type Shape = (&'static str, [u8; 2], &'static [u8], &'static [&'static str], &'static [&'static [u8]]);

const SHAPES: &[Shape] = &[
    ("SBCS", [1, 1], b"\x1A", &[], &[b"A", b"B", b"\x00", b"\x80", b"\xFF", b"\n"]),
    ("DBCS", [2, 2], b"\xFE\xFE", &[], &[b"\x40\x40", b"\x41\x41", b"\x41\xFE", b"\xFE\x41", b"\x80\x81"]),
    ("EBCDIC_STATEFUL", [1, 2], b"\x6F", &[], &[b"\xC1", b"\xC2", b"\x25", b"\x42\xC1", b"\x40\x40", b"\x41\xFE"]),
    ("EBCDIC_STATEFUL", [1, 2], b"\xFE\xFE", &[], &[b"\xC1", b"\x25", b"\x42\xC1", b"\x42\xC2", b"\x40\x40"]),
    (
        "MBCS",
        [1, 2],
        b"\x81\x40",
        &["0-7f, 80.u, 81-9f:1, a0-df", "40-7e, 80-bf.u, c0-fc"],
        &[b"A", b"B", b"\xA0", b"\x81\x40", b"\x81\x41", b"\x82\xC0", b"\x9F\xFC"],
    ),
    (
        "MBCS",
        [1, 4],
        b"?",
        &["0-7f, 81-84:1, 90:4", "30-39:2, 40-7e, 80-fe", "81-fe:3", "30-39", "30-39:5", "81-83:6", "30-39.p"],
        &[b"A", b"0", b"\x81\x40", b"\x81\x30\x81\x30", b"\x81\x30\x81\x31", b"\x82\x39\xFE\x39", b"\x90\x30\x81\x30"],
    ),
    (
        "MBCS",
        [1, 4],
        b"\xA1\xA1",
        &["0-8d, 8e:2, 8f.i, 90-9f, a1-a8:1", "a1-fe", "a1-b0:3", "a1-a8:4", "a1-fe"],
        &[b"A", b"\n", b"\xA1\xA1", b"\xA8\xFE", b"\x8E\xA1\xA1\xA1", b"\x8E\xB0\xA8\xFE", b"\x90"],
    ),
];

/// Private-use characters are among them. Characters beyond the Basic Multilingual Plane are not, because ICU does not
/// support them with every set of states.
const CHARS: &[char] =
    &['A', 'B', ' ', '\n', 'é', 'ÿ', 'Ā', 'α', '\u{300}', '\u{309A}', 'か', '一', '\u{E000}', '\u{F8FF}'];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.roll(of.len())]
    }
}

/// Returns a random table, bytes to decode, and text to encode. The bytes and the text use the table's mappings.
fn random_table(dice: &mut Dice, name: &str) -> (String, Vec<u8>, String) {
    let (class, [min, max], substitute, states, codes) = SHAPES[dice.roll(SHAPES.len())];
    let is_shifted = class == "EBCDIC_STATEFUL";
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect::<String>();
    let mut table = format!("<code_set_name> \"{name}\"\n<uconv_class> \"{class}\"\n<mb_cur_min> {min}\n");
    _ = writeln!(table, "<mb_cur_max> {max}\n<subchar> {}", hex(substitute));
    let has_substitute1 = max > 1 && min == 1 && dice.roll(2) == 0;
    if has_substitute1 {
        table += "<subchar1> \\x3F\n";
    }
    states.iter().for_each(|row| _ = writeln!(table, "<icu:state> {row}"));
    table += "CHARMAP\n";
    let (mut read, mut written) = (HashSet::new(), HashSet::new());
    let (mut bytes_of, mut texts): (Vec<Vec<u8>>, Vec<String>) = (Vec::new(), Vec::new());
    let is_plain = dice.roll(3) == 0;
    for _ in 0..1 + dice.roll(30) {
        let count = if is_plain { [1, 1] } else { [1 + dice.roll(3), 1 + dice.roll(2)] };
        let text: String = (0..count[0]).map(|_| CHARS[dice.roll(CHARS.len())]).collect();
        // ICU does not accept mappings to several pairs in a mixed page.
        let parts = if is_shifted { 1 } else { count[1] };
        let mut bytes: Vec<u8> = (0..parts).flat_map(|_| dice.one(codes).to_vec()).collect();
        let flag = [0, 0, 0, 1, 2, 3, 4][dice.roll(7)];
        if flag == 2 {
            bytes = if min == 2 { substitute.to_vec() } else { vec![0x3F] };
        }
        let (reads, writes) = (matches!(flag, 0 | 3), flag != 3);
        let fits = (!reads || !read.contains(&bytes)) && (!writes || !written.contains(&text));
        if !fits || flag == 2 && count[0] > 1 {
            continue;
        }
        if reads {
            read.insert(bytes.clone());
        }
        if writes {
            written.insert(text.clone());
        }
        let points: String = text.chars().map(|ch| format!("<U{:04X}>", ch as u32)).collect();
        _ = writeln!(table, "{points} {} |{flag}", hex(&bytes));
        bytes_of.push(bytes);
        texts.push(text);
    }
    table += "END CHARMAP\n";
    let (mut input, mut text) = (Vec::new(), String::new());
    for _ in 0..80 {
        let code = if dice.roll(2) == 0 { bytes_of.get(dice.roll(bytes_of.len().max(1))) } else { None };
        let code = code.map_or(dice.one(codes), |code| &code[..]);
        if is_shifted && dice.roll(20) > 0 {
            input.push(if code.len() > 1 { 0x0E } else { 0x0F });
        }
        // Sometimes the first byte is missing.
        input.extend_from_slice(&code[usize::from(dice.roll(15) == 0)..]);
        match texts.get(dice.roll(2 * texts.len().max(1))) {
            Some(known) => text += known,
            None => text.push(CHARS[dice.roll(CHARS.len())]),
        }
    }
    (table, input, text)
}

/// Returns the output of a program; `None` if it is not installed or fails.
fn output_of(command: &mut Command, input: &[u8]) -> Option<Vec<u8>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(input).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// Returns the name of the folder below ICU_DATA in which uconv looks for tables, such as `icudt72l`.
fn data_folder() -> Option<String> {
    let version = String::from_utf8(output_of(Command::new("uconv").arg("--version"), b"")?).ok()?;
    let major = version.split("ICU ").nth(1)?.split('.').next()?.to_owned();
    Some(format!("icudt{major}l"))
}

#[test]
fn random_tables_convert_as_in_icu() {
    let Some(folder) = data_folder().filter(|_| output_of(Command::new("makeconv").arg("--version"), b"").is_some())
    else {
        crate::common::skipped("there is no uconv, or no makeconv");
        return;
    };
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ucm-peers");
    let data = root.join(folder);
    fs::create_dir_all(&data).unwrap();
    let mut compared = 0;
    for seed in 0..60 {
        let name = format!("x-made-up-{seed}");
        let (table, input, text) = random_table(&mut Dice(seed), &name);
        let path = root.join(format!("{name}.ucm"));
        fs::write(&path, &table).unwrap();
        let mut registry = Registry::builtin();
        let loaded = registry.load(&path);
        if output_of(Command::new("makeconv").arg("-d").arg(&data).arg(&path), b"").is_none() {
            continue;
        }
        if let Err(error) = loaded {
            assert!(error.to_string().contains("a mapping"), "ICU reads this: {error}\n{table}");
            continue;
        }
        let uconv = |from: &str, to: &str, callback: &str, input: &[u8]| {
            let mut command = Command::new("uconv");
            command.env("ICU_DATA", &root).args(["--no-fallback", "--callback", callback, "-f", from, "-t", to]);
            output_of(&mut command, input)
        };
        let job = Transcode::new().registry(registry).relabel(Relabel::Never);
        let decode = job.clone().source_encoding(&name).unwrap().on_malformed(OnMalformed::Escape);
        let encode =
            job.source_encoding("UTF-8").unwrap().target_encoding(&name).unwrap().on_unmappable(OnUnmappable::Replace);
        if let Some(theirs) = uconv(&name, "UTF-8", "escape-icu", &input) {
            let theirs = String::from_utf8(theirs).unwrap().replace("%X", "\\x");
            assert_eq!(whole(&decode, &input).text(), theirs, "{input:02X?}\n{table}");
            compared += 1;
        }
        if let Some(theirs) = uconv("UTF-8", &name, "substitute", text.as_bytes()) {
            assert_eq!(whole(&encode, text.as_bytes()).output, theirs, "{text:?}\n{table}");
            compared += 1;
        }
    }
    assert!(compared > 60, "only {compared} comparisons");
}
