//! Tests the code pages: `src/codec/builtin/pages.rs` and `pages.bin` are made from `codecs/`, and every codec agrees
//! with its page.

use crate::common::sample;
use crate::common::vectors::{Row, code_points, hex, is_typed, rows};
use charpipe::codec::table::{Cell, Code, Mapping, Sequence, State, Table, TableShape, Way, chart};
use charpipe::codec::{ByteSink, Codec, MIN_ROOM, Replacement, Stop, decode_strictly};
use charpipe::{Error, ErrorKind, Registry};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders with pages.
const FOLDERS: [&str; 2] = ["codecs", "codecs/legacy"];

/// Returns the text of the page of that name.
fn page_text(name: &str) -> Option<String> {
    FOLDERS.iter().find_map(|folder| fs::read_to_string(root().join(folder).join(format!("{name}.txt"))).ok())
}

/// Reads the page of that name from its file.
fn page(name: &str) -> Option<Table> {
    let table = chart::parse(&page_text(name)?, &page).unwrap_or_else(|error| panic!("{name}.txt: {error}"));
    assert_eq!(table.name, name, "the file has the name of the page");
    Some(table)
}

/// The pages of a folder, by name.
fn pages_of(folder: &str) -> Vec<Table> {
    let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names.iter().map(|name| page(name).unwrap()).collect()
}

/// The pages of `codecs/`.
static PAGES: LazyLock<Vec<Table>> = LazyLock::new(|| pages_of(FOLDERS[0]));

/// The pages of `codecs/legacy/`.
static LEGACY: LazyLock<Vec<Table>> = LazyLock::new(|| pages_of(FOLDERS[1]));

/// Returns all pages that are built in.
fn charts() -> impl Iterator<Item = &'static Table> {
    PAGES.iter().chain(LEGACY.iter().filter(|_| cfg!(feature = "legacy")))
}

// --- The generated files -------------------------------------------------------------------------

/// `CHARPIPE_WRITE_PAGES=1 cargo test -p charpipe tables::` rewrites the files.
#[test]
fn the_generated_tables_are_up_to_date() {
    let (pages, pages_words) = packed(&PAGES, "codecs/", "pages", "Pages");
    let (legacy, legacy_words) = packed(&LEGACY, "codecs/legacy/", "legacy", "Legacy");
    let files = [
        ("pages.rs", pages.into_bytes()),
        ("pages.bin", pages_words),
        ("legacy.rs", legacy.into_bytes()),
        ("legacy.bin", legacy_words),
    ];
    for (name, expected) in files {
        let path = root().join("src/codec/builtin").join(name);
        if std::env::var_os("CHARPIPE_WRITE_PAGES").is_some() {
            fs::write(&path, &expected).unwrap();
        }
        let found = fs::read(&path).unwrap();
        assert!(found == expected, "{name} is out of date: CHARPIPE_WRITE_PAGES=1 cargo test -p charpipe tables::");
    }
}

/// Returns the description of a page, which its table does not have.
fn about(name: &str) -> String {
    let text = page_text(name).unwrap();
    let line =
        text.lines().find_map(|line| line.strip_prefix("about ")).unwrap_or_else(|| panic!("{name}: no `about`"));
    line.trim().to_owned()
}

/// Returns the words of a block: how far each code point is from the one before it, and FFFF for a missing one.
fn differences(block: &[u16; 64]) -> [u16; 64] {
    let mut last = 0_u16;
    block.map(|unit| {
        if unit == NONE {
            return NONE;
        }
        let way = i32::from(unit.wrapping_sub(last) as i16);
        last = unit;
        !u16::try_from(if way < 0 { -2 * way } else { 2 * way + 1 })
            .expect("two neighbours are 32,768 code points apart")
    })
}

