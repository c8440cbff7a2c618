//! JIS X 0212 in EUC-JP, which encoding_rs decodes and does not encode.

use super::plain::plain_char;
use encoding_rs::EUC_JP;
use std::sync::OnceLock;

/// Characters that encoding_rs decodes from three bytes and does not encode, with these bytes, in the order of characters.
pub(super) struct Triples(Vec<(char, [u8; 3])>);

/// Returns JIS X 0212 in EUC-JP. It is read out of encoding_rs's decoder when it is first needed.
pub(super) fn jis_x_0212() -> &'static Triples {
    static TRIPLES: OnceLock<Triples> = OnceLock::new();
    TRIPLES.get_or_init(|| {
        let codes = || (0xA1..=0xFE).flat_map(|row| (0xA1..=0xFE).map(move |cell| [0x8F, row, cell]));
        let lines: Vec<u8> = codes().flat_map(|[lead, row, cell]| [lead, row, cell, b'\n']).collect();
        let (text, _) = EUC_JP.decode_without_bom_handling(&lines);
        let chars = codes().zip(text.split('\n')).filter_map(|(code, line)| Some((plain_char(line)?, code)));
        let mut triples: Vec<_> = chars.collect();
        crate::sort::by(&mut triples, Ord::cmp);
        Triples(triples)
    })
}

impl Triples {
    pub(super) fn get(&self, ch: char) -> Option<[u8; 3]> {
        let found = self.0.binary_search_by_key(&ch, |(ch, _)| *ch);
        found.ok().map(|at| self.0[at].1)
    }
}
