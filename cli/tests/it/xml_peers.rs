//! Tests the command with third-party parsers: documents in every encoding that XML 1.0 Appendix F distinguishes are
//! converted to documents that libxml2, expat and Java read, with the right text.
//!
//! The documents are made here, by short encoders that share no code with the library. If a parser is not installed,
//! the test prints a line and skips it.

use crate::common::process::Start;
use crate::common::{installed, sample};
use charpipe::Codec;
use charpipe::codec::{ByteSink, Stop};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

const UNICODE: &str = "grün € 漢字 😀 ﾊﾛｰ";
const LATIN: &str = "grün ÿ × [x]";
const EURO: &str = "grün € [x]";
const KANA: &str = "ﾊﾛｰ [x]";
const PLAIN: &str = "plain [x]";

/// An input document, and the expected result.
struct Document {
    name: String,
    bytes: Vec<u8>,
    /// The complete output in UTF-8.
    utf8: String,
    /// See [`content`].
    content: String,
    latin: bool,
}

/// A row of Appendix F, or the katakana row: the byte order mark, and how text is written.
struct Row {
    name: &'static str,
    bom: &'static [u8],
    /// Encodes text in the charset of this name.
    encode: Encode,
    /// Names that may be declared, each with a text that the charset has.
    names: Names,
    /// The charset if nothing is declared, and a text for it.
    unnamed: (&'static str, &'static str),
    /// The first bytes identify it even without a declaration.
    bare: bool,
}

type Encode = fn(&str, &str) -> Vec<u8>;
type Names = &'static [(&'static str, &'static str)];

/// A family that identifies the charset, with or without a byte order mark.
const fn wide(name: &'static str, bom: &'static [u8], encode: Encode, names: Names) -> Row {
    Row { name, bom, encode, names, unnamed: ("", UNICODE), bare: true }
}

/// A family in which only a name identifies the charset; the first is assumed without one.
const fn narrow(name: &'static str, encode: Encode, names: Names) -> Row {
    Row { name, bom: b"", encode, names, unnamed: names[0], bare: false }
}

const ROWS: &[Row] = &[
    // With a byte order mark.
    wide("bom-1234", b"\0\0\xFE\xFF", |text, _| ucs4(text, [0, 1, 2, 3]), &[("ISO-10646-UCS-4", UNICODE)]),
    wide("bom-4321", b"\xFF\xFE\0\0", |text, _| ucs4(text, [3, 2, 1, 0]), &[("ISO-10646-UCS-4", UNICODE)]),
    wide("bom-2143", b"\0\0\xFF\xFE", |text, _| ucs4(text, [1, 0, 3, 2]), &[("ISO-10646-UCS-4", UNICODE)]),
    wide("bom-3412", b"\xFE\xFF\0\0", |text, _| ucs4(text, [2, 3, 0, 1]), &[("ISO-10646-UCS-4", UNICODE)]),
    wide("bom-utf16be", b"\xFE\xFF", |text, _| utf16(text, u16::to_be_bytes), &[("UTF-16", UNICODE)]),
    wide("bom-utf16le", b"\xFF\xFE", |text, _| utf16(text, u16::to_le_bytes), &[("UTF-16", UNICODE)]),
    wide("bom-utf8", b"\xEF\xBB\xBF", ascii, &[("UTF-8", UNICODE)]),
    // Without one.
    wide("1234", b"", |text, _| ucs4(text, [0, 1, 2, 3]), &[("ISO-10646-UCS-4", UNICODE), ("UTF-32BE", UNICODE)]),
    wide("4321", b"", |text, _| ucs4(text, [3, 2, 1, 0]), &[("ISO-10646-UCS-4", UNICODE), ("UTF-32LE", UNICODE)]),
    wide("2143", b"", |text, _| ucs4(text, [1, 0, 3, 2]), &[("ISO-10646-UCS-4", UNICODE)]),
    wide("3412", b"", |text, _| ucs4(text, [2, 3, 0, 1]), &[("ISO-10646-UCS-4", UNICODE)]),
    Row { bare: false, ..wide("utf16be", b"", |text, _| utf16(text, u16::to_be_bytes), &[("UTF-16BE", UNICODE)]) },
    Row { bare: false, ..wide("utf16le", b"", |text, _| utf16(text, u16::to_le_bytes), &[("UTF-16LE", UNICODE)]) },
    narrow("ascii", ascii, &[("UTF-8", UNICODE), ("ISO-8859-1", LATIN), ("US-ASCII", PLAIN)]),
    narrow("ebcdic", ebcdic, &[("IBM037", LATIN), ("IBM500", LATIN), ("IBM1047", LATIN), ("IBM01140", EURO)]),
    // Additions of charpipe.
    narrow("katakana", ebcdic, &[("IBM290", KANA)]),
];

