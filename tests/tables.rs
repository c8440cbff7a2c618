//! The code pages: `src/codec/pages.rs` is what `codecs/` says, and `codecs/` is what its sources say.

use charpipe::codec::page::{Page, UNASSIGNED};
use charpipe::codec::{PAGES, decode_strictly};
use charpipe::{Error, ErrorKind, Registry};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pages() -> Vec<(PathBuf, String)> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(root().join("codecs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// `CHARPIPE_WRITE_PAGES=1 cargo test --test tables` writes the file anew.
#[test]
fn the_generated_tables_are_fresh() {
    let mut expected = String::from(
        "//! The pages of `codecs/` as tables. Generated, never edited: change the page, then run\n\
         //! `CHARPIPE_WRITE_PAGES=1 cargo test --test tables`.\n\n\
         use super::page::Page;\nuse std::borrow::Cow;\n\n\
         /// The built-in pages, by name.\n#[rustfmt::skip]\npub static PAGES: &[Page] = &[\n",
    );
    for (path, text) in pages() {
        let page = Page::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(path.file_stem().unwrap().to_str(), Some(&*page.name), "a page is in the file of its name");
        expected.push_str(&page.to_rust());
        expected.push('\n');
    }
    expected.push_str("];\n");
    let path = root().join("src/codec/pages.rs");
    if std::env::var_os("CHARPIPE_WRITE_PAGES").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(found == expected, "src/codec/pages.rs is stale: CHARPIPE_WRITE_PAGES=1 cargo test --test tables");
}

/// Straight from the page to the codec, every byte and every code point of the Basic Multilingual Plane.
#[test]
fn codecs_do_what_the_charts_say() {
    let registry = Registry::builtin();
    assert!(PAGES.len() >= 7);
    for (_, text) in pages() {
        let page = Page::parse(&text).unwrap();
        let codec = registry.codec(&page.name).unwrap();
        for (byte, &expected) in (0u8..=255).zip(&page.chars) {
            let decoded = decode_strictly(&*codec, &[byte]);
            let expected = (expected != UNASSIGNED).then(|| char::from_u32(expected.into()).unwrap().to_string());
            assert_eq!(decoded, expected, "{} {byte:02X}", page.name);
        }
        let mut encoder = codec.encoder().unwrap();
        for ch in (0..0x110000).filter_map(char::from_u32) {
            let mut room = [0; charpipe::codec::MIN_ROOM];
            let mut sink = charpipe::codec::ByteSink::new(&mut room);
            let mut utf8 = [0; 4];
            let step = encoder.feed(ch.encode_utf8(&mut utf8), &mut sink);
            let byte = page.chars.iter().position(|code| u32::from(*code) == ch as u32 && *code != UNASSIGNED);
            match byte {
                Some(byte) => assert_eq!(sink.as_bytes(), [byte as u8], "{} {ch:?}", page.name),
                None => assert!(matches!(step.stop, charpipe::codec::Stop::Fault(fault) if fault.ch == ch)),
            }
        }
    }
}

/// Against the archive's own tables, where they lie beside the checkout.
#[test]
fn pages_are_what_their_sources_say() {
    let sources = root().join("../shared/ucm");
    if !sources.is_dir() {
        eprintln!("skipped: the source tables do not lie beside the checkout");
        return;
    }
    let mut checked = 0;
    for page in PAGES.iter().filter(|page| page.source.ends_with(".ucm")) {
        let text = fs::read(sources.join(&*page.source)).unwrap();
        let text = String::from_utf8_lossy(&text);
        let mut chars = [UNASSIGNED; 256];
        let mut best_fit = Vec::new();
        for line in text.lines().filter(|line| line.starts_with("<U")) {
            let ch = u16::from_str_radix(&line[2..line.find('>').unwrap()], 16).unwrap();
            let byte = u8::from_str_radix(&line[line.find("\\x").unwrap() + 2..][..2], 16).unwrap();
            match line.split('|').nth(1).unwrap().trim() {
                "0" => chars[byte as usize] = ch,
                "1" => best_fit.push((ch, byte)),
                flag => panic!("{}: flag {flag}", page.name),
            }
        }
        best_fit.sort_unstable();
        assert_eq!(page.chars, chars, "{}", page.name);
        assert_eq!(*page.best_fit, *best_fit, "{}", page.name);
        checked += 1;
    }
    assert_eq!(checked, 22);
}

/// Every label leads to the codec that claims it, so no two codecs claim one; but for a number that is another's own.
#[test]
fn every_label_leads_to_its_codec() {
    let registry = Registry::builtin();
    for codec in registry.codecs() {
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
fn a_page_that_does_not_read_says_where() {
    let place = |text: &str| match Page::parse(text).map_err(|error: Error| error) {
        Err(error) => match error.kind() {
            ErrorKind::Table { line, column, .. } => (*line, *column),
            kind => panic!("{kind:?}"),
        },
        Ok(_) => panic!("it reads"),
    };
    assert_eq!(place("name A\nfrobs 3\n"), (2, 1));
    assert_eq!(place("name A B\n"), (1, 1));
    assert_eq!(place("name A\nsubstitute  xx\n"), (2, 13));
    assert_eq!(place("name A\nsubstitute 6F\nchart\n-0 0000 0001\n"), (4, 1));
    let good = pages()[0].1.clone();
    let twice = good.replacen("0041", "0042", 1);
    assert!(Page::parse(&twice).unwrap_err().to_string().contains("U+0042 stands there twice"));
    let surrogate = good.replacen("0041", "D800", 1);
    assert!(Page::parse(&surrogate).is_err());
}
