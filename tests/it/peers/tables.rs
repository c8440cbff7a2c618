//! Compares every code page with the installed ICU, glibc and JDK: every byte, every pair, and every character of the
//! Basic Multilingual Plane, in both directions. `spec/table-differences.tsv` lists the tables that differ, and why.
//! The test fails for any other difference, and for a listed one that no longer occurs.
//!
//! A peer that is not installed is skipped, with a message on standard error. A peer of another version than the list
//! was made with is compared too, but differences are only warnings.
//!
//! Each page is one run of the peer for each direction (the JDK gets all pages in one run). All codes are in one file,
//! with a marker after each, so that the result for a code precedes a marker, whatever the peer does with the
//! others.

use crate::common::sample;
use crate::common::vectors::{self, Row, rows, unhex};
use charpipe::Registry;
use charpipe::codec::table::TableShape;
use charpipe::codec::{ByteSink, Codec, Encoder, MIN_ROOM, Replacement, Stop, decode_strictly};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::io::{Seek, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

const SO: u8 = 0x0E;
const SI: u8 = 0x0F;

/// The results of a converter for a page. A missing entry is unassigned.
#[derive(Default)]
struct Results {
    read: HashMap<Vec<u8>, String>,
    written: HashMap<String, Vec<u8>>,
    /// What is written with best fit; empty if the peer does not offer the choice.
    best_fit: HashMap<String, Vec<u8>>,
    /// What is written for a character that the page lacks; empty if the peer cannot tell. Ours are computed on demand,
    /// because nearly every character has one.
    substitutes: HashMap<String, Vec<u8>>,
}

// --- Ours ----------------------------------------------------------------------------------------

/// The code pages of DOS: the name of the codec, and the number, which each peer prefixes in its own way. No peer has
/// the graphic characters of `cp437-wingdings`.
#[rustfmt::skip]
const DOS: &[(&str, u16)] = &[
    ("IBM437", 437), ("CP720", 720), ("CP737", 737), ("IBM775", 775), ("IBM850", 850), ("IBM852", 852), ("IBM855", 855),
    ("IBM857", 857), ("IBM00858", 858), ("IBM860", 860), ("IBM861", 861), ("IBM862", 862), ("IBM863", 863),
    ("IBM864", 864), ("IBM865", 865), ("IBM866", 866), ("IBM869", 869), ("CP874", 874),
];

/// A page: the codes and texts that the peers convert, and the codec's results.
struct Page {
    name: &'static str,
    shape: TableShape,
    /// The peer's name for the page.
    label: String,
    codes: Vec<Vec<u8>>,
    texts: Vec<String>,
    codec: Arc<dyn Codec>,
    ours: Results,
}

impl Page {
    fn new((name, label): Named) -> Self {
        let codec = Registry::builtin().codec(name).unwrap();
        let table = codec.info().table().unwrap().into_owned();
        let shape = table.shape;
        let singles = (0..=255).map(|byte| vec![byte]).filter(|_| shape != TableShape::Double);
        let pairs = (0..=0xFFFF_u16).map(|pair| pair.to_be_bytes().to_vec()).filter(|_| shape != TableShape::Single);
        let is_shift = |code: &Vec<u8>| shape == TableShape::Shifted && (code.contains(&SO) || code.contains(&SI));
        // Without shift codes a peer could not find the beginning of the next pair after an invalid one, so only valid
        // pairs are tried.
        let is_astray = |code: &Vec<u8>| {
            shape == TableShape::Double && code != b"\x40\x40" && !code.iter().all(|byte| (0x41..0xFF).contains(byte))
        };
        let codes = singles.chain(pairs).filter(|code| !is_shift(code) && !is_astray(code)).collect();
        // The Basic Multilingual Plane, and the characters and sequences of the page beyond it.
        let plane = (0..0x1_0000).filter_map(char::from_u32).map(String::from);
        let chars = table.mappings.iter().map(|mapping| mapping.ch.to_string());
        let sequences = table.sequences.into_iter().map(|sequence| sequence.text);
        let more: BTreeSet<String> = chars.chain(sequences).filter(|text| text.len() > 3).collect();
        let texts = plane.chain(more).collect();
        let mut page = Page { name, shape, label, codes, texts, codec, ours: Results::default() };
        page.ours = page.ask();
        page
    }

    fn ask(&self) -> Results {
        let mut ours = Results::default();
        for code in &self.codes {
            if let Some(text) = decode_strictly(&*self.codec, &self.shifted(code)) {
                ours.read.insert(code.clone(), text);
            }
        }
        let mut encoder = self.codec.encoder().unwrap();
        for text in &self.texts {
            let mut buffer = [0; 2 * MIN_ROOM];
            let mut sink = ByteSink::new(&mut buffer);
            encoder.reset();
            let stop = encoder.feed(text, &mut sink).stop;
            let fits = matches!(stop, Stop::Fault(fault) if encoder.encode_replacement(fault.ch, Replacement::BestFit, &mut sink));
            if stop == Stop::InputEmpty || fits {
                let _ = encoder.finish(&mut sink);
                ours.best_fit.insert(text.clone(), self.unshifted(sink.as_bytes()).to_vec());
            }
            if stop == Stop::InputEmpty {
                ours.written.insert(text.clone(), self.unshifted(sink.as_bytes()).to_vec());
            }
        }
        ours
    }

    /// Returns the bytes that are written for a character that the page lacks.
    fn substitute(&self, encoder: &mut dyn Encoder, text: &str) -> Option<Vec<u8>> {
        let mut buffer = [0; 2 * MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
        encoder.reset();
        let Stop::Fault(fault) = encoder.feed(text, &mut sink).stop else { return None };
        encoder.encode_replacement(fault.ch, Replacement::Substitute, &mut sink).then(|| {
            let _ = encoder.finish(&mut sink);
            self.unshifted(sink.as_bytes()).to_vec()
        })
    }

    /// Returns a code with the shift codes that it needs if it stands alone.
    fn shifted(&self, code: &[u8]) -> Vec<u8> {
        match (&self.shape, code) {
            (TableShape::Shifted, [first, second]) => vec![SO, *first, *second, SI],
            _ => code.to_vec(),
        }
    }

    fn unshifted<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        match (&self.shape, bytes) {
            (TableShape::Shifted, [SO, code @ .., SI]) => code,
            _ => bytes,
        }
    }

    /// Returns the marker after each code, as text and as bytes: three different characters, so that no code before it
    /// can form a marker with a part of it.
    fn marker(&self) -> (&'static str, Vec<u8>) {
        let text = if self.shape == TableShape::Double { "＜＝＞" } else { "<=>" };
        (text, text.chars().flat_map(|ch| self.ours.written[&ch.to_string()].clone()).collect())
    }
}

// --- Theirs --------------------------------------------------------------------------------------

pub(super) struct Peer {
    /// The name in the list, and in the column `users` of `spec/labels.tsv`.
    pub(super) name: &'static str,
    /// Returns its version, if it is installed.
    pub(super) version: fn() -> Option<String>,
    /// The version that the list was made with, or a prefix of it, and how many pages of `codecs/` and of DOS it has.
    pub(super) known: (&'static str, usize, usize),
    /// The prefix of the number of a DOS page.
    dos: &'static str,
    /// Takes all pages, and returns a function that is called with each.
    ask: fn(&[Named]) -> Box<Ask>,
}

/// The name of a codec, and the peer's name for that page.
pub(super) type Named = (&'static str, String);

/// Returns `None` if the peer lacks the page.
type Ask = dyn FnMut(&Page) -> Option<Results>;

/// Returns the first line that a command prints, if the command exists and succeeds.
fn first_line(command: &[&str]) -> Option<String> {
    let output = Command::new(command[0]).args(&command[1..]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().next().unwrap_or_default().to_owned())
}

pub(super) const GLIBC: Peer = Peer {
    name: "glibc",
    version: || {
        let line = first_line(&["iconv", "--version"])?;
        let is_glibc = line.contains("GLIBC") || line.contains("GNU libc");
        line.rsplit(' ').next().filter(|_| is_glibc).map(str::to_owned)
    },
    known: ("2.36", 92, 17),
    dos: "CP",
    ask: |_| Box::new(iconv),
};

pub(super) const ICU: Peer = Peer {
    name: "icu",
    version: || Some(first_line(&["uconv", "--version"])?.split_once("ICU ")?.1.to_owned()),
    known: ("72.", 72, 18),
    dos: "ibm-",
    ask: |_| Box::new(uconv),
};

pub(super) const JDK: Peer = Peer {
    name: "jdk",
    version: || {
        // Running a source file needs the compiler; 17 is the first version with HexFormat.
        first_line(&["java", "--add-modules", "jdk.compiler,jdk.charsets", "--source", "17", "--version"])
            .and_then(|line| line.split(' ').nth(1).map(str::to_owned))
    },
    known: ("17.", 49, 17),
    dos: "IBM",
    ask: java,
};

/// Runs a filter over `items`, each followed by `after`, and returns the output before each `marker`. Returns `None` if
/// there is no output at all, which means that the filter lacks the page.
pub(super) fn filter<'a>(
    command: &[&str],
    items: impl Iterator<Item = &'a [u8]>,
    after: &[u8],
    marker: &[u8],
) -> Option<Vec<Vec<u8>>> {
    let input: Vec<&[u8]> = items.flat_map(|item| [item, after]).collect();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&input.concat()).unwrap();
    file.rewind().unwrap();
    // A filter that leaves something out exits with an error, which is expected.
    let output = Command::new(command[0]).args(&command[1..]).stdin(file).stderr(Stdio::null()).output().unwrap();
    let mut rest = &output.stdout[..];
    let mut found = Vec::with_capacity(input.len() / 2);
    while let Some(at) = rest.windows(marker.len()).position(|window| window == marker) {
        found.push(rest[..at].to_vec());
        rest = &rest[at + marker.len()..];
    }
    if output.stdout.is_empty() {
        return None;
    }
    assert!(found.len() == input.len() / 2 && rest.is_empty(), "{command:?} fails after {} items", found.len());
    Some(found)
}

/// Decodes the page's codes with `command`. `is_text` distinguishes text from the command's sign for an unassigned
/// code.
fn read(page: &Page, command: &[&str], is_text: fn(&[u8]) -> bool) -> Option<HashMap<Vec<u8>, String>> {
    let (text, marker) = page.marker();
    let codes: Vec<Vec<u8>> = page.codes.iter().map(|code| page.shifted(code)).collect();
    let found = filter(command, codes.iter().map(Vec::as_slice), &marker, text.as_bytes())?;
    let pairs = page.codes.iter().cloned().zip(found).filter(|(_, text)| is_text(text));
    Some(pairs.map(|(code, text)| (code, String::from_utf8(text).unwrap())).collect())
}

/// Encodes the page's texts with `command`, which must leave out characters that it cannot encode.
fn write(page: &Page, command: &[&str]) -> Option<HashMap<String, Vec<u8>>> {
    let (text, marker) = page.marker();
    let found = filter(command, page.texts.iter().map(String::as_bytes), text.as_bytes(), &marker)?;
    let pairs = page.texts.iter().cloned().zip(found).filter(|(_, code)| !code.is_empty());
    Some(pairs.map(|(text, code)| (text, page.unshifted(&code).to_vec())).collect())
}

fn iconv(page: &Page) -> Option<Results> {
    let label = &*page.label;
    Some(Results {
        read: read(page, &["iconv", "-c", "-f", label, "-t", "UTF-8"], |text| !text.is_empty())?,
        written: write(page, &["iconv", "-c", "-f", "UTF-8", "-t", label])?,
        ..Results::default()
    })
}

fn uconv(page: &Page) -> Option<Results> {
    let label = &*page.label;
    let to =
        |callback, fallback| write(page, &["uconv", "-f", "UTF-8", "-t", label, "--to-callback", callback, fallback]);
    // Unassigned bytes are escaped, as `%XE1`.
    let from = ["uconv", "-f", label, "-t", "UTF-8", "--from-callback", "escape"];
    let written = to("skip", "--no-fallback")?;
    let mut substitutes = to("substitute", "--no-fallback")?;
    substitutes.retain(|text, _| !written.contains_key(text));
    Some(Results {
        read: read(page, &from, |text| !text.starts_with(b"%X"))?,
        best_fit: to("skip", "--fallback")?,
        written,
        substitutes,
    })
}

/// For each line of a file, `NAME LABEL SHAPE`: `NAME r CODE TEXT` and `NAME w TEXT CODE`, all in hexadecimal, text as
/// UTF-8. Unassigned codes are left out.
const JAVA: &str = r#"
import java.io.*;
import java.nio.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.util.HexFormat;

class Dump {
    static final HexFormat HEX = HexFormat.of().withUpperCase();

    public static void main(String[] args) throws Exception {
        try (var out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out, "UTF-8")))) {
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                String[] words = line.split(" ");
                if (Charset.isSupported(words[1])) {
                    dump(words[0], Charset.forName(words[1]), words[2], out);
                }
            }
        }
    }

    static void dump(String name, Charset charset, String shape, PrintWriter out) {
        var decoder = charset.newDecoder();
        var encoder = charset.newEncoder();
        var chars = CharBuffer.allocate(64);
        var bytes = ByteBuffer.allocate(64);
        int first = shape.equals("Double") ? 0x100 : 0, last = shape.equals("Single") ? 0xFF : 0x100FF;
        for (int code = first; code <= last; code++) {
            int pair = code - 0x100, high = pair >> 8, low = pair & 0xFF;
            byte[] input = code < 0x100 ? new byte[] {(byte) code}
                : shape.equals("Double") ? new byte[] {(byte) high, (byte) low}
                : new byte[] {0x0E, (byte) high, (byte) low, 0x0F};
            chars.clear();
            decoder.reset();
            boolean good = decoder.decode(ByteBuffer.wrap(input), chars, true).isUnderflow()
                && decoder.flush(chars).isUnderflow();
            String text = chars.flip().toString();
            if (good && !text.isEmpty() && !text.contains("\uFFFD")) {
                String digits = code < 0x100 ? HEX.toHexDigits((byte) code) : HEX.toHexDigits((short) pair);
                out.println(name + " r " + digits + " " + HEX.formatHex(text.getBytes(StandardCharsets.UTF_8)));
            }
        }
        for (int ch = 0; ch < 0x30000; ch++) {
            if (ch >= 0xD800 && ch < 0xE000) {
                continue;
            }
            String text = Character.toString(ch);
            bytes.clear();
            encoder.reset();
            boolean good = encoder.encode(CharBuffer.wrap(text), bytes, true).isUnderflow()
                && encoder.flush(bytes).isUnderflow();
            bytes.flip();
            if (good && bytes.hasRemaining()) {
                byte[] found = new byte[bytes.remaining()];
                bytes.get(found);
                String from = HEX.formatHex(text.getBytes(StandardCharsets.UTF_8));
                out.println(name + " w " + from + " " + HEX.formatHex(found));
            }
        }
    }
}
"#;