/// Returns the index and the words of the pages of a folder. Their format is described in `src/codec/table/packed.rs`;
/// change both together.
fn packed(pages: &[Table], folder: &str, file: &str, blob: &str) -> (String, Vec<u8>) {
    let (mut blocks, mut seen) = (Vec::new(), HashSet::new());
    for page in pages {
        record(page, &mut |content: [u16; 64]| {
            if seen.insert(content) {
                blocks.push(content);
            }
            0
        });
    }
    // By the lowest code point, and then by all. DEFLATE, which finds only what repeats nearby and compresses the package for
    // Python, needs a sixth less for the blocks in this order than in that of their use.
    blocks.sort_by_key(|content| (content.iter().copied().min(), *content));
    assert!(blocks.len() <= usize::from(u16::MAX));
    let numbers: HashMap<[u16; 64], u16> = blocks.iter().copied().zip(0..).collect();
    let records: Vec<Vec<u16>> =
        pages.iter().map(|page| record(page, &mut |content: [u16; 64]| numbers[&content])).collect();
    let mut index = format!(
        "//! The pages of `{folder}`: their heads, and where the rest lies in `{file}.bin`. Generated, never edited: change\n\
         //! the page, then run `CHARPIPE_WRITE_PAGES=1 cargo test -p charpipe tables::`.\n\n\
         use crate::codec::table::packed::{{Blob, Pages, pages}};\n\n\
         /// The pages, by name.\n#[rustfmt::skip]\npub(super) const PAGES: Pages = pages! {{\n    Blob::{blob},\n",
    );
    // First all low bytes, then all high bytes: of all blocks, and of all words.
    let planes = |words: &[u16]| {
        let bytes = [0, 1].iter().flat_map(|byte| words.iter().map(move |word| word.to_le_bytes()[*byte]));
        bytes.collect::<Vec<u8>>()
    };
    let mut bytes = (blocks.len() as u32).to_le_bytes().to_vec();
    bytes.extend(planes(&blocks.iter().flat_map(differences).collect::<Vec<u16>>()));
    let mut words: Vec<u16> = Vec::new();
    for (page, record) in pages.iter().zip(records) {
        let (name, aliases, source) = (&page.name, page.aliases.join(" "), &page.source);
        let is_single = |mapping: &Mapping| mapping.code.len() == 1 && (mapping.ch as u32) < 0x1_0000;
        let is_single = page.sequences.is_empty() && page.mappings.iter().all(is_single);
        let (about, at) = (about(name), words.len());
        let _ = writeln!(index, "    ({name:?}, {aliases:?}, {about:?}, {source:?}, {is_single}, {at}),");
        words.extend(record);
    }
    index.push_str("};\n");
    bytes.extend(planes(&words));
    (index, bytes)
}

/// For no character, no lead byte, and no substitute.
const NONE: u16 = 0xFFFF;

fn record(page: &Table, block: &mut impl FnMut([u16; 64]) -> u16) -> Vec<u16> {
    if let TableShape::Multi(states) = &page.shape
        && !is_led(page)
    {
        return record_with_states(page, states, block);
    }
    let mut charts: BTreeMap<Option<u8>, [u16; 256]> = BTreeMap::new();
    let mut to_text: Vec<u16> = Vec::new();
    let mut others: Vec<(Way, u16, Vec<u16>)> = Vec::new();
    for &Mapping { code, ch, way } in &page.mappings {
        let number = u16::try_from(code.number()).unwrap();
        assert!(code.len() == 1 || number > 0xFF);
        let unit = u16::try_from(ch as u32).ok().filter(|unit| *unit != NONE);
        if let Some(unit) = unit.filter(|_| way.decodes()) {
            let [high, low] = number.to_be_bytes();
            let lead = (code.len() == 2).then_some(high);
            charts.entry(lead).or_insert([NONE; 256])[usize::from(low)] = unit;
            if way == Way::ToText {
                to_text.push(number);
            }
        } else {
            others.push((way, number, ch.encode_utf16(&mut [0; 2]).to_vec()));
        }
    }
    for Sequence { bytes, text, way } in &page.sequences {
        let number = u16::try_from(Code::new(bytes).unwrap().number()).unwrap();
        others.push((*way, number, text.encode_utf16().collect()));
    }
    let shape = match page.shape {
        TableShape::Single => 0,
        TableShape::Double => 1,
        TableShape::Shifted => 2,
        TableShape::Multi(_) => 3,
    };
    let mut words = vec![shape, page.substitute.len() as u16];
    words.extend(page.substitute.iter().map(|byte| u16::from(*byte)));
    words.extend([page.substitute1.map_or(NONE, u16::from), charts.len() as u16]);
    for (lead, chart) in charts {
        words.push(lead.map_or(NONE, u16::from));
        words.extend(chart.as_chunks::<64>().0.iter().map(|content| block(*content)));
    }
    words.push(to_text.len() as u16);
    words.extend(to_text);
    words.push(others.len() as u16);
    words.extend(others.iter().map(|(way, _, units)| (*way as u16) << 8 | units.len() as u16));
    words.extend(others.iter().map(|(_, number, _)| *number));
    words.extend(others.into_iter().flat_map(|(_, _, units)| units));
    words
}