fn ucs4(text: &str, order: [usize; 4]) -> Vec<u8> {
    text.chars().flat_map(|ch| order.map(|index| (ch as u32).to_be_bytes()[index])).collect()
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn ascii(text: &str, charset: &str) -> Vec<u8> {
    match charset {
        "UTF-8" | "" => text.into(),
        _ => text.chars().map(|ch| u8::try_from(ch as u32).unwrap()).collect(),
    }
}

/// Encodes with the page's file, with shift codes around pairs.
fn ebcdic(text: &str, charset: &str) -> Vec<u8> {
    let codes = codes(charset);
    let chars: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let (mut bytes, mut is_double, mut at) = (Vec::new(), false, 0);
    while at + 1 < chars.len() {
        // The longest text that has a code, of at most two characters.
        let longest = (1..3).rev().filter(|count| at + count < chars.len());
        let found = longest.filter_map(|count| Some((count, codes.get(&text[chars[at]..chars[at + count]])?))).next();
        let (count, code) = found.unwrap_or_else(|| panic!("{charset} lacks a character of {:?}", &text[chars[at]..]));
        if is_double != (code.len() == 2) {
            is_double = !is_double;
            bytes.push(if is_double { 0x0E } else { 0x0F });
        }
        bytes.extend_from_slice(code);
        at += count;
    }
    if is_double {
        bytes.push(0x0F);
    }
    bytes
}

/// The code of each text of a page.
type Codes = BTreeMap<String, Vec<u8>>;

/// Returns the codes of a page. Its file is read once: that takes longer than to encode a document.
fn codes(charset: &str) -> Arc<Codes> {
    static READ: Mutex<BTreeMap<String, Arc<Codes>>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let codes = || Arc::new(page(charset).into_iter().map(|(code, text)| (text, code)).collect());
    read.entry(charset.to_string()).or_insert_with(codes).clone()
}

/// Returns the text of each code of a page, from its file (`codecs/README.md`), without those that are only read.
fn page(charset: &str) -> BTreeMap<Vec<u8>, String> {
    let file = std::fs::read_to_string(format!("{}/codecs/{charset}.txt", concat!(env!("CARGO_MANIFEST_DIR"), "/..")))
        .unwrap();
    let bytes = |digits: &str| -> Vec<u8> {
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
    };
    let text = |digits: &str| -> Option<String> {
        digits.split('+').map(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?)).collect()
    };
    let mut codes = BTreeMap::new();
    let mut set = |code: Vec<u8>, digits: &str| match text(digits) {
        Some(text) => _ = codes.insert(code, text),
        None => _ = codes.remove(&code),
    };
    let (mut section, mut columns) = (Vec::new(), Vec::new());
    for line in file.lines().map(|line| line.split('#').next().unwrap()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (&*words, section.first().copied()) {
            ([], _) => {}
            (["like", names @ ..], None) => {
                names.iter().flat_map(|name| page(name)).for_each(|(code, text)| {
                    set(code, &text.chars().map(|ch| format!("{:X}", ch as u32)).collect::<Vec<_>>().join("+"));
                });
            }
            (["chart", ..] | ["but" | "both" | "to-text" | "to-bytes" | "best-fit" | "substitute1"], _) => {
                section = words;
                columns.clear();
            }
            (heading, Some("chart")) if columns.is_empty() => columns = heading.to_vec(),
            ([low, cells @ ..], Some("chart")) => {
                for (high, digits) in columns.iter().zip(cells) {
                    let lead = section.get(1).copied().unwrap_or_default();
                    set(bytes(&format!("{lead}{}{}", &high[..1], &low[1..])), digits);
                }
            }
            (items, Some("but" | "both")) => {
                for (code, digits) in items.iter().filter_map(|item| item.split_once('=')) {
                    set(bytes(code), digits);
                }
            }
            (items, Some("to-text")) => {
                items.iter().for_each(|item| set(bytes(item.split('=').next().unwrap()), "----"));
            }
            _ => {}
        }
    }
    codes
}

