//! What detection is shown of records, their data without what frames it; and where in the input that stood.

use crate::detect::{Detector, Verdict};
use crate::records::{Deframer, Part, Shape};

/// How much detection may take of a stream of records, which can be all framing and no data.
pub(super) const HEAD_LIMIT: usize = 1 << 20;

/// What looks at the beginning of the data.
pub(super) trait Looks {
    /// Takes bytes; answers how many. Fewer than were given means that no more are wanted.
    fn feed(&mut self, src: &[u8]) -> usize;

    fn is_done(&self) -> bool;
}

impl Looks for Detector {
    fn feed(&mut self, src: &[u8]) -> usize {
        Detector::feed(self, src)
    }

    fn is_done(&self) -> bool {
        Detector::is_done(self)
    }
}

/// Shows the data in `src` to what looks at it; answers how many bytes were looked at: all, but where it is done or the
/// framing is wrong.
pub(super) fn feed_data(looks: &mut dyn Looks, framing: &mut Deframer, src: &[u8], eof: bool) -> usize {
    let mut read = 0;
    while !looks.is_done() {
        match framing.next(&src[read..], eof) {
            Ok(Part::Framing(len)) => read += len,
            Ok(Part::Data(len)) => {
                let fed = looks.feed(&src[read..read + len]);
                read += fed;
                if fed < len {
                    break;
                }
            }
            Ok(Part::End | Part::FileEnd) => {}
            Ok(Part::NeedInput | Part::Done) | Err(_) => break,
        }
    }
    read
}

/// Where data lies in the first bytes of a stream of records: for what detection says of places.
pub(super) struct Framed {
    /// Where a stretch of data begins: as data, and in the input. Nothing where there are no records.
    stretches: Vec<(u64, u64)>,
}

impl Framed {
    pub(super) fn new(head: &[u8], shape: Option<&Shape>) -> Self {
        let mut stretches = Vec::new();
        if let Some(shape) = shape {
            let mut framing = Deframer::new(shape);
            let (mut at, mut data) = (0, 0);
            loop {
                match framing.next(&head[at..], false) {
                    Ok(Part::Framing(len)) => at += len,
                    Ok(Part::Data(len)) => {
                        stretches.push((data as u64, at as u64));
                        at += len;
                        data += len;
                    }
                    Ok(Part::End | Part::FileEnd) => {}
                    Ok(Part::NeedInput | Part::Done) | Err(_) => break,
                }
            }
        }
        Framed { stretches }
    }

    fn offset(&self, data: u64) -> u64 {
        let behind = self.stretches.partition_point(|(from, _)| *from <= data);
        match behind.checked_sub(1).and_then(|index| self.stretches.get(index)) {
            Some((from, at)) => at + (data - from),
            None => data,
        }
    }

    /// The verdict with its places in the input.
    pub(super) fn translate(&self, mut verdict: Verdict) -> Verdict {
        if let Some(span) = &mut verdict.declared_span {
            // The end is behind the last byte, which may be the last of a record.
            *span = self.offset(span.start)..self.offset(span.end.max(1) - 1) + 1;
        }
        for diagnostic in &mut verdict.diagnostics {
            diagnostic.offset = self.offset(diagnostic.offset);
        }
        verdict
    }
}
