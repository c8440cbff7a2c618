//! Looks for packed decimals in the first records of EBCDIC: converting them as text destroys them.

use crate::detect::Diagnostic;
use crate::transcoder::records::packed_watch::{PackedField, PackedWatch, Seen};

/// Looks at the bytes that are decoded, if it is on. A copy is off: the original looks.
pub(in crate::transcoder) struct PackedSearch(Option<Box<PackedWatch>>);

impl Clone for PackedSearch {
    fn clone(&self) -> Self {
        PackedSearch(None)
    }
}

impl PackedSearch {
    pub(in crate::transcoder) fn new(watch: Option<PackedWatch>) -> Self {
        PackedSearch(watch.map(Box::new))
    }

    /// Whether it still has to see records.
    pub(in crate::transcoder) fn is_on(&self) -> bool {
        self.0.as_ref().is_some_and(|watch| !watch.is_judged())
    }

    /// Whether it has seen enough records to judge.
    pub(in crate::transcoder) fn is_due(&self) -> bool {
        self.0.as_ref().is_some_and(|watch| watch.is_due())
    }

    /// Looks at `bytes`, data at `offset` of the input.
    #[inline]
    pub(in crate::transcoder) fn see(&mut self, offset: u64, bytes: &[u8]) {
        if let Some(watch) = &mut self.0 {
            looked_at(bytes.len());
            watch.see(offset, bytes);
        }
    }

    pub(in crate::transcoder) fn end_record(&mut self) {
        self.0.iter_mut().for_each(|watch| watch.end_record());
    }

    /// The input ends.
    pub(in crate::transcoder) fn end(&mut self) {
        self.0.iter_mut().for_each(|watch| watch.end());
    }

    /// Judges the first records, if it has seen enough. Returns a warning if they have packed decimals.
    pub(in crate::transcoder) fn judge(&mut self) -> Option<Diagnostic> {
        let watch = self.0.as_mut().filter(|watch| watch.is_due())?;
        watch.judge().map(warning)
    }

    /// Judges the first `records` alone, because an error follows them, and ends the search.
    pub(in crate::transcoder) fn judge_first(&mut self, records: u64) -> Option<Diagnostic> {
        self.0.take()?.judge_first(records).map(warning)
    }

    /// How much it has seen so far.
    pub(in crate::transcoder) fn seen(&self) -> Option<Seen> {
        Some(self.0.as_ref()?.seen())
    }

    /// Continues in the place of `copy`, which was made when `other` had seen `seen`: forgets what was seen after that.
    pub(in crate::transcoder) fn rewound(mut self, seen: Option<Seen>) -> Self {
        if let (Some(watch), Some(seen)) = (&mut self.0, seen) {
            watch.forget(seen);
        }
        self
    }

    /// Takes the search, and leaves one that is off.
    pub(in crate::transcoder) fn take(&mut self) -> Self {
        PackedSearch(self.0.take())
    }
}

fn warning(found: PackedField) -> Diagnostic {
    let (first, last) = found.columns.into_inner();
    let (some, all) = found.records;
    let message = format!(
        "columns {first}-{last} look like a packed decimal (COMP-3) in {some} of {all} records, which converting destroys: \
         say which columns are text"
    );
    Diagnostic::warning("looks-packed", found.offset, message)
}

/// Tells the tests how many bytes are looked at, apart from being decoded.
#[inline]
pub(in crate::transcoder) fn looked_at(bytes: usize) {
    #[cfg(test)]
    LOOKED_AT.set(LOOKED_AT.get() + bytes);
    _ = bytes;
}

#[cfg(test)]
thread_local! {
    static LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::LOOKED_AT;
    use crate::records::Shape;
    use crate::text::eol::OnNewlineInRecord;
    use crate::transcoder::{OnMalformed, Transcode};

    /// What is looked for in records is not looked for again after every shift code and every fault.
    #[test]
    fn the_work_is_linear_whatever_the_bytes() {
        for (charset, unit) in [
            ("IBM930", &b"\x0E\x42\x81\x0F"[..]),
            ("IBM930", b"\x0E\x42"),
            ("IBM930", b"\x0E\x0F"),
            ("IBM930", b"\xFF"),
            ("IBM875", b"\xFC"),
            ("IBM875", b"\x40\xFC\x00\x12"),
            ("IBM037", b"\x00\x12\x3C\x25"),
        ] {
            for spaced in [false, true] {
                for len in [1 << 14, 1 << 16] {
                    let input = unit.repeat(len / unit.len());
                    let job =
                        Transcode::new().source_encoding(charset).unwrap().records(Shape::Fixed { lrecl: len as u32 });
                    let job = job.shifts_as_blanks(spaced).on_malformed(OnMalformed::Drop);
                    LOOKED_AT.set(0);
                    job.on_newline_in_record(OnNewlineInRecord::Space).run(&input[..], std::io::sink()).unwrap();
                    let each = LOOKED_AT.get() / len;
                    assert!(
                        each <= 2 + super::super::record::SHIFT_SEARCH_BYTES,
                        "{charset}, {unit:02X?}, {spaced}, {len}: {each}"
                    );
                }
            }
        }
    }
}
