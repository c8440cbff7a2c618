//! Makes damaged documents.

use super::{codecs, encode};
use charpipe::codec::can_encode;
use charpipe::{Codec, OnUnmappable, Transcode};

/// Letters of many scripts. Each encoding gets those that it can write.
const TEXT: &str = "Grüße, façade: 1 < 2; Привет, Ελλάδα, שלום, سلام, ไทย, 漢字かなカナ한국어 中文 ﾊﾝｶｸ €😀";

pub struct Document {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Returns a document that declares its own encoding, for each encoding that can be declared.
pub fn documents() -> Vec<Document> {
    let documents = codecs().into_iter().filter(|codec| can_encode(&**codec)).filter_map(|codec| {
        let head = format!("<?xml version=\"1.0\" encoding=\"{}\"?>\n<a b='c'>", codec.info().xml_name?);
        let writable = |text: &str| text.chars().filter(|ch| can_write(&*codec, *ch)).collect::<String>();
        if writable(&head) != head {
            return None;
        }
        let document = format!("{head}{}</a>\n", writable(&TEXT.replace('<', "&lt;")));
        let mut bytes = encode(&*codec, &document);
        if codec.name() == "UTF-16" || codec.name() == "UTF-32" {
            bytes.splice(..0, encode(&*codec, "\u{FEFF}"));
        }
        Some(Document { name: codec.name().to_owned(), bytes })
    });
    let documents: Vec<_> = documents.collect();
    assert!(documents.len() > 60, "{}", documents.len());
    documents
}

fn can_write(codec: &dyn Codec, ch: char) -> bool {
    let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(codec.name());
    let job = job.unwrap().on_unmappable(OnUnmappable::Fail);
    job.run(ch.to_string().as_bytes(), Vec::new()).is_ok()
}

/// A random number generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Calls `each` with every damaged version of a document and a description of the damage.
pub fn each_damaged(document: &Document, mut each: impl FnMut(&str, &[u8])) {
    let bytes = &document.bytes;
    let of = |how: String| format!("{}, {how}", document.name);
    for len in 0..=bytes.len() {
        each(&of(format!("cut after {len} bytes")), &bytes[..len]);
    }
    let times: Option<u32> = std::env::var("CHARPIPE_BENT").ok().and_then(|times| times.parse().ok());
    // The first bit depends on the name, so different bits are flipped in different documents.
    for bit in (document.name.len() % 5..8 * bytes.len()).step_by(if times.is_some() { 1 } else { 5 }) {
        let mut bytes = bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        each(&of(format!("bit {} of byte {} flipped", bit % 8, bit / 8)), &bytes);
    }
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for time in 0..times.unwrap_or(40) {
        let mut bytes = bytes.clone();
        for _ in 0..1 + dice.below(4) {
            if bytes.is_empty() {
                break;
            }
            let (at, other) = (dice.below(bytes.len()), dice.below(bytes.len()));
            match dice.below(5) {
                0 => _ = bytes.remove(at),
                1 => bytes.insert(at, bytes[other]),
                2 => bytes.swap(at, other),
                3 => bytes[at] = dice.below(256) as u8,
                _ => bytes.truncate(at.max(1)),
            }
        }
        each(&of(format!("damaged, number {time}")), &bytes);
    }
}
