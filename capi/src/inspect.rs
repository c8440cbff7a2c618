//! The positions of the records of an input, as JSON.

use crate::failure::Failure;
use charpipe::records::{Deframer, Part, Shape, look};
use serde_json::{Value, json};

/// Returns where the records of a shape are: `{"records", "read", "error"}`. A record is a list of pieces `[offset,
/// length]`, which count from the first byte.
pub(crate) fn records(shape: &str, bytes: &[u8], is_last: bool) -> Value {
    let shape: Shape = match shape.parse() {
        Ok(shape) => shape,
        Err(why) => {
            return json!({ "error": { "code": "bad-option", "message": format!("option records: {why}"), "offset": null } });
        }
    };
    let mut deframer = Deframer::new(&shape);
    let (mut at, mut whole) = (0, 0);
    let (mut found, mut pieces) = (Vec::new(), Vec::new());
    let error = loop {
        match deframer.next(&bytes[at..], is_last) {
            Ok(Part::Framing(len)) => at += len,
            Ok(Part::Data(len)) => {
                pieces.push([at, len]);
                at += len;
            }
            Ok(Part::End) => {
                found.push(std::mem::take(&mut pieces));
                whole = at;
            }
            Ok(Part::NeedInput | Part::Done) => break Value::Null,
            Ok(Part::FileEnd) => {}
            Err(error) => break Failure::from(error).json(),
        }
    };
    json!({ "records": found, "read": whole, "error": error })
}

/// Returns the record shapes that the beginning of an input may have: `{"hypotheses"}`, the best first, each with
/// `shape`, `survives` and `why`.
pub(crate) fn sniff(bytes: &[u8], is_last: bool) -> Value {
    let hypotheses = look(bytes, is_last, None)
        .hypotheses
        .into_iter()
        .map(|one| json!({ "shape": one.shape.to_string(), "survives": one.survives, "why": one.why }));
    json!({ "hypotheses": hypotheses.collect::<Vec<_>>() })
}
