//! Files of tables that a user brings: every format, good and bad, and other people's where they are at hand.

use charpipe::codec::table::{Code, Mapping, Sequence, Shape, Table, Way};
use charpipe::{Error, ErrorKind};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a table that builds on no other.
fn read(file: &[u8], stem: &str) -> Result<Table, Error> {
    Table::read(file, stem, &|_| None)
}

/// The files of a folder, by name.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths
}

/// What a table holds, sorted: bytes, text, way.
fn content(table: &Table) -> Vec<(Vec<u8>, String, Way)> {
    let of_mapping = |mapping: &Mapping| {
        let Mapping { code, ch, way } = *mapping;
        (code.bytes()[..code.len()].to_vec(), ch.to_string(), way)
    };
    let of_sequence = |sequence: &Sequence| (sequence.bytes.clone(), sequence.text.clone(), sequence.way);
    let mut all: Vec<_> =
        table.mappings.iter().map(of_mapping).chain(table.sequences.iter().map(of_sequence)).collect();
    all.sort();
    all
}

// --- Other people's files ---------------------------------------------------------------------------------------------

/// Every `.ucm` that lies beside the checkout, line by line.
#[test]
fn every_ucm_reads_whole() {
    let paths = files(&root().join("../shared/ucm"), "ucm");
    if paths.is_empty() {
        eprintln!("skipped: the source tables do not lie beside the checkout");
        return;
    }
    for path in paths {
        let file = fs::read(&path).unwrap();
        let table = read(&file, "x").unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let text = String::from_utf8_lossy(&file);
        let mut expected: Vec<_> = text.lines().filter(|line| line.starts_with("<U")).map(mapping_of_ucm).collect();
        expected.sort();
        assert!(content(&table) == expected, "{}", path.display());
        let class = text.lines().find(|line| line.contains("<uconv_class>")).unwrap();
        let shape = match class.split('"').nth(1) {
            Some("SBCS") => Shape::Single,
            Some("DBCS") => Shape::Double,
            _ => Shape::Shifted,
        };
        assert_eq!(table.shape, shape, "{}", path.display());
        let name = text.lines().find(|line| line.contains("<code_set_name>")).unwrap();
        assert_eq!(Some(&*table.name), name.split('"').nth(1), "{}", path.display());
    }
}

/// A line of ours or ICU's, read the plain way.
fn mapping_of_ucm(line: &str) -> (Vec<u8>, String, Way) {
    let number = |digits: &str| u32::from_str_radix(digits, 16).unwrap();
    let text = line.split("<U").skip(1).map(|part| char::from_u32(number(part.split('>').next().unwrap())).unwrap());
    let bytes = line.split("\\x").skip(1).map(|part| number(&part[..2]) as u8);
    let way = match line.split('|').nth(1).unwrap().trim() {
        "0" => Way::RoundTrip,
        "1" => Way::BestFit,
        "2" => Way::Substitute1,
        "3" => Way::ToText,
        _ => Way::ToBytes,
    };
    (bytes.collect(), text.collect(), way)
}