/// Returns whether the shape follows from the charts: single bytes, and pairs whose lead byte has a chart.
fn is_led(page: &Table) -> bool {
    let text = page_text(&page.name).unwrap();
    text.lines().any(|line| line.split_whitespace().eq(["shape", "led"]))
}

fn record_with_states(page: &Table, states: &[State], block: &mut impl FnMut([u16; 64]) -> u16) -> Vec<u16> {
    let long = |number: u32| [(number >> 16) as u16, number as u16];
    let mut charts: BTreeMap<(u32, u16), [u16; 256]> = BTreeMap::new();
    let (mut to_text, mut others) = (Vec::new(), Vec::new());
    for &Mapping { code, ch, way } in &page.mappings {
        if way.decodes() {
            let [plane, unit] = long(ch as u32);
            let lead = if code.len() > 1 { code.number() >> 8 } else { u32::MAX };
            charts.entry((lead, plane)).or_insert([NONE; 256])[code.number() as usize & 0xFF] = unit;
            if way == Way::ToText {
                to_text.push(code);
            }
        } else {
            others.push((way, code, ch.encode_utf16(&mut [0; 2]).to_vec()));
        }
    }
    for Sequence { bytes, text, way } in &page.sequences {
        others.push((*way, Code::new(bytes).unwrap(), text.encode_utf16().collect()));
    }
    let mut words = vec![4, page.substitute.len() as u16];
    words.extend(page.substitute.iter().map(|byte| u16::from(*byte)));
    words.extend([page.substitute1.map_or(NONE, u16::from), states.len() as u16]);
    for state in states {
        let cells: Vec<(u16, Cell)> = (0..).zip(state.iter().copied()).collect();
        let runs: Vec<_> = cells.chunk_by(|a, b| a.1 == b.1).filter(|run| run[0].1 != Cell::Illegal).collect();
        words.push(runs.len() as u16);
        for run in runs {
            words.push(run[0].0 << 8 | run[run.len() - 1].0);
            words.push(match run[0].1 {
                Cell::Next(next) => 0x100 + u16::from(next),
                Cell::Unassigned => 2,
                _ => 1,
            });
        }
    }
    words.push(charts.len() as u16);
    for ((lead, plane), chart) in charts {
        words.extend(long(lead));
        words.push(plane);
        words.extend(chart.as_chunks::<64>().0.iter().map(|content| block(*content)));
    }
    words.push(to_text.len() as u16);
    words.extend(to_text.iter().flat_map(|code| long(code.number())));
    words.push(others.len() as u16);
    words.extend(others.iter().map(|(way, _, units)| (*way as u16) << 8 | units.len() as u16));
    words.extend(others.iter().flat_map(|(_, code, _)| long(code.number())));
    words.extend(others.into_iter().flat_map(|(_, _, units)| units));
    words
}

#[test]
fn a_packed_page_equals_its_page() {
    let sorted = |mut table: Table| {
        table.mappings.sort_by_key(|mapping| (mapping.code, mapping.ch, mapping.way));
        table.sequences.sort_by(|a, b| (&a.bytes, &a.text).cmp(&(&b.bytes, &b.text)));
        table
    };
    let registry = Registry::builtin();
    assert!(PAGES.len() >= 27);
    for page in charts() {
        let codec = registry.codec(&page.name).unwrap();
        assert_eq!(codec.name(), page.name);
        let packed = codec.info().table().unwrap().into_owned();
        assert!(sorted(page.clone()) == sorted(packed), "{}", codec.name());
    }
}

// --- Codecs --------------------------------------------------------------------------------------

/// Encodes a text, and leaves out the shift codes. Returns `None` if the codec cannot write it.
fn encoded(codec: &dyn Codec, text: &str) -> Option<Vec<u8>> {
    let mut encoder = codec.encoder().unwrap();
    let mut buffer = [0; MIN_ROOM];
    let mut sink = ByteSink::new(&mut buffer);
    let step = encoder.feed(text, &mut sink);
    if step.stop != Stop::InputEmpty || encoder.finish(&mut sink) != Stop::InputEmpty {
        return None;
    }
    Some(match sink.as_bytes() {
        [0x0E, between @ .., 0x0F] => between.to_vec(),
        bytes => bytes.to_vec(),
    })
}