/// What the JDK reads and writes, by the name of the codec.
#[cfg(feature = "legacy")]
pub(super) type JavaResults = HashMap<String, (HashMap<Vec<u8>, String>, HashMap<String, Vec<u8>>)>;

/// Converts pages that are not shifted with the JDK.
#[cfg(feature = "legacy")]
pub(super) fn java_results(pages: &[Named]) -> JavaResults {
    all_java_results(pages).into_iter().map(|(name, results)| (name, (results.read, results.written))).collect()
}

/// Converts all pages in one run, because the JVM takes longer to start than to convert.
fn all_java_results(pages: &[Named]) -> HashMap<String, Results> {
    let folder = tempfile::tempdir().unwrap();
    let (program, list) = (folder.path().join("Dump.java"), folder.path().join("list"));
    let shape =
        |name: &str| match Registry::builtin().codec(name).unwrap().info().table().map(|table| table.shape.clone()) {
            // Both are read as pairs without shift codes.
            Some(TableShape::Multi(_)) | None => TableShape::Double,
            Some(shape) => shape,
        };
    let lines = pages.iter().map(|(name, label)| format!("{name} {label} {:?}\n", shape(name)));
    fs::write(&program, JAVA).unwrap();
    fs::write(&list, lines.collect::<String>()).unwrap();
    let output = Command::new("java").arg(program).arg(list).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut all: HashMap<String, Results> = HashMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (results, from, to) = (all.entry(words[0].to_owned()).or_default(), unhex(words[2]), unhex(words[3]));
        if words[1] == "r" {
            results.read.insert(from, String::from_utf8(to).unwrap());
        } else {
            results.written.insert(String::from_utf8(from).unwrap(), to);
        }
    }
    all
}

