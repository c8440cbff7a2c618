//! Reads a customer file of a mainframe field by field. The records have a fixed or variable length, and may be blocked
//! or spanned. Each contains text in EBCDIC and a packed decimal, which is not text and is read as a number.
//!
//!     cargo run --example packed_fields [FILE SHAPE]
//!
//! `examples/data/records/README.md` has the copybook.

use charpipe::Transcode;
use charpipe::records::{Records, Shape};
use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/customers.vbs");
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| example.into());
    let shape: Shape = args.next().as_deref().unwrap_or("vbs").parse()?;

    let mut text = Transcode::new().source_encoding("IBM037")?.values()?;
    let (mut line, mut out) = (String::new(), BufWriter::new(stdout().lock()));
    let mut records = Records::new(BufReader::new(File::open(path)?), &shape);
    while let Some(record) = records.next_record()? {
        let wrong = |what: &str| format!("record {}, at byte {}: {what}", record.number, record.offset);
        let (Some(id), Some(name), Some(balance), Some(note)) =
            (record.data.get(..7), record.data.get(7..27), record.data.get(51..56), record.data.get(56..))
        else {
            return Err(wrong("it ends within its fields").into());
        };
        let balance = packed(balance).ok_or_else(|| wrong("the balance is not a packed decimal"))?;
        let (sign, cents) = (if balance < 0 { "-" } else { "" }, balance.unsigned_abs());
        let amount = format!("{sign}{}.{:02}", cents / 100, cents % 100);
        line.clear();
        text.decode_into(id, &mut line)?;
        line.push_str("  ");
        text.decode_into(name, &mut line)?;
        write!(line, "  {amount:>11}  ")?;
        text.decode_into(note, &mut line)?;
        writeln!(out, "{}", line.trim_end_matches(' '))?;
    }
    Ok(out.flush()?)
}

/// Returns the value of a COMP-3 number: two digits per byte, and the sign in the low half of the last byte.
fn packed(bytes: &[u8]) -> Option<i64> {
    let (last, first) = bytes.split_last()?;
    let digits = first.iter().flat_map(|byte| [byte >> 4, byte & 15]).chain([last >> 4]);
    let number = digits.into_iter().try_fold(0i64, |number, digit| {
        let digit = i64::from(Some(digit).filter(|digit| *digit <= 9)?);
        number.checked_mul(10)?.checked_add(digit)
    })?;
    match last & 15 {
        0xA | 0xC | 0xE | 0xF => Some(number),
        0xB | 0xD => Some(-number),
        _ => None,
    }
}
