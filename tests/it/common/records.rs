//! Frames records for tests.

use charpipe::records::{Framer, Shape};

pub fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

pub fn framed(shape: &Shape, records: &[Vec<u8>]) -> Vec<u8> {
    let mut framer = Framer::new(shape, b"\x40").unwrap();
    let mut bytes = Vec::new();
    for record in records {
        framer.record(record, 0, &mut bytes).unwrap();
    }
    framer.finish(&mut bytes);
    bytes
}
