//! Compares the charsets of the feature `legacy` with the installed glibc, ICU and JDK: every code that our states
//! allow, and every character of the Basic Multilingual Plane and of the page, in both directions.
//! `spec/legacy-differences.tsv` has the number of differences for each page and peer, with examples;
//! `CHARPIPE_WRITE_DIFFERENCES=1` with `CHARPIPE_FULL=1` writes it anew. With other versions of the peers, differences
//! are only warnings.
//!
//! The charsets that switch between sets have no table: whatever one side writes, the other reads.

use super::tables::{GLIBC, ICU, JDK, Named, Peer, filter, java_results};
use crate::common::process::piped_through;
use crate::common::sample;
use crate::common::vectors::{code_points, hex, rows};
use charpipe::codec::table::{Cell, TableShape};
use charpipe::codec::{Codec, decode_strictly};
use charpipe::{OnMalformed, Registry, Transcode};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What a converter reads and writes.
#[derive(Default)]
struct Answers {
    read: BTreeMap<Vec<u8>, String>,
    written: BTreeMap<String, Vec<u8>>,
}

/// What follows each code. A line end is never the second byte of a pair, so half a pair before it is left out alone.
const MARKER: &str = "\n<=>";

/// Returns the codes of a page's states, without those that a marker after them could continue.
fn codes(shape: &TableShape) -> Vec<Vec<u8>> {
    let states = shape.states();
    let (mut found, mut open) = (Vec::new(), vec![(Vec::new(), 0)]);
    while let Some((begin, state)) = open.pop() {
        for (byte, cell) in (0..=255).zip(&states[usize::from(state)]) {
            let code = [&begin[..], &[byte]].concat();
            match cell {
                Cell::Next(next) => open.push((code, *next)),
                Cell::Illegal => {}
                _ => found.push(code),
            }
        }
    }
    found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    found
}

fn encoded(codec: &dyn Codec, text: &str) -> Vec<u8> {
    crate::common::encode(codec, text)
}

fn ours(codec: &dyn Codec, codes: &[Vec<u8>], texts: &[String]) -> Answers {
    let read = codes.iter().filter_map(|code| Some((code.clone(), decode_strictly(codec, code)?))).collect();
    let written = texts.iter().map(|text| (text.clone(), encoded(codec, text))).filter(|(_, code)| !code.is_empty());
    Answers { read, written: written.collect() }
}

/// Asks iconv or uconv. Returns `None` if it lacks the page.
fn theirs(peer: &Peer, label: &str, marker: &[u8], codes: &[Vec<u8>], texts: &[String]) -> Option<Answers> {
    let (from, to) = match peer.name {
        "glibc" => (vec!["iconv", "-c", "-f", label, "-t", "UTF-8"], vec!["iconv", "-c", "-f", "UTF-8", "-t", label]),
        _ => (
            vec!["uconv", "-f", label, "-t", "UTF-8", "--from-callback", "escape"],
            vec!["uconv", "-f", "UTF-8", "-t", label, "--to-callback", "skip", "--no-fallback"],
        ),
    };
    let read = filter(&from, codes.iter().map(Vec::as_slice), marker, MARKER.as_bytes())?;
    let written = filter(&to, texts.iter().map(String::as_bytes), MARKER.as_bytes(), marker)?;
    let is_text = |text: &Vec<u8>| !text.is_empty() && (peer.name == "glibc" || !text.starts_with(b"%X"));
    let read = codes.iter().cloned().zip(read).filter(|(_, text)| is_text(text));
    let written = texts.iter().cloned().zip(written).filter(|(_, code)| !code.is_empty());
    let read = read.map(|(code, text)| (code, String::from_utf8_lossy(&text).into_owned())).collect();
    Some(Answers { read, written: written.collect() })
}

/// Counts the differences: what only the peer has, what only we have, and what is another text or code; with examples.
fn summary<'a, K: Ord + 'a, V: PartialEq + 'a>(
    keys: impl Iterator<Item = &'a K>,
    theirs: &BTreeMap<K, V>,
    ours: &BTreeMap<K, V>,
    show: impl Fn(&K, Option<&V>, Option<&V>) -> String,
) -> Option<String> {
    let (mut counts, mut examples) = ([0; 3], Vec::new());
    for key in keys {
        let (a, b) = (theirs.get(key), ours.get(key));
        if a == b {
            continue;
        }
        counts[if b.is_none() {
            0
        } else if a.is_none() {
            1
        } else {
            2
        }] += 1;
        if examples.len() < 4 {
            examples.push(show(key, a, b));
        }
    }
    let [theirs, ours, other] = counts;
    (theirs + ours + other > 0).then(|| format!("{theirs}\t{ours}\t{other}\t{}", examples.join(" ")))
}

