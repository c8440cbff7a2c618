//! Reads a customer file of a mainframe into structs, sums up balances as exact numbers, and writes the customers who owe
//! something into another file of records, with the feature `serde`.
//!
//!     cargo run --features serde --example rows_into_structs [FILE SHAPE]
//!
//! `examples/data/records/customer.cpy` is the copybook.

use charpipe::fields::Decimal;
use charpipe::rows::RowsJob;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs::File;
use std::io::BufReader;

const COPYBOOK: &[u8] = b"
    01  CUSTOMER.
        05  ID        PIC 9(7).
        05  NAME      PIC X(20).
        05  ADDRESS   PIC X(24).
        05  BALANCE   PIC S9(7)V99 COMP-3.
        05  NOTE      PIC X(20).
";

/// The fields have the names of the copybook, in any case.
#[derive(Deserialize, Serialize)]
struct Customer {
    id: u32,
    name: String,
    address: String,
    balance: Decimal,
    note: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/customers.vbs");
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| example.into());
    let shape = args.next().unwrap_or_else(|| "vbs".into());

    // Records of variable length end where the note ends.
    let options = [("records", &*shape), ("to-records", "vb:800"), ("short-records", "null")];
    let job = options.into_iter().try_fold(RowsJob::new(), |job, (name, value)| job.set(name, value))?;
    let rows = job.rows(&job.layout(COPYBOOK)?)?;

    let (mut count, mut cents) = (0, 0);
    let mut debtors = rows.serialize(Vec::new())?;
    for customer in rows.deserialize::<Customer, _>(BufReader::new(File::open(path)?))? {
        let customer = customer?;
        count += 1;
        cents += customer.balance.mantissa().unwrap_or_default();
        if customer.balance.is_negative() {
            debtors.write(&customer)?;
        }
    }
    println!("{count} customers have {}", Decimal::new(cents, 2));

    let debtors = debtors.finish()?;
    let job = RowsJob::new().set("records", "vb:800")?;
    let back = job.rows(&job.layout(COPYBOOK)?)?;
    let debtors: Vec<Customer> = back.deserialize(&debtors[..])?.collect::<Result<_, _>>()?;
    println!("{} of them owe something", debtors.len());
    for customer in &debtors[..3] {
        println!("{}  {:20}  {:>11}", customer.id, customer.name, customer.balance);
    }
    Ok(())
}
