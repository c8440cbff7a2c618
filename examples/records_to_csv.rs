//! Converts a mainframe extract to CSV. The records have a fixed length and contain text in EBCDIC and a packed
//! decimal. The csv crate writes the output and quotes fields that need it.
//!
//!     cargo run --example records_to_csv
//!
//! It prints CUSTOMER records as CSV; `examples/data/records/customer.cpy` is the copybook.

use charpipe::records::Shape;
use charpipe::{Gaps, Transcode};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/customers.fb");
    // Each record becomes a line. Columns 52 to 56 are BALANCE, which is not text. It is written as two hex digits per
    // byte.
    let job = Transcode::new().source_encoding("IBM037")?.records(Shape::Fixed { lrecl: 76 });
    let lines = job.columns("1-51,57-".parse()?).gaps(Gaps::Hex).reader(BufReader::new(File::open(path)?))?.lines();

    let mut table = csv::Writer::from_writer(stdout().lock());
    table.write_record(["id", "name", "address", "balance", "note"])?;
    for line in lines {
        let line: Vec<char> = line?.chars().collect();
        let field = |from: usize, to: usize| line[from..to].iter().collect::<String>().trim_end().to_owned();
        // The last digit of COMP-3 is the sign: B or D means minus.
        let cents: u64 = field(51, 60).parse()?;
        let sign = if matches!(line[60], 'B' | 'D') && cents > 0 { "-" } else { "" };
        let balance = format!("{sign}{}.{:02}", cents / 100, cents % 100);
        table.write_record([field(0, 7), field(7, 27), field(27, 51), balance, field(61, line.len())])?;
    }
    Ok(table.flush()?)
}
