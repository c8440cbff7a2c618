//! Reports the position of an error. Every error has its offset in the original input, in bytes from 0, including the
//! byte order mark. Its line and column are found by reading the input again, or counted during the conversion. The output
//! before the error is written.

use charpipe::{ErrorKind, OnUnmappable, Transcode};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Malformed input.
    let damaged = include_bytes!("data/damaged-utf8.txt");
    let mut output = Vec::new();
    let mut transcoder = Transcode::new().transcoder()?;
    let mut error = transcoder.run(&mut &damaged[..], &mut output).unwrap_err();
    println!("{error}");
    // This reads the input again, up to the error.
    transcoder.locate(&damaged[..], Some(&mut error))?;
    println!("{error}");
    println!("before it: {:?}", String::from_utf8_lossy(&output));
    if let ErrorKind::Malformed { offset, bytes, .. } = error.kind() {
        assert_eq!(damaged[*offset as usize..][..bytes.len()], bytes[..]);
    }

    // A character that the target lacks. The offset is that of its first byte in the input, which is UTF-16 here. (By
    // default, such a character becomes a character reference in XML.)
    let utf16 = include_bytes!("data/utf16le-bom.xml");
    let transcode = Transcode::new().target_encoding("IBM1047")?.on_unmappable(OnUnmappable::Fail).count_lines(true);
    let error = transcode.run(&utf16[..], Vec::new()).unwrap_err();
    println!("{error}");
    let offset = error.offset().expect("the input is to blame") as usize;
    println!("the input there: {:02X?}", &utf16[offset..offset + 2]);

    // A document that declares an unknown encoding.
    let error = charpipe::decode(b"<?xml version='1.0' encoding='ISO-8895-1'?><a/>").unwrap_err();
    println!("{error}");
    Ok(())
}