/// A mixed page: single-byte and double-byte characters side by side in names, attributes and text, and characters that
/// are special to the page.
struct Mixed {
    charset: &'static str,
    /// An element and its attribute.
    names: [&'static str; 2],
    kind: &'static str,
    text: &'static str,
}

const fn mixed(charset: &'static str, names: [&'static str; 2], kind: &'static str, text: &'static str) -> Mixed {
    Mixed { charset, names, kind, text }
}

const JAPANESE: [&str; 2] = ["顧客名A", "かな"];
const KOREAN: [&str; 2] = ["고객", "區分"];
const SIMPLIFIED: [&str; 2] = ["客户", "类型"];
const TRADITIONAL: [&str; 2] = ["客戶", "類別"];

const MIXED: &[Mixed] = &[
    mixed("IBM930", JAPANESE, "株式会社ﾔﾏﾀﾞ〜Ａ", "東京都千代田区　ﾐﾂﾊﾞﾁﾋﾞﾙ3F、Ａ１棟「山田・太郎」様 ¥ №"),
    mixed("IBM939", JAPANESE, "株式会社ﾔﾏﾀﾞ〜Ａ", "東京都千代田区　ﾐﾂﾊﾞﾁﾋﾞﾙ3F、Ａ１棟「山田・太郎」様 ¥"),
    mixed("IBM931", JAPANESE, "株式会社〜Ａ", "大阪市北区 Building 3F、Ａ１棟「山田・太郎」様"),
    mixed("IBM5026", JAPANESE, "ﾔﾏﾀﾞ", "京都 ﾐﾂﾊﾞﾁ 3F、"),
    mixed("IBM5035", JAPANESE, "ﾔﾏﾀﾞ", "京都 ﾐﾂﾊﾞﾁ 3F、"),
    // Two characters for one pair, and characters beyond the Basic Multilingual Plane.
    mixed("IBM1390", JAPANESE, "か\u{309A}ﾔﾏ€", "𠀋か\u{309A}き 東京　ﾄｳｷｮｳ～か"),
    mixed("IBM1399", JAPANESE, "か\u{309A}ﾔﾏ€", "𠀋か\u{309A}き 東京　ﾄｳｷｮｳ～か"),
    mixed("IBM933", KOREAN, "법인 大韓民國", "서울특별시 종로구　ＡＢＣ１２３ 빌딩 3F、株「한국」₩"),
    mixed("IBM1364", KOREAN, "법인 大韓民國", "서울특별시 종로구　ＡＢＣ１２３ 빌딩 3F、똠방각하 펲시"),
    mixed("IBM935", SIMPLIFIED, "企业Ａ", "北京市海淀区　ＡＢＣ１２３ 大厦 3F，《合同》、“甲方”。"),
    mixed("IBM1388", SIMPLIFIED, "企业Ａ", "北京市海淀区　ＡＢＣ１２３ 大厦 3F，《合同》、朱镕基。"),
    mixed("IBM937", TRADITIONAL, "公司Ａ", "臺北市中正區　ＡＢＣ１２３ 大樓 3F，「合約」、甲方。"),
    mixed("IBM1371", TRADITIONAL, "公司Ａ", "臺北市中正區　ＡＢＣ１２３ 大樓 3F，「合約」 5 €。"),
];

