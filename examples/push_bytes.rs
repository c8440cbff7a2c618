//! Uses the transcoder without I/O: bytes are pushed in as they arrive, and the output is fetched into a buffer of any
//! size. The sizes of the chunks and of the buffer do not affect the result.

use charpipe::{State, Transcode};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let input = include_bytes!("data/ucs4-3412.xml");
    let mut transcoder = Transcode::new().transcoder()?;
    let mut buffer = [0; 24];
    let mut output = Vec::new();

    // After the last chunk, an empty one with `eof` says that nothing follows.
    let chunks = input.chunks(50).map(|chunk| (chunk, false)).chain([(&[][..], true)]);
    for (mut chunk, eof) in chunks {
        loop {
            let step = transcoder.step(chunk, &mut buffer, eof)?;
            output.extend_from_slice(&buffer[..step.written]);
            chunk = &chunk[step.read..];
            match step.state {
                State::NeedRoom => {}
                State::NeedInput | State::Done => break,
            }
        }
    }
    let report = transcoder.report();
    print!("{}", String::from_utf8(output)?);
    println!("{} bytes in, {} bytes out", report.bytes_in, report.bytes_out);
    Ok(())
}