fn java(pages: &[Named]) -> Box<Ask> {
    let mut all = all_java_results(pages);
    Box::new(move |page| {
        let mut results = all.remove(page.name)?;
        results.written.values_mut().for_each(|code| *code = page.unshifted(code).to_vec());
        Some(results)
    })
}

// --- The differences -----------------------------------------------------------------------------

/// A difference between a peer and us.
#[derive(Debug)]
struct Difference {
    page: &'static str,
    way: &'static str,
    /// Bytes or a text in hexadecimal, like the fields below.
    of: String,
    theirs: String,
    ours: String,
    /// The bytes that we write for it with best fit, and as a substitute.
    best_fit: String,
    substitute: String,
}

impl Difference {
    fn is_listed_as(&self, row: &Row) -> bool {
        let [pages, way, of, theirs, ours] = ["pages", "way", "of", "theirs", "ours"].map(|column| &row[column]);
        let is_of = |item: &str| match item.split_once("..") {
            Some((first, last)) => self.of.len() == first.len() && (first..=last).contains(&&*self.of),
            None => item == self.of,
        };
        self.way == way
            && (pages == "*" || pages.split(',').any(|page| page == self.page))
            && (of == "*" || of.split(',').any(is_of))
            && match theirs {
                "*" => true,
                "best-fit" => self.theirs == self.best_fit,
                "substitute" => self.theirs == self.substitute,
                theirs => self.theirs == theirs,
            }
            && (ours == "*" || self.ours == ours)
    }
}