impl Mixed {
    /// Lines end with both EBCDIC newlines, or with NEL alone.
    fn document(&self, second: &str) -> Document {
        let Mixed { charset, names: [element, attribute], kind, text } = self;
        let lines = [
            &format!("<?xml version=\"1.0\" encoding='{charset}'?>\u{85}"),
            &format!("<doc kind='{kind}'>{text}{second}"),
            &format!("<{element} {attribute}='{kind}'>{text}</{element}>\u{85}{text}</doc>\u{85}"),
        ];
        let source = lines.map(String::as_str).concat();
        let utf8 = source.replace('\u{85}', "\n");
        Document {
            name: format!("mixed-{charset}"),
            bytes: ebcdic(&source, charset),
            content: content(kind, &format!("{text}\n{text}\n{text}"), element, kind),
            utf8: utf8.replace(&format!("'{charset}'"), "'UTF-8'"),
            latin: false,
        }
    }
}

/// Returns what the parsers report: the root's attribute and text, then the name and the attribute of the element in
/// it.
fn content(kind: &str, text: &str, element: &str, attribute: &str) -> String {
    format!("{kind}|{text}|{element}|{attribute}")
}

fn documents() -> Vec<Document> {
    let mut documents = Vec::new();
    for row in ROWS {
        let named = row.names.iter().map(|(name, text)| (Some(*name), *name, *text));
        let kinds = named.chain([(None, row.unnamed.0, row.unnamed.1)]);
        for (declared, charset, sample) in kinds {
            let encoding = declared.map_or(String::new(), |name| format!(" encoding=\"{name}\""));
            documents.push(document(row, charset, sample, &format!("<?xml version=\"1.0\"{encoding}?>"), declared));
        }
        if row.bare {
            documents.push(document(row, row.unnamed.0, row.unnamed.1, "", None));
        }
    }
    documents.extend(MIXED.iter().map(|mixed| mixed.document("\n")));
    documents
}

fn document(row: &Row, charset: &str, sample: &str, declaration: &str, declared: Option<&str>) -> Document {
    // The newlines of the family: 15 and 25 in EBCDIC.
    let (first, second) =
        if row.name == "ebcdic" || row.name == "katakana" { ("\u{85}", "\n") } else { ("\r\n", "\n") };
    let after = if declaration.is_empty() { "" } else { first };
    let body = format!("{after}<doc{first}kind='{sample}'>{first}{sample}{second}{sample}</doc{first}>{second}");
    let text = format!("{declaration}{body}");
    // Every NEL here is the end of a line, which is LF in XML.
    let utf8 = text.replace('\u{85}', "\n").replace(&format!("\"{}\"", declared.unwrap_or("-")), "\"UTF-8\"");
    let form = if declaration.is_empty() { "bare" } else { declared.unwrap_or("unnamed") };
    Document {
        name: format!("{}-{form}", row.name),
        bytes: [row.bom, &(row.encode)(&text, charset)].concat(),
        utf8,
        content: content(sample, &format!("\n{sample}\n{sample}"), "", ""),
        latin: sample.chars().all(|ch| (ch as u32) < 0x100),
    }
}

fn spawn(args: &[&str]) -> Child {
    piped(Command::new(env!("CARGO_BIN_EXE_charpipe")).args(args))
}

fn piped(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).start()
}

