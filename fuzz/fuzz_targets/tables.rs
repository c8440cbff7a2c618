//! Tests table files: any bytes are either a consistent table or an error at a position in the file. Every table makes
//! a codec that keeps the contract, and however its input is cut, its output is the same.

#![no_main]

use charpipe::codec::table::limits::{MAX_BYTES, MAX_LINE, MAX_TEXT};
use charpipe::codec::table::{Table, TableShape};
use charpipe::codec::{ByteSink, MIN_ROOM, Stop, decode_strictly};
use charpipe::{Codec, ErrorKind, OnMalformed, OnUnmappable, Registry, Relabel, Transcode};
use charpipe_fuzz::{Choices, Cuts, whole};
use libfuzzer_sys::fuzz_target;

/// The table that a file may be based on.
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
    let is_shifted = table.shape == TableShape::Shifted;
    let is_plain = table.sequences.is_empty() && mappings.iter().all(|mapping| mapping.code.len() == 1);
    cut(&table, data);
    let codec = table.into_codec();
    let _ = decode_strictly(&codec, data);
    // Round-trip mappings survive a round trip.
    for mapping in mappings.iter().filter(|mapping| is_plain && !is_shifted && mapping.way.decodes()).take(64) {
        let text = decode_strictly(&codec, &mapping.code.bytes()[..1]);
        assert_eq!(text, Some(mapping.ch.to_string()), "{}", codec.name());
    }
    write_all(&codec, &String::from_utf8_lossy(&data[..data.len().min(64)]));
});

/// Decodes and encodes the mappings of the table, with other data between them, whole and in pieces. The last bytes of
/// the file give the order: each stands for one of the mappings, or for itself.
fn cut(table: &Table, data: &[u8]) {
    let mut input = Vec::new();
    let mut text = String::new();
    let count = table.mappings.len() + table.sequences.len();
    let chosen: Vec<u8> = data.iter().rev().take(200).copied().collect();
    for pair in chosen.windows(2).filter(|_| count > 0) {
        let number = usize::from(pair[0]) << 8 | usize::from(pair[1]);
        match (pair[0].wrapping_mul(31) >> 5, number % count) {
            (0, _) => {
                input.push(pair[1]);
                text.push(pair[1].into());
            }
            (_, at) if at < table.mappings.len() => {
                let mapping = &table.mappings[at];
                input.extend_from_slice(&mapping.code.bytes()[..mapping.code.len()]);
                text.push(mapping.ch);
            }
            (part, at) => {
                let sequence = &table.sequences[at - table.mappings.len()];
                // Sometimes only the first half.
                let kept = |len: usize| if part == 1 { len / 2 } else { len };
                input.extend_from_slice(&sequence.bytes[..kept(sequence.bytes.len())]);
                text.extend(sequence.text.chars().take(kept(sequence.text.chars().count())));
            }
        }
        if table.shape == TableShape::Shifted && pair[1] % 8 == 0 {
            input.push(if pair[1] % 16 == 0 { 0x0E } else { 0x0F });
        }
    }
    let mut choices = Choices::new(&chosen);
    let cuts = Cuts::new(&mut choices);
    let malformed = *choices.one(&[OnMalformed::Fail, OnMalformed::Escape, OnMalformed::Replace]);
    let unmappable = *choices.one(&[OnUnmappable::Escape, OnUnmappable::Fail, OnUnmappable::Replace]);
    let mut registry = Registry::builtin();
    let mut table = table.clone();
    (table.name, table.aliases) = ("X-FUZZED".into(), Vec::new());
    registry.register_table(table).unwrap();
    let job =
        Transcode::new().registry(registry).on_malformed(malformed).on_unmappable(unmappable).relabel(Relabel::Never);
    let best_fit = choices.byte() % 2 == 1;
    let jobs = [
        (job.clone().source_encoding("X-FUZZED").unwrap(), &input[..]),
        (
            job.source_encoding("UTF-8").unwrap().target_encoding("X-FUZZED").unwrap().best_fit(best_fit),
            text.as_bytes(),
        ),
    ];
    for (job, input) in jobs {
        let expected = whole(&job, input);
        assert!(!expected.error.as_ref().is_some_and(|error| error.contains("is broken")), "{:?}", expected.error);
        assert!(expected.offset.is_none_or(|offset| offset <= input.len() as u64), "{expected:?}");
        assert_eq!(cuts.run(&job, input), expected, "{input:02X?}");
    }
}

/// Encodes, and continues after characters that the table lacks.
fn write_all(codec: &dyn Codec, text: &str) {
    let mut encoder = codec.encoder().unwrap();
    let mut rest = text;
    let mut finished = false;
    for _ in 0..4 * text.len() + 8 {
        let mut buffer = [0; MIN_ROOM];
        let mut sink = ByteSink::new(&mut buffer);
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
    panic!("the encoder never finishes");
}