/// Decodes a code, with shift codes around it if the page has them.
fn decoded(codec: &dyn Codec, shape: &TableShape, bytes: &[u8]) -> Option<String> {
    match (shape, bytes.len()) {
        (TableShape::Shifted, 2) => decode_strictly(codec, &[0x0E, bytes[0], bytes[1], 0x0F]),
        _ => decode_strictly(codec, bytes),
    }
}

/// Returns whether these bytes are a pair in a page of that shape, not two single bytes or the beginning of a longer code.
fn is_pair(shape: &TableShape, pair: &[u8; 2]) -> bool {
    match shape {
        TableShape::Multi(states) => match states[0][usize::from(pair[0])] {
            Cell::Next(next) => !matches!(states[usize::from(next)][usize::from(pair[1])], Cell::Next(_)),
            _ => false,
        },
        _ => true,
    }
}

/// Returns the codes of more than two bytes that the states of a page allow, in order.
fn long_codes(shape: &TableShape) -> Vec<Vec<u8>> {
    let TableShape::Multi(states) = shape else { return Vec::new() };
    let (mut found, mut open) = (Vec::new(), vec![(Vec::new(), 0)]);
    while let Some((begin, state)) = open.pop() {
        for (byte, cell) in (0..=255).zip(&states[usize::from(state)]) {
            let code = [&begin[..], &[byte]].concat();
            match cell {
                Cell::Next(next) => open.push((code, *next)),
                Cell::End if code.len() > 2 => found.push(code),
                _ => {}
            }
        }
    }
    found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    found
}

/// Compares each codec with its chart: every byte, every pair, and every code point. A sample leaves out most pairs and
/// code points that are not in the chart.
#[test]
fn codecs_agree_with_the_charts() {
    let registry = Registry::builtin();
    for table in charts() {
        let codec = registry.codec(&table.name).unwrap();
        let mut to_text: BTreeMap<Vec<u8>, String> = BTreeMap::new();
        let mut to_bytes: BTreeMap<char, Vec<u8>> = BTreeMap::new();
        for Mapping { code, ch, way } in &table.mappings {
            let bytes = code.bytes()[..code.len()].to_vec();
            if way.decodes() {
                to_text.insert(bytes.clone(), ch.to_string());
            }
            if way.encodes(*ch) {
                to_bytes.insert(*ch, bytes);
            }
        }
        for Sequence { bytes, text, way } in &table.sequences {
            if way.decodes() {
                to_text.insert(bytes.clone(), text.clone());
            }
            if *way == Way::RoundTrip {
                assert_eq!(encoded(&*codec, text).as_ref(), Some(bytes), "{} {text:?}", table.name);
            }
        }
        if table.shape != TableShape::Double {
            for byte in 0..=255 {
                let expected = to_text.get(&[byte][..]).cloned();
                let is_shift = table.shape == TableShape::Shifted && matches!(byte, 0x0E | 0x0F);
                let expected = if is_shift { Some(String::new()) } else { expected };
                assert_eq!(decode_strictly(&*codec, &[byte]), expected, "{} {byte:02X}", table.name);
            }
        }
        for code in long_codes(&table.shape) {
            assert_eq!(decode_strictly(&*codec, &code).as_ref(), to_text.get(&code), "{} {code:02X?}", table.name);
        }
        if table.shape != TableShape::Single {
            let sampled: HashSet<[u8; 2]> = sample::pairs(&table.name).collect();
            let pairs = (0..=0xFFFF_u16).map(u16::to_be_bytes).filter(|pair| is_pair(&table.shape, pair));
            let pairs = pairs.filter(|pair| sampled.contains(pair) || to_text.contains_key(&pair[..]));
            for pair in pairs.filter(|pair| !pair.contains(&0x0E) && !pair.contains(&0x0F)) {
                let expected = to_text.get(&pair[..]);
                assert_eq!(decoded(&*codec, &table.shape, &pair).as_ref(), expected, "{} {pair:02X?}", table.name);
            }
        }
        let mut encoder = codec.encoder().unwrap();
        let chars = in_order(sample::scalars(&table.name).chain(to_bytes.keys().copied()));
        for ch in chars {
            let mut buffer = [0; MIN_ROOM];
            let mut sink = ByteSink::new(&mut buffer);
            let step = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink);
            let is_written = step.stop == Stop::InputEmpty && encoder.finish(&mut sink) == Stop::InputEmpty;
            let found = match sink.as_bytes() {
                [0x0E, between @ .., 0x0F] => between,
                bytes => bytes,
            };
            let expected = to_bytes.get(&ch).map(Vec::as_slice);
            assert_eq!(is_written.then_some(found), expected, "{} {ch:?}", table.name);
            if !is_written {
                encoder.reset();
            }
        }
    }
}

