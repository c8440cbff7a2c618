//! Files of tables: any bytes are a table that can be believed, or an error at a place inside; and what reads is a codec
//! that keeps the contract.

#![no_main]

use charpipe::codec::table::read::{MAX_BYTES, MAX_LINE, MAX_TEXT};
use charpipe::codec::table::{Shape, Table};
use charpipe::codec::{ByteSink, MIN_ROOM, Stop, TableCodec, decode_strictly};
use charpipe::{Codec, ErrorKind};
use libfuzzer_sys::fuzz_target;

/// What a file may build on.
const BASE: &[u8] = b"<uconv_class> \"EBCDIC_STATEFUL\"\n<subchar> \\x3F\nCHARMAP\n<U0041> \\xC1 |0\n\
    <U4E00> \\x45\\x41 |0\n<U4E00><U0300> \\x45\\x41\\x45\\x42 |0\nEND CHARMAP\n";

fuzz_target!(|data: &[u8]| {
    let base = |name: &str| (name == "base").then(|| Table::read(BASE, "base", &|_| None).unwrap());
    let table = match Table::read(data, "x", &base) {
        Ok(table) => table,
        Err(error) => {
            let ErrorKind::Table { line, column, .. } = error.kind() else { panic!("{error}") };
            assert!(*line > 0 && (1..=MAX_LINE + 1).contains(column), "{error}");
            return;
        }
    };
    assert!(table.check().is_ok());
    for sequence in &table.sequences {
        assert!((1..=MAX_BYTES).contains(&sequence.bytes.len()) && sequence.text.len() <= 3 * MAX_TEXT);
    }
    let mappings = table.mappings.clone();
    let is_shifted = table.shape == Shape::Shifted;
    let is_plain = table.sequences.is_empty() && mappings.iter().all(|mapping| mapping.code.len() == 1);
    let codec = TableCodec::new(table);
    let _ = decode_strictly(&codec, data);
    // What goes both ways does.
    for mapping in mappings.iter().filter(|mapping| is_plain && !is_shifted && mapping.way.decodes()).take(64) {
        let text = decode_strictly(&codec, &mapping.code.bytes()[..1]);
        assert_eq!(text, Some(mapping.ch.to_string()), "{}", codec.name());
    }
    write_all(&codec, &String::from_utf8_lossy(&data[..data.len().min(64)]));
});

/// Encodes, and goes on behind what the table lacks.
fn write_all(codec: &TableCodec, text: &str) {
    let mut encoder = codec.encoder().unwrap();
    let mut rest = text;
    let mut finished = false;
    for _ in 0..4 * text.len() + 8 {
        let mut room = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut room);
        let stop = if rest.is_empty() {
            finished = true;
            encoder.finish(&mut sink)
        } else {
            let step = encoder.feed(rest, &mut sink);
            rest = &rest[step.read..];
            step.stop
        };
        if finished && stop == Stop::InputEmpty {
            return;
        }
    }
    panic!("no end");
}
