//! Reports the position of an error. Every error has its offset in the original input, in bytes from 0, including the
//! byte order mark. The output before the error is written.

use charpipe::{ErrorKind, OnUnmappable, Transcode};

fn main() -> Result<(), charpipe::Error> {
    // Malformed input.
    let damaged = include_bytes!("data/damaged-utf8.txt");
    let mut output = Vec::new();
    let error = Transcode::new().run(&damaged[..], &mut output).unwrap_err();
    println!("{error}");
    println!("before it: {:?}", String::from_utf8_lossy(&output));
    if let ErrorKind::Malformed { offset, bytes, .. } = error.kind() {
        assert_eq!(damaged[*offset as usize..][..bytes.len()], bytes[..]);
    }

    // A character that the target lacks. The offset is that of its first byte in the input, which is UTF-16 here. (By
    // default, such a character becomes a character reference in XML.)
    let utf16 = include_bytes!("data/utf16le-bom.xml");
    let transcode = Transcode::new().target_encoding("IBM1047")?.on_unmappable(OnUnmappable::Fail);
    let error = transcode.run(&utf16[..], Vec::new()).unwrap_err();
    println!("{error}");
    let offset = error.offset().expect("the input is to blame") as usize;
    println!("the input there: {:02X?}", &utf16[offset..offset + 2]);

    // A document that declares an unknown encoding.
    let error = charpipe::transcode(&b"<?xml version='1.0' encoding='ISO-8895-1'?><a/>"[..], Vec::new()).unwrap_err();
    println!("{error}");
    Ok(())
}