/// Returns the rows of a page: the peer, the page, the peer's name for it, the way, and the summary.
fn compare(peer: &Peer, codec: &dyn Codec, label: &str, given: Option<Answers>) -> Vec<String> {
    let table = codec.info().table().unwrap().into_owned();
    let mut codes = codes(&table.shape);
    if peer.name == "jdk" && table.shape != TableShape::Single {
        codes.retain(|code| code.len() == 2);
    }
    let plane = (0x20..0x1_0000).filter_map(char::from_u32).map(String::from);
    let more: BTreeSet<String> =
        table.mappings.iter().filter(|mapping| mapping.ch > '\u{FFFF}').map(|mapping| mapping.ch.to_string()).collect();
    let texts: Vec<String> = plane.chain(more).collect();
    let ours = ours(codec, &codes, &texts);
    let marker = encoded(codec, MARKER);
    let Some(mut theirs) = given.or_else(|| theirs(peer, label, &marker, &codes, &texts)) else { return Vec::new() };
    // A converter that leaves out an unassigned pair may continue with its second byte.
    theirs.read.retain(|code, text| {
        let rest = decode_strictly(codec, &code[1..]);
        code.len() == 1 || ours.read.contains_key(code) || rest.is_none_or(|rest| rest != *text)
    });
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let read = summary(codes.iter(), &theirs.read, &ours.read, |code, a, b| {
        let text = |text: Option<&String>| or_none(text.map(|text| code_points(text)));
        format!("{}={}/{}", hex(code), text(a), text(b))
    });
    let written = summary(texts.iter(), &theirs.written, &ours.written, |ch, a, b| {
        let code = |code: Option<&Vec<u8>>| or_none(code.map(|code| hex(code)));
        format!("{}={}/{}", code_points(ch), code(a), code(b))
    });
    let row =
        |way: &str, found: Option<String>| Some(format!("{}\t{}\t{label}\t{way}\t{}", peer.name, codec.name(), found?));
    [row("read", read), row("write", written)].into_iter().flatten().collect()
}

/// The charsets without tables: each side reads what the other writes, one character to a line.
fn compare_stateful(peer: &Peer, codec: &dyn Codec, label: &str) -> Vec<String> {
    let can = |ch: &char| {
        let text = ch.to_string();
        decode_strictly(codec, &encoded(codec, &text)).is_some_and(|read| read == text)
    };
    let all: Vec<char> = ('!'..'\u{30000}').filter(|ch| !('\u{7F}'..'\u{A0}').contains(ch)).collect();
    let ours: Vec<char> = all.iter().copied().filter(can).collect();
    let lines = |chars: &[char]| chars.iter().map(|ch| format!("{ch}\n")).collect::<String>();
    let program = if peer.name == "glibc" { "iconv" } else { "uconv" };
    let skip: &[&str] = if peer.name == "glibc" { &["-c"] } else { &["--to-callback", "skip", "--no-fallback"] };
    let run = |from: &str, to: &str, more: &[&str], input: &[u8]| {
        let mut command = Command::new(program);
        let output = piped_through(command.args(["-f", from, "-t", to]).args(more), input);
        Some(output.stdout).filter(|output| !output.is_empty())
    };
    let count = |input: &[char], output: &str| {
        let output: Vec<&str> = output.split('\n').collect();
        let pairs = input.iter().zip(output.iter().chain(std::iter::repeat(&"")));
        let (mut missing, mut other, mut examples) = (0, 0, Vec::new());
        for (ch, line) in pairs {
            let ch = ch.to_string();
            if *line != ch {
                *(if line.is_empty() { &mut missing } else { &mut other }) += 1;
                if examples.len() < 4 {
                    examples.push(format!("{}={}", code_points(&ch), code_points(line)));
                }
            }
        }
        (missing, other, examples.join(" "))
    };
    let job = |from: &str, to: &str| {
        let job = Transcode::new().source_encoding(from).unwrap().target_encoding(to).unwrap();
        job.on_malformed(OnMalformed::Replace)
    };
    let mut bytes = Vec::new();
    job("UTF-8", codec.name()).run(lines(&ours).as_bytes(), &mut bytes).unwrap();
    let Some(read) =
        run(label, "UTF-8", if program == "iconv" { &["-c"] } else { &["--from-callback", "skip"] }, &bytes)
    else {
        return Vec::new();
    };
    let (missing, other, examples) = count(&ours, &String::from_utf8_lossy(&read));
    let mut rows = Vec::new();
    let mut row = |way: &str, theirs: usize, ours: usize, other: usize, examples: String| {
        if theirs + ours + other > 0 {
            rows.push(format!(
                "{}\t{}\t{label}\t{way}\t{theirs}\t{ours}\t{other}\t{examples}",
                peer.name,
                codec.name()
            ));
        }
    };
    row("read", 0, missing, other, examples);
    let written = run("UTF-8", label, skip, lines(&all).as_bytes()).unwrap_or_default();
    let mut text = Vec::new();
    job(codec.name(), "UTF-8").run(&written[..], &mut text).unwrap();
    let (_, other, examples) = count(&all, &String::from_utf8_lossy(&text));
    row("write", 0, 0, other, examples);
    rows
}