fn hex(bytes: Option<&Vec<u8>>) -> String {
    bytes.map_or("-".to_owned(), |bytes| vectors::hex(bytes))
}

fn code_points(text: Option<&String>) -> String {
    text.map_or("-".to_owned(), |text| vectors::code_points(text))
}

fn differences(page: &Page, theirs: &Results) -> Vec<Difference> {
    let ours = &page.ours;
    let mut encoder = page.codec.encoder().unwrap();
    let mut substitute = |text: &String| page.substitute(&mut *encoder, text);
    let mut found = Vec::new();
    let mut add = |way, of: String, theirs, ours: String, best_fit: String, substitute: String| {
        found.push(Difference { page: page.name, way, of, theirs, ours, best_fit, substitute });
    };
    for code in &page.codes {
        let (theirs, ours) = (theirs.read.get(code), ours.read.get(code));
        if theirs != ours {
            add("read", hex(Some(code)), code_points(theirs), code_points(ours), hex(None), hex(None));
        }
    }
    // A code that decodes differently also encodes differently; that is the same difference.
    let is_read_so = |code: Option<&Vec<u8>>, by: &Results, text: &String| {
        code.is_none_or(|code| by.read.get(code) == Some(text) && theirs.read.get(code) != ours.read.get(code))
    };
    for text in &page.texts {
        let of = || code_points(Some(text));
        let best_fit = || hex(ours.best_fit.get(text));
        let (a, b) = (theirs.written.get(text), ours.written.get(text));
        if a != b && !(is_read_so(a, theirs, text) && is_read_so(b, ours, text)) {
            add("write", of(), hex(a), hex(b), best_fit(), hex(substitute(text).as_ref()));
        }
        if a != b {
            continue;
        }
        let (a, b) = (theirs.best_fit.get(text), ours.best_fit.get(text));
        if a != b && !theirs.best_fit.is_empty() {
            add("best-fit", of(), hex(a), hex(b), best_fit(), hex(substitute(text).as_ref()));
        }
        // ICU drops ignorable characters (variation selectors, joiners) instead. A SUB at a different byte is a
        // difference in decoding, which is listed as such.
        let Some(a) = theirs.substitutes.get(text) else { continue };
        let b = substitute(text);
        let is_same_sub = || theirs.read.get(a).is_some_and(|sub| is_read_so(b.as_ref(), ours, sub));
        if Some(a) != b.as_ref() && !is_same_sub() {
            add("substitute", of(), hex(Some(a)), hex(b.as_ref()), best_fit(), hex(b.as_ref()));
        }
    }
    found
}