/// Returns each character once, in order. For a million of them, this is much faster than a `BTreeSet`.
fn in_order(chars: impl Iterator<Item = char>) -> Vec<char> {
    let mut all: Vec<char> = chars.collect();
    all.sort();
    all.dedup();
    all
}

// --- Other sources -------------------------------------------------------------------------------

fn digest(lines: &str) -> String {
    Sha256::digest(lines).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares everything that each codec decodes and encodes with the digests that `codecs/digests.py` took from the ICU
/// archive's own tables. Decoding is always done in full. A sample encodes every character that the table has in any
/// direction, and some of the others, which must not be encodable.
#[test]
fn codecs_agree_with_their_sources() {
    let registry = Registry::builtin();
    let is_here = |name: &str| cfg!(feature = "legacy") || !LEGACY.iter().any(|page| page.name == name);
    let rows: Vec<Row> = rows("tables.tsv").into_iter().filter(|row| is_here(&row["name"])).collect();
    assert_eq!(rows.len(), registry.codecs().filter(|codec| codec.info().source.ends_with(".ucm")).count());
    for row in rows {
        let name = &row["name"];
        let codec = registry.codec(name).unwrap();
        let shape = codec.info().table().unwrap().shape.clone();
        let singles = (0..=255).map(|byte| vec![byte]).filter(|_| shape != TableShape::Double);
        let pairs = (0..=0xFFFF_u16).map(u16::to_be_bytes).filter(|pair| is_pair(&shape, pair));
        let pairs = pairs.map(|pair| pair.to_vec()).filter(|_| shape != TableShape::Single);
        let pairs = pairs.chain(long_codes(&shape));
        let mut lines = String::new();
        let mut sequences: Vec<String> = Vec::new();
        for bytes in singles.chain(pairs) {
            let is_shift = shape == TableShape::Shifted && bytes.iter().any(|byte| matches!(byte, 0x0E | 0x0F));
            if let Some(text) = decoded(&*codec, &shape, &bytes).filter(|_| !is_shift) {
                let _ = writeln!(lines, "{}={}", hex(&bytes), code_points(&text));
                if text.chars().count() > 1 {
                    sequences.push(text);
                }
            }
        }
        assert_eq!(lines.lines().count().to_string(), &row["decoded"], "{name}");
        assert_eq!(digest(&lines), &row["decode"], "{name} decodes differently");
        sequences.sort();
        let sequences_begin: Vec<char> = sequences.iter().filter_map(|text| text.chars().next()).collect();
        let mut sequences = sequences.iter().peekable();
        let (mut plain, mut best_fit) = (String::new(), String::new());
        let mut encoder = codec.encoder().unwrap();
        let mut buffer = [0; MIN_ROOM];
        let mut write = |text: &str| {
            encoder.reset();
            let mut sink = ByteSink::new(&mut buffer);
            let written = match encoder.feed(text, &mut sink).stop {
                Stop::InputEmpty => encoder.finish(&mut sink) == Stop::InputEmpty,
                _ => false,
            };
            let mut fitted = written;
            if !written && let Some(ch) = text.chars().next() {
                encoder.reset();
                fitted = encoder.encode_replacement(ch, Replacement::BestFit, &mut sink)
                    && encoder.finish(&mut sink) == Stop::InputEmpty;
            }
            if fitted {
                let bytes = match sink.as_bytes() {
                    [0x0E, between @ .., 0x0F] if shape == TableShape::Shifted => between,
                    bytes => bytes,
                };
                let line = format!("{}={}\n", code_points(text), hex(bytes));
                best_fit.push_str(&line);
                if written {
                    plain.push_str(&line);
                }
            }
        };
        // Sorted as UTF-8: by code point, and each text before those that begin with it.
        let of_table = codec.info().table().unwrap().mappings.iter().map(|mapping| mapping.ch).collect::<Vec<_>>();
        let chars = in_order(sample::scalars(name).chain(of_table).chain(sequences_begin));
        for ch in chars {
            write(ch.encode_utf8(&mut [0; 4]));
            while let Some(text) = sequences.next_if(|text| text.starts_with(ch)) {
                write(text);
            }
        }
        assert_eq!(plain.lines().count().to_string(), &row["encoded"], "{name}");
        assert_eq!(digest(&plain), &row["encode"], "{name} encodes differently");
        assert_eq!(best_fit.lines().count().to_string(), &row["encoded_best_fit"], "{name}");
        assert_eq!(digest(&best_fit), &row["encode_best_fit"], "{name} encodes differently with best fit");
    }
}

/// Compares the mappings, the shape and the substitutes of the pages with the archive's own tables, read as table
/// files, if these are beside the checkout.
#[test]
fn pages_agree_with_their_sources() {
    let sources = root().join("../shared/ucm");
    if !sources.is_dir() {
        crate::common::skipped("there are no source tables beside the checkout");
        return;
    }
    let sorted = |table: &Table| {
        // An entry of the kind `Substitute1` only marks a character; its byte means nothing.
        let code = |mapping: &Mapping| if mapping.way == Way::Substitute1 { Code::single(0) } else { mapping.code };
        let mut mappings: Vec<_> = table.mappings.iter().map(|found| (code(found), found.ch, found.way)).collect();
        let mut sequences = table.sequences.clone();
        mappings.sort();
        sequences.sort_by(|a, b| (&a.bytes, &a.text).cmp(&(&b.bytes, &b.text)));
        (mappings, sequences, table.shape.clone(), table.substitute.clone(), table.substitute1)
    };
    let (mut checked, mut refused) = (0, Vec::new());
    let registry = Registry::builtin();
    for codec in registry.codecs().filter(|codec| codec.info().source.ends_with(".ucm")) {
        let (name, source) = (codec.name(), codec.info().source);
        // The tables of PC code pages are in a separate folder.
        let places = [sources.clone(), root().join("../shared/ucm-other")];
        let file = places.iter().find_map(|place| fs::read(place.join(source)).ok()).unwrap();
        let is_legacy = LEGACY.iter().any(|page| page.name == name);
        let loaded = match Table::read(&file, "", &|_| None) {
            Ok(loaded) => loaded,
            // These lack states, or have an approximation of a character that they have. `import.py` copes with both.
            Err(_) if is_legacy => {
                refused.push(source.to_owned());
                continue;
            }
            Err(error) => panic!("{source}: {error}"),
        };
        let (mut theirs, mut ours) = (sorted(&loaded), sorted(&codec.info().table().unwrap()));
        if is_legacy && matches!(theirs.2, TableShape::Multi(_)) {
            // The states have other numbers.
            (theirs.2, ours.2) = (TableShape::Single, TableShape::Single);
        }
        assert!(theirs == ours, "{name} differs from {source}");
        checked += 1;
    }
    let all = if cfg!(feature = "legacy") { 374 } else { 178 };
    assert!(checked + refused.len() == all && refused.len() < 12, "{checked}, refused: {refused:?}");
}

/// Looks up the names that IANA, ICU, the JDK, glibc and others have for these pages.
#[test]
fn labels_of_other_programs_resolve() {
    let registry = Registry::builtin();
    let mut known = 0;
    // Names that only people use are tested in `labels.rs`, as this build may lack their charsets.
    for row in rows("labels.tsv").into_iter().filter(|row| !is_typed(row)) {
        let (label, expected) = (&row["label"], &row["codec"]);
        let found = registry.codec(label);
        if expected == "-" {
            assert!(found.is_err(), "{label}");
            continue;
        }
        let found = found.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.name(), expected, "{label}");
        let nl = found.info().newline.map_or("-".to_owned(), |nl| format!("{nl:?}").to_lowercase());
        assert_eq!(nl, &row["nl"], "{label}");
        known += 1;
    }
    assert!(known > 1000);
}

