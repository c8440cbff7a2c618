//! Converts without I/O: the program passes in bytes as they arrive, and takes the output in a buffer of any size. The
//! sizes of input and buffer do not change the result.

use charpipe::{Status, Transcode};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let input = include_bytes!("data/ucs4-3412.xml");
    let mut transcoder = Transcode::new().transcoder()?;
    let mut buffer = [0; 24];
    let mut output = Vec::new();

    // After the last chunk there is an empty one, which marks the end of the input.
    let chunks = input.chunks(50).map(|chunk| (chunk, false)).chain([(&[][..], true)]);
    for (mut chunk, eof) in chunks {
        loop {
            let step = transcoder.step(chunk, &mut buffer, eof)?;
            output.extend_from_slice(&buffer[..step.written]);
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