/// Returns whether the codec of that name is one of `codecs/`.
fn is_page(name: &str) -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("codecs").join(format!("{name}.txt")).exists()
}

/// Returns the pages that the peer has, with its names for them: the name of our source table if the peer knows it.
/// Pages without listed labels are IANA's, and have the same name everywhere; those of DOS are named by their numbers.
fn pages(peer: &Peer) -> Vec<Named> {
    let mut labels = rows("labels.tsv");
    labels.retain(|row| !vectors::is_typed(row));
    let mut pages = Vec::new();
    let registry = Registry::builtin();
    for codec in registry.codecs().filter(|codec| is_page(codec.name())) {
        let name: &'static str = codec.name().to_owned().leak();
        let of_page: Vec<&Row> = labels.iter().filter(|row| &row["codec"] == name).collect();
        let is_theirs = |row: &&&Row| &row["nl"] == "-" && row["users"].split(',').any(|user| user == peer.name);
        let theirs = of_page.iter().filter(is_theirs).map(|row| &row["label"]);
        let by_name = of_page.is_empty().then_some(name);
        let source = codec.info().source.trim_end_matches(".ucm");
        let label = theirs.chain(by_name).min_by_key(|label| *label != source);
        pages.extend(label.map(|label| (name, label.to_owned())));
    }
    let dos = DOS.iter().filter(|_| cfg!(feature = "dos"));
    pages.extend(dos.map(|(name, number)| (*name, format!("{}{number}", peer.dos))));
    pages
}