/// Looks up every label of every codec, so no two codecs can claim the same one.
#[test]
fn every_label_finds_its_codec() {
    let registry = Registry::builtin();
    for codec in registry.codecs() {
        assert!(registry.labels(codec.name()).next() == Some(codec.name()), "{codec:?} is listed under another name");
        for label in registry.labels(codec.name()) {
            for spelling in [label.to_owned(), label.to_uppercase(), label.to_lowercase(), label.replace('-', "_")] {
                let found = registry.codec(&spelling).unwrap();
                assert_eq!(found.name(), codec.name(), "{spelling}");
            }
        }
    }
    for (label, name) in
        [("IBM-273", "IBM273"), ("ccsid01148", "IBM01148"), ("x-ibm871", "IBM871"), ("1141", "IBM01141")]
    {
        assert_eq!(registry.codec(label).unwrap().name(), name);
    }
}

#[test]
fn errors_in_a_page_have_a_position() {
    let parse = |text: &str| chart::parse(text, &page);
    let place = |text: &str| match parse(text).map_err(|error: Error| error) {
        Err(error) => match error.kind() {
            ErrorKind::Table { line, column, .. } => (*line, *column),
            kind => panic!("{kind:?}"),
        },
        Ok(_) => panic!("the page is valid"),
    };
    assert_eq!(place("name A\nfrobs 3\n"), (2, 1));
    assert_eq!(place("name A B\n"), (1, 8));
    assert_eq!(place("name A\nsubstitute  xx\n"), (2, 13));
    assert_eq!(place("name A\nsubstitute 6F\nchart\n-0 0000 0001\n"), (4, 1));
    assert_eq!(place("name A\nsubstitute 6F\nlike IBM037 nothing\n"), (3, 13));
    assert_eq!(place("name A\nsubstitute 6F\nlike IBM037\nbut\n41=----  42=D800\n"), (5, 13));
    assert_eq!(place("name A\nsubstitute 6F\nlike IBM037\nbest-fit\n41=0100 -42=0100\n"), (5, 10));
    assert_eq!(place("name A\nsubstitute 6F\nlike IBM037\nboth\n1=0100\n"), (5, 1));
    let good = fs::read_to_string(root().join("codecs/IBM037.txt")).unwrap();
    let twice = parse(&good.replacen("0041", "0042", 1)).unwrap_err().to_string();
    assert!(twice.contains("one code for U+0042, not both C1 and C2"), "{twice}");
    assert!(parse(&good.replacen("0041", "D800", 1)).is_err());
    let variant = parse("name A\nsubstitute 6F\nlike IBM037\nbut\n9F=20AC 41=----\nsubstitute1\n3040..3042").unwrap();
    let codec = variant.into_codec();
    assert_eq!(decode_strictly(&codec, b"\x9F").as_deref(), Some("€"));
    assert_eq!(decode_strictly(&codec, b"\x41"), None);
}