/// Writes `input` to the child in pieces of `len` bytes. The input and its output fit into the pipes.
fn feed(mut child: Child, input: &[u8], len: usize) -> Output {
    let mut stdin = child.stdin.take().unwrap();
    for piece in input.chunks(len) {
        // A child that failed stops reading; its exit status shows that.
        if stdin.write_all(piece).is_err() {
            break;
        }
    }
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn good(output: Output, what: &str) -> Vec<u8> {
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn convert(input: &[u8], args: &[&str], what: &str) -> Vec<u8> {
    good(feed(spawn(args), input, usize::MAX), what)
}

#[test]
fn every_family_through_files_and_pipes() {
    let documents = documents();
    let folder = tempfile::tempdir().unwrap();
    for document in &documents {
        let name = &document.name;
        let show = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(show(convert(&document.bytes, &[], name)), document.utf8, "{name}, through a pipe");
        assert_eq!(show(good(feed(spawn(&[]), &document.bytes, 1), name)), document.utf8, "{name}, bytewise");
        let path = folder.path().join(name);
        std::fs::write(&path, &document.bytes).unwrap();
        assert_eq!(show(convert(b"", &[path.to_str().unwrap()], name)), document.utf8, "{name}, as a file");
    }
    assert_eq!(ROWS.len(), 16);
}

#[test]
fn mixed_pages_are_identified_by_their_declaration() {
    for mixed in MIXED {
        let found = convert(&mixed.document("\n").bytes, &["detect", "--json"], mixed.charset);
        let found: serde_json::Value = serde_json::from_slice(&found).unwrap();
        let is_katakana = matches!(mixed.charset, "IBM930" | "IBM1390" | "IBM5026");
        let family = if is_katakana { "ebcdic-katakana" } else { "ebcdic" };
        assert_eq!(found["codec"], mixed.charset);
        assert_eq!(found["family"], family, "{}", mixed.charset);
        assert_eq!(found["rule"], "rfc7303:declaration", "{}", mixed.charset);
        assert_eq!(found["diagnostics"], serde_json::json!([]), "{}", mixed.charset);
    }
}

#[test]
fn mixed_pages_round_trip_byte_for_byte() {
    // Newlines other than NEL, and the options for both directions.
    let recipes: [(&str, &[&str], &[&str]); 3] = [
        ("\n", &["--eol", "keep"], &[]),
        ("\u{85}", &[], &["--eol", "nel"]),
        // As on z/OS UNIX: the byte of NEL is read as LF, and LF is written as that byte.
        ("\u{85}", &["--ebcdic-nl", "zos"], &["--ebcdic-nl", "zos"]),
    ];
    for (mixed, (second, there, back)) in MIXED.iter().flat_map(|mixed| recipes.map(|recipe| (mixed, recipe))) {
        let (charset, document) = (mixed.charset, mixed.document(second));
        for unicode in ["UTF-8", "UTF-16"] {
            let there = convert(&document.bytes, &[&["-t", unicode], there].concat(), charset);
            let back = convert(&there, &[&["-t", charset], back].concat(), charset);
            assert_eq!(back, document.bytes, "{charset} by {unicode}, {second:?}");
        }
    }
}

/// Damage to mixed text: the bytes, the offset within them, and what is read instead. 42C1 is a fullwidth A on every
/// page.
const DAMAGE: &[(&str, &[u8], usize, &str)] = &[
    ("cut-by-si", b"\x0E\x42\x0F", 1, "\u{FFFD}"),
    ("cut-by-so", b"\x0E\x42\x0E\x42\xC1\x0F", 1, "\u{FFFD}Ａ"),
    ("no-such-pair", b"\x0E\x42\xC1\xFE\xFE\x42\xC1\x0F", 3, "Ａ\u{FFFD}Ａ"),
    ("control-between-pairs", b"\x0E\x42\xC1\x25\x42\xC1\x0F", 3, "Ａ\u{FFFD}Ａ"),
    ("control-in-a-pair", b"\x0E\x42\xC1\x42\x15\x42\xC1\x0F", 3, "Ａ\u{FFFD}\u{FFFD}Ａ"),
];

/// Returns, for each page and each kind of damage: name, bytes, offset, and the expected content.
fn damaged() -> Vec<(String, Vec<u8>, usize, String)> {
    let pages = MIXED.iter().flat_map(|mixed| DAMAGE.iter().map(move |damage| (mixed, damage)));
    let document = |(mixed, (damage, bytes, at, read)): (&Mixed, &(&str, &[u8], usize, &str))| {
        let Mixed { charset, kind, text, .. } = mixed;
        let head = format!("<?xml version=\"1.0\" encoding=\"{charset}\"?>\u{85}<doc kind='{kind}'>{text}");
        let head = ebcdic(&head, charset);
        let tail = ebcdic(&format!("{text}</doc>\u{85}"), charset);
        let content = content(kind, &format!("{text}{read}{text}"), "", "");
        (format!("{charset}-{damage}"), [&*head, bytes, &tail].concat(), head.len() + at, content)
    };
    pages.map(document).collect()
}

#[test]
fn damage_in_a_mixed_page_is_reported_with_its_offset() {
    for (name, bytes, at, _) in damaged() {
        for len in [usize::MAX, 1] {
            let output = feed(spawn(&[]), &bytes, len);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{name}");
            assert!(stderr.contains(&format!(" (byte {at}): ")), "{name}, {at}: {stderr}");
        }
    }
}

#[test]
fn to_every_encoding_and_back() {
    for codec in sample::codecs("to every encoding and back") {
        let name = codec.name();
        let samples = [UNICODE, LATIN, EURO, KANA, PLAIN];
        let text = samples.map(|sample| {
            format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<doc kind=\"{sample}\">{sample}</doc>\n")
        });
        // ISO-2022-JP writes half-width katakana as full-width.
        let round_trips = |text: &str| name != "ISO-2022-JP" || !text.contains(KANA);
        let fitting: Vec<&String> = text.iter().filter(|text| round_trips(text) && holds(&*codec, text)).collect();
        for text in fitting {
            // IS-FRISS has `<` at another code, so nothing shows that a document begins. A document cannot name UTF-7 and
            // these charsets that switch between sets.
            let is_named = !name.starts_with("UTF-7")
                && !["HZ-GB-2312", "ISO-2022-KR", "ISO-2022-CN", "ISO-2022-CN-EXT"].contains(&name);
            let is_found = name != "EBCDIC-IS-FRISS" && is_named;
            if codec.info().xml_name.is_some() && is_found {
                let there = convert(text.as_bytes(), &["-t", name], name);
                let back = convert(&there, &[], name);
                assert_eq!(String::from_utf8_lossy(&back), *text, "{name}");
            }
            let there = convert(text.as_bytes(), &["-t", name, "--relabel", "never"], name);
            let back = convert(&there, &["-f", name, "--relabel", "never"], name);
            assert_eq!(String::from_utf8_lossy(&back), *text, "-f {name}");
        }
    }
}

fn holds(codec: &dyn Codec, text: &str) -> bool {
    let mut buffer = vec![0; 8 * text.len()];
    codec
        .encoder()
        .is_some_and(|mut encoder| encoder.feed(text, &mut ByteSink::new(&mut buffer)).stop == Stop::InputEmpty)
}

/// Output of the command for the parsers: a name, the bytes, and the expected content.
static CONVERTED: LazyLock<Vec<(String, Vec<u8>, String)>> = LazyLock::new(|| {
    let mut converted = Vec::new();
    for Document { name, bytes, content, latin, .. } in documents() {
        for target in ["UTF-8", "UTF-16", "ISO-8859-1"] {
            if latin || target != "ISO-8859-1" {
                let output = convert(&bytes, &["-t", target], &name);
                converted.push((format!("{name}-to-{target}"), output, content.clone()));
            }
        }
    }
    for (name, bytes, _, content) in damaged() {
        let output = convert(&bytes, &["--malformed", "replace"], &name);
        converted.push((name, output, content));
    }
    converted
});

/// Documents in charsets whose superset the parser has to know: each has a character that the smaller charset lacks,
/// and is labelled with the superset's name.
fn supersets() -> Vec<(String, Vec<u8>, String)> {
    let samples = [("EUC-KR", "똠 한 €"), ("Shift_JIS", "① 髙 漢 \\ ~"), ("Big5", "裏 漢"), ("GB2312", "镕 汉")];
    let document = |(target, text): (&str, &str)| {
        let input = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?><doc kind=\"{text}\">{text}</doc>");
        (target.to_owned(), convert(input.as_bytes(), &["-t", target], target), content(text, text, "", ""))
    };
    samples.map(document).to_vec()
}