/// Returns our codecs and the peer's name for each, if it has one.
fn named(peer: &Peer) -> Vec<Named> {
    let registry = Registry::builtin();
    let labels = rows("peer-labels.tsv");
    let is_legacy = |name: &str| {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("codecs/legacy").join(format!("{name}.txt"));
        page.exists()
            || ["UTF-7", "HZ-"].iter().any(|begin| name.starts_with(begin))
            || name.starts_with("ISO-2022-") && name != "ISO-2022-JP"
    };
    let mut found = Vec::new();
    for codec in registry.codecs().filter(|codec| is_legacy(codec.name())) {
        let theirs = labels.iter().filter(|row| &row["codec"] == codec.name());
        let mut theirs: Vec<&str> = theirs
            .filter(|row| row["peers"].split(',').any(|user| user == peer.name))
            .map(|row| &row["label"])
            .collect();
        let source = codec.info().source.trim_end_matches(".ucm").to_owned();
        theirs.sort_by_key(|label| {
            (!label.eq_ignore_ascii_case(&source), !label.eq_ignore_ascii_case(codec.name()), label.len())
        });
        let name: &'static str = codec.name().to_owned().leak();
        found.extend(theirs.first().map(|label| (name, (*label).to_owned())));
    }
    found
}

#[test]
fn the_legacy_charsets_are_those_of_the_peers_but_for_what_is_listed() {
    let registry = Registry::builtin();
    let (mut text, mut compared) = (String::new(), BTreeSet::new());
    let mut is_known = true;
    for peer in [GLIBC, ICU, JDK] {
        let Some(version) = (peer.version)() else {
            crate::common::skipped(format_args!("{} is not installed", peer.name));
            is_known = false;
            continue;
        };
        is_known &= version.starts_with(peer.known.0);
        let all: Vec<Named> = sample::one_in(16, peer.name, named(&peer)).collect();
        let with_table = |named: &&Named| registry.codec(named.0).unwrap().info().table.is_some();
        let pages: Vec<Named> = all.iter().filter(with_table).cloned().collect();
        let mut given = if peer.name == "jdk" { java_results(&pages) } else { Default::default() };
        for (name, label) in &all {
            let codec = registry.codec(name).unwrap();
            let has_table = codec.info().table.is_some();
            let answers = given.remove(*name).map(|(read, written)| Answers {
                read: read.into_iter().collect(),
                written: written.into_iter().collect(),
            });
            // Without these characters the answers of a filter could not be told apart.
            let has_marker = peer.name == "jdk" || encoded(&*codec, MARKER).len() >= MARKER.len();
            if has_table && !has_marker || peer.name == "jdk" && (!has_table || answers.is_none()) {
                continue;
            }
            let rows = match has_table {
                true => compare(&peer, &*codec, label, answers),
                false => compare_stateful(&peer, &*codec, label),
            };
            compared.insert(format!("{}\t{name}", peer.name));
            rows.iter().for_each(|row| _ = writeln!(text, "{row}"));
        }
    }
    let head = "peer\tpage\tlabel\tway\ttheirs_only\tours_only\tother\texamples";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec/legacy-differences.tsv");
    if std::env::var_os("CHARPIPE_WRITE_DIFFERENCES").is_some() && sample::is_full() {
        fs::write(&path, format!("# Written by tests/it/peers/legacy.rs.\n{head}\n{text}")).unwrap();
    }
    let listed = fs::read_to_string(&path).unwrap();
    let is_compared = |line: &&str| {
        let mut cells = line.split('\t');
        matches!((cells.next(), cells.next()), (Some(peer), Some(page)) if compared.contains(&format!("{peer}\t{page}")))
    };
    let expected: Vec<&str> = listed.lines().filter(is_compared).collect();
    let found: Vec<&str> = text.lines().collect();
    if is_known {
        assert!(found == expected, "found\n{}\nlisted\n{}", found.join("\n"), expected.join("\n"));
    }
}
