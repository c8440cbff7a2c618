//! The stretches of framing and data of a stream of records, for callers that do not decode it.

use crate::records::{Deframer, Part};

/// The next stretch of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::transcoder) enum Stretch {
    /// This many bytes of framing, at least one.
    Framing(usize),
    /// This many bytes of data, at least one.
    Data(usize),
    /// A record ends.
    End,
}

/// Returns what comes next in `src`, of which the caller takes as many bytes as the stretch has. Returns `None` at the
/// end of `src`, and where the framing is invalid: the error is reported when the record is decoded. `eof`: nothing
/// follows `src`.
pub(in crate::transcoder) fn next_stretch(deframer: &mut Deframer, src: &[u8], eof: bool) -> Option<Stretch> {
    loop {
        match deframer.next(src, eof) {
            Ok(Part::Framing(len)) => return Some(Stretch::Framing(len)),
            Ok(Part::Data(len)) => return Some(Stretch::Data(len)),
            Ok(Part::End) => return Some(Stretch::End),
            Ok(Part::FileEnd) => {}
            Ok(Part::NeedInput | Part::Done) | Err(_) => return None,
        }
    }
}

/// Goes over `src` from record to record. Calls `ended` with the offset in `src` at which each record ends.
pub(in crate::transcoder) fn each_record(deframer: &mut Deframer, src: &[u8], mut ended: impl FnMut(usize, &Deframer)) {
    let mut at = 0;
    loop {
        if let Some((header, len)) = deframer.whole(&src[at..]) {
            at += header + len;
            ended(at, deframer);
            continue;
        }
        match next_stretch(deframer, &src[at..], false) {
            Some(Stretch::Framing(len) | Stretch::Data(len)) => at += len,
            Some(Stretch::End) => ended(at, deframer),
            None => return,
        }
    }
}