/// A page that describes its codes itself: of three bytes, and beyond the Basic Multilingual Plane.
#[test]
fn a_page_with_states() {
    const HEAD: &str = "name A\nsubstitute 3F\nshape states\n";
    let parse = |rest: &str| chart::parse(&format!("{HEAD}{rest}"), &page);
    let table = parse("state 00-7F 8E:1\nstate A1-FE:2 A0.u\nstate A1-FE\nbut\n3F=003F 8EA1A2=20089").unwrap();
    let codec = table.into_codec();
    for (bytes, expected) in [(&b"?\x8E\xA1\xA2?"[..], Some("?\u{20089}?")), (b"\x8E\xA0", None), (b"\x8E\xA1?", None)]
    {
        assert_eq!(decode_strictly(&codec, bytes).as_deref(), expected, "{bytes:02X?}");
    }
    assert_eq!(encoded(&codec, "\u{20089}"), Some(b"\x8E\xA1\xA2".to_vec()));
    for (rest, place, what) in [
        ("state 00-7F 8E:x", (4, 16), "the number of a state"),
        ("state 7F-00", (4, 7), "ascending order"),
        ("state 0-7F", (4, 7), "a byte of two hex digits"),
        ("state 00-7F 8E:1\nbut\n3F=003F", (6, 1), "a line `state` for each state"),
        ("state 00-7F 8E:0\nbut\n3F=003F", (6, 1), "at most four bytes"),
        ("state 00-7F\nbut\n3F=003F 80=0080", (6, 1), "states"),
        ("but\n3F=003F", (5, 1), "at most four bytes"),
        ("state 00-7F\nchart 8EA1A2A3\n", (5, 7), "one to three bytes"),
    ] {
        match parse(rest).map_err(|error| error.to_string()) {
            Err(error) => assert!(
                error.starts_with(&format!("line {}, column {}: ", place.0, place.1)) && error.contains(what),
                "{rest:?}: {error}"
            ),
            Ok(_) => panic!("{rest:?} reads"),
        }
    }
}