fn compare(peer: &Peer) {
    // Not through `eprintln!`, whose output the test runner captures.
    let print = |what: &str| _ = writeln!(std::io::stderr(), "table_peers: {what}");
    let Some(version) = (peer.version)() else {
        return crate::common::skipped(format_args!("{} is not installed", peer.name));
    };
    let pages: Vec<Named> = sample::one_in(8, peer.name, pages(peer)).collect();
    let names: Vec<&str> = pages.iter().map(|(name, _)| *name).collect();
    let mut ask = (peer.ask)(&pages);
    let is_here = |row: &Row| cfg!(feature = "dos") || !DOS.iter().any(|(name, _)| row["pages"].contains(name));
    let listed = rows("table-differences.tsv").into_iter().filter(|row| &row["peer"] == peer.name && is_here(row));
    let listed: Vec<Row> = listed.collect();
    let mut counts = vec![0; listed.len()];
    let (mut wrong, mut compared) = (String::new(), 0);
    for named in pages {
        let page = Page::new(named);
        let Some(theirs) = ask(&page) else {
            print(&format!("{} {version} has no {}", peer.name, page.label));
            continue;
        };
        compared += 1;
        for difference in differences(&page, &theirs) {
            match listed.iter().position(|row| difference.is_listed_as(row)) {
                Some(row) => counts[row] += 1,
                None => {
                    let Difference { page, way, of, theirs, ours, .. } = difference;
                    _ = writeln!(wrong, "{}\t{page}\t{way}\t{of}\t{theirs}\t{ours}: not listed", peer.name);
                }
            }
        }
    }
    for (row, count) in listed.iter().zip(counts) {
        // In a sample, only rows whose pages have all been compared can be counted.
        let is_complete = sample::is_full() || row["pages"].split(',').all(|page| names.contains(&page));
        if is_complete && row["count"] != count.to_string() {
            let columns = ["peer", "pages", "way", "of", "theirs", "ours", "count", "why"];
            _ = writeln!(wrong, "{}: found {count}", columns.map(|column| &row[column]).join("\t"));
        }
    }
    print(&format!("{} {version}: {compared} pages compared", peer.name));
    if version.starts_with(peer.known.0) {
        let dos = if cfg!(feature = "dos") { peer.known.2 } else { 0 };
        assert_eq!(
            compared,
            if sample::is_full() { peer.known.1 + dos } else { names.len() },
            "pages of {}",
            peer.name
        );
        assert!(wrong.is_empty(), "\n{wrong}");
    } else {
        print(&format!("the differences of {} are known for {}*\n{wrong}", peer.name, peer.known.0));
        assert!(compared > 0);
    }
}

#[test]
fn glibc_agrees() {
    compare(&GLIBC);
}

#[test]
fn icu_agrees() {
    compare(&ICU);
}

#[test]
fn the_jdk_agrees() {
    compare(&JDK);
}
