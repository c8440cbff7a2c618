//! The machine without I/O: bytes are pushed in as they come, and fetched into whatever room there is. The size of
//! either changes nothing in the result.

use charpipe::{Status, Transcode};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let input = include_bytes!("data/ucs4-3412.xml");
    let mut transcoder = Transcode::new().transcoder()?;
    let mut room = [0; 24];
    let mut output = Vec::new();

    // Behind the last chunk an empty one that says that nothing follows.
    let chunks = input.chunks(50).map(|chunk| (chunk, false)).chain([(&[][..], true)]);
    for (mut chunk, eof) in chunks {
        loop {
            let step = transcoder.step(chunk, &mut room, eof)?;
            output.extend_from_slice(&room[..step.written]);
            chunk = &chunk[step.read..];
            match step.state {
                Status::NeedRoom => {}
                Status::NeedInput | Status::Done => break,
            }
        }
    }
    let report = transcoder.report();
    print!("{}", String::from_utf8(output)?);
    println!("{} bytes in, {} bytes out", report.bytes_in, report.bytes_out);
    Ok(())
}
