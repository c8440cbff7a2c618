//! The direct way: the target is UTF-8 and nothing changes the text, so it is decoded straight into the caller's
//! buffer.

use crate::codec::{MAX_FAULT, Utf8Sink};
use crate::error::Error;
use crate::text::eol::InRecordStage;
use crate::transcoder::byte_page::BytePage;
use crate::transcoder::choices::OnMalformed;
use crate::transcoder::faults::{InPlace, constant_replacement, passing};
use crate::transcoder::fill::{Chunk, Filled, SourceStop};
use crate::transcoder::guard::Passing;
use crate::transcoder::report::Faults;
use crate::transcoder::source::Source;
use std::sync::Arc;

/// Decodes into the caller's buffer.
#[derive(Clone)]
pub(in crate::transcoder) struct Direct {
    /// Handles newlines within records. When the first one is met, this becomes the first stage of the staged way,
    /// which takes over for the rest of the run.
    pub(in crate::transcoder) newlines: Option<InRecordStage>,
    /// How malformed bytes are handled here, without the queue.
    in_place: Option<InPlace>,
    /// How they are handled once they are only counted.
    passing: Option<Passing>,
}

impl Direct {
    /// `read_as`: the page that malformed bytes are read as, if there is one. `has_records`: malformed bytes go through
    /// the queue, because spaces before them may still be pending.
    pub(in crate::transcoder) fn new(
        newlines: Option<InRecordStage>,
        malformed: OnMalformed,
        read_as: Option<&Arc<BytePage>>,
        has_records: bool,
    ) -> Self {
        let page = read_as.map(|page| InPlace::Page(page.clone()));
        let in_place = page.or_else(|| constant_replacement(malformed).map(InPlace::Text)).filter(|_| !has_records);
        Direct { newlines, in_place, passing: passing(malformed) }
    }

    /// Decodes from the front of `chunk` into `sink`, which has at least [`MIN_ROOM`]. Malformed bytes are replaced and
    /// counted in `malformed` if `replaces` and the policy has one text for all of them. Otherwise decoding stops
    /// there.
    ///
    /// Malformed bytes may be most of the input, so replacing them has to be as fast as decoding. Once they are counted
    /// only, the decoder does it.
    ///
    /// # Errors
    /// [`ErrorKind::Codec`](crate::error::ErrorKind::Codec) from a decoder that breaks its contract.
    pub(in crate::transcoder) fn decode(
        &self,
        source: &mut Source,
        chunk: Chunk<'_>,
        sink: &mut Utf8Sink<'_>,
        replaces: bool,
        malformed: &mut Faults,
    ) -> Result<Filled, Error> {
        let mut filled = source.fill(chunk, sink)?;
        let Some(in_place) = self.in_place.as_ref().filter(|_| replaces) else { return Ok(filled) };
        while let SourceStop::Fault(fault) = filled.stop
            && sink.room() >= 4 * MAX_FAULT
        {
            match in_place {
                InPlace::Text(text) => {
                    malformed.add(|| source.fault(fault));
                    sink.push_str(text);
                    if !text.is_empty() {
                        source.count_char();
                    }
                }
                InPlace::Page(page) => {
                    let fault = source.fault(fault);
                    let Some(text) = page.text(&fault.bytes) else { break };
                    for ch in text {
                        _ = sink.push(ch);
                        source.count(ch.encode_utf8(&mut [0; 4]));
                    }
                    malformed.add(|| fault);
                }
            }
            if malformed.is_full() {
                source.pass(self.passing);
            }
            let read = filled.read;
            // What was decoded before an error counts: the error waits in the queue.
            filled = source
                .fill(chunk.after(read), sink)
                .unwrap_or_else(|error| Filled { read: 0, stop: SourceStop::Failed(error) });
            filled.read += read;
        }
        Ok(filled)
    }
}