#[test]
fn libxml2_reads_the_output() {
    if !installed("xmllint", &["xmllint", "--version"]) {
        return;
    }
    for (name, bytes, content) in CONVERTED.iter().chain(&supersets()) {
        for (args, expected) in [
            (&["--noout", "-"][..], String::new()),
            (
                &["--xpath", "concat(/doc/@kind, '|', /doc, '|', name(/doc/*), '|', /doc/*/@*)", "-"],
                format!("{content}\n"),
            ),
        ] {
            let output = feed(piped(Command::new("xmllint").args(args)), bytes, usize::MAX);
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
            assert_eq!(String::from_utf8_lossy(&good(output, name)), expected, "{name}");
        }
    }
}

/// Runs a parser once over `documents`. For each file of the folder it prints the name, a tab, and the content as hex
/// of UTF-8, or the error.
fn read_by(command: &mut Command, folder: &Path, documents: &[(String, Vec<u8>, String)]) {
    for (name, bytes, _) in documents {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let output = good(command.arg(folder).run(), "the program that runs the parser");
    let output = String::from_utf8(output).unwrap();
    let found: BTreeMap<&str, &str> = output.lines().filter_map(|line| line.split_once('\t')).collect();
    assert_eq!(found.len(), documents.len(), "{output}");
    for (name, _, content) in documents {
        let hex = content.bytes().fold(String::new(), |mut hex, byte| {
            _ = write!(hex, "{byte:02x}");
            hex
        });
        assert_eq!(found[&**name], hex, "{name}");
    }
}

const EXPAT: &str = r#"
import os, sys
from xml.parsers import expat

folder = sys.argv[1]
for name in os.listdir(folder):
    starts, texts = [], []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: starts.append((tag, *attributes.values()))
    parser.CharacterDataHandler = texts.append
    try:
        with open(os.path.join(folder, name), "rb") as file:
            parser.ParseFile(file)
        inner, value = starts[1] if len(starts) > 1 else ("", "")
        found = "|".join([starts[0][1], "".join(texts), inner, value]).encode("utf-8").hex()
    except expat.ExpatError as error:
        found = str(error)
    print(name, found, sep="\t")
"#;

#[test]
fn expat_reads_the_output() {
    if installed("Python's expat", &["python3", "-c", "from xml.parsers import expat"]) {
        let folder = tempfile::tempdir().unwrap();
        read_by(Command::new("python3").args(["-c", EXPAT]), folder.path(), &CONVERTED);
    }
}

const JAVA: &str = r#"
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import javax.xml.parsers.DocumentBuilderFactory;

class Parse {
    public static void main(String[] args) throws Exception {
        var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        for (File file : new File(args[0]).listFiles()) {
            String found;
            try {
                var root = builder.parse(file).getDocumentElement();
                String content = root.getAttribute("kind") + "|" + root.getTextContent();
                var child = root.getElementsByTagName("*").item(0);
                content += child == null ? "||"
                    : "|" + child.getNodeName() + "|" + child.getAttributes().item(0).getNodeValue();
                found = HexFormat.of().formatHex(content.getBytes(StandardCharsets.UTF_8));
            } catch (org.xml.sax.SAXException error) {
                found = error.getMessage();
            }
            System.out.println(file.getName() + "\t" + found);
        }
    }
}
"#;

#[test]
fn java_reads_the_output() {
    // A program of one source file needs a compiler; 17 is the first version with HexFormat.
    if installed("a JDK from 17 on", &["java", "--add-modules", "jdk.compiler", "--source", "17", "--version"]) {
        let (source, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let program = source.path().join("Parse.java");
        std::fs::write(&program, JAVA).unwrap();
        let documents = [&CONVERTED[..], &supersets()].concat();
        read_by(Command::new("java").arg(program), folder.path(), &documents);
    }
}
